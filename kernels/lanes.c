#include "kernels/lanes.h"

const struct lanes *lanes_of(enum isa isa) {
  static const struct lanes *const table[ISA_N] = {[ISA_SCALAR] = &lanes_scalar,
                                                   [ISA_SSE2] = &lanes_sse2,
                                                   [ISA_AVX2] = &lanes_avx2,
                                                   [ISA_AVX512] = &lanes_avx512,
                                                   [ISA_NEON] = &lanes_neon};
  if ((unsigned)isa >= ISA_N || !table[isa] || !table[isa]->real[0]) return NULL;
  return table[isa];
}

const struct lanes_real *lanes_for(enum isa isa, enum dtype t) {
  const struct lanes *l = lanes_of(isa);
  if (!l) return NULL;
  return t == DTYPE_FP64 ? l->real[0] : t == DTYPE_FP32 ? l->real[1] : NULL;
}
