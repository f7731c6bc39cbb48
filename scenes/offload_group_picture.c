/* The picture of several devices: what each does and says in a step, above; below, the speed-up against their number. */
#include <math.h>

#include "scenes/offload_group.h"
#include "tui/plot.h"
#include "tui/widget.h"

void group_axes(const struct setup *s, struct axes *out) {
  double hi = 1024;
  while (hi < s->v[KNOB_DEVICES] * 1.5) hi *= 4;
  out->x[0] = 0.9, out->x[1] = hi * 1.1;
  out->y[0] = 0.5, out->y[1] = hi * 2;
}

/* A bar for the work and one for the exchanges, to one scale: overlapped the longer counts, waited for they stand one after the other. */
static void draw_bars(struct canvas *c, struct rect r, const struct view *v, const struct group_in *in, const struct group_out *o) {
  enum { LABEL_W = 11, VALUE_W = 10 };
  int w = r.w - LABEL_W - VALUE_W;
  double full = o->work_time + o->link_time;
  if (w < 6) return;
  (void)v;
  for (int i = 0; i < 3 && i < r.h; i++) {
    static const char *const name[] = {"one device", "each works", "and says"};
    double value = i == 0 ? o->alone_time : i == 1 ? o->work_time : o->link_time;
    struct part part[] = {{i == 2 && in->split == SPLIT_TENSOR ? o->work_time : 0, ROLE_FREE, ' ', ""},
                          {i == 2 ? o->byte_time : value, i == 2 ? ROLE_LINK : ROLE_COMPUTE, i == 2 ? 'b' : 'w', ""},
                          {i == 2 ? o->fixed_time : 0, ROLE_FIXED, 'f', ""}};
    struct text t;
    text_clear(&t);
    text_number(&t, value, "s");
    canvas_text(c, r.x, r.y + i, name[i], LABEL_W - 1, ROLE_TEXT, 0);
    canvas_text(c, r.x + LABEL_W + w + 1, r.y + i, t.s, VALUE_W - 1, ROLE_TEXT, 0);
    struct rect bar = {r.x + LABEL_W, r.y + i, w, 1};
    if (isnan(value) || isnan(full)) {
      canvas_text(c, bar.x, bar.y, "not known", bar.w, ROLE_DIM, 0);
      continue;
    }
    if (part[0].value > 0) { /* begins where the work ends */
      int skip = (int)(w * part[0].value / full);
      bar.x += skip, bar.w -= skip;
      if (bar.w < 1) bar.x--, bar.w = 1;
      widget_bar(c, bar, part + 1, 2, o->link_time > 0 ? o->link_time : 1, NAN);
    } else
      widget_bar(c, bar, part + 1, 2, full > 0 ? full : 1, NAN);
  }
  if (r.h > 3) {
    static const struct part legend[] = {
        {1, ROLE_COMPUTE, 'w', "work"}, {1, ROLE_LINK, 'b', "link bytes"}, {1, ROLE_FIXED, 'f', "starting them"}};
    widget_legend(c, (struct rect){r.x, r.y + 3, r.w, 1}, legend, 3);
  }
}

enum { SAMPLES = 100 };

static void draw_plot(struct canvas *c, struct rect r, const struct view *v, struct group_in in) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "n", "devices"}, y = {v->axes->y[0], v->axes->y[1], true, "x", "speed-up"};
  struct plot p;
  double at[SAMPLES], gain[SAMPLES], set = in.devices, most = fact_value(v->fact, v->nfact, "group_most");
  if (!plot_begin(&p, c, r, &x, &y)) return;
  plot_line(&p, 1, 1, p.x.hi, p.x.hi, ROLE_ROOF_OTHER);
  plot_line_label(&p, 1, 1, p.x.hi, p.x.hi, "perfect", "", ROLE_ROOF_OTHER, 4);
  for (int i = 0; i < SAMPLES; i++) {
    struct group_out o;
    in.devices = at[i] = pow(p.x.hi, i / (SAMPLES - 1.0)); /* a curve through the whole numbers */
    group_of(&in, &o);
    gain[i] = o.speedup;
  }
  plot_curve(&p, at, gain, SAMPLES, ROLE_ROOF);
  plot_label(&p, at[SAMPLES * 9 / 10], gain[SAMPLES * 9 / 10], "at most", "", ROLE_ROOF, ANCHOR_BELOW, 3);
  if (most > 0 && most < p.x.hi) {
    struct text t;
    text_clear(&t);
    text_add(&t, "links as slow as work: ");
    text_count(&t, most);
    plot_vline(&p, most, ROLE_GRID, true);
    plot_label(&p, most, p.y.lo * pow(p.y.hi / p.y.lo, 0.1), t.s, "", ROLE_AXIS, ANCHOR_RIGHT, 2);
  }
  plot_point(&p, set, fact_value(v->fact, v->nfact, "group_speedup"), 0xD7, ROLE_CEILING);
  plot_end(&p);
}

void group_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct group_in in = group_input(v->world, v->setup);
  struct group_out o;
  int top = r.h >= 10 ? 5 : 4;
  group_of(&in, &o);
  draw_bars(c, (struct rect){r.x, r.y, r.w, r.h < 4 ? r.h : 4}, v, &in, &o);
  if (r.h - top >= 4) draw_plot(c, (struct rect){r.x, r.y + top, r.w, r.h - top}, v, in);
}
