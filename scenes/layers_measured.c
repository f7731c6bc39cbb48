#include "scenes/layers_measured.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"

/* What is run must end soon and fit: our choice. Where the machine is not measured yet, it is taken to be slow. */
static const double SECONDS_MOST = 0.15, TOKENS_MOST = 512, CONTEXT_MOST = 2048, SEQUENCES_MOST = 32;
static const double SLOW_FLOP_PER_S = 2e10, SLOW_BYTE_PER_S = 1e10, SMALL_BYTE = 1e9;

static double known_or(double v, double other) { return v > 0 ? v : other; }

/* The model's own layer, as far as the block can be it. */
static bool block_model(const struct layers *l, struct layers_block *b) {
  const struct model *m = l->model;
  if (m->hidden <= 0 || m->heads <= 0 || m->head_dim <= 0 || m->nconvolution > 0) return false;
  bool expert = m->experts > 0 && m->expert_ffn > 0;
  double ffn = expert ? (double)(m->top_k + m->shared_experts) * m->expert_ffn : m->ffn, kv = m->kv_heads > 0 ? m->kv_heads : m->heads;
  enum phase phase = operations_phase(&l->plain.work);
  double context = fmax(1, l->plain.work.context), sequences = fmax(1, l->plain.work.batch);
  if (!(ffn > 0) || fmod(m->heads, kv) != 0) return false;
  if (m->max_context > 0 && phase != PHASE_DECODE) context = fmin(context, m->max_context);
  b->whole = (struct block){.hidden = m->hidden,
                            .heads = m->heads,
                            .kv_heads = kv,
                            .head_dim = m->head_dim,
                            .ffn = ffn,
                            .sequences = sequences,
                            .tokens = phase == PHASE_DECODE ? 1 : context,
                            .context = context,
                            .gated = m->gated,
                            .training = phase == PHASE_TRAINING};
  b->as = m->q_rank > 0 || m->kv_rank > 0 ? "plain attention heads in place of squeezed ones"
          : expert                        ? "the experts of a token as one, no router"
                                          : "as the model's";
  return true;
}

/* Fewer tokens, then narrower by powers of two, until it fits in memory and ends soon. */
static void block_scale(struct layers_block *b) {
  const struct machine *m = &b->here->machine;
  double peak = known_or(ladder_peak(b->here, DTYPE_FP32, ISA_AUTO, 0), SLOW_FLOP_PER_S);
  double rate = known_or(ladder_memory_rate(b->here), SLOW_BYTE_PER_S);
  double room = m->memory_cap_byte > 0 ? fmin(m->memory_cap_byte / 2, SMALL_BYTE) : SMALL_BYTE / 2;
  struct block fewer = b->whole;
  if (fewer.tokens == 1) {
    fewer.sequences = fmin(fewer.sequences, SEQUENCES_MOST);
    fewer.context = fmin(fewer.context, CONTEXT_MOST);
  } else {
    fewer.tokens = fewer.context = fmin(fewer.tokens, TOKENS_MOST);
    fewer.sequences = fmin(fewer.sequences, fmax(1, floor(TOKENS_MOST / fewer.tokens)));
  }
  b->fewer = b->whole.sequences * fmax(b->whole.tokens, 1) / (fewer.sequences * fewer.tokens);
  for (b->narrower = 1;; b->narrower *= 2) {
    b->run = block_narrowed(&fewer, b->narrower);
    struct work w = block_work(&b->run, DTYPE_FP32);
    bool fits = block_elements(&b->run) * dtype_byte(DTYPE_FP32) <= room, soon = w.flop / peak + w.byte / rate <= SECONDS_MOST;
    if ((fits && soon) || b->narrower >= 64) return;
  }
}

static void block_sort(struct layers_block *b) {
  for (int i = 0; i < b->n; i++) {
    double time = isnan(layers_block_inside(b, i)) ? b->predicted[i] : layers_block_inside(b, i);
    int at = i;
    for (; at > 0; at--) {
      int other = b->order[at - 1];
      double theirs = isnan(layers_block_inside(b, other)) ? b->predicted[other] : layers_block_inside(b, other);
      if (!(time > theirs)) break;
      b->order[at] = other;
    }
    b->order[at] = i;
  }
}

