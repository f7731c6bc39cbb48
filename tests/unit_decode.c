/* The decode and fit scenes: their facts on the invented world, what stays unknown, the sentences, and pictures of every size. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support_world.h"
#include "tests/support_near.h"


struct scratch {
  struct world *world;
  struct setup person;
};

static int start(void **state) {
  struct scratch *k = calloc(1, sizeof *k);
  k->world = world_invented();
  setup_clear(&k->person);
  *state = k;
  return 0;
}
static int stop(void **state) {
  struct scratch *k = *state;
  free(k->world);
  free(k);
  return 0;
}

static void set(struct scratch *k, int knob, double v, const char *word) { person_set(k->world, &k->person, knob, v, word); }
static double decode(struct scratch *k, const char *fact) { return scene_value(k->world, &scene_decode, &k->person, fact); }
static double fit(struct scratch *k, const char *fact) { return scene_value(k->world, &scene_fit, &k->person, fact); }

static int facts_of(struct scratch *k, const struct scene *s, struct fact out[FACT_MAX]) {
  struct setup setup;
  setup_for(k->world, s, &k->person, &setup);
  return s->facts(k->world, &setup, out);
}
static const char *word(struct scratch *k, const struct scene *s, const char *name) {
  struct fact f[FACT_MAX];
  return fact_word(f, facts_of(k, s, f), name);
}
static const char *verdict(struct scratch *k, const struct scene *s, struct text *t) {
  struct fact f[FACT_MAX];
  int n = facts_of(k, s, f);
  text_clear(t);
  s->verdict(f, n, t);
  return t->s;
}

static void test_decode_start(void **state) {
  struct scratch *k = *state;
  set(k, KNOB_PARAMS, 7e9, NULL);
  NEAR(decode(k, "step_time"), 7e-3, 1e-9);
  NEAR(decode(k, "token_rate"), 142.857, 1e-5);
  NEAR(decode(k, "memory_over_compute"), 100, 1e-9);
  NEAR(decode(k, "ridge_batch"), 100, 1e-9);
  NEAR(decode(k, "fraction_of_peak"), 0.01, 1e-9);
  NEAR(decode(k, "capacity_left"), 66e9, 1e-9);
  assert_true(decode(k, "kv_byte") == 0 && decode(k, "activation_byte") == 0);
  assert_string_equal(word(k, &scene_decode, "bound"), "memory");
  assert_string_equal(word(k, &scene_decode, "geometry"), "assumed");
  assert_string_equal(word(k, &scene_decode, "provenance"), "illustrative");
}

static void test_decode_batch(void **state) {
  struct scratch *k = *state;
  set(k, KNOB_BATCH, 64, NULL);
  NEAR(decode(k, "step_time"), 7e-3, 1e-9);
  NEAR(decode(k, "token_rate"), 9142.857, 1e-6);
  NEAR(decode(k, "arithmetic_intensity"), 64, 1e-9);
  set(k, KNOB_ACTIVATIONS, 1, NULL);
  set(k, KNOB_WIDTH, 4096, NULL);
  NEAR(decode(k, "step_time"), 7.219e-3, 1e-4);
  NEAR(decode(k, "token_rate"), 8865.8, 1e-5);
  NEAR(decode(k, "arithmetic_intensity"), 62.06, 1e-4);
  NEAR(decode(k, "ridge_batch"), 105.13, 1e-4);
  set(k, KNOB_BATCH, 105, NULL);
  assert_string_equal(word(k, &scene_decode, "bound"), "memory");
  set(k, KNOB_BATCH, 106, NULL);
  assert_string_equal(word(k, &scene_decode, "bound"), "compute");
  set(k, KNOB_BATCH, 52, NULL);
  assert_true(decode(k, "fraction_of_peak") >= 0.5);
  set(k, KNOB_BATCH, 51, NULL);
  assert_true(decode(k, "fraction_of_peak") < 0.5);
}

static void test_decode_types(void **state) {
  struct scratch *k = *state;
  set(k, KNOB_DTYPE, 0, "int8");
  NEAR(decode(k, "token_rate"), 285.714, 1e-5);
  assert_string_equal(word(k, &scene_decode, "math"), "bf16");
  assert_non_null(strstr(word(k, &scene_decode, "math_reason"), "not listed"));
  set(k, KNOB_DTYPE, 0, "int4");
  NEAR(decode(k, "token_rate"), 571.429, 1e-5);
  assert_string_equal(word(k, &scene_decode, "math"), "bf16");
  set(k, KNOB_DTYPE, 0, "bf16");
  assert_string_equal(word(k, &scene_decode, "math_reason"), "as stored");
  set(k, KNOB_MATH, 0, "int8"); /* asked for, and this sheet has none */
  assert_true(isnan(decode(k, "step_time")) && isnan(decode(k, "compute_time")));
  NEAR(decode(k, "memory_time"), 7e-3, 1e-9);
}

