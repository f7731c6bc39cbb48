/* isa_neon: 128-bit vectors of 64-bit ARM, 32 of them, with fused multiply-add. */
#include "kernels/lanes.h"

#if defined(__aarch64__) && defined(__ARM_NEON)
#define ISA_TAG neon
#define VECTOR_BYTE 16
#define VECTOR_COUNT 32

/* ARM has only a hint for stores around the caches, and gcc no way to give it: the plain stores stand alone here. */

#include "kernels/body.h"

const struct lanes lanes_neon = {{&lanes_real_fp64_neon, &lanes_real_fp32_neon}, &lanes_narrow_fp32_neon};
#else
const struct lanes lanes_neon = {{NULL, NULL}, NULL};
#endif
