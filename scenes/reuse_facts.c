/* The reuse scene's facts. Those of all three views are always given, so that each can be printed and swept; the panel shows the view's. */
#include <math.h>

#include "model/roof.h"
#include "model/traffic.h"
#include "scenes/reuse.h"

enum {
  F_INTENSITY,
  F_BEFORE_INTENSITY,
  F_ATTAINABLE,
  F_BEFORE_ATTAINABLE,
  F_BYTE_RATIO,
  F_TILE_OVER,
  F_TILE_LEVEL,
  F_SPEEDUP_MOST,
  F_MEASURED_RATE,
  F_MEASURED_RATIO,
  F_MEASURED_SPEEDUP,
  F_AGAINST_RATIO,
  F_MEASURED_TIME,
  F_BEFORE_TIME,
  F_BEFORE_RATE,
  F_OF_MEMORY,
  F_BEFORE_OF_MEMORY,
  F_AGAINST_RATE,
  F_BYTE,
  F_BEFORE_BYTE,
  F_FLOP,
  F_TIME_LOWER,
  F_BEFORE_TIME_LOWER,
  F_BOUND,
  F_BEFORE_BOUND,
  F_RIDGE,
  F_PEAK,
  F_BANDWIDTH,
  F_ONE_PEAK,
  F_ONE_RATE,
  F_LEVEL,
  F_MATH,
  F_SPREAD,
  F_COUNT,
  F_ISA,
  F_NOTE,
  F_STATE,
  F_PROVENANCE,
  F_OPERATION,
  F_VIEW,
  F_TILE,
  F_TILE_RULE,
  F_TILE_INTENSITY,
  F_TILE_BYTE,
  F_TILE_LEAST,
  F_TILE_SET,
  F_TILE_RIDGE,
  F_RUNG,
  F_RUNG_INTENSITY,
  F_CHAIN,
  F_CHAIN_BYTE,
  F_CHAIN_FUSED_BYTE,
  F_CHAIN_INTENSITY,
  F_CHAIN_FUSED_INTENSITY,
  F_CHAIN_RIDGE,
  F_HEAD_BYTE,
  F_HEAD_FUSED_BYTE,
  F_HEAD_INTENSITY,
  F_HEAD_FUSED_INTENSITY,
  F_HEAD_LIMIT,
  F_HEAD_RIDGE,
  F_HEAD_FUSED_RIDGE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_INTENSITY] =
        {"arithmetic_intensity", "intensity", "flop/byte", 1, "flop / byte",
         "Arithmetic for each byte that crosses from the level below: reuse moves it to the right, the arithmetic stays the same."},
    [F_BEFORE_INTENSITY] = {"before_intensity", "without reuse", "flop/byte", 1, "flop / before_byte",
                            "The same arithmetic with every operand fetched each time it is needed."},
    [F_ATTAINABLE] = {"attainable_flop_per_s", "at most", "flop/s", 1, "min(peak_flop_per_s, byte_per_s * arithmetic_intensity)",
                      "The roof above this intensity. A bound, not a forecast."},
    [F_BEFORE_ATTAINABLE] = {"before_attainable_flop_per_s", "without it", "flop/s", 2,
                             "min(peak_flop_per_s, byte_per_s * before_intensity)", "The roof above the same arithmetic without reuse."},
    [F_BYTE_RATIO] = {"byte_ratio", "fewer bytes", "x", 1, "before_byte / byte", "How many times less traffic for the same arithmetic."},
    [F_TILE_OVER] = {"tile_over_least", "over the least", "x", 1, "tile_byte / tile_least_byte",
                     "Traffic at this tile over the compulsory traffic, each matrix once: what still larger tiles could save."},
    [F_TILE_LEVEL] = {"tile_level", "tiles fit in", "", 1, NULL,
                      "The nearest level one instance of which holds the three tiles of a worker together."},
    [F_SPEEDUP_MOST] = {"speedup_by_roofs", "by the roofs", "x", 1, "before_time_lower / time_lower",
                        "The two bounds against each other: the ratio of the bytes, less where arithmetic becomes the limit. What stays "
                        "far below its roof without reuse can gain more."},
    [F_MEASURED_RATE] = {"measured_flop_per_s", "measured", "flop/s", 1, "flop / measured_time",
                         "What the real kernel with reuse reached here: the median of its repetitions."},
    [F_MEASURED_RATIO] = {"measured_ratio", "of the roof", "%", 1, "measured_flop_per_s / attainable_flop_per_s",
                          "Measured over the roof. In the tile view the chosen rung may reuse more, or less, than the chosen tile: compare "
                          "the points. Rungs up to vectorised use one core."},
    [F_MEASURED_SPEEDUP] =
        {"measured_speedup", "really faster", "x", 1, "measured_flop_per_s / before_measured_flop_per_s",
         "The kernel with reuse against the one without, both really run here. Tiles: the chosen rung against plain loops."},
    [F_AGAINST_RATIO] = {"against_ratio", "over the other", "x", 1, "measured_flop_per_s / against_flop_per_s",
                         "The chosen rung against the one set beside it, at the same size."},
    [F_MEASURED_TIME] = {"measured_time", "time", "s", 2, NULL,
                         "Time of one execution with reuse; of a slab where the rung did only a slab of rows."},
    [F_BEFORE_TIME] = {"before_measured_time", "without reuse", "s", 2, NULL, "Time of one execution without reuse."},
    [F_BEFORE_RATE] = {"before_measured_flop_per_s", "without reuse", "flop/s", 2, "flop / before_measured_time",
                       "What the real kernel without reuse reached here."},
    [F_OF_MEMORY] = {"of_memory", "of memory rate", "%", 2, "byte / measured_time / byte_per_s",
                     "Share of the memory roof in use with reuse, by the bytes asked for. Lines that are only written are fetched first "
                     "and counted nowhere."},
    [F_BEFORE_OF_MEMORY] = {"before_of_memory", "without reuse", "%", 2, "before_byte / before_measured_time / byte_per_s",
                            "Share of the memory roof in use without reuse."},
    [F_AGAINST_RATE] = {"against_flop_per_s", "the other", "flop/s", 2, NULL,
                        "What the rung set beside the chosen one reached at this size."},
    [F_BYTE] = {"byte", "traffic", "byte", 2, NULL, "Bytes with reuse."},
    [F_BEFORE_BYTE] = {"before_byte", "without reuse", "byte", 2, NULL, "Bytes without reuse."},
    [F_FLOP] = {"flop", "arithmetic", "flop", 2, NULL,
                "Arithmetic of one execution, the same with and without reuse; a multiply-add is 2 FLOP."},
    [F_TIME_LOWER] = {"time_lower", "at least", "s", 2, "max(flop / peak_flop_per_s, byte / byte_per_s)",
                      "No time below this is possible at these rates."},
    [F_BEFORE_TIME_LOWER] = {"before_time_lower", "without reuse", "s", 2, "max(flop / peak_flop_per_s, before_byte / byte_per_s)",
                             "The same bound without reuse."},
    [F_BOUND] = {"bound", "bound by", "", 2, NULL, "What takes longer with reuse: moving the bytes (memory) or the arithmetic (compute)."},
    [F_BEFORE_BOUND] = {"before_bound", "without reuse", "", 2, NULL, "The same without reuse."},
    [F_RIDGE] = {"ridge_point", "ridge point", "flop/byte", 2, "peak_flop_per_s / byte_per_s",
                 "The intensity at which the two roofs meet."},
    [F_PEAK] = {"peak_flop_per_s", "peak", "flop/s", 2, NULL, "The most arithmetic a second: dense, in the chosen arithmetic."},
    [F_BANDWIDTH] = {"byte_per_s", "bandwidth", "byte/s", 2, NULL, "The most bytes a second from the level that holds the whole data."},
    [F_ONE_PEAK] = {"one_core_flop_per_s", "one core's peak", "flop/s", 2, NULL,
                    "The arithmetic roof of one core: the rungs up to vectorised use one."},
    [F_ONE_RATE] = {"one_core_byte_per_s", "one core reads", "byte/s", 2, NULL, "The memory roof of one core."},
    [F_LEVEL] = {"level", "level", "", 2, NULL, "The memory level that holds the whole data; its rate is the slope of the roof."},
    [F_MATH] = {"math", "arithmetic in", "", 2, NULL,
                "The arithmetic in use: the stored type if the device lists it, else bf16, else fp32."},
    [F_SPREAD] = {"measured_spread", "spread", "%", 2, NULL,
                  "Half the interquartile range of the repetitions, as a share of their median."},
    [F_COUNT] = {"measured_count", "repetitions", "n", 2, NULL, "Warm repetitions behind the median; the first run is kept apart."},
    [F_ISA] = {"isa", "ran with", "", 2, NULL, "The instruction set the kernel ran with."},
    [F_NOTE] = {"flags", "marks", "", 2, NULL, "Doubts about the measurement, from the harness; partial: a slab of rows was done."},
    [F_STATE] = {"state", NULL, "", 2, NULL, "Whether there is a measured point, and if not, why."},
    [F_PROVENANCE] = {"provenance", "figures", "", 2, NULL, "Whose numbers the roofs are."},
    [F_OPERATION] = {"operation", NULL, "", 2, NULL, "The kernel with reuse."},
    [F_VIEW] = {"view", NULL, "", 2, NULL, "Which of the three is on show."},
    [F_TILE] = {"tile_side", NULL, "n", 2, NULL, "Side of a tile, never more than the matrix's."},
    [F_TILE_RULE] = {"tile_rule", "rule of thumb", "flop/byte", 2, NULL,
                     "Tile side over the bytes of an element, T/4 in fp32: the traffic of C left out."},
    [F_TILE_INTENSITY] = {"tile_intensity", NULL, "flop/byte", 2, NULL, "2 n^3 FLOP over the traffic in tiles, C written once."},
    [F_TILE_BYTE] = {"tile_byte", NULL, "byte", 2, NULL, "Traffic in tiles: A and B n/T times each, C once."},
    [F_TILE_LEAST] = {"tile_least_byte", "the least", "byte", 2, NULL, "Compulsory traffic: each of the three matrices once."},
    [F_TILE_SET] = {"tile_set_byte", "three tiles", "iB", 2, NULL, "Bytes of the three tiles in work together."},
    [F_TILE_RIDGE] = {"tile_ridge", "ridge, tile", "n", 2, NULL,
                      "The smallest power of two whose rule-of-thumb intensity reaches the ridge."},
    [F_RUNG] = {"rung", "kernel", "", 2, NULL, "The matrix product that was measured."},
    [F_RUNG_INTENSITY] =
        {"rung_intensity_most", "reuses at most", "flop/byte", 2, NULL,
         "The most intensity its loop order allows: a bound from what stays in registers and near caches, not a measurement."},
    [F_CHAIN] = {"chain_operations", NULL, "n", 2, NULL, "Element-wise operations in a row, 1 FLOP each."},
    [F_CHAIN_BYTE] = {"chain_byte", NULL, "byte", 2, NULL, "One by one: every operation reads all elements and writes all elements."},
    [F_CHAIN_FUSED_BYTE] = {"chain_fused_byte", NULL, "byte", 2, NULL, "Fused: all elements read once and written once."},
    [F_CHAIN_INTENSITY] = {"chain_intensity", NULL, "flop/byte", 2, NULL, "FLOP per byte, one by one: the same however long the chain."},
    [F_CHAIN_FUSED_INTENSITY] = {"chain_fused_intensity", NULL, "flop/byte", 2, NULL, "FLOP per byte, fused: grows with the chain."},
    [F_CHAIN_RIDGE] = {"chain_ridge", "ridge, chain", "n", 2, NULL,
                       "Operations from which the fused chain is limited by arithmetic: longer ones gain no more."},
    [F_HEAD_BYTE] = {"attention_byte", NULL, "byte", 2, NULL, "One head, scores written, weighed and read again in memory."},
    [F_HEAD_FUSED_BYTE] = {"attention_fused_byte", NULL, "byte", 2, NULL, "One head, queries, keys, values and output once."},
    [F_HEAD_INTENSITY] = {"attention_intensity", NULL, "flop/byte", 2, NULL,
                          "FLOP per byte with the scores travelling; softmax left out of the FLOP."},
    [F_HEAD_FUSED_INTENSITY] = {"attention_fused_intensity", NULL, "flop/byte", 2, NULL, "FLOP per byte with the scores on the chip."},
    [F_HEAD_LIMIT] = {"attention_limit", "never above", "flop/byte", 2, NULL,
                      "With the scores travelling no sequence, however long, has more: head width over the bytes of an element."},
    [F_HEAD_RIDGE] = {"attention_ridge", "ridge, apart", "n", 2, NULL,
                      "Sequence that reaches the ridge with the scores travelling; unknown where none does."},
    [F_HEAD_FUSED_RIDGE] = {"attention_fused_ridge", "ridge, fused", "n", 2, NULL,
                            "Sequence that reaches the ridge with the scores on the chip."},
};

