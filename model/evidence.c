#include "model/evidence.h"

#include <math.h>
#include <string.h>

static const struct {
  const char *name, *asks;
  int cost;
} look_table[LOOK_N] = {
    [LOOK_DEVICE] = {"device", "Listed, seen, computing?", 1},         [LOOK_MEMORY] = {"memory", "Allocated, in use, since when?", 1},
    [LOOK_CLOCKS] = {"clocks", "Clock, heat, power over time?", 1},    [LOOK_HOST] = {"host", "Cores, loaders, storage, queue?", 2},
    [LOOK_COPIES] = {"copies", "How many a step, how large?", 2},      [LOOK_TRACE] = {"trace", "One step, kernel by kernel?", 3},
    [LOOK_REQUESTS] = {"requests", "How many, how long, at once?", 1}, [LOOK_PROVIDER] = {"provider", "Quota, region, notices?", 1},
};
const char *look_name(enum look l) { return look_table[l].name; }
const char *look_asks(enum look l) { return look_table[l].asks; }
int look_cost(enum look l) { return look_table[l].cost; }

static const struct {
  const char *name, *unit;
  int look;
} gauge_table[GAUGE_N] = {
    [GAUGE_RATE] = {"answers", "token/s", -1},
    [GAUGE_BUSY] = {"time busy", "%", -1},
    [GAUGE_PEAK] = {"of peak", "%", -1},
    [GAUGE_LISTED] = {"listed", "n", LOOK_DEVICE},
    [GAUGE_SEEN] = {"seen", "n", LOOK_DEVICE},
    [GAUGE_RUNS] = {"computes", "n", LOOK_DEVICE},
    [GAUGE_DRIVER] = {"driver/needed", "x", LOOK_DEVICE},
    [GAUGE_ALLOCATED] = {"allocated", "byte", LOOK_MEMORY},
    [GAUGE_USED] = {"in use", "byte", LOOK_MEMORY},
    [GAUGE_CLOCK] = {"clock", "%", LOOK_CLOCKS},
    [GAUGE_HEAT] = {"chip", "C", LOOK_CLOCKS},
    [GAUGE_POWER] = {"power", "W", LOOK_CLOCKS},
    [GAUGE_CORES] = {"cores busy", "%", LOOK_HOST},
    [GAUGE_PREPARING] = {"loaders at work", "%", LOOK_HOST},
    [GAUGE_STORAGE] = {"await storage", "%", LOOK_HOST},
    [GAUGE_QUEUE] = {"queue full", "%", LOOK_HOST},
    [GAUGE_COPIES] = {"copies a step", "n", LOOK_COPIES},
    [GAUGE_COPY_BYTE] = {"one copy", "byte", LOOK_COPIES},
    [GAUGE_LINK] = {"link busy", "%", LOOK_COPIES},
    [GAUGE_LAUNCHES] = {"kernels a step", "n", LOOK_TRACE},
    [GAUGE_KERNEL] = {"one kernel", "s", LOOK_TRACE},
    [GAUGE_ON_HOST] = {"step on host", "%", LOOK_TRACE},
    [GAUGE_ARRIVALS] = {"came, a second", "1", LOOK_REQUESTS},
    [GAUGE_SERVED] = {"served", "1", LOOK_REQUESTS},
    [GAUGE_BATCH] = {"in a step", "1", LOOK_REQUESTS},
    [GAUGE_LONGEST] = {"longest, tokens", "n", LOOK_REQUESTS},
    [GAUGE_MOST] = {"most at once", "n", LOOK_REQUESTS},
    [GAUGE_QUOTA] = {"quota left", "n", LOOK_PROVIDER},
    [GAUGE_FREE] = {"free in region", "n", LOOK_PROVIDER},
    [GAUGE_RECLAIMED] = {"taken back", "s", LOOK_PROVIDER},
};
const char *gauge_name(enum gauge g) { return gauge_table[g].name; }
const char *gauge_unit(enum gauge g) { return gauge_table[g].unit; }
int gauge_look(enum gauge g) { return gauge_table[g].look; }

void evidence_of(const struct rig *r, struct evidence *out) {
  double last = rig_last(r);
  out->end = rig_end(r) <= r->window ? rig_end(r) : INFINITY;
  for (int i = 0; i < EVIDENCE_TIMES; i++) {
    out->t[i] = last * i / EVIDENCE_LAST;
    rig_at(r, out->t[i], &out->at[i]);
  }
}

