/* body_ops: the inner loops of the element-wise and row-wise operations. Included by body.h once per data type: no guard.
 * Small arrays of registers under `#pragma GCC unroll` become variables of their own: the compiler unrolls them first. */

/* The bits of a register as unsigned integers, and a > b as a mask of ones: what exp needs beside arithmetic. */
#if VECTOR_BYTE > 0
typedef REAL_BITS NAME(bits) __attribute__((vector_size(VECTOR_BYTE)));
static inline NAME(bits) NAME(to_bits)(VEC v) { return (NAME(bits))v; }
static inline VEC NAME(to_real)(NAME(bits) b) { return (VEC)b; }
static inline NAME(bits) NAME(greater)(VEC a, VEC b) { return (NAME(bits))(a > b); }
/* By mask: a loop over the lanes is at times taken apart into single elements. */
static inline VEC NAME(vec_max)(VEC a, VEC b) {
  NAME(bits) first = NAME(greater)(a, b);
  return NAME(to_real)((NAME(to_bits)(a) & first) | (NAME(to_bits)(b) & ~first));
}
#else
typedef REAL_BITS NAME(bits);
static inline NAME(bits) NAME(to_bits)(VEC v) {
  union {
    REAL real;
    REAL_BITS bits;
  } u = {.real = v};
  return u.bits;
}
static inline VEC NAME(to_real)(NAME(bits) b) {
  union {
    REAL_BITS bits;
    REAL real;
  } u = {.bits = b};
  return u.real;
}
static inline NAME(bits) NAME(greater)(VEC a, VEC b) { return a > b ? ~(NAME(bits))0 : 0; }
static inline VEC NAME(vec_max)(VEC a, VEC b) { return a > b ? a : b; }
#endif

#ifndef BODY_OPS_ONCE
#define BODY_OPS_ONCE
/* exp(r) = 1 + r + r²·Q(r) for |r| ≤ ln 2 / 2, Q fitted at Chebyshev nodes: relative error 1.0e-8 for fp32, 1.7e-17 for fp64, so that
 * what remains is the rounding of the steps. Coefficients from the highest power down. */
#define EXP_Q_fp32(F) F(1.39261836e-3) F(8.36317906e-3) F(4.16665546e-2) F(1.66665770e-1) F(0.5)
#define EXP_Q_fp64(F)                                                                                                                      \
  F(2.51003854955103203e-08)                                                                                                               \
  F(2.76200884454097462e-07)                                                                                                               \
  F(2.75572684599970641e-06)                                                                                                               \
  F(2.48015212959543761e-05)                                                                                                               \
  F(1.98412698630536177e-04)                                                                                                               \
  F(1.38888889172137167e-03)                                                                                                               \
  F(8.33333333333006153e-03) F(4.16666666666241289e-02) F(1.66666666666666685e-01) F(5.00000000000000111e-01)
/* ln 2 in two parts: the first has so few bits that a whole number times it is exact. */
#define EXP_LN2_HIGH_fp32 0x1.63p-1
#define EXP_LN2_LOW_fp32 (-2.12194440054690574e-4)
#define EXP_LN2_HIGH_fp64 0x1.62e42feep-1
#define EXP_LN2_LOW_fp64 0x1.a39ef35793c76p-33
/* Adding 1.5 · 2^mantissa bits rounds to a whole number, which then stands in the lowest bits. */
#define EXP_MAGIC_fp32 0x1.8p23
#define EXP_MAGIC_fp64 0x1.8p52
#define EXP_SHIFT_fp32 23
#define EXP_SHIFT_fp64 52
#define EXP_LEAST_fp32 (-87.0)
#define EXP_LEAST_fp64 (-708.0)
#define BODY_OF(x) BODY_NAME2(x, REAL_TAG)
#endif

/* e^x, about 1 ulp, for x ≤ 88 (fp32) or 709 (fp64); 0 below -87 or -708, where the result would be denormal. The exponent of the result
 * is made by adding a whole number to the bits of a value near 1. */
static inline VEC NAME(vec_exp)(VEC x) {
  VEC magic = VEC_SPLAT(BODY_OF(EXP_MAGIC));
  VEC shifted = x * VEC_SPLAT(1.44269504088896340736) + magic, whole = shifted - magic;
  VEC r = x - whole * VEC_SPLAT(BODY_OF(EXP_LN2_HIGH));
  r = r - whole * VEC_SPLAT(BODY_OF(EXP_LN2_LOW));
  VEC q = VEC_SPLAT(0);
#define TERM(c) q = q * r + VEC_SPLAT(c);
  BODY_OF(EXP_Q)
  (TERM)
#undef TERM
      VEC near_one = r * r * q + r + VEC_SPLAT(1);
  NAME(bits) scaled = NAME(to_bits)(near_one) + (NAME(to_bits)(shifted) << BODY_OF(EXP_SHIFT));
  return NAME(to_real)(scaled & ~NAME(greater)(VEC_SPLAT(BODY_OF(EXP_LEAST)), x));
}

