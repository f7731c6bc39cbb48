/* Numbers: how they look, how they are typed, and that the two agree. */
// as shipped too: rounding must survive -O2
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/canvas.h"
#include "tui/number.h"

static void number_looks(void **state) {
  (void)state;
  static const struct {
    double v;
    const char *unit, *text;
    int digits;
  } row[] = {
      {21.345e9, "flop/s", "21.3 GFLOP/s", 3},
      {523e9, "flop/s", "523 GFLOP/s", 3},
      {989e12, "flop/s", "989 TFLOP/s", 3},
      {0.007, "s", "7.00 ms", 3},
      {10.737e-6, "s", "10.74 \u00b5s", 4},
      {17.029e-6, "s", "17.03 \u00b5s", 4},
      {1.5, "s", "1.50 s", 3},
      {3e-9, "s", "3.00 ns", 3},
      {0.5, "1", "0.500", 3},
      {170.6667, "1", "170.7", 4},
      {170.6667, "flop/byte", "171 FLOP/byte", 3},
      {0.5, "flop/byte", "0.500 FLOP/byte", 3},
      {128.0 * 1048576, "iB", "128 MiB", 3},
      {32.0 * 1048576, "iB", "32.0 MiB", 3},
      {1000, "byte", "1.00 kB", 3},
      {999, "byte", "999 B", 3},
      {512, "byte", "512 B", 3},
      {44e9, "byte/s", "44.0 GB/s", 3},
      {1023, "iB", "1023 B", 3},
      {1024, "iB", "1.00 KiB", 3},
      {1048575, "iB", "1.00 MiB", 3},
      {1000.0 * 1048576, "iB", "1000 MiB", 3},
      {80e9, "byte", "80.0 GB", 3},
      {0.894, "%", "89.4 %", 3},
      {1, "%", "100 %", 3},
      {0.04, "%", "4.00 %", 3},
      {0, "%", "0 %", 3},
      {1e-9, "%", "<0.001 %", 3},
      {64, "n", "64", 3},
      {8192, "n", "8192", 3},
      {1048576, "n", "1048576", 3},
      {7e9, "n", "7.00 G", 3},
      {3.2, "x", "3.20\u00d7", 3},
      {142.857, "token/s", "143 tokens/s", 3},
      {9142.9, "token/s", "9143 tokens/s", 3},
      {2147483648.0, "flop", "2.147 GFLOP", 4},
      {350, "W", "350 W", 3},
      {2.5e9, "Hz", "2.50 GHz", 3},
      {-5e9, "byte", "-5.00 GB", 3},
      {0, "s", "0 s", 3},
      {0, "1", "0", 3},
      {7200, "s", "2.00 h", 3},
      {1234, "s", "20.6 min", 3},
  };
  char out[NUMBER_MAX];
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    assert_string_equal(number_print(out, row[i].v, row[i].unit, row[i].digits, false), row[i].text);
}

/* A value that rounds up into the next prefix is written with it. */
static void number_borders(void **state) {
  (void)state;
  char out[NUMBER_MAX];
  assert_string_equal(number_print(out, 999.6e9, "flop/s", 3, false), "1.00 TFLOP/s");
  assert_string_equal(number_print(out, 999.4e9, "flop/s", 3, false), "999 GFLOP/s");
  assert_string_equal(number_print(out, 999.6, "byte", 3, false), "1.00 kB");
  assert_string_equal(number_print(out, 999.96e-6, "s", 4, false), "1.000 ms");
  assert_string_equal(number_print(out, 9.996, "1", 3, false), "10.0");
  assert_string_equal(number_print(out, 99.96, "1", 3, false), "100");
  assert_string_equal(number_print(out, 0.9996, "s", 3, false), "1.00 s");
  assert_string_equal(number_print(out, 0.99949, "s", 3, false), "999 ms");
}

static void number_unknown(void **state) {
  (void)state;
  char out[NUMBER_MAX];
  assert_string_equal(number_print(out, NAN, "s", 3, false), "\u2014");
  assert_string_equal(number_print(out, NAN, "s", 3, true), "-");
  assert_string_equal(number_print(out, INFINITY, "s", 3, true), "inf s");
  assert_string_equal(number_print(out, 7e-6, "s", 3, true), "7.00 us");
  assert_string_equal(number_print(out, 3, "x", 3, true), "3.00x");
  assert_string_equal(number_exact(out, NAN), "null");
  assert_string_equal(number_exact(out, -INFINITY), "null");
}

