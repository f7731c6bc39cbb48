/* Knobs, how a scene's setup comes about, and the facts of the roofline scene on the invented machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/roof.h"
#include "tests/support_world.h"

static struct world *w;

static int world_up(void **state) { (void)state; w = world_invented(); return 0; }
static int world_down(void **state) { (void)state; free(w); return 0; }

static void near(double got, double want, double share) {
  if (!(fabs(got - want) <= share * fabs(want))) fail_msg("got %.17g, want %.17g within %g", got, want, share);
}

static double value(const struct setup *person, const char *fact) { return scene_value(w, &scene_roofline, person, fact); }

static const char *word(const struct setup *person, const char *name) {
  static struct fact fact[FACT_MAX];
  struct setup setup;
  setup_for(w, &scene_roofline, person, &setup);
  return fact_word(fact, scene_roofline.facts(w, &setup, fact), name);
}

static void every_knob_has_a_row(void **state) {
  (void)state;
  for (int k = 0; k < KNOB_N; k++) {
    const struct knob *row = &knob_table[k];
    assert_non_null(row->key);
    assert_non_null(row->label);
    assert_non_null(row->unit);
    assert_true(row->help && strlen(row->help) > 10);
    assert_int_equal(knob_find(row->key), k);
    if (row->kind == KNOB_LOG2) assert_true(row->lo > 0 && row->hi > row->lo);
    if (row->kind == KNOB_LINEAR) assert_true(row->step > 0);
    if (row->kind == KNOB_CHOICE) {
      int n = choice_count(w, row->list);
      assert_true(n > 0);
      for (int i = 0; i < n; i++) assert_int_equal(choice_find(w, row->list, choice_key(w, row->list, i)), i);
      assert_int_equal(choice_find(w, row->list, "no such thing"), -1);
    }
    assert_true(isnan(row->start) || knob_clamp(w, k, row->start) == row->start);
  }
  assert_int_equal(knob_find("batches"), -1);
}

static void knobs_stay_in_range(void **state) {
  (void)state;
  static const double wild[] = {NAN, -INFINITY, INFINITY, -1, 0, 0.3, 1, 1e300, 7e9, 3.5};
  for (int k = 0; k < KNOB_N; k++) {
    const struct knob *row = &knob_table[k];
    double hi = row->kind == KNOB_CHOICE ? choice_count(w, row->list) - 1 : row->hi;
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
      double v = knob_clamp(w, k, wild[i]);
      if (isnan(wild[i])) assert_true(isnan(row->start) ? isnan(v) : v == row->lo);
      else assert_true(v >= row->lo && v <= hi && (!row->whole || v == round(v)));
    }
    double v = isnan(row->start) ? row->lo : row->start;
    for (int step = 0; step < 200; step++) {
      v = knob_step(w, k, v, step % 3 == 0 ? -1 : 1, step % 7 == 0);
      assert_true(v >= row->lo && v <= hi);
    }
  }
}

static void log_knobs_step_through_powers_of_two(void **state) {
  (void)state;
  near(knob_step(w, KNOB_BATCH, 1, 1, false), 2, 0);
  near(knob_step(w, KNOB_BATCH, 3, 1, false), 4, 0);
  near(knob_step(w, KNOB_BATCH, 3, -1, false), 2, 0);
  near(knob_step(w, KNOB_BATCH, 4, -1, false), 2, 0);
  near(knob_step(w, KNOB_BATCH, 1, -1, false), 1, 0);
  near(knob_step(w, KNOB_BATCH, 2, 1, true), 32, 0);
  near(knob_step(w, KNOB_N_SIZE, 1000, 1, false), 1024, 0);
}

static void a_scenes_start_gives_way_to_the_person(void **state) {
  (void)state;
  struct setup person, out;
  setup_clear(&person);
  setup_for(w, &scene_roofline, &person, &out);
  assert_int_equal((int)out.v[KNOB_DEVICE], DEVICE_HERE);
  assert_false(out.set[KNOB_DEVICE]);
  near(out.v[KNOB_N_SIZE], 6144, 0);
  near(out.v[KNOB_PEAK], 100e9, 0);
  near(out.v[KNOB_BANDWIDTH], 20e9, 0);
  person_set(w, &person, KNOB_DEVICE, 0, "illustrative");
  person_set(w, &person, KNOB_BATCH, 64, NULL);
  setup_for(w, &scene_roofline, &person, &out);
  assert_string_equal(w->device[(int)out.v[KNOB_DEVICE]].id, "illustrative");
  near(out.v[KNOB_BATCH], 64, 0);
  near(out.v[KNOB_PEAK], 200e12, 0);
  setup_for(w, &scene_decode, &person, &out); /* carried to the next scene */
  near(out.v[KNOB_BATCH], 64, 0);
}

