/* One layer of a transformer: its accounting, every part against plain arithmetic, its gradients against differences of its own outputs. */
// as shipped too: the loops are what -O3 makes of them
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/op_block.h"
#include "kernels/operand.h"
#include "tests/support_kernel.h"
#include "tests/support_near.h"

static struct block block_make(double hidden, double heads, double kv_heads, double head_dim, double ffn, double sequences, double tokens,
                               double context, bool gated, bool training) {
  return (struct block){hidden, heads, kv_heads, head_dim, ffn, sequences, tokens, context, gated, training};
}

static struct request request_of(const struct block *b, enum dtype t, enum isa isa, int threads) {
  return (struct request){
      .op = b->training ? OP_BLOCK_TRAIN : OP_BLOCK, .shape = block_shape(b), .dtype = t, .isa = isa, .threads = threads};
}

/* ---- accounting ---- */

static double product_flop(const struct block_part *p, int n, enum block_pass pass) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    if (p[i].count > 0 && p[i].pass == pass) sum += p[i].work.flop;
  return sum;
}

static void test_accounting(void **state) {
  (void)state;
  /* Llama-3-8B: 32 such layers, an embedding and a head of 128256 × 4096 each, a last norm. Its norms have no shift: ours have. */
  struct block llama = block_make(4096, 32, 8, 128, 14336, 1, 512, 512, true, true);
  NEAR(32 * (block_parameters(&llama) - 2 * 4096) + 2 * 128256.0 * 4096 + 4096, 8030261248.0, 1e-15);
  struct block_part part[BLOCK_PART_MAX];
  int n = block_parts(&llama, DTYPE_FP32, part);
  assert_int_equal(n, 41);
  double matrices = block_parameters(&llama) - 4 * 4096, forward = product_flop(part, n, PASS_FORWARD);
  NEAR(forward, 2 * matrices * 512 + 4 * 512.0 * 512 * 32 * 128, 1e-15); /* 2 P T and 4 S² d a head */
  NEAR(product_flop(part, n, PASS_INPUT), forward, 1e-15);               /* backward is twice forward: 6 P T in all */
  NEAR(product_flop(part, n, PASS_WEIGHT), forward, 1e-15);
  struct work sum = {0, 0, 0}, whole = work_of(OP_BLOCK_TRAIN, block_shape(&llama), DTYPE_FP32);
  for (int i = 0; i < n; i++) sum.flop += part[i].work.flop, sum.byte += part[i].work.byte, sum.byte_bus += part[i].work.byte_bus;
  assert_true(sum.flop == whole.flop && sum.byte == whole.byte && sum.byte_bus == whole.byte_bus);
  /* Generating one token reads every weight once: bytes are those of the weights, the cache, and little else. */
  struct block one = block_make(4096, 32, 8, 128, 14336, 1, 1, 4096, true, false);
  double least = 4 * (block_parameters(&one) + 2 * 4096 * 8 * 128.0), byte = block_work(&one, DTYPE_FP32).byte;
  assert_true(byte >= least && byte < 1.02 * least);
  /* Gated: a matrix more. */
  struct block plain = one;
  plain.gated = false;
  assert_int_equal(block_parts(&plain, DTYPE_FP32, part), 15);
  NEAR(block_parameters(&one) - block_parameters(&plain), 14336.0 * 4096, 1e-15);
}

static void test_shapes(void **state) {
  (void)state;
  struct block qwen = block_make(896, 14, 2, 64, 4864, 1, 8, 8, true, false), half = block_narrowed(&qwen, 2);
  assert_true(half.hidden == 448 && half.heads == 7 && half.kv_heads == 1 && half.head_dim == 64 && half.ffn == 2432);
  struct block tiny = block_narrowed(&qwen, 1e6);
  assert_true(tiny.hidden == 1 && tiny.heads == 1 && tiny.kv_heads == 1 && tiny.ffn == 1);
  assert_null(block_wrong(&tiny));
  struct block again = block_of(OP_BLOCK, block_shape(&qwen));
  assert_true(again.hidden == 896 && again.heads == 14 && again.kv_heads == 2 && again.head_dim == 64 && again.ffn == 4864);
  assert_true(again.sequences == 1 && again.tokens == 8 && again.context == 8 && again.gated && !again.training);
  struct block odd = block_make(64, 5, 2, 16, 64, 1, 8, 8, true, false);
  assert_non_null(strstr(block_wrong(&odd), "multiple"));
  odd = block_make(64, 4, 2, 16, 64, 1, 8, 4, true, false);
  assert_non_null(strstr(block_wrong(&odd), "context"));
}

