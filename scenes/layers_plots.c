/* The layers scene's plots: all operations under one roof, time against batch and context, what a share can gain at most. */
#include <math.h>
#include <string.h>

#include "scenes/layers.h"
#include "tui/plot.h"
#include "tui/widget.h"

static void widen(double v, double lo_hi[2]) {
  if (!(v > 0) || !isfinite(v)) return;
  if (!(lo_hi[0] <= v)) lo_hi[0] = v;
  if (!(lo_hi[1] >= v)) lo_hi[1] = v;
}

static void roof_axes(const struct layers *l, const struct axes *prev, struct axes *out) {
  const struct profile *p = &l->profile;
  double ridge = roof_ridge(l->in.peak_flop_per_s, l->in.byte_per_s), x[2] = {NAN, NAN}, y[2] = {NAN, NAN};
  widen(ridge * 10, x);
  widen(ridge / 1000, x);
  for (int i = 0; i < p->n; i++)
    if (isfinite(p->op[i].flop_per_byte)) widen(p->op[i].flop_per_byte, x);
  if (isnan(x[0])) x[0] = 0.1, x[1] = 1000;
  widen(l->in.peak_flop_per_s * 2, y);
  widen(x[0] * l->in.byte_per_s, y);
  if (isnan(y[0])) y[0] = 1e9, y[1] = 1e12;
  axis_round(&x[0], &x[1], true, 2);
  axis_round(&y[0], &y[1], true, 2);
  axis_keep(prev ? prev->x : x, x[0], x[1], true, out->x);
  axis_keep(prev ? prev->y : y, y[0], y[1], true, out->y);
}

/* Batches and contexts of the plots of growth. */
static const double grow_lo[2] = {1, 16}, grow_hi[2] = {4096, 1048576};

static void grow_axes(const struct layers *l, struct axes *out) {
  double y[2] = {NAN, NAN};
  for (int which = 0; which < 2; which++)
    for (int end = 0; end < 2; end++) {
      struct profile p;
      double at = end ? grow_hi[which] : grow_lo[which];
      layers_at(l, which ? l->in.work.batch : at, which ? at : l->in.work.context, &p);
      widen(p.total.time / p.tokens, y);
    }
  if (isnan(y[0])) y[0] = 1e-6, y[1] = 1;
  y[0] /= 300; /* down to the smaller parts */
  axis_round(&y[0], &y[1], true, 2);
  memcpy(out->y, y, sizeof y);
  memcpy(out->y2, y, sizeof y);
  out->x[0] = grow_lo[0], out->x[1] = grow_hi[0];
  out->x2[0] = grow_lo[1], out->x2[1] = grow_hi[1];
}

void layers_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  struct layers l;
  layers_of(w, s, &l);
  out->x[0] = out->x[1] = out->y[0] = out->y[1] = out->x2[0] = out->x2[1] = out->y2[0] = out->y2[1] = NAN;
  if (l.view == VIEW_POINTS || l.view == VIEW_LIST || l.view == VIEW_CONV) roof_axes(&l, prev, out);
  if (l.view == VIEW_GROW) grow_axes(&l, out);
  if (l.view != VIEW_FIX) return;
  double most = s->v[KNOB_FASTER] > 100 ? s->v[KNOB_FASTER] * 2 : 100, limit = profile_amdahl(s->v[KNOB_SHARE], most);
  out->x[0] = 1, out->x[1] = most;
  out->y[0] = 1, out->y[1] = limit > 1.05 ? 1 + (limit - 1) * 1.3 : 1.1;
}

/* ---- the roof ---- */

/* "gate 20.5 %": its name and its share of the time. */
static void name_share(struct text *t, const struct layers *l, const struct profile_op *o) {
  text_clear(t);
  text_add(t, layers_name(l, &o->op));
  text_add(t, " ");
  text_number(t, o->time / l->profile.total.time, "%");
}

static const struct {
  uint32_t glyph;
  enum role role;
} class_mark[CLASS_N] = {[CLASS_PRODUCT] = {0xD7, ROLE_CEILING},
                         [CLASS_ATTENTION] = {'+', ROLE_KV},
                         [CLASS_ELEMENT] = {'*', ROLE_ACTIVATION},
                         [CLASS_UPDATE] = {'^', ROLE_OPTIMIZER}};

static void legend(struct canvas *c, struct rect r, const struct profile *p) {
  int x = r.x + 1;
  for (int i = 0; i < CLASS_N; i++) {
    const char *name = operation_class_name((enum operation_class)i);
    int w = text_columns(name) + 2;
    if (!(p->class[i].count > 0) || x + w > r.x + r.w) continue;
    canvas_put(c, x, r.y, class_mark[i].glyph, class_mark[i].role, 0);
    canvas_text(c, x + 2, r.y, name, -1, ROLE_DIM, 0);
    x += w + 2;
  }
}

