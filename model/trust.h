/* trust: how far a measured figure of this machine can be trusted: what stands behind each, so that no roof is a bare number. Pure
 * bookkeeping; figures are told apart by name, data type, instruction set, level and threads. */
#ifndef RIDGE_TRUST_H
#define RIDGE_TRUST_H

#include <stdbool.h>

#include "model/run.h"

enum { TRUST_MAX = 96 };
struct trust {
  char name[20]; /* as in the figure lines: "peak", "read", "level_rate"… */
  enum dtype dtype;
  enum isa isa;   /* ISA_AUTO where it does not matter */
  int level;      /* -1 none */
  int threads;    /* that ran */
  int samples;    /* kept */
  bool thorough;  /* measured in a thorough pass */
  bool is_median; /* of its samples; else the best of them */
  double value;   /* the figure itself: byte/s, FLOP/s, s, Hz by its name */
  double spread;  /* half the interquartile range over the median; NAN unknown */
  double seed;    /* of the data; NAN unknown */
  unsigned flags;
};

struct machine;
/* Takes t in, in place of what was known of the same figure. False when there is no room: it is left out. */
bool trust_put(struct machine *m, const struct trust *t);
/* What is known of a figure, NULL when nothing. ISA_AUTO, level -1 and threads 0 stand for any; of several, the last taken in. */
const struct trust *trust_find(const struct machine *m, const char *name, enum isa isa, enum dtype t, int threads, int level);

#endif
