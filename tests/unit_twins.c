/* Broken twins: each kernel with one fault put under it, of the kind that is really made: an edge off by one, the last term left out, an
 * output not written, a sum that is not a sum. Its residual must refuse every one, or the check proves nothing. The faults are put into
 * the inner loops; where a twin calls the sound loop, it is with an argument that is wrong. */
// as shipped only: the kernels that are broken on purpose must be told from those that run
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "tests/support_kernel.h"

static const struct lanes_real *sound; /* the loops a twin breaks */
static enum dtype type;

static void *at(const void *p, size_t i) { return (char *)(uintptr_t)p + i * (size_t)dtype_byte(type); }
static double get(const void *p, size_t i) { return reference_get(p, type, i); }
static void set(void *p, size_t i, double v) { reference_set(p, type, i, v); }

/* ---- one sum ---- */
static double dot_short(const void *x, const void *y, size_t n) { return sound->dot(x, y, n - 1); }
static double dot_twice(const void *x, const void *y, size_t n) { return sound->dot(x, y, n) + get(x, 0) * get(y, 0); }
static double dot_plus(const void *x, const void *y, size_t n) { return sound->dot(x, x, n) + 0 * get(y, 0); }
static double dot_zero(const void *x, const void *y, size_t n) {
  (void)x, (void)y, (void)n;
  return 0;
}

/* ---- element by element ---- */
static void add_short(void *z, const void *x, const void *y, size_t n) { sound->add(z, x, y, n - 1); }
static void add_late(void *z, const void *x, const void *y, size_t n) { sound->add(at(z, 1), at(x, 1), at(y, 1), n - 1); }
static void add_shifted(void *z, const void *x, const void *y, size_t n) {
  sound->add(z, x, at(y, 1), n - 1);
  set(z, n - 1, get(x, n - 1) + get(y, n - 1));
}
static void add_nothing(void *z, const void *x, const void *y, size_t n) { (void)z, (void)x, (void)y, (void)n; }
static void add_minus(void *z, const void *x, const void *y, size_t n) {
  for (size_t i = 0; i < n; i++) set(z, i, get(x, i) - get(y, i));
}
static void saxpy_short(void *y, const void *x, double a, size_t n) { sound->saxpy(y, x, a, n - 1); }
static void saxpy_twice(void *y, const void *x, double a, size_t n) { sound->saxpy(y, x, 2 * a, n); }
static void saxpy_nothing(void *y, const void *x, double a, size_t n) { (void)y, (void)x, (void)a, (void)n; }
static void saxpy_fresh(void *y, const void *x, double a, size_t n) {
  for (size_t i = 0; i < n; i++) set(y, i, a * get(x, i));
}
static void relu_short(void *y, const void *x, size_t n) { sound->relu(y, x, n - 1); }
static void relu_copy(void *y, const void *x, size_t n) {
  for (size_t i = 0; i < n; i++) set(y, i, get(x, i));
}
static void relu_abs(void *y, const void *x, size_t n) {
  for (size_t i = 0; i < n; i++) set(y, i, fabs(get(x, i)));
}

static void chain_short(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c) {
  sound->chain(y, x, n - 1, first, count, m, c);
}
static void chain_less(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c) {
  sound->chain(y, x, n, first, first + count == 5 ? count - 1 : count, m, c); /* the last of five operations is left out */
}
static void chain_again(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c) {
  (void)first; /* every pass does the first operation */
  sound->chain(y, x, n, 0, count, m, c);
}
static void chain_turned(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c) {
  sound->chain(y, x, n, first + 1, count, m, c); /* shift, scale, shift… */
}
static void chain_nothing(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c) {
  (void)y, (void)x, (void)n, (void)first, (void)count, (void)m, (void)c;
}
static void chain_middle(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c) {
  if (first != 2) sound->chain(y, x, n, first, count, m, c); /* one pass in the middle is forgotten: what lay there before is used */
}

