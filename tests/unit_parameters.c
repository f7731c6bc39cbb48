/* Parameter counts from dimensions against the published counts, for every decoder of the catalogue and for configurations as they lie on
 * disk. Run from the repository's root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "data/config.h"
#include "model/operations.h"
#include "model/parameters.h"
#include "tests/support_data.h"

static struct world *world;

/* To the unit: total, active and multiplied, of every decoder whose dimensions are public. */
static void catalogue_counts(void **state) {
  (void)state;
  int counted = 0;
  for (int i = 0; i < world->nmodel; i++) {
    const struct model *m = &world->model[i];
    struct parameters p;
    if (!m->decoder || m->illustrative) continue;
    if (!parameters_of(m, &p)) fail_msg("%s: dimensions are missing", m->id);
    if (p.total != m->params || p.active != m->params_active || p.matmul != m->matmul_params)
      fail_msg("%s: %.0f %.0f %.0f, not %.0f %.0f %.0f", m->id, p.total, p.active, p.matmul, m->params, m->params_active, m->matmul_params);
    if (2 * parameters_kv(m) != m->kv_byte_per_token) fail_msg("%s: %.0f byte a token", m->id, 2 * parameters_kv(m));
    counted++;
  }
  assert_true(counted >= 17);
}

/* What a configuration shares with a model of the catalogue must be the same. */
static void same_check(const char *file, const struct model *m, const struct model *known) {
  const struct {
    const char *what;
    int got, want;
  } row[] = {{"layers", m->layers, known->layers},
             {"hidden", m->hidden, known->hidden},
             {"heads", m->heads, known->heads},
             {"kv_heads", m->kv_heads, known->kv_heads},
             {"head_dim", m->head_dim, known->head_dim},
             {"ffn", m->ffn, known->ffn},
             {"vocab", m->vocab, known->vocab},
             {"max_context", m->max_context, known->max_context},
             {"tied", m->tied, known->tied},
             {"gated", m->gated, known->gated},
             {"experts", m->experts, known->experts},
             {"top_k", m->top_k, known->top_k},
             {"decoder", m->decoder, known->decoder},
             {"shared", m->shared_experts, known->shared_experts},
             {"moe_layers", m->moe_layers, known->moe_layers},
             {"expert_ffn", m->expert_ffn, known->expert_ffn}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (row[i].got != row[i].want) fail_msg("%s: %s is %d, not %d", file, row[i].what, row[i].got, row[i].want);
  if (m->params_active != known->params_active || m->matmul_params != known->matmul_params ||
      m->kv_byte_per_token != known->kv_byte_per_token)
    fail_msg("%s: %.0f active, %.0f multiplied, %.0f byte a token", file, m->params_active, m->matmul_params, m->kv_byte_per_token);
}

static void configs_as_on_disk(void **state) {
  (void)state;
  struct table t;
  int shared = 0;
  assert_true(table_load(&t, "tests/configs/published.tsv"));
  for (int r = 0; r < t.nrow; r++) {
    char path[256];
    struct model m;
    struct err e = {0};
    const char *file = table_cell(&t, r, "file");
    snprintf(path, sizeof path, "tests/configs/%s.json", file);
    if (!model_load(path, &m, &e)) fail_msg("%s", e.text);
    if (m.params != atof(table_cell(&t, r, "total"))) fail_msg("%s: %.0f parameters, not %s", file, m.params, table_cell(&t, r, "total"));
    if (m.window != atoi(table_cell(&t, r, "window")) || m.window_layers != atoi(table_cell(&t, r, "window_layers")))
      fail_msg("%s: %d layers see %d tokens", file, m.window_layers, m.window);
    /* Counted another way, operation by operation, it is the same. */
    struct operations_params counted = operations_params(&m);
    if (counted.total != m.params || counted.active != m.params_active || counted.matmul != m.matmul_params)
      fail_msg("%s: %.0f %.0f %.0f by operations, %.0f %.0f %.0f by dimensions", file, counted.total, counted.active, counted.matmul,
               m.params, m.params_active, m.matmul_params);
    int known = model_find(world, file);
    if (known >= 0) same_check(file, &m, &world->model[known]);
    shared += known >= 0;
  }
  table_free(&t);
  assert_true(shared >= 15);
}

/* Every model_type that is understood has a file of its shape here. */
static void every_family_has_one(void **state) {
  (void)state;
  struct table t;
  assert_true(table_load(&t, "tests/configs/published.tsv"));
  for (int f = 0; config_family_type(f); f++) {
    int found = 0;
    for (int r = 0; r < t.nrow; r++) {
      char path[256], type[64] = "";
      struct json j;
      struct err e = {0};
      snprintf(path, sizeof path, "tests/configs/%s.json", table_cell(&t, r, "file"));
      if (!json_load(&j, path, &e)) fail_msg("%s", e.text);
      struct node root = node_root(&j);
      assert_true(node_string(&root, "model_type", type, sizeof type, &e));
      json_free(&j);
      found += !strcmp(type, config_family_type(f));
    }
    if (!found) fail_msg("no file of model_type %s", config_family_type(f));
  }
  table_free(&t);
}

/* A folder as it is downloaded, and the name where the file has none. */
static void names(void **state) {
  (void)state;
  char root[256], folder[400], nested[512];
  struct model m;
  struct err e = {0};
  struct json j;
  assert_true(model_load("tests/configs/llama-2-7b.json", &m, &e));
  assert_string_equal(m.name, "Llama-2-7b-hf");
  assert_true(model_load("tests/configs/qwen3-8b.json", &m, &e));
  assert_string_equal(m.name, "qwen3-8b");
  scratch_make(root, sizeof root);
  static const char text[] = "{\"model_type\":\"gpt2\",\"n_embd\":8,\"n_layer\":1,\"n_head\":2,\"n_positions\":4,\"vocab_size\":5}";
  snprintf(folder, sizeof folder, "%s/models--someone--tiny", root);
  mkdir(folder, 0755);
  snprintf(nested, sizeof nested, "%s/0123abc", folder);
  mkdir(nested, 0755);
  scratch_write(nested, "config.json", text);
  if (!model_load(nested, &m, &e)) fail_msg("%s", e.text);
  assert_string_equal(m.name, "tiny");
  /* By hand: embedding 40, positions 32, one layer of 4*64 + 2*8*32 = 768 with biases 3*8 + 8 + 32 + 8 = 72, norms 2*(2*8 + 8) = 48. */
  assert_true(m.params == 40 + 32 + 768 + 72 + 48);
  assert_false(model_load(root, &m, &e));
  assert_non_null(strstr(e.text, "config.json"));
  scratch_write(root, "config.json", text);
  strcat(root, "/");
  assert_true(model_load(root, &m, &e));
  assert_true(strlen(m.name) > 0 && !strchr(m.name, '/'));
  scratch_remove(root);
  /* Other keys are passed over; those of our own files are not needed. */
  assert_true(json_parse(&j, text, strlen(text), "x", &e));
  struct node n = node_root(&j);
  assert_true(config_is(&n));
  json_free(&j);
}

/* A window keeps what it reaches, and no more; every layer without one keeps all. */
static void windows(void **state) {
  (void)state;
  const struct model *gemma = &world->model[model_find(world, "gemma-2-9b")], *llama = &world->model[model_find(world, "llama-3-8b")];
  const struct model *mistral = &world->model[model_find(world, "mistral-7b-v0.1")];
  assert_true(parameters_kv_windowed(llama, 1e5) == parameters_kv(llama) * 1e5);
  assert_true(parameters_kv_windowed(gemma, 4096) == parameters_kv(gemma) * 4096);
  assert_true(parameters_kv_windowed(gemma, 8192) == parameters_kv(gemma) * 6144); /* half of the layers stop at 4096 */
  assert_true(parameters_kv_windowed(mistral, 32768) == parameters_kv(mistral) * 4096);
}

/* A dimension more must change the count: each enters it. */
static void every_dimension_counts(void **state) {
  (void)state;
  struct model m;
  struct err e = {0};
  struct parameters was, now;
  assert_true(model_load("tests/configs/deepseek-v3.json", &m, &e));
  int *const latent[] = {&m.q_rank, &m.kv_rank, &m.rope_dim, &m.value_dim,  &m.head_dim,       &m.hidden,     &m.heads, &m.layers,
                         &m.ffn,    &m.vocab,   &m.experts,  &m.expert_ffn, &m.shared_experts, &m.moe_layers, &m.norms};
  assert_true(parameters_of(&m, &was));
  for (size_t i = 0; i < sizeof latent / sizeof *latent; i++) {
    ++*latent[i];
    assert_true(parameters_of(&m, &now));
    if (!(now.total > was.total)) fail_msg("dimension %zu does not count", i);
    --*latent[i];
  }
  m.top_k++;
  assert_true(parameters_of(&m, &now) && now.total == was.total && now.active == was.active + (m.moe_layers * now.expert_one));
  m.detailed = false;
  assert_false(parameters_of(&m, &now));
  assert_true(isnan(now.total) && isnan(now.matmul));
}

int main(void) {
  struct err e = {0};
  world = calloc(1, sizeof *world);
  if (!world || !catalogue_load(world, "data", NULL, NULL, &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(catalogue_counts),
                                     cmocka_unit_test(configs_as_on_disk),
                                     cmocka_unit_test(every_family_has_one),
                                     cmocka_unit_test(names),
                                     cmocka_unit_test(windows),
                                     cmocka_unit_test(every_dimension_counts)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(world);
  return failed;
}
