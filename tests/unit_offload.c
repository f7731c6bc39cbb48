/* The offload scene's facts, table, requests and words: its start values are the chapter's constants. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenes/engines.h"
#include "scenes/offload.h"
#include "tests/support_world.h"
#include "tests/support_near.h"


static struct setup person(void) {
  struct setup s;
  setup_clear(&s);
  return s;
}
static double fact(const struct world *w, const struct setup *p, const char *name) { return scene_value(w, &scene_offload, p, name); }
static struct setup resolved(const struct world *w, const struct setup *p) {
  struct setup s;
  setup_for(w, &scene_offload, p, &s);
  return s;
}
static const char *verdict(const struct world *w, const struct setup *p, struct text *t) {
  struct setup s = resolved(w, p);
  struct fact f[FACT_MAX];
  int n = scene_offload.facts(w, &s, f);
  text_clear(t);
  scene_offload.verdict(f, n, t);
  return t->s;
}
static const char *word(const struct world *w, const struct setup *p, const char *name) {
  struct setup s = resolved(w, p);
  struct fact f[FACT_MAX];
  int n = scene_offload.facts(w, &s, f);
  return fact_word(f, n, name);
}

static void test_start_values(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person();
  static const double row[][4] = {{128, 41.94, 45.91, 0.171}, {1024, 21474.84, 562.79, 0.894}, {4096, 1374389.53, 9465.45, 0.851}};
  for (int i = 0; i < 3; i++) {
    if (i != 1)
      person_set(w, &p, KNOB_N_SIZE, row[i][0], NULL); /* 1024 is where it starts */
    else
      p = person();
    NEAR(fact(w, &p, "host_time"), row[i][1] * 1e-6, 0.005 / row[i][1]);
    NEAR(fact(w, &p, "device_time"), row[i][2] * 1e-6, 0.005 / row[i][2]);
    NEAR(fact(w, &p, "link_share"), row[i][3], 0.003);
    NEAR(fact(w, &p, "crossover_n"), 132.45, 4e-5);
    NEAR(fact(w, &p, "first_winning_n"), 133, 0);
  }
  p = person();
  NEAR(fact(w, &p, "speedup"), 38.16, 2e-4);
  NEAR(fact(w, &p, "kernel_speedup"), 1000, 1e-12);
  NEAR(fact(w, &p, "moving_share"), 0.948, 5e-4);
  NEAR(fact(w, &p, "fixed_time"), 38e-6, 1e-12);
  NEAR(fact(w, &p, "effective_flop_per_s"), 3.816e12, 2e-4);
  NEAR(fact(w, &p, "reuse_half"), 17, 0);
  assert_string_equal(word(w, &p, "schedule"), "one by one");
  free(w);
}

static void test_knobs(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person();
  struct text t;
  person_set(w, &p, KNOB_RESIDENT, 0, "b");
  NEAR(fact(w, &p, "device_time"), 385.0e-6, 2e-4);
  person_set(w, &p, KNOB_RESIDENT, 0, "all");
  NEAR(fact(w, &p, "device_time"), 29.5e-6, 2e-3);
  NEAR(fact(w, &p, "link_share"), 0, 0);
  p = person();
  person_set(w, &p, KNOB_UNIFIED, 1, NULL);
  NEAR(fact(w, &p, "crossover_n"), 73.71, 1e-4);
  NEAR(fact(w, &p, "copies"), 0, 0);
  p = person();
  person_set(w, &p, KNOB_PIECES, 100, NULL);
  NEAR(fact(w, &p, "in_time") + fact(w, &p, "out_time"), 3503e-6, 1e-3);
  p = person();
  person_set(w, &p, KNOB_REUSE, 17, NULL);
  assert_true(fact(w, &p, "link_share") < 0.5);
  p = person();
  person_set(w, &p, KNOB_DTYPE, 0, "bf16");
  NEAR(fact(w, &p, "crossover_n"), 128.03, 1e-4);
  p = person();
  person_set(w, &p, KNOB_LINK, 0, "pcie5-x16");
  NEAR(fact(w, &p, "crossover_n"), 127.16, 1e-4);

  p = person();
  person_set(w, &p, KNOB_OVERLAP, 1, NULL);
  NEAR(fact(w, &p, "device_time"), 562.79e-6, 1e-4); /* pageable memory: nothing changes, and that is said */
  assert_non_null(strstr(verdict(w, &p, &t), "pinned"));
  person_set(w, &p, KNOB_PINNED, 1, NULL);
  NEAR(fact(w, &p, "device_time"), 355.5e-6, 2e-4);
  assert_string_equal(word(w, &p, "schedule"), "overlapped");
  assert_true(fact(w, &p, "link_share") <= 1);
  free(w);
}

static void test_verdicts(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person();
  struct text t;
  assert_non_null(strstr(verdict(w, &p, &t), "Worth crossing"));
  person_set(w, &p, KNOB_N_SIZE, 128, NULL);
  assert_non_null(strstr(verdict(w, &p, &t), "Stay on the host"));
  assert_non_null(strstr(t.s, "133"));
  p = person();
  person_set(w, &p, KNOB_DEVICE_RATE, 50e9, NULL); /* a device slower than the host */
  assert_non_null(strstr(verdict(w, &p, &t), "at any size"));
  assert_true(isnan(fact(w, &p, "crossover_n")) && isnan(fact(w, &p, "first_winning_n")));
  free(w);
}

