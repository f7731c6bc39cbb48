/* The numbers of the precision scene. */
#include <math.h>
#include <string.h>

#include "model/accumulate.h"
#include "model/gradient.h"
#include "model/ladder.h"
#include "scenes/precision.h"

/* ---- storage ---- */

/* Bits a weight when the tables of tokens, one or two, stay in 16 bits. NAN for a model whose tables are not known. */
static double bits_with_tables(const struct world *w, const struct setup *s, const struct precision *q) {
  const struct model *m = w->nmodel > 0 && !q->geometry.assumed ? &w->model[(int)s->v[KNOB_MODEL]] : NULL;
  double tables = m ? q->geometry.vocab * q->geometry.hidden * (m->tied ? 1 : 2) : NAN;
  if (!m || m->illustrative || !(tables > 0)) return NAN;
  return q->bits + (fmax(q->bits, 16) - q->bits) * tables / q->geometry.params;
}

static enum dtype dtype_of(enum packing p) {
  switch (p) {
  case PACKING_FP32: return DTYPE_FP32;
  case PACKING_BF16: return DTYPE_BF16;
  case PACKING_FP16: return DTYPE_FP16;
  case PACKING_FP8: return DTYPE_FP8;
  case PACKING_INT8:
  case PACKING_Q8_0: return DTYPE_INT8;
  case PACKING_MXFP4:
  case PACKING_NVFP4: return DTYPE_FP4;
  case PACKING_INT4:
  case PACKING_INT4_G64: return DTYPE_INT4;
  default: return DTYPE_BF16; /* unpacked to 16 bits before anything is multiplied */
  }
}

static void facts_storage(const struct world *w, const struct setup *s, const struct precision *q, struct fact *f) {
  const struct device *d = q->device;
  double capacity = d->memory_byte.value;
  enum dtype math = ladder_math(d, dtype_of(q->packing));
  f[F_STORAGE].value = f[F_BINARY].value = precision_storage_byte(q, q->bits);
  f[F_BITS].value = q->bits;
  f[F_STEP].value = precision_step_time(q, q->bits);
  f[F_RATE].value = 1 / f[F_STEP].value;
  f[F_GAIN].value = precision_step_time(q, 16) / f[F_STEP].value;
  f[F_LEFT].value = capacity - f[F_STORAGE].value;
  f[F_DEVICES].value = ceil(f[F_STORAGE].value / capacity);
  double error[PACKING_N];
  precision_errors(s, error);
  f[F_ERROR].value = error[q->packing];
  for (int p = 0; p < PACKING_FREE; p++) f[F_ERROR_OF + p].value = error[p];
  f[F_SHRINK].value = 16 / q->bits;
  f[F_SCALE_BITS].value = q->packing == PACKING_FREE ? NAN : packing_scale_bits(q->packing);
  f[F_SHARES].word = packing_words(q->packing);
  f[F_BLOCK].value = packing_block(q->packing);
  f[F_BLOCK_BYTE].value = f[F_BLOCK].value * q->bits / 8;
  f[F_LEAST_ERROR].value = packing_least_error(q->bits);
  f[F_READ].value = q->geometry.matmul_params * q->bits / 8;
  f[F_TABLE_BITS].value = bits_with_tables(w, s, q);
  f[F_TABLE_BYTE].value = precision_storage_byte(q, f[F_TABLE_BITS].value);
  f[F_PARAMS].value = q->geometry.params;
  f[F_PARAMS_READ].value = q->geometry.matmul_params;
  f[F_CAPACITY].value = capacity;
  f[F_BANDWIDTH].value = q->rate;
  f[F_MATH].word = math == DTYPE_N ? "unknown" : dtype_name(math);
  f[F_PEAK].value = math == DTYPE_N ? NAN : ladder_peak(d, math, ISA_AUTO, 0);
  f[F_PEAK_GAIN].value = f[F_PEAK].value / ladder_peak(d, DTYPE_BF16, ISA_AUTO, 0);
  f[F_PACKING].word = packing_name(q->packing);
  f[F_MODEL].word = q->geometry.assumed ? "assumed" : w->nmodel > 0 ? w->model[(int)s->v[KNOB_MODEL]].id : "none";
  f[F_DEVICE].word = d->id;
  f[F_PROVENANCE].word = q->view == VIEW_GRADIENTS || q->view == VIEW_SCALE ? "invented, seeded"
                         : q->view != VIEW_STORAGE                          ? "computed"
                         : s->set[KNOB_BANDWIDTH]                           ? "what if"
                         : d->illustrative                                  ? "illustrative"
                                                                            : source_name((enum source)d->memory_byte_per_s.source);
}

