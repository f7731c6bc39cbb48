/* gradient: what a format of few bits loses of gradients that spread over many powers of two. Magnitudes are taken as log-normal around a
 * typical one (our assumption: a standard deviation of GRADIENT_OCTAVES powers of two), multiplied by the loss scale before they are
 * stored (Micikevicius et al. 2017). Shares are closed forms of the normal distribution. */
#ifndef RIDGE_GRADIENT_H
#define RIDGE_GRADIENT_H

#include "model/coding.h"

enum { GRADIENT_OCTAVES = 5 };

struct gradient {
  double lost;   /* share stored as 0 */
  double coarse; /* share stored as subnormal numbers, with fewer digits */
  double kept;   /* share stored with all digits */
  double over;   /* share too large: one is enough to spoil a step */
};
/* typical > 0, scale > 0. The shares add up to 1. */
struct gradient gradient_of(enum coding f, double typical, double scale);

/* The largest power of two by which the loss can be scaled so that a share of at most 1e-9 is too large; may be below 1. */
double gradient_scale_most(enum coding f, double typical);
/* One gradient stored scaled and scaled back, as the optimizer sees it. */
double gradient_through(enum coding f, double gradient, double scale);

#endif
