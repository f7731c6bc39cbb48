/* The parts of a layer, each shared out over the team. Arrays: activations are tokens × width; queries and scores lie head by head
 * ([sequence][head][token]), keys and values too ([sequence][kv head][position][head_dim]); weights are out × in. */
#include <assert.h>
#include <math.h>

#include "kernels/op_block.h"
#include "kernels/operand.h"

enum { FEW_QUERIES = 8 };

struct linear block_linear(enum block_op op) {
  switch (op) {
  case BLOCK_QUERY: return (struct linear){ARRAY_WQ, ARRAY_N1, ARRAY_Q, ARRAY_DWQ, ARRAY_DN1, ARRAY_DQ};
  case BLOCK_KEY: return (struct linear){ARRAY_WK, ARRAY_N1, ARRAY_K, ARRAY_DWK, ARRAY_DN1, ARRAY_DK};
  case BLOCK_VALUE: return (struct linear){ARRAY_WV, ARRAY_N1, ARRAY_V, ARRAY_DWV, ARRAY_DN1, ARRAY_DV};
  case BLOCK_OUTPUT: return (struct linear){ARRAY_WO, ARRAY_O, ARRAY_A, ARRAY_DWO, ARRAY_DO, ARRAY_DH};
  case BLOCK_GATE: return (struct linear){ARRAY_WG, ARRAY_N2, ARRAY_G, ARRAY_DWG, ARRAY_DN2, ARRAY_DG};
  case BLOCK_UP: return (struct linear){ARRAY_WU, ARRAY_N2, ARRAY_U, ARRAY_DWU, ARRAY_DN2, ARRAY_DU};
  case BLOCK_DOWN: return (struct linear){ARRAY_WD, ARRAY_Z, ARRAY_F, ARRAY_DWD, ARRAY_DZ, ARRAY_DY};
  default: break;
  }
  assert(!"a linear part");
  return (struct linear){0};
}

/* What a worker sees: the job, its layer, whole sizes. */
struct hand {
  const struct job *j;
  const struct layer *d;
  const struct lanes_real *l;
  size_t T, D, H, K, d1, F, S, C, group; /* tokens in all, hidden, heads, kv heads, head_dim, ffn, tokens of a sequence, context */
  int rank, of;
  void *room;
};

static struct hand hand_of(const struct job *j, int rank, int of) {
  const struct layer *d = j->data;
  const struct block *b = &d->block;
  struct hand h = {.j = j, .d = d, .l = job_lanes(j), .rank = rank, .of = of, .room = operand_part(j, d->room, d->room_size, rank)};
  h.S = (size_t)b->tokens;
  h.T = (size_t)(b->sequences * b->tokens);
  h.D = (size_t)b->hidden;
  h.H = (size_t)b->heads;
  h.K = (size_t)b->kv_heads;
  h.d1 = (size_t)b->head_dim;
  h.F = (size_t)b->ffn;
  h.C = (size_t)b->context;
  h.group = h.H / h.K;
  return h;
}

static void *at(const struct hand *h, enum block_array a, size_t i) { return operand_at(h->j, h->d->array[a], i); }

/* ---- linear parts ---- */

static void few_pack(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct layer *d = j->data;
  const struct block_part *p = &d->part[d->now];
  job_lanes(j)->weights_pack(d->inputs, d->array[block_linear(p->op).in], (size_t)p->m, (size_t)p->k, rank, of);
}

/* y[b][first … last) = rows of w times each x[b]; y's rows lie y_row apart. The loop writes rows as long as an input, so it goes by pieces
 * of that many outputs into room, from where they are put in their places. */
static void few_rows(const struct hand *h, void *y, size_t y_row, const void *x, const void *packed, const void *w, size_t inputs, size_t n,
                     size_t first, size_t last, void *room) {
  void *sums = operand_at(h->j, room, inputs * n);
  size_t byte = (size_t)dtype_byte(job_real(h->j));
  for (size_t piece = first; piece < last; piece += n) {
    size_t rows = last - piece < n ? last - piece : n;
    h->l->weights(room, x, packed, operand_from(h->j, w, piece * n), inputs, n, 0, rows, sums);
    for (size_t b = 0; b < inputs; b++) h->l->copy((char *)y + (b * y_row + piece) * byte, operand_from(h->j, room, b * n), rows);
  }
}

