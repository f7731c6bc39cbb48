/* line: the JSON lines the measuring child speaks, one object per line, `kind` first. */
#ifndef RIDGE_LINE_H
#define RIDGE_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "data/err.h"
#include "model/run.h"
#include "model/world.h"

enum line_kind { LINE_START, LINE_PROGRESS, LINE_SAMPLE, LINE_RESULT, LINE_FIGURE, LINE_REFUSED, LINE_KIND_N };

struct line {
  enum line_kind kind;
  struct request request;   /* start, sample, result: kernel and knobs */
  char machine[64];
  int rep;                  /* sample */
  struct sample sample;     /* sample: time, flop, byte, byte_bus, cpu_time, residual, seed, isa, threads, warm, flags */
  double done, total;       /* progress */
  int count;                /* result: n, best, median, p95, spread, residual, flags */
  double best, median, p95, spread, residual;
  unsigned flags;
  /* figure: one roof or level of this machine, as soon as it is known. name: "peak" (isa, dtype, threads), "read" "copy_nt" "triad" "triad_nt"
   * (threads; bytes/s), "level_rate" "level_latency" "level_knee" "level_byte" (level: index), "clock", … */
  char name[32];
  int level;
  double value;
  char text[96];            /* figure: words instead of a number (cpu, compiler, level names) */
  char reason[256];         /* refused, or what a progress line is about */
};

/* Writes one line and flushes. False on a write error. */
bool line_write(FILE *f, const struct line *l);
/* Reads one line of text (without its newline). Unknown kinds and keys are errors; so is anything over 4096 bytes. */
bool line_read(const char *text, struct line *l, struct err *e);

/* Takes a figure line into the machine's device (peak, rates, levels). False when it means nothing to us. */
bool line_apply(const struct line *l, struct device *here);

#endif
