/* plot_axis: where ticks stand and what they say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/number.h"
#include "tui/plot.h"

/* ---- ranges ---- */

/* The next 1, 2 or 5 times a power of ten at or above v. */
static double nice_above(double v) {
  double power = pow(10, floor(log10(v) + 1e-9));
  static const double mantissa[] = {1, 2, 5, 10};
  for (int i = 0; i < 4; i++)
    if (mantissa[i] * power >= v * (1 - 1e-9)) return mantissa[i] * power;
  return 10 * power;
}

void axis_round(double *lo, double *hi, bool log_scale, double decades) {
  if (!isfinite(*lo) || !isfinite(*hi)) {
    if (!isfinite(*lo) && !isfinite(*hi))
      *lo = log_scale ? 1 : 0, *hi = 10;
    else if (isfinite(*lo))
      *hi = log_scale ? *lo * 10 : *lo + 1;
    else
      *lo = log_scale ? *hi / 10 : *hi - 1;
  }
  if (*hi < *lo) {
    double t = *lo;
    *lo = *hi, *hi = t;
  }
  if (log_scale) {
    if (!(*hi > 0)) *lo = 1, *hi = 10;
    if (!(*lo > 0)) *lo = *hi / 1000;
    double a = floor(log10(*lo) + 1e-9), b = ceil(log10(*hi) - 1e-9);
    if (b <= a) b = a + 1;
    for (bool low = false; b - a < decades; low = !low) {
      if (low)
        a--;
      else
        b++;
    }
    *lo = pow(10, a), *hi = pow(10, b);
    return;
  }
  double span = *hi - *lo;
  if (!(span > 0)) span = *hi != 0 ? fabs(*hi) : 1;
  double step = nice_above(span / 5);
  *lo = floor(*lo / step + 1e-9) * step;
  *hi = ceil(*hi / step - 1e-9) * step;
  if (*hi <= *lo) *hi = *lo + step;
}

void axis_keep(const double prev[2], double lo, double hi, bool log_scale, double out[2]) {
  bool usable = isfinite(prev[0]) && isfinite(prev[1]) && prev[1] > prev[0] && (!log_scale || prev[0] > 0);
  if (usable && lo >= prev[0] && hi <= prev[1]) {
    double spare_lo = log_scale ? log10(lo / prev[0]) : (lo - prev[0]) / (prev[1] - prev[0]);
    double spare_hi = log_scale ? log10(prev[1] / hi) : (prev[1] - hi) / (prev[1] - prev[0]);
    double most = log_scale ? 1.0 + 1e-9 : 0.5;
    if (spare_lo <= most && spare_hi <= most) {
      out[0] = prev[0], out[1] = prev[1];
      return;
    }
  }
  out[0] = lo, out[1] = hi;
}

/* ---- ticks ---- */

struct comb {
  const struct axis *a;
  double scale;
  int cells;
  bool upright;
  struct tick *out;
  int n;
};

static double share_of(const struct axis *a, double v) {
  return a->log ? log(v / a->lo) / log(a->hi / a->lo) : (v - a->lo) / (a->hi - a->lo);
}

static int cell_of(const struct comb *k, double v) {
  int dots = k->upright ? 4 : 2;
  return (int)floor(floor(share_of(k->a, v) * (k->cells * dots - 1) + 0.5) / dots);
}

static void tick_add(struct comb *k, double v) {
  double share = share_of(k->a, v);
  if (!(share >= -1e-9 && share <= 1 + 1e-9) || k->n >= TICK_MAX) {
    if (share > 0 && share < 1) k->n = TICK_MAX + 1; /* does not fit: the caller tries a coarser comb */
    return;
  }
  char text[NUMBER_MAX], suffix[NUMBER_MAX];
  if (strcmp(k->a->unit, "iB") == 0) { /* powers of two are whole in their own prefix: "32Ki" */
    number_split(v, "iB", 3, true, text, suffix);
    text[strcspn(text, ".")] = '\0';
    suffix[strcspn(suffix, "B")] = '\0';
    strncat(text, suffix, sizeof text - strlen(text) - 1);
  } else
    number_tick(text, v / k->scale);
  k->out[k->n].value = v;
  snprintf(k->out[k->n].text, sizeof k->out[k->n].text, "%.11s", text);
  k->n++;
}

/* The cells a label takes: [from, to). */
static void tick_span(const struct comb *k, const struct tick *t, int *from, int *to) {
  int cell = cell_of(k, t->value), w = text_columns(t->text);
  if (k->upright) {
    *from = cell, *to = cell + 1;
    return;
  }
  *from = cell - (w - 1) / 2; /* as plot_begin places it: inside its axis */
  if (*from < 0) *from = 0;
  if (*from + w > k->cells) *from = k->cells - w;
  *to = *from + w;
}

/* Two rows apart upright, a column between labels across. */
static bool ticks_apart(const struct comb *k, const struct tick *a, const struct tick *b) {
  int from, to, a_from, a_to;
  tick_span(k, a, &a_from, &a_to);
  tick_span(k, b, &from, &to);
  return from - a_to >= 1 && from >= 0;
}

static bool ticks_fit(const struct comb *k) {
  if (k->n > TICK_MAX) return false;
  for (int i = 1; i < k->n; i++)
    if (!ticks_apart(k, &k->out[i - 1], &k->out[i])) return false;
  return true;
}

static bool is_decade(double v) { return fabs(log10(v) - floor(log10(v) + 0.5)) < 1e-9; }

