#include "model/operations.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "model/operations_list.h"
#include "model/step.h"

const char *phase_name(enum phase p) {
  static const char *const name[PHASE_N] = {"prefill", "decode", "training"};
  return name[p];
}

static const struct {
  const char *name;
  enum operation_class class;
} kind_table[OPERATION_N] = {
    [OPERATION_PATCH] = {"patches", CLASS_PRODUCT},
    [OPERATION_EMBED] = {"embedding", CLASS_ELEMENT},
    [OPERATION_NORM_EMBED] = {"norm, first", CLASS_ELEMENT},
    [OPERATION_NORM_ATTENTION] = {"norm 1", CLASS_ELEMENT},
    [OPERATION_Q] = {"query", CLASS_PRODUCT},
    [OPERATION_K] = {"key", CLASS_PRODUCT},
    [OPERATION_V] = {"value", CLASS_PRODUCT},
    [OPERATION_Q_DOWN] = {"query down", CLASS_PRODUCT},
    [OPERATION_Q_UP] = {"query up", CLASS_PRODUCT},
    [OPERATION_KV_DOWN] = {"key+value down", CLASS_PRODUCT},
    [OPERATION_K_UP] = {"key up", CLASS_PRODUCT},
    [OPERATION_V_UP] = {"value up", CLASS_PRODUCT},
    [OPERATION_NORM_HEAD] = {"norm of heads", CLASS_ELEMENT},
    [OPERATION_ROTATE] = {"rotate", CLASS_ELEMENT},
    [OPERATION_SCORES] = {"scores", CLASS_ATTENTION},
    [OPERATION_SOFTMAX] = {"softmax", CLASS_ATTENTION},
    [OPERATION_VALUES] = {"weigh values", CLASS_ATTENTION},
    [OPERATION_WINDOW_SCORES] = {"scores, window", CLASS_ATTENTION},
    [OPERATION_WINDOW_SOFTMAX] = {"softmax, wind.", CLASS_ATTENTION},
    [OPERATION_WINDOW_VALUES] = {"values, window", CLASS_ATTENTION},
    [OPERATION_ATTENTION] = {"attention", CLASS_ATTENTION},
    [OPERATION_WINDOW_ATTENTION] = {"att., window", CLASS_ATTENTION},
    [OPERATION_OUTPUT] = {"output", CLASS_PRODUCT},
    [OPERATION_NORM_ATTENTION_AFTER] = {"norm 1, after", CLASS_ELEMENT},
    [OPERATION_ADD_ATTENTION] = {"add 1", CLASS_ELEMENT},
    [OPERATION_NORM_FFN] = {"norm 2", CLASS_ELEMENT},
    [OPERATION_GATE] = {"gate", CLASS_PRODUCT},
    [OPERATION_UP] = {"up", CLASS_PRODUCT},
    [OPERATION_ACTIVATION] = {"activation", CLASS_ELEMENT},
    [OPERATION_DOWN] = {"down", CLASS_PRODUCT},
    [OPERATION_ROUTER] = {"router", CLASS_PRODUCT},
    [OPERATION_EXPERT_GATE] = {"experts' gate", CLASS_PRODUCT},
    [OPERATION_EXPERT_UP] = {"experts' up", CLASS_PRODUCT},
    [OPERATION_EXPERT_ACTIVATION] = {"experts' act.", CLASS_ELEMENT},
    [OPERATION_EXPERT_DOWN] = {"experts' down", CLASS_PRODUCT},
    [OPERATION_EXPERT_SUM] = {"experts' sum", CLASS_ELEMENT},
    [OPERATION_SHARED_GATE] = {"shared gate", CLASS_PRODUCT},
    [OPERATION_SHARED_UP] = {"shared up", CLASS_PRODUCT},
    [OPERATION_SHARED_ACTIVATION] = {"shared act.", CLASS_ELEMENT},
    [OPERATION_SHARED_DOWN] = {"shared down", CLASS_PRODUCT},
    [OPERATION_NORM_FFN_AFTER] = {"norm 2, after", CLASS_ELEMENT},
    [OPERATION_ADD_FFN] = {"add 2", CLASS_ELEMENT},
    [OPERATION_NORM_FINAL] = {"norm, last", CLASS_ELEMENT},
    [OPERATION_POOLER] = {"pooler", CLASS_PRODUCT},
    [OPERATION_HEAD] = {"head", CLASS_PRODUCT},
    [OPERATION_CONVOLUTION] = {"convolution", CLASS_PRODUCT},
    [OPERATION_POOL] = {"pool", CLASS_ELEMENT},
    [OPERATION_BATCH_NORM] = {"batch norm", CLASS_ELEMENT},
    [OPERATION_RELU] = {"relu", CLASS_ELEMENT},
    [OPERATION_ADD] = {"add", CLASS_ELEMENT},
    [OPERATION_UPDATE] = {"update", CLASS_UPDATE},
};

const char *operation_name(enum operation_kind k) {
  assert(k >= 0 && k < OPERATION_N);
  return kind_table[k].name;
}

const char *operation_class_name(enum operation_class c) {
  static const char *const name[CLASS_N] = {"products", "attention", "element-wise", "update"};
  return name[c];
}

enum phase operations_phase(const struct operations_in *in) {
  return in->phase == PHASE_DECODE && !in->model->decoder ? PHASE_PREFILL : in->phase;
}

/* Pictures have as many patches as they have; an encoder takes no more than its positions. */
static double context_of(const struct operations_in *in) {
  const struct model *m = in->model;
  if (m->nconvolution > 0) return 1;
  if (m->patch > 0) return m->positions;
  if (!m->decoder && m->max_context > 0) return fmin(in->context, m->max_context);
  return in->context;
}

