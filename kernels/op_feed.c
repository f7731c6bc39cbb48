/* op_feed: a loader and what it feeds, for real. Workers prepare batches: each item unpacks blocks of 4-bit codes into fp32, as loading
 * compressed data does, for the time asked. A bounded queue takes the batches. One thread stands in for the device and multiplies each
 * batch by rows of weights for the time asked. How much of either work fills its time is found before anything is timed; the work is then
 * the same in every batch, but for the slow items. What is measured: the time from step to step, and how much of it that thread was at
 * work by its own clock, which is right also where threads must share cores. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernels/bench.h"
#include "kernels/lanes.h"
#include "model/feed.h"

enum { BLOCK = 512, BLOCKS = 16, ROWS = 8, STEPS_LEAST = 16, SLOW_MOST = 64 };
static const double SPAN_S = 0.25, CALIBRATE_S = 1e-3, ROUNDING = 1e-4;

/* A batch on its way. */
struct parcel {
  long number; /* from 0, in the order they were begun */
  long block;  /* unpacked for it */
  long sum;    /* of all their codes */
  float value[BLOCK];
};

struct loader {
  const struct lanes_real *lanes;
  struct feed in;
  double deck[FEED_DECK];
  double blocks_item; /* unpacked for an item, mean */
  long passes;        /* over the weights in a step */
  uint8_t code[BLOCKS][BLOCK / 2];
  float weight[ROWS][BLOCK];
  double expected[BLOCKS][ROWS]; /* what a block of each kind gives with each row, plainly */
  long block_sum[BLOCKS];

  pthread_t thread[FEED_WORKERS];
  int workers; /* threads that were started */
  struct parcel *parcel, **free, **ready;
  int nparcel, nfree, nready, first; /* ready: a ring of nparcel places from `first` */
  pthread_mutex_t mutex;             /* over all that follows, and the three above */
  pthread_cond_t full, room;
  bool quit;
  long begun, taken;
  long number_sum; /* of the batches taken */
  double item_s, items;
  /* of the thread that stands in */
  double busy_s, step_s, found, error;
  bool wrong, settled;
};

/* ---- the work ---- */

static long unpack(const uint8_t *code, float *to) {
  long sum = 0;
  for (int i = 0; i < BLOCK / 2; i++) {
    int lo = code[i] & 15, hi = code[i] >> 4;
    to[2 * i] = (float)(lo - 8) * 0.125f;
    to[2 * i + 1] = (float)(hi - 8) * 0.125f;
    sum += lo + hi;
  }
  __asm__ volatile("" : : "r"(to) : "memory"); /* every block is unpacked, though the next one takes its place */
  return sum;
}

static int block_kind(long number, long block) { return (int)((number + block) % BLOCKS); }

static long blocks_of(const struct loader *l, long number) { return (long)fmax(1, round(l->deck[number % FEED_DECK] * l->blocks_item)); }

static void parcel_fill(const struct loader *l, struct parcel *p) {
  long n = blocks_of(l, p->number);
  p->sum = 0;
  for (p->block = 0; p->block < n; p->block++) p->sum += unpack(l->code[block_kind(p->number, p->block)], p->value);
}

static double multiply(const struct loader *l, const float *value, long passes) {
  double sum = 0;
  for (long i = 0; i < passes; i++) sum += l->lanes->dot(value, l->weight[i % ROWS], BLOCK);
  return sum;
}

/* What a batch must hold, and what multiplying it must have given. */
static void parcel_check(struct loader *l, const struct parcel *p, double sum) {
  long n = blocks_of(l, p->number), codes = 0;
  for (int i = 0; i < BLOCKS; i++) codes += l->block_sum[block_kind(p->number, i)] * (n / BLOCKS + (i < n % BLOCKS));
  const double *row = l->expected[block_kind(p->number, n - 1)];
  double expected = 0, size = 0;
  for (int i = 0; i < ROWS; i++) {
    double times = (double)(l->passes / ROWS + (i < l->passes % ROWS));
    expected += times * row[i];
    size += times * BLOCK / 4; /* of a sum of so many products, each a quarter or so */
  }
  l->error = residual_worse(l->error, fabs(sum - expected) / (size * ROUNDING));
  if (p->block != n || p->sum != codes) l->wrong = true;
}

