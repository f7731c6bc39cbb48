/* offload: is it worth crossing? A matrix product done here, or carried over a link to a faster device and back. */
#include "scenes/offload.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "scenes/offload_group.h"

enum {
  F_HOST_TIME,
  F_DEVICE_TIME,
  F_SPEEDUP,
  F_LINK_SHARE,
  F_MOVING_SHARE,
  F_CROSSOVER,
  F_FIRST,
  F_MEASURED_TIME,
  F_MEASURED_RATE,
  F_MEASURED_RATIO,
  F_MEASURED_SPEEDUP,
  F_MEASURED_CROSSOVER,
  F_SPREAD,
  F_COUNT,
  F_EFFECTIVE,
  F_KERNEL_SPEEDUP,
  F_LINK_TIME,
  F_MOVING_TIME,
  F_FIXED_TIME,
  F_COMPUTE_TIME,
  F_FIXED_SHARE,
  F_COMPUTE_SHARE,
  F_IN_TIME,
  F_RUN_TIME,
  F_OUT_TIME,
  F_COPIES,
  F_BYTE,
  F_FLOP,
  F_REUSE_HALF,
  F_HOST_RATE,
  F_DEVICE_RATE,
  F_LINK_RATE,
  F_COPY_COST,
  F_LAUNCH_COST,
  F_HOST_FROM,
  F_DEVICE_FROM,
  F_LINK_FROM,
  F_SCHEDULE,
  F_PROVENANCE,
  F_STATE,
  F_FLAGS,
  F_N_SIZE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_HOST_TIME] =
        {"host_time", "on the host", "s", 1, "flop / host_flop_per_s",
         "The host doing the product itself at its rate. It has no memory term, the device's time has: the measured curve bends."},
    [F_DEVICE_TIME] = {"device_time", "by the device", "s", 1, "in_time + run_time + out_time",
                       "Carrying the matrices there, starting the kernel, the arithmetic, and carrying the result back."},
    [F_SPEEDUP] = {"speedup", "speed-up", "x", 1, "host_time / device_time", "End to end, movement included. Below 1 the host wins."},
    [F_LINK_SHARE] = {"link_share", "transfer share", "%", 1, "link_time / device_time",
                      "Bytes over link rate as a share of the device's time; the fixed cost of copy calls is left out."},
    [F_MOVING_SHARE] = {"moving_share", "with set-up", "%", 1, "(in_time + out_time) / device_time",
                        "The transfer share with the fixed cost of the copy calls."},
    [F_CROSSOVER] = {"crossover_n", "tie at n =", "element", 1, NULL,
                     "The size, not a whole number, at which both take equally long. Below it the host wins."},
    [F_FIRST] = {"first_winning_n", "wins from n =", "n", 1, NULL, "The smallest whole size at which the device is faster."},
    [F_MEASURED_TIME] = {"host_measured_time", "host measured", "s", 1, NULL,
                         "The same product really run on this machine's cores: the median of its repetitions."},
    [F_MEASURED_RATE] = {"host_measured_flop_per_s", "host reached", "flop/s", 1, "flop / host_measured_time",
                         "The arithmetic rate the real product reached here."},
    [F_MEASURED_RATIO] = {"measured_ratio", "vs assumed", "x", 2, "host_measured_time / host_time",
                          "The measured host time over the assumed one: the assumed rate ignores caches and memory."},
    [F_MEASURED_SPEEDUP] = {"measured_speedup", "real speed-up", "x", 2, "host_measured_time / device_time",
                            "What the modelled device would gain over this machine as measured."},
    [F_MEASURED_CROSSOVER] = {"measured_crossover_n", "real tie, n =", "element", 2, NULL,
                              "Where this machine's measured curve meets the device's modelled one, between two measured sizes."},
    [F_SPREAD] = {"measured_spread", "spread", "%", 2, NULL,
                  "Half the interquartile range of the repetitions, as a share of their median."},
    [F_COUNT] = {"measured_count", NULL, "n", 2, NULL, "Warm repetitions behind the median; the first run is kept apart."},
    [F_EFFECTIVE] = {"effective_flop_per_s", "delivered", "flop/s", 2, "flop / device_time",
                     "Arithmetic over the whole trip's time. A host with this rate would tie."},
    [F_KERNEL_SPEEDUP] = {"kernel_speedup", "without moves", "x", 2, "host_time / compute_time",
                          "The ratio of the two arithmetic rates: what the speed-up would be if nothing had to move."},
    [F_LINK_TIME] = {"link_time", "link bytes", "s", 2, "byte / link_byte_per_s", "All bytes over the link's rate, both ways added."},
    [F_MOVING_TIME] = {"moving_time", "all copies", "s", 2, "in_time + out_time", "Every copy of one trip with its set-up."},
    [F_FIXED_TIME] = {"fixed_time", "fixed costs", "s", 2, "copies * copy_s + reuse * launch_s",
                      "What the copy calls and launches cost whatever the size."},
    [F_COMPUTE_TIME] = {"compute_time", "arithmetic", "s", 2, "flop / device_flop_per_s", "The arithmetic on the device."},
    [F_FIXED_SHARE] = {"fixed_share", "fixed share", "%", 2, "fixed_time / device_time",
                       "Copy set-ups and launches as a share of the device's time."},
    [F_COMPUTE_SHARE] = {"compute_share", "arithm. share", "%", 2, "compute_time / device_time",
                         "Arithmetic as a share of the device's time."},
    [F_IN_TIME] = {"in_time", "link, in", "s", 2, NULL, "Copies to the device, set-up included."},
    [F_RUN_TIME] = {"run_time", "device", "s", 2, "reuse * launch_s + compute_time", "Launches and arithmetic on the device."},
    [F_OUT_TIME] = {"out_time", "link, out", "s", 2, NULL, "The copy of the result back, set-up included."},
    [F_COPIES] = {"copies", "copy calls", "n", 2, NULL, "Copy calls of one trip, in and out."},
    [F_BYTE] = {"byte", "carried", "byte", 2, NULL, "Bytes over the link in one trip, both ways."},
    [F_FLOP] = {"flop", "arithmetic", "flop", 2, NULL, "Arithmetic of all products of one trip; a multiply-add is 2 FLOP."},
    [F_REUSE_HALF] =
        {"reuse_half", "reuse for 1/2", "n", 2, NULL,
         "Products per set of copies from which the transfer share is below one half (copies and arithmetic one after the other)."},
    [F_HOST_RATE] = {"host_flop_per_s", "host rate", "flop/s", 2, NULL, "The arithmetic rate assumed for the host."},
    [F_DEVICE_RATE] = {"device_flop_per_s", "device rate", "flop/s", 2, NULL, "The arithmetic rate assumed for the device."},
    [F_LINK_RATE] = {"link_byte_per_s", "link rate", "byte/s", 2, NULL,
                     "Bytes a second in one direction. A sheet's figure is the wire's; expect 85 to 90 % of it."},
    [F_COPY_COST] = {"copy_s", "a copy call", "s", 2, NULL, "Fixed time of one copy call."},
    [F_LAUNCH_COST] = {"launch_s", "a launch", "s", 2, NULL, "Fixed time of starting one kernel."},
    [F_HOST_FROM] = {"host_from", "host figure", "", 2, NULL, "Where the host's rate comes from."},
    [F_DEVICE_FROM] = {"device_from", "device figure", "", 2, NULL, "Where the device's rate comes from."},
    [F_LINK_FROM] = {"link_from", "link figure", "", 2, NULL, "Where the link's rate comes from."},
    [F_SCHEDULE] = {"schedule", "stages run", "", 2, NULL, "Whether copies and arithmetic follow one another or overlap."},
    [F_PROVENANCE] = {"provenance", NULL, "", 2, NULL, "Whose numbers the rates are."},
    [F_STATE] = {"state", NULL, "", 2, NULL, "Whether this size has been measured on the host."},
    [F_FLAGS] = {"flags", "marks", "", 2, NULL, "The first doubt the harness has about the measurement."},
    [F_N_SIZE] = {"n", NULL, "n", 2, NULL, "The side of the matrices."},
};

