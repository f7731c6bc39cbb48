/* Dot products of short types as a roof: which CPUs have them, by the words they say of themselves; and the kernel's closed form, held
 * against plain loops over the same words, since few machines that run this have the instructions. */
// as shipped too: the loops are what -O3 makes of them
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/dot_peak.h"
#include "tests/support_kernel.h"

static void test_chooser(void **state) {
  (void)state;
  struct cpuid_words server = {.x86 = true,
                               .leaf1_ecx = 1u << 12 | 1u << 27 | 1u << 28,
                               .leaf1_edx = 1u << 26,
                               .leaf7_ebx = 1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31,
                               .xcr0 = 0xe7};
  assert_true(isa_usable(ISA_AVX512, &server));
  for (int t = 0; t < DTYPE_N; t++) assert_false(dot_usable(ISA_AVX512, (enum dtype)t, &server));
  server.leaf7_ecx = 1u << 11;
  assert_true(dot_usable(ISA_AVX512, DTYPE_INT8, &server));
  assert_false(dot_usable(ISA_AVX512, DTYPE_BF16, &server) || dot_usable(ISA_AVX2, DTYPE_INT8, &server));
  server.leaf7_1_eax = 1u << 5;
  assert_true(dot_usable(ISA_AVX512, DTYPE_BF16, &server));
  assert_false(dot_usable(ISA_AVX512, DTYPE_FP16, &server) || dot_usable(ISA_AVX2, DTYPE_BF16, &server));
  server.xcr0 = 0x7; /* the system does not save the registers: an illegal instruction */
  assert_false(dot_usable(ISA_AVX512, DTYPE_BF16, &server) || dot_usable(ISA_AVX512, DTYPE_INT8, &server));
  struct cpuid_words laptop = server;
  laptop.leaf7_ebx = 1u << 5;
  laptop.leaf7_ecx = 0;
  laptop.leaf7_1_eax = 1u << 4;
  assert_true(dot_usable(ISA_AVX2, DTYPE_INT8, &laptop));
  assert_false(dot_usable(ISA_AVX512, DTYPE_INT8, &laptop) || dot_usable(ISA_SSE2, DTYPE_INT8, &laptop));
  laptop.xcr0 = 0x3;
  assert_false(dot_usable(ISA_AVX2, DTYPE_INT8, &laptop));
  struct cpuid_words arm = {.arm_neon = true, .arm_dot = true};
  assert_true(dot_usable(ISA_NEON, DTYPE_INT8, &arm) && !dot_usable(ISA_NEON, DTYPE_BF16, &arm));
  arm.arm_bf16 = true;
  assert_true(dot_usable(ISA_NEON, DTYPE_BF16, &arm) && !dot_usable(ISA_SCALAR, DTYPE_INT8, &arm));
  arm.arm_neon = false;
  assert_false(dot_usable(ISA_NEON, DTYPE_BF16, &arm));
}

/* ---- what the instructions do, plainly, on the words the loops use ---- */

enum { LANES = 16, CHAINS = 12 };
static size_t left_out;

static double bf16_of(uint32_t word, int half) {
  uint32_t bits = (word >> 16 * half) << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static double plain_bf16(size_t iterations, double start) {
  double step = 0, sum = 0;
  for (int h = 0; h < 2; h++) step += bf16_of(DOT_BF16_A, h) * bf16_of(DOT_BF16_B, h);
  for (int i = 0; i < CHAINS; i++) {
    float lane = (float)(start * (1 + i / 64.0));
    for (size_t it = left_out; it < iterations; it++) lane += (float)step;
    sum += LANES * (double)lane;
  }
  return sum;
}

static double plain_int8(size_t iterations, double start) {
  double sum = 0;
  int32_t step = 0;
  for (int b = 0; b < 4; b++) step += (int)((uint32_t)DOT_INT8_A >> 8 * b & 255) * (signed char)((uint32_t)DOT_INT8_B >> 8 * b & 255);
  for (int i = 0; i < CHAINS; i++) sum += LANES * ((double)((int32_t)(start * 1000) + i) + (double)step * (double)(iterations - left_out));
  return sum;
}

static double nothing(size_t iterations, double start) { return (void)iterations, (void)start, NAN; }

static void test_closed_form(void **state) {
  (void)state;
  struct lanes_dot plain = {.lanes = LANES, .chains = CHAINS, .bf16 = plain_bf16, .int8 = plain_int8},
                   broken = {.lanes = LANES, .chains = CHAINS, .bf16 = nothing, .int8 = nothing};
  static const enum dtype types[] = {DTYPE_BF16, DTYPE_INT8};
  for (int t = 0; t < 2; t++)
    for (uint64_t seed = 1; seed < 20; seed++) {
      struct pool pool = {.cap = 1e6};
      int cpu[1] = {0};
      struct job j = {
          .request = {.op = OP_PEAK, .dtype = types[t]}, .isa = ISA_SCALAR, .threads = 1, .pool = &pool, .seed = seed, .dot = &plain};
      j.team = team_start(cpu, 1);
      const struct kernel *k = kernel_find(OP_PEAK);
      assert_null(k->setup(&j));
      assert_true(j.work.flop == 2.0 * (types[t] == DTYPE_BF16 ? 2 : 4) * LANES * CHAINS * 4096 * 16);
      left_out = 0;
      k->reset(&j);
      k->run(&j);
      double fine = k->residual(&j, true);
      if (!(fine <= 1)) fail_msg("%s seed %d: residual %g", dtype_name(types[t]), (int)seed, fine);
      left_out = 1;
      k->reset(&j);
      k->run(&j);
      assert_false(k->residual(&j, true) <= 1);
      k->reset(&j);
      assert_true(isnan(k->residual(&j, true))); /* not run */
      j.dot = &broken;
      k->run(&j);
      assert_true(isnan(k->residual(&j, true)));
      team_stop(j.team);
      pool_free(&pool);
    }
}

/* On a CPU that has them, the real ones; on any other a refusal in words before anything is set up. */
static void test_here(void **state) {
  (void)state;
  struct cpuid_words words = isa_cpuid();
  static const enum dtype types[] = {DTYPE_BF16, DTYPE_INT8};
  const struct kernel *k = kernel_find(OP_PEAK);
  for (const enum isa *isa = isas_here(); *isa != ISA_N; isa++)
    for (int t = 0; t < 2; t++) {
      struct request r = {.op = OP_PEAK, .dtype = types[t], .isa = *isa, .threads = 1};
      struct job j = {.request = r, .isa = *isa, .threads = 1};
      const char *why = k->usable(&j);
      assert_true((why == NULL) == (lanes_of(*isa)->dot && dot_usable(*isa, types[t], &words)));
      if (why) {
        assert_non_null(strstr(why, "this CPU has no dot product"));
        continue;
      }
      struct bed b;
      bed_start(&b, &r, NULL);
      assert_true(bed_residual(&b, 1, true) <= 1);
      bed_free(&b);
    }
  assert_true(dot_peak_stores(DTYPE_BF16) && dot_peak_stores(DTYPE_INT8) && !dot_peak_stores(DTYPE_INT4) && !dot_peak_stores(DTYPE_FP32));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chooser), cmocka_unit_test(test_closed_form), cmocka_unit_test(test_here)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
