/* Where the lab's record comes from, and the model and device beside it. */
#include "scenes/lab_record.h"

#include <math.h>
#include <string.h>

#include "scenes/decode.h"

/* The figures that have a knob each. */
static const struct {
  uint8_t knob;
  size_t offset;
} figure_table[] = {
    {KNOB_INPUT, offsetof(struct benchmark, input_token)},
    {KNOB_OUTPUT, offsetof(struct benchmark, output_token)},
    {KNOB_BATCH, offsetof(struct benchmark, batch)},
    {KNOB_THROUGHPUT, offsetof(struct benchmark, token_per_s)},
    {KNOB_FIRST_P50, offsetof(struct benchmark, first_p50_s)},
    {KNOB_FIRST_P95, offsetof(struct benchmark, first_p95_s)},
    {KNOB_TOKEN_P50, offsetof(struct benchmark, token_p50_s)},
    {KNOB_TOKEN_P95, offsetof(struct benchmark, token_p95_s)},
    {KNOB_ALLOCATED, offsetof(struct benchmark, allocated_byte)},
    {KNOB_USED, offsetof(struct benchmark, used_byte)},
    {KNOB_BUSY, offsetof(struct benchmark, busy)},
    {KNOB_POWER, offsetof(struct benchmark, power_w)},
    {KNOB_HOURLY, offsetof(struct benchmark, usd_per_h)},
};
enum { FIGURE_N = sizeof figure_table / sizeof *figure_table };

static double figure_get(const struct benchmark *b, int i) {
  double v;
  memcpy(&v, (const char *)b + figure_table[i].offset, sizeof v);
  return v;
}
static void figure_put(struct benchmark *b, int i, double v) { memcpy((char *)b + figure_table[i].offset, &v, sizeof v); }

static void word_copy(char *out, size_t size, const char *in) {
  size_t n = strlen(in);
  if (n >= size) n = size - 1;
  memcpy(out, in, n);
  out[n] = 0;
}

static int dtype_of_word(const char *name) {
  for (int i = 0; i < DTYPE_N; i++)
    if (strcmp(dtype_name((enum dtype)i), name) == 0) return i;
  return -1;
}

static bool record_named(const struct world *w, const struct setup *s) { return *knob_text(s, KNOB_RECORD) && *w->benchmark_file; }

static enum origin origin_of(const struct world *w, const struct setup *s) {
  return record_named(w, s) ? ORIGIN_FILE : (int)s->v[KNOB_DEVICE] == DEVICE_HERE ? ORIGIN_HERE : ORIGIN_EXAMPLE;
}

/* The decode scene's step for these knobs, without the what-ifs that other scenes leave behind. */
static struct decode decode_plain(const struct world *w, const struct setup *s) {
  struct setup t = *s;
  static const uint8_t follows[] = {KNOB_PEAK, KNOB_BANDWIDTH, KNOB_WIDTH}, off[] = {KNOB_KV, KNOB_ACTIVATIONS, KNOB_MATH};
  for (size_t i = 0; i < sizeof follows; i++) t.v[follows[i]] = NAN;
  for (size_t i = 0; i < sizeof off; i++) t.v[off[i]] = 0;
  return decode_of(w, &t);
}

static double batch_of(const struct setup *s) { return s->set[KNOB_BATCH] ? s->v[KNOB_BATCH] : 1; }

static double quantile_of(const struct run *r, double p) {
  double kept[RUN_RESERVOIR];
  int n = r->count < RUN_RESERVOIR ? r->count : RUN_RESERVOIR;
  memcpy(kept, r->reservoir, (size_t)n * sizeof *kept);
  return quantile(kept, n, p);
}

/* This machine's own: tokens at the pace of the measured layer, multiplied up to the model. What no run tells stays unknown. */
static bool base_here(const struct world *w, const struct setup *s, struct benchmark *b) {
  struct decode d = decode_plain(w, s);
  double batch = batch_of(s), scale = decode_scale(w, &d, batch);
  struct request r = decode_request(w, &d, batch);
  const struct run *run = run_find(w, &r, w->machine);
  benchmark_clear(b);
  if (w->nmodel > 0 && isnan(s->v[KNOB_PARAMS])) word_copy(b->model, sizeof b->model, w->model[(int)s->v[KNOB_MODEL]].id);
  b->params = d.geometry.params;
  b->batch = batch;
  word_copy(b->precision, sizeof b->precision, dtype_name(decode_here_dtype(w, &d)));
  word_copy(b->hardware, sizeof b->hardware, w->device[DEVICE_HERE].machine.cpu);
  if (!run || !(run_time(run) > 0)) return false;
  b->token_per_s = batch / (run_time(run) * scale);
  if (run->count > 0) b->token_p50_s = run->median * scale;
  if (run->count >= 20) b->token_p95_s = quantile_of(run, 0.95) * scale; /* of fewer there is no twentieth */
  return true;
}