static bool from_devices(const struct setup *s) { return s->v[KNOB_RATES] > 0.5; }
static enum dtype dtype_of(const struct setup *s) { return (enum dtype)(int)s->v[KNOB_DTYPE]; }
static const struct device *device_of(const struct world *w, const struct setup *s) { return &w->device[(int)s->v[KNOB_DEVICE]]; }
static bool on(const struct setup *s, int knob) { return s->v[knob] > 0.5; }

/* A device without an entry for the stored type computes in the one `auto` names. */
static double peak_of(const struct device *d, enum dtype t) {
  enum dtype math = ladder_math(d, t);
  return math == DTYPE_N ? NAN : ladder_peak(d, math, ISA_AUTO, 0);
}

static void offload_resolve(const struct world *w, struct setup *s) {
  if (group_view(s)) {
    group_resolve(w, s);
    return;
  }
  int preset = (int)s->v[KNOB_LINK];
  if (from_devices(s)) {
    const struct device *d = device_of(w, s);
    s->v[KNOB_HOST_RATE] = peak_of(&w->device[DEVICE_HERE], dtype_of(s));
    s->v[KNOB_DEVICE_RATE] = peak_of(d, dtype_of(s));
    s->v[KNOB_LINK_RATE] = d->host.byte_per_s.value;
    if (d->copy_s.value > 0) s->v[KNOB_COPY_COST] = d->copy_s.value;
    if (d->launch_s.value > 0) s->v[KNOB_LAUNCH_COST] = d->launch_s.value;
    if (d->unified || d->is_host) s->v[KNOB_UNIFIED] = 1;
  }
  if (preset > 0) s->v[KNOB_LINK_RATE] = link_preset_rate(preset);
}

