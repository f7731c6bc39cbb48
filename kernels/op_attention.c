/* op_attention: softmax(Q·Kᵀ/√k)·V for `batch` heads of n queries, n keys, width k; twice. Once with the n×n scores written to memory and
 * read back between the steps, once a tile of keys at a time, so that the scores never leave the cache (Dao et al. 2022). The arithmetic
 * is the same; only the traffic differs. */
#include <math.h>

#include "kernels/operand.h"

/* Fused: queries and keys of a tile. The tile of scores, the tile of K and V and the output of its queries share the second-level cache. */
enum { QUERIES = 96, KEY_BYTE = 512, CHECKED_ROWS = 4 };

struct attention {
  size_t n, width, heads, tile; /* tile: keys packed together */
  size_t key_size, value_size;  /* elements of one head's packed K and V */
  void *q, *k, *v, *out, *score, *keys, *values, *scratch, *state;
  double *weight;
  struct reference *expected;
};

static bool is_fused(const struct job *j) { return j->request.op == OP_ATTENTION_FUSED; }

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* Elements of a worker's state: scores of a tile, maximum and sum of each query. */
static size_t state_size(const struct attention *d) { return QUERIES * d->tile + 2 * QUERIES; }

static const char *attention_setup(struct job *j) {
  struct attention *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  struct shape s = j->request.shape;
  const struct lanes_real *l = job_lanes(j);
  d->n = (size_t)s.n;
  d->width = (size_t)s.k;
  d->heads = (size_t)s.batch;
  d->tile = is_fused(j) ? KEY_BYTE / (size_t)dtype_byte(j->request.dtype) : d->n;
  double operand = s.n * s.k * s.batch;
  if (!(d->q = operand_take(j, operand, 0)) || !(d->k = operand_take(j, operand, 1)) || !(d->v = operand_take(j, operand, 2)) ||
      !(d->out = operand_take(j, operand, 3)))
    return j->pool->why;
  d->key_size = round_up(d->n, l->tile_columns) * d->width;
  d->value_size = d->n * round_up(d->width, l->tile_columns);
  if (!(d->keys = operand_room(j, (double)d->key_size * s.batch, 1)) ||
      !(d->values = operand_room(j, (double)d->value_size * s.batch, 1)) ||
      !(d->scratch = operand_room(j, (double)l->scratch_elements, j->threads)) ||
      !(d->weight = operand_data(j, d->n * sizeof *d->weight)) || !(d->expected = operand_data(j, d->width * sizeof *d->expected)))
    return j->pool->why;
  if (is_fused(j))
    d->state = operand_room(j, (double)state_size(d), j->threads);
  else
    d->score = operand_take(j, s.n * s.n * s.batch, 4);
  return d->state || d->score ? NULL : j->pool->why;
}

static void attention_reset(struct job *j) {
  struct attention *d = j->data;
  operand_spoil(j, d->out, d->heads * d->n, d->width, CHECKED_ROWS);
}

/* Kᵀ in strips of keys; V a tile of keys after the other, each in strips of columns. */
static void pack_part(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct attention *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  for (size_t head = 0; head < d->heads; head++) {
    size_t first = head * d->n * d->width, lo, hi;
    share_of(d->n, l->tile_columns, rank, of, &lo, &hi);
    if (hi > lo)
      l->pack(operand_at(j, d->keys, head * d->key_size + lo * d->width), operand_from(j, d->k, first + lo * d->width), 1, d->width,
              d->width, hi - lo);
    size_t padded = round_up(d->width, l->tile_columns);
    for (size_t key = 0, tile = 0; key < d->n; key += d->tile, tile++) {
      size_t keys = d->n - key < d->tile ? d->n - key : d->tile;
      /* Whole tiles where there are many, else strips of the one there is. */
      size_t from = 0, to = d->width;
      if (d->tile < d->n && (int)(tile % (size_t)of) != rank) continue;
      if (d->tile >= d->n) share_of(d->width, l->tile_columns, rank, of, &from, &to);
      if (to > from)
        l->pack(operand_at(j, d->values, head * d->value_size + key * padded + from * keys),
                operand_from(j, d->v, first + key * d->width + from), d->width, 1, keys, to - from);
    }
  }
}

/* The next stretch of [*row, end), all of one head: its head, its first query, how many. */
static size_t stretch_next(const struct attention *d, size_t row, size_t end, size_t most, size_t *head, size_t *query) {
  *head = row / d->n;
  *query = row % d->n;
  size_t count = d->n - *query < end - row ? d->n - *query : end - row;
  return count < most ? count : most;
}

