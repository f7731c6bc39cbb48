#include "model/packing.h"

#include <assert.h>
#include <math.h>

enum method { PLAIN, SCALED, GRID, SUPER, TABLE, MICRO, NONE };

/* weight: bits of a weight. scale: bits of what each `group` weights carry. super: bits of what each `block` carries besides. */
static const struct packing_part {
  const char *name, *words;
  enum method method;
  enum coding coding; /* of a plain or scaled number */
  double weight, scale, super;
  int group, block; /* 0: the whole tensor */
  bool zero;        /* the range need not be even around 0: a least value is stored too */
} table[PACKING_N] = {
    [PACKING_FP32] = {"fp32", "a number each", PLAIN, CODING_FP32, 32, 0, 0, 1, 1, false},
    [PACKING_BF16] = {"bf16", "a number each", PLAIN, CODING_BF16, 16, 0, 0, 1, 1, false},
    [PACKING_FP16] = {"fp16", "a number each", PLAIN, CODING_FP16, 16, 0, 0, 1, 1, false},
    [PACKING_FP8] = {"fp8", "e4m3, one scale a tensor", SCALED, CODING_E4M3, 8, 0, 0, 0, 1, false},
    [PACKING_INT8] = {"int8", "one scale a tensor", GRID, CODING_INT8, 8, 0, 0, 0, 1, false},
    [PACKING_Q8_0] = {"q8_0", "32 share an fp16 scale", GRID, CODING_INT8, 8, 16, 0, 32, 32, false},
    [PACKING_Q6_K] = {"q6_k", "16 share 8 bits, 256 an fp16", SUPER, CODING_INT8, 6, 8, 16, 16, 256, false},
    [PACKING_Q5_K] = {"q5_k", "32 share 6+6 bits, 256 two fp16", SUPER, CODING_INT8, 5, 12, 32, 32, 256, true},
    [PACKING_Q4_K] = {"q4_k", "32 share 6+6 bits, 256 two fp16", SUPER, CODING_INT8, 4, 12, 32, 32, 256, true},
    [PACKING_Q4_0] = {"q4_0", "32 share an fp16 scale", GRID, CODING_INT8, 4, 16, 0, 32, 32, false},
    [PACKING_INT4_G64] = {"int4-g64", "64 share an fp32 scale", GRID, CODING_INT4, 4, 32, 0, 64, 64, false},
    [PACKING_NF4] = {"nf4", "64 share an fp32 scale", TABLE, CODING_INT4, 4, 32, 0, 64, 64, false},
    [PACKING_NVFP4] = {"nvfp4", "e2m1, 16 share an fp8 scale", MICRO, CODING_E2M1, 4, 8, 0, 16, 16, false},
    [PACKING_MXFP4] = {"mxfp4", "e2m1, 32 share a power of 2", MICRO, CODING_E2M1, 4, 8, 0, 32, 32, false},
    [PACKING_GPTQ] = {"gptq-g128", "128 share fp16 and a 4-bit zero", GRID, CODING_INT4, 4, 20, 0, 128, 128, true},
    [PACKING_NF4_DQ] = {"nf4-dq", "64 share 8 bits, 16384 an fp32", TABLE, CODING_INT4, 4, 8, 32, 64, 16384, false},
    [PACKING_INT4] = {"int4", "one scale a tensor", GRID, CODING_INT4, 4, 0, 0, 0, 1, false},
    [PACKING_Q3_K] = {"q3_k", "16 share 6 bits, 256 an fp16", SUPER, CODING_INT8, 3, 6, 16, 16, 256, false},
    [PACKING_Q2_K] = {"q2_k", "16 share 4+4 bits, 256 two fp16", SUPER, CODING_INT8, 2, 8, 32, 16, 256, true},
    [PACKING_FREE] = {"free", "as typed", NONE, CODING_FP64, NAN, 0, 0, 1, 1, false},
};

static const struct packing_part *part(enum packing p) {
  assert(p < PACKING_N);
  return &table[p];
}

const char *packing_name(enum packing p) { return part(p)->name; }
const char *packing_words(enum packing p) { return part(p)->words; }
int packing_block(enum packing p) { return part(p)->block; }

double packing_scale_bits(enum packing p) {
  const struct packing_part *t = part(p);
  return (t->group ? t->scale / t->group : 0) + t->super / t->block;
}

double packing_bits(enum packing p) { return part(p)->weight + packing_scale_bits(p); }