/* Words and rows of the panel that belong to one view only. */
static void facts_shown(enum view_id view, struct fact *f) {
  static const uint8_t tile[] = {F_TILE_OVER, F_TILE_LEVEL, F_AGAINST_RATIO, F_AGAINST_RATE,   F_TILE_RULE, F_TILE_LEAST,
                                 F_TILE_SET,  F_TILE_RIDGE, F_RUNG,          F_RUNG_INTENSITY, F_ONE_PEAK,  F_ONE_RATE};
  static const uint8_t head[] = {F_HEAD_LIMIT, F_HEAD_RIDGE, F_HEAD_FUSED_RIDGE};
  for (size_t i = 0; view != VIEW_TILE && i < sizeof tile; i++) f[tile[i]].label = NULL;
  for (size_t i = 0; view != VIEW_ATTENTION && i < sizeof head; i++) f[head[i]].label = NULL;
  if (view != VIEW_FUSION) f[F_CHAIN_RIDGE].label = NULL;
  if (view == VIEW_TILE) {
    f[F_BEFORE_INTENSITY].detail = f[F_BYTE_RATIO].detail = f[F_SPEEDUP_MOST].detail = 2;
    f[F_OF_MEMORY].label = f[F_BEFORE_OF_MEMORY].label = f[F_BEFORE_TIME].label = NULL;
    f[F_MEASURED_SPEEDUP].label = "over plain";
    f[F_BEFORE_RATE].label = "plain loops";
    f[F_BEFORE_INTENSITY].label = "tile 1";
  } else {
    static const uint8_t apart[] = {F_BEFORE_INTENSITY, F_BEFORE_TIME,       F_BEFORE_RATE, F_BEFORE_OF_MEMORY,
                                    F_BEFORE_BYTE,      F_BEFORE_TIME_LOWER, F_BEFORE_BOUND};
    for (size_t i = 0; i < sizeof apart; i++) f[apart[i]].label = view == VIEW_FUSION ? "one by one" : "unfused";
  }
}

