/* The machines scene's tables: the catalogue, one device's figures, the layers of a peak, the factors of a CPU, the operations of two
 * devices, the ranking. */
#include <math.h>

#include "model/roof.h"
#include "scenes/machines.h"

static struct fact number(const char *name, const char *unit, double v, const char *meaning) {
  return (struct fact){.name = name, .unit = unit, .value = v, .meaning = meaning};
}

static struct fact word(const char *name, const char *w, const char *meaning) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = w, .meaning = meaning};
}

static int rows_table(const struct world *w, const struct setup *s, int row, struct fact *out) {
  uint8_t list[DEVICE_MAX];
  int unverified;
  if (row >= machines_list(w, s, list)) return 0;
  const struct device *d = &w->device[list[row]];
  struct sheet sheet = machines_sheet(w, s, list[row]);
  out[0] = word("device", d->id, "Its id: device=ID.");
  out[1] = word("family", family_name(d->family), "What kind of device it is.");
  out[2] = number("year", "", d->year ? d->year : NAN, "When it came out.");
  out[3] = number("memory_byte", "byte", sheet.memory_byte, "Capacity of its main memory.");
  out[4] = number("memory_byte_per_s", "byte/s", sheet.byte_per_s, "Its rate.");
  out[5] = number("peak_flop_per_s", "flop/s", sheet.peak, "Dense peak, or the headline when advertised.");
  out[6] = word("arithmetic", sheet.math == DTYPE_N ? "" : dtype_name(sheet.math), "The data type of the peak.");
  out[7] = number("balance_point", "flop/byte", sheet.balance, "Peak over memory rate.");
  out[8] = number("power_w", "W", d->tdp_w.value, "Design power.");
  out[9] = number("flop_per_j", "flop/J", sheet.flop_per_j, "Peak over power.");
  sheet_figures(d, &unverified);
  out[10] = number("unverified", "n", unverified, "Figures nobody has checked.");
  out[11] = word("figures", d->illustrative ? "illustrative" : figure_word(&d->memory_byte_per_s), "Whose the memory rate is.");
  return 12;
}

static int rows_card(const struct world *w, const struct setup *s, int row, struct fact *out) {
  const struct device *d = machines_device(w, s);
  struct sheet_figure f;
  if (!sheet_figure(d, row, &f)) {
    int unverified, after = row - sheet_figures(d, &unverified);
    const char *head[] = {"good at", "not good at", "programmed with", "headline", "notes"};
    const char *said[] = {d->strengths, d->constraints, d->software, d->headline, d->notes};
    if (after >= 5) return 0;
    out[0] = word("figure", head[after], "What is meant.");
    out[1] = number("value", "", NAN, "How much.");
    out[2] = word("of", "", "What it must not be mixed up with.");
    out[3] = word("from", "", "Where it comes from.");
    out[4] = word("checked", "", "Whether anybody checked it against a source.");
    out[5] = word("source", said[after][0] ? said[after] : "nothing on record", "Who says so.");
    out[6] = word("date", "", "When.");
    return 7;
  }
  const struct cite *cite = d->ncite > 0 ? &d->cite[f.figure.cite] : NULL;
  out[0] = word("figure", f.name, "What is meant.");
  out[1] = number("value", f.unit, f.figure.value, "How much.");
  out[2] = word("of", f.of, "What it must not be mixed up with.");
  out[3] = word("from", source_name((enum source)f.figure.source), "Where it comes from.");
  out[4] = word("checked", f.figure.unverified ? "no" : "yes", "Whether anybody checked it against a source.");
  out[5] = word("source", cite ? cite->text : d->machine.measured ? "this machine" : "", "Who says so.");
  out[6] = word("date", cite ? cite->date : d->machine.date, "When.");
  return 7;
}

static int rows_peak(const struct world *w, const struct setup *s, int row, struct fact *out) {
  static const char *const name[PEEL_N + 1] = {"headline", "no sparsity", "my data type", "any operation", "real use"};
  struct peeled p = machines_peeled(w, s);
  if (row > PEEL_N) return 0;
  double rate = machines_device(w, s)->memory_byte_per_s.value, left = row == 0 ? p.headline : p.left[row - 1];
  out[0] = word("layer", name[row], "What is taken off, with all before it.");
  out[1] = number("factor", "x", row == 0 ? 1 : p.factor[row - 1], "What it divides by; unknown takes nothing off.");
  out[2] = number("left_flop_per_s", "flop/s", left, "What is left.");
  out[3] = number("of_headline", "%", left / p.headline, "As a share of the headline.");
  out[4] = number("memory_byte_per_s", "byte/s", rate, "The memory rate: the same in every row.");
  out[5] = number("balance_point", "flop/byte", roof_ridge(left, rate), "Their ratio.");
  out[6] = word("taken_off", row == 0 ? "" : s->v[KNOB_PEEL_SPARSITY + row - 1] > 0.5 ? "yes" : "no", "Whether its knob takes it off.");
  return 7;
}

