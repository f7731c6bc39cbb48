/* The published worked examples (tests/worked.json) and the chapter's tables (tests/chapter_tables.json) through the model's functions.
 * An example names what is called ("of"), with which inputs ("in"), and what must come out: "expect" within "tolerance" (1 % when not
 * given); "published", the digits that were printed, which the value must round to; "bound", a measurement the value must bound, at 0.4 to
 * 0.97 of it. Every check is also tried with a value that is off, and must refuse it. Run from the repository's root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "data/catalogue.h"
#include "data/json.h"
#include "model/capacity.h"
#include "model/crossing.h"
#include "model/ladder.h"
#include "model/roof.h"
#include "model/step.h"
#include "model/work.h"

static struct world *world;

/* ---- reading an example ---- */

/* The inputs of one example; each key that is read is ticked off, so that a misspelt one cannot pass unseen. */
struct input {
  const cJSON *at;
  unsigned used;
};

static const cJSON *member(struct input *in, const char *key) {
  unsigned bit = 1;
  for (const cJSON *m = in->at->child; m; m = m->next, bit <<= 1)
    if (!strcmp(m->string, key)) {
      in->used |= bit;
      return m;
    }
  return NULL;
}

static double number(struct input *in, const char *key, double missing) {
  const cJSON *m = member(in, key);
  if (!m) return missing;
  if (!cJSON_IsNumber(m)) fail_msg("%s is not a number", key);
  return m->valuedouble;
}

static const char *word(struct input *in, const char *key) {
  const cJSON *m = member(in, key);
  if (m && !cJSON_IsString(m)) fail_msg("%s is not text", key);
  return m ? m->valuestring : NULL;
}

static bool yes(struct input *in, const char *key) { return cJSON_IsTrue(member(in, key)); }

static void all_used(const struct input *in) {
  unsigned bit = 1;
  for (const cJSON *m = in->at->child; m; m = m->next, bit <<= 1)
    if (!(in->used & bit)) fail_msg("nobody asked for the input \"%s\"", m->string);
}

static enum dtype dtype_of(struct input *in) {
  const char *name = word(in, "dtype");
  if (!name) return DTYPE_FP32;
  enum dtype t = dtype_find(name);
  if (t == DTYPE_N) fail_msg("no data type \"%s\"", name);
  return t;
}

static const struct device *device_of(struct input *in) {
  const char *id = word(in, "device");
  int i = id ? device_find(world, id) : -1;
  if (id && i < 0) fail_msg("no device \"%s\"", id);
  return id ? &world->device[i] : NULL;
}

static const struct model *model_of(struct input *in) {
  const char *id = word(in, "model");
  int i = id ? model_find(world, id) : -1;
  if (id && i < 0) fail_msg("no model \"%s\"", id);
  return id ? &world->model[i] : NULL;
}

/* The two roofs: as given, else those of the device's file. */
static void roofs(struct input *in, double *peak, double *rate) {
  const struct device *d = device_of(in);
  enum dtype t = dtype_of(in);
  *peak = number(in, "peak", d ? ladder_peak(d, t, ISA_AUTO, 0) : NAN);
  *rate = number(in, "byte_per_s", d ? d->memory_byte_per_s.value : NAN);
}

/* ---- what comes out ---- */

struct outcome {
  int n;
  struct {
    const char *name;
    double v;
  } value[48];
};
static void give(struct outcome *o, const char *name, double v) {
  assert_true(o->n < 48);
  o->value[o->n].name = name;
  o->value[o->n++].v = v;
}

static void roof_give(struct outcome *o, double flop, double byte, double intensity, double peak, double rate) {
  give(o, "flop", flop);
  give(o, "byte", byte);
  give(o, "intensity", intensity);
  give(o, "ridge", roof_ridge(peak, rate));
  give(o, "attainable", roof_attainable(peak, rate, intensity));
  give(o, "of_peak", roof_attainable(peak, rate, intensity) / peak);
  give(o, "time_lower", roof_time_lower(flop, byte, peak, rate));
  give(o, "time_upper", roof_time_upper(flop, byte, peak, rate));
  give(o, "memory_time", byte / rate);
  give(o, "memory_bound", roof_bound(flop, byte, peak, rate) == BOUND_MEMORY);
}

