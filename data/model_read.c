/* Reading one model file. Parameter counts and geometry are properties of the published configuration, named once in "source". */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "data/catalogue.h"
#include "data/config.h"
#include "data/node.h"
#include "data/record.h"

static bool params_read(const struct node *n, struct model *m, struct err *e) {
  static const char *const known[] = {"total", "active", "matmul_per_token", "published", NULL};
  struct node p = node_member(n, "params");
  if (!p.at) return node_missing(n, "params", "the parameter counts", e);
  OR_FALSE(node_object(&p, known, e));
  OR_FALSE(node_number(&p, "total", "a count of parameters", 1, 1e16, &m->params, e));
  OR_FALSE(node_number(&p, "active", "a count of parameters", 1, 1e16, &m->params_active, e));
  OR_FALSE(node_number(&p, "matmul_per_token", "a count of parameters", 1, 1e16, &m->matmul_params, e));
  OR_FALSE(node_number(&p, "published", "a count of parameters", 1, 1e16, &m->published_params, e));
  if (isnan(m->params)) return node_missing(&p, "total", "a count of parameters", e);
  /* A dense model reads and multiplies all of them; the input embedding's share is below what these figures are used for. */
  if (isnan(m->params_active)) m->params_active = m->params;
  if (isnan(m->matmul_params)) m->matmul_params = m->params_active;
  struct node active = node_member(&p, "active");
  if (m->params_active > m->params) return node_refuse(&active, "no more than params.total", e);
  return true;
}

static bool experts_read(const struct node *n, struct model *m, struct err *e) {
  static const char *const known[] = {"experts", "top_k", "expert_ffn", "shared", "layers", NULL};
  struct node x = node_member(n, "moe");
  if (!x.at) return true;
  OR_FALSE(node_object(&x, known, e));
  OR_FALSE(node_int(&x, "experts", 2, 100000, &m->experts, e));
  OR_FALSE(node_int(&x, "top_k", 1, 100000, &m->top_k, e));
  OR_FALSE(node_int(&x, "expert_ffn", 1, 10000000, &m->expert_ffn, e));
  OR_FALSE(node_int(&x, "shared", 0, 100000, &m->shared_experts, e));
  OR_FALSE(node_int(&x, "layers", 1, 100000, &m->moe_layers, e));
  if (!m->experts) return node_missing(&x, "experts", "the number of experts in a layer", e);
  if (!m->top_k) return node_missing(&x, "top_k", "the experts each token visits", e);
  if (!m->expert_ffn) return node_missing(&x, "expert_ffn", "the width of one expert", e);
  if (!m->moe_layers) m->moe_layers = m->layers;
  struct node k = node_member(&x, "top_k");
  if (m->top_k > m->experts) return node_refuse(&k, "no more than moe.experts", e);
  return true;
}

static bool geometry_read(const struct node *n, struct model *m, struct err *e) {
  const struct {
    const char *key;
    int hi;
    int *out;
  } row[] = {
      {"layers", 100000, &m->layers},      {"hidden", 10000000, &m->hidden},
      {"heads", 1000000, &m->heads},       {"kv_heads", 1000000, &m->kv_heads},
      {"head_dim", 1000000, &m->head_dim}, {"ffn", 100000000, &m->ffn},
      {"vocab", 100000000, &m->vocab},     {"max_context", 1000000000, &m->max_context},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) OR_FALSE(node_int(n, row[i].key, 1, row[i].hi, row[i].out, e));
  struct node kv_heads = node_member(n, "kv_heads");
  if (m->kv_heads > m->heads && m->heads) return node_refuse(&kv_heads, "no more than heads", e);
  return node_number(n, "kv_byte_per_token", "byte a token at 2 byte an element", 1, 1e12, &m->kv_byte_per_token, e);
}

