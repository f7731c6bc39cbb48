/* diagnose: what is broken? The scene, its views and knobs. */
#include "scenes/diagnose.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"

void diagnose_of(const struct world *w, const struct setup *s, struct diagnose *out) {
  const struct device *device = &w->device[(int)s->v[KNOB_DEVICE]];
  const struct model *model = w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : NULL;
  enum dtype math = ladder_math(device, DTYPE_BF16);
  struct rig_parts parts = {.geometry = geometry_of(model, NAN),
                            .peak_flop_per_s = math == DTYPE_N ? NAN : ladder_peak(device, math, ISA_AUTO, 0),
                            .byte_per_s = ladder_memory_rate(device),
                            .memory_byte = device->memory_byte.value,
                            .link_byte_per_s = device->host.byte_per_s.value,
                            .copy_s = device->copy_s.value,
                            .launch_s = device->launch_s.value,
                            .tdp_w = device->tdp_w.value};
  memset(out, 0, sizeof *out);
  out->view = (enum view_id)(int)s->v[KNOB_VIEW];
  out->hidden = out->shown = FAULT_N;
  out->answer = s->v[KNOB_ANSWER] >= 1 ? (enum fault)((int)s->v[KNOB_ANSWER] - 1) : FAULT_N;
  out->answered = out->answer != FAULT_N && s->v[KNOB_SURE] > 0.5;
  for (int l = 0; l < LOOK_N; l++)
    if (s->v[KNOB_PROBE_DEVICE + l] > 0.5 || out->view == VIEW_FAULTS) out->spent |= 1u << l;
  for (int c = 0; c < SIGN_N; c++) out->seen[c] = (int)s->v[KNOB_SEE_DEVICE + c];
  out->known = rig_healthy(&parts, &out->healthy);
  if (!out->known) return;
  out->hidden = fault_draw(&out->healthy, (uint32_t)s->v[KNOB_SEED], &out->severity);
  if (out->view != VIEW_GAME) out->severity.deep = false; /* nothing is left out of lists */
  out->shown = out->view == VIEW_FAULTS ? out->answer : out->hidden;
  out->rig = out->healthy;
  out->possible = out->shown == FAULT_N || fault_put(out->shown, &out->healthy, &out->severity, &out->rig);
  if (!out->possible) out->rig = out->healthy;
}

/* A new seed is a new game; a probe that is spent stays spent, and once the answer is given there is nothing more to find. */
static bool diagnose_turn(const struct world *w, const struct setup *now, int knob, int direction, bool coarse, struct setup *person) {
  enum view_id view = (enum view_id)(int)now->v[KNOB_VIEW];
  if (knob >= KNOB_PROBE_DEVICE && knob <= KNOB_PROBE_PROVIDER) {
    double spent = 0;
    for (int l = 0; l < LOOK_N; l++) spent += now->v[KNOB_PROBE_DEVICE + l] > 0.5 ? look_cost((enum look)l) : 0;
    if (now->v[knob] > 0.5 || spent + look_cost((enum look)(knob - KNOB_PROBE_DEVICE)) > LOOK_BUDGET) return true;
    return false;
  }
  if (knob == KNOB_ANSWER && view == VIEW_GAME) {
    person->v[knob] = knob_step(w, knob, now->v[knob], direction, coarse);
    person->v[KNOB_SURE] = 0;
    person->set[knob] = person->set[KNOB_SURE] = true;
    return true;
  }
  if (knob != KNOB_SEED) return false;
  for (int l = 0; l < LOOK_N; l++) {
    person->v[KNOB_PROBE_DEVICE + l] = 0;
    person->set[KNOB_PROBE_DEVICE + l] = false;
  }
  if (view == VIEW_GAME) person->set[KNOB_ANSWER] = person->set[KNOB_SURE] = false;
  person->v[KNOB_SEED] = knob_step(w, KNOB_SEED, now->v[KNOB_SEED], direction, coarse);
  person->set[KNOB_SEED] = true;
  return true;
}

static bool diagnose_applies(const struct setup *s, int knob) {
  enum view_id view = (enum view_id)(int)s->v[KNOB_VIEW];
  if (knob >= KNOB_PROBE_DEVICE && knob <= KNOB_PROBE_PROVIDER) return view == VIEW_GAME;
  if (knob >= KNOB_SEE_DEVICE && knob <= KNOB_SEE_COPIES) return view == VIEW_CHECKLIST;
  if (knob == KNOB_ANSWER || knob == KNOB_SEED) return view != VIEW_CHECKLIST;
  if (knob == KNOB_SURE) return view == VIEW_GAME && s->v[KNOB_ANSWER] >= 1;
  return true;
}

static const uint8_t view_list[] = {VIEW_GAME, VIEW_CHECKLIST, VIEW_FAULTS};
static const uint8_t knob_list[] = {
    KNOB_VIEW,        KNOB_SEED,           KNOB_PROBE_DEVICE,   KNOB_PROBE_MEMORY, KNOB_PROBE_CLOCKS, KNOB_PROBE_HOST, KNOB_PROBE_COPIES,
    KNOB_PROBE_TRACE, KNOB_PROBE_REQUESTS, KNOB_PROBE_PROVIDER, KNOB_ANSWER,       KNOB_SURE,         KNOB_SEE_DEVICE, KNOB_SEE_MEMORY,
    KNOB_SEE_CLOCKS,  KNOB_SEE_BUSY,       KNOB_SEE_PEAK,       KNOB_SEE_HOST,     KNOB_SEE_COPIES,   KNOB_DEVICE,     KNOB_MODEL};
static const struct start start_list[] = {{KNOB_SEED, 10, NULL}, {KNOB_DEVICE, 0, "illustrative"}, {KNOB_MODEL, 0, "chapter-7b"}};

const struct scene scene_diagnose = {
    .address = "6.4",
    .name = "diagnose",
    .question = "What is broken?",
    .section = "failures: what looks alike, which probe tells it apart, six steps in order, what serves meanwhile",
    .next = "roofline",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 19,
    .hand = KNOB_PROBE_DEVICE,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .views = view_list,
    .nviews = sizeof view_list,
    .min_w = 24,
    .min_h = 4,
    .applies = diagnose_applies,
    .turn = diagnose_turn,
    .facts = diagnose_facts,
    .rows = diagnose_rows,
    .verdict = diagnose_verdict,
    .axes = diagnose_axes,
    .draw = diagnose_draw,
};
