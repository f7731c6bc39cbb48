/* decode_here: this machine's own law of a decode step: one layer of the `weights` kernel, stored as the model's weights are where the kernel
 * can, multiplied up to the model. */
#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/roof.h"
#include "scenes/decode.h"

static double start_n(const struct world *w, enum dtype t) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  return work_start_n(OP_WEIGHTS, t, m->last_cache_byte, m->memory_cap_byte);
}

/* What the kernel can store of what was chosen. */
enum dtype decode_storable(enum dtype t) {
  return t == DTYPE_FP64 || t == DTYPE_BF16 || t == DTYPE_INT8 || t == DTYPE_INT4 ? t : DTYPE_FP32;
}

/* Measured at any batch with weights stored so. */
static bool has_run(const struct world *w, enum dtype t) {
  for (int i = 0; i < w->nrun; i++) {
    const struct request *r = &w->run[i].request;
    if (r->op == OP_WEIGHTS && r->dtype == t && r->shape.n == start_n(w, t) && r->isa == ISA_AUTO && r->threads == 0 && !r->hog &&
        strcmp(w->run[i].machine, w->machine) == 0)
      return true;
  }
  return false;
}

enum dtype decode_here_dtype(const struct world *w, const struct decode *d) {
  static const enum dtype other[] = {DTYPE_FP32, DTYPE_BF16, DTYPE_INT8, DTYPE_INT4, DTYPE_FP64};
  enum dtype t = decode_storable(d->dtype);
  if (has_run(w, t)) return t;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (has_run(w, other[i])) return other[i];
  return t;
}

double decode_here_n(const struct world *w, const struct decode *d) { return start_n(w, decode_here_dtype(w, d)); }

/* The roofline scene asks for the same measurement at its start knobs, so a point measured there stands here too. */
struct request decode_request_as(const struct world *w, enum dtype t, double batch) {
  return (struct request){.op = OP_WEIGHTS,
                          .shape = {start_n(w, t), NAN, NAN, batch, NAN, NAN, NAN},
                          .dtype = t,
                          .isa = ISA_AUTO,
                          .rung = RUNG_AUTO,
                          .threads = 0};
}

struct request decode_request(const struct world *w, const struct decode *d, double batch) {
  return decode_request_as(w, decode_here_dtype(w, d), batch);
}

double decode_scale(const struct world *w, const struct decode *d, double batch) {
  double n = decode_here_n(w, d);
  return step_at(&d->in, batch).weight_byte / (n * n * dtype_byte(decode_here_dtype(w, d)));
}

double decode_here_time(const struct world *w, const struct decode *d, double batch) {
  const struct device *here = &w->device[DEVICE_HERE];
  struct request r = decode_request(w, d, batch);
  struct work work = work_of_kernel(OP_WEIGHTS, r.shape, r.dtype);
  double rate = ladder_rate(here, work_footprint(OP_WEIGHTS, r.shape, r.dtype), true, 0, NULL);
  return roof_time_lower(work.flop, work.byte, ladder_peak(here, dtype_real(r.dtype), ISA_AUTO, 0), rate) * decode_scale(w, d, batch);
}
