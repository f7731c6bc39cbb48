#include "data/line.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/json_out.h"
#include "data/node.h"
#include "data/record.h"

const char *line_kind_name(enum line_kind k) {
  static const char *const name[LINE_KIND_N] = {"start", "progress", "sample", "result", "figure", "refused"};
  return name[k];
}

void line_clear(struct line *l, enum line_kind kind) {
  memset(l, 0, sizeof *l);
  l->kind = kind;
  l->request.dtype = DTYPE_FP32;
  for (int i = 0; i < SHAPE_N; i++) shape_set(&l->request.shape, i, NAN);
  l->sample = (struct sample){.isa = ISA_AUTO};
  struct sample *s = &l->sample;
  s->time = s->flop = s->byte = s->byte_bus = s->cpu_time = s->residual = s->seed = s->at = s->clock_hz = s->faults = s->quant_error = NAN;
  s->busy = s->ready = s->item_time = s->step_time = NAN;
  l->done = l->total = l->best = l->median = l->p95 = l->spread = l->residual = l->value = l->seed = NAN;
  l->byte = NAN;
  l->level = -1;
}

/* ---- writing ---- */

void flags_write(struct json_out *o, unsigned flags) {
  json_out_array(o, "flags");
  for (int i = 0; i < FLAG_COUNT; i++)
    if (flags & 1u << i) json_out_string(o, NULL, flag_name(1u << i));
  json_out_end(o);
}

static void request_write(struct json_out *o, const struct request *r, const char *machine) {
  json_out_string(o, "kernel", op_name(r->op));
  json_out_object(o, "knobs");
  for (int i = 0; i < SHAPE_N; i++)
    if (i < SHAPE_COMMON || work_uses(r->op, shape_name(i))) json_out_number(o, shape_name(i), shape_get(&r->shape, i));
  json_out_string(o, "dtype", dtype_name(r->dtype));
  json_out_string(o, "isa", isa_name(r->isa));
  json_out_string(o, "rung", rung_name(r->rung));
  json_out_number(o, "threads", r->threads);
  if (r->hog) json_out_bool(o, "hog", true);
  if (r->sustain > 0) json_out_number(o, "sustain", r->sustain);
  json_out_end(o);
  json_out_string(o, "machine", machine);
}

static void parts_write(struct json_out *o, const char *key, const double *s, int n) {
  if (n == 0) return;
  json_out_array(o, key);
  for (int i = 0; i < n; i++) json_out_number(o, NULL, s[i]);
  json_out_end(o);
}

static void sample_write(struct json_out *o, const struct line *l) {
  const struct sample *s = &l->sample;
  json_out_string(o, "isa", isa_name(s->isa));
  json_out_number(o, "threads", s->threads);
  if (s->by[0]) json_out_string(o, "by", s->by);
  json_out_number(o, "rep", l->rep);
  json_out_bool(o, "warm", s->warm);
  json_out_number(o, "flop", s->flop);
  json_out_number(o, "byte", s->byte);
  json_out_number(o, "byte_bus", s->byte_bus);
  json_out_number(o, "time", s->time);
  json_out_number(o, "flop_per_s", s->flop / s->time);
  json_out_number(o, "byte_per_s", s->byte / s->time);
  json_out_number(o, "cpu_time", s->cpu_time);
  json_out_number(o, "residual", s->residual);
  json_out_number(o, "seed", s->seed);
  if (!isnan(s->at)) json_out_number(o, "at", s->at);
  if (!isnan(s->clock_hz)) json_out_number(o, "clock", s->clock_hz);
  if (!isnan(s->faults)) json_out_number(o, "faults", s->faults);
  if (!isnan(s->quant_error)) json_out_number(o, "quant_error", s->quant_error);
  if (!isnan(s->busy)) {
    json_out_number(o, "busy", s->busy);
    json_out_number(o, "ready", s->ready);
    json_out_number(o, "item_time", s->item_time);
    json_out_number(o, "step_time", s->step_time);
  }
  parts_write(o, "inside", s->inside, s->nparts);
  parts_write(o, "alone", s->alone, s->nparts);
  flags_write(o, s->flags);
}

static void result_write(struct json_out *o, const struct line *l) {
  json_out_number(o, "n", l->count);
  json_out_number(o, "best", l->best);
  json_out_number(o, "median", l->median);
  json_out_number(o, "p95", l->p95);
  json_out_number(o, "spread", l->spread);
  json_out_number(o, "residual", l->residual);
  flags_write(o, l->flags);
}

