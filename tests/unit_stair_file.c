/* The staircase from figure lines into the machine's file and back: nothing lost, nothing taken for what it is not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "data/line.h"
#include "tests/support_world.h"

static struct line stair_line(const char *name, double byte, double value, int threads) {
  struct line l;
  line_clear(&l, LINE_FIGURE);
  strcpy(l.name, name);
  l.byte = byte, l.value = value, l.request.threads = threads;
  l.samples = 7, l.spread = 0.015625, l.seed = 3, l.flags = FLAG_DISTURBED;
  return l;
}

/* Through the text of the line, as from a child. */
static bool take(const struct line *l, struct device *d) {
  char text[LINE_BYTE_MAX + 1];
  struct line back;
  struct err e;
  assert_true(line_print(l, text, sizeof text) > 0);
  if (!line_read(text, &back, &e)) fail_msg("%s: %s", text, e.text);
  assert_true(back.byte == l->byte || (isnan(back.byte) && isnan(l->byte)));
  return line_apply(&back, d);
}

static void test_lines(void **state) {
  (void)state;
  struct world *w = world_invented();
  struct device *d = &w->device[0];
  struct line l = stair_line("stair", 4096, 3e11, 2);
  assert_true(take(&l, d));
  l = stair_line("stair", 8192, 1.5e11, 1);
  assert_true(take(&l, d));
  l = stair_line("stair_latency", 16384, 1e-9, 1);
  assert_true(take(&l, d));
  const struct stair *s = d->machine.stair;
  assert_true(s[STAIR_TEAM].n == 1 && s[STAIR_ONE].n == 1 && s[STAIR_LATENCY].n == 1);
  const struct stair_point *p = &s[STAIR_TEAM].point[0];
  assert_true(p->byte == 4096 && p->value == 3e11 && p->threads == 2 && p->samples == 7 && p->spread == 0.015625f &&
              p->flags == FLAG_DISTURBED);
  assert_true(s[STAIR_TEAM].seed == 3);
  assert_true(s[STAIR_ONE].point[0].byte == 8192 && s[STAIR_LATENCY].point[0].value == 1e-9);
  l = stair_line("stair", NAN, 3e11, 2); /* without a size it is no point */
  assert_false(take(&l, d));
  l = stair_line("stair", 4096, 0, 2);
  assert_false(take(&l, d));
  l = stair_line("stairway", 4096, 1, 2);
  assert_false(take(&l, d));
  assert_int_equal(s[STAIR_TEAM].n, 1);
  d->machine.threads = 1; /* a team of one is both */
  l = stair_line("stair", 65536, 1e11, 1);
  assert_true(take(&l, d));
  assert_true(s[STAIR_TEAM].n == 2 && s[STAIR_ONE].n == 2);
  free(w);
}

static void test_file(void **state) {
  (void)state;
  static struct device saved, loaded;
  struct world *w = world_invented();
  struct err e;
  char path[] = "/tmp/ridge-stair-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  saved = w->device[0];
  double size[STAIR_MAX];
  int n = stair_sizes(4096, 128 * 1048576.0, 6, size, STAIR_MAX);
  for (int i = 0; i < n; i++) {
    struct line l = stair_line("stair", size[i],
                               size[i] <= 65536     ? 400e9
                               : size[i] <= 1048576 ? 200e9
                               : size[i] <= 4194304 ? 80e9
                                                    : 20e9 / 3,
                               2);
    assert_true(line_apply(&l, &saved));
    l = stair_line("stair_latency", size[i] * 1.1, 1e-9 * (i + 1) / 3, 1);
    assert_true(line_apply(&l, &saved));
  }
  assert_int_equal(saved.machine.nplateau, 4);
  if (!device_save(path, &saved, &e) || !device_load(path, &loaded, &e)) fail_msg("%s", e.text);
  for (int k = 0; k < STAIR_KIND_N; k++) {
    const struct stair *a = &saved.machine.stair[k], *b = &loaded.machine.stair[k];
    assert_int_equal(a->n, b->n);
    assert_true(a->seed == b->seed || (isnan(a->seed) && isnan(b->seed)));
    for (int i = 0; i < a->n; i++) {
      const struct stair_point *p = &a->point[i], *q = &b->point[i];
      assert_true(p->byte == q->byte && p->value == q->value && p->spread == q->spread);
      assert_true(p->threads == q->threads && p->samples == q->samples && p->flags == q->flags);
    }
  }
  assert_int_equal(loaded.machine.nplateau, 4);
  for (int i = 0; i < 3; i++) assert_true(loaded.level[i].knee_byte.value == saved.level[i].knee_byte.value);
  assert_true(loaded.level[2].knee_byte.value < 8e6 && loaded.level[2].byte.value == 33554432);
  unlink(path);
  free(w);
}

/* A file from before there were staircases is as good as ever. */
static void test_before(void **state) {
  (void)state;
  static struct device d;
  struct err e;
  if (!device_load("tests/golden/machine.json", &d, &e)) fail_msg("%s", e.text);
  for (int k = 0; k < STAIR_KIND_N; k++) assert_int_equal(d.machine.stair[k].n, 0);
  assert_int_equal(d.machine.nplateau, 0);
  for (int i = 0; i < d.nlevel; i++) assert_true(isnan(d.level[i].knee_byte.value));
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *stair, *why;
  } bad[] = {{"{\"reed\": {\"points\": []}}", "reed"},
             {"{\"read\": {}}", "points"},
             {"{\"read\": {\"points\": [{\"value\": 1}]}}", "byte"},
             {"{\"read\": {\"points\": [{\"byte\": 4096}]}}", "value"},
             {"{\"read\": {\"points\": [{\"byte\": -1, \"value\": 1}]}}", "byte"},
             {"{\"read\": {\"points\": [{\"byte\": 1, \"value\": 1, \"flags\": [\"odd\"]}]}}", "flag"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    static struct device d;
    struct err e;
    char path[] = "/tmp/ridge-stair-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fprintf(f, "{\"id\": \"here\", \"name\": \"x\", \"family\": \"cpu\", \"machine\": {\"measured\": true, \"threads\": 2, \"stair\": %s}}",
            bad[i].stair);
    fclose(f);
    bool fine = device_load(path, &d, &e);
    unlink(path);
    if (fine || !strstr(e.text, bad[i].why)) fail_msg("%s: %s", bad[i].stair, fine ? "taken" : e.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_file), cmocka_unit_test(test_before),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
