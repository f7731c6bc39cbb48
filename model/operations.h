/* operations: what one pass of a model consists of, operation by operation: how often, which shape, how much arithmetic, how many bytes.
 * Bytes are counted at main memory: every operation reads its operands from there once and writes its result there, whatever a cache might
 * keep; weights of experts as often as they are expected to be touched. FLOP: one multiply-add is 2.
 *
 * B sequences of S tokens; T = B·S tokens pass (decode: S = 1, T = B, each looking back at C tokens of context). D width, H heads, K heads
 * of keys and values, d their width, F width of the feed-forward, V vocabulary.
 *   products with weights   2·params·T                   read the weights once, T rows in, T rows out
 *   scores, values          2·H·d per query and key      full square in prefill and training; `masked` counts what a causal mask keeps
 *   backward (training)     twice the forward: the gradient of what came in, and the gradient of the weights
 * so that a decode step does 2·P a token with its weights, and training 6·P (8·P in layers that are computed again on the way back), P what
 * a token is multiplied with. Ours, not measured: 8 FLOP an element for a norm, 5 for a softmax and for a gated activation (1 for a plain
 * one), 3 for rotating; backward element-wise operations do twice the FLOP; the update is Adam's, 12 FLOP a parameter. NAN in, NAN out. */
#ifndef RIDGE_OPERATIONS_H
#define RIDGE_OPERATIONS_H

#include <stdbool.h>

#include "model/dtype.h"
#include "model/world.h"

enum phase { PHASE_PREFILL, PHASE_DECODE, PHASE_TRAINING, PHASE_N };
const char *phase_name(enum phase p); /* "prefill" "decode" "training" */

enum operation_kind {
  OPERATION_PATCH, /* picture's patches × weights */
  OPERATION_EMBED, /* look-up of tokens (and positions) */
  OPERATION_NORM_EMBED,
  OPERATION_NORM_ATTENTION,
  OPERATION_Q,
  OPERATION_K,
  OPERATION_V, /* projections of the layer's input */
  OPERATION_Q_DOWN,
  OPERATION_Q_UP,
  OPERATION_KV_DOWN, /* latent attention: squeezed, and widened again */
  OPERATION_K_UP,
  OPERATION_V_UP,      /* decode: folded into query and output, the cache stays squeezed */
  OPERATION_NORM_HEAD, /* of queries and keys, or of what they were squeezed into */
  OPERATION_ROTATE,    /* positions, where they are not learned */
  OPERATION_SCORES,
  OPERATION_SOFTMAX,
  OPERATION_VALUES,
  OPERATION_WINDOW_SCORES,
  OPERATION_WINDOW_SOFTMAX,
  OPERATION_WINDOW_VALUES, /* the same in layers that see a window only */
  OPERATION_ATTENTION,
  OPERATION_WINDOW_ATTENTION, /* fused: the scores never leave the chip */
  OPERATION_OUTPUT,
  OPERATION_NORM_ATTENTION_AFTER,
  OPERATION_ADD_ATTENTION, /* to the residual stream */
  OPERATION_NORM_FFN,
  OPERATION_GATE,
  OPERATION_UP,
  OPERATION_ACTIVATION,
  OPERATION_DOWN,
  OPERATION_ROUTER,
  OPERATION_EXPERT_GATE,
  OPERATION_EXPERT_UP,
  OPERATION_EXPERT_ACTIVATION,
  OPERATION_EXPERT_DOWN,
  OPERATION_EXPERT_SUM,
  OPERATION_SHARED_GATE,
  OPERATION_SHARED_UP,
  OPERATION_SHARED_ACTIVATION,
  OPERATION_SHARED_DOWN,
  OPERATION_NORM_FFN_AFTER,
  OPERATION_ADD_FFN,
  OPERATION_NORM_FINAL,
  OPERATION_POOLER,
  OPERATION_HEAD,
  OPERATION_CONVOLUTION,
  OPERATION_POOL,
  OPERATION_BATCH_NORM,
  OPERATION_RELU,
  OPERATION_ADD,
  OPERATION_UPDATE, /* of all parameters, once a training step */
  OPERATION_N
};
const char *operation_name(enum operation_kind k); /* "norm", "q", "scores"… as on the screen: at most 14 columns */

/* What an operation is limited by in kind, and what the sums go by. */
enum operation_class {
  CLASS_PRODUCT,   /* with weights: a product, a convolution */
  CLASS_ATTENTION, /* scores, softmax, values: no weights, but the tokens before */
  CLASS_ELEMENT,   /* norms, activations, sums, look-ups */
  CLASS_UPDATE,
  CLASS_N
};
const char *operation_class_name(enum operation_class c); /* "products" "attention" "element-wise" "update" */

struct operation {
  enum operation_kind kind;
  enum operation_class class;
  bool backward, again;   /* again: recomputed on the way back, for what was not kept */
  int convolution;        /* index into the model's list, -1 none */
  double count;           /* how many of it in one pass */
  double m, n, k, copies; /* product: `copies` of [m × k]·[k × n]; element-wise: m rows of n values, k values read for each */
  double launches;        /* 1; 0 when it is fused into its neighbour */
  /* Of one of it: */
  double params, params_active; /* stored; those a token is multiplied with (experts: top_k of them) */
  double flop, weight_byte, kv_byte, activation_byte, byte;
};

struct operations_in {
  const struct model *model;
  enum phase phase;      /* what generates nothing has no decode: one pass over its input instead */
  double batch, context; /* sequences; tokens each has, or each already holds in decode. Pictures and encoders: no more than they take */
  double weight_byte, kv_byte, activation_byte; /* bytes a stored value */
  bool fused;                                   /* element-wise operations ride on their neighbours, scores stay on the chip */
  bool masked;                                  /* count only the scores a causal mask keeps */
  double line_use;                              /* share of every fetched line of activations and cache that is used: 1 contiguous */
  bool recompute;     /* training keeps only what goes into a layer, and computes the layer again on the way back */
  double update_byte; /* bytes the update moves a parameter; 0 leaves it out (training only) */
};

enum { OPERATIONS_MAX = 160 };
/* The operations in their order: forward, again where it is recomputed, backward; how many. 0 when the model's shape is not known. */
int operations_of(const struct operations_in *in, struct operation out[OPERATIONS_MAX]);

/* One convolution of such a network, forward, `in->batch` pictures: count 1 of it. */
struct operation operations_convolution(const struct operations_in *in, const struct convolution *c);

/* Tokens of one pass, all sequences together: batch × context, or batch in decode. */
double operations_tokens(const struct operations_in *in);
/* The phase as it is used: a model that generates nothing has no decode. */
enum phase operations_phase(const struct operations_in *in);

/* Parameters by the same list: all; those one token uses; those one token is multiplied with (every matrix but look-ups, pooler and what
 * reads pictures or names classes). NAN where the shape is not known. */
struct operations_params {
  double total, active, matmul;
};
struct operations_params operations_params(const struct model *m);

#endif
