/* Coverage: everything there is to teach is somewhere. tests/chapter.json lists it, item by item, with the screen that shows it, the facts
 * and their digits, a file of checked cases, a reference or a scene that is still to come; here every row is followed to its end. The words
 * of a row are read and computed as the doors do, on a world without a measured machine. Run from the repository's root. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "app/app.h"
#include "data/catalogue.h"
#include "data/json.h"
#include "scenes/references.h"
#include "tests/support_near.h"

enum { WORD_MAX = 24, ITEM_LEAST = 300 };

static struct world *world;
static struct frame_data *data;
static struct json table;
static char said[512]; /* what was wrong with the last row */

static const char *text_of(const cJSON *o, const char *key) {
  const cJSON *s = cJSON_GetObjectItemCaseSensitive(o, key);
  return cJSON_IsString(s) ? s->valuestring : NULL;
}

/* ---- one row ---- */

static bool wrong(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(said, sizeof said, format, list);
  va_end(list);
  return false;
}

static bool show_open(const char *show) {
  char line[512];
  const char *word[WORD_MAX];
  int n = 0;
  struct setup person;
  struct err e = {0};
  struct axes axes = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
  if (strlen(show) >= sizeof line) return wrong("too long");
  strcpy(line, show);
  for (char *w = strtok(line, " "); w && n < WORD_MAX; w = strtok(NULL, " ")) word[n++] = w;
  struct frame f = {.person = &person, .world = world, .axes = &axes};
  if (!setup_words(world, word, n, &f.scene, &person, &e)) return wrong("%s: %s", show, e.text);
  for (int k = 0; k < KNOB_N; k++) {
    bool has = !person.set[k];
    for (int i = 0; i < f.scene->nknobs; i++) has |= f.scene->knobs[i] == k;
    if (!has) return wrong("%s: the scene has no knob %s", show, knob_table[k].key);
  }
  if (person.set[KNOB_VIEW] && !scene_has_view(f.scene, person.v[KNOB_VIEW])) return wrong("%s: the scene has no such view", show);
  frame_compute(&f, data);
  return true;
}

static bool fact_check(const char *show, const cJSON *want) {
  const struct fact *f = fact_find(data->fact, data->nfact, want->string);
  if (!f) return wrong("%s: no fact %s", show, want->string);
  if (cJSON_IsNull(want)) return true;
  if (cJSON_IsTrue(want)) return (f->word ? *f->word != 0 : !isnan(f->value)) || wrong("%s: %s is not known", show, want->string);
  if (!cJSON_IsString(want)) return wrong("%s: %s: expected digits, true or null", show, want->string);
  if (f->word) return !strcmp(f->word, want->valuestring) || wrong("%s: %s is %s, not %s", show, want->string, f->word, want->valuestring);
  return rounds_to(f->value, want->valuestring) ||
         wrong("%s: %s is %.10g, which does not round to %s", show, want->string, f->value, want->valuestring);
}

static bool facts_check(const char *show, const cJSON *facts) {
  const cJSON *want;
  if (!cJSON_IsObject(facts) || !facts->child) return wrong("%s: no facts", show);
  if (!show_open(show)) return false;
  cJSON_ArrayForEach(want, facts) if (!fact_check(show, want)) return false;
  return true;
}

/* Whether a value somewhere in the tree is this id. */
static bool tree_names(const cJSON *at, const char *id) {
  if (cJSON_IsString(at) && !strcmp(at->valuestring, id)) return true;
  for (const cJSON *c = cJSON_IsObject(at) || cJSON_IsArray(at) ? at->child : NULL; c; c = c->next)
    if (tree_names(c, id)) return true;
  return false;
}

static bool test_names(const char *file, const char *id) {
  char path[256];
  struct json j;
  struct err e = {0};
  snprintf(path, sizeof path, "tests/%s", file);
  if (!json_load(&j, path, &e)) return wrong("%s", e.text);
  bool found = tree_names(j.root, id);
  json_free(&j);
  return found || wrong("%s does not name it", path);
}

/* A worked example that is left out says why in its file. */
static bool left_out(const char *file, const char *id) {
  char path[256];
  struct json j;
  struct err e = {0};
  snprintf(path, sizeof path, "tests/%s", file);
  if (!json_load(&j, path, &e)) return wrong("%s", e.text);
  const char *why = text_of(cJSON_GetObjectItemCaseSensitive(j.root, "left_out"), id);
  bool found = why && strlen(why) > 10;
  json_free(&j);
  return found || wrong("%s does not say why it is left out", path);
}