double packing_least_error(double bits) { return exp2(-bits); }

const char *grain_name(enum grain g) {
  static const char *const name[] = {"tensor", "channel", "group"};
  return name[g];
}

static double half(double x) { return coding_round(CODING_FP16, x, true); }

static double magnitude(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* ---- integers with a scale ---- */

static double grid_end(int bits) { return ldexp(1, bits - 1) - 1; }

double quantise_scale(const double *x, int n, int bits) { return magnitude(x, n) / grid_end(bits); }

double quantise_code(double x, double scale, int bits) {
  double end = grid_end(bits), q = scale > 0 ? rint(x / scale) : 0;
  return q > end ? end : q < -end ? -end : q;
}

void quantise_store(const double *x, int n, int group, int bits, double *out) {
  for (int at = 0; at < n; at += group) {
    int here = n - at < group ? n - at : group;
    double s = quantise_scale(x + at, here, bits);
    for (int i = at; i < at + here; i++) out[i] = quantise_code(x[i], s, bits) * s;
  }
}

/* Whole steps from `least` up; 0 when there is no step. */
static double step_code(double x, double least, double step, double last) {
  double q = step > 0 ? rint((x - least) / step) : 0;
  return q < 0 ? 0 : q > last ? last : q;
}

/* 2^bits values, the extreme one on the longer side reached exactly: one more step on the side of the largest magnitude. */
static void store_lopsided(const double *x, int n, int bits, double *out) {
  double far = 0, end = ldexp(1, bits - 1);
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) > fabs(far)) far = x[i];
  double step = half(far / -end);
  for (int i = 0; i < n; i++) {
    double q = step != 0 ? rint(x[i] / step) : 0;
    out[i] = (q < -end ? -end : q > end - 1 ? end - 1 : q) * step;
  }
}

/* A whole number of steps as zero, so that 0 stays 0. */
static void store_zero(const double *x, int n, int bits, double *out) {
  double lo = 0, hi = 0, last = ldexp(1, bits) - 1;
  for (int i = 0; i < n; i++) lo = fmin(lo, x[i]), hi = fmax(hi, x[i]);
  double step = half((hi - lo) / last), zero = step > 0 ? rint(-lo / step) : 0;
  for (int i = 0; i < n; i++) out[i] = step > 0 ? (step_code(x[i], -zero * step, step, last) - zero) * step : 0;
}

static void store_grid(const struct packing_part *t, const double *x, int n, double *out) {
  int group = t->group ? t->group : n, bits = (int)t->weight;
  for (int at = 0; at < n; at += group) {
    if (t->zero)
      store_zero(x + at, group, bits, out + at);
    else if (t->scale == 16 && bits == 4)
      store_lopsided(x + at, group, bits, out + at);
    else {
      double s = quantise_scale(x + at, group, bits);
      if (t->scale == 16) s = half(s);
      for (int i = at; i < at + group; i++) out[i] = quantise_code(x[i], s, bits) * s;
    }
  }
}

/* ---- blocks of blocks ---- */

enum { SUB_MAX = 16 };

/* Small groups carry whole multiples of one fp16 number that the block shares: a step each, and with `zero` a least value each. */
static void store_super(const struct packing_part *t, const double *x, double *out) {
  int subs = t->block / t->group, bits = (int)t->weight;
  double step[SUB_MAX], least[SUB_MAX], most_step = 0, most_least = 0, last = ldexp(1, bits) - 1;
  double end = t->zero ? ldexp(1, (int)t->scale / 2) - 1 : ldexp(1, (int)t->scale - 1) - 1;
  for (int g = 0; g < subs; g++) {
    const double *at = x + g * t->group;
    double lo = 0, hi = 0;
    for (int i = 0; i < t->group; i++) lo = fmin(lo, at[i]), hi = fmax(hi, at[i]);
    step[g] = t->zero ? (hi - lo) / last : fmax(-lo, hi) / ldexp(1, bits - 1);
    least[g] = t->zero ? -lo : 0;
    most_step = fmax(most_step, step[g]), most_least = fmax(most_least, least[g]);
  }
  double unit = half(most_step / end), base = half(most_least / end);
  for (int g = 0; g < subs; g++) {
    double s = unit * step_code(step[g], 0, unit, end), m = t->zero ? base * step_code(least[g], 0, base, end) : s * ldexp(1, bits - 1);
    for (int i = g * t->group; i < (g + 1) * t->group; i++) out[i] = s * step_code(x[i], -m, s, last) - m;
  }
}

