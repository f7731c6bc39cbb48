/* isa_avx512: 512-bit vectors, 32 of them. */
#include "kernels/lanes.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define ISA_TAG avx512
#define VECTOR_BYTE 64
#define VECTOR_COUNT 32

#include <immintrin.h>
/* Stores that go around the caches: the address is a whole register's width aligned. */
#define STREAM_fp64(p, v) _mm512_stream_pd((double *)(p), (__m512d)(v))
#define STREAM_fp32(p, v) _mm512_stream_ps((float *)(p), (__m512)(v))
#define STREAM_FENCE() _mm_sfence()

#include "kernels/body.h"

#define DOT_BF16(acc, x, y) __asm__("vdpbf16ps %2, %1, %0" : "+v"(acc) : "v"(x), "v"(y))
#define DOT_INT8(acc, x, y) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(x), "v"(y))
#include "kernels/body_dot.h"

const struct lanes lanes_avx512 = {{&lanes_real_fp64_avx512, &lanes_real_fp32_avx512}, &lanes_narrow_fp32_avx512, &lanes_dot_avx512};
#else
const struct lanes lanes_avx512 = {{NULL, NULL}, NULL, NULL};
#endif
