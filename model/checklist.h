/* checklist: the six steps of looking for a fault, as a tool: put in what was seen, and it says which faults that leaves and what to look
 * at next. What each fault would show is read from its evidence (evidence.h) by thresholds, so that the tool and the game cannot disagree.
 */
#ifndef RIDGE_CHECKLIST_H
#define RIDGE_CHECKLIST_H

#include "model/evidence.h"

enum sign {
  SIGN_DEVICE, /* step 1: is it there, and does it compute */
  SIGN_MEMORY, /* step 2: how allocated and used memory go */
  SIGN_CLOCKS, /* step 3 */
  SIGN_BUSY,   /* step 4: share of time */
  SIGN_PEAK,   /* step 4: share of the arithmetic peak */
  SIGN_HOST,   /* step 4: what the host does */
  SIGN_COPIES, /* step 5 */
  SIGN_N
};
enum { CHECKLIST_STEPS = 6, SIGN_WORDS = 6 }; /* the sixth step is to decide what to do meanwhile */
const char *checklist_step(int step);         /* 1…6 */
int sign_step(enum sign c);
const char *sign_name(enum sign c); /* at most 12 columns */
int sign_count(enum sign c);        /* answers, the first of them "unasked" */
const char *sign_word(enum sign c, int answer);

/* What one would answer who sees this; healthy: how memory was planned. Never 0. */
int sign_of(enum sign c, const struct evidence *e, const struct evidence *healthy);

/* The faults that show what was put in (seen[c], 0: not asked), as bits. */
uint32_t checklist_left(const struct suspects *s, const int seen[SIGN_N]);
/* The first check not yet asked that would split them; SIGN_N: none does. */
enum sign checklist_next(const struct suspects *s, const int seen[SIGN_N]);

#endif
