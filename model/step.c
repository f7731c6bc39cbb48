#include "model/step.h"

#include <math.h>

#include "model/roof.h"

double step_experts_read(double experts, double top_k, double tokens) { return experts * (1 - pow(1 - top_k / experts, tokens)); }

static double experts_read(const struct step_in *in, double batch) { return step_experts_read(in->experts, in->top_k, batch); }

static double weights_read(const struct step_in *in, double batch) {
  if (!(in->experts > 0)) return in->params * in->weight_byte;
  /* `params` counts the top_k experts one token takes; the rest of the layer is read whatever the batch. */
  double common = in->params - in->top_k * in->expert_params;
  return (common + experts_read(in, batch) * in->expert_params) * in->weight_byte;
}

/* A layer w wide takes w values in and gives w out for every w × w weights. */
static double activations_per_token(const struct step_in *in) {
  return in->activation_byte == 0 ? 0 : 2 * in->params * in->activation_byte / in->width;
}

static double kv_per_sequence(const struct step_in *in) { return in->kv_byte_per_token == 0 ? 0 : in->kv_byte_per_token * in->context; }

struct step_load step_at(const struct step_in *in, double batch) {
  struct step_load l = {.flop = 2 * in->params * batch,
                        .weight_byte = weights_read(in, batch),
                        .kv_byte = kv_per_sequence(in) * batch,
                        .activation_byte = activations_per_token(in) * batch};
  l.byte = l.weight_byte + l.kv_byte + l.activation_byte;
  l.memory_time = l.byte / in->byte_per_s;
  l.compute_time = l.flop / in->peak_flop_per_s;
  l.step_time = roof_time_lower(l.flop, l.byte, in->peak_flop_per_s, in->byte_per_s);
  return l;
}

/* Where compute time overtakes memory time. Both grow with the batch; they meet only if arithmetic grows faster in the long run. */
static double ridge_batch(const struct step_in *in) {
  double r = roof_ridge(in->peak_flop_per_s, in->byte_per_s);
  double growth = 2 * in->params - r * (activations_per_token(in) + kv_per_sequence(in));
  if (!(growth > 0)) return NAN;
  double dense = r * in->params * in->weight_byte / growth;
  if (!(in->experts > 0)) return dense;
  /* Experts: more weights are read as the batch grows, never more than all of them. */
  double lo = 0, hi = r * (in->params + in->experts * in->expert_params) * in->weight_byte / growth;
  if (!(hi > 0) || isinf(hi)) return NAN;
  for (int i = 0; i < 200; i++) {
    double mid = lo + (hi - lo) / 2;
    struct step_load l = step_at(in, mid);
    if (l.flop < r * l.byte)
      lo = mid;
    else
      hi = mid;
  }
  return hi;
}

static double ridge_context(const struct step_in *in) {
  if (in->kv_byte_per_token == 0) return NAN;
  double r = roof_ridge(in->peak_flop_per_s, in->byte_per_s);
  double room = 2 * in->params / r - activations_per_token(in);
  return room > 0 ? floor(room / in->kv_byte_per_token) : isnan(room) ? NAN : 0;
}

