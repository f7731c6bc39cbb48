/* Why a point stands where it does: each check on an invented machine where one thing is wrong, the split by closed forms, and laws: parts
 * and rest add up to the gap, nothing is negative, the order is fixed. Machine: 100 GFLOP/s and 20 GB/s on 2 threads, half that arithmetic
 * and 15 GB/s on one; L1 64 KiB 400 GB/s, L2 1 MiB 200 GB/s, L3 32 MiB 80 GB/s. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/ladder.h"
#include "model/roof.h"
#include "model/why.h"
#include "scenes/why_words.h"
#include "tests/support_world.h"

static struct world *world;
static struct run run;
static struct why list[WHY_MAX];
static int found;

/* A run of op with so many elements in fp32 that took `slower` times as long as its roof allows. */
static struct why_input point(enum op op, double n, double slower) {
  struct why_input in = {.device = &world->device[DEVICE_HERE],
                         .run = &run,
                         .op = op,
                         .dtype = DTYPE_FP32,
                         .math = DTYPE_FP32,
                         .peak = 100e9,
                         .reads_only = op == OP_WEIGHTS || op == OP_DOT,
                         .dispatch_s = NAN};
  struct request r = {.op = op, .dtype = DTYPE_FP32};
  in.shape = r.shape = work_complete(op, (struct shape){n, NAN, NAN, 1, 1, NAN, .stride = NAN});
  struct work w = work_of(op, r.shape, DTYPE_FP32);
  in.byte_per_s = ladder_rate(in.device, work_footprint(op, r.shape, DTYPE_FP32), in.reads_only, 0, &in.level);
  double s = slower * roof_time_lower(w.flop, w.byte, in.peak, in.byte_per_s);
  struct sample sample = {.time = s,
                          .flop = w.flop,
                          .byte = w.byte,
                          .byte_bus = w.byte_bus,
                          .cpu_time = 2 * s,
                          .residual = 0.5,
                          .seed = 7,
                          .isa = ISA_AVX2,
                          .threads = 2,
                          .warm = true};
  run_start(&run, &r, "invented");
  for (int i = 0; i < 9; i++) run_add(&run, &sample);
  in.flop = w.flop, in.byte = w.byte, in.byte_bus = w.byte_bus, in.s = s, in.spread = run.spread;
  return in;
}

static const struct why *look(const struct why_input *in, enum why_check c) {
  found = why_list(in, list);
  for (int i = 0; i < found; i++)
    if (list[i].check == c) return &list[i];
  fail_msg("%s was not checked", why_title(c));
  return NULL;
}

static enum why_verdict says(const struct why_input *in, enum why_check c) { return look(in, c)->verdict; }
static enum why_check mainly(const struct why_input *in) {
  found = why_list(in, list);
  const struct why *f = why_main(in, list, found);
  return f ? f->check : WHY_N;
}
static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b) + 1e-18; }

static void order_is_fixed(void **state) {
  (void)state;
  struct why_input in = point(OP_DOT, 1e8, 2);
  found = why_list(&in, list);
  assert_int_equal(found, WHY_N);
  for (int i = 0; i < found; i++) assert_int_equal(list[i].check, i);
  assert_true(WHY_LEVEL < WHY_PRECISION && WHY_PRECISION < WHY_CLOCK && WHY_CLOCK < WHY_COUNT && WHY_COUNT < WHY_DISTURBED);
  in = point(OP_DOT, 1e8, 1);
  assert_int_equal(why_list(&in, list), WHY_DISTURBED + 1); /* at the roof nothing is split */
  assert_int_equal(mainly(&in), WHY_N);
  in.peak = NAN;
  assert_int_equal(why_list(&in, list), 0);
  in = point(OP_DOT, 1e8, 1);
  in.s = NAN;
  assert_int_equal(why_list(&in, list), 0);
}

