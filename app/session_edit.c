#include "app/session_edit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/frame_parts.h"
#include "tui/number.h"

/* ---- the words being typed ---- */

static void text_put(struct session *s, uint32_t key) {
  char utf8[5] = "";
  int n = glyph_utf8(key, utf8);
  size_t used = strlen(s->edit);
  if (used + (size_t)n < sizeof s->edit) memcpy(s->edit + used, utf8, (size_t)n), s->edit[used + (size_t)n] = 0;
}

static void text_erase(struct session *s) {
  size_t n = strlen(s->edit);
  while (n > 0 && ((unsigned char)s->edit[n - 1] & 0xc0) == 0x80) n--; /* a whole character */
  s->edit[n > 0 ? n - 1 : 0] = 0;
}

static void mode_leave(struct session *s) {
  s->mode = MODE_KEYS;
  s->overlay = OVERLAY_NONE;
  s->edit[0] = 0;
  s->choice = 0;
}

/* ---- a value for a knob ---- */

void samples_say(struct session *s) {
  const struct world *w = s->world;
  if (!s->person.set[KNOB_SAMPLES]) return;
  char words[200];
  if (w->foreign_bad)
    snprintf(words, sizeof words, "%d taken, %d not: %.150s", w->nforeign, w->foreign_bad, w->foreign_trouble[0]);
  else if (w->foreign_dropped)
    snprintf(words, sizeof words, "%d samples taken; %d more have no place", w->nforeign, w->foreign_dropped);
  else
    snprintf(words, sizeof words, "%d sample%s taken; pick shows one alone", w->nforeign, w->nforeign == 1 ? "" : "s");
  session_say(s, words);
}

static const struct fact *fact_guessed(const struct session *s) {
  for (int i = 0; i < s->data.nfact; i++)
    if (s->data.fact[i].measured && s->data.fact[i].label && !s->data.fact[i].word) return &s->data.fact[i];
  return NULL;
}

void edit_open(struct session *s, int knob) {
  char words[160];
  s->mode = MODE_EDIT;
  s->edit_knob = knob;
  s->edit[0] = 0;
  if (knob_table[knob].kind == KNOB_TEXT) /* words are mended more often than replaced; ^U empties the field */
    snprintf(s->edit, sizeof s->edit, "%s", knob_text(&s->person, knob));
  if (knob != KNOB_GUESS) return;
  const struct fact *f = fact_guessed(s);
  char value[NUMBER_MAX], unit[NUMBER_MAX] = "";
  if (f) number_split(1, f->unit, 3, false, value, unit);
  bool rate = f && strcmp(f->unit, "flop/s") == 0; /* nobody types all the zeros, but who types 5 must know of what */
  snprintf(words, sizeof words, "%s, hidden: what is your guess? In %s%s", f ? f->label : "measured", unit, rate ? ", or 5G" : "");
  session_say(s, words);
}

static const char *choice_name(int i, const void *arg) {
  const struct session *s = arg;
  return choice_key(s->world, knob_table[s->edit_knob].list, i);
}

