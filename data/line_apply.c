/* What the figure lines mean to the machine's device: one row a name, as the table in line.h tells. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/line.h"
#include "data/record.h"

static struct figure measured(double v) { return (struct figure){.value = v, .source = SOURCE_MEASURED}; }

/* Rates and sizes that are none (0, negative, infinite) must not become roofs. */
static bool usable(double v) { return isfinite(v) && v > 0; }

/* A figure of n threads counts as everybody's when the whole team ran (0 threads: it does not say, so it was). */
static bool of_team(const struct line *l, const struct device *d) { return l->request.threads != 1 || d->machine.threads == 1; }
static bool of_one(const struct line *l) { return l->request.threads == 1; }

static void measured_check(struct device *d) {
  bool compute = usable(d->peak[DTYPE_FP32].value) || usable(d->peak[DTYPE_FP64].value);
  d->machine.measured = compute && usable(d->machine.read_byte_per_s);
}

/* The best instruction set is the device's roof; a slower reading of it replaces a faster old one. */
static void peak_take(struct device *d, enum dtype t) {
  int column = t == DTYPE_FP32;
  double best = NAN;
  for (int i = 0; i < ISA_N; i++)
    if (!(d->machine.isa_peak[i][column] <= best) && usable(d->machine.isa_peak[i][column])) best = d->machine.isa_peak[i][column];
  d->peak[t] = measured(best);
}

/* What stands behind a measured figure stays beside it. */
static void trust_apply(const struct line *l, struct device *d) {
  struct trust t = {.dtype = l->request.dtype,
                    .isa = l->request.isa,
                    .level = l->level,
                    .threads = l->request.threads,
                    .samples = l->samples,
                    .value = l->value,
                    .thorough = l->thorough,
                    .is_median = l->is_median,
                    .spread = l->spread,
                    .seed = l->seed,
                    .flags = l->flags};
  if (!l->samples || strlen(l->name) >= sizeof t.name) return;
  snprintf(t.name, sizeof t.name, "%.19s", l->name);
  trust_put(&d->machine, &t);
}

static bool peak_apply(const struct line *l, struct device *d) {
  enum dtype t = l->request.dtype;
  if (usable(l->value) && (t == DTYPE_BF16 || t == DTYPE_INT8)) {
    if (of_team(l, d)) d->peak[t] = measured(l->value);
    return of_team(l, d);
  }
  if ((t != DTYPE_FP32 && t != DTYPE_FP64) || l->request.isa == ISA_AUTO || !usable(l->value)) return false;
  int column = t == DTYPE_FP32;
  if (of_one(l)) d->machine.isa_peak_one[l->request.isa][column] = l->value;
  if (of_team(l, d)) d->machine.isa_peak[l->request.isa][column] = l->value;
  peak_take(d, t);
  measured_check(d);
  return true;
}

static bool read_apply(const struct line *l, struct device *d) {
  if (!usable(l->value)) return false;
  if (of_one(l)) d->machine.read_one_byte_per_s = l->value;
  if (of_team(l, d)) {
    d->machine.read_byte_per_s = l->value;
    d->memory_byte_per_s = measured(l->value);
    if (d->nlevel) d->level[d->nlevel - 1].byte_per_s = measured(l->value);
  }
  measured_check(d);
  return true;
}

static bool level_apply(const struct line *l, struct device *d) {
  if (l->level < 0 || l->level >= LEVEL_MAX) return false;
  struct level *at = &d->level[l->level];
  const char *what = l->name + strlen("level");
  if (!*what) {
    if (!l->text[0]) return false;
    snprintf(at->name, sizeof at->name, "%.*s", (int)sizeof at->name - 1, l->text);
    snprintf(at->byte_from, sizeof at->byte_from, "%s", l->from);
    at->count = l->count > 0 ? l->count : 1;
    if (usable(l->value)) at->byte = measured(l->value);
    if (l->level >= d->nlevel) d->nlevel = l->level + 1;
    return true;
  }
  if (l->level >= d->nlevel || !usable(l->value)) return false;
  if (!strcmp(what, "_latency")) {
    at->latency_s = measured(l->value);
  } else if (!strcmp(what, "_knee")) {
    at->knee_byte = measured(l->value);
  } else if (!strcmp(what, "_rate")) {
    if (of_team(l, d)) at->byte_per_s = measured(l->value);
  } else
    return false;
  return true;
}

