/* The precision scene on the invented machine: its views, what arrows do to a number and its bits, its tables, its words, its measurements.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/accumulate.h"
#include "scenes/precision.h"
#include "tests/support_world.h"
#include "tests/support_near.h"


static struct world *w;
static struct setup person, set;

static int setup_world(void **state) {
  (void)state;
  w = world_invented();
  setup_clear(&person);
  return 0;
}
static int drop_world(void **state) {
  (void)state;
  free(w);
  return 0;
}

static void look(const char *view) {
  person_set(w, &person, KNOB_VIEW, 0, view);
  setup_for(w, &scene_precision, &person, &set);
}
static double fact(const char *name) { return scene_value(w, &scene_precision, &person, name); }
static const char *word(const char *name) {
  struct fact f[FACT_MAX];
  setup_for(w, &scene_precision, &person, &set);
  return fact_word(f, precision_facts(w, &set, f), name);
}
static const char *verdict(void) {
  static struct text t;
  struct fact f[FACT_MAX];
  setup_for(w, &scene_precision, &person, &set);
  int n = precision_facts(w, &set, f);
  text_clear(&t);
  precision_verdict(f, n, &t);
  return t.s;
}
static bool turn(int knob, int direction, bool coarse) {
  setup_for(w, &scene_precision, &person, &set);
  return scene_precision.turn(w, &set, knob, direction, coarse, &person);
}

/* Fewer bits: less storage, more tokens, never less error within one family; the formulas hold for every format. */
static void storage_follows_bits(void **state) {
  (void)state;
  double bf16 = 0;
  look("storage");
  for (int p = 0; p < PACKING_N; p++) {
    person_set(w, &person, KNOB_STORED, p, NULL);
    double bits = p == PACKING_FREE ? 3.89 : packing_bits((enum packing)p);
    NEAR(fact("storage_byte"), 7e9 * bits / 8, 1e-12);
    NEAR(fact("token_rate"), 2e12 / (7e9 * bits / 8), 1e-12);
    NEAR(fact("capacity_left"), 80e9 - 7e9 * bits / 8, 1e-9);
    NEAR(fact("token_rate_over_bf16"), 16 / bits, 1e-12);
    if (p == PACKING_BF16) bf16 = fact("token_rate");
    if (p == PACKING_FREE)
      assert_true(isnan(fact("storing_error")));
    else
      assert_true(fact("storing_error") > fact("least_error"));
  }
  NEAR(bf16, 142.857142857, 1e-9);
  /* A fixed cost a step keeps fewer bits from gaining as much. */
  person_set(w, &person, KNOB_STORED, PACKING_INT4, NULL);
  person_set(w, &person, KNOB_STEP_COST, 7e-3, NULL);
  NEAR(fact("token_rate_over_bf16"), 14.0 / 8.75, 1e-12);
  /* The second model: 32000 tokens 128 wide, twice, are more than all its parameters: nothing sane can be said. */
  person_set(w, &person, KNOB_MODEL, 0, "small");
  assert_false(isnan(fact("bits_with_tables")));
}

static void what_does_not_fit_says_so(void **state) {
  (void)state;
  look("storage");
  person_set(w, &person, KNOB_PARAMS, 70e9, NULL);
  person_set(w, &person, KNOB_STORED, PACKING_BF16, NULL);
  assert_non_null(strstr(verdict(), "do not fit: 60.0 GB missing"));
  NEAR(fact("devices_needed"), 2, 0);
  person_set(w, &person, KNOB_STORED, PACKING_INT8, NULL);
  assert_non_null(strstr(verdict(), "and fit, 10.0 GB left"));
  assert_non_null(strstr(verdict(), "2.00\u00d7 bf16's"));
  person_set(w, &person, KNOB_DEVICE, 0, "blank");
  assert_null(strstr(verdict(), "fit"));
  assert_true(isnan(fact("token_rate")) && isnan(fact("capacity_left")));
}

