/* The lab's pictures of curves: rates claimed and true, a long run, one core against all; and the axes of every view. */
#include <math.h>

#include "model/sampling.h"
#include "scenes/lab.h"
#include "scenes/lab_record.h"
#include "tui/plot.h"
#include "tui/widget.h"

static const double UNKNOWN_TIME_S = 1e-3, UNKNOWN_RATE = 1e10;

/* ---- axes: round, so that they stay where they are while samples come in ---- */

static void axes_first(const struct run *r, struct axes *out) {
  double most = r ? r->warmup_time : UNKNOWN_TIME_S;
  for (int i = 0; r && i < r->count && i < RUN_FIRST; i++) most = fmax(most, r->first[i]);
  out->x[0] = -0.7, out->x[1] = RUN_FIRST + 0.7;
  out->y[0] = 0, out->y[1] = most * 1.05;
  axis_round(&out->y[0], &out->y[1], false, 0);
}

static void axes_spread(const struct run *r, struct axes *out) {
  struct histogram h = {.n = 0};
  int most = 10;
  if (r) histogram_of(r->reservoir, NULL, 0, r->count < RUN_RESERVOIR ? r->count : RUN_RESERVOIR, LAB_HISTOGRAM, &h);
  for (int i = 0; i < h.n; i++) most = h.count[i] > most ? h.count[i] : most;
  double lo = h.n ? h.lo : UNKNOWN_TIME_S, hi = h.n ? h.lo + h.n * h.width : 2 * UNKNOWN_TIME_S, edge = (hi - lo) * 0.04;
  out->x[0] = lo - edge, out->x[1] = hi + edge;
  out->y[0] = 0, out->y[1] = most * 1.3; /* room for the words above */
  axis_round(&out->y[0], &out->y[1], false, 0);
}

static void widen(double v, double lo_hi[2]) {
  if (!(v > 0) || !isfinite(v)) return;
  if (!(lo_hi[0] <= v)) lo_hi[0] = v;
  if (!(lo_hi[1] >= v)) lo_hi[1] = v;
}

static double async_rate(const struct world *w, const struct setup *s, bool wait, double fma) {
  struct request r = lab_async(s, wait, fma);
  return work_of(r.op, r.shape, r.dtype).flop / lab_time(w, &r);
}

static double async_flop(const struct setup *s, double fma) {
  struct request r = lab_async(s, false, fma);
  return work_of(r.op, r.shape, r.dtype).flop;
}

static void axes_async(const struct world *w, const struct setup *s, struct axes *out) {
  struct fact f[FACT_MAX];
  int n = scene_lab.facts(w, s, f);
  double y[2] = {NAN, NAN}, roof = fact_value(f, n, "roof_flop_per_s");
  widen(roof > 0 ? roof : UNKNOWN_RATE, y);
  widen(y[0] / 30, y);
  widen(y[1] * 1e3, y);
  for (double fma = 1; fma <= 256; fma *= 2) widen(async_rate(w, s, false, fma), y), widen(async_rate(w, s, true, fma), y);
  out->x[0] = async_flop(s, 1) / 1.5, out->x[1] = async_flop(s, 256) * 1.5;
  axis_round(&y[0], &y[1], true, 3);
  out->y[0] = y[0], out->y[1] = y[1];
}

static void axes_long(const struct world *w, const struct setup *s, const struct run *r, struct axes *out) {
  double seconds = s->v[KNOB_SECONDS], rate = NAN, clock = w->device[DEVICE_HERE].machine.clock_hz;
  struct request brief = lab_request(s, lab_short(s));
  const struct run *burst = lab_find(w, &brief);
  struct lab_line line = {.n = 0};
  if (r) lab_line_of(r, &line);
  if (burst && burst->flop > 0) rate = burst->flop / burst->median;
  for (int i = 0; i < line.n; i++) {
    if (line.at[i] > seconds) seconds = line.at[i];
    if (!(rate >= line.rate[i])) rate = line.rate[i];
    if (!(clock >= line.clock[i])) clock = line.clock[i];
  }
  out->x[0] = out->y[0] = out->x2[0] = out->y2[0] = 0;
  out->x[1] = out->x2[1] = seconds;
  out->y[1] = 1.15 * (rate > 0 ? rate : UNKNOWN_RATE);
  out->y2[1] = 1.15 * (clock > 0 ? clock : 3e9);
  axis_round(&out->y[0], &out->y[1], false, 0);
  axis_round(&out->y2[0], &out->y2[1], false, 0);
}

static void axes_small(const struct world *w, const struct setup *s, struct axes *out) {
  double y[2] = {NAN, NAN};
  for (int i = 0; i < LAB_SIZES; i++)
    for (int one = 0; one < 2; one++) {
      struct request r = lab_small(s, lab_size(s, i), one);
      widen(lab_time(w, &r), y);
    }
  widen(isnan(y[0]) ? 1e-8 : y[0], y);
  widen(isnan(y[0]) || y[1] < 1e-5 ? 1e-5 : y[1], y);
  out->x[0] = lab_size(s, 0) / 1.4, out->x[1] = lab_size(s, LAB_SIZES - 1) * 1.4;
  axis_round(&y[0], &y[1], true, 2);
  out->y[0] = y[0], out->y[1] = y[1];
}

