/* The reuse scene beside the roofline: the ladder's rungs as bars, and the view's own curve: rate over the size, old against new; speed-up
 * over the chain; rate over the sequence; for a machine that cannot be measured from here, traffic over the tile. */
#include <math.h>

#include "model/roof.h"
#include "model/traffic.h"
#include "scenes/reuse.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { SAMPLES = 96 };

void reuse_ladder_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct reuse q = reuse_of(v->world, v->setup);
  struct fact row[FACT_MAX];
  int label = 12, number = 13, n;
  double full = q.peak > 0 ? q.peak : 0;
  int rungs = 0;
  for (int i = 0; (n = reuse_rows(v->world, v->setup, i, row)) > 0; i++) full = fmax(full, fact_value(row, n, "flop_per_s"));
  for (int i = 0; i < r.h && (n = reuse_rows(v->world, v->setup, i, row)) > 0; i++) {
    enum rung rung = (enum rung)(RUNG_PLAIN + i);
    bool now = rung == q.rung;
    enum role role = now ? ROLE_MEASURED : rung == q.against ? ROLE_COMPARE : ROLE_TRAIL;
    double rate = v->hide_measured ? NAN : fact_value(row, n, "flop_per_s");
    struct text t;
    if (now) canvas_text(c, r.x, r.y + i, "▸", -1, role, 0);
    canvas_text(c, r.x + 1, r.y + i, fact_word(row, n, "rung"), label - 1, now ? ROLE_TEXT : ROLE_DIM, 0);
    text_clear(&t);
    if (v->hide_measured)
      text_add(&t, "?");
    else
      text_number(&t, rate, "flop/s");
    canvas_text_right(c, r.x + label, r.x + label + number, r.y + i, t.s, role, 0);
    struct part part = {rate, role, 0, ""};
    int at = label + number + 1;
    rungs++;
    if (r.w > at + 3 && rate > 0) widget_bar(c, (struct rect){r.x + at, r.y + i, r.w - at - 1, 1}, &part, 1, full, q.one_peak);
  }
  /* What the line through the bars is. */
  int columns = r.w - label - number - 2;
  if (rungs < r.h && columns > 12 && q.one_peak > 0 && full >= q.one_peak) {
    int at = r.x + label + number + 1 + (int)(columns * q.one_peak / full) - 4;
    canvas_text(c, at, r.y + rungs, "one core", r.x + r.w - at, ROLE_DIM, 0);
  }
}

/* ---- axes ---- */

void reuse_curve_axes(const struct reuse *q, const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  static const double none[2] = {NAN, NAN};
  double x_lo = 1, x_hi = 256, y_lo = 0.7, y_hi = 300;
  (void)w, (void)s;
  if (q->view == VIEW_TILE) {
    double peak = q->peak > 0 ? q->peak : 1e11;
    x_lo = fmin(48, q->n / 1.5), x_hi = fmax(4096, q->n * 1.5), y_lo = peak / 1000, y_hi = peak * 2;
  } else if (q->view == VIEW_ATTENTION) {
    double peak = q->peak > 0 ? q->peak : 1e11;
    x_lo = fmin(64, q->sequence / 2), x_hi = fmax(16384, q->sequence * 2), y_lo = peak / 20, y_hi = peak * 1.6;
  }
  axis_keep(prev ? prev->x2 : none, x_lo, x_hi, true, out->x2);
  axis_keep(prev ? prev->y2 : none, y_lo, y_hi, true, out->y2);
}

/* ---- curves ---- */

static void draw_series(struct plot *p, const struct reuse_point *point, int n, double now, enum role role, const char *name, int rank) {
  double x[REUSE_POINT_MAX] = {0}, y[REUSE_POINT_MAX] = {0};
  for (int i = 0; i < n; i++) x[i] = point[i].x, y[i] = point[i].y;
  plot_curve(p, x, y, n, role);
  for (int i = 0; i < n; i++)
    if (point[i].x == now && point[i].spread > 0)
      plot_spread(p, x[i], y[i], y[i] * (1 - point[i].spread), y[i] * (1 + point[i].spread), 'o', role);
    else
      plot_point(p, x[i], y[i], 'o', role);
  if (n > 0) plot_label(p, x[n - 1], y[n - 1], name, "", role, ANCHOR_ABOVE, rank);
}