static int rows_cpu(const struct world *w, const struct setup *s, int row, struct fact *out) {
  static const char *const name[] = {"cores", "units", "lanes", "flop a multiply-add", "clock", "peak"};
  static const char *const unit[] = {"n", "n", "n", "n", "Hz", "flop/s"};
  struct built here = machines_here(w);
  double cores = s->v[KNOB_CORES], units = s->v[KNOB_UNITS], lanes = s->v[KNOB_LANES], clock = s->v[KNOB_CLOCK];
  const double built[] = {cores, units, lanes, 2, clock, peel_built(cores, units, lanes, clock)};
  const double mine[] = {here.threads, here.units, here.lanes, 2, here.clock_hz, here.flop_per_s};
  if (row >= 6) return 0;
  out[0] = word("factor", name[row], "A factor of the peak; the last row is their product.");
  out[1] = number("built", unit[row], built[row], "As the knobs have it.");
  out[2] = number("here", unit[row], mine[row], "As measured on this machine; a core is a thread, units follow from the rest.");
  return 3;
}

static int rows_twins(const struct world *w, const struct setup *s, int row, struct fact *out) {
  struct twins t = machines_twins(w, s);
  if (row >= TWIN_OPS) return 0;
  struct twin_op op = machines_op(row);
  double a = roof_attainable(t.peak[0], t.byte_per_s[0], op.flop_per_byte),
         b = roof_attainable(t.peak[1], t.byte_per_s[1], op.flop_per_byte);
  out[0] = word("operation", op.name, "What is computed, on values of 16 bit.");
  out[1] = number("flop_per_byte", "flop/byte", op.flop_per_byte, "Its intensity at main memory.");
  out[2] = number("first_flop_per_s", "flop/s", a, "What the first reaches at most.");
  out[3] = number("second_flop_per_s", "flop/s", b, "What the second reaches at most.");
  out[4] = number("ratio", "x", b / a, "Second over first.");
  return 5;
}

static int rows_choose(const struct world *w, const struct setup *s, int row, struct fact *out) {
  uint8_t list[DEVICE_MAX];
  struct offer offer[DEVICE_MAX];
  struct job job = machines_job(s);
  int n = machines_list(w, s, list);
  if (row >= n) return 0;
  choose_rank(w, list, n, &job, offer);
  const struct offer *o = &offer[row];
  bool serves = choose_serves(o);
  out[0] = number("rank", "n", serves ? row + 1 : NAN, "Its place; unknown when it cannot serve.");
  out[1] = word("device", w->device[o->device].id, "Its id.");
  out[2] = word("holds_it",
                o->fits == FITS_YES  ? "yes"
                : o->fits == FITS_NO ? "no"
                                     : "not known",
                "Whether its memory holds what must be there.");
  out[3] = number("devices_needed", "n", o->needed, "How many hold it.");
  out[4] = number("time_least", "s", o->time, "No time below this is possible.");
  out[5] = number("work_per_s", "1", 1 / o->time, "Pieces of work a second, at most.");
  out[6] = word("bound", bound_name(o->bound), "What decides.");
  out[7] = number("busy_share", "%", o->busy_share, "Share of its peak this work can use.");
  out[8] = word("arithmetic", o->math == DTYPE_N ? "" : dtype_name(o->math), "The data type of its peak.");
  out[9] = word("against", o->against ? o->against : "", "Why it is a poor fit for what is special about the work.");
  return 10;
}

int machines_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  if (row < 0) return 0;
  switch (machines_view(s)) {
  case VIEW_CARD: return rows_card(w, s, row, out);
  case VIEW_PEAK: return rows_peak(w, s, row, out);
  case VIEW_CPU: return rows_cpu(w, s, row, out);
  case VIEW_TWINS: return rows_twins(w, s, row, out);
  case VIEW_CHOOSE: return rows_choose(w, s, row, out);
  default: return rows_table(w, s, row, out);
  }
}
