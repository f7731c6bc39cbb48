#include "kernels/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kernels/cpuid.h"

/* ---- small files ---- */

/* The first bytes of root + path, without the last newline. False and "" when there is no such file or it is empty. */
__attribute__((format(printf, 4, 5))) static bool file_read(char *out, size_t size, const char *root, const char *path, ...) {
  char name[1024];
  int n = snprintf(name, sizeof name, "%s", root);
  out[0] = '\0';
  if (n < 0 || (size_t)n >= sizeof name) return false;
  va_list ap;
  va_start(ap, path);
  int m = vsnprintf(name + n, sizeof name - (size_t)n, path, ap);
  va_end(ap);
  if (m < 0 || (size_t)(n + m) >= sizeof name) return false;
  FILE *f = fopen(name, "re");
  if (!f) return false;
  size_t got = fread(out, 1, size - 1, f);
  fclose(f);
  out[got] = '\0';
  while (got > 0 && (out[got - 1] == '\n' || out[got - 1] == ' ')) out[--got] = '\0';
  return got > 0;
}

/* The number of unsigned digits at s; NAN when there are none. "max" is NAN, as cgroups mean it. */
static double digits_read(const char *s) {
  s += strspn(s, " \t");
  if (*s < '0' || *s > '9') return NAN;
  double v = 0;
  for (; *s >= '0' && *s <= '9'; s++) v = v * 10 + (*s - '0');
  return v;
}

/* The number after `key` at the start of a line of text; NAN when there is none. */
static double field_read(const char *text, const char *key) {
  size_t n = strlen(key);
  for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
    if (strncmp(line, key, n) == 0) return digits_read(line + n);
  return NAN;
}

/* The words after "key", blanks and a colon, at the start of a line. */
static bool words_read(const char *text, const char *key, char *out, size_t size) {
  size_t n = strlen(key);
  for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    if (strncmp(line, key, n) != 0) continue;
    const char *from = line + n + strspn(line + n, " \t:");
    size_t len = strcspn(from, "\n");
    if (len >= size) len = size - 1;
    memcpy(out, from, len);
    out[len] = '\0';
    return len > 0;
  }
  return false;
}

/* "0-3,8" into set[]; returns how many were new. Broken lists give what could be read of them. */
static int list_read(const char *s, bool set[OS_CPU_MAX]) {
  int count = 0;
  while (*s) {
    char *end;
    long a = strtol(s, &end, 10), b = a;
    if (end == s || a < 0) break;
    if (*end == '-') {
      s = end + 1;
      b = strtol(s, &end, 10);
      if (end == s || b < a) break;
    }
    for (long i = a; i <= b && i < OS_CPU_MAX; i++) {
      if (!set[i]) count++;
      set[i] = true;
    }
    s = end;
    if (*s == ',')
      s++;
    else
      break;
  }
  return count;
}

static void note_add(struct os_info *o, const char *words) {
  size_t n = strlen(o->note);
  snprintf(o->note + n, sizeof o->note - n, "%s%s", n ? "; " : "", words);
}

/* ---- which CPUs ---- */

static void mask_read(struct os_info *o, const char *root, bool set[OS_CPU_MAX]) {
  char text[8192], list[4096];
  if (file_read(text, sizeof text, root, "/proc/self/status") && words_read(text, "Cpus_allowed_list", list, sizeof list))
    o->mask_is_known = list_read(list, set) > 0;
  struct os_mask m;
  if (!o->mask_is_known && root[0] == '\0' && os_mask_get(&m))
    for (int i = 0; i < OS_CPU_MAX; i++)
      if (m.word[i / 64] >> i % 64 & 1) set[i] = o->mask_is_known = true;
  if (o->mask_is_known) return;
  set[0] = true;
  note_add(o, "the affinity mask could not be read: one CPU is assumed");
}

