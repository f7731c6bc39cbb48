/* capacity: what must be in memory at once, for inference, full fine-tuning and LoRA. Bytes; decimal and binary units are
 * a matter for the formatting file. Activation memory: Korthikanti et al. 2022; recipes: Micikevicius 2017 (16), Megatron (18),
 * bf16 weights with fp32 moments only (10). NAN in, NAN out.
 *
 * Activations. Training keeps every layer's for the backward pass, nothing recomputed, 16-bit:
 *   layers · context · batch · hidden · (34 + 5 · heads · context / hidden)
 * Inference keeps one layer's at a time while a prompt is read in chunks of at most 2048 tokens, and the logits of one token a sequence in
 * fp32 (our assumption, and the scene says so):
 *   min(batch · context, 2048) · (2 · hidden + 2 · ffn) · 2  +  batch · vocab · 4
 * LoRA is counted as training: what a frozen matrix need not keep is small beside the attention maps.
 *
 * Trained weights are stored as the recipe says (2 bytes); weight_byte is how inference, and the frozen base under LoRA, store them. */
#ifndef RIDGE_CAPACITY_H
#define RIDGE_CAPACITY_H

#include <stdbool.h>

#include "model/step.h"

enum use { USE_INFERENCE, USE_FINETUNE, USE_LORA, USE_N };
const char *use_name(enum use u);
enum recipe { RECIPE_16, RECIPE_18, RECIPE_10, RECIPE_N }; /* bytes per trained parameter */
const char *recipe_name(enum recipe r);                    /* "16" "18" "10" */

/* How the bytes of one trained parameter are made up; gradient 0: used up as it is made, never stored. */
struct recipe_byte {
  double weight, gradient, master, optimizer;
};
struct recipe_byte recipe_byte(enum recipe r);

enum { CAPACITY_CHUNK = 2048, LORA_RANK = 16 };

struct capacity_in {
  struct geometry geometry;
  enum use use;
  enum recipe recipe;
  double weight_byte, kv_byte; /* bytes per stored weight; per KV element */
  double batch, context;
  double capacity_byte; /* of one device; NAN unknown */
  double devices;
};

struct capacity_out {
  double weight_byte, kv_byte, activation_byte, gradient_byte, master_byte, optimizer_byte;
  double adapter_params;                           /* LoRA: rank 16 on the attention projections, our assumption; 0 otherwise */
  double state_byte;                               /* weights + gradients + master + optimizer: what is there before any input */
  double total_byte, capacity_byte, headroom_byte; /* capacity of all devices; headroom may be negative */
  double devices_needed;                           /* whole devices, split perfectly; NAN when capacity is unknown */
  double max_batch, max_context;                   /* largest whole values that still fit, the other held; 0 none; NAN unknown */
};
void capacity_of(const struct capacity_in *in, struct capacity_out *out);

/* The largest whole context that fits at this batch (need not be whole), all devices together: 0 when not even one token does; NAN when
 * something is unknown or memory sets no limit (no KV cache). Closed form. */
double capacity_context(const struct capacity_in *in, double batch);
/* The largest whole batch that fits at this context; the same edges. */
double capacity_batch(const struct capacity_in *in, double context);

#endif
