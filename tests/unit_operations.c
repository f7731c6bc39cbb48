/* The list of operations: its parameters are the models', its arithmetic 2 P a token and 6 P a token trained, its cache the model's, and
 * what published examples say of layers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "model/operations.h"
#include "model/parameters.h"
#include "tests/support_near.h"

static struct world *w;

static int up(void **state) {
  (void)state;
  struct err e;
  w = calloc(1, sizeof *w);
  if (!w || !catalogue_load(w, "data", NULL, NULL, &e)) return -1;
  return 0;
}
static int down(void **state) {
  (void)state;
  free(w);
  return 0;
}

static const struct model *model_of(const char *id) {
  int at = model_find(w, id);
  if (at < 0) fail_msg("no model %s", id);
  return &w->model[at];
}

static struct operations_in input(const struct model *m, enum phase phase, double batch, double context) {
  return (struct operations_in){
      .model = m, .phase = phase, .batch = batch, .context = context, .weight_byte = 2, .kv_byte = 2, .activation_byte = 2, .line_use = 1};
}

struct sum {
  double flop, product, attention, element, weight, kv, activation, byte, launches, params;
  int n;
};
static struct sum sum_of(const struct operations_in *in, bool only_backward) {
  struct operation list[OPERATIONS_MAX];
  struct sum s = {.n = operations_of(in, list)};
  for (int i = 0; i < s.n; i++) {
    const struct operation *o = &list[i];
    if (only_backward && !o->backward) continue;
    s.flop += o->count * o->flop;
    s.product += o->class == CLASS_PRODUCT ? o->count * o->flop : 0;
    s.attention += o->class == CLASS_ATTENTION ? o->count * o->flop : 0;
    s.element += o->class == CLASS_ELEMENT ? o->count * o->flop : 0;
    s.weight += o->count * o->weight_byte;
    s.kv += o->count * o->kv_byte;
    s.activation += o->count * o->activation_byte;
    s.byte += o->count * o->byte;
    s.launches += o->count * o->launches;
    s.params += o->count * o->params;
    assert_true(o->flop >= 0 && o->byte >= 0 && o->count > 0 && isfinite(o->flop) && isfinite(o->byte));
    NEAR(o->byte, o->weight_byte + o->kv_byte + o->activation_byte, 1e-12);
    assert_true(strlen(operation_name(o->kind)) <= 14);
  }
  return s;
}

static bool near_enough(double got, double want, double rel) { return fabs(got - want) <= rel * fabs(want); }

static const struct operation *find(const struct operation *list, int n, enum operation_kind kind, bool backward) {
  for (int i = 0; i < n; i++)
    if (list[i].kind == kind && list[i].backward == backward) return &list[i];
  fail_msg("no %s", operation_name(kind));
  return NULL;
}

static void parameters_are_the_models(void **state) {
  (void)state;
  int checked = 0;
  for (int i = 0; i < w->nmodel; i++) {
    const struct model *m = &w->model[i];
    struct operations_params p = operations_params(m);
    if (m->illustrative && m->vocab > 0) { /* a round number of parameters beside an assumed shape: the shape has its own */
      assert_true(p.total > 0.9 * m->params && p.total < m->params);
      continue;
    }
    struct parameters counted;
    if (m->decoder && m->vocab > 0) {
      if (!parameters_of(m, &counted)) fail_msg("%s: not counted", m->id);
      if (counted.total != p.total || counted.active != p.active || counted.matmul != p.matmul)
        fail_msg("%s: %.0f %.0f %.0f by operations, %.0f %.0f %.0f by formula", m->id, p.total, p.active, p.matmul, counted.total,
                 counted.active, counted.matmul);
    }
    if (p.total != m->params) fail_msg("%s: %.0f parameters by operations, %.0f in its file", m->id, p.total, m->params);
    if (p.active != m->params_active) fail_msg("%s: %.0f active by operations, %.0f in its file", m->id, p.active, m->params_active);
    if (m->nconvolution == 0 && p.matmul != m->matmul_params)
      fail_msg("%s: %.0f multiplied by operations, %.0f in its file", m->id, p.matmul, m->matmul_params);
    checked++;
  }
  assert_int_equal(checked, w->nmodel - 1);
}

