/* The rung that is not ours: which inner kernels of a library are tried on which CPU, and, where there is a library, its products and what
 * it says of itself. */
// as shipped too: a library is called through pointers
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/library.h"
#include "kernels/reference.h"
#include "tests/support_kernel.h"

static bool names(const char *const *core, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (core[i] && strcmp(core[i], name) == 0) return true;
  return false;
}

/* A core type that the CPU, or its system, cannot run would be an illegal instruction. */
static void test_cores(void **state) {
  (void)state;
  const char *core[LIBRARY_CORES];
  struct cpuid_words old = {.x86 = true, .leaf1_edx = 1u << 26}, haswell = old, server;
  haswell.leaf1_ecx = 1u << 12 | 1u << 27 | 1u << 28;
  haswell.leaf7_ebx = 1u << 5;
  haswell.xcr0 = 0x7;
  server = haswell;
  server.leaf7_ebx |= 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  assert_int_equal(library_cores(&old, true, core), 1);
  assert_null(core[0]);
  assert_int_equal(library_cores(&haswell, false, core), 3);
  assert_null(core[0]);
  assert_true(names(core, 3, "Haswell") && names(core, 3, "Zen"));
  /* AVX-512 in the CPU, but its registers are not saved by the system. */
  assert_int_equal(library_cores(&server, true, core), 3);
  assert_false(names(core, 3, "SkylakeX"));
  server.xcr0 = 0xe7;
  assert_int_equal(library_cores(&server, false, core), 4);
  assert_true(names(core, 4, "SkylakeX") && !names(core, 4, "Cooperlake"));
  assert_int_equal(library_cores(&server, true, core), 5);
  assert_true(names(core, 5, "Cooperlake"));
  assert_true(LIBRARY_CORES >= 5);
}

static void test_refusals(void **state) {
  (void)state;
  char why[160] = "";
  setenv("RIDGE_BLAS", "/nowhere/libnone.so", 1);
  assert_null(library_open(NULL, 1, why));
  assert_non_null(strstr(why, "/nowhere/libnone.so"));
  setenv("RIDGE_BLAS", "libm.so.6", 1); /* a library, but not one with products */
  assert_null(library_open(NULL, 1, why));
  assert_non_null(strstr(why, "libm.so.6"));
  unsetenv("RIDGE_BLAS");
  library_close(NULL);
  struct request r = {.op = OP_MATMUL, .shape = shape_of(8, 8, 8, 1), .dtype = DTYPE_FP32, .isa = ISA_SCALAR, .rung = RUNG_LIBRARY};
  struct job j = {.request = r};
  const struct kernel *k = kernel_find(OP_MATMUL);
  assert_non_null(strstr(k->usable(&j), "isa=auto"));
  j.request.isa = ISA_AUTO;
  assert_null(k->usable(&j));
  j.request.shape.m = 0x1p31;
  assert_non_null(strstr(k->usable(&j), "2^31"));
  j.request.shape.m = 8;
  j.request.dtype = DTYPE_BF16;
  assert_non_null(strstr(k->usable(&j), "fp32"));
}

static struct library *library_here(void) {
  char why[160];
  struct library *l = library_open(NULL, 1, why);
  if (!l) {
    print_message("skipped: %s\n", why);
    skip();
  }
  return l;
}

/* Words in the environment that name a slow kernel are not heard, and a second library can be opened after the first was closed. */
static void test_environment(void **state) {
  (void)state;
  setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  setenv("OPENBLAS_L2_SIZE", "64", 1);
  struct library *l = library_here();
  assert_null(getenv("OPENBLAS_CORETYPE"));
  assert_null(getenv("OPENBLAS_L2_SIZE"));
  assert_null(strstr(library_name(l), "Prescott"));
  assert_true(strlen(library_name(l)) > 0 && strlen(library_file(l)) > 0);
  assert_int_equal(library_threads(l), 1);
  char first[80], why[160];
  strcpy(first, library_name(l));
  library_close(l);
  struct cpuid_words w = isa_cpuid();
  if (strstr(first, "OpenBLAS") && strstr(first, "0.3.") && isa_usable(ISA_AVX2, &w)) {
    l = library_open("Haswell", 1, why);
    assert_non_null(l);
    assert_non_null(strstr(library_name(l), "Haswell"));
    library_close(l);
    l = library_open(NULL, 1, why);
    assert_non_null(l);
    assert_string_equal(library_name(l), first);
    library_close(l);
  }
}

static void test_products(void **state) {
  (void)state;
  library_close(library_here());
  static const double shape[][3] = {{1, 1, 1}, {3, 5, 7}, {129, 17, 33}, {17, 129, 100}, {100, 100, 100}, {600, 20, 530}};
  for (int t = 0; t < 2; t++)
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
      struct request r = {.op = OP_MATMUL, .shape = shape_of(shape[i][0], shape[i][1], shape[i][2], 1), .rung = RUNG_LIBRARY, .threads = 1};
      r.dtype = t ? DTYPE_FP32 : DTYPE_FP64;
      r.isa = isa_best();
      struct bed b;
      r.isa = ISA_AUTO;
      bed_start(&b, &r, lanes_for(isa_best(), r.dtype));
      b.job.isa = isa_best();
      assert_true(bed_residual(&b, 2, true) <= 1);
      assert_true(strlen(b.job.by) > 0);
      bed_free(&b);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cores),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
