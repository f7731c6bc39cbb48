/* roofline: is the machine calculating, or waiting for memory? One roof, one operation, and the measured point beside the most it could be. */
#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/roof.h"
#include "scenes/scene.h"
#include "tui/number.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum {
  F_BATCH, F_OPERATION, F_INTENSITY, F_ATTAINABLE, F_MEASURED_RATE, F_MEASURED_RATIO, F_CORES_BUSY, F_OF_ARITHMETIC, F_OF_MEMORY, F_MEASURED_TIME,
  F_TIME_LOWER, F_TIME_UPPER, F_SPREAD, F_COUNT, F_BOUND, F_LEVEL, F_FLOP, F_BYTE, F_BYTE_BUS, F_RIDGE, F_FRACTION, F_PEAK, F_BANDWIDTH,
  F_MEASURED_BYTE_RATE, F_MATH, F_PROVENANCE, F_ISA, F_STATE, F_NOTE, F_N
};

static const struct fact fact_table[F_N] = {
    [F_BATCH] = {"uses_per_weight", NULL, "n", 2, NULL, "How often each weight is used once it has been fetched: the batch."},
    [F_OPERATION] = {"operation", NULL, "", 2, NULL, "The computation on show."},
    [F_INTENSITY] = {"arithmetic_intensity", "intensity", "flop/byte", 1, "flop / byte",
                     "Arithmetic done for each byte fetched or stored. It places the operation left or right on the picture."},
    [F_ATTAINABLE] = {"attainable_flop_per_s", "at most", "flop/s", 1, "min(peak_flop_per_s, byte_per_s * arithmetic_intensity)",
                      "The roof above this operation: no kernel of this intensity can run faster on these two rates. A bound, not a forecast."},
    [F_MEASURED_RATE] = {"measured_flop_per_s", "measured", "flop/s", 1, "flop / measured_time", "What a real kernel reached here: the median of its repetitions."},
    [F_MEASURED_RATIO] = {"measured_ratio", "of the roof", "%", 1, "measured_flop_per_s / attainable_flop_per_s",
                          "Measured rate over the roof. What is missing is not explained by the roofline: launch, latency, vectorisation, write-allocate."},
    [F_CORES_BUSY] = {"cores_busy", "cores busy", "%", 1, NULL,
                      "CPU time over wall time and threads. Busy is not useful: a core waiting for memory counts as busy."},
    [F_OF_ARITHMETIC] = {"of_arithmetic", "of arithmetic", "%", 1, "measured_flop_per_s / peak_flop_per_s", "Share of the arithmetic roof in use."},
    [F_OF_MEMORY] = {"of_memory", "of memory rate", "%", 1, "measured_byte_per_s / byte_per_s", "Share of the memory roof in use."},
    [F_MEASURED_TIME] = {"measured_time", "time", "s", 1, NULL, "Time of one execution: the median of the repetitions."},
    [F_TIME_LOWER] = {"time_lower", "at least", "s", 1, "max(flop / peak_flop_per_s, byte / byte_per_s)",
                      "Arithmetic and traffic perfectly overlapped: no time below this is possible at these rates."},
    [F_TIME_UPPER] = {"time_upper", "one by one", "s", 1, "flop / peak_flop_per_s + byte / byte_per_s",
                      "Arithmetic and traffic one after the other. Other costs are not in it."},
    [F_SPREAD] = {"measured_spread", "spread", "%", 2, NULL, "Half the interquartile range of the repetitions, as a share of their median."},
    [F_COUNT] = {"measured_count", "repetitions", "n", 2, NULL, "Warm repetitions behind the median; the first run is kept apart."},
    [F_BOUND] = {"bound", "bound by", "", 2, NULL, "Which of the two takes longer: moving the bytes (memory) or doing the arithmetic (compute)."},
    [F_LEVEL] = {"level", "level", "", 2, NULL, "The memory level that serves this working set; its rate is the slope of the roof."},
    [F_FLOP] = {"flop", "arithmetic", "flop", 2, NULL, "Arithmetic of one execution; a fused multiply-add is 2 FLOP."},
    [F_BYTE] = {"byte", "traffic", "byte", 2, NULL, "Bytes of one execution if every operand moves once: the compulsory traffic."},
    [F_BYTE_BUS] = {"byte_bus", "on the bus", "byte", 2, NULL, "The same with write-allocate: a line that is only written is fetched first."},
    [F_RIDGE] = {"ridge_point", "ridge point", "flop/byte", 2, "peak_flop_per_s / byte_per_s", "The intensity at which the two roofs meet. Left of it memory limits, right of it arithmetic."},
    [F_FRACTION] = {"fraction_of_peak", "of peak", "%", 2, "attainable_flop_per_s / peak_flop_per_s", "The roof above this operation as a share of the arithmetic peak."},
    [F_PEAK] = {"peak_flop_per_s", "peak", "flop/s", 2, NULL, "The most arithmetic a second: dense, in the chosen arithmetic."},
    [F_BANDWIDTH] = {"byte_per_s", "bandwidth", "byte/s", 2, NULL, "The most bytes a second from the level that serves this working set."},
    [F_MEASURED_BYTE_RATE] = {"measured_byte_per_s", "moved", "byte/s", 2, "byte / measured_time", "Compulsory bytes over the measured time."},
    [F_MATH] = {"math", "arithmetic in", "", 2, NULL, "The arithmetic in use: the stored type if the device lists it, else bf16, else fp32."},
    [F_PROVENANCE] = {"provenance", "figures", "", 2, NULL, "Whose numbers the roofs are: vendor, derived, illustrative, or measured here."},
    [F_ISA] = {"isa", "ran with", "", 2, NULL, "The instruction set the kernel ran with."},
    [F_STATE] = {"state", NULL, "", 2, NULL, "Whether there is a measured point, and if not, why."},
    [F_NOTE] = {"flags", "marks", "", 2, NULL, "Doubts about the measurement, from the harness."},
};

