/* The lab on the invented machine: what it asks to be run, what it makes of the samples, and its words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/worker.h"
#include "scenes/lab.h"
#include "tests/support_world.h"
#include "tests/support_near.h"


static struct world *w;
static struct setup person, set;

static int setup_world(void **state) {
  (void)state;
  w = world_invented();
  setup_clear(&person);
  return 0;
}
static int drop_world(void **state) {
  (void)state;
  free(w);
  return 0;
}

static void look(const char *view) {
  person_set(w, &person, KNOB_VIEW, 0, view);
  setup_for(w, &scene_lab, &person, &set);
}
static double fact(const char *name) { return scene_value(w, &scene_lab, &person, name); }
static const char *word(const char *name) {
  struct fact f[FACT_MAX];
  return fact_word(f, scene_lab.facts(w, &set, f), name);
}
static const char *verdict(void) {
  static struct text t;
  struct fact f[FACT_MAX];
  int n = scene_lab.facts(w, &set, f);
  text_clear(&t);
  scene_lab.verdict(f, n, &t);
  return t.s;
}
static int asked(struct request r[REQUEST_MAX]) { return scene_lab.measures(w, &set, r); }

/* Times of the warm ones after a first one. */
static struct run *ran(const struct request *r, double first, const double *time, int n) {
  struct run *run = run_open(w, r, w->machine);
  struct work work = work_of(r->op, r->shape, r->dtype);
  struct sample s = {.time = first,
                     .flop = work.flop,
                     .byte = work.byte,
                     .byte_bus = work.byte_bus,
                     .threads = r->threads ? r->threads : 2,
                     .isa = ISA_AVX2,
                     .faults = 100,
                     .clock_hz = NAN,
                     .at = NAN,
                     .cpu_time = NAN,
                     .residual = NAN};
  run_start(run, r, w->machine);
  run_add(run, &s);
  s.warm = true;
  s.faults = 0;
  double at = 0;
  for (int i = 0; i < n; i++) {
    s.time = time[i];
    s.at = at += 1;
    s.clock_hz = 3e9 * time[0] / time[i];
    run_add(run, &s);
  }
  return run;
}

static void unmeasured_is_unknown_in_every_view(void **state) {
  (void)state;
  for (int i = 0; i < scene_lab.nviews && scene_lab.views[i] <= VIEW_SMALL; i++) { /* the other views time nothing */
    struct fact f[FACT_MAX], row[FACT_MAX];
    look(view_name((enum view_id)scene_lab.views[i]));
    assert_int_equal((int)set.v[KNOB_VIEW], scene_lab.views[i]);
    int n = scene_lab.facts(w, &set, f), shown = 0;
    for (int k = 0; k < n; k++) {
      if (f[k].measured && !f[k].word && !isnan(f[k].value)) fail_msg("%s is known without a measurement", f[k].name);
      shown += f[k].label != NULL;
    }
    assert_true(shown >= 6);
    assert_string_equal(word("state"), "not measured yet: m");
    assert_non_null(strstr(verdict(), "m"));
    if (i < 2) assert_int_equal(scene_lab.rows(w, &set, 0, row), 0);
  }
}

static void requests_say_how_long(void **state) {
  (void)state;
  struct request r[REQUEST_MAX];
  struct worker_command c;
  look("first");
  assert_int_equal(asked(r), 1);
  assert_true(r[0].op == OP_MATMUL && r[0].shape.n == 1024 && r[0].sustain == 2 && r[0].threads == 0);
  struct request first = r[0];
  look("spread"); /* the same run, seen from another side */
  assert_int_equal(asked(r), 1);
  assert_true(request_equal(&first, &r[0]));
  look("sustained"); /* resting on it runs two seconds; m runs the minute as well */
  assert_int_equal(asked(r), 2);
  assert_true(request_equal(&first, &r[0]) && r[1].sustain == 60 && !request_equal(&r[0], &r[1]));
  worker_bench(&c, &r[1], 10); /* and a shell can run the same */
  bool said = false;
  for (int i = 0; i < c.n; i++) said |= strcmp(c.text[i], "sustain=60") == 0;
  assert_true(said);
  person_set(w, &person, KNOB_SECONDS, 2, NULL);
  look("sustained");
  assert_int_equal(asked(r), 1);
  person_set(w, &person, KNOB_OP, 0, "custom");
  look("first");
  assert_int_equal(asked(r), 0);
  assert_string_equal(word("state"), "no kernel for this");
}

