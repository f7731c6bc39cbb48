#include "model/checklist.h"

#include <math.h>
#include <stddef.h>

static const struct {
  int step;
  const char *name, *word[SIGN_WORDS];
} sign_table[SIGN_N] = {
    [SIGN_DEVICE] = {1, "device", {"unasked", "unlisted", "invisible", "failing", "computing", NULL}},
    [SIGN_MEMORY] = {2, "memory", {"unasked", "planned", "more", "climbs", "holes", "jumps"}},
    [SIGN_CLOCKS] = {3, "clock", {"unasked", "full", "low", "falling", NULL, NULL}},
    [SIGN_BUSY] = {4, "time busy", {"unasked", "low", "high", NULL, NULL, NULL}},
    [SIGN_PEAK] = {4, "of peak", {"unasked", "low", "high", NULL, NULL, NULL}},
    [SIGN_HOST] = {4, "host", {"unasked", "working", "storage", "blocked", "idle", NULL}},
    [SIGN_COPIES] = {5, "copies", {"unasked", "few", "small", "large", "shuttle", NULL}},
};

const char *checklist_step(int step) {
  static const char *const name[] = {"",
                                     "Is the device there, and in use?",
                                     "Memory: enough, or going?",
                                     "Is it throttled?",
                                     "Who waits for whom?",
                                     "What crosses the link?",
                                     "Meanwhile: what still serves?"};
  return step >= 1 && step <= CHECKLIST_STEPS ? name[step] : "";
}
int sign_step(enum sign c) { return sign_table[c].step; }
const char *sign_name(enum sign c) { return sign_table[c].name; }
const char *sign_word(enum sign c, int answer) { return answer >= 0 && answer < sign_count(c) ? sign_table[c].word[answer] : ""; }
int sign_count(enum sign c) {
  int n = 0;
  while (n < SIGN_WORDS && sign_table[c].word[n]) n++;
  return n;
}

static int sign_memory(const struct evidence *e, const struct evidence *healthy) {
  const struct reading *first = &e->at[EVIDENCE_START], *before = &e->at[EVIDENCE_HALF], *last = &e->at[EVIDENCE_LAST];
  double planned = healthy->at[EVIDENCE_START].v[GAUGE_ALLOCATED];
  if (before->v[GAUGE_ALLOCATED] > 1.1 * first->v[GAUGE_ALLOCATED]) return before->v[GAUGE_USED] > 1.1 * first->v[GAUGE_USED] ? 3 : 4;
  if (last->v[GAUGE_ALLOCATED] > 1.1 * before->v[GAUGE_ALLOCATED]) return 5;
  return last->v[GAUGE_ALLOCATED] > 1.1 * planned ? 2 : 1;
}

static int sign_host(const double *v) {
  if (v[GAUGE_CORES] > 0.9) return 1;
  if (v[GAUGE_STORAGE] > 0.5) return 2;
  return v[GAUGE_QUEUE] > 0.5 ? 3 : 4;
}

static int sign_copies(const double *v) {
  bool many = v[GAUGE_COPIES] > 16;
  if (many) return v[GAUGE_COPY_BYTE] < 65536 ? 2 : 4;
  return v[GAUGE_LINK] > 0.1 ? 3 : 1;
}

int sign_of(enum sign c, const struct evidence *e, const struct evidence *healthy) {
  const double *v = e->at[EVIDENCE_LAST].v, *first = e->at[EVIDENCE_START].v;
  switch (c) {
  case SIGN_DEVICE: return v[GAUGE_LISTED] < 0.5 ? 1 : v[GAUGE_SEEN] < 0.5 ? 2 : v[GAUGE_RUNS] < 0.5 ? 3 : 4;
  case SIGN_MEMORY: return sign_memory(e, healthy);
  case SIGN_CLOCKS: return v[GAUGE_CLOCK] > 0.95 || v[GAUGE_RUNS] < 0.5 ? 1 : v[GAUGE_CLOCK] < 0.95 * first[GAUGE_CLOCK] ? 3 : 2;
  case SIGN_BUSY: return v[GAUGE_BUSY] > 0.7 ? 2 : 1;
  case SIGN_PEAK: return v[GAUGE_PEAK] > 0.7 * healthy->at[EVIDENCE_START].v[GAUGE_PEAK] ? 2 : 1;
  case SIGN_HOST: return sign_host(v);
  default: return sign_copies(v);
  }
}

uint32_t checklist_left(const struct suspects *s, const int seen[SIGN_N]) {
  uint32_t left = 0;
  for (int f = 0; f < FAULT_N; f++) {
    bool fits = s->possible[f];
    for (int c = 0; c < SIGN_N && fits; c++) fits = seen[c] == 0 || seen[c] == sign_of((enum sign)c, &s->fault[f], &s->healthy);
    if (fits) left |= 1u << f;
  }
  return left;
}

enum sign checklist_next(const struct suspects *s, const int seen[SIGN_N]) {
  uint32_t left = checklist_left(s, seen);
  for (int c = 0; c < SIGN_N; c++) {
    int first = 0;
    if (seen[c]) continue;
    for (int f = 0; f < FAULT_N; f++) {
      if (!(left & 1u << f)) continue;
      int sign = sign_of((enum sign)c, &s->fault[f], &s->healthy);
      if (first && sign != first) return (enum sign)c;
      first = sign;
    }
  }
  return SIGN_N;
}
