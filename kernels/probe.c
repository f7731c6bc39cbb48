/* probe: this machine's own roofs, part by part: what the system says of itself, arithmetic, memory, the levels on the way to it; a
 * thorough pass adds the staircase between them and how long the arithmetic holds out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/probe_inner.h"

static const double SETTLE_S = 0.1, SETTLE_THOROUGH_S = 0.4;

/* ---- the machine in words ---- */

static void probe_declared(struct probe *p) {
  const struct os_info *o = &p->os;
  char text[200];
  probe_say_number(p, "threads", o->threads);
  probe_say_number(p, "cpus", fmin(o->ncpu, isnan(o->quota_cpu) ? INFINITY : ceil(o->quota_cpu)));
  probe_say_number(p, "quota", o->quota_cpu);
  probe_say_text(p, "mask", o->mask);
  probe_say_text(p, "cpu", o->cpu_name);
  probe_say_text(p, "host", o->host);
  time_t now = time(NULL);
  struct tm day;
  if (localtime_r(&now, &day) && strftime(text, sizeof text, "%Y-%m-%d", &day) > 0) probe_say_text(p, "date", text);
#if defined(__clang__)
  probe_say_text(p, "compiler", "clang " __clang_version__);
#else
  probe_say_text(p, "compiler", "gcc " __VERSION__);
#endif
  probe_say_text(p, "flags", "-O3 -ffp-contract=fast, one file an instruction set");
  probe_say_number(p, "last_cache", o->last_cache_byte);
  probe_say_number(p, "memory_cap", o->memory_cap);
  for (int i = 0; i <= o->ncache; i++) {
    bool memory = i == o->ncache;
    struct line l = probe_figure("level", memory ? o->memory_total : o->cache[i].byte);
    l.level = i;
    l.count = memory ? 1 : o->cache[i].instances;
    if (memory)
      snprintf(l.text, sizeof l.text, "DRAM");
    else
      snprintf(l.text, sizeof l.text, "L%d", o->cache[i].level);
    snprintf(l.from, sizeof l.from, "%s", memory ? "system" : o->cache[i].from);
    probe_say(p, &l);
  }
  probe_say_number(p, "memory", o->memory_total);
  if (*o->hypervisor) probe_note(p, "in a virtual machine (%s)", o->hypervisor);
  if (o->quota_cpu > 0) probe_note(p, "CPU quota %.3g", o->quota_cpu);
  if (o->battery) probe_note(p, "on battery");
  if (*o->governor && strcmp(o->governor, "performance") != 0) probe_note(p, "clock governor %s", o->governor);
  if (o->load > 0.5 * o->ncpu) probe_note(p, "load %.1f before it began", o->load);
  if (*o->note) probe_note(p, "%s", o->note);
}

/* ---- the pass ---- */

static const struct part {
  const char *name;
  int (*steps)(const struct probe *p);
  void (*go)(struct probe *p);
  bool thorough; /* only then, or when asked for by name */
} part_table[PROBE_PARTS] = {{"arithmetic", probe_peak_steps, probe_peaks, false},
                             {"memory", probe_memory_steps, probe_memory, false},
                             {"levels", probe_level_steps, probe_levels, false},
                             {"staircase", probe_stair_steps, probe_stair, true},
                             {"sustained", probe_sustain_steps, probe_sustain, true}};

const char *probe_part_name(int i) { return part_table[i].name; }

static bool part_due(const struct probe *p, int i) {
  if (p->options.parts) return p->options.parts >> i & 1;
  return p->options.thorough || !part_table[i].thorough;
}

/* The clock as one core counts it, with what stands behind it. */
static void probe_clock(struct probe *p) {
  enum { TIMES = 12 };
  struct reading r = {.best.isa = ISA_AUTO, .spread = NAN};
  struct request of = {.dtype = DTYPE_FP32, .threads = 1};
  double period[TIMES];
  while (r.count < TIMES) {
    double hz = clock_measure(0.0005);
    if (!(hz > 0)) return;
    period[r.count++] = 1 / hz;
  }
  double median = quantile(period, TIMES, 0.5); /* which sorts them */
  r.spread = (quantile(period, TIMES, 0.75) - quantile(period, TIMES, 0.25)) / 2 / median;
  p->clock_hz = 1 / period[0];
  struct line l = probe_figure_of(p, "clock", p->clock_hz, &of, &r);
  l.seed = NAN; /* no data */
  probe_say(p, &l);
}

static void probe_go(struct probe *p) {
  for (int i = 0; i < PROBE_PARTS; i++)
    if (part_due(p, i)) p->total += part_table[i].steps(p);
  probe_declared(p);
  struct team *t = team_start(p->os.cpu, p->os.threads);
  if (t) {
    clock_settle(t, p->options.thorough ? SETTLE_THOROUGH_S : SETTLE_S);
    if (team_unpinned(t)) probe_note(p, "%d of %d threads could not be pinned", team_unpinned(t), p->os.threads);
    probe_clock(p);
    team_stop(t);
  }
  for (int i = 0; i < PROBE_PARTS && !p->stopped; i++)
    if (part_due(p, i)) part_table[i].go(p);
  probe_say_text(p, "note", p->note);
}

int probe_run(const struct bench_options *o, bool (*tell)(const struct line *, void *), void *arg) {
  struct probe *p = calloc(1, sizeof *p);
  if (!p) return 1;
  p->options = *o;
  if (!p->options.root) p->options.root = "";
  p->say = tell;
  p->arg = arg;
  p->clock_hz = NAN;
  os_read(&p->os, p->options.root);
  p->os.clock = p->options.clock;
  p->os.clock_arg = p->options.clock_arg;
  p->start = os_now(&p->os);
  p->tick = os_tick(&p->os);
  if (p->os.ncache > LEVEL_MAX - 1) p->os.ncache = LEVEL_MAX - 1;
  struct os_spoilers before = os_spoilers_read(p->options.root);
  probe_go(p);
  struct os_spoilers after = os_spoilers_read(p->options.root);
  if (after.throttled > before.throttled) {
    probe_note(p, "the CPU quota held the measurement up: the roofs are low");
    probe_say_text(p, "note", p->note);
  }
  int rc = p->figures > 0 ? 0 : 1;
  if (rc) {
    struct line l;
    line_clear(&l, LINE_REFUSED);
    snprintf(l.reason, sizeof l.reason, "nothing could be measured: %.200s", p->note);
    probe_say(p, &l);
  }
  free(p);
  return rc;
}