/* The roof itself, its ridge, and what the two sides are called. */
static bool roof_begin(struct plot *p, struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  double peak = l->in.peak_flop_per_s, rate = l->in.byte_per_s, ridge = roof_ridge(peak, rate);
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop/byte", "FLOP per byte from main memory"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  if (!plot_begin(p, c, r, &x, &y)) return false;
  plot_words(p, p->x.lo, ridge, 0.04, "waiting for memory", ROLE_DIM);
  plot_words(p, ridge, p->x.hi, 0.04, "calculating", ROLE_DIM);
  plot_vline(p, ridge, ROLE_GRID, true);
  plot_line(p, p->x.lo, rate * p->x.lo, ridge, peak, ROLE_ROOF);
  plot_line(p, ridge, peak, p->x.hi, peak, ROLE_ROOF);
  return true;
}

static bool placed(const struct profile_op *o) { return isfinite(o->flop_per_byte) && o->flop_per_byte > 0; }

/* Names for a few that stand apart, the longest first; each place once. */
static void name_some(struct plot *p, const struct layers *l) {
  const struct profile *prof = &l->profile;
  struct text words;
  double taken[8];
  int named = 0;
  if (l->pick >= 0 && placed(&prof->op[l->pick])) {
    const struct profile_op *o = &prof->op[l->pick];
    name_share(&words, l, o);
    plot_point(p, o->flop_per_byte, o->attainable_flop_per_s, class_mark[o->op.class].glyph, ROLE_FOCUS);
    plot_label(p, o->flop_per_byte, o->attainable_flop_per_s, words.s, layers_name(l, &o->op), ROLE_FOCUS, ANCHOR_BELOW, 1);
    taken[named++] = o->flop_per_byte;
  }
  for (int i = 0; i < prof->n && named < 8; i++) {
    const struct profile_op *o = &prof->op[prof->order[i]];
    bool near = !placed(o);
    for (int k = 0; k < named; k++) near = near || fabs(log(o->flop_per_byte / taken[k])) < 0.7;
    if (near) continue;
    taken[named++] = o->flop_per_byte;
    name_share(&words, l, o);
    plot_label(p, o->flop_per_byte, o->attainable_flop_per_s, words.s, layers_name(l, &o->op), class_mark[o->op.class].role,
               o->bound == BOUND_MEMORY ? ANCHOR_RIGHT : ANCHOR_BELOW, 2 + named);
  }
}

void layers_draw_roof(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  const struct profile *prof = &l->profile;
  struct plot p;
  int rows = r.h >= 10;
  if (!(roof_ridge(l->in.peak_flop_per_s, l->in.byte_per_s) > 0)) {
    widget_words(c, r, "A roof needs a peak and a memory rate, and one of them is not known here. R measures this machine.", ROLE_WARN);
    return;
  }
  if (rows) legend(c, (struct rect){r.x, r.y + r.h - 1, r.w, 1}, prof);
  if (!roof_begin(&p, c, (struct rect){r.x, r.y, r.w, r.h - rows}, v, l)) return;
  for (int i = prof->n - 1; i >= 0; i--) { /* the longest last, on top */
    const struct profile_op *o = &prof->op[prof->order[i]];
    if (!placed(o) || p.npoint >= PLOT_POINT_MAX - 2) continue;
    plot_point(&p, o->flop_per_byte, o->attainable_flop_per_s, class_mark[o->op.class].glyph, class_mark[o->op.class].role);
  }
  name_some(&p, l);
  plot_end(&p);
}

/* Each convolution, and what it becomes with one filter a plane: the same work moves down the slope. */
void layers_draw_twins(struct canvas *c, struct rect r, const struct view *v, const struct layers *l, int pick) {
  struct plot p;
  int n = layers_convs(l);
  if (!(roof_ridge(l->in.peak_flop_per_s, l->in.byte_per_s) > 0) || !roof_begin(&p, c, r, v, l)) return;
  for (int i = 0; i < n; i++) {
    struct layers_conv k = layers_conv_of(l, i);
    bool picked = i == pick;
    plot_point(&p, k.plain.flop_per_byte, k.plain.attainable_flop_per_s, 0xD7, picked ? ROLE_FOCUS : ROLE_CEILING);
    if (picked) plot_label(&p, k.plain.flop_per_byte, k.plain.attainable_flop_per_s, k.whole->name, "", ROLE_FOCUS, ANCHOR_BELOW, 1);
    if (!k.separable) continue;
    plot_point(&p, k.depth.flop_per_byte, k.depth.attainable_flop_per_s, 'd', picked ? ROLE_FOCUS : ROLE_COMPARE);
    if (picked) plot_label(&p, k.depth.flop_per_byte, k.depth.attainable_flop_per_s, "depthwise", "", ROLE_FOCUS, ANCHOR_RIGHT, 2);
  }
  plot_end(&p);
}

