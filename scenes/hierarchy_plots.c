/* The hierarchy scene's plots: the measured staircase of rate and latency, the rate asked for against the stride, the rate against the
 * number of chains. */
#include <math.h>
#include <string.h>

#include "model/access.h"
#include "model/ladder.h"
#include "scenes/hierarchy.h"
#include "tui/plot.h"
#include "tui/widget.h"

static const struct device *device_of(const struct view *v) { return &v->world->device[(int)v->setup->v[KNOB_DEVICE]]; }
static double fact(const struct view *v, const char *name) { return fact_value(v->fact, v->nfact, name); }
static enum role role_of(const struct view *v) { return v->stale ? ROLE_DIM : ROLE_MEASURED; }

void hierarchy_curve(struct plot *p, const struct stair *s, enum role role) {
  double x[STAIR_MAX], y[STAIR_MAX];
  for (int i = 0; i < s->n; i++) x[i] = s->point[i].byte, y[i] = s->point[i].value;
  if (s->n > 0) plot_curve(p, x, y, s->n, role);
}

/* ---- axes ---- */
static void range_take(double range[2], double v) {
  if (!(v > 0) || isinf(v)) return;
  if (!(range[0] <= v)) range[0] = v;
  if (!(range[1] >= v)) range[1] = v;
}

static const double *kept(const double axis[2]) {
  static const double none[2] = {NAN, NAN};
  return axis ? axis : none;
}

void hierarchy_latency_axis(const struct device *d, const struct axes *prev, struct axes *out) {
  const struct stair *s = &d->machine.stair[STAIR_LATENCY];
  double y[2] = {NAN, NAN};
  for (int i = 0; i < s->n; i++) range_take(y, s->point[i].value);
  for (int i = 0; i < d->nlevel; i++) range_take(y, d->level[i].latency_s.value);
  if (!(y[0] > 0)) y[0] = 1e-9, y[1] = 1e-7;
  axis_keep(kept(prev ? prev->y2 : NULL), y[0] / 1.3, y[1] * 1.3, true, out->y2);
  memcpy(out->x2, out->x, sizeof out->x2);
}

static void stride_axes(const struct world *w, const struct device *d, double set, const struct axes *prev, struct axes *out) {
  double y[2] = {NAN, NAN}, stride[STRIDES_MAX];
  int n = hierarchy_strides(w, INFINITY, stride);
  for (int i = 0; i < n; i++) {
    struct request r = hierarchy_strided(set, stride[i]);
    range_take(y, hierarchy_asked_rate(d, set, stride[i]));
    range_take(y, hierarchy_measured_rate(w, &r));
  }
  if (!(y[0] > 0)) y[0] = 1e8, y[1] = 1e10;
  axis_keep(kept(prev ? prev->x : NULL), 3, 1.5e6, true, out->x);
  axis_keep(kept(prev ? prev->y : NULL), y[0] / 1.5, y[1] * 1.5, true, out->y);
}

static void chain_axes(const struct world *w, const struct device *d, double set, const struct axes *prev, struct axes *out) {
  double most = NAN;
  for (double chains = 1; chains <= 8; chains *= 2) {
    struct request r = hierarchy_chained(set, chains);
    most = fmax(most, fmax(hierarchy_chain_rate(d, set, chains), hierarchy_measured_rate(w, &r)));
  }
  double limit = hierarchy_one_thread_rate(d, set);
  if (limit < 4 * most) most = fmax(most, limit);
  if (!(most > 0)) most = 1e9;
  out->x[0] = 0, out->x[1] = 9;
  axis_keep(kept(prev ? prev->y : NULL), 0, most * 1.15, false, out->y);
}

