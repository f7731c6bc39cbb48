#include "app/visit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/args.h"
#include "app/frame_parts.h"
#include "data/line.h"

int door_refuse_text(const char *text, int code) {
  fprintf(stderr, "ridge: %s\n", text);
  return code;
}

int door_refuse(const struct err *e, int code) { return door_refuse_text(e->text, code); }

int visit_open(struct visit *v, const char *const *word, int n, const char *door) {
  memset(v, 0, sizeof *v);
  struct err e;
  if (n == 0 || strchr(word[0], '=')) {
    err_say(&e, "%s needs a scene: ridge %s %s; ridge scenes lists them", door, door, scene_count > 0 ? scene_table[0]->name : "SCENE");
    return door_refuse(&e, 2);
  }
  v->world = world_open();
  if (!v->world) return 1;
  if (setup_words(v->world, word, n, &v->scene, &v->person, &e)) return 0;
  visit_close(v);
  return door_refuse(&e, 2);
}

enum { LINE_SIZE = 4200 }; /* a line of more than 4096 bytes is refused by its reader */

/* As the scenes ask for it: what means nothing for the operation is left open. The child completes a shape before it runs it. */
static struct request request_open(struct request r) {
  if (!work_uses(r.op, "n")) r.shape.n = NAN;
  if (!work_uses(r.op, "m")) r.shape.m = NAN;
  if (!work_uses(r.op, "k")) r.shape.k = NAN;
  if (!work_uses(r.op, "batch")) r.shape.batch = NAN;
  if (!work_uses(r.op, "fma")) r.shape.fma = NAN;
  return r;
}

static bool lines_take(struct visit *v, FILE *f, const char *name, struct err *e) {
  char text[LINE_SIZE];
  for (int n = 1; fgets(text, sizeof text, f); n++) {
    struct line l;
    struct err why;
    text[strcspn(text, "\n")] = 0;
    if (!line_read(text, &l, &why)) return err_set(e, name, n, 0, "", "a line that ridge bench or ridge measure --json prints", why.text);
    struct request r = request_open(l.request);
    if (l.kind == LINE_SAMPLE) run_add(run_open(v->world, &r, l.machine), &l.sample);
    if (l.kind == LINE_FIGURE) line_apply(&l, &v->world->device[DEVICE_HERE]);
  }
  return !ferror(f) || err_say(e, "%s: %s", name, strerror(errno));
}

int visit_lines(struct visit *v, const char *path) {
  struct err e;
  if (!path) return 0;
  bool standard = strcmp(path, "-") == 0;
  FILE *f = standard ? stdin : fopen(path, "r");
  bool fine = f ? lines_take(v, f, standard ? "stdin" : path, &e) : err_say(&e, "%s: %s", path, strerror(errno));
  if (f && !standard) fclose(f);
  if (fine) return 0;
  visit_close(v);
  return door_refuse(&e, 2);
}

/* The knob the scene puts under the hand, or where that one means nothing, the first that does. */
static int visit_focus(const struct visit *v) {
  const struct scene *s = v->scene;
  int first = -1;
  for (int i = 0; v->data.nfact > 0 && i < s->nknobs; i++) {
    if (!knob_shown(s, &v->data.setup, i)) continue;
    if (s->knobs[i] == s->hand) return s->hand;
    if (first < 0) first = s->knobs[i];
  }
  return first < 0 ? s->hand : first;
}

struct frame visit_frame(struct visit *v, bool ascii) {
  return (struct frame){.scene = v->scene,
                        .person = &v->person,
                        .world = v->world,
                        .axes = &v->axes,
                        .focus = visit_focus(v),
                        .focus_fact = -1,
                        .changed = -1,
                        .ascii = ascii};
}

void visit_compute(struct visit *v) {
  struct axes *axes = &v->axes;
  for (int i = 0; i < 2; i++) axes->x[i] = axes->y[i] = axes->x2[i] = axes->y2[i] = NAN;
  struct frame f = visit_frame(v, false);
  frame_compute(&f, &v->data);
}

void visit_notes(const struct visit *v) {
  bool device = false;
  for (int i = 0; i < KNOB_N; i++) {
    bool has = knob_table[i].hidden;
    for (int j = 0; j < v->scene->nknobs; j++) has |= v->scene->knobs[j] == i;
    if (v->person.set[i] && !has)
      fprintf(stderr, "ridge: note: %s has no knob %s: it changes nothing here\n", v->scene->name, knob_table[i].key);
  }
  if (v->person.set[KNOB_VIEW] && v->scene->nviews > 0 && !scene_has_view(v->scene, v->person.v[KNOB_VIEW]))
    fprintf(stderr, "ridge: note: %s has no view %s: %s is shown\n", v->scene->name, view_name((enum view_id)v->person.v[KNOB_VIEW]),
            view_name((enum view_id)v->scene->views[0]));
  const struct world *w = v->world;
  int told = (int)(sizeof w->foreign_trouble / sizeof *w->foreign_trouble);
  for (int i = 0; i < w->foreign_bad && i < told; i++) fprintf(stderr, "ridge: warning: %s\n", w->foreign_trouble[i]);
  if (w->foreign_bad > told) fprintf(stderr, "ridge: warning: %s: %d more like these\n", w->foreign_file, w->foreign_bad - told);
  if (w->foreign_dropped)
    fprintf(stderr, "ridge: warning: %s: only the first %d samples have a place; %d are left out\n", w->foreign_file, FOREIGN_MAX,
            w->foreign_dropped);
  for (int j = 0; j < v->scene->nknobs; j++)
    device |= v->scene->knobs[j] == KNOB_DEVICE && (!v->scene->applies || v->scene->applies(&v->data.setup, KNOB_DEVICE));
  if (device && (int)v->data.setup.v[KNOB_DEVICE] == DEVICE_HERE && !v->world->device[DEVICE_HERE].machine.measured)
    fputs("ridge: note: this machine has not been measured yet, so its figures are unknown: ridge measure\n", stderr);
}

void visit_close(struct visit *v) {
  free(v->world);
  v->world = NULL;
}
