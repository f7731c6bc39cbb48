/* The shipped catalogue against its table of facts, and broken files against their exact message.
 * Run from the repository's root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/benchmark_file.h"
#include "data/catalogue.h"
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
  assert_int_equal(t.nrow, shipped->nmodel - 2); /* and the chapter's own, and a layer alone */
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
  struct benchmark b;
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
      bool ok = blocks == 0 ? device_load(path, &d, &e) : blocks == 1 ? model_load(path, &m, &e) : benchmark_load(path, &b, &e);
      blocks++;
      if (!ok) fail_msg("%s", e.text);
    } else if (inside) {
      assert_true(strlen(text) + strlen(line) < sizeof text);
      strcat(text, line);
    }
  }
  fclose(f);
  scratch_remove(root);
  assert_int_equal(blocks, 3);
  assert_int_equal(d.nlevel, 4);
  assert_true(d.peak[DTYPE_FP32].value == 819.2e9 && d.peak[DTYPE_FP32].cite == 1 && d.memory_byte_per_s.unverified);
  assert_true(m.kv_byte_per_token == 2.0 * m.layers * m.kv_heads * m.head_dim * 2);
}

int main(void) {
  shipped = calloc(1, sizeof *shipped);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(catalogue_loads), cmocka_unit_test(device_facts), cmocka_unit_test(model_facts),     cmocka_unit_test(broken_files),
      cmocka_unit_test(one_bad_file),    cmocka_unit_test(own_files),    cmocka_unit_test(readme_examples),
  };
  int failed = shipped ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  free(shipped);
  return failed;
}
