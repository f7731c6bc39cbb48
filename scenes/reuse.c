/* reuse: how do I use each byte more often? The same arithmetic three times with much traffic and with little: a matrix product in tiles, a
 * chain of element-wise operations fused, an attention head whose scores stay on the chip. */
#include "scenes/reuse.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/traffic.h"

static enum view_id view_of(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }
static enum dtype dtype_of(const struct setup *s) { return (enum dtype)(int)s->v[KNOB_DTYPE]; }
static int threads_of(const struct setup *s) { return s->set[KNOB_THREADS] ? (int)s->v[KNOB_THREADS] : 0; }

static bool runs_here(const struct setup *s) {
  return (int)s->v[KNOB_DEVICE] == DEVICE_HERE && (dtype_of(s) == DTYPE_FP32 || dtype_of(s) == DTYPE_FP64);
}

/* ---- requests ---- */

static struct request request_of(const struct setup *s, enum op op) {
  return (struct request){.op = op,
                          .shape = {NAN, NAN, NAN, NAN, NAN, NAN, .stride = NAN},
                          .dtype = dtype_of(s),
                          .isa = (enum isa)(int)s->v[KNOB_ISA],
                          .rung = RUNG_AUTO,
                          .threads = threads_of(s)};
}

struct request reuse_request_rung(const struct setup *s, enum rung r, double n) {
  struct request out = request_of(s, OP_MATMUL);
  out.shape.n = out.shape.m = out.shape.k = n;
  out.rung = r;
  return out;
}

struct request reuse_request_chain(const struct setup *s, bool fused, double length, double chain) {
  struct request out = request_of(s, fused ? OP_CHAIN_FUSED : OP_CHAIN);
  out.shape.n = length;
  out.shape.chain = chain;
  return out;
}

struct request reuse_request_attention(const struct setup *s, bool fused, double sequence) {
  struct request out = request_of(s, fused ? OP_ATTENTION_FUSED : OP_ATTENTION);
  out.shape.n = sequence;
  out.shape.k = s->v[KNOB_K];
  out.shape.batch = 1;
  return out;
}

static enum rung rung_at(const struct setup *s, int knob) {
  enum rung r = (enum rung)(int)s->v[knob];
  return r == RUNG_AUTO ? RUNG_ALL_CORES : r;
}

void reuse_requests(const struct setup *s, enum view_id view, struct request pair[2]) {
  for (int i = 0; i < 2; i++)
    pair[i] = view == VIEW_FUSION      ? reuse_request_chain(s, i == 0, s->v[KNOB_LENGTH], s->v[KNOB_CHAIN])
              : view == VIEW_ATTENTION ? reuse_request_attention(s, i == 0, s->v[KNOB_SEQUENCE])
                                       : reuse_request_rung(s, i == 0 ? rung_at(s, KNOB_RUNG) : RUNG_PLAIN, s->v[KNOB_N_SIZE]);
}

const struct run *reuse_run(const struct world *w, const struct request *r) {
  const struct run *run = run_find(w, r, w->machine);
  return run && isfinite(run_time(run)) ? run : NULL;
}

static int request_add(struct request out[REQUEST_MAX], int n, struct request r) {
  for (int i = 0; i < n; i++)
    if (request_equal(&out[i], &r)) return n;
  if (n < REQUEST_MAX) out[n++] = r;
  return n;
}

/* What is on show first; then what it stands beside; then its curve. */
static int reuse_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  static const double sizes[] = {256, 512, 2048, 128, 64}, chains[] = {2, 4, 8, 16, 32, 64, 128},
                      lengths[] = {512, 1024, 2048, 256, 128, 4096};
  struct request pair[2];
  int n = 0;
  (void)w;
  if (!runs_here(s)) return 0;
  reuse_requests(s, view_of(s), pair);
  for (int i = 0; i < 2; i++) n = request_add(out, n, pair[i]);
  if (view_of(s) == VIEW_FUSION)
    for (int i = 0; i < 14; i++) n = request_add(out, n, reuse_request_chain(s, i % 2 == 0, s->v[KNOB_LENGTH], chains[i / 2]));
  else if (view_of(s) == VIEW_ATTENTION)
    for (int i = 0; i < 12; i++) n = request_add(out, n, reuse_request_attention(s, i % 2 == 0, lengths[i / 2]));
  else {
    for (int r = RUNG_PLAIN; r < RUNG_N; r++) n = request_add(out, n, reuse_request_rung(s, (enum rung)r, s->v[KNOB_N_SIZE]));
    for (int i = 0; i < 10; i++) n = request_add(out, n, reuse_request_rung(s, rung_at(s, i % 2 ? KNOB_AGAINST : KNOB_RUNG), sizes[i / 2]));
  }
  return n;
}

/* ---- measured curves ---- */

