/* The facts of the layers scene. */
#include <math.h>
#include <string.h>

#include "scenes/layers.h"
#include "scenes/layers_facts.h"
#include "scenes/layers_measured.h"

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

static const char *provenance_of(const struct setup *s, const struct layers *l) {
  if (s->set[KNOB_PEAK] || s->set[KNOB_BANDWIDTH] || l->fix == FIX_ARITHMETIC || l->fix == FIX_BANDWIDTH) return "what if";
  if (l->device->illustrative) return "illustrative";
  if (l->math == DTYPE_N) return "unknown";
  const struct figure *peak = &l->device->peak[l->math], *rate = &l->device->memory_byte_per_s;
  return peak->unverified || rate->unverified ? "unverified" : source_name((enum source)peak->source);
}

static void facts_whole(const struct layers *l, struct fact *f) {
  const struct profile *p = &l->profile;
  const struct profile_sum *t = &p->total, *c = p->class;
  bool known = p->n > 0;
  f[F_TOKENS].value = known ? p->tokens : NAN;
  f[F_TIME].value = known ? t->time : NAN;
  struct profile_range likely = profile_estimate(&l->in);
  f[F_LIKELY_LEAST].value = likely.least;
  f[F_LIKELY_MOST].value = likely.most;
  f[F_RATE].value = over(p->tokens, t->time);
  f[F_MEMORY_TIME].value = known ? t->memory_time : NAN;
  f[F_MEMORY_SHARE].value = over(t->memory_time, t->time);
  f[F_BOUND].word = !(t->time > 0) ? bound_name(BOUND_UNKNOWN) : bound_name(t->memory_time >= t->time / 2 ? BOUND_MEMORY : BOUND_COMPUTE);
  f[F_OPERATIONS].value = t->count;
  f[F_KINDS].value = p->n;
  f[F_LAUNCHES].value = t->launches;
  f[F_LAUNCH_TIME].value = t->launch_time;
  f[F_FLOP].value = t->flop;
  f[F_BYTE].value = t->byte;
  f[F_WEIGHT_BYTE].value = t->weight_byte;
  f[F_KV_BYTE].value = t->kv_byte;
  f[F_ACTIVATION_BYTE].value = t->activation_byte;
  f[F_INTENSITY].value = over(t->flop, t->byte);
  f[F_WHOLE].value = known ? roof_time_lower(t->flop, t->byte, l->in.peak_flop_per_s, l->in.byte_per_s) : NAN;
  f[F_APART].value = over(t->time, f[F_WHOLE].value);
  for (int i = 0; i <= CLASS_UPDATE; i++) {
    f[F_PRODUCT_FLOP + i].value = c[i].flop;
    f[F_PRODUCT_TIME + i].value = known ? c[i].time : NAN;
    if (i < CLASS_UPDATE) f[F_PRODUCT_SHARE + i].value = over(c[i].time, t->time);
  }
  f[F_COUNT_SHARE].value = isnan(t->time) ? NAN : over(t->memory_count, t->count);
  f[F_FLOP_SHARE].value = isnan(t->time) ? NAN : over(t->memory_flop, t->flop);
  f[F_BYTE_SHARE].value = isnan(t->time) ? NAN : over(t->memory_byte, t->byte);
  f[F_PEAK].value = l->in.peak_flop_per_s;
  f[F_BANDWIDTH].value = l->in.byte_per_s;
  f[F_RIDGE].value = roof_ridge(l->in.peak_flop_per_s, l->in.byte_per_s);
}

/* What a time measured elsewhere says; out of sight while there is none. */
static void facts_taken(const struct setup *s, const struct layers *l, struct fact *f) {
  double taken = s->v[KNOB_TIME];
  f[F_TAKEN].value = taken;
  f[F_USED].value = l->profile.n > 0 ? l->profile.total.flop / (taken * l->in.peak_flop_per_s) : NAN;
  f[F_OVER].value = l->profile.n > 0 ? taken / l->profile.total.time : NAN;
  if (isnan(taken)) f[F_TAKEN].label = f[F_USED].label = f[F_OVER].label = NULL;
}

