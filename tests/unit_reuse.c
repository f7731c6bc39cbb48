/* The reuse scene: the chapter's numbers out of its facts, the laws of its traffic, what it asks to be measured and what it makes of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "model/traffic.h"
#include "scenes/reuse.h"
#include "tests/support_near.h"
#include "tests/support_scene.h"
#include "tests/support_world.h"

static double fact(const struct world *w, const struct setup *p, const char *name) { return scene_value(w, &scene_reuse, p, name); }
static const char *word(const struct world *w, const struct setup *p, const char *name) {
  return shown_word(scene_show(w, &scene_reuse, p), name);
}
static struct setup person_of(struct world *w, const char *words) { return scene_person(w, words); }
static void says(const struct world *w, const struct setup *p, const char *words) { shown_says(scene_show(w, &scene_reuse, p), words); }

/* ---- the chapter ---- */

static void the_chapters_numbers(void **state) {
  (void)state;
  struct world *w = world_invented();
  assert_true(scene_numbers(w, &scene_reuse, "tests/chapter_reuse.json") >= 35);
  struct setup p = person_of(w, "view=attention dtype=bf16 device=illustrative");
  assert_string_equal(word(w, &p, "before_bound"), "memory");
  assert_string_equal(word(w, &p, "bound"), "compute");
  NEAR(fact(w, &p, "attention_limit"), 64, 0);
  assert_true(isnan(fact(w, &p, "attention_ridge"))); /* 64 < 100: with the scores travelling no sequence reaches the ridge */
  free(w);
}

/* ---- laws ---- */

/* A product in tiles, counted element by element: a tile of C stays, tiles of A and B are fetched for each step along k. */
static double tiles_counted(int n, int tile) {
  double element = 0;
  for (int i = 0; i < n; i += tile)
    for (int jj = 0; jj < n; jj += tile) {
      for (int k = 0; k < n; k += tile)
        for (int a = 0; a < tile; a++)
          for (int b = 0; b < tile; b++) element += 2; /* one of A, one of B */
      element += tile * tile;                          /* C written */
    }
  return element;
}

static void tiles_move_what_their_loops_move(void **state) {
  (void)state;
  for (int n = 1; n <= 48; n++)
    for (int tile = 1; tile <= n; tile++)
      if (n % tile == 0) NEAR(traffic_tile_byte(n, tile, 4), 4 * tiles_counted(n, tile), 1e-12);
  for (double n = 1; n < 1e6; n *= 3)
    for (double tile = 1; tile < 4 * n; tile *= 1.7) {
      double now = traffic_tile_byte(n, tile, 2), larger = traffic_tile_byte(n, tile * 1.7, 2);
      assert_true(now >= 3 * n * n * 2 * (1 - 1e-12)); /* never under the compulsory traffic */
      assert_true(larger <= now);
      if (tile >= n) NEAR(now, 3 * n * n * 2, 1e-12);
      /* the rule of thumb leaves out C, so it promises a little more */
      if (tile <= n) assert_true(traffic_tile_intensity(n, tile, 2) < traffic_tile_rule(tile, 2));
    }
}

