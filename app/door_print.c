/* door_print: one scene's numbers without a terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"
#include "app/runs.h"
#include "app/visit.h"
#include "scenes/why_words.h"
#include "tui/number.h"

enum { WRAP = 78, ROW_MAX = 200 };

/* A sentence in lines of at most WRAP columns. */
static void print_wrapped(const char *s) {
  int start[32], length[32], n = text_wrap(s, WRAP, 32, start, length);
  for (int i = 0; i < n && i < 32; i++) printf("%.*s\n", length[i], s + start[i]);
}

/* Whose figures these are, or nothing for a scene without devices. */
static void print_source(const struct visit *v) {
  bool device = false, model = false;
  for (int i = 0; i < v->scene->nknobs; i++) {
    bool applies = !v->scene->applies || v->scene->applies(&v->data.setup, v->scene->knobs[i]);
    device |= applies && v->scene->knobs[i] == KNOB_DEVICE;
    model |= applies && v->scene->knobs[i] == KNOB_MODEL;
  }
  if (device) {
    const struct device *d = &v->world->device[(int)v->data.setup.v[KNOB_DEVICE]];
    const char *kind = d->illustrative                       ? "illustrative round figures"
                       : d == &v->world->device[DEVICE_HERE] ? (d->machine.measured ? "measured here" : "not measured yet: ridge measure")
                                                             : source_name((enum source)d->memory_byte_per_s.source);
    printf("device  %s (%s)\n", d->name, kind);
    if (d->ncite > 0 && *d->cite[0].text) printf("source  %s%s%s\n", d->cite[0].text, *d->cite[0].date ? ", " : "", d->cite[0].date);
  }
  const struct model *m = &v->world->model[(int)v->data.setup.v[KNOB_MODEL]];
  if (model && v->world->nmodel > 0 && !v->data.setup.set[KNOB_PARAMS]) {
    printf("model   %s%s\n", m->name, m->illustrative ? " (illustrative)" : "");
    if (strchr(m->id, '/')) printf("        %s\n", m->source); /* a person's own file: nobody else can say */
    if (strchr(m->id, '/') && m->notes[0]) printf("        %s\n", m->notes);
  }
}

static void print_knobs(const struct visit *v) {
  struct table t = {.columns = 3, .right = 1u << 1};
  for (int i = 0; i < v->scene->nknobs; i++) {
    int knob = v->scene->knobs[i];
    const struct knob *k = &knob_table[knob];
    if (k->hidden || (v->scene->applies && !v->scene->applies(&v->data.setup, knob))) continue;
    char value[DEVICE_ID_MAX], number[NUMBER_MAX];
    double x = v->data.setup.v[knob];
    bool typed = k->kind == KNOB_CHOICE || k->kind == KNOB_SWITCH || k->kind == KNOB_TEXT || strcmp(k->unit, "n") == 0 || isnan(x);
    setup_typed(v->world, &v->data.setup, knob, value, sizeof value);
    table_cell(&t, k->key);
    table_cell(&t, typed ? value : number_print(number, x, k->unit, 4, false));
    table_cell(&t, v->person.set[knob] ? "set" : "");
  }
  if (t.ncell) puts("\nknobs");
  table_print(&t, stdout, "  ");
  table_free(&t);
}

static void print_facts(const struct visit *v) {
  struct table t = {.columns = 5, .right = 1u << 2};
  for (int i = 0; i < v->data.nfact; i++) {
    const struct fact *f = &v->data.fact[i];
    char value[NUMBER_MAX] = "", unit[NUMBER_MAX] = "";
    if (!f->word) number_split(f->value, f->unit, 4, false, value, unit);
    table_cell(&t, f->label ? f->label : "");
    table_cell(&t, f->name);
    table_cell(&t, f->word ? "" : value);
    table_cell(&t, f->word ? f->word : unit);
    char formula[256] = "";
    if (f->formula) snprintf(formula, sizeof formula, "= %s", f->formula);
    table_cell(&t, formula);
  }
  puts("\nfacts");
  table_print(&t, stdout, "  ");
  table_free(&t);
}

static void print_rows(const struct visit *v, const char *title, const char *indent) {
  if (!v->scene->rows) return;
  struct table t = {0};
  struct fact row[FACT_MAX];
  int n = v->scene->rows(v->world, &v->data.setup, 0, row);
  t.columns = n;
  for (int i = 0; i < n; i++) {
    table_cell(&t, row[i].label ? row[i].label : row[i].name);
    if (!row[i].word && i < 32) t.right |= 1u << i;
  }
  for (int r = 0; r < ROW_MAX && n > 0; r++) {
    if (v->scene->rows(v->world, &v->data.setup, r, row) != n) break;
    for (int i = 0; i < n; i++) table_fact(&t, &row[i], 4);
  }
  if (n > 0 && *title) puts(title);
  table_print(&t, stdout, indent);
  table_free(&t);
}

/* Whether reasons were asked for and the scene has a point to give them for. */
static int why_found(const struct visit *v, struct why_input *in, struct why list[WHY_MAX]) {
  if (!(v->data.setup.v[KNOB_WHY] > 0.5) || !frame_why(v->world, v->scene, &v->data.setup, in)) return -1;
  return why_list(in, list);
}

