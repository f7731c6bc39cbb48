/* roofline_verdict: the sentence under the roofline: what limits, what would help, what would not. */
#include <math.h>
#include <string.h>

#include "scenes/roofline.h"
#include "scenes/roofline_condition.h"
#include "scenes/roofline_sample.h"

/* What one execution does with what it fetches, for the sentence under the picture. */
static void verdict_why(struct text *t, const char *op, double uses) {
  if (strcmp(op, "weights") == 0) {
    text_add(t, "each weight is fetched, used ");
    if (uses == 1)
      text_add(t, "once");
    else
      text_count(t, uses), text_add(t, " times");
    text_add(t, ", dropped.");
  } else if (strcmp(op, "dial") == 0)
    text_add(t, "each element is loaded once and worked on in registers.");
  else if (strcmp(op, "matmul") == 0)
    text_add(t, "every number fetched is used in many products.");
  else if (strcmp(op, "attention") == 0)
    text_add(t, "the scores travel to memory and back.");
  else if (strcmp(op, "attention_fused") == 0)
    text_add(t, "the scores never leave the chip.");
  else if (strcmp(op, "chain") == 0)
    text_add(t, "every operation fetches and stores everything again.");
  else if (strcmp(op, "chain_fused") == 0)
    text_add(t, "each element is fetched once for all operations.");
  else if (strcmp(op, "custom") == 0)
    text_add(t, "by the numbers typed in.");
  else
    text_add(t, "each element is touched and dropped.");
}

void roofline_verdict(const struct fact *f, int n, struct text *t) {
  const char *bound = fact_word(f, n, "bound"), *op = fact_word(f, n, "operation");
  double intensity = fact_value(f, n, "arithmetic_intensity"), ridge = fact_value(f, n, "ridge_point");
  if (fact_word(f, n, "sample_name")[0]) {
    sample_verdict(f, n, t);
    return;
  }
  double ratio = fact_value(f, n, "measured_ratio"), uses = fact_value(f, n, "uses_per_weight");
  if (strcmp(bound, "unknown") == 0) {
    if (isnan(intensity))
      text_add(t, "The work of this operation is not known: type flop and byte.");
    else if (strcmp(fact_word(f, n, "provenance"), "not measured") == 0)
      text_add(
          t,
          "The roofs of this machine are not measured yet: arithmetic comes first, then memory, in about three seconds. R measures them.");
    else if (!isnan(fact_value(f, n, "normal_flop_per_s")))
      text_add(t, "The roofs of the machine in this state are not measured yet: m measures them, after the point itself.");
    else
      text_add(t, "There is no roof for this arithmetic on this device: one of its two rates is unknown. Choose another data type, "
                  "arithmetic or device.");
    return;
  }
  double away = intensity / ridge;
  if (away > 0.8 && away < 1.25) {
    text_add(t, "At the ridge: memory and arithmetic take about as long. Only both together would help.");
  } else if (strcmp(bound, "memory") == 0) {
    text_add(t, "Waiting for memory: ");
    verdict_why(t, op, uses);
    text_add(t, " Twice the arithmetic changes nothing; fewer bytes help");
    if (strcmp(op, "weights") == 0)
      text_add(t, ", or a larger batch sharing each fetch.");
    else if (strcmp(op, "attention") == 0)
      text_add(t, ": keep the scores on the chip (attention_fused).");
    else
      text_add(t, ": fewer bits, or fusing steps.");
  } else {
    text_add(t, "Calculating: ");
    verdict_why(t, op, uses);
    text_add(t, " Faster memory changes nothing; only faster or less arithmetic helps");
    text_add(t, strcmp(op, "weights") == 0 ? ", and a larger batch takes longer." : ".");
  }
  /* What explains most, of all that was checked. */
  if (!(ratio > 1.02 || ratio < 0.5)) {
    condition_verdict(f, n, t);
    return;
  }
  const char *because = fact_word(f, n, "because");
  if (strcmp(because, "disturbed samples") == 0) {
    text_add(t, ratio < 1 ? " Other work disturbed this reading: m again." : " The roof was measured while disturbed: R again.");
    return;
  }
  text_add(t, ratio > 1.02 ? " Above the roof: " : " Well below the roof: ");
  text_add(t, because[0] ? because : "not explained yet");
  text_add(t, "; e tells.");
}