/* What stands before a person sets anything. */
static bool base_of(const struct world *w, const struct setup *s, struct benchmark *b) {
  switch (origin_of(w, s)) {
  case ORIGIN_FILE: *b = w->benchmark; return true;
  case ORIGIN_HERE: return base_here(w, s, b);
  default: benchmark_example(b); return true;
  }
}

/* The model the record speaks of: one of the catalogue, or the number of parameters it tells. */
static void model_resolve(const struct world *w, struct setup *s, const struct benchmark *b) {
  if (s->set[KNOB_MODEL] || s->set[KNOB_PARAMS]) return;
  int model = model_find(w, b->model);
  if (b->params > 0)
    s->v[KNOB_PARAMS] = b->params;
  else if (model >= 0)
    s->v[KNOB_MODEL] = model;
  else
    s->v[KNOB_PARAMS] = benchmark_name_params(b->model);
}

void lab_record_resolve(const struct world *w, struct setup *s) {
  struct benchmark b;
  if (!s->set[KNOB_DEVICE] && record_named(w, s)) {
    const char *cpu = w->device[DEVICE_HERE].machine.cpu;
    int device = *cpu && strcmp(cpu, w->benchmark.hardware) == 0 ? DEVICE_HERE : device_find(w, w->benchmark.hardware);
    if (device >= 0) s->v[KNOB_DEVICE] = device;
  }
  base_of(w, s, &b);
  if (origin_of(w, s) != ORIGIN_HERE) model_resolve(w, s, &b);
  int dtype = dtype_of_word(b.precision);
  if (!s->set[KNOB_DTYPE] && dtype >= 0) s->v[KNOB_DTYPE] = dtype;
  for (int i = 0; i < FIGURE_N; i++)
    if (!s->set[figure_table[i].knob]) s->v[figure_table[i].knob] = figure_get(&b, i);
  /* What to pay for idle time is asked even where nobody recorded it. */
  if ((enum view_id)(int)s->v[KNOB_VIEW] == VIEW_COST && isnan(s->v[KNOB_BUSY])) s->v[KNOB_BUSY] = 0.4;
}

void lab_record_of(const struct world *w, const struct setup *s, struct lab_record *out) {
  struct benchmark *b = &out->record;
  memset(out, 0, sizeof *out);
  out->origin = origin_of(w, s);
  out->measured = base_of(w, s, b) && out->origin == ORIGIN_HERE;
  out->device = &w->device[(int)s->v[KNOB_DEVICE]];
  out->named = out->origin != ORIGIN_HERE && !s->set[KNOB_PARAMS] && !s->set[KNOB_MODEL] && !(b->params > 0) && s->v[KNOB_PARAMS] > 0;
  for (int i = 0; i < FIGURE_N; i++)
    if (s->set[figure_table[i].knob]) figure_put(b, i, s->v[figure_table[i].knob]), out->changed = true;
  struct decode d = decode_plain(w, s);
  if (out->origin != ORIGIN_HERE) {
    bool other = s->set[KNOB_MODEL] && w->nmodel > 0 && !s->set[KNOB_PARAMS];
    if (other) word_copy(b->model, sizeof b->model, w->model[(int)s->v[KNOB_MODEL]].id);
    if (other || s->set[KNOB_PARAMS]) b->params = d.geometry.params, out->changed = true;
    if (s->set[KNOB_DTYPE]) word_copy(b->precision, sizeof b->precision, dtype_name(d.dtype)), out->changed = true;
  }
  out->step = d.in;
  out->step.batch = b->batch;
  if (dtype_of_word(b->precision) < 0) out->step.weight_byte = NAN; /* stored in a way we do not know */
  out->kv_byte_per_token = d.geometry.kv_byte_per_token_2;
  out->assumed = d.geometry.assumed;
  out->capacity_byte = out->device->memory_byte.value;
  out->tdp_w = out->device->tdp_w.value;
  account_of(b, &out->step, out->kv_byte_per_token, out->tdp_w, &out->account);
}

bool lab_record_request(const struct world *w, const struct setup *s, struct request *out) {
  if (origin_of(w, s) != ORIGIN_HERE || batch_of(s) > DECODE_BATCH_MOST) return false;
  struct decode d = decode_plain(w, s);
  *out = decode_request_as(w, decode_storable(d.dtype), batch_of(s));
  return true;
}
