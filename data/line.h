/* line: the JSON lines the measuring child speaks, one object per line, `kind` first. Units SI: s, byte, byte/s, FLOP/s. Unknown numbers
 * are written as null and read back as NAN. Numbers keep every digit (they read back exactly) and always use a point, whatever the locale.
 *
 *   {"kind":"start","kernel":"weights","knobs":{"n":4096,"m":1,"k":1,"batch":8,"fma":1,"chain":1,"stride":4,"dtype":"fp32","isa":"auto","rung":"auto",
 *    "threads":0,"hog":true,"sustain":60},"machine":"…","reason":"…"}
 *   {"kind":"progress","done":3,"total":20,"reason":"compute roof, avx2 fp32"}
 *   {"kind":"sample","kernel":…,"knobs":{…},"machine":…,"isa":"avx2","threads":2,"by":"…","rep":1,"warm":true,"flop":…,"byte":…,"byte_bus":…,
 *    "time":…,"flop_per_s":…,"byte_per_s":…,"cpu_time":…,"residual":…,"seed":…,"at":…,"clock":…,"faults":…,"flags":["first"]}
 *    (by only when the code was not ours; flop_per_s and byte_per_s are there for readers of the text; they are not read back)
 *   {"kind":"result","kernel":…,"knobs":{…},"machine":…,"n":7,"best":…,"median":…,"p95":…,"spread":…,"residual":…,"flags":[…]}
 *   {"kind":"figure","name":"peak","isa":"avx2","dtype":"fp32","threads":2,"value":1.2e11}
 *   {"kind":"refused","reason":"…"}
 *
 * Figures: what is known of this machine, each written as soon as it is. line_apply knows these names (others are legal lines it ignores):
 *
 *   name           also carries            value                                   goes to
 *   "threads"      -                       threads of the team; write it FIRST     machine.threads
 *   "cpus"         -                       CPUs this process may use               machine.cpus
 *   "peak"         isa, dtype, threads     FLOP/s, dtype fp32 or fp64              machine.isa_peak; isa_peak_one when threads is 1 (both
 * when the team is 1); the best of all threads: device.peak[dtype] "read"         threads                 byte/s from DRAM
 * machine.read(_one)_byte_per_s; all threads: memory_byte_per_s and the last level's rate "copy_nt" "triad" "triad_nt"  threads  byte/s the
 * bus carried, all threads     machine.…_byte_per_s; the one-thread ones are ignored "level"        level, text, count,     byte of one
 * instance, as declared       level[level]: name = text, count instances, byte_from = from from                    (NAN unknown); write
 * nearest first,     ("sysfs" "cpuid" "measured"); the last one is the main memory main memory last "level_rate"   level, threads byte/s of
 * all instances together        level[level].byte_per_s (one-thread ones are ignored) "level_latency" level                  s, load to use
 * level[level].latency_s "level_knee"   level                   byte of one instance                    level[level].knee_byte "memory" -
 * byte of main memory                     device.memory_byte, the last level's byte "clock"        -                       Hz, measured
 * machine.clock_hz "last_cache"   -                       byte, aggregate last-level cache        machine.last_cache_byte "memory_cap"   -
 * byte a kernel may allocate              machine.memory_cap_byte "cpu" "host" "date" "compiler" "flags" "note"   text machine.<name>; the
 * cpu also becomes device.name's words
 *
 * "copy" is as "copy_nt", "burst" "burst_clock" "sustained" "sustained_clock" go to machine.…_flop_per_s and …_clock_hz, "quota" to
 * machine.quota_cpu, "mask" (text) to machine.mask. A "peak" of another data type goes to device.peak[dtype].
 *
 * "stair" (byte: the working set, threads; value byte/s) is a point of the read staircase, "stair_latency" (byte; s) one of the latency's:
 * machine.stair[]. They keep what stands behind them themselves.
 *
 * A figure that was measured also carries the samples kept (n), their statistic ("best" or "median"), their spread, the seed of the data,
 * flags, and whether the pass was a thorough one: machine.trust[] keeps these.
 *
 * The device counts as measured (machine.measured) once a compute roof and the all-threads read rate are both known. */
#ifndef RIDGE_LINE_H
#define RIDGE_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "data/err.h"
#include "model/run.h"
#include "model/world.h"

enum line_kind { LINE_START, LINE_PROGRESS, LINE_SAMPLE, LINE_RESULT, LINE_FIGURE, LINE_REFUSED, LINE_KIND_N };
const char *line_kind_name(enum line_kind k); /* "start" "progress" … */

enum { LINE_BYTE_MAX = 8192 }; /* the longest line, newline left out */

struct line {
  enum line_kind kind;
  struct request request; /* start, sample, result: kernel and knobs. figure: isa, dtype, threads where the name carries them */
  char machine[64];
  int rep;              /* sample */
  struct sample sample; /* sample: time, flop, byte, byte_bus, cpu_time, residual, seed, isa, threads, warm, flags */
  double done, total;   /* progress */
  int count;            /* result: n, best, median, p95, spread, residual, flags. figure "level": instances */
  double best, median, p95, spread, residual;
  unsigned flags;
  char name[32];    /* figure: see the table above */
  int level;        /* figure: index into device.level[]; -1 none */
  double value;     /* figure; NAN when it has words instead */
  char text[200];   /* figure: words instead of a number (cpu, compiler, level names) */
  char from[24];    /* figure "level": where the size comes from */
  double byte;      /* figure: the working set it was measured at; NAN none */
  int samples;      /* figure: how many it is the best of; 0: it was not measured */
  double seed;      /* figure: of the data; NAN none */
  bool thorough;    /* figure: measured in a thorough pass */
  bool is_median;   /* figure: it is the median of its samples, not the best */
  char reason[256]; /* refused, or what a start or progress line is about */
};

/* A line of this kind with nothing in it: numbers NAN, request.dtype fp32, isa auto, threads 0, level -1. Start from this one. */
void line_clear(struct line *l, enum line_kind kind);

/* Writes one line and flushes. False on a write error. */
bool line_write(FILE *f, const struct line *l);
/* The same into memory, without the newline; the length, or -1 when it does not fit. LINE_BYTE_MAX + 1 bytes always do. */
int line_print(const struct line *l, char *out, int size);
/* Reads one line of text (without its newline). Unknown kinds and keys are errors; so is anything over LINE_BYTE_MAX bytes. Strings longer
 * than their field are errors; control bytes in them become spaces. */
bool line_read(const char *text, struct line *l, struct err *e);

/* Takes a figure line into the machine's device (peak, rates, levels), as source measured. False when it means nothing to us. A roof
 * that others disturbed while it was measured leaves a better reading of the same in place. */
bool line_apply(const struct line *l, struct device *here);

#endif