double layers_block_inside(const struct layers_block *b, int part) { return b->ran && b->ran->nparts == b->n ? b->ran->inside[part] : NAN; }
double layers_block_alone(const struct layers_block *b, int part) { return b->ran && b->ran->nparts == b->n ? b->ran->alone[part] : NAN; }

void layers_block_of(const struct world *w, const struct setup *s, const struct layers *l, struct layers_block *b) {
  (void)s;
  memset(b, 0, sizeof *b);
  b->here = &w->device[DEVICE_HERE];
  b->narrower = b->fewer = b->predicted_sum = b->inside_sum = b->alone_sum = b->cache_sum = NAN;
  b->as = "not a transformer, or its shape is not known";
  if (!(b->known = block_model(l, b))) return;
  block_scale(b);
  b->request = (struct request){.op = b->run.training ? OP_BLOCK_TRAIN : OP_BLOCK, .shape = block_shape(&b->run), .dtype = DTYPE_FP32};
  b->ran = run_find(w, &b->request, w->machine);
  if (b->ran && isnan(run_time(b->ran))) b->ran = NULL;
  b->n = block_parts(&b->run, DTYPE_FP32, b->part);
  double peak = ladder_peak(b->here, DTYPE_FP32, ISA_AUTO, 0);
  double memory = ladder_memory_rate(b->here);
  b->predicted_sum = b->inside_sum = b->alone_sum = b->cache_sum = 0;
  for (int i = 0; i < b->n; i++) {
    int level;
    const struct work *work = &b->part[i].work;
    double rate = ladder_rate(b->here, work->byte, false, 0, &level);
    b->predicted[i] = roof_time_lower(work->flop, work->byte, peak, rate);
    b->bound[i] = roof_bound(work->flop, work->byte, peak, rate);
    b->predicted_sum += b->predicted[i];
    b->inside_sum += layers_block_inside(b, i);
    b->alone_sum += layers_block_alone(b, i);
    /* No cache can cost or save more than bringing all its bytes from main memory. */
    double moved = layers_block_inside(b, i) - layers_block_alone(b, i), most = work->byte_bus / memory;
    b->cache_sum += isnan(most) ? moved : moved > most ? most : moved < -most ? -most : moved;
  }
  block_sort(b);
}

static struct request dispatch_of(void) {
  struct request r = {.op = OP_DISPATCH, .dtype = DTYPE_FP32};
  for (int i = 0; i < SHAPE_N; i++) shape_set(&r.shape, i, NAN);
  return r;
}

int layers_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  struct layers l;
  struct layers_block b;
  layers_of(w, s, &l);
  if (l.view != VIEW_BLOCK) return 0;
  layers_block_of(w, s, &l, &b);
  if (!b.known) return 0;
  out[0] = b.request;
  out[1] = dispatch_of();
  return b.here->machine.threads > 1 ? 2 : 1;
}

/* ---- facts ---- */

