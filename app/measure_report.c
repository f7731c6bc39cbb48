#include "app/measure_report.h"

#include <math.h>
#include <string.h>

#include "app/emit.h"
#include "model/knee.h"
#include "model/ladder.h"
#include "tui/number.h"

/* How a figure is called by people; in this order they are printed, others that a file may hold after them by their own names. */
static const struct say {
  const char *name, *what, *of, *unit;
} say_table[] = {
    {"clock", "clock", "one core", "Hz"},
    {"peak", "arithmetic", "", "flop/s"},
    {"burst", "arithmetic", "in its first moments", "flop/s"},
    {"sustained", "arithmetic", "after some seconds", "flop/s"},
    {"read", "memory", "read", "byte/s"},
    {"copy", "memory", "copy, with the lines its stores fetch", "byte/s"},
    {"copy_nt", "memory", "copy, stores around the caches", "byte/s"},
    {"triad", "memory", "triad, with the lines its stores fetch", "byte/s"},
    {"triad_nt", "memory", "triad, stores around the caches", "byte/s"},
    {"level_rate", "level rate", "", "byte/s"},
    {"level_latency", "level latency", "", "s"},
};
enum { SAYS = sizeof say_table / sizeof *say_table };

static void level_print(char *out, int size, const struct device *d, int level) {
  const struct level *l = &d->level[level];
  char byte[NUMBER_MAX];
  if (level >= d->nlevel) {
    snprintf(out, (size_t)size, "level %d", level);
    return;
  }
  number_print(byte, l->byte.value, "iB", 3, false);
  if (isnan(l->byte.value))
    snprintf(out, (size_t)size, "%s: size unknown", l->name);
  else if (l->count > 1)
    snprintf(out, (size_t)size, "%s: %d of %s (%s)", l->name, l->count, byte, l->byte_from);
  else
    snprintf(out, (size_t)size, "%s: %s (%s)", l->name, byte, l->byte_from);
}

static void row(struct table *table, const struct device *d, const struct trust *t, const struct say *s) {
  char of[160], text[NUMBER_MAX], flags[160] = "";
  int used = 0;
  if (!strcmp(t->name, "peak"))
    used = snprintf(of, sizeof of, "%s %s", t->isa == ISA_AUTO ? "widest" : isa_name(t->isa), dtype_name(t->dtype));
  else if (t->level >= 0)
    level_print(of, sizeof of, d, t->level), used = (int)strlen(of);
  else
    used = snprintf(of, sizeof of, "%s", s ? s->of : t->name);
  if (strcmp(t->name, "clock") && strcmp(t->name, "level_latency") && used < (int)sizeof of)
    snprintf(of + used, sizeof of - (size_t)used, ", %d thread%s", t->threads, t->threads == 1 ? "" : "s");
  for (int i = 0, n = 0; i < FLAG_COUNT; i++)
    if (t->flags & 1u << i) n += snprintf(flags + n, sizeof flags - (size_t)n, "%s%s", n ? ", " : "", flag_name(1u << i));
  table_cell(table, s ? s->what : "other");
  table_cell(table, of);
  table_cell(table, number_print(text, t->value, s ? s->unit : "n", 3, false));
  table_cell(table, number_print(text, t->samples, "n", 4, false));
  table_cell(table, isnan(t->spread) ? "" : number_print(text, t->spread, "%", 2, false));
  table_cell(table, t->thorough ? "thorough" : "quick");
  table_cell(table, flags);
}

static const struct say *say_find(const char *name) {
  for (int i = 0; i < SAYS; i++)
    if (!strcmp(say_table[i].name, name)) return &say_table[i];
  return NULL;
}

/* The staircase in one row a plateau: what it reads at, where it ends, and what the system says of that. */
static void stair_report(FILE *f, const struct device *here) {
  const struct machine *m = &here->machine;
  struct table table = {.columns = 5, .right = 1u << 1 | 1u << 2 | 1u << 3};
  static const char *const head[] = {"plateau", "reads at", "ends at", "declared", "which is"};
  if (m->nplateau == 0) return;
  for (int i = 0; i < table.columns; i++) table_cell(&table, head[i]);
  for (int i = 0; i < m->nplateau; i++) {
    const struct plateau *p = &m->plateau[i];
    char text[NUMBER_MAX], name[48];
    bool level = p->level >= 0 && p->level < here->nlevel;
    snprintf(name, sizeof name, "%d%s%s%s", i + 1, level ? p->agrees ? ", " : ", the " : "", level ? here->level[p->level].name : "",
             level && !p->agrees ? "'s part" : "");
    table_cell(&table, name);
    table_cell(&table, number_print(text, p->value, "byte/s", 3, false));
    table_cell(&table, number_print(text, p->knee, "iB", 3, false));
    table_cell(&table, number_print(text, level ? ladder_byte(here, p->level) : NAN, "iB", 3, false));
    table_cell(&table, level ? knee_words(here, p->level) : "declared by nobody");
  }
  fprintf(f, "staircase of %d sizes read by all threads, %d by one, %d latencies\n", m->stair[STAIR_TEAM].n, m->stair[STAIR_ONE].n,
          m->stair[STAIR_LATENCY].n);
  table_print(&table, f, "  ");
  table_free(&table);
}

void measure_report(FILE *f, const struct device *here) {
  const struct machine *m = &here->machine;
  struct table table = {.columns = 7, .right = 1u << 2 | 1u << 3 | 1u << 4};
  static const char *const head[] = {"what", "of", "best", "n", "spread", "pass", "flags"};
  for (int i = 0; i < table.columns; i++) table_cell(&table, head[i]);
  for (int s = 0; s <= SAYS; s++)
    for (int i = 0; i < m->ntrust; i++)
      if (s < SAYS ? !strcmp(m->trust[i].name, say_table[s].name) : !say_find(m->trust[i].name))
        row(&table, here, &m->trust[i], s < SAYS ? &say_table[s] : NULL);
  fprintf(f, "%s on %s, %s, %d thread%s, CPUs %s\n", m->cpu, m->host, m->date, m->threads, m->threads == 1 ? "" : "s",
          *m->mask ? m->mask : "unknown");
  table_print(&table, f, "  ");
  table_free(&table);
  stair_report(f, here);
  if (*m->note) fprintf(f, "note: %s\n", m->note);
}
