/* support_kernel: a job with memory and a team, ready for a kernel, without the harness around it. */
#ifndef RIDGE_SUPPORT_KERNEL_H
#define RIDGE_SUPPORT_KERNEL_H

#include "kernels/bench.h"
#include "kernels/lanes.h"

struct bed {
  struct job job;
  struct pool pool;
  const struct kernel *kernel;
};

/* Sets the kernel up for what r asks. lanes: loops to use instead, or NULL. Fails the test when it is refused. */
void bed_start(struct bed *b, const struct request *r, const struct lanes_real *lanes);
/* reset, then run `runs` times, then the residual. */
double bed_residual(struct bed *b, int runs, bool full);
void bed_free(struct bed *b);

/* A shape with every field given. */
struct shape shape_of(double n, double m, double k, double batch);
/* The instruction sets this CPU runs and this build has, ISA_N-terminated. */
const enum isa *isas_here(void);

#endif
