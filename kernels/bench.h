/* bench: the harness that runs kernels honestly: memory through a capped allocator, a warm-up kept apart, repetitions long enough for the
 * clock, every result checked. Lives in the measuring child; talks in lines. */
#ifndef RIDGE_BENCH_H
#define RIDGE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "data/line.h"
#include "kernels/os.h"
#include "model/run.h"

/* Memory for kernels: 64-byte aligned, large pages asked for, refused in words beyond the cap. */
struct pool {
  double cap, used;
  void *block[16];
  size_t size[16];
  int n;
  char why[160];
};
void *pool_take(struct pool *p, size_t count, size_t size); /* NULL: p->why says so; overflow is checked */
void pool_free(struct pool *p);
/* An amount of memory in words, for refusals: "151 million bytes". (Units with prefixes belong to one file of another room.) */
char *byte_words(char out[40], double byte);

/* A team of pinned threads that run the same function at the same time; the caller is rank 0 and pinned too, until team_stop. */
struct team;
struct team *team_start(const int *cpu, int n); /* NULL when a thread could not be made */
void team_run(struct team *t, void (*f)(int rank, int n, void *arg), void *arg);
void team_stop(struct team *t);
int team_unpinned(const struct team *t); /* members that could not be pinned to their CPU */
int team_size(const struct team *t);

struct lanes_real;
struct lanes_narrow;
struct lanes_dot;
struct library;
struct hog;
struct job {                      /* what a kernel works on */
  struct request request;         /* shape complete */
  enum isa isa;                   /* resolved */
  const struct lanes_real *lanes; /* NULL: those of isa and data type; a test puts broken ones here to see the check refuse them */
  int threads;                    /* setup may lower it, for a rung that runs on one */
  const struct lanes_narrow *narrow; /* the same for weights in fewer bits */
  const struct lanes_dot *dot;       /* and for dot products of short types */
  struct { double busy, ready, item_time, step_time; } pipeline; /* of the last run(), as in struct sample; NAN: it is none */
  double quant_error; /* of outputs from stored weights against those from the weights before they were stored, relative, rms; NAN unknown */
  struct team *team;
  const int *cpu;       /* those the threads should run on; NULL where none were chosen */
  int ncpu;             /* all that this process may use, of which the team takes the first */
  struct hog *hog;      /* runs beside the kernel from job_open to job_close; NULL none */
  struct library *blas; /* opened by setup, closed with the job */
  char by[48];          /* whose code it is, when it is not ours */
  struct pool *pool;
  void *data; /* the kernel's own arrays, taken from the pool */
  uint64_t seed;
  struct shape done; /* the shape one run does: the request's, unless setup made it smaller (a slab of rows of a slow rung); the
                        FLOP and bytes of a sample are those of this shape, and a smaller one is flagged partial */
  struct work work;  /* of one run(), for a kernel that counts for itself (peak); NAN flop: that of `done` */
  double budget;     /* s one run() should not much exceed, for rungs that can do a slab; INFINITY: do it all */
  double passes;  /* one run() does the work this many times over, because a small set takes less than the team's barrier: setup may raise
                     it from 1. Times and work are told per pass */
  unsigned flags; /* set by the kernel, carried by every sample */
  double (*clock)(void *arg); /* what samples are timed by: os_info.clock */
  void *clock_arg;
  bool one_run;                /* set by the kernel: a sample is one run(), however short */
  void (*close)(struct job *); /* set by a kernel's setup that started something of its own: called before the team and memory go */
  long runs;                   /* run() calls since the last reset(): for kernels that update in place */
};

/* The share of [0, n) that falls to `rank` of `of`: even, cut at multiples of grain elements. lo == hi where there is none. */
void share_of(size_t n, size_t grain, int rank, int of, size_t *lo, size_t *hi);
/* The same for elements of this job's data type in a 64-byte aligned array: cut at cache lines; job_array's first touch uses this cut. */
void job_share(const struct job *j, size_t n, int rank, size_t *lo, size_t *hi);
/* The type its arrays hold and it computes in: fp64 or fp32, whatever the weights are stored as. */
enum dtype job_real(const struct job *j);
/* n elements of the job's real data type from the pool, random and uniform in [lo, hi), first touched by the worker whose share (job_share)
 * they are. `stream` tells a kernel's arrays apart. NULL: j->pool->why says so. */
