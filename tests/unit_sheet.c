/* Reading data sheets: balance, order, twins, peeling and building a peak, ranking by the bound. On invented devices with round numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/choose.h"
#include "model/peel.h"
#include "model/sheet.h"
#include "tests/support_world.h"

static struct world *w;
enum { WIDE = 3, NARROW, SLOW, FAST_TWIN };

static struct figure figure(double v) { return (struct figure){.value = v, .source = SOURCE_VENDOR}; }

static void near(double got, double want, int line) {
  if (!(fabs(got - want) <= 1e-12 * fabs(want))) fail_msg("line %d: %.17g, not %.17g", line, got, want);
}
#define NEAR(got, want) near((got), (want), __LINE__)

static struct device *device_add(const char *id, enum family f, double byte, double rate, double bf16) {
  struct device *d = &w->device[w->ndevice++];
  device_clear(d);
  strcpy(d->id, id);
  d->family = f;
  d->memory_byte = figure(byte);
  d->memory_byte_per_s = figure(rate);
  d->peak[DTYPE_BF16] = figure(bf16);
  return d;
}

static int up(void **state) {
  (void)state;
  w = world_invented();
  struct device *d = device_add("wide", FAMILY_GPU, 80e9, 2e12, 400e12);
  d->peak[DTYPE_FP8] = figure(800e12);
  d->peak[DTYPE_FP32] = figure(50e12);
  d->sparse_ratio = figure(2);
  d->tdp_w = figure(500);
  d->year = 2022;
  device_add("narrow", FAMILY_TPU, 16e9, 1e12, 500e12)->year = 2024;
  device_add("slow", FAMILY_APPLE, 500e9, 0.5e12, 20e12)->peak[DTYPE_BF16].unverified = true;
  device_add("fast-twin", FAMILY_GPU, 40e9, 4e12, 402e12);
  return 0;
}
static int down(void **state) {
  (void)state;
  free(w);
  return 0;
}

static void two_numbers_and_their_ratio(void **state) {
  (void)state;
  struct sheet s = sheet_of(&w->device[WIDE], DTYPE_BF16, false);
  NEAR(s.balance, 200);
  NEAR(s.flop_per_j, 0.8e12);
  assert_int_equal(s.math, DTYPE_BF16);
  assert_false(s.unverified);
  s = sheet_of(&w->device[WIDE], DTYPE_INT4, false); /* not listed: bf16 stands in, and says so */
  assert_int_equal(s.math, DTYPE_BF16);
  s = sheet_of(&w->device[WIDE], DTYPE_BF16, true);
  assert_int_equal(s.math, DTYPE_FP8);
  NEAR(s.peak, 1600e12);
  NEAR(s.balance, 800);
  assert_true(sheet_of(&w->device[SLOW], DTYPE_BF16, false).unverified);
  s = sheet_of(&w->device[2], DTYPE_BF16, false); /* knows nothing */
  assert_int_equal(s.math, DTYPE_N);
  assert_true(isnan(s.peak) && isnan(s.balance) && isnan(s.flop_per_j) && isnan(sheet_headline(&w->device[2])));
}

static void every_figure_comes_once(void **state) {
  (void)state;
  struct sheet_figure f, g;
  int unverified, n = sheet_figures(&w->device[WIDE], &unverified);
  assert_int_equal(n, 7); /* three peaks, memory, its rate, power, ratio */
  assert_int_equal(unverified, 0);
  for (int i = 0; i < n; i++) {
    assert_true(sheet_figure(&w->device[WIDE], i, &f) && !isnan(f.figure.value));
    for (int k = 0; k < i; k++) {
      sheet_figure(&w->device[WIDE], k, &g);
      assert_false(strcmp(f.name, g.name) == 0 && strcmp(f.of, g.of) == 0);
    }
  }
  assert_false(sheet_figure(&w->device[WIDE], n, &f));
  assert_int_equal(sheet_figures(&w->device[SLOW], &unverified), 3);
  assert_int_equal(unverified, 1);
  assert_int_equal(sheet_figures(&w->device[2], &unverified), 0);
}

static struct shelf everything(enum sort s) {
  return (struct shelf){.family = FAMILY_N, .all = true, .sort = s, .dtype = DTYPE_BF16, .always = -1};
}

