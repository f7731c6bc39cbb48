/* The hierarchy scene beyond its boxes: the staircase, the stride and the chains as facts and words, on machines made for it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/knee.h"
#include "scenes/hierarchy.h"
#include "tests/support_world.h"
#include "tests/support_near.h"


struct seen {
  struct setup s;
  struct fact f[FACT_MAX];
  int n;
  struct text t;
};

static struct setup person(const struct world *w, const char *view, double set) {
  struct setup p;
  setup_clear(&p);
  person_set(w, &p, KNOB_VIEW, 0, view);
  person_set(w, &p, KNOB_WORKING_SET, set, NULL);
  return p;
}

static const struct seen *see(const struct world *w, const struct setup *p) {
  static struct seen seen;
  setup_for(w, &scene_hierarchy, p, &seen.s);
  seen.n = scene_hierarchy.facts(w, &seen.s, seen.f);
  text_clear(&seen.t);
  scene_hierarchy.verdict(seen.f, seen.n, &seen.t);
  return &seen;
}
static double value(const struct seen *s, const char *name) {
  if (!fact_find(s->f, s->n, name)) fail_msg("no fact %s", name);
  return fact_value(s->f, s->n, name);
}
static const char *word(const struct seen *s, const char *name) { return fact_word(s->f, s->n, name); }
static void assert_says(const struct seen *s, const char *words) {
  if (!strstr(s->t.s, words)) fail_msg("\"%s\" is not said: %s", words, s->t.s);
}

/* Reads at 400, 200, 80 and 20 GB/s with ends at size[]; one thread reads half of it; loads take 1, 4, 15 and 100 ns. */
static void stair_give(struct world *w, const double size[3]) {
  static const double rate[] = {400e9, 200e9, 80e9, 20e9}, latency[] = {1e-9, 4e-9, 15e-9, 100e-9};
  double byte[STAIR_MAX];
  int n = stair_sizes(4096, 512e6, 6, byte, STAIR_MAX);
  struct device *d = &w->device[0];
  for (int i = 0; i < n; i++) {
    int l = 0;
    while (l < 3 && byte[i] > size[l]) l++;
    struct stair_point p = {.byte = byte[i], .value = rate[l]};
    stair_put(&d->machine.stair[STAIR_TEAM], &p);
    p.value = rate[l] / 2;
    stair_put(&d->machine.stair[STAIR_ONE], &p);
    p.value = latency[l];
    stair_put(&d->machine.stair[STAIR_LATENCY], &p);
  }
  knee_take(d);
}
static const double as_declared[] = {65536, 1048576, 33554432};

static void test_staircase(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person(w, "staircase", 524288);
  const struct seen *s = see(w, &p);
  assert_true(isnan(value(s, "stair_byte_per_s")) && isnan(value(s, "plateau_knee_byte")));
  assert_string_equal(word(s, "plateau"), "not measured yet");
  assert_string_equal(word(s, "cache_share"), "not measured");
  assert_says(s, "ridge measure --thorough");
  NEAR(value(s, "set_latency"), 4e-9, 0); /* the level's, until this size is measured */

  stair_give(w, as_declared);
  s = see(w, &p);
  NEAR(value(s, "stair_byte_per_s"), 200e9, 1e-9);
  NEAR(value(s, "stair_one_byte_per_s"), 100e9, 1e-9);
  NEAR(value(s, "set_latency"), 4e-9, 1e-9);
  assert_string_equal(word(s, "plateau"), "L2");
  NEAR(value(s, "plateau_byte_per_s"), 200e9, 1e-6);
  NEAR(value(s, "plateau_step"), 2.5, 1e-6);
  NEAR(value(s, "plateau_knee_byte"), 1048576, 0.1);
  NEAR(value(s, "lines_in_flight"), 200e9 * 4e-9 / 64, 1e-9); /* Little */
  assert_string_equal(word(s, "cache_share"), "as declared");
  assert_says(s, "the plateau of L2, read at 200 GB/s; one load takes 4.00 ns");
  assert_null(strstr(s->t.s, "slice"));
  p = person(w, "staircase", 256e6);
  s = see(w, &p);
  assert_string_equal(word(s, "plateau"), "DRAM");
  assert_true(isnan(value(s, "plateau_knee_byte")) && isnan(value(s, "plateau_step")));
  p = person(w, "staircase", 1e12); /* beyond what was measured */
  s = see(w, &p);
  assert_true(isnan(value(s, "stair_byte_per_s")));
  free(w);
}

