/* op_dispatch: what it costs to start the whole team on nothing and wait for it. Every parallel loop pays this once; below some size it is
 * more than the work. */
#include <math.h>
#include <string.h>

#include "kernels/bench.h"

enum { TIMES = 1000, LINE_BYTE = 64 };

/* How often each member was there: a line of memory each, so that they do not wait for one another's. */
struct presence {
  _Alignas(LINE_BYTE) long count;
};

static const char *dispatch_usable(const struct job *j) {
  return j->threads > 1 ? NULL : "a team of one needs no starting: dispatch needs at least 2 threads";
}

static const char *dispatch_setup(struct job *j) {
  j->data = pool_take(j->pool, (size_t)j->threads, sizeof(struct presence));
  j->passes = TIMES;
  return j->data ? NULL : j->pool->why;
}

static void dispatch_reset(struct job *j) { memset(j->data, 0, (size_t)j->threads * sizeof(struct presence)); }

static void dispatch_part(int rank, int of, void *arg) {
  (void)of;
  ((struct presence *)arg)[rank].count++;
}

static void dispatch_run(struct job *j) {
  for (int i = 0; i < (int)j->passes; i++) team_run(j->team, dispatch_part, j->data);
}

/* Everyone came every time. */
static double dispatch_residual(struct job *j, bool full) {
  (void)full;
  const struct presence *p = j->data;
  for (int i = 0; i < j->threads; i++)
    if (p[i].count != j->runs * (long)j->passes) return NAN;
  return 0;
}

const struct kernel kernel_dispatch = {.op = OP_DISPATCH,
                                       .words = "start the team on nothing, and wait for it",
                                       .usable = dispatch_usable,
                                       .setup = dispatch_setup,
                                       .reset = dispatch_reset,
                                       .run = dispatch_run,
                                       .residual = dispatch_residual};
