/* Number formats: every code of the short ones there and back, rounding against the nearest neighbours and against the compiler's own
 * float, the chapter's figures, and sums in few bits: jumps against single steps. */
// as shipped too: rounding must survive -O2
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/accumulate.h"

static uint64_t seed = 20261130;
static uint64_t roll(void) {
  seed += 0x9e3779b97f4a7c15u;
  uint64_t z = seed;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static double roll_double(void) { /* any finite double */
  for (;;) {
    uint64_t bits = roll();
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) return x;
  }
}
static bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

static void every_short_code_comes_back(void **state) {
  (void)state;
  for (int f = CODING_TF32; f < CODING_N; f++) {
    uint64_t n = (uint64_t)1 << coding_bits((enum coding)f), nans = 0;
    for (uint64_t code = 0; code < n; code++) {
      double x = coding_decode((enum coding)f, code);
      enum coding_class c = coding_class((enum coding)f, code);
      assert_int_equal(isnan(x), c == CLASS_NAN);
      assert_int_equal(isinf(x) != 0, c == CLASS_INFINITE);
      if (isnan(x)) {
        nans++;
        continue;
      }
      if (coding_encode((enum coding)f, x, false) != code) fail_msg("%s: code %llx", coding_name((enum coding)f), (unsigned long long)code);
      if (isfinite(x)) assert_true(x >= coding_lowest((enum coding)f) && x <= coding_largest((enum coding)f));
    }
    uint64_t expected = f == CODING_E4M3                       ? 2
                        : f == CODING_E5M2                     ? 6
                        : f == CODING_FP16 || f == CODING_TF32 ? 2 * 1023
                        : f == CODING_BF16                     ? 2 * 127
                                                               : 0;
    assert_int_equal(nans, expected);
  }
}

/* Codes in order are numbers in order, each the next one's neighbour; and the spacing is the step between them. */
static void neighbours_are_in_order(void **state) {
  (void)state;
  for (int i = CODING_TF32; i < CODING_N; i++) {
    enum coding f = (enum coding)i;
    double x = coding_lowest(f), next;
    long count = 1;
    for (; (next = coding_next(f, x, 1)) != x; x = next, count++) {
      assert_true(next > x);
      assert_true(coding_next(f, next, -1) == x);
      assert_true(coding_spacing(f, fabs(x) < fabs(next) ? x : next) == next - x);
    }
    assert_true(x == coding_largest(f));
    if (f == CODING_FP16) assert_int_equal(count, 2 * 31 * 1024 - 1); /* 0 and -0 are one number */
    if (f == CODING_INT8) assert_int_equal(count, 256);
    if (f == CODING_E2M1) assert_int_equal(count, 15);
  }
}

/* Nothing is nearer than what it rounds to; half way goes to the even code. */
static void rounding_is_to_the_nearest_even(void **state) {
  (void)state;
  for (int i = CODING_TF32; i < CODING_N; i++) {
    enum coding f = (enum coding)i;
    for (double x = coding_lowest(f), next; (next = coding_next(f, x, 1)) != x; x = next) {
      double middle = x / 2 + next / 2, below = nextafter(middle, x), above = nextafter(middle, next);
      assert_true(coding_round(f, below, false) == x);
      assert_true(coding_round(f, above, false) == next);
      uint64_t code = coding_encode(f, middle, false);
      assert_int_equal(code & 1, 0);
      assert_true(coding_decode(f, code) == x || coding_decode(f, code) == next);
    }
  }
}

