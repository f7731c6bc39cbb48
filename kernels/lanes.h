/* lanes: the inner loops of the kernels, once per instruction set and data type. A file isa_X.c compiles body.h with its own flags and
 * fills one table; the op_*.c files choose a table at run time and split the work over the team. Nothing here is shared between
 * instruction sets: every function behind a pointer is static in its own translation unit, so that no AVX code can reach a CPU without
 * AVX. Pointers are to elements of the table's data type, passed as void; lengths are in elements; any length from 0, any alignment
 * that the data type itself allows unless a function says otherwise. */
#ifndef RIDGE_LANES_H
#define RIDGE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/quant.h"
#include "model/dtype.h"
#include "model/run.h"

#define LAYERNORM_EPSILON 1e-5

struct lanes_real {
  int lanes; /* elements in one vector register: 1 for scalar */

  /* ---- body_stream.h ---- */
  /* p[0..n) gets elements first, first+1… of the random sequence `key`: uniform in [lo, hi). Element i does not depend on how the work
   * was split. Values are whole multiples of (hi - lo)/2^23, so none is denormal. */
  void (*fill)(void *p, size_t first, size_t n, uint64_t key, double lo, double hi);
  /* x = x·m + c, `iterations` times, on peak_width independent values that start at start·(1 + chain/64); returns their sum. */
  double (*peak)(size_t iterations, double m, double c, double start);
  int peak_chains, peak_width;                            /* independent registers; values = chains × lanes */
  double (*read)(const void *x, size_t n, size_t passes); /* sum of all elements, `passes` times over */
  void (*copy)(void *y, const void *x, size_t n);
  void (*copy_nt)(void *y, const void *x, size_t n);                        /* y 64-byte aligned; NULL where there are no such stores */
  void (*triad)(void *z, const void *x, const void *y, double a, size_t n); /* z = x + a·y */
  void (*triad_nt)(void *z, const void *x, const void *y, double a, size_t n);
  /* Σ of the bit patterns, as whole numbers modulo 2^32 (fp32) or 2^64 (fp64), of x[0], x[step], x[2 step]… : n of them. Exact. */
  uint64_t (*gather)(const void *x, size_t n, size_t step);
  double (*dial)(const void *x, size_t n, int fma, double m, double c); /* Σ m·f(x), f: fma-1 times x = x·m + c */

  /* ---- body_ops.h ---- */
  void (*exp)(void *y, const void *x, size_t n); /* e^x for x up to 88 (fp32) or 709 (fp64), about 1 ulp; 0 below -87 or -708 */
  double (*dot)(const void *x, const void *y, size_t n);
  void (*add)(void *z, const void *x, const void *y, size_t n);
  void (*saxpy)(void *y, const void *x, double a, size_t n); /* y = a·x + y */
  void (*relu)(void *y, const void *x, size_t n);
  /* rows × n: y = (x - mean)/√(variance + LAYERNORM_EPSILON)·gain + shift, mean and variance of the row; gain, shift n long. */
  void (*layernorm)(void *y, const void *x, const void *gain, const void *shift, size_t rows, size_t n);
  void (*softmax)(void *y, const void *x, size_t rows, size_t n, double scale); /* rows × n: softmax of scale·x; y may be x */
  /* The next tile of n scores for each row: score becomes exp(scale·score - the maximum so far); max, sum (rows long) and out (rows ×
   * width) follow the maximum. Starts from max = -INFINITY, sum = 0, out = 0. */
  void (*softmax_tile)(void *score, size_t rows, size_t n, double scale, void *max, void *sum, void *out, size_t width);
  void (*divide_rows)(void *y, const void *sum, size_t rows, size_t n); /* each row of y by its sum */
  /* Rows [from, to) of y = 3×3 convolution of the n×n plane x, zeros around it; filter: nine weights. */
  void (*depthwise)(void *y, const void *x, const void *filter, size_t n, size_t from, size_t to);

  /* ---- body_layer.h ---- */
  void (*silu_gate)(void *z, const void *g, const void *u, size_t n); /* z = g/(1 + e^-g)·u */
  void (*silu_gate_back)(void *dg, void *du, const void *dz, const void *g, const void *u, size_t n);
  void (*gelu)(void *z, const void *u, size_t n); /* its tanh form */
  void (*gelu_back)(void *du, const void *dz, const void *u, size_t n);
  /* rows × n, p = softmax(scale·s): ds from dp. ds may be dp. */
  void (*softmax_back)(void *ds, const void *dp, const void *p, size_t rows, size_t n, double scale);
  /* rows × n: dx from dy; dgain and dshift, n long, are added to. */
  void (*layernorm_back)(void *dx, void *dgain, void *dshift, const void *dy, const void *x, const void *gain, size_t rows, size_t n);
  /* Pairs (i, i + n/2) of x turned by angles whose n/2 cosines and sines are given; back: the other way round. */
  void (*rotate)(void *y, const void *x, const void *cosine, const void *sine, size_t n, bool back);
  void (*turn)(void *to, size_t to_row, const void *from, size_t from_row, size_t rows, size_t columns); /* the transpose */