void hierarchy_plot_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  *out = (struct axes){{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
  (hierarchy_view(s) == VIEW_STRIDE ? stride_axes : chain_axes)(w, d, s->v[KNOB_WORKING_SET], prev, out);
}

/* ---- the staircase ---- */

/* Declared sizes as dashed verticals with their names; a knee as a mark on the plateau it ends. */
static void mark_levels(struct plot *p, const struct device *d, bool named) {
  for (int i = 0; i + 1 < d->nlevel; i++) {
    double size = ladder_byte(d, i);
    if (!(size > p->x.lo && size < p->x.hi)) continue;
    plot_vline(p, size, ROLE_GRID, true);
    if (named)
      plot_words(p, i > 0 && ladder_byte(d, i - 1) > 0 ? ladder_byte(d, i - 1) : p->x.lo, size, 0, hierarchy_name(&d->level[i]), ROLE_DIM);
  }
  if (named && d->nlevel > 1 && ladder_byte(d, d->nlevel - 2) < p->x.hi)
    plot_words(p, ladder_byte(d, d->nlevel - 2), p->x.hi, 0, hierarchy_name(&d->level[d->nlevel - 1]), ROLE_DIM);
}

static void draw_rates(struct canvas *c, struct rect r, const struct view *v, const struct device *d) {
  const struct stair *team = &d->machine.stair[STAIR_TEAM], *one = &d->machine.stair[STAIR_ONE];
  bool both = d->machine.threads > 1 && one->n > 0;
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "iB", ""},
              y = {v->axes->y[0], v->axes->y[1], true, "byte/s", both ? "read by all threads, dim: by one" : "read"};
  struct plot p;
  double set = v->setup->v[KNOB_WORKING_SET];
  if (!plot_begin(&p, c, r, &x, &y)) return;
  mark_levels(&p, d, true);
  plot_vline(&p, set, ROLE_CEILING, false);
  if (team->n == 0) plot_words(&p, p.x.lo, p.x.hi, 0.5, "the staircase is not measured yet", ROLE_WARN);
  if (!v->hide_measured) {
    if (d->machine.threads > 1) hierarchy_curve(&p, one, ROLE_ROOF_OTHER);
    hierarchy_curve(&p, team, role_of(v));
    for (int i = 0; i < d->machine.nplateau; i++)
      plot_point(&p, d->machine.plateau[i].knee, d->machine.plateau[i].value, 0x25BE, ROLE_WARN);
    hierarchy_points(&p, v);
  }
  plot_point(&p, set, fact(v, "level_byte_per_s"), 0xD7, ROLE_CEILING);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(&p, set, v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  plot_end(&p);
}

static void draw_latency(struct canvas *c, struct rect r, const struct view *v, const struct device *d) {
  struct axis x = {v->axes->x2[0], v->axes->x2[1], true, "iB", "working set"}, y = {v->axes->y2[0], v->axes->y2[1], true, "s", "one load"};
  struct plot p;
  double set = v->setup->v[KNOB_WORKING_SET], from;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  mark_levels(&p, d, false);
  plot_vline(&p, set, ROLE_CEILING, false);
  from = p.x.lo;
  for (int i = 0; d->machine.stair[STAIR_LATENCY].n == 0 && i < d->nlevel; i++) { /* until it is measured: what is known of each level */
    double to = i + 1 == d->nlevel ? p.x.hi : ladder_reach(d, i), latency = d->level[i].latency_s.value;
    if (!(to > from)) continue;
    if (latency > 0) plot_line(&p, from, latency, fmin(to, p.x.hi), latency, ROLE_ROOF);
    from = to;
  }
  if (!v->hide_measured) hierarchy_curve(&p, &d->machine.stair[STAIR_LATENCY], role_of(v));
  plot_point(&p, set, fact(v, "set_latency"), 0xD7, ROLE_CEILING);
  plot_end(&p);
}

void hierarchy_draw_staircase(struct canvas *c, struct rect r, const struct view *v) {
  const struct device *d = device_of(v);
  if (r.h < 13) {
    draw_rates(c, r, v, d);
    return;
  }
  int top = r.h * 4 / 7;
  draw_rates(c, (struct rect){r.x, r.y, r.w, top}, v, d);
  draw_latency(c, (struct rect){r.x, r.y + top, r.w, r.h - top}, v, d);
}

/* ---- stride ---- */

/* One line of 64 bytes: what of it is asked for. */
static void draw_line_share(struct canvas *c, struct rect r, const struct view *v) {
  double stride = v->setup->v[KNOB_STRIDE], step = fmin(fmax(stride, 4), ACCESS_LINE_BYTE), each = (double)(r.w - 1) / 16;
  int cell = each >= 3 ? 3 : each >= 2 ? 2 : 1;
  if (r.w < 18) return;
  for (int i = 0; i < 16; i++) { /* 16 elements of 4 bytes */
    bool asked = fmod(i * 4, step) == 0;
    for (int k = 0; k < (cell > 1 ? cell - 1 : 1); k++)
      canvas_put(c, r.x + 1 + i * cell + k, r.y, asked ? 0x2588 : 0xB7, asked ? ROLE_MEMORY : ROLE_FREE, 0);
  }
  canvas_text(c, r.x + 2 + 16 * cell, r.y, r.w >= 18 * cell + 24 ? "of each line of 64 bytes" : "of a line",
              r.x + r.w - (r.x + 2 + 16 * cell), ROLE_DIM, 0);
}

void hierarchy_draw_stride(struct canvas *c, struct rect r, const struct view *v) {
  const struct device *d = device_of(v);
  bool here = (int)v->setup->v[KNOB_DEVICE] == DEVICE_HERE;
  double set = v->setup->v[KNOB_WORKING_SET], stride[STRIDES_MAX], before = NAN;
  int n = hierarchy_strides(v->world, INFINITY, stride);
  if (r.h >= 9) {
    draw_line_share(c, (struct rect){r.x, r.y, r.w, 1}, v);
    r.y++, r.h--;
  }
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "iB", "stride"}, y = {v->axes->y[0], v->axes->y[1], true, "byte/s", "asked for"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  plot_vline(&p, ACCESS_LINE_BYTE, ROLE_GRID, true);
  plot_vline(&p, ACCESS_PAGE_BYTE, ROLE_GRID, true);
  plot_words(&p, p.x.lo, ACCESS_LINE_BYTE, 0, "in a line", ROLE_DIM);
  plot_words(&p, ACCESS_LINE_BYTE, ACCESS_PAGE_BYTE, 0, "in a page", ROLE_DIM);
  plot_words(&p, ACCESS_PAGE_BYTE, p.x.hi, 0, "beyond", ROLE_DIM);
  if (!d->is_host) plot_words(&p, p.x.lo, p.x.hi, 0.5, "its line size is not known here", ROLE_WARN);
  for (int i = 0; i < n; i++) {
    double rate = hierarchy_asked_rate(d, set, stride[i]);
    if (i > 0 && rate > 0 && before > 0) plot_line(&p, stride[i - 1], before, stride[i], rate, ROLE_ROOF);
    before = rate;
  }
  plot_label(&p, 256, hierarchy_asked_rate(d, set, 256), "as lines say", "model", ROLE_ROOF, ANCHOR_ABOVE, 2);
  for (double at = 4; here && !v->hide_measured && at <= 1048576; at *= 2) {
    struct request this = hierarchy_strided(set, at);
    plot_point(&p, at, hierarchy_measured_rate(v->world, &this), 'o', at == v->setup->v[KNOB_STRIDE] ? role_of(v) : ROLE_TRAIL);
  }
  plot_point(&p, v->setup->v[KNOB_STRIDE], fact(v, "asked_byte_per_s"), 0xD7, ROLE_CEILING);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(&p, v->setup->v[KNOB_STRIDE], v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  plot_end(&p);
}

/* ---- chains ---- */
void hierarchy_draw_chains(struct canvas *c, struct rect r, const struct view *v) {
  const struct device *d = device_of(v);
  bool here = (int)v->setup->v[KNOB_DEVICE] == DEVICE_HERE;
  double set = v->setup->v[KNOB_WORKING_SET], limit = hierarchy_one_thread_rate(d, set), latency = hierarchy_latency(d, set);
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "n", "chains"}, y = {v->axes->y[0], v->axes->y[1], false, "byte/s", ""};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  double full = access_in_flight(limit, latency), end = p.x.hi, rate = hierarchy_chain_rate(d, set, end);
  if (isnan(latency)) plot_words(&p, p.x.lo, p.x.hi, 0.5, "the latency of this level is not known", ROLE_WARN);
  if (full < end) {
    plot_line(&p, 0, 0, full, limit, ROLE_ROOF);
    plot_line(&p, full, limit, end, limit, ROLE_ROOF);
  } else
    plot_line(&p, 0, 0, end, rate, ROLE_ROOF);
  if (limit > 0 && limit < p.y.hi) {
    plot_hline(&p, limit, ROLE_GRID, true);
    plot_label(&p, 1, limit, "one thread, nothing waits", "one thread", ROLE_DIM, ANCHOR_ABOVE, 2);
  }
  plot_label(&p, fmin(full, end) / 2, hierarchy_chain_rate(d, set, fmin(full, end) / 2), "64 B a latency each", "model", ROLE_ROOF,
             ANCHOR_RIGHT, 3);
  for (double chains = 1; here && !v->hide_measured && chains <= 8; chains *= 2) {
    struct request this = hierarchy_chained(set, chains);
    plot_point(&p, chains, hierarchy_measured_rate(v->world, &this), 'o', chains == v->setup->v[KNOB_CHAINS] ? role_of(v) : ROLE_TRAIL);
  }
  plot_point(&p, v->setup->v[KNOB_CHAINS], fact(v, "chain_byte_per_s"), 0xD7, ROLE_CEILING);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(&p, v->setup->v[KNOB_CHAINS], v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  plot_end(&p);
}
