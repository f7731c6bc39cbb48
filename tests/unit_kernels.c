/* The kernels of the operations against their references: every data type, every instruction set here, one to three threads, sizes that
 * divide evenly and sizes that do not. */
// as shipped too: the loops are what -O3 makes of them
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "tests/support_kernel.h"

static const enum dtype real_types[] = {DTYPE_FP32, DTYPE_FP64};

/* Beyond 1 a result is wrong. Beyond these, a little over the most that was ever seen of each (fp32, fp64), it is right, and something has
 * changed: a loop, a compiler, a machine. */
static const double warn[OP_N][2] = {
    [OP_DOT] = {0.2, 0.1},
    [OP_ADD] = {0.1, 0.1},
    [OP_SAXPY] = {0.8, 0.1},
    [OP_RELU] = {0.1, 0.1},
    [OP_CHAIN] = {0.95, 0.1},
    [OP_CHAIN_FUSED] = {0.95, 0.1},
    [OP_LAYERNORM] = {0.6, 0.97},
    [OP_SOFTMAX] = {0.2, 0.3},
    [OP_DEPTHWISE] = {0.7, 0.1},
    [OP_WEIGHTS] = {0.7, 0.1},
    [OP_MATMUL] = {0.7, 0.1},
    [OP_ATTENTION] = {0.2, 0.2},
    [OP_ATTENTION_FUSED] = {0.2, 0.2},
};

enum verdict { RIGHT, WARN, WRONG };
static enum verdict judge(enum op op, enum dtype t, double residual) {
  return !(residual <= 1) ? WRONG : residual > warn[op][t == DTYPE_FP64] ? WARN : RIGHT;
}

static void test_judge(void **state) {
  (void)state;
  assert_true(judge(OP_DOT, DTYPE_FP32, 0.1) == RIGHT && judge(OP_DOT, DTYPE_FP32, 0.3) == WARN && judge(OP_DOT, DTYPE_FP64, 0.15) == WARN);
  assert_true(judge(OP_DOT, DTYPE_FP32, 1) == WARN && judge(OP_DOT, DTYPE_FP32, 1.01) == WRONG && judge(OP_DOT, DTYPE_FP64, NAN) == WRONG);
}

static void check_one(const struct request *r, int runs, bool full) {
  struct bed b;
  bed_start(&b, r, NULL);
  double residual = bed_residual(&b, runs, full);
  enum verdict verdict = judge(r->op, r->dtype, residual);
  if (verdict == WARN)
    printf("# warn: %s %s %s n=%g: residual %g, more than was ever seen\n", op_name(r->op), dtype_name(r->dtype), isa_name(r->isa),
           r->shape.n, residual);
  if (verdict == WRONG)
    fail_msg("%s %s %s %s threads=%d n=%g m=%g k=%g batch=%g: residual %g after %d runs", op_name(r->op), dtype_name(r->dtype),
             isa_name(r->isa), rung_name(r->rung), r->threads, r->shape.n, r->shape.m, r->shape.k, r->shape.batch, residual, runs);
  bed_free(&b);
}

/* Every instruction set on one thread and, run twice over, on two; the best also on three. */
static void check(enum op op, struct shape shape, enum rung rung, bool full) {
  bool alone = rung != RUNG_AUTO && rung != RUNG_ALL_CORES;
  for (const enum isa *isa = isas_here(); *isa != ISA_N; isa++)
    for (int t = 0; t < 2; t++) {
      int most = alone ? 1 : isa[1] == ISA_N ? 3 : 2;
      for (int threads = 1; threads <= most; threads++) {
        struct request r = {.op = op, .shape = shape, .dtype = real_types[t], .isa = *isa, .rung = rung, .threads = threads};
        check_one(&r, threads == 2 || alone ? 2 : 1, full);
      }
    }
}

static const double odd[] = {1, 2, 3, 7, 17, 33, 100, 129};
enum { ODD_N = sizeof odd / sizeof *odd };

static void check_vectors(enum op op) {
  for (int i = 0; i < ODD_N; i++) check(op, shape_of(odd[i], 1, 1, 1), RUNG_AUTO, true);
  check(op, shape_of(3 * 32768 + 5, 1, 1, 1), RUNG_AUTO, true); /* several pieces, the last a short one */
  check(op, shape_of(3 * 32768 + 5, 1, 1, 1), RUNG_AUTO, false);
}

static void test_dot(void **state) {
  (void)state;
  check_vectors(OP_DOT);
}
static void test_add(void **state) {
  (void)state;
  check_vectors(OP_ADD);
}
static void test_saxpy(void **state) {
  (void)state;
  check_vectors(OP_SAXPY);
}
static void test_relu(void **state) {
  (void)state;
  check_vectors(OP_RELU);
}

