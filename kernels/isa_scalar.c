/* isa_scalar: one element at a time, on every machine. The flags forbid the compiler to vectorise, so that isa=scalar really is slow. */
#include "kernels/lanes.h"

#define ISA_TAG scalar
#define VECTOR_BYTE 0
#define VECTOR_COUNT 16

#if defined(__x86_64__)
#include <emmintrin.h>
/* Stores that go around the caches, one 8- or 4-byte word at a time. */
#define STREAM_fp64(p, v)                                                                                                                  \
  _mm_stream_si64((long long *)(void *)(p), ((union {                                                                                      \
                                              double real;                                                                                 \
                                              long long word;                                                                              \
                                            }){v})                                                                                         \
                                                .word)
#define STREAM_fp32(p, v)                                                                                                                  \
  _mm_stream_si32((int *)(void *)(p), ((union {                                                                                            \
                                        float real;                                                                                        \
                                        int word;                                                                                          \
                                      }){v})                                                                                               \
                                          .word)
#define STREAM_FENCE() _mm_sfence()
#endif

#include "kernels/body.h"

const struct lanes lanes_scalar = {{&lanes_real_fp64_scalar, &lanes_real_fp32_scalar}, &lanes_narrow_fp32_scalar, NULL};
