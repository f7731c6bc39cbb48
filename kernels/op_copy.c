/* op_copy: arrays written from arrays read: copy and triad, through the caches or around them. */
#include <math.h>
#include <string.h>

#include "kernels/bench.h"
#include "kernels/lanes.h"

/* Elements checked in a live run besides the edges of each worker's share; up to ALL of them in small arrays. */
enum { TRIES = 64, ALL = 1 << 16 };
struct copy {
  size_t n;
  char *x, *y, *z;
  double a;
}; /* y = x; z = x + a·y */

static size_t element(const struct job *j) { return (size_t)dtype_byte(j->request.dtype); }

static double value_get(const struct job *j, const void *p, size_t i) {
  return j->request.dtype == DTYPE_FP64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static bool is_triad(const struct job *j) { return j->request.op == OP_TRIAD || j->request.op == OP_TRIAD_NT; }

static const char *copy_usable(const struct job *j) {
  const struct lanes_real *l = job_lanes(j);
  if (j->request.dtype != job_real(j)) return "fp32 and fp64 are the types this kernel is written for";
  if ((j->request.op == OP_COPY_NT && !l->copy_nt) || (j->request.op == OP_TRIAD_NT && !l->triad_nt))
    return "this instruction set has no stores that go around the caches";
  return NULL;
}

static const char *copy_setup(struct job *j) {
  struct copy *c = j->data = pool_take(j->pool, 1, sizeof *c);
  if (!c) return j->pool->why;
  *c = (struct copy){.n = (size_t)j->request.shape.n, .a = 0.75};
  c->x = job_array(j, c->n, -1, 1, 0);
  if (c->x) c->y = job_array(j, c->n, -1, 1, 1);
  if (c->y && is_triad(j)) c->z = job_array(j, c->n, -1, 1, 2);
  j->passes = fmin(4096, fmax(1, ceil(j->threads * 1048576.0 / fmax((double)(c->n * element(j)), 64))));
  return c->y && (c->z || !is_triad(j)) ? NULL : j->pool->why;
}

/* Calls f on each element a check will look at: the same ones in reset, which spoils them, and in residual. */
static double each_checked(struct job *j, bool full, double (*f)(const struct job *, size_t i)) {
  const struct copy *c = j->data;
  double worst = 0;
  bool all = full || c->n <= ALL;
  uint64_t state = j->seed;
  for (int rank = 0; rank < j->threads && !all; rank++) {
    size_t lo, hi;
    job_share(j, c->n, rank, &lo, &hi);
    if (lo < hi) worst = residual_worse(worst, f(j, lo));
    if (lo < hi) worst = residual_worse(worst, f(j, hi - 1));
  }
  for (size_t i = 0; i < (all ? c->n : TRIES); i++) worst = residual_worse(worst, f(j, all ? i : random_next(&state) % c->n));
  return worst;
}

static double spoil(const struct job *j, size_t i) {
  const struct copy *c = j->data;
  char *out = is_triad(j) ? c->z : c->y;
  if (j->request.dtype == DTYPE_FP64)
    ((double *)(void *)out)[i] = NAN;
  else
    ((float *)(void *)out)[i] = NAN;
  return 0;
}

static void copy_reset(struct job *j) { each_checked(j, false, spoil); }

static void copy_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct copy *c = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi, byte = element(j);
  job_share(j, c->n, rank, &lo, &hi);
  for (double pass = 0; pass < j->passes; pass++) switch (j->request.op) {
    case OP_COPY: l->copy(c->y + lo * byte, c->x + lo * byte, hi - lo); break;
    case OP_COPY_NT: l->copy_nt(c->y + lo * byte, c->x + lo * byte, hi - lo); break;
    case OP_TRIAD: l->triad(c->z + lo * byte, c->x + lo * byte, c->y + lo * byte, c->a, hi - lo); break;
    default: l->triad_nt(c->z + lo * byte, c->x + lo * byte, c->y + lo * byte, c->a, hi - lo); break;
    }
}

static void copy_run(struct job *j) { team_run(j->team, copy_part, j); }

/* A copy is exact. A triad rounds once or twice, each by at most eps of the larger term; the reference once more. */
static double error_at(const struct job *j, size_t i) {
  const struct copy *c = j->data;
  double x = value_get(j, c->x, i), y = value_get(j, c->y, i);
  if (!is_triad(j)) return x == y ? 0 : INFINITY;
  double ay = c->a * y;
  return fabs(value_get(j, c->z, i) - (x + ay)) / (4 * job_eps(j) * (fabs(x) + fabs(ay) + 1));
}

static double copy_residual(struct job *j, bool full) { return each_checked(j, full, error_at); }

#define ROW(name, which, formula)                                                                                                          \
  const struct kernel name = {.op = which,                                                                                                 \
                              .words = formula,                                                                                            \
                              .usable = copy_usable,                                                                                       \
                              .setup = copy_setup,                                                                                         \
                              .reset = copy_reset,                                                                                         \
                              .run = copy_run,                                                                                             \
                              .residual = copy_residual}
ROW(kernel_copy, OP_COPY, "y[i] = x[i]");
ROW(kernel_copy_nt, OP_COPY_NT, "y[i] = x[i], stores around the caches");
ROW(kernel_triad, OP_TRIAD, "z[i] = x[i] + a y[i]");
ROW(kernel_triad_nt, OP_TRIAD_NT, "z[i] = x[i] + a y[i], stores around the caches");
