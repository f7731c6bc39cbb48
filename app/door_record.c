/* door_record: a benchmark's record read, filled up, held to account and written. From a file, from knobs, or from what was measured here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"
#include "app/visit.h"
#include "data/benchmark_file.h"
#include "scenes/lab_record.h"
#include "tui/number.h"

enum { WRAP = 78 };

static void record_json(const struct benchmark *b) {
  struct json_out o;
  json_out_start(&o, 2, 2);
  benchmark_write(&o, b);
  emit_json(&o);
}

static void print_fields(const struct benchmark *b) {
  struct table t = {.columns = 4};
  for (int i = 0; i < FIELD_N; i++) {
    enum benchmark_field f = (enum benchmark_field)i;
    table_cell(&t, field_name(f));
    table_cell(&t, told_name(field_told(b, f)));
    table_cell(&t, field_lacks(b, f));
    table_cell(&t, field_told(b, f) == TOLD_ALL ? "" : field_why(f));
  }
  puts("\nwhat a reader needs");
  table_print(&t, stdout, "  ");
  table_free(&t);
}

static void print_checks(const struct lab_record *r) {
  struct table t = {.columns = 5, .right = 1u << 2 | 1u << 3};
  for (int i = 0; i < CHECK_N; i++) {
    enum benchmark_check c = (enum benchmark_check)i;
    struct checked k = check_of(&r->record, &r->account, r->capacity_byte, r->tdp_w, c);
    char number[NUMBER_MAX];
    table_cell(&t, check_name(c));
    table_cell(&t, finding_name(k.finding));
    table_cell(&t, number_print(number, k.value, k.unit, 3, false));
    table_cell(&t, number_print(number, k.limit, k.unit, 3, false));
    table_cell(&t, check_words(c, k.finding));
  }
  printf("\ncan it be true? on %s%s\n", r->device->name, r->device->illustrative ? ", illustrative" : "");
  table_print(&t, stdout, "  ");
  table_free(&t);
}

/* The first facts of the view now computed. */
static void print_facts(const struct visit *v, const char *title) {
  struct table t = {.columns = 2, .right = 1u << 1};
  for (int i = 0; i < v->data.nfact; i++) {
    const struct fact *f = &v->data.fact[i];
    if (!f->label || f->detail > 1) continue;
    table_cell(&t, f->label);
    table_fact(&t, f, 3);
  }
  puts(title);
  table_print(&t, stdout, "  ");
  table_free(&t);
}

static void print_words(const char *s) {
  int start[32], length[32], n = text_wrap(s, WRAP, 32, start, length);
  putchar('\n');
  for (int i = 0; i < n && i < 32; i++) printf("%.*s\n", length[i], s + start[i]);
}

static void print_human(struct visit *v, const struct lab_record *r) {
  record_json(&r->record);
  print_fields(&r->record);
  print_checks(r);
  print_words(v->data.verdict.s);
  v->person.v[KNOB_VIEW] = VIEW_COST;
  visit_compute(v);
  print_facts(v, "\nwhat a million tokens cost");
  print_words(v->data.verdict.s);
}

int door_record(int argc, char **argv) {
  struct args a;
  struct visit v;
  struct err e;
  char named[600];
  const char *word[ARGS_WORD_MAX + 2] = {"lab", "view=record"};
  int n = 2;
  if (!args_read(&a, argc, argv, TAKES(OPTION_JSON) | TAKES(OPTION_LINES), &e)) return door_refuse(&e, 2);
  for (int i = 0; i < a.nword; i++) {
    word[n++] = a.word[i];
    if (strchr(a.word[i], '=')) continue;
    if (i > 0) return door_refuse_text("record takes one file, and it comes first: ridge record FILE key=value …", 2);
    snprintf(named, sizeof named, "record=%s", a.word[i]);
    word[n - 1] = named;
  }
  int code = visit_open(&v, word, n, "record");
  if (!code) code = visit_lines(&v, a.value[OPTION_LINES]);
  if (code) return code;
  if ((int)v.person.v[KNOB_VIEW] != VIEW_RECORD) {
    visit_close(&v);
    return door_refuse_text("record has no views: ridge print lab view=… shows them", 2);
  }
  struct lab_record r;
  visit_compute(&v);
  lab_record_of(v.world, &v.data.setup, &r);
  if (r.origin == ORIGIN_HERE && !r.measured)
    fputs("ridge: note: no decode step was measured here: ridge bench weights …, then --lines\n", stderr);
  if (a.value[OPTION_JSON])
    record_json(&r.record);
  else
    print_human(&v, &r);
  visit_close(&v);
  return emit_close();
}
