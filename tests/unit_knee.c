/* Knees of invented staircases: noise, one level, none, rising rates, holes, dips; the names the plateaus get; the staircase's own keeping.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/knee.h"

static uint32_t seed;
static double roll(void) { return (seed = seed * 1664525u + 1013904223u) / 4294967296.0; }

/* An invented machine: sets up to size[i] are read at rate[i], the last rate goes on; between two levels the way down takes `way` octaves.
 */
struct invented {
  int levels;
  double size[6], rate[7], way;
};

static double rate_at(const struct invented *m, double byte) {
  double rate = m->rate[0];
  for (int i = 0; i < m->levels; i++) {
    double past = log2(byte / m->size[i]), step = m->rate[i + 1] / m->rate[i];
    rate *= past <= 0 ? 1 : past >= m->way ? step : pow(step, past / m->way);
  }
  return rate;
}

static int staircase(const struct invented *m, double lo, double hi, double noise, double byte[], double value[]) {
  int n = stair_sizes(lo, hi, 6, byte, STAIR_MAX);
  for (int i = 0; i < n; i++) value[i] = rate_at(m, byte[i]) * (1 + noise * (2 * roll() - 1));
  return n;
}

static const struct invented plain = {3, {65536, 1048576, 33554432}, {400e9, 200e9, 80e9, 20e9}, 0.5};

static void assert_knees(const struct plateau *p, int n, const struct invented *m, double lo, double hi) {
  if (n != m->levels + 1) fail_msg("%d plateaus of %d", n, m->levels + 1);
  for (int i = 0; i < n; i++) {
    if (i < m->levels && !(p[i].knee > lo * m->size[i] && p[i].knee < hi * m->size[i]))
      fail_msg("knee %d at %g, the level ends at %g", i, p[i].knee, m->size[i]);
    if (!(fabs(log2(p[i].value / m->rate[i])) < 0.25)) fail_msg("plateau %d at %g, the level reads at %g", i, p[i].value, m->rate[i]);
  }
  assert_true(isnan(p[n - 1].knee));
}

static void test_plain(void **state) {
  (void)state;
  double byte[STAIR_MAX], value[STAIR_MAX];
  struct plateau p[PLATEAU_MAX];
  seed = 1;
  int n = staircase(&plain, 4096, 512e6, 0, byte, value);
  assert_knees(p, knee_find(byte, value, n, true, p), &plain, 0.9, 1.4);
  for (int i = 0; i < n; i++) value[i] = 1 / value[i]; /* a latency rises where a rate falls */
  int count = knee_find(byte, value, n, false, p);
  assert_int_equal(count, 4);
  for (int i = 0; i < 3; i++) assert_true(p[i].knee > 0.9 * plain.size[i] && p[i].knee < 1.4 * plain.size[i]);
  assert_true(fabs(p[0].value * 400e9 - 1) < 0.1);
}

/* Up to a fifth either way, on each point: never a knee too many or too few, and each within a factor of two of the truth. */
static void test_noise(void **state) {
  (void)state;
  double byte[STAIR_MAX], value[STAIR_MAX];
  struct plateau p[PLATEAU_MAX];
  for (int round = 0; round < 300; round++) {
    seed = (uint32_t)round;
    double noise = 0.2 * roll();
    struct invented m = plain;
    m.way = 0.1 + 1.2 * roll();
    int n = staircase(&m, 4096, 512e6, noise, byte, value);
    assert_knees(p, knee_find(byte, value, n, true, p), &m, 0.6, 2);
  }
}

