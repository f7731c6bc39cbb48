/* The harness: memory in words, a team that meets, loops that do what they say, wrong results refused, lines that read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bench.h"
#include "kernels/lanes.h"
#include "kernels/timing.h"

static struct os_info here;

static int read_here(void **state) {
  (void)state;
  os_read(&here, "");
  /* Two threads everywhere, also where there is one CPU: what is proved is not speed. */
  if (here.ncpu < 2) {
    here.cpu[1] = here.cpu[0];
    here.ncpu = 2;
  }
  return 0;
}

/* ---- shares and memory ---- */

static void test_shares(void **state) {
  (void)state;
  const size_t n[] = {0, 1, 7, 15, 16, 17, 100, 1000, 4097, SIZE_MAX}, grain[] = {1, 8, 16};
  for (size_t a = 0; a < sizeof n / sizeof *n; a++)
    for (size_t g = 0; g < 3; g++)
      for (int of = 1; of <= 9; of++) {
        size_t at = 0, least = SIZE_MAX, most = 0;
        for (int rank = 0; rank < of; rank++) {
          size_t lo, hi;
          share_of(n[a], grain[g], rank, of, &lo, &hi);
          assert_true(lo == at && hi >= lo && hi <= n[a]); /* end to end: nothing twice, nothing left out */
          assert_true(lo % grain[g] == 0 || lo == n[a]);
          least = hi - lo < least ? hi - lo : least;
          most = hi - lo > most ? hi - lo : most;
          at = hi;
        }
        assert_true(at == n[a]);
        assert_true(most - least <= 2 * grain[g]); /* even */
      }
}

