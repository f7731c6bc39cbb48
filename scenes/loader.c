/* The feed scene: its views, its knobs, and what it runs here. */
#include "scenes/loader.h"

#include <math.h>

static const double RUN_S = 0.05, LEAST_US = 10, MOST_WORKERS_HERE = 16, SAMPLE_S = 2;
static const double VIEW_SLOW = 16, VIEW_SLOW_WORKERS = 3;

static enum view_id view_of(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }

struct feed loader_feed(const struct setup *s) {
  return (struct feed){.workers = s->v[KNOB_WORKERS],
                       .item_s = s->v[KNOB_ITEM_COST],
                       .slow = s->v[KNOB_SLOW],
                       .item_byte = s->v[KNOB_ITEM_BYTE],
                       .storage_byte_per_s = s->v[KNOB_STORAGE_RATE],
                       .cores = s->v[KNOB_CORES],
                       .queue = s->v[KNOB_QUEUE],
                       .batch = s->v[KNOB_BATCH],
                       .device_s = s->v[KNOB_DEVICE_STEP]};
}

/* ---- here ---- */

double loader_divisor(const struct setup *s) {
  double longest = fmax(s->v[KNOB_BATCH] * s->v[KNOB_ITEM_COST], s->v[KNOB_DEVICE_STEP]), divisor = 1;
  while (longest / divisor > RUN_S * (1 + 1e-9) && divisor < 1e9) divisor *= 10;
  return divisor;
}

bool loader_request(const struct setup *s, double workers, struct request *out) {
  double divisor = loader_divisor(s), item = round(s->v[KNOB_ITEM_COST] / divisor * 1e6),
         step = round(s->v[KNOB_DEVICE_STEP] / divisor * 1e6);
  *out = (struct request){.op = OP_FEED,
                          .shape = {item, step, s->v[KNOB_QUEUE], s->v[KNOB_BATCH], round(s->v[KNOB_SLOW]), workers + 1, NAN},
                          .dtype = DTYPE_FP32,
                          .sustain = SAMPLE_S};
  return item >= LEAST_US && step >= LEAST_US && workers <= MOST_WORKERS_HERE;
}

struct feed loader_here(const struct world *w, const struct request *r) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  double cpus = m->cpus > 0 ? m->cpus : m->threads > 0 ? m->threads : NAN;
  if (m->quota_cpu > 0 && m->quota_cpu < cpus) cpus = fmax(1, m->quota_cpu);
  return (struct feed){.workers = r->shape.chain - 1,
                       .item_s = r->shape.n * 1e-6,
                       .slow = r->shape.fma,
                       .item_byte = 0,
                       .storage_byte_per_s = INFINITY,
                       .cores = cpus,
                       .queue = r->shape.k,
                       .batch = r->shape.batch,
                       .device_s = r->shape.m * 1e-6,
                       .on_core = true};
}

const struct run *loader_find(const struct world *w, const struct request *r) {
  const struct run *run = run_find(w, r, w->machine);
  return run && isfinite(run_time(run)) ? run : NULL;
}

/* The setting on show first; then none to four workers, for the curve. */
static int loader_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  int n = 0;
  (void)w;
  if (!loader_request(s, s->v[KNOB_WORKERS], &out[0])) return 0;
  for (n = 1; n <= 5; n++) {
    if (!loader_request(s, n - 1, &out[n])) break;
    if (n - 1 == s->v[KNOB_WORKERS]) out[n].shape.chain = NAN;
  }
  int kept = 1;
  for (int i = 1; i < n; i++)
    if (!isnan(out[i].shape.chain)) out[kept++] = out[i];
  return kept;
}

/* ---- the table: what comes of each number of workers, each queue, each cost ---- */

static struct fact number(const char *name, const char *unit, double v, const char *meaning) {
  return (struct fact){.name = name, .unit = unit, .value = v, .meaning = meaning};
}

/* Row by row the knob on the view's axis; false after the last. */
static bool row_set(const struct setup *s, int row, struct setup *at) {
  enum { COSTS = 9, ONE_BY_ONE = 16 };
  static const uint8_t many[] = {24, 32, 48, FEED_WORKERS};
  struct feed in = loader_feed(s);
  switch (view_of(s)) {
  case VIEW_QUEUE: at->v[KNOB_QUEUE] = ldexp(1, row); return row < LOADER_DEPTHS;
  case VIEW_ITEMS: at->v[KNOB_ITEM_COST] = fmin(in.item_s * ldexp(1, row - COSTS / 2), knob_table[KNOB_ITEM_COST].hi); return row < COSTS;
  default:
    if (row > ONE_BY_ONE + (int)sizeof many) return false;
    at->v[KNOB_WORKERS] = row <= ONE_BY_ONE ? row : many[row - ONE_BY_ONE - 1];
    return at->v[KNOB_WORKERS] <= loader_workers_axis(&in);
  }
}

