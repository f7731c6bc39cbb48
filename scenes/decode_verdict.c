/* The sentence under the decode scene: what limits this step, and what would and would not help. */
#include <math.h>
#include <string.h>

#include "scenes/decode.h"

static void verdict_unknown(const struct fact *f, int n, struct text *t) {
  if (strcmp(fact_word(f, n, "geometry"), "makes no tokens") == 0)
    text_add(t, "This model does not make its output one token at a time, so it has no decode step. Choose a language model.");
  else if (strcmp(fact_word(f, n, "device"), "here") == 0)
    text_add(t, "This machine has no roof yet. Press R to measure it: it takes about three seconds.");
  else
    text_add(t, "The sheet does not give both rates for this arithmetic, so nothing can be said. Choose another arithmetic or device.");
}

static void verdict_memory(const struct fact *f, int n, struct text *t) {
  double batch = fact_value(f, n, "tokens_per_step"), ridge = fact_value(f, n, "ridge_batch"), kv = fact_value(f, n, "kv_byte");
  bool kv_rules = kv > fact_value(f, n, "weight_byte");
  if (kv_rules) {
    text_add(t, "Waiting for memory, for keys and values more than for weights: every sequence reads its own, so a larger batch does not "
                "share them. "
                "Shorter context or fewer KV bits help.");
  } else {
    text_add(t, "Waiting for memory: every weight is read once a step and used for ");
    if (batch == 1)
      text_add(t, "one token, then dropped. ");
    else
      text_count(t, batch), text_add(t, " tokens. ");
    text_add(t, "Twice the arithmetic changes nothing; faster memory, fewer bits or a larger batch give more tokens.");
  }
  if (isnan(ridge)) {
    text_add(t, " No batch reaches the ridge");
    double context = fact_value(f, n, "ridge_context");
    if (context > 0) text_add(t, " beyond "), text_count(t, context), text_add(t, " tokens of context");
    text_add(t, ".");
  } else if (kv == 0)
    text_add(t, " Up to batch "), text_count(t, floor(ridge)), text_add(t, " company costs a user almost nothing.");
}

static void verdict_limits(const struct fact *f, int n, struct text *t) {
  double batch = fact_value(f, n, "tokens_per_step"), most = fact_value(f, n, "max_batch_deadline"),
         left = fact_value(f, n, "capacity_left");
  if (left < 0) {
    text_add(t, " It does not fit: ");
    text_number(t, -left, "byte");
    text_add(t, " too much for this memory; try fewer bits or the fit scene.");
  } else if (most == 0)
    text_add(t, " The deadline is missed even by one sequence alone.");
  else if (batch > most)
    text_add(t, " The deadline is missed: at most batch "), text_count(t, most), text_add(t, " keeps it.");
}

void decode_verdict(const struct fact *f, int n, struct text *t) {
  double over = fact_value(f, n, "memory_over_compute");
  if (isnan(fact_value(f, n, "step_time"))) {
    verdict_unknown(f, n, t);
    return;
  }
  if (over > 0.9 && over < 1.1)
    text_add(t, "At the ridge: reading and calculating take about as long. Most tokens a second for the least waiting; only faster memory "
                "and faster "
                "arithmetic together give more.");
  else if (over > 1)
    verdict_memory(f, n, t);
  else
    text_add(t, "Calculating: all users together get no more from a larger batch, each only waits longer. Faster memory changes nothing; "
                "faster arithmetic "
                "or fewer FLOP a token would.");
  verdict_limits(f, n, t);
}
