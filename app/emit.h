/* emit: what the doors write, so that all write it alike: JSON, comma-separated values, and tables for people. */
#ifndef RIDGE_EMIT_H
#define RIDGE_EMIT_H

#include <stdbool.h>
#include <stdio.h>

#include "data/json_out.h"
#include "scenes/scene.h"

/* A fact's value under key (NULL: in an array): its word as a string, else its number, null when unknown. */
void emit_fact(struct json_out *o, const char *key, const struct fact *fact);
/* A string, or null where there is none. */
void emit_word(struct json_out *o, const char *key, const char *s);
/* "knobs": {key: value …} of all the scene's knobs that apply but `but` (-1 none), as resolved; numbers as numbers, choices and switches as
 * their words. */
void emit_knobs(struct json_out *o, const struct world *w, const struct scene *s, const struct setup *resolved, int but);
/* What was built, to stdout, and freed. */
void emit_json(struct json_out *o);

/* One field of comma-separated values, quoted where it must be. An unknown number is an empty field. */
void emit_field(FILE *f, const char *s);
void emit_field_fact(FILE *f, const struct fact *fact);
/* All facts: a header line, then name,value,unit; a fact that is a word has no unit. */
void emit_facts(FILE *f, const struct fact *fact, int n);
/* One row of a scene's table, with a line of the columns' names before it when head. */
void emit_row(FILE *f, const struct fact *fact, int n, bool head);

/* A table for people: cells collected, then printed in columns two blanks apart. Owns its memory; a zeroed one is empty. */
struct table {
  char **cell;
  int ncell, capacity, columns;
  unsigned right; /* bit per column: numbers stand at the right */
};
void table_cell(struct table *t, const char *s);
void table_fact(struct table *t, const struct fact *fact, int digits); /* its word, or value with unit */
void table_print(const struct table *t, FILE *f, const char *indent);
void table_free(struct table *t);

/* Flushes stdout: 0, or 1 when what was written did not arrive (a full disk, a closed pipe). */
int emit_close(void);

#endif
