/* The published worked examples (tests/worked.json) and the chapter's tables (tests/chapter_tables.json) through the model's functions.
 * An example names what is called ("of"), with which inputs ("in"), and what must come out: "expect" within "tolerance" (1 % when not
 * given); "published", the digits that were printed, which the value must round to; "bound", a measurement the value must bound, at 0.4 to
 * 0.97 of it. Every check is also tried with a value that is off, and must refuse it. Run from the repository's root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "data/json.h"
#include "model/roof.h"
#include "model/work.h"
#include "tests/support_example.h"
#include "tests/support_near.h"

static struct world *world;

/* ---- the three checks ---- */

static bool near(double v, double expected, double tolerance) { return fabs(v - expected) <= tolerance * fabs(expected); }

static bool bounded(double bound, double measured, bool is_time) {
  double share = is_time ? bound / measured : measured / bound;
  return share >= 0.4 && share <= 0.97;
}

static int example_check(const cJSON *x) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(x, "id"), *what = cJSON_GetObjectItemCaseSensitive(x, "what");
  const cJSON *of = cJSON_GetObjectItemCaseSensitive(x, "of"), *in = cJSON_GetObjectItemCaseSensitive(x, "in");
  const cJSON *expect = cJSON_GetObjectItemCaseSensitive(x, "expect"), *published = cJSON_GetObjectItemCaseSensitive(x, "published");
  const cJSON *tolerance = cJSON_GetObjectItemCaseSensitive(x, "tolerance"), *bound = cJSON_GetObjectItemCaseSensitive(x, "bound");
  const cJSON *at;
  int bad = 0, checks = 0;
  assert_true(cJSON_IsString(id) && cJSON_IsString(what) && cJSON_IsString(of) && cJSON_IsObject(in));
  double share = cJSON_IsNumber(tolerance) ? tolerance->valuedouble : 0.01;
  assert_true(share <= 0.05);
  struct outcome o = example_run(world, of->valuestring, in);
  cJSON_ArrayForEach(at, expect) {
    double v = outcome_get(&o, at->string);
    checks++;
    if (near(v, at->valuedouble, share)) {
      assert_false(near(v * (1 + 3 * share) + (v == 0), at->valuedouble, share)); /* a wrong value would be seen */
      continue;
    }
    print_error("%s %s: %s is %.10g, not %.10g within %g\n", id->valuestring, what->valuestring, at->string, v, at->valuedouble, share);
    bad++;
  }
  cJSON_ArrayForEach(at, published) {
    double v = outcome_get(&o, at->string);
    checks++;
    if (rounds_to(v, at->valuestring)) {
      assert_false(rounds_to(v * 2 + 1e-12, at->valuestring));
      continue;
    }
    print_error("%s %s: %s is %.10g, which does not round to %s\n", id->valuestring, what->valuestring, at->string, v, at->valuestring);
    bad++;
  }
  if (bound) {
    double v = outcome_get(&o, cJSON_GetObjectItemCaseSensitive(bound, "name")->valuestring);
    double measured = cJSON_GetObjectItemCaseSensitive(bound, "measured")->valuedouble;
    bool is_time = !strcmp(cJSON_GetObjectItemCaseSensitive(bound, "kind")->valuestring, "time");
    checks++;
    if (!bounded(v, measured, is_time)) {
      print_error("%s %s: the bound %.6g and the measured %.6g do not go together\n", id->valuestring, what->valuestring, v, measured);
      bad++;
    }
    assert_false(bounded(v, v, is_time)); /* a bound that is reached, or passed, would be seen */
    assert_false(bounded(v, NAN, is_time));
  }
  assert_true(checks > 0);
  return bad;
}

static void worked_examples(void **state) {
  (void)state;
  struct json j;
  struct err e = {0};
  int bad = 0, count = 0;
  if (!json_load(&j, "tests/worked.json", &e)) fail_msg("%s", e.text);
  const cJSON *x;
  cJSON_ArrayForEach(x, cJSON_GetObjectItemCaseSensitive(j.root, "examples")) bad += example_check(x), count++;
  json_free(&j);
  assert_int_equal(bad, 0);
  assert_true(count >= 150);
}

/* ---- the chapter's tables ---- */

