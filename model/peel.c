#include "model/peel.h"

#include <math.h>

#include "model/ladder.h"
#include "model/sheet.h"

/* The rate of the vector units for values computed in t; NAN when the sheet names none apart from the matrix units. */
static double vector_rate(const struct device *d, enum dtype t) {
  double rate = d->peak[t == DTYPE_FP64 ? DTYPE_FP64 : DTYPE_FP32].value;
  return t <= DTYPE_FP32 ? d->peak[t].value : rate;
}

/* FLOP/s with these layers off; what is not known changes nothing. */
static double rate_with(const bool off[PEEL_N], double headline, double dense, double typed, double vector, double utilisation) {
  double rate = off[PEEL_SPARSITY] ? dense : headline;
  if (off[PEEL_PRECISION] && !isnan(typed)) rate *= typed / dense;
  if (off[PEEL_OPERATION] && !isnan(vector)) rate = fmin(rate, vector);
  return off[PEEL_USE] ? rate * utilisation : rate;
}

struct peeled peel_of(const struct device *d, enum dtype t, const bool off[PEEL_N], double utilisation) {
  struct peeled p = {.headline = sheet_headline(d), .fastest = sheet_fastest(d), .math = ladder_math(d, t)};
  double dense = p.fastest == DTYPE_N ? NAN : d->peak[p.fastest].value;
  double typed = p.math == DTYPE_N ? NAN : d->peak[p.math].value, vector = p.math == DTYPE_N ? NAN : vector_rate(d, p.math);
  p.factor[PEEL_SPARSITY] = d->sparse_ratio.value;
  p.factor[PEEL_PRECISION] = dense / typed;
  p.factor[PEEL_OPERATION] = vector > typed ? 1 : typed / vector;
  p.factor[PEEL_USE] = 1 / utilisation;
  bool before[PEEL_N] = {false}, chosen[PEEL_N] = {false};
  for (int i = 0; i < PEEL_N; i++) {
    before[i] = true;
    chosen[i] = off[i];
    p.left[i] = rate_with(before, p.headline, dense, typed, vector, utilisation);
    p.now[i] = rate_with(chosen, p.headline, dense, typed, vector, utilisation);
  }
  return p;
}

double peel_built(double cores, double units, double lanes, double clock_hz) { return cores * units * lanes * 2 * clock_hz; }

double peel_units(double flop_per_s, double cores, double lanes, double clock_hz) { return flop_per_s / (cores * lanes * 2 * clock_hz); }

double peel_lanes(enum isa i) {
  switch (i) {
  case ISA_SCALAR: return 1;
  case ISA_SSE2:
  case ISA_NEON: return 4;
  case ISA_AVX2: return 8;
  case ISA_AVX512: return 16;
  default: return NAN;
  }
}
