/* The picture of the fit scene: what each device holds against its capacity, and the frontier of batch and context that still fits. */
#include <math.h>
#include <string.h>

#include "scenes/fit.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { CURVE_MAX = 192, PART_MAX = 6 };

static double known(const struct view *v, const char *name) { return fact_value(v->fact, v->nfact, name); }

static double decade_up(double x) { return pow(10, ceil(log10(x) - 1e-9)); }

/* From one sequence and a hundred tokens to past the frontier, in whole decades: the window moves only when the load outgrows it. */
void fit_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  static const double none[2] = {NAN, NAN};
  struct capacity_in in = fit_of(w, s, fit_device(w, s));
  double y_lo = in.context < 100 ? pow(10, floor(log10(in.context))) : 100;
  double most_context = capacity_context(&in, 1), most_batch = capacity_batch(&in, y_lo);
  double x_hi = decade_up(fmax(100, fmax(in.batch * 1.2, most_batch > 0 ? fmin(most_batch, 1e5) : 1)));
  double y_hi = decade_up(fmax(1e5, fmax(in.context * 1.2, most_context > 0 ? fmin(most_context * 1.2, 1e8) : 1)));
  axis_keep(prev ? prev->x : none, 1, x_hi, true, out->x);
  axis_keep(prev ? prev->y : none, y_lo, y_hi, true, out->y);
  out->x2[0] = out->x2[1] = out->y2[0] = out->y2[1] = NAN;
}

static int parts_of(const struct view *v, double share, struct part part[PART_MAX]) {
  static const struct {
    const char *fact;
    enum role role;
    char letter;
    const char *label;
  } table[PART_MAX] = {{"weight_byte", ROLE_MEMORY, 'w', "weights"},
                       {"gradient_byte", ROLE_GRADIENT, 'g', "gradients"},
                       {"master_byte", ROLE_COMPARE, 'm', "master copy"},
                       {"optimizer_byte", ROLE_OPTIMIZER, 'o', "optimizer"},
                       {"kv_byte", ROLE_KV, 'k', "KV cache"},
                       {"activation_byte", ROLE_ACTIVATION, 'a', "activations"}};
  int n = 0;
  for (int i = 0; i < PART_MAX; i++) {
    double byte = known(v, table[i].fact);
    if (byte == 0) continue; /* this use keeps none */
    part[n++] = (struct part){byte * share, table[i].role, table[i].letter, table[i].label};
  }
  return n;
}

static int text_at(struct canvas *c, int x, int y, int max, const char *before, double value, const char *unit, const char *after,
                   enum role role, int attr) {
  struct text t;
  text_clear(&t);
  text_add(&t, before);
  text_number(&t, value, unit);
  text_add(&t, after);
  return max > 0 ? canvas_text(c, x, y, t.s, max, role, attr) : 0;
}

/* `80 GB of memory on each, 74.5 GiB`, then what is left or missing, in words. */
static void draw_words(struct canvas *c, struct rect r, const struct view *v) {
  const char *device = fact_word(v->fact, v->nfact, "device");
  double devices = known(v, "devices_used"), left = known(v, "headroom_byte");
  int x = r.x, end = r.x + r.w;
  x += canvas_text(c, x, r.y, device, r.w / 2, ROLE_TITLE, ATTR_BOLD);
  if (devices > 1) x += text_at(c, x, r.y, end - x, " x ", devices, "n", "", ROLE_TITLE, 0);
  x += text_at(c, x, r.y, end - x, ": ", known(v, "capacity_byte"), "byte", "", ROLE_TEXT, 0);
  x += text_at(c, x, r.y, end - x, " (", known(v, "capacity_byte_binary"), "iB", ")", ROLE_DIM, 0);
  if (r.h < 2) return;
  if (isnan(left))
    canvas_text(c, r.x, r.y + 1, "not known whether it fits", r.w, ROLE_WARN, 0);
  else if (left >= 0)
    text_at(c, r.x, r.y + 1, r.w, "fits: ", left, "byte", " left", ROLE_GOOD, ATTR_BOLD);
  else {
    x = r.x + text_at(c, r.x, r.y + 1, r.w, "does not fit: ", -left, "byte", " missing", ROLE_BAD, ATTR_BOLD);
    if (end - x >= 18) text_at(c, x, r.y + 1, end - x, ", needs ", known(v, "devices_needed"), "n", " devices", ROLE_BAD, 0);
  }
}

