/* Hidden faults: those of a group are alike until the right probe, each can be found within the budget, and every gauge follows from the
 * model's inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/checklist.h"
#include "model/feed.h"

/* Round devices and models, from small to large. */
static const struct geometry seven = {.params = 7e9, .layers = 32, .hidden = 4096, .kv_byte_per_token_2 = 524288, .matmul_params = 7e9, .decoder = true};
static const struct geometry eight = {.params = 8e9, .layers = 32, .hidden = 4096, .kv_byte_per_token_2 = 131072, .matmul_params = 7.5e9, .decoder = true};
static const struct rig_parts part_table[] = {
    {.peak_flop_per_s = 200e12, .byte_per_s = 2e12, .memory_byte = NAN, .link_byte_per_s = 25e9, .copy_s = 1e-5, .launch_s = 8e-6, .tdp_w = NAN},
    {.peak_flop_per_s = 989e12, .byte_per_s = 3.35e12, .memory_byte = 80e9, .link_byte_per_s = 64e9, .copy_s = NAN, .launch_s = NAN, .tdp_w = 700},
    {.peak_flop_per_s = 165e12, .byte_per_s = 1e12, .memory_byte = 24e9, .link_byte_per_s = 32e9, .copy_s = NAN, .launch_s = NAN, .tdp_w = 450},
};
enum { DEVICES = sizeof part_table / sizeof *part_table };

static struct rig healthy_of(int device, const struct geometry *g) {
  struct rig_parts p = part_table[device];
  struct rig r;
  p.geometry = *g;
  assert_true(rig_healthy(&p, &r));
  return r;
}

static const struct severity usual = {.share = 0.4, .end = 4 * 3600, .reclaimed_at = 1500};

static void near(double a, double b, double share) {
  if (!(fabs(a - b) <= share * fmax(fabs(a), fabs(b)) + 1e-12)) fail_msg("%.10g is not %.10g", a, b);
}

static void all_is_well_without_a_fault(void **state) {
  (void)state;
  for (int i = 0; i < DEVICES; i++) {
    struct rig r = healthy_of(i, &eight);
    struct reading now;
    rig_at(&r, r.window, &now);
    assert_true(now.v[GAUGE_BUSY] > 0.99 && now.v[GAUGE_RUNS] == 1 && now.v[GAUGE_QUEUE] == 1);
    assert_true(isinf(rig_end(&r)));
    assert_true(now.v[GAUGE_CLOCK] == 1 && now.v[GAUGE_HEAT] < r.limit_c);
    near(now.v[GAUGE_SERVED] * r.tokens, now.v[GAUGE_RATE], 1e-12);
  }
  /* The chapter's device by hand: 192 sequences of 128 tokens, 14 GB of weights. */
  struct rig r = healthy_of(0, &seven);
  assert_true(r.step.batch == 192);
  near(rig_memory(&r, 192, 128), 14e9 + 192 * 128 * 524288.0, 1e-12);
  near(rig_step(&r, 1, 192), (14e9 + 192 * 128 * 524288.0) / 2e12, 1e-12);
  near(rig_step(&r, 0.5, 192), 2 * 2 * 7e9 * 192 / 200e12, 1e-12); /* half the clock: arithmetic takes twice as long, memory does not */
  near(rig_host_step(&r), 2 * 7e9 * 192 / 768e9, 1e-12);
  double host, there = rig_crossing(&r, &host), byte = 192 * 4096 * 2; /* there and back, and three passes over host memory */
  near(host, 3 * byte / 50e9, 1e-12);
  near(there, 2 * (10e-6 + byte / 25e9) + host, 1e-12);
  near(rig_power(&r, 1, 1), 350, 1e-12);
  near(rig_power(&r, 0.5, 1), 350 * (0.2 + 0.8 / 8), 1e-12);
}

static void what_is_not_known_makes_no_service(void **state) {
  (void)state;
  struct rig_parts p = part_table[0];
  struct rig r;
  p.geometry = seven;
  p.geometry.decoder = false;
  assert_false(rig_healthy(&p, &r));
  p.geometry = seven, p.byte_per_s = NAN;
  assert_false(rig_healthy(&p, &r));
  p = part_table[2], p.geometry = seven, p.geometry.params = 70e9; /* does not fit */
  assert_false(rig_healthy(&p, &r));
}

