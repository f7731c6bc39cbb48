/* The hierarchy scene's views beyond the boxes: the measured staircase, loads at a stride, chains of dependent loads. */
#include "model/access.h"

#include <math.h>
#include <string.h>

#include "model/knee.h"
#include "model/ladder.h"
#include "scenes/hierarchy.h"
#include "scenes/hierarchy_facts.h"

static const double ELEMENT_BYTE = 4;

enum view_id hierarchy_view(const struct setup *s) { return (enum view_id)s->v[KNOB_VIEW]; }

/* ---- what is measured ---- */

struct request hierarchy_strided(double byte, double stride) {
  struct request r = hierarchy_request(byte);
  r.op = OP_STRIDED;
  r.shape.stride = stride;
  r.shape.chain = 1;
  return r;
}

struct request hierarchy_chained(double byte, double chains) {
  struct request r = hierarchy_request(byte);
  r.op = OP_LATENCY;
  r.shape.n = fmax(chains, round(byte / ACCESS_LINE_BYTE));
  r.shape.stride = ELEMENT_BYTE;
  r.shape.chain = chains;
  r.threads = 1;
  return r;
}

struct request hierarchy_wanted(const struct setup *s) {
  double set = s->v[KNOB_WORKING_SET];
  return hierarchy_view(s) == VIEW_STRIDE   ? hierarchy_strided(set, s->v[KNOB_STRIDE])
         : hierarchy_view(s) == VIEW_CHAINS ? hierarchy_chained(set, s->v[KNOB_CHAINS])
                                            : hierarchy_request(set);
}

/* Each thread must make four steps of a stride that leaves the line. */
static bool stride_fits(const struct world *w, double byte, double stride) {
  int threads = w->device[DEVICE_HERE].machine.threads;
  return stride <= ACCESS_LINE_BYTE || byte / (threads > 0 ? threads : 1) >= 4 * stride;
}

bool hierarchy_possible(const struct world *w, const struct setup *s) {
  return hierarchy_view(s) != VIEW_STRIDE || stride_fits(w, s->v[KNOB_WORKING_SET], s->v[KNOB_STRIDE]);
}

int hierarchy_strides(const struct world *w, double byte, double out[STRIDES_MAX]) {
  static const double row[STRIDES_MAX] = {4, 8, 16, 32, 64, 256, 1024, 4096, 65536, 1048576};
  int n = 0;
  while (n < STRIDES_MAX && stride_fits(w, byte, row[n])) out[n] = row[n], n++;
  return n;
}

int hierarchy_access_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  double cap = w->device[DEVICE_HERE].machine.memory_cap_byte, set = s->v[KNOB_WORKING_SET], stride[STRIDES_MAX];
  int n = 0, strides = hierarchy_strides(w, set, stride);
  if (set > cap) return 0;
  if (hierarchy_possible(w, s)) out[n++] = hierarchy_wanted(s);
  for (int i = 0; hierarchy_view(s) == VIEW_STRIDE && i < strides; i++) out[n++] = hierarchy_strided(set, stride[i]);
  for (double chains = 1; hierarchy_view(s) == VIEW_CHAINS && chains <= 8; chains *= 2) out[n++] = hierarchy_chained(set, chains);
  int count = n > 0;
  for (int i = 1; i < n; i++)
    if (!request_equal(&out[i], &out[0])) out[count++] = out[i];
  return count;
}

double hierarchy_measured_rate(const struct world *w, const struct request *r) {
  const struct run *run = run_find(w, r, w->machine);
  return run && isfinite(run_time(run)) ? run->byte / run_time(run) : NAN;
}

/* ---- what the model says ---- */

double hierarchy_latency(const struct device *d, double byte) {
  double measured = stair_at(&d->machine.stair[STAIR_LATENCY], byte);
  int level = ladder_serving(d, byte);
  if (!isnan(measured) || level < 0) return measured;
  return d->level[level].latency_s.value > 0 ? d->level[level].latency_s.value : NAN;
}

double hierarchy_one_thread_rate(const struct device *d, double byte) {
  double measured = stair_at(&d->machine.stair[STAIR_ONE], byte);
  int level;
  return isnan(measured) && d->machine.threads > 0 ? ladder_rate(d, byte, true, 1, &level) : measured;
}

/* The line's size is known of CPUs. */
double hierarchy_asked_rate(const struct device *d, double byte, double stride) {
  int level = ladder_serving(d, byte);
  if (!d->is_host || level < 0) return NAN;
  return access_rate(ELEMENT_BYTE, stride, ladder_level_rate(d, level, 0), access_loads(d->machine.clock_hz, d->machine.threads));
}