static void facts_here(const struct world *w, const struct precision *q, struct fact *f) {
  enum dtype t = precision_kernel(q->packing);
  const struct run *run = precision_run(w, q->packing);
  static const uint8_t measured[] = {F_HERE_RATE, F_HERE_TIME, F_HERE_RATIO, F_HERE_ERROR, F_HERE_SPREAD};
  for (size_t i = 0; i < sizeof measured; i++) f[measured[i]].measured = true;
  f[F_HERE_STORED].word = t == DTYPE_N ? "none" : dtype_name(t);
  f[F_STATE].word = t == DTYPE_N ? "no kernel stores so" : "not measured yet: m";
  if (!run) return;
  const struct device *here = &w->device[DEVICE_HERE];
  double rate = ladder_rate(here, work_footprint(OP_WEIGHTS, run->request.shape, t), true, 0, NULL);
  f[F_HERE_TIME].value = precision_here_time(w, q, q->packing);
  f[F_HERE_RATE].value = 1 / f[F_HERE_TIME].value;
  f[F_HERE_RATIO].value = run->byte / run_time(run) / rate;
  f[F_HERE_ERROR].value = run->quant_error;
  f[F_HERE_SPREAD].value = run->spread;
  f[F_HERE_COUNT].value = run->count;
  f[F_STATE].word = run->count > 0 ? "measured" : "first run";
}

/* ---- one number ---- */

static void value_set(struct fact *f, double v) {
  f->value = isfinite(v) ? v : NAN;
  if (isinf(v)) f->word = v > 0 ? "infinity" : "-infinity";
  if (isnan(v)) f->word = "not a number";
}

static void facts_number(const struct setup *s, const struct precision *q, struct fact *f) {
  enum coding k = q->coding;
  const struct coding_part *p = coding_part(k);
  int bits = coding_bits(k), place = (int)s->v[KNOB_BIT], low = bits - place;
  double stored = coding_decode(k, q->code);
  bool integer = p->top == TOP_INTEGER;
  uint64_t field = p->exponent ? q->code >> p->mantissa & (((uint64_t)1 << p->exponent) - 1) : 0;
  value_set(&f[F_STORED_VALUE], stored);
  f[F_VALUE_ERROR].value = isfinite(stored) ? stored - q->value : NAN;
  double relative = (stored - q->value) / q->value;
  f[F_RELATIVE].value = isfinite(relative) ? relative : NAN;
  f[F_SPACING].value = isfinite(stored) ? coding_spacing(k, stored) : NAN;
  f[F_LARGEST].value = coding_largest(k);
  f[F_LEAST].value = coding_least_normal(k);
  f[F_SUBNORMAL].value = coding_least_subnormal(k);
  f[F_DIGITS].value = coding_digits(k);
  f[F_CLASS].word = coding_class_name(coding_class(k, q->code));
  f[F_BIT_PART].word = place == 1 ? "the sign" : place <= 1 + p->exponent ? "the exponent" : integer ? "the number" : "the mantissa";
  value_set(&f[F_TURNED], coding_decode(k, q->code ^ (uint64_t)1 << low));
  f[F_SIGN].value = (double)(q->code >> (bits - 1) & 1);
  f[F_EXPONENT_FIELD].value = integer ? NAN : (double)field;
  f[F_EXPONENT].value = integer ? NAN : (double)(field ? (int)field : 1) - p->bias;
  if (!field) f[F_EXPONENT].formula = "1 - exponent_bias"; /* subnormal */
  f[F_MANTISSA].value = (double)(q->code & (((uint64_t)1 << p->mantissa) - 1));
  f[F_WIDTH].value = bits;
  f[F_EXPONENT_BITS].value = p->exponent;
  f[F_MANTISSA_BITS].value = p->mantissa;
  f[F_BIAS].value = integer ? NAN : p->bias;
  f[F_NEXT].value = isfinite(stored) ? coding_next(k, stored, 1) : NAN;
  f[F_BEFORE].value = isfinite(stored) ? coding_next(k, stored, -1) : NAN;
  if (integer) f[F_DIGITS].formula = NULL;
  f[F_FORMAT].word = coding_name(k);
}

/* ---- sums ---- */

/* Half the spacing from here on is no less than the term: nothing nearer to zero stops it, and it cannot pass. */
static double stall_limit(enum coding f, double term) {
  if (coding_part(f)->top == TOP_INTEGER || !(fabs(term) > 0) || !isfinite(term)) return NAN;
  double at = ldexp(1, (int)ceil(log2(2 * fabs(term))) + coding_part(f)->mantissa);
  return at <= coding_largest(f) ? copysign(at, term) : NAN;
}