double operations_tokens(const struct operations_in *in) {
  return operations_phase(in) == PHASE_DECODE ? in->batch : in->batch * context_of(in);
}

/* ---- the list as it is built ---- */

struct operation *list_put(struct list *l, enum operation_kind kind, double count) {
  assert(l->n < OPERATIONS_MAX);
  struct operation *o = &l->out[l->n++];
  *o = (struct operation){
      .kind = kind, .class = kind_table[kind].class, .again = l->again, .convolution = -1, .count = count, .copies = 1, .launches = 1};
  return o;
}

/* Rows of weights that are read: all of them, or of the experts those that are touched. */
void list_product(struct list *l, enum operation_kind kind, double count, struct product p) {
  struct operation *o = list_put(l, kind, count);
  double copies = p.copies > 0 ? p.copies : 1, stored = p.stored >= 0 ? p.stored : 0;
  double in = p.m * p.k * copies, out = p.m * p.n * copies;
  o->m = p.m, o->n = p.n, o->k = p.k, o->copies = copies;
  o->params = stored;
  o->params_active = p.active;
  o->backward = l->backward;
  o->flop = 2 * p.m * p.n * p.k * copies;
  if (p.in > 0) in = p.in;
  if (p.out > 0) out = p.out;
  o->weight_byte = p.read * l->in->weight_byte;
  if (l->backward) {
    o->flop *= 2;
    o->weight_byte *= 2; /* read for the gradient of what came in; the weights' own gradient written */
    o->activation_byte = 2 * (in + out) * l->in->activation_byte;
  } else if (p.cached) {
    o->activation_byte = in * l->in->activation_byte;
    o->kv_byte = out * l->in->kv_byte;
  } else
    o->activation_byte = (in + out) * l->in->activation_byte;
}

void list_element(struct list *l, enum operation_kind kind, double count, struct element e) {
  struct operation *o = list_put(l, kind, count);
  double flop = e.flop, moved = e.read + e.write, rides = e.rides;
  if (l->backward) {
    flop *= e.backward_flop > 0 ? e.backward_flop : 1;
    moved = e.backward_moved > 0 ? e.backward_moved : moved;
    rides = e.backward_rides;
  }
  if (l->in->fused && e.fuses) {
    moved = rides;
    o->launches = 0;
  }
  o->m = e.m, o->n = e.n, o->k = e.read;
  o->params = e.params;
  o->params_active = e.params;
  o->backward = l->backward;
  o->flop = e.m * e.n * flop;
  o->weight_byte = e.params * l->in->weight_byte * (l->backward ? 2 : 1);
  o->activation_byte = e.m * e.n * moved * l->in->activation_byte;
}

void list_close(struct list *l) {
  for (int i = 0; i < l->n; i++) {
    struct operation *o = &l->out[i];
    o->activation_byte /= l->in->line_use;
    o->kv_byte /= l->in->line_use;
    o->byte = o->weight_byte + o->kv_byte + o->activation_byte;
  }
}

/* ---- a pass ---- */

static bool known(const struct model *m) {
  if (m->nconvolution > 0) return true;
  return m->layers > 0 && m->hidden > 0 && m->heads > 0 && (m->kv_heads > 0 || m->kv_rank > 0) && m->head_dim > 0 &&
         (m->ffn > 0 || m->experts > 0);
}

int operations_of(const struct operations_in *in, struct operation out[OPERATIONS_MAX]) {
  const struct model *m = in->model;
  enum phase phase = operations_phase(in);
  struct list l = {.in = in, .out = out, .phase = phase, .sequence = context_of(in), .tokens = operations_tokens(in)};
  if (!known(m)) return 0;
  enum { FORWARD, AGAIN, BACKWARD };
  for (int pass = FORWARD; pass <= (phase == PHASE_TRAINING ? BACKWARD : FORWARD); pass++) {
    if (pass == AGAIN && !in->recompute) continue;
    l.again = pass == AGAIN;
    l.backward = pass == BACKWARD;
    if (m->nconvolution > 0)
      list_convolutions(&l);
    else
      list_transformer(&l);
  }
  if (phase == PHASE_TRAINING && in->update_byte > 0) {
    struct operation *o = list_put(&l, OPERATION_UPDATE, 1);
    double params = operations_params(m).total;
    o->m = 1, o->n = params, o->flop = 12 * params, o->weight_byte = in->update_byte * params;
  }
  list_close(&l);
  return l.n;
}

static bool per_token(const struct operation *o) {
  return o->class == CLASS_PRODUCT && o->kind != OPERATION_PATCH && o->kind != OPERATION_POOLER;
}

struct operations_params operations_params(const struct model *m) {
  struct operation list[OPERATIONS_MAX];
  struct operations_in in = {.model = m, .phase = PHASE_PREFILL, .batch = 1, .context = 1, .line_use = 1};
  struct operations_params p = {0};
  int n = operations_of(&in, list);
  if (n == 0) return (struct operations_params){NAN, NAN, NAN};
  for (int i = 0; i < n; i++) {
    const struct operation *o = &list[i];
    double share = o->m > 0 && m->experts > 0 && o->kind >= OPERATION_EXPERT_GATE && o->kind <= OPERATION_EXPERT_DOWN
                       ? (double)m->top_k / m->experts
                       : 1;
    p.total += o->count * o->params;
    p.active += o->count * o->params * share;
    if (per_token(o) && !(o->kind == OPERATION_HEAD && m->classes > 0 && m->nconvolution == 0)) p.matmul += o->count * o->params_active;
  }
  return p;
}
