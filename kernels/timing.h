/* timing: one job from request to samples, for the bench and the probe alike. Times in s. */
#ifndef RIDGE_TIMING_H
#define RIDGE_TIMING_H

#include "kernels/bench.h"

/* A sample should last this long, or 20 ticks of a coarse clock, else it is marked too short. */
#define TIMING_SAMPLE_S 3e-3

/* The part of job_open that takes nothing: shape, instruction set, threads, and whether the kernel can do it at all. */
bool job_resolve(struct job *j, const struct kernel *k, const struct request *r, const struct os_info *os, char why[256]);
/* Fill *j for kernel k: instruction set, threads, team, arrays. pool must have its cap. False: why says so in words, and nothing is left to
 * close. */
bool job_open(struct job *j, const struct kernel *k, const struct request *r, const struct os_info *os, struct pool *pool, double budget,
              uint64_t seed, char why[256]);
void job_close(struct job *j); /* stops the team, frees the pool */

/* reset, then `inner` runs in one timed region from the first start to the last end; all figures per pass. */
struct sample job_sample(struct job *j, const struct kernel *k, long inner, double tick);
/* How many runs make a sample long enough, when one took time_of_run. */
long job_inner(double time_of_run, double tick);

/* The clock as a core counts it: dependent integer additions, one a cycle, for about s seconds; Hz. */
double clock_measure(double s);
/* Keeps every member of the team busy for s seconds, so that the clock has settled. */
void clock_settle(struct team *t, double s);

/* The rate of two fused multiply-add pipes of this width on one core, FLOP/s: what a peak is held against. */
double peak_expected(const struct lanes_real *l, double clock_hz);

#endif