static int loader_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  struct setup at = *s;
  if (row < 0 || !row_set(s, row, &at)) return 0;
  struct feed in = loader_feed(&at);
  struct feed_bound b;
  struct feed_seen seen;
  struct request r;
  feed_bound_of(&in, &b);
  feed_run(&in, LOADER_SEED, &seen);
  const struct run *run = loader_request(&at, in.workers, &r) ? loader_find(w, &r) : NULL;
  out[0] = number("workers", "n", in.workers, "Loader workers.");
  out[1] = number("queue", "n", in.queue, "Batches the queue holds.");
  out[2] = number("item_cost", "s", in.item_s, "One core's time for an item.");
  out[3] = number("item_per_s", "item/s", seen.item_per_s, "Items through the whole pipeline.");
  out[4] = number("device_busy", "%", seen.busy, "Share of the time the device computes.");
  out[5] = number("busy_bound", "%", b.busy, "What the slowest part allows.");
  out[6] = (struct fact){.name = "limit", .unit = "", .value = NAN, .word = feed_limit_name(b.limit), .meaning = "The slowest part."};
  out[7] = number("batches_ready", "1", in.workers > 0 ? seen.ready : NAN, "Batches in the queue, mean.");
  out[8] = number("workers_wait", "%", in.workers > 0 ? seen.worker[FEED_BLOCKED] : NAN, "Share of the workers' time without a place.");
  out[9] = number("measured_busy", "%", run ? run->busy : NAN, "The same of real threads here, one in the device's place.");
  return 10;
}

/* ---- knobs ---- */

/* What one item costs, how many go into a step, what a step takes, who works on them: round numbers of ours. */
static const struct {
  double item_s, batch, device_s, workers;
} prepare_table[PREPARE_N] = {{20e-3, 1, 8e-3, 2}, {3e-3, 16, 7e-3, 1}, {4e-3, 8, 7e-3, 1}};

static void follow(struct setup *s, int knob, double v) {
  if (!s->set[knob]) s->v[knob] = v;
}

static void loader_resolve(const struct world *w, struct setup *s) {
  (void)w;
  int what = (int)s->v[KNOB_PREPARE];
  follow(s, KNOB_ITEM_COST, prepare_table[what].item_s);
  follow(s, KNOB_BATCH, prepare_table[what].batch);
  follow(s, KNOB_DEVICE_STEP, prepare_table[what].device_s);
  follow(s, KNOB_WORKERS, prepare_table[what].workers);
  s->v[KNOB_STORAGE_RATE] = fmax(s->v[KNOB_STORAGE_RATE], 1);
  if (view_of(s) != VIEW_QUEUE) return;
  /* Where all items are alike a queue of one is as good as any: show it where it matters. */
  follow(s, KNOB_SLOW, VIEW_SLOW);
  if (what == PREPARE_IMAGES) follow(s, KNOB_WORKERS, VIEW_SLOW_WORKERS);
}

static bool loader_applies(const struct setup *s, int knob) {
  switch (knob) {
  case KNOB_STORAGE_RATE: return s->v[KNOB_ITEM_BYTE] > 0;
  case KNOB_QUEUE: return s->v[KNOB_WORKERS] > 0;
  default: return true;
  }
}

static const uint8_t knob_list[] = {KNOB_WORKERS, KNOB_ITEM_COST, KNOB_DEVICE_STEP, KNOB_QUEUE,        KNOB_SLOW, KNOB_BATCH,
                                    KNOB_PREPARE, KNOB_VIEW,      KNOB_ITEM_BYTE,   KNOB_STORAGE_RATE, KNOB_CORES};
static const uint8_t view_list[] = {VIEW_WORKERS, VIEW_QUEUE, VIEW_ITEMS, VIEW_LANES};

const struct scene scene_feed = {
    .address = "4.2",
    .name = "feed",
    .question = "Who waits for whom?",
    .section = "the host's pipeline: loader workers, a queue, and the device they feed",
    .next = "machines",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 8,
    .hand = KNOB_WORKERS,
    .views = view_list,
    .nviews = sizeof view_list,
    .min_w = 24,
    .min_h = 4,
    .applies = loader_applies,
    .resolve = loader_resolve,
    .facts = loader_facts,
    .rows = loader_rows,
    .verdict = loader_verdict,
    .measures = loader_measures,
    .axes = loader_axes,
    .draw = loader_draw,
};
