/* os_read: what Linux says of the machine: CPUs, caches, memory, names. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpuid.h"
#include "kernels/os_file.h"

static void note_add(struct os_info *o, const char *words) {
  size_t n = strlen(o->note);
  snprintf(o->note + n, sizeof o->note - n, "%s%s", n ? "; " : "", words);
}

/* ---- which CPUs ---- */

/* "0-3,8": a long one ends at a comma. */
static void mask_print(struct os_info *o, const bool set[OS_CPU_MAX]) {
  size_t n = 0;
  for (int i = 0; i < OS_CPU_MAX; i++) {
    if (!set[i]) continue;
    int last = i;
    while (last + 1 < OS_CPU_MAX && set[last + 1]) last++;
    char part[24];
    int len = snprintf(part, sizeof part, last > i ? "%s%d-%d" : "%s%d", n ? "," : "", i, last);
    if (n + (size_t)len + sizeof ",…" > sizeof o->mask) {
      snprintf(o->mask + n, sizeof o->mask - n, ",…");
      return;
    }
    memcpy(o->mask + n, part, (size_t)len + 1);
    n += (size_t)len;
    i = last;
  }
}

static void mask_read(struct os_info *o, const char *root, bool set[OS_CPU_MAX]) {
  char text[8192], list[4096];
  if (file_read(text, sizeof text, root, "/proc/self/status") && words_read(text, "Cpus_allowed_list", list, sizeof list))
    o->mask_is_known = list_read(list, set) > 0;
  struct os_mask m;
  if (!o->mask_is_known && root[0] == '\0' && os_mask_get(&m))
    for (int i = 0; i < OS_CPU_MAX; i++)
      if (m.word[i / 64] >> i % 64 & 1) set[i] = o->mask_is_known = true;
  if (o->mask_is_known) {
    mask_print(o, set);
    return;
  }
  set[0] = true;
  mask_print(o, set);
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
