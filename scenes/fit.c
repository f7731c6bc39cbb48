/* fit: does it all fit? Weights, KV cache, activations, gradients, master copy and optimizer state against the memory of the chosen
 * devices. Its table has one row for every device of the catalogue: what a learner asks next is where it would fit. */
#include "scenes/fit.h"

#include <math.h>
#include <string.h>

#include "model/parameters.h"

enum {
  F_TOTAL,
  F_WEIGHT,
  F_KV,
  F_ACTIVATION,
  F_GRADIENT,
  F_MASTER,
  F_OPTIMIZER,
  F_CAPACITY,
  F_HEADROOM,
  F_NEEDED,
  F_MAX_BATCH,
  F_MAX_CONTEXT,
  F_STATE,
  F_FITS,
  F_LARGEST,
  F_TOTAL_BINARY,
  F_CAPACITY_BINARY,
  F_HEADROOM_BINARY,
  F_HEADROOM_MEANT,
  F_ONE,
  F_EACH,
  F_DEVICES,
  F_KV_TOKEN,
  F_KV_WINDOWED,
  F_PARAMS,
  F_ADAPTER,
  F_PER_PARAM,
  F_BATCH,
  F_CONTEXT,
  F_OWN_CONTEXT,
  F_USE,
  F_RECIPE,
  F_MODEL,
  F_GEOMETRY,
  F_DEVICE,
  F_PROVENANCE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_TOTAL] = {"total_byte", "needed", "byte", 1, "state_byte + kv_byte + activation_byte",
                 "Everything that must be in memory at once. A runtime keeps another 0.5 to 2 GB for itself, which is not counted."},
    [F_WEIGHT] = {"weight_byte", "  weights", "byte", 1, NULL,
                  "All parameters as stored, experts included; trained ones in the recipe's 2 bytes."},
    [F_KV] = {"kv_byte", "  KV cache", "byte", 1, "batch * context * kv_byte_per_token",
              "Keys and values of every token of every sequence. Training keeps none."},
    [F_ACTIVATION] = {"activation_byte", "  activations", "byte", 1, NULL,
                      "Training without recomputation: layers x context x batch x width x (34 + 5 heads x context / width). Inference, our "
                      "assumption: one "
                      "layer's for a chunk of at most 2048 tokens, and the logits."},
    [F_GRADIENT] = {"gradient_byte", "  gradients", "byte", 1, NULL,
                    "One for each trained parameter; 0 when the recipe uses each up as it is made."},
    [F_MASTER] = {"master_byte", "  master copy", "byte", 1, NULL,
                  "The trained parameters once more in fp32, so that small steps are not lost."},
    [F_OPTIMIZER] = {"optimizer_byte", "  optimizer", "byte", 1, NULL, "Adam's two fp32 moments for each trained parameter."},
    [F_CAPACITY] = {"capacity_byte", "memory", "byte", 1, "device_capacity_byte * devices",
                    "Memory of all the devices together, GB of 1e9 bytes."},
    [F_HEADROOM] = {"headroom_byte", "left", "byte", 1, "capacity_byte - total_byte", "What is left; negative: what is missing."},
    [F_NEEDED] = {"devices_needed", "devices needed", "n", 1, "ceil(total_byte / device_capacity_byte)",
                  "Such devices, if all of it could be split evenly. Real splits keep some parts twice."},
    [F_MAX_BATCH] = {"max_batch", "largest batch", "n", 1, NULL, "The most sequences of this context that fit; 0: not even one."},
    [F_MAX_CONTEXT] = {"max_context", "most context", "n", 1, NULL,
                       "The most tokens a sequence may have at this batch, by memory alone; a dash: memory sets no limit."},
    [F_STATE] = {"state_byte", "before input", "byte", 1, "weight_byte + gradient_byte + master_byte + optimizer_byte",
                 "What is there before the first input comes in."},
    [F_FITS] = {"fits", "fits", "", 2, NULL, "Whether all of it fits on the chosen devices together."},
    [F_LARGEST] = {"largest_part", "most of it", "", 2, NULL, "The part that takes most."},
    [F_TOTAL_BINARY] = {"total_byte_binary", "needed, in GiB", "iB", 2, "total_byte", "The same bytes in units of 2^30."},
    [F_CAPACITY_BINARY] = {"capacity_byte_binary", "memory, in GiB", "iB", 2, "capacity_byte",
                           "The same memory in units of 2^30: 80 GB are 74.5 GiB."},
    [F_HEADROOM_BINARY] = {"headroom_byte_binary", "left, in GiB", "iB", 2, "headroom_byte", "The same rest in units of 2^30."},
    [F_HEADROOM_MEANT] = {"headroom_byte_meant", "left, GB as GiB", "byte", 2, "capacity_byte * 1.073741824 - total_byte",
                          "What would be left if the sheet's GB were meant as GiB, as some are: 7 % more memory."},
    [F_ONE] = {"device_capacity_byte", "memory of one", "byte", 2, NULL, "Memory of one device."},
    [F_EACH] = {"device_total_byte", "needed on each", "byte", 2, "total_byte / devices", "What each device holds if all is split evenly."},
    [F_DEVICES] = {"devices_used", NULL, "n", 2, NULL, "Devices that share the load."},
    [F_KV_TOKEN] = {"kv_byte_per_token", "KV of a token", "byte", 2, NULL,
                    "Keys and values one token leaves in the cache, over all layers."},
    [F_KV_WINDOWED] = {"kv_windowed_byte", "KV, windowed", "byte", 2, NULL,
                       "What the cache takes when layers that look through a window keep no more than that; the sum counts the whole context, as "
                       "many servers reserve it."},
    [F_PARAMS] = {"params_total", "parameters", "n", 2, NULL, "Parameters held, experts included."},
    [F_ADAPTER] = {"adapter_params", "adapter params", "n", 2, NULL,
                   "LoRA, our assumption: rank 16 beside each of the four attention projections."},
    [F_PER_PARAM] = {"state_byte_per_param", "per parameter", "byte", 2, "state_byte / params_total",
                     "State over parameters: 2 to serve in bf16, 16 to train with Adam in mixed precision."},
    [F_BATCH] = {"sequences", NULL, "n", 2, NULL, "Sequences held at once."},
    [F_CONTEXT] = {"tokens_each", NULL, "n", 2, NULL, "Tokens of each sequence."},
    [F_OWN_CONTEXT] = {"model_max_context", "model's limit", "n", 2, NULL, "The longest context the model was made for."},
    [F_USE] = {"use", "use", "", 2, NULL, "What the model is loaded for."},
    [F_RECIPE] = {"recipe", "recipe", "", 2, NULL, "Bytes for each trained parameter."},
    [F_MODEL] = {"model", "model", "", 2, NULL, "The model on show."},
    [F_GEOMETRY] = {"geometry", "geometry", "", 2, NULL, "Whether layers, width and heads are the model's own or assumed."},
    [F_DEVICE] = {"device", "device", "", 2, NULL, "The device on show."},
    [F_PROVENANCE] = {"provenance", "figures", "", 2, NULL,
                      "Where the memory size comes from: vendor, derived, illustrative, or measured here."},
};

