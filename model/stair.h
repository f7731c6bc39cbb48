/* stair: this machine's measured staircase: how fast reads are, and how long one load takes, against the working set. Sizes in bytes, all
 * threads together; rates in byte/s; latencies in s. Points are kept by size, ascending. Values of a size between two points lie on the
 * straight line between them on log-log axes; outside them nothing is known. */
#ifndef RIDGE_STAIR_H
#define RIDGE_STAIR_H

#include <stdbool.h>
#include <stdint.h>

/* read by the whole team, by one thread, and what one dependent load waits */
enum stair_kind { STAIR_TEAM, STAIR_ONE, STAIR_LATENCY, STAIR_KIND_N };
const char *stair_name(enum stair_kind k); /* "read" "read_one" "latency" */

enum { STAIR_MAX = 128 };
struct stair_point {
  double byte, value; /* working set; byte/s or s */
  float spread;       /* of the samples; NAN unknown */
  uint16_t threads, samples, flags;
};
struct stair {
  struct stair_point point[STAIR_MAX];
  int n;
  double seed; /* of the data; NAN unknown */
};

/* A stretch of the staircase where sets of every size are read alike; found by model/knee. */
enum { PLATEAU_MAX = 8 };
struct plateau {
  double lo, hi; /* working sets of its first and its last point */
  double value;  /* the median along it */
  double knee;   /* the working set at which it ends; NAN: it does not, as far as was measured */
  int level;     /* of the device, by index; -1: no declared size explains it */
  bool agrees;   /* its knee is within 2x of what the level declares */
};

/* Takes a point in, in place of an earlier one of the same size. False when it is no measurement (size or value not above 0 and finite) or
 * there is no room. */
bool stair_put(struct stair *s, const struct stair_point *p);

/* The value at this working set; NAN outside what was measured. */
double stair_at(const struct stair *s, double byte);

/* Sizes to measure from lo to hi, `per_octave` of them an octave, whole multiples of 4 KiB from 64 KiB on and of 256 bytes below. How many
 * there are, at most max; sizes[i] strictly rise. */
int stair_sizes(double lo, double hi, int per_octave, double sizes[], int max);

/* Whether all three kinds were measured to their ends: the probe takes them in their order, each from small to large, so one that was
 * stopped lacks the large latencies, which go as far as the rates do or to STAIR_LATENCY_MOST_BYTE. */
#define STAIR_LATENCY_MOST_BYTE 1e9
bool stair_complete(const struct stair stair[STAIR_KIND_N]);

#endif