/* ---- row by row ---- */
static void layernorm_rows(void *y, const void *x, const void *g, const void *s, size_t rows, size_t n) {
  sound->layernorm(y, x, g, s, rows - 1, n);
}
static void layernorm_unscaled(void *y, const void *x, const void *g, const void *s, size_t rows, size_t n) {
  (void)g;
  double *one = malloc(n * sizeof *one);
  for (size_t i = 0; i < n; i++) set(one, i, 1);
  sound->layernorm(y, x, one, s, rows, n);
  free(one);
}
/* Variance with n - 1: a different definition, right in statistics and wrong here. */
static void layernorm_sample(void *y, const void *x, const void *g, const void *s, size_t rows, size_t n) {
  sound->layernorm(y, x, g, s, rows, n);
  double by = sqrt((double)(n - 1) / (double)n);
  for (size_t i = 0; i < rows * n; i++) set(y, i, (get(y, i) - get(s, i % n)) * by + get(s, i % n));
}
static void layernorm_last(void *y, const void *x, const void *g, const void *s, size_t rows, size_t n) {
  for (size_t r = 0; r < rows; r++) {
    double sum = 0; /* the statistics leave out the last element */
    for (size_t i = 0; i + 1 < n; i++) sum += get(x, r * n + i);
    sound->layernorm(at(y, r * n), at(x, r * n), g, s, 1, n);
    double missing = get(x, r * n + n - 1) / (double)n, mean = (sum + get(x, r * n + n - 1)) / (double)n;
    double var = 0;
    for (size_t i = 0; i < n; i++) var += (get(x, r * n + i) - mean) * (get(x, r * n + i) - mean) / (double)n;
    for (size_t i = 0; i < n; i++) set(y, r * n + i, get(y, r * n + i) + missing / sqrt(var) * get(g, i));
  }
}
static void softmax_rows(void *y, const void *x, size_t rows, size_t n, double scale) { sound->softmax(y, x, rows - 1, n, scale); }
static void softmax_scaled(void *y, const void *x, size_t rows, size_t n, double scale) { sound->softmax(y, x, rows, n, 1.001 * scale); }
static void softmax_undivided(void *y, const void *x, size_t rows, size_t n, double scale) {
  (void)rows;
  for (size_t i = 0; i < rows * n; i++) set(y, i, exp(scale * get(x, i)));
}
static void softmax_last(void *y, const void *x, size_t rows, size_t n, double scale) {
  sound->softmax(y, x, rows, n, scale);
  for (size_t r = 0; r < rows; r++) /* the sum leaves out the last element */
    for (size_t i = 0; i < n; i++) set(y, r * n + i, get(y, r * n + i) / (1 - get(y, r * n + n - 1)));
}

/* ---- convolution ---- */
static void depthwise_short(void *y, const void *x, const void *f, size_t n, size_t from, size_t to) {
  sound->depthwise(y, x, f, n, from, to - 1);
}
static void depthwise_flipped(void *y, const void *x, const void *f, size_t n, size_t from, size_t to) {
  double flipped[9];
  for (size_t i = 0; i < 9; i++) set(flipped, i, get(f, 8 - i));
  sound->depthwise(y, x, flipped, n, from, to);
}
static void depthwise_edge(void *y, const void *x, const void *f, size_t n, size_t from, size_t to) {
  sound->depthwise(y, x, f, n, from, to);
  for (size_t i = from; i < to; i++) /* the left edge takes the end of the row above for its left neighbour */
    if (i > 0) set(y, i * n, get(y, i * n) + get(f, 3) * get(x, i * n - 1));
}
static void depthwise_corner(void *y, const void *x, const void *f, size_t n, size_t from, size_t to) {
  sound->depthwise(y, x, f, n, from, to);
  if (from == 0) set(y, 0, get(y, 0) - get(f, 8) * get(x, n + 1));
}

