/* team: threads that meet at every run. The caller is rank 0. Between runs the others spin for a moment, so that the next run starts within
 * a microsecond, and then sleep, so that an idle team costs nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "kernels/bench.h"

static const double SPIN_S = 200e-6;

struct worker {
  struct team *team;
  pthread_t thread;
  int rank, cpu;
};

struct team {
  int n;
  void (*f)(int, int, void *); /* written before `round` grows, read after it was seen to: the release and acquire order them */
  void *arg;
  bool quit;
  atomic_uint round;
  atomic_int left, sleepers, unpinned;
  atomic_bool caller_sleeps;
  pthread_mutex_t mutex;
  pthread_cond_t go, done;
  struct os_mask mask; /* the caller's own, given back at the end */
  bool has_mask;
  struct worker worker[]; /* [n]; [0] is not used */
};

static void round_wait(struct team *t, unsigned seen) {
  double until = os_clock() + SPIN_S;
  for (int i = 1; atomic_load_explicit(&t->round, memory_order_acquire) == seen; i++) {
    os_relax();
    if (i % 64 || os_clock() < until) continue;
    /* Announce the sleep before the last look: whoever starts a round after that look sees the announcement and wakes us. */
    pthread_mutex_lock(&t->mutex);
    atomic_fetch_add(&t->sleepers, 1);
    while (atomic_load(&t->round) == seen) pthread_cond_wait(&t->go, &t->mutex);
    atomic_fetch_sub(&t->sleepers, 1);
    pthread_mutex_unlock(&t->mutex);
    return;
  }
}

static void *worker_run(void *arg) {
  struct worker *w = arg;
  struct team *t = w->team;
  unsigned seen = 0;
  if (!os_pin(w->cpu)) atomic_fetch_add(&t->unpinned, 1);
  for (;;) {
    round_wait(t, seen);
    seen++;
    if (t->quit) return NULL;
    t->f(w->rank, t->n, t->arg);
    if (atomic_fetch_sub(&t->left, 1) != 1 || !atomic_load(&t->caller_sleeps)) continue;
    pthread_mutex_lock(&t->mutex);
    pthread_cond_signal(&t->done);
    pthread_mutex_unlock(&t->mutex);
  }
}

static void round_start(struct team *t) {
  atomic_fetch_add(&t->round, 1);
  if (atomic_load(&t->sleepers) == 0) return;
  pthread_mutex_lock(&t->mutex);
  pthread_cond_broadcast(&t->go);
  pthread_mutex_unlock(&t->mutex);
}

void team_run(struct team *t, void (*f)(int rank, int n, void *arg), void *arg) {
  if (t->n == 1) {
    f(0, 1, arg);
    return;
  }
  t->f = f;
  t->arg = arg;
  atomic_store(&t->left, t->n - 1);
  round_start(t);
  f(0, t->n, arg);
  double until = os_clock() + SPIN_S;
  for (int i = 1; atomic_load_explicit(&t->left, memory_order_acquire) > 0; i++) {
    os_relax();
    if (i % 64 || os_clock() < until) continue;
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->caller_sleeps, true);
    while (atomic_load(&t->left) > 0) pthread_cond_wait(&t->done, &t->mutex);
    atomic_store(&t->caller_sleeps, false);
    pthread_mutex_unlock(&t->mutex);
    break;
  }
}

static void nothing(int rank, int n, void *arg) { (void)rank, (void)n, (void)arg; }

struct team *team_start(const int *cpu, int n) {
  if (n < 1) n = 1;
  struct team *t = calloc(1, sizeof *t + (size_t)n * sizeof *t->worker);
  if (!t) return NULL;
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->go, NULL);
  pthread_cond_init(&t->done, NULL);
  t->n = 1;
  t->has_mask = os_mask_get(&t->mask);
  for (int i = 1; i < n; i++) {
    t->worker[i] = (struct worker){.team = t, .rank = i, .cpu = cpu[i]};
    if (pthread_create(&t->worker[i].thread, NULL, worker_run, &t->worker[i]) != 0) {
      team_stop(t);
      return NULL;
    }
    t->n = i + 1;
  }
  if (!os_pin(cpu[0])) atomic_fetch_add(&t->unpinned, 1);
  team_run(t, nothing, NULL); /* everyone is pinned and awake when this comes back */
  return t;
}

void team_stop(struct team *t) {
  if (!t) return;
  if (t->n > 1) {
    t->quit = true;
    round_start(t);
    for (int i = 1; i < t->n; i++) pthread_join(t->worker[i].thread, NULL);
  }
  if (t->has_mask) os_mask_set(&t->mask);
  pthread_mutex_destroy(&t->mutex);
  pthread_cond_destroy(&t->go);
  pthread_cond_destroy(&t->done);
  free(t);
}

int team_unpinned(const struct team *t) { return atomic_load(&((struct team *)(uintptr_t)t)->unpinned); }

int team_size(const struct team *t) { return t->n; }
