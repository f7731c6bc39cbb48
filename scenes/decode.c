/* decode: how many tokens a second, and for whom? One step of a language model against the batch that shares it. Beside the chosen device
 * always this machine's own curve, with points measured on the `weights` kernel and scaled to the model. */
#include "scenes/decode.h"

#include <math.h>

#include "model/ladder.h"
#include "model/roof.h"

enum {
  F_STEP,
  F_MEMORY,
  F_COMPUTE,
  F_RATE,
  F_RATE_USER,
  F_INTENSITY,
  F_RIDGE,
  F_HERE_RATE,
  F_CAPACITY_LEFT,
  F_MAX_DEADLINE,
  F_BATCH,
  F_BOUND,
  F_MEMORY_OVER,
  F_ATTAINABLE,
  F_FRACTION,
  F_STEP_UPPER,
  F_STEP_ADDED,
  F_WEIGHT_TIME,
  F_KV_TIME,
  F_ACTIVATION_TIME,
  F_FLOP,
  F_BYTE,
  F_WEIGHT_BYTE,
  F_KV_BYTE,
  F_ACTIVATION_BYTE,
  F_WEIGHT_TOTAL,
  F_CAPACITY,
  F_CAPACITY_BINARY,
  F_MAX_CAPACITY,
  F_KV_ROOM,
  F_RIDGE_CONTEXT,
  F_EXPERTS,
  F_PARAMS,
  F_PARAMS_READ,
  F_PEAK,
  F_BANDWIDTH,
  F_DEADLINE,
  F_MATH,
  F_MATH_REASON,
  F_MODEL,
  F_GEOMETRY,
  F_DEVICE,
  F_PROVENANCE,
  F_HERE_TIME,
  F_HERE_USER,
  F_HERE_RATIO,
  F_HERE_SPREAD,
  F_HERE_COUNT,
  F_HERE_BOUND_TIME,
  F_HERE_BOUND_RATE,
  F_HERE_N,
  F_HERE_SCALE,
  F_HERE_DTYPE,
  F_HERE_STATE,
  F_READING,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_STEP] = {"step_time", "step, at least", "s", 1, "max(memory_time, compute_time)",
                "One step gives every sequence of the batch its next token. Memory and arithmetic overlapped: no step can be shorter at "
                "these rates."},
    [F_MEMORY] = {"memory_time", "  memory", "s", 1, "byte / byte_per_s",
                  "Reading the weights once, and keys, values and activations if counted."},
    [F_COMPUTE] =
        {"compute_time", "  arithmetic", "s", 1, "flop / peak_flop_per_s",
         "Two FLOP for every parameter and token. Attention over the context is left out: it would add about one FLOP for each byte of "
         "keys and values."},
    [F_RATE] = {"token_rate", "all users", "token/s", 1, "batch / step_time", "Tokens a second of all sequences together, at most."},
    [F_RATE_USER] = {"token_rate_per_user", "each user", "token/s", 1, "1 / step_time",
                     "Tokens a second of one sequence, at most: what its reader sees."},
    [F_INTENSITY] = {"arithmetic_intensity", "intensity", "flop/byte", 1, "flop / byte",
                     "Arithmetic for each byte read. Every sequence in the batch uses the same weights, so it grows with the batch."},
    [F_RIDGE] = {"ridge_batch", "ridge at batch", "1", 1, NULL,
                 "The batch at which arithmetic takes as long as memory: peak / bandwidth * weight bytes / 2, later when other bytes are "
                 "counted. A dash: no batch ever reaches it."},
    [F_HERE_RATE] =
        {"here_measured_token_rate", "here, scaled", "token/s", 1, "batch / here_measured_time",
         "All users on this machine: the `weights` kernel's measured time, scaled from its matrix to the model's weight bytes."},
    [F_CAPACITY_LEFT] =
        {"capacity_left", "memory left", "byte", 1, "capacity_byte - weight_total_byte - kv_byte",
         "What the device's memory has left beside all weights, and the KV cache when it is counted. Negative: it does not fit."},
    [F_MAX_DEADLINE] = {"max_batch_deadline", "most in time", "n", 1, NULL,
                        "The largest batch whose step keeps the deadline; 0: not even one sequence does."},
    [F_BATCH] = {"tokens_per_step", NULL, "n", 2, NULL, "Sequences that share each step; each gets one token from it."},
    [F_BOUND] = {"bound", "bound by", "", 2, NULL, "Which takes longer: reading the bytes (memory) or the arithmetic (compute)."},
    [F_MEMORY_OVER] = {"memory_over_compute", "memory/compute", "x", 2, "memory_time / compute_time",
                       "How many times longer memory takes than arithmetic."},
    [F_ATTAINABLE] = {"attainable_flop_per_s", "at most", "flop/s", 2, "min(peak_flop_per_s, byte_per_s * arithmetic_intensity)",
                      "The roof above this step: the arithmetic rate it could reach at most."},
    [F_FRACTION] = {"fraction_of_peak", "of peak", "%", 2, "attainable_flop_per_s / peak_flop_per_s",
                    "The roof above this step as a share of the peak."},
    [F_STEP_UPPER] = {"step_time_upper", "not overlapped", "s", 2, "memory_time + compute_time",
                      "Memory and arithmetic one after the other."},
    [F_STEP_ADDED] = {"step_time_kv_added", "KV on top", "s", 2, NULL,
                      "Reading keys and values after the rest: KV time + max(weights and activations, arithmetic)."},
    [F_WEIGHT_TIME] = {"weight_time", "weights", "s", 2, "weight_byte / byte_per_s", "Reading the weights once."},
    [F_KV_TIME] = {"kv_time", "KV reads", "s", 2, "kv_byte / byte_per_s", "Reading the cached keys and values of every sequence."},
    [F_ACTIVATION_TIME] = {"activation_time", "activations", "s", 2, "activation_byte / byte_per_s",
                           "Moving activations in and out of the layers."},
    [F_FLOP] = {"flop", "arithmetic", "flop", 2, "2 * params_read * tokens_per_step",
                "Arithmetic of one step; attention over the context is left out."},
    [F_BYTE] = {"byte", "traffic", "byte", 2, "weight_byte + kv_byte + activation_byte", "Bytes one step moves."},
    [F_WEIGHT_BYTE] = {"weight_byte", "weights read", "byte", 2, NULL,
                       "Bytes of weights one step reads, once for the whole batch; with experts, those the batch is expected to use."},
    [F_KV_BYTE] = {"kv_byte", "KV read", "byte", 2, NULL,
                   "Cached keys and values one step reads: batch x context x bytes a token; 0 when not counted."},
    [F_ACTIVATION_BYTE] =
        {"activation_byte", "activations", "byte", 2, NULL,
         "A layer w wide takes w values and gives w for every w x w weights: 2 x params x batch x bytes / width; 0 when not counted."},
    [F_WEIGHT_TOTAL] = {"weight_total_byte", "weights held", "byte", 2, NULL, "All weights, which must be in memory, read or not."},
    [F_CAPACITY] = {"capacity_byte", "memory", "byte", 2, NULL, "The device's memory, GB of 1e9 bytes."},
    [F_CAPACITY_BINARY] = {"capacity_byte_binary", "the same", "iB", 2, "capacity_byte", "The same memory in GiB of 2^30 bytes."},
    [F_MAX_CAPACITY] = {"max_batch_capacity", "most that fit", "n", 2, NULL,
                        "Sequences of this context whose keys and values fit beside the weights."},
    [F_KV_ROOM] = {"kv_token_room", "tokens fit", "n", 2, NULL,
                   "Tokens, of all sequences together, whose keys and values fit beside the weights."},
    [F_RIDGE_CONTEXT] = {"ridge_context", "ridge, context", "n", 2, NULL,
                         "The longest context at which any batch could still reach the ridge: beyond it reading keys and values takes "
                         "longer than the arithmetic they serve."},
    [F_EXPERTS] = {"experts_read", "experts read", "1", 2, NULL,
                   "Experts of a layer the batch is expected to touch, E (1 - (1 - k/E)^batch), if the router spreads them evenly."},
    [F_PARAMS] = {"params_total", "parameters", "n", 2, NULL, "Parameters held in memory."},
    [F_PARAMS_READ] = {"params_read", "per token", "n", 2, NULL,
                       "Parameters one token multiplies: without the input embedding, which is only looked up, and without the experts it "
                       "does not take."},
    [F_PEAK] = {"peak_flop_per_s", "peak", "flop/s", 2, NULL, "The device's most arithmetic a second: dense, in the chosen arithmetic."},
    [F_BANDWIDTH] = {"byte_per_s", "memory roof", "byte/s", 2, NULL, "The device's most bytes a second from its main memory."},
    [F_DEADLINE] = {"deadline", NULL, "s", 2, NULL, "Longest acceptable time for one token."},
    [F_MATH] = {"math", "arithmetic in", "", 2, NULL,
                "The arithmetic in use: the stored type if the device lists it, else bf16, else fp32."},
    [F_MATH_REASON] = {"math_reason", "because", "", 2, NULL, "Why this arithmetic."},
    [F_MODEL] = {"model", NULL, "", 2, NULL, "The model on show."},
    [F_GEOMETRY] = {"geometry", "geometry", "", 2, NULL, "Whether layers, width and heads are the model's own or assumed."},
    [F_DEVICE] = {"device", NULL, "", 2, NULL, "The device on show."},
    [F_PROVENANCE] = {"provenance", "figures", "", 2, NULL,
                      "Whose numbers the roofs are: vendor, derived, illustrative, or measured here."},
    [F_HERE_TIME] = {"here_measured_time", "step here", "s", 2, NULL,
                     "The `weights` kernel's measured time at this batch times here_scale. Weights alone: no keys, no values."},
    [F_HERE_USER] = {"here_measured_token_rate_per_user", "each user here", "token/s", 2, "1 / here_measured_time",
                     "Tokens a second of one sequence on this machine, scaled from the measured kernel."},
    [F_HERE_RATIO] = {"here_measured_ratio", "of its roof", "%", 2, "here_step_time / here_measured_time",
                      "The measured point against this machine's own bound."},
    [F_HERE_SPREAD] = {"here_measured_spread", "spread", "%", 2, NULL,
                       "Half the interquartile range of the repetitions, as a share of their median."},
    [F_HERE_COUNT] = {"here_measured_count", "repetitions", "n", 2, NULL,
                      "Warm repetitions behind the median; the first run is kept apart."},
    [F_HERE_BOUND_TIME] = {"here_step_time", "here, at least", "s", 2, NULL,
                           "This machine's own bound: the kernel's bytes and arithmetic against its measured roofs, scaled the same way."},
    [F_HERE_BOUND_RATE] = {"here_token_rate", "here, at most", "token/s", 2, "batch / here_step_time",
                           "Tokens a second of all sequences this machine could give at most, scaled the same way."},
    [F_HERE_N] = {"here_matrix_n", "scaled from n", "n", 2, NULL,
                  "Side of the matrix the kernel reads: large enough to stream from memory."},
    [F_HERE_SCALE] = {"here_scale", "scaled by", "x", 2, NULL,
                      "The model's weight bytes over the matrix's."},
    [F_HERE_DTYPE] = {"here_dtype", "measured as", "", 2, NULL,
                      "How the kernel stores the weights it reads: as chosen, or, while that was not measured, as what was: then bytes are scaled."},
    [F_HERE_STATE] = {"here_state", "this machine", "", 2, NULL,
                      "Whether this machine has a measured point at this batch, and if not, why."},
    [F_READING] = {"reading_rate", "reading pace", "token/s", 2, NULL,
                   "About 240 words a minute at four tokens to three words: our round figure for a person reading along."},
};

