/* op_strided: what layout costs. Within a line, one element in every `stride` bytes is loaded; beyond one, one element of every line, and
 * lines that follow one another are `stride` bytes apart, until all of them were touched. So the memory carries the same lines at every
 * stride, each once; what is asked of them, and the order they are asked for, is what changes. */
#include <math.h>

#include "kernels/bench.h"
#include "kernels/operand.h"

enum { LINE_BYTE = 64, ROWS_LEAST = 4 };

/* One worker's sum, on a line of its own. */
struct strided_part {
  _Alignas(64) uint64_t sum;
  bool done;
};
struct strided_data {
  size_t n, step, line; /* in elements; step at most a line: between loads of one sweep; jump: between lines */
  size_t jump;
  char *x;
  struct strided_part *part;
};

static const char *strided_usable(const struct job *j) {
  double stride = j->request.shape.stride, byte = dtype_byte(j->request.dtype);
  int e;
  const char *why = operand_usable(j);
  if (why) return why;
  if (frexp(stride, &e) != 0.5 || stride < byte) return "stride is a power of two of bytes, at least an element";
  if (stride > LINE_BYTE && j->request.shape.n * byte / j->threads < ROWS_LEAST * stride)
    return "the set is too small for this stride: each thread needs four strides of it";
  return NULL;
}

static const char *strided_setup(struct job *j) {
  struct strided_data *s = j->data = operand_data(j, sizeof *s);
  if (!s) return j->pool->why;
  size_t byte = (size_t)dtype_byte(j->request.dtype), stride = (size_t)j->request.shape.stride;
  s->n = (size_t)j->request.shape.n;
  s->line = LINE_BYTE / byte;
  s->step = (stride < LINE_BYTE ? stride : LINE_BYTE) / byte;
  s->jump = stride / byte;
  s->x = operand_take(j, j->request.shape.n, 0);
  s->part = s->x ? operand_data(j, sizeof *s->part * (size_t)j->threads) : NULL;
  /* Many passes over a near set in one run, so that the meeting of the team does not show beside them. */
  double loads = (double)s->n / (double)s->step / (s->step == 1 ? job_lanes(j)->lanes : 1);
  j->passes = fmin(65536, fmax(1, ceil(j->threads * 262144.0 / loads)));
  return s->part ? NULL : j->pool->why;
}

static void strided_reset(struct job *j) {
  struct strided_data *s = j->data;
  for (int i = 0; i < j->threads; i++) s->part[i] = (struct strided_part){0, false};
}

static size_t loads(size_t n, size_t first, size_t step) { return first < n ? (n - first - 1) / step + 1 : 0; }

static void strided_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct strided_data *s = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi, byte = (size_t)dtype_byte(j->request.dtype);
  job_share(j, s->n, rank, &lo, &hi);
  uint64_t sum = 0;
  for (double pass = 0; pass < j->passes; pass++)
    for (size_t first = 0; first < s->jump && first<hi - lo; first += s->jump> s->line ? s->line : s->jump)
      sum += l->gather(s->x + (lo + first) * byte, loads(hi - lo, first, s->jump), s->jump);
  s->part[rank] = (struct strided_part){sum, true};
}

static void strided_run(struct job *j) { team_run(j->team, strided_part, j); }

/* Whole numbers add up exactly: every worker's sum is the sum of what it was to load, to the last bit. */
static double strided_residual(struct job *j, bool full) {
  (void)full;
  const struct strided_data *s = j->data;
  bool wide = j->request.dtype == DTYPE_FP64;
  for (int rank = 0; rank < j->threads; rank++) {
    size_t lo, hi;
    uint64_t sum = 0, mask = wide ? UINT64_MAX : UINT32_MAX;
    job_share(j, s->n, rank, &lo, &hi);
    for (size_t i = lo; i < hi; i += s->step) {
      union {
        double real;
        uint64_t bits;
      } eight;
      union {
        float real;
        uint32_t bits;
      } four;
      if (wide) eight.real = ((const double *)(const void *)s->x)[i];
      if (!wide) four.real = ((const float *)(const void *)s->x)[i];
      sum += wide ? eight.bits : four.bits;
    }
    if (!s->part[rank].done || ((s->part[rank].sum ^ sum * (uint64_t)j->passes) & mask)) return NAN;
  }
  return 0;
}

const struct kernel kernel_strided = {.op = OP_STRIDED,
                                      .words = "sum += x[i], i in steps of stride",
                                      .usable = strided_usable,
                                      .setup = strided_setup,
                                      .reset = strided_reset,
                                      .run = strided_run,
                                      .residual = strided_residual};