/* Measured kernels of four types stand for four formats, scaled by the weights; no other claims them. */
static void measured_rates_are_scaled(void **state) {
  (void)state;
  struct request r[REQUEST_MAX];
  look("storage");
  int n = scene_precision.measures(w, &set, r);
  assert_int_equal(n, 4);
  assert_int_equal(r[0].dtype, DTYPE_BF16); /* what is on show first */
  for (int i = 0; i < n; i++) {
    assert_true(r[i].op == OP_WEIGHTS && r[i].shape.batch == 1);
    for (int k = 0; k < i; k++) assert_false(request_equal(&r[i], &r[k]));
    world_measured(w, &r[i], 0.01 * (i + 1), 5);
  }
  static const struct {
    enum packing p;
    enum dtype t;
  } kernel[] = {{PACKING_FP32, DTYPE_FP32}, {PACKING_BF16, DTYPE_BF16}, {PACKING_INT8, DTYPE_INT8}, {PACKING_INT4_G64, DTYPE_INT4}};
  for (int i = 0; i < 4; i++) {
    person_set(w, &person, KNOB_STORED, kernel[i].p, NULL);
    struct request mine = precision_request(w, kernel[i].t);
    const struct run *run = run_find(w, &mine, w->machine);
    assert_non_null(run);
    NEAR(fact("here_measured_token_rate"), mine.shape.n * mine.shape.n / 7e9 / run_time(run), 1e-12);
    assert_string_equal(word("here_state"), "measured");
    assert_non_null(strstr(verdict(), "Measured here: "));
  }
  person_set(w, &person, KNOB_STORED, PACKING_Q4_0, NULL);
  assert_true(isnan(fact("here_measured_token_rate")));
  assert_string_equal(word("here_state"), "no kernel stores so");
  look("bits");
  assert_int_equal(scene_precision.measures(w, &set, r), 0);
}

/* An arrow goes to the format's next number, and back; a stride doubles; at the ends it stays. */
static void arrows_walk_the_numbers(void **state) {
  (void)state;
  look("bits");
  person_set(w, &person, KNOB_FORMAT, 0, "fp8-e4m3");
  person_set(w, &person, KNOB_VALUE, -448, NULL);
  int steps = 0;
  for (double before = -449; person.v[KNOB_VALUE] > before && steps < 1000; steps++) {
    before = person.v[KNOB_VALUE];
    assert_true(turn(KNOB_VALUE, 1, false));
  }
  assert_true(person.v[KNOB_VALUE] == 448);
  assert_int_equal(steps, 253); /* 253 numbers, -0 left out */
  person_set(w, &person, KNOB_VALUE, 3, NULL);
  turn(KNOB_VALUE, 1, true);
  assert_true(person.v[KNOB_VALUE] == 6);
  turn(KNOB_VALUE, -1, true);
  turn(KNOB_VALUE, -1, false);
  assert_true(person.v[KNOB_VALUE] == 2.75);
  look("scale");
  assert_false(turn(KNOB_VALUE, 1, false)); /* there the table's step is the right one */
}

/* Turning a bit over twice is nothing; any code can be made from any other; the words can be read back. */
static void bits_are_turned_over(void **state) {
  (void)state;
  look("bits");
  person_set(w, &person, KNOB_FORMAT, 0, "fp16");
  person_set(w, &person, KNOB_VALUE, 1, NULL);
  person_set(w, &person, KNOB_BIT, 2, NULL);
  assert_true(turn(KNOB_FLIPS, 1, false));
  assert_string_equal(knob_text(&person, KNOB_FLIPS), "2");
  assert_string_equal(word("stored_value"), "infinity");
  person_set(w, &person, KNOB_BIT, 16, NULL);
  assert_true(turn(KNOB_FLIPS, -1, false));
  assert_string_equal(knob_text(&person, KNOB_FLIPS), "2,16");
  assert_string_equal(word("stored_value"), "not a number");
  assert_non_null(strstr(verdict(), "these bits mean not a number"));
  assert_true(turn(KNOB_FLIPS, 1, false));
  person_set(w, &person, KNOB_BIT, 2, NULL);
  assert_true(turn(KNOB_FLIPS, 1, false));
  assert_false(person.set[KNOB_FLIPS]);
  assert_true(fact("stored_value") == 1 && fact("value_error") == 0);
  /* From 1.0 to every code, by the bits in which they differ. */
  uint64_t one = coding_encode(CODING_FP16, 1, false);
  for (uint64_t code = 0; code < 65536; code += 97) {
    person.text[SLOT_FLIPS][0] = 0;
    person.set[KNOB_FLIPS] = false;
    for (int place = 1; place <= 16; place++)
      if ((code ^ one) >> (16 - place) & 1) {
        person_set(w, &person, KNOB_BIT, place, NULL);
        assert_true(turn(KNOB_FLIPS, 1, false));
      }
    setup_for(w, &scene_precision, &person, &set);
    assert_true(precision_of(w, &set).code == code);
  }
  /* The bit in focus stays inside the format. */
  person_set(w, &person, KNOB_FORMAT, 0, "int4");
  setup_for(w, &scene_precision, &person, &set);
  assert_true(set.v[KNOB_BIT] == 4);
  double before = person.v[KNOB_BIT] = 4;
  assert_true(turn(KNOB_BIT, 1, false) && person.v[KNOB_BIT] == before);
  assert_false(turn(KNOB_BIT, -1, false));
  /* Words that mean nothing turn nothing. */
  strcpy(person.text[SLOT_FLIPS], "0,65,999999999999,,x");
  person.set[KNOB_FLIPS] = true;
  setup_for(w, &scene_precision, &person, &set);
  assert_true(precision_flips(&set, CODING_FP64) == 0);
}

