/* dtype: how a value is stored, and the bytes that takes.
 * Shared by the model, the scenes and the kernels. Sub-byte types have fractional sizes. */
#ifndef RIDGE_DTYPE_H
#define RIDGE_DTYPE_H

#include <stdbool.h>

enum dtype {
  DTYPE_FP64, DTYPE_FP32, DTYPE_TF32, DTYPE_FP16, DTYPE_BF16,
  DTYPE_FP8, DTYPE_INT8, DTYPE_FP4, DTYPE_INT4,
  DTYPE_N
};

/* Bytes one stored value takes: 8, 4, 4, 2, 2, 1, 1, 0.5, 0.5. tf32 is an arithmetic mode stored in 4 bytes. */
double dtype_byte(enum dtype t);

/* The short lower-case name used in commands and files: "fp32", "bf16", "int8"… */
const char *dtype_name(enum dtype t);

/* Integers of few bits share a scale, kept in fp32: an int8 row one, int4 one for each group of this many neighbours in a row. */
enum { QUANT_GROUP = 64 };
/* Bytes of the scales that a row of `values` weights carries: 0 for types that need none. */
double dtype_scale_byte(enum dtype t, double values);

/* The type a CPU computes in when values are stored as t: fp64 as it is, everything else widened to fp32. */
enum dtype dtype_real(enum dtype t);

/* The data type called name, or DTYPE_N when there is none. */
enum dtype dtype_find(const char *name);

#endif
