/* dot_peak: the peak kernel for bf16 and int8, where the CPU multiplies and adds several short elements in one instruction. */
#include <math.h>
#include <string.h>

#include "kernels/dot_peak.h"
#include "kernels/lanes.h"

enum { BURST = 4096, BURSTS = 16 };

struct part {
  _Alignas(64) double sum;
};
struct dot_peak {
  double start;
  struct part *part; /* [threads] */
};

static const struct lanes_dot *dot_of(const struct job *j) { return j->dot ? j->dot : lanes_of(j->isa)->dot; }

bool dot_peak_stores(enum dtype t) { return t == DTYPE_BF16 || t == DTYPE_INT8; }

const char *dot_peak_usable(const struct job *j) {
  struct cpuid_words words = isa_cpuid();
  enum dtype t = j->request.dtype;
  const struct lanes_dot *d = lanes_of(j->isa) ? lanes_of(j->isa)->dot : NULL;
  if (d && (t == DTYPE_BF16 ? d->bf16 : d->int8) && dot_usable(j->isa, t, &words)) return NULL;
  return t == DTYPE_BF16 ? "this CPU has no dot product of bf16 (AVX512_BF16, or BF16 on ARM) for these instructions; fp32 and fp64 it has"
                         : "this CPU has no dot product of int8 (VNNI, or DotProd on ARM) for these instructions; fp32 and fp64 it has";
}

const char *dot_peak_setup(struct job *j) {
  struct dot_peak *p = j->data = pool_take(j->pool, 1, sizeof *p);
  if (!p || !(p->part = pool_take(j->pool, (size_t)j->threads, sizeof *p->part))) return j->pool->why;
  uint64_t state = j->seed;
  p->start = 0.5 + (double)(random_next(&state) >> 40) * 0x1p-26;
  const struct lanes_dot *d = dot_of(j);
  double each = j->request.dtype == DTYPE_BF16 ? 2 : 4; /* products a lane */
  j->work = (struct work){.flop = 2 * each * d->lanes * d->chains * (double)BURST * BURSTS * j->threads, .byte = 0, .byte_bus = 0};
  dot_peak_reset(j);
  return NULL;
}

void dot_peak_reset(struct job *j) {
  struct dot_peak *p = j->data;
  for (int i = 0; i < j->threads; i++) p->part[i].sum = NAN;
}

static void dot_part(int rank, int of, void *arg) {
  (void)of;
  const struct job *j = arg;
  struct dot_peak *p = j->data;
  const struct lanes_dot *d = dot_of(j);
  double (*run)(size_t, double) = j->request.dtype == DTYPE_BF16 ? d->bf16 : d->int8, sum = 0;
  for (int i = 0; i < BURSTS; i++) sum += run(BURST, p->start);
  p->part[rank].sum = sum;
}

void dot_peak_run(struct job *j) { team_run(j->team, dot_part, j); }

double dot_peak_residual(const struct job *j) {
  const struct dot_peak *p = j->data;
  const struct lanes_dot *d = dot_of(j);
  bool real = j->request.dtype == DTYPE_BF16;
  double expected = 0, worst = 0;
  for (int i = 0; i < d->chains; i++)
    expected += d->lanes * (real ? (double)(float)(p->start * (1 + i / 64.0)) + BURST * DOT_BF16_STEP
                                 : floor(p->start * 1000) + i + BURST * (double)DOT_INT8_STEP);
  expected *= BURSTS;
  /* Whole numbers are exact. A start of 24 bits is rounded when its sum passes 1 and 2, by half a unit of the last place each time. */
  double accepted = real ? expected * 0x1p-22 : 0.5;
  for (int i = 0; i < j->threads; i++) worst = residual_worse(worst, fabs(p->part[i].sum - expected) / accepted);
  return worst;
}
