#include "scenes/roofline_condition.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "scenes/roofline.h"

enum {
  C_WEIGHT_RATE,
  C_TOKEN_RATE,
  C_ERROR,
  C_SPEED_UP,
  C_BYTE_RATIO,
  C_SHARE,
  C_WHY,
  C_NORMAL_PEAK,
  C_NORMAL_RATE,
  C_READ_RATE,
  C_FILLS,
  C_SCALAR_SLOWER,
  C_HOG_SLOWER,
  C_EXPERIMENT,
  C_N
};
_Static_assert((int)C_N == (int)CONDITION_FACTS, "the header says how many facts there are");

static const struct fact fact_table[C_N] = {
    [C_WEIGHT_RATE] = {"weight_rate", "weights per s", "n", 2, "n * n / measured_time",
                       "Weights fetched, widened and used a second: comparable between data types, whatever the size of the matrix."},
    [C_TOKEN_RATE] = {"layer_token_rate", "through a layer", "token/s", 2, "batch / measured_time",
                      "Inputs that go through this one layer a second. A model has many such layers: the decode scene scales it."},
    [C_ERROR] = {"quant_error", "error", "%", 1, NULL,
                 "What storing in fewer bits did: outputs against those of the weights before they were stored, root mean square."},
    [C_SPEED_UP] = {"narrow_speed_up", "against fp32", "x", 1, NULL,
                    "Weights a second against those of the same kernel with fp32 weights, same batch, threads and instructions."},
    [C_BYTE_RATIO] = {"narrow_byte_ratio", "fewer bytes", "x", 2, NULL,
                      "Bytes a weight costs in fp32 over bytes it costs here, scales counted."},
    [C_SHARE] = {"narrow_share", "of that reached", "%", 2, "narrow_speed_up / narrow_byte_ratio",
                 "How much of the saving in bytes became a saving in time."},
    [C_WHY] =
        {"narrow_limit", "why not more", "", 2, NULL,
         "What stands in the way: nothing (time follows bytes); memory, which fp32 did not fill; arithmetic, of a large batch; widening, "
         "whose instructions fill the cores; or the reading was disturbed."},
    [C_NORMAL_PEAK] = {"normal_flop_per_s", "peak as it is", "flop/s", 2, NULL,
                       "The arithmetic roof of this machine with nothing taken away."},
    [C_NORMAL_RATE] = {"normal_byte_per_s", "memory as it is", "byte/s", 2, NULL,
                       "The memory roof of this machine with nothing taken away."},
    [C_READ_RATE] = {"isa_byte_per_s", "can read", "byte/s", 2, NULL,
                     "Read from main memory with these instructions, these threads, and the hog if it is on: measured by the read kernel."},
    [C_FILLS] = {"isa_fills_bus", "fills the bus", "", 2, "isa_byte_per_s / normal_byte_per_s",
                 "Whether such code asks for bytes as fast as memory gives them: within a tenth."},
    [C_SCALAR_SLOWER] = {"scalar_slowdown", "scalar takes", "x", 2, NULL,
                         "Time of this operation with isa=scalar over its time with the best instructions, same threads."},
    [C_HOG_SLOWER] = {"hog_slowdown", "with a hog", "x", 2, NULL,
                      "Time of this operation with hog=on over its time without, same threads."},
    [C_EXPERIMENT] =
        {"experiment", "it follows", "", 2, NULL,
         "What the two experiments say together: what slows down only with the hog waits for memory, only with scalar code calculates."},
};

static enum dtype stored(const struct setup *s) { return (enum dtype)(int)s->v[KNOB_DTYPE]; }
static bool narrow(const struct setup *s) {
  return roofline_here(s) && (int)s->v[KNOB_OP] == OP_WEIGHTS && stored(s) != dtype_real(stored(s));
}

bool condition_changed(const struct setup *s) {
  return roofline_here(s) && (int)s->v[KNOB_OP] != OP_CUSTOM && ((int)s->v[KNOB_ISA] != ISA_AUTO || s->v[KNOB_HOG] > 0);
}

static const struct machine *machine_of(const struct world *w) { return &w->device[DEVICE_HERE].machine; }

