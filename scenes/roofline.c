/* roofline: is the machine calculating, or waiting for memory? One roof, one operation, and the measured point beside the most it could be.
 */
#include <math.h>

#include "model/ladder.h"
#include "model/roof.h"
#include "scenes/roofline.h"
#include "scenes/roofline_condition.h"
#include "scenes/roofline_sample.h"
#include "tui/plot.h"

enum {
  F_BATCH,
  F_OPERATION,
  F_INTENSITY,
  F_ATTAINABLE,
  F_MEASURED_RATE,
  F_MEASURED_RATIO,
  F_CORES_BUSY,
  F_OF_ARITHMETIC,
  F_OF_MEMORY,
  F_MEASURED_TIME,
  F_TIME_LOWER,
  F_TIME_UPPER,
  F_SPREAD,
  F_COUNT,
  F_BOUND,
  F_LEVEL,
  F_FLOP,
  F_OUTPUTS,
  F_MULTIPLY_ADDS,
  F_FLOP_EXACT,
  F_FLOP_OVER,
  F_BYTE,
  F_BYTE_BUS,
  F_RIDGE,
  F_FRACTION,
  F_PEAK,
  F_BANDWIDTH,
  F_MEASURED_BYTE_RATE,
  F_MATH,
  F_PROVENANCE,
  F_ISA,
  F_STATE,
  F_NOTE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_BATCH] = {"uses_per_weight", NULL, "n", 2, NULL, "How often each weight is used once it has been fetched: the batch."},
    [F_OPERATION] = {"operation", NULL, "", 2, NULL, "The computation on show."},
    [F_INTENSITY] = {"arithmetic_intensity", "intensity", "flop/byte", 1, "flop / byte",
                     "Arithmetic done for each byte fetched or stored. It places the operation left or right on the picture."},
    [F_ATTAINABLE] =
        {"attainable_flop_per_s", "at most", "flop/s", 1, "min(peak_flop_per_s, byte_per_s * arithmetic_intensity)",
         "The roof above this operation: no kernel of this intensity can run faster on these two rates. A bound, not a forecast."},
    [F_MEASURED_RATE] = {"measured_flop_per_s", "measured", "flop/s", 1, "flop / measured_time",
                         "What a real kernel reached here: the median of its repetitions."},
    [F_MEASURED_RATIO] =
        {"measured_ratio", "of the roof", "%", 1, "measured_flop_per_s / attainable_flop_per_s",
         "Measured rate over the roof. The rest is not explained until measured; likely, in the order to check: other work at the same time, one thread where more could run, no vector instructions, lines fetched before they are stored, waiting for single loads, starting the threads."},
    [F_CORES_BUSY] = {"cores_busy", "cores busy", "%", 1, NULL,
                      "CPU time over wall time and threads. Busy is not useful: a core waiting for memory counts as busy."},
    [F_OF_ARITHMETIC] = {"of_arithmetic", "of arithmetic", "%", 1, "measured_flop_per_s / peak_flop_per_s",
                         "Share of the arithmetic roof in use."},
    [F_OF_MEMORY] = {"of_memory", "of memory rate", "%", 1, "measured_byte_per_s / byte_per_s", "Share of the memory roof in use."},
    [F_MEASURED_TIME] = {"measured_time", "time", "s", 1, NULL, "Time of one execution: the median of the repetitions."},
    [F_TIME_LOWER] = {"time_lower", "at least", "s", 1, "max(flop / peak_flop_per_s, byte / byte_per_s)",
                      "Arithmetic and traffic perfectly overlapped: no time below this is possible at these rates."},
    [F_TIME_UPPER] = {"time_upper", "one by one", "s", 1, "flop / peak_flop_per_s + byte / byte_per_s",
                      "Arithmetic and traffic one after the other. Other costs are not in it."},
    [F_SPREAD] = {"measured_spread", "spread", "%", 2, NULL,
                  "Half the interquartile range of the repetitions, as a share of their median."},
    [F_COUNT] = {"measured_count", "repetitions", "n", 2, NULL, "Warm repetitions behind the median; the first run is kept apart."},
    [F_BOUND] = {"bound", "bound by", "", 2, NULL,
                 "Which of the two takes longer: moving the bytes (memory) or doing the arithmetic (compute)."},
    [F_LEVEL] = {"level", "level", "", 2, NULL, "The memory level that serves this working set; its rate is the slope of the roof."},
    [F_FLOP] = {"flop", "arithmetic", "flop", 2, NULL, "Arithmetic of one execution; a fused multiply-add is 2 FLOP."},
    [F_OUTPUTS] = {"outputs", "results", "n", 2, "m * n", "Numbers a product gives: each a sum of k products, none waiting for another."},
    [F_MULTIPLY_ADDS] = {"multiply_adds", "multiply-adds", "n", 2, "flop / 2",
                         "The same arithmetic counted as hardware does it. Whoever counts these has half the number, and half the rate."},
    [F_FLOP_EXACT] = {"flop_exact", "one add less", "flop", 2, "m * n * (2 * k - 1)",
                      "A sum of k products needs k - 1 additions only; the usual count takes k."},
    [F_FLOP_OVER] = {"flop_over", "counted over", "%", 2, "1 - flop_exact / flop", "How much the usual count of 2 m n k is above that."},
    [F_BYTE] = {"byte", "traffic", "byte", 2, NULL, "Bytes of one execution if every operand moves once: the compulsory traffic."},
    [F_BYTE_BUS] = {"byte_bus", "on the bus", "byte", 2, NULL,
                    "The same with write-allocate: a line that is only written is fetched first."},
    [F_RIDGE] = {"ridge_point", "ridge point", "flop/byte", 2, "peak_flop_per_s / byte_per_s",
                 "The intensity at which the two roofs meet. Left of it memory limits, right of it arithmetic."},
    [F_FRACTION] = {"fraction_of_peak", "of peak", "%", 2, "attainable_flop_per_s / peak_flop_per_s",
                    "The roof above this operation as a share of the arithmetic peak."},
    [F_PEAK] = {"peak_flop_per_s", "peak", "flop/s", 2, NULL, "The most arithmetic a second: dense, in the chosen arithmetic."},
    [F_BANDWIDTH] = {"byte_per_s", "bandwidth", "byte/s", 2, NULL, "The most bytes a second from the level that serves this working set."},
    [F_MEASURED_BYTE_RATE] = {"measured_byte_per_s", "moved", "byte/s", 2, "byte / measured_time",
                              "Compulsory bytes over the measured time."},
    [F_MATH] = {"math", "arithmetic in", "", 2, NULL,
                "The arithmetic in use: the stored type if the device lists it, else bf16, else fp32."},
    [F_PROVENANCE] = {"provenance", "figures", "", 2, NULL,
                      "Whose numbers the roofs are: vendor, derived, illustrative, or measured here."},
    [F_ISA] = {"isa", "ran with", "", 2, NULL, "The instruction set the kernel ran with."},
    [F_STATE] = {"state", NULL, "", 2, NULL, "Whether there is a measured point, and if not, why."},
    [F_NOTE] = {"flags", "marks", "", 2, NULL, "Doubts about the measurement, from the harness."},
};