/* Orders the CPUs: first one hardware thread of each core, the fast kind first, then their siblings. */
static void cpus_read(struct os_info *o, const char *root, const bool set[OS_CPU_MAX]) {
  bool fast[OS_CPU_MAX] = {false}, hybrid;
  double capacity[OS_CPU_MAX], most = 0;
  int rank[OS_CPU_MAX]; /* 0: first thread of a fast core; 1: of a slow core; 2: a sibling */
  char text[4096];
  hybrid = file_read(text, sizeof text, root, "/sys/devices/cpu_core/cpus") && list_read(text, fast) > 0;
  for (int i = 0; i < OS_CPU_MAX; i++) {
    if (!set[i]) continue;
    capacity[i] = hybrid ? fast[i] : NAN;
    if (!hybrid && file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/cpu_capacity", i)) capacity[i] = digits_read(text);
    if (capacity[i] > most) most = capacity[i];
  }
  for (int i = 0; i < OS_CPU_MAX; i++) {
    if (!set[i]) continue;
    bool sibling[OS_CPU_MAX] = {false}, found = false;
    if (file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/topology/core_cpus_list", i) ||
        file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i))
      found = list_read(text, sibling) > 0 && sibling[i];
    int first = i;
    for (int s = 0; found && s < i; s++)
      if (sibling[s] && set[s]) {
        first = s;
        break;
      }
    rank[i] = first != i ? 2 : most > 0 && capacity[i] < most ? 1 : 0;
    if (rank[i] < 2) o->ncore++;
    if (rank[i] == 0) o->nfast++;
  }
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < OS_CPU_MAX; i++)
      if (set[i] && rank[i] == r) o->cpu[o->ncpu++] = i;
  if (o->nfast < o->ncore) {
    char words[80];
    snprintf(words, sizeof words, "%d fast and %d slower cores: the fast ones are used", o->nfast, o->ncore - o->nfast);
    note_add(o, words);
  }
}

/* ---- caches ---- */

/* "32K" "1024K" "36M" in bytes; NAN for anything unbelievable. */
static double cache_size_read(const char *s) {
  double v = digits_read(s);
  const char *unit = s + strspn(s, " 0123456789");
  if (*unit == 'K') v *= 1024;
  if (*unit == 'M') v *= 1024 * 1024;
  if (*unit == 'G') v *= 1024.0 * 1024 * 1024;
  return v >= 1024 && v <= 4.0 * 1024 * 1024 * 1024 ? v : NAN;
}

static struct os_cache *cache_slot(struct os_info *o, int level) {
  for (int i = 0; i < o->ncache; i++)
    if (o->cache[i].level == level) return &o->cache[i];
  if (o->ncache == OS_CACHE_MAX) return NULL;
  int at = o->ncache++;
  for (; at > 0 && o->cache[at - 1].level > level; at--) o->cache[at] = o->cache[at - 1];
  o->cache[at] = (struct os_cache){.level = level};
  return &o->cache[at];
}

static void caches_read(struct os_info *o, const char *root, const bool set[OS_CPU_MAX]) {
  char text[4096];
  bool absurd = false;
  for (int c = 0; c < o->ncpu; c++)
    for (int index = 0; index < 8; index++) {
      int cpu = o->cpu[c];
      if (!file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, index)) break;
      int level = (int)digits_read(text);
      if (!file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/cache/index%d/type", cpu, index) || text[0] == 'I') continue;
      double byte = NAN;
      if (file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, index)) byte = cache_size_read(text);
      if (level < 1 || level > 4 || isnan(byte)) {
        absurd = true;
        continue;
      }
      /* Count an instance at the first CPU we may use among those that share it. */
      bool shared[OS_CPU_MAX] = {false};
      if (file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index))
        list_read(text, shared);
      bool counted = false;
      for (int s = 0; s < cpu && !counted; s++) counted = shared[s] && set[s];
      struct os_cache *slot = cache_slot(o, level);
      if (!slot) continue;
      if (!counted) slot->instances++;
      if (!(slot->byte > byte)) slot->byte = byte; /* of fast and slow cores, the larger */
      snprintf(slot->from, sizeof slot->from, "sysfs");
    }
  if (absurd) note_add(o, "the system gives a cache size of zero or nonsense");
  /* What sysfs does not say the processor may. A fake tree describes another machine, so only for the real one. */
  struct cpuid_cache said[OS_CACHE_MAX];
  int n = root[0] ? 0 : cpuid_caches(said, OS_CACHE_MAX);
  for (int i = 0; i < n; i++) {
    bool known = false;
    for (int j = 0; j < o->ncache; j++) known |= o->cache[j].level == said[i].level;
    struct os_cache *slot = known ? NULL : cache_slot(o, said[i].level);
    if (!slot) continue;
    slot->byte = said[i].byte;
    slot->instances = said[i].level < 3 || said[i].sharing < 1 ? o->ncore : (o->ncpu + said[i].sharing - 1) / said[i].sharing;
    snprintf(slot->from, sizeof slot->from, "cpuid");
  }
  for (int i = 0; i < o->ncache; i++)
    if (o->cache[i].instances < 1) o->cache[i].instances = 1;
  if (o->ncache)
    o->last_cache_byte = o->cache[o->ncache - 1].byte * o->cache[o->ncache - 1].instances;
  else
    note_add(o, "no cache sizes are given");
}

