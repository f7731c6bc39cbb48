/* door_measure: this machine's own roofs, measured and kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"
#include "app/measuring.h"
#include "app/visit.h"
#include "kernels/bench.h"
#include "tui/number.h"

struct measuring {
  struct device *here;
  bool json;
  int failed; /* lines that could not be written */
};

static bool take_line(const struct line *l, void *arg) {
  struct measuring *m = arg;
  if (l->kind == LINE_FIGURE) line_apply(l, m->here);
  if (m->json) return line_write(stdout, l);
  if (l->kind == LINE_REFUSED) fprintf(stderr, "ridge: %s\n", l->reason);
  return true;
}

static void row(struct table *t, const char *what, const char *detail, double value, const char *unit) {
  char text[NUMBER_MAX];
  if (isnan(value)) return;
  table_cell(t, what);
  table_cell(t, detail);
  table_cell(t, number_print(text, value, unit, 3, false));
}

static void print_peaks(struct table *t, const struct machine *m) {
  for (int isa = ISA_SCALAR; isa < ISA_N; isa++)
    for (int type = 0; type < 2; type++) {
      char detail[64];
      const char *name = type ? "fp32" : "fp64";
      snprintf(detail, sizeof detail, "%s %s, %d threads", isa_name((enum isa)isa), name, m->threads);
      if (m->threads > 1) row(t, "arithmetic", detail, m->isa_peak[isa][type], "flop/s");
      snprintf(detail, sizeof detail, "%s %s, 1 thread", isa_name((enum isa)isa), name);
      row(t, "arithmetic", detail, m->isa_peak_one[isa][type], "flop/s");
    }
}

static void print_levels(struct table *t, const struct device *d) {
  for (int i = 0; i < d->nlevel; i++) {
    const struct level *l = &d->level[i];
    char detail[128], size[NUMBER_MAX];
    number_print(size, l->byte.value, "iB", 3, false);
    if (l->count > 1)
      snprintf(detail, sizeof detail, "%s: %d of %s (%s)", l->name, l->count, size, l->byte_from);
    else
      snprintf(detail, sizeof detail, "%s: %s (%s)", l->name, size, l->byte_from);
    if (i + 1 < d->nlevel) row(t, "level rate", detail, l->byte_per_s.value, "byte/s");
    row(t, "level latency", detail, l->latency_s.value, "s");
  }
}

static void print_human(const struct device *d) {
  const struct machine *m = &d->machine;
  struct table t = {.columns = 3, .right = 1u << 2};
  row(&t, "clock", "one core", m->clock_hz, "Hz");
  print_peaks(&t, m);
  row(&t, "memory", "read, all threads", m->read_byte_per_s, "byte/s");
  row(&t, "memory", "read, 1 thread", m->read_one_byte_per_s, "byte/s");
  row(&t, "memory", "copy, stores around the caches", m->copy_nt_byte_per_s, "byte/s");
  row(&t, "memory", "triad, stores around the caches", m->triad_nt_byte_per_s, "byte/s");
  row(&t, "memory", "triad (with the lines its stores fetch)", m->triad_byte_per_s, "byte/s");
  print_levels(&t, d);
  printf("%s on %s, %s\n", m->cpu, m->host, m->date);
  table_print(&t, stdout, "  ");
  table_free(&t);
  if (*m->note) printf("note: %s\n", m->note);
}

int door_measure(int argc, char **argv) {
  struct args a;
  struct err e;
  if (!args_read(&a, argc, argv, TAKES(OPTION_FRESH) | TAKES(OPTION_QUICK) | TAKES(OPTION_JSON), &e)) return door_refuse(&e, 2);
  if (a.nword > 0) return door_refuse_text("measure takes no words, only options", 2);
  struct world *w = world_open();
  if (!w) return 1;
  struct device *here = &w->device[DEVICE_HERE];
  struct measuring m = {.here = here, .json = a.value[OPTION_JSON] != NULL};
  int code = 0;
  /* What is kept is shown, unless it is to be measured anew; a listener for lines gets them, so it always measures. */
  if (!here->machine.measured || a.value[OPTION_FRESH] || m.json) {
    struct bench_options o = {.quick = a.value[OPTION_QUICK] != NULL, .seed = 1, .machine = w->machine};
    struct device *fresh = calloc(1, sizeof *fresh);
    if (!fresh) abort();
    device_clear(fresh);
    snprintf(fresh->id, sizeof fresh->id, "here");
    snprintf(fresh->name, sizeof fresh->name, "this machine"); /* a file without a name is refused when it is read back */
    fresh->family = FAMILY_CPU;
    fresh->is_host = true;
    m.here = fresh;
    measuring_start();
    int lock = measuring_lock(take_line, &m);
    code = probe_run(&o, take_line, &m);
    os_unlock(lock);
    if (code == 0) {
      *here = *fresh;
      if (!machine_save(w, &e)) fprintf(stderr, "ridge: warning: %s\n", e.text);
    }
    free(fresh);
  }
  if (!m.json && code == 0) print_human(here);
  free(w);
  return emit_close() != 0 ? 1 : code;
}
