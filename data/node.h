/* node: one value of a JSON text with its key path, read with its type, range and known keys checked. Internal to data/.
 * Every reader returns false with *e filled (file, line, column, key, expected, found); a key that is absent leaves *out as it was. */
#ifndef RIDGE_NODE_H
#define RIDGE_NODE_H

#include <stdbool.h>

#include "data/json.h"

/* Leave the reader with false when a step of it failed; *e says why. */
#define OR_FALSE(x)                                                                                                                        \
  do {                                                                                                                                     \
    if (!(x)) return false;                                                                                                                \
  } while (0)

struct cJSON;
struct node {
  const struct json *json;
  const struct cJSON *at; /* NULL: not there */
  char path[160];
};

struct node node_root(const struct json *j);
/* The member called key (case counts), or one with at NULL. */
struct node node_member(const struct node *n, const char *key);
struct node node_element(const struct node *n, int i);
int node_count(const struct node *n); /* elements or members; 0 when there are none */

bool node_is_object(const struct node *n);
bool node_is(const struct node *n, const char *text); /* a string equal to text */
/* n must be an object whose keys are all among known (NULL at its end); others are refused with the nearest known key. */
bool node_object(const struct node *n, const char *const *known, struct err *e);
/* n must be an array of at most max elements. */
bool node_array(const struct node *n, int max, struct err *e);
/* "the key is missing", said of n's member. */
bool node_missing(const struct node *n, const char *key, const char *expected, struct err *e);
/* What n holds instead of expected. */
bool node_refuse(const struct node *n, const char *expected, struct err *e);

/* A number of lo…hi, or null for "not known" (NAN). what names it in words: "a rate in byte/s". */
bool node_number(const struct node *n, const char *key, const char *what, double lo, double hi, double *out, struct err *e);
/* The same of a node itself, an element say. */
bool node_value(const struct node *n, const char *what, double lo, double hi, double *out, struct err *e);
bool node_int(const struct node *n, const char *key, int lo, int hi, int *out, struct err *e);
bool node_bool(const struct node *n, const char *key, bool *out, struct err *e);
/* Text of fewer than size bytes; control characters (C0, C1, bidirectional overrides) become spaces: a terminal will show it. */
bool node_string(const struct node *n, const char *key, char *out, int size, struct err *e);
/* One of count words; *out gets its index. */
bool node_word(const struct node *n, const char *key, const char *(*word)(int), int count, int *out, struct err *e);

#endif
