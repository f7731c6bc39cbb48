#include "model/run.h"

#include <math.h>
#include <string.h>

#include "model/world.h"

static const char *const isa_word[ISA_N] = {"auto", "scalar", "sse2", "avx2", "avx512", "neon"};
static const char *const rung_word[RUNG_N] = {"auto", "plain", "reordered", "tiled", "vectorised", "all-cores", "library"};

static int word_find(const char *const *word, int n, const char *name) {
  int i = 0;
  while (i < n && strcmp(word[i], name) != 0) i++;
  return i;
}

const char *isa_name(enum isa i) { return isa_word[i]; }
enum isa isa_find(const char *name) { return (enum isa)word_find(isa_word, ISA_N, name); }
const char *rung_name(enum rung r) { return rung_word[r]; }
enum rung rung_find(const char *name) { return (enum rung)word_find(rung_word, RUNG_N, name); }

const char *flag_name(unsigned one_bit) {
  static const char *const name[FLAG_COUNT] = {"disturbed", "throttled", "suspect",  "too short", "not separable",
                                               "first",     "unpinned",  "in cache", "partial"};
  for (int i = 0; i < FLAG_COUNT; i++)
    if (one_bit == 1u << i) return name[i];
  return "";
}

const char *flag_first(unsigned flags) {
  for (int i = 0; i < FLAG_COUNT; i++)
    if (flags & 1u << i && 1u << i != FLAG_FIRST) return flag_name(1u << i);
  return flags & FLAG_FIRST ? flag_name(FLAG_FIRST) : NULL;
}

/* NAN means "left out", so two NANs are the same wish. */
static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

bool request_equal(const struct request *a, const struct request *b) {
  if (a->op != b->op || a->dtype != b->dtype || a->isa != b->isa || a->rung != b->rung || a->threads != b->threads || a->hog != b->hog ||
      a->sustain != b->sustain)
    return false;
  for (int i = 0; i < SHAPE_N; i++)
    if (work_uses(a->op, shape_name(i)) && !same(shape_get(&a->shape, i), shape_get(&b->shape, i))) return false;
  return true;
}

double quantile(double *v, int n, double q) {
  if (n <= 0) return NAN;
  for (int i = 1; i < n; i++) { /* insertion sort: n is at most RUN_RESERVOIR where it matters */
    double x = v[i];
    int j = i;
    for (; j > 0 && v[j - 1] > x; j--) v[j] = v[j - 1];
    v[j] = x;
  }
  double at = q * (n - 1);
  int lo = (int)floor(at), hi = lo + 1 < n ? lo + 1 : lo;
  return v[lo] + (at - lo) * (v[hi] - v[lo]);
}

void run_start(struct run *r, const struct request *what, const char *machine) {
  memset(r, 0, sizeof *r);
  r->request = *what;
  strncpy(r->machine, machine, sizeof r->machine - 1);
  r->isa = what->isa;
  r->threads = what->threads;
  r->flop = r->byte = r->byte_bus = NAN;
  r->warmup_time = r->best = r->median = r->p95 = r->spread = r->cpu_time = r->residual = r->quant_error = NAN;
  r->busy = r->ready = r->item_time = r->step_time = NAN;
  r->warmup_faults = r->faults = r->seed = NAN;
  for (int b = 0; b < RUN_BUCKET; b++) r->bucket_at[b] = r->bucket_clock[b] = NAN;
  r->bucket_width = 1;
  r->random = 0x9e3779b9u;
}

static void summarise(struct run *r) {
  double v[RUN_RESERVOIR];
  int n = r->count < RUN_RESERVOIR ? r->count : RUN_RESERVOIR;
  memcpy(v, r->reservoir, sizeof *v * (size_t)n);
  r->median = quantile(v, n, 0.5);
  r->p95 = quantile(v, n, 0.95);
  r->spread = n < 2 ? NAN : (quantile(v, n, 0.75) - quantile(v, n, 0.25)) / (2 * r->median);
}

/* Reservoir sampling (Vitter's R): every sample so far is kept with the same probability. */
static void reservoir_add(struct run *r, const struct sample *s) {
  if (r->count <= RUN_RESERVOIR) {
    r->reservoir[r->count - 1] = s->time;
    r->reservoir_flags[r->count - 1] = (uint16_t)s->flags;
    return;
  }
  r->random = r->random * 1664525u + 1013904223u;
  uint32_t slot = (uint32_t)(((uint64_t)r->random * (uint64_t)r->count) >> 32);
  if (slot < RUN_RESERVOIR) r->reservoir[slot] = s->time, r->reservoir_flags[slot] = (uint16_t)s->flags;
}

