/* op_depthwise: a 3×3 convolution of every plane with a filter of its own. Nine multiply-adds an output, and a plane is never mixed with
 * another: unlike a full convolution there is nothing to reuse beyond the neighbours. */
#include "kernels/operand.h"

enum { CHECKED = 256 };

struct depthwise {
  size_t n, planes;
  void *x, *y, *filter;
};

static const char *depthwise_setup(struct job *j) {
  struct depthwise *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  struct shape s = j->request.shape;
  d->n = (size_t)s.n;
  d->planes = (size_t)s.batch;
  double all = s.n * s.n * s.batch;
  if (!(d->x = operand_take(j, all, 0)) || !(d->y = operand_take(j, all, 1)) || !(d->filter = operand_take(j, 9 * s.batch, 2)))
    return j->pool->why;
  return NULL;
}

static void depthwise_reset(struct job *j) {
  struct depthwise *d = j->data;
  operand_spoil(j, d->y, d->planes * d->n * d->n, 1, CHECKED);
}

/* Rows of all planes are dealt out as one long list. */
static void depthwise_part(int rank, int of, void *arg) {
  const struct job *j = arg;
  const struct depthwise *d = j->data;
  size_t lo, hi;
  share_of(d->planes * d->n, 1, rank, of, &lo, &hi);
  while (lo < hi) {
    size_t plane = lo / d->n, from = lo % d->n, to = hi - lo < d->n - from ? from + (hi - lo) : d->n;
    size_t first = plane * d->n * d->n;
    job_lanes(j)->depthwise(operand_at(j, d->y, first), operand_from(j, d->x, first), operand_from(j, d->filter, 9 * plane), d->n, from,
                            to);
    lo += to - from;
  }
}

static void depthwise_run(struct job *j) { team_run(j->team, depthwise_part, j); }

static double depthwise_residual(struct job *j, bool full) {
  const struct depthwise *d = j->data;
  enum dtype t = j->request.dtype;
  size_t n = d->n, area = n * n;
  struct picks p = picks_of(j, d->planes * area, CHECKED, full);
  double worst = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i), plane = at / area, in_plane = at % area;
    residual_take(&worst, reference_get(d->y, t, at),
                  reference_depthwise(d->x, plane * area, d->filter, 9 * plane, n, in_plane / n, in_plane % n, t));
  }
  return worst;
}

const struct kernel kernel_depthwise = {.op = OP_DEPTHWISE,
                                        .words = "3x3 convolution of batch planes of n x n, one filter a plane",
                                        .usable = operand_usable,
                                        .setup = depthwise_setup,
                                        .reset = depthwise_reset,
                                        .run = depthwise_run,
                                        .residual = depthwise_residual};
