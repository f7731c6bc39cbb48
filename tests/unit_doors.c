/* The doors as a script meets them: the real program is run, its output parsed strictly, its numbers compared with the ones promised. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "app/app.h"
#include "data/json.h"

enum { OUT_MAX = 4 << 20 };

/* Runs `ridge WORDS` of the build this test belongs to; its stdout, NUL-terminated, to be freed; *code its exit code. */
static char *run(const char *words, int *code) {
  char folder[1024], command[3000];
  ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
  assert_true(n > 0);
  folder[n] = 0;
  *strrchr(folder, '/') = 0;
  *strrchr(folder, '/') = 0;
  snprintf(command, sizeof command, "'%s/ridge' %s 2>/dev/null </dev/null", folder, words);
  FILE *p = popen(command, "r");
  assert_non_null(p);
  char *out = malloc(OUT_MAX);
  assert_non_null(out);
  size_t used = fread(out, 1, OUT_MAX - 1, p);
  out[used] = 0;
  int status = pclose(p);
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return out;
}

/* The same, which must succeed and be one strict JSON text. */
static struct json run_json(const char *words) {
  int code;
  char *out = run(words, &code);
  struct json j;
  struct err e;
  if (code != 0) fail_msg("ridge %s: exit code %d", words, code);
  if (!json_parse(&j, out, strlen(out), "output", &e)) fail_msg("ridge %s: %s", words, e.text);
  free(out);
  return j;
}

static const cJSON *member(const cJSON *o, const char *key) { return cJSON_GetObjectItemCaseSensitive(o, key); }

static const cJSON *fact_named(const struct json *j, const char *name) {
  const cJSON *f;
  cJSON_ArrayForEach(f, member(j->root, "facts")) if (strcmp(member(f, "name")->valuestring, name) == 0) return f;
  fail_msg("no fact %s", name);
  return NULL;
}

static double number(const struct json *j, const char *name) {
  const cJSON *v = member(fact_named(j, name), "value");
  return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

/* Commands and what they must give, to the digits stated: half a unit of the last digit. */
static const struct promise {
  const char *command, *fact;
  double value, within;
} promise_table[] = {
    {"roofline device=illustrative op=matmul n=1024 dtype=fp32", "flop", 2147483648, 0},
    {"roofline device=illustrative op=matmul n=1024 dtype=fp32", "byte", 12582912, 0},
    {"roofline device=illustrative op=matmul n=1024 dtype=fp32", "arithmetic_intensity", 170.667, 5e-4},
    {"roofline device=illustrative op=matmul n=1024 dtype=fp32", "time_lower", 10.737e-6, 5e-10},
    {"roofline device=illustrative op=matmul n=1024 dtype=fp32", "time_upper", 17.029e-6, 5e-10},
    {"roofline device=h100-sxm op=matmul dtype=bf16", "ridge_point", 295.2, 0.05},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=1", "step_time", 7e-3, 5e-7},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=1", "token_rate", 142.857, 5e-4},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64", "step_time", 7e-3, 5e-7},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64", "token_rate", 9142.9, 0.05},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64", "arithmetic_intensity", 64, 0},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64", "ridge_batch", 100, 1e-9},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64 activations=on width=4096", "step_time", 7.219e-3, 5e-7},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64 activations=on width=4096", "token_rate", 8865.8, 0.05},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64 activations=on width=4096", "arithmetic_intensity", 62.06, 5e-3},
    {"decode device=illustrative params=7e9 dtype=bf16 batch=64 activations=on width=4096", "ridge_batch", 105.13, 5e-3},
    {"decode device=illustrative params=7e9 dtype=int8 batch=1", "token_rate", 285.7, 0.05},
    {"decode device=illustrative params=7e9 dtype=int4 batch=1", "token_rate", 571.4, 0.05},
    {"decode device=h100-sxm params=7e9 dtype=bf16 batch=1", "token_rate", 239.29, 5e-3},
    {"offload n=128", "host_time", 41.94e-6, 5e-9},
    {"offload n=128", "device_time", 45.91e-6, 5e-9},
    {"offload n=128", "link_share", 0.171, 5e-4},
    {"offload n=1024", "host_time", 21474.84e-6, 5e-9},
    {"offload n=1024", "device_time", 562.79e-6, 5e-9},
    {"offload n=1024", "link_share", 0.894, 5e-4},
    {"offload n=4096", "host_time", 1374389.53e-6, 5e-9},
    {"offload n=4096", "device_time", 9465.45e-6, 5e-9},
    {"offload n=4096", "link_share", 0.851, 5e-4},
    {"offload", "crossover_n", 132.45, 5e-3},
    {"offload", "first_winning_n", 133, 0},
    {"fit params=7e9 use=finetune device=h100-sxm", "state_byte", 112e9, 0},
    {"fit params=7e9 use=finetune device=h100-sxm", "devices_needed", 2, 0},
};

