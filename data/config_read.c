#include "data/config.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/parameters.h"

/* Largest dimensions that are taken for a model's rather than for a slip. */
enum { LAYERS_MAX = 10000, WIDTH_MAX = 1000000, VOCAB_MAX = 100000000, CONTEXT_MAX = 1000000000, EXPERTS_MAX = 100000 };

bool config_is(const struct node *root) {
  static const char *const mark[] = {"model_type", "architectures", "hidden_size", "text_config", "peft_type", "n_embd"};
  struct node id = node_member(root, "id");
  for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
    struct node n = node_member(root, mark[i]);
    if (n.at && !id.at) return true;
  }
  return false;
}

/* ---- values: null means the same as absence here ---- */

static bool absent(const struct node *n, const char *key) {
  struct node m = node_member(n, key);
  return !m.at || cJSON_IsNull(m.at);
}

static bool size_read(const struct node *n, const char *key, int lo, int hi, int *out, struct err *e) {
  return absent(n, key) || node_int(n, key, lo, hi, out, e);
}

static bool size_need(const struct node *n, const char *key, const char *what, int lo, int hi, int *out, struct err *e) {
  struct node m = node_member(n, key);
  if (!m.at) return node_missing(n, key, what, e);
  return cJSON_IsNull(m.at) ? node_refuse(&m, what, e) : node_int(n, key, lo, hi, out, e);
}

static bool switch_read(const struct node *n, const char *key, bool *out, struct err *e) {
  return absent(n, key) || node_bool(n, key, out, e);
}

static bool refuse_member(const struct node *n, const char *key, const char *expected, struct err *e) {
  struct node m = node_member(n, key);
  return node_refuse(&m, expected, e);
}

/* ---- what it is ---- */

/* A whole that holds models is not one: images and sound have parts whose shape is not read. */
static bool nested_refuse(const struct node *n, struct err *e) {
  static const char *const inner[] = {"text_config", "language_config", "llm_config", "thinker_config", "decoder", NULL};
  for (int i = 0; inner[i]; i++) {
    struct node m = node_member(n, inner[i]);
    if (!node_is_object(&m)) continue;
    char expected[160];
    snprintf(expected, sizeof expected, "a model of text alone (save what is inside %s as a file of its own)", inner[i]);
    return json_err(n->json, m.path, expected, "a model inside a model", e);
  }
  return true;
}

static bool type_refuse(const struct node *n, struct err *e) {
  char expected[160] = "one of";
  for (int i = 0; config_family_type(i); i++) {
    size_t used = strlen(expected);
    snprintf(expected + used, sizeof expected - used, " %s", config_family_type(i));
  }
  return refuse_member(n, "model_type", expected, e);
}

static bool family_read(const struct node *n, const struct config_family **family, struct err *e) {
  char type[64] = "";
  if (!absent(n, "peft_type")) { return refuse_member(n, "peft_type", "the config.json of the model it adapts, not of an adapter", e); }
  OR_FALSE(nested_refuse(n, e));
  if (absent(n, "model_type")) return node_missing(n, "model_type", "what kind of model it is: llama, qwen3, …", e);
  OR_FALSE(node_string(n, "model_type", type, sizeof type, e));
  *family = config_family_find(type);
  return *family || type_refuse(n, e);
}

/* Only a head that writes tokens has the size counted here. */
static bool architecture_check(const struct node *n, struct err *e) {
  struct node list = node_member(n, "architectures");
  bool both = false;
  OR_FALSE(switch_read(n, "is_encoder_decoder", &both, e));
  if (both) return refuse_member(n, "is_encoder_decoder", "a decoder alone", e);
  for (int i = 0; i < node_count(&list); i++) {
    struct node name = node_element(&list, i);
    if (!cJSON_IsString(name.at)) return node_refuse(&name, "a name in quotes", e);
    if (!strstr(name.at->valuestring, "CausalLM") && !strstr(name.at->valuestring, "LMHead"))
      return node_refuse(&name, "a model that writes tokens, …ForCausalLM", e);
  }
  return true;
}

/* ---- its shape ---- */

