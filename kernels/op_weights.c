/* op_weights: Y[batch×n] = X[batch×n]·Wᵀ. Every weight is read from memory once and used by the whole batch, so the batch is the intensity:
 * 2·batch FLOP for each weight moved. While memory sets the pace, a larger batch costs no time. */
#include <math.h>

#include "kernels/operand.h"

/* From MANY inputs on, the product of matrices serves: Yᵀ[n×batch] = W·Xᵀ with Xᵀ packed, W read where it lies, and Yᵀ turned round. */
enum { CHECKED = 64, MANY = 96 };

struct weights {
  size_t n, batch, padded; /* padded: batch in whole strips */
  void *w, *x, *y, *packed, *turned, *scratch;
  struct quant q; /* in the place of w where weights are stored in fewer bits; x and y are fp32 all the same */
};

static bool is_many(const struct weights *d) { return d->batch >= MANY; }

static const char *weights_usable(const struct job *j) {
  enum dtype t = j->request.dtype;
  return quant_stores(t) || t == DTYPE_FP64 || t == DTYPE_FP32 ? NULL : "this kernel stores weights as fp64, fp32, bf16, int8 or int4";
}

/* ---- stored in fewer bits ---- */

enum { ERROR_PICKED = 256 };

static const struct lanes_narrow *narrow_lanes(const struct job *j) { return j->narrow ? j->narrow : lanes_of(j->isa)->narrow; }

static size_t narrow_room(const struct job *j) {
  const struct weights *d = j->data;
  const struct lanes_narrow *l = narrow_lanes(j);
  return d->batch * l->scratch + l->scratch_least;
}

/* Each worker makes its own rows in fp32, one at a time, and stores them in fewer bits: the whole matrix never stands in fp32. */
static void narrow_fill(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct weights *d = j->data;
  enum isa widest = isa_best();
  size_t lo, hi;
  job_share(j, d->n, rank, &lo, &hi);
  void *row = operand_part(j, d->w, d->n, rank);
  for (size_t i = lo; i < hi; i++) {
    job_fill_by(j, lanes_for(widest, DTYPE_FP32), row, i * d->n, d->n, -1, 1, 0);
    lanes_of(widest)->narrow->store(&d->q, i, row);
  }
}

static const char *narrow_setup(struct job *j) {
  struct weights *d = j->data;
  struct shape s = j->request.shape;
  if (!(d->x = operand_take(j, s.n * s.batch, 1)) || !(d->y = operand_take(j, s.n * s.batch, 2))) return j->pool->why;
  d->n = (size_t)s.n;
  d->batch = (size_t)s.batch;
  d->q = quant_of(j->request.dtype, d->n, d->n);
  d->q.byte = pool_take(j->pool, d->n, d->q.row_byte);
  d->q.scale = d->q.byte && d->q.groups ? pool_take(j->pool, d->n, d->q.groups * sizeof *d->q.scale) : NULL;
  if (!d->q.byte || (d->q.groups && !d->q.scale)) return j->pool->why;
  if (!(d->w = operand_room(j, s.n, j->threads)) || !(d->packed = operand_take(j, (double)d->q.padded * s.batch, 3)) ||
      !(d->scratch = operand_room(j, (double)narrow_room(j), j->threads)))
    return j->pool->why;
  team_run(j->team, narrow_fill, j);
  return NULL;
}

static void narrow_pack(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct weights *d = j->data;
  narrow_lanes(j)->pack(d->packed, d->x, d->batch, d->n, d->q.padded, d->q.dtype, rank, of);
}

static void narrow_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct weights *d = j->data;
  size_t lo, hi;
  job_share(j, d->n, rank, &lo, &hi);
  narrow_lanes(j)->weights(d->y, d->packed, &d->q, d->batch, lo, hi, operand_part(j, d->scratch, narrow_room(j), rank));
}

/* Σ x·w over the values that row of q stands for. */
static struct reference narrow_dot(const struct weights *d, size_t row, size_t input) {
  double sum = 0, square = 0;
  for (size_t p = 0; p < d->n; p++) {
    double product = quant_get(&d->q, row, p) * reference_get(d->x, DTYPE_FP32, input * d->n + p);
    sum += product;
    square += product * product;
  }
  return (struct reference){sum, reference_roundoff(DTYPE_FP32) * (fabs(sum) + 4 * sqrt((double)d->n * square))};
}