void *job_array(struct job *j, size_t n, double lo, double hi, int stream);
/* p[0..n) gets elements first, first + 1… of such an array again: for checks, and for reset() of a kernel that overwrites its input. */
void job_fill(const struct job *j, void *p, size_t first, size_t n, double lo, double hi, int stream);
/* The same with other loops than the job's own. */
void job_fill_by(const struct job *j, const struct lanes_real *by, void *p, size_t first, size_t n, double lo, double hi, int stream);
/* The next of a sequence of evenly spread random numbers, for picking what to check. */
uint64_t random_next(uint64_t *state);
/* Unit roundoff of the job's real data type: 2^-53 or 2^-24. */
double job_eps(const struct job *j);
/* The larger of two residuals, where NAN is larger than everything and stays. */
double residual_worse(double worst, double error);
/* The job's inner loops. */
const struct lanes_real *job_lanes(const struct job *j);

struct kernel {
  enum op op;
  bool one_thread;                             /* by its nature: threads left open means 1 */
  const char *words;                           /* the formula */
  const char *(*usable)(const struct job *);   /* NULL: yes; else why not, in words */
  const char *(*setup)(struct job *);          /* arrays, random data; NULL: fine */
  void (*reset)(struct job *);                 /* before every repetition, untimed; may be NULL */
  void (*run)(struct job *);                   /* the only timed part */
  void (*parts)(struct job *, struct sample *); /* between samples: times what run() consists of; NULL: it is one thing */
  double (*residual)(struct job *, bool full); /* largest error against a plain reference as a share of the largest accepted for the data
                                                  type; > 1 or NAN fails. full: all outputs; else a seeded sample */
};
extern const struct kernel *const kernel_table[];
extern const int kernel_count;
const struct kernel *kernel_find(enum op op);

/* Which instruction sets this CPU and its system can run; best last is what ISA_AUTO becomes. The chooser takes the CPUID words so that
 * it can be tested: leaf 1 ecx and edx, leaf 7 ebx, xcr0; for dot products leaf 7 ecx and leaf 7.1 eax. */
struct cpuid_words {
  uint32_t leaf1_ecx, leaf1_edx, leaf7_ebx;
  uint64_t xcr0;
  bool x86, arm_neon;
  uint32_t leaf7_ecx, leaf7_1_eax;
  bool arm_dot, arm_bf16;
};
bool isa_usable(enum isa isa, const struct cpuid_words *w);
/* Whether it can also multiply and add short elements (bf16, int8) by the instructions of body_dot.h. */
bool dot_usable(enum isa isa, enum dtype t, const struct cpuid_words *w);
struct cpuid_words isa_cpuid(void);
enum isa isa_best(void);

/* Run one request and report every step through say (return false there to stop): start, perhaps progress, the warm-up sample at once, one
 * sample a repetition, result; or refused. Repetitions go on until the spread of at least 8 is under 1 %, `reps` are done (0: no such end)
 * or `seconds` (0: 10) have gone. quick: for a slider: does not settle the clock first, and slow rungs do small slabs. machine: NULL reads
 * it. root: where the system's files are; NULL or "" the real ones. Returns 0, or 1 when refused. */
struct bench_options {
  double seconds;
  bool quick;
  unsigned parts; /* the probe: enum probe_part bits; 0: all that the pass has */
  bool thorough;  /* the probe: everything there is to know of the machine, at most about 30 s, instead of what is drawn, about 3 s */
  int reps;
  uint64_t seed;
  const char *machine;
  const char *root;
  double (*clock)(void *arg); /* NULL: the system's; a test times by another */
  void *clock_arg;
};
int bench_run(const struct request *r, const struct bench_options *o, bool (*say)(const struct line *, void *), void *arg);

/* Measure the machine itself: compute roofs first, then memory, as figure lines, each as soon as it is known; at most about 3 s, thorough
 * about 30 s. Returns 0, or 1 when nothing could be measured. */
int probe_run(const struct bench_options *o, bool (*say)(const struct line *, void *), void *arg);
/* What a pass is made of, in its order; the last two only in a thorough one, or when asked for by name. */
enum probe_part { PROBE_ARITHMETIC = 1, PROBE_MEMORY = 2, PROBE_LEVELS = 4, PROBE_STAIRCASE = 8, PROBE_SUSTAINED = 16 };
enum { PROBE_PARTS = 5 };
const char *probe_part_name(int i); /* of bit i: "arithmetic" "memory" "levels" "staircase" "sustained" */
/* Names this machine: host and CPU, fit for a file name. */
void machine_name(char out[64], const char *root);

#endif
