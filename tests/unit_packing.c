/* Storage formats: bits against published block layouts, stores that are exact where they must be, errors in the order the bits and scales
 * demand, the chapter's INT8 figures, and gradients against counts of really stored ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/gradient.h"
#include "model/packing.h"

static double in[PACKING_WEIGHTS], out[PACKING_WEIGHTS];

static bool near(double a, double b, double share) { return fabs(a - b) <= share * fabs(b); }

/* Bytes and weights of a block as the file formats define them. */
static void bits_are_those_of_the_layouts(void **state) {
  (void)state;
  static const struct {
    enum packing p;
    double byte, weights;
  } block[] = {{PACKING_Q4_0, 18, 32},   {PACKING_Q8_0, 34, 32},    {PACKING_Q2_K, 84, 256},  {PACKING_Q3_K, 110, 256},
               {PACKING_Q4_K, 144, 256}, {PACKING_Q5_K, 176, 256},  {PACKING_Q6_K, 210, 256}, {PACKING_MXFP4, 17, 32},
               {PACKING_NVFP4, 36, 64},  {PACKING_INT4_G64, 36, 64}};
  for (size_t i = 0; i < sizeof block / sizeof *block; i++) assert_true(packing_bits(block[i].p) == block[i].byte * 8 / block[i].weights);
  assert_true(packing_bits(PACKING_FP32) == 32 && packing_bits(PACKING_BF16) == 16 && packing_bits(PACKING_INT8) == 8 &&
              packing_bits(PACKING_INT4) == 4);
  assert_true(packing_bits(PACKING_NF4) == 4.5 && near(packing_bits(PACKING_NF4_DQ), 4.127, 1e-4) && packing_bits(PACKING_GPTQ) == 4.15625);
  assert_true(isnan(packing_bits(PACKING_FREE)));
  for (int p = 1; p < PACKING_FREE; p++) assert_true(packing_bits((enum packing)p) <= packing_bits((enum packing)(p - 1)));
}

/* Stored again, a stored tensor comes out the same where the scale is found again: nothing drifts. */
static void what_is_stored_stays(void **state) {
  (void)state;
  static const enum packing stable[] = {PACKING_FP32, PACKING_BF16,     PACKING_FP16,  PACKING_FP8, PACKING_INT8,
                                        PACKING_INT4, PACKING_INT4_G64, PACKING_MXFP4, PACKING_NF4};
  static double again[PACKING_WEIGHTS];
  for (size_t i = 0; i < sizeof stable / sizeof *stable; i++) {
    packing_weights(3, 11, in);
    packing_store(stable[i], in, PACKING_WEIGHTS, PACKING_ROW, out);
    packing_store(stable[i], out, PACKING_WEIGHTS, PACKING_ROW, again);
    for (int k = 0; k < PACKING_WEIGHTS; k++)
      if (!near(again[k], out[k], 1e-12)) fail_msg("%s, weight %d: %.17g, then %.17g", packing_name(stable[i]), k, out[k], again[k]);
  }
}

/* All zeros come back as zeros; a scaled tensor has a scaled error; no error is below what any code could reach. */
static void stores_are_sane(void **state) {
  (void)state;
  for (int i = 0; i < PACKING_FREE; i++) {
    enum packing p = (enum packing)i;
    memset(in, 0, sizeof in);
    packing_store(p, in, PACKING_WEIGHTS, PACKING_ROW, out);
    for (int k = 0; k < PACKING_WEIGHTS; k++) assert_true(out[k] == 0);
    packing_weights(1, 0, in);
    packing_store(p, in, PACKING_WEIGHTS, PACKING_ROW, out);
    double error = packing_error(in, out, PACKING_WEIGHTS, -1);
    assert_true(error > packing_least_error(packing_bits(p)) && error < 0.4);
    packing_weights(16, 0, in);
    packing_store(p, in, PACKING_WEIGHTS, PACKING_ROW, out);
    if (!near(packing_error(in, out, PACKING_WEIGHTS, -1), error, 0.02)) fail_msg("%s depends on the unit", packing_name(p));
  }
  packing_store(PACKING_FREE, in, PACKING_WEIGHTS, PACKING_ROW, out);
  assert_true(isnan(out[0]));
}