static void what_reaches_the_ridge_just_reaches_it(void **state) {
  (void)state;
  static const double byte[] = {8, 4, 2, 1, 0.5};
  for (int b = 0; b < 5; b++)
    for (double ridge = 0.3; ridge < 2000; ridge *= 1.9) {
      double tile = traffic_tile_ridge(ridge, byte[b]), chain = traffic_chain_ridge(ridge, byte[b]);
      assert_true(traffic_tile_rule(tile, byte[b]) >= ridge && (tile == 1 || traffic_tile_rule(tile / 2, byte[b]) < ridge));
      assert_true(chain / (2 * byte[b]) >= ridge * (1 - 1e-12) && (chain == 1 || (chain - 1) / (2 * byte[b]) < ridge));
      double n = traffic_attention_ridge(ridge, 128, byte[b]), fused = traffic_attention_fused_ridge(ridge, byte[b]);
      assert_true(fused / byte[b] >= ridge * (1 - 1e-12) && (fused - 1) / byte[b] < ridge);
      if (traffic_attention_limit(128, byte[b]) <= ridge) {
        assert_true(isnan(n));
        continue;
      }
      struct shape s = {.n = n, .m = NAN, .k = 128, .batch = 1, .fma = 1, .chain = 1, .stride = NAN};
      double intensity = 4 * n * n * 128 / (byte[b] * (4 * n * 128 + 4 * n * n));
      assert_true(intensity >= ridge * (1 - 1e-9) && fused <= n);
      if (byte[b] == 4) NEAR(work_of(OP_ATTENTION, s, DTYPE_FP32).flop / work_of(OP_ATTENTION, s, DTYPE_FP32).byte, intensity, 1e-12);
    }
  assert_true(isnan(traffic_tile_ridge(NAN, 4)) && isnan(traffic_chain_ridge(INFINITY, 4)) && isnan(traffic_attention_ridge(NAN, 128, 2)));
}

static void no_rung_reuses_more_than_everything(void **state) {
  (void)state;
  for (double n = 1; n <= 65536; n *= 2)
    for (int r = RUNG_PLAIN; r < RUNG_N; r++) {
      double most = traffic_rung_intensity((enum rung)r, n, 4);
      assert_true(most > 0 && most <= n / 6 * (1 + 1e-12));
      if (r > RUNG_PLAIN && n >= 64) assert_true(most >= traffic_rung_intensity((enum rung)(r - 1), n, 4) * (1 - 1e-12));
    }
  NEAR(traffic_rung_intensity(RUNG_PLAIN, 4096, 4), 0.25, 1e-3);
  NEAR(traffic_rung_intensity(RUNG_REORDERED, 4096, 4), 0.5, 1e-3);
}

/* ---- the scene ---- */

static void each_view_shows_its_own(void **state) {
  (void)state;
  struct world *w = world_invented();
  static const char *const view[] = {"view=tile", "view=fusion", "view=attention"};
  static const int slider[] = {KNOB_TILE, KNOB_CHAIN, KNOB_SEQUENCE};
  struct fact first[FACT_MAX], f[FACT_MAX];
  int n0 = 0;
  for (int i = 0; i < 3; i++) {
    struct setup p = person_of(w, view[i]), s;
    setup_for(w, &scene_reuse, &p, &s);
    for (int k = 0; k < 3; k++) assert_int_equal(scene_reuse.applies(&s, slider[k]), i == k);
    int n = scene_reuse.facts(w, &s, f);
    if (i == 0) memcpy(first, f, sizeof f), n0 = n;
    assert_int_equal(n, n0); /* every view gives the same facts by name: each can be printed and swept */
    for (int k = 0; k < n; k++) assert_string_equal(f[k].name, first[k].name);
    int labelled = 0;
    for (int k = 0; k < n; k++) labelled += f[k].label && f[k].detail == 1;
    assert_in_range(labelled, 5, 8); /* the first screen: no more than an 80×24 panel holds */
  }
  free(w);
}

