/* hierarchy_facts: the facts of the hierarchy scene by index, for the files that fill them in. */
#ifndef RIDGE_HIERARCHY_FACTS_H
#define RIDGE_HIERARCHY_FACTS_H

#include "scenes/scene.h"

enum hierarchy_fact_id {
  F_WORKING_SET,
  F_LEVEL,
  F_LEVEL_BYTE,
  F_LEVEL_RATE,
  F_LATENCY,
  F_READ_TIME,
  F_NEXT,
  F_NEXT_RATIO,
  F_NEXT_RATE,
  F_SET_LATENCY,
  F_CACHE_SHARE,
  F_SEPARABLE,
  F_IN_FLIGHT,
  F_STRIDE,
  F_USEFUL,
  F_ASKED_RATE,
  F_LOAD_RATE,
  F_CHAINS,
  F_CHAIN_RATE,
  F_CHAIN_LIMIT,
  F_CHAINS_TO_FILL,
  F_MEASURED_RATE,
  F_MEASURED_RATIO,
  F_MEASURED_TIME,
  F_SPREAD,
  F_COUNT,
  F_STAIR_RATE,
  F_STAIR_ONE,
  F_PLATEAU_KNEE,
  F_PLATEAU_STEP,
  F_PLATEAU,
  F_PLATEAU_RATE,
  F_BUS_RATE,
  F_LAYOUT_LOSS,
  F_CONTIGUOUS_RATE,
  F_CHAIN_GAIN,
  F_FILL,
  F_DECLARED,
  F_DECLARED_FROM,
  F_KNEE,
  F_MEMORY_RATE,
  F_MEMORY_BYTE,
  F_MEMORY_SWEEP,
  F_MEMORY_READ_TIME,
  F_FLOP_PER_BYTE,
  F_LEVEL_FLOP_PER_BYTE,
  F_HOST_FLOP_PER_BYTE,
  F_MATRIX_N,
  F_HOST_LINK,
  F_HOST_RATE,
  F_HOST_BOTH,
  F_HOST_TIME,
  F_PEER_LINK,
  F_PEER_RATE,
  F_PEER_BOTH,
  F_MEMORY_OVER_HOST,
  F_MEMORY_OVER_PEER,
  F_PEER_OVER_HOST,
  F_HEADLINE_OVER_HOST,
  F_MEMORY_OVER_HEADLINE,
  F_SPEED_LEAST,
  F_SPEED_MOST,
  F_SIZE_LEAST,
  F_SIZE_MOST,
  F_CLAIM,
  F_PROVENANCE,
  F_VIEW,
  F_STATE,
  F_FLAGS,
  F_NOTE,
  F_N
};

enum { IN_LEVELS = 1, IN_STAIR = 2, IN_STRIDE = 4, IN_CHAINS = 8 }; /* bit i: the scene's view i */
/* A fact, and the views in which it stands on the first screen; in the others it comes with the details. */
struct hierarchy_fact {
  unsigned first;
  struct fact fact;
};
extern const struct hierarchy_fact hierarchy_fact_table[F_N];

/* What the working set meets, for hierarchy_access.c: the device, the level that serves (-1 none). */
struct device;
void hierarchy_access_facts(const struct world *w, const struct setup *s, const struct device *d, int level, struct fact f[F_N]);

#endif