static bool offload_applies(const struct setup *s, int knob) {
  if (group_view(s)) return group_applies(s, knob);
  bool carries = !on(s, KNOB_UNIFIED) && (int)s->v[KNOB_RESIDENT] != RESIDENT_ALL;
  switch (knob) {
  case KNOB_HOST_RATE:
  case KNOB_DEVICE_RATE: return !from_devices(s);
  case KNOB_DEVICE: return from_devices(s);
  case KNOB_LINK:
  case KNOB_PIECES:
  case KNOB_COPY_COST: return carries;
  case KNOB_LINK_RATE: return carries && !from_devices(s) && (int)s->v[KNOB_LINK] == 0;
  case KNOB_RESIDENT: return !on(s, KNOB_UNIFIED);
  case KNOB_OVERLAP: return carries;
  case KNOB_SPLIT:
  case KNOB_DEVICES:
  case KNOB_MODEL:
  case KNOB_BATCH:
  case KNOB_CONTEXT: return false;
  case KNOB_PINNED: return carries && on(s, KNOB_OVERLAP);
  default: return true;
  }
}

struct crossing_in offload_in(const struct setup *s) {
  return (struct crossing_in){.n = s->v[KNOB_N_SIZE],
                              .element_byte = dtype_byte(dtype_of(s)),
                              .host_flop_per_s = s->v[KNOB_HOST_RATE],
                              .device_flop_per_s = s->v[KNOB_DEVICE_RATE],
                              .link_byte_per_s = s->v[KNOB_LINK_RATE],
                              .copy_s = s->v[KNOB_COPY_COST],
                              .launch_s = s->v[KNOB_LAUNCH_COST],
                              .resident = (enum resident)(int)s->v[KNOB_RESIDENT],
                              .reuse = s->v[KNOB_REUSE],
                              .pieces = s->v[KNOB_PIECES],
                              .overlap = on(s, KNOB_OVERLAP),
                              .pinned = on(s, KNOB_PINNED),
                              .unified = on(s, KNOB_UNIFIED)};
}

