/* capacity: what must be in memory at once, for inference, full fine-tuning and LoRA. Bytes; decimal and binary units are
 * a matter for the formatting file. Activation memory: Korthikanti et al. 2022; recipes: Micikevicius 2017 (16), Megatron (18),
 * bf16 weights with fp32 moments only (10). */
#ifndef RIDGE_CAPACITY_H
#define RIDGE_CAPACITY_H

#include <stdbool.h>

#include "model/step.h"

enum use { USE_INFERENCE, USE_FINETUNE, USE_LORA, USE_N };
const char *use_name(enum use u);
enum recipe { RECIPE_16, RECIPE_18, RECIPE_10, RECIPE_N }; /* bytes per trained parameter */
const char *recipe_name(enum recipe r); /* "16" "18" "10" */

struct capacity_in {
  struct geometry geometry;
  enum use use;
  enum recipe recipe;
  double weight_byte, kv_byte; /* bytes per stored weight; per KV element */
  double batch, context;
  double capacity_byte;        /* of one device; NAN unknown */
  double devices;
};

struct capacity_out {
  double weight_byte, kv_byte, activation_byte, gradient_byte, master_byte, optimizer_byte;
  double adapter_params;       /* LoRA: rank 16 on the attention projections, our assumption; 0 otherwise */
  double state_byte;           /* weights + gradients + master + optimizer: what is there before any input */
  double total_byte, capacity_byte, headroom_byte; /* capacity of all devices; headroom may be negative */
  double devices_needed;       /* whole devices, split perfectly; NAN when capacity is unknown */
  double max_batch, max_context; /* largest whole values that still fit, the other held; 0 none; NAN unknown */
};
void capacity_of(const struct capacity_in *in, struct capacity_out *out);

#endif
