/* The shipped catalogue against its table of facts, broken files against their exact message, and the machine file's round trip.
 * Run from the repository's root. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "data/json.h"
#include "data/json_out.h"
#include "tests/support_data.h"

/* ---- the facts, cell by cell ---- */

static int fault; /* of the table under test */
static void cell_fault(const char *id, const char *column, const char *cell, double got, bool unverified) {
  print_error("%s %s: the fact is '%s', the file has %.17g%s\n", id, column, cell, got, unverified ? " (unverified)" : "");
  fault++;
}

/* "2039", "0.25?", "?" and "" with the column's power of ten; the same decimal text must give the same double. */
static double cell_value(const char *cell, const char *exponent) {
  char text[64];
  if (!*cell || !strcmp(cell, "?")) return NAN;
  snprintf(text, sizeof text, "%.*s%s", (int)strcspn(cell, "?"), cell, exponent);
  char *end;
  double v = strtod(text, &end);
  assert_string_equal(end, "");
  return v;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void cell_check(const char *id, const char *column, const char *cell, double expected, const struct figure *f) {
  bool unverified = strchr(cell, '?') != NULL;
  if (!same(f->value, expected) || f->unverified != unverified) cell_fault(id, column, cell, f->value, f->unverified);
  if (!isnan(f->value) && f->source == SOURCE_UNKNOWN) cell_fault(id, column, "a source", f->value, f->unverified);
}

struct column {
  const char *name, *exponent;
  size_t offset;
};
#define FIGURE(name, exponent, member)                                                                                                     \
  { name, exponent, offsetof(struct device, member) }
static const struct column device_column[] = {
    FIGURE("mem_GB", "e9", memory_byte),
    FIGURE("mem_BW_GBps", "e9", memory_byte_per_s),
    FIGURE("fp64_TF", "e12", peak[DTYPE_FP64]),
    FIGURE("fp64_matrix_TF", "e12", peak_fp64_matrix),
    FIGURE("fp32_TF", "e12", peak[DTYPE_FP32]),
    FIGURE("tf32_TF", "e12", peak[DTYPE_TF32]),
    FIGURE("fp16_TF", "e12", peak[DTYPE_FP16]),
    FIGURE("bf16_TF", "e12", peak[DTYPE_BF16]),
    FIGURE("fp8_TF", "e12", peak[DTYPE_FP8]),
    FIGURE("int8_TOPS", "e12", peak[DTYPE_INT8]),
    FIGURE("fp4_TF", "e12", peak[DTYPE_FP4]),
    FIGURE("host_GBps_per_dir", "e9", host.byte_per_s),
    FIGURE("d2d_GBps_per_dir_total", "e9", peer.byte_per_s),
    FIGURE("d2d_GBps_bidir_total", "e9", peer.byte_per_s_both),
    FIGURE("TDP_W", "", tdp_w),
};

/* The cache columns hold words: "164 max shared" is what can be used, "16 L1 + 64 LDS" add up, the TPUs' KB are KiB. */
static double cache_value(const char *cell, bool first, bool tpu) {
  double kilo = first ? (tpu ? 1024 : 1e3) : 1e6, a, b;
  const char *shared = strstr(cell, " max shared");
  if (sscanf(cell, "%lf L1 + %lf LDS", &a, &b) == 2) return (a + b) * kilo;
  if (shared) {
    while (shared > cell && shared[-1] != '(') shared--;
    return strtod(shared, NULL) * kilo;
  }
  return sscanf(cell, "%lf", &a) == 1 ? a * kilo : NAN;
}

/* A cache of the facts is one level of the file, above the main memory or aside; each level serves one fact only. */
static void cache_check(const struct device *d, const char *column, const char *cell, bool first, bool *taken) {
  if (!*cell) return;
  double expected = cache_value(cell, first, d->family == FAMILY_TPU);
  for (int i = 0; i < d->nlevel - 1 + d->naside; i++) {
    const struct level *l = i < d->nlevel - 1 ? &d->level[i] : &d->aside[i - d->nlevel + 1];
    double have = l->byte.value * (first ? 1 : l->count);
    if (taken[i] || !same(have, expected) || l->byte.unverified != (strchr(cell, '?') != NULL)) continue;
    taken[i] = true;
    return;
  }
  cell_fault(d->id, column, cell, NAN, false);
}

/* The count in "132 SM (…)" is that of the level private to each unit. */
static void units_check(const struct device *d, const char *cell) {
  int count = atoi(cell);
  if (!*cell != !d->units[0] || count != atoi(d->units)) cell_fault(d->id, "units", cell, atoi(d->units), false);
  for (int i = 0; i < 1 && d->nlevel > 1; i++)
    if (d->level[0].count != 1 && d->level[0].count != count && d->family != FAMILY_NPU)
      cell_fault(d->id, "units", cell, d->level[0].count, false);
}

static struct world *shipped; /* loaded once; tests do not change it */
static void warn_fail(const struct err *e, void *arg) {
  print_error("%s\n", e->text);
  ++*(int *)arg;
}

static void catalogue_loads(void **state) {
  (void)state;
  int warnings = 0;
  struct err e = {0};
  assert_true(catalogue_load(shipped, "data", warn_fail, &warnings, &e));
  assert_int_equal(warnings, 0);
  assert_string_equal(shipped->device[DEVICE_HERE].id, "here");
  assert_false(shipped->device[DEVICE_HERE].machine.measured);
  assert_true(isnan(shipped->device[DEVICE_HERE].peak[DTYPE_FP32].value));
  for (int i = 2; i < shipped->ndevice; i++) assert_true(strcmp(shipped->device[i - 1].id, shipped->device[i].id) < 0);
  for (int i = 1; i < shipped->nmodel; i++) assert_true(strcmp(shipped->model[i - 1].id, shipped->model[i].id) < 0);
  for (int i = 1; i < shipped->ndevice; i++) {
    const struct device *d = &shipped->device[i];
    assert_true(d->nlevel >= 1);
    assert_true(same(d->level[d->nlevel - 1].byte.value, d->memory_byte.value));
    assert_true(same(d->level[d->nlevel - 1].byte_per_s.value, d->memory_byte_per_s.value));
  }
}

static void device_facts(void **state) {
  (void)state;
  struct table t;
  assert_true(table_load(&t, "tests/facts/devices.tsv"));
  fault = 0;
  assert_int_equal(t.nrow, shipped->ndevice - 1);
  for (int r = 0; r < t.nrow; r++) {
    const char *id = table_cell(&t, r, "id");
    int at = device_find(shipped, id);
    if (at < 0) {
      cell_fault(id, "id", id, NAN, false);
      continue;
    }
    const struct device *d = &shipped->device[at];
    for (size_t c = 0; c < sizeof device_column / sizeof *device_column; c++) {
      const char *cell = table_cell(&t, r, device_column[c].name);
      double expected = cell_value(cell, device_column[c].exponent);
      if (!strcmp(id, "tpu7x") && !strcmp(device_column[c].name, "mem_GB")) expected = 192.0 * (1 << 30);
      cell_check(id, device_column[c].name, cell, expected,
                 (const struct figure *)(const void *)((const char *)d + device_column[c].offset));
    }
    bool taken[LEVEL_MAX + ASIDE_MAX] = {0};
    cache_check(d, "L1_shared_KB_per_unit", table_cell(&t, r, "L1_shared_KB_per_unit"), true, taken);
    cache_check(d, "L2_MB", table_cell(&t, r, "L2_MB"), false, taken);
    cache_check(d, "L3_or_LLC_MB", table_cell(&t, r, "L3_or_LLC_MB"), false, taken);
    for (int i = 0; i < d->nlevel - 1 + d->naside; i++)
      if (!taken[i]) cell_fault(id, "a level that is no fact", "", i, false);
    units_check(d, table_cell(&t, r, "units"));
    const char *host = table_cell(&t, r, "host_link"), *year = table_cell(&t, r, "year");
    if (d->year != atoi(year)) cell_fault(id, "year", year, d->year, false);
    if (strcmp(d->name, table_cell(&t, r, "name"))) cell_fault(id, "name", table_cell(&t, r, "name"), NAN, false);
    if (strcmp(d->vendor, table_cell(&t, r, "vendor"))) cell_fault(id, "vendor", table_cell(&t, r, "vendor"), NAN, false);
    if (strcmp(family_name(d->family), table_cell(&t, r, "family"))) cell_fault(id, "family", table_cell(&t, r, "family"), NAN, false);
    if (d->unified != (strstr(host, "unified") != NULL)) cell_fault(id, "unified", host, d->unified, false);
    if (d->is_host != (strstr(host, "is the host") != NULL)) cell_fault(id, "is_host", host, d->is_host, false);
    if (!d->peer.name[0] != !*table_cell(&t, r, "d2d_link")) cell_fault(id, "d2d_link", d->peer.name, NAN, false);
    if (d->illustrative != !strcmp(d->vendor, "illustrative")) cell_fault(id, "illustrative", d->vendor, d->illustrative, false);
  }
  table_free(&t);
  assert_int_equal(fault, 0);
}

struct count_column {
  const char *name;
  size_t offset;
};
#define COUNT(name, member)                                                                                                                \
  { name, offsetof(struct model, member) }
static const struct count_column count_column[] = {COUNT("year", year),   COUNT("layers", layers),     COUNT("hidden", hidden),
                                                   COUNT("heads", heads), COUNT("kv_heads", kv_heads), COUNT("head_dim", head_dim),
                                                   COUNT("ffn_dim", ffn), COUNT("vocab", vocab),       COUNT("max_context", max_context)};

/* Whole cells are numbers; of "128+64rope (v 128)" the first counts for the head and for the layer's width; other words are no figure. */
static int count_value(const char *column, const char *cell) {
  char *end;
  long v = strtol(cell, &end, 10);
  if (!*end || !strcmp(end, " tokens")) return (int)v;
  return !strcmp(column, "head_dim") || !strcmp(column, "ffn_dim") ? (int)v : 0;
}

static double published_value(const char *cell) {
  char *end;
  double v = strtod(cell, &end);
  if (strchr(cell, '/')) return NAN;
  return round(v * (*end == 'B' ? 1e9 : 1e6));
}

static void model_facts(void **state) {
  (void)state;
  struct table t;
  assert_true(table_load(&t, "tests/facts/models.tsv"));
  fault = 0;
  assert_int_equal(t.nrow, shipped->nmodel - 1); /* and the chapter's own */
  assert_true(model_find(shipped, "chapter-7b") >= 0);
  for (int r = 0; r < t.nrow; r++) {
    const char *id = table_cell(&t, r, "id"), *moe = table_cell(&t, r, "moe"), *tied = table_cell(&t, r, "tied_emb");
    int at = model_find(shipped, id);
    if (at < 0) {
      cell_fault(id, "id", id, NAN, false);
      continue;
    }
    const struct model *m = &shipped->model[at];
    const struct {
      const char *column;
      double have;
    } number[] = {{"params_total", m->params},
                  {"params_active", m->params_active},
                  {"matmul_params_per_token", m->matmul_params},
                  {"kv_bytes_per_token_bf16", m->kv_byte_per_token}};
    for (size_t c = 0; c < sizeof number / sizeof *number; c++) {
      const char *cell = table_cell(&t, r, number[c].column);
      if (!same(number[c].have, cell_value(cell, ""))) cell_fault(id, number[c].column, cell, number[c].have, false);
    }
    const char *published = table_cell(&t, r, "published_params");
    if (!same(m->published_params, published_value(published))) cell_fault(id, "published_params", published, m->published_params, false);
    for (size_t c = 0; c < sizeof count_column / sizeof *count_column; c++) {
      const char *cell = table_cell(&t, r, count_column[c].name);
      int have = *(const int *)(const void *)((const char *)m + count_column[c].offset);
      if (have != count_value(count_column[c].name, cell)) cell_fault(id, count_column[c].name, cell, have, false);
    }
    if (strcmp(m->name, table_cell(&t, r, "name"))) cell_fault(id, "name", table_cell(&t, r, "name"), NAN, false);
    if (strcmp(m->kind, table_cell(&t, r, "kind"))) cell_fault(id, "kind", table_cell(&t, r, "kind"), NAN, false);
    if (strcmp(m->attention, table_cell(&t, r, "attention"))) cell_fault(id, "attention", table_cell(&t, r, "attention"), NAN, false);
    if (m->tied != !strcmp(tied, "yes")) cell_fault(id, "tied_emb", tied, m->tied, false);
    if (m->gated != !strcmp(table_cell(&t, r, "ffn_kind"), "gated(3)")) cell_fault(id, "ffn_kind", "", m->gated, false);
    if (m->decoder != !strncmp(m->kind, "decoder", 7)) cell_fault(id, "decoder", m->kind, m->decoder, false);
    int experts = 0, top_k = 0, ffn = 0, shared = 0, layers = m->layers;
    sscanf(moe, "%d routed,top-%d,F=%d,%d shared; %d MoE layers", &experts, &top_k, &ffn, &shared, &layers);
    if (m->experts != experts || m->top_k != top_k || m->expert_ffn != ffn || m->shared_experts != shared ||
        m->moe_layers != (experts ? layers : 0))
      cell_fault(id, "moe", moe, m->experts, false);
  }
  table_free(&t);
  assert_int_equal(fault, 0);
}

/* ---- broken files ---- */

static void broken_files(void **state) {
  (void)state;
  struct table t;
  int bad = 0, cases = 0;
  assert_true(table_load(&t, "tests/broken/messages.tsv"));
  for (int r = 0; r < t.nrow; r++) {
    const char *file = table_cell(&t, r, "file"), *message = table_cell(&t, r, "message");
    char path[256], expected[768];
    struct device d;
    struct model m;
    struct err e = {0};
    snprintf(path, sizeof path, "tests/broken/%s", file);
    snprintf(expected, sizeof expected, "%s:%s", path, message);
    bool ok = file[0] == 'm' ? model_load(path, &m, &e) : device_load(path, &d, &e);
    if (ok ? strcmp(message, "ok") : strcmp(expected, e.text)) {
      print_error("expected %s\n     got %s\n", expected, ok ? "a sound file" : e.text);
      bad++;
    }
    cases += !ok;
  }
  table_free(&t);
  assert_int_equal(bad, 0);
  assert_true(cases >= 30);
}

/* ---- a catalogue with rotten files in it ---- */

static const char sound_text[] = "{ \"id\": \"%s\", \"name\": \"A\", \"family\": \"gpu\", \"sources\": [{ \"text\": \"me\" }] }";

struct heard {
  int n;
  char text[8][512];
};
static void warn_keep(const struct err *e, void *arg) {
  struct heard *h = arg;
  assert_true(h->n < 8);
  snprintf(h->text[h->n++], sizeof *h->text, "%s", e->text);
}

static void one_bad_file(void **state) {
  (void)state;
  char root[256], folder[300], text[512], expected[700];
  struct heard heard = {0};
  struct err e = {0};
  struct world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  scratch_make(root, sizeof root);
  assert_false(catalogue_load(w, root, warn_keep, &heard, &e)); /* no folders at all */
  assert_non_null(strstr(e.text, "/devices: expected a folder that can be read"));
  snprintf(folder, sizeof folder, "%s/models", root);
  mkdir(folder, 0755);
  snprintf(folder, sizeof folder, "%s/devices", root);
  mkdir(folder, 0755);
  snprintf(text, sizeof text, sound_text, "a1");
  scratch_write(folder, "a1.json", text);
  snprintf(text, sizeof text, sound_text, "c3");
  scratch_write(folder, "c3.json", text);
  scratch_write(folder, "b2.json", "{ \"id\": \"b2\", ");
  snprintf(text, sizeof text, sound_text, "other");
  scratch_write(folder, "d4.json", text);
  scratch_write(folder, "notes.txt", "not for us");
  scratch_write(folder, ".hidden.json", "nor this");
  assert_true(catalogue_load(w, root, warn_keep, &heard, &e));
  assert_int_equal(w->ndevice, 3);
  assert_string_equal(w->device[1].id, "a1");
  assert_string_equal(w->device[2].id, "c3");
  assert_int_equal(heard.n, 2);
  snprintf(expected, sizeof expected, "%s/b2.json:1:15: expected a key in quotes, found the end of the text", folder);
  assert_string_equal(heard.text[0], expected);
  snprintf(expected, sizeof expected, "%s/d4.json: id: expected the file's name, \"d4\", found \"other\"", folder);
  assert_string_equal(heard.text[1], expected);
  assert_true(catalogue_load(w, root, NULL, NULL, &e)); /* nobody listens */
  scratch_remove(root);
  free(w);
}

static void own_files(void **state) {
  (void)state;
  char root[256], path[300], text[512];
  struct err e = {0};
  struct world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  assert_true(catalogue_load(w, "data", NULL, NULL, &e));
  int devices = w->ndevice, models = w->nmodel;
  scratch_make(root, sizeof root);
  snprintf(text, sizeof text, sound_text, "laptop");
  scratch_write(root, "mine.json", text);
  snprintf(path, sizeof path, "%s/mine.json", root);
  assert_int_equal(catalogue_add_device(w, path, &e), devices);
  assert_string_equal(w->device[devices].id, path);
  assert_int_equal(catalogue_add_device(w, path, &e), devices); /* again: replaced, not doubled */
  assert_int_equal(w->ndevice, devices + 1);
  assert_int_equal(catalogue_add_model(w, path, &e), -1); /* a device is no model */
  assert_int_equal(catalogue_add_device(w, "no/such.json", &e), -1);
  assert_string_equal(e.text, "no/such.json: expected a file that can be read, found No such file or directory");
  assert_int_equal(catalogue_add_device(w, root, &e), -1);
  assert_int_equal(catalogue_add_model(w, "data/models/llama-2-7b.json", &e), models);
  assert_string_equal(w->model[models].id, "data/models/llama-2-7b.json");
  while (w->ndevice < DEVICE_MAX) w->device[w->ndevice++].id[0] = 0;
  assert_int_equal(catalogue_add_device(w, "data/devices/t4.json", &e), -1);
  assert_non_null(strstr(e.text, "at most 95 files"));
  scratch_remove(root);
  free(w);
}

/* The files that data/README.md shows, as written there. */
static void readme_examples(void **state) {
  (void)state;
  char root[256], path[300], line[1024], text[8192];
  struct device d;
  struct model m;
  struct err e = {0};
  int blocks = 0, inside = 0;
  FILE *f = fopen("data/README.md", "r");
  assert_non_null(f);
  scratch_make(root, sizeof root);
  snprintf(path, sizeof path, "%s/block.json", root);
  while (fgets(line, sizeof line, f)) {
    if (!inside && !strcmp(line, "```json\n")) {
      inside = 1;
      text[0] = 0;
    } else if (inside && !strcmp(line, "```\n")) {
      inside = 0;
      scratch_write(root, "block.json", text);
      bool ok = blocks++ ? model_load(path, &m, &e) : device_load(path, &d, &e);
      if (!ok) fail_msg("%s", e.text);
    } else if (inside) {
      assert_true(strlen(text) + strlen(line) < sizeof text);
      strcat(text, line);
    }
  }
  fclose(f);
  scratch_remove(root);
  assert_int_equal(blocks, 2);
  assert_int_equal(d.nlevel, 4);
  assert_true(d.peak[DTYPE_FP32].value == 819.2e9 && d.peak[DTYPE_FP32].cite == 1 && d.memory_byte_per_s.unverified);
  assert_true(m.kv_byte_per_token == 2.0 * m.layers * m.kv_heads * m.head_dim * 2);
}

/* ---- the machine file ---- */

static bool figure_equal(const struct figure *a, const struct figure *b) {
  return same(a->value, b->value) && a->source == b->source && a->cite == b->cite && a->unverified == b->unverified;
}

static void level_equal(const struct level *a, const struct level *b) {
  assert_string_equal(a->name, b->name);
  assert_string_equal(a->byte_from, b->byte_from);
  assert_int_equal(a->count, b->count);
  assert_true(figure_equal(&a->byte, &b->byte) && figure_equal(&a->byte_per_s, &b->byte_per_s));
  assert_true(figure_equal(&a->latency_s, &b->latency_s) && figure_equal(&a->knee_byte, &b->knee_byte));
}

static void device_equal(const struct device *a, const struct device *b) {
  assert_string_equal(a->id, b->id);
  assert_string_equal(a->name, b->name);
  assert_string_equal(a->vendor, b->vendor);
  assert_string_equal(a->units, b->units);
  assert_string_equal(a->headline, b->headline);
  assert_string_equal(a->notes, b->notes);
  assert_int_equal(a->family, b->family);
  assert_int_equal(a->year, b->year);
  assert_true(a->unified == b->unified && a->is_host == b->is_host && a->illustrative == b->illustrative);
  for (int t = 0; t < DTYPE_N; t++) assert_true(figure_equal(&a->peak[t], &b->peak[t]));
  assert_true(figure_equal(&a->peak_fp64_matrix, &b->peak_fp64_matrix) && figure_equal(&a->memory_byte, &b->memory_byte));
  assert_true(figure_equal(&a->memory_byte_per_s, &b->memory_byte_per_s) && figure_equal(&a->tdp_w, &b->tdp_w));
  assert_true(figure_equal(&a->copy_s, &b->copy_s) && figure_equal(&a->launch_s, &b->launch_s));
  assert_int_equal(a->nlevel, b->nlevel);
  for (int i = 0; i < LEVEL_MAX; i++) level_equal(&a->level[i], &b->level[i]);
  assert_int_equal(a->naside, b->naside);
  for (int i = 0; i < ASIDE_MAX; i++) level_equal(&a->aside[i], &b->aside[i]);
  assert_string_equal(a->host.name, b->host.name);
  assert_true(figure_equal(&a->host.byte_per_s, &b->host.byte_per_s) && figure_equal(&a->host.byte_per_s_both, &b->host.byte_per_s_both));
  assert_string_equal(a->peer.name, b->peer.name);
  assert_true(figure_equal(&a->peer.byte_per_s, &b->peer.byte_per_s) && figure_equal(&a->peer.byte_per_s_both, &b->peer.byte_per_s_both));
  assert_int_equal(a->ncite, b->ncite);
  for (int i = 0; i < CITE_MAX; i++) {
    assert_string_equal(a->cite[i].text, b->cite[i].text);
    assert_string_equal(a->cite[i].date, b->cite[i].date);
  }
  const struct machine *m = &a->machine, *n = &b->machine;
  assert_int_equal(m->measured, n->measured);
  assert_string_equal(m->cpu, n->cpu);
  assert_string_equal(m->host, n->host);
  assert_string_equal(m->date, n->date);
  assert_string_equal(m->compiler, n->compiler);
  assert_string_equal(m->flags, n->flags);
  assert_string_equal(m->note, n->note);
  assert_int_equal(m->threads, n->threads);
  assert_int_equal(m->cpus, n->cpus);
  assert_true(same(m->clock_hz, n->clock_hz) && same(m->last_cache_byte, n->last_cache_byte) &&
              same(m->memory_cap_byte, n->memory_cap_byte));
  for (int i = 0; i < ISA_N; i++)
    for (int c = 0; c < 2; c++)
      assert_true(same(m->isa_peak[i][c], n->isa_peak[i][c]) && same(m->isa_peak_one[i][c], n->isa_peak_one[i][c]));
  assert_true(same(m->read_byte_per_s, n->read_byte_per_s) && same(m->read_one_byte_per_s, n->read_one_byte_per_s));
  assert_true(same(m->copy_nt_byte_per_s, n->copy_nt_byte_per_s) && same(m->triad_byte_per_s, n->triad_byte_per_s));
  assert_true(same(m->triad_nt_byte_per_s, n->triad_nt_byte_per_s));
}

static uint32_t dice = 12345;
static double fraction(double lo, double hi) {
  dice = dice * 1664525 + 1013904223;
  return lo * pow(hi / lo, dice / 4294967296.0);
}
static double maybe(double v) { return (dice >> 16) % 4 ? v : NAN; }
static struct figure some(double v) {
  struct figure f = {.value = maybe(v), .source = SOURCE_MEASURED, .unverified = (dice >> 20) % 5 == 0};
  if ((dice >> 18) % 5 == 0) f = (struct figure){.value = NAN};
  return f;
}

static void here_invent(struct device *d) {
  device_clear(d);
  strcpy(d->id, "here");
  strcpy(d->name, "this machine \"with quotes\" and \\ and é");
  strcpy(d->vendor, "tab\there"); /* a control byte must not survive the trip to a terminal */
  d->vendor[3] = '-';
  d->family = FAMILY_CPU;
  d->is_host = true;
  d->year = 2026;
  d->peak[DTYPE_FP64] = some(fraction(1e9, 1e12));
  d->peak[DTYPE_FP32] = some(fraction(1e9, 1e12));
  d->memory_byte = some(fraction(1e9, 1e12));
  d->memory_byte_per_s = some(fraction(1e9, 1e12));
  d->launch_s = some(fraction(1e-9, 1e-3));
  d->nlevel = (int)(dice >> 8) % (LEVEL_MAX + 1);
  for (int i = 0; i < d->nlevel; i++) {
    struct level *l = &d->level[i];
    snprintf(l->name, sizeof l->name, "L%d", i + 1);
    snprintf(l->byte_from, sizeof l->byte_from, "%s", i % 2 ? "cpuid" : "");
    l->count = 1 + i;
    l->byte = some(fraction(1e3, 1e9));
    l->byte_per_s = some(fraction(1e9, 1e12));
    l->latency_s = some(fraction(1e-10, 1e-6));
    l->knee_byte = some(fraction(1e3, 1e9));
  }
  d->ncite = 1;
  strcpy(d->cite[0].text, "measured here");
  strcpy(d->cite[0].date, "2026-11-30");
  struct machine *m = &d->machine;
  m->measured = true;
  strcpy(m->cpu, "A processor");
  strcpy(m->date, "2026-11-30 12:00");
  m->threads = 2;
  m->cpus = 4;
  m->clock_hz = maybe(fraction(1e9, 5e9));
  m->last_cache_byte = maybe(fraction(1e6, 1e9));
  m->memory_cap_byte = maybe(fraction(1e9, 1e12));
  for (int i = 0; i < ISA_N; i++)
    for (int c = 0; c < 2; c++) {
      m->isa_peak[i][c] = maybe(fraction(1e9, 1e12));
      m->isa_peak_one[i][c] = maybe(fraction(1e9, 1e12));
    }
  m->read_byte_per_s = maybe(fraction(1e9, 1e12));
  m->read_one_byte_per_s = maybe(fraction(1e9, 1e12));
  m->copy_nt_byte_per_s = maybe(fraction(1e9, 1e12));
  m->triad_byte_per_s = maybe(fraction(1e9, 1e12));
  m->triad_nt_byte_per_s = maybe(fraction(1e9, 1e12));
}

static void round_trip(void **state) {
  (void)state;
  char root[256], path[300];
  struct err e = {0};
  static struct device a, b;
  scratch_make(root, sizeof root);
  snprintf(path, sizeof path, "%s/machine.json", root);
  for (int i = 0; i < 200; i++) {
    here_invent(&a);
    if (!device_save(path, &a, &e) || !device_load(path, &b, &e)) fail_msg("%s", e.text);
    device_equal(&a, &b);
  }
  device_clear(&a); /* nothing known at all */
  strcpy(a.id, "here");
  strcpy(a.name, "this machine");
  a.is_host = true;
  if (!device_save(path, &a, &e) || !device_load(path, &b, &e)) fail_msg("%s", e.text);
  device_equal(&a, &b);
  /* Only the file itself is left behind. */
  char other[400];
  snprintf(other, sizeof other, "ls -A '%s' | wc -l", root);
  FILE *p = popen(other, "r");
  int left = -1;
  assert_int_equal(fscanf(p, "%d", &left), 1);
  pclose(p);
  assert_int_equal(left, 1);
  snprintf(path, sizeof path, "%s/no/such/machine.json", root);
  assert_false(device_save(path, &a, &e));
  assert_non_null(strstr(e.text, "No such file or directory"));
  scratch_remove(root);
}

/* ---- JSON itself ---- */

static void numbers_exact(void **state) {
  (void)state;
  static const struct {
    double v;
    const char *text;
  } row[] = {
      {0, "0"},
      {1, "1"},
      {-1.5, "-1.5"},
      {3.35e12, "3.35e12"},
      {0.1, "0.1"},
      {1e-5, "1e-5"},
      {524288, "524288"},
      {1e6, "1000000"},
      {1e300, "1e300"},
      {1.0 / 3, "0.3333333333333333"},
      {5e-324, "5e-324"},
      {DBL_MAX, "1.7976931348623157e308"},
      {2147483648.0, "2147483648"},
      {NAN, "null"},
      {INFINITY, "null"},
  };
  char text[32];
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    json_number(row[i].v, text);
    assert_string_equal(text, row[i].text);
  }
  for (int i = 0; i < 20000; i++) {
    double v = fraction(1e-150, 1e150) * fraction(1e-150, 1e150);
    json_number(v, text);
    assert_true(strtod(text, NULL) == v);
  }
}

