/* The feed scene's picture: the time line above; below, the device's busy share against the workers, the queue or the cost of an item. */
#include <math.h>

#include "scenes/loader.h"
#include "tui/plot.h"
#include "tui/widget.h"

static enum view_id view_of(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }

double loader_workers_axis(const struct feed *in) {
  struct feed_bound b;
  feed_bound_of(in, &b);
  double most = fmax(fmax(4, ceil(1.6 * b.workers_useful)), in->workers + 1);
  return fmin(most > 8 ? ceil(most / 4) * 4 : most, FEED_WORKERS);
}

void loader_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  struct feed in = loader_feed(s);
  (void)w;
  out->y[0] = 0, out->y[1] = 1.06;
  switch (view_of(s)) {
  case VIEW_QUEUE: {
    struct feed shallow = in; /* the least there is: deeper queues only help */
    shallow.queue = 1;
    double least = floor(loader_busy(&shallow) * 10 - 1) / 10;
    out->x[0] = 1 / 1.2, out->x[1] = fmax(64, in.queue) * 1.2;
    out->y[0] = fmin(fmax(least, 0), 0.8);
    break;
  }
  case VIEW_ITEMS:
    axis_keep(prev ? prev->x : (double[2]){NAN, NAN}, fmin(in.item_s, loader_cost_fed(&in)) / 4, fmax(in.item_s, loader_cost_fed(&in)) * 4,
              true, out->x);
    break;
  default: out->x[0] = 0, out->x[1] = loader_workers_axis(&in);
  }
}

static double busy_bound(struct feed in) {
  struct feed_bound b;
  feed_bound_of(&in, &b);
  return b.busy;
}

/* Where the best that others allow ends and the device is fed. */
static void draw_mark(struct plot *p, double x, const char *before, double shown, const char *unit) {
  struct text t;
  if (!(x > p->x.lo && x < p->x.hi)) return;
  text_clear(&t);
  text_add(&t, before);
  text_number(&t, shown, unit);
  plot_vline(p, x, ROLE_GRID, true);
  plot_label(p, x, p->y.lo + (p->y.hi - p->y.lo) * 0.12, t.s, "", ROLE_AXIS, ANCHOR_RIGHT, 3);
}

static void draw_bound_label(struct plot *p, double x, double y) { plot_label(p, x, y, "at most", "", ROLE_ROOF, ANCHOR_ABOVE, 4); }

/* ---- against workers ---- */

/* This machine's own curve, with a core for the thread in the device's place; then what was measured. */
static void draw_here(struct plot *p, const struct view *v) {
  double x[FEED_WORKERS + 1], y[FEED_WORKERS + 1];
  int n = 0, measured = 0;
  struct request r;
  for (int i = 0; i <= (int)p->x.hi; i++) {
    if (!loader_request(v->setup, i, &r)) continue;
    struct feed here = loader_here(v->world, &r);
    const struct run *run = v->hide_measured ? NULL : loader_find(v->world, &r);
    x[n] = i, y[n++] = busy_bound(here);
    if (!run || isnan(run->busy)) continue;
    measured++;
    plot_point(p, i, run->busy, 'o', v->stale && i == (int)v->setup->v[KNOB_WORKERS] ? ROLE_DIM : ROLE_MEASURED);
  }
  if (n == 0 || isnan(y[0]) || (measured == 0 && v->setup->v[KNOB_DETAIL] < 2)) return;
  plot_curve(p, x, y, n, ROLE_COMPARE);
  plot_label(p, x[n - 1], y[n - 1], "expected here", "here", ROLE_COMPARE, ANCHOR_BELOW, 2);
}