static int point_add(struct reuse_point out[REUSE_POINT_MAX], int n, struct reuse_point p) {
  if (n == REUSE_POINT_MAX || !(p.y > 0)) return n;
  int at = n;
  for (; at > 0 && out[at - 1].x > p.x; at--) out[at] = out[at - 1];
  out[at] = p;
  return n + 1;
}

int reuse_points_rung(const struct world *w, const struct setup *s, enum rung r, struct reuse_point out[REUSE_POINT_MAX]) {
  int n = 0;
  for (int i = 0; runs_here(s) && i < w->nrun; i++) {
    if (w->run[i].request.op != OP_MATMUL) continue;
    struct request wanted = reuse_request_rung(s, r, w->run[i].request.shape.n);
    const struct run *run = reuse_run(w, &wanted);
    if (run == &w->run[i]) n = point_add(out, n, (struct reuse_point){wanted.shape.n, run->flop / run_time(run), run->spread});
  }
  return n;
}

int reuse_points_chain(const struct world *w, const struct setup *s, struct reuse_point out[REUSE_POINT_MAX]) {
  int n = 0;
  for (int i = 0; runs_here(s) && i < w->nrun; i++) {
    double chain = w->run[i].request.shape.chain;
    if (w->run[i].request.op != OP_CHAIN_FUSED) continue;
    struct request one = reuse_request_chain(s, true, s->v[KNOB_LENGTH], chain),
                   two = reuse_request_chain(s, false, s->v[KNOB_LENGTH], chain);
    const struct run *fused = reuse_run(w, &one), *apart = reuse_run(w, &two);
    if (fused != &w->run[i] || !apart) continue;
    n = point_add(out, n, (struct reuse_point){chain, run_time(apart) / run_time(fused), fused->spread + apart->spread});
  }
  return n;
}

int reuse_points_attention(const struct world *w, const struct setup *s, bool fused, struct reuse_point out[REUSE_POINT_MAX]) {
  int n = 0;
  for (int i = 0; runs_here(s) && i < w->nrun; i++) {
    if (w->run[i].request.op != (fused ? OP_ATTENTION_FUSED : OP_ATTENTION)) continue;
    struct request wanted = reuse_request_attention(s, fused, w->run[i].request.shape.n);
    const struct run *run = reuse_run(w, &wanted);
    if (run == &w->run[i]) n = point_add(out, n, (struct reuse_point){wanted.shape.n, run->flop / run_time(run), run->spread});
  }
  return n;
}

/* ---- the question ---- */

static double peak_of(const struct setup *s, const struct device *d, enum dtype math, int threads) {
  return math == DTYPE_N ? NAN : ladder_peak(d, math, (enum isa)(int)s->v[KNOB_ISA], threads);
}

/* Bytes come from the level that holds everything the wasteful way touches: here the kernel repeats on warm data; elsewhere data start in
 * the device's memory. One level for both ways, so that what differs is the traffic alone. */
static double rate_of(const struct setup *s, const struct device *d, enum view_id view, int threads, int *level) {
  struct request pair[2];
  *level = d->nlevel - 1;
  if ((int)s->v[KNOB_DEVICE] != DEVICE_HERE) return d->memory_byte_per_s.value;
  reuse_requests(s, view, pair);
  return ladder_rate(d, work_footprint(pair[1].op, pair[1].shape, dtype_of(s)), false, threads, level);
}

struct reuse reuse_of(const struct world *w, const struct setup *s) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  struct reuse q = {.view = view_of(s),
                    .device = d,
                    .here = (int)s->v[KNOB_DEVICE] == DEVICE_HERE,
                    .runs = runs_here(s),
                    .dtype = dtype_of(s),
                    .math = s->v[KNOB_MATH] > 0 ? (enum dtype)((int)s->v[KNOB_MATH] - 1) : ladder_math(d, dtype_of(s)),
                    .element_byte = dtype_byte(dtype_of(s)),
                    .n = s->v[KNOB_N_SIZE],
                    .tile = fmin(s->v[KNOB_TILE], s->v[KNOB_N_SIZE]),
                    .length = s->v[KNOB_LENGTH],
                    .chain = s->v[KNOB_CHAIN],
                    .sequence = s->v[KNOB_SEQUENCE],
                    .width = s->v[KNOB_K],
                    .rung = rung_at(s, KNOB_RUNG),
                    .against = rung_at(s, KNOB_AGAINST),
                    .peak = s->v[KNOB_PEAK],
                    .rate = s->v[KNOB_BANDWIDTH]};
  int level;
  rate_of(s, d, q.view, threads_of(s), &q.level);
  bool one = q.here && d->machine.threads > 1 && !s->set[KNOB_PEAK] && !s->set[KNOB_BANDWIDTH];
  q.one_peak = one ? peak_of(s, d, q.math, 1) : NAN;
  q.one_rate = one ? rate_of(s, d, q.view, 1, &level) : NAN;
  return q;
}

