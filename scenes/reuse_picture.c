/* The reuse scene's picture: bytes with and without reuse as two bars, then the roofline on which the same arithmetic moves to the right;
 * where there is room, the ladder as bars and the second plot (reuse_curve.c). */
#include <math.h>

#include "model/roof.h"
#include "model/traffic.h"
#include "scenes/reuse.h"
#include "tui/plot.h"
#include "tui/widget.h"

static double known(const struct view *v, const char *name) { return fact_value(v->fact, v->nfact, name); }

/* The window comes from the two roofs; the points of the view widen it where they must. */
void reuse_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  static const double none[2] = {NAN, NAN};
  struct reuse q = reuse_of(w, s);
  struct reuse_pair p = reuse_pair_of(&q, q.view);
  double peak = q.peak > 0 ? q.peak : 1e11, rate = q.rate > 0 ? q.rate : peak / 10, decade = floor(log10(peak / rate));
  double x_lo = pow(10, decade - 1), x_hi = pow(10, decade + 2);
  double point[] = {roof_intensity(p.before.flop, p.before.byte), roof_intensity(p.after.flop, p.after.byte),
                    q.view == VIEW_TILE ? traffic_rung_intensity(RUNG_VECTORISED, q.n, q.element_byte) : NAN};
  for (int i = 0; i < 3; i++) {
    while (point[i] < x_lo * 1.1 && x_lo > 1e-9) x_lo /= 10;
    while (point[i] > x_hi / 1.3 && x_hi < 1e12) x_hi *= 10;
  }
  double y_hi = pow(10, ceil(log10(peak * 1.6) * 2) / 2), y_lo = y_hi / pow(10, 3.0 + (log10(x_hi / x_lo) - 4) * 0.75);
  if (q.view == VIEW_TILE) y_lo = fmin(y_lo, peak / 2000); /* plain loops are that slow */
  axis_keep(prev ? prev->x : none, x_lo, x_hi, true, out->x);
  axis_keep(prev ? prev->y : none, y_lo, y_hi, true, out->y);
  reuse_curve_axes(&q, w, s, prev, out);
}

/* ---- bytes ---- */

static void draw_bytes(struct canvas *c, struct rect r, const struct view *v, const struct reuse *q) {
  bool tile = q->view == VIEW_TILE;
  double byte[2] = {tile ? known(v, "byte") : known(v, "before_byte"), tile ? known(v, "tile_least_byte") : known(v, "byte")};
  const char *name[2] = {tile ? "in tiles" : q->view == VIEW_FUSION ? "one by one" : "unfused", tile ? "the least" : "fused"};
  int label = 11, number = 9;
  for (int i = 0; i < 2; i++) {
    struct text t;
    struct part part = {byte[i], i == 0 ? ROLE_MEMORY : ROLE_GOOD, 0, ""};
    text_clear(&t);
    text_number(&t, byte[i], "byte");
    canvas_text(c, r.x, r.y + i, name[i], label, ROLE_DIM, 0);
    canvas_text_right(c, r.x + label, r.x + label + number, r.y + i, t.s, ROLE_TEXT, 0);
    if (r.w > label + number + 4)
      widget_bar(c, (struct rect){r.x + label + number + 1, r.y + i, r.w - label - number - 2, 1}, &part, 1, fmax(byte[0], byte[1]), NAN);
  }
}

/* ---- the roofline ---- */

static void draw_roofs(struct plot *p, const struct view *v, const struct reuse *q) {
  double ridge = q->peak / q->rate;
  struct text label, brief;
  plot_line(p, p->x.lo, q->rate * p->x.lo, ridge, q->peak, ROLE_ROOF);
  plot_line(p, ridge, q->peak, p->x.hi, q->peak, ROLE_ROOF);
  plot_vline(p, ridge, ROLE_GRID, true);
  plot_words(p, p->x.lo, ridge, 0, "waiting for memory", ROLE_MEMORY);
  plot_words(p, ridge, p->x.hi, 0, "calculating", ROLE_COMPUTE);
  text_clear(&brief);
  text_number(&brief, q->peak, "flop/s");
  text_clear(&label);
  text_add(&label, "at most ");
  text_add(&label, brief.s);
  plot_line_label(p, ridge, q->peak, p->x.hi, q->peak, label.s, brief.s, ROLE_ROOF, 3);
  text_clear(&brief);
  text_number(&brief, q->rate, "byte/s");
  label = brief;
  text_add(&label, " ");
  text_add(&label, fact_word(v->fact, v->nfact, "level"));
  plot_line_label(p, p->x.lo, q->rate * p->x.lo, ridge, q->peak, label.s, brief.s, ROLE_ROOF, 4);
  if (q->view == VIEW_TILE && q->one_peak > 0 && q->one_rate > 0 && v->setup->v[KNOB_DETAIL] > 1) {
    double one = q->one_peak / q->one_rate;
    plot_line(p, p->x.lo, q->one_rate * p->x.lo, one, q->one_peak, ROLE_ROOF_OTHER);
    plot_line(p, one, q->one_peak, p->x.hi, q->one_peak, ROLE_ROOF_OTHER);
    plot_line_label(p, one, q->one_peak, p->x.hi, q->one_peak, "one core", "", ROLE_ROOF_OTHER, 6);
  }
}

static void draw_measured(struct plot *p, double x, double y, double spread, enum role role, const char *name, int rank) {
  if (!(y > 0)) return;
  if (spread > 0)
    plot_spread(p, x, y, y * (1 - spread), y * (1 + spread), 'o', role);
  else
    plot_point(p, x, y, 'o', role);
  if (name) plot_label(p, x, y, name, "", role, ANCHOR_RIGHT, rank);
}