static void roof_example(struct input *in, struct outcome *o) {
  double peak, rate, flop = number(in, "flop", NAN), byte = number(in, "byte", NAN);
  roofs(in, &peak, &rate);
  roof_give(o, flop, byte, number(in, "intensity", roof_intensity(flop, byte)), peak, rate);
}

static enum op op_of(struct input *in) {
  const char *name = word(in, "op");
  enum op op = name ? op_find(name) : OP_N;
  if (op == OP_N) fail_msg("no operation \"%s\"", name ? name : "");
  return op;
}

static struct shape shape_of(struct input *in, enum op op) {
  return work_complete(op, (struct shape){number(in, "n", NAN), number(in, "m", NAN), number(in, "k", NAN), number(in, "batch", NAN),
                                          number(in, "fma", NAN)});
}

static void work_example(struct input *in, struct outcome *o) {
  double peak, rate;
  enum op op = op_of(in);
  struct work w = work_of(op, shape_of(in, op), dtype_of(in));
  roofs(in, &peak, &rate);
  roof_give(o, w.flop, w.byte, roof_intensity(w.flop, w.byte), peak, rate);
}

/* The size at which the operation's intensity reaches the ridge. */
static void work_at_ridge_example(struct input *in, struct outcome *o) {
  double peak, rate, lo = 1, hi = 1e6;
  enum op op = op_of(in);
  enum dtype t = dtype_of(in);
  struct shape s = shape_of(in, op);
  const char *over = word(in, "over");
  assert_non_null(over);
  double *at = !strcmp(over, "n") ? &s.n : !strcmp(over, "m") ? &s.m : &s.batch;
  roofs(in, &peak, &rate);
  for (int i = 0; i < 200; i++) {
    *at = lo + (hi - lo) / 2;
    struct work w = work_of(op, s, t);
    if (roof_bound(w.flop, w.byte, peak, rate) == BOUND_MEMORY)
      lo = *at;
    else
      hi = *at;
  }
  give(o, "at", lo);
}

/* One operation's FLOP, times a factor, against another's. */
static void work_ratio_example(struct input *in, struct outcome *o) {
  struct input a = {.at = member(in, "work")}, b = {.at = member(in, "to")};
  assert_non_null(a.at);
  enum op op = op_of(&a);
  double flop = work_of(op, shape_of(&a, op), dtype_of(&a)).flop, times = number(in, "times", 1);
  all_used(&a);
  give(o, "flop", flop / times);
  if (!b.at) return;
  op = op_of(&b);
  give(o, "ratio", flop / (times * work_of(op, shape_of(&b, op), dtype_of(&b)).flop));
  all_used(&b);
}

static void step_example(struct input *in, struct outcome *o) {
  const struct model *m = model_of(in);
  struct geometry g = geometry_of(m, m ? NAN : number(in, "params", NAN));
  struct step_in s = {.weight_byte = number(in, "weight_byte", NAN),
                      .batch = number(in, "batch", NAN),
                      .context = number(in, "context", 0),
                      .width = number(in, "width", 4096),
                      .activation_byte = number(in, "activation_byte", 0),
                      .capacity_byte = number(in, "capacity_byte", NAN),
                      .deadline = number(in, "deadline", NAN)};
  s.params = m ? g.matmul_params : g.params;
  s.params_total = g.params;
  s.kv_byte_per_token = number(in, "kv_byte_per_token", m ? g.kv_byte_per_token_2 : 0);
  if (s.context == 0) s.kv_byte_per_token = 0;
  s.experts = g.experts, s.top_k = g.top_k, s.expert_params = g.expert_params;
  roofs(in, &s.peak_flop_per_s, &s.byte_per_s);
  struct step_out out;
  step_of(&s, &out);
  give(o, "flop", out.flop);
  give(o, "step_time", out.step_time);
  give(o, "step_time_kv_added", out.step_time_kv_added);
  give(o, "compute_time", out.compute_time);
  give(o, "memory_over_compute", out.memory_time / out.compute_time);
  give(o, "token_rate", out.token_rate);
  give(o, "user_rate", out.token_rate_per_user);
  give(o, "intensity", out.arithmetic_intensity);
  give(o, "attainable_tera", out.attainable_flop_per_s / 1e12);
  give(o, "ridge_batch", out.ridge_batch);
  give(o, "ridge_context", out.ridge_context);
  give(o, "experts_read", out.experts_read);
  give(o, "kv_gib", out.kv_total_byte / 0x1p30);
  give(o, "weight_gib", out.weight_total_byte / 0x1p30);
  give(o, "fits", out.capacity_left >= 0);
}

