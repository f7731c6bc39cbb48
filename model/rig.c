#include "model/rig.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "model/feed.h"
#include "model/roof.h"

/* Ours, but for those that the chapter names: its link, copy and launch costs, its CPU of 768 GFLOP/s. */
static const double ANSWER_TOKENS = 128, HELD_TOKENS = 128, CORES = 8, SPARE = 3, ITEM_BYTE = 1e6, STORAGE_SPARE = 5;
static const double HOST_FLOP_PER_S = 768e9, HOST_BYTE_PER_S = 50e9, LINK_BYTE_PER_S = 25e9, COPY_S = 10e-6, LAUNCH_S = 8e-6, FULL_W = 350,
                    MEMORY_BYTE = 80e9;
static const double KERNELS_A_LAYER = 10, RESERVE = 1.1, ROOM_C = 25, LIMIT_C = 87, WARM_C = 70, QUEUE = 4;
static const double GENERATION = 9, DRIVER = 560, DRIVER_NEEDED = 550, DEMAND_SPARE = 1.25;

static double known_or(double v, double otherwise) { return v > 0 ? v : otherwise; }

double rig_step(const struct rig *r, double clock, double batch) {
  struct step_load l = step_at(&r->step, batch);
  return fmax(l.memory_time, l.compute_time / clock);
}

double rig_memory(const struct rig *r, double batch, double context) {
  return r->step.params_total * r->step.weight_byte + batch * context * r->step.kv_byte_per_token;
}

double rig_power(const struct rig *r, double clock, double busy) {
  return r->full_w * (r->idle_share + (1 - r->idle_share) * clock * clock * clock * busy);
}

double rig_crossing(const struct rig *r, double *host_s) {
  double host = 3 * r->crossing_byte / r->host_byte_per_s; /* two read, one written */
  if (host_s) *host_s = host;
  return 2 * (r->copy_s + r->crossing_byte / r->link_byte_per_s) + host;
}

double rig_host_step(const struct rig *r) {
  struct step_in in = r->step;
  in.peak_flop_per_s = r->host_flop_per_s;
  in.byte_per_s = r->host_byte_per_s;
  return step_at(&in, in.batch).step_time;
}

bool rig_healthy(const struct rig_parts *p, struct rig *out) {
  const struct geometry *g = &p->geometry;
  double memory = known_or(p->memory_byte, MEMORY_BYTE);
  struct rig r = {.tokens = ANSWER_TOKENS, .workers = CORES, .cores = CORES};
  r.step = (struct step_in){.params = g->decoder ? g->matmul_params : NAN,
                            .params_total = g->params,
                            .weight_byte = 2,
                            .batch = 1,
                            .context = HELD_TOKENS,
                            .kv_byte_per_token = g->kv_byte_per_token_2,
                            .width = g->hidden,
                            .peak_flop_per_s = p->peak_flop_per_s,
                            .byte_per_s = p->byte_per_s,
                            .capacity_byte = memory,
                            .deadline = NAN,
                            .experts = g->experts,
                            .top_k = g->top_k,
                            .expert_params = g->expert_params};
  struct step_out step;
  step_of(&r.step, &step);
  double room = (memory / RESERVE - r.step.params_total * 2) / (r.step.context * r.step.kv_byte_per_token) / 2; /* half is left */
  double batch = floor(fmin(isnan(step.ridge_batch) ? INFINITY : step.ridge_batch, fmin(room, 4096)));
  if (!(batch >= 2) || !isfinite(step.step_time)) return false;
  r.step.batch = batch;
  double request_per_s = batch / (r.tokens * rig_step(&r, 1, batch));
  r.demand = DEMAND_SPARE * request_per_s;
  r.item_s = CORES / (SPARE * request_per_s);
  r.item_byte = ITEM_BYTE;
  r.storage_byte_per_s = STORAGE_SPARE * request_per_s * ITEM_BYTE;
  r.host_flop_per_s = HOST_FLOP_PER_S, r.host_byte_per_s = HOST_BYTE_PER_S;
  r.link_byte_per_s = known_or(p->link_byte_per_s, LINK_BYTE_PER_S);
  r.copy_s = known_or(p->copy_s, COPY_S);
  r.launch_s = known_or(p->launch_s, LAUNCH_S);
  r.copies = 2, r.copy_byte = 1024 * batch; /* of each request its token, its place, where its cache lies */
  r.launches = g->layers * KERNELS_A_LAYER + 4;
  r.crossing_byte = batch * g->hidden * 2;
  r.share = 1;
  r.full_w = known_or(p->tdp_w, FULL_W), r.idle_share = 0.2, r.cap_w = INFINITY;
  r.room_c = ROOM_C, r.limit_c = LIMIT_C;
  r.resistance = r.resistance_end = (WARM_C - ROOM_C) / r.full_w;
  r.warming_s = 600, r.window = 3600;
  r.reserve = RESERVE;
  r.surge_at = NAN;
  r.asked = 1, r.quota = 4, r.free_devices = 12, r.reclaimed_at = NAN;
  r.driver = DRIVER, r.driver_needed = DRIVER_NEEDED, r.generation = r.built_for = GENERATION;
  *out = r;
  return isfinite(r.launches) && isfinite(r.crossing_byte) && isfinite(rig_step(&r, 1, batch));
}

