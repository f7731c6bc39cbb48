/* probe_stair: the memory staircase: how fast working sets of every size are read, by the team and by one thread, and how long one load
 * takes in them. Its knees are found by whoever takes the lines in (model/knee). */
#include <math.h>
#include <stdio.h>

#include "kernels/probe_inner.h"
#include "model/stair.h"

static const double LEAST_BYTE = 4096, LEAST_LATENCY_BYTE = 4096;
enum { RATES_AN_OCTAVE = 6, LATENCIES_AN_OCTAVE = 3 };

static double stair_point_s(const struct probe *p) { return p->options.thorough ? 5e-3 : 2e-3; }

/* The sizes of one kind of point; `most` at most. */
static int sizes_of(const struct probe *p, enum stair_kind kind, double size[STAIR_MAX]) {
  double hi = probe_memory_set(p), lo = kind == STAIR_TEAM ? LEAST_BYTE * p->os.threads : LEAST_BYTE;
  int each = RATES_AN_OCTAVE;
  if (kind == STAIR_ONE && p->os.threads == 1) return 0; /* it is the team */
  if (kind == STAIR_LATENCY) lo = LEAST_LATENCY_BYTE, hi = fmin(hi * 0.8, STAIR_LATENCY_MOST_BYTE), each = LATENCIES_AN_OCTAVE;
  while (each > 1 && log2(hi / lo) * each > STAIR_MAX - 2) each--;
  return stair_sizes(lo, hi, each, size, STAIR_MAX);
}

int probe_stair_steps(const struct probe *p) {
  double size[STAIR_MAX];
  int n = 0;
  for (int k = 0; k < STAIR_KIND_N; k++) n += sizes_of(p, (enum stair_kind)k, size);
  return n;
}

static void point_measure(struct probe *p, enum stair_kind kind, double byte) {
  bool latency = kind == STAIR_LATENCY;
  int threads = kind == STAIR_TEAM ? p->os.threads : 1;
  char size[40];
  probe_step(p, "staircase: %s %s, %d thread%s", latency ? "latency in" : "read of", byte_words(size, byte), threads, threads == 1 ? "" : "s");
  struct request r = probe_request(latency ? OP_LATENCY : OP_READ, floor(byte / (latency ? 64 : 4)), threads);
  struct reading got = probe_measure(p, r, stair_point_s(p), false);
  if (isnan(got.best.time)) return;
  double value = latency ? got.best.time / (got.best.byte / 64) : got.best.byte / got.best.time;
  struct line f = probe_figure_of(p, latency ? "stair_latency" : "stair", value, &r, &got);
  f.byte = byte;
  p->figures++;
  if (latency) f.request.isa = ISA_AUTO; /* a load is a load */
  probe_say(p, &f);
}

void probe_stair(struct probe *p) {
  for (int k = 0; k < STAIR_KIND_N && !p->stopped; k++) {
    double size[STAIR_MAX];
    int n = sizes_of(p, (enum stair_kind)k, size);
    for (int i = 0; i < n && !p->stopped; i++) point_measure(p, (enum stair_kind)k, size[i]);
  }
}
