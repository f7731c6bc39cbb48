/* setup: key=value words into knob values and back. The doors refuse what a knob cannot hold; the keyboard clamps instead. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/args.h"
#include "data/benchmark_file.h"
#include "data/catalogue.h"
#include "data/samples.h"
#include "tui/number.h"

static const char *knob_key(int i, const void *arg) {
  (void)arg;
  return knob_table[i].key;
}

struct choice_list {
  const struct world *world;
  enum choice list;
};

static const char *choice_word(int i, const void *arg) {
  const struct choice_list *c = arg;
  return choice_key(c->world, c->list, i);
}

/* "; did you mean a or b?" or nothing. */
static void hint(const char *wrong, const char *(*name)(int, const void *), int n, const void *arg, char *out, int size) {
  char near[256];
  nearest_names(wrong, name, n, arg, near, sizeof near);
  if (*near)
    snprintf(out, (size_t)size, "; did you mean %s?", near);
  else
    out[0] = 0;
}

/* A value that names a file rather than an id. */
static bool is_path(const char *value) {
  size_t n = strlen(value);
  return strchr(value, '/') || (n > 5 && strcmp(value + n - 5, ".json") == 0);
}

/* The whole list; of what is in files, where it is long, the command that lists it. */
static void choice_all(const struct choice_list *c, char *out, int size) {
  int n = choice_count(c->world, c->list), used = 0;
  bool filed = c->list == CHOICE_DEVICE || c->list == CHOICE_COMPARE || c->list == CHOICE_MODEL;
  if (filed && n > 20) {
    snprintf(out, (size_t)size, "one of %d (ridge %s)", n, c->list == CHOICE_MODEL ? "models" : "devices");
    return;
  }
  for (int i = 0; i < n && used < size; i++)
    used += snprintf(out + used, (size_t)(size - used), "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ", choice_key(c->world, c->list, i));
}

static bool choice_value(struct world *w, const struct knob *k, const char *value, double *out, struct err *e) {
  if (is_path(value)) { /* a person's own file, loaded before its index is asked for */
    if (k->list == CHOICE_DEVICE || k->list == CHOICE_COMPARE) {
      if (catalogue_add_device(w, value, e) < 0) return false;
    } else if (k->list == CHOICE_MODEL && catalogue_add_model(w, value, e) < 0) {
      return false;
    }
  }
  int i = choice_find(w, k->list, value);
  if (i >= 0) {
    *out = i;
    return true;
  }
  struct choice_list c = {w, k->list};
  char near[280], all[400];
  hint(value, choice_word, choice_count(w, k->list), &c, near, sizeof near);
  choice_all(&c, all, sizeof all);
  bool path = k->list == CHOICE_DEVICE || k->list == CHOICE_COMPARE || k->list == CHOICE_MODEL;
  return err_say(e, "%s: expected %s%s, found %s%s", k->key, all, path ? " or a path to a .json file" : "", value, near);
}

static bool switch_value(const struct knob *k, const char *value, double *out, struct err *e) {
  static const char *const on[] = {"on", "yes", "true", "1"}, *const off[] = {"off", "no", "false", "0"};
  for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
    if (strcmp(value, on[i]) == 0) return *out = 1, true;
    if (strcmp(value, off[i]) == 0) return *out = 0, true;
  }
  return err_say(e, "%s: expected on or off, found %s", k->key, value);
}

static bool number_value(const struct knob *k, const char *value, double *out, struct err *e) {
  const char *why = number_parse(value, k->unit, out);
  char lo[NUMBER_MAX], hi[NUMBER_MAX];
  number_key(lo, k->lo);
  number_key(hi, k->hi);
  const char *follow = isnan(k->start) ? ", or auto" : "";
  if (why) return err_say(e, "%s: expected a number from %s to %s%s, found %s (%s)", k->key, lo, hi, follow, value, why);
  if (!(*out >= k->lo && *out <= k->hi)) return err_say(e, "%s: expected %s … %s%s, found %s: out of range", k->key, lo, hi, follow, value);
  if (k->whole && *out != round(*out)) return err_say(e, "%s: expected a whole number from %s to %s, found %s", k->key, lo, hi, value);
  return true;
}

bool setup_read(struct world *w, int knob, const char *value, double *out, struct err *e) {
  const struct knob *k = &knob_table[knob];
  if (k->kind == KNOB_CHOICE) return choice_value(w, k, value, out, e);
  if (k->kind == KNOB_SWITCH) return switch_value(k, value, out, e);
  if (k->kind == KNOB_TEXT) return err_say(e, "%s holds words, not a number", k->key);
  if (isnan(k->start) && strcmp(value, "auto") == 0) return *out = NAN, true;
  return number_value(k, value, out, e);
}

/* What a terminal may be shown and a command line may carry: no control bytes, no blanks at the ends. */
static bool text_clean(const char *key, const char *value, char out[KNOB_TEXT_MAX], struct err *e) {
  size_t n = 0;
  value += strspn(value, " ");
  for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
    if (*c < 0x20 || *c == 0x7f) continue;
    if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) { /* the second set of control characters */
      c++;
      continue;
    }
    if (n + 1 == KNOB_TEXT_MAX) return err_say(e, "%s: expected at most %d bytes, found %zu", key, KNOB_TEXT_MAX - 1, strlen(value));
    out[n++] = (char)*c;
  }
  while (n > 0 && out[n - 1] == ' ') n--;
  out[n] = 0;
  return true;
}

