/* The sentence under the precision scene's picture, a different one for each view. */
#include <math.h>
#include <string.h>

#include "scenes/precision.h"
#include "tui/number.h"

static double value(const struct fact *f, int n, const char *name) { return fact_value(f, n, name); }

static void add(struct text *t, const char *before, double v, const char *unit) {
  text_add(t, before);
  text_number(t, v, unit);
}

/* All digits where they are few: 0.370 for 0.37012 would say that nothing had changed. */
static void add_exact(struct text *t, const char *before, double v) {
  char key[NUMBER_MAX];
  text_add(t, before);
  if (strlen(number_key(key, v)) <= 14)
    text_add(t, key);
  else
    text_add(t, number_print(key, v, "1", 4, false));
}

static void add_word(struct text *t, const char *before, const char *word) {
  text_add(t, before);
  text_add(t, word);
}

/* A fact that may be infinite, in words. */
static void add_fact(struct text *t, const char *before, const struct fact *f, int n, const char *name) {
  const char *word = fact_word(f, n, name);
  if (*word)
    add_word(t, before, word);
  else
    add_exact(t, before, value(f, n, name));
}

static void verdict_storage(const struct fact *f, int n, struct text *t) {
  double left = value(f, n, "capacity_left"), error = value(f, n, "storing_error"), gain = value(f, n, "token_rate_over_bf16"),
         here = value(f, n, "here_measured_token_rate");
  add_word(t, "As ", fact_word(f, n, "stored_as"));
  add(t, " the weights take ", value(f, n, "storage_byte"), "byte");
  if (left < 0)
    add(t, " and do not fit: ", -left, "byte"), text_add(t, " missing.");
  else if (left >= 0)
    add(t, " and fit, ", left, "byte"), text_add(t, " left.");
  else
    text_add(t, ".");
  if (!isnan(gain)) {
    add(t, " At most ", value(f, n, "token_rate"), "token/s");
    if (fabs(gain - 1) > 1e-9) add(t, ", ", gain, "x"), text_add(t, " bf16's");
    text_add(t, ".");
  }
  if (!isnan(here)) add(t, " Measured here: ", here, "token/s"), text_add(t, ".");
  if (isnan(error))
    text_add(t, " What it costs in accuracy is not known.");
  else
    add(t, " Cost: weights off by ", error, "%"), text_add(t, ". Only your task tells whether that matters.");
}

static void verdict_bits(const struct fact *f, int n, struct text *t) {
  const char *format = fact_word(f, n, "format_name"), *kind = fact_word(f, n, "kind");
  double error = value(f, n, "relative_error"), stored = value(f, n, "stored_value");
  add_word(t, "In ", format);
  if (*fact_word(f, n, "stored_value"))
    add_word(t, " these bits mean ", fact_word(f, n, "stored_value")), add(t, ": the largest number is ", value(f, n, "largest"), "1"),
        text_add(t, ".");
  else if (stored == 0 && error == -1)
    add(t, " it becomes 0: the least number above zero is ", value(f, n, "least_subnormal"), "1"), text_add(t, ".");
  else if (value(f, n, "value_error") == 0)
    text_add(t, " it is held exactly.");
  else
    add_exact(t, " it comes back as ", stored), add(t, ", off by ", value(f, n, "value_error"), "1"), text_add(t, ".");
  if (strcmp(kind, "subnormal") == 0) text_add(t, " It is subnormal: digits are being lost.");
  if (value(f, n, "exponent_bits") > 0)
    add(t, " ", value(f, n, "exponent_bits"), "n"), add(t, " exponent bits give range, ", value(f, n, "mantissa_bits"), "n"),
        add(t, " mantissa bits about ", value(f, n, "decimal_digits"), "1"), text_add(t, " digits.");
  else
    text_add(t, " Integers have one spacing everywhere: a scale must bring values into their range.");
}

