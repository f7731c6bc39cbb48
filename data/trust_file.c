/* The trust section of this machine's file: one row a measured figure. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "data/json_out.h"
#include "data/node.h"
#include "data/record.h"
#include "model/world.h"

static const char *dtype_word(int i) { return dtype_name((enum dtype)i); }
static const char *isa_word(int i) { return isa_name((enum isa)i); }

void trust_write(struct json_out *o, const struct machine *m) {
  if (!m->ntrust) return;
  json_out_array(o, "trust");
  for (int i = 0; i < m->ntrust; i++) {
    const struct trust *t = &m->trust[i];
    json_out_object(o, NULL);
    json_out_string(o, "figure", t->name);
    json_out_string(o, "dtype", dtype_name(t->dtype));
    if (t->isa != ISA_AUTO) json_out_string(o, "isa", isa_name(t->isa));
    if (t->level >= 0) json_out_number(o, "level", t->level);
    json_out_number(o, "threads", t->threads);
    json_out_number(o, "value", t->value);
    json_out_number(o, "n", t->samples);
    if (!isnan(t->spread)) json_out_number(o, "spread", t->spread);
    if (!isnan(t->seed)) json_out_number(o, "seed", t->seed);
    if (t->is_median) json_out_bool(o, "median", true);
    if (t->thorough) json_out_bool(o, "thorough", true);
    flags_write(o, t->flags);
    json_out_end(o);
  }
  json_out_end(o);
}

static bool row_read(const struct node *n, struct trust *t, struct err *e) {
  static const char *const known[] = {"figure", "dtype", "isa",    "level",    "threads", "value", "n",
                                      "spread", "seed",  "median", "thorough", "flags",   NULL};
  int dtype = DTYPE_FP32, isa = ISA_AUTO;
  *t = (struct trust){.level = -1, .value = NAN, .spread = NAN, .seed = NAN};
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(node_string(n, "figure", t->name, sizeof t->name, e));
  if (!t->name[0]) return node_missing(n, "figure", "the figure's name", e);
  OR_FALSE(node_word(n, "dtype", dtype_word, DTYPE_N, &dtype, e));
  OR_FALSE(node_word(n, "isa", isa_word, ISA_N, &isa, e));
  t->dtype = (enum dtype)dtype;
  t->isa = (enum isa)isa;
  OR_FALSE(node_int(n, "level", 0, LEVEL_MAX - 1, &t->level, e));
  OR_FALSE(node_int(n, "threads", 0, 1000000, &t->threads, e));
  OR_FALSE(node_number(n, "value", "a number", 0, 1e30, &t->value, e));
  OR_FALSE(node_int(n, "n", 0, 1000000000, &t->samples, e));
  OR_FALSE(node_number(n, "spread", "a share of the median", 0, 1e9, &t->spread, e));
  OR_FALSE(node_number(n, "seed", "a number", 0, DBL_MAX, &t->seed, e));
  OR_FALSE(node_bool(n, "median", &t->is_median, e));
  OR_FALSE(node_bool(n, "thorough", &t->thorough, e));
  return flags_read(n, &t->flags, e);
}

bool trust_read(const struct node *n, struct machine *m, struct err *e) {
  struct node rows = node_member(n, "trust");
  if (!rows.at) return true;
  OR_FALSE(node_array(&rows, TRUST_MAX, e));
  int count = node_count(&rows);
  for (int i = 0; i < count; i++) {
    struct node at = node_element(&rows, i);
    OR_FALSE(row_read(&at, &m->trust[i], e));
  }
  m->ntrust = count;
  return true;
}
