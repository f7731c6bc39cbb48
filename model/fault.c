#include "model/fault.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static const double DAY_S = 8 * 3600;

static const struct {
  const char *key, *name, *meaning, *remedy;
  enum group group;
} fault_table[FAULT_N] = {
    [FAULT_LOADER] = {"loader", "slow preparation", "preparing a request takes the host's cores longer than answering it takes the device",
                      "prepare faster, on more cores, or once for all", GROUP_IDLE},
    [FAULT_STORAGE] = {"storage", "slow storage", "the loaders wait for storage, their cores idle",
                       "keep the data nearer, in fewer files, or cached", GROUP_IDLE},
    [FAULT_UPLOAD] = {"upload", "repeated upload", "the same data cross the link in every step", "copy once and leave them on the device",
                      GROUP_IDLE},
    [FAULT_PIECES] = {"pieces", "copies in pieces", "as few bytes as ever cross the link, in very many calls",
                      "gather what goes the same way into one copy", GROUP_IDLE},
    [FAULT_LAUNCH] = {"launch", "launch gaps", "kernels end sooner than the host can launch the next one",
                      "fuse kernels, or record a step and replay it", GROUP_IDLE},
    [FAULT_OPERATION] = {"operation", "operation on host",
                         "an operation the device lacks is left to the host, and the data go there and back",
                         "replace that operation by one the device has", GROUP_IDLE},
    [FAULT_DEMAND] = {"demand", "too few requests", "nothing is broken: the device waits because nobody asks",
                      "let it be, share the device, or rent a smaller one", GROUP_IDLE},
    [FAULT_HEAT] = {"heat", "thermal throttling", "the chip is at its limit and the clock gives way",
                    "see to fans, dust, the air of the room", GROUP_BUSY},
    [FAULT_POWER] = {"power", "power limit", "a power limit keeps the clock low from the start",
                     "raise the limit, or plan with the lower rate", GROUP_BUSY},
    [FAULT_BATCH] = {"batch", "batch too small", "every step fetches all weights for a few requests only", "let more requests share a step",
                     GROUP_BUSY},
    [FAULT_PRECISION] = {"precision", "loaded in 32 bit", "weights and cache take 32 bits a number, so twice the bytes are fetched",
                         "load the model in 16 bit", GROUP_BUSY},
    [FAULT_NEIGHBOUR] = {"neighbour", "another program", "another program takes its turns on the same device",
                         "give each its own device, or part of one", GROUP_BUSY},
    [FAULT_LEAK] = {"leak", "memory leak", "something is kept after each request", "free what is done with, and bound what is kept",
                    GROUP_MEMORY},
    [FAULT_FRAGMENTS] = {"fragments", "fragmentation", "memory is held in holes that nothing fits into",
                         "take blocks of one size, or reserve at the start", GROUP_MEMORY},
    [FAULT_LONG] = {"long", "one long request", "one request is longer than the memory left", "limit a request's length at the door",
                    GROUP_MEMORY},
    [FAULT_CROWD] = {"crowd", "batch without limit", "too many requests were let in at once", "limit the batch by memory: queue the rest",
                     GROUP_MEMORY},
    [FAULT_DRIVER] = {"driver", "driver too old", "the libraries need a newer driver, so the framework sees no device and says nothing",
                      "match driver and libraries, and pin both", GROUP_ABSENT},
    [FAULT_IMAGE] = {"image", "kernels not built", "the kernels were built for another generation of chips",
                     "build for this one; test the image before it is used", GROUP_ABSENT},
    [FAULT_QUOTA] = {"quota", "quota used up", "no more devices are allowed to us", "ask for quota, or free what is not needed",
                     GROUP_ABSENT},
    [FAULT_REGION] = {"region", "none free in region", "no device is free where we asked",
                      "try another region or kind; reserve what must be", GROUP_ABSENT},
    [FAULT_RECLAIMED] = {"reclaimed", "device taken back", "a device rented cheaply was taken back",
                         "save state and move; pay in full for what must stay", GROUP_ABSENT},
};

const char *fault_key(enum fault f) { return fault_table[f].key; }
const char *fault_name(enum fault f) { return fault_table[f].name; }
const char *fault_meaning(enum fault f) { return fault_table[f].meaning; }
const char *fault_remedy(enum fault f) { return fault_table[f].remedy; }
enum group fault_group(enum fault f) { return fault_table[f].group; }

/* What is left of the cycle when all else is as in the healthy one. */
struct fit {
  double cycle_s, request_per_s, copy_s, kernel_s; /* aimed at */
  double spare_s;                                  /* cycle_s less that of the healthy one */
  double token_per_s;
};

static struct fit fit_of(const struct rig *healthy, double share) {
  struct reading now;
  struct fit f;
  rig_at(healthy, 0, &now);
  f.cycle_s = now.cycle_s / share;
  f.spare_s = f.cycle_s - now.cycle_s;
  f.copy_s = now.copy_s;
  f.kernel_s = f.cycle_s - now.copy_s;
  f.token_per_s = now.v[GAUGE_RATE] * share;
  f.request_per_s = f.token_per_s / healthy->tokens;
  return f;
}

static bool put_precision(struct rig *r) {
  r->step.weight_byte *= 2, r->step.kv_byte_per_token *= 2;
  return rig_end(r) > r->window;
}

/* The share of throughput that all of the busy group leave: what 32 bits leave, if they can. */
static double busy_share(const struct rig *healthy, double share) {
  struct rig r = *healthy;
  struct reading now, before;
  if (!put_precision(&r)) return share;
  rig_at(healthy, 0, &before);
  rig_at(&r, 0, &now);
  return now.v[GAUGE_RATE] / before.v[GAUGE_RATE];
}

