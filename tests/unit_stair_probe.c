/* The staircase as the probe measures it: sizes in order, each figure with its company, and an end at once when nobody listens any more. */
// as shipped too: what is probed must not be optimised away
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/bench.h"
#include "model/stair.h"

enum { ENOUGH = 8 };
struct heard {
  int stairs, after, threads;
  double byte, total;
  bool stopped;
};

static bool hear(const struct line *l, void *arg) {
  struct heard *h = arg;
  if (h->stopped) h->after++;
  if (l->kind == LINE_PROGRESS) h->total = l->total;
  if (l->kind == LINE_FIGURE && !strcmp(l->name, "threads")) h->threads = (int)l->value;
  if (l->kind != LINE_FIGURE || strcmp(l->name, "stair") != 0) return true;
  assert_true(l->byte > h->byte); /* from small to large */
  assert_true(l->value > 1e6 && isfinite(l->value));
  assert_true(l->samples >= 1 && l->seed == 5 && l->thorough);
  assert_int_equal(l->request.threads, h->threads);
  assert_true(h->stairs > 0 || l->byte == 4096.0 * h->threads); /* 4 KiB for each thread is where it begins */
  h->byte = l->byte;
  h->stopped = ++h->stairs == ENOUGH;
  return !h->stopped;
}

static void test_staircase(void **state) {
  (void)state;
  struct heard h = {.byte = 0};
  struct bench_options o = {.parts = PROBE_STAIRCASE, .thorough = true, .seed = 5, .machine = "test"};
  assert_int_equal(probe_run(&o, hear, &h), 0);
  assert_int_equal(h.stairs, ENOUGH);
  assert_int_equal(h.after, 0);
  /* At least six an octave of reads and three of latencies, over the octaves from there to 16 MB at the least. */
  if (!(h.total >= 9 * log2(16e6 / (4096.0 * h.threads)))) fail_msg("%g steps", h.total);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_staircase)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