/* Small groups carry their scales in few bits, against the largest of their block: each is right to half a step of those. */
static void scales_of_scales(void **state) {
  (void)state;
  double unit = 16.0 / 32 / 127;
  for (int i = 0; i < 256; i++) in[i] = -(i / 16 + 1.0); /* group g holds nothing but its largest magnitude */
  packing_store(PACKING_Q6_K, in, 256, 256, out);
  for (int i = 0; i < 256; i++) assert_true(fabs(out[i] - in[i]) <= 32 * unit / 2 * 1.001 + 16 * 0x1p-11);
  unit = 15.0 / 15 / 63; /* and with a least value: ranges 0…g, none below 0 */
  for (int i = 0; i < 256; i++) in[i] = i % 32 ? 2 * (i / 32) + 1.0 : 0;
  packing_store(PACKING_Q4_K, in, 256, 256, out);
  for (int i = 0; i < 256; i++) assert_true(fabs(out[i] - in[i]) <= 15 * unit / 2 * 1.001 + 15 * 0x1p-11);
}

static double error_of(enum packing p, double outlier) {
  packing_weights(12.7, outlier, in);
  packing_store(p, in, PACKING_WEIGHTS, PACKING_ROW, out);
  return packing_error(in, out, PACKING_WEIGHTS, outlier != 0 ? PACKING_OUTLIER : -1);
}

/* More bits, less error, within a family; an outlier costs a tensor with one scale far more than one with many; floats do not mind. */
static void errors_follow_bits_and_scales(void **state) {
  (void)state;
  static const enum packing k_family[] = {PACKING_Q2_K, PACKING_Q3_K, PACKING_Q4_K, PACKING_Q5_K, PACKING_Q6_K, PACKING_Q8_0, PACKING_FP16};
  for (size_t i = 1; i < sizeof k_family / sizeof *k_family; i++) assert_true(error_of(k_family[i], 0) < error_of(k_family[i - 1], 0));
  assert_true(error_of(PACKING_INT4_G64, 0) < error_of(PACKING_INT4, 0));
  assert_true(error_of(PACKING_INT8, 127) > 5 * error_of(PACKING_INT8, 0));
  assert_true(error_of(PACKING_Q8_0, 127) < 3 * error_of(PACKING_Q8_0, 0));
  assert_true(near(error_of(PACKING_BF16, 127), error_of(PACKING_BF16, 0), 0.05) &&
              near(error_of(PACKING_FP8, 127), error_of(PACKING_FP8, 0), 0.05));
  assert_true(error_of(PACKING_INT4, 127) > 0.9); /* one step is wider than nearly every weight */
  /* A grid of step s leaves s/sqrt(12) where steps are fine beside the weights. */
  double s = 12.7 / 127, square = 0;
  error_of(PACKING_INT8, 0);
  for (int i = 0; i < PACKING_WEIGHTS; i++) square += in[i] * in[i] / PACKING_WEIGHTS;
  assert_true(near(error_of(PACKING_INT8, 0), s / sqrt(12 * square), 0.05));
}

static void the_chapters_int8(void **state) {
  (void)state;
  double range[] = {-12.7, 3}, wide[] = {-12.7, 127};
  double s = quantise_scale(range, 2, 8), coarse = quantise_scale(wide, 2, 8);
  assert_true(near(s, 0.1, 1e-12) && coarse == 1);
  assert_true(quantise_code(0.37, s, 8) == 4 && near(4 * s, 0.4, 1e-12) && quantise_code(0.04, s, 8) == 0);
  assert_true(quantise_code(0.37, coarse, 8) == 0 && quantise_code(1000, s, 8) == 127 && quantise_code(-1000, s, 8) == -127 &&
              quantise_code(1, 0, 8) == 0);
  for (double x = -12.7; x <= 12.7; x += 0.0137) assert_true(fabs(quantise_code(x, s, 8) * s - x) <= s / 2 * (1 + 1e-9));
}

static void groups_keep_an_outlier_to_itself(void **state) {
  (void)state;
  double before = INFINITY;
  for (int group = PACKING_WEIGHTS; group >= 8; group /= 4) {
    packing_weights(12.7, 127, in);
    quantise_store(in, PACKING_WEIGHTS, group, 8, out);
    double error = packing_error(in, out, PACKING_WEIGHTS, PACKING_OUTLIER);
    assert_true(error < before);
    before = error;
    assert_true(near(out[PACKING_OUTLIER], 127, 1e-12));
    for (int i = 0; i < PACKING_WEIGHTS; i++) {
      int first = i / group * group;
      assert_true(fabs(out[i] - in[i]) <= quantise_scale(in + first, group, 8) / 2 * (1 + 1e-9));
    }
  }
}

