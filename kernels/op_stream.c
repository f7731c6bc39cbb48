/* op_stream: the kernels that find the machine's own limits: arithmetic alone (peak), traffic alone (read, copy, triad, each also with
 * stores around the caches), dependent loads (latency), and the dial that turns traffic into arithmetic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/bench.h"
#include "kernels/dot_peak.h"
#include "kernels/lanes.h"

static const char *usable_real(const struct job *j) {
  return j->request.dtype == DTYPE_FP64 || j->request.dtype == DTYPE_FP32 ? NULL : "fp32 and fp64 are the types this kernel is written for";
}

static size_t element(const struct job *j) { return (size_t)dtype_byte(j->request.dtype); }

static double value_get(const struct job *j, const void *p, size_t i) {
  return j->request.dtype == DTYPE_FP64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

/* A working set that a core goes through in less than 100 µs or so is gone through again and again within one run: meeting at its end takes
 * the team a microsecond, and the rate of a near cache is to be known to a percent. */
static double passes_for(double byte, int threads) { return fmin(4096, fmax(1, ceil(threads * 8388608.0 / fmax(byte, 64)))); }

static void *spare(struct job *j, size_t count, size_t size) {
  void *p = pool_take(j->pool, count, size);
  if (p) memset(p, 0, count * size);
  return p;
}

/* ---- peak ---- */

/* One call of the loop: short enough that the result still depends on the start (m^BURST = 1/e), so that the closed form below proves
 * the number of steps too; long enough that starting costs nothing. */
enum { BURST = 4096, BURSTS = 16 };
struct peak_part {
  _Alignas(64) double sum;
};
struct peak {
  double m, c, start;
  size_t bursts;
  struct peak_part *part;
};

static bool is_dot(const struct job *j) { return dot_peak_stores(j->request.dtype); }

static const char *peak_usable(const struct job *j) { return is_dot(j) ? dot_peak_usable(j) : usable_real(j); }

static const char *peak_setup(struct job *j) {
  if (is_dot(j)) return dot_peak_setup(j);
  struct peak *p = j->data = spare(j, 1, sizeof *p);
  if (!p || !(p->part = spare(j, (size_t)j->threads, sizeof *p->part))) return j->pool->why;
  uint64_t state = j->seed;
  p->m = 1 - 1.0 / BURST;
  p->start = 0.5 + (double)(random_next(&state) >> 40) * 0x1p-26; /* [0.5, 0.75): never denormal, never 0, on its way to 1 */
  p->c = 1 - p->m;
  p->bursts = BURSTS;
  const struct lanes_real *l = job_lanes(j);
  j->work = (struct work){.flop = 2.0 * BURST * BURSTS * l->peak_width * j->threads, .byte = 0, .byte_bus = 0};
  return NULL;
}

static void peak_reset(struct job *j) {
  if (is_dot(j)) {
    dot_peak_reset(j);
    return;
  }
  struct peak *p = j->data;
  for (int i = 0; i < j->threads; i++) p->part[i].sum = NAN;
}

static void peak_part(int rank, int n, void *arg) {
  (void)n;
  const struct job *j = arg;
  struct peak *p = j->data;
  const struct lanes_real *l = job_lanes(j);
  double sum = 0;
  for (size_t i = 0; i < p->bursts; i++) sum += l->peak(BURST, p->m, p->c, p->start);
  p->part[rank].sum = sum;
}

static void peak_run(struct job *j) {
  if (is_dot(j))
    dot_peak_run(j);
  else
    team_run(j->team, peak_part, j);
}

/* x after k steps of x·m + c is f + (x0 - f)·m^k, f = c/(1 - m). Rounding: at most eps/2 of the value a step, shrunk by m each step after,
 * so no more than eps·min(k, 1/(1 - m))/2 ≤ eps·BURST/2; we accept that. */
static double peak_residual(struct job *j, bool full) {
  (void)full;
  if (is_dot(j)) return dot_peak_residual(j);
  const struct peak *p = j->data;
  const struct lanes_real *l = job_lanes(j);
  bool wide = j->request.dtype == DTYPE_FP64;
  double m = wide ? p->m : (double)(float)p->m, c = wide ? p->c : (double)(float)p->c, f = c / (1 - m), expected = 0, worst = 0;
  for (int i = 0; i < l->peak_chains; i++) expected += l->lanes * (f + (p->start * (1 + i / 64.0) - f) * pow(m, BURST));
  expected *= (double)p->bursts;
  for (int i = 0; i < j->threads; i++) {
    double error = fabs(p->part[i].sum - expected) / expected / (job_eps(j) * BURST);
    worst = residual_worse(worst, error);
  }
  return worst;
}

const struct kernel kernel_peak = {.op = OP_PEAK,
                                   .words = "x = x m + c on independent registers",
                                   .usable = peak_usable,
                                   .setup = peak_setup,
                                   .reset = peak_reset,
                                   .run = peak_run,
                                   .residual = peak_residual};

/* ---- read and dial: one array in, sums out ---- */

/* Sums are kept per piece of a worker's share: rounding stays small, and a check can redo a few pieces instead of all. */
enum { PIECE = 1 << 16, PIECES_CHECKED = 4, ADDED_UP = 128 };
struct sums {
  size_t n, pieces;
  char *x;
  double *sum;
  double m, c;
  int fma;
}; /* sum[threads][pieces] */