const struct device *roofline_device(const struct world *w, const struct setup *s) { return &w->device[(int)s->v[KNOB_DEVICE]]; }
static enum op op_of(const struct setup *s) { return (enum op)(int)s->v[KNOB_OP]; }
static enum dtype dtype_of(const struct setup *s) { return (enum dtype)(int)s->v[KNOB_DTYPE]; }
bool roofline_here(const struct setup *s) { return (int)s->v[KNOB_DEVICE] == DEVICE_HERE; }

enum dtype roofline_math(const struct world *w, const struct setup *s, const struct device *d) {
  int i = (int)s->v[KNOB_MATH];
  if (i > 0) return (enum dtype)(i - 1);
  return d == &w->device[DEVICE_HERE] ? dtype_real(dtype_of(s)) : ladder_math(d, dtype_of(s)); /* our kernels widen what is stored in less */
}

/* Sizes that mean nothing to the operation are NAN, so that turning their knobs does not ask for a new measurement. */
static struct shape shape_of(const struct setup *s) {
  enum op op = op_of(s);
  struct shape shape = {s->v[KNOB_N_SIZE], s->v[KNOB_M], s->v[KNOB_K], s->v[KNOB_BATCH], s->v[KNOB_FMA], s->v[KNOB_CHAIN], .stride = NAN};
  for (int i = 0; i < SHAPE_N; i++)
    if (!work_uses(op, shape_name(i))) shape_set(&shape, i, NAN);
  return shape;
}

/* Here by the kernels' own count: only weights are stored in fewer bits, what they are used on is not. */
static struct work op_work(const struct setup *s) {
  if (op_of(s) == OP_CUSTOM) return (struct work){s->v[KNOB_FLOP], s->v[KNOB_BYTE], s->v[KNOB_BYTE]};
  return roofline_here(s) ? work_of_kernel(op_of(s), shape_of(s), dtype_of(s)) : work_of(op_of(s), shape_of(s), dtype_of(s));
}

