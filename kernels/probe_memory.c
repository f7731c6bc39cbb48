/* probe_memory: the memory roofs: arrays well past the caches, read, copied and combined. */
#include <math.h>

#include "kernels/probe_inner.h"

static const struct rate {
  const char *name;
  enum op op;
  bool thorough; /* only then */
} rate_table[] = {{"read", OP_READ, false},
                  {"copy_nt", OP_COPY_NT, false},
                  {"triad_nt", OP_TRIAD_NT, false},
                  {"copy", OP_COPY, true},
                  {"triad", OP_TRIAD, true}};
enum { RATES = sizeof rate_table / sizeof *rate_table };

static void probe_rate(struct probe *p, const struct rate *rate, int threads) {
  enum op op = rate->op;
  double arrays = op == OP_READ ? 1 : op == OP_TRIAD || op == OP_TRIAD_NT ? 3 : 2, byte = probe_memory_set(p);
  probe_step(p, "memory: %s, %d thread%s", op_name(op), threads, threads == 1 ? "" : "s");
  struct request r = probe_request(op, floor(byte / arrays / 4), threads);
  const struct lanes_real *l = lanes_for(isa_best(), DTYPE_FP32);
  if ((op == OP_COPY_NT && !l->copy_nt) || (op == OP_TRIAD_NT && !l->triad_nt)) return;
  struct reading got = probe_measure(p, r, p->options.thorough ? 0.3 : 0.12, false);
  if (isnan(got.best.time)) return;
  struct line f = probe_figure_of(p, rate->name, got.best.byte_bus / got.best.time, &r, &got);
  if (byte < 2 * p->os.last_cache_byte) {
    f.flags |= FLAG_IN_CACHE;
    if (op == OP_READ && threads > 1) probe_note(p, "too little memory to get past the caches: the memory rates are partly theirs");
  }
  probe_say(p, &f);
}

/* One thread's share of the bus is asked of every operation in a thorough pass, of the read alone in a quick one. */
static bool alone_too(const struct probe *p, const struct rate *rate) {
  return p->os.threads > 1 && (p->options.thorough || rate->op == OP_READ);
}

int probe_memory_steps(const struct probe *p) {
  int n = 0;
  for (int i = 0; i < RATES; i++)
    if (p->options.thorough || !rate_table[i].thorough) n += 1 + alone_too(p, &rate_table[i]);
  return n;
}

void probe_memory(struct probe *p) {
  for (int i = 0; i < RATES && !p->stopped; i++) {
    const struct rate *rate = &rate_table[i];
    if (rate->thorough && !p->options.thorough) continue;
    probe_rate(p, rate, p->os.threads);
    if (alone_too(p, rate) && !p->stopped) probe_rate(p, rate, 1);
  }
}
