/* The measured block of the layers scene: what is run of each model of the catalogue, what is said of runs that were made up for it, and
 * how it is drawn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "scenes/layers_measured.h"
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

static const struct shown *show(const char *words) {
  char all[320];
  snprintf(all, sizeof all, "view=block %s", words);
  return scene_show_words(w, &scene_layers, all);
}
static struct setup setup_of(const char *words) { return show(words)->setup; }
static double value(const char *words, const char *name) { return shown_value(show(words), name); }
static const char *word(const char *words, const char *name) { return shown_word(show(words), name); }

static struct layers_block block_for(const char *words) {
  struct setup s = setup_of(words);
  struct layers l;
  struct layers_block b;
  layers_of(w, &s, &l);
  layers_block_of(w, &s, &l, &b);
  return b;
}

/* ---- what is run ---- */

static void test_shapes(void **state) {
  (void)state;
  static const char *const phase[] = {"prefill", "decode", "training"};
  int run = 0;
  for (int m = 0; m < w->nmodel; m++)
    for (int p = 0; p < 3; p++)
      for (int big = 0; big < 2; big++) {
        char words[300];
        snprintf(words, sizeof words, "model=%s phase=%s batch=%d context=%d", w->model[m].id, phase[p], big ? 512 : 1, big ? 100000 : 64);
        struct layers_block b = block_for(words);
        if (!b.known) {
          assert_true(isnan(value(words, "block_narrower")));
          continue;
        }
        run++;
        assert_null(block_wrong(&b.run));
        struct block again = block_of(b.request.op, b.request.shape);
        assert_true(again.hidden == b.run.hidden && again.context == b.run.context && again.training == b.run.training);
        /* It fits in half of what a kernel may take, and the roofs let it end soon, unless it is as narrow as it gets. */
        assert_true(block_elements(&b.run) * 4 <= 2e9 || b.narrower >= 64);
        assert_true(b.predicted_sum < 0.4 || b.narrower >= 64);
        assert_true(b.fewer >= 1 && b.narrower >= 1 && fmod(log2(b.narrower), 1) == 0);
        NEAR(b.whole.sequences * b.whole.tokens / (b.run.sequences * b.run.tokens), b.fewer, 1e-12);
        assert_true(fabs(b.run.hidden * b.narrower - b.whole.hidden) <= b.narrower);
        assert_true(b.run.head_dim == b.whole.head_dim && b.run.heads >= 1 && b.run.heads <= b.whole.heads);
        assert_true((b.run.tokens == 1) == (b.whole.tokens == 1));
      }
  assert_true(run > 60);
  assert_false(block_for("model=resnet-50").known);
  assert_string_equal(word("model=resnet-50", "block_as"), "not a transformer, or its shape is not known");
  /* A model that is small is run as it is. */
  assert_true(value("model=qwen2.5-0.5b phase=decode batch=1 context=512", "block_narrower") == 1);
  assert_true(value("model=llama-3.1-405b phase=training batch=8 context=8192", "block_narrower") > 4);
  assert_true(value("model=mixtral-8x7b phase=decode", "block_ffn") * value("model=mixtral-8x7b phase=decode", "block_narrower") ==
              2 * 14336);
}

/* Without a measured machine there is no prediction, but there is something to run. */
static void test_unmeasured(void **state) {
  (void)state;
  struct device here = w->device[DEVICE_HERE];
  struct request r[REQUEST_MAX];
  device_clear(&w->device[DEVICE_HERE]);
  w->device[DEVICE_HERE].is_host = true;
  struct setup s = setup_of("model=llama-3-8b");
  assert_true(isnan(value("model=llama-3-8b", "block_predicted")));
  assert_true(scene_layers.measures(w, &s, r) >= 1);
  assert_string_equal(word("model=llama-3-8b", "provenance"), "unknown");
  w->device[DEVICE_HERE] = here;
  assert_true(scene_layers.measures(w, &s, r) == 2 && r[1].op == OP_DISPATCH);
  assert_string_equal(word("model=llama-3-8b", "provenance"), "measured");
  s.v[KNOB_VIEW] = VIEW_LIST;
  assert_int_equal(scene_layers.measures(w, &s, r), 0);
}

/* ---- what is said of a run ---- */

/* Parts that take `inside` and `alone` times their roof, a whole that takes so much. */
static void pretend(const char *words, double inside, double alone, double whole, unsigned flags) {
  struct layers_block b = block_for(words);
  struct run *r = run_open(w, &b.request, w->machine);
  run_start(r, &b.request, w->machine);
  struct sample s = {.time = whole * b.predicted_sum,
                     .flop = 1,
                     .byte = 1,
                     .byte_bus = 1,
                     .cpu_time = NAN,
                     .residual = 0.1,
                     .seed = NAN,
                     .at = NAN,
                     .clock_hz = NAN,
                     .faults = NAN,
                     .quant_error = NAN,
                     .threads = 2,
                     .warm = true,
                     .flags = flags,
                     .nparts = b.n};
  for (int i = 0; i < b.n; i++) s.inside[i] = inside * b.predicted[i], s.alone[i] = alone * b.predicted[i];
  assert_true(run_add(r, &s));
}