struct request roofline_request(const struct setup *s) {
  return (struct request){.op = op_of(s),
                          .shape = shape_of(s),
                          .dtype = dtype_of(s),
                          .isa = (enum isa)(int)s->v[KNOB_ISA],
                          .rung = op_of(s) == OP_MATMUL ? (enum rung)(int)s->v[KNOB_RUNG] : RUNG_AUTO,
                          .threads = s->set[KNOB_THREADS] ? (int)s->v[KNOB_THREADS] : 0,
                          .hog = s->v[KNOB_HOG] > 0};
}

bool roofline_reads_only(enum op op) { return op == OP_WEIGHTS || op == OP_DOT || op == OP_DIAL; }

static int threads_of(const struct setup *s) { return s->set[KNOB_THREADS] ? (int)s->v[KNOB_THREADS] : 0; }

/* Data a catalogue device works on starts in its main memory; here the kernel repeats on warm data, so the level that holds it serves it.
 */
double roofline_bandwidth(const struct world *w, const struct setup *s, const struct device *d, bool here, int *level) {
  (void)w;
  *level = d->nlevel - 1;
  if (!here) return d->memory_byte_per_s.value;
  if (op_of(s) == OP_CUSTOM) return d->memory_byte_per_s.value;
  double footprint = work_footprint(op_of(s), shape_of(s), dtype_of(s));
  return ladder_rate(d, footprint, roofline_reads_only(op_of(s)), threads_of(s), level);
}

double roofline_peak(const struct world *w, const struct setup *s, const struct device *d) {
  enum dtype math = roofline_math(w, s, d);
  return math == DTYPE_N ? NAN : ladder_peak(d, math, (enum isa)(int)s->v[KNOB_ISA], threads_of(s));
}

static void roofline_resolve(const struct world *w, struct setup *s) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  enum op op = op_of(s);
  bool here = roofline_here(s);
  if (isnan(s->v[KNOB_N_SIZE]))
    s->v[KNOB_N_SIZE] = work_start_n(op, dtype_of(s), here ? m->last_cache_byte : NAN, here ? m->memory_cap_byte : NAN);
  struct shape shape = work_complete(op, (struct shape){s->v[KNOB_N_SIZE], s->v[KNOB_M], s->v[KNOB_K], s->v[KNOB_BATCH], s->v[KNOB_FMA], NAN, .stride = NAN});
  s->v[KNOB_M] = shape.m;
  s->v[KNOB_K] = shape.k;
  if (isnan(s->v[KNOB_THREADS]) && m->threads > 0) s->v[KNOB_THREADS] = m->threads;
  int level;
  double rate = roofline_bandwidth(w, s, roofline_device(w, s), here, &level), crippled = condition_bandwidth(w, s);
  if (isnan(s->v[KNOB_PEAK])) s->v[KNOB_PEAK] = condition_peak(w, s);
  if (isnan(s->v[KNOB_PEAK])) s->v[KNOB_PEAK] = roofline_peak(w, s, roofline_device(w, s));
  if (isnan(s->v[KNOB_BANDWIDTH])) s->v[KNOB_BANDWIDTH] = !isnan(crippled) && level == w->device[DEVICE_HERE].nlevel - 1 ? crippled : rate;
}

static bool roofline_applies(const struct setup *s, int knob) {
  enum op op = op_of(s);
  switch (knob) {
  case KNOB_N_SIZE: return work_uses(op, "n");
  case KNOB_M: return work_uses(op, "m");
  case KNOB_K: return work_uses(op, "k");
  case KNOB_BATCH: return work_uses(op, "batch");
  case KNOB_FMA: return work_uses(op, "fma");
  case KNOB_CHAIN: return work_uses(op, "chain");
  case KNOB_RUNG: return op == OP_MATMUL;
  case KNOB_ISA:
  case KNOB_HOG:
  case KNOB_THREADS: return roofline_here(s) && op != OP_CUSTOM;
  case KNOB_FLOP:
  case KNOB_BYTE:
  case KNOB_TIME: return op == OP_CUSTOM;
  case KNOB_DTYPE: return op != OP_CUSTOM;
  case KNOB_PICK: return *knob_text(s, KNOB_SAMPLES) != 0;
  default: return true;
  }
}

