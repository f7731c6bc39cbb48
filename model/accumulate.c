#include "model/accumulate.h"

#include <math.h>

void accumulate_start(struct accumulate *a, enum coding sum, double term) {
  *a = (struct accumulate){.format = sum, .term = term, .stalled_at = NAN};
}

static double added(const struct accumulate *a, double sum) { return coding_round(a->format, sum + a->term, false); }

void accumulate_step(struct accumulate *a) {
  double next = added(a, a->sum);
  /* NaN stays NaN, infinity infinity. */
  if (!a->stalled && (next == a->sum || isnan(next) || isinf(next))) {
    a->stalled = true;
    a->stalled_at = next == a->sum ? a->count : a->count + 1;
  }
  a->sum = next;
  a->count++;
}

/* How many more steps of `rise` keep the sum below the next power of two, where the spacing changes. */
static double steps_alike(const struct accumulate *a, double rise) {
  int e;
  double size = fabs(a->sum);
  if (coding_part(a->format)->top == TOP_INTEGER) return floor((coding_largest(a->format) - size) / fabs(rise));
  frexp(size, &e);
  double end = fmin(fmax(ldexp(1, e), coding_least_normal(a->format)), coding_largest(a->format)); /* subnormals have one spacing */
  return floor((end - size) / fabs(rise));
}

static int power_of(double x) {
  int e;
  frexp(x, &e);
  return x == 0 ? -10000 : e; /* none that a number has */
}

void accumulate_to(struct accumulate *a, double count) {
  while (a->count < count) {
    if (a->stalled) {
      a->count = count;
      return;
    }
    /* Past a power of two the spacing is new, and a tie may go the other way once; from the second step on all go the same way. */
    int before = power_of(a->sum);
    accumulate_step(a);
    if (a->stalled || power_of(a->sum) != before) continue;
    double rise = added(a, a->sum) - a->sum;
    if (!(fabs(rise) > 0) || isinf(rise)) continue;
    double jump = fmin(steps_alike(a, rise), count - a->count);
    if (jump > 0) a->sum += jump * rise, a->count += jump; /* exact: a multiple of the spacing that fits the mantissa */
  }
}

double accumulate_at(enum coding sum, double term, double count) {
  struct accumulate a;
  accumulate_start(&a, sum, term);
  accumulate_to(&a, count);
  return a.sum;
}

double accumulate_pieces(enum coding sum, double term, double count, double piece) {
  double whole = floor(count / piece), rest = count - whole * piece;
  double part = accumulate_at(sum, term, piece), total = accumulate_at(sum, part, whole);
  return rest > 0 ? coding_round(sum, total + accumulate_at(sum, term, rest), false) : total;
}
