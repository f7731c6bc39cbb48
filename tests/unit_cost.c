/* The lab's views of a benchmark: the chapter's numbers, where the record comes from, its words, and what this machine can write down. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "model/queue.h"
#include "scenes/lab_record.h"
#include "tests/support_near.h"
#include "tests/support_scene.h"
#include "tests/support_world.h"

static struct world *w;

static int up(void **state) {
  (void)state;
  w = world_invented();
  return 0;
}
static int down(void **state) {
  (void)state;
  free(w);
  return 0;
}

static struct setup setup_of(const char *words) { return scene_setup(w, &scene_lab, words); }
static const struct shown *shown; /* what was looked at last */
static void look(const char *words) { shown = scene_show_words(w, &scene_lab, words); }
static double value(const char *name) { return shown_value(shown, name); }
static const char *verdict(void) { return shown->verdict.s; }
static void says(const char *words, const char *part) {
  look(words);
  shown_says(shown, part);
}

static void the_chapters_numbers(void **state) {
  (void)state;
  assert_true(scene_numbers(w, &scene_lab, "tests/chapter_lab.json") >= 55);
}

/* What a person sets stands above the file, the file above the chapter; what nobody tells is unknown. */
static void a_record_is_filled_from_above(void **state) {
  (void)state;
  look("view=record record=tests/samples/short_record.json");
  NEAR(value("recorded_token_rate"), 200, 0);
  assert_true(isnan(value("energy_per_token")) && isnan(value("roof_token_rate"))); /* no power, no batch */
  assert_string_equal(shown_word(shown, "record_origin"), "a file");
  assert_string_equal(shown_word(shown, "size_origin"), "the catalogue's"); /* its model is one of ours */
  look("view=record record=tests/samples/short_record.json power=100 batch=2 dtype=bf16");
  NEAR(value("energy_per_token"), 0.5, 1e-12);
  assert_true(value("roof_token_rate") > 0);
  assert_string_equal(shown_word(shown, "record_origin"), "a file, changed");
  look("view=record");
  assert_string_equal(shown_word(shown, "size_origin"), "read off the name");
  look("view=record model=small");
  assert_string_equal(shown_word(shown, "record_origin"), "the chapter's, changed");
  struct setup s = setup_of("view=record record=tests/samples/short_record.json");
  struct lab_record r;
  lab_record_of(w, &s, &r);
  assert_string_equal(r.device->id, "illustrative"); /* its hardware is a device of ours */
  assert_string_equal(r.record.precision, "q4_k_m");
  assert_true(isnan(r.step.weight_byte)); /* bits we do not know */
  s = setup_of("view=record record=tests/samples/short_record.json dtype=int8");
  lab_record_of(w, &s, &r);
  assert_string_equal(r.record.precision, "int8");
  assert_true(r.step.weight_byte == 1);
}

/* This machine's own record: the decode scene's measurement, as tokens. */
static void this_machine_writes_what_it_measured(void **state) {
  (void)state;
  struct request asked[REQUEST_MAX];
  struct setup s = setup_of("view=record device=here batch=4 dtype=fp32");
  struct lab_record r;
  assert_int_equal(scene_lab.measures(w, &s, asked), 1);
  look("view=record device=here batch=4 dtype=fp32");
  assert_string_equal(shown_word(shown, "record_origin"), "not measured yet: m");
  assert_non_null(strstr(verdict(), "m measures a decode step"));
  assert_true(isnan(value("recorded_token_rate")));
  world_measured(w, &asked[0], 0.01, 30);
  lab_record_of(w, &s, &r);
  double layer = asked[0].shape.n * asked[0].shape.n * 4, model = r.step.params * 4;
  assert_true(r.measured);
  NEAR(r.record.token_per_s, 4 / (0.01 * model / layer), 0.05);
  NEAR(r.record.token_p50_s, 0.01 * model / layer, 0.05);
  assert_true(r.record.token_p95_s >= r.record.token_p50_s);
  assert_true(isnan(r.record.first_p50_s) && isnan(r.record.power_w) && isnan(r.record.usd_per_h) && isnan(r.record.used_byte));
  look("view=record device=here batch=4 dtype=fp32 power=50");
  assert_string_equal(shown_word(shown, "record_origin"), "measured, added to");
  NEAR(value("energy_per_token"), 50 / r.record.token_per_s, 1e-9);
  assert_true(fact_find(shown->fact, shown->n, "recorded_token_rate")->measured);
  s = setup_of("view=record batch=4");
  assert_int_equal(scene_lab.measures(w, &s, asked), 0); /* nothing of the chapter's record can be measured */
  s = setup_of("view=record device=here batch=4096");
  assert_int_equal(scene_lab.measures(w, &s, asked), 0);
}