static struct json chapter;

static void with(cJSON *in, const char *key, double v) {
  cJSON_DeleteItemFromObjectCaseSensitive(in, key);
  cJSON_AddNumberToObject(in, key, v);
}

static void cell_check(int *bad, const char *cell, double v, const char *row, const char *column) {
  if (!rounds_to(v, cell)) {
    print_error("row %s, %s: %.10g does not round to %s\n", row, column, v, cell);
    ++*bad;
  }
  /* A value one last digit and a half away would be seen. */
  double unit = 1;
  const char *point = strchr(cell, '.');
  for (size_t i = 1; point && i < strlen(point); i++) unit /= 10;
  assert_false(rounds_to(strtod(cell, NULL) + 1.5 * unit, cell));
}

static const cJSON *table(const char *name, const char *part) {
  const cJSON *t = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(chapter.root, name), part);
  assert_non_null(t);
  return t;
}

static void decode_table(void **state) {
  (void)state;
  const cJSON *row, *name = table("decode", "columns");
  int bad = 0, rows = 0;
  cJSON_ArrayForEach(row, table("decode", "rows")) {
    const char *cell[9];
    assert_int_equal(cJSON_GetArraySize(row), 9);
    for (int c = 0; c < 9; c++) cell[c] = cJSON_GetArrayItem(row, c)->valuestring;
    cJSON *in = cJSON_Duplicate(table("decode", "in"), true);
    with(in, "batch", atof(cell[0]));
    with(in, "activation_byte", 2);
    struct outcome counted = example_run(world, "step", in);
    with(in, "activation_byte", 0);
    struct outcome plain = example_run(world, "step", in);
    cJSON_Delete(in);
    /* One layer of the same width has the intensity of the whole model. */
    struct work w = work_of(OP_WEIGHTS, (struct shape){4096, 4096, 4096, atof(cell[0]), 1, NAN, .stride = NAN}, DTYPE_BF16);
    double intensity = roof_intensity(w.flop, w.byte);
    double v[9] = {atof(cell[0]),
                   outcome_get(&counted, "intensity"),
                   outcome_get(&counted, "attainable_tera"),
                   outcome_get(&plain, "step_time") * 1e3,
                   outcome_get(&plain, "token_rate"),
                   outcome_get(&plain, "user_rate"),
                   outcome_get(&counted, "step_time") * 1e3,
                   outcome_get(&counted, "token_rate"),
                   outcome_get(&counted, "user_rate")};
    for (int c = 0; c < 9; c++) cell_check(&bad, cell[c], v[c], cell[0], cJSON_GetArrayItem(name, c)->valuestring);
    cell_check(&bad, cell[1], intensity, cell[0], "intensity of a layer");
    cell_check(&bad, cell[2], roof_attainable(200e12, 2e12, intensity) / 1e12, cell[0], "attainable of a layer");
    rows++;
  }
  assert_int_equal(bad, 0);
  assert_int_equal(rows, 9);
}

static void transfer_table(void **state) {
  (void)state;
  const cJSON *row, *name = table("transfer", "columns");
  int bad = 0, rows = 0;
  cJSON_ArrayForEach(row, table("transfer", "rows")) {
    const char *cell[8];
    assert_int_equal(cJSON_GetArraySize(row), 8);
    for (int c = 0; c < 8; c++) cell[c] = cJSON_GetArrayItem(row, c)->valuestring;
    cJSON *in = cJSON_Duplicate(table("transfer", "in"), true);
    with(in, "n", atof(cell[0]));
    struct outcome o = example_run(world, "crossing", in);
    cJSON_Delete(in);
    double v[8] = {atof(cell[0]),
                   outcome_get(&o, "host_time") * 1e6,
                   outcome_get(&o, "device_time") * 1e6,
                   outcome_get(&o, "link_share") * 100,
                   outcome_get(&o, "fixed_share") * 100,
                   outcome_get(&o, "compute_share") * 100,
                   outcome_get(&o, "speedup"),
                   outcome_get(&o, "effective_flop_per_s") / 1e12};
    for (int c = 0; c < 8; c++) cell_check(&bad, cell[c], v[c], cell[0], cJSON_GetArrayItem(name, c)->valuestring);
    rows++;
  }
  assert_int_equal(bad, 0);
  assert_int_equal(rows, 9);
}

