/* roofline_picture: the roof, its two regions, the ceiling point, the measured point and what came before. */
#include <math.h>
#include <string.h>

#include "model/roof.h"
#include "scenes/roofline.h"
#include "scenes/roofline_condition.h"
#include "scenes/roofline_sample.h"
#include "tui/plot.h"
#include "tui/widget.h"

/* One roof: the slope up to the ridge, then flat. */
static void draw_roof(struct plot *p, double peak, double rate, enum role role) {
  double ridge = peak / rate;
  if (!(peak > 0) || !(rate > 0)) return;
  plot_line(p, p->x.lo, rate * p->x.lo, ridge, peak, role);
  plot_line(p, ridge, peak, p->x.hi, peak, role);
}

/* before, number, after, as one label. */
static const char *label_of(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_clear(t);
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
  return t->s;
}

/* The roof of the machine as it is, dim behind the one it was left with. */
static void draw_normal(struct plot *p, const struct view *v) {
  double peak = fact_value(v->fact, v->nfact, "normal_flop_per_s"), rate = fact_value(v->fact, v->nfact, "normal_byte_per_s");
  if (!condition_changed(v->setup) || !(peak > 0) || !(rate > 0)) return;
  if (fabs(peak - v->setup->v[KNOB_PEAK]) < 0.01 * peak && fabs(rate - v->setup->v[KNOB_BANDWIDTH]) < 0.01 * rate) return;
  draw_roof(p, peak, rate, ROLE_ROOF_OTHER);
  plot_line_label(p, peak / rate, peak, p->x.hi, peak, "as it is", "", ROLE_ROOF_OTHER, 4);
}

static void draw_main(struct plot *p, const struct view *v) {
  double peak = v->setup->v[KNOB_PEAK], rate = v->setup->v[KNOB_BANDWIDTH];
  struct text label, brief, level;
  if (!(peak > 0) || !(rate > 0)) return;
  draw_roof(p, peak, rate, ROLE_ROOF);
  double ridge = peak / rate;
  plot_vline(p, ridge, ROLE_GRID, true);
  plot_words(p, p->x.lo, ridge, 0, "waiting for memory", ROLE_MEMORY);
  plot_words(p, ridge, p->x.hi, 0, "calculating", ROLE_COMPUTE);
  plot_line_label(p, ridge, peak, p->x.hi, peak, label_of(&label, "at most ", peak, "flop/s", ""), label_of(&brief, "", peak, "flop/s", ""),
                  ROLE_ROOF, 1);
  text_clear(&level);
  text_add(&level, " ");
  text_add(&level, fact_word(v->fact, v->nfact, "level"));
  plot_line_label(p, p->x.lo, rate * p->x.lo, ridge, peak, label_of(&label, "", rate, "byte/s", level.s),
                  label_of(&brief, "", rate, "byte/s", ""), ROLE_ROOF, 2);
}

/* One roof of the two: what is known stands where it will stay, and words say what is missing. */
static void draw_half(struct plot *p, const struct view *v, bool has_peak, bool unmeasured) {
  double peak = v->setup->v[KNOB_PEAK], rate = v->setup->v[KNOB_BANDWIDTH], x0 = p->x.lo, x1 = p->x.hi;
  struct text label;
  double y0 = has_peak ? peak : rate * x0, y1 = has_peak ? peak : rate * x1;
  plot_line(p, x0, y0, x1, y1, ROLE_ROOF);
  plot_line_label(p, x0, y0, x1, y1, has_peak ? label_of(&label, "at most ", peak, "flop/s", "") : label_of(&label, "", rate, "byte/s", ""),
                  "", ROLE_ROOF, 1);
  plot_words(p, x0, x1, 0.7,
             unmeasured ? "the other roof is not measured yet"
             : has_peak ? "memory rate unknown"
                        : "peak unknown for this arithmetic",
             ROLE_WARN);
}

