#include "kernels/hog.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/lanes.h"

/* Both halves together are far more than the caches hold; small enough steps that a hog asked to stop does so at once. */
static const double LEAST_BYTE = 64e6, CACHES = 2;
enum { STEP = 1 << 16, LINE_BYTE = 64 }; /* elements of fp32 */

struct eater {
  struct hog *hog;
  pthread_t thread;
  int cpu;
  float *from, *to;
  _Alignas(LINE_BYTE) atomic_ullong steps;
};

struct hog {
  const struct lanes_real *lanes;
  size_t half; /* elements, whole steps */
  int n;
  atomic_int ready;
  atomic_bool stop;
  struct eater eater[];
};

int hog_cores(const struct os_info *os, int threads) {
  int most = os->ncore;
  if (os->quota_cpu > 0 && floor(os->quota_cpu) < most) most = (int)floor(os->quota_cpu);
  return most > threads ? most - threads : 0;
}

static void *eater_run(void *arg) {
  struct eater *e = arg;
  struct hog *h = e->hog;
  os_pin(e->cpu);
  for (size_t i = 0; i < h->half; i++) e->from[i] = 1, e->to[i] = 0; /* its own memory, touched from here */
  atomic_fetch_add(&h->ready, 1);
  for (size_t at = 0; !atomic_load_explicit(&h->stop, memory_order_relaxed); at = at + STEP < h->half ? at + STEP : 0) {
    h->lanes->copy(e->to + at, e->from + at, STEP);
    atomic_fetch_add_explicit(&e->steps, 1, memory_order_relaxed);
  }
  return NULL;
}

struct hog *hog_start(const struct os_info *os, int threads, struct pool *pool, char why[256]) {
  int n = hog_cores(os, threads);
  if (n == 0) {
    int most = hog_cores(os, 0);
    if (most > 1)
      snprintf(why, 256, "the hog needs a core: threads=%d leaves it one", most - 1); /* short: it must fit a line of 80 with the keys */
    else
      snprintf(why, 256, "the hog needs a core of its own; there is only one");
    return NULL;
  }
  double cache = os->last_cache_byte > 0 ? os->last_cache_byte : LEAST_BYTE, each = fmax(CACHES * cache, LEAST_BYTE) / n / 2;
  size_t half = (size_t)ceil(each / (STEP * sizeof(float))) * STEP;
  float *memory = pool_take(pool, (size_t)n * 2, half * sizeof(float));
  if (!memory) {
    snprintf(why, 256, "the hog: %s", pool->why);
    return NULL;
  }
  struct hog *h = aligned_alloc(LINE_BYTE, (sizeof *h + (size_t)n * sizeof *h->eater + LINE_BYTE - 1) / LINE_BYTE * LINE_BYTE);
  if (!h) {
    snprintf(why, 256, "out of memory");
    return NULL;
  }
  h->lanes = lanes_for(isa_best(), DTYPE_FP32);
  h->half = half;
  h->n = 0;
  atomic_init(&h->ready, 0);
  atomic_init(&h->stop, false);
  for (int i = 0; i < n; i++) {
    struct eater *e = &h->eater[i];
    e->hog = h;
    e->cpu = os->cpu[threads + i];
    e->from = memory + (size_t)i * 2 * half;
    e->to = e->from + half;
    atomic_init(&e->steps, 0);
    if (pthread_create(&e->thread, NULL, eater_run, e) != 0) {
      hog_stop(h);
      snprintf(why, 256, "the system gave no thread for the hog");
      return NULL;
    }
    h->n = i + 1;
  }
  while (atomic_load(&h->ready) < n) os_sleep(1e-3);
  return h;
}

double hog_cpu_time(const struct hog *h) {
  double sum = 0;
  for (int i = 0; h && i < h->n; i++) {
    clockid_t id;
    struct timespec t;
    if (pthread_getcpuclockid(h->eater[i].thread, &id) == 0 && clock_gettime(id, &t) == 0)
      sum += (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  }
  return sum;
}

double hog_byte(const struct hog *h) {
  double sum = 0;
  for (int i = 0; h && i < h->n; i++) sum += 2 * sizeof(float) * STEP * (double)atomic_load(&((struct hog *)(uintptr_t)h)->eater[i].steps);
  return sum;
}

void hog_stop(struct hog *h) {
  if (!h) return;
  atomic_store(&h->stop, true);
  for (int i = 0; i < h->n; i++) pthread_join(h->eater[i].thread, NULL);
  free(h);
}
