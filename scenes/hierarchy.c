/* hierarchy: how far away is the data? The levels of a device's memory, which of them serves a working set, and the links beyond. */
#include "scenes/hierarchy.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/roof.h"
#include "scenes/hierarchy_facts.h"

static const struct device *device_of(const struct world *w, const struct setup *s) { return &w->device[(int)s->v[KNOB_DEVICE]]; }
static bool is_here(const struct setup *s) { return (int)s->v[KNOB_DEVICE] == DEVICE_HERE; }
const char *hierarchy_name(const struct level *l) { return l->name[0] ? l->name : "memory"; }

struct request hierarchy_request(double byte) {
  return (struct request){.op = OP_READ,
                          .shape = {fmax(1, round(byte / 4)), NAN, NAN, NAN, NAN},
                          .dtype = DTYPE_FP32,
                          .isa = ISA_AUTO,
                          .rung = RUNG_AUTO,
                          .threads = 0};
}

int hierarchy_read_points(const struct world *w, struct read_point out[], int max) {
  int count = 0;
  for (int i = 0; i < w->nrun; i++) {
    const struct run *r = &w->run[i];
    double byte = 4 * r->request.shape.n;
    struct request wanted = hierarchy_request(byte);
    if (!request_equal(&r->request, &wanted) || strcmp(r->machine, w->machine) != 0 || !isfinite(run_time(r)) || count == max) continue;
    int at = count++;
    for (; at > 0 && out[at - 1].byte > byte; at--) out[at] = out[at - 1];
    out[at] = (struct read_point){byte, r->byte / run_time(r), r->spread};
  }
  return count;
}

/* The steps between neighbours: what a level gives over what comes after it. Past main memory come the links, the peer's first. */
struct steps {
  double speed[2], size[2];
};

static void step_take(double range[2], double ratio) {
  if (!(ratio > 0) || !isfinite(ratio)) return;
  if (!(range[0] <= ratio)) range[0] = ratio;
  if (!(range[1] >= ratio)) range[1] = ratio;
}

static struct steps steps_of(const struct device *d) {
  struct steps s = {{NAN, NAN}, {NAN, NAN}};
  for (int i = 0; i + 1 < d->nlevel; i++) {
    step_take(s.speed, ladder_level_rate(d, i, 0) / ladder_level_rate(d, i + 1, 0));
    step_take(s.size, ladder_byte(d, i + 1) / ladder_byte(d, i));
  }
  double memory = ladder_memory_rate(d), peer = d->peer.byte_per_s.value, host = d->host.byte_per_s.value;
  step_take(s.speed, memory / (peer > 0 ? peer : host));
  if (peer > 0) step_take(s.speed, peer / host);
  return s;
}

static bool about_ten(const double range[2]) { return range[0] >= 10.0 / 3 && range[1] <= 30; }

static const char *claim_of(const struct steps *s) {
  if (isnan(s->speed[0]) && isnan(s->size[0])) return "unknown";
  bool speed = isnan(s->speed[0]) || about_ten(s->speed), size = isnan(s->size[0]) || about_ten(s->size);
  return speed && size ? "holds" : !speed && !size ? "holds for neither" : speed ? "not for sizes" : "not for rates";
}

/* The rate and name of what serves when level i is outgrown: the next level, or past main memory the host link. */
double hierarchy_next(const struct device *d, int i, const char **name) {
  *name = NULL;
  if (i + 1 < d->nlevel) {
    *name = hierarchy_name(&d->level[i + 1]);
    return ladder_level_rate(d, i + 1, 0);
  }
  if (d->host.byte_per_s.value > 0) *name = d->host.name[0] ? d->host.name : "the host link";
  return d->host.byte_per_s.value;
}

static const char *provenance_of(const struct device *d, bool here) {
  if (here) return d->machine.measured ? "measured here" : "not measured yet: R";
  if (d->illustrative) return "illustrative";
  return d->memory_byte_per_s.unverified ? "unverified" : source_name((enum source)d->memory_byte_per_s.source);
}

static void facts_level(const struct device *d, int i, double set, struct fact *f) {
  const struct level *l = &d->level[i];
  double rate = ladder_level_rate(d, i, 0), next = hierarchy_next(d, i, &f[F_NEXT].word), peak = NAN;
  enum dtype math = ladder_math(d, DTYPE_BF16);
  if (math != DTYPE_N) peak = ladder_peak(d, math, ISA_AUTO, 0);
  f[F_LEVEL].word = hierarchy_name(l);
  f[F_LEVEL_BYTE].value = ladder_reach(d, i);
  f[F_LEVEL_RATE].value = rate;
  f[F_LATENCY].value = l->latency_s.value;
  f[F_READ_TIME].value = set / rate;
  f[F_NEXT_RATE].value = next;
  f[F_NEXT_RATIO].value = rate / next;
  f[F_FILL].value = set / f[F_LEVEL_BYTE].value;
  f[F_DECLARED].value = ladder_byte(d, i);
  f[F_DECLARED_FROM].word = l->byte_from[0] ? l->byte_from : source_name((enum source)l->byte.source);
  f[F_KNEE].value = l->knee_byte.value > 0 ? ladder_reach(d, i) : NAN;
  f[F_FLOP_PER_BYTE].value = roof_ridge(peak, ladder_memory_rate(d));
  f[F_LEVEL_FLOP_PER_BYTE].value = roof_ridge(peak, rate);
  f[F_HOST_FLOP_PER_BYTE].value = roof_ridge(peak, d->host.byte_per_s.value);
  f[F_MATRIX_N].value = floor(sqrt(f[F_LEVEL_BYTE].value / 12));
}

