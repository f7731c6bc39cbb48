#include "model/why.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "model/ladder.h"
#include "model/roof.h"

static const double NEAR = 0.02, CLOCK_NEAR = 0.01, NOISE = 0.05;

const char *why_title(enum why_check c) {
  static const char *const title[WHY_N] = {"memory level",   "precision", "clock",      "count",  "disturbance", "threads", "instructions",
                                           "fetch to store", "dispatch",  "idle cores", "spread", "overlap",     "the rest"};
  return title[c];
}

const char *why_verdict_name(enum why_verdict v) {
  static const char *const name[WHY_VERDICTS] = {"no", "yes", "perhaps", "not known"};
  return name[v];
}

/* What starting the team cost when it was measured here with as many threads. */
double why_dispatch(const struct world *w, int threads) {
  for (int i = w->nrun; i-- > 0;) {
    const struct run *r = &w->run[i];
    if (r->request.op == OP_DISPATCH && r->threads == threads && strcmp(r->machine, w->machine) == 0) return run_time(r);
  }
  return NAN;
}

bool why_of(const struct world *w, const struct request *r, struct why_input *in) {
  const struct device *d = &w->device[DEVICE_HERE];
  *in = (struct why_input){.device = d,
                           .op = r->op,
                           .shape = r->shape,
                           .dtype = r->dtype,
                           .math = ladder_math(d, r->dtype),
                           .isa = r->isa,
                           .level = d->nlevel - 1,
                           .flop = NAN,
                           .byte = NAN,
                           .byte_bus = NAN,
                           .s = NAN,
                           .spread = NAN,
                           .dispatch_s = NAN};
  if (r->op == OP_FEED) return false; /* a pipeline stands under no roof */
  in->reads_only = r->op == OP_WEIGHTS || r->op == OP_DOT || r->op == OP_DIAL || r->op == OP_READ;
  in->peak = ladder_peak(d, in->math, r->isa, r->threads);
  in->byte_per_s = ladder_rate(d, work_footprint(r->op, r->shape, r->dtype), in->reads_only, r->threads, &in->level);
  in->peak_trust = trust_find(&d->machine, "peak", r->isa, in->math, 0, -1);
  in->rate_trust = in->level >= 0 && in->level < d->nlevel - 1 ? trust_find(&d->machine, "level_rate", ISA_AUTO, in->math, 0, in->level)
                                                               : trust_find(&d->machine, "read", ISA_AUTO, in->math, 0, -1);
  in->run = run_find(w, r, w->machine);
  if (!in->run || isnan(run_time(in->run))) {
    in->run = NULL;
    return false;
  }
  in->flop = in->run->flop, in->byte = in->run->byte, in->byte_bus = in->run->byte_bus;
  in->s = run_time(in->run);
  in->spread = in->run->spread;
  in->dispatch_s = why_dispatch(w, in->run->threads);
  return true;
}

double why_ratio(const struct why_input *in) { return roof_time_lower(in->flop, in->byte, in->peak, in->byte_per_s) / in->s; }

static struct why finding(enum why_check check, enum why_verdict verdict, double value, double bound) {
  return (struct why){.check = check, .verdict = verdict, .value = value, .bound = bound, .s = NAN, .share = NAN};
}

static bool memory_bound(const struct why_input *in) { return roof_bound(in->flop, in->byte, in->peak, in->byte_per_s) == BOUND_MEMORY; }

/* The farthest level that still gives as many bytes a second: the least that has to be believed. -1: none does. */
static int level_giving(const struct device *d, double byte_per_s) {
  for (int i = d->nlevel; i-- > 0;)
    if (ladder_level_rate(d, i, 0) * (1 + NEAR) >= byte_per_s) return i;
  return -1;
}