/* The batch with this throughput: it grows with the batch. */
static double batch_for(const struct rig *healthy, double token_per_s) {
  double lo = 1e-3, hi = healthy->step.batch;
  for (int i = 0; i < 60; i++) {
    struct rig r = *healthy;
    struct reading now;
    r.step.batch = (lo + hi) / 2;
    rig_at(&r, 0, &now);
    if (now.v[GAUGE_RATE] < token_per_s)
      lo = r.step.batch;
    else
      hi = r.step.batch;
  }
  return hi;
}

static bool put_idle(enum fault f, const struct rig *healthy, double share, struct rig *r) {
  struct fit fit = fit_of(healthy, share);
  switch (f) {
  case FAULT_LOADER: r->item_s = r->workers / fit.request_per_s - r->item_byte / r->storage_byte_per_s; return true;
  case FAULT_STORAGE: r->storage_byte_per_s = fit.request_per_s * r->item_byte; return true;
  case FAULT_UPLOAD: r->copy_byte += fit.spare_s * r->link_byte_per_s; return true;
  case FAULT_PIECES: r->copies += round(fit.spare_s / r->copy_s); return true;
  case FAULT_LAUNCH: r->launches = round(fit.kernel_s / r->launch_s); return true;
  case FAULT_OPERATION: { /* a whole number of them, each of the size that fits */
    double fixed = 2 * r->copy_s, each = rig_crossing(r, NULL);
    r->crossings = fmax(1, round(fit.spare_s / each));
    r->crossing_byte *= (fit.spare_s / r->crossings - fixed) / (each - fixed);
    return r->crossing_byte > 0;
  }
  default: r->demand = fit.request_per_s; return true;
  }
}

static bool put_busy(enum fault f, const struct rig *healthy, const struct severity *s, struct rig *r) {
  struct fit fit = fit_of(healthy, s->deep ? s->share : busy_share(healthy, s->share));
  double clock = step_at(&r->step, r->step.batch).compute_time / fit.kernel_s, power = rig_power(r, clock, 1);
  bool slow_clock = clock > 0.15 && clock < 0.95; /* a clock that no chip would have is not a fault anyone meets */
  switch (f) {
  case FAULT_HEAT: r->resistance_end = (r->limit_c - r->room_c) / power; return slow_clock;
  case FAULT_POWER: r->cap_w = power; return slow_clock;
  case FAULT_BATCH: r->step.batch = batch_for(healthy, fit.token_per_s); return r->step.batch >= 1;
  case FAULT_PRECISION: return put_precision(r) && !s->deep;
  default:
    r->share = (fit.cycle_s - fit.spare_s) / fit.cycle_s;
    r->other_byte = 0.5 * (r->step.capacity_byte - r->reserve * rig_memory(r, r->step.batch, r->step.context));
    return r->other_byte > 0;
  }
}

static bool put_memory(enum fault f, double end, struct rig *r) {
  double used = rig_memory(r, r->step.batch, r->step.context), room = r->step.capacity_byte / r->reserve - used;
  if (!(room > 0.15 * used)) return false; /* what grows so little would not be seen to */
  r->surge_at = f == FAULT_LONG || f == FAULT_CROWD ? end : NAN;
  switch (f) {
  case FAULT_LEAK: r->leak_byte_per_s = room / end; return true;
  case FAULT_FRAGMENTS: r->hole_byte_per_s = room * r->reserve / end; return true;
  case FAULT_LONG: r->surge_tokens = ceil(1.25 * room / r->step.kv_byte_per_token); break;
  default: r->surge_requests = ceil(1.25 * room / (r->step.kv_byte_per_token * r->step.context)); break;
  }
  return r->step.kv_byte_per_token > 0;
}

static bool put_absent(enum fault f, double reclaimed_at, struct rig *r) {
  switch (f) {
  case FAULT_DRIVER: r->driver = r->driver_needed - 15; break;
  case FAULT_IMAGE: r->built_for = r->generation - 1; break;
  case FAULT_QUOTA: r->quota = r->asked - 1; break;
  case FAULT_REGION: r->free_devices = 0; break;
  default: r->reclaimed_at = reclaimed_at; break;
  }
  return true;
}

bool fault_put(enum fault f, const struct rig *healthy, const struct severity *s, struct rig *out) {
  assert(f >= 0 && f < FAULT_N);
  *out = *healthy;
  if (fault_group(f) == GROUP_MEMORY) out->window = DAY_S;
  switch (fault_group(f)) {
  case GROUP_IDLE: return put_idle(f, healthy, s->share, out);
  case GROUP_BUSY: return put_busy(f, healthy, s, out);
  case GROUP_MEMORY: return put_memory(f, s->end, out);
  default: return put_absent(f, s->reclaimed_at, out);
  }
}

/* splitmix64 (Steele, Lea, Flood 2014), in [0, 1). */
static double draw(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

enum fault fault_draw(const struct rig *healthy, uint32_t seed, struct severity *s) {
  uint64_t state = seed;
  enum fault possible[FAULT_N];
  int n = 0;
  double pick = draw(&state), hours = draw(&state);
  *s = (struct severity){.share = round(100 * (0.12 + 0.4 * draw(&state))) / 100};
  s->end = 60 * round(120 + 300 * hours); /* whole minutes, 2 to 7 hours */
  s->deep = draw(&state) < 0.5;
  s->reclaimed_at = 60 * round(10 + 40 * hours);
  for (int f = 0; f < FAULT_N; f++) {
    struct rig r;
    if (fault_put((enum fault)f, healthy, s, &r)) possible[n++] = (enum fault)f;
  }
  return n == 0 ? FAULT_N : possible[(int)(pick * n)];
}