static void linear_part(int rank, int of, void *arg) {
  struct hand h = hand_of(arg, rank, of);
  const struct block_part *p = &h.d->part[h.d->now];
  struct linear r = block_linear(p->op);
  size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
  if (p->pass == PASS_FORWARD && m < BLOCK_FEW) {
    size_t lo, hi;
    job_share(h.j, n, rank, &lo, &hi);
    if (hi > lo) few_rows(&h, at(&h, r.out, 0), n, at(&h, r.in, 0), h.d->inputs, at(&h, r.w, 0), m, k, lo, hi, h.room);
    return;
  }
  struct product x = {.m = m, .n = n, .k = k, .c_row = n, .add = p->adds};
  if (p->pass == PASS_FORWARD) /* Y = X·Wᵀ */
    x.c = at(&h, r.out, 0), x.a = at(&h, r.in, 0), x.a_row = k, x.b = at(&h, r.w, 0), x.b_row = 1, x.b_column = k;
  else if (p->pass == PASS_INPUT) /* dX = dY·W */
    x.c = at(&h, r.din, 0), x.a = at(&h, r.dout, 0), x.a_row = k, x.b = at(&h, r.w, 0), x.b_row = n, x.b_column = 1;
  else /* dW = dYᵀ·X */
    x.c = at(&h, r.dw, 0), x.a = at(&h, r.dout, 0), x.a_row = m, x.a_turned = true, x.b = at(&h, r.in, 0), x.b_row = n, x.b_column = 1;
  product_part(h.j, &x, h.room, rank, of);
}

/* ---- attention ---- */

/* This worker's part of the sets that are alike: whole sets where there are enough for everyone, else its part of each. */
static void sets_do(const struct hand *h, size_t sets, void (*one)(const struct hand *, size_t set, int rank, int of)) {
  if (sets >= 2 * (size_t)h->of || sets % (size_t)h->of == 0) {
    size_t lo, hi;
    share_of(sets, 1, h->rank, h->of, &lo, &hi);
    for (size_t i = lo; i < hi; i++) one(h, i, 0, 1);
  } else
    for (size_t i = 0; i < sets; i++) one(h, i, h->rank, h->of);
}

/* A set of scores: the queries of all heads that share the keys of kv head `set` (of all sequences). */
static void scores_one(const struct hand *h, size_t set, int rank, int of) {
  size_t m = h->group * h->S, q = set * m * h->d1, keys = set * h->C * h->d1, score = set * m * h->C;
  if (m < FEW_QUERIES) {
    size_t lo, hi;
    share_of(h->C, 16, rank, of, &lo, &hi);
    if (hi <= lo) return;
    void *packed = h->room, *rest = operand_at(h->j, packed, m * h->d1);
    h->l->weights_pack(packed, at(h, ARRAY_QUERY, q), m, h->d1, 0, 1);
    few_rows(h, at(h, ARRAY_SCORE, score), h->C, at(h, ARRAY_QUERY, q), packed, at(h, ARRAY_KEYS, keys), m, h->d1, lo, hi, rest);
    return;
  }
  struct product x = {.c = at(h, ARRAY_SCORE, score),
                      .c_row = h->C,
                      .a = at(h, ARRAY_QUERY, q),
                      .a_row = h->d1,
                      .b = at(h, ARRAY_KEYS, keys),
                      .b_row = 1,
                      .b_column = h->d1,
                      .m = m,
                      .n = h->C,
                      .k = h->d1};
  product_part(h->j, &x, h->room, rank, of);
}

/* Outputs lie token by token: those of one head are a width of all heads apart. */
static size_t head_first(const struct hand *h, size_t head) { return head / h->H * h->S * h->H * h->d1 + head % h->H * h->d1; }

