/* kernel_table: the kernels there are, one row an operation. A kernel is a file op_….c with its rows, and a line here. */
#include <stddef.h>

#include "kernels/bench.h"

extern const struct kernel kernel_peak, kernel_read, kernel_copy, kernel_triad, kernel_copy_nt, kernel_triad_nt, kernel_latency, kernel_strided,
    kernel_dial, kernel_weights, kernel_matmul, kernel_dot, kernel_add, kernel_saxpy, kernel_relu, kernel_layernorm, kernel_softmax,
    kernel_depthwise, kernel_attention, kernel_attention_fused, kernel_dispatch, kernel_async, kernel_async_wait,
    kernel_feed, kernel_chain, kernel_chain_fused, kernel_block, kernel_block_train;

const struct kernel *const kernel_table[] = {
    &kernel_peak,
    &kernel_read,
    &kernel_copy,
    &kernel_triad,
    &kernel_copy_nt,
    &kernel_triad_nt,
    &kernel_latency,
    &kernel_strided,
    &kernel_dial,
    &kernel_weights,
    &kernel_matmul,
    &kernel_dot,
    &kernel_add,
    &kernel_saxpy,
    &kernel_relu,
    &kernel_layernorm,
    &kernel_softmax,
    &kernel_depthwise,
    &kernel_attention,
    &kernel_attention_fused,
    &kernel_dispatch,
    &kernel_async,
    &kernel_async_wait,
    &kernel_feed,
    &kernel_chain,
    &kernel_chain_fused,
    &kernel_block,
    &kernel_block_train,
};
const int kernel_count = (int)(sizeof kernel_table / sizeof *kernel_table);

const struct kernel *kernel_find(enum op op) {
  for (int i = 0; i < kernel_count; i++)
    if (kernel_table[i]->op == op) return kernel_table[i];
  return NULL;
}