struct decode decode_of(const struct world *w, const struct setup *s) {
  struct decode d = {.device = &w->device[(int)s->v[KNOB_DEVICE]],
                     .dtype = (enum dtype)(int)s->v[KNOB_DTYPE],
                     .kv_dtype = (enum dtype)(int)s->v[KNOB_KV_DTYPE]};
  d.geometry = geometry_of(w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : NULL, s->v[KNOB_PARAMS]);
  int math = (int)s->v[KNOB_MATH];
  d.math = math > 0 ? (enum dtype)(math - 1) : ladder_math(d.device, d.dtype);
  const struct geometry *g = &d.geometry;
  bool on = s->v[KNOB_KV] > 0, activations = s->v[KNOB_ACTIVATIONS] > 0;
  d.in = (struct step_in){
      .params = g->decoder ? g->matmul_params : NAN, /* nothing else makes its output one token at a time */
      .params_total = g->params,
      .weight_byte = dtype_byte(d.dtype),
      .batch = s->v[KNOB_BATCH],
      .context = s->v[KNOB_CONTEXT],
      .kv_byte_per_token = on ? g->kv_byte_per_token_2 / 2 * dtype_byte(d.kv_dtype) : 0,
      .width = isnan(s->v[KNOB_WIDTH]) ? g->hidden : s->v[KNOB_WIDTH],
      .activation_byte = activations ? dtype_byte(d.math == DTYPE_N ? d.dtype : d.math) : 0,
      .peak_flop_per_s = !isnan(s->v[KNOB_PEAK]) ? s->v[KNOB_PEAK]
                         : d.math == DTYPE_N     ? NAN
                                                 : ladder_peak(d.device, d.math, ISA_AUTO, 0),
      .byte_per_s = !isnan(s->v[KNOB_BANDWIDTH]) ? s->v[KNOB_BANDWIDTH] : ladder_memory_rate(d.device),
      .capacity_byte = d.device->memory_byte.value,
      .deadline = s->v[KNOB_DEADLINE],
      .experts = g->experts,
      .top_k = g->top_k,
      .expert_params = g->expert_params,
  };
  return d;
}