/* ---- growth ---- */

enum { GROW_POINTS = 25 };
static void draw_growth(struct canvas *c, struct rect r, const struct view *v, const struct layers *l, int which) {
  const double *xs = which ? v->axes->x2 : v->axes->x, *ys = which ? v->axes->y2 : v->axes->y;
  struct axis x = {xs[0], xs[1], true, "n", which ? "context" : "batch"}, y = {ys[0], ys[1], true, "s", "a token"};
  static const enum role role[CLASS_N] = {ROLE_MEMORY, ROLE_KV, ROLE_ACTIVATION, ROLE_OPTIMIZER};
  double at[GROW_POINTS], total[GROW_POINTS], part[CLASS_N][GROW_POINTS];
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  for (int i = 0; i < GROW_POINTS; i++) {
    struct profile prof;
    at[i] = grow_lo[which] * pow(grow_hi[which] / grow_lo[which], (double)i / (GROW_POINTS - 1));
    layers_at(l, which ? l->in.work.batch : at[i], which ? at[i] : l->in.work.context, &prof);
    total[i] = prof.total.time / prof.tokens;
    for (int k = 0; k < CLASS_N; k++) part[k][i] = prof.class[k].time > 0 ? prof.class[k].time / prof.tokens : NAN;
  }
  plot_vline(&p, which ? l->in.work.context : l->in.work.batch, ROLE_GRID, true);
  for (int k = CLASS_N - 1; k >= 0; k--) {
    plot_curve(&p, at, part[k], GROW_POINTS, role[k]);
    int i = GROW_POINTS * (2 + k) / 6;
    if (part[k][i] > 0 && part[k][i + 1] > 0)
      plot_line_label(&p, at[i], part[k][i], at[GROW_POINTS - 1], part[k][GROW_POINTS - 1], operation_class_name((enum operation_class)k),
                      "", role[k], 2 + k);
  }
  plot_curve(&p, at, total, GROW_POINTS, ROLE_TEXT);
  plot_line_label(&p, at[0], total[0], at[GROW_POINTS / 2], total[GROW_POINTS / 2], "all of it", "all", ROLE_TEXT, 1);
  plot_point(&p, which ? l->in.work.context : l->in.work.batch, l->profile.total.time / l->profile.tokens, 0xD7, ROLE_CEILING);
  plot_end(&p);
}

void layers_draw_grow(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  if (!(l->profile.total.time > 0)) {
    widget_words(c, r, "No times: a peak or a memory rate is not known here. R measures this machine.", ROLE_WARN);
    return;
  }
  int half = r.w / 2, high = r.h / 2;
  if (r.w >= 72) {
    draw_growth(c, (struct rect){r.x, r.y, half - 1, r.h}, v, l, 0);
    draw_growth(c, (struct rect){r.x + half, r.y, r.w - half, r.h}, v, l, 1);
  } else if (r.h >= 16) {
    draw_growth(c, (struct rect){r.x, r.y, r.w, high}, v, l, 0);
    draw_growth(c, (struct rect){r.x, r.y + high, r.w, r.h - high}, v, l, 1);
  } else
    draw_growth(c, r, v, l, v->focus == KNOB_CONTEXT);
}

/* ---- Amdahl ---- */

void layers_draw_amdahl(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  double share = v->setup->v[KNOB_SHARE], faster = v->setup->v[KNOB_FASTER], limit = 1 / (1 - share), at[GROW_POINTS], gain[GROW_POINTS];
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "x", "this share made faster"},
              y = {v->axes->y[0], v->axes->y[1], false, "x", "all gains"};
  struct plot p;
  (void)l;
  if (isnan(share) || !plot_begin(&p, c, r, &x, &y)) return;
  for (int i = 0; i < GROW_POINTS; i++) {
    at[i] = p.x.lo * pow(p.x.hi / p.x.lo, (double)i / (GROW_POINTS - 1));
    gain[i] = profile_amdahl(share, at[i]);
  }
  if (isfinite(limit) && limit <= p.y.hi) {
    plot_hline(&p, limit, ROLE_GRID, true);
    plot_label(&p, p.x.lo * 2, limit, "never more", "", ROLE_DIM, ANCHOR_BELOW, 3);
  }
  plot_curve(&p, at, gain, GROW_POINTS, ROLE_ROOF);
  plot_point(&p, faster, profile_amdahl(share, faster), 0xD7, ROLE_CEILING);
  plot_end(&p);
}
