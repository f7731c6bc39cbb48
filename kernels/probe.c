/* probe: this machine's own roofs. What the system says of itself first, then arithmetic (narrow instruction sets before wide ones, with a
 * pause between, so that one does not bleed its clock into the next), then memory, then the levels on the way to it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/lanes.h"
#include "kernels/timing.h"

struct probe {
  struct bench_options options;
  bool (*say)(const struct line *, void *);
  void *arg;
  bool stopped; /* say said no */
  struct os_info os;
  double tick, clock_hz;
  double start; /* clock */
  int done, total;
  int figures; /* measured so far */
  char note[200];
};

/* All of it in about three seconds: on a machine that others keep busy, what comes after LATE_S gets fewer repetitions. */
static const double SETTLE_S = 0.1, PAUSE_S = 0.01, LATE_S = 2;
static const double CROWDED = 0.75; /* a team below this share of its number times one thread was not given its cores */
static const double DEFAULT_CACHE = 32.0 * 1024 * 1024;

static void say(struct probe *p, struct line *l) {
  if (!p->stopped && !p->say(l, p->arg)) p->stopped = true;
}

static struct line figure(const char *name, double value) {
  struct line l;
  line_clear(&l, LINE_FIGURE);
  snprintf(l.name, sizeof l.name, "%s", name);
  l.value = value;
  return l;
}

static void say_number(struct probe *p, const char *name, double value) {
  struct line l = figure(name, value);
  if (value > 0) say(p, &l);
}

static void say_text(struct probe *p, const char *name, const char *text) {
  struct line l = figure(name, NAN);
  snprintf(l.text, sizeof l.text, "%s", text);
  if (*text) say(p, &l);
}

__attribute__((format(printf, 2, 3))) static void note(struct probe *p, const char *format, ...) {
  char text[160];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  size_t n = strlen(p->note);
  if (n + strlen(text) + 3 > sizeof p->note) return; /* whole remarks or none */
  snprintf(p->note + n, sizeof p->note - n, "%s%s", n ? "; " : "", text);
}

__attribute__((format(printf, 2, 3))) static void step(struct probe *p, const char *format, ...) {
  struct line l;
  line_clear(&l, LINE_PROGRESS);
  l.done = p->done++;
  l.total = p->total;
  va_list ap;
  va_start(ap, format);
  vsnprintf(l.reason, sizeof l.reason, format, ap);
  va_end(ap);
  say(p, &l);
}

/* ---- one measurement ---- */

enum { TIMES_MAX = 256 };
struct reading {
  struct sample best; /* time NAN: none */
  double spread;      /* half the interquartile range over the median; NAN unknown */
  double doubling;    /* time of twice the work over time of the work; NAN not asked */
};

static double least_time(struct job *j, const struct kernel *k, long inner, int times, double tick, struct sample *best) {
  double least = INFINITY;
  for (int i = 0; i < times; i++) {
    struct sample s = job_sample(j, k, inner, tick);
    if (s.time < least) least = s.time, *best = s;
  }
  return least;
}

/* The best of repeated samples of one request, for about `seconds`. A wrong result is no reading, and a note. */
static struct reading measure(struct probe *p, struct request r, double seconds, bool twice) {
  struct reading out = {.best.time = NAN, .spread = NAN, .doubling = NAN};
  const struct kernel *k = kernel_find(r.op);
  struct pool pool = {.cap = p->os.memory_cap};
  struct job j;
  char why[256];
  if (!job_open(&j, k, &r, &p->os, &pool, 0.05, p->options.seed, why)) {
    note(p, "%s: %s", op_name(r.op), why);
    return out;
  }
  struct sample s = job_sample(&j, k, 1, p->tick);
  long inner = job_inner(s.time * j.passes, p->tick);
  bool late = os_clock() - p->start > LATE_S;
  double end = os_clock() + (late ? 0 : seconds), time[TIMES_MAX];
  int count = 0;
  do {
    s = job_sample(&j, k, inner, p->tick);
    if (s.flags & FLAG_TOO_SHORT) { /* guessed from a cold run */
      long longer = job_inner(s.time * j.passes, p->tick);
      if (longer > inner && count == 0) {
        inner = longer;
        continue;
      }
    }
    if (count == 0 || s.time < out.best.time) out.best = s;
    time[count++] = s.time;
  } while (count < TIMES_MAX && (count < (late ? 1 : 3) || os_clock() < end));
  double median = count < 3 ? NAN : quantile(time, count, 0.5);
  out.spread = (quantile(time, count, 0.75) - quantile(time, count, 0.25)) / 2 / median;
  if (twice && !late) {
    struct sample once, both;
    enum { TIMES = 3 };
    double one = least_time(&j, k, inner, TIMES, p->tick, &once), two = least_time(&j, k, 2 * inner, TIMES, p->tick, &both);
    out.doubling = 2 * two / one; /* times are per run */
  }
  out.best.residual = k->residual(&j, false);
  job_close(&j);
  if (!(out.best.residual <= 1)) {
    note(p, "%s (%s, %s) gave a wrong result", op_name(r.op), isa_name(r.isa), dtype_name(r.dtype));
    out.best.time = NAN;
  }
  return out;
}