/* Points that someone else's work spoiled: single ones anywhere, and one dip of four in the middle of a plateau. */
static void test_dips(void **state) {
  (void)state;
  double byte[STAIR_MAX], value[STAIR_MAX];
  struct plateau p[PLATEAU_MAX];
  for (int round = 0; round < 100; round++) {
    seed = 1000u + (uint32_t)round;
    int n = staircase(&plain, 4096, 512e6, 0.05, byte, value);
    for (int i = (int)(roll() * 8); i < n; i += 5 + (int)(roll() * 10)) value[i] *= 0.3 + 0.4 * roll();
    int at = 28 + (int)(roll() * 12); /* inside the second plateau */
    for (int i = at; i < at + 4; i++) value[i] *= 0.5;
    assert_knees(p, knee_find(byte, value, n, true, p), &plain, 0.5, 2);
  }
}

static void test_few(void **state) {
  (void)state;
  double byte[STAIR_MAX], value[STAIR_MAX];
  struct plateau p[PLATEAU_MAX];
  struct invented flat = {0, {0}, {20e9}, 1};
  seed = 5;
  int n = staircase(&flat, 4096, 512e6, 0.1, byte, value);
  assert_knees(p, knee_find(byte, value, n, true, p), &flat, 0, 1); /* one level: one plateau that does not end */
  struct invented one = {1, {1048576}, {100e9, 10e9}, 0.3};
  n = staircase(&one, 4096, 512e6, 0.1, byte, value);
  assert_knees(p, knee_find(byte, value, n, true, p), &one, 0.8, 1.5);
  assert_int_equal(knee_find(byte, value, 0, true, p), 0);
  assert_int_equal(knee_find(byte, value, 3, true, p), 0);
  for (int i = 0; i < n; i++) value[i] = 1e15 / byte[i]; /* no plateau anywhere: falling all the way */
  assert_int_equal(knee_find(byte, value, n, true, p), 0);
  for (int i = 0; i < n; i++) value[i] = NAN;
  assert_int_equal(knee_find(byte, value, n, true, p), 0);
}

/* Small sets are slow for the loop's sake: rates that rise are one plateau, and no knee. */
static void test_rising(void **state) {
  (void)state;
  double byte[STAIR_MAX], value[STAIR_MAX];
  struct plateau p[PLATEAU_MAX];
  seed = 9;
  int n = staircase(&plain, 4096, 512e6, 0.03, byte, value);
  for (int i = 0; i < n && byte[i] < 32768; i++) value[i] *= sqrt(byte[i] / 32768);
  int count = knee_find(byte, value, n, true, p);
  assert_int_equal(count, 4);
  assert_true(p[0].knee > 50e3 && p[0].knee < 100e3);
  for (int i = 0; i < n; i++) value[i] = byte[i]; /* rising for ever */
  count = knee_find(byte, value, n, true, p);
  for (int i = 0; i < count; i++) assert_true(isnan(p[i].knee));
}

static void test_holes(void **state) {
  (void)state;
  double byte[STAIR_MAX], value[STAIR_MAX];
  struct plateau p[PLATEAU_MAX];
  seed = 13;
  int n = staircase(&plain, 4096, 512e6, 0.05, byte, value);
  const double none[] = {NAN, 0, -1, INFINITY};
  for (int i = 0; i < n; i += 7) value[i] = none[i / 7 % 4];
  assert_knees(p, knee_find(byte, value, n, true, p), &plain, 0.6, 2);
  /* Measured as far as the way down only: the plateau ends, whatever comes. */
  struct invented slow = {1, {1048576}, {100e9, 1e9}, 6};
  n = staircase(&slow, 4096, 8e6, 0.02, byte, value);
  int count = knee_find(byte, value, n, true, p);
  assert_int_equal(count, 1);
  assert_true(p[0].knee > 0.8e6 && p[0].knee < 4e6);
}

/* ---- names ---- */
static void device_with(struct device *d, int caches, const double *byte, const int *count) {
  static const char *const name[] = {"L1", "L2", "L3", "L4"};
  device_clear(d);
  d->nlevel = caches + 1;
  for (int i = 0; i < caches; i++) {
    strcpy(d->level[i].name, name[i]);
    d->level[i].count = count[i];
    d->level[i].byte.value = byte[i];
  }
  strcpy(d->level[caches].name, "DRAM");
  d->level[caches].byte.value = 16e9;
  d->machine.threads = 2;
}

