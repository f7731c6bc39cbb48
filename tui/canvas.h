/* canvas: a grid of cells that everything is drawn on, before any printer or terminal sees it. A cell names what it means
 * (role), never a colour; which glyph and colour that becomes is the printer's business. Drawing outside the clip rectangle
 * does nothing. Coordinates: column x from the left, row y from the top, both from 0. */
#ifndef RIDGE_CANVAS_H
#define RIDGE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rect {
  int x, y, w, h;
};

enum role {
  ROLE_TEXT,
  ROLE_DIM,
  ROLE_TITLE,
  ROLE_KEY,
  ROLE_BORDER,
  ROLE_AXIS,
  ROLE_GRID,
  ROLE_ROOF,       /* the roof that counts */
  ROLE_ROOF_OTHER, /* other data types, instruction sets, levels */
  ROLE_COMPARE,    /* the second device */
  ROLE_CEILING,    /* × the most this operation can do */
  ROLE_MEASURED,   /* o what was measured here */
  ROLE_SAMPLE,     /* a letter: what another program measured */
  ROLE_GUESS,      /* ? the learner's guess */
  ROLE_TRAIL,      /* · earlier points */
  ROLE_MEMORY,     /* time or room due to memory */
  ROLE_COMPUTE,    /* … to arithmetic */
  ROLE_LINK,       /* … to the link */
  ROLE_FIXED,      /* … to set-up, launches */
  ROLE_KV,
  ROLE_ACTIVATION,
  ROLE_GRADIENT,
  ROLE_OPTIMIZER, /* what fills memory besides weights (ROLE_MEMORY) */
  ROLE_FREE,      /* what is left */
  ROLE_GOOD,
  ROLE_WARN,
  ROLE_BAD,
  ROLE_CHANGED, /* what just changed, for one redraw */
  ROLE_FOCUS,   /* the knob under the hand: also reverse video and a marker glyph */
  ROLE_N
};
const char *role_name(enum role r);

enum { LINE_N = 1, LINE_E = 2, LINE_S = 4, LINE_W = 8, LINE_DASH = 16 }; /* box-drawing direction bits; merged by OR */
enum { ATTR_REVERSE = 1, ATTR_BOLD = 2, ATTR_PASS = 64 /* a dashed line passes here without a dot: labels keep off */ };

struct cell {
  uint32_t glyph; /* a Unicode scalar, 0 for none; drawn in front of dots and lines */
  uint8_t dots;   /* 2 wide × 4 high mask in braille bit order: bit 0..2 left column top to third, 3..5 right, 6 and 7 the bottom row */
  uint8_t lines;
  uint8_t role;
  uint8_t attr;
  uint8_t
      fill; /* 0 none; 1..8 a solid share of the cell from the left in eighths; 9.. pattern index + 9 (bars told apart without colour) */
  uint8_t spot; /* of a point of a plot: its dot in this cell, from 1, row after row; 0 the middle. For printers finer than cells */
};

struct canvas {
  int w, h;
  struct cell *cell; /* row after row */
  struct rect clip;
  size_t capacity;
  int overwritten; /* how often text was written over other text since the last clear: tests want 0 */
};

/* A canvas of w×h blank cells (1…4096 each). False when memory ran out; the canvas is then zeroed. */
bool canvas_init(struct canvas *c, int w, int h);
bool canvas_resize(struct canvas *c, int w, int h); /* keeps its memory when it can; contents blank */
void canvas_free(struct canvas *c);                 /* accepts a zeroed canvas */
void canvas_clear(struct canvas *c);

struct rect canvas_rect(const struct canvas *c);
struct rect rect_cut(struct rect a, struct rect b); /* the part both share; w or h 0 when none */
void canvas_clip(struct canvas *c, struct rect r);  /* drawing is cut to r ∩ canvas until the next call */

struct cell *canvas_at(struct canvas *c, int x, int y); /* NULL outside the clip */
void canvas_put(struct canvas *c, int x, int y, uint32_t glyph, enum role role, int attr);
/* UTF-8 text, left to right, at most `max` columns (-1: no limit but the clip); what is longer ends in '…', so that a cut number is never
 * taken for a whole one. Control bytes, wide and combining characters become '?'. Returns the columns used. */
int canvas_text(struct canvas *c, int x, int y, const char *s, int max, enum role role, int attr);
/* The same, its last character in column x_end - 1 at most and never left of x_start: for numbers in a column. */
int canvas_text_right(struct canvas *c, int x_start, int x_end, int y, const char *s, enum role role, int attr);
void canvas_erase(struct canvas *c, struct rect r);          /* blank cells: before something is laid over */
void canvas_attr(struct canvas *c, struct rect r, int attr); /* adds attributes to what is there: a focused row in reverse */
/* One character of UTF-8 at s (not at its end): bytes taken (≥ 1); bad bytes and what has no single column give '?'. */
int utf8_decode(const char *s, uint32_t *glyph);
int text_columns(const char *utf8);                                /* columns the text takes; every glyph we use is one column wide */
void canvas_dot(struct canvas *c, int dx, int dy, enum role role); /* dot coordinates: 2 per column, 4 per row */
void canvas_hline(struct canvas *c, int x0, int x1, int y, enum role role, int dash);
void canvas_vline(struct canvas *c, int x, int y0, int y1, enum role role, int dash);
void canvas_box(struct canvas *c, struct rect r, enum role role);               /* borders merge with what is there */
void canvas_fill(struct canvas *c, struct rect r, enum role role, int pattern); /* a solid patterned area; 0: full blocks */

#endif
