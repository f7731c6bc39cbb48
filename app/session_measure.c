/* What is measured, and when: the machine first, then the shown point once the knobs have rested. One child at a time. */
#include "app/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int requests(const struct session *s, struct request out[REQUEST_MAX]) {
  return s->scene->measures ? s->scene->measures(s->world, &s->data.setup, out) : 0;
}

void session_disturb(struct session *s, double now) {
  s->rest_at = now + REST_MS * 1e-3;
  s->nqueue = 0;
  s->refine_at = NAN;
  if (s->running.kind == ERRAND_BENCH || s->running.kind == ERRAND_REFINE)
    s->cancel = true; /* the machine's own roofs do not depend on any knob */
}

void session_measure(struct session *s, bool machine, double now) {
  struct request want[REQUEST_MAX];
  int n = machine ? 0 : requests(s, want);
  if (!machine && n == 0) {
    session_say(s, s->scene->measures ? "nothing to run for this setting; device=here has real kernels" : "this scene has nothing to run");
    return;
  }
  s->nqueue = 0;
  if (machine || !s->world->device[DEVICE_HERE].machine.measured)
    s->queue[s->nqueue++] = (struct errand){.kind = ERRAND_MACHINE, .again = true};
  for (int i = 0; i < n && s->nqueue < REQUEST_MAX; i++)
    s->queue[s->nqueue++] = (struct errand){.kind = ERRAND_BENCH, .request = want[i], .again = true};
  if (s->running.kind != ERRAND_NONE) s->cancel = true;
  if (machine) s->refined = 0;
  s->refine_at = NAN;
  s->rest_at = machine ? now : NAN;
}

void session_watch(struct session *s, double now) {
  if (s->running.kind == ERRAND_NONE || s->cancel || now < s->heard_at + SILENCE_S) return;
  s->cancel = true;
  s->nqueue = 0;
  session_say(s, "the measurement said nothing for two minutes and was ended");
  s->dirty = true;
}

double session_rest(const struct session *s, double now) {
  double at = s->show_at;
  bool idle = s->running.kind == ERRAND_NONE;
  if (!idle && !s->cancel && !(at < s->heard_at + SILENCE_S)) at = s->heard_at + SILENCE_S;
  if (idle && s->nqueue) return 0;
  if (idle && !isnan(s->rest_at) && !(at < s->rest_at)) at = s->rest_at;
  if (idle && isnan(s->rest_at) && !isnan(s->refine_at) && !(at < s->refine_at)) at = s->refine_at;
  return isnan(at) ? (double)NAN : at > now ? at - now : 0;
}

/* Three warm samples have a median and a spread: enough not to run the same again unasked. */
static bool settled(const struct session *s, const struct request *r) {
  const struct run *run = run_find(s->world, r, s->world->machine);
  return run && run->count >= 3;
}

void session_more(struct session *s) {
  struct request want[REQUEST_MAX];
  int n = requests(s, want);
  if (!s->world->device[DEVICE_HERE].machine.measured) return;
  if (s->nqueue) return; /* asked for already */
  for (int i = 0; i < n; i++) {
    bool now = s->running.kind == ERRAND_BENCH && !s->cancel && request_equal(&s->running.request, &want[i]);
    if (!now && !settled(s, &want[i])) s->queue[s->nqueue++] = (struct errand){.kind = ERRAND_BENCH, .request = want[i]};
  }
}

/* The knobs have rested: what is there to run for them? */
static void rest_take(struct session *s, double now) {
  struct request want[REQUEST_MAX];
  if (!s->world->device[DEVICE_HERE].machine.measured && !s->tried) {
    s->queue[s->nqueue++] = (struct errand){.kind = ERRAND_MACHINE};
    return;
  }
  s->rest_at = NAN;
  session_settle(s, now); /* the requests must be those of the knobs as they are */
  int n = requests(s, want);
  /* On a machine made worse on purpose the point alone says nothing: its roofs come with it. */
  if (n > 1 && want[0].isa == ISA_AUTO && !want[0].hog) n = 1;
  for (int i = 0; i < n; i++)
    if ((i == 0 || want[i].op != want[0].op) && !settled(s, &want[i]))
      s->queue[s->nqueue++] = (struct errand){.kind = ERRAND_BENCH, .request = want[i]};
}