static void facts_links(const struct device *d, double set, struct fact *f) {
  double memory = ladder_memory_rate(d), host = d->host.byte_per_s.value, peer = d->peer.byte_per_s.value,
         both = d->peer.byte_per_s_both.value;
  f[F_MEMORY_RATE].value = memory;
  f[F_MEMORY_BYTE].value = d->nlevel > 0 && isnan(d->memory_byte.value) ? ladder_byte(d, d->nlevel - 1) : d->memory_byte.value;
  f[F_MEMORY_SWEEP].value = f[F_MEMORY_BYTE].value / memory;
  f[F_MEMORY_READ_TIME].value = set / memory;
  f[F_HOST_LINK].word = d->host.name[0] ? d->host.name
                        : d->is_host    ? "it is the host"
                        : d->unified    ? "shares the host's memory"
                                        : "unknown";
  f[F_HOST_RATE].value = host;
  f[F_HOST_BOTH].value = d->host.byte_per_s_both.value;
  f[F_HOST_TIME].value = set / host;
  f[F_PEER_LINK].word = d->peer.name[0] ? d->peer.name : "none known";
  f[F_PEER_RATE].value = peer;
  f[F_PEER_BOTH].value = both;
  f[F_MEMORY_OVER_HOST].value = memory / host;
  f[F_MEMORY_OVER_PEER].value = memory / peer;
  f[F_PEER_OVER_HOST].value = peer / host;
  f[F_HEADLINE_OVER_HOST].value = both / host;
  f[F_MEMORY_OVER_HEADLINE].value = memory / both;
}

/* What the view's own kernel reached: the read, the loads at a stride, the chains. */
static void facts_measured(const struct world *w, const struct setup *s, struct fact *f) {
  struct request wanted = hierarchy_wanted(s);
  const struct run *run = run_find(w, &wanted, w->machine);
  bool found = run && isfinite(run_time(run)), possible = hierarchy_possible(w, s);
  enum hierarchy_fact_id expected = hierarchy_view(s) == VIEW_STRIDE   ? F_ASKED_RATE
                                    : hierarchy_view(s) == VIEW_CHAINS ? F_CHAIN_RATE
                                                                       : F_LEVEL_RATE;
  f[F_STATE].word = found      ? run->count > 0 ? "measured" : "first run"
                    : possible ? "not measured yet: m"
                               : "this set is too small for it: a thread needs four strides";
  if (!found) return;
  f[F_MEASURED_TIME].value = run_time(run);
  f[F_MEASURED_RATE].value = run->byte / run_time(run);
  f[F_MEASURED_RATIO].value = f[F_MEASURED_RATE].value / f[expected].value;
  f[F_SPREAD].value = run->spread;
  f[F_COUNT].value = run->count;
  f[F_FLAGS].word = flag_first(run->flags & ~(unsigned)FLAG_IN_CACHE); /* to be served by a cache is what it is for */
}

