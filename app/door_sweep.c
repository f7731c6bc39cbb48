/* door_sweep: facts of one scene against one knob. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/args.h"
#include "app/emit.h"
#include "app/visit.h"
#include "tui/number.h"

enum { SWEEP_MAX = 100000, LINEAR_POINTS = 11 };

struct sweep {
  int knob;
  double from, to;
  int count; /* 0: as many as the knob's kind gives */
  double *point;
  int n;
};

/* Where ".." stands that divides FROM from TO: "1..64", "0.5..2". NULL: the word is no sweep. */
static const char *range_dots(const char *word) {
  const char *equals = strchr(word, '='), *dots = equals ? strstr(equals, "..") : NULL;
  return dots && dots > equals + 1 && dots[2] && dots[2] != '/' && equals[1] != '.' && equals[1] != '/' ? dots : NULL;
}

/* Words may hold dots too: they are no range. */
static bool is_sweep(const char *word) {
  const char *value;
  struct err e;
  if (!range_dots(word)) return false;
  int knob = setup_key(word, &value, &e);
  return knob < 0 || knob_table[knob].kind != KNOB_TEXT;
}

static bool sweep_read(struct world *w, const char *word, struct sweep *s, struct err *e) {
  const char *value, *dots = range_dots(word);
  char from[128], to[128];
  s->knob = setup_key(word, &value, e);
  if (s->knob < 0) return false;
  snprintf(from, sizeof from, "%.*s", (int)(dots - value), value);
  snprintf(to, sizeof to, "%s", dots + 2);
  char *colon = strrchr(to, ':'), *end;
  if (colon) {
    long count = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || count < 1 || count > SWEEP_MAX)
      return err_say(e, "%s: expected a whole COUNT from 1 to %d, found %s", knob_table[s->knob].key, SWEEP_MAX, colon + 1);
    s->count = (int)count;
    *colon = 0;
  }
  if (!setup_read(w, s->knob, from, &s->from, e) || !setup_read(w, s->knob, to, &s->to, e)) return false;
  if (isnan(s->from) || isnan(s->to)) return err_say(e, "%s: auto is no end of a sweep", knob_table[s->knob].key);
  return true;
}

static void sweep_add(struct sweep *s, double v) {
  if (knob_table[s->knob].whole) v = round(v);
  if (s->n > 0 && s->point[s->n - 1] == v) return; /* whole knobs: close points fall together */
  s->point[s->n++] = v;
}

/* Log knobs: FROM, doubled until TO, and TO itself; linear ones 11 points; choices and switches every one between. COUNT: so many, evenly
 * on the knob's own scale. Either end may be the greater. */
static void sweep_points(struct sweep *s) {
  enum knob_kind kind = knob_table[s->knob].kind;
  double from = s->from, to = s->to, direction = to < from ? -1 : 1;
  s->point = calloc(SWEEP_MAX + 1, sizeof *s->point);
  if (!s->point) abort();
  bool log = kind == KNOB_LOG2 && from > 0 && to > 0, list = kind == KNOB_CHOICE || kind == KNOB_SWITCH;
  if (list && !s->count) {
    for (double v = from; v * direction <= to * direction; v += direction) sweep_add(s, v);
  } else if (log && !s->count) {
    for (int i = 0; i < SWEEP_MAX - 1; i++) {
      double v = ldexp(from, (int)direction * i);
      if (v * direction >= to * direction) break;
      sweep_add(s, v);
    }
    sweep_add(s, to);
  } else {
    int n = s->count ? s->count : LINEAR_POINTS;
    for (int i = 0; i < n; i++) {
      double t = n > 1 ? (double)i / (n - 1) : 0;
      sweep_add(s, i == n - 1 && n > 1 ? to : i == 0 ? from : log ? from * pow(to / from, t) : from + (to - from) * t);
    }
  }
}

/* Which facts stand in the columns: those named, else all (for people: those of the first screen). A fact with the swept knob's own name is
 * left out: its column is there already, and one name means one thing. */
