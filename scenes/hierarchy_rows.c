/* The hierarchy scene's table: one row per memory level, nearest first, then the links, then a CPU's own caches on the same chip. Its
 * picture is drawn from it. */
#include <math.h>

#include "model/knee.h"
#include "model/ladder.h"
#include "scenes/hierarchy.h"

enum {
  R_NAME,
  R_COUNT,
  R_BYTE,
  R_ONE,
  R_KNEE,
  R_RATE,
  R_BOTH,
  R_LATENCY,
  R_SWEEP,
  R_HELD,
  R_SLOWER,
  R_LARGER,
  R_TIME,
  R_SERVES,
  R_FROM,
  R_OWN,
  R_SEPARABLE,
  R_N
};
static const struct fact row_table[R_N] = {
    [R_NAME] = {"name", "level", "", 1, NULL, "The level, or the link."},
    [R_COUNT] = {"count", "×", "n", 1, NULL, "How many alike there are."},
    [R_BYTE] = {"byte", "holds", "iB", 1, NULL, "Capacity of all of them together, as declared."},
    [R_ONE] = {"byte_one", "each", "iB", 2, NULL, "Capacity of one, as declared."},
    [R_KNEE] = {"knee_byte", "knee", "iB", 2, NULL, "All of them together as measured: where the rate falls."},
    [R_RATE] = {"byte_per_s", "reads at", "byte/s", 1, NULL, "Rate of all of them together; of a link, one direction."},
    [R_BOTH] = {"both_byte_per_s", "both ways", "byte/s", 2, NULL, "Of a link: the headline that adds both directions."},
    [R_LATENCY] = {"latency", "latency", "s", 1, NULL, "Load to use."},
    [R_SWEEP] = {"sweep_time", "all of it in", "s", 1, NULL, "Time to read all of it once."},
    [R_HELD] = {"held_share", "of the set", "%", 1, NULL, "How much of the working set fits in it."},
    [R_SLOWER] = {"slower", "next slower", "x", 1, NULL, "How many times slower the next one outwards is."},
    [R_LARGER] = {"larger", "next larger", "x", 1, NULL, "How many times larger the next one outwards is."},
    [R_TIME] = {"read_time", "set in", "s", 2, NULL, "Time to read the working set once at this rate."},
    [R_SERVES] = {"serves", "serves", "", 2, NULL, "Whether this level serves the working set."},
    [R_OWN] = {"cache_share", "of it", "", 2, NULL, "What the measured knee says of its size: as declared, a slice, size unknown."},
    [R_SEPARABLE] = {"separable", "separable", "", 2, NULL,
                     "Whether it holds enough beyond the threads' nearer caches to be told from them."},
    [R_FROM] = {"from", "figures", "", 2, NULL, "Where the rate comes from."},
};

static const char *source_of(const struct figure *f) {
  return isnan(f->value) ? "unknown" : f->unverified ? "unverified" : source_name((enum source)f->source);
}

static void row_level(const struct device *d, int i, double set, struct fact *f) {
  const struct level *l = &d->level[i];
  const char *next;
  bool last = i + 1 == d->nlevel;
  f[R_NAME].word = hierarchy_name(l);
  f[R_COUNT].value = l->count > 0 ? l->count : 1;
  f[R_BYTE].value = ladder_byte(d, i);
  f[R_ONE].value = l->byte.value > 0 ? l->byte.value : NAN;
  f[R_KNEE].value = l->knee_byte.value > 0 ? ladder_reach(d, i) : NAN;
  f[R_RATE].value = ladder_level_rate(d, i, 0);
  f[R_LATENCY].value = l->latency_s.value > 0 ? l->latency_s.value : NAN;
  f[R_SWEEP].value = f[R_BYTE].value / f[R_RATE].value;
  f[R_HELD].value = isnan(ladder_reach(d, i)) ? NAN : fmin(1, ladder_reach(d, i) / set);
  f[R_SLOWER].value = f[R_RATE].value / hierarchy_next(d, i, &next);
  f[R_LARGER].value = last ? NAN : ladder_byte(d, i + 1) / f[R_BYTE].value;
  f[R_TIME].value = set / f[R_RATE].value;
  f[R_SERVES].word = ladder_serving(d, set) == i ? "yes" : "no";
  f[R_OWN].word = knee_words(d, i);
  f[R_SEPARABLE].word = ladder_separable(d, i) ? "yes" : "no";
  f[R_FROM].word = source_of(last && isnan(l->byte_per_s.value) ? &d->memory_byte_per_s : &l->byte_per_s);
}

static void row_link(const struct link *k, double set, const char *otherwise, struct fact *f) {
  f[R_NAME].word = k->name[0] ? k->name : otherwise;
  f[R_COUNT].value = 1;
  f[R_RATE].value = k->byte_per_s.value;
  f[R_BOTH].value = k->byte_per_s_both.value;
  f[R_TIME].value = set / k->byte_per_s.value;
  f[R_SERVES].word = "no";
  f[R_FROM].word = source_of(&k->byte_per_s);
}

/* A CPU's cache on the same chip: listed so that nobody takes it for a level the accelerator's data pass. */
static void row_aside(const struct level *l, struct fact *f) {
  f[R_NAME].word = hierarchy_name(l);
  f[R_COUNT].value = l->count > 0 ? l->count : 1;
  f[R_ONE].value = l->byte.value > 0 ? l->byte.value : NAN;
  f[R_BYTE].value = f[R_ONE].value * f[R_COUNT].value;
  f[R_RATE].value = l->byte_per_s.value > 0 ? l->byte_per_s.value : NAN;
  f[R_LATENCY].value = l->latency_s.value > 0 ? l->latency_s.value : NAN;
  f[R_SERVES].word = "the CPU only";
  f[R_FROM].word = source_of(&l->byte);
}

static bool link_known(const struct link *k) { return k->name[0] || k->byte_per_s.value > 0; }

int hierarchy_links(const struct device *d) { return link_known(&d->peer) + link_known(&d->host); }

int hierarchy_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  double set = s->v[KNOB_WORKING_SET];
  int link = row - d->nlevel, aside = link - hierarchy_links(d);
  if (row < 0 || aside >= d->naside) return 0;
  facts_begin(out, row_table, R_N, true);
  if ((int)s->v[KNOB_DEVICE] != DEVICE_HERE) out[R_BYTE].unit = out[R_ONE].unit = "byte"; /* sheets count in powers of ten */
  if (link < 0) {
    row_level(d, row, set, out);
  } else if (aside >= 0) {
    row_aside(&d->aside[aside], out);
  } else if (link_known(&d->peer) && link == 0) {
    row_link(&d->peer, set, "peer link", out);
    out[R_SLOWER].value = d->peer.byte_per_s.value / d->host.byte_per_s.value;
  } else {
    row_link(&d->host, set, "host link", out);
  }
  return R_N;
}
