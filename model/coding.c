#include "model/coding.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct coding_part table[CODING_N] = {
    [CODING_FP64] = {"fp64", 1, 11, 52, 1023, 64, TOP_IEEE}, [CODING_FP32] = {"fp32", 1, 8, 23, 127, 32, TOP_IEEE},
    [CODING_TF32] = {"tf32", 1, 8, 10, 127, 32, TOP_IEEE},   [CODING_BF16] = {"bf16", 1, 8, 7, 127, 16, TOP_IEEE},
    [CODING_FP16] = {"fp16", 1, 5, 10, 15, 16, TOP_IEEE},    [CODING_E4M3] = {"fp8-e4m3", 1, 4, 3, 7, 8, TOP_NAN_ONLY},
    [CODING_E5M2] = {"fp8-e5m2", 1, 5, 2, 15, 8, TOP_IEEE},  [CODING_E2M1] = {"fp4-e2m1", 1, 2, 1, 1, 4, TOP_FINITE},
    [CODING_INT8] = {"int8", 1, 0, 7, 0, 8, TOP_INTEGER},    [CODING_INT4] = {"int4", 1, 0, 3, 0, 4, TOP_INTEGER},
};

const struct coding_part *coding_part(enum coding f) {
  assert(f < CODING_N);
  return &table[f];
}

const char *coding_name(enum coding f) { return coding_part(f)->name; }

int coding_bits(enum coding f) {
  const struct coding_part *p = coding_part(f);
  return p->sign + p->exponent + p->mantissa;
}

static bool is_integer(enum coding f) { return table[f].top == TOP_INTEGER; }
static uint64_t bit(int n) { return (uint64_t)1 << n; }

/* Without the sign: the largest finite code, and what stands for "too large". */
static uint64_t code_largest(const struct coding_part *p) {
  uint64_t end = bit(p->exponent + p->mantissa);
  return p->top == TOP_IEEE ? end - bit(p->mantissa) - 1 : p->top == TOP_NAN_ONLY ? end - 2 : end - 1;
}
static uint64_t code_beyond(const struct coding_part *p) { return p->top == TOP_FINITE ? code_largest(p) : code_largest(p) + 1; }
static uint64_t code_nan(const struct coding_part *p) {
  uint64_t end = bit(p->exponent + p->mantissa);
  return p->top == TOP_IEEE ? end - bit(p->mantissa - 1) : p->top == TOP_NAN_ONLY ? end - 1 : 0;
}

static uint64_t integer_encode(enum coding f, double x) {
  double most = coding_largest(f), least = coding_lowest(f);
  if (isnan(x)) return 0;
  double whole = x > most ? most : x < least ? least : rint(x);
  return (uint64_t)(int64_t)whole & (bit(coding_bits(f)) - 1);
}

uint64_t coding_encode(enum coding f, double x, bool saturate) {
  const struct coding_part *p = coding_part(f);
  if (is_integer(f)) return integer_encode(f, x);
  if (isnan(x)) return code_nan(p);
  uint64_t sign = signbit(x) ? bit(p->exponent + p->mantissa) : 0;
  double size = fabs(x);
  int e;
  if (isinf(size)) return sign | (saturate ? code_largest(p) : code_beyond(p));
  frexp(size, &e);
  int least = 1 - p->bias, at = size == 0 || e - 1 < least ? least : e - 1;
  /* In units of the last place. A carry into the exponent comes out right by itself: the fields lie side by side. */
  double units = rint(ldexp(size, p->mantissa - at));
  uint64_t code = ((uint64_t)(at - least) << p->mantissa) + (uint64_t)units;
  if (at - least > 1 << p->exponent || code > code_largest(p)) code = saturate ? code_largest(p) : code_beyond(p);
  return sign | code;
}

double coding_decode(enum coding f, uint64_t code) {
  const struct coding_part *p = coding_part(f);
  if (is_integer(f)) {
    int bits = coding_bits(f);
    int64_t value = (int64_t)(code & (bit(bits) - 1));
    return (double)(code & bit(bits - 1) ? value - (int64_t)bit(bits) : value);
  }
  uint64_t mantissa = code & (bit(p->mantissa) - 1), field = code >> p->mantissa & (bit(p->exponent) - 1);
  bool negative = code >> (p->exponent + p->mantissa) & 1;
  enum coding_class class = coding_class(f, code);
  if (class == CLASS_NAN) return NAN;
  if (class == CLASS_INFINITE) return negative ? -INFINITY : INFINITY;
  double units = (double)(field ? mantissa + bit(p->mantissa) : mantissa);
  double size = ldexp(units, (field ? (int)field : 1) - p->bias - p->mantissa);
  return negative ? -size : size;
}