/* A small warm matrix stands above the DRAM roof because a cache serves it. */
static struct why check_level(const struct why_input *in, double ratio) {
  const struct device *d = in->device;
  if (d->nlevel == 0) return finding(WHY_LEVEL, WHY_UNKNOWN, NAN, NAN);
  if (!in->run) {
    double asked = in->byte / in->s;
    int giving = level_giving(d, asked), last = d->nlevel - 1;
    struct why f = finding(WHY_LEVEL,
                           asked <= in->byte_per_s * (1 + NEAR) ? WHY_FINE
                           : giving >= 0 && giving < last       ? WHY_MAYBE
                                                                : WHY_UNKNOWN,
                           asked, giving >= 0 ? ladder_level_rate(d, giving, 0) : NAN);
    f.word = giving >= 0 ? d->level[giving].name : NULL;
    return f;
  }
  double byte = work_footprint(in->op, in->shape, in->dtype);
  int serving = ladder_serving(d, byte), nearer = in->level - 1;
  struct why f = finding(WHY_LEVEL, WHY_FINE, byte, ladder_reach(d, serving));
  f.word = serving >= 0 ? d->level[serving].name : NULL;
  if (isnan(byte) || serving < 0 || in->level < 0) {
    f.verdict = WHY_UNKNOWN;
    f.word = NULL;
  } else if (serving < in->level) { /* its own rate is not known, so the roof is a farther one's */
    f.verdict = ratio > 1 + NEAR && memory_bound(in) ? WHY_CAUSE : WHY_FINE;
  } else if (ratio > 1 + NEAR && memory_bound(in) && nearer >= 0 && byte < 4 * ladder_reach(d, nearer)) {
    f.verdict = WHY_MAYBE; /* not much more than a nearer level holds: part of it stays there from one repetition to the next */
    f.word = d->level[nearer].name;
    f.bound = ladder_reach(d, nearer);
  }
  return f;
}

/* The roof of one instruction set on the threads that ran. */
static double isa_roof(const struct why_input *in, enum isa isa, int threads) {
  bool here = in->device->machine.measured;
  return here && (in->math == DTYPE_FP32 || in->math == DTYPE_FP64) ? ladder_peak(in->device, in->math, isa, threads) : NAN;
}

static struct why check_precision(const struct why_input *in, double ratio) {
  if (!in->run) {
    struct why f = finding(WHY_PRECISION, WHY_UNKNOWN, NAN, in->peak);
    double rate = in->flop / in->s;
    if (!(rate > in->peak * (1 + NEAR))) {
      f.verdict = WHY_FINE;
      return f;
    }
    for (int t = 0; t < DTYPE_N; t++) /* the first type whose roof would hold it */
      if (in->device->peak[t].value * (1 + NEAR) >= rate) {
        f.verdict = WHY_MAYBE, f.value = in->device->peak[t].value, f.word = dtype_name((enum dtype)t);
        break;
      }
    return f;
  }
  double ran = isa_roof(in, in->run->isa, in->run->threads);
  struct why f = finding(WHY_PRECISION, WHY_FINE, ran, in->peak);
  f.word = in->run->by[0] ? in->run->by : isa_name(in->run->isa);
  if (ratio > 1 + NEAR && !memory_bound(in) && ran > in->peak * (1 + NEAR)) f.verdict = WHY_CAUSE;
  if (in->run->by[0])
    f.verdict = ratio > 1 + NEAR && !memory_bound(in) ? WHY_MAYBE : f.verdict; /* another's code: it may use what it likes */
  return f;
}

/* The roof was measured at one clock; alone, or in its first moments, a core may run faster. */
static struct why check_clock(const struct why_input *in, double ratio) {
  const struct machine *m = &in->device->machine;
  int threads = in->run ? in->run->threads : 0, column = in->math == DTYPE_FP64 ? 0 : 1;
  double boost = NAN, above = ratio > 1 ? ratio : 1;
  if (m->burst_flop_per_s > 0 && in->device->peak[DTYPE_FP32].value > 0) boost = m->burst_flop_per_s / in->device->peak[DTYPE_FP32].value;
  for (int i = ISA_SCALAR; i < ISA_N && threads > 0 && threads < m->threads; i++) {
    double alone = m->isa_peak_one[i][column] * m->threads / m->isa_peak[i][column];
    if (alone > 0 && isfinite(alone) && !(alone <= boost)) boost = alone;
  }
  struct why f = finding(WHY_CLOCK, WHY_FINE, boost, above);
  bool moves = !memory_bound(in) || (in->level >= 0 && in->level < in->device->nlevel - 1); /* caches keep step with the cores */
  if (ratio > 1 + NEAR && moves)
    f.verdict = isnan(boost) ? WHY_UNKNOWN : boost * (1 + CLOCK_NEAR) >= above ? WHY_CAUSE : boost > 1 + NEAR ? WHY_MAYBE : WHY_FINE;
  if (in->run && in->run->flags & FLAG_THROTTLED) f.verdict = WHY_CAUSE, f.flags = FLAG_THROTTLED;
  return f;
}

