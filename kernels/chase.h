/* chase: the arrays of the latency kernel, apart so that a test can spoil them: a cycle that falls into two must be refused. */
#ifndef RIDGE_CHASE_H
#define RIDGE_CHASE_H

#include <stddef.h>
#include <stdint.h>

/* place: steps from the start of the cycle. */
struct chase_node {
  _Alignas(64) struct chase_node *next;
  uint64_t place;
};

/* Walkers start evenly spread along the cycle, `apart` steps from one another, and each makes `steps` of them in one pass. */
enum { CHASE_MAX = 8 };
struct chase {
  struct chase_node *node, *start[CHASE_MAX], *end[CHASE_MAX];
  size_t n, apart, steps;
  int chains;
};

#endif
