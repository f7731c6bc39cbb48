/* The operations of a transformer: decoders, encoders, mixtures of experts, shared and latent keys and values, windows, pictures. */
#include <math.h>

#include "model/operations_list.h"
#include "model/step.h"

/* A model's numbers as the formulas want them. */
struct sizes {
  const struct model *m;
  double width, heads, kv_heads, head, value, rope, query; /* query: values of a head's query and key; value: of its value */
  double norms;                                            /* vectors a layer */
  bool latent;
};

static struct sizes sizes_of(const struct model *m) {
  struct sizes z = {.m = m, .width = m->hidden, .heads = m->heads, .kv_heads = m->kv_heads, .head = m->head_dim};
  z.norms = m->detailed ? m->norms : 2; /* of those that say nothing two are assumed, as nearly all have */
  z.latent = m->kv_rank > 0;
  z.value = z.latent ? m->value_dim : z.head;
  z.rope = m->rope_dim;
  z.query = z.latent ? z.head + z.rope : z.head;
  return z;
}

/* ---- bricks ---- */

static void weights(struct list *l, enum operation_kind kind, double count, double rows, double n, double k, bool bias) {
  double stored = n * k + (bias ? n : 0);
  list_product(l, kind, count, (struct product){.m = rows, .n = n, .k = k, .stored = stored, .active = n * k, .read = stored});
}

static void norm(struct list *l, enum operation_kind kind, double count, double rows, double n, double params) {
  list_element(l, kind, count,
               (struct element){.m = rows,
                                .n = n,
                                .read = 1,
                                .write = 1,
                                .flop = 8,
                                .params = params,
                                .fuses = true,
                                .backward_flop = 2,
                                .backward_moved = 3,
                                .backward_rides = 1});
}

/* A norm of the stream: a scale for each value, and a shift where there are biases. */
static void norm_stream(struct list *l, const struct sizes *z, enum operation_kind kind, double count) {
  if (z->norms > 0) norm(l, kind, count, l->tokens, z->width, z->m->norm_plain ? 0 : z->width * (z->m->norm_bias ? 2 : 1));
}

static void add(struct list *l, enum operation_kind kind, double count, double rows, double n) {
  list_element(l, kind, count, (struct element){.m = rows, .n = n, .read = 2, .write = 1, .flop = 1, .fuses = true, .rides = 1});
}

static void activation(struct list *l, const struct sizes *z, enum operation_kind kind, double count, double rows, double n) {
  bool gated = z->m->gated;
  list_element(l, kind, count,
               (struct element){.m = rows,
                                .n = n,
                                .read = gated ? 2 : 1,
                                .write = 1,
                                .flop = 5,
                                .fuses = true,
                                .backward_flop = 2,
                                .backward_moved = gated ? 5 : 3,
                                .backward_rides = gated ? 2 : 1});
}

/* ---- attention ---- */

/* Queries times the keys each sees, over all sequences, for one head. */
static double pairs_of(const struct list *l, const struct model *m, bool window) {
  double s = l->sequence, w = window ? fmin(s, m->window) : s;
  if (l->phase == PHASE_DECODE) return l->in->batch * w;
  double all = s * w;
  if (l->in->masked && m->decoder) all = w * (w + 1) / 2 + (s - w) * w;
  return l->in->batch * all;
}

static double keys_of(const struct list *l, const struct model *m, bool window) {
  return l->in->batch * (window ? fmin(l->sequence, m->window) : l->sequence);
}