static const char *provenance_of(const struct world *w, const struct setup *s, const struct device *d) {
  if (s->set[KNOB_PEAK] || s->set[KNOB_BANDWIDTH]) return "what if";
  if (roofline_here(s) && !d->machine.measured) return "not measured";
  enum dtype math = roofline_math(w, s, d);
  if (d->illustrative) return "illustrative";
  if (math == DTYPE_N) return "unknown";
  const struct figure *peak = &d->peak[math], *rate = &d->memory_byte_per_s;
  if (peak->unverified || rate->unverified) return "unverified";
  return source_name((enum source)peak->source);
}

static void facts_measured(const struct world *w, const struct setup *s, struct fact *f) {
  f[F_MEASURED_RATE].measured = f[F_MEASURED_RATIO].measured = f[F_MEASURED_TIME].measured = f[F_OF_ARITHMETIC].measured = true;
  f[F_OF_MEMORY].measured = f[F_MEASURED_BYTE_RATE].measured = f[F_CORES_BUSY].measured = true;
  double time = NAN, flop = f[F_FLOP].value, byte = f[F_BYTE].value;
  if (op_of(s) == OP_CUSTOM) {
    time = s->v[KNOB_TIME];
    f[F_STATE].word = isnan(time) ? "no time typed in" : "typed in";
  } else if (!roofline_here(s)) {
    f[F_STATE].word = "only this machine can be measured: device=here";
  } else {
    struct request r = roofline_request(s);
    const struct run *run = run_find(w, &r, w->machine);
    if (run && isfinite(run_time(run))) {
      time = run_time(run);
      flop = run->flop, byte = run->byte;
      f[F_SPREAD].value = run->spread;
      f[F_COUNT].value = run->count;
      f[F_CORES_BUSY].value = run->cpu_time / (time * run->threads);
      f[F_ISA].word = isa_name(run->isa);
      f[F_NOTE].word = flag_first(run->flags);
      f[F_STATE].word = run->count > 0 ? "measured" : "first run";
    } else
      f[F_STATE].word = "not measured yet: m";
  }
  f[F_MEASURED_TIME].value = time;
  f[F_MEASURED_RATE].value = flop / time;
  f[F_MEASURED_BYTE_RATE].value = byte / time;
  f[F_MEASURED_RATIO].value = f[F_MEASURED_RATE].value / f[F_ATTAINABLE].value;
  f[F_OF_ARITHMETIC].value = f[F_MEASURED_RATE].value / f[F_PEAK].value;
  f[F_OF_MEMORY].value = f[F_MEASURED_BYTE_RATE].value / f[F_BANDWIDTH].value;
}

static int roofline_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  const struct device *d = roofline_device(w, s);
  facts_begin(out, fact_table, F_N, true);
  enum op op = op_of(s);
  struct work work = op_work(s);
  double peak = s->v[KNOB_PEAK], rate = s->v[KNOB_BANDWIDTH], intensity = roof_intensity(work.flop, work.byte);
  int level;
  roofline_bandwidth(w, s, d, roofline_here(s), &level);
  enum dtype math = roofline_math(w, s, d);

  out[F_BATCH].value = op == OP_WEIGHTS ? s->v[KNOB_BATCH] : NAN;
  out[F_OPERATION].word = op_name(op);
  out[F_INTENSITY].value = intensity;
  out[F_ATTAINABLE].value = roof_attainable(peak, rate, intensity);
  out[F_TIME_LOWER].value = roof_time_lower(work.flop, work.byte, peak, rate);
  out[F_TIME_UPPER].value = roof_time_upper(work.flop, work.byte, peak, rate);
  out[F_BOUND].word = bound_name(roof_bound(work.flop, work.byte, peak, rate));
  out[F_LEVEL].word = level >= 0 && level < d->nlevel && d->level[level].name[0] ? d->level[level].name : "memory";
  out[F_FLOP].value = work.flop;
  if (op == OP_MATMUL) {
    out[F_OUTPUTS].value = s->v[KNOB_M] * s->v[KNOB_N_SIZE];
    out[F_MULTIPLY_ADDS].value = work.flop / 2;
    out[F_FLOP_EXACT].value = work.flop - out[F_OUTPUTS].value;
    out[F_FLOP_OVER].value = out[F_OUTPUTS].value / work.flop;
  } else {
    for (int i = F_OUTPUTS; i <= F_FLOP_OVER; i++) out[i].label = NULL; /* of a product only */
  }
  out[F_BYTE].value = work.byte;
  out[F_BYTE_BUS].value = work.byte_bus;
  out[F_RIDGE].value = roof_ridge(peak, rate);
  out[F_FRACTION].value = out[F_ATTAINABLE].value / peak;
  out[F_PEAK].value = peak;
  out[F_BANDWIDTH].value = rate;
  out[F_MATH].word = math == DTYPE_N ? "unknown" : dtype_name(math);
  out[F_PROVENANCE].word = provenance_of(w, s, d);
  facts_measured(w, s, out);
  for (int i = 0; i < F_N && sample_picked(w, s); i++) /* one thing first: the sample's figures are the ones asked for */
    if (out[i].detail == 1) out[i].detail = 2;
  int n = F_N + sample_facts(w, s, out + F_N);
  n += why_facts(w, s, out + n);
  return n + condition_facts(w, s, out + n);
}