static void a_step_adds_up(void **state) {
  (void)state;
  struct rig healthy = healthy_of(0, &seven), r;
  for (int f = 0; f < FAULT_N; f++) {
    struct reading now;
    assert_true(fault_put((enum fault)f, &healthy, &usual, &r));
    rig_at(&r, 0.9 * rig_last(&r), &now);
    near(now.kernel_s + now.gap_s + now.copy_s + now.host_s + now.wait_s, now.cycle_s, 1e-9);
    assert_true(now.wait_s > -1e-9 && now.v[GAUGE_BUSY] <= 1 && now.v[GAUGE_USED] <= now.v[GAUGE_ALLOCATED]);
    assert_true(now.v[GAUGE_SERVED] <= now.v[GAUGE_ARRIVALS] * (1 + 1e-9));
    near(now.cycle_s * now.v[GAUGE_RATE], r.step.batch, 1e-9);
    if (now.v[GAUGE_RUNS] > 0) near(now.v[GAUGE_PEAK] * r.step.peak_flop_per_s, 2 * r.step.params * now.v[GAUGE_RATE], 1e-9);
    else assert_true(now.v[GAUGE_BUSY] == 0 && now.v[GAUGE_PEAK] == 0 && now.v[GAUGE_CORES] == 1);
    assert_true(now.v[GAUGE_HEAT] <= r.limit_c * 1.001);
    near(now.v[GAUGE_COPIES] * now.v[GAUGE_COPY_BYTE] / r.link_byte_per_s / now.cycle_s, now.v[GAUGE_LINK], 1e-9);
  }
}

/* The rate is that of the feed model with the same numbers, unless fewer requests come. */
static void the_feed_model_sets_the_rate(void **state) {
  (void)state;
  struct rig healthy = healthy_of(0, &seven), r;
  for (int f = FAULT_LOADER; f <= FAULT_DEMAND; f++) {
    struct reading now;
    struct feed_bound bound;
    assert_true(fault_put((enum fault)f, &healthy, &usual, &r));
    rig_at(&r, 60, &now);
    struct feed feed = {.workers = r.workers, .item_s = r.item_s, .slow = 1, .item_byte = r.item_byte, .storage_byte_per_s = r.storage_byte_per_s,
                        .cores = r.cores, .queue = 4, .batch = r.step.batch,
                        .device_s = r.tokens * (now.kernel_s + now.gap_s + now.copy_s + now.host_s)};
    feed_bound_of(&feed, &bound);
    near(now.v[GAUGE_SERVED], fmin(bound.item_per_s, r.demand), 1e-9);
    assert_true((bound.limit == FEED_WORKER) == (f == FAULT_LOADER) && (bound.limit == FEED_STORAGE) == (f == FAULT_STORAGE));
  }
}

static struct reading with(struct rig r) {
  struct reading now;
  rig_at(&r, 0.99 * rig_last(&r), &now);
  return now;
}

static void gauges_follow_the_inputs(void **state) {
  (void)state;
  struct rig healthy = healthy_of(0, &seven), r, other;
  assert_true(fault_put(FAULT_UPLOAD, &healthy, &usual, &r));
  other = r, other.link_byte_per_s *= 4;
  assert_true(with(other).v[GAUGE_RATE] > with(r).v[GAUGE_RATE] && with(other).v[GAUGE_LINK] < with(r).v[GAUGE_LINK]);
  assert_true(fault_put(FAULT_LOADER, &healthy, &usual, &r));
  other = r, other.item_s /= 1.5;
  near(with(other).v[GAUGE_RATE], 1.5 * with(r).v[GAUGE_RATE], 0.02);
  other = r, other.step.peak_flop_per_s *= 2, other.step.byte_per_s *= 2; /* a faster device changes nothing: it waits longer */
  near(with(other).v[GAUGE_RATE], with(r).v[GAUGE_RATE], 1e-9);
  near(with(other).v[GAUGE_BUSY], with(r).v[GAUGE_BUSY] / 2, 1e-9);
  assert_true(fault_put(FAULT_BATCH, &healthy, &usual, &r));
  other = r, other.step.peak_flop_per_s *= 2; /* it waits for memory: twice the arithmetic is half the share */
  near(with(other).v[GAUGE_RATE], with(r).v[GAUGE_RATE], 1e-9);
  near(with(other).v[GAUGE_PEAK], with(r).v[GAUGE_PEAK] / 2, 1e-9);
  assert_true(fault_put(FAULT_LEAK, &healthy, &usual, &r));
  other = r, other.step.capacity_byte *= 2;
  assert_true(rig_end(&other) > 2 * rig_end(&r));
  assert_true(fault_put(FAULT_LAUNCH, &healthy, &usual, &r));
  other = r, other.launch_s /= 2;
  assert_true(with(other).v[GAUGE_RATE] > 1.9 * with(r).v[GAUGE_RATE]);
  assert_true(fault_put(FAULT_HEAT, &healthy, &usual, &r));
  other = r, other.room_c -= 20;
  assert_true(with(other).v[GAUGE_CLOCK] > with(r).v[GAUGE_CLOCK]);
  near(with(r).v[GAUGE_HEAT], r.limit_c, 0.005);
  assert_true(fault_put(FAULT_OPERATION, &healthy, &usual, &r));
  other = r, other.host_byte_per_s *= 10;
  assert_true(with(other).v[GAUGE_ON_HOST] < with(r).v[GAUGE_ON_HOST] / 5);
  assert_true(fault_put(FAULT_DRIVER, &healthy, &usual, &r));
  other = r, other.driver = other.driver_needed;
  assert_true(with(r).v[GAUGE_LISTED] == 1 && with(r).v[GAUGE_SEEN] == 0 && with(other).v[GAUGE_RUNS] == 1);
}