static const struct device *device_of(const struct world *w, const struct setup *s) { return &w->device[(int)s->v[KNOB_DEVICE]]; }
static enum op op_of(const struct setup *s) { return (enum op)(int)s->v[KNOB_OP]; }
static enum dtype dtype_of(const struct setup *s) { return (enum dtype)(int)s->v[KNOB_DTYPE]; }
static bool is_here(const struct setup *s) { return (int)s->v[KNOB_DEVICE] == DEVICE_HERE; }

static enum dtype math_of(const struct world *w, const struct setup *s, const struct device *d) {
  (void)w;
  int i = (int)s->v[KNOB_MATH];
  return i > 0 ? (enum dtype)(i - 1) : ladder_math(d, dtype_of(s));
}

/* Sizes that mean nothing to the operation are NAN, so that turning their knobs does not ask for a new measurement. */
static struct shape shape_of(const struct setup *s) {
  enum op op = op_of(s);
  struct shape shape = {s->v[KNOB_N_SIZE], s->v[KNOB_M], s->v[KNOB_K], s->v[KNOB_BATCH], s->v[KNOB_FMA]};
  if (!work_uses(op, "n")) shape.n = NAN;
  if (!work_uses(op, "m")) shape.m = NAN;
  if (!work_uses(op, "k")) shape.k = NAN;
  if (!work_uses(op, "batch")) shape.batch = NAN;
  if (!work_uses(op, "fma")) shape.fma = NAN;
  return shape;
}

static struct request request_of(const struct setup *s) {
  return (struct request){.op = op_of(s),
                          .shape = shape_of(s),
                          .dtype = dtype_of(s),
                          .isa = (enum isa)(int)s->v[KNOB_ISA],
                          .rung = op_of(s) == OP_MATMUL ? (enum rung)(int)s->v[KNOB_RUNG] : RUNG_AUTO,
                          .threads = s->set[KNOB_THREADS] ? (int)s->v[KNOB_THREADS] : 0};
}

static bool reads_only(enum op op) { return op == OP_WEIGHTS || op == OP_DOT || op == OP_DIAL; }

static int threads_of(const struct setup *s) { return s->set[KNOB_THREADS] ? (int)s->v[KNOB_THREADS] : 0; }

