/* Weights stored in fewer bits: what storing keeps, what the fast loops make of it, and that the check of the kernel refuses what is wrong.
 */
// as shipped too: rounding must survive -O3
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "model/work.h"
#include "tests/support_kernel.h"

static const enum dtype few[] = {DTYPE_BF16, DTYPE_INT8, DTYPE_INT4};
enum { FEW = 3 };

static struct quant quant_make(enum dtype t, size_t rows, size_t n) {
  struct quant q = quant_of(t, rows, n);
  q.byte = malloc(rows * q.row_byte);
  q.scale = q.groups ? malloc(rows * q.groups * sizeof *q.scale) : NULL;
  memset(q.byte, 0xa5, rows * q.row_byte);
  return q;
}

static void quant_drop(struct quant *q) {
  free(q->byte);
  free(q->scale);
}

/* Half a step of what can be stored near x is the most that storing may change: bf16 keeps 8 bits of the fraction, integers step by their
 * scale. */
static double step_of(const struct quant *q, size_t row, size_t i, double x) {
  if (q->dtype == DTYPE_BF16) return fabs(x) * 0x1p-7;
  return (double)q->scale[row * q->groups + (q->dtype == DTYPE_INT8 ? 0 : i / QUANT_GROUP)];
}

static void rows_check(const struct quant *q, const float *x, const char *who) {
  for (size_t row = 0; row < q->rows; row++)
    for (size_t i = 0; i < q->padded; i++) {
      double want = i < q->n ? (double)x[row * q->n + i] : 0, got = quant_get(q, row, i);
      if (!(fabs(got - want) <= step_of(q, row, i, want) * (0.5 + 1e-5)))
        fail_msg("%s: %s n=%zu element %zu of row %zu: %g became %g", who, dtype_name(q->dtype), q->n, i, row, want, got);
    }
}

static void test_round_trip(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 300, 1000};
  uint64_t seed = 7;
  for (int t = 0; t < FEW; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      enum { ROWS = 5 };
      size_t n = sizes[s];
      float *x = malloc(ROWS * n * sizeof *x);
      for (size_t i = 0; i < ROWS * n; i++) x[i] = (float)((double)(int64_t)random_next(&seed) * 0x1p-63 * pow(10, (double)(i % 4)));
      for (size_t i = 0; i < n; i++) x[2 * n + i] = 0; /* nothing to scale by */
      struct quant q = quant_make(few[t], ROWS, n);
      for (size_t row = 0; row < ROWS; row++) quant_row(&q, row, x + row * n);
      rows_check(&q, x, "plain");
      for (size_t i = 0; i < n; i++) assert_true(quant_get(&q, 2, i) == 0);
      for (const enum isa *isa = isas_here(); *isa != ISA_N; isa++) {
        struct quant fast = quant_make(few[t], ROWS, n);
        for (size_t row = 0; row < ROWS; row++) lanes_of(*isa)->narrow->store(&fast, row, x + row * n);
        rows_check(&fast, x, isa_name(*isa));
        if (q.groups) assert_memory_equal(fast.scale, q.scale, ROWS * q.groups * sizeof *q.scale);
        quant_drop(&fast);
      }
      quant_drop(&q);
      free(x);
    }
}