/* Level 2: what else this device could be asked to do, dim. */
static void draw_others(struct plot *p, const struct view *v, const struct device *d, bool here) {
  double rate = v->setup->v[KNOB_BANDWIDTH], peak = v->setup->v[KNOB_PEAK];
  struct text label, name;
  if (here) {
    int real = (int)v->setup->v[KNOB_DTYPE] == DTYPE_FP64 ? 0 : 1;
    for (int i = ISA_SCALAR; i < ISA_N; i++) {
      double other = d->machine.isa_peak[i][real];
      if (!(other > 0) || fabs(other - peak) < 0.01 * peak) continue;
      plot_line(p, other / rate, other, p->x.hi, other, ROLE_ROOF_OTHER);
      text_clear(&name);
      text_add(&name, isa_name((enum isa)i));
      text_add(&name, " ");
      plot_line_label(p, other / rate, other, p->x.hi, other, label_of(&label, name.s, other, "flop/s", ""), isa_name((enum isa)i),
                      ROLE_ROOF_OTHER, 5);
    }
    for (int i = 0; i < d->nlevel; i++) {
      double other = d->level[i].byte_per_s.value;
      if (!(other > 0) || fabs(other - rate) < 0.01 * rate) continue;
      plot_line(p, p->x.lo, other * p->x.lo, peak / other, peak, ROLE_ROOF_OTHER);
      plot_line_label(p, p->x.lo, other * p->x.lo, peak / other, peak, d->level[i].name, "", ROLE_ROOF_OTHER, 6);
    }
    return;
  }
  for (int t = 0; t < DTYPE_N; t++) {
    double other = d->peak[t].value;
    if (!(other > 0) || fabs(other - peak) < 0.001 * peak) continue;
    plot_line(p, other / rate, other, p->x.hi, other, ROLE_ROOF_OTHER);
    plot_line_label(p, other / rate, other, p->x.hi, other, dtype_name((enum dtype)t), "", ROLE_ROOF_OTHER, 5);
  }
}

static void draw_compare(struct plot *p, const struct view *v) {
  int i = (int)v->setup->v[KNOB_COMPARE] - 1, level;
  if (i < 0) return;
  const struct device *d = &v->world->device[i];
  double peak = roofline_peak(v->world, v->setup, d), rate = roofline_bandwidth(v->world, v->setup, d, i == DEVICE_HERE, &level);
  if (!(peak > 0) || !(rate > 0)) {
    plot_words(p, p->x.lo, p->x.hi, 0.9, "the second device has no roof for this arithmetic", ROLE_COMPARE);
    return;
  }
  draw_roof(p, peak, rate, ROLE_COMPARE);
  plot_line_label(p, p->x.lo, rate * p->x.lo, peak / rate, peak, d->id, "", ROLE_COMPARE, 3);
}

/* Points of the same operation measured earlier in this session: they climb the slope and bend at this machine's own ridge. */
static void draw_earlier(struct plot *p, const struct view *v) {
  struct request now = roofline_request(v->setup);
  for (int i = 0; i < v->world->nrun; i++) {
    const struct run *r = &v->world->run[i];
    if (r->request.op != now.op || r->request.dtype != now.dtype || r->request.isa != now.isa || r->request.hog != now.hog || r->request.rung != now.rung ||
        r->request.threads != now.threads || strcmp(r->machine, v->world->machine) != 0 || request_equal(&r->request, &now))
      continue;
    plot_point(p, roof_intensity(r->flop, r->byte), r->flop / run_time(r), 'o', ROLE_TRAIL);
  }
}

static void draw_points(struct plot *p, const struct view *v, bool here) {
  const struct fact *f = v->fact;
  int n = v->nfact;
  double x = fact_value(f, n, "arithmetic_intensity"), spread = fact_value(f, n, "measured_spread"),
         y = fact_value(f, n, "measured_flop_per_s");
  for (int i = 0; v->trail && i < v->trail->n; i++) plot_point(p, v->trail->x[i], v->trail->y[i], 0xB7, ROLE_TRAIL);
  if (here && !v->hide_measured) draw_earlier(p, v);
  plot_point(p, x, fact_value(f, n, "attainable_flop_per_s"), 0xD7, ROLE_CEILING);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(p, x, v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  if (v->hide_measured || isnan(y)) return;
  enum role role = v->stale ? ROLE_DIM : ROLE_MEASURED;
  if (spread > 0)
    plot_spread(p, x, y, y * (1 - spread), y * (1 + spread), 'o', role);
  else
    plot_point(p, x, y, 'o', role);
}

void roofline_draw(struct canvas *c, struct rect r, const struct view *v) {
  const struct device *d = roofline_device(v->world, v->setup);
  bool here = roofline_here(v->setup);
  struct text title;
  text_clear(&title);
  text_add(&title, "FLOP per byte from ");
  text_add(&title, fact_word(v->fact, v->nfact, "level"));
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop/byte", title.s};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  bool peak = v->setup->v[KNOB_PEAK] > 0, rate = v->setup->v[KNOB_BANDWIDTH] > 0,
       unmeasured = here && !(peak && rate) && !d->machine.measured;
  if (!peak && !rate) {
    widget_words(c, r, unmeasured ? "No roof measured yet." : "No roof for this arithmetic: a rate is unknown.", ROLE_WARN);
    return;
  }
  struct plot p;
  if (!plot_begin_equal(&p, c, r, &x, &y, 1.35)) return;
  if (peak && rate) {
    if (v->setup->v[KNOB_DETAIL] > 1) draw_others(&p, v, d, here);
    draw_compare(&p, v);
    draw_normal(&p, v);
    draw_main(&p, v);
    sample_draw(&p, v->world, v->setup);
    draw_points(&p, v, here);
  } else
    draw_half(&p, v, peak, unmeasured);
  plot_end(&p);
}