static void print_why(const struct visit *v) {
  struct why_input in;
  struct why list[WHY_MAX];
  struct text t;
  int n = why_found(v, &in, list);
  if (n < 0) return;
  struct table out = {.columns = 4, .right = 1u << 2};
  text_clear(&t);
  why_head(&in, &t);
  printf("\nwhy\n  %s\n", t.s);
  for (int i = 0; i < n; i++) {
    char share[NUMBER_MAX] = "";
    text_clear(&t);
    why_say(&in, &list[i], &t);
    table_cell(&out, why_title(list[i].check));
    table_cell(&out, why_verdict_name(list[i].verdict));
    table_cell(&out, isnan(list[i].share) ? share : number_print(share, list[i].share, "%", 3, false));
    table_cell(&out, t.s);
  }
  table_print(&out, stdout, "  ");
  table_free(&out);
}

static void json_why(const struct visit *v, struct json_out *o) {
  struct why_input in;
  struct why list[WHY_MAX];
  int n = why_found(v, &in, list);
  if (n < 0) return;
  json_out_array(o, "why");
  for (int i = 0; i < n; i++) {
    struct text t;
    text_clear(&t);
    why_say(&in, &list[i], &t);
    json_out_object(o, NULL);
    json_out_string(o, "check", why_title(list[i].check));
    json_out_string(o, "explains", why_verdict_name(list[i].verdict));
    json_out_number(o, "share", list[i].share);
    json_out_number(o, "s", list[i].s);
    json_out_string(o, "words", t.s);
    json_out_end(o);
  }
  json_out_end(o);
}

static void print_human(const struct visit *v) {
  printf("%s %s: %s\n", v->scene->address, v->scene->name, v->scene->question);
  print_source(v);
  print_knobs(v);
  print_facts(v);
  print_rows(v, "\ntable", "  ");
  runs_print(v);
  print_why(v);
  putchar('\n');
  print_wrapped(v->data.verdict.s);
}

static void print_json(const struct visit *v) {
  struct json_out o;
  json_out_start(&o, 1, 3);
  json_out_object(&o, NULL);
  json_out_string(&o, "scene", v->scene->name);
  json_out_string(&o, "question", v->scene->question);
  emit_knobs(&o, v->world, v->scene, &v->data.setup, -1);
  json_out_array(&o, "facts");
  for (int i = 0; i < v->data.nfact; i++) {
    const struct fact *f = &v->data.fact[i];
    json_out_object(&o, NULL);
    json_out_string(&o, "name", f->name);
    json_out_number(&o, "value", f->word ? NAN : f->value);
    json_out_string(&o, "unit", number_si(f->unit));
    emit_word(&o, "word", f->word);
    emit_word(&o, "formula", f->formula);
    json_out_end(&o);
  }
  json_out_end(&o);
  json_out_array(&o, "rows");
  struct fact row[FACT_MAX];
  for (int r = 0; r < ROW_MAX && v->scene->rows; r++) {
    int n = v->scene->rows(v->world, &v->data.setup, r, row);
    if (n <= 0) break;
    json_out_object(&o, NULL);
    for (int i = 0; i < n; i++) emit_fact(&o, row[i].name, &row[i]);
    json_out_end(&o);
  }
  json_out_end(&o);
  runs_json(v, &o);
  json_why(v, &o);
  json_out_string(&o, "verdict", v->data.verdict.s);
  json_out_end(&o);
  emit_json(&o);
}

/* The table alone: aligned, or as comma-separated values with its columns named as in JSON. */
static int print_table(const struct visit *v, bool csv) {
  struct fact row[FACT_MAX];
  int n = v->scene->rows ? v->scene->rows(v->world, &v->data.setup, 0, row) : 0, r = 0;
  if (n <= 0) return door_refuse_text(v->scene->rows ? "the table of this scene is empty as it stands" : "this scene has no table", 1);
  if (!csv) {
    print_rows(v, "", "");
    return 0;
  }
  do emit_row(stdout, row, n, r == 0);
  while (++r < ROW_MAX && v->scene->rows(v->world, &v->data.setup, r, row) == n);
  return 0;
}

int door_print(int argc, char **argv) {
  struct args a;
  struct visit v;
  struct err e;
  if (!args_read(&a, argc, argv, TAKES(OPTION_JSON) | TAKES(OPTION_CSV) | TAKES(OPTION_TABLE) | TAKES(OPTION_LINES), &e))
    return door_refuse(&e, 2);
  if (a.value[OPTION_JSON] && a.value[OPTION_CSV]) return door_refuse_text("--json or --csv, not both", 2);
  if (a.value[OPTION_JSON] && a.value[OPTION_TABLE]) return door_refuse_text("--json holds facts and table both: leave --table out", 2);
  int code = visit_open(&v, a.word, a.nword, "print");
  if (!code) code = visit_lines(&v, a.value[OPTION_LINES]);
  if (code) return code;
  visit_compute(&v);
  visit_notes(&v);
  if (a.value[OPTION_JSON])
    print_json(&v);
  else if (a.value[OPTION_TABLE])
    code = print_table(&v, a.value[OPTION_CSV] != NULL);
  else if (a.value[OPTION_CSV])
    emit_facts(stdout, v.data.fact, v.data.nfact);
  else
    print_human(&v);
  visit_close(&v);
  int closed = emit_close();
  return code ? code : closed;
}
