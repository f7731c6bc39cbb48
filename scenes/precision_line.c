/* The line view: the numbers a format has around the value; below, how far apart numbers stand, relative to their size, over all sizes. */
#include <math.h>

#include "scenes/precision.h"
#include "tui/number.h"
#include "tui/plot.h"
#include "tui/widget.h"

static int place_of(struct rect r, double x, double lo, double hi) { return r.x + (int)lround((x - lo) / (hi - lo) * (r.w - 1)); }

/* A label in the middle of x, unless it would meet one that stands: [*from, *to) is taken. */
static void label_at(struct canvas *c, struct rect r, int x, int y, const char *text, enum role role, int *from, int *to) {
  int w = text_columns(text), at = x - w / 2;
  if (at < r.x) at = r.x;
  if (at + w > r.x + r.w) at = r.x + r.w - w;
  if (at < r.x || (*to > *from && at < *to + 1 && at + w > *from - 1)) return;
  canvas_text(c, at, y, text, w, role, 0);
  if (*to <= *from || at < *from) *from = at;
  if (at + w > *to) *to = at + w;
}

void precision_draw_zoom(struct canvas *c, struct rect r, const struct precision *q) {
  double stored = coding_round(q->coding, q->value, q->saturate), step = coding_spacing(q->coding, stored);
  if (!isfinite(stored)) {
    widget_words(c, r, "too large: there is no number here", ROLE_WARN);
    return;
  }
  double lo = stored - 4.5 * step, hi = stored + 4.5 * step;
  char number[NUMBER_MAX];
  int line = r.y + 2, from = 0, to = 0;
  canvas_hline(c, r.x, r.x + r.w - 1, line, ROLE_AXIS, 0);
  double at = coding_round(q->coding, lo, true);
  for (int i = 0; i < 64 && at <= hi; i++) {
    if (at >= lo) {
      int x = place_of(r, at, lo, hi);
      canvas_vline(c, x, line, at == stored ? line + 1 : line, at == stored ? ROLE_CEILING : ROLE_AXIS, 0);
    }
    double next = coding_next(q->coding, at, 1);
    if (next == at) break;
    at = next;
  }
  if (q->value >= lo && q->value <= hi) {
    int x = place_of(r, q->value, lo, hi), used = 0, end = 0;
    canvas_put(c, x, line - 1, 0x25BE, ROLE_MEASURED, ATTR_BOLD);
    label_at(c, r, x, line - 2, number_key(number, q->value), ROLE_MEASURED, &used, &end);
  }
  canvas_put(c, place_of(r, stored, lo, hi), line, 0xD7, ROLE_CEILING, 0);
  label_at(c, r, place_of(r, stored, lo, hi), line + 2, number_key(number, stored), ROLE_CEILING, &from, &to);
  double next = coding_next(q->coding, stored, 1), before = coding_next(q->coding, stored, -1);
  if (next != stored && next <= hi) label_at(c, r, place_of(r, next, lo, hi) + 4, line + 2, number_key(number, next), ROLE_DIM, &from, &to);
  if (before != stored && before >= lo)
    label_at(c, r, place_of(r, before, lo, hi) - 4, line + 2, number_key(number, before), ROLE_DIM, &from, &to);
}

/* Spacing over size, at most: level for numbers with all digits (it falls to half before each power of two), a slope up where subnormals
 * lose them, nothing past the largest. */
static void draw_curve(struct plot *p, enum coding k, enum role role, int rank) {
  enum { MOST = 512 };
  double x[MOST] = {0}, y[MOST] = {0};
  int n = p->area.w * 2 < MOST ? p->area.w * 2 : MOST;
  for (int i = 0; i < n; i++) {
    x[i] = p->x.lo * pow(p->x.hi / p->x.lo, n > 1 ? i / (n - 1.0) : 0);
    double size = coding_round(k, x[i], false);
    bool whole = size >= coding_least_normal(k) && coding_part(k)->exponent > 0;
    y[i] = !isfinite(size) || x[i] > coding_largest(k) ? NAN : whole ? exp2(-coding_part(k)->mantissa) : coding_spacing(k, size) / x[i];
    if (y[i] > 1) y[i] = NAN; /* nothing there but 0 */
  }
  plot_curve(p, x, y, n, role);
  for (int i = n * 3 / 5, tries = 0; tries < n; tries++, i = (i + n - 1) % n)
    if (!isnan(y[i])) {
      plot_label(p, x[i], y[i] * 1.6, coding_name(k), "", role, ANCHOR_ABOVE, rank);
      return;
    }
}

void precision_draw_spacing(struct canvas *c, struct rect r, const struct view *v, const struct precision *q) {
  static const enum coding beside[] = {CODING_FP32, CODING_BF16, CODING_FP16, CODING_E4M3, CODING_INT8};
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "1", "size"}, y = {v->axes->y[0], v->axes->y[1], true, "1", "spacing/size"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (beside[i] != q->coding) draw_curve(&p, beside[i], ROLE_ROOF_OTHER, 5);
  draw_curve(&p, q->coding, ROLE_ROOF, 1);
  double size = fabs(q->value), stored = fabs(coding_round(q->coding, q->value, q->saturate));
  if (size > 0 && isfinite(stored)) plot_point(&p, size, coding_spacing(q->coding, stored) / size, 0xD7, ROLE_CEILING);
  plot_end(&p);
}

void precision_draw_line(struct canvas *c, struct rect r, const struct view *v) {
  struct precision q = precision_of(v->world, v->setup);
  if (r.h < 5) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  precision_draw_zoom(c, (struct rect){r.x + 1, r.y, r.w - 2, 5}, &q);
  if (r.h >= 12) precision_draw_spacing(c, (struct rect){r.x, r.y + 6, r.w, r.h - 6}, v, &q);
}