/* Data a catalogue device works on starts in its main memory; here the kernel repeats on warm data, so the level that holds it serves it. */
static double bandwidth_of(const struct world *w, const struct setup *s, const struct device *d, bool here, int *level) {
  (void)w;
  *level = d->nlevel - 1;
  if (!here) return d->memory_byte_per_s.value;
  if (op_of(s) == OP_CUSTOM) return d->memory_byte_per_s.value;
  double footprint = work_footprint(op_of(s), shape_of(s), dtype_of(s));
  return ladder_rate(d, footprint, reads_only(op_of(s)), threads_of(s), level);
}

static double peak_of(const struct world *w, const struct setup *s, const struct device *d) {
  enum dtype math = math_of(w, s, d);
  return math == DTYPE_N ? NAN : ladder_peak(d, math, (enum isa)(int)s->v[KNOB_ISA], threads_of(s));
}

static void roofline_resolve(const struct world *w, struct setup *s) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  enum op op = op_of(s);
  bool here = is_here(s);
  if (isnan(s->v[KNOB_N_SIZE])) s->v[KNOB_N_SIZE] = work_start_n(op, dtype_of(s), here ? m->last_cache_byte : NAN, here ? m->memory_cap_byte : NAN);
  struct shape shape = work_complete(op, (struct shape){s->v[KNOB_N_SIZE], s->v[KNOB_M], s->v[KNOB_K], s->v[KNOB_BATCH], s->v[KNOB_FMA]});
  s->v[KNOB_M] = shape.m;
  s->v[KNOB_K] = shape.k;
  if (isnan(s->v[KNOB_THREADS]) && m->threads > 0) s->v[KNOB_THREADS] = m->threads;
  int level;
  if (isnan(s->v[KNOB_PEAK])) s->v[KNOB_PEAK] = peak_of(w, s, device_of(w, s));
  if (isnan(s->v[KNOB_BANDWIDTH])) s->v[KNOB_BANDWIDTH] = bandwidth_of(w, s, device_of(w, s), here, &level);
}

static bool roofline_applies(const struct setup *s, int knob) {
  enum op op = op_of(s);
  switch (knob) {
  case KNOB_N_SIZE: return work_uses(op, "n");
  case KNOB_M: return work_uses(op, "m");
  case KNOB_K: return work_uses(op, "k");
  case KNOB_BATCH: return work_uses(op, "batch");
  case KNOB_FMA: return work_uses(op, "fma");
  case KNOB_RUNG: return op == OP_MATMUL;
  case KNOB_ISA: case KNOB_THREADS: return is_here(s) && op != OP_CUSTOM;
  case KNOB_FLOP: case KNOB_BYTE: case KNOB_TIME: return op == OP_CUSTOM;
  case KNOB_DTYPE: return op != OP_CUSTOM;
  default: return true;
  }
}

static const char *provenance_of(const struct world *w, const struct setup *s, const struct device *d) {
  if (s->set[KNOB_PEAK] || s->set[KNOB_BANDWIDTH]) return "what if";
  enum dtype math = math_of(w, s, d);
  if (d->illustrative) return "illustrative";
  if (math == DTYPE_N) return "unknown";
  const struct figure *peak = &d->peak[math], *rate = &d->memory_byte_per_s;
  if (peak->unverified || rate->unverified) return "unverified";
  return source_name((enum source)peak->source);
}

/* The first doubt is the one that explains most; the rest stand in the run. */
static const char *first_flag(unsigned flags) {
  for (int i = 0; i < FLAG_COUNT; i++)
    if (flags & (1u << i) && 1u << i != FLAG_FIRST) return flag_name(1u << i);
  return flags & FLAG_FIRST ? flag_name(FLAG_FIRST) : NULL;
}

