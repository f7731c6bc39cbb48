/* The sentence under the decode scene: what limits this step, and what would and would not help. */
#include <math.h>
#include <string.h>

#include "scenes/decode.h"

static void verdict_unknown(const struct fact *f, int n, struct text *t) {
  if (strcmp(fact_word(f, n, "geometry"), "makes no tokens") == 0)
    text_add(t, "This model does not make its output one token at a time, so it has no decode step. Choose a language model.");
  else if (strcmp(fact_word(f, n, "device"), "here") == 0)
    text_add(t, "The roofs of this machine are not measured yet. R measures them in about three seconds.");
  else
    text_add(t, "The sheet does not give both rates for this arithmetic, so nothing can be said. Choose another arithmetic or device.");
}

/* Keys and values take longer than weights: the batch shares nothing of them. */
static void verdict_cache(const struct fact *f, int n, bool room, struct text *t) {
  double context = fact_value(f, n, "ridge_context");
  text_add(t, "Waiting for memory, mostly for keys and values: each sequence reads its own, so a larger batch shares nothing more. Shorter "
              "context or fewer KV bits help.");
  if (!room || !isnan(fact_value(f, n, "ridge_batch"))) return;
  text_add(t, " No batch reaches the ridge");
  if (context > 0) text_add(t, " beyond "), text_count(t, context), text_add(t, " tokens of context");
  text_add(t, ".");
}

static void verdict_weights(const struct fact *f, int n, bool room, struct text *t) {
  double batch = fact_value(f, n, "tokens_per_step"), ridge = fact_value(f, n, "ridge_batch");
  text_add(t, "Waiting for memory: each weight is read once a step and serves ");
  if (batch == 1)
    text_add(t, "one token");
  else
    text_count(t, batch), text_add(t, " tokens");
  text_add(t, ". Twice the arithmetic changes nothing; faster memory, fewer bits or a larger batch do.");
  if (!room) return;
  if (fact_value(f, n, "kv_byte") == 0 && ridge > batch)
    text_add(t, " Up to batch "), text_count(t, floor(ridge)), text_add(t, ", each user loses almost nothing.");
  else if (isnan(ridge))
    text_add(t, " With this context no batch reaches the ridge.");
}

/* What stands in the way besides speed. Returns whether it said something. */
static bool verdict_room(const struct fact *f, int n, struct text *t) {
  double left = fact_value(f, n, "capacity_left");
  if (!(left < 0)) return false;
  text_add(t, "It does not fit: ");
  text_number(t, -left, "byte");
  text_add(t, " too much. ");
  return true;
}

static bool deadline_missed(const struct fact *f, int n) {
  return fact_value(f, n, "tokens_per_step") > fact_value(f, n, "max_batch_deadline");
}

static void verdict_deadline(const struct fact *f, int n, bool fits, struct text *t) {
  double most = fact_value(f, n, "max_batch_deadline");
  if (!deadline_missed(f, n)) return;
  if (!fits)
    text_add(t, " Nor is the deadline kept.");
  else if (most == 0)
    text_add(t, " The deadline is missed even by one sequence alone.");
  else
    text_add(t, " The deadline is missed: batch "), text_count(t, most), text_add(t, " at most keeps it.");
}

/* Three lines of eighty columns at the most: what limits first, what would help, then what else stands in the way. */
void decode_verdict(const struct fact *f, int n, struct text *t) {
  double over = fact_value(f, n, "memory_over_compute");
  if (isnan(fact_value(f, n, "step_time"))) {
    verdict_unknown(f, n, t);
    return;
  }
  bool fits = !verdict_room(f, n, t), room = fits && !deadline_missed(f, n);
  if (over > 0.9 && over < 1.1)
    text_add(
        t, "At the ridge: reading and calculating take equally long. The most tokens for the least waiting; only faster memory and faster "
           "arithmetic together give more.");
  else if (over < 1)
    text_add(t,
             "Calculating: a larger batch gives no more tokens in all, each user only waits longer. Faster memory changes nothing; faster "
             "arithmetic would help.");
  else if (fact_value(f, n, "kv_byte") > fact_value(f, n, "weight_byte"))
    verdict_cache(f, n, room, t);
  else
    verdict_weights(f, n, room, t);
  verdict_deadline(f, n, fits, t);
}