/* One worker's three tiles lie in one instance of a level: the core's own cache, the multiprocessor's own memory. */
static const struct level *tile_level(const struct device *d, double set) {
  for (int i = 0; i < d->nlevel; i++) {
    const struct level *l = &d->level[i];
    double one = l->knee_byte.value > 0 ? l->knee_byte.value : l->byte.value;
    if (set <= one || i + 1 == d->nlevel) return l;
  }
  return NULL;
}

static void facts_tile(const struct reuse *q, struct fact *f) {
  double set = traffic_tile_set(q->tile, q->element_byte), least = traffic_tile_byte(q->n, q->n, q->element_byte);
  const struct level *l = tile_level(q->device, set);
  f[F_TILE].value = q->tile;
  f[F_TILE_RULE].value = traffic_tile_rule(q->tile, q->element_byte);
  f[F_TILE_INTENSITY].value = traffic_tile_intensity(q->n, q->tile, q->element_byte);
  f[F_TILE_BYTE].value = traffic_tile_byte(q->n, q->tile, q->element_byte);
  f[F_TILE_LEAST].value = least;
  f[F_TILE_OVER].value = f[F_TILE_BYTE].value / least;
  f[F_TILE_SET].value = set;
  f[F_TILE_LEVEL].word = l && l->name[0] ? l->name : "unknown";
  f[F_TILE_RIDGE].value = traffic_tile_ridge(f[F_RIDGE].value, q->element_byte);
  f[F_RUNG].word = rung_name(q->rung);
  f[F_RUNG_INTENSITY].value = traffic_rung_intensity(q->rung, q->n, q->element_byte);
  f[F_ONE_PEAK].value = q->one_peak;
  f[F_ONE_RATE].value = q->one_rate;
}

