/* The layers scene and its profile: the chapter's numbers, what fixes may and may not do, the cursor, and its words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "scenes/layers.h"
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

static struct setup setup_of(const char *words) { return scene_setup(w, &scene_layers, words); }
static const struct shown *show(const char *words) { return scene_show_words(w, &scene_layers, words); }
static double value(const char *words, const char *name) { return shown_value(show(words), name); }
static const char *word(const char *words, const char *name) { return shown_word(show(words), name); }
static void says(const char *words, const char *part) { shown_says(show(words), part); }
static void row_of(const char *words, const char *name) {
  struct fact row[FACT_MAX];
  scene_row(w, &scene_layers, &show(words)->setup, name, row);
}

static struct fact fact[FACT_MAX];

static void the_chapters_numbers(void **state) {
  (void)state;
  assert_true(scene_numbers(w, &scene_layers, "tests/chapter_layers.json") >= 60);
}

static struct layers *layers(const char *words) {
  static struct layers l;
  struct setup s = setup_of(words);
  layers_of(w, &s, &l);
  return &l;
}

static const char *const phase[] = {"phase=prefill", "phase=decode", "phase=training"};

/* For every model and phase: the list is ordered, its shares make one, operations of a layer are those of all layers over their number, the
 * whole is never faster than its roof, and no fix makes anything slower. */
static void profiles_hold_together(void **state) {
  (void)state;
  for (int m = 0; m < w->nmodel; m++)
    for (int p = 0; p < PHASE_N; p++)
      for (int b = 1; b <= 64; b *= 8) {
        struct setup s = setup_of(phase[p]);
        struct layers l;
        s.v[KNOB_MODEL] = m, s.v[KNOB_BATCH] = b;
        layers_of(w, &s, &l);
        const struct profile *prof = &l.profile;
        double sum = 0, classes = 0, longest = INFINITY;
        if (prof->n == 0) fail_msg("%s is not known", w->model[m].id);
        for (int i = 0; i < prof->n; i++) {
          const struct profile_op *o = &prof->op[prof->order[i]];
          assert_true(o->time <= longest);
          longest = o->time, sum += o->time;
          assert_true(o->time * (1 + 1e-12) >= o->op.count * o->op.flop / l.in.peak_flop_per_s);
          assert_true(o->time * (1 + 1e-12) >= o->op.count * o->op.byte / l.in.byte_per_s);
        }
        for (int i = 0; i < CLASS_N; i++) classes += prof->class[i].time;
        NEAR(sum, prof->total.time, 1e-9);
        NEAR(classes, prof->total.time, 1e-9);
        assert_true(prof->total.memory_time <= prof->total.time * (1 + 1e-12) && prof->total.memory_count <= prof->total.count);
        assert_true(prof->total.time * (1 + 1e-12) >=
                    roof_time_lower(prof->total.flop, prof->total.byte, l.in.peak_flop_per_s, l.in.byte_per_s));
        NEAR(profile_time(&l.in), prof->total.time, 1e-12);
        struct profile_range likely = profile_estimate(&l.in);
        assert_true(prof->total.time < likely.least && likely.least < likely.most && likely.most <= 2 * prof->total.time * (1 + 1e-12));
        for (int f = FIX_NONE; f < FIX_N; f++) {
          double gain = profile_gain(&l.plain, (enum fix)f);
          if (!(gain >= 1 - 1e-9) && f != FIX_FUSE) fail_msg("%s %s: %s loses: %g", w->model[m].id, phase[p], fix_name((enum fix)f), gain);
          if (gain > 2 + 1e-9 && f != FIX_FUSE) fail_msg("%s %s: %s gains %g", w->model[m].id, phase[p], fix_name((enum fix)f), gain);
        }
        /* Peak and memory rate doubled together halve the time. */
        struct profile_in twice = l.plain;
        twice.peak_flop_per_s *= 2, twice.byte_per_s *= 2;
        NEAR(profile_time(&twice), profile_time(&l.plain) / 2, 1e-12);
        int half = profile_most(prof, 0.5), all = profile_most(prof, 1);
        assert_true(half >= 1 && half <= all && all <= prof->n);
      }
}

