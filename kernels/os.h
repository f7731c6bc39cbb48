/* os: all that is particular to an operating system (the files os*.c are Linux, another system is another set): CPUs we may use, caches,
 * limits, memory, clock, pinning. os_read takes a root folder so that tests can stand a fake /sys, /proc and cgroup tree in place ("" is
 * the real one). Unknown is NAN, 0 or "" as stated; nothing here crashes on zero, missing or absurd values. Sizes in bytes, times in s. */
#ifndef RIDGE_OS_H
#define RIDGE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OS_CPU_MAX = 1024, OS_CACHE_MAX = 6 };

/* One level of cache: bytes of one instance; instances among the CPUs we may use; where the size comes from: "sysfs" or "cpuid". */
struct os_cache {
  int level;
  double byte;
  int instances;
  char from[16];
};

struct os_info {
  int cpu[OS_CPU_MAX]; /* CPUs of the affinity mask: one hardware thread of each core first, fast cores before slow ones */
  int ncpu;
  int ncore;          /* physical cores among them */
  int nfast;          /* of these, cores of the fastest kind; ncore where all are alike */
  double quota_cpu;   /* cgroup CPU quota in CPUs; NAN: none */
  int threads;        /* min(nfast, ceil(quota)), at least 1: the default team */
  bool mask_is_known; /* false: the affinity mask could not be read and CPU 0 alone is assumed */

  struct os_cache cache[OS_CACHE_MAX]; /* data and unified, nearest first */
  int ncache;
  double last_cache_byte; /* of all instances of the farthest level together; NAN unknown */

  double memory_total, memory_available; /* of the machine; NAN unknown */
  double memory_limit,
      memory_used;     /* the tightest cgroup limit, and what is used of it (file cache that can be dropped left out); NAN none */
  double memory_cap;   /* what a kernel may allocate: a quarter of min(available, limit - used); NAN unknown */
  char huge_pages[16]; /* "always" "madvise" "never"; "" unknown */

  char cpu_name[64], host[64], hypervisor[32], governor[32];
  char mask[64];  /* the CPUs of the mask, "0-3,8"; cut at a comma with "…" when long */
  double load;    /* 1 minute; NAN unknown */
  bool battery;   /* running on one */
  char note[200]; /* what could not be read or was not believed, in words; "" nothing */

  /* The clock that samples are timed by: NULL is os_clock. os_read leaves it so; a test puts a coarse one here. */
  double (*clock)(void *arg);
  void *clock_arg;
};
void os_read(struct os_info *o, const char *root);

/* Counters whose growth spoils a measurement: times this cgroup was throttled, and s of CPU the hypervisor gave to others, summed over the
 * machine; NAN unknown. */
struct os_spoilers {
  double throttled, stolen_s;
};
struct os_spoilers os_spoilers_read(const char *root);

double os_clock(void);                   /* s, CLOCK_MONOTONIC */
double os_clock_tick(void);              /* smallest step seen, s; > 0 */
double os_now(const struct os_info *o);  /* the clock in o */
double os_tick(const struct os_info *o); /* and its smallest step seen, s; > 0 */
double os_thread_time(void);             /* s of CPU used by the calling thread */
double os_cpu_time(void);                /* s of CPU used by this process, all threads */
long os_switches(void);                  /* involuntary context switches of this process so far */
double os_faults(void);                  /* pages the system has put in place for this process so far; NAN unknown */
void os_sleep(double s);
void os_relax(void); /* a hint to the core that this is a spin loop */

/* Pinning is for the calling thread. */
struct os_mask {
  uint64_t word[OS_CPU_MAX / 64];
};
bool os_mask_get(struct os_mask *m);
bool os_mask_set(const struct os_mask *m);
bool os_pin(int cpu); /* false: could not */

void os_huge_pages(void *p, size_t n); /* asks for large pages in [p, p + n) */
void os_stand_back(void);              /* the calling thread, when it wakes, waits for a free core instead of pushing another thread off */
void os_nice(void);                    /* lowers this process's priority, once */
void os_die_with_parent(void);         /* be killed when the parent goes */
/* The queue of those who want to measure on this machine, one file for all users: opened, or made if need be. A handle, or -1 where there
 * can be no such file (folder not writable, a link or something else in its place). */
int os_lock_open(const char *path);
/* Waits until it is our turn, first come first served; `wait` is asked ten times a second, with how many are before us (the one who
 * measures and those who wait longer) and the s waited so far. False: it said no, or the file system has no locks; the handle stays open.
 */
bool os_lock_wait(int handle, bool (*wait)(int before, double s, void *arg), void *arg);
void os_unlock(int handle); /* takes -1 */

#endif
