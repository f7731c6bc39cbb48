/* door_measure: this machine's own roofs, measured and kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"
#include "app/measuring.h"
#include "app/visit.h"
#include "kernels/bench.h"
#include "tui/number.h"

enum { FIGURES_MAX = 96 };
struct measuring {
  struct device *here;
  bool json, live;                 /* live: a person watches stderr */
  struct line figure[FIGURES_MAX]; /* as heard, for their spreads and flags */
  int nfigure;
};

static bool take_line(const struct line *l, void *arg) {
  struct measuring *m = arg;
  if (l->kind == LINE_FIGURE && line_apply(l, m->here) && isnan(l->byte) && m->nfigure < FIGURES_MAX) m->figure[m->nfigure++] = *l;
  if (m->json) return line_write(stdout, l);
  if (l->kind == LINE_REFUSED) fprintf(stderr, "ridge: %s\n", l->reason);
  if (l->kind == LINE_PROGRESS && m->live) fprintf(stderr, "\r%3.0f %%  %-60s", 100 * l->done / l->total, l->reason);
  return true;
}

/* The table, with the spread and flags of those figures that were measured just now. */
struct report {
  struct table table;
  const struct measuring *heard;
};

static void row(struct report *r, const char *what, const char *detail, double value, const char *unit, const struct line *of) {
  char text[NUMBER_MAX], flags[160] = "";
  if (isnan(value)) return;
  table_cell(&r->table, what);
  table_cell(&r->table, detail);
  table_cell(&r->table, number_print(text, value, unit, 3, false));
  table_cell(&r->table, of && !isnan(of->spread) ? number_print(text, of->spread, "%", 3, false) : "");
  for (int i = 0, n = 0; of && i < FLAG_COUNT; i++)
    if (of->flags & 1u << i && n < (int)sizeof flags)
      n += snprintf(flags + n, sizeof flags - (size_t)n, "%s%s", n ? ", " : "", flag_name(1u << i));
  table_cell(&r->table, flags);
}

/* The line heard for a figure; -1 and ISA_AUTO stand for any. */
static const struct line *heard(const struct report *r, const char *name, enum isa isa, enum dtype t, int threads, int level) {
  for (int i = r->heard->nfigure; i-- > 0;) {
    const struct line *l = &r->heard->figure[i];
    if (strcmp(l->name, name) != 0 || (isa != ISA_AUTO && (l->request.isa != isa || l->request.dtype != t))) continue;
    if ((threads < 0 || l->request.threads == threads) && (level < 0 || l->level == level)) return l;
  }
  return NULL;
}

static void report_peaks(struct report *r, const struct machine *m) {
  for (int i = ISA_SCALAR; i < ISA_N; i++)
    for (int type = 0; type < 2; type++) {
      char detail[64];
      enum isa isa = (enum isa)i;
      enum dtype t = type ? DTYPE_FP32 : DTYPE_FP64;
      snprintf(detail, sizeof detail, "%s %s, %d threads", isa_name(isa), dtype_name(t), m->threads);
      if (m->threads > 1) row(r, "arithmetic", detail, m->isa_peak[i][type], "flop/s", heard(r, "peak", isa, t, m->threads, -1));
      snprintf(detail, sizeof detail, "%s %s, 1 thread", isa_name(isa), dtype_name(t));
      row(r, "arithmetic", detail, m->isa_peak_one[i][type], "flop/s", heard(r, "peak", isa, t, 1, -1));
    }
}

static void report_memory(struct report *r, const struct machine *m) {
  const struct {
    const char *name, *detail;
    double value;
    int threads;
  } rate[] = {{"read", "read, all threads", m->read_byte_per_s, m->threads},
              {"read", "read, 1 thread", m->threads > 1 ? m->read_one_byte_per_s : NAN, 1},
              {"copy_nt", "copy, stores around the caches", m->copy_nt_byte_per_s, -1},
              {"triad_nt", "triad, stores around the caches", m->triad_nt_byte_per_s, -1},
              {"triad", "triad, with the lines its stores fetch", m->triad_byte_per_s, -1}};
  for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
    row(r, "memory", rate[i].detail, rate[i].value, "byte/s", heard(r, rate[i].name, ISA_AUTO, DTYPE_FP32, rate[i].threads, -1));
}