static void facts_measured(const struct world *w, const struct setup *s, struct fact *f) {
  f[F_MEASURED_RATE].measured = f[F_MEASURED_RATIO].measured = f[F_MEASURED_TIME].measured = f[F_OF_ARITHMETIC].measured = true;
  f[F_OF_MEMORY].measured = f[F_MEASURED_BYTE_RATE].measured = f[F_CORES_BUSY].measured = true;
  double time = NAN, flop = f[F_FLOP].value, byte = f[F_BYTE].value;
  if (op_of(s) == OP_CUSTOM) {
    time = s->v[KNOB_TIME];
    f[F_STATE].word = isnan(time) ? "no time typed in" : "typed in";
  } else if (!is_here(s)) {
    f[F_STATE].word = "only this machine can be measured: device=here";
  } else {
    struct request r = request_of(s);
    const struct run *run = run_find(w, &r, w->machine);
    if (run && isfinite(run_time(run))) {
      time = run_time(run);
      flop = run->flop, byte = run->byte;
      f[F_SPREAD].value = run->spread;
      f[F_COUNT].value = run->count;
      f[F_CORES_BUSY].value = run->cpu_time / (time * run->threads);
      f[F_ISA].word = isa_name(run->isa);
      f[F_NOTE].word = first_flag(run->flags);
      f[F_STATE].word = run->count > 0 ? "measured" : "first run";
    } else f[F_STATE].word = "not measured yet: m";
  }
  f[F_MEASURED_TIME].value = time;
  f[F_MEASURED_RATE].value = flop / time;
  f[F_MEASURED_BYTE_RATE].value = byte / time;
  f[F_MEASURED_RATIO].value = f[F_MEASURED_RATE].value / f[F_ATTAINABLE].value;
  f[F_OF_ARITHMETIC].value = f[F_MEASURED_RATE].value / f[F_PEAK].value;
  f[F_OF_MEMORY].value = f[F_MEASURED_BYTE_RATE].value / f[F_BANDWIDTH].value;
}

static int roofline_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  const struct device *d = device_of(w, s);
  memcpy(out, fact_table, sizeof fact_table);
  for (int i = 0; i < F_N; i++) out[i].value = NAN;
  enum op op = op_of(s);
  struct work work = op == OP_CUSTOM ? (struct work){s->v[KNOB_FLOP], s->v[KNOB_BYTE], s->v[KNOB_BYTE]} : work_of(op, shape_of(s), dtype_of(s));
  double peak = s->v[KNOB_PEAK], rate = s->v[KNOB_BANDWIDTH], intensity = roof_intensity(work.flop, work.byte);
  int level;
  bandwidth_of(w, s, d, is_here(s), &level);
  enum dtype math = math_of(w, s, d);

  out[F_BATCH].value = op == OP_WEIGHTS ? s->v[KNOB_BATCH] : NAN;
  out[F_OPERATION].word = op_name(op);
  out[F_INTENSITY].value = intensity;
  out[F_ATTAINABLE].value = roof_attainable(peak, rate, intensity);
  out[F_TIME_LOWER].value = roof_time_lower(work.flop, work.byte, peak, rate);
  out[F_TIME_UPPER].value = roof_time_upper(work.flop, work.byte, peak, rate);
  out[F_BOUND].word = bound_name(roof_bound(work.flop, work.byte, peak, rate));
  out[F_LEVEL].word = level >= 0 && level < d->nlevel && d->level[level].name[0] ? d->level[level].name : "memory";
  out[F_FLOP].value = work.flop;
  out[F_BYTE].value = work.byte;
  out[F_BYTE_BUS].value = work.byte_bus;
  out[F_RIDGE].value = roof_ridge(peak, rate);
  out[F_FRACTION].value = out[F_ATTAINABLE].value / peak;
  out[F_PEAK].value = peak;
  out[F_BANDWIDTH].value = rate;
  out[F_MATH].word = math == DTYPE_N ? "unknown" : dtype_name(math);
  out[F_PROVENANCE].word = provenance_of(w, s, d);
  facts_measured(w, s, out);
  return F_N;
}

