#include "kernels/quant.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

bool quant_stores(enum dtype t) { return t == DTYPE_BF16 || t == DTYPE_INT8 || t == DTYPE_INT4; }

int quant_word(enum dtype t) {
  assert(quant_stores(t));
  return t == DTYPE_BF16 ? 2 : t == DTYPE_INT8 ? 4 : 8;
}

struct quant quant_of(enum dtype t, size_t rows, size_t n) {
  struct quant q = {.dtype = t, .rows = rows, .n = n, .padded = (n + QUANT_RUN - 1) / QUANT_RUN * QUANT_RUN};
  q.row_byte = q.padded / (size_t)quant_word(t) * 4;
  q.groups = t == DTYPE_INT8 ? 1 : t == DTYPE_INT4 ? q.padded / QUANT_GROUP : 0;
  return q;
}

static uint16_t bf16_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* n values that share a scale, from element `first` of the row on. */
static float integers_store(unsigned char *row, enum dtype t, size_t first, const float *x, size_t n) {
  float most = 0, limit = t == DTYPE_INT8 ? 127 : 7;
  for (size_t i = 0; i < n; i++) most = fmaxf(most, fabsf(x[i]));
  float scale = most / limit, inverse = most > 0 ? limit / most : 0;
  for (size_t i = 0; i < n; i++) {
    int q = (int)lrintf(x[i] * inverse);
    size_t at = first + i;
    if (t == DTYPE_INT8)
      row[at] = (unsigned char)q;
    else
      row[at / 2] = (unsigned char)(row[at / 2] | (q & 15) << (at % 2 ? 4 : 0));
  }
  return scale;
}

void quant_row(const struct quant *q, size_t row, const float *x) {
  unsigned char *to = q->byte + row * q->row_byte;
  memset(to, 0, q->row_byte);
  if (q->dtype == DTYPE_BF16) {
    for (size_t i = 0; i < q->n; i++) {
      uint16_t half = bf16_of(x[i]);
      memcpy(to + 2 * i, &half, sizeof half);
    }
    return;
  }
  size_t group = q->dtype == DTYPE_INT8 ? q->padded : QUANT_GROUP;
  for (size_t g = 0; g < q->groups; g++) {
    size_t first = g * group, n = first >= q->n ? 0 : q->n - first < group ? q->n - first : group;
    q->scale[row * q->groups + g] = integers_store(to, q->dtype, first, x + first, n);
  }
}

double quant_get(const struct quant *q, size_t row, size_t i) {
  const unsigned char *from = q->byte + row * q->row_byte;
  if (q->dtype == DTYPE_BF16) {
    uint16_t half;
    memcpy(&half, from + 2 * i, sizeof half);
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
  }
  if (q->dtype == DTYPE_INT8) return (double)(signed char)from[i] * (double)q->scale[row];
  int nibble = i % 2 ? from[i / 2] >> 4 : from[i / 2] & 15, value = nibble < 8 ? nibble : nibble - 16;
  return value * (double)q->scale[row * q->groups + i / QUANT_GROUP];
}
