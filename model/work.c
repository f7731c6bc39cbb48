#include "model/work.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "model/block.h"

enum { USES_N = 1, USES_M = 2, USES_K = 4, USES_BATCH = 8, USES_FMA = 16, USES_CHAIN = 32, USES_STRIDE = 64, USES_BLOCK = 31 << 7 }; /* bit i: shape i */

static const struct { const char *name; int uses; const char *words; } op_table[OP_N] = {
    [OP_WEIGHTS] = {"weights", USES_N | USES_BATCH, "Y[batch x n] = X[batch x n] W[n x n]^T: one layer of weights serves the whole batch"},
    [OP_MATMUL] = {"matmul", USES_N | USES_M | USES_K, "C[m x n] = A[m x k] B[k x n]"},
    [OP_DOT] = {"dot", USES_N, "sum of x[i] y[i] over n elements"},
    [OP_ADD] = {"add", USES_N, "z[i] = x[i] + y[i] over n elements"},
    [OP_SAXPY] = {"saxpy", USES_N, "y[i] = a x[i] + y[i] over n elements"},
    [OP_RELU] = {"relu", USES_N, "y[i] = max(x[i], 0) over n elements"},
    [OP_LAYERNORM] = {"layernorm", USES_N | USES_M, "each of m rows of n: subtract the mean, divide by the deviation, scale, shift"},
    [OP_SOFTMAX] = {"softmax", USES_N | USES_M, "each of m rows of n: exp(x - max) divided by its sum"},
    [OP_DEPTHWISE] = {"depthwise", USES_N | USES_BATCH, "3x3 convolution of batch planes of n x n, one filter a plane"},
    [OP_ATTENTION] = {"attention", USES_N | USES_K | USES_BATCH,
                      "softmax(Q K^T) V for batch heads, n queries, n keys, width k; scores go to memory and back"},
    [OP_ATTENTION_FUSED] = {"attention_fused", USES_N | USES_K | USES_BATCH,
                            "softmax(Q K^T) V for batch heads, n queries, n keys, width k; scores stay on the chip"},
    [OP_DIAL] = {"dial", USES_N | USES_FMA, "fma multiply-adds on each of n loaded elements"},
    [OP_CHAIN] = {"chain", USES_N | USES_CHAIN, "chain operations in a row on each of n elements, one pass over memory for each"},
    [OP_CHAIN_FUSED] = {"chain_fused", USES_N | USES_CHAIN, "chain operations in a row on each of n elements, all in one pass over memory"},
    [OP_CUSTOM] = {"custom", 0, "flop and byte typed in"},
    [OP_PEAK] = {"peak", 0, "independent multiply-add chains in registers"},
    [OP_READ] = {"read", USES_N, "load n elements"},
    [OP_COPY] = {"copy", USES_N, "y[i] = x[i] over n elements"},
    [OP_TRIAD] = {"triad", USES_N, "z[i] = x[i] + a y[i] over n elements"},
    [OP_COPY_NT] = {"copy_nt", USES_N, "copy with non-temporal stores"},
    [OP_TRIAD_NT] = {"triad_nt", USES_N, "triad with non-temporal stores"},
    [OP_LATENCY] = {"latency", USES_N | USES_CHAIN, "dependent loads around one random cycle of n nodes of 64 bytes, chain of them at a time"},
    [OP_STRIDED] = {"strided", USES_N | USES_STRIDE, "loads stride bytes apart until every line of n elements was touched"},
    [OP_DISPATCH] = {"dispatch", 0, "start the whole team on nothing, and wait for it"},
    [OP_ASYNC] = {"async", USES_N | USES_FMA, "the dial handed to a pool of threads: the clock stops without waiting for it"},
    [OP_ASYNC_WAIT] = {"async_wait", USES_N | USES_FMA, "the dial handed to a pool of threads, and waited for"},
    [OP_FEED] = {"feed", USES_N | USES_M | USES_K | USES_BATCH | USES_FMA | USES_CHAIN,
                 "chain threads: all but one unpack batches of items, n us each, into a queue of k; the last multiplies them, m us a step"},
    [OP_BLOCK] = {"block", USES_N | USES_M | USES_K | USES_BATCH | USES_BLOCK,
                  "one layer of a transformer, n wide, for m tokens of each of batch sequences: attention and feed-forward part"},
    [OP_BLOCK_TRAIN] = {"block_train", USES_N | USES_M | USES_K | USES_BATCH | USES_BLOCK, "the same, forward and backward"},
};

const char *op_name(enum op op) { return op_table[op].name; }

const char *op_words(enum op op) { return op_table[op].words; }

enum op op_find(const char *name) {
  for (int op = 0; op < OP_N; op++)
    if (strcmp(op_table[op].name, name) == 0) return (enum op)op;
  return OP_N;
}