static void lists_are_in_order(void **state) {
  (void)state;
  uint8_t list[DEVICE_MAX], other[DEVICE_MAX];
  for (int sort = 0; sort < SORT_N; sort++) {
    struct shelf s = everything((enum sort)sort);
    int n = shelf_list(w, &s, list);
    assert_int_equal(n, w->ndevice);
    bool seen[DEVICE_MAX] = {false};
    for (int i = 0; i < n; i++) assert_false(seen[list[i]]), seen[list[i]] = true;
    s.reverse = true;
    assert_int_equal(shelf_list(w, &s, other), n);
  }
  struct shelf s = everything(SORT_BALANCE);
  shelf_list(w, &s, list);
  assert_int_equal(list[0], NARROW); /* 500, then 200, 100.5, illustrative 100, 40, here 5, and who knows nothing */
  assert_int_equal(list[1], WIDE);
  assert_int_equal(list[2], FAST_TWIN);
  assert_int_equal(list[w->ndevice - 1], 2);
  s.reverse = true;
  shelf_list(w, &s, list);
  assert_int_equal(list[0], DEVICE_HERE);
  assert_int_equal(list[w->ndevice - 1], 2); /* unknown is last whichever way round */
  s = everything(SORT_MEMORY);
  shelf_list(w, &s, list);
  assert_int_equal(list[0], SLOW);
  s = everything(SORT_NAME);
  shelf_list(w, &s, list);
  for (int i = 1; i < w->ndevice; i++) assert_true(strcmp(w->device[list[i - 1]].id, w->device[list[i]].id) < 0);
}

static void lists_are_cut(void **state) {
  (void)state;
  uint8_t list[DEVICE_MAX];
  struct shelf s = everything(SORT_USUAL);
  s.all = false;
  assert_int_equal(shelf_list(w, &s, list), w->ndevice); /* nobody asks to be first: all */
  w->device[NARROW].first = 2;
  w->device[SLOW].first = 1;
  assert_int_equal(shelf_list(w, &s, list), 3);
  assert_int_equal(list[0], SLOW);
  assert_int_equal(list[1], NARROW);
  assert_int_equal(list[2], DEVICE_HERE);
  s.always = WIDE;
  assert_int_equal(shelf_list(w, &s, list), 4);
  s.family = FAMILY_TPU;
  assert_int_equal(shelf_list(w, &s, list), 2); /* its family's, and the one that is always there */
  s.family = FAMILY_FPGA, s.always = -1;
  assert_int_equal(shelf_list(w, &s, list), 0);
  w->device[NARROW].first = w->device[SLOW].first = 0;
}

static void twins_have_one_peak(void **state) {
  (void)state;
  uint8_t list[DEVICE_MAX];
  struct shelf s = everything(SORT_USUAL);
  int n = shelf_list(w, &s, list);
  assert_int_equal(sheet_twin(w, list, n, WIDE, DTYPE_BF16), FAST_TWIN);
  assert_int_equal(sheet_twin(w, list, n, FAST_TWIN, DTYPE_BF16), WIDE);
  assert_int_equal(sheet_twin(w, list, n, NARROW, DTYPE_BF16), -1);
  assert_int_equal(sheet_twin(w, list, n, 2, DTYPE_BF16), -1); /* nothing known, no twin */
}

