/* The harness where the clock is coarse, where the system says nothing or nonsense, where threads share a core: no crash, no 0, Inf or NaN,
 * no work counted twice. And the arithmetic stays clear of denormals however long it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/bench.h"
#include "kernels/lanes.h"
#include "kernels/timing.h"

static struct os_info here;

static int read_here(void **state) {
  (void)state;
  os_read(&here, "");
  return 0;
}

static struct request request_of(enum op op, double n, int threads) {
  struct request r = {.op = op, .shape = {n, NAN, NAN, NAN, NAN, NAN, NAN}, .dtype = DTYPE_FP32, .threads = threads};
  r.shape = work_complete(op, r.shape);
  return r;
}

/* ---- clocks ---- */

/* The real clock, seen only when it has moved on by a step. */
static double coarse_clock(void *arg) {
  double step = *(const double *)arg;
  return floor(os_clock() / step) * step;
}

struct heard {
  int samples, too_short, results;
  unsigned flags;
};

static bool hear(const struct line *l, void *arg) {
  struct heard *h = arg;
  char text[LINE_BYTE_MAX + 1];
  struct line back;
  struct err e;
  assert_true(line_print(l, text, sizeof text) > 0);
  if (!line_read(text, &back, &e)) fail_msg("%s in %s", e.text, text); /* the reader refuses what is no number */
  if (l->kind == LINE_SAMPLE) {
    assert_true(isfinite(l->sample.time) && l->sample.time > 0);
    assert_true(isfinite(l->sample.flop / l->sample.time) && isfinite(l->sample.byte / l->sample.time));
    h->samples++;
    h->too_short += l->sample.warm && l->sample.flags & FLAG_TOO_SHORT;
  }
  if (l->kind == LINE_RESULT) {
    assert_true(isfinite(l->best) && l->best > 0 && isfinite(l->median) && isfinite(l->spread));
    h->results++;
    h->flags = l->flags;
  }
  return true;
}

static void test_coarse_clock(void **state) {
  (void)state;
  static const enum op op[] = {OP_READ, OP_PEAK, OP_LATENCY, OP_MATMUL};
  double step = 2e-3;
  struct os_info o = here;
  o.clock = coarse_clock;
  o.clock_arg = &step;
  double steps = os_tick(&o) / step; /* more than one when others had the core all the while */
  assert_true(steps > 0.99 && steps < 100 && fabs(steps - round(steps)) < 1e-3);
  assert_true(os_now(&o) <= os_clock());
  for (size_t i = 0; i < sizeof op / sizeof *op; i++) {
    struct request r = request_of(op[i], 64, 1);
    struct bench_options b = {
        .seconds = 20, .quick = true, .reps = 2, .seed = 3, .machine = "odd", .clock = coarse_clock, .clock_arg = &step};
    struct heard h = {0};
    assert_int_equal(bench_run(&r, &b, hear, &h), 0);
    assert_int_equal(h.results, 1);
    assert_int_equal(h.too_short, 0); /* lengthened until 20 of its steps passed */
    assert_false(h.flags & FLAG_TOO_SHORT);
  }
}

/* With no time to lengthen, what came is told, and marked. */
static void test_hasty_clock(void **state) {
  (void)state;
  double step = 0.05;
  struct request r = request_of(OP_READ, 64, 1);
  struct bench_options b = {
      .seconds = 1e-3, .quick = true, .reps = 1, .seed = 3, .machine = "odd", .clock = coarse_clock, .clock_arg = &step};
  struct heard h = {0};
  assert_int_equal(bench_run(&r, &b, hear, &h), 0);
  assert_true(h.samples >= 1);
  assert_int_equal(h.results, 1);
  assert_true(h.flags & FLAG_TOO_SHORT);
  /* One sample of work that takes no time at all by this clock: never 0. */
  struct pool pool = {.cap = 64e6};
  struct job j;
  char why[256];
  struct os_info o = here;
  o.clock = coarse_clock;
  o.clock_arg = &step;
  assert_true(job_open(&j, kernel_find(OP_READ), &r, &o, &pool, 1, 3, why));
  for (int i = 0; i < 20; i++) {
    struct sample s = job_sample(&j, kernel_find(OP_READ), 1, step);
    assert_true(s.time > 0 && isfinite(s.byte / s.time) && s.flags & FLAG_TOO_SHORT);
  }
  job_close(&j);
}

