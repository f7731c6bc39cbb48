/* reuse_verdict: the sentence under the picture: how many bytes fewer, what that buys, and what it really bought. */
#include <math.h>
#include <string.h>

#include "scenes/reuse.h"

static double value(const struct fact *f, int n, const char *name) { return fact_value(f, n, name); }
static bool bound_is(const struct fact *f, int n, const char *name, const char *what) { return strcmp(fact_word(f, n, name), what) == 0; }

static void add_bytes(const struct fact *f, int n, struct text *t, const char *between) {
  text_number(t, value(f, n, "byte"), "byte");
  text_add(t, between);
  text_number(t, value(f, n, "before_byte"), "byte");
}

/* What the gain is, and why it is not more. */
static void add_gain(const struct fact *f, int n, struct text *t) {
  double most = value(f, n, "speedup_by_roofs"), fewer = value(f, n, "byte_ratio"), really = value(f, n, "measured_speedup");
  if (isnan(most))
    text_add(t, " No roof is known for it here.");
  else if (bound_is(f, n, "before_bound", "compute"))
    text_add(t, " But arithmetic was the limit already: no gain.");
  else if (most < 0.95 * fewer)
    text_add(t, " By the roofs "), text_number(t, most, "x"), text_add(t, " faster, not "), text_number(t, fewer, "x"),
        text_add(t, ": it meets the arithmetic roof.");
  else
    text_add(t, " By the roofs "), text_number(t, most, "x"), text_add(t, " faster, as long as memory limits.");
  if (!isnan(really))
    text_add(t, " Measured: "), text_number(t, really, "x"), text_add(t, ".");
  else if (!isnan(value(f, n, "measured_time")))
    text_add(t, " m runs both.");
}

static void verdict_tile(const struct fact *f, int n, struct text *t) {
  double least = value(f, n, "tile_over_least"), over = value(f, n, "measured_speedup");
  const char *rung = fact_word(f, n, "rung");
  text_add(t, "Tiles of ");
  text_count(t, value(f, n, "tile_side"));
  text_add(t, " use each number ");
  text_count(t, value(f, n, "tile_side"));
  text_add(t, value(f, n, "tile_side") == 1 ? " time: " : " times: ");
  add_bytes(f, n, t, " instead of ");
  if (least > 1.05)
    text_add(t, ", still "), text_number(t, least, "x"), text_add(t, " the least");
  else
    text_add(t, ", the least there is");
  text_add(t, ". ");
  if (bound_is(f, n, "bound", "memory"))
    text_add(t, "Memory still limits: a larger tile helps.");
  else if (bound_is(f, n, "bound", "compute"))
    text_add(t, "Past the ridge: arithmetic limits.");
  else
    text_add(t, "No roof is known to compare it with.");
  if (!isnan(over) && strcmp(rung, "plain") != 0) {
    text_add(t, " Measured: ");
    text_add(t, rung);
    text_add(t, " is "), text_number(t, over, "x"), text_add(t, " as fast as plain loops.");
  }
}

static void verdict_fusion(const struct fact *f, int n, struct text *t) {
  double chain = value(f, n, "chain_operations");
  const char *level = fact_word(f, n, "level");
  if (chain < 2) {
    text_add(t, "One operation alone reads and writes everything once already: there is nothing to fuse. Two or more are a chain.");
    return;
  }
  text_count(t, chain);
  text_add(t, " operations share one trip: ");
  add_bytes(f, n, t, " instead of ");
  text_add(t, ", the arithmetic unchanged.");
  add_gain(f, n, t);
  if (strcmp(level, "memory") != 0 && level[0] == 'L') {
    text_add(t, " All lies in ");
    text_add(t, level);
    text_add(t, ": short trips, less to gain.");
  }
}

static void verdict_attention(const struct fact *f, int n, struct text *t) {
  text_add(t, "Scores that stay on the chip: ");
  add_bytes(f, n, t, " instead of ");
  text_add(t, ", ");
  text_number(t, value(f, n, "arithmetic_intensity"), "flop/byte");
  text_add(t, " instead of ");
  text_number(t, value(f, n, "before_intensity"), "flop/byte");
  text_add(t, ".");
  add_gain(f, n, t);
}

void reuse_verdict(const struct fact *f, int n, struct text *t) {
  const char *view = fact_word(f, n, "view");
  if (strcmp(view, "fusion") == 0)
    verdict_fusion(f, n, t);
  else if (strcmp(view, "attention") == 0)
    verdict_attention(f, n, t);
  else
    verdict_tile(f, n, t);
}
