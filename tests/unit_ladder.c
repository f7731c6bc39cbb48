/* Which memory level serves, at what rate, and the compute roofs by instruction set and threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/ladder.h"
#include "tests/support_world.h"
#include "tests/support_near.h"


static struct device blank(void) {
  struct device d;
  device_clear(&d);
  return d;
}
static void level_add(struct device *d, const char *name, int count, double byte, double rate) {
  struct level *l = &d->level[d->nlevel++];
  strcpy(l->name, name);
  l->count = count;
  l->byte.value = byte;
  l->byte_per_s.value = rate;
}

/* Two cores with private L1 and L2 and a shared L3: 2 × 32 KiB at 400 GB/s, 2 × 512 KiB at 200, 8 MiB at 150, memory at 20 (one thread:
 * 15). */
static struct device machine(void) {
  struct device d = blank();
  strcpy(d.id, "here");
  d.is_host = true;
  level_add(&d, "L1", 2, 32768, 400e9);
  level_add(&d, "L2", 2, 524288, 200e9);
  level_add(&d, "L3", 1, 8388608, 150e9);
  level_add(&d, "DRAM", 1, 16e9, 20e9);
  d.machine.threads = 2;
  d.machine.read_byte_per_s = 20e9;
  d.machine.read_one_byte_per_s = 15e9;
  d.memory_byte_per_s.value = 20e9;
  return d;
}

static void test_serving(void **state) {
  (void)state;
  struct device d = machine();
  assert_int_equal(ladder_serving(&d, 1), 0);
  assert_int_equal(ladder_serving(&d, 65536), 0); /* both cores' L1 together, to the last byte */
  assert_int_equal(ladder_serving(&d, 65537), 1);
  assert_int_equal(ladder_serving(&d, 1048577), 2);
  assert_int_equal(ladder_serving(&d, 8388609), 3);
  assert_int_equal(ladder_serving(&d, 1e15), 3); /* more than there is: main memory has to */
  NEAR(ladder_byte(&d, 0), 65536, 0);
  assert_true(isnan(ladder_byte(&d, 4)) && isnan(ladder_byte(&d, -1)));

  d.level[2].knee_byte.value = 4194304; /* a slice of the L3 is all this machine gets */
  assert_int_equal(ladder_serving(&d, 4194305), 3);
  NEAR(ladder_reach(&d, 2), 4194304, 0);
  NEAR(ladder_byte(&d, 2), 8388608, 0); /* what is declared stays declared */

  d = machine();
  d.level[1].byte.value = NAN; /* a level of unknown capacity serves nothing */
  assert_int_equal(ladder_serving(&d, 65537), 2);
  d = blank();
  assert_int_equal(ladder_serving(&d, 1), -1);
  level_add(&d, "HBM", 1, NAN, 1e12);
  assert_int_equal(ladder_serving(&d, 1), 0); /* the last one serves whatever is known of it */
}

/* A knee near the declared size confirms it; one far from it stands in its place. */
static void test_knee(void **state) {
  (void)state;
  struct device d = machine();
  const struct {
    double knee, reach;
  } row[] = {
      {8388608 * 0.72, 8388608}, {8388608 * 1.4, 8388608}, {8388608 * 0.7, 8388608 * 0.7}, {8388608 * 1.5, 8388608 * 1.5}, {NAN, 8388608}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    d.level[2].knee_byte.value = row[i].knee;
    NEAR(ladder_reach(&d, 2), row[i].reach, 1e-12);
  }
  d.level[2].byte.value = NAN; /* nobody declares it: the knee is all there is */
  d.level[2].knee_byte.value = 5e6;
  NEAR(ladder_reach(&d, 2), 5e6, 0);
}

static void test_separable(void **state) {
  (void)state;
  struct device d = machine(); /* 8 MiB shared after 2 × 512 KiB */
  assert_true(ladder_separable(&d, 0) && ladder_separable(&d, 1) && ladder_separable(&d, 2) && ladder_separable(&d, 3));
  d.level[2].byte.value = 1.5 * 1048576; /* no more than one and a half times what both hold */
  assert_false(ladder_separable(&d, 2));
  d.level[2].byte.value = 1.5 * 1048576 + 64;
  assert_true(ladder_separable(&d, 2));
  d.level[1].byte.value = NAN; /* not known: nothing says otherwise */
  assert_true(ladder_separable(&d, 2));
  assert_true(ladder_separable(&d, -1) && ladder_separable(&d, 99));
}