static void places(void **state) {
  (void)state;
  static const char text[] = "{\n  \"a\": [1, {\"b.c\": true}],\n  \"é\": \"ü\", \"d\": null\n}";
  static const struct {
    const char *path;
    int line, column, key_line, key_column;
  } row[] = {
      {"", 1, 1, 1, 1},  {"a", 2, 8, 2, 3},   {"a[0]", 2, 9, 2, 9}, {"a[1]", 2, 12, 2, 12}, {"a[1].b.c", 2, 20, 2, 13},
      {"é", 3, 8, 3, 3}, {"d", 3, 18, 3, 13}, {"e", 0, 0, 0, 0},    {"a[2]", 0, 0, 0, 0},   {"a.b", 0, 0, 0, 0},
  };
  struct json j;
  struct err e = {0};
  if (!json_parse(&j, text, strlen(text), "t", &e)) fail_msg("%s", e.text);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    int line, column;
    json_where(&j, row[i].path, &line, &column);
    assert_int_equal(line, row[i].line);
    assert_int_equal(column, row[i].column);
    json_where_key(&j, row[i].path, &line, &column);
    assert_int_equal(line, row[i].key_line);
    assert_int_equal(column, row[i].key_column);
  }
  json_free(&j);
  json_free(&j); /* accepts zeroed */
}

