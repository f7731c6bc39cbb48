/* err: trouble with input, in one sentence a person can act on. */
#ifndef RIDGE_ERR_H
#define RIDGE_ERR_H

struct err {
  char file[256];   /* "" when it is not about a file */
  int line, column; /* from 1; 0 unknown */
  char key[96];     /* path of the key: "peak.fp32.value"; "" none */
  char expected[160], found[160];
  char text[512]; /* the whole sentence: file:line:column: key: expected …, found … */
};

/* Fill e and its text. NULL strings are left empty. Control bytes of `found` become '?'. Always returns false, so that a reader can say
 * `return err_set(…)`. */
#include <stdbool.h>
bool err_set(struct err *e, const char *file, int line, int column, const char *key, const char *expected, const char *found);

#endif
