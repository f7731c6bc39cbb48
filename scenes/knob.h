/* knob: everything a person can change, one row each, shared by all scenes: the batch chosen in one scene is still chosen in the next, and
 * one line of key=value words reproduces any screen. */
#ifndef RIDGE_KNOB_H
#define RIDGE_KNOB_H

#include <stdbool.h>

#include "model/world.h"

enum knob_id {
  KNOB_DEVICE, KNOB_COMPARE, KNOB_OP, KNOB_DTYPE, KNOB_MATH, KNOB_N_SIZE, KNOB_M, KNOB_K, KNOB_FMA, KNOB_CHAIN, KNOB_TILE, KNOB_LENGTH, KNOB_SEQUENCE, KNOB_AGAINST, KNOB_BATCH, KNOB_ISA, KNOB_THREADS,
  KNOB_HOG, KNOB_RUNG, KNOB_PEAK, KNOB_BANDWIDTH, KNOB_FLOP, KNOB_BYTE, KNOB_TIME,
  KNOB_MODEL, KNOB_PARAMS, KNOB_KV_DTYPE, KNOB_CONTEXT, KNOB_KV, KNOB_ACTIVATIONS, KNOB_WIDTH, KNOB_DEADLINE,
  KNOB_WORKING_SET, KNOB_STRIDE, KNOB_CHAINS,
  KNOB_HOST_RATE, KNOB_DEVICE_RATE, KNOB_LINK, KNOB_LINK_RATE, KNOB_COPY_COST, KNOB_LAUNCH_COST, KNOB_RESIDENT, KNOB_REUSE, KNOB_PIECES,
  KNOB_OVERLAP, KNOB_PINNED, KNOB_UNIFIED, KNOB_RATES,
  KNOB_DEVICES, KNOB_USE, KNOB_RECIPE,
  KNOB_FAMILY, KNOB_SORT, KNOB_REVERSE, KNOB_ALL, KNOB_ADVERTISED, KNOB_SIDE, /* the catalogue: which devices, in which order, how */
  KNOB_PEEL_SPARSITY, KNOB_PEEL_PRECISION, KNOB_PEEL_OPERATION, KNOB_PEEL_USE, KNOB_UTILISATION,
  KNOB_CORES, KNOB_UNITS, KNOB_LANES, KNOB_CLOCK,
  KNOB_INTENSITY, KNOB_NEED, KNOB_SPECIAL, KNOB_SECOND_BANDWIDTH,
  KNOB_FORMAT, KNOB_VALUE, KNOB_BIT, KNOB_FLIPS, KNOB_SATURATE, KNOB_TERM, KNOB_TERMS, KNOB_ACCUMULATOR, KNOB_GRADIENT, KNOB_LOSS_SCALE,
  KNOB_RANGE, KNOB_OUTLIER, KNOB_GRAIN, KNOB_GROUP, KNOB_STORED, KNOB_BITS, KNOB_STEP_COST,
  KNOB_SPLIT, /* how several devices share a model */
  KNOB_PREPARE, KNOB_WORKERS, KNOB_ITEM_COST, KNOB_DEVICE_STEP, KNOB_QUEUE, KNOB_SLOW, KNOB_ITEM_BYTE, KNOB_STORAGE_RATE, /* the pipeline of the host */
  KNOB_RECORD, KNOB_INPUT, KNOB_OUTPUT, KNOB_THROUGHPUT, KNOB_FIRST_P50, KNOB_FIRST_P95, KNOB_TOKEN_P50, KNOB_TOKEN_P95, /* a benchmark's record */
  KNOB_ALLOCATED, KNOB_USED, KNOB_BUSY, KNOB_POWER, KNOB_HOURLY, KNOB_BESIDE, KNOB_API, KNOB_API_INPUT,
  KNOB_REQUESTS, KNOB_SERVICE, KNOB_VARIETY, KNOB_SERVERS, KNOB_ONE_QUEUE, KNOB_CLIENTS, KNOB_SIMULATED, KNOB_SEED, /* a service that is asked */
  KNOB_EMBED_PARAMS, KNOB_EMBED_TOKENS, KNOB_EMBED_RATE, KNOB_EMBED_SERVERS, KNOB_EMBED_BUDGET, KNOB_CHUNKS, KNOB_CHUNK_TOKENS, /* cases */
  KNOB_REINDEX_WITHIN, KNOB_REINDEX_EVERY, KNOB_HIRE, KNOB_HOST_MEMORY, KNOB_HOST_BANDWIDTH, KNOB_PRICE_RATIO,
  KNOB_TUNE_PARAMS, KNOB_TUNE_TOKENS, KNOB_TUNE_WITHIN, KNOB_TUNE_USE, KNOB_TUNE_STEP, KNOB_JAX, KNOB_GOOGLE,
  KNOB_TICKET_PARAMS, KNOB_TICKET_TOKENS, KNOB_TICKET_RATE, KNOB_TICKET_BUDGET, KNOB_TICKET_SERVERS,
  KNOB_EDGE_PARAMS, KNOB_EDGE_DTYPE, KNOB_EDGE_ROOM, KNOB_EDGE_RATE, KNOB_EDGE_OPS, KNOB_FALLBACKS, KNOB_NPU_OP, KNOB_CPU_OP, KNOB_CROSSING,
  KNOB_SUSTAINED, KNOB_NPU_POWER, KNOB_CPU_POWER, KNOB_BATTERY, KNOB_LIFE, KNOB_OFFLINE, KNOB_NETWORK,
  KNOB_PART, KNOB_ACCELERATED, KNOB_PART_TIME, KNOB_ANSWER_WITHIN,
  KNOB_ANSWER, KNOB_SURE, /* what one believes is broken */
  KNOB_PROBE_DEVICE, KNOB_PROBE_MEMORY, KNOB_PROBE_CLOCKS, KNOB_PROBE_HOST, KNOB_PROBE_COPIES, KNOB_PROBE_TRACE, KNOB_PROBE_REQUESTS,
  KNOB_PROBE_PROVIDER,    /* spent, in the order of enum look */
  KNOB_SEE_DEVICE, KNOB_SEE_MEMORY, KNOB_SEE_CLOCKS, KNOB_SEE_BUSY, KNOB_SEE_PEAK, KNOB_SEE_HOST, KNOB_SEE_COPIES, /* as enum sign */
  KNOB_PHASE, KNOB_FIX, KNOB_OPERATION, KNOB_FASTER, KNOB_SHARE, KNOB_FUSED, KNOB_MASKED, KNOB_LINE_USE, KNOB_UPDATE, KNOB_RECOMPUTE, /* layers */
  KNOB_VIEW,    /* which of a scene's views: see scene.views */
  KNOB_SECONDS,
  KNOB_SAMPLES, KNOB_PICK, /* points of other programs; the one picked out, 0 all */
  KNOB_WHY,     /* hidden: on shows what was checked about the point */
  KNOB_DETAIL,  /* hidden: 1 first things, 2 all, 3 formulas */
  KNOB_GUESS,   /* hidden: the learner's guess for the first measured fact; NAN none */
  KNOB_GUESSING,/* hidden: on hides the measured value until a guess is in */
  KNOB_N
};