static void what_it_asks_can_be_run(void **state) {
  (void)state;
  struct world *w = world_invented();
  static const char *const view[] = {"view=tile rung=vectorised against=reordered", "view=fusion chain=5", "view=attention sequence=333"};
  for (int i = 0; i < 3; i++) {
    struct setup p = person_of(w, view[i]), s;
    struct request r[REQUEST_MAX], pair[2];
    setup_for(w, &scene_reuse, &p, &s);
    int n = scene_reuse.measures(w, &s, r);
    assert_in_range(n, 8, REQUEST_MAX);
    reuse_requests(&s, (enum view_id)(int)s.v[KNOB_VIEW], pair);
    assert_true(request_equal(&r[0], &pair[0]) && request_equal(&r[1], &pair[1])); /* what is on show comes first */
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < a; b++) assert_false(request_equal(&r[a], &r[b]));
      for (int k = 0; k < SHAPE_N; k++)
        if (work_uses(r[a].op, shape_name(k))) assert_true(shape_get(&r[a].shape, k) >= 1);
    }
  }
  /* Every rung is asked for, and the two chosen ones over the size. */
  struct setup p = person_of(w, view[0]), s;
  struct request r[REQUEST_MAX];
  setup_for(w, &scene_reuse, &p, &s);
  int n = scene_reuse.measures(w, &s, r), rungs[RUNG_N] = {0};
  for (int i = 0; i < n; i++) rungs[r[i].rung]++;
  for (int k = RUNG_PLAIN; k < RUNG_N; k++) assert_true(rungs[k] >= 1);
  assert_true(rungs[RUNG_VECTORISED] >= 4 && rungs[RUNG_REORDERED] >= 4);
  /* Elsewhere, and in types that no kernel computes in, there is nothing to run, and that is said. */
  p = person_of(w, "device=illustrative");
  setup_for(w, &scene_reuse, &p, &s);
  assert_int_equal(scene_reuse.measures(w, &s, r), 0);
  assert_non_null(strstr(word(w, &p, "state"), "device=here"));
  p = person_of(w, "dtype=bf16");
  setup_for(w, &scene_reuse, &p, &s);
  assert_int_equal(scene_reuse.measures(w, &s, r), 0);
  assert_non_null(strstr(word(w, &p, "state"), "fp32"));
  free(w);
}

static void rungs_stand_beside_each_other(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person_of(w, "rung=vectorised against=reordered"), s;
  setup_for(w, &scene_reuse, &p, &s);
  double flop = 2 * pow(1024, 3);
  struct request plain = reuse_request_rung(&s, RUNG_PLAIN, 1024), other = reuse_request_rung(&s, RUNG_REORDERED, 1024),
                 now = reuse_request_rung(&s, RUNG_VECTORISED, 1024), small = reuse_request_rung(&s, RUNG_VECTORISED, 64);
  assert_true(isnan(fact(w, &p, "measured_flop_per_s")));
  world_measured(w, &now, flop / 40e9, 5);
  assert_true(isnan(fact(w, &p, "measured_speedup")) && isnan(fact(w, &p, "against_ratio")));
  NEAR(fact(w, &p, "measured_flop_per_s"), 40e9, 1e-9);
  world_measured(w, &plain, flop / 0.5e9, 5);
  world_measured(w, &other, flop / 8e9, 5);
  world_measured(w, &small, 2 * pow(64, 3) / 20e9, 5);
  NEAR(fact(w, &p, "measured_speedup"), 80, 1e-9);
  NEAR(fact(w, &p, "against_ratio"), 5, 1e-9);
  says(w, &p, "vectorised is 80.0× as fast as plain loops");
  struct fact row[FACT_MAX];
  int n = reuse_rows(w, &s, RUNG_VECTORISED - RUNG_PLAIN, row);
  NEAR(fact_value(row, n, "over_plain"), 80, 1e-9);
  NEAR(fact_value(row, n, "of_peak"), 0.8, 1e-9); /* of one core's 50 GFLOP/s: it runs on one */
  assert_int_equal(reuse_rows(w, &s, RUNG_N - RUNG_PLAIN, row), 0);
  struct reuse_point point[REUSE_POINT_MAX];
  assert_int_equal(reuse_points_rung(w, &s, RUNG_VECTORISED, point), 2);
  assert_true(point[0].x == 64 && point[1].x == 1024); /* in order, whenever they were measured */
  NEAR(point[1].y, 40e9, 1e-9);
  /* A slab counts for what it did. */
  struct run *run = run_open(w, &plain, w->machine);
  run_start(run, &plain, w->machine);
  struct sample slab = {.time = 0.1,
                        .flop = 5e6,
                        .byte = 1,
                        .byte_bus = 1,
                        .cpu_time = 0.1,
                        .residual = 0,
                        .isa = ISA_AVX2,
                        .threads = 1,
                        .warm = true,
                        .flags = FLAG_PARTIAL};
  run_add(run, &slab);
  NEAR(fact(w, &p, "before_measured_flop_per_s"), 5e7, 1e-9);
  NEAR(fact(w, &p, "measured_speedup"), 800, 1e-9);
  n = reuse_rows(w, &s, 0, row);
  assert_string_equal(fact_word(row, n, "state"), "partial");
  p = person_of(w, "rung=plain");
  assert_string_equal(word(w, &p, "flags"), "partial");
  free(w);
}