/* Scores, softmax and values of all heads. In decode, latent attention works on what the cache holds, squeezed. */
static void attention(struct list *l, const struct sizes *z, double count, bool window) {
  const struct operations_in *in = l->in;
  bool squeezed = z->latent && l->phase == PHASE_DECODE, cache = l->phase != PHASE_TRAINING && z->m->decoder;
  double rank = z->m->kv_rank, pairs = pairs_of(l, z->m, window), keys = keys_of(l, z->m, window);
  double query = squeezed ? rank + z->rope : z->query, value = squeezed ? rank : z->value;
  double holders = squeezed ? 1 : z->latent ? z->heads : z->kv_heads; /* heads of keys and values that are stored */
  double scores = pairs * z->heads, q = l->tokens * z->heads * query, o = l->tokens * z->heads * value;
  double k = keys * holders * query, v = keys * holders * value, kv_byte = cache ? in->kv_byte : in->activation_byte;
  double score_flop = 2 * query * scores, value_flop = 2 * value * scores, both = l->backward ? 2 : 1;
  double a = in->activation_byte;
  if (in->fused) {
    struct operation *f = list_put(l, window ? OPERATION_WINDOW_ATTENTION : OPERATION_ATTENTION, count);
    f->m = l->tokens, f->n = keys, f->k = query, f->copies = z->heads, f->backward = l->backward;
    f->flop = both * (score_flop + value_flop + 5 * scores) + (l->backward ? score_flop : 0);
    f->activation_byte = (l->backward ? 2 * q + 2 * o : q + o) * a; /* backward: queries, result and its gradient in, theirs out */
    f->kv_byte = (squeezed ? k : k + v) * both * kv_byte;
    if (l->backward) f->activation_byte += o * a;
    return;
  }
  struct operation *s = list_put(l, window ? OPERATION_WINDOW_SCORES : OPERATION_SCORES, count);
  s->m = l->tokens, s->n = keys, s->k = query, s->copies = z->heads, s->backward = l->backward;
  s->flop = both * score_flop;
  s->activation_byte = (both * q + both * scores) * a;
  s->kv_byte = both * k * kv_byte;
  struct operation *x = list_put(l, window ? OPERATION_WINDOW_SOFTMAX : OPERATION_SOFTMAX, count);
  x->m = l->tokens * z->heads, x->n = pairs / l->tokens, x->k = 1, x->backward = l->backward;
  x->flop = both * 5 * scores;
  x->activation_byte = (l->backward ? 3 : 2) * scores * a;
  struct operation *y = list_put(l, window ? OPERATION_WINDOW_VALUES : OPERATION_VALUES, count);
  y->m = l->tokens, y->n = value, y->k = keys, y->copies = z->heads, y->backward = l->backward;
  y->flop = both * value_flop;
  y->activation_byte = (both * scores + both * o) * a;
  y->kv_byte = both * v * kv_byte;
}

static void projections(struct list *l, const struct sizes *z, double layers) {
  const struct model *a = z->m;
  double t = l->tokens, d = z->width;
  bool bias = a->bias & BIAS_QKV, cached = l->phase != PHASE_TRAINING && z->m->decoder;
  if (!z->latent) {
    double kv = z->kv_heads * z->head, stored = kv * d + (bias ? kv : 0);
    struct product p = {.m = t, .n = kv, .k = d, .stored = stored, .active = kv * d, .read = stored, .cached = cached};
    weights(l, OPERATION_Q, layers, t, z->heads * z->head, d, bias);
    list_product(l, OPERATION_K, layers, p);
    list_product(l, OPERATION_V, layers, p);
    if (a->qk_norm) norm(l, OPERATION_NORM_HEAD, layers, t * (z->heads + z->kv_heads), z->head, 2 * z->head);
    return;
  }
  double rank = a->kv_rank, q_rank = a->q_rank;
  if (q_rank > 0) {
    weights(l, OPERATION_Q_DOWN, layers, t, q_rank, d, false);
    weights(l, OPERATION_Q_UP, layers, t, z->heads * z->query, q_rank, false);
  } else
    weights(l, OPERATION_Q, layers, t, z->heads * z->query, d, false);
  double squeezed = (rank + z->rope) * d;
  list_product(
      l, OPERATION_KV_DOWN, layers,
      (struct product){.m = t, .n = rank + z->rope, .k = d, .stored = squeezed, .active = squeezed, .read = squeezed, .cached = cached});
  if (z->norms > 0) norm(l, OPERATION_NORM_HEAD, layers, t, q_rank + rank, q_rank + rank);
  /* Decode folds them into query and result: a product for each head, as many multiplications for the token. */
  double up = z->heads * z->head * rank, wide = z->heads * z->value * rank;
  bool folded = l->phase == PHASE_DECODE;
  list_product(l, OPERATION_K_UP, layers,
               folded ? (struct product){.m = t, .n = rank, .k = z->head, .copies = z->heads, .stored = up, .active = up, .read = up}
                      : (struct product){.m = t, .n = z->heads * z->head, .k = rank, .stored = up, .active = up, .read = up});
  list_product(l, OPERATION_V_UP, layers,
               folded ? (struct product){.m = t, .n = z->value, .k = rank, .copies = z->heads, .stored = wide, .active = wide, .read = wide}
                      : (struct product){.m = t, .n = z->heads * z->value, .k = rank, .stored = wide, .active = wide, .read = wide});
}