enum knob_kind { KNOB_LINEAR, KNOB_LOG2, KNOB_CHOICE, KNOB_SWITCH, KNOB_TEXT };

/* Knobs that hold words keep them in setup.text; their v is 0 always. */
enum knob_slot { SLOT_SAMPLES, SLOT_FLIPS, SLOT_RECORD, SLOT_ACCELERATED, KNOB_TEXT_N };
enum { KNOB_TEXT_MAX = 128 }; /* bytes, with the NUL */

enum choice {
  CHOICE_NONE, CHOICE_DEVICE, CHOICE_COMPARE /* "none", then devices */, CHOICE_MODEL, CHOICE_OP, CHOICE_DTYPE,
  CHOICE_MATH /* "auto", then dtypes */, CHOICE_ISA, CHOICE_RUNG, CHOICE_LINK, CHOICE_RESIDENT, CHOICE_RATES, CHOICE_USE, CHOICE_RECIPE,
  CHOICE_FAMILY /* "all", then families */, CHOICE_SORT, CHOICE_SIDE, CHOICE_SPECIAL,
  CHOICE_FORMAT, CHOICE_ACCUMULATOR /* "same", then formats */, CHOICE_GRAIN, CHOICE_STORED,
  CHOICE_ANSWER /* "none", then faults */,
  CHOICE_SEE_DEVICE, CHOICE_SEE_MEMORY, CHOICE_SEE_CLOCKS, CHOICE_SEE_BUSY, CHOICE_SEE_PEAK, CHOICE_SEE_HOST, CHOICE_SEE_COPIES,
  CHOICE_PHASE, CHOICE_FIX,
  CHOICE_PREPARE, CHOICE_SPLIT,
  CHOICE_VIEW /* of all scenes: each has some of them */
};

