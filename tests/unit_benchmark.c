/* A benchmark's record: whole or not, possible or not, what a token costs; and its file. The chapter's numbers are in chapter_lab.json. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/benchmark_file.h"
#include "model/step.h"
#include "tests/support_near.h"

static struct step_in illustrative(void) {
  return (struct step_in){
      .params = 7e9, .params_total = 7e9, .weight_byte = 2, .peak_flop_per_s = 200e12, .byte_per_s = 2e12, .deadline = NAN};
}

static struct account account(const struct benchmark *b) {
  struct step_in step = illustrative();
  struct account a;
  account_of(b, &step, 524288, 500, &a);
  return a;
}

static enum finding finding(const struct benchmark *b, enum benchmark_check c) {
  struct account a = account(b);
  return check_of(b, &a, 80e9, 500, c).finding;
}

static void the_example_lacks_three_things(void **state) {
  (void)state;
  struct benchmark b;
  benchmark_example(&b);
  for (int i = 0; i < FIELD_N; i++) {
    enum benchmark_field f = (enum benchmark_field)i;
    enum told want = f == FIELD_BUSY ? TOLD_NOT : f == FIELD_MODEL || f == FIELD_LATENCY ? TOLD_PARTLY : TOLD_ALL;
    assert_int_equal(field_told(&b, f), want);
    assert_int_equal(*field_lacks(&b, f) == 0, want == TOLD_ALL);
    assert_true(*field_name(f) && strlen(field_why(f)) > 20);
  }
  assert_string_equal(field_lacks(&b, FIELD_LATENCY), "per token p50");
  b.params = 7e9, b.busy = 0.9, b.token_p50_s = 0.009;
  for (int i = 0; i < FIELD_N; i++) assert_int_equal(field_told(&b, (enum benchmark_field)i), TOLD_ALL);
}

/* Taking any figure away is noticed, by exactly the field that holds it. */
static void what_is_taken_away_is_missed(void **state) {
  (void)state;
  static const struct {
    size_t at;
    enum benchmark_field field;
    enum told left;
  } row[] = {{offsetof(struct benchmark, params), FIELD_MODEL, TOLD_PARTLY},
             {offsetof(struct benchmark, batch), FIELD_BATCH, TOLD_NOT},
             {offsetof(struct benchmark, input_token), FIELD_LENGTHS, TOLD_PARTLY},
             {offsetof(struct benchmark, output_token), FIELD_LENGTHS, TOLD_PARTLY},
             {offsetof(struct benchmark, allocated_byte), FIELD_MEMORY, TOLD_PARTLY},
             {offsetof(struct benchmark, used_byte), FIELD_MEMORY, TOLD_PARTLY},
             {offsetof(struct benchmark, token_per_s), FIELD_RATE, TOLD_NOT},
             {offsetof(struct benchmark, first_p50_s), FIELD_LATENCY, TOLD_PARTLY},
             {offsetof(struct benchmark, first_p95_s), FIELD_LATENCY, TOLD_PARTLY},
             {offsetof(struct benchmark, token_p50_s), FIELD_LATENCY, TOLD_PARTLY},
             {offsetof(struct benchmark, token_p95_s), FIELD_LATENCY, TOLD_PARTLY},
             {offsetof(struct benchmark, busy), FIELD_BUSY, TOLD_NOT},
             {offsetof(struct benchmark, power_w), FIELD_POWER, TOLD_NOT},
             {offsetof(struct benchmark, usd_per_h), FIELD_COST, TOLD_NOT}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct benchmark b;
    const double gone = NAN;
    benchmark_example(&b);
    b.params = 7e9, b.busy = 0.9, b.token_p50_s = 0.009;
    memcpy((char *)&b + row[i].at, &gone, sizeof gone);
    for (int f = 0; f < FIELD_N; f++)
      assert_int_equal(field_told(&b, (enum benchmark_field)f), f == (int)row[i].field ? row[i].left : TOLD_ALL);
  }
  struct benchmark none;
  benchmark_clear(&none);
  for (int f = 0; f < FIELD_N; f++) assert_int_equal(field_told(&none, (enum benchmark_field)f), TOLD_NOT);
  for (int c = 0; c < CHECK_N; c++) assert_int_equal(finding(&none, (enum benchmark_check)c), FINDING_UNKNOWN);
}