bool session_wants(struct session *s, double now, struct errand *out) {
  if (s->running.kind != ERRAND_NONE) return false;
  if (!s->nqueue && now >= s->rest_at) rest_take(s, now);
  if (!s->nqueue && isnan(s->rest_at) && session_refines(s, now, &s->queue[0])) s->nqueue = 1;
  if (!s->nqueue) return false;
  *out = s->queue[0];
  memmove(s->queue, s->queue + 1, sizeof *s->queue * (size_t)(--s->nqueue));
  s->running = *out;
  s->heard_at = now;
  s->fresh = true;
  s->cancel = false;
  s->measured = false;
  s->done = s->total = 0;
  snprintf(s->progress, sizeof s->progress, "%s", out->kind == ERRAND_MACHINE ? "measuring this machine" : "");
  if (out->kind == ERRAND_MACHINE) s->tried = true;
  return true;
}

static void show_soon(struct session *s, double now) {
  if (isnan(s->show_at)) s->show_at = now + SHOW_MS * 1e-3;
}

static void sample_take(struct session *s, const struct line *l, double now) {
  struct run *r = run_open(s->world, &s->running.request, s->world->machine);
  if (s->fresh && s->running.again) run_start(r, &s->running.request, s->world->machine);
  bool first = s->fresh || r->count == 0;
  if (!run_add(r, &l->sample)) return;
  s->fresh = false;
  /* The first point at once, and the first warm one; then a few times a second, so that digits can be read. */
  if (first)
    s->show_at = now;
  else
    show_soon(s, now);
}

void session_line(struct session *s, const char *text, double now) {
  struct line l;
  struct err e;
  if (s->running.kind == ERRAND_NONE || s->cancel) return;
  s->heard_at = now;
  if (!line_read(text, &l, &e)) {
    char words[200];
    snprintf(words, sizeof words, "the measurement said something strange: %.150s", e.text);
    session_say(s, words);
    s->dirty = true;
    return;
  }
  switch (l.kind) {
  case LINE_PROGRESS:
    if (s->running.kind == ERRAND_REFINE) break;
    s->done = l.done;
    s->total = l.total;
    if (*l.reason)
      snprintf(s->progress, sizeof s->progress, strncmp(l.reason, "waiting", strlen("waiting")) ? "measuring: %.100s" : "%.100s", l.reason);
    if (s->fresh || s->running.kind == ERRAND_MACHINE) s->dirty = true;
    break;
  case LINE_SAMPLE:
    if (s->running.kind == ERRAND_BENCH) sample_take(s, &l, now);
    break;
  case LINE_FIGURE:
    if ((s->running.kind == ERRAND_MACHINE || s->running.kind == ERRAND_REFINE) && line_apply(&l, &s->world->device[DEVICE_HERE])) {
      s->fresh = false;
      s->measured = s->world->device[DEVICE_HERE].machine.measured;
      s->dirty = true;
    }
    break;
  case LINE_REFUSED: {
    if (s->running.kind == ERRAND_REFINE) break; /* nobody asked for it */
    char words[200];
    snprintf(words, sizeof words, "not measured: %.180s", l.reason);
    session_say(s, words);
    s->dirty = true;
    break;
  }
  case LINE_RESULT: s->show_at = now; break;
  case LINE_START:
  case LINE_KIND_N: break;
  }
}

void session_ended(struct session *s, bool well, const char *words, double now) {
  struct errand done = s->running;
  enum errand_kind was = done.kind;
  s->running.kind = ERRAND_NONE;
  s->refine_at = NAN; /* the quiet begins now */
  s->dirty = true;
  s->progress[0] = 0;
  s->done = s->total = 0;
  if (!isnan(s->show_at)) s->show_at = now;
  if (s->cancel) { /* our own doing: nothing to report */
    s->cancel = false;
    return;
  }
  if (was == ERRAND_REFINE) {
    s->refined |= 1u << done.part;
    if (well && s->measured) s->effects |= EFFECT_MACHINE;
    return;
  }
  if (!well && !*s->message) session_say(s, words);
  if (was != ERRAND_MACHINE) return;
  if (well && s->measured) s->effects |= EFFECT_MACHINE;
  if (!s->nqueue && isnan(s->rest_at))
    s->rest_at = now; /* now that the roofs stand, the point */
  else if (!isnan(s->rest_at) && s->rest_at < now)
    s->rest_at = now;
}