static void decode_resolve(const struct world *w, struct setup *s) {
  struct decode d = decode_of(w, s);
  s->v[KNOB_WIDTH] = d.in.width;
  s->v[KNOB_PEAK] = d.in.peak_flop_per_s;
  s->v[KNOB_BANDWIDTH] = d.in.byte_per_s;
}

static bool decode_applies(const struct setup *s, int knob) {
  switch (knob) {
  case KNOB_MODEL: return isnan(s->v[KNOB_PARAMS]);
  case KNOB_CONTEXT:
  case KNOB_KV_DTYPE: return s->v[KNOB_KV] > 0;
  case KNOB_WIDTH: return s->v[KNOB_ACTIVATIONS] > 0;
  default: return true;
  }
}

double decode_first_batch(double batch) {
  double first = 1;
  while (first * exp2(DECODE_OCTAVES - 1) < batch) first *= 2;
  return first;
}

static const char *math_reason(const struct setup *s, const struct decode *d) {
  if (s->v[KNOB_MATH] > 0) return "chosen";
  if (d->math == DTYPE_N) return "the device lists none";
  if (d->math == d->dtype) return "as stored";
  return d->math == DTYPE_BF16 ? "stored type not listed; bf16 is" : "neither stored type nor bf16 listed";
}

static const char *provenance_of(const struct setup *s, const struct decode *d) {
  if (s->set[KNOB_PEAK] || s->set[KNOB_BANDWIDTH]) return "what if";
  if (d->device->illustrative) return "illustrative";
  if (d->math == DTYPE_N) return "unknown";
  const struct figure *peak = &d->device->peak[d->math], *rate = &d->device->memory_byte_per_s;
  return peak->unverified || rate->unverified ? "unverified" : source_name((enum source)peak->source);
}

