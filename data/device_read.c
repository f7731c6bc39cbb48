/* Reading one device file. The shape is described in data/README.md; every rule there is a refusal here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/catalogue.h"
#include "data/node.h"
#include "data/record.h"
#include "model/knee.h"

static const double BYTE_MIN = 1, BYTE_MAX = 1e18, RATE_MIN = 1, RATE_MAX = 1e18, FLOP_MIN = 1, FLOP_MAX = 1e21;

static const char *source_word(int i) { return source_name((enum source)(i + 1)); }
static const char *family_word(int i) { return family_name((enum family)i); }

/* YYYY, YYYY-MM, YYYY-MM-DD or nothing. */
static bool date_valid(const char *s) {
  static const char shape[] = "0000-00-00";
  size_t n = strlen(s);
  if (n != 0 && n != 4 && n != 7 && n != 10) return false;
  for (size_t i = 0; i < n; i++)
    if (shape[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != '-') return false;
  return true;
}

static bool sources_read(const struct node *n, struct device *d, struct err *e) {
  static const char *const known[] = {"text", "date", NULL};
  struct node m = node_member(n, "sources");
  if (!m.at) return true;
  OR_FALSE(node_array(&m, CITE_MAX, e));
  d->ncite = node_count(&m);
  for (int i = 0; i < d->ncite; i++) {
    struct node s = node_element(&m, i);
    struct cite *c = &d->cite[i];
    OR_FALSE(node_object(&s, known, e));
    OR_FALSE(node_string(&s, "text", c->text, sizeof c->text, e));
    OR_FALSE(node_string(&s, "date", c->date, sizeof c->date, e));
    if (!c->text[0]) return node_missing(&s, "text", "who says so", e);
    struct node date = node_member(&s, "date");
    if (!date_valid(c->date)) return node_refuse(&date, "a date such as 2026, 2026-11 or 2026-11-13", e);
  }
  return true;
}

/* {"value": 67e12, "from": "vendor", "cite": 0, "unverified": true}. A bare number is refused: it does not say where it comes from. */
static bool figure_read(const struct node *n, const char *key, const char *what, double lo, double hi, const struct device *d,
                        struct figure *f, struct err *e) {
  static const char *const known[] = {"value", "from", "cite", "unverified", NULL};
  struct node m = node_member(n, key);
  if (!m.at) return true;
  if (!node_is_object(&m)) return node_refuse(&m, "a figure {\"value\": …, \"from\": \"vendor\"}, never a bare number", e);
  OR_FALSE(node_object(&m, known, e));
  struct node value = node_member(&m, "value");
  if (!value.at) return node_missing(&m, "value", what, e);
  int source = -1, cite = 0;
  OR_FALSE(node_number(&m, "value", what, lo, hi, &f->value, e));
  OR_FALSE(node_word(&m, "from", source_word, SOURCE_N - 1, &source, e));
  OR_FALSE(node_int(&m, "cite", 0, d->ncite > 0 ? d->ncite - 1 : 0, &cite, e));
  OR_FALSE(node_bool(&m, "unverified", &f->unverified, e));
  if (source < 0 && !isnan(f->value))
    return node_missing(&m, "from", "where the value comes from: vendor derived illustrative measured", e);
  f->source = (uint8_t)(source + 1);
  f->cite = (uint8_t)cite;
  return true;
}

static bool peak_read(const struct node *n, struct device *d, struct err *e) {
  const char *known[DTYPE_N + 2];
  struct node m = node_member(n, "peak");
  if (!m.at) return true;
  for (int t = 0; t < DTYPE_N; t++) known[t] = dtype_name((enum dtype)t);
  known[DTYPE_N] = "fp64_matrix";
  known[DTYPE_N + 1] = NULL;
  OR_FALSE(node_object(&m, known, e));
  for (int t = 0; t < DTYPE_N; t++) OR_FALSE(figure_read(&m, known[t], "a dense rate in FLOP/s", FLOP_MIN, FLOP_MAX, d, &d->peak[t], e));
  return figure_read(&m, "fp64_matrix", "a dense rate in FLOP/s", FLOP_MIN, FLOP_MAX, d, &d->peak_fp64_matrix, e);
}

static bool level_figures_read(const struct node *n, const struct device *d, struct level *l, struct err *e) {
  OR_FALSE(node_string(n, "name", l->name, sizeof l->name, e));
  OR_FALSE(figure_read(n, "byte", "a size in byte", BYTE_MIN, BYTE_MAX, d, &l->byte, e));
  OR_FALSE(figure_read(n, "byte_per_s", "a rate in byte/s", RATE_MIN, RATE_MAX, d, &l->byte_per_s, e));
  return figure_read(n, "latency_s", "a time in s", 1e-12, 10, d, &l->latency_s, e);
}

static bool levels_read(const struct node *n, const char *key, int max, const struct device *d, struct level *level, int *count,
                        struct err *e) {
  static const char *const known[] = {"name", "count", "byte", "byte_per_s", "latency_s", "knee_byte", "byte_from", NULL};
  struct node m = node_member(n, key);
  if (!m.at) return true;
  OR_FALSE(node_array(&m, max, e));
  int levels = node_count(&m);
  for (int i = 0; i < levels; i++) {
    struct node at = node_element(&m, i);
    struct level *l = &level[i];
    OR_FALSE(node_object(&at, known, e));
    OR_FALSE(level_figures_read(&at, d, l, e));
    OR_FALSE(node_int(&at, "count", 1, 10000000, &l->count, e));
    OR_FALSE(node_string(&at, "byte_from", l->byte_from, sizeof l->byte_from, e));
    OR_FALSE(figure_read(&at, "knee_byte", "a size in byte", BYTE_MIN, BYTE_MAX, d, &l->knee_byte, e));
    if (!l->name[0]) return node_missing(&at, "name", "the level's name", e);
  }
  *count = levels;
  return true;
}

/* The main memory is the last level of every catalogue device. A machine file lists its levels whole, as they were measured. */
static bool memory_read(const struct node *n, struct device *d, bool machine, struct err *e) {
  static const char *const known[] = {"name", "byte", "byte_per_s", "latency_s", NULL};
  struct node m = node_member(n, "memory");
  struct device fresh;
  device_clear(&fresh);
  struct level main_memory = fresh.level[0];
  snprintf(main_memory.name, sizeof main_memory.name, "memory");
  if (m.at) {
    OR_FALSE(node_object(&m, known, e));
    OR_FALSE(level_figures_read(&m, d, &main_memory, e));
    d->memory_byte = main_memory.byte;
    d->memory_byte_per_s = main_memory.byte_per_s;
  }
  if (!machine) d->level[d->nlevel++] = main_memory;
  return true;
}

static bool link_read(const struct node *n, const char *key, const struct device *d, struct link *l, struct err *e) {
  static const char *const known[] = {"name", "byte_per_s", "byte_per_s_both", NULL};
  struct node m = node_member(n, key);
  if (!m.at) return true;
  OR_FALSE(node_object(&m, known, e));
  OR_FALSE(node_string(&m, "name", l->name, sizeof l->name, e));
  OR_FALSE(figure_read(&m, "byte_per_s", "a rate in byte/s, one direction", RATE_MIN, RATE_MAX, d, &l->byte_per_s, e));
  return figure_read(&m, "byte_per_s_both", "a rate in byte/s, both directions together", RATE_MIN, RATE_MAX, d, &l->byte_per_s_both, e);
}

static bool isa_peaks_read(const struct node *n, const char *key, double (*peak)[2], struct err *e) {
  static const char *const column[] = {"fp64", "fp32", NULL};
  const char *known[ISA_N + 1];
  struct node m = node_member(n, key);
  if (!m.at) return true;
  for (int i = 0; i < ISA_N; i++) known[i] = isa_name((enum isa)i);
  known[ISA_N] = NULL;
  OR_FALSE(node_object(&m, known, e));
  for (int i = 0; i < ISA_N; i++) {
    struct node at = node_member(&m, known[i]);
    if (!at.at) continue;
    OR_FALSE(node_object(&at, column, e));
    for (int c = 0; c < 2; c++) OR_FALSE(node_number(&at, column[c], "a rate in FLOP/s", FLOP_MIN, FLOP_MAX, &peak[i][c], e));
  }
  return true;
}

static bool machine_read(const struct node *n, struct machine *m, struct err *e) {
  const char *known[64];
  int count = 0;
  static const char *const other[] = {"measured", "threads", "cpus", "isa_peak", "isa_peak_one", "quota_cpu", "trust", "stair"};
  struct node at = node_member(n, "machine");
  if (!at.at) return true;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) known[count++] = other[i];
  for (int i = 0; i < machine_text_count; i++) known[count++] = machine_text[i].key;
  for (int i = 0; i < machine_number_count; i++) known[count++] = machine_number[i].key;
  known[count] = NULL;
  OR_FALSE(node_object(&at, known, e));
  OR_FALSE(node_bool(&at, "measured", &m->measured, e));
  OR_FALSE(node_int(&at, "threads", 0, 1000000, &m->threads, e));
  OR_FALSE(node_int(&at, "cpus", 0, 1000000, &m->cpus, e));
  for (int i = 0; i < machine_text_count; i++)
    OR_FALSE(node_string(&at, machine_text[i].key, (char *)m + machine_text[i].offset, machine_text[i].size, e));
  for (int i = 0; i < machine_number_count; i++) {
    double *v = (double *)(void *)((char *)m + machine_number[i].offset);
    OR_FALSE(node_number(&at, machine_number[i].key, machine_number[i].what, 1, 1e18, v, e));
  }
  OR_FALSE(isa_peaks_read(&at, "isa_peak", m->isa_peak, e));
  OR_FALSE(isa_peaks_read(&at, "isa_peak_one", m->isa_peak_one, e));
  OR_FALSE(node_number(&at, "quota_cpu", "a number of CPUs", 1e-3, 1e6, &m->quota_cpu, e));
  OR_FALSE(stair_read(&at, m, e));
  return trust_read(&at, m, e);
}

