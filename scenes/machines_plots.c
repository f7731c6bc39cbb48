/* The machines scene's plots: capacity and rate, rate and peak with lines of one balance, two devices under their roofs. */
#include <math.h>
#include <string.h>

#include "model/roof.h"
#include "scenes/machines.h"
#include "tui/plot.h"
#include "tui/widget.h"

static void widen(double v, double lo_hi[2]) {
  if (!(v > 0) || !isfinite(v)) return;
  if (!(lo_hi[0] <= v)) lo_hi[0] = v;
  if (!(lo_hi[1] >= v)) lo_hi[1] = v;
}

/* A little more than everything: the list changes seldom, and the axes with it. */
static void settle(double v[2], double lo, double hi, double out[2]) {
  if (isnan(v[0])) v[0] = lo, v[1] = hi;
  out[0] = v[0] / 2, out[1] = v[1] * 2;
}

/* Room for two roofs and for what a workload gets under them. */
static void axes_roofs(const double peak[2], const double rate[2], double intensity, struct axes *out) {
  double x[2] = {NAN, NAN}, y[2] = {NAN, NAN};
  widen(intensity, x);
  for (int i = 0; i < 2; i++) {
    double ridge = roof_ridge(peak[i], rate[i]);
    widen(ridge * 8, x);
    widen(ridge / 30, x);
    widen(peak[i] * 2, y);
  }
  for (int i = 0; i < 2; i++) widen(roof_attainable(peak[i], rate[i], x[0]), y);
  settle(x, 0.1, 1000, out->x);
  settle(y, 1e9, 1e12, out->y);
}

/* The device and the first of the ranking. */
static void best_two(const struct world *w, const struct setup *s, int device[2]) {
  uint8_t list[DEVICE_MAX];
  device[0] = device[1] = (int)s->v[KNOB_DEVICE];
  if (machines_list(w, s, list) > 0) device[1] = list[0];
}

void machines_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  (void)prev;
  uint8_t list[DEVICE_MAX];
  int n = machines_list(w, s, list), two[2];
  double memory[2] = {NAN, NAN}, rate[2] = {NAN, NAN}, peak[2] = {NAN, NAN};
  out->x2[0] = out->x2[1] = out->y2[0] = out->y2[1] = NAN;
  switch (machines_view(s)) {
  case VIEW_TWINS: {
    struct twins t = machines_twins(w, s);
    axes_roofs(t.peak, t.byte_per_s, s->v[KNOB_INTENSITY], out);
    return;
  }
  case VIEW_CHOOSE:
    best_two(w, s, two);
    for (int i = 0; i < 2; i++) {
      struct sheet sheet = sheet_of(&w->device[two[i]], (enum dtype)(int)s->v[KNOB_DTYPE], false);
      peak[i] = sheet.peak, rate[i] = sheet.byte_per_s;
    }
    axes_roofs(peak, rate, s->v[KNOB_INTENSITY], out);
    return;
  case VIEW_PEAK: {
    struct peeled p = machines_peeled(w, s);
    peak[0] = p.headline, peak[1] = p.left[PEEL_N - 1];
    rate[0] = rate[1] = machines_device(w, s)->memory_byte_per_s.value;
    axes_roofs(peak, rate, NAN, out);
    return;
  }
  default: break;
  }
  for (int i = 0; i < n; i++) {
    struct sheet sheet = machines_sheet(w, s, list[i]);
    widen(sheet.memory_byte, memory);
    widen(sheet.byte_per_s, rate);
    widen(sheet.peak, peak);
  }
  settle(memory, 1e9, 1e13, out->x);
  settle(rate, 1e10, 1e13, out->y);
  settle(rate, 1e10, 1e13, out->x2);
  settle(peak, 1e11, 1e16, out->y2);
}

/* A letter a family, so that the kinds are told apart without colour. */
static uint32_t mark(enum family f) {
  static const char letter[FAMILY_N] = {'c', 'g', 't', 'a', 'n', 'f'};
  return (uint32_t)letter[f];
}
static enum role family_role(enum family f) {
  static const enum role role[FAMILY_N] = {ROLE_MEMORY, ROLE_COMPUTE, ROLE_KV, ROLE_LINK, ROLE_ACTIVATION, ROLE_OPTIMIZER};
  return role[f];
}

