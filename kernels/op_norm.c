/* op_norm: layernorm and softmax, m rows of n. Every row comes from memory once; the later passes over it find it in a near cache. */
#include "kernels/operand.h"

enum { CHECKED_ROWS = 8 };

struct norm {
  size_t rows, n;
  void *x, *y, *gain, *shift;
  struct reference *expected; /* one row */
};

static const char *norm_setup(struct job *j) {
  struct norm *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  struct shape s = j->request.shape;
  d->rows = (size_t)s.m;
  d->n = (size_t)s.n;
  if (!(d->x = operand_take(j, s.m * s.n, 0)) || !(d->y = operand_take(j, s.m * s.n, 1)) || !(d->gain = operand_take(j, s.n, 2)) ||
      !(d->shift = operand_take(j, s.n, 3)) || !(d->expected = operand_data(j, d->n * sizeof *d->expected)))
    return j->pool->why;
  return NULL;
}

static void norm_reset(struct job *j) {
  struct norm *d = j->data;
  operand_spoil(j, d->y, d->rows, d->n, CHECKED_ROWS);
}

static void norm_part(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct norm *d = j->data;
  size_t lo, hi;
  share_of(d->rows, 1, rank, of, &lo, &hi);
  const void *x = operand_from(j, d->x, lo * d->n);
  void *y = operand_at(j, d->y, lo * d->n);
  if (j->request.op == OP_SOFTMAX)
    job_lanes(j)->softmax(y, x, hi - lo, d->n, 1);
  else
    job_lanes(j)->layernorm(y, x, d->gain, d->shift, hi - lo, d->n);
}

static void norm_run(struct job *j) { team_run(j->team, norm_part, j); }

static double norm_residual(struct job *j, bool full) {
  const struct norm *d = j->data;
  enum dtype t = j->request.dtype;
  struct picks p = picks_of(j, d->rows, CHECKED_ROWS, full);
  double worst = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t row = pick(&p, i);
    if (j->request.op == OP_SOFTMAX)
      reference_softmax(d->x, row, d->n, t, d->expected);
    else
      reference_layernorm(d->x, d->gain, d->shift, row, d->n, t, d->expected);
    for (size_t c = 0; c < d->n; c++) residual_take(&worst, reference_get(d->y, t, row * d->n + c), d->expected[c]);
  }
  return worst;
}

const struct kernel kernel_layernorm = {.op = OP_LAYERNORM,
                                        .words = "each of m rows of n: subtract the mean, divide by the deviation, scale, shift",
                                        .usable = operand_usable,
                                        .setup = norm_setup,
                                        .reset = norm_reset,
                                        .run = norm_run,
                                        .residual = norm_residual};
const struct kernel kernel_softmax = {.op = OP_SOFTMAX,
                                      .words = "each of m rows of n: exp(x - max) divided by its sum",
                                      .usable = operand_usable,
                                      .setup = norm_setup,
                                      .reset = norm_reset,
                                      .run = norm_run,
                                      .residual = norm_residual};