/* Only what is said: a figure's other fields have their cleared values and are left out. */
static void figure_write(struct json_out *o, const struct line *l) {
  json_out_string(o, "name", l->name);
  if (l->level >= 0) json_out_number(o, "level", l->level);
  if (l->request.isa != ISA_AUTO) json_out_string(o, "isa", isa_name(l->request.isa));
  if (!strcmp(l->name, "peak")) json_out_string(o, "dtype", dtype_name(l->request.dtype));
  if (l->request.threads) json_out_number(o, "threads", l->request.threads);
  if (l->count) json_out_number(o, "count", l->count);
  if (l->text[0]) json_out_string(o, "text", l->text);
  if (l->from[0]) json_out_string(o, "from", l->from);
  if (!isnan(l->byte)) json_out_number(o, "byte", l->byte);
  json_out_number(o, "value", l->value);
  if (l->samples) json_out_number(o, "n", l->samples);
  if (l->samples) json_out_string(o, "statistic", l->is_median ? "median" : "best");
  if (!isnan(l->spread)) json_out_number(o, "spread", l->spread);
  if (!isnan(l->seed)) json_out_number(o, "seed", l->seed);
  if (l->thorough) json_out_bool(o, "thorough", true);
  if (l->samples || l->flags) flags_write(o, l->flags);
}

int line_print(const struct line *l, char *out, int size) {
  struct json_out o;
  json_out_start_at(&o, out, (size_t)size);
  json_out_object(&o, NULL);
  json_out_string(&o, "kind", line_kind_name(l->kind));
  if (l->kind == LINE_START || l->kind == LINE_SAMPLE || l->kind == LINE_RESULT) request_write(&o, &l->request, l->machine);
  if (l->kind == LINE_SAMPLE) sample_write(&o, l);
  if (l->kind == LINE_RESULT) result_write(&o, l);
  if (l->kind == LINE_FIGURE) figure_write(&o, l);
  if (l->kind == LINE_PROGRESS) {
    json_out_number(&o, "done", l->done);
    json_out_number(&o, "total", l->total);
  }
  if (l->kind == LINE_REFUSED || l->reason[0]) json_out_string(&o, "reason", l->reason);
  json_out_end(&o);
  return o.failed ? -1 : (int)o.n;
}

bool line_write(FILE *f, const struct line *l) {
  char text[LINE_BYTE_MAX + 2];
  int n = line_print(l, text, LINE_BYTE_MAX + 1);
  if (n < 0) return false;
  text[n++] = '\n';
  return fwrite(text, 1, (size_t)n, f) == (size_t)n && fflush(f) == 0;
}

/* ---- reading ---- */

static const char *kind_word(int i) { return line_kind_name((enum line_kind)i); }
static const char *op_word(int i) { return op_name((enum op)i); }
static const char *dtype_word(int i) { return dtype_name((enum dtype)i); }
static const char *isa_word(int i) { return isa_name((enum isa)i); }
static const char *rung_word(int i) { return rung_name((enum rung)i); }

static bool number_read(const struct node *n, const char *key, double *out, struct err *e) {
  return node_number(n, key, "a number", -DBL_MAX, DBL_MAX, out, e);
}

/* What a kernel can have done or taken: outside it the rates drawn from it would be no numbers. */
static bool amount_read(const struct node *n, const char *key, double lo, double hi, double *out, struct err *e) {
  return node_number(n, key, "a number", lo, hi, out, e);
}

bool flags_read(const struct node *n, unsigned *flags, struct err *e) {
  struct node m = node_member(n, "flags");
  *flags = 0;
  if (!m.at) return true;
  OR_FALSE(node_array(&m, FLAG_COUNT, e));
  for (int i = node_count(&m); i-- > 0;) {
    struct node at = node_element(&m, i);
    unsigned bit = 0;
    for (int k = 0; k < FLAG_COUNT; k++)
      if (node_is(&at, flag_name(1u << k))) bit = 1u << k;
    if (!bit) return node_refuse(&at, "a flag's name", e);
    *flags |= bit;
  }
  return true;
}

static bool request_read(const struct node *n, struct line *l, struct err *e) {
  static const char *const known[] = {"n",     "m",   "k",    "batch",   "fma", "chain",   "stride",
                                      "dtype", "isa", "rung", "threads", "hog", "sustain",
                                      "heads", "kv_heads", "ffn", "context", "matrices", NULL};
  struct request *r = &l->request;
  struct node knobs = node_member(n, "knobs");
  int op = -1, dtype = r->dtype, isa = r->isa, rung = r->rung;
  OR_FALSE(node_word(n, "kernel", op_word, OP_N, &op, e));
  if (op < 0) return node_missing(n, "kernel", "the kernel's name", e);
  if (!knobs.at) return node_missing(n, "knobs", "the kernel's knobs", e);
  OR_FALSE(node_object(&knobs, known, e));
  for (int i = 0; i < SHAPE_N; i++) {
    double v = NAN; /* what a line recorded earlier does not name was not asked */
    OR_FALSE(number_read(&knobs, shape_name(i), &v, e));
    shape_set(&r->shape, i, v);
  }
  OR_FALSE(node_word(&knobs, "dtype", dtype_word, DTYPE_N, &dtype, e));
  OR_FALSE(node_word(&knobs, "isa", isa_word, ISA_N, &isa, e));
  OR_FALSE(node_word(&knobs, "rung", rung_word, RUNG_N, &rung, e));
  OR_FALSE(node_int(&knobs, "threads", 0, 1000000, &r->threads, e));
  OR_FALSE(node_bool(&knobs, "hog", &r->hog, e));
  OR_FALSE(amount_read(&knobs, "sustain", 0, 1e6, &r->sustain, e));
  r->op = (enum op)op;
  r->dtype = (enum dtype)dtype;
  r->isa = (enum isa)isa;
  r->rung = (enum rung)rung;
  return node_string(n, "machine", l->machine, sizeof l->machine, e);
}