static void draw_rates(struct plot *p, const struct view *v, const struct reuse *q) {
  struct reuse_point point[REUSE_POINT_MAX];
  int n = 0, m = 0;
  if (q->peak > 0) {
    plot_hline(p, q->peak, ROLE_ROOF, false);
    if (p->area.h >= 8) plot_label(p, p->x.lo * 1.3, q->peak, "peak, all cores", "peak", ROLE_ROOF, ANCHOR_ABOVE, 3);
  }
  if (q->one_peak > 0) {
    plot_hline(p, q->one_peak, ROLE_ROOF_OTHER, true);
    if (p->area.h >= 8) plot_label(p, p->x.lo * 1.3, q->one_peak, "one core", "", ROLE_ROOF_OTHER, ANCHOR_BELOW, 4);
  }
  if (!v->hide_measured) {
    m = q->against == q->rung ? 0 : reuse_points_rung(v->world, v->setup, q->against, point);
    draw_series(p, point, m, NAN, ROLE_COMPARE, rung_name(q->against), 2);
    n = reuse_points_rung(v->world, v->setup, q->rung, point);
    draw_series(p, point, n, q->n, v->stale ? ROLE_DIM : ROLE_MEASURED, rung_name(q->rung), 1);
  }
  if (n + m == 0) plot_words(p, p->x.lo, p->x.hi, 0.6, v->hide_measured ? "waits for your guess" : "not measured yet: m", ROLE_DIM);
}

/* Stands on axes of its own: they depend on the matrix alone, so that a moving tile moves nothing but its point. */
static void traffic_axes(const struct reuse *q, double x[2], double y[2]) {
  x[0] = 1, x[1] = fmax(2, exp2(ceil(log2(fmin(4096, q->n)))));
  y[0] = traffic_tile_byte(q->n, q->n, q->element_byte) / 3, y[1] = 2 * traffic_tile_byte(q->n, 1, q->element_byte);
}

static void draw_traffic(struct plot *p, const struct view *v, const struct reuse *q) {
  double x[SAMPLES], y[SAMPLES], least = traffic_tile_byte(q->n, q->n, q->element_byte),
                                 ridge = fact_value(v->fact, v->nfact, "tile_ridge");
  for (int i = 0; i < SAMPLES; i++) {
    x[i] = p->x.lo * pow(p->x.hi / p->x.lo, i / (SAMPLES - 1.0));
    y[i] = traffic_tile_byte(q->n, x[i], q->element_byte);
  }
  plot_hline(p, least, ROLE_GOOD, true);
  plot_label(p, p->x.lo * 1.5, least, "the least: each matrix once", "the least", ROLE_GOOD, ANCHOR_ABOVE, 2);
  plot_curve(p, x, y, SAMPLES, ROLE_MEMORY);
  plot_label(p, x[SAMPLES / 4], y[SAMPLES / 4], "in tiles", "", ROLE_MEMORY, ANCHOR_RIGHT, 2);
  if (ridge > 0 && ridge <= p->x.hi) {
    plot_vline(p, ridge, ROLE_GRID, true);
    plot_label(p, ridge, p->y.lo * pow(p->y.hi / p->y.lo, 0.85), "reaches the ridge", "ridge", ROLE_AXIS, ANCHOR_RIGHT, 3);
  }
  plot_point(p, q->tile, fact_value(v->fact, v->nfact, "tile_byte"), 0xD7, ROLE_CEILING);
}

