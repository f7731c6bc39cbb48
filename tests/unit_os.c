/* The readers of the system over invented trees, and the choice of an instruction set from invented CPUID words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/bench.h"
#include "kernels/cpuid.h"
#include "kernels/lanes.h"
#include "kernels/os.h"

/* ---- an invented machine, as a folder ---- */

struct tree {
  char root[64];
};

static struct tree tree_make(void) {
  struct tree t;
  snprintf(t.root, sizeof t.root, "/tmp/ridge-os-XXXXXX");
  assert_non_null(mkdtemp(t.root));
  return t;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *f) {
  (void)s, (void)kind, (void)f;
  return remove(path);
}

static void tree_remove(const struct tree *t) { nftw(t->root, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void put(const struct tree *t, const char *path, const char *text) {
  char name[512];
  snprintf(name, sizeof name, "%s%s", t->root, path);
  for (char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(name, 0777);
    *slash = '/';
  }
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void put_cpu(const struct tree *t, int cpu, const char *siblings) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  put(t, path, siblings);
}

static void put_cache(const struct tree *t, int cpu, int index, const char *level, const char *type, const char *size, const char *shared) {
  const char *const name[] = {"level", "type", "size", "shared_cpu_list"}, *const text[] = {level, type, size, shared};
  for (int i = 0; i < 4; i++) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, name[i]);
    put(t, path, text[i]);
  }
}

static struct os_info *read_tree(const struct tree *t) {
  static struct os_info o;
  os_read(&o, t->root);
  return &o;
}