struct request offload_request(const struct setup *s, double n) {
  return (struct request){.op = OP_MATMUL,
                          .shape = {n, n, n, NAN, NAN},
                          .dtype = dtype_of(s) == DTYPE_FP64 ? DTYPE_FP64 : DTYPE_FP32,
                          .isa = ISA_AUTO,
                          .rung = RUNG_AUTO,
                          .threads = 0};
}

int offload_host_points(const struct world *w, const struct setup *s, struct host_point out[], int max) {
  int count = 0;
  for (int i = 0; i < w->nrun; i++) {
    const struct run *r = &w->run[i];
    double n = r->request.shape.n;
    struct request wanted = offload_request(s, n);
    if (!request_equal(&r->request, &wanted) || strcmp(r->machine, w->machine) != 0 || !isfinite(run_time(r)) || count == max) continue;
    int at = count++;
    for (; at > 0 && out[at - 1].n > n; at--) out[at] = out[at - 1];
    out[at] = (struct host_point){n, run_time(r) * s->v[KNOB_REUSE], r->spread};
  }
  return count;
}

/* Where the measured host curve climbs over the device's: between two measured sizes a straight line on the logarithmic picture. */
static double measured_crossover(const struct world *w, const struct setup *s) {
  struct host_point p[HOST_POINT_MAX];
  int count = offload_host_points(w, s, p, HOST_POINT_MAX);
  struct crossing_in in = offload_in(s);
  double before = NAN, n_before = NAN;
  for (int i = 0; i < count; i++) {
    struct crossing_out out;
    in.n = p[i].n;
    crossing_of(&in, &out);
    double now = log(p[i].s / out.device_time);
    if (before <= 0 && now > 0) return n_before * pow(p[i].n / n_before, before / (before - now));
    before = now, n_before = p[i].n;
  }
  return NAN;
}

static void facts_measured(const struct world *w, const struct setup *s, struct fact *f) {
  static const uint8_t measured[] = {F_MEASURED_TIME,    F_MEASURED_RATE,      F_MEASURED_RATIO,
                                     F_MEASURED_SPEEDUP, F_MEASURED_CROSSOVER, F_SPREAD};
  for (size_t i = 0; i < sizeof measured; i++) f[measured[i]].measured = true;
  struct request wanted = offload_request(s, s->v[KNOB_N_SIZE]);
  const struct run *run = run_find(w, &wanted, w->machine);
  f[F_MEASURED_CROSSOVER].value = measured_crossover(w, s);
  f[F_STATE].word = run && isfinite(run_time(run)) ? run->count > 0 ? "measured" : "first run" : "not measured yet: m";
  if (!run || !isfinite(run_time(run))) return;
  f[F_MEASURED_TIME].value = run_time(run) * s->v[KNOB_REUSE];
  f[F_MEASURED_RATE].value = f[F_FLOP].value / f[F_MEASURED_TIME].value;
  f[F_MEASURED_RATIO].value = f[F_MEASURED_TIME].value / f[F_HOST_TIME].value;
  f[F_MEASURED_SPEEDUP].value = f[F_MEASURED_TIME].value / f[F_DEVICE_TIME].value;
  f[F_SPREAD].value = run->spread;
  f[F_COUNT].value = run->count;
  f[F_FLAGS].word = flag_first(run->flags & ~(unsigned)FLAG_IN_CACHE); /* small products fit a cache on any host */
}

static const char *figure_from(const struct figure *f) {
  return isnan(f->value) ? "unknown" : f->unverified ? "unverified" : source_name((enum source)f->source);
}