static int roofline_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  if (!roofline_here(s) || op_of(s) == OP_CUSTOM) return 0;
  static const double row[] = {1, 4, 16, 64, 256}; /* the dial's points from one end to the other, where it bends between them */
  int n = 0;
  out[n++] = roofline_request(s);
  n += condition_measures(w, s, out + n);
  for (size_t i = 0; i < sizeof row / sizeof *row && op_of(s) == OP_DIAL; i++) {
    if (row[i] == s->v[KNOB_FMA]) continue;
    out[n] = out[0];
    out[n++].shape.fma = row[i];
  }
  /* Where reasons are asked for, what starting the team costs is one of them. */
  if (s->v[KNOB_WHY] > 0.5 && out[0].threads != 1 && w->device[DEVICE_HERE].machine.threads > 1)
    out[n++] =
        (struct request){.op = OP_DISPATCH, .shape = {NAN, NAN, NAN, NAN, NAN, NAN, .stride = NAN}, .dtype = DTYPE_FP32, .threads = out[0].threads};
  return n;
}

/* The window comes from the machine's two roofs, not from the point: a moving point must not move its axes. A point outside widens them. */
static void roofline_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  (void)w;
  double peak = s->v[KNOB_PEAK], rate = s->v[KNOB_BANDWIDTH];
  struct work work = op_work(s);
  double x = roof_intensity(work.flop, work.byte);
  if (!(peak > 0)) peak = 1e11;
  if (!(rate > 0)) rate = peak / 10;
  double decade = floor(log10(peak / rate));
  double x_lo = pow(10, decade - 2), x_hi = pow(10, decade + 2);
  if (x > 0 && isfinite(x)) {
    while (x < x_lo * 1.3 && x_lo > 1e-9) x_lo /= 10;
    while (x > x_hi / 1.3 && x_hi < 1e12) x_hi *= 10;
  }
  double y_hi = pow(10, ceil(log10(peak * 1.6) * 2) / 2), y_lo = y_hi / pow(10, 3.0 + (log10(x_hi / x_lo) - 4) * 0.75);
  axis_keep(prev ? prev->x : (double[2]){NAN, NAN}, x_lo, x_hi, true, out->x);
  axis_keep(prev ? prev->y : (double[2]){NAN, NAN}, y_lo, y_hi, true, out->y);
}

static const uint8_t knob_list[] = {KNOB_BATCH,   KNOB_FMA,  KNOB_CHAIN,  KNOB_PICK, KNOB_FLOP,    KNOB_BYTE, KNOB_TIME, KNOB_N_SIZE,
                                    KNOB_OP,      KNOB_DTYPE, KNOB_DEVICE,  KNOB_M,    KNOB_K,    KNOB_ISA, KNOB_HOG,
                                    KNOB_THREADS, KNOB_RUNG,  KNOB_COMPARE, KNOB_MATH, KNOB_PEAK, KNOB_BANDWIDTH,
                                    KNOB_SAMPLES};
static const struct start start_list[] = {{KNOB_DEVICE, 0, "here"}};

const struct scene scene_roofline = {
    .address = "2.1",
    .name = "roofline",
    .question = "Is the machine calculating, or waiting for memory?",
    .section = "the roofline: intensity, two roofs, the ridge",
    .next = "decode",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 11,
    .hand = KNOB_BATCH,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 5,
    .trail_x = "arithmetic_intensity",
    .trail_y = "attainable_flop_per_s",
    .applies = roofline_applies,
    .resolve = roofline_resolve,
    .facts = roofline_facts,
    .rows = sample_rows,
    .verdict = roofline_verdict,
    .measures = roofline_measures,
    .why = roofline_why,
    .axes = roofline_axes,
    .draw = roofline_draw,
};