static struct request request_of(enum op op, double n, int threads) {
  struct request r = {.op = op, .shape = {n, NAN, NAN, NAN, NAN}, .dtype = DTYPE_FP32, .isa = ISA_AUTO, .threads = threads};
  r.shape = work_complete(op, r.shape);
  return r;
}

/* ---- arithmetic ---- */

/* One roof. `alone`: what one thread reached, NAN when this is that thread: a team that does far less than its number times as much was not
 * given its cores, so it is tried once more and then says so. Returns FLOP/s, NAN when stopped. */
static double probe_peak(struct probe *p, enum isa isa, enum dtype t, int threads, double alone) {
  step(p, "arithmetic: %s %s, %d thread%s", isa_name(isa), dtype_name(t), threads, threads == 1 ? "" : "s");
  struct request r = request_of(OP_PEAK, 1, threads);
  r.isa = isa;
  r.dtype = t;
  double budget = p->options.quick ? 0.005 : 0.02;
  struct reading got = measure(p, r, budget, true);
  if (isnan(got.best.time)) return NAN;
  if (got.best.flop / got.best.time < CROWDED * threads * alone) {
    struct reading again = measure(p, r, budget, true);
    if (again.best.flop / again.best.time > got.best.flop / got.best.time) got = again;
  }
  struct line l = figure("peak", got.best.flop / got.best.time);
  l.request = r;
  l.spread = got.spread;
  double share = l.value / (threads * peak_expected(lanes_for(isa, t), p->clock_hz));
  if (!(share >= 0.45 && share <= 1.02)) {
    l.flags |= FLAG_SUSPECT;
    if (threads > 1) note(p, "%s %s is %.2f of two pipes at the measured clock", isa_name(isa), dtype_name(t), share);
  }
  if (fabs(got.doubling - 2) > 0.2) {
    l.flags |= FLAG_SUSPECT;
    note(p, "%s %s: twice the work took %.2f times as long", isa_name(isa), dtype_name(t), got.doubling);
  }
  if (l.value < CROWDED * threads * alone) {
    l.flags |= FLAG_DISTURBED;
    note(p, "%s %s: %d threads did %.2f times the work of one: the cores are not ours alone", isa_name(isa), dtype_name(t), threads,
         l.value / alone);
  }
  l.flags |= got.best.flags & (FLAG_DISTURBED | FLAG_UNPINNED);
  p->figures++;
  say(p, &l);
  return l.value;
}

static int usable_isas(enum isa out[ISA_N]) {
  struct cpuid_words words = isa_cpuid();
  int n = 0;
  for (int i = ISA_SCALAR; i < ISA_N; i++)
    if (lanes_of((enum isa)i) && isa_usable((enum isa)i, &words)) out[n++] = (enum isa)i;
  return n;
}

static void probe_peaks(struct probe *p) {
  enum isa isa[ISA_N];
  int n = usable_isas(isa);
  for (int i = 0; i < n && !p->stopped; i++) {
    for (int t = 0; t < 2 && !p->stopped; t++) {
      double alone = probe_peak(p, isa[i], t ? DTYPE_FP32 : DTYPE_FP64, 1, NAN);
      if (p->os.threads > 1 && !p->stopped) probe_peak(p, isa[i], t ? DTYPE_FP32 : DTYPE_FP64, p->os.threads, alone);
    }
    os_sleep(PAUSE_S);
  }
}

/* ---- memory ---- */

/* Bytes of all arrays together: well past the caches, within what may be allocated. */
static double memory_set(const struct probe *p) {
  double cache = p->os.last_cache_byte > 0 ? p->os.last_cache_byte : DEFAULT_CACHE;
  double byte = fmax(4 * cache, 64e6);
  return p->os.memory_cap > 0 ? fmin(byte, 0.9 * p->os.memory_cap) : byte;
}

