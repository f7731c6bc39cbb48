#include "tests/support_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "data/catalogue.h"
#include "data/json.h"
#include "tests/support_near.h"
#include "tests/support_world.h"

#include <cjson/cJSON.h>

struct world *world_catalogue(void) {
  struct err e;
  struct world *w = world_invented();
  struct device here = w->device[DEVICE_HERE];
  if (!catalogue_load(w, "data", NULL, NULL, &e)) fail_msg("%s", e.text);
  w->device[DEVICE_HERE] = here;
  return w;
}

struct setup scene_person(struct world *w, const char *words) {
  struct setup person;
  struct err e;
  char copy[400];
  assert_true(strlen(words) < sizeof copy);
  strcpy(copy, words);
  setup_clear(&person);
  for (char *at = strtok(copy, " "); at; at = strtok(NULL, " "))
    if (!setup_word(w, &person, at, &e)) fail_msg("%s", e.text);
  return person;
}

struct setup scene_setup(struct world *w, const struct scene *s, const char *words) {
  struct setup person = scene_person(w, words), complete;
  setup_for(w, s, &person, &complete);
  return complete;
}

const struct shown *scene_show(const struct world *w, const struct scene *s, const struct setup *person) {
  static struct shown out;
  int start[9], length[9];
  setup_for(w, s, person, &out.setup);
  out.n = s->facts(w, &out.setup, out.fact);
  text_clear(&out.verdict);
  s->verdict(out.fact, out.n, &out.verdict);
  if (text_wrap(out.verdict.s, 78, 9, start, length) > 3) fail_msg("%s: too long: %s", s->name, out.verdict.s);
  return &out;
}

const struct shown *scene_show_words(struct world *w, const struct scene *s, const char *words) {
  struct setup person = scene_person(w, words);
  return scene_show(w, s, &person);
}

static const struct fact *fact_named(const struct shown *shown, const char *name) {
  const struct fact *f = fact_find(shown->fact, shown->n, name);
  if (!f) fail_msg("no fact %s", name);
  return f;
}

double shown_value(const struct shown *shown, const char *name) { return fact_named(shown, name)->value; }

const char *shown_word(const struct shown *shown, const char *name) {
  fact_named(shown, name);
  return fact_word(shown->fact, shown->n, name);
}

void shown_says(const struct shown *shown, const char *part) {
  if (!strstr(shown->verdict.s, part)) fail_msg("\"%s\" is not in: %s", part, shown->verdict.s);
}

int scene_row(const struct world *w, const struct scene *s, const struct setup *setup, const char *name, struct fact row[FACT_MAX]) {
  for (int i = 0, n; (n = s->rows(w, setup, i, row)) > 0; i++)
    for (int k = 0; k < 2 && k < n; k++)
      if (row[k].word && strcmp(row[k].word, name) == 0) return n;
  fail_msg("no row %s", name);
  return 0;
}

/* ---- the numbers of a file ---- */

static int check_values(const struct shown *shown, const char *what, const cJSON *facts) {
  const cJSON *at;
  int checked = 0;
  cJSON_ArrayForEach(at, facts) {
    double v = shown_value(shown, at->string);
    if (strcmp(at->valuestring, "-") == 0 ? !isnan(v) : !rounds_to(v, at->valuestring))
      fail_msg("%s: %s is %.10g, not %s", what, at->string, v, at->valuestring);
    if (!isnan(v) && rounds_to(v * 1.6 + copysign(1, v), at->valuestring))
      fail_msg("%s: %s is told so roughly (%s) that it proves nothing", what, at->string, at->valuestring);
    checked++;
  }
  return checked;
}

static int check_near(const struct shown *shown, const char *what, const cJSON *facts, const cJSON *tolerance) {
  const cJSON *at;
  int checked = 0;
  cJSON_ArrayForEach(at, facts) {
    double v = shown_value(shown, at->string), want = strtod(at->valuestring, NULL);
    if (!tolerance || !(fabs(v / want - 1) <= tolerance->valuedouble))
      fail_msg("%s: %s is %.10g, not near %s", what, at->string, v, at->valuestring);
    checked++;
  }
  return checked;
}