static void facts_provenance(const struct world *w, const struct setup *s, struct fact *f) {
  const char *typed = "typed in", *round = "the chapter's round number";
  if (from_devices(s)) {
    const struct device *d = device_of(w, s);
    enum dtype math = ladder_math(d, dtype_of(s));
    f[F_HOST_FROM].word = isnan(f[F_HOST_RATE].value) ? "not measured yet: R" : "measured here";
    f[F_DEVICE_FROM].word = math == DTYPE_N                         ? "unknown"
                            : (int)s->v[KNOB_DEVICE] == DEVICE_HERE ? f[F_HOST_FROM].word
                                                                    : figure_from(&d->peak[math]);
    f[F_LINK_FROM].word = (int)s->v[KNOB_LINK] > 0 ? link_preset_name((int)s->v[KNOB_LINK]) : figure_from(&d->host.byte_per_s);
  } else {
    f[F_HOST_FROM].word = s->set[KNOB_HOST_RATE] ? typed : round;
    f[F_DEVICE_FROM].word = s->set[KNOB_DEVICE_RATE] ? typed : round;
    f[F_LINK_FROM].word = (int)s->v[KNOB_LINK] > 0 ? link_preset_name((int)s->v[KNOB_LINK]) : s->set[KNOB_LINK_RATE] ? typed : round;
  }
  bool asked =
      s->set[KNOB_HOST_RATE] || s->set[KNOB_DEVICE_RATE] || s->set[KNOB_LINK_RATE] || s->set[KNOB_COPY_COST] || s->set[KNOB_LAUNCH_COST];
  f[F_PROVENANCE].word = from_devices(s) ? f[F_DEVICE_FROM].word : asked ? "what if" : "the chapter's round rates";
  if (f[F_COPIES].value == 0) f[F_LINK_FROM].word = "nothing is carried";
}

static int offload_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  facts_begin(out, fact_table, F_N, true);
  struct crossing_in in = offload_in(s);
  struct crossing_out trip;
  crossing_of(&in, &trip);

  out[F_HOST_TIME].value = trip.host_time;
  out[F_DEVICE_TIME].value = trip.device_time;
  out[F_SPEEDUP].value = trip.speedup;
  out[F_LINK_SHARE].value = trip.link_share;
  out[F_MOVING_SHARE].value = trip.moving_share;
  out[F_CROSSOVER].value = crossing_n(&in);
  out[F_FIRST].value = crossing_first_n(&in);
  out[F_EFFECTIVE].value = trip.effective_flop_per_s;
  out[F_KERNEL_SPEEDUP].value = trip.host_time / trip.compute_time;
  out[F_LINK_TIME].value = trip.link_time;
  out[F_MOVING_TIME].value = trip.in_time + trip.out_time;
  out[F_FIXED_TIME].value = trip.fixed_time;
  out[F_COMPUTE_TIME].value = trip.compute_time;
  out[F_FIXED_SHARE].value = trip.fixed_time / trip.device_time;
  out[F_COMPUTE_SHARE].value = trip.compute_time / trip.device_time;
  out[F_IN_TIME].value = trip.in_time;
  out[F_RUN_TIME].value = trip.run_time;
  out[F_OUT_TIME].value = trip.out_time;
  out[F_COPIES].value = trip.in_copies + trip.out_copies;
  out[F_BYTE].value = trip.byte;
  out[F_FLOP].value = trip.flop;
  out[F_REUSE_HALF].value = crossing_reuse_half(&in);
  out[F_HOST_RATE].value = in.host_flop_per_s;
  out[F_DEVICE_RATE].value = in.device_flop_per_s;
  out[F_LINK_RATE].value = in.link_byte_per_s;
  out[F_COPY_COST].value = in.copy_s;
  out[F_LAUNCH_COST].value = in.launch_s;
  out[F_N_SIZE].value = in.n;
  out[F_SCHEDULE].word = trip.overlapped ? "overlapped" : in.overlap ? "one by one: overlap needs pinned memory" : "one by one";
  if (trip.overlapped) {
    out[F_DEVICE_TIME].formula = "max(in_time, run_time, out_time)";
    out[F_DEVICE_TIME].meaning = "In a steady stream of trips each costs as long as its slowest stage; the others hide behind it.";
    out[F_LINK_SHARE].formula = out[F_MOVING_SHARE].formula = NULL;
    out[F_LINK_SHARE].meaning = "How much of the time the busier direction of the link carries bytes: both directions run at once.";
  }
  facts_provenance(w, s, out);
  facts_measured(w, s, out);
  if (group_view(s)) {
    for (int i = 0; i < F_N; i++) out[i].label = NULL, out[i].measured = false;
    out[F_STATE].word = "nothing to run: there is one machine";
    out[F_PROVENANCE].word = figure_from(&device_of(w, s)->memory_byte_per_s);
    out[F_FLAGS].word = NULL;
  }
  return F_N + group_facts(w, s, out + F_N);
}

