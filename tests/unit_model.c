/* The model's plain laws: data types, the accounting of work, the roofline, run summaries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/roof.h"
#include "model/run.h"
#include "model/work.h"
#include "model/world.h"

static void near(double got, double want, double share) {
  if (!(fabs(got - want) <= share * fabs(want))) fail_msg("got %.17g, want %.17g within %g", got, want, share);
}

static void dtype_names_find_themselves(void **state) {
  (void)state;
  static const double byte[DTYPE_N] = {8, 4, 4, 2, 2, 1, 1, 0.5, 0.5};
  for (int t = 0; t < DTYPE_N; t++) {
    assert_int_equal(dtype_find(dtype_name((enum dtype)t)), t);
    near(dtype_byte((enum dtype)t), byte[t], 0);
  }
  assert_int_equal(dtype_find("float"), DTYPE_N);
  assert_int_equal(dtype_find(""), DTYPE_N);
}

static struct work work_n(enum op op, double n, enum dtype t) { return work_of(op, work_complete(op, (struct shape){n, NAN, NAN, NAN, NAN, NAN, .stride = NAN}), t); }

static double intensity(struct work w) { return roof_intensity(w.flop, w.byte); }

static void work_reproduces_the_chapter(void **state) {
  (void)state;
  struct work w = work_n(OP_MATMUL, 1024, DTYPE_FP32);
  near(w.flop, 2147483648.0, 0);
  near(w.byte, 12582912, 0);
  near(intensity(w), 1024 / 6.0, 1e-12);
  near(intensity(work_n(OP_MATMUL, 1024, DTYPE_BF16)), 1024 / 3.0, 1e-12);
  w = work_of(OP_WEIGHTS, (struct shape){4096, NAN, NAN, 1, NAN, NAN, .stride = NAN}, DTYPE_BF16);
  near(w.flop, 33554432, 0);
  near(intensity(w), 0.99951, 1e-5);
  w = work_of(OP_WEIGHTS, (struct shape){4096, NAN, NAN, 64, NAN, NAN, .stride = NAN}, DTYPE_BF16);
  near(w.byte, 34603008, 0);
  near(intensity(w), 62.061, 1e-5);
  near(intensity(work_n(OP_RELU, 1e6, DTYPE_BF16)), 0.25, 1e-12);
  near(intensity(work_n(OP_ADD, 1e6, DTYPE_FP32)), 1 / 12.0, 1e-12);
  near(intensity(work_n(OP_SAXPY, 1e6, DTYPE_FP32)), 1 / 6.0, 1e-12);
  near(intensity(work_n(OP_LAYERNORM, 1000, DTYPE_BF16)), 2, 1e-12);
  near(intensity(work_n(OP_DEPTHWISE, 224, DTYPE_BF16)), 4.5, 1e-12);
  near(intensity(work_n(OP_DOT, 1e6, DTYPE_BF16)), 0.5, 1e-5);
  w = work_n(OP_ATTENTION, 4096, DTYPE_BF16);
  near(w.flop, 8589934592.0, 0);
  near(w.byte, 138.4e6, 1e-3);
  near(intensity(w), 62.06, 1e-3);
  w = work_n(OP_ATTENTION_FUSED, 4096, DTYPE_BF16);
  near(w.byte, 4194304, 0);
  near(intensity(w), 2048, 0);
  for (int fma = 1; fma <= 256; fma *= 2)
    near(intensity(work_of(OP_DIAL, (struct shape){1e6, NAN, NAN, NAN, fma, NAN, .stride = NAN}, DTYPE_FP32)), fma / 2.0, 1e-12);
}

static void work_on_the_bus_counts_write_allocate(void **state) {
  (void)state;
  struct work copy = work_n(OP_COPY, 1e6, DTYPE_FP32), triad = work_n(OP_TRIAD, 1e6, DTYPE_FP32), saxpy = work_n(OP_SAXPY, 1e6, DTYPE_FP32);
  near(copy.byte_bus / copy.byte, 1.5, 1e-12);
  near(triad.byte_bus / triad.byte, 4 / 3.0, 1e-12);
  near(saxpy.byte_bus / saxpy.byte, 1, 1e-12); /* y was read anyway */
  struct work nt = work_n(OP_TRIAD_NT, 1e6, DTYPE_FP32);
  near(nt.byte_bus, nt.byte, 0);
}

static void work_scales_as_it_must(void **state) {
  (void)state;
  for (int op = 0; op < OP_CUSTOM; op++) {
    struct work one = work_n((enum op)op, 512, DTYPE_FP32), two = work_n((enum op)op, 1024, DTYPE_FP32);
    assert_true(two.flop > one.flop && two.byte > one.byte);
    struct work wide = work_n((enum op)op, 512, DTYPE_FP64);
    near(wide.byte, 2 * one.byte, 1e-12);
    near(wide.flop, one.flop, 0);
    assert_true(one.byte_bus >= one.byte);
    assert_true(work_footprint((enum op)op, work_complete((enum op)op, (struct shape){512, NAN, NAN, NAN, NAN, NAN, .stride = NAN}), DTYPE_FP32) > 0);
    assert_int_equal(op_find(op_name((enum op)op)), op);
  }
  assert_int_equal(op_find("matmult"), OP_N);
  assert_true(isnan(work_n(OP_CUSTOM, 1, DTYPE_FP32).flop));
}