static void crossing_example(struct input *in, struct outcome *o) {
  const char *resident = word(in, "resident");
  struct crossing_in c = {.n = number(in, "n", NAN),
                          .element_byte = number(in, "element_byte", NAN),
                          .host_flop_per_s = number(in, "host", NAN),
                          .device_flop_per_s = number(in, "accelerator", NAN),
                          .link_byte_per_s = number(in, "link", NAN),
                          .copy_s = number(in, "copy_s", NAN),
                          .launch_s = number(in, "launch_s", NAN),
                          .reuse = number(in, "reuse", 1),
                          .pieces = number(in, "pieces", 1),
                          .overlap = yes(in, "overlap"),
                          .pinned = yes(in, "pinned"),
                          .unified = yes(in, "unified")};
  if (resident) c.resident = !strcmp(resident, "b") ? RESIDENT_B : !strcmp(resident, "all") ? RESIDENT_ALL : RESIDENT_NONE;
  struct crossing_out out, plain;
  struct crossing_in apart = c;
  apart.overlap = false;
  crossing_of(&c, &out);
  crossing_of(&apart, &plain);
  give(o, "host_time", out.host_time);
  give(o, "device_time", out.device_time);
  give(o, "link_share", out.link_share);
  give(o, "moving_share", out.moving_share);
  give(o, "fixed_share", out.fixed_time / out.device_time);
  give(o, "compute_share", out.compute_time / out.device_time);
  give(o, "speedup", out.speedup);
  give(o, "effective_flop_per_s", out.effective_flop_per_s);
  give(o, "copies_time", out.in_time + out.out_time);
  give(o, "in_link_time", out.in_time - out.in_copies * c.copy_s);
  give(o, "gain", plain.device_time / out.device_time);
  give(o, "link_over_half", out.link_share > 0.5);
  give(o, "link_over_compute", out.link_time / out.compute_time);
  give(o, "crossing_n", crossing_n(&c));
  give(o, "first_n", crossing_first_n(&c));
}

/* A geometry given by its count of parameters alone keeps no activations: as the sources that leave them out do. */
static struct geometry geometry_given(const cJSON *at) {
  struct input in = {.at = at};
  struct geometry g = {.params = number(&in, "params", NAN)};
  g.params_active = g.matmul_params = g.params;
  g.kv_byte_per_token_2 = number(&in, "kv_byte_per_token_2", 0);
  all_used(&in);
  return g;
}

static void capacity_example(struct input *in, struct outcome *o) {
  const struct model *m = model_of(in);
  const cJSON *given = member(in, "geometry");
  const char *use = word(in, "use"), *recipe = word(in, "recipe");
  struct capacity_in c = {.weight_byte = number(in, "weight_byte", NAN),
                          .kv_byte = number(in, "kv_byte", NAN),
                          .batch = number(in, "batch", NAN),
                          .context = number(in, "context", NAN),
                          .capacity_byte = number(in, "capacity_byte", NAN),
                          .devices = number(in, "devices", NAN),
                          .use = USE_N};
  c.geometry = m ? geometry_of(m, NAN) : geometry_given(given);
  for (int u = 0; u < USE_N; u++)
    if (use && !strcmp(use, use_name((enum use)u))) c.use = (enum use)u;
  for (int r = 0; r < RECIPE_N; r++)
    if (recipe && !strcmp(recipe, recipe_name((enum recipe)r))) c.recipe = (enum recipe)r;
  assert_true(c.use != USE_N);
  struct capacity_out out;
  capacity_of(&c, &out);
  give(o, "kv_byte", out.kv_byte);
  give(o, "state_byte", out.state_byte);
  give(o, "total_byte", out.total_byte);
  give(o, "devices_needed", out.devices_needed);
  give(o, "weight_mib", out.weight_byte / 0x1p20);
  give(o, "state_gib_each", out.state_byte / c.devices / 0x1p30);
}

static void model_example(struct input *in, struct outcome *o) {
  const struct model *m = model_of(in);
  assert_non_null(m);
  give(o, "params", m->params);
  give(o, "params_active", m->params_active);
  give(o, "kv_byte_per_token", m->kv_byte_per_token);
  give(o, "fp32_mib", m->params * 4 / 0x1p20);
}

