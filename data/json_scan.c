#include "data/json_scan.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
  const unsigned char *s;
  size_t n, at;
  int line, column;
  size_t text_n; /* used bytes of j->text */
  int cap;       /* places there is room for */
  int here;      /* the place being read, for the path in an error */
  struct json *j;
  struct err *e;
};

static bool value_scan(struct scan *c, int depth);

void json_place_path(const struct json *j, int place, char *out, int size) {
  int chain[JSON_DEPTH_MAX + 2], n = 0, used = 0;
  if (size > 0) out[0] = 0;
  for (int p = place; p > 0 && n < JSON_DEPTH_MAX + 2; p = j->place[p].parent) chain[n++] = p;
  while (n-- > 0 && used < size) {
    const struct json_place *p = &j->place[chain[n]];
    if (p->index >= 0)
      used += snprintf(out + used, (size_t)(size - used), "[%d]", p->index);
    else
      used += snprintf(out + used, (size_t)(size - used), "%s%s", used ? "." : "", j->text + p->key);
  }
}

static bool refuse_at(struct scan *c, int line, int column, const char *expected, const char *found) {
  char path[96];
  json_place_path(c->j, c->here, path, sizeof path);
  return err_set(c->e, c->j->file, line, column, path, expected, found);
}

/* Refuse the byte the scanner stands on, named in words. */
static bool refuse(struct scan *c, const char *expected) {
  char found[48];
  if (c->at + 1 < c->n && c->s[c->at] == '/' && (c->s[c->at + 1] == '/' || c->s[c->at + 1] == '*'))
    return refuse_at(c, c->line, c->column, "no comments, JSON has none", "one");
  if (c->at >= c->n)
    snprintf(found, sizeof found, "the end of the text");
  else if (c->s[c->at] == '\'')
    snprintf(found, sizeof found, "a single quote");
  else if (c->s[c->at] > 0x20 && c->s[c->at] < 0x7f)
    snprintf(found, sizeof found, "'%c'", c->s[c->at]);
  else if (c->s[c->at] == '\n')
    snprintf(found, sizeof found, "the end of the line");
  else if (c->s[c->at] == ' ')
    snprintf(found, sizeof found, "a space");
  else
    snprintf(found, sizeof found, "byte 0x%02x", c->s[c->at]);
  return refuse_at(c, c->line, c->column, expected, found);
}

static int peek(const struct scan *c) { return c->at < c->n ? c->s[c->at] : -1; }

static void step(struct scan *c) {
  unsigned char b = c->s[c->at++];
  if (b == '\n') {
    c->line++;
    c->column = 1;
  } else if ((b & 0xc0) != 0x80) /* a character's later bytes share its column */
    c->column++;
}

static void space_skip(struct scan *c) {
  while (c->at < c->n && (c->s[c->at] == ' ' || c->s[c->at] == '\t' || c->s[c->at] == '\n' || c->s[c->at] == '\r')) step(c);
}

static bool place_add(struct scan *c, int parent, int last, int index, size_t key, int key_line, int key_column) {
  struct json *j = c->j;
  if (j->nplace >= JSON_VALUE_MAX) return refuse_at(c, c->line, c->column, "at most 262144 values", "more");
  if (j->nplace == c->cap) {
    int cap = c->cap ? c->cap * 2 : 64;
    struct json_place *p = realloc(j->place, (size_t)cap * sizeof *p);
    if (!p) return refuse_at(c, c->line, c->column, "memory for the text", "none left");
    j->place = p;
    c->cap = cap;
  }
  int me = j->nplace++;
  j->place[me] = (struct json_place){parent, -1, -1, index, key, c->line, c->column, key_line, key_column};
  if (parent >= 0) {
    if (last < 0)
      j->place[parent].child = me;
    else
      j->place[last].next = me;
  }
  c->here = me;
  return true;
}

