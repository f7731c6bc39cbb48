/* door_list: the tables everything else is made of, for people and for scripts. Each list is a function that gives one row as facts, so
 * that one printer serves all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/args.h"
#include "app/emit.h"
#include "app/visit.h"
#include "kernels/bench.h"
#include "scenes/references.h"
#include "tui/number.h"

struct listing {
  const struct world *world;
  const struct scene *scene; /* NULL: all */
  char words[4096];          /* made-up words of the row now read */
  struct visit visit;        /* list_facts: the scene now read */
  int at;                    /* and its place among the scenes, -1 none */
};

static struct fact word(const char *name, const char *w) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = w ? w : ""};
}

static struct fact count(const char *name, double v) { return (struct fact){.name = name, .unit = "n", .value = v > 0 ? v : NAN}; }

static struct fact value(const char *name, double v, const char *unit) { return (struct fact){.name = name, .unit = unit, .value = v}; }

static int list_scenes(struct listing *s, int i, struct fact *out) {
  if (i >= scene_count) return 0;
  const struct scene *c = scene_table[i];
  int used = 0;
  for (int k = 0; k < c->nknobs && used < (int)sizeof s->words; k++)
    used += snprintf(s->words + used, sizeof s->words - (size_t)used, "%s%s", k ? " " : "", knob_table[c->knobs[k]].key);
  out[0] = word("address", c->address);
  out[1] = word("name", c->name);
  out[2] = word("question", c->question);
  out[3] = word("section", c->section);
  out[4] = word("next", c->next);
  out[5] = word("knobs", s->words);
  return 6;
}

static bool scene_has(const struct scene *c, int knob) {
  for (int k = 0; c && k < c->nknobs; k++)
    if (c->knobs[k] == knob) return true;
  return !c;
}

/* The start that a scene gives a knob in place of the table's; NULL: none. */
static const struct start *own_start(const struct scene *c, int knob) {
  for (int i = 0; c && i < c->nstarts; i++)
    if (c->starts[i].knob == knob) return &c->starts[i];
  return NULL;
}

static int list_knobs(struct listing *s, int i, struct fact *out) {
  static const char *const kind[] = {"linear", "log2", "choice", "switch", "text"};
  int knob = 0;
  for (; knob < KNOB_N; knob++)
    if (scene_has(s->scene, knob) && i-- == 0) break;
  if (knob == KNOB_N) return 0;
  const struct knob *k = &knob_table[knob];
  int n = k->kind == KNOB_CHOICE ? choice_count(s->world, k->list) : 0, used = 0;
  bool number = k->kind == KNOB_LINEAR || k->kind == KNOB_LOG2;
  if (k->kind == KNOB_SWITCH)
    snprintf(s->words, sizeof s->words, "off on");
  else
    s->words[0] = 0;
  for (int c = 0; c < n && used < (int)sizeof s->words; c++) {
    if (knob == KNOB_VIEW && s->scene && !scene_has_view(s->scene, c)) continue;
    used += snprintf(s->words + used, sizeof s->words - (size_t)used, "%s%s", used ? " " : "", choice_key(s->world, k->list, c));
  }
  char *start = s->words + strlen(s->words) + 1; /* behind the values, in the same buffer */
  int room = (int)(s->words + sizeof s->words - start);
  const struct start *own = own_start(s->scene, knob);
  if (room > 0 && own && own->word)
    snprintf(start, (size_t)room, "%s", own->word);
  else if (room > 0)
    setup_value(s->world, knob, knob == KNOB_VIEW && s->scene ? s->scene->views[0] : own ? own->value : k->start, start, room);
  out[0] = word("key", k->key);
  out[1] = word("label", k->label);
  out[2] = word("kind", kind[k->kind]);
  out[3] = value("from", number ? k->lo : NAN, k->unit);
  out[4] = value("to", number ? k->hi : NAN, k->unit);
  out[5] = word("start", room > 0 ? start : "");
  out[6] = word("unit", number_si(k->unit));
  out[7] = word("values", s->words);
  out[8] = word("help", k->help);
  return 9;
}

