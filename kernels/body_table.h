/* body_table: the row of the table for one data type, filled from the loops above it. A new loop adds one line here and one in lanes.h. */
static const struct lanes_real NAME(lanes_real) = {
    .lanes = LANES,
    /* body_stream.h */
    .fill = NAME(fill),
    .peak = NAME(peak),
    .peak_chains = CHAINS,
    .peak_width = CHAINS * LANES,
    .read = NAME(read),
    .copy = NAME(copy),
    .triad = NAME(triad),
#ifdef STREAM_FENCE
    .copy_nt = NAME(copy_nt),
    .triad_nt = NAME(triad_nt),
#endif
    .gather = NAME(gather),
    .dial = NAME(dial),
    /* body_ops.h */
    .exp = NAME(exp_all),
    .dot = NAME(dot),
    .add = NAME(add),
    .saxpy = NAME(saxpy),
    .relu = NAME(relu),
    .layernorm = NAME(layernorm),
    .softmax = NAME(softmax),
    .softmax_tile = NAME(softmax_tile),
    .divide_rows = NAME(divide_rows),
    .depthwise = NAME(depthwise),
    /* body_layer.h */
    .silu_gate = NAME(silu_gate),
    .silu_gate_back = NAME(silu_gate_back),
    .gelu = NAME(gelu),
    .gelu_back = NAME(gelu_back),
    .softmax_back = NAME(softmax_back),
    .layernorm_back = NAME(layernorm_back),
    .rotate = NAME(rotate),
    .turn = NAME(turn),
    /* body_chain.h */
    .chain = NAME(chain),
    /* body_matmul.h */
    .product_plain = NAME(product_plain),
    .product_reordered = NAME(product_reordered),
    .product_tiled = NAME(product_tiled),
    .pack = NAME(pack),
    .product = NAME(product),
    .product_small = NAME(product_small),
    .tile_rows = TILE_ROWS,
    .tile_columns = 2 * LANES,
    .scratch_elements = BLOCK_DEPTH * BLOCK_ROWS,
    .block_depth = BLOCK_DEPTH,
    /* body_weights.h */
    .weights_pack = NAME(weights_pack),
    .weights = NAME(weights),
    .weights_scratch = WEIGHT_ROWS * LANES,
};
