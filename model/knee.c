#include "model/knee.h"

#include <math.h>

enum { LEAST = 4, LONG = 4 };
static const double STEEP = 0.35;  /* octaves of value an octave of set: more is a slope, not a plateau */
static const double SAME = 0.2;    /* octaves: plateaus closer than this are one (2^-0.2 = 0.87) */
static const double WAY = 1.0 / 3; /* of the way down: there is the knee */
static const double QUIET = 0.02;  /* the least noise assumed, in octaves */

/* What the search works on: log2 of sizes and values, the values smoothed and falling, with their running sums. */
struct points {
  int n;
  double x[KNEE_POINTS], y[KNEE_POINTS], sum[KNEE_POINTS + 1], square[KNEE_POINTS + 1];
};
struct stretch {
  int first, last;
  double y;
};

static double median3(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

static double median_of(const double *from, int n) {
  double v[KNEE_POINTS];
  for (int i = 0; i < n; i++) v[i] = from[i];
  return quantile(v, n, 0.5);
}

static void points_take(struct points *p, const double byte[], const double value[], int n, bool falls) {
  double raw[KNEE_POINTS];
  p->n = 0;
  for (int i = 0; i < n && p->n < KNEE_POINTS; i++) {
    if (!(byte[i] > 0 && value[i] > 0) || isinf(byte[i]) || isinf(value[i])) continue;
    p->x[p->n] = log2(byte[i]);
    raw[p->n++] = falls ? log2(value[i]) : -log2(value[i]);
  }
  for (int i = 0; i < p->n; i++) p->y[i] = i == 0 || i + 1 == p->n ? raw[i] : median3(raw[i - 1], raw[i], raw[i + 1]);
  if (p->n >= 3) { /* an end has one neighbour only: a wild one is taken for the median of the three nearest */
    p->y[0] = median3(raw[0], raw[1], raw[2]);
    p->y[p->n - 1] = median3(raw[p->n - 1], raw[p->n - 2], raw[p->n - 3]);
  }
  p->sum[0] = p->square[0] = 0;
  for (int i = 0; i < p->n; i++) {
    p->sum[i + 1] = p->sum[i] + p->y[i];
    p->square[i + 1] = p->square[i] + p->y[i] * p->y[i];
  }
}

/* From the differences of neighbours, of which most are noise and few are steps. */
static double noise_of(const struct points *p) {
  double step[KNEE_POINTS];
  for (int i = 0; i + 1 < p->n; i++) step[i] = fabs(p->y[i + 1] - p->y[i]);
  return fmax(QUIET, quantile(step, p->n - 1, 0.5));
}

static double cost_of(const struct points *p, int first, int end) {
  double n = end - first, sum = p->sum[end] - p->sum[first];
  return fmax(0, p->square[end] - p->square[first] - sum * sum / n);
}

/* The cheapest cutting of all points: what each prefix costs at best and where its last stretch starts. */
static int stretches_of(const struct points *p, struct stretch out[KNEE_POINTS]) {
  double best[KNEE_POINTS + 1], sigma = noise_of(p), price = 4 * sigma * sigma * log2(p->n);
  int from[KNEE_POINTS + 1], count = 0;
  best[0] = 0;
  for (int end = 1; end <= p->n; end++) {
    best[end] = INFINITY;
    for (int first = 0; first < end; first++) {
      double cost = best[first] + cost_of(p, first, end) + price;
      if (cost < best[end]) best[end] = cost, from[end] = first;
    }
  }
  for (int end = p->n; end > 0; end = from[end]) count++;
  for (int end = p->n, i = count; end > 0; end = from[end])
    out[--i] = (struct stretch){from[end], end - 1, median_of(p->y + from[end], end - from[end])};
  return count;
}

static double slope_of(const struct points *p, const struct stretch *s) {
  double n = s->last - s->first + 1, x = 0, y = 0, xx = 0, xy = 0;
  for (int i = s->first; i <= s->last; i++) x += p->x[i], y += p->y[i], xx += p->x[i] * p->x[i], xy += p->x[i] * p->y[i];
  double spread = xx - x * x / n;
  return spread > 0 ? (xy - x * y / n) / spread : 0;
}

/* Keeps the plateaus: what is long and flat; and of neighbours not one below the other, one. */
static int plateaus_keep(const struct points *p, const struct stretch *s, int n, struct stretch out[KNEE_POINTS]) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (s[i].last - s[i].first + 1 < LONG || slope_of(p, &s[i]) < -STEEP) continue;
    out[count++] = s[i];
    while (count > 1 && out[count - 1].y > out[count - 2].y - SAME) {
      struct stretch *a = &out[count - 2], *b = &out[count - 1];
      a->last = b->last;
      a->y = fmax(a->y, b->y); /* a dip is someone else's doing, slow small sets are the loop's */
      count--;
    }
  }
  return count;
}

/* Where the values have gone WAY of the way from this plateau to `next`, seen from the far end: what dips and recovers has not fallen. */
static double knee_at(const struct points *p, const struct stretch *s, int before, double next) {
  double level = s->y + WAY * (next - s->y);
  for (int i = before; i >= s->first; i--) {
    if (p->y[i] < level) continue;
    if (i + 1 >= p->n || !(p->y[i + 1] < p->y[i])) return exp2(p->x[i]);
    return exp2(p->x[i] + (p->y[i] - level) / (p->y[i] - p->y[i + 1]) * (p->x[i + 1] - p->x[i]));
  }
  return exp2(p->x[s->first]);
}

