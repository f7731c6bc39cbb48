#include "scenes/scene.h"

#include <math.h>
#include <string.h>

/* The chapter's order: [ and ] walk it. */
const struct scene *const scene_table[] = {&scene_roofline,  &scene_hierarchy, &scene_reuse,   &scene_decode,   &scene_precision,
                                          &scene_fit,       &scene_offload,   &scene_machines, &scene_lab, &scene_diagnose};
const int scene_count = sizeof scene_table / sizeof *scene_table;

const struct scene *scene_find(const char *name) {
  for (int i = 0; i < scene_count; i++)
    if (strcmp(scene_table[i]->name, name) == 0 || strcmp(scene_table[i]->address, name) == 0) return scene_table[i];
  return NULL;
}

const char *scene_part(int part) {
  static const char *const name[] = {"", "Work", "Limits", "Tokens", "Link", "Machines", "Decide"};
  return part >= 1 && part <= 6 ? name[part] : "";
}

void setup_clear(struct setup *s) {
  for (int k = 0; k < KNOB_N; k++) {
    s->v[k] = knob_table[k].start;
    s->set[k] = false;
  }
  memset(s->text, 0, sizeof s->text);
}

bool scene_has_view(const struct scene *s, double view) {
  for (int i = 0; i < s->nviews; i++)
    if (s->views[i] == view) return true;
  return false;
}

void setup_for(const struct world *w, const struct scene *s, const struct setup *person, struct setup *out) {
  setup_clear(out);
  for (int i = 0; i < s->nstarts; i++) {
    const struct start *start = &s->starts[i];
    double v = start->word ? choice_find(w, knob_table[start->knob].list, start->word) : start->value;
    out->v[start->knob] = knob_clamp(w, start->knob, v < 0 ? 0 : v);
  }
  for (int k = 0; k < KNOB_N; k++)
    if (person->set[k]) {
      out->v[k] = knob_clamp(w, k, person->v[k]);
      out->set[k] = true;
    }
  /* Another scene's view means nothing here. */
  if (s->nviews > 0 && !(out->set[KNOB_VIEW] && scene_has_view(s, out->v[KNOB_VIEW]))) {
    out->v[KNOB_VIEW] = s->views[0];
    out->set[KNOB_VIEW] = false;
  }
  memcpy(out->text, person->text, sizeof out->text);
  if (s->resolve) s->resolve(w, out);
}

const struct fact *fact_find(const struct fact *f, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (strcmp(f[i].name, name) == 0) return &f[i];
  return NULL;
}

double fact_value(const struct fact *f, int n, const char *name) {
  const struct fact *found = fact_find(f, n, name);
  return found ? found->value : NAN;
}

const char *fact_word(const struct fact *f, int n, const char *name) {
  const struct fact *found = fact_find(f, n, name);
  return found && found->word ? found->word : "";
}