static void two_and_six_a_parameter(void **state) {
  (void)state;
  for (int i = 0; i < w->nmodel; i++) {
    const struct model *m = &w->model[i];
    double added = m->router_bias ? (double)m->moe_layers * m->experts : 0; /* stands with the router's matrix, but multiplies nothing */
    double multiplied = operations_params(m).matmul - added;
    if (!m->decoder) continue;
    for (double batch = 1; batch <= 64; batch *= 8) {
      struct operations_in decode = input(m, PHASE_DECODE, batch, 300), train = input(m, PHASE_TRAINING, batch, 300);
      struct sum d = sum_of(&decode, false), t = sum_of(&train, false), b = sum_of(&train, true);
      if (!near_enough(d.product, 2 * multiplied * batch, 1e-12)) fail_msg("%s decodes with %.6g FLOP", m->id, d.product);
      if (!near_enough(t.product, 6 * multiplied * batch * 300, 1e-12)) fail_msg("%s trains with %.6g FLOP", m->id, t.product);
      NEAR(b.product, 4 * multiplied * batch * 300, 1e-12);
      NEAR(t.attention, 3 * (t.attention - b.attention), 1e-12);
    }
    /* Of a prompt, the last token alone goes through the head. */
    struct operations_in one = input(m, PHASE_PREFILL, 2, 500);
    double head = (double)m->vocab * m->hidden;
    NEAR(sum_of(&one, false).product, 2 * ((multiplied - head) * 1000 + head * 2), 1e-12);
  }
}

/* Everything stored is fetched once, but rows of the embedding that nobody asks for; and experts nobody visits. */
static void weights_are_read_once(void **state) {
  (void)state;
  for (int i = 0; i < w->nmodel; i++) {
    const struct model *m = &w->model[i];
    struct operations_in in = input(m, PHASE_DECODE, 1, 100);
    if (!m->decoder || m->vocab == 0) continue;
    struct operations_params p = operations_params(m);
    double rows = ((double)m->vocab * (m->tied ? 0 : 1) + m->positions) * m->hidden;
    double looked_up = (1 + (m->positions > 0)) * (double)m->hidden;
    if (!near_enough(sum_of(&in, false).weight, 2 * (p.active - rows + looked_up), 1e-9))
      fail_msg("%s reads %.9g, not %.9g", m->id, sum_of(&in, false).weight, 2 * (p.active - rows + looked_up));
    in.batch = 1e9; /* so many tokens that every expert is touched */
    double all = 2 * (p.total - rows + looked_up * 1e9);
    NEAR(sum_of(&in, false).weight, all, 1e-6);
  }
}

static void cache_is_the_models(void **state) {
  (void)state;
  for (int i = 0; i < w->nmodel; i++) {
    const struct model *m = &w->model[i];
    struct operations_in in = input(m, PHASE_DECODE, 3, 1000);
    double token = isnan(m->kv_byte_per_token) ? 0 : m->kv_byte_per_token;
    in.fused = true;
    if (!m->decoder) {
      assert_true(sum_of(&in, false).kv >= 0);
      continue;
    }
    if (m->window > 0 && m->window < 1000) continue;
    /* Read once for each sequence, and one token more written. */
    if (!near_enough(sum_of(&in, false).kv, 3 * token * 1001, 1e-12)) fail_msg("%s: %.9g of cache", m->id, sum_of(&in, false).kv);
    in.phase = PHASE_TRAINING;
    in.fused = false;
    struct operation list[OPERATIONS_MAX];
    int n = operations_of(&in, list);
    for (int k = 0; k < n; k++)
      if (list[k].class == CLASS_PRODUCT) assert_true(list[k].kv_byte == 0); /* training keeps no cache */
  }
}

