#include "kernels/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/lanes.h"
#include "kernels/timing.h"

enum { SAMPLES_MAX = 8192, SPREAD_LEAST = 8, CHECK_EVERY = 32 };
static const double SPREAD_GOAL = 0.01, PROGRESS_S = 0.2, SECONDS = 10;
/* A sustained run looks at the clock this often, for so long. */
static const double CLOCK_EVERY_S = 0.25, CLOCK_LOOK_S = 3e-4;

/* One bench_run under way. */
struct bench {
  const struct request *request;
  struct bench_options options;
  char machine[64];
  bool (*say)(const struct line *, void *);
  void *arg;
  const struct kernel *kernel;
  struct os_info os;
  struct pool pool;
  struct job job;
  double tick, clock_hz, residual;
  unsigned flags; /* of the whole run: every sample carries them */
  double time[SAMPLES_MAX], sorted[SAMPLES_MAX];
  int count, disturbed;
};

static struct line bench_line(const struct bench *b, enum line_kind kind) {
  struct line l;
  line_clear(&l, kind);
  l.request = *b->request;
  snprintf(l.machine, sizeof l.machine, "%s", b->machine);
  return l;
}

__attribute__((format(printf, 2, 3))) static int bench_refuse(const struct bench *b, const char *format, ...) {
  struct line l = bench_line(b, LINE_REFUSED);
  va_list ap;
  va_start(ap, format);
  vsnprintf(l.reason, sizeof l.reason, format, ap);
  va_end(ap);
  b->say(&l, b->arg);
  return 1;
}

/* A layer has many arrays and more sizes, which must still fit together. */
static void shape_shrink(struct shape *small, const struct shape *s) {
  small->batch = fmin(s->batch, 2);
  small->m = fmin(s->m, 19);
  small->kv_heads = fmin(s->kv_heads, 2);
  small->heads = small->kv_heads * fmin(fmax(1, floor(s->heads / s->kv_heads)), 3);
  small->ffn = fmin(s->ffn, 53);
  small->context = small->m + fmin(s->context - s->m, 11);
}

/* Before anything is timed, the same code runs on a small odd shape and every output is compared with the plain reference. Odd, so that
 * edges and tails are walked. */
static bool bench_check(struct bench *b) {
  struct request r = *b->request;
  struct shape s = work_complete(r.op, r.shape);
  r.shape = s;
  r.hog = false; /* it proves nothing about results */
  r.shape.n = fmin(s.n, 67);
  r.shape.m = fmin(s.m, 35);
  r.shape.k = fmin(s.k, 45);
  r.shape.batch = fmin(s.batch, 5);
  if (b->kernel->parts) shape_shrink(&r.shape, &s);
  struct pool pool = {.cap = 64e6};
  struct job job;
  char why[256];
  if (!job_open(&job, b->kernel, &r, &b->os, &pool, INFINITY, b->options.seed, why)) return true; /* the real set-up will say why */
  job_sample(&job, b->kernel, 1, b->tick);
  double residual = b->kernel->residual(&job, true);
  job_close(&job);
  b->residual = residual;
  return residual <= 1;
}

static int refuse_result(struct bench *b) {
  char error[64];
  if (isnan(b->residual))
    snprintf(error, sizeof error, "it gave no number where one was due");
  else
    snprintf(error, sizeof error, "its error is %.3g times what rounding may do", b->residual);
  return bench_refuse(b, "%s (%s, %s) does not agree with the plain reference: %s", op_name(b->request->op), isa_name(b->job.isa),
                      dtype_name(b->request->dtype), error);
}

static bool bench_sample(struct bench *b, long inner, bool warm, struct sample *s) {
  *s = job_sample(&b->job, b->kernel, inner, b->tick);
  s->warm = warm;
  s->flags |= b->flags;
  if (b->request->op == OP_PEAK && warm && b->request->dtype == job_real(&b->job)) {
    double share = s->flop / s->time / (peak_expected(job_lanes(&b->job), b->clock_hz) * b->job.threads);
    if (!(share >= 0.45 && share <= 1.02)) s->flags |= FLAG_SUSPECT;
  }
  if (!warm) s->flags |= FLAG_FIRST;
  if (!warm || b->count % CHECK_EVERY == 0) b->residual = b->kernel->residual(&b->job, false);
  if (b->kernel->parts && b->residual <= 1) b->kernel->parts(&b->job, s);
  s->residual = b->residual;
  s->quant_error = b->job.quant_error; /* known from the first check on */
  return b->residual <= 1;
}

