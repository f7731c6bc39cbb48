#include "model/block.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

struct block block_of(enum op op, struct shape s) {
  s = work_complete(op, s);
  bool training = op == OP_BLOCK_TRAIN;
  return (struct block){.hidden = s.n,
                        .heads = s.heads,
                        .kv_heads = s.kv_heads,
                        .head_dim = s.k,
                        .ffn = s.ffn,
                        .sequences = s.batch,
                        .tokens = s.m,
                        .context = training ? s.m : s.context,
                        .gated = s.matrices != 2,
                        .training = training};
}

struct shape block_shape(const struct block *b) {
  return (struct shape){.n = b->hidden,
                        .m = b->tokens,
                        .k = b->head_dim,
                        .batch = b->sequences,
                        .fma = 1,
                        .chain = 1,
                        .stride = NAN,
                        .heads = b->heads,
                        .kv_heads = b->kv_heads,
                        .ffn = b->ffn,
                        .context = b->context,
                        .matrices = b->gated ? 3 : 2};
}

const char *block_wrong(const struct block *b) {
  if (!(b->heads >= 1 && b->kv_heads >= 1 && b->head_dim >= 1 && b->hidden >= 1 && b->ffn >= 1)) return "a layer needs sizes of at least 1";
  if (fmod(b->heads, b->kv_heads) != 0) return "heads must be a multiple of kv_heads";
  if (b->context < b->tokens) return "context counts the new tokens too: it must be at least m";
  return NULL;
}

static const struct { const char *name, *words; } op_row[BLOCK_OP_N] = {
    [BLOCK_NORM_1] = {"norm 1", "norm of what comes in: mean, deviation, scale, shift"},
    [BLOCK_QUERY] = {"query", "a query for every token: times Wq"},
    [BLOCK_KEY] = {"key", "a key for every token: times Wk"},
    [BLOCK_VALUE] = {"value", "a value for every token: times Wv"},
    [BLOCK_CACHE] = {"cache", "queries and keys turned by their position; keys and values appended to the cache"},
    [BLOCK_SCORES] = {"scores", "every query times every key of its head"},
    [BLOCK_SOFTMAX] = {"softmax", "scores made into shares that add up to 1"},
    [BLOCK_VALUES] = {"mix", "values added up by their shares"},
    [BLOCK_OUTPUT] = {"output", "the heads joined: times Wo"},
    [BLOCK_ADD_1] = {"add 1", "added to what came in"},
    [BLOCK_NORM_2] = {"norm 2", "norm before the feed-forward part"},
    [BLOCK_GATE] = {"gate", "times Wg, to gate with"},
    [BLOCK_UP] = {"up", "widened: times Wu"},
    [BLOCK_ACTIVATION] = {"activation", "silu of the gate times the rest, or gelu"},
    [BLOCK_DOWN] = {"down", "narrowed again: times Wd"},
    [BLOCK_ADD_2] = {"add 2", "added to what came into the feed-forward part"},
};
const char *block_op_name(enum block_op op) { return op_row[op].name; }
const char *block_op_words(enum block_op op) { return op_row[op].words; }

const char *block_pass_name(enum block_pass p) {
  static const char *const name[PASS_N] = {"forward", "back, input", "back, weights"};
  return name[p];
}

/* Elements an element-wise part reads and writes, and its FLOP: each operand once. */
static struct work swept(double flop, double read, double write, enum dtype t) {
  double byte = dtype_byte(t);
  return (struct work){flop, byte * (read + write), byte * (read + 2 * write)};
}

/* FLOP an element (ours): silu 4 and the product; gelu by its tanh form; twice that backward, as for norm and softmax; a turn of a pair takes 6. */
enum { SILU_FLOP = 5, GELU_FLOP = 9, SILU_BACK_FLOP = 10, GELU_BACK_FLOP = 18, SOFTMAX_BACK_FLOP = 10, NORM_BACK_FLOP = 16, TURN_FLOP = 3 };

struct list { const struct block *b; enum dtype t; struct block_part *out; int n; };

static void put(struct list *l, enum block_op op, enum block_pass pass, struct work w) {
  assert(l->n < BLOCK_PART_MAX);
  l->out[l->n++] = (struct block_part){.op = op, .pass = pass, .work = w};
}

static void put_product(struct list *l, enum block_op op, enum block_pass pass, double count, double m, double n, double k, bool adds) {
  struct work w = work_of(OP_MATMUL, (struct shape){.n = n, .m = m, .k = k}, l->t);
  if (adds) w.byte += m * n * dtype_byte(l->t); /* read before it is written: the bus did so anyway */
  put(l, op, pass, (struct work){count * w.flop, count * w.byte, count * w.byte_bus});
  struct block_part *p = &l->out[l->n - 1];
  p->count = count, p->m = m, p->n = n, p->k = k, p->adds = adds;
}

