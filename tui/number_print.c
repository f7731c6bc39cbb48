/* number_print: values as people read them, and as programs read them back. The only place that knows prefixes and unit names. */
#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/number.h"

/* How a unit is dressed. */
enum dress {
  DRESS_SI,     /* any SI prefix */
  DRESS_TIME,   /* small prefixes; minutes, hours, days when large */
  DRESS_BINARY, /* Ki Mi Gi… */
  DRESS_COUNT,  /* whole numbers stand as they are up to 7 digits */
  DRESS_PLAIN,  /* no prefix until it is needed */
  DRESS_PERCENT,
  DRESS_RATIO
};
struct unit_row {
  const char *unit, *name;
  enum dress dress;
};
static const struct unit_row unit_table[] = {
    {"1", "", DRESS_PLAIN},
    {"", "", DRESS_PLAIN},
    {"n", "", DRESS_COUNT},
    {"%", "%", DRESS_PERCENT},
    {"x", "\u00d7", DRESS_RATIO},
    {"s", "s", DRESS_TIME},
    {"byte", "B", DRESS_SI},
    {"iB", "B", DRESS_BINARY},
    {"byte/s", "B/s", DRESS_SI},
    {"flop", "FLOP", DRESS_SI},
    {"flop/s", "FLOP/s", DRESS_SI},
    {"flop/byte", "FLOP/byte", DRESS_PLAIN},
    {"token/s", "tokens/s", DRESS_PLAIN},
    {"element", "elements", DRESS_COUNT},
    {"item/s", "items/s", DRESS_PLAIN},
    {"W", "W", DRESS_SI},
    {"J", "J", DRESS_SI},
    {"flop/J", "FLOP/J", DRESS_SI},
    {"Hz", "Hz", DRESS_SI},
};

static struct unit_row unit_of(const char *unit) {
  for (size_t i = 0; i < sizeof unit_table / sizeof *unit_table; i++)
    if (strcmp(unit, unit_table[i].unit) == 0) return unit_table[i];
  return (struct unit_row){unit, unit, DRESS_PLAIN};
}

static const char *prefix_si(int power, bool ascii) { /* of 1000: -4…6 */
  static const char *const name[] = {"p", "n", "\u00b5", "m", "", "k", "M", "G", "T", "P", "E"};
  return power == -2 && ascii ? "u" : name[power + 4];
}
static const char *prefix_binary(int power) {
  static const char *const name[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  return name[power];
}

/* A decimal point, whatever the locale. */
static void point_fix(char *s) {
  char point = *localeconv()->decimal_point;
  char *at = point && point != '.' ? strchr(s, point) : NULL;
  if (at) *at = '.';
}

/* v ≥ 0 with `digits` significant digits in plain decimal notation: at least the whole part is always written out. */
static void digits_print(char out[NUMBER_MAX], double v, int digits) {
  int decimals = 0;
  if ((v > 0 && v < 0.00095) || v >= 1e15) { /* a long row of digits says less than a power of ten */
    snprintf(out, NUMBER_MAX, "%.*e", digits - 1, v);
    point_fix(out);
    return;
  }
  if (v > 0) {
    int whole = (int)floor(log10(v)) + 1; /* digits before the point; 0 and less for 0.5, 0.05… */
    decimals = digits - whole;
    if (decimals < 0) decimals = 0;
    /* rounding up to the next power of ten takes one decimal less: 9.996 is 10.0 */
    double step = pow(10, -decimals);
    if (decimals > 0 && floor(v / step + 0.5) * step >= pow(10, whole)) decimals--;
  }
  snprintf(out, NUMBER_MAX, "%.*f", decimals, v);
  point_fix(out);
}

/* What v becomes in `digits` significant digits: decides prefixes, so that 999.6 is 1.00 k and never 1000. */
static double round_digits(double v, int digits) {
  if (!(v > 0)) return v;
  double scale = pow(10, digits - 1 - floor(log10(v)));
  if (!isfinite(scale) || scale == 0) return v;
  return floor(v * scale + 0.5) / scale;
}

/* A whole number below `limit` is written as it is. */
static bool whole_print(char out[NUMBER_MAX], double v, double limit) {
  if (!(v < limit) || v != floor(v)) return false;
  snprintf(out, NUMBER_MAX, "%.0f", v);
  return true;
}

static void si_print(double v, int digits, int lowest, bool ascii, const char *name, char value[NUMBER_MAX], char suffix[NUMBER_MAX]) {
  int power = 0;
  double scaled = v;
  while (power < 6 && round_digits(scaled, digits) >= 1000) scaled /= 1000, power++;
  while (power > lowest && v > 0 && round_digits(scaled, digits) < 1) scaled *= 1000, power--;
  if (scaled >= 1e6)
    snprintf(value, NUMBER_MAX, "%.2e", scaled);
  else
    digits_print(value, scaled, digits);
  snprintf(suffix, NUMBER_MAX, "%s%s", prefix_si(power, ascii), name);
}

static void time_print(double v, int digits, bool ascii, char value[NUMBER_MAX], char suffix[NUMBER_MAX]) {
  static const struct {
    double s;
    const char *name;
  } row[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}};
  if (v > 0 && v < 1e-12) {
    snprintf(value, NUMBER_MAX, "%.2e", v);
    snprintf(suffix, NUMBER_MAX, "s");
    return;
  }
  if (round_digits(v, digits) < 1000) {
    si_print(v, digits, -4, ascii, "s", value, suffix);
    return;
  }
  for (int i = 0; i < 4; i++)
    if (round_digits(v / row[i].s, digits) >= (i == 3 ? 0 : 2)) {
      if (v / row[i].s >= 1e6)
        snprintf(value, NUMBER_MAX, "%.2e", v / row[i].s);
      else
        digits_print(value, v / row[i].s, digits);
      snprintf(suffix, NUMBER_MAX, "%s", row[i].name);
      return;
    }
}