/* Bytes alone promise the chain's length; the roofs cut it off where arithmetic becomes the limit. */
static void draw_speedup(struct plot *p, const struct view *v, const struct reuse *q) {
  double x[SAMPLES], y[SAMPLES];
  struct reuse at = *q;
  struct reuse_point point[REUSE_POINT_MAX];
  for (int i = 0; i < SAMPLES; i++) {
    at.chain = x[i] = p->x.lo * pow(p->x.hi / p->x.lo, i / (SAMPLES - 1.0));
    struct reuse_pair w = reuse_pair_of(&at, VIEW_FUSION);
    y[i] = roof_time_lower(w.before.flop, w.before.byte, q->peak, q->rate) / roof_time_lower(w.after.flop, w.after.byte, q->peak, q->rate);
  }
  plot_line(p, 1, 1, p->x.hi, p->x.hi, ROLE_TRAIL);
  plot_label(p, 12, 12, "by bytes alone", "bytes", ROLE_TRAIL, ANCHOR_LEFT, 3);
  plot_curve(p, x, y, SAMPLES, ROLE_ROOF);
  plot_label(p, x[SAMPLES * 3 / 4], y[SAMPLES * 3 / 4], "by the roofs", "roofs", ROLE_ROOF, ANCHOR_BELOW, 2);
  plot_point(p, q->chain, fact_value(v->fact, v->nfact, "speedup_by_roofs"), 0xD7, ROLE_CEILING);
  if (v->hide_measured) return;
  int n = reuse_points_chain(v->world, v->setup, point);
  draw_series(p, point, n, q->chain, v->stale ? ROLE_DIM : ROLE_MEASURED, "measured", 1);
}

static void draw_heads(struct plot *p, const struct view *v, const struct reuse *q) {
  double x[SAMPLES], apart[SAMPLES], fused[SAMPLES];
  struct reuse at = *q;
  struct reuse_point point[REUSE_POINT_MAX];
  for (int i = 0; i < SAMPLES; i++) {
    at.sequence = x[i] = p->x.lo * pow(p->x.hi / p->x.lo, i / (SAMPLES - 1.0));
    struct reuse_pair w = reuse_pair_of(&at, VIEW_ATTENTION);
    apart[i] = roof_attainable(q->peak, q->rate, roof_intensity(w.before.flop, w.before.byte));
    fused[i] = roof_attainable(q->peak, q->rate, roof_intensity(w.after.flop, w.after.byte));
  }
  plot_curve(p, x, fused, SAMPLES, ROLE_ROOF);
  plot_curve(p, x, apart, SAMPLES, ROLE_MEMORY);
  plot_label(p, x[SAMPLES / 2], apart[SAMPLES / 2], "unfused, at most", "unfused", ROLE_MEMORY, ANCHOR_BELOW, 2);
  plot_label(p, x[SAMPLES * 2 / 3], fused[SAMPLES * 2 / 3], "fused, at most", "fused", ROLE_ROOF, ANCHOR_ABOVE, 2);
  plot_point(p, q->sequence, fact_value(v->fact, v->nfact, "before_attainable_flop_per_s"), 0xD7, ROLE_CEILING);
  plot_point(p, q->sequence, fact_value(v->fact, v->nfact, "attainable_flop_per_s"), 0xD7, ROLE_CEILING);
  if (v->hide_measured) return;
  int n = reuse_points_attention(v->world, v->setup, false, point);
  draw_series(p, point, n, q->sequence, ROLE_COMPARE, "unfused, measured", 4);
  n = reuse_points_attention(v->world, v->setup, true, point);
  draw_series(p, point, n, q->sequence, v->stale ? ROLE_DIM : ROLE_MEASURED, "fused, measured", 4);
}

void reuse_traffic_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct reuse q = reuse_of(v->world, v->setup);
  double x_range[2], y_range[2];
  traffic_axes(&q, x_range, y_range);
  struct axis x = {x_range[0], x_range[1], true, "n", "tile side"}, y = {y_range[0], y_range[1], true, "byte", "traffic"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  draw_traffic(&p, v, &q);
  plot_end(&p);
}

void reuse_curve_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct reuse q = reuse_of(v->world, v->setup);
  if (q.view == VIEW_TILE && !q.runs) {
    reuse_traffic_draw(c, r, v);
    return;
  }
  struct axis x = {v->axes->x2[0], v->axes->x2[1], true, "n", "matrix size n"};
  struct axis y = {v->axes->y2[0], v->axes->y2[1], true, "flop/s", "reached"};
  struct plot p;
  if (q.view == VIEW_FUSION) x.title = "operations in a row", y.unit = "x", y.title = "times faster, fused";
  if (q.view == VIEW_ATTENTION) x.title = "sequence", y.title = "one head";
  if (!plot_begin(&p, c, r, &x, &y)) return;
  if (q.view == VIEW_TILE)
    draw_rates(&p, v, &q);
  else if (q.view == VIEW_FUSION)
    draw_speedup(&p, v, &q);
  else
    draw_heads(&p, v, &q);
  plot_end(&p);
}