static void windows(void **state) {
  (void)state;
  struct operation list[OPERATIONS_MAX];
  struct operations_in in = input(model_of("gemma-2-9b"), PHASE_DECODE, 1, 8192);
  int n = operations_of(&in, list);
  const struct operation *all = find(list, n, OPERATION_SCORES, false), *some = find(list, n, OPERATION_WINDOW_SCORES, false);
  assert_true(all->count == 21 && some->count == 21);
  NEAR(all->flop, 2 * some->flop, 1e-12); /* half of 8192 is the window */
  in.phase = PHASE_PREFILL;
  n = operations_of(&in, list);
  NEAR(find(list, n, OPERATION_WINDOW_SCORES, false)->flop, 2.0 * 256 * 16 * 8192 * 4096, 1e-12);
  in.masked = true;
  n = operations_of(&in, list);
  all = find(list, n, OPERATION_SCORES, false), some = find(list, n, OPERATION_WINDOW_SCORES, false);
  double pairs = 0, windowed = 0;
  for (int q = 1; q <= 8192; q++) pairs += q, windowed += q < 4096 ? q : 4096;
  NEAR(all->flop, 2.0 * 256 * 16 * pairs, 1e-12);
  NEAR(some->flop, 2.0 * 256 * 16 * windowed, 1e-12);
  in.model = model_of("mistral-7b-v0.1");
  n = operations_of(&in, list);
  for (int i = 0; i < n; i++) assert_true(list[i].kind != OPERATION_SCORES);
  assert_true(find(list, n, OPERATION_WINDOW_SCORES, false)->count == 32);
}

/* Intensity of attention on 16-bit values: one head of 4096 tokens, 128 wide, 62.06 with its scores in memory, 2048 without; decode reads
 * each key and value for as many queries as share it. */
static void attention_intensity(void **state) {
  (void)state;
  struct operation list[OPERATIONS_MAX];
  struct operations_in in = input(model_of("llama-2-7b"), PHASE_PREFILL, 1, 4096);
  int n = operations_of(&in, list);
  const struct operation *s = find(list, n, OPERATION_SCORES, false), *x = find(list, n, OPERATION_SOFTMAX, false),
                         *v = find(list, n, OPERATION_VALUES, false);
  assert_true(rounds_to((s->flop + v->flop) / (s->byte + x->byte + v->byte), "62.06"));
  in.fused = true;
  n = operations_of(&in, list);
  const struct operation *f = find(list, n, OPERATION_ATTENTION, false);
  assert_true(rounds_to((f->flop - 5.0 * 4096 * 4096 * 32) / f->byte, "2048"));
  in.model = model_of("llama-3-70b"), in.phase = PHASE_DECODE, in.context = 100000;
  n = operations_of(&in, list);
  f = find(list, n, OPERATION_ATTENTION, false);
  assert_true(rounds_to((f->flop - 5.0 * 100000 * 64) / f->byte, "8.00"));
}

