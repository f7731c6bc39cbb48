/* The precision scene's tables: every storage format; every number format with the value, the sum or the gradients; every grain of scales.
 */
#include <math.h>

#include "model/accumulate.h"
#include "model/gradient.h"
#include "scenes/precision.h"

static void value_set(struct fact *f, double v) {
  f->value = isfinite(v) ? v : NAN;
  if (isinf(v)) f->word = v > 0 ? "infinity" : "-infinity";
  if (isnan(v)) f->word = "not a number";
}

static int row_storage(const struct world *w, const struct setup *s, const struct precision *q, int row, struct fact *f) {
  enum { NAME, BITS, SHARES, STORAGE, LEFT, RATE, GAIN, ERROR, HERE, N };
  static const struct fact table[N] = {
      [NAME] = {"stored", "stored as", "", 1, NULL, "The format."},
      [BITS] = {"bits_per_weight", "bits", "1", 1, NULL, "Bits a weight, scales counted."},
      [SHARES] = {"shares", "shared", "", 2, NULL, "What shares what."},
      [STORAGE] = {"storage_byte", "storage", "byte", 1, NULL, "All weights."},
      [LEFT] = {"capacity_left", "left", "byte", 2, NULL, "What the device's memory has left; negative: it does not fit."},
      [RATE] = {"token_rate", "at most", "token/s", 1, NULL, "Tokens a second of one sequence, if memory limits."},
      [GAIN] = {"token_rate_over_bf16", "over bf16", "x", 2, NULL, "That rate over bf16's."},
      [ERROR] = {"storing_error", "error", "%", 1, NULL, "How far weights are off, root mean square."},
      [HERE] = {"here_measured_token_rate", "here", "token/s", 1, NULL, "This machine's measured kernel, scaled."},
  };
  if (row < 0 || row >= PACKING_N) return 0;
  enum packing p = (enum packing)row;
  double bits = p == PACKING_FREE ? s->v[KNOB_BITS] : packing_bits(p), in[PACKING_WEIGHTS], out[PACKING_WEIGHTS];
  facts_begin(f, table, N, true);
  packing_weights(s->v[KNOB_RANGE], s->v[KNOB_OUTLIER], in);
  packing_store(p, in, PACKING_WEIGHTS, PACKING_ROW, out);
  f[NAME].word = packing_name(p);
  f[BITS].value = bits;
  f[SHARES].word = packing_words(p);
  f[STORAGE].value = precision_storage_byte(q, bits);
  f[LEFT].value = q->device->memory_byte.value - f[STORAGE].value;
  f[RATE].value = 1 / precision_step_time(q, bits);
  f[GAIN].value = precision_step_time(q, 16) / precision_step_time(q, bits);
  f[ERROR].value = packing_error(in, out, PACKING_WEIGHTS, s->v[KNOB_OUTLIER] > 0 ? PACKING_OUTLIER : -1);
  f[HERE].value = 1 / precision_here_time(w, q, p);
  f[HERE].measured = true;
  return N;
}

static int row_number(const struct setup *s, const struct precision *q, int row, struct fact *f) {
  enum { NAME, STORED, RELATIVE, SPACING, LARGEST, LEAST, DIGITS, N };
  static const struct fact table[N] = {
      [NAME] = {"format", "format", "", 1, NULL, "The number format."},
      [STORED] = {"stored_value", "stored", "1", 1, NULL, "What comes back of the value."},
      [RELATIVE] = {"relative_error", "off by", "%", 1, NULL, "What storing changed, over the value."},
      [SPACING] = {"spacing", "spacing", "1", 1, NULL, "To the next number further from zero."},
      [LARGEST] = {"largest", "largest", "1", 1, NULL, "The largest number."},
      [LEAST] = {"least_normal", "least normal", "1", 2, NULL, "The smallest number with all digits."},
      [DIGITS] = {"decimal_digits", "digits", "1", 2, NULL, "Decimal digits it can tell apart."},
  };
  if (row < 0 || row >= CODING_N) return 0;
  enum coding k = (enum coding)row;
  double stored = coding_round(k, q->value, s->v[KNOB_SATURATE] > 0);
  facts_begin(f, table, N, true);
  f[NAME].word = coding_name(k);
  value_set(&f[STORED], stored);
  double relative = (stored - q->value) / q->value;
  f[RELATIVE].value = isfinite(relative) ? relative : NAN;
  f[SPACING].value = isfinite(stored) ? coding_spacing(k, stored) : NAN;
  f[LARGEST].value = coding_largest(k);
  f[LEAST].value = coding_least_normal(k);
  f[DIGITS].value = coding_digits(k);
  return N;
}