static void check_chain(enum op op) {
  static const double chain[] = {1, 2, 3, 8, 17, 256};
  for (int i = 0; i < ODD_N; i++)
    for (int c = 0; c < 6; c++) {
      struct shape s = shape_of(odd[i], 1, 1, 1);
      s.chain = chain[c];
      check(op, s, RUNG_AUTO, true);
    }
  struct shape large = shape_of(70001, 1, 1, 1);
  large.chain = 5;
  check(op, large, RUNG_AUTO, true);
  check(op, large, RUNG_AUTO, false);
}

static void test_chain(void **state) {
  (void)state;
  check_chain(OP_CHAIN);
}
static void test_chain_fused(void **state) {
  (void)state;
  check_chain(OP_CHAIN_FUSED);
}

static void check_rows(enum op op) {
  static const double rows[] = {1, 2, 5, 13};
  for (int i = 0; i < ODD_N; i++)
    for (int m = 0; m < 4; m++) check(op, shape_of(odd[i], rows[m], 1, 1), RUNG_AUTO, true);
  check(op, shape_of(1000, 100, 1, 1), RUNG_AUTO, true);
  check(op, shape_of(1000, 100, 1, 1), RUNG_AUTO, false);
}

static void test_layernorm(void **state) {
  (void)state;
  check_rows(OP_LAYERNORM);
}
static void test_softmax(void **state) {
  (void)state;
  check_rows(OP_SOFTMAX);
}

static void test_depthwise(void **state) {
  (void)state;
  for (int i = 0; i < ODD_N; i++)
    for (int batch = 1; batch <= 3; batch++) check(OP_DEPTHWISE, shape_of(odd[i], 1, 1, batch), RUNG_AUTO, true);
  check(OP_DEPTHWISE, shape_of(300, 1, 1, 2), RUNG_AUTO, false);
}

static void test_weights(void **state) {
  (void)state;
  static const double batch[] = {1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 17, 33, 100};
  for (int i = 0; i < ODD_N; i++)
    for (size_t b = 0; b < sizeof batch / sizeof *batch; b++)
      if (odd[i] == 129 || b % 3 == (size_t)i % 3) check(OP_WEIGHTS, shape_of(odd[i], 1, 1, batch[b]), RUNG_AUTO, true);
  /* Longer than the stretch that one pass over the inputs takes. */
  static const double some[] = {1, 4, 6, 33};
  for (size_t b = 0; b < sizeof some / sizeof *some; b++) check(OP_WEIGHTS, shape_of(1043, 1, 1, some[b]), RUNG_AUTO, false);
}

static void check_products(enum rung rung) {
  for (int i = 0; i < ODD_N; i++) check(OP_MATMUL, shape_of(odd[i], odd[i], odd[i], 1), rung, true);
  static const double uneven[][3] = {{1, 129, 7}, {100, 1, 33}, {33, 17, 1}, {5, 300, 3}, {200, 40, 129}, {17, 33, 1000}};
  for (size_t i = 0; i < sizeof uneven / sizeof *uneven; i++)
    check(OP_MATMUL, shape_of(uneven[i][0], uneven[i][1], uneven[i][2], 1), rung, true);
  /* Whole strips of columns for every instruction set, small enough to be read where they lie: all heights of the last tile. */
  for (int m = 40; m < 55; m++) check(OP_MATMUL, shape_of(64, m, 21, 1), rung, true);
  /* More than a block in every direction, and for the fast rungs wide enough to be packed. */
  if (rung < RUNG_VECTORISED)
    check(OP_MATMUL, shape_of(300, 20, 130, 1), rung, false);
  else
    check(OP_MATMUL, shape_of(300, 260, 700, 1), rung, false);
}

static void test_matmul_plain(void **state) {
  (void)state;
  check_products(RUNG_PLAIN);
}
static void test_matmul_reordered(void **state) {
  (void)state;
  check_products(RUNG_REORDERED);
}
static void test_matmul_tiled(void **state) {
  (void)state;
  check_products(RUNG_TILED);
}
static void test_matmul_vectorised(void **state) {
  (void)state;
  check_products(RUNG_VECTORISED);
}
static void test_matmul_all_cores(void **state) {
  (void)state;
  check_products(RUNG_ALL_CORES);
  check(OP_MATMUL, shape_of(129, 129, 129, 1), RUNG_AUTO, true);
}

static void check_attention(enum op op) {
  static const double width[] = {1, 7, 64};
  for (int i = 0; i < ODD_N; i++)
    for (int w = 0; w < 3; w++)
      if (odd[i] < 100 || w == i % 3) check(op, shape_of(odd[i], 1, width[w], i % 3 + 1), RUNG_AUTO, true);
  check(op, shape_of(150, 1, 33, 2), RUNG_AUTO, true); /* several tiles of keys, the last a short one */
  check(op, shape_of(517, 1, 40, 1), RUNG_AUTO, false);
}

