/* The boxes of the hierarchy scene: at 80×24 each level tells what it holds, its rate, its latency, the time to read all of it and the
 * steps to the next one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "scenes/hierarchy.h"
#include "tests/support_world.h"
#include "tui/number.h"
#include "tui/printer.h"

/* The screen as text; caller frees. */
static char *screen_of(const struct world *w, const struct setup *person, int width, int height) {
  struct canvas c = {0};
  struct axes axes = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
  struct frame f = {.scene = &scene_hierarchy, .person = person, .world = w, .axes = &axes, .focus = -1, .focus_fact = -1, .changed = -1};
  static struct frame_data d;
  char *text = NULL;
  size_t n = 0;
  FILE *to = open_memstream(&text, &n);
  assert_true(to && canvas_init(&c, width, height));
  frame_compute(&f, &d);
  frame_draw(&c, &f, &d);
  assert_int_equal(c.overwritten, 0);
  assert_true(printer_print(to, &c, FORMAT_TEXT, THEME_DARK, CHARSET_BRAILLE, "x"));
  fclose(to);
  canvas_free(&c);
  return text;
}

/* One row of the screen holds all these words, in this order; words from `from` on. Returns where they end. */
static const char *row_with(const char *from, const char *const *word, int n) {
  for (const char *row = from; row; row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL) {
    const char *end = strchr(row, '\n'), *at = row;
    int found = 0;
    for (; found < n && (at = strstr(at, word[found])) && (!end || at < end); found++) at += strlen(word[found]);
    if (found == n) return at;
  }
  return NULL;
}

/* steps: 2 with the step in size, 1 without. */
static void boxes_tell_all(int width, int height, int steps) {
  struct world *w = world_invented();
  struct setup p;
  setup_clear(&p);
  struct device *d = &w->device[0];
  d->level[0].count = d->level[1].count = 2;
  char *text = screen_of(w, &p, width, height);
  const char *at = text;
  struct setup s;
  struct fact f[FACT_MAX];
  setup_for(w, &scene_hierarchy, &p, &s);
  for (int i = 0; i < d->nlevel; i++) {
    int n = hierarchy_rows(w, &s, i, f);
    char size[NUMBER_MAX], rate[NUMBER_MAX], latency[NUMBER_MAX], time[NUMBER_MAX], slower[NUMBER_MAX], larger[NUMBER_MAX];
    number_print(size, fact_value(f, n, "byte_one"), "iB", 3, false);
    number_print(rate, fact_value(f, n, "byte_per_s"), "byte/s", 3, false);
    number_print(latency, fact_value(f, n, "latency"), "s", 3, false);
    number_print(time, fact_value(f, n, "sweep_time"), "s", 3, false);
    number_print(slower, fact_value(f, n, "slower"), "x", 3, false);
    number_print(larger, fact_value(f, n, "larger"), "x", 3, false);
    const char *const first[] = {d->level[i].name, size, rate, latency}, *const second[] = {"all in", time},
                      *const third[] = {slower, larger};
    const char *one = row_with(at, first, 4), *two = one ? row_with(one, second, 2) : NULL;
    if (!one || !two || two - one > 400) fail_msg("%s at %dx%d:\n%s", d->level[i].name, width, height, text);
    if (i + 1 < d->nlevel && !row_with(two, third, steps)) fail_msg("no step after %s:\n%s", d->level[i].name, text);
    at = one;
  }
  free(text);
  free(w);
}

static void test_boxes(void **state) {
  (void)state;
  boxes_tell_all(80, 24, 2);
  boxes_tell_all(100, 28, 2);
  boxes_tell_all(120, 40, 2);
}

/* Where only one row a level fits, the time stands on the border below it, before the step in rate. */
static void test_thin_boxes(void **state) {
  (void)state;
  boxes_tell_all(80, 18, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes), cmocka_unit_test(test_thin_boxes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
