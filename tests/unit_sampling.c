/* What samples say, on invented ones: one group and two, an outlier, a drop at half time, a slow slide, nothing at all; and where measured
 * curves cross. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/curve.h"
#include "model/run.h"
#include "model/sampling.h"
#include "tests/support_near.h"


static uint32_t seed = 7;
static double share(void) { return (seed = seed * 1664525u + 1013904223u, seed >> 8) / 16777216.0; }

static void nothing_says_nothing(void **state) {
  (void)state;
  struct sampling s;
  struct histogram h;
  struct drop d;
  double bad[] = {NAN, 0, -1, INFINITY};
  for (int n = 0; n <= 4; n += 4) {
    sampling_of(bad, n, &s);
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.best) && isnan(s.median) && isnan(s.mean) && isnan(s.p95) && isnan(s.worst) && isnan(s.spread));
    assert_int_equal(s.groups, 0);
    histogram_of(bad, NULL, 0, n, 10, &h);
    assert_int_equal(h.n, 0);
    drop_of(bad, bad, n, &d);
    assert_int_equal(d.kind, DROP_UNKNOWN);
    assert_true(isnan(d.start) && isnan(d.share) && isnan(d.at));
  }
  assert_int_equal(sampling_settled(bad, 0, 1, 0.05), 0);
  assert_int_equal(sampling_settled(bad, 4, NAN, 0.05), 0);
}

static void one_sample_is_all_there_is(void **state) {
  (void)state;
  struct sampling s;
  struct histogram h;
  double one[] = {2e-3};
  sampling_of(one, 1, &s);
  assert_true(s.n == 1 && s.best == 2e-3 && s.median == 2e-3 && s.mean == 2e-3 && s.p95 == 2e-3 && s.worst == 2e-3);
  assert_true(isnan(s.spread) && s.groups == 0);
  histogram_of(one, NULL, 0, 1, 10, &h);
  assert_int_equal(h.n, 1);
  assert_int_equal(h.count[0], 1);
  assert_true(h.width > 0);
  assert_int_equal(sampling_settled(one, 1, 2e-3, 0.05), 1);
}

static void one_outlier_moves_the_mean_and_nothing_else(void **state) {
  (void)state;
  double v[20];
  struct sampling calm, s;
  for (int i = 0; i < 20; i++) v[i] = 1 + 0.001 * i;
  sampling_of(v, 20, &calm);
  NEAR(calm.mean, calm.median, 1e-12);
  v[7] = 100;
  sampling_of(v, 20, &s);
  assert_true(s.best == calm.best && s.worst == 100);
  NEAR(s.median, calm.median, 1e-3);
  NEAR(s.mean, calm.mean + (100 - 1.007) / 20, 1e-12);
  assert_int_equal(s.groups, 1); /* one of twenty is no group */
  struct histogram h;
  uint16_t flags[20] = {0};
  flags[7] = FLAG_DISTURBED;
  histogram_of(v, flags, FLAG_DISTURBED, 20, 10, &h);
  int all = 0, most = 0;
  for (int i = 0; i < h.n; i++) all += h.count[i], most = h.count[i] > most ? h.count[i] : most;
  assert_int_equal(all, 20);
  assert_true(most <= 6);        /* the others keep their shape … */
  assert_int_equal(h.beyond, 1); /* … and the outlier is counted in the last bin */
  assert_int_equal(h.marked[h.n - 1], 1);
  for (int i = 0; i + 1 < h.n; i++) assert_int_equal(h.marked[i], 0);
}

static void two_speeds_are_two_groups(void **state) {
  (void)state;
  double v[40];
  struct sampling s;
  for (int i = 0; i < 40; i++) v[i] = (i % 4 == 0 ? 1.5 : 1) * (1 + 0.01 * share());
  sampling_of(v, 40, &s);
  assert_int_equal(s.groups, 2);
  NEAR(s.low, 1.005, 0.006);
  NEAR(s.high, 1.5075, 0.006);
  for (int i = 0; i < 40; i++) v[i] = 1 + share(); /* evenly spread: wide, but one group */
  sampling_of(v, 40, &s);
  assert_int_equal(s.groups, 1);
  assert_true(isnan(s.low) && isnan(s.high));
  for (int i = 0; i < 40; i++) v[i] = (i % 2 ? 1.001 : 1); /* two values, too near to matter */
  sampling_of(v, 40, &s);
  assert_int_equal(s.groups, 1);
}

static void the_first_repetitions_settle(void **state) {
  (void)state;
  double v[] = {5, 2, 1.2, 1.01, 0.99, 1, 1.04, 1};
  assert_int_equal(sampling_settled(v, 8, 1, 0.05), 4);
  v[7] = 3;
  assert_int_equal(sampling_settled(v, 8, 1, 0.05), 9); /* not even the last */
}

