/* Strict JSON: places, exact numbers, sentences about trouble, other locales, and texts damaged at random. Run from the repository's root.
 */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "data/json.h"
#include "data/json_out.h"
#include "tests/support_data.h"

static uint32_t dice = 12345;
static double fraction(double lo, double hi) {
  dice = dice * 1664525 + 1013904223;
  return lo * pow(hi / lo, dice / 4294967296.0);
}

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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_exact),    cmocka_unit_test(places),       cmocka_unit_test(error_sentences),
      cmocka_unit_test(control_bytes_go), cmocka_unit_test(other_locale), cmocka_unit_test(mutated_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