/* A roof of the machine as it now is: the same instructions, threads and hog as the operation's. */
static struct request roof_request(const struct world *w, const struct setup *s, enum op op) {
  struct request r = roofline_request(s);
  enum dtype real = dtype_real(stored(s));
  double n = op == OP_READ ? work_start_n(OP_READ, real, machine_of(w)->last_cache_byte, machine_of(w)->memory_cap_byte) : NAN;
  return (struct request){
      .op = op, .shape = {n, NAN, NAN, NAN, NAN, NAN, NAN}, .dtype = real, .isa = r.isa, .threads = r.threads, .hog = r.hog};
}

static const struct run *run_of(const struct world *w, const struct request *r) {
  const struct run *run = run_find(w, r, w->machine);
  return run && isfinite(run_time(run)) ? run : NULL;
}

/* On a roof goes the best of the repetitions. */
static double best_of(const struct run *run, double amount) { return run ? amount / (run->count > 0 ? run->best : run->warmup_time) : NAN; }

double condition_peak(const struct world *w, const struct setup *s) {
  if (!condition_changed(s)) return NAN;
  struct request r = roof_request(w, s, OP_PEAK);
  const struct run *run = run_of(w, &r);
  return best_of(run, run ? run->flop : NAN);
}

static double read_rate(const struct world *w, const struct setup *s) {
  if (!condition_changed(s)) return NAN;
  struct request r = roof_request(w, s, OP_READ);
  const struct run *run = run_of(w, &r);
  return best_of(run, run ? run->byte : NAN);
}

/* Instructions do not change what memory can give, only what is asked of it: that roof falls with a hog alone. */
double condition_bandwidth(const struct world *w, const struct setup *s) {
  if (!condition_changed(s) || !(s->v[KNOB_HOG] > 0)) return NAN;
  struct request r = roof_request(w, s, OP_READ);
  r.isa = ISA_AUTO;
  const struct run *run = run_of(w, &r);
  return best_of(run, run ? run->byte : NAN);
}

int condition_measures(const struct world *w, const struct setup *s, struct request *out) {
  int n = 0;
  if (!condition_changed(s)) return 0;
  out[n++] = roof_request(w, s, OP_PEAK);
  out[n++] = roof_request(w, s, OP_READ);
  if (s->v[KNOB_HOG] > 0 && (int)s->v[KNOB_ISA] != ISA_AUTO) {
    out[n] = out[n - 1];
    out[n++].isa = ISA_AUTO;
  }
  return n;
}

/* ---- fewer bits ---- */

static void facts_narrow(const struct world *w, const struct setup *s, struct fact *f) {
  struct request r = roofline_request(s), whole = r;
  enum dtype real = dtype_real(stored(s));
  const struct run *run = run_of(w, &r), *full = NULL;
  double size = r.shape.n * r.shape.n, other = size;
  if (run) {
    f[C_WEIGHT_RATE].value = size / run_time(run);
    f[C_TOKEN_RATE].value = r.shape.batch / run_time(run);
    f[C_ERROR].value = run->quant_error;
  }
  /* The fp32 point of the same size, or of the size fp32 starts from. */
  whole.dtype = real;
  double start = work_start_n(OP_WEIGHTS, real, machine_of(w)->last_cache_byte, machine_of(w)->memory_cap_byte);
  for (int i = 0; i < 2 && !full; i++) {
    if (i) whole.shape.n = start;
    full = run_of(w, &whole);
    other = whole.shape.n * whole.shape.n;
  }
  struct work less = work_of_kernel(OP_WEIGHTS, r.shape, stored(s)), more = work_of_kernel(OP_WEIGHTS, whole.shape, real);
  f[C_BYTE_RATIO].value = more.byte / other / (less.byte / size);
  if (!run || !full) {
    f[C_WHY].word = !run ? "not measured" : "no fp32 point";
    return;
  }
  f[C_SPEED_UP].value = size / run_time(run) / (other / run_time(full));
  f[C_SHARE].value = f[C_SPEED_UP].value / f[C_BYTE_RATIO].value;
  double moved = less.byte / run_time(run), roof = s->v[KNOB_BANDWIDTH];
  f[C_WHY].word = f[C_SHARE].value >= 0.9                       ? "nothing"
                  : (run->flags | full->flags) & FLAG_DISTURBED ? "disturbed"
                  : moved >= 0.8 * roof                         ? "memory"
                  : r.shape.batch > 8                           ? "arithmetic"
                                                                : "widening";
}