/* Step time only grows with the batch, so the largest that keeps the deadline is found by doubling, then halving the gap. */
static double deadline_batch(const struct step_in *in) {
  double first = step_at(in, 1).step_time;
  if (isnan(in->deadline) || isnan(first)) return NAN;
  if (first > in->deadline) return 0;
  double lo = 1, hi = 2, most = 0x1p52;
  while (hi < most && step_at(in, hi).step_time <= in->deadline) lo = hi, hi *= 2;
  if (hi >= most) return NAN; /* nothing in this step costs time */
  while (hi - lo > 1) {
    double mid = floor(lo + (hi - lo) / 2);
    if (step_at(in, mid).step_time <= in->deadline)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

void step_of(const struct step_in *in, struct step_out *out) {
  struct step_load l = step_at(in, in->batch);
  double peak = in->peak_flop_per_s, rate = in->byte_per_s;
  *out = (struct step_out){.flop = l.flop, .weight_byte = l.weight_byte, .kv_byte = l.kv_byte, .activation_byte = l.activation_byte};
  out->byte = l.byte;
  out->weight_time = l.weight_byte / rate;
  out->kv_time = l.kv_byte / rate;
  out->activation_time = l.activation_byte / rate;
  out->memory_time = l.memory_time;
  out->compute_time = l.compute_time;
  out->step_time = l.step_time;
  out->step_time_upper = roof_time_upper(l.flop, l.byte, peak, rate);
  out->step_time_kv_added = out->kv_time + roof_time_lower(l.flop, l.weight_byte + l.activation_byte, peak, rate);
  out->token_rate = in->batch / out->step_time;
  out->token_rate_per_user = 1 / out->step_time;
  out->arithmetic_intensity = roof_intensity(l.flop, l.byte);
  out->attainable_flop_per_s = roof_attainable(peak, rate, out->arithmetic_intensity);
  out->ridge_batch = ridge_batch(in);
  out->ridge_context = ridge_context(in);
  out->experts_read = in->experts > 0 ? experts_read(in, in->batch) : NAN;

  double sequence = kv_per_sequence(in), free_byte;
  out->weight_total_byte = in->params_total * in->weight_byte;
  out->kv_total_byte = l.kv_byte;
  out->capacity_left = in->capacity_byte - out->weight_total_byte - out->kv_total_byte;
  free_byte = in->capacity_byte - out->weight_total_byte;
  out->max_batch_deadline = deadline_batch(in);
  out->max_batch_capacity = out->kv_token_room = NAN;
  if (in->kv_byte_per_token > 0 && !isnan(free_byte)) {
    out->max_batch_capacity = free_byte > 0 ? floor(free_byte / sequence) : 0;
    out->kv_token_room = free_byte > 0 ? floor(free_byte / in->kv_byte_per_token) : 0;
  }
}

/* Counts in a model file are 0 when they are not known or do not apply. */
static double count(int n) { return n > 0 ? n : NAN; }

struct geometry geometry_of(const struct model *m, double params) {
  struct geometry g = {.params = NAN, .params_active = NAN, .matmul_params = NAN, .layers = NAN, .hidden = NAN, .heads = NAN};
  g.kv_heads = g.head_dim = g.ffn = g.vocab = g.kv_byte_per_token_2 = NAN;
  if (params > 0) {
    g = (struct geometry){.params = params, .params_active = params, .matmul_params = params, .layers = 32, .hidden = 4096, .heads = 32};
    g.kv_heads = 32, g.head_dim = 128, g.ffn = 11008, g.vocab = 32000;
    g.kv_byte_per_token_2 = 2 * g.layers * g.kv_heads * g.head_dim * 2;
    g.assumed = g.gated = g.decoder = true;
    return g;
  }
  if (!m) return g;
  g.params = m->params;
  g.params_active = isnan(m->params_active) ? m->params : m->params_active;
  g.matmul_params = isnan(m->matmul_params) ? g.params_active : m->matmul_params;
  g.layers = count(m->layers), g.hidden = count(m->hidden), g.heads = count(m->heads), g.kv_heads = count(m->kv_heads);
  g.head_dim = count(m->head_dim), g.ffn = count(m->ffn), g.vocab = count(m->vocab);
  g.kv_byte_per_token_2 = isnan(m->kv_byte_per_token) ? 0 : m->kv_byte_per_token;
  g.gated = m->gated, g.decoder = m->decoder, g.assumed = m->illustrative;
  if (m->experts > 0) {
    g.experts = m->experts, g.top_k = m->top_k;
    g.expert_params = count(m->moe_layers) * (m->gated ? 3 : 2) * g.hidden * count(m->expert_ffn);
  }
  return g;
}