static bool bias_read(const struct node *n, unsigned *bias, struct err *e) {
  static const struct {
    const char *word;
    unsigned bit;
  } row[] = {{"qkv", BIAS_QKV}, {"out", BIAS_OUT}, {"ffn", BIAS_FFN}, {"head", BIAS_HEAD}};
  struct node list = node_member(n, "bias");
  if (!list.at) return true;
  OR_FALSE(node_array(&list, 4, e));
  for (int i = 0; i < node_count(&list); i++) {
    struct node word = node_element(&list, i);
    unsigned bit = 0;
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
      if (node_is(&word, row[r].word)) bit = row[r].bit;
    if (!bit) return node_refuse(&word, "one of qkv out ffn head", e);
    *bias |= bit;
  }
  return true;
}

/* Of what the parameters consist besides the matrices that every transformer has. */
static bool detail_read(const struct node *n, struct model *m, struct err *e) {
  static const char *const known[] = {"norms",         "norm_bias",   "norm_plain", "qk_norm",    "bias",           "positions",   "q_rank",
                                      "kv_rank",       "rope_dim",    "value_dim",  "shared_ffn", "shared_gate",    "router_bias", "window",
                                      "window_layers", "token_types", "patch",      "classes",    "embedding_norm", "pooler",      NULL};
  struct node d = node_member(n, "detail");
  if (!d.at) return true;
  OR_FALSE(node_object(&d, known, e));
  const struct {
    const char *key;
    int lo, hi, *out;
  } row[] = {
      {"norms", 0, 16, &m->norms},
      {"positions", 1, 1000000000, &m->positions},
      {"q_rank", 1, 10000000, &m->q_rank},
      {"kv_rank", 1, 10000000, &m->kv_rank},
      {"rope_dim", 1, 1000000, &m->rope_dim},
      {"value_dim", 1, 1000000, &m->value_dim},
      {"shared_ffn", 1, 100000000, &m->shared_ffn},
      {"window", 1, 1000000000, &m->window},
      {"window_layers", 1, 100000, &m->window_layers},
      {"token_types", 1, 1000000, &m->token_types},
      {"patch", 1, 10000000, &m->patch},
      {"classes", 1, 100000000, &m->classes},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) OR_FALSE(node_int(&d, row[i].key, row[i].lo, row[i].hi, row[i].out, e));
  OR_FALSE(node_bool(&d, "norm_bias", &m->norm_bias, e));
  OR_FALSE(node_bool(&d, "norm_plain", &m->norm_plain, e));
  OR_FALSE(node_bool(&d, "qk_norm", &m->qk_norm, e));
  OR_FALSE(node_bool(&d, "shared_gate", &m->shared_gate, e));
  OR_FALSE(node_bool(&d, "router_bias", &m->router_bias, e));
  OR_FALSE(node_bool(&d, "embedding_norm", &m->embedding_norm, e));
  OR_FALSE(node_bool(&d, "pooler", &m->pooler, e));
  OR_FALSE(bias_read(&d, &m->bias, e));
  struct node layers = node_member(&d, "window_layers");
  if (m->window_layers > m->layers) return node_refuse(&layers, "no more than layers", e);
  if (m->window && !m->window_layers) m->window_layers = m->layers;
  m->detailed = true;
  return true;
}

static bool convolution_read(const struct node *n, struct convolution *c, struct err *e) {
  static const char *const known[] = {"name", "in", "out", "kernel", "stride", "size", "groups", "count", "pool", "adds", "linear", NULL};
  *c = (struct convolution){.stride = 1, .groups = 1, .count = 1};
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(node_string(n, "name", c->name, sizeof c->name, e));
  OR_FALSE(node_int(n, "in", 1, 1000000, &c->in, e));
  OR_FALSE(node_int(n, "out", 1, 1000000, &c->out, e));
  OR_FALSE(node_int(n, "kernel", 1, 1000, &c->kernel, e));
  OR_FALSE(node_int(n, "stride", 1, 1000, &c->stride, e));
  OR_FALSE(node_int(n, "size", 1, 1000000, &c->size, e));
  OR_FALSE(node_int(n, "groups", 1, 1000000, &c->groups, e));
  OR_FALSE(node_int(n, "count", 1, 100000, &c->count, e));
  OR_FALSE(node_bool(n, "pool", &c->pool, e));
  OR_FALSE(node_bool(n, "adds", &c->adds, e));
  OR_FALSE(node_bool(n, "linear", &c->linear, e));
  struct node groups = node_member(n, "groups");
  if (!c->in) return node_missing(n, "in", "the planes that go in", e);
  if (!c->out) return node_missing(n, "out", "the planes that come out", e);
  if (!c->kernel) return node_missing(n, "kernel", "the side of the filter", e);
  if (!c->size) return node_missing(n, "size", "height and width of a plane that goes in", e);
  if (c->in % c->groups || c->out % c->groups) return node_refuse(&groups, "a number that divides in and out", e);
  return true;
}