static void facts_here(const struct world *w, const struct decode *d, struct fact *f) {
  double batch = d->in.batch, scale = decode_scale(w, d, batch), bound = decode_here_time(w, d, batch);
  f[F_HERE_RATE].measured = f[F_HERE_TIME].measured = f[F_HERE_USER].measured = f[F_HERE_RATIO].measured = true;
  f[F_HERE_N].value = decode_here_n(w, d);
  f[F_HERE_DTYPE].word = dtype_name(decode_here_dtype(w, d));
  f[F_HERE_SCALE].value = scale;
  f[F_HERE_BOUND_TIME].value = bound;
  f[F_HERE_BOUND_RATE].value = batch / bound;
  struct request r = decode_request(w, d, batch);
  const struct run *run = run_find(w, &r, w->machine);
  if (batch > DECODE_BATCH_MOST)
    f[F_HERE_STATE].word = "measured up to batch 1024 only";
  else if (!run || isnan(run_time(run)))
    f[F_HERE_STATE].word = "not measured yet: m";
  else {
    double time = run_time(run) * scale;
    f[F_HERE_TIME].value = time;
    f[F_HERE_RATE].value = batch / time;
    f[F_HERE_USER].value = 1 / time;
    f[F_HERE_RATIO].value = bound / time;
    f[F_HERE_SPREAD].value = run->spread;
    f[F_HERE_COUNT].value = run->count;
    f[F_HERE_STATE].word = run->count > 0 ? "measured" : "first run";
  }
}

