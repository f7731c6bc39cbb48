/* The hierarchy scene's facts, table, words and requests: the chapter's ladder, this machine, and what is not known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenes/hierarchy.h"
#include "tests/support_world.h"
#include "tests/support_near.h"


static struct setup person(void) {
  struct setup s;
  setup_clear(&s);
  return s;
}
static double fact(const struct world *w, const struct setup *p, const char *name) { return scene_value(w, &scene_hierarchy, p, name); }
static const char *fact_word_of(const struct world *w, const struct setup *p, const char *name) {
  struct setup s;
  struct fact f[FACT_MAX];
  setup_for(w, &scene_hierarchy, p, &s);
  int n = scene_hierarchy.facts(w, &s, f);
  return fact_word(f, n, name);
}
static void verdict(const struct world *w, const struct setup *p, struct text *t) {
  struct setup s;
  struct fact f[FACT_MAX];
  setup_for(w, &scene_hierarchy, p, &s);
  int n = scene_hierarchy.facts(w, &s, f);
  text_clear(t);
  scene_hierarchy.verdict(f, n, t);
}

/* The chapter's H100: 132 × 228 kB at an unpublished rate, 50 MB, 80 GB at 3.35 TB/s, 450 GB/s to peers each way (900 both), 63 GB/s to the
 * host. */
static void h100(struct world *w) {
  struct device *d = &w->device[w->ndevice++];
  device_clear(d);
  strcpy(d->id, "h100");
  strcpy(d->name, "H100");
  static const struct {
    const char *name;
    int count;
    double byte, rate;
  } level[] = {{"shared memory", 132, 228e3, NAN}, {"L2", 1, 50e6, NAN}, {"HBM3", 1, 80e9, 3.35e12}};
  for (int i = 0; i < 3; i++) {
    struct level *l = &d->level[d->nlevel++];
    strcpy(l->name, level[i].name);
    l->count = level[i].count;
    l->byte = (struct figure){.value = level[i].byte, .source = SOURCE_VENDOR};
    l->byte_per_s = (struct figure){.value = level[i].rate, .source = SOURCE_VENDOR};
  }
  d->peak[DTYPE_BF16].value = 989e12;
  d->memory_byte.value = 80e9;
  d->memory_byte_per_s = (struct figure){.value = 3.35e12, .source = SOURCE_VENDOR};
  strcpy(d->peer.name, "NVLink4");
  d->peer.byte_per_s.value = 450e9;
  d->peer.byte_per_s_both.value = 900e9;
  strcpy(d->host.name, "PCIe5 x16");
  d->host.byte_per_s.value = 63e9;
}

static void test_chapter_ladder(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person();
  h100(w);
  person_set(w, &p, KNOB_DEVICE, 0, "h100");
  person_set(w, &p, KNOB_WORKING_SET, 14e9, NULL);
  assert_string_equal(fact_word_of(w, &p, "level"), "HBM3");
  NEAR(fact(w, &p, "read_time"), 4.18e-3, 0.001);
  NEAR(fact(w, &p, "host_link_time"), 222e-3, 0.002);
  NEAR(fact(w, &p, "memory_sweep_time"), 23.9e-3, 0.002);
  NEAR(fact(w, &p, "memory_over_host"), 53.2, 0.001);
  NEAR(fact(w, &p, "memory_over_peer"), 7.44, 0.001);
  NEAR(fact(w, &p, "memory_over_peer_headline"), 3.72, 0.001);
  NEAR(fact(w, &p, "peer_over_host"), 7.14, 0.001);
  NEAR(fact(w, &p, "peer_headline_over_host"), 14.3, 0.002);
  NEAR(fact(w, &p, "size_step_least"), 1.66, 0.002);
  NEAR(fact(w, &p, "size_step_most"), 1600, 0.001);
  NEAR(fact(w, &p, "flop_per_byte"), 295.2, 0.001);
  assert_string_equal(fact_word_of(w, &p, "order_claim"), "not for sizes");
  assert_string_equal(fact_word_of(w, &p, "next_level"), "PCIe5 x16");
  NEAR(fact(w, &p, "next_ratio"), 53.2, 0.001);

  /* On chip the sheet gives capacities and no rates: unknown, not zero and not main memory's. */
  person_set(w, &p, KNOB_WORKING_SET, 1e6, NULL);
  assert_string_equal(fact_word_of(w, &p, "level"), "shared memory");
  NEAR(fact(w, &p, "level_byte"), 30.1e6, 0.001);
  assert_true(isnan(fact(w, &p, "level_byte_per_s")) && isnan(fact(w, &p, "read_time")) && isnan(fact(w, &p, "next_ratio")));
  struct text t;
  verdict(w, &p, &t);
  assert_non_null(strstr(t.s, "not published"));
  free(w);
}