static void step_do(struct loader *l, const struct parcel *p) {
  double cpu = os_thread_time(), start = os_clock();
  double sum = multiply(l, p->value, l->passes);
  l->busy_s += os_thread_time() - cpu;
  l->step_s += os_clock() - start;
  parcel_check(l, p, sum);
}

/* ---- workers and queue ---- */

/* With the mutex. */
static struct parcel *parcel_begin(struct loader *l) {
  struct parcel *p = l->free[--l->nfree]; /* one for every place in the queue and every hand: there is one */
  p->number = l->begun++;
  return p;
}

static void parcel_end(struct loader *l, struct parcel *p) {
  l->taken++;
  l->number_sum += p->number;
  l->free[l->nfree++] = p;
}

static void *worker_run(void *arg) {
  struct loader *l = arg;
  pthread_mutex_lock(&l->mutex);
  while (!l->quit) {
    struct parcel *p = parcel_begin(l);
    pthread_mutex_unlock(&l->mutex);
    double start = os_clock();
    parcel_fill(l, p);
    double took = os_clock() - start;
    pthread_mutex_lock(&l->mutex);
    l->item_s += took;
    l->items += l->in.batch;
    while (l->nready >= (int)l->in.queue && !l->quit) pthread_cond_wait(&l->room, &l->mutex);
    l->ready[(l->first + l->nready++) % l->nparcel] = p;
    pthread_cond_signal(&l->full);
  }
  pthread_mutex_unlock(&l->mutex);
  return NULL;
}

static void step_alone(struct loader *l) {
  struct parcel *p = parcel_begin(l);
  double start = os_clock();
  parcel_fill(l, p);
  l->item_s += os_clock() - start;
  l->items += l->in.batch;
  step_do(l, p);
  parcel_end(l, p);
}

static void step_fed(struct loader *l) {
  pthread_mutex_lock(&l->mutex);
  l->found += l->nready;
  while (l->nready == 0) pthread_cond_wait(&l->full, &l->mutex);
  struct parcel *p = l->ready[l->first];
  l->first = (l->first + 1) % l->nparcel;
  l->nready--;
  pthread_cond_signal(&l->room);
  pthread_mutex_unlock(&l->mutex);
  step_do(l, p);
  pthread_mutex_lock(&l->mutex);
  parcel_end(l, p);
  pthread_mutex_unlock(&l->mutex);
}

static void steps(struct loader *l, long n) {
  for (long i = 0; i < n; i++)
    if (l->in.workers > 0)
      step_fed(l);
    else
      step_alone(l);
}

/* ---- how much work fills the time: by this thread's own clock, which other programs do not hold up ---- */

struct calibration {
  struct loader *loader;
  struct parcel *parcel;
};

static void unpack_times(struct calibration *c, long n) {
  struct parcel *p = c->parcel;
  for (p->block = 0; p->block < n; p->block++) p->sum += unpack(c->loader->code[block_kind(0, p->block)], p->value);
}

static void multiply_times(struct calibration *c, long n) {
  volatile double sum = multiply(c->loader, c->parcel->value, n); /* the sum is asked for */
  (void)sum;
}

/* s that the work takes once: the best of three tries long enough for the clock. Any try may be too short, not the first alone, which may
 * have been long by chance. */
static double time_once(struct calibration *c, void (*work)(struct calibration *, long n)) {
  double best = INFINITY;
  long n = 16;
  for (int tries = 0; tries < 3;) {
    double start = os_thread_time();
    work(c, n);
    double took = os_thread_time() - start;
    if (took < CALIBRATE_S)
      n *= 2;
    else
      best = fmin(best, took / (double)n), tries++;
  }
  return best;
}