void lab_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  (void)prev;
  struct request r = lab_request(s, s->v[KNOB_SECONDS]);
  const struct run *run = lab_find(w, &r);
  switch (lab_view(s)) {
  case VIEW_FIRST: axes_first(run, out); break;
  case VIEW_SPREAD: axes_spread(run, out); break;
  case VIEW_ASYNC: axes_async(w, s, out); break;
  case VIEW_SUSTAINED: axes_long(w, s, run, out); break;
  case VIEW_RECORD: break;
  case VIEW_COST: lab_cost_axes(w, s, out); break;
  case VIEW_ARRIVAL: lab_arrival_axes(w, s, out); break;
  default: axes_small(w, s, out); break;
  }
}

/* ---- async ---- */

static void draw_async(struct canvas *c, struct rect r, const struct view *v) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop", "work handed over"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  double roof = fact_value(v->fact, v->nfact, "roof_flop_per_s");
  if (roof > 0) {
    plot_hline(&p, roof, ROLE_ROOF, false);
    plot_line_label(&p, p.x.lo, roof, p.x.hi, roof, "roof: at most this", "roof", ROLE_ROOF, 1);
    plot_words(&p, p.x.lo, p.x.hi, 0, "impossible: above the roof", ROLE_BAD);
  }
  double px[2][9], py[2][9], chosen = v->setup->v[KNOB_FMA];
  int n[2] = {0, 0};
  for (int wait = 0; wait < 2 && !v->hide_measured; wait++) {
    enum role role = v->stale ? ROLE_DIM : wait ? ROLE_MEASURED : ROLE_BAD;
    for (double fma = 1; fma <= 256; fma *= 2) {
      double rate = async_rate(v->world, v->setup, wait, fma);
      if (!(rate > 0)) continue;
      px[wait][n[wait]] = async_flop(v->setup, fma);
      py[wait][n[wait]++] = rate;
      if (fma != chosen) plot_point(&p, async_flop(v->setup, fma), rate, wait ? 'o' : '!', role);
    }
    double rate = async_rate(v->world, v->setup, wait, chosen);
    if (rate > 0) plot_point(&p, async_flop(v->setup, chosen), rate, wait ? 'O' : '!', role);
    plot_curve(&p, px[wait], py[wait], n[wait], role);
    if (n[wait] > 0)
      plot_label(&p, px[wait][n[wait] / 2], py[wait][n[wait] / 2], wait ? "waited for" : "not waited for", "", role, ANCHOR_BELOW, 2);
  }
  if (chosen > 0) plot_vline(&p, async_flop(v->setup, chosen), ROLE_GRID, true);
  if (n[0] + n[1] == 0) plot_words(&p, p.x.lo, p.x.hi, 0.5, v->hide_measured ? "your guess?" : "not timed yet: m", ROLE_DIM);
  plot_end(&p);
}

/* ---- sustained ---- */

/* Stretches in which it was not looked at are bridged. */
static void draw_line(struct plot *p, const struct lab_line *line, const double *value, enum role role) {
  double x[RUN_BUCKET] = {0}, y[RUN_BUCKET] = {0};
  int n = 0;
  for (int i = 0; i < line->n; i++)
    if (value[i] > 0 && isfinite(line->at[i])) x[n] = line->at[i], y[n++] = value[i];
  plot_curve(p, x, y, n, role);
  if (n > 0) plot_point(p, x[n - 1], y[n - 1], 'o', role); /* where it is now */
}

