/* The accounting recounted: each operation once more as loops that count. Every addition, multiplication, comparison and exponential is one
 * FLOP; every element is marked where it is read and where it is written, so that each operand counts once however often the loops come
 * back to it, as a cache would have it. A sweep starts a new count: what an earlier sweep touched has gone back to memory since. Small
 * tables shared by all rows (filters, gains) are outside the accounting, as model/work.h says nothing of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/work.h"

enum { ARRAYS = 5, READ = 1, WRITTEN = 2 };
struct count {
  double flop, loaded, stored, fetched; /* elements; fetched: lines brought in only to be written over */
  unsigned char *mark[ARRAYS];
  size_t size[ARRAYS];
};

static void count_start(struct count *c, const size_t size[ARRAYS]) {
  *c = (struct count){0};
  for (int a = 0; a < ARRAYS; a++) {
    c->size[a] = size[a];
    c->mark[a] = calloc(size[a] + 1, 1);
  }
}
static void load(struct count *c, int array, size_t i) {
  assert_true(i < c->size[array]);
  c->loaded += !(c->mark[array][i] & (READ | WRITTEN));
  c->mark[array][i] |= READ;
}
static void store(struct count *c, int array, size_t i) {
  assert_true(i < c->size[array]);
  c->stored += !(c->mark[array][i] & WRITTEN);
  c->fetched += !(c->mark[array][i] & (READ | WRITTEN));
  c->mark[array][i] |= WRITTEN;
}
static void sweep(struct count *c) {
  for (int a = 0; a < ARRAYS; a++) memset(c->mark[a], 0, c->size[a]);
}
static void count_end(struct count *c) {
  for (int a = 0; a < ARRAYS; a++) free(c->mark[a]);
}

static void count_product(struct count *c, int a, int b, int out, size_t m, size_t n, size_t k, size_t a0, size_t b0, size_t out0,
                          size_t b_row, size_t b_column) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      for (size_t p = 0; p < k; p++) {
        load(c, a, a0 + i * k + p);
        load(c, b, b0 + p * b_row + j * b_column);
        c->flop += 2; /* multiplied, added to a sum that starts from 0 */
      }
      store(c, out, out0 + i * n + j);
    }
}

static void count_elements(struct count *c, enum op op, size_t n) {
  for (size_t i = 0; i < n; i++) {
    load(c, 0, i);
    if (op != OP_RELU) load(c, 1, i);
    if (op == OP_DOT) c->flop += i == 0 ? 1 : 2; /* the first product is not added to anything */
    if (op == OP_ADD) c->flop += 1, store(c, 2, i);
    if (op == OP_SAXPY) c->flop += 2, store(c, 1, i);
    if (op == OP_RELU) c->flop += 1, store(c, 1, i);
  }
  if (op == OP_DOT) store(c, 2, 0);
}

/* x 0, the results 1; between two passes everything goes to memory and comes back. */
static void count_chain(struct count *c, enum op op, size_t n, size_t chain) {
  bool fused = op == OP_CHAIN_FUSED;
  for (size_t pass = 0; pass < (fused ? 1 : chain); pass++) {
    sweep(c);
    for (size_t i = 0; i < n; i++) {
      load(c, 0, i);
      c->flop += fused ? (double)chain : 1;
      store(c, 1, i);
    }
  }
}

static void count_norm(struct count *c, enum op op, size_t m, size_t n) {
  for (size_t row = 0; row < m; row++)
    for (int pass = 0; pass < 3; pass++)
      for (size_t i = row * n; i < (row + 1) * n; i++) {
        load(c, 0, i);
        /* layernorm: sum | less the mean, square, sum | less the mean, times 1/deviation, gain, shift
         * softmax: compare | less the largest, exp, sum | times 1/sum */
        if (op == OP_LAYERNORM)
          c->flop += pass == 0 ? 1 : pass == 1 ? 3 : 4;
        else
          c->flop += pass == 0 ? 1 : pass == 1 ? 3 : 1;
        if (op == OP_SOFTMAX ? pass > 0 : pass == 2) store(c, 1, i);
      }
}

static void count_depthwise(struct count *c, size_t n, size_t planes) {
  for (size_t plane = 0; plane < planes; plane++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        for (size_t r = i; r < i + 3; r++) /* r - 1, s - 1: the neighbour; a zero outside is multiplied all the same */
          for (size_t s = j; s < j + 3; s++) {
            if (r >= 1 && s >= 1 && r <= n && s <= n) load(c, 0, (plane * n + r - 1) * n + s - 1);
            c->flop += 2;
          }
        store(c, 1, (plane * n + i) * n + j);
      }
}