static void promised_numbers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof promise_table / sizeof *promise_table; i++) {
    const struct promise *p = &promise_table[i];
    char words[200];
    snprintf(words, sizeof words, "print %s --json", p->command);
    struct json j = run_json(words);
    double v = number(&j, p->fact);
    if (!(fabs(v - p->value) <= p->within)) fail_msg("%s: %s is %.17g, promised %.17g", p->command, p->fact, v, p->value);
    json_free(&j);
  }
}

static void memory_over_compute_is_a_hundred(void **state) {
  (void)state;
  struct json j = run_json("print decode device=illustrative params=7e9 dtype=bf16 batch=1 --json");
  assert_true(fabs(number(&j, "memory_time") / number(&j, "compute_time") - 100) < 1e-9);
  json_free(&j);
  j = run_json("print decode device=illustrative params=7e9 dtype=int4 batch=1 --json");
  assert_string_equal(member(fact_named(&j, "math"), "word")->valuestring, "bf16");
  json_free(&j);
}

static void print_has_the_stated_shape(void **state) {
  (void)state;
  for (int i = 0; i < scene_count; i++) {
    char words[64];
    snprintf(words, sizeof words, "print %s --json", scene_table[i]->address);
    struct json j = run_json(words);
    static const char *const key[] = {"scene", "question", "knobs", "facts", "rows", "measured", "verdict"};
    assert_int_equal(cJSON_GetArraySize(j.root), 7);
    for (int k = 0; k < 7; k++) assert_string_equal(cJSON_GetArrayItem(j.root, k)->string, key[k]);
    assert_string_equal(member(j.root, "scene")->valuestring, scene_table[i]->name);
    assert_true(cJSON_IsArray(member(j.root, "measured")));
    assert_true(cJSON_IsObject(member(j.root, "knobs")) && cJSON_GetArraySize(member(j.root, "knobs")) > 0);
    assert_true(strlen(member(j.root, "verdict")->valuestring) > 10);
    assert_true(cJSON_GetArraySize(member(j.root, "facts")) > 3);
    const cJSON *f;
    cJSON_ArrayForEach(f, member(j.root, "facts")) {
      static const char *const part[] = {"name", "value", "unit", "word", "formula"};
      assert_int_equal(cJSON_GetArraySize(f), 5);
      for (int k = 0; k < 5; k++) assert_string_equal(cJSON_GetArrayItem(f, k)->string, part[k]);
      assert_true(cJSON_IsNumber(member(f, "value")) || cJSON_IsNull(member(f, "value")));
      assert_true(cJSON_IsString(member(f, "word")) || cJSON_IsNull(member(f, "word")));
      /* Programs get plain units, never those that only the screen uses. */
      static const char *const plain[] = {"",        "1",       "s",         "byte", "byte/s", "flop",   "flop/s", "flop/byte",
                                          "token/s", "element", "element/s", "W",    "J",      "flop/J", "Hz",   "item/s", "C",
                                          "$",       "$/h",     "$/Mtoken"};
      bool known = false;
      for (size_t u = 0; u < sizeof plain / sizeof *plain; u++) known |= strcmp(member(f, "unit")->valuestring, plain[u]) == 0;
      if (!known) fail_msg("%s has the unit %s", member(f, "name")->valuestring, member(f, "unit")->valuestring);
      assert_false(cJSON_IsString(member(f, "word")) && cJSON_IsNumber(member(f, "value")));
    }
    json_free(&j);
  }
}