/* Learned positions are looked up with the token; where there are none, queries and keys are rotated (our reading of models that are
 * silent). */
static void rotate(struct list *l, const struct sizes *z, double layers) {
  if (z->m->positions > 0 || z->norms == 0) return;
  double heads = z->latent ? z->heads + 1 : z->heads + z->kv_heads, values = z->latent ? z->rope : z->head;
  list_element(l, OPERATION_ROTATE, layers,
               (struct element){.m = l->tokens * heads, .n = values, .read = 1, .write = 1, .flop = 3, .fuses = true});
}

static void attention_half(struct list *l, const struct sizes *z, double layers) {
  double windowed = z->m->window > 0 ? z->m->window_layers : 0;
  norm_stream(l, z, OPERATION_NORM_ATTENTION, layers);
  projections(l, z, layers);
  rotate(l, z, layers);
  if (layers > windowed) attention(l, z, layers - windowed, false);
  if (windowed > 0) attention(l, z, windowed, true);
  weights(l, OPERATION_OUTPUT, layers, l->tokens, z->width, z->heads * z->value, z->m->bias & BIAS_OUT);
  if (z->norms > 2) norm_stream(l, z, OPERATION_NORM_ATTENTION_AFTER, layers);
  add(l, OPERATION_ADD_ATTENTION, layers, l->tokens, z->width);
}

/* ---- feed-forward ---- */

static void feed_forward(struct list *l, const struct sizes *z, double layers, double wide, enum operation_kind gate) {
  bool bias = z->m->bias & BIAS_FFN;
  enum operation_kind up = gate + 1, act = gate + 2, down = gate + 3;
  if (z->m->gated) weights(l, gate, layers, l->tokens, wide, z->width, bias);
  weights(l, up, layers, l->tokens, wide, z->width, bias);
  activation(l, z, act, layers, l->tokens, wide);
  weights(l, down, layers, l->tokens, z->width, wide, bias);
}

static void experts(struct list *l, const struct sizes *z, double layers) {
  const struct model *m = z->m;
  double e = m->experts, k = m->top_k, wide = m->expert_ffn, d = z->width, rows = l->tokens * k;
  double one = d * wide, touched = step_experts_read(e, k, l->tokens);
  struct product in = {.m = rows, .n = wide, .k = d, .stored = e * one, .active = k * one, .read = touched * one}, out = in;
  out.n = d, out.k = wide;
  double choices = e + m->shared_gate, router = choices * d + (m->router_bias ? e : 0); /* its offsets stand with its matrix */
  list_product(l, OPERATION_ROUTER, layers,
               (struct product){.m = l->tokens, .n = choices, .k = d, .stored = router, .active = router, .read = router});
  if (m->gated) list_product(l, OPERATION_EXPERT_GATE, layers, in);
  list_product(l, OPERATION_EXPERT_UP, layers, in);
  activation(l, z, OPERATION_EXPERT_ACTIVATION, layers, rows, wide);
  list_product(l, OPERATION_EXPERT_DOWN, layers, out);
  double shared = m->shared_ffn > 0 ? m->shared_ffn : wide * m->shared_experts;
  if (shared > 0) feed_forward(l, z, layers, shared, OPERATION_SHARED_GATE);
  list_element(l, OPERATION_EXPERT_SUM, layers, (struct element){.m = l->tokens, .n = d, .read = k, .write = 1, .flop = 2 * k});
}