static struct why check_count(const struct why_input *in, double ratio) {
  if (!in->run) {
    struct why f = finding(WHY_COUNT, in->estimate ? WHY_MAYBE : WHY_UNKNOWN, in->flop, NAN);
    if (ratio <= 1 + NEAR && !in->estimate) f.verdict = WHY_UNKNOWN;
    return f;
  }
  double formula = work_of(in->op, in->shape, in->dtype).flop;
  struct why f = finding(WHY_COUNT, WHY_FINE, in->run->flop, formula);
  f.flags = in->run->flags & (FLAG_PARTIAL | FLAG_SUSPECT);
  bool fits = f.flags & FLAG_PARTIAL ? f.value <= formula : fabs(f.value - formula) <= 1e-9 * formula;
  if (!fits || !(in->run->residual <= 1)) f.verdict = isnan(in->run->residual) && fits ? WHY_UNKNOWN : WHY_CAUSE;
  if (f.flags & FLAG_SUSPECT) f.verdict = WHY_MAYBE;
  return f;
}

static struct why check_disturbed(const struct why_input *in, double ratio) {
  static const unsigned harm = FLAG_DISTURBED | FLAG_THROTTLED | FLAG_TOO_SHORT | FLAG_NOT_SEPARABLE | FLAG_UNPINNED;
  const struct trust *roof = memory_bound(in) ? in->rate_trust : in->peak_trust;
  struct why f = finding(WHY_DISTURBED, WHY_FINE, in->spread, roof ? roof->spread : NAN);
  f.flags = in->run ? in->run->flags & (harm | FLAG_FIRST) : 0;
  f.roof_flags = roof ? roof->flags & harm : 0;
  bool off = fabs(ratio - 1) > NEAR;
  if (!in->run && isnan(in->spread)) f.verdict = WHY_UNKNOWN;
  if (f.value > NOISE || f.bound > NOISE) f.verdict = WHY_MAYBE;
  if (f.flags & FLAG_FIRST) f.verdict = WHY_MAYBE; /* cold: the clock, the caches and the pages were not ready */
  /* What disturbs makes slower: the point, or the roof that it then stands above. */
  if (off && (ratio < 1 ? f.flags & harm : f.roof_flags))
    f.verdict = WHY_CAUSE;
  else if (f.flags & harm || f.roof_flags)
    f.verdict = WHY_MAYBE;
  return f;
}

/* ---- the split ---- */

struct split {
  double gap, left;
  int n;
  struct why *out;
};

/* A part of the gap, no more than is left of it. */
static void part_add(struct split *p, struct why f, double s) {
  if (s > 0 && p->left <= 0) {
    f.s = f.share = 0; /* the parts before it explain all there is: it may be another name for one of them */
    f.verdict = WHY_MAYBE;
  } else if (s > 0) {
    f.s = s < p->left ? s : p->left;
    f.share = f.s / p->gap;
    if (f.verdict == WHY_CAUSE) p->left -= f.s;
  } else if (s <= 0) {
    f.s = f.share = 0;
    f.verdict = WHY_FINE;
  } else
    f.verdict = WHY_UNKNOWN;
  p->out[p->n++] = f;
}