static void a_drop_is_found_and_named(void **state) {
  (void)state;
  enum { N = 32 };
  double rate[N], at[N];
  struct drop d;
  for (int i = 0; i < N; i++) at[i] = 2 * i + 2, rate[i] = (i < 16 ? 100 : 80) * (1 + 0.002 * (share() - 0.5));
  drop_of(rate, at, N, &d);
  assert_int_equal(d.kind, DROP_STEP);
  NEAR(d.start, 100, 2e-3);
  NEAR(d.end, 80, 2e-3);
  NEAR(d.share, 0.2, 0.02);
  NEAR(d.at, 33, 1e-9); /* between the stretches that end at 32 and 34 s */
  for (int i = 0; i < N; i++) rate[i] = 100 - 0.5 * i;
  drop_of(rate, at, N, &d);
  assert_int_equal(d.kind, DROP_SLIDE);
  assert_true(d.share > 0.1 && d.at > at[12] && d.at < at[19]);
  for (int i = 0; i < N; i++) rate[i] = 100 * (1 + 0.1 * (share() - 0.5)); /* unsteady, but no slower at the end */
  drop_of(rate, at, N, &d);
  assert_int_equal(d.kind, DROP_NONE);
  assert_true(isnan(d.at) && d.noise > 0.01);
  for (int i = 0; i < N; i++) rate[i] = 100; /* as steady as can be */
  drop_of(rate, at, N, &d);
  assert_int_equal(d.kind, DROP_NONE);
  NEAR(d.share, 0, 0);
  for (int i = 0; i < N; i++) rate[i] = 100 + i; /* faster: no drop */
  drop_of(rate, at, N, &d);
  assert_int_equal(d.kind, DROP_NONE);
  assert_true(d.share < 0);
  drop_of(rate, at, 3, &d);
  assert_int_equal(d.kind, DROP_UNKNOWN);
  rate[5] = NAN; /* a stretch that is not known is left out */
  drop_of(rate, at, N, &d);
  assert_int_equal(d.kind, DROP_NONE);
}

/* A long run's time line: stretches merge, and what they say stays. */
static void a_long_run_keeps_its_time_line(void **state) {
  (void)state;
  struct run r;
  struct request q = {.op = OP_MATMUL, .dtype = DTYPE_FP32};
  run_start(&r, &q, "here");
  for (int i = 0; i < 1000; i++) {
    double time = i < 500 ? 1e-3 : 2e-3;
    struct sample s = {.time = time,
                       .flop = 1,
                       .at = 1e-3 * (i < 500 ? i + 1 : 2 * i - 499),
                       .clock_hz = i % 4 ? NAN : 3e9,
                       .warm = true,
                       .cpu_time = NAN,
                       .residual = NAN,
                       .faults = i == 0 ? 5 : 0,
                       .flags = i == 3 ? FLAG_DISTURBED : 0};
    assert_true(run_add(&r, &s));
  }
  int n = (r.count + r.bucket_width - 1) / r.bucket_width;
  assert_true(n > RUN_BUCKET / 2 && n <= RUN_BUCKET);
  double rate[RUN_BUCKET];
  for (int b = 0; b < n; b++) {
    rate[b] = 1 / r.bucket[b];
    NEAR(r.bucket_clock[b], 3e9, 1e-9);
    int i = (b + 1) * r.bucket_width - 1; /* each ends with its last sample */
    if (b + 1 < n) NEAR(r.bucket_at[b], 1e-3 * (i < 500 ? i + 1 : 2 * i - 499), 1e-9);
  }
  NEAR(r.bucket_at[n - 1], 1.5, 1e-3);
  struct drop d;
  drop_of(rate, r.bucket_at, n, &d);
  assert_int_equal(d.kind, DROP_STEP);
  NEAR(d.share, 0.5, 0.01);
  NEAR(d.at, 0.5, 0.1);
  NEAR(r.faults, 5.0 / 1000, 1e-9);
  assert_true(r.first_flags[3] == FLAG_DISTURBED && r.first_flags[4] == 0);
}

static void curves_cross_where_they_meet(void **state) {
  (void)state;
  enum { N = 6 };
  double x[N], one[N], all[N];
  for (int i = 0; i < N; i++) x[i] = 64 << 2 * i, one[i] = 1e-9 * x[i], all[i] = 1e-6 + 0.5e-9 * x[i];
  double tie = curve_cross(x, one, all, N); /* 2000, if there were samples there */
  assert_true(tie > 1024 && tie < 4096);
  NEAR(curve_reach(x, one, N, 2e-6), 2000, 1e-9); /* a power law is such a line */
  double root[N];                                 /* power laws cross where the picture says, exactly */
  for (int i = 0; i < N; i++) root[i] = 1e-6 * sqrt(x[i] / 1000);
  NEAR(curve_cross(x, one, root, N), 1000, 1e-9);
  assert_true(isnan(curve_cross(x, all, one, N)));
  assert_true(isnan(curve_cross(x, one, one, N)));
  assert_true(isnan(curve_cross(x, one, all, 2)) && isnan(curve_cross(x, one, all, 0)));
  one[4] = NAN;
  NEAR(curve_cross(x, one, all, N), tie, 1e-12);
  one[5] = all[5] / 2; /* falls below again: no crossing for good */
  assert_true(isnan(curve_cross(x, one, all, N)));
  assert_true(isnan(curve_reach(x, all, N, 1e-9)) && isnan(curve_reach(x, all, N, 1)) && isnan(curve_reach(x, all, N, NAN)));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_says_nothing),
                                     cmocka_unit_test(one_sample_is_all_there_is),
                                     cmocka_unit_test(one_outlier_moves_the_mean_and_nothing_else),
                                     cmocka_unit_test(two_speeds_are_two_groups),
                                     cmocka_unit_test(the_first_repetitions_settle),
                                     cmocka_unit_test(a_drop_is_found_and_named),
                                     cmocka_unit_test(a_long_run_keeps_its_time_line),
                                     cmocka_unit_test(curves_cross_where_they_meet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
