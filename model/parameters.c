#include "model/parameters.h"

#include <math.h>

static bool known(const struct model *m) {
  bool attention = m->kv_rank ? m->rope_dim > 0 && m->value_dim > 0 : m->kv_heads > 0;
  bool experts = !m->experts || (m->top_k > 0 && m->expert_ffn > 0 && m->moe_layers > 0);
  return m->detailed && m->decoder && m->layers > 0 && m->hidden > 0 && m->heads > 0 && m->head_dim > 0 && m->ffn > 0 && m->vocab > 0 &&
         attention && experts;
}

static double attention_one(const struct model *m) {
  double D = m->hidden, H = m->heads, K = m->kv_heads, d = m->head_dim, q = m->q_rank, c = m->kv_rank, r = m->rope_dim, v = m->value_dim;
  if (!m->kv_rank) return 2 * D * H * d + 2 * D * K * d;
  double query = m->q_rank ? D * q + q * H * (d + r) : D * H * (d + r);
  return query + D * (c + r) + c * H * (d + v) + H * v * D;
}

/* The norm vectors of one layer. */
static double norm_one(const struct model *m) {
  if (m->norm_plain) return 0;
  double n = (double)m->norms * m->hidden;
  if (m->qk_norm) n += 2.0 * m->head_dim;
  if (m->kv_rank) n += m->q_rank + m->kv_rank;
  return m->norm_bias ? 2 * n : n;
}

static double attention_bias_one(const struct model *m) {
  double n = 0;
  if (m->bias & BIAS_QKV) n += ((double)m->heads + 2.0 * m->kv_heads) * m->head_dim;
  if (m->bias & BIAS_OUT) n += m->hidden;
  return n;
}

bool parameters_of(const struct model *m, struct parameters *out) {
  if (!known(m)) {
    *out = (struct parameters){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    return false;
  }
  double D = m->hidden, L = m->layers, V = m->vocab, F = m->ffn, matrices = m->gated ? 3 : 2;
  double moe = m->experts ? m->moe_layers : 0, dense = L - moe;
  double ffn_bias = m->bias & BIAS_FFN ? (matrices - 1) * F + D : 0;
  struct parameters p = {
      .embedding = V * D, .position = m->positions * D, .attention = L * attention_one(m), .ffn = dense * matrices * D * F};
  p.norm = L * norm_one(m) + (m->norms && !m->norm_plain ? (m->norm_bias ? 2 : 1) * D : 0);
  p.bias = L * attention_bias_one(m) + dense * ffn_bias + (m->bias & BIAS_HEAD ? V : 0);
  p.head = m->tied ? 0 : V * D;
  if (m->experts) {
    double shared_ffn = m->shared_ffn ? m->shared_ffn : (double)m->shared_experts * m->expert_ffn;
    p.expert_one = matrices * D * m->expert_ffn;
    p.expert = moe * m->experts * p.expert_one;
    p.shared = moe * matrices * D * shared_ffn;
    p.router = moe * (D * m->experts + (m->shared_gate ? D : 0) + (m->router_bias ? m->experts : 0));
  }
  p.total = p.embedding + p.position + p.attention + p.ffn + p.expert + p.shared + p.router + p.norm + p.bias + p.head;
  p.active = p.total - moe * (m->experts - m->top_k) * p.expert_one;
  p.matmul = p.active - p.position - p.norm - p.bias - (m->tied ? 0 : p.embedding);
  *out = p;
  return true;
}

double parameters_kv(const struct model *m) {
  if (m->kv_rank > 0 && m->rope_dim > 0 && m->layers > 0) return (double)m->layers * (m->kv_rank + m->rope_dim);
  if (m->layers > 0 && m->kv_heads > 0 && m->head_dim > 0) return 2.0 * m->layers * m->kv_heads * m->head_dim;
  return NAN;
}

double parameters_kv_windowed(const struct model *m, double context) {
  double f = m->window > 0 && m->layers > 0 ? (double)m->window_layers / m->layers : 0;
  return parameters_kv(m) * ((1 - f) * context + f * (m->window > 0 ? fmin(context, m->window) : context));
}