/* The only choice that starts with what was typed; -1 when there are none or several. */
static int choice_prefix(const struct session *s, const char *typed) {
  int found = -1, n = choice_count(s->world, knob_table[s->edit_knob].list);
  for (int i = 0; i < n; i++) {
    if (strncmp(choice_name(i, s), typed, strlen(typed)) != 0) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

/* Out of range is taken as the limit, with a word: at the keyboard nobody wants to be refused. */
static bool number_take(struct session *s, const char *typed, double now) {
  const struct knob *k = &knob_table[s->edit_knob];
  const struct fact *guessed = s->edit_knob == KNOB_GUESS ? fact_guessed(s) : NULL;
  double v;
  char words[160], limit[64];
  const char *why = number_parse(typed, guessed ? guessed->unit : k->unit, &v);
  if (why) {
    session_say(s, why);
    return false;
  }
  if (guessed && isfinite(guessed->value) && v > 0) { /* off the plot a guess has no place: the words say how far off it was */
    char guess[NUMBER_MAX], truth[NUMBER_MAX], off[NUMBER_MAX];
    double ratio = guessed->value > v ? guessed->value / v : v / guessed->value;
    snprintf(words, sizeof words, "guessed %s, measured %s: %s off", number_print(guess, v, guessed->unit, 3, false),
             number_print(truth, guessed->value, guessed->unit, 3, false), number_print(off, ratio, "x", 3, false));
    session_say(s, words);
  }
  double held = knob_clamp(s->world, s->edit_knob, v);
  session_set(s, s->edit_knob, held, now);
  if (held != v) {
    setup_value(s->world, s->edit_knob, held, limit, sizeof limit);
    snprintf(words, sizeof words, k->whole && fabs(held - v) < 1 ? "%s is a whole number: %s taken" : "%s: out of range, %s taken",
             k->label, limit);
    session_say(s, words);
  }
  return true;
}

/* An empty field takes the words away. */
static bool words_take(struct session *s, const char *typed, double now) {
  struct err e;
  if (!setup_text(s->world, &s->person, s->edit_knob, typed, &e)) {
    session_say(s, e.text);
    return false;
  }
  session_touch(s, s->edit_knob, now);
  if (s->edit_knob == KNOB_SAMPLES) samples_say(s);
  return true;
}

static bool value_take(struct session *s, double now) {
  const struct knob *k = &knob_table[s->edit_knob];
  char typed[SESSION_EDIT];
  const char *from = s->edit + strspn(s->edit, " ");
  snprintf(typed, sizeof typed, "%s", from);
  for (size_t n = strlen(typed); n > 0 && typed[n - 1] == ' '; n--) typed[n - 1] = 0;
  if (k->kind == KNOB_TEXT) return words_take(s, typed, now);
  if (!*typed) return true;
  if (isnan(k->start) && strcmp(typed, "auto") == 0) {
    session_set(s, s->edit_knob, NAN, now);
    return true;
  }
  if (k->kind == KNOB_LINEAR || k->kind == KNOB_LOG2) return number_take(s, typed, now);
  double v;
  struct err e;
  int only = k->kind == KNOB_CHOICE && choice_find(s->world, k->list, typed) < 0 ? choice_prefix(s, typed) : -1;
  if (only >= 0)
    v = only;
  else if (!setup_read(s->world, s->edit_knob, typed, &v, &e)) {
    char near[120] = "", words[180];
    bool path = strchr(typed, '/') || strstr(typed, ".json");
    if (k->kind == KNOB_CHOICE && !path) nearest_names(typed, choice_name, choice_count(s->world, k->list), s, near, sizeof near);
    if (*near)
      snprintf(words, sizeof words, "did you mean %s?", near);
    else if (path)
      snprintf(words, sizeof words, "%.170s", e.text);
    else
      snprintf(words, sizeof words, "no such %s; the arrows show all", k->label);
    session_say(s, words);
    return false;
  }
  session_set(s, s->edit_knob, v, now);
  return true;
}

/* The file may have grown since: other programs write to it while we look. */
void samples_again(struct session *s) {
  struct err e;
  if (!s->person.set[KNOB_SAMPLES]) return;
  char path[KNOB_TEXT_MAX];
  snprintf(path, sizeof path, "%s", knob_text(&s->person, KNOB_SAMPLES));
  if (!setup_text(s->world, &s->person, KNOB_SAMPLES, path, &e))
    session_say(s, e.text);
  else
    samples_say(s);
  s->dirty = true;
}

/* ---- the list of scenes ---- */

void list_open(struct session *s) {
  mode_leave(s);
  s->mode = MODE_LIST;
  s->overlay = OVERLAY_SCENES;
}

static void list_key(struct session *s, uint32_t key, double now) {
  int hit[64], n = overlay_scenes(s->edit, hit, 64);
  if (key == KEY_UP_ && s->choice > 0)
    s->choice--;
  else if (key == KEY_DOWN_ && s->choice + 1 < n)
    s->choice++;
  else if (key == '\r' && n > 0) {
    const struct scene *to = scene_table[hit[s->choice < n ? s->choice : 0]];
    mode_leave(s);
    session_go(s, to, now);
  }
}

/* ---- the search ---- */

static bool has_word(const char *where, const char *what) {
  size_t n = strlen(what);
  for (; where && *where; where++) {
    size_t i = 0;
    while (i < n && where[i] && tolower((unsigned char)where[i]) == tolower((unsigned char)what[i])) i++;
    if (i == n) return true;
  }
  return false;
}

/* Candidates are numbered: the scene's knobs in order, then its facts. */
static bool candidate_hit(const struct session *s, int i, const char *what) {
  if (i < s->scene->nknobs) {
    const struct knob *k = &knob_table[s->scene->knobs[i]];
    return knob_shown(s->scene, &s->data.setup, i) && (has_word(k->label, what) || has_word(k->key, what));
  }
  const struct fact *f = &s->data.fact[i - s->scene->nknobs];
  return fact_shown(f, &s->data) && (has_word(f->label, what) || has_word(f->name, what));
}

static int candidate_now(const struct session *s) {
  if (s->focus_fact >= 0) return s->scene->nknobs + s->focus_fact;
  for (int i = 0; i < s->scene->nknobs; i++)
    if (s->scene->knobs[i] == s->focus) return i;
  return 0;
}

static void search_go(struct session *s, const char *what, int from, int direction) {
  int n = s->scene->nknobs + s->data.nfact;
  char words[SESSION_EDIT + 40];
  for (int step = 0; *what && step < n; step++) {
    int i = ((from + direction * step) % n + n) % n;
    if (!candidate_hit(s, i, what)) continue;
    s->focus_fact = i < s->scene->nknobs ? -1 : i - s->scene->nknobs;
    if (i < s->scene->nknobs) s->focus = s->scene->knobs[i];
    snprintf(words, sizeof words, "/%s", what);
    session_say(s, words);
    return;
  }
  snprintf(words, sizeof words, *what ? "/%s: no knob or fact in sight has these letters" : "/%s", what);
  session_say(s, words);
}

void search_open(struct session *s) {
  s->mode = MODE_SEARCH;
  s->edit[0] = 0;
  session_say(s, "/ type part of a knob's or fact's name; Enter stays, Esc leaves");
}

void search_next(struct session *s, int direction) {
  if (*s->found)
    search_go(s, s->found, candidate_now(s) + direction, direction);
  else
    session_say(s, "nothing was looked for yet: /");
}

/* ---- keys of all fields ---- */

void edit_key(struct session *s, uint32_t key, double now) {
  bool typed = (key >= 0x20 && key < 0x7f) || (key >= 0xa0 && key < 0x110000);
  if (key == 0x1b) {
    mode_leave(s);
    return;
  }
  if (typed)
    text_put(s, key);
  else if (key == KEY_BACKSPACE_)
    text_erase(s);
  else if (key == 0x15)
    s->edit[0] = 0; /* ^U, as in a shell */
  if (s->mode == MODE_LIST) {
    if (typed || key == KEY_BACKSPACE_ || key == 0x15)
      s->choice = 0;
    else
      list_key(s, key, now);
  } else if (s->mode == MODE_SEARCH) {
    if (key == '\r')
      mode_leave(s);
    else {
      snprintf(s->found, sizeof s->found, "%s", s->edit);
      search_go(s, s->edit, 0, 1);
    }
  } else if (key == '\r' && value_take(s, now)) {
    mode_leave(s);
  }
}