static void test_attention(void **state) {
  (void)state;
  check_attention(OP_ATTENTION);
}
static void test_attention_fused(void **state) {
  (void)state;
  check_attention(OP_ATTENTION_FUSED);
}

/* A slow rung at a large size does a slab of rows, says so, and its FLOP are those of the slab. */
static void test_slab(void **state) {
  (void)state;
  struct request r = {.op = OP_MATMUL, .shape = shape_of(512, 512, 512, 1), .dtype = DTYPE_FP32, .isa = ISA_SCALAR, .threads = 2};
  for (int rung = RUNG_PLAIN; rung <= RUNG_ALL_CORES; rung++) {
    r.rung = (enum rung)rung;
    struct bed b;
    bed_start(&b, &r, NULL);
    assert_true(b.job.done.m == 512);
    assert_int_equal(b.job.threads, rung == RUNG_ALL_CORES ? 2 : 1);
    pool_free(&b.pool);
    b.job.threads = 2;
    b.job.budget = 0.02;
    assert_null(b.kernel->setup(&b.job));
    if (rung <= RUNG_TILED)
      assert_true(b.job.done.m >= 1 && b.job.done.m < 512);
    else
      assert_true(b.job.done.m == 512);
    assert_true(bed_residual(&b, 1, false) <= 1);
    pool_free(&b.pool);
    b.job.budget = 0; /* never less than one row */
    b.job.done = r.shape;
    assert_null(b.kernel->setup(&b.job));
    assert_true(b.job.done.m == (rung <= RUNG_TILED ? 1 : 512));
    bed_free(&b);
  }
}

/* What cannot be made is refused in words, not attempted. */
static void test_refusals(void **state) {
  (void)state;
  static const enum op op[] = {OP_WEIGHTS,    OP_MATMUL,  OP_DOT,       OP_ADD,       OP_SAXPY,           OP_RELU,
                               OP_LAYERNORM,  OP_SOFTMAX, OP_DEPTHWISE, OP_ATTENTION, OP_ATTENTION_FUSED, OP_CHAIN,
                               OP_CHAIN_FUSED};
  for (size_t i = 0; i < sizeof op / sizeof *op; i++) {
    struct request r = {.op = op[i], .shape = shape_of(8, 8, 8, 2), .dtype = DTYPE_FP32, .isa = ISA_SCALAR};
    struct bed b;
    bed_start(&b, &r, NULL);
    assert_string_equal(b.kernel->words, op_words(op[i]));
    pool_free(&b.pool);
    b.job.request.dtype = DTYPE_FP8;
    assert_non_null(strstr(b.kernel->usable(&b.job), "fp32"));
    b.job.request.dtype = DTYPE_FP32;
    b.pool.cap = 1e9;
    b.job.request.shape = shape_of(0x1p40, 0x1p40, 0x1p40, 0x1p20);
    assert_non_null(b.kernel->setup(&b.job));
    pool_free(&b.pool);
    b.job.request.shape = shape_of(1e200, 1e200, 1e200, 1e200);
    assert_non_null(b.kernel->setup(&b.job));
    pool_free(&b.pool);
    b.pool.cap = 4096;
    b.job.request.shape = shape_of(1024, 64, 64, 1);
    assert_non_null(b.kernel->setup(&b.job));
    bed_free(&b);
  }
}

/* Every power of e a softmax may ask for, to 2 units in the last place; 0 where there is nothing left; exactly 1 at 0. */
static void test_exp(void **state) {
  (void)state;
  for (const enum isa *isa = isas_here(); *isa != ISA_N; isa++)
    for (int t = 0; t < 2; t++) {
      enum dtype type = real_types[t];
      const struct lanes_real *l = lanes_for(*isa, type);
      enum { N = 1003 };
      union {
        double wide[N];
        float narrow[N];
      } x, y;
      for (int stretch = 0; stretch < 8; stretch++) {
        double lo = type == DTYPE_FP64 ? -707.5 : -86.9, hi = type == DTYPE_FP64 ? 700 : 87, span = (hi - lo) / 8;
        for (size_t i = 0; i < N; i++) reference_set(&x, type, i, lo + span * (stretch + (double)i / N));
        l->exp(&y, &x, N);
        for (size_t i = 0; i < N; i++) {
          double in = reference_get(&x, type, i), want = exp(in), got = reference_get(&y, type, i);
          if (!(fabs(got - want) <= 2 * 2 * reference_roundoff(type) * want))
            fail_msg("%s %s exp(%.17g) = %.17g, not %.17g: %g units off", isa_name(*isa), dtype_name(type), in, got, want,
                     (got - want) / want / reference_roundoff(type) / 2);
        }
      }
      static const double edge[] = {0, -INFINITY, -1e30, -709, -88.5, 0.5};
      for (size_t i = 0; i < 6; i++) reference_set(&x, type, i, edge[i]);
      l->exp(&y, &x, 6);
      assert_true(reference_get(&y, type, 0) == 1);
      for (size_t i = 1; i < 4; i++) assert_true(reference_get(&y, type, i) == 0);
      if (type == DTYPE_FP32) assert_true(reference_get(&y, type, 4) == 0);
      reference_set(&x, type, 0, NAN);
      l->exp(&y, &x, 1);
      assert_true(isnan(reference_get(&y, type, 0)));
    }
}