/* What if: memory twice as fast is twice the tokens, arithmetic twice as fast is none. */
static void test_decode_what_if(void **state) {
  struct scratch *k = *state;
  set(k, KNOB_PEAK, 400e12, NULL);
  NEAR(decode(k, "token_rate"), 142.857, 1e-5);
  assert_string_equal(word(k, &scene_decode, "provenance"), "what if");
  set(k, KNOB_BANDWIDTH, 4e12, NULL);
  NEAR(decode(k, "token_rate"), 285.714, 1e-5);
}

static void test_decode_context(void **state) {
  struct scratch *k = *state;
  set(k, KNOB_KV, 1, NULL);
  set(k, KNOB_CONTEXT, 1000, NULL);
  set(k, KNOB_BATCH, 64, NULL);
  set(k, KNOB_DEADLINE, 20e-3, NULL);
  NEAR(decode(k, "step_time"), 23.78e-3, 1e-3);
  NEAR(decode(k, "token_rate"), 2692, 1e-3);
  assert_true(decode(k, "max_batch_deadline") == 49);
  assert_true(decode(k, "ridge_context") == 267);
  assert_true(decode(k, "kv_token_room") == 125885);
  assert_true(isnan(decode(k, "ridge_batch")));
  NEAR(decode(k, "kv_byte"), 64 * 1000 * 524288.0, 1e-9);
  struct text t;
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "keys and values"));
  assert_non_null(strstr(t.s, "deadline is missed"));
  set(k, KNOB_KV_DTYPE, 0, "int8");
  NEAR(decode(k, "kv_byte"), 64 * 1000 * 262144.0, 1e-9);
  set(k, KNOB_BATCH, 4096, NULL);
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "does not fit"));
}

/* The kernel's time for each weight byte times the model's weight bytes: a 6·2^10 matrix of fp32 on this invented machine. */
static void test_decode_here(void **state) {
  struct scratch *k = *state;
  struct request r[REQUEST_MAX];
  struct setup setup;
  set(k, KNOB_BATCH, 4, NULL);
  setup_for(k->world, &scene_decode, &k->person, &setup);
  int n = scene_decode.measures(k->world, &setup, r);
  assert_true(n >= 4 && n <= REQUEST_MAX);
  for (double batch = 1; batch <= 65536; batch *= 2) { /* each wanted once, whatever the batch */
    struct request q[REQUEST_MAX];
    struct setup other = setup;
    other.v[KNOB_BATCH] = batch;
    int m = scene_decode.measures(k->world, &other, q);
    assert_true(m >= 5 && m <= REQUEST_MAX);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < i; j++) assert_false(request_equal(&q[i], &q[j]));
  }
  assert_true(r[0].op == OP_WEIGHTS && r[0].shape.batch == 4 && r[0].dtype == DTYPE_BF16);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) assert_false(request_equal(&r[i], &r[j]));
  assert_true(isnan(decode(k, "here_measured_token_rate")));
  assert_non_null(strstr(word(k, &scene_decode, "here_state"), "not measured"));
  double matrix = 2 * r[0].shape.n * r[0].shape.n, time = matrix / 19e9;
  assert_true(matrix >= 4 * 33554432.0);
  world_measured(k->world, &r[0], time, 9);
  NEAR(decode(k, "here_measured_time"), 14e9 / 19e9, 1e-6);
  NEAR(decode(k, "here_measured_token_rate"), 4 * 19e9 / 14e9, 1e-6);
  NEAR(decode(k, "here_step_time"), 14e9 / 20e9, 5e-3); /* a little above: its own vectors are moved as well */
  assert_in_range((uintmax_t)(1000 * decode(k, "here_measured_ratio")), 945, 960);
  assert_string_equal(word(k, &scene_decode, "here_state"), "measured");
  /* Half the bits, half the bytes, twice as fast, as long as nothing better is known. */
  set(k, KNOB_DTYPE, 0, "int8");
  NEAR(decode(k, "here_measured_time"), 7e9 / 19e9, 1e-6);
  assert_string_equal(word(k, &scene_decode, "here_dtype"), "bf16");
  /* The kernel with int8 weights itself: a weight costs what it costs there. */
  setup_for(k->world, &scene_decode, &k->person, &setup);
  scene_decode.measures(k->world, &setup, r);
  assert_true(r[0].dtype == DTYPE_INT8);
  world_measured(k->world, &r[0], r[0].shape.n * r[0].shape.n / 12e9, 9);
  NEAR(decode(k, "here_measured_time"), 7e9 / 12e9, 1e-6);
  assert_string_equal(word(k, &scene_decode, "here_dtype"), "int8");
  set(k, KNOB_DTYPE, 0, "bf16");
  NEAR(decode(k, "here_measured_time"), 14e9 / 19e9, 1e-6);
  /* Points of another machine are not ours. */
  strcpy(k->world->run[0].machine, "elsewhere");
  strcpy(k->world->run[1].machine, "elsewhere");
  assert_true(isnan(decode(k, "here_measured_time")));
}