static void level_serves(void **state) {
  (void)state;
  /* In the L2, whose rate is known: its roof is on show, and nothing is to explain. */
  struct why_input in = point(OP_DOT, 65536, 1);
  assert_int_equal(in.level, 1);
  assert_string_equal(look(&in, WHY_LEVEL)->word, "L2");
  assert_int_equal(says(&in, WHY_LEVEL), WHY_FINE);
  /* Its rate unknown: the roof is the L3's, and the L2 lifts the point above it. */
  struct figure was = world->device[0].level[1].byte_per_s;
  world->device[0].level[1].byte_per_s.value = NAN;
  in = point(OP_DOT, 65536, 0.5);
  assert_int_equal(in.level, 2);
  assert_int_equal(says(&in, WHY_LEVEL), WHY_CAUSE);
  assert_string_equal(look(&in, WHY_LEVEL)->word, "L2");
  assert_int_equal(mainly(&in), WHY_LEVEL);
  world->device[0].level[1].byte_per_s = was;
  /* Twice what the L3 holds, above the DRAM roof: part of it stays. Far more: no cache explains it. */
  in = point(OP_DOT, 8388608, 0.8);
  assert_int_equal(in.level, 3);
  assert_int_equal(says(&in, WHY_LEVEL), WHY_MAYBE);
  assert_string_equal(look(&in, WHY_LEVEL)->word, "L3");
  in = point(OP_DOT, 1e9, 0.8);
  assert_int_equal(says(&in, WHY_LEVEL), WHY_FINE);
  /* Below its roof a cache explains nothing. */
  in = point(OP_DOT, 8388608, 2);
  assert_int_equal(says(&in, WHY_LEVEL), WHY_FINE);
}

static struct why_input foreign(double flop, double byte, double s) {
  struct why_input in = point(OP_DOT, 1e9, 1);
  in.run = NULL, in.op = OP_CUSTOM;
  in.flop = flop, in.byte = byte, in.s = s, in.spread = NAN, in.byte_bus = NAN;
  return in;
}

static void other_programs(void **state) {
  (void)state;
  /* 60 GB/s: the L3 could; 1 TB/s: nothing could; 10 GB/s: no need. */
  struct why_input in = foreign(1e9, 60e9, 1);
  assert_int_equal(says(&in, WHY_LEVEL), WHY_MAYBE);
  assert_string_equal(look(&in, WHY_LEVEL)->word, "L3");
  assert_int_equal(mainly(&in), WHY_LEVEL);
  in = foreign(1e9, 1e12, 1);
  assert_int_equal(says(&in, WHY_LEVEL), WHY_UNKNOWN);
  in = foreign(1e9, 10e9, 1);
  assert_int_equal(says(&in, WHY_LEVEL), WHY_FINE);
  assert_int_equal(says(&in, WHY_COUNT), WHY_UNKNOWN);
  in.estimate = true;
  assert_int_equal(says(&in, WHY_COUNT), WHY_MAYBE);
  /* Above the arithmetic on show: a type whose roof would hold it is named. */
  in = foreign(80e9, 1e9, 1);
  in.peak = 50e9, in.math = DTYPE_FP64;
  assert_int_equal(says(&in, WHY_PRECISION), WHY_MAYBE);
  assert_string_equal(look(&in, WHY_PRECISION)->word, "fp32");
  in = foreign(500e9, 1e9, 1);
  assert_int_equal(says(&in, WHY_PRECISION), WHY_UNKNOWN);
  /* Nothing of ours is split for it but what its own figures tell. */
  in = foreign(1e9, 10e9, 5);
  found = why_list(&in, list);
  assert_int_equal(list[found - 1].check, WHY_REST);
  assert_int_equal(list[found - 2].check, WHY_OVERLAP);
  assert_int_equal(found, WHY_DISTURBED + 3);
}

static void precision_and_clock(void **state) {
  (void)state;
  /* The roof of scalar code over code that ran wider. */
  struct why_input in = point(OP_MATMUL, 512, 0.2);
  in.isa = ISA_SCALAR, in.peak = 10e9;
  in.s = in.flop / 50e9;
  assert_int_equal(says(&in, WHY_PRECISION), WHY_CAUSE);
  assert_int_equal(mainly(&in), WHY_PRECISION);
  run.isa = ISA_SCALAR;
  assert_int_equal(says(&in, WHY_PRECISION), WHY_FINE);
  /* Somebody else's code may use what it likes. */
  strcpy(run.by, "OpenBLAS");
  assert_int_equal(says(&in, WHY_PRECISION), WHY_MAYBE);
  /* One core alone is 1.2 times half of two: that explains 10 % above, and a part of 50 %. */
  world->device[0].machine.isa_peak_one[ISA_AVX2][1] = 60e9;
  in = point(OP_MATMUL, 512, 1 / 1.1);
  run.threads = 1;
  assert_int_equal(says(&in, WHY_CLOCK), WHY_CAUSE);
  assert_int_equal(mainly(&in), WHY_CLOCK);
  in = point(OP_MATMUL, 512, 1 / 1.5);
  run.threads = 1;
  assert_int_equal(says(&in, WHY_CLOCK), WHY_MAYBE);
  /* No clock moves main memory. */
  in = point(OP_DOT, 1e9, 1 / 1.1);
  run.threads = 1;
  assert_int_equal(says(&in, WHY_CLOCK), WHY_FINE);
  world->device[0].machine.isa_peak_one[ISA_AVX2][1] = 50e9;
  in = point(OP_MATMUL, 512, 2);
  run.flags = FLAG_THROTTLED;
  assert_int_equal(says(&in, WHY_CLOCK), WHY_CAUSE);
}