static void memory_runs_out_when_it_says(void **state) {
  (void)state;
  struct rig healthy = healthy_of(1, &eight), r;
  for (int f = FAULT_LEAK; f <= FAULT_CROWD; f++) {
    struct reading before, after;
    assert_true(fault_put((enum fault)f, &healthy, &usual, &r));
    near(rig_end(&r), usual.end, 1e-9);
    rig_at(&r, usual.end * 0.999, &before);
    rig_at(&r, usual.end * 2, &after);
    assert_true(before.up && !after.up);
    assert_true(before.v[GAUGE_ALLOCATED] < r.step.capacity_byte && after.v[GAUGE_ALLOCATED] >= r.step.capacity_byte * (1 - 1e-9));
    assert_true((before.v[GAUGE_ALLOCATED] > 0.9 * r.step.capacity_byte) == (f == FAULT_LEAK || f == FAULT_FRAGMENTS)); /* climb, or jump */
  }
}

/* ---- what looks alike, and what tells it apart ---- */

static void groups_are_alike_until_probed(void **state) {
  (void)state;
  static const double share[] = {0.15, 0.3, 0.5};
  static struct suspects q;
  for (int i = 0; i < DEVICES * 3 * 2; i++) {
    struct rig healthy = healthy_of(i % DEVICES, i % 2 && i % DEVICES < 2 ? &seven : &eight);
    struct severity s = usual;
    s.share = share[i / DEVICES % 3], s.deep = i >= DEVICES * 3;
    suspects_of(&healthy, &s, &q);
    for (int f = 0; f < FAULT_N; f++)
      for (int g = 0; g < f; g++) {
        if (!q.possible[f] || !q.possible[g]) continue;
        bool same = fault_group((enum fault)f) == fault_group((enum fault)g), alike = !(q.apart[f][g] & 1u << LOOK_N);
        if (same != alike) fail_msg("device %d, share %g: %s and %s %s alike", i % DEVICES, s.share, fault_key((enum fault)f), fault_key((enum fault)g), alike ? "are" : "are not");
        if (!same) continue;
        for (int gauge = GAUGE_RATE; gauge <= GAUGE_PEAK; gauge++) /* to the digits that are shown */
          near(q.fault[f].at[EVIDENCE_LAST].v[gauge], q.fault[g].at[EVIDENCE_LAST].v[gauge], 0.005);
        assert_true(q.apart[f][g] != 0); /* some probe does tell */
      }
  }
}

static void each_is_found_within_the_budget(void **state) {
  (void)state;
  static struct suspects q;
  for (uint32_t seed = 1; seed <= 60; seed++) {
    struct rig healthy = healthy_of((int)(seed % DEVICES), &eight);
    struct severity s;
    fault_draw(&healthy, seed, &s);
    suspects_of(&healthy, &s, &q);
    for (int f = 0; f < FAULT_N; f++) {
      unsigned spent;
      if (!q.possible[f]) continue;
      double least = suspects_least(&q, (enum fault)f, &spent);
      if (!(least >= 1 && least <= LOOK_BUDGET)) fail_msg("seed %u: %s takes %g", seed, fault_key((enum fault)f), least);
      assert_true(looks_cost(spent) == least && suspects_count(suspects_left(&q, (enum fault)f, 0)) > 1);
      for (int g = 0; g < FAULT_N; g++) { /* seen again from the readings themselves */
        bool told = g == f || !q.possible[g] || evidence_differs(&q.fault[f], &q.fault[g], -1);
        for (int l = 0; l < LOOK_N && !told; l++) told = spent & 1u << l && evidence_differs(&q.fault[f], &q.fault[g], l);
        assert_true(told);
      }
      int group = 0;
      for (int g = 0; g < FAULT_N; g++) group += q.possible[g] && fault_group((enum fault)g) == fault_group((enum fault)f);
      assert_int_equal(suspects_count(suspects_left(&q, (enum fault)f, 0)), group);
      assert_true(suspects_left(&q, (enum fault)f, (1u << LOOK_N) - 1) == 1u << f);
      enum fault alike = suspects_alike(&q, (enum fault)f);
      assert_true(alike != FAULT_N && fault_group(alike) == fault_group((enum fault)f));
    }
  }
  /* Two that are the same in everything cannot be told: the search must say so. */
  for (int l = 0; l <= LOOK_N; l++) q.apart[FAULT_LEAK][FAULT_FRAGMENTS] = 0;
  assert_true(isinf(suspects_least(&q, FAULT_LEAK, NULL)));
}

