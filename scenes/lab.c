/* lab: can I trust this number? The scene, its views and its knobs. */
#include "scenes/lab.h"

#include <math.h>

static const double SHORT_S = 2, LONG_S = 60, ASYNC_FMA = 128;

enum view_id lab_view(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }
enum op lab_op(const struct setup *s) { return (enum op)(int)s->v[KNOB_OP]; }
bool lab_timed(const struct setup *s) { return lab_view(s) <= VIEW_SPREAD || lab_view(s) == VIEW_SUSTAINED; }
double lab_short(const struct setup *s) { return lab_view(s) == VIEW_SUSTAINED ? SHORT_S : s->v[KNOB_SECONDS]; }

static void lab_resolve(const struct world *w, struct setup *s) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  if (lab_view(s) == VIEW_SMALL && !s->set[KNOB_OP]) s->v[KNOB_OP] = OP_SAXPY;
  if (isnan(s->v[KNOB_N_SIZE]))
    s->v[KNOB_N_SIZE] = work_start_n(lab_op(s), (enum dtype)(int)s->v[KNOB_DTYPE], m->last_cache_byte, m->memory_cap_byte);
  struct shape shape = {s->v[KNOB_N_SIZE], s->v[KNOB_M], s->v[KNOB_K], s->v[KNOB_BATCH], s->v[KNOB_FMA], NAN, NAN};
  shape = work_complete(lab_op(s), shape);
  s->v[KNOB_M] = shape.m;
  s->v[KNOB_K] = shape.k;
  if (lab_view(s) == VIEW_ASYNC && !s->set[KNOB_FMA]) s->v[KNOB_FMA] = ASYNC_FMA;
  if (isnan(s->v[KNOB_SECONDS])) s->v[KNOB_SECONDS] = lab_view(s) == VIEW_SUSTAINED ? LONG_S : SHORT_S;
  if (isnan(s->v[KNOB_THREADS])) s->v[KNOB_THREADS] = m->threads > 0 ? m->threads : NAN;
}

static bool lab_applies(const struct setup *s, int knob) {
  enum view_id view = lab_view(s);
  switch (knob) {
  case KNOB_OP: return view != VIEW_ASYNC;
  case KNOB_SECONDS: return lab_timed(s);
  case KNOB_N_SIZE: return lab_timed(s) && work_uses(lab_op(s), "n");
  case KNOB_M: return lab_timed(s) && work_uses(lab_op(s), "m");
  case KNOB_K: return view != VIEW_ASYNC && work_uses(lab_op(s), "k");
  case KNOB_BATCH: return view != VIEW_ASYNC && work_uses(lab_op(s), "batch");
  case KNOB_FMA: return view == VIEW_ASYNC || (view != VIEW_SMALL && work_uses(lab_op(s), "fma"));
  case KNOB_ISA: return view != VIEW_ASYNC;
  default: return true;
  }
}

static const uint8_t view_list[] = {VIEW_FIRST, VIEW_SPREAD, VIEW_ASYNC, VIEW_SUSTAINED, VIEW_SMALL};
static const uint8_t knob_list[] = {KNOB_VIEW,    KNOB_OP,  KNOB_N_SIZE, KNOB_SECONDS, KNOB_FMA, KNOB_BATCH,
                                    KNOB_THREADS, KNOB_ISA, KNOB_DTYPE,  KNOB_M,       KNOB_K};
static const struct start start_list[] = {{KNOB_OP, OP_MATMUL, NULL}, {KNOB_DTYPE, 0, "fp32"}};

const struct scene scene_lab = {
    .address = "6.3",
    .name = "lab",
    .question = "Can I trust this number?",
    .section = "timing: warm-up, spread, waiting for the work, long runs, small tasks",
    .next = "roofline",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 6,
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
