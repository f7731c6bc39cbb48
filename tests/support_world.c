#include "tests/support_world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct figure known(double v, enum source source) { return (struct figure){.value = v, .source = (uint8_t)source}; }

static void level_set(struct device *d, const char *name, double byte, double rate, double latency) {
  struct level *l = &d->level[d->nlevel++];
  strcpy(l->name, name);
  l->count = 1;
  l->byte = known(byte, SOURCE_MEASURED);
  l->byte_per_s = known(rate, SOURCE_MEASURED);
  l->latency_s = known(latency, SOURCE_MEASURED);
}

static void here_set(struct device *d) {
  strcpy(d->id, "here");
  strcpy(d->name, "this machine");
  d->family = FAMILY_CPU;
  d->is_host = true;
  d->peak[DTYPE_FP64] = known(50e9, SOURCE_MEASURED);
  d->peak[DTYPE_FP32] = known(100e9, SOURCE_MEASURED);
  d->memory_byte = known(16e9, SOURCE_MEASURED);
  d->memory_byte_per_s = known(20e9, SOURCE_MEASURED);
  level_set(d, "L1", 65536, 400e9, 1e-9);
  level_set(d, "L2", 1048576, 200e9, 4e-9);
  level_set(d, "L3", 33554432, 80e9, 15e-9);
  level_set(d, "DRAM", 16e9, 20e9, 100e-9);
  struct machine *m = &d->machine;
  m->measured = true;
  strcpy(m->cpu, "Invented CPU");
  strcpy(m->host, "classroom");
  strcpy(m->date, "2026-11-30");
  m->threads = m->cpus = 2;
  m->clock_hz = 3e9;
  m->last_cache_byte = 33554432;
  m->memory_cap_byte = 4e9;
  m->isa_peak[ISA_SCALAR][0] = m->isa_peak[ISA_SCALAR][1] = 10e9;
  m->isa_peak_one[ISA_SCALAR][0] = m->isa_peak_one[ISA_SCALAR][1] = 5e9;
  m->isa_peak[ISA_AVX2][0] = 50e9, m->isa_peak[ISA_AVX2][1] = 100e9;
  m->isa_peak_one[ISA_AVX2][0] = 25e9, m->isa_peak_one[ISA_AVX2][1] = 50e9;
  m->read_byte_per_s = 20e9, m->read_one_byte_per_s = 15e9;
  m->copy_nt_byte_per_s = 18e9, m->triad_byte_per_s = 19e9, m->triad_nt_byte_per_s = 20e9;
}

static void illustrative_set(struct device *d) {
  strcpy(d->id, "illustrative");
  strcpy(d->name, "Illustrative accelerator");
  d->family = FAMILY_GPU;
  d->illustrative = true;
  for (int t = DTYPE_FP32; t <= DTYPE_BF16; t++) d->peak[t] = known(200e12, SOURCE_ILLUSTRATIVE);
  d->memory_byte = known(80e9, SOURCE_ILLUSTRATIVE);
  d->memory_byte_per_s = known(2e12, SOURCE_ILLUSTRATIVE);
  d->copy_s = known(10e-6, SOURCE_ILLUSTRATIVE);
  d->launch_s = known(8e-6, SOURCE_ILLUSTRATIVE);
  d->host.byte_per_s = known(25e9, SOURCE_ILLUSTRATIVE);
  level_set(d, "memory", 80e9, 2e12, NAN);
}

static void model_set(struct model *m, const char *id, double params, int layers, int hidden, int heads, int kv_heads) {
  memset(m, 0, sizeof *m);
  strcpy(m->id, id);
  strcpy(m->name, id);
  m->params = m->params_active = m->matmul_params = params;
  m->published_params = NAN;
  m->layers = layers, m->hidden = hidden, m->heads = heads, m->kv_heads = kv_heads, m->head_dim = hidden / heads;
  m->ffn = hidden * 11 / 4, m->vocab = 32000, m->max_context = 4096;
  m->gated = m->decoder = true;
  m->kv_byte_per_token = 2.0 * layers * kv_heads * m->head_dim * 2;
}

struct world *world_invented(void) {
  struct world *w = calloc(1, sizeof *w);
  assert(w);
  strcpy(w->machine, "invented");
  w->ndevice = 3;
  for (int i = 0; i < 3; i++) device_clear(&w->device[i]);
  here_set(&w->device[0]);
  illustrative_set(&w->device[1]);
  strcpy(w->device[2].id, "blank");
  strcpy(w->device[2].name, "A device nobody measured");
  w->nmodel = 2;
  model_set(&w->model[0], "chapter-7b", 7e9, 32, 4096, 32, 32);
  w->model[0].illustrative = true;
  model_set(&w->model[1], "small", 1e6, 2, 128, 4, 2);
  return w;
}

void world_measured(struct world *w, const struct request *request, double time, int count) {
  struct run *r = run_open(w, request, w->machine);
  struct work work = work_of(request->op, request->shape, request->dtype);
  struct sample s = {.time = time, .flop = work.flop, .byte = work.byte, .byte_bus = work.byte_bus, .cpu_time = 2 * time, .residual = 0.1,
                     .isa = request->isa == ISA_AUTO ? ISA_AVX2 : request->isa, .threads = request->threads ? request->threads : 2};
  run_add(r, &s);
  s.warm = true;
  for (int i = 0; i < count; i++) {
    s.time = time * (1 + 0.01 * (i % 3 - 1)); /* −1 %, 0, +1 % */
    run_add(r, &s);
  }
}

void person_set(const struct world *w, struct setup *s, int knob, double v, const char *word) {
  if (word) {
    int i = choice_find(w, knob_table[knob].list, word);
    assert(i >= 0);
    v = i;
  }
  s->v[knob] = v;
  s->set[knob] = true;
}

double scene_value(const struct world *w, const struct scene *s, const struct setup *person, const char *name) {
  struct setup setup;
  struct fact fact[FACT_MAX];
  setup_for(w, s, person, &setup);
  int n = s->facts(w, &setup, fact);
  assert(fact_find(fact, n, name));
  return fact_value(fact, n, name);
}
