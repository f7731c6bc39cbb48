/* op_matmul: C[m×n] = A[m×k]·B[k×n], one idea a rung (body_matmul.h has the loops): plain, reordered, tiled, vectorised, all cores. The
 * first four run on one thread, so that what each idea is worth stands alone. The last rung is not ours: a library, where there is one. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "kernels/library.h"
#include "kernels/operand.h"
#include "kernels/product.h"

/* PANEL_BYTE: a row of the packed panel of B, of which block_depth share the outermost cache with those of the other workers. GRAIN:
 * multiply-adds that a worker is worth waking for. SMALL_BYTE: a B up to this size is near enough to be read where it lies. */
enum { CHECKED = 64, PANEL_BYTE = 8192, GRAIN = 1 << 18, SMALL_BYTE = 1 << 18 };

struct matmul {
  size_t m, n, k; /* m: rows one run does */
  size_t panel;   /* columns of B packed at a time */
  void *a, *b, *c, *packed, *scratch;
};

static enum rung rung_of(const struct job *j) { return j->request.rung == RUNG_AUTO ? RUNG_ALL_CORES : j->request.rung; }

/* FLOP/s a slow rung reaches at least, even where every element of B misses every cache: what a slab of rows is sized by. */
static double rung_floor(enum rung r) { return r == RUNG_PLAIN ? 1e8 : r == RUNG_REORDERED ? 1e9 : r == RUNG_TILED ? 2e9 : INFINITY; }

/* The even part of n that is at most `most`: 1000 in parts of at most 400 are three of 334. */
static size_t even_part(size_t n, size_t most) {
  size_t parts = (n + most - 1) / most;
  return (n + parts - 1) / parts;
}

/* Elements of the packed part of B that one worker holds at a time. */
static size_t packed_size(const struct lanes_real *l, const struct matmul *d) {
  size_t width = d->n < d->panel ? d->n : d->panel, depth = d->k < l->block_depth ? d->k : l->block_depth;
  return depth * ((width + l->tile_columns - 1) / l->tile_columns) * l->tile_columns;
}

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
  const struct lanes_real *l = job_lanes(j);
  double rows = floor(j->budget * rung_floor(rung_of(j)) / (2 * s.n * s.k));
  if (rows < s.m) s.m = j->done.m = rows < 1 ? 1 : rows;
  d->m = (size_t)s.m;
  d->n = (size_t)s.n;
  d->k = (size_t)s.k;
  if (!(d->a = operand_take(j, s.m * s.k, 0)) || !(d->b = operand_take(j, s.k * s.n, 1)) || !(d->c = operand_take(j, s.m * s.n, 2)))
    return j->pool->why;
  if (rung_of(j) == RUNG_LIBRARY) return library_setup(j, d);
  d->panel = PANEL_BYTE / (size_t)dtype_byte(j->request.dtype) / l->tile_columns * l->tile_columns;
  if (rung_of(j) >= RUNG_VECTORISED && (!(d->packed = operand_room(j, (double)packed_size(l, d), j->threads)) ||
                                        !(d->scratch = operand_room(j, (double)l->scratch_elements, j->threads))))
    return j->pool->why;
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

/* This worker's part of C, a panel of columns and a stretch of k at a time: that much of B is packed, met by all the worker's rows of A,
 * and forgotten, so that it never leaves the caches. */
static void matmul_part(int rank, int team, void *arg) {
  const struct job *j = arg;
  const struct matmul *d = j->data;
  int of = team < j->threads ? team : j->threads;
  if (rank >= of) return;
  const struct lanes_real *l = job_lanes(j);
  size_t top, bottom, left, right;
  int down = product_cut(l, d->m, d->n, of), across = of / down;
  share_of(d->m, l->tile_rows, rank / across, down, &top, &bottom);
  share_of(d->n, l->tile_columns, rank % across, across, &left, &right);
  if (bottom <= top || right <= left) return;
  void *packed = operand_part(j, d->packed, packed_size(l, d), rank), *scratch = operand_part(j, d->scratch, l->scratch_elements, rank);
  size_t most = even_part(d->k, l->block_depth);
  if ((right - left) % l->tile_columns == 0 && (double)d->k * (double)d->n * dtype_byte(j->request.dtype) <= SMALL_BYTE) {
    l->product_small(operand_at(j, d->c, top * d->n + left), d->n, operand_from(j, d->a, top * d->k), d->k, operand_from(j, d->b, left),
                     d->n, bottom - top, right - left, d->k);
    return;
  }
  for (size_t column = left; column < right; column += d->panel) {
    size_t columns = right - column < d->panel ? right - column : d->panel;
    for (size_t p = 0; p < d->k; p += most) {
      size_t depth = d->k - p < most ? d->k - p : most;
      l->pack(packed, operand_from(j, d->b, p * d->n + column), d->n, 1, depth, columns);
      l->product(operand_at(j, d->c, top * d->n + column), d->n, operand_from(j, d->a, top * d->k + p), d->k, packed, bottom - top, columns,
                 depth, p > 0, scratch);
    }
  }
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
