/* number_parse: what people type. Strict: everything must be understood, or the reason says what was not. */
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/number.h"

/* How each knob's unit may be written. */
struct spelling {
  const char *unit, *text;
  double factor;
};
static const struct spelling spelling_table[] = {
    {"s", "s", 1},
    {"s", "min", 60},
    {"s", "h", 3600},
    {"byte", "B", 1},
    {"byte", "byte", 1},
    {"byte", "bytes", 1},
    {"iB", "B", 1},
    {"iB", "byte", 1},
    {"iB", "bytes", 1},
    {"byte/s", "B/s", 1},
    {"byte/s", "byte/s", 1},
    {"byte/s", "bytes/s", 1},
    {"flop", "FLOP", 1},
    {"flop", "flop", 1},
    {"flop/s", "FLOP/s", 1},
    {"flop/s", "flop/s", 1},
    {"flop/s", "OP/s", 1},
    {"flop/byte", "FLOP/byte", 1},
    {"flop/byte", "flop/byte", 1},
    {"flop/byte", "FLOP/B", 1},
    {"token/s", "token/s", 1},
    {"token/s", "tokens/s", 1},
    {"token/s", "tok/s", 1},
    {"element", "element", 1},
    {"element", "elements", 1},
    {"W", "W", 1},
    {"flop/J", "FLOP/J", 1},
    {"Hz", "Hz", 1},
    {"$/h", "$/h", 1},
    {"$/Mtoken", "$/Mtoken", 1},
    {"%", "%", 0.01},
    {"x", "x", 1},
    {"x", "\u00d7", 1},
};

static bool digit(char c) { return c >= '0' && c <= '9'; }
static bool blank(char c) { return c == ' ' || c == '\t'; }

/* The length of digits[.digits][e[±]digits] at s; 0 when there is no number. An `e` without digits is left over. */
static size_t number_length(const char *s) {
  size_t n = 0, digits = 0;
  while (digit(s[n])) n++, digits++;
  if (s[n] == '.') {
    size_t after = n + 1;
    while (digit(s[after])) after++, digits++;
    if (after == n + 1) return 0;
    n = after;
  }
  if (!digits) return 0;
  if (s[n] == 'e' || s[n] == 'E') {
    size_t e = n + 1;
    if (s[e] == '+' || s[e] == '-') e++;
    if (digit(s[e])) {
      while (digit(s[e])) e++;
      n = e;
    }
  }
  return n;
}

static const char *value_of(const char *s, size_t n, double *v) {
  char text[128];
  if (n >= sizeof text) return "too many digits";
  memcpy(text, s, n);
  text[n] = '\0';
  char *point = strchr(text, '.'), local = *localeconv()->decimal_point;
  if (point && local) *point = local;
  *v = strtod(text, NULL);
  if (!isfinite(*v)) return "too large";
  if (*v == 0 && strpbrk(text, "123456789") && (strchr(text, 'e') || strchr(text, 'E') || n > 20)) {
    for (const char *c = text; *c && *c != 'e' && *c != 'E'; c++)
      if (*c >= '1' && *c <= '9') return "too small";
  }
  return NULL;
}

/* A prefix at s: its factor and length (0: none). */
static size_t prefix_at(const char *s, double *factor, bool *needs_unit) {
  static const struct {
    const char *text;
    double factor;
    bool needs_unit;
  } row[] = {
      {"Ki", 1024.0, false},
      {"Mi", 1048576.0, false},
      {"Gi", 1073741824.0, false},
      {"Ti", 1099511627776.0, false},
      {"Pi", 1125899906842624.0, false},
      {"k", 1e3, false},
      {"M", 1e6, false},
      {"G", 1e9, false},
      {"T", 1e12, false},
      {"P", 1e15, false},
      {"Ei", 1152921504606846976.0, false},
      {"E", 1e18, true},
      {"m", 1e-3, true},
      {"u", 1e-6, true},
      {"\u00b5", 1e-6, true},
      {"\u03bc", 1e-6, true},
      {"n", 1e-9, true},
      {"p", 1e-12, true},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    size_t n = strlen(row[i].text);
    if (strncmp(s, row[i].text, n) == 0) {
      *factor = row[i].factor, *needs_unit = row[i].needs_unit;
      return n;
    }
  }
  return 0;
}

