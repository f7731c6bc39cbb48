#include "model/sampling.h"

#include <math.h>
#include <string.h>

#include "model/run.h"

static const double GAP_SHARE = 0.03, DROP_SHARE = 0.02, DROP_NOISE = 3;
enum { GROUP_LEAST = 8, DROP_LEAST = 4 };

static bool usable(double v) { return v > 0 && isfinite(v); }

/* The usable ones, at most SAMPLING_MAX; how many. */
static int keep(const double *v, int n, double out[SAMPLING_MAX]) {
  int kept = 0;
  for (int i = 0; i < n && kept < SAMPLING_MAX; i++)
    if (usable(v[i])) out[kept++] = v[i];
  return kept;
}

/* v is sorted. */
static void groups_of(const double *v, struct sampling *s) {
  int n = s->n, least = (n + 4) / 5, cut = 0;
  double widest = 0, part[SAMPLING_MAX];
  s->groups = n < GROUP_LEAST ? 0 : 1;
  if (!s->groups) return;
  for (int i = least; i <= n - least; i++)
    if (v[i] - v[i - 1] > widest) widest = v[i] - v[i - 1], cut = i;
  if (!cut || widest < GAP_SHARE * s->median) return;
  double inside = 0;
  for (int side = 0; side < 2; side++) {
    int from = side ? cut : 0, count = side ? n - cut : cut;
    memcpy(part, v + from, sizeof *part * (size_t)count);
    double range = quantile(part, count, 0.75) - quantile(part, count, 0.25);
    if (range > inside) inside = range;
    *(side ? &s->high : &s->low) = quantile(part, count, 0.5);
  }
  if (widest > inside)
    s->groups = 2;
  else
    s->low = s->high = NAN;
}

void sampling_of(const double *time, int n, struct sampling *out) {
  double v[SAMPLING_MAX], sum = 0;
  *out = (struct sampling){keep(time, n, v), NAN, NAN, NAN, NAN, NAN, NAN, 0, NAN, NAN};
  if (out->n == 0) return;
  out->median = quantile(v, out->n, 0.5); /* sorts them */
  out->best = v[0];
  out->worst = v[out->n - 1];
  out->p95 = quantile(v, out->n, 0.95);
  for (int i = 0; i < out->n; i++) sum += v[i];
  out->mean = sum / out->n;
  if (out->n >= 2) out->spread = (quantile(v, out->n, 0.75) - quantile(v, out->n, 0.25)) / (2 * out->median);
  groups_of(v, out);
}

void histogram_of(const double *time, const uint16_t *flags, unsigned mask, int n, int bins, struct histogram *out) {
  double v[SAMPLING_MAX];
  int kept = keep(time, n, v);
  memset(out, 0, sizeof *out);
  out->lo = out->width = NAN;
  if (kept == 0) return;
  double low = quantile(v, kept, 0.25), high = quantile(v, kept, 0.75), least = v[0], most = v[kept - 1];
  double end = fmin(most, high + 3 * (high - low));
  if (end <= low) end = most;
  out->n = bins < 1 ? 1 : bins > HISTOGRAM_MAX ? HISTOGRAM_MAX : bins;
  out->lo = least;
  out->width = (end - least) / out->n;
  if (!(out->width > 0)) { /* all alike: one bin, as wide as a thousandth */
    out->n = 1;
    out->width = least * 1e-3;
  }
  double last = out->lo + out->n * out->width;
  for (int i = 0, taken = 0; i < n && taken < SAMPLING_MAX; i++) {
    if (!usable(time[i])) continue;
    taken++;
    int bin = (int)fmin((time[i] - out->lo) / out->width, out->n - 1);
    out->count[bin]++;
    if (flags && flags[i] & mask) out->marked[bin]++;
    if (time[i] > last * (1 + 1e-9)) out->beyond++;
  }
}

int sampling_settled(const double *time, int n, double median, double share) {
  if (n <= 0 || !usable(median)) return 0;
  int from = n;
  while (from > 0 && usable(time[from - 1]) && fabs(time[from - 1] - median) <= share * median) from--;
  return from + 1;
}

const char *drop_name(enum drop_kind k) {
  static const char *const name[] = {"unknown", "none", "step", "slide"};
  return name[k];
}

/* Squares left over when rate[0..n) is one level. */
static double left_over(const double *rate, int n) {
  double sum = 0, squares = 0;
  for (int i = 0; i < n; i++) sum += rate[i];
  for (int i = 0; i < n; i++) squares += (rate[i] - sum / n) * (rate[i] - sum / n);
  return squares;
}

/* The least that two levels leave over; *cut: where the second begins. */
static double two_levels(const double *rate, int n, int *cut) {
  double least = INFINITY;
  for (int i = 1; i < n; i++) {
    double squares = left_over(rate, i) + left_over(rate + i, n - i);
    if (squares < least) least = squares, *cut = i;
  }
  return least;
}

/* What a straight line leaves over. */
static double one_line(const double *rate, const double *at, int n) {
  double mr = 0, mt = 0, tt = 0, rt = 0, squares = 0;
  for (int i = 0; i < n; i++) mr += rate[i] / n, mt += at[i] / n;
  for (int i = 0; i < n; i++) tt += (at[i] - mt) * (at[i] - mt), rt += (at[i] - mt) * (rate[i] - mr);
  double slope = tt > 0 ? rt / tt : 0;
  for (int i = 0; i < n; i++) {
    double off = rate[i] - mr - slope * (at[i] - mt);
    squares += off * off;
  }
  return squares;
}

void drop_of(const double *rate, const double *at, int n, struct drop *out) {
  double r[SAMPLING_MAX], t[SAMPLING_MAX], sorted[SAMPLING_MAX];
  int kept = 0, cut = 0;
  *out = (struct drop){DROP_UNKNOWN, NAN, NAN, NAN, NAN, NAN};
  for (int i = 0; i < n && kept < SAMPLING_MAX; i++)
    if (usable(rate[i]) && isfinite(at[i])) r[kept] = rate[i], t[kept++] = at[i];
  if (kept < DROP_LEAST) return;
  int quarter = kept / 4;
  memcpy(sorted, r, sizeof *r * (size_t)quarter);
  out->start = quantile(sorted, quarter, 0.5);
  memcpy(sorted, r + kept - quarter, sizeof *r * (size_t)quarter);
  out->end = quantile(sorted, quarter, 0.5);
  out->share = 1 - out->end / out->start;
  for (int i = 1; i < kept; i++) sorted[i - 1] = fabs(r[i] - r[i - 1]) / out->start;
  out->noise = quantile(sorted, kept - 1, 0.5);
  out->kind = DROP_NONE;
  if (!(out->share > DROP_SHARE && out->share > DROP_NOISE * out->noise)) return;
  out->kind = two_levels(r, kept, &cut) < one_line(r, t, kept) ? DROP_STEP : DROP_SLIDE;
  double halfway = (out->start + out->end) / 2;
  int from = kept;
  while (from > 0 && r[from - 1] < halfway) from--;
  if (out->kind == DROP_STEP) from = cut;
  out->at = from == 0 ? t[0] : from < kept ? (t[from - 1] + t[from]) / 2 : t[kept - 1];
}