static int decode_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  struct decode d = decode_of(w, s);
  struct step_out o;
  step_of(&d.in, &o);
  facts_begin(out, fact_table, F_N, true);
  out[F_STEP].value = o.step_time;
  out[F_MEMORY].value = o.memory_time;
  out[F_COMPUTE].value = o.compute_time;
  out[F_RATE].value = o.token_rate;
  out[F_RATE_USER].value = o.token_rate_per_user;
  out[F_INTENSITY].value = o.arithmetic_intensity;
  out[F_RIDGE].value = o.ridge_batch;
  out[F_CAPACITY_LEFT].value = o.capacity_left;
  out[F_MAX_DEADLINE].value = o.max_batch_deadline;
  out[F_BATCH].value = d.in.batch;
  out[F_BOUND].word = bound_name(roof_bound(o.flop, o.byte, d.in.peak_flop_per_s, d.in.byte_per_s));
  out[F_MEMORY_OVER].value = o.memory_time / o.compute_time;
  out[F_ATTAINABLE].value = o.attainable_flop_per_s;
  out[F_FRACTION].value = o.attainable_flop_per_s / d.in.peak_flop_per_s;
  out[F_STEP_UPPER].value = o.step_time_upper;
  out[F_STEP_ADDED].value = o.step_time_kv_added;
  out[F_WEIGHT_TIME].value = o.weight_time;
  out[F_KV_TIME].value = o.kv_time;
  out[F_ACTIVATION_TIME].value = o.activation_time;
  out[F_FLOP].value = o.flop;
  out[F_BYTE].value = o.byte;
  out[F_WEIGHT_BYTE].value = o.weight_byte;
  out[F_KV_BYTE].value = o.kv_byte;
  out[F_ACTIVATION_BYTE].value = o.activation_byte;
  out[F_WEIGHT_TOTAL].value = o.weight_total_byte;
  out[F_CAPACITY].value = out[F_CAPACITY_BINARY].value = d.in.capacity_byte;
  out[F_MAX_CAPACITY].value = o.max_batch_capacity;
  out[F_KV_ROOM].value = o.kv_token_room;
  out[F_RIDGE_CONTEXT].value = o.ridge_context;
  out[F_EXPERTS].value = o.experts_read;
  out[F_PARAMS].value = d.in.params_total;
  out[F_PARAMS_READ].value = d.in.params;
  out[F_PEAK].value = d.in.peak_flop_per_s;
  out[F_BANDWIDTH].value = d.in.byte_per_s;
  out[F_DEADLINE].value = d.in.deadline;
  out[F_MATH].word = d.math == DTYPE_N ? "unknown" : dtype_name(d.math);
  out[F_MATH_REASON].word = math_reason(s, &d);
  out[F_MODEL].word = s->v[KNOB_PARAMS] > 0 ? "params" : w->nmodel > 0 ? w->model[(int)s->v[KNOB_MODEL]].id : "none";
  out[F_GEOMETRY].word = !d.geometry.decoder ? "makes no tokens" : d.geometry.assumed ? "assumed" : "the model's";
  out[F_DEVICE].word = d.device->id;
  out[F_PROVENANCE].word = provenance_of(s, &d);
  out[F_READING].value = 240 / 60.0 * 4 / 3;
  if (isnan(d.in.capacity_byte)) out[F_CAPACITY_LEFT].detail = 2; /* a dash on the first screen teaches nothing */
  facts_here(w, &d, out);
  return F_N;
}

