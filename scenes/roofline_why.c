/* roofline_why: the point on show, ours or the sample picked out, as model/why takes it; and the facts about how figures were measured. */
#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/why.h"
#include "scenes/roofline.h"
#include "scenes/roofline_sample.h"
#include "scenes/why_words.h"

static enum isa isa_best_here(const struct device *d, enum dtype math) {
  enum isa best = ISA_AUTO;
  int column = math == DTYPE_FP64 ? 0 : 1;
  for (int i = ISA_SCALAR; i < ISA_N; i++)
    if (d->machine.isa_peak[i][column] > 0 && (best == ISA_AUTO || d->machine.isa_peak[i][column] > d->machine.isa_peak[best][column]))
      best = (enum isa)i;
  return best;
}

void roofline_trust(const struct world *w, const struct setup *s, const struct trust **peak, const struct trust **rate) {
  const struct device *d = roofline_device(w, s);
  const struct machine *m = &d->machine;
  *peak = *rate = NULL;
  if (!roofline_here(s)) return;
  enum dtype math = roofline_math(w, s, d);
  enum isa isa = (enum isa)(int)s->v[KNOB_ISA];
  int threads = s->set[KNOB_THREADS] && s->v[KNOB_THREADS] < m->threads ? (int)s->v[KNOB_THREADS] : m->threads, level;
  if (isa == ISA_AUTO) isa = isa_best_here(d, math);
  roofline_bandwidth(w, s, d, true, &level);
  if (!s->set[KNOB_PEAK] && math != DTYPE_N) {
    *peak = trust_find(m, "peak", isa, math, threads, -1);
    if (!*peak) *peak = trust_find(m, "peak", isa, math, 0, -1);
  }
  if (s->set[KNOB_BANDWIDTH]) return;
  if (level >= 0 && level < d->nlevel - 1)
    *rate = trust_find(m, "level_rate", ISA_AUTO, math, 0, level);
  else
    *rate = trust_find(m, "read", ISA_AUTO, math, threads, -1);
  if (!*rate && level == d->nlevel - 1) *rate = trust_find(m, "read", ISA_AUTO, math, 0, -1);
}

static void sample_input(const struct world *w, const struct setup *s, const struct foreign *f, struct why_input *in) {
  in->op = OP_CUSTOM;
  in->flop = f->flop;
  in->byte = f->byte;
  in->s = f->s;
  in->spread = f->spread;
  in->estimate = f->estimate;
  in->byte_per_s = sample_bandwidth(w, s);
  in->level = in->device->nlevel - 1;
}

void roofline_why(const struct world *w, const struct setup *s, struct why_input *in) {
  const struct device *d = roofline_device(w, s);
  const struct foreign *f = sample_picked(w, s);
  enum op op = (enum op)(int)s->v[KNOB_OP];
  memset(in, 0, sizeof *in);
  in->device = d;
  in->op = op;
  in->dtype = (enum dtype)(int)s->v[KNOB_DTYPE];
  in->math = roofline_math(w, s, d);
  in->isa = (enum isa)(int)s->v[KNOB_ISA];
  in->peak = s->v[KNOB_PEAK];
  in->byte_per_s = s->v[KNOB_BANDWIDTH];
  in->reads_only = roofline_reads_only(op);
  in->flop = in->byte = in->byte_bus = in->s = in->spread = in->dispatch_s = NAN;
  roofline_bandwidth(w, s, d, roofline_here(s), &in->level);
  roofline_trust(w, s, &in->peak_trust, &in->rate_trust);
  if (f) {
    sample_input(w, s, f, in);
    return;
  }
  struct request r = roofline_request(s);
  in->shape = r.shape;
  if (op == OP_CUSTOM) {
    in->flop = s->v[KNOB_FLOP];
    in->byte = s->v[KNOB_BYTE];
    in->s = s->v[KNOB_TIME];
  } else if (roofline_here(s)) {
    in->run = run_find(w, &r, w->machine);
    if (!in->run) return;
    in->flop = in->run->flop;
    in->byte = in->run->byte;
    in->byte_bus = in->run->byte_bus;
    in->s = run_time(in->run);
    in->spread = in->run->spread;
    in->dispatch_s = why_dispatch(w, in->run->threads);
  }
}