static bool dimensions_read(const struct node *n, const struct config_family *f, struct model *m, struct err *e) {
  static const char *const name[2][5] = {
      {"hidden_size", "num_hidden_layers", "num_attention_heads", "max_position_embeddings", "intermediate_size"},
      {"n_embd", "n_layer", "n_head", "n_positions", "n_inner"}};
  const char *const *key = name[f->layout];
  OR_FALSE(size_need(n, key[0], "the width of a layer", 1, WIDTH_MAX, &m->hidden, e));
  OR_FALSE(size_need(n, key[1], "the number of layers", 1, LAYERS_MAX, &m->layers, e));
  OR_FALSE(size_need(n, key[2], "the number of query heads", 1, WIDTH_MAX, &m->heads, e));
  OR_FALSE(size_read(n, key[3], 1, CONTEXT_MAX, &m->max_context, e));
  OR_FALSE(size_need(n, "vocab_size", "the number of tokens there are", 1, VOCAB_MAX, &m->vocab, e));
  if (f->layout == LAYOUT_GPT2) {
    if (!m->max_context) return node_missing(n, key[3], "the number of positions that are learned", e);
    m->positions = m->max_context;
    m->ffn = 4 * m->hidden;
    return size_read(n, key[4], 1, WIDTH_MAX, &m->ffn, e);
  }
  return size_need(n, key[4], "the width of the feed-forward part", 1, WIDTH_MAX, &m->ffn, e);
}

static bool heads_read(const struct node *n, const struct config_family *f, struct model *m, struct err *e) {
  const char *heads = f->layout == LAYOUT_GPT2 ? "n_head" : "num_attention_heads";
  char expected[96];
  m->kv_heads = m->heads;
  if (f->asks_kv && absent(n, "num_key_value_heads")) return node_missing(n, "num_key_value_heads", "the number of key and value heads", e);
  OR_FALSE(size_read(n, "num_key_value_heads", 1, WIDTH_MAX, &m->kv_heads, e));
  if (m->heads % m->kv_heads) {
    snprintf(expected, sizeof expected, "a divisor of %s, %d", heads, m->heads);
    return refuse_member(n, "num_key_value_heads", expected, e);
  }
  if (f->asks_head_dim && absent(n, "head_dim")) return node_missing(n, "head_dim", "the width of one head", e);
  OR_FALSE(size_read(n, "head_dim", 1, WIDTH_MAX, &m->head_dim, e));
  if (!m->head_dim && m->hidden % m->heads) {
    snprintf(expected, sizeof expected, "a divisor of the layer's width, %d, as no head_dim is given", m->hidden);
    return refuse_member(n, heads, expected, e);
  }
  if (!m->head_dim) m->head_dim = m->hidden / m->heads;
  return true;
}

static bool latent_read(const struct node *n, struct model *m, struct err *e) {
  bool bias = false;
  OR_FALSE(switch_read(n, "attention_bias", &bias, e));
  if (bias) return refuse_member(n, "attention_bias", "false with latent attention", e);
  OR_FALSE(size_read(n, "q_lora_rank", 1, WIDTH_MAX, &m->q_rank, e));
  OR_FALSE(size_need(n, "kv_lora_rank", "the rank of keys and values", 1, WIDTH_MAX, &m->kv_rank, e));
  OR_FALSE(size_need(n, "qk_nope_head_dim", "the width of a head without position", 1, WIDTH_MAX, &m->head_dim, e));
  OR_FALSE(size_need(n, "qk_rope_head_dim", "the width that carries position", 1, WIDTH_MAX, &m->rope_dim, e));
  OR_FALSE(size_need(n, "v_head_dim", "the width of a value", 1, WIDTH_MAX, &m->value_dim, e));
  m->kv_heads = 0;
  return true;
}

/* Which layers have experts: all but the first so many, of the rest every step-th, less those named. */
static bool moe_layers_read(const struct node *n, struct model *m, struct err *e) {
  int first = 0, step = 1, frequency = 1;
  struct node dense = node_member(n, "mlp_only_layers");
  OR_FALSE(size_read(n, "first_k_dense_replace", 0, LAYERS_MAX, &first, e));
  if (first > m->layers) return refuse_member(n, "first_k_dense_replace", "no more than num_hidden_layers", e);
  OR_FALSE(size_read(n, "decoder_sparse_step", 1, LAYERS_MAX, &step, e));
  OR_FALSE(size_read(n, "moe_layer_freq", 1, LAYERS_MAX, &frequency, e));
  for (int i = 0; i < m->layers; i++) {
    bool only = false;
    for (int j = 0; j < node_count(&dense); j++) {
      struct node d = node_element(&dense, j);
      if (!cJSON_IsNumber(d.at)) return node_refuse(&d, "the number of a layer", e);
      only |= d.at->valuedouble == i;
    }
    m->moe_layers += !only && i >= first && (i + 1) % step == 0 && i % frequency == 0;
  }
  return true;
}

