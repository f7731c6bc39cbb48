/* json_out: writing JSON into memory the caller owns or that grows. Numbers keep every digit (shortest text that reads back exactly),
 * always with a point; NAN and infinities become null. Strings come out as valid UTF-8: bytes that are not become '?'. Commas and indents
 * are its business. */
#ifndef RIDGE_JSON_OUT_H
#define RIDGE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_OUT_DEPTH = 16 };
struct json_out {
  char *text; /* always NUL-terminated once something was written */
  size_t n, cap;
  bool grows;  /* text came from malloc: json_out_free frees it */
  bool failed; /* it did not fit, or memory ran out: the text is not whole */
  int indent;  /* spaces per level; 0: all on one line */
  int flat;    /* levels from this one on are written on one line */
  int depth;
  bool some[JSON_OUT_DEPTH + 1];  /* something was already written at this level */
  bool array[JSON_OUT_DEPTH + 1]; /* this level closes with ']' */
};

/* Into memory that grows, or into size bytes at text. flat: levels this deep and deeper stay on one line (0: none when indent > 0). */
void json_out_start(struct json_out *o, int indent, int flat);
void json_out_start_at(struct json_out *o, char *text, size_t size);
void json_out_free(struct json_out *o);

/* key NULL: an element of an array, or the whole. */
void json_out_object(struct json_out *o, const char *key);
void json_out_array(struct json_out *o, const char *key);
void json_out_end(struct json_out *o); /* closes what was opened last */
void json_out_number(struct json_out *o, const char *key, double v);
void json_out_string(struct json_out *o, const char *key, const char *s);
void json_out_bool(struct json_out *o, const char *key, bool v);

/* The shortest text that reads back as v, with a point in every locale; "null" when v is not finite. */
void json_number(double v, char out[32]);

#endif