/* ---- limits of control groups ---- */

/* The folder of this process in a hierarchy: "0::/a/b" for version 2 (controller NULL), "4:cpu,cpuacct:/a/b" for version 1. */
static bool group_path(const char *root, const char *controller, char *out, size_t size) {
  char text[4096];
  if (!file_read(text, sizeof text, root, "/proc/self/cgroup")) return false;
  for (char *line = text; line;) {
    char *next = strchr(line, '\n');
    if (next) *next++ = '\0';
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    if (path) {
      *path++ = '\0';
      names++;
      bool match = !controller && names[0] == '\0';
      for (char *word = strtok(names, ","); controller && word; word = strtok(NULL, ",")) match |= strcmp(word, controller) == 0;
      if (match) {
        snprintf(out, size, "%s", strcmp(path, "/") == 0 ? "" : path);
        return true;
      }
    }
    line = next;
  }
  return false;
}

/* Calls read on the process's folder and on every one above it up to the mount, as each may set a limit. A path that is not there (a
 * container that sees its host's name for itself) is passed over, and the mount itself is what is left. */
static void group_walk(const char *root, const char *mount, const char *path, void (*read)(const char *root, const char *dir, void *arg),
                       void *arg) {
  char rest[512], dir[768];
  snprintf(rest, sizeof rest, "%s", path);
  for (;;) {
    snprintf(dir, sizeof dir, "%s%s", mount, rest);
    read(root, dir, arg);
    char *slash = strrchr(rest, '/');
    if (!slash) return;
    *slash = '\0';
  }
}

static void quota_take(struct os_info *o, double quota, double period) {
  double cpus = quota / period;
  if (cpus > 0 && isfinite(cpus) && !(o->quota_cpu <= cpus)) o->quota_cpu = cpus;
}

static void limit_take(struct os_info *o, double limit, double used, double droppable) {
  if (!(limit > 0) || limit > 0x1p60) return; /* version 1 says "none" by an enormous number */
  if (isnan(used)) used = 0;
  if (droppable > 0) used = fmax(0, used - droppable);
  if (!(o->memory_limit - o->memory_used <= limit - used)) o->memory_limit = limit, o->memory_used = used;
}

static void group_read_v2(const char *root, const char *dir, void *arg) {
  char text[4096], other[64];
  if (file_read(text, sizeof text, root, "%s/cpu.max", dir)) {
    double quota = digits_read(text);
    quota_take(arg, quota, digits_read(text + strcspn(text, " ")));
  }
  if (!file_read(other, sizeof other, root, "%s/memory.max", dir)) return;
  double limit = digits_read(other);
  double used = file_read(other, sizeof other, root, "%s/memory.current", dir) ? digits_read(other) : NAN;
  double droppable = file_read(text, sizeof text, root, "%s/memory.stat", dir) ? field_read(text, "inactive_file ") : NAN;
  limit_take(arg, limit, used, droppable);
}

static void cpu_read_v1(const char *root, const char *dir, void *arg) {
  char quota[64], period[64];
  if (file_read(quota, sizeof quota, root, "%s/cpu.cfs_quota_us", dir) &&
      file_read(period, sizeof period, root, "%s/cpu.cfs_period_us", dir))
    quota_take(arg, digits_read(quota), digits_read(period)); /* -1, no quota, reads as NAN */
}