static void test_slice(void **state) {
  (void)state;
  struct world *w = world_invented();
  stair_give(w, (double[]){65536, 1048576, 4194304});
  struct setup p = person(w, "staircase", 3e6);
  const struct seen *s = see(w, &p);
  assert_string_equal(word(s, "plateau"), "plateau 3"); /* no declared size agrees: no level's name */
  assert_string_equal(word(s, "level"), "L3");
  assert_string_equal(word(s, "cache_share"), "a slice");
  NEAR(value(s, "declared_byte"), 33554432, 0);
  assert_true(value(s, "knee_byte") < 6e6);
  assert_says(s, "you own a slice of this cache");
  p = person(w, "levels", 3e6);
  assert_says(see(w, &p), "The system says 32.0 MiB, the knee is at 4");
  p = person(w, "levels", 8e6); /* what the slice no longer holds, memory serves */
  assert_string_equal(word(see(w, &p), "level"), "DRAM");
  free(w);
}

static void test_size_unknown(void **state) {
  (void)state;
  struct world *w = world_invented();
  w->device[0].level[1].byte = (struct figure){.value = NAN};
  stair_give(w, as_declared);
  struct setup p = person(w, "levels", 524288);
  const struct seen *s = see(w, &p);
  assert_string_equal(word(s, "cache_share"), "size unknown");
  assert_string_equal(word(s, "level"), "L2"); /* by its knee */
  assert_says(s, "size unknown, the knee is at 1");
  p = person(w, "staircase", 524288);
  s = see(w, &p);
  assert_string_equal(word(s, "plateau"), "plateau 2");
  assert_says(s, "size unknown");
  free(w);
}

static void test_not_separable(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person(w, "levels", 20e6);
  assert_string_equal(word(see(w, &p), "separable"), "yes");
  /* Two threads with 12 MiB of their own each before a shared 32: less than 1.5 times 24. */
  struct device *d = &w->device[0];
  d->level[1].count = 2, d->level[1].byte.value = 12582912;
  p = person(w, "levels", 30e6);
  const struct seen *s = see(w, &p);
  assert_string_equal(word(s, "level"), "L3");
  assert_string_equal(word(s, "separable"), "not at all threads");
  assert_says(s, "L3 is not separable at all threads");
  d->level[1].byte.value = 8388608;
  assert_string_equal(word(see(w, &p), "separable"), "yes");
  struct trust t = {.name = "level_rate", .dtype = DTYPE_FP32, .level = 2, .threads = 1, .samples = 3, .flags = FLAG_NOT_SEPARABLE};
  assert_true(trust_put(&d->machine, &t)); /* and where the measurement itself said so */
  assert_string_equal(word(see(w, &p), "separable"), "not at all threads");
  free(w);
}

static void test_stride(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct request r[REQUEST_MAX];
  static const struct {
    double stride, share, asked;
  } row[] = {{4, 1, 20e9}, {8, 0.5, 10e9}, {16, 0.25, 5e9}, {64, 0.0625, 1.25e9}, {4096, 0.0625, 1.25e9}, {1048576, 0.0625, 1.25e9}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct setup p = person(w, "stride", 256e6);
    person_set(w, &p, KNOB_STRIDE, row[i].stride, NULL);
    const struct seen *s = see(w, &p);
    NEAR(value(s, "useful_share"), row[i].share, 1e-12);
    NEAR(value(s, "asked_byte_per_s"), row[i].asked, 1e-12);
    int n = scene_hierarchy.measures(w, &s->s, r);
    assert_true(n >= 8 && n <= REQUEST_MAX);
    assert_true(r[0].op == OP_STRIDED && r[0].shape.stride == row[i].stride && 4 * r[0].shape.n == 256e6);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < a; b++) assert_false(request_equal(&r[a], &r[b]));
  }
  /* In the nearest cache it is the loads that bound: 2 threads, two a cycle of 3 GHz, 4 bytes each. */
  struct setup p = person(w, "stride", 32768);
  person_set(w, &p, KNOB_STRIDE, 8, NULL);
  NEAR(value(see(w, &p), "asked_byte_per_s"), 2 * 2 * 3e9 * 4, 1e-12);
  NEAR(value(see(w, &p), "load_byte_per_s"), 2 * 2 * 3e9 * 4, 1e-12);
  assert_says(see(w, &p), "a larger set shows what layout costs");
  person_set(w, &p, KNOB_STRIDE, 12, NULL); /* no power of two: the nearest is taken */
  NEAR(value(see(w, &p), "stride_byte"), 16, 0);

  p = person(w, "stride", 256e6);
  struct request contiguous = hierarchy_strided(256e6, 4), spread = hierarchy_strided(256e6, 4096);
  world_measured(w, &contiguous, 256e6 / 18e9, 3);
  world_measured(w, &spread, 256e6 / 3e9, 3);
  person_set(w, &p, KNOB_STRIDE, 4096, NULL);
  const struct seen *s = see(w, &p);
  NEAR(value(s, "measured_byte_per_s"), 3e9 / 16, 1e-9); /* asked for */
  NEAR(value(s, "carried_byte_per_s"), 3e9, 1e-9);
  NEAR(value(s, "contiguous_byte_per_s"), 18e9, 1e-9);
  NEAR(value(s, "layout_loss"), 96, 1e-9);
  NEAR(value(s, "measured_ratio"), 3e9 / 16 / 1.25e9, 1e-9);
  assert_string_equal(word(s, "state"), "measured");
  assert_says(s, "The layout costs 96.0×");
  assert_says(s, "another page");

  p = person(w, "stride", 8192); /* four steps of a page do not fit: nothing to run but what does */
  person_set(w, &p, KNOB_STRIDE, 4096, NULL);
  s = see(w, &p);
  assert_says(s, "too small for this stride");
  int n = scene_hierarchy.measures(w, &s->s, r);
  for (int i = 0; i < n; i++) assert_true(r[i].shape.stride <= 1024);

  person_set(w, &p, KNOB_DEVICE, 0, "illustrative"); /* how many bytes a line of an accelerator has, no sheet says */
  s = see(w, &p);
  assert_true(isnan(value(s, "useful_share")) && isnan(value(s, "asked_byte_per_s")));
  assert_int_equal(scene_hierarchy.measures(w, &s->s, r), 0);
  free(w);
}

