/* The host's pipeline: closed form against simulation, laws that no setting may break, the scene, and the real threads. */
// as shipped too: memory order must survive it
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "kernels/lanes.h"
#include "scenes/loader.h"
#include "scenes/why_words.h"
#include "tests/support_kernel.h"
#include "tests/support_near.h"
#include "tests/support_scene.h"
#include "tests/support_world.h"

static struct world *w;
static int up(void **state) {
  (void)state;
  w = world_invented();
  return 0;
}
static int down(void **state) {
  (void)state;
  free(w);
  return 0;
}

static uint32_t seed;
static double roll(void) { return seed = seed * 1664525u + 1013904223u, (seed >> 8) / 16777216.0; }

/* A pipeline of any shape: some settings near a tie, some without storage, cores or spread. */
static struct feed feed_roll(void) {
  struct feed f = {.workers = floor(roll() * 9),
                   .item_s = pow(10, -4 + 3 * roll()),
                   .slow = roll() < 0.5 ? 1 : 1 + 20 * roll(),
                   .item_byte = roll() < 0.5 ? 0 : 1e6 * roll(),
                   .storage_byte_per_s = pow(10, 7 + 2 * roll()),
                   .cores = roll() < 0.5 ? INFINITY : 1 + floor(4 * roll()),
                   .queue = 1 + floor(6 * roll()),
                   .batch = roll() < 0.5 ? 1 : 1 + floor(100 * roll()),
                   .device_s = pow(10, -3 + 3 * roll()),
                   .on_core = roll() < 0.2};
  if (roll() < 0.3) f.device_s = f.item_s * f.batch / fmax(1, f.workers) * (0.7 + 0.6 * roll());
  return f;
}

static void alike_items_reach_the_bound(void **state) {
  (void)state;
  int limited[FEED_LIMITS] = {0};
  seed = 3;
  for (int i = 0; i < 300; i++) {
    struct feed in = feed_roll();
    struct feed_bound b;
    struct feed_seen s;
    in.slow = 1, in.on_core = false;
    feed_bound_of(&in, &b);
    feed_run(&in, 1, &s);
    limited[b.limit]++;
    NEAR(s.item_per_s, b.item_per_s, 1e-6);
    NEAR(s.busy, b.busy, 1e-6);
    NEAR(b.busy, fmin(fmin(b.rate[0], b.rate[1]), fmin(b.rate[2], b.rate[3])) * in.device_s / in.batch, 1e-12);
  }
  for (int l = 0; l < FEED_LIMITS; l++) assert_true(limited[l] > 10); /* each was there */
}

static void nothing_beats_the_bound(void **state) {
  (void)state;
  seed = 4;
  int short_of = 0;
  for (int i = 0; i < 600; i++) {
    struct feed in = feed_roll();
    struct feed_bound b;
    struct feed_seen s;
    feed_bound_of(&in, &b);
    feed_run(&in, 1, &s);
    /* A queue filled before the window opened may be drawn down in it. */
    if (!(s.item_per_s <= b.item_per_s * (1 + (in.queue + in.workers + 1) / FEED_DECK)))
      fail_msg("%d: %g items/s above %g", i, s.item_per_s, b.item_per_s);
    short_of += s.item_per_s < 0.97 * b.item_per_s;
    if (in.workers <= 1 && in.cores >= 2 && b.rate[FEED_WORKER] < 0.5 * b.rate[FEED_DEVICE]) NEAR(s.item_per_s, b.item_per_s, 1e-6);
  }
  assert_true(short_of > 10); /* and spread costs something */
}

