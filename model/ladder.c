#include "model/ladder.h"

#include <math.h>
#include <stddef.h>

/* A figure that may be used: files and zeroed machines leave 0 or NAN where nothing is known. */
static double known(double v) { return v > 0 && isfinite(v) ? v : NAN; }

/* Threads the roofs of this machine were measured with; at least 1. */
static int all_threads(const struct device *d) { return d->machine.threads > 0 ? d->machine.threads : 1; }

/* How many threads run: 0 and more than were measured mean all of them. */
static int run_threads(const struct device *d, int threads) {
  int all = all_threads(d);
  return threads <= 0 || threads > all ? all : threads;
}

/* A knee near the declared size confirms it; one far from it stands in its place. */
static double one_byte(const struct level *l) {
  double knee = known(l->knee_byte.value), declared = known(l->byte.value);
  return isnan(knee) || fabs(log2(knee / declared)) < 0.5 ? declared : knee;
}

/* What a team of `threads` can fill of level i: a private cache whose core is idle holds nothing of theirs. */
static double team_byte(const struct device *d, int i, int threads) {
  const struct level *l = &d->level[i];
  int count = l->count > 0 ? l->count : 1;
  if (threads > 0 && threads < count) count = threads;
  return one_byte(l) * count;
}

static int serving(const struct device *d, double byte, int threads) {
  if (d->nlevel <= 0) return -1;
  for (int i = 0; i < d->nlevel; i++)
    if (byte <= team_byte(d, i, threads)) return i;
  return d->nlevel - 1;
}

double ladder_byte(const struct device *d, int i) {
  if (i < 0 || i >= d->nlevel) return NAN;
  const struct level *l = &d->level[i];
  return known(l->byte.value) * (l->count > 0 ? l->count : 1);
}

double ladder_reach(const struct device *d, int i) { return i < 0 || i >= d->nlevel ? NAN : team_byte(d, i, 0); }

bool ladder_separable(const struct device *d, int i) {
  if (i <= 0 || i >= d->nlevel) return true;
  const struct trust *t = trust_find(&d->machine, "level_rate", ISA_AUTO, DTYPE_FP32, 0, i);
  if (t && t->flags & FLAG_NOT_SEPARABLE) return false;
  int all = all_threads(d);
  return !(team_byte(d, i, all) <= 1.5 * known(d->level[i - 1].byte.value) * fmin(all, fmax(1, d->level[i - 1].count)));
}

int ladder_serving(const struct device *d, double byte) { return serving(d, byte, 0); }

double ladder_memory_rate(const struct device *d) {
  double r = known(d->machine.read_byte_per_s);
  if (isnan(r)) r = known(d->memory_byte_per_s.value);
  if (isnan(r) && d->nlevel > 0) r = known(d->level[d->nlevel - 1].byte_per_s.value);
  return r;
}

/* Main memory saturates: t threads get t times what one gets, up to what all get. */
static double memory_rate(const struct device *d, int threads) {
  double all = ladder_memory_rate(d), one = known(d->machine.read_one_byte_per_s);
  int t = run_threads(d, threads);
  return t < all_threads(d) && one * t < all ? one * t : all;
}

double ladder_level_rate(const struct device *d, int i, int threads) {
  if (i < 0 || i >= d->nlevel) return NAN;
  if (i == d->nlevel - 1) return memory_rate(d, threads);
  double all = known(d->level[i].byte_per_s.value);
  int t = run_threads(d, threads), full = all_threads(d);
  if (t == full) return all;
  if (d->level[i].count >= full) return all * t / full;
  /* Shared: nobody measured it with fewer threads; they get no more than the whole level gives nor than their own caches take. */
  double nearer = i > 0 ? ladder_level_rate(d, i - 1, threads) : NAN;
  return nearer < all ? nearer : all;
}

double ladder_rate(const struct device *d, double byte, bool reads_only, int threads, int *level) {
  int last = d->nlevel - 1, i = serving(d, byte, d->machine.threads > 0 ? run_threads(d, threads) : 0);
  /* A level nobody published a rate for cannot bound anything: the next one outwards does. */
  while (i >= 0 && i < last && isnan(ladder_level_rate(d, i, threads))) i++;
  if (level) *level = i;
  if (i >= 0 && i < last) return ladder_level_rate(d, i, threads);
  double rate = memory_rate(d, threads);
  if (reads_only) return rate;
  const struct machine *m = &d->machine;
  double other[] = {m->copy_nt_byte_per_s, m->triad_byte_per_s, m->triad_nt_byte_per_s}, all = ladder_memory_rate(d), best = all;
  for (size_t k = 0; k < sizeof other / sizeof *other; k++)
    if (known(other[k]) > best) best = other[k];
  return best > all ? rate * (best / all) : rate;
}

double ladder_peak(const struct device *d, enum dtype math, enum isa isa, int threads) {
  if ((int)math < 0 || math >= DTYPE_N) return NAN;
  double sheet = known(d->peak[math].value);
  if (math != DTYPE_FP64 && math != DTYPE_FP32) return sheet;
  int column = math == DTYPE_FP32;
  enum isa best = ISA_AUTO;
  double all = NAN;
  bool any = false;
  for (int i = ISA_SCALAR; i < ISA_N; i++) {
    double v = known(d->machine.isa_peak[i][column]);
    if (isnan(v)) continue;
    any = true;
    if (isa == ISA_AUTO ? !(v <= all) : i == (int)isa) all = v, best = (enum isa)i;
  }
  if (!any) return sheet; /* nothing was measured: a sheet knows neither instruction sets nor threads */
  if (best == ISA_AUTO) return NAN;
  int t = run_threads(d, threads), full = all_threads(d);
  if (t == full) return all;
  double one = known(d->machine.isa_peak_one[best][column]);
  if (isnan(one)) return all * t / full;
  return one + (all - one) * (t - 1) / (full - 1);
}

enum dtype ladder_math(const struct device *d, enum dtype t) {
  /* Every CPU has both vector types, measured or not. */
  if (d->is_host && (t == DTYPE_FP64 || t == DTYPE_FP32)) return t;
  if ((int)t >= 0 && t < DTYPE_N && !isnan(known(d->peak[t].value))) return t;
  if (!isnan(known(d->peak[DTYPE_BF16].value))) return DTYPE_BF16;
  if (d->is_host || !isnan(known(d->peak[DTYPE_FP32].value))) return DTYPE_FP32;
  return DTYPE_N;
}
