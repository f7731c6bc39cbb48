/* The layers scene's tables: the operations by time, what waits by four measures, the fixes, time against batch and context, convolutions.
 */
#include <math.h>

#include "scenes/layers_measured.h"

static struct fact number(const char *name, const char *unit, double v, const char *meaning) {
  return (struct fact){.name = name, .unit = unit, .value = v, .meaning = meaning};
}

static struct fact word(const char *name, const char *w, const char *meaning) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = w, .meaning = meaning};
}

static int row_operation(const struct layers *l, int row, struct fact *f) {
  const struct profile *p = &l->profile;
  if (row >= p->n) return 0;
  const struct profile_op *o = &p->op[p->order[row]];
  const struct operation *op = &o->op;
  int n = 0;
  f[n++] = number("place", "n", row + 1, "By time: operation=N picks it.");
  f[n++] = word("operation", layers_name(l, op), "What is done.");
  f[n++] = word("pass",
                op->class == CLASS_UPDATE ? "update"
                : op->backward            ? "backward"
                : op->again               ? "again"
                                          : "forward",
                "In which direction.");
  f[n++] = word("class", operation_class_name(op->class), "Of which kind it is.");
  f[n++] = number("count", "n", op->count, "How many of it.");
  f[n++] = number("m", "n", op->m, "Rows.");
  f[n++] = number("n", "n", op->n, "Values of a row of the result.");
  f[n++] = number("k", "1", op->k, "Length of each dot product; element-wise: values read for each.");
  f[n++] = number("copies", "n", op->copies, "Products of that shape in one: heads, planes.");
  f[n++] = number("params", "n", op->params, "Parameters one of it owns.");
  f[n++] = number("flop", "flop", op->flop, "Arithmetic of one of it.");
  f[n++] = number("weight_byte", "byte", op->weight_byte, "Bytes of weights one of it moves.");
  f[n++] = number("kv_byte", "byte", op->kv_byte, "Bytes of keys and values.");
  f[n++] = number("activation_byte", "byte", op->activation_byte, "Bytes of what goes in and out.");
  f[n++] = number("flop_per_byte", "flop/byte", isfinite(o->flop_per_byte) ? o->flop_per_byte : NAN,
                  "Intensity at main memory; unknown when it is fused: it moves nothing of its own.");
  f[n++] = word("bound", bound_name(o->bound), "What decides how long it takes.");
  f[n++] = number("attainable_flop_per_s", "flop/s", o->attainable_flop_per_s, "The roof above it.");
  f[n++] = number("time", "s", o->time, "Least time of all of it.");
  f[n++] = number("share", "%", o->time / p->total.time, "Its share of the time.");
  return n;
}

static int row_count(const struct layers *l, int row, struct fact *f) {
  static const char *const name[] = {"operations", "FLOP", "bytes", "time"};
  const struct profile_sum *t = &l->profile.total, *c = l->profile.class;
  if (row >= 4 || l->profile.n == 0) return 0;
  double all[] = {t->count, t->flop, t->byte, t->time}, wait[] = {t->memory_count, t->memory_flop, t->memory_byte, t->memory_time};
  f[0] = word("by", name[row], "What is counted.");
  f[1] = number("waiting", "%", isnan(t->time) ? NAN : wait[row] / all[row], "Share of operations that wait for memory.");
  f[2] = number("calculating", "%", isnan(t->time) ? NAN : 1 - wait[row] / all[row], "Share of those that calculate.");
  for (int i = 0; i < CLASS_N; i++) {
    double of[] = {c[i].count, c[i].flop, c[i].byte, c[i].time};
    static const char *const head[CLASS_N] = {"products", "attention", "element_wise", "update"};
    f[3 + i] = number(head[i], "%", of[row] / all[row], "Share of this kind of operation.");
  }
  return 3 + CLASS_N;
}