static void pairs_are_compared(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person_of(w, "view=fusion chain=8"), s;
  setup_for(w, &scene_reuse, &p, &s);
  struct request pair[2];
  reuse_requests(&s, VIEW_FUSION, pair);
  assert_true(pair[0].op == OP_CHAIN_FUSED && pair[1].op == OP_CHAIN);
  assert_string_equal(word(w, &p, "level"), "DRAM"); /* until set, longer than the caches */
  world_measured(w, &pair[0], 0.010, 5);
  world_measured(w, &pair[1], 0.070, 5);
  NEAR(fact(w, &p, "measured_speedup"), 7, 1e-9);
  NEAR(fact(w, &p, "of_memory"), fact(w, &p, "byte") / 0.010 / fact(w, &p, "byte_per_s"), 1e-9);
  says(w, &p, "8 operations share one trip");
  says(w, &p, "Measured: 7.00×");
  struct reuse_point point[REUSE_POINT_MAX];
  assert_int_equal(reuse_points_chain(w, &s, point), 1);
  NEAR(point[0].y, 7, 1e-9);
  struct fact row[FACT_MAX];
  int n = reuse_rows(w, &s, 3, row);
  NEAR(fact_value(row, n, "size"), 8, 0);
  NEAR(fact_value(row, n, "measured_speedup"), 7, 1e-9);
  for (int k = 0; (n = reuse_rows(w, &s, k, row)) > 0; k++) /* at most the ratio of the bytes, and never a loss */
    assert_true(fact_value(row, n, "speedup_by_roofs") >= 1 &&
                fact_value(row, n, "speedup_by_roofs") <= fact_value(row, n, "size") * (1 + 1e-12));

  p = person_of(w, "view=attention sequence=512");
  setup_for(w, &scene_reuse, &p, &s);
  reuse_requests(&s, VIEW_ATTENTION, pair);
  world_measured(w, &pair[0], 0.002, 5);
  world_measured(w, &pair[1], 0.003, 5);
  NEAR(fact(w, &p, "measured_speedup"), 1.5, 1e-9);
  NEAR(fact(w, &p, "measured_flop_per_s"), 4.0 * 512 * 512 * 128 / 0.002, 1e-9);
  assert_int_equal(reuse_points_attention(w, &s, true, point), 1);
  assert_int_equal(reuse_points_attention(w, &s, false, point), 1);
  free(w);
}