static double gauge_gap(enum gauge g, double a, double b) {
  double gap = fabs(a - b), size = fmax(fabs(a), fabs(b));
  if (!(gap > 0.05 * size)) return 0;
  if (*gauge_unit(g) == '%' && gap < 0.03) return 0;
  return gap / size;
}

bool gauge_differs(enum gauge g, double a, double b) { return gauge_gap(g, a, b) > 0; }

/* Throughput over time stands beside the clocks. */
static bool gauge_in(enum gauge g, int look) { return gauge_look(g) == look || (g == GAUGE_RATE && look == LOOK_CLOCKS); }

bool evidence_differs(const struct evidence *a, const struct evidence *b, int look) {
  int gauge[GAUGE_N], n = 0, first = look == LOOK_MEMORY || look == LOOK_CLOCKS ? EVIDENCE_START : EVIDENCE_LAST;
  if (look < 0 && (isinf(a->end) != isinf(b->end) || (isfinite(a->end) && fabs(a->end - b->end) > 0.05 * a->end))) return true;
  for (int g = 0; g < GAUGE_N; g++)
    if (gauge_in((enum gauge)g, look)) gauge[n++] = g;
  for (int i = EVIDENCE_LAST; i >= first; i--)
    for (int k = 0; k < n; k++)
      if (gauge_gap((enum gauge)gauge[k], a->at[i].v[gauge[k]], b->at[i].v[gauge[k]]) > 0) return true;
  return false;
}

enum gauge evidence_gauge(const struct evidence *a, const struct evidence *b, int look) {
  enum gauge best = GAUGE_N;
  double most = 0;
  for (int g = 0; g < GAUGE_N; g++) {
    double gap = gauge_gap((enum gauge)g, a->at[EVIDENCE_LAST].v[g], b->at[EVIDENCE_LAST].v[g]);
    if (gauge_look((enum gauge)g) == look && gap > most) most = gap, best = (enum gauge)g;
  }
  return best;
}

void suspects_of(const struct rig *healthy, const struct severity *s, struct suspects *out) {
  memset(out->apart, 0, sizeof out->apart);
  evidence_of(healthy, &out->healthy);
  for (int f = 0; f < FAULT_N; f++) {
    struct rig r;
    out->possible[f] = fault_put((enum fault)f, healthy, s, &r);
    if (out->possible[f]) evidence_of(&r, &out->fault[f]);
  }
  for (int f = 0; f < FAULT_N; f++)
    for (int g = 0; g < f; g++) {
      unsigned bits = 0;
      if (!out->possible[f] || !out->possible[g]) continue;
      for (int l = -1; l < LOOK_N; l++)
        if (evidence_differs(&out->fault[f], &out->fault[g], l)) bits |= 1u << (l < 0 ? LOOK_N : l);
      out->apart[f][g] = out->apart[g][f] = (uint16_t)bits;
    }
}

unsigned suspects_tell(const struct suspects *s, enum fault f) {
  unsigned tell = 0;
  for (int g = 0; g < FAULT_N; g++)
    if (s->possible[g] && !(s->apart[f][g] & 1u << LOOK_N)) tell |= s->apart[f][g];
  return tell;
}

uint32_t suspects_left(const struct suspects *s, enum fault f, unsigned spent) {
  uint32_t left = 0;
  for (int g = 0; g < FAULT_N; g++)
    if (s->possible[g] && (g == (int)f || !(s->apart[f][g] & (spent | 1u << LOOK_N)))) left |= 1u << g;
  return left;
}

int suspects_count(uint32_t left) {
  int n = 0;
  for (; left; left &= left - 1) n++;
  return n;
}

double looks_cost(unsigned spent) {
  double cost = 0;
  for (int l = 0; l < LOOK_N; l++)
    if (spent & 1u << l) cost += look_cost((enum look)l);
  return cost;
}

double suspects_least(const struct suspects *s, enum fault f, unsigned *spent) {
  double least = INFINITY;
  unsigned which = 0;
  for (unsigned set = 0; set < 1u << LOOK_N; set++)
    if (looks_cost(set) < least && suspects_count(suspects_left(s, f, set)) == 1) least = looks_cost(set), which = set;
  if (spent) *spent = which;
  return least;
}

enum fault suspects_alike(const struct suspects *s, enum fault f) {
  enum fault best = FAULT_N;
  int fewest = LOOK_N + 1;
  for (int g = 0; g < FAULT_N; g++) {
    unsigned apart = s->apart[f][g];
    if (g == (int)f || !s->possible[g] || apart & 1u << LOOK_N) continue;
    int n = suspects_count(apart);
    if (n > 0 && n < fewest) fewest = n, best = (enum fault)g;
  }
  return best;
}
