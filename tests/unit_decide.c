/* The cases scene on the shipped catalogue: the chapter's numbers, the rules a decision is made by, and the assistant's parts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "model/fallback.h"
#include "scenes/cases.h"
#include "tests/support_near.h"
#include "tests/support_scene.h"
#include "tests/support_world.h"

static struct world *w;

static int up(void **state) {
  (void)state;
  w = world_catalogue();
  return 0;
}
static int down(void **state) {
  (void)state;
  free(w);
  return 0;
}

static const struct shown *shown; /* what setup_of came to */
static struct setup setup_of(const char *words) {
  shown = scene_show_words(w, &scene_cases, words);
  return shown->setup;
}
static double value(const char *name) { return shown_value(shown, name); }
static const char *word(const char *name) { return shown_word(shown, name); }

static void the_chapters_numbers(void **state) {
  (void)state;
  assert_true(scene_numbers(w, &scene_cases, "tests/chapter_cases.json") >= 85);
}

/* What is looked at is a fact, in the unit of its limit; the steps come in order; the last row is what it costs. */
static void checks_name_facts(void **state) {
  (void)state;
  setup_of("");
  for (int c = 0; c < CASE_N; c++) {
    const struct cases_row *row = cases_row((enum cases_case)c);
    assert_true(row->checks <= CHECKS_MAX && row->check[row->checks - 1].step == STEP_COST);
    bool seen[STEP_N] = {false};
    for (int k = 0; k < row->checks; k++) {
      const struct cases_check *check = &row->check[k];
      assert_true(k == 0 || check->step >= check[-1].step);
      seen[check->step] = true;
      for (int i = 0; i < CANDIDATES; i++) {
        if (!check->has[i]) continue;
        assert_non_null(row->candidate[i]);
        assert_non_null(row->decision[i]);
        const struct fact *has = fact_find(shown->fact, shown->n, check->has[i]);
        if (!has) fail_msg("%s: no fact %s", row->title, check->has[i]);
        const struct fact *limit = check->limit[i] ? fact_find(shown->fact, shown->n, check->limit[i]) : NULL;
        if (check->limit[i] && !limit) fail_msg("%s: no fact %s", row->title, check->limit[i]);
        if (limit) assert_string_equal(limit->unit, has->unit);
      }
    }
    for (int s = 0; s < STEP_N; s++) assert_true(seen[s]);
  }
}

static uint32_t seed = 5;
static double roll(void) { return seed = seed * 1664525u + 1013904223u, (seed >> 8) / 16777216.0; }

/* Anywhere at all: what is chosen passes everything and costs least, what fell fails there and passes before. */
static void decisions_follow_their_rules(void **state) {
  (void)state;
  int chosen = 0, none = 0, seen[CASE_N][CANDIDATES] = {{0}};
  for (int round = 0; round < 1500; round++) {
    struct setup person = {0};
    setup_clear(&person);
    for (int i = 0; i < scene_cases.nknobs; i++) {
      int k = scene_cases.knobs[i];
      const struct knob *row = &knob_table[k];
      if (row->kind == KNOB_TEXT || roll() < 0.7) continue;
      double near_start = isfinite(row->start) && row->start > 0 ? row->start * exp2(8 * roll() - 4) : row->lo;
      person.v[k] = knob_clamp(w, k,
                               row->kind == KNOB_CHOICE   ? floor(roll() * choice_count(w, row->list))
                               : row->kind == KNOB_SWITCH ? roll() > 0.5
                                                          : near_start);
      person.set[k] = true;
    }
    shown = scene_show(w, &scene_cases, &person);
    for (int c = 0; c < CASE_N; c++) {
      struct cases_decision d;
      const struct cases_row *row = cases_row((enum cases_case)c);
      cases_decide(shown->fact, shown->n, (enum cases_case)c, &d);
      for (int i = 0; i < CANDIDATES; i++) {
        if (!row->candidate[i]) continue;
        for (int k = 0; k < row->checks; k++)
          if (d.passes[i])
            assert_true(d.state[k][i] != CASES_FAILS && (d.state[k][i] != CASES_UNKNOWN || row->check[k].step == STEP_COST));
          else if (d.fell[i] >= 0 && k < d.fell[i])
            assert_true(d.state[k][i] != CASES_FAILS);
        if (d.fell[i] >= 0) assert_true(d.state[d.fell[i]][i] == CASES_FAILS && !d.passes[i]);
        if (d.passes[i] && !row->together && d.chosen >= 0) assert_true(d.cost[d.chosen] <= d.cost[i]);
      }
      chosen += d.chosen >= 0, none += d.chosen < 0;
      if (d.chosen >= 0)
        seen[c][d.chosen]++, assert_true(d.passes[d.chosen] && d.passing >= 1);
      else
        assert_true(d.passing == 0);
      assert_true(strlen(cases_says((enum cases_case)c, &d)) > 3 && strlen(cases_decided_by((enum cases_case)c, &d)) > 2);
    }
  }
  assert_true(chosen > 1000 && none > 100);
  for (int c = 0; c < CASE_N; c++)
    for (int i = 0; i < CANDIDATES; i++)
      if (cases_row((enum cases_case)c)->candidate[i] && seen[c][i] == 0)
        fail_msg("nothing makes %s choose %s", cases_row((enum cases_case)c)->title, cases_row((enum cases_case)c)->candidate[i]);
}

