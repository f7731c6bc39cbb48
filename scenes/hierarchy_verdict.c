/* The hierarchy scene in words: which level serves, what comes after it, and whether "ten times a level" is true here. */
#include <math.h>
#include <string.h>

#include "scenes/hierarchy.h"

/* What serves once the set outgrows this level. */
static void verdict_next(const struct fact *f, int n, struct text *t) {
  double ratio = fact_value(f, n, "next_ratio"), rate = fact_value(f, n, "next_byte_per_s");
  const char *next = fact_word(f, n, "next_level");
  if (!next[0]) return;
  text_add(t, "Outgrown, ");
  text_add(t, next);
  text_add(t, " serves it");
  if (ratio >= 1)
    text_add(t, ", "), text_number(t, ratio, "x"), text_add(t, " slower");
  else if (ratio < 1)
    text_add(t, ", no slower here");
  else if (!isnan(rate))
    text_add(t, " at "), text_number(t, rate, "byte/s");
  text_add(t, ". ");
}

static void verdict_serves(const struct fact *f, int n, struct text *t, bool here) {
  double set = fact_value(f, n, "working_set"), room = fact_value(f, n, "level_byte"), rate = fact_value(f, n, "level_byte_per_s");
  const char *level = fact_word(f, n, "level"), *next = fact_word(f, n, "next_level");
  text_number(t, set, "iB");
  if (set > room) {
    text_add(t, " are more than ");
    text_add(t, level);
    text_add(t, " holds");
    if (next[0]) text_add(t, ": the rest has to come over "), text_add(t, next);
    if (fact_value(f, n, "next_ratio") > 1) text_add(t, ", "), text_number(t, fact_value(f, n, "next_ratio"), "x"), text_add(t, " slower");
    text_add(t, ". ");
    return;
  }
  text_add(t, set <= room ? " fit in " : " are served by ");
  text_add(t, level);
  if (!(set <= room)) text_add(t, ", whose size is not known");
  if (isnan(rate))
    text_add(t, here ? "; its rate is not measured yet. " : "; how fast it reads is not published. ");
  else
    text_add(t, ", read at "), text_number(t, rate, "byte/s"), text_add(t, ". ");
  verdict_next(f, n, t);
}

/* "Each level is ten times slower and larger": said everywhere, so it is held against this device. */
static void verdict_claim(const struct fact *f, int n, struct text *t) {
  static const struct {
    const char *least, *most, *what;
  } step[] = {{"speed_step_least", "speed_step_most", " in rate"}, {"size_step_least", "size_step_most", " in size"}};
  const char *claim = fact_word(f, n, "order_claim");
  if (strcmp(claim, "unknown") == 0 || strcmp(claim, "holds") == 0) return;
  text_add(t, "Not ten times a level, as often said: a step here is ");
  bool first = true;
  for (int i = 0; i < 2; i++) {
    double least = fact_value(f, n, step[i].least), most = fact_value(f, n, step[i].most);
    if (isnan(least)) continue;
    if (!first) text_add(t, ", ");
    first = false;
    text_number(t, least, "x");
    if (most > least) text_add(t, " to "), text_number(t, most, "x");
    text_add(t, step[i].what);
  }
  text_add(t, ".");
}

void hierarchy_verdict(const struct fact *f, int n, struct text *t) {
  double knee = fact_value(f, n, "knee_byte"), declared = fact_value(f, n, "declared_byte");
  bool here = strcmp(fact_word(f, n, "device_kind"), "here") == 0;
  if (strcmp(fact_word(f, n, "level"), "unknown") == 0) {
    text_add(t, here ? "The levels of this machine are not measured yet. R measures them in about three seconds."
                     : "No memory level of this device is known.");
    return;
  }
  verdict_serves(f, n, t, here);
  if (knee > 0 && declared > 0 && (knee < declared / 2 || knee > declared * 2)) {
    text_add(t, "The system declares ");
    text_number(t, declared, "iB");
    text_add(t, ", the knee is at ");
    text_number(t, knee, "iB");
    text_add(t, knee < declared ? ": this program gets a slice of it. " : ". ");
  } else if (t->n < 130) /* three lines are all there is */
    verdict_claim(f, n, t);
}
