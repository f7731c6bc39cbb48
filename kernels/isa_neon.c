/* isa_neon: 128-bit vectors of 64-bit ARM, 32 of them, with fused multiply-add. */
#include "kernels/lanes.h"

#if defined(__aarch64__) && defined(__ARM_NEON)
#define ISA_TAG neon
#define VECTOR_BYTE 16
#define VECTOR_COUNT 32

/* ARM has only a hint for stores around the caches, and gcc no way to give it: the plain stores stand alone here. */

#include "kernels/body.h"

#define DOT_BF16(acc, x, y) __asm__(".arch armv8.2-a+bf16\n\tbfdot %0.4s, %1.8h, %2.8h" : "+w"(acc) : "w"(x), "w"(y))
#define DOT_INT8(acc, x, y) __asm__(".arch armv8.2-a+dotprod\n\tsdot %0.4s, %1.16b, %2.16b" : "+w"(acc) : "w"(x), "w"(y))
#include "kernels/body_dot.h"

const struct lanes lanes_neon = {{&lanes_real_fp64_neon, &lanes_real_fp32_neon}, &lanes_narrow_fp32_neon, &lanes_dot_neon};
#else
const struct lanes lanes_neon = {{NULL, NULL}, NULL, NULL};
#endif
