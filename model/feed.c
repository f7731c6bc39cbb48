#include "model/feed.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static const double SLOW_SHARE = 0.1; /* of all items */

const char *feed_limit_name(enum feed_limit l) {
  static const char *const name[FEED_LIMITS] = {"device", "workers", "storage", "cores"};
  return name[l];
}

static double read_time(const struct feed *in) { return in->item_byte == 0 ? 0 : in->item_byte / in->storage_byte_per_s; }

/* A hair above a whole number is that number: 0.07 / 0.01 is 7.000000000000001. */
static double whole_up(double v) { return ceil(v * (1 - 1e-12)); }

void feed_bound_of(const struct feed *in, struct feed_bound *out) {
  double p = SLOW_SHARE, step_item = in->device_s / in->batch;
  out->read_s = read_time(in);
  out->batch_s = in->batch * (out->read_s + in->item_s);
  out->rate[FEED_DEVICE] = in->batch / in->device_s;
  out->rate[FEED_WORKER] = in->workers == 0 ? in->batch / (out->batch_s + in->device_s) : in->workers * in->batch / out->batch_s;
  out->rate[FEED_STORAGE] = 1 / out->read_s;
  out->rate[FEED_CORES] = in->cores / (in->item_s + (in->on_core ? step_item : 0));
  out->limit = FEED_DEVICE;
  out->item_per_s = out->rate[FEED_DEVICE];
  for (int i = 1; i < FEED_LIMITS; i++) {
    if (isnan(out->rate[i])) out->item_per_s = NAN;
    if (out->rate[i] < out->item_per_s * (1 - 1e-9)) out->limit = (enum feed_limit)i, out->item_per_s = out->rate[i];
  }
  out->busy = out->item_per_s * step_item;
  double others = fmin(out->rate[FEED_STORAGE], out->rate[FEED_CORES]), device = out->rate[FEED_DEVICE];
  out->workers_exact = out->batch_s / in->device_s;
  out->workers_needed = others < device * (1 - 1e-9) ? NAN : whole_up(out->workers_exact);
  out->workers_useful = fmax(1, whole_up(fmin(others, device) * out->batch_s / in->batch));
  out->item_cv = sqrt(p * (1 - p)) * (in->slow - 1) / (1 - p + p * in->slow);
  out->batch_cv = out->item_cv * (in->item_s > 0 ? in->item_s / (out->read_s + in->item_s) : 0) / sqrt(in->batch);
}

/* ---- how long the batches take: a deck of FEED_DECK, dealt round and round ---- */

