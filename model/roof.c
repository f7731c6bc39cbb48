#include "model/roof.h"

#include <math.h>

const char *bound_name(enum bound b) {
  static const char *const name[] = {"unknown", "memory", "compute"};
  return name[b];
}

/* fmin and fmax drop a NAN; a bound made from something unknown is itself unknown. */
static double lesser(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b ? a : b; }
static double greater(double a, double b) { return isnan(a) || isnan(b) ? NAN : a > b ? a : b; }

/* How long doing `amount` at `rate` takes; nothing takes no time even at an unknown rate. */
static double time_of(double amount, double rate) { return amount == 0 ? 0 : amount / rate; }

double roof_intensity(double flop, double byte) { return flop / byte; }

double roof_ridge(double peak_flop_per_s, double byte_per_s) { return peak_flop_per_s / byte_per_s; }

double roof_attainable(double peak_flop_per_s, double byte_per_s, double flop_per_byte) {
  return lesser(peak_flop_per_s, byte_per_s * flop_per_byte);
}

double roof_time_lower(double flop, double byte, double peak_flop_per_s, double byte_per_s) {
  return greater(time_of(flop, peak_flop_per_s), time_of(byte, byte_per_s));
}

double roof_time_upper(double flop, double byte, double peak_flop_per_s, double byte_per_s) {
  return time_of(flop, peak_flop_per_s) + time_of(byte, byte_per_s);
}

enum bound roof_bound(double flop, double byte, double peak_flop_per_s, double byte_per_s) {
  double compute = time_of(flop, peak_flop_per_s), memory = time_of(byte, byte_per_s);
  if (isnan(compute) || isnan(memory)) return BOUND_UNKNOWN;
  return memory > compute ? BOUND_MEMORY : BOUND_COMPUTE;
}