/* ---- against plain arithmetic ---- */

static void check_parts(struct bed *b, const char *about) {
  const struct layer *d = b->job.data;
  if (bed_residual(b, 1, true) <= 1) return;
  for (int i = 0; i < d->nparts; i++) {
    double r = block_part_residual(&b->job, i, true);
    if (!(r <= 1)) fail_msg("%s: %s, %s: %g", about, block_op_name(d->part[i].op), block_pass_name(d->part[i].pass), r);
  }
}

static void test_results(void **state) {
  (void)state;
  const struct block shape[] = {
      block_make(67, 6, 2, 10, 51, 2, 9, 9, true, true),       /* gated, shared keys, several sequences, nothing a multiple of anything */
      block_make(40, 2, 2, 7, 33, 1, 101, 101, false, true),   /* two matrices, a head of odd width, many tokens */
      block_make(45, 4, 1, 32, 70, 3, 1, 37, true, false),     /* a token each, far into a text */
      block_make(64, 2, 1, 32, 64, 1, 12, 50, true, false),    /* some tokens more */
      block_make(80, 1, 1, 64, 320, 1, 128, 128, true, false), /* one head, many tokens */
  };
  for (const enum isa *isa = isas_here(); *isa != ISA_N; isa++)
    for (int t = 0; t < 2; t++)
      for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        struct bed b;
        char about[80];
        struct request r = request_of(&shape[i], t ? DTYPE_FP32 : DTYPE_FP64, *isa, 1 + (int)i % 2);
        bed_start(&b, &r, NULL);
        snprintf(about, sizeof about, "shape %d %s %s", (int)i, isa_name(*isa), dtype_name(r.dtype));
        check_parts(&b, about);
        bed_free(&b);
      }
}

/* Parts run again and again alone, then the layer once in order: what is checked afterwards is right again. */
static void test_parts_timed(void **state) {
  (void)state;
  struct block shape = block_make(24, 2, 1, 8, 20, 1, 6, 6, true, true);
  struct request r = request_of(&shape, DTYPE_FP32, ISA_SCALAR, 1);
  struct bed b;
  struct sample s = {0};
  bed_start(&b, &r, NULL);
  assert_true(bed_residual(&b, 1, true) <= 1);
  b.kernel->parts(&b.job, &s);
  assert_int_equal(s.nparts, ((const struct layer *)b.job.data)->nparts);
  for (int i = 0; i < s.nparts; i++) assert_true(s.inside[i] > 0 && s.alone[i] > 0);
  assert_true(b.kernel->residual(&b.job, true) <= 1);
  bed_free(&b);
}

/* ---- broken loops are refused ---- */

static const struct lanes_real *whole;

static void silu_wrong(void *z, const void *g, const void *u, size_t n) {
  whole->silu_gate(z, g, u, n);
  if (n > 3) memcpy((double *)z + n - 1, (double *)z + n - 2, sizeof(double)); /* the last element is another's */
}
static void silu_back_wrong(void *dg, void *du, const void *dz, const void *g, const void *u, size_t n) {
  whole->silu_gate_back(dg, du, dz, g, u, n);
  for (size_t i = 0; i < n; i++) ((double *)dg)[i] *= 1 + 1e-9;
}
static void softmax_back_wrong(void *ds, const void *dp, const void *p, size_t rows, size_t n, double scale) {
  whole->softmax_back(ds, dp, p, rows, n - 1, scale);
}
static void norm_back_wrong(void *dx, void *dgain, void *dshift, const void *dy, const void *x, const void *gain, size_t rows, size_t n) {
  whole->layernorm_back(dx, dgain, dshift, dy, x, gain, rows, n);
  ((double *)dgain)[n / 2] += 1e-9;
}
static void rotate_wrong(void *y, const void *x, const void *cosine, const void *sine, size_t n, bool back) {
  (void)back;
  whole->rotate(y, x, cosine, sine, n, false);
}
static void turn_wrong(void *to, size_t to_row, const void *from, size_t from_row, size_t rows, size_t columns) {
  whole->turn(to, to_row, from, from_row, rows, columns);
  ((double *)to)[rows - 1] = 0;
}
static void add_wrong(void *z, const void *x, const void *y, size_t n) { whole->add(z, x, y, n - 1); }