/* Stored by hand. */
static void test_layout(void **state) {
  (void)state;
  const float x[] = {-7, 1, 7, -1, 0.4f, 2.6f};
  struct quant q = quant_make(DTYPE_INT4, 1, 6);
  assert_true(q.padded == QUANT_RUN && q.row_byte == QUANT_RUN / 2 && q.groups == 2);
  quant_row(&q, 0, x);
  const unsigned char nibbles[] = {0x19, 0xf7, 0x30, 0};
  assert_memory_equal(q.byte, nibbles, sizeof nibbles);
  assert_true(q.scale[0] == 1 && q.scale[1] == 0);
  quant_drop(&q);
  const float y[] = {-127, 64, 1};
  q = quant_make(DTYPE_INT8, 1, 3);
  quant_row(&q, 0, y);
  const unsigned char bytes[] = {0x81, 64, 1, 0};
  assert_memory_equal(q.byte, bytes, sizeof bytes);
  assert_true(q.groups == 1 && q.scale[0] == 1 && q.row_byte == QUANT_RUN);
  quant_drop(&q);
  /* 1 + 2^-8 lies halfway between two bf16: to the even one, 1; 1 + 3·2^-8 to 1 + 2^-6. */
  const float z[] = {1.00390625f, 1.01171875f, -0.5f};
  q = quant_make(DTYPE_BF16, 1, 3);
  quant_row(&q, 0, z);
  assert_true(quant_get(&q, 0, 0) == 1 && quant_get(&q, 0, 1) == 1.015625 && quant_get(&q, 0, 2) == -0.5);
  assert_true(q.groups == 0 && q.row_byte == 2 * QUANT_RUN);
  quant_drop(&q);
}

/* Bytes as they lie in memory: what a row of the stored matrix takes is what the accounting says, scales and all. */
static void test_accounting(void **state) {
  (void)state;
  static const double batch[] = {1, 3, 64};
  for (int t = 0; t < FEW; t++)
    for (double n = 128; n <= 2048; n *= 2)
      for (int b = 0; b < 3; b++) {
        struct shape s = shape_of(n, 1, 1, batch[b]);
        struct quant q = quant_of(few[t], (size_t)n, (size_t)n);
        double stored = n * ((double)q.row_byte + 4 * (double)q.groups), vectors = 4 * n * batch[b];
        struct work w = work_of_kernel(OP_WEIGHTS, s, few[t]), all = work_of(OP_WEIGHTS, s, few[t]),
                    wide = work_of(OP_WEIGHTS, s, DTYPE_FP32);
        assert_true(w.byte == stored + 2 * vectors && w.byte_bus == stored + 3 * vectors);
        assert_true(w.flop == wide.flop && all.flop == wide.flop);
        assert_true(all.byte == stored + 2 * vectors / 4 * dtype_byte(few[t]));
        assert_true(work_footprint(OP_WEIGHTS, s, few[t]) == stored + 2 * vectors);
      }
  assert_true(dtype_scale_byte(DTYPE_INT8, 1000) == 4 && dtype_scale_byte(DTYPE_INT4, 65) == 8 && dtype_scale_byte(DTYPE_BF16, 65) == 0);
  static const enum dtype real[] = {DTYPE_FP32, DTYPE_FP64};
  for (int t = 0; t < 2; t++) {
    struct work a = work_of(OP_WEIGHTS, shape_of(300, 1, 1, 7), real[t]), b = work_of_kernel(OP_WEIGHTS, shape_of(300, 1, 1, 7), real[t]);
    assert_true(a.flop == b.flop && a.byte == b.byte && a.byte_bus == b.byte_bus);
  }
  /* A start size whose matrix is four times the cache in its own type. */
  for (int t = 0; t < FEW; t++) {
    double n = work_start_n(OP_WEIGHTS, few[t], 32e6, NAN);
    assert_true(n * n * dtype_byte(few[t]) >= 4 * 32e6 && (n - 1024) * (n - 1024) * dtype_byte(few[t]) < 4 * 32e6);
  }
}

/* Residuals are shares of what is accepted: beyond `fail` the kernel is wrong; beyond `warn` it is said aloud. */
static const struct threshold {
  enum dtype dtype;
  double warn, fail;
} thresholds[FEW] = {{DTYPE_BF16, 0.6, 1}, {DTYPE_INT8, 0.6, 1}, {DTYPE_INT4, 0.6, 1}};