static void mix_one(const struct hand *h, size_t set, int rank, int of) {
  size_t heads = h->S == 1 ? 1 : h->group, m = h->S == 1 ? h->group : h->S;
  for (size_t i = 0; i < heads; i++) {
    size_t head = set * h->group + i;
    struct product x = {.c = at(h, ARRAY_O, head_first(h, head)),
                        .c_row = h->S == 1 ? h->d1 : h->H * h->d1,
                        .a = at(h, ARRAY_P, head * h->S * h->C),
                        .a_row = h->C,
                        .b = at(h, ARRAY_VALUES, set * h->C * h->d1),
                        .b_row = h->d1,
                        .b_column = 1,
                        .m = m,
                        .n = h->d1,
                        .k = h->C};
    product_part(h->j, &x, h->room, rank, of);
  }
}

/* dP = dO·Vᵀ, head by head. */
static void dmix_one(const struct hand *h, size_t head, int rank, int of) {
  struct product x = {.c = at(h, ARRAY_DP, head * h->S * h->C),
                      .c_row = h->C,
                      .a = at(h, ARRAY_DO, head_first(h, head)),
                      .a_row = h->H * h->d1,
                      .b = at(h, ARRAY_VALUES, head / h->group * h->C * h->d1),
                      .b_row = 1,
                      .b_column = h->d1,
                      .m = h->S,
                      .n = h->C,
                      .k = h->d1};
  product_part(h->j, &x, h->room, rank, of);
}

/* dV = Σ over the heads that share it of Pᵀ·dO. */
static void dvalues_one(const struct hand *h, size_t set, int rank, int of) {
  for (size_t i = 0; i < h->group; i++) {
    size_t head = set * h->group + i;
    struct product x = {.c = at(h, ARRAY_DVALUES, set * h->C * h->d1),
                        .c_row = h->d1,
                        .a = at(h, ARRAY_P, head * h->S * h->C),
                        .a_row = h->C,
                        .a_turned = true,
                        .b = at(h, ARRAY_DO, head_first(h, head)),
                        .b_row = h->H * h->d1,
                        .b_column = 1,
                        .m = h->C,
                        .n = h->d1,
                        .k = h->S,
                        .add = i > 0};
    product_part(h->j, &x, h->room, rank, of);
  }
}

static void dquery_one(const struct hand *h, size_t set, int rank, int of) {
  size_t m = h->group * h->S;
  struct product x = {.c = at(h, ARRAY_DQUERY, set * m * h->d1),
                      .c_row = h->d1,
                      .a = at(h, ARRAY_DSCORE, set * m * h->C),
                      .a_row = h->C,
                      .b = at(h, ARRAY_KEYS, set * h->C * h->d1),
                      .b_row = h->d1,
                      .b_column = 1,
                      .m = m,
                      .n = h->d1,
                      .k = h->C};
  product_part(h->j, &x, h->room, rank, of);
}

static void dkeys_one(const struct hand *h, size_t set, int rank, int of) {
  size_t m = h->group * h->S;
  struct product x = {.c = at(h, ARRAY_DKEYS, set * h->C * h->d1),
                      .c_row = h->d1,
                      .a = at(h, ARRAY_DSCORE, set * m * h->C),
                      .a_row = h->C,
                      .a_turned = true,
                      .b = at(h, ARRAY_QUERY, set * m * h->d1),
                      .b_row = h->d1,
                      .b_column = 1,
                      .m = h->C,
                      .n = h->d1,
                      .k = m};
  product_part(h->j, &x, h->room, rank, of);
}

static void attention_part(int rank, int of, void *arg) {
  struct hand h = hand_of(arg, rank, of);
  const struct block_part *p = &h.d->part[h.d->now];
  size_t sequences = h.T / h.S;
  if (p->op == BLOCK_SCORES)
    sets_do(&h, sequences * h.K, p->pass == PASS_FORWARD ? scores_one : p->pass == PASS_INPUT ? dquery_one : dkeys_one);
  else if (p->pass == PASS_INPUT)
    sets_do(&h, sequences * h.H, dmix_one);
  else
    sets_do(&h, sequences * h.K, p->pass == PASS_FORWARD ? mix_one : dvalues_one);
}

