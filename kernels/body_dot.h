/* body_dot: dot products of short types, several to an instruction: the roofs of bf16 and int8 arithmetic where a CPU has such units.
 * Included by the isa_X.c files whose CPUs may have them, after body.h; isa defines DOT_BF16 and DOT_INT8, each an instruction that adds
 * the products of one word's elements to every lane of `acc`, by name in assembler, so that no compiler flag lets it leak elsewhere.
 *
 * Which CPUs can run them is for dot_usable() to say. Results are exact: the products are whole numbers, or powers of two small enough for
 * every sum to be held; so one step too few or too many shows. */
#define DOT_PASTE(x, i) x##_##i
#define DOT_NAME2(x, i) DOT_PASTE(x, i)
#define DOT_NAME(x) DOT_NAME2(x, ISA_TAG)

#ifndef DOT_BYTE
#define DOT_BYTE VECTOR_BYTE
#endif
typedef float DOT_NAME(dot_real) __attribute__((vector_size(DOT_BYTE)));
typedef int32_t DOT_NAME(dot_whole) __attribute__((vector_size(DOT_BYTE)));
enum { DOT_NAME(DOT_LANES) = DOT_BYTE / 4 };

#ifdef DOT_BF16
static double DOT_NAME(dot_bf16)(size_t iterations, double start) {
  DOT_NAME(dot_whole) a, b;
  for (int i = 0; i < DOT_NAME(DOT_LANES); i++) a[i] = DOT_BF16_A, b[i] = DOT_BF16_B;
#define DECLARE(i) DOT_NAME(dot_real) a##i = (float)(start * (1 + i / 64.0)) - (DOT_NAME(dot_real)){0};
#define STEP(i) DOT_BF16(a##i, a, b);
#define FOLD(i)                                                                                                                            \
  for (int l = 0; l < DOT_NAME(DOT_LANES); l++) sum += (double)a##i[l];
  EACH_12(DECLARE)
  for (size_t it = 0; it < iterations; it++) { EACH_12(STEP) }
  double sum = 0;
  EACH_12(FOLD)
#undef DECLARE
#undef STEP
#undef FOLD
  return sum;
}
#endif

#ifdef DOT_INT8
static double DOT_NAME(dot_int8)(size_t iterations, double start) {
  DOT_NAME(dot_whole) a, b;
  for (int i = 0; i < DOT_NAME(DOT_LANES); i++) a[i] = DOT_INT8_A, b[i] = DOT_INT8_B;
#define DECLARE(i) DOT_NAME(dot_whole) a##i = (int32_t)(start * 1000) + i - (DOT_NAME(dot_whole)){0};
#define STEP(i) DOT_INT8(a##i, a, b);
#define FOLD(i)                                                                                                                            \
  for (int l = 0; l < DOT_NAME(DOT_LANES); l++) sum += a##i[l];
  EACH_12(DECLARE)
  for (size_t it = 0; it < iterations; it++) { EACH_12(STEP) }
  double sum = 0;
  EACH_12(FOLD)
#undef DECLARE
#undef STEP
#undef FOLD
  return sum;
}
#endif

static const struct lanes_dot DOT_NAME(lanes_dot) = {.lanes = DOT_NAME(DOT_LANES),
                                                     .chains = 12,
#ifdef DOT_BF16
                                                     .bf16 = DOT_NAME(dot_bf16),
#endif
#ifdef DOT_INT8
                                                     .int8 = DOT_NAME(dot_int8),
#endif
};
