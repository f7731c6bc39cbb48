/* accumulate: the same number added again and again, every sum rounded into a format of few bits: it stalls once half the spacing of the
 * sum exceeds the term. Real rounding (model/coding.h), term by term; runs of equal steps are taken at once, with the same result as one by
 * one (between two powers of two every step after the first is the same). */
#ifndef RIDGE_ACCUMULATE_H
#define RIDGE_ACCUMULATE_H

#include <stdbool.h>

#include "model/coding.h"

struct accumulate {
  enum coding format; /* of the sum */
  double term;        /* as added */
  double sum, count;  /* so far */
  bool stalled;       /* no further term changes the sum */
  double stalled_at;  /* terms after which it no longer moved; NAN while it does */
};
void accumulate_start(struct accumulate *a, enum coding sum, double term);
void accumulate_step(struct accumulate *a);             /* one term */
void accumulate_to(struct accumulate *a, double count); /* until `count` terms are in; fewer than there are changes nothing */

/* The sum of `count` terms. Closed: as many jumps as there are powers of two on the way. */
double accumulate_at(enum coding sum, double term, double count);
/* The same in pieces: sums of `piece` terms first, then the sum of those sums (and of what is left over). */
double accumulate_pieces(enum coding sum, double term, double count, double piece);

#endif
