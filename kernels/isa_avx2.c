/* isa_avx2: 256-bit vectors with fused multiply-add (Haswell and Zen onward). */
#include "kernels/lanes.h"

#if defined(__AVX2__) && defined(__FMA__)
#define ISA_TAG avx2
#define VECTOR_BYTE 32
#define VECTOR_COUNT 16

#include <immintrin.h>
/* Stores that go around the caches: the address is a whole register's width aligned. */
#define STREAM_fp64(p, v) _mm256_stream_pd((double *)(p), (__m256d)(v))
#define STREAM_fp32(p, v) _mm256_stream_ps((float *)(p), (__m256)(v))
#define STREAM_FENCE() _mm_sfence()

#include "kernels/body.h"

/* AVX-VNNI: unsigned bytes times signed bytes, four to a lane. */
#define DOT_INT8(acc, x, y) __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "x"(y))
#include "kernels/body_dot.h"

const struct lanes lanes_avx2 = {{&lanes_real_fp64_avx2, &lanes_real_fp32_avx2}, &lanes_narrow_fp32_avx2, &lanes_dot_avx2};
#else
const struct lanes lanes_avx2 = {{NULL, NULL}, NULL, NULL};
#endif