static void test_rate(void **state) {
  (void)state;
  struct device d = machine();
  int level = -7;
  NEAR(ladder_rate(&d, 1000, true, 0, &level), 400e9, 0);
  assert_int_equal(level, 0);
  NEAR(ladder_rate(&d, 1e6, true, 0, &level), 200e9, 0);
  NEAR(ladder_rate(&d, 1e9, true, 0, &level), 20e9, 0);
  assert_int_equal(level, 3);
  NEAR(ladder_rate(&d, 1e9, true, 2, NULL), 20e9, 0);
  NEAR(ladder_rate(&d, 1e9, true, 99, NULL), 20e9, 0);

  /* One thread: half of the private levels in room and rate; of the shared one no more than its own L2 takes; of memory what it alone gets.
   */
  NEAR(ladder_rate(&d, 32768, true, 1, &level), 200e9, 0);
  assert_int_equal(level, 0);
  NEAR(ladder_rate(&d, 32769, true, 1, &level), 100e9, 0);
  assert_int_equal(level, 1);
  NEAR(ladder_rate(&d, 4e6, true, 1, &level), 100e9, 0);
  assert_int_equal(level, 2);
  NEAR(ladder_rate(&d, 1e9, true, 1, &level), 15e9, 0);

  /* Memory saturates: three of four threads already get all there is. */
  d.machine.threads = 4, d.machine.read_one_byte_per_s = 8e9;
  NEAR(ladder_rate(&d, 1e9, true, 2, NULL), 16e9, 0);
  NEAR(ladder_rate(&d, 1e9, true, 3, NULL), 20e9, 0);
  d = machine();

  /* A level whose rate nobody knows bounds nothing: the next one outwards answers, and says so. */
  d.level[0].byte_per_s.value = d.level[1].byte_per_s.value = NAN;
  NEAR(ladder_rate(&d, 1000, true, 0, &level), 150e9, 0);
  assert_int_equal(level, 2);

  /* Writers may be served by non-temporal stores: the best of read, copy and triad, in main memory only. */
  d = machine();
  d.machine.copy_nt_byte_per_s = 22e9, d.machine.triad_nt_byte_per_s = 25e9, d.machine.triad_byte_per_s = 18e9;
  NEAR(ladder_rate(&d, 1e9, false, 0, NULL), 25e9, 0);
  NEAR(ladder_rate(&d, 1e9, true, 0, NULL), 20e9, 0);
  NEAR(ladder_rate(&d, 1000, false, 0, NULL), 400e9, 0);
  NEAR(ladder_rate(&d, 1e9, false, 1, NULL), 15e9 * 25 / 20, 1e-12);

  d = blank();
  assert_true(isnan(ladder_rate(&d, 1e6, true, 0, &level)));
  assert_int_equal(level, -1);
  d.memory_byte_per_s.value = 3.35e12;
  NEAR(ladder_rate(&d, 1e6, true, 0, &level), 3.35e12, 0);
  /* A sheet's caches without rates: main memory bounds the operation. */
  level_add(&d, "shared memory", 132, 228e3, NAN);
  level_add(&d, "L2", 1, 50e6, NAN);
  level_add(&d, "HBM3", 1, 80e9, 3.35e12);
  assert_int_equal(ladder_serving(&d, 1e6), 0);
  NEAR(ladder_rate(&d, 1e6, false, 0, &level), 3.35e12, 0);
  assert_int_equal(level, 2);
}

/* A larger working set is never served faster, nor by a nearer level; more threads never get less. */
static void test_monotone(void **state) {
  (void)state;
  struct device d = machine();
  for (int threads = 0; threads <= 3; threads++) {
    double before = INFINITY;
    int nearest = 0;
    for (double byte = 1; byte < 1e12; byte *= 1.07) {
      int level;
      double rate = ladder_rate(&d, byte, true, threads, &level);
      assert_true(rate > 0 && rate <= before && level >= nearest);
      before = rate, nearest = level;
    }
  }
  for (int i = 0; i < d.nlevel; i++) assert_true(ladder_level_rate(&d, i, 1) <= ladder_level_rate(&d, i, 2));
}