static void every_fault_is_drawn(void **state) {
  (void)state;
  struct rig healthy = healthy_of(0, &seven), r;
  int drawn[FAULT_N] = {0}, deep = 0;
  for (uint32_t seed = 1; seed <= 600; seed++) {
    struct severity s, again;
    enum fault f = fault_draw(&healthy, seed, &s);
    assert_true(f < FAULT_N && f == fault_draw(&healthy, seed, &again) && s.share == again.share);
    assert_true(fault_put(f, &healthy, &s, &r));
    assert_true(s.share >= 0.1 && s.share <= 0.6);
    drawn[f]++;
    deep += s.deep;
  }
  for (int f = 0; f < FAULT_N; f++)
    if (drawn[f] < 5) fail_msg("%s was drawn %d times of 600", fault_key((enum fault)f), drawn[f]);
  assert_true(deep > 200 && deep < 400);
}

/* ---- the checklist ---- */

static void the_checklist_leads_to_each_fault(void **state) {
  (void)state;
  static struct suspects q;
  struct rig healthy = healthy_of(0, &seven);
  int alone = 0;
  suspects_of(&healthy, &usual, &q);
  for (int f = 0; f < FAULT_N; f++) {
    int seen[SIGN_N] = {0}, step = 1, last = FAULT_N + 1;
    enum sign next;
    while ((next = checklist_next(&q, seen)) != SIGN_N) {
      assert_true(seen[next] == 0 && sign_step(next) >= step);
      step = sign_step(next);
      seen[next] = sign_of(next, &q.fault[f], &q.healthy);
      assert_true(seen[next] > 0 && seen[next] < sign_count(next));
      uint32_t left = checklist_left(&q, seen);
      assert_true(left & 1u << f);
      assert_true(suspects_count(left) <= last); /* never more than before */
      last = suspects_count(left);
    }
    assert_true(last <= 3);
    alone += last == 1;
  }
  assert_true(alone >= 12);
  int odd[SIGN_N] = {[SIGN_DEVICE] = 1, [SIGN_BUSY] = 2}; /* not there, and busy */
  assert_true(checklist_left(&q, odd) == 0 && checklist_next(&q, odd) == SIGN_N);
}

static void words_fit(void **state) {
  (void)state;
  for (int f = 0; f < FAULT_N; f++) {
    assert_true(strlen(fault_name((enum fault)f)) <= 19 && *fault_meaning((enum fault)f) && strlen(fault_remedy((enum fault)f)) <= 55);
    for (int g = 0; g < f; g++) assert_string_not_equal(fault_key((enum fault)f), fault_key((enum fault)g));
  }
  for (int g = 0; g < GAUGE_N; g++) assert_true(strlen(gauge_name((enum gauge)g)) <= 15 && gauge_look((enum gauge)g) < LOOK_N);
  for (int l = 0; l < LOOK_N; l++) assert_true(strlen(look_name((enum look)l)) <= 9 && strlen(look_asks((enum look)l)) <= 32);
  for (int c = 0; c < SIGN_N; c++)
    for (int i = 0; i < sign_count((enum sign)c); i++) assert_true(strlen(sign_word((enum sign)c, i)) <= 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_is_well_without_a_fault), cmocka_unit_test(what_is_not_known_makes_no_service), cmocka_unit_test(a_step_adds_up),
      cmocka_unit_test(the_feed_model_sets_the_rate), cmocka_unit_test(gauges_follow_the_inputs), cmocka_unit_test(memory_runs_out_when_it_says),
      cmocka_unit_test(groups_are_alike_until_probed), cmocka_unit_test(each_is_found_within_the_budget), cmocka_unit_test(every_fault_is_drawn),
      cmocka_unit_test(the_checklist_leads_to_each_fault), cmocka_unit_test(words_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