static void facts_pairs(const struct reuse *q, struct fact *f) {
  struct reuse_pair chain = reuse_pair_of(q, VIEW_FUSION), head = reuse_pair_of(q, VIEW_ATTENTION);
  double ridge = f[F_RIDGE].value;
  f[F_CHAIN].value = q->chain;
  f[F_CHAIN_BYTE].value = chain.before.byte;
  f[F_CHAIN_FUSED_BYTE].value = chain.after.byte;
  f[F_CHAIN_INTENSITY].value = roof_intensity(chain.before.flop, chain.before.byte);
  f[F_CHAIN_FUSED_INTENSITY].value = roof_intensity(chain.after.flop, chain.after.byte);
  f[F_CHAIN_RIDGE].value = traffic_chain_ridge(ridge, q->element_byte);
  f[F_HEAD_BYTE].value = head.before.byte;
  f[F_HEAD_FUSED_BYTE].value = head.after.byte;
  f[F_HEAD_INTENSITY].value = roof_intensity(head.before.flop, head.before.byte);
  f[F_HEAD_FUSED_INTENSITY].value = roof_intensity(head.after.flop, head.after.byte);
  f[F_HEAD_LIMIT].value = traffic_attention_limit(q->width, q->element_byte);
  f[F_HEAD_RIDGE].value = traffic_attention_ridge(ridge, q->width, q->element_byte);
  f[F_HEAD_FUSED_RIDGE].value = traffic_attention_fused_ridge(ridge, q->element_byte);
}

