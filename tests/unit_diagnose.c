/* The diagnose scene: the chapter's failures, what is hidden until it is paid for, and the words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "scenes/diagnose.h"
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

static struct setup person_of(const char *words) { return scene_person(w, words); }
static const struct shown *show(const struct setup *person) { return scene_show(w, &scene_diagnose, person); }
static const struct shown *show_words(const char *words) { return scene_show_words(w, &scene_diagnose, words); }
static double value(const char *words, const char *name) { return shown_value(show_words(words), name); }

static void the_chapters_failures(void **state) {
  (void)state;
  assert_true(scene_numbers(w, &scene_diagnose, "tests/chapter_diagnose.json") >= 70);
}

/* Which gauges a set of probes shows, and that nothing else gives the fault away. */
static void what_is_not_paid_for_is_hidden(void **state) {
  (void)state;
  for (unsigned spent = 0; spent < 1u << LOOK_N; spent += 7) {
    struct setup person = person_of("seed=5");
    for (int l = 0; l < LOOK_N; l++) person.v[KNOB_PROBE_DEVICE + l] = spent >> l & 1, person.set[KNOB_PROBE_DEVICE + l] = true;
    const struct shown *s = show(&person);
    for (int g = 0; g < GAUGE_N; g++) {
      int l = gauge_look((enum gauge)g);
      bool open = l < 0 || spent >> l & 1;
      assert_true(open == !isnan(s->fact[g].value) && (open || !s->fact[g].label));
    }
    for (int i = 0; i < COURSE_N; i++) {
      enum gauge g = diagnose_course(i);
      bool open = spent >> (g == GAUGE_RATE ? LOOK_CLOCKS : gauge_look(g)) & 1;
      assert_true(open == !isnan(s->fact[DIAGNOSE_COURSE + 2 * i].value) && open == !isnan(s->fact[DIAGNOSE_COURSE + 2 * i + 1].value));
    }
    assert_true((spent >> LOOK_TRACE & 1) == !isnan(fact_value(s->fact, s->n, "step_cycle")));
    assert_string_equal(fact_word(s->fact, s->n, "truth"), "hidden");
    static const char *const later[] = {"correct", "least_cost", "served_share", "wanted_rate", "true_value"};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) assert_true(isnan(fact_value(s->fact, s->n, later[i])));
    assert_true(fact_value(s->fact, s->n, "spent") == looks_cost(spent));
  }
}

static void more_probes_leave_fewer_suspects(void **state) {
  (void)state;
  for (int seed = 1; seed <= 40; seed++) {
    struct setup person = person_of("");
    double last = FAULT_N + 1;
    person.v[KNOB_SEED] = seed, person.set[KNOB_SEED] = true;
    for (int l = 0; l <= LOOK_N; l++) {
      const struct shown *s = show(&person);
      double now = fact_value(s->fact, s->n, "suspects");
      assert_true(now >= 1 && now <= last);
      last = now;
      if (l < LOOK_N) person.v[KNOB_PROBE_DEVICE + l] = 1, person.set[KNOB_PROBE_DEVICE + l] = true;
    }
    assert_true(last == 1);
  }
}

/* Right when it names what the seed hid, and only then; until one is sure it gives nothing away. */
static void answers_are_judged(void **state) {
  (void)state;
  for (int seed = 1; seed <= 15; seed++) {
    int right = 0;
    struct setup person = person_of("");
    person.v[KNOB_SEED] = seed, person.set[KNOB_SEED] = true;
    for (int a = 1; a <= FAULT_N; a++) {
      person.v[KNOB_ANSWER] = a, person.set[KNOB_ANSWER] = true;
      person.set[KNOB_SURE] = false;
      const struct shown *s = show(&person);
      bool correct = fact_value(s->fact, s->n, "correct") == 1;
      right += correct;
      assert_true(correct == (strcmp(fact_word(s->fact, s->n, "truth"), fault_name((enum fault)(a - 1))) == 0));
      assert_true(strstr(s->verdict.s, correct ? "Right" : "No, it is") == s->verdict.s);
      assert_true(strstr(s->verdict.s, fact_word(s->fact, s->n, "truth_meaning")) != NULL);
      if (*fact_word(s->fact, s->n, "rival_gauge")) { /* the proof is a difference */
        double there = fact_value(s->fact, s->n, "rival_value"), here = fact_value(s->fact, s->n, "true_value");
        assert_true(fabs(there - here) > 0.04 * fmax(fabs(there), fabs(here)));
      }
      person.v[KNOB_SURE] = 0, person.set[KNOB_SURE] = true;
      s = show(&person);
      assert_true(isnan(fact_value(s->fact, s->n, "correct")));
      assert_string_equal(fact_word(s->fact, s->n, "truth"), "hidden");
      assert_non_null(strstr(s->verdict.s, "Turn sure on"));
    }
    assert_int_equal(right, 1);
  }
}

