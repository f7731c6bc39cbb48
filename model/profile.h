/* profile: where the time of one pass goes, operation by operation, and what a fix would change. Each operation takes at least
 * max(flop / peak, byte / bandwidth) plus one launch (Williams 2009); the pass takes the sum of them, since each waits for the one before.
 * Efficiency is 1: bounds, not forecasts. s, FLOP, byte. NAN in, NAN out. */
#ifndef RIDGE_PROFILE_H
#define RIDGE_PROFILE_H

#include "model/operations.h"
#include "model/roof.h"

/* What may be done about it. Each is tried alone, on what the knobs say. */
enum fix {
  FIX_NONE,
  FIX_FUSE,       /* element-wise operations ride on their neighbours, scores stay on the chip */
  FIX_BITS,       /* weights and cache in half the bits; arithmetic as it was */
  FIX_BATCH,      /* twice the sequences */
  FIX_ARITHMETIC, /* twice the peak */
  FIX_LAYOUT,     /* contiguous: every fetched line is used whole */
  FIX_BANDWIDTH,  /* twice the memory rate */
  FIX_N
};
const char *fix_name(enum fix f);  /* "none" "fuse" "bits" "batch" "arithmetic" "layout" "bandwidth" */
const char *fix_words(enum fix f); /* what is done, at most 30 columns */

struct profile_in {
  struct operations_in work;
  double peak_flop_per_s, byte_per_s, launch_s;
};

struct profile_sum {
  double count, launches, params, flop, weight_byte, kv_byte, activation_byte, byte;
  double time;        /* all of it */
  double launch_time; /* of it */
  double memory_time, memory_count, memory_flop, memory_byte; /* what belongs to operations that wait for memory */
};

struct profile_op {
  struct operation op;
  double time; /* of all `count` of it, launches counted */
  double flop_per_byte, attainable_flop_per_s;
  enum bound bound;
};

struct profile {
  struct profile_op op[OPERATIONS_MAX];
  int n;
  uint8_t order[OPERATIONS_MAX]; /* by time, the longest first; equal ones in their own order */
  double tokens;
  struct profile_sum total, class[CLASS_N];
  struct profile_sum layer[CLASS_N]; /* what stands in layers, all layers together: over m->layers it is the average layer's */
};
void profile_of(const struct profile_in *in, struct profile *out);

/* One operation under the roofs. */
struct profile_op profile_op_of(const struct profile_in *in, struct operation op);

/* The same work with one thing done about it. */
struct profile_in profile_fixed(const struct profile_in *in, enum fix f);
/* Time a token before over time a token after. */
double profile_gain(const struct profile_in *in, enum fix f);
/* Time of one pass alone. */
double profile_time(const struct profile_in *in);

/* What real code needs, as a range: large products were seen at 0.50 to 0.85 of the peak, memory at 0.60 to 0.92 of its rate (published
 * measurements of many devices and programs; that a pass lies between the two ends is our assumption). */
#define PROFILE_COMPUTE_LEAST 0.50
#define PROFILE_COMPUTE_MOST 0.85
#define PROFILE_MEMORY_LEAST 0.60
#define PROFILE_MEMORY_MOST 0.92
struct profile_range {
  double least, most; /* s of one pass */
};
struct profile_range profile_estimate(const struct profile_in *in);

/* How many of the operations, the longest first, make up this share of the time; 0 when nothing is known. */
int profile_most(const struct profile *p, double share);

/* Amdahl 1967: what is gained when a share of the time is done so many times faster: 1 / (1 − share + share / faster). */
double profile_amdahl(double share, double faster);

#endif
