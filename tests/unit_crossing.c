/* The transfer model against the chapter's table and crossovers, and the laws it must obey. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/crossing.h"
#include "tests/support_near.h"

#define WITHIN(got, want, abs) assert_within(#got, (got), (want), (abs), __LINE__)
static void assert_within(const char *what, double got, double want, double slack, int line) {
  if (!(fabs(got - want) <= slack)) fail_msg("line %d: %s is %.9g, not %.9g", line, what, got, want);
}

/* The chapter's constants at size n. */
static struct crossing_in chapter(double n) {
  return (struct crossing_in){.n = n,
                              .element_byte = 4,
                              .host_flop_per_s = 100e9,
                              .device_flop_per_s = 100e12,
                              .link_byte_per_s = 25e9,
                              .copy_s = 10e-6,
                              .launch_s = 8e-6,
                              .resident = RESIDENT_NONE,
                              .reuse = 1,
                              .pieces = 1};
}
static struct crossing_out trip(struct crossing_in in) {
  struct crossing_out out;
  crossing_of(&in, &out);
  return out;
}

static void test_chapter_table(void **state) {
  (void)state;
  /* n, host µs, device µs, shares in % of link, fixed costs and arithmetic, speed-up, delivered TFLOP/s; as printed. */
  static const double row[][8] = {{64, 5.24, 39.97, 4.9, 95.1, 0.0, 0.131, 0.013},
                                  {128, 41.94, 45.91, 17.1, 82.8, 0.1, 0.914, 0.091},
                                  {132, 46.00, 46.41, 18.0, 81.9, 0.1, 0.991, 0.099},
                                  {133, 47.05, 46.54, 18.2, 81.7, 0.1, 1.011, 0.101},
                                  {256, 335.54, 69.79, 45.1, 54.4, 0.5, 4.808, 0.481},
                                  {512, 2684.35, 166.51, 75.6, 22.8, 1.6, 16.121, 1.612},
                                  {1024, 21474.84, 562.79, 89.4, 6.8, 3.8, 38.158, 3.816},
                                  {4096, 1374389.53, 9465.45, 85.1, 0.4, 14.5, 145.201, 14.520},
                                  {16384, 87960930.2, 216847.95, 59.4, 0.0, 40.6, 405.634, 40.563}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const double *r = row[i];
    struct crossing_out o = trip(chapter(r[0]));
    WITHIN(o.host_time * 1e6, r[1], 0.005 + 1e-9 * r[1]);
    WITHIN(o.device_time * 1e6, r[2], 0.005 + 1e-9 * r[2]);
    WITHIN(o.link_share * 100, r[3], 0.051);
    WITHIN(o.fixed_time / o.device_time * 100, r[4], 0.051);
    WITHIN(o.compute_time / o.device_time * 100, r[5], 0.051);
    WITHIN(o.speedup, r[6], 0.00051);
    WITHIN(o.effective_flop_per_s / 1e12, r[7], 0.00051);
  }
  struct crossing_out o = trip(chapter(1024));
  WITHIN(o.moving_share, 0.948, 0.0005);
  NEAR(o.byte, 12582912, 0);
  NEAR(o.flop, 2147483648.0, 0);
  NEAR(trip(chapter(128)).fixed_time, 38e-6, 1e-12);
}

static void test_crossovers(void **state) {
  (void)state;
  struct crossing_in in = chapter(1);
  WITHIN(crossing_n(&in), 132.45, 0.005);
  NEAR(crossing_first_n(&in), 133, 0);
  in = chapter(1), in.host_flop_per_s = 50e9;
  WITHIN(crossing_n(&in), 102.49, 0.005);
  in = chapter(1), in.host_flop_per_s = 768e9;
  WITHIN(crossing_n(&in), 324.98, 0.005);
  in = chapter(1), in.element_byte = 2;
  WITHIN(crossing_n(&in), 128.03, 0.005);
  in = chapter(1), in.link_byte_per_s = 63e9;
  WITHIN(crossing_n(&in), 127.16, 0.005);
  in = chapter(1), in.link_byte_per_s = 12.5e9;
  WITHIN(crossing_n(&in), 142.16, 0.005);
  in = chapter(1), in.copy_s = 0;
  WITHIN(crossing_n(&in), 82.65, 0.005);
  in = chapter(1), in.copy_s = 20e-6;
  WITHIN(crossing_n(&in), 158.87, 0.005);
  in = chapter(1), in.device_flop_per_s = 200e12;
  WITHIN(crossing_n(&in), 132.42, 0.005);
  in = chapter(1), in.unified = true;
  WITHIN(crossing_n(&in), 73.71, 0.005);
  in = chapter(1024), in.host_flop_per_s = trip(in).effective_flop_per_s;
  WITHIN(in.host_flop_per_s / 1e9, 3816, 0.5);
  NEAR(crossing_n(&in), 1024, 1e-9);
  in = chapter(1), in.resident = RESIDENT_B;
  NEAR(ceil(crossing_n(&in)), 118, 0);
}