/* Three passes over this worker's rows of the scores, each over all of them: between two passes they go to memory and come back. */
static void attention_part(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct attention *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  void *scratch = operand_part(j, d->scratch, l->scratch_elements, rank);
  size_t lo, hi, head, query, count;
  share_of(d->heads * d->n, l->tile_rows, rank, of, &lo, &hi);
  for (size_t row = lo; row < hi; row += count) {
    count = stretch_next(d, row, hi, d->n, &head, &query);
    l->product(operand_at(j, d->score, row * d->n), d->n, operand_from(j, d->q, row * d->width), d->width,
               operand_from(j, d->keys, head * d->key_size), count, d->n, d->width, false, scratch);
  }
  if (hi > lo)
    l->softmax(operand_at(j, d->score, lo * d->n), operand_from(j, d->score, lo * d->n), hi - lo, d->n, 1 / sqrt((double)d->width));
  for (size_t row = lo; row < hi; row += count) {
    count = stretch_next(d, row, hi, d->n, &head, &query);
    l->product(operand_at(j, d->out, row * d->width), d->width, operand_from(j, d->score, row * d->n), d->n,
               operand_from(j, d->values, head * d->value_size), count, d->width, d->n, false, scratch);
  }
}

static void fused_queries(const struct job *j, size_t head, size_t row, size_t count, void *scratch, void *state) {
  const struct attention *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  enum dtype t = j->request.dtype;
  void *score = state, *max = operand_at(j, state, QUERIES * d->tile), *sum = operand_at(j, max, QUERIES);
  void *out = operand_at(j, d->out, row * d->width);
  size_t padded = round_up(d->width, l->tile_columns);
  for (size_t i = 0; i < count; i++) {
    reference_set(max, t, i, -INFINITY);
    reference_set(sum, t, i, 0);
  }
  for (size_t key = 0; key < d->n; key += d->tile) {
    size_t keys = d->n - key < d->tile ? d->n - key : d->tile;
    if (key == 0)
      for (size_t i = 0; i < count * d->width; i++) reference_set(out, t, i, 0);
    l->product(score, keys, operand_from(j, d->q, row * d->width), d->width, operand_from(j, d->keys, head * d->key_size + key * d->width),
               count, keys, d->width, false, scratch);
    l->softmax_tile(score, count, keys, 1 / sqrt((double)d->width), max, sum, out, d->width);
    l->product(out, d->width, score, keys, operand_from(j, d->values, head * d->value_size + key * padded), count, d->width, keys, true,
               scratch);
  }
  l->divide_rows(out, sum, count, d->width);
}

static void fused_part(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct attention *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  void *scratch = operand_part(j, d->scratch, l->scratch_elements, rank), *state = operand_part(j, d->state, state_size(d), rank);
  size_t lo, hi, head, query, count;
  share_of(d->heads * d->n, l->tile_rows, rank, of, &lo, &hi);
  for (size_t row = lo; row < hi; row += count) {
    count = stretch_next(d, row, hi, QUERIES, &head, &query);
    fused_queries(j, head, row, count, scratch, state);
  }
}

static void attention_run(struct job *j) {
  team_run(j->team, pack_part, j);
  team_run(j->team, is_fused(j) ? fused_part : attention_part, j);
}

static double attention_residual(struct job *j, bool full) {
  const struct attention *d = j->data;
  enum dtype t = j->request.dtype;
  struct picks p = picks_of(j, d->heads * d->n, CHECKED_ROWS, full);
  double worst = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t row = pick(&p, i), head = row / d->n * d->n * d->width;
    reference_attention(d->q, d->k, d->v, head, row % d->n, d->n, d->width, t, d->weight, d->expected);
    for (size_t c = 0; c < d->width; c++) residual_take(&worst, reference_get(d->out, t, row * d->width + c), d->expected[c]);
  }
  return worst;
}

const struct kernel kernel_attention = {.op = OP_ATTENTION,
                                        .words =
                                            "softmax(Q K^T) V for batch heads, n queries, n keys, width k; scores go to memory and back",
                                        .usable = operand_usable,
                                        .setup = attention_setup,
                                        .reset = attention_reset,
                                        .run = attention_run,
                                        .residual = attention_residual};
const struct kernel kernel_attention_fused = {.op = OP_ATTENTION_FUSED,
                                              .words =
                                                  "softmax(Q K^T) V for batch heads, n queries, n keys, width k; scores stay on the chip",
                                              .usable = operand_usable,
                                              .setup = attention_setup,
                                              .reset = attention_reset,
                                              .run = attention_run,
                                              .residual = attention_residual};
