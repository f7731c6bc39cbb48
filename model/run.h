/* run: what to measure (request) and what came out (run, a fixed-size summary of samples).
 * Pure bookkeeping: no clock, no allocation. Times in s. */
#ifndef RIDGE_RUN_H
#define RIDGE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/dtype.h"
#include "model/work.h"

enum isa { ISA_AUTO, ISA_SCALAR, ISA_SSE2, ISA_AVX2, ISA_AVX512, ISA_NEON, ISA_N };
const char *isa_name(enum isa i);   /* "auto" "scalar" "sse2" "avx2" "avx512" "neon" */
enum isa isa_find(const char *name); /* ISA_N when unknown */

/* The rungs of the matrix-product ladder, one idea each. RUNG_AUTO is the best of ours; RUNG_LIBRARY is a BLAS found at run time. */
enum rung { RUNG_AUTO, RUNG_PLAIN, RUNG_REORDERED, RUNG_TILED, RUNG_VECTORISED, RUNG_ALL_CORES, RUNG_LIBRARY, RUNG_N };
const char *rung_name(enum rung r); /* "auto" "plain" "reordered" "tiled" "vectorised" "all-cores" "library" */
enum rung rung_find(const char *name);

/* What to measure. Two requests are the same measurement when every field that means anything for op is equal. */
struct request {
  enum op op;
  struct shape shape;
  enum dtype dtype;
  enum isa isa;    /* ISA_AUTO: the best this CPU has */
  enum rung rung;  /* matmul only; RUNG_AUTO elsewhere */
  int threads;     /* 0: as many as we may use */
  bool hog;        /* spare cores take memory bandwidth away meanwhile */
  double sustain;  /* s: repeat for so long, whatever the spread, with the clock beside the samples; 0: until the repetitions agree */
};
bool request_equal(const struct request *a, const struct request *b);

enum flag {
  FLAG_DISTURBED = 1, FLAG_THROTTLED = 2, FLAG_SUSPECT = 4, FLAG_TOO_SHORT = 8,
  FLAG_NOT_SEPARABLE = 16, FLAG_FIRST = 32, FLAG_UNPINNED = 64, FLAG_IN_CACHE = 128, FLAG_PARTIAL = 256
};
enum { FLAG_COUNT = 9 };
const char *flag_name(unsigned one_bit); /* "disturbed" "throttled" "suspect" "too short" … */
/* The one that explains most, NULL when there is none: "first" comes last, for it passes by itself. */
const char *flag_first(unsigned flags);

/* One timed repetition, as the measuring child reports it. */
struct sample {
  double time;     /* s, wall, of one execution of the work */
  double flop, byte, byte_bus; /* of one execution: asked for; byte_bus counts write-allocate. Those of the work done. */
  double cpu_time; /* s of CPU over all threads, per execution; NAN unknown */
  double residual; /* against the reference, as a share of the largest accepted; NAN not checked */
  double seed;     /* of the data */
  double at;       /* s from the start of the first warm repetition to the end of this one; NAN unknown */
  double clock_hz; /* the clock just before it, where it was looked at; NAN elsewhere */
  double faults;   /* pages the system had to put in place during one execution; NAN unknown */
  enum isa isa;    /* the one that ran */
  int threads;     /* the number that ran */
  bool warm;       /* false: the first repetition, kept apart */
  unsigned flags;
  char by[48];     /* whose code ran when it was not ours: "OpenBLAS 0.3.21 Haswell"; "" ours */
  double quant_error; /* weights in few bits: outputs against those of the weights before, relative, rms; NAN unknown */
  double busy;        /* a pipeline: share of the time the thread in the device's place was at work, by its own clock; NAN: no pipeline */
  double ready;       /* batches it found ready when it came for one, mean */
  double item_time;   /* s of a worker for an item, of that thread for a step, mean, by the wall */
  double step_time;
  int nparts;         /* work that consists of parts: how many; 0: it is one thing */
  double inside[WORK_PART_MAX], alone[WORK_PART_MAX]; /* s of each where it stands, and again and again alone: medians so far */
};

enum { RUN_FIRST = 16, RUN_RESERVOIR = 64, RUN_BUCKET = 32 };
struct run {
  struct request request;
  char machine[64];
  enum isa isa;        /* what actually ran */
  int threads;
  int count;           /* warm samples seen */
  double flop, byte, byte_bus;
  double warmup_time;  /* the first repetition; NAN none yet */
  double best, median, p95, spread; /* s; spread is a fraction of the median (half the interquartile range); NAN unknown */
  double cpu_time;     /* mean over warm samples; NAN unknown */
  double residual;     /* worst seen */
  double quant_error;  /* the latest told; NAN unknown */
  double busy, ready, item_time, step_time; /* of a pipeline, means over warm samples; NAN unknown */
  unsigned flags;      /* OR over samples; FLAG_FIRST while only the warm-up is in */
  double first[RUN_FIRST];
  double reservoir[RUN_RESERVOIR]; /* uniform sample of all warm times, seeded: the same samples give the same summary */
  double bucket[RUN_BUCKET];       /* mean time in each of 32 equal stretches of the run so far */
  double bucket_at[RUN_BUCKET];    /* s into the run at the end of each; NAN unknown */
  double bucket_clock[RUN_BUCKET]; /* mean clock seen in each, Hz; NAN not looked at */
  int bucket_width;    /* samples in one bucket */
  double warmup_faults, faults;    /* pages put in place in the first repetition, in the mean warm one; NAN unknown */
  uint16_t first_flags[RUN_FIRST], reservoir_flags[RUN_RESERVOIR]; /* of the samples kept */
  uint32_t random;
  char by[48];         /* as in the last sample */
  double seed;         /* of the data of the last sample; NAN unknown */
  int nparts;          /* as in the last sample */
  double inside[WORK_PART_MAX], alone[WORK_PART_MAX];
  char flag_words[96]; /* the names of all flags, ", " between; "" none */
};

/* Start a summary for what and on which machine it runs. */
void run_start(struct run *r, const struct request *what, const char *machine);

/* Take one sample in. Times ≤ 0, NAN or infinite are refused (nothing changes, false). */
bool run_add(struct run *r, const struct sample *s);

struct world;
/* The run that answers what on machine, or NULL. */
const struct run *run_find(const struct world *w, const struct request *what, const char *machine);
/* The same, made at the end of world.run[] (dropping the oldest when full) if there was none. */
struct run *run_open(struct world *w, const struct request *what, const char *machine);

/* The time to draw: the median of the warm samples, else the warm-up; NAN when nothing was measured. */
double run_time(const struct run *r);

/* Quantile q in [0,1] of n values by linear interpolation between order statistics; NAN when n is 0. Sorts v in place. */
double quantile(double *v, int n, double q);

#endif