static void test_remedies(void **state) {
  (void)state;
  struct crossing_in in = chapter(1024);
  in.resident = RESIDENT_B;
  struct crossing_out o = trip(in);
  WITHIN(o.device_time * 1e6, 385.0, 0.05);
  WITHIN(o.speedup, 55.8, 0.05);
  NEAR(o.byte, 8.0 * 1024 * 1024, 0);
  NEAR(o.in_copies + o.out_copies, 2, 0);
  in.resident = RESIDENT_ALL;
  o = trip(in);
  WITHIN(o.device_time * 1e6, 29.5, 0.05);
  WITHIN(o.speedup, 728.6, 0.1);
  WITHIN(o.effective_flop_per_s / 1e12, 72.9, 0.05);
  NEAR(o.in_copies + o.out_copies, 0, 0);

  /* 12.58 MB in 3, 30, 300, 3000 calls: link and copy set-up only. */
  static const double pieces[][2] = {{1, 533}, {10, 803}, {100, 3503}, {1000, 30503}};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    in = chapter(1024), in.pieces = pieces[i][0];
    o = trip(in);
    WITHIN((o.in_time + o.out_time) * 1e6, pieces[i][1], 0.5);
    NEAR(o.in_copies + o.out_copies, 3 * pieces[i][0], 0);
  }

  in = chapter(1024);
  NEAR(crossing_reuse_half(&in), 17, 0);
  in.reuse = 16;
  assert_true(trip(in).link_share >= 0.5);
  in.reuse = 17;
  assert_true(trip(in).link_share < 0.5);
  NEAR(trip(in).host_time, 17 * trip(chapter(1024)).host_time, 1e-12);

  in = chapter(1024), in.overlap = true;
  assert_false(trip(in).overlapped); /* pageable memory: nothing changes */
  NEAR(trip(in).device_time, trip(chapter(1024)).device_time, 0);
  in.pinned = true;
  o = trip(in);
  assert_true(o.overlapped);
  WITHIN(o.device_time * 1e6, 355.5, 0.05);
  WITHIN(trip(chapter(1024)).device_time / o.device_time, 1.58, 0.005);
  in.copy_s = 0;
  WITHIN(trip(in).device_time * 1e6, 335.5, 0.05);
}

/* A seeded generator: the same cases on every machine. */
static double draw(uint32_t *s, double lo, double hi) {
  *s = *s * 1664525u + 1013904223u;
  return lo * pow(hi / lo, (*s >> 8) / 16777216.0);
}
static struct crossing_in random_in(uint32_t *s) {
  struct crossing_in in = {.n = floor(draw(s, 1, 3e4)),
                           .element_byte = *s & 0x1000 ? 4 : 2,
                           .host_flop_per_s = draw(s, 1e9, 1e13),
                           .device_flop_per_s = draw(s, 1e10, 1e16),
                           .link_byte_per_s = draw(s, 1e8, 1e12),
                           .copy_s = draw(s, 1e-7, 1e-3),
                           .launch_s = draw(s, 1e-7, 1e-4),
                           .resident = (enum resident)((*s >> 20) % RESIDENT_N),
                           .reuse = floor(draw(s, 1, 200)),
                           .pieces = floor(draw(s, 1, 50))};
  in.overlap = (*s >> 10 & 1) != 0;
  in.pinned = (*s >> 11 & 1) != 0;
  in.unified = (*s >> 12 & 7) == 0;
  return in;
}

