#include "data/json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/bytes.h"
#include "data/json_scan.h"

void json_free(struct json *j) {
  cJSON_Delete(j->root);
  free(j->text);
  free(j->place);
  *j = (struct json){0};
}

bool json_parse(struct json *j, const char *text, size_t n, const char *name, struct err *e) {
  *j = (struct json){0};
  snprintf(j->file, sizeof j->file, "%s", name ? name : "");
  bool ok = json_scan(j, text, n, e);
  if (ok) {
    j->root = cJSON_ParseWithLength(text, n);
    if (!j->root) ok = err_set(e, j->file, 0, 0, "", "memory for the text", "none left");
  }
  if (!ok) json_free(j);
  return ok;
}

bool json_load(struct json *j, const char *path, struct err *e) {
  char *text;
  size_t n;
  *j = (struct json){0};
  if (!bytes_load(path, JSON_BYTE_MAX, &text, &n, e)) return false;
  bool ok = json_parse(j, text, n, path, e);
  free(text);
  return ok;
}

/* The place that path names below `from`, or -1. Keys may hold any character, so each child's key is tried against the path's start. */
static int place_find(const struct json *j, int from, const char *path) {
  if (!*path) return from;
  for (int p = j->place[from].child; p >= 0; p = j->place[p].next) {
    char index[16];
    const char *key = j->text + j->place[p].key;
    if (j->place[p].index >= 0) {
      snprintf(index, sizeof index, "[%d]", j->place[p].index);
      key = index;
    }
    size_t n = strlen(key);
    if (strncmp(path, key, n)) continue;
    const char *rest = path + n;
    if (*rest == '.')
      rest++;
    else if (*rest && *rest != '[')
      continue;
    int found = place_find(j, p, rest);
    if (found >= 0) return found;
  }
  return -1;
}

void json_where(const struct json *j, const char *path, int *line, int *column) {
  int p = j->nplace ? place_find(j, 0, path) : -1;
  *line = p < 0 ? 0 : j->place[p].line;
  *column = p < 0 ? 0 : j->place[p].column;
}

void json_where_key(const struct json *j, const char *path, int *line, int *column) {
  int p = j->nplace ? place_find(j, 0, path) : -1;
  *line = p < 0 ? 0 : j->place[p].key_line;
  *column = p < 0 ? 0 : j->place[p].key_column;
}

bool json_err(const struct json *j, const char *path, const char *expected, const char *found, struct err *e) {
  int line, column;
  json_where(j, path, &line, &column);
  return err_set(e, j->file, line, column, path, expected, found);
}