/* One bar a device; all hold the same, so past the room there is one word for the rest. */
static void draw_bars(struct canvas *c, struct rect r, const struct view *v) {
  double devices = known(v, "devices_used"), one = known(v, "device_capacity_byte"), each = known(v, "device_total_byte");
  struct part part[PART_MAX];
  int n = parts_of(v, 1 / devices, part);
  double full = each > one || isnan(one) ? each : one;
  if (!(full > 0) || r.w < 6) {
    widget_words(c, r, "what it needs is not known", ROLE_DIM);
    return;
  }
  int bars = devices < r.h ? (int)devices : r.h;
  bool folded = devices > bars;
  if (folded && bars > 1) bars--;
  int tall = !folded && bars * 2 <= r.h ? 2 : 1;
  for (int i = 0; i < bars; i++) widget_bar(c, (struct rect){r.x, r.y + i * tall, r.w, tall}, part, n, full * 1.02, one);
  if (folded && bars < r.h) text_at(c, r.x, r.y + bars, r.w, "", devices, "n", " devices, all alike", ROLE_DIM, 0);
}

/* What fills it, part by part, with its bytes and its share of the whole drawn as a short bar. */
static void draw_table(struct canvas *c, struct rect r, const struct view *v) {
  struct part part[PART_MAX];
  int n = parts_of(v, 1, part), name = 14, number = 10;
  double total = known(v, "total_byte");
  for (int i = 0; i < n && i < r.h; i++) {
    struct text value;
    text_clear(&value);
    text_number(&value, part[i].value, "byte");
    canvas_text(c, r.x, r.y + i, part[i].label, name - 1, part[i].role, 0);
    canvas_text(c, r.x + name, r.y + i, value.s, number, ROLE_TEXT, 0);
    int left = r.w - name - number;
    if (left >= 6 && total > 0) widget_bar(c, (struct rect){r.x + name + number, r.y + i, left, 1}, &part[i], 1, total, NAN);
  }
}

static void draw_frontier(struct canvas *c, struct rect r, const struct view *v) {
  struct capacity_in in = fit_of(v->world, v->setup, fit_device(v->world, v->setup));
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "n", "batch"}, y = {v->axes->y[0], v->axes->y[1], true, "n", "context"};
  struct plot p;
  double bx[CURVE_MAX], cy[CURVE_MAX];
  if (!plot_begin(&p, c, r, &x, &y)) return;
  int n = p.area.w * 2 < CURVE_MAX ? p.area.w * 2 : CURVE_MAX;
  bool any = false;
  for (int i = 0; i < n && n > 1; i++) {
    bx[i] = p.x.lo * pow(p.x.hi / p.x.lo, i / (n - 1.0));
    cy[i] = capacity_context(&in, bx[i]);
    any = any || cy[i] >= p.y.lo;
  }
  if (any) {
    plot_curve(&p, bx, cy, n, ROLE_ROOF);
    plot_label(&p, bx[n / 3], cy[n / 3], "more does not fit", "limit", ROLE_ROOF, ANCHOR_ABOVE, 1);
    plot_words(&p, p.x.lo, sqrt(p.x.lo * p.x.hi), 0.92, "fits", ROLE_GOOD);
  } else {
    bool unknown = isnan(known(v, "headroom_byte")), unlimited = !unknown && isnan(known(v, "max_context"));
    plot_words(&p, p.x.lo, p.x.hi, 0.5,
               unknown     ? "limits not known"
               : unlimited ? "no limit by context"
                           : "nothing here fits",
               unlimited ? ROLE_DIM : ROLE_WARN);
  }
  double own = known(v, "model_max_context");
  if (own > p.y.lo && own < p.y.hi) {
    plot_hline(&p, own, ROLE_GRID, true);
    plot_label(&p, p.x.hi, own, "the model's own limit", "own limit", ROLE_AXIS, ANCHOR_ABOVE, 3);
  }
  for (int i = 0; v->trail && i < v->trail->n; i++) plot_point(&p, v->trail->x[i], v->trail->y[i], 0xB7, ROLE_TRAIL);
  double left = known(v, "headroom_byte");
  plot_point(&p, in.batch, in.context, 0xD7, left < 0 ? ROLE_BAD : ROLE_CEILING);
  plot_end(&p);
}