static void test_twins(void **state) {
  (void)state;
  struct block shape = block_make(24, 4, 2, 8, 20, 1, 30, 30, true, true);
  struct request r = request_of(&shape, DTYPE_FP64, ISA_SCALAR, 1);
  whole = lanes_for(ISA_SCALAR, DTYPE_FP64);
  for (int twin = -1; twin < 7; twin++) {
    struct lanes_real l = *whole;
    if (twin == 0) l.silu_gate = silu_wrong;
    if (twin == 1) l.silu_gate_back = silu_back_wrong;
    if (twin == 2) l.softmax_back = softmax_back_wrong;
    if (twin == 3) l.layernorm_back = norm_back_wrong;
    if (twin == 4) l.rotate = rotate_wrong;
    if (twin == 5) l.turn = turn_wrong;
    if (twin == 6) l.add = add_wrong;
    struct bed b;
    bed_start(&b, &r, &l);
    bool refused = !(bed_residual(&b, 1, true) <= 1);
    if (refused != (twin >= 0)) fail_msg("twin %d %s", twin, refused ? "refused" : "accepted");
    bed_free(&b);
  }
}

/* ---- gradients ---- */

/* The loss whose gradient at the outputs is dY: Σ y·dY. */
static double loss(struct job *j) {
  const struct layer *d = j->data;
  const double *y = d->array[ARRAY_Y], *dy = d->array[ARRAY_DY];
  double sum = 0;
  j->runs++;
  for (int i = 0; i < d->nparts && d->part[i].pass == PASS_FORWARD; i++) block_part_run(j, i);
  for (size_t i = 0; i < (size_t)block_array(&d->block, ARRAY_Y); i++) sum += y[i] * dy[i];
  return sum;
}

static void test_gradients(void **state) {
  (void)state;
  static const enum block_array of[][2] = {
      {ARRAY_X, ARRAY_DX},           {ARRAY_WQ, ARRAY_DWQ},           {ARRAY_WK, ARRAY_DWK},         {ARRAY_WV, ARRAY_DWV},
      {ARRAY_WO, ARRAY_DWO},         {ARRAY_WG, ARRAY_DWG},           {ARRAY_WU, ARRAY_DWU},         {ARRAY_WD, ARRAY_DWD},
      {ARRAY_GAIN_1, ARRAY_DGAIN_1}, {ARRAY_SHIFT_1, ARRAY_DSHIFT_1}, {ARRAY_GAIN_2, ARRAY_DGAIN_2}, {ARRAY_SHIFT_2, ARRAY_DSHIFT_2}};
  for (int gated = 0; gated < 2; gated++) {
    struct block shape = block_make(12, 4, 2, 6, 10, 2, 5, 5, gated, true);
    struct request r = request_of(&shape, DTYPE_FP64, ISA_SCALAR, 1);
    struct bed b;
    bed_start(&b, &r, NULL);
    bed_residual(&b, 1, false);
    const struct layer *d = b.job.data;
    for (size_t a = 0; a < sizeof of / sizeof *of; a++) {
      double *x = d->array[of[a][0]];
      const double *slope = d->array[of[a][1]];
      size_t n = (size_t)block_array(&shape, of[a][0]);
      if (!x) continue;
      for (size_t k = 0; k < 8; k++) {
        size_t i = k * (n - 1) / 7;
        const double step = 1e-5, old = x[i];
        x[i] = old + step;
        double up = loss(&b.job);
        x[i] = old - step;
        double down = loss(&b.job);
        x[i] = old;
        double seen = (up - down) / (2 * step);
        if (!(fabs(seen - slope[i]) <= 1e-7 * (1 + fabs(seen))))
          fail_msg("array %d element %d: slope %.12g, difference %.12g", (int)of[a][0], (int)i, slope[i], seen);
      }
    }
    bed_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accounting),  cmocka_unit_test(test_shapes), cmocka_unit_test(test_results),
      cmocka_unit_test(test_parts_timed), cmocka_unit_test(test_twins),  cmocka_unit_test(test_gradients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
