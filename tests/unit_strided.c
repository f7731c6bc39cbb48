/* Loads at a stride and chains of dependent loads: right on every instruction set, and every broken twin refused. */
// as shipped too: what is probed must not be optimised away
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/chase.h"
#include "kernels/timing.h"
#include "model/access.h"
#include "tests/support_kernel.h"

static const struct lanes_real *sound;

static struct request strided(double n, double stride, enum dtype t, enum isa isa, int threads) {
  struct request r = {.op = OP_STRIDED, .shape = shape_of(n, 1, 1, 1), .dtype = t, .isa = isa, .threads = threads};
  r.shape.stride = stride, r.shape.chain = 1;
  return r;
}

static struct request chained(double n, double chains) {
  struct request r = {.op = OP_LATENCY, .shape = shape_of(n, 1, 1, 1), .dtype = DTYPE_FP32, .isa = ISA_SCALAR, .threads = 1};
  r.shape.stride = 4, r.shape.chain = chains;
  return r;
}

static double residual_of(const struct request *r, const struct lanes_real *lanes) {
  struct bed b;
  bed_start(&b, r, lanes);
  double residual = bed_residual(&b, 2, true);
  bed_free(&b);
  return residual;
}

static void test_sound(void **state) {
  (void)state;
  static const enum dtype type[] = {DTYPE_FP32, DTYPE_FP64};
  static const double size[] = {1, 7, 15, 16, 17, 100, 1000, 4099, 70001};
  for (const enum isa *isa = isas_here(); *isa != ISA_N; isa++)
    for (int t = 0; t < 2; t++)
      for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (double stride = dtype_byte(type[t]); stride <= 16384; stride *= 2)
          for (int threads = 1; threads <= 3; threads++) {
            struct request r = strided(size[i], stride, type[t], *isa, threads);
            if (stride > 64 && size[i] * dtype_byte(type[t]) / threads < 4 * stride) continue;
            if (residual_of(&r, NULL) != 0)
              fail_msg("%s %s n=%g stride=%g threads=%d", isa_name(*isa), dtype_name(type[t]), size[i], stride, threads);
          }
}

/* Every line is touched once and only once, whatever the stride: counted by loops that mark what the kernel asks for. */
static unsigned char mark[1 << 20];
static const char *array;
static uint64_t gather_marks(const void *x, size_t n, size_t step) {
  if (!array) array = x; /* the first call is for the first line */
  for (size_t i = 0; i < n; i++) mark[(size_t)((const char *)x - array) / 64 + i * step * 4 / 64]++;
  return sound->gather(x, n, step);
}

static void test_lines(void **state) {
  (void)state;
  sound = lanes_for(ISA_SCALAR, DTYPE_FP32);
  struct lanes_real marking = *sound;
  marking.gather = gather_marks;
  for (double stride = 4; stride <= 8192; stride *= 2) {
    struct bed b;
    double n = 65536 + 48;
    struct request r = strided(n, stride, DTYPE_FP32, ISA_SCALAR, 1);
    bed_start(&b, &r, &marking);
    b.job.passes = 1;
    array = NULL;
    memset(mark, 0, sizeof mark);
    assert_true(bed_residual(&b, 1, true) == 0);
    double marks = 0;
    for (size_t line = 0; line < (size_t)n / 16; line++) {
      int least = stride < 64 ? (int)(64 / stride) : 1;
      if (mark[line] != least) fail_msg("stride %g: line %zu of %g is loaded from %d times", stride, line, n / 16, mark[line]);
      marks += mark[line];
    }
    struct work w = work_of(OP_STRIDED, r.shape, DTYPE_FP32); /* the accounting is the kernel's */
    assert_true(w.flop == 0 && w.byte == 4 * marks && w.byte_bus == 4 * n);
    assert_true(fabs(w.byte / w.byte_bus - access_share(4, stride)) < 1e-12);
    bed_free(&b);
  }
}

/* ---- twins ---- */
static uint64_t gather_short(const void *x, size_t n, size_t step) { return sound->gather(x, n - 1, step); }
static uint64_t gather_more(const void *x, size_t n, size_t step) { return sound->gather(x, n, step) + 1; }
static uint64_t gather_half(const void *x, size_t n, size_t step) { return sound->gather(x, n, step / 2); }
static uint64_t gather_late(const void *x, size_t n, size_t step) { return sound->gather((const char *)x + 4 * step, n - 1, step); }
static uint64_t gather_nothing(const void *x, size_t n, size_t step) {
  (void)x, (void)n, (void)step;
  return 0;
}

static void test_twins(void **state) {
  (void)state;
  static uint64_t (*const twin[])(const void *, size_t, size_t) = {gather_short, gather_more, gather_half, gather_late, gather_nothing};
  sound = lanes_for(ISA_SCALAR, DTYPE_FP32);
  for (size_t i = 0; i < sizeof twin / sizeof *twin; i++)
    for (double stride = 4; stride <= 4096; stride *= 8) {
      struct lanes_real broken = *sound;
      broken.gather = twin[i];
      struct request r = strided(20000, stride, DTYPE_FP32, ISA_SCALAR, 2);
      assert_true(residual_of(&r, NULL) == 0);
      if (residual_of(&r, &broken) <= 1) fail_msg("twin %zu passes at stride %g", i, stride);
    }
}

