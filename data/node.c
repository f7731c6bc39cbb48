#include "data/node.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/json_out.h"

struct node node_root(const struct json *j) {
  return (struct node){.json = j, .at = j->root};
}

/* By hand: each key that is looked for has its path ready, in case it is wrong, and printing it was a quarter of what a start executes. */
struct node node_member(const struct node *n, const char *key) {
  struct node m;
  size_t over = strlen(n->path), under = strlen(key), dot = over > 0;
  m.json = n->json;
  m.at = cJSON_GetObjectItemCaseSensitive(n->at, key);
  m.path[0] = 0;
  if (over + dot + under >= sizeof m.path) return m;
  memcpy(m.path, n->path, over);
  if (dot) m.path[over] = '.';
  memcpy(m.path + over + dot, key, under + 1);
  return m;
}

struct node node_element(const struct node *n, int i) {
  struct node m = {.json = n->json, .at = cJSON_GetArrayItem(n->at, i)};
  if (snprintf(m.path, sizeof m.path, "%s[%d]", n->path, i) >= (int)sizeof m.path) m.path[0] = 0;
  return m;
}

bool node_is(const struct node *n, const char *text) { return cJSON_IsString(n->at) && !strcmp(n->at->valuestring, text); }

bool node_is_object(const struct node *n) { return cJSON_IsObject(n->at); }

int node_count(const struct node *n) { return n->at ? cJSON_GetArraySize(n->at) : 0; }