/* What one execution does with what it fetches, for the sentence under the picture. */
static void verdict_why(struct text *t, const char *op, double uses) {
  if (strcmp(op, "weights") == 0) {
    text_add(t, "each weight is fetched, used ");
    if (uses == 1) text_add(t, "once");
    else text_count(t, uses), text_add(t, " times");
    text_add(t, ", dropped.");
  } else if (strcmp(op, "dial") == 0) text_add(t, "each element is loaded once and worked on in registers.");
  else if (strcmp(op, "matmul") == 0) text_add(t, "every number fetched is used in many products.");
  else if (strcmp(op, "attention") == 0) text_add(t, "the scores travel to memory and back.");
  else if (strcmp(op, "attention_fused") == 0) text_add(t, "the scores never leave the chip.");
  else if (strcmp(op, "custom") == 0) text_add(t, "by the numbers typed in.");
  else text_add(t, "each element is touched and dropped.");
}

static void roofline_verdict(const struct fact *f, int n, struct text *t) {
  const char *bound = fact_word(f, n, "bound"), *op = fact_word(f, n, "operation");
  double intensity = fact_value(f, n, "arithmetic_intensity"), ridge = fact_value(f, n, "ridge_point");
  double ratio = fact_value(f, n, "measured_ratio"), uses = fact_value(f, n, "uses_per_weight");
  bool measured_here = strcmp(fact_word(f, n, "state"), "not measured yet: m") == 0 || strcmp(fact_word(f, n, "state"), "measured") == 0 ||
                       strcmp(fact_word(f, n, "state"), "first run") == 0;
  if (strcmp(bound, "unknown") == 0) {
    if (isnan(intensity)) text_add(t, "The work of this operation is not known: type flop and byte.");
    else if (measured_here) text_add(t, "This machine has no roof yet. Press R to measure it: it takes about three seconds.");
    else text_add(t, "This sheet does not give both rates for this arithmetic, so no roof can be drawn. Choose another data type or device.");
    return;
  }
  double away = intensity / ridge;
  if (away > 0.8 && away < 1.25) {
    text_add(t, "At the ridge: memory and arithmetic take about as long. Only both together would help.");
  } else if (strcmp(bound, "memory") == 0) {
    text_add(t, "Waiting for memory: ");
    verdict_why(t, op, uses);
    text_add(t, " Twice the arithmetic changes nothing; fewer bytes help");
    if (strcmp(op, "weights") == 0) text_add(t, ", or a larger batch sharing each fetch.");
    else if (strcmp(op, "attention") == 0) text_add(t, ": keep the scores on the chip (attention_fused).");
    else text_add(t, ": fewer bits, or fusing steps.");
  } else {
    text_add(t, "Calculating: ");
    verdict_why(t, op, uses);
    text_add(t, " Faster memory changes nothing; only faster or less arithmetic helps");
    text_add(t, strcmp(op, "weights") == 0 ? ", and a larger batch takes longer." : ".");
  }
  if (ratio > 1.02) text_add(t, " Above the roof: a cache, a faster clock, or a wrong count.");
  else if (ratio < 0.5) text_add(t, " Measured well below the roof: not explained yet.");
}

static int roofline_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  (void)w;
  if (!is_here(s) || op_of(s) == OP_CUSTOM) return 0;
  out[0] = request_of(s);
  return 1;
}

/* The window comes from the machine's two roofs, not from the point: a moving point must not move its axes. A point outside widens them. */
static void roofline_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  (void)w;
  double peak = s->v[KNOB_PEAK], rate = s->v[KNOB_BANDWIDTH];
  struct work work = op_of(s) == OP_CUSTOM ? (struct work){s->v[KNOB_FLOP], s->v[KNOB_BYTE], 0} : work_of(op_of(s), shape_of(s), dtype_of(s));
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

/* One roof: the slope up to the ridge, then flat. */
static void draw_roof(struct plot *p, double peak, double rate, enum role role) {
  double ridge = peak / rate;
  if (!(peak > 0) || !(rate > 0)) return;
  plot_line(p, p->x.lo, rate * p->x.lo, ridge, peak, role);
  plot_line(p, ridge, peak, p->x.hi, peak, role);
}

/* before, number, after, as one label. */
static const char *label_of(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_clear(t);
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
  return t->s;
}