/* ---- what the system says ---- */

struct probed {
  struct device d;
  int figures, steps;
  double total;
};

static bool hear_probe(const struct line *l, void *arg) {
  struct probed *p = arg;
  char text[LINE_BYTE_MAX + 1];
  struct line back;
  struct err e;
  assert_true(line_print(l, text, sizeof text) > 0);
  if (!line_read(text, &back, &e)) fail_msg("%s in %s", e.text, text);
  if (l->kind == LINE_PROGRESS) {
    p->steps++;
    p->total = l->total;
    assert_true(l->done >= 0 && l->done <= l->total);
  }
  if (l->kind != LINE_FIGURE) return true;
  if (l->samples) {
    p->figures++;
    assert_true(isfinite(l->value) && l->value > 0);
    assert_true(isnan(l->spread) || l->spread >= 0);
  }
  line_apply(&back, &p->d);
  return true;
}

static void probe_of(struct probed *p, const char *root, unsigned parts, bool thorough) {
  struct bench_options o = {.seed = 1, .root = root, .parts = parts, .thorough = thorough};
  memset(p, 0, sizeof *p);
  device_clear(&p->d);
  assert_int_equal(probe_run(&o, hear_probe, p), 0);
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *f) {
  (void)s, (void)kind, (void)f;
  return remove(path);
}

static void put(const char *root, const char *path, const char *text) {
  char name[512];
  snprintf(name, sizeof name, "%s%s", root, path);
  for (char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(name, 0777);
    *slash = '/';
  }
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

/* Zero, missing and absurd cache sizes all come to figures, and none to a size that is not one. */
static void test_cache_sizes(void **state) {
  (void)state;
  static const char *const size[] = {NULL, "0K\n", "", "K\n", "-32K\n", "99999999999999G\n", "1K\n", "18446744073709551615\n"};
  struct probed *p = malloc(sizeof *p);
  assert_non_null(p);
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    char root[] = "/tmp/ridge-odd-XXXXXX", list[80];
    assert_non_null(mkdtemp(root));
    snprintf(list, sizeof list, "Cpus_allowed_list:\t%d\n", here.cpu[0]);
    put(root, "/proc/self/status", list);
    for (int index = 0; index < 3 && size[i]; index++) {
      static const char *const file[] = {"level", "type", "size", "shared_cpu_list"};
      const char *const text[] = {index ? "3\n" : "1\n", "Unified\n", size[i], "0\n"};
      for (int f = 0; f < 4; f++) {
        char path[160];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", here.cpu[0], index, file[f]);
        put(root, path, text[f]);
      }
    }
    probe_of(p, root, PROBE_LEVELS, false);
    assert_true(p->figures >= 1);
    assert_true(p->d.nlevel >= 1 && p->d.nlevel <= LEVEL_MAX);
    for (int l = 0; l < p->d.nlevel; l++) {
      double byte = p->d.level[l].byte.value;
      assert_true(isnan(byte) || (byte >= 1 && isfinite(byte)));
    }
    double last = p->d.machine.last_cache_byte;
    assert_true(isnan(last) || (last >= 1024 && last <= 0x1p33));
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  }
  free(p);
}

/* A machine that says nothing at all is measured all the same. */
static void test_silent_system(void **state) {
  (void)state;
  struct probed *p = malloc(sizeof *p);
  assert_non_null(p);
  probe_of(p, "/nonexistent", 0, false);
  assert_true(p->d.machine.measured);
  assert_int_equal(p->steps, (int)p->total); /* what was promised was done */
  assert_true(isnan(p->d.machine.last_cache_byte));
  free(p);
}

