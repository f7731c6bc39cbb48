/* json: strict reading on top of cJSON. cJSON builds the tree; a small scanner over the same text refuses what RFC 8259 refuses and cJSON
 * accepts (duplicate keys, 01, 1e999, trailing text, raw newlines in strings…), and remembers line and column per key path. */
#ifndef RIDGE_JSON_H
#define RIDGE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "data/err.h"

struct cJSON;
struct json { struct cJSON *root; char *text; struct json_place *place; int nplace; char file[256]; };

/* Read a whole file (at most 4 MiB) or a text. On false *e says why and j is zeroed. */
bool json_load(struct json *j, const char *path, struct err *e);
bool json_parse(struct json *j, const char *text, size_t n, const char *name, struct err *e);
void json_free(struct json *j); /* accepts zeroed */

/* Line and column of a key path such as "level[2].byte.value"; 0,0 unknown. */
void json_where(const struct json *j, const char *path, int *line, int *column);
/* err_set with the place of path filled in. */
bool json_err(const struct json *j, const char *path, const char *expected, const char *found, struct err *e);

#endif