static void draw_main(struct plot *p, const struct view *v) {
  double peak = v->setup->v[KNOB_PEAK], rate = v->setup->v[KNOB_BANDWIDTH];
  struct text label, brief, level;
  if (!(peak > 0) || !(rate > 0)) return;
  draw_roof(p, peak, rate, ROLE_ROOF);
  double ridge = peak / rate;
  plot_vline(p, ridge, ROLE_GRID, true);
  plot_words(p, p->x.lo, ridge, 0, "waiting for memory", ROLE_MEMORY);
  plot_words(p, ridge, p->x.hi, 0, "calculating", ROLE_COMPUTE);
  plot_label(p, sqrt(ridge * p->x.hi), peak, label_of(&label, "at most ", peak, "flop/s", ""), label_of(&brief, "", peak, "flop/s", ""), ROLE_ROOF,
             ANCHOR_BELOW, 1);
  text_clear(&level);
  text_add(&level, " ");
  text_add(&level, fact_word(v->fact, v->nfact, "level"));
  double low = p->y.lo / rate > p->x.lo ? p->y.lo / rate : p->x.lo;
  double at = low * pow(ridge / low, 0.3);
  plot_label(p, at, rate * at, label_of(&label, "", rate, "byte/s", level.s), label_of(&brief, "", rate, "byte/s", ""), ROLE_ROOF, ANCHOR_RIGHT, 2);
}

/* Level 2: what else this device could be asked to do, dim. */
static void draw_others(struct plot *p, const struct view *v, const struct device *d, bool here) {
  double rate = v->setup->v[KNOB_BANDWIDTH], peak = v->setup->v[KNOB_PEAK];
  struct text label, name;
  if (here) {
    int real = (int)v->setup->v[KNOB_DTYPE] == DTYPE_FP64 ? 0 : 1;
    for (int i = ISA_SCALAR; i < ISA_N; i++) {
      double other = d->machine.isa_peak[i][real];
      if (!(other > 0) || fabs(other - peak) < 0.01 * peak) continue;
      plot_line(p, other / rate, other, p->x.hi, other, ROLE_ROOF_OTHER);
      text_clear(&name);
      text_add(&name, isa_name((enum isa)i));
      text_add(&name, " ");
      plot_label(p, p->x.hi / 3, other, label_of(&label, name.s, other, "flop/s", ""), isa_name((enum isa)i), ROLE_ROOF_OTHER, ANCHOR_BELOW, 5);
    }
    for (int i = 0; i < d->nlevel; i++) {
      double other = d->level[i].byte_per_s.value;
      if (!(other > 0) || fabs(other - rate) < 0.01 * rate) continue;
      plot_line(p, p->x.lo, other * p->x.lo, peak / other, peak, ROLE_ROOF_OTHER);
      double low = p->y.lo / other > p->x.lo ? p->y.lo / other : p->x.lo, at = low * pow(peak / other / low, 0.6);
      plot_label(p, at, other * at, d->level[i].name, "", ROLE_ROOF_OTHER, ANCHOR_LEFT, 6);
    }
    return;
  }
  for (int t = 0; t < DTYPE_N; t++) {
    double other = d->peak[t].value;
    if (!(other > 0) || fabs(other - peak) < 0.001 * peak) continue;
    plot_line(p, other / rate, other, p->x.hi, other, ROLE_ROOF_OTHER);
    plot_label(p, p->x.hi / 3, other, dtype_name((enum dtype)t), "", ROLE_ROOF_OTHER, ANCHOR_BELOW, 5);
  }
}

static void draw_compare(struct plot *p, const struct view *v) {
  int i = (int)v->setup->v[KNOB_COMPARE] - 1, level;
  if (i < 0) return;
  const struct device *d = &v->world->device[i];
  double peak = peak_of(v->world, v->setup, d), rate = bandwidth_of(v->world, v->setup, d, i == DEVICE_HERE, &level);
  if (!(peak > 0) || !(rate > 0)) {
    plot_words(p, p->x.lo, p->x.hi, 0.9, "the second device has no roof for this arithmetic", ROLE_COMPARE);
    return;
  }
  draw_roof(p, peak, rate, ROLE_COMPARE);
  plot_label(p, p->x.hi / 3, peak, d->id, "", ROLE_COMPARE, ANCHOR_ABOVE, 3);
}

