/* The hog: starts where a core is spare, eats memory bandwidth while it runs, ends with the job, and says in words when it cannot run. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/hog.h"
#include "kernels/timing.h"

static int threads_now(void) {
  DIR *d = opendir("/proc/self/task");
  int n = 0;
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

/* A thread that was joined is still listed for a moment, until the system has let it go. */
static void threads_are(int n) {
  for (int i = 0; i < 500 && threads_now() != n; i++) os_sleep(0.01);
  assert_int_equal(threads_now(), n);
}

/* This machine, made out to have so many cores: threads beyond the real ones share the first. */
static struct os_info *os_with(int cores, double quota) {
  struct os_info *o = malloc(sizeof *o);
  assert_non_null(o);
  os_read(o, "");
  for (int i = o->ncpu; i < cores; i++) o->cpu[i] = o->cpu[0];
  o->ncpu = o->ncore = o->nfast = o->threads = cores;
  o->quota_cpu = quota;
  o->last_cache_byte = 4e6; /* a small hog will do */
  o->memory_cap = 1e9;
  return o;
}

static void test_cores(void **state) {
  (void)state;
  struct os_info *o = os_with(4, NAN);
  assert_int_equal(hog_cores(o, 1), 3);
  assert_int_equal(hog_cores(o, 4), 0);
  assert_int_equal(hog_cores(o, 9), 0);
  o->quota_cpu = 2.5; /* a hog beyond the quota would throttle what is measured */
  assert_int_equal(hog_cores(o, 1), 1);
  assert_int_equal(hog_cores(o, 2), 0);
  free(o);
}

static void test_runs(void **state) {
  (void)state;
  struct os_info *o = os_with(3, NAN);
  struct pool pool = {.cap = 1e9};
  char why[256] = "";
  int before = threads_now();
  struct hog *h = hog_start(o, 1, &pool, why);
  if (!h) fail_msg("%s", why);
  assert_int_equal(threads_now(), before + 2);
  double first = hog_byte(h), cpu = hog_cpu_time(h);
  for (int i = 0; i < 600 && !(hog_byte(h) > first && hog_cpu_time(h) > cpu); i++) os_sleep(0.05);
  assert_true(hog_byte(h) > first && hog_cpu_time(h) > cpu);
  hog_stop(h);
  threads_are(before);
  pool_free(&pool);
  hog_stop(NULL);
  assert_true(hog_byte(NULL) == 0 && hog_cpu_time(NULL) == 0);
  free(o);
}

static void test_refuses(void **state) {
  (void)state;
  struct os_info *o = os_with(2, NAN);
  struct pool pool = {.cap = 1e9}, tight = {.cap = 1e6};
  char why[256] = "";
  assert_null(hog_start(o, 2, &pool, why));
  assert_non_null(strstr(why, "the hog needs a core: threads=1 leaves it one"));
  assert_null(hog_start(o, 1, &tight, why));
  assert_non_null(strstr(why, "the hog: "));
  assert_non_null(strstr(why, " allowed"));
  o->ncore = 1;
  assert_null(hog_start(o, 1, &pool, why));
  assert_non_null(strstr(why, "there is only one"));
  pool_free(&pool);
  pool_free(&tight);
  free(o);
}

/* A job brings its hog and takes it away again; the kernel's CPU time is its own. */
static void test_job(void **state) {
  (void)state;
  struct os_info *o = os_with(2, NAN);
  struct pool pool = {.cap = 1e9};
  struct request r = {
      .op = OP_READ, .shape = {.n = 100000, .m = 1, .k = 1, .batch = 1, .fma = 1}, .dtype = DTYPE_FP32, .threads = 1, .hog = true};
  const struct kernel *k = kernel_find(OP_READ);
  struct job j;
  char why[256] = "";
  int before = threads_now();
  if (!job_open(&j, k, &r, o, &pool, INFINITY, 1, why)) fail_msg("%s", why);
  assert_non_null(j.hog);
  assert_int_equal(threads_now(), before + 1);
  double busy = 0, all = os_cpu_time(), hog = hog_cpu_time(j.hog);
  for (int i = 0; i < 5000 && hog_cpu_time(j.hog) - hog < 0.2; i++) { /* on a crowded machine it takes a while to get there */
    struct sample s = job_sample(&j, k, 20, 1e-9);
    assert_true(s.cpu_time >= 0);
    busy += s.cpu_time * 20 * j.passes;
  }
  hog = hog_cpu_time(j.hog) - hog;
  all = os_cpu_time() - all;
  assert_true(hog > 0.1);
  if (!(busy <= all - 0.75 * hog)) fail_msg("%g s of CPU for the kernel of %g s, %g of them the hog's", busy, all, hog);
  assert_true(k->residual(&j, false) <= 1);
  job_close(&j);
  threads_are(before);
  r.threads = 2;
  assert_false(job_open(&j, k, &r, o, &pool, INFINITY, 1, why));
  assert_non_null(strstr(why, "threads=1"));
  r.hog = false;
  assert_true(job_open(&j, k, &r, o, &pool, INFINITY, 1, why));
  assert_null(j.hog);
  job_close(&j);
  free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cores), cmocka_unit_test(test_runs), cmocka_unit_test(test_refuses),
                                     cmocka_unit_test(test_job)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
