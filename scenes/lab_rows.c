/* The lab's tables: the repetitions, the columns of the histogram, the hand-overs, the time line, the two curves. */
#include <math.h>

#include "model/sampling.h"
#include "scenes/lab.h"
#include "scenes/lab_record.h"

static struct fact number(const char *name, const char *unit, double v, const char *meaning) {
  return (struct fact){.name = name, .unit = unit, .value = v, .meaning = meaning};
}

static struct fact word(const char *name, const char *w, const char *meaning) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = w, .meaning = meaning};
}

static int rows_first(const struct run *r, int row, struct fact *out) {
  int kept = r->count < RUN_FIRST ? r->count : RUN_FIRST;
  if (row > kept) return 0;
  double time = row == 0 ? r->warmup_time : r->first[row - 1];
  unsigned flags = row == 0 ? 0 : r->first_flags[row - 1];
  out[0] = number("repetition", "n", row, "0 is the first of all, kept apart.");
  out[1] = number("time", "s", time, "Of one execution.");
  out[2] = number("over_median", "x", r->count > 0 ? time / r->median : NAN, "Over the median of the warm ones.");
  out[3] = word("mark", row == 0 ? "first" : flags & FLAG_DISTURBED ? "disturbed" : "", "What is known against it.");
  return 4;
}

static int rows_spread(const struct run *r, int row, struct fact *out) {
  struct histogram h;
  histogram_of(r->reservoir, r->reservoir_flags, FLAG_DISTURBED, r->count < RUN_RESERVOIR ? r->count : RUN_RESERVOIR, LAB_HISTOGRAM, &h);
  if (row >= h.n) return 0;
  out[0] = number("from", "s", h.lo + row * h.width, "Where the column begins.");
  out[1] =
      number("to", "s", row + 1 < h.n || h.beyond == 0 ? h.lo + (row + 1) * h.width : NAN, "Where it ends; unknown: it takes all beyond.");
  out[2] = number("samples", "n", h.count[row], "How many samples fell into it.");
  out[3] = number("disturbed", "n", h.marked[row], "How many of them were disturbed.");
  return 4;
}

static int rows_async(const struct world *w, const struct setup *s, int row, struct fact *out) {
  if (row > 4) return 0;
  double fma = 1 << 2 * row;
  struct request no = lab_async(s, false, fma), yes = lab_async(s, true, fma);
  double flop = work_of(no.op, no.shape, no.dtype).flop, submit = lab_time(w, &no), done = lab_time(w, &yes);
  out[0] = number("fma", "n", fma, "Multiply-adds on each element handed over.");
  out[1] = number("handed_flop", "flop", flop, "Arithmetic handed over.");
  out[2] = number("submit_time", "s", submit, "The clock stopped at once.");
  out[3] = number("done_time", "s", done, "The clock stopped when the work was done.");
  out[4] = number("async_ratio", "x", done / submit, "By how much the first is too small.");
  out[5] = number("claimed_flop_per_s", "flop/s", flop / submit, "The rate the first claims.");
  out[6] = number("true_flop_per_s", "flop/s", flop / done, "The rate of the second.");
  return 7;
}

static int rows_long(const struct run *r, int row, struct fact *out) {
  struct lab_line line;
  lab_line_of(r, &line);
  if (row >= line.n) return 0;
  out[0] = number("at", "s", line.at[row], "Into the run, at the end of the stretch.");
  out[1] = number("flop_per_s", "flop/s", line.rate[row], "Mean rate of the stretch.");
  out[2] = number("clock", "Hz", line.clock[row], "Mean clock seen in it.");
  return 3;
}

static int rows_small(const struct world *w, const struct setup *s, int row, struct fact *out) {
  if (row >= LAB_SIZES) return 0;
  double n = lab_size(s, row);
  struct request single = lab_small(s, n, true), team = lab_small(s, n, false);
  double one = lab_time(w, &single), all = lab_time(w, &team);
  out[0] = number("n", "n", n, "The size.");
  out[1] = number("one_time", "s", one, "On one core.");
  out[2] = number("all_time", "s", all, "On all of them.");
  out[3] = number("gain", "x", one / all, "One over all: below 1 the team loses.");
  return 4;
}

int lab_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  enum view_id view = lab_view(s);
  if (row < 0) return 0;
  if (view == VIEW_ASYNC) return rows_async(w, s, row, out);
  if (view == VIEW_SMALL) return rows_small(w, s, row, out);
  if (view == VIEW_RECORD) return lab_record_rows(w, s, row, out);
  if (view == VIEW_COST) return lab_cost_rows(w, s, row, out);
  if (view == VIEW_ARRIVAL) return lab_arrival_rows(w, s, row, out);
  struct request r = lab_request(s, s->v[KNOB_SECONDS]);
  const struct run *run = lab_find(w, &r);
  if (!run) return 0;
  return view == VIEW_FIRST ? rows_first(run, row, out) : view == VIEW_SPREAD ? rows_spread(run, row, out) : rows_long(run, row, out);
}
