/* operand: the arrays of an operation's kernel and which of its outputs are checked. Outputs that will be checked are spoilt (NAN) before
 * every repetition: one that the kernel did not write cannot pass for a result. */
#ifndef RIDGE_OPERAND_H
#define RIDGE_OPERAND_H

#include "kernels/bench.h"
#include "kernels/lanes.h"
#include "kernels/reference.h"

/* NULL for fp32 and fp64; else why not. */
const char *operand_usable(const struct job *j);

/* count elements, random in [-1, 1), or NULL with j->pool->why; counts beyond what an index can hold are refused. */
void *operand_take(struct job *j, double count, int stream);
/* The same for arrays that need no values: scratch room, one part of `count` elements for each of `parts`, each on cache lines of its own.
 * The part of rank r starts at operand_part. */
void *operand_room(struct job *j, double count, int parts);
void *operand_part(const struct job *j, void *room, size_t count, int rank);
/* A zeroed struct from the pool. */
void *operand_data(struct job *j, size_t size);

/* Address of element i. */
void *operand_at(const struct job *j, void *p, size_t i);
const void *operand_from(const struct job *j, const void *p, size_t i);

/* The outputs to check, of `count`: all, or at most `most` (up to 256): the first, the last, both sides of every cut between workers as far
 * as there is room, then seeded ones. The same job gives the same ones. */
struct picks {
  size_t count, n, at[256];
  bool all;
};
struct picks picks_of(const struct job *j, size_t count, size_t most, bool all);
static inline size_t pick(const struct picks *p, size_t i) { return p->all ? i : p->at[i]; }

/* Spoils rows of `width` elements out of `rows`: all when there are few elements, else those that picks_of(j, rows, most, false) names. */
void operand_spoil(const struct job *j, void *p, size_t rows, size_t width, size_t most);

#endif