static void probe_memory(struct probe *p, const char *name, enum op op, int threads) {
  double arrays = op == OP_READ ? 1 : op == OP_TRIAD || op == OP_TRIAD_NT ? 3 : 2, byte = memory_set(p);
  step(p, "memory: %s, %d thread%s", op_name(op), threads, threads == 1 ? "" : "s");
  struct request r = request_of(op, floor(byte / arrays / 4), threads);
  const struct lanes_real *l = lanes_for(isa_best(), DTYPE_FP32);
  if ((op == OP_COPY_NT && !l->copy_nt) || (op == OP_TRIAD_NT && !l->triad_nt)) return;
  struct reading got = measure(p, r, p->options.quick ? 0.03 : 0.08, false);
  if (isnan(got.best.time)) return;
  struct line f = figure(name, got.best.byte_bus / got.best.time);
  f.request = r;
  f.spread = got.spread;
  f.request.isa = got.best.isa;
  f.flags |= got.best.flags & (FLAG_DISTURBED | FLAG_UNPINNED);
  if (byte < 2 * p->os.last_cache_byte) {
    f.flags |= FLAG_IN_CACHE;
    if (op == OP_READ && threads > 1) note(p, "too little memory to get past the caches: the memory rates are partly theirs");
  }
  p->figures++;
  say(p, &f);
}

/* ---- levels ---- */

/* A working set that lies inside level i for a team of `threads`: halfway, by ratio, between one and a half times what is nearer and three
 * quarters of what it holds. 0: there is no room between the two. */
static double level_set(const struct os_info *o, int i, int threads) {
  const struct os_cache *c = &o->cache[i];
  double holds = 0.75 * c->byte * (threads < c->instances ? threads : c->instances);
  double nearer = i > 0 ? 1.5 * o->cache[i - 1].byte * threads : c->byte * threads / 4;
  return nearer < holds ? sqrt(nearer * holds) : 0;
}

static void probe_level(struct probe *p, int i) {
  int threads = p->os.threads;
  while (threads > 1 && level_set(&p->os, i, threads) == 0) threads--;
  double byte = level_set(&p->os, i, threads);
  step(p, "level L%d", p->os.cache[i].level);
  if (byte == 0) {
    note(p, "L%d is not separable from the level before it", p->os.cache[i].level);
    return;
  }
  struct request r = request_of(OP_READ, floor(byte / 4), threads);
  struct reading got = measure(p, r, p->options.quick ? 0.01 : 0.03, false);
  struct line f = figure("level_rate", got.best.byte / got.best.time);
  f.level = i;
  f.request = r;
  f.spread = got.spread;
  f.request.isa = got.best.isa;
  f.flags |= got.best.flags & (FLAG_DISTURBED | FLAG_UNPINNED);
  if (threads < p->os.threads) {
    f.flags |= FLAG_NOT_SEPARABLE;
    note(p, "L%d is not separable at %d threads: %d were used", p->os.cache[i].level, p->os.threads, threads);
  }
  if (!isnan(got.best.time)) say(p, &f);
}

static void probe_latency(struct probe *p, int i) {
  bool memory = i == p->os.ncache;
  double byte = memory ? fmin(fmin(memory_set(p), 256e6), 2 * fmax(p->os.last_cache_byte, DEFAULT_CACHE / 4)) : level_set(&p->os, i, 1);
  if (memory)
    step(p, "latency of memory");
  else
    step(p, "latency of L%d", p->os.cache[i].level);
  if (!(byte >= 64)) return;
  struct request r = request_of(OP_LATENCY, floor(byte / 64), 1);
  struct reading got = measure(p, r, p->options.quick ? 0.005 : 0.02, false);
  if (isnan(got.best.time)) return;
  struct line f = figure("level_latency", got.best.time / (got.best.byte / 64));
  f.level = i;
  f.spread = got.spread;
  say(p, &f);
}

/* ---- the machine in words ---- */