static void tick_drop(struct comb *k, int at) {
  for (int i = at; i + 1 < k->n; i++) k->out[i] = k->out[i + 1];
  k->n--;
}

/* A label at the very end is moved inwards; where it then touches the next one, the 2 or 5 of the two gives way. Anywhere else a comb with
 * gaps would mislead. */
static void ticks_thin(struct comb *k) {
  if (k->n > TICK_MAX) return;
  if (k->n > 2 && !ticks_apart(k, &k->out[k->n - 2], &k->out[k->n - 1]))
    tick_drop(k, is_decade(k->out[k->n - 1].value) ? k->n - 2 : k->n - 1);
  if (k->n > 2 && !ticks_apart(k, &k->out[0], &k->out[1])) tick_drop(k, is_decade(k->out[0].value) ? 1 : 0);
}

/* Every decade's multiples of these mantissas. */
static void comb_decades(struct comb *k, const double *mantissa, int n, int every) {
  int from = (int)floor(log10(k->a->lo) + 1e-9), to = (int)ceil(log10(k->a->hi) - 1e-9);
  k->n = 0;
  int phase = ((from % every) + every) % every;
  for (int d = from - phase; d <= to; d += every)
    for (int i = 0; i < n; i++) tick_add(k, mantissa[i] * pow(10, d));
}

static void comb_twos(struct comb *k, int every) {
  int from = (int)floor(log2(k->a->lo)), to = (int)ceil(log2(k->a->hi));
  k->n = 0;
  for (int e = from - ((from % every) + every) % every; e <= to; e += every) tick_add(k, exp2(e));
}

static void comb_linear(struct comb *k, double step) {
  double from = ceil(k->a->lo / step - 1e-9), to = floor(k->a->hi / step + 1e-9);
  k->n = 0;
  if (to - from > 4 * TICK_MAX) {
    k->n = TICK_MAX + 1;
    return;
  }
  for (double i = from; i <= to; i++) tick_add(k, i * step == 0 ? 0 : i * step);
}

/* 1-2-5 steps over a range, the finest that fits. Also used on log axes shorter than a decade. */
static bool linear_fit(struct comb *k) {
  double span = k->a->hi - k->a->lo, target = k->upright ? 3 : 8,
         step = nice_above(span * target / (k->cells > target ? k->cells : target));
  for (int i = 0; i < 12; i++, step = nice_above(step * 1.5)) {
    comb_linear(k, step);
    if (ticks_fit(k)) return k->n >= 2;
    if (step > span) break;
  }
  return false;
}

static bool log_fit(struct comb *k) {
  static const double all[] = {1, 2, 5};
  double decades = log10(k->a->hi / k->a->lo), cells = k->cells / decades;
  if (decades < 1 || cells >= (k->upright ? 6 : 12)) {
    comb_decades(k, all, 3, 1);
    if (decades >= 1) ticks_thin(k);
    if (k->n >= 2 && ticks_fit(k)) return true;
  }
  static const int every[] = {1, 2, 3, 4, 5, 10, 20, 50, 100, 200};
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    comb_decades(k, all, 1, every[i]);
    if (ticks_fit(k)) {
      if (k->n >= 2) return true;
      break;
    }
  }
  comb_decades(k, all, 3, 1);
  if (k->n >= 2 && ticks_fit(k)) return true;
  return decades < 1.5 && linear_fit(k);
}

int axis_ticks(const struct axis *a, int cells, bool upright, struct tick out[TICK_MAX]) {
  char name[NUMBER_MAX];
  struct comb k = {a, 1, cells, upright, out, 0};
  if (cells < 1 || !(a->hi > a->lo) || !isfinite(a->lo) || !isfinite(a->hi) || (a->log && !(a->lo > 0))) return 0;
  number_axis(a->lo, a->hi, a->unit, true, &k.scale, name);
  bool fits = false;
  if (a->log && strcmp(a->unit, "iB") == 0) {
    static const int every[] = {1, 2, 5, 10, 20, 40, 100};
    for (size_t i = 0; i < sizeof every / sizeof *every && !fits; i++) {
      comb_twos(&k, every[i]);
      if (ticks_fit(&k)) fits = k.n >= 2;
      if (ticks_fit(&k) && !fits) break;
    }
  } else
    fits = a->log ? log_fit(&k) : linear_fit(&k);
  if (!fits) { /* too short for a comb: the ends of a fine one, and if need be only one of them */
    static const double all[] = {1, 2, 5};
    if (a->log && log10(a->hi / a->lo) > 0.4)
      comb_decades(&k, all, log10(a->hi / a->lo) > 8 ? 1 : 3, 1);
    else
      comb_linear(&k, nice_above((a->hi - a->lo) / 4));
    if (k.n > TICK_MAX) k.n = TICK_MAX;
    if (k.n > 2) out[1] = out[k.n - 1], k.n = 2;
    if (!ticks_fit(&k)) k.n = 1;
  }
  return k.n;
}

void axis_title(const struct axis *a, char out[96]) {
  char name[NUMBER_MAX];
  double scale;
  number_axis(a->lo, a->hi, a->unit, false, &scale, name);
  bool titled = a->title && *a->title;
  bool self = strcmp(a->unit, "flop/byte") == 0 && titled; /* such a title says the ratio in words */
  snprintf(out, 96, "%s%s%s", titled ? a->title : "", titled && *name && !self ? ", " : "", self ? "" : name);
}
