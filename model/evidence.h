/* evidence: what probes show of a service, which faults that leaves, and how cheaply the right one could have been found. A look is what
 * one probe shows: some gauges (rig.h) in the last reading; of memory and clocks also at the start and half-way. Two services differ in a
 * look when a gauge of it does, by more than a reader would put down to chance: a twentieth, and for shares 0.03. */
#ifndef RIDGE_EVIDENCE_H
#define RIDGE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fault.h"

/* In the order to take them. */
enum look {
  LOOK_DEVICE,   /* is it listed, is it seen, does it compute */
  LOOK_MEMORY,   /* allocated and used over time */
  LOOK_CLOCKS,   /* clock, heat, power and throughput over time */
  LOOK_HOST,     /* cores, loaders, storage, queue */
  LOOK_COPIES,   /* how many copies a step, how large */
  LOOK_TRACE,    /* one step kernel by kernel: the service stops for it */
  LOOK_REQUESTS, /* how many came, how long, how many at once */
  LOOK_PROVIDER, /* quota, region, notices */
  LOOK_N
};
enum { LOOK_BUDGET = 5 };           /* what one may spend */
const char *look_name(enum look l); /* "device" "memory"…: at most 12 columns */
const char *look_asks(enum look l); /* the question it answers */
int look_cost(enum look l);         /* 1…3 */

const char *gauge_name(enum gauge g); /* "cores busy": at most 15 columns */
const char *gauge_unit(enum gauge g); /* as the number printer takes it; switches "1" */
int gauge_look(enum gauge g);         /* the look that shows it; -1 none is needed */

/* Whether two readings of it differ by more than chance. */
bool gauge_differs(enum gauge g, double a, double b);

enum { EVIDENCE_START, EVIDENCE_HALF, EVIDENCE_LAST, EVIDENCE_TIMES };
struct evidence {
  double t[EVIDENCE_TIMES];
  struct reading at[EVIDENCE_TIMES]; /* the last: at the end, or now */
  double end;                        /* INFINITY: it still runs */
};
void evidence_of(const struct rig *r, struct evidence *out);

/* Whether the two can be told apart by this look; look -1: without any. */
bool evidence_differs(const struct evidence *a, const struct evidence *b, int look);
/* The gauge of that look in which they differ most, in the last reading; GAUGE_N none does. */
enum gauge evidence_gauge(const struct evidence *a, const struct evidence *b, int look);

/* All faults of one healthy service at one severity, and what tells each pair apart: bit l of apart[f][g] is look l; bit LOOK_N: no look is
 * needed. */
struct suspects {
  struct evidence healthy, fault[FAULT_N];
  bool possible[FAULT_N];
  uint16_t apart[FAULT_N][FAULT_N];
};
void suspects_of(const struct rig *healthy, const struct severity *s, struct suspects *out);

/* The looks that tell f from at least one of those that look like it without any, as bits. */
unsigned suspects_tell(const struct suspects *s, enum fault f);
/* The faults that look like f through the looks in `spent` (bit l), as bits; f is one of them. */
uint32_t suspects_left(const struct suspects *s, enum fault f, unsigned spent);
int suspects_count(uint32_t left);
/* The least cost of looks that leave f alone, and which; INFINITY (spent 0) when none do. */
double suspects_least(const struct suspects *s, enum fault f, unsigned *spent);
double looks_cost(unsigned spent);
/* The look-alike that takes most to tell from f: the one that the fewest looks do, among those alike without any; FAULT_N none. */
enum fault suspects_alike(const struct suspects *s, enum fault f);

#endif