/* The file's peak against units x clock. */
static void catalogue_peak_example(struct input *in, struct outcome *o) {
  const struct device *d = device_of(in);
  const cJSON *factors = member(in, "factors"), *f;
  double product = 1;
  assert_true(d && cJSON_GetArraySize(factors) > 1);
  cJSON_ArrayForEach(f, factors) product *= f->valuedouble;
  give(o, "product", product);
  give(o, "share", d->peak[dtype_of(in)].value / product);
}

/* What was measured against the file's figure. */
static void catalogue_share_example(struct input *in, struct outcome *o) {
  const struct device *d = device_of(in);
  const char *figure = word(in, "figure");
  assert_true(d && figure);
  enum dtype t = dtype_find(figure);
  double v = !strcmp(figure, "host")        ? d->host.byte_per_s.value
             : !strcmp(figure, "peer")      ? d->peer.byte_per_s.value
             : !strcmp(figure, "peer_both") ? d->peer.byte_per_s_both.value
             : t != DTYPE_N                 ? d->peak[t].value
                                            : NAN;
  give(o, "value", v);
  give(o, "share", number(in, "measured", NAN) / v);
}

static const struct {
  const char *name;
  void (*run)(struct input *, struct outcome *);
} kind_table[] = {
    {"roof", roof_example},
    {"work", work_example},
    {"step", step_example},
    {"work_at_ridge", work_at_ridge_example},
    {"crossing", crossing_example},
    {"work_ratio", work_ratio_example},
    {"capacity", capacity_example},
    {"model", model_example},
    {"catalogue_peak", catalogue_peak_example},
    {"catalogue_share", catalogue_share_example},
};

static struct outcome example_run(const char *kind, const cJSON *in) {
  struct outcome o = {0};
  struct input input = {.at = in};
  for (size_t i = 0; i < sizeof kind_table / sizeof *kind_table; i++) {
    if (strcmp(kind, kind_table[i].name)) continue;
    kind_table[i].run(&input, &o);
    all_used(&input);
    return o;
  }
  fail_msg("nothing is called \"%s\"", kind);
  return o;
}

static double outcome_get(const struct outcome *o, const char *name) {
  for (int i = 0; i < o->n; i++)
    if (!strcmp(o->value[i].name, name)) return o->value[i].v;
  fail_msg("nothing comes out that is called \"%s\"", name);
  return NAN;
}

/* ---- the three checks ---- */

static bool near(double v, double expected, double tolerance) { return fabs(v - expected) <= tolerance * fabs(expected); }

/* "1.01e-3": v rounds to these digits. The half unit is widened by the noise of double arithmetic only. */
static bool rounds_to(double v, const char *text) {
  const char *e = strchr(text, 'e'), *point = strchr(text, '.');
  int exponent = e ? atoi(e + 1) : 0, decimals = point ? (int)((e ? e : text + strlen(text)) - point) - 1 : 0;
  double unit = pow(10, exponent - decimals);
  return fabs(v - strtod(text, NULL)) <= unit / 2 + 1e-9 * fabs(v);
}

static bool bounded(double bound, double measured, bool is_time) {
  double share = is_time ? bound / measured : measured / bound;
  return share >= 0.4 && share <= 0.97;
}

