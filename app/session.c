#include "app/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/frame_parts.h"
#include "app/session_edit.h"
#include "kernels/bench.h"

static const struct axes axes_open = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};

void session_say(struct session *s, const char *words) { snprintf(s->message, sizeof s->message, "%s", words); }

struct frame session_frame(struct session *s, double now) {
  struct frame f = {.scene = s->scene,
                    .person = &s->person,
                    .world = s->world,
                    .trail = &s->trail,
                    .axes = &s->axes,
                    .focus = s->mode == MODE_EDIT ? s->edit_knob : s->focus,
                    .focus_fact = s->mode == MODE_EDIT ? -1 : s->focus_fact,
                    .changed = s->changed,
                    .scroll = s->scroll,
                    .time = now - s->opened_at,
                    .ascii = s->ascii,
                    .done = s->done,
                    .total = s->total,
                    .message = *s->message ? s->message : NULL,
                    .editing = s->mode == MODE_EDIT,
                    .edit = s->edit,
                    .overlay = s->overlay,
                    .search = s->edit,
                    .choice = s->choice};
  /* A bar only while nothing can be shown yet: what refines a point that stands already works quietly. */
  f.measuring = s->running.kind == ERRAND_MACHINE || (s->running.kind == ERRAND_BENCH && s->fresh && s->total > 0);
  if (*s->progress) f.progress = s->progress;
  if (s->running.kind == ERRAND_REFINE && !s->cancel) f.refining = probe_part_name(s->running.part);
  struct request want[REQUEST_MAX];
  if (s->scene->measures && s->scene->measures(s->world, &s->data.setup, want) > 0) {
    const struct run *r = run_find(s->world, &want[0], s->world->machine);
    f.stale = !r || isnan(run_time(r));
  }
  return f;
}

/* The picture's point before this change joins the trail; a point that did not move leaves none. */
static void trail_add(struct session *s, double x, double y) {
  struct trail *t = &s->trail;
  if (!s->scene->trail_x || !(x > 0) || !(y > 0) || isinf(x) || isinf(y)) return;
  if (x == fact_value(s->data.fact, s->data.nfact, s->scene->trail_x) && y == fact_value(s->data.fact, s->data.nfact, s->scene->trail_y))
    return;
  if (t->n == TRAIL_MAX) {
    memmove(t->x, t->x + 1, sizeof *t->x * (TRAIL_MAX - 1));
    memmove(t->y, t->y + 1, sizeof *t->y * (TRAIL_MAX - 1));
    t->n--;
  }
  t->x[t->n] = x;
  t->y[t->n++] = y;
}

/* The hand must be on something that is there: knobs come and go with the operation and the level of detail. */
static void focus_keep(struct session *s) {
  int first = -1;
  for (int i = 0; i < s->scene->nknobs; i++) {
    if (!knob_shown(s->scene, &s->data.setup, i)) continue;
    if (s->scene->knobs[i] == s->focus) return;
    if (first < 0) first = s->scene->knobs[i];
  }
  s->focus = first;
}

static void compute(struct session *s, double now) {
  double x = NAN, y = NAN;
  if (s->scene->trail_x && s->changed >= 0) {
    x = fact_value(s->data.fact, s->data.nfact, s->scene->trail_x);
    y = fact_value(s->data.fact, s->data.nfact, s->scene->trail_y);
  }
  /* Earlier points belong to earlier roofs: under moved ones only the last of them still says something. */
  if (s->changed == KNOB_DEVICE || s->changed == KNOB_PEAK || s->changed == KNOB_BANDWIDTH || s->changed == KNOB_VIEW) s->trail.n = 0;
  setup_for(s->world, s->scene, &s->person, &s->data.setup); /* what can be measured is asked of what is set now, not of the scene before */
  struct frame f = session_frame(s, now);
  frame_compute(&f, &s->data);
  if (s->changed != KNOB_DEVICE && s->changed != KNOB_VIEW) trail_add(s, x, y);
  focus_keep(s);
  if (s->focus_fact >= s->data.nfact) s->focus_fact = -1;
  s->dirty = false;
}

bool session_settle(struct session *s, double now) {
  if (!isnan(s->show_at) && now >= s->show_at) {
    s->show_at = NAN;
    s->dirty = true;
  }
  if (!s->dirty) return false;
  compute(s, now);
  return true;
}

void session_draw(struct session *s, struct canvas *c, double now) {
  struct frame f = session_frame(s, now);
  frame_draw(c, &f, &s->data);
  s->changed = -1;
}

static void scene_take(struct session *s, const struct scene *scene, double now) {
  s->scene = scene;
  s->axes = axes_open;
  s->trail.n = 0;
  s->focus = scene->hand;
  s->focus_fact = s->changed = -1;
  s->scroll = s->choice = 0;
  s->overlay = OVERLAY_NONE;
  s->mode = MODE_KEYS;
  s->edit[0] = 0;
  s->opened_at = now;
  s->dirty = true;
}

void session_open(struct session *s, struct world *w, const struct scene *scene, const struct setup *person, double now) {
  memset(s, 0, sizeof *s);
  s->world = w;
  s->person = *person;
  s->show_at = s->refine_at = NAN;
  scene_take(s, scene, now);
  compute(s, now);
  s->rest_at = now; /* nothing has moved: measure at once */
  samples_say(s);
}

void session_go(struct session *s, const struct scene *scene, double now) {
  if (scene == s->scene) return;
  if (s->nback == SESSION_BACK) memmove(s->back, s->back + 1, sizeof *s->back * (size_t)(--s->nback));
  s->back[s->nback++] = s->scene;
  scene_take(s, scene, now);
  session_disturb(s, now);
}

void session_set(struct session *s, int knob, double v, double now) {
  bool follows = isnan(v);
  s->person.v[knob] = follows ? knob_table[knob].start : v;
  s->person.set[knob] = !follows;
  session_touch(s, knob, now);
}

void session_touch(struct session *s, int knob, double now) {
  /* A guess was about another point: it starts anew. */
  if (knob != KNOB_GUESS && knob != KNOB_DETAIL && knob != KNOB_WHY) s->person.set[KNOB_GUESS] = false, s->person.v[KNOB_GUESS] = NAN;
  if (knob == KNOB_DEVICE || knob == KNOB_VIEW) s->trail.n = 0; /* another machine's or picture's points say nothing here */
  s->changed = knob;
  s->dirty = true;
  if (!knob_table[knob].hidden) session_disturb(s, now);
}