static void small_asks_for_one_core_and_all(void **state) {
  (void)state;
  struct request r[REQUEST_MAX];
  look("small");
  int n = asked(r);
  assert_int_equal(n, 1 + 2 * LAB_SIZES);
  assert_int_equal(r[0].op, OP_DISPATCH);
  for (int i = 1; i < n; i += 2) {
    assert_true(r[i].op == OP_SAXPY && r[i + 1].op == OP_SAXPY && r[i].shape.n == r[i + 1].shape.n);
    assert_true(r[i].threads == 1 && r[i + 1].threads == 0);
    if (i > 1) assert_true(r[i].shape.n > r[i - 2].shape.n);
  }
  person_set(w, &person, KNOB_OP, 0, "matmul"); /* the product must not choose its own team */
  look("small");
  asked(r);
  assert_true(r[1].rung == RUNG_VECTORISED && r[2].rung == RUNG_ALL_CORES);
  person_set(w, &person, KNOB_OP, 0, "dial");
  look("small");
  assert_int_equal(asked(r), 0);
  assert_non_null(strstr(verdict(), "saxpy"));
  for (int op = 0; op < OP_SCENE_N; op++) {
    person_set(w, &person, KNOB_OP, op, NULL);
    for (int i = 0; i < scene_lab.nviews; i++) {
      look(view_name((enum view_id)scene_lab.views[i]));
      assert_true(asked(r) <= REQUEST_MAX);
    }
  }
}

static void the_first_run_is_kept_apart(void **state) {
  (void)state;
  double time[16];
  for (int i = 0; i < 16; i++) time[i] = i == 0 ? 14e-3 : i == 1 ? 11e-3 : 10e-3;
  look("first");
  struct request r = lab_request(&set, 2);
  ran(&r, 30e-3, time, 16);
  NEAR(fact("warmup_time"), 30e-3, 1e-12);
  NEAR(fact("warm_time"), 10e-3, 1e-12);
  NEAR(fact("warmup_ratio"), 3, 1e-12);
  NEAR(fact("naive_mean"), (30 + 14 + 11 + 7 * 10) * 1e-3 / 10, 1e-12);
  NEAR(fact("naive_error"), 0.25, 1e-9);
  NEAR(fact("settled_after"), 3, 0);
  NEAR(fact("warmup_faults"), 100, 0);
  NEAR(fact("warm_faults"), 0, 0);
  assert_non_null(strstr(verdict(), "100 pages"));
  assert_non_null(strstr(verdict(), "25.0 %"));
  struct fact f[FACT_MAX];
  int rows = 0, n = 0;
  while ((n = scene_lab.rows(w, &set, rows, f)) > 0) {
    NEAR(fact_value(f, n, "time"), rows == 0 ? 30e-3 : time[rows - 1], 1e-12);
    assert_string_equal(fact_word(f, n, "mark"), rows == 0 ? "first" : "");
    rows++;
  }
  assert_int_equal(rows, 17);
  struct run *run = run_open(w, &r, w->machine); /* one that was interrupted says nothing about warming up */
  run->first[9] = 50e-3, run->first_flags[9] = FLAG_DISTURBED;
  NEAR(fact("settled_after"), 3, 0);
  run->first_flags[9] = 0;
  NEAR(fact("settled_after"), 11, 0);
  ran(&r, 10e-3, time, 0); /* only the first is in */
  assert_string_equal(word("state"), "first run");
  assert_true(isnan(fact("warm_time")) && isnan(fact("naive_mean")));
  NEAR(fact("warmup_time"), 10e-3, 1e-12);
}