/* ---- products ---- */
static void plain_short(void *c, const void *a, const void *b, size_t m, size_t n, size_t k) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t p = 0; p + 1 < k; p++) sum += get(a, i * k + p) * get(b, p * n + j);
      set(c, i * n + j, sum);
    }
}
static void plain_rows(void *c, const void *a, const void *b, size_t m, size_t n, size_t k) { sound->product_plain(c, a, b, m - 1, n, k); }
static void plain_turned(void *c, const void *a, const void *b, size_t m, size_t n, size_t k) {
  for (size_t i = 0; i < m; i++) /* B taken as its transpose */
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t p = 0; p < k; p++) sum += get(a, i * k + p) * get(b, (j * k + p) % (k * n));
      set(c, i * n + j, sum);
    }
}
static void product_short(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t m, size_t n, size_t k, bool add,
                          void *scratch) {
  /* Strips lie k deep, so the depth cannot just be one less: the last step is taken off again. */
  sound->product(c, c_row, a, a_row, b, m, n, k, add, scratch);
  size_t width = sound->tile_columns;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double last = get(a, i * a_row + k - 1) * get(b, j / width * width * k + (k - 1) * width + j % width);
      set(c, i * c_row + j, get(c, i * c_row + j) - last);
    }
}
static void product_rows(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t m, size_t n, size_t k, bool add,
                         void *scratch) {
  if (m > 1) sound->product(c, c_row, a, a_row, b, m - 1, n, k, add, scratch);
}
static void product_columns(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t m, size_t n, size_t k, bool add,
                            void *scratch) {
  if (n > 1) sound->product(c, c_row, a, a_row, b, m, n - 1, k, add, scratch);
}
static void product_adds(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t m, size_t n, size_t k, bool add,
                         void *scratch) {
  (void)add;
  sound->product(c, c_row, a, a_row, b, m, n, k, true, scratch);
}
static void product_replaces(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t m, size_t n, size_t k, bool add,
                             void *scratch) {
  (void)add;
  sound->product(c, c_row, a, a_row, b, m, n, k, false, scratch);
}
static void pack_turned(void *to, const void *b, size_t b_row, size_t b_column, size_t k, size_t n) {
  sound->pack(to, b, b_row, b_column, k, n);
  size_t width = sound->tile_columns; /* the first column stands where the second should */
  if (n < 2) return;
  for (size_t p = 0; p < k; p++) {
    size_t second = width > 1 ? p * width + 1 : k + p;
    set(to, second, get(b, p * b_row));
  }
}
static void weights_rows(void *y, const void *x, const void *z, const void *w, size_t batch, size_t n, size_t first, size_t last,
                         void *scratch) {
  sound->weights(y, x, z, w, batch, n, first, last - 1, scratch);
}
static void weights_batch(void *y, const void *x, const void *z, const void *w, size_t batch, size_t n, size_t first, size_t last,
                          void *scratch) {
  sound->weights(y, x, z, w, batch - 1, n, first, last, scratch);
}
static void weights_one_input(void *y, const void *x, const void *z, const void *w, size_t batch, size_t n, size_t first, size_t last,
                              void *scratch) {
  (void)z;
  for (size_t b = 0; b < batch; b++) sound->weights(at(y, b * n), x, x, w, 1, n, first, last, scratch);
}
static void weights_short(void *y, const void *x, const void *z, const void *w, size_t batch, size_t n, size_t first, size_t last,
                          void *scratch) {
  sound->weights(y, x, z, w, batch, n, first, last, scratch);
  for (size_t b = 0; b < batch; b++)
    for (size_t j = first; j < last; j++) set(y, b * n + j, get(y, b * n + j) - get(x, b * n + n - 1) * get(w, j * n + n - 1));
}

static void small_rows(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t b_row, size_t m, size_t n, size_t k) {
  sound->product_small(c, c_row, a, a_row, b, b_row, m - 1, n, k);
}
static void small_short(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t b_row, size_t m, size_t n, size_t k) {
  sound->product_small(c, c_row, a, a_row, b, b_row, m, n, k - 1);
}

