/* os: the one file per operating system: CPUs we may use, caches, limits, memory, clock, pinning. Every reader takes a root folder so that
 * tests can stand a fake /sys, /proc and cgroup tree in place ("" is the real one). Unknown is NAN or 0 as stated; nothing here crashes on
 * zero, missing or absurd values. */
#ifndef RIDGE_OS_H
#define RIDGE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OS_CPU_MAX = 1024, OS_CACHE_MAX = 6 };

struct os_cache { int level; double byte; int instances; char from[16]; }; /* byte: of one instance; instances among the CPUs we may use */
struct os_info {
  int cpu[OS_CPU_MAX]; int ncpu;      /* CPUs of the affinity mask, one hardware thread per physical core first */
  int ncore;                          /* distinct physical cores among them */
  double quota_cpu;                   /* cgroup CPU quota in CPUs; NAN none */
  int threads;                        /* min(cores of the mask, ceil(quota)), at least 1: the default team */
  struct os_cache cache[OS_CACHE_MAX]; int ncache; /* data and unified, nearest first */
  double memory_available, memory_limit, memory_cap; /* bytes; cap: what a kernel may allocate (a quarter of what is free) */
  char cpu_name[64], host[64], hypervisor[32], governor[32];
  double load; bool battery;
  char note[200];                     /* what could not be read, in words */
};
void os_read(struct os_info *o, const char *root);

double os_clock(void);                /* s, CLOCK_MONOTONIC */
double os_clock_tick(void);           /* smallest step seen, s */
double os_cpu_time(void);             /* s of CPU used by this process, all threads */
long os_switches(void);               /* involuntary context switches so far */
bool os_pin(int cpu);                 /* this thread to one CPU; false: could not */
void os_huge_pages(void *p, size_t n);/* ask for large pages */
void os_nice(void);                   /* lower this process's priority */
void os_die_with_parent(void);        /* be killed when the parent goes */

#endif
