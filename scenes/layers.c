/* layers: which layer, which fix? One pass of a model taken apart: every operation with its arithmetic, its bytes, what it waits for and
 * its share of the time; and what each of six fixes would gain, nothing included. */
#include "scenes/layers.h"

#include <assert.h>
#include <math.h>

#include "model/capacity.h"
#include "model/ladder.h"
#include "scenes/layers_measured.h"

static enum view_id view_of(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }

/* What Adam moves for each parameter: the gradient in; weight, master copy and moments in and out (a weight beside a master copy only out).
 */
static double update_byte(enum recipe r) {
  struct recipe_byte b = recipe_byte(r);
  return b.gradient + b.weight * (b.master > 0 ? 1 : 2) + 2 * (b.master + b.optimizer);
}

static const struct model *model_of(const struct world *w, const struct setup *s) {
  static const struct model nothing;
  return w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : &nothing;
}

static void inputs(const struct world *w, const struct setup *s, struct layers *l) {
  int math = (int)s->v[KNOB_MATH];
  l->view = view_of(s);
  l->device = &w->device[(int)s->v[KNOB_DEVICE]];
  l->model = model_of(w, s);
  l->dtype = (enum dtype)(int)s->v[KNOB_DTYPE];
  l->math = math > 0 ? (enum dtype)(math - 1) : ladder_math(l->device, l->dtype);
  l->fix = (enum fix)(int)s->v[KNOB_FIX];
  l->plain = (struct profile_in){
      .work = {.model = l->model,
               .phase = (enum phase)(int)s->v[KNOB_PHASE],
               .batch = s->v[KNOB_BATCH],
               .context = s->v[KNOB_CONTEXT],
               .weight_byte = dtype_byte(l->dtype),
               .kv_byte = dtype_byte((enum dtype)(int)s->v[KNOB_KV_DTYPE]),
               .activation_byte = fmax(2, dtype_byte(l->dtype)), /* what flows stays in 16 bits and more: our assumption */
               .fused = s->v[KNOB_FUSED] > 0.5,
               .masked = s->v[KNOB_MASKED] > 0.5,
               .line_use = s->v[KNOB_LINE_USE],
               .recompute = s->v[KNOB_RECOMPUTE] > 0.5,
               .update_byte = s->v[KNOB_UPDATE] > 0.5 ? update_byte((enum recipe)(int)s->v[KNOB_RECIPE]) : 0},
      .peak_flop_per_s = !isnan(s->v[KNOB_PEAK]) ? s->v[KNOB_PEAK]
                         : l->math == DTYPE_N    ? NAN
                                                 : ladder_peak(l->device, l->math, ISA_AUTO, 0),
      .byte_per_s = !isnan(s->v[KNOB_BANDWIDTH]) ? s->v[KNOB_BANDWIDTH] : ladder_memory_rate(l->device),
      .launch_s = s->v[KNOB_LAUNCH_COST]};
  l->in = profile_fixed(&l->plain, l->fix);
}

void layers_of(const struct world *w, const struct setup *s, struct layers *out) {
  inputs(w, s, out);
  profile_of(&out->in, &out->profile);
  int n = out->profile.n, at = (int)s->v[KNOB_OPERATION] - 1;
  out->pick = n == 0 ? -1 : out->profile.order[at < n ? at : n - 1];
}

void layers_at(const struct layers *l, double batch, double context, struct profile *out) {
  struct profile_in in = l->in;
  in.work.batch = batch, in.work.context = context;
  profile_of(&in, out);
}

const char *layers_name(const struct layers *l, const struct operation *op) {
  return op->convolution >= 0 && l->model->convolution[op->convolution].name[0] ? l->model->convolution[op->convolution].name
                                                                                : operation_name(op->kind);
}

int layers_convs(const struct layers *l) {
  int n = 0;
  for (int i = 0; i < l->model->nconvolution; i++) n += !l->model->convolution[i].pool;
  return n;
}

struct layers_conv layers_conv_of(const struct layers *l, int i) {
  struct layers_conv out = {0};
  for (int k = 0; k < l->model->nconvolution; k++)
    if (!l->model->convolution[k].pool && i-- == 0) out.whole = &l->model->convolution[k];
  assert(out.whole);
  struct convolution depth = *out.whole, point = *out.whole;
  depth.groups = depth.out = depth.in; /* one filter a plane */
  point.kernel = point.stride = point.groups = 1;
  point.size = (depth.size + depth.stride - 1) / depth.stride;
  out.separable = out.whole->kernel > 1 && out.whole->groups == 1;
  out.plain = profile_op_of(&l->in, operations_convolution(&l->in.work, out.whole));
  out.depth = profile_op_of(&l->in, operations_convolution(&l->in.work, &depth));
  out.point = profile_op_of(&l->in, operations_convolution(&l->in.work, &point));
  return out;
}