/* A kernel of this size is worth starting: it ends in seconds and its matrices fit in what it may use. */
static bool may_run(const struct world *w, const struct request *r) {
  return r->shape.n <= 8192 && !(work_footprint(r->op, r->shape, r->dtype) > w->device[DEVICE_HERE].machine.memory_cap_byte);
}

/* The size on show first, then the octaves of the curve. */
static int offload_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  int count = 0;
  if (group_view(s)) return 0;
  struct request r = offload_request(s, s->v[KNOB_N_SIZE]);
  if (may_run(w, &r)) out[count++] = r;
  for (double n = 64; n <= 2048; n *= 2) {
    r = offload_request(s, n);
    if (n != s->v[KNOB_N_SIZE] && may_run(w, &r)) out[count++] = r;
  }
  return count;
}

/* The chapter's table: one row per octave of n, all else as set. */
static int offload_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  static const uint8_t column[] = {F_N_SIZE,     F_HOST_TIME,    F_DEVICE_TIME, F_SPEEDUP,
                                   F_LINK_SHARE, F_MOVING_SHARE, F_EFFECTIVE,   F_MEASURED_TIME};
  if (group_view(s)) return group_rows(w, s, row, out);
  if (row < 0 || row > 8) return 0;
  struct setup at = *s;
  struct fact all[FACT_MAX];
  at.v[KNOB_N_SIZE] = 64 << row;
  offload_facts(w, &at, all);
  for (size_t i = 0; i < sizeof column; i++) out[i] = all[column[i]];
  return sizeof column;
}

static const uint8_t knob_list[] = {KNOB_SPLIT,     KNOB_DEVICES,     KNOB_BATCH,       KNOB_CONTEXT, KNOB_MODEL,     KNOB_N_SIZE,
                                    KNOB_RESIDENT,  KNOB_REUSE,       KNOB_OVERLAP,     KNOB_PINNED,  KNOB_HOST_RATE, KNOB_RATES,
                                    KNOB_DEVICE,    KNOB_VIEW,        KNOB_PIECES,      KNOB_UNIFIED, KNOB_LINK,      KNOB_LINK_RATE,
                                    KNOB_COPY_COST, KNOB_LAUNCH_COST, KNOB_DEVICE_RATE, KNOB_DTYPE};
static const uint8_t view_list[] = {VIEW_TRIP, VIEW_DEVICES};
static const struct start start_list[] = {
    {KNOB_N_SIZE, 1024, NULL}, {KNOB_DTYPE, 0, "fp32"}, {KNOB_DEVICE, 0, "illustrative"}, {KNOB_MODEL, 0, "chapter-7b"}};

const struct scene scene_offload = {
    .address = "4.1",
    .name = "offload",
    .question = "Is it worth crossing?",
    .section = "host and accelerator: copies, launches, and the size where crossing pays",
    .next = "feed",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 14,
    .hand = KNOB_N_SIZE,
    .views = view_list,
    .nviews = sizeof view_list,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 4,
    .applies = offload_applies,
    .resolve = offload_resolve,
    .facts = offload_facts,
    .rows = offload_rows,
    .verdict = offload_verdict,
    .measures = offload_measures,
    .axes = offload_axes,
    .draw = offload_draw,
};