static bool reference_exists(const char *title) {
  for (int i = 0; i < reference_count; i++)
    if (!strcmp(reference_table[i].title, title)) return true;
  return wrong("no reference \"%s\"", title);
}

static bool later_exists(const char *name) {
  return !strcmp(name, "lessons") || scene_planned(name).name || wrong("%s is built, or nothing of the tour", name);
}

static bool row_check(const cJSON *row) {
  const char *id = text_of(row, "id"), *show = text_of(row, "show"), *test = text_of(row, "test");
  const char *reference = text_of(row, "reference"), *later = text_of(row, "later");
  if (!id) return wrong("a row without id");
  const char *left = text_of(row, "left_out");
  if (left && !left_out(left, id)) return false;
  if (!show && !test && !reference && !later && !left) return wrong("leads nowhere");
  if (show && !facts_check(show, cJSON_GetObjectItemCaseSensitive(row, "facts"))) return false;
  if (test && !test_names(test, id)) return false;
  if (reference && !reference_exists(reference)) return false;
  return !later || later_exists(later);
}

/* ---- all of them ---- */

static void every_row_leads_somewhere(void **state) {
  (void)state;
  const cJSON *row;
  int bad = 0;
  cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(table.root, "items")) {
    if (row_check(row)) continue;
    print_error("%s: %s\n", text_of(row, "id"), said);
    bad++;
  }
  assert_int_equal(bad, 0);
}

/* Rows of an item; those with this key, unless it is NULL. */
static int rows_of(const char *id, const char *key) {
  const cJSON *row;
  int n = 0;
  cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(table.root, "items")) {
    if (!strcmp(text_of(row, "id"), id) && (!key || text_of(row, key))) n++;
  }
  return n;
}

static void no_item_is_forgotten(void **state) {
  (void)state;
  const cJSON *id, *row, *ids = cJSON_GetObjectItemCaseSensitive(table.root, "ids");
  int later = 0, left = 0, bad = 0, n = cJSON_GetArraySize(ids);
  cJSON_ArrayForEach(id, ids) {
    int all = rows_of(id->valuestring, NULL);
    if (all == 0) print_error("%s is nowhere\n", id->valuestring), bad++;
    later += all > 0 && rows_of(id->valuestring, "later") == all;
    left += rows_of(id->valuestring, "left_out") == all;
    for (const cJSON *o = id->next; o; o = o->next)
      if (!strcmp(o->valuestring, id->valuestring)) print_error("%s stands twice\n", id->valuestring), bad++;
  }
  cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(table.root, "items")) {
    bool known = false;
    cJSON_ArrayForEach(id, ids) known |= !strcmp(id->valuestring, text_of(row, "id"));
    if (!known) print_error("%s is no item\n", text_of(row, "id")), bad++;
  }
  print_message("%d items, %d of them later, %d worked examples left out\n", n, later, left);
  assert_int_equal(bad, 0);
  assert_true(n >= ITEM_LEAST);
  assert_true(later < n / 3);
}

/* The other way round: what a file of cases names is an item, and the table knows of the file. */
static void ids_check(const cJSON *at, const char *file, bool named, int *bad) {
  if (named && cJSON_IsString(at)) {
    const cJSON *row;
    bool found = false;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(table.root, "items")) {
      const char *test = text_of(row, "test");
      found |= test && !strcmp(test, file) && !strcmp(text_of(row, "id"), at->valuestring);
    }
    if (!found) print_error("%s names %s, and no row of the table leads there\n", file, at->valuestring), ++*bad;
  }
  for (const cJSON *c = cJSON_IsObject(at) || cJSON_IsArray(at) ? at->child : NULL; c; c = c->next) {
    bool key = c->string && (!strcmp(c->string, "id") || !strcmp(c->string, "ids"));
    ids_check(c, file, key || (named && !c->string), bad);
  }
}

static void every_file_of_cases_is_known(void **state) {
  (void)state;
  int files = 0, bad = 0;
  DIR *d = opendir("tests");
  assert_non_null(d);
  for (const struct dirent *f; (f = readdir(d));) {
    struct json j;
    struct err e = {0};
    char path[300];
    size_t n = strlen(f->d_name);
    if ((strncmp(f->d_name, "chapter_", 8) && strcmp(f->d_name, "worked.json")) || n < 5 || strcmp(f->d_name + n - 5, ".json")) continue;
    snprintf(path, sizeof path, "tests/%s", f->d_name);
    if (!json_load(&j, path, &e)) fail_msg("%s", e.text);
    ids_check(j.root, f->d_name, false, &bad);
    json_free(&j);
    files++;
  }
  closedir(d);
  assert_int_equal(bad, 0);
  assert_true(files >= 6);
}