/* The views there are. One knob turns them in every scene, so that its word is always view=…; a scene lists its own, and a view of another
 * scene counts as its first. */
enum view_id {
  VIEW_FIRST, VIEW_SPREAD, VIEW_ASYNC, VIEW_SUSTAINED, VIEW_SMALL, /* lab */
  VIEW_LEVELS, VIEW_STAIRCASE, VIEW_STRIDE, VIEW_CHAINS,           /* hierarchy */
  VIEW_TILE, VIEW_FUSION, VIEW_ATTENTION,                          /* reuse */
  VIEW_TABLE, VIEW_PLOT, VIEW_BALANCE, VIEW_CARD, VIEW_PEAK, VIEW_CPU, VIEW_TWINS, VIEW_CHOOSE, /* machines */
  VIEW_STORAGE, VIEW_BITS, VIEW_LINE, VIEW_SUM, VIEW_GRADIENTS, VIEW_SCALE, /* precision */
  VIEW_WORKERS, VIEW_QUEUE, VIEW_ITEMS, VIEW_LANES,                         /* feed */
  VIEW_TRIP, VIEW_DEVICES,                                                  /* offload */
  VIEW_RECORD, VIEW_COST, VIEW_ARRIVAL,                                    /* lab, too */
  VIEW_EMBEDDING, VIEW_FINETUNE, VIEW_CLASSIFIER, VIEW_EDGE, VIEW_SUMMARY, VIEW_PLACEMENT, /* cases */
  VIEW_GAME, VIEW_CHECKLIST, VIEW_FAULTS,                                   /* diagnose */
  VIEW_LIST, VIEW_POINTS, VIEW_COUNT, VIEW_FIX, VIEW_GROW, VIEW_CONV, VIEW_BLOCK, /* layers */
  VIEW_N
};
const char *view_name(enum view_id v);

/* What the host of a pipeline prepares for the device; each gives start values to the knobs about it. */
enum prepare { PREPARE_IMAGES, PREPARE_TEXT, PREPARE_REQUESTS, PREPARE_N };

/* What a device's card shows where there is no room for all of it. */
enum side { SIDE_FIGURES, SIDE_WORDS, SIDE_SOURCES, SIDE_N };

struct knob {
  const char *key, *label, *unit; /* unit as in tui/number.h */
  enum knob_kind kind;
  double lo, hi;
  double start;                   /* NAN: follows something else until set (the scene's resolve gives the value) */
  enum choice list;
  bool hidden, whole;             /* whole: only whole numbers */
  double step;                    /* KNOB_LINEAR: one arrow; KNOB_LOG2 goes to the next power of two */
  const char *help;               /* one or two sentences for `?` */
  enum knob_slot slot;            /* KNOB_TEXT: its place in setup.text */
};
extern const struct knob knob_table[KNOB_N];

struct setup { double v[KNOB_N]; bool set[KNOB_N]; char text[KNOB_TEXT_N][KNOB_TEXT_MAX]; };

/* The words a KNOB_TEXT holds; "" when it is not set. */
const char *knob_text(const struct setup *s, int knob);

int choice_count(const struct world *w, enum choice list);
const char *choice_key(const struct world *w, enum choice list, int i); /* the word in key=value */
int choice_find(const struct world *w, enum choice list, const char *key); /* -1 unknown */
int knob_find(const char *key); /* -1 unknown */

/* v as the knob may hold it: whole, in range; NAN becomes lo unless the knob may follow (start NAN), where it stays NAN. */
double knob_clamp(const struct world *w, int knob, double v);
/* The next value one (coarse: eight) step up (+1) or down (-1). */
double knob_step(const struct world *w, int knob, double v, int direction, bool coarse);

/* Host link presets for KNOB_LINK: bytes/s per direction; the first is "custom" (link_rate rules). */
double link_preset_rate(int i);
const char *link_preset_name(int i);
int link_preset_count(void);

#endif
