#include "tests/support_example.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/capacity.h"
#include "model/crossing.h"
#include "model/ladder.h"
#include "model/packing.h"
#include "model/parameters.h"
#include "model/roof.h"
#include "model/step.h"
#include "model/work.h"

/* ---- reading an example ---- */

/* The inputs of one example; each key that is read is ticked off, so that a misspelt one cannot pass unseen. */
struct input {
  const struct world *world;
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
  int i = id ? device_find(in->world, id) : -1;
  if (id && i < 0) fail_msg("no device \"%s\"", id);
  return id ? &in->world->device[i] : NULL;
}

static const struct model *model_of(struct input *in) {
  const char *id = word(in, "model");
  int i = id ? model_find(in->world, id) : -1;
  if (id && i < 0) fail_msg("no model \"%s\"", id);
  return id ? &in->world->model[i] : NULL;
}

/* The two roofs: as given, else those of the device's file. */
static void roofs(struct input *in, double *peak, double *rate) {
  const struct device *d = device_of(in);
  enum dtype t = dtype_of(in);
  *peak = number(in, "peak", d ? ladder_peak(d, t, ISA_AUTO, 0) : NAN);
  *rate = number(in, "byte_per_s", d ? d->memory_byte_per_s.value : NAN);
}

/* ---- what comes out ---- */

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
                                          number(in, "fma", NAN), number(in, "chain", NAN), .stride = number(in, "stride", NAN)});
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
  struct input a = {.world = in->world, .at = member(in, "work")}, b = {.world = in->world, .at = member(in, "to")};
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

static enum packing packing_of(struct input *in, const char *key) {
  const char *name = word(in, key);
  for (int p = 0; name && p < PACKING_N; p++)
    if (!strcmp(packing_name((enum packing)p), name)) return (enum packing)p;
  return PACKING_FREE;
}

/* A storage format, and what it saves against another. */
static void packing_example(struct input *in, struct outcome *o) {
  enum packing p = packing_of(in, "stored"), against = packing_of(in, "against");
  give(o, "bits", packing_bits(p));
  give(o, "scale_bits", packing_scale_bits(p));
  give(o, "saved_bits", packing_bits(against) - packing_bits(p));
  give(o, "saved_gb", (packing_bits(against) - packing_bits(p)) / 8 * number(in, "params", NAN) / 1e9);
}

/* Parameters from dimensions. */
static void parameters_example(struct input *in, struct outcome *o) {
  struct model m = {.detailed = true, .decoder = true, .norms = 2, .gated = true};
  struct parameters p;
  m.layers = (int)number(in, "layers", 0), m.hidden = (int)number(in, "hidden", 0), m.heads = (int)number(in, "heads", 0);
  m.kv_heads = (int)number(in, "kv_heads", m.heads), m.head_dim = (int)number(in, "head_dim", 0);
  m.ffn = (int)number(in, "ffn", 0), m.vocab = (int)number(in, "vocab", 0), m.tied = yes(in, "tied");
  parameters_of(&m, &p);
  give(o, "params", p.total);
  give(o, "attention_share", p.attention / p.total);
  give(o, "matmul_params", p.matmul);
  give(o, "kv_elements", parameters_kv(&m));
}

static const struct {
  const char *name;
  void (*run)(struct input *, struct outcome *);
} kind_table[] = {
    {"roof", roof_example},
    {"packing", packing_example},
    {"work", work_example},
    {"step", step_example},
    {"work_at_ridge", work_at_ridge_example},
    {"crossing", crossing_example},
    {"work_ratio", work_ratio_example},
    {"capacity", capacity_example},
    {"model", model_example},
    {"parameters", parameters_example},
    {"catalogue_peak", catalogue_peak_example},
    {"catalogue_share", catalogue_share_example},
};

struct outcome example_run(const struct world *w, const char *kind, const cJSON *in) {
  struct outcome o = {0};
  struct input input = {.world = w, .at = in};
  for (size_t i = 0; i < sizeof kind_table / sizeof *kind_table; i++) {
    if (strcmp(kind, kind_table[i].name)) continue;
    kind_table[i].run(&input, &o);
    all_used(&input);
    return o;
  }
  fail_msg("nothing is called \"%s\"", kind);
  return o;
}

double outcome_get(const struct outcome *o, const char *name) {
  for (int i = 0; i < o->n; i++)
    if (!strcmp(o->value[i].name, name)) return o->value[i].v;
  fail_msg("nothing comes out that is called \"%s\"", name);
  return NAN;
}