static void facts_params(const struct layers *l, struct fact *f) {
  struct operations_params p = operations_params(l->model);
  f[F_PARAMS].value = p.total;
  f[F_PARAMS_FILE].value = l->model->params > 0 ? l->model->params : NAN;
  f[F_PARAMS_REST].value = f[F_PARAMS_FILE].value - p.total;
  f[F_MATMUL].value = p.matmul;
  f[F_PER_PARAM].value = l->model->nconvolution > 0 ? NAN : over(l->profile.class[CLASS_PRODUCT].flop, p.matmul * l->profile.tokens);
  if (l->model->nconvolution > 0) f[F_PER_PARAM].formula = NULL; /* a filter is used at every point of the picture */
  double stored = f[F_PARAMS_FILE].value * l->in.work.weight_byte, room = l->device->memory_byte.value;
  f[F_STORED].value = stored;
  f[F_FITS].word = isnan(stored) || isnan(room) ? "not known" : stored <= room ? "yes" : "no";
}

static void facts_pick(const struct layers *l, struct fact *f) {
  const struct profile *p = &l->profile;
  int half = profile_most(p, 0.5);
  f[F_HALF].value = half > 0 ? half : NAN;
  f[F_LONGEST].word = f[F_PICK].word = f[F_PICK_PASS].word = f[F_PICK_CLASS].word = "nothing";
  f[F_PICK_BOUND].word = bound_name(BOUND_UNKNOWN);
  if (l->pick < 0) return;
  const struct profile_op *first = &p->op[p->order[0]], *o = &p->op[l->pick];
  f[F_LONGEST].word = layers_name(l, &first->op);
  f[F_LONGEST_SHARE].value = over(first->time, p->total.time);
  f[F_PICK].word = layers_name(l, &o->op);
  f[F_PICK_PASS].word = o->op.class == CLASS_UPDATE ? "update" : o->op.backward ? "backward" : o->op.again ? "again" : "forward";
  f[F_PICK_CLASS].word = operation_class_name(o->op.class);
  f[F_PICK_SHARE].value = over(o->time, p->total.time);
  f[F_PICK_BOUND].word = bound_name(o->bound);
  f[F_PICK_INTENSITY].value = isfinite(o->flop_per_byte) ? o->flop_per_byte : NAN;
  f[F_PICK_MOST].value = isfinite(o->flop_per_byte) ? o->attainable_flop_per_s : NAN;
  f[F_PICK_COUNT].value = o->op.count;
  f[F_PICK_TIME].value = o->time;
  f[F_PICK_FLOP].value = o->op.flop;
  f[F_PICK_BYTE].value = o->op.byte;
  f[F_PICK_LAUNCHES].value = o->op.launches;
  f[F_PICK_PARAMS].value = o->op.params;
}

static void facts_layer(const struct layers *l, struct fact *f) {
  const struct profile_sum *c = l->profile.layer;
  double n = l->model->layers;
  if (l->profile.n == 0 || l->model->nconvolution > 0 || !(n > 0)) return;
  double product = c[CLASS_PRODUCT].time / n, attention = c[CLASS_ATTENTION].time / n, element = c[CLASS_ELEMENT].time / n;
  f[F_LAYER_PARAMS].value = (c[CLASS_PRODUCT].params + c[CLASS_ELEMENT].params) / n;
  f[F_LAYER_TIME].value = product + attention + element;
  f[F_LAYER_PRODUCT].value = product;
  f[F_LAYER_ATTENTION].value = attention;
  f[F_LAYER_ELEMENT].value = element;
  f[F_LAYER_SHARE].value = over(element, element + product);
  f[F_LAYER_FLOP].value = c[CLASS_PRODUCT].flop / n;
  f[F_LAYER_BYTE].value = c[CLASS_PRODUCT].byte / n;
  f[F_LAYER_INTENSITY].value = over(c[CLASS_PRODUCT].flop, c[CLASS_PRODUCT].byte);
  f[F_LAYER_ELEMENT_BYTE].value = c[CLASS_ELEMENT].byte / n;
  f[F_LAYER_LAUNCHES].value = c[CLASS_ELEMENT].launches / n;
  f[F_LAYER_LAUNCH].value = c[CLASS_ELEMENT].launch_time / n;
}

