/* What must be in memory at once: the chapter's numbers, published activation sizes, and the limits checked by trying. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/capacity.h"
#include "tests/support_near.h"


static const double GiB = 1073741824.0;

static struct capacity_in seven(enum use use) {
  return (struct capacity_in){.geometry = geometry_of(NULL, 7e9),
                              .use = use,
                              .recipe = RECIPE_16,
                              .weight_byte = 2,
                              .kv_byte = 2,
                              .batch = 1,
                              .context = 2048,
                              .capacity_byte = 80e9,
                              .devices = 1};
}
static struct capacity_out fit(struct capacity_in in) {
  struct capacity_out out;
  capacity_of(&in, &out);
  return out;
}

static void test_finetune(void **state) {
  (void)state;
  struct capacity_out out = fit(seven(USE_FINETUNE));
  NEAR(out.state_byte, 112e9, 1e-12);
  assert_true(out.devices_needed == 2);
  NEAR(out.weight_byte, 14e9, 1e-12);
  NEAR(out.gradient_byte, 14e9, 1e-12);
  NEAR(out.master_byte, 28e9, 1e-12);
  NEAR(out.optimizer_byte, 56e9, 1e-12);
  assert_true(out.kv_byte == 0 && out.adapter_params == 0);
  assert_true(out.headroom_byte < 0 && out.max_batch == 0 && out.max_context == 0);
  struct capacity_in in = seven(USE_FINETUNE);
  in.devices = 2;
  assert_true(fit(in).headroom_byte > 0 && fit(in).max_batch == 1);
  in.recipe = RECIPE_18;
  NEAR(fit(in).state_byte, 126e9, 1e-12);
  NEAR(fit(in).gradient_byte, 28e9, 1e-12);
  in.recipe = RECIPE_10;
  NEAR(fit(in).state_byte, 70e9, 1e-12);
  /* How the weights are served does not change how they are trained. */
  in = seven(USE_FINETUNE), in.weight_byte = 0.5;
  NEAR(fit(in).state_byte, 112e9, 1e-12);
}

static void test_published(void **state) {
  (void)state;
  /* 13e9 parameters, bf16 weights and fp32 moments: 130 GB. */
  struct capacity_in in = seven(USE_FINETUNE);
  in.recipe = RECIPE_10, in.geometry.params = 13e9;
  NEAR(fit(in).state_byte, 130e9, 1e-12);
  /* The whole 22B model's activations without recomputation, from the published eighth of it: 34 and 5as/h split over 8 devices, 10 not. */
  in.geometry = geometry_of(NULL, 22e9);
  in.geometry.layers = 48, in.geometry.hidden = 6144, in.geometry.heads = 64, in.batch = 4, in.context = 2048;
  double one = fit(in).activation_byte, token = 2048.0 * 4 * 6144 * 48;
  NEAR((one - 34 * token) / 8 + (10 + 24 / 8.0) * token, 59.25 * GiB, 1e-9);
  /* 175B, in fp16: 350 GB of weights need five 80 GB devices at the least. */
  in = seven(USE_INFERENCE), in.geometry.params = 175e9;
  assert_true(fit(in).devices_needed == 5);
}

static void test_inference(void **state) {
  (void)state;
  struct capacity_out out = fit(seven(USE_INFERENCE));
  NEAR(out.weight_byte, 14e9, 1e-12);
  NEAR(out.kv_byte, 2048 * 524288.0, 1e-12);
  NEAR(out.state_byte, 14e9, 1e-12);
  assert_true(out.gradient_byte == 0 && out.master_byte == 0 && out.optimizer_byte == 0);
  NEAR(out.total_byte, out.weight_byte + out.kv_byte + out.activation_byte, 1e-12);
  NEAR(out.headroom_byte, 80e9 - out.total_byte, 1e-12);
  assert_true(out.devices_needed == 1);
  assert_in_range((uintmax_t)out.max_batch, 55, 61); /* 61 sequences of 2048 would leave nothing for activations */
  struct capacity_in in = seven(USE_INFERENCE);
  in.kv_byte = 1;
  NEAR(fit(in).kv_byte, 1024 * 524288.0, 1e-12);
}

static void test_lora(void **state) {
  (void)state;
  struct capacity_out out = fit(seven(USE_LORA));
  NEAR(out.adapter_params, 32 * 4 * 2 * 4096 * 16.0, 1e-12);
  NEAR(out.weight_byte, 14e9 + 2 * out.adapter_params, 1e-12);
  NEAR(out.state_byte, 14e9 + 16 * out.adapter_params, 1e-12);
  struct capacity_in in = seven(USE_LORA);
  in.weight_byte = 0.5;
  assert_true(fit(in).state_byte < out.state_byte);
}

static double noise(uint32_t *seed, double lo, double hi) {
  *seed = *seed * 1664525u + 1013904223u;
  return lo * pow(hi / lo, *seed / 4294967296.0);
}