static void binary_print(double v, int digits, const char *name, char value[NUMBER_MAX], char suffix[NUMBER_MAX]) {
  int power = 0;
  double scaled = v;
  while (power < 6 && floor(scaled + 0.5) >= 1024) scaled /= 1024, power++;
  if (scaled >= 1e6)
    snprintf(value, NUMBER_MAX, "%.2e", scaled);
  else if (power > 0 || !whole_print(value, v, 1024))
    digits_print(value, scaled, digits);
  snprintf(suffix, NUMBER_MAX, "%s%s", prefix_binary(power), name);
}

static void percent_print(double v, int digits, char value[NUMBER_MAX]) {
  double percent = v * 100;
  if (percent >= 1e7)
    snprintf(value, NUMBER_MAX, "%.2e", percent);
  else if (percent == 0)
    snprintf(value, NUMBER_MAX, "0");
  else if (percent < 0.0005)
    snprintf(value, NUMBER_MAX, "<0.001");
  else if (percent < 0.1)
    snprintf(value, NUMBER_MAX, "%.3f", percent);
  else
    digits_print(value, percent, digits);
  point_fix(value);
}

/* Numbers without a unit that takes prefixes: whole part in full up to 99999, then a prefix before the unit's words. */
static void plain_print(double v, int digits, bool ascii, const char *name, char value[NUMBER_MAX], char suffix[NUMBER_MAX]) {
  if (floor(v + 0.5) < 1e5 || v >= 1e18) { /* past the prefixes: 3.40e+38 */
    snprintf(suffix, NUMBER_MAX, "%s", name);
    digits_print(value, v, digits);
    return;
  }
  si_print(v, digits, 0, ascii, "", value, suffix);
  if (*name) {
    size_t n = strlen(suffix);
    snprintf(suffix + n, NUMBER_MAX - n, "%s%s", *name == '\xc3' || strcmp(name, "x") == 0 ? "" : " ", name);
  }
}

void number_split(double v, const char *unit, int digits, bool ascii, char value[NUMBER_MAX], char suffix[NUMBER_MAX]) {
  struct unit_row u = unit_of(unit);
  if (ascii && u.dress == DRESS_RATIO) u.name = "x";
  if (digits < 1) digits = 1;
  if (digits > 9) digits = 9;
  *suffix = '\0';
  if (isnan(v)) {
    snprintf(value, NUMBER_MAX, "%s", ascii ? "-" : "\u2014");
    return;
  }
  char *at = value;
  if (v < 0) *at++ = '-';
  v = fabs(v);
  char body[NUMBER_MAX];
  if (isinf(v)) {
    snprintf(body, sizeof body, "%s", ascii ? "inf" : "\u221e");
    snprintf(suffix, NUMBER_MAX, "%s", u.name);
  } else {
    switch (u.dress) {
    case DRESS_SI: {
      bool small = strcmp(u.name, "W") == 0; /* there is no millibyte, no milliFLOP */
      if (!small && whole_print(body, v, 1000))
        snprintf(suffix, NUMBER_MAX, "%s", u.name);
      else
        si_print(v, digits, small ? -2 : 0, ascii, u.name, body, suffix);
      break;
    }
    case DRESS_TIME: time_print(v, digits, ascii, body, suffix); break;
    case DRESS_BINARY: binary_print(v, digits, u.name, body, suffix); break;
    case DRESS_COUNT:
      if (whole_print(body, v, 1e7))
        snprintf(suffix, NUMBER_MAX, "%s", u.name);
      else
        plain_print(v, digits, ascii, u.name, body, suffix);
      break;
    case DRESS_PERCENT:
      percent_print(v, digits, body);
      snprintf(suffix, NUMBER_MAX, "%s", u.name);
      break;
    case DRESS_RATIO:
    case DRESS_PLAIN: plain_print(v, digits, ascii, u.name, body, suffix); break;
    }
  }
  if (v == 0 && u.dress != DRESS_PERCENT) snprintf(body, sizeof body, "0");
  snprintf(at, (size_t)(NUMBER_MAX - (at - value)), "%.30s", body);
}