/* ---- over time ---- */

static double resistance_at(const struct rig *r, double t) {
  double full = 1 - exp(-r->window / r->warming_s);
  return r->resistance + (r->resistance_end - r->resistance) * (1 - exp(-t / r->warming_s)) / full;
}

/* The clock that keeps the power within the limit as set and the chip below its own, were it busy all the time. */
static double clock_at(const struct rig *r, double t) {
  double allowed = fmin(r->cap_w, (r->limit_c - r->room_c) / resistance_at(r, t));
  double cube = (allowed / r->full_w - r->idle_share) / (1 - r->idle_share);
  return fmin(1, cbrt(fmax(cube, 1e-3)));
}

struct memory {
  double used, allocated;
};

static struct memory memory_at(const struct rig *r, double t, bool surge) {
  struct memory m;
  m.used = rig_memory(r, r->step.batch, r->step.context) + r->leak_byte_per_s * t;
  if (surge) m.used += r->step.kv_byte_per_token * (r->surge_requests * r->step.context + r->surge_tokens);
  m.allocated = m.used * r->reserve + r->hole_byte_per_s * t + r->other_byte;
  return m;
}

double rig_end(const struct rig *r) {
  double room = r->step.capacity_byte, at_start = memory_at(r, 0, false).allocated;
  double growth = r->leak_byte_per_s * r->reserve + r->hole_byte_per_s;
  if (at_start > room) return 0;
  double end = growth > 0 ? (room - at_start) / growth : INFINITY;
  if (!isnan(r->surge_at) && r->surge_at < end && memory_at(r, r->surge_at, true).allocated > room) end = r->surge_at;
  return end;
}

double rig_last(const struct rig *r) { return fmin(rig_end(r), r->window); }

/* Whether the device is there, is seen, computes. */
static void presence_at(const struct rig *r, double t, double *v) {
  bool listed = r->asked <= r->quota && r->free_devices >= r->asked && !(t >= r->reclaimed_at);
  bool seen = listed && r->driver >= r->driver_needed;
  v[GAUGE_LISTED] = listed;
  v[GAUGE_SEEN] = seen;
  v[GAUGE_RUNS] = seen && r->generation == r->built_for;
  v[GAUGE_DRIVER] = r->driver / r->driver_needed;
  v[GAUGE_QUOTA] = r->quota - r->asked;
  v[GAUGE_FREE] = r->free_devices;
  v[GAUGE_RECLAIMED] = t >= r->reclaimed_at ? t - r->reclaimed_at : 0;
}

