/* key=value words: every kind of knob, what is refused and how it is said, and setups that survive being printed and read back. */
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

#include "app/app.h"
#include "app/args.h"
#include "tests/support_data.h"

/* A small world of our own: two devices and a model, no files. */
static struct world *world_make(void) {
  struct world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  static const char *const id[] = {"here", "h100-sxm", "h100-pcie", "a100-80gb-sxm"};
  for (int i = 0; i < 4; i++) {
    device_clear(&w->device[i]);
    snprintf(w->device[i].id, sizeof w->device[i].id, "%s", id[i]);
  }
  w->ndevice = 4;
  snprintf(w->model[0].id, sizeof w->model[0].id, "chapter-7b");
  snprintf(w->model[1].id, sizeof w->model[1].id, "llama-2-7b");
  w->nmodel = 2;
  return w;
}

static int setup_world(void **state) {
  *state = world_make();
  return 0;
}

static int free_world(void **state) {
  free(*state);
  return 0;
}

static double word_value(struct world *w, const char *word, int knob) {
  struct setup s;
  struct err e;
  setup_clear(&s);
  if (!setup_word(w, &s, word, &e)) fail_msg("%s refused: %s", word, e.text);
  assert_true(s.set[knob]);
  return s.v[knob];
}

static void refused(struct world *w, const char *word, const char *part) {
  struct setup s, before;
  struct err e;
  setup_clear(&s);
  before = s;
  if (setup_word(w, &s, word, &e)) fail_msg("%s was taken", word);
  if (!strstr(e.text, part)) fail_msg("%s: \"%s\" does not say \"%s\"", word, e.text, part);
  assert_memory_equal(s.set, before.set, sizeof s.set); /* a refused word changes nothing */
}

static void numbers_with_units(void **state) {
  struct world *w = *state;
  assert_true(word_value(w, "batch=64", KNOB_BATCH) == 64);
  assert_true(word_value(w, "n=2^20", KNOB_N_SIZE) == 1048576);
  assert_true(word_value(w, "n=4k", KNOB_N_SIZE) == 4000);
  assert_true(word_value(w, "n=4Ki", KNOB_N_SIZE) == 4096);
  assert_true(word_value(w, "params=7e9", KNOB_PARAMS) == 7e9);
  assert_true(word_value(w, "params=7G", KNOB_PARAMS) == 7e9);
  assert_true(word_value(w, "link_rate=25GB/s", KNOB_LINK_RATE) == 25e9);
  assert_true(word_value(w, "link_rate=25 GB/s", KNOB_LINK_RATE) == 25e9);
  assert_true(word_value(w, "device_rate=100T", KNOB_DEVICE_RATE) == 100e12);
  assert_true(fabs(word_value(w, "copy_cost=10us", KNOB_COPY_COST) - 10e-6) < 1e-20);
  assert_true(fabs(word_value(w, "deadline=50ms", KNOB_DEADLINE) - 50e-3) < 1e-17);
  assert_true(word_value(w, "working_set=32MiB", KNOB_WORKING_SET) == 33554432);
  assert_true(word_value(w, "copy_cost=0", KNOB_COPY_COST) == 0);
}

static void choices_and_switches(void **state) {
  struct world *w = *state;
  assert_true(word_value(w, "device=h100-pcie", KNOB_DEVICE) == 2);
  assert_true(word_value(w, "compare=none", KNOB_COMPARE) == 0);
  assert_true(word_value(w, "compare=h100-pcie", KNOB_COMPARE) == 3);
  assert_true(word_value(w, "math=auto", KNOB_MATH) == 0);
  assert_true(word_value(w, "dtype=bf16", KNOB_DTYPE) == DTYPE_BF16);
  assert_true(word_value(w, "recipe=18", KNOB_RECIPE) == 1);
  assert_true(word_value(w, "overlap=on", KNOB_OVERLAP) == 1);
  assert_true(word_value(w, "overlap=false", KNOB_OVERLAP) == 0);
  assert_true(word_value(w, "isa=avx2", KNOB_ISA) == ISA_AVX2);
  for (int op = 0; op < OP_SCENE_N; op++) {
    char word[64];
    snprintf(word, sizeof word, "op=%s", op_name((enum op)op));
    assert_true(word_value(w, word, KNOB_OP) == op);
  }
}