/* What storing in fewer bits did to the outputs: some of them once more from the weights as they were before. */
static void narrow_error(struct job *j) {
  const struct weights *d = j->data;
  struct picks p = picks_of(j, d->batch * d->n, ERROR_PICKED, false);
  double wrong = 0, all = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i), input = at / d->n, row = at % d->n;
    job_fill(j, d->w, row * d->n, d->n, -1, 1, 0);
    double whole = reference_dot((struct strided){d->x, input * d->n, 1}, (struct strided){d->w, 0, 1}, d->n, DTYPE_FP32).value;
    double left = reference_get(d->y, DTYPE_FP32, at) - whole;
    wrong += left * left;
    all += whole * whole;
  }
  j->quant_error = sqrt(wrong / all);
}

/* ---- either way ---- */

static const char *weights_setup(struct job *j) {
  struct weights *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  if (quant_stores(j->request.dtype)) return narrow_setup(j);
  struct shape s = j->request.shape;
  const struct lanes_real *l = job_lanes(j);
  if (!(d->w = operand_take(j, s.n * s.n, 0)) || !(d->x = operand_take(j, s.n * s.batch, 1)) || !(d->y = operand_take(j, s.n * s.batch, 2)))
    return j->pool->why;
  d->n = (size_t)s.n;
  d->batch = (size_t)s.batch;
  d->padded = (d->batch + l->tile_columns - 1) / l->tile_columns * l->tile_columns;
  if (is_many(d)) {
    if (!(d->packed = operand_take(j, s.n * (double)d->padded, 3)) || !(d->turned = operand_take(j, s.n * s.batch, 4)) ||
        !(d->scratch = operand_room(j, (double)l->scratch_elements, j->threads)))
      return j->pool->why;
  } else if (!(d->packed = operand_take(j, s.n * s.batch, 3)) ||
             !(d->scratch = operand_room(j, s.batch * (double)l->weights_scratch, j->threads)))
    return j->pool->why;
  return NULL;
}

static void weights_reset(struct job *j) {
  struct weights *d = j->data;
  operand_spoil(j, d->y, d->batch * d->n, 1, CHECKED);
}

static void few_pack(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct weights *d = j->data;
  job_lanes(j)->weights_pack(d->packed, d->x, d->batch, d->n, rank, of);
}

static void few_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct weights *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi;
  job_share(j, d->n, rank, &lo, &hi);
  l->weights(d->y, d->x, d->packed, d->w, d->batch, d->n, lo, hi, operand_part(j, d->scratch, d->batch * l->weights_scratch, rank));
}

static void many_pack(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct weights *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi;
  share_of(d->batch, l->tile_columns, rank, of, &lo, &hi);
  if (hi > lo) l->pack(operand_at(j, d->packed, lo * d->n), operand_from(j, d->x, lo * d->n), 1, d->n, d->n, hi - lo);
}

static void many_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct weights *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  enum dtype t = j->request.dtype;
  size_t lo, hi;
  job_share(j, d->n, rank, &lo, &hi);
  if (hi <= lo) return;
  l->product(operand_at(j, d->turned, lo * d->batch), d->batch, operand_from(j, d->w, lo * d->n), d->n, d->packed, hi - lo, d->batch, d->n,
             false, operand_part(j, d->scratch, l->scratch_elements, rank));
  for (size_t i = lo; i < hi; i++)
    for (size_t b = 0; b < d->batch; b++) reference_set(d->y, t, b * d->n + i, reference_get(d->turned, t, i * d->batch + b));
}

static void weights_run(struct job *j) {
  const struct weights *d = j->data;
  bool narrow = quant_stores(j->request.dtype);
  team_run(j->team, narrow ? narrow_pack : is_many(d) ? many_pack : few_pack, j);
  team_run(j->team, narrow ? narrow_part : is_many(d) ? many_part : few_part, j);
}

static double weights_residual(struct job *j, bool full) {
  const struct weights *d = j->data;
  enum dtype t = job_real(j);
  struct picks p = picks_of(j, d->batch * d->n, CHECKED, full);
  double worst = 0;
  bool narrow = quant_stores(j->request.dtype);
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i);
    if (narrow) {
      residual_take(&worst, reference_get(d->y, t, at), narrow_dot(d, at % d->n, at / d->n));
      continue;
    }
    struct strided x = {d->x, at / d->n * d->n, 1}, w = {d->w, at % d->n * d->n, 1};
    residual_take(&worst, reference_get(d->y, t, at), reference_dot(x, w, d->n, t));
  }
  if (narrow && worst <= 1 && isnan(j->quant_error)) narrow_error(j);
  return worst;
}

const struct kernel kernel_weights = {.op = OP_WEIGHTS,
                                      .words = "Y[batch x n] = X[batch x n] W[n x n]^T: one layer of weights serves the whole batch",
                                      .usable = weights_usable,
                                      .setup = weights_setup,
                                      .reset = weights_reset,
                                      .run = weights_run,
                                      .residual = weights_residual};
