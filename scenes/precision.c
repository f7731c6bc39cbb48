/* precision: the scene, its views, its knobs, and what an arrow does on a number and on its bits. */
#include "scenes/precision.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"

static enum view_id view_of(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }
static enum coding coding_of(const struct setup *s) { return (enum coding)(int)s->v[KNOB_FORMAT]; }
static bool is_integer(enum coding f) { return coding_part(f)->top == TOP_INTEGER; }

/* ---- bits turned over ---- */

/* Places from the left in words like "1,5", as a mask: bit 0 is place 1. */
static uint64_t places_read(const char *words) {
  uint64_t places = 0;
  int place = 0;
  for (const char *c = words;; c++) {
    if (*c >= '0' && *c <= '9') {
      place = place > 99 ? 100 : place * 10 + (*c - '0');
      continue;
    }
    if (place >= 1 && place <= 64) places ^= (uint64_t)1 << (place - 1);
    place = 0;
    if (!*c) return places;
  }
}

/* The words for a mask; false when they do not fit. */
static bool places_write(uint64_t places, char out[KNOB_TEXT_MAX]) {
  int n = 0;
  for (int place = 1; place <= 64; place++) {
    if (!(places >> (place - 1) & 1)) continue;
    if (n + 4 > KNOB_TEXT_MAX) return false;
    if (n > 0) out[n++] = ',';
    if (place > 9) out[n++] = (char)('0' + place / 10);
    out[n++] = (char)('0' + place % 10);
  }
  out[n] = 0;
  return true;
}

uint64_t precision_flips(const struct setup *s, enum coding f) {
  uint64_t places = places_read(knob_text(s, KNOB_FLIPS)), mask = 0;
  for (int place = 1, bits = coding_bits(f); place <= bits; place++)
    if (places >> (place - 1) & 1) mask |= (uint64_t)1 << (bits - place);
  return mask;
}

static bool turn_value(const struct setup *s, int direction, bool coarse, struct setup *person) {
  double v = s->v[KNOB_VALUE], next;
  bool away = (v > 0) == (direction > 0); /* from zero */
  if (coarse)
    next = v == 0 ? direction : coding_round(coding_of(s), away ? 2 * v : v / 2, true);
  else
    next = coding_next(coding_of(s), v, direction);
  person->v[KNOB_VALUE] = fmax(knob_table[KNOB_VALUE].lo, fmin(knob_table[KNOB_VALUE].hi, next));
  person->set[KNOB_VALUE] = true;
  return true;
}

static bool precision_turn(const struct world *w, const struct setup *s, int knob, int direction, bool coarse, struct setup *person) {
  (void)w;
  enum view_id view = view_of(s);
  switch (knob) {
  case KNOB_VALUE: return (view == VIEW_BITS || view == VIEW_LINE) && turn_value(s, direction, coarse, person);
  case KNOB_FORMAT:
    if (view != VIEW_SCALE) return false;
    person->v[KNOB_FORMAT] = coding_of(s) == CODING_INT8 ? CODING_INT4 : CODING_INT8;
    person->set[KNOB_FORMAT] = true;
    return true;
  case KNOB_BIT: /* never past the format's last bit */
    if (s->v[KNOB_BIT] + direction <= coding_bits(coding_of(s))) return false;
    person->v[KNOB_BIT] = s->v[KNOB_BIT];
    return true;
  case KNOB_FLIPS: {
    uint64_t places = places_read(knob_text(s, KNOB_FLIPS)) ^ (uint64_t)1 << ((int)s->v[KNOB_BIT] - 1);
    char *words = person->text[knob_table[KNOB_FLIPS].slot];
    if (!places_write(places, words)) return false;
    person->set[KNOB_FLIPS] = *words != 0;
    return true;
  }
  default: return false;
  }
}

/* ---- the question ---- */