bool setup_text(struct world *w, struct setup *s, int knob, const char *value, struct err *e) {
  char clean[KNOB_TEXT_MAX];
  if (!text_clean(knob_table[knob].key, value, clean, e)) return false;
  if (knob == KNOB_FLIPS && clean[strspn(clean, "0123456789,")])
    return err_say(e, "flips: expected bits counted from the left, as 1,5, found %s", clean);
  if (knob == KNOB_ACCELERATED && clean[strspn(clean, "0123456789,")])
    return err_say(e, "accelerated: expected parts by number, as 4,8, found %s", clean);
  if (knob == KNOB_SAMPLES && *clean && !samples_load(w, clean, e)) return false; /* read before anything speaks of them */
  if (knob == KNOB_RECORD && *clean) {
    if (!benchmark_load(clean, &w->benchmark, e)) return false;
    memcpy(w->benchmark_file, clean, sizeof clean);
  }
  memcpy(s->text[knob_table[knob].slot], clean, sizeof clean);
  s->v[knob] = 0;
  s->set[knob] = *clean != 0;
  return true;
}

/* The knob a word sets: what stands before "=". Value points behind it. */
int setup_key(const char *word, const char **value, struct err *e) {
  char key[64], near[280];
  const char *equals = strchr(word, '=');
  size_t n = equals ? (size_t)(equals - word) : strlen(word);
  if (!equals) {
    err_say(e, "expected key=value, found %s", word);
    return -1;
  }
  snprintf(key, sizeof key, "%.*s", (int)n, word);
  int knob = n < sizeof key ? knob_find(key) : -1;
  *value = equals + 1;
  if (knob >= 0) return knob;
  hint(key, knob_key, KNOB_N, NULL, near, sizeof near);
  err_say(e, "unknown knob %s%s", key, *near ? near : "; see ridge knobs");
  return -1;
}

bool setup_word(struct world *w, struct setup *s, const char *word, struct err *e) {
  const char *value;
  double v;
  int knob = setup_key(word, &value, e);
  if (knob >= 0 && knob_table[knob].kind == KNOB_TEXT) return setup_text(w, s, knob, value, e);
  if (knob < 0 || !setup_read(w, knob, value, &v, e)) return false;
  if (isnan(v)) { /* auto: follow again */
    s->v[knob] = knob_table[knob].start;
    s->set[knob] = false;
  } else {
    s->v[knob] = v;
    s->set[knob] = true;
  }
  return true;
}

/* A word that opens something: a scene, by name or address, or a command typed where a scene was meant. */
static const char *opener(int i, const void *arg) {
  (void)arg;
  static const char *const door[] = {"print", "sweep", "snapshot", "bench", "measure", "doctor", "scenes", "knobs", "facts", "devices"};
  return i < scene_count ? scene_table[i]->name : door[i - scene_count];
}

bool setup_words(struct world *w, const char *const *word, int n, const struct scene **scene, struct setup *s, struct err *e) {
  setup_clear(s);
  int i = 0;
  *scene = scene_count > 0 ? scene_table[0] : NULL;
  if (n > 0 && !strchr(word[0], '=')) {
    *scene = scene_find(word[0]);
    struct place planned = scene_planned(word[0]);
    if (planned.name) return err_say(e, "scene %s %s (%s) is not built yet; see ridge scenes", planned.address, planned.name, planned.question);
    if (!*scene) {
      char near[280];
      hint(word[0], opener, scene_count + 10, NULL, near, sizeof near);
      return err_say(e, "unknown scene %s%s", word[0], *near ? near : "; see ridge scenes");
    }
    i = 1;
  }
  for (; i < n; i++)
    if (!setup_word(w, s, word[i], e)) return false;
  return true;
}

void setup_value(const struct world *w, int knob, double v, char *out, int size) {
  const struct knob *k = &knob_table[knob];
  char number[NUMBER_MAX];
  const char *text = number;
  if (isnan(v))
    text = "auto";
  else if (k->kind == KNOB_CHOICE)
    text = choice_key(w, k->list, (int)v);
  else if (k->kind == KNOB_SWITCH)
    text = v > 0.5 ? "on" : "off";
  else if (k->kind == KNOB_TEXT)
    text = "";
  else
    number_key(number, v);
  snprintf(out, (size_t)size, "%s", text);
}

void setup_typed(const struct world *w, const struct setup *s, int knob, char *out, int size) {
  if (knob_table[knob].kind == KNOB_TEXT)
    snprintf(out, (size_t)size, "%s", knob_text(s, knob));
  else
    setup_value(w, knob, s->v[knob], out, size);
}

/* Whether a shell would take the word apart. */
static bool wants_quotes(const char *s) {
  return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^")] != 0;
}

/* Adds one word, quoted for a shell where it must be. Nothing is added when it does not fit whole: half a word would read back as another.
 */
static void add_word(char *out, int size, const char *word) {
  char quoted[1024];
  int n = 0, used = (int)strlen(out);
  bool quote = wants_quotes(word);
  if (quote) quoted[n++] = '\'';
  for (const char *c = word; *c && n < (int)sizeof quoted - 8; c++) {
    if (quote && *c == '\'') {
      memcpy(quoted + n, "'\\''", 4);
      n += 4;
    } else {
      quoted[n++] = *c;
    }
  }
  if (quote) quoted[n++] = '\'';
  quoted[n] = 0;
  if (used + n + 2 > size) return;
  snprintf(out + used, (size_t)(size - used), "%s%s", used ? " " : "", quoted);
}

void setup_print(const struct world *w, const struct setup *s, char *out, int size) {
  out[0] = 0;
  for (int i = 0; i < KNOB_N; i++) {
    if (!s->set[i] || isnan(s->v[i])) continue;
    char value[512], word[600];
    setup_typed(w, s, i, value, sizeof value);
    snprintf(word, sizeof word, "%s=%s", knob_table[i].key, value);
    add_word(out, size, word);
  }
}
