/* The precision scene's axes; the sum that stalls; the gradients and where the format ends; which view is drawn. */
#include <math.h>

#include "model/accumulate.h"
#include "model/gradient.h"
#include "scenes/precision.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { CURVE_MAX = 256 };

static double known(const struct view *v, const char *name) { return fact_value(v->fact, v->nfact, name); }

static void axes_sum(const struct setup *s, double x[2], double y[2]) {
  double terms = s->v[KNOB_TERMS], exact = terms * s->v[KNOB_TERM], lo = fmin(0, exact) * 1.05, hi = fmax(0, exact) * 1.05;
  if (exact == 0) hi = 1;
  axis_round(&lo, &hi, false, 1);
  x[0] = 0, x[1] = terms * 1.08, y[0] = lo, y[1] = hi;
}

static void axes_gradients(const struct precision *q, const struct setup *s, const double *prev, double x[2]) {
  double typical = s->v[KNOB_GRADIENT], wide = exp2(3.5 * GRADIENT_OCTAVES), scaled = typical * s->v[KNOB_LOSS_SCALE];
  double lo = fmin(typical / wide, 1e-9), hi = fmax(scaled * wide, 1e6);
  (void)q;
  axis_round(&lo, &hi, true, 4);
  axis_keep(prev, lo, hi, true, x);
}

void precision_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  static const double none[2] = {NAN, NAN};
  struct precision q = precision_of(w, s);
  const double *px = prev ? prev->x : none;
  double size = fabs(q.value);
  out->x2[0] = out->x2[1] = out->y2[0] = out->y2[1] = NAN;
  switch (q.view) {
  case VIEW_SUM: axes_sum(s, out->x, out->y); break;
  case VIEW_GRADIENTS:
    axes_gradients(&q, s, px, out->x);
    out->y[0] = 0, out->y[1] = 1.1;
    break;
  case VIEW_SCALE: {
    double most = fmax(s->v[KNOB_RANGE], s->v[KNOB_OUTLIER]) * 1.05, least = -s->v[KNOB_RANGE] * 1.05;
    out->x[0] = least, out->x[1] = most, out->y[0] = 0, out->y[1] = 1.1;
    break;
  }
  case VIEW_BITS:
  case VIEW_LINE: {
    double lo = size > 0 ? fmin(size / 10, 1e-9) : 1e-9, hi = fmax(size * 10, 1e6);
    axis_round(&lo, &hi, true, 2);
    axis_keep(px, fmax(lo, 1e-280), fmin(hi, 1e280), true, out->x);
    out->y[0] = q.coding == CODING_FP64 ? 1e-17 : 1e-8, out->y[1] = 3;
    break;
  }
  default:
    out->x[0] = fmin(2, q.bits), out->x[1] = 40;
    out->y[0] = 1e-5, out->y[1] = 1.5;
    break;
  }
}

/* ---- the sum ---- */

static void draw_sum_curve(struct plot *p, const struct view *v, enum coding k, enum role role, const char *name, int rank) {
  double x[CURVE_MAX], y[CURVE_MAX];
  struct accumulate a;
  int n = p->area.w * 2 < CURVE_MAX ? p->area.w * 2 : CURVE_MAX;
  accumulate_start(&a, k, precision_term(v->setup));
  for (int i = 0; i < n; i++) {
    x[i] = n > 1 ? floor(v->setup->v[KNOB_TERMS] * i / (n - 1.0)) : 0;
    accumulate_to(&a, x[i]);
    y[i] = isfinite(a.sum) ? a.sum : NAN;
  }
  plot_curve(p, x, y, n, role);
  for (int i = n - 1; i >= 0; i--)
    if (!isnan(y[i])) {
      plot_label(p, x[i * 9 / 10], y[i * 9 / 10], name, "", role, y[i] > 0 ? ANCHOR_ABOVE : ANCHOR_BELOW, rank);
      return;
    }
}