static void crossovers(void **state) {
  (void)state;
  const cJSON *x, *change, *all = cJSON_GetObjectItemCaseSensitive(chapter.root, "crossover");
  int bad = 0, rows = 0;
  cJSON_ArrayForEach(x, all) {
    cJSON *in = cJSON_Duplicate(table("transfer", "in"), true);
    with(in, "n", 1);
    cJSON_ArrayForEach(change, cJSON_GetObjectItemCaseSensitive(x, "change")) {
      cJSON_DeleteItemFromObjectCaseSensitive(in, change->string);
      cJSON_AddItemToObject(in, change->string, cJSON_Duplicate(change, true));
    }
    struct outcome o = example_run(world, "crossing", in);
    cJSON_Delete(in);
    const char *what = cJSON_GetObjectItemCaseSensitive(x, "what")->valuestring;
    cell_check(&bad, cJSON_GetObjectItemCaseSensitive(x, "n")->valuestring, outcome_get(&o, "crossing_n"), what, "crossover");
    rows++;
  }
  assert_int_equal(bad, 0);
  assert_int_equal(rows, 10);
}

static void rounding(void **state) {
  (void)state;
  assert_true(rounds_to(1.014e-3, "1.01e-3"));
  assert_false(rounds_to(1.016e-3, "1.01e-3"));
  assert_true(rounds_to(61333, "61e3"));
  assert_false(rounds_to(61600, "61e3"));
  assert_true(rounds_to(243.4, "243"));
  assert_false(rounds_to(243.6, "243"));
  assert_true(rounds_to(0.04, "0.0"));
  assert_false(rounds_to(NAN, "0.0"));
  assert_false(near(NAN, 1, 0.01));
}

/* Every published example is either run or left out with its reason, and none is both. */
static void none_is_forgotten(void **state) {
  (void)state;
  static const char *const id[] = {"W01", "W02", "W03", "W04", "W05", "W06", "W07", "W09", "W10", "W12", "W13", "W14", "W15", "W16",
                                   "W17", "W18", "W19", "W20", "W21", "W22", "W24", "W26", "W27", "W28", "W29", "W30", "W31", "W32",
                                   "W34", "W35", "W36", "W37", "W39", "W40", "W41", "W42", "W43", "W44", "W45", "W47", "W48", "W49",
                                   "W50", "W52", "W53", "W54", "W57", "W58", "W59", "W61", "W62", "W63", "W64", "W65", "W66", "W67",
                                   "W68", "W69", "W70", "W71", "W73", "W74", "W75", "W76", "W77", "W78", "W79", "W80", "W81"};
  struct json j;
  struct err e = {0};
  if (!json_load(&j, "tests/worked.json", &e)) fail_msg("%s", e.text);
  const cJSON *example, *left_out = cJSON_GetObjectItemCaseSensitive(j.root, "left_out");
  for (size_t i = 0; i < sizeof id / sizeof *id; i++) {
    int run = 0;
    cJSON_ArrayForEach(example, cJSON_GetObjectItemCaseSensitive(j.root, "examples")) {
      const cJSON *its = cJSON_GetObjectItemCaseSensitive(example, "id");
      run += cJSON_IsString(its) && strcmp(its->valuestring, id[i]) == 0;
    }
    const cJSON *why = cJSON_GetObjectItemCaseSensitive(left_out, id[i]);
    bool left = cJSON_IsString(why) && strlen(why->valuestring) > 10;
    if ((run > 0) == left) fail_msg("%s is %s", id[i], left ? "run and left out" : "neither run nor left out with a reason");
  }
  json_free(&j);
}

int main(void) {
  struct err e = {0};
  world = calloc(1, sizeof *world);
  if (!world || !catalogue_load(world, "data", NULL, NULL, &e) || !json_load(&chapter, "tests/chapter_tables.json", &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worked_examples), cmocka_unit_test(decode_table), cmocka_unit_test(transfer_table),
      cmocka_unit_test(crossovers),      cmocka_unit_test(rounding),     cmocka_unit_test(none_is_forgotten),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  json_free(&chapter);
  free(world);
  return failed;
}