static int check_beyond(const struct shown *shown, const char *what, const cJSON *facts, bool above) {
  const cJSON *at;
  int checked = 0;
  cJSON_ArrayForEach(at, facts) {
    double v = shown_value(shown, at->string);
    if (!(above ? v > at->valuedouble : v < at->valuedouble))
      fail_msg("%s: %s is %.10g, not %s %g", what, at->string, v, above ? "above" : "below", at->valuedouble);
    checked++;
  }
  return checked;
}

static int check_letters(const struct shown *shown, const char *what, const cJSON *words) {
  const cJSON *at;
  int checked = 0;
  cJSON_ArrayForEach(at, words) {
    const char *word = shown_word(shown, at->string);
    if (!word || strcmp(word, at->valuestring))
      fail_msg("%s: %s is %s, not %s", what, at->string, word ? word : "no word", at->valuestring);
    checked++;
  }
  return checked;
}

/* A row of the scene's table: the first of its cells names it; the others are words or digits. */
static int check_row(const struct world *w, const struct scene *s, const struct setup *setup, const char *what, const cJSON *cells) {
  struct fact row[FACT_MAX];
  const cJSON *at;
  int checked = 0, n = scene_row(w, s, setup, cells->child->valuestring, row);
  cJSON_ArrayForEach(at, cells) {
    const struct fact *f = fact_find(row, n, at->string);
    if (!f) fail_msg("%s: its row has no %s", what, at->string);
    if (f->word ? strcmp(f->word, at->valuestring) != 0 : !rounds_to(f->value, at->valuestring))
      fail_msg("%s: %s is %s %.10g, not %s", what, at->string, f->word ? f->word : "", f->value, at->valuestring);
    if (!f->word) assert_false(rounds_to(f->value * 1.6 + copysign(1, f->value), at->valuestring)); /* a wrong value would be seen */
    checked++;
  }
  return checked;
}

static int check_sentence(const struct shown *shown, const cJSON *says) {
  const cJSON *at;
  int checked = 0;
  if (cJSON_IsString(says)) return shown_says(shown, says->valuestring), 1;
  cJSON_ArrayForEach(at, says) shown_says(shown, at->valuestring), checked++;
  return checked;
}

int scene_numbers(struct world *w, const struct scene *s, const char *file) {
  struct json j;
  struct err e;
  int checked = 0;
  if (!json_load(&j, file, &e)) fail_msg("%s", e.text);
  const cJSON *one, *part, *at, *cases = cJSON_GetObjectItemCaseSensitive(j.root, "cases");
  cJSON_ArrayForEach(one, cases) {
    struct setup person;
    setup_clear(&person);
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(one, "words");
    const char *what = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(one, "what"));
    if (!what || !words) fail_msg("%s: a case lacks what it is or its words", file);
    cJSON_ArrayForEach(at, words) if (!setup_word(w, &person, at->valuestring, &e)) fail_msg("%s: %s", what, e.text);
    const struct shown *shown = scene_show(w, s, &person);
    int before = checked;
    bool named = false;
    cJSON_ArrayForEach(part, one) {
      const char *key = part->string;
      if (!strcmp(key, "facts"))
        checked += check_values(shown, what, part);
      else if (!strcmp(key, "near"))
        checked += check_near(shown, what, part, cJSON_GetObjectItemCaseSensitive(one, "tolerance"));
      else if (!strcmp(key, "above") || !strcmp(key, "below"))
        checked += check_beyond(shown, what, part, key[0] == 'a');
      else if (!strcmp(key, "word"))
        checked += check_letters(shown, what, part);
      else if (!strcmp(key, "row"))
        checked += check_row(w, s, &shown->setup, what, part);
      else if (!strcmp(key, "says"))
        checked += check_sentence(shown, part);
      else if (!strcmp(key, "id") || !strcmp(key, "ids"))
        named = true;
      else if (strcmp(key, "what") && strcmp(key, "words") && strcmp(key, "tolerance"))
        fail_msg("%s: nobody checks \"%s\"", what, key);
    }
    if (!named || checked == before) fail_msg("%s: %s", what, named ? "nothing is checked" : "no id");
  }
  json_free(&j);
  return checked;
}
