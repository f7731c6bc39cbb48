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

/* What the knee says of the level, where it does not simply agree. */
static bool verdict_knee(const struct fact *f, int n, struct text *t) {
  double knee = fact_value(f, n, "knee_byte"), declared = fact_value(f, n, "declared_byte");
  const char *share = fact_word(f, n, "cache_share");
  if (strcmp(share, "size unknown") == 0 && knee > 0) {
    text_add(t, "Nobody declares its size: size unknown, the knee is at "), text_number(t, knee, "iB"), text_add(t, ". ");
    return true;
  }
  if (!(knee > 0 && declared > 0 && (knee < declared / 2 || knee > declared * 2))) return false;
  text_add(t, "The system says ");
  text_number(t, declared, "iB");
  text_add(t, ", the knee is at ");
  text_number(t, knee, "iB");
  text_add(t, knee < declared ? ": you own a slice of this cache. " : ". ");
  return true;
}

static bool verdict_separable(const struct fact *f, int n, struct text *t) {
  if (strcmp(fact_word(f, n, "separable"), "not at all threads") != 0) return false;
  text_add(t, fact_word(f, n, "level"));
  text_add(t, " is not separable at all threads: it holds too little beyond their nearer caches. ");
  return true;
}

static void verdict_staircase(const struct fact *f, int n, struct text *t) {
  double rate = fact_value(f, n, "stair_byte_per_s"), knee = fact_value(f, n, "plateau_knee_byte"), step = fact_value(f, n, "plateau_step"),
         latency = fact_value(f, n, "set_latency");
  const char *plateau = fact_word(f, n, "plateau");
  text_number(t, fact_value(f, n, "working_set"), "iB");
  if (strcmp(plateau, "not measured yet") == 0) {
    text_add(t, " are served by "), text_add(t, fact_word(f, n, "level"));
    text_add(t, ". The staircase is not measured yet: ridge measure --thorough does it, and so does this program when it is idle.");
    return;
  }
  if (strcmp(plateau, "between two") == 0)
    text_add(t, " lie on the way down between two plateaus");
  else
    text_add(t, strncmp(plateau, "plateau", 7) == 0 ? " lie on " : " lie on the plateau of "), text_add(t, plateau);
  if (rate > 0) text_add(t, ", read at "), text_number(t, rate, "byte/s");
  if (latency > 0) text_add(t, "; one load takes "), text_number(t, latency, "s");
  text_add(t, ". ");
  if (knee > 0) {
    text_add(t, "It ends at "), text_number(t, knee, "iB");
    if (step > 0) text_add(t, ", then "), text_number(t, step, "x"), text_add(t, " slower");
    text_add(t, ". ");
  }
  if (t->n < 150 && !verdict_knee(f, n, t)) verdict_separable(f, n, t);
}

static void verdict_stride(const struct fact *f, int n, struct text *t) {
  double stride = fact_value(f, n, "stride_byte"), share = fact_value(f, n, "useful_share"), rate = fact_value(f, n, "level_byte_per_s"),
         asked = fact_value(f, n, "asked_byte_per_s"), loss = fact_value(f, n, "layout_loss");
  const char *level = fact_word(f, n, "level");
  if (isnan(share)) {
    text_add(t, "How many bytes this device carries at a time is not known: strides are shown for CPUs, whose lines are 64 bytes.");
    return;
  }
  if (strncmp(fact_word(f, n, "state"), "this set", 8) == 0) {
    text_add(t, "The working set is too small for this stride: each thread needs four steps of it.");
    return;
  }
  if (share >= 1) {
    text_add(t, "Contiguous: every byte of each line is of use, and ");
    text_add(t, level);
    text_add(t, " gives the program all it carries");
    if (rate > 0) text_add(t, ", "), text_number(t, rate, "byte/s");
    text_add(t, ".");
    return;
  }
  text_number(t, share, "%");
  text_add(t, " of each line is of use");
  if (asked > 0) text_add(t, ": at most "), text_number(t, asked, "byte/s"), text_add(t, " of "), text_number(t, rate, "byte/s");
  text_add(t, ". ");
  if (loss > 0) text_add(t, "The layout costs "), text_number(t, loss, "x"), text_add(t, ", measured. ");
  if (asked < 0.99 * share * rate)
    text_add(t, "So near the core its loads are the limit, not the lines: a larger set shows what layout costs.");
  else if (stride >= 4096)
    text_add(t, "Each load is on another page: its address is looked up anew, nothing is fetched ahead.");
  else if (stride > 64)
    text_add(t, "Beyond a line a larger stride uses no less of it.");
}

static void verdict_chains(const struct fact *f, int n, struct text *t) {
  double latency = fact_value(f, n, "set_latency"), rate = fact_value(f, n, "chain_byte_per_s"), chains = fact_value(f, n, "chain_count"),
         limit = fact_value(f, n, "one_thread_byte_per_s"), fill = fact_value(f, n, "chains_to_fill");
  if (isnan(latency)) {
    text_add(t, "The latency of this level is not known, so nothing can be said of chains.");
    return;
  }
  text_add(t, "A load from "), text_add(t, fact_word(f, n, "level")), text_add(t, " takes "), text_number(t, latency, "s");
  text_add(t, ": "), text_count(t, chains), text_add(t, chains > 1 ? " chains bring " : " chain brings ");
  text_number(t, rate, "byte/s"), text_add(t, ". ");
  if (fill > 0) {
    text_add(t, "One thread reads "), text_number(t, limit, "byte/s"), text_add(t, " with about ");
    text_count(t, fmax(1, round(fill))), text_add(t, " lines under way at once: bandwidth is not 64 B / latency.");
  }
}

void hierarchy_verdict(const struct fact *f, int n, struct text *t) {
  const char *view = fact_word(f, n, "view");
  bool here = strcmp(fact_word(f, n, "device_kind"), "here") == 0;
  if (strcmp(fact_word(f, n, "level"), "unknown") == 0) {
    text_add(t, here ? "The levels of this machine are not measured yet. R measures them in about three seconds."
                     : "No memory level of this device is known.");
    return;
  }
  if (strcmp(view, "stride") == 0) {
    verdict_stride(f, n, t);
  } else if (strcmp(view, "chains") == 0) {
    verdict_chains(f, n, t);
  } else if (strcmp(view, "staircase") == 0 && here) {
    verdict_staircase(f, n, t);
  } else {
    verdict_serves(f, n, t, here);
    if (!verdict_knee(f, n, t) && !verdict_separable(f, n, t) && t->n < 130) /* three lines are all there is */
      verdict_claim(f, n, t);
  }
}
