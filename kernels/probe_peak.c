/* probe_peak: the compute roofs. Narrow instruction sets before wide ones, with a pause between, so that one does not bleed its clock into
 * the next. */
#include <math.h>

#include "kernels/probe_inner.h"

static const double PAUSE_S = 0.01, PAUSE_THOROUGH_S = 0.05;
static const double CROWDED = 0.75; /* a team below this share of its number times one thread was not given its cores */

/* One roof. `alone`: what one thread reached, NAN when this is that thread: a team that does far less than its number times as much was not
 * given its cores, so it is tried once more and then says so. Returns FLOP/s, NAN when stopped. */
static double probe_peak(struct probe *p, enum isa isa, enum dtype t, int threads, double alone) {
  probe_step(p, "arithmetic: %s %s, %d thread%s", isa_name(isa), dtype_name(t), threads, threads == 1 ? "" : "s");
  struct request r = probe_request(OP_PEAK, 1, threads);
  r.isa = isa;
  r.dtype = t;
  double budget = p->options.thorough ? 0.06 : 0.03;
  struct reading got = probe_measure(p, r, budget, true);
  if (isnan(got.best.time)) return NAN;
  if (got.best.flop / got.best.time < CROWDED * threads * alone) {
    struct reading again = probe_measure(p, r, budget, true);
    if (again.best.flop / again.best.time > got.best.flop / got.best.time) got = again;
  }
  struct line l = probe_figure_of(p, "peak", got.best.flop / got.best.time, &r, &got);
  double share = l.value / (threads * peak_expected(lanes_for(isa, t), p->clock_hz));
  if (!(share >= 0.45 && share <= 1.02)) {
    l.flags |= FLAG_SUSPECT;
    if (threads > 1) probe_note(p, "%s %s is %.2f of two pipes at the measured clock", isa_name(isa), dtype_name(t), share);
  }
  if (fabs(got.doubling - 2) > 0.2) {
    l.flags |= FLAG_SUSPECT;
    probe_note(p, "%s %s: twice the work took %.2f times as long", isa_name(isa), dtype_name(t), got.doubling);
  }
  if (l.value < CROWDED * threads * alone) {
    l.flags |= FLAG_DISTURBED;
    probe_note(p, "%s %s: %d threads did %.2f times the work of one: the cores are not ours alone", isa_name(isa), dtype_name(t), threads,
               l.value / alone);
  }
  probe_say(p, &l);
  return l.value;
}

/* The 16- and 8-bit dot products, where this CPU has them and this build a kernel: a unit of their own, so their pipes are not counted. */
static void probe_narrow(struct probe *p, enum dtype t, int threads) {
  struct request r = probe_request(OP_PEAK, 1, threads);
  struct pool pool = {.cap = p->os.memory_cap};
  struct job j;
  char why[256];
  r.dtype = t;
  if (!job_open(&j, kernel_find(OP_PEAK), &r, &p->os, &pool, 0.05, p->options.seed, why)) return; /* most CPUs: nothing to remark */
  job_close(&j);
  probe_step(p, "arithmetic: %s, %d thread%s", dtype_name(t), threads, threads == 1 ? "" : "s");
  struct reading got = probe_measure(p, r, p->options.thorough ? 0.06 : 0.02, true);
  if (isnan(got.best.time)) return;
  struct line l = probe_figure_of(p, "peak", got.best.flop / got.best.time, &r, &got);
  if (fabs(got.doubling - 2) > 0.2) l.flags |= FLAG_SUSPECT;
  probe_say(p, &l);
}

/* A quick pass measures the two widest sets: the roofs that are drawn. */
static int first_isa(const struct probe *p, int n) { return p->options.thorough || n < 2 ? 0 : n - 2; }

int probe_peak_steps(const struct probe *p) {
  enum isa isa[ISA_N];
  int n = probe_isas(isa);
  return (n - first_isa(p, n)) * (p->os.threads > 1 ? 4 : 2);
}

void probe_peaks(struct probe *p) {
  enum isa isa[ISA_N];
  int n = probe_isas(isa);
  for (int i = first_isa(p, n); i < n && !p->stopped; i++) {
    for (int t = 0; t < 2 && !p->stopped; t++) {
      double alone = probe_peak(p, isa[i], t ? DTYPE_FP32 : DTYPE_FP64, 1, NAN);
      if (p->os.threads > 1 && !p->stopped) probe_peak(p, isa[i], t ? DTYPE_FP32 : DTYPE_FP64, p->os.threads, alone);
    }
    os_sleep(p->options.thorough ? PAUSE_THOROUGH_S : PAUSE_S);
  }
  static const enum dtype narrow[] = {DTYPE_BF16, DTYPE_INT8};
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    if (!p->stopped) probe_narrow(p, narrow[i], 1);
    if (p->os.threads > 1 && !p->stopped) probe_narrow(p, narrow[i], p->os.threads);
  }
}