/* Four cores of two threads each, numbered 0-3 and their siblings 4-7, one shared L3. */
static struct tree laptop(void) {
  struct tree t = tree_make();
  put(&t, "/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n");
  for (int i = 0; i < 8; i++) {
    char pair[32];
    snprintf(pair, sizeof pair, "%d,%d\n", i % 4, i % 4 + 4);
    put_cpu(&t, i, pair);
    put_cache(&t, i, 0, "1\n", "Data\n", "48K\n", pair);
    put_cache(&t, i, 1, "1\n", "Instruction\n", "32K\n", pair);
    put_cache(&t, i, 2, "2\n", "Unified\n", "1280K\n", pair);
    put_cache(&t, i, 3, "3\n", "Unified\n", "12M\n", "0-7\n");
  }
  put(&t, "/proc/meminfo", "MemTotal:       16000000 kB\nMemFree:  1000000 kB\nMemAvailable:    8000000 kB\n");
  put(&t, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Invented CPU @ 3.00GHz\nflags\t\t: fpu sse2 hypervisor\n");
  put(&t, "/proc/sys/kernel/hostname", "desk\n");
  put(&t, "/proc/loadavg", "1.25 0.50 0.25 1/200 999\n");
  put(&t, "/proc/self/cgroup", "0::/user.slice/session.scope\n");
  put(&t, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  put(&t, "/sys/class/dmi/id/sys_vendor", "InventedCloud\n");
  put(&t, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  put(&t, "/sys/class/power_supply/AC/type", "Mains\n");
  put(&t, "/sys/class/power_supply/AC/online", "0\n");
  put(&t, "/sys/class/power_supply/BAT0/type", "Battery\n");
  put(&t, "/sys/class/power_supply/BAT0/status", "Discharging\n");
  return t;
}

static void test_laptop(void **state) {
  (void)state;
  struct tree t = laptop();
  const struct os_info *o = read_tree(&t);
  assert_int_equal(o->ncpu, 8);
  assert_int_equal(o->ncore, 4);
  assert_int_equal(o->nfast, 4);
  assert_int_equal(o->threads, 4); /* one a core, not one a hardware thread */
  const int order[] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = 0; i < 8; i++) assert_int_equal(o->cpu[i], order[i]);
  assert_true(isnan(o->quota_cpu));
  assert_int_equal(o->ncache, 3);
  assert_int_equal(o->cache[0].level, 1);
  assert_true(o->cache[0].byte == 48 * 1024); /* the data cache, not the instructions' */
  assert_int_equal(o->cache[0].instances, 4);
  assert_true(o->cache[1].byte == 1280 * 1024);
  assert_int_equal(o->cache[1].instances, 4);
  assert_true(o->cache[2].byte == 12 * 1048576.0);
  assert_int_equal(o->cache[2].instances, 1);
  assert_string_equal(o->cache[2].from, "sysfs");
  assert_true(o->last_cache_byte == 12 * 1048576.0);
  assert_true(o->memory_total == 16e6 * 1024);
  assert_true(o->memory_cap == 8e6 * 1024 / 4);
  assert_string_equal(o->cpu_name, "Invented CPU @ 3.00GHz");
  assert_string_equal(o->host, "desk");
  assert_string_equal(o->hypervisor, "InventedCloud");
  assert_string_equal(o->governor, "powersave");
  assert_string_equal(o->huge_pages, "madvise");
  assert_true(o->load == 1.25);
  assert_true(o->battery);
  assert_string_equal(o->note, "");
  char name[64];
  machine_name(name, t.root);
  assert_string_equal(name, "desk.Invented-CPU-3-00GHz");
  put(&t, "/sys/class/power_supply/AC/online", "1\n");
  assert_false(read_tree(&t)->battery);
  tree_remove(&t);
}

/* Siblings numbered next to each other: the order must still take one thread of each core first. */
static void test_siblings_adjacent(void **state) {
  (void)state;
  struct tree t = tree_make();
  put(&t, "/proc/self/status", "Cpus_allowed_list:\t0-3,6-7,9\n");
  for (int i = 0; i < 10; i++) {
    char pair[32];
    snprintf(pair, sizeof pair, "%d-%d\n", i & ~1, i | 1);
    put_cpu(&t, i, pair);
  }
  const struct os_info *o = read_tree(&t);
  const int order[] = {0, 2, 6, 9, 1, 3, 7}; /* 9 stands for its core: 8 is not ours */
  assert_int_equal(o->ncpu, 7);
  for (int i = 0; i < 7; i++) assert_int_equal(o->cpu[i], order[i]);
  assert_int_equal(o->threads, 4);
  tree_remove(&t);
}

static void test_fast_and_slow_cores(void **state) {
  (void)state;
  struct tree t = tree_make();
  put(&t, "/proc/self/status", "Cpus_allowed_list:\t0-7\n");
  for (int i = 0; i < 8; i++) {
    char list[16];
    snprintf(list, sizeof list, "%d\n", i);
    put_cpu(&t, i, list);
  }
  put(&t, "/sys/devices/cpu_core/cpus", "4-7\n");
  const struct os_info *o = read_tree(&t);
  assert_int_equal(o->ncore, 8);
  assert_int_equal(o->nfast, 4);
  assert_int_equal(o->threads, 4);
  assert_int_equal(o->cpu[0], 4);
  assert_int_equal(o->cpu[4], 0);
  assert_non_null(strstr(o->note, "4 fast and 4 slower cores"));
  tree_remove(&t);
}

static void test_clusters(void **state) {
  (void)state;
  struct tree t = tree_make();
  put(&t, "/proc/self/status", "Cpus_allowed_list:\t2-5\n"); /* half of each of two clusters of four */
  for (int i = 0; i < 8; i++) put_cache(&t, i, 0, "3", "Unified", "16384K", i < 4 ? "0-3" : "4-7");
  const struct os_info *o = read_tree(&t);
  assert_int_equal(o->cache[0].instances, 2);
  assert_true(o->last_cache_byte == 32 * 1048576.0);
  put(&t, "/proc/self/status", "Cpus_allowed_list:\t5\n");
  assert_true(read_tree(&t)->last_cache_byte == 16 * 1048576.0);
  tree_remove(&t);
}

/* ---- limits ---- */

static void test_quota_v2(void **state) {
  (void)state;
  struct tree t = laptop();
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/cpu.max", "max 100000\n");
  assert_true(isnan(read_tree(&t)->quota_cpu));
  put(&t, "/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"); /* of the group above: it holds for us too */
  const struct os_info *o = read_tree(&t);
  assert_true(o->quota_cpu == 1.5);
  assert_int_equal(o->threads, 2);
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/cpu.max", "25000 100000\n");
  o = read_tree(&t);
  assert_true(o->quota_cpu == 0.25);
  assert_int_equal(o->threads, 1);
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/cpu.max", "9000000 100000\n"); /* more than there is: the tighter one counts */
  assert_true(read_tree(&t)->quota_cpu == 1.5);
  tree_remove(&t);
}

/* A container that sees its host's name of the group, but its own files at the mount. */
static void test_quota_in_container(void **state) {
  (void)state;
  struct tree t = laptop();
  put(&t, "/proc/self/cgroup", "0::/../../docker/0123abcd\n");
  put(&t, "/sys/fs/cgroup/cpu.max", "300000 100000\n");
  put(&t, "/sys/fs/cgroup/memory.max", "4000000000\n");
  put(&t, "/sys/fs/cgroup/memory.current", "1000000000\n");
  const struct os_info *o = read_tree(&t);
  assert_int_equal(o->threads, 3);
  assert_true(o->memory_limit == 4e9);
  assert_true(o->memory_cap == 3e9 / 4);
  tree_remove(&t);
}

static void test_memory_v2(void **state) {
  (void)state;
  struct tree t = laptop();
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/memory.max", "2000000000\n");
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/memory.current", "1500000000\n");
  assert_true(read_tree(&t)->memory_cap == 5e8 / 4);
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/memory.stat", "anon 5\nfile 7\ninactive_file 300000000\n");
  assert_true(read_tree(&t)->memory_cap == 8e8 / 4); /* file cache that can be dropped does not count as used */
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/memory.current", "9000000000\n");
  assert_true(read_tree(&t)->memory_cap == 0); /* over the limit: nothing is left, not less than nothing */
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/memory.max", "max\n");
  assert_true(read_tree(&t)->memory_cap == 8e6 * 1024 / 4);
  tree_remove(&t);
}

static void test_limits_v1(void **state) {
  (void)state;
  struct tree t = laptop();
  put(&t, "/proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/jobs/7\n3:memory:/jobs/7\n1:name=systemd:/x\n");
  put(&t, "/sys/fs/cgroup/cpu,cpuacct/jobs/7/cpu.cfs_quota_us", "50000\n");
  put(&t, "/sys/fs/cgroup/cpu,cpuacct/jobs/7/cpu.cfs_period_us", "100000\n");
  put(&t, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put(&t, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put(&t, "/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "1000000000\n");
  put(&t, "/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes", "200000000\n");
  put(&t, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const struct os_info *o = read_tree(&t);
  assert_true(o->quota_cpu == 0.5);
  assert_int_equal(o->threads, 1);
  assert_true(o->memory_limit == 1e9);
  assert_true(o->memory_cap == 8e8 / 4);
  tree_remove(&t);
}

static void test_spoilers(void **state) {
  (void)state;
  struct tree t = laptop();
  put(&t, "/proc/stat", "cpu  1 2 3 4 5 6 7 800 9 10\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  put(&t, "/sys/fs/cgroup/user.slice/session.scope/cpu.stat", "usage_usec 5\nnr_periods 10\nnr_throttled 3\n");
  put(&t, "/sys/fs/cgroup/user.slice/cpu.stat", "nr_throttled 4\n");
  struct os_spoilers s = os_spoilers_read(t.root);
  assert_true(s.throttled == 7);
  assert_true(fabs(s.stolen_s - 800.0 / (double)sysconf(_SC_CLK_TCK)) < 1e-9);
  tree_remove(&t);
  s = os_spoilers_read("/nowhere");
  assert_true(isnan(s.throttled) && isnan(s.stolen_s));
}

/* ---- nothing, and nonsense ---- */

static void test_nothing(void **state) {
  (void)state;
  static struct os_info o;
  os_read(&o, "/nowhere/at/all");
  assert_int_equal(o.ncpu, 1);
  assert_int_equal(o.threads, 1);
  assert_int_equal(o.ncache, 0);
  assert_true(isnan(o.last_cache_byte) && isnan(o.memory_cap) && isnan(o.load) && isnan(o.quota_cpu));
  assert_string_equal(o.cpu_name, "unnamed CPU");
  assert_string_equal(o.host, "localhost");
  assert_non_null(strstr(o.note, "affinity"));
}

static void test_nonsense(void **state) {
  (void)state;
  struct tree t = tree_make();
  put(&t, "/proc/self/status", "Cpus_allowed_list:\t3-1,x,99999999999\n");
  put(&t, "/proc/meminfo", "MemTotal: 0 kB\nMemAvailable: lots\n");
  put(&t, "/proc/cpuinfo", "\x01\x02");
  put(&t, "/proc/sys/kernel/hostname", "a\x1b[31mb\n");
  put(&t, "/proc/loadavg", "");
  put(&t, "/proc/self/cgroup", "0::/\n::\nnonsense\n4:cpu\n");
  put(&t, "/sys/fs/cgroup/cpu.max", "0 0\n");
  put(&t, "/sys/fs/cgroup/memory.max", "0\n");
  put_cache(&t, 0, 0, "1", "Data", "0K", "");
  put_cache(&t, 0, 1, "77", "Unified", "64K", "0");
  put_cache(&t, 0, 2, "2", "Unified", "-5K", "0-");
  put_cache(&t, 0, 3, "3", "Unified", "99999999999G", "0");
  put_cpu(&t, 0, "-,-");
  const struct os_info *o = read_tree(&t);
  assert_int_equal(o->ncpu, 1);
  assert_int_equal(o->threads, 1);
  assert_int_equal(o->ncache, 0);
  assert_true(isnan(o->quota_cpu));
  assert_true(isnan(o->memory_cap) && isnan(o->memory_total));
  assert_non_null(strstr(o->note, "zero or nonsense"));
  for (const char *c = o->host; *c; c++) assert_true((unsigned char)*c >= ' ');
  char name[64];
  machine_name(name, t.root);
  assert_string_equal(name, "a-31mb.unnamed-CPU");
  tree_remove(&t);
}

/* ---- the real one ---- */

static void test_real(void **state) {
  (void)state;
  static struct os_info o;
  os_read(&o, "");
  assert_true(o.ncpu >= 1 && o.threads >= 1 && o.threads <= o.ncpu);
  assert_true(o.cpu_name[0] != '\0' && o.host[0] != '\0');
  assert_true(o.memory_cap > 0);
  assert_true(os_clock_tick() > 0 && os_clock_tick() < 0.1);
  double a = os_clock();
  os_sleep(0.002);
  assert_true(os_clock() - a >= 0.002);
  assert_true(os_cpu_time() > 0 && os_switches() >= 0);
}

static void test_pinning(void **state) {
  (void)state;
  static struct os_info o;
  struct os_mask before, one, after;
  os_read(&o, "");
  assert_true(os_mask_get(&before));
  assert_true(os_pin(o.cpu[o.ncpu - 1]));
  assert_true(os_mask_get(&one));
  for (int i = 0; i < OS_CPU_MAX; i++) assert_int_equal(one.word[i / 64] >> i % 64 & 1, i == o.cpu[o.ncpu - 1]);
  assert_false(os_pin(-1));
  assert_false(os_pin(OS_CPU_MAX));
  assert_true(os_mask_set(&before));
  assert_true(os_mask_get(&after));
  assert_memory_equal(&before, &after, sizeof before);
}

struct asked {
  int times, before;
};

static bool wait_twice(int before, double s, void *arg) {
  struct asked *a = arg;
  assert_true(s >= 0);
  a->before = before;
  return ++a->times < 2;
}

/* A process of its own that waits in the queue and ends when it got its turn. */
static pid_t waiter(const char *path, int holder) {
  pid_t pid = fork();
  if (pid) return pid;
  os_unlock(holder); /* the lock is the open file's, which a fork shares */
  int f = os_lock_open(path);
  _exit(f >= 0 && os_lock_wait(f, NULL, NULL) ? 0 : 1);
}

static void until_waiting(const char *path, int places) {
  for (int i = 0; i < 1000; i++) { /* the queue says itself how long it is */
    int f = os_lock_open(path);
    struct asked a = {1, 0};
    os_lock_wait(f, wait_twice, &a);
    os_unlock(f);
    if (a.before == places) return;
    os_sleep(0.02);
  }
  fail_msg("the queue never grew to %d", places);
}

static void test_lock(void **state) {
  (void)state;
  struct tree t = tree_make();
  char path[128];
  snprintf(path, sizeof path, "%s/lock", t.root);
  struct asked asked = {0, 0};
  int first = os_lock_open(path), second = os_lock_open(path);
  assert_true(first >= 0 && second >= 0);
  assert_true(os_lock_wait(first, NULL, NULL));
  assert_false(os_lock_wait(second, wait_twice, &asked));
  assert_int_equal(asked.times, 2);
  assert_int_equal(asked.before, 1);
  os_unlock(first);
  assert_true(os_lock_wait(second, wait_twice, &asked));
  assert_int_equal(asked.times, 2);
  os_unlock(second);
  tree_remove(&t);
}

/* Within half a minute; else it is ended. */
static bool ended_well(pid_t pid) {
  int status = 0;
  for (int i = 0; i < 1500; i++) {
    if (waitpid(pid, &status, WNOHANG) == pid) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    os_sleep(0.02);
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return false;
}

/* First come, first served; each is told how many are before it; who dies in the queue leaves its place at once. */
static void test_queue(void **state) {
  (void)state;
  struct tree t = tree_make();
  char path[128];
  snprintf(path, sizeof path, "%s/lock", t.root);
  int first = os_lock_open(path), status;
  assert_true(os_lock_wait(first, NULL, NULL));
  pid_t a = waiter(path, first);
  until_waiting(path, 2);
  pid_t b = waiter(path, first);
  until_waiting(path, 3);
  kill(a, SIGKILL);
  waitpid(a, &status, 0);
  until_waiting(path, 2);
  assert_int_equal(waitpid(b, &status, WNOHANG), 0); /* the one who measures is not done */
  pid_t c = waiter(path, first);
  until_waiting(path, 3);
  os_unlock(first);
  assert_true(ended_well(b)); /* who waits behind is not before anyone */
  assert_true(ended_well(c));
  until_waiting(path, 0);
  tree_remove(&t);
}

/* A file in a folder that all may write to: nothing there is followed, cut short or believed. */
static void test_lock_is_safe(void **state) {
  (void)state;
  struct tree t = tree_make();
  char path[128], other[128], text[16] = "";
  snprintf(path, sizeof path, "%s/lock", t.root);
  snprintf(other, sizeof other, "%s/victim", t.root);
  FILE *f = fopen(other, "w");
  fputs("whole", f);
  fclose(f);
  assert_int_equal(symlink(other, path), 0);
  assert_int_equal(os_lock_open(path), -1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink("/nowhere/at/all", path), 0); /* would be made where it points */
  assert_int_equal(os_lock_open(path), -1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0666), 0);
  assert_int_equal(os_lock_open(path), -1); /* and does not hang */
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0777), 0);
  assert_int_equal(os_lock_open(path), -1);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(link(other, path), 0); /* another name of a file with words in it: not a byte of them is touched */
  int lock = os_lock_open(path);
  assert_true(lock >= 0 && os_lock_wait(lock, NULL, NULL));
  os_unlock(lock);
  f = fopen(other, "r");
  assert_non_null(fgets(text, sizeof text, f));
  fclose(f);
  assert_string_equal(text, "whole");
  assert_int_equal(unlink(path), 0);
  mode_t mask = umask(077); /* who comes first must not lock the others out */
  lock = os_lock_open(path);
  umask(mask);
  struct stat s;
  assert_int_equal(fstat(lock, &s), 0);
  assert_int_equal(s.st_mode & 0777, 0666);
  os_unlock(lock);
  assert_int_equal(os_lock_open("/nowhere/lock"), -1);
  tree_remove(&t);
}

/* ---- instruction sets ---- */

enum { FMA = 1 << 12, OSXSAVE = 1 << 27, AVX = 1 << 28, SSE2 = 1 << 26, AVX2 = 1 << 5 };
#define AVX512 (1u << 16 | 1u << 17 | 1u << 30 | 1u << 31)

static void test_chooser(void **state) {
  (void)state;
  const uint32_t full = FMA | OSXSAVE | AVX;
  const struct {
    const char *what;
    struct cpuid_words w;
    bool sse2, avx2, avx512, neon;
  } row[] = {
      {"a server with everything", {full, SSE2, AVX2 | AVX512, 0xe7, true, false, 0, 0, false, false}, true, true, true, false},
      {"a laptop with AVX2", {full, SSE2, AVX2, 0x7, true, false, 0, 0, false, false}, true, true, false, false},
      {"AVX-512 the system does not save", {full, SSE2, AVX2 | AVX512, 0x7, true, false, 0, 0, false, false}, true, true, false, false},
      {"AVX the system does not save", {full, SSE2, AVX2 | AVX512, 0x3, true, false, 0, 0, false, false}, true, false, false, false},
      {"no XSAVE at all", {FMA | AVX, SSE2, AVX2, 0, true, false, 0, 0, false, false}, true, false, false, false},
      {"AVX2 without FMA", {OSXSAVE | AVX, SSE2, AVX2, 0x7, true, false, 0, 0, false, false}, true, false, false, false},
      {"FMA without AVX2", {full, SSE2, 0, 0x7, true, false, 0, 0, false, false}, true, false, false, false},
      {"an early AVX-512 without BW and VL", {full, SSE2, AVX2 | 1u << 16 | 1u << 17, 0xe7, true, false, 0, 0, false, false}, true, true, false, false},
      {"only the upper halves not saved", {full, SSE2, AVX2 | AVX512, 0x67, true, false, 0, 0, false, false}, true, true, false, false},
      {"an x86-64 of 2003", {0, SSE2, 0, 0, true, false, 0, 0, false, false}, true, false, false, false},
      {"a 64-bit ARM", {0, 0, 0, 0, false, true, 0, 0, false, false}, false, false, false, true},
      {"an ARM whose words look like AVX", {full, SSE2, AVX2 | AVX512, 0xe7, false, true, 0, 0, false, false}, false, false, false, true},
      {"something else", {0, 0, 0, 0, false, false, 0, 0, false, false}, false, false, false, false},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    print_message("%s\n", row[i].what);
    assert_true(isa_usable(ISA_SCALAR, &row[i].w));
    assert_int_equal(isa_usable(ISA_SSE2, &row[i].w), row[i].sse2);
    assert_int_equal(isa_usable(ISA_AVX2, &row[i].w), row[i].avx2);
    assert_int_equal(isa_usable(ISA_AVX512, &row[i].w), row[i].avx512);
    assert_int_equal(isa_usable(ISA_NEON, &row[i].w), row[i].neon);
    assert_false(isa_usable(ISA_AUTO, &row[i].w));
    assert_false(isa_usable(ISA_N, &row[i].w));
  }
  struct cpuid_words here = isa_cpuid();
  assert_true(isa_usable(isa_best(), &here));
  assert_non_null(lanes_of(isa_best()));
  assert_non_null(lanes_of(ISA_SCALAR));
  assert_null(lanes_of(ISA_AUTO));
  assert_null(lanes_for(ISA_SCALAR, DTYPE_BF16));
}

static uint32_t cache_eax(uint32_t type, uint32_t level, uint32_t sharing) { return type | level << 5 | (sharing - 1) << 14; }
static uint32_t cache_ebx(uint32_t ways, uint32_t parts, uint32_t line) { return (ways - 1) << 22 | (parts - 1) << 12 | (line - 1); }

static void test_cpuid_caches(void **state) {
  (void)state;
  struct cpuid_cache c;
  assert_true(cpuid_cache_decode(cache_eax(1, 1, 2), cache_ebx(8, 1, 64), 63, &c));
  assert_int_equal(c.level, 1);
  assert_true(c.byte == 32768);
  assert_int_equal(c.sharing, 2);
  assert_true(cpuid_cache_decode(cache_eax(3, 3, 16), cache_ebx(16, 1, 64), 32767, &c));
  assert_true(c.byte == 32 * 1048576.0);
  assert_false(cpuid_cache_decode(cache_eax(2, 1, 2), cache_ebx(8, 1, 64), 63, &c)); /* instructions */
  assert_false(cpuid_cache_decode(0, 0, 0, &c));
  assert_false(cpuid_cache_decode(cache_eax(1, 0, 1), cache_ebx(8, 1, 64), 63, &c));
  assert_false(cpuid_cache_decode(cache_eax(3, 3, 1), cache_ebx(1, 1, 1), 0, &c)); /* one byte */
  assert_false(cpuid_cache_decode(cache_eax(3, 3, 1), 0xffffffffu, 0xffffffffu, &c));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_laptop),
      cmocka_unit_test(test_siblings_adjacent),
      cmocka_unit_test(test_fast_and_slow_cores),
      cmocka_unit_test(test_clusters),
      cmocka_unit_test(test_quota_v2),
      cmocka_unit_test(test_quota_in_container),
      cmocka_unit_test(test_memory_v2),
      cmocka_unit_test(test_limits_v1),
      cmocka_unit_test(test_spoilers),
      cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_nonsense),
      cmocka_unit_test(test_real),
      cmocka_unit_test(test_pinning),
      cmocka_unit_test(test_lock),
      cmocka_unit_test(test_queue),
      cmocka_unit_test(test_lock_is_safe),
      cmocka_unit_test(test_chooser),
      cmocka_unit_test(test_cpuid_caches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