/* Length of the well-formed UTF-8 character at s (Unicode 15, table 3-7), 0 when there is none. */
static int utf8_length(const unsigned char *s, size_t n) {
  if (s[0] < 0x80) return 1;
  int len = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
  if (!len || (size_t)len > n) return 0;
  unsigned char lo = 0x80, hi = 0xbf;
  if (s[0] == 0xe0) lo = 0xa0;
  if (s[0] == 0xed) hi = 0x9f; /* surrogates */
  if (s[0] == 0xf0) lo = 0x90;
  if (s[0] == 0xf4) hi = 0x8f;
  if (s[1] < lo || s[1] > hi) return 0;
  for (int i = 2; i < len; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  return len;
}

static bool hex4(struct scan *c, unsigned *out) {
  *out = 0;
  for (int i = 0; i < 4; i++) {
    int b = peek(c);
    int v = b >= '0' && b <= '9' ? b - '0' : b >= 'a' && b <= 'f' ? b - 'a' + 10 : b >= 'A' && b <= 'F' ? b - 'A' + 10 : -1;
    if (v < 0) return refuse(c, "four hexadecimal digits after \\u");
    *out = *out * 16 + (unsigned)v;
    step(c);
  }
  return true;
}

static void utf8_put(char *out, size_t *n, unsigned u) {
  if (u < 0x80)
    out[(*n)++] = (char)u;
  else if (u < 0x800) {
    out[(*n)++] = (char)(0xc0 | u >> 6);
    out[(*n)++] = (char)(0x80 | (u & 63));
  } else if (u < 0x10000) {
    out[(*n)++] = (char)(0xe0 | u >> 12);
    out[(*n)++] = (char)(0x80 | (u >> 6 & 63));
    out[(*n)++] = (char)(0x80 | (u & 63));
  } else {
    out[(*n)++] = (char)(0xf0 | u >> 18);
    out[(*n)++] = (char)(0x80 | (u >> 12 & 63));
    out[(*n)++] = (char)(0x80 | (u >> 6 & 63));
    out[(*n)++] = (char)(0x80 | (u & 63));
  }
}

/* The escape behind a backslash; one character goes to out. */
static bool escape_scan(struct scan *c, char *out, size_t *n) {
  static const char name[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
  int line = c->line, column = c->column;
  step(c);
  int b = peek(c);
  const char *at = b > 0 ? strchr(name, b) : NULL;
  if (at) {
    out[(*n)++] = is[at - name];
    step(c);
    return true;
  }
  if (b != 'u') return refuse(c, "one of \" \\ / b f n r t u after a backslash");
  step(c);
  unsigned u, v;
  if (!hex4(c, &u)) return false;
  if (u == 0) return refuse_at(c, line, column, "text without zero bytes", "\\u0000");
  if (u >= 0xdc00 && u <= 0xdfff) return refuse_at(c, line, column, "a high surrogate before this low one", "a lone surrogate");
  if (u >= 0xd800 && u <= 0xdbff) {
    if (peek(c) != '\\' || c->at + 1 >= c->n || c->s[c->at + 1] != 'u')
      return refuse_at(c, line, column, "a low surrogate (\\udc00 to \\udfff) next", "a lone surrogate");
    step(c);
    step(c);
    if (!hex4(c, &v)) return false;
    if (v < 0xdc00 || v > 0xdfff) return refuse_at(c, line, column, "a low surrogate (\\udc00 to \\udfff) next", "a lone surrogate");
    u = 0x10000 + ((u - 0xd800) << 10) + (v - 0xdc00);
  }
  utf8_put(out, n, u);
  return true;
}

/* A string; its decoded text goes to out, which has room for as many bytes as the text has left. */
static bool string_scan(struct scan *c, char *out, size_t *n) {
  int line = c->line, column = c->column;
  step(c); /* the opening quote */
  for (;;) {
    int b = peek(c);
    if (b < 0) return refuse_at(c, line, column, "a closing quote for this string", "the end of the text");
    if (b == '"') break;
    if (b == '\\') {
      if (!escape_scan(c, out, n)) return false;
      continue;
    }
    if (b < 0x20) return refuse(c, "control characters in strings to be escaped (\\n, \\t, \\u001b)");
    int len = utf8_length(c->s + c->at, c->n - c->at);
    if (!len) return refuse(c, "UTF-8 text");
    while (len--) {
      out[(*n)++] = (char)c->s[c->at];
      step(c);
    }
  }
  step(c);
  return true;
}

static bool digits(struct scan *c, const char *expected) {
  if (peek(c) < '0' || peek(c) > '9') return refuse(c, expected);
  while (peek(c) >= '0' && peek(c) <= '9') step(c);
  return true;
}

static bool number_scan(struct scan *c) {
  size_t start = c->at;
  int line = c->line, column = c->column;
  if (peek(c) == '-') step(c);
  if (peek(c) == '0') {
    step(c);
    if (peek(c) >= '0' && peek(c) <= '9') return refuse_at(c, line, column, "a number without leading zeros", "a leading zero");
  } else if (!digits(c, "a digit"))
    return false;
  if (peek(c) == '.') {
    step(c);
    if (!digits(c, "a digit after the point")) return false;
  }
  if (peek(c) == 'e' || peek(c) == 'E') {
    step(c);
    if (peek(c) == '+' || peek(c) == '-') step(c);
    if (!digits(c, "a digit in the exponent")) return false;
  }
  size_t n = c->at - start;
  if (n > JSON_NUMBER_MAX) return refuse_at(c, line, column, "a number of at most 63 characters", "a longer one");
  /* strtod follows the locale's decimal point; the text must not. */
  char copy[JSON_NUMBER_MAX + 1];
  memcpy(copy, c->s + start, n);
  copy[n] = 0;
  char *point = strchr(copy, '.');
  if (point) *point = localeconv()->decimal_point[0];
  double v = strtod(copy, NULL);
  if (point) *point = '.';
  if (!isfinite(v)) return refuse_at(c, line, column, "a number below 1.8e308", copy);
  return true;
}

static bool word_scan(struct scan *c) {
  static const char *const word[] = {"true", "false", "null"};
  for (int i = 0; i < 3; i++) {
    size_t n = strlen(word[i]);
    if (c->n - c->at < n || memcmp(c->s + c->at, word[i], n)) continue;
    c->at += n;
    c->column += (int)n;
    return true;
  }
  /* Name a word that is none of ours (NaN, Infinity, True) whole. */
  char found[32] = "";
  size_t n = 0;
  while (c->at + n < c->n && n < sizeof found - 1 && ((c->s[c->at + n] | 32) >= 'a' && (c->s[c->at + n] | 32) <= 'z')) n++;
  memcpy(found, c->s + c->at, n);
  if (n > 1) return refuse_at(c, c->line, c->column, "a value", found);
  return refuse(c, "a value");
}

struct named {
  const char *key;
  int place;
};
static int named_compare(const void *a, const void *b) {
  const struct named *x = a, *y = b;
  int d = strcmp(x->key, y->key);
  return d ? d : (x->place > y->place) - (x->place < y->place);
}

/* Two members of one object with the same (decoded) key: which one counts is anybody's guess, so neither does. */
static bool duplicate_refuse(struct scan *c, int object) {
  int n = 0;
  for (int p = c->j->place[object].child; p >= 0; p = c->j->place[p].next) n++;
  if (n < 2) return true;
  struct named *k = malloc((size_t)n * sizeof *k);
  if (!k) return refuse_at(c, c->line, c->column, "memory for the text", "none left");
  n = 0;
  for (int p = c->j->place[object].child; p >= 0; p = c->j->place[p].next) k[n++] = (struct named){c->j->text + c->j->place[p].key, p};
  qsort(k, (size_t)n, sizeof *k, named_compare);
  int bad = -1;
  for (int i = 1; i < n; i++)
    if (!strcmp(k[i].key, k[i - 1].key) && (bad < 0 || k[i].place < bad)) bad = k[i].place;
  free(k);
  if (bad < 0) return true;
  c->here = bad;
  return refuse_at(c, c->j->place[bad].key_line, c->j->place[bad].key_column, "each key once", "the same key again");
}

static bool object_scan(struct scan *c, int me, int depth) {
  int last = -1;
  step(c);
  space_skip(c);
  if (peek(c) == '}') {
    step(c);
    return true;
  }
  for (;;) {
    if (peek(c) == '}') return refuse_at(c, c->line, c->column, "no comma before '}'", "one");
    if (peek(c) != '"') return refuse(c, last < 0 ? "a key in quotes or '}'" : "a key in quotes");
    int line = c->line, column = c->column;
    size_t key = c->text_n;
    if (!string_scan(c, c->j->text, &c->text_n)) return false;
    c->j->text[c->text_n++] = 0;
    space_skip(c);
    if (peek(c) != ':') return refuse(c, "':' after the key");
    step(c);
    space_skip(c);
    if (!place_add(c, me, last, -1, key, line, column)) return false;
    last = c->here;
    if (!value_scan(c, depth)) return false;
    c->here = me;
    space_skip(c);
    if (peek(c) == '}') break;
    if (peek(c) != ',') return refuse(c, "',' or '}'");
    step(c);
    space_skip(c);
  }
  step(c);
  return duplicate_refuse(c, me);
}

static bool array_scan(struct scan *c, int me, int depth) {
  int last = -1;
  step(c);
  space_skip(c);
  if (peek(c) == ']') {
    step(c);
    return true;
  }
  for (int i = 0;; i++) {
    if (i && peek(c) == ']') return refuse_at(c, c->line, c->column, "no comma before ']'", "one");
    if (!place_add(c, me, last, i, 0, c->line, c->column)) return false;
    last = c->here;
    if (!value_scan(c, depth)) return false;
    c->here = me;
    space_skip(c);
    if (peek(c) == ']') break;
    if (peek(c) != ',') return refuse(c, "',' or ']'");
    step(c);
    space_skip(c);
  }
  step(c);
  return true;
}

static bool value_scan(struct scan *c, int depth) {
  int b = peek(c), me = c->here;
  if (b == '{' || b == '[') {
    if (depth >= JSON_DEPTH_MAX) return refuse_at(c, c->line, c->column, "nesting of at most 32", "more");
    return b == '{' ? object_scan(c, me, depth + 1) : array_scan(c, me, depth + 1);
  }
  if (b == '"') {
    size_t scratch = c->text_n; /* decoded behind the keys, then given up */
    return string_scan(c, c->j->text, &scratch);
  }
  if (b == '-' || (b >= '0' && b <= '9')) return number_scan(c);
  return word_scan(c);
}

bool json_scan(struct json *j, const char *s, size_t n, struct err *e) {
  struct scan c = {.s = (const unsigned char *)s, .n = n, .line = 1, .column = 1, .here = -1, .j = j, .e = e};
  if (n > JSON_BYTE_MAX) return refuse_at(&c, 0, 0, "at most 4 MiB", "more");
  /* Keys, decoded, are never longer than their quoted form, and their NUL takes the place of a quote; so is a string decoded behind them.
   */
  j->text = malloc(n + 1);
  if (!j->text) return refuse_at(&c, 0, 0, "memory for the text", "none left");
  if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) return refuse_at(&c, 1, 1, "no byte order mark", "one");
  space_skip(&c);
  if (!place_add(&c, -1, -1, -1, 0, c.line, c.column)) return false;
  if (!value_scan(&c, 0)) return false;
  c.here = 0;
  space_skip(&c);
  if (c.at < c.n) return refuse(&c, "nothing after the value");
  return true;
}
