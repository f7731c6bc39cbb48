/* The numbers of the feed scene. */
#include <math.h>

#include "scenes/loader.h"

enum {
  F_BUSY,
  F_BOUND,
  F_RATE,
  F_LIMIT,
  F_WAITS,
  F_NEEDED,
  F_READY,
  F_WORKERS_WAIT,
  F_HERE_BUSY,
  F_MEASURED_BUSY,
  F_MEASURED_RATIO,
  F_INTERVAL,
  F_IDLE,
  F_USEFUL,
  F_EXACT,
  F_COST_FED,
  F_MORE_WORKER,
  F_FASTER_DEVICE,
  F_CHEAPER_ITEM,
  F_FASTER_STORAGE,
  F_SPREAD_LOSS,
  F_DEVICE_RATE,
  F_WORKER_RATE,
  F_STORAGE_RATE,
  F_CORE_RATE,
  F_BOUND_RATE,
  F_BATCH_TIME,
  F_READ_TIME,
  F_ITEM_CV,
  F_BATCH_CV,
  F_CORES_USED,
  F_MEASURED_RATE,
  F_MEASURED_ITEM,
  F_MEASURED_STEP,
  F_MEASURED_READY,
  F_HERE_RATE,
  F_HERE_CPUS,
  F_DIVISOR,
  F_SPREAD,
  F_COUNT,
  F_QUEUE_1,
  F_QUEUE_LAST = F_QUEUE_1 + LOADER_DEPTHS - 1,
  F_WORKERS,
  F_PROVENANCE,
  F_STATE,
  F_FLAGS,
  F_N
};