static bool memory_apply(const struct line *l, struct device *d) {
  if (!usable(l->value)) return false;
  d->memory_byte = measured(l->value);
  if (d->nlevel) d->level[d->nlevel - 1].byte = measured(l->value);
  return true;
}

static bool text_apply(const struct line *l, struct device *d) {
  for (int i = 0; i < machine_text_count; i++) {
    if (strcmp(l->name, machine_text[i].key)) continue;
    char *to = (char *)&d->machine + machine_text[i].offset;
    int n = (int)strlen(l->text);
    if (n >= machine_text[i].size)
      for (n = machine_text[i].size - 1; n > 0 && ((unsigned char)l->text[n] & 0xc0) == 0x80;) n--; /* never half a character */
    memcpy(to, l->text, (size_t)n);
    to[n] = 0;
    return true;
  }
  return false;
}

/* Names whose value goes to one field of the machine. */
static bool number_apply(const struct line *l, struct device *d) {
  struct machine *m = &d->machine;
  const struct {
    const char *name;
    double *to;
    bool team;
  } row[] = {
      {"clock", &m->clock_hz, false},
      {"last_cache", &m->last_cache_byte, false},
      {"memory_cap", &m->memory_cap_byte, false},
      {"copy_nt", &m->copy_nt_byte_per_s, true},
      {"copy", &m->copy_byte_per_s, true},
      {"triad", &m->triad_byte_per_s, true},
      {"triad_nt", &m->triad_nt_byte_per_s, true},
      {"burst", &m->burst_flop_per_s, true},
      {"burst_clock", &m->burst_clock_hz, false},
      {"sustained", &m->sustained_flop_per_s, true},
      {"sustained_clock", &m->sustained_clock_hz, false},
      {"quota", &m->quota_cpu, false},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    if (strcmp(l->name, row[i].name)) continue;
    if (!usable(l->value)) return false;
    if (!row[i].team || of_team(l, d)) *row[i].to = l->value;
    return true;
  }
  return false;
}

static bool figure_apply(const struct line *l, struct device *here) {
  if (!strcmp(l->name, "threads") || !strcmp(l->name, "cpus")) {
    if (!(l->value >= 1 && l->value <= 1e6)) return false;
    *(l->name[0] == 't' ? &here->machine.threads : &here->machine.cpus) = (int)l->value;
    return true;
  }
  if (!strcmp(l->name, "peak")) return peak_apply(l, here);
  if (!strcmp(l->name, "read")) return read_apply(l, here);
  if (!strncmp(l->name, "level", strlen("level"))) return level_apply(l, here);
  if (!strcmp(l->name, "memory")) return memory_apply(l, here);
  return l->text[0] ? text_apply(l, here) : number_apply(l, here);
}

/* A roof is the best that was seen: what others left over of it is no news, and does not replace a better reading of the same. */
static bool leftover(const struct line *l, const struct device *here) {
  static const char *const roof[] = {"peak", "read", "copy", "copy_nt", "triad", "triad_nt", "level_rate", "level_latency"};
  bool is_roof = false;
  for (size_t i = 0; i < sizeof roof / sizeof *roof; i++) is_roof |= strcmp(l->name, roof[i]) == 0;
  if (!is_roof || !(l->flags & FLAG_DISTURBED) || l->request.threads <= 0) return false;
  const struct trust *old = trust_find(&here->machine, l->name, l->request.isa, l->request.dtype, l->request.threads, l->level);
  if (!old || old->flags & FLAG_SUSPECT) return false;
  return strcmp(l->name, "level_latency") == 0 ? old->value < l->value : old->value > l->value;
}

bool line_apply(const struct line *l, struct device *here) {
  if (l->kind != LINE_FIGURE) return false;
  if (!strncmp(l->name, "stair", strlen("stair"))) return stair_apply(l, here);
  if (leftover(l, here)) return true;
  if (!figure_apply(l, here)) return false;
  trust_apply(l, here);
  return true;
}