const struct device *fit_device(const struct world *w, const struct setup *s) { return &w->device[(int)s->v[KNOB_DEVICE]]; }

struct capacity_in fit_of(const struct world *w, const struct setup *s, const struct device *d) {
  return (struct capacity_in){.geometry = geometry_of(w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : NULL, s->v[KNOB_PARAMS]),
                              .use = (enum use)(int)s->v[KNOB_USE],
                              .recipe = (enum recipe)(int)s->v[KNOB_RECIPE],
                              .weight_byte = dtype_byte((enum dtype)(int)s->v[KNOB_DTYPE]),
                              .kv_byte = dtype_byte((enum dtype)(int)s->v[KNOB_KV_DTYPE]),
                              .batch = s->v[KNOB_BATCH],
                              .context = s->v[KNOB_CONTEXT],
                              .capacity_byte = d->memory_byte.value > 0 ? d->memory_byte.value : NAN,
                              .devices = s->v[KNOB_DEVICES]};
}

static bool fit_applies(const struct setup *s, int knob) {
  enum use use = (enum use)(int)s->v[KNOB_USE];
  switch (knob) {
  case KNOB_MODEL: return isnan(s->v[KNOB_PARAMS]);
  case KNOB_RECIPE: return use != USE_INFERENCE;
  case KNOB_KV_DTYPE: return use == USE_INFERENCE;
  case KNOB_DTYPE: return use != USE_FINETUNE; /* the recipe says how trained weights are stored */
  default: return true;
  }
}

static const char *fits_word(double headroom) { return isnan(headroom) ? "unknown" : headroom >= 0 ? "yes" : "no"; }

static const char *provenance_of(const struct device *d) {
  if (d->illustrative) return "illustrative";
  return d->memory_byte.unverified ? "unverified" : source_name((enum source)d->memory_byte.source);
}

