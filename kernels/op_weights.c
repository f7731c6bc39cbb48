/* op_weights: Y[batch×n] = X[batch×n]·Wᵀ. Every weight is read from memory once and used by the whole batch, so the batch is the intensity:
 * 2·batch FLOP for each weight moved. While memory sets the pace, a larger batch costs no time. */
#include "kernels/operand.h"

/* From MANY inputs on, the product of matrices serves: Yᵀ[n×batch] = W·Xᵀ with Xᵀ packed, W read where it lies, and Yᵀ turned round. */
enum { CHECKED = 64, MANY = 96 };

struct weights {
  size_t n, batch, padded; /* padded: batch in whole strips */
  void *w, *x, *y, *packed, *turned, *scratch;
};

static bool is_many(const struct weights *d) { return d->batch >= MANY; }

static const char *weights_setup(struct job *j) {
  struct weights *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
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
  team_run(j->team, is_many(d) ? many_pack : few_pack, j);
  team_run(j->team, is_many(d) ? many_part : few_part, j);
}

static double weights_residual(struct job *j, bool full) {
  const struct weights *d = j->data;
  enum dtype t = j->request.dtype;
  struct picks p = picks_of(j, d->batch * d->n, CHECKED, full);
  double worst = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i);
    struct strided x = {d->x, at / d->n * d->n, 1}, w = {d->w, at % d->n * d->n, 1};
    residual_take(&worst, reference_get(d->y, t, at), reference_dot(x, w, d->n, t));
  }
  return worst;
}

const struct kernel kernel_weights = {.op = OP_WEIGHTS,
                                      .words = "Y[batch x n] = X[batch x n] W[n x n]^T: one layer of weights serves the whole batch",
                                      .usable = operand_usable,
                                      .setup = weights_setup,
                                      .reset = weights_reset,
                                      .run = weights_run,
                                      .residual = weights_residual};