/* ---- what the rows lean on ---- */

static void the_tour_keeps_its_numbers(void **state) {
  (void)state;
  int built = 0;
  struct place p;
  for (int i = 0; (p = scene_place(i)).name; i++) {
    const struct scene *s = scene_find(p.name);
    if (!s) {
      assert_non_null(scene_planned(p.address).name);
      continue;
    }
    assert_null(scene_planned(p.name).name);
    assert_string_equal(s->address, p.address);
    assert_ptr_equal(scene_table[built], s); /* in this order */
    built++;
  }
  assert_int_equal(built, scene_count);
}

static void readings_show_facts(void **state) {
  (void)state;
  for (int i = 0; i < reference_count; i++) {
    const struct reference *r = &reference_table[i];
    assert_true(strlen(r->title) > 0 && strlen(r->title) <= 34 && strlen(r->words) > 10);
    for (int j = 0; j < i; j++) assert_string_not_equal(r->title, reference_table[j].title);
    if (r->scene && !show_open(r->scene)) fail_msg("%s: %s", r->title, said);
    for (int k = 0; k < 2 && r->fact[k]; k++)
      if (!fact_find(data->fact, data->nfact, r->fact[k])) fail_msg("%s: %s has no fact %s", r->title, r->scene, r->fact[k]);
  }
}

/* ---- the checker can fail ---- */

static void broken_rows_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *row, *says;
  } broken[] = {
      {"{\"id\":\"x\"}", "nowhere"},
      {"{\"id\":\"x\",\"show\":\"decode\"}", "no facts"},
      {"{\"id\":\"x\",\"show\":\"decode\",\"facts\":{}}", "no facts"},
      {"{\"id\":\"x\",\"show\":\"decoed\",\"facts\":{\"flop\":true}}", "unknown scene"},
      {"{\"id\":\"x\",\"show\":\"race\",\"facts\":{\"flop\":true}}", "not built yet"},
      {"{\"id\":\"x\",\"show\":\"decode bacth=1\",\"facts\":{\"flop\":true}}", "unknown knob"},
      {"{\"id\":\"x\",\"show\":\"decode copy_cost=1e-5\",\"facts\":{\"flop\":true}}", "has no knob copy_cost"},
      {"{\"id\":\"x\",\"show\":\"lab view=tile\",\"facts\":{\"state\":true}}", "no such view"},
      {"{\"id\":\"x\",\"show\":\"decode\",\"facts\":{\"flip\":true}}", "no fact flip"},
      {"{\"id\":\"x\",\"show\":\"decode\",\"facts\":{\"token_rate\":\"143.5\"}}", "does not round"},
      {"{\"id\":\"x\",\"show\":\"decode\",\"facts\":{\"bound\":\"compute\"}}", "not compute"},
      {"{\"id\":\"x\",\"show\":\"decode\",\"facts\":{\"here_measured_time\":true}}", "not known"},
      {"{\"id\":\"x\",\"show\":\"decode\",\"facts\":{\"flop\":14e9}}", "expected digits"},
      {"{\"id\":\"x\",\"test\":\"worked.json\",\"reference\":\"Triton\"}", "does not name it"},
      {"{\"id\":\"x\",\"test\":\"none.json\",\"reference\":\"Triton\"}", "none.json"},
      {"{\"id\":\"x\",\"left_out\":\"worked.json\"}", "does not say why"},
      {"{\"id\":\"x\",\"reference\":\"Tritium\"}", "no reference"},
      {"{\"id\":\"x\",\"later\":\"roofline\"}", "is built"},
      {"{\"id\":\"x\",\"later\":\"never\"}", "is built, or nothing"},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    cJSON *row = cJSON_Parse(broken[i].row);
    assert_non_null(row);
    bool taken = row_check(row);
    cJSON_Delete(row);
    if (taken) fail_msg("taken: %s", broken[i].row);
    if (!strstr(said, broken[i].says)) fail_msg("%s: said %s", broken[i].row, said);
  }
}

int main(void) {
  struct err e = {0};
  world = calloc(1, sizeof *world);
  data = calloc(1, sizeof *data);
  if (!world || !data || !catalogue_load(world, "data", NULL, NULL, &e) || !json_load(&table, "tests/chapter.json", &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_leads_somewhere),    cmocka_unit_test(no_item_is_forgotten), cmocka_unit_test(the_tour_keeps_its_numbers),
      cmocka_unit_test(every_file_of_cases_is_known), cmocka_unit_test(readings_show_facts),  cmocka_unit_test(broken_rows_are_refused),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  json_free(&table);
  free(data);
  free(world);
  return failed;
}