int knee_find(const double byte[], const double value[], int n, bool falls, struct plateau out[PLATEAU_MAX]) {
  struct points p;
  struct stretch piece[KNEE_POINTS], kept[KNEE_POINTS];
  points_take(&p, byte, value, n, falls);
  if (p.n < LEAST) return 0;
  int count = plateaus_keep(&p, piece, stretches_of(&p, piece), kept);
  if (count > PLATEAU_MAX) count = PLATEAU_MAX;
  for (int i = 0; i < count; i++) {
    bool last = i + 1 == count;
    double next = last ? kept[i].y : kept[i + 1].y;
    int before = last ? p.n - 1 : kept[i + 1].first;
    if (last) /* the end of what was measured may be on the way down already */
      for (int k = kept[i].last + 1; k < p.n; k++) next = fmin(next, p.y[k]);
    double knee = next < kept[i].y - 2 * SAME || !last ? knee_at(&p, &kept[i], before, next) : NAN;
    out[i] = (struct plateau){exp2(p.x[kept[i].first]), exp2(p.x[kept[i].last]), exp2(falls ? kept[i].y : -kept[i].y), knee, -1, false};
  }
  return count;
}

int knee_of(const struct stair *s, bool falls, struct plateau out[PLATEAU_MAX]) {
  double byte[STAIR_MAX], value[STAIR_MAX];
  for (int i = 0; i < s->n; i++) byte[i] = s->point[i].byte, value[i] = s->point[i].value;
  return knee_find(byte, value, s->n, falls, out);
}

/* What `threads` can fill of level i as declared. */
static double declared(const struct device *d, int i, int threads) {
  const struct level *l = &d->level[i];
  int count = l->count > 0 ? l->count : 1;
  return l->byte.value * (threads > 0 && threads < count ? threads : count);
}

void knee_levels(const struct device *d, int threads, struct plateau p[], int n) {
  int caches = d->nlevel - 1;
  bool taken[LEVEL_MAX] = {false};
  for (int i = 0; i < n; i++) p[i].level = -1, p[i].agrees = false;
  /* First those that agree, in order: of the knees within 2× of a size, the nearest. */
  for (int l = 0, from = 0; l < caches; l++) {
    double size = declared(d, l, threads), best = 1 + 1e-9; /* octaves */
    int found = -1;
    for (int i = from; i < n; i++) {
      double off = fabs(log2(p[i].knee / size));
      if (off <= best) best = off, found = i;
    }
    if (found < 0) continue;
    p[found].level = l, p[found].agrees = taken[l] = true, from = found + 1;
  }
  /* Then the knees left over, to the levels left over between the same neighbours. */
  for (int i = 0, l = 0; i < n; i++) {
    if (p[i].level >= 0) {
      l = p[i].level + 1;
      continue;
    }
    int until = caches;
    for (int k = n - 1; k > i; k--)
      if (p[k].level >= 0) until = p[k].level;
    while (l < until && taken[l]) l++;
    if (l < until && !isnan(p[i].knee)) p[i].level = l, taken[l++] = true;
  }
  /* Past the last cache there is main memory: a plateau without an end, beyond every size that is known. */
  if (n > 0 && caches >= 0 && p[n - 1].level < 0 && isnan(p[n - 1].knee)) {
    double most = 0;
    for (int l = 0; l < caches; l++) most = fmax(most, taken[l] ? 0 : declared(d, l, threads));
    if (!(p[n - 1].hi < most)) p[n - 1].level = caches, p[n - 1].agrees = true;
  }
}

void knee_take(struct device *here) {
  struct machine *m = &here->machine;
  struct plateau p[PLATEAU_MAX];
  int n = knee_of(&m->stair[STAIR_TEAM], true, p);
  if (n == 0) return;
  knee_levels(here, m->threads, p, n);
  for (int i = 0; i < n; i++) m->plateau[i] = p[i];
  m->nplateau = n;
  for (int i = 0; i < n; i++) {
    if (p[i].level < 0 || p[i].level + 1 >= here->nlevel || isnan(p[i].knee)) continue;
    struct level *l = &here->level[p[i].level];
    int count = l->count > 0 ? l->count : 1;
    if (m->threads > 0 && m->threads < count) count = m->threads;
    l->knee_byte = (struct figure){.value = p[i].knee / count, .source = SOURCE_MEASURED};
  }
}

const char *knee_words(const struct device *d, int i) {
  if (i < 0 || i >= d->nlevel) return "not measured";
  const struct level *l = &d->level[i];
  if (!(l->byte.value > 0)) return "size unknown";
  if (i + 1 == d->nlevel) return "as declared";
  if (!(l->knee_byte.value > 0)) return d->machine.nplateau > 0 ? "no knee" : "not measured";
  double off = l->knee_byte.value / l->byte.value;
  return off < 0.5 ? "a slice" : off > 2 ? "more than declared" : "as declared";
}
