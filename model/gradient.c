#include "model/gradient.h"

#include <math.h>

/* Share of magnitudes below x. */
static double below(double x, double typical) { return erfc(-(log2(x) - log2(typical)) / GRADIENT_OCTAVES / sqrt(2)) / 2; }

struct gradient gradient_of(enum coding f, double typical, double scale) {
  double at = typical * scale;
  /* Half the smallest number still rounds to 0, half of it below the normal numbers rounds up to them; half a step past the largest does
   * not round back to it. */
  double least = coding_least_subnormal(f) / 2, normal = coding_least_normal(f) - least, end = coding_largest(f);
  end += coding_spacing(f, end) / 2;
  if (coding_part(f)->top == TOP_INTEGER) normal = least;
  struct gradient g;
  g.lost = below(least, at);
  g.coarse = fmax(0, below(normal, at) - g.lost);
  g.over = erfc((log2(end) - log2(at)) / GRADIENT_OCTAVES / sqrt(2)) / 2;
  g.kept = fmax(0, 1 - g.lost - g.coarse - g.over);
  return g;
}

double gradient_scale_most(enum coding f, double typical) {
  /* A share of 1e-9 lies 5.998 standard deviations out. */
  double most = 5.997807 * GRADIENT_OCTAVES, end = coding_largest(f);
  return exp2(fmin(1000, floor(log2(end) - log2(typical) - most)));
}

double gradient_through(enum coding f, double gradient, double scale) { return coding_round(f, gradient * scale, false) / scale; }