/* The last, incomplete register of an array: n < LANES elements, the rest filled with `rest`; and back. */
static inline VEC NAME(vec_part)(const REAL *p, size_t n, REAL rest) {
  REAL part[LANES];
  for (size_t i = 0; i < LANES; i++) part[i] = i < n ? p[i] : rest;
  return VEC_LOAD(part);
}
static inline void NAME(vec_part_store)(REAL *p, size_t n, VEC v) {
  REAL part[LANES];
  VEC_STORE(part, v);
  for (size_t i = 0; i < n; i++) p[i] = part[i];
}

static void NAME(exp_all)(void *y, const void *x, size_t n) {
  REAL *out = y;
  const REAL *in = x;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) VEC_STORE(out + i, NAME(vec_exp)(VEC_LOAD(in + i)));
  if (i < n) NAME(vec_part_store)(out + i, n - i, NAME(vec_exp)(NAME(vec_part)(in + i, n - i, 0)));
}

/* Eight sums side by side: a multiply-add takes four or five cycles, two loads feed one a cycle. */
static double NAME(dot)(const void *x, const void *y, size_t n) {
  const REAL *a = x, *b = y;
  VEC sum[8];
  size_t i = 0;
#pragma GCC unroll 8
  for (int j = 0; j < 8; j++) sum[j] = VEC_SPLAT(0);
  for (; i + 8 * LANES <= n; i += 8 * LANES) {
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) sum[j] += VEC_LOAD(a + i + j * LANES) * VEC_LOAD(b + i + j * LANES);
  }
  for (; i + LANES <= n; i += LANES) sum[0] += VEC_LOAD(a + i) * VEC_LOAD(b + i);
  double all = NAME(vec_sum)(((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
  for (; i < n; i++) all += (double)a[i] * (double)b[i];
  return all;
}

static void NAME(add)(void *z, const void *x, const void *y, size_t n) {
  REAL *out = z;
  const REAL *a = x, *b = y;
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) VEC_STORE(out + i + j * LANES, VEC_LOAD(a + i + j * LANES) + VEC_LOAD(b + i + j * LANES));
  }
  for (; i < n; i++) out[i] = a[i] + b[i];
}

static void NAME(saxpy)(void *y, const void *x, double a, size_t n) {
  REAL *out = y;
  const REAL *in = x;
  VEC va = VEC_SPLAT(a);
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) VEC_STORE(out + i + j * LANES, va * VEC_LOAD(in + i + j * LANES) + VEC_LOAD(out + i + j * LANES));
  }
  for (; i < n; i++) out[i] = (REAL)a * in[i] + out[i];
}

static void NAME(relu)(void *y, const void *x, size_t n) {
  REAL *out = y;
  const REAL *in = x;
  VEC zero = VEC_SPLAT(0);
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) VEC_STORE(out + i + j * LANES, NAME(vec_max)(VEC_LOAD(in + i + j * LANES), zero));
  }
  for (; i < n; i++) out[i] = in[i] > 0 ? in[i] : 0;
}

/* Two passes for the statistics (the mean first, then the squares of what is left: one pass would cancel), one to write. The row comes
 * from memory once and from a near cache the other times. */
static void NAME(layernorm)(void *y, const void *x, const void *gain, const void *shift, size_t rows, size_t n) {
  const REAL *g = gain, *s = shift;
  for (size_t row = 0; row < rows; row++) {
    const REAL *in = (const REAL *)x + row * n;
    REAL *out = (REAL *)y + row * n;
    VEC sum[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) sum[j] = VEC_SPLAT(0);
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; j++) sum[j] += VEC_LOAD(in + i + j * LANES);
    }
    double total = NAME(vec_sum)((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; i < n; i++) total += (double)in[i];
    double middle = total / (double)n;
    VEC mean = VEC_SPLAT(middle);

#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) sum[j] = VEC_SPLAT(0);
    for (i = 0; i + 4 * LANES <= n; i += 4 * LANES) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; j++) {
        VEC left = VEC_LOAD(in + i + j * LANES) - mean;
        sum[j] += left * left;
      }
    }
    double square = NAME(vec_sum)((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; i < n; i++) square += ((double)in[i] - middle) * ((double)in[i] - middle);
    double inverse = 1 / sqrt(square / (double)n + LAYERNORM_EPSILON);

    VEC scale = VEC_SPLAT(inverse);
    for (i = 0; i + LANES <= n; i += LANES) VEC_STORE(out + i, (VEC_LOAD(in + i) - mean) * scale * VEC_LOAD(g + i) + VEC_LOAD(s + i));
    for (; i < n; i++) out[i] = (in[i] - (REAL)middle) * (REAL)inverse * g[i] + s[i];
  }
}

static inline REAL NAME(row_max)(const REAL *in, size_t n) {
  VEC most[4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; j++) most[j] = VEC_SPLAT(-INFINITY);
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) most[j] = NAME(vec_max)(VEC_LOAD(in + i + j * LANES), most[j]);
  }
  VEC top = NAME(vec_max)(NAME(vec_max)(most[0], most[1]), NAME(vec_max)(most[2], most[3]));
  REAL max = VEC_LANE(top, 0);
  for (int j = 1; j < LANES; j++) max = VEC_LANE(top, j) > max ? VEC_LANE(top, j) : max;
  for (; i < n; i++) max = in[i] > max ? in[i] : max;
  return max;
}