static bool say_sample(const struct bench *b, int rep, const struct sample *s) {
  struct line l = bench_line(b, LINE_SAMPLE);
  l.rep = rep;
  l.sample = *s;
  return b->say(&l, b->arg);
}

static bool say_progress(const struct bench *b, double done, double total, const char *about) {
  struct line l = bench_line(b, LINE_PROGRESS);
  l.done = done;
  l.total = total;
  snprintf(l.reason, sizeof l.reason, "%s", about);
  return b->say(&l, b->arg);
}

/* Half the interquartile range, as a share of the median. */
static double bench_spread(struct bench *b) {
  memcpy(b->sorted, b->time, sizeof *b->time * (size_t)b->count);
  double median = quantile(b->sorted, b->count, 0.5);
  return (quantile(b->sorted, b->count, 0.75) - quantile(b->sorted, b->count, 0.25)) / 2 / median;
}

static bool say_result(struct bench *b, unsigned flags) {
  struct line l = bench_line(b, LINE_RESULT);
  l.count = b->count;
  l.spread = bench_spread(b); /* leaves sorted[] in order */
  l.best = quantile(b->sorted, b->count, 0);
  l.median = quantile(b->sorted, b->count, 0.5);
  l.p95 = quantile(b->sorted, b->count, 0.95);
  l.residual = b->residual;
  l.flags = flags;
  return b->say(&l, b->arg);
}

/* Repetitions until they agree, or time is up. Returns 0, or 1 when a result was wrong. */
static int bench_repeat(struct bench *b, double first) {
  double start = os_now(&b->os), told = start;
  long inner = job_inner(first, b->tick);
  double sustain = b->request->sustain, seconds = sustain > 0 ? sustain : b->options.seconds, looked = -INFINITY;
  /* A long run has long samples, so that there is room to keep them all. */
  if (sustain > 0) inner = (long)fmax((double)inner, ceil(sustain / (SAMPLES_MAX / 2) / first));
  struct os_spoilers before = os_spoilers_read(b->options.root);
  unsigned flags = 0;
  for (;;) {
    struct sample s;
    double clock = NAN;
    if (sustain > 0 && os_now(&b->os) - looked > CLOCK_EVERY_S) {
      clock = clock_measure(CLOCK_LOOK_S);
      looked = os_now(&b->os);
    }
    if (!bench_sample(b, b->job.one_run ? 1 : inner, true, &s)) return refuse_result(b);
    s.clock_hz = clock;
    /* The first run was cold, so the guess from it is too short: lengthen until it is not, but never say that nothing came. */
    double run = s.time * b->job.passes, now = os_now(&b->os);
    bool ended = now - start > seconds;
    s.at = now - start;
    if (s.flags & FLAG_TOO_SHORT && !b->job.one_run && job_inner(run, b->tick) > inner && !ended) {
      inner = job_inner(run * 0.9, b->tick);
      continue;
    }
    b->time[b->count++] = s.time;
    b->disturbed += (s.flags & FLAG_DISTURBED) != 0;
    flags |= s.flags & ~(unsigned)FLAG_DISTURBED;
    if (!say_sample(b, b->count, &s)) return 0;
    if (b->options.reps > 0 ? b->count >= b->options.reps : ended) break;
    if (b->options.reps <= 0 && !(sustain > 0) && b->count >= SPREAD_LEAST && bench_spread(b) < SPREAD_GOAL) break;
    if (b->count == SAMPLES_MAX) break;
    if (now - told > PROGRESS_S) {
      told = now;
      double done = b->options.reps > 0 ? b->count : now - start, total = b->options.reps > 0 ? b->options.reps : seconds;
      if (!say_progress(b, done, total, "repeating")) return 0;
    }
  }
  struct os_spoilers after = os_spoilers_read(b->options.root);
  if (after.throttled > before.throttled) flags |= FLAG_THROTTLED;
  if (2 * b->disturbed > b->count || after.stolen_s - before.stolen_s > 0.02 * (os_now(&b->os) - start)) flags |= FLAG_DISTURBED;
  b->residual = b->kernel->residual(&b->job, false);
  if (!(b->residual <= 1)) return refuse_result(b);
  say_result(b, flags);
  return 0;
}