static void amdahl(void **state) {
  (void)state;
  NEAR(profile_amdahl(0.4, 2), 1.25, 1e-12);
  NEAR(profile_amdahl(1, 8), 8, 1e-12);
  NEAR(profile_amdahl(0, 8), 1, 1e-12);
  assert_true(profile_amdahl(0.5, 1e12) < 2 && profile_amdahl(0.5, 1e12) > 1.999);
  /* The picked operation made so many times faster by hand: the profile agrees. */
  struct layers *l = layers("model=llama-3-8b operation=2");
  double share = l->profile.op[l->pick].time / l->profile.total.time;
  NEAR(value("model=llama-3-8b operation=2 faster=4 view=fix", "amdahl_gain"), 1 / (1 - share * 3 / 4), 1e-9);
}

static void fixes_are_seen(void **state) {
  (void)state;
  NEAR(value("model=llama-2-7b", "estimate_least"), value("model=llama-2-7b", "total_time") / 0.92, 1e-3); /* all of it memory */
  NEAR(value("model=llama-2-7b", "estimate_most"), value("model=llama-2-7b", "total_time") / 0.6, 1e-3);
  NEAR(value("fix=bits context=1", "fix_gain"), 2, 0.01);
  NEAR(value("fix=bits context=1", "total_time"), value("context=1", "total_time") / 2, 0.01);
  NEAR(value("fix=arithmetic", "peak_flop_per_s"), 2 * value("", "peak_flop_per_s"), 1e-12);
  assert_true(value("fix=fuse", "launches") < value("", "launches"));
  NEAR(value("line_use=50%", "gain_layout"), value("line_use=50%", "total_time") / value("", "total_time"), 1e-9);
  assert_true(value("line_use=50%", "gain_layout") > 1.05);
  NEAR(value("launch_cost=8us", "launch_time"), 515 * 8e-6, 1e-9);
  assert_true(value("phase=training update=on", "update_time") > 0 && value("phase=training", "update_time") == 0);
  NEAR(value("model=llama-2-7b phase=training update=on", "update_time"), 28 * 6738415616.0 / 2e12, 1e-9);
  NEAR(value("model=llama-2-7b phase=training update=on recipe=10", "update_time"), 20 * 6738415616.0 / 2e12, 1e-9);
}

static void the_cursor_walks(void **state) {
  (void)state;
  struct setup person, s;
  setup_clear(&person);
  for (int i = 0; i < 200; i++) {
    setup_for(w, &scene_layers, &person, &s);
    assert_true(scene_layers.turn(w, &s, KNOB_OPERATION, 1, false, &person));
  }
  assert_true(person.v[KNOB_OPERATION] == layers("")->profile.n);
  for (int i = 0; i < 20; i++) {
    setup_for(w, &scene_layers, &person, &s);
    assert_true(scene_layers.turn(w, &s, KNOB_OPERATION, -1, true, &person));
  }
  assert_true(person.v[KNOB_OPERATION] == 1);
  assert_string_equal(word("operation=1", "op_name"), word("", "longest"));
  assert_false(scene_layers.turn(w, &s, KNOB_BATCH, 1, false, &person));
}

/* Backward operations carry their own rows; encoders and pictures have one pass; a window has rows of its own. */
static void what_the_list_names(void **state) {
  (void)state;
  row_of("model=gemma-2-9b", "scores, window");
  row_of("model=deepseek-v3", "key+value down");
  row_of("model=deepseek-v3", "shared up");
  row_of("model=mixtral-8x7b", "experts' gate");
  row_of("model=qwen3-30b-a3b", "norm of heads");
  row_of("model=resnet-50", "conv4_x 3x3");
  row_of("view=count", "time");
  row_of("view=fix", "layout");
  row_of("view=conv", "conv5_1 shortcut");
  row_of("view=grow", "context");
  assert_string_equal(word("model=bert-base-cased phase=decode", "phase_used"), "one pass");
  assert_string_equal(word("model=llama-3.1-405b device=h100-sxm", "weights_fit"), "no");
  int backward = 0;
  struct setup s = setup_of("phase=training");
  for (int row = 0; scene_layers.rows(w, &s, row, fact); row++) backward += strcmp(fact[2].word, "backward") == 0;
  assert_true(backward == layers("phase=decode")->profile.n);
  s = setup_of("view=conv");
  assert_string_equal(w->model[(int)s.v[KNOB_MODEL]].id, "resnet-50"); /* the one that has convolutions */
  for (int row = 0;; row++) {
    if (!scene_layers.rows(w, &s, row, fact)) {
      assert_int_equal(row, 29);
      break;
    }
  }
}

