/* step: one decode step of a language model: every weight is read once and serves the whole batch.
 * Law: the roofline on a step (Williams 2009; Pope et al. 2022 for the KV term). Efficiency is 1: bounds, not forecasts. Bytes, FLOP, s.
 * NAN in, NAN out: a term that needs an unknown figure is unknown, and so is all that is made from it. A term that is left out
 * (0 bytes a token, 0 bytes an activation) needs nothing. */
#ifndef RIDGE_STEP_H
#define RIDGE_STEP_H

#include <stdbool.h>

#include "model/world.h"

struct step_in {
  double params;            /* multiplied per token (and read at batch 1) */
  double params_total;      /* that must fit in memory */
  double weight_byte;       /* bytes per stored weight */
  double batch, context;    /* sequences; tokens each already holds */
  double kv_byte_per_token; /* one sequence, at the KV data type; 0 leaves it out */
  double width;             /* layer width for the activation bytes */
  double activation_byte;   /* bytes per activation; 0 leaves activations out */
  double peak_flop_per_s, byte_per_s, capacity_byte;
  double deadline; /* s; NAN none */
  /* mixture of experts: 0 experts means dense */
  double experts, top_k, expert_params; /* expert_params: parameters of one expert over all layers */
};

struct step_out {
  double flop;        /* 2 × params × batch: attention over the context is left out, and said so */
  double weight_byte; /* bytes of weights read; MoE: expected distinct experts E(1−(1−k/E)^B) */
  double kv_byte, activation_byte, byte;
  double weight_time, kv_time, activation_time, memory_time, compute_time;
  double step_time;          /* max(memory, compute) */
  double step_time_kv_added; /* kv_time + max(weight_time + activation_time, compute_time): the reading that does not overlap attention */
  double step_time_upper;    /* memory + compute */
  double token_rate, token_rate_per_user;
  double arithmetic_intensity, attainable_flop_per_s;
  double ridge_batch;   /* r·b_w/2; with activations r·b_w·w/(2w − 2·r·b_a); with KV counted, where memory and compute time really
                         * meet (dense: r·b_w/(2 − 2·r·b_a/w − r·kv·context/params)). NAN when they never do. */
  double ridge_context; /* the longest context at which any batch could still reach the ridge (activations as given); NAN when KV is
                         * left out, 0 when no context could */
  double experts_read;  /* expected distinct experts a layer reads; NAN dense */
  double weight_total_byte, kv_total_byte, capacity_left;
  double max_batch_deadline; /* largest whole batch with step_time ≤ deadline; 0 when none; NAN without a deadline */
  double max_batch_capacity; /* largest whole batch whose weights and KV fit; 0 none; NAN unknown or when KV is left out */
  double kv_token_room;      /* tokens of KV, of all sequences together, that fit beside the weights; 0 none; NAN as above */
};
void step_of(const struct step_in *in, struct step_out *out);

/* Experts of a layer that `tokens` tokens are expected to touch, each going to top_k of them at random: E(1−(1−k/E)^B). */
double step_experts_read(double experts, double top_k, double tokens);

/* One step at any batch, whole or not, in.batch aside: the closed forms alone, for the dots of a curve. */
struct step_load {
  double flop, weight_byte, kv_byte, activation_byte, byte;
  double memory_time, compute_time, step_time; /* step_time: the larger of the two */
};
struct step_load step_at(const struct step_in *in, double batch);

/* Geometry and bytes of a model as the decode and fit scenes use it. params > 0 overrides the model with a 32-layer,
 * 4096-wide, 32-head geometry, labelled as assumed (*assumed). Unknown numbers are NAN; experts is 0 for a dense model and
 * kv_byte_per_token_2 (at 2 bytes an element) is 0 for one that keeps no KV cache. A NULL model without params is unknown throughout.
 * matmul_params: what a token multiplies (the input embedding is a look-up: stored, never multiplied); it is also what one token reads. */
struct geometry {
  double params, params_active, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, kv_byte_per_token_2;
  double experts, top_k, expert_params;
  bool assumed;
  double matmul_params;
  bool gated, decoder;
};
struct geometry geometry_of(const struct model *m, double params);

#endif