static void refusals_name_the_nearest(void **state) {
  struct world *w = *state;
  refused(w, "bacth=3", "batch");
  refused(w, "bandwith=1e9", "bandwidth");
  refused(w, "zzzzzz=1", "unknown knob zzzzzz; see ridge knobs");
  refused(w, "device=h100", "h100-sxm or h100-pcie");
  refused(w, "device=h100sxm", "h100-sxm");
  refused(w, "dtype=bf61", "did you mean bf16");
  refused(w, "op=atention", "attention");
  refused(w, "overlap=maybe", "expected on or off, found maybe");
  refused(w, "recipe=12", "16, 18 or 10");
  refused(w, "view=levls", "first, spread, "); /* a long list that no command lists is given in full */
  refused(w, "view=levls", "did you mean levels");
  refused(w, "model=gpt", "chapter-7b");
  refused(w, "batch", "key=value");
  refused(w, "=3", "unknown knob");
  refused(w, "op=peak", "expected weights"); /* a kernel, but no operation a learner chooses */
}

static void refusals_give_the_range(void **state) {
  struct world *w = *state;
  refused(w, "batch=0", "1 … 65536");
  refused(w, "batch=65537", "found 65537: out of range");
  refused(w, "batch=-1", "1");
  refused(w, "batch=1.5", "whole number");
  refused(w, "fma=257", "256");
  refused(w, "copy_cost=1", "0.01");
  refused(w, "batch=", "batch");
  refused(w, "batch=nan", "batch");
  refused(w, "batch=inf", "batch");
  refused(w, "batch=0x10", "batch");
  refused(w, "batch=1 2", "batch");
  refused(w, "batch=auto", "batch"); /* it follows nothing */
  refused(w, "params=", "or auto");
}

static void auto_follows_again(void **state) {
  struct world *w = *state;
  struct setup s;
  struct err e;
  setup_clear(&s);
  assert_true(setup_word(w, &s, "m=256", &e));
  assert_true(s.set[KNOB_M]);
  assert_true(setup_word(w, &s, "m=auto", &e));
  assert_false(s.set[KNOB_M]);
  assert_true(isnan(s.v[KNOB_M]));
}

static void a_scene_and_its_words(void **state) {
  struct world *w = *state;
  struct setup s;
  struct err e;
  const struct scene *scene;
  const char *by_name[] = {"roofline", "batch=8", "n=512"}, *by_address[] = {"2.1"}, *none[] = {"batch=8"}, *wrong[] = {"rofline"};
  const char *command[] = {"pritn"};
  assert_true(setup_words(w, by_name, 3, &scene, &s, &e));
  assert_string_equal(scene->name, "roofline");
  assert_true(s.v[KNOB_BATCH] == 8 && s.v[KNOB_N_SIZE] == 512);
  assert_true(setup_words(w, by_address, 1, &scene, &s, &e));
  assert_string_equal(scene->name, "roofline");
  assert_false(s.set[KNOB_BATCH]); /* cleared first */
  assert_true(setup_words(w, none, 1, &scene, &s, &e));
  assert_ptr_equal(scene, scene_table[0]);
  assert_true(setup_words(w, NULL, 0, &scene, &s, &e));
  assert_false(setup_words(w, wrong, 1, &scene, &s, &e));
  assert_non_null(strstr(e.text, "did you mean roofline?"));
  assert_false(setup_words(w, command, 1, &scene, &s, &e));
  assert_non_null(strstr(e.text, "did you mean print?"));
}

/* Splits as a shell would, for the words setup_print makes: blanks divide, single quotes keep, \' between quotes. */
static int shell_split(char *line, char *word[], int max) {
  int n = 0;
  char *out = line, *in = line;
  while (*in) {
    while (*in == ' ') in++;
    if (!*in) break;
    assert_true(n < max);
    word[n++] = out;
    bool quoted = false;
    for (; *in && (quoted || *in != ' '); in++) {
      if (*in == '\'')
        quoted = !quoted;
      else if (!quoted && *in == '\\' && in[1])
        *out++ = *++in;
      else
        *out++ = *in;
    }
    if (*in) in++;
    *out++ = 0;
  }
  return n;
}

static uint32_t random_next_bits(uint32_t *x) {
  *x ^= *x << 13;
  *x ^= *x >> 17;
  return *x ^= *x << 5;
}

