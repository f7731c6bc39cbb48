/* Points of other programs: the three forms, what each becomes, what is refused and in which words, and what may not harm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "data/samples.h"
#include "tests/support_data.h"

static struct world *world;

static bool take(const char *text, struct err *e) { return samples_parse(world, text, strlen(text), "t", e); }

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static void own_lines(void **state) {
  (void)state;
  struct err e;
  assert_true(samples_load(world, "tests/samples/own.jsonl", &e));
  assert_int_equal(world->nforeign, 3);
  assert_int_equal(world->foreign_bad + world->foreign_dropped, 0);
  assert_string_equal(world->foreign_file, "tests/samples/own.jsonl");
  const struct foreign *f = world->foreign;
  assert_string_equal(f[0].name, "gemm 1024");
  assert_true(f[0].flop == 2147483648.0 && f[0].byte == 12582912.0 && f[0].s == 0.031 && isnan(f[0].spread) && f[0].n == 0 &&
              !f[0].estimate);
  assert_string_equal(f[1].program, "mine");
  assert_true(f[1].n == 7 && f[1].spread == 0.02);
  assert_string_equal(f[0].mark, "A");
  assert_string_equal(f[2].mark, "C");
}

/* 2 FLOP a parameter and token; weights once a pass: 512 tokens of a prompt share one, generated tokens have one each. */
static void llama_bench(void **state) {
  (void)state;
  static const char *const file[] = {"tests/samples/llama.json", "tests/samples/llama.jsonl"};
  for (int i = 0; i < 2; i++) {
    struct err e;
    assert_true(samples_load(world, file[i], &e));
    assert_int_equal(world->nforeign, 2);
    const struct foreign *pp = &world->foreign[0], *tg = &world->foreign[1];
    assert_string_equal(pp->name, "tiny-1b-q4_0 pp512");
    assert_string_equal(tg->name, "tiny-1b-q4_0 tg128");
    assert_string_equal(tg->program, "llama-bench");
    assert_true(near(pp->flop, 2e9) && near(pp->byte, 600e6 / 512) && near(pp->s, 1 / 50.0) && near(pp->spread, 0.01) && pp->n == 3);
    assert_true(near(tg->flop, 2e9) && near(tg->byte, 600e6) && near(tg->s, 1 / 25.0) && near(tg->spread, 0.02) && tg->n == 2);
    assert_true(pp->estimate && tg->estimate);
  }
}

static void token_estimate(void **state) {
  (void)state;
  /* A prompt of one and a half passes reads the weights twice. */
  struct foreign_token t = foreign_per_token(1e9, 6e8, 768, 0, 512);
  assert_true(near(t.flop, 2e9) && near(t.byte, 2 * 6e8 / 768));
  /* Prompt and generation together lie between the two. */
  double both = foreign_per_token(1e9, 6e8, 512, 128, 512).byte;
  assert_true(both > foreign_per_token(1e9, 6e8, 512, 0, 512).byte && both < foreign_per_token(1e9, 6e8, 0, 128, 512).byte);
  assert_true(isnan(foreign_per_token(1e9, 6e8, 0, 0, 512).byte) && isnan(foreign_per_token(NAN, 6e8, 1, 0, 512).flop));
  assert_true(isnan(foreign_per_token(1e9, 6e8, 1, 0, 0).flop) && isnan(foreign_per_token(1e9, -1, 1, 0, 1).flop));
}

static void likwid_bench(void **state) {
  (void)state;
  struct err e;
  assert_true(samples_load(world, "tests/samples/likwid.txt", &e));
  assert_int_equal(world->nforeign, 2);
  assert_int_equal(world->foreign_bad, 1); /* load_avx does no arithmetic */
  assert_non_null(strstr(world->foreign_trouble[0], "likwid.txt:23: "));
  assert_non_null(strstr(world->foreign_trouble[0], "no place on a roofline"));
  const struct foreign *f = world->foreign;
  assert_string_equal(f[0].name, "triad_avx_fma 99.97 kB x2");
  assert_string_equal(f[0].program, "likwid-bench");
  assert_true(near(f[0].flop, 6e9) && near(f[0].byte, 48e9) && near(f[0].s, 1.5) && !f[0].estimate);
  assert_true(near(f[1].flop / f[1].s, 100e9));
  /* Rates serve where the counts are missing. */
  assert_true(take("LIKWID MICRO BENCHMARK\nTest: t\nTime: 2.0 sec\nMFlop"
                   "s/s: 500\nMByte/s: 1000\n",
                   &e));
  assert_true(near(world->foreign[0].flop, 1e9) && near(world->foreign[0].byte, 2e9));
}