static void weights_are_as_promised(void **state) {
  (void)state;
  double mean = 0, square = 0, most = 0;
  packing_weights(12.7, 0, in);
  for (int i = 0; i < PACKING_WEIGHTS; i++)
    mean += in[i] / PACKING_WEIGHTS, square += in[i] * in[i] / PACKING_WEIGHTS, most = fmax(most, fabs(in[i]));
  assert_true(near(most, 12.7, 1e-12) && fabs(mean) < 0.1 * sqrt(square));
  int inside = 0;
  for (int i = 0; i < PACKING_WEIGHTS; i++) inside += fabs(in[i]) < sqrt(square);
  assert_true(fabs(inside / (double)PACKING_WEIGHTS - 0.6827) < 0.03);
  packing_weights(12.7, -40, out);
  for (int i = 0; i < PACKING_WEIGHTS; i++) assert_true(out[i] == (i == PACKING_OUTLIER ? -40 : in[i]));
}

/* The closed shares against gradients that are really stored, at evenly spaced quantiles. */
static void gradient_shares_are_counts(void **state) {
  (void)state;
  enum { MANY = 20000 };
  static double place[MANY]; /* quantiles of the standard normal, by bisection of its distribution */
  for (int i = 0; i < MANY; i++) {
    double lo = -9, hi = 9, want = (i + 0.5) / MANY;
    for (int k = 0; k < 40; k++) {
      double middle = (lo + hi) / 2;
      if (erfc(-middle / sqrt(2)) / 2 < want)
        lo = middle;
      else
        hi = middle;
    }
    place[i] = lo;
  }
  for (int f = 0; f < CODING_N; f++)
    for (double typical = 1e-9; typical < 1e4; typical *= 57)
      for (double scale = 1; scale < 1e7; scale *= 1024) {
        int lost = 0, coarse = 0, over = 0;
        for (int i = 0; i < MANY; i++) {
          double x = typical * exp2(place[i] * GRADIENT_OCTAVES) * scale;
          uint64_t code = coding_encode((enum coding)f, x, false);
          enum coding_class c = coding_class((enum coding)f, code);
          bool top =
              coding_part((enum coding)f)->top >= TOP_FINITE; /* these have nothing beyond the largest: what would round past it counts */
          double end = coding_largest((enum coding)f), past = end + coding_spacing((enum coding)f, end) / 2;
          if (top ? x > past : c == CLASS_INFINITE || c == CLASS_NAN)
            over++;
          else if (coding_decode((enum coding)f, code) == 0)
            lost++;
          else if (c == CLASS_SUBNORMAL)
            coarse++;
        }
        struct gradient g = gradient_of((enum coding)f, typical, scale);
        assert_true(near(g.lost + g.coarse + g.kept + g.over, 1, 1e-9));
        if (fabs(g.lost - lost / (double)MANY) > 2e-4 || fabs(g.over - over / (double)MANY) > 2e-4 ||
            fabs(g.coarse - coarse / (double)MANY) > 2e-4)
          fail_msg("%s at %g times %g: lost %g, counted %g; too large %g, counted %g; coarse %g, counted %g", coding_name((enum coding)f),
                   typical, scale, g.lost, lost / (double)MANY, g.over, over / (double)MANY, g.coarse, coarse / (double)MANY);
      }
  /* The recommended scale is the largest that is safe. */
  double most = gradient_scale_most(CODING_FP16, 1e-8);
  assert_true(gradient_of(CODING_FP16, 1e-8, most).over <= 1e-9 && gradient_of(CODING_FP16, 1e-8, 4 * most).over > 1e-9);
  assert_true(gradient_through(CODING_FP16, 1e-8, 1) == 0 && near(gradient_through(CODING_FP16, 1e-8, 65536), 1e-8, 1e-3));
  assert_true(near(gradient_through(CODING_BF16, 1e-8, 1), 1e-8, 1.0 / 256));
}

int main(void) {
  const struct CMUnitTest test[] = {
      cmocka_unit_test(bits_are_those_of_the_layouts),
      cmocka_unit_test(what_is_stored_stays),
      cmocka_unit_test(stores_are_sane),
      cmocka_unit_test(scales_of_scales),
      cmocka_unit_test(errors_follow_bits_and_scales),
      cmocka_unit_test(the_chapters_int8),
      cmocka_unit_test(groups_keep_an_outlier_to_itself),
      cmocka_unit_test(weights_are_as_promised),
      cmocka_unit_test(gradient_shares_are_counts),
  };
  return cmocka_run_group_tests(test, NULL, NULL);
}
