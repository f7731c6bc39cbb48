/* checklist: the six steps of looking for a fault, as a tool: put in what was seen, and it says which faults that leaves and what to look
 * at next. What each fault would show is read from its evidence (evidence.h) by thresholds, so that the tool and the game cannot disagree.
 */
#ifndef RIDGE_CHECKLIST_H
#define RIDGE_CHECKLIST_H

#include "model/evidence.h"

enum check {
  CHECK_DEVICE, /* step 1: is it there, and does it compute */
  CHECK_MEMORY, /* step 2: how allocated and used memory go */
  CHECK_CLOCKS, /* step 3 */
  CHECK_BUSY,   /* step 4: share of time */
  CHECK_PEAK,   /* step 4: share of the arithmetic peak */
  CHECK_HOST,   /* step 4: what the host does */
  CHECK_COPIES, /* step 5 */
  CHECK_N
};
enum { STEP_N = 6, CHECK_WORDS = 6 }; /* the sixth step is to decide what to do meanwhile */
const char *step_name(int step);      /* 1…6 */
int check_step(enum check c);
const char *check_name(enum check c); /* at most 12 columns */
int check_count(enum check c);        /* answers, the first of them "unasked" */
const char *check_word(enum check c, int answer);

/* What one would answer who sees this; healthy: how memory was planned. Never 0. */
int check_sign(enum check c, const struct evidence *e, const struct evidence *healthy);

/* The faults that show what was put in (seen[c], 0: not asked), as bits. */
uint32_t checklist_left(const struct suspects *s, const int seen[CHECK_N]);
/* The first check not yet asked that would split them; CHECK_N: none does. */
enum check checklist_next(const struct suspects *s, const int seen[CHECK_N]);

#endif
