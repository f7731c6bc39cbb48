/* body_narrow: weights stored in fewer bits, widened to fp32 in registers. Included by body.h for fp32 only.
 *
 * Everything is read as 32-bit words, each with 2, 4 or 8 weights in it. A register of words holds its weights the wrong way round for a
 * row: the first ones of all words, then the second ones… Instead of putting them in order, which would take an instruction or two for each
 * register, the inputs are once copied into that same order. Two shifts take one weight of each word (bf16: one operation), a conversion
 * makes it fp32, a multiply-add uses it: the price of fewer bytes is these instructions. Rows are stored in whole runs, so there are no
 * tails. */
#if VECTOR_BYTE > 0
typedef uint32_t NAME(words) __attribute__((vector_size(VECTOR_BYTE)));
typedef int32_t NAME(signs) __attribute__((vector_size(VECTOR_BYTE)));
typedef uint32_t NAME(words_any) __attribute__((vector_size(VECTOR_BYTE), aligned(4), may_alias));
static inline VEC NAME(words_real)(NAME(words) w) { return (VEC)w; }
static inline VEC NAME(words_signed)(NAME(words) w, int shift) { return __builtin_convertvector((NAME(signs))w >> shift, VEC); }
#else
typedef uint32_t NAME(words);
typedef uint32_t NAME(words_any) __attribute__((may_alias));
static inline VEC NAME(words_real)(NAME(words) w) { return NAME(to_real)(w); }
static inline VEC NAME(words_signed)(NAME(words) w, int shift) { return (REAL)((int32_t)w >> shift); }
#endif

enum { NARROW_BANDS = 4, NARROW_AHEAD_BYTE = 1024, NARROW_LINE = 64, NARROW_WORDS = NARROW_LINE / 4, NARROW_ROWS = WEIGHT_ROWS };

typedef uint32_t NAME(word_any) __attribute__((may_alias));

static inline __attribute__((always_inline)) NAME(words) NAME(words_load)(const unsigned char *p) {
  return (NAME(words))(*(const NAME(words_any) *)(const void *)p);
}

/* The r-th weight of each word, scale left out. */
static inline __attribute__((always_inline)) VEC NAME(narrow_take)(NAME(words) w, const enum dtype t, const int r) {
  if (t == DTYPE_BF16) return NAME(words_real)(r == 0 ? w << 16 : w & 0xffff0000u);
  const int bits = t == DTYPE_INT8 ? 8 : 4;
  return NAME(words_signed)(w << (32 - bits * (r + 1)), 32 - bits);
}

/* Inputs in the order of use, `padded` long, zeros where there is nothing: as weights_pack does it, each register in the order of words. */
static void NAME(narrow_pack)(void *to, const void *x, size_t batch, size_t n, size_t padded, enum dtype t, int rank, int of) {
  const REAL *from = x;
  REAL *out = to;
  size_t stretch = WEIGHT_STRETCH_BYTE / REAL_BYTE, at = 0, each = t == DTYPE_BF16 ? 2 : t == DTYPE_INT8 ? 4 : 8;
  for (size_t p = 0; p < padded; p += stretch) {
    size_t length = padded - p < stretch ? padded - p : stretch;
    for (size_t b = 0; b < batch; b += WEIGHT_INPUTS) {
      size_t inputs = batch - b < WEIGHT_INPUTS ? batch - b : WEIGHT_INPUTS;
      if ((int)(at % (size_t)of) == rank)
        for (size_t i = 0; i < length; i += LANES)
          for (size_t l = 0; l < inputs; l++) {
            REAL *put = out + p * batch + b * length + i * inputs + l * LANES;
            size_t first = (p + i) / (each * LANES) * (each * LANES) + (p + i) / LANES % each;
            for (size_t lane = 0; lane < LANES; lane++) {
              size_t element = first + each * lane;
              put[lane] = element < n ? from[(b + l) * n + element] : 0;
            }
          }
      at++;
    }
  }
}

/* ---- one input ---- */

