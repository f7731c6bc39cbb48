/* op_weights: Y[batch×n] = X[batch×n]·Wᵀ. Every weight is read from memory once and used by the whole batch, so the batch is the intensity:
 * 2·batch FLOP for each weight moved. While memory sets the pace, a larger batch costs no time. */
#include "kernels/operand.h"

enum { CHECKED = 64 };

struct weights {
  size_t n, batch;
  void *w, *x, *y, *scratch;
};

static const char *weights_setup(struct job *j) {
  struct weights *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  struct shape s = j->request.shape;
  d->n = (size_t)s.n;
  d->batch = (size_t)s.batch;
  if (!(d->w = operand_take(j, s.n * s.n, 0)) || !(d->x = operand_take(j, s.n * s.batch, 1)) ||
      !(d->y = operand_take(j, s.n * s.batch, 2)) ||
      !(d->scratch = operand_room(j, s.batch * (double)job_lanes(j)->weights_scratch, j->threads)))
    return j->pool->why;
  return NULL;
}

static void weights_reset(struct job *j) {
  struct weights *d = j->data;
  operand_spoil(j, d->y, d->batch * d->n, 1, CHECKED);
}

static void weights_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct weights *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi;
  job_share(j, d->n, rank, &lo, &hi);
  l->weights(d->y, d->x, d->w, d->batch, d->n, lo, hi, operand_part(j, d->scratch, d->batch * l->weights_scratch, rank));
}

static void weights_run(struct job *j) { team_run(j->team, weights_part, j); }

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
