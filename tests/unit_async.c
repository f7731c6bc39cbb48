/* The kernels of the lab: starting a team, and work that nobody waits for; and a run that goes on for as long as it is told. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/lanes.h"
#include "tests/support_kernel.h"

static int threads_now(void) {
  int n = 0;
  DIR *d = opendir("/proc/self/task");
  for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
  if (d) closedir(d);
  return n;
}

static struct request request_of(enum op op, double n, double fma, int threads) {
  struct request r = {.op = op, .shape = shape_of(n, NAN, NAN, 1), .dtype = DTYPE_FP32, .isa = ISA_SCALAR, .threads = threads};
  r.shape.fma = fma;
  return r;
}

static void everyone_is_there_at_every_start(void **state) {
  (void)state;
  for (int threads = 2; threads <= 5; threads++) {
    struct request r = request_of(OP_DISPATCH, NAN, NAN, threads);
    struct bed b;
    bed_start(&b, &r, NULL);
    assert_true(b.job.passes > 1);
    assert_true(bed_residual(&b, 3, true) == 0);
    b.job.runs++; /* broken: one start too few for everyone */
    assert_true(isnan(b.kernel->residual(&b.job, true)));
    b.job.runs--;
    ((long *)b.job.data)[(threads - 1) * 64 / (int)sizeof(long)]--; /* broken: one member missed one */
    assert_true(isnan(b.kernel->residual(&b.job, true)));
    bed_free(&b);
  }
  struct job alone = {.threads = 1};
  assert_non_null(kernel_find(OP_DISPATCH)->usable(&alone));
  struct work none = work_of(OP_DISPATCH, shape_of(NAN, NAN, NAN, 1), DTYPE_FP32);
  assert_true(none.flop == 0 && none.byte == 0 && work_footprint(OP_DISPATCH, shape_of(NAN, NAN, NAN, 1), DTYPE_FP32) == 0);
}

static void handed_over_work_is_done_and_right(void **state) {
  (void)state;
  static const enum op op[] = {OP_ASYNC, OP_ASYNC_WAIT};
  int before = threads_now();
  for (int i = 0; i < 2; i++)
    for (int threads = 1; threads <= 3; threads++) {
      struct request r = request_of(op[i], 100003, 7, threads);
      struct bed b;
      bed_start(&b, &r, NULL);
      for (int runs = 1; runs <= 4; runs++) assert_true(bed_residual(&b, runs, true) <= 1);
      assert_true(((b.job.flags & FLAG_SUSPECT) != 0) == (op[i] == OP_ASYNC));
      assert_true(b.job.one_run == (op[i] == OP_ASYNC));
      if (i == 0) b.kernel->run(&b.job); /* left running when it closes */
      bed_free(&b);
      assert_int_equal(threads_now(), before);
    }
  struct shape s = shape_of(100003, NAN, NAN, 1);
  s.fma = 7;
  for (int i = 0; i < 2; i++) {
    struct work is = work_of(op[i], s, DTYPE_FP32), as = work_of(OP_DIAL, s, DTYPE_FP32);
    assert_true(is.flop == as.flop && is.byte == as.byte && is.byte_bus == as.byte_bus);
  }
}

static const struct lanes_real *sound;
static double dial_short(const void *x, size_t n, int fma, double m, double c) { return sound->dial(x, n - 1, fma, m, c); }
static double dial_lazy(const void *x, size_t n, int fma, double m, double c) { return sound->dial(x, n, fma > 1 ? fma - 1 : 1, m, c); }
static double dial_nothing(const void *x, size_t n, int fma, double m, double c) { return 0 * sound->dial(x, n, fma, m, c); }

static void broken_twins_are_refused_through_the_hand_over(void **state) {
  (void)state;
  double (*const twin[])(const void *, size_t, int, double, double) = {dial_short, dial_lazy, dial_nothing};
  sound = lanes_for(ISA_SCALAR, DTYPE_FP32);
  for (int i = 0; i < 3; i++) {
    struct lanes_real broken = *sound;
    broken.dial = twin[i];
    struct request r = request_of(OP_ASYNC_WAIT, 1000, 7, 2);
    struct bed b;
    bed_start(&b, &r, &broken);
    assert_false(bed_residual(&b, 1, true) <= 1);
    bed_free(&b);
  }
}

/* Work that takes its time and is counted. */
static atomic_int counted;
static double dial_slow(const void *x, size_t n, int fma, double m, double c) {
  os_sleep(5e-3);
  atomic_fetch_add(&counted, 1);
  return sound->dial(x, n, fma, m, c);
}