/* The text's place beside a point: right, left, or the rows next to it, where no other text stands. It may lie on a line. */
static bool name_place(struct canvas *c, struct rect area, int column, int row, const char *name, enum role role, int attr) {
  int w = text_columns(name);
  const int at[][2] = {{2, 0}, {-w - 1, 0}, {2, -1}, {2, 1}, {-w - 1, -1}, {-w - 1, 1}, {-w / 2, -1}, {-w / 2, 1}};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    int x = column + at[i][0], y = row + at[i][1];
    bool free = x >= area.x && x + w <= area.x + area.w && y >= area.y && y < area.y + area.h;
    for (int k = -1; k <= w && free; k++) {
      const struct cell *cell = canvas_at(c, x + k, y);
      free = k < 0 || k == w ? !cell || !cell->glyph || x + k == column : cell && !cell->glyph;
    }
    if (free) return canvas_text(c, x, y, name, -1, role, attr) > 0;
  }
  return false;
}

/* How a device is to be seen in a plot. */
static void device_place(const struct view *v, int device, bool by_peak, double at[2]) {
  struct sheet s = machines_sheet(v->world, v->setup, device);
  at[0] = by_peak ? s.byte_per_s : s.memory_byte;
  at[1] = by_peak ? s.peak : s.byte_per_s;
}

static void draw_devices(struct plot *p, const struct view *v, bool by_peak) {
  uint8_t list[DEVICE_MAX];
  int n = machines_list(v->world, v->setup, list), chosen = (int)v->setup->v[KNOB_DEVICE];
  for (int i = 0; i < n; i++) {
    const struct device *d = &v->world->device[list[i]];
    double at[2];
    device_place(v, list[i], by_peak, at);
    if (!(at[0] > 0) || !(at[1] > 0) || list[i] == chosen) continue;
    plot_point(p, at[0], at[1], list[i] == DEVICE_HERE ? 'o' : mark(d->family),
               list[i] == DEVICE_HERE ? ROLE_MEASURED : family_role(d->family));
  }
  double at[2];
  device_place(v, chosen, by_peak, at);
  if (at[0] > 0 && at[1] > 0) plot_point(p, at[0], at[1], 0xD7, ROLE_CEILING);
}

/* After everything else is in its place: the names, the chosen one's first, the others while there is room beside their points. */
static void draw_names(struct plot *p, const struct view *v, bool by_peak) {
  uint8_t list[DEVICE_MAX];
  int n = machines_list(v->world, v->setup, list), chosen = (int)v->setup->v[KNOB_DEVICE];
  for (int pass = 0; pass < 3; pass++)
    for (int i = 0; i < n; i++) {
      double at[2];
      int which = list[i] == chosen ? 0 : list[i] == DEVICE_HERE ? 1 : 2;
      device_place(v, list[i], by_peak, at);
      if (which != pass || !(at[0] > 0) || !(at[1] > 0)) continue;
      name_place(p->canvas, p->area, plot_column(p, at[0]), plot_row(p, at[1]), machines_brief(v->world->device[list[i]].id),
                 pass == 0   ? ROLE_TITLE
                 : pass == 1 ? ROLE_MEASURED
                             : ROLE_TEXT,
                 pass == 0 ? ATTR_BOLD : 0);
    }
}

/* Which letters are in the list, on one row. */
static void draw_letters(struct canvas *c, struct rect r, const struct view *v) {
  uint8_t list[DEVICE_MAX];
  int n = machines_list(v->world, v->setup, list), x = r.x;
  for (int f = 0; f < FAMILY_N; f++) {
    bool any = false;
    for (int i = 0; i < n; i++) any = any || (int)v->world->device[list[i]].family == f;
    if (!any || x + 8 > r.x + r.w) continue;
    canvas_put(c, x, r.y, mark((enum family)f), family_role((enum family)f), ATTR_BOLD);
    x += 2 + canvas_text(c, x + 2, r.y, family_name((enum family)f), -1, ROLE_DIM, 0) + 2;
  }
}

/* Lines y = x / of: of one time to read it all, or y = x × of: of one balance. */
static void draw_diagonals(struct plot *p, const double *value, int n, const char *unit, const char *words, bool times) {
  if (p->area.h < 8) return; /* too small for more than the points */
  for (int i = 0; i < n; i++) {
    double k = times ? value[i] : 1 / value[i];
    struct text t;
    text_clear(&t);
    text_number(&t, value[i], unit);
    text_add(&t, words);
    plot_line(p, p->x.lo, k * p->x.lo, p->x.hi, k * p->x.hi, ROLE_GRID);
    plot_line_label(p, p->x.lo, k * p->x.lo, p->x.hi, k * p->x.hi, t.s, "", ROLE_AXIS, 3);
  }
}