static bool start_read(const struct node *n, struct line *l, struct err *e) {
  static const char *const known[] = {"kind", "kernel", "knobs", "machine", "reason", NULL};
  OR_FALSE(node_object(n, known, e));
  return request_read(n, l, e);
}

static bool progress_read(const struct node *n, struct line *l, struct err *e) {
  static const char *const known[] = {"kind", "done", "total", "reason", NULL};
  OR_FALSE(node_object(n, known, e));
  return number_read(n, "done", &l->done, e) && number_read(n, "total", &l->total, e);
}

static bool parts_read(const struct node *n, const char *key, double *out, int *count, struct err *e) {
  struct node m = node_member(n, key);
  *count = 0;
  if (!m.at) return true;
  OR_FALSE(node_array(&m, WORK_PART_MAX, e));
  for (; *count < node_count(&m); ++*count) {
    struct node at = node_element(&m, *count);
    OR_FALSE(node_value(&at, "a time", 1e-15, 1e9, &out[*count], e));
  }
  return true;
}

static bool sample_read(const struct node *n, struct line *l, struct err *e) {
  static const char *const known[] = {"kind",     "kernel",   "knobs",  "machine",  "isa",   "threads",    "rep",
                                      "warm",     "flop",     "byte",   "byte_bus", "time",  "flop_per_s", "byte_per_s",
                                      "cpu_time", "residual", "seed",   "at",       "clock", "faults",     "quant_error",
                                      "flags",    "by",       "reason", "busy",     "ready", "item_time",  "step_time",
                                      "inside",   "alone",    NULL};
  struct sample *s = &l->sample;
  int isa = s->isa;
  double ignored;
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(request_read(n, l, e));
  OR_FALSE(node_word(n, "isa", isa_word, ISA_N, &isa, e));
  s->isa = (enum isa)isa;
  OR_FALSE(node_int(n, "threads", 0, 1000000, &s->threads, e));
  OR_FALSE(node_string(n, "by", s->by, sizeof s->by, e));
  OR_FALSE(node_int(n, "rep", 0, 1000000000, &l->rep, e));
  OR_FALSE(node_bool(n, "warm", &s->warm, e));
  OR_FALSE(amount_read(n, "flop", 0, 1e30, &s->flop, e));
  OR_FALSE(amount_read(n, "byte", 0, 1e30, &s->byte, e));
  OR_FALSE(amount_read(n, "byte_bus", 0, 1e30, &s->byte_bus, e));
  OR_FALSE(amount_read(n, "time", 1e-15, 1e9, &s->time, e));
  OR_FALSE(number_read(n, "flop_per_s", &ignored, e));
  OR_FALSE(number_read(n, "byte_per_s", &ignored, e));
  OR_FALSE(number_read(n, "cpu_time", &s->cpu_time, e));
  OR_FALSE(number_read(n, "residual", &s->residual, e));
  OR_FALSE(number_read(n, "seed", &s->seed, e));
  OR_FALSE(amount_read(n, "at", 0, 1e9, &s->at, e));
  OR_FALSE(amount_read(n, "clock", 1, 1e12, &s->clock_hz, e));
  OR_FALSE(amount_read(n, "faults", 0, 1e15, &s->faults, e));
  OR_FALSE(amount_read(n, "quant_error", 0, 1e30, &s->quant_error, e));
  OR_FALSE(amount_read(n, "busy", 0, 1, &s->busy, e));
  OR_FALSE(amount_read(n, "ready", 0, 1e9, &s->ready, e));
  OR_FALSE(amount_read(n, "item_time", 0, 1e9, &s->item_time, e));
  OR_FALSE(amount_read(n, "step_time", 0, 1e9, &s->step_time, e));
  int alone = 0;
  OR_FALSE(parts_read(n, "inside", s->inside, &s->nparts, e));
  OR_FALSE(parts_read(n, "alone", s->alone, &alone, e));
  struct node m = node_member(n, "alone");
  if (alone != s->nparts) return m.at ? node_refuse(&m, "as many times as inside", e) : node_missing(n, "alone", "times of the parts", e);
  return flags_read(n, &s->flags, e);
}