/* A row a batch, ten octaves of them. */
static int decode_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  static const int shown[] = {F_BATCH,     F_STEP,  F_MEMORY,        F_COMPUTE,         F_RATE,     F_RATE_USER,
                              F_INTENSITY, F_BOUND, F_CAPACITY_LEFT, F_HERE_BOUND_RATE, F_HERE_RATE};
  enum { SHOWN = sizeof shown / sizeof *shown };
  if (row < 0 || row >= DECODE_OCTAVES) return 0;
  struct setup at = *s;
  struct fact f[FACT_MAX];
  at.v[KNOB_BATCH] = decode_first_batch(s->v[KNOB_BATCH]) * exp2(row);
  decode_facts(w, &at, f);
  for (int i = 0; i < SHOWN; i++) out[i] = f[shown[i]];
  return SHOWN;
}

static int decode_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  static const double curve[] = {1, 4, 16, 64, 256};
  int n = 0;
  double batch = s->v[KNOB_BATCH];
  enum dtype t = decode_storable((enum dtype)(int)s->v[KNOB_DTYPE]);
  if (batch <= DECODE_BATCH_MOST) out[n++] = decode_request_as(w, t, batch);
  for (size_t i = 0; i < sizeof curve / sizeof *curve; i++)
    if (curve[i] != batch) out[n++] = decode_request_as(w, t, curve[i]);
  return n;
}

static const uint8_t knob_list[] = {KNOB_BATCH,  KNOB_DTYPE, KNOB_KV,       KNOB_CONTEXT,     KNOB_DEADLINE, KNOB_DEVICE, KNOB_MODEL,
                                    KNOB_PARAMS, KNOB_MATH,  KNOB_KV_DTYPE, KNOB_ACTIVATIONS, KNOB_WIDTH,    KNOB_PEAK,   KNOB_BANDWIDTH};
static const struct start start_list[] = {
    {KNOB_DEVICE, 0, "illustrative"}, {KNOB_MODEL, 0, "chapter-7b"}, {KNOB_DTYPE, 0, "bf16"}, {KNOB_BATCH, 1, NULL}};

const struct scene scene_decode = {
    .address = "3.1",
    .name = "decode",
    .question = "How many tokens a second, and for whom?",
    .section = "one token, then sixty-four: batching a decode step",
    .next = "fit",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 7,
    .hand = KNOB_BATCH,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 6,
    .trail_x = "tokens_per_step",
    .trail_y = "token_rate",
    .applies = decode_applies,
    .resolve = decode_resolve,
    .facts = decode_facts,
    .rows = decode_rows,
    .verdict = decode_verdict,
    .measures = decode_measures,
    .axes = decode_axes,
    .draw = decode_draw,
};