static const struct { const char *name; size_t at; } shape_table[SHAPE_N] = {
    {"n", offsetof(struct shape, n)},         {"m", offsetof(struct shape, m)},     {"k", offsetof(struct shape, k)},
    {"batch", offsetof(struct shape, batch)}, {"fma", offsetof(struct shape, fma)}, {"chain", offsetof(struct shape, chain)},
    {"stride", offsetof(struct shape, stride)}, {"heads", offsetof(struct shape, heads)}, {"kv_heads", offsetof(struct shape, kv_heads)},
    {"ffn", offsetof(struct shape, ffn)}, {"context", offsetof(struct shape, context)}, {"matrices", offsetof(struct shape, matrices)}};

const char *shape_name(int i) {
  assert(i >= 0 && i < SHAPE_N);
  return shape_table[i].name;
}

double shape_get(const struct shape *s, int i) { return *(const double *)((const char *)s + shape_table[i].at); }

void shape_set(struct shape *s, int i, double v) { *(double *)((char *)s + shape_table[i].at) = v; }

bool work_uses(enum op op, const char *what) {
  for (int i = 0; i < SHAPE_N; i++)
    if (strcmp(shape_table[i].name, what) == 0) return (op_table[op].uses & 1 << i) != 0;
  return false;
}

/* Elements an operation reads, writes over what it read (update) and writes without having read (write). The bus carries a written-only
 * line twice: once fetched, once stored. */
struct traffic { double flop, read, update, write; };

static struct traffic traffic_of(enum op op, struct shape s) {
  double n = s.n, m = s.m, k = s.k, b = s.batch;
  switch (op) {
  case OP_WEIGHTS: return (struct traffic){2 * n * n * b, n * n + n * b, 0, n * b};
  case OP_MATMUL: return (struct traffic){2 * m * n * k, m * k + k * n, 0, m * n};
  case OP_DOT: return (struct traffic){2 * n - 1, 2 * n, 0, 1};
  case OP_ADD: return (struct traffic){n, 2 * n, 0, n};
  case OP_SAXPY: return (struct traffic){2 * n, n, n, 0};
  case OP_RELU: return (struct traffic){n, n, 0, n};
  case OP_LAYERNORM: return (struct traffic){8 * m * n, m * n, 0, m * n};
  case OP_SOFTMAX: return (struct traffic){5 * m * n, m * n, 0, m * n};
  case OP_DEPTHWISE: return (struct traffic){18 * n * n * b, n * n * b, 0, n * n * b};
  case OP_ATTENTION: /* the scores are written, made into weights in place, and read again: 4 n² beside Q, K, V and the output */
    return (struct traffic){4 * n * n * k * b, (3 * n * k + n * n) * b, n * n * b, (n * k + n * n) * b};
  case OP_ATTENTION_FUSED: return (struct traffic){4 * n * n * k * b, 3 * n * k * b, 0, n * k * b};
  case OP_DIAL: case OP_ASYNC: case OP_ASYNC_WAIT: return (struct traffic){2 * s.fma * n, n, 0, 0};
  case OP_DISPATCH: case OP_FEED: return (struct traffic){0, 0, 0, 0}; /* nominal: feed's kernel reports what it did */
  case OP_CHAIN: return (struct traffic){s.chain * n, s.chain * n, 0, s.chain * n};
  case OP_CHAIN_FUSED: return (struct traffic){s.chain * n, n, 0, n};
  case OP_PEAK: return (struct traffic){1, 0, 0, 0}; /* nominal: the kernel reports the FLOP it did */
  case OP_READ: return (struct traffic){0, n, 0, 0};
  case OP_COPY: case OP_COPY_NT: return (struct traffic){0, n, 0, n};
  case OP_TRIAD: case OP_TRIAD_NT: return (struct traffic){2 * n, 2 * n, 0, n};
  case OP_LATENCY: return (struct traffic){0, n, 0, 0};
  case OP_STRIDED: return (struct traffic){0, n, 0, 0}; /* the lines; what is asked of them work_of knows */
  case OP_BLOCK: case OP_BLOCK_TRAIN: /* work_of adds up its parts */
  case OP_CUSTOM: case OP_N: break;
  }
  return (struct traffic){NAN, NAN, NAN, NAN};
}

enum { LINE_BYTE = 64 };

static bool is_block(enum op op) { return op == OP_BLOCK || op == OP_BLOCK_TRAIN; }

struct work work_of(enum op op, struct shape s, enum dtype t) {
  if (is_block(op)) {
    struct block b = block_of(op, s);
    return block_work(&b, t);
  }
  struct traffic e = traffic_of(op, s);
  double byte = op == OP_LATENCY ? LINE_BYTE : dtype_byte(t);
  if (op == OP_STRIDED) { /* every line comes whole, for one element in every `stride` bytes of it, or for one at least */
    double step = fmin(fmax(s.stride, byte), LINE_BYTE);
    return (struct work){.flop = 0, .byte = byte * ceil(s.n * byte / step), .byte_bus = byte * s.n};
  }
  double scales = op == OP_WEIGHTS ? s.n * dtype_scale_byte(t, s.n) : 0;
  bool streamed = op == OP_COPY_NT || op == OP_TRIAD_NT;
  return (struct work){.flop = e.flop,
                       .byte = byte * (e.read + 2 * e.update + e.write) + scales,
                       .byte_bus = byte * (e.read + 2 * e.update + (streamed ? 1 : 2) * e.write) + scales};
}

