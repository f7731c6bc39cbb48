/* The second case: a language model is trained further, all of its weights or small adapters beside them. */
#include <math.h>

#include "model/capacity.h"
#include "model/collective.h"
#include "model/ladder.h"
#include "scenes/cases.h"

enum {
  F_FLOP,
  F_LORA_FLOP,
  F_TIME_ONE,
  F_TIME,
  F_LORA_TIME,
  F_WEIGHT,
  F_GRADIENT,
  F_MASTER,
  F_OPTIMIZER,
  F_STATE,
  F_ACTIVATION,
  F_OVER,
  F_NEEDED,
  F_EACH,
  F_LEFT,
  F_ONE_BYTE,
  F_EACH_BYTE,
  F_BASE,
  F_LORA_BYTE,
  F_LINK_RATE,
  F_LINK_BYTE,
  F_LINK_TIME,
  F_STEP_TIME,
  F_LINK_SHARE,
  F_PEAK,
  F_FAMILY,
  F_DEVICE,
  F_LIMIT,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_FLOP] = {"tune_flop", "all weights", "flop", 1, "6 * tune_params * tune_tokens",
                "Arithmetic of training: 2 FLOP a parameter and token forward, 4 back. Attention over the sequence is left out."},
    [F_LORA_FLOP] = {"tune_lora_flop", "adapters alone", "flop", 2, "4 * tune_params * tune_tokens",
                     "With frozen weights nothing is computed for their gradients: a third less."},
    [F_TIME_ONE] = {"tune_time_one", "on one device", "s", 1, "tune_flop / (tune_peak * tune_use)",
                    "If it all fitted on one: arithmetic at the share of the peak that training reaches."},
    [F_TIME] = {"tune_time", "on all of them", "s", 1, "tune_time_one / devices", "Split evenly."},
    [F_LORA_TIME] = {"tune_lora_time", "adapters: time", "s", 2, "tune_lora_flop / (tune_peak * tune_use)", "Adapters on one device."},
    [F_WEIGHT] = {"tune_weight_byte", "  weights", "byte", 1, NULL, "The weights that arithmetic uses."},
    [F_GRADIENT] = {"tune_gradient_byte", "  gradients", "byte", 1, NULL, "A gradient for each."},
    [F_MASTER] = {"tune_master_byte", "  master copy", "byte", 1, NULL, "Each once more in fp32, so that small steps are not lost."},
    [F_OPTIMIZER] = {"tune_optimizer_byte", "  Adam", "byte", 1, NULL, "Two moments of Adam for each."},
    [F_STATE] = {"tune_state_byte", "before input", "byte", 1,
                 "tune_weight_byte + tune_gradient_byte + tune_master_byte + tune_optimizer_byte",
                 "What must be in memory before the first input."},
    [F_ACTIVATION] =
        {"tune_activation_byte", "activations", "byte", 1, NULL,
         "Kept for the way back, nothing recomputed, for the batch and context of the knobs; 32 layers, 4096 wide are assumed."},
    [F_OVER] = {"tune_over", "over a device's", "x", 2, "tune_state_byte / device_byte",
                "What is there before input, over the memory of one device: over 1 it cannot be."},
    [F_NEEDED] = {"tune_needed", "devices needed", "n", 1, "ceil(tune_state_byte / device_byte)",
                  "The fewest that hold what is there before input, if it splits evenly."},
    [F_EACH] = {"tune_each_state", "each holds", "byte", 2, "tune_state_byte / devices", "Of that, on each device."},
    [F_LEFT] = {"tune_left", "left on each", "byte", 2, "device_byte - tune_each_state", "Left on each for activations."},
    [F_ONE_BYTE] = {"tune_one_byte", "all, on one", "byte", 2, "tune_state_byte + tune_activation_byte", "Everything, on one device."},
    [F_EACH_BYTE] = {"tune_each_byte", "all, on each", "byte", 2, "tune_one_byte / devices", "Everything, split evenly."},
    [F_BASE] = {"tune_base_byte", "frozen base", "byte", 2, NULL, "The weights that adapters leave as they are, in 16 bit."},
    [F_LORA_BYTE] =
        {"tune_lora_byte", "with adapters", "byte", 2, NULL,
         "The frozen base, adapters of rank 16 with all that training keeps for them, and activations. The rank is our assumption."},
    [F_LINK_RATE] = {"tune_link_rate", "link, one way", "byte/s", 2, NULL,
                     "From device to device, one direction: the knob's when set, else the device's own."},
    [F_LINK_BYTE] = {"tune_link_byte", "crosses a step", "byte", 2, "3 * tune_weight_byte * (devices - 1) / devices",
                     "What each device sends and receives for one update when all share the state: weights forward, weights back, "
                     "gradients. Our assumption."},
    [F_LINK_TIME] = {"tune_link_time", "on the link", "s", 2, "tune_link_byte / tune_link_rate",
                     "At the link's rate, without its latency."},
    [F_STEP_TIME] = {"tune_step_time", "arithmetic", "s", 2, "6 * tune_params * tune_step / (tune_peak * tune_use * devices)",
                     "Arithmetic of one update on each device."},
    [F_LINK_SHARE] =
        {"tune_link_share", "link against it", "%", 1, "tune_link_time / tune_step_time",
         "The link's time over that of the arithmetic: below 100 % it can hide behind it, beyond the devices wait for one another."},
    [F_PEAK] = {"tune_peak", "peak of one", "flop/s", 2, NULL, "Dense peak of one device, bf16 where it has it."},
    [F_FAMILY] = {"tune_family", "kind of device", "", 1, NULL,
                  "TPU when the program is written for XLA and may run in Google's cloud, else GPU."},
    [F_DEVICE] = {"tune_device", "device", "", 1, NULL, "The device whose memory, peak and link are used."},
    [F_LIMIT] = {"tune_limit", NULL, "s", 2, "tune_within", "What the training may take."},
};