/* Published counts. */
static void published(void **state) {
  (void)state;
  struct operation list[OPERATIONS_MAX];
  struct operations_in in = input(model_of("resnet-50"), PHASE_PREFILL, 1, 1);
  assert_true(rounds_to(sum_of(&in, false).product / 2, "4.089e9")); /* multiply-adds of a picture */
  in.model = model_of("vit-b-16");
  struct sum vit = sum_of(&in, false);
  int n = operations_of(&in, list);
  double scores = find(list, n, OPERATION_SCORES, false)->flop + find(list, n, OPERATION_VALUES, false)->flop;
  assert_true(rounds_to((vit.product + 12 * scores) / 2, "17.56e9"));
  /* A model of 13 billion, by parts. */
  in = input(model_of("llama-2-13b"), PHASE_PREFILL, 1, 1);
  n = operations_of(&in, list);
  double ffn = find(list, n, OPERATION_GATE, false)->params + find(list, n, OPERATION_UP, false)->params +
               find(list, n, OPERATION_DOWN, false)->params;
  double att = find(list, n, OPERATION_Q, false)->params + find(list, n, OPERATION_K, false)->params +
               find(list, n, OPERATION_V, false)->params + find(list, n, OPERATION_OUTPUT, false)->params;
  assert_true(rounds_to(40 * ffn, "8.493e9") && rounds_to(40 * att, "4.194e9"));
  assert_true(rounds_to(find(list, n, OPERATION_EMBED, false)->params + find(list, n, OPERATION_HEAD, false)->params, "0.328e9"));
  /* 70 billion. */
  in.model = model_of("llama-3-70b");
  n = operations_of(&in, list);
  ffn = find(list, n, OPERATION_GATE, false)->params + find(list, n, OPERATION_UP, false)->params +
        find(list, n, OPERATION_DOWN, false)->params;
  att = find(list, n, OPERATION_Q, false)->params + find(list, n, OPERATION_K, false)->params + find(list, n, OPERATION_V, false)->params +
        find(list, n, OPERATION_OUTPUT, false)->params;
  assert_true(rounds_to(80 * ffn, "56.37e9") && rounds_to(80 * att, "12.08e9"));
  /* Attention costs as much as its own four projections at twice the width. */
  struct model mha = *model_of("llama-2-7b");
  in = input(&mha, PHASE_PREFILL, 1, 8192);
  n = operations_of(&in, list);
  double four = 4 * find(list, n, OPERATION_Q, false)->flop,
         core = find(list, n, OPERATION_SCORES, false)->flop + find(list, n, OPERATION_VALUES, false)->flop;
  NEAR(four, core, 1e-12);
  /* A model of the textbook: D 4096, F 4D, V 32000, 64 layers, gated: 17.44e9, a quarter of it attention. */
  mha.layers = 64, mha.ffn = 4 * 4096;
  assert_true(rounds_to(operations_params(&mha).total, "17.44e9"));
  /* Training by the formula of Narayanan: 72 B L s h² (1 + s/6h + V/12hL) FLOP, plain feed-forward four times as wide. */
  struct model gpt = *model_of("gpt-3-175b");
  in = input(&gpt, PHASE_TRAINING, 64, 2048);
  struct sum t = sum_of(&in, false);
  n = operations_of(&in, list);
  double soft = 96 * (find(list, n, OPERATION_SOFTMAX, false)->flop + find(list, n, OPERATION_SOFTMAX, true)->flop);
  double h = 12288, s = 2048, tokens = 64 * s, formula = 72 * tokens * 96 * h * h * (1 + s / (6 * h) + 51200 / (12 * h * 96));
  NEAR(t.product + t.attention - soft, formula, 1e-9);
  /* And with layers computed again on the way back: 96 B L s h² (1 + s/6h + V/16hL). */
  in.recompute = true;
  t = sum_of(&in, false);
  n = operations_of(&in, list);
  soft += 96 * find(list, n, OPERATION_SOFTMAX, false)->flop;
  NEAR(t.product + t.attention - soft, 96 * tokens * 96 * h * h * (1 + s / (6 * h) + 51200 / (16 * h * 96)), 1e-9);
}