static bool experts_read(const struct node *n, const struct config_family *f, struct model *m, struct err *e) {
  int experts = 0;
  if (!f->experts) return true;
  OR_FALSE(size_read(n, f->experts, 1, EXPERTS_MAX, &experts, e));
  if (!experts && f->latent) return true; /* a dense model of the family */
  if (!experts) return node_missing(n, f->experts, "the number of experts in a layer", e);
  OR_FALSE(size_need(n, "num_experts_per_tok", "the experts each token visits", 1, EXPERTS_MAX, &m->top_k, e));
  char expected[64];
  snprintf(expected, sizeof expected, "no more than %s, %d", f->experts, experts);
  if (m->top_k > experts) return refuse_member(n, "num_experts_per_tok", expected, e);
  OR_FALSE(size_need(n, f->expert_ffn, "the width of one expert", 1, WIDTH_MAX, &m->expert_ffn, e));
  OR_FALSE(size_read(n, "n_shared_experts", 0, EXPERTS_MAX, &m->shared_experts, e));
  if (f->shared_gate) {
    OR_FALSE(size_need(n, "shared_expert_intermediate_size", "the width of the shared expert", 1, WIDTH_MAX, &m->shared_ffn, e));
    m->shared_experts = 1;
  }
  OR_FALSE(moe_layers_read(n, m, e));
  if (!m->moe_layers) {
    m->top_k = m->expert_ffn = m->shared_experts = m->shared_ffn = 0;
    return true;
  }
  m->experts = experts;
  m->shared_gate = f->shared_gate, m->router_bias = f->router_bias;
  if (m->moe_layers == m->layers) m->ffn = m->expert_ffn; /* what intermediate_size says is then no layer's width */
  return true;
}

/* Layers that look back through a window only. */
static bool window_read(const struct node *n, const struct config_family *f, struct model *m, struct err *e) {
  struct node types = node_member(n, "layer_types");
  bool used = true;
  int window = 0, layers = 0, from = 0, pattern = f->window_every;
  OR_FALSE(size_read(n, "sliding_window", 1, CONTEXT_MAX, &window, e));
  if (!f->window_every) used = false;
  OR_FALSE(switch_read(n, "use_sliding_window", &used, e));
  OR_FALSE(size_read(n, "sliding_window_pattern", 1, LAYERS_MAX, &pattern, e));
  OR_FALSE(size_read(n, "max_window_layers", 0, CONTEXT_MAX, &from, e));
  if (!window || !used) return true;
  if (types.at && node_count(&types) != m->layers) return json_err(n->json, types.path, "one entry a layer", "another number of them", e);
  for (int i = 0; i < m->layers; i++) {
    struct node type = node_element(&types, i);
    layers += types.at ? node_is(&type, "sliding_attention") : pattern > 1 ? (i + 1) % pattern != 0 : i >= from;
  }
  if (layers) m->window = window, m->window_layers = layers;
  return true;
}

static bool switches_read(const struct node *n, const struct config_family *f, struct model *m, struct err *e) {
  bool attention = false, ffn = false, head = false, qk = false;
  m->norms = f->norms, m->gated = f->gated, m->norm_bias = f->norm_bias, m->qk_norm = f->qk_norm, m->tied = f->tied, m->bias = f->bias;
  OR_FALSE(switch_read(n, "tie_word_embeddings", &m->tied, e));
  OR_FALSE(switch_read(n, "mlp_bias", &ffn, e));
  OR_FALSE(switch_read(n, "lm_head_bias", &head, e));
  OR_FALSE(switch_read(n, "qk_layernorm", &qk, e));
  if (f->attention_bias) OR_FALSE(switch_read(n, "attention_bias", &attention, e));
  if (attention) m->bias |= f->attention_bias;
  if (ffn) m->bias |= BIAS_FFN;
  if (head) m->bias |= BIAS_HEAD;
  m->qk_norm |= qk;
  return true;
}