/* One bad line does not take the others down, and each is told with its own number. */
static void bad_among_good(void **state) {
  (void)state;
  struct err e;
  assert_true(take("{\"name\":\"a\",\"flop\":1,\"byte\":1,\"s\":1}\n\n{\"name\":\n{\"name\":\"b\",\"flop\":2,\"byte\":1,\"s\":0}\r\n"
                   "  {\"name\":\"c\",\"flop\":3,\"byte\":1,\"s\":1}",
                   &e));
  assert_int_equal(world->nforeign, 2);
  assert_int_equal(world->foreign_bad, 2);
  assert_string_equal(world->foreign[1].name, "c");
  assert_string_equal(world->foreign[1].mark, "B");
  assert_non_null(strstr(world->foreign_trouble[0], "t:3:"));
  assert_string_equal(world->foreign_trouble[1], "t:4:35: s: expected seconds of one execution, 1e-12 to 1e9, found 0");
  /* The same in an array. */
  assert_true(take("[{\"name\":\"a\",\"flop\":1,\"byte\":1,\"s\":1},\n {\"name\":\"b\",\"flop\":2,\"byte\":1}]", &e));
  assert_int_equal(world->nforeign, 1);
  assert_string_equal(world->foreign_trouble[0], "t:2:2: [1].s: expected seconds of one execution, found no such key");
}

/* More than there are letters: the rest is counted, and no two points wear the same. */
static void too_many(void **state) {
  (void)state;
  char *text = malloc(200 * 64);
  int n = 0;
  struct err e;
  assert_non_null(text);
  for (int i = 0; i < FOREIGN_MAX + 7; i++) n += sprintf(text + n, "{\"name\":\"p%d\",\"flop\":1,\"byte\":1,\"s\":1}\n", i);
  assert_true(take(text, &e));
  free(text);
  assert_int_equal(world->nforeign, FOREIGN_MAX);
  assert_int_equal(world->foreign_dropped, 7);
  for (int i = 0; i < FOREIGN_MAX; i++) {
    assert_int_equal(strlen(world->foreign[i].mark), 1);
    assert_null(strchr("o?", world->foreign[i].mark[0])); /* those are ours */
    for (int j = 0; j < i; j++) assert_string_not_equal(world->foreign[i].mark, world->foreign[j].mark);
  }
  assert_string_equal(foreign_mark(FOREIGN_MAX), "");
  assert_string_equal(foreign_mark(-1), "");
}

/* A text that is refused leaves what was there. */
static void refused_changes_nothing(void **state) {
  (void)state;
  struct err e;
  assert_true(samples_load(world, "tests/samples/own.jsonl", &e));
  assert_false(take("[]", &e));
  assert_false(take("", &e));
  assert_false(samples_load(world, "tests/samples", &e));
  assert_int_equal(world->nforeign, 3);
  assert_string_equal(world->foreign_file, "tests/samples/own.jsonl");
}

/* Each file of the folder says exactly what its row says, and each file has a row. */
static void broken_files(void **state) {
  (void)state;
  struct table t;
  assert_true(table_load(&t, "tests/samples/broken/messages.tsv"));
  assert_true(t.nrow >= 20);
  for (int i = 0; i < t.nrow; i++) {
    char path[200], expected[700];
    struct err e;
    snprintf(path, sizeof path, "tests/samples/broken/%s", table_cell(&t, i, "file"));
    snprintf(expected, sizeof expected, "%s:%s", path, table_cell(&t, i, "message"));
    if (samples_load(world, path, &e)) fail_msg("%s was taken", path);
    assert_string_equal(e.text, expected);
  }
  table_free(&t);
}