struct precision precision_of(const struct world *w, const struct setup *s) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  enum coding f = coding_of(s);
  struct precision q = {.view = view_of(s),
                        .packing = (enum packing)(int)s->v[KNOB_STORED],
                        .device = d,
                        .geometry = geometry_of(w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : NULL, s->v[KNOB_PARAMS]),
                        .rate = s->v[KNOB_BANDWIDTH],
                        .step_cost = s->v[KNOB_STEP_COST],
                        .coding = f,
                        .sum_coding = s->v[KNOB_ACCUMULATOR] > 0 ? (enum coding)((int)s->v[KNOB_ACCUMULATOR] - 1) : f,
                        .value = s->v[KNOB_VALUE],
                        .saturate = s->v[KNOB_SATURATE] > 0};
  q.bits = q.packing == PACKING_FREE ? s->v[KNOB_BITS] : packing_bits(q.packing);
  q.code = coding_encode(f, q.value, q.saturate) ^ precision_flips(s, f);
  return q;
}

double precision_storage_byte(const struct precision *q, double bits) { return q->geometry.params * bits / 8; }

double precision_step_time(const struct precision *q, double bits) {
  return q->geometry.decoder ? q->step_cost + q->geometry.matmul_params * bits / 8 / q->rate : NAN;
}

void precision_errors(const struct setup *s, double error[PACKING_N]) {
  double in[PACKING_WEIGHTS], out[PACKING_WEIGHTS], outlier = s->v[KNOB_OUTLIER];
  packing_weights(s->v[KNOB_RANGE], outlier, in);
  for (int p = 0; p < PACKING_N; p++) {
    packing_store((enum packing)p, in, PACKING_WEIGHTS, PACKING_ROW, out);
    error[p] = packing_error(in, out, PACKING_WEIGHTS, outlier > 0 ? PACKING_OUTLIER : -1);
  }
}

int precision_integer_bits(const struct setup *s) { return coding_of(s) == CODING_INT4 ? 4 : 8; }

int precision_group(const struct setup *s, enum grain g) {
  return g == GRAIN_TENSOR ? PACKING_WEIGHTS : g == GRAIN_CHANNEL ? PACKING_ROW : (int)s->v[KNOB_GROUP];
}

double precision_term(const struct setup *s) { return coding_round(coding_of(s), s->v[KNOB_TERM], false); }

/* ---- this machine ---- */

enum dtype precision_kernel(enum packing p) {
  switch (p) {
  case PACKING_FP32: return DTYPE_FP32;
  case PACKING_BF16: return DTYPE_BF16;
  case PACKING_INT8: return DTYPE_INT8;
  case PACKING_INT4_G64: return DTYPE_INT4;
  default: return DTYPE_N;
  }
}

/* As large as makes it stream from memory in its own type: the decode scene's measurements, and the other way round. */
struct request precision_request(const struct world *w, enum dtype t) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  return (struct request){.op = OP_WEIGHTS,
                          .shape = {work_start_n(OP_WEIGHTS, t, m->last_cache_byte, m->memory_cap_byte), NAN, NAN, 1, NAN, NAN, NAN},
                          .dtype = t,
                          .isa = ISA_AUTO,
                          .rung = RUNG_AUTO};
}

const struct run *precision_run(const struct world *w, enum packing p) {
  enum dtype t = precision_kernel(p);
  if (t == DTYPE_N) return NULL;
  struct request r = precision_request(w, t);
  const struct run *run = run_find(w, &r, w->machine);
  return run && isfinite(run_time(run)) ? run : NULL;
}

double precision_here_time(const struct world *w, const struct precision *q, enum packing p) {
  const struct run *run = precision_run(w, p);
  if (!run || !q->geometry.decoder) return NAN;
  double n = run->request.shape.n;
  return run_time(run) * q->geometry.matmul_params / (n * n);
}

/* What is on show first, then the other three. */
static int precision_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  static const enum packing order[] = {PACKING_BF16, PACKING_FP32, PACKING_INT8, PACKING_INT4_G64};
  enum dtype first = precision_kernel((enum packing)(int)s->v[KNOB_STORED]);
  int n = 0;
  if (view_of(s) != VIEW_STORAGE) return 0;
  if (first != DTYPE_N) out[n++] = precision_request(w, first);
  for (int i = 0; i < 4; i++)
    if (precision_kernel(order[i]) != first) out[n++] = precision_request(w, precision_kernel(order[i]));
  return n;
}