static int row_fix(const struct layers *l, int row, struct fact *f) {
  if (row >= FIX_N || l->profile.n == 0) return 0;
  struct profile_in in = profile_fixed(&l->plain, (enum fix)row);
  struct profile p;
  profile_of(&in, &p);
  f[0] = word("fix", fix_name((enum fix)row), "fix=NAME tries it.");
  f[1] = word("what", fix_words((enum fix)row), "What is done.");
  f[2] = number("time", "s", p.total.time, "Least time of one pass then.");
  f[3] = number("time_per_token", "s", p.total.time / p.tokens, "For each token.");
  f[4] = number("gain", "x", profile_gain(&l->plain, (enum fix)row), "How many times faster a token is made: 1 is nothing.");
  f[5] = number("waiting", "%", p.total.memory_time / p.total.time, "Share of the time that then waits for memory.");
  f[6] = number("launches", "n", p.total.launches, "Kernels started then.");
  return 7;
}

/* Batches first, then contexts, by fours. */
enum { GROW_ROWS = 9 };
static int row_grow(const struct layers *l, int row, struct fact *f) {
  if (row >= 2 * GROW_ROWS || l->profile.n == 0) return 0;
  bool batch = row < GROW_ROWS;
  double at = pow(4, row % GROW_ROWS);
  struct profile p;
  if (!batch) at *= 16;
  layers_at(l, batch ? at : l->in.work.batch, batch ? l->in.work.context : at, &p);
  f[0] = word("varied", batch ? "batch" : "context", "What is varied; the other stays as it is.");
  f[1] = number("at", "n", at, "Its value.");
  f[2] = number("tokens", "n", p.tokens, "Tokens of one pass.");
  f[3] = number("time", "s", p.total.time, "Least time of one pass.");
  f[4] = number("time_per_token", "s", p.total.time / p.tokens, "For each token.");
  f[5] = number("products", "%", p.class[CLASS_PRODUCT].time / p.total.time, "Share of products with weights.");
  f[6] = number("attention", "%", p.class[CLASS_ATTENTION].time / p.total.time, "Share of attention.");
  f[7] = number("element_wise", "%", p.class[CLASS_ELEMENT].time / p.total.time, "Share of element-wise operations.");
  f[8] = number("waiting", "%", p.total.memory_time / p.total.time, "Share of the time that waits for memory.");
  return 9;
}

static int row_conv(const struct layers *l, int row, struct fact *f) {
  if (row >= layers_convs(l)) return 0;
  struct layers_conv c = layers_conv_of(l, row);
  double separable = c.separable ? c.depth.time + c.point.time : NAN;
  f[0] = word("convolution", c.whole->name, "Its name in the network.");
  f[1] = number("count", "n", c.whole->count, "How many of it.");
  f[2] = number("kernel", "n", c.whole->kernel, "Side of the filter.");
  f[3] = number("in", "n", c.whole->in, "Planes that go in.");
  f[4] = number("out", "n", c.whole->out, "Planes that come out.");
  f[5] = number("size", "n", c.whole->size, "Height and width of a plane that goes in.");
  f[6] = number("flop", "flop", c.plain.op.flop, "Arithmetic of one of it.");
  f[7] = number("byte", "byte", c.plain.op.byte, "Bytes of one of it.");
  f[8] = number("flop_per_byte", "flop/byte", c.plain.flop_per_byte, "Intensity at main memory.");
  f[9] = word("bound", bound_name(c.plain.bound), "What decides.");
  f[10] = number("time", "s", c.plain.time, "Least time of one of it.");
  f[11] = number("depthwise_flop_per_byte", "flop/byte", c.separable ? c.depth.flop_per_byte : NAN, "Intensity of one filter a plane.");
  f[12] = word("depthwise_bound", c.separable ? bound_name(c.depth.bound) : "", "What decides there.");
  f[13] = number("separable_time", "s", separable, "Least time of one filter a plane and the 1x1 after it.");
  f[14] =
      number("less_arithmetic", "x", c.separable ? c.plain.op.flop / (c.depth.op.flop + c.point.op.flop) : NAN, "FLOP saved, as a ratio.");
  f[15] = number("less_time", "x", c.plain.time / separable, "Time saved, as a ratio.");
  return 16;
}

int layers_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  struct layers l;
  if (row < 0) return 0;
  layers_of(w, s, &l);
  switch (l.view) {
  case VIEW_COUNT: return row_count(&l, row, out);
  case VIEW_FIX: return row_fix(&l, row, out);
  case VIEW_GROW: return row_grow(&l, row, out);
  case VIEW_CONV: return row_conv(&l, row, out);
  case VIEW_BLOCK: return layers_block_row(w, s, &l, row, out);
  default: return row_operation(&l, row, out);
  }
}
