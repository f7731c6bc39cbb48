#include "data/json_out.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_number(double v, char out[32]) {
  if (!isfinite(v)) {
    strcpy(out, "null");
    return;
  }
  /* Whole numbers up to 2^53 read best without an exponent unless they are long and round, as 3.35e12 is. */
  for (int digit = 1; digit <= 17; digit++) {
    snprintf(out, 32, "%.*g", digit, v);
    if (strtod(out, NULL) == v) break;
  }
  if (fabs(v) < 1e7 && fabs(v) >= 1 && v == floor(v)) snprintf(out, 32, "%.0f", v);
  char *at = strstr(out, localeconv()->decimal_point);
  if (at) {
    size_t n = strlen(localeconv()->decimal_point);
    *at = '.';
    memmove(at + 1, at + n, strlen(at + n) + 1);
  }
  /* "1e+06" is legal and ugly: drop the plus sign and the zeros behind the e. */
  char *e = strchr(out, 'e');
  if (e) {
    char *to = e + 1, *from = e + 1;
    if (*from == '-')
      to++, from++;
    else if (*from == '+')
      from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
  }
}

void json_out_start(struct json_out *o, int indent, int flat) {
  *o = (struct json_out){.grows = true, .indent = indent, .flat = flat ? flat : JSON_OUT_DEPTH + 1};
}

void json_out_start_at(struct json_out *o, char *text, size_t size) {
  assert(size > 0);
  *o = (struct json_out){.text = text, .cap = size};
  text[0] = 0;
}

void json_out_free(struct json_out *o) {
  if (o->grows) free(o->text);
  *o = (struct json_out){0};
}

static void bytes_put(struct json_out *o, const char *s, size_t n) {
  if (o->failed) return;
  if (o->n + n + 1 > o->cap) {
    char *more = NULL;
    size_t cap = o->cap ? o->cap : 1024;
    while (cap < o->n + n + 1) cap *= 2;
    if (o->grows) more = realloc(o->text, cap);
    if (!more) {
      o->failed = true;
      return;
    }
    o->text = more;
    o->cap = cap;
  }
  memcpy(o->text + o->n, s, n);
  o->n += n;
  o->text[o->n] = 0;
}

static void text_put(struct json_out *o, const char *s) { bytes_put(o, s, strlen(s)); }

static void line_break(struct json_out *o) {
  if (!o->indent || o->depth == 0) return;
  if (o->depth >= o->flat) return;
  text_put(o, "\n");
  for (int i = 0; i < o->indent * o->depth; i++) text_put(o, " ");
}

static int character_length(const unsigned char *s) {
  int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))) return 0;
  if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))) return 0;
  return n;
}

static void quoted_put(struct json_out *o, const char *s) {
  text_put(o, "\"");
  while (*s) {
    unsigned char c = (unsigned char)*s;
    int n = character_length((const unsigned char *)s);
    char hex[8];
    if (c == '"' || c == '\\') {
      text_put(o, c == '"' ? "\\\"" : "\\\\");
    } else if (c < 0x20 || c == 0x7f) {
      snprintf(hex, sizeof hex, "\\u%04x", c);
      text_put(o, hex);
    } else
      bytes_put(o, n ? s : "?", n ? (size_t)n : 1);
    s += n ? n : 1;
  }
  text_put(o, "\"");
}

static void value_start(struct json_out *o, const char *key) {
  if (o->some[o->depth]) text_put(o, o->indent && o->depth >= o->flat ? ", " : ",");
  o->some[o->depth] = true;
  line_break(o);
  if (!key) return;
  quoted_put(o, key);
  text_put(o, o->indent ? ": " : ":");
}

static void open_put(struct json_out *o, const char *key, const char *bracket) {
  assert(o->depth < JSON_OUT_DEPTH);
  value_start(o, key);
  text_put(o, bracket);
  o->some[++o->depth] = false;
}

void json_out_object(struct json_out *o, const char *key) {
  open_put(o, key, "{");
  o->array[o->depth] = false;
}

void json_out_array(struct json_out *o, const char *key) {
  open_put(o, key, "[");
  o->array[o->depth] = true;
}

void json_out_end(struct json_out *o) {
  assert(o->depth > 0);
  bool some = o->some[o->depth], array = o->array[o->depth], flat = o->depth >= o->flat;
  o->depth--;
  if (some && !flat && o->indent) {
    text_put(o, "\n");
    for (int i = 0; i < o->indent * o->depth; i++) text_put(o, " ");
  }
  text_put(o, array ? "]" : "}");
}

void json_out_number(struct json_out *o, const char *key, double v) {
  char text[32];
  json_number(v, text);
  value_start(o, key);
  text_put(o, text);
}

void json_out_string(struct json_out *o, const char *key, const char *s) {
  value_start(o, key);
  quoted_put(o, s);
}

void json_out_bool(struct json_out *o, const char *key, bool v) {
  value_start(o, key);
  text_put(o, v ? "true" : "false");
}