/* Over all magnitudes: never wider than ten columns before the unit, three digits kept, and right to half a unit of the third digit. */
static void number_steady(void **state) {
  (void)state;
  static const char *const unit[] = {"s", "byte", "iB",      "flop/s",    "byte/s", "1", "n",
                                     "%", "x",    "token/s", "flop/byte", "W",      "",  "launches"};
  srand(7);
  for (int i = 0; i < 200000; i++) {
    double v = pow(10, rand() % 3000 / 100.0 - 12) * (1 + rand() % 1000 / 1000.0);
    char out[NUMBER_MAX], value[NUMBER_MAX], suffix[NUMBER_MAX];
    const char *u = unit[i % (int)(sizeof unit / sizeof *unit)];
    number_print(out, v, u, 3, true);
    number_split(v, u, 3, true, value, suffix);
    if (strlen(value) > 9) fail_msg("%.17g %s: %s", v, u, out);
    assert_true(strlen(out) < NUMBER_MAX - 1);
    assert_null(strstr(out, "nan"));
    double back = atof(value);
    assert_true(back >= 0);
    if (strcmp(u, "flop/s") == 0 && v >= 1 && v < 1e20) {
      double read;
      assert_null(number_parse(out, u, &read));
      assert_true(fabs(read - v) <= v * 0.00501);
    }
  }
}

static void number_typed(void **state) {
  (void)state;
  static const struct {
    const char *text, *unit;
    double v;
  } row[] = {
      {"0.007", "s", 0.007},
      {"7ms", "s", 0.007},
      {"7 ms", "s", 0.007},
      {" 10us ", "s", 10e-6},
      {"10\u00b5s", "s", 10e-6},
      {"10 \u03bcs", "s", 10e-6},
      {"3ns", "s", 3e-9},
      {"2 min", "s", 120},
      {"7e9", "n", 7e9},
      {"2^20", "n", 1048576},
      {"2^20 B", "iB", 1048576},
      {"10^9", "1", 1e9},
      {"4k", "n", 4000},
      {"4Ki", "n", 4096},
      {"4M", "n", 4e6},
      {"1.5G", "byte", 1.5e9},
      {"80GB", "byte", 80e9},
      {"80 GiB", "byte", 80 * 1073741824.0},
      {"32MiB", "iB", 33554432},
      {"25GB/s", "byte/s", 25e9},
      {"25 GB/s", "byte/s", 25e9},
      {"25e9", "byte/s", 25e9},
      {"25G", "byte/s", 25e9},
      {"1T", "flop/s", 1e12},
      {"1 TFLOP/s", "flop/s", 1e12},
      {"989 TFLOP/s", "flop/s", 989e12},
      {"50%", "%", 0.5},
      {"0.5", "%", 0.5},
      {"3x", "x", 3},
      {".5", "1", 0.5},
      {"+5", "1", 5},
      {"-5", "1", -5},
      {"0", "n", 0},
      {"1e-3", "s", 1e-3},
      {"1E3", "n", 1000},
      {"300W", "W", 300},
      {"0.5 FLOP/byte", "flop/byte", 0.5},
      {"100 tokens/s", "token/s", 100},
      {"1P", "byte", 1e15},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double v = -1;
    const char *why = number_parse(row[i].text, row[i].unit, &v);
    if (why) fail_msg("%s (%s): %s", row[i].text, row[i].unit, why);
    if (v != row[i].v) fail_msg("%s (%s): %.17g", row[i].text, row[i].unit, v);
  }
}