/* Every rung at the most its loop order lets it reuse: how high it stands was measured, how far right is a bound. */
static void draw_rungs(struct plot *p, const struct view *v, const struct reuse *q) {
  struct fact row[FACT_MAX];
  for (int i = 0, n; (n = reuse_rows(v->world, v->setup, i, row)) > 0; i++) {
    enum rung r = (enum rung)(RUNG_PLAIN + i);
    bool now = r == q->rung, other = r == q->against;
    enum role role = now ? (v->stale ? ROLE_DIM : ROLE_MEASURED) : other ? ROLE_COMPARE : ROLE_TRAIL;
    /* The last rungs stand almost on one spot: in a small picture one name is enough there. */
    bool named = now || other || r <= RUNG_VECTORISED || p->area.h >= 18;
    draw_measured(p, fact_value(row, n, "intensity_most"), fact_value(row, n, "flop_per_s"), now ? fact_value(row, n, "spread") : NAN, role,
                  named ? fact_word(row, n, "rung") : NULL, now ? 0 : 5);
  }
}

static void draw_points(struct plot *p, const struct view *v, const struct reuse *q) {
  double x = known(v, "arithmetic_intensity"), x0 = known(v, "before_intensity");
  bool tile = q->view == VIEW_TILE;
  struct text t;
  enum role role = v->stale ? ROLE_DIM : ROLE_MEASURED;
  for (int i = 0; v->trail && i < v->trail->n; i++) plot_point(p, v->trail->x[i], v->trail->y[i], 0xB7, ROLE_TRAIL);
  plot_point(p, x0, known(v, "before_attainable_flop_per_s"), 0xD7, ROLE_CEILING);
  plot_point(p, x, known(v, "attainable_flop_per_s"), 0xD7, ROLE_CEILING);
  text_clear(&t);
  text_add(&t, tile ? "tile " : "fused");
  if (tile) text_count(&t, q->tile);
  if (!tile || q->tile > 1)
    plot_label(p, x0, known(v, "before_attainable_flop_per_s"),
               tile                     ? "tile 1"
               : q->view == VIEW_FUSION ? "one by one"
                                        : "unfused",
               "", ROLE_CEILING, ANCHOR_RIGHT, 2);
  plot_label(p, x, known(v, "attainable_flop_per_s"), t.s, "", ROLE_CEILING, ANCHOR_ABOVE, 1);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(p, x, v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  if (v->hide_measured) return;
  if (tile) {
    draw_rungs(p, v, q);
    return;
  }
  draw_measured(p, x0, known(v, "before_measured_flop_per_s"), NAN, role, NULL, 0);
  draw_measured(p, x, known(v, "measured_flop_per_s"), known(v, "measured_spread"), role, NULL, 0);
}

static void draw_roofline(struct canvas *c, struct rect r, const struct view *v, const struct reuse *q) {
  struct text title;
  struct plot p;
  text_clear(&title);
  text_add(&title, "FLOP per byte from ");
  text_add(&title, fact_word(v->fact, v->nfact, "level"));
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop/byte", title.s};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  if (!plot_begin_equal(&p, c, r, &x, &y, 1.35)) return;
  if (q->peak > 0 && q->rate > 0)
    draw_roofs(&p, v, q);
  else
    plot_words(&p, p.x.lo, p.x.hi, 0.2, q->here ? "the roofs are not measured yet" : "no roof is known for this arithmetic", ROLE_WARN);
  draw_points(&p, v, q);
  plot_end(&p);
}

void reuse_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct reuse q = reuse_of(v->world, v->setup);
  if (r.h < 4 || r.w < 16) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  if (r.h >= 12 && r.w >= 36) {
    draw_bytes(c, (struct rect){r.x + 1, r.y, r.w - 1, 2}, v, &q);
    r.y += 2, r.h -= 2;
  }
  bool ladder = q.view == VIEW_TILE && q.runs, beside = r.w >= 100 && r.h >= 14, below = !beside && r.h >= 25;
  int bars = RUNG_N;
  if (beside) {
    int left = r.w * 11 / 20;
    struct rect right = {r.x + left + 1, r.y, r.w - left - 1, r.h};
    draw_roofline(c, (struct rect){r.x, r.y, left, r.h}, v, &q);
    if (ladder) {
      reuse_ladder_draw(c, (struct rect){right.x, right.y, right.w, bars}, v);
      right.y += bars, right.h -= bars;
    }
    if (ladder && right.h >= 26) {
      int half = right.h / 2;
      reuse_traffic_draw(c, (struct rect){right.x, right.y + half, right.w, right.h - half}, v);
      right.h = half;
    }
    if (right.h >= 6) reuse_curve_draw(c, right, v);
    return;
  }
  if (!below && v->setup->v[KNOB_DETAIL] == 2 && r.h >= 8) { /* no room for both: with `=` the second takes the first one's place */
    if (ladder && r.h >= bars + 7) {
      reuse_ladder_draw(c, (struct rect){r.x, r.y, r.w, bars - 1}, v);
      r.y += bars - 1, r.h -= bars - 1;
    }
    reuse_curve_draw(c, r, v);
    return;
  }
  if (!below) {
    draw_roofline(c, r, v, &q);
    return;
  }
  int top = r.h * 3 / 5, half = r.w / 2;
  struct rect under = {r.x, r.y + top, r.w, r.h - top};
  draw_roofline(c, (struct rect){r.x, r.y, r.w, top}, v, &q);
  if (ladder && r.w >= 72) {
    reuse_ladder_draw(c, (struct rect){under.x, under.y + 1, half - 1, under.h - 1}, v);
    under.x += half, under.w -= half;
  }
  reuse_curve_draw(c, under, v);
}