/* ---- its name ---- */

/* The last part of a path that says something: in the cache the file lies under models--maker--name/snapshots/number. */
static void name_from_path(const char *path, char *out, size_t size) {
  const char *cache = strstr(path, "models--"), *end = path + strlen(path), *slash;
  if (cache) {
    const char *name = cache + strlen("models--"), *maker = strstr(name, "--");
    if (maker) name = maker + 2;
    snprintf(out, size, "%.*s", (int)strcspn(name, "/"), name);
    return;
  }
  while (end > path && end[-1] == '/') end--;
  for (int part = 0; part < 2; part++) {
    for (slash = end; slash > path && slash[-1] != '/';) slash--;
    bool plain = (size_t)(end - slash) == strlen("config.json") && !strncmp(slash, "config.json", strlen("config.json"));
    size_t tail = (size_t)(end - slash) > 5 && !strncmp(end - 5, ".json", 5) ? 5 : 0;
    snprintf(out, size, "%.*s", (int)((size_t)(end - slash) - tail), slash);
    if (!plain || slash == path) return;
    end = slash - 1;
  }
}

static bool name_read(const struct node *n, const char *path, const struct config_family *f, struct model *m, struct err *e) {
  char given[256] = "";
  if (!absent(n, "_name_or_path")) OR_FALSE(node_string(n, "_name_or_path", given, sizeof given, e));
  const char *slash = strrchr(given, '/');
  if (given[0] && (!slash || slash[1]))
    snprintf(m->name, sizeof m->name, "%.60s", slash ? slash + 1 : given);
  else
    name_from_path(path, m->name, sizeof m->name);
  snprintf(m->id, sizeof m->id, "config");
  snprintf(m->kind, sizeof m->kind, "%s", m->experts ? "decoder-MoE" : "decoder");
  snprintf(m->attention, sizeof m->attention, "%s",
           m->kv_rank                ? "MLA"
           : m->kv_heads == m->heads ? "MHA"
           : m->kv_heads == 1        ? "MQA"
                                     : "GQA");
  snprintf(m->source, sizeof m->source, "config.json, model_type %s; counts follow from its dimensions", f->type);
  m->decoder = true;
  return true;
}

/* What the person should know of it beside its numbers. */
static bool notes_read(const struct node *n, struct model *m, struct err *e) {
  char method[32] = "";
  int further = 0;
  struct node q = node_member(n, "quantization_config");
  if (node_is_object(&q) && !absent(&q, "quant_method")) OR_FALSE(node_string(&q, "quant_method", method, sizeof method, e));
  OR_FALSE(size_read(n, "num_nextn_predict_layers", 0, LAYERS_MAX, &further, e));
  if (method[0]) snprintf(m->notes, sizeof m->notes, "Its weights are stored in %s: choose the data type that says so. ", method);
  size_t used = strlen(m->notes);
  if (further) snprintf(m->notes + used, sizeof m->notes - used, "Layers that only predict further tokens are not counted.");
  return true;
}

bool config_read(const struct node *n, const char *path, struct model *m, struct err *e) {
  const struct config_family *f = NULL;
  struct parameters p;
  if (!node_is_object(n)) return node_refuse(n, "an object", e);
  OR_FALSE(family_read(n, &f, e));
  OR_FALSE(architecture_check(n, e));
  OR_FALSE(dimensions_read(n, f, m, e));
  OR_FALSE(f->latent ? latent_read(n, m, e) : heads_read(n, f, m, e));
  OR_FALSE(switches_read(n, f, m, e));
  OR_FALSE(experts_read(n, f, m, e));
  OR_FALSE(window_read(n, f, m, e));
  OR_FALSE(name_read(n, path, f, m, e));
  OR_FALSE(notes_read(n, m, e));
  m->detailed = true;
  if (!parameters_of(m, &p)) return node_refuse(n, "dimensions that make a model", e);
  if (p.total > 1e16) return json_err(n->json, "", "a model of at most 1e16 parameters", "dimensions that make a larger one", e);
  m->params = p.total, m->params_active = p.active, m->matmul_params = p.matmul;
  m->kv_byte_per_token = 2 * parameters_kv(m);
  return true;
}
