/* widget: small drawings shared by scenes: gauges, stacked bars, sliders. */
#ifndef RIDGE_WIDGET_H
#define RIDGE_WIDGET_H

#include <stdbool.h>

#include "tui/canvas.h"

/* One part of a stacked bar: its value, role, a letter that marks it without colour, a label. */
struct part {
  double value;
  enum role role;
  char letter;
  const char *label;
};

/* The pattern that marks a role in bars and legends, the same in every scene: so that a part is known without its colour. */
int widget_pattern(enum role role);

/* A horizontal stacked bar in row(s) r, `full` being the value of the whole width; parts below half a cell are still shown as one
 * thin cell when > 0. NAN parts draw '?'. What the parts leave of `full` is dotted; parts beyond it are cut, with an arrow. Letters stand
 * on parts of three cells and more. A mark (NAN none) is drawn as a vertical line at that value. */
void widget_bar(struct canvas *c, struct rect r, const struct part *part, int n, double full, double mark);
/* A vertical stacked bar growing upwards, on a linear or log scale from lo to hi. */
void widget_column(struct canvas *c, struct rect r, const struct part *part, int n, double lo, double hi, bool log);
/* A labelled percentage gauge: `label ▇▇▇▇▁▁ 95 %`. share NAN: unknown. */
void widget_gauge(struct canvas *c, struct rect r, const char *label, double share, enum role role);
/* The row of a knob: marker, label, position of value in lo…hi (share 0…1, NAN none), text. */
void widget_slider(struct canvas *c, struct rect r, const char *label, const char *value, double share, bool focus, bool changed,
                   bool open);
/* Legend entries "▇ weights  ▇ KV" on one row, wrapped to r; letters shown. */
void widget_legend(struct canvas *c, struct rect r, const struct part *part, int n);
/* Words in the middle of r, wrapped, dim. */
void widget_words(struct canvas *c, struct rect r, const char *words, enum role role);
/* A 5-row-high number made of block cells (presenter mode). Knows digits, units' letters and . - % / × ~ ≤; others leave a gap. */
void widget_big(struct canvas *c, int x, int y, const char *digits, enum role role);
int widget_big_columns(const char *digits);
/* done of total as a bar with its percentage; total ≤ 0 or NAN: how much is unknown, a dotted bar. */
void widget_progress(struct canvas *c, struct rect r, double done, double total, enum role role);

#endif
