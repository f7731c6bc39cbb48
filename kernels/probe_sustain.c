/* probe_sustain: what the widest arithmetic does in its first moments on all cores, and what is left of it after some seconds of nothing
 * else: warmth and power limits take their time. The clock is measured beside it. */
#include <math.h>
#include <stdio.h>

#include "kernels/probe_inner.h"

enum { TIMES_MAX = 2048 };
static const double REST_S = 0.3, WINDOW_S = 0.4, SUSTAIN_S = 4;
static const double FALLEN = 0.95; /* below this share of the first moments the fall is worth a word */

/* Samples for s seconds into *r: the best of them as `best`, and the median time. */
static double window(struct probe *p, struct job *j, long inner, double s, struct reading *r) {
  const struct kernel *k = kernel_find(OP_PEAK);
  double time[TIMES_MAX], end = os_now(&p->os) + s;
  *r = (struct reading){.best.time = NAN, .spread = NAN, .doubling = NAN};
  do {
    struct sample one = job_sample(j, k, inner, p->tick);
    if (r->count == 0 || one.time < r->best.time) r->best = one;
    time[r->count++] = one.time;
  } while (r->count < TIMES_MAX && (r->count < 3 || os_now(&p->os) < end));
  double median = quantile(time, r->count, 0.5);
  r->spread = (quantile(time, r->count, 0.75) - quantile(time, r->count, 0.25)) / 2 / median;
  return median;
}

int probe_sustain_steps(const struct probe *p) { return p->os.threads > 0; }

void probe_sustain(struct probe *p) {
  struct request r = probe_request(OP_PEAK, 1, p->os.threads);
  struct pool pool = {.cap = p->os.memory_cap};
  struct job j;
  char why[256];
  probe_step(p, "arithmetic for %.0f s on end, %d thread%s", SUSTAIN_S, p->os.threads, p->os.threads == 1 ? "" : "s");
  r.isa = isa_best();
  if (p->stopped || !job_open(&j, kernel_find(OP_PEAK), &r, &p->os, &pool, 0.05, p->options.seed, why)) return;
  os_sleep(REST_S);
  struct sample s = job_sample(&j, kernel_find(OP_PEAK), 1, p->tick);
  long inner = 3 * job_inner(s.time * j.passes, p->tick);
  struct reading burst, held;
  window(p, &j, inner, WINDOW_S, &burst);
  double burst_hz = clock_measure(0.002), end = os_now(&p->os) + SUSTAIN_S - WINDOW_S;
  while (!p->stopped && os_now(&p->os) < end) {
    struct line alive; /* a listener that is gone must not wait for the end */
    window(p, &j, inner, WINDOW_S, &held);
    line_clear(&alive, LINE_PROGRESS);
    alive.done = p->done - (end - os_now(&p->os)) / SUSTAIN_S;
    alive.total = p->total;
    snprintf(alive.reason, sizeof alive.reason, "arithmetic for %.0f s on end", SUSTAIN_S);
    probe_say(p, &alive);
  }
  double median = window(p, &j, inner, WINDOW_S, &held), held_hz = clock_measure(0.002);
  double residual = kernel_find(OP_PEAK)->residual(&j, false);
  job_close(&j);
  if (!(residual <= 1)) {
    probe_note(p, "the sustained run gave a wrong result");
    return;
  }
  struct line first = probe_figure_of(p, "burst", burst.best.flop / burst.best.time, &r, &burst);
  struct line last = probe_figure_of(p, "sustained", held.best.flop / median, &r, &held);
  last.is_median = true;
  /* A fall that others caused by taking the cores is theirs, not the machine's. */
  if (last.value < FALLEN * first.value && !(last.flags & FLAG_DISTURBED)) {
    last.flags |= FLAG_THROTTLED;
    probe_note(p, "after %.0f s the arithmetic runs at %.2f of its first rate, the clock at %.2f", SUSTAIN_S, last.value / first.value,
               held_hz / burst_hz);
  }
  probe_say(p, &first);
  probe_say_number(p, "burst_clock", burst_hz);
  probe_say(p, &last);
  probe_say_number(p, "sustained_clock", held_hz);
}
