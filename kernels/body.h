/* body: compiled once by each isa_X.c, which defines
 *   ISA_TAG       the name that ends every function: avx2
 *   VECTOR_BYTE   bytes of one vector register; 0 for true scalar arithmetic
 *   VECTOR_COUNT  vector registers there are (16 or 32): how many accumulators a loop may name
 * It includes the loops twice, for REAL = double, then float. Within them:
 *   NAME(x)       x_fp32_avx2: a name of its own for this type and instruction set
 *   VEC, LANES    a register and the elements in it (VEC is REAL and LANES 1 when scalar: write VEC code once, it serves both)
 *   VEC_LOAD(p) VEC_STORE(p, v)   any alignment;  VEC_SPLAT(s)   all lanes s;  VEC_LANE(v, i)   one lane;  NAME(vec_sum)(v)
 * Accumulators must be named variables: an array of them in a loop is spilled or serialised by gcc up to 14. */
#ifndef RIDGE_BODY_H
#define RIDGE_BODY_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/lanes.h"

#define BODY_PASTE(x, t, i) x##_##t##_##i
#define BODY_NAME(x, t, i) BODY_PASTE(x, t, i)
#define NAME(x) BODY_NAME(x, REAL_TAG, ISA_TAG)

/* The order of these matters. */
/* clang-format off */
#define REAL double
#define REAL_BITS uint64_t
#define REAL_TAG fp64
#define REAL_BYTE 8
#include "kernels/body_vector.h"
#include "kernels/body_stream.h"
#include "kernels/body_gather.h"
#include "kernels/body_ops.h"
#include "kernels/body_layer.h"
#include "kernels/body_chain.h"
#include "kernels/body_matmul.h"
#include "kernels/body_weights.h"
#include "kernels/body_table.h"
#include "kernels/body_end.h"

#define REAL float
#define REAL_BITS uint32_t
#define REAL_TAG fp32
#define REAL_BYTE 4
#include "kernels/body_vector.h"
#include "kernels/body_stream.h"
#include "kernels/body_gather.h"
#include "kernels/body_ops.h"
#include "kernels/body_layer.h"
#include "kernels/body_chain.h"
#include "kernels/body_matmul.h"
#include "kernels/body_weights.h"
#include "kernels/body_narrow.h"
#include "kernels/body_table.h"
#include "kernels/body_end.h"

/* clang-format on */

#endif
