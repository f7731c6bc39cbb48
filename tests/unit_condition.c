/* The roofline under other conditions, on an invented machine (100 GFLOP/s, 20 GB/s) with runs made up for it: fewer bits against fp32, and
 * the machine made worse on purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/work.h"
#include "scenes/roofline.h"
#include "scenes/roofline_condition.h"
#include "tests/support_world.h"

struct ask {
  struct world *w;
  struct setup person, setup;
  struct fact fact[FACT_MAX];
  int n;
};

static void look(struct ask *a) {
  setup_for(a->w, &scene_roofline, &a->person, &a->setup);
  a->n = scene_roofline.facts(a->w, &a->setup, a->fact);
}
static double value(struct ask *a, const char *name) {
  assert_non_null(fact_find(a->fact, a->n, name));
  return fact_value(a->fact, a->n, name);
}
static const char *word(struct ask *a, const char *name) { return fact_word(a->fact, a->n, name); }
static bool shown(struct ask *a, const char *name) { return fact_find(a->fact, a->n, name)->label != NULL; }
static bool says(struct ask *a, const char *words) {
  struct text t;
  text_clear(&t);
  scene_roofline.verdict(a->fact, a->n, &t);
  return strstr(t.s, words) != NULL;
}
static void ask_start(struct ask *a) {
  *a = (struct ask){.w = world_invented()};
  setup_clear(&a->person);
  person_set(a->w, &a->person, KNOB_OP, 0, "weights");
  look(a);
}
/* The operation as it stands takes so long; the request is a copy, so that more can be asked of it. */
static struct request measured(struct ask *a, double time) {
  look(a);
  struct request r = roofline_request(&a->setup);
  world_measured(a->w, &r, time, 9);
  look(a);
  return r;
}

#define NEAR(got, want) assert_true(fabs((got) - (want)) <= 1e-9 * fabs((double)(want)))

/* int8 at the size int8 starts from, against fp32 at its own: per weight, so that the sizes do not matter. */
static void test_narrow(void **state) {
  (void)state;
  struct ask a;
  ask_start(&a);
  assert_true(!shown(&a, "narrow_speed_up") && isnan(value(&a, "narrow_speed_up")));
  measured(&a, 10e-3);
  double n32 = a.setup.v[KNOB_N_SIZE];
  person_set(a.w, &a.person, KNOB_DTYPE, 0, "int8");
  look(&a);
  double n8 = a.setup.v[KNOB_N_SIZE];
  assert_true(n8 > n32 && shown(&a, "narrow_speed_up"));
  assert_string_equal(word(&a, "narrow_limit"), "not measured");
  assert_string_equal(word(&a, "math"), "fp32");
  struct work w = work_of_kernel(OP_WEIGHTS, (struct shape){n8, n8, n8, 1, 1, NAN, .stride = NAN}, DTYPE_INT8);
  NEAR(value(&a, "byte"), w.byte);
  double want = (4 * n32 * n32 + 8 * n32) / (n32 * n32) / ((n8 * n8 + 4 * n8 + 8 * n8) / (n8 * n8));
  NEAR(value(&a, "narrow_byte_ratio"), want);
  double time = 10e-3 * n8 * n8 / (n32 * n32) / 3.5;
  struct request r = measured(&a, time);
  NEAR(value(&a, "narrow_speed_up"), 3.5);
  NEAR(value(&a, "narrow_share"), 3.5 / want);
  NEAR(value(&a, "weight_rate"), n8 * n8 / time);
  NEAR(value(&a, "layer_token_rate"), 1 / time);
  assert_true(says(&a, "Against fp32: 3.50"));
  assert_string_equal(word(&a, "narrow_limit"), want < 3.5 / 0.9 ? "nothing" : "widening");
  /* Nothing to compare with: the batch is another. */
  person_set(a.w, &a.person, KNOB_BATCH, 2, NULL);
  measured(&a, time);
  assert_true(isnan(value(&a, "narrow_speed_up")));
  assert_string_equal(word(&a, "narrow_limit"), "no fp32 point");
  (void)r;
  /* A catalogue device has no kernel, and counts every operand in its type. */
  person_set(a.w, &a.person, KNOB_DEVICE, 0, "illustrative");
  look(&a);
  assert_true(!shown(&a, "narrow_speed_up"));
  NEAR(value(&a, "byte"), work_of(OP_WEIGHTS, (struct shape){a.setup.v[KNOB_N_SIZE], NAN, NAN, 2, NAN, NAN, .stride = NAN}, DTYPE_INT8).byte);
  free(a.w);
}

static struct request roof_asked(struct ask *a, enum op op, enum isa isa) {
  struct request out[REQUEST_MAX];
  int n = scene_roofline.measures(a->w, &a->setup, out);
  for (int i = 1; i < n; i++)
    if (out[i].op == op && out[i].isa == isa) return out[i];
  fail_msg("no request for %s", op_name(op));
  return out[0];
}