static bool spelling_find(const char *s, size_t n, const char *unit, double *factor) {
  for (size_t i = 0; i < sizeof spelling_table / sizeof *spelling_table; i++) {
    const struct spelling *p = &spelling_table[i];
    if (strcmp(p->unit, unit) == 0 && strlen(p->text) == n && strncmp(p->text, s, n) == 0) {
      *factor = p->factor;
      return true;
    }
  }
  return false;
}

/* Applies a factor so that typed text keeps its exact meaning: 7 ms is the double nearest to 0.007, not 7 × the nearest to 0.001. */
static double scaled(double v, double factor) {
  if (factor >= 1) return v * factor;
  double divisor = floor(1 / factor + 0.5);
  return v / divisor;
}

static const char *suffix_apply(const char *s, size_t n, const char *unit, double *v) {
  double factor, prefix;
  bool needs_unit;
  if (spelling_find(s, n, unit, &factor)) {
    *v = scaled(*v, factor);
    return NULL;
  }
  if (s[0] == 'K' && (n == 1 || s[1] != 'i')) return "K is ambiguous: k is 1000, Ki is 1024";
  size_t p = prefix_at(s, &prefix, &needs_unit);
  if (p > n) p = 0;
  size_t gap = p;
  if (p == 0) {
    if (n >= 5 && strncmp(s, "FLOPS", 5) == 0) return "FLOPS can mean two things: write FLOP or FLOP/s";
    return "unknown unit";
  }
  if (gap == n) {
    if (needs_unit) return "m, u, n, p and E need their unit, as in 7ms";
    *v *= prefix;
    return NULL;
  }
  const char *rest = s + gap;
  size_t left = n - gap;
  if (strcmp(unit, "%") == 0 || strcmp(unit, "x") == 0) return "no prefix with this unit";
  if (prefix < 1 && strcmp(unit, "s") != 0 && strcmp(unit, "W") != 0) return "unknown unit";
  if (!spelling_find(rest, left, unit, &factor) || factor != 1) {
    if (left == 1 && rest[0] == 'b' && strchr(unit, 'B')) return "b would be bits: write B";
    if (strncmp(unit, "byte", 4) == 0 && (rest[0] == 'b' && (left == 1 || strncmp(rest, "b/s", 3) == 0 || strncmp(rest, "bit", 3) == 0)))
      return "those would be bits: write B";
    if (left >= 5 && strncmp(rest, "FLOPS", 5) == 0) return "FLOPS can mean two things: write FLOP or FLOP/s";
    return "unknown unit";
  }
  *v = scaled(*v, prefix);
  return NULL;
}

const char *number_parse(const char *s, const char *unit, double *out) {
  while (blank(*s)) s++;
  if (!*s) return "nothing was typed";
  double sign = 1, v;
  if (*s == '-' || *s == '+') sign = *s++ == '-' ? -1 : 1;
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && strcmp(unit, "x") != 0) return "not a decimal number";
  size_t n = number_length(s);
  if (n == 0) return "not a number";
  const char *why = value_of(s, n, &v);
  if (why) return why;
  s += n;
  if (*s == '^') {
    double exponent;
    size_t m = number_length(s + 1);
    if (m == 0 || v != floor(v) || value_of(s + 1, m, &exponent) || exponent != floor(exponent)) return "a power is written as 2^20";
    v = pow(v, exponent);
    if (!isfinite(v)) return "too large";
    s += 1 + m;
  }
  while (blank(*s)) s++;
  size_t length = strlen(s);
  while (length && blank(s[length - 1])) length--;
  if (length) {
    why = suffix_apply(s, length, unit, &v);
    if (why) return why;
    if (!isfinite(v)) return "too large";
  }
  *out = sign * v;
  return NULL;
}
