/* A decode step against the chapter's numbers, published examples and the laws it must obey. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/roof.h"
#include "model/step.h"
#include "tests/support_near.h"


/* The chapter's model and accelerator: 7e9 parameters in bf16, 200 TFLOP/s, 2 TB/s, 80 GB. */
static struct step_in chapter(double batch) {
  return (struct step_in){.params = 7e9,
                          .params_total = 7e9,
                          .weight_byte = 2,
                          .batch = batch,
                          .context = 2048,
                          .width = 4096,
                          .peak_flop_per_s = 200e12,
                          .byte_per_s = 2e12,
                          .capacity_byte = 80e9,
                          .deadline = NAN};
}
static struct step_out step(struct step_in in) {
  struct step_out out;
  step_of(&in, &out);
  return out;
}

static void test_chapter_table(void **state) {
  (void)state;
  static const double row[][9] = {
      {1, 0.9995, 2.00, 7.000, 142.86, 142.86, 7.003, 142.79, 142.79},
      {8, 7.969, 15.94, 7.000, 1142.9, 142.86, 7.027, 1138.4, 142.30},
      {16, 15.876, 31.75, 7.000, 2285.7, 142.86, 7.055, 2268.0, 141.75},
      {32, 31.508, 63.02, 7.000, 4571.4, 142.86, 7.109, 4501.1, 140.66},
      {64, 62.061, 124.12, 7.000, 9142.9, 142.86, 7.219, 8865.8, 138.53},
      {100, 95.345, 190.69, 7.000, 14285.7, 142.86, 7.342, 13620.6, 136.21},
      {106, 100.784, 200, 7.420, 14285.7, 134.77, 7.420, 14285.7, 134.77},
      {128, 120.471, 200, 8.960, 14285.7, 111.61, 8.960, 14285.7, 111.61},
      {256, 227.556, 200, 17.920, 14285.7, 55.80, 17.920, 14285.7, 55.80},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const double *r = row[i];
    struct step_in in = chapter(r[0]);
    struct step_out plain = step(in);
    in.activation_byte = 2;
    struct step_out with = step(in);
    NEAR(with.arithmetic_intensity, r[1], 1e-4);
    NEAR(with.attainable_flop_per_s, r[2] * 1e12, 3e-3);
    NEAR(plain.step_time, r[3] * 1e-3, 1e-4);
    NEAR(plain.token_rate, r[4], 1e-4);
    NEAR(plain.token_rate_per_user, r[5], 1e-4);
    NEAR(with.step_time, r[6] * 1e-3, 1e-4);
    NEAR(with.token_rate, r[7], 1e-4);
    NEAR(with.token_rate_per_user, r[8], 1e-4);
  }
}

static void test_chapter_words(void **state) {
  (void)state;
  struct step_out one = step(chapter(1));
  NEAR(one.memory_time / one.compute_time, 100, 1e-12);
  NEAR(one.flop, 14e9, 1e-12);
  NEAR(one.weight_byte, 14e9, 1e-12);
  NEAR(one.capacity_left, 66e9, 1e-12);
  NEAR(one.ridge_batch, 100, 1e-12);
  struct step_in in = chapter(64);
  in.activation_byte = 2;
  NEAR(step(in).ridge_batch, 105.13, 1e-4);
  /* Twice the memory rate is twice the tokens when all overlaps, and nearly twice when nothing does. */
  struct step_in fast = chapter(1);
  fast.byte_per_s *= 2;
  NEAR(step(fast).token_rate / one.token_rate, 2, 1e-12);
  NEAR(one.step_time_upper / step(fast).step_time_upper, 1.980, 1e-3);
  fast = chapter(1), fast.peak_flop_per_s *= 2;
  NEAR(step(fast).token_rate, one.token_rate, 0);
  /* Fewer bits at the same arithmetic. */
  in = chapter(1), in.weight_byte = 1;
  NEAR(step(in).token_rate, 285.714, 1e-5);
  in.weight_byte = 0.5;
  NEAR(step(in).token_rate, 571.429, 1e-5);
  NEAR(step(in).ridge_batch, 25, 1e-12);
  in = chapter(1), in.byte_per_s = 3.35e12;
  NEAR(step(in).token_rate, 239.29, 1e-4);
}