enum {
  B_TIME,
  B_PREDICTED,
  B_OF_ROOF,
  B_ALONE,
  B_INSIDE,
  B_DIFFERENCE,
  B_WITHIN,
  B_REASON,
  B_CACHE,
  B_REST,
  B_STARTS,
  B_START,
  B_BACK,
  B_NARROWER,
  B_FEWER,
  B_HIDDEN,
  B_HEADS,
  B_KV_HEADS,
  B_FFN,
  B_SEQUENCES,
  B_TOKENS,
  B_CONTEXT,
  B_AS,
  B_PARAMS,
  B_ROOM,
  B_PARTS,
  B_FLOP,
  B_RATE,
  B_OP,
  B_OP_PASS,
  B_OP_BOUND,
  B_OP_PREDICTED,
  B_OP_INSIDE,
  B_OP_ALONE,
  B_OP_OF_ROOF,
  B_N
};
static const struct fact block_table[B_N] = {
    [B_TIME] = {"block_time", "layer, whole", "s", 1, NULL,
                "One layer run whole on this machine, in fp32, median. Narrower than the model's: see block_narrower.", .measured = true},
    [B_PREDICTED] = {"block_predicted", "at the roofs", "s", 1, NULL,
                     "The sum of what this machine's roofs allow each operation, from the level of memory its bytes fit in."},
    [B_OF_ROOF] = {"block_of_roof", "of the roofs", "%", 1, "block_predicted / block_time", "How near the layer comes to that.",
                   .measured = true},
    [B_ALONE] = {"block_alone_time", "sum, alone", "s", 1, NULL,
                 "Every operation again and again by itself, its operands where it left them; added up.", .measured = true},
    [B_INSIDE] = {"block_inside_time", "sum, in place", "s", 2, NULL,
                  "Every operation where it stands in the layer, after the one before it; added up.", .measured = true},
    [B_DIFFERENCE] = {"block_difference", "whole / sum - 1", "%", 1, "block_time / block_alone_time - 1",
                      "By how much the layer takes longer than its operations alone.", .measured = true},
    [B_WITHIN] = {"block_within", "within 10 %", "", 2, NULL, "Whether the sum of the parts is the whole.", .measured = true},
    [B_REASON] = {"block_reason", NULL, "", 2, NULL, "What the larger share of the difference comes from.", .measured = true},
    [B_CACHE] = {"block_cache_time", "by the caches", "s", 2, NULL,
                 "What operations take more in place than alone, each at most the time its bytes take from main memory. More than 0: "
                 "alone it finds its operands in a cache. Less than 0: the one before left them there.",
                 .measured = true},
    [B_REST] = {"block_rest_time", "by the rest", "s", 2, "block_time - block_alone_time - block_cache_time",
                "What caches cannot explain: looks at the clock, and whoever else was busy.", .measured = true},
    [B_STARTS] = {"block_start_time", "team starts", "s", 2, "block_parts * block_start",
                  "What it costs to start the threads once for every operation: part of all the sums. Needs 2 threads.", .measured = true},
    [B_START] = {"block_start", NULL, "s", 2, NULL, "To start the team once on nothing.", .measured = true},
    [B_BACK] = {"block_back_ratio", "back / forward", "x", 2, NULL,
                "Time of the backward pass over that of the forward one, in place. By arithmetic it is 2.", .measured = true},
    [B_NARROWER] = {"block_narrower", "narrower by", "x", 1, NULL,
                    "Width, feed-forward width and heads are divided by this, so that the layer fits in memory and ends soon: our choice."},
    [B_FEWER] = {"block_fewer", "fewer tokens by", "x", 2, NULL, "And the tokens of a pass by this."},
    [B_HIDDEN] = {"block_hidden", "width run", "n", 2, NULL, "Of the layer that is run."},
    [B_HEADS] = {"block_heads", "heads", "n", 2, NULL, "Of queries."},
    [B_KV_HEADS] = {"block_kv_heads", "kv heads", "n", 2, NULL, "Of keys and values."},
    [B_FFN] = {"block_ffn", "feed-forward", "n", 2, NULL, "Width of the feed-forward part."},
    [B_SEQUENCES] = {"block_sequences", "sequences", "n", 2, NULL, "How many go through."},
    [B_TOKENS] = {"block_tokens", "tokens of each", "n", 2, NULL, "New tokens of each."},
    [B_CONTEXT] = {"block_context", "keys of each", "n", 2, NULL, "Tokens each of them meets: all, as without a mask."},
    [B_AS] = {"block_as", NULL, "", 2, NULL, "How it differs from the model's own layer."},
    [B_PARAMS] = {"block_params", "parameters", "n", 2, NULL, "Of the layer that is run."},
    [B_ROOM] = {"block_byte", "in memory", "byte", 2, NULL, "Weights, activations and gradients of the layer that is run."},
    [B_PARTS] = {"block_parts", "operations", "n", 2, NULL, "Real kernels that make up the layer, backward ones counted."},
    [B_FLOP] = {"block_flop", "arithmetic", "flop", 2, NULL, "Of the layer that is run; softmax, norms and activations by estimate."},
    [B_RATE] = {"block_flop_per_s", "rate", "flop/s", 2, "block_flop / block_time", "What it reached.", .measured = true},
    [B_OP] = {"block_op", "picked", "", 1, NULL, "The operation under the cursor; the longest comes first."},
    [B_OP_PASS] = {"block_op_pass", NULL, "", 2, NULL, "Forward; back to its input; back to its weights."},
    [B_OP_BOUND] = {"block_op_bound", "limited by", "", 2, NULL, "What its roof is made of."},
    [B_OP_PREDICTED] = {"block_op_predicted", "at its roof", "s", 2, NULL, "The least time of it."},
    [B_OP_INSIDE] = {"block_op_inside", "in place", "s", 1, NULL, "What it took where it stands.", .measured = true},
    [B_OP_ALONE] = {"block_op_alone", "alone", "s", 2, NULL, "And alone.", .measured = true},
    [B_OP_OF_ROOF] =
        {"block_op_of_roof", "of its roof", "%", 1, "block_op_predicted / block_op_inside",
         "How near it comes. More than all of it: a nearer cache serves it, or the roofs were measured while others were busy.",
         .measured = true},
};

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