const struct cases_row cases_tune_row = {
    .title = "fine-tuning",
    .candidate = {"all, on one", "all, sharded", "adapters, one"},
    .brief = {"one", "sharded", "LoRA"},
    .decision = {"all weights on one device", "all weights, sharded", "adapters (LoRA) on one device"},
    .together = "sharded, or adapters (LoRA) on one",
    .check = {{STEP_ESTIMATE, "work", "", {"tune_flop", "tune_flop", "tune_lora_flop"}, {NULL}, false},
              {STEP_TARGET,
               "ready",
               "time",
               {"tune_time_one", "tune_time", "tune_lora_time"},
               {"tune_limit", "tune_limit", "tune_limit"},
               false},
              {STEP_MEMORY,
               "each holds",
               "memory",
               {"tune_one_byte", "tune_each_byte", "tune_lora_byte"},
               {"device_byte", "device_byte", "device_byte"},
               false},
              {STEP_CONSTRAINT, "link", "link", {NULL, "tune_link_share", NULL}, {NULL, "all_of_it", NULL}, false},
              {STEP_COST, "rented for", "device time", {"tune_time_one", "tune_time_one", "tune_lora_time"}, {NULL}, false}},
    .checks = 5,
};

static double link_of(const struct device *d, const struct setup *s) {
  if (s->set[KNOB_LINK] || s->set[KNOB_LINK_RATE]) return s->v[KNOB_LINK_RATE];
  return d->peer.byte_per_s.value > 0 ? d->peer.byte_per_s.value : d->host.byte_per_s.value;
}

int cases_tune_facts(const struct world *w, const struct setup *s, struct fact *out) {
  const struct device *d = cases_device(w, s);
  enum dtype math = ladder_math(d, DTYPE_BF16);
  double params = s->v[KNOB_TUNE_PARAMS], tokens = s->v[KNOB_TUNE_TOKENS], devices = s->v[KNOB_DEVICES];
  double peak = math == DTYPE_N ? NAN : ladder_peak(d, math, ISA_AUTO, 0), rate = peak * s->v[KNOB_TUNE_USE];
  struct capacity_in in = {.geometry = geometry_of(NULL, params),
                           .use = USE_FINETUNE,
                           .recipe = (enum recipe)(int)s->v[KNOB_RECIPE],
                           .weight_byte = 2,
                           .kv_byte = 2,
                           .batch = s->v[KNOB_BATCH],
                           .context = s->v[KNOB_CONTEXT],
                           .capacity_byte = d->memory_byte.value > 0 ? d->memory_byte.value : NAN,
                           .devices = devices};
  struct capacity_out all, lora;
  capacity_of(&in, &all);
  in.use = USE_LORA;
  capacity_of(&in, &lora);
  struct group_in group = {.split = SPLIT_SHARDED,
                           .devices = devices,
                           .params = params,
                           .layers = in.geometry.layers,
                           .hidden = in.geometry.hidden,
                           .tokens = s->v[KNOB_TUNE_STEP],
                           .weight_byte = in.weight_byte,
                           .peak_flop_per_s = rate,
                           .byte_per_s = d->memory_byte_per_s.value,
                           .link_byte_per_s = link_of(d, s),
                           .exchange_s = 0};
  struct group_out shared;
  group_of(&group, &shared);
  int n = cases_table(s, VIEW_FINETUNE, fact_table, F_N, out);
  out[F_FLOP].value = 6 * params * tokens;
  out[F_LORA_FLOP].value = 4 * params * tokens;
  out[F_TIME_ONE].value = 6 * params * tokens / rate;
  out[F_TIME].value = out[F_TIME_ONE].value / devices;
  out[F_LORA_TIME].value = 4 * params * tokens / rate;
  out[F_WEIGHT].value = all.weight_byte;
  out[F_GRADIENT].value = all.gradient_byte;
  out[F_MASTER].value = all.master_byte;
  out[F_OPTIMIZER].value = all.optimizer_byte;
  out[F_STATE].value = all.state_byte;
  out[F_ACTIVATION].value = all.activation_byte;
  out[F_OVER].value = all.state_byte / in.capacity_byte;
  out[F_NEEDED].value = ceil(all.state_byte / in.capacity_byte);
  out[F_EACH].value = all.state_byte / devices;
  out[F_LEFT].value = in.capacity_byte - all.state_byte / devices;
  out[F_ONE_BYTE].value = all.state_byte + all.activation_byte;
  out[F_EACH_BYTE].value = out[F_ONE_BYTE].value / devices;
  out[F_BASE].value = params * in.weight_byte;
  out[F_LORA_BYTE].value = lora.total_byte;
  out[F_LINK_RATE].value = link_of(d, s);
  out[F_LINK_BYTE].value = shared.link_byte;
  out[F_LINK_TIME].value = shared.link_time;
  out[F_STEP_TIME].value = shared.compute_time;
  out[F_LINK_SHARE].value = out[F_LINK_TIME].value / out[F_STEP_TIME].value;
  out[F_PEAK].value = peak;
  out[F_FAMILY].word = s->v[KNOB_JAX] > 0.5 && s->v[KNOB_GOOGLE] > 0.5 ? "TPU" : "GPU";
  out[F_DEVICE].word = d->id;
  out[F_LIMIT].value = s->v[KNOB_TUNE_WITHIN];
  return n;
}
