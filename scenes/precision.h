/* precision: what do fewer bits buy, and cost? Six views: storage and rate of a model in every format, a number's bits, the line of numbers
 * a format has, a sum that stalls, gradients that vanish, integers with a scale. What the files of the scene share. */
#ifndef RIDGE_SCENE_PRECISION_H
#define RIDGE_SCENE_PRECISION_H

#include "model/packing.h"
#include "model/step.h"
#include "scenes/scene.h"

/* The facts, in the order of precision_table. */
enum precision_fact {
  F_STORAGE,
  F_BITS,
  F_RATE,
  F_GAIN,
  F_LEFT,
  F_ERROR,
  F_HERE_RATE,
  F_SHRINK,
  F_BINARY,
  F_SCALE_BITS,
  F_SHARES,
  F_BLOCK,
  F_BLOCK_BYTE,
  F_LEAST_ERROR,
  F_READ,
  F_STEP,
  F_TABLE_BITS,
  F_TABLE_BYTE,
  F_DEVICES,
  F_PARAMS,
  F_PARAMS_READ,
  F_CAPACITY,
  F_BANDWIDTH,
  F_MATH,
  F_PEAK,
  F_PEAK_GAIN,
  F_HERE_TIME,
  F_HERE_RATIO,
  F_HERE_ERROR,
  F_HERE_SPREAD,
  F_HERE_COUNT,
  F_HERE_STORED,
  F_STATE,
  F_PROVENANCE,
  F_PACKING,
  F_MODEL,
  F_DEVICE,
  F_STORED_VALUE,
  F_VALUE_ERROR,
  F_RELATIVE,
  F_SPACING,
  F_LARGEST,
  F_LEAST,
  F_SUBNORMAL,
  F_DIGITS,
  F_CLASS,
  F_BIT_PART,
  F_TURNED,
  F_SIGN,
  F_EXPONENT_FIELD,
  F_EXPONENT,
  F_MANTISSA,
  F_WIDTH,
  F_EXPONENT_BITS,
  F_MANTISSA_BITS,
  F_BIAS,
  F_NEXT,
  F_BEFORE,
  F_SUM,
  F_EXACT,
  F_SUM_ERROR,
  F_STALLED,
  F_LIMIT,
  F_TERM,
  F_SUM_SPACING,
  F_PIECES,
  F_SUM_FP32,
  F_SUM_FP16,
  F_SUM_BF16,
  F_ACCUMULATOR,
  F_LOST,
  F_COARSE,
  F_KEPT,
  F_OVER,
  F_GRADIENT_BACK,
  F_LOST_UNSCALED,
  F_LOST_BF16,
  F_SCALE_MOST,
  F_SCALE,
  F_CODE,
  F_BACK,
  F_BACK_ERROR,
  F_WORST,
  F_RMS,
  F_ZERO,
  F_USED,
  F_GRAIN_BITS,
  F_RMS_TENSOR,
  F_RMS_CHANNEL,
  F_RMS_GROUP,
  F_FORMAT,
  F_VIEW,
  F_ERROR_OF, /* of each packing but the free one, in their order */
  F_N = F_ERROR_OF + PACKING_FREE
};
/* A fact stands in the panel of the views named here; it can be printed from all. */
struct precision_row {
  struct fact fact;
  unsigned views; /* a bit for each, from VIEW_STORAGE on */
};
extern const struct precision_row precision_table[F_N];

/* What the setup asks, resolved. */
struct precision {
  enum view_id view;
  enum packing packing;
  double bits; /* a weight, scales counted */
  const struct device *device;
  struct geometry geometry;
  double rate, step_cost; /* byte/s of memory; s of a step besides */
  enum coding coding, sum_coding;
  uint64_t code; /* of the value, bits turned over */
  double value;
  bool saturate;
};
struct precision precision_of(const struct world *w, const struct setup *s);

double precision_storage_byte(const struct precision *q, double bits);
double precision_step_time(const struct precision *q, double bits); /* s of one token at batch 1, at least */

/* Bits turned over, as a mask on the code; places past the format's end are left out. */
uint64_t precision_flips(const struct setup *s, enum coding f);

/* What each packing costs: the error of every one on the same weights; NAN where it cannot be known. */
void precision_errors(const struct setup *s, double error[PACKING_N]);

/* The `weights` kernel in the type nearest to a packing; DTYPE_N: none stores so. */
enum dtype precision_kernel(enum packing p);
struct request precision_request(const struct world *w, enum dtype t);
const struct run *precision_run(const struct world *w, enum packing p);
/* s of one step here: the kernel's time by its weights, scaled to those a token reads. NAN: not measured. */
double precision_here_time(const struct world *w, const struct precision *q, enum packing p);

/* INT8 or INT4 of the scale view, and its weights' neighbours that share a scale. */
int precision_integer_bits(const struct setup *s);
int precision_group(const struct setup *s, enum grain g);

/* The sum's format and its term as stored. */
double precision_term(const struct setup *s);

int precision_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                 /* precision_facts.c */
int precision_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);         /* precision_rows.c */
void precision_verdict(const struct fact *f, int n, struct text *t);                                          /* precision_verdict.c */
void precision_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out); /* precision_picture.c */
void precision_draw(struct canvas *c, struct rect r, const struct view *v);                                   /* precision_picture.c */
void precision_draw_storage(struct canvas *c, struct rect r, const struct view *v);                           /* precision_storage.c */
void precision_draw_bits(struct canvas *c, struct rect r, const struct view *v);                              /* precision_bits.c */
void precision_draw_line(struct canvas *c, struct rect r, const struct view *v);                              /* precision_line.c */
/* The numbers around the value, in five rows; and how far apart numbers stand over all sizes. */
void precision_draw_zoom(struct canvas *c, struct rect r, const struct precision *q);
void precision_draw_spacing(struct canvas *c, struct rect r, const struct view *v, const struct precision *q);
void precision_draw_scale(struct canvas *c, struct rect r, const struct view *v); /* precision_scale.c */

#endif