/* What is true of every moment, and adds up over time. */
static void laws_hold(void **state) {
  (void)state;
  seed = 5;
  for (int i = 0; i < 100; i++) {
    struct feed in = feed_roll();
    struct feed_state s;
    int n = in.workers == 0 ? 1 : (int)in.workers;
    feed_start(&in, (uint64_t)i, &s);
    double batch_s = in.batch * (in.item_s + (in.item_byte > 0 ? in.item_byte / in.storage_byte_per_s : 0)), last = 0;
    for (int k = 0; k < 2000 && s.done < 100; k++) {
      feed_step(&in, &s, INFINITY);
      int doing[FEED_DOINGS] = {0};
      for (int j = 0; j < n; j++) doing[s.worker[j]]++;
      assert_true(s.t >= last && isfinite(s.t));
      last = s.t;
      assert_true(s.ready >= 0 && s.ready <= fmax(in.queue, 1));
      assert_true(doing[FEED_READING] <= 1 && (doing[FEED_QUEUEING] == 0 || doing[FEED_READING] == 1));
      if (in.workers > 0 && doing[FEED_BLOCKED] > 0) assert_int_equal(s.ready, (int)in.queue);
      if (s.device == FEED_STARVED) assert_int_equal(s.ready, 0);
      assert_true(s.begun >= s.made && s.made >= s.done);
      /* A batch prepared is used up, in use, in the queue, or in a worker's hand. */
      int hand = in.workers > 0 ? doing[FEED_BLOCKED] : 0;
      assert_int_equal(s.made, s.done + (s.device == FEED_WORKING) + s.ready + hand);
    }
    double all = 0;
    for (int d = 0; d < FEED_DOINGS; d++) all += s.worker_s[d];
    NEAR(all, n * s.t, 1e-9);
    NEAR(s.step_s + s.starved_s, s.t, 1e-9);
    NEAR(s.busy_s, s.done * in.device_s + (s.device == FEED_WORKING ? in.device_s - s.device_left : 0), 1e-9);
    if (in.item_byte > 0) assert_true(s.worker_s[FEED_READING] >= s.made * in.batch * in.item_byte / in.storage_byte_per_s * (1 - 1e-9));
    assert_true(s.core_s <= in.cores * s.t * (1 + 1e-9) && batch_s > 0);
  }
}

/* Little (1961): batches in the queue = batches a second × time each stands there; here from the state before and after each step. */
static void the_queue_obeys_littles_law(void **state) {
  (void)state;
  struct feed in = {2, 0.01, 8, 0, INFINITY, INFINITY, 16, 4, 0.02, false};
  struct feed_state s;
  double arrived[4096], waited = 0;
  long in_queue = 0, out = 0;
  feed_start(&in, 1, &s);
  while (s.done < 2000) {
    long made = s.made, taken = s.done + (s.device == FEED_WORKING);
    feed_step(&in, &s, INFINITY);
    for (; made < s.made; made++) arrived[in_queue++ % 4096] = s.t;
    for (; taken < s.done + (s.device == FEED_WORKING); taken++) waited += s.t - arrived[out++ % 4096];
  }
  /* Those blocked in a worker's hand wait too, but not in the queue. */
  NEAR(s.ready_s + s.worker_s[FEED_BLOCKED], waited, 0.02);
}

static void steps_and_jumps_agree(void **state) {
  (void)state;
  seed = 6;
  for (int i = 0; i < 60; i++) {
    struct feed in = feed_roll();
    struct feed_state a, b;
    double t = 40 * roll() * (in.device_s + in.item_s * in.batch);
    feed_at(&in, 2, t, &a);
    feed_start(&in, 2, &b);
    for (int k = 1; k <= 400; k++)
      while (b.t < t * k / 400) feed_step(&in, &b, t * k / 400);
    NEAR(b.busy_s + 1, a.busy_s + 1, 1e-9);
    NEAR(b.ready_s + 1, a.ready_s + 1, 1e-9);
    assert_true(labs(a.done - b.done) <= 1 && labs(a.made - b.made) <= 1); /* an event at t itself may fall to either side */
  }
}

static void more_of_anything_never_hurts(void **state) {
  (void)state;
  seed = 7;
  for (int i = 0; i < 300; i++) {
    struct feed in = feed_roll(), more[5] = {in, in, in, in, in};
    struct feed_bound b, m;
    more[0].workers++, more[1].cores++, more[2].storage_byte_per_s *= 2, more[3].item_s /= 2, more[4].device_s /= 2;
    feed_bound_of(&in, &b);
    for (int k = 0; k < 5; k++) {
      feed_bound_of(&more[k], &m);
      assert_true(m.item_per_s >= b.item_per_s * (1 - 1e-12));
    }
    /* The number that is said to feed the device does, and one less does not. */
    if (isnan(b.workers_needed)) continue;
    in.workers = b.workers_needed, in.on_core = false;
    feed_bound_of(&in, &m);
    assert_true(m.limit == FEED_DEVICE);
    in.workers--;
    feed_bound_of(&in, &m);
    assert_true(m.limit == FEED_WORKER || in.workers == 0);
  }
}

static void a_deeper_queue_evens_out(void **state) {
  (void)state;
  struct feed in = {3, 0.02, 16, 0, INFINITY, INFINITY, 1, 1, 0.008, false};
  struct feed_seen s;
  double last = 0;
  for (in.queue = 1; in.queue <= 64; in.queue *= 4) {
    feed_run(&in, 1, &s);
    assert_true(s.busy > last - 1e-3);
    last = s.busy;
  }
  in.queue = 1;
  feed_run(&in, 1, &s);
  assert_true(last > s.busy + 0.02);
}

static void decks_have_the_mean_and_spread_they_say(void **state) {
  (void)state;
  static const double batch[] = {1, 4, 32, 400, 1000, 65536};
  for (size_t i = 0; i < sizeof batch / sizeof *batch; i++)
    for (double slow = 1; slow <= 64; slow *= 4) {
      struct feed in = {2, 0.01, slow, 0, INFINITY, INFINITY, 2, batch[i], 0.01, false};
      struct feed_bound b;
      double deck[FEED_DECK], other[FEED_DECK], sum = 0, square = 0, same = 0;
      feed_bound_of(&in, &b);
      feed_deck(&in, 1, deck);
      feed_deck(&in, 2, other);
      for (int k = 0; k < FEED_DECK; k++) sum += deck[k], square += deck[k] * deck[k], same += deck[k] == other[k];
      double mean = sum / FEED_DECK, cv = sqrt(fmax(0, square / FEED_DECK / mean / mean - 1));
      NEAR(mean, batch[i], 1e-12);
      if (slow == 1)
        assert_true(cv < 1e-7 && b.batch_cv == 0);
      else
        NEAR(cv, b.batch_cv, 0.03);
      if (slow > 1) assert_true(same < FEED_DECK); /* another seed, another order */
    }
}

static void bad_input_is_unknown(void **state) {
  (void)state;
  struct feed good = {2, 0.01, 1, 0, INFINITY, 4, 2, 1, 0.01, false}, bad[] = {good, good, good, good, good, good};
  struct feed_seen s;
  bad[0].item_s = NAN, bad[1].cores = NAN, bad[2].workers = FEED_WORKERS + 1, bad[3].device_s = 0, bad[4].slow = 0.5, bad[5].queue = 0;
  feed_run(&good, 1, &s);
  assert_true(isfinite(s.busy));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    feed_run(&bad[i], 1, &s);
    assert_true(isnan(s.busy) && isnan(s.ready) && isnan(s.worker[FEED_WORKING]));
  }
}

/* ---- the scene ---- */

static struct setup setup_of(const char *words) { return scene_setup(w, &scene_feed, words); }
static const struct shown *show(const char *words) { return scene_show_words(w, &scene_feed, words); }
static double value(const char *words, const char *name) { return shown_value(show(words), name); }
static const char *word(const char *words, const char *name) { return shown_word(show(words), name); }
static void says(const char *words, const char *part) { shown_says(show(words), part); }

static void the_chapters_cases(void **state) {
  (void)state;
  assert_true(scene_numbers(w, &scene_feed, "tests/chapter_feed.json") >= 40);
}

static void slow_items_are_told(void **state) {
  (void)state;
  says("workers=3 slow=16", "when slow items come together");
  says("workers=2 slow=16 queue=1", "A deeper queue evens out the slow ones");
  assert_true(value("workers=3 slow=16", "spread_loss") > 0.02 && value("workers=3", "spread_loss") == 0);
  assert_true(value("view=queue", "busy_queue_1") < value("view=queue", "busy_queue_64"));
  assert_true(isnan(value("", "busy_queue_1"))); /* seven simulations more, only where they are drawn */
}

/* What is run here: the knobs' times, or a whole decimal part of them; the setting on show first, each number of workers once. */
static void what_is_run_is_to_scale(void **state) {
  (void)state;
  struct request r[REQUEST_MAX];
  struct setup s = setup_of("workers=2");
  int n = scene_feed.measures(w, &s, r);
  assert_int_equal(n, 5);
  assert_true(r[0].shape.chain == 3 && r[0].shape.n == 20000 && r[0].shape.m == 8000 && r[0].shape.k == 2);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) assert_true(r[i].shape.chain != r[k].shape.chain);
  assert_true(loader_divisor(&s) == 1);
  s = setup_of("batch=32 device_step=200ms");
  assert_true(loader_divisor(&s) == 100);
  scene_feed.measures(w, &s, r);
  assert_true(r[0].shape.n == 200 && r[0].shape.m == 2000 && r[0].shape.batch == 32);
  s = setup_of("item_cost=1us"); /* shorter than can be told apart */
  assert_int_equal(scene_feed.measures(w, &s, r), 0);
  assert_string_equal(word("item_cost=1us", "state"), "cannot be run here");
}

static void a_measured_run_stands_beside(void **state) {
  (void)state;
  struct setup s = setup_of("batch=32 device_step=200ms");
  struct request r[REQUEST_MAX];
  scene_feed.measures(w, &s, r);
  assert_string_equal(word("batch=32 device_step=200ms", "state"), "not measured yet: m");
  struct run *run = run_open(w, &r[0], w->machine);
  struct sample one = {.time = 0.004,
                       .cpu_time = 0.005,
                       .residual = 0.1,
                       .threads = 3,
                       .warm = true,
                       .busy = 0.5,
                       .ready = 0.25,
                       .item_time = 250e-6,
                       .step_time = 2.2e-3,
                       .flags = FLAG_DISTURBED};
  for (int i = 0; i < 4; i++) one.busy = 0.4 + 0.05 * i, run_add(run, &one);
  int cpus = w->device[DEVICE_HERE].machine.cpus;
  w->device[DEVICE_HERE].machine.cpus = 2;
  const struct shown *shown = show("batch=32 device_step=200ms");
  NEAR(shown_value(shown, "measured_busy"), 0.475, 1e-9);
  NEAR(shown_value(shown, "measured_item"), 25e-3, 1e-9);
  NEAR(shown_value(shown, "measured_step"), 0.22, 1e-9);
  NEAR(shown_value(shown, "measured_item_per_s"), 32 / 0.4, 1e-9);
  NEAR(shown_value(shown, "here_item_per_s"), 2 / (0.02 + 0.2 / 32), 1e-6); /* two cores share all the work there is */
  assert_string_equal(shown_word(shown, "flags"), "");                      /* three threads on two cores: that is meant */
  w->device[DEVICE_HERE].machine.cpus = 16;
  shown = show("batch=32 device_step=200ms");
  assert_string_equal(shown_word(shown, "flags"), "disturbed");
  NEAR(shown_value(shown, "here_busy"), shown_value(shown, "device_busy"), 1e-6);
  says("batch=32 device_step=200ms", "a thread as device");
  struct why_input why;
  struct text head;
  assert_false(why_of(w, &r[0], &why)); /* no roofline reasons for what has no roof */
  text_clear(&head);
  why_head(&why, &head);
  assert_non_null(strstr(head.s, "no roof"));
  w->device[DEVICE_HERE].machine.cpus = cpus;
}

/* ---- real threads ---- */

static struct request request_of(double threads, double batch) {
  return (struct request){.op = OP_FEED, .shape = {60, 30, 2, batch, 4, threads, NAN}, .dtype = DTYPE_FP32, .isa = isas_here()[0]};
}

static void threads_do_the_work(void **state) {
  (void)state;
  for (int threads = 1; threads <= 4; threads++) {
    struct request r = request_of(threads, threads);
    struct bed b;
    bed_start(&b, &r, NULL);
    double residual = bed_residual(&b, 2, true);
    if (!(residual <= 1)) fail_msg("%d threads: %g", threads, residual);
    assert_true(b.job.pipeline.busy > 0 && b.job.pipeline.busy <= 1 && b.job.pipeline.item_time > 0 && b.job.pipeline.step_time > 0);
    assert_true(b.job.pipeline.ready >= 0 && b.job.pipeline.ready <= 2);
    if (threads == 1) assert_true(b.job.pipeline.ready == 0);
    assert_true(b.job.work.flop > 0 && b.job.work.byte > 0 && b.job.passes >= 8);
    bed_free(&b);
  }
}

static double (*true_dot)(const void *, const void *, size_t);
static double short_dot(const void *x, const void *y, size_t n) { return true_dot(x, y, n - 1); }
static double stale_dot(const void *x, const void *y, size_t n) {
  (void)x, (void)y, (void)n;
  return 0;
}

static void wrong_work_is_refused(void **state) {
  (void)state;
  struct lanes_real broken = *lanes_for(isas_here()[0], DTYPE_FP32);
  double (*wrong[])(const void *, const void *, size_t) = {short_dot, stale_dot};
  true_dot = broken.dot;
  for (int i = 0; i < 2; i++) {
    struct request r = request_of(2, 1);
    struct bed b;
    broken.dot = wrong[i];
    bed_start(&b, &r, &broken);
    assert_false(bed_residual(&b, 1, true) <= 1);
    bed_free(&b);
  }
}

static void too_much_is_refused_in_words(void **state) {
  (void)state;
  struct request r[] = {request_of(FEED_WORKERS + 2, 1), request_of(2, 1), request_of(2, 1), request_of(2, 1)};
  r[1].shape.k = FEED_QUEUE + 1, r[2].shape.fma = 65, r[3].dtype = DTYPE_FP64;
  for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
    struct job j = {.request = r[i]};
    assert_non_null(kernel_find(OP_FEED)->usable(&j));
  }
}

int main(void) {
  const struct CMUnitTest test[] = {cmocka_unit_test(alike_items_reach_the_bound),
                                    cmocka_unit_test(nothing_beats_the_bound),
                                    cmocka_unit_test(laws_hold),
                                    cmocka_unit_test(the_queue_obeys_littles_law),
                                    cmocka_unit_test(steps_and_jumps_agree),
                                    cmocka_unit_test(more_of_anything_never_hurts),
                                    cmocka_unit_test(a_deeper_queue_evens_out),
                                    cmocka_unit_test(decks_have_the_mean_and_spread_they_say),
                                    cmocka_unit_test(bad_input_is_unknown),
                                    cmocka_unit_test(the_chapters_cases),
                                    cmocka_unit_test(slow_items_are_told),
                                    cmocka_unit_test(what_is_run_is_to_scale),
                                    cmocka_unit_test(a_measured_run_stands_beside),
                                    cmocka_unit_test(threads_do_the_work),
                                    cmocka_unit_test(wrong_work_is_refused),
                                    cmocka_unit_test(too_much_is_refused_in_words)};
  return cmocka_run_group_tests(test, up, down);
}