static void test_context(void **state) {
  (void)state;
  struct step_in in = chapter(64);
  in.kv_byte_per_token = 524288, in.context = 1000, in.deadline = 20e-3;
  struct step_out out = step(in);
  NEAR(out.step_time, 23.78e-3, 1e-3);
  NEAR(out.token_rate, 2692, 1e-3);
  NEAR(out.token_rate_per_user, 42.1, 2e-3);
  assert_true(out.max_batch_deadline == 49);
  assert_true(out.ridge_context == 267);
  assert_true(isnan(out.ridge_batch));
  assert_true(out.kv_token_room == 125885);
  in.context = 2048;
  assert_true(step(in).max_batch_capacity == 61);
  in = chapter(64), in.deadline = 20e-3;
  assert_true(step(in).max_batch_deadline == 285);
  in.deadline = 6.9e-3;
  assert_true(step(in).max_batch_deadline == 0);
  /* 267 tokens still reach the ridge, at some batch; 268 never do. */
  in = chapter(1), in.kv_byte_per_token = 524288, in.context = 267;
  assert_true(isfinite(step(in).ridge_batch));
  in.context = 268;
  assert_true(isnan(step(in).ridge_batch));
}

/* A published serving example: 13e9 bf16 on eight chips of 820 GB/s, 8192 tokens of context at 6.7 GB a sequence, not overlapped. */
static void test_added_kv(void **state) {
  (void)state;
  static const double row[][2] = {{1, 4.98}, {8, 12.13}, {16, 20.30}, {32, 36.65}, {64, 69.33}, {240, 249.09}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct step_in in = {.params = 13e9,
                         .params_total = 13e9,
                         .weight_byte = 2,
                         .batch = row[i][0],
                         .context = 8192,
                         .kv_byte_per_token = 6.7e9 / 8192,
                         .width = 5120,
                         .peak_flop_per_s = 8 * 1.97e14,
                         .byte_per_s = 8 * 8.2e11,
                         .capacity_byte = 128e9,
                         .deadline = NAN};
    NEAR(step(in).step_time_kv_added, row[i][1] * 1e-3, 5e-3);
  }
}

static struct step_in experts(double batch) {
  /* Qwen3-30B-A3B: 128 experts of 3·2048·768 over 48 layers, 8 taken. */
  struct step_in in = chapter(batch);
  in.params = 3041656832, in.params_total = 30532122624;
  in.experts = 128, in.top_k = 8, in.expert_params = 48.0 * 3 * 2048 * 768;
  return in;
}

static void test_experts(void **state) {
  (void)state;
  NEAR(step(experts(1)).experts_read, 8, 1e-9);
  NEAR(step(experts(16)).experts_read, 82.4, 1e-3);
  NEAR(step(experts(64)).experts_read, 125.9, 1e-3);
  NEAR(step(experts(1)).weight_byte, 2 * 3041656832.0, 1e-9);
  double all = 2 * (3041656832.0 + 120 * 48.0 * 3 * 2048 * 768);
  assert_true(step(experts(64)).weight_byte < all);
  NEAR(step(experts(4096)).weight_byte, all, 1e-9);
  struct step_in in = experts(1);
  in.batch = step(in).ridge_batch;
  struct step_out out = step(in);
  NEAR(out.compute_time, out.memory_time, 1e-9);
  assert_true(isnan(step(chapter(1)).experts_read));
  /* All experts must be there, whichever are read. */
  NEAR(step(experts(1)).weight_total_byte, 2 * 30532122624.0, 1e-12);
  NEAR(step(experts(1)).capacity_left, 80e9 - 2 * 30532122624.0, 1e-9);
}

static double noise(uint32_t *seed, double lo, double hi) { /* log-uniform */
  *seed = *seed * 1664525u + 1013904223u;
  return lo * pow(hi / lo, *seed / 4294967296.0);
}

