/* plot_label: labels are placed last, one by one in order of rank, at the cheapest place near where they belong. The canvas is the map of
 * what is taken: a cell with a glyph never gets another, a cell with a curve is avoided. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/plot_inner.h"

enum { RANK_WORDS = 50, FAR = 1 << 20 };

/* src cut at a whole character. */
static void text_copy(char *out, size_t size, const char *src) {
  size_t n = 0;
  uint32_t g;
  while (src[n]) {
    size_t bytes = (size_t)utf8_decode(src + n, &g);
    if (n + bytes >= size) break;
    n += bytes;
  }
  memcpy(out, src, n);
  out[n] = '\0';
}

static struct plot_label *label_add(struct plot *p, int rank) {
  int at = p->nlabel;
  if (at == PLOT_LABEL_MAX) { /* full: the least important gives way */
    at = 0;
    for (int i = 1; i < p->nlabel; i++)
      if (p->label[i].rank >= p->label[at].rank) at = i;
    if (p->label[at].rank <= rank) return NULL;
  } else
    p->nlabel++;
  return &p->label[at];
}

void plot_label(struct plot *p, double x, double y, const char *text, const char *brief, enum role role, enum anchor a, int rank) {
  double dx = plot_dot_x(p, x), dy = plot_dot_y(p, y);
  if (p->area.w < 1 || !isfinite(dx) || !isfinite(dy)) return;
  struct plot_label *l = label_add(p, rank);
  if (!l) return;
  *l = (struct plot_label){.x = x, .y = y, .x_to = NAN, .y_to = NAN, .x_end = NAN, .role = role, .anchor = a, .rank = rank};
  text_copy(l->text, sizeof l->text, text ? text : "");
  text_copy(l->brief, sizeof l->brief, brief ? brief : "");
}

void plot_line_label(struct plot *p, double x0, double y0, double x1, double y1, const char *text, const char *brief, enum role role,
                     int rank) {
  double ends = plot_dot_x(p, x0) + plot_dot_y(p, y0) + plot_dot_x(p, x1) + plot_dot_y(p, y1);
  if (p->area.w < 1 || !isfinite(ends)) return;
  struct plot_label *l = label_add(p, rank);
  if (!l) return;
  *l = (struct plot_label){.x = x0, .y = y0, .x_to = x1, .y_to = y1, .x_end = NAN, .role = role, .anchor = ANCHOR_ABOVE, .rank = rank};
  text_copy(l->text, sizeof l->text, text ? text : "");
  text_copy(l->brief, sizeof l->brief, brief ? brief : "");
}

void plot_words(struct plot *p, double x0, double x1, double y_share, const char *text, enum role role) {
  if (p->area.w < 1 || !isfinite(plot_dot_x(p, x0)) || !isfinite(plot_dot_x(p, x1)) || !isfinite(y_share)) return;
  struct plot_label *l = label_add(p, RANK_WORDS);
  if (!l) return;
  *l = (struct plot_label){
      .x = x0, .y = y_share, .x_to = NAN, .y_to = NAN, .x_end = x1, .role = role, .anchor = ANCHOR_CENTRE, .rank = RANK_WORDS};
  text_copy(l->text, sizeof l->text, text);
}

/* The price of n cells from (x,y): FAR when any is taken or outside; curves and lines cost, also beside the text. *curves counts the cells
 * of curve that would be hidden. One blank keeps points off, two keep other words off. */
static double cells_price(const struct plot *p, int x, int y, int n, int *curves) {
  struct rect a = p->area;
  double price = 0;
  *curves = 0;
  if (x < a.x || x + n > a.x + a.w || y < a.y || y >= a.y + a.h) return FAR;
  for (int i = -2; i <= n + 1; i++) {
    const struct cell *k = canvas_at(p->canvas, x + i, y);
    bool beside = i < 0 || i >= n, far = i < -1 || i > n;
    if (!k || (beside && (x + i < a.x || x + i >= a.x + a.w))) {
      if (!beside) return FAR; /* clipped away */
      continue;
    }
    if (k->glyph && !(far && k->attr & ATTR_BOLD)) return FAR; /* points are bold */
    if (far) continue;
    if (k->dots || k->attr & ATTR_PASS) {
      if (!beside) ++*curves;
      price += beside ? 1 : 12;
    } else if (k->lines)
      price += beside ? 0.5 : 6;
  }
  return price;
}

struct place {
  int x, y, curves;
  double price;
};
/* Nearer than NEAR a label is plainly its line's own; beyond TOO_FAR it would be taken for another's. */
enum { NEAR = 7, TOO_FAR = 20 };

static int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

/* What stands between a label and what it names: curves of other roles that the eye would have to cross. The way is walked in steps to a
 * side neighbour, so that no curve slips through between two diagonal ones. */
static double crossing_price(const struct plot *p, int cx, int cy, int x, int y, int n, enum role role) {
  int tx = clamp(cx, x, x + n - 1), left_x = abs(tx - cx), left_y = abs(y - cy), step_x = tx > cx ? 1 : -1, step_y = y > cy ? 1 : -1;
  double price = 0;
  int all_x = left_x, all_y = left_y;
  while (left_x + left_y > 1) {
    bool across = left_y == 0 || (left_x > 0 && (double)left_x / all_x >= (double)left_y / (all_y ? all_y : 1));
    if (across)
      cx += step_x, left_x--;
    else
      cy += step_y, left_y--;
    const struct cell *k = canvas_at(p->canvas, cx, cy);
    if (k && (k->dots || k->attr & ATTR_PASS) && k->role != role)
      price += 10;
    else if (k && k->lines)
      price += 3;
  }
  return price;
}