static void split_parts(const struct why_input *in, struct split *p) {
  const struct run *run = in->run;
  const struct device *d = in->device;
  double roof = roof_time_lower(in->flop, in->byte, in->peak, in->byte_per_s);
  /* Each of these lowers a roof, so the roof's time grows from one to the next and the steps add up. */
  if (run) {
    bool fewer = d->machine.threads > 0 && run->threads < d->machine.threads && in->op != OP_CUSTOM;
    double byte = work_footprint(in->op, in->shape, in->dtype), peak = in->peak, rate = in->byte_per_s;
    int level;
    if (fewer) {
      double one = ladder_rate(d, byte, in->reads_only, run->threads, &level), slow = ladder_peak(d, in->math, in->isa, run->threads);
      if (one < rate) rate = one;
      if (slow < peak) peak = slow;
    }
    double threads = roof_time_lower(in->flop, in->byte, peak, rate);
    part_add(p, finding(WHY_THREADS, WHY_CAUSE, run->threads, d->machine.threads), d->machine.threads > 0 ? threads - roof : NAN);
    double narrow = isa_roof(in, run->isa, run->threads), isa = threads;
    if (narrow < peak) isa = roof_time_lower(in->flop, in->byte, peak = narrow, rate);
    struct why f = finding(WHY_ISA, WHY_CAUSE, narrow, in->peak);
    f.word = isa_name(run->isa);
    part_add(p, f, isnan(narrow) && !memory_bound(in) ? NAN : isa - threads);
    double stores = roof_time_lower(in->flop, in->byte_bus >= in->byte ? in->byte_bus : in->byte, peak, rate);
    part_add(p, finding(WHY_STORES, WHY_CAUSE, in->byte_bus, in->byte), isnan(in->byte_bus) ? NAN : stores - isa);
    bool alone = run->threads <= 1;
    part_add(p, finding(WHY_DISPATCH, WHY_CAUSE, in->dispatch_s, NAN), alone ? 0 : in->dispatch_s);
    double busy = run->cpu_time / (in->s * run->threads);
    part_add(p, finding(WHY_IDLE, WHY_CAUSE, busy, 1), busy < 1 - NEAR ? (1 - busy) * in->s : isnan(busy) ? NAN : 0);
    part_add(p, finding(WHY_SPREAD, WHY_CAUSE, run->best, in->s), run->count > 1 ? in->s - run->best : NAN);
  }
  struct why f = finding(WHY_OVERLAP, WHY_MAYBE, roof_time_upper(in->flop, in->byte, in->peak, in->byte_per_s), roof);
  part_add(p, f, f.value - roof);
  f = finding(WHY_REST, WHY_UNKNOWN, NAN, NAN);
  f.s = p->left;
  f.share = p->left / p->gap;
  p->out[p->n++] = f;
}

int why_list(const struct why_input *in, struct why out[WHY_MAX]) {
  double ratio = why_ratio(in);
  int n = 0;
  if (!(ratio > 0) || !isfinite(ratio)) return 0;
  out[n++] = check_level(in, ratio);
  out[n++] = check_precision(in, ratio);
  out[n++] = check_clock(in, ratio);
  out[n++] = check_count(in, ratio);
  out[n++] = check_disturbed(in, ratio);
  if (ratio >= 1 - NEAR) return n;
  double gap = in->s * (1 - ratio);
  struct split p = {gap, gap, 0, out + n};
  split_parts(in, &p);
  return n + p.n;
}

const struct why *why_main(const struct why_input *in, const struct why *list, int n) {
  double ratio = why_ratio(in);
  const struct why *best = NULL;
  if (n == 0 || fabs(ratio - 1) <= NEAR) return NULL;
  for (int i = 0; i < n; i++) {
    const struct why *f = &list[i];
    if (ratio > 1) {
      if (f->verdict == WHY_CAUSE) return f;
      if (f->verdict == WHY_MAYBE && !best) best = f;
    } else if (f->check == WHY_DISTURBED && f->verdict == WHY_CAUSE) {
      return f; /* whatever the split says: it was made of disturbed samples */
    } else if ((f->verdict == WHY_CAUSE || f->check == WHY_REST) && f->share > 0 && (!best || f->share > best->share)) {
      best = f;
    }
  }
  return best;
}