static void test_laws(void **state) {
  (void)state;
  uint32_t seed = 12345;
  for (int i = 0; i < 3000; i++) {
    struct step_in in = chapter(floor(noise(&seed, 1, 5000)));
    in.params = in.params_total = noise(&seed, 1e6, 1e12);
    in.weight_byte = noise(&seed, 0.5, 8);
    in.peak_flop_per_s = noise(&seed, 1e9, 1e16), in.byte_per_s = noise(&seed, 1e9, 1e14);
    in.context = floor(noise(&seed, 1, 1e5));
    if (i & 1) in.kv_byte_per_token = noise(&seed, 1e3, 1e6);
    if (i & 2) in.activation_byte = 2;
    if (i & 4) in.experts = 64, in.top_k = 4, in.expert_params = in.params / 8;
    in.deadline = noise(&seed, 1e-6, 10);
    struct step_out a = step(in), b;
    assert_true(a.step_time <= a.step_time_upper && a.step_time_upper <= 2 * a.step_time * (1 + 1e-12));
    assert_true(a.step_time <= a.step_time_kv_added * (1 + 1e-12));
    assert_true(a.step_time_kv_added <= a.step_time_upper * (1 + 1e-12));
    NEAR(a.flop / a.attainable_flop_per_s, a.step_time, 1e-9);
    struct step_in more = in;
    more.batch++, b = step(more);
    assert_true(b.step_time >= a.step_time && b.token_rate >= a.token_rate * (1 - 1e-12) && b.capacity_left <= a.capacity_left);
    more = in, more.weight_byte *= 1.5, b = step(more);
    assert_true(b.step_time >= a.step_time && b.capacity_left <= a.capacity_left);
    more = in, more.context *= 2, b = step(more);
    assert_true(b.step_time >= a.step_time);
    if (!isnan(a.ridge_batch)) { /* both times meet there, and memory rules below it */
      more = in, more.batch = a.ridge_batch, b = step(more);
      NEAR(b.compute_time, b.memory_time, 1e-6);
      assert_true((in.batch < a.ridge_batch * (1 - 1e-9)) == (a.compute_time < a.memory_time) || fabs(in.batch / a.ridge_batch - 1) < 1e-9);
    } else
      assert_true(a.compute_time < a.memory_time);
    if (a.max_batch_deadline >= 1) {
      more = in, more.batch = a.max_batch_deadline;
      assert_true(step(more).step_time <= in.deadline);
      more.batch++;
      assert_true(step(more).step_time > in.deadline);
    } else
      assert_true(step((more = in, more.batch = 1, more)).step_time > in.deadline);
  }
}

static void test_unknown(void **state) {
  (void)state;
  struct step_in in = chapter(4);
  in.peak_flop_per_s = NAN;
  struct step_out out = step(in);
  assert_true(isnan(out.compute_time) && isnan(out.step_time) && isnan(out.token_rate) && isnan(out.ridge_batch) &&
              isnan(out.max_batch_deadline));
  NEAR(out.memory_time, 7e-3, 1e-12);
  in = chapter(4), in.byte_per_s = NAN;
  assert_true(isnan(step(in).memory_time) && isnan(step(in).step_time));
  in = chapter(4), in.capacity_byte = NAN;
  assert_true(isnan(step(in).capacity_left) && isnan(step(in).max_batch_capacity));
  in = chapter(4), in.width = NAN; /* not asked for: not missed */
  NEAR(step(in).step_time, 7e-3, 1e-12);
  in.activation_byte = 2;
  assert_true(isnan(step(in).step_time));
  in = chapter(4);
  assert_true(isnan(step(in).max_batch_deadline));
}

static void test_geometry(void **state) {
  (void)state;
  struct geometry g = geometry_of(NULL, 7e9);
  assert_true(g.assumed && g.layers == 32 && g.hidden == 4096 && g.heads == 32);
  NEAR(g.kv_byte_per_token_2, 524288, 0);
  assert_true(isnan(geometry_of(NULL, NAN).params));
  struct model m = {.params = 30532122624,
                    .params_active = 3353032704,
                    .matmul_params = 3041656832,
                    .layers = 48,
                    .hidden = 2048,
                    .heads = 32,
                    .kv_heads = 4,
                    .head_dim = 128,
                    .ffn = 768,
                    .vocab = 151936,
                    .kv_byte_per_token = 98304,
                    .experts = 128,
                    .top_k = 8,
                    .expert_ffn = 768,
                    .moe_layers = 48,
                    .gated = true,
                    .decoder = true};
  g = geometry_of(&m, NAN);
  assert_false(g.assumed);
  NEAR(g.expert_params * 128 + (g.matmul_params - 8 * g.expert_params), 30532122624.0 - 311164928, 2e-3);
  m = (struct model){.params = 25e6, .params_active = NAN, .matmul_params = NAN, .kv_byte_per_token = NAN};
  g = geometry_of(&m, NAN);
  assert_true(g.params_active == 25e6 && isnan(g.hidden) && g.kv_byte_per_token_2 == 0 && g.experts == 0 && !g.decoder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chapter_table), cmocka_unit_test(test_chapter_words), cmocka_unit_test(test_context),
      cmocka_unit_test(test_added_kv),      cmocka_unit_test(test_experts),       cmocka_unit_test(test_laws),
      cmocka_unit_test(test_unknown),       cmocka_unit_test(test_geometry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