static void residual_check(double residual, const struct threshold *t, const struct request *r) {
  if (!(residual <= t->fail))
    fail_msg("weights %s %s threads=%d n=%g batch=%g: residual %g", dtype_name(r->dtype), isa_name(r->isa), r->threads, r->shape.n,
             r->shape.batch, residual);
  if (residual > t->warn)
    print_message("weights %s %s n=%g: residual %g is near its limit\n", dtype_name(r->dtype), isa_name(r->isa), r->shape.n, residual);
}

static void test_kernel(void **state) {
  (void)state;
  static const double size[] = {1, 2, 3, 17, 63, 64, 65, 129, 300, 1043}, batch[] = {1, 2, 3, 4, 5, 8, 13, 100};
  for (int t = 0; t < FEW; t++)
    for (const enum isa *isa = isas_here(); *isa != ISA_N; isa++)
      for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (size_t b = 0; b < sizeof batch / sizeof *batch; b++) {
          if (batch[b] > 1 && b % 3 != s % 3 && size[s] != 129) continue;
          struct request r = {
              .op = OP_WEIGHTS, .shape = shape_of(size[s], 1, 1, batch[b]), .dtype = few[t], .isa = *isa, .threads = 1 + (int)(b + s) % 3};
          struct bed bed;
          bed_start(&bed, &r, NULL);
          residual_check(bed_residual(&bed, 2, size[s] * batch[b] < 2000), &thresholds[t], &r);
          bed_free(&bed);
        }
}

/* Uniform weights in [-1, 1), of variance 1/3: an integer step d leaves an error of variance d²/12, d = 1/127 or 1/7 nearly; bf16 rounds a
 * value in [2^-k-1, 2^-k) by a step of 2^-k-8. The error of the outputs follows, within what 256 outputs can tell. */
static void test_error(void **state) {
  (void)state;
  static const double lo[FEW] = {0.0010, 0.0030, 0.05}, hi[FEW] = {0.0024, 0.0049, 0.09};
  for (int t = 0; t < FEW; t++) {
    struct request r = {.op = OP_WEIGHTS, .shape = shape_of(1024, 1, 1, 1), .dtype = few[t], .isa = isas_here()[0], .threads = 1};
    struct bed bed;
    bed_start(&bed, &r, NULL);
    bed.job.quant_error = NAN;
    assert_true(bed_residual(&bed, 1, false) <= 1);
    if (!(bed.job.quant_error > lo[t] && bed.job.quant_error < hi[t])) fail_msg("%s: error %g", dtype_name(few[t]), bed.job.quant_error);
    bed_free(&bed);
  }
}

/* ---- broken twins: plain loops with one fault each ---- */

enum fault { FAULT_NONE, FAULT_GROUP, FAULT_SIGN, FAULT_LAST, FAULT_ROW, FAULT_INPUT, FAULT_ORDER, FAULT_STALE, FAULT_NAN };
static enum fault fault;

static void plain_pack(void *to, const void *x, size_t batch, size_t n, size_t padded, enum dtype t, int rank, int of) {
  (void)t, (void)of;
  float *out = to;
  for (size_t b = 0; b < batch && rank == 0; b++)
    for (size_t p = 0; p < padded; p++) out[b * padded + p] = p < n ? ((const float *)x)[b * n + p] : 0;
}

static double plain_get(const struct quant *q, size_t row, size_t i) {
  if (fault == FAULT_ORDER && q->dtype == DTYPE_INT4) i ^= 1;
  double value = quant_get(q, row, i);
  if (fault == FAULT_GROUP && q->groups) {
    size_t g = q->dtype == DTYPE_INT8 ? row : row * q->groups + i / QUANT_GROUP;
    size_t other = g > 0 ? g - 1 : g + 1;
    if (other < q->rows * q->groups) value *= (double)(q->scale[other] / q->scale[g]);
  }
  if (fault == FAULT_SIGN && q->dtype == DTYPE_INT4 && value < 0) value += 16 * (double)q->scale[row * q->groups + i / QUANT_GROUP];
  return value;
}