static int row_sum(const struct setup *s, int row, struct fact *f) {
  enum { NAME, TERM, SUM, ERROR, STALLED, N };
  static const struct fact table[N] = {
      [NAME] = {"format", "format", "", 1, NULL, "Of terms and sum."},
      [TERM] = {"term_stored", "term", "1", 1, NULL, "The term as the format holds it."},
      [SUM] = {"sum", "sum", "1", 1, NULL, "All terms, every sum rounded."},
      [ERROR] = {"sum_error", "off by", "%", 1, NULL, "The sum against what it should be."},
      [STALLED] = {"stalled_after", "stalls after", "n", 1, NULL, "Terms after which it no longer changes."},
  };
  if (row < 0 || row >= CODING_N) return 0;
  enum coding k = (enum coding)row;
  double term = coding_round(k, s->v[KNOB_TERM], false), exact = s->v[KNOB_TERM] * s->v[KNOB_TERMS];
  struct accumulate a;
  accumulate_start(&a, k, term);
  accumulate_to(&a, s->v[KNOB_TERMS]);
  facts_begin(f, table, N, true);
  f[NAME].word = coding_name(k);
  value_set(&f[TERM], term);
  value_set(&f[SUM], a.sum);
  double off = a.sum / exact - 1;
  f[ERROR].value = isfinite(off) ? off : NAN;
  f[STALLED].value = a.stalled && isfinite(a.sum) ? a.stalled_at : NAN;
  return N;
}

static int row_gradients(const struct setup *s, int row, struct fact *f) {
  enum { NAME, LOST, COARSE, KEPT, OVER, MOST, N };
  static const struct fact table[N] = {
      [NAME] = {"format", "format", "", 1, NULL, "The format gradients are stored in."},
      [LOST] = {"lost_share", "become 0", "%", 1, NULL, "Share too small."},
      [COARSE] = {"coarse_share", "lose digits", "%", 1, NULL, "Share stored as subnormal numbers."},
      [KEPT] = {"kept_share", "kept whole", "%", 1, NULL, "Share stored with all digits."},
      [OVER] = {"over_share", "too large", "%", 1, NULL, "Share beyond the largest number."},
      [MOST] = {"loss_scale_most", "scale, at most", "1", 1, NULL, "The largest safe loss scale."},
  };
  if (row < 0 || row >= CODING_N) return 0;
  struct gradient g = gradient_of((enum coding)row, s->v[KNOB_GRADIENT], s->v[KNOB_LOSS_SCALE]);
  facts_begin(f, table, N, true);
  f[NAME].word = coding_name((enum coding)row);
  f[LOST].value = g.lost, f[COARSE].value = g.coarse, f[KEPT].value = g.kept, f[OVER].value = g.over;
  f[MOST].value = gradient_scale_most((enum coding)row, s->v[KNOB_GRADIENT]);
  return N;
}

static int row_scale(const struct setup *s, int row, struct fact *f) {
  enum { SHARES, SCALES, BITS, ERROR, LARGEST_SCALE, N };
  static const struct fact table[N] = {
      [SHARES] = {"weights_a_scale", "share a scale", "n", 1, NULL, "Weights that share one scale."},
      [SCALES] = {"scales", "scales", "n", 1, NULL, "Scales of the tensor."},
      [BITS] = {"bits_with_scales", "bits a weight", "1", 1, NULL, "An fp32 for each scale counted; one for a tensor is nothing."},
      [ERROR] = {"rms_error", "error", "%", 1, NULL, "How far weights are off, root mean square; the outlier left out."},
      [LARGEST_SCALE] = {"scale", "widest step", "1", 2, NULL, "The largest of the scales."},
  };
  double in[PACKING_WEIGHTS], out[PACKING_WEIGHTS], widest = 0;
  int bits = precision_integer_bits(s), group = row == 0 ? PACKING_WEIGHTS : PACKING_ROW >> (row - 1);
  if (row < 0 || row > 6) return 0;
  packing_weights(s->v[KNOB_RANGE], s->v[KNOB_OUTLIER], in);
  quantise_store(in, PACKING_WEIGHTS, group, bits, out);
  for (int at = 0; at < PACKING_WEIGHTS; at += group) widest = fmax(widest, quantise_scale(in + at, group, bits));
  facts_begin(f, table, N, true);
  f[SHARES].value = group;
  f[SCALES].value = PACKING_WEIGHTS / group;
  f[BITS].value = bits + (row == 0 ? 0 : 32.0 / group);
  f[ERROR].value = packing_error(in, out, PACKING_WEIGHTS, s->v[KNOB_OUTLIER] > 0 ? PACKING_OUTLIER : -1);
  f[LARGEST_SCALE].value = widest;
  return N;
}

int precision_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  struct precision q = precision_of(w, s);
  switch (q.view) {
  case VIEW_SUM: return row_sum(s, row, out);
  case VIEW_GRADIENTS: return row_gradients(s, row, out);
  case VIEW_SCALE: return row_scale(s, row, out);
  case VIEW_BITS:
  case VIEW_LINE: return row_number(s, &q, row, out);
  default: return row_storage(w, s, &q, row, out);
  }
}
