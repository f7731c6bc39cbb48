#include "app/runs.h"

#include <math.h>
#include <stdio.h>

#include "app/emit.h"
#include "tui/number.h"

/* The runs that answer the scene's requests, each once. */
static int runs_of(const struct visit *v, const struct run *out[REQUEST_MAX]) {
  struct request want[REQUEST_MAX];
  int n = v->scene->measures ? v->scene->measures(v->world, &v->data.setup, want) : 0, found = 0;
  for (int i = 0; i < n; i++) {
    const struct run *run = run_find(v->world, &want[i], v->world->machine);
    bool there = !run || isnan(run_time(run));
    for (int k = 0; k < found; k++) there |= out[k] == run;
    if (!there) out[found++] = run;
  }
  return found;
}

/* "n=6144 batch=4 fp32", as on the command line of bench. */
static const char *sizes(const struct request *r, char *out, int size) {
  int used = 0;
  out[0] = 0;
  for (int i = 0; i < SHAPE_N && used < size; i++) {
    char number[NUMBER_MAX];
    double value = shape_get(&r->shape, i);
    if (work_uses(r->op, shape_name(i)) && !isnan(value))
      used += snprintf(out + used, (size_t)(size - used), "%s=%s ", shape_name(i), number_key(number, value));
  }
  if (used < size) snprintf(out + used, (size_t)(size - used), "%s", dtype_name(r->dtype));
  return out;
}

static const char *statistic(const struct run *r) { return r->count > 0 ? "median" : "first run"; }

void runs_print(const struct visit *v) {
  const struct run *run[REQUEST_MAX];
  int n = runs_of(v, run);
  if (n == 0) return;
  static const char *const head[] = {"kernel", "of", "ran with", "threads", "samples", "shown", "time", "spread", "seed", "marks"};
  struct table t = {.columns = sizeof head / sizeof *head, .right = 1u << 3 | 1u << 4 | 1u << 6 | 1u << 7 | 1u << 8};
  for (int i = 0; i < t.columns; i++) table_cell(&t, head[i]);
  for (int i = 0; i < n; i++) {
    char text[256], number[NUMBER_MAX];
    const struct run *r = run[i];
    table_cell(&t, op_name(r->request.op));
    table_cell(&t, sizes(&r->request, text, sizeof text));
    table_cell(&t, r->by[0] ? r->by : isa_name(r->isa));
    table_cell(&t, number_key(number, r->threads));
    table_cell(&t, number_key(number, r->count));
    table_cell(&t, statistic(r));
    table_cell(&t, number_print(number, run_time(r), "s", 4, false));
    table_cell(&t, number_print(number, r->spread, "%", 3, false));
    table_cell(&t, isnan(r->seed) ? "" : number_key(number, r->seed));
    table_cell(&t, r->flag_words[0] ? r->flag_words : "none");
  }
  puts("\nmeasured");
  table_print(&t, stdout, "  ");
  table_free(&t);
}

void runs_json(const struct visit *v, struct json_out *o) {
  const struct run *run[REQUEST_MAX];
  int n = runs_of(v, run);
  json_out_array(o, "measured");
  for (int i = 0; i < n; i++) {
    const struct run *r = run[i];
    char text[256];
    json_out_object(o, NULL);
    json_out_string(o, "kernel", op_name(r->request.op));
    json_out_string(o, "of", sizes(&r->request, text, sizeof text));
    json_out_string(o, "isa", isa_name(r->isa));
    if (r->by[0]) json_out_string(o, "by", r->by);
    json_out_number(o, "threads", r->threads);
    json_out_number(o, "samples", r->count);
    json_out_string(o, "statistic", statistic(r));
    json_out_number(o, "s", run_time(r));
    json_out_number(o, "best", r->best);
    json_out_number(o, "p95", r->p95);
    json_out_number(o, "spread", r->spread);
    json_out_number(o, "seed", r->seed);
    json_out_string(o, "flags", r->flag_words);
    json_out_end(o);
  }
  json_out_end(o);
}