static void test_decode_rows(void **state) {
  struct scratch *k = *state;
  struct setup setup;
  struct fact f[FACT_MAX];
  int rows = 0, n;
  setup_for(k->world, &scene_decode, &k->person, &setup);
  for (double batch = 1; (n = scene_decode.rows(k->world, &setup, rows, f)) > 0; rows++, batch *= 2) {
    assert_true(fact_value(f, n, "tokens_per_step") == batch);
    NEAR(fact_value(f, n, "step_time"), fmax(7e-3, 7e-5 * batch), 1e-9);
  }
  assert_true(rows == 10);
}

static void test_decode_unknown(void **state) {
  struct scratch *k = *state;
  struct text t;
  set(k, KNOB_DEVICE, 0, "blank");
  static const char *const facts[] = {"step_time",   "memory_time",   "compute_time",      "token_rate",
                                      "ridge_batch", "capacity_left", "max_batch_deadline"};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) assert_true(isnan(decode(k, facts[i])));
  assert_string_equal(word(k, &scene_decode, "bound"), "unknown");
  NEAR(decode(k, "weight_byte"), 14e9, 1e-9);
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "sheet"));
  k->world->model[1].decoder = false;
  set(k, KNOB_DEVICE, 0, "illustrative");
  set(k, KNOB_MODEL, 0, "small");
  assert_true(isnan(decode(k, "step_time")));
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "language model"));
  device_clear(&k->world->device[DEVICE_HERE]);
  strcpy(k->world->device[DEVICE_HERE].id, "here");
  k->world->model[1].decoder = true;
  set(k, KNOB_DEVICE, 0, "here");
  assert_true(isnan(decode(k, "step_time")) && isnan(decode(k, "here_token_rate")));
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "R measures"));
}

static void test_decode_sentences(void **state) {
  struct scratch *k = *state;
  struct text t;
  set(k, KNOB_BATCH, 1, NULL);
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "Waiting for memory"));
  set(k, KNOB_BATCH, 100, NULL);
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "At the ridge"));
  set(k, KNOB_BATCH, 512, NULL);
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "Calculating"));
  assert_null(strstr(t.s, "deadline"));
  set(k, KNOB_DEADLINE, 1e-3, NULL);
  assert_non_null(strstr(verdict(k, &scene_decode, &t), "missed even by one"));
}

static void test_fit(void **state) {
  struct scratch *k = *state;
  struct text t;
  set(k, KNOB_DEVICE, 0, "illustrative");
  set(k, KNOB_PARAMS, 7e9, NULL);
  assert_non_null(strstr(verdict(k, &scene_fit, &t), "It fits"));
  assert_string_equal(word(k, &scene_fit, "fits"), "yes");
  set(k, KNOB_USE, 0, "finetune");
  NEAR(fit(k, "state_byte"), 112e9, 1e-9);
  assert_true(fit(k, "devices_needed") == 2);
  NEAR(fit(k, "state_byte_per_param"), 16, 1e-9);
  assert_string_equal(word(k, &scene_fit, "fits"), "no");
  assert_string_equal(word(k, &scene_fit, "largest_part"), "the optimizer state");
  assert_non_null(strstr(verdict(k, &scene_fit, &t), "does not fit"));
  assert_non_null(strstr(t.s, "LoRA"));
  set(k, KNOB_DEVICES, 2, NULL);
  assert_true(fit(k, "headroom_byte") > 0);
  assert_string_equal(word(k, &scene_fit, "fits"), "yes");
  set(k, KNOB_DEVICES, 1, NULL);
  set(k, KNOB_RECIPE, 0, "18");
  NEAR(fit(k, "state_byte"), 126e9, 1e-9);
  set(k, KNOB_USE, 0, "lora");
  assert_true(fit(k, "state_byte") < 15e9 && fit(k, "adapter_params") > 0);
  /* Both units show the same bytes. */
  assert_true(fit(k, "capacity_byte") == fit(k, "capacity_byte_binary") && fit(k, "capacity_byte") == 80e9);
}

