/* The machines scene on the shipped catalogue: the chapter's numbers, the cursor that walks the list, the cards, and its words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "scenes/machines.h"
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

static struct setup setup_of(const char *words) { return scene_setup(w, &scene_machines, words); }
static const struct shown *show(const char *words) { return scene_show_words(w, &scene_machines, words); }
static double value(const char *words, const char *name) { return shown_value(show(words), name); }
static const char *word(const char *words, const char *name) { return shown_word(show(words), name); }
static void says(const char *words, const char *part) { shown_says(show(words), part); }

static void the_chapters_numbers(void **state) {
  (void)state;
  assert_true(scene_numbers(w, &scene_machines, "tests/chapter_machines.json") >= 45);
}

static void a_dozen_comes_first(void **state) {
  (void)state;
  uint8_t list[DEVICE_MAX];
  struct setup s = setup_of("");
  int n = machines_list(w, &s, list), first = 0;
  bool family[FAMILY_N] = {false};
  for (int i = 0; i < w->ndevice; i++) first += w->device[i].first > 0;
  assert_int_equal(first, 12);
  assert_int_equal(n, 13); /* and this machine */
  for (int i = 0; i < 12; i++) {
    assert_int_equal(w->device[list[i]].first, i + 1); /* each place once */
    family[w->device[list[i]].family] = true;
  }
  for (int f = 0; f < FAMILY_N; f++) assert_true(family[f]);
  s = setup_of("all=on");
  assert_int_equal(machines_list(w, &s, list), w->ndevice);
  s = setup_of("family=npu"); /* one of its own */
  assert_int_equal(machines_device(w, &s)->family, FAMILY_NPU);
  n = machines_list(w, &s, list);
  for (int i = 0; i < n; i++) assert_int_equal(w->device[list[i]].family, FAMILY_NPU);
  s = setup_of("family=npu device=t4"); /* what the person chose stays in the list */
  assert_string_equal(machines_device(w, &s)->id, "t4");
  assert_int_equal(machines_list(w, &s, list), n + 1);
  s = setup_of("family=tpu device=tpu-v4");
  n = machines_list(w, &s, list);
  assert_true(n > 1);
  for (int i = 0; i < n; i++) assert_int_equal(w->device[list[i]].family, FAMILY_TPU);
}

/* The cursor visits every device of the list once, in its order, and comes back. */
static void the_cursor_walks_the_list(void **state) {
  (void)state;
  static const char *const settings[] = {"", "sort=balance all=on", "view=choose", "family=gpu sort=memory reverse=on",
                                         "view=card sort=name all=on"};
  for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
    struct setup s = setup_of(settings[k]);
    uint8_t list[DEVICE_MAX];
    int n = machines_list(w, &s, list), at = -1;
    for (int i = 0; i < n; i++)
      if (list[i] == (int)s.v[KNOB_DEVICE]) at = i;
    assert_true(at >= 0);
    double v = s.v[KNOB_DEVICE];
    for (int i = 1; i <= n; i++) {
      struct setup person = s;
      assert_true(scene_machines.turn(w, &s, KNOB_DEVICE, 1, false, &person));
      double next = person.v[KNOB_DEVICE];
      assert_true(person.set[KNOB_DEVICE] && next == list[(at + i) % n]);
      s.v[KNOB_DEVICE] = next;
      assert_true(scene_machines.turn(w, &s, KNOB_DEVICE, -1, false, &person) && person.v[KNOB_DEVICE] == v);
      v = next;
    }
    struct setup person = s;
    assert_false(scene_machines.turn(w, &s, KNOB_SORT, 1, false, &person)); /* the table's step is the right one */
  }
}