/* The time line keeps 32 stretches: when they are full, neighbours are merged and each holds twice as many samples. */
static void bucket_add(struct run *r, const struct sample *s) {
  int i = r->count - 1;
  if (i / r->bucket_width >= RUN_BUCKET) {
    for (int b = 0; b < RUN_BUCKET; b++) {
      bool half = b < RUN_BUCKET / 2;
      double one = half ? r->bucket_clock[2 * b] : NAN, two = half ? r->bucket_clock[2 * b + 1] : NAN;
      r->bucket[b] = half ? (r->bucket[2 * b] + r->bucket[2 * b + 1]) / 2 : 0;
      r->bucket_at[b] = half ? r->bucket_at[2 * b + 1] : NAN;
      r->bucket_clock[b] = isnan(one) ? two : isnan(two) ? one : (one + two) / 2;
    }
    r->bucket_width *= 2;
  }
  int b = i / r->bucket_width, inside = i % r->bucket_width;
  r->bucket[b] = inside == 0 ? s->time : r->bucket[b] + (s->time - r->bucket[b]) / (inside + 1);
  r->bucket_at[b] = s->at > 0 ? s->at : NAN;
  if (s->clock_hz > 0) r->bucket_clock[b] = isnan(r->bucket_clock[b]) ? s->clock_hz : (r->bucket_clock[b] + s->clock_hz) / 2;
}

/* All nine names together are shorter than their place. */
static void flags_spell(struct run *r) {
  char *to = r->flag_words;
  for (int i = 0; i < FLAG_COUNT; i++) {
    if (!(r->flags & 1u << i)) continue;
    const char *name = flag_name(1u << i);
    size_t n = strlen(name);
    if (to > r->flag_words) memcpy(to, ", ", 2), to += 2;
    memcpy(to, name, n);
    to += n;
  }
  *to = 0;
}

/* The mean over warm samples; until there is one, what the first repetition said. */
static void mean_add(double *mean, double v, int count) {
  if (isnan(v)) return;
  *mean = count <= 1 || isnan(*mean) ? v : *mean + (v - *mean) / count;
}

static void pipeline_add(struct run *r, const struct sample *s) {
  mean_add(&r->busy, s->busy, r->count);
  mean_add(&r->ready, s->ready, r->count);
  mean_add(&r->item_time, s->item_time, r->count);
  mean_add(&r->step_time, s->step_time, r->count);
}

bool run_add(struct run *r, const struct sample *s) {
  if (!(s->time > 0) || !isfinite(s->time)) return false;
  r->seed = s->seed;
  r->isa = s->isa;
  r->threads = s->threads;
  memcpy(r->by, s->by, sizeof r->by);
  r->flop = s->flop;
  r->byte = s->byte;
  r->byte_bus = s->byte_bus;
  if (!isnan(s->residual) && !(r->residual >= s->residual)) r->residual = s->residual;
  if (!isnan(s->quant_error)) r->quant_error = s->quant_error;
  if (s->nparts > 0) {
    r->nparts = s->nparts;
    memcpy(r->inside, s->inside, sizeof r->inside);
    memcpy(r->alone, s->alone, sizeof r->alone);
  }
  if (!s->warm) {
    r->warmup_time = s->time;
    r->warmup_faults = s->faults;
    if (isnan(r->cpu_time)) r->cpu_time = s->cpu_time;
    if (r->count == 0) r->flags = s->flags | FLAG_FIRST, pipeline_add(r, s);
    flags_spell(r);
    return true;
  }
  r->flags = (r->flags & ~(unsigned)FLAG_FIRST) | s->flags;
  flags_spell(r);
  r->count++;
  pipeline_add(r, s);
  if (!isnan(s->cpu_time))
    r->cpu_time = r->count == 1 || isnan(r->cpu_time) ? s->cpu_time : r->cpu_time + (s->cpu_time - r->cpu_time) / r->count;
  if (!(r->best <= s->time)) r->best = s->time;
  if (!isnan(s->faults)) r->faults = r->count == 1 || isnan(r->faults) ? s->faults : r->faults + (s->faults - r->faults) / r->count;
  if (r->count <= RUN_FIRST) r->first[r->count - 1] = s->time, r->first_flags[r->count - 1] = (uint16_t)s->flags;
  reservoir_add(r, s);
  bucket_add(r, s);
  summarise(r);
  return true;
}

const struct run *run_find(const struct world *w, const struct request *what, const char *machine) {
  for (int i = w->nrun - 1; i >= 0; i--)
    if (request_equal(&w->run[i].request, what) && strcmp(w->run[i].machine, machine) == 0) return &w->run[i];
  return NULL;
}

struct run *run_open(struct world *w, const struct request *what, const char *machine) {
  const struct run *found = run_find(w, what, machine);
  if (found) return &w->run[found - w->run];
  if (w->nrun == RUN_MAX) {
    memmove(w->run, w->run + 1, sizeof *w->run * (RUN_MAX - 1));
    w->nrun--;
  }
  struct run *r = &w->run[w->nrun++];
  run_start(r, what, machine);
  return r;
}

double run_time(const struct run *r) { return r->count > 0 ? r->median : r->warmup_time; }