/* Which of the two shares of the difference weighs more, in words. */
static const char *reason_of(const struct layers_block *b) {
  if (!b->ran || isnan(b->alone_sum)) return "not measured yet";
  double difference = run_time(b->ran) - b->alone_sum, rest = difference - b->cache_sum;
  if (fabs(difference) <= 0.1 * b->alone_sum) return "little";
  if (fabs(b->cache_sum) >= fabs(rest))
    return b->cache_sum > 0 ? "the caches: alone, an operation keeps its operands there"
                            : "the caches: each finds what the one before left there";
  return b->ran->flags & FLAG_DISTURBED ? "others who were busy here meanwhile: measure again with m"
                                        : "the moments they ran at: measure again with m";
}

static void facts_picked(const struct layers_block *b, int at, struct fact *f) {
  f[B_OP].word = f[B_OP_PASS].word = "nothing";
  f[B_OP_BOUND].word = bound_name(BOUND_UNKNOWN);
  if (b->n == 0) return;
  int i = b->order[at < b->n ? at : b->n - 1];
  f[B_OP].word = block_op_name(b->part[i].op);
  f[B_OP_PASS].word = block_pass_name(b->part[i].pass);
  f[B_OP_BOUND].word = bound_name(b->bound[i]);
  f[B_OP_PREDICTED].value = b->predicted[i];
  f[B_OP_INSIDE].value = layers_block_inside(b, i);
  f[B_OP_ALONE].value = layers_block_alone(b, i);
  f[B_OP_OF_ROOF].value = over(b->predicted[i], f[B_OP_INSIDE].value);
}

static void facts_shape(const struct layers_block *b, struct fact *f) {
  const struct block *r = &b->run;
  f[B_NARROWER].value = b->narrower;
  f[B_FEWER].value = b->fewer;
  f[B_HIDDEN].value = r->hidden, f[B_HEADS].value = r->heads, f[B_KV_HEADS].value = r->kv_heads, f[B_FFN].value = r->ffn;
  f[B_SEQUENCES].value = r->sequences, f[B_TOKENS].value = r->tokens, f[B_CONTEXT].value = r->context;
  f[B_PARAMS].value = block_parameters(r);
  f[B_ROOM].value = block_elements(r) * dtype_byte(DTYPE_FP32);
  f[B_PARTS].value = b->n;
  f[B_FLOP].value = block_work(r, DTYPE_FP32).flop;
}

static double back_ratio(const struct layers_block *b) {
  double forward = 0, back = 0;
  for (int i = 0; i < b->n; i++) *(b->part[i].pass == PASS_FORWARD ? &forward : &back) += layers_block_inside(b, i);
  return b->run.training ? over(back, forward) : NAN;
}

int layers_block_facts(const struct world *w, const struct setup *s, const struct layers *l, struct fact *f) {
  struct layers_block b;
  layers_block_of(w, s, l, &b);
  facts_begin(f, block_table, B_N, l->view == VIEW_BLOCK);
  f[B_AS].word = b.as;
  f[B_REASON].word = reason_of(&b);
  f[B_WITHIN].word = "not measured";
  facts_picked(&b, (int)s->v[KNOB_OPERATION] - 1, f);
  if (!b.known) return B_N;
  facts_shape(&b, f);
  f[B_PREDICTED].value = b.predicted_sum;
  if (!b.ran) return B_N;
  struct request empty = dispatch_of();
  const struct run *start = run_find(w, &empty, w->machine);
  f[B_TIME].value = run_time(b.ran);
  f[B_ALONE].value = b.alone_sum;
  f[B_INSIDE].value = b.inside_sum;
  f[B_OF_ROOF].value = over(b.predicted_sum, f[B_TIME].value);
  f[B_DIFFERENCE].value = over(f[B_TIME].value, b.alone_sum) - 1;
  if (!isnan(b.alone_sum)) f[B_WITHIN].word = fabs(f[B_DIFFERENCE].value) <= 0.1 ? "yes" : "no";
  f[B_CACHE].value = b.cache_sum;
  f[B_REST].value = f[B_TIME].value - b.alone_sum - b.cache_sum;
  f[B_START].value = start ? run_time(start) : NAN;
  f[B_STARTS].value = b.n * f[B_START].value;
  f[B_BACK].value = back_ratio(&b);
  f[B_RATE].value = over(f[B_FLOP].value, f[B_TIME].value);
  return B_N;
}