static void cards_have_something_to_say(void **state) {
  (void)state;
  int told = 0;
  for (int i = 1; i < w->ndevice; i++) {
    const struct device *d = &w->device[i];
    assert_true(strlen(d->strengths) < sizeof d->strengths - 1 && strlen(d->constraints) < sizeof d->constraints - 1); /* not cut */
    assert_true((d->strengths[0] != 0) == (d->constraints[0] != 0)); /* no praise without its price */
    told += d->strengths[0] != 0;
    if (d->first) assert_true(d->strengths[0] != 0);
    assert_true(isnan(d->sparse_ratio.value) || d->headline[0]); /* the headline it is taken from is told */
  }
  assert_true(told >= 40);
  for (int i = 1; i < w->ndevice; i++) {
    struct setup s = setup_of("view=card");
    struct fact f[FACT_MAX];
    s.v[KNOB_DEVICE] = i;
    int n, rows = 0, sourced = 0;
    for (; (n = scene_machines.rows(w, &s, rows, f)) > 0; rows++) {
      if (isnan(fact_value(f, n, "value"))) continue;
      sourced++;
      assert_true(strlen(fact_word(f, n, "source")) > 3);
      assert_string_not_equal(fact_word(f, n, "from"), "unknown");
    }
    int unverified;
    assert_int_equal(sourced, sheet_figures(&w->device[i], &unverified));
  }
}

static void the_headline_falls_and_the_rate_does_not(void **state) {
  (void)state;
  static const char *const knob[] = {" peel_sparsity=on", " peel_precision=on", " peel_operation=on", " peel_use=on"};
  char words[200] = "view=peak device=h100-sxm";
  double before = value(words, "peeled_flop_per_s"), rate = value(words, "memory_byte_per_s");
  for (int i = 0; i < 4; i++) {
    strcat(words, knob[i]);
    double now = value(words, "peeled_flop_per_s");
    assert_true(now < before);
    assert_true(value(words, "memory_byte_per_s") == rate);
    before = now;
  }
  assert_true(before == value(words, "peeled_all_flop_per_s"));
}

static void this_machine_is_built_from_what_was_measured(void **state) {
  (void)state;
  double product = value("view=cpu", "here_threads") * value("view=cpu", "here_units") * value("view=cpu", "here_lanes") * 2 *
                   value("view=cpu", "here_clock_hz");
  assert_true(fabs(product / value("view=cpu", "here_flop_per_s") - 1) < 1e-12);
  assert_true(value("view=cpu", "here_flop_per_s") == 100e9);
  assert_true(value("view=cpu", "here_lanes") == 8);
  bool was = w->device[DEVICE_HERE].machine.measured;
  w->device[DEVICE_HERE].machine.measured = false;
  assert_true(isnan(value("view=cpu", "here_flop_per_s")));
  says("view=cpu", "not measured yet");
  w->device[DEVICE_HERE].machine.measured = was;
}

/* What real code gets of a peak is measured where peaks are taken apart, and nowhere else. */
static void a_real_product_is_measured(void **state) {
  (void)state;
  struct request r[REQUEST_MAX];
  struct setup s = setup_of("");
  assert_int_equal(scene_machines.measures(w, &s, r), 0);
  s = setup_of("view=cpu");
  assert_int_equal(scene_machines.measures(w, &s, r), 1);
  assert_int_equal(r[0].op, OP_MATMUL);
  assert_true(isnan(value("view=cpu", "product_flop_per_s")));
  world_measured(w, &r[0], 2.0 * 1024 * 1024 * 1024 / 80e9, 5); /* at 80 GFLOP/s of 100 */
  assert_true(fabs(value("view=cpu", "product_flop_per_s") / 80e9 - 1) < 1e-9);
  assert_true(fabs(value("view=peak", "product_share") - 0.8) < 1e-9);
  says("view=cpu", "got 80.0 % of it");
  w->nrun = 0;
}

static void it_says_what_follows(void **state) {
  (void)state;
  says("device=h100-sxm", "295 FLOP");
  says("device=h100-sxm", "h200-sxm has the same peak");
  says("device=x-elite-npu", "one of the two numbers is missing");
  says("view=choose", "buy bandwidth");
  says("view=choose intensity=4096 flop=1e15", "buy arithmetic");
  says("view=choose need=1e15", "None of these holds the data");
  says("view=choose special=branches", "wait for one another");
  says("view=choose special=premises device=tpu-v6e", "never bought");
  says("view=choose special=cuda family=tpu", "So is every other one");
  says("view=twins", "misled");
  says("view=twins intensity=4096", "no difference");
  says("view=peak", "Take the four off");
  says("view=peak peel_use=on", "memory rate is still");
  says("view=card device=m4-max", "never checked");
  says("view=plot device=m3-ultra", "tokens a second at most");
  says("view=balance", "tpu-v6e");
  says("view=cpu", "768");
}

static void what_is_special_counts(void **state) {
  (void)state;
  /* the chapter's list of what a grid of multiply-adders is poor at; it is good at what is left */
  static const char *const poor[] = {"branches", "elementwise", "precision", "operations", "shapes", "premises", "cuda"};
  for (size_t i = 0; i < sizeof poor / sizeof *poor; i++) {
    char words[80] = "view=choose device=tpu-v6e special=";
    strcat(words, poor[i]);
    assert_string_not_equal(word(words, "against"), "nothing");
    assert_true(isnan(value(words, "rank")));
    assert_string_not_equal(word(words, "best_device"), "tpu-v6e");
  }
  assert_string_equal(word("view=choose device=tpu-v6e special=nothing", "against"), "nothing");
  assert_string_equal(word("view=choose device=epyc-9654 special=branches", "against"), "nothing");
  assert_true(value("view=choose device=epyc-9654 special=branches", "rank") > 0);
  assert_string_equal(word("view=choose device=h100-sxm special=cuda", "against"), "nothing");
  assert_string_not_equal(word("view=choose device=mi300x special=cuda", "against"), "nothing");
  assert_string_not_equal(word("view=choose device=alveo-u280 special=changes", "against"), "nothing");
  assert_string_not_equal(word("view=choose device=x-elite-npu special=operations", "against"), "nothing");
  for (int i = 0; i < w->ndevice; i++) assert_null(choose_against(&w->device[i], SPECIAL_NONE));
  for (int k = 0; k < SPECIAL_N; k++) { /* who is poor at it comes after all that are not, whatever the rates */
    struct setup s = setup_of("view=choose all=on");
    s.v[KNOB_SPECIAL] = k;
    struct job job = machines_job(&s);
    uint8_t list[DEVICE_MAX];
    int n = machines_list(w, &s, list);
    bool over = false;
    for (int i = 0; i < n; i++) {
      struct offer o = choose_offer(w, list[i], &job);
      if (o.fits != FITS_YES || isnan(o.time)) continue;
      assert_false(over && !o.against);
      over = over || o.against;
    }
  }
}

/* Every view gives the same facts by name, and its own table, whose rows all have the same columns. */
static void views_have_tables(void **state) {
  (void)state;
  static const char *const views[] = {"table", "plot", "balance", "card", "peak", "cpu", "twins", "choose"};
  static const int rows[] = {13, 13, 13, -1, 5, 6, 5, 13};
  int first = 0;
  for (int i = 0; i < 8; i++) {
    char words[40] = "view=";
    struct setup s = setup_of(strcat(words, views[i]));
    struct fact f[FACT_MAX];
    int n = show(words)->n, columns = scene_machines.rows(w, &s, 0, f), row = 0;
    if (i == 0) first = n;
    assert_int_equal(n, first);
    assert_true(columns > 2);
    while ((n = scene_machines.rows(w, &s, row, f)) > 0) assert_int_equal(n, columns), row++;
    if (rows[i] >= 0) assert_int_equal(row, rows[i]);
    assert_string_equal(word(words, "view_name"), views[i]);
  }
  for (int i = 1; i < TWIN_OPS; i++) assert_true(machines_op(i).flop_per_byte > machines_op(i - 1).flop_per_byte);
}

int main(void) {
  const struct CMUnitTest test[] = {cmocka_unit_test(the_chapters_numbers),
                                    cmocka_unit_test(a_dozen_comes_first),
                                    cmocka_unit_test(the_cursor_walks_the_list),
                                    cmocka_unit_test(cards_have_something_to_say),
                                    cmocka_unit_test(the_headline_falls_and_the_rate_does_not),
                                    cmocka_unit_test(this_machine_is_built_from_what_was_measured),
                                    cmocka_unit_test(a_real_product_is_measured),
                                    cmocka_unit_test(it_says_what_follows),
                                    cmocka_unit_test(what_is_special_counts),
                                    cmocka_unit_test(views_have_tables)};
  return cmocka_run_group_tests(test, up, down);
}