static void turn(struct setup *person, int knob, int direction) {
  struct setup now;
  setup_for(w, &scene_diagnose, person, &now);
  if (!scene_diagnose.turn(w, &now, knob, direction, false, person))
    person->v[knob] = knob_step(w, knob, now.v[knob], direction, false), person->set[knob] = true;
}
static double spent_of(const struct setup *person) {
  const struct shown *s = show(person);
  return fact_value(s->fact, s->n, "spent");
}

static void arrows_keep_to_the_rules(void **state) {
  (void)state;
  struct setup person = person_of("seed=7");
  turn(&person, KNOB_PROBE_HOST, 1);
  assert_true(spent_of(&person) == 2);
  turn(&person, KNOB_PROBE_HOST, 1); /* what is spent stays spent */
  assert_true(spent_of(&person) == 2);
  turn(&person, KNOB_PROBE_TRACE, 1);
  assert_true(spent_of(&person) == 5);
  turn(&person, KNOB_PROBE_DEVICE, 1); /* more than is left */
  assert_true(spent_of(&person) == 5);
  turn(&person, KNOB_ANSWER, 1); /* walking through the answers gives nothing away */
  assert_string_equal(fact_word(show(&person)->fact, show(&person)->n, "truth"), "hidden");
  turn(&person, KNOB_SURE, 1);
  assert_true(!isnan(fact_value(show(&person)->fact, show(&person)->n, "correct")));
  turn(&person, KNOB_SEED, 1); /* a new game */
  assert_true(spent_of(&person) == 0 && person.v[KNOB_SEED] == 8);
  assert_string_equal(fact_word(show(&person)->fact, show(&person)->n, "answer_name"), "none");
  person = person_of("seed=7 view=faults answer=leak");
  turn(&person, KNOB_ANSWER, 1);
  assert_string_equal(fact_word(show(&person)->fact, show(&person)->n, "truth"), "fragmentation");
}

static void verdicts_fit_three_lines(void **state) {
  (void)state;
  static const char *const way[] = {"",
                                    "probe_memory=on",
                                    "probe_host=on probe_copies=on probe_requests=on",
                                    "view=faults",
                                    "device=h100-sxm model=llama-3-8b",
                                    "device=rtx-4090 model=llama-3-8b view=faults",
                                    "device=here",
                                    "view=checklist"};
  int start[8], length[8];
  for (size_t i = 0; i < sizeof way / sizeof *way; i++)
    for (int seed = 1; seed <= 9; seed++)
      for (int a = 0; a <= FAULT_N; a++) {
        struct setup person = person_of(way[i]);
        person.v[KNOB_SEED] = seed, person.v[KNOB_ANSWER] = a;
        person.set[KNOB_SEED] = person.set[KNOB_ANSWER] = true;
        const struct shown *s = show(&person);
        if (text_wrap(s->verdict.s, 78, 8, start, length) > 3) fail_msg("%s seed %d answer %d: %s", way[i], seed, a, s->verdict.s);
        assert_true(s->verdict.n > 20);
      }
}

static void a_device_that_says_nothing(void **state) {
  (void)state;
  const char *words = "model=bert-base-cased";
  assert_non_null(strstr(show_words(words)->verdict.s, "No service can be made"));
  assert_true(isnan(value(words, "busy")));
}

static void tables_end_and_agree(void **state) {
  (void)state;
  struct fact row[FACT_MAX];
  struct setup person = person_of("view=faults"), s;
  setup_for(w, &scene_diagnose, &person, &s);
  for (int i = 0; i < FAULT_N; i++) {
    assert_true(scene_diagnose.rows(w, &s, i, row) > 0);
    person.v[KNOB_ANSWER] = i + 1, person.set[KNOB_ANSWER] = true;
    const struct shown *one = show(&person);
    assert_string_equal(row[0].word, fault_key((enum fault)i));
    assert_true(row[1].value == fact_value(one->fact, one->n, "token_rate") && row[2].value == fact_value(one->fact, one->n, "busy"));
  }
  assert_int_equal(scene_diagnose.rows(w, &s, FAULT_N, row), 0);
  person = person_of("seed=3 probe_host=on");
  setup_for(w, &scene_diagnose, &person, &s);
  int n = 0;
  while (scene_diagnose.rows(w, &s, n, row) > 0) n++;
  assert_int_equal(n, 3 + 4); /* what is always in sight, and the host's */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_chapters_failures),
                                     cmocka_unit_test(what_is_not_paid_for_is_hidden),
                                     cmocka_unit_test(more_probes_leave_fewer_suspects),
                                     cmocka_unit_test(answers_are_judged),
                                     cmocka_unit_test(arrows_keep_to_the_rules),
                                     cmocka_unit_test(verdicts_fit_three_lines),
                                     cmocka_unit_test(a_device_that_says_nothing),
                                     cmocka_unit_test(tables_end_and_agree)};
  return cmocka_run_group_tests(tests, up, down);
}
