/* body_gather: loads a fixed stride apart. Included by body.h once per data type: no guard.
 * What is loaded is added up as whole numbers: exact whatever the order, and one cycle an addition, so that nothing but the loads counts. */
typedef REAL_BITS NAME(bits_any) __attribute__((aligned(REAL_BYTE), may_alias));
#if VECTOR_BYTE > 0
typedef REAL_BITS NAME(bits_vec) __attribute__((vector_size(VECTOR_BYTE)));
typedef REAL_BITS NAME(bits_vec_any) __attribute__((vector_size(VECTOR_BYTE), aligned(REAL_BYTE), may_alias));
#define BITS NAME(bits_vec)
#define BITS_LOAD(p) ((BITS)(*(const NAME(bits_vec_any) *)(p)))
#define BITS_LANE(v, i) ((v)[i])
#else
#define BITS REAL_BITS
#define BITS_LOAD(p) (*(p))
#define BITS_LANE(v, i) (v)
#endif

/* Neighbours: whole registers, from four places of the array as in `read`. */
static REAL_BITS NAME(gather_near)(const NAME(bits_any) * in, size_t n) {
  size_t quarter = n / (8 * LANES) * (2 * LANES);
  REAL_BITS sum = 0;
#define DECLARE(j, t) BITS a##j = {0};
#define STEP(j, t) a##j += BITS_LOAD(in + t * quarter + i + j / 4 * LANES);
#define FOLD(j, t)                                                                                                                         \
  for (int lane = 0; lane < LANES; lane++) sum += BITS_LANE(a##j, lane);
  EACH_8(DECLARE)
  for (size_t i = 0; i < quarter; i += 2 * LANES) { EACH_8(STEP) }
  EACH_8(FOLD)
#undef DECLARE
#undef STEP
#undef FOLD
  for (size_t i = 4 * quarter; i < n; i++) sum += in[i];
  return sum;
}

static uint64_t NAME(gather)(const void *x, size_t n, size_t step) {
  const NAME(bits_any) *in = x;
  if (step == 1) return NAME(gather_near)(in, n);
  REAL_BITS a = 0, b = 0, c = 0, d = 0;
  size_t i = 0, at = 0, quarter = n / 4;
  const NAME(bits_any) *in1 = in + quarter * step, *in2 = in1 + quarter * step, *in3 = in2 + quarter * step;
  for (; i + 2 <= quarter; i += 2, at += 2 * step) { /* by twos: the loop's own work stays behind its loads */
    a += in[at], b += in1[at], c += in2[at], d += in3[at];
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); /* one load each: gcc would gather some of them into a register */
    a += in[at + step], b += in1[at + step], c += in2[at + step], d += in3[at + step];
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
  for (; i < quarter; i++, at += step) a += in[at], b += in1[at], c += in2[at], d += in3[at];
  for (i = 4 * quarter; i < n; i++) a += in[i * step];
  return (REAL_BITS)(a + b + c + d);
}
#undef BITS
#undef BITS_LOAD
#undef BITS_LANE
