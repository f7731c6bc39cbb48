/* samples: points that other programs measured, from the text they print. Three forms, told apart by what is in them:
 *
 *   JSON lines    {"name":"my gemm","flop":2.1e9,"byte":1.2e7,"s":0.031}        one object a line, or one array of them
 *                 also, where known: "program" "n" (repetitions behind s) "spread" (a fraction of s) "startup_s" (already taken off) "note"
 *   llama-bench   what `llama-bench -o json` or `-o jsonl` prints: FLOP and bytes are estimated from the model's size (model/foreign.h),
 * per token; s is one over its tokens a second likwid-bench  its text: Time, its counts of FLOP and bytes, or else its rates; a run without
 * arithmetic has no place
 *
 * Sizes in FLOP and byte, times in s, all of one execution and > 0. One bad entry does not take the others down. */
#ifndef RIDGE_SAMPLES_H
#define RIDGE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "data/err.h"
#include "model/world.h"

enum { SAMPLES_BYTE_MAX = 4 << 20 };

/* Reads the file into world.foreign[] in place of what was there, with what was refused and why beside it. False, and the world as it was,
 * when there is no such file, it is no plain file, larger than 4 MiB, or no entry of it is a sample; *e then names file, line and key. */
bool samples_load(struct world *w, const char *path, struct err *e);
/* The same from a text; name stands in for the path. */
bool samples_parse(struct world *w, const char *text, size_t n, const char *name, struct err *e);

/* One sample as a line that samples_load reads back, without the newline; the length, or -1 when it does not fit. startup_s NAN: not told.
 */
int sample_print(const struct foreign *f, double startup_s, char *out, int size);

#endif