static void roofline_gives_the_chapters_product(void **state) {
  (void)state;
  struct setup person;
  setup_clear(&person);
  person_set(w, &person, KNOB_DEVICE, 0, "illustrative");
  person_set(w, &person, KNOB_OP, 0, "matmul");
  person_set(w, &person, KNOB_N_SIZE, 1024, NULL);
  near(value(&person, "flop"), 2147483648.0, 0);
  near(value(&person, "byte"), 12582912, 0);
  near(value(&person, "arithmetic_intensity"), 170.667, 1e-5);
  near(value(&person, "time_lower"), 10.737e-6, 1e-4);
  near(value(&person, "time_upper"), 17.029e-6, 1e-4);
  near(value(&person, "ridge_point"), 100, 1e-12);
  near(value(&person, "attainable_flop_per_s"), 200e12, 1e-12);
  assert_string_equal(word(&person, "bound"), "compute");
  assert_string_equal(word(&person, "provenance"), "illustrative");
  person_set(w, &person, KNOB_M, 1, NULL); /* one row: a vector times a matrix */
  assert_string_equal(word(&person, "bound"), "memory");
}

static void doubling_the_wrong_roof_changes_nothing(void **state) {
  (void)state;
  struct setup person;
  setup_clear(&person);
  near(value(&person, "attainable_flop_per_s"), 20e9 * value(&person, "arithmetic_intensity"), 1e-12);
  double before = value(&person, "attainable_flop_per_s");
  person_set(w, &person, KNOB_PEAK, 200e9, NULL);
  near(value(&person, "attainable_flop_per_s"), before, 0);
  person_set(w, &person, KNOB_BANDWIDTH, 40e9, NULL);
  near(value(&person, "attainable_flop_per_s"), 2 * before, 1e-12);
  assert_string_equal(word(&person, "provenance"), "what if");
}

static void a_level_that_holds_the_data_serves_it(void **state) {
  (void)state;
  struct setup person;
  setup_clear(&person);
  assert_string_equal(word(&person, "level"), "DRAM");
  person_set(w, &person, KNOB_OP, 0, "dot");
  person_set(w, &person, KNOB_N_SIZE, 1024, NULL); /* two vectors of 4 KiB */
  assert_string_equal(word(&person, "level"), "L1");
  near(value(&person, "byte_per_s"), 400e9, 0);
}

static void measured_point_appears_with_its_gauges(void **state) {
  (void)state;
  struct setup person, setup;
  struct request request[REQUEST_MAX];
  setup_clear(&person);
  setup_for(w, &scene_roofline, &person, &setup);
  assert_int_equal(scene_roofline.measures(w, &setup, request), 1);
  assert_true(isnan(value(&person, "measured_time")));
  assert_string_equal(word(&person, "state"), "not measured yet: m");
  double byte = value(&person, "byte");
  world_measured(w, request, byte / 16e9, 5);
  near(value(&person, "measured_byte_per_s"), 16e9, 1e-9);
  near(value(&person, "of_memory"), 0.8, 1e-9);
  near(value(&person, "measured_ratio"), 0.8, 1e-9);
  near(value(&person, "of_arithmetic"), value(&person, "measured_flop_per_s") / 100e9, 1e-12);
  near(value(&person, "cores_busy"), 1, 0.02);
  near(value(&person, "measured_count"), 5, 0);
  assert_string_equal(word(&person, "state"), "measured");
  person_set(w, &person, KNOB_BATCH, 2, NULL); /* another setting: no point until it has been run */
  assert_true(isnan(value(&person, "measured_time")));
  person_set(w, &person, KNOB_DEVICE, 0, "illustrative"); /* another machine: never this machine's point */
  assert_true(isnan(value(&person, "measured_time")));
  setup_for(w, &scene_roofline, &person, &setup);
  assert_int_equal(scene_roofline.measures(w, &setup, request), 0);
}

static void turning_a_knob_that_means_nothing_asks_for_nothing_new(void **state) {
  (void)state;
  struct setup person, setup;
  struct request one[REQUEST_MAX], two[REQUEST_MAX];
  setup_clear(&person);
  person_set(w, &person, KNOB_OP, 0, "dot");
  setup_for(w, &scene_roofline, &person, &setup);
  scene_roofline.measures(w, &setup, one);
  person_set(w, &person, KNOB_BATCH, 8, NULL);
  person_set(w, &person, KNOB_FMA, 8, NULL);
  setup_for(w, &scene_roofline, &person, &setup);
  scene_roofline.measures(w, &setup, two);
  assert_true(request_equal(one, two));
}