static void count_is_checked(void **state) {
  (void)state;
  struct why_input in = point(OP_MATMUL, 512, 0.5);
  assert_int_equal(says(&in, WHY_COUNT), WHY_FINE);
  run.flop *= 2;
  assert_int_equal(says(&in, WHY_COUNT), WHY_CAUSE);
  assert_int_equal(mainly(&in), WHY_COUNT);
  in = point(OP_MATMUL, 512, 0.5);
  run.residual = 1.5; /* a wrong result proves no work */
  assert_int_equal(says(&in, WHY_COUNT), WHY_CAUSE);
  run.residual = NAN;
  assert_int_equal(says(&in, WHY_COUNT), WHY_UNKNOWN);
  in = point(OP_MATMUL, 512, 0.5);
  run.flags = FLAG_PARTIAL, run.flop /= 4; /* a slab is counted as the slab it is */
  assert_int_equal(says(&in, WHY_COUNT), WHY_FINE);
  run.flop *= 8;
  assert_int_equal(says(&in, WHY_COUNT), WHY_CAUSE);
  in = point(OP_MATMUL, 512, 0.5);
  run.flags = FLAG_SUSPECT;
  assert_int_equal(says(&in, WHY_COUNT), WHY_MAYBE);
}

static void disturbance(void **state) {
  (void)state;
  struct trust good = {.name = "read", .threads = 2, .samples = 9, .spread = 0.001, .seed = 1}, bad = good;
  bad.flags = FLAG_DISTURBED;
  struct why_input in = point(OP_DOT, 1e8, 2);
  in.rate_trust = &good;
  assert_int_equal(says(&in, WHY_DISTURBED), WHY_FINE);
  run.flags = FLAG_DISTURBED;
  assert_int_equal(says(&in, WHY_DISTURBED), WHY_CAUSE);
  assert_int_equal(mainly(&in), WHY_DISTURBED);
  /* A roof measured while disturbed is too low: above it that is the cause, below it only a doubt. */
  in = point(OP_DOT, 1e9, 0.8);
  in.rate_trust = &bad;
  assert_int_equal(says(&in, WHY_DISTURBED), WHY_CAUSE);
  in = point(OP_DOT, 1e9, 2);
  in.rate_trust = &bad;
  assert_int_equal(says(&in, WHY_DISTURBED), WHY_MAYBE);
  /* The other roof's trouble is none of ours. */
  in.rate_trust = &good, in.peak_trust = &bad;
  assert_int_equal(says(&in, WHY_DISTURBED), WHY_FINE);
  in.spread = 0.2;
  assert_int_equal(says(&in, WHY_DISTURBED), WHY_MAYBE);
}

