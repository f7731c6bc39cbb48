#include "tests/support_data.h"

#include <assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *file_text(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  size_t n = 0, cap = 1 << 16;
  char *text = malloc(cap);
  for (size_t got; text && (got = fread(text + n, 1, cap - n - 1, f)) > 0;) {
    n += got;
    if (n + 1 == cap) text = realloc(text, cap *= 2);
  }
  fclose(f);
  assert(text);
  text[n] = 0;
  return text;
}

/* The cells of one line, which is cut up in place. */
static char **line_cells(char *line, int *count) {
  char **cell = calloc(64, sizeof *cell);
  assert(cell);
  *count = 0;
  for (char *at = line; at && *count < 64;) {
    char *tab = strchr(at, '\t');
    cell[(*count)++] = at;
    if (tab) *tab++ = 0;
    at = tab;
  }
  return cell;
}

bool table_load(struct table *t, const char *path) {
  *t = (struct table){.text = file_text(path)};
  if (!t->text) return false;
  t->row = calloc(1024, sizeof *t->row);
  assert(t->row);
  for (char *line = t->text; line && *line;) {
    char *end = strchr(line, '\n');
    if (end) *end++ = 0;
    int n;
    if (*line && *line != '#') {
      char **cell = line_cells(line, &n);
      if (t->name) {
        assert(t->nrow < 1024 && n <= t->ncolumn);
        for (; n < t->ncolumn; n++) cell[n] = line + strlen(line); /* missing cells at the end are blank */
        t->row[t->nrow++] = cell;
      } else {
        t->name = cell;
        t->ncolumn = n;
      }
    }
    line = end;
  }
  return true;
}

void table_free(struct table *t) {
  for (int i = 0; i < t->nrow; i++) free(t->row[i]);
  free(t->row);
  free(t->name);
  free(t->text);
  *t = (struct table){0};
}

const char *table_cell(const struct table *t, int row, const char *column) {
  for (int i = 0; i < t->ncolumn; i++)
    if (!strcmp(t->name[i], column)) return t->row[row][i] ? t->row[row][i] : "";
  assert(!"a column the table has");
  return "";
}

void scratch_make(char *out, size_t size) {
  const char *tmp = getenv("TMPDIR");
  snprintf(out, size, "%s/ridge-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(out)) perror(out), abort();
}

static int one_remove(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
  (void)st, (void)kind, (void)ftw;
  return remove(path);
}

void scratch_remove(const char *path) { nftw(path, one_remove, 8, FTW_DEPTH | FTW_PHYS); }

void scratch_write(const char *folder, const char *name, const char *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  if (!f) perror(path), abort();
  fputs(text, f);
  fclose(f);
}