static void crippling_the_arithmetic_lowers_its_roof_only(void **state) {
  (void)state;
  struct setup person;
  setup_clear(&person);
  double memory_bound = value(&person, "attainable_flop_per_s");
  person_set(w, &person, KNOB_BATCH, 1024, NULL);
  double compute_bound = value(&person, "attainable_flop_per_s");
  person_set(w, &person, KNOB_ISA, 0, "scalar");
  near(value(&person, "peak_flop_per_s"), 10e9, 0);
  near(value(&person, "attainable_flop_per_s"), 10e9, 0);
  assert_true(compute_bound > 9 * 10e9);
  person_set(w, &person, KNOB_BATCH, 1, NULL);
  near(value(&person, "attainable_flop_per_s"), memory_bound, 1e-9);
}

static void custom_takes_what_was_typed(void **state) {
  (void)state;
  struct setup person;
  setup_clear(&person);
  person_set(w, &person, KNOB_OP, 0, "custom");
  person_set(w, &person, KNOB_FLOP, 4e9, NULL);
  person_set(w, &person, KNOB_BYTE, 1e9, NULL);
  near(value(&person, "arithmetic_intensity"), 4, 0);
  near(value(&person, "attainable_flop_per_s"), 80e9, 1e-12);
  assert_true(isnan(value(&person, "measured_time")));
  person_set(w, &person, KNOB_TIME, 0.1, NULL);
  near(value(&person, "measured_ratio"), 0.5, 1e-12);
}

static void unknown_device_gives_unknown_not_zero(void **state) {
  (void)state;
  struct setup person;
  setup_clear(&person);
  person_set(w, &person, KNOB_DEVICE, 0, "blank");
  assert_true(isnan(value(&person, "attainable_flop_per_s")) && isnan(value(&person, "time_lower")) && isnan(value(&person, "ridge_point")));
  assert_string_equal(word(&person, "bound"), "unknown");
  assert_false(isnan(value(&person, "arithmetic_intensity")));
}

static void verdict_of(const struct setup *person, struct text *t) {
  struct fact fact[FACT_MAX];
  struct setup setup;
  setup_for(w, &scene_roofline, person, &setup);
  text_clear(t);
  scene_roofline.verdict(fact, scene_roofline.facts(w, &setup, fact), t);
}

static void verdict_says_what_limits(void **state) {
  (void)state;
  struct setup person;
  struct text t;
  setup_clear(&person);
  verdict_of(&person, &t);
  assert_non_null(strstr(t.s, "Waiting for memory"));
  assert_non_null(strstr(t.s, "used once"));
  person_set(w, &person, KNOB_BATCH, 4096, NULL);
  verdict_of(&person, &t);
  assert_non_null(strstr(t.s, "Calculating"));
  person_set(w, &person, KNOB_BATCH, 10, NULL); /* intensity 5 = 100 / 20 */
  verdict_of(&person, &t);
  assert_non_null(strstr(t.s, "At the ridge"));
  person_set(w, &person, KNOB_DEVICE, 0, "blank");
  verdict_of(&person, &t);
  assert_non_null(strstr(t.s, "no roof"));
}

#define SCENE_TEST(f) cmocka_unit_test_setup_teardown(f, world_up, world_down)
int main(void) {
  const struct CMUnitTest test[] = {
      SCENE_TEST(every_knob_has_a_row), SCENE_TEST(knobs_stay_in_range), SCENE_TEST(log_knobs_step_through_powers_of_two),
      SCENE_TEST(a_scenes_start_gives_way_to_the_person), SCENE_TEST(roofline_gives_the_chapters_product),
      SCENE_TEST(doubling_the_wrong_roof_changes_nothing), SCENE_TEST(a_level_that_holds_the_data_serves_it),
      SCENE_TEST(measured_point_appears_with_its_gauges), SCENE_TEST(turning_a_knob_that_means_nothing_asks_for_nothing_new),
      SCENE_TEST(crippling_the_arithmetic_lowers_its_roof_only), SCENE_TEST(custom_takes_what_was_typed),
      SCENE_TEST(unknown_device_gives_unknown_not_zero), SCENE_TEST(verdict_says_what_limits),
  };
  return cmocka_run_group_tests(test, NULL, NULL);
}