/* Points of the same operation measured earlier in this session: they climb the slope and bend at this machine's own ridge. */
static void draw_earlier(struct plot *p, const struct view *v) {
  struct request now = request_of(v->setup);
  for (int i = 0; i < v->world->nrun; i++) {
    const struct run *r = &v->world->run[i];
    if (r->request.op != now.op || r->request.dtype != now.dtype || r->request.isa != now.isa || r->request.rung != now.rung ||
        r->request.threads != now.threads || strcmp(r->machine, v->world->machine) != 0 || request_equal(&r->request, &now))
      continue;
    plot_point(p, roof_intensity(r->flop, r->byte), r->flop / run_time(r), 'o', ROLE_TRAIL);
  }
}

static void draw_points(struct plot *p, const struct view *v, bool here) {
  const struct fact *f = v->fact;
  int n = v->nfact;
  double x = fact_value(f, n, "arithmetic_intensity"), spread = fact_value(f, n, "measured_spread"), y = fact_value(f, n, "measured_flop_per_s");
  for (int i = 0; v->trail && i < v->trail->n; i++) plot_point(p, v->trail->x[i], v->trail->y[i], 0xB7, ROLE_TRAIL);
  if (here && !v->hide_measured) draw_earlier(p, v);
  plot_point(p, x, fact_value(f, n, "attainable_flop_per_s"), 0xD7, ROLE_CEILING);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(p, x, v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  if (v->hide_measured || isnan(y)) return;
  enum role role = v->stale ? ROLE_DIM : ROLE_MEASURED;
  if (spread > 0) plot_spread(p, x, y, y * (1 - spread), y * (1 + spread), 'o', role);
  else plot_point(p, x, y, 'o', role);
}

static void roofline_draw(struct canvas *c, struct rect r, const struct view *v) {
  const struct device *d = device_of(v->world, v->setup);
  bool here = is_here(v->setup);
  struct text title;
  text_clear(&title);
  text_add(&title, "FLOP per byte from ");
  text_add(&title, fact_word(v->fact, v->nfact, "level"));
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "flop/byte", title.s};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "flop/s", ""};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  if (v->setup->v[KNOB_DETAIL] > 1) draw_others(&p, v, d, here);
  draw_compare(&p, v);
  draw_main(&p, v);
  draw_points(&p, v, here);
  plot_end(&p);
  if (!(v->setup->v[KNOB_PEAK] > 0) || !(v->setup->v[KNOB_BANDWIDTH] > 0))
    widget_words(c, r, here ? "this machine has no roof yet: R measures it" : "no roof: a rate is unknown", ROLE_WARN);
}

static const uint8_t knob_list[] = {KNOB_BATCH, KNOB_FMA, KNOB_FLOP, KNOB_BYTE, KNOB_TIME, KNOB_N_SIZE, KNOB_OP, KNOB_DTYPE, KNOB_DEVICE,
                                    KNOB_M, KNOB_K, KNOB_ISA, KNOB_THREADS, KNOB_RUNG, KNOB_COMPARE, KNOB_MATH, KNOB_PEAK, KNOB_BANDWIDTH};
static const struct start start_list[] = {{KNOB_DEVICE, 0, "here"}};

const struct scene scene_roofline = {
    .address = "2.1", .name = "roofline", .question = "Is the machine calculating, or waiting for memory?",
    .section = "the roofline: intensity, two roofs, the ridge", .next = "decode",
    .knobs = knob_list, .nknobs = sizeof knob_list, .nfirst = 9, .hand = KNOB_BATCH,
    .starts = start_list, .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24, .min_h = 8,
    .trail_x = "arithmetic_intensity", .trail_y = "attainable_flop_per_s",
    .applies = roofline_applies, .resolve = roofline_resolve, .facts = roofline_facts, .verdict = roofline_verdict,
    .measures = roofline_measures, .axes = roofline_axes, .draw = roofline_draw,
};
