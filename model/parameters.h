/* parameters: how many numbers a transformer consists of, from its dimensions. Counts, not bytes.
 *
 * Per layer, with D width, H query heads of d, K key and value heads, F feed-forward width, three matrices when gated and two when not:
 *   attention      D·H·d + 2·D·K·d + H·d·D
 *   latent (MLA)   D·q + q·H·(d+r) + D·(c+r) + c·H·(d+v) + H·v·D; without a query rank q the first two are D·H·(d+r)
 *   feed-forward   3·D·F or 2·D·F; with experts E·(3·D·F_e) + shared + router D·E (+ E with an offset for each, + D for a gate on the
 * shared ones) norms          the layer's own vectors of D, twice that when they carry a bias; d for each of q and k when those are normed,
 * q and c for the two of latent attention biases         of q, k, v; of the output; of each feed-forward matrix and once: the embedding
 * V·D, learned positions P·D, the last norm, the head V·D unless it is the embedding again.
 *
 * Heads that only predict further tokens are left out, as published counts do; a router's offsets stand with its matrix. */
#ifndef RIDGE_PARAMETERS_H
#define RIDGE_PARAMETERS_H

#include <stdbool.h>

#include "model/world.h"

struct parameters {
  double embedding, position, attention, ffn, expert, shared, router, norm, bias, head; /* the whole model's; expert: the routed ones */
  double expert_one;                                                                    /* one routed expert of one layer; 0 dense */
  double total;                                                                         /* all of the above: what is stored */
  double active; /* total less the routed experts a token does not visit */
  double matmul; /* multiplied per token: active less the look-ups (embedding, unless it is the head too; positions), norms and biases */
};

/* False when the model's dimensions are not known well enough (m->detailed is not set, or a width is missing): *out is NAN throughout. */
bool parameters_of(const struct model *m, struct parameters *out);

/* Elements of the key-value cache a token leaves behind, over all layers: 2·L·K·d, or L·(c+r) when they are kept latent. NAN unknown. */
double parameters_kv(const struct model *m);

/* Elements one sequence of `context` tokens keeps when layers that look through a window keep no more than that:
 * parameters_kv · ((1 − f)·context + f·min(context, window)), f the share of such layers. Without windows, parameters_kv · context. */
double parameters_kv_windowed(const struct model *m, double context);

#endif