double hierarchy_chain_rate(const struct device *d, double byte, double chains) {
  return access_chain_rate(chains, hierarchy_latency(d, byte), hierarchy_one_thread_rate(d, byte));
}

/* ---- the facts ---- */

static void facts_stair(const struct device *d, double set, struct fact *f) {
  const struct machine *m = &d->machine;
  f[F_STAIR_RATE].value = stair_at(&m->stair[STAIR_TEAM], set);
  f[F_STAIR_ONE].value = stair_at(&m->stair[STAIR_ONE], set);
  f[F_PLATEAU].word = m->nplateau > 0 ? "between two" : "not measured yet";
  static const char *const number[PLATEAU_MAX] = {"plateau 1", "plateau 2", "plateau 3", "plateau 4",
                                                  "plateau 5", "plateau 6", "plateau 7", "plateau 8"};
  for (int i = 0; i < m->nplateau; i++) {
    const struct plateau *p = &m->plateau[i];
    double end = isnan(p->knee) ? INFINITY : p->knee;
    if (set > end) continue;
    if (i > 0 && set < p->lo) break; /* on the way down */
    f[F_PLATEAU].word = p->level >= 0 && p->agrees ? hierarchy_name(&d->level[p->level]) : number[i];
    f[F_PLATEAU_RATE].value = p->value;
    f[F_PLATEAU_KNEE].value = p->knee;
    if (i + 1 < m->nplateau) f[F_PLATEAU_STEP].value = p->value / m->plateau[i + 1].value;
    break;
  }
}

static void facts_chains(const struct world *w, const struct device *d, double set, double chains, struct fact *f) {
  struct request one = hierarchy_chained(set, 1), these = hierarchy_chained(set, chains);
  double limit = hierarchy_one_thread_rate(d, set), latency = hierarchy_latency(d, set);
  f[F_CHAINS].value = chains;
  f[F_CHAIN_RATE].value = hierarchy_chain_rate(d, set, chains);
  f[F_CHAIN_LIMIT].value = limit;
  f[F_CHAINS_TO_FILL].value = access_in_flight(limit, latency);
  f[F_CHAIN_GAIN].value = hierarchy_measured_rate(w, &these) / hierarchy_measured_rate(w, &one);
}

static void facts_stride(const struct world *w, const struct device *d, double set, double stride, struct fact *f) {
  struct request contiguous = hierarchy_strided(set, ELEMENT_BYTE), this = hierarchy_strided(set, stride);
  double asked = hierarchy_measured_rate(w, &this);
  f[F_STRIDE].value = stride;
  f[F_USEFUL].value = d->is_host ? access_share(ELEMENT_BYTE, stride) : NAN;
  f[F_ASKED_RATE].value = hierarchy_asked_rate(d, set, stride);
  f[F_LOAD_RATE].value = d->is_host ? ELEMENT_BYTE * access_loads(d->machine.clock_hz, d->machine.threads) : NAN;
  if (stride > ELEMENT_BYTE && !isnan(f[F_LOAD_RATE].value))
    f[F_ASKED_RATE].formula = "min(useful_share * level_byte_per_s, load_byte_per_s)";
  f[F_BUS_RATE].value = asked / f[F_USEFUL].value;
  f[F_CONTIGUOUS_RATE].value = hierarchy_measured_rate(w, &contiguous);
  f[F_LAYOUT_LOSS].value = f[F_CONTIGUOUS_RATE].value / asked;
}

void hierarchy_access_facts(const struct world *w, const struct setup *s, const struct device *d, int level, struct fact f[F_N]) {
  double set = s->v[KNOB_WORKING_SET];
  bool here = (int)s->v[KNOB_DEVICE] == DEVICE_HERE;
  f[F_SET_LATENCY].value = hierarchy_latency(d, set);
  f[F_IN_FLIGHT].value = access_in_flight(f[F_LEVEL_RATE].value, f[F_SET_LATENCY].value);
  f[F_CACHE_SHARE].word = here && level >= 0 ? knee_words(d, level) : "only of this machine";
  f[F_SEPARABLE].word = here && level >= 0 ? ladder_separable(d, level) ? "yes" : "not at all threads" : "only of this machine";
  f[F_PLATEAU].word = "only of this machine";
  f[F_STRIDE].value = s->v[KNOB_STRIDE];
  f[F_CHAINS].value = s->v[KNOB_CHAINS];
  facts_stride(w, d, set, s->v[KNOB_STRIDE], f);
  facts_chains(w, d, set, s->v[KNOB_CHAINS], f);
  if (here) {
    facts_stair(d, set, f);
  } else {
    f[F_BUS_RATE].value = f[F_CONTIGUOUS_RATE].value = f[F_LAYOUT_LOSS].value = f[F_CHAIN_GAIN].value = NAN;
  }
}
