/* probe_reading: one figure of the probe: the best of repeated samples, with what is known of how far to trust it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/probe_inner.h"

/* A quick pass takes about three seconds: on a machine that others keep busy, what comes after LATE_S gets fewer repetitions. */
static const double LATE_S = 2, LATE_THOROUGH_S = 25;
static const double STOLEN = 0.02; /* share of the time that other guests of the host took: more spoils it */
static const double DEFAULT_CACHE = 32.0 * 1024 * 1024;

enum { TIMES_MAX = 256, LENGTHEN_MAX = 12 };

/* Time of twice the work over time of the work, least of several: about 2, or the compiler has removed the work. Where others use the cores
 * too the time on the clock says nothing, but the time the CPUs spent still may; the one nearer to 2 is told. NAN where every moment was
 * disturbed: that proves nothing. */
static double doubling(struct job *j, const struct kernel *k, long inner, double tick) {
  double time[2] = {INFINITY, INFINITY}, cpu[2] = {INFINITY, INFINITY}, ratio = NAN;
  enum { TIMES = 6, ROUNDS = 4 };
  for (int round = 0; round < ROUNDS && !(fabs(ratio - 2) < 0.1); round++) { /* a disturbed round is made good by the next */
    for (int i = 0; i < TIMES; i++) {
      int twice = i % 2; /* in turns, so that a slow moment meets both */
      struct sample s = job_sample(j, k, inner << twice, tick);
      if (s.flags & FLAG_DISTURBED) continue;
      time[twice] = fmin(time[twice], s.time * (1 << twice)); /* a sample's figures are per run */
      cpu[twice] = fmin(cpu[twice], s.cpu_time * (1 << twice));
    }
    if (isinf(time[0]) || isinf(time[1])) continue;
    double by_clock = time[1] / time[0], by_cpu = cpu[1] / cpu[0];
    ratio = fabs(by_cpu - 2) < fabs(by_clock - 2) ? by_cpu : by_clock;
  }
  return ratio;
}

struct reading probe_measure(struct probe *p, struct request r, double seconds, bool twice) {
  struct reading out = {.best.time = NAN, .spread = NAN, .doubling = NAN};
  const struct kernel *k = kernel_find(r.op);
  struct pool pool = {.cap = p->os.memory_cap};
  struct job j;
  char why[256];
  if (!job_open(&j, k, &r, &p->os, &pool, 0.05, p->options.seed, why)) {
    probe_note(p, "%s: %s", op_name(r.op), why);
    return out;
  }
  struct os_spoilers before = os_spoilers_read(p->options.root);
  double began = os_now(&p->os);
  struct sample s = job_sample(&j, k, 1, p->tick);
  long inner = job_inner(s.time * j.passes, p->tick);
  bool late = os_now(&p->os) - p->start > (p->options.thorough ? LATE_THOROUGH_S : LATE_S);
  double end = os_now(&p->os) + (late ? 0 : seconds), time[TIMES_MAX];
  int count = 0, lengthened = 0;
  do {
    s = job_sample(&j, k, inner, p->tick);
    if (s.flags & FLAG_TOO_SHORT && lengthened < LENGTHEN_MAX) {
      /* The guess was of a cold or disturbed run: what was taken with it is too short as well. */
      long longer = job_inner(s.time * j.passes * 0.9, p->tick);
      if (longer > inner) {
        inner = longer;
        lengthened++;
        count = 0;
        continue;
      }
    }
    if (count == 0 || s.time < out.best.time) out.best = s;
    time[count++] = s.time;
  } while (count < TIMES_MAX && (count < (late ? 1 : 3) || os_now(&p->os) < end));
  out.count = count;
  double median = count < 3 ? NAN : quantile(time, count, 0.5);
  out.spread = (quantile(time, count, 0.75) - quantile(time, count, 0.25)) / 2 / median;
  if (twice && !late) out.doubling = doubling(&j, k, inner, p->tick);
  struct os_spoilers after = os_spoilers_read(p->options.root);
  if (after.throttled > before.throttled) out.best.flags |= FLAG_THROTTLED;
  if (after.stolen_s - before.stolen_s > STOLEN * (os_now(&p->os) - began)) out.best.flags |= FLAG_DISTURBED;
  out.best.residual = k->residual(&j, false);
  job_close(&j);
  if (!(out.best.residual <= 1)) {
    probe_note(p, "%s (%s, %s) gave a wrong result", op_name(r.op), isa_name(r.isa), dtype_name(r.dtype));
    out.best.time = NAN;
  }
  return out;
}

struct line probe_figure_of(const struct probe *p, const char *name, double value, const struct request *r, const struct reading *from) {
  struct line l = probe_figure(name, value);
  l.request = *r;
  l.request.isa = from->best.isa;
  l.spread = from->spread;
  l.samples = from->count;
  l.seed = (double)p->options.seed;
  l.thorough = p->options.thorough;
  l.flags |= from->best.flags & (FLAG_DISTURBED | FLAG_UNPINNED | FLAG_TOO_SHORT | FLAG_THROTTLED);
  return l;
}

struct request probe_request(enum op op, double n, int threads) {
  struct request r = {.op = op, .shape = {n, NAN, NAN, NAN, NAN}, .dtype = DTYPE_FP32, .isa = ISA_AUTO, .threads = threads};
  r.shape = work_complete(op, r.shape);
  return r;
}

int probe_isas(enum isa out[ISA_N]) {
  struct cpuid_words words = isa_cpuid();
  int n = 0;
  for (int i = ISA_SCALAR; i < ISA_N; i++)
    if (lanes_of((enum isa)i) && isa_usable((enum isa)i, &words)) out[n++] = (enum isa)i;
  return n;
}

double probe_memory_set(const struct probe *p) {
  double cache = p->os.last_cache_byte > 0 ? p->os.last_cache_byte : DEFAULT_CACHE;
  double byte = fmax(4 * cache, 64e6);
  return p->os.memory_cap > 0 ? fmin(byte, 0.9 * p->os.memory_cap) : byte;
}

/* Halfway, by ratio, between one and a half times what is nearer and three quarters of what it holds. */
double probe_level_set(const struct os_info *o, int i, int threads) {
  const struct os_cache *c = &o->cache[i];
  double holds = 0.75 * c->byte * (threads < c->instances ? threads : c->instances);
  double nearer = i > 0 ? 1.5 * o->cache[i - 1].byte * threads : c->byte * threads / 4;
  return nearer < holds ? sqrt(nearer * holds) : 0;
}