struct reuse_pair reuse_pair_of(const struct reuse *q, enum view_id view) {
  struct shape chain = {.n = q->length, .m = NAN, .k = NAN, .batch = 1, .fma = 1, .chain = q->chain, .stride = NAN};
  struct shape head = {.n = q->sequence, .m = NAN, .k = q->width, .batch = 1, .fma = 1, .chain = 1, .stride = NAN};
  if (view == VIEW_FUSION) return (struct reuse_pair){work_of(OP_CHAIN, chain, q->dtype), work_of(OP_CHAIN_FUSED, chain, q->dtype)};
  if (view == VIEW_ATTENTION)
    return (struct reuse_pair){work_of(OP_ATTENTION, head, q->dtype), work_of(OP_ATTENTION_FUSED, head, q->dtype)};
  double flop = 2 * q->n * q->n * q->n, before = traffic_tile_byte(q->n, 1, q->element_byte),
         after = traffic_tile_byte(q->n, q->tile, q->element_byte);
  return (struct reuse_pair){{flop, before, before}, {flop, after, after}};
}

static void reuse_resolve(const struct world *w, struct setup *s) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  bool here = (int)s->v[KNOB_DEVICE] == DEVICE_HERE;
  enum dtype math = s->v[KNOB_MATH] > 0 ? (enum dtype)((int)s->v[KNOB_MATH] - 1) : ladder_math(d, dtype_of(s));
  int level;
  if (isnan(s->v[KNOB_N_SIZE])) s->v[KNOB_N_SIZE] = work_start_n(OP_MATMUL, dtype_of(s), NAN, NAN);
  if (isnan(s->v[KNOB_LENGTH]))
    s->v[KNOB_LENGTH] = work_start_n(OP_CHAIN_FUSED, dtype_of(s), here ? m->last_cache_byte : NAN, here ? m->memory_cap_byte / 2 : NAN);
  if (isnan(s->v[KNOB_K])) s->v[KNOB_K] = 128;
  if (isnan(s->v[KNOB_THREADS]) && m->threads > 0) s->v[KNOB_THREADS] = m->threads;
  if (isnan(s->v[KNOB_PEAK])) s->v[KNOB_PEAK] = peak_of(s, d, math, threads_of(s));
  if (isnan(s->v[KNOB_BANDWIDTH])) s->v[KNOB_BANDWIDTH] = rate_of(s, d, view_of(s), threads_of(s), &level);
}

static bool reuse_applies(const struct setup *s, int knob) {
  enum view_id view = view_of(s);
  switch (knob) {
  case KNOB_TILE:
  case KNOB_RUNG:
  case KNOB_AGAINST: return view == VIEW_TILE && (knob == KNOB_TILE || runs_here(s));
  case KNOB_N_SIZE: return view == VIEW_TILE;
  case KNOB_CHAIN:
  case KNOB_LENGTH: return view == VIEW_FUSION;
  case KNOB_SEQUENCE:
  case KNOB_K: return view == VIEW_ATTENTION;
  case KNOB_ISA:
  case KNOB_THREADS: return runs_here(s);
  default: return true;
  }
}

static const uint8_t knob_list[] = {KNOB_TILE,    KNOB_CHAIN,  KNOB_SEQUENCE, KNOB_VIEW,     KNOB_RUNG, KNOB_AGAINST,
                                    KNOB_DTYPE,   KNOB_DEVICE, KNOB_N_SIZE,   KNOB_LENGTH,   KNOB_K,    KNOB_ISA,
                                    KNOB_THREADS, KNOB_MATH,   KNOB_PEAK,     KNOB_BANDWIDTH};
static const uint8_t view_list[] = {VIEW_TILE, VIEW_FUSION, VIEW_ATTENTION};
static const struct start start_list[] = {{KNOB_DEVICE, 0, "here"}, {KNOB_RUNG, RUNG_TILED, NULL}};

const struct scene scene_reuse = {
    .address = "2.3",
    .name = "reuse",
    .question = "How do I use each byte more often?",
    .section = "the same arithmetic, fewer bytes: tiles, fusion, attention",
    .next = "decode",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 8,
    .hand = KNOB_TILE,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .views = view_list,
    .nviews = sizeof view_list,
    .min_w = 24,
    .min_h = 5,
    .trail_x = "arithmetic_intensity",
    .trail_y = "attainable_flop_per_s",
    .applies = reuse_applies,
    .resolve = reuse_resolve,
    .facts = reuse_facts,
    .rows = reuse_rows,
    .verdict = reuse_verdict,
    .measures = reuse_measures,
    .axes = reuse_axes,
    .draw = reuse_draw,
    .why = reuse_why,
};