/* q 0, k 1, v 2, out 3, scores 4. The softmax is left out of the FLOP, and work.h says so; its traffic is not. */
static void count_attention(struct count *c, enum op op, size_t n, size_t width, size_t heads) {
  bool fused = op == OP_ATTENTION_FUSED;
  for (size_t h = 0; h < heads; h++) count_product(c, 0, 1, 4, n, n, width, h * n * width, h * n * width, h * n * n, 1, width);
  if (!fused) sweep(c);
  for (size_t i = 0; i < heads * n * n; i++) {
    load(c, 4, i);
    store(c, 4, i);
  }
  if (!fused) sweep(c);
  for (size_t h = 0; h < heads; h++) count_product(c, 4, 2, 3, n, width, n, h * n * n, h * n * width, h * n * width, width, 1);
  if (fused) { /* the scores never were in memory */
    c->stored -= (double)(heads * n * n);
    c->fetched -= (double)(heads * n * n);
  }
}

static void recount(enum op op, size_t n, size_t m, size_t k, size_t batch) {
  struct count c;
  const size_t all = 4 * (n + 1) * (n + m + k + 1) * (batch + 1) + m * k;
  const size_t size[ARRAYS] = {all, all, all, all, all};
  count_start(&c, size);
  switch (op) {
  case OP_WEIGHTS: count_product(&c, 0, 1, 2, batch, n, n, 0, 0, 0, 1, n); break;
  case OP_MATMUL: count_product(&c, 0, 1, 2, m, n, k, 0, 0, 0, n, 1); break;
  case OP_LAYERNORM:
  case OP_SOFTMAX: count_norm(&c, op, m, n); break;
  case OP_DEPTHWISE: count_depthwise(&c, n, batch); break;
  case OP_ATTENTION:
  case OP_ATTENTION_FUSED: count_attention(&c, op, n, k, batch); break;
  case OP_CHAIN:
  case OP_CHAIN_FUSED: count_chain(&c, op, n, k); break;
  default: count_elements(&c, op, n);
  }
  struct shape shape = {.n = (double)n, .m = (double)m, .k = (double)k, .batch = (double)batch, .fma = 1, .chain = (double)k};
  static const enum dtype types[] = {DTYPE_FP64, DTYPE_FP32};
  for (int t = 0; t < 2; t++) {
    struct work w = work_of(op, shape, types[t]);
    double byte = dtype_byte(types[t]);
    if (w.flop != c.flop || w.byte != byte * (c.loaded + c.stored) || w.byte_bus != byte * (c.loaded + c.stored + c.fetched))
      fail_msg("%s n=%zu m=%zu k=%zu batch=%zu %s: counted %g FLOP, %g and %g bytes; work_of says %g, %g and %g", op_name(op), n, m, k,
               batch, dtype_name(types[t]), c.flop, byte * (c.loaded + c.stored), byte * (c.loaded + c.stored + c.fetched), w.flop, w.byte,
               w.byte_bus);
  }
  count_end(&c);
}

static void recount_sizes(enum op op) {
  static const size_t size[][4] = {{1, 1, 1, 1}, {2, 1, 3, 1}, {5, 3, 2, 4}, {17, 9, 6, 1}, {16, 16, 16, 3}};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) recount(op, size[i][0], size[i][1], size[i][2], size[i][3]);
}

#define RECOUNT_OF(name, op)                                                                                                               \
  static void name(void **state) {                                                                                                         \
    (void)state;                                                                                                                           \
    recount_sizes(op);                                                                                                                     \
  }
RECOUNT_OF(test_weights, OP_WEIGHTS)
RECOUNT_OF(test_matmul, OP_MATMUL)
RECOUNT_OF(test_dot, OP_DOT)
RECOUNT_OF(test_add, OP_ADD)
RECOUNT_OF(test_saxpy, OP_SAXPY)
RECOUNT_OF(test_relu, OP_RELU)
RECOUNT_OF(test_chain, OP_CHAIN)
RECOUNT_OF(test_chain_fused, OP_CHAIN_FUSED)
RECOUNT_OF(test_layernorm, OP_LAYERNORM)
RECOUNT_OF(test_softmax, OP_SOFTMAX)
RECOUNT_OF(test_depthwise, OP_DEPTHWISE)
RECOUNT_OF(test_attention, OP_ATTENTION)
RECOUNT_OF(test_attention_fused, OP_ATTENTION_FUSED)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weights),   cmocka_unit_test(test_matmul),          cmocka_unit_test(test_dot),
      cmocka_unit_test(test_add),       cmocka_unit_test(test_saxpy),           cmocka_unit_test(test_relu),
      cmocka_unit_test(test_layernorm), cmocka_unit_test(test_softmax),         cmocka_unit_test(test_depthwise),
      cmocka_unit_test(test_attention), cmocka_unit_test(test_attention_fused),
      cmocka_unit_test(test_chain), cmocka_unit_test(test_chain_fused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
