/* op_matmul: C[m×n] = A[m×k]·B[k×n], one idea a rung (body_matmul.h has the loops): plain, reordered, tiled, vectorised, all cores. The
 * first four run on one thread, so that what each idea is worth stands alone. The last rung is not ours: a library, where there is one. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "kernels/library.h"
#include "kernels/operand.h"
#include "kernels/product.h"

/* GRAIN: multiply-adds that a worker is worth waking for. */
enum { CHECKED = 64, GRAIN = 1 << 18 };

struct matmul {
  size_t m, n, k; /* m: rows one run does */
  void *a, *b, *c, *room;
};

static enum rung rung_of(const struct job *j) { return j->request.rung == RUNG_AUTO ? RUNG_ALL_CORES : j->request.rung; }

/* FLOP/s a slow rung reaches at least, even where every element of B misses every cache: what a slab of rows is sized by. */
static double rung_floor(enum rung r) { return r == RUNG_PLAIN ? 1e8 : r == RUNG_REORDERED ? 1e9 : r == RUNG_TILED ? 2e9 : INFINITY; }

static const char *matmul_usable(const struct job *j) {
  struct shape s = j->request.shape;
  if (rung_of(j) == RUNG_LIBRARY) {
    if (j->request.isa != ISA_AUTO) return "a library chooses its instruction set itself: leave isa=auto";
    if (fmax(s.m, fmax(s.n, s.k)) > INT_MAX) return "a library counts rows and columns up to 2^31 - 1";
  }
  return operand_usable(j);
}

/* Its threads are made while it loads and may run where the caller may: on the team's CPUs, not on the one the caller was pinned to. */
static const char *library_setup(struct job *j, const struct matmul *d) {
  struct os_mask mask = {{0}};
  for (int i = 0; j->cpu && i < j->threads; i++) mask.word[j->cpu[i] / 64] |= UINT64_C(1) << j->cpu[i] % 64;
  if (j->cpu) os_mask_set(&mask);
  j->blas = library_best(j->threads, j->request.dtype, d->c, d->a, d->b, d->m, d->n, d->k, j->pool->why);
  if (!j->blas) return j->pool->why;
  j->threads = library_threads(j->blas);
  snprintf(j->by, sizeof j->by, "%s", library_name(j->blas));
  return NULL;
}

static const char *matmul_setup(struct job *j) {
  struct matmul *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  struct shape s = j->request.shape;
  double rows = floor(j->budget * rung_floor(rung_of(j)) / (2 * s.n * s.k));
  if (rows < s.m) s.m = j->done.m = rows < 1 ? 1 : rows;
  d->m = (size_t)s.m;
  d->n = (size_t)s.n;
  d->k = (size_t)s.k;
  if (!(d->a = operand_take(j, s.m * s.k, 0)) || !(d->b = operand_take(j, s.k * s.n, 1)) || !(d->c = operand_take(j, s.m * s.n, 2)))
    return j->pool->why;
  if (rung_of(j) == RUNG_LIBRARY) return library_setup(j, d);
  if (rung_of(j) >= RUNG_VECTORISED && !(d->room = operand_room(j, (double)product_room(j, d->n, d->k), j->threads))) return j->pool->why;
  if (rung_of(j) != RUNG_ALL_CORES) j->threads = 1;
  /* Left to choose, no more workers than are worth waking: starting one takes about as long as GRAIN multiply-adds. */
  double worth = fmax(1, floor(s.m * s.n * s.k / GRAIN));
  if (j->request.threads == 0 && worth < j->threads) j->threads = (int)worth;
  return NULL;
}

static void matmul_reset(struct job *j) {
  struct matmul *d = j->data;
  operand_spoil(j, d->c, d->m * d->n, 1, CHECKED);
}

static void matmul_part(int rank, int team, void *arg) {
  const struct job *j = arg;
  const struct matmul *d = j->data;
  int of = team < j->threads ? team : j->threads;
  struct product p = {.c = d->c, .a = d->a, .b = d->b, .c_row = d->n, .a_row = d->k, .b_row = d->n, .b_column = 1, .m = d->m, .n = d->n,
                      .k = d->k};
  if (rank < of) product_part(j, &p, operand_part(j, d->room, product_room(j, d->n, d->k), rank), rank, of);
}

static void matmul_run(struct job *j) {
  const struct matmul *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  switch (rung_of(j)) {
  case RUNG_PLAIN: l->product_plain(d->c, d->a, d->b, d->m, d->n, d->k); break;
  case RUNG_REORDERED: l->product_reordered(d->c, d->a, d->b, d->m, d->n, d->k); break;
  case RUNG_TILED: l->product_tiled(d->c, d->a, d->b, d->m, d->n, d->k); break;
  case RUNG_VECTORISED: matmul_part(0, 1, j); break;
  case RUNG_LIBRARY: library_product(j->blas, j->request.dtype, d->c, d->a, d->b, d->m, d->n, d->k); break;
  default:
    if (j->threads == 1)
      matmul_part(0, 1, j);
    else
      team_run(j->team, matmul_part, j);
  }
}

static double matmul_residual(struct job *j, bool full) {
  const struct matmul *d = j->data;
  enum dtype t = j->request.dtype;
  struct picks p = picks_of(j, d->m * d->n, CHECKED, full);
  double worst = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i);
    struct strided a = {d->a, at / d->n * d->k, 1}, b = {d->b, at % d->n, d->n};
    residual_take(&worst, reference_get(d->c, t, at), reference_dot(a, b, d->k, t));
  }
  return worst;
}

const struct kernel kernel_matmul = {.op = OP_MATMUL,
                                     .words = "C[m x n] = A[m x k] B[k x n]",
                                     .usable = matmul_usable,
                                     .setup = matmul_setup,
                                     .reset = matmul_reset,
                                     .run = matmul_run,
                                     .residual = matmul_residual};