static void fp32_and_fp64_are_the_compilers(void **state) {
  (void)state;
  for (int i = 0; i < 400000; i++) {
    double x = roll_double();
    if (i & 1) x = ldexp(1 + (double)(roll() >> 12) * 0x1p-52, (int)(roll() % 310) - 160); /* most in reach of fp32, with its subnormals */
    if (i % 4 == 1) x = (double)(float)x + (double)(roll() & 1) * ldexp((double)(float)x, -24); /* and many ties */
    if (isnan(x)) continue;
    float narrow = (float)x;
    uint32_t bits;
    uint64_t wide;
    memcpy(&bits, &narrow, sizeof bits);
    memcpy(&wide, &x, sizeof wide);
    if (coding_encode(CODING_FP32, x, false) != bits) fail_msg("fp32 of %a", x);
    assert_true(same(coding_decode(CODING_FP32, bits), (double)narrow));
    if (coding_encode(CODING_FP64, x, false) != wide) fail_msg("fp64 of %a", x);
    assert_true(same(coding_decode(CODING_FP64, wide), x));
  }
  assert_true(same(coding_round(CODING_FP32, -0.0, false), -0.0));
}

static void the_published_limits(void **state) {
  (void)state;
  assert_true(coding_largest(CODING_FP16) == 65504 && coding_largest(CODING_E4M3) == 448 && coding_largest(CODING_E5M2) == 57344);
  assert_true(coding_largest(CODING_E2M1) == 6 && coding_largest(CODING_FP32) == (double)FLT_MAX && coding_largest(CODING_FP64) == DBL_MAX);
  assert_true(coding_largest(CODING_BF16) == 0x1.fep127 && coding_largest(CODING_INT8) == 127 && coding_lowest(CODING_INT4) == -8);
  assert_true(coding_least_normal(CODING_FP16) == 0x1p-14 && coding_least_subnormal(CODING_FP16) == 0x1p-24);
  assert_true(coding_least_subnormal(CODING_E4M3) == 0x1p-9 && coding_least_subnormal(CODING_E5M2) == 0x1p-16);
  assert_true(coding_least_normal(CODING_FP32) == (double)FLT_MIN && coding_least_subnormal(CODING_FP64) == 0x1p-1074);
  /* The chapter's: 65504 stays, 70000 is too large, 2048 + 1 is 2048 in fp16 and 2049 in fp32. */
  assert_true(coding_round(CODING_FP16, 65504, false) == 65504 && isinf(coding_round(CODING_FP16, 70000, false)));
  assert_true(coding_round(CODING_FP16, 70000, true) == 65504 && coding_round(CODING_FP16, 65519, false) == 65504);
  assert_true(isinf(coding_round(CODING_FP16, 65520, false)));
  assert_true(coding_round(CODING_FP16, 2049, false) == 2048 && coding_spacing(CODING_FP16, 2048) == 2);
  assert_true(coding_round(CODING_FP32, 2049, false) == 2049);
  assert_true(isnan(coding_round(CODING_E4M3, 1000, false)) && coding_round(CODING_E4M3, 1000, true) == 448);
  assert_true(coding_round(CODING_E2M1, 1e9, false) == 6 && coding_round(CODING_INT8, 300, false) == 127 &&
              coding_round(CODING_INT8, -300, false) == -128);
  assert_true(coding_round(CODING_FP16, 1e-8, false) == 0 && coding_round(CODING_BF16, 1e-8, false) > 0);
  assert_true(isinf(coding_round(CODING_FP16, -INFINITY, false)) && coding_round(CODING_BF16, INFINITY, true) == 0x1.fep127);
  assert_true(isnan(coding_round(CODING_FP16, NAN, false)) && isnan(coding_spacing(CODING_FP16, 1e9)));
}

