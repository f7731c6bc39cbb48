/* sampling: what a handful of timed repetitions says: which statistic, how spread, one group or two, and whether a long run slowed down.
 * Times in s, rates per s. Pure; samples need no order unless a function says so. What is not a positive finite number is left out. */
#ifndef RIDGE_SAMPLING_H
#define RIDGE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLING_MAX = 64, HISTOGRAM_MAX = 48 };

/* Of up to SAMPLING_MAX samples (more are ignored). NAN: no sample, or too few. */
struct sampling {
  int n;
  double best, median, mean, p95, worst;
  double spread; /* half the interquartile range as a share of the median; NAN under 2 samples */
  /* Two groups when the widest gap between neighbours, with at least a fifth of the samples on each side, is wider than either group's
   * own range between its quartiles and than 3 % of the median: two speeds, so that no single number stands for both. */
  int groups;       /* 0 unknown (under 8 samples), 1, 2 */
  double low, high; /* the medians of the two groups; NAN unless there are two */
};
void sampling_of(const double *time, int n, struct sampling *out);

/* Samples counted by time in `n` bins of equal width from lo on; the last bin also takes everything beyond. Its end is where the box of the
 * quartiles, three times over, ends, so that one outlier does not press all others into one bin. */
struct histogram {
  int n;
  double lo, width;
  int count[HISTOGRAM_MAX], marked[HISTOGRAM_MAX]; /* of these, how many carry one of the flags in mask */
  int beyond;                                      /* how many lie past the last bin's end */
};
void histogram_of(const double *time, const uint16_t *flags, unsigned mask, int n, int bins, struct histogram *out);

/* The first of n repetitions, in order, from which on all lie within `share` of the median: 1 the very first, n + 1 never; 0 unknown. */
int sampling_settled(const double *time, int n, double median, double share);

/* A run in order: rate[i] at time at[i]. */
enum drop_kind { DROP_UNKNOWN, DROP_NONE, DROP_STEP, DROP_SLIDE };
const char *drop_name(enum drop_kind k); /* "unknown" "none" "step" "slide" */
struct drop {
  enum drop_kind kind;
  double start, end; /* the median rate of the first and of the last quarter; NAN unknown */
  double share;      /* 1 - end / start: negative when it got faster */
  double at;         /* s: where the rate fell below halfway for good; NAN unless it fell */
  double noise;      /* median change from one stretch to the next, as a share of start */
};
/* A drop is one of more than 2 % and more than three times the noise. A step when two levels fit better than a straight line, else a slide.
 * Unknown under 4 stretches. */
void drop_of(const double *rate, const double *at, int n, struct drop *out);

#endif
