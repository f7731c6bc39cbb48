/* What each key does to a session. */
#include "app/session.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/frame_parts.h"
#include "app/session_edit.h"
#include "tui/number.h"

/* ---- moving the hand ---- */

/* Knobs in sight, in the panel's order. */
static int knobs_shown(const struct session *s, int out[KNOB_N]) {
  int n = 0;
  for (int i = 0; i < s->scene->nknobs; i++)
    if (knob_shown(s->scene, &s->data.setup, i)) out[n++] = s->scene->knobs[i];
  return n;
}

static int facts_shown(const struct session *s, int out[FACT_MAX]) {
  int n = 0;
  for (int i = 0; i < s->data.nfact; i++)
    if (fact_shown(&s->data.fact[i], &s->data)) out[n++] = i;
  return n;
}

static int place_of(const int *list, int n, int what) {
  for (int i = 0; i < n; i++)
    if (list[i] == what) return i;
  return -1;
}

/* Up and down walk the panel as it is drawn: from the last knob on to the first fact, and back. */
static void focus_move(struct session *s, int direction) {
  int knob[KNOB_N], fact[FACT_MAX];
  int nk = knobs_shown(s, knob), nf = facts_shown(s, fact), n = nk + nf;
  if (n == 0) return;
  int at = s->focus_fact >= 0 ? nk + place_of(fact, nf, s->focus_fact) : place_of(knob, nk, s->focus);
  at += direction;
  if (at < 0) at = 0;
  if (at >= n) at = n - 1;
  s->focus_fact = at >= nk ? fact[at - nk] : -1;
  if (at < nk) s->focus = knob[at];
}

static void panel_move(struct session *s) {
  int fact[FACT_MAX];
  if (s->focus_fact >= 0)
    s->focus_fact = -1;
  else if (facts_shown(s, fact) > 0)
    s->focus_fact = fact[0];
}

/* ---- changing knobs ---- */

static void knob_turn(struct session *s, int knob, int direction, bool coarse, double now) {
  if (knob < 0) return;
  if (s->scene->turn && s->scene->turn(s->world, &s->data.setup, knob, direction, coarse, &s->person)) {
    session_touch(s, knob, now);
    return;
  }
  if (knob_table[knob].kind == KNOB_TEXT) {
    session_say(s, "these are words: Enter opens the field");
    return;
  }
  double v = s->data.setup.v[knob], next = knob_step(s->world, knob, v, direction, coarse);
  for (int i = 0; knob == KNOB_VIEW && i < VIEW_N && !scene_has_view(s->scene, next); i++)
    next = knob_step(s->world, knob, next, direction, false);
  if (next == v) {
    char words[120], value[64];
    setup_value(s->world, knob, v, value, sizeof value);
    snprintf(words, sizeof words, "%s: %s is its %s value", knob_table[knob].label, value, direction < 0 ? "least" : "greatest");
    session_say(s, words);
    return;
  }
  session_set(s, knob, next, now);
}

static void knob_limit(struct session *s, int knob, int direction, double now) {
  if (knob < 0 || knob_table[knob].kind == KNOB_TEXT) return;
  double v = knob_clamp(s->world, knob, direction < 0 ? -INFINITY : INFINITY);
  if (knob == KNOB_VIEW) v = s->scene->views[direction < 0 ? 0 : s->scene->nviews - 1];
  if (v != s->data.setup.v[knob]) session_set(s, knob, v, now);
}

static bool scene_has(const struct session *s, int knob) {
  for (int i = 0; i < s->scene->nknobs; i++)
    if (s->scene->knobs[i] == knob) return !s->scene->applies || s->scene->applies(&s->data.setup, knob);
  return false;
}

static void what_if(struct session *s, int knob, double now) {
  double v = s->data.setup.v[knob];
  char words[120];
  if (!scene_has(s, knob) || isnan(v)) {
    snprintf(words, sizeof words, scene_has(s, knob) ? "%s is not known here" : "this scene has no knob for %s", knob_table[knob].label);
    session_say(s, words);
    return;
  }
  struct text value;
  session_set(s, knob, knob_clamp(s->world, knob, 2 * v), now);
  value_show(s->world, knob, s->person.v[knob], &value);
  snprintf(words, sizeof words, "what if: %s doubled to %.40s; 0 starts over", knob_table[knob].label, value.s);
  session_say(s, words);
}

