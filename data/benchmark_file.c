#include "data/benchmark_file.h"

#include <math.h>
#include <string.h>

#include "data/node.h"

/* Numbers in the file's order. part: the object that holds it, NULL the whole. SI = value in the file / per. */
static const struct row {
  const char *part, *key, *what;
  double lo, hi, per;
  size_t offset;
} row_table[] = {
#define ROW(part, key, what, lo, hi, per, field)                                                                                           \
  { part, key, what, lo, hi, per, offsetof(struct benchmark, field) }
    ROW(NULL, "params", "a count of parameters", 1, 1e16, 1, params),
    ROW(NULL, "input_tokens", "tokens of one prompt", 1, 1e9, 1, input_token),
    ROW(NULL, "output_tokens", "tokens of one answer", 1, 1e9, 1, output_token),
    ROW(NULL, "batch_size", "requests served side by side", 1, 1e6, 1, batch),
    ROW(NULL, "throughput_output_tokens_per_s", "output tokens a second of all requests", 1e-6, 1e12, 1, token_per_s),
    ROW("latency_ms", "ttft_p50", "a time in ms", 1e-6, 1e9, 1e3, first_p50_s),
    ROW("latency_ms", "ttft_p95", "a time in ms", 1e-6, 1e9, 1e3, first_p95_s),
    ROW("latency_ms", "per_token_p50", "a time in ms", 1e-6, 1e9, 1e3, token_p50_s),
    ROW("latency_ms", "per_token_p95", "a time in ms", 1e-6, 1e9, 1e3, token_p95_s),
    ROW("memory_gb", "allocated", "a size in GB", 1e-9, 1e9, 1e-9, allocated_byte),
    ROW("memory_gb", "peak_used", "a size in GB", 1e-9, 1e9, 1e-9, used_byte),
    ROW(NULL, "time_busy", "a share of the time", 1e-6, 1, 1, busy),
    ROW(NULL, "power_w_avg", "a power in W", 1e-6, 1e9, 1, power_w),
    ROW(NULL, "hourly_cost_usd", "dollars an hour", 1e-9, 1e9, 1, usd_per_h),
#undef ROW
};
enum { ROW_N = sizeof row_table / sizeof *row_table };

static double *row_at(const struct row *r, struct benchmark *b) { return (double *)(void *)((char *)b + r->offset); }
static double row_value(const struct row *r, const struct benchmark *b) {
  double v;
  memcpy(&v, (const char *)b + r->offset, sizeof v);
  return v;
}

/* 420 ms are the double nearest to 0.42 s, and 78 GB are 78e9 B. */
static double row_si(const struct row *r, double v) { return r->per >= 1 ? v / r->per : v * nearbyint(1 / r->per); }

static bool part_read(const struct node *n, const char *part, struct benchmark *b, struct err *e) {
  const char *known[ROW_N + 1];
  int count = 0;
  struct node at = node_member(n, part);
  if (!at.at) return true;
  for (int i = 0; i < ROW_N; i++)
    if (row_table[i].part && strcmp(row_table[i].part, part) == 0) known[count++] = row_table[i].key;
  known[count] = NULL;
  OR_FALSE(node_object(&at, known, e));
  for (int i = 0; i < ROW_N; i++) {
    const struct row *r = &row_table[i];
    double v = NAN;
    if (!r->part || strcmp(r->part, part)) continue;
    OR_FALSE(node_number(&at, r->key, r->what, r->lo, r->hi, &v, e));
    *row_at(r, b) = row_si(r, v);
  }
  return true;
}

static bool whole_read(const struct node *n, struct benchmark *b, struct err *e) {
  const char *known[ROW_N + 8] = {"model", "precision", "hardware", "latency_ms", "memory_gb"};
  int count = 5;
  for (int i = 0; i < ROW_N; i++)
    if (!row_table[i].part) known[count++] = row_table[i].key;
  known[count] = NULL;
  OR_FALSE(node_object(n, known, e));
  if (node_count(n) == 0) return node_refuse(n, "a benchmark's record: model, precision, batch_size, throughput_output_tokens_per_s …", e);
  OR_FALSE(node_string(n, "model", b->model, sizeof b->model, e));
  OR_FALSE(node_string(n, "precision", b->precision, sizeof b->precision, e));
  OR_FALSE(node_string(n, "hardware", b->hardware, sizeof b->hardware, e));
  for (int i = 0; i < ROW_N; i++) {
    const struct row *r = &row_table[i];
    double v = NAN;
    if (r->part) continue;
    OR_FALSE(node_number(n, r->key, r->what, r->lo, r->hi, &v, e));
    *row_at(r, b) = row_si(r, v);
  }
  return part_read(n, "latency_ms", b, e) && part_read(n, "memory_gb", b, e);
}

static bool tree_read(struct json *j, struct benchmark *b, struct err *e) {
  struct benchmark read;
  struct node root = node_root(j);
  benchmark_clear(&read);
  bool fine = whole_read(&root, &read, e);
  if (fine) *b = read;
  json_free(j);
  return fine;
}

bool benchmark_load(const char *path, struct benchmark *b, struct err *e) {
  struct json j;
  return json_load(&j, path, e) && tree_read(&j, b, e);
}

bool benchmark_parse(const char *text, size_t n, const char *name, struct benchmark *b, struct err *e) {
  struct json j;
  return json_parse(&j, text, n, name, e) && tree_read(&j, b, e);
}

/* 38 ms, not 37.999999999999996. */
static double tidy(double v) {
  double scale = pow(10, 12 - ceil(log10(fabs(v))));
  return isfinite(scale) && scale > 0 ? nearbyint(v * scale) / scale : v;
}

static void word_write(struct json_out *o, const char *key, const char *s) {
  if (*s) json_out_string(o, key, s);
}

void benchmark_write(struct json_out *o, const struct benchmark *b) {
  const char *open = NULL;
  json_out_object(o, NULL);
  word_write(o, "model", b->model);
  word_write(o, "precision", b->precision);
  word_write(o, "hardware", b->hardware);
  for (int i = 0; i < ROW_N; i++) {
    const struct row *r = &row_table[i];
    double v = row_value(r, b);
    if (isnan(v)) continue;
    if (open && (!r->part || strcmp(open, r->part))) json_out_end(o), open = NULL;
    if (r->part && !open) json_out_object(o, open = r->part);
    json_out_number(o, r->key, tidy(v * r->per));
  }
  if (open) json_out_end(o);
  json_out_end(o);
}