char *number_print(char out[NUMBER_MAX], double v, const char *unit, int digits, bool ascii) {
  char value[NUMBER_MAX], suffix[NUMBER_MAX];
  number_split(v, unit, digits, ascii, value, suffix);
  bool joined = *suffix == '\0' || strcmp(unit, "x") == 0; /* "3.20×" is one word */
  snprintf(out, NUMBER_MAX, "%.16s%s%.14s", value, joined ? "" : " ", suffix);
  return out;
}

/* ---- for programs ---- */

static double text_value(const char *s) {
  char copy[NUMBER_MAX];
  snprintf(copy, sizeof copy, "%s", s);
  char point = *localeconv()->decimal_point, *at = strchr(copy, '.');
  if (at && point) *at = point;
  return strtod(copy, NULL);
}

/* The fewest digits that read back as v. */
static void shortest(char out[NUMBER_MAX], double v) {
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(out, NUMBER_MAX, "%.*g", digits, v);
    point_fix(out);
    if (text_value(out) == v) return;
  }
}

char *number_exact(char out[NUMBER_MAX], double v) {
  if (!isfinite(v))
    snprintf(out, NUMBER_MAX, "null");
  else if (v == floor(v) && fabs(v) < 1e15)
    snprintf(out, NUMBER_MAX, "%.0f", v == 0 ? 0.0 : v);
  else
    shortest(out, v);
  return out;
}

char *number_key(char out[NUMBER_MAX], double v) {
  if (!isfinite(v)) {
    snprintf(out, NUMBER_MAX, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    return out;
  }
  char text[NUMBER_MAX];
  shortest(text, v);
  char *e = strchr(text, 'e');
  int exponent = e ? atoi(e + 1) : 0;
  if (e) *e = '\0';
  if (e && exponent > 0 && fabs(v) < 1e8 && v == floor(v))
    snprintf(out, NUMBER_MAX, "%.0f", v); /* 1e+05 reads better as 100000 */
  else if (e)
    snprintf(out, NUMBER_MAX, "%.24se%d", text, exponent);
  else {
    snprintf(out, NUMBER_MAX, "%s", text);
    size_t n = strlen(text), zeros = 0;
    while (n > zeros + 1 && text[n - 1 - zeros] == '0') zeros++;
    if (!strchr(text, '.') && zeros >= 6) snprintf(out, NUMBER_MAX, "%.*se%d", (int)(n - zeros), text, (int)zeros); /* 7000000000 as 7e9 */
  }
  return out;
}

/* ---- axes ---- */

char *number_tick(char out[NUMBER_MAX], double v) {
  double a = fabs(v);
  if (!isfinite(v)) return number_print(out, v, "1", 3, true);
  if (v == 0)
    snprintf(out, NUMBER_MAX, "0");
  else if (a < 0.0009999 || a >= 1e16) {
    snprintf(out, NUMBER_MAX, "%.3g", v);
    char *e = strchr(out, 'e');
    if (e) {
      int exponent = atoi(e + 1);
      snprintf(e, (size_t)(NUMBER_MAX - (e - out)), "e%d", exponent);
    }
  } else {
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int power = 0;
    double scaled = v;
    while (fabs(scaled) >= (power ? 999.9999 : 9999.5) && power < 5) scaled /= 1000, power++;
    snprintf(out, NUMBER_MAX, "%.6g%s", scaled, prefix[power]);
  }
  point_fix(out);
  return out;
}

void number_axis(double lo, double hi, const char *unit, bool ascii, double *scale, char name[NUMBER_MAX]) {
  struct unit_row u = unit_of(unit);
  *scale = 1;
  if (u.dress == DRESS_PERCENT) *scale = 0.01;
  bool prefixes = u.dress == DRESS_SI || u.dress == DRESS_TIME;
  if (!prefixes || !(hi > 0) || !isfinite(hi)) {
    snprintf(name, NUMBER_MAX, "%s", ascii && u.dress == DRESS_RATIO ? "x" : u.name);
    return;
  }
  /* The prefix under which the labels need the fewest characters: hi below 10000 and lo above 0.1 cost nothing. */
  int best = 0, lowest = u.dress == DRESS_TIME || strcmp(u.name, "W") == 0 ? -4 : 0, highest = u.dress == DRESS_TIME ? 0 : 6;
  double best_cost = INFINITY;
  for (int power = lowest; power <= highest; power++) {
    double top = log10(hi) - 3 * power, bottom = lo > 0 && lo < hi ? log10(lo) - 3 * power : top;
    double cost = (top > 3.001 ? (top - 3) * 1.5 : 0) + (top < -0.001 ? -top * 3 : 0) + (bottom < 0 ? -bottom : 0);
    if (cost < best_cost - 1e-9) best_cost = cost, best = power;
  }
  *scale = pow(1000, best);
  if (best < 0) *scale = 1 / pow(1000, -best);
  snprintf(name, NUMBER_MAX, "%s%s", prefix_si(best, ascii), u.name);
}

const char *number_si(const char *unit) {
  static const char *const plain[] = {"%", "x", "n"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(unit, plain[i]) == 0) return "1";
  return strcmp(unit, "iB") == 0 ? "byte" : unit;
}