/* ---- knobs ---- */

static void precision_resolve(const struct world *w, struct setup *s) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  if (isnan(s->v[KNOB_BANDWIDTH])) s->v[KNOB_BANDWIDTH] = ladder_memory_rate(d);
  if (view_of(s) == VIEW_SCALE && !is_integer(coding_of(s))) s->v[KNOB_FORMAT] = CODING_INT8; /* nothing else has a scale */
  s->v[KNOB_BIT] = fmin(s->v[KNOB_BIT], coding_bits(coding_of(s)));
}

static bool precision_applies(const struct setup *s, int knob) {
  enum view_id view = view_of(s);
  switch (knob) {
  case KNOB_STORED:
  case KNOB_DEVICE:
  case KNOB_BANDWIDTH:
  case KNOB_STEP_COST:
  case KNOB_PARAMS: return view == VIEW_STORAGE;
  case KNOB_MODEL: return view == VIEW_STORAGE && isnan(s->v[KNOB_PARAMS]);
  case KNOB_BITS: return view == VIEW_STORAGE && (int)s->v[KNOB_STORED] == PACKING_FREE;
  case KNOB_FORMAT: return view != VIEW_STORAGE;
  case KNOB_VALUE: return view == VIEW_BITS || view == VIEW_LINE || view == VIEW_SCALE;
  case KNOB_BIT:
  case KNOB_FLIPS: return view == VIEW_BITS;
  case KNOB_SATURATE: return view == VIEW_BITS || view == VIEW_LINE;
  case KNOB_TERM:
  case KNOB_TERMS:
  case KNOB_ACCUMULATOR: return view == VIEW_SUM;
  case KNOB_GRADIENT:
  case KNOB_LOSS_SCALE: return view == VIEW_GRADIENTS;
  case KNOB_OUTLIER:
  case KNOB_RANGE: return view == VIEW_SCALE || view == VIEW_STORAGE;
  case KNOB_GRAIN: return view == VIEW_SCALE;
  case KNOB_GROUP: return view == VIEW_SCALE;
  default: return true;
  }
}

static const uint8_t knob_list[] = {KNOB_STORED,   KNOB_BITS,   KNOB_FORMAT,      KNOB_VALUE,    KNOB_BIT,        KNOB_FLIPS,
                                    KNOB_TERM,     KNOB_TERMS,  KNOB_ACCUMULATOR, KNOB_GRADIENT, KNOB_LOSS_SCALE, KNOB_OUTLIER,
                                    KNOB_GRAIN,    KNOB_GROUP,  KNOB_MODEL,       KNOB_DEVICE,   KNOB_VIEW,       KNOB_RANGE,
                                    KNOB_SATURATE, KNOB_PARAMS, KNOB_BANDWIDTH,   KNOB_STEP_COST};
static const uint8_t view_list[] = {VIEW_STORAGE, VIEW_BITS, VIEW_LINE, VIEW_SUM, VIEW_GRADIENTS, VIEW_SCALE};
static const struct start start_list[] = {{KNOB_DEVICE, 0, "illustrative"}, {KNOB_MODEL, 0, "chapter-7b"}};

const struct scene scene_precision = {
    .address = "3.2",
    .name = "precision",
    .question = "What do fewer bits buy, and cost?",
    .section = "number formats: storage, bits, rounding, sums, gradients, scales",
    .next = "fit",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 17,
    .hand = KNOB_STORED,
    .views = view_list,
    .nviews = sizeof view_list,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 4,
    .applies = precision_applies,
    .resolve = precision_resolve,
    .turn = precision_turn,
    .facts = precision_facts,
    .rows = precision_rows,
    .verdict = precision_verdict,
    .measures = precision_measures,
    .axes = precision_axes,
    .draw = precision_draw,
};