static void tiles_fit_in_one_instance(void **state) {
  (void)state;
  struct world *w = world_invented();
  static const struct {
    const char *words, *level;
  } row[] = {{"tile=32", "L1"}, {"tile=73", "L1"}, {"tile=74", "L2"}, {"tile=295", "L2"}, {"tile=296", "L3"}, {"n=8192 tile=4096", "DRAM"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) { /* 64 KiB, 1 MiB, 32 MiB; 12 tile² byte */
    struct setup p = person_of(w, row[i].words);
    assert_string_equal(word(w, &p, "tile_level"), row[i].level);
  }
  w->device[0].level[0].count = 8; /* the others' caches hold other tiles */
  struct setup p = person_of(w, "tile=74");
  assert_string_equal(word(w, &p, "tile_level"), "L2");
  w->device[0].level[0].knee_byte.value = 16384; /* owned: a slice of it */
  p = person_of(w, "tile=64");
  assert_string_equal(word(w, &p, "tile_level"), "L2");
  free(w);
}

/* e on the point: the kernel with reuse against its own roof; lines fetched before they are stored explain a chain's gap. */
static void the_gap_is_explained(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person_of(w, "view=fusion chain=8"), s;
  struct why_input in;
  struct why list[WHY_MAX];
  setup_for(w, &scene_reuse, &p, &s);
  scene_reuse.why(w, &s, &in);
  assert_true(isnan(in.s) && why_list(&in, list) == 0); /* no point, nothing to explain */
  struct request pair[2];
  reuse_requests(&s, VIEW_FUSION, pair);
  world_measured(w, &pair[0], fact(w, &p, "time_lower") * 1.5, 5); /* the bus carries half as much again */
  scene_reuse.why(w, &s, &in);
  NEAR(why_ratio(&in), 1 / 1.5, 1e-9);
  int n = why_list(&in, list);
  const struct why *most = why_main(&in, list, n);
  assert_non_null(most);
  assert_int_equal(most->check, WHY_STORES);
  p = person_of(w, "rung=vectorised"); /* one thread under the roof of two */
  setup_for(w, &scene_reuse, &p, &s);
  reuse_requests(&s, VIEW_TILE, pair);
  world_measured(w, &pair[0], fact(w, &p, "flop") / 49e9, 5);
  run_open(w, &pair[0], w->machine)->threads = 1;
  scene_reuse.why(w, &s, &in);
  n = why_list(&in, list);
  assert_int_equal(why_main(&in, list, n)->check, WHY_THREADS);
  p = person_of(w, "device=illustrative");
  setup_for(w, &scene_reuse, &p, &s);
  scene_reuse.why(w, &s, &in);
  assert_true(in.run == NULL && isnan(in.s));
  free(w);
}

static void sentences(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct setup p = person_of(w, "device=illustrative tile=32");
  says(w, &p, "Memory still limits");
  says(w, &p, "21.7× the least");
  p = person_of(w, "device=illustrative tile=512");
  says(w, &p, "arithmetic limits");
  p = person_of(w, "device=illustrative tile=1024");
  says(w, &p, "the least there is");
  p = person_of(w, "device=blank");
  says(w, &p, "No roof is known");
  p = person_of(w, "view=attention dtype=bf16 device=illustrative");
  says(w, &p, "By the roofs 1.61× faster, not 33.0×");
  p = person_of(w, "view=fusion chain=8 device=illustrative");
  says(w, &p, "By the roofs 8.00× faster, as long as memory limits");
  p = person_of(w, "view=fusion chain=1");
  says(w, &p, "nothing to fuse");
  p = person_of(w, "view=fusion chain=8 length=1000"); /* 12 kB: in the first level */
  says(w, &p, "lies in L1");
  assert_true(fact(w, &p, "speedup_by_roofs") < 8);
  p = person_of(w, "view=attention sequence=4096"); /* 31 FLOP a byte, past this machine's ridge of 5 either way */
  says(w, &p, "arithmetic was the limit already");
  free(w);
}

int main(void) {
  const struct CMUnitTest test[] = {cmocka_unit_test(the_chapters_numbers),
                                    cmocka_unit_test(tiles_move_what_their_loops_move),
                                    cmocka_unit_test(what_reaches_the_ridge_just_reaches_it),
                                    cmocka_unit_test(no_rung_reuses_more_than_everything),
                                    cmocka_unit_test(each_view_shows_its_own),
                                    cmocka_unit_test(what_it_asks_can_be_run),
                                    cmocka_unit_test(rungs_stand_beside_each_other),
                                    cmocka_unit_test(pairs_are_compared),
                                    cmocka_unit_test(tiles_fit_in_one_instance),
                                    cmocka_unit_test(the_gap_is_explained),
                                    cmocka_unit_test(sentences)};
  return cmocka_run_group_tests(test, NULL, NULL);
}