#define NEAR(got, want) assert_true(fabs((got) - (want)) <= 1e-12 * fabs((double)(want)))

/* The references themselves, by hand. */
static void test_references(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  struct reference out[4];
  NEAR(reference_dot((struct strided){x, 0, 1}, (struct strided){x, 3, 1}, 3, DTYPE_FP64).value, 32);
  NEAR(reference_dot((struct strided){x, 0, 3}, (struct strided){x, 2, 3}, 3, DTYPE_FP64).value, 3 + 24 + 63);
  const double logs[] = {9, 9, 9, 0, log(2), log(3)};
  reference_softmax(logs, 1, 3, DTYPE_FP64, out);
  for (int i = 0; i < 3; i++) NEAR(out[i].value, (i + 1) / 6.0);
  const double pair[] = {1, 3}, gain[] = {2, 10}, shift[] = {0.5, 0};
  reference_layernorm(pair, gain, shift, 0, 2, DTYPE_FP64, out);
  NEAR(out[0].value, 0.5 - 2 / sqrt(1 + LAYERNORM_EPSILON));
  NEAR(out[1].value, 10 / sqrt(1 + LAYERNORM_EPSILON));
  /* x as a 3×3 plane under the filter x: the middle is Σ i², the first corner sees only four of nine. */
  NEAR(reference_depthwise(x, 0, x, 0, 3, 1, 1, DTYPE_FP64).value, 285);
  NEAR(reference_depthwise(x, 0, x, 0, 3, 0, 0, DTYPE_FP64).value, 1 * 5 + 2 * 6 + 4 * 8 + 5 * 9);
  NEAR(reference_depthwise(x, 0, x, 0, 3, 2, 1, DTYPE_FP64).value, 4 * 1 + 5 * 2 + 6 * 3 + 7 * 4 + 8 * 5 + 9 * 6);
  /* A query of zeros weighs all keys alike; one that points along the second key alone takes its value. */
  const double q[] = {0, 0, 0, 2000}, k[] = {1, 0, 0, 1}, v[] = {1, 2, 5, 10};
  double weight[2];
  reference_attention(q, k, v, 0, 0, 2, 2, DTYPE_FP64, weight, out);
  NEAR(out[0].value, 3);
  NEAR(out[1].value, 6);
  reference_attention(q, k, v, 0, 1, 2, 2, DTYPE_FP64, weight, out);
  NEAR(out[0].value, 5);
  NEAR(out[1].value, 10);
}

static void test_residual_take(void **state) {
  (void)state;
  double worst = 0;
  residual_take(&worst, 1.5, (struct reference){1, 1});
  assert_true(worst == 0.5);
  residual_take(&worst, 1, (struct reference){1, 0}); /* exact, as asked */
  residual_take(&worst, 1.25, (struct reference){1, 1});
  assert_true(worst == 0.5);
  residual_take(&worst, 1.5, (struct reference){1, 0});
  assert_true(isinf(worst));
  residual_take(&worst, NAN, (struct reference){1, 1});
  assert_true(isnan(worst));
  residual_take(&worst, 5, (struct reference){1, 1});
  assert_true(isnan(worst));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_judge),
      cmocka_unit_test(test_references),
      cmocka_unit_test(test_residual_take),
      cmocka_unit_test(test_exp),
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_add),
      cmocka_unit_test(test_saxpy),
      cmocka_unit_test(test_relu),
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_chain_fused),
      cmocka_unit_test(test_layernorm),
      cmocka_unit_test(test_softmax),
      cmocka_unit_test(test_depthwise),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_matmul_plain),
      cmocka_unit_test(test_matmul_reordered),
      cmocka_unit_test(test_matmul_tiled),
      cmocka_unit_test(test_matmul_vectorised),
      cmocka_unit_test(test_matmul_all_cores),
      cmocka_unit_test(test_attention),
      cmocka_unit_test(test_attention_fused),
      cmocka_unit_test(test_slab),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