static void sums_stall_where_the_chapter_says(void **state) {
  (void)state;
  assert_true(accumulate_at(CODING_FP16, 1, 5000) == 2048 && accumulate_at(CODING_BF16, 1, 5000) == 256);
  assert_true(accumulate_at(CODING_FP32, 1, 5000) == 5000 && accumulate_at(CODING_FP32, 1, 1e9) == 16777216);
  double half = coding_round(CODING_FP16, 0.1, false), brain = coding_round(CODING_BF16, 0.1, false);
  assert_true(accumulate_at(CODING_FP16, half, 4096) == 256 && accumulate_at(CODING_BF16, brain, 4096) == 32);
  assert_true(fabs(accumulate_at(CODING_FP64, 0.1, 4096) - 409.6) < 1e-9);
  struct accumulate a;
  accumulate_start(&a, CODING_FP16, 1);
  accumulate_to(&a, 2048);
  assert_false(a.stalled);
  accumulate_to(&a, 5000);
  assert_true(a.stalled && a.stalled_at == 2048 && a.count == 5000);
  assert_true(isinf(accumulate_at(CODING_FP16, 60000, 2)) && accumulate_at(CODING_INT8, 100, 2) == 127);
  assert_true(accumulate_pieces(CODING_FP16, 1, 5000, 100) == 5000 && accumulate_pieces(CODING_FP16, 1, 5001, 100) == 5000);
}

/* Jumping and stepping agree, whatever the term, sign and format, at every count on the way. */
static void jumps_agree_with_steps(void **state) {
  (void)state;
  for (int round = 0; round < 600; round++) {
    enum coding f = (enum coding)(roll() % CODING_N);
    double term = ldexp((double)(roll() >> 11) * 0x1p-53, (int)(roll() % 24) - 14);
    if (round % 3) term = coding_round(round % 2 ? f : CODING_E4M3, term, true);
    if (roll() % 4 == 0) term = -term;
    if (round % 50 == 0) term = coding_least_subnormal(f) * 1.5;
    struct accumulate step, jump;
    accumulate_start(&step, f, term);
    accumulate_start(&jump, f, term);
    for (int n = 1; n <= 3000; n++) {
      accumulate_step(&step);
      if (roll() % 40 && n < 3000) continue;
      accumulate_to(&jump, n);
      double at = accumulate_at(f, term, n);
      if (!same(step.sum, at) || !same(step.sum, jump.sum))
        fail_msg("%s: %d times %a: %a by steps, %a by jumps", coding_name(f), n, term, step.sum, at);
      assert_true(step.count == jump.count && (step.stalled == jump.stalled || n == step.stalled_at || n == jump.stalled_at));
    }
  }
}

/* The short way to round gives what the code gives, to the bit: every binade of every format, its ends and ties, and what lies outside. */
static void rounding_is_what_the_code_says(void **state) {
  (void)state;
  uint64_t state_of = 1;
  for (int f = 0; f < CODING_N; f++)
    for (int e = -1074; e < 1024; e++)
      for (int i = 0; i < 12; i++) {
        state_of = state_of * 6364136223846793005u + 1442695040888963407u;
        double part = i < 3   ? 1 + i * 0x1p-52
                      : i < 6 ? 1 + (double)(state_of >> 60) / 16
                      : i < 9 ? 2 - (double)(state_of >> 60) * 0x1p-52
                              : 1 + (double)(state_of >> 12) * 0x1p-52;
        double x = ldexp(i % 2 ? -part : part, e);
        for (int saturate = 0; saturate < 2; saturate++) {
          double is = coding_round((enum coding)f, x, saturate),
                 as = coding_decode((enum coding)f, coding_encode((enum coding)f, x, saturate));
          if (memcmp(&is, &as, sizeof is) != 0 && !(isnan(is) && isnan(as)))
            fail_msg("format %d: %a rounds to %a, its code to %a", f, x, is, as);
        }
      }
  assert_true(signbit(coding_round(CODING_BF16, -0.0, false)));
}

int main(void) {
  const struct CMUnitTest test[] = {
      cmocka_unit_test(rounding_is_what_the_code_says),    cmocka_unit_test(every_short_code_comes_back),
      cmocka_unit_test(neighbours_are_in_order),           cmocka_unit_test(rounding_is_to_the_nearest_even),
      cmocka_unit_test(fp32_and_fp64_are_the_compilers),   cmocka_unit_test(the_published_limits),
      cmocka_unit_test(sums_stall_where_the_chapter_says), cmocka_unit_test(jumps_agree_with_steps),
  };
  return cmocka_run_group_tests(test, NULL, NULL);
}