/* ---- attention ---- */
static void tile_forgets(void *score, size_t rows, size_t n, double scale, void *max, void *sum, void *out, size_t width) {
  double *kept = malloc(rows * width * sizeof *kept); /* the output is not scaled down when the maximum grows */
  for (size_t i = 0; i < rows * width; i++) set(kept, i, get(out, i));
  sound->softmax_tile(score, rows, n, scale, max, sum, out, width);
  for (size_t i = 0; i < rows * width; i++) set(out, i, get(kept, i));
  free(kept);
}
static void tile_short(void *score, size_t rows, size_t n, double scale, void *max, void *sum, void *out, size_t width) {
  sound->softmax_tile(score, rows, n, scale, max, sum, out, width);
  for (size_t r = 0; r < rows; r++) set(sum, r, get(sum, r) - get(score, r * n + n - 1));
}
static void divide_nothing(void *y, const void *sum, size_t rows, size_t n) { (void)y, (void)sum, (void)rows, (void)n; }

/* ---- the table ---- */

struct twin {
  enum op op;
  const char *fault;
  struct lanes_real broken; /* only what is broken is set */
  struct shape shape;
  enum rung rung;
  bool slight; /* too small a fault to be asked of a check of a few outputs */
};
#define VECTOR {.n = 70001}, RUNG_AUTO, false
#define STEPS {.n = 70001, .chain = 5}, RUNG_AUTO, false
#define ROWS {.n = 129, .m = 33}, RUNG_AUTO, false
#define PLANES {.n = 33, .batch = 3}, RUNG_AUTO, false
#define LAYER {.n = 129, .batch = 5}, RUNG_AUTO, false
#define HEADS {.n = 300, .k = 33, .batch = 2}, RUNG_AUTO, false
#define PRODUCT                                                                                                                            \
  { .n = 129, .m = 100, .k = 61 }
#define SMALL                                                                                                                              \
  { .n = 64, .m = 50, .k = 61 }