static bool result_read(const struct node *n, struct line *l, struct err *e) {
  static const char *const known[] = {"kind", "kernel", "knobs",    "machine", "n",      "best", "median",
                                      "p95",  "spread", "residual", "flags",   "reason", NULL};
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(request_read(n, l, e));
  OR_FALSE(node_int(n, "n", 0, 1000000000, &l->count, e));
  OR_FALSE(number_read(n, "best", &l->best, e));
  OR_FALSE(number_read(n, "median", &l->median, e));
  OR_FALSE(number_read(n, "p95", &l->p95, e));
  OR_FALSE(number_read(n, "spread", &l->spread, e));
  OR_FALSE(number_read(n, "residual", &l->residual, e));
  return flags_read(n, &l->flags, e);
}

static bool figure_read(const struct node *n, struct line *l, struct err *e) {
  static const char *const known[] = {"kind", "name", "level",     "isa",    "dtype", "threads",  "count", "text",   "from", "value",
                                      "byte", "n",    "statistic", "spread", "seed",  "thorough", "flags", "reason", NULL};
  int isa = l->request.isa, dtype = l->request.dtype;
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(node_string(n, "name", l->name, sizeof l->name, e));
  if (!l->name[0]) return node_missing(n, "name", "the figure's name", e);
  OR_FALSE(node_int(n, "level", 0, LEVEL_MAX - 1, &l->level, e));
  OR_FALSE(node_word(n, "isa", isa_word, ISA_N, &isa, e));
  OR_FALSE(node_word(n, "dtype", dtype_word, DTYPE_N, &dtype, e));
  l->request.isa = (enum isa)isa;
  l->request.dtype = (enum dtype)dtype;
  OR_FALSE(node_int(n, "threads", 0, 1000000, &l->request.threads, e));
  OR_FALSE(node_int(n, "count", 0, 1000000, &l->count, e));
  OR_FALSE(node_string(n, "text", l->text, sizeof l->text, e));
  OR_FALSE(node_string(n, "from", l->from, sizeof l->from, e));
  OR_FALSE(number_read(n, "byte", &l->byte, e));
  OR_FALSE(number_read(n, "value", &l->value, e));
  OR_FALSE(node_int(n, "n", 0, 1000000000, &l->samples, e));
  char statistic[16] = "best";
  OR_FALSE(node_string(n, "statistic", statistic, sizeof statistic, e));
  struct node m = node_member(n, "statistic");
  l->is_median = strcmp(statistic, "median") == 0;
  if (!l->is_median && strcmp(statistic, "best") != 0) return node_refuse(&m, "best or median", e);
  OR_FALSE(node_number(n, "spread", "a share of the median", 0, DBL_MAX, &l->spread, e));
  OR_FALSE(node_number(n, "seed", "a number", 0, DBL_MAX, &l->seed, e));
  OR_FALSE(node_bool(n, "thorough", &l->thorough, e));
  return flags_read(n, &l->flags, e);
}

static bool refused_read(const struct node *n, struct line *l, struct err *e) {
  (void)l; /* its reason is read with everybody's */
  static const char *const known[] = {"kind", "reason", NULL};
  OR_FALSE(node_object(n, known, e));
  struct node m = node_member(n, "reason");
  return m.at || node_missing(n, "reason", "why it was refused", e);
}

static bool whole_read(const struct node *n, struct line *l, struct err *e) {
  static bool (*const read[LINE_KIND_N])(const struct node *, struct line *, struct err *) = {start_read,  progress_read, sample_read,
                                                                                              result_read, figure_read,   refused_read};
  int kind = -1;
  if (!node_is_object(n)) return node_refuse(n, "an object", e);
  OR_FALSE(node_word(n, "kind", kind_word, LINE_KIND_N, &kind, e));
  if (kind < 0) return node_missing(n, "kind", "what the line is: start progress sample result figure refused", e);
  line_clear(l, (enum line_kind)kind);
  OR_FALSE(read[kind](n, l, e));
  return node_string(n, "reason", l->reason, sizeof l->reason, e);
}

bool line_read(const char *text, struct line *l, struct err *e) {
  struct json j;
  struct line fresh;
  size_t n = strnlen(text, LINE_BYTE_MAX + 1);
  if (n > LINE_BYTE_MAX) return err_set(e, "", 0, 0, "", "a line of at most 8192 bytes", "a longer one");
  if (!json_parse(&j, text, n, "", e)) return false;
  struct node root = node_root(&j);
  bool ok = whole_read(&root, &fresh, e);
  json_free(&j);
  if (ok) *l = fresh;
  return ok;
}
