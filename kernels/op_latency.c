/* op_latency: how long one load takes when the next waits for it: a walk around one random cycle of 64-byte nodes. With several chains the
 * cycle is shared out: each is walked by itself, and what one waits for does not hold up the others. */
#include <math.h>

#include "kernels/bench.h"
#include "kernels/chase.h"

static const double GUESS_S = 100e-9; /* of a load from memory */
enum { CHECKED_MAX = 1 << 23 };

static const char *latency_usable(const struct job *j) {
  double chains = j->request.shape.chain;
  if (j->threads != 1) return "a chain of dependent loads runs on one thread: threads=1";
  if (chains != 1 && chains != 2 && chains != 4 && chains != CHASE_MAX) return "chain is 1, 2, 4 or 8: each takes a register";
  if (j->request.shape.n < chains) return "at least one node a chain";
  return j->request.shape.n <= 0x1p31 ? NULL : "at most 2^31 nodes";
}

/* A random order of all nodes, joined end to start: one cycle, every such cycle as likely as any other (Sattolo), no stride to guess. */
static bool cycle_make(struct job *j, struct chase *c) {
  uint32_t *order = pool_take(j->pool, c->n, sizeof *order);
  if (!order) return false;
  uint64_t state = j->seed;
  for (size_t i = 0; i < c->n; i++) order[i] = (uint32_t)i;
  for (size_t i = c->n; i > 1; i--) {
    size_t k = (size_t)(random_next(&state) >> 32) * i >> 32;
    uint32_t swap = order[k];
    order[k] = order[i - 1];
    order[i - 1] = swap;
  }
  for (size_t i = 0; i < c->n; i++) c->node[order[i]] = (struct chase_node){&c->node[order[i + 1 < c->n ? i + 1 : 0]], i};
  for (int i = 0; i < c->chains; i++) c->start[i] = &c->node[order[(size_t)i * c->apart]];
  return true;
}

static const char *latency_setup(struct job *j) {
  struct chase *c = j->data = pool_take(j->pool, 1, sizeof *c);
  if (!c) return j->pool->why;
  size_t n = (size_t)j->request.shape.n, chains = (size_t)j->request.shape.chain;
  *c = (struct chase){.n = n, .chains = (int)chains, .apart = n / chains, .steps = n / chains};
  if (!(c->node = pool_take(j->pool, n, sizeof *c->node)) || !cycle_make(j, c)) return j->pool->why;
  if ((double)c->steps * GUESS_S > j->budget) {
    c->steps = (size_t)fmax(1, floor(j->budget / GUESS_S));
    j->done.n = (double)(c->steps * chains);
  }
  double byte = 64.0 * (double)(c->steps * chains); /* nodes that do not come out even between the chains are left alone */
  j->work = (struct work){0, byte, byte};
  j->passes = ceil(65536.0 / (double)(c->steps * chains));
  return NULL;
}

static void latency_reset(struct job *j) {
  struct chase *c = j->data;
  for (int i = 0; i < c->chains; i++) c->end[i] = NULL;
}

/* Each step waits for the one before in its own chain, and none is left out: the compiler must take every pointer for changed. */
#define WALK(name, chains)                                                                                                                 \
  static void name(struct chase *c, size_t steps) {                                                                                        \
    struct chase_node *at[chains];                                                                                                         \
    _Pragma("GCC unroll 8") for (int k = 0; k < chains; k++) at[k] = c->start[k];                                                          \
    for (; steps > 0; steps--) {                                                                                                           \
      _Pragma("GCC unroll 8") for (int k = 0; k < chains; k++) {                                                                           \
        at[k] = at[k]->next;                                                                                                               \
        __asm__ volatile("" : "+r"(at[k]));                                                                                                \
      }                                                                                                                                    \
    }                                                                                                                                      \
    _Pragma("GCC unroll 8") for (int k = 0; k < chains; k++) c->end[k] = at[k];                                                            \
  }
WALK(walk_1, 1)
WALK(walk_2, 2)
WALK(walk_4, 4)
WALK(walk_8, 8)

static void latency_walk(int rank, int of, void *arg) {
  (void)rank, (void)of;
  const struct job *j = arg;
  struct chase *c = j->data;
  size_t steps = (size_t)j->passes * c->steps;
  (c->chains == 1 ? walk_1 : c->chains == 2 ? walk_2 : c->chains == 4 ? walk_4 : walk_8)(c, steps);
}

static void latency_run(struct job *j) { team_run(j->team, latency_walk, j); }

/* Every node knows how far from the start it lies. Where each walk ended proves how many steps it made, if there is one cycle; and as
 * every node's next lies one step on, modulo n, any cycle is n long, so there is one. Of very many nodes, every so-manieth is looked at. */
static double latency_residual(struct job *j, bool full) {
  const struct chase *c = j->data;
  size_t by = full || c->n <= CHECKED_MAX ? 1 : c->n / CHECKED_MAX + 1;
  for (size_t i = 0; i < c->n; i += by)
    if (c->node[i].next->place != (c->node[i].place + 1) % c->n) return NAN;
  for (int i = 0; i < c->chains; i++)
    if (!c->end[i] || c->end[i]->place != (c->start[i]->place + (size_t)j->passes * c->steps) % c->n) return NAN;
  return 0;
}

const struct kernel kernel_latency = {.op = OP_LATENCY,
                                      .one_thread = true,
                                      .words = "at = at->next around one random cycle, chain walks at a time",
                                      .usable = latency_usable,
                                      .setup = latency_setup,
                                      .reset = latency_reset,
                                      .run = latency_run,
                                      .residual = latency_residual};