static void error_sentences(void **state) {
  (void)state;
  struct err e;
  assert_false(err_set(&e, "f.json", 3, 7, "peak.fp32", "a figure", "6\x1b[7m"));
  assert_string_equal(e.text, "f.json:3:7: peak.fp32: expected a figure, found 6?[7m");
  err_set(&e, "f.json", 3, 0, "", "x", NULL);
  assert_string_equal(e.text, "f.json:3: expected x");
  err_set(&e, NULL, 0, 0, NULL, NULL, "y");
  assert_string_equal(e.text, "found y");
  err_set(&e, e.found, 0, 0, e.text, "z", ""); /* an error may be built from itself */
  assert_string_equal(e.text, "y: found y: expected z");
  assert_false(err_set(NULL, "f", 0, 0, "", "", ""));
}

static void control_bytes_go(void **state) {
  (void)state;
  char root[256], path[300];
  struct device d;
  struct err e = {0};
  scratch_make(root, sizeof root);
  scratch_write(root, "x.json",
                "{ \"id\": \"x\", \"name\": \"a\\u001b[31mb\\u009b\\u202ec\", \"family\": \"gpu\", \"sources\": [{ \"text\": \"me\" }] }");
  snprintf(path, sizeof path, "%s/x.json", root);
  if (!device_load(path, &d, &e)) fail_msg("%s", e.text);
  assert_string_equal(d.name, "a [31mb  c");
  scratch_remove(root);
}

