/* body_layer: what a layer of a transformer needs beside products, norm and softmax: activations, their slopes, the backward passes of norm
 * and softmax, turns by position, a matrix turned round. Included by body.h once per data type: no guard. */

/* 1/(1 + e^-x); far below zero exp would overflow, and nothing is left of the result anyway. */
static inline VEC NAME(sigmoid)(VEC x) {
  return VEC_SPLAT(1) / (VEC_SPLAT(1) + NAME(vec_exp)(-NAME(vec_max)(x, VEC_SPLAT(-80))));
}

/* The loop of an element-wise operation: `step` does one register at i with LOAD and STORE, the rest as a part of one. */
#define LAYER_LOOP(step)                                                                                                                   \
  size_t i = 0;                                                                                                                            \
  for (; i + LANES <= n; i += LANES) step(VEC_LOAD, VEC_STORE);                                                                            \
  if (i < n) step(LAYER_PART, LAYER_PART_STORE)
#define LAYER_PART(p) NAME(vec_part)(p, n - i, 0)
#define LAYER_PART_STORE(p, v) NAME(vec_part_store)(p, n - i, v)

/* z = silu(g)·u */
static void NAME(silu_gate)(void *z, const void *g, const void *u, size_t n) {
  REAL *out = z;
  const REAL *gate = g, *up = u;
#define STEP(LOAD, STORE)                                                                                                                  \
  do {                                                                                                                                     \
    VEC x = LOAD(gate + i);                                                                                                                \
    STORE(out + i, x * NAME(sigmoid)(x) * LOAD(up + i));                                                                                   \
  } while (0)
  LAYER_LOOP(STEP);
#undef STEP
}

/* silu' = s + x·s·(1 - s) with s the sigmoid. */
static void NAME(silu_gate_back)(void *dg, void *du, const void *dz, const void *g, const void *u, size_t n) {
  REAL *to_gate = dg, *to_up = du;
  const REAL *from = dz, *gate = g, *up = u;
#define STEP(LOAD, STORE)                                                                                                                  \
  do {                                                                                                                                     \
    VEC x = LOAD(gate + i), d = LOAD(from + i), s = NAME(sigmoid)(x);                                                                      \
    VEC slope = s + x * s * (VEC_SPLAT(1) - s), by = LOAD(up + i);                                                                         \
    STORE(to_up + i, d * x * s);                                                                                                           \
    STORE(to_gate + i, d * by * slope);                                                                                                    \
  } while (0)
  LAYER_LOOP(STEP);
#undef STEP
}

/* gelu in its tanh form: x·sigmoid(2c(x + 0.044715 x³)), c = √(2/π). */
#ifndef GELU_TWICE
#define GELU_TWICE 1.5957691216057308
#define GELU_CUBE 0.044715
#endif
static void NAME(gelu)(void *z, const void *u, size_t n) {
  REAL *out = z;
  const REAL *up = u;
#define STEP(LOAD, STORE)                                                                                                                  \
  do {                                                                                                                                     \
    VEC x = LOAD(up + i);                                                                                                                  \
    STORE(out + i, x * NAME(sigmoid)(VEC_SPLAT(GELU_TWICE) * (x + VEC_SPLAT(GELU_CUBE) * x * x * x)));                                     \
  } while (0)
  LAYER_LOOP(STEP);
#undef STEP
}

static void NAME(gelu_back)(void *du, const void *dz, const void *u, size_t n) {
  REAL *to = du;
  const REAL *from = dz, *up = u;
#define STEP(LOAD, STORE)                                                                                                                  \
  do {                                                                                                                                     \
    VEC x = LOAD(up + i), square = x * x;                                                                                                  \
    VEC s = NAME(sigmoid)(VEC_SPLAT(GELU_TWICE) * (x + VEC_SPLAT(GELU_CUBE) * square * x));                                                \
    VEC inner = VEC_SPLAT(GELU_TWICE) * (VEC_SPLAT(1) + VEC_SPLAT(3 * GELU_CUBE) * square);                                                \
    STORE(to + i, LOAD(from + i) * (s + x * s * (VEC_SPLAT(1) - s) * inner));                                                              \
  } while (0)
  LAYER_LOOP(STEP);
#undef STEP
}
#undef LAYER_LOOP
#undef LAYER_PART
#undef LAYER_PART_STORE

/* ds = p·(dp - Σ p·dp)·scale, row by row. */
static void NAME(softmax_back)(void *ds, const void *dp, const void *p, size_t rows, size_t n, double scale) {
  for (size_t row = 0; row < rows; row++) {
    const REAL *share = (const REAL *)p + row * n, *from = (const REAL *)dp + row * n;
    REAL *to = (REAL *)ds + row * n, by = (REAL)scale, mean = (REAL)NAME(dot)(share, from, n);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
      VEC_STORE(to + i, VEC_LOAD(share + i) * (VEC_LOAD(from + i) - VEC_SPLAT(mean)) * VEC_SPLAT(by));
    for (; i < n; i++) to[i] = share[i] * (from[i] - mean) * by;
  }
}

