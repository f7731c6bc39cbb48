/* The reuse scene's table: the rungs of the ladder, a chain by its length, or a head by its sequence. */
#include <math.h>

#include "model/roof.h"
#include "model/traffic.h"
#include "scenes/reuse.h"

enum { T_RUNG, T_IDEA, T_CORES, T_INTENSITY, T_RATE, T_OVER_PLAIN, T_OF_PEAK, T_SPREAD, T_STATE, T_N };
static const struct fact rung_table[T_N] = {
    [T_RUNG] = {"rung", "rung", "", 1, NULL, "The matrix product, one idea after the other."},
    [T_IDEA] = {"idea", "idea", "", 1, NULL, "What it does that the one before does not."},
    [T_CORES] = {"cores", "cores", "", 2, NULL, "Whether it uses one core or all it is given."},
    [T_INTENSITY] = {"intensity_most", "reuses at most", "flop/byte", 1, NULL, "The most intensity its loop order allows: a bound."},
    [T_RATE] = {"flop_per_s", "reached", "flop/s", 1, NULL, "What it reached here: the median of its repetitions."},
    [T_OVER_PLAIN] = {"over_plain", "over plain", "x", 1, NULL, "Its rate over that of plain loops."},
    [T_OF_PEAK] = {"of_peak", "of peak", "%", 2, NULL, "Its rate over the arithmetic roof of the cores it may use."},
    [T_SPREAD] = {"spread", "spread", "%", 2, NULL, "Half the interquartile range of its repetitions over their median."},
    [T_STATE] = {"state", "state", "", 1, NULL, "Whether it was measured; partial: a slab of rows."},
};

static const char *idea_of(enum rung r) {
  switch (r) {
  case RUNG_PLAIN: return "row times column";
  case RUNG_REORDERED: return "along rows only";
  case RUNG_TILED: return "blocks that stay near";
  case RUNG_VECTORISED: return "registers and packing";
  case RUNG_ALL_CORES: return "the same, shared out";
  default: return "somebody's best";
  }
}

static int row_rung(const struct world *w, const struct setup *s, const struct reuse *q, int row, struct fact *f) {
  enum rung r = (enum rung)(RUNG_PLAIN + row);
  if (row < 0 || r >= RUNG_N) return 0;
  struct request wanted = reuse_request_rung(s, r, q->n), plain = reuse_request_rung(s, RUNG_PLAIN, q->n);
  const struct run *run = q->runs ? reuse_run(w, &wanted) : NULL, *first = q->runs ? reuse_run(w, &plain) : NULL;
  bool alone = r < RUNG_ALL_CORES;
  facts_begin(f, rung_table, T_N, true);
  f[T_RUNG].word = rung_name(r);
  f[T_IDEA].word = idea_of(r);
  f[T_CORES].word = alone ? "one" : "all";
  f[T_INTENSITY].value = traffic_rung_intensity(r, q->n, q->element_byte);
  f[T_STATE].word = "not measured";
  if (!run) return T_N;
  double peak = alone && !isnan(q->one_peak) ? q->one_peak : q->peak;
  f[T_RATE].value = run->flop / run_time(run);
  if (first) f[T_OVER_PLAIN].value = f[T_RATE].value / (first->flop / run_time(first));
  f[T_OF_PEAK].value = f[T_RATE].value / peak;
  f[T_SPREAD].value = run->spread;
  f[T_STATE].word = run->flags & FLAG_PARTIAL ? "partial" : run->count > 0 ? "measured" : "first run";
  return T_N;
}

enum {
  P_SIZE,
  P_BYTE,
  P_FUSED_BYTE,
  P_INTENSITY,
  P_FUSED_INTENSITY,
  P_TIME,
  P_FUSED_TIME,
  P_MOST,
  P_MEASURED,
  P_FUSED_MEASURED,
  P_SPEEDUP,
  P_N
};
static const struct fact pair_table[P_N] = {
    [P_SIZE] = {"size", "size", "n", 1, NULL, "Operations in the chain, or tokens in the sequence."},
    [P_BYTE] = {"before_byte", "apart moves", "byte", 1, NULL, "Bytes without reuse."},
    [P_FUSED_BYTE] = {"byte", "fused moves", "byte", 1, NULL, "Bytes with reuse."},
    [P_INTENSITY] = {"before_intensity", "apart", "flop/byte", 1, NULL, "FLOP per byte without reuse."},
    [P_FUSED_INTENSITY] = {"intensity", "fused", "flop/byte", 1, NULL, "FLOP per byte with reuse."},
    [P_TIME] = {"before_time_lower", "at least", "s", 2, NULL, "Bound on the time without reuse."},
    [P_FUSED_TIME] = {"time_lower", "fused, at least", "s", 2, NULL, "Bound on the time with reuse."},
    [P_MOST] = {"speedup_by_roofs", "by the roofs", "x", 1, NULL, "The two bounds against each other."},
    [P_MEASURED] = {"before_measured_time", "apart took", "s", 1, NULL, "Measured here without reuse."},
    [P_FUSED_MEASURED] = {"measured_time", "fused took", "s", 1, NULL, "Measured here with reuse."},
    [P_SPEEDUP] = {"measured_speedup", "really faster", "x", 1, NULL, "The ratio of the two measured times."},
};

static int row_pair(const struct world *w, const struct setup *s, const struct reuse *q, int row, struct fact *f) {
  bool chain = q->view == VIEW_FUSION;
  double size = exp2(row + (chain ? 0 : 7));
  if (row < 0 || row > (chain ? 8 : 10)) return 0;
  struct setup at = *s;
  struct request pair[2];
  at.v[chain ? KNOB_CHAIN : KNOB_SEQUENCE] = size;
  struct reuse here = *q;
  *(chain ? &here.chain : &here.sequence) = size;
  struct reuse_pair work = reuse_pair_of(&here, q->view);
  reuse_requests(&at, q->view, pair);
  const struct run *after = q->runs ? reuse_run(w, &pair[0]) : NULL, *before = q->runs ? reuse_run(w, &pair[1]) : NULL;
  facts_begin(f, pair_table, P_N, true);
  f[P_SIZE].value = size;
  f[P_BYTE].value = work.before.byte;
  f[P_FUSED_BYTE].value = work.after.byte;
  f[P_INTENSITY].value = roof_intensity(work.before.flop, work.before.byte);
  f[P_FUSED_INTENSITY].value = roof_intensity(work.after.flop, work.after.byte);
  f[P_TIME].value = roof_time_lower(work.before.flop, work.before.byte, q->peak, q->rate);
  f[P_FUSED_TIME].value = roof_time_lower(work.after.flop, work.after.byte, q->peak, q->rate);
  f[P_MOST].value = f[P_TIME].value / f[P_FUSED_TIME].value;
  if (before) f[P_MEASURED].value = run_time(before);
  if (after) f[P_FUSED_MEASURED].value = run_time(after);
  f[P_SPEEDUP].value = f[P_MEASURED].value / f[P_FUSED_MEASURED].value;
  return P_N;
}

int reuse_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  struct reuse q = reuse_of(w, s);
  return q.view == VIEW_TILE ? row_rung(w, s, &q, row, out) : row_pair(w, s, &q, row, out);
}