static struct work rows_work(enum op op, double m, double n, enum dtype t) { return work_of(op, (struct shape){.n = n, .m = m}, t); }

static void forward(struct list *l) {
  const struct block *b = l->b;
  double T = b->sequences * b->tokens, D = b->hidden, q = b->heads * b->head_dim, kv = b->kv_heads * b->head_dim, F = b->ffn;
  double group = b->heads / b->kv_heads * b->tokens, sets = b->sequences * b->kv_heads;
  put(l, BLOCK_NORM_1, PASS_FORWARD, rows_work(OP_LAYERNORM, T, D, l->t));
  put_product(l, BLOCK_QUERY, PASS_FORWARD, 1, T, q, D, false);
  put_product(l, BLOCK_KEY, PASS_FORWARD, 1, T, kv, D, false);
  put_product(l, BLOCK_VALUE, PASS_FORWARD, 1, T, kv, D, false);
  put(l, BLOCK_CACHE, PASS_FORWARD, swept(b->gated ? TURN_FLOP * T * (q + kv) : 0, T * (q + 2 * kv), T * (q + 2 * kv), l->t));
  put_product(l, BLOCK_SCORES, PASS_FORWARD, sets, group, b->context, b->head_dim, false);
  put(l, BLOCK_SOFTMAX, PASS_FORWARD, rows_work(OP_SOFTMAX, T * b->heads, b->context, l->t));
  put_product(l, BLOCK_VALUES, PASS_FORWARD, sets, group, b->head_dim, b->context, false);
  put_product(l, BLOCK_OUTPUT, PASS_FORWARD, 1, T, D, q, false);
  put(l, BLOCK_ADD_1, PASS_FORWARD, rows_work(OP_ADD, 1, T * D, l->t));
  put(l, BLOCK_NORM_2, PASS_FORWARD, rows_work(OP_LAYERNORM, T, D, l->t));
  if (b->gated) put_product(l, BLOCK_GATE, PASS_FORWARD, 1, T, F, D, false);
  put_product(l, BLOCK_UP, PASS_FORWARD, 1, T, F, D, false);
  put(l, BLOCK_ACTIVATION, PASS_FORWARD, swept((b->gated ? SILU_FLOP : GELU_FLOP) * T * F, (b->gated ? 2 : 1) * T * F, T * F, l->t));
  put_product(l, BLOCK_DOWN, PASS_FORWARD, 1, T, D, F, false);
  put(l, BLOCK_ADD_2, PASS_FORWARD, rows_work(OP_ADD, 1, T * D, l->t));
}

/* The gradients of Y[T×out] = X[T×in]·Wᵀ. */
static void linear_back(struct list *l, enum block_op op, double T, double in, double out, bool adds) {
  put_product(l, op, PASS_INPUT, 1, T, in, out, adds);
  put_product(l, op, PASS_WEIGHT, 1, out, in, T, false);
}

static void backward(struct list *l) {
  const struct block *b = l->b;
  double T = b->sequences * b->tokens, D = b->hidden, q = b->heads * b->head_dim, kv = b->kv_heads * b->head_dim, F = b->ffn;
  double group = b->heads / b->kv_heads * b->tokens, sets = b->sequences * b->kv_heads, scores = T * b->heads * b->context;
  struct work norm = swept(NORM_BACK_FLOP * T * D, 2 * T * D, T * D, l->t), add = rows_work(OP_ADD, 1, T * D, l->t);
  linear_back(l, BLOCK_DOWN, T, F, D, false);
  put(l, BLOCK_ACTIVATION, PASS_INPUT,
      swept((b->gated ? SILU_BACK_FLOP : GELU_BACK_FLOP) * T * F, (b->gated ? 3 : 2) * T * F, (b->gated ? 2 : 1) * T * F, l->t));
  linear_back(l, BLOCK_UP, T, D, F, false);
  if (b->gated) linear_back(l, BLOCK_GATE, T, D, F, true);
  put(l, BLOCK_NORM_2, PASS_INPUT, norm);
  put(l, BLOCK_ADD_2, PASS_INPUT, add);
  linear_back(l, BLOCK_OUTPUT, T, q, D, false);
  put_product(l, BLOCK_VALUES, PASS_INPUT, sets, group, b->context, b->head_dim, false);
  put_product(l, BLOCK_VALUES, PASS_WEIGHT, sets, b->context, b->head_dim, group, false);
  put(l, BLOCK_SOFTMAX, PASS_INPUT, swept(SOFTMAX_BACK_FLOP * scores, 2 * scores, scores, l->t));
  put_product(l, BLOCK_SCORES, PASS_INPUT, sets, group, b->head_dim, b->context, false);
  put_product(l, BLOCK_SCORES, PASS_WEIGHT, sets, b->context, b->head_dim, group, false);
  put(l, BLOCK_CACHE, PASS_INPUT, swept(b->gated ? TURN_FLOP * T * (q + kv) : 0, T * (q + 2 * kv), T * (q + 2 * kv), l->t));
  linear_back(l, BLOCK_QUERY, T, D, q, false);
  linear_back(l, BLOCK_KEY, T, D, kv, true);
  linear_back(l, BLOCK_VALUE, T, D, kv, true);
  put(l, BLOCK_NORM_1, PASS_INPUT, norm);
  put(l, BLOCK_ADD_1, PASS_INPUT, add);
}