#define AT_DEPTH(i, n)                                                                                                                     \
  [F_QUEUE_1 + (i)] = {"busy_queue_" #n, NULL, "%", 2, NULL, "The device's busy share with room for " #n " in the queue; in view=queue."}

static const struct fact fact_table[F_N] = {
    [F_BUSY] = {"device_busy", "device busy", "%", 1, "item_per_s * device_step / batch",
                "Share of the time the device computes; the rest of it it waits for data. From a simulation, seeded where items differ."},
    [F_BOUND] = {"busy_bound", "at most", "%", 1, "bound_item_per_s * device_step / batch",
                 "What the slowest part alone allows. Reached when all items are alike; items that differ fall short of it."},
    [F_RATE] = {"item_per_s", "rate", "item/s", 1, NULL, "Items through the whole pipeline a second."},
    [F_LIMIT] = {"limit", "slowest is", "", 1, NULL, "The part that alone could do least: more of anything else changes nothing."},
    [F_WAITS] = {"who_waits", "who waits", "", 1, NULL,
                 "device: it finds the queue empty. workers: they find it full. both: by turns. Under 2 % counts as not at all."},
    [F_NEEDED] = {"workers_needed", "workers needed", "n", 1, "ceil(workers_exact)",
                  "The smallest number of workers that keeps the device busy. Unknown: storage or cores cannot, whatever their number."},
    [F_READY] = {"batches_ready", "ready, mean", "1", 1, NULL,
                 "Batches in the queue, mean over time. Near 0 the device waits; full, the workers do."},
    [F_WORKERS_WAIT] = {"workers_wait", "workers wait", "%", 1, NULL,
                        "Share of the workers' time spent with a batch ready and nowhere to put it."},
    [F_HERE_BUSY] =
        {"here_busy", "expected here", "%", 1, NULL,
         "The same with a thread of this machine in the device's place: it needs a core too, and the data are in memory already."},
    [F_MEASURED_BUSY] =
        {"measured_busy", "measured here", "%", 1, NULL,
         "Real threads: workers unpack numbers, a thread in the device's place multiplies. Its share of time at work, by its own clock."},
    [F_MEASURED_RATIO] = {"measured_ratio", "vs expected", "x", 2, "measured_busy / here_busy",
                          "The measured share over the expected one."},
    [F_INTERVAL] = {"step_interval", "step to step", "s", 2, "batch / item_per_s", "From one step's end to the next one's, mean."},
    [F_IDLE] = {"idle_time", "of it idle", "s", 2, "(1 - device_busy) * step_interval", "What the device waits in each step."},
    [F_USEFUL] = {"workers_useful", "useful, at most", "n", 2, NULL,
                  "Beyond this number of workers another brings nothing: device, storage or cores are then the limit."},
    [F_EXACT] = {"workers_exact", "that is", "1", 2, "batch_time / device_step", "Workers that just feed the device, not rounded up."},
    [F_COST_FED] =
        {"cost_fed", "fed up to", "s", 2, NULL,
         "The cost of an item up to which these workers keep the device busy. Unknown: they cannot, or storage or cores cannot."},
    [F_MORE_WORKER] = {"gain_worker", "one worker more", "x", 2, NULL, "By how much one more worker raises the bound. 1: not at all."},
    [F_FASTER_DEVICE] = {"gain_device", "device x2", "x", 2, NULL, "By how much a device twice as fast raises the bound. 1: not at all."},
    [F_CHEAPER_ITEM] = {"gain_item", "items at half", "x", 2, NULL, "By how much items that cost half as much to prepare raise the bound."},
    [F_FASTER_STORAGE] = {"gain_storage", "storage x2", "x", 2, NULL, "By how much storage twice as fast raises the bound."},
    [F_SPREAD_LOSS] = {"spread_loss", "lost to spread", "%", 2, NULL,
                       "What is missing from the bound because some items take longer: a deeper queue or a worker more wins it back."},
    [F_DEVICE_RATE] = {"device_item_per_s", "device alone", "item/s", 2, "batch / device_step", "What the device could use."},
    [F_WORKER_RATE] = {"worker_item_per_s", "workers alone", "item/s", 2, "workers * batch / batch_time",
                       "What so many workers could deliver with a core each and nobody else at the storage."},
    [F_STORAGE_RATE] = {"storage_item_per_s", "storage alone", "item/s", 2, "storage_rate / item_byte",
                        "What the storage could deliver. Unknown: the data are in memory already."},
    [F_CORE_RATE] = {"core_item_per_s", "cores alone", "item/s", 2, "cores / item_cost", "What so many cores could prepare."},
    [F_BOUND_RATE] = {"bound_item_per_s", "the least", "item/s", 2, NULL,
                      "The least of what device, workers, storage and cores could do alone."},
    [F_BATCH_TIME] = {"batch_time", "a batch takes", "s", 2, "batch * (read_time + item_cost)",
                      "One worker's time for one batch when nobody is in its way."},
    [F_READ_TIME] = {"read_time", "reading an item", "s", 2, "item_byte / storage_rate", "An item's time on storage."},
    [F_ITEM_CV] = {"item_spread", "spread of items", "%", 2, NULL,
                   "Standard deviation of the time to prepare an item, as a share of its mean: one in ten takes longer."},
    [F_BATCH_CV] = {"batch_spread", "of batches", "%", 2, NULL,
                    "The same for a batch: over many items it evens out, as the root of their number."},
    [F_CORES_USED] = {"cores_used", "cores in use", "1", 2, NULL, "Cores at work on items, mean over time."},
    [F_MEASURED_RATE] = {"measured_item_per_s", "measured rate", "item/s", 2, NULL, "Items a second in that run, at the knobs' times."},
    [F_MEASURED_ITEM] = {"measured_item", "item, measured", "s", 2, NULL,
                         "A worker's time for an item in that run, mean. Longer than asked for: workers were kept from their cores."},
    [F_MEASURED_STEP] = {"measured_step", "step, measured", "s", 2, NULL, "From the start to the end of a step in that run, mean."},
    [F_MEASURED_READY] = {"measured_ready", "ready, measured", "1", 2, NULL, "Batches the thread found ready when it came for one, mean."},
    [F_HERE_RATE] = {"here_item_per_s", "rate expected", "item/s", 2, NULL, "Items a second expected of that run."},
    [F_HERE_CPUS] = {"here_cpus", "cores here", "n", 2, NULL, "Cores that the workers and the thread in the device's place share here."},
    [F_DIVISOR] =
        {"here_divisor", "run at 1 in", "n", 2, NULL,
         "The run here takes the knobs' times divided by this, all alike, so that it ends in seconds; shares stay what they are."},
    [F_SPREAD] = {"measured_spread", "spread", "%", 2, NULL,
                  "Half the interquartile range of the repetitions, as a share of their median."},
    [F_COUNT] = {"measured_count", NULL, "n", 2, NULL, "Warm repetitions behind the median; the first is kept apart."},
    AT_DEPTH(0, 1),
    AT_DEPTH(1, 2),
    AT_DEPTH(2, 4),
    AT_DEPTH(3, 8),
    AT_DEPTH(4, 16),
    AT_DEPTH(5, 32),
    AT_DEPTH(6, 64),
    [F_WORKERS] = {"workers_set", NULL, "n", 2, NULL, "Loader workers; 0: the program prepares each batch between two steps."},
    [F_PROVENANCE] = {"provenance", NULL, "", 2, NULL, "Whose numbers these are."},
    [F_STATE] = {"state", NULL, "", 2, NULL, "Whether this setting has been run here."},
    [F_FLAGS] = {"flags", "marks", "", 2, NULL, "The first doubt the harness has about the run."},
};

static double rate_of(struct feed in) {
  struct feed_bound b;
  feed_bound_of(&in, &b);
  return b.item_per_s;
}

double loader_cost_fed(const struct feed *in) {
  struct feed_bound b;
  feed_bound_of(in, &b);
  double batch_s = in->workers * in->device_s, by_workers = batch_s / in->batch - b.read_s, by_cores = in->cores * in->device_s / in->batch;
  double cost = fmin(by_workers, by_cores);
  return b.rate[FEED_STORAGE] < b.rate[FEED_DEVICE] || !(cost > 0) ? NAN : cost;
}

double loader_busy(const struct feed *in) {
  struct feed_seen seen;
  feed_run(in, LOADER_SEED, &seen);
  return seen.busy;
}

static void facts_gains(const struct feed *in, double now, struct fact *f) {
  struct feed more = *in, device = *in, item = *in, storage = *in;
  more.workers++;
  device.device_s /= 2;
  item.item_s /= 2;
  storage.storage_byte_per_s *= 2;
  f[F_MORE_WORKER].value = rate_of(more) / now;
  f[F_FASTER_DEVICE].value = rate_of(device) / now;
  f[F_CHEAPER_ITEM].value = rate_of(item) / now;
  if (in->item_byte > 0) f[F_FASTER_STORAGE].value = rate_of(storage) / now;
}

static void facts_bound(const struct feed *in, const struct feed_bound *b, struct fact *f) {
  bool stored = in->item_byte > 0;
  f[F_BOUND].value = b->busy;
  f[F_BOUND_RATE].value = b->item_per_s;
  f[F_LIMIT].word = feed_limit_name(b->limit);
  f[F_NEEDED].value = b->workers_needed;
  if (isnan(b->workers_needed)) f[F_NEEDED].formula = NULL;
  f[F_USEFUL].value = b->workers_useful;
  f[F_EXACT].value = b->workers_exact;
  f[F_COST_FED].value = loader_cost_fed(in);
  f[F_DEVICE_RATE].value = b->rate[FEED_DEVICE];
  f[F_WORKER_RATE].value = b->rate[FEED_WORKER];
  f[F_STORAGE_RATE].value = stored ? b->rate[FEED_STORAGE] : NAN;
  f[F_CORE_RATE].value = b->rate[FEED_CORES];
  f[F_BOUND_RATE].formula = stored ? "min(device_item_per_s, worker_item_per_s, storage_item_per_s, core_item_per_s)"
                                   : "min(device_item_per_s, worker_item_per_s, core_item_per_s)";
  if (!stored) f[F_STORAGE_RATE].formula = NULL;
  if (in->workers == 0) f[F_WORKER_RATE].formula = "batch / (batch_time + device_step)";
  f[F_BATCH_TIME].value = b->batch_s;
  f[F_READ_TIME].value = b->read_s;
  f[F_ITEM_CV].value = b->item_cv;
  f[F_BATCH_CV].value = b->batch_cv;
  facts_gains(in, b->item_per_s, f);
}

static const char *who_waits(const struct feed *in, double starved, double blocked) {
  if (in->workers == 0) return "each in turn";
  bool device = starved > 0.02, workers = blocked > 0.02;
  return device && workers ? "both" : device ? "device" : workers ? "workers" : "nobody";
}

static void facts_run(const struct feed *in, const struct feed_bound *b, struct fact *f) {
  struct feed_seen seen;
  feed_run(in, LOADER_SEED, &seen);
  f[F_BUSY].value = seen.busy;
  f[F_RATE].value = seen.item_per_s;
  f[F_READY].value = in->workers > 0 ? seen.ready : NAN;
  f[F_WORKERS_WAIT].value = in->workers > 0 ? seen.worker[FEED_BLOCKED] : NAN;
  f[F_CORES_USED].value = seen.core;
  f[F_INTERVAL].value = in->batch / seen.item_per_s;
  f[F_IDLE].value = (1 - seen.busy) * f[F_INTERVAL].value;
  f[F_SPREAD_LOSS].value = fmax(0, round((1 - seen.busy / b->busy) * 1e9) / 1e9); /* a queue drawn down may add a little */
  f[F_WAITS].word = who_waits(in, 1 - seen.busy, seen.worker[FEED_BLOCKED]);
}

/* Once the bound is reached, deeper queues reach it too: they are not simulated. */
static void facts_depths(const struct feed *in, double bound, struct fact *f) {
  double busy = 0;
  for (int i = 0; i < LOADER_DEPTHS; i++) {
    struct feed at = *in;
    at.queue = ldexp(1, i);
    if (!(busy >= bound * (1 - 1e-9))) busy = loader_busy(&at);
    f[F_QUEUE_1 + i].value = busy;
  }
}

static void facts_here(const struct world *w, const struct setup *s, struct fact *f) {
  static const uint8_t measured[] = {F_MEASURED_BUSY, F_MEASURED_RATIO, F_MEASURED_RATE, F_MEASURED_ITEM,
                                     F_MEASURED_STEP, F_MEASURED_READY, F_SPREAD};
  for (size_t i = 0; i < sizeof measured; i++) f[measured[i]].measured = true;
  struct request r;
  if (!loader_request(s, s->v[KNOB_WORKERS], &r)) {
    f[F_STATE].word = "cannot be run here";
    return;
  }
  struct feed here = loader_here(w, &r);
  struct feed_seen seen;
  double divisor = loader_divisor(s);
  feed_run(&here, LOADER_SEED, &seen);
  f[F_HERE_BUSY].value = seen.busy;
  f[F_HERE_RATE].value = seen.item_per_s / divisor;
  f[F_HERE_CPUS].value = here.cores;
  f[F_DIVISOR].value = divisor;
  const struct run *run = loader_find(w, &r);
  f[F_STATE].word = run ? run->count > 0 ? "measured" : "first run" : "not measured yet: m";
  if (!run) return;
  f[F_MEASURED_BUSY].value = run->busy;
  f[F_MEASURED_RATIO].value = run->busy / seen.busy;
  f[F_MEASURED_RATE].value = here.batch / run_time(run) / divisor;
  f[F_MEASURED_ITEM].value = run->item_time * divisor;
  f[F_MEASURED_STEP].value = run->step_time * divisor;
  f[F_MEASURED_READY].value = run->ready;
  f[F_SPREAD].value = run->spread;
  f[F_COUNT].value = run->count;
  /* The data are small on purpose; and threads that are more than the cores take them from one another by design, but no more than the
   * model says. */
  double item = here.workers > 0 ? seen.worker[FEED_WORKING] * here.workers / seen.item_per_s : here.item_s;
  bool by_design = here.workers + 1 > here.cores && !(run->item_time > 1.3 * item);
  unsigned meant = FLAG_IN_CACHE | (by_design ? FLAG_DISTURBED : 0u);
  f[F_FLAGS].word = flag_first(run->flags & ~meant);
}

static bool asked(const struct setup *s) {
  return s->set[KNOB_ITEM_COST] || s->set[KNOB_DEVICE_STEP] || s->set[KNOB_ITEM_BYTE] || s->set[KNOB_STORAGE_RATE] || s->set[KNOB_SLOW];
}

int loader_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  struct feed in = loader_feed(s);
  struct feed_bound b;
  facts_begin(out, fact_table, F_N, true);
  feed_bound_of(&in, &b);
  facts_bound(&in, &b, out);
  facts_run(&in, &b, out);
  if ((enum view_id)(int)s->v[KNOB_VIEW] == VIEW_QUEUE) facts_depths(&in, b.busy, out);
  facts_here(w, s, out);
  out[F_WORKERS].value = in.workers;
  out[F_PROVENANCE].word = asked(s) ? "what if" : "our example";
  return F_N;
}