static void report_levels(struct report *r, const struct device *d) {
  for (int i = 0; i < d->nlevel; i++) {
    const struct level *l = &d->level[i];
    char detail[128], size[NUMBER_MAX];
    number_print(size, l->byte.value, "iB", 3, false);
    if (l->count > 1)
      snprintf(detail, sizeof detail, "%s: %d of %s (%s)", l->name, l->count, size, l->byte_from);
    else
      snprintf(detail, sizeof detail, "%s: %s (%s)", l->name, size, l->byte_from);
    if (i + 1 < d->nlevel) row(r, "level rate", detail, l->byte_per_s.value, "byte/s", heard(r, "level_rate", ISA_AUTO, DTYPE_FP32, -1, i));
    row(r, "level latency", detail, l->latency_s.value, "s", heard(r, "level_latency", ISA_AUTO, DTYPE_FP32, -1, i));
  }
}

static void print_human(const struct measuring *m, const struct device *d) {
  struct report r = {.table = {.columns = 5, .right = 1u << 2 | 1u << 3}, .heard = m};
  static const char *const head[] = {"what", "of", "best", "spread", "flags"};
  for (int i = 0; i < 5; i++) table_cell(&r.table, head[i]);
  row(&r, "clock", "one core", d->machine.clock_hz, "Hz", NULL);
  report_peaks(&r, &d->machine);
  report_memory(&r, &d->machine);
  report_levels(&r, d);
  printf("%s on %s, %s, %d thread%s\n", d->machine.cpu, d->machine.host, d->machine.date, d->machine.threads,
         d->machine.threads == 1 ? "" : "s");
  table_print(&r.table, stdout, "  ");
  table_free(&r.table);
  if (*d->machine.note) printf("note: %s\n", d->machine.note);
}

int door_measure(int argc, char **argv) {
  struct args a;
  struct err e;
  if (!args_read(&a, argc, argv, TAKES(OPTION_FRESH) | TAKES(OPTION_QUICK) | TAKES(OPTION_JSON), &e)) return door_refuse(&e, 2);
  if (a.nword > 0) return door_refuse_text("measure takes no words, only options", 2);
  struct world *w = world_open();
  if (!w) return 1;
  struct device *here = &w->device[DEVICE_HERE];
  struct measuring *m = calloc(1, sizeof *m);
  if (!m) abort();
  *m = (struct measuring){.here = here, .json = a.value[OPTION_JSON] != NULL, .live = isatty(STDERR_FILENO)};
  int code = 0;
  bool kept = true;
  /* What is kept is shown, unless it is to be measured anew; a listener for lines gets them, so it always measures. */
  if (!here->machine.measured || a.value[OPTION_FRESH] || m->json) {
    struct bench_options o = {.quick = a.value[OPTION_QUICK] != NULL, .seed = 1, .machine = w->machine};
    struct device *fresh = calloc(1, sizeof *fresh);
    if (!fresh) abort();
    device_clear(fresh);
    snprintf(fresh->id, sizeof fresh->id, "here");
    snprintf(fresh->name, sizeof fresh->name, "this machine"); /* a file without a name is refused when it is read back */
    fresh->family = FAMILY_CPU;
    fresh->is_host = true;
    m->here = fresh;
    measuring_start();
    int lock = measuring_lock(take_line, m);
    code = probe_run(&o, take_line, m);
    os_unlock(lock);
    if (m->live && !m->json) fprintf(stderr, "\r%-70s\r", "");
    if (code == 0) {
      *here = *fresh;
      kept = machine_save(w, &e);
      if (!kept) fprintf(stderr, "ridge: measured, but not kept: %s\n", e.text);
    }
    free(fresh);
  }
  bool json = m->json;
  if (!json && code == 0) print_human(m, here);
  free(m);
  free(w);
  /* Whoever reads lines has them; whoever wanted the machine kept must hear that it is not. */
  return emit_close() != 0 || (!kept && !json) ? 1 : code;
}