/* Of n columns starting at (x,y), for a label of (cx,cy): how far, and on which side. */
static double label_price(const struct plot_label *l, int cx, int cy, int x, int y, int n) {
  int gap_x = x > cx ? x - cx - 1 : cx > x + n - 1 ? cx - (x + n - 1) - 1 : 0, gap_y = abs(y - cy);
  double price = 0.8 * gap_x + 2.0 * (gap_y > 1 ? gap_y - 1 : 0) + 0.05 * fabs(x + n / 2.0 - cx);
  bool wished = true;
  switch (l->anchor) {
  case ANCHOR_ABOVE: wished = y < cy; break;
  case ANCHOR_BELOW: wished = y > cy; break;
  case ANCHOR_LEFT: wished = x + n - 1 < cx; break;
  case ANCHOR_RIGHT: wished = x > cx; break;
  case ANCHOR_CENTRE: break;
  }
  return price + (wished ? 0 : 3);
}

/* The cheapest place for n columns near the cell (cx,cy). */
static void near_find(const struct plot *p, const struct plot_label *l, int cx, int cy, int n, double extra, struct place *best) {
  struct rect window = rect_cut((struct rect){cx - n - 12, cy - 4, n + 25, 9}, p->area);
  for (int y = window.y; y < window.y + window.h; y++)
    for (int x = window.x; x < window.x + window.w; x++) {
      double price = extra + label_price(l, cx, cy, x, y, n);
      if (price >= best->price) continue;
      int curves;
      price += cells_price(p, x, y, n, &curves);
      if (price >= best->price) continue;
      price += crossing_price(p, cx, cy, x, y, n, l->role);
      if (price < best->price) *best = (struct place){x, y, curves, price};
    }
}

/* Along a line: the middle first, then towards its ends, over the part that is seen. */
static void along_find(const struct plot *p, const struct plot_label *l, int n, struct place *best) {
  static const double share[] = {0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92};
  double a[2] = {plot_dot_x(p, l->x), plot_dot_y(p, l->y)}, b[2] = {plot_dot_x(p, l->x_to), plot_dot_y(p, l->y_to)};
  if (!dots_clip(p, a, b)) return;
  for (int i = 0; i < (int)(sizeof share / sizeof *share); i++) {
    int cx = (int)floor(a[0] + share[i] * (b[0] - a[0]) + 0.5) / 2, cy = (int)floor(a[1] + share[i] * (b[1] - a[1]) + 0.5) / 4;
    near_find(p, l, cx, cy, n, 0.3 * i, best);
  }
}

/* Words of a region: centred in it, near their row. */
static void region_find(const struct plot *p, const struct plot_label *l, int n, struct place *best) {
  struct rect a = p->area;
  int from = clamp(plot_column(p, l->x), a.x, a.x + a.w - 1), to = clamp(plot_column(p, l->x_end), a.x, a.x + a.w - 1);
  double row = a.y + fmin(fmax(l->y, 0), 1) * (a.h - 1), middle = from + (to - from + 1 - n) / 2.0;
  int reach = a.h / 4 > 2 ? a.h / 4 : 2;
  struct rect window = rect_cut((struct rect){from, (int)row - reach, to - from + 2 - n, 2 * reach + 1}, a);
  for (int y = window.y; y < window.y + window.h; y++)
    for (int x = window.x; x < window.x + window.w; x++) {
      int curves;
      double price = fabs(x - middle) * 0.3 + fabs(y - row) * 2 + cells_price(p, x, y, n, &curves);
      if (price < best->price) *best = (struct place){x, y, curves, price};
    }
}

static bool label_try(struct plot *p, const struct plot_label *l, const char *text, double limit) {
  struct rect a = p->area;
  struct place best = {0, 0, 0, isnan(l->x_end) ? limit : FAR};
  int n = text_columns(text);
  if (n < 1 || n > a.w) return false;
  double none = best.price;
  if (!isnan(l->x_end))
    region_find(p, l, n, &best);
  else if (!isnan(l->x_to))
    along_find(p, l, n, &best);
  else
    near_find(p, l, clamp(plot_column(p, l->x), a.x, a.x + a.w - 1), clamp(plot_row(p, l->y), a.y, a.y + a.h - 1), n, 0, &best);
  if (best.price >= none || best.curves > 0) return false;
  canvas_text(p->canvas, best.x, best.y, text, n, l->role, 0);
  return true;
}

/* In full beside what it names; else brief; else in full further off; else not at all. */
void labels_place(struct plot *p) {
  bool done[PLOT_LABEL_MAX] = {false};
  for (int k = 0; k < p->nlabel; k++) {
    int at = -1;
    for (int i = 0; i < p->nlabel; i++)
      if (!done[i] && (at < 0 || p->label[i].rank < p->label[at].rank)) at = i;
    done[at] = true;
    struct plot_label *l = &p->label[at];
    l->placed = label_try(p, l, l->text, NEAR) || label_try(p, l, l->brief, NEAR) || label_try(p, l, l->text, TOO_FAR) ||
                label_try(p, l, l->brief, TOO_FAR);
  }
}