/* More asked for never gets easier. */
static void laws_hold(void **state) {
  (void)state;
  static const struct {
    const char *words[3];
    const char *fact;
  } row[] = {
      {{"embed_rate=5", "embed_rate=10", "embed_rate=14 embed_servers=1"}, "embed_p95"},
      {{"embed_tokens=8", "embed_tokens=16", "embed_tokens=20"}, "embed_p95"},
      {{"ticket_budget=1 ticket_rate=200", "ticket_budget=0.05 ticket_rate=200", "ticket_budget=0.02 ticket_rate=200"}, "ticket_needed"},
      {{"devices=4 view=finetune", "devices=2 view=finetune", "devices=1 view=finetune"}, "tune_each_byte"},
      {{"recipe=10", "recipe=16", "recipe=18"}, "tune_state_byte"},
      {{"fallbacks=0", "fallbacks=3", "fallbacks=20"}, "edge_npu_time"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double before = 0;
    for (int k = 0; k < 3; k++) {
      setup_of(row[i].words[k]);
      double v = value(row[i].fact);
      if (!(v > before)) fail_msg("%s: %s is %g after %g", row[i].words[k], row[i].fact, v, before);
      before = v;
    }
  }
  setup_of("embed_servers=1 embed_rate=16"); /* more than it can take */
  assert_string_equal(word("embed_p95"), "no end");
  assert_true(isnan(value("embed_p95")) && isnan(value("bulk_spare_time")) && value("embed_busy") > 1);
  assert_true(value("embed_needed") > 1);
}

static void rates_may_be_devices(void **state) {
  (void)state;
  struct setup s = setup_of("rates=device device=t4");
  assert_true(s.v[KNOB_HOST_RATE] == w->device[DEVICE_HERE].machine.isa_peak[ISA_AVX2][1] || s.v[KNOB_HOST_RATE] > 0);
  NEAR(value("embed_flop") / value("embed_device_compute"), s.v[KNOB_DEVICE_RATE], 1e-12);
  struct request product;
  assert_int_equal(scene_cases.measures(w, &s, &product), 1);
  world_measured(w, &product, 0.02, 0);
  s = setup_of("rates=device device=t4"); /* from then on what was measured */
  NEAR(s.v[KNOB_HOST_RATE], 2 * 1024.0 * 1024 * 1024 / 0.02, 1e-9);
  NEAR(value("embed_host_time"), value("embed_flop") / s.v[KNOB_HOST_RATE], 1e-12);
  w->nrun = 0;
  s = setup_of("");
  assert_int_equal(scene_cases.measures(w, &s, &product), 0); /* the chapter's round rates need none */
  s = setup_of("view=finetune link=pcie5-x16");
  NEAR(value("tune_link_rate"), 63e9, 1e-12);
  s = setup_of("view=finetune device=h100-sxm");
  NEAR(value("tune_link_rate"), w->device[device_find(w, "h100-sxm")].peer.byte_per_s.value, 1e-12);
}

static void falling_back(void **state) {
  (void)state;
  struct fallback_in in = {.ops = 20, .fallbacks = 0, .accelerated_s = 0.4e-3, .host_s = 2e-3, .crossing_s = 1.5e-3};
  struct fallback_out o;
  fallback_of(&in, &o);
  NEAR(o.gain, 5, 1e-12);
  assert_true(o.even == 7 && o.crossing_s == 0);
  in.fallbacks = 6, fallback_of(&in, &o);
  assert_true(o.gain > 1);
  in.fallbacks = o.even, fallback_of(&in, &o);
  assert_true(o.gain <= 1);
  NEAR(o.accelerated_s + o.host_s + o.crossing_s, o.time_s, 1e-12);
  in.crossing_s = 0, fallback_of(&in, &o);
  assert_true(o.even == 20 && o.gain > 1); /* all of it on the host */
  in.host_s = 0.1e-3, fallback_of(&in, &o);
  assert_true(isnan(o.even)); /* never a gain */
  in.fallbacks = 1000, fallback_of(&in, &o);
  assert_true(o.accelerated_s == 0);
}

/* An arrow moves the part under the hand, and back; nothing on the accelerator is not the same as nothing said. */
static void parts_are_moved(void **state) {
  (void)state;
  struct setup s = setup_of("view=placement"), person;
  setup_clear(&person);
  assert_true(knob_table[KNOB_PART].hi == PARTS && knob_table[KNOB_PART].lo == 1);
  unsigned start = cases_placed(&s);
  assert_int_equal(start, 1u << 7);
  for (int i = 0; i < PARTS; i++) {
    s.v[KNOB_PART] = i + 1;
    assert_true(scene_cases.turn(w, &s, KNOB_ACCELERATED, 1, false, &person));
    memcpy(s.text, person.text, sizeof s.text);
    s.set[KNOB_ACCELERATED] = true;
    assert_int_equal(cases_placed(&s), start ^ 1u << i);
    assert_true(scene_cases.turn(w, &s, KNOB_ACCELERATED, 1, false, &person));
    memcpy(s.text, person.text, sizeof s.text);
    assert_int_equal(cases_placed(&s), start);
  }
  s.v[KNOB_PART] = 8;
  assert_true(scene_cases.turn(w, &s, KNOB_ACCELERATED, 1, false, &person));
  assert_string_equal(person.text[SLOT_ACCELERATED], "0");
  assert_false(scene_cases.turn(w, &s, KNOB_PART, 1, false, &person));
  s = setup_of("view=placement accelerated=1,2,3,4,5,6,7,8,9,10");
  assert_int_equal(cases_placed(&s), 1023);
  assert_true(value("parts_wrong") == 8 && isnan(value("assistant_time")) && value("crossings") == 2);
  s = setup_of("view=placement accelerated=11,99999999999999999999,8,,8");
  assert_int_equal(cases_placed(&s), 1u << 7);
  struct err e;
  setup_clear(&person);
  assert_false(setup_word(w, &person, "accelerated=answer", &e));
  assert_non_null(strstr(e.text, "by number"));
}

static void tables_end_and_agree(void **state) {
  (void)state;
  static const struct {
    const char *words;
    int rows;
  } table[] = {{"view=embedding", 8}, {"view=finetune", 6}, {"view=classifier", 7},
               {"view=edge", 7},      {"view=summary", 12}, {"view=placement", 10}};
  struct fact row[FACT_MAX];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct setup s = setup_of(table[i].words);
    int n = 0, width = scene_cases.rows(w, &s, 0, row);
    while (scene_cases.rows(w, &s, n, row) == width && n < 100) n++;
    assert_int_equal(n, table[i].rows);
    assert_int_equal(scene_cases.rows(w, &s, n, row), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_chapters_numbers),
                                     cmocka_unit_test(checks_name_facts),
                                     cmocka_unit_test(decisions_follow_their_rules),
                                     cmocka_unit_test(laws_hold),
                                     cmocka_unit_test(rates_may_be_devices),
                                     cmocka_unit_test(falling_back),
                                     cmocka_unit_test(parts_are_moved),
                                     cmocka_unit_test(tables_end_and_agree)};
  return cmocka_run_group_tests(tests, up, down);
}