static double random_share(uint32_t *x) { return random_next_bits(x) / 4294967296.0; }

static void same_setup(const struct setup *a, const struct setup *b, const char *line) {
  for (int k = 0; k < KNOB_N; k++) {
    if (knob_table[k].kind == KNOB_TEXT && strcmp(knob_text(a, k), knob_text(b, k)) != 0)
      fail_msg("%s: %s was %s, came back %s", line, knob_table[k].key, knob_text(a, k), knob_text(b, k));
    if (a->set[k] != b->set[k] || (a->set[k] && a->v[k] != b->v[k]))
      fail_msg("%s: %s was %d %.17g, came back %d %.17g", line, knob_table[k].key, a->set[k], a->v[k], b->set[k], b->v[k]);
  }
}

static void random_setups_survive(void **state) {
  struct world *w = *state;
  uint32_t seed = 12345;
  static char line[8192], copy[8192];
  char folder[256], awkward[400];
  scratch_make(folder, sizeof folder);
  scratch_write(folder, "it's $HOME \\n; a 'file' .jsonl", "{\"name\":\"a\",\"flop\":1,\"byte\":1,\"s\":1}\n");
  snprintf(awkward, sizeof awkward, "%s/it's $HOME \\n; a 'file' .jsonl", folder);
  for (int round = 0; round < 2000; round++) {
    struct setup s, back;
    struct err e;
    char *word[KNOB_N];
    setup_clear(&s);
    for (int k = 0; k < KNOB_N; k++) {
      const struct knob *knob = &knob_table[k];
      if (random_share(&seed) < 0.5) continue;
      double v;
      if (k == KNOB_FLIPS || k == KNOB_ACCELERATED) {
        assert_true(setup_text(w, &s, k, "1,5,16", &e));
        continue;
      }
      if (k == KNOB_RECORD) {
        assert_true(setup_text(w, &s, k, "data/records/example.json", &e));
        continue;
      }
      if (knob->kind == KNOB_TEXT) { /* what it names must be there */
        assert_true(setup_text(w, &s, k, random_share(&seed) < 0.5 ? "tests/samples/own.jsonl" : awkward, &e));
        continue;
      }
      if (knob->kind == KNOB_CHOICE)
        v = floor(random_share(&seed) * choice_count(w, knob->list));
      else if (knob->kind == KNOB_LOG2)
        v = knob->lo * pow(knob->hi / knob->lo, random_share(&seed));
      else
        v = knob->lo + (knob->hi - knob->lo) * random_share(&seed);
      s.v[k] = knob_clamp(w, k, v);
      s.set[k] = true;
    }
    setup_print(w, &s, line, sizeof line);
    snprintf(copy, sizeof copy, "%s", line);
    int n = shell_split(copy, word, KNOB_N);
    setup_clear(&back);
    for (int i = 0; i < n; i++)
      if (!setup_word(w, &back, word[i], &e)) fail_msg("%s refused: %s", word[i], e.text);
    same_setup(&s, &back, line);
  }
  scratch_remove(folder);
}

/* Words at a door: control bytes dropped, too many refused, nothing at all unsets, a failure changes nothing. */
static void words_are_kept(void **state) {
  struct world *w = *state;
  struct setup s;
  struct err e;
  char value[200], line[400];
  setup_clear(&s);
  assert_string_equal(knob_text(&s, KNOB_SAMPLES), "");
  assert_true(setup_word(w, &s, "samples=  tests/sam\033ples/own\x7f.json\xc2\x9bl ", &e));
  assert_string_equal(knob_text(&s, KNOB_SAMPLES), "tests/samples/own.jsonl");
  assert_true(s.set[KNOB_SAMPLES]);
  assert_int_equal(w->nforeign, 3);
  setup_print(w, &s, line, sizeof line);
  assert_string_equal(line, "samples=tests/samples/own.jsonl");
  assert_false(setup_word(w, &s, "samples=tests/samples/none.jsonl", &e));
  assert_non_null(strstr(e.text, "none.jsonl: expected a file that can be read"));
  assert_string_equal(knob_text(&s, KNOB_SAMPLES), "tests/samples/own.jsonl");
  assert_int_equal(w->nforeign, 3);
  memset(value, 'a', sizeof value);
  memcpy(value, "samples=", 8);
  value[8 + 128] = 0;
  assert_false(setup_word(w, &s, value, &e));
  assert_string_equal(e.text, "samples: expected at most 127 bytes, found 128");
  value[8 + 127] = 0; /* as many as there is room for: refused for what it is, not for its length */
  assert_false(setup_word(w, &s, value, &e));
  assert_non_null(strstr(e.text, "a file that can be read"));
  assert_true(setup_word(w, &s, "samples=", &e));
  assert_false(s.set[KNOB_SAMPLES]);
  setup_print(w, &s, line, sizeof line);
  assert_string_equal(line, "");
  /* What another scene shows has the words too. */
  assert_true(setup_word(w, &s, "samples=tests/samples/own.jsonl", &e));
  for (int i = 0; i < scene_count; i++) {
    static struct setup resolved;
    setup_for(w, scene_table[i], &s, &resolved);
    assert_string_equal(knob_text(&resolved, KNOB_SAMPLES), "tests/samples/own.jsonl");
  }
  setup_clear(&s);
  assert_string_equal(s.text[SLOT_SAMPLES], "");
}