static int list_facts(struct listing *s, int i, struct fact *out) {
  for (int scene = 0; scene < scene_count; scene++) {
    if (s->scene && scene_table[scene] != s->scene) continue;
    if (s->at != scene) {
      s->visit = (struct visit){.world = (struct world *)(uintptr_t)s->world, .scene = scene_table[scene]};
      setup_clear(&s->visit.person);
      visit_compute(&s->visit);
      s->at = scene;
    }
    if (i < s->visit.data.nfact) {
      const struct fact *f = &s->visit.data.fact[i];
      out[0] = word("scene", scene_table[scene]->name);
      out[1] = word("name", f->name);
      out[2] = word("unit", number_si(f->unit));
      out[3] = word("label", f->label);
      out[4] = word("formula", f->formula);
      out[5] = word("meaning", f->meaning);
      return 6;
    }
    i -= s->visit.data.nfact;
  }
  return 0;
}

static int list_kernels(struct listing *s, int i, struct fact *out) {
  if (i >= kernel_count) return 0;
  enum op op = kernel_table[i]->op;
  s->words[0] = 0;
  for (int k = 0; k < SHAPE_N; k++)
    if (work_uses(op, shape_name(k))) {
      size_t used = strlen(s->words);
      snprintf(s->words + used, sizeof s->words - used, "%s%s", used ? " " : "", shape_name(k));
    }
  out[0] = word("name", op_name(op));
  out[1] = word("computes", kernel_table[i]->words ? kernel_table[i]->words : op_words(op));
  out[2] = word("knobs", s->words);
  return 3;
}

static int list_devices(struct listing *s, int i, struct fact *out) {
  if (i >= s->world->ndevice) return 0;
  const struct device *d = &s->world->device[i];
  enum dtype math = isnan(d->peak[DTYPE_BF16].value) ? isnan(d->peak[DTYPE_FP16].value) ? DTYPE_FP32 : DTYPE_FP16 : DTYPE_BF16;
  int unverified = 0;
  for (int t = 0; t < DTYPE_N; t++) unverified += d->peak[t].unverified;
  unverified += d->memory_byte.unverified + d->memory_byte_per_s.unverified + d->host.byte_per_s.unverified;
  out[0] = word("id", d->id);
  out[1] = word("name", d->name);
  out[2] = word("family", family_name(d->family));
  out[3] = (struct fact){.name = "year", .unit = "", .value = d->year ? d->year : NAN};
  out[4] = value("fp64", d->peak[DTYPE_FP64].value, "flop/s");
  out[5] = value("fp32", d->peak[DTYPE_FP32].value, "flop/s");
  out[6] = value("half", isnan(d->peak[DTYPE_BF16].value) ? d->peak[DTYPE_FP16].value : d->peak[DTYPE_BF16].value, "flop/s");
  out[7] = value("memory", d->memory_byte.value, "byte");
  out[8] = value("bandwidth", d->memory_byte_per_s.value, "byte/s");
  out[9] = value("ridge_point", d->peak[math].value / d->memory_byte_per_s.value, "flop/byte");
  out[10] = value("host_link", d->host.byte_per_s.value, "byte/s");
  out[11] = value("power", d->tdp_w.value, "W");
  out[12] = word("figures", d->illustrative    ? "illustrative"
                            : i == DEVICE_HERE ? (d->machine.measured ? "measured" : "not measured yet")
                            : unverified       ? "some unverified"
                                               : source_name((enum source)d->memory_byte_per_s.source));
  out[13] = word("source", d->ncite ? d->cite[0].text : "");
  return 14;
}

static int list_models(struct listing *s, int i, struct fact *out) {
  if (i >= s->world->nmodel) return 0;
  const struct model *m = &s->world->model[i];
  out[0] = word("id", m->id);
  out[1] = word("name", m->name);
  out[2] = word("kind", m->kind);
  out[3] = (struct fact){.name = "year", .unit = "", .value = m->year ? m->year : NAN};
  out[4] = value("params", m->params, "n");
  out[5] = value("params_active", m->params_active, "n");
  out[6] = count("layers", m->layers);
  out[7] = count("hidden", m->hidden);
  out[8] = count("heads", m->heads);
  out[9] = count("kv_heads", m->kv_heads);
  out[10] = value("kv_byte_per_token", m->kv_byte_per_token, "byte");
  out[11] = count("max_context", m->max_context);
  out[12] = word("figures", m->illustrative ? "illustrative" : "published");
  out[13] = word("source", m->source);
  return 14;
}