/* One step on the device, or on the host when there is none; the time that is nobody's (wait) comes later. */
static void step_fill(const struct rig *r, bool device, double clock, struct reading *out) {
  double *v = out->v;
  if (!device) {
    out->host_s = rig_host_step(r);
    v[GAUGE_LAUNCHES] = v[GAUGE_KERNEL] = v[GAUGE_COPIES] = v[GAUGE_COPY_BYTE] = 0;
    return;
  }
  double kernels = rig_step(r, clock, r->step.batch), host, crossing = rig_crossing(r, &host);
  out->kernel_s = kernels;
  out->gap_s = fmax(0, r->launches * r->launch_s - kernels);
  out->copy_s = r->copies * r->copy_s + r->copy_byte / r->link_byte_per_s + r->crossings * (crossing - host);
  out->host_s = r->crossings * host;
  v[GAUGE_LAUNCHES] = r->launches;
  v[GAUGE_KERNEL] = kernels / r->launches;
  v[GAUGE_COPIES] = r->copies + 2 * r->crossings;
  v[GAUGE_COPY_BYTE] = (r->copy_byte + 2 * r->crossings * r->crossing_byte) / v[GAUGE_COPIES];
}

void rig_at(const struct rig *r, double t, struct reading *out) {
  double end = rig_end(r), *v = out->v;
  *out = (struct reading){.up = t < end};
  if (t > end) t = end;
  bool surge = t >= r->surge_at; /* it asks for memory, and is never computed */
  presence_at(r, t, v);
  bool device = v[GAUGE_RUNS] > 0;
  double clock = clock_at(r, t);
  step_fill(r, device, clock, out);
  double own = out->kernel_s + out->gap_s + out->copy_s + out->host_s, turn = own / r->share;
  struct feed feed = {.workers = r->workers,
                      .item_s = r->item_s,
                      .slow = 1,
                      .item_byte = r->item_byte,
                      .storage_byte_per_s = r->storage_byte_per_s,
                      .cores = r->cores,
                      .queue = QUEUE,
                      .batch = r->step.batch,
                      .device_s = r->tokens * turn};
  struct feed_bound bound;
  feed_bound_of(&feed, &bound);
  double request_per_s = fmin(bound.item_per_s, r->demand);
  out->cycle_s = r->step.batch / (request_per_s * r->tokens);
  out->wait_s = out->cycle_s - own;
  bool full = request_per_s >= bound.rate[FEED_DEVICE] * (1 - 1e-9);
  v[GAUGE_RATE] = request_per_s * r->tokens;
  /* While another program has its turn the device is as busy as with us. */
  v[GAUGE_BUSY] = fmin(1, out->kernel_s / r->share / out->cycle_s);
  v[GAUGE_PEAK] = device ? 2 * r->step.params * v[GAUGE_RATE] / r->step.peak_flop_per_s : 0;
  struct memory m = memory_at(r, t, surge);
  v[GAUGE_USED] = device ? fmin(m.used, r->step.capacity_byte) : 0;
  v[GAUGE_ALLOCATED] = device ? fmin(m.allocated, r->step.capacity_byte) : 0;
  v[GAUGE_CLOCK] = device ? clock : 0;
  v[GAUGE_POWER] = device ? rig_power(r, clock, v[GAUGE_BUSY]) : 0;
  v[GAUGE_HEAT] = device ? r->room_c + v[GAUGE_POWER] * resistance_at(r, t) : 0;
  double driving = device ? 1 : r->cores; /* one core drives the device, waiting in a loop; without it all compute */
  v[GAUGE_CORES] = fmin(1, (request_per_s * r->item_s + driving) / r->cores);
  v[GAUGE_PREPARING] = fmin(1, request_per_s * r->item_s / r->workers);
  v[GAUGE_STORAGE] =
      bound.limit == FEED_STORAGE && request_per_s < r->demand ? 1 - v[GAUGE_PREPARING] : request_per_s * bound.read_s / r->workers;
  v[GAUGE_QUEUE] = full ? 1 : 0;
  v[GAUGE_LINK] = device ? v[GAUGE_COPIES] * v[GAUGE_COPY_BYTE] / r->link_byte_per_s / out->cycle_s : 0;
  v[GAUGE_ON_HOST] = out->host_s / out->cycle_s;
  v[GAUGE_ARRIVALS] = r->demand;
  v[GAUGE_SERVED] = request_per_s;
  v[GAUGE_BATCH] = r->step.batch;
  v[GAUGE_LONGEST] = surge && r->surge_tokens > 0 ? r->surge_tokens : 2 * r->step.context;
  v[GAUGE_MOST] = r->step.batch + (surge ? r->surge_requests : 0);
}