/* The same load on one of every device we know: from the large screen up. */
static void draw_catalogue(struct canvas *c, struct rect r, const struct view *v) {
  const struct world *w = v->world;
  struct part part[PART_MAX];
  double share = 1 / known(v, "devices_used"), each = known(v, "device_total_byte");
  int n = parts_of(v, share, part), y = r.y + 1, name = r.w < 48 ? 14 : 25, end = 12, skip = 0;
  int chosen = (int)v->setup->v[KNOB_DEVICE];
  if (!(each > 0) || r.w < name + end + 8 || r.h < 3) return;
  canvas_text(c, r.x, r.y, "elsewhere, on one device:", r.w, ROLE_DIM, 0);
  if (chosen > r.h / 2) skip = chosen - r.h / 2; /* the chosen one stays in sight */
  for (int i = skip; i < w->ndevice && y < r.y + r.h; i++) {
    double one = w->device[i].memory_byte.value;
    if (!(one > 0)) continue;
    bool fits = each <= one;
    canvas_text(c, r.x, y, w->device[i].id, name - 1, i == chosen ? ROLE_TITLE : ROLE_TEXT, i == chosen ? ATTR_BOLD : 0);
    widget_bar(c, (struct rect){r.x + name, y, r.w - name - end, 1}, part, n, fits ? one : each, fits ? NAN : one);
    text_at(c, r.x + r.w - end + 1, y, end - 1, fits ? " in " : "not ", one, "byte", "", fits ? ROLE_GOOD : ROLE_BAD, 0);
    y++;
  }
}

void fit_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct part part[PART_MAX];
  double devices = known(v, "devices_used");
  int n = parts_of(v, 1, part);
  bool wide = r.w >= 70 && r.h >= 14;
  struct rect side = {r.x, r.y, wide ? r.w * 9 / 20 : r.w, r.h};
  int y = side.y, words = side.h >= 6 ? 2 : 1;
  draw_words(c, (struct rect){side.x, y, side.w, words}, v);
  y += words;
  int bars = side.h < 2 ? 0 : side.h < 6 ? 1 : devices > 1 && side.h >= 14 ? (devices > 3 ? 4 : (int)devices) : 2;
  draw_bars(c, (struct rect){side.x, y, side.w, bars}, v);
  y += bars;
  if (wide) {
    draw_table(c, (struct rect){side.x, y + 1, side.w, n}, v);
    y += n + 2;
    draw_catalogue(c, (struct rect){side.x, y, side.w, side.y + side.h - y}, v);
    draw_frontier(c, (struct rect){r.x + side.w + 2, r.y, r.w - side.w - 2, r.h}, v);
    return;
  }
  int legend = side.h - (y - side.y) >= 8 ? 2 : 1;
  if (side.y + side.h - y >= legend) widget_legend(c, (struct rect){side.x, y, side.w, legend}, part, n);
  y += legend;
  if (side.y + side.h - y >= 4) draw_frontier(c, (struct rect){r.x, y, r.w, r.y + r.h - y}, v);
}