static void test_pool(void **state) {
  (void)state;
  struct pool p = {.cap = 1e6};
  char *small = pool_take(&p, 10, 3);
  assert_non_null(small);
  assert_int_equal((uintptr_t)small % 64, 0);
  memset(small, 1, 30);
  assert_true(p.used >= 30 && p.used <= 128);
  assert_null(pool_take(&p, 1000, 1000));
  assert_non_null(strstr(p.why, "1 million bytes of memory needed, 1 million bytes allowed (a quarter of what is free)"));
  assert_null(pool_take(&p, SIZE_MAX / 4 + 2, 4));
  assert_non_null(strstr(p.why, "more bytes than an address can count"));
  assert_null(pool_take(&p, SIZE_MAX, 1));
  assert_non_null(strstr(p.why, "more bytes than an address can count"));
  assert_non_null(pool_take(&p, 0, 8));
  pool_free(&p);
  assert_true(p.used == 0 && p.n == 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* whose allocators end the program instead */
  p.cap = INFINITY;
  assert_null(pool_take(&p, SIZE_MAX / 2, 1));
  assert_non_null(strstr(p.why, "the system gave no memory"));
#endif
  p.cap = NAN; /* unknown: no cap */
  char *large = pool_take(&p, 5000000, 1);
  assert_non_null(large);
  assert_int_equal((uintptr_t)large % (2 << 20), 0);
  for (int i = 0; i < 15; i++) assert_non_null(pool_take(&p, 1, 1));
  assert_null(pool_take(&p, 1, 1));
  assert_non_null(strstr(p.why, "places"));
  pool_free(&p);
  pool_free(&p); /* an empty one is fine */
}

/* ---- team ---- */

struct meeting {
  atomic_int count[8];
  int round, wrong;
};

static void meet(int rank, int n, void *arg) {
  struct meeting *m = arg;
  if (n > 8 || rank < 0 || rank >= n)
    m->wrong++;
  else
    atomic_fetch_add(&m->count[rank], 1);
}

static void test_team(void **state) {
  (void)state;
  const int cpu[4] = {here.cpu[0], here.cpu[1], here.cpu[0], here.cpu[1]};
  struct os_mask before, after;
  assert_true(os_mask_get(&before));
  for (int n = 1; n <= 4; n++) {
    struct team *t = team_start(cpu, n);
    struct meeting m = {0};
    assert_non_null(t);
    assert_int_equal(team_size(t), n);
    assert_int_equal(team_unpinned(t), 0);
    for (m.round = 1; m.round <= 300; m.round++) {
      team_run(t, meet, &m);
      if (m.round % 100 == 0) os_sleep(0.003); /* long enough for the others to fall asleep */
      for (int rank = 0; rank < n; rank++) assert_int_equal(atomic_load(&m.count[rank]), m.round);
    }
    assert_int_equal(m.wrong, 0);
    team_stop(t);
  }
  team_stop(NULL);
  assert_true(os_mask_get(&after));
  assert_memory_equal(&before, &after, sizeof before); /* the caller is free again */
}

static void slow_part(int rank, int n, void *arg) {
  (void)n;
  if (rank == 1) os_sleep(0.003); /* the caller waits long enough to fall asleep itself */
  atomic_fetch_add((atomic_int *)arg, 1);
}

static void test_team_waits(void **state) {
  (void)state;
  struct team *t = team_start(here.cpu, 2);
  atomic_int done = 0;
  assert_non_null(t);
  for (int i = 1; i <= 20; i++) {
    team_run(t, slow_part, &done);
    assert_int_equal(atomic_load(&done), 2 * i);
  }
  team_stop(t);
}

static void test_unpinned(void **state) {
  (void)state;
  const int cpu[2] = {here.cpu[0], OS_CPU_MAX + 5};
  struct team *t = team_start(cpu, 2);
  assert_non_null(t);
  assert_int_equal(team_unpinned(t), 1);
  team_stop(t);
}

/* ---- loops ---- */

static bool can_run(enum isa isa) {
  struct cpuid_words w = isa_cpuid();
  return lanes_of(isa) && isa_usable(isa, &w);
}

static double value_at(enum dtype t, const void *p, size_t i) {
  return t == DTYPE_FP64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static void test_fill(void **state) {
  (void)state;
  enum { N = 5000 };
  static double whole[N], parts[N], scalar[N], other[N]; /* room for either type */
  for (int isa = ISA_SCALAR; isa < ISA_N; isa++)
    for (int d = 0; d < 2 && can_run((enum isa)isa); d++) {
      enum dtype t = d ? DTYPE_FP32 : DTYPE_FP64;
      size_t byte = d ? 4 : 8;
      const struct lanes_real *l = lanes_for((enum isa)isa, t);
      double sum = 0;
      l->fill(whole, 0, N, 42, -1, 1);
      l->fill(other, 0, N, 43, -1, 1);
      lanes_for(ISA_SCALAR, t)->fill(scalar, 0, N, 42, -1, 1);
      for (size_t lo = 0, hi; lo < N; lo = hi) {
        hi = lo + 777 < N ? lo + 777 : N;
        l->fill((char *)parts + lo * byte, lo, hi - lo, 42, -1, 1);
      }
      assert_memory_equal(whole, parts, N * byte);  /* however it was split */
      assert_memory_equal(whole, scalar, N * byte); /* whatever filled it */
      int same = 0;
      for (size_t i = 0; i < N; i++) {
        double v = value_at(t, whole, i);
        assert_true(v >= -1 && v < 1);
        sum += v;
        same += v == value_at(t, other, i);
      }
      assert_true(fabs(sum / N) < 0.05);
      assert_true(same < 5);
    }
  /* Past 2^32 elements the sequence does not come round again. */
  float a[64], b[64];
  lanes_for(ISA_SCALAR, DTYPE_FP32)->fill(a, 0xffffffe0u, 64, 1, 0, 1);
  lanes_for(ISA_SCALAR, DTYPE_FP32)->fill(b, 0, 32, 1, 0, 1);
  assert_memory_not_equal(a + 32, b, 32 * sizeof *a);
}

static void test_peak_closed_form(void **state) {
  (void)state;
  const size_t steps[] = {0, 1, 2, 13, 1000, 4096};
  for (int isa = ISA_SCALAR; isa < ISA_N; isa++)
    for (int d = 0; d < 2 && can_run((enum isa)isa); d++)
      for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        const struct lanes_real *l = lanes_for((enum isa)isa, d ? DTYPE_FP32 : DTYPE_FP64);
        double m = 1 - 0x1p-12, c = 0x1p-12, expected = 0;
        for (int chain = 0; chain < l->peak_chains; chain++) {
          double x = 0.625 * (1 + chain / 64.0);
          for (size_t i = 0; i < steps[s]; i++) x = x * m + c;
          expected += x * l->lanes;
        }
        double got = l->peak(steps[s], m, c, 0.625), eps = d ? 0x1p-24 : 0x1p-53;
        assert_true(fabs(got - expected) <= expected * eps * (double)(steps[s] + 2));
        assert_int_equal(l->peak_width, l->peak_chains * l->lanes);
        assert_true(l->peak_chains >= 10);
      }
}

static const enum op stream_op[] = {OP_PEAK, OP_READ, OP_COPY, OP_COPY_NT, OP_TRIAD, OP_TRIAD_NT, OP_DIAL, OP_LATENCY};
enum { STREAM_OPS = sizeof stream_op / sizeof *stream_op };

static struct request request_of(enum op op, double n, double fma, enum dtype t, enum isa isa, int threads) {
  return (struct request){.op = op, .shape = {n, n, n, 1, fma}, .dtype = t, .isa = isa, .threads = threads};
}

/* The residual of one run of the kernel, with its loops replaced where given. */
static double residual_of(const struct request *r, const struct lanes_real *loops, bool full) {
  struct pool pool = {.cap = 256e6};
  struct job j;
  char why[256] = "";
  const struct kernel *k = kernel_find(r->op);
  assert_non_null(k);
  if (!job_open(&j, k, r, &here, &pool, INFINITY, 7, why)) fail_msg("%s: %s", op_name(r->op), why);
  j.lanes = loops;
  struct sample s = job_sample(&j, k, 1, 1e-9);
  assert_true(s.time > 0 && isfinite(s.time));
  double residual = k->residual(&j, full);
  job_close(&j);
  return residual;
}

static void test_kernels(void **state) {
  (void)state;
  const double n[] = {1, 2, 3, 7, 17, 33, 100, 129, 4097, 70000, 300001};
  double worst = 0;
  for (int o = 0; o < STREAM_OPS; o++)
    for (int isa = ISA_SCALAR; isa < ISA_N; isa++)
      for (int d = 0; d < 2 && can_run((enum isa)isa); d++)
        for (size_t i = 0; i < sizeof n / sizeof *n; i++)
          for (int threads = 1; threads <= 2; threads++) {
            enum op op = stream_op[o];
            const struct lanes_real *l = lanes_for((enum isa)isa, d ? DTYPE_FP32 : DTYPE_FP64);
            if ((op == OP_COPY_NT || op == OP_TRIAD_NT) && !l->copy_nt) continue;
            if ((op == OP_PEAK || op == OP_LATENCY) && i % 4) continue;
            struct request r = request_of(op, n[i],
                                          i % 3 == 0   ? 1
                                          : i % 3 == 1 ? 16
                                                       : 256,
                                          d ? DTYPE_FP32 : DTYPE_FP64, (enum isa)isa, threads);
            double residual = residual_of(&r, NULL, i % 2 == 0);
            if (!(residual <= 1))
              fail_msg("%s n=%g isa=%s fp%d threads=%d: %g", op_name(op), n[i], isa_name((enum isa)isa), d ? 32 : 64, threads, residual);
            if (residual > worst) worst = residual;
          }
  print_message("largest residual %.3f of what is accepted\n", worst);
  assert_true(worst < 0.75); /* room to spare: the thresholds are not drawn around today's errors */
}

/* ---- broken twins: each does what a real mistake would, and must be refused ---- */

static const struct lanes_real *good;
static enum dtype good_type;

/* One element on from p. */
static void *next_to(const void *p) { return (char *)(uintptr_t)p + (size_t)dtype_byte(good_type); }

static double read_skips_last(const void *x, size_t n, size_t passes) { return good->read(x, n - 1, passes); }
static double read_starts_late(const void *x, size_t n, size_t passes) { return good->read(next_to(x), n - 1, passes); }
static double read_twice(const void *x, size_t n, size_t passes) { return 2 * good->read(x, n, passes); }
static double read_misses_pass(const void *x, size_t n, size_t passes) { return good->read(x, n, passes > 1 ? passes - 1 : 0); }
static double read_nothing(const void *x, size_t n, size_t passes) { return (void)x, (void)n, (void)passes, 0; }
static double read_nan(const void *x, size_t n, size_t passes) { return (void)x, (void)n, (void)passes, NAN; }
static void copy_skips_last(void *y, const void *x, size_t n) { good->copy(y, x, n - 1); }
static void copy_nothing(void *y, const void *x, size_t n) { (void)y, (void)x, (void)n; }
static void copy_shifted(void *y, const void *x, size_t n) { good->copy(next_to(y), x, n - 1); }
static void triad_skips_last(void *z, const void *x, const void *y, double a, size_t n) { good->triad(z, x, y, a, n - 1); }
static void triad_forgets_a(void *z, const void *x, const void *y, double a, size_t n) { good->triad(z, x, y, a + 1e-3, n); }
static void triad_nothing(void *z, const void *x, const void *y, double a, size_t n) { (void)z, (void)x, (void)y, (void)a, (void)n; }
static void triad_swapped(void *z, const void *x, const void *y, double a, size_t n) { good->triad(z, y, x, a, n); }
static double dial_skips_last(const void *x, size_t n, int fma, double m, double c) { return good->dial(x, n - 1, fma, m, c); }
static double dial_one_less(const void *x, size_t n, int fma, double m, double c) { return good->dial(x, n, fma - 1, m, c); }
static double dial_no_add(const void *x, size_t n, int fma, double m, double c) { return (void)c, good->dial(x, n, fma, m, 0); }
static double peak_half(size_t it, double m, double c, double start) { return good->peak(it / 2, m, c, start); }
static double peak_fewer(size_t it, double m, double c, double start) { return good->peak(it - it / 50, m, c, start); }
static double peak_nothing(size_t it, double m, double c, double start) { return (void)it, (void)m, (void)c, (void)start, 0; }
static double peak_nan(size_t it, double m, double c, double start) { return (void)it, (void)m, (void)c, (void)start, NAN; }

static void refused(enum op op, const char *what, double n, struct lanes_real loops) {
  struct request r = request_of(op, n, 16, good_type, ISA_AUTO, 2);
  for (int full = 0; full < 2; full++) {
    double residual = residual_of(&r, &loops, full);
    if (residual <= 1) fail_msg("%s: %s passed at %s n=%g (%s): %g", op_name(op), what, dtype_name(good_type), n, full ? "full" : "sampled", residual);
  }
}

static void refuse_twins(enum dtype t) {
  good_type = t;
  good = lanes_for(isa_best(), t);
#define TWIN(op, field, f, n)                                                                                                              \
  do {                                                                                                                                     \
    struct lanes_real loops = *good;                                                                                                       \
    loops.field = f;                                                                                                                       \
    refused(op, #f, n, loops);                                                                                                             \
  } while (0)
  const double sizes[] = {100, 4097, 300000};
  for (int i = 0; i < 3; i++) {
    double n = sizes[i];
    TWIN(OP_READ, read, read_skips_last, n);
    TWIN(OP_READ, read, read_starts_late, n);
    TWIN(OP_READ, read, read_twice, n);
    TWIN(OP_READ, read, read_nothing, n);
    TWIN(OP_READ, read, read_nan, n);
    TWIN(OP_COPY, copy, copy_skips_last, n);
    TWIN(OP_COPY, copy, copy_nothing, n); /* what the run before left there would pass, were it not spoilt first */
    TWIN(OP_COPY, copy, copy_shifted, n);
    TWIN(OP_TRIAD, triad, triad_skips_last, n);
    TWIN(OP_TRIAD, triad, triad_forgets_a, n);
    TWIN(OP_TRIAD, triad, triad_nothing, n);
    TWIN(OP_TRIAD, triad, triad_swapped, n);
    TWIN(OP_DIAL, dial, dial_skips_last, n);
    TWIN(OP_DIAL, dial, dial_one_less, n);
    TWIN(OP_DIAL, dial, dial_no_add, n);
    if (good->copy_nt) TWIN(OP_COPY_NT, copy_nt, copy_skips_last, n);
    if (good->triad_nt) TWIN(OP_TRIAD_NT, triad_nt, triad_skips_last, n);
  }
  TWIN(OP_READ, read, read_misses_pass, 4097);
  TWIN(OP_PEAK, peak, peak_half, 1);
  TWIN(OP_PEAK, peak, peak_fewer, 1);
  TWIN(OP_PEAK, peak, peak_nothing, 1);
  TWIN(OP_PEAK, peak, peak_nan, 1);
}

static void test_broken_twins(void **state) {
  (void)state;
  refuse_twins(DTYPE_FP32);
  refuse_twins(DTYPE_FP64);
}

/* A run that does nothing after one that did it right must not live on what the first left behind. */
static void test_stale_results(void **state) {
  (void)state;
  good = lanes_for(isa_best(), DTYPE_FP32);
  const enum op op[] = {OP_COPY, OP_TRIAD};
  struct lanes_real idle = *good;
  idle.copy = copy_nothing;
  idle.triad = triad_nothing;
  for (int i = 0; i < 2; i++)
    for (double n = 100; n < 1e6; n *= 17) {
      struct request r = request_of(op[i], n, 1, DTYPE_FP32, ISA_AUTO, 2);
      const struct kernel *k = kernel_find(op[i]);
      struct pool pool = {.cap = 256e6};
      struct job j;
      char why[256];
      assert_true(job_open(&j, k, &r, &here, &pool, INFINITY, 7, why));
      job_sample(&j, k, 1, 1e-9);
      assert_true(k->residual(&j, false) <= 1);
      j.lanes = &idle;
      job_sample(&j, k, 1, 1e-9);
      assert_false(k->residual(&j, false) <= 1);
      job_close(&j);
    }
}

static void test_worse(void **state) {
  (void)state;
  assert_true(residual_worse(0, 0.5) == 0.5);
  assert_true(residual_worse(0.5, 0.25) == 0.5);
  assert_true(isnan(residual_worse(0.5, NAN)));
  assert_true(isnan(residual_worse(NAN, 0.5))); /* once lost, lost */
}

/* Twice the steps take twice the time, or the compiler took the work away. The best of many: a machine that others use only ever adds. */
static void test_doubling(void **state) {
  (void)state;
  const struct lanes_real *l = lanes_for(isa_best(), DTYPE_FP32);
  double ratio = NAN;
  for (int attempt = 0; attempt < 20 && !(fabs(ratio - 2) < 0.2); attempt++) {
    double best[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 40; i++)
      for (int twice = 0; twice < 2; twice++) {
        double start = os_clock();
        volatile double sum = l->peak((size_t)30000 << twice, 1 - 0x1p-12, 0x1p-12, 0.5);
        (void)sum;
        best[twice] = fmin(best[twice], os_clock() - start);
      }
    ratio = best[1] / best[0];
  }
  print_message("twice the work: %.3f times as long\n", ratio);
  assert_true(fabs(ratio - 2) < 0.2);
}

/* ---- bench_run ---- */

struct heard {
  int count[LINE_KIND_N], n, stop_after, out_of_order;
  struct line last, first_sample, result, refused;
};

static bool hear(const struct line *l, void *arg) {
  struct heard *h = arg;
  char text[LINE_BYTE_MAX + 1], again[LINE_BYTE_MAX + 1];
  struct line back;
  struct err e;
  /* Every line must survive its own writing. */
  assert_true(line_print(l, text, sizeof text) > 0);
  if (!line_read(text, &back, &e)) fail_msg("%s in %s", e.text, text);
  assert_true(line_print(&back, again, sizeof again) > 0);
  assert_string_equal(text, again);
  h->out_of_order += (l->kind == LINE_START) != (h->n == 0) && l->kind != LINE_REFUSED;
  h->out_of_order += h->count[LINE_RESULT] > 0;
  if (l->kind == LINE_SAMPLE) {
    h->out_of_order += (h->count[LINE_SAMPLE] == 0) == l->sample.warm || l->rep != h->count[LINE_SAMPLE];
    assert_true(l->sample.time > 0 && isfinite(l->sample.time));
    assert_true(l->sample.residual <= 1);
    assert_true(l->sample.isa != ISA_AUTO && l->sample.threads >= 1);
    if (h->count[LINE_SAMPLE] == 0) h->first_sample = *l;
  }
  if (l->kind == LINE_RESULT) h->result = *l;
  if (l->kind == LINE_REFUSED) h->refused = *l;
  h->count[l->kind]++;
  h->n++;
  return h->stop_after == 0 || h->n < h->stop_after;
}

static int run_heard(struct request r, struct heard *h, int reps) {
  struct bench_options o = {.seconds = 0.2, .quick = true, .reps = reps, .seed = 3, .machine = "bench"};
  int stop = h->stop_after;
  *h = (struct heard){.stop_after = stop};
  return bench_run(&r, &o, hear, h);
}

static void test_bench_lines(void **state) {
  (void)state;
  struct heard h = {0};
  for (int i = 0; i < kernel_count; i++) {
    struct request r = request_of(kernel_table[i]->op, 64, 2, DTYPE_FP32, ISA_AUTO, 0);
    if (r.op == OP_DISPATCH && here.threads < 2) continue; /* refused: there is no team to start */
    assert_int_equal(run_heard(r, &h, 4), 0);
    assert_int_equal(h.count[LINE_START], 1);
    assert_int_equal(h.count[LINE_SAMPLE], 5);
    assert_int_equal(h.count[LINE_RESULT], 1);
    assert_int_equal(h.count[LINE_REFUSED], 0);
    assert_int_equal(h.out_of_order, 0);
    assert_true(h.first_sample.sample.flags & FLAG_FIRST);
    assert_true(request_equal(&h.result.request, &r));
    assert_string_equal(h.result.machine, "bench");
    assert_int_equal(h.result.count, 4);
    assert_true(h.result.best <= h.result.median && h.result.median <= h.result.p95);
    if (h.first_sample.sample.byte > 0) assert_true(h.result.flags & FLAG_IN_CACHE);
  }
}

static void test_bench_ends_by_itself(void **state) {
  (void)state;
  struct heard h = {0};
  assert_int_equal(run_heard(request_of(OP_PEAK, 1, 1, DTYPE_FP64, ISA_SCALAR, 1), &h, 0), 0);
  assert_int_equal(h.count[LINE_RESULT], 1);
  assert_int_equal(h.result.count + 1, h.count[LINE_SAMPLE]);
}

static void test_bench_refuses(void **state) {
  (void)state;
  const struct {
    struct request r;
    const char *says;
  } row[] = {
    {request_of(OP_READ, 1000, 1, DTYPE_BF16, ISA_AUTO, 0), "fp32 and fp64"},
    {request_of(OP_READ, 1000, 1, DTYPE_FP32, ISA_AUTO, 1000), "1000 threads asked"},
    {request_of(OP_READ, 1e14, 1, DTYPE_FP32, ISA_AUTO, 0), "bytes allowed"},
    {request_of(OP_READ, 0, 1, DTYPE_FP32, ISA_AUTO, 0), "n must be a whole number"},
    {request_of(OP_READ, 1.5, 1, DTYPE_FP32, ISA_AUTO, 0), "n must be a whole number"},
    {request_of(OP_READ, NAN, 1, DTYPE_FP32, ISA_AUTO, 0), "n must be a whole number"},
    {request_of(OP_DIAL, 100, 1e9, DTYPE_FP32, ISA_AUTO, 0), "fma is a whole number"},
    {request_of(OP_CUSTOM, 100, 1, DTYPE_FP32, ISA_AUTO, 0), "has no kernel"},
#if defined(__x86_64__)
    {request_of(OP_READ, 100, 1, DTYPE_FP32, ISA_NEON, 0), "cannot run neon"},
#else
    {request_of(OP_READ, 100, 1, DTYPE_FP32, ISA_AVX2, 0), "cannot run avx2"},
#endif
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct heard h = {0};
    assert_int_equal(run_heard(row[i].r, &h, 1), 1);
    assert_int_equal(h.count[LINE_REFUSED], 1);
    assert_int_equal(h.count[LINE_SAMPLE], 0);
    if (!strstr(h.refused.reason, row[i].says)) fail_msg("expected \"%s\", found \"%s\"", row[i].says, h.refused.reason);
  }
}

static void test_bench_stops(void **state) {
  (void)state;
  for (int after = 1; after <= 5; after++) {
    struct heard h = {.stop_after = after};
    assert_int_equal(run_heard(request_of(OP_COPY, 5000, 1, DTYPE_FP32, ISA_AUTO, 2), &h, 50), 0);
    assert_int_equal(h.n, after);
  }
}

static void test_latency_is_one_thread(void **state) {
  (void)state;
  struct heard h = {0};
  assert_int_equal(run_heard(request_of(OP_LATENCY, 100, 1, DTYPE_FP32, ISA_AUTO, 0), &h, 1), 0);
  assert_int_equal(h.first_sample.sample.threads, 1);
}

/* A slow walk is cut to the time there is, and says so. */
static void test_partial(void **state) {
  (void)state;
  struct pool pool = {.cap = 256e6};
  struct job j;
  char why[256];
  struct request r = request_of(OP_LATENCY, 100000, 1, DTYPE_FP32, ISA_AUTO, 1);
  assert_true(job_open(&j, kernel_find(OP_LATENCY), &r, &here, &pool, 1e-3, 7, why));
  struct sample s = job_sample(&j, kernel_find(OP_LATENCY), 1, 1e-9);
  assert_true(s.flags & FLAG_PARTIAL);
  assert_true(s.byte == 64 * j.done.n && j.done.n < 100000);
  assert_true(kernel_find(OP_LATENCY)->residual(&j, true) == 0);
  job_close(&j);
}

static void test_inner(void **state) {
  (void)state;
  assert_int_equal(job_inner(1, 1e-8), 1);
  assert_int_equal(job_inner(1e-3, 1e-8), 3);
  assert_int_equal(job_inner(1e-3, 1e-2), 200); /* a clock that steps by 10 ms: 20 of its ticks */
  assert_int_equal(job_inner(0, 1e-8), 1000000000L);
}

/* ---- probe ---- */

struct probed {
  struct device d;
  int figures, refused, notes;
};

static bool hear_figure(const struct line *l, void *arg) {
  struct probed *p = arg;
  char text[LINE_BYTE_MAX + 1];
  struct line back;
  struct err e;
  assert_true(line_print(l, text, sizeof text) > 0);
  if (!line_read(text, &back, &e)) fail_msg("%s in %s", e.text, text);
  p->refused += l->kind == LINE_REFUSED;
  if (l->kind != LINE_FIGURE) return true;
  p->figures++;
  assert_true(l->text[0] || l->value > 0 || strcmp(l->name, "level") == 0);
  if (!line_apply(&back, &p->d)) p->notes++;
  return true;
}

static void test_probe(void **state) {
  (void)state;
  struct probed *p = calloc(1, sizeof *p);
  assert_non_null(p);
  device_clear(&p->d);
  struct bench_options o = {.seed = 1};
  assert_int_equal(probe_run(&o, hear_figure, p), 0);
  assert_int_equal(p->refused, 0);
  assert_int_equal(p->notes, 0); /* every figure means something to its reader */
  assert_true(p->d.machine.measured);
  int wider = 0; /* of the sets this CPU can run: a quick pass measures the two widest */
  for (int isa = ISA_N - 1; isa >= ISA_SCALAR; isa--) {
    bool due = can_run((enum isa)isa) && wider++ < 2; /* how they compare is left to a quiet machine; that they were measured is not */
    for (int type = 0; type < 2; type++) assert_int_equal(p->d.machine.isa_peak[isa][type] > 0, due);
  }
  const struct trust *t = trust_find(&p->d.machine, "read", ISA_AUTO, DTYPE_FP32, p->d.machine.threads, -1);
  assert_non_null(t); /* what stands behind a figure came with it */
  assert_true(t->samples >= 1 && t->seed == 1 && !t->thorough);
  assert_true(p->d.machine.read_byte_per_s > 0);
  assert_true(p->d.machine.clock_hz > 1e8);
  assert_true(p->d.nlevel >= 1);
  assert_true(p->d.level[p->d.nlevel - 1].latency_s.value > 0);
  free(p);
}

static bool stop_now(const struct line *l, void *arg) {
  (void)l;
  return ++*(int *)arg < 3;
}

static void test_probe_stops(void **state) {
  (void)state;
  int told = 0;
  struct bench_options o = {.quick = true, .seed = 1};
  probe_run(&o, stop_now, &told);
  assert_int_equal(told, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shares),
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_team),
      cmocka_unit_test(test_team_waits),
      cmocka_unit_test(test_unpinned),
      cmocka_unit_test(test_fill),
      cmocka_unit_test(test_peak_closed_form),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_broken_twins),
      cmocka_unit_test(test_stale_results),
      cmocka_unit_test(test_worse),
      cmocka_unit_test(test_doubling),
      cmocka_unit_test(test_bench_lines),
      cmocka_unit_test(test_bench_ends_by_itself),
      cmocka_unit_test(test_bench_refuses),
      cmocka_unit_test(test_bench_stops),
      cmocka_unit_test(test_latency_is_one_thread),
      cmocka_unit_test(test_partial),
      cmocka_unit_test(test_inner),
      cmocka_unit_test(test_probe),
      cmocka_unit_test(test_probe_stops),
  };
  return cmocka_run_group_tests(tests, read_here, NULL);
}