static void probe_declared(struct probe *p) {
  const struct os_info *o = &p->os;
  char text[200];
  say_number(p, "threads", o->threads);
  say_number(p, "cpus", fmin(o->ncpu, isnan(o->quota_cpu) ? INFINITY : ceil(o->quota_cpu)));
  say_text(p, "cpu", o->cpu_name);
  say_text(p, "host", o->host);
  time_t now = time(NULL);
  struct tm day;
  if (localtime_r(&now, &day) && strftime(text, sizeof text, "%Y-%m-%d", &day) > 0) say_text(p, "date", text);
#if defined(__clang__)
  say_text(p, "compiler", "clang " __clang_version__);
#else
  say_text(p, "compiler", "gcc " __VERSION__);
#endif
  say_text(p, "flags", "-O3 -ffp-contract=fast, one file an instruction set");
  say_number(p, "last_cache", o->last_cache_byte);
  say_number(p, "memory_cap", o->memory_cap);
  for (int i = 0; i <= o->ncache; i++) {
    bool memory = i == o->ncache;
    struct line l = figure("level", memory ? o->memory_total : o->cache[i].byte);
    l.level = i;
    l.count = memory ? 1 : o->cache[i].instances;
    if (memory)
      snprintf(l.text, sizeof l.text, "DRAM");
    else
      snprintf(l.text, sizeof l.text, "L%d", o->cache[i].level);
    snprintf(l.from, sizeof l.from, "%s", memory ? "system" : o->cache[i].from);
    say(p, &l);
  }
  say_number(p, "memory", o->memory_total);
  if (*o->hypervisor) note(p, "in a virtual machine (%s)", o->hypervisor);
  if (o->quota_cpu > 0) note(p, "CPU quota %.3g", o->quota_cpu);
  if (o->battery) note(p, "on battery");
  if (*o->governor && strcmp(o->governor, "performance") != 0) note(p, "clock governor %s", o->governor);
  if (o->load > 0.5 * o->ncpu) note(p, "load %.1f before it began", o->load);
  if (*o->note) note(p, "%s", o->note);
}

static void probe_go(struct probe *p) {
  enum isa isa[ISA_N];
  p->total = usable_isas(isa) * (p->os.threads > 1 ? 4 : 2) + (p->os.threads > 1 ? 2 : 1) + 3 + 2 * p->os.ncache + 1;
  probe_declared(p);
  struct team *t = team_start(p->os.cpu, p->os.threads);
  if (t) {
    clock_settle(t, p->options.quick ? SETTLE_S / 2 : SETTLE_S);
    if (team_unpinned(t)) note(p, "%d of %d threads could not be pinned", team_unpinned(t), p->os.threads);
    p->clock_hz = clock_measure(0.005);
    team_stop(t);
  }
  say_number(p, "clock", p->clock_hz);
  probe_peaks(p);
  static const struct {
    const char *name;
    enum op op;
  } memory[] = {{"read", OP_READ}, {"copy_nt", OP_COPY_NT}, {"triad_nt", OP_TRIAD_NT}, {"triad", OP_TRIAD}};
  for (size_t i = 0; i < sizeof memory / sizeof *memory && !p->stopped; i++) {
    probe_memory(p, memory[i].name, memory[i].op, p->os.threads);
    if (i == 0 && p->os.threads > 1 && !p->stopped) probe_memory(p, "read", OP_READ, 1);
  }
  for (int i = 0; i < p->os.ncache && !p->stopped; i++) probe_level(p, i);
  for (int i = 0; i <= p->os.ncache && !p->stopped; i++) probe_latency(p, i);
  say_text(p, "note", p->note);
}

int probe_run(const struct bench_options *o, bool (*tell)(const struct line *, void *), void *arg) {
  struct probe *p = calloc(1, sizeof *p);
  if (!p) return 1;
  p->options = *o;
  if (!p->options.root) p->options.root = "";
  p->say = tell;
  p->arg = arg;
  p->start = os_clock();
  p->tick = os_clock_tick();
  p->clock_hz = NAN;
  os_read(&p->os, p->options.root);
  if (p->os.ncache > LEVEL_MAX - 1) p->os.ncache = LEVEL_MAX - 1;
  struct os_spoilers before = os_spoilers_read(p->options.root);
  probe_go(p);
  struct os_spoilers after = os_spoilers_read(p->options.root);
  if (after.throttled > before.throttled) {
    note(p, "the CPU quota held the measurement up: the roofs are low");
    say_text(p, "note", p->note);
  }
  int rc = p->figures > 0 ? 0 : 1;
  if (rc) {
    struct line l;
    line_clear(&l, LINE_REFUSED);
    snprintf(l.reason, sizeof l.reason, "nothing could be measured: %.200s", p->note);
    say(p, &l);
  }
  free(p);
  return rc;
}