static bool convolutions_read(const struct node *n, struct model *m, struct err *e) {
  struct node list = node_member(n, "convolutions");
  if (!list.at) return true;
  OR_FALSE(node_array(&list, CONVOLUTION_MAX, e));
  m->nconvolution = node_count(&list);
  for (int i = 0; i < m->nconvolution; i++) {
    struct node one = node_element(&list, i);
    OR_FALSE(convolution_read(&one, &m->convolution[i], e));
  }
  return true;
}

static bool whole_read(const struct node *n, struct model *m, struct err *e) {
  static const char *const known[] = {"id",     "name",         "kind",      "year",  "illustrative", "source",   "notes",
                                      "params", "layers",       "hidden",    "heads", "ffn",          "kv_heads", "head_dim",
                                      "vocab",  "max_context",  "attention", "tied",  "gated",        "moe",      "kv_byte_per_token",
                                      "detail", "convolutions", NULL};
  OR_FALSE(node_object(n, known, e));
  struct node id = node_member(n, "id");
  OR_FALSE(node_string(n, "id", m->id, sizeof m->id, e));
  if (!id.at) return node_missing(n, "id", "the model's id, which is also the file's name", e);
  if (!id_valid(m->id)) return node_refuse(&id, "an id of at most 64 lower-case letters, digits, - . _", e);
  OR_FALSE(node_string(n, "name", m->name, sizeof m->name, e));
  if (!m->name[0]) return node_missing(n, "name", "the model's name", e);
  OR_FALSE(node_string(n, "kind", m->kind, sizeof m->kind, e));
  if (!m->kind[0]) return node_missing(n, "kind", "the kind of model, \"decoder\" for one that writes token by token", e);
  OR_FALSE(node_string(n, "attention", m->attention, sizeof m->attention, e));
  OR_FALSE(node_string(n, "source", m->source, sizeof m->source, e));
  if (!m->source[0]) return node_missing(n, "source", "where the figures come from", e);
  OR_FALSE(node_string(n, "notes", m->notes, sizeof m->notes, e));
  OR_FALSE(node_int(n, "year", 1940, 2100, &m->year, e));
  OR_FALSE(node_bool(n, "illustrative", &m->illustrative, e));
  OR_FALSE(node_bool(n, "tied", &m->tied, e));
  OR_FALSE(node_bool(n, "gated", &m->gated, e));
  OR_FALSE(params_read(n, m, e));
  OR_FALSE(geometry_read(n, m, e));
  OR_FALSE(experts_read(n, m, e));
  OR_FALSE(detail_read(n, m, e));
  OR_FALSE(convolutions_read(n, m, e));
  m->decoder = !strncmp(m->kind, "decoder", strlen("decoder"));
  return true;
}

/* A folder as it is downloaded stands for the config.json in it. */
static const char *folder_config(const char *path, char *out, size_t size) {
  struct stat st;
  size_t n = strlen(path);
  if (stat(path, &st) || !S_ISDIR(st.st_mode)) return path;
  snprintf(out, size, "%s%sconfig.json", path, n && path[n - 1] == '/' ? "" : "/");
  return out;
}

bool model_load(const char *path, struct model *m, struct err *e) {
  struct json j;
  char inside[512];
  struct model fresh = {.params = NAN, .params_active = NAN, .matmul_params = NAN, .published_params = NAN, .kv_byte_per_token = NAN};
  path = folder_config(path, inside, sizeof inside);
  if (!json_load(&j, path, e)) return false;
  struct node root = node_root(&j);
  bool ok = config_is(&root) ? config_read(&root, path, &fresh, e) : whole_read(&root, &fresh, e);
  json_free(&j);
  if (ok) *m = fresh;
  return ok;
}
