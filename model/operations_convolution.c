/* The operations of a network of convolutions: each one, and what follows them all taken together, since it is alike at every size. */
#include <math.h>

#include "model/operations_list.h"

static double size_out(const struct convolution *c) { return ceil((double)c->size / c->stride); }

/* Values of kind `which` over all convolutions, and how many operations bring them forth. */
struct tally {
  double count, values, params;
};

static void tally_add(struct tally *t, double count, double values, double params) {
  t->count += count, t->values += count * values, t->params += count * params;
}

static void tally_put(struct list *l, enum operation_kind kind, struct tally t, struct element e) {
  if (!(t.count > 0)) return;
  e.m = l->in->batch, e.n = t.values / t.count, e.params = t.params / t.count;
  list_element(l, kind, t.count, e);
}

static void convolution(struct list *l, const struct convolution *c, double count) {
  double side = size_out(c), out = (double)c->out / c->groups, k = (double)c->in / c->groups * c->kernel * c->kernel, b = l->in->batch;
  double params = (double)c->out * k, in = b * c->in * c->size * c->size, result = b * c->out * side * side;
  if (c->pool)
    list_element(l, OPERATION_POOL, count,
                 (struct element){.m = b,
                                  .n = c->out * side * side,
                                  .read = (double)c->size * c->size / (side * side),
                                  .write = 1,
                                  .flop = (double)c->kernel * c->kernel});
  else
    list_product(l, OPERATION_CONVOLUTION, count,
                 (struct product){.m = b * side * side,
                                  .n = out,
                                  .k = k,
                                  .copies = c->groups,
                                  .stored = params,
                                  .active = params,
                                  .read = params,
                                  .in = in,
                                  .out = result});
}

struct operation operations_convolution(const struct operations_in *in, const struct convolution *c) {
  struct operation one[OPERATIONS_MAX];
  struct list l = {.in = in, .out = one, .phase = PHASE_PREFILL};
  convolution(&l, c, 1);
  list_close(&l);
  return one[0];
}

void list_convolutions(struct list *l) {
  const struct model *m = l->in->model;
  struct tally norm = {0}, relu = {0}, add = {0};
  for (int i = 0; i < m->nconvolution; i++) {
    const struct convolution *c = &m->convolution[i];
    double values = c->out * size_out(c) * size_out(c);
    convolution(l, c, c->count);
    l->out[l->n - 1].convolution = i;
    if (c->pool) continue;
    tally_add(&norm, c->count, values, 2.0 * c->out);
    if (!c->linear) tally_add(&relu, c->count, values, 0);
    if (c->adds) tally_add(&add, c->count, values, 0);
  }
  /* Inference only scales and shifts; training takes mean and deviation of the batch. */
  tally_put(l, OPERATION_BATCH_NORM, norm,
            (struct element){.read = 1,
                             .write = 1,
                             .flop = l->phase == PHASE_TRAINING ? 8 : 2,
                             .fuses = true,
                             .backward_flop = 2,
                             .backward_moved = 3,
                             .backward_rides = 1});
  tally_put(l, OPERATION_RELU, relu,
            (struct element){.read = 1, .write = 1, .flop = 1, .fuses = true, .backward_moved = 3, .backward_rides = 1});
  tally_put(l, OPERATION_ADD, add, (struct element){.read = 2, .write = 1, .flop = 1, .fuses = true, .rides = 1});
  const struct convolution *last = &m->convolution[m->nconvolution - 1];
  double side = size_out(last), classes = m->classes, d = last->out;
  if (!(classes > 0) || l->again) return;
  list_element(l, OPERATION_POOL, 1, (struct element){.m = l->in->batch, .n = d, .read = side * side, .write = 1, .flop = side * side});
  list_product(l, OPERATION_HEAD, 1,
               (struct product){
                   .m = l->in->batch, .n = classes, .k = d, .stored = classes * (d + 1), .active = classes * d, .read = classes * (d + 1)});
}
