/* lab: can I trust, and afford, this number? The scene, its views and its knobs. */
#include "scenes/lab.h"

#include <math.h>

#include "scenes/lab_record.h"

static const double SHORT_S = 2, LONG_S = 60, ASYNC_FMA = 128;

enum view_id lab_view(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }
enum op lab_op(const struct setup *s) { return (enum op)(int)s->v[KNOB_OP]; }
bool lab_timed(const struct setup *s) { return lab_view(s) <= VIEW_SPREAD || lab_view(s) == VIEW_SUSTAINED; }
bool lab_kernel(const struct setup *s) { return lab_view(s) <= VIEW_SMALL; }
double lab_short(const struct setup *s) { return lab_view(s) == VIEW_SUSTAINED ? SHORT_S : s->v[KNOB_SECONDS]; }

static void lab_resolve(const struct world *w, struct setup *s) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  if (!lab_kernel(s)) {
    lab_record_resolve(w, s);
    return;
  }
  s->v[KNOB_DEVICE] = DEVICE_HERE; /* nothing else can be timed */
  if (lab_view(s) == VIEW_SMALL && !s->set[KNOB_OP]) s->v[KNOB_OP] = OP_SAXPY;
  if (isnan(s->v[KNOB_N_SIZE]))
    s->v[KNOB_N_SIZE] = work_start_n(lab_op(s), (enum dtype)(int)s->v[KNOB_DTYPE], m->last_cache_byte, m->memory_cap_byte);
  struct shape shape = {s->v[KNOB_N_SIZE], s->v[KNOB_M], s->v[KNOB_K], s->v[KNOB_BATCH], s->v[KNOB_FMA], NAN, .stride = NAN};
  shape = work_complete(lab_op(s), shape);
  s->v[KNOB_M] = shape.m;
  s->v[KNOB_K] = shape.k;
  if (lab_view(s) == VIEW_ASYNC && !s->set[KNOB_FMA]) s->v[KNOB_FMA] = ASYNC_FMA;
  if (isnan(s->v[KNOB_SECONDS])) s->v[KNOB_SECONDS] = lab_view(s) == VIEW_SUSTAINED ? LONG_S : SHORT_S;
  if (isnan(s->v[KNOB_THREADS])) s->v[KNOB_THREADS] = m->threads > 0 ? m->threads : NAN;
}

static bool record_applies(const struct setup *s, int knob) {
  enum view_id view = lab_view(s);
  switch (knob) {
  case KNOB_VIEW: return true;
  case KNOB_RECORD:
  case KNOB_THROUGHPUT:
  case KNOB_POWER:
  case KNOB_HOURLY:
  case KNOB_BUSY:
  case KNOB_INPUT:
  case KNOB_OUTPUT:
  case KNOB_DEVICE: return view != VIEW_ARRIVAL;
  case KNOB_BATCH: return view == VIEW_RECORD || (view == VIEW_COST && (int)s->v[KNOB_DEVICE] == DEVICE_HERE);
  case KNOB_MODEL: return view == VIEW_RECORD && isnan(s->v[KNOB_PARAMS]);
  case KNOB_PARAMS:
  case KNOB_DTYPE:
  case KNOB_FIRST_P50:
  case KNOB_FIRST_P95:
  case KNOB_TOKEN_P50:
  case KNOB_TOKEN_P95:
  case KNOB_ALLOCATED:
  case KNOB_USED: return view == VIEW_RECORD;
  case KNOB_BESIDE:
  case KNOB_API:
  case KNOB_API_INPUT: return view == VIEW_COST;
  case KNOB_ONE_QUEUE: return view == VIEW_ARRIVAL && s->v[KNOB_SERVERS] > 1;
  case KNOB_REQUESTS:
  case KNOB_SERVICE:
  case KNOB_VARIETY:
  case KNOB_SERVERS:
  case KNOB_CLIENTS:
  case KNOB_SIMULATED:
  case KNOB_SEED: return view == VIEW_ARRIVAL;
  default: return false;
  }
}

static bool lab_applies(const struct setup *s, int knob) {
  enum view_id view = lab_view(s);
  if (!lab_kernel(s)) return record_applies(s, knob);
  switch (knob) {
  case KNOB_OP: return view != VIEW_ASYNC;
  case KNOB_SECONDS: return lab_timed(s);
  case KNOB_N_SIZE: return lab_timed(s) && work_uses(lab_op(s), "n");
  case KNOB_M: return lab_timed(s) && work_uses(lab_op(s), "m");
  case KNOB_K: return view != VIEW_ASYNC && work_uses(lab_op(s), "k");
  case KNOB_BATCH: return view != VIEW_ASYNC && work_uses(lab_op(s), "batch");
  case KNOB_FMA: return view == VIEW_ASYNC || (view != VIEW_SMALL && work_uses(lab_op(s), "fma"));
  case KNOB_ISA: return view != VIEW_ASYNC;
  case KNOB_VIEW:
  case KNOB_THREADS:
  case KNOB_DTYPE: return true;
  default: return false;
  }
}

static const uint8_t view_list[] = {VIEW_FIRST, VIEW_SPREAD, VIEW_ASYNC, VIEW_SUSTAINED, VIEW_SMALL, VIEW_RECORD, VIEW_COST, VIEW_ARRIVAL};
/* Those of the first level come first, whatever their view. */
static const uint8_t knob_list[] = {
    KNOB_VIEW,    KNOB_OP,         KNOB_N_SIZE,  KNOB_SECONDS,   KNOB_FMA,       KNOB_BATCH,     KNOB_RECORD,    KNOB_BUSY,
    KNOB_API,     KNOB_THROUGHPUT, KNOB_HOURLY,  KNOB_DEVICE,    KNOB_REQUESTS,  KNOB_SERVICE,   KNOB_SERVERS,   KNOB_ONE_QUEUE,
    KNOB_CLIENTS, KNOB_VARIETY,    KNOB_THREADS, KNOB_ISA,       KNOB_DTYPE,     KNOB_M,         KNOB_K,         KNOB_MODEL,
    KNOB_PARAMS,  KNOB_INPUT,      KNOB_OUTPUT,  KNOB_FIRST_P50, KNOB_FIRST_P95, KNOB_TOKEN_P50, KNOB_TOKEN_P95, KNOB_ALLOCATED,
    KNOB_USED,    KNOB_POWER,      KNOB_BESIDE,  KNOB_API_INPUT, KNOB_SIMULATED, KNOB_SEED};
static const struct start start_list[] = {
    {KNOB_OP, OP_MATMUL, NULL}, {KNOB_DTYPE, 0, "fp32"}, {KNOB_DEVICE, 0, "illustrative"}, {KNOB_MODEL, 0, "chapter-7b"}};

const struct scene scene_lab = {
    .address = "6.3",
    .name = "lab",
    .question = "Can I trust, and afford, this number?",
    .section = "timing: warm-up, spread, waiting for the work, long runs, small tasks; a benchmark's record, its price, and who asks",
    .next = "roofline",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 18,
    .hand = KNOB_VIEW,
    .views = view_list,
    .nviews = sizeof view_list,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 4,
    .applies = lab_applies,
    .resolve = lab_resolve,
    .facts = lab_facts,
    .rows = lab_rows,
    .verdict = lab_verdict,
    .measures = lab_measures,
    .axes = lab_axes,
    .draw = lab_draw,
};