static void loader_fill(struct job *j, struct loader *l) {
  uint64_t state = j->seed;
  float value[BLOCK];
  for (int b = 0; b < BLOCKS; b++)
    for (int i = 0; i < BLOCK / 2; i++) l->code[b][i] = (uint8_t)(random_next(&state) >> 56);
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < BLOCK; i++) l->weight[r][i] = (float)((double)(random_next(&state) >> 11) * 0x1p-52 - 1);
  for (int b = 0; b < BLOCKS; b++) {
    l->block_sum[b] = unpack(l->code[b], value);
    for (int r = 0; r < ROWS; r++) {
      l->expected[b][r] = 0;
      for (int i = 0; i < BLOCK; i++) l->expected[b][r] += (double)value[i] * l->weight[r][i];
    }
  }
}

/* ---- the kernel ---- */

static const char *feed_usable(const struct job *j) {
  const struct shape *s = &j->request.shape;
  if (j->request.dtype != DTYPE_FP32) return "feed computes in fp32 only";
  if (s->chain > FEED_WORKERS + 1) return "feed has at most 65 threads: chain=65";
  if (s->k > FEED_QUEUE) return "feed's queue holds at most 1024 batches: k=1024";
  if (s->fma > SLOW_MOST) return "the slowest items take at most 64 times as long: fma=64";
  return NULL;
}

static void feed_close(struct job *j) {
  struct loader *l = j->data;
  pthread_mutex_lock(&l->mutex);
  l->quit = true;
  pthread_cond_broadcast(&l->room);
  pthread_mutex_unlock(&l->mutex);
  for (int i = 0; i < l->workers; i++) pthread_join(l->thread[i], NULL);
  pthread_mutex_destroy(&l->mutex);
  pthread_cond_destroy(&l->full);
  pthread_cond_destroy(&l->room);
}

/* The team of one was pinned to one core, and the workers would inherit that: all may run anywhere, as a loader's threads do. */
static void spread_out(const struct job *j) {
  struct os_mask all = {{0}};
  for (int i = 0; j->cpu && i < j->ncpu; i++) all.word[j->cpu[i] / 64] |= UINT64_C(1) << j->cpu[i] % 64;
  if (j->cpu && j->ncpu > 0) os_mask_set(&all);
}

/* Steps in a run: a quarter of a second of them, or the budget where that is less, or the deck twice; and every worker some turns. */
static double steps_of(const struct job *j, const struct feed *in) {
  struct feed_bound b;
  feed_bound_of(in, &b);
  if (isinf(j->budget)) return STEPS_LEAST;
  double steps = ceil(fmin(SPAN_S, fmax(j->budget, 0.1)) * b.item_per_s / in->batch);
  return fmax(fmin(steps, 2 * FEED_DECK), fmax(STEPS_LEAST / 2, 2 * in->workers));
}

