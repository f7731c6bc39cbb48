/* door_measure: this machine's own roofs, measured and kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"
#include "app/measure_report.h"
#include "app/measuring.h"
#include "app/visit.h"
#include "kernels/bench.h"

struct measuring {
  struct device *here;
  bool json, live; /* live: a person watches stderr */
};

static bool take_line(const struct line *l, void *arg) {
  struct measuring *m = arg;
  if (l->kind == LINE_FIGURE) line_apply(l, m->here);
  if (m->json) return line_write(stdout, l);
  if (l->kind == LINE_REFUSED) fprintf(stderr, "ridge: %s\n", l->reason);
  if (l->kind != LINE_PROGRESS) return true;
  if (m->live)
    fprintf(stderr, "\r%3.0f %%  %-60s", 100 * l->done / l->total, l->reason);
  else if (strncmp(l->reason, "waiting", strlen("waiting")) == 0 && l->done < 0.5)
    fprintf(stderr, "ridge: %s\n", l->reason); /* a log should know why nothing happens */
  return true;
}

static const char *part_name_at(int i, const void *arg) {
  (void)arg;
  return probe_part_name(i);
}

static bool options_read(const struct args *a, struct bench_options *o, struct err *e) {
  const char *part = a->value[OPTION_PART];
  char near[120];
  *o = (struct bench_options){.seed = 1, .thorough = a->value[OPTION_THOROUGH] != NULL};
  if (a->value[OPTION_QUICK] && o->thorough) return err_say(e, "quick or thorough, not both");
  if (!part) return true;
  for (int i = 0; i < PROBE_PARTS; i++)
    if (strcmp(part, probe_part_name(i)) == 0) o->parts = 1u << i;
  if (o->parts) return true;
  nearest_names(part, part_name_at, PROBE_PARTS, NULL, near, sizeof near);
  return err_say(e, "unknown part %.40s; %s%s%s", part,
                 *near ? "did you mean " : "there is arithmetic, memory, levels, staircase, sustained", near, *near ? "?" : "");
}

/* Measures into the world's `here`. A part alone leaves the rest of what is known as it was. Returns the exit code. */
static int measure(struct measuring *m, struct world *w, const struct bench_options *o) {
  struct device *here = &w->device[DEVICE_HERE], *fresh = calloc(1, sizeof *fresh);
  if (!fresh) abort();
  if (o->parts && here->machine.measured) {
    *fresh = *here;
  } else {
    device_clear(fresh);
    snprintf(fresh->id, sizeof fresh->id, "here");
    snprintf(fresh->name, sizeof fresh->name, "this machine"); /* a file without a name is refused when it is read back */
    fresh->family = FAMILY_CPU;
    fresh->is_host = true;
  }
  m->here = fresh;
  measuring_start();
  int lock = measuring_lock(take_line, m), code = probe_run(o, take_line, m);
  os_unlock(lock);
  if (m->live && !m->json) fprintf(stderr, "\r%-70s\r", "");
  if (code == 0) *here = *fresh;
  free(fresh);
  return code;
}

int door_measure(int argc, char **argv) {
  struct args a;
  struct err e;
  struct bench_options o;
  unsigned takes = TAKES(OPTION_FRESH) | TAKES(OPTION_QUICK) | TAKES(OPTION_THOROUGH) | TAKES(OPTION_PART) | TAKES(OPTION_SYSTEM);
  if (!args_read(&a, argc, argv, takes | TAKES(OPTION_JSON), &e)) return door_refuse(&e, 2);
  if (a.nword > 0) return door_refuse_text("measure takes no words, only options", 2);
  if (!options_read(&a, &o, &e)) return door_refuse(&e, 2);
  struct world *w = world_open();
  if (!w) return 1;
  struct measuring m = {.json = a.value[OPTION_JSON] != NULL, .live = isatty(STDERR_FILENO)};
  bool all = a.value[OPTION_SYSTEM] != NULL, kept = true;
  int code = 0;
  o.machine = w->machine;
  /* What is kept is shown, unless it is to be measured anew; a listener for lines gets them, so it always measures. */
  if (!w->device[DEVICE_HERE].machine.measured || a.value[OPTION_FRESH] || o.thorough || o.parts || all || m.json) {
    code = measure(&m, w, &o);
    if (code == 0) kept = all ? machine_save_system(w, &e) : machine_save(w, &e);
    if (!kept) fprintf(stderr, "ridge: measured, but not kept: %s\n", e.text);
  }
  if (!m.json && code == 0) measure_report(stdout, &w->device[DEVICE_HERE]);
  free(w);
  /* Whoever reads lines has them; whoever wanted the machine kept must hear that it is not. */
  return emit_close() != 0 || (!kept && (!m.json || all)) ? 1 : code;
}
