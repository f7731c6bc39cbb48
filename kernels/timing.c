#include "kernels/timing.h"

#include <math.h>
#include <stdio.h>

#include "kernels/hog.h"
#include "kernels/lanes.h"
#include "kernels/library.h"

/* The rungs below "all cores" are lessons about one core. */
static bool is_one_thread(const struct kernel *k, const struct request *r) {
  return k->one_thread || (r->op == OP_MATMUL && r->rung >= RUNG_PLAIN && r->rung < RUNG_ALL_CORES);
}

/* A library brings threads of its own: ours would stand in their way. */
static bool brings_threads(const struct request *r) { return r->op == OP_MATMUL && r->rung == RUNG_LIBRARY; }

static bool whole(double v) { return v >= 1 && v <= 0x1p48 && v == floor(v); }

bool job_resolve(struct job *j, const struct kernel *k, const struct request *r, const struct os_info *os, char why[256]) {
  j->request = *r;
  j->request.shape = j->done = work_complete(r->op, r->shape);
  for (int i = 0; i < SHAPE_N; i++)
    if (work_uses(r->op, shape_name(i)) && !whole(shape_get(&j->done, i))) {
      snprintf(why, 256, "%s must be a whole number of at least 1", shape_name(i));
      return false;
    }
  j->isa = r->isa == ISA_AUTO ? isa_best() : r->isa;
  struct cpuid_words words = isa_cpuid();
  if (!isa_usable(j->isa, &words) || !lanes_of(j->isa)) {
    snprintf(why, 256, "this CPU cannot run %s: the best it can is %s", isa_name(j->isa), isa_name(isa_best()));
    return false;
  }
  j->threads = is_one_thread(k, r) ? 1 : r->threads > 0 ? r->threads : os->threads;
  if (j->threads > os->ncpu) {
    snprintf(why, 256, "%d threads asked, but this process may use %d CPU%s", j->threads, os->ncpu, os->ncpu == 1 ? "" : "s");
    return false;
  }
  if (r->hog && hog_cores(os, j->threads) == 0) {
    hog_start(os, j->threads, j->pool, why); /* refuses, in words */
    return false;
  }
  const char *cannot = k->usable ? k->usable(j) : NULL;
  if (cannot) snprintf(why, 256, "%s", cannot);
  return !cannot;
}

bool job_open(struct job *j, const struct kernel *k, const struct request *r, const struct os_info *os, struct pool *pool, double budget,
              uint64_t seed, char why[256]) {
  *j = (struct job){.pool = pool,
                    .clock = os->clock,
                    .clock_arg = os->clock_arg,
                    .seed = seed,
                    .budget = budget,
                    .passes = 1,
                    .quant_error = NAN,
                    .pipeline = {NAN, NAN, NAN, NAN},
                    .work = {NAN, NAN, NAN}};
  if (!job_resolve(j, k, r, os, why)) return false;
  j->cpu = os->cpu;
  j->ncpu = os->ncpu;
  j->team = team_start(os->cpu, brings_threads(r) ? 1 : j->threads);
  if (!j->team) {
    snprintf(why, 256, "the system gave no thread for a team of %d", j->threads);
    return false;
  }
  const char *cannot = k->setup(j);
  if (!cannot && (!r->hog || (j->hog = hog_start(os, j->threads, pool, why)))) return true;
  if (cannot) snprintf(why, 256, "%s", cannot);
  job_close(j);
  return false;
}

void job_close(struct job *j) {
  if (j->close) j->close(j);
  j->close = NULL;
  hog_stop(j->hog);
  j->hog = NULL;
  team_stop(j->team);
  library_close(j->blas);
  pool_free(j->pool);
  j->team = NULL;
  j->blas = NULL;
  j->data = NULL;
}

static void nothing(int rank, int n, void *arg) { (void)rank, (void)n, (void)arg; }

static double job_clock(const struct job *j) { return j->clock ? j->clock(j->clock_arg) : os_clock(); }

/* What the hog burns is not the kernel's. It burns on between two looks, so it is looked at before and after. */
static double own_cpu_time(const struct job *j) {
  if (!j->hog) return os_cpu_time();
  double before = hog_cpu_time(j->hog), all = os_cpu_time();
  return all - (before + hog_cpu_time(j->hog)) / 2;
}

struct sample job_sample(struct job *j, const struct kernel *k, long inner, double tick) {
  if (k->reset) k->reset(j);
  j->runs = 0;
  team_run(j->team, nothing, NULL); /* nobody sleeps when the clock starts */
  long switches = os_switches();
  double faults = os_faults();
  double cpu = own_cpu_time(j), start = job_clock(j);
  for (long i = 0; i < inner; i++) {
    k->run(j);
    j->runs++;
  }
  double time = job_clock(j) - start;
  cpu = fmax(0, own_cpu_time(j) - cpu);
  switches = os_switches() - switches;
  faults = os_faults() - faults;

  struct work w = isnan(j->work.flop) ? work_of_kernel(j->request.op, j->done, j->request.dtype) : j->work;
  double parts = (double)inner * j->passes;
  struct sample s = {.time = fmax(time, tick) / parts,
                     .flop = w.flop,
                     .byte = w.byte,
                     .byte_bus = w.byte_bus,
                     .cpu_time = cpu / parts,
                     .residual = NAN,
                     .quant_error = j->quant_error,
                     .busy = j->pipeline.busy,
                     .ready = j->pipeline.ready,
                     .item_time = j->pipeline.item_time,
                     .step_time = j->pipeline.step_time,
                     .seed = (double)j->seed,
                     .at = NAN,
                     .clock_hz = NAN,
                     .faults = faults / (double)inner,
                     .isa = j->isa,
                     .threads = j->threads,
                     .flags = j->flags};
  snprintf(s.by, sizeof s.by, "%s", j->by);
  struct shape all = j->request.shape;
  if (j->done.n < all.n || j->done.m < all.m || j->done.k < all.k || j->done.batch < all.batch) s.flags |= FLAG_PARTIAL;
  if (switches > 0) s.flags |= FLAG_DISTURBED;
  if (time < 20 * tick || (inner > 1 && time < 2e-3)) s.flags |= FLAG_TOO_SHORT;
  if (team_unpinned(j->team)) s.flags |= FLAG_UNPINNED;
  return s;
}

long job_inner(double time_of_run, double tick) {
  double want = fmax(TIMING_SAMPLE_S, 20 * tick) / time_of_run;
  return want <= 1 ? 1 : want < 1e9 ? (long)ceil(want) : 1000000000L;
}

double clock_measure(double s) {
  /* One register added to another: not a constant, which some cores add while renaming, several a cycle. */
  unsigned long x = 1, y = 3;
  double best = 0, end = os_clock() + s;
  do {
    enum { ROUNDS = 2000 };
    double start = os_clock();
    for (int i = 0; i < ROUNDS; i++) {
#define ADD                                                                                                                                \
  x += y;                                                                                                                                  \
  __asm__ volatile("" : "+r"(x), "+r"(y));
#define ADD_8 ADD ADD ADD ADD ADD ADD ADD ADD
      ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8
    }
    double hz = 64.0 * ROUNDS / (os_clock() - start);
    if (hz > best && hz < 1e11) best = hz;
  } while (os_clock() < end);
  return best > 0 ? best : NAN;
}

static void settle_part(int rank, int n, void *arg) {
  (void)rank, (void)n;
  clock_measure(*(const double *)arg);
}

void clock_settle(struct team *t, double s) { team_run(t, settle_part, &s); }

double peak_expected(const struct lanes_real *l, double clock_hz) { return clock_hz * l->lanes * 2 * 2; }