static void paths_survive_quotes(void **state) {
  struct world *w = *state;
  struct setup s;
  char line[1024], *word[4];
  snprintf(w->device[3].id, sizeof w->device[3].id, "%s", "/home/o'hara/my laptop $HOME.json");
  setup_clear(&s);
  s.v[KNOB_DEVICE] = 3;
  s.set[KNOB_DEVICE] = true;
  setup_print(w, &s, line, sizeof line);
  assert_string_equal(line, "'device=/home/o'\\''hara/my laptop $HOME.json'");
  assert_int_equal(shell_split(line, word, 4), 1);
  assert_string_equal(word[0], "device=/home/o'hara/my laptop $HOME.json");
}

static void a_short_buffer_holds_whole_words(void **state) {
  struct world *w = *state;
  struct setup s;
  setup_clear(&s);
  s.v[KNOB_DEVICE] = 1, s.set[KNOB_DEVICE] = true;
  s.v[KNOB_BATCH] = 64, s.set[KNOB_BATCH] = true;
  for (int size = 1; size < 40; size++) {
    char out[40];
    memset(out, '#', sizeof out);
    setup_print(w, &s, out, size);
    assert_true((int)strlen(out) < size);
    bool whole =
        !*out || strcmp(out, "device=h100-sxm") == 0 || strcmp(out, "batch=64") == 0 || strcmp(out, "device=h100-sxm batch=64") == 0;
    if (!whole) fail_msg("%d bytes gave \"%s\"", size, out);
  }
}

