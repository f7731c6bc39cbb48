/* coding: number formats as parameters, and exact conversion into and out of them. A real format is a sign, an exponent with a bias and a
 * mantissa without its leading one; subnormals fill the gap around zero (IEEE 754; the 8-bit ones: Micikevicius et al. 2022; 6 and 4 bits:
 * OCP MX 1.0). Rounding is to nearest, ties to even, in one step from a double. Integers are two's complement and always saturate.
 * A code is the pattern of bits, in the low `coding_bits` bits. Pure: no state. */
#ifndef RIDGE_CODING_H
#define RIDGE_CODING_H

#include <stdbool.h>
#include <stdint.h>

enum coding {
  CODING_FP64,
  CODING_FP32,
  CODING_TF32,
  CODING_BF16,
  CODING_FP16,
  CODING_E4M3,
  CODING_E5M2,
  CODING_E2M1,
  CODING_INT8,
  CODING_INT4,
  CODING_N
};
/* What the codes with the largest exponent mean. IEEE: infinity and NaN. NAN_ONLY: numbers, but for one NaN. FINITE: numbers. */
enum coding_top { TOP_IEEE, TOP_NAN_ONLY, TOP_FINITE, TOP_INTEGER };
enum coding_class { CLASS_ZERO, CLASS_SUBNORMAL, CLASS_NORMAL, CLASS_INFINITE, CLASS_NAN, CLASS_INTEGER };

struct coding_part {
  const char *name;
  int sign, exponent, mantissa, bias; /* bits of each; an integer has a sign and the rest in the mantissa */
  int held;                           /* bits a stored value takes: tf32 computes in 19 of 32 */
  enum coding_top top;
};

const struct coding_part *coding_part(enum coding f);
const char *coding_name(enum coding f); /* "fp16", "fp8-e4m3"… */
int coding_bits(enum coding f);         /* of a code: sign + exponent + mantissa */

/* x as a code. Too large: infinity, or the NaN where there is no infinity; the largest number when saturate, or where there is neither.
 * NaN: NaN, or 0 where there is none. */
uint64_t coding_encode(enum coding f, double x, bool saturate);
double coding_decode(enum coding f, uint64_t code); /* exact; may be infinite or NAN */
double coding_round(enum coding f, double x, bool saturate);
enum coding_class coding_class(enum coding f, uint64_t code);
const char *coding_class_name(enum coding_class c);

double coding_largest(enum coding f);
double coding_lowest(enum coding f);          /* the most negative number: -128 for int8 */
double coding_least_normal(enum coding f);    /* 1 for integers */
double coding_least_subnormal(enum coding f); /* the smallest number above 0; 1 for integers */
/* From |x|, rounded into the format, to the next number further from zero, as if the exponent had no end: 2 at 2048 in fp16. NAN when x
 * has no finite place there. */
double coding_spacing(enum coding f, double x);
/* The number after (direction +1) or before (-1) the one x rounds to; the last one when there is none. */
double coding_next(enum coding f, double x, int direction);
double coding_digits(enum coding f); /* decimal digits it can tell apart: (mantissa + 1) log10 2; integers: log10 of the largest */

#endif