static int example_check(const cJSON *x) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(x, "id"), *what = cJSON_GetObjectItemCaseSensitive(x, "what");
  const cJSON *of = cJSON_GetObjectItemCaseSensitive(x, "of"), *in = cJSON_GetObjectItemCaseSensitive(x, "in");
  const cJSON *expect = cJSON_GetObjectItemCaseSensitive(x, "expect"), *published = cJSON_GetObjectItemCaseSensitive(x, "published");
  const cJSON *tolerance = cJSON_GetObjectItemCaseSensitive(x, "tolerance"), *bound = cJSON_GetObjectItemCaseSensitive(x, "bound");
  const cJSON *at;
  int bad = 0, checks = 0;
  assert_true(cJSON_IsString(id) && cJSON_IsString(what) && cJSON_IsString(of) && cJSON_IsObject(in));
  double share = cJSON_IsNumber(tolerance) ? tolerance->valuedouble : 0.01;
  assert_true(share <= 0.05);
  struct outcome o = example_run(of->valuestring, in);
  cJSON_ArrayForEach(at, expect) {
    double v = outcome_get(&o, at->string);
    checks++;
    if (near(v, at->valuedouble, share)) {
      assert_false(near(v * (1 + 3 * share) + (v == 0), at->valuedouble, share)); /* a wrong value would be seen */
      continue;
    }
    print_error("%s %s: %s is %.10g, not %.10g within %g\n", id->valuestring, what->valuestring, at->string, v, at->valuedouble, share);
    bad++;
  }
  cJSON_ArrayForEach(at, published) {
    double v = outcome_get(&o, at->string);
    checks++;
    if (rounds_to(v, at->valuestring)) {
      assert_false(rounds_to(v * 2 + 1e-12, at->valuestring));
      continue;
    }
    print_error("%s %s: %s is %.10g, which does not round to %s\n", id->valuestring, what->valuestring, at->string, v, at->valuestring);
    bad++;
  }
  if (bound) {
    double v = outcome_get(&o, cJSON_GetObjectItemCaseSensitive(bound, "name")->valuestring);
    double measured = cJSON_GetObjectItemCaseSensitive(bound, "measured")->valuedouble;
    bool is_time = !strcmp(cJSON_GetObjectItemCaseSensitive(bound, "kind")->valuestring, "time");
    checks++;
    if (!bounded(v, measured, is_time)) {
      print_error("%s %s: the bound %.6g and the measured %.6g do not go together\n", id->valuestring, what->valuestring, v, measured);
      bad++;
    }
    assert_false(bounded(v, v, is_time)); /* a bound that is reached, or passed, would be seen */
    assert_false(bounded(v, NAN, is_time));
  }
  assert_true(checks > 0);
  return bad;
}

static void worked_examples(void **state) {
  (void)state;
  struct json j;
  struct err e = {0};
  int bad = 0, count = 0;
  if (!json_load(&j, "tests/worked.json", &e)) fail_msg("%s", e.text);
  const cJSON *x;
  cJSON_ArrayForEach(x, cJSON_GetObjectItemCaseSensitive(j.root, "examples")) bad += example_check(x), count++;
  json_free(&j);
  assert_int_equal(bad, 0);
  assert_true(count >= 150);
}

/* ---- the chapter's tables ---- */

static struct json chapter;

static void with(cJSON *in, const char *key, double v) {
  cJSON_DeleteItemFromObjectCaseSensitive(in, key);
  cJSON_AddNumberToObject(in, key, v);
}

static void cell_check(int *bad, const char *cell, double v, const char *row, const char *column) {
  if (!rounds_to(v, cell)) {
    print_error("row %s, %s: %.10g does not round to %s\n", row, column, v, cell);
    ++*bad;
  }
  /* A value one last digit and a half away would be seen. */
  double unit = 1;
  const char *point = strchr(cell, '.');
  for (size_t i = 1; point && i < strlen(point); i++) unit /= 10;
  assert_false(rounds_to(strtod(cell, NULL) + 1.5 * unit, cell));
}

static const cJSON *table(const char *name, const char *part) {
  const cJSON *t = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(chapter.root, name), part);
  assert_non_null(t);
  return t;
}

static void decode_table(void **state) {
  (void)state;
  const cJSON *row, *name = table("decode", "columns");
  int bad = 0, rows = 0;
  cJSON_ArrayForEach(row, table("decode", "rows")) {
    const char *cell[9];
    assert_int_equal(cJSON_GetArraySize(row), 9);
    for (int c = 0; c < 9; c++) cell[c] = cJSON_GetArrayItem(row, c)->valuestring;
    cJSON *in = cJSON_Duplicate(table("decode", "in"), true);
    with(in, "batch", atof(cell[0]));
    with(in, "activation_byte", 2);
    struct outcome counted = example_run("step", in);
    with(in, "activation_byte", 0);
    struct outcome plain = example_run("step", in);
    cJSON_Delete(in);
    /* One layer of the same width has the intensity of the whole model. */
    struct work w = work_of(OP_WEIGHTS, (struct shape){4096, 4096, 4096, atof(cell[0]), 1}, DTYPE_BF16);
    double intensity = roof_intensity(w.flop, w.byte);
    double v[9] = {atof(cell[0]),
                   outcome_get(&counted, "intensity"),
                   outcome_get(&counted, "attainable_tera"),
                   outcome_get(&plain, "step_time") * 1e3,
                   outcome_get(&plain, "token_rate"),
                   outcome_get(&plain, "user_rate"),
                   outcome_get(&counted, "step_time") * 1e3,
                   outcome_get(&counted, "token_rate"),
                   outcome_get(&counted, "user_rate")};
    for (int c = 0; c < 9; c++) cell_check(&bad, cell[c], v[c], cell[0], cJSON_GetArrayItem(name, c)->valuestring);
    cell_check(&bad, cell[1], intensity, cell[0], "intensity of a layer");
    cell_check(&bad, cell[2], roof_attainable(200e12, 2e12, intensity) / 1e12, cell[0], "attainable of a layer");
    rows++;
  }
  assert_int_equal(bad, 0);
  assert_int_equal(rows, 9);
}

