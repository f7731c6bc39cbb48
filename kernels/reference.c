#include "kernels/reference.h"

#include <assert.h>
#include <math.h>

#include "kernels/lanes.h" /* LAYERNORM_EPSILON */

void reference_set(void *p, enum dtype t, size_t i, double value) {
  assert(t == DTYPE_FP64 || t == DTYPE_FP32);
  if (t == DTYPE_FP64)
    ((double *)p)[i] = value;
  else
    ((float *)p)[i] = (float)value;
}

double reference_roundoff(enum dtype t) { return t == DTYPE_FP64 ? 0x1p-53 : 0x1p-24; }

struct reference reference_dot(struct strided x, struct strided y, size_t n, enum dtype t) {
  assert(t == DTYPE_FP64 || t == DTYPE_FP32);
  double sum = 0, square = 0;
  for (size_t i = 0; i < n; i++) {
    double product = reference_get(x.p, t, x.first + i * x.step) * reference_get(y.p, t, y.first + i * y.step);
    sum += product;
    square += product * product;
  }
  /* One rounding of the result itself, and the walk of the sum. */
  return (struct reference){sum, reference_roundoff(t) * (fabs(sum) + 4 * sqrt((double)n * square))};
}

void reference_softmax(const void *x, size_t row, size_t n, enum dtype t, struct reference *out) {
  double max = -INFINITY, sum = 0, u = reference_roundoff(t);
  for (size_t j = 0; j < n; j++) max = fmax(max, reference_get(x, t, row * n + j));
  for (size_t j = 0; j < n; j++) sum += exp(reference_get(x, t, row * n + j) - max);
  for (size_t j = 0; j < n; j++) {
    double power = reference_get(x, t, row * n + j) - max, value = exp(power) / sum;
    /* An error of u·|power| in the power is one of the same relative size in the result; then exp, the sum of positive terms (its error
     * walks: √n), a reciprocal and a product. */
    out[j] = (struct reference){value, value * u * (16 + 2 * fabs(power) + 4 * sqrt((double)n))};
  }
}

void reference_layernorm(const void *x, const void *gain, const void *shift, size_t row, size_t n, enum dtype t, struct reference *out) {
  double sum = 0, square = 0, u = reference_roundoff(t);
  for (size_t j = 0; j < n; j++) sum += reference_get(x, t, row * n + j);
  double mean = sum / (double)n;
  for (size_t j = 0; j < n; j++) {
    double left = reference_get(x, t, row * n + j) - mean;
    square += left * left;
  }
  double deviation = sqrt(square / (double)n), inverse = 1 / sqrt(square / (double)n + LAYERNORM_EPSILON);
  for (size_t j = 0; j < n; j++) {
    double g = reference_get(gain, t, j), s = reference_get(shift, t, j), left = reference_get(x, t, row * n + j) - mean;
    double value = left * inverse * g + s;
    /* The mean is off by a few u of itself and of the deviation; the sum of squares has terms of one sign, so its error walks (√n, half of
     * which the root leaves), here too where the type is fp64; the rest are single roundings of each step. */
    double moved = (8 * deviation + 4 * fabs(mean)) * inverse * fabs(g), walk = 2 * sqrt((double)n);
    double stepped = (12 + walk) * fabs(left * inverse * g) + 2 * fabs(s);
    out[j] = (struct reference){value, u * (moved + stepped)};
  }
}

struct reference reference_depthwise(const void *x, size_t plane, const void *filter, size_t filter_first, size_t n, size_t i, size_t j,
                                     enum dtype t) {
  double sum = 0, square = 0;
  for (int r = -1; r <= 1; r++)
    for (int c = -1; c <= 1; c++) {
      bool outside = (r < 0 && i == 0) || (c < 0 && j == 0) || (r > 0 && i + 1 == n) || (c > 0 && j + 1 == n);
      if (outside) continue;
      size_t at = (i + (size_t)(r + 1) - 1) * n + j + (size_t)(c + 1) - 1;
      double product = reference_get(x, t, plane + at) * reference_get(filter, t, filter_first + (size_t)(3 * (r + 1) + c + 1));
      sum += product;
      square += product * product;
    }
  return (struct reference){sum, reference_roundoff(t) * (fabs(sum) + 4 * sqrt(9 * square))};
}

void reference_attention(const void *q, const void *k, const void *v, size_t head, size_t row, size_t n, size_t width, enum dtype t,
                         double *weight, struct reference *out) {
  double scale = 1 / sqrt((double)width), u = reference_roundoff(t), max = -INFINITY, sum = 0, blur = 0, far = 0;
  for (size_t j = 0; j < n; j++) {
    struct reference s = reference_dot((struct strided){q, head + row * width, 1}, (struct strided){k, head + j * width, 1}, width, t);
    weight[j] = s.value * scale;
    blur = fmax(blur, s.slack * scale);
    max = fmax(max, weight[j]);
  }
  for (size_t j = 0; j < n; j++) {
    far = fmax(far, max - weight[j]);
    weight[j] = exp(weight[j] - max);
    sum += weight[j];
  }
  for (size_t c = 0; c < width; c++) {
    double value = 0, square = 0;
    for (size_t j = 0; j < n; j++) {
      double part = weight[j] / sum * reference_get(v, t, head + j * width + c);
      value += part;
      square += part * part;
    }
    /* Each weight is off by `blur` (its score), its power and the exponential; those errors are independent, so they meet as the root of
     * the squares. The sum that divides is the same for all, and so in proportion to the value. */
    double walk = sqrt(square), each = blur + u * (16 + 2 * far), root = 4 * u * sqrt((double)n);
    out[c] = (struct reference){value, walk * (4 * each + root) + fabs(value) * (each + root + 32 * u)};
  }
}

void residual_take(double *worst, double got, struct reference expected) {
  double error = fabs(got - expected.value);
  if (error == 0) return;
  double share = expected.slack > 0 ? error / expected.slack : INFINITY;
  if (isnan(error)) share = NAN;
  if (!(share <= *worst)) *worst = isnan(*worst) ? NAN : share;
}