static void words_follow_the_numbers(void **state) {
  (void)state;
  says("view=record", "7 of the 10 things");
  says("view=record", "one token in twenty takes 3.56");
  says("view=record", "31.9 GB are neither weights nor cache");
  says("view=record throughput=5000", "cannot all be true");
  says("view=record throughput=5000", "more tokens than the device can read weights for");
  says("view=record token_p95=12ms peak_used=30e9", "Odd: above the roof");
  says("view=cost", "cheaper up to 61.7 %");
  says("view=cost api_price=0.3", "always cheaper");
  says("view=cost record=tests/samples/short_record.json", "set throughput and hourly_cost");
  says("view=arrival", "never let grow");
  says("view=arrival requests=20", "grows without end");
  says("view=arrival clients=64", "a queue of their own");
}

static void each_view_has_a_panel_of_its_own(void **state) {
  (void)state;
  static const char *const view[] = {"record", "cost", "arrival"}, *const own[] = {"fields_given", "break_even", "offered_load"};
  for (int i = 0; i < 3; i++) {
    char words[40] = "view=";
    int listed = 0;
    look(strcat(words, view[i]));
    for (int k = 0; k < shown->n; k++) {
      listed += shown->fact[k].label && shown->fact[k].detail == 1;
      if (shown->fact[k].label) assert_true(strlen(shown->fact[k].label) <= 15);
    }
    assert_true(listed >= 8 && listed <= 20);
    for (int k = 0; k < 3; k++) assert_int_equal(fact_find(shown->fact, shown->n, own[k])->label != NULL, i == k);
    assert_null(fact_find(shown->fact, shown->n, "warmup_time")->label);
    struct setup s = setup_of(words);
    struct fact row[FACT_MAX];
    int rows = 0, cells = scene_lab.rows(w, &s, 0, row);
    while (scene_lab.rows(w, &s, rows, row) == cells && rows < 100) rows++;
    assert_int_equal(rows, i == 0 ? FIELD_N + CHECK_N : i == 1 ? 20 : 24);
  }
  look("view=first");
  for (int k = 0; k < 3; k++) assert_null(fact_find(shown->fact, shown->n, own[k])->label);
}

/* The histogram holds every request once. */
static void a_histogram_is_whole(void **state) {
  (void)state;
  static const char *const words[] = {"view=arrival", "view=arrival requests=15", "view=arrival variety=100% clients=8 servers=3"};
  for (int i = 0; i < 3; i++) {
    struct setup s = setup_of(words[i]);
    struct fact row[FACT_MAX];
    double sum[2] = {0, 0};
    for (int r = 0, cells; (cells = scene_lab.rows(w, &s, r, row)) > 0; r++)
      sum[0] += fact_value(row, cells, "open"), sum[1] += fact_value(row, cells, "closed");
    NEAR(sum[0], 1, 1e-9);
    NEAR(sum[1], 1, 1e-9);
    look(words[i]);
    static const char *const open[] = {"open_within_1", "open_within_2", "open_within_4", "open_within_8", "open_beyond_8"};
    static const char *const closed[] = {"closed_within_1", "closed_within_2", "closed_within_4", "closed_within_8", "closed_beyond_8"};
    sum[0] = sum[1] = 0;
    for (int k = 0; k < 5; k++) sum[0] += value(open[k]), sum[1] += value(closed[k]);
    NEAR(sum[0], 1, 1e-9);
    NEAR(sum[1], 1, 1e-9);
    if (i == 2) continue;
    NEAR(value("closed_within_1"), 1, 1e-9);
    /* So many find nobody before them, or one who is all but done. */
    NEAR(value("open_within_1"), queue_wait_below(value("offered_load"), 0.02), i ? 0.5 : 0.08);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_chapters_numbers, up, down),
      cmocka_unit_test_setup_teardown(a_record_is_filled_from_above, up, down),
      cmocka_unit_test_setup_teardown(this_machine_writes_what_it_measured, up, down),
      cmocka_unit_test_setup_teardown(words_follow_the_numbers, up, down),
      cmocka_unit_test_setup_teardown(each_view_has_a_panel_of_its_own, up, down),
      cmocka_unit_test_setup_teardown(a_histogram_is_whole, up, down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
