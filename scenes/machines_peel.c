/* The machines scene's two pictures of a peak: what is counted into a headline, and what a CPU's is multiplied from. */
#include <math.h>

#include "scenes/machines.h"
#include "tui/number.h"
#include "tui/widget.h"

/* A bar on a log scale that starts two and a half decades below `full`: a factor is a length, whatever it is taken from. */
static void log_bar(struct canvas *c, struct rect r, double v, double full, enum role role, char letter) {
  static const double DECADES = 2.5;
  double share = 1 + log10(v / full) / DECADES;
  struct part part = {share > 0.01 ? share : 0.01, role, letter, ""};
  if (r.w >= 4 && v > 0 && full > 0) widget_bar(c, r, &part, 1, 1, NAN);
}

static void value_right(struct canvas *c, int x, int x_end, int y, double v, const char *unit, enum role role, int attr, bool ascii) {
  char number[NUMBER_MAX];
  canvas_text_right(c, x, x_end, y, number_print(number, v, unit, 3, ascii), role, attr);
}

void machines_draw_peak(struct canvas *c, struct rect r, const struct view *v) {
  static const char *const name[PEEL_N] = {"no sparsity", "my data type", "any operation", "real use"};
  struct peeled p = machines_peeled(v->world, v->setup);
  const struct device *d = machines_device(v->world, v->setup);
  double rate = d->memory_byte_per_s.value;
  int label = 15, number = 13, divisor = r.w >= 46 ? 8 : 0, balance = r.w >= 74 ? 16 : 0, bar = r.w - label - number - divisor - balance;
  int step = r.h >= 16 ? 2 : 1, y = r.y;
  if (isnan(p.headline)) {
    widget_words(c, r, "No peak of this device is known.", ROLE_WARN);
    return;
  }
  int x_number = r.x + label + (bar > 0 ? bar : 0);
  canvas_text(c, r.x, y, "arithmetic", label - 1, ROLE_AXIS, 0);
  if (bar >= 14) canvas_text(c, r.x + label, y, "log scale", bar - 1, ROLE_DIM, 0);
  if (balance) canvas_text_right(c, r.x + r.w - balance, r.x + r.w, y, "balance", ROLE_AXIS, 0);
  y++;
  for (int i = -1; i < PEEL_N && y < r.y + r.h; i++, y += step) {
    bool off = i >= 0 && v->setup->v[KNOB_PEEL_SPARSITY + i] > 0.5, unknown = i >= 0 && isnan(p.factor[i]);
    double left = i < 0 ? p.headline : p.now[i], before = i < 1 ? p.headline : p.now[i - 1];
    double factor = off ? before / left : i < 0 ? 1 : p.factor[i];
    enum role role = i < 0 ? ROLE_COMPARE : off ? ROLE_COMPUTE : ROLE_DIM;
    canvas_text(c, r.x, y, i < 0 ? "advertised" : name[i], label - 1, i < 0 || off ? ROLE_TEXT : ROLE_DIM, i < 0 || off ? ATTR_BOLD : 0);
    log_bar(c, (struct rect){r.x + label, y, bar - 1, 1}, left, p.headline, i < 0 || off ? role : ROLE_FREE, 0);
    if (i < 0 || off)
      value_right(c, x_number, x_number + number - 1, y, left, "flop/s", ROLE_TEXT, ATTR_BOLD, v->ascii);
    else
      canvas_text_right(c, x_number, x_number + number - 1, y, "still on", ROLE_DIM, 0);
    if (divisor && i >= 0) {
      struct text t;
      char digits[NUMBER_MAX];
      text_clear(&t);
      text_add(&t, unknown ? "" : "÷ ");
      text_add(&t, unknown ? "unknown" : number_print(digits, factor, "1", 3, v->ascii));
      canvas_text_right(c, x_number + number, x_number + number + divisor, y, t.s, off ? ROLE_WARN : ROLE_DIM, 0);
    }
    if (balance && (i < 0 || off)) value_right(c, r.x + r.w - balance, r.x + r.w, y, left / rate, "flop/byte", ROLE_DIM, 0, v->ascii);
  }
  if (y + 1 >= r.y + r.h || step == 1) y -= step - 1;
  if (y < r.y + r.h) canvas_text(c, r.x, y++, "memory rate: the same all the way down", r.w, ROLE_AXIS, 0);
  for (int i = 0; i < 2 && y < r.y + r.h; i++, y++) {
    canvas_text(c, r.x, y, i == 0 ? "advertised" : "then", label - 1, ROLE_TEXT, 0);
    log_bar(c, (struct rect){r.x + label, y, bar - 1, 1}, rate > 0 ? 1 : NAN, 1, ROLE_MEMORY, 0);
    value_right(c, x_number, x_number + number - 1, y, rate, "byte/s", ROLE_TEXT, ATTR_BOLD, v->ascii);
    if (divisor && i) canvas_text_right(c, x_number + number, x_number + number + divisor, y, "÷ 1", ROLE_DIM, 0);
  }
  if (r.y + r.h - y >= 11) machines_draw_fall(c, (struct rect){r.x, y + 1, r.w, r.y + r.h - y - 1}, v);
}