static void layers_come_off(void **state) {
  (void)state;
  for (int set = 0; set < 1 << PEEL_N; set++) {
    bool off[PEEL_N];
    for (int i = 0; i < PEEL_N; i++) off[i] = set >> i & 1;
    struct peeled p = peel_of(&w->device[WIDE], DTYPE_BF16, off, 0.5);
    NEAR(p.headline, 1600e12);
    NEAR(p.left[PEEL_SPARSITY], 800e12);
    NEAR(p.left[PEEL_PRECISION], 400e12);
    NEAR(p.left[PEEL_OPERATION], 50e12);
    NEAR(p.left[PEEL_USE], 25e12);
    double now = p.now[PEEL_N - 1], want = off[PEEL_OPERATION] ? 50e12 : 1600e12 / (off[0] ? 2 : 1) / (off[1] ? 2 : 1);
    NEAR(now, want / (off[PEEL_USE] ? 2 : 1));
    for (int i = 0; i < PEEL_N; i++) assert_true(p.now[i] <= p.headline && p.now[i] >= p.left[i] && (i == 0 || p.now[i] <= p.now[i - 1]));
    double product = 1;
    for (int i = 0; i < PEEL_N; i++) product *= p.factor[i];
    NEAR(p.headline / product, p.left[PEEL_N - 1]);
  }
  static const bool all[PEEL_N] = {true, true, true, true};
  struct peeled p = peel_of(&w->device[NARROW], DTYPE_BF16, all, 0.5); /* no vector rate, no sparsity on its sheet */
  assert_true(isnan(p.factor[PEEL_OPERATION]) && isnan(p.factor[PEEL_SPARSITY]));
  NEAR(p.now[PEEL_N - 1], 250e12);
  p = peel_of(&w->device[WIDE], DTYPE_FP32, all, 1); /* vector units already */
  NEAR(p.factor[PEEL_OPERATION], 1);
  NEAR(p.now[PEEL_N - 1], 50e12);
  assert_true(isnan(peel_of(&w->device[2], DTYPE_BF16, all, 1).headline));
}

static void a_peak_is_built(void **state) {
  (void)state;
  NEAR(peel_built(8, 2, 8, 3e9), 768e9);
  NEAR(peel_units(768e9, 8, 8, 3e9), 2);
  for (int i = ISA_SCALAR; i < ISA_N; i++) assert_true(peel_lanes((enum isa)i) >= 1);
  assert_true(isnan(peel_lanes(ISA_AUTO)));
}

static void the_bound_ranks(void **state) {
  (void)state;
  uint8_t list[DEVICE_MAX];
  struct offer o[DEVICE_MAX];
  struct shelf s = everything(SORT_USUAL);
  int n = shelf_list(w, &s, list);
  struct job job = {.flop = 14e9, .flop_per_byte = 1, .need_byte = 14e9, .devices = 1, .dtype = DTYPE_BF16};
  choose_rank(w, list, n, &job, o);
  assert_int_equal(o[0].device, FAST_TWIN); /* by memory rate */
  NEAR(o[0].time, 14e9 / 4e12);
  assert_int_equal(o[0].bound, BOUND_MEMORY);
  NEAR(o[0].busy_share, 4.0 / 402);
  for (int i = 1; i < n; i++)
    assert_true(isnan(o[i].time) || isnan(o[i - 1].time) || o[i].fits != o[i - 1].fits || o[i].time >= o[i - 1].time);
  job.need_byte = 100e9; /* only slow holds it */
  choose_rank(w, list, n, &job, o);
  assert_int_equal(o[0].device, SLOW);
  assert_int_equal(o[0].fits, FITS_YES);
  assert_int_equal(o[1].fits, FITS_UNKNOWN); /* who does not say comes before who cannot */
  struct offer narrow = choose_offer(w, NARROW, &job);
  assert_int_equal(narrow.fits, FITS_NO);
  NEAR(narrow.needed, 7);
  job.devices = 7;
  assert_int_equal(choose_offer(w, NARROW, &job).fits, FITS_YES);
  NEAR(choose_offer(w, NARROW, &job).time, narrow.time / 7);
  job = (struct job){.flop = 1e15, .flop_per_byte = 1e4, .need_byte = 1e9, .devices = 1, .dtype = DTYPE_BF16};
  choose_rank(w, list, n, &job, o);
  assert_int_equal(o[0].device, NARROW); /* by peak */
  assert_int_equal(o[0].bound, BOUND_COMPUTE);
  NEAR(o[0].busy_share, 1);
}

int main(void) {
  const struct CMUnitTest test[] = {cmocka_unit_test(two_numbers_and_their_ratio),
                                    cmocka_unit_test(every_figure_comes_once),
                                    cmocka_unit_test(lists_are_in_order),
                                    cmocka_unit_test(lists_are_cut),
                                    cmocka_unit_test(twins_have_one_peak),
                                    cmocka_unit_test(layers_come_off),
                                    cmocka_unit_test(a_peak_is_built),
                                    cmocka_unit_test(the_bound_ranks)};
  return cmocka_run_group_tests(test, up, down);
}
