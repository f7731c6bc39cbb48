/* probe_inner: what the parts of the probe share. One probe is one pass over this machine: each part measures something through
 * probe_measure and tells it in figure lines. Only the probe_*.c files include this. Times in s, sizes in bytes. */
#ifndef RIDGE_PROBE_INNER_H
#define RIDGE_PROBE_INNER_H

#include "kernels/bench.h"
#include "kernels/lanes.h"
#include "kernels/timing.h"

struct probe {
  struct bench_options options;
  bool (*say)(const struct line *, void *);
  void *arg;
  bool stopped; /* say said no: every part looks at it between two figures */
  struct os_info os;
  double tick, clock_hz;
  double start; /* clock */
  int done, total;
  int figures; /* measured so far */
  char note[200];
};

/* ---- probe_say.c: the lines ---- */
void probe_say(struct probe *p, struct line *l);
struct line probe_figure(const char *name, double value);               /* a figure line with nothing else in it */
void probe_say_number(struct probe *p, const char *name, double value); /* nothing when it is not above 0 */
void probe_say_text(struct probe *p, const char *name, const char *text);
/* A remark about the machine or the pass, kept for the note: whole or not at all. */
__attribute__((format(printf, 2, 3))) void probe_note(struct probe *p, const char *format, ...);
/* One of p->total steps begins; the words say what it is. */
__attribute__((format(printf, 2, 3))) void probe_step(struct probe *p, const char *format, ...);

/* ---- probe_reading.c: one figure ---- */
struct reading {
  struct sample best; /* time NAN: none */
  int count;          /* samples kept */
  double spread;      /* half the interquartile range over the median; NAN unknown */
  double doubling;    /* time of twice the work over time of the work; NAN not asked */
};
/* The best of repeated samples of one request, for about `seconds`. twice: is twice the work twice the time? A wrong result is no reading,
 * and a note. */
struct reading probe_measure(struct probe *p, struct request r, double seconds, bool twice);
/* A figure line of a reading: its value, the request with the instruction set that ran, samples, spread, seed and what went wrong. */
struct line probe_figure_of(const struct probe *p, const char *name, double value, const struct request *r, const struct reading *from);
struct request probe_request(enum op op, double n, int threads);
/* Instruction sets this build and this CPU have, narrow before wide; returns how many. */
int probe_isas(enum isa out[ISA_N]);
/* Bytes of all arrays together that get past the caches, within what may be allocated. */
double probe_memory_set(const struct probe *p);
/* A working set that lies inside level i for a team of `threads`; 0: the levels leave no room for one. */
double probe_level_set(const struct os_info *o, int i, int threads);

/* ---- the parts, in the order of a pass; the _steps functions say how many probe_step calls a part will make ---- */
int probe_peak_steps(const struct probe *p);
void probe_peaks(struct probe *p); /* probe_peak.c: arithmetic */
int probe_memory_steps(const struct probe *p);
void probe_memory(struct probe *p); /* probe_memory.c: read, copy, triad beyond the caches */
int probe_level_steps(const struct probe *p);
void probe_levels(struct probe *p); /* probe_level.c: rate and latency inside each level */
int probe_stair_steps(const struct probe *p);
void probe_stair(struct probe *p); /* probe_stair.c: the staircase; thorough passes only */
int probe_sustain_steps(const struct probe *p);
void probe_sustain(struct probe *p); /* probe_sustain.c: burst and sustained rate; thorough passes only */

#endif