static void draw_capacity(struct canvas *c, struct rect r, const struct view *v) {
  static const double times[] = {10e-3, 100e-3, 1, 10};
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "byte", "capacity"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "byte/s", "memory rate"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  draw_diagonals(&p, times, 4, "s", " to read it", false);
  draw_devices(&p, v, false);
  plot_end(&p);
  draw_names(&p, v, false);
}

static void draw_peaks(struct canvas *c, struct rect r, const struct view *v) {
  static const double balances[] = {1, 10, 100, 1000};
  struct axis x = {v->axes->x2[0], v->axes->x2[1], true, "byte/s", "memory rate"};
  struct axis y = {v->axes->y2[0], v->axes->y2[1], true, "flop/s", v->setup->v[KNOB_ADVERTISED] > 0.5 ? "advertised peak" : "peak"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  draw_diagonals(&p, balances, 4, "1", " FLOP/byte", true);
  draw_devices(&p, v, true);
  plot_end(&p);
  draw_names(&p, v, true);
}

/* Capacity and rate, rate and peak: the one asked for, and the other beside or below it where there is room. */
static void draw_both(struct canvas *c, struct rect r, const struct view *v, bool peaks_first) {
  void (*const plot[2])(struct canvas *, struct rect, const struct view *) = {peaks_first ? draw_peaks : draw_capacity,
                                                                              peaks_first ? draw_capacity : draw_peaks};
  bool letters = r.h >= 10;
  struct rect at = {r.x, r.y + letters, r.w, r.h - letters};
  if (letters) draw_letters(c, (struct rect){r.x, r.y, r.w, 1}, v);
  if (at.w >= 120) {
    int half = at.w / 2;
    plot[0](c, (struct rect){at.x, at.y, half - 1, at.h}, v);
    plot[1](c, (struct rect){at.x + half + 1, at.y, at.w - half - 1, at.h}, v);
  } else if (at.h >= 40) {
    int half = at.h / 2;
    plot[0](c, (struct rect){at.x, at.y, at.w, half}, v);
    plot[1](c, (struct rect){at.x, at.y + half + 1, at.w, at.h - half - 1}, v);
  } else
    plot[0](c, at, v);
}

void machines_draw_plot(struct canvas *c, struct rect r, const struct view *v) { draw_both(c, r, v, false); }
void machines_draw_balance(struct canvas *c, struct rect r, const struct view *v) { draw_both(c, r, v, true); }

/* ---- roofs ---- */

static void draw_roof(struct plot *p, double peak, double rate, const char *name, enum role role, int rank) {
  double ridge = peak / rate;
  struct text t;
  if (!(peak > 0) || !(rate > 0)) return;
  text_clear(&t);
  text_add(&t, name);
  text_add(&t, " ");
  text_number(&t, rate, "byte/s");
  plot_line(p, p->x.lo, rate * p->x.lo, ridge, peak, role);
  plot_line(p, ridge, peak, p->x.hi, peak, role);
  plot_line_label(p, p->x.lo, rate * p->x.lo, ridge, peak, t.s, name, role, rank);
}

/* The operations as rows: what each of the two reaches. */
static void draw_operations(struct canvas *c, struct rect r, const struct twins *t) {
  static const char *const head[] = {"FLOP/byte", "first", "second", ""};
  int name = 17, w = 14, columns = (r.w - name) / w > 4 ? 4 : (r.w - name) / w;
  for (int k = 0; k < columns; k++) canvas_text_right(c, r.x + name + k * w, r.x + name + (k + 1) * w - 1, r.y, head[k], ROLE_AXIS, 0);
  for (int i = 0; i < TWIN_OPS && i + 1 < r.h; i++) {
    struct twin_op op = machines_op(i);
    double a = roof_attainable(t->peak[0], t->byte_per_s[0], op.flop_per_byte),
           b = roof_attainable(t->peak[1], t->byte_per_s[1], op.flop_per_byte);
    const double value[] = {op.flop_per_byte, a, b, b / a};
    static const char *const unit[] = {"1", "flop/s", "flop/s", "x"};
    canvas_text(c, r.x, r.y + 1 + i, op.name, name - 1, ROLE_TEXT, 0);
    for (int k = 0; k < columns; k++) {
      struct text text;
      text_clear(&text);
      text_number(&text, value[k], unit[k]);
      canvas_text_right(c, r.x + name + k * w, r.x + name + (k + 1) * w - 1, r.y + 1 + i, text.s,
                        k == 2   ? ROLE_COMPARE
                        : k == 1 ? ROLE_ROOF
                                 : ROLE_TEXT,
                        0);
    }
  }
}

/* Two roofs, a vertical at the workload's intensity, and what it gets under each. */
static void draw_roofs(struct canvas *c, struct rect r, const struct view *v, const struct twins *t, double at) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop/byte", "FLOP per byte from main memory"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  if (at > 0) plot_vline(&p, at, ROLE_GRID, true);
  draw_roof(&p, t->peak[1], t->byte_per_s[1], t->name[1], ROLE_COMPARE, 2);
  draw_roof(&p, t->peak[0], t->byte_per_s[0], t->name[0], ROLE_ROOF, 1);
  for (int i = 0; i < 2 && at > 0; i++) {
    struct text text;
    double gets = roof_attainable(t->peak[i], t->byte_per_s[i], at);
    text_clear(&text);
    text_number(&text, gets, "flop/s");
    plot_point(&p, at, gets, 0xD7, ROLE_CEILING);
    if (gets > 0 && (i == 0 || t->name[0] != t->name[1]))
      plot_label(&p, at, gets, text.s, "", ROLE_CEILING, i ? ANCHOR_LEFT : ANCHOR_RIGHT, 3);
  }
  plot_end(&p);
}