static void draw_long(struct canvas *c, struct rect r, const struct view *v) {
  struct request wanted = lab_request(v->setup, v->setup->v[KNOB_SECONDS]);
  const struct run *run = v->hide_measured ? NULL : lab_find(v->world, &wanted);
  struct lab_line line = {.n = 0};
  struct plot p;
  int below = r.h >= 15 ? r.h * 2 / 5 : 0; /* rows of the clock */
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "s", "into the run"}, y = {v->axes->y[0], v->axes->y[1], false, "flop/s", "rate"};
  double drop = fact_value(v->fact, v->nfact, "drop_at"), burst = fact_value(v->fact, v->nfact, "burst_flop_per_s");
  enum role role = v->stale ? ROLE_DIM : ROLE_MEASURED;
  if (run) lab_line_of(run, &line);
  if (plot_begin(&p, c, (struct rect){r.x, r.y, r.w, r.h - below}, &x, &y)) {
    if (burst > 0 && !v->hide_measured) {
      plot_hline(&p, burst, ROLE_COMPARE, true);
      plot_label(&p, p.x.lo + (p.x.hi - p.x.lo) * 0.98, burst, "what a short run says", "short run", ROLE_COMPARE, ANCHOR_ABOVE, 2);
    }
    if (drop > 0) {
      plot_vline(&p, drop, ROLE_BAD, true);
      plot_label(&p, drop, p.y.lo + (p.y.hi - p.y.lo) * 0.15, "the drop", "", ROLE_BAD, ANCHOR_RIGHT, 1);
    }
    draw_line(&p, &line, line.rate, role);
    if (line.n == 0) plot_words(&p, p.x.lo, p.x.hi, 0.5, v->hide_measured ? "your guess?" : "not run yet: m", ROLE_DIM);
    plot_end(&p);
  }
  if (below == 0) return;
  struct axis x2 = {v->axes->x2[0], v->axes->x2[1], false, "s", "into the run"},
              y2 = {v->axes->y2[0], v->axes->y2[1], false, "Hz", "clock"};
  if (!plot_begin(&p, c, (struct rect){r.x, r.y + r.h - below, r.w, below}, &x2, &y2)) return;
  if (drop > 0) plot_vline(&p, drop, ROLE_BAD, true);
  draw_line(&p, &line, line.clock, v->stale ? ROLE_DIM : ROLE_COMPUTE);
  plot_end(&p);
}

/* ---- small ---- */

static void draw_tie(struct plot *p, double n, const char *what, double share, enum role role, int rank) {
  struct text t;
  if (!(n > 0)) return;
  text_clear(&t);
  text_add(&t, what);
  text_count(&t, lab_round(n));
  plot_vline(p, n, role, true);
  plot_label(p, n, p->y.lo * pow(p->y.hi / p->y.lo, share), t.s, "", role, ANCHOR_RIGHT, rank);
}

static void draw_small(struct canvas *c, struct rect r, const struct view *v) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "element", "size n"}, y = {v->axes->y[0], v->axes->y[1], true, "s", "time"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  double tie = fact_value(v->fact, v->nfact, "measured_n"), start = fact_value(v->fact, v->nfact, "dispatch_time");
  int shown = 0;
  if (start > 0 && !v->hide_measured) {
    plot_hline(&p, start, ROLE_FIXED, true);
    plot_label(&p, p.x.hi / 1.5, start, "a start of the team", "a start", ROLE_FIXED, ANCHOR_BELOW, 3);
  }
  if (tie > 0 && !v->hide_measured) {
    plot_words(&p, p.x.lo, tie, 0, "one core wins", ROLE_COMPUTE);
    plot_words(&p, tie, p.x.hi, 0, "all cores win", ROLE_MEASURED);
  }
  draw_tie(&p, v->hide_measured ? NAN : tie, "tie at ", 0.1, ROLE_GRID, 1);
  draw_tie(&p, v->hide_measured ? NAN : fact_value(v->fact, v->nfact, "predicted_n"), "predicted ", 0.02, ROLE_CEILING, 4);
  for (int one = 1; one >= 0 && !v->hide_measured; one--) {
    enum role role = v->stale ? ROLE_DIM : one ? ROLE_COMPUTE : ROLE_MEASURED;
    double px[LAB_SIZES], py[LAB_SIZES];
    int n = 0;
    for (int i = 0; i < LAB_SIZES; i++) {
      struct request wanted = lab_small(v->setup, lab_size(v->setup, i), one);
      double time = lab_time(v->world, &wanted);
      if (!(time > 0)) continue;
      px[n] = lab_size(v->setup, i), py[n++] = time;
      plot_point(&p, px[n - 1], time, one ? '1' : 'o', role);
    }
    plot_curve(&p, px, py, n, role);
    if (n > 0)
      plot_label(&p, px[one ? n / 2 : 0], py[one ? n / 2 : 0], one ? "one core" : "all cores", "", role, one ? ANCHOR_BELOW : ANCHOR_ABOVE,
                 2);
    shown += n;
  }
  if (!shown) plot_words(&p, p.x.lo, p.x.hi, 0.5, v->hide_measured ? "your guess?" : "not timed yet: m", ROLE_DIM);
  plot_end(&p);
}

void lab_draw(struct canvas *c, struct rect r, const struct view *v) {
  if (r.h < 5 || r.w < 16) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  switch (lab_view(v->setup)) {
  case VIEW_FIRST: lab_draw_first(c, r, v); break;
  case VIEW_SPREAD: lab_draw_spread(c, r, v); break;
  case VIEW_ASYNC: draw_async(c, r, v); break;
  case VIEW_SUSTAINED: draw_long(c, r, v); break;
  case VIEW_RECORD: lab_record_draw(c, r, v); break;
  case VIEW_COST: lab_cost_draw(c, r, v); break;
  case VIEW_ARRIVAL: lab_arrival_draw(c, r, v); break;
  default: draw_small(c, r, v); break;
  }
}