static const struct twin twins[] = {
    {OP_DOT, "last term left out", {.dot = dot_short}, VECTOR},
    {OP_DOT, "first term twice", {.dot = dot_twice}, VECTOR},
    {OP_DOT, "one operand for both", {.dot = dot_plus}, VECTOR},
    {OP_DOT, "nothing summed", {.dot = dot_zero}, VECTOR},
    {OP_ADD, "last element not written", {.add = add_short}, VECTOR},
    {OP_ADD, "first element not written", {.add = add_late}, VECTOR},
    {OP_ADD, "operand off by one", {.add = add_shifted}, VECTOR},
    {OP_ADD, "stale output", {.add = add_nothing}, VECTOR},
    {OP_ADD, "subtracts", {.add = add_minus}, VECTOR},
    {OP_SAXPY, "last element not updated", {.saxpy = saxpy_short}, VECTOR},
    {OP_SAXPY, "added twice", {.saxpy = saxpy_twice}, VECTOR},
    {OP_SAXPY, "stale output", {.saxpy = saxpy_nothing}, VECTOR},
    {OP_SAXPY, "does not accumulate", {.saxpy = saxpy_fresh}, VECTOR},
    {OP_RELU, "last element not written", {.relu = relu_short}, VECTOR},
    {OP_RELU, "copies", {.relu = relu_copy}, VECTOR},
    {OP_RELU, "absolute value", {.relu = relu_abs}, VECTOR},
    {OP_CHAIN, "last element not written", {.chain = chain_short}, STEPS},
    {OP_CHAIN, "last operation left out", {.chain = chain_less}, STEPS},
    {OP_CHAIN, "first operation every time", {.chain = chain_again}, STEPS},
    {OP_CHAIN, "one pass forgotten", {.chain = chain_middle}, STEPS},
    {OP_CHAIN, "stale output", {.chain = chain_nothing}, STEPS},
    {OP_CHAIN_FUSED, "last element not written", {.chain = chain_short}, STEPS},
    {OP_CHAIN_FUSED, "last operation left out", {.chain = chain_less}, STEPS},
    {OP_CHAIN_FUSED, "shift before scale", {.chain = chain_turned}, STEPS},
    {OP_CHAIN_FUSED, "stale output", {.chain = chain_nothing}, STEPS},
    {OP_LAYERNORM, "last row not written", {.layernorm = layernorm_rows}, ROWS},
    {OP_LAYERNORM, "no scale", {.layernorm = layernorm_unscaled}, ROWS},
    {OP_LAYERNORM, "variance of a sample", {.layernorm = layernorm_sample}, ROWS},
    {OP_LAYERNORM, "mean without the last element", {.layernorm = layernorm_last}, ROWS},
    {OP_SOFTMAX, "last row not written", {.softmax = softmax_rows}, ROWS},
    {OP_SOFTMAX, "power off by a thousandth", {.softmax = softmax_scaled}, ROWS},
    {OP_SOFTMAX, "not divided", {.softmax = softmax_undivided}, ROWS},
    {OP_SOFTMAX, "sum without the last element", {.softmax = softmax_last}, ROWS},
    {OP_DEPTHWISE, "last row not written", {.depthwise = depthwise_short}, PLANES},
    {OP_DEPTHWISE, "filter turned round", {.depthwise = depthwise_flipped}, PLANES},
    {OP_DEPTHWISE, "left edge wraps", {.depthwise = depthwise_edge}, PLANES},
    {OP_DEPTHWISE, "first corner lacks a neighbour", {.depthwise = depthwise_corner}, PLANES},
    {OP_MATMUL, "last k left out", {.product_plain = plain_short}, PRODUCT, RUNG_PLAIN, false},
    {OP_MATMUL, "last row not written", {.product_plain = plain_rows}, PRODUCT, RUNG_PLAIN, false},
    {OP_MATMUL, "B transposed", {.product_plain = plain_turned}, PRODUCT, RUNG_PLAIN, false},
    {OP_MATMUL, "last k left out", {.product_reordered = plain_short}, PRODUCT, RUNG_REORDERED, false},
    {OP_MATMUL, "last row not written", {.product_tiled = plain_rows}, PRODUCT, RUNG_TILED, false},
    {OP_MATMUL, "last k left out", {.product = product_short}, PRODUCT, RUNG_VECTORISED, false},
    {OP_MATMUL, "last row not written", {.product = product_rows}, PRODUCT, RUNG_ALL_CORES, false},
    {OP_MATMUL, "last column not written", {.product = product_columns}, PRODUCT, RUNG_ALL_CORES, false},
    {OP_MATMUL, "adds to what was there", {.product = product_adds}, PRODUCT, RUNG_ALL_CORES, false},
    {OP_MATMUL, "last row of a small product not written", {.product_small = small_rows}, SMALL, RUNG_ALL_CORES, false},
    {OP_MATMUL, "last k of a small product left out", {.product_small = small_short}, SMALL, RUNG_VECTORISED, false},
    {OP_MATMUL, "first column packed twice", {.pack = pack_turned}, PRODUCT, RUNG_ALL_CORES, true},
    {OP_WEIGHTS, "last row of each share not written", {.weights = weights_rows}, LAYER},
    {OP_WEIGHTS, "last input left out", {.weights = weights_batch}, LAYER},
    {OP_WEIGHTS, "first input for all", {.weights = weights_one_input}, LAYER},
    {OP_WEIGHTS, "last k left out", {.weights = weights_short}, LAYER},
    {OP_ATTENTION, "last k left out", {.product = product_short}, HEADS},
    {OP_ATTENTION, "last query not written", {.product = product_rows}, HEADS},
    {OP_ATTENTION, "sum without the last key", {.softmax = softmax_last}, HEADS},
    {OP_ATTENTION, "scale off by a thousandth", {.softmax = softmax_scaled}, HEADS},
    {OP_ATTENTION_FUSED, "last k left out", {.product = product_short}, HEADS},
    {OP_ATTENTION_FUSED, "last query not written", {.product = product_rows}, HEADS},
    {OP_ATTENTION_FUSED, "only the last tile of keys", {.product = product_replaces}, HEADS},
    {OP_ATTENTION_FUSED, "output does not follow the maximum", {.softmax_tile = tile_forgets}, HEADS},
    {OP_ATTENTION_FUSED, "sum without the last key of a tile", {.softmax_tile = tile_short}, HEADS},
    {OP_ATTENTION_FUSED, "not divided", {.divide_rows = divide_nothing}, HEADS},
};
enum { TWIN_N = sizeof twins / sizeof *twins };

