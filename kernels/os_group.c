/* os_group: the limits that control groups, version 1 and 2, put on this process. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/os_file.h"

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

void limits_read(struct os_info *o, const char *root) {
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