static void test_sums(void **state) {
  (void)state;
  const char *words = "model=llama-3-8b phase=training batch=1 context=512";
  assert_true(isnan(value(words, "block_time")));
  assert_string_equal(word(words, "block_within"), "not measured");
  double roof = value(words, "block_predicted");
  pretend(words, 2, 1.95, 2.05, 0);
  NEAR(value(words, "block_time"), 2.05 * roof, 1e-12);
  NEAR(value(words, "block_inside_time"), 2 * roof, 1e-12);
  NEAR(value(words, "block_alone_time"), 1.95 * roof, 1e-12);
  NEAR(value(words, "block_difference"), 2.05 / 1.95 - 1, 1e-9);
  NEAR(value(words, "block_cache_time") + value(words, "block_rest_time"), 0.1 * roof, 1e-9);
  assert_true(value(words, "block_cache_time") > 0 && value(words, "block_cache_time") <= 0.05001 * roof);
  NEAR(value(words, "block_of_roof"), 1 / 2.05, 1e-12);
  NEAR(value(words, "block_op_of_roof"), 0.5, 1e-12);
  assert_string_equal(word(words, "block_within"), "yes");
  /* Backward is twice forward by arithmetic; these parts took what they take at their roofs. */
  double back = value(words, "block_back_ratio");
  assert_true(back > 1.9 && back < 2.2);
  pretend(words, 1, 1, 1.12, 0);
  assert_string_equal(word(words, "block_within"), "no");
  assert_string_not_equal(word(words, "block_reason"), "little");
  pretend(words, 1, 1, 1.08, 0);
  assert_string_equal(word(words, "block_within"), "yes");
  /* What is more than 10 % is explained: where memory sets the pace, caches can be all of it… */
  const char *one = "model=llama-3-8b phase=decode batch=1 context=512";
  pretend(one, 2, 1.2, 2.02, 0);
  assert_string_equal(word(one, "block_within"), "no");
  assert_non_null(strstr(word(one, "block_reason"), "alone"));
  assert_true(value(one, "block_cache_time") > 20 * fabs(value(one, "block_rest_time")));
  pretend(one, 1.2, 2, 1.22, 0);
  assert_non_null(strstr(word(one, "block_reason"), "one before"));
  assert_true(value(one, "block_cache_time") < 0);
  /* …but no more than its bytes could take. */
  pretend(one, 9, 1.2, 9, FLAG_DISTURBED);
  assert_non_null(strstr(word(one, "block_reason"), "others"));
  pretend(words, 1, 1, 2, FLAG_DISTURBED);
  assert_non_null(strstr(word(words, "block_reason"), "others"));
  pretend(words, 1, 1, 2, 0);
  assert_non_null(strstr(word(words, "block_reason"), "moments"));
  /* What it costs to start the team. */
  struct request r[REQUEST_MAX];
  struct setup s = setup_of(words);
  assert_int_equal(scene_layers.measures(w, &s, r), 2);
  world_measured(w, &r[1], 1e-6, 3);
  NEAR(value(words, "block_start_time"), 41e-6, 1e-9);
}

static void test_rows(void **state) {
  (void)state;
  const char *words = "model=llama-3-8b phase=training batch=1 context=512";
  struct setup s = setup_of(words);
  struct fact f[FACT_MAX];
  double inside = 0, flop = 0, share = 0, last = INFINITY;
  int row = 0;
  pretend(words, 2, 1.95, 2.05, 0);
  for (int n; (n = scene_layers.rows(w, &s, row, f)) > 0; row++) {
    inside += fact_value(f, n, "inside");
    flop += fact_value(f, n, "flop");
    share += fact_value(f, n, "share");
    assert_true(fact_value(f, n, "inside") <= last);
    last = fact_value(f, n, "inside");
  }
  assert_int_equal(row, 41);
  NEAR(inside, value(words, "block_inside_time"), 1e-12);
  NEAR(flop, value(words, "block_flop"), 1e-12);
  NEAR(share, 1, 1e-12);
}

/* ---- how it looks ---- */

static void test_words_and_picture(void **state) {
  (void)state;
  static const char *const setting[] = {"model=llama-3-8b phase=training batch=1 context=512", "model=llama-3-8b phase=decode",
                                        "model=llama-3-8b phase=training operation=41 batch=1 context=512", "model=resnet-50",
                                        "model=deepseek-v3 phase=prefill"};
  struct canvas c;
  assert_true(canvas_init(&c, 300, 100));
  for (size_t i = 0; i < sizeof setting / sizeof *setting; i++) {
    const struct shown *shown = show(setting[i]);
    struct setup s = shown->setup;
    assert_true(shown->verdict.s[0]);
    struct view v = {.world = w, .setup = &s, .fact = shown->fact, .nfact = shown->n, .focus = -1, .changed = -1};
    for (int width = 24; width <= 200; width += 11)
      for (int height = 4; height <= 60; height += 7) {
        canvas_clear(&c);
        canvas_clip(&c, canvas_rect(&c));
        scene_layers.draw(&c, (struct rect){3, 2, width, height}, &v);
        assert_int_equal(c.overwritten, 0);
        for (int y = 0; y < c.h; y++)
          for (int x = 0; x < c.w; x++) {
            const struct cell *at = &c.cell[y * c.w + x];
            bool in = x >= 3 && x < 3 + width && y >= 2 && y < 2 + height;
            if (!in && (at->glyph || at->dots || at->lines || at->fill))
              fail_msg("%s: draws at %d,%d in %dx%d", setting[i], x, y, width, height);
          }
      }
  }
  canvas_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_unmeasured), cmocka_unit_test(test_sums),
                                     cmocka_unit_test(test_rows), cmocka_unit_test(test_words_and_picture)};
  return cmocka_run_group_tests(tests, up, down);
}