static void stair_fill(struct device *d, const struct invented *m) {
  double byte[STAIR_MAX], value[STAIR_MAX];
  int n = staircase(m, 4096, 512e6, 0.05, byte, value);
  for (int i = 0; i < n; i++) {
    struct stair_point p = {.byte = byte[i], .value = value[i]};
    assert_true(stair_put(&d->machine.stair[STAIR_TEAM], &p));
  }
  knee_take(d);
}

static void test_names(void **state) {
  (void)state;
  struct device d;
  seed = 21;
  device_with(&d, 3, (double[]){32768, 524288, 33554432}, (int[]){2, 2, 1});
  stair_fill(&d, &plain);
  assert_int_equal(d.machine.nplateau, 4);
  for (int i = 0; i < 4; i++) assert_true(d.machine.plateau[i].level == i && d.machine.plateau[i].agrees);
  assert_true(d.level[0].knee_byte.value > 25e3 && d.level[0].knee_byte.value < 50e3); /* of one instance */
  assert_string_equal(knee_words(&d, 2), "as declared");

  /* 32 MiB declared, 4 MiB got: the knee is the L3's, and does not agree. */
  struct invented slice = plain;
  slice.size[2] = 4194304;
  device_with(&d, 3, (double[]){32768, 524288, 33554432}, (int[]){2, 2, 1});
  stair_fill(&d, &slice);
  assert_int_equal(d.machine.plateau[2].level, 2);
  assert_false(d.machine.plateau[2].agrees);
  assert_true(d.level[2].knee_byte.value < 8e6);
  assert_string_equal(knee_words(&d, 2), "a slice");
  assert_string_equal(knee_words(&d, 1), "as declared");

  /* The L2's size is not known: its knee is measured, and nothing is said to agree. */
  device_with(&d, 3, (double[]){32768, NAN, 33554432}, (int[]){2, 2, 1});
  stair_fill(&d, &plain);
  assert_int_equal(d.machine.plateau[1].level, 1);
  assert_false(d.machine.plateau[1].agrees);
  assert_string_equal(knee_words(&d, 1), "size unknown");

  /* A level whose plateau cannot be told from its neighbour's: no knee, and the others keep their names. */
  struct invented merged = {2, {65536, 33554432}, {400e9, 80e9, 20e9}, 0.5};
  device_with(&d, 3, (double[]){32768, 524288, 33554432}, (int[]){2, 2, 1});
  stair_fill(&d, &merged);
  assert_int_equal(d.machine.nplateau, 3);
  assert_true(d.machine.plateau[0].level == 0 && d.machine.plateau[1].level == 2 && d.machine.plateau[2].level == 3);
  assert_string_equal(knee_words(&d, 1), "no knee");

  /* A knee nobody declared, between two that are: counting would call it L3. */
  struct invented extra = {3, {65536, 1048576, 33554432}, {400e9, 200e9, 80e9, 20e9}, 0.5};
  device_with(&d, 2, (double[]){32768, 33554432}, (int[]){2, 1});
  stair_fill(&d, &extra);
  assert_int_equal(d.machine.nplateau, 4);
  assert_true(d.machine.plateau[0].level == 0 && d.machine.plateau[1].level == -1 && d.machine.plateau[2].level == 1);
  assert_int_equal(d.machine.plateau[3].level, 2);

  device_with(&d, 0, NULL, NULL); /* no cache is known at all */
  stair_fill(&d, &plain);
  for (int i = 0; i < 3; i++) assert_int_equal(d.machine.plateau[i].level, -1);
  device_clear(&d); /* nor anything else */
  stair_fill(&d, &plain);
  assert_string_equal(knee_words(&d, 0), "not measured");
}

