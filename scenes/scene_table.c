#include "scenes/scene.h"

#include <math.h>
#include <string.h>

/* The chapter's order: [ and ] walk it. */
const struct scene *const scene_table[] = {&scene_roofline,  &scene_hierarchy, &scene_reuse,   &scene_decode,   &scene_precision,
                                          &scene_fit,       &scene_offload,   &scene_feed,   &scene_machines, &scene_layers, &scene_cases, &scene_lab, &scene_diagnose};
const int scene_count = sizeof scene_table / sizeof *scene_table;

const struct scene *scene_find(const char *name) {
  for (int i = 0; i < scene_count; i++)
    if (strcmp(scene_table[i]->name, name) == 0 || strcmp(scene_table[i]->address, name) == 0) return scene_table[i];
  return NULL;
}

struct place scene_place(int i) {
  static const struct place place[] = {
      {"1.1", "race", "Why does one strong worker lose?"},
      {"1.2", "warps", "What keeps thousands of lanes busy?"},
      {"1.3", "systolic", "How is each operand fetched only once?"},
      {"2.1", "roofline", "Is the machine calculating, or waiting for memory?"},
      {"2.2", "hierarchy", "How far away is the data?"},
      {"2.3", "reuse", "How do I use each byte more often?"},
      {"3.1", "decode", "How many tokens a second, and for whom?"},
      {"3.2", "precision", "What do fewer bits buy, and cost?"},
      {"3.3", "fit", "Does it all fit?"},
      {"4.1", "offload", "Is it worth crossing?"},
      {"4.2", "feed", "Who waits for whom?"},
      {"5.1", "machines", "What does the sheet not say?"},
      {"5.2", "edge", "What runs where I think?"},
      {"5.3", "spatial", "When does own hardware pay?"},
      {"6.1", "layers", "Which layer, which fix?"},
      {"6.2", "cases", "Which hardware for this job?"},
      {"6.3", "lab", "Can I trust, and afford, this number?"},
      {"6.4", "diagnose", "What is broken?"},
  };
  int n = sizeof place / sizeof *place;
  return i >= 0 && i < n ? place[i] : (struct place){NULL, NULL, NULL};
}

struct place scene_planned(const char *name) {
  int i = 0;
  struct place p;
  while ((p = scene_place(i++)).name)
    if (!scene_find(name) && (!strcmp(p.name, name) || !strcmp(p.address, name))) return p;
  return p;
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

int facts_begin(struct fact *out, const struct fact *table, int n, bool shown) {
  for (int i = 0; i < n; i++) {
    out[i] = table[i];
    out[i].value = NAN;
    if (!shown) out[i].label = NULL;
  }
  return n;
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