static void test_chains(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct request r[REQUEST_MAX];
  stair_give(w, as_declared);
  for (double chains = 1; chains <= 8; chains *= 2) {
    struct setup p = person(w, "chains", 256e6);
    person_set(w, &p, KNOB_CHAINS, chains, NULL);
    const struct seen *s = see(w, &p);
    NEAR(value(s, "chain_byte_per_s"), chains * 64 / 100e-9, 1e-9);
    NEAR(value(s, "one_thread_byte_per_s"), 10e9, 1e-9);
    NEAR(value(s, "chains_to_fill"), 10e9 * 100e-9 / 64, 1e-9);
    int n = scene_hierarchy.measures(w, &s->s, r);
    assert_int_equal(n, 4);
    assert_true(r[0].op == OP_LATENCY && r[0].shape.chain == chains && r[0].threads == 1 && 64 * r[0].shape.n == 256e6);
    world_measured(w, &r[0], 256e6 / (chains * 0.6e9), 3);
    s = see(w, &p);
    NEAR(value(s, "measured_byte_per_s"), chains * 0.6e9, 1e-9);
    NEAR(value(s, "measured_ratio"), 0.6 / 0.64, 1e-9);
    NEAR(value(s, "chain_gain"), chains, 1e-9);
    assert_says(s, "bandwidth is not 64 B / latency");
  }
  struct setup p = person(w, "chains", 32768); /* a line a nanosecond and chain: eight would bring 512 GB/s, one thread reads 200 */
  person_set(w, &p, KNOB_CHAINS, 8, NULL);
  NEAR(value(see(w, &p), "chain_byte_per_s"), 200e9, 1e-9);
  person_set(w, &p, KNOB_CHAINS, 3, NULL);
  NEAR(value(see(w, &p), "chain_count"), 4, 0);
  free(w);
}

/* Each view has its own first facts and knobs; all facts can be printed from every view. */
static void test_views(void **state) {
  (void)state;
  struct world *w = world_invented();
  static const char *const view[] = {"levels", "staircase", "stride", "chains"};
  int names = 0;
  for (int i = 0; i < 4; i++) {
    struct setup p = person(w, view[i], 65536);
    const struct seen *s = see(w, &p);
    assert_string_equal(word(s, "view"), view[i]);
    assert_true(names == 0 || names == s->n);
    names = s->n;
    assert_true(scene_hierarchy.applies(&s->s, KNOB_STRIDE) == (i == 2));
    assert_true(scene_hierarchy.applies(&s->s, KNOB_CHAINS) == (i == 3));
    assert_int_equal(fact_find(s->f, s->n, "read_time")->detail, i == 0 ? 1 : 2);
    assert_int_equal(fact_find(s->f, s->n, "useful_share")->detail, i == 2 ? 1 : 2);
    const struct fact *first = NULL; /* what a guess is about */
    for (int k = 0; k < s->n && !first; k++)
      if (s->f[k].measured && s->f[k].label && !s->f[k].word) first = &s->f[k];
    assert_string_equal(first->name, "measured_byte_per_s");
  }
  free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_staircase),    cmocka_unit_test(test_slice),
                                     cmocka_unit_test(test_size_unknown), cmocka_unit_test(test_not_separable),
                                     cmocka_unit_test(test_stride),       cmocka_unit_test(test_chains),
                                     cmocka_unit_test(test_views)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