/* Tokens to heads and back: queries and keys turned by their position, keys and values to their place in the cache. */
static void cache_part(int rank, int of, void *arg) {
  struct hand h = hand_of(arg, rank, of);
  bool back = h.d->part[h.d->now].pass != PASS_FORWARD, turn = h.d->block.gated;
  size_t lo, hi, half = h.d1 / 2;
  share_of(h.T, 1, rank, of, &lo, &hi);
  for (size_t t = lo; t < hi; t++) {
    size_t b = t / h.S, s = t % h.S, place = h.C - h.S + s;
    const void *cosine = operand_from(h.j, h.d->cosine, place * half), *sine = operand_from(h.j, h.d->sine, place * half);
    for (size_t i = 0; i < h.H + 2 * h.K; i++) {
      bool query = i < h.H, value = i >= h.H + h.K;
      size_t head = query ? i : (i - h.H) % h.K, wide = query ? h.H : h.K;
      enum block_array flat = query ? ARRAY_Q : value ? ARRAY_V : ARRAY_K, deep = query ? ARRAY_QUERY : value ? ARRAY_VALUES : ARRAY_KEYS;
      if (back) {
        flat = query ? ARRAY_DQ : value ? ARRAY_DV : ARRAY_DK;
        deep = query ? ARRAY_DQUERY : value ? ARRAY_DVALUES : ARRAY_DKEYS;
      }
      void *token = at(&h, flat, (t * wide + head) * h.d1);
      void *there = at(&h, deep, (query ? (b * h.H + head) * h.S + s : (b * h.K + head) * h.C + place) * h.d1);
      void *to = back ? token : there, *from = back ? there : token;
      if (turn && !value)
        h.l->rotate(to, from, cosine, sine, h.d1, back);
      else
        h.l->copy(to, from, h.d1);
    }
  }
}

/* ---- row by row, element by element ---- */

static void softmax_part(int rank, int of, void *arg) {
  struct hand h = hand_of(arg, rank, of);
  size_t lo, hi;
  double scale = 1 / sqrt((double)h.d1);
  share_of(h.T * h.H, 1, rank, of, &lo, &hi);
  if (h.d->part[h.d->now].pass == PASS_FORWARD)
    h.l->softmax(at(&h, ARRAY_P, lo * h.C), at(&h, ARRAY_SCORE, lo * h.C), hi - lo, h.C, scale);
  else
    h.l->softmax_back(at(&h, ARRAY_DSCORE, lo * h.C), at(&h, ARRAY_DP, lo * h.C), at(&h, ARRAY_P, lo * h.C), hi - lo, h.C, scale);
}

static void norm_part(int rank, int of, void *arg) {
  struct hand h = hand_of(arg, rank, of);
  const struct block_part *p = &h.d->part[h.d->now];
  bool first = p->op == BLOCK_NORM_1;
  size_t lo, hi;
  share_of(h.T, 1, rank, of, &lo, &hi);
  const void *x = at(&h, first ? ARRAY_X : ARRAY_H, lo * h.D), *gain = at(&h, first ? ARRAY_GAIN_1 : ARRAY_GAIN_2, 0);
  if (p->pass == PASS_FORWARD) {
    h.l->layernorm(at(&h, first ? ARRAY_N1 : ARRAY_N2, lo * h.D), x, gain, at(&h, first ? ARRAY_SHIFT_1 : ARRAY_SHIFT_2, 0), hi - lo, h.D);
    return;
  }
  void *sum = operand_part(h.j, h.d->sum, h.d->sum_size, rank);
  for (size_t i = 0; i < 2 * h.D; i++) reference_set(sum, job_real(h.j), i, 0);
  h.l->layernorm_back(at(&h, first ? ARRAY_DX1 : ARRAY_DH2, lo * h.D), sum, operand_at(h.j, sum, h.D),
                      at(&h, first ? ARRAY_DN1 : ARRAY_DN2, lo * h.D), x, gain, hi - lo, h.D);
}

