/* os: what is asked of Linux: its clock and counters, pinning, large pages. What is read of it is in os_read.c and os_group.c; the queue of
 * those who measure in os_lock.c. */
#include "kernels/os.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- clock and counters ---- */

double os_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double os_now(const struct os_info *o) { return o->clock ? o->clock(o->clock_arg) : os_clock(); }

/* A clock that does not move while it is read a million times is taken for one of COARSE_S. */
static const double COARSE_S = 1e-2;

double os_tick(const struct os_info *o) {
  double least = INFINITY;
  for (int i = 0; i < 32 && !(i > 4 && least > COARSE_S / 2); i++) { /* a coarse one need not be watched for long */
    double a = os_now(o), b = a;
    for (int spin = 0; b <= a && spin < 1000000; spin++) b = os_now(o);
    if (b > a && b - a < least) least = b - a;
    if (b <= a) break;
  }
  return isfinite(least) ? least : COARSE_S;
}

double os_clock_tick(void) {
  static const struct os_info real;
  return os_tick(&real);
}

double os_thread_time(void) {
  struct timespec t;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : NAN;
}

double os_cpu_time(void) {
  struct rusage u;
  if (getrusage(RUSAGE_SELF, &u) != 0) return NAN;
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

long os_switches(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_nivcsw : 0;
}

double os_faults(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) == 0 ? (double)u.ru_minflt + (double)u.ru_majflt : NAN;
}

void os_sleep(double s) {
  struct timespec t = {(time_t)s, (long)((s - floor(s)) * 1e9)};
  nanosleep(&t, NULL);
}

void os_relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/* ---- threads and this process ---- */

bool os_mask_get(struct os_mask *m) {
  *m = (struct os_mask){{0}};
  return sched_getaffinity(0, sizeof m->word, (cpu_set_t *)(void *)m->word) == 0;
}

bool os_mask_set(const struct os_mask *m) { return sched_setaffinity(0, sizeof m->word, (const cpu_set_t *)(const void *)m->word) == 0; }

bool os_pin(int cpu) {
  struct os_mask m = {{0}};
  if (cpu < 0 || cpu >= OS_CPU_MAX) return false;
  m.word[cpu / 64] = UINT64_C(1) << cpu % 64;
  return os_mask_set(&m);
}

void os_huge_pages(void *p, size_t n) {
  /* Only whole pages of the block: the call refuses addresses that do not start one. */
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)p + page - 1) & ~(page - 1), to = ((uintptr_t)p + n) & ~(page - 1);
  if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void os_stand_back(void) {
  struct sched_param none = {0};
  sched_setscheduler(0, SCHED_BATCH, &none); /* 0: this thread alone */
}

void os_nice(void) { setpriority(PRIO_PROCESS, 0, 5); }

void os_die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }
