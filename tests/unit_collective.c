/* Several devices: what a collective carries, published examples, laws of shared work, and the offload scene's view of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "model/collective.h"
#include "tests/support_near.h"
#include "tests/support_scene.h"
#include "tests/support_world.h"

static struct world *w;
static int up(void **state) {
  (void)state;
  w = world_catalogue();
  return 0;
}
static int down(void **state) {
  (void)state;
  free(w);
  return 0;
}

/* A ring, walked: in each of n - 1 turns every device hands one part of n to its neighbour. */
static double ring_byte(double byte, int n) {
  double sent = 0;
  for (int turn = 0; turn < n - 1; turn++) sent += byte / n;
  return sent;
}

static void collectives_carry_what_a_ring_does(void **state) {
  (void)state;
  for (int n = 1; n <= 64; n++) {
    NEAR(collective_byte(COLLECTIVE_GATHER, 1e6, n), ring_byte(1e6, n), 1e-12);
    NEAR(collective_byte(COLLECTIVE_SCATTER, 1e6, n), ring_byte(1e6, n), 1e-12);
    NEAR(collective_byte(COLLECTIVE_REDUCE, 1e6, n), 2 * ring_byte(1e6, n), 1e-12);
  }
  assert_true(collective_time(COLLECTIVE_REDUCE, 1e9, 1, 1e9, 1) == 0);     /* alone there is nothing to say */
  NEAR(collective_time(COLLECTIVE_GATHER, 256, 4, 9e10, 2e-6), 2e-6, 0.01); /* a few bytes cost two hops of a ring of four */
  NEAR(collective_time(COLLECTIVE_REDUCE, 8e9, 8, 1e9, 1e-3), 14.002, 1e-9);
}

static struct group_in group(enum split split, double n, double tokens) {
  return (struct group_in){split, n, 7e9, 32, 4096, tokens, 2, 989e12, 3.35e12, 450e9, 8e-6};
}

static void published_examples(void **state) {
  (void)state;
  struct group_in in = group(SPLIT_TENSOR, 16, 1);
  struct group_out o;
  in.layers = 80;
  group_of(&in, &o);
  NEAR(o.fixed_time, 2560e-6, 1e-12); /* 80 layers, four messages each of 8 us (kipply, transformer inference arithmetic) */
  in = group(SPLIT_DATA, 1e6, 1e12);  /* many: the tokens of a device against the ratio of peak and link (the scaling book) */
  group_of(&in, &o);
  NEAR(o.link_intensity / o.link_ridge, 1.5 * 1e12 / 1e6 / (989e12 / 450e9), 1e-5);
  in = group(SPLIT_TENSOR, 1, 1);
  group_of(&in, &o);
  NEAR(o.alone_time, 14e9 / 3.35e12, 1e-12); /* one token: the weights read once */
}

static void shared_work_obeys_its_laws(void **state) {
  (void)state;
  for (int split = 0; split < SPLIT_N; split++)
    for (double tokens = 1; tokens < 1e7; tokens *= 32) {
      double last_work = INFINITY, last_link = 0;
      struct group_in two = group((enum split)split, 2, tokens);
      double most = group_most(&two);
      for (double n = 1; n <= 4096; n *= 2) {
        struct group_in in = group((enum split)split, n, tokens);
        struct group_out o;
        group_of(&in, &o);
        assert_true(o.speedup <= n * (1 + 1e-12)); /* bounds: never better than perfect */
        assert_true(o.work_time <= last_work && o.link_time >= last_link);
        NEAR(o.flop * n, 2 * 7e9 * tokens * (split == SPLIT_TENSOR ? 1 : 3), 1e-12); /* sharing makes no arithmetic */
        assert_true(o.step_time >= fmax(o.work_time, o.link_time) && o.step_time <= o.work_time + o.link_time);
        if (n == 1) NEAR(o.speedup, 1, 1e-12);
        if (n >= 2) assert_true((o.link_time <= o.work_time) == (n <= most)); /* the mark stands where they cross */
        last_work = o.work_time, last_link = o.link_time;
      }
    }
  struct group_in data = group(SPLIT_DATA, 8, 1e5), sharded = group(SPLIT_SHARDED, 8, 1e5);
  struct group_out a, b;
  group_of(&data, &a), group_of(&sharded, &b);
  NEAR(b.link_byte, 1.5 * a.link_byte, 1e-12); /* three passes over the weights against two */
  data.link_byte_per_s = NAN;
  group_of(&data, &a);
  assert_true(isnan(a.step_time) && isnan(a.speedup) && isnan(group_most(&data)));
}

static const struct shown *show(const char *words) {
  const struct shown *shown = scene_show_words(w, &scene_offload, words);
  struct request r[REQUEST_MAX];
  if (strstr(words, "view=devices")) assert_int_equal(scene_offload.measures(w, &shown->setup, r), 0);
  return shown;
}
static void says(const char *words, const char *part) { shown_says(show(words), part); }

static void the_scene_says_it(void **state) {
  (void)state;
  const struct shown *shown = show("view=devices");
  assert_true(rounds_to(shown_value(shown, "group_link_ridge"), "2198"));
  assert_true(rounds_to(shown_value(shown, "group_speedup"), "8.00"));
  assert_true(fact_find(shown->fact, shown->n, "group_step_time")->label && !fact_find(shown->fact, shown->n, "device_time")->label);
  shown = show("");
  assert_true(!fact_find(shown->fact, shown->n, "group_step_time")->label && fact_find(shown->fact, shown->n, "device_time")->label);
  says("view=devices", "hide behind the work");
  says("view=devices devices=512", "the links are the limit");
  says("view=devices split=tensor", "a larger batch is free");
  says("view=devices split=tensor batch=4096 launch_cost=0", "Faster links or fewer tokens");
  says("view=devices devices=1", "nobody to talk to");
  says("view=devices device=rtx-4090", "choose a link");
  says("view=devices device=rtx-4090 link=pcie4-x16", "devices are");
}

int main(void) {
  const struct CMUnitTest test[] = {cmocka_unit_test(collectives_carry_what_a_ring_does), cmocka_unit_test(published_examples),
                                    cmocka_unit_test(shared_work_obeys_its_laws), cmocka_unit_test(the_scene_says_it)};
  return cmocka_run_group_tests(test, up, down);
}