/* A thorough look at the arithmetic has every instruction set this CPU can run, on one thread and on all, and says that it was thorough. */
static void test_thorough_part(void **state) {
  (void)state;
  struct cpuid_words words = isa_cpuid();
  struct probed *p = malloc(sizeof *p);
  assert_non_null(p);
  probe_of(p, "", PROBE_ARITHMETIC, true);
  assert_true(p->steps >= (int)p->total);
  for (int i = ISA_SCALAR; i < ISA_N; i++)
    for (int type = 0; type < 2; type++) {
      bool can = lanes_of((enum isa)i) && isa_usable((enum isa)i, &words);
      enum dtype t = type ? DTYPE_FP32 : DTYPE_FP64;
      assert_int_equal(p->d.machine.isa_peak[i][type] > 0, can);
      assert_int_equal(p->d.machine.isa_peak_one[i][type] > 0, can);
      const struct trust *one = trust_find(&p->d.machine, "peak", (enum isa)i, t, 1, -1);
      assert_int_equal(one != NULL, can);
      if (one) assert_true(one->thorough && one->samples >= 1 && one->value == p->d.machine.isa_peak_one[i][type]);
    }
  assert_true(isnan(p->d.machine.read_byte_per_s)); /* of the other parts nothing */
  free(p);
}

/* ---- counting ---- */

/* Two threads on one core do the work of two in the time of two: the count follows the work, not the number of threads. */
static void test_shared_core(void **state) {
  (void)state;
  struct os_info o = here;
  o.cpu[0] = o.cpu[1] = here.cpu[0];
  o.ncpu = 2;
  double rate[2], flop[2];
  for (int n = 1; n <= 2; n++) {
    struct request r = request_of(OP_PEAK, 1, n);
    struct pool pool = {.cap = 64e6};
    struct job j;
    char why[256];
    if (!job_open(&j, kernel_find(OP_PEAK), &r, &o, &pool, 1, 3, why)) fail_msg("%s", why);
    double best = 0;
    for (int i = 0; i < 8; i++) {
      struct sample s = job_sample(&j, kernel_find(OP_PEAK), 200, 1e-9);
      flop[n - 1] = s.flop;
      best = fmax(best, s.flop / s.cpu_time); /* by the time the core gave us: others may want it too */
    }
    rate[n - 1] = best;
    job_close(&j);
  }
  assert_true(flop[1] == 2 * flop[0]);
  assert_true(rate[1] < 1.6 * rate[0]);
}

/* ---- denormals ---- */

/* Where x·m + c leads from every start the peak kernel may take: straight on towards 1, in either rounding, until it moves no more. From
 * there 60 s or 60 years make no difference. */
static void test_no_denormals(void **state) {
  (void)state;
  const double m = 1 - 0x1p-12, c = 0x1p-12;
  for (int fused = 0; fused < 2; fused++)
    for (int i = 0; i < 64; i++) {
      double start = (0.5 + i / 256.0) * (1 + i % 32 / 64.0), x = start, last = NAN;
      float y = (float)start, was = NAN;
      volatile double product;
      volatile float product_f;
      long steps = 0;
      while (x != last && steps++ < 400000) {
        last = x;
        product = x * m;
        x = fused ? fma(x, m, c) : product + c;
        assert_true(x >= 0.5 && x <= 1.25);
      }
      assert_true(x == last); /* it has come to rest */
      for (steps = 0; y != was && steps++ < 400000;) {
        was = y;
        product_f = y * (float)m;
        y = fused ? fmaf(y, (float)m, (float)c) : product_f + (float)c;
        assert_true(y >= 0.5f && y <= 1.25f);
      }
      assert_true(y == was);
    }
  /* What the loops themselves hold after many steps is there too. */
  struct cpuid_words words = isa_cpuid();
  for (int isa = ISA_SCALAR; isa < ISA_N; isa++)
    for (int d = 0; d < 2 && lanes_of((enum isa)isa) && isa_usable((enum isa)isa, &words); d++) {
      const struct lanes_real *l = lanes_for((enum isa)isa, d ? DTYPE_FP32 : DTYPE_FP64);
      for (size_t steps = 1; steps < 2000000; steps *= 8) {
        double mean = l->peak(steps, m, c, 0.5) / l->peak_width;
        assert_true(mean >= 0.5 && mean <= 1.25);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_coarse_clock),  cmocka_unit_test(test_hasty_clock),   cmocka_unit_test(test_cache_sizes),
      cmocka_unit_test(test_silent_system), cmocka_unit_test(test_thorough_part), cmocka_unit_test(test_shared_core),
      cmocka_unit_test(test_no_denormals),
  };
  return cmocka_run_group_tests(tests, read_here, NULL);
}