static double uniform(uint64_t *state) { /* splitmix64 (Steele, Lea, Flood 2014); in (0, 1) */
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

/* Slow items in a batch, at FEED_DECK evenly spaced quantiles of the binomial distribution: few cards stand for all batches, and a round of
 * them has the right mean and spread, which as many independent draws would not. Large batches: the normal one is as good. */
static void deck_quantiles(double batch, double slow[FEED_DECK]) {
  double p = SLOW_SHARE, wide = sqrt(batch * p * (1 - p)), k = 0, mass, below;
  bool normal = batch > 512;
  if (normal) k = floor(fmax(0, batch * p - 6 * wide));
  mass = normal ? 0 : pow(1 - p, batch);
  below = mass;
  for (int i = 0; i < FEED_DECK; i++) {
    double share = (i + 0.5) / FEED_DECK;
    while (below < share && k < batch) {
      k++;
      mass *= (batch - k + 1) / k * p / (1 - p);
      below = normal ? 0.5 * erfc(-(k + 0.5 - batch * p) / (wide * sqrt(2))) : below + mass;
    }
    slow[i] = k;
  }
}

void feed_deck(const struct feed *in, uint64_t seed, double deck[FEED_DECK]) {
  uint64_t state = seed;
  double sum = 0;
  if (in->slow > 1) deck_quantiles(in->batch, deck);
  for (int i = 0; i < FEED_DECK; i++) {
    deck[i] = in->slow > 1 ? in->batch + deck[i] * (in->slow - 1) : in->batch;
    sum += deck[i];
  }
  for (int i = FEED_DECK - 1; i >= 0 && in->slow > 1; i--) { /* Fisher and Yates, and the mean to the last digit */
    int j = (int)(uniform(&state) * (i + 1));
    double card = deck[j] * (FEED_DECK * in->batch / sum);
    deck[j] = deck[i];
    deck[i] = card;
  }
}

/* ---- events ---- */

static int worker_count(const struct feed *in) { return in->workers == 0 ? 1 : (int)in->workers; }

static bool storage_free(const struct feed *in, const struct feed_state *s) {
  for (int i = 0; i < worker_count(in); i++)
    if (s->worker[i] == FEED_READING) return false;
  return true;
}

static void worker_prepare(const struct feed *in, struct feed_state *s, int i) {
  s->worker[i] = FEED_WORKING;
  s->left[i] = in->item_s * s->deck[s->begun++ % FEED_DECK];
}

static void worker_read(const struct feed *in, struct feed_state *s, int i) {
  s->worker[i] = FEED_READING;
  s->left[i] = in->batch * read_time(in);
}

static void worker_wait(struct feed_state *s, int i, enum feed_doing what) {
  s->worker[i] = what;
  s->left[i] = INFINITY;
  s->since[i] = s->turn++;
}

static void worker_begin(const struct feed *in, struct feed_state *s, int i) {
  if (read_time(in) == 0)
    worker_prepare(in, s, i);
  else if (storage_free(in, s))
    worker_read(in, s, i);
  else
    worker_wait(s, i, FEED_QUEUEING);
}

/* Of those that wait so, who came first; -1 none. */
static int worker_first(const struct feed *in, const struct feed_state *s, enum feed_doing what) {
  int first = -1;
  for (int i = 0; i < worker_count(in); i++)
    if (s->worker[i] == what && (first < 0 || s->since[i] < s->since[first])) first = i;
  return first;
}

/* The device takes a batch if it can; a place in the queue that this frees goes to whoever has waited longest. */
static void device_take(const struct feed *in, struct feed_state *s) {
  if (s->device != FEED_STARVED || s->ready == 0) return;
  s->ready--;
  s->device = FEED_WORKING;
  s->device_left = in->device_s;
  int first = in->workers == 0 ? -1 : worker_first(in, s, FEED_BLOCKED);
  if (first < 0) return;
  s->ready++;
  worker_begin(in, s, first);
}

static void worker_done(const struct feed *in, struct feed_state *s, int i) {
  s->made++;
  if (in->workers == 0) { /* on with the step, and no next batch before it is over */
    worker_wait(s, i, FEED_BLOCKED);
    s->ready++;
  } else if (s->ready < (int)in->queue) {
    s->ready++;
    worker_begin(in, s, i);
  } else
    worker_wait(s, i, FEED_BLOCKED);
  device_take(in, s);
}

static void device_done(const struct feed *in, struct feed_state *s) {
  s->done++;
  s->device = FEED_STARVED;
  s->device_left = INFINITY;
  if (in->workers == 0) worker_begin(in, s, 0);
  device_take(in, s);
}

void feed_start(const struct feed *in, uint64_t seed, struct feed_state *s) {
  assert(in->workers >= 0 && in->workers <= FEED_WORKERS && in->queue >= 1 && in->queue <= FEED_QUEUE && in->batch >= 1);
  *s = (struct feed_state){.device = FEED_STARVED, .device_left = INFINITY};
  feed_deck(in, seed, s->deck);
  for (int i = 0; i < worker_count(in); i++) worker_wait(s, i, FEED_QUEUEING); /* or those not begun yet would count as readers */
  for (int i = 0; i < worker_count(in); i++) worker_begin(in, s, i);
}

static bool device_needs_core(const struct feed *in, const struct feed_state *s) { return in->on_core && s->device == FEED_WORKING; }

void feed_step(const struct feed *in, struct feed_state *s, double until) {
  int n = worker_count(in), doing[FEED_DOINGS] = {0};
  double least = 1e-12 * (in->batch * (read_time(in) + in->item_s) + in->device_s), first[FEED_DOINGS];
  for (int d = 0; d < FEED_DOINGS; d++) first[d] = INFINITY;
  for (int i = 0; i < n; i++) {
    doing[s->worker[i]]++;
    if (s->left[i] < first[s->worker[i]]) first[s->worker[i]] = s->left[i];
  }
  int running = doing[FEED_WORKING] + device_needs_core(in, s);
  double speed = running > in->cores ? in->cores / running : 1, device_speed = in->on_core ? speed : 1;
  double next = fmin(fmin(first[FEED_READING], first[FEED_WORKING] / speed), s->device_left / device_speed);
  double dt = fmax(0, fmin(next, until - s->t));

  s->t += dt;
  s->ready_s += s->ready * dt;
  s->core_s += fmin(running, in->cores) * dt;
  for (int d = 0; d < FEED_DOINGS; d++) s->worker_s[d] += doing[d] * dt;
  if (s->device == FEED_WORKING) {
    s->device_left -= dt * device_speed;
    s->busy_s += dt * device_speed;
    s->step_s += dt;
  } else
    s->starved_s += dt;
  for (int i = 0; i < n; i++) s->left[i] -= dt * (s->worker[i] == FEED_WORKING ? speed : 1);

  if (s->device == FEED_WORKING && s->device_left <= least) device_done(in, s);
  for (int i = 0; i < n; i++) {
    if (s->left[i] > least) continue;
    if (s->worker[i] == FEED_READING) {
      worker_prepare(in, s, i); /* before the next one reads, or the storage would not be free */
      int waiting = worker_first(in, s, FEED_QUEUEING);
      if (waiting >= 0) worker_read(in, s, waiting);
    } else if (s->worker[i] == FEED_WORKING)
      worker_done(in, s, i);
  }
}

void feed_at(const struct feed *in, uint64_t seed, double t, struct feed_state *s) {
  feed_start(in, seed, s);
  while (s->t < t) feed_step(in, s, t);
}

static bool in_range(const struct feed *in) {
  double read = read_time(in);
  return in->workers >= 0 && in->workers <= FEED_WORKERS && in->queue >= 1 && in->queue <= FEED_QUEUE && in->batch >= 1 && in->slow >= 1 &&
         in->item_s >= 0 && isfinite(in->item_s) && in->device_s > 0 && isfinite(in->device_s) && in->cores >= 1 && read >= 0 &&
         isfinite(read);
}

static void run_until(const struct feed *in, struct feed_state *s, long done) {
  while (s->done < done) feed_step(in, s, INFINITY);
}

void feed_run(const struct feed *in, uint64_t seed, struct feed_seen *out) {
  struct feed_state s, from;
  *out = (struct feed_seen){NAN, NAN, NAN, NAN, {NAN, NAN, NAN, NAN, NAN}, NAN, NAN, NAN};
  if (!in_range(in)) return;
  /* All alike, the workers come round in turn; else the deck does. */
  long n = worker_count(in), window = in->slow > 1 ? FEED_DECK : n * ((FEED_DECK + n - 1) / n);
  feed_start(in, seed, &s);
  run_until(in, &s, 2 * n + 32 + (long)fmin(in->queue, 64));
  from = s;
  run_until(in, &s, from.done + window);
  double t = s.t - from.t, steps = (double)(s.done - from.done), all = 0;
  out->steps = steps;
  out->item_per_s = steps * in->batch / t;
  out->busy = (s.busy_s - from.busy_s) / t;
  out->starved = (s.starved_s - from.starved_s) / t;
  out->ready = (s.ready_s - from.ready_s) / t;
  out->core = (s.core_s - from.core_s) / t;
  out->step_s = (s.step_s - from.step_s) / steps;
  for (int i = 0; i < FEED_DOINGS; i++) all += out->worker[i] = s.worker_s[i] - from.worker_s[i];
  for (int i = 0; i < FEED_DOINGS; i++) out->worker[i] /= all;
}
