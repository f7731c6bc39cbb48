/* An array of more than 2^31 bytes: counted and read whole, where there is memory for it. */
// as shipped only: a sanitizer takes as much memory again, and watches no arithmetic of the kernels
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/bench.h"
#include "kernels/timing.h"

static void test_large_array(void **state) {
  (void)state;
  double n = 0x1p29 + 16; /* more than 2^31 bytes of fp32 */
  struct request r = {.op = OP_READ, .shape = {n, NAN, NAN, NAN, NAN, NAN, .stride = NAN}, .dtype = DTYPE_FP32};
  struct os_info here;
  os_read(&here, "");
  struct pool pool = {.cap = here.memory_cap};
  struct job j;
  char why[256];
  r.shape = work_complete(OP_READ, r.shape);
  if (!(here.memory_cap > 1.1 * 4 * n)) skip();
  if (!job_open(&j, kernel_find(OP_READ), &r, &here, &pool, INFINITY, 3, why)) fail_msg("%s", why);
  struct sample s = job_sample(&j, kernel_find(OP_READ), 1, 1e-9);
  assert_true(s.byte == 4 * n && s.byte > 0x1p31);
  assert_true(kernel_find(OP_READ)->residual(&j, true) <= 1); /* and all of it was read */
  job_close(&j);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_large_array)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