static double power_of_two(int e) { /* e in -1022 … 1023 */
  uint64_t word = (uint64_t)(1023 + e) << 52;
  double x;
  memcpy(&x, &word, sizeof x);
  return x;
}

/* Through the code where the ends of the range are near. Between them the last place of x's binade is known, and adding so much that a
 * double's last place is the same lets its own arithmetic round to nearest even: a frame rounds some ten thousand values. */
double coding_round(enum coding f, double x, bool saturate) {
  const struct coding_part *p = coding_part(f);
  double size = fabs(x);
  if (is_integer(f) || p->mantissa > 50 || !(size < power_of_two((1 << p->exponent) - 2 - p->bias)))
    return coding_decode(f, coding_encode(f, x, saturate));
  uint64_t word;
  double binade, least = power_of_two(1 - p->bias);
  memcpy(&word, &size, sizeof word);
  word &= (uint64_t)0x7ff << 52;
  memcpy(&binade, &word, sizeof binade);
  double much = (binade < least ? least : binade) * (0x1.8p52 * power_of_two(-p->mantissa));
  return copysign(size + much - much, x);
}

enum coding_class coding_class(enum coding f, uint64_t code) {
  const struct coding_part *p = coding_part(f);
  if (is_integer(f)) return CLASS_INTEGER;
  uint64_t size = code & (bit(p->exponent + p->mantissa) - 1);
  if (size == 0) return CLASS_ZERO;
  if (size < bit(p->mantissa)) return CLASS_SUBNORMAL;
  if (size <= code_largest(p)) return CLASS_NORMAL;
  return p->top == TOP_IEEE && size == code_beyond(p) ? CLASS_INFINITE : CLASS_NAN;
}

const char *coding_class_name(enum coding_class c) {
  static const char *const name[] = {"zero", "subnormal", "normal", "infinity", "not a number", "integer"};
  return name[c];
}

double coding_largest(enum coding f) {
  return is_integer(f) ? ldexp(1, table[f].mantissa) - 1 : coding_decode(f, code_largest(coding_part(f)));
}
double coding_lowest(enum coding f) { return is_integer(f) ? -ldexp(1, table[f].mantissa) : -coding_largest(f); }
double coding_least_normal(enum coding f) { return is_integer(f) ? 1 : ldexp(1, 1 - coding_part(f)->bias); }
double coding_least_subnormal(enum coding f) { return is_integer(f) ? 1 : ldexp(1, 1 - coding_part(f)->bias - table[f].mantissa); }

double coding_spacing(enum coding f, double x) {
  const struct coding_part *p = coding_part(f);
  double size = fabs(coding_round(f, x, false));
  int e;
  if (!isfinite(size)) return NAN;
  if (is_integer(f)) return 1;
  frexp(size, &e);
  int least = 1 - p->bias;
  return ldexp(1, (size == 0 || e - 1 < least ? least : e - 1) - p->mantissa);
}

double coding_next(enum coding f, double x, int direction) {
  const struct coding_part *p = coding_part(f);
  double now = coding_round(f, x, true);
  if (is_integer(f)) {
    double next = now + direction;
    return next > coding_largest(f) || next < coding_lowest(f) ? now : next;
  }
  /* Sign and size as one row of whole numbers around zero. */
  uint64_t end = bit(p->exponent + p->mantissa), code = coding_encode(f, now, true);
  int64_t size = (int64_t)(code & (end - 1)), place = code & end ? -size : size, last = (int64_t)code_largest(p);
  place += direction;
  if (place > last) place = last;
  if (place < -last) place = -last;
  return coding_decode(f, place < 0 ? end | (uint64_t)-place : (uint64_t)place);
}

double coding_digits(enum coding f) { return is_integer(f) ? log10(ldexp(1, table[f].mantissa)) : (table[f].mantissa + 1) * log10(2); }