/* A hog: both roofs are measured beside it, and the slope falls to what was read. */
static void test_hog_roofs(void **state) {
  (void)state;
  struct ask a;
  struct request out[REQUEST_MAX];
  ask_start(&a);
  assert_int_equal(scene_roofline.measures(a.w, &a.setup, out), 1);
  double rate = a.setup.v[KNOB_BANDWIDTH], peak = a.setup.v[KNOB_PEAK];
  person_set(a.w, &a.person, KNOB_THREADS, 1, NULL);
  person_set(a.w, &a.person, KNOB_HOG, 1, NULL);
  look(&a);
  assert_int_equal(scene_roofline.measures(a.w, &a.setup, out), 3);
  assert_true(out[0].op == OP_WEIGHTS && out[0].hog && out[0].threads == 1);
  struct request read = roof_asked(&a, OP_READ, ISA_AUTO), arithmetic = roof_asked(&a, OP_PEAK, ISA_AUTO);
  assert_true(read.hog && read.threads == 1 && arithmetic.hog && arithmetic.dtype == DTYPE_FP32);
  world_measured(a.w, &read, 4 * read.shape.n / 5e9, 9);
  look(&a);
  NEAR(a.setup.v[KNOB_BANDWIDTH], 5e9 / 0.99); /* the best of its repetitions */
  NEAR(value(&a, "isa_byte_per_s"), 5e9 / 0.99);
  assert_string_equal(word(&a, "isa_fills_bus"), "yes");
  assert_true(value(&a, "normal_byte_per_s") > a.setup.v[KNOB_BANDWIDTH] && value(&a, "normal_byte_per_s") <= rate);
  assert_true(a.setup.v[KNOB_PEAK] <= peak);
  world_measured(a.w, &arithmetic, 1e-12, 9); /* FLOP are nominal for a run made up so */
  look(&a);
  NEAR(a.setup.v[KNOB_PEAK], 1e12 / 0.99);
  /* Without it the machine is as it was. */
  person_set(a.w, &a.person, KNOB_HOG, 0, NULL);
  a.person.set[KNOB_THREADS] = false;
  look(&a);
  assert_true(a.setup.v[KNOB_BANDWIDTH] == rate && a.setup.v[KNOB_PEAK] == peak);
  assert_true(isnan(value(&a, "isa_byte_per_s")) && !shown(&a, "isa_byte_per_s"));
  free(a.w);
}

/* Scalar code leaves the memory roof where it is, and says when it cannot ask for bytes as fast as they could come. */
static void test_scalar_roofs(void **state) {
  (void)state;
  struct ask a;
  ask_start(&a);
  double rate = a.setup.v[KNOB_BANDWIDTH];
  person_set(a.w, &a.person, KNOB_ISA, 0, "scalar");
  look(&a);
  struct request read = roof_asked(&a, OP_READ, ISA_SCALAR);
  assert_true(read.isa == ISA_SCALAR && !read.hog);
  world_measured(a.w, &read, 4 * read.shape.n / (0.5 * rate), 9);
  look(&a);
  assert_true(a.setup.v[KNOB_BANDWIDTH] == rate);
  assert_string_equal(word(&a, "isa_fills_bus"), "no");
  struct request peak = roof_asked(&a, OP_PEAK, ISA_SCALAR);
  world_measured(a.w, &peak, 1 / 4e9, 9);
  look(&a);
  NEAR(a.setup.v[KNOB_PEAK], 4e9 / 0.99);
  assert_true(says(&a, "Scalar code cannot fill this bus"));
  free(a.w);
}

/* The whole row of the dial is wanted, each point once. */
static void test_dial(void **state) {
  (void)state;
  struct ask a;
  struct request out[REQUEST_MAX];
  ask_start(&a);
  person_set(a.w, &a.person, KNOB_OP, 0, "dial");
  for (double fma = 1; fma <= 256; fma *= 2) {
    person_set(a.w, &a.person, KNOB_FMA, fma, NULL);
    look(&a);
    int n = scene_roofline.measures(a.w, &a.setup, out);
    assert_true(n == 5 || n == 6);
    assert_true(out[0].op == OP_DIAL && out[0].shape.fma == fma);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) assert_false(request_equal(&out[i], &out[j]));
  }
  free(a.w);
}

static const char *experiment(double scalar, double hog, double *slower, double *hogged) {
  struct ask a;
  ask_start(&a);
  person_set(a.w, &a.person, KNOB_THREADS, 1, NULL);
  measured(&a, 1e-2);
  assert_true(isnan(value(&a, "scalar_slowdown")) && word(&a, "experiment")[0] == 0);
  person_set(a.w, &a.person, KNOB_ISA, 0, "scalar");
  measured(&a, 1e-2 * scalar);
  person_set(a.w, &a.person, KNOB_ISA, 0, "auto");
  person_set(a.w, &a.person, KNOB_HOG, 1, NULL);
  measured(&a, 1e-2 * hog);
  *slower = value(&a, "scalar_slowdown");
  *hogged = value(&a, "hog_slowdown");
  const char *result = word(&a, "experiment");
  free(a.w);
  return result; /* a word of a table */
}

static void test_experiment(void **state) {
  (void)state;
  static const struct {
    double scalar, hog;
    const char *follows;
  } rows[] = {{1.02, 1.8, "memory"}, {6, 1.03, "arithmetic"}, {3, 2.5, "both"},
              {1, 1.1, "neither"},   {1.2, 3, "memory"},      {5, 1.3, "arithmetic"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double scalar, hog;
    const char *follows = experiment(rows[i].scalar, rows[i].hog, &scalar, &hog);
    NEAR(scalar, rows[i].scalar);
    NEAR(hog, rows[i].hog);
    if (strcmp(follows, rows[i].follows) != 0) fail_msg("%g and %g: %s, not %s", scalar, hog, follows, rows[i].follows);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_narrow), cmocka_unit_test(test_hog_roofs), cmocka_unit_test(test_scalar_roofs),
                                     cmocka_unit_test(test_dial), cmocka_unit_test(test_experiment)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