/* ---- the staircase itself ---- */
static void test_stair(void **state) {
  (void)state;
  static struct stair s;
  memset(&s, 0, sizeof s);
  assert_true(isnan(stair_at(&s, 4096)));
  const double size[] = {65536, 4096, 1048576, 65536};
  for (int i = 0; i < 4; i++) {
    struct stair_point p = {.byte = size[i], .value = 1e9 * (i + 1)};
    assert_true(stair_put(&s, &p));
  }
  assert_int_equal(s.n, 3); /* ascending, and the second 64 KiB stands in place of the first */
  assert_true(s.point[0].byte == 4096 && s.point[1].byte == 65536 && s.point[2].byte == 1048576);
  assert_true(stair_at(&s, 65536) == 4e9 && stair_at(&s, 4096) == 2e9 && stair_at(&s, 1048576) == 3e9);
  assert_true(fabs(stair_at(&s, 16384) - sqrt(8) * 1e9) < 1); /* halfway by ratio */
  assert_true(isnan(stair_at(&s, 4095)) && isnan(stair_at(&s, 1048577)) && isnan(stair_at(&s, NAN)));
  const struct stair_point bad[] = {
      {.byte = 0, .value = 1}, {.byte = NAN, .value = 1}, {.byte = 1, .value = 0}, {.byte = 1, .value = INFINITY}};
  for (int i = 0; i < 4; i++) assert_false(stair_put(&s, &bad[i]));
  for (int i = 0; i < 2 * STAIR_MAX; i++) {
    struct stair_point p = {.byte = 1e7 + i, .value = 1};
    assert_true(stair_put(&s, &p) == (i < STAIR_MAX - 3)); /* full: the rest is refused */
  }
  double sizes[STAIR_MAX];
  int n = stair_sizes(4096, 128 * 1048576.0, 6, sizes, STAIR_MAX);
  assert_int_equal(n, 91);
  assert_true(sizes[0] == 4096 && sizes[90] == 128 * 1048576.0);
  for (int i = 1; i < n; i++) assert_true(sizes[i] > sizes[i - 1] && sizes[i] / sizes[i - 1] < 1.2);
  assert_int_equal(stair_sizes(4096, 1e18, 6, sizes, STAIR_MAX), STAIR_MAX);
  assert_int_equal(stair_sizes(0, 1e6, 6, sizes, STAIR_MAX), 0);
  assert_int_equal(stair_sizes(1e6, 1e5, 6, sizes, STAIR_MAX), 0);
}

/* A staircase that was stopped on the way is told from a whole one. */
static void test_complete(void **state) {
  (void)state;
  static struct stair all[STAIR_KIND_N];
  memset(all, 0, sizeof all);
  assert_false(stair_complete(all));
  for (double byte = 4096; byte <= 128e6; byte *= 2) {
    struct stair_point p = {.byte = byte, .value = 1e9};
    stair_put(&all[STAIR_TEAM], &p);
  }
  assert_false(stair_complete(all));
  for (double byte = 4096; byte <= 64e6; byte *= 2) {
    assert_false(stair_complete(all));
    struct stair_point p = {.byte = byte, .value = 1e-9};
    stair_put(&all[STAIR_LATENCY], &p);
  }
  assert_true(stair_complete(all));
  struct stair_point far = {.byte = 4e9, .value = 1e9}, most = {.byte = 0.9e9, .value = 1e-7}; /* walks are not made so long */
  stair_put(&all[STAIR_TEAM], &far);
  assert_false(stair_complete(all));
  stair_put(&all[STAIR_LATENCY], &most);
  assert_true(stair_complete(all));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_noise),  cmocka_unit_test(test_dips),
                                     cmocka_unit_test(test_few),   cmocka_unit_test(test_rising), cmocka_unit_test(test_holes),
                                     cmocka_unit_test(test_names), cmocka_unit_test(test_stair),  cmocka_unit_test(test_complete)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