struct columns {
  const char *name[FACT_MAX], *unit[FACT_MAX];
  int n;
};

static const char *fact_name(int i, const void *arg) { return ((const struct frame_data *)arg)->fact[i].name; }

static bool columns_read(const struct visit *v, const struct sweep *s, const char *const *wanted, int n, bool human, struct columns *c,
                         struct err *e) {
  const char *key = knob_table[s->knob].key;
  c->n = 0;
  for (int i = 0; i < n; i++) {
    const struct fact *f = fact_find(v->data.fact, v->data.nfact, wanted[i]);
    if (!f) {
      char near[256];
      nearest_names(wanted[i], fact_name, v->data.nfact, &v->data, near, sizeof near);
      return err_say(e, "%s has no fact %s%s%s%s", v->scene->name, wanted[i], *near ? ": did you mean " : "; see ridge facts ",
                     *near ? near : v->scene->name, *near ? "?" : "");
    }
    if (strcmp(f->name, key) == 0) continue;
    if (c->n == FACT_MAX) return err_say(e, "too many facts: at most %d", FACT_MAX);
    c->name[c->n] = f->name;
    c->unit[c->n++] = f->unit;
  }
  for (int i = 0; n == 0 && i < v->data.nfact; i++) {
    const struct fact *f = &v->data.fact[i];
    if (strcmp(f->name, key) == 0 || (human && (!f->label || f->detail > 1))) continue;
    c->name[c->n] = f->name;
    c->unit[c->n++] = f->unit;
  }
  return true;
}

static void point_compute(struct visit *v, const struct sweep *s, int i) {
  v->person.v[s->knob] = s->point[i];
  v->person.set[s->knob] = true;
  visit_compute(v);
}

/* A fact that has gone missing at one point is unknown there. */
static struct fact column_fact(const struct visit *v, const struct columns *c, int i) {
  const struct fact *f = fact_find(v->data.fact, v->data.nfact, c->name[i]);
  return f ? *f : (struct fact){.name = c->name[i], .unit = c->unit[i], .value = NAN};
}

/* The swept knob as a fact: a word where it is a choice. */
static struct fact point_fact(const struct visit *v, const struct sweep *s, int i, char *word, int size) {
  const struct knob *k = &knob_table[s->knob];
  struct fact f = {.name = k->key, .unit = k->unit, .value = s->point[i]};
  if (k->kind == KNOB_CHOICE || k->kind == KNOB_SWITCH) {
    setup_value(v->world, s->knob, s->point[i], word, size);
    f.word = word;
  }
  return f;
}

static void print_json(struct visit *v, const struct sweep *s, const struct columns *c) {
  char word[DEVICE_ID_MAX];
  struct json_out o;
  json_out_start(&o, 1, 3);
  json_out_object(&o, NULL);
  json_out_string(&o, "scene", v->scene->name);
  emit_knobs(&o, v->world, v->scene, &v->data.setup, s->knob);
  json_out_string(&o, "sweep", knob_table[s->knob].key);
  json_out_array(&o, "rows");
  for (int p = 0; p < s->n; p++) {
    point_compute(v, s, p);
    struct fact f = point_fact(v, s, p, word, sizeof word);
    json_out_object(&o, NULL);
    emit_fact(&o, f.name, &f);
    for (int i = 0; i < c->n; i++) {
      f = column_fact(v, c, i);
      emit_fact(&o, f.name, &f);
    }
    json_out_end(&o);
  }
  json_out_end(&o);
  json_out_end(&o);
  emit_json(&o);
}

static void print_csv(struct visit *v, const struct sweep *s, const struct columns *c) {
  char word[DEVICE_ID_MAX];
  printf("# ");
  emit_field(stdout, number_si(knob_table[s->knob].unit));
  for (int i = 0; i < c->n; i++) {
    putchar(',');
    emit_field(stdout, c->unit[i] ? number_si(c->unit[i]) : "");
  }
  printf("\n%s", knob_table[s->knob].key);
  for (int i = 0; i < c->n; i++) {
    putchar(',');
    emit_field(stdout, c->name[i]);
  }
  putchar('\n');
  for (int p = 0; p < s->n; p++) {
    point_compute(v, s, p);
    struct fact f = point_fact(v, s, p, word, sizeof word);
    emit_field_fact(stdout, &f);
    for (int i = 0; i < c->n; i++) {
      f = column_fact(v, c, i);
      putchar(',');
      emit_field_fact(stdout, &f);
    }
    putchar('\n');
  }
}

