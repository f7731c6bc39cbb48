/* The facts of the precision scene: names, units, formulas, meanings. */
#include "scenes/precision.h"

enum {
  S = 1u << (VIEW_STORAGE - VIEW_STORAGE),
  B = 1u << (VIEW_BITS - VIEW_STORAGE),
  L = 1u << (VIEW_LINE - VIEW_STORAGE),
  A = 1u << (VIEW_SUM - VIEW_STORAGE),
  G = 1u << (VIEW_GRADIENTS - VIEW_STORAGE),
  Q = 1u << (VIEW_SCALE - VIEW_STORAGE)
};
#define ROW(views, ...)                                                                                                                    \
  { {__VA_ARGS__}, views }

const struct precision_row precision_table[F_N] = {
    [F_STORAGE] =
        ROW(S, "storage_byte", "storage", "byte", 1, "params_total * bits_per_weight / 8", "All weights of the model, stored so."),
    [F_BITS] = ROW(S, "bits_per_weight", "bits a weight", "1", 1, NULL, "Bits a weight takes, its share of the scales counted."),
    [F_RATE] = ROW(S, "token_rate", "at most", "token/s", 1, "1 / step_time",
                   "Tokens a second of one sequence, if memory limits: every weight is read once a token."),
    [F_GAIN] = ROW(S, "token_rate_over_bf16", "over bf16", "x", 1, NULL, "That rate over the same model's in bf16."),
    [F_LEFT] = ROW(S, "capacity_left", "memory left", "byte", 1, "capacity_byte - storage_byte",
                   "What the device's memory has left beside the weights. Negative: they do not fit."),
    [F_ERROR] = ROW(S, "storing_error", "error", "%", 1, NULL,
                    "How far stored weights are off, root mean square over that of the weights: normally distributed ones, stored by plain "
                    "rounding. What it does to answers only your task can tell."),
    [F_HERE_RATE] = ROW(S, "here_measured_token_rate", "here, scaled", "token/s", 1, "1 / here_measured_time",
                        "This machine: the `weights` kernel with weights stored so, measured, scaled to the weights a token reads."),
    [F_SHRINK] = ROW(S, "bf16_over_storage", "smaller by", "x", 2, "16 / bits_per_weight", "How many times smaller than in bf16."),
    [F_BINARY] = ROW(S, "storage_byte_binary", "the same", "iB", 2, "storage_byte", "The storage in GiB of 2^30 bytes."),
    [F_SCALE_BITS] = ROW(S, "scale_bits", "of it, scales", "1", 2, NULL, "Bits a weight that go to shared scales and zeros."),
    [F_SHARES] = ROW(S, "shares", NULL, "", 2, NULL, "What shares what in this format."),
    [F_BLOCK] = ROW(S, "block_weights", "block", "n", 2, NULL, "Weights that are stored together; 1: each by itself."),
    [F_BLOCK_BYTE] = ROW(S, "block_byte", "bytes of it", "1", 2, "block_weights * bits_per_weight / 8", "Bytes of one block."),
    [F_LEAST_ERROR] = ROW(S, "least_error", "error, least", "%", 2, "2^-bits_per_weight",
                          "No code of so many bits can store normally distributed weights with less error (Shannon)."),
    [F_READ] = ROW(S, "read_byte", "read a token", "byte", 2, "params_read * bits_per_weight / 8", "Bytes of weights one token reads."),
    [F_STEP] = ROW(S, "step_time", "one token", "s", 2, "step_cost + read_byte / byte_per_s",
                   "Time of one token at least: reading the weights, and what does not shrink with them."),
    [F_TABLE_BITS] = ROW(S, "bits_with_tables", "tables in 16", "1", 2, NULL,
                         "Bits a weight when the token tables stay in 16 bits, as many tools leave them."),
    [F_TABLE_BYTE] = ROW(S, "storage_with_tables", "storage then", "byte", 2, "params_total * bits_with_tables / 8",
                         "Storage when the token tables stay in 16 bits."),
    [F_DEVICES] = ROW(S, "devices_needed", "devices", "n", 2, NULL, "Whole devices whose memory holds the weights."),
    [F_PARAMS] = ROW(S, "params_total", "parameters", "n", 2, NULL, "Parameters held in memory."),
    [F_PARAMS_READ] = ROW(S, "params_read", "per token", "n", 2, NULL, "Parameters one token multiplies and reads."),
    [F_CAPACITY] = ROW(S, "capacity_byte", "memory", "byte", 2, NULL, "The device's memory."),
    [F_BANDWIDTH] = ROW(S, "byte_per_s", "memory roof", "byte/s", 2, NULL, "The device's most bytes a second from its memory."),
    [F_MATH] = ROW(S, "math", "arithmetic in", "", 2, NULL, "The arithmetic the device would use: the stored type if it lists it."),
    [F_PEAK] = ROW(S, "peak_flop_per_s", "arithmetic", "flop/s", 2, NULL, "The device's dense peak in that arithmetic."),
    [F_PEAK_GAIN] = ROW(S, "peak_over_bf16", "over its bf16", "x", 2, NULL,
                        "That peak over the one in bf16: what fewer bits buy where arithmetic limits."),
    [F_HERE_TIME] = ROW(S, "here_measured_time", "one token here", "s", 2, NULL,
                        "The kernel's measured time times the weights a token reads over the kernel's."),
    [F_HERE_RATIO] =
        ROW(S, "here_measured_ratio", "of its roof", "%", 2, NULL, "Bytes a second the kernel read over this machine's memory roof."),
    [F_HERE_ERROR] = ROW(S, "here_measured_error", "of outputs", "%", 2, NULL,
                         "The kernel's outputs against those with the weights before they were stored, relative, root mean square."),
    [F_HERE_SPREAD] =
        ROW(S, "here_measured_spread", "spread", "%", 2, NULL, "Half the interquartile range of the repetitions over their median."),
    [F_HERE_COUNT] = ROW(S, "here_measured_count", "repetitions", "n", 2, NULL, "Warm repetitions behind the median."),
    [F_HERE_STORED] = ROW(S, "here_stored", NULL, "", 2, NULL, "The data type of the kernel that stands for this format."),
    [F_STATE] = ROW(S, "here_state", "this machine", "", 2, NULL, "Whether this machine has a measured point here, and if not, why."),
    [F_PROVENANCE] = ROW(S, "provenance", "figures", "", 2, NULL,
                         "Whose numbers these are: the device's; computed exactly; or invented ones, from a seed."),
    [F_PACKING] = ROW(S, "stored_as", NULL, "", 2, NULL, "The format on show."),
    [F_MODEL] = ROW(S, "model", NULL, "", 2, NULL, "The model on show."),
    [F_DEVICE] = ROW(S, "device", NULL, "", 2, NULL, "The device on show."),

    [F_STORED_VALUE] =
        ROW(B | L, "stored_value", "stored", "1", 1, NULL, "The number that comes back: the nearest the format has, ties to the even one."),
    [F_VALUE_ERROR] = ROW(B | L, "value_error", "off by", "1", 1, "stored_value - value", "What storing changed."),
    [F_RELATIVE] = ROW(B | L, "relative_error", "relative", "%", 1, NULL, "That over the number itself."),
    [F_SPACING] = ROW(B | L, "spacing", "spacing", "1", 1, NULL,
                      "From the stored number to the next one further from zero. It doubles at every power of two."),
    [F_LARGEST] = ROW(B | L, "largest", "largest", "1", 1, NULL, "The largest number of the format."),
    [F_LEAST] = ROW(B | L, "least_normal", "least", "1", 1, NULL, "The smallest number with all its digits."),
    [F_SUBNORMAL] =
        ROW(B | L, "least_subnormal", "least of all", "1", 2, NULL, "The smallest number above zero; half of it is stored as 0."),
    [F_DIGITS] = ROW(B | L, "decimal_digits", "digits", "1", 1, "(mantissa_bits + 1) * log10(2)", "Decimal digits it can tell apart."),
    [F_CLASS] = ROW(B, "kind", "kind", "", 1, NULL, "What the bits mean: a normal or subnormal number, zero, infinity, not a number."),
    [F_BIT_PART] = ROW(B, "bit_part", "this bit is of", "", 1, NULL, "Which field the bit in focus belongs to."),
    [F_TURNED] = ROW(B, "turned_value", "turned over", "1", 1, NULL, "The number if the bit in focus were turned over."),
    [F_SIGN] = ROW(B, "sign_bit", "sign bit", "n", 2, NULL, "1: negative."),
    [F_EXPONENT_FIELD] = ROW(B, "exponent_field", "exponent bits", "n", 2, NULL, "The exponent's bits read as a whole number."),
    [F_EXPONENT] =
        ROW(B, "exponent", "power of two", "1", 2, "exponent_field - exponent_bias", "The power of two the mantissa is multiplied by."),
    [F_MANTISSA] = ROW(B, "mantissa_field", "mantissa bits", "n", 2, NULL,
                       "The mantissa's bits read as a whole number; an integer's own value without its sign bit."),
    [F_WIDTH] = ROW(B | L, "format_bits", "bits", "n", 2, NULL, "Bits of a number: sign, exponent, mantissa. tf32 is held in 32."),
    [F_EXPONENT_BITS] = ROW(B | L, "exponent_bits", "for range", "n", 2, NULL, "Bits of the exponent: they give range."),
    [F_MANTISSA_BITS] =
        ROW(B | L, "mantissa_bits", "for digits", "n", 2, NULL, "Bits of the mantissa: they give digits. The leading one is not stored."),
    [F_BIAS] = ROW(B, "exponent_bias", "bias", "n", 2, NULL, "Taken off the exponent's bits to get the power of two."),
    [F_NEXT] = ROW(L, "next_number", "next one", "1", 2, NULL, "The number after the stored one."),
    [F_BEFORE] = ROW(L, "number_before", "one before", "1", 2, NULL, "The number before the stored one."),

    [F_SUM] = ROW(A, "sum", "sum", "1", 1, NULL, "All terms added one by one, every sum rounded into the format it is kept in."),
    [F_EXACT] = ROW(A, "exact_sum", "exactly", "1", 1, "terms * term", "What it should be, with the term as typed."),
    [F_SUM_ERROR] = ROW(A, "sum_error", "off by", "%", 1, "sum / exact_sum - 1", "The sum against what it should be."),
    [F_STALLED] = ROW(A, "stalled_after", "stalls after", "n", 1, NULL,
                      "Terms after which no further one changes the sum; a dash: it never stalled."),
    [F_LIMIT] = ROW(
        A, "stall_limit", "stalls at", "1", 1, NULL,
        "Where such a sum stalls: the power of two from which half the spacing is no less than the term. A dash: nowhere in the format."),
    [F_TERM] = ROW(A, "term_stored", "term, stored", "1", 2, NULL, "The term as the format holds it."),
    [F_SUM_SPACING] = ROW(A, "sum_spacing", "spacing there", "1", 2, NULL, "Spacing of numbers at the sum."),
    [F_PIECES] = ROW(A, "sum_in_pieces", "in pieces", "1", 1, NULL,
                     "The same format, but sums of about the square root of `terms` terms first, then the sum of those: one remedy."),
    [F_SUM_FP32] = ROW(A, "sum_fp32", "in fp32", "1", 1, NULL,
                       "The same terms with the sum kept in fp32: the other remedy, and what matrix units do."),
    [F_SUM_FP16] = ROW(A, "sum_fp16", "in fp16", "1", 2, NULL, "The same terms with the sum kept in fp16."),
    [F_SUM_BF16] = ROW(A, "sum_bf16", "in bf16", "1", 2, NULL, "The same terms with the sum kept in bf16."),
    [F_ACCUMULATOR] = ROW(A, "sum_format", NULL, "", 2, NULL, "The format the sum is kept in."),

    [F_LOST] =
        ROW(G, "lost_share", "become 0", "%", 1, NULL,
            "Share of the scaled gradients too small for the format: they teach nothing. Sizes taken as log-normal, 5 powers of two to a "
            "standard deviation: our assumption."),
    [F_COARSE] = ROW(G, "coarse_share", "lose digits", "%", 1, NULL, "Share stored as subnormal numbers, with fewer digits."),
    [F_KEPT] = ROW(G, "kept_share", "kept whole", "%", 1, NULL, "Share stored with all the format's digits."),
    [F_OVER] = ROW(G, "over_share", "too large", "%", 1, NULL, "Share beyond the largest number: one such gradient spoils the step."),
    [F_GRADIENT_BACK] =
        ROW(G, "gradient_back", "comes back as", "1", 1, NULL, "The typical gradient after scaling, storing and scaling back."),
    [F_LOST_UNSCALED] = ROW(G, "lost_unscaled", "0 if unscaled", "%", 2, NULL, "Share that would become 0 without loss scaling."),
    [F_LOST_BF16] = ROW(G, "lost_bf16", "0 in bf16", "%", 2, NULL, "Share that would become 0 in bf16, unscaled."),
    [F_SCALE_MOST] = ROW(G, "loss_scale_most", "scale, at most", "1", 1, NULL,
                         "The largest power of two that leaves no more than one gradient in 1e9 too large."),

    [F_SCALE] =
        ROW(Q, "scale", "scale s", "1", 1, NULL, "Of the weights that share one with the value: largest magnitude / largest integer."),
    [F_CODE] = ROW(Q, "code", "code q", "n", 1, "round(value / scale)", "The integer that is stored for the value."),
    [F_BACK] = ROW(Q, "value_back", "comes back as", "1", 1, "code * scale", "The value the integer stands for."),
    [F_BACK_ERROR] = ROW(Q, "value_off", "off by", "1", 1, "value_back - value", "What storing changed."),
    [F_WORST] = ROW(Q, "worst_error", "at worst", "1", 1, "scale / 2", "No weight within the range is off by more."),
    [F_RMS] = ROW(Q, "rms_error", "error", "%", 1, NULL,
                  "All weights, root mean square of what storing changed over that of the weights; the outlier itself left out."),
    [F_ZERO] = ROW(Q, "zero_share", "become 0", "%", 1, NULL, "Share of weights stored as 0."),
    [F_USED] = ROW(Q, "codes_used", "codes used", "n", 1, NULL, "Different integers in use, of those the format has."),
    [F_GRAIN_BITS] = ROW(Q, "bits_with_scales", "bits a weight", "1", 2, NULL, "Bits a weight, an fp32 for each scale counted."),
    [F_RMS_TENSOR] = ROW(Q, "rms_error_tensor", "a tensor", "%", 2, NULL, "The error with one scale for the tensor."),
    [F_RMS_CHANNEL] = ROW(Q, "rms_error_channel", "a channel", "%", 2, NULL, "The error with one scale a channel, a row of 256."),
    [F_RMS_GROUP] = ROW(Q, "rms_error_group", "a group", "%", 2, NULL, "The error with one scale a group of neighbours."),

    [F_FORMAT] = ROW(0, "format_name", NULL, "", 2, NULL, "The number format on show."),
    [F_VIEW] = ROW(0, "view", NULL, "", 2, NULL, "Which of the views is on show."),
};
