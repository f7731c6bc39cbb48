/* widget: gauges, sliders, words. Bars are in widget_bar.c, big digits in widget_big.c. */
#include "tui/widget.h"

#include <math.h>
#include <string.h>

#include "tui/number.h"
#include "tui/text.h"

enum { GLYPH_MARK = 0x25b8, GLYPH_LEFT = 0x25c2, GLYPH_RIGHT = 0x25b8, GLYPH_FREE = 0xb7, GLYPH_KNOB = 0x25cf };

/* A solid bar over `share` of w cells, to the eighth of a cell; the rest dotted. */
static void share_bar(struct canvas *c, int x, int y, int w, double share, enum role role) {
  int eighths = isnan(share) ? 0 : (int)floor(fmin(fmax(share, 0), 1) * w * 8 + 0.5);
  if (share > 0 && eighths == 0) eighths = 1;
  for (int i = 0; i < w; i++, eighths -= 8) {
    struct cell *k = canvas_at(c, x + i, y);
    if (!k) continue;
    if (eighths > 0) {
      k->fill = (uint8_t)(eighths < 8 ? eighths : 8);
      k->role = (uint8_t)role;
    } else
      canvas_put(c, x + i, y, GLYPH_FREE, ROLE_FREE, 0);
  }
  if (share > 1.005 && w > 0) canvas_put(c, x + w - 1, y, GLYPH_RIGHT, role, ATTR_REVERSE);
}

void widget_gauge(struct canvas *c, struct rect r, const char *label, double share, enum role role) {
  char number[NUMBER_MAX];
  number_print(number, share, "%", 3, false);
  if (r.w < 1 || r.h < 1) return;
  int value = text_columns(number), name = text_columns(label);
  if (value < 6 && r.w >= 6) value = 6; /* "100 %" and "89.4 %" end in the same column */
  canvas_text_right(c, r.x, r.x + r.w, r.y, number, isnan(share) ? ROLE_DIM : role, 0);
  int room = r.w - value - 1;
  if (room <= 0) return;
  int bar = room - name - 1;
  if (bar >= 3) {
    int column = r.w * 2 / 5 > name + 1 ? r.w * 2 / 5 : name + 1; /* bars of gauges under one another start together */
    if (room - column < 3) column = name + 1;
    canvas_text(c, r.x, r.y, label, name, ROLE_TEXT, 0);
    share_bar(c, r.x + column, r.y, room - column, share, role);
  } else
    canvas_text(c, r.x, r.y, label, room, ROLE_TEXT, 0);
}

void widget_progress(struct canvas *c, struct rect r, double done, double total, enum role role) {
  double share = total > 0 && isfinite(total) ? done / total : NAN;
  widget_gauge(c, r, "", isnan(share) ? share : fmin(fmax(share, 0), 1), role);
}

/* The track: ├────●──────┤ */
static void slider_track(struct canvas *c, struct rect r, double share, enum role role) {
  if (r.w < 3) return;
  canvas_hline(c, r.x, r.x + r.w - 1, r.y, ROLE_DIM, 0);
  for (int i = 0; i < 2; i++) canvas_vline(c, r.x + (i ? r.w - 1 : 0), r.y, r.y, ROLE_DIM, 0);
  if (isnan(share)) return;
  share = fmin(fmax(share, 0), 1);
  canvas_put(c, r.x + (int)floor(share * (r.w - 1) + 0.5), r.y, GLYPH_KNOB, role, ATTR_BOLD);
}

void widget_slider(struct canvas *c, struct rect r, const char *label, const char *value, double share, bool focus, bool changed,
                   bool open) {
  if (r.w < 1 || r.h < 1) return;
  enum role role = focus ? ROLE_FOCUS : ROLE_TEXT, number = changed ? ROLE_CHANGED : role;
  int n = text_columns(value), end = r.x + r.w, arrows = r.w >= n + 8 ? 2 : 0;
  if (focus) /* the whole row is lit, so that it is seen from afar; the marker says it without any attribute */
    for (int x = r.x; x < end; x++) canvas_put(c, x, r.y, ' ', ROLE_FOCUS, 0);
  canvas_put(c, r.x, r.y, focus ? GLYPH_MARK : changed ? '*' : ' ', role, 0);
  int from = canvas_text_right(c, r.x + 1, end - arrows, r.y, value, number, focus ? ATTR_REVERSE : 0);
  if (arrows && focus && !isnan(share)) {
    canvas_put(c, end - arrows - from - 2, r.y, share <= 0 ? ' ' : GLYPH_LEFT, role, 0);
    canvas_put(c, end - 1, r.y, share >= 1 ? ' ' : GLYPH_RIGHT, role, 0);
  }
  int room = r.w - 1 - from - arrows - (arrows ? 3 : 1);
  if (room > 0) canvas_text(c, r.x + 1, r.y, label, room, role, 0);
  if (open && r.h >= 2 && !isnan(share)) slider_track(c, (struct rect){r.x + 1, r.y + 1, r.w - 2, 1}, share, ROLE_KEY);
}

void widget_words(struct canvas *c, struct rect r, const char *words, enum role role) {
  enum { LINES = 32 };
  int start[LINES], length[LINES], width = r.w > 8 ? r.w - 2 : r.w;
  if (r.w < 1 || r.h < 1) return;
  if (width > 60) width = 60;
  int n = text_wrap(words, width, LINES, start, length), shown = n < r.h ? n : r.h;
  if (shown > LINES) shown = LINES;
  int y = r.y + (r.h - shown) / 2;
  for (int i = 0; i < shown; i++) {
    struct text line;
    text_clear(&line);
    for (int k = 0; k < length[i];) { /* character by character: the line is not terminated where it is */
      char one[5] = {0};
      uint32_t g;
      int bytes = utf8_decode(words + start[i] + k, &g);
      memcpy(one, words + start[i] + k, (size_t)(bytes < 4 ? bytes : 4));
      text_add(&line, one);
      k += bytes;
    }
    if (i == shown - 1 && shown < n) text_add(&line, "\u2026");
    int columns = text_columns(line.s), room = columns < r.w ? columns : r.w;
    canvas_text(c, r.x + (r.w - room) / 2, y + i, line.s, room, role, 0);
  }
}
