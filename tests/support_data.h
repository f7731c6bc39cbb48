/* support_data: what the tests of data files share: lines of tab-separated files and scratch folders. */
#ifndef RIDGE_SUPPORT_DATA_H
#define RIDGE_SUPPORT_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* A tab-separated file: the first line that is not a comment names the columns. Cells of missing columns are "". */
struct table {
  char *text;
  char ***row;
  int nrow, ncolumn;
  char **name;
};
bool table_load(struct table *t, const char *path);
void table_free(struct table *t);
const char *table_cell(const struct table *t, int row, const char *column);

/* A fresh folder under $TMPDIR or /tmp, and its removal with all that is in it. */
void scratch_make(char *out, size_t size);
void scratch_remove(const char *path);
/* Write text to folder/name. */
void scratch_write(const char *folder, const char *name, const char *text);

#endif