/* sum += the weights of `words` words at w, times x; the additions go to two sums in turn. */
static inline __attribute__((always_inline)) void NAME(narrow_add)(const unsigned char *w, const REAL *x, const enum dtype t,
                                                                   const int words, VEC *even, VEC *odd) {
  const int each = t == DTYPE_BF16 ? 2 : t == DTYPE_INT8 ? 4 : 8;
#pragma GCC unroll 4
  for (int v = 0; v < words / LANES; v++) {
    NAME(words) word = NAME(words_load)(w + v * LANES * 4);
#pragma GCC unroll 8
    for (int r = 0; r < each; r += 2) {
      *even += NAME(narrow_take)(word, t, r) * VEC_LOAD(x + (v * each + r) * LANES);
      *odd += NAME(narrow_take)(word, t, r + 1) * VEC_LOAD(x + (v * each + r + 1) * LANES);
    }
  }
}

/* One line of a row: 128 int4 are two groups with a scale each. */
static inline __attribute__((always_inline)) void NAME(narrow_line)(const unsigned char *w, const REAL *x, const REAL *scale,
                                                                    const enum dtype t, VEC *even, VEC *odd) {
  if (t != DTYPE_INT4) {
#if LANES > 1
    NAME(narrow_add)(w, x, t, NARROW_WORDS, even, odd);
#else /* unrolled by hand of the compiler, a line would be too long for its registers */
    const size_t each = t == DTYPE_BF16 ? 2 : 4;
    for (size_t v = 0; v < NARROW_WORDS; v++) NAME(narrow_add)(w + 4 * v, x + each * v, t, 1, even, odd);
#endif
    return;
  }
  VEC one = VEC_SPLAT(0), two = one;
#if LANES == 16
  NAME(narrow_add)(w, x, t, NARROW_WORDS, &one, &two);
  VEC by = VEC_SPLAT(scale[0]);
  for (int lane = 8; lane < LANES; lane++) by[lane] = scale[1];
  *even += (one + two) * by;
  (void)odd;
#elif LANES > 1
  VEC three = one, four = one;
  NAME(narrow_add)(w, x, t, NARROW_WORDS / 2, &one, &two);
  NAME(narrow_add)(w + NARROW_LINE / 2, x + QUANT_GROUP, t, NARROW_WORDS / 2, &three, &four);
  *even += (one + two) * VEC_SPLAT(scale[0]);
  *odd += (three + four) * VEC_SPLAT(scale[1]);
#else
  for (size_t v = 0; v < NARROW_WORDS / 2; v++) NAME(narrow_add)(w + 4 * v, x + 8 * v, t, 1, &one, &two);
  *even += (one + two) * scale[0];
  one = two = 0;
  for (size_t v = NARROW_WORDS / 2; v < NARROW_WORDS; v++) NAME(narrow_add)(w + 4 * v, x + 8 * v, t, 1, &one, &two);
  *odd += (one + two) * scale[1];
#endif
}

/* Rows j, j + band… side by side: each band is one long stream from memory. */
static inline __attribute__((always_inline)) void NAME(narrow_bands)(REAL *y, const REAL *x, const struct quant *q, size_t row, size_t band,
                                                                     const int bands, const enum dtype t) {
  const unsigned char *w = q->byte + row * q->row_byte;
  const REAL *scale = t == DTYPE_BF16 ? NULL : q->scale + row * q->groups;
  const size_t each = t == DTYPE_BF16 ? 2 : t == DTYPE_INT8 ? 4 : 8;
  VEC even[NARROW_BANDS], odd[NARROW_BANDS];
#pragma GCC unroll 4
  for (int b = 0; b < bands; b++) even[b] = odd[b] = VEC_SPLAT(0);
  for (size_t p = 0; p < q->row_byte; p += NARROW_LINE) {
#pragma GCC unroll 4
    for (int b = 0; b < bands; b++) {
      const unsigned char *from = w + (size_t)b * band * q->row_byte + p;
      __builtin_prefetch(from + NARROW_AHEAD_BYTE, 0, 3);
      NAME(narrow_line)
      (from, x + p / 4 * each, t == DTYPE_INT4 ? scale + (size_t)b * band * q->groups + p / NARROW_LINE * 2 : scale, t, &even[b], &odd[b]);
    }
  }
#pragma GCC unroll 4
  for (int b = 0; b < bands; b++) {
    double sum = NAME(vec_sum)(even[b] + odd[b]);
    y[(size_t)b * band] = (REAL)(t == DTYPE_INT8 ? sum * (double)scale[(size_t)b * band] : sum);
  }
}