void machines_draw_twins(struct canvas *c, struct rect r, const struct view *v) {
  struct twins t = machines_twins(v->world, v->setup);
  int rows = r.h >= 22 && r.w >= 56 ? TWIN_OPS + 1 : 0;
  if (!(t.peak[0] > 0 && t.byte_per_s[0] > 0) && !(t.peak[1] > 0 && t.byte_per_s[1] > 0)) {
    widget_words(c, r, "Neither has both a peak and a memory rate that are known.", ROLE_WARN);
    return;
  }
  if (rows) draw_operations(c, (struct rect){r.x, r.y + r.h - rows, r.w, rows}, &t);
  draw_roofs(c, (struct rect){r.x, r.y, r.w, r.h - rows - (rows > 0)}, v, &t, v->setup->v[KNOB_INTENSITY]);
}

/* Where the workload stands: under the roof of the device, and of the first of the ranking. */
void machines_draw_place(struct canvas *c, struct rect r, const struct view *v) {
  struct twins t = {.real = true};
  int device[2];
  best_two(v->world, v->setup, device);
  for (int i = 0; i < 2; i++) {
    struct sheet s = sheet_of(&v->world->device[device[i]], (enum dtype)(int)v->setup->v[KNOB_DTYPE], false);
    t.name[i] = machines_brief(v->world->device[device[i]].id), t.peak[i] = s.peak, t.byte_per_s[i] = s.byte_per_s;
  }
  draw_roofs(c, r, v, &t, v->setup->v[KNOB_INTENSITY]);
}

/* The advertised roof and what is left of it: the flat part falls, the slope stays. */
void machines_draw_fall(struct canvas *c, struct rect r, const struct view *v) {
  struct peeled p = machines_peeled(v->world, v->setup);
  double rate = machines_device(v->world, v->setup)->memory_byte_per_s.value, left = p.now[PEEL_N - 1];
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop/byte", "FLOP per byte from main memory"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  struct plot plot;
  if (!(p.headline > 0) || !(rate > 0) || !plot_begin(&plot, c, r, &x, &y)) return;
  plot_line(&plot, plot.x.lo, rate * plot.x.lo, p.headline / rate, p.headline, ROLE_ROOF_OTHER);
  plot_line(&plot, p.headline / rate, p.headline, plot.x.hi, p.headline, ROLE_ROOF_OTHER);
  plot_line(&plot, plot.x.lo, rate * plot.x.lo, left / rate, left, ROLE_ROOF);
  plot_line(&plot, left / rate, left, plot.x.hi, left, ROLE_ROOF);
  plot_line_label(&plot, p.headline / rate, p.headline, plot.x.hi, p.headline, "advertised", "", ROLE_ROOF_OTHER, 2);
  if (left < 0.99 * p.headline) plot_line_label(&plot, left / rate, left, plot.x.hi, left, "left", "", ROLE_ROOF, 1);
  plot_line_label(&plot, plot.x.lo, rate * plot.x.lo, left / rate, left, "memory rate: as it was", "memory", ROLE_MEMORY, 3);
  plot_end(&plot);
}