static void work_start_streams_past_the_cache(void **state) {
  (void)state;
  double n = work_start_n(OP_WEIGHTS, DTYPE_FP32, 32.0 * 1048576, NAN);
  near(n, 6144, 0); /* 5120² is 105 MB, below 4 × 32 MiB; 6144² is the first above */
  near(work_start_n(OP_WEIGHTS, DTYPE_FP32, 1048576, NAN), 1024, 0);
  near(work_start_n(OP_WEIGHTS, DTYPE_FP32, 512.0 * 1048576, 1e9), 15360, 0); /* held under the cap */
  near(work_start_n(OP_MATMUL, DTYPE_FP32, NAN, NAN), 1024, 0);
  for (int op = 0; op < OP_CUSTOM; op++)
    for (double cache = 0; cache < 1e12; cache = cache * 10 + 1) {
      double start = work_start_n((enum op)op, DTYPE_FP64, cache, 1e9);
      assert_true(start >= 1 && start < 1e12);
    }
}

static void roof_is_monotone_and_meets_at_the_ridge(void **state) {
  (void)state;
  near(roof_ridge(989e12, 3.35e12), 295.22, 1e-4);
  near(roof_attainable(200e12, 2e12, 25), 50e12, 1e-12);
  near(roof_attainable(200e12, 2e12, 100), 200e12, 1e-12);
  double last = 0;
  for (double x = 1e-3; x < 1e6; x *= 1.1) {
    double y = roof_attainable(200e12, 2e12, x);
    assert_true(y >= last && y <= 200e12);
    last = y;
    /* Time and rate are two sides of one bound. */
    near(roof_time_lower(x * 1e9, 1e9, 200e12, 2e12), x * 1e9 / y, 1e-12);
    double lower = roof_time_lower(x * 1e9, 1e9, 200e12, 2e12), upper = roof_time_upper(x * 1e9, 1e9, 200e12, 2e12);
    assert_true(lower <= upper && upper <= 2 * lower * (1 + 1e-12));
  }
  double ridge = roof_ridge(200e12, 2e12);
  near(roof_attainable(200e12, 2e12, ridge * (1 - 1e-9)), roof_attainable(200e12, 2e12, ridge * (1 + 1e-9)), 1e-8);
  assert_int_equal(roof_bound(99, 1, 100, 1), BOUND_MEMORY);
  assert_int_equal(roof_bound(100, 1, 100, 1), BOUND_COMPUTE);
  assert_int_equal(roof_bound(101, 1, 100, 1), BOUND_COMPUTE);
}

static void roof_of_the_unknown_is_unknown(void **state) {
  (void)state;
  assert_true(isnan(roof_attainable(NAN, 1, 1)) && isnan(roof_attainable(1, NAN, 1)) && isnan(roof_attainable(1, 1, NAN)));
  assert_true(isnan(roof_time_lower(1, 1, NAN, 1)) && isnan(roof_time_lower(1, 1, 1, NAN)));
  assert_int_equal(roof_bound(1, 1, NAN, 1), BOUND_UNKNOWN);
  assert_int_equal(roof_bound(NAN, 1, 1, 1), BOUND_UNKNOWN);
  near(roof_time_lower(0, 10, NAN, 2), 5, 0); /* nothing to calculate: the peak does not matter */
  assert_true(isinf(roof_intensity(1, 0)) && isnan(roof_intensity(0, 0)));
}

static void unmeasured_device_is_unknown_not_zero(void **state) {
  (void)state;
  struct device d;
  device_clear(&d);
  for (int t = 0; t < DTYPE_N; t++) assert_true(isnan(d.peak[t].value));
  assert_true(isnan(d.memory_byte.value) && isnan(d.memory_byte_per_s.value) && isnan(d.tdp_w.value) && isnan(d.machine.clock_hz));
  for (int i = 0; i < LEVEL_MAX; i++) assert_true(isnan(d.level[i].byte.value) && isnan(d.level[i].byte_per_s.value));
}

static struct request request_weights(double batch) {
  return (struct request){.op = OP_WEIGHTS, .shape = {6144, NAN, NAN, batch, NAN}, .dtype = DTYPE_FP32};
}

static struct sample sample_of(double time, bool warm) {
  return (struct sample){.time = time, .flop = 10, .byte = 5, .byte_bus = 6, .cpu_time = 2 * time, .residual = 0.5, .busy = NAN, .ready = NAN, .item_time = NAN, .step_time = NAN, .isa = ISA_AVX2, .threads = 2, .warm = warm};
}