static void the_example_is_odd_but_possible(void **state) {
  (void)state;
  struct benchmark b;
  benchmark_example(&b);
  static const enum finding want[CHECK_N] = {
      [CHECK_TAIL] = FINDING_ASK, [CHECK_ORDER] = FINDING_FINE,  [CHECK_ROOF] = FINDING_FINE,  [CHECK_CACHE] = FINDING_ASK,
      [CHECK_TIME] = FINDING_ASK, [CHECK_PREFILL] = FINDING_ASK, [CHECK_MEMORY] = FINDING_ASK, [CHECK_POWER] = FINDING_FINE};
  for (int c = 0; c < CHECK_N; c++) assert_int_equal(finding(&b, (enum benchmark_check)c), want[c]);
}

/* Each lie is caught by the check made for it. */
static void lies_are_caught(void **state) {
  (void)state;
  struct benchmark good, b;
  benchmark_example(&good);
  good.token_p95_s = 0.012, good.first_p50_s = 0.2, good.used_byte = 30e9, good.output_token = 1000,
  good.token_per_s = 1000; /* nothing odd */
  for (int c = 0; c < CHECK_N; c++)
    if (c != CHECK_CACHE) assert_int_equal(finding(&good, (enum benchmark_check)c), FINDING_FINE);
  b = good, b.token_per_s = 3000;
  assert_int_equal(finding(&b, CHECK_ROOF), FINDING_IMPOSSIBLE);
  b = good, b.token_per_s = 500;
  assert_int_equal(finding(&b, CHECK_ROOF), FINDING_ASK);
  b = good, b.first_p95_s = 0.1;
  assert_int_equal(finding(&b, CHECK_ORDER), FINDING_IMPOSSIBLE);
  b = good, b.token_p50_s = 0.02;
  assert_int_equal(finding(&b, CHECK_ORDER), FINDING_IMPOSSIBLE);
  b = good, b.first_p50_s = 0.05;
  assert_int_equal(finding(&b, CHECK_PREFILL), FINDING_IMPOSSIBLE);
  b = good, b.used_byte = 10e9; /* less than the weights */
  assert_int_equal(finding(&b, CHECK_MEMORY), FINDING_IMPOSSIBLE);
  b = good, b.used_byte = 79.9e9, b.allocated_byte = 70e9;
  assert_int_equal(finding(&b, CHECK_MEMORY), FINDING_IMPOSSIBLE);
  b = good, b.used_byte = 90e9, b.allocated_byte = 100e9; /* more than the device has */
  assert_int_equal(finding(&b, CHECK_MEMORY), FINDING_IMPOSSIBLE);
  b = good, b.output_token = 10; /* a prompt for every ten tokens */
  assert_int_equal(finding(&b, CHECK_TIME), FINDING_IMPOSSIBLE);
  b = good, b.power_w = 490;
  assert_int_equal(finding(&b, CHECK_POWER), FINDING_ASK);
  b = good, b.power_w = 700;
  assert_int_equal(finding(&b, CHECK_POWER), FINDING_IMPOSSIBLE);
  b = good, b.token_p95_s = 0.1;
  assert_int_equal(finding(&b, CHECK_TAIL), FINDING_ASK);
}

static void every_finding_has_words(void **state) {
  (void)state;
  for (int c = 0; c < CHECK_N; c++) {
    bool possible_only = c == CHECK_TAIL || c == CHECK_CACHE; /* these cannot prove a lie */
    for (int f = 0; f <= FINDING_IMPOSSIBLE - possible_only; f++)
      assert_true(strlen(check_words((enum benchmark_check)c, (enum finding)f)) > 10);
    assert_true(strlen(check_name((enum benchmark_check)c)) <= 18);
  }
}