static void test_here(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person();
  assert_string_equal(fact_word_of(w, &p, "level"), "L1"); /* starts on this machine with a set its nearest level holds */
  NEAR(fact(w, &p, "working_set"), 65536, 0);
  NEAR(fact(w, &p, "level_byte_per_s"), 400e9, 0);
  NEAR(fact(w, &p, "read_time"), 65536 / 400e9, 1e-12);
  NEAR(fact(w, &p, "next_ratio"), 2, 1e-12);
  NEAR(fact(w, &p, "flop_per_byte"), 5, 1e-12);
  assert_string_equal(fact_word_of(w, &p, "next_level"), "L2");
  assert_string_equal(fact_word_of(w, &p, "state"), "not measured yet: m");
  NEAR(fact(w, &p, "speed_step_least"), 2, 1e-12);
  NEAR(fact(w, &p, "speed_step_most"), 4, 1e-12);

  /* Three fp32 matrices in 32 KiB and in 1 MiB. */
  w->device[0].level[0].byte.value = 32768;
  person_set(w, &p, KNOB_WORKING_SET, 1024, NULL);
  NEAR(fact(w, &p, "matrix_n"), 52, 0);
  person_set(w, &p, KNOB_WORKING_SET, 1e6, NULL);
  NEAR(fact(w, &p, "matrix_n"), 295, 0);

  /* The knee stands before what the system declares, and both are said. */
  w->device[0].level[2].knee_byte.value = 4194304;
  person_set(w, &p, KNOB_WORKING_SET, 3e6, NULL);
  assert_string_equal(fact_word_of(w, &p, "level"), "L3");
  NEAR(fact(w, &p, "level_byte"), 4194304, 0);
  NEAR(fact(w, &p, "declared_byte"), 33554432, 0);
  NEAR(fact(w, &p, "knee_byte"), 4194304, 0);
  struct text t;
  verdict(w, &p, &t);
  assert_non_null(strstr(t.s, "32"));
  assert_non_null(strstr(t.s, "knee"));
  person_set(w, &p, KNOB_WORKING_SET, 5e6, NULL);
  assert_string_equal(fact_word_of(w, &p, "level"), "DRAM");
  free(w);
}

static void test_measured(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person(), s;
  struct request r[REQUEST_MAX];
  setup_for(w, &scene_hierarchy, &p, &s);
  int n = scene_hierarchy.measures(w, &s, r);
  assert_true(n >= 6 && n <= REQUEST_MAX);
  assert_int_equal(r[0].op, OP_READ);
  NEAR(4 * r[0].shape.n, 65536, 0); /* the set on show first */
  bool inside[4] = {false};
  double lo[] = {0, 65536, 1048576, 33554432}, hi[] = {65536, 1048576, 33554432, 4e9};
  for (int i = 0; i < n; i++) {
    double byte = 4 * r[i].shape.n;
    assert_true(byte >= 1024 && byte <= w->device[0].machine.memory_cap_byte);
    for (int l = 0; l < 4; l++) inside[l] = inside[l] || (byte > lo[l] && byte <= hi[l]);
    for (int k = 0; k < i; k++) assert_false(request_equal(&r[i], &r[k]));
  }
  for (int l = 0; l < 4; l++) assert_true(inside[l]);

  world_measured(w, &r[0], 65536 / 380e9, 5);
  NEAR(fact(w, &p, "measured_byte_per_s"), 380e9, 1e-9);
  NEAR(fact(w, &p, "measured_ratio"), 0.95, 1e-9);
  assert_string_equal(fact_word_of(w, &p, "state"), "measured");
  for (int i = 1; i < n; i++) world_measured(w, &r[i], 4 * r[i].shape.n / 100e9, 3);
  struct read_point point[READ_POINT_MAX];
  assert_int_equal(hierarchy_read_points(w, point, READ_POINT_MAX), n);
  for (int i = 1; i < n; i++) assert_true(point[i].byte > point[i - 1].byte);
  strcpy(w->machine, "another"); /* runs of another machine are not this one's */
  assert_int_equal(hierarchy_read_points(w, point, READ_POINT_MAX), 0);
  assert_true(isnan(fact(w, &p, "measured_byte_per_s")));

  person_set(w, &p, KNOB_DEVICE, 0, "illustrative"); /* only this machine can be measured */
  setup_for(w, &scene_hierarchy, &p, &s);
  assert_int_equal(scene_hierarchy.measures(w, &s, r), 0);
  free(w);
}

