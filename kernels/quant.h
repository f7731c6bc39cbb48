/* quant: a matrix of weights stored in fewer bits: bf16; int8 with a scale for each row; int4 with a scale for each group of QUANT_GROUP
 * neighbours in a row. A stored integer q stands for q·scale, scale = the largest magnitude of its row or group over the largest integer
 * (127 or 7). Two int4 share a byte, the earlier one in its low half. Rows are filled up with zeros to whole runs of QUANT_RUN, so that no
 * loop has a tail; those zeros are storage, not work. The functions here are the plain ones that the fast loops are held against. */
#ifndef RIDGE_QUANT_H
#define RIDGE_QUANT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/dtype.h"

enum { QUANT_RUN = 128 };

struct quant {
  enum dtype dtype;    /* bf16, int8 or int4 */
  size_t rows, n;      /* as asked */
  size_t padded;       /* n in whole runs: values stored in a row */
  size_t row_byte;     /* of `padded` values, scales left out */
  size_t groups;       /* scales in a row: 0, 1, or one for each group of `padded` */
  unsigned char *byte; /* [rows][row_byte] */
  float *scale;        /* [rows][groups] */
};

/* Whether weights can be stored so. */
bool quant_stores(enum dtype t);
/* Values that share one 32-bit word: 2, 4, 8. */
int quant_word(enum dtype t);
/* Everything but the two pointers. */
struct quant quant_of(enum dtype t, size_t rows, size_t n);
/* Stores a row of n values, rounded to the nearest that can be stored (bf16: ties to even). */
void quant_row(const struct quant *q, size_t row, const float *x);
/* The value that element i of a row stands for, i < padded. */
double quant_get(const struct quant *q, size_t row, size_t i);

#endif