static struct fact number(const char *name, const char *unit, double v, const char *meaning) {
  return (struct fact){.name = name, .unit = unit, .value = v, .meaning = meaning};
}

static struct fact word(const char *name, const char *w, const char *meaning) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = w, .meaning = meaning};
}

int layers_block_row(const struct world *w, const struct setup *s, const struct layers *l, int row, struct fact *f) {
  struct layers_block b;
  layers_block_of(w, s, l, &b);
  if (row >= b.n) return 0;
  int i = b.order[row], n = 0;
  const struct block_part *p = &b.part[i];
  double inside = layers_block_inside(&b, i), alone = layers_block_alone(&b, i);
  f[n++] = number("place", "n", row + 1, "By time: operation=N picks it.");
  f[n++] = word("operation", block_op_name(p->op), "What is done.");
  f[n++] = word("pass", block_pass_name(p->pass), "In which direction.");
  f[n++] = word("does", block_op_words(p->op), "Forward, in words.");
  f[n++] = number("products", "n", p->count > 0 ? p->count : NAN, "Matrix products in it.");
  f[n++] = number("m", "n", p->count > 0 ? p->m : NAN, "Rows of each.");
  f[n++] = number("n", "n", p->count > 0 ? p->n : NAN, "Columns of each.");
  f[n++] = number("k", "n", p->count > 0 ? p->k : NAN, "Length of each dot product.");
  f[n++] = number("flop", "flop", p->work.flop, "Arithmetic.");
  f[n++] = number("byte", "byte", p->work.byte, "Each operand and the result once.");
  f[n++] = number("flop_per_byte", "flop/byte", roof_intensity(p->work.flop, p->work.byte), "Intensity.");
  f[n++] = word("bound", bound_name(b.bound[i]), "What decides at the roofs.");
  f[n++] = number("predicted", "s", b.predicted[i], "Least time at this machine's roofs.");
  f[n++] = number("inside", "s", inside, "Measured where it stands.");
  f[n++] = number("alone", "s", alone, "Measured alone.");
  f[n++] = number("of_roof", "%", over(b.predicted[i], inside), "predicted / inside");
  f[n++] = number("share", "%", over(inside, b.inside_sum), "Of the sum of all, in place.");
  for (int k = n - 4; k < n; k++) f[k].measured = true;
  return n;
}

/* ---- in words ---- */

static void add_number(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

void layers_block_verdict(const struct fact *f, int n, struct text *t) {
  double narrower = fact_value(f, n, "block_narrower"), time = fact_value(f, n, "block_time"), alone = fact_value(f, n, "block_alone_time");
  if (isnan(narrower)) {
    text_add(t,
             "There is no such layer to run: this model is no transformer, or its shape is not known. Choose another with the model knob.");
    return;
  }
  text_add(t, narrower > 1 ? "One layer, " : "One layer, as wide as the model's");
  if (narrower > 1) {
    text_count(t, narrower);
    text_add(t, " times narrower so that it fits and ends soon");
  }
  if (isnan(time)) {
    text_add(t, ". Not run yet: m runs it on this machine, whole and operation by operation.");
    return;
  }
  add_number(t, ": ", time, "s", "");
  if (!isnan(fact_value(f, n, "block_of_roof"))) add_number(t, ", the roofs allow ", fact_value(f, n, "block_predicted"), "s", "");
  text_add(t, ". ");
  if (isnan(alone)) return;
  add_number(t, "Its operations alone add up to ", alone, "s", "");
  if (strcmp(fact_word(f, n, "block_within"), "yes") == 0) {
    text_add(t, ": within 10 %, the sum of the parts is the whole.");
    return;
  }
  add_number(t, " (", fact_value(f, n, "block_difference"), "%", "). The difference is due to ");
  text_add(t, fact_word(f, n, "block_reason"));
  text_add(t, ".");
}