/* ---- the scene ---- */

/* Where convolutions are looked at the model must have some. */
static void layers_resolve(const struct world *w, struct setup *s) {
  struct layers l;
  if (view_of(s) == VIEW_CONV && model_of(w, s)->nconvolution == 0)
    for (int i = w->nmodel - 1; i >= 0; i--)
      if (w->model[i].nconvolution > 0) s->v[KNOB_MODEL] = i;
  layers_of(w, s, &l);
  s->v[KNOB_PEAK] = l.plain.peak_flop_per_s;
  s->v[KNOB_BANDWIDTH] = l.plain.byte_per_s;
  if (isnan(s->v[KNOB_SHARE])) s->v[KNOB_SHARE] = l.pick < 0 ? NAN : l.profile.op[l.pick].time / l.profile.total.time;
}

static bool layers_applies(const struct setup *s, int knob) {
  enum view_id view = view_of(s);
  bool training = (int)s->v[KNOB_PHASE] == PHASE_TRAINING, conv = view == VIEW_CONV;
  if (view == VIEW_BLOCK) /* this machine's own, in fp32 */
    return knob == KNOB_VIEW || knob == KNOB_PHASE || knob == KNOB_BATCH || knob == KNOB_CONTEXT || knob == KNOB_OPERATION ||
           knob == KNOB_MODEL;
  switch (knob) {
  case KNOB_RECOMPUTE:
  case KNOB_UPDATE: return training && !conv;
  case KNOB_RECIPE: return training && s->v[KNOB_UPDATE] > 0.5 && !conv;
  case KNOB_KV_DTYPE: return !training && !conv;
  case KNOB_MASKED: return (int)s->v[KNOB_PHASE] != PHASE_DECODE && !conv;
  case KNOB_TIME: return view == VIEW_LIST || view == VIEW_POINTS;
  case KNOB_FASTER:
  case KNOB_SHARE: return view == VIEW_FIX;
  case KNOB_OPERATION: return view != VIEW_COUNT && view != VIEW_GROW;
  case KNOB_PHASE:
  case KNOB_CONTEXT:
  case KNOB_FUSED: return !conv;
  default: return true;
  }
}

/* The cursor stops at the end of the list. */
static bool layers_turn(const struct world *w, const struct setup *s, int knob, int direction, bool coarse, struct setup *person) {
  struct layers l;
  if (knob != KNOB_OPERATION) return false;
  struct layers_block b;
  layers_of(w, s, &l);
  layers_block_of(w, s, &l, &b);
  int n = l.view == VIEW_CONV ? layers_convs(&l) : l.view == VIEW_BLOCK ? b.n : l.profile.n, at = (int)s->v[KNOB_OPERATION];
  if (at > n) at = n;
  at += direction * (coarse ? 8 : 1);
  person->v[KNOB_OPERATION] = at < 1 ? 1 : at > n ? (n > 0 ? n : 1) : at;
  person->set[KNOB_OPERATION] = true;
  return true;
}

static const uint8_t view_list[] = {VIEW_LIST, VIEW_POINTS, VIEW_COUNT, VIEW_FIX, VIEW_GROW, VIEW_CONV, VIEW_BLOCK};
static const uint8_t knob_list[] = {KNOB_VIEW,        KNOB_PHASE,    KNOB_BATCH,  KNOB_CONTEXT,   KNOB_OPERATION, KNOB_FIX,
                                    KNOB_FASTER,      KNOB_SHARE,    KNOB_MODEL,  KNOB_DEVICE,    KNOB_DTYPE,     KNOB_KV_DTYPE,
                                    KNOB_FUSED,       KNOB_LINE_USE, KNOB_MASKED, KNOB_RECOMPUTE, KNOB_UPDATE,    KNOB_RECIPE,
                                    KNOB_LAUNCH_COST, KNOB_MATH,     KNOB_PEAK,   KNOB_BANDWIDTH, KNOB_TIME};
static const struct start start_list[] = {
    {KNOB_DEVICE, 0, "illustrative"}, {KNOB_MODEL, 0, "chapter-7b"}, {KNOB_DTYPE, 0, "bf16"}, {KNOB_LAUNCH_COST, 0, NULL}};

const struct scene scene_layers = {
    .address = "6.1",
    .name = "layers",
    .question = "Which layer, which fix?",
    .section = "a model operation by operation: what each waits for, its share of the time, what a fix gains",
    .next = "lab",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 11,
    .hand = KNOB_BATCH,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .views = view_list,
    .nviews = sizeof view_list,
    .min_w = 24,
    .min_h = 4,
    .applies = layers_applies,
    .resolve = layers_resolve,
    .turn = layers_turn,
    .facts = layers_facts,
    .rows = layers_rows,
    .verdict = layers_verdict,
    .measures = layers_measures,
    .axes = layers_axes,
    .draw = layers_draw,
};
