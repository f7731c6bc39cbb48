/* What stands behind a figure: taken in once a figure, found by what is known of it, carried by the lines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/line.h"

static struct trust trust_of(const char *name, enum isa isa, int threads, int samples) {
  struct trust t = {.dtype = DTYPE_FP32, .isa = isa, .level = -1, .threads = threads, .samples = samples, .spread = NAN, .seed = 1};
  snprintf(t.name, sizeof t.name, "%s", name);
  return t;
}

static void test_put(void **state) {
  (void)state;
  static struct machine m;
  m.ntrust = 0;
  struct trust a = trust_of("peak", ISA_AVX2, 1, 3), b = trust_of("peak", ISA_AVX2, 2, 4), c = trust_of("peak", ISA_SSE2, 2, 5);
  assert_true(trust_put(&m, &a) && trust_put(&m, &b) && trust_put(&m, &c));
  assert_int_equal(m.ntrust, 3);
  a.samples = 30; /* the same figure again: one row still, the new one */
  assert_true(trust_put(&m, &a));
  assert_int_equal(m.ntrust, 3);
  assert_int_equal(trust_find(&m, "peak", ISA_AVX2, DTYPE_FP32, 1, -1)->samples, 30);
  assert_int_equal(trust_find(&m, "peak", ISA_AVX2, DTYPE_FP32, 2, -1)->samples, 4);
  assert_int_equal(trust_find(&m, "peak", ISA_SSE2, DTYPE_FP32, 0, -1)->samples, 5);
  assert_int_equal(trust_find(&m, "peak", ISA_AUTO, DTYPE_FP32, 0, -1)->samples, 30); /* of several the last taken in */
  assert_null(trust_find(&m, "peak", ISA_AVX2, DTYPE_FP64, 1, -1));
  assert_null(trust_find(&m, "read", ISA_AUTO, DTYPE_FP32, 0, -1));
  for (int i = 0; i < 2 * TRUST_MAX; i++) {
    struct trust t = trust_of("read", ISA_AUTO, i + 1, 1);
    assert_int_equal(trust_put(&m, &t), i < TRUST_MAX - 3);
  }
  assert_int_equal(m.ntrust, TRUST_MAX);
}

/* A figure line's samples, spread, seed and flags are there when it has been written, read and applied. */
static void test_line(void **state) {
  (void)state;
  static struct device d;
  struct line l, back;
  struct err e;
  char text[LINE_BYTE_MAX + 1];
  device_clear(&d);
  d.machine.threads = 2;
  line_clear(&l, LINE_FIGURE);
  strcpy(l.name, "triad_nt");
  l.value = 3e10;
  l.request.isa = ISA_AVX2;
  l.request.threads = 2;
  l.samples = 7;
  l.spread = 0.0125;
  l.seed = 5;
  l.thorough = true;
  l.flags = FLAG_DISTURBED | FLAG_IN_CACHE;
  assert_true(line_print(&l, text, sizeof text) > 0);
  assert_non_null(strstr(text, "\"n\":7,\"statistic\":\"best\""));
  if (!line_read(text, &back, &e)) fail_msg("%s", e.text);
  assert_true(line_apply(&back, &d));
  const struct trust *t = trust_find(&d.machine, "triad_nt", ISA_AVX2, DTYPE_FP32, 2, -1);
  assert_non_null(t);
  assert_true(t->samples == 7 && t->value == 3e10 && t->spread == 0.0125 && t->seed == 5 && t->thorough);
  assert_int_equal(t->flags, FLAG_DISTURBED | FLAG_IN_CACHE);
  assert_true(d.machine.triad_nt_byte_per_s == 3e10);
  /* What was only declared has nothing behind it. */
  line_clear(&l, LINE_FIGURE);
  strcpy(l.name, "last_cache");
  l.value = 1e6;
  assert_true(line_apply(&l, &d));
  assert_int_equal(d.machine.ntrust, 1);
  assert_false(line_read("{\"kind\":\"figure\",\"name\":\"read\",\"value\":1,\"n\":3,\"statistic\":\"mean\"}", &back, &e));
  assert_non_null(strstr(e.text, "statistic"));
}

/* What others left of a roof does not replace a better reading of it; what was read in peace does, and so does more. */
static void test_leftover(void **state) {
  (void)state;
  static struct device d;
  const struct {
    const char *name;
    double value;
    unsigned flags;
    double kept;
  } row[] = {{"read", 30e9, 0, 30e9},
             {"read", 5e9, FLAG_DISTURBED, 30e9},
             {"read", 31e9, FLAG_DISTURBED, 31e9},
             {"read", 29e9, 0, 29e9},
             {"read", 20e9, FLAG_THROTTLED, 20e9},
             {"read", 90e9, FLAG_SUSPECT, 90e9},
             {"read", 28e9, FLAG_DISTURBED, 28e9},
             {"level_latency", 2e-9, 0, 2e-9},
             {"level_latency", 9e-9, FLAG_DISTURBED, 2e-9},
             {"level_latency", 1e-9, FLAG_DISTURBED, 1e-9}};
  device_clear(&d);
  d.machine.threads = 2;
  d.nlevel = 1;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    bool latency = strcmp(row[i].name, "read") != 0;
    struct line l;
    line_clear(&l, LINE_FIGURE);
    strcpy(l.name, row[i].name);
    l.value = row[i].value;
    l.flags = row[i].flags;
    l.samples = 3;
    l.level = latency ? 0 : -1;
    l.request.threads = latency ? 1 : 2;
    if (!latency) l.request.isa = ISA_AVX2;
    assert_true(line_apply(&l, &d));
    assert_true((latency ? d.level[0].latency_s.value : d.machine.read_byte_per_s) == row[i].kept);
    assert_true(trust_find(&d.machine, l.name, ISA_AUTO, DTYPE_FP32, 0, -1)->value == row[i].kept);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_put), cmocka_unit_test(test_line), cmocka_unit_test(test_leftover)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