static void scene_reset(struct session *s, double now) {
  for (int i = 0; i < s->scene->nknobs; i++) s->person.set[s->scene->knobs[i]] = false;
  for (int k = 0; k < KNOB_N; k++)
    if (knob_table[k].hidden) s->person.set[k] = false;
  for (int k = 0; k < KNOB_N; k++)
    if (!s->person.set[k]) s->person.v[k] = knob_table[k].start;
  for (int k = 0; k < KNOB_N; k++)
    if (knob_table[k].kind == KNOB_TEXT && !s->person.set[k]) s->person.text[knob_table[k].slot][0] = 0;
  s->axes = (struct axes){{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
  s->trail.n = 0;
  s->focus = s->scene->hand;
  s->focus_fact = -1;
  s->dirty = true;
  session_disturb(s, now);
}

/* ---- going about ---- */

static int scene_index(const struct scene *scene) {
  for (int i = 0; i < scene_count; i++)
    if (scene_table[i] == scene) return i;
  return 0;
}

static void part_go(struct session *s, int part, double now) {
  int here = scene_index(s->scene), first = -1, next = -1;
  for (int i = 0; i < scene_count; i++) {
    if (scene_table[i]->address[0] != '0' + part) continue;
    if (first < 0) first = i;
    if (i > here && next < 0) next = i;
  }
  if (first < 0) {
    char words[80];
    snprintf(words, sizeof words, "%d %s: nothing built there yet", part, scene_part(part));
    session_say(s, words);
    return;
  }
  bool inside = s->scene->address[0] == '0' + part;
  session_go(s, scene_table[inside && next >= 0 ? next : first], now);
}

static void back_go(struct session *s, double now) {
  if (!s->nback) {
    session_say(s, "this is where you came in");
    return;
  }
  const struct scene *to = s->back[--s->nback];
  int n = s->nback;
  session_go(s, to, now);
  s->nback = n;
}

static void guess_key(struct session *s, double now) {
  bool on = s->data.setup.v[KNOB_GUESSING] > 0.5;
  session_set(s, KNOB_GUESS, NAN, now);
  session_set(s, KNOB_GUESSING, !on, now);
  if (on) {
    session_say(s, "guessing off: measured values are shown");
    return;
  }
  session_settle(s, now);
  edit_open(s, KNOB_GUESS);
}

/* Reasons asked for are asked of the point as it is: what the scene would measure for them besides is measured now. */
static void why_open(struct session *s, double now) {
  if (!s->scene->why && !s->scene->measures) {
    session_say(s, "this scene has no point to explain");
    return;
  }
  s->scroll = 0;
  session_set(s, KNOB_WHY, 1, now);
  session_settle(s, now);
  if (s->scene->why) session_more(s); /* others measure whole series: those are not asked for here */
}

static enum overlay overlay_now(struct session *s) {
  struct frame f = session_frame(s, s->opened_at);
  return frame_overlay(&f, &s->data);
}

/* A key while a box lies over the scene. True when it was for the box. */
static bool overlay_key(struct session *s, enum action a, int direction, double now) {
  switch (a) {
  case ACTION_QUIT:
  case ACTION_SUSPEND:
  case ACTION_REPAINT:
  case ACTION_THEME:
  case ACTION_CHARSET: return false;
  case ACTION_MOVE: s->scroll += direction; break;
  case ACTION_COARSE: s->scroll -= 10 * direction; break; /* PgDn is on, as everywhere text is read */
  case ACTION_LIMIT: s->scroll = direction < 0 ? 0 : s->scroll + 1000; break;
  default:
    if (s->overlay == OVERLAY_NONE) session_set(s, KNOB_WHY, NAN, now), session_settle(s, now);
    s->overlay = OVERLAY_NONE, s->scroll = 0;
  }
  struct frame f = session_frame(s, s->opened_at);
  int most = overlay_rows(&f, &s->data) - 10;
  if (s->scroll > most) s->scroll = most;
  if (s->scroll < 0) s->scroll = 0;
  return true;
}

static void action_do(struct session *s, enum action a, int direction, double now) {
  switch (a) {
  case ACTION_TURN:
    if (s->focus_fact < 0)
      knob_turn(s, s->focus, direction, false, now);
    else
      session_say(s, "a fact follows the knobs; Tab goes back to them");
    break;
  case ACTION_COARSE: knob_turn(s, s->focus, direction, true, now); break;
  case ACTION_LIMIT: knob_limit(s, s->focus, direction, now); break;
  case ACTION_MOVE: focus_move(s, direction); break;
  case ACTION_PANEL: panel_move(s); break;
  case ACTION_TYPE:
    if (s->focus_fact >= 0)
      s->overlay = OVERLAY_HELP, s->scroll = 0;
    else if (s->focus >= 0 && knob_table[s->focus].kind == KNOB_SWITCH)
      knob_turn(s, s->focus, 1, false, now);
    else if (s->focus >= 0)
      edit_open(s, s->focus);
    break;
  case ACTION_MEASURE:
    session_measure(s, false, now);
    samples_again(s);
    break;
  case ACTION_MACHINE: session_measure(s, true, now); break;
  case ACTION_GUESS: guess_key(s, now); break;
  case ACTION_DETAIL: session_set(s, KNOB_DETAIL, s->data.setup.v[KNOB_DETAIL] >= 3 ? 1 : s->data.setup.v[KNOB_DETAIL] + 1, now); break;
  case ACTION_PEAK: what_if(s, KNOB_PEAK, now); break;
  case ACTION_BANDWIDTH: what_if(s, KNOB_BANDWIDTH, now); break;
  case ACTION_RESET: scene_reset(s, now); break;
  case ACTION_REFIT:
    s->axes = (struct axes){{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
    s->dirty = true;
    break;
  case ACTION_PART: part_go(s, direction, now); break;
  case ACTION_SCENE: session_go(s, scene_table[(scene_index(s->scene) + direction + scene_count) % scene_count], now); break;
  case ACTION_BACK: back_go(s, now); break;
  case ACTION_LIST: list_open(s); break;
  case ACTION_SEARCH: search_open(s); break;
  case ACTION_FOUND: search_next(s, direction); break;
  case ACTION_HELP: s->overlay = OVERLAY_HELP, s->scroll = 0; break;
  case ACTION_CLOSE: s->focus_fact = -1; break;
  case ACTION_SHARE: s->overlay = OVERLAY_SHARE, s->scroll = 0; break;
  case ACTION_SAVE: s->effects |= EFFECT_SAVE; break;
  case ACTION_THEME: s->effects |= EFFECT_THEME; break;
  case ACTION_CHARSET: s->effects |= EFFECT_CHARSET; break;
  case ACTION_MOUSE: s->effects |= EFFECT_MOUSE; break;
  case ACTION_WHY: why_open(s, now); break;
  case ACTION_PRESENT: session_say(s, "presenter mode is not built yet"); break;
  case ACTION_REPAINT: s->effects |= EFFECT_REPAINT; break;
  case ACTION_SUSPEND: s->effects |= EFFECT_SUSPEND; break;
  case ACTION_QUIT: s->effects |= EFFECT_QUIT; break;
  case ACTION_NONE: break;
  }
}

void session_key(struct session *s, uint32_t key, double now) {
  int direction;
  enum action a = key_action(key, &direction);
  bool control = key == 3 || key == 12 || key == 26; /* quit, repaint, suspend mean the same inside a text field */
  s->message[0] = 0;
  if (s->mode != MODE_KEYS && !control) {
    edit_key(s, key, now);
    return;
  }
  if (a == ACTION_TURN || a == ACTION_COARSE || a == ACTION_LIMIT || a == ACTION_DETAIL || a == ACTION_MEASURE || a == ACTION_SEARCH || a == ACTION_MOVE)
    session_settle(s, now); /* several keys in one batch: each builds on the one before */
  if (overlay_now(s) != OVERLAY_NONE && overlay_key(s, a, direction, now)) return;
  action_do(s, a, direction, now);
}

void session_event(struct session *s, const struct event *e, const char *paste, int w, int h, double now) {
  if (e->kind == EVENT_KEY)
    session_key(s, e->key, now);
  else if (e->kind == EVENT_PASTE) {
    if (s->mode == MODE_KEYS)
      session_say(s, "pasted text is not taken for commands; Enter opens a field for a value");
    else
      for (const char *p = paste; *p; p++)
        if ((unsigned char)*p >= 0x20) edit_key(s, (unsigned char)*p < 0x7f ? (uint32_t)*p : '?', now);
  } else if (e->kind == EVENT_MOUSE && s->mode == MODE_KEYS && overlay_now(s) == OVERLAY_NONE) {
    struct frame f = session_frame(s, now);
    int fact = -1, knob = frame_at(&f, &s->data, w, h, e->x, e->y, &fact);
    s->message[0] = 0;
    if (e->button >= 4)
      knob_turn(s, knob >= 0 ? knob : s->focus, e->button == 4 ? 1 : -1, false, now);
    else if (e->button == 1 && knob >= 0)
      s->focus = knob, s->focus_fact = -1;
    else if (e->button == 1 && fact >= 0)
      s->focus_fact = fact;
  }
}
