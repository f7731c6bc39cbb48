#include "model/capacity.h"

#include <assert.h>
#include <math.h>

const char *use_name(enum use u) {
  static const char *const name[USE_N] = {"inference", "finetune", "lora"};
  return name[u];
}

const char *recipe_name(enum recipe r) {
  static const char *const name[RECIPE_N] = {"16", "18", "10"};
  return name[r];
}

struct recipe_byte recipe_byte(enum recipe r) {
  static const struct recipe_byte table[RECIPE_N] = {
      [RECIPE_16] = {2, 2, 4, 8}, /* 16-bit gradients, fp32 master copy, two fp32 moments */
      [RECIPE_18] = {2, 4, 4, 8}, /* gradients gathered in fp32 */
      [RECIPE_10] = {2, 0, 0, 8}, /* no master copy, and each gradient used as it is made */
  };
  assert(r >= 0 && r < RECIPE_N);
  return table[r];
}

static double lesser(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b ? a : b; }

/* Two thin matrices of rank 16 beside each of the query, key, value and output projections. */
static double adapter_params(const struct geometry *g) {
  double q = g->hidden + g->heads * g->head_dim, kv = g->hidden + g->kv_heads * g->head_dim;
  return LORA_RANK * g->layers * (2 * q + 2 * kv);
}

static bool trains(const struct capacity_in *in) { return in->use != USE_INFERENCE; }

/* What inputs add, as a polynomial: per sequence `fixed`, per token `token`, per token pair in one sequence `pair`; and while reading a
 * prompt `live` for each token of the chunk. */
struct demand {
  double fixed, token, pair, live;
};

static struct demand demand_of(const struct capacity_in *in) {
  const struct geometry *g = &in->geometry;
  if (trains(in)) return (struct demand){0, 34 * g->layers * g->hidden, 5 * g->layers * g->heads, 0};
  double kv = g->kv_byte_per_token_2 / 2 * in->kv_byte;
  return (struct demand){4 * g->vocab, kv, 0, 2 * (2 * g->hidden + 2 * g->ffn)};
}

static double chunk(const struct capacity_in *in, double tokens) { return trains(in) ? 0 : lesser(tokens, CAPACITY_CHUNK); }

static double input_byte(const struct capacity_in *in, double batch, double context) {
  struct demand d = demand_of(in);
  double byte = batch * (d.fixed + context * (d.token + context * d.pair));
  return trains(in) ? byte : byte + d.live * chunk(in, batch * context);
}

static void state_of(const struct capacity_in *in, struct capacity_out *out) {
  struct recipe_byte r = recipe_byte(in->recipe);
  double params = in->geometry.params, trained = 0;
  out->adapter_params = in->use == USE_LORA ? adapter_params(&in->geometry) : 0;
  if (in->use == USE_FINETUNE) trained = params;
  if (in->use == USE_LORA) trained = out->adapter_params;
  double stored = in->use == USE_FINETUNE ? 0 : params;
  out->weight_byte = stored * in->weight_byte + trained * r.weight;
  out->gradient_byte = trained * r.gradient;
  out->master_byte = trained * r.master;
  out->optimizer_byte = trained * r.optimizer;
  out->state_byte = out->weight_byte + out->gradient_byte + out->master_byte + out->optimizer_byte;
}

static double room_of(const struct capacity_in *in) {
  struct capacity_out state;
  state_of(in, &state);
  return in->capacity_byte * in->devices - state.state_byte;
}

double capacity_context(const struct capacity_in *in, double batch) {
  struct demand d = demand_of(in);
  double room = room_of(in), left = room - batch * d.fixed, x;
  if (isnan(left) || isnan(d.token) || isnan(d.pair) || isnan(d.live)) return NAN;
  if (left < input_byte(in, batch, 1) - batch * d.fixed) return 0;
  if (trains(in)) { /* batch · (token·s + pair·s²) = left */
    double b = d.token, c = left / batch;
    x = d.pair > 0 ? 2 * c / (b + sqrt(b * b + 4 * d.pair * c)) : c / b;
  } else {
    x = left / (batch * (d.token + d.live));
    if (x * batch > CAPACITY_CHUNK) x = (left - d.live * CAPACITY_CHUNK) / (batch * d.token);
  }
  return isfinite(x) ? floor(x) : NAN;
}

double capacity_batch(const struct capacity_in *in, double context) {
  struct demand d = demand_of(in);
  double room = room_of(in);
  double each = d.fixed + context * (d.token + context * d.pair), one = input_byte(in, 1, context), x;
  if (isnan(room) || isnan(one)) return NAN;
  if (room < one) return 0;
  x = trains(in) ? room / each : room / (each + d.live * context);
  if (!trains(in) && x * context > CAPACITY_CHUNK) x = (room - d.live * CAPACITY_CHUNK) / each;
  return isfinite(x) ? floor(x) : NAN;
}

void capacity_of(const struct capacity_in *in, struct capacity_out *out) {
  struct demand d = demand_of(in);
  state_of(in, out);
  out->kv_byte = trains(in) ? 0 : in->batch * in->context * d.token;
  out->activation_byte =
      trains(in) ? input_byte(in, in->batch, in->context) : in->batch * d.fixed + d.live * chunk(in, in->batch * in->context);
  out->total_byte = out->state_byte + out->kv_byte + out->activation_byte;
  out->capacity_byte = in->capacity_byte * in->devices;
  out->headroom_byte = out->capacity_byte - out->total_byte;
  double needed = ceil(out->total_byte / in->capacity_byte);
  out->devices_needed = needed < 1 ? 1 : needed;
  out->max_batch = capacity_batch(in, in->context);
  out->max_context = capacity_context(in, in->batch);
}
