/* work: the accounting of each operation: how much arithmetic, how many bytes, stated once and used both by the
 * prediction and by the kernels. One fused multiply-add is 2 FLOP. `byte` is compulsory traffic: each operand once
 * (Williams 2009); `byte_bus` adds the line a store fetches first (write-allocate) for arrays only written.
 * Shapes in elements; sizes in bytes of the data type. Valid for every n, m, k, batch ≥ 1. */
#ifndef RIDGE_WORK_H
#define RIDGE_WORK_H

#include <stdbool.h>

#include "model/dtype.h"

enum op {
  OP_WEIGHTS,         /* Y[batch×n] = X[batch×n] · W[n×n]ᵀ : one layer of weights used by `batch` inputs */
  OP_MATMUL,          /* C[m×n] = A[m×k] · B[k×n] */
  OP_DOT,             /* one number: Σ x[i]·y[i], n long */
  OP_ADD,             /* z = x + y, n long */
  OP_SAXPY,           /* y = a·x + y, n long */
  OP_RELU,            /* y = max(x, 0), n long */
  OP_LAYERNORM,       /* m rows of n: mean, variance, scale; 8 FLOP an element (ours) */
  OP_SOFTMAX,         /* m rows of n; 5 FLOP an element (ours) */
  OP_DEPTHWISE,       /* 3×3 convolution, `batch` channels of n×n, zero padding, one filter a channel */
  OP_ATTENTION,       /* `batch` heads, n queries × n keys, head width k; the n×n scores go to memory and back */
  OP_ATTENTION_FUSED, /* the same without the scores leaving the chip */
  OP_DIAL,            /* `fma` multiply-adds on each of n loaded elements */
  OP_CHAIN,           /* `chain` element-wise operations in a row on n elements, each a pass over memory of its own */
  OP_CHAIN_FUSED,     /* the same in one pass: loaded once, all operations done in registers, stored once */
  OP_CUSTOM,          /* flop and byte typed in: no kernel */
  OP_PEAK,            /* multiply-add chains in registers: no memory traffic */
  OP_READ,            /* load n elements */
  OP_COPY,            /* y = x, n long */
  OP_TRIAD,           /* z = x + a·y, n long */
  OP_COPY_NT, OP_TRIAD_NT, /* the same with non-temporal stores: no write-allocate */
  OP_LATENCY,         /* `chain` walks of dependent loads around one random cycle over n elements of 64 bytes */
  OP_STRIDED,         /* loads `stride` bytes apart over n elements: one element every stride of a line, or one of every line */
  OP_DISPATCH,        /* start the team on nothing and wait for it */
  OP_ASYNC,           /* hand `fma` multiply-adds on each of n elements to threads that stand in for a device, and do not wait */
  OP_ASYNC_WAIT,      /* the same, and wait */
  OP_FEED,            /* a pipeline: threads prepare batches of `batch` items of n µs each, a queue holds k of them, one thread uses each for
                         m µs. `chain` threads in all (1: the same one does both); one item in ten takes `fma` times as long as others */
  OP_BLOCK,           /* one layer of a transformer, all its operations in order: model/block.h */
  OP_BLOCK_TRAIN,     /* the same and its backward pass */
  OP_N
};
enum { OP_SCENE_N = OP_CUSTOM + 1 }; /* those a learner chooses from */

const char *op_name(enum op op); /* "weights", "attention_fused"… */
enum op op_find(const char *name);
const char *op_words(enum op op); /* the formula in words, with shapes */

/* The sizes of one execution, by name. What an operation does not use is ignored; NAN means left open (see work_complete).
 * chain: operations in a row on each element, or independent chains of dependent loads. stride: bytes from one load to the next. */
struct shape { double n, m, k, batch, fma, chain, stride, heads, kv_heads, ffn, context, matrices; };
enum { SHAPE_N = 12, SHAPE_COMMON = 7 }; /* those after the common ones belong to the block */
const char *shape_name(int i); /* "n" "m" "k" "batch" "fma" "chain" "stride" "heads" "kv_heads" "ffn" "context" "matrices" */
double shape_get(const struct shape *s, int i);
void shape_set(struct shape *s, int i, double v);


struct work { double flop, byte, byte_bus; };

/* Operations that consist of parts, each timed for itself, have at most so many. */
enum { WORK_PART_MAX = 44 };

/* The work of op at this shape in this data type: every operand in that type, weights of few bits with their scales. OP_CUSTOM gives NAN:
 * its numbers are typed in. */
struct work work_of(enum op op, struct shape s, enum dtype t);
/* The same as the kernels here do it on a CPU: for `weights` only the matrix is stored as t; what goes in and out is fp64 or fp32
 * (dtype_real). */
struct work work_of_kernel(enum op op, struct shape s, enum dtype t);

/* Bytes of memory the kernel needs for all its arrays. */
double work_footprint(enum op op, struct shape s, enum dtype t);

/* Whether the knob means anything for op. `what` is one of the shape names. */
bool work_uses(enum op op, const char *what);

/* The n a person starts from: large enough to stream from memory past a last-level cache of last_cache_byte
 * (4 × it; NAN: 32 MiB is assumed), within cap_byte (NAN: none); 1024 for the products, 4096 for attention.
 * `weights`: the smallest multiple of 1024 whose matrix is at least 4 × the last-level cache. */
double work_start_n(enum op op, enum dtype t, double last_cache_byte, double cap_byte);

/* Fill what a person left open: m and k follow n; the head width of attention is 128; a chain of 1, and a
 * stride of one fp32 element. NAN fields only (chain, stride and those of the block: also below 1). A block left open has 128 tokens,
 * heads of 64 as many as fill its width, a feed-forward part 4 times as wide, three matrices. */
struct shape work_complete(enum op op, struct shape s);

#endif
