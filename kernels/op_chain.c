/* op_chain: `chain` element-wise operations in a row (scale, shift, scale, shift…), twice. Once as separate operations are written: each
 * reads a whole array and writes a whole array. Once fused: an element is loaded, goes through all of them in registers, and is stored. The
 * arithmetic is the same loop; only the traffic differs. */
#include <math.h>
#include <stdint.h>

#include "kernels/operand.h"

enum { CHECKED = 256, CHAIN_MOST = 4096 };
/* 1 - 2^-10 and 2^-12 are exact in both types. Values stay within ±1 and end near 1/4: never denormal, never all alike. */
static const double SCALE_BY = 1 - 0x1p-10, SHIFT_BY = 0x1p-12;

struct chain {
  size_t n, count;
  void *x, *y, *between; /* between: NULL where there is no intermediate result */
};

static const char *chain_usable(const struct job *j) {
  double chain = j->request.shape.chain;
  if (!(chain >= 1 && chain <= CHAIN_MOST && chain == floor(chain))) return "chain is a whole number from 1 to 4096";
  return operand_usable(j);
}

static const char *chain_setup(struct job *j) {
  struct chain *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  struct shape s = j->request.shape;
  bool fused = j->request.op == OP_CHAIN_FUSED;
  if (!(d->x = operand_take(j, s.n, 0)) || !(d->y = operand_take(j, s.n, 1))) return j->pool->why;
  if (!fused && s.chain > 1 && !(d->between = operand_take(j, s.n, 2))) return j->pool->why;
  d->n = (size_t)s.n;
  d->count = (size_t)s.chain;
  /* Small arrays are gone through again and again within one run, or the team's barrier would be what is timed. */
  double touched = s.n * dtype_byte(j->request.dtype) * fmax(fused ? 1 : s.chain, s.chain / 8);
  j->passes = fmin(4096, fmax(1, ceil(j->threads * 1048576.0 / fmax(touched, 64))));
  return NULL;
}

static void chain_reset(struct job *j) {
  const struct chain *d = j->data;
  operand_spoil(j, d->y, d->n, 1, CHECKED);
  if (d->between) operand_spoil(j, d->between, d->n, 1, CHECKED);
}

/* Each worker takes all operations on its own share, one after the other: what separate operations cost is then traffic alone, not the
 * meetings between them. The last result lands in y. */
static void chain_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct chain *d = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi, each = j->request.op == OP_CHAIN_FUSED ? d->count : 1;
  job_share(j, d->n, rank, &lo, &hi);
  if (hi == lo) return;
  for (double pass = 0; pass < j->passes; pass++) {
    const void *from = operand_from(j, d->x, lo);
    for (size_t op = 0; op < d->count; op += each) {
      size_t after = (d->count - op - 1) / each;
      void *to = operand_at(j, after % 2 ? d->between : d->y, lo);
      l->chain(to, from, hi - lo, op, each, SCALE_BY, SHIFT_BY);
      from = to;
    }
  }
}

static void chain_run(struct job *j) { team_run(j->team, chain_part, j); }

/* Every operation rounds once, a value no larger than the start or the fixed point. One operation left out is worth 2^-12: thousands of
 * times more for any length accepted in fp64, several times more in fp32 up to some hundreds. */
static double chain_residual(struct job *j, bool full) {
  const struct chain *d = j->data;
  enum dtype t = j->request.dtype;
  struct picks p = picks_of(j, d->n, CHECKED, full);
  double worst = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t at = pick(&p, i);
    double x = reference_get(d->x, t, at), v = x;
    for (size_t op = 0; op < d->count; op++) v = op % 2 ? v + SHIFT_BY : v * SCALE_BY;
    struct reference r = {v, reference_roundoff(t) * (double)d->count * fmax(fabs(x), 0.25)};
    residual_take(&worst, reference_get(d->y, t, at), r);
  }
  return worst;
}

const struct kernel kernel_chain = {.op = OP_CHAIN,
                                    .words = "chain operations in a row on each of n elements, one pass over memory for each",
                                    .usable = chain_usable,
                                    .setup = chain_setup,
                                    .reset = chain_reset,
                                    .run = chain_run,
                                    .residual = chain_residual};
const struct kernel kernel_chain_fused = {.op = OP_CHAIN_FUSED,
                                          .words = "chain operations in a row on each of n elements, all in one pass over memory",
                                          .usable = chain_usable,
                                          .setup = chain_setup,
                                          .reset = chain_reset,
                                          .run = chain_run,
                                          .residual = chain_residual};
