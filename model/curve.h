/* curve: two measured curves on logarithmic axes, sampled at the same places: where one crosses the other, where one reaches a value.
 * Between two samples a curve is a straight line on the logarithmic picture; outside of them nothing is known. Pure. */
#ifndef RIDGE_CURVE_H
#define RIDGE_CURVE_H

/* The x at which a rises above b for good: a ≤ b somewhere before, a > b everywhere after. NAN when they do not cross within the samples.
 * x ascending; places where a or b is no positive number are left out. */
double curve_cross(const double *x, const double *a, const double *b, int n);

/* The x at which y first reaches `value`, y rising; NAN when it starts above it or never gets there. */
double curve_reach(const double *x, const double *y, int n, double value);

#endif
