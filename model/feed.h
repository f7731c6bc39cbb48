/* feed: who waits for whom between the host that prepares data and the device that uses them. Loader workers each read a whole batch from
 * storage and prepare it on a core, and put it into a queue that holds so many batches; the device takes one a step. A closed form bounds
 * the rate (the slowest of what they can do alone); a seeded simulation, event by event, says what comes of it when some items take longer
 * than others. Times in s, rates in items/s, shares in [0, 1]. The shape of the model is ours: one reader at a time has all of the storage;
 * workers that are more than the cores share them evenly, as an operating system sees to; whole batches, as most loaders work. */
#ifndef RIDGE_FEED_H
#define RIDGE_FEED_H

#include <stdbool.h>
#include <stdint.h>

enum { FEED_WORKERS = 64, FEED_QUEUE = 1024 }; /* the most of each that the simulation has room for */
enum { FEED_DECK = 256 };                      /* different batches; after so many they come again */

struct feed {
  double workers; /* whole, 0 … FEED_WORKERS; 0: the program that drives the device prepares each batch itself, between two steps */
  double item_s;  /* one core's time to prepare one item, in the mean */
  double slow;    /* one item in ten takes `slow` (≥ 1) times as long as the others; the mean stays; 1: all alike */
  double item_byte, storage_byte_per_s; /* what an item is on storage, and its rate; 0 bytes or an INFINITY: never in the way */
  double cores;                         /* that the workers may use, ≥ 1; INFINITY: enough */
  double queue;                         /* batches that may stand ready, whole, 1 … FEED_QUEUE */
  double batch;                         /* items a step, whole, ≥ 1 */
  double device_s;                      /* of one step when the device has all it needs */
  bool on_core;                         /* a thread stands in for the device: it needs a core like the workers */
};

/* What keeps the rate where it is. A device that is as slow as something else counts as the limit: then nobody can help it. */
enum feed_limit { FEED_DEVICE, FEED_WORKER, FEED_STORAGE, FEED_CORES, FEED_LIMITS };
const char *feed_limit_name(enum feed_limit l); /* "device" "workers" "storage" "cores" */

/* The closed form. It is exact where all items are alike, an upper bound otherwise. NAN inputs give NAN where they are used. */
struct feed_bound {
  double read_s;            /* item_byte / storage_byte_per_s: an item's time on storage */
  double batch_s;           /* batch · (read_s + item_s): one worker's time for a batch when nobody is in its way */
  double rate[FEED_LIMITS]; /* what each could do alone. device: batch / device_s; workers: workers · batch / batch_s, without workers
                               batch / (batch_s + device_s); storage: 1 / read_s; cores: cores / item_s, and on_core
                               cores / (item_s + device_s / batch) */
  double item_per_s;        /* the least of them */
  double busy;              /* item_per_s · device_s / batch: share of the time the device computes */
  enum feed_limit limit;
  double workers_exact;     /* batch_s / device_s: workers that just feed the device */
  double workers_needed;    /* the next whole number; NAN: storage or cores cannot feed it, whatever the number of workers */
  double workers_useful;    /* the smallest number beyond which another brings nothing, at least 1 */
  double item_cv, batch_cv; /* standard deviation over mean of the time to prepare an item, a batch */
};
void feed_bound_of(const struct feed *in, struct feed_bound *out);

/* ---- the simulation ---- */

enum feed_doing {
  FEED_READING,  /* worker: from storage */
  FEED_QUEUEING, /* worker: behind another at the storage */
  FEED_WORKING,  /* worker: preparing; device: computing */
  FEED_BLOCKED,  /* worker: its batch is ready and the queue full (without workers: the device is at work) */
  FEED_STARVED,  /* device: no batch is ready */
  FEED_DOINGS
};

struct feed_state {
  double t;
  enum feed_doing worker[FEED_WORKERS], device;
  double left[FEED_WORKERS], device_left; /* s of work until it is done with it; on shared cores that takes longer */
  long since[FEED_WORKERS];               /* order in which workers began to wait: who came first goes first */
  int ready;                              /* batches in the queue */
  long begun, made, done, turn;           /* batches begun, prepared, used up; the next place in a waiting order */
  double busy_s, starved_s, step_s;       /* device: work done, time without a batch, time with one under way (longer on shared cores) */
  double ready_s, core_s;                 /* ∫ ready dt; cores' time used by workers and a device on a core */
  double worker_s[FEED_DOINGS];           /* time of all workers together, by what they did */
  double deck[FEED_DECK];                 /* see feed_deck */
};
/* What batches need of a core, in item_s, in the order they are begun; then they come again. */
void feed_deck(const struct feed *in, uint64_t seed, double deck[FEED_DECK]);
/* Everything idle at t = 0, then the first batches begun. Inputs must be known and in range. */
void feed_start(const struct feed *in, uint64_t seed, struct feed_state *s);
/* To the next event, or to `until` if that comes first. Steps of any size lead to the same states. */
void feed_step(const struct feed *in, struct feed_state *s, double until);
/* What things look like at t. */
void feed_at(const struct feed *in, uint64_t seed, double t, struct feed_state *s);

/* A long run once it has settled: FEED_DECK steps, or, where all items are alike, as many whole rounds of the workers. */
struct feed_seen {
  double item_per_s, busy, starved; /* busy = item_per_s · device_s / batch; busy + starved = 1, less on shared cores */
  double ready;                     /* batches in the queue, mean over time */
  double worker[FEED_DOINGS];       /* shares of the workers' time; they add to 1 */
  double core;                      /* cores in use, mean */
  double step_s;                    /* from one step's start to its end, mean: longer than device_s only on shared cores */
  double steps;
};
/* All NAN when an input is unknown or out of range. */
void feed_run(const struct feed *in, uint64_t seed, struct feed_seen *out);

#endif
