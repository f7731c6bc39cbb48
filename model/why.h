/* why: what explains where a point stands against its roof. First what can lift a point above a roof or make it wrong, in the order to
 * check (a cache, another precision or unit, the clock, the count, disturbance); then the time between roof and point, split into what was
 * measured or counted, and a rest that is not explained. A roofline has no launch and no latency term, so there is always a rest. Pure;
 * units SI. */
#ifndef RIDGE_WHY_H
#define RIDGE_WHY_H

#include <stdbool.h>

#include "model/run.h"
#include "model/world.h"

enum why_check {
  WHY_LEVEL, /* value: bytes it works on (a run), else bytes/s it asks for. bound: bytes the level holds, else bytes/s it gives. word: level
              */
  WHY_PRECISION, /* value: the roof of the instructions that ran, bound: that on show, FLOP/s. word: the instruction set or data type meant
                  */
  WHY_CLOCK,     /* value: how much faster the arithmetic can be than its roof was measured; bound: what that leaves to explain */
  WHY_COUNT,     /* value: FLOP of the run, bound: by formula */
  WHY_DISTURBED, /* value: spread, bound: the roof's spread; flags: of the run, roof_flags: of its roof */
  WHY_THREADS,   /* the split starts here. value: threads that ran, bound: of the roof */
  WHY_ISA,       /* value: the roof of the instructions that ran, FLOP/s. word: the set */
  WHY_STORES,    /* value: bytes on the bus, bound: bytes asked for */
  WHY_DISPATCH,  /* value: s to start the team once */
  WHY_IDLE,      /* value: share of the cores' time in use */
  WHY_SPREAD,    /* value: the best repetition, s */
  WHY_OVERLAP, /* value: s with arithmetic and traffic one after the other, bound: s with both at once. Never measured, so it takes nothing
                  away */
  WHY_REST,    /* what is left */
  WHY_N
};
const char *why_title(enum why_check c); /* "memory level", "precision", "clock"… */

enum why_verdict {
  WHY_FINE,    /* checked: explains nothing */
  WHY_CAUSE,   /* checked: explains it, or its share of the gap */
  WHY_MAYBE,   /* could; not measured */
  WHY_UNKNOWN, /* cannot be checked: something is not known */
  WHY_VERDICTS
};
const char *why_verdict_name(enum why_verdict v); /* "no" "yes" "perhaps" "not known" */

struct why {
  enum why_check check;
  enum why_verdict verdict;
  double value, bound; /* as told at each check; NAN not known */
  double s, share;     /* of the gap, for the parts of the split; NAN elsewhere */
  const char *word;    /* NULL none; points into the input or a constant */
  unsigned flags, roof_flags;
};

struct why_input {
  const struct device *device;                 /* whose roofs */
  const struct run *run;                       /* NULL: a point of another program, or typed in */
  const struct trust *peak_trust, *rate_trust; /* what stands behind the two roofs; NULL not known */
  enum op op;
  struct shape shape;                     /* as asked */
  enum dtype dtype, math;                 /* stored in; of the roof */
  enum isa isa;                           /* asked for */
  double flop, byte, byte_bus, s, spread; /* of one execution; byte_bus NAN not known */
  double peak, byte_per_s;                /* the roofs on show */
  int level;                              /* of device.level[], whose rate byte_per_s is; -1 not known */
  double dispatch_s;                      /* to start the team once; NAN not measured */
  bool reads_only;                        /* as for ladder_rate */
  bool estimate;                          /* flop and byte are estimates */
};

double why_dispatch(const struct world *w, int threads); /* s to start a team of so many, as measured here; NAN not measured */
/* The run of r on this machine against this machine's own roofs, as any scene shows it. False, and s NAN, when there is none. */
bool why_of(const struct world *w, const struct request *r, struct why_input *in);

/* s_roof = max(flop / peak, byte / byte_per_s); ratio = s_roof / s: above 1 the point stands above its roof. NAN where a figure is unknown.
 */
double why_ratio(const struct why_input *in);
enum { WHY_MAX = WHY_N };
/* Findings in the order above; the parts of the split only where the point stands more than 2 % below its roof. Parts add up to the gap
 * with the rest, each cut to what the ones before left. 0 when there is no point or no roof. */
int why_list(const struct why_input *in, struct why out[WHY_MAX]);
/* The finding that explains most: above the roof the first cause, else the first perhaps, else the rest; below it the largest part. NULL
 * when the point stands at its roof (±2 %) or n is 0. */
const struct why *why_main(const struct why_input *in, const struct why *list, int n);

#endif