static void feed_forward_half(struct list *l, const struct sizes *z, double layers) {
  const struct model *m = z->m;
  double sparse = m->experts > 0 ? m->moe_layers : 0;
  if (z->norms != 1) norm_stream(l, z, OPERATION_NORM_FFN, layers); /* with one norm a layer both parts read what it made */
  if (layers > sparse) feed_forward(l, z, layers - sparse, m->ffn, OPERATION_GATE);
  if (sparse > 0) experts(l, z, sparse);
  if (z->norms > 3) norm_stream(l, z, OPERATION_NORM_FFN_AFTER, layers);
  add(l, OPERATION_ADD_FFN, layers, l->tokens, z->width);
}

/* ---- both ends ---- */

static void embedding(struct list *l, const struct sizes *z) {
  const struct model *a = z->m;
  double d = z->width, t = l->tokens;
  if (a->vocab == 0 && a->patch == 0) return; /* a layer alone */
  if (a->patch > 0)                           /* one token names the class, the others are patches */
    weights(l, OPERATION_PATCH, 1, l->in->batch * (a->positions - 1), d, a->patch, true);
  struct operation *o = list_put(l, OPERATION_EMBED, 1);
  double vectors = (a->patch > 0 ? 0 : 1) + (a->positions > 0) + (a->token_types > 0); /* looked up for each token */
  o->m = t, o->n = d, o->k = vectors, o->backward = l->backward;
  o->params = ((a->patch > 0 ? 1 : z->m->vocab) + a->positions + a->token_types) * d;
  o->flop = (l->backward ? vectors : vectors - 1) * t * d;
  o->weight_byte = (l->backward ? 2 : 1) * vectors * t * d * l->in->weight_byte;
  o->activation_byte = t * d * l->in->activation_byte;
  if (a->embedding_norm) norm_stream(l, z, OPERATION_NORM_EMBED, 1);
}

/* What comes after the last layer. A prompt's next token needs the last row only; training learns from all. */
static void head(struct list *l, const struct sizes *z) {
  const struct model *m = z->m;
  double d = z->width, rows = l->phase == PHASE_PREFILL ? l->in->batch : l->tokens;
  if (!m->embedding_norm && (m->vocab > 0 || m->classes > 0)) norm_stream(l, z, OPERATION_NORM_FINAL, 1);
  if (m->pooler) weights(l, OPERATION_POOLER, 1, l->in->batch, d, d, true);
  if (m->classes > 0) weights(l, OPERATION_HEAD, 1, l->in->batch, m->classes, d, m->bias & BIAS_HEAD);
  if (!m->decoder || !(m->vocab > 0) || m->classes > 0) return;
  double table = (double)m->vocab * d, offsets = m->bias & BIAS_HEAD ? m->vocab : 0;
  list_product(l, OPERATION_HEAD, 1,
               (struct product){
                   .m = rows, .n = m->vocab, .k = d, .stored = (m->tied ? 0 : table) + offsets, .active = table, .read = table + offsets});
}

void list_transformer(struct list *l) {
  struct sizes z = sizes_of(l->in->model);
  double layers = z.m->layers;
  if (!l->again) embedding(l, &z);
  attention_half(l, &z, layers);
  feed_forward_half(l, &z, layers);
  if (!l->again) head(l, &z);
}
