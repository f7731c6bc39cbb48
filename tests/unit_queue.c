/* One line before a server: the closed forms, the laws they obey, and a line that is stepped through piece by piece. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/queue.h"

static void near(double v, double is, double within) {
  if (!(fabs(v - is) <= within)) fail_msg("%.10g is not within %g of %.10g", v, within, is);
}

static void the_mean_is_pollaczeks(void **state) {
  (void)state;
  struct queue q;
  queue_of(10, 0.064, 1, &q);
  near(q.utilisation, 0.64, 1e-12);
  near(q.capacity_per_s, 15.625, 1e-9);
  near(q.sojourn_s, 0.1208889, 1e-7);
  queue_of(10, 0.064, 2, &q);
  near(q.utilisation, 0.32, 1e-12);
  near(q.sojourn_s, 0.0790588, 1e-7);
  near(q.capacity_per_s, 31.25, 1e-9);
  near(q.inside, 10 * q.sojourn_s, 1e-12); /* Little */
  near(queue_wait_mean(0.5), 0.5, 1e-15);
  assert_true(queue_wait_mean(0) == 0 && isinf(queue_wait_mean(1)) && isinf(queue_wait_mean(3)));
  queue_of(20, 0.064, 1, &q);
  assert_true(isinf(q.wait_s) && isinf(q.p95_s) && q.utilisation > 1);
  queue_of(NAN, 0.064, 1, &q);
  assert_true(isnan(q.wait_s) && isnan(q.p95_s));
}

/* Whatever the load: it starts at the share that finds the server free, never falls, and its complement sums up to the mean wait. */
static void the_distribution_is_one(void **state) {
  (void)state;
  for (double rho = 0.05; rho < 0.96; rho += 0.1) {
    near(queue_wait_below(rho, 0), 1 - rho, 1e-12);
    double sum = 0, before = 0, step = 0.005;
    for (double u = step / 2; u < 250; u += step) {
      double below = queue_wait_below(rho, u);
      assert_true(below >= before - 1e-9 && below <= 1 + 1e-9);
      sum += (1 - below) * step, before = below;
      if (1 - below < 1e-9) break;
    }
    near(sum / queue_wait_mean(rho), 1, 2e-3);
    near(queue_wait_below(rho, 12 - 1e-9), queue_wait_below(rho, 12 + 1e-9), 1e-7); /* the sum and the tail meet */
  }
  assert_true(queue_wait_below(0.5, -1) == 0 && queue_wait_below(0, 0) == 1 && queue_wait_below(1, 5) == 0);
  assert_true(isnan(queue_wait_below(NAN, 1)) && isnan(queue_wait_below(0.5, NAN)));
}

static void percentiles_invert_it(void **state) {
  (void)state;
  static const double share[] = {0.01, 0.5, 0.9, 0.95, 0.99, 0.999};
  for (double rho = 0.01; rho < 0.999; rho += 0.0137)
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
      double u = queue_wait_at(rho, share[i]);
      assert_true(u >= 0 && isfinite(u));
      if (share[i] <= 1 - rho)
        assert_true(u == 0);
      else
        near(queue_wait_below(rho, u), share[i], 1e-7);
      if (i > 0) assert_true(u >= queue_wait_at(rho, share[i - 1]));
      assert_true(queue_wait_at(rho + 0.0005, share[i]) >= u); /* busier never waits less */
    }
  assert_true(isinf(queue_wait_at(1, 0.5)) && queue_wait_at(0, 0.99) == 0 && isnan(queue_wait_at(NAN, 0.5)));
}

/* splitmix64: neighbours must not depend on one another, or the line is another one. */
static uint64_t next(uint64_t *s) {
  uint64_t z = *s += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

static int up_to(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The same line lived through: each piece waits for what its forerunner left, less the time between the two (Lindley). */
static void a_line_stepped_through_agrees(void **state) {
  (void)state;
  enum { PIECES = 200000 };
  double *wait = malloc(PIECES * sizeof *wait);
  assert_non_null(wait);
  static const double load[] = {0.32, 0.64, 0.8};
  for (size_t k = 0; k < sizeof load / sizeof *load; k++) {
    uint64_t seed = 88172645463325252ULL;
    double rho = load[k], now = 0, sum = 0;
    for (int i = 0; i < PIECES; i++) {
      double chance = ((double)(next(&seed) >> 11) + 1) / 9007199254740993.0;
      wait[i] = now, sum += now;
      now = fmax(0, now + 1 + log(chance) / rho);
    }
    near(sum / PIECES / queue_wait_mean(rho), 1, 0.04);
    qsort(wait, PIECES, sizeof *wait, up_to);
    near(wait[PIECES / 100 * 95] / queue_wait_at(rho, 0.95), 1, 0.04);
    near(wait[PIECES / 100 * 99] / queue_wait_at(rho, 0.99), 1, 0.05);
  }
  free(wait);
}

static void servers_are_the_fewest(void **state) {
  (void)state;
  static const double rate[] = {0.1, 5, 10, 78, 1000, 1e6}, budget[] = {0.07, 0.1, 0.2, 1};
  for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
    for (size_t j = 0; j < sizeof budget / sizeof *budget; j++) {
      double n = queue_servers(rate[i], 0.064, 0.95, budget[j]);
      struct queue q;
      queue_of(rate[i], 0.064, n, &q);
      assert_true(n >= 1 && floor(n) == n && q.p95_s <= budget[j] * (1 + 1e-9));
      if (n > 1) queue_of(rate[i], 0.064, n - 1, &q), assert_true(q.p95_s > budget[j]);
    }
  assert_true(isnan(queue_servers(10, 0.064, 0.95, 0.06))); /* no replica makes one piece faster */
  assert_true(queue_servers(1e-6, 0.064, 0.95, 0.064) == 1);
  assert_true(queue_load_at(0.95, 0.5) == 0 && isnan(queue_load_at(0.95, NAN)));
}

static void one_line_for_all_waits_less(void **state) {
  (void)state;
  for (double rho = 0.1; rho < 0.95; rho += 0.1) {
    near(queue_shared_wait(rho, 1, 1), queue_wait_mean(rho), 1e-12);
    double before = INFINITY;
    for (double n = 1; n <= 64; n *= 2) {
      double wait = queue_shared_wait(rho * n, 1, n);
      assert_true(wait <= before && wait <= queue_wait_mean(rho) + 1e-12 && wait >= 0);
      before = wait;
    }
  }
  near(queue_shared_wait(1.6, 1, 2), 0.8 * 0.8 / (1 - 0.8 * 0.8) / 2 * (1 + 0.2 * (sqrt(14) - 2) / 25.6), 1e-9); /* M/M/2 waits ρ²/(1−ρ²) */
  assert_true(isinf(queue_shared_wait(2, 1, 2)) && queue_shared_wait(0, 1, 2) == 0 && isnan(queue_shared_wait(NAN, 1, 2)));
  near(queue_duty(1.5 * 3600, 24 * 3600), 0.0625, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_mean_is_pollaczeks), cmocka_unit_test(the_distribution_is_one),
                                     cmocka_unit_test(percentiles_invert_it),  cmocka_unit_test(a_line_stepped_through_agrees),
                                     cmocka_unit_test(servers_are_the_fewest), cmocka_unit_test(one_line_for_all_waits_less)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