struct work work_of_kernel(enum op op, struct shape s, enum dtype t) {
  if (op != OP_WEIGHTS) return work_of(op, s, t);
  struct work w = work_of(op, s, dtype_real(t));
  double saved = s.n * s.n * (dtype_byte(dtype_real(t)) - dtype_byte(t)) - s.n * dtype_scale_byte(t, s.n);
  return (struct work){.flop = w.flop, .byte = w.byte - saved, .byte_bus = w.byte_bus - saved};
}

double work_footprint(enum op op, struct shape s, enum dtype t) {
  double n = s.n, m = s.m, k = s.k, b = s.batch, element;
  if (is_block(op)) {
    struct block whole = block_of(op, s);
    return block_elements(&whole) * dtype_byte(t);
  }
  switch (op) {
  case OP_WEIGHTS: return n * n * dtype_byte(t) + n * dtype_scale_byte(t, n) + 2 * n * b * dtype_byte(dtype_real(t));
  case OP_MATMUL: element = m * k + k * n + m * n; break;
  case OP_DOT: case OP_SAXPY: case OP_RELU: case OP_COPY: case OP_COPY_NT: element = 2 * n; break;
  case OP_ADD: case OP_TRIAD: case OP_TRIAD_NT: element = 3 * n; break;
  case OP_LAYERNORM: case OP_SOFTMAX: element = 2 * m * n; break;
  case OP_DEPTHWISE: element = 2 * n * n * b; break;
  case OP_ATTENTION: element = (4 * n * k + n * n) * b; break;
  case OP_ATTENTION_FUSED: element = 4 * n * k * b; break;
  case OP_DIAL: case OP_READ: case OP_STRIDED: case OP_ASYNC: case OP_ASYNC_WAIT: element = n; break;
  case OP_CHAIN: element = (s.chain > 1 ? 3 : 2) * n; break; /* the input is kept; results go to and fro between two arrays */
  case OP_CHAIN_FUSED: element = 2 * n; break;
  case OP_LATENCY: return 64 * n;
  case OP_FEED: return 2048 * (s.k + s.chain + 1); /* an unpacked block for each place in the queue and each hand */
  case OP_PEAK: case OP_DISPATCH: return 0;
  default: return NAN;
  }
  return element * dtype_byte(t);
}

struct shape work_complete(enum op op, struct shape s) {
  bool attention = op == OP_ATTENTION || op == OP_ATTENTION_FUSED;
  if (isnan(s.m)) s.m = is_block(op) ? 128 : s.n;
  if (isnan(s.k)) s.k = attention ? 128 : is_block(op) ? 64 : s.n;
  if (isnan(s.batch)) s.batch = 1;
  if (isnan(s.fma)) s.fma = 1;
  if (!(s.chain >= 1)) s.chain = 1;
  if (!(s.stride >= 1)) s.stride = dtype_byte(DTYPE_FP32);
  if (!is_block(op)) return s;
  if (!(s.heads >= 1)) s.heads = fmax(1, floor(s.n / s.k));
  if (!(s.kv_heads >= 1)) s.kv_heads = s.heads;
  if (!(s.ffn >= 1)) s.ffn = 4 * s.n;
  if (!(s.context >= 1)) s.context = s.m;
  if (!(s.matrices >= 1)) s.matrices = 3;
  return s;
}

double work_start_n(enum op op, enum dtype t, double last_cache_byte, double cap_byte) {
  double cache = last_cache_byte > 0 ? last_cache_byte : 32.0 * 1024 * 1024;
  double least = 4 * cache;
  if (op == OP_MATMUL || is_block(op)) return 1024;
  if (op == OP_ATTENTION || op == OP_ATTENTION_FUSED) return 4096;
  if (op == OP_CUSTOM || op == OP_PEAK || op == OP_DISPATCH) return 1;
  if (op == OP_FEED) return 1000; /* µs */
  if (op == OP_ASYNC || op == OP_ASYNC_WAIT) return 1 << 20;
  /* Squares grow by 1024 a side, vectors by doubling, until the arrays no longer fit in any cache. */
  bool square = op == OP_WEIGHTS || op == OP_LAYERNORM || op == OP_SOFTMAX || op == OP_DEPTHWISE;
  for (double n = 1024;; n = square ? n + 1024 : 2 * n) {
    struct shape s = work_complete(op, (struct shape){.n = n, .m = NAN, .k = NAN, .batch = 1, .fma = 1});
    double next = square ? n + 1024 : 2 * n;
    struct shape larger = work_complete(op, (struct shape){.n = next, .m = NAN, .k = NAN, .batch = 1, .fma = 1});
    double size = op == OP_WEIGHTS ? n * n * dtype_byte(t) : work_footprint(op, s, t);
    if (size >= least || !(next < 1e12) || (cap_byte > 0 && work_footprint(op, larger, t) > cap_byte)) return n;
  }
}
