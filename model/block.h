/* block: one layer of a transformer as the operations a machine runs for it, forward and, for training, backward. What the kernel `block`
 * runs and what is predicted of it come from here, so that both count the same. Sizes in elements, work in FLOP and bytes.
 *
 *   n1 = norm(x)   q, k, v = n1·Wqᵀ, n1·Wkᵀ, n1·Wvᵀ   turn q and k by their position, append k and v to the cache
 *   scores = q·kᵀ  p = softmax(scores/√d)  o = p·v    h = x + o·Woᵀ
 *   n2 = norm(h)   z = silu(n2·Wgᵀ)·(n2·Wuᵀ), or gelu(n2·Wuᵀ) with two matrices      y = h + z·Wdᵀ
 *
 * heads share the keys and values of kv_heads. No mask: every query meets every key, which a causal model would only do for half of them.
 * The norm is a layernorm. Valid for whole sizes of at least 1, heads a multiple of kv_heads, context at least tokens. */
#ifndef RIDGE_BLOCK_H
#define RIDGE_BLOCK_H

#include <stdbool.h>

#include "model/work.h"

struct block {
  double hidden, heads, kv_heads, head_dim, ffn;
  double sequences, tokens, context; /* tokens: new ones of each sequence; context: keys each of them meets, themselves included */
  bool gated;    /* three feed-forward matrices, and positions by rotation; else two, and none */
  bool training; /* the backward pass too; context is tokens */
};

/* From the sizes of a request for OP_BLOCK or OP_BLOCK_TRAIN: n hidden, m tokens, k head_dim, batch sequences, matrices 2 or 3. */
struct block block_of(enum op op, struct shape s);
/* Why there is no such block, or NULL. */
const char *block_wrong(const struct block *b);

enum block_op {
  BLOCK_NORM_1, BLOCK_QUERY, BLOCK_KEY, BLOCK_VALUE, BLOCK_CACHE, BLOCK_SCORES, BLOCK_SOFTMAX, BLOCK_VALUES, BLOCK_OUTPUT, BLOCK_ADD_1,
  BLOCK_NORM_2, BLOCK_GATE, BLOCK_UP, BLOCK_ACTIVATION, BLOCK_DOWN, BLOCK_ADD_2, BLOCK_OP_N
};
const char *block_op_name(enum block_op op); /* "norm 1" "query" … */
const char *block_op_words(enum block_op op);

/* PASS_INPUT: the gradient of what went in; PASS_WEIGHT: of the weights, or of the second operand of scores and values. A norm does both
 * at once, as PASS_INPUT. */
enum block_pass { PASS_FORWARD, PASS_INPUT, PASS_WEIGHT, PASS_N };
const char *block_pass_name(enum block_pass p); /* "forward" "back, input" "back, weights" */

struct block_part {
  enum block_op op;
  enum block_pass pass;
  bool adds;                 /* a product added to what is there: the inputs of several matrices are one */
  double count, m, n, k;     /* count products [m×k]·[k×n]; 0: not a product */
  struct work work;
};
enum { BLOCK_PART_MAX = WORK_PART_MAX };

/* The parts in the order they run; returns how many. */
int block_parts(const struct block *b, enum dtype t, struct block_part out[BLOCK_PART_MAX]);
/* Their sum. */
struct work block_work(const struct block *b, enum dtype t);

/* What is kept in memory: weights, what goes forward, and for training the gradient of each. */
enum block_array {
  ARRAY_X, ARRAY_GAIN_1, ARRAY_SHIFT_1, ARRAY_GAIN_2, ARRAY_SHIFT_2, ARRAY_WQ, ARRAY_WK, ARRAY_WV, ARRAY_WO, ARRAY_WG, ARRAY_WU, ARRAY_WD,
  ARRAY_N1, ARRAY_Q, ARRAY_K, ARRAY_V, ARRAY_QUERY, ARRAY_KEYS, ARRAY_VALUES, ARRAY_SCORE, ARRAY_P, ARRAY_O, ARRAY_A, ARRAY_H, ARRAY_N2,
  ARRAY_G, ARRAY_U, ARRAY_Z, ARRAY_F, ARRAY_Y,
  ARRAY_DY, ARRAY_DZ, ARRAY_DG, ARRAY_DU, ARRAY_DN2, ARRAY_DH2, ARRAY_DH, ARRAY_DO, ARRAY_DP, ARRAY_DSCORE, ARRAY_DQUERY, ARRAY_DKEYS,
  ARRAY_DVALUES, ARRAY_DQ, ARRAY_DK, ARRAY_DV, ARRAY_DN1, ARRAY_DX1, ARRAY_DX,
  ARRAY_DWQ, ARRAY_DWK, ARRAY_DWV, ARRAY_DWO, ARRAY_DWG, ARRAY_DWU, ARRAY_DWD, ARRAY_DGAIN_1, ARRAY_DSHIFT_1, ARRAY_DGAIN_2, ARRAY_DSHIFT_2,
  ARRAY_N
};
/* Elements; 0: this block has none. */
double block_array(const struct block *b, enum block_array a);
/* Elements of all of them. */
double block_elements(const struct block *b);
/* Elements of the weights: a layer's share of the model's parameters. */
double block_parameters(const struct block *b);

/* The same layer `by` times narrower, so that it fits a machine: hidden, ffn, heads and kv_heads are divided, never below 1, and rounded;
 * head_dim stays. Fewer heads keep their share of kv_heads as far as whole numbers go. */
struct block block_narrowed(const struct block *b, double by);
/* The sizes of a request that block_of gives this block for. */
struct shape block_shape(const struct block *b);

#endif
