/* The scale view: how weights spread over the integers there are, and what each grain of scales costs. */
#include <math.h>

#include "scenes/precision.h"
#include "tui/plot.h"
#include "tui/widget.h"

static double known(const struct view *v, const char *name) { return fact_value(v->fact, v->nfact, name); }

static void draw_errors(struct canvas *c, struct rect r, const struct view *v) {
  static const char *const fact[GRAIN_N] = {"rms_error_tensor", "rms_error_channel", "rms_error_group"};
  static const char *const label[GRAIN_N] = {"one scale a tensor", "a channel", "a group"};
  double most = fmax(fmax(known(v, fact[0]), known(v, fact[1])), known(v, fact[2]));
  int name = 19, number = 8;
  for (int g = 0; g < GRAIN_N && g < r.h; g++) {
    bool now = g == (int)v->setup->v[KNOB_GRAIN];
    struct part part = {known(v, fact[g]), now ? ROLE_WARN : ROLE_ROOF_OTHER, 0, ""};
    struct text t;
    text_clear(&t);
    text_number(&t, part.value, "%");
    if (now) canvas_text(c, r.x, r.y + g, "▸", -1, ROLE_FOCUS, 0);
    canvas_text(c, r.x + 1, r.y + g, label[g], name - 1, now ? ROLE_TEXT : ROLE_DIM, 0);
    canvas_text_right(c, r.x + name, r.x + name + number, r.y + g, t.s, now ? ROLE_TEXT : ROLE_DIM, 0);
    if (r.w > name + number + 5)
      widget_bar(c, (struct rect){r.x + name + number + 1, r.y + g, r.w - name - number - 2, 1}, &part, 1, most, NAN);
  }
}

/* Weights by size; under them the steps of the scale, where they can be told apart. */
static void draw_spread(struct canvas *c, struct rect r, const struct view *v) {
  double w[PACKING_WEIGHTS], scale = known(v, "scale");
  int bin[512] = {0}, n;
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "1", "weight"}, y = {v->axes->y[0], v->axes->y[1], false, "1", "weights"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  n = p.area.w < 512 ? p.area.w : 512;
  packing_weights(v->setup->v[KNOB_RANGE], v->setup->v[KNOB_OUTLIER], w);
  int most = 1;
  for (int i = 0; i < PACKING_WEIGHTS; i++) {
    int at = plot_column(&p, w[i]) - p.area.x;
    if (at >= 0 && at < n && ++bin[at] > most) most = bin[at];
  }
  for (int i = 0; i < n; i++) { /* a single weight still gets a cell: the outlier is what this is about */
    struct part part = {bin[i] / (double)most, ROLE_MEMORY, 0, ""};
    if (bin[i] > 0) widget_column(c, (struct rect){p.area.x + i, p.area.y, 1, p.area.h}, &part, 1, 0, 1.1, false);
  }
  double steps = (p.x.hi - p.x.lo) / scale, value = v->setup->v[KNOB_VALUE], back = known(v, "value_back");
  if (steps < n) /* each integer a line to the top */
    for (double k = ceil(p.x.lo / scale); k * scale <= p.x.hi; k++) plot_vline(&p, k * scale, ROLE_GRID, true);
  if (value > p.x.lo && value < p.x.hi) plot_point(&p, value, p.y.hi * 0.97, 0x25BE, ROLE_MEASURED);
  if (back > p.x.lo && back < p.x.hi) plot_point(&p, back, p.y.lo, 0xD7, ROLE_CEILING);
  plot_end(&p);
}

void precision_draw_scale(struct canvas *c, struct rect r, const struct view *v) {
  int bars = r.h >= 9 ? GRAIN_N : 0;
  if (r.h - bars > 4) draw_spread(c, (struct rect){r.x, r.y, r.w, r.h - bars - (bars > 0)}, v);
  if (bars) draw_errors(c, (struct rect){r.x + 1, r.y + r.h - bars, r.w - 1, bars}, v);
}