enum {
  T_BECAUSE,
  T_THREADS,
  T_STATISTIC,
  T_SEED,
  T_FLAGS,
  T_PEAK_N,
  T_PEAK_THREADS,
  T_PEAK_SPREAD,
  T_PEAK_SEED,
  T_PEAK_FLAGS,
  T_RATE_N,
  T_RATE_THREADS,
  T_RATE_SPREAD,
  T_RATE_SEED,
  T_RATE_FLAGS,
  T_STATISTIC_ROOF,
  T_N
};
static const struct fact fact_table[T_N] = {
    [T_BECAUSE] = {"because", "because of", "", 2, NULL,
                   "What explains most of where the point stands, of all that was checked; e lists the checks."},
    [T_THREADS] = {"measured_threads", "on threads", "n", 2, NULL, "Threads that ran the kernel."},
    [T_STATISTIC] = {"measured_statistic", "shown is", "", 2, NULL,
                     "Which of the repetitions is drawn: their median; the first run until there is another."},
    [T_SEED] = {"measured_seed", "data seed", "n", 2, NULL, "Seed of the random data it worked on: the same seed gives the same data."},
    [T_FLAGS] = {"measured_flags", "all marks", "", 2, NULL, "Every doubt the harness had about the repetitions."},
    [T_PEAK_N] = {"peak_samples", "peak: samples", "n", 2, NULL, "Samples behind the arithmetic roof of this machine."},
    [T_PEAK_THREADS] = {"peak_threads", "peak: threads", "n", 2, NULL, "Threads it was measured on."},
    [T_PEAK_SPREAD] = {"peak_spread", "peak: spread", "%", 2, NULL, "Half the interquartile range of its samples over their median."},
    [T_PEAK_SEED] = {"peak_seed", "peak: seed", "n", 2, NULL, "Seed of its data."},
    [T_PEAK_FLAGS] = {"peak_flags", "peak: marks", "", 2, NULL, "Doubts about its samples; the first one."},
    [T_RATE_N] = {"byte_per_s_samples", "rate: samples", "n", 2, NULL, "Samples behind the memory roof of this machine."},
    [T_RATE_THREADS] = {"byte_per_s_threads", "rate: threads", "n", 2, NULL, "Threads it was measured on."},
    [T_RATE_SPREAD] = {"byte_per_s_spread", "rate: spread", "%", 2, NULL, "Half the interquartile range of its samples over their median."},
    [T_RATE_SEED] = {"byte_per_s_seed", "rate: seed", "n", 2, NULL, "Seed of its data."},
    [T_RATE_FLAGS] = {"byte_per_s_flags", "rate: marks", "", 2, NULL, "Doubts about its samples; the first one."},
    [T_STATISTIC_ROOF] = {"roof_statistic", "roofs are", "", 2, NULL, "Which sample a measured roof shows: the best one."},
};

static void trust_facts(const struct trust *r, struct fact *f) {
  if (!r) {
    for (int i = 0; i < 5; i++) f[i].label = NULL;
    return;
  }
  f[0].value = r->samples;
  f[1].value = r->threads;
  f[2].value = r->spread;
  f[3].value = r->seed;
  f[4].word = "none";
  for (int i = FLAG_COUNT; i-- > 0;)
    if (r->flags & 1u << i) f[4].word = flag_name(1u << i);
}

int why_facts(const struct world *w, const struct setup *s, struct fact *out) {
  struct why_input in;
  struct why list[WHY_MAX];
  facts_begin(out, fact_table, T_N, true);
  roofline_why(w, s, &in);
  int n = why_list(&in, list);
  double ratio = why_ratio(&in);
  if (n > 0) out[T_BECAUSE].word = ratio > 0.98 && ratio <= 1.02 ? "nothing to explain" : why_brief(why_main(&in, list, n));
  out[T_BECAUSE].measured = true;
  const struct run *run = in.run;
  if (run) {
    out[T_THREADS].value = run->threads;
    out[T_STATISTIC].word = run->count > 0 ? "median" : "first run";
    out[T_SEED].value = run->seed;
    out[T_FLAGS].word = run->flag_words[0] ? run->flag_words : "none";
  } else
    for (int i = T_THREADS; i <= T_FLAGS; i++) out[i].label = NULL;
  if (in.peak_trust || in.rate_trust)
    out[T_STATISTIC_ROOF].word = "best";
  else
    out[T_STATISTIC_ROOF].label = NULL;
  trust_facts(in.peak_trust, &out[T_PEAK_N]);
  trust_facts(in.rate_trust, &out[T_RATE_N]);
  return T_N;
}