/* This machine by instruction set: the lanes double, and the rate with them as long as the units keep up. */
static void draw_sets(struct canvas *c, struct rect r, const struct view *v) {
  const struct machine *m = &v->world->device[DEVICE_HERE].machine;
  static const char *const head[] = {"lanes", "all threads", "a cycle"};
  static const int width[] = {8, 16, 14};
  int name = 16, y = r.y, x = r.x + name;
  if (!m->measured || v->hide_measured) return;
  canvas_text(c, r.x, y, "instruction set", name - 1, ROLE_AXIS, 0);
  for (int k = 0; k < 3 && x + width[k] <= r.x + r.w; x += width[k++]) canvas_text_right(c, x, x + width[k] - 1, y, head[k], ROLE_AXIS, 0);
  for (int i = ISA_SCALAR; i < ISA_N && ++y < r.y + r.h; i++) {
    double rate = m->isa_peak[i][1];
    if (!(rate > 0)) {
      y--;
      continue;
    }
    const double value[] = {peel_lanes((enum isa)i), rate, rate / (m->threads * m->clock_hz)};
    static const char *const unit[] = {"n", "flop/s", "flop"};
    canvas_text(c, r.x, y, isa_name((enum isa)i), name - 1, ROLE_TEXT, 0);
    x = r.x + name;
    for (int k = 0; k < 3 && x + width[k] <= r.x + r.w; x += width[k++])
      value_right(c, x, x + width[k] - 1, y, value[k], unit[k], k ? ROLE_MEASURED : ROLE_TEXT, 0, v->ascii);
  }
}

void machines_draw_cpu(struct canvas *c, struct rect r, const struct view *v) {
  static const char *const name[] = {"cores", "units each", "lanes each", "FLOP a lane", "clock"};
  static const char *const mine_name[] = {"threads", "units each", "lanes each", "FLOP a lane", "clock"};
  static const char *const unit[2][5] = {{"n", "n", "n", "n", "Hz"}, {"n", "1", "n", "n", "Hz"}}; /* units follow from a measurement */
  struct built here = machines_here(v->world);
  const struct setup *s = v->setup;
  const double built[] = {s->v[KNOB_CORES], s->v[KNOB_UNITS], s->v[KNOB_LANES], 2, s->v[KNOB_CLOCK]};
  const double mine[] = {here.threads, here.units, here.lanes, 2, here.clock_hz};
  bool two = r.w >= 44 && !v->hide_measured;
  int w = two ? (r.w - 2) / 2 : r.w, step = r.h >= 15 ? 2 : 1;
  if (w > 48) w = 48;
  for (int side = 0; side < (two ? 2 : 1); side++) {
    int x = r.x + side * (w + 2), y = r.y;
    const double *value = side ? mine : built;
    double product = side ? here.flop_per_s : peel_built(built[0], built[1], built[2], built[4]);
    canvas_text(c, x, y, side ? "this machine, measured" : "built from its factors", w, side ? ROLE_MEASURED : ROLE_TITLE, ATTR_BOLD);
    y += step;
    for (int i = 0; i < 5 && y < r.y + r.h; i++, y += step) {
      canvas_text(c, x, y, i ? "×" : " ", 1, ROLE_DIM, 0);
      canvas_text(c, x + 2, y, side ? mine_name[i] : name[i], w - 12, ROLE_TEXT, 0);
      value_right(c, x + w - 10, x + w - 1, y, value[i], unit[side][i], side && i != 3 ? ROLE_MEASURED : ROLE_TEXT, 0, v->ascii);
    }
    if (y >= r.y + r.h) continue;
    canvas_hline(c, x, x + w - 2, y++, ROLE_BORDER, 0);
    if (y >= r.y + r.h) continue;
    canvas_text(c, x, y, "=", 1, ROLE_DIM, 0);
    canvas_text(c, x + 2, y, side ? "reached" : "at most", w - 16, ROLE_TEXT, 0);
    value_right(c, x + w - 13, x + w - 1, y, product, "flop/s", side ? ROLE_MEASURED : ROLE_ROOF, ATTR_BOLD, v->ascii);
    if (side && here.isa != ISA_AUTO && y + 1 < r.y + r.h) canvas_text(c, x + 2, y + 1, isa_name(here.isa), w - 3, ROLE_DIM, 0);
  }
  double product = fact_value(v->fact, v->nfact, "product_flop_per_s");
  int at = r.y + step * 6 + 3;
  if (two && product > 0 && at < r.y + r.h) {
    canvas_text(c, r.x + w + 4, at, w < 30 ? "product" : "a real product", w - 16, ROLE_TEXT, 0);
    value_right(c, r.x + 2 * w - 11, r.x + 2 * w + 1, at, product, "flop/s", ROLE_MEASURED, ATTR_BOLD, v->ascii);
  }
  int used = 8 + 6 * (step - 1) + 2;
  if (r.h - used >= 3) draw_sets(c, (struct rect){r.x, r.y + used + 1, r.w, r.h - used - 1}, v);
}