/* A whole table of loops with the twin's in the place of the sound ones. */
static struct lanes_real broken_lanes(const struct twin *t) {
  struct lanes_real l = *sound;
  const struct lanes_real *b = &t->broken;
#define TAKE(loop)                                                                                                                         \
  if (b->loop) l.loop = b->loop;
  TAKE(dot)
  TAKE(add)
  TAKE(saxpy)
  TAKE(chain)
  TAKE(relu)
  TAKE(layernorm) TAKE(softmax) TAKE(softmax_tile) TAKE(divide_rows) TAKE(depthwise) TAKE(product_plain) TAKE(product_reordered)
      TAKE(product_tiled) TAKE(pack) TAKE(product) TAKE(product_small) TAKE(weights)
#undef TAKE
          return l;
}

static void refuse_twins(enum op op) {
  int tried = 0;
  for (int i = 0; i < TWIN_N; i++) {
    const struct twin *t = &twins[i];
    if (t->op != op) continue;
    for (int type_index = 0; type_index < 2; type_index++)
      for (int threads = 1; threads <= 2; threads++)
        for (int full = t->slight; full <= 1; full++) {
          type = type_index ? DTYPE_FP32 : DTYPE_FP64;
          sound = lanes_for(isas_here()[0], type);
          struct lanes_real broken = broken_lanes(t);
          struct request r = {.op = op, .shape = t->shape, .dtype = type, .isa = isas_here()[0], .rung = t->rung, .threads = threads};
          struct bed b;
          bed_start(&b, &r, NULL);
          double fine = bed_residual(&b, 2, full);
          if (!(fine <= 1)) fail_msg("the sound %s itself is refused: %g", op_name(op), fine);
          b.job.lanes = &broken;
          double residual = bed_residual(&b, 2, full);
          bed_free(&b);
          if (residual <= 1)
            fail_msg("%s with a fault (%s) passes: %s, %d threads, %s: residual %g", op_name(op), t->fault, dtype_name(type), threads,
                     full ? "all outputs" : "a sample of outputs", residual);
          tried++;
        }
  }
  assert_true(tried > 0);
}

#define TWINS_OF(name, op)                                                                                                                 \
  static void name(void **state) {                                                                                                         \
    (void)state;                                                                                                                           \
    refuse_twins(op);                                                                                                                      \
  }
TWINS_OF(test_dot, OP_DOT)
TWINS_OF(test_add, OP_ADD)
TWINS_OF(test_saxpy, OP_SAXPY)
TWINS_OF(test_relu, OP_RELU)
TWINS_OF(test_chain, OP_CHAIN)
TWINS_OF(test_chain_fused, OP_CHAIN_FUSED)
TWINS_OF(test_layernorm, OP_LAYERNORM)
TWINS_OF(test_softmax, OP_SOFTMAX)
TWINS_OF(test_depthwise, OP_DEPTHWISE)
TWINS_OF(test_matmul, OP_MATMUL)
TWINS_OF(test_weights, OP_WEIGHTS)
TWINS_OF(test_attention, OP_ATTENTION)
TWINS_OF(test_attention_fused, OP_ATTENTION_FUSED)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_add),
      cmocka_unit_test(test_saxpy),
      cmocka_unit_test(test_relu),
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_chain_fused),
      cmocka_unit_test(test_layernorm),
      cmocka_unit_test(test_softmax),
      cmocka_unit_test(test_depthwise),
      cmocka_unit_test(test_matmul),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_attention),
      cmocka_unit_test(test_attention_fused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