static void the_fields_make_the_number(void **state) {
  (void)state;
  look("bits");
  for (int f = 0; f < CODING_INT8; f++)
    for (double v = -3e-7; fabs(v) < 400; v *= -7.3) {
      person_set(w, &person, KNOB_FORMAT, f, NULL);
      person_set(w, &person, KNOB_VALUE, v, NULL);
      if (strcmp(word("kind"), "zero") == 0 || *word("stored_value")) continue;
      double lead = strcmp(word("kind"), "normal") == 0 ? 1 : 0;
      double made =
          (lead + fact("mantissa_field") / exp2(fact("mantissa_bits"))) * exp2(fact("exponent")) * (fact("sign_bit") > 0 ? -1 : 1);
      assert_true(made == fact("stored_value"));
      assert_true(fabs(fact("value_error")) <= fact("spacing") / 2 || fabs(v) > fact("largest"));
    }
}

/* The predicted limit is where sums stop; the other remedies do better. */
static void sums_stop_at_the_limit(void **state) {
  (void)state;
  look("accumulate");
  for (int f = CODING_TF32; f < CODING_INT8; f++)
    for (double term = 0.0021; term < 30; term *= 3.1) {
      person_set(w, &person, KNOB_FORMAT, f, NULL);
      person_set(w, &person, KNOB_TERM, term, NULL);
      person_set(w, &person, KNOB_TERMS, 1e9, NULL);
      double limit = fact("stall_limit");
      if (isnan(limit) || !(fact("term_stored") > 0)) continue;
      NEAR(fact("sum"), limit, 0);
      assert_true(fact("stalled_after") <= 1e9 && fact("sum_fp32") >= fact("sum"));
    }
  person_set(w, &person, KNOB_FORMAT, 0, "fp16");
  person_set(w, &person, KNOB_TERM, 1, NULL);
  person_set(w, &person, KNOB_TERMS, 5000, NULL);
  assert_non_null(strstr(verdict(), "the sum is 2048, not 5000: from 2048 terms on"));
  assert_true(fabs(fact("sum_in_pieces") - 5000) < 100);
  person_set(w, &person, KNOB_ACCUMULATOR, 0, "fp32");
  NEAR(fact("sum"), 5000, 0);
  assert_non_null(strstr(verdict(), "no term was lost"));
}

static void gradients_and_their_scale(void **state) {
  (void)state;
  look("gradients");
  person_set(w, &person, KNOB_FORMAT, 0, "fp16");
  double lost = fact("lost_share");
  assert_true(lost > 0.5 && fact("lost_bf16") < 1e-9);
  person_set(w, &person, KNOB_LOSS_SCALE, fact("loss_scale_most"), NULL);
  assert_true(fact("lost_share") < 0.05 && fact("over_share") <= 1e-9);
  NEAR(fact("lost_unscaled"), lost, 0);
  person_set(w, &person, KNOB_LOSS_SCALE, 4294967296.0, NULL);
  assert_true(fact("over_share") > 1e-9);
  assert_non_null(strstr(verdict(), "too large"));
  person_set(w, &person, KNOB_FORMAT, 0, "bf16");
  assert_non_null(strstr(verdict(), "no loss scale is needed"));
}

