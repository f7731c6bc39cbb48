/* The layers scene in words. */
#include <math.h>
#include <string.h>

#include "scenes/layers_measured.h"

static double value(const struct fact *f, int n, const char *name) { return fact_value(f, n, name); }

static void add_number(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

static bool is(const struct fact *f, int n, const char *name, const char *word) { return strcmp(fact_word(f, n, name), word) == 0; }

/* True when there was nothing to say but why. */
static bool unknown(const struct fact *f, int n, struct text *t) {
  if (isnan(value(f, n, "tokens"))) {
    text_add(t, "This model's shape is not known, so it cannot be taken apart. Choose another with the model knob.");
    return true;
  }
  if (!isnan(value(f, n, "total_time"))) return false;
  text_add(t, "Peak or memory rate is not known, so there are no times: R measures this machine. Arithmetic and bytes stand as they are.");
  return true;
}

static void pass(const struct fact *f, int n, struct text *t) {
  const char *phase = fact_word(f, n, "phase_used");
  double tokens = value(f, n, "tokens");
  text_add(t, strcmp(phase, "decode") == 0     ? "Decode, "
              : strcmp(phase, "prefill") == 0  ? "Prefill, "
              : strcmp(phase, "training") == 0 ? "Training, "
                                               : "One pass, ");
  text_count(t, tokens);
  text_add(t, is(f, n, "input", "pictures") ? " picture" : " token");
  text_add(t, tokens > 1 ? "s: at least " : ": at least ");
  text_number(t, value(f, n, "total_time"), "s");
}

static void verdict_list(const struct fact *f, int n, struct text *t) {
  double half = value(f, n, "half_operations");
  pass(f, n, t);
  add_number(t, ", ", value(f, n, "memory_share"), "%", " of it waiting for memory. ");
  text_count(t, half);
  text_add(t, half > 1 ? " kinds of operation make up half of it, first " : " kind of operation makes up half of it: ");
  text_add(t, fact_word(f, n, "longest"));
  add_number(t, " with ", value(f, n, "longest_share"), "%", ". ");
  if (is(f, n, "weights_fit", "no"))
    text_add(t, "The weights do not fit in this memory at all.");
  else
    text_add(t, is(f, n, "bound", "memory") ? "More peak would change little." : "More memory rate would change little.");
}

static void verdict_roof(const struct fact *f, int n, struct text *t) {
  bool waits = is(f, n, "op_bound", "memory");
  text_add(t, fact_word(f, n, "op_name"));
  if (isnan(value(f, n, "op_intensity"))) {
    text_add(t, " rides on its neighbour: it moves next to nothing of its own, and has no place on this plot.");
    return;
  }
  add_number(t, ": ", value(f, n, "op_intensity"), "1", " FLOP for each byte, the ridge is at ");
  add_number(t, "", value(f, n, "ridge"), "1", waits ? ": it waits for memory. " : ": it calculates. ");
  text_add(t, "Fewer operations than one thinks stand right of the ridge, but they may hold most of the time: see view=count.");
}

static void verdict_count(const struct fact *f, int n, struct text *t) {
  double count = value(f, n, "memory_count_share"), flop = value(f, n, "memory_flop_share"), time = value(f, n, "memory_share");
  add_number(t, "By number, ", count, "%", " of the operations wait for memory; ");
  add_number(t, "they hold ", flop, "%", " of the arithmetic and ");
  add_number(t, "", time, "%", " of the time. ");
  text_add(t, count > 0.5 && time < 0.5 ? "To be limited by arithmetic is rare by count, and yet it is where the time goes."
              : time > 0.5              ? "Here memory is the rule by every measure that costs something."
                                        : "Here arithmetic is the rule.");
}

static void verdict_fix(const struct fact *f, int n, struct text *t) {
  double best = value(f, n, "best_gain"), gain = value(f, n, "fix_gain");
  if (!is(f, n, "fix_tried", "none")) {
    text_add(t, fact_word(f, n, "fix_tried"));
    if (gain < 1.005)
      text_add(t, " gains nothing here. ");
    else
      add_number(t, " gains ", gain, "x", " for each token. ");
  }
  if (is(f, n, "best_fix", "none"))
    text_add(t, "None of the six gains anything. ");
  else {
    text_add(t, "Most is gained by ");
    text_add(t, fact_word(f, n, "best_fix"));
    add_number(t, ": ", best, "x", ". ");
  }
  text_add(t, fact_word(f, n, "op_name"));
  add_number(t, " made ", value(f, n, "faster_by"), "x", " faster: ");
  add_number(t, "", value(f, n, "amdahl_gain"), "x", " in all");
  if (isnan(value(f, n, "amdahl_limit")))
    text_add(t, ".");
  else
    add_number(t, ", and never more than ", value(f, n, "amdahl_limit"), "x", ", however fast.");
}

static void verdict_grow(const struct fact *f, int n, struct text *t) {
  double attention = value(f, n, "attention_share");
  pass(f, n, t);
  add_number(t, ": products ", value(f, n, "product_share"), "%", ", ");
  add_number(t, "attention ", attention, "%", ", ");
  add_number(t, "element-wise ", value(f, n, "element_share"), "%", ". ");
  text_add(t, is(f, n, "phase_used", "decode") ? "A larger batch shares the weights, but each sequence brings keys and values of its own."
                                               : "Products grow with the tokens, attention with their square: long inputs end up there.");
}

static void verdict_conv(const struct fact *f, int n, struct text *t) {
  double less = value(f, n, "separable_flop_ratio"), faster = value(f, n, "separable_time_ratio");
  if (isnan(value(f, n, "conv_intensity"))) {
    text_add(t, "No model of the catalogue has convolutions.");
    return;
  }
  text_add(t, fact_word(f, n, "conv_name"));
  add_number(t, ": ", value(f, n, "conv_intensity"), "1", " FLOP for each byte. ");
  if (isnan(less)) {
    text_add(t, "A 1x1 convolution is a plain product across planes: there is nothing to take apart. Pick a wider one.");
    return;
  }
  add_number(t, "Depthwise it has ", value(f, n, "depthwise_intensity"), "1", ": every value meets one filter only. ");
  add_number(t, "With the 1x1 after it, ", less, "x", " less arithmetic, ");
  if (isnan(faster))
    text_add(t, "and no times without a peak and a memory rate.");
  else
    add_number(t, "", faster, "x", faster < 0.95 * less ? " less time: it waits for memory." : " less time.");
}

void layers_verdict(const struct fact *f, int n, struct text *t) {
  static const struct {
    const char *view;
    void (*say)(const struct fact *, int, struct text *);
  } table[] = {{"list", verdict_list}, {"roof", verdict_roof}, {"count", verdict_count}, {"fix", verdict_fix}, {"grow", verdict_grow}};
  if (is(f, n, "view_name", "conv")) {
    verdict_conv(f, n, t);
    return;
  }
  if (is(f, n, "view_name", "block")) {
    layers_block_verdict(f, n, t);
    return;
  }
  if (unknown(f, n, t)) return;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (is(f, n, "view_name", table[i].view)) table[i].say(f, n, t);
}