static void the_spread_says_which_statistic(void **state) {
  (void)state;
  double time[60];
  look("spread");
  struct request r = lab_request(&set, 2);
  for (int i = 0; i < 60; i++) time[i] = 10e-3 * (1 + 0.0005 * i);
  struct run *run = ran(&r, 20e-3, time, 60);
  for (int i = 0; i < 6; i++) run->reservoir_flags[i * 7] = FLAG_DISTURBED;
  NEAR(fact("best_time"), 10e-3, 1e-12);
  NEAR(fact("median_time"), 10.1475e-3, 1e-9);
  NEAR(fact("mean_time"), 10.1475e-3, 1e-9);
  NEAR(fact("disturbed_share"), 0.1, 1e-12);
  NEAR(fact("kept"), 60, 0);
  NEAR(fact("groups"), 1, 0);
  time[0] = 20e-3; /* the mean moves, the median hardly */
  ran(&r, 20e-3, time, 60);
  NEAR(fact("median_time"), 10.1525e-3, 1e-9);
  NEAR(fact("mean_time"), 10.1475e-3 + 10e-3 / 60, 1e-9);
  NEAR(fact("median_flop_per_s"), 2.0 * 1024 * 1024 * 1024 / 10.1525e-3, 1e-9);
  time[0] = 10e-3;
  run = ran(&r, 20e-3, time, 60);
  for (int i = 0; i < 6; i++) run->reservoir_flags[i * 7] = FLAG_DISTURBED;
  NEAR(fact("best_flop_per_s"), 2.0 * 1024 * 1024 * 1024 / 10e-3, 1e-12);
  struct fact f[FACT_MAX];
  double samples = 0, disturbed = 0;
  for (int i = 0, n; (n = scene_lab.rows(w, &set, i, f)) > 0; i++)
    samples += fact_value(f, n, "samples"), disturbed += fact_value(f, n, "disturbed");
  NEAR(samples, 60, 0);
  NEAR(disturbed, 6, 0);
  for (int i = 0; i < 60; i++) time[i] = (i % 3 ? 10e-3 : 14e-3) * (1 + 0.0001 * i);
  ran(&r, 20e-3, time, 60);
  NEAR(fact("groups"), 2, 0);
  assert_true(fact("group_low") < 10.1e-3 && fact("group_high") > 14e-3);
  assert_non_null(strstr(verdict(), "Two speeds"));
}

static void not_waiting_is_found_by_the_roof(void **state) {
  (void)state;
  look("async");
  assert_true(set.v[KNOB_FMA] == 128);
  double submit[] = {2e-6, 2e-6, 2e-6}, done[] = {4e-3, 4e-3, 4e-3};
  struct request no = lab_async(&set, false, 128), yes = lab_async(&set, true, 128);
  assert_true(no.op == OP_ASYNC && yes.op == OP_ASYNC_WAIT && no.shape.n == yes.shape.n);
  ran(&no, 2e-6, submit, 3);
  assert_true(isnan(fact("async_ratio")) && isfinite(fact("claimed_flop_per_s"))); /* one of two */
  ran(&yes, 4e-3, done, 3);
  double flop = 2 * 128 * 1048576.0;
  NEAR(fact("handed_flop"), flop, 0);
  NEAR(fact("async_ratio"), 2000, 1e-9);
  NEAR(fact("claimed_flop_per_s"), flop / 2e-6, 1e-9);
  NEAR(fact("true_flop_per_s"), flop / 4e-3, 1e-9);
  NEAR(fact("over_roof"), flop / 2e-6 / 100e9, 1e-9);
  assert_non_null(strstr(verdict(), "impossible, above the roof"));
  assert_non_null(strstr(verdict(), "A pool of threads stands in for a device"));
  submit[0] = submit[1] = submit[2] = 3.5e-3; /* a lie too small to see */
  ran(&no, 3.5e-3, submit, 3);
  assert_true(fact("over_roof") < 1);
  assert_non_null(strstr(verdict(), "nothing looks wrong"));
}

static void a_long_run_names_its_drop(void **state) {
  (void)state;
  double time[64], flop = 2.0 * 1024 * 1024 * 1024;
  look("sustained");
  assert_string_equal(word("drop_kind"), "unknown");
  struct request brief = lab_request(&set, lab_short(&set)), longer = lab_request(&set, 60);
  for (int i = 0; i < 64; i++) time[i] = i < 32 ? 20e-3 : 25e-3;
  ran(&brief, 20e-3, time, 10);
  assert_non_null(strstr(verdict(), "Will it last?"));
  ran(&longer, 20e-3, time, 64);
  NEAR(fact("burst_flop_per_s"), flop / 20e-3, 1e-9);
  NEAR(fact("start_flop_per_s"), flop / 20e-3, 1e-9);
  NEAR(fact("end_flop_per_s"), flop / 25e-3, 1e-9);
  NEAR(fact("drop_share"), 0.2, 1e-9);
  NEAR(fact("drop_at"), 32, 0.05);
  NEAR(fact("flattery"), 0.25, 1e-9);
  NEAR(fact("clock_drop"), 0.2, 1e-9);
  NEAR(fact("run_time"), 64, 1e-9);
  assert_string_equal(word("drop_kind"), "step");
  assert_non_null(strstr(verdict(), "The clock fell 20.0 %"));
  struct fact f[FACT_MAX];
  double before = 0;
  int rows = 0;
  for (int n; (n = scene_lab.rows(w, &set, rows, f)) > 0; rows++) {
    assert_true(fact_value(f, n, "at") > before);
    before = fact_value(f, n, "at");
  }
  assert_int_equal(rows, 32);
  for (int i = 0; i < 64; i++) time[i] = 20e-3;
  ran(&longer, 20e-3, time, 64);
  assert_string_equal(word("drop_kind"), "none");
  assert_non_null(strstr(verdict(), "No drop in 64.0 s"));
  look("first"); /* the long run is not this view's */
  NEAR(fact("kept"), 10, 0);
}

