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

void machines_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  (void)prev;
  uint8_t list[DEVICE_MAX];
  int n = machines_list(w, s, list);
  double memory[2] = {NAN, NAN}, rate[2] = {NAN, NAN}, peak[2] = {NAN, NAN};
  out->x2[0] = out->x2[1] = out->y2[0] = out->y2[1] = NAN;
  if (machines_view(s) == VIEW_TWINS) {
    struct twins t = machines_twins(w, s);
    double x[2] = {NAN, NAN}, y[2] = {NAN, NAN};
    widen(s->v[KNOB_INTENSITY], x);
    for (int i = 0; i < 2; i++) {
      double ridge = roof_ridge(t.peak[i], t.byte_per_s[i]);
      widen(ridge * 8, x);
      widen(ridge / 30, x);
      widen(t.peak[i] * 2, y);
      widen(roof_attainable(t.peak[i], t.byte_per_s[i], x[0]), y);
    }
    settle(x, 0.1, 1000, out->x);
    settle(y, 1e9, 1e12, out->y);
    return;
  }
  for (int i = 0; i < n; i++) {
    struct sheet sheet = machines_sheet(w, s, list[i]);
    widen(sheet.memory_byte, memory);
    widen(sheet.byte_per_s, rate);
    widen(sheet.peak, peak);
  }
  if (machines_view(s) == VIEW_BALANCE) {
    settle(rate, 1e10, 1e13, out->x);
    settle(peak, 1e11, 1e16, out->y);
  } else {
    settle(memory, 1e9, 1e13, out->x);
    settle(rate, 1e10, 1e13, out->y);
  }
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

void machines_draw_plot(struct canvas *c, struct rect r, const struct view *v) {
  static const double times[] = {10e-3, 100e-3, 1, 10};
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "byte", "capacity"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "byte/s", "memory rate"};
  struct plot p;
  bool letters = r.h >= 10;
  struct rect at = {r.x, r.y + letters, r.w, r.h - letters};
  if (letters) draw_letters(c, (struct rect){r.x, r.y, r.w, 1}, v);
  if (!plot_begin(&p, c, at, &x, &y)) return;
  draw_diagonals(&p, times, 4, "s", " to read it", false);
  draw_devices(&p, v, false);
  plot_end(&p);
  draw_names(&p, v, false);
}

void machines_draw_balance(struct canvas *c, struct rect r, const struct view *v) {
  static const double balances[] = {1, 10, 100, 1000};
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "byte/s", "memory rate"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", "peak"};
  struct plot p;
  bool letters = r.h >= 10;
  struct rect at = {r.x, r.y + letters, r.w, r.h - letters};
  if (letters) draw_letters(c, (struct rect){r.x, r.y, r.w, 1}, v);
  if (!plot_begin(&p, c, at, &x, &y)) return;
  draw_diagonals(&p, balances, 4, "1", " FLOP/byte", true);
  draw_devices(&p, v, true);
  plot_end(&p);
  draw_names(&p, v, true);
}

/* ---- twins ---- */

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
  int name = 17, w = 12, columns = (r.w - name) / w > 4 ? 4 : (r.w - name) / w;
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

void machines_draw_twins(struct canvas *c, struct rect r, const struct view *v) {
  struct twins t = machines_twins(v->world, v->setup);
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop/byte", "FLOP per byte from main memory"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  struct plot p;
  double at = v->setup->v[KNOB_INTENSITY];
  int rows = r.h >= 22 && r.w >= 56 ? TWIN_OPS + 1 : 0;
  if (!(t.peak[0] > 0 && t.byte_per_s[0] > 0) && !(t.peak[1] > 0 && t.byte_per_s[1] > 0)) {
    widget_words(c, r, "Neither has both a peak and a memory rate that are known.", ROLE_WARN);
    return;
  }
  if (rows) draw_operations(c, (struct rect){r.x, r.y + r.h - rows, r.w, rows}, &t);
  if (!plot_begin(&p, c, (struct rect){r.x, r.y, r.w, r.h - rows - (rows > 0)}, &x, &y)) return;
  plot_vline(&p, at, ROLE_GRID, true);
  draw_roof(&p, t.peak[1], t.byte_per_s[1], t.name[1], ROLE_COMPARE, 2);
  draw_roof(&p, t.peak[0], t.byte_per_s[0], t.name[0], ROLE_ROOF, 1);
  for (int i = 0; i < 2; i++) {
    struct text text;
    double gets = roof_attainable(t.peak[i], t.byte_per_s[i], at);
    text_clear(&text);
    text_number(&text, gets, "flop/s");
    plot_point(&p, at, gets, 0xD7, ROLE_CEILING);
    if (gets > 0) plot_label(&p, at, gets, text.s, "", ROLE_CEILING, i ? ANCHOR_LEFT : ANCHOR_RIGHT, 3);
  }
  plot_end(&p);
}
