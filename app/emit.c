#include "app/emit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "tui/canvas.h"
#include "tui/number.h"

void emit_word(struct json_out *o, const char *key, const char *s) {
  if (s) json_out_string(o, key, s);
  else json_out_number(o, key, NAN);
}

void emit_fact(struct json_out *o, const char *key, const struct fact *fact) {
  if (fact->word) json_out_string(o, key, fact->word);
  else json_out_number(o, key, fact->value);
}

void emit_knobs(struct json_out *o, const struct world *w, const struct scene *s, const struct setup *resolved, int but) {
  json_out_object(o, "knobs");
  for (int i = 0; i < s->nknobs; i++) {
    int knob = s->knobs[i];
    if (knob == but || (s->applies && !s->applies(resolved, knob))) continue;
    if (knob_table[knob].kind == KNOB_LINEAR || knob_table[knob].kind == KNOB_LOG2) {
      json_out_number(o, knob_table[knob].key, resolved->v[knob]);
    } else {
      char value[DEVICE_ID_MAX];
      setup_typed(w, resolved, knob, value, sizeof value);
      json_out_string(o, knob_table[knob].key, value);
    }
  }
  json_out_end(o);
}

void emit_json(struct json_out *o) {
  if (o->failed) abort(); /* out of memory: half an object would be worse than none */
  puts(o->text);
  json_out_free(o);
}

void emit_field(FILE *f, const char *s) {
  if (!s[strcspn(s, ",\"\r\n")]) {
    fputs(s, f);
    return;
  }
  fputc('"', f);
  for (; *s; s++) {
    if (*s == '"') fputc('"', f);
    fputc(*s, f);
  }
  fputc('"', f);
}

void emit_field_fact(FILE *f, const struct fact *fact) {
  char out[NUMBER_MAX];
  if (fact->word)
    emit_field(f, fact->word);
  else if (isfinite(fact->value))
    emit_field(f, number_exact(out, fact->value));
}

void emit_facts(FILE *f, const struct fact *fact, int n) {
  fputs("name,value,unit\n", f);
  for (int i = 0; i < n; i++) {
    emit_field(f, fact[i].name);
    fputc(',', f);
    emit_field_fact(f, &fact[i]);
    fputc(',', f);
    emit_field(f, fact[i].word ? "" : number_si(fact[i].unit));
    fputc('\n', f);
  }
}

void emit_row(FILE *f, const struct fact *fact, int n, bool head) {
  for (int i = 0; head && i < n; i++) {
    emit_field(f, fact[i].name);
    fputc(i + 1 < n ? ',' : '\n', f);
  }
  for (int i = 0; i < n; i++) {
    emit_field_fact(f, &fact[i]);
    fputc(i + 1 < n ? ',' : '\n', f);
  }
}

void table_cell(struct table *t, const char *s) {
  if (t->ncell == t->capacity) {
    int capacity = t->capacity ? 2 * t->capacity : 64;
    char **cell = realloc(t->cell, (size_t)capacity * sizeof *cell);
    if (!cell) abort();
    t->cell = cell;
    t->capacity = capacity;
  }
  t->cell[t->ncell] = strdup(s ? s : "");
  if (!t->cell[t->ncell]) abort();
  t->ncell++;
}

void table_fact(struct table *t, const struct fact *fact, int digits) {
  char out[NUMBER_MAX];
  table_cell(t, fact->word ? fact->word : number_print(out, fact->value, fact->unit, digits, false));
}

void table_print(const struct table *t, FILE *f, const char *indent) {
  if (t->columns < 1) return;
  int *width = calloc((size_t)t->columns, sizeof *width);
  if (!width) abort();
  for (int i = 0; i < t->ncell; i++) {
    int w = text_columns(t->cell[i]);
    if (w > width[i % t->columns]) width[i % t->columns] = w;
  }
  for (int i = 0; i < t->ncell; i++) {
    int column = i % t->columns, pad = width[column] - text_columns(t->cell[i]);
    bool right = column < 32 && (t->right >> column & 1), last = column == t->columns - 1;
    if (column == 0) fputs(indent, f);
    for (int p = 0; right && p < pad; p++) fputc(' ', f);
    fputs(t->cell[i], f);
    bool rest = false; /* no blanks at the end of a line */
    for (int j = i + 1; j < i - column + t->columns && j < t->ncell; j++) rest |= t->cell[j][0] != 0;
    if (rest) {
      for (int p = 0; !right && p < pad; p++) fputc(' ', f);
      fputs("  ", f);
    }
    if (last) fputc('\n', f);
  }
  free(width);
}

void table_free(struct table *t) {
  for (int i = 0; i < t->ncell; i++) free(t->cell[i]);
  free(t->cell);
  memset(t, 0, sizeof *t);
}

int emit_close(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fprintf(stderr, "ridge: could not write the output: %s\n", strerror(errno));
  return 1;
}
