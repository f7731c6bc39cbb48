#include "model/curve.h"

#include <math.h>
#include <stdbool.h>

static bool usable(double v) { return v > 0 && isfinite(v); }

/* Where a line from (x0, d0) to (x1, d1) is 0, x on a logarithmic axis. */
static double zero_between(double x0, double d0, double x1, double d1) { return d0 == d1 ? x0 : x0 * pow(x1 / x0, d0 / (d0 - d1)); }

double curve_cross(const double *x, const double *a, const double *b, int n) {
  double at = NAN, x_before = NAN, before = NAN;
  for (int i = 0; i < n; i++) {
    if (!usable(x[i]) || !usable(a[i]) || !usable(b[i])) continue;
    double d = log(a[i] / b[i]);
    if (d <= 0)
      at = NAN; /* what was above is below again */
    else if (before <= 0)
      at = zero_between(x_before, before, x[i], d);
    x_before = x[i], before = d;
  }
  return at;
}

double curve_reach(const double *x, const double *y, int n, double value) {
  double x_before = NAN, before = NAN;
  if (!usable(value)) return NAN;
  for (int i = 0; i < n; i++) {
    if (!usable(x[i]) || !usable(y[i])) continue;
    double d = log(y[i] / value);
    if (d >= 0) return d == 0 ? x[i] : before < 0 ? zero_between(x_before, before, x[i], d) : (double)NAN;
    x_before = x[i], before = d;
  }
  return NAN;
}