static void test_rows(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person(), s;
  struct fact f[FACT_MAX];
  h100(w);
  setup_for(w, &scene_hierarchy, &p, &s);
  int n = 0, rows = 0;
  double share = 0, before = INFINITY;
  while ((n = hierarchy_rows(w, &s, rows, f)) > 0) {
    double rate = fact_value(f, n, "byte_per_s"), held = fact_value(f, n, "held_share");
    assert_true(rate < before && held >= share && held <= 1);
    before = rate, share = held;
    NEAR(fact_value(f, n, "sweep_time"), fact_value(f, n, "byte") / rate, 1e-12);
    rows++;
  }
  assert_int_equal(rows, 4);
  assert_int_equal(hierarchy_rows(w, &s, -1, f), 0);
  assert_int_equal(hierarchy_rows(w, &s, 99, f), 0);

  person_set(w, &p, KNOB_WORKING_SET, 4 * 65536, NULL);
  setup_for(w, &scene_hierarchy, &p, &s);
  n = hierarchy_rows(w, &s, 0, f);
  NEAR(fact_value(f, n, "held_share"), 0.25, 1e-12);

  person_set(w, &p, KNOB_DEVICE, 0, "h100");
  setup_for(w, &scene_hierarchy, &p, &s);
  n = hierarchy_rows(w, &s, 3, f); /* the links come after the levels, each per direction, the headline apart */
  assert_string_equal(fact_word(f, n, "name"), "NVLink4");
  NEAR(fact_value(f, n, "byte_per_s"), 450e9, 0);
  NEAR(fact_value(f, n, "both_byte_per_s"), 900e9, 0);
  n = hierarchy_rows(w, &s, 4, f);
  assert_string_equal(fact_word(f, n, "name"), "PCIe5 x16");
  assert_int_equal(hierarchy_rows(w, &s, 5, f), 0);

  struct device *d = &w->device[device_find(w, "h100")]; /* a CPU's cache on the same chip is listed last, and serves nothing */
  strcpy(d->aside[0].name, "CPU L2");
  d->aside[0].count = 1;
  d->aside[0].byte.value = 12e6;
  d->naside = 1;
  n = hierarchy_rows(w, &s, 5, f);
  assert_string_equal(fact_word(f, n, "name"), "CPU L2");
  NEAR(fact_value(f, n, "byte"), 12e6, 0);
  assert_string_equal(fact_word(f, n, "serves"), "the CPU only");
  assert_int_equal(hierarchy_rows(w, &s, 6, f), 0);
  free(w);
}

/* "Ten times a level": held against rates and sizes apart, a factor of three either way. */
static void test_claim(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person();
  static const struct {
    double rate, size;
    const char *claim;
  } step[] = {{10, 10, "holds"},          {3.4, 29, "holds"},         {10, 100, "not for sizes"},    {10, 2, "not for sizes"},
              {100, 10, "not for rates"}, {1.5, 10, "not for rates"}, {2, 1000, "holds for neither"}};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    struct device *d = &w->device[0];
    for (int l = 0; l < d->nlevel; l++) {
      d->level[l].byte.value = 1e4 * pow(step[i].size, l);
      d->level[l].byte_per_s.value = 1e12 / pow(step[i].rate, l);
    }
    d->machine.read_byte_per_s = d->memory_byte_per_s.value = d->level[d->nlevel - 1].byte_per_s.value;
    assert_string_equal(fact_word_of(w, &p, "order_claim"), step[i].claim);
  }
  free(w);
}

static void test_unknown(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person(), s;
  struct fact f[FACT_MAX];
  struct text t;
  person_set(w, &p, KNOB_DEVICE, 0, "blank");
  setup_for(w, &scene_hierarchy, &p, &s);
  int n = scene_hierarchy.facts(w, &s, f);
  for (int i = 0; i < n; i++)
    if (strcmp(f[i].name, "working_set") != 0 && strcmp(f[i].name, "stride_byte") != 0 && strcmp(f[i].name, "chain_count") != 0 &&
        !isnan(f[i].value)) /* knobs are known */
      fail_msg("%s is %g where nothing is known", f[i].name, f[i].value);
  assert_int_equal(hierarchy_rows(w, &s, 0, f), 0);
  verdict(w, &p, &t);
  assert_true(t.n > 0);
  device_clear(&w->device[0]); /* this machine before it was measured */
  p = person();
  verdict(w, &p, &t);
  assert_non_null(strstr(t.s, "R measures"));
  free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chapter_ladder), cmocka_unit_test(test_here),  cmocka_unit_test(test_measured),
                                     cmocka_unit_test(test_rows),           cmocka_unit_test(test_claim), cmocka_unit_test(test_unknown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