static int list_keys(struct listing *s, int i, struct fact *out) {
  (void)s;
  if (i >= key_count) return 0;
  out[0] = word("keys", key_table[i].keys);
  out[1] = word("verb", key_table[i].verb);
  out[2] = word("words", key_table[i].words);
  return 3;
}

static int list_references(struct listing *s, int i, struct fact *out) {
  int at = 0;
  for (; at < reference_count; at++) {
    const char *scene = reference_table[at].scene;
    if ((!s->scene || !scene || strcmp(scene, s->scene->name) == 0) && i-- == 0) break;
  }
  if (at == reference_count) return 0;
  const struct reference *r = &reference_table[at];
  out[0] = word("kind", reference_kind_name(r->kind));
  out[1] = word("scene", r->scene);
  out[2] = word("title", r->title);
  out[3] = word("words", r->words);
  out[4] = word("fact", r->fact[0]);
  out[5] = word("other_fact", r->fact[1]);
  return 6;
}

static const struct list {
  const char *name;
  int (*row)(struct listing *, int i, struct fact *out);
  int columns; /* the first ones, that people see; scripts get all */
} list_table[] = {
    {"scenes", list_scenes, 4},    {"knobs", list_knobs, 7},    {"facts", list_facts, 5}, {"kernels", list_kernels, 3},
    {"devices", list_devices, 13}, {"models", list_models, 13}, {"keys", list_keys, 3},   {"references", list_references, 4},
};
enum { LIST_COUNT = sizeof list_table / sizeof *list_table };

static void list_human(const struct list *l, struct listing *s) {
  struct fact row[FACT_MAX];
  struct table t = {.columns = l->columns};
  for (int i = 0; l->row(s, i, row) > 0; i++) {
    for (int c = 0; i == 0 && c < l->columns; c++) {
      table_cell(&t, row[c].name);
      if (!row[c].word) t.right |= 1u << c;
    }
    for (int c = 0; c < l->columns; c++) {
      if (row[c].word || !isnan(row[c].value))
        table_fact(&t, &row[c], 3);
      else
        table_cell(&t, "");
    }
  }
  table_print(&t, stdout, "");
  table_free(&t);
}

static void list_json(const struct list *l, struct listing *s) {
  struct fact row[FACT_MAX];
  struct json_out o;
  json_out_start(&o, 1, 2);
  json_out_array(&o, NULL);
  for (int i = 0, n; (n = l->row(s, i, row)) > 0; i++) {
    json_out_object(&o, NULL);
    for (int c = 0; c < n; c++) emit_fact(&o, row[c].name, &row[c]);
    json_out_end(&o);
  }
  json_out_end(&o);
  emit_json(&o);
}

int door_list(int argc, char **argv) {
  struct args a;
  struct err e;
  const struct list *l = list_table;
  for (int i = 0; i < LIST_COUNT; i++)
    if (strcmp(list_table[i].name, argv[0]) == 0) l = &list_table[i];
  if (!args_read(&a, argc - 1, argv + 1, TAKES(OPTION_JSON), &e)) return door_refuse(&e, 2);
  bool by_scene = l->row == list_knobs || l->row == list_facts || l->row == list_references;
  if (a.nword > by_scene) {
    err_say(&e, "%s takes %s", l->name, by_scene ? "one scene at most" : "no words");
    return door_refuse(&e, 2);
  }
  struct listing *s = calloc(1, sizeof *s);
  struct world *w = world_open();
  int code = 1;
  if (s && w) {
    struct setup unused;
    s->world = w;
    s->at = -1;
    if (a.nword && !setup_words(w, a.word, 1, &s->scene, &unused, &e)) {
      code = door_refuse(&e, 2);
    } else {
      if (a.value[OPTION_JSON])
        list_json(l, s);
      else if (l->row == list_references)
        references_print(s->scene);
      else
        list_human(l, s);
      code = emit_close();
    }
  }
  free(w);
  free(s);
  return code;
}
