/* json: strict reading on top of cJSON. cJSON builds the tree; a small scanner over the same text refuses what RFC 8259 refuses and cJSON
 * accepts (duplicate keys, 01, 1e999, trailing text, raw newlines in strings…), and remembers line and column per key path.
 * Stricter than the RFC in four places, so that nothing is lost silently: a text of at most 4 MiB and 262144 values, nesting of at most 32,
 * numbers of at most 63 characters that fit a double, and no \u0000 inside strings. */
#ifndef RIDGE_JSON_H
#define RIDGE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "data/err.h"

enum { JSON_BYTE_MAX = 4 << 20, JSON_VALUE_MAX = 1 << 18, JSON_DEPTH_MAX = 32, JSON_NUMBER_MAX = 63 };

struct cJSON;
struct json_place;
struct json {
  struct cJSON *root;
  char *text; /* the decoded keys, one after the other; places point into it */
  struct json_place *place;
  int nplace;
  char file[256];
};

/* Read a whole file (at most 4 MiB) or a text. On false *e says why and j is zeroed. */
bool json_load(struct json *j, const char *path, struct err *e);
bool json_parse(struct json *j, const char *text, size_t n, const char *name, struct err *e);
void json_free(struct json *j); /* accepts zeroed */

/* Line and column of the value at a key path such as "level[2].byte.value" ("" is the whole); 0,0 unknown. Columns count characters. */
void json_where(const struct json *j, const char *path, int *line, int *column);
/* The same for the key itself; an array's element has none and gives its value. */
void json_where_key(const struct json *j, const char *path, int *line, int *column);
/* err_set with the place of path filled in. */
bool json_err(const struct json *j, const char *path, const char *expected, const char *found, struct err *e);

#endif