static void test_laws(void **state) {
  (void)state;
  uint32_t seed = 99;
  int at_limit = 0;
  for (int i = 0; i < 6000; i++) {
    struct capacity_in in = seven((enum use)(i % USE_N)), more;
    in.recipe = (enum recipe)(i / 3 % RECIPE_N);
    in.geometry = geometry_of(NULL, noise(&seed, 1e8, 1e12));
    in.weight_byte = noise(&seed, 0.5, 4), in.kv_byte = noise(&seed, 0.5, 4);
    in.batch = floor(noise(&seed, 1, 300)), in.context = floor(noise(&seed, 1, 1e5));
    in.capacity_byte = noise(&seed, 1e9, 1e12), in.devices = floor(noise(&seed, 1, 50));
    struct capacity_out a = fit(in), b;
    assert_true(a.kv_byte >= 0 && a.activation_byte > 0 && a.state_byte > 0);
    NEAR(a.total_byte, a.weight_byte + a.kv_byte + a.activation_byte + a.gradient_byte + a.master_byte + a.optimizer_byte, 1e-12);
    more = in, more.batch++, b = fit(more);
    assert_true(b.total_byte > a.total_byte && b.headroom_byte < a.headroom_byte && b.devices_needed >= a.devices_needed);
    more = in, more.context *= 2, b = fit(more);
    assert_true(b.total_byte >= a.total_byte && b.max_batch <= a.max_batch);
    more = in, more.geometry.params *= 2, b = fit(more);
    assert_true(b.total_byte > a.total_byte && b.max_context <= a.max_context);
    if (in.use == USE_INFERENCE) {
      more = in, more.weight_byte *= 2, b = fit(more);
      assert_true(b.total_byte > a.total_byte);
    }
    assert_true((a.headroom_byte >= 0) == (a.devices_needed <= in.devices) || fabs(a.headroom_byte) < 1e-6 * a.capacity_byte);
    assert_true((a.headroom_byte >= 0) == (a.max_batch >= in.batch) && (a.headroom_byte >= 0) == (a.max_context >= in.context));
    if (a.max_batch >= 1 && a.max_batch < 1e15) {
      more = in, more.batch = a.max_batch;
      assert_true(fit(more).headroom_byte >= 0);
      more.batch++;
      assert_true(fit(more).headroom_byte < 0);
      at_limit++;
    }
    if (a.max_context >= 1 && a.max_context < 1e15) {
      more = in, more.context = a.max_context;
      assert_true(fit(more).headroom_byte >= 0);
      more.context++;
      assert_true(fit(more).headroom_byte < 0);
    }
    more = in, more.devices = a.devices_needed;
    assert_true(fit(more).headroom_byte >= -1e-9 * a.total_byte);
  }
  assert_true(at_limit > 500);
}

/* Memory that holds exactly so many, to the byte, must be said to hold them, and one byte less must not. */
static void test_to_the_byte(void **state) {
  (void)state;
  for (int i = 0; i < 3000; i++) {
    struct capacity_in in = seven((enum use)(i % USE_N));
    in.batch = i % 2 ? 1 : 1 + i * 7 % 61;
    in.context = i % 2 ? 1 + i * 337 % 999983 : 1 + i * 131 % 9973; /* all sums stay whole numbers below 2^53 */
    in.capacity_byte = fit(in).total_byte;
    assert_true(fit(in).max_batch == in.batch && fit(in).max_context == in.context && fit(in).devices_needed == 1);
    in.capacity_byte -= 1;
    assert_true(fit(in).max_batch == in.batch - 1 && fit(in).max_context == in.context - 1 && fit(in).devices_needed == 2);
  }
}

static void test_unknown(void **state) {
  (void)state;
  struct capacity_in in = seven(USE_INFERENCE);
  in.capacity_byte = NAN;
  struct capacity_out out = fit(in);
  assert_true(isnan(out.capacity_byte) && isnan(out.headroom_byte) && isnan(out.devices_needed) && isnan(out.max_batch) &&
              isnan(out.max_context));
  NEAR(out.weight_byte, 14e9, 1e-12);
  in = seven(USE_INFERENCE), in.geometry.hidden = NAN;
  assert_true(isnan(fit(in).activation_byte) && isnan(fit(in).total_byte) && isnan(fit(in).devices_needed) && isnan(fit(in).max_batch));
  in = seven(USE_INFERENCE), in.geometry.kv_byte_per_token_2 = 0; /* an encoder: the length of its input costs no memory that stays */
  assert_true(fit(in).kv_byte == 0 && isnan(fit(in).max_context));
}

static void test_names(void **state) {
  (void)state;
  for (int r = 0; r < RECIPE_N; r++) {
    struct recipe_byte b = recipe_byte((enum recipe)r);
    double sum = b.weight + b.gradient + b.master + b.optimizer;
    assert_true(sum == (strcmp(recipe_name((enum recipe)r), "16") == 0 ? 16 : strcmp(recipe_name((enum recipe)r), "18") == 0 ? 18 : 10));
  }
  assert_string_equal(use_name(USE_LORA), "lora");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_finetune), cmocka_unit_test(test_published),   cmocka_unit_test(test_inference), cmocka_unit_test(test_lora),
      cmocka_unit_test(test_laws),     cmocka_unit_test(test_to_the_byte), cmocka_unit_test(test_unknown),   cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