static void draw_workers(struct plot *p, const struct view *v, struct feed in) {
  double x[FEED_WORKERS + 1], y[FEED_WORKERS + 1];
  int n = 0;
  double needed = fact_value(v->fact, v->nfact, "workers_needed"), useful = fact_value(v->fact, v->nfact, "workers_useful");
  double set = in.workers;
  for (int i = 0; i <= (int)p->x.hi; i++) {
    in.workers = i;
    x[n] = i, y[n++] = busy_bound(in);
  }
  plot_curve(p, x, y, n, ROLE_ROOF);
  draw_bound_label(p, x[n - 1] * 0.8, y[n - 1]);
  if (needed > 0)
    draw_mark(p, needed, "fed by ", needed, "n");
  else
    draw_mark(p, useful, "no use beyond ", useful, "n");
  draw_here(p, v);
  plot_point(p, set, fact_value(v->fact, v->nfact, "device_busy"), 0xD7, ROLE_CEILING);
}

/* ---- against the queue ---- */

static void draw_queue(struct plot *p, const struct view *v) {
  double x[LOADER_DEPTHS], y[LOADER_DEPTHS], bound = fact_value(v->fact, v->nfact, "busy_bound");
  const struct fact *at = fact_find(v->fact, v->nfact, "busy_queue_1");
  for (int i = 0; i < LOADER_DEPTHS; i++) x[i] = ldexp(1, i), y[i] = at[i].value;
  plot_hline(p, bound, ROLE_ROOF, false);
  draw_bound_label(p, p->x.lo * 1.5, bound);
  plot_curve(p, x, y, LOADER_DEPTHS, ROLE_CEILING);
  plot_point(p, v->setup->v[KNOB_QUEUE], fact_value(v->fact, v->nfact, "device_busy"), 0xD7, ROLE_CEILING);
}

/* ---- against the cost of an item ---- */

enum { SAMPLES = 120 };

static void draw_items(struct plot *p, const struct view *v, struct feed in) {
  double x[SAMPLES], y[SAMPLES], set = in.item_s;
  for (int i = 0; i < SAMPLES; i++) {
    in.item_s = x[i] = p->x.lo * pow(p->x.hi / p->x.lo, i / (SAMPLES - 1.0));
    y[i] = busy_bound(in);
  }
  plot_curve(p, x, y, SAMPLES, ROLE_ROOF);
  draw_bound_label(p, x[SAMPLES / 8], y[SAMPLES / 8]);
  double fed = fact_value(v->fact, v->nfact, "cost_fed");
  draw_mark(p, fed, "fed up to ", fed, "s");
  plot_point(p, set, fact_value(v->fact, v->nfact, "device_busy"), 0xD7, ROLE_CEILING);
}

static void draw_plot(struct canvas *c, struct rect r, const struct view *v) {
  struct feed in = loader_feed(v->setup);
  struct axis y = {v->axes->y[0], v->axes->y[1], false, "%", "device busy"};
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "n", "loader workers"};
  struct plot p;
  if (view_of(v->setup) == VIEW_QUEUE) x = (struct axis){x.lo, x.hi, true, "n", "batches the queue holds"};
  if (view_of(v->setup) == VIEW_ITEMS) x = (struct axis){x.lo, x.hi, true, "s", "cost of an item"};
  if (!plot_begin(&p, c, r, &x, &y)) return;
  switch (view_of(v->setup)) {
  case VIEW_QUEUE: draw_queue(&p, v); break;
  case VIEW_ITEMS: draw_items(&p, v, in); break;
  default: draw_workers(&p, v, in); break;
  }
  double guess = v->setup->v[KNOB_GUESS];
  if (!isnan(guess) && view_of(v->setup) == VIEW_WORKERS) plot_point(&p, in.workers, guess, '?', ROLE_GUESS);
  plot_end(&p);
}

void loader_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct feed in = loader_feed(v->setup);
  if (r.h < 5 || r.w < 20) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  int top = view_of(v->setup) == VIEW_LANES || r.h < 12 ? r.h : loader_lanes_height(&in, r.h);
  loader_lanes(c, (struct rect){r.x, r.y, r.w, top}, v);
  if (r.h - top >= 5) draw_plot(c, (struct rect){r.x, r.y + top, r.w, r.h - top}, v);
}