int block_parts(const struct block *b, enum dtype t, struct block_part out[BLOCK_PART_MAX]) {
  struct list l = {b, t, out, 0};
  forward(&l);
  if (b->training) backward(&l);
  return l.n;
}

struct work block_work(const struct block *b, enum dtype t) {
  struct block_part part[BLOCK_PART_MAX];
  struct work sum = {0, 0, 0};
  int n = block_parts(b, t, part);
  for (int i = 0; i < n; i++) {
    sum.flop += part[i].work.flop;
    sum.byte += part[i].work.byte;
    sum.byte_bus += part[i].work.byte_bus;
  }
  return sum;
}

double block_array(const struct block *b, enum block_array a) {
  double T = b->sequences * b->tokens, D = b->hidden, q = b->heads * b->head_dim, kv = b->kv_heads * b->head_dim, F = b->ffn;
  if (a >= ARRAY_DY && !b->training) return 0;
  switch (a) {
  case ARRAY_GAIN_1: case ARRAY_SHIFT_1: case ARRAY_GAIN_2: case ARRAY_SHIFT_2:
  case ARRAY_DGAIN_1: case ARRAY_DSHIFT_1: case ARRAY_DGAIN_2: case ARRAY_DSHIFT_2: return D;
  case ARRAY_WQ: case ARRAY_WO: case ARRAY_DWQ: case ARRAY_DWO: return q * D;
  case ARRAY_WK: case ARRAY_WV: case ARRAY_DWK: case ARRAY_DWV: return kv * D;
  case ARRAY_WG: case ARRAY_DWG: return b->gated ? F * D : 0;
  case ARRAY_WU: case ARRAY_WD: case ARRAY_DWU: case ARRAY_DWD: return F * D;
  case ARRAY_X: case ARRAY_N1: case ARRAY_A: case ARRAY_H: case ARRAY_N2: case ARRAY_F: case ARRAY_Y:
  case ARRAY_DY: case ARRAY_DN2: case ARRAY_DH2: case ARRAY_DH: case ARRAY_DN1: case ARRAY_DX1: case ARRAY_DX: return T * D;
  case ARRAY_Q: case ARRAY_QUERY: case ARRAY_O: case ARRAY_DQ: case ARRAY_DQUERY: case ARRAY_DO: return T * q;
  case ARRAY_K: case ARRAY_V: case ARRAY_DK: case ARRAY_DV: return T * kv;
  case ARRAY_KEYS: case ARRAY_VALUES: case ARRAY_DKEYS: case ARRAY_DVALUES: return b->sequences * b->context * kv;
  case ARRAY_SCORE: case ARRAY_P: case ARRAY_DP: case ARRAY_DSCORE: return T * b->heads * b->context;
  case ARRAY_G: case ARRAY_DG: return b->gated ? T * F : 0;
  case ARRAY_U: case ARRAY_Z: case ARRAY_DZ: case ARRAY_DU: return T * F;
  case ARRAY_N: break;
  }
  return NAN;
}

double block_elements(const struct block *b) {
  double all = 0;
  for (int a = 0; a < ARRAY_N; a++) all += block_array(b, (enum block_array)a);
  return all;
}

double block_parameters(const struct block *b) {
  double all = 0;
  for (int a = ARRAY_GAIN_1; a <= ARRAY_WD; a++) all += block_array(b, (enum block_array)a);
  return all;
}

struct block block_narrowed(const struct block *b, double by) {
  struct block out = *b;
  out.hidden = fmax(1, round(b->hidden / by));
  out.ffn = fmax(1, round(b->ffn / by));
  out.kv_heads = fmax(1, round(b->kv_heads / by));
  /* A whole number of query heads for each: as many as before, or as few as the width leaves. */
  double heads = fmax(1, round(b->heads / by));
  out.heads = out.kv_heads * fmax(1, round(heads / out.kv_heads));
  return out;
}