static void print_human(struct visit *v, const struct sweep *s, const struct columns *c) {
  char word[DEVICE_ID_MAX], number[NUMBER_MAX];
  struct table t = {.columns = 1 + c->n, .right = ~0u};
  table_cell(&t, knob_table[s->knob].key);
  for (int i = 0; i < c->n; i++) table_cell(&t, c->name[i]);
  for (int p = 0; p < s->n; p++) {
    point_compute(v, s, p);
    struct fact f = point_fact(v, s, p, word, sizeof word);
    table_cell(&t, f.word ? f.word : number_key(number, f.value));
    for (int i = 0; i < c->n; i++) {
      f = column_fact(v, c, i);
      table_fact(&t, &f, 4);
    }
  }
  table_print(&t, stdout, "");
  table_free(&t);
}

/* Sorts the words: the scene and the key=value ones stay, the range and the fact names are taken out. */
static bool words_sort(const struct args *a, const char **keep, int *nkeep, const char **fact, int *nfact, const char **range,
                       struct err *e) {
  *nkeep = *nfact = 0;
  *range = NULL;
  for (int i = 0; i < a->nword; i++) {
    if (is_sweep(a->word[i])) {
      if (*range) return err_say(e, "one knob is swept at a time: %s or %s", *range, a->word[i]);
      *range = a->word[i];
    } else if (i > 0 && !strchr(a->word[i], '=')) {
      fact[(*nfact)++] = a->word[i];
    } else {
      keep[(*nkeep)++] = a->word[i];
    }
  }
  if (!*range) return err_say(e, "sweep needs a range: ridge sweep %s key=FROM..TO", *nkeep ? keep[0] : "SCENE");
  size_t key = strcspn(*range, "=") + 1; /* one knob cannot be swept and stand still */
  for (int i = 0; i < *nkeep; i++)
    if (strncmp(keep[i], *range, key) == 0) return err_say(e, "%.*s is swept and set at once: %s or %s", (int)key - 1, *range, *range, keep[i]);
  return true;
}

int door_sweep(int argc, char **argv) {
  struct args a;
  struct visit v;
  struct err e;
  struct sweep s = {0};
  struct columns c;
  const char *keep[ARGS_WORD_MAX], *fact[ARGS_WORD_MAX], *range;
  int nkeep, nfact;
  if (!args_read(&a, argc, argv, TAKES(OPTION_JSON) | TAKES(OPTION_CSV) | TAKES(OPTION_LINES), &e)) return door_refuse(&e, 2);
  if (a.value[OPTION_JSON] && a.value[OPTION_CSV]) return door_refuse_text("--json or --csv, not both", 2);
  if (!words_sort(&a, keep, &nkeep, fact, &nfact, &range, &e)) return door_refuse(&e, 2);
  int code = visit_open(&v, keep, nkeep, "sweep");
  if (!code) code = visit_lines(&v, a.value[OPTION_LINES]);
  if (code) return code;
  bool json = a.value[OPTION_JSON], csv = a.value[OPTION_CSV];
  if (sweep_read(v.world, range, &s, &e)) {
    sweep_points(&s);
    point_compute(&v, &s, 0);
    if (columns_read(&v, &s, fact, nfact, !json && !csv, &c, &e)) {
      visit_notes(&v);
      if (json)
        print_json(&v, &s, &c);
      else if (csv)
        print_csv(&v, &s, &c);
      else
        print_human(&v, &s, &c);
      code = emit_close();
    } else {
      code = door_refuse(&e, 2);
    }
  } else {
    code = door_refuse(&e, 2);
  }
  free(s.point);
  visit_close(&v);
  return code;
}
