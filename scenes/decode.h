/* decode: what its facts and its picture share. Private to scenes/decode.c, decode_picture.c and decode_verdict.c. */
#ifndef RIDGE_DECODE_H
#define RIDGE_DECODE_H

#include "model/step.h"
#include "scenes/scene.h"

/* Everything that knobs say about the step on show. */
struct decode {
  const struct device *device;
  struct geometry geometry;
  enum dtype dtype, math, kv_dtype; /* math DTYPE_N: the device lists no arithmetic we could use */
  struct step_in in;
};
struct decode decode_of(const struct world *w, const struct setup *s);

/* This machine's own law: the `weights` kernel, one layer of n×n weights that stream from memory, its time multiplied by the model's
 * weight bytes over the layer's. Beyond batch `DECODE_BATCH_MOST` nothing is measured. */
enum { DECODE_BATCH_MOST = 1024, DECODE_OCTAVES = 10 };
struct request decode_request(const struct world *w, const struct decode *d, double batch);
double decode_here_n(const struct world *w, const struct decode *d);
enum dtype decode_storable(enum dtype t); /* what the kernel can store of what was chosen */
struct request decode_request_as(const struct world *w, enum dtype t, double batch);
/* How that kernel stores the weights: as chosen where it can, but as long as that was not measured, as something that was. */
enum dtype decode_here_dtype(const struct world *w, const struct decode *d);
/* How many times the layer's weight bytes the model's are, at this batch; NAN unknown. */
double decode_scale(const struct world *w, const struct decode *d, double batch);
/* At least this long for one step here, scaled; NAN while this machine is not measured. */
double decode_here_time(const struct world *w, const struct decode *d, double batch);

/* Batches shown as bars and as rows: ten octaves, from 1 unless the chosen batch is past them. */
double decode_first_batch(double batch);

void decode_verdict(const struct fact *f, int n, struct text *t);
void decode_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out);
void decode_draw(struct canvas *c, struct rect r, const struct view *v);

#endif
