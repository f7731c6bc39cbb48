#include "model/sheet.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/roof.h"

enum dtype sheet_fastest(const struct device *d) {
  enum dtype best = DTYPE_N;
  for (int t = 0; t < DTYPE_N; t++)
    if (!isnan(d->peak[t].value) && (best == DTYPE_N || d->peak[t].value > d->peak[best].value)) best = (enum dtype)t;
  return best;
}

double sheet_headline(const struct device *d) {
  enum dtype t = sheet_fastest(d);
  double ratio = d->sparse_ratio.value;
  return t == DTYPE_N ? NAN : d->peak[t].value * (isnan(ratio) ? 1 : ratio);
}

struct sheet sheet_of(const struct device *d, enum dtype t, bool advertised) {
  struct sheet s = {.math = advertised ? sheet_fastest(d) : ladder_math(d, t),
                    .memory_byte = d->memory_byte.value,
                    .byte_per_s = d->memory_byte_per_s.value,
                    .unverified = d->memory_byte.unverified || d->memory_byte_per_s.unverified};
  s.peak = s.math == DTYPE_N ? NAN : advertised ? sheet_headline(d) : d->peak[s.math].value;
  s.balance = roof_ridge(s.peak, s.byte_per_s);
  s.flop_per_j = s.peak / d->tdp_w.value;
  if (s.math != DTYPE_N) s.unverified = s.unverified || d->peak[s.math].unverified;
  return s;
}

/* ---- all its figures ---- */

enum { FIGURE_AFTER = 13 };
bool sheet_figure(const struct device *d, int i, struct sheet_figure *out) {
  const struct sheet_figure after[FIGURE_AFTER] = {
      {"fp64 matrix", "flop/s", "matrix units", d->peak_fp64_matrix},
      {"memory", "byte", "", d->memory_byte},
      {"memory rate", "byte/s", "", d->memory_byte_per_s},
      {"host link", "byte/s", "each way", d->host.byte_per_s},
      {"host link", "byte/s", "both ways", d->host.byte_per_s_both},
      {"peer link", "byte/s", "each way", d->peer.byte_per_s},
      {"peer link", "byte/s", "both ways", d->peer.byte_per_s_both},
      {"power", "W", "", d->tdp_w},
      {"sparse ratio", "x", "over dense", d->sparse_ratio},
      {"a copy costs", "s", "", d->copy_s},
      {"a launch costs", "s", "", d->launch_s},
  };
  for (int t = 0; t < DTYPE_N; t++)
    if (!isnan(d->peak[t].value) && i-- == 0) {
      bool vector = t <= DTYPE_FP32;
      *out = (struct sheet_figure){dtype_name((enum dtype)t), "flop/s", vector ? "vector units" : "dense", d->peak[t]};
      return true;
    }
  for (int k = 0; k < FIGURE_AFTER; k++)
    if (after[k].name && !isnan(after[k].figure.value) && i-- == 0) {
      *out = after[k];
      return true;
    }
  for (int k = 0; k + 1 < d->nlevel; k++) /* the last one is the main memory, told above */
    if (!isnan(d->level[k].byte.value) && i-- == 0) {
      *out = (struct sheet_figure){d->level[k].name, "byte", d->level[k].count > 1 ? "each" : "", d->level[k].byte};
      return true;
    }
  return false;
}

int sheet_figures(const struct device *d, int *unverified) {
  struct sheet_figure f;
  int n = 0;
  *unverified = 0;
  for (; sheet_figure(d, n, &f); n++) *unverified += f.figure.unverified;
  return n;
}

/* ---- order ---- */

const char *sort_name(enum sort s) {
  static const char *const name[SORT_N] = {"usual", "memory", "rate", "peak", "balance", "power", "efficiency", "year", "name"};
  return name[s];
}

static double sort_value(const struct device *d, const struct shelf *s) {
  struct sheet sheet = sheet_of(d, s->dtype, s->advertised);
  switch (s->sort) {
  case SORT_MEMORY: return sheet.memory_byte;
  case SORT_RATE: return sheet.byte_per_s;
  case SORT_PEAK: return sheet.peak;
  case SORT_BALANCE: return sheet.balance;
  case SORT_POWER: return d->tdp_w.value;
  case SORT_EFFICIENCY: return sheet.flop_per_j;
  case SORT_YEAR: return d->year ? d->year : NAN;
  default: return d->first ? -d->first : NAN;
  }
}

/* Whether a comes before b, whose keys are x and y. Equals keep the order they are in. */
static bool comes_before(const struct world *w, const struct shelf *s, int a, double x, int b, double y) {
  if (s->sort == SORT_NAME) {
    int order = strcmp(w->device[a].id, w->device[b].id);
    return s->reverse ? order > 0 : order < 0;
  }
  if (isnan(x) || isnan(y)) return !isnan(x) && isnan(y);
  return s->reverse ? x < y : x > y;
}

int shelf_list(const struct world *w, const struct shelf *s, uint8_t out[DEVICE_MAX]) {
  int n = 0;
  bool any = false;
  double key[DEVICE_MAX];
  for (int i = 0; i < w->ndevice; i++) any = any || w->device[i].first > 0;
  for (int i = 0; i < w->ndevice; i++) {
    const struct device *d = &w->device[i];
    bool family = s->family == FAMILY_N || (int)d->family == s->family;
    bool shown = family && (s->all || !any || s->family != FAMILY_N || d->first > 0 || i == DEVICE_HERE);
    if (!shown && i != s->always) continue;
    double mine = sort_value(d, s);
    int at = n++;
    for (; at > 0 && comes_before(w, s, i, mine, out[at - 1], key[at - 1]); at--) out[at] = out[at - 1], key[at] = key[at - 1];
    out[at] = (uint8_t)i;
    key[at] = mine;
  }
  return n;
}

int sheet_twin(const struct world *w, const uint8_t *list, int n, int d, enum dtype t) {
  struct sheet mine = sheet_of(&w->device[d], t, false);
  int best = -1;
  double most = log(1.1);
  for (int i = 0; i < n; i++) {
    struct sheet other = sheet_of(&w->device[list[i]], t, false);
    if (list[i] == d || other.math != mine.math || !(fabs(other.peak - mine.peak) <= 0.01 * mine.peak)) continue;
    double differs = fabs(log(other.byte_per_s / mine.byte_per_s));
    if (differs > most) most = differs, best = list[i];
  }
  return best;
}
