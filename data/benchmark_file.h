/* benchmark_file: a benchmark's record as JSON, in the chapter's shape: times in ms, memory in GB of 1e9 bytes.
 *
 *   {"model": "7b-instruct-example", "precision": "bf16", "hardware": "accelerator-A", "input_tokens": 1500, "output_tokens": 300,
 *    "batch_size": 16, "throughput_output_tokens_per_s": 1500, "latency_ms": {"ttft_p50": 420, "ttft_p95": 900, "per_token_p95": 38},
 *    "memory_gb": {"allocated": 78, "peak_used": 61}, "power_w_avg": 450, "hourly_cost_usd": 2.00}
 *
 * and what the chapter asks for besides: "params" (of the model), "latency_ms"."per_token_p50", "time_busy" (a share). Any key may be left
 * out: model/benchmark.h says what is then missing. Unknown keys are refused. */
#ifndef RIDGE_BENCHMARK_FILE_H
#define RIDGE_BENCHMARK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "data/err.h"
#include "data/json_out.h"
#include "model/benchmark.h"

/* A whole file, or n bytes of text that name stands for. On false *e names file, line and key, and *b is as it was. */
bool benchmark_load(const char *path, struct benchmark *b, struct err *e);
bool benchmark_parse(const char *text, size_t n, const char *name, struct benchmark *b, struct err *e);

/* As an object; what is not recorded is left out, so that it reads back as it was. */
void benchmark_write(struct json_out *o, const struct benchmark *b);

#endif
