#include "model/dtype.h"

#include <math.h>
#include <string.h>

static const struct { const char *name; double byte; } dtype_table[DTYPE_N] = {
    [DTYPE_FP64] = {"fp64", 8}, [DTYPE_FP32] = {"fp32", 4}, [DTYPE_TF32] = {"tf32", 4}, [DTYPE_FP16] = {"fp16", 2},
    [DTYPE_BF16] = {"bf16", 2}, [DTYPE_FP8] = {"fp8", 1},   [DTYPE_INT8] = {"int8", 1}, [DTYPE_FP4] = {"fp4", 0.5},
    [DTYPE_INT4] = {"int4", 0.5},
};

double dtype_byte(enum dtype t) { return dtype_table[t].byte; }

const char *dtype_name(enum dtype t) { return dtype_table[t].name; }

double dtype_scale_byte(enum dtype t, double values) {
  return t == DTYPE_INT8 ? 4 : t == DTYPE_INT4 ? 4 * ceil(values / QUANT_GROUP) : 0;
}

enum dtype dtype_real(enum dtype t) { return t == DTYPE_FP64 ? DTYPE_FP64 : DTYPE_FP32; }

enum dtype dtype_find(const char *name) {
  for (int t = 0; t < DTYPE_N; t++)
    if (strcmp(dtype_table[t].name, name) == 0) return (enum dtype)t;
  return DTYPE_N;
}
