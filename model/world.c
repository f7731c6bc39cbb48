#include "model/world.h"

#include <math.h>
#include <string.h>

const char *source_name(enum source s) {
  static const char *const name[SOURCE_N] = {"unknown", "vendor", "derived", "illustrative", "measured"};
  return name[s];
}

const char *family_name(enum family f) {
  static const char *const name[FAMILY_N] = {"cpu", "gpu", "tpu", "apple", "npu", "fpga"};
  return name[f];
}

static struct figure unknown(void) { return (struct figure){.value = NAN, .source = SOURCE_UNKNOWN}; }

static void level_clear(struct level *l) {
  memset(l, 0, sizeof *l);
  l->count = 1;
  l->byte = l->byte_per_s = l->latency_s = l->knee_byte = unknown();
}

static void machine_clear(struct machine *m) {
  memset(m, 0, sizeof *m);
  m->clock_hz = m->last_cache_byte = m->memory_cap_byte = NAN;
  for (int i = 0; i < ISA_N; i++)
    for (int t = 0; t < 2; t++) m->isa_peak[i][t] = m->isa_peak_one[i][t] = NAN;
  m->read_byte_per_s = m->read_one_byte_per_s = NAN;
  for (int i = 0; i < STAIR_KIND_N; i++) m->stair[i].seed = NAN;
  m->copy_nt_byte_per_s = m->copy_byte_per_s = m->triad_byte_per_s = m->triad_nt_byte_per_s = NAN;
  m->burst_flop_per_s = m->burst_clock_hz = m->sustained_flop_per_s = m->sustained_clock_hz = m->quota_cpu = NAN;
}

void device_clear(struct device *d) {
  memset(d, 0, sizeof *d);
  for (int t = 0; t < DTYPE_N; t++) d->peak[t] = unknown();
  d->peak_fp64_matrix = d->sparse_ratio = d->memory_byte = d->memory_byte_per_s = d->tdp_w = d->copy_s = d->launch_s = unknown();
  for (int i = 0; i < LEVEL_MAX; i++) level_clear(&d->level[i]);
  for (int i = 0; i < ASIDE_MAX; i++) level_clear(&d->aside[i]);
  d->host.byte_per_s = d->host.byte_per_s_both = d->peer.byte_per_s = d->peer.byte_per_s_both = unknown();
  machine_clear(&d->machine);
}

int device_find(const struct world *w, const char *id) {
  for (int i = 0; i < w->ndevice; i++)
    if (strcmp(w->device[i].id, id) == 0) return i;
  return -1;
}

int model_find(const struct world *w, const char *id) {
  for (int i = 0; i < w->nmodel; i++)
    if (strcmp(w->model[i].id, id) == 0) return i;
  return -1;
}