/* ---- worse on purpose ---- */

static void facts_changed(const struct world *w, const struct setup *s, struct fact *f) {
  const struct device *here = &w->device[DEVICE_HERE];
  struct request r = roofline_request(s);
  f[C_NORMAL_PEAK].value = ladder_peak(here, dtype_real(stored(s)), ISA_AUTO, r.threads);
  f[C_NORMAL_RATE].value = ladder_level_rate(here, here->nlevel - 1, r.threads);
  double rate = f[C_READ_RATE].value = read_rate(w, s);
  double bus = s->v[KNOB_HOG] > 0 ? condition_bandwidth(w, s) : f[C_NORMAL_RATE].value;
  if (!isnan(rate) && bus > 0) f[C_FILLS].word = rate >= 0.9 * bus ? "yes" : "no";
}

/* The operation as the machine is, with scalar code, and beside a hog. */
static void facts_experiment(const struct world *w, const struct setup *s, struct fact *f) {
  struct request normal = roofline_request(s), scalar = normal, hog = normal;
  normal.isa = hog.isa = ISA_AUTO;
  normal.hog = scalar.hog = false;
  scalar.isa = ISA_SCALAR;
  hog.hog = true;
  const struct run *is = run_of(w, &normal), *poor = run_of(w, &scalar), *beside = run_of(w, &hog);
  if (is && poor) f[C_SCALAR_SLOWER].value = run_time(poor) / run_time(is);
  if (is && beside) f[C_HOG_SLOWER].value = run_time(beside) / run_time(is);
  double a = f[C_SCALAR_SLOWER].value, b = f[C_HOG_SLOWER].value;
  if (isnan(a) || isnan(b)) return;
  const double felt = 1.15;
  f[C_EXPERIMENT].word = a < felt && b < felt               ? "neither"
                         : b >= felt && a < 1 + (b - 1) / 2 ? "memory"
                         : a >= felt && b < 1 + (a - 1) / 2 ? "arithmetic"
                                                            : "both";
}

int condition_facts(const struct world *w, const struct setup *s, struct fact *out) {
  facts_begin(out, fact_table, C_N, true);
  bool here = roofline_here(s) && (int)s->v[KNOB_OP] != OP_CUSTOM, few = narrow(s), changed = condition_changed(s);
  if (few) facts_narrow(w, s, out);
  if (changed) facts_changed(w, s, out);
  if (here) facts_experiment(w, s, out);
  for (int i = 0; i < C_N; i++) {
    bool shown = i <= C_WHY ? few : i <= C_FILLS ? changed : !isnan(out[i].value) || out[i].word;
    if (!shown) out[i].label = NULL; /* no row in the panel for what was not asked */
    out[i].measured = i != C_BYTE_RATIO && i != C_NORMAL_PEAK && i != C_NORMAL_RATE;
  }
  return C_N;
}

bool condition_verdict(const struct fact *f, int n, struct text *t) {
  const char *experiment = fact_word(f, n, "experiment"), *fills = fact_word(f, n, "isa_fills_bus");
  double scalar = fact_value(f, n, "scalar_slowdown"), hog = fact_value(f, n, "hog_slowdown"), gain = fact_value(f, n, "narrow_speed_up");
  if (experiment[0]) {
    text_add(t, " Tried: scalar ");
    text_number(t, scalar, "x");
    text_add(t, ", hog ");
    text_number(t, hog, "x");
    text_add(t, " the time: ");
    text_add(t, strcmp(experiment, "memory") == 0       ? "it waits for memory."
                : strcmp(experiment, "arithmetic") == 0 ? "it calculates."
                : strcmp(experiment, "both") == 0       ? "it needs both."
                                                        : "neither was felt.");
    return true;
  }
  if (fills[0] == 'n') {
    text_add(t, " Scalar code cannot fill this bus: it reads ");
    text_number(t, fact_value(f, n, "isa_byte_per_s"), "byte/s");
    text_add(t, ".");
    return true;
  }
  if (isnan(gain)) return false;
  text_add(t, " Against fp32: ");
  text_number(t, gain, "x");
  text_add(t, " as fast on ");
  text_number(t, fact_value(f, n, "narrow_byte_ratio"), "x");
  text_add(t, " fewer bytes.");
  return true;
}
