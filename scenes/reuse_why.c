/* reuse_why: the kernel with reuse as model/why takes it: the chosen rung, the fused chain, the fused head. A rung's roof is that of each
 * matrix moved once: what its loop order fetches again is part of the gap. */
#include <math.h>
#include <string.h>

#include "model/why.h"
#include "scenes/reuse.h"

static enum isa isa_of(const struct device *d, enum isa asked, enum dtype math) {
  int column = math == DTYPE_FP64 ? 0 : 1;
  enum isa best = asked;
  for (int i = ISA_SCALAR; asked == ISA_AUTO && i < ISA_N; i++)
    if (d->machine.isa_peak[i][column] > 0 && (best == ISA_AUTO || d->machine.isa_peak[i][column] > d->machine.isa_peak[best][column]))
      best = (enum isa)i;
  return best;
}

static void trust_of(const struct setup *s, const struct reuse *q, struct why_input *in) {
  const struct machine *m = &q->device->machine;
  int threads = s->set[KNOB_THREADS] && s->v[KNOB_THREADS] < m->threads ? (int)s->v[KNOB_THREADS] : m->threads;
  if (!q->here || q->math == DTYPE_N) return;
  if (!s->set[KNOB_PEAK]) in->peak_trust = trust_find(m, "peak", isa_of(q->device, in->isa, q->math), q->math, threads, -1);
  if (s->set[KNOB_BANDWIDTH]) return;
  bool cache = q->level >= 0 && q->level < q->device->nlevel - 1;
  in->rate_trust =
      cache ? trust_find(m, "level_rate", ISA_AUTO, q->math, 0, q->level) : trust_find(m, "read", ISA_AUTO, q->math, threads, -1);
}

static double dispatch_of(const struct world *w, int threads) {
  for (int i = w->nrun; i-- > 0;) {
    const struct run *r = &w->run[i];
    if (r->request.op == OP_DISPATCH && r->threads == threads && strcmp(r->machine, w->machine) == 0) return run_time(r);
  }
  return NAN;
}

void reuse_why(const struct world *w, const struct setup *s, struct why_input *in) {
  struct reuse q = reuse_of(w, s);
  struct request pair[2];
  reuse_requests(s, q.view, pair);
  *in = (struct why_input){.device = q.device,
                           .op = pair[0].op,
                           .shape = pair[0].shape,
                           .dtype = q.dtype,
                           .math = q.math,
                           .isa = (enum isa)(int)s->v[KNOB_ISA],
                           .peak = q.peak,
                           .byte_per_s = q.rate,
                           .level = q.level,
                           .flop = NAN,
                           .byte = NAN,
                           .byte_bus = NAN,
                           .s = NAN,
                           .spread = NAN,
                           .dispatch_s = NAN};
  trust_of(s, &q, in);
  const struct run *run = q.runs ? reuse_run(w, &pair[0]) : NULL;
  if (!run) return;
  in->run = run;
  in->flop = run->flop;
  in->byte = run->byte;
  in->byte_bus = run->byte_bus;
  in->s = run_time(run);
  in->spread = run->spread;
  in->dispatch_s = dispatch_of(w, run->threads);
}
