/* The offload scene's picture: the time line of one trip above, both times against size below, with this machine's measured curve. */
#include <math.h>

#include "scenes/engines.h"
#include "scenes/offload.h"
#include "scenes/offload_group.h"
#include "tui/plot.h"
#include "tui/widget.h"

static double device_time(struct crossing_in in, double n) {
  struct crossing_out out;
  in.n = n;
  crossing_of(&in, &out);
  return out.device_time;
}

static double host_time(struct crossing_in in, double n) {
  struct crossing_out out;
  in.n = n;
  crossing_of(&in, &out);
  return out.host_time;
}

/* The window shows the device's curve from its fixed costs on, and the host's a decade or so either side of it: the crossing is inside, and
 * a moving n moves nothing. */
void offload_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  (void)w;
  if (group_view(s)) {
    group_axes(s, out);
    return;
  }
  struct crossing_in in = offload_in(s);
  double lo = 32, hi = 8192, tie = crossing_n(&in);
  for (int i = 0; i < 2; i++) {
    double n = i ? tie : in.n;
    while (n > 0 && n < lo * 1.1 && lo > 1e-3) lo /= 2;
    while (n > hi / 1.1 && hi < 1e11) hi *= 2;
  }
  double y_lo = device_time(in, lo) / 20, y_hi = device_time(in, hi) * 20;
  if (!(y_lo > 0) || !isfinite(y_hi)) y_lo = host_time(in, lo), y_hi = host_time(in, hi);
  if (!(y_lo > 0) || !isfinite(y_hi)) y_lo = 1e-6, y_hi = 1;
  axis_keep(prev ? prev->x : (double[2]){NAN, NAN}, lo, hi, true, out->x);
  axis_keep(prev ? prev->y : (double[2]){NAN, NAN}, y_lo, y_hi, true, out->y);
}

enum { SAMPLES = 160 };

static void draw_curves(struct plot *p, const struct view *v, const struct crossing_in *in) {
  double x[SAMPLES], y[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    x[i] = p->x.lo * pow(p->x.hi / p->x.lo, i / (SAMPLES - 1.0));
    y[i] = device_time(*in, x[i]);
  }
  if (v->setup->v[KNOB_DETAIL] > 1 && in->device_flop_per_s > 0) {
    double c0 = 2 * in->reuse * pow(p->x.lo, 3) / in->device_flop_per_s, c1 = 2 * in->reuse * pow(p->x.hi, 3) / in->device_flop_per_s;
    plot_line(p, p->x.lo, c0, p->x.hi, c1, ROLE_ROOF_OTHER);
    plot_label(p, p->x.hi / 2, c1 / 8, "arithmetic alone", "", ROLE_ROOF_OTHER, ANCHOR_BELOW, 5);
  }
  plot_line(p, p->x.lo, host_time(*in, p->x.lo), p->x.hi, host_time(*in, p->x.hi), ROLE_COMPUTE);
  plot_curve(p, x, y, SAMPLES, ROLE_ROOF);
  plot_label(p, x[SAMPLES / 10], y[SAMPLES / 10], "by the device", "device", ROLE_ROOF, ANCHOR_ABOVE, 2);
  double top = cbrt(p->y.hi / 4 * in->host_flop_per_s / (2 * in->reuse));
  if (top > p->x.hi) top = p->x.hi / 2;
  plot_label(p, top, host_time(*in, top), "on the host", "host", ROLE_COMPUTE, ANCHOR_LEFT, 2);
}

static void draw_measured(struct plot *p, const struct view *v) {
  struct host_point point[HOST_POINT_MAX];
  double x[HOST_POINT_MAX], y[HOST_POINT_MAX];
  int n = offload_host_points(v->world, v->setup, point, HOST_POINT_MAX);
  enum role role = v->stale ? ROLE_DIM : ROLE_MEASURED;
  for (int i = 0; i < n; i++) x[i] = point[i].n, y[i] = point[i].s;
  if (p->area.h >= 14) plot_curve(p, x, y, n, role); /* lower down the line would cover the model's */
  for (int i = 0; i < n; i++) {
    double spread = point[i].spread;
    if (point[i].n == v->setup->v[KNOB_N_SIZE] && spread > 0)
      plot_spread(p, x[i], y[i], y[i] * (1 - spread), y[i] * (1 + spread), 'o', role);
    else
      plot_point(p, x[i], y[i], 'o', role);
  }
  if (n > 0) plot_label(p, x[n - 1], y[n - 1], "measured here", "here", role, ANCHOR_RIGHT, 3);
}

static void draw_plot(struct canvas *c, struct rect r, const struct view *v, const struct crossing_in *in) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "element", "matrix size n"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "s", "time"};
  struct plot p;
  struct text tie;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  double n = in->n, cross = fact_value(v->fact, v->nfact, "crossover_n");
  if (cross > 0) {
    plot_vline(&p, cross, ROLE_GRID, true);
    text_clear(&tie);
    text_add(&tie, "tie at ");
    text_count(&tie, round(cross));
    plot_label(&p, cross, p.y.lo * pow(p.y.hi / p.y.lo, 0.12), tie.s, "", ROLE_AXIS, ANCHOR_RIGHT, 4);
    plot_words(&p, p.x.lo, cross, 0, "host wins", ROLE_COMPUTE);
    plot_words(&p, cross, p.x.hi, 0, "device wins", ROLE_ROOF);
  }
  draw_curves(&p, v, in);
  if (!v->hide_measured) draw_measured(&p, v);
  plot_point(&p, n, fact_value(v->fact, v->nfact, "host_time"), 0xD7, ROLE_CEILING);
  plot_point(&p, n, fact_value(v->fact, v->nfact, "device_time"), 0xD7, ROLE_CEILING);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(&p, n, v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  plot_end(&p);
}

void offload_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct crossing_in in = offload_in(v->setup);
  double measured = v->hide_measured ? NAN : fact_value(v->fact, v->nfact, "host_measured_time");
  int top = engines_height(r.h);
  if (r.h < 5 || r.w < 16) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  if (group_view(v->setup)) {
    group_draw(c, r, v);
    return;
  }
  engines_draw(c, (struct rect){r.x, r.y, r.w, top < r.h ? top : r.h}, &in, measured);
  if (r.h - top >= 4) draw_plot(c, (struct rect){r.x, r.y + top, r.w, r.h - top}, v, &in);
}