static void facts_model(const struct reuse *q, struct fact *f) {
  struct reuse_pair p = reuse_pair_of(q, q->view);
  f[F_FLOP].value = p.after.flop;
  f[F_BYTE].value = p.after.byte;
  f[F_BEFORE_BYTE].value = p.before.byte;
  f[F_BYTE_RATIO].value = p.before.byte / p.after.byte;
  f[F_INTENSITY].value = roof_intensity(p.after.flop, p.after.byte);
  f[F_BEFORE_INTENSITY].value = roof_intensity(p.before.flop, p.before.byte);
  f[F_ATTAINABLE].value = roof_attainable(q->peak, q->rate, f[F_INTENSITY].value);
  f[F_BEFORE_ATTAINABLE].value = roof_attainable(q->peak, q->rate, f[F_BEFORE_INTENSITY].value);
  f[F_TIME_LOWER].value = roof_time_lower(p.after.flop, p.after.byte, q->peak, q->rate);
  f[F_BEFORE_TIME_LOWER].value = roof_time_lower(p.before.flop, p.before.byte, q->peak, q->rate);
  f[F_SPEEDUP_MOST].value = f[F_BEFORE_TIME_LOWER].value / f[F_TIME_LOWER].value;
  f[F_BOUND].word = bound_name(roof_bound(p.after.flop, p.after.byte, q->peak, q->rate));
  f[F_BEFORE_BOUND].word = bound_name(roof_bound(p.before.flop, p.before.byte, q->peak, q->rate));
  f[F_RIDGE].value = roof_ridge(q->peak, q->rate);
  f[F_PEAK].value = q->peak;
  f[F_BANDWIDTH].value = q->rate;
  f[F_LEVEL].word =
      q->level >= 0 && q->level < q->device->nlevel && q->device->level[q->level].name[0] ? q->device->level[q->level].name : "memory";
  f[F_MATH].word = q->math == DTYPE_N ? "unknown" : dtype_name(q->math);
  f[F_VIEW].word = view_name(q->view);
  f[F_OPERATION].word = q->view == VIEW_FUSION      ? op_name(OP_CHAIN_FUSED)
                        : q->view == VIEW_ATTENTION ? op_name(OP_ATTENTION_FUSED)
                                                    : rung_name(q->rung);
}

