/* op_latency: how long one load takes when the next waits for it: a walk around one random cycle of 64-byte nodes. */
#include <math.h>

#include "kernels/bench.h"

struct node {
  _Alignas(64) struct node *next;
  uint64_t place;
}; /* place: steps from the start */
struct latency {
  struct node *node, *start, *end;
  size_t n, steps;
};

static const double GUESS_S = 100e-9; /* of a load from memory */

static const char *latency_usable(const struct job *j) {
  if (j->threads != 1) return "a chain of dependent loads runs on one thread: threads=1";
  return j->request.shape.n <= 0x1p31 ? NULL : "at most 2^31 nodes";
}

static const char *latency_setup(struct job *j) {
  struct latency *l = j->data = pool_take(j->pool, 1, sizeof *l);
  if (!l) return j->pool->why;
  size_t n = (size_t)j->request.shape.n;
  *l = (struct latency){.n = n, .steps = n, .node = pool_take(j->pool, n, sizeof *l->node)};
  uint32_t *order = l->node ? pool_take(j->pool, n, sizeof *order) : NULL;
  if (!order) return j->pool->why;
  /* A random order of all nodes, joined end to start: one cycle, every such cycle as likely as any other, no stride to guess. */
  uint64_t state = j->seed;
  for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
  for (size_t i = n; i > 1; i--) {
    size_t k = (size_t)(random_next(&state) >> 32) * i >> 32;
    uint32_t swap = order[k];
    order[k] = order[i - 1];
    order[i - 1] = swap;
  }
  for (size_t i = 0; i < n; i++) l->node[order[i]] = (struct node){&l->node[order[i + 1 < n ? i + 1 : 0]], i};
  l->start = &l->node[order[0]];
  if ((double)n * GUESS_S > j->budget) {
    j->done.n = fmax(1, floor(j->budget / GUESS_S));
    l->steps = (size_t)j->done.n;
  }
  j->passes = ceil(65536.0 / (double)l->steps);
  return NULL;
}

static void latency_reset(struct job *j) { ((struct latency *)j->data)->end = NULL; }

static void latency_walk(int rank, int of, void *arg) {
  (void)rank, (void)of;
  const struct job *j = arg;
  struct latency *l = j->data;
  struct node *at = l->start;
  for (size_t i = (size_t)j->passes * l->steps; i > 0; i--) {
    at = at->next;
    __asm__ volatile("" : "+r"(at)); /* each step waits for the one before, and none is left out */
  }
  l->end = at;
}

static void latency_run(struct job *j) { team_run(j->team, latency_walk, j); }

/* Every node knows how far from the start it lies, so where the walk ended proves how many steps it made. */
static double latency_residual(struct job *j, bool full) {
  (void)full;
  const struct latency *l = j->data;
  return l->end && l->end->place == (size_t)j->passes * l->steps % l->n ? 0 : NAN;
}

const struct kernel kernel_latency = {.op = OP_LATENCY,
                                      .one_thread = true,
                                      .words = "at = at->next around one random cycle",
                                      .usable = latency_usable,
                                      .setup = latency_setup,
                                      .reset = latency_reset,
                                      .run = latency_run,
                                      .residual = latency_residual};
