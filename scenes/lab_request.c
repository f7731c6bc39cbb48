/* What the lab asks to be run in each view, and the runs that answer. */
#include <math.h>

#include "scenes/lab.h"
#include "scenes/lab_record.h"

static const double ASYNC_N = 1048576, ASYNC_S = 0.5, SMALL_S = 0.25;

static enum dtype dtype_of(const struct setup *s) { return (enum dtype)(int)s->v[KNOB_DTYPE]; }

static struct request request_of(const struct setup *s, enum op op, struct shape shape) {
  struct request r = {.op = op,
                      .shape = shape,
                      .dtype = dtype_of(s),
                      .isa = lab_view(s) == VIEW_ASYNC ? ISA_AUTO : (enum isa)(int)s->v[KNOB_ISA],
                      .threads = s->set[KNOB_THREADS] ? (int)s->v[KNOB_THREADS] : 0};
  for (int i = 0; i < SHAPE_N; i++)
    if (!work_uses(op, shape_name(i))) shape_set(&r.shape, i, NAN);
  return r;
}

static struct shape shape_of(const struct setup *s, double n) {
  return (struct shape){n, s->v[KNOB_M], s->v[KNOB_K], s->v[KNOB_BATCH], s->v[KNOB_FMA], NAN, .stride = NAN};
}

struct request lab_request(const struct setup *s, double sustain) {
  struct request r = request_of(s, lab_op(s), shape_of(s, s->v[KNOB_N_SIZE]));
  r.sustain = sustain;
  return r;
}

struct request lab_async(const struct setup *s, bool wait, double fma) {
  struct request r = request_of(s, wait ? OP_ASYNC_WAIT : OP_ASYNC, (struct shape){ASYNC_N, NAN, NAN, NAN, fma, NAN, .stride = NAN});
  r.dtype = dtype_of(s) == DTYPE_FP64 ? DTYPE_FP64 : DTYPE_FP32;
  r.sustain = ASYNC_S;
  return r;
}

/* The dial goes through a small set many times within one start of the team, so a start would not show. */
bool lab_small_runs(const struct setup *s) { return lab_op(s) != OP_CUSTOM && lab_op(s) != OP_DIAL; }

double lab_size(const struct setup *s, int i) {
  enum op op = lab_op(s);
  bool vector = op == OP_DOT || op == OP_ADD || op == OP_SAXPY || op == OP_RELU;
  return vector ? ldexp(64, 2 * i) : ldexp(16, i);
}

struct request lab_small(const struct setup *s, double n, bool one) {
  struct shape shape = {n, NAN, NAN, s->v[KNOB_BATCH], NAN, NAN, .stride = NAN};
  struct request r = request_of(s, lab_op(s), work_complete(lab_op(s), shape));
  if (one) r.threads = 1;
  /* The best product may choose its own team: here the two must differ in nothing else. */
  if (r.op == OP_MATMUL) r.rung = one ? RUNG_VECTORISED : RUNG_ALL_CORES;
  r.sustain = SMALL_S;
  for (int i = 0; i < SHAPE_N; i++)
    if (!work_uses(r.op, shape_name(i))) shape_set(&r.shape, i, NAN);
  return r;
}

struct request lab_dispatch(const struct setup *s) {
  struct request r = request_of(s, OP_DISPATCH, (struct shape){NAN, NAN, NAN, NAN, NAN, NAN, .stride = NAN});
  r.isa = ISA_AUTO;
  r.dtype = DTYPE_FP32;
  r.sustain = SMALL_S;
  return r;
}

static int add_request(const struct world *w, struct request out[REQUEST_MAX], int n, struct request r) {
  bool fits = !(work_footprint(r.op, r.shape, r.dtype) > w->device[DEVICE_HERE].machine.memory_cap_byte);
  if (!fits || n == REQUEST_MAX) return n;
  out[n] = r;
  return n + 1;
}

int lab_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  int n = 0;
  double fma = s->v[KNOB_FMA];
  switch (lab_view(s)) {
  case VIEW_RECORD:
  case VIEW_COST: return lab_record_request(w, s, &out[0]);
  case VIEW_ARRIVAL: return 0;
  case VIEW_ASYNC:
    n = add_request(w, out, n, lab_async(s, false, fma));
    n = add_request(w, out, n, lab_async(s, true, fma));
    for (double k = 1; k <= 256; k *= 4)
      for (int wait = 0; wait < 2 && k != fma; wait++) n = add_request(w, out, n, lab_async(s, wait, k));
    return n;
  case VIEW_SMALL:
    if (!lab_small_runs(s)) return 0;
    n = add_request(w, out, n, lab_dispatch(s));
    for (int i = 0; i < LAB_SIZES; i++)
      for (int one = 1; one >= 0; one--) n = add_request(w, out, n, lab_small(s, lab_size(s, i), one));
    return n;
  default:
    if (lab_op(s) == OP_CUSTOM) return 0;
    n = add_request(w, out, n, lab_request(s, lab_short(s)));
    if (lab_view(s) == VIEW_SUSTAINED && s->v[KNOB_SECONDS] != lab_short(s)) n = add_request(w, out, n, lab_request(s, s->v[KNOB_SECONDS]));
    return n;
  }
}

/* ---- what came of it ---- */

const struct run *lab_find(const struct world *w, const struct request *r) {
  const struct run *run = run_find(w, r, w->machine);
  return run && isfinite(run_time(run)) ? run : NULL;
}

double lab_time(const struct world *w, const struct request *r) {
  const struct run *run = lab_find(w, r);
  if (!run) return NAN;
  double all = work_of(r->op, r->shape, r->dtype).flop;
  return run_time(run) * (run->flop > 0 && all > 0 ? all / run->flop : 1);
}

void lab_line_of(const struct run *r, struct lab_line *out) {
  out->n = r->count > 0 ? (r->count + r->bucket_width - 1) / r->bucket_width : 0;
  if (out->n > 1 && r->count % r->bucket_width) out->n--; /* a stretch just begun says little */
  for (int i = 0; i < out->n; i++) {
    out->at[i] = r->bucket_at[i];
    out->rate[i] = r->flop / r->bucket[i];
    out->clock[i] = r->bucket_clock[i];
  }
}