static void memory_read_v1(const char *root, const char *dir, void *arg) {
  char text[4096], other[64];
  if (!file_read(other, sizeof other, root, "%s/memory.limit_in_bytes", dir)) return;
  double limit = digits_read(other);
  double used = file_read(other, sizeof other, root, "%s/memory.usage_in_bytes", dir) ? digits_read(other) : NAN;
  double droppable = file_read(text, sizeof text, root, "%s/memory.stat", dir) ? field_read(text, "total_inactive_file ") : NAN;
  limit_take(arg, limit, used, droppable);
}

static void limits_read(struct os_info *o, const char *root) {
  char path[512];
  if (group_path(root, NULL, path, sizeof path)) {
    group_walk(root, "/sys/fs/cgroup", path, group_read_v2, o);
    group_walk(root, "/sys/fs/cgroup/unified", path, group_read_v2, o);
  }
  if (group_path(root, "cpu", path, sizeof path)) {
    group_walk(root, "/sys/fs/cgroup/cpu", path, cpu_read_v1, o);
    group_walk(root, "/sys/fs/cgroup/cpu,cpuacct", path, cpu_read_v1, o);
  }
  if (group_path(root, "memory", path, sizeof path)) group_walk(root, "/sys/fs/cgroup/memory", path, memory_read_v1, o);
}

static void memory_read(struct os_info *o, const char *root) {
  char text[4096];
  if (file_read(text, sizeof text, root, "/proc/meminfo")) {
    o->memory_total = 1024 * field_read(text, "MemTotal:");
    o->memory_available = 1024 * field_read(text, "MemAvailable:");
    if (isnan(o->memory_available)) o->memory_available = 1024 * field_read(text, "MemFree:");
  }
  if (!(o->memory_total > 0)) o->memory_total = NAN;
  if (!(o->memory_available > 0)) o->memory_available = NAN;
  double room = o->memory_available;
  if (o->memory_limit > 0) room = fmin(isnan(room) ? INFINITY : room, fmax(0, o->memory_limit - o->memory_used));
  o->memory_cap = room / 4;
  if (isnan(room)) note_add(o, "free memory is not known");
  /* "always [madvise] never": the choice in force is the one in brackets. */
  if (file_read(text, sizeof text, root, "/sys/kernel/mm/transparent_hugepage/enabled")) {
    char *from = strchr(text, '[');
    size_t len = from ? strcspn(from + 1, "]") : 0;
    if (len > 0 && len < sizeof o->huge_pages) memcpy(o->huge_pages, from + 1, len);
  }
}

/* ---- what else there is to know ---- */

static void text_take(char *out, size_t size, const char *from) {
  size_t n = 0;
  for (; *from && *from != '\n' && n < size - 1; from++) out[n++] = (unsigned char)*from < ' ' || *from == 127 ? ' ' : *from;
  out[n] = '\0';
}