static inline __attribute__((always_inline)) void NAME(narrow_one_of)(REAL *y, const REAL *x, const struct quant *q, size_t first,
                                                                      size_t last, const enum dtype t) {
  size_t band = (last - first) / NARROW_BANDS, j = first;
  for (; j < first + band; j++) NAME(narrow_bands)(y + j, x, q, j, band, NARROW_BANDS, t);
  for (j = first + band * NARROW_BANDS; j < last; j++) NAME(narrow_bands)(y + j, x, q, j, 0, 1, t);
}

/* ---- two to four inputs ---- */

/* Two rows side by side, each weight widened once and used by all inputs from its register. */
static inline __attribute__((always_inline)) void NAME(narrow_pair)(REAL *y, const REAL *x, const struct quant *q, size_t row, size_t band,
                                                                    const int inputs, const enum dtype t) {
  enum { ROWS = 2 };
  const size_t each = t == DTYPE_BF16 ? 2 : t == DTYPE_INT8 ? 4 : 8;
  const unsigned char *w = q->byte + row * q->row_byte;
  const REAL *scale = t == DTYPE_BF16 ? NULL : q->scale + row * q->groups;
  VEC s[ROWS * WEIGHT_INPUTS];
#pragma GCC unroll 8
  for (int i = 0; i < ROWS * inputs; i++) s[i] = VEC_SPLAT(0);
  for (size_t p = 0; p < q->row_byte; p += NARROW_LINE) {
    for (int b = 0; b < ROWS; b++) __builtin_prefetch(w + (size_t)b * band * q->row_byte + p + NARROW_AHEAD_BYTE, 0, 3);
#pragma GCC unroll 1
    for (size_t v = 0; v < NARROW_WORDS; v += LANES) {
      NAME(words) word[ROWS];
      VEC by[ROWS];
#pragma GCC unroll 2
      for (int b = 0; b < ROWS; b++) {
        word[b] = NAME(words_load)(w + (size_t)b * band * q->row_byte + p + 4 * v);
        by[b] = VEC_SPLAT(1);
        if (t != DTYPE_INT4) continue;
        const REAL *group = scale + (size_t)b * band * q->groups + (p / 4 + v) * each / QUANT_GROUP;
        by[b] = VEC_SPLAT(group[0]);
#if LANES == 16
        for (int lane = 8; lane < LANES; lane++) by[b][lane] = group[1];
#endif
      }
      const REAL *from = x + (p / 4 + v) * each * (size_t)inputs;
#pragma GCC unroll 8
      for (int r = 0; r < (int)each; r++) {
#pragma GCC unroll 2
        for (int b = 0; b < ROWS; b++) {
          VEC value = NAME(narrow_take)(word[b], t, r);
          if (t == DTYPE_INT4) value = value * by[b];
#pragma GCC unroll 4
          for (int l = 0; l < inputs; l++) s[b * inputs + l] += value * VEC_LOAD(from + (r * inputs + l) * LANES);
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int b = 0; b < ROWS; b++) {
    double by = t == DTYPE_INT8 ? (double)scale[(size_t)b * band] : 1;
#pragma GCC unroll 4
    for (int l = 0; l < inputs; l++) y[(size_t)l * q->n + (size_t)b * band] = (REAL)(by * NAME(vec_sum)(s[b * inputs + l]));
  }
}

static inline __attribute__((always_inline)) void NAME(narrow_pairs)(REAL *y, const REAL *x, const struct quant *q, size_t first,
                                                                     size_t band, size_t batch, const enum dtype t) {
  for (size_t j = first; j < first + band; j++) {
    if (batch == 2)
      NAME(narrow_pair)(y + j, x, q, j, band, 2, t);
    else if (batch == 3)
      NAME(narrow_pair)(y + j, x, q, j, band, 3, t);
    else
      NAME(narrow_pair)(y + j, x, q, j, band, 4, t);
  }
}

/* ---- many inputs ---- */

/* Weights [p, p + count) of a row as fp32, scaled, in the order of words; count in whole runs. */
static inline __attribute__((always_inline)) void NAME(narrow_widen_of)(REAL *to, const struct quant *q, size_t row, size_t p, size_t count,
                                                                        const enum dtype t) {
  const size_t each = t == DTYPE_BF16 ? 2 : t == DTYPE_INT8 ? 4 : 8;
  const unsigned char *w = q->byte + row * q->row_byte + p / each * 4;
  const REAL *scale = t == DTYPE_BF16 ? NULL : q->scale + row * q->groups;
  for (size_t i = 0; i < count; i += each * LANES) {
    NAME(words) word = NAME(words_load)(w + i / each * 4);
    if (i * 4 / each % NARROW_LINE == 0) __builtin_prefetch(w + i / each * 4 + NARROW_AHEAD_BYTE, 0, 3);
    VEC by = VEC_SPLAT(1);
    if (t == DTYPE_INT8) by = VEC_SPLAT(scale[0]);
    if (t == DTYPE_INT4) {
      by = VEC_SPLAT(scale[(p + i) / QUANT_GROUP]);
#if LANES == 16
      for (int lane = 8; lane < LANES; lane++) by[lane] = scale[(p + i) / QUANT_GROUP + 1];
#endif
    }
#pragma GCC unroll 8
    for (int r = 0; r < (int)each; r++) {
      VEC value = NAME(narrow_take)(word, t, r);
      VEC_STORE(to + i + (size_t)r * LANES, t == DTYPE_BF16 ? value : value * by);
    }
  }
}

static void NAME(narrow_widen)(REAL *to, const struct quant *q, size_t row, size_t p, size_t count) {
  if (q->dtype == DTYPE_BF16)
    NAME(narrow_widen_of)(to, q, row, p, count, DTYPE_BF16);
  else if (q->dtype == DTYPE_INT8)
    NAME(narrow_widen_of)(to, q, row, p, count, DTYPE_INT8);
  else
    NAME(narrow_widen_of)(to, q, row, p, count, DTYPE_INT4);
}

/* A stretch of a few rows is widened into a panel that stays in the nearest cache, and all inputs use it there. */
static void NAME(narrow_few)(REAL *y, const REAL *packed, const struct quant *q, size_t batch, size_t first, size_t last, REAL *scratch) {
  const size_t stretch = WEIGHT_STRETCH_BYTE / REAL_BYTE;
  REAL *panel = scratch, *sum = scratch + (NARROW_ROWS + 1) * stretch; /* a row more: the request for what comes next stays inside */
  for (size_t j = first; j < last; j += NARROW_ROWS) {
    int rows = last - j < NARROW_ROWS ? (int)(last - j) : NARROW_ROWS;
    for (size_t i = 0; i < (size_t)rows * batch * LANES; i++) sum[i] = 0;
    for (size_t p = 0; p < q->padded; p += stretch) {
      size_t length = q->padded - p < stretch ? q->padded - p : stretch;
      for (int r = 0; r < rows; r++) NAME(narrow_widen)(panel + (size_t)r * stretch, q, j + (size_t)r, p, length);
      NAME(weights_rows)(panel, stretch, panel, packed + p * batch, length, sum, batch, rows);
    }
    for (int r = 0; r < rows; r++)
      for (size_t b = 0; b < batch; b++) y[b * q->n + j + (size_t)r] = (REAL)NAME(vec_sum)(VEC_LOAD(sum + ((size_t)r * batch + b) * LANES));
  }
}

static void NAME(narrow)(void *y, const void *packed, const struct quant *q, size_t batch, size_t first, size_t last, void *scratch) {
  if (batch > 1 && batch <= WEIGHT_INPUTS) {
    size_t band = (last - first) / 2;
    if (q->dtype == DTYPE_BF16)
      NAME(narrow_pairs)(y, packed, q, first, band, batch, DTYPE_BF16);
    else if (q->dtype == DTYPE_INT8)
      NAME(narrow_pairs)(y, packed, q, first, band, batch, DTYPE_INT8);
    else
      NAME(narrow_pairs)(y, packed, q, first, band, batch, DTYPE_INT4);
    first += 2 * band; /* an odd row is left */
  }
  if (batch > 1)
    NAME(narrow_few)(y, packed, q, batch, first, last, scratch);
  else if (q->dtype == DTYPE_BF16)
    NAME(narrow_one_of)(y, packed, q, first, last, DTYPE_BF16);
  else if (q->dtype == DTYPE_INT8)
    NAME(narrow_one_of)(y, packed, q, first, last, DTYPE_INT8);
  else
    NAME(narrow_one_of)(y, packed, q, first, last, DTYPE_INT4);
}

/* ---- storing ---- */

/* what quant_row does, in loops the compiler can do several elements at a time. */
static void NAME(narrow_store)(const struct quant *q, size_t row, const void *x) {
  const REAL *from = x;
  unsigned char *to = q->byte + row * q->row_byte;
  size_t n = q->n, group = q->dtype == DTYPE_INT8 ? q->padded : QUANT_GROUP;
  if (q->dtype == DTYPE_BF16) {
    const NAME(word_any) *bits = x;
    uint16_t *half = (uint16_t *)(void *)to;
    for (size_t i = 0; i < n; i++) half[i] = (uint16_t)((bits[i] + 0x7fff + (bits[i] >> 16 & 1)) >> 16);
    for (size_t i = n; i < q->padded; i++) half[i] = 0;
    return;
  }
  for (size_t i = n; q->dtype == DTYPE_INT8 && i < q->padded; i++) to[i] = 0;
  REAL limit = q->dtype == DTYPE_INT8 ? 127 : 7, magic = 0x1.8p23f; /* adding it rounds to a whole number in the lowest bits */
  for (size_t g = 0; g < q->groups; g++) {
    size_t first = g * group, count = first >= n ? 0 : n - first < group ? n - first : group;
    const NAME(word_any) *bits = (const NAME(word_any) *)(const void *)(from + first);
    uint32_t most_bits = 0; /* magnitudes compare as their bits do */
    for (size_t i = 0; i < count; i++) most_bits = (bits[i] & 0x7fffffffu) > most_bits ? bits[i] & 0x7fffffffu : most_bits;
    union {
      uint32_t bits;
      REAL real;
    } most = {most_bits};
    q->scale[row * q->groups + g] = most.real / limit;
    REAL inverse = most.real > 0 ? limit / most.real : 0;
    if (q->dtype == DTYPE_INT8) {
      for (size_t i = 0; i < count; i++) {
        union {
          REAL real;
          uint32_t bits;
        } v = {from[first + i] * inverse + magic};
        to[first + i] = (unsigned char)v.bits;
      }
      continue;
    }
    unsigned char nibble[QUANT_GROUP] = {0};
    for (size_t i = 0; i < count; i++) {
      union {
        REAL real;
        uint32_t bits;
      } v = {from[first + i] * inverse + magic};
      nibble[i] = (unsigned char)(v.bits & 15);
    }
    for (size_t i = 0; i < QUANT_GROUP / 2; i++) to[first / 2 + i] = (unsigned char)(nibble[2 * i] | nibble[2 * i + 1] << 4);
  }
}

static const struct lanes_narrow NAME(lanes_narrow) = {
    .pack = NAME(narrow_pack),
    .weights = NAME(narrow),
    .store = NAME(narrow_store),
    .scratch = WEIGHT_ROWS * LANES,
    .scratch_least = (NARROW_ROWS + 1) * (WEIGHT_STRETCH_BYTE / REAL_BYTE),
};