/* ---- a table of values ---- */

/* The 16 values of NF4: quantiles of a normal distribution, -1, 0 and 1 among them. */
static const double normal_value[16] = {
    -1,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1,
};

static double normal_nearest(double x) {
  int lo = 0, hi = 15;
  while (hi - lo > 1) {
    int middle = (lo + hi) / 2;
    if (x < normal_value[middle])
      hi = middle;
    else
      lo = middle;
  }
  return x - normal_value[lo] <= normal_value[hi] - x ? normal_value[lo] : normal_value[hi];
}

static void store_table(const struct packing_part *t, const double *x, int n, double *out) {
  /* Stored twice: the scales, less their mean, as 8-bit numbers that share one scale. */
  double mean = 0, spread = 0;
  for (int at = 0; at < n; at += t->group) mean += magnitude(x + at, t->group) * t->group / n;
  for (int at = 0; at < n; at += t->group) spread = fmax(spread, fabs(magnitude(x + at, t->group) - mean));
  for (int at = 0; at < n; at += t->group) {
    double s = magnitude(x + at, t->group);
    if (t->super > 0 && spread > 0) s = mean + quantise_code(s - mean, spread / 127, 8) * spread / 127;
    for (int i = at; i < at + t->group; i++) out[i] = s > 0 ? normal_nearest(fmax(-1, fmin(1, x[i] / s))) * s : 0;
  }
}

/* ---- 4-bit numbers with a small scale ---- */

static void store_micro(const struct packing_part *t, const double *x, int n, double *out) {
  bool power = t->group == 32; /* the scale is an exponent alone */
  double tensor = power ? 1 : magnitude(x, n) / (coding_largest(CODING_E4M3) * coding_largest(t->coding));
  for (int at = 0; at < n; at += t->group) {
    double most = magnitude(x + at, t->group), s = 0;
    if (most > 0)
      s = power ? ldexp(1, (int)floor(log2(most)) - 2)
                : coding_round(CODING_E4M3, most / coding_largest(t->coding) / tensor, true) * tensor;
    for (int i = at; i < at + t->group; i++) out[i] = s > 0 ? coding_round(t->coding, x[i] / s, true) * s : 0;
  }
}

void packing_store(enum packing p, const double *in, int n, int row, double *out) {
  const struct packing_part *t = part(p);
  assert(n % 256 == 0 && row % 256 == 0);
  double s;
  switch (t->method) {
  case PLAIN:
    for (int i = 0; i < n; i++) out[i] = coding_round(t->coding, in[i], true);
    break;
  case SCALED:
    s = magnitude(in, n) / coding_largest(t->coding);
    for (int i = 0; i < n; i++) out[i] = s > 0 ? coding_round(t->coding, in[i] / s, true) * s : 0;
    break;
  case GRID: store_grid(t, in, n, out); break;
  case SUPER:
    for (int at = 0; at < n; at += t->block) store_super(t, in + at, out + at);
    break;
  case TABLE: store_table(t, in, n, out); break;
  case MICRO: store_micro(t, in, n, out); break;
  case NONE:
    for (int i = 0; i < n; i++) out[i] = NAN;
    break;
  }
}

/* ---- weights to try it on ---- */

static double share(uint64_t *seed) { /* in (0, 1) */
  *seed += 0x9e3779b97f4a7c15u;
  uint64_t z = *seed;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

void packing_weights(double range, double outlier, double out[PACKING_WEIGHTS]) {
  const double turn = 6.283185307179586;
  uint64_t seed = 1;
  for (int i = 0; i < PACKING_WEIGHTS; i += 2) { /* Box and Muller: two at a time */
    double radius = sqrt(-2 * log(share(&seed))), angle = turn * share(&seed);
    out[i] = radius * cos(angle), out[i + 1] = radius * sin(angle);
  }
  double most = magnitude(out, PACKING_WEIGHTS);
  for (int i = 0; i < PACKING_WEIGHTS; i++) out[i] *= range / most;
  if (outlier != 0) out[PACKING_OUTLIER] = outlier;
}

double packing_error(const double *in, const double *out, int n, int outlier) {
  double wrong = 0, all = 0;
  for (int i = 0; i < n; i++) {
    if (i == outlier) continue;
    wrong += (out[i] - in[i]) * (out[i] - in[i]);
    all += in[i] * in[i];
  }
  return sqrt(wrong / all);
}