bool id_valid(const char *id) {
  if (!id[0] || strlen(id) > 64) return false;
  for (const char *p = id; *p; p++) {
    bool word = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9');
    if (!word && (p == id || !strchr("-._", *p))) return false;
  }
  return true;
}

static bool whole_read(const struct node *n, struct device *d, struct err *e) {
  static const char *const known[] = {"id",      "name",    "vendor", "family", "year",     "illustrative", "units",     "headline",
                                      "notes",   "sources", "peak",   "memory", "levels",   "aside",        "host_link", "peer_link",
                                      "unified", "is_host", "tdp_w",  "copy_s", "launch_s", "machine",
                                      "first",   "strengths", "constraints", "software", "sparse_ratio", NULL};
  OR_FALSE(node_object(n, known, e));
  bool machine = node_member(n, "machine").at != NULL;
  struct node id = node_member(n, "id"), sources = node_member(n, "sources");
  int family = -1;
  OR_FALSE(node_string(n, "id", d->id, sizeof d->id, e));
  if (!id.at) return node_missing(n, "id", "the device's id, which is also the file's name", e);
  if (!id_valid(d->id)) return node_refuse(&id, "an id of at most 64 lower-case letters, digits, - . _", e);
  if (!machine && !strcmp(d->id, "here")) return node_refuse(&id, "another id: \"here\" is this machine, with a machine section", e);
  if (machine && strcmp(d->id, "here")) return node_refuse(&id, "\"here\", as the file has a machine section", e);
  OR_FALSE(node_string(n, "name", d->name, sizeof d->name, e));
  if (!d->name[0]) return node_missing(n, "name", "the device's name", e);
  OR_FALSE(node_word(n, "family", family_word, FAMILY_N, &family, e));
  if (family < 0) return node_missing(n, "family", "one of cpu gpu tpu apple npu fpga", e);
  d->family = (enum family)family;
  OR_FALSE(node_string(n, "vendor", d->vendor, sizeof d->vendor, e));
  OR_FALSE(node_string(n, "units", d->units, sizeof d->units, e));
  OR_FALSE(node_string(n, "headline", d->headline, sizeof d->headline, e));
  OR_FALSE(node_string(n, "notes", d->notes, sizeof d->notes, e));
  OR_FALSE(node_string(n, "strengths", d->strengths, sizeof d->strengths, e));
  OR_FALSE(node_string(n, "constraints", d->constraints, sizeof d->constraints, e));
  OR_FALSE(node_string(n, "software", d->software, sizeof d->software, e));
  OR_FALSE(node_int(n, "first", 1, DEVICE_MAX, &d->first, e));
  OR_FALSE(node_int(n, "year", 1940, 2100, &d->year, e));
  OR_FALSE(node_bool(n, "illustrative", &d->illustrative, e));
  OR_FALSE(sources_read(n, d, e));
  if (!d->ncite && !machine)
    return sources.at ? node_refuse(&sources, "at least one source", e) : node_missing(n, "sources", "at least one source", e);
  d->is_host = d->family == FAMILY_CPU;
  OR_FALSE(node_bool(n, "unified", &d->unified, e));
  OR_FALSE(node_bool(n, "is_host", &d->is_host, e));
  OR_FALSE(peak_read(n, d, e));
  OR_FALSE(levels_read(n, "levels", machine ? LEVEL_MAX : LEVEL_MAX - 1, d, d->level, &d->nlevel, e));
  OR_FALSE(memory_read(n, d, machine, e));
  OR_FALSE(levels_read(n, "aside", ASIDE_MAX, d, d->aside, &d->naside, e));
  OR_FALSE(link_read(n, "host_link", d, &d->host, e));
  OR_FALSE(link_read(n, "peer_link", d, &d->peer, e));
  OR_FALSE(figure_read(n, "sparse_ratio", "how many times the dense peak the headline is", 1, 100, d, &d->sparse_ratio, e));
  OR_FALSE(figure_read(n, "tdp_w", "a power in W", 0.001, 1e6, d, &d->tdp_w, e));
  OR_FALSE(figure_read(n, "copy_s", "a time in s", 0, 10, d, &d->copy_s, e));
  OR_FALSE(figure_read(n, "launch_s", "a time in s", 0, 10, d, &d->launch_s, e));
  OR_FALSE(machine_read(n, &d->machine, e));
  knee_take(d);
  return true;
}

bool device_load(const char *path, struct device *d, struct err *e) {
  struct json j;
  struct device fresh;
  device_clear(&fresh);
  if (!json_load(&j, path, e)) return false;
  struct node root = node_root(&j);
  bool ok = whole_read(&root, &fresh, e);
  json_free(&j);
  if (ok) *d = fresh;
  return ok;
}
