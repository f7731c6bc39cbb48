#include "model/profile.h"

#include <math.h>

const char *fix_name(enum fix f) {
  static const char *const name[FIX_N] = {"none", "fuse", "bits", "batch", "arithmetic", "layout", "bandwidth"};
  return name[f];
}

const char *fix_words(enum fix f) {
  static const char *const words[FIX_N] = {
      "as it is",          "fuse: no results in between", "half the bits, weights, cache", "twice the batch", "twice the arithmetic",
      "contiguous layout", "twice the memory rate"};
  return words[f];
}

static void sum_add(struct profile_sum *s, const struct profile_op *o, double launch_s) {
  const struct operation *op = &o->op;
  double n = op->count;
  s->count += n;
  s->launches += n * op->launches;
  s->params += n * op->params;
  s->flop += n * op->flop;
  s->weight_byte += n * op->weight_byte;
  s->kv_byte += n * op->kv_byte;
  s->activation_byte += n * op->activation_byte;
  s->byte += n * op->byte;
  s->time += o->time;
  s->launch_time += n * op->launches * launch_s;
  if (o->bound != BOUND_MEMORY) return;
  s->memory_time += o->time;
  s->memory_count += n;
  s->memory_flop += n * op->flop;
  s->memory_byte += n * op->byte;
}

static bool in_layer(enum operation_kind k) { return k >= OPERATION_NORM_ATTENTION && k <= OPERATION_ADD_FFN; }

struct profile_op profile_op_of(const struct profile_in *in, struct operation op) {
  struct profile_op o = {.op = op};
  o.time = op.count * (roof_time_lower(op.flop, op.byte, in->peak_flop_per_s, in->byte_per_s) + op.launches * in->launch_s);
  o.flop_per_byte = roof_intensity(op.flop, op.byte);
  o.attainable_flop_per_s = roof_attainable(in->peak_flop_per_s, in->byte_per_s, o.flop_per_byte);
  o.bound = roof_bound(op.flop, op.byte, in->peak_flop_per_s, in->byte_per_s);
  return o;
}

/* What is not known comes last. */
static bool before(double a, double b) { return isnan(b) ? !isnan(a) : a > b; }

void profile_of(const struct profile_in *in, struct profile *out) {
  struct operation list[OPERATIONS_MAX];
  *out = (struct profile){.n = operations_of(&in->work, list), .tokens = operations_tokens(&in->work)};
  for (int i = 0; i < out->n; i++) {
    struct profile_op *o = &out->op[i];
    *o = profile_op_of(in, list[i]);
    sum_add(&out->total, o, in->launch_s);
    sum_add(&out->class[o->op.class], o, in -> launch_s);
    if (in_layer(o->op.kind)) sum_add(&out->layer[o->op.class], o, in->launch_s);
    int at = i;
    for (; at > 0 && before(o->time, out->op[out->order[at - 1]].time); at--) out->order[at] = out->order[at - 1];
    out->order[at] = (uint8_t)i;
  }
}

double profile_time(const struct profile_in *in) {
  struct operation list[OPERATIONS_MAX];
  int n = operations_of(&in->work, list);
  double time = 0;
  for (int i = 0; i < n; i++) time += profile_op_of(in, list[i]).time;
  return n > 0 ? time : NAN;
}

struct profile_in profile_fixed(const struct profile_in *in, enum fix f) {
  struct profile_in out = *in;
  if (f == FIX_FUSE) out.work.fused = true;
  if (f == FIX_BITS) out.work.weight_byte /= 2, out.work.kv_byte /= 2;
  if (f == FIX_BATCH) out.work.batch *= 2;
  if (f == FIX_ARITHMETIC) out.peak_flop_per_s *= 2;
  if (f == FIX_LAYOUT) out.work.line_use = 1;
  if (f == FIX_BANDWIDTH) out.byte_per_s *= 2;
  return out;
}

double profile_gain(const struct profile_in *in, enum fix f) {
  struct profile_in after = profile_fixed(in, f);
  return profile_time(in) / operations_tokens(&in->work) / (profile_time(&after) / operations_tokens(&after.work));
}

struct profile_range profile_estimate(const struct profile_in *in) {
  struct profile_in best = *in, worst = *in;
  best.peak_flop_per_s *= PROFILE_COMPUTE_MOST, best.byte_per_s *= PROFILE_MEMORY_MOST;
  worst.peak_flop_per_s *= PROFILE_COMPUTE_LEAST, worst.byte_per_s *= PROFILE_MEMORY_LEAST;
  return (struct profile_range){profile_time(&best), profile_time(&worst)};
}

int profile_most(const struct profile *p, double share) {
  double time = 0;
  if (!(p->total.time > 0)) return 0;
  for (int i = 0; i < p->n; i++) {
    time += p->op[p->order[i]].time;
    if (time >= share * p->total.time * (1 - 1e-12)) return i + 1;
  }
  return p->n;
}

double profile_amdahl(double share, double faster) { return 1 / (1 - share + share / faster); }
