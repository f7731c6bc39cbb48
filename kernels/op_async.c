/* op_async: the commonest mistake in timing a device. Work is handed to a pool of threads that stands in for one; handing over returns at
 * once. `async` stops the clock there, as a program does that forgets to wait: its time is that of the hand-over, its rate is fiction, and
 * its samples say `suspect`. `async_wait` stops it when the work is done. The work is the dial's, so the two differ in nothing else. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "kernels/bench.h"

extern const struct kernel kernel_dial;

struct standin {
  struct job work; /* the dial's, on the same team: the driver is its rank 0 while work is under way, the caller at all other times */
  pthread_t driver;
  pthread_mutex_t mutex;
  pthread_cond_t go, done;
  long asked, finished; /* submissions; under the mutex */
  bool quit;
};

static void *driver_run(void *arg) {
  struct standin *d = arg;
  os_stand_back(); /* or it would take its core from the very thread that hands over work to it, and handing over would not return */
  pthread_mutex_lock(&d->mutex);
  for (;;) {
    while (d->asked == d->finished && !d->quit) pthread_cond_wait(&d->go, &d->mutex);
    if (d->asked == d->finished) break;
    pthread_mutex_unlock(&d->mutex);
    kernel_dial.run(&d->work);
    pthread_mutex_lock(&d->mutex);
    d->finished++;
    pthread_cond_signal(&d->done);
  }
  pthread_mutex_unlock(&d->mutex);
  return NULL;
}

static void standin_submit(struct standin *d) {
  pthread_mutex_lock(&d->mutex);
  d->asked++;
  pthread_cond_signal(&d->go);
  pthread_mutex_unlock(&d->mutex);
}

static void standin_wait(struct standin *d) {
  pthread_mutex_lock(&d->mutex);
  while (d->finished < d->asked) pthread_cond_wait(&d->done, &d->mutex);
  pthread_mutex_unlock(&d->mutex);
}

static void standin_close(struct job *j) {
  struct standin *d = j->data;
  pthread_mutex_lock(&d->mutex);
  d->quit = true;
  pthread_cond_signal(&d->go);
  pthread_mutex_unlock(&d->mutex);
  pthread_join(d->driver, NULL);
  pthread_mutex_destroy(&d->mutex);
  pthread_cond_destroy(&d->go);
  pthread_cond_destroy(&d->done);
}

static const char *async_usable(const struct job *j) {
  struct job work = *j;
  work.request.op = OP_DIAL;
  return kernel_dial.usable(&work);
}

static const char *async_setup(struct job *j) {
  struct standin *d = pool_take(j->pool, 1, sizeof *d);
  if (!d) return j->pool->why;
  memset(d, 0, sizeof *d);
  d->work = *j;
  d->work.request.op = OP_DIAL;
  const char *why = kernel_dial.setup(&d->work);
  if (why) return why;
  d->work.passes = 1; /* one submission is one piece of work */
  pthread_mutex_init(&d->mutex, NULL);
  pthread_cond_init(&d->go, NULL);
  pthread_cond_init(&d->done, NULL);
  if (pthread_create(&d->driver, NULL, driver_run, d) != 0) return "the system gave no thread to stand in for a device";
  j->data = d;
  j->close = standin_close;
  j->one_run = j->request.op == OP_ASYNC; /* many submissions in a row would only fill the queue */
  if (j->request.op == OP_ASYNC) j->flags |= FLAG_SUSPECT;
  return NULL;
}

/* The device is idle when the clock starts; what the sample before left running is waited for here, untimed. */
static void async_reset(struct job *j) {
  struct standin *d = j->data;
  standin_wait(d);
  kernel_dial.reset(&d->work);
}

static void async_run(struct job *j) { standin_submit(j->data); }

static void async_wait_run(struct job *j) {
  standin_submit(j->data);
  standin_wait(j->data);
}

static double async_residual(struct job *j, bool full) {
  struct standin *d = j->data;
  standin_wait(d);
  return kernel_dial.residual(&d->work, full);
}

const struct kernel kernel_async = {.op = OP_ASYNC,
                                    .words = "hand the dial's work to threads that stand in for a device; do not wait",
                                    .usable = async_usable,
                                    .setup = async_setup,
                                    .reset = async_reset,
                                    .run = async_run,
                                    .residual = async_residual};
const struct kernel kernel_async_wait = {.op = OP_ASYNC_WAIT,
                                         .words = "hand the dial's work to threads that stand in for a device; wait for it",
                                         .usable = async_usable,
                                         .setup = async_setup,
                                         .reset = async_reset,
                                         .run = async_wait_run,
                                         .residual = async_residual};