static void test_laws(void **state) {
  (void)state;
  uint32_t seed = 7;
  for (int i = 0; i < 5000; i++) {
    struct crossing_in in = random_in(&seed), with = in;
    struct crossing_out o = trip(in);
    assert_true(o.device_time >= o.run_time && o.device_time > 0 && o.host_time > 0);
    assert_true(o.link_share >= 0 && o.link_share <= o.moving_share && o.moving_share <= 1 + 1e-12);
    NEAR(o.speedup, o.host_time / o.device_time, 1e-12);
    NEAR(o.in_time + o.run_time + o.out_time, o.link_time + o.fixed_time + o.compute_time, 1e-9);

    with = in, with.overlap = with.pinned = false;
    struct crossing_out serial = trip(with);
    assert_true(o.device_time <= serial.device_time);
    NEAR(serial.device_time, serial.in_time + serial.run_time + serial.out_time, 1e-12);
    with.overlap = with.pinned = true;
    double stages = trip(with).device_time;
    assert_true(stages >= serial.in_time && stages >= serial.run_time && stages >= serial.out_time);
    /* Three stages: overlap cannot gain more than a factor three. */
    assert_true(stages >= serial.device_time / 3 * (1 - 1e-12));

    with = in, with.unified = true;
    double unified = trip(with).device_time;
    with = in, with.unified = false, with.resident = RESIDENT_ALL;
    double all = trip(with).device_time;
    with.resident = RESIDENT_B;
    double b = trip(with).device_time;
    with.resident = RESIDENT_NONE;
    double none = trip(with).device_time;
    assert_true(unified <= all && all <= b && b <= none);

    with = in, with.n = in.n + 1;
    assert_true(trip(with).device_time >= o.device_time && trip(with).host_time > o.host_time);
    with = in, with.device_flop_per_s *= 2;
    assert_true(trip(with).device_time <= o.device_time);
    with = in, with.link_byte_per_s *= 2;
    assert_true(trip(with).device_time <= o.device_time);
    with = in, with.pieces += 1;
    assert_true(trip(with).device_time >= o.device_time);
  }
}

/* Every whole size up to the first winner is tried: none of them may win. */
static void test_first_by_brute_force(void **state) {
  (void)state;
  uint32_t seed = 11;
  int found = 0, never = 0;
  for (int i = 0; i < 400; i++) {
    struct crossing_in in = random_in(&seed);
    double first = crossing_first_n(&in), cross = crossing_n(&in);
    if (isnan(first)) {
      never++;
      for (in.n = 1; in.n <= 1 << 20; in.n *= 2) assert_false(trip(in).device_time < trip(in).host_time);
      continue;
    }
    if (first > 20000) continue;
    found++;
    for (in.n = 1; in.n < first; in.n++) assert_false(trip(in).device_time < trip(in).host_time);
    assert_true(trip(in).device_time < trip(in).host_time);
    assert_true(cross <= first && cross > first - 1 - 1e-6);
    if (cross > 1e-3) {
      in.n = cross;
      NEAR(trip(in).device_time, trip(in).host_time, 1e-9);
    }
  }
  assert_true(found > 50 && never > 5); /* the cases must not all be of one kind */
}

static void test_unknown_and_edges(void **state) {
  (void)state;
  struct crossing_in in = chapter(1024);
  in.link_byte_per_s = NAN;
  assert_true(isnan(trip(in).device_time) && isnan(crossing_n(&in)) && isnan(crossing_first_n(&in)) && isnan(crossing_reuse_half(&in)));
  in.overlap = in.pinned = true; /* the slowest of known and unknown is unknown */
  assert_true(isnan(trip(in).device_time));
  in.resident = RESIDENT_ALL; /* nothing travels: the link does not matter */
  assert_true(isfinite(trip(in).device_time));
  in = chapter(1024), in.host_flop_per_s = NAN;
  assert_true(isnan(trip(in).host_time) && isnan(trip(in).speedup) && isfinite(trip(in).device_time) && isnan(crossing_n(&in)));
  in = chapter(1024), in.device_flop_per_s = NAN;
  assert_true(isnan(trip(in).device_time) && isnan(trip(in).compute_time) && isfinite(trip(in).link_time));

  in = chapter(1024), in.device_flop_per_s = in.host_flop_per_s; /* no faster: there is only the trip to pay */
  assert_true(isnan(crossing_n(&in)) && isnan(crossing_first_n(&in)));
  in = chapter(1024), in.resident = RESIDENT_ALL, in.launch_s = 0; /* nothing to pay: it wins from the start */
  NEAR(crossing_n(&in), 0, 0);
  NEAR(crossing_first_n(&in), 1, 0);
  in.host_flop_per_s = in.device_flop_per_s; /* equal and free: a tie everywhere is no win */
  assert_true(isnan(crossing_n(&in)) && isnan(crossing_first_n(&in)));
  in = chapter(1024), in.host_flop_per_s = 99.99e12; /* barely faster: far beyond any size looked at */
  assert_true(isnan(crossing_n(&in)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chapter_table), cmocka_unit_test(test_crossovers),           cmocka_unit_test(test_remedies),
      cmocka_unit_test(test_laws),          cmocka_unit_test(test_first_by_brute_force), cmocka_unit_test(test_unknown_and_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
