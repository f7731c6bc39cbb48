/* Every case of the files in data/cases: a command as a person types it, and what its facts must be. The files hold the chapter's own
 * tables and published worked examples; the runner itself is proven able to fail. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "app/visit.h"
#include "data/json.h"

enum { WORD_MAX = 24, FAILURE_MAX = 4096 };

struct tally {
  int cases, facts, failed;
  char said[FAILURE_MAX];
};

static void fail_add(struct tally *t, const char *id, const char *fact, const char *what) {
  size_t used = strlen(t->said);
  t->failed++;
  if (used < sizeof t->said - 1) snprintf(t->said + used, sizeof t->said - used, "%s: %s %s\n", id, fact, what);
}

static double number_of(const cJSON *o, const char *key) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, key);
  return cJSON_IsNumber(n) ? n->valuedouble : NAN;
}

/* One expected fact: {"is","within"}, {"least","most"}, {"word"} or {"unknown": true}. Anything else is a mistake in the file. */
static void fact_check(struct tally *t, const char *id, const cJSON *want, const struct visit *v) {
  char what[200];
  const struct fact *f = fact_find(v->data.fact, v->data.nfact, want->string);
  const cJSON *word = cJSON_GetObjectItemCaseSensitive(want, "word");
  t->facts++;
  if (!f) {
    fail_add(t, id, want->string, "is no fact of this scene");
    return;
  }
  if (cJSON_IsString(word)) {
    if (f->word && strcmp(f->word, word->valuestring) == 0) return;
    snprintf(what, sizeof what, "is \"%s\", not \"%s\"", f->word ? f->word : "", word->valuestring);
  } else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(want, "unknown"))) {
    if (isnan(f->value) && !f->word) return;
    snprintf(what, sizeof what, "is %.12g, though it cannot be known", f->value);
  } else {
    double is = number_of(want, "is"), within = number_of(want, "within"), least = number_of(want, "least"), most = number_of(want, "most");
    if (isnan(is)) is = (least + most) / 2, within = (most - least) / 2;
    if (fabs(f->value - is) <= within * (1 + 1e-9)) return; /* false for any NAN */
    snprintf(what, sizeof what, "is %.12g, not %.12g ± %.3g", f->value, is, within);
  }
  fail_add(t, id, want->string, what);
}

static void case_check(struct tally *t, const cJSON *c) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(c, "id"), *command = cJSON_GetObjectItemCaseSensitive(c, "command");
  const cJSON *expect = cJSON_GetObjectItemCaseSensitive(c, "expect"), *want;
  char line[512];
  const char *word[WORD_MAX];
  int n = 0;
  t->cases++;
  if (!cJSON_IsString(id) || !cJSON_IsString(command) || !cJSON_IsObject(expect) || !expect->child ||
      strlen(command->valuestring) >= sizeof line) {
    fail_add(t, cJSON_IsString(id) ? id->valuestring : "?", "", "lacks an id, a command or an expected fact");
    return;
  }
  strcpy(line, command->valuestring);
  for (char *w = strtok(line, " "); w && n < WORD_MAX; w = strtok(NULL, " ")) word[n++] = w;
  struct visit v;
  if (visit_open(&v, word, n, "print") != 0) {
    fail_add(t, id->valuestring, command->valuestring, "was refused");
    return;
  }
  visit_compute(&v);
  cJSON_ArrayForEach(want, expect) fact_check(t, id->valuestring, want, &v);
  visit_close(&v);
}

static void cases_check(struct tally *t, const struct json *j) {
  const cJSON *c;
  cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(j->root, "cases")) case_check(t, c);
}

static void file_check(const char *name, int least) {
  char path[512];
  struct json j;
  struct err e;
  struct tally t = {.cases = 0};
  snprintf(path, sizeof path, "%s/cases/%s", home_data(), name);
  if (!json_load(&j, path, &e)) fail_msg("%s", e.text);
  cases_check(&t, &j);
  json_free(&j);
  if (t.cases < least) fail_msg("%s holds %d cases, not at least %d", name, t.cases, least);
  if (t.failed) fail_msg("%d of %d facts in %s:\n%s", t.failed, t.facts, name, t.said);
}

static void test_transfer(void **state) { (void)state, file_check("transfer.json", 25); }
static void test_batch(void **state) { (void)state, file_check("batch.json", 20); }
static void test_ladder(void **state) { (void)state, file_check("ladder.json", 5); }
static void test_precision(void **state) { (void)state, file_check("precision.json", 50); }
static void test_worked(void **state) { (void)state, file_check("worked.json", 50); }

/* A file nobody runs proves nothing. */
static void test_every_file_is_run(void **state) {
  (void)state;
  static const char *const known[] = {"transfer.json", "batch.json", "ladder.json", "worked.json", "precision.json"};
  char path[512];
  snprintf(path, sizeof path, "%s/cases", home_data());
  DIR *d = opendir(path);
  assert_non_null(d);
  const struct dirent *entry;
  while ((entry = readdir(d))) {
    bool found = entry->d_name[0] == '.';
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) found = found || strcmp(entry->d_name, known[i]) == 0;
    if (!found) fail_msg("%s/%s is not run by this program", path, entry->d_name);
  }
  closedir(d);
}

/* Wrong numbers, words, names and shapes are all caught, one failure each. */
static void test_wrong_cases_fail(void **state) {
  (void)state;
  static const char *const wrong[] = {"{\"device_time\": {\"is\": 5.63e-4, \"within\": 1e-8}}",
                                      "{\"first_winning_n\": {\"is\": 132, \"within\": 0}}",
                                      "{\"speedup\": {\"least\": 39, \"most\": 1000}}",
                                      "{\"schedule\": {\"word\": \"overlapped\"}}",
                                      "{\"device_time\": {\"unknown\": true}}",
                                      "{\"host_measured_time\": {\"is\": 1, \"within\": 1e9}}",
                                      "{\"device_tme\": {\"is\": 1, \"within\": 1e9}}",
                                      "{\"device_time\": {\"about\": 5.63e-4}}",
                                      "{}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[400];
    struct json j;
    struct err e;
    struct tally t = {.cases = 0};
    snprintf(text, sizeof text, "{\"cases\": [{\"id\": \"planted\", \"command\": \"offload n=1024\", \"expect\": %s}]}", wrong[i]);
    assert_true(json_parse(&j, text, strlen(text), "planted", &e));
    cases_check(&t, &j);
    json_free(&j);
    if (t.failed != 1) fail_msg("%s: %d failures", wrong[i], t.failed);
  }
}

int main(void) {
  setenv("XDG_STATE_HOME", "/nonexistent", 1); /* no case may rest on what this machine measured */
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_transfer),
                                     cmocka_unit_test(test_batch),
                                     cmocka_unit_test(test_ladder),
                                     cmocka_unit_test(test_worked),
                                     cmocka_unit_test(test_precision),
                                     cmocka_unit_test(test_every_file_is_run),
                                     cmocka_unit_test(test_wrong_cases_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