static void options_are_read(void **state) {
  (void)state;
  struct args a;
  struct err e;
  struct looks l;
  int w, h;
  char *argv[] = {"roofline", "--size", "80x24", "--format=svg", "batch=3", "--", "--odd"};
  assert_true(args_read(&a, 7, argv, TAKES(OPTION_SIZE) | TAKES(OPTION_FORMAT), &e));
  assert_int_equal(a.nword, 3);
  assert_string_equal(a.word[2], "--odd");
  assert_string_equal(a.value[OPTION_SIZE], "80x24");
  assert_string_equal(a.value[OPTION_FORMAT], "svg");
  assert_null(a.value[OPTION_JSON]);
  char *unknown[] = {"--jsno"}, *foreign[] = {"--size", "1x1"}, *missing[] = {"--size"}, *extra[] = {"--json=3"};
  assert_false(args_read(&a, 1, unknown, TAKES(OPTION_JSON), &e));
  assert_non_null(strstr(e.text, "did you mean --json?"));
  assert_false(args_read(&a, 2, foreign, TAKES(OPTION_JSON), &e)); /* another door's option */
  assert_false(args_read(&a, 1, missing, TAKES(OPTION_SIZE), &e));
  assert_non_null(strstr(e.text, "needs a value"));
  assert_false(args_read(&a, 1, extra, TAKES(OPTION_JSON), &e));
  assert_true(args_size("200x60", &w, &h, &e) && w == 200 && h == 60);
  static const char *const bad[] = {
      "", "80", "80x", "x24", "0x24", "80x0", "-1x5", "80x24x", "1001x24", "80x401", "80 x24", "8e1x24", "99999999999999999999x1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (args_size(bad[i], &w, &h, &e)) fail_msg("--size %s was taken", bad[i]);
  char *looks[] = {"--theme", "light", "--charset", "ascii", "--color", "always"}, *drak[] = {"--theme", "drak"};
  setenv("NO_COLOR", "1", 1);
  assert_true(args_read(&a, 6, looks, TAKES_LOOKS, &e) && args_looks(&a, &l, &e));
  assert_true(l.theme == THEME_LIGHT && l.charset == CHARSET_ASCII && l.color == 1);
  assert_true(args_read(&a, 0, looks, TAKES_LOOKS, &e) && args_looks(&a, &l, &e));
  assert_true(l.theme == THEME_AUTO && l.charset == CHARSET_N && l.color == 0);
  setenv("NO_COLOR", "", 1);
  assert_true(args_looks(&a, &l, &e) && l.color == -1);
  assert_true(args_read(&a, 2, drak, TAKES_LOOKS, &e));
  assert_false(args_looks(&a, &l, &e));
  assert_non_null(strstr(e.text, "did you mean dark?"));
}

static const char *fruit(int i, const void *arg) {
  (void)arg;
  static const char *const name[] = {"apple", "apricot", "banana", "cherry", "fig"};
  return name[i];
}

static void nearest_is_near(void **state) {
  (void)state;
  char out[64];
  nearest_names("aple", fruit, 5, NULL, out, sizeof out);
  assert_string_equal(out, "apple");
  nearest_names("ap", fruit, 5, NULL, out, sizeof out);
  assert_string_equal(out, "apple or apricot");
  nearest_names("BANANA", fruit, 5, NULL, out, sizeof out);
  assert_string_equal(out, "banana");
  nearest_names("banaan", fruit, 5, NULL, out, sizeof out);
  assert_string_equal(out, "banana");
  nearest_names("fgi", fruit, 5, NULL, out, sizeof out); /* neighbours swapped: one edit, all that three letters are allowed */
  assert_string_equal(out, "fig");
  nearest_names("", fruit, 5, NULL, out, sizeof out);
  assert_string_equal(out, "");
  nearest_names("quince", fruit, 5, NULL, out, sizeof out);
  assert_string_equal(out, "");
  nearest_names("a-very-long-word-that-is-longer-than-any-name-there-is-or-will-ever-be-in-this-program", fruit, 5, NULL, out, sizeof out);
  assert_string_equal(out, "");
  nearest_names("ap", fruit, 5, NULL, out, 8); /* cut, never overrun */
  assert_true(strlen(out) < 8);
}

/* The state folder: the XDG variable when it is absolute, else HOME, else nowhere; made on the way. */
static void state_folders(void **state) {
  (void)state;
  char folder[] = "/tmp/ridge-test-XXXXXX", path[512], wanted[512];
  assert_non_null(mkdtemp(folder));
  setenv("HOME", folder, 1);
  setenv("XDG_STATE_HOME", "relative/is/ignored", 1);
  assert_true(home_state(path, sizeof path, "a/b.json"));
  snprintf(wanted, sizeof wanted, "%s/.local/state/ridge/a/b.json", folder);
  assert_string_equal(path, wanted);
  *strrchr(path, '/') = 0;
  assert_int_equal(access(path, W_OK), 0);
  snprintf(wanted, sizeof wanted, "%s/deep/er", folder);
  setenv("XDG_STATE_HOME", wanted, 1);
  assert_true(home_state(path, sizeof path, "x"));
  assert_non_null(strstr(path, "/deep/er/ridge/x"));
  setenv("XDG_STATE_HOME", "/dev/null/no", 1);
  assert_false(home_state(path, sizeof path, "x"));
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  assert_false(home_state(path, sizeof path, "x"));
  assert_string_equal(path, "");
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, setup_world, free_world)
  const struct CMUnitTest tests[] = {
      IN_WORLD(numbers_with_units),       IN_WORLD(choices_and_switches),    IN_WORLD(refusals_name_the_nearest),
      IN_WORLD(refusals_give_the_range),  IN_WORLD(auto_follows_again),      IN_WORLD(a_scene_and_its_words),
      IN_WORLD(random_setups_survive), IN_WORLD(words_are_kept),    IN_WORLD(paths_survive_quotes),    IN_WORLD(a_short_buffer_holds_whole_words),
      cmocka_unit_test(options_are_read), cmocka_unit_test(nearest_is_near), cmocka_unit_test(state_folders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