static void test_device_rates(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person();
  struct text t;
  person_set(w, &p, KNOB_RATES, 0, "device");
  person_set(w, &p, KNOB_DEVICE, 0, "illustrative");
  NEAR(fact(w, &p, "host_flop_per_s"), 100e9, 0); /* this machine's measured peak */
  NEAR(fact(w, &p, "device_flop_per_s"), 200e12, 0);
  NEAR(fact(w, &p, "link_byte_per_s"), 25e9, 0);
  NEAR(fact(w, &p, "crossover_n"), 132.42, 1e-4);
  assert_string_equal(word(w, &p, "host_from"), "measured here");
  assert_string_equal(word(w, &p, "device_from"), "illustrative");
  person_set(w, &p, KNOB_LINK, 0, "pcie5-x16"); /* a chosen link stands before the sheet's */
  NEAR(fact(w, &p, "link_byte_per_s"), 63e9, 0);

  person_set(w, &p, KNOB_DEVICE, 0, "blank"); /* nothing known: unknown, never 0 */
  assert_true(isnan(fact(w, &p, "device_time")) && isnan(fact(w, &p, "speedup")) && isnan(fact(w, &p, "crossover_n")));
  assert_true(strlen(verdict(w, &p, &t)) > 10);
  person_set(w, &p, KNOB_DEVICE, 0, "here"); /* the host itself: no link, and nothing to win */
  NEAR(fact(w, &p, "copies"), 0, 0);
  assert_true(isnan(fact(w, &p, "first_winning_n")));

  person_set(w, &p, KNOB_DEVICE, 0, "illustrative");
  device_clear(&w->device[0]);
  w->device[0].is_host = true;
  assert_true(isnan(fact(w, &p, "host_time")) && isnan(fact(w, &p, "speedup")) && isfinite(fact(w, &p, "device_time")));
  assert_non_null(strstr(verdict(w, &p, &t), "press R"));
  free(w);
}

static void test_measured(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person(), s;
  struct request r[REQUEST_MAX];
  assert_string_equal(word(w, &p, "state"), "not measured yet: m");
  assert_true(isnan(fact(w, &p, "host_measured_time")) && isnan(fact(w, &p, "measured_crossover_n")));
  person_set(w, &p, KNOB_N_SIZE, 300, NULL);
  s = resolved(w, &p);
  int n = scene_offload.measures(w, &s, r);
  assert_int_equal(n, 7); /* this size first, then 64 … 2048 */
  NEAR(r[0].shape.n, 300, 0);
  for (int i = 0; i < n; i++) {
    assert_int_equal(r[i].op, OP_MATMUL);
    assert_true(r[i].shape.n == r[i].shape.m && r[i].shape.n == r[i].shape.k && r[i].dtype == DTYPE_FP32);
    if (i) NEAR(r[i].shape.n, 32 << i, 0);
    world_measured(w, &r[i], 2 * pow(r[i].shape.n, 3) / 80e9, 5); /* 80 GFLOP/s at every size */
  }
  NEAR(fact(w, &p, "host_measured_time"), 2 * 27e6 / 80e9, 1e-9);
  NEAR(fact(w, &p, "measured_ratio"), 100.0 / 80, 1e-9);
  NEAR(fact(w, &p, "measured_speedup"), fact(w, &p, "host_measured_time") / fact(w, &p, "device_time"), 1e-12);
  person_set(w, &p, KNOB_REUSE, 3, NULL); /* three products take the host three times as long */
  NEAR(fact(w, &p, "host_measured_time"), 3 * 2 * 27e6 / 80e9, 1e-9);
  struct host_point point[HOST_POINT_MAX];
  s = resolved(w, &p);
  assert_int_equal(offload_host_points(w, &s, point, HOST_POINT_MAX), 7);
  NEAR(point[0].s, 3 * 2 * pow(64, 3) / 80e9, 1e-9); /* and so do the points of its curve */
  p.set[KNOB_REUSE] = false;

  /* The measured curve is a straight 80 GFLOP/s, so it must tie near the model's crossover for that rate, a power law off between octaves.
   */
  double tie = fact(w, &p, "measured_crossover_n");
  struct setup exact = p;
  person_set(w, &exact, KNOB_HOST_RATE, 80e9, NULL);
  NEAR(tie, fact(w, &exact, "crossover_n"), 0.02);

  s = resolved(w, &p);
  assert_int_equal(offload_host_points(w, &s, point, HOST_POINT_MAX), 7);
  for (int i = 1; i < 7; i++) assert_true(point[i].n > point[i - 1].n && point[i].s > point[i - 1].s);
  person_set(w, &p, KNOB_DTYPE, 0, "fp64"); /* another type is another measurement */
  s = resolved(w, &p);
  assert_int_equal(offload_host_points(w, &s, point, HOST_POINT_MAX), 0);
  p = person();
  person_set(w, &p, KNOB_N_SIZE, 1e6, NULL); /* twelve terabytes: not asked for */
  s = resolved(w, &p);
  n = scene_offload.measures(w, &s, r);
  for (int i = 0; i < n; i++) assert_true(r[i].shape.n <= 8192);
  free(w);
}

static void test_rows(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person(), s = resolved(w, &p);
  struct fact f[FACT_MAX];
  double before = 0;
  for (int i = 0; i < 9; i++) {
    int n = scene_offload.rows(w, &s, i, f);
    assert_true(n > 0);
    NEAR(fact_value(f, n, "n"), 64 << i, 0);
    assert_true(fact_value(f, n, "speedup") > before);
    before = fact_value(f, n, "speedup");
  }
  NEAR(before, 405.634, 1e-5);
  assert_int_equal(scene_offload.rows(w, &s, 9, f), 0);
  assert_int_equal(scene_offload.rows(w, &s, -1, f), 0);
  free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_start_values), cmocka_unit_test(test_knobs),    cmocka_unit_test(test_verdicts),
                                     cmocka_unit_test(test_device_rates), cmocka_unit_test(test_measured), cmocka_unit_test(test_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