/* The workers' sums made one. */
static void norm_sum_part(int rank, int of, void *arg) {
  struct hand h = hand_of(arg, rank, of);
  bool first = h.d->part[h.d->now].op == BLOCK_NORM_1;
  size_t lo, hi;
  job_share(h.j, h.D, rank, &lo, &hi);
  if (hi <= lo) return;
  for (int which = 0; which < 2; which++) {
    void *to = at(&h, which ? (first ? ARRAY_DSHIFT_1 : ARRAY_DSHIFT_2) : (first ? ARRAY_DGAIN_1 : ARRAY_DGAIN_2), lo);
    size_t from = (size_t)which * h.D + lo;
    h.l->copy(to, operand_from(h.j, operand_part(h.j, h.d->sum, h.d->sum_size, 0), from), hi - lo);
    for (int other = 1; other < of; other++)
      h.l->add(to, to, operand_from(h.j, operand_part(h.j, h.d->sum, h.d->sum_size, other), from), hi - lo);
  }
}

static void sweep_part(int rank, int of, void *arg) {
  struct hand h = hand_of(arg, rank, of);
  const struct block_part *p = &h.d->part[h.d->now];
  size_t lo, hi;
  job_share(h.j, h.T * (p->op == BLOCK_ACTIVATION ? h.F : h.D), rank, &lo, &hi);
  size_t n = hi - lo;
  bool forward = p->pass == PASS_FORWARD;
  if (hi <= lo) return;
  if (p->op == BLOCK_ADD_1) /* backward: what comes through the norm and past it */
    h.l->add(at(&h, forward ? ARRAY_H : ARRAY_DX, lo), at(&h, forward ? ARRAY_X : ARRAY_DX1, lo), at(&h, forward ? ARRAY_A : ARRAY_DH, lo),
             n);
  else if (p->op == BLOCK_ADD_2)
    h.l->add(at(&h, forward ? ARRAY_Y : ARRAY_DH, lo), at(&h, forward ? ARRAY_H : ARRAY_DH2, lo), at(&h, forward ? ARRAY_F : ARRAY_DY, lo),
             n);
  else if (h.d->block.gated && forward)
    h.l->silu_gate(at(&h, ARRAY_Z, lo), at(&h, ARRAY_G, lo), at(&h, ARRAY_U, lo), n);
  else if (h.d->block.gated)
    h.l->silu_gate_back(at(&h, ARRAY_DG, lo), at(&h, ARRAY_DU, lo), at(&h, ARRAY_DZ, lo), at(&h, ARRAY_G, lo), at(&h, ARRAY_U, lo), n);
  else if (forward)
    h.l->gelu(at(&h, ARRAY_Z, lo), at(&h, ARRAY_U, lo), n);
  else
    h.l->gelu_back(at(&h, ARRAY_DU, lo), at(&h, ARRAY_DZ, lo), at(&h, ARRAY_U, lo), n);
}

void block_part_run(struct job *j, int i) {
  struct layer *d = j->data;
  const struct block_part *p = &d->part[i];
  d->now = i;
  switch (p->op) {
  case BLOCK_NORM_1:
  case BLOCK_NORM_2:
    team_run(j->team, norm_part, j);
    if (p->pass != PASS_FORWARD) team_run(j->team, norm_sum_part, j);
    break;
  case BLOCK_CACHE: team_run(j->team, cache_part, j); break;
  case BLOCK_SCORES:
  case BLOCK_VALUES: team_run(j->team, attention_part, j); break;
  case BLOCK_SOFTMAX: team_run(j->team, softmax_part, j); break;
  case BLOCK_ADD_1:
  case BLOCK_ADD_2:
  case BLOCK_ACTIVATION: team_run(j->team, sweep_part, j); break;
  default:
    if (p->pass == PASS_FORWARD && p->m < BLOCK_FEW) team_run(j->team, few_pack, j);
    team_run(j->team, linear_part, j);
  }
}