static void number_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *unit;
  } row[] = {
      {"", "n"},
      {"  ", "n"},
      {"abc", "n"},
      {"1.2.3", "n"},
      {"0x10", "n"},
      {"inf", "n"},
      {"nan", "n"},
      {"infinity", "s"},
      {"1e", "n"},
      {"1e999", "n"},
      {"4K", "n"},
      {"7m", "n"},
      {"7m", "s"},
      {"7u", "byte"},
      {"7 mB", "byte"},
      {"5GB", "s"},
      {"5 s", "byte"},
      {"2^", "n"},
      {"2^0.5", "n"},
      {"2^99999", "n"},
      {"1,000", "n"},
      {"4 k M", "n"},
      {"4kk", "n"},
      {"--4", "n"},
      {"4 4", "n"},
      {"10 Gb/s", "byte/s"},
      {"1 TFLOPS", "flop/s"},
      {"5.", "n"},
      {".", "n"},
      {"-", "n"},
      {"e5", "n"},
      {"1e-999", "n"},
      {"5;rm", "n"},
      {"50 k%", "%"},
      {"4i", "n"},
      {"4KB", "byte"},
      {"5\n", "n"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double v = 42;
    const char *why = number_parse(row[i].text, row[i].unit, &v);
    if (!why) fail_msg("\"%s\" (%s) was taken for %g", row[i].text, row[i].unit, v);
    assert_true(v == 42);
    assert_true(strlen(why) > 3);
  }
}

/* What number_key and number_exact write reads back to the last bit, under a locale with a decimal comma too. */
static void number_back(void **state) {
  (void)state;
  char out[NUMBER_MAX];
  assert_string_equal(number_key(out, 4096), "4096");
  assert_string_equal(number_key(out, 7e9), "7e9");
  assert_string_equal(number_key(out, 0.5), "0.5");
  assert_string_equal(number_key(out, 100e9), "1e11");
  assert_string_equal(number_key(out, 1e5), "100000");
  assert_string_equal(number_key(out, 10e-6), "1e-5");
  assert_string_equal(number_key(out, 0), "0");
  srand(11);
  for (int i = 0; i < 100000; i++) {
    union {
      uint64_t bits;
      double v;
    } u = {0};
    for (int k = 0; k < 5; k++) u.bits = u.bits << 15 ^ (uint64_t)rand();
    if (i % 2) u.v = floor(pow(2, rand() % 60) * (rand() % 100 + 1));
    if (!isfinite(u.v) || (u.v != 0 && fabs(u.v) < 1e-300)) continue;
    double v;
    const char *why = number_parse(number_key(out, u.v), "1", &v);
    if (why || v != u.v) fail_msg("%.17g was written %s", u.v, out);
    assert_true(strtod(number_exact(out, u.v), NULL) == u.v);
  }
}

static void number_axes(void **state) {
  (void)state;
  char out[NUMBER_MAX];
  double scale;
  static const struct {
    double v;
    const char *text;
  } tick[] = {{0.1, "0.1"}, {1, "1"},         {100, "100"},   {1000, "1000"}, {10000, "10k"}, {1e5, "100k"},
              {1e6, "1M"},  {0.001, "0.001"}, {1e-5, "1e-5"}, {0, "0"},       {2.5, "2.5"},   {-20, "-20"}};
  for (size_t i = 0; i < sizeof tick / sizeof *tick; i++) assert_string_equal(number_tick(out, tick[i].v), tick[i].text);
  number_axis(1e10, 1e12, "flop/s", false, &scale, out);
  assert_string_equal(out, "GFLOP/s");
  assert_true(scale == 1e9);
  number_axis(1e-5, 1e-2, "s", false, &scale, out);
  assert_string_equal(out, "\u00b5s");
  number_axis(0, 0.050, "s", false, &scale, out);
  assert_string_equal(out, "ms");
  number_axis(0.1, 100, "flop/byte", false, &scale, out);
  assert_string_equal(out, "FLOP/byte");
  number_axis(0, 1, "%", false, &scale, out);
  assert_string_equal(out, "%");
  assert_true(scale == 0.01);
  number_axis(NAN, NAN, "s", false, &scale, out);
  assert_true(scale == 1);
}

static void data_carries_plain_units(void **state) {
  (void)state;
  static const char *const pair[][2] = {{"%", "1"}, {"x", "1"}, {"n", "1"}, {"1", "1"}, {"iB", "byte"}, {"byte", "byte"}, {"flop/s", "flop/s"}, {"s", "s"}, {"", ""}};
  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) assert_string_equal(number_si(pair[i][0]), pair[i][1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(data_carries_plain_units), 
      cmocka_unit_test(number_looks), cmocka_unit_test(number_borders), cmocka_unit_test(number_unknown), cmocka_unit_test(number_steady),
      cmocka_unit_test(number_typed), cmocka_unit_test(number_refused), cmocka_unit_test(number_back),    cmocka_unit_test(number_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