static void scales_and_outliers(void **state) {
  (void)state;
  look("scale");
  assert_string_equal(choice_key(w, CHOICE_FORMAT, (int)set.v[KNOB_FORMAT]), "int8"); /* nothing else has a scale */
  assert_true(turn(KNOB_FORMAT, 1, false) && turn(KNOB_FORMAT, 1, false));
  assert_int_equal((int)person.v[KNOB_FORMAT], CODING_INT8);
  NEAR(fact("scale"), 0.1, 1e-12);
  double calm = fact("rms_error");
  person_set(w, &person, KNOB_OUTLIER, 127, NULL);
  NEAR(fact("scale"), 1, 1e-12);
  assert_true(fact("code") == 0 && fact("rms_error") > 5 * calm);
  assert_non_null(strstr(verdict(), "A scale a channel"));
  person_set(w, &person, KNOB_GRAIN, 0, "group");
  NEAR(fact("rms_error"), fact("rms_error_group"), 0);
  assert_true(fact("rms_error_group") < fact("rms_error_channel") && fact("rms_error_channel") < fact("rms_error_tensor"));
  NEAR(fact("bits_with_scales"), 9, 1e-12);
  double widest = fact("rms_error");
  person_set(w, &person, KNOB_FORMAT, 0, "int4");
  assert_true(fact("rms_error") > widest && fact("codes_used") <= 15);
}

/* Tables agree with the facts of the same choice, end, and every view has one. */
static void tables_agree_with_facts(void **state) {
  (void)state;
  static const struct {
    const char *view;
    int knob, rows;
    const char *fact[4];
  } table[] = {{"storage", KNOB_STORED, PACKING_N, {"storage_byte", "token_rate", "storing_error", "bits_per_weight"}},
               {"bits", KNOB_FORMAT, CODING_N, {"stored_value", "relative_error", "spacing", "largest"}},
               {"line", KNOB_FORMAT, CODING_N, {"least_normal", "decimal_digits", "spacing", "largest"}},
               {"accumulate", KNOB_FORMAT, CODING_N, {"sum", "sum_error", "stalled_after", "term_stored"}},
               {"gradients", KNOB_FORMAT, CODING_N, {"lost_share", "coarse_share", "kept_share", "loss_scale_most"}}};
  for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
    struct fact row[FACT_MAX];
    look(table[t].view);
    for (int i = 0; i < table[t].rows; i++) {
      person_set(w, &person, table[t].knob, i, NULL);
      look(table[t].view);
      int n = precision_rows(w, &set, i, row);
      assert_true(n > 0);
      for (int k = 0; k < 4; k++) {
        double a = fact_value(row, n, table[t].fact[k]), b = fact(table[t].fact[k]);
        if (a != b && !(isnan(a) && isnan(b))) fail_msg("%s, row %d: %s is %g, the fact %g", table[t].view, i, table[t].fact[k], a, b);
        assert_string_equal(fact_word(row, n, table[t].fact[k]), word(table[t].fact[k]));
      }
    }
    assert_int_equal(precision_rows(w, &set, table[t].rows, row), 0);
  }
  look("scale");
  struct fact row[FACT_MAX];
  double before = INFINITY;
  person_set(w, &person, KNOB_OUTLIER, 127, NULL);
  look("scale");
  for (int i = 0, n; (n = precision_rows(w, &set, i, row)) > 0; i++) {
    assert_true(fact_value(row, n, "rms_error") < before);
    before = fact_value(row, n, "rms_error");
  }
  /* The picture's errors are the table's. */
  double error[PACKING_N];
  precision_errors(&set, error);
  look("storage");
  for (int p = 0; p < PACKING_FREE; p++) {
    int n = precision_rows(w, &set, p, row);
    NEAR(fact_value(row, n, "storing_error"), error[p], 0);
  }
}

/* Every fact says what it is, has its own name, and stands in the panel of its views alone. */
static void facts_stand_where_they_belong(void **state) {
  (void)state;
  static const char *const view[] = {"storage", "bits", "line", "accumulate", "gradients", "scale"};
  int labels = 0;
  for (size_t v = 0; v < 6; v++) {
    struct fact f[FACT_MAX];
    int first = 0;
    look(view[v]);
    int n = precision_facts(w, &set, f);
    assert_int_equal(n, F_N);
    for (int i = 0; i < n; i++) {
      labels += f[i].label != NULL;
      first += f[i].label && f[i].detail == 1;
    }
    assert_true(first >= 5 && first <= 11);
    assert_string_equal(word("view"), view[v]);
  }
  assert_true(labels > 80);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, setup_world, drop_world)
  const struct CMUnitTest test[] = {T(storage_follows_bits),    T(what_does_not_fit_says_so),    T(measured_rates_are_scaled),
                                    T(arrows_walk_the_numbers), T(bits_are_turned_over),         T(the_fields_make_the_number),
                                    T(sums_stop_at_the_limit),  T(gradients_and_their_scale),    T(scales_and_outliers),
                                    T(tables_agree_with_facts), T(facts_stand_where_they_belong)};
  return cmocka_run_group_tests(test, NULL, NULL);
}