static void test_peak(void **state) {
  (void)state;
  struct device d = machine();
  d.machine.threads = 4;
  d.machine.isa_peak[ISA_SCALAR][1] = 20e9, d.machine.isa_peak_one[ISA_SCALAR][1] = 5e9;
  d.machine.isa_peak[ISA_AVX2][1] = 130e9, d.machine.isa_peak_one[ISA_AVX2][1] = 40e9;
  d.machine.isa_peak[ISA_AVX2][0] = 64e9;
  d.peak[DTYPE_FP32].value = 130e9;
  NEAR(ladder_peak(&d, DTYPE_FP32, ISA_AUTO, 0), 130e9, 0);
  NEAR(ladder_peak(&d, DTYPE_FP32, ISA_AUTO, 4), 130e9, 0);
  NEAR(ladder_peak(&d, DTYPE_FP32, ISA_AUTO, 1), 40e9, 0);
  NEAR(ladder_peak(&d, DTYPE_FP32, ISA_AUTO, 2), 70e9, 1e-12); /* the clock falls as cores join: on the line between one and all */
  NEAR(ladder_peak(&d, DTYPE_FP32, ISA_SCALAR, 0), 20e9, 0);
  assert_true(isnan(ladder_peak(&d, DTYPE_FP32, ISA_AVX512, 0))); /* it has none */
  NEAR(ladder_peak(&d, DTYPE_FP64, ISA_AUTO, 1), 16e9, 0);        /* one thread never measured: its share */
  assert_true(isnan(ladder_peak(&d, DTYPE_BF16, ISA_AUTO, 0)));
  assert_true(isnan(ladder_peak(&d, DTYPE_N, ISA_AUTO, 0)));

  struct device sheet = blank();
  sheet.peak[DTYPE_BF16].value = 989e12, sheet.peak[DTYPE_FP32].value = 67e12;
  NEAR(ladder_peak(&sheet, DTYPE_BF16, ISA_AUTO, 0), 989e12, 0);
  NEAR(ladder_peak(&sheet, DTYPE_FP32, ISA_SCALAR, 1), 67e12, 0); /* a sheet knows no threads */
  memset(&sheet.machine, 0, sizeof sheet.machine);                /* as catalogue devices come: zeroed, not unknown */
  NEAR(ladder_peak(&sheet, DTYPE_FP32, ISA_AUTO, 0), 67e12, 0);
  assert_true(isnan(ladder_memory_rate(&sheet)));
}

static void test_math(void **state) {
  (void)state;
  struct device d = blank();
  assert_int_equal(ladder_math(&d, DTYPE_FP32), DTYPE_N);
  d.peak[DTYPE_FP32].value = 15e12;
  assert_int_equal(ladder_math(&d, DTYPE_INT4), DTYPE_FP32);
  d.peak[DTYPE_BF16].value = 200e12;
  assert_int_equal(ladder_math(&d, DTYPE_INT4), DTYPE_BF16);
  assert_int_equal(ladder_math(&d, DTYPE_FP32), DTYPE_FP32);
  d.peak[DTYPE_INT4].value = 800e12;
  assert_int_equal(ladder_math(&d, DTYPE_INT4), DTYPE_INT4);
  d = blank();
  d.is_host = true; /* a CPU computes in fp32 and fp64 before anybody has measured it */
  assert_int_equal(ladder_math(&d, DTYPE_FP64), DTYPE_FP64);
  assert_int_equal(ladder_math(&d, DTYPE_BF16), DTYPE_FP32);
}

static void test_invented_machine(void **state) {
  (void)state;
  struct world *w = world_invented();
  int level;
  NEAR(ladder_rate(&w->device[0], 1e9, true, 0, &level), 20e9, 0);
  assert_int_equal(level, 3);
  NEAR(ladder_peak(&w->device[0], DTYPE_FP32, ISA_AUTO, 0), 100e9, 0);
  NEAR(ladder_rate(&w->device[1], 1e6, false, 0, &level), 2e12, 0);
  assert_true(isnan(ladder_rate(&w->device[2], 1e6, true, 0, &level)) && level == -1);
  free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_serving),   cmocka_unit_test(test_knee),
                                     cmocka_unit_test(test_separable), cmocka_unit_test(test_rate),
                                     cmocka_unit_test(test_monotone),  cmocka_unit_test(test_peak),
                                     cmocka_unit_test(test_math),      cmocka_unit_test(test_invented_machine)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