static const char *sums_setup(struct job *j) {
  struct sums *s = j->data = spare(j, 1, sizeof *s);
  if (!s) return j->pool->why;
  s->n = (size_t)j->request.shape.n;
  s->pieces = s->n / (size_t)j->threads / PIECE + 2;
  s->fma = j->request.op == OP_DIAL ? (int)j->request.shape.fma : 0;
  s->m = 1 - 0x1p-10; /* 256 steps take a value a quarter of the way to the fixed point 1/4: never denormal, never all alike */
  s->c = 0x1p-12;
  j->passes = passes_for((double)(s->n * element(j)) * fmax(1, s->fma / 8.0), j->threads);
  s->x = job_array(j, s->n, -1, 1, 0);
  s->sum = s->x ? spare(j, s->pieces * (size_t)j->threads, sizeof *s->sum) : NULL;
  return s->sum ? NULL : j->pool->why;
}

static void sums_reset(struct job *j) {
  struct sums *s = j->data;
  for (size_t i = 0; i < s->pieces * (size_t)j->threads; i++) s->sum[i] = NAN;
}

static void sums_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  const struct sums *s = j->data;
  const struct lanes_real *l = job_lanes(j);
  size_t lo, hi, byte = element(j);
  job_share(j, s->n, rank, &lo, &hi);
  if (!s->fma && hi - lo <= PIECE) { /* all passes in one call: the call itself would show */
    double sum = 0; /* by hundreds of passes: a sum that ran on through all of them would round away what a lost one is worth */
    for (size_t left = lo < hi ? (size_t)j->passes : 0; left > 0;) {
      size_t passes = left < ADDED_UP ? left : ADDED_UP;
      sum += l->read(s->x + lo * byte, hi - lo, passes);
      left -= passes;
    }
    if (lo < hi) s->sum[(size_t)rank * s->pieces] = sum;
    return;
  }
  for (double pass = 0; pass < j->passes; pass++) {
    double *sum = s->sum + (size_t)rank * s->pieces;
    for (size_t i = lo; i < hi; i += PIECE) {
      size_t count = hi - i < PIECE ? hi - i : PIECE;
      *sum++ = s->fma ? l->dial(s->x + i * byte, count, s->fma, s->m, s->c) : l->read(s->x + i * byte, count, 1);
    }
  }
}

static void sums_run(struct job *j) { team_run(j->team, sums_part, j); }

/* The error of one piece as a share of what rounding may do. Rounding is a random walk: each of `count` additions errs by up to eps of the
 * running sum, which itself wanders to about the root of how many went into it; each step of the chain by eps of a value near 1. Where
 * passes are added up, the sum grows with them, and their errors, being much alike, grow with them too. Four times that is accepted, and is
 * far less than one element left out. */
static double piece_error(const struct job *j, int rank, size_t piece) {
  const struct sums *s = j->data;
  size_t lo, hi;
  job_share(j, s->n, rank, &lo, &hi);
  size_t from = lo + piece * PIECE, to = hi - from < PIECE ? hi : from + PIECE;
  double expected = 0, count = (double)(to - from), power = s->fma ? pow(s->m, s->fma - 1) : 1, fixed = s->c / (1 - s->m);
  for (size_t i = from; i < to; i++) {
    double x = value_get(j, s->x, i);
    expected += s->fma ? s->m * (fixed + (x - fixed) * power) : x;
  }
  double passes = !s->fma && hi - lo <= PIECE ? j->passes : 1; /* added up, not done over */
  double alike = fmin(passes, ADDED_UP);                       /* of these in one sum */
  double width = (s->fma ? 4 : 8) * job_lanes(j)->lanes, each = count / width;
  double wander = 1 + sqrt(each) + (s->fma ? fixed * (1 - power) * each : 0);
  double accepted = 4 * job_eps(j) * sqrt(count) * passes * alike * (wander + sqrt(fmax(s->fma, 1)));
  return fabs(s->sum[(size_t)rank * s->pieces + piece] - passes * expected) / accepted;
}

static double sums_residual(struct job *j, bool full) {
  const struct sums *s = j->data;
  uint64_t state = j->seed;
  double worst = 0;
  for (int rank = 0; rank < j->threads; rank++) {
    size_t lo, hi, pieces;
    job_share(j, s->n, rank, &lo, &hi);
    if ((pieces = (hi - lo + PIECE - 1) / PIECE) == 0) continue;
    bool all = full || pieces <= PIECES_CHECKED;
    for (size_t i = 0; i < (all ? pieces : PIECES_CHECKED); i++) {
      /* the last piece, where a tail may be lost, and some others */
      size_t piece = all ? i : i == 0 ? pieces - 1 : random_next(&state) % pieces;
      double error = piece_error(j, rank, piece);
      worst = residual_worse(worst, error);
    }
  }
  return worst;
}

const struct kernel kernel_read = {.op = OP_READ,
                                   .words = "sum += x[i]",
                                   .usable = usable_real,
                                   .setup = sums_setup,
                                   .reset = sums_reset,
                                   .run = sums_run,
                                   .residual = sums_residual};

static const char *dial_usable(const struct job *j) {
  double fma = j->request.shape.fma;
  if (!(fma >= 1 && fma <= 4096 && fma == floor(fma))) return "fma is a whole number from 1 to 4096";
  return usable_real(j);
}

const struct kernel kernel_dial = {.op = OP_DIAL,
                                   .words = "fma times x = x m + c on each loaded x[i]",
                                   .usable = dial_usable,
                                   .setup = sums_setup,
                                   .reset = sums_reset,
                                   .run = sums_run,
                                   .residual = sums_residual};