/* The part that takes most, in words. */
static const char *largest_part(const struct fact *f) {
  static const struct {
    int fact;
    const char *word;
  } part[] = {{F_WEIGHT, "the weights"},     {F_KV, "the KV cache"},        {F_ACTIVATION, "the activations"},
              {F_GRADIENT, "the gradients"}, {F_MASTER, "the master copy"}, {F_OPTIMIZER, "the optimizer state"}};
  int best = 0;
  for (int i = 1; i < (int)(sizeof part / sizeof *part); i++)
    if (f[part[i].fact].value > f[part[best].fact].value) best = i;
  return part[best].word;
}

static int fit_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  const struct device *d = fit_device(w, s);
  struct capacity_in in = fit_of(w, s, d);
  struct capacity_out o;
  capacity_of(&in, &o);
  facts_begin(out, fact_table, F_N, true);
  out[F_TOTAL].value = out[F_TOTAL_BINARY].value = o.total_byte;
  out[F_WEIGHT].value = o.weight_byte;
  out[F_KV].value = o.kv_byte;
  out[F_ACTIVATION].value = o.activation_byte;
  out[F_GRADIENT].value = o.gradient_byte;
  out[F_MASTER].value = o.master_byte;
  out[F_OPTIMIZER].value = o.optimizer_byte;
  out[F_CAPACITY].value = out[F_CAPACITY_BINARY].value = o.capacity_byte;
  out[F_HEADROOM].value = out[F_HEADROOM_BINARY].value = o.headroom_byte;
  out[F_HEADROOM_MEANT].value = o.capacity_byte * 1.073741824 - o.total_byte;
  out[F_NEEDED].value = o.devices_needed;
  out[F_MAX_BATCH].value = o.max_batch;
  out[F_MAX_CONTEXT].value = o.max_context;
  out[F_STATE].value = o.state_byte;
  out[F_FITS].word = fits_word(o.headroom_byte);
  out[F_LARGEST].word = largest_part(out);
  out[F_ONE].value = in.capacity_byte;
  out[F_EACH].value = o.total_byte / in.devices;
  out[F_DEVICES].value = in.devices;
  out[F_KV_TOKEN].value = in.geometry.kv_byte_per_token_2 / 2 * in.kv_byte;
  out[F_PARAMS].value = in.geometry.params;
  out[F_ADAPTER].value = o.adapter_params;
  out[F_PER_PARAM].value = o.state_byte / in.geometry.params;
  out[F_BATCH].value = in.batch;
  out[F_CONTEXT].value = in.context;
  const struct model *m = !(s->v[KNOB_PARAMS] > 0) && w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : NULL;
  if (m && m->window > 0 && in.use == USE_INFERENCE)
    out[F_KV_WINDOWED].value = in.batch * parameters_kv_windowed(m, in.context) * in.kv_byte;
  else
    out[F_KV_WINDOWED].label = NULL; /* no layer has one */
  out[F_OWN_CONTEXT].value = m && m->max_context > 0 ? m->max_context : NAN;
  out[F_USE].word = use_name(in.use);
  out[F_RECIPE].word = in.use == USE_INFERENCE ? "none" : recipe_name(in.recipe);
  out[F_MODEL].word = s->v[KNOB_PARAMS] > 0 ? "params" : m ? m->id : "none";
  out[F_GEOMETRY].word = in.geometry.assumed ? "assumed" : isnan(in.geometry.hidden) ? "unknown" : "the model's";
  out[F_DEVICE].word = d->id;
  out[F_PROVENANCE].word = provenance_of(d);
  /* What this use does not keep leaves the first screen. */
  if (in.use == USE_INFERENCE)
    out[F_GRADIENT].detail = out[F_MASTER].detail = out[F_OPTIMIZER].detail = out[F_STATE].detail = 2;
  else
    out[F_KV].detail = out[F_MAX_CONTEXT].detail = 2, out[F_KV].formula = NULL;
  return F_N;
}

/* A row a device: does the same load fit on as many of it? */
static int fit_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  static const int shown[] = {F_DEVICE, F_ONE, F_FITS, F_HEADROOM, F_NEEDED, F_MAX_BATCH, F_MAX_CONTEXT, F_PROVENANCE};
  enum { SHOWN = sizeof shown / sizeof *shown };
  if (row < 0 || row >= w->ndevice) return 0;
  struct setup at = *s;
  struct fact f[FACT_MAX];
  at.v[KNOB_DEVICE] = row;
  fit_facts(w, &at, f);
  for (int i = 0; i < SHOWN; i++) out[i] = f[shown[i]];
  return SHOWN;
}