static void words(void **state) {
  (void)state;
  says("", "waiting for memory");
  says("", "More peak would change little");
  says("phase=training batch=8", "More memory rate would change little");
  says("model=llama-3.1-405b device=h100-sxm", "do not fit in this memory");
  says("view=roof", "it waits for memory");
  says("view=roof phase=training batch=64", "it calculates");
  says("view=roof fused=on operation=128", "no place on this plot");
  says("view=count", "Here memory is the rule");
  says("view=count phase=prefill model=block-4096 context=512 fused=on", "arithmetic");
  says("model=resnet-50 batch=2", "One pass, 2 pictures");
  says("phase=prefill", "Prefill, 2048 tokens");
  says("view=fix", "Most is gained by bandwidth");
  says("view=fix fix=arithmetic", "arithmetic gains nothing here");
  says("view=fix fix=bits", "bits gains");
  says("view=fix share=100%", "faster");
  says("view=grow", "keys and values of its own");
  says("view=grow phase=prefill", "with their square");
  says("view=conv operation=2", "nothing to take apart");
  says("view=conv operation=3", "every value meets one filter only");
  for (int m = 0; m < w->nmodel; m++)
    for (int v = 0; v < scene_layers.nviews; v++) {
      char text[200] = "view=";
      strcat(strcat(strcat(text, view_name((enum view_id)scene_layers.views[v])), " phase=training batch=65536 model="), w->model[m].id);
      says(text, "");
    }
}

static void nothing_is_known(void **state) {
  (void)state;
  static struct world empty;
  struct setup person, s;
  static struct text t;
  empty.ndevice = 1;
  device_clear(&empty.device[0]);
  setup_clear(&person);
  for (int v = 0; v < scene_layers.nviews; v++) {
    person.v[KNOB_VIEW] = scene_layers.views[v], person.set[KNOB_VIEW] = true;
    setup_for(&empty, &scene_layers, &person, &s);
    int n = scene_layers.facts(&empty, &s, fact);
    assert_true(isnan(fact_value(fact, n, "total_time")));
    text_clear(&t);
    scene_layers.verdict(fact, n, &t);
    assert_true(t.n > 20);
    assert_int_equal(scene_layers.rows(&empty, &s, 0, fact), 0);
  }
  /* A device without figures: arithmetic and bytes stand, times do not. */
  struct world *copy = malloc(sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, w, sizeof *copy);
  device_clear(&copy->device[DEVICE_HERE]);
  setup_clear(&person);
  person.v[KNOB_DEVICE] = DEVICE_HERE, person.set[KNOB_DEVICE] = true;
  setup_for(copy, &scene_layers, &person, &s);
  int n = scene_layers.facts(copy, &s, fact);
  assert_true(isnan(fact_value(fact, n, "total_time")) && isnan(fact_value(fact, n, "memory_share")) &&
              isnan(fact_value(fact, n, "best_gain")));
  assert_true(fact_value(fact, n, "flop") > 1e10 && fact_value(fact, n, "byte") > 1e10);
  assert_string_equal(fact_word(fact, n, "bound"), "unknown");
  text_clear(&t);
  scene_layers.verdict(fact, n, &t);
  assert_non_null(strstr(t.s, "R measures this machine"));
  free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_chapters_numbers),
      cmocka_unit_test(profiles_hold_together),
      cmocka_unit_test(amdahl),
      cmocka_unit_test(fixes_are_seen),
      cmocka_unit_test(the_cursor_walks),
      cmocka_unit_test(what_the_list_names),
      cmocka_unit_test(words),
      cmocka_unit_test(nothing_is_known),
  };
  return cmocka_run_group_tests(tests, up, down);
}
