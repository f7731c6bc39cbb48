/* isa_sse2: 128-bit vectors of every x86-64 CPU, multiply and add apart. */
#include "kernels/lanes.h"

#if defined(__x86_64__)
#define ISA_TAG sse2
#define VECTOR_BYTE 16
#define VECTOR_COUNT 16

#include <emmintrin.h>
/* Stores that go around the caches: the address is a whole register's width aligned. */
#define STREAM_fp64(p, v) _mm_stream_pd((double *)(p), (__m128d)(v))
#define STREAM_fp32(p, v) _mm_stream_ps((float *)(p), (__m128)(v))
#define STREAM_FENCE() _mm_sfence()

#include "kernels/body.h"

const struct lanes lanes_sse2 = {{&lanes_real_fp64_sse2, &lanes_real_fp32_sse2}, &lanes_narrow_fp32_sse2, NULL};
#else
const struct lanes lanes_sse2 = {{NULL, NULL}, NULL, NULL};
#endif