static int bench_go(struct bench *b) {
  const struct request *r = b->request;
  b->kernel = kernel_find(r->op);
  if (!b->kernel) return bench_refuse(b, "%s has no kernel to run", op_name(r->op));
  struct line l = bench_line(b, LINE_START);
  l.sample.seed = (double)b->options.seed;
  snprintf(l.reason, sizeof l.reason, "%s", b->kernel->words);
  if (!b->say(&l, b->arg)) return 0;

  char why[256];
  struct job none = {.pool = &b->pool};
  if (!job_resolve(&none, b->kernel, r, &b->os, why)) return bench_refuse(b, "%s", why);
  b->pool.cap = b->os.memory_cap;
  struct shape shape = work_complete(r->op, r->shape);
  double byte = work_footprint(r->op, shape, r->dtype);
  char need[40], may[40];
  if (!isnan(b->pool.cap) && byte > b->pool.cap)
    return bench_refuse(b, "%s of memory needed, %s allowed (a quarter of what is free)", byte_words(need, byte),
                        byte_words(may, b->pool.cap));
  if (!bench_check(b)) {
    b->job.isa = r->isa == ISA_AUTO ? isa_best() : r->isa;
    return refuse_result(b);
  }
  if (byte > 32e6) {
    char about[64];
    snprintf(about, sizeof about, "filling %s", byte_words(need, byte));
    if (!say_progress(b, 0, b->options.seconds, about)) return 0;
  }
  double budget = b->options.quick ? 0.1 : fmax(0.1, b->options.seconds / 8);
  if (!job_open(&b->job, b->kernel, r, &b->os, &b->pool, budget, b->options.seed, why)) return bench_refuse(b, "%s", why);
  byte = work_footprint(r->op, b->job.done, r->dtype);
  if (byte > 0 && byte < 2 * b->os.last_cache_byte) b->flags |= FLAG_IN_CACHE;
  if (!b->options.quick) clock_settle(b->job.team, 0.1);
  b->clock_hz = r->op == OP_PEAK ? clock_measure(0.002) : NAN;

  struct sample s;
  bool fine = bench_sample(b, 1, false, &s);
  int rc = 1;
  if (!fine)
    refuse_result(b);
  else if (!say_sample(b, 0, &s))
    rc = 0;
  else
    rc = bench_repeat(b, s.time * b->job.passes);
  job_close(&b->job);
  return rc;
}

int bench_run(const struct request *r, const struct bench_options *o, bool (*say)(const struct line *, void *), void *arg) {
  struct bench *b = calloc(1, sizeof *b);
  if (!b) return 1;
  b->request = r;
  b->options = *o;
  if (!b->options.root) b->options.root = "";
  if (!(b->options.seconds > 0)) b->options.seconds = SECONDS;
  b->say = say;
  b->arg = arg;
  b->residual = NAN;
  os_read(&b->os, b->options.root);
  b->os.clock = b->options.clock;
  b->os.clock_arg = b->options.clock_arg;
  b->tick = os_tick(&b->os);
  if (o->machine)
    snprintf(b->machine, sizeof b->machine, "%s", o->machine);
  else
    machine_name(b->machine, b->options.root);
  int rc = bench_go(b);
  free(b);
  return rc;
}

/* "host.AMD-EPYC-7B13": letters, digits, '-' and one '.', so that it names a file. */
void machine_name(char out[64], const char *root) {
  struct os_info *o = malloc(sizeof *o);
  out[0] = '\0';
  if (!o) return;
  os_read(o, root ? root : "");
  o->host[24] = '\0';
  char text[140];
  snprintf(text, sizeof text, "%s.%s", o->host, o->cpu_name);
  free(o);
  int n = 0;
  bool dot = false;
  for (const char *c = text; *c && n < 63; c++) {
    bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    if (plain)
      out[n++] = *c;
    else if (*c == '.' && !dot && n > 0)
      out[n++] = '.', dot = true;
    else if (n > 0 && out[n - 1] != '-' && out[n - 1] != '.')
      out[n++] = '-';
  }
  while (n > 0 && (out[n - 1] == '-' || out[n - 1] == '.')) n--;
  out[n] = '\0';
}
