/* This machine's file: what is saved is read back to the last bit, unknown figures included. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "tests/support_data.h"

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

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
  assert_string_equal(a->strengths, b->strengths);
  assert_string_equal(a->constraints, b->constraints);
  assert_string_equal(a->software, b->software);
  assert_int_equal(a->first, b->first);
  assert_true(figure_equal(&a->sparse_ratio, &b->sparse_ratio));
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
  assert_true(same(m->triad_nt_byte_per_s, n->triad_nt_byte_per_s) && same(m->copy_byte_per_s, n->copy_byte_per_s));
  assert_true(same(m->burst_flop_per_s, n->burst_flop_per_s) && same(m->burst_clock_hz, n->burst_clock_hz));
  assert_true(same(m->sustained_flop_per_s, n->sustained_flop_per_s) && same(m->sustained_clock_hz, n->sustained_clock_hz));
  assert_true(same(m->quota_cpu, n->quota_cpu));
  assert_string_equal(m->mask, n->mask);
  assert_int_equal(m->ntrust, n->ntrust);
  for (int i = 0; i < m->ntrust; i++) {
    const struct trust *t = &m->trust[i], *u = &n->trust[i];
    assert_string_equal(t->name, u->name);
    assert_true(t->dtype == u->dtype && t->isa == u->isa && t->level == u->level && t->threads == u->threads);
    assert_true(t->samples == u->samples && t->thorough == u->thorough && t->is_median == u->is_median && t->flags == u->flags);
    assert_true(same(t->value, u->value) && same(t->spread, u->spread) && same(t->seed, u->seed));
  }
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
  strcpy(d->strengths, "always at hand");
  strcpy(d->constraints, "only one of it");
  strcpy(d->software, "whatever runs on it");
  d->first = 7;
  d->sparse_ratio = (struct figure){.value = 2, .source = SOURCE_VENDOR, .unverified = true};
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
  m->copy_byte_per_s = maybe(fraction(1e9, 1e12));
  m->burst_flop_per_s = maybe(fraction(1e9, 1e12));
  m->burst_clock_hz = maybe(fraction(1e9, 5e9));
  m->sustained_flop_per_s = maybe(fraction(1e9, 1e12));
  m->sustained_clock_hz = maybe(fraction(1e9, 5e9));
  m->quota_cpu = maybe(fraction(0.01, 64));
  strcpy(m->mask, "0-1,3");
  m->ntrust = (int)(dice >> 8) % (TRUST_MAX + 1);
  for (int i = 0; i < m->ntrust; i++) {
    struct trust *t = &m->trust[i];
    snprintf(t->name, sizeof t->name, "figure %d", i);
    t->dtype = (enum dtype)(i % DTYPE_N);
    t->isa = (enum isa)(i % ISA_N);
    t->level = i % LEVEL_MAX - (i % 3 == 0 ? i % LEVEL_MAX + 1 : 0);
    t->threads = 1 + i;
    t->samples = 3 * i;
    t->value = fraction(1e-9, 1e12);
    t->thorough = i % 2;
    t->is_median = i % 5 == 0;
    t->spread = maybe(fraction(1e-4, 1));
    t->seed = maybe(i);
    t->flags = (unsigned)i % (1u << FLAG_COUNT);
  }
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