static bool battery_read(const char *root) {
  char name[1024], text[64];
  snprintf(name, sizeof name, "%s/sys/class/power_supply", root);
  DIR *d = opendir(name);
  bool battery = false, mains = false;
  for (struct dirent *e; d && (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    bool online = file_read(text, sizeof text, root, "/sys/class/power_supply/%s/online", e->d_name) && text[0] == '1';
    if (file_read(text, sizeof text, root, "/sys/class/power_supply/%s/type", e->d_name) && strcmp(text, "Battery") != 0) mains |= online;
    if (file_read(text, sizeof text, root, "/sys/class/power_supply/%s/status", e->d_name)) battery |= strcmp(text, "Discharging") == 0;
  }
  if (d) closedir(d);
  return battery && !mains;
}

static void names_read(struct os_info *o, const char *root) {
  char text[16384], words[256];
  bool cpuinfo = file_read(text, sizeof text, root, "/proc/cpuinfo");
  bool virtual = cpuinfo && words_read(text, "flags", words, 4) && strstr(text, " hypervisor") != NULL;
  static const char *const key[] = {"model name", "Hardware", "Processor", "cpu model", "cpu"};
  for (size_t i = 0; i < sizeof key / sizeof *key && cpuinfo && !o->cpu_name[0]; i++)
    if (words_read(text, key[i], words, sizeof words)) text_take(o->cpu_name, sizeof o->cpu_name, words);
  if (!o->cpu_name[0] && root[0] == '\0') cpuid_brand(o->cpu_name, sizeof o->cpu_name);
  if (!o->cpu_name[0]) snprintf(o->cpu_name, sizeof o->cpu_name, "unnamed CPU");
  if (file_read(text, sizeof text, root, "/proc/sys/kernel/hostname")) text_take(o->host, sizeof o->host, text);
  if (!o->host[0]) snprintf(o->host, sizeof o->host, "localhost");
  if (root[0] == '\0') cpuid_hypervisor(o->hypervisor, sizeof o->hypervisor);
  if (virtual && !o->hypervisor[0]) {
    if (file_read(text, sizeof text, root, "/sys/class/dmi/id/sys_vendor"))
      text_take(o->hypervisor, sizeof o->hypervisor, text);
    else
      snprintf(o->hypervisor, sizeof o->hypervisor, "unnamed");
  }
  if (file_read(text, sizeof text, root, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", o->cpu[0]))
    text_take(o->governor, sizeof o->governor, text);
  if (file_read(text, sizeof text, root, "/proc/loadavg")) {
    double whole = digits_read(text), part = text[strcspn(text, ".")] ? digits_read(text + strcspn(text, ".") + 1) : 0;
    o->load = whole + part / 100;
  }
  o->battery = battery_read(root);
}

void os_read(struct os_info *o, const char *root) {
  if (!root) root = "";
  *o = (struct os_info){.quota_cpu = NAN,
                        .last_cache_byte = NAN,
                        .memory_total = NAN,
                        .memory_available = NAN,
                        .memory_limit = NAN,
                        .memory_used = NAN,
                        .memory_cap = NAN,
                        .load = NAN};
  bool set[OS_CPU_MAX] = {false};
  mask_read(o, root, set);
  cpus_read(o, root, set);
  caches_read(o, root, set);
  limits_read(o, root);
  memory_read(o, root);
  names_read(o, root);
  o->threads = o->nfast;
  if (o->quota_cpu > 0 && ceil(o->quota_cpu) < o->threads) o->threads = (int)ceil(o->quota_cpu);
  if (o->threads < 1) o->threads = 1;
}

static void throttled_read(const char *root, const char *dir, void *arg) {
  char text[1024];
  double *sum = arg;
  if (!file_read(text, sizeof text, root, "%s/cpu.stat", dir)) return;
  double n = field_read(text, "nr_throttled ");
  if (n >= 0) *sum = isnan(*sum) ? n : *sum + n;
}

struct os_spoilers os_spoilers_read(const char *root) {
  struct os_spoilers s = {NAN, NAN};
  char text[4096], path[512];
  if (!root) root = "";
  if (group_path(root, NULL, path, sizeof path)) group_walk(root, "/sys/fs/cgroup", path, throttled_read, &s.throttled);
  if (group_path(root, "cpu", path, sizeof path)) group_walk(root, "/sys/fs/cgroup/cpu", path, throttled_read, &s.throttled);
  if (file_read(text, sizeof text, root, "/proc/stat")) {
    /* cpu user nice system idle iowait irq softirq steal …, in clock ticks */
    char *at = text;
    for (int i = 0; i < 8 && *at; i++) {
      at += strcspn(at, " \n");
      at += strspn(at, " ");
    }
    long hz = sysconf(_SC_CLK_TCK);
    s.stolen_s = digits_read(at) / (hz > 0 ? (double)hz : 100);
  }
  return s;
}

/* ---- clock and counters ---- */

double os_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double os_clock_tick(void) {
  double least = INFINITY;
  for (int i = 0; i < 32; i++) {
    double a = os_clock(), b = a;
    for (int spin = 0; b <= a && spin < 1000000; spin++) b = os_clock();
    if (b > a && b - a < least) least = b - a;
  }
  return isfinite(least) ? least : 1e-3;
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

void os_nice(void) { setpriority(PRIO_PROCESS, 0, 5); }

void os_die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

int os_lock(const char *path, bool (*wait)(double s, void *arg), void *arg) {
  int f = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (f < 0) return -1;
  double start = os_clock();
  while (flock(f, LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || (wait && !wait(os_clock() - start, arg))) {
      close(f);
      return -1;
    }
    os_sleep(0.1);
  }
  return f;
}

void os_unlock(int handle) {
  if (handle >= 0) close(handle);
}