static void draw_sum(struct canvas *c, struct rect r, const struct view *v) {
  static const enum coding beside[] = {CODING_FP32, CODING_FP16, CODING_BF16, CODING_E4M3};
  struct precision q = precision_of(v->world, v->setup);
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "1", "terms added"}, y = {v->axes->y[0], v->axes->y[1], false, "1", "sum"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (beside[i] != q.sum_coding) draw_sum_curve(&p, v, beside[i], ROLE_ROOF_OTHER, coding_name(beside[i]), 4);
  draw_sum_curve(&p, v, q.sum_coding, ROLE_ROOF, coding_name(q.sum_coding), 1);
  plot_point(&p, v->setup->v[KNOB_TERMS], known(v, "exact_sum"), 0xD7, ROLE_CEILING);
  plot_label(&p, v->setup->v[KNOB_TERMS], known(v, "exact_sum"), "exactly", "", ROLE_CEILING, ANCHOR_LEFT, 0);
  double stalled = known(v, "stalled_after");
  if (stalled < v->setup->v[KNOB_TERMS]) {
    plot_vline(&p, stalled, ROLE_GRID, true);
    plot_label(&p, stalled, known(v, "sum"), "stalls", "", ROLE_WARN, ANCHOR_BELOW, 2);
  }
  plot_end(&p);
}

/* ---- gradients ---- */

static void draw_bell(struct plot *p, double typical, enum role role) {
  double x[CURVE_MAX], y[CURVE_MAX];
  int n = p->area.w * 2 < CURVE_MAX ? p->area.w * 2 : CURVE_MAX;
  for (int i = 0; i < n; i++) {
    double at = p->x.lo * pow(p->x.hi / p->x.lo, n > 1 ? i / (n - 1.0) : 0), z = log2(at / typical) / GRADIENT_OCTAVES;
    x[i] = at, y[i] = exp(-z * z / 2);
  }
  plot_curve(p, x, y, n, role);
}

static void draw_gradients(struct canvas *c, struct rect r, const struct view *v) {
  struct precision q = precision_of(v->world, v->setup);
  double typical = v->setup->v[KNOB_GRADIENT], scale = v->setup->v[KNOB_LOSS_SCALE];
  double least = coding_least_subnormal(q.coding) / 2, normal = coding_least_normal(q.coding), most = coding_largest(q.coding);
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "1", "size of gradients, scaled"}, y = {0, v->axes->y[1], false, "1", "how many"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  if (scale > 1) draw_bell(&p, typical, ROLE_TRAIL);
  draw_bell(&p, typical * scale, ROLE_ROOF);
  double edge[] = {p.x.lo, fmin(fmax(least, p.x.lo), p.x.hi), fmin(fmax(normal, p.x.lo), p.x.hi), fmin(fmax(most, p.x.lo), p.x.hi), p.x.hi};
  static const char *const word[] = {"become 0", "lose digits", "kept", "too large"};
  static const enum role role[] = {ROLE_BAD, ROLE_WARN, ROLE_GOOD, ROLE_BAD};
  for (int i = 0; i < 4; i++) {
    if (i > 0 && edge[i] > p.x.lo && edge[i] < p.x.hi) plot_vline(&p, edge[i], role[i == 3 ? 3 : i], true);
    if (edge[i + 1] > edge[i] * 4) plot_words(&p, edge[i], edge[i + 1], i % 2 ? 0.07 : 0, word[i], role[i]);
  }
  if (scale > 1) plot_label(&p, typical, 1, "unscaled", "", ROLE_TRAIL, ANCHOR_BELOW, 3);
  plot_end(&p);
}

void precision_draw(struct canvas *c, struct rect r, const struct view *v) {
  if (r.h < 4 || r.w < 16) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  switch ((enum view_id)(int)v->setup->v[KNOB_VIEW]) {
  case VIEW_BITS: precision_draw_bits(c, r, v); break;
  case VIEW_LINE: precision_draw_line(c, r, v); break;
  case VIEW_SUM: draw_sum(c, r, v); break;
  case VIEW_GRADIENTS: draw_gradients(c, r, v); break;
  case VIEW_SCALE: precision_draw_scale(c, r, v); break;
  default: precision_draw_storage(c, r, v); break;
  }
}
