/* op_elementwise: dot, add, saxpy, relu. A step or two of arithmetic for every element that is moved: memory sets the pace. */
#include <math.h>

#include "kernels/operand.h"

/* A dot product is summed in pieces, each kept: the error of a sum stays that of a short one, and a check redoes a few pieces. */
enum { PIECE = 1 << 15, CHECKED = 256, CHECKED_PIECES = 8 };
static const double SAXPY_A = 0.015625;

struct elementwise {
  size_t n;
  void *x, *y, *z;
  double *piece, sum;
  size_t pieces;
};

static const char *elementwise_setup(struct job *j) {
  struct elementwise *e = j->data = operand_data(j, sizeof *e);
  if (!e) return j->pool->why;
  double n = j->request.shape.n;
  enum op op = j->request.op;
  e->n = (size_t)n;
  e->pieces = (e->n + PIECE - 1) / PIECE;
  if (!(e->x = operand_take(j, n, 0)) || !(e->y = operand_take(j, n, 1))) return j->pool->why;
  if (op == OP_ADD && !(e->z = operand_take(j, n, 2))) return j->pool->why;
  if (op == OP_DOT && !(e->piece = operand_data(j, e->pieces * sizeof *e->piece))) return j->pool->why;
  return NULL;
}

/* ---- dot ---- */

static void dot_reset(struct job *j) {
  struct elementwise *e = j->data;
  for (size_t i = 0; i < e->pieces; i++) e->piece[i] = NAN;
  e->sum = NAN;
}

static size_t piece_length(const struct elementwise *e, size_t i) { return e->n - i * PIECE < PIECE ? e->n - i * PIECE : PIECE; }

static void dot_part(int rank, int of, void *arg) {
  const struct job *j = arg;
  struct elementwise *e = j->data;
  size_t lo, hi;
  share_of(e->pieces, 64 / sizeof *e->piece, rank, of, &lo, &hi);
  /* Few pieces: a cache line of sums each would leave workers idle. */
  if (e->pieces < 64 * (size_t)of) share_of(e->pieces, 1, rank, of, &lo, &hi);
  for (size_t i = lo; i < hi; i++)
    e->piece[i] = job_lanes(j)->dot(operand_from(j, e->x, i * PIECE), operand_from(j, e->y, i * PIECE), piece_length(e, i));
}

static void dot_run(struct job *j) {
  struct elementwise *e = j->data;
  team_run(j->team, dot_part, j);
  double sum = 0;
  for (size_t i = 0; i < e->pieces; i++) sum += e->piece[i];
  e->sum = sum;
}

static double dot_residual(struct job *j, bool full) {
  const struct elementwise *e = j->data;
  struct picks p = picks_of(j, e->pieces, CHECKED_PIECES, full);
  double worst = 0, sum = 0, size = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i);
    struct strided x = {e->x, at * PIECE, 1}, y = {e->y, at * PIECE, 1};
    residual_take(&worst, e->piece[at], reference_dot(x, y, piece_length(e, at), j->request.dtype));
  }
  for (size_t i = 0; i < e->pieces; i++) {
    sum += e->piece[i];
    size += fabs(e->piece[i]);
  }
  residual_take(&worst, e->sum, (struct reference){sum, 0x1p-50 * size});
  return worst;
}

/* ---- add, relu ---- */

static void *elementwise_output(const struct job *j) {
  const struct elementwise *e = j->data;
  return j->request.op == OP_ADD ? e->z : e->y;
}

static void elementwise_reset(struct job *j) {
  const struct elementwise *e = j->data;
  operand_spoil(j, elementwise_output(j), e->n, 1, CHECKED);
}

static void elementwise_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct elementwise *e = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi;
  job_share(j, e->n, rank, &lo, &hi);
  const void *x = operand_from(j, e->x, lo);
  void *y = operand_at(j, e->y, lo);
  if (j->request.op == OP_ADD)
    l->add(operand_at(j, e->z, lo), x, y, hi - lo);
  else if (j->request.op == OP_SAXPY)
    l->saxpy(y, x, SAXPY_A, hi - lo);
  else
    l->relu(y, x, hi - lo);
}

static void elementwise_run(struct job *j) { team_run(j->team, elementwise_part, j); }

static double elementwise_residual(struct job *j, bool full) {
  const struct elementwise *e = j->data;
  enum dtype t = j->request.dtype;
  struct picks p = picks_of(j, e->n, CHECKED, full);
  double worst = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i);
    double x = reference_get(e->x, t, at);
    /* add: one rounding. relu: none. */
    struct reference r = {fmax(x, 0), 0};
    if (j->request.op == OP_ADD) {
      r.value = x + reference_get(e->y, t, at);
      r.slack = reference_roundoff(t) * fabs(r.value);
    }
    residual_take(&worst, reference_get(elementwise_output(j), t, at), r);
  }
  return worst;
}

/* ---- saxpy: y is both read and written, so it starts anew before every repetition, and grows by a·x with every run of it ---- */

static void saxpy_fill_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct elementwise *e = j->data;
  size_t lo, hi;
  job_share(j, e->n, rank, &lo, &hi);
  if (hi > lo) job_fill(j, operand_at(j, e->y, lo), lo, hi - lo, -1, 1, 1);
}

static void saxpy_reset(struct job *j) { team_run(j->team, saxpy_fill_part, j); }

static double saxpy_residual(struct job *j, bool full) {
  const struct elementwise *e = j->data;
  enum dtype t = j->request.dtype;
  struct picks p = picks_of(j, e->n, CHECKED, full);
  double worst = 0, runs = (double)j->runs;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i);
    union {
      double wide;
      float narrow;
    } start;
    job_fill(j, &start, at, 1, -1, 1, 1);
    double y = t == DTYPE_FP64 ? start.wide : (double)start.narrow, grown = runs * SAXPY_A * reference_get(e->x, t, at);
    /* Every run rounds once, a value no larger than both ends together. */
    struct reference r = {y + grown, reference_roundoff(t) * (runs + 1) * (fabs(y) + fabs(grown))};
    residual_take(&worst, reference_get(e->y, t, at), r);
  }
  return worst;
}

const struct kernel kernel_dot = {.op = OP_DOT,
                                  .words = "sum of x[i] y[i] over n elements",
                                  .usable = operand_usable,
                                  .setup = elementwise_setup,
                                  .reset = dot_reset,
                                  .run = dot_run,
                                  .residual = dot_residual};
const struct kernel kernel_add = {.op = OP_ADD,
                                  .words = "z[i] = x[i] + y[i] over n elements",
                                  .usable = operand_usable,
                                  .setup = elementwise_setup,
                                  .reset = elementwise_reset,
                                  .run = elementwise_run,
                                  .residual = elementwise_residual};
const struct kernel kernel_relu = {.op = OP_RELU,
                                   .words = "y[i] = max(x[i], 0) over n elements",
                                   .usable = operand_usable,
                                   .setup = elementwise_setup,
                                   .reset = elementwise_reset,
                                   .run = elementwise_run,
                                   .residual = elementwise_residual};
const struct kernel kernel_saxpy = {.op = OP_SAXPY,
                                    .words = "y[i] = a x[i] + y[i] over n elements",
                                    .usable = operand_usable,
                                    .setup = elementwise_setup,
                                    .reset = saxpy_reset,
                                    .run = elementwise_run,
                                    .residual = saxpy_residual};