/* While half of it has run, the words say which half, and what m does next. */
static void half_a_measurement_says_which_half(void **state) {
  (void)state;
  struct request r[REQUEST_MAX];
  const double time[] = {5e-6, 5e-6, 5e-6};
  look("async");
  assert_non_null(strstr(verdict(), "m runs it twice"));
  asked(r);
  for (int half = 0; half < 2; half++) {
    look("async");
    int at = w->nrun;
    ran(&r[half], 5e-6, time, 3);
    assert_non_null(strstr(verdict(), half ? "Only the work waited for is timed: 5.00" : "Only the hand-over is timed: 5.00"));
    assert_non_null(strstr(verdict(), "m runs"));
    w->nrun = at;
  }
  for (int half = 0; half < 2; half++) ran(&r[half], 5e-6, time, 3);
  assert_null(strstr(verdict(), "Only"));
  look("small");
  assert_non_null(strstr(verdict(), "m looks for the crossover"));
  asked(r);
  ran(&r[0], 5e-6, time, 3); /* the start of the team alone */
  assert_non_null(strstr(verdict(), "m goes on to the sizes"));
}

static void small_work_stays_on_one_core(void **state) {
  (void)state;
  look("small");
  struct request r[REQUEST_MAX];
  int n = asked(r);
  double d = 1e-6, each = 1e-10; /* the tie: n·each = d + n·each / 2 */
  for (int i = 0; i < n; i++) {
    double one = each * r[i].shape.n, time[3];
    for (int k = 0; k < 3; k++) time[k] = i == 0 ? d : r[i].threads == 1 ? one : d + one / 2;
    ran(&r[i], time[0], time, 3);
  }
  NEAR(fact("dispatch_time"), 1e-6, 1e-12);
  NEAR(fact("team_size"), 2, 0);
  NEAR(fact("worth_time"), 2e-6, 1e-12);
  NEAR(fact("predicted_n"), 20000, 1e-9);
  assert_true(fact("measured_n") > 16384 && fact("measured_n") < 65536);
  NEAR(fact("gain_smallest"), 64 * each / (d + 32 * each), 1e-9);
  NEAR(fact("gain_largest"), 262144 * each / (d + 131072 * each), 1e-9);
  assert_non_null(strstr(verdict(), "predicted: 20000"));
  struct fact f[FACT_MAX];
  int rows = 0;
  for (int k; (k = scene_lab.rows(w, &set, rows, f)) > 0; rows++)
    NEAR(fact_value(f, k, "gain"), fact_value(f, k, "one_time") / fact_value(f, k, "all_time"), 1e-12);
  assert_int_equal(rows, LAB_SIZES);
  for (int i = 1; i < n; i++) { /* a team that never wins */
    double time[3] = {r[i].threads == 1 ? 1e-6 : 2e-6, r[i].threads == 1 ? 1e-6 : 2e-6, r[i].threads == 1 ? 1e-6 : 2e-6};
    ran(&r[i], time[0], time, 3);
  }
  assert_true(isnan(fact("measured_n")));
  assert_non_null(strstr(verdict(), "One core wins at every size"));
}

/* A product that did a slab of its rows is told as the whole would take. */
static void a_part_counts_for_the_whole(void **state) {
  (void)state;
  person_set(w, &person, KNOB_OP, 0, "matmul");
  look("small");
  struct request r = lab_small(&set, 512, true);
  double time[] = {1e-3, 1e-3};
  struct run *run = ran(&r, 1e-3, time, 2);
  run->flop /= 4;
  NEAR(lab_time(w, &r), 4e-3, 1e-12);
}

int main(void) {
#define LAB(f) cmocka_unit_test_setup_teardown(f, setup_world, drop_world)
  const struct CMUnitTest tests[] = {
      LAB(unmeasured_is_unknown_in_every_view), LAB(requests_say_how_long),           LAB(small_asks_for_one_core_and_all),
      LAB(the_first_run_is_kept_apart),         LAB(the_spread_says_which_statistic), LAB(not_waiting_is_found_by_the_roof),
      LAB(a_long_run_names_its_drop),           LAB(half_a_measurement_says_which_half), LAB(small_work_stays_on_one_core),    LAB(a_part_counts_for_the_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