static void verdict_line(const struct fact *f, int n, struct text *t) {
  const char *format = fact_word(f, n, "format_name");
  if (*fact_word(f, n, "stored_value")) {
    add_word(t, "Past the end of ", format), add(t, ", at ", value(f, n, "largest"), "1");
    add_word(t, ", it becomes ", fact_word(f, n, "stored_value")),
        text_add(t, ". The same bits, spent on the exponent, would reach further.");
    return;
  }
  add(t, "Around here ", value(f, n, "spacing"), "1");
  add_word(t, " separates one number of ", format);
  text_add(t, " from the next: what lies between is rounded to one of them.");
  if (value(f, n, "exponent_bits") > 0)
    add(t, " Twice as far out numbers stand twice as far apart, so about ", value(f, n, "decimal_digits"), "1"),
        text_add(t, " digits hold everywhere.");
}

static void verdict_sum(const struct fact *f, int n, struct text *t) {
  const char *format = fact_word(f, n, "sum_format");
  double stalled = value(f, n, "stalled_after"), error = value(f, n, "sum_error");
  add_word(t, "Kept in ", format);
  add_fact(t, " the sum is ", f, n, "sum");
  add_exact(t, ", not ", value(f, n, "exact_sum"));
  if (*fact_word(f, n, "sum"))
    text_add(t, ": it ran past the largest number.");
  else if (!isnan(stalled))
    add(t, ": from ", stalled, "n"), add(t, " terms on, numbers stand ", value(f, n, "sum_spacing"), "1"),
        text_add(t, " apart, and adding one rounds back.");
  else if (fabs(error) < 1e-6)
    text_add(t, " or as good as: no term was lost.");
  else
    add(t, ", off by ", error, "%"), text_add(t, ".");
  if (strcmp(format, "fp32") != 0 && strcmp(format, "fp64") != 0)
    add_fact(t, " A sum kept in fp32 gives ", f, n, "sum_fp32"), text_add(t, ".");
}

static void verdict_gradients(const struct fact *f, int n, struct text *t) {
  double lost = value(f, n, "lost_share"), unscaled = value(f, n, "lost_unscaled"), over = value(f, n, "over_share");
  const char *format = fact_word(f, n, "format_name");
  add_word(t, "In ", format);
  add(t, " ", lost, "%"), text_add(t, " of these gradients become 0");
  add(t, " and ", value(f, n, "coarse_share"), "%"), text_add(t, " lose digits");
  if (unscaled > lost + 0.001) add(t, "; unscaled ", unscaled, "%"), text_add(t, " would be lost");
  text_add(t, ".");
  if (over > 1e-9) {
    text_add(t, " But the scale is too large: some overflow, and the step is spoilt.");
    return;
  }
  if (lost + value(f, n, "coarse_share") > 0.001)
    add(t, " A loss scale up to ", value(f, n, "loss_scale_most"), "1"), text_add(t, " is safe.");
  if (value(f, n, "exponent_bits") < 8)
    add(t, " bf16, with the exponent of fp32, loses ", value(f, n, "lost_bf16"), "%"), text_add(t, " without any.");
  else
    text_add(t, " Its exponent is as wide as fp32's: no loss scale is needed.");
}

static void verdict_scale(const struct fact *f, int n, struct text *t) {
  double zero = value(f, n, "zero_share");
  add(t, "Steps of ", value(f, n, "scale"), "1");
  add(t, ": the value becomes ", value(f, n, "code"), "n"), add(t, " and comes back as ", value(f, n, "value_back"), "1");
  add(t, ", off by ", value(f, n, "value_off"), "1"), add(t, ". All weights: off by ", value(f, n, "rms_error"), "%");
  add(t, ", ", zero, "%"), text_add(t, " become 0.");
  if (value(f, n, "rms_error_channel") < 0.7 * value(f, n, "rms_error"))
    add(t, " A scale a channel: ", value(f, n, "rms_error_channel"), "%"), add(t, ", a group: ", value(f, n, "rms_error_group"), "%"),
        text_add(t, ".");
}

void precision_verdict(const struct fact *f, int n, struct text *t) {
  static const struct {
    const char *view;
    void (*say)(const struct fact *, int, struct text *);
  } table[] = {{"bits", verdict_bits},           {"line", verdict_line},   {"accumulate", verdict_sum},
               {"gradients", verdict_gradients}, {"scale", verdict_scale}, {"storage", verdict_storage}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(fact_word(f, n, "view"), table[i].view) == 0) table[i].say(f, n, t);
}
