/* json_scan: the strict pass over a JSON text, before cJSON sees it. Internal to data/. */
#ifndef RIDGE_JSON_SCAN_H
#define RIDGE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "data/json.h"

/* One value of the text, in document order; 0 is the whole. */
struct json_place {
  int parent;       /* index of the value it lies in; -1 for the whole */
  int child, next;  /* first child, next sibling; -1 none */
  int index;        /* position in an array; -1 inside an object */
  size_t key;       /* offset of the decoded key in json.text; objects only */
  int line, column; /* of the value, from 1 */
  int key_line, key_column;
};

/* Fills j->text, j->place, j->nplace from n bytes of s. On false *e says where and why; the caller frees j. */
bool json_scan(struct json *j, const char *s, size_t n, struct err *e);

/* The path of a place, "level[2].byte", cut to size. */
void json_place_path(const struct json *j, int place, char *out, int size);

#endif