/* Keystrokes between two words: insert, delete, replace, swap neighbours. */
static int word_distance(const char *a, const char *b) {
  enum { MAX = 40 };
  int la = (int)strlen(a), lb = (int)strlen(b), d[MAX + 1][MAX + 1];
  if (la > MAX || lb > MAX) return MAX;
  for (int i = 0; i <= la; i++) d[i][0] = i;
  for (int j = 0; j <= lb; j++) d[0][j] = j;
  for (int i = 1; i <= la; i++)
    for (int j = 1; j <= lb; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[la][lb];
}

static const char *word_nearest(const char *wrong, const char *const *known) {
  const char *best = NULL;
  int least = (int)strlen(wrong) / 3 + 2;
  for (; *known; known++) {
    int d = word_distance(wrong, *known);
    if (d < least) best = *known, least = d;
  }
  return best;
}

/* In quotes, cut to about 60 bytes and never inside a character. */
static const char *word_quote(const char *s, char *out, int size) {
  int n = (int)strlen(s);
  if (n > 60)
    for (n = 60; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;) n--;
  snprintf(out, (size_t)size, "\"%.*s%s\"", n, s, s[n] ? "…" : "");
  return out;
}

static const char *kind_words(const struct cJSON *at, char *out, int size) {
  if (!at) return "nothing";
  if (cJSON_IsString(at)) return word_quote(at->valuestring, out, size);
  if (cJSON_IsNumber(at)) {
    json_number(at->valuedouble, out);
    return out;
  }
  return cJSON_IsBool(at)    ? (cJSON_IsTrue(at) ? "true" : "false")
         : cJSON_IsNull(at)  ? "null"
         : cJSON_IsArray(at) ? (at->child ? "an array" : "an empty array")
                             : "an object";
}

/* One more word to "one of …"; those that do not fit become dots, once. */
static void list_add(char *list, size_t size, const char *word) {
  static const char dots[] = " …";
  size_t n = strlen(list);
  if (n >= sizeof dots && !strcmp(list + n + 1 - sizeof dots, dots)) return;
  bool fits = n + 1 + strlen(word) + sizeof dots <= size;
  snprintf(list + n, size - n, "%s%s", fits ? " " : "", fits ? word : dots);
}

bool node_refuse(const struct node *n, const char *expected, struct err *e) {
  char found[96];
  return json_err(n->json, n->path, expected, kind_words(n->at, found, sizeof found), e);
}

bool node_missing(const struct node *n, const char *key, const char *expected, struct err *e) {
  int line, column;
  struct node m = node_member(n, key);
  json_where(n->json, n->path, &line, &column);
  return err_set(e, n->json->file, line, column, m.path, expected, "no such key");
}

bool node_object(const struct node *n, const char *const *known, struct err *e) {
  if (!cJSON_IsObject(n->at)) return node_refuse(n, "an object", e);
  for (const struct cJSON *at = n->at->child; at; at = at->next) {
    const char *const *k = known;
    while (*k && strcmp(*k, at->string)) k++;
    if (*k) continue;
    const char *near = word_nearest(at->string, known);
    char expected[160], found[80];
    int line, column;
    struct node m = node_member(n, at->string);
    json_where_key(n->json, m.path, &line, &column);
    if (near) {
      snprintf(expected, sizeof expected, "a known key (the nearest is \"%s\")", near);
    } else {
      snprintf(expected, sizeof expected, "one of");
      for (k = known; *k; k++) list_add(expected, sizeof expected, *k);
    }
    return err_set(e, n->json->file, line, column, m.path, expected, word_quote(at->string, found, sizeof found));
  }
  return true;
}

bool node_array(const struct node *n, int max, struct err *e) {
  char words[48];
  if (!cJSON_IsArray(n->at)) return node_refuse(n, "an array", e);
  int count = node_count(n);
  if (count <= max) return true;
  char found[16];
  snprintf(words, sizeof words, "at most %d elements", max);
  snprintf(found, sizeof found, "%d", count);
  return json_err(n->json, n->path, words, found, e);
}

bool node_value(const struct node *n, const char *what, double lo, double hi, double *out, struct err *e) {
  if (cJSON_IsNull(n->at)) {
    *out = NAN;
    return true;
  }
  if (cJSON_IsNumber(n->at) && n->at->valuedouble >= lo && n->at->valuedouble <= hi) {
    *out = n->at->valuedouble;
    return true;
  }
  char expected[160], a[32], b[32];
  json_number(lo, a);
  json_number(hi, b);
  if (hi == DBL_MAX)
    snprintf(expected, sizeof expected, "%s", what);
  else
    snprintf(expected, sizeof expected, "%s, %s to %s", what, a, b);
  return node_refuse(n, expected, e);
}

bool node_number(const struct node *n, const char *key, const char *what, double lo, double hi, double *out, struct err *e) {
  struct node m = node_member(n, key);
  return !m.at || node_value(&m, what, lo, hi, out, e);
}

bool node_int(const struct node *n, const char *key, int lo, int hi, int *out, struct err *e) {
  struct node m = node_member(n, key);
  if (!m.at) return true;
  double v = cJSON_IsNumber(m.at) ? m.at->valuedouble : NAN;
  if (v >= lo && v <= hi && v == floor(v)) {
    *out = (int)v;
    return true;
  }
  char expected[64];
  snprintf(expected, sizeof expected, "a whole number, %d to %d", lo, hi);
  return node_refuse(&m, expected, e);
}

bool node_bool(const struct node *n, const char *key, bool *out, struct err *e) {
  struct node m = node_member(n, key);
  if (!m.at) return true;
  if (!cJSON_IsBool(m.at)) return node_refuse(&m, "true or false", e);
  *out = cJSON_IsTrue(m.at);
  return true;
}

/* Bytes of the control character at s: C0, DEL, C1 (a terminal takes U+009B for CSI), and the marks that turn the direction of text. */
static int control_length(const char *s) {
  const unsigned char *c = (const unsigned char *)s;
  if (c[0] < 0x20 || c[0] == 0x7f) return 1;
  if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f) return 2;
  if (c[0] == 0xe2 && c[1] == 0x80 && ((c[2] >= 0xaa && c[2] <= 0xae) || c[2] == 0x8e || c[2] == 0x8f)) return 3;
  if (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9) return 3;
  return 0;
}

bool node_string(const struct node *n, const char *key, char *out, int size, struct err *e) {
  struct node m = node_member(n, key);
  if (!m.at) return true;
  if (!cJSON_IsString(m.at)) return node_refuse(&m, "text in quotes", e);
  const char *s = m.at->valuestring;
  if (strlen(s) >= (size_t)size) {
    char expected[48], found[32];
    snprintf(expected, sizeof expected, "text of at most %d bytes", size - 1);
    snprintf(found, sizeof found, "%zu bytes", strlen(s));
    return json_err(n->json, m.path, expected, found, e);
  }
  while (*s) {
    int skip = control_length(s);
    *out++ = skip ? ' ' : *s;
    s += skip ? skip : 1;
  }
  *out = 0;
  return true;
}

bool node_word(const struct node *n, const char *key, const char *(*word)(int), int count, int *out, struct err *e) {
  struct node m = node_member(n, key);
  if (!m.at) return true;
  char expected[160];
  snprintf(expected, sizeof expected, "one of");
  for (int i = 0; i < count; i++) {
    if (cJSON_IsString(m.at) && !strcmp(m.at->valuestring, word(i))) {
      *out = i;
      return true;
    }
    list_add(expected, sizeof expected, word(i));
  }
  return node_refuse(&m, expected, e);
}
