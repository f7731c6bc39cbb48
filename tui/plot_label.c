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
  /* what it names is not seen: the label of a line off the picture would be taken for another's */
  if (dx < 2 * p->area.x - 4 || dx > 2 * (p->area.x + p->area.w) + 4 || dy < 4 * p->area.y - 4 || dy > 4 * (p->area.y + p->area.h) + 4)
    return;
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

/* One row of the data area, counted up from its left: how many cells hold text, words (text that is no point), curves, lines. */
enum { ROW_MAX = 4096 + 8 };
struct row {
  int x0;
  int16_t text[ROW_MAX], word[ROW_MAX], dots[ROW_MAX], lines[ROW_MAX];
};

/* Columns from … to and two more on each side; what is outside the data area counts as blank, what is clipped away as taken. */
static void row_read(struct row *r, const struct plot *p, int y, int from, int to) {
  r->x0 = from - 2;
  r->text[0] = r->word[0] = r->dots[0] = r->lines[0] = 0;
  for (int x = from - 2, i = 0; x <= to + 2 && i + 1 < ROW_MAX; x++, i++) {
    bool inside = x >= p->area.x && x < p->area.x + p->area.w;
    const struct cell *k = inside ? canvas_at(p->canvas, x, y) : NULL;
    bool taken = inside && (!k || k->glyph), dots = k && !k->glyph && (k->dots || k->attr & ATTR_PASS);
    r->text[i + 1] = (int16_t)(r->text[i] + taken);
    r->word[i + 1] = (int16_t)(r->word[i] + (taken && !(k && k->attr & ATTR_BOLD))); /* points are bold */
    r->dots[i + 1] = (int16_t)(r->dots[i] + dots);
    r->lines[i + 1] = (int16_t)(r->lines[i] + (k && !k->glyph && !dots && k->lines));
  }
}

static int row_count(const int16_t *sum, const struct row *r, int x, int n) { return sum[x - r->x0 + n] - sum[x - r->x0]; }

/* The price of n cells from x: FAR when any is taken; curves and lines cost, also beside the text. One blank keeps points off, two keep
 * other words off. */
static double cells_price(const struct row *r, int x, int n) {
  if (row_count(r->text, r, x - 1, n + 2) || row_count(r->word, r, x - 2, n + 4)) return FAR;
  int dots = row_count(r->dots, r, x, n), lines = row_count(r->lines, r, x, n);
  if (dots) return FAR;
  return row_count(r->dots, r, x - 1, n + 2) + 6.0 * lines + 0.5 * (row_count(r->lines, r, x - 1, n + 2) - lines);
}

struct place {
  int x, y;
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
  struct rect a = p->area, window = rect_cut((struct rect){cx - n - 12, cy - 4, n + 25, 9}, a);
  struct row row;
  if (window.x + window.w > a.x + a.w - n + 1) window.w = a.x + a.w - n + 1 - window.x;
  if (window.w < 1) return;
  for (int y = window.y; y < window.y + window.h; y++) {
    bool read = false;
    for (int x = window.x; x < window.x + window.w; x++) {
      double price = extra + label_price(l, cx, cy, x, y, n);
      if (price >= best->price) continue;
      if (!read) row_read(&row, p, y, window.x, window.x + window.w - 1 + n);
      read = true;
      price += cells_price(&row, x, n);
      if (price >= best->price) continue;
      price += crossing_price(p, cx, cy, x, y, n, l->role);
      if (price < best->price) *best = (struct place){x, y, price};
    }
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
  struct row map;
  for (int y = window.y; window.w > 0 && y < window.y + window.h; y++) {
    row_read(&map, p, y, window.x, window.x + window.w - 1 + n);
    for (int x = window.x; x < window.x + window.w; x++) {
      double price = fabs(x - middle) * 0.3 + fabs(y - row) * 2 + cells_price(&map, x, n);
      if (price < best->price) *best = (struct place){x, y, price};
    }
  }
}

/* The best place for one wording; its price is FAR when there is none. */
static struct place place_find(const struct plot *p, const struct plot_label *l, const char *text) {
  struct rect a = p->area;
  struct place best = {0, 0, FAR};
  int n = text_columns(text);
  if (n < 1 || n > a.w) return best;
  if (!isnan(l->x_end)) {
    region_find(p, l, n, &best);
    return best;
  }
  best.price = TOO_FAR;
  if (!isnan(l->x_to))
    along_find(p, l, n, &best);
  else
    near_find(p, l, clamp(plot_column(p, l->x), a.x, a.x + a.w - 1), clamp(plot_row(p, l->y), a.y, a.y + a.h - 1), n, 0, &best);
  if (best.price >= TOO_FAR) best.price = FAR;
  return best;
}

/* In full beside what it names; else brief; else in full further off; else not at all. */
static bool label_put(struct plot *p, const struct plot_label *l) {
  const char *text = l->text;
  struct place at = place_find(p, l, text);
  if (at.price >= NEAR && *l->brief) {
    struct place brief = place_find(p, l, l->brief);
    if (brief.price < NEAR || at.price >= FAR) at = brief, text = l->brief;
  }
  if (at.price >= FAR) return false;
  canvas_text(p->canvas, at.x, at.y, text, -1, l->role, 0);
  return true;
}

void labels_place(struct plot *p) {
  bool done[PLOT_LABEL_MAX] = {false};
  for (int k = 0; k < p->nlabel; k++) {
    int at = -1;
    for (int i = 0; i < p->nlabel; i++)
      if (!done[i] && (at < 0 || p->label[i].rank < p->label[at].rank)) at = i;
    done[at] = true;
    p->label[at].placed = label_put(p, &p->label[at]);
  }
}
