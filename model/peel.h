/* peel: what is left of an advertised peak. Four things are counted into a headline: zeros that are skipped, the smallest data type, one
 * dense product on the matrix units, and every unit busy all the time. Each can be taken off; the memory rate stays what it was. */
#ifndef RIDGE_PEEL_H
#define RIDGE_PEEL_H

#include <stdbool.h>

#include "model/world.h"

enum peel { PEEL_SPARSITY, PEEL_PRECISION, PEEL_OPERATION, PEEL_USE, PEEL_N };

struct peeled {
  double headline;          /* FLOP/s as advertised; NAN unknown */
  double factor[PEEL_N];    /* by what each divides what is left once all before it are off; NAN: the sheet does not say */
  double left[PEEL_N];      /* FLOP/s once it and all before it are off, whichever are chosen; an unknown factor takes off nothing */
  double now[PEEL_N];       /* FLOP/s with those up to it off that are chosen; the last is what is left */
  enum dtype fastest, math; /* the type of the headline; the one asked for, or what stands in for it */
};
/* off[]: which are taken off. utilisation: the share in use, 0…1, ours to assume. The vector rate is the sheet's fp32 (fp64 for fp64):
 * where only matrix units are published the third factor is unknown. Vector units skip no zeros and know no smaller type: off the matrix
 * units the first two are gone as well. */
struct peeled peel_of(const struct device *d, enum dtype t, const bool off[PEEL_N], double utilisation);

/* cores × units × lanes × 2 × clock: one multiply-add is two FLOP. */
double peel_built(double cores, double units, double lanes, double clock_hz);
/* The same turned round: vector units a core that a measured rate amounts to. */
double peel_units(double flop_per_s, double cores, double lanes, double clock_hz);
/* fp32 numbers in one register of an instruction set; NAN for ISA_AUTO. */
double peel_lanes(enum isa i);

#endif