static int hierarchy_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  const struct device *d = device_of(w, s);
  double set = s->v[KNOB_WORKING_SET];
  int level = ladder_serving(d, set);
  struct steps steps = steps_of(d);
  int view = hierarchy_view(s) - VIEW_LEVELS;
  for (int i = 0; i < F_N; i++) {
    out[i] = hierarchy_fact_table[i].fact;
    out[i].value = NAN;
    out[i].detail = hierarchy_fact_table[i].first & 1u << view ? 1 : 2;
  }
  out[F_MEASURED_RATE].measured = out[F_MEASURED_RATIO].measured = out[F_MEASURED_TIME].measured = out[F_SPREAD].measured = true;
  /* The system counts caches in powers of two, sheets in powers of ten: each is shown as its owner means it. */
  if (!is_here(s)) out[F_LEVEL_BYTE].unit = out[F_DECLARED].unit = out[F_KNEE].unit = "byte";
  out[F_WORKING_SET].value = set;
  out[F_LEVEL].word = "unknown";
  if (level >= 0) facts_level(d, level, set, out);
  facts_links(d, set, out);
  hierarchy_access_facts(w, s, d, level, out);
  out[F_VIEW].word = view_name(hierarchy_view(s));
  if (view > 1) out[F_MEASURED_RATIO].label = "of predicted"; /* of what this pattern of loads can get */
  if (hierarchy_view(s) == VIEW_STRIDE) {
    out[F_MEASURED_RATE].formula = "useful_share * working_set / measured_time";
    out[F_MEASURED_RATIO].formula = "measured_byte_per_s / asked_byte_per_s";
  } else if (hierarchy_view(s) == VIEW_CHAINS)
    out[F_MEASURED_RATIO].formula = "measured_byte_per_s / chain_byte_per_s";
  out[F_SPEED_LEAST].value = steps.speed[0];
  out[F_SPEED_MOST].value = steps.speed[1];
  out[F_SIZE_LEAST].value = steps.size[0];
  out[F_SIZE_MOST].value = steps.size[1];
  out[F_CLAIM].word = claim_of(&steps);
  out[F_PROVENANCE].word = provenance_of(d, is_here(s));
  out[F_NOTE].word = is_here(s) ? "here" : "sheet";
  if (is_here(s)) {
    facts_measured(w, s, out);
  } else { /* nothing to measure: the panel shows what a sheet can say instead */
    out[F_STATE].word = "only this machine can be measured: device=here";
    out[F_MEASURED_RATE].label = out[F_MEASURED_RATIO].label = out[F_MEASURED_TIME].label = out[F_SPREAD].label = NULL;
    if (view == 0) out[F_MEMORY_SWEEP].detail = out[F_MEMORY_OVER_HOST].detail = out[F_PEER_OVER_HOST].detail = 1;
  }
  return F_N;
}

/* The set on show first; then one size well inside each level; then every second octave between, for the staircase. */
static int hierarchy_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  const struct device *d = &w->device[DEVICE_HERE];
  double cap = d->machine.memory_cap_byte, most = 256.0 * 1024 * 1024, size[64];
  int count = 0, n = 0;
  if (!is_here(s)) return 0;
  if (hierarchy_view(s) == VIEW_STRIDE || hierarchy_view(s) == VIEW_CHAINS) return hierarchy_access_measures(w, s, out);
  if (cap < most) most = cap;
  size[n++] = s->v[KNOB_WORKING_SET];
  for (int i = 0; i < d->nlevel; i++) {
    double hi = i + 1 < d->nlevel ? ladder_reach(d, i) : 16 * ladder_reach(d, i - 1), lo = i > 0 ? ladder_reach(d, i - 1) : hi / 4;
    if (i > 0 || d->nlevel > 1) size[n++] = exp2(round(log2(sqrt(lo * hi)) * 4) / 4);
  }
  for (double b = 16384; b <= most; b *= 4) size[n++] = b;
  for (int i = 0; i < n && count < REQUEST_MAX; i++) {
    bool again = !(size[i] >= 1024) || (i > 0 && size[i] > most) || size[i] > cap;
    struct request r = hierarchy_request(size[i]);
    for (int k = 0; k < count; k++) again = again || request_equal(&out[k], &r);
    if (!again) out[count++] = r;
  }
  return count;
}

static bool hierarchy_applies(const struct setup *s, int knob) {
  return knob == KNOB_STRIDE ? hierarchy_view(s) == VIEW_STRIDE : knob == KNOB_CHAINS ? hierarchy_view(s) == VIEW_CHAINS : true;
}

/* Only powers of two have kernels: another value goes to the nearest. */
static void hierarchy_resolve(const struct world *w, struct setup *s) {
  s->v[KNOB_STRIDE] = knob_clamp(w, KNOB_STRIDE, exp2(round(log2(s->v[KNOB_STRIDE]))));
  s->v[KNOB_CHAINS] = knob_clamp(w, KNOB_CHAINS, exp2(round(log2(s->v[KNOB_CHAINS]))));
}

static const uint8_t knob_list[] = {KNOB_WORKING_SET, KNOB_VIEW, KNOB_STRIDE, KNOB_CHAINS, KNOB_DEVICE};
static const uint8_t view_list[] = {VIEW_LEVELS, VIEW_STAIRCASE, VIEW_STRIDE, VIEW_CHAINS};
static const struct start start_list[] = {{KNOB_DEVICE, 0, "here"}};

const struct scene scene_hierarchy = {
    .address = "2.2",
    .name = "hierarchy",
    .question = "How far away is the data?",
    .section = "memories: near and small, far and large, and the links between",
    .next = "offload",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = sizeof knob_list,
    .views = view_list,
    .nviews = sizeof view_list,
    .applies = hierarchy_applies,
    .resolve = hierarchy_resolve,
    .hand = KNOB_WORKING_SET,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 4,
    .facts = hierarchy_facts,
    .rows = hierarchy_rows,
    .verdict = hierarchy_verdict,
    .measures = hierarchy_measures,
    .axes = hierarchy_axes,
    .draw = hierarchy_draw,
};