static void verdict_unknown(const struct fact *f, int n, struct text *t) {
  if (isnan(fact_value(f, n, "total_byte"))) {
    text_add(t, "What this use of the model needs is not known: its file gives no layers, width or heads. ");
    double state = fact_value(f, n, "state_byte");
    if (!isnan(state)) text_add(t, "Before any input it takes "), text_number(t, state, "byte"), text_add(t, ".");
    return;
  }
  text_number(t, fact_value(f, n, "total_byte"), "byte");
  text_add(t, " must be in memory, most of it ");
  text_add(t, fact_word(f, n, "largest_part"));
  if (strcmp(fact_word(f, n, "device"), "here") == 0)
    text_add(t, ". How much this machine has is not known yet: press R to measure it.");
  else
    text_add(t, ". The size of this device's memory is not known, so nobody can say whether that fits.");
}

static void verdict_yes(const struct fact *f, int n, struct text *t) {
  double left = fact_value(f, n, "headroom_byte"), all = fact_value(f, n, "capacity_byte"), devices = fact_value(f, n, "devices_used");
  text_add(t, left < 0.03 * all ? "It just fits" : "It fits");
  if (devices > 1) text_add(t, " on "), text_count(t, devices), text_add(t, " devices if it splits evenly");
  text_add(t, ": ");
  text_number(t, fact_value(f, n, "total_byte"), "byte");
  text_add(t, " of ");
  text_number(t, all, "byte");
  text_add(t, ", most of it ");
  text_add(t, fact_word(f, n, "largest_part"));
  text_add(t, ".");
  if (left < 0.03 * all) {
    text_add(t, " A runtime wants 0.5 to 2 GB for itself, so count on it not fitting.");
    return;
  }
  double batch = fact_value(f, n, "max_batch"), context = fact_value(f, n, "max_context");
  if (batch > 0) text_add(t, " Room for batch "), text_count(t, batch), text_add(t, " at this context");
  if (batch > 0 && context > 0) text_add(t, ", or for "), text_count(t, context), text_add(t, " tokens of context at this batch");
  double own = fact_value(f, n, "model_max_context");
  if (batch > 0 && context > own) text_add(t, " (the model itself stops at "), text_count(t, own), text_add(t, ")");
  if (batch > 0) text_add(t, ".");
}

static void verdict_no(const struct fact *f, int n, struct text *t) {
  double total = fact_value(f, n, "total_byte"), all = fact_value(f, n, "capacity_byte"), state = fact_value(f, n, "state_byte");
  const char *use = fact_word(f, n, "use");
  text_add(t, "It does not fit: ");
  text_number(t, -fact_value(f, n, "headroom_byte"), "byte");
  text_add(t, " missing, most of it ");
  text_add(t, fact_word(f, n, "largest_part"));
  text_add(t, ". At least ");
  text_count(t, fact_value(f, n, "devices_needed"));
  text_add(t, " such devices, if it splits evenly.");
  if (total < all * 1.073741824)
    text_add(t, " It would fit if those GB were GiB: they are not.");
  else if (strcmp(use, "finetune") == 0 && state > all)
    text_add(t, " LoRA trains small adapters instead and keeps no optimizer state for the rest.");
  else if (state > all)
    text_add(t, " Fewer bits a weight is the only other way.");
  else if (strcmp(use, "inference") == 0)
    text_add(t, " A smaller batch, a shorter context or fewer KV bits would do.");
  else
    text_add(t, " A smaller batch, a shorter context, or recomputing activations would do.");
}

static void fit_verdict(const struct fact *f, int n, struct text *t) {
  double left = fact_value(f, n, "headroom_byte");
  if (isnan(left))
    verdict_unknown(f, n, t);
  else if (left >= 0)
    verdict_yes(f, n, t);
  else
    verdict_no(f, n, t);
}

static const uint8_t knob_list[] = {KNOB_USE,   KNOB_BATCH,  KNOB_CONTEXT, KNOB_DTYPE,    KNOB_RECIPE,
                                    KNOB_MODEL, KNOB_DEVICE, KNOB_DEVICES, KNOB_KV_DTYPE, KNOB_PARAMS};
static const struct start start_list[] = {{KNOB_DEVICE, 0, "h100-sxm"}, {KNOB_MODEL, 0, "chapter-7b"}, {KNOB_DTYPE, 0, "bf16"},
                                          {KNOB_KV_DTYPE, 0, "bf16"},   {KNOB_BATCH, 1, NULL},         {KNOB_CONTEXT, 2048, NULL}};

const struct scene scene_fit = {
    .address = "3.3",
    .name = "fit",
    .question = "Does it all fit?",
    .section = "what must be in memory besides the weights",
    .next = "offload",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 8,
    .hand = KNOB_BATCH,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 6,
    .trail_x = "sequences",
    .trail_y = "tokens_each",
    .applies = fit_applies,
    .facts = fit_facts,
    .rows = fit_rows,
    .verdict = fit_verdict,
    .axes = fit_axes,
    .draw = fit_draw,
};