static void no_harm(void **state) {
  (void)state;
  char folder[256], path[300];
  struct err e;
  scratch_make(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/fifo", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_false(samples_load(world, path, &e)); /* at once: nobody writes to it */
  assert_non_null(strstr(e.text, "a plain file"));
  assert_false(samples_load(world, folder, &e));
  assert_false(samples_load(world, "/dev/zero", &e));
  /* Control bytes never get through. */
  assert_true(take("{\"name\":\"a\\u001b[2J\\u009bb\",\"program\":\"\\u202ec\",\"flop\":1,\"byte\":1,\"s\":1}", &e));
  for (const unsigned char *c = (const unsigned char *)world->foreign[0].name; *c; c++) assert_true(*c >= 0x20 && *c < 0x7f);
  assert_true(world->foreign[0].program[0] == ' ');
  assert_true(take("LIKWID MICRO BENCHMARK\nTest: a\033[2J\nTime: 1\nNumber of Flop"
                   "s: 5\nData volume (Byte): 5\n",
                   &e));
  assert_null(strchr(world->foreign[0].name, '\033'));
  /* A name longer than its place is cut between characters. */
  char text[512], name[241] = "";
  for (int i = 0; i < 120; i++) strcat(name, "é");
  snprintf(text, sizeof text, "{\"name\":\"%s\",\"flop\":1,\"byte\":1,\"s\":1}", name);
  assert_true(take(text, &e));
  assert_int_equal(strlen(world->foreign[0].name), 62);
  /* Large files are refused, and so are long lines, but the others on them are not. */
  char *large = malloc(SAMPLES_BYTE_MAX + 2);
  assert_non_null(large);
  memset(large, ' ', SAMPLES_BYTE_MAX + 1);
  large[SAMPLES_BYTE_MAX + 1] = 0;
  assert_false(take(large, &e));
  assert_non_null(strstr(e.text, "at most 4 MiB"));
  memset(large, 'x', 70000);
  memcpy(large, "{\"name\":\"", 9);
  large[70000] = '\n';
  strcpy(large + 70001, "{\"name\":\"a\",\"flop\":1,\"byte\":1,\"s\":1}");
  assert_true(take(large, &e));
  assert_true(world->nforeign == 1 && world->foreign_bad == 1);
  assert_non_null(strstr(world->foreign_trouble[0], "at most 65536 bytes"));
  free(large);
  scratch_remove(folder);
}

/* What is printed reads back. */
static void printed_reads_back(void **state) {
  (void)state;
  struct foreign f = {
      .name = "a \"quoted\" one", .program = "ridge time", .flop = 1e9 / 3, .byte = 12345, .s = 1.0 / 7, .spread = 0.01, .n = 9};
  char text[512];
  struct err e;
  assert_true(sample_print(&f, 0.25, text, sizeof text) > 0);
  assert_null(strchr(text, '\n'));
  assert_true(take(text, &e));
  const struct foreign *back = &world->foreign[0];
  assert_string_equal(back->name, f.name);
  assert_string_equal(back->program, f.program);
  assert_true(back->flop == f.flop && back->byte == f.byte && back->s == f.s && back->spread == f.spread && back->n == f.n);
  assert_int_equal(sample_print(&f, NAN, text, 10), -1);
}

int main(void) {
  world = calloc(1, sizeof *world);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_lines),
      cmocka_unit_test(llama_bench),
      cmocka_unit_test(token_estimate),
      cmocka_unit_test(likwid_bench),
      cmocka_unit_test(bad_among_good),
      cmocka_unit_test(too_many),
      cmocka_unit_test(refused_changes_nothing),
      cmocka_unit_test(broken_files),
      cmocka_unit_test(no_harm),
      cmocka_unit_test(printed_reads_back),
  };
  int failed = world ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  free(world);
  return failed;
}
