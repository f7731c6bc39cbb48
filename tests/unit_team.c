/* The team hands plain memory from round to round: what one member wrote in a round every other may read in the next, asleep or awake.
 * Every kernel's threads with it. tests/tier_threads.sh runs this under the thread sanitizer; PLANTED_RACE makes a member write where
 * another does, which must be seen there. */
// as shipped too: memory order must survive it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "kernels/bench.h"
#include "kernels/timing.h"

static struct os_info here;

static int read_here(void **state) {
  (void)state;
  os_read(&here, "");
  return 0;
}

enum { MEMBERS = 4 };
struct relay {
  long value[2][MEMBERS]; /* by turns written and read */
  int turn;
  long wrong, shared;
};

static void pass_on(int rank, int n, void *arg) {
  struct relay *r = arg;
  const long *from = r->value[r->turn];
  long *to = r->value[!r->turn];
  to[rank] = from[(rank + 1) % n] + 1;
#ifdef PLANTED_RACE
  r->shared++;
#endif
}

static void test_relay(void **state) {
  (void)state;
  int cpu[MEMBERS];
  for (int i = 0; i < MEMBERS; i++) cpu[i] = here.cpu[i % here.ncpu]; /* more members than CPUs: they must sleep to get on */
  for (int n = 1; n <= MEMBERS; n++) {
    struct team *t = team_start(cpu, n);
    struct relay r = {.turn = 0};
    assert_non_null(t);
    for (int round = 1; round <= 200; round++) {
      team_run(t, pass_on, &r);
      r.turn = !r.turn;
      if (round % 50 == 0) os_sleep(0.002); /* the others fall asleep */
      for (int rank = 0; rank < n; rank++) assert_int_equal(r.value[r.turn][rank], round);
    }
    team_stop(t);
  }
}

static void test_start_and_stop(void **state) {
  (void)state;
  const int cpu[2] = {here.cpu[0], here.cpu[here.ncpu > 1]};
  for (int i = 0; i < 50; i++) {
    struct team *t = team_start(cpu, 2);
    assert_non_null(t);
    if (i % 2) { /* some never run */
      struct relay r = {.turn = 0};
      team_run(t, pass_on, &r);
      assert_int_equal(r.value[1][1], 1);
    }
    team_stop(t);
  }
}

static void test_kernels(void **state) {
  (void)state;
  int threads = here.ncpu < 2 ? here.ncpu : 2;
  for (int i = 0; i < kernel_count; i++) {
    const struct kernel *k = kernel_table[i];
    struct request r = {.op = k->op, .shape = {NAN, NAN, NAN, NAN, NAN, NAN, .stride = NAN}, .dtype = DTYPE_FP32, .threads = threads};
    struct pool pool = {.cap = 64e6};
    struct job j;
    char why[256];
    if (work_uses(k->op, "n")) r.shape.n = 80;
    if (k->one_thread) r.threads = 1;
    r.shape = work_complete(k->op, r.shape);
    if (k->op == OP_FEED) r.shape.chain = threads + 1; /* its threads are its own */
    if (!job_open(&j, k, &r, &here, &pool, INFINITY, 5, why)) {
      if (threads > 1) fail_msg("%s: %s", op_name(k->op), why); /* one CPU is no team */
      continue;
    }
    for (int rep = 0; rep < 3; rep++) assert_true(job_sample(&j, k, 2, 1e-9).time > 0);
    assert_true(k->residual(&j, true) <= 1);
    job_close(&j);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_relay), cmocka_unit_test(test_start_and_stop), cmocka_unit_test(test_kernels)};
  return cmocka_run_group_tests(tests, read_here, NULL);
}