static void facts_sum(const struct setup *s, const struct precision *q, struct fact *f) {
  double term = precision_term(s), terms = s->v[KNOB_TERMS], exact = terms * s->v[KNOB_TERM];
  struct accumulate a;
  accumulate_start(&a, q->sum_coding, term);
  accumulate_to(&a, terms);
  value_set(&f[F_SUM], a.sum);
  f[F_EXACT].value = exact;
  double off = a.sum / exact - 1;
  f[F_SUM_ERROR].value = isfinite(off) ? off : NAN;
  f[F_STALLED].value = a.stalled && isfinite(a.sum) ? a.stalled_at : NAN;
  f[F_LIMIT].value = stall_limit(q->sum_coding, term);
  value_set(&f[F_TERM], term);
  f[F_SUM_SPACING].value = isfinite(a.sum) ? coding_spacing(q->sum_coding, a.sum) : NAN;
  value_set(&f[F_PIECES], accumulate_pieces(q->sum_coding, term, terms, ceil(sqrt(terms))));
  value_set(&f[F_SUM_FP32], accumulate_at(CODING_FP32, term, terms));
  value_set(&f[F_SUM_FP16], accumulate_at(CODING_FP16, term, terms));
  value_set(&f[F_SUM_BF16], accumulate_at(CODING_BF16, term, terms));
  f[F_ACCUMULATOR].word = coding_name(q->sum_coding);
}

static void facts_gradients(const struct setup *s, const struct precision *q, struct fact *f) {
  double typical = s->v[KNOB_GRADIENT], scale = s->v[KNOB_LOSS_SCALE];
  struct gradient g = gradient_of(q->coding, typical, scale);
  f[F_LOST].value = g.lost;
  f[F_COARSE].value = g.coarse;
  f[F_KEPT].value = g.kept;
  f[F_OVER].value = g.over;
  value_set(&f[F_GRADIENT_BACK], gradient_through(q->coding, typical, scale));
  f[F_LOST_UNSCALED].value = gradient_of(q->coding, typical, 1).lost;
  f[F_LOST_BF16].value = gradient_of(CODING_BF16, typical, 1).lost;
  f[F_SCALE_MOST].value = gradient_scale_most(q->coding, typical);
}

/* ---- integers with a scale ---- */

static double grain_error(const struct setup *s, enum grain g, const double *in, double *out) {
  quantise_store(in, PACKING_WEIGHTS, precision_group(s, g), precision_integer_bits(s), out);
  return packing_error(in, out, PACKING_WEIGHTS, s->v[KNOB_OUTLIER] > 0 ? PACKING_OUTLIER : -1);
}

static void facts_scale(const struct setup *s, const struct precision *q, struct fact *f) {
  double in[PACKING_WEIGHTS], out[PACKING_WEIGHTS];
  bool used[256] = {false};
  enum grain grain = (enum grain)(int)s->v[KNOB_GRAIN];
  int bits = precision_integer_bits(s), group = precision_group(s, grain), zeros = 0, codes = 0;
  packing_weights(s->v[KNOB_RANGE], s->v[KNOB_OUTLIER], in);
  double scale = quantise_scale(in, group, bits); /* the value stands among the first weights: never with the outlier but for a tensor */
  f[F_SCALE].value = scale;
  f[F_CODE].value = quantise_code(q->value, scale, bits);
  if (fabs(q->value / scale - f[F_CODE].value) > 0.5 + 1e-9) f[F_CODE].formula = NULL; /* outside the range: the end of it */
  f[F_BACK].value = f[F_CODE].value * scale;
  f[F_BACK_ERROR].value = f[F_BACK].value - q->value;
  f[F_WORST].value = scale / 2;
  f[F_RMS_TENSOR].value = grain_error(s, GRAIN_TENSOR, in, out);
  f[F_RMS_CHANNEL].value = grain_error(s, GRAIN_CHANNEL, in, out);
  f[F_RMS_GROUP].value = grain_error(s, GRAIN_GROUP, in, out);
  f[F_RMS].value = grain_error(s, grain, in, out);
  for (int at = 0; at < PACKING_WEIGHTS; at += group) {
    int n = PACKING_WEIGHTS - at < group ? PACKING_WEIGHTS - at : group;
    double step = quantise_scale(in + at, n, bits);
    for (int i = at; i < at + n; i++) {
      int code = (int)quantise_code(in[i], step, bits);
      zeros += code == 0;
      if (!used[code + 128]) codes++;
      used[code + 128] = true;
    }
  }
  f[F_ZERO].value = zeros / (double)PACKING_WEIGHTS;
  f[F_USED].value = codes;
  f[F_GRAIN_BITS].value = bits + (grain == GRAIN_TENSOR ? 0 : 32.0 / group);
}

int precision_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  struct precision q = precision_of(w, s);
  for (int i = 0; i < F_N; i++) {
    out[i] = precision_table[i].fact;
    out[i].value = NAN;
    out[i].measured = false;
    if (!(precision_table[i].views & 1u << (q.view - VIEW_STORAGE))) out[i].label = NULL;
  }
  facts_storage(w, s, &q, out);
  facts_here(w, &q, out);
  facts_number(s, &q, out);
  facts_sum(s, &q, out);
  facts_gradients(s, &q, out);
  facts_scale(s, &q, out);
  out[F_VIEW].word = view_name(q.view);
  return F_N;
}