/* Laws that hold for any record. */
static void an_account_keeps_littles_law(void **state) {
  (void)state;
  uint32_t seed = 5;
  for (int i = 0; i < 200; i++) {
    struct benchmark b;
    double u[6];
    for (int k = 0; k < 6; k++) u[k] = (seed = seed * 1664525u + 1013904223u) / 4294967296.0;
    benchmark_example(&b);
    b.batch = 1 + floor(u[0] * 200), b.token_per_s = 10 + u[1] * 1e4, b.output_token = 2 + floor(u[2] * 2000), b.power_w = 10 + u[3] * 1000;
    struct account a = account(&b);
    NEAR(a.request_per_s * a.request_s, b.batch, 1e-12);
    NEAR(a.mean_token_s * b.output_token, a.request_s, 1e-12);
    NEAR(b.first_p50_s + a.later_token_s * (b.output_token - 1), a.request_s, 1e-9);
    NEAR(a.joule_per_token * b.token_per_s, b.power_w, 1e-12);
    NEAR(a.weight_byte + a.kv_byte + a.unexplained_byte + a.reserved_byte, b.allocated_byte, 1e-12);
    assert_true(a.roof_kv_token_per_s <= a.roof_token_per_s);
  }
}

static void a_price_breaks_even_where_it_says(void **state) {
  (void)state;
  uint32_t seed = 9;
  for (int i = 0; i < 200; i++) {
    double u[6];
    for (int k = 0; k < 6; k++) u[k] = (seed = seed * 1664525u + 1013904223u) / 4294967296.0;
    struct price_in in = {
        10 + 5000 * u[0], 0.1 + 10 * u[1], 0.01 + 0.99 * u[2], 1 + floor(3000 * u[3]), 1 + floor(500 * u[4]), 0.05 + u[5], u[0]};
    struct price p, even;
    price_of(&in, &p);
    NEAR(p.usd, price_at(&in, in.busy), 1e-12);
    NEAR(p.usd * in.busy, p.full_usd, 1e-12);
    NEAR(p.usd * p.token_per_s * 3600 / 1e6, in.usd_per_h, 1e-9); /* an hour's tokens cost an hour */
    in.busy = p.break_even;
    price_of(&in, &even);
    NEAR(even.usd, even.bought_usd, 1e-9);
    NEAR(even.own_usd_per_h, even.bought_usd_per_h, 1e-9);
    assert_true(p.all_usd < p.usd);
  }
  struct price_in in = {1500, 2, 0.4, NAN, NAN, 0.6, 0}; /* tokens written alone need no lengths */
  struct price p;
  price_of(&in, &p);
  NEAR(p.bought_usd, 0.6, 0);
  assert_true(isnan(p.all_usd));
  in.usd_per_h = NAN;
  price_of(&in, &p);
  assert_true(isnan(p.usd) && isnan(p.break_even));
}

static void a_size_is_read_off_a_name(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double params;
  } row[] = {{"7b-instruct-example", 7e9},
             {"qwen2.5-0.5b", 0.5e9},
             {"Llama-3.1-70B", 70e9},
             {"llama-2-13b-chat", 13e9},
             {"phi-3", NAN},
             {"mixtral-8x7b", NAN},
             {"4bit-model", NAN},
             {"", NAN},
             {"b", NAN},
             {"v2b7", NAN},
             {"0b", NAN},
             {"model 1.5b", 1.5e9}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double got = benchmark_name_params(row[i].name);
    if (isnan(row[i].params) ? !isnan(got) : fabs(got / row[i].params - 1) > 1e-12) fail_msg("%s: %g", row[i].name, got);
  }
}

/* ---- the file ---- */

static bool parse(const char *text, struct benchmark *b, struct err *e) { return benchmark_parse(text, strlen(text), "r.json", b, e); }

static void a_record_reads_back_as_written(void **state) {
  (void)state;
  struct benchmark b, read;
  struct err e;
  uint32_t seed = 3;
  for (int i = 0; i < 100; i++) {
    struct json_out o;
    benchmark_example(&b);
    double *v = &b.params, *end = &b.usd_per_h;
    for (; i > 0 && v <= end; v++) {
      seed = seed * 1664525u + 1013904223u;
      double whole = 1 + floor((seed >> 8) / 16777216.0 * 900);
      if (seed % 3 == 0)
        *v = NAN;
      else if (v == &b.busy)
        *v = whole / 1000;
      else if (v == &b.allocated_byte || v == &b.used_byte)
        *v = whole * 1e8;
      else
        *v = v >= &b.first_p50_s && v <= &b.token_p95_s ? whole / 1e4 : whole;
    }
    json_out_start(&o, i % 2 ? 2 : 0, 2);
    benchmark_write(&o, &b);
    benchmark_clear(&read);
    if (!benchmark_parse(o.text, strlen(o.text), "written", &read, &e)) fail_msg("%s in %s", e.text, o.text);
    assert_null(strstr(o.text, "null"));
    assert_null(strstr(o.text, "999999"));
    const double *x = &b.params, *y = &read.params;
    for (; x <= &b.usd_per_h; x++, y++)
      if (isnan(*x) ? !isnan(*y) : fabs(*y / *x - 1) > 1e-12) fail_msg("%.17g became %.17g in %s", *x, *y, o.text);
    assert_string_equal(b.model, read.model);
    assert_string_equal(b.hardware, read.hardware);
    json_out_free(&o);
  }
}