/* Waited for, all of it is done when the clock stops; not waited for, none of it is: unless this thread was held up for as long, so that is
 * to be seen once in many tries. */
static void handing_over_does_not_wait(void **state) {
  (void)state;
  enum { THREADS = 2, PARTS = THREADS };
  sound = lanes_for(ISA_SCALAR, DTYPE_FP32);
  struct lanes_real slow = *sound;
  slow.dial = dial_slow;
  struct request no = request_of(OP_ASYNC, 1000, 3, THREADS), yes = request_of(OP_ASYNC_WAIT, 1000, 3, THREADS);
  struct bed b;
  bool seen = false;
  bed_start(&b, &yes, &slow);
  for (int i = 0; i < 10; i++) {
    b.kernel->reset(&b.job);
    atomic_store(&counted, 0);
    b.kernel->run(&b.job);
    assert_int_equal(atomic_load(&counted), PARTS);
  }
  bed_free(&b);
  bed_start(&b, &no, &slow);
  for (int i = 0; i < 50 && !seen; i++) {
    b.kernel->reset(&b.job);
    atomic_store(&counted, 0);
    b.kernel->run(&b.job);
    seen = atomic_load(&counted) == 0;
    assert_true(b.kernel->residual(&b.job, true) <= 1);
    assert_int_equal(atomic_load(&counted), PARTS);
  }
  bed_free(&b);
  assert_true(seen);
}

struct heard {
  int samples, warm, clocks, disorder;
  double at;
  bool result;
  char refused[256];
};

static bool hear(const struct line *l, void *arg) {
  struct heard *h = arg;
  if (l->kind == LINE_RESULT) h->result = true;
  if (l->kind == LINE_REFUSED) strcpy(h->refused, l->reason);
  if (l->kind != LINE_SAMPLE) return true;
  h->samples++;
  if (!l->sample.warm) return true;
  h->warm++;
  h->clocks += l->sample.clock_hz > 1e8;
  h->disorder += !(l->sample.at > h->at);
  h->at = l->sample.at;
  return true;
}

static double clock_even(void *arg) { return *(double *)arg += 1e-3; }

static void a_sustained_run_lasts_and_looks_at_the_clock(void **state) {
  (void)state;
  struct request r = request_of(OP_DIAL, 4096, 8, 1);
  r.sustain = 0.6;
  struct bench_options o = {.quick = true, .seed = 1, .machine = "here"};
  struct heard h = {0};
  assert_int_equal(bench_run(&r, &o, hear, &h), 0);
  assert_true(h.result && h.at > 0.6);
  assert_true(h.warm > 8 && h.disorder == 0);      /* it does not stop when the spread is small … */
  assert_true(h.clocks >= 2 && h.clocks < h.warm); /* … and looks at the clock now and then */
  double ticks = 0; /* a clock by which every sample takes the same: no spread at all, and still it goes on */
  struct request same = request_of(OP_ASYNC, 64, 1, 1);
  same.sustain = 0.3;
  struct bench_options even = {.quick = true, .seed = 1, .machine = "here", .clock = clock_even, .clock_arg = &ticks};
  h = (struct heard){0};
  assert_int_equal(bench_run(&same, &even, hear, &h), 0);
  assert_true(h.warm > 20 && h.at > 0.3);
  same.sustain = 0;
  h = (struct heard){0};
  assert_int_equal(bench_run(&same, &even, hear, &h), 0);
  assert_int_equal(h.warm, 8);
  o.reps = 3;
  h = (struct heard){0};
  assert_int_equal(bench_run(&r, &o, hear, &h), 0);
  assert_int_equal(h.warm, 3); /* repetitions still end it */
  r.sustain = 0;
  o.reps = 2;
  h = (struct heard){0};
  assert_int_equal(bench_run(&r, &o, hear, &h), 0);
  assert_int_equal(h.clocks, 0);
  r = request_of(OP_DISPATCH, NAN, NAN, 1);
  h = (struct heard){0};
  assert_int_equal(bench_run(&r, &o, hear, &h), 1);
  assert_non_null(strstr(h.refused, "team of one"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everyone_is_there_at_every_start), cmocka_unit_test(handed_over_work_is_done_and_right),
      cmocka_unit_test(broken_twins_are_refused_through_the_hand_over), cmocka_unit_test(handing_over_does_not_wait),
      cmocka_unit_test(a_sustained_run_lasts_and_looks_at_the_clock)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