  /* ---- body_chain.h ---- */
  /* y = operations first … first+count-1 of the chain on each of n elements: the even ones x·m, the odd ones x + c. y may be x. */
  void (*chain)(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c);

  /* ---- body_matmul.h ---- */
  /* C[m×n] = A[m×k]·B[k×n], all row-major: the first rungs of the ladder. */
  void (*product_plain)(void *c, const void *a, const void *b, size_t m, size_t n, size_t k);
  void (*product_reordered)(void *c, const void *a, const void *b, size_t m, size_t n, size_t k);
  void (*product_tiled)(void *c, const void *a, const void *b, size_t m, size_t n, size_t k);
  /* The vectorised rung: B packed once into strips of tile_columns columns (element (p, j) of B is b[p·b_row + j·b_column]; the packed copy
   * has k × n rounded up to whole strips), then C[m×n] (+)= A·B with it. C's rows lie c_row apart, A's a_row. scratch: scratch_elements
   * of this thread's own. */
  void (*pack)(void *to, const void *b, size_t b_row, size_t b_column, size_t k, size_t n);
  void (*product)(void *c, size_t c_row, const void *a, size_t a_row, const void *packed, size_t m, size_t n, size_t k, bool add,
                  void *scratch);
  /* C[m×n] = A·B with both read where they lie, rows a_row and b_row apart; n a multiple of tile_columns. For small matrices. */
  void (*product_small)(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t b_row, size_t m, size_t n, size_t k);
  size_t tile_rows, tile_columns, scratch_elements;
  size_t block_depth; /* of k, at most, that a packed part of B should have, so that its strips stay near */

  /* ---- body_weights.h ---- */
  /* y[b][j] for all inputs b < batch and rows j of W in [first, last); x, y batch×n, w n×n. First x is copied, each of `of` workers doing
   * its part, into `packed` (as large as x). scratch: batch × weights_scratch elements of this thread's own. */
  void (*weights_pack)(void *packed, const void *x, size_t batch, size_t n, int rank, int of);
  void (*weights)(void *y, const void *x, const void *packed, const void *w, size_t batch, size_t n, size_t first, size_t last,
                  void *scratch);
  size_t weights_scratch;
};

/* ---- body_narrow.h: weights stored in fewer bits, everything else fp32 ---- */
struct lanes_narrow {
  /* x[batch][n] into the order of use, padded × batch long; each of `of` workers does its part. */
  void (*pack)(void *to, const void *x, size_t batch, size_t n, size_t padded, enum dtype t, int rank, int of);
  /* y[b][j] for all inputs and rows j of q in [first, last), x as pack leaves it. room: batch × scratch + scratch_least elements of this
   * thread's own. */
  void (*weights)(void *y, const void *packed, const struct quant *q, size_t batch, size_t first, size_t last, void *room);
  size_t scratch, scratch_least;
  void (*store)(const struct quant *q, size_t row, const void *x); /* what quant_row does, faster */
};

/* ---- body_dot.h: dot products of short types in one instruction; present in the build, whatever the CPU ---- */
/* Words of four bytes that every lane multiplies and adds: two bf16, 2^-7 and 2^-7 with 2^-6 and 2^-6: DOT_BF16_STEP a step; four bytes
 * 1 2 3 5 with 7 -3 2 -1: DOT_INT8_STEP. */
#define DOT_BF16_A 0x3c003c00
#define DOT_BF16_B 0x3c803c80
#define DOT_BF16_STEP 0x1p-12
#define DOT_INT8_A 0x05030201
#define DOT_INT8_B ((int32_t)0xff02fd07u)
enum { DOT_INT8_STEP = 1 * 7 - 2 * 3 + 3 * 2 - 5 * 1 };
struct lanes_dot {
  int lanes, chains; /* 32-bit sums in a register; registers */
  /* The sum of all sums after so many steps. bf16: chain i starts at start·(1 + i/64); int8: at ⌊1000·start⌋ + i. NULL: none here. */
  double (*bf16)(size_t iterations, double start);
  double (*int8)(size_t iterations, double start);
};

struct lanes {
  const struct lanes_real *real[2]; /* [0] fp64, [1] fp32; NULL: not in this build */
  const struct lanes_narrow *narrow;
  const struct lanes_dot *dot; /* NULL: none */
};
extern const struct lanes lanes_scalar, lanes_sse2, lanes_avx2, lanes_avx512, lanes_neon;

/* The table of one instruction set; NULL when this build has none. Says nothing about whether the CPU can run it: isa_usable() does. */
const struct lanes *lanes_of(enum isa isa);
/* Its half for a data type; NULL for types other than fp64 and fp32. */
const struct lanes_real *lanes_for(enum isa isa, enum dtype t);

#endif
