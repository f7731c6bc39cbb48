/* probe_level: one reading inside each level of the memory hierarchy: how fast it is read by all, and how long one load takes. */
#include <math.h>

#include "kernels/probe_inner.h"

static void probe_level(struct probe *p, int i) {
  int threads = p->os.threads;
  while (threads > 1 && probe_level_set(&p->os, i, threads) == 0) threads--;
  double byte = probe_level_set(&p->os, i, threads);
  probe_step(p, "level L%d", p->os.cache[i].level);
  if (byte == 0) {
    probe_note(p, "L%d is not separable from the level before it", p->os.cache[i].level);
    return;
  }
  struct request r = probe_request(OP_READ, floor(byte / 4), threads);
  struct reading got = probe_measure(p, r, p->options.thorough ? 0.1 : 0.05, false);
  if (isnan(got.best.time)) return;
  struct line f = probe_figure_of(p, "level_rate", got.best.byte / got.best.time, &r, &got);
  f.level = i;
  if (threads < p->os.threads) {
    f.flags |= FLAG_NOT_SEPARABLE;
    probe_note(p, "L%d is not separable at %d threads: %d were used", p->os.cache[i].level, p->os.threads, threads);
  }
  probe_say(p, &f);
}

static void probe_latency(struct probe *p, int i) {
  bool memory = i == p->os.ncache;
  double cache = p->os.last_cache_byte > 0 ? p->os.last_cache_byte : 0;
  double byte = memory ? fmin(fmin(probe_memory_set(p), 256e6), 2 * fmax(cache, 8.0 * 1024 * 1024)) : probe_level_set(&p->os, i, 1);
  if (memory)
    probe_step(p, "latency of memory");
  else
    probe_step(p, "latency of L%d", p->os.cache[i].level);
  if (!(byte >= 64)) return;
  struct request r = probe_request(OP_LATENCY, floor(byte / 64), 1);
  struct reading got = probe_measure(p, r, p->options.thorough ? 0.08 : 0.02, false);
  if (isnan(got.best.time)) return;
  struct line f = probe_figure_of(p, "level_latency", got.best.time / (got.best.byte / 64), &r, &got);
  f.request.isa = ISA_AUTO; /* a load is a load */
  f.level = i;
  probe_say(p, &f);
}

int probe_level_steps(const struct probe *p) { return 2 * p->os.ncache + 1; }

void probe_levels(struct probe *p) {
  for (int i = 0; i < p->os.ncache && !p->stopped; i++) probe_level(p, i);
  for (int i = 0; i <= p->os.ncache && !p->stopped; i++) probe_latency(p, i);
}
