/* A service asked openly and by clients: against the closed form, and laws that hold for every queue. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/arrival.h"
#include "model/queue.h"
#include "tests/support_near.h"

static struct arrival_state s;

static struct arrival_in open_in(double rate, double servers) {
  return (struct arrival_in){.rate_per_s = rate, .clients = 1, .service_s = 0.064, .servers = servers, .seed = 1};
}

/* Means over four seeds: theory within 2.5 %, the tail within 4 %. A simulation that waited half or twice as long would be far outside. */
static void it_agrees_with_theory(void **state) {
  (void)state;
  static const struct { double rate, servers; } row[] = {{3, 1}, {10, 1}, {12, 1}, {10, 2}, {40, 4}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double mean = 0, p50 = 0, p95 = 0, p99 = 0;
    struct arrival_in in = open_in(row[i].rate, row[i].servers);
    struct queue q;
    for (int seed = 1; seed <= 4; seed++) {
      in.seed = seed;
      arrival_at(&in, 120000, &s);
      mean += arrival_mean(&s) / 4;
      p50 += arrival_quantile(&in, &s, 0.5) / 4;
      p95 += arrival_quantile(&in, &s, 0.95) / 4;
      p99 += arrival_quantile(&in, &s, 0.99) / 4;
    }
    queue_of(in.rate_per_s, in.service_s, in.servers, &q);
    NEAR(mean, q.sojourn_s, 0.025);
    NEAR(p50, q.p50_s, 0.025);
    NEAR(p95, q.p95_s, 0.04);
    NEAR(p99, q.p99_s, 0.04);
    NEAR(arrival_load(&in), q.utilisation, 1e-12);
    NEAR(arrival_capacity(&in), q.capacity_per_s, 1e-12);
  }
}

/* Exponential service waits twice as long as equal service (Pollaczek and Khinchine). */
static void variety_waits(void **state) {
  (void)state;
  for (double variety = 0; variety <= 1; variety += 0.5) {
    double wait = 0;
    struct arrival_in in = open_in(8, 1);
    in.variety = variety;
    for (int seed = 1; seed <= 4; seed++) in.seed = seed, arrival_at(&in, 120000, &s), wait += arrival_wait(&s) / 4;
    NEAR(wait, in.service_s * queue_wait_mean(arrival_load(&in)) * (1 + variety * variety), 0.06);
  }
}

static void clients_keep_their_queue(void **state) {
  (void)state;
  for (double clients = 1; clients <= 64; clients *= 2)
    for (double servers = 1; servers <= 16; servers *= 4) {
      struct arrival_in in = {.closed = true, .clients = clients, .service_s = 0.064, .servers = servers, .one_queue = true, .seed = 1};
      arrival_at(&in, 6400, &s);
      double busy = fmin(clients, servers);
      NEAR(arrival_rate(&s), busy / in.service_s, 0.02);
      NEAR(arrival_quantile(&in, &s, 0.5), in.service_s * fmax(1, clients / servers), 0.01);
      NEAR(arrival_rate(&s) * arrival_mean(&s), clients, 0.02); /* Little */
      assert_true(s.longest <= in.service_s * fmax(1, ceil(clients / servers)) * 1.000001);
    }
}

static void one_queue_waits_less(void **state) {
  (void)state;
  struct arrival_in in = open_in(40, 4);
  arrival_at(&in, 50000, &s);
  double each = arrival_wait(&s);
  in.one_queue = true;
  arrival_at(&in, 50000, &s);
  assert_true(arrival_wait(&s) < each / 2);
  NEAR(arrival_wait(&s), queue_shared_wait(in.rate_per_s, in.service_s, in.servers), 0.1);
}

static void too_much_grows(void **state) {
  (void)state;
  struct arrival_in in = open_in(20, 1);
  arrival_at(&in, 2000, &s);
  double early = arrival_mean(&s);
  arrival_at(&in, 20000, &s);
  assert_true(arrival_load(&in) > 1 && arrival_mean(&s) > 5 * early);
  NEAR(arrival_rate(&s), arrival_capacity(&in), 0.001); /* it serves what it can */
}

static void steps_and_jumps_agree(void **state) {
  (void)state;
  static struct arrival_state jumped;
  for (int closed = 0; closed < 2; closed++) {
    struct arrival_in in = open_in(12, 3);
    in.closed = closed, in.clients = 7, in.variety = 0.4, in.one_queue = closed;
    arrival_start(&in, &s);
    assert_true(isnan(arrival_mean(&s)) && isnan(arrival_rate(&s)) && isnan(arrival_quantile(&in, &s, 0.5)));
    for (int i = 0; i < 500; i++) arrival_step(&in, &s);
    arrival_at(&in, 500, &jumped);
    assert_memory_equal(&s, &jumped, sizeof s);
    in.seed = 2;
    arrival_at(&in, 500, &jumped);
    assert_true(arrival_mean(&jumped) != arrival_mean(&s)); /* another seed, another day */
  }
}

/* Quantile and share below are each other's inverse, rise, and stay between the shortest and the longest. */
static void quantiles_are_sane(void **state) {
  (void)state;
  for (double variety = 0; variety <= 1; variety += 0.25) {
    struct arrival_in in = open_in(12, 1);
    in.variety = variety;
    arrival_at(&in, 5000, &s);
    double before = 0, counted = 0;
    for (int i = 0; i < ARRIVAL_BINS; i++) counted += s.bin[i];
    assert_true(counted == 5000 && s.done == 5000);
    for (double p = 0.005; p < 1; p += 0.005) {
      double q = arrival_quantile(&in, &s, p);
      assert_true(q >= before && q >= s.shortest && q <= s.longest);
      NEAR(arrival_below(&in, &s, q), p, 0.02);
      before = q;
    }
    assert_true(s.shortest >= in.service_s * (1 - variety) - 1e-9); /* differences of large times */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_agrees_with_theory), cmocka_unit_test(variety_waits),  cmocka_unit_test(clients_keep_their_queue),
      cmocka_unit_test(one_queue_waits_less),  cmocka_unit_test(too_much_grows), cmocka_unit_test(steps_and_jumps_agree),
      cmocka_unit_test(quantiles_are_sane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