/* A worker that did not run leaves its mark too. */
static void test_stale(void **state) {
  (void)state;
  struct bed b;
  struct request r = strided(5000, 16, DTYPE_FP32, ISA_SCALAR, 2);
  bed_start(&b, &r, NULL);
  assert_true(bed_residual(&b, 1, true) == 0);
  assert_true(isnan(bed_residual(&b, 0, true)));
  bed_free(&b);
}

static void test_refused(void **state) {
  (void)state;
  static struct os_info here;
  os_read(&here, "");
  static const struct {
    double n, stride;
    const char *why;
  } bad[] = {{1000, 12, "power of two"}, {1000, 2, "power of two"}, {1000, 4096, "too small"}};
  for (size_t i = 0; i < 3; i++) {
    struct pool pool = {.cap = 1e9};
    struct job j;
    char why[256];
    struct request r = strided(bad[i].n, bad[i].stride, DTYPE_FP32, ISA_SCALAR, 1);
    assert_false(job_open(&j, kernel_find(OP_STRIDED), &r, &here, &pool, 1, 1, why));
    if (!strstr(why, bad[i].why)) fail_msg("%s", why);
  }
  struct pool pool = {.cap = 1e9};
  struct job j;
  char why[256];
  struct request r = chained(1000, 3);
  assert_false(job_open(&j, kernel_find(OP_LATENCY), &r, &here, &pool, 1, 1, why));
  assert_non_null(strstr(why, "1, 2, 4 or 8"));
}

/* ---- chains ---- */
static void test_chains(void **state) {
  (void)state;
  for (double n = 1; n < 3000; n = n * 3 + 1)
    for (double chains = 1; chains <= 8; chains *= 2) {
      if (n < chains) continue;
      struct request r = chained(n, chains);
      struct bed b;
      bed_start(&b, &r, NULL);
      assert_true(bed_residual(&b, 1, true) == 0);
      assert_true(b.job.work.byte == 64 * chains * floor(n / chains)); /* every chain walks its share, no more */
      bed_free(&b);
    }
}

/* The twin that matters: the cycle falls into two, each walk comes round in half the time and from half the set. Where the walk ended does
 * not show it; the check must. */
static void test_two_cycles(void **state) {
  (void)state;
  struct bed b;
  struct request r = chained(1024, 1);
  bed_start(&b, &r, NULL);
  struct chase *c = b.job.data;
  struct chase_node *half = NULL, *last = NULL;
  for (size_t i = 0; i < c->n; i++) {
    if (c->node[i].place == 511) half = &c->node[i];
    if (c->node[i].place == 1023) last = &c->node[i];
  }
  struct chase_node *swap = half->next;
  half->next = last->next, last->next = swap;
  assert_true(isnan(bed_residual(&b, 1, true)));
  assert_true(isnan(bed_residual(&b, 1, false)));
  bed_free(&b);
}

static void test_lost_steps(void **state) {
  (void)state;
  for (double chains = 1; chains <= 8; chains *= 2) {
    struct bed b;
    struct request r = chained(1000, chains);
    bed_start(&b, &r, NULL);
    struct chase *c = b.job.data;
    assert_true(bed_residual(&b, 1, true) == 0);
    int last = (int)chains - 1;
    c->end[last] = c->end[last]->next; /* one step too many in the last chain */
    assert_true(isnan(kernel_find(OP_LATENCY)->residual(&b.job, true)));
    c->end[last] = NULL; /* never came back */
    assert_true(isnan(kernel_find(OP_LATENCY)->residual(&b.job, true)));
    bed_free(&b);
  }
}

/* ---- what is predicted ---- */
static void test_access(void **state) {
  (void)state;
  assert_true(access_share(4, 4) == 1 && access_share(4, 16) == 0.25 && access_share(4, 64) == 0.0625);
  assert_true(access_share(4, 4096) == 0.0625 && access_share(8, 4) == 1 && access_share(8, 64) == 0.125);
  assert_true(access_rate(4, 16, 20e9, NAN) == 5e9 && access_rate(4, 4, 20e9, 1e9) == 20e9); /* whole registers need few loads */
  assert_true(access_rate(4, 8, 200e9, 10e9) == 40e9);                                       /* loads bound: 10e9 of 4 bytes */
  assert_true(isnan(access_rate(4, 16, NAN, NAN)));
  assert_true(access_loads(2e9, 3) == 12e9);
  assert_true(fabs(access_chain_rate(1, 100e-9, NAN) - 0.64e9) < 1 && access_chain_rate(100, 100e-9, 10e9) == 10e9);
  assert_true(isnan(access_chain_rate(1, NAN, NAN)));
  assert_true(fabs(access_in_flight(64e9, 100e-9) - 100) < 1e-9);
  for (double s = 4; s < 1e6; s *= 2) assert_true(access_share(4, 2 * s) <= access_share(4, s)); /* never more of use */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sound),      cmocka_unit_test(test_lines),      cmocka_unit_test(test_twins),
                                     cmocka_unit_test(test_stale),      cmocka_unit_test(test_refused),    cmocka_unit_test(test_chains),
                                     cmocka_unit_test(test_two_cycles), cmocka_unit_test(test_lost_steps), cmocka_unit_test(test_access)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