static void plain_weights(void *y, const void *packed, const struct quant *q, size_t batch, size_t first, size_t last, void *room) {
  (void)room;
  if (fault == FAULT_STALE) return;
  for (size_t b = 0; b < batch - (fault == FAULT_INPUT); b++)
    for (size_t j = first; j < last - (fault == FAULT_ROW && last > first); j++) {
      double sum = 0;
      for (size_t p = 0; p < q->n - (fault == FAULT_LAST); p++)
        sum += plain_get(q, j, p) * (double)((const float *)packed)[b * q->padded + p];
      ((float *)y)[b * q->n + j] = fault == FAULT_NAN ? NAN : (float)sum;
    }
}

static void test_twins(void **state) {
  (void)state;
  static const struct {
    enum fault fault;
    const char *words;
    bool bf16, int8, int4;
  } twins[] = {{FAULT_GROUP, "the scale of the neighbour", false, true, true},
               {FAULT_SIGN, "no sign", false, false, true},
               {FAULT_LAST, "last k left out", true, true, true},
               {FAULT_ROW, "last row of each share not written", true, true, true},
               {FAULT_INPUT, "last input left out", true, true, true},
               {FAULT_ORDER, "halves of a byte exchanged", false, false, true},
               {FAULT_STALE, "stale output", true, true, true},
               {FAULT_NAN, "not a number", true, true, true}};
  struct lanes_narrow plain = *lanes_of(isas_here()[0])->narrow;
  plain.pack = plain_pack;
  plain.weights = plain_weights;
  for (int t = 0; t < FEW; t++)
    for (int threads = 1; threads <= 2; threads++)
      for (int full = 0; full <= 1; full++) {
        struct request r = {.op = OP_WEIGHTS, .shape = shape_of(129, 1, 1, 5), .dtype = few[t], .isa = isas_here()[0], .threads = threads};
        struct bed bed;
        bed_start(&bed, &r, NULL);
        bed.job.narrow = &plain;
        fault = FAULT_NONE;
        assert_true(bed_residual(&bed, 1, full) <= 1);
        for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
          if (!(few[t] == DTYPE_BF16 ? twins[i].bf16 : few[t] == DTYPE_INT8 ? twins[i].int8 : twins[i].int4)) continue;
          fault = twins[i].fault;
          double residual = bed_residual(&bed, 1, full);
          if (residual <= 1)
            fail_msg("weights with a fault (%s) pass: %s, %d threads, %s: residual %g", twins[i].words, dtype_name(few[t]), threads,
                     full ? "all outputs" : "a sample of outputs", residual);
        }
        bed_free(&bed);
      }
}

/* Types nobody stores here are refused in words, and so are few bits elsewhere. */
static void test_refusals(void **state) {
  (void)state;
  for (int i = 0; i < kernel_count; i++)
    for (int t = 0; t < DTYPE_N; t++) {
      const struct kernel *k = kernel_table[i];
      if (t == DTYPE_FP64 || t == DTYPE_FP32 || k->op == OP_PEAK || k->op == OP_LATENCY || k->op == OP_DISPATCH)
        continue; /* these read no values */
      struct job j = {.request = {.op = k->op, .shape = shape_of(8, 8, 8, 1), .dtype = (enum dtype)t}, .isa = ISA_SCALAR, .threads = 1};
      const char *why = k->usable(&j);
      if (k->op == OP_WEIGHTS && quant_stores((enum dtype)t))
        assert_null(why);
      else if (!why || !strstr(why, "fp32"))
        fail_msg("%s in %s: %s", op_name(k->op), dtype_name((enum dtype)t), why ? why : "not refused");
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip), cmocka_unit_test(test_layout), cmocka_unit_test(test_accounting), cmocka_unit_test(test_kernel),
      cmocka_unit_test(test_error),      cmocka_unit_test(test_twins),  cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