static void facts_fix(const struct setup *s, const struct layers *l, struct fact *f) {
  int best = FIX_NONE;
  double before = profile_time(&l->plain) / operations_tokens(&l->plain.work);
  f[F_FIX].word = fix_name(l->fix);
  f[F_TOKEN_BEFORE].value = before;
  f[F_TOKEN_AFTER].value = over(l->profile.total.time, l->profile.tokens);
  f[F_GAIN].value = over(before, f[F_TOKEN_AFTER].value);
  for (int i = FIX_FUSE; i < FIX_N; i++) {
    double gain = profile_gain(&l->plain, (enum fix)i);
    f[F_GAIN_FUSE + i - FIX_FUSE].value = gain;
    if (gain > 1 + 1e-9 && !(gain <= f[F_BEST_GAIN].value)) best = i, f[F_BEST_GAIN].value = gain;
  }
  if (best == FIX_NONE && !isnan(before)) f[F_BEST_GAIN].value = 1;
  f[F_BEST].word = fix_name((enum fix)best);
  f[F_FASTER].value = s->v[KNOB_FASTER];
  f[F_AMDAHL].value = profile_amdahl(s->v[KNOB_SHARE], s->v[KNOB_FASTER]);
  f[F_LIMIT].value = s->v[KNOB_SHARE] < 1 ? 1 / (1 - s->v[KNOB_SHARE]) : NAN; /* of everything: no limit */
}

static void facts_conv(const struct setup *s, const struct layers *l, struct fact *f) {
  int n = layers_convs(l), at = (int)s->v[KNOB_OPERATION] - 1;
  f[F_CONV].word = "none in this model";
  f[F_CONV_BOUND].word = f[F_DEPTH_BOUND].word = bound_name(BOUND_UNKNOWN);
  if (n == 0) return;
  struct layers_conv c = layers_conv_of(l, at < n ? at : n - 1);
  f[F_CONV].word = c.whole->name;
  f[F_CONV_FLOP].value = c.plain.op.flop;
  f[F_CONV_BYTE].value = c.plain.op.byte;
  f[F_CONV_INTENSITY].value = c.plain.flop_per_byte;
  f[F_CONV_TIME].value = c.plain.time;
  f[F_CONV_BOUND].word = bound_name(c.plain.bound);
  if (!c.separable) return;
  f[F_DEPTH_FLOP].value = c.depth.op.flop;
  f[F_DEPTH_BYTE].value = c.depth.op.byte;
  f[F_DEPTH_INTENSITY].value = c.depth.flop_per_byte;
  f[F_DEPTH_BOUND].word = bound_name(c.depth.bound);
  f[F_POINT_FLOP].value = c.point.op.flop;
  f[F_SEPARABLE_TIME].value = c.depth.time + c.point.time;
  f[F_CONV_LESS].value = c.plain.op.flop / (c.depth.op.flop + c.point.op.flop);
  f[F_CONV_FASTER].value = c.plain.time / f[F_SEPARABLE_TIME].value;
}

/* What generates nothing has no prompt and no decode: its pass is one over its input. */
static const char *phase_of(const struct layers *l) {
  if (l->profile.n == 0) return "unknown";
  enum phase p = operations_phase(&l->in.work);
  return p == PHASE_PREFILL && !l->model->decoder ? "one pass" : phase_name(p);
}

static const char *state_of(const struct layers *l) {
  if (l->view == VIEW_BLOCK) return "";
  if (isnan(l->in.byte_per_s)) return "not measured yet: R";
  if (l->fix != FIX_NONE) return "with the fix";
  if (l->in.work.phase == PHASE_DECODE && !l->model->decoder) return "no decode here: one pass";
  return l->model->illustrative ? "its shape is assumed" : "element-wise FLOP: our counts";
}

int layers_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  struct layers l;
  layers_of(w, s, &l);
  unsigned view = 1u << (l.view - VIEW_LIST);
  for (int i = 0; i < F_N; i++) {
    out[i] = layers_fact_table[i].fact;
    out[i].value = NAN;
    if (!(layers_fact_table[i].views & view)) out[i].label = NULL;
  }
  facts_whole(&l, out);
  facts_taken(s, &l, out);
  facts_params(&l, out);
  facts_pick(&l, out);
  facts_layer(&l, out);
  facts_fix(s, &l, out);
  facts_conv(s, &l, out);
  out[F_VIEW].word = view_name(l.view);
  out[F_MODEL].word = l.model->id;
  out[F_PHASE].word = phase_of(&l);
  out[F_INPUT].word = l.model->nconvolution > 0 ? "pictures" : "tokens";
  out[F_MATH].word = l.math == DTYPE_N ? "unknown" : dtype_name(l.math);
  out[F_PROVENANCE].word = l.view != VIEW_BLOCK ? provenance_of(s, &l) : w->device[DEVICE_HERE].machine.measured ? "measured" : "unknown";
  out[F_STATE].word = state_of(&l);
  return F_N + layers_block_facts(w, s, &l, out + F_N);
}