static void the_shipped_record_is_the_example(void **state) {
  (void)state;
  struct benchmark b, want;
  struct err e;
  benchmark_example(&want);
  if (!benchmark_load("data/records/example.json", &b, &e)) fail_msg("%s", e.text);
  assert_string_equal(b.model, want.model);
  assert_string_equal(b.precision, want.precision);
  assert_string_equal(b.hardware, want.hardware);
  const double *x = &b.params, *y = &want.params;
  for (; x <= &b.usd_per_h; x++, y++) assert_true(isnan(*x) ? isnan(*y) : *x == *y);
}

/* What data/README.md shows is read, and is whole. */
static void the_documented_record_is_read(void **state) {
  (void)state;
  static char text[1 << 16];
  FILE *file = fopen("data/README.md", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  char *at = strstr(text, "## A benchmark's record");
  assert_non_null(at);
  at = strstr(at, "```json\n") + 8;
  struct benchmark b;
  struct err e;
  if (!benchmark_parse(at, (size_t)(strstr(at, "```") - at), "README", &b, &e)) fail_msg("%s", e.text);
  for (int f = 0; f < FIELD_N; f++) assert_int_equal(field_told(&b, (enum benchmark_field)f), TOLD_ALL);
}

static void faults_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } row[] = {
      {"[]", "r.json:1:1: expected an object, found an empty array"},
      {"{}", "r.json:1:1: expected a benchmark's record: model, precision, batch_size, throughput_output_tokens_per_s …, found an object"},
      {"{\"batchsize\": 16}", "r.json:1:2: batchsize: expected a known key (the nearest is \"batch_size\"), found \"batchsize\""},
      {"{\n  \"batch_size\": \"16\"}", "r.json:2:17: batch_size: expected requests served side by side, 1 to 1000000, found \"16\""},
      {"{\"batch_size\": 0}", "r.json:1:16: batch_size: expected requests served side by side, 1 to 1000000, found 0"},
      {"{\"latency_ms\": 420}", "r.json:1:16: latency_ms: expected an object, found 420"},
      {"{\"latency_ms\": {\"ttft_p50\": -1}}", "r.json:1:29: latency_ms.ttft_p50: expected a time in ms, 1e-6 to 1e9, found -1"},
      {"{\"memory_gb\": {\"peak\": 61}}", "memory_gb.peak: expected"},
      {"{\"time_busy\": 40}", "r.json:1:15: time_busy: expected a share of the time, 1e-6 to 1, found 40"},
      {"{\"model\": 7}", "r.json:1:11: model: expected text in quotes, found 7"},
      {"{\"batch_size\": 1, \"batch_size\": 2}", "batch_size"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct benchmark b;
    struct err e;
    benchmark_example(&b);
    assert_false(parse(row[i].text, &b, &e));
    if (!strstr(e.text, row[i].says)) fail_msg("%s\nsays: %s\nnot:  %s", row[i].text, e.text, row[i].says);
    assert_true(b.batch == 16); /* and nothing has changed */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_lacks_three_things),
      cmocka_unit_test(what_is_taken_away_is_missed),
      cmocka_unit_test(the_example_is_odd_but_possible),
      cmocka_unit_test(lies_are_caught),
      cmocka_unit_test(every_finding_has_words),
      cmocka_unit_test(an_account_keeps_littles_law),
      cmocka_unit_test(a_price_breaks_even_where_it_says),
      cmocka_unit_test(a_size_is_read_off_a_name),
      cmocka_unit_test(a_record_reads_back_as_written),
      cmocka_unit_test(the_shipped_record_is_the_example),
      cmocka_unit_test(faults_are_named),
      cmocka_unit_test(the_documented_record_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