/* The number of lines, and of fields in each; a quoted field counts once. */
static int csv_shape(const char *out, int fields) {
  int lines = 0, n = 1;
  bool quoted = false;
  for (const char *c = out; *c; c++) {
    if (*c == '"') quoted = !quoted;
    if (*c == ',' && !quoted) n++;
    if (*c == '\n' && !quoted) {
      lines++;
      if (n != fields) fail_msg("line %d has %d fields, not %d", lines, n, fields);
      n = 1;
    }
  }
  assert_false(quoted);
  return lines;
}

static void csv_has_the_stated_shape(void **state) {
  (void)state;
  int code;
  for (int i = 0; i < scene_count; i++) {
    char words[64];
    snprintf(words, sizeof words, "print %s --csv", scene_table[i]->name);
    char *out = run(words, &code);
    assert_int_equal(code, 0);
    assert_true(strncmp(out, "name,value,unit\n", 16) == 0);
    struct json j;
    snprintf(words, sizeof words, "print %s --json", scene_table[i]->name);
    j = run_json(words);
    assert_int_equal(csv_shape(out, 3), 1 + cJSON_GetArraySize(member(j.root, "facts")));
    json_free(&j);
    free(out);
  }
  char *out = run("sweep offload n=64..512 host_time device_time --csv", &code);
  assert_int_equal(code, 0);
  static const char start[] = "# 1,s,s\nn,host_time,device_time\n64,";
  assert_true(strncmp(out, start, strlen(start)) == 0);
  assert_int_equal(csv_shape(out, 3), 2 + 4);
  free(out);
}

/* The swept knob's values. */
static int sweep_values(const char *words, double v[], int max) {
  struct json j = run_json(words);
  const char *key = member(j.root, "sweep")->valuestring;
  int n = 0;
  const cJSON *row;
  cJSON_ArrayForEach(row, member(j.root, "rows")) {
    assert_true(n < max);
    v[n++] = member(row, key)->valuedouble;
    assert_true(cJSON_GetArraySize(row) > 1);
  }
  assert_null(member(member(j.root, "knobs"), key));
  json_free(&j);
  return n;
}

static void sweeps_step_as_stated(void **state) {
  (void)state;
  double v[64];
  assert_int_equal(sweep_values("sweep decode batch=1..64 step_time --json", v, 64), 7); /* octaves, TO among them */
  for (int i = 0; i < 7; i++) assert_true(v[i] == 1 << i);
  assert_int_equal(sweep_values("sweep decode batch=1..100 step_time --json", v, 64), 8); /* TO although no octave ends there */
  assert_true(v[6] == 64 && v[7] == 100);
  assert_int_equal(sweep_values("sweep decode batch=3..13 step_time --json", v, 64), 4);
  assert_true(v[0] == 3 && v[1] == 6 && v[2] == 12 && v[3] == 13);
  assert_int_equal(sweep_values("sweep decode batch=64..1 step_time --json", v, 64), 7); /* downwards */
  assert_true(v[0] == 64 && v[6] == 1);
  assert_int_equal(sweep_values("sweep decode batch=5..5 step_time --json", v, 64), 1);
  assert_int_equal(sweep_values("sweep decode batch=1..10000:5 step_time --json", v, 64), 5); /* COUNT, evenly on its own scale */
  assert_true(v[1] == 10 && v[2] == 100 && v[3] == 1000 && v[4] == 10000);
  assert_int_equal(sweep_values("sweep decode batch=1..4:50 step_time --json", v, 64), 4);         /* whole knobs: no point twice */
  assert_int_equal(sweep_values("sweep offload copy_cost=0..20us device_time --json", v, 64), 11); /* linear */
  assert_true(v[0] == 0 && v[10] == 20e-6 && fabs(v[5] - 10e-6) < 1e-18);
  assert_int_equal(sweep_values("sweep offload copy_cost=0..20us:3 device_time --json", v, 64), 3);
  int code;
  char *out = run("sweep offload overlap=off..on device_time --csv", &code);
  assert_true(code == 0 && strstr(out, "\noff,") && strstr(out, "\non,"));
  free(out);
  out = run("sweep decode dtype=fp32..int4 token_rate --csv", &code);
  assert_true(code == 0 && strstr(out, "\nbf16,") && strstr(out, "\nint4,"));
  free(out);
}