/* Four models trained on A100s (312 TFLOP/s): the share of the peak that their published step times mean, recomputing not counted. */
static void training_at_scale(void **state) {
  (void)state;
  static const struct {
    int width, heads, layers, devices, batch;
    double step_s;
    const char *share;
  } row[] = {{6144, 64, 48, 8, 4, 1.10, "0.417"},
             {12288, 96, 96, 64, 64, 13.75, "0.514"},
             {20480, 128, 105, 280, 280, 37.83, "0.560"},
             {25600, 160, 128, 512, 512, 71.49, "0.563"}};
  for (int i = 0; i < 4; i++) {
    struct model m = *model_of("gpt-3-175b");
    m.hidden = row[i].width, m.heads = m.kv_heads = row[i].heads, m.head_dim = row[i].width / row[i].heads;
    m.layers = row[i].layers, m.ffn = 4 * row[i].width;
    struct operations_in in = input(&m, PHASE_TRAINING, row[i].batch, 2048);
    struct sum t = sum_of(&in, false);
    double soft = 15.0 * row[i].heads * 2048 * 2048 * row[i].batch * row[i].layers; /* which nobody counts */
    assert_true(rounds_to((t.product + t.attention - soft) / (row[i].step_s * row[i].devices * 312e12), row[i].share));
  }
}

/* 8 experts of 128: one token touches 8, 16 touch 82.4, 64 touch 125.9. */
static void experts(void **state) {
  (void)state;
  struct operation list[OPERATIONS_MAX];
  static const struct {
    double batch;
    const char *touched;
  } row[] = {{1, "8.0"}, {16, "82.4"}, {64, "125.9"}};
  for (int i = 0; i < 3; i++) {
    struct operations_in in = input(model_of("qwen3-30b-a3b"), PHASE_DECODE, row[i].batch, 1);
    int n = operations_of(&in, list);
    assert_true(rounds_to(find(list, n, OPERATION_EXPERT_DOWN, false)->weight_byte / (2.0 * 2048 * 768), row[i].touched));
  }
}

static void fixes_only_take_away(void **state) {
  (void)state;
  for (int i = 0; i < w->nmodel; i++)
    for (int phase = 0; phase < PHASE_N; phase++) {
      struct operations_in in = input(&w->model[i], (enum phase)phase, 4, 128);
      struct sum apart = sum_of(&in, false);
      in.fused = true;
      struct sum fused = sum_of(&in, false);
      assert_true(fused.byte < apart.byte && fused.launches < apart.launches && fused.flop >= apart.flop * (1 - 1e-12));
      NEAR(fused.product, apart.product, 1e-12);
      assert_true(fused.params == apart.params);
      in.fused = false, in.line_use = 0.5;
      struct sum half = sum_of(&in, false);
      assert_true(half.weight == apart.weight);
      NEAR(half.activation, 2 * apart.activation, 1e-12);
      NEAR(half.kv, 2 * apart.kv, 1e-12);
    }
}

/* A model that generates nothing has one pass, whatever is asked; a picture has its own length. */
static void phases(void **state) {
  (void)state;
  struct operations_in in = input(model_of("bert-base-cased"), PHASE_DECODE, 2, 100000);
  assert_int_equal(operations_phase(&in), PHASE_PREFILL);
  assert_true(operations_tokens(&in) == 2 * 512);
  in.model = model_of("vit-b-16");
  assert_true(operations_tokens(&in) == 2 * 197);
  in.model = model_of("resnet-50");
  assert_true(operations_tokens(&in) == 2);
  in.model = model_of("llama-2-7b");
  assert_true(operations_tokens(&in) == 2);
  in.phase = PHASE_TRAINING;
  assert_true(operations_tokens(&in) == 200000);
  struct model nothing = {0};
  struct operation list[OPERATIONS_MAX];
  in.model = &nothing;
  assert_int_equal(operations_of(&in, list), 0);
  assert_true(isnan(operations_params(&nothing).total));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_are_the_models),
      cmocka_unit_test(two_and_six_a_parameter),
      cmocka_unit_test(weights_are_read_once),
      cmocka_unit_test(cache_is_the_models),
      cmocka_unit_test(windows),
      cmocka_unit_test(attention_intensity),
      cmocka_unit_test(published),
      cmocka_unit_test(experts),
      cmocka_unit_test(training_at_scale),
      cmocka_unit_test(fixes_only_take_away),
      cmocka_unit_test(phases),
  };
  return cmocka_run_group_tests(tests, up, down);
}
