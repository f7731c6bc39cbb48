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
    .dial = NAME(dial),
    /* body_ops.h */
    /* body_matmul.h */
};