/* out = exp(scale · (in - max)); returns the sum of what was written. */
static inline double NAME(row_exp)(REAL *out, const REAL *in, size_t n, REAL max, REAL scale) {
  VEC top = VEC_SPLAT(max), by = VEC_SPLAT(scale), sum[2];
  sum[0] = sum[1] = VEC_SPLAT(0);
  size_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; j++) {
      VEC e = NAME(vec_exp)((VEC_LOAD(in + i + j * LANES) - top) * by);
      VEC_STORE(out + i + j * LANES, e);
      sum[j] += e;
    }
  }
  for (; i < n; i += LANES) {
    size_t part = n - i < LANES ? n - i : LANES;
    VEC e = NAME(vec_exp)((NAME(vec_part)(in + i, part, -INFINITY) - top) * by); /* exp of what is not there is 0 */
    NAME(vec_part_store)(out + i, part, e);
    sum[0] += e;
  }
  return NAME(vec_sum)(sum[0] + sum[1]);
}

static inline void NAME(row_scale)(REAL *out, size_t n, REAL by) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) VEC_STORE(out + i, VEC_LOAD(out + i) * VEC_SPLAT(by));
  for (; i < n; i++) out[i] *= by;
}

/* The largest element is taken off first, so that no exponential overflows. */
static void NAME(softmax)(void *y, const void *x, size_t rows, size_t n, double scale) {
  for (size_t row = 0; row < rows; row++) {
    const REAL *in = (const REAL *)x + row * n;
    REAL *out = (REAL *)y + row * n;
    double sum = NAME(row_exp)(out, in, n, NAME(row_max)(in, n), (REAL)scale);
    NAME(row_scale)(out, n, (REAL)(1 / sum));
  }
}

/* Softmax over keys that come a tile at a time (Milakov and Gimelshein 2018; Dao 2022): when a larger score turns up, what was summed so
 * far is scaled down to the new maximum, and so is the output that was built from it. */
static void NAME(softmax_tile)(void *score, size_t rows, size_t n, double scale, void *max, void *sum, void *out, size_t width) {
  REAL *m = max, *total = sum;
  for (size_t row = 0; row < rows; row++) {
    REAL *s = (REAL *)score + row * n;
    REAL top = NAME(row_max)(s, n), old = m[row];
    if (!(top > old)) top = old;
    double added = NAME(row_exp)(s, s, n, top, (REAL)scale);
    if (top > old) {
      REAL shrink = VEC_LANE(NAME(vec_exp)(VEC_SPLAT((old - top) * (REAL)scale)), 0);
      m[row] = top;
      total[row] *= shrink;
      NAME(row_scale)((REAL *)out + row * width, width, shrink);
    }
    total[row] += (REAL)added;
  }
}

static void NAME(divide_rows)(void *y, const void *sum, size_t rows, size_t n) {
  for (size_t row = 0; row < rows; row++) NAME(row_scale)((REAL *)y + row * n, n, 1 / ((const REAL *)sum)[row]);
}

/* One output of the convolution at a left or right edge, where neighbours may be missing. */
static inline REAL NAME(depthwise_edge)(const REAL *const row[3], const REAL *f, size_t n, size_t j) {
  REAL sum = 0;
  for (int r = 0; r < 3; r++) {
    if (j > 0) sum += f[3 * r] * row[r][j - 1];
    sum += f[3 * r + 1] * row[r][j];
    if (j + 1 < n) sum += f[3 * r + 2] * row[r][j + 1];
  }
  return sum;
}

/* Rows [from, to) of one n×n plane. Above the first and below the last row stands a row of zeros: its filter weights become zero and the
 * middle row is read in its place. */
static void NAME(depthwise)(void *y, const void *x, const void *filter, size_t n, size_t from, size_t to) {
  const REAL *in = x, *weight = filter;
  for (size_t i = from; i < to; i++) {
    REAL f[9], *out = (REAL *)y + i * n;
    const REAL *const row[3] = {in + (i > 0 ? i - 1 : i) * n, in + i * n, in + (i + 1 < n ? i + 1 : i) * n};
    for (int t = 0; t < 9; t++) f[t] = (t < 3 && i == 0) || (t >= 6 && i + 1 == n) ? 0 : weight[t];
    out[0] = NAME(depthwise_edge)(row, f, n, 0);
    size_t j = 1;
    for (; j + LANES + 1 <= n; j += LANES) {
      VEC sum = VEC_SPLAT(0);
#pragma GCC unroll 3
      for (int r = 0; r < 3; r++) {
#pragma GCC unroll 3
        for (int t = 0; t < 3; t++) sum += VEC_SPLAT(f[3 * r + t]) * VEC_LOAD(row[r] + j + t - 1);
      }
      VEC_STORE(out + j, sum);
    }
    for (; j < n; j++) out[j] = NAME(depthwise_edge)(row, f, n, j);
  }
}
