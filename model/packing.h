/* packing: how the weights of a model are stored in few bits: plain numbers, integers with a shared scale, and the block formats of files
 * and hardware. Bits a weight are exact, scales counted (layouts: ggml's block structures; NF4: Dettmers et al. 2023; MXFP4: OCP MX 1.0;
 * NVFP4: 16 weights an e4m3 scale; GPTQ: 4 bits, an fp16 scale and a 4-bit zero for 128). What storing costs in accuracy is computed by
 * really storing weights: to the nearest value each layout has, its scale from the range. Tools that search for better scales, or correct
 * one weight's error in the next, do somewhat better; no figure here claims to be theirs. Pure; the caller owns all arrays. */
#ifndef RIDGE_PACKING_H
#define RIDGE_PACKING_H

#include <stdint.h>

#include "model/coding.h"

enum packing {
  PACKING_FP32,
  PACKING_BF16,
  PACKING_FP16,
  PACKING_Q8_0,
  PACKING_FP8,
  PACKING_INT8,
  PACKING_Q6_K,
  PACKING_Q5_K,
  PACKING_Q4_K,
  PACKING_Q4_0,
  PACKING_INT4_G64,
  PACKING_NF4,
  PACKING_NVFP4,
  PACKING_MXFP4,
  PACKING_GPTQ,
  PACKING_NF4_DQ,
  PACKING_INT4,
  PACKING_Q3_K,
  PACKING_Q2_K,
  PACKING_FREE, /* bits a weight typed in; how they are used is not known */
  PACKING_N
};
const char *packing_name(enum packing p);  /* "bf16" "q4_0" "gptq-g128" "free"… */
const char *packing_words(enum packing p); /* what shares what, in a few words */

/* Exact, scales counted; those shared by a whole tensor are nothing. NAN for PACKING_FREE. */
double packing_bits(enum packing p);
int packing_block(enum packing p);         /* weights that are stored together; 1 for plain numbers and whole tensors */
double packing_scale_bits(enum packing p); /* of the above, what is not the weights' own */

/* Weights as they come out of storage. n in rows of `row`, both multiples of 256; out may be in. PACKING_FREE gives NAN. */
void packing_store(enum packing p, const double *in, int n, int row, double *out);

/* The least error, relative, root mean square, that any code of so many bits a weight could reach on normally distributed weights: 2^-bits
 * (Shannon 1959). */
double packing_least_error(double bits);

/* ---- integers with a scale ---- */

enum grain { GRAIN_TENSOR, GRAIN_CHANNEL, GRAIN_GROUP, GRAIN_N }; /* what shares one scale; a channel is a row */
const char *grain_name(enum grain g);

/* s = largest magnitude / (2^(bits-1) - 1); q = round(x/s), ties to even, cut to that range; x' = s q. */
double quantise_scale(const double *x, int n, int bits);
double quantise_code(double x, double scale, int bits);
/* All of x with one scale for each `group` neighbours. */
void quantise_store(const double *x, int n, int group, int bits, double *out);

/* ---- weights to try it on ---- */

/* Normally distributed, seeded, scaled so that the largest magnitude is `range`; then one of them, in the row PACKING_OUTLIER_ROW, is made
 * `outlier` (0: none). */
enum { PACKING_ROWS = 8, PACKING_ROW = 256, PACKING_WEIGHTS = PACKING_ROWS * PACKING_ROW, PACKING_OUTLIER = 3 * PACKING_ROW + 100 };
void packing_weights(double range, double outlier, double out[PACKING_WEIGHTS]);
/* Root mean square of out - in over that of in, the outlier's place left out: what the others pay. */
double packing_error(const double *in, const double *out, int n, int outlier);

#endif