static void test_fit_unknown(void **state) {
  struct scratch *k = *state;
  struct text t;
  set(k, KNOB_DEVICE, 0, "blank");
  assert_true(isnan(fit(k, "headroom_byte")) && isnan(fit(k, "devices_needed")) && isnan(fit(k, "max_batch")) &&
              isnan(fit(k, "max_context")));
  NEAR(fit(k, "weight_byte"), 14e9, 1e-9);
  assert_string_equal(word(k, &scene_fit, "fits"), "unknown");
  assert_non_null(strstr(verdict(k, &scene_fit, &t), "not known"));
  k->world->model[1].hidden = k->world->model[1].layers = 0;
  set(k, KNOB_MODEL, 0, "small");
  assert_true(isnan(fit(k, "activation_byte")));
  assert_non_null(strstr(verdict(k, &scene_fit, &t), "not known"));
}

static void test_fit_rows(void **state) {
  struct scratch *k = *state;
  struct setup setup;
  struct fact f[FACT_MAX];
  int rows = 0, n;
  setup_for(k->world, &scene_fit, &k->person, &setup);
  for (; (n = scene_fit.rows(k->world, &setup, rows, f)) > 0; rows++)
    assert_string_equal(fact_word(f, n, "device"), k->world->device[rows].id);
  assert_true(rows == k->world->ndevice);
}

/* ---- any setting, any size ---- */

static double any(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed / 4294967296.0;
}

static void shake(struct scratch *k, const struct scene *s, uint32_t *seed) {
  setup_clear(&k->person);
  for (int i = 0; i < s->nknobs; i++) {
    int knob = s->knobs[i];
    const struct knob *row = &knob_table[knob];
    double hi = row->kind == KNOB_CHOICE ? choice_count(k->world, row->list) - 1 : row->hi, lo = row->lo;
    if (any(seed) < 0.4) continue;
    double v = row->kind == KNOB_LOG2 ? lo * pow(hi / lo, any(seed)) : lo + (hi - lo) * any(seed);
    set(k, knob, knob_clamp(k->world, knob, v), NULL);
  }
  set(k, KNOB_DETAIL, 1 + floor(3 * any(seed)), NULL);
}

static bool same_cell(const struct cell *a, const struct cell *b) {
  return a->glyph == b->glyph && a->dots == b->dots && a->lines == b->lines && a->role == b->role && a->attr == b->attr &&
         a->fill == b->fill;
}

static void test_pictures(void **state) {
  struct scratch *k = *state;
  const struct scene *const scenes[] = {&scene_decode, &scene_fit};
  uint32_t seed = 7;
  struct canvas c;
  assert_true(canvas_init(&c, 150, 60));
  for (int i = 0; i < 800; i++) {
    const struct scene *s = scenes[i % 2];
    struct fact f[FACT_MAX];
    struct setup setup;
    struct text t;
    struct axes axes, first;
    shake(k, s, &seed);
    setup_for(k->world, s, &k->person, &setup);
    int n = s->facts(k->world, &setup, f);
    assert_true(n <= FACT_MAX);
    for (int j = 0; j < n; j++) assert_false(isinf(f[j].value));
    text_clear(&t);
    s->verdict(f, n, &t);
    assert_true(t.n > 20 && t.n <= 3 * 77);
    assert_null(strstr(t.s, "nan"));
    assert_null(strstr(t.s, "inf"));
    assert_null(strstr(t.s, "—")); /* a sentence never speaks of a number it does not have */
    s->axes(k->world, &setup, NULL, &first);
    s->axes(k->world, &setup, &first, &axes);
    assert_memory_equal(axes.x, first.x, sizeof axes.x);
    struct rect r = {3, 2, 1 + (int)(any(&seed) * 140), 1 + (int)(any(&seed) * 55)};
    struct view v = {
        .world = k->world, .setup = &setup, .fact = f, .nfact = n, .axes = &axes, .focus = -1, .changed = -1, .time = 100 * any(&seed)};
    canvas_clip(&c, canvas_rect(&c));
    canvas_clear(&c);
    struct cell blank = *canvas_at(&c, 0, 0);
    s->draw(&c, r, &v);
    canvas_clip(&c, canvas_rect(&c));
    int drawn = 0;
    for (int y = 0; y < c.h; y++)
      for (int x = 0; x < c.w; x++) {
        bool inside = x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h, empty = same_cell(canvas_at(&c, x, y), &blank);
        if (!inside && !empty) fail_msg("%s draws at %d,%d outside %d,%d %dx%d", s->name, x, y, r.x, r.y, r.w, r.h);
        drawn += !empty;
      }
    if (r.w >= s->min_w && r.h >= s->min_h) assert_true(drawn > 10);
  }
  canvas_free(&c);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(test_decode_start), TEST(test_decode_batch), TEST(test_decode_types),   TEST(test_decode_what_if),   TEST(test_decode_context),
      TEST(test_decode_here),  TEST(test_decode_rows),  TEST(test_decode_unknown), TEST(test_decode_sentences), TEST(test_fit),
      TEST(test_fit_unknown),  TEST(test_fit_rows),     TEST(test_pictures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