static void facts_measured(const struct world *w, const struct setup *s, const struct reuse *q, struct fact *f) {
  static const uint8_t measured[] = {F_MEASURED_RATE, F_MEASURED_RATIO, F_MEASURED_SPEEDUP, F_AGAINST_RATIO, F_MEASURED_TIME, F_BEFORE_TIME,
                                     F_BEFORE_RATE,   F_OF_MEMORY,      F_BEFORE_OF_MEMORY, F_AGAINST_RATE,  F_SPREAD};
  for (size_t i = 0; i < sizeof measured; i++) f[measured[i]].measured = true;
  f[F_STATE].word = !q->here   ? "only this machine can be measured: device=here"
                    : !q->runs ? "kernels compute in fp32 and fp64 only"
                               : "not measured yet: m";
  if (!q->runs) return;
  struct request pair[2], other = reuse_request_rung(s, q->against, q->n);
  reuse_requests(s, q->view, pair);
  const struct run *after = reuse_run(w, &pair[0]), *before = reuse_run(w, &pair[1]), *against = reuse_run(w, &other);
  if (before) {
    f[F_BEFORE_TIME].value = run_time(before);
    f[F_BEFORE_RATE].value = before->flop / run_time(before);
    f[F_BEFORE_OF_MEMORY].value = before->byte / run_time(before) / q->rate;
  }
  if (against) f[F_AGAINST_RATE].value = against->flop / run_time(against);
  if (!after) return;
  f[F_MEASURED_TIME].value = run_time(after);
  f[F_MEASURED_RATE].value = after->flop / run_time(after); /* of the work done: of a slab where that is all a slow rung did */
  f[F_MEASURED_RATIO].value = f[F_MEASURED_RATE].value / f[F_ATTAINABLE].value;
  f[F_MEASURED_SPEEDUP].value = f[F_MEASURED_RATE].value / f[F_BEFORE_RATE].value;
  f[F_AGAINST_RATIO].value = f[F_MEASURED_RATE].value / f[F_AGAINST_RATE].value;
  if (q->view != VIEW_TILE) f[F_OF_MEMORY].value = after->byte / run_time(after) / q->rate;
  f[F_SPREAD].value = after->spread;
  f[F_COUNT].value = after->count;
  f[F_ISA].word = isa_name(after->isa);
  f[F_NOTE].word = flag_first(after->flags);
  f[F_STATE].word = after->count > 0 ? "measured" : "first run";
}

static const char *provenance_of(const struct setup *s, const struct reuse *q) {
  if (s->set[KNOB_PEAK] || s->set[KNOB_BANDWIDTH]) return "what if";
  if (q->here) return q->device->machine.measured ? "measured here" : "not measured yet: R";
  if (q->device->illustrative) return "illustrative";
  if (q->math == DTYPE_N) return "unknown";
  const struct figure *peak = &q->device->peak[q->math], *rate = &q->device->memory_byte_per_s;
  return peak->unverified || rate->unverified ? "unverified" : source_name((enum source)peak->source);
}

int reuse_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  struct reuse q = reuse_of(w, s);
  facts_begin(out, fact_table, F_N, true);
  facts_model(&q, out);
  facts_tile(&q, out);
  facts_pairs(&q, out);
  facts_measured(w, s, &q, out);
  facts_shown(q.view, out);
  out[F_PROVENANCE].word = provenance_of(s, &q);
  if (q.view == VIEW_TILE) out[F_BEFORE_OF_MEMORY].value = NAN; /* of loops nobody knows the traffic of */
  return F_N;
}