/* A machine set to a decimal comma reads and writes the same files. The locale is made on the spot; skipped where none can be. */
static void other_locale(void **state) {
  (void)state;
  char root[256], command[800];
  scratch_make(root, sizeof root);
  bool found = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
  snprintf(command, sizeof command, "localedef --no-archive -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", root);
  if (!found && system(command) == 0) {
    setenv("LOCPATH", root, 1);
    found = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
    unsetenv("LOCPATH");
  }
  scratch_remove(root);
  if (!found) skip();
  char text[32], comma[8];
  snprintf(comma, sizeof comma, "%.1f", 0.5);
  json_number(0.5, text);
  struct json j;
  struct err e = {0};
  static struct device d;
  bool overflow = json_parse(&j, "[1.5e400]", 9, "", &e);
  bool sound = json_parse(&j, "[1.5]", 5, "", &e);
  json_free(&j);
  bool loaded = device_load("data/devices/m1.json", &d, &e);
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(comma, "0,5"); /* the locale is as unlike ours as it was meant to be */
  assert_string_equal(text, "0.5");
  assert_false(overflow);
  assert_true(sound);
  assert_true(loaded);
  assert_true(d.memory_byte_per_s.value == 68.25e9);
}

/* Random damage to sound files: whatever comes, an answer and no crash (run under the sanitizers too). */
static void mutated_files(void **state) {
  (void)state;
  char text[8192];
  FILE *f = fopen("data/devices/h100-sxm.json", "rb");
  assert_non_null(f);
  size_t n = fread(text, 1, sizeof text, f);
  fclose(f);
  int refused = 0, rounds = 3000;
  for (int i = 0; i < rounds; i++) {
    char copy[sizeof text];
    memcpy(copy, text, n);
    size_t len = n;
    for (int k = 0; k < 1 + i % 4; k++) {
      size_t at = (size_t)fraction(1, (double)len);
      switch (i % 3) {
      case 0: copy[at] = (char)fraction(1, 255); break;
      case 1: memmove(copy + at, copy + at + 1, len - at - 1), len--; break;
      default: len = at + 1; break;
      }
    }
    struct json j;
    struct err e = {0};
    if (json_parse(&j, copy, len, "m", &e))
      json_free(&j);
    else {
      refused++;
      assert_true(e.line > 0 && e.text[0]);
    }
  }
  assert_true(refused > rounds / 3);
}

int main(void) {
  shipped = calloc(1, sizeof *shipped);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(catalogue_loads), cmocka_unit_test(device_facts),    cmocka_unit_test(model_facts),
      cmocka_unit_test(broken_files),    cmocka_unit_test(one_bad_file),    cmocka_unit_test(own_files),
      cmocka_unit_test(readme_examples), cmocka_unit_test(round_trip),      cmocka_unit_test(numbers_exact),
      cmocka_unit_test(places),          cmocka_unit_test(error_sentences), cmocka_unit_test(control_bytes_go),
      cmocka_unit_test(other_locale),    cmocka_unit_test(mutated_files),
  };
  int failed = shipped ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  free(shipped);
  return failed;
}