static void transfer_table(void **state) {
  (void)state;
  const cJSON *row, *name = table("transfer", "columns");
  int bad = 0, rows = 0;
  cJSON_ArrayForEach(row, table("transfer", "rows")) {
    const char *cell[8];
    assert_int_equal(cJSON_GetArraySize(row), 8);
    for (int c = 0; c < 8; c++) cell[c] = cJSON_GetArrayItem(row, c)->valuestring;
    cJSON *in = cJSON_Duplicate(table("transfer", "in"), true);
    with(in, "n", atof(cell[0]));
    struct outcome o = example_run("crossing", in);
    cJSON_Delete(in);
    double v[8] = {atof(cell[0]),
                   outcome_get(&o, "host_time") * 1e6,
                   outcome_get(&o, "device_time") * 1e6,
                   outcome_get(&o, "link_share") * 100,
                   outcome_get(&o, "fixed_share") * 100,
                   outcome_get(&o, "compute_share") * 100,
                   outcome_get(&o, "speedup"),
                   outcome_get(&o, "effective_flop_per_s") / 1e12};
    for (int c = 0; c < 8; c++) cell_check(&bad, cell[c], v[c], cell[0], cJSON_GetArrayItem(name, c)->valuestring);
    rows++;
  }
  assert_int_equal(bad, 0);
  assert_int_equal(rows, 9);
}

static void crossovers(void **state) {
  (void)state;
  const cJSON *x, *change, *all = cJSON_GetObjectItemCaseSensitive(chapter.root, "crossover");
  int bad = 0, rows = 0;
  cJSON_ArrayForEach(x, all) {
    cJSON *in = cJSON_Duplicate(table("transfer", "in"), true);
    with(in, "n", 1);
    cJSON_ArrayForEach(change, cJSON_GetObjectItemCaseSensitive(x, "change")) {
      cJSON_DeleteItemFromObjectCaseSensitive(in, change->string);
      cJSON_AddItemToObject(in, change->string, cJSON_Duplicate(change, true));
    }
    struct outcome o = example_run("crossing", in);
    cJSON_Delete(in);
    const char *what = cJSON_GetObjectItemCaseSensitive(x, "what")->valuestring;
    cell_check(&bad, cJSON_GetObjectItemCaseSensitive(x, "n")->valuestring, outcome_get(&o, "crossing_n"), what, "crossover");
    rows++;
  }
  assert_int_equal(bad, 0);
  assert_int_equal(rows, 10);
}

static void rounding(void **state) {
  (void)state;
  assert_true(rounds_to(1.014e-3, "1.01e-3"));
  assert_false(rounds_to(1.016e-3, "1.01e-3"));
  assert_true(rounds_to(61333, "61e3"));
  assert_false(rounds_to(61600, "61e3"));
  assert_true(rounds_to(243.4, "243"));
  assert_false(rounds_to(243.6, "243"));
  assert_true(rounds_to(0.04, "0.0"));
  assert_false(rounds_to(NAN, "0.0"));
  assert_false(near(NAN, 1, 0.01));
}

int main(void) {
  struct err e = {0};
  world = calloc(1, sizeof *world);
  if (!world || !catalogue_load(world, "data", NULL, NULL, &e) || !json_load(&chapter, "tests/chapter_tables.json", &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worked_examples), cmocka_unit_test(decode_table), cmocka_unit_test(transfer_table),
      cmocka_unit_test(crossovers),      cmocka_unit_test(rounding),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  json_free(&chapter);
  free(world);
  return failed;
}