/* Two sums over a row, each in registers and then the rest one by one. */
struct NAME(two) {
  double first, second;
};

static inline struct NAME(two) NAME(row_moments)(const REAL *x, size_t n) {
  VEC sum = VEC_SPLAT(0), square = VEC_SPLAT(0);
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) sum += VEC_LOAD(x + i);
  double total = NAME(vec_sum)(sum);
  for (; i < n; i++) total += (double)x[i];
  double mean = total / (double)n;
  VEC middle = VEC_SPLAT(mean);
  for (i = 0; i + LANES <= n; i += LANES) {
    VEC left = VEC_LOAD(x + i) - middle;
    square += left * left;
  }
  double all = NAME(vec_sum)(square);
  for (; i < n; i++) all += ((double)x[i] - mean) * ((double)x[i] - mean);
  return (struct NAME(two)){mean, 1 / sqrt(all / (double)n + LAYERNORM_EPSILON)};
}

/* With e = (x - mean)·inverse: dx = inverse·(dy·gain - mean(dy·gain) - e·mean(dy·gain·e)); dgain += dy·e, dshift += dy over the rows. */
static void NAME(layernorm_back)(void *dx, void *dgain, void *dshift, const void *dy, const void *x, const void *gain, size_t rows,
                                 size_t n) {
  REAL *to_gain = dgain, *to_shift = dshift;
  const REAL *g = gain;
  for (size_t row = 0; row < rows; row++) {
    const REAL *in = (const REAL *)x + row * n, *from = (const REAL *)dy + row * n;
    REAL *to = (REAL *)dx + row * n;
    struct NAME(two) m = NAME(row_moments)(in, n);
    REAL mean = (REAL)m.first, inverse = (REAL)m.second;
    VEC plain = VEC_SPLAT(0), along = VEC_SPLAT(0), middle = VEC_SPLAT(mean), by = VEC_SPLAT(inverse);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
      VEC d = VEC_LOAD(from + i), e = (VEC_LOAD(in + i) - middle) * by, dg = d * VEC_LOAD(g + i);
      plain += dg;
      along += dg * e;
      VEC_STORE(to_gain + i, VEC_LOAD(to_gain + i) + d * e);
      VEC_STORE(to_shift + i, VEC_LOAD(to_shift + i) + d);
    }
    double sum = NAME(vec_sum)(plain), product = NAME(vec_sum)(along);
    for (; i < n; i++) {
      REAL e = (in[i] - mean) * inverse;
      sum += (double)(from[i] * g[i]);
      product += (double)(from[i] * g[i] * e);
      to_gain[i] += from[i] * e;
      to_shift[i] += from[i];
    }
    REAL a = (REAL)(sum / (double)n), b = (REAL)(product / (double)n);
    VEC va = VEC_SPLAT(a), vb = VEC_SPLAT(b);
    for (i = 0; i + LANES <= n; i += LANES) {
      VEC e = (VEC_LOAD(in + i) - middle) * by;
      VEC_STORE(to + i, by * (VEC_LOAD(from + i) * VEC_LOAD(g + i) - va - e * vb));
    }
    for (; i < n; i++) to[i] = inverse * (from[i] * g[i] - a - (in[i] - mean) * inverse * b);
  }
}

/* y = x with every pair (i, i + half) turned by its angle, backwards where `back`; an odd last element stays. */
static void NAME(rotate)(void *y, const void *x, const void *cosine, const void *sine, size_t n, bool back) {
  REAL *out = y, sign = back ? -1 : 1;
  const REAL *in = x, *c = cosine, *s = sine;
  size_t half = n / 2, i = 0;
  for (; i + LANES <= half; i += LANES) {
    VEC a = VEC_LOAD(in + i), b = VEC_LOAD(in + half + i), cs = VEC_LOAD(c + i), sn = VEC_LOAD(s + i) * VEC_SPLAT(sign);
    VEC_STORE(out + i, a * cs - b * sn);
    VEC_STORE(out + half + i, b * cs + a * sn);
  }
  for (; i < half; i++) {
    REAL a = in[i], b = in[half + i], sn = s[i] * sign;
    out[i] = a * c[i] - b * sn;
    out[half + i] = b * c[i] + a * sn;
  }
  if (n % 2) out[n - 1] = in[n - 1];
}

/* to[columns × rows] = from[rows × columns] turned round, a square of it at a time so that neither side's lines are lost in between. */
static void NAME(turn)(void *to, size_t to_row, const void *from, size_t from_row, size_t rows, size_t columns) {
  enum { SIDE = 16 };
  for (size_t r0 = 0; r0 < rows; r0 += SIDE)
    for (size_t c0 = 0; c0 < columns; c0 += SIDE) {
      size_t r1 = rows - r0 < SIDE ? rows : r0 + SIDE, c1 = columns - c0 < SIDE ? columns : c0 + SIDE;
      for (size_t c = c0; c < c1; c++)
        for (size_t r = r0; r < r1; r++) ((REAL *)to)[c * to_row + r] = ((const REAL *)from)[r * from_row + c];
    }
}