/* Each part alone, in closed form. */
static void parts(void **state) {
  (void)state;
  struct why_input in = point(OP_MATMUL, 512, 4);
  double roof = roof_time_lower(in.flop, in.byte, in.peak, in.byte_per_s);
  run.threads = 1, run.cpu_time = in.s;
  assert_true(near(look(&in, WHY_THREADS)->s, roof)); /* one of two: its roof's time is twice */
  assert_true(near(look(&in, WHY_DISPATCH)->s, 0));
  in = point(OP_MATMUL, 512, 30);
  run.isa = ISA_SCALAR; /* a tenth of the arithmetic */
  assert_true(near(look(&in, WHY_ISA)->s, 9 * roof));
  assert_true(near(look(&in, WHY_THREADS)->s, 0));
  in = point(OP_ADD, 1e8, 3); /* two read, one written and fetched first: 16 bytes for 12 */
  assert_true(near(look(&in, WHY_STORES)->s, (in.byte_bus - in.byte) / 20e9));
  assert_true(near(look(&in, WHY_STORES)->s * 3, in.byte / 20e9));
  in = point(OP_DOT, 1e8, 2);
  run.cpu_time = run.cpu_time / 4; /* a quarter busy: three quarters of the time, but no more than the gap */
  assert_true(look(&in, WHY_IDLE)->s <= in.s / 2 && look(&in, WHY_IDLE)->s > in.s * 0.4999);
  in = point(OP_DOT, 1e8, 2);
  in.dispatch_s = 1e-6;
  assert_true(near(look(&in, WHY_DISPATCH)->s, 1e-6));
  run.best = in.s * 0.9;
  assert_true(near(look(&in, WHY_SPREAD)->s, in.s * 0.1));
  /* What was never measured takes nothing away. */
  in = point(OP_MATMUL, 64, 2);
  assert_int_equal(says(&in, WHY_OVERLAP), WHY_MAYBE);
  double rest = look(&in, WHY_REST)->s;
  assert_true(near(rest, in.s * (1 - why_ratio(&in))));
}

static uint32_t seed = 99;
static double roll(void) { return (seed = seed * 1664525u + 1013904223u) / 4294967296.0; }

static void parts_add_up(void **state) {
  (void)state;
  static const enum op op[] = {OP_WEIGHTS, OP_MATMUL, OP_DOT, OP_ADD, OP_SAXPY, OP_RELU, OP_DIAL};
  for (int round = 0; round < 3000; round++) {
    struct why_input in = point(op[round % 7], floor(exp2(4 + 8 * roll())), 0.3 * exp2(8 * roll()));
    run.threads = 1 + (int)(2 * roll());
    run.isa = roll() < 0.5 ? ISA_SCALAR : ISA_AVX2;
    run.cpu_time = roll() < 0.2 ? NAN : in.s * run.threads * roll();
    run.best = in.s * roll();
    in.dispatch_s = roll() < 0.3 ? NAN : in.s * roll();
    run.flags = (unsigned)(roll() * 512);
    found = why_list(&in, list);
    double sum = 0, gap = in.s * (1 - why_ratio(&in));
    for (int i = 0; i < found; i++) {
      struct text t;
      text_clear(&t);
      why_say(&in, &list[i], &t);
      assert_true(t.n > 5 && t.s[t.n - 1] == '.');
      if (list[i].check <= WHY_DISTURBED) continue;
      assert_true(isnan(list[i].s) || (list[i].s >= 0 && list[i].s <= gap * (1 + 1e-12)));
      if (list[i].verdict == WHY_CAUSE || list[i].check == WHY_REST) sum += list[i].s;
    }
    if (why_ratio(&in) < 0.98)
      assert_true(fabs(sum - gap) <= 1e-9 * gap);
    else
      assert_int_equal(found, WHY_DISTURBED + 1);
    const struct why *most = why_main(&in, list, found);
    assert_true(!most || (most >= list && most < list + found));
    assert_true(strlen(why_brief(most)) <= 40);
  }
}

/* Every doubt is named in the run, and the names fit however many there are. */
static void flags_are_named(void **state) {
  (void)state;
  struct request r = {.op = OP_DOT, .dtype = DTYPE_FP32};
  run_start(&run, &r, "invented");
  assert_string_equal(run.flag_words, "");
  assert_true(isnan(run.seed));
  struct sample s = {.time = 1, .flop = 1, .byte = 1, .seed = 42, .warm = true, .flags = FLAG_DISTURBED | FLAG_PARTIAL};
  run_add(&run, &s);
  assert_string_equal(run.flag_words, "disturbed, partial");
  assert_true(run.seed == 42);
  s.flags = (1u << FLAG_COUNT) - 1;
  run_add(&run, &s);
  assert_true(strlen(run.flag_words) + 1 < sizeof run.flag_words);
  for (int i = 0; i < FLAG_COUNT; i++) assert_non_null(strstr(run.flag_words, flag_name(1u << i)));
}