static void run_keeps_the_warm_up_apart(void **state) {
  (void)state;
  struct run r;
  struct request what = request_weights(1);
  run_start(&r, &what, "m");
  assert_true(isnan(run_time(&r)));
  struct sample s = sample_of(9, false);
  assert_true(run_add(&r, &s));
  near(run_time(&r), 9, 0);
  assert_true(r.flags & FLAG_FIRST);
  for (int i = 1; i <= 5; i++) s = sample_of(i, true), assert_true(run_add(&r, &s));
  assert_false(r.flags & FLAG_FIRST);
  near(r.median, 3, 0);
  near(r.best, 1, 0);
  near(r.p95, 4.8, 1e-12);
  near(r.spread, (4.0 - 2.0) / (2 * 3), 1e-12);
  near(r.cpu_time, 6, 1e-12);
  near(r.warmup_time, 9, 0);
  near(run_time(&r), 3, 0);
  assert_int_equal(r.count, 5);
}

static void run_refuses_what_no_clock_can_say(void **state) {
  (void)state;
  struct run r;
  struct request what = request_weights(1);
  run_start(&r, &what, "m");
  static const double bad[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct sample s = sample_of(bad[i], true);
    assert_false(run_add(&r, &s));
  }
  assert_int_equal(r.count, 0);
  assert_true(isnan(r.median));
}

static void run_stays_small_and_true_over_many_samples(void **state) {
  (void)state;
  struct run a, b;
  struct request what = request_weights(1);
  run_start(&a, &what, "m");
  run_start(&b, &what, "m");
  for (int i = 0; i < 10000; i++) {
    struct sample s = sample_of(1 + 0.0001 * i, true);
    run_add(&a, &s);
    run_add(&b, &s);
  }
  assert_memory_equal(&a, &b, sizeof a); /* the same samples give the same summary */
  near(a.median, 1.5, 0.15);             /* 64 drawn of 10000 uniform in 1…2 */
  near(a.best, 1, 0);
  assert_int_equal(a.count, 10000);
  double last = 0;
  for (int i = 0; i < RUN_BUCKET && a.bucket[i] > 0 && i * a.bucket_width < a.count; i++) {
    assert_true(a.bucket[i] > last); /* the time line keeps the order */
    last = a.bucket[i];
  }
}

static void world_drops_the_oldest_run(void **state) {
  (void)state;
  struct world *w = calloc(1, sizeof *w);
  for (int i = 0; i < RUN_MAX + 5; i++) {
    struct request what = request_weights(i + 1);
    struct run *r = run_open(w, &what, "m");
    struct sample s = sample_of(i + 1, true);
    run_add(r, &s);
  }
  assert_int_equal(w->nrun, RUN_MAX);
  struct request first = request_weights(1), last = request_weights(RUN_MAX + 5);
  assert_null(run_find(w, &first, "m"));
  assert_non_null(run_find(w, &last, "m"));
  assert_null(run_find(w, &last, "another machine"));
  assert_ptr_equal(run_open(w, &last, "m"), run_find(w, &last, "m"));
  free(w);
}

static void requests_differ_in_every_field(void **state) {
  (void)state;
  struct request a = request_weights(1), b;
  b = a; assert_true(request_equal(&a, &b));
  b = a; b.dtype = DTYPE_FP64; assert_false(request_equal(&a, &b));
  b = a; b.isa = ISA_SCALAR; assert_false(request_equal(&a, &b));
  b = a; b.rung = RUNG_PLAIN; assert_false(request_equal(&a, &b));
  b = a; b.threads = 1; assert_false(request_equal(&a, &b));
  b = a; b.shape.n = 1; assert_false(request_equal(&a, &b));
  b = a; b.hog = true; assert_false(request_equal(&a, &b));
  b = a; b.shape.m = 1; assert_true(request_equal(&a, &b)); /* weights has no m */
  b = a; b.shape.batch = 2; assert_false(request_equal(&a, &b));
  b = a; b.op = OP_MATMUL; assert_false(request_equal(&a, &b));
}

static void quantiles_interpolate(void **state) {
  (void)state;
  double v[] = {4, 1, 3, 2};
  near(quantile(v, 4, 0.5), 2.5, 0);
  near(quantile(v, 4, 0), 1, 0);
  near(quantile(v, 4, 1), 4, 0);
  assert_true(isnan(quantile(v, 0, 0.5)));
  near(quantile(v, 1, 0.9), 1, 0);
}

int main(void) {
  const struct CMUnitTest test[] = {
      cmocka_unit_test(dtype_names_find_themselves), cmocka_unit_test(work_reproduces_the_chapter),
      cmocka_unit_test(work_on_the_bus_counts_write_allocate), cmocka_unit_test(work_scales_as_it_must),
      cmocka_unit_test(work_start_streams_past_the_cache), cmocka_unit_test(roof_is_monotone_and_meets_at_the_ridge),
      cmocka_unit_test(roof_of_the_unknown_is_unknown), cmocka_unit_test(unmeasured_device_is_unknown_not_zero),
      cmocka_unit_test(run_keeps_the_warm_up_apart), cmocka_unit_test(run_refuses_what_no_clock_can_say),
      cmocka_unit_test(run_stays_small_and_true_over_many_samples), cmocka_unit_test(world_drops_the_oldest_run),
      cmocka_unit_test(requests_differ_in_every_field), cmocka_unit_test(quantiles_interpolate),
  };
  return cmocka_run_group_tests(test, NULL, NULL);
}