static void a_sweep_without_facts_gives_all(void **state) {
  (void)state;
  struct json j = run_json("sweep offload n=64..128 --json"), p = run_json("print offload --json");
  const cJSON *row = cJSON_GetArrayItem(member(j.root, "rows"), 0);
  int same = 0; /* a fact with the knob's name is the knob: it stands there once */
  const cJSON *f;
  cJSON_ArrayForEach(f, member(p.root, "facts")) same += strcmp(member(f, "name")->valuestring, "n") == 0;
  assert_int_equal(cJSON_GetArraySize(row) + same, 1 + cJSON_GetArraySize(member(p.root, "facts")));
  json_free(&j);
  json_free(&p);
}

static void lists_are_whole(void **state) {
  (void)state;
  static const struct {
    const char *words;
    int least;
  } list[] = {{"scenes", 5}, {"knobs", KNOB_N}, {"facts", 100}, {"kernels", 15}, {"devices", 36}, {"models", 20}, {"keys", 20}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char words[32];
    int code;
    snprintf(words, sizeof words, "%s --json", list[i].words);
    struct json j = run_json(words);
    assert_true(cJSON_IsArray(j.root));
    if (cJSON_GetArraySize(j.root) < list[i].least) fail_msg("%s: %d rows", words, cJSON_GetArraySize(j.root));
    char *out = run(list[i].words, &code);
    int lines = 0;
    for (const char *c = out; *c; c++) lines += *c == '\n';
    assert_int_equal(code, 0);
    assert_int_equal(lines, 1 + cJSON_GetArraySize(j.root)); /* a heading, then one line a row */
    free(out);
    json_free(&j);
  }
}

/* Every knob a scene has, at both its ends and when swept, gives strict JSON. */
static void every_knob_can_be_swept(void **state) {
  (void)state;
  for (int i = 0; i < scene_count; i++)
    for (int k = 0; k < scene_table[i]->nknobs; k++) {
      const struct knob *knob = &knob_table[scene_table[i]->knobs[k]];
      char words[160];
      if (knob->kind == KNOB_CHOICE || knob->kind == KNOB_TEXT) continue;
      if (knob->kind == KNOB_SWITCH)
        snprintf(words, sizeof words, "sweep %s %s=off..on --json", scene_table[i]->name, knob->key);
      else
        snprintf(words, sizeof words, "sweep %s %s=%.17g..%.17g:4 --json", scene_table[i]->name, knob->key, knob->lo, knob->hi);
      struct json j = run_json(words);
      assert_true(cJSON_GetArraySize(member(j.root, "rows")) >= 2);
      json_free(&j);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(promised_numbers),
      cmocka_unit_test(memory_over_compute_is_a_hundred),
      cmocka_unit_test(print_has_the_stated_shape),
      cmocka_unit_test(csv_has_the_stated_shape),
      cmocka_unit_test(sweeps_step_as_stated),
      cmocka_unit_test(a_sweep_without_facts_gives_all),
      cmocka_unit_test(lists_are_whole),
      cmocka_unit_test(every_knob_can_be_swept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