/* A run of any scene, against this machine: the same ratio as by hand; without a run, nothing. */
static void any_run(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct request r = {.op = OP_SAXPY, .dtype = DTYPE_FP32};
  r.shape = work_complete(OP_SAXPY, (struct shape){1e9, NAN, NAN, 1, 1, NAN, .stride = NAN});
  struct why_input in;
  assert_false(why_of(w, &r, &in));
  assert_int_equal(why_list(&in, list), 0);
  world_measured(w, &r, 1.2, 9); /* 12e9 bytes at 20 GB/s take 0.6 s */
  assert_true(why_of(w, &r, &in));
  assert_true(near(why_ratio(&in), 0.5));
  assert_true(in.run->request.op == OP_SAXPY && !in.reads_only && isnan(in.dispatch_s));
  struct request d = {.op = OP_DISPATCH, .dtype = DTYPE_FP32};
  world_measured(w, &d, 3e-6, 3);
  assert_true(why_of(w, &r, &in));
  assert_true(near(in.dispatch_s, 3e-6));
  assert_true(isnan(why_dispatch(w, 1)));
  strcpy(w->machine, "another"); /* its runs are not ours */
  assert_false(why_of(w, &r, &in));
  free(w);
}

/* What stands behind the two roofs on show are facts: of the level that serves, and none where the roof was set by hand. */
static void roofs_tell(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct machine *m = &w->device[DEVICE_HERE].machine;
  struct trust peak = {.name = "peak",
                       .dtype = DTYPE_FP32,
                       .isa = ISA_AVX2,
                       .level = -1,
                       .threads = 2,
                       .samples = 9,
                       .spread = 0.004,
                       .seed = 11,
                       .flags = FLAG_DISTURBED};
  struct trust read = {.name = "read", .level = -1, .threads = 2, .samples = 5, .spread = 0.01, .seed = 12};
  struct trust level = {.name = "level_rate", .level = 1, .threads = 2, .samples = 7, .spread = 0.02, .seed = 13};
  assert_true(trust_put(m, &peak) && trust_put(m, &read) && trust_put(m, &level));
  struct setup person;
  setup_clear(&person);
  person_set(w, &person, KNOB_OP, 0, "dot");
  person_set(w, &person, KNOB_N_SIZE, 1e9, NULL);
  assert_true(scene_value(w, &scene_roofline, &person, "peak_samples") == 9);
  assert_true(scene_value(w, &scene_roofline, &person, "peak_threads") == 2);
  assert_true(scene_value(w, &scene_roofline, &person, "peak_spread") == 0.004);
  assert_true(scene_value(w, &scene_roofline, &person, "peak_seed") == 11);
  assert_true(scene_value(w, &scene_roofline, &person, "byte_per_s_samples") == 5);
  assert_true(scene_value(w, &scene_roofline, &person, "byte_per_s_seed") == 12);
  person_set(w, &person, KNOB_N_SIZE, 65536, NULL); /* in the L2 */
  assert_true(scene_value(w, &scene_roofline, &person, "byte_per_s_samples") == 7);
  assert_true(scene_value(w, &scene_roofline, &person, "byte_per_s_spread") == 0.02);
  static struct setup resolved;
  struct fact fact[FACT_MAX];
  setup_for(w, &scene_roofline, &person, &resolved);
  int n = scene_roofline.facts(w, &resolved, fact);
  assert_string_equal(fact_word(fact, n, "peak_flags"), "disturbed");
  assert_string_equal(fact_word(fact, n, "byte_per_s_flags"), "none");
  assert_string_equal(fact_word(fact, n, "roof_statistic"), "best");
  person_set(w, &person, KNOB_BANDWIDTH, 40e9, NULL);
  assert_true(isnan(scene_value(w, &scene_roofline, &person, "byte_per_s_samples")));
  person_set(w, &person, KNOB_DEVICE, 0, "illustrative");
  assert_true(isnan(scene_value(w, &scene_roofline, &person, "peak_samples")));
  free(w);
}

int main(void) {
  world = world_invented();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_is_fixed),
      cmocka_unit_test(level_serves),
      cmocka_unit_test(other_programs),
      cmocka_unit_test(precision_and_clock),
      cmocka_unit_test(count_is_checked),
      cmocka_unit_test(disturbance),
      cmocka_unit_test(parts),
      cmocka_unit_test(parts_add_up),
      cmocka_unit_test(flags_are_named),
      cmocka_unit_test(roofs_tell),
      cmocka_unit_test(any_run),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(world);
  return failed;
}