static const char *feed_setup(struct job *j) {
  const struct shape *s = &j->done;
  struct loader *l = pool_take(j->pool, 1, sizeof *l);
  if (!l) return j->pool->why;
  memset(l, 0, sizeof *l);
  l->lanes = job_lanes(j);
  l->in = (struct feed){.workers = s->chain - 1,
                        .item_s = s->n * 1e-6,
                        .slow = s->fma,
                        .storage_byte_per_s = INFINITY,
                        .cores = INFINITY,
                        .queue = s->k,
                        .batch = s->batch,
                        .device_s = s->m * 1e-6};
  l->nparcel = (int)(s->k + s->chain + 1);
  l->parcel = pool_take(j->pool, (size_t)l->nparcel, sizeof *l->parcel);
  l->free = pool_take(j->pool, (size_t)l->nparcel, sizeof *l->free);
  l->ready = pool_take(j->pool, (size_t)l->nparcel, sizeof *l->ready);
  if (!l->parcel || !l->free || !l->ready) return j->pool->why;
  memset(l->parcel, 0, (size_t)l->nparcel * sizeof *l->parcel);
  while (l->nfree < l->nparcel) l->free[l->nfree] = &l->parcel[l->nfree], l->nfree++;
  loader_fill(j, l);
  feed_deck(&l->in, j->seed, l->deck);
  struct calibration c = {l, l->parcel};
  l->blocks_item = l->in.item_s / time_once(&c, unpack_times);
  l->passes = (long)fmax(1, round(l->in.device_s / time_once(&c, multiply_times)));
  j->passes = steps_of(j, &l->in);
  j->one_run = true;
  double unpacked = l->in.batch * fmax(1, l->blocks_item) * BLOCK;
  j->work.flop =
      unpacked + (double)l->passes * (2 * BLOCK - 1); /* of a step: a multiplication for each number unpacked, and the products */
  j->work.byte = j->work.byte_bus = unpacked / 2;
  spread_out(j);
  pthread_mutex_init(&l->mutex, NULL);
  pthread_cond_init(&l->full, NULL);
  pthread_cond_init(&l->room, NULL);
  j->data = l;
  j->close = feed_close;
  for (; l->workers < (int)l->in.workers; l->workers++)
    if (pthread_create(&l->thread[l->workers], NULL, worker_run, l) != 0) return "the system gave no thread for a worker";
  j->threads = (int)s->chain;
  return NULL;
}

/* Until the pipeline is as it will be: at first some rounds of all workers, later what the pause between two samples has changed. */
static void feed_reset(struct job *j) {
  struct loader *l = j->data;
  steps(l, l->settled ? 2 : 2 * (long)l->in.workers + 4);
  l->settled = true;
}

static void feed_run_steps(struct job *j) {
  struct loader *l = j->data;
  pthread_mutex_lock(&l->mutex);
  l->item_s = l->items = 0;
  pthread_mutex_unlock(&l->mutex);
  l->busy_s = l->step_s = l->found = 0;
  double start = os_clock();
  steps(l, (long)j->passes);
  double time = os_clock() - start;
  pthread_mutex_lock(&l->mutex);
  j->pipeline.item_time = l->items > 0 ? l->item_s / l->items : NAN;
  pthread_mutex_unlock(&l->mutex);
  j->pipeline.busy = fmin(1, l->busy_s / time); /* two clocks: their ticks may differ */
  j->pipeline.step_time = l->step_s / j->passes;
  j->pipeline.ready = l->found / j->passes;
}

/* Every batch held what it must and came through once: those taken, waiting and in hand are all that were begun. */
static double feed_residual(struct job *j, bool full) {
  (void)full;
  struct loader *l = j->data;
  pthread_mutex_lock(&l->mutex);
  double sum = (double)l->number_sum, begun = (double)l->begun;
  bool held[1 + FEED_WORKERS + FEED_QUEUE + 2] = {false};
  for (int i = 0; i < l->nfree; i++) held[l->free[i] - l->parcel] = true;
  for (int i = 0; i < l->nparcel; i++)
    if (!held[i]) sum += (double)l->parcel[i].number;
  bool lost = sum != begun * (begun - 1) / 2 || l->taken + l->nparcel - l->nfree != l->begun;
  pthread_mutex_unlock(&l->mutex);
  return l->wrong || lost ? NAN : l->error;
}

const struct kernel kernel_feed = {.op = OP_FEED,
                                   .one_thread = true,
                                   .words = "threads unpack batches into a bounded queue; one thread, in a device's place, multiplies them",
                                   .usable = feed_usable,
                                   .setup = feed_setup,
                                   .reset = feed_reset,
                                   .run = feed_run_steps,
                                   .residual = feed_residual};
