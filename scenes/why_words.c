#include "scenes/why_words.h"

#include <math.h>
#include <string.h>

static void quantity(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  if (strcmp(unit, "n") == 0)
    text_count(t, v);
  else
    text_number(t, v, unit);
  text_add(t, after);
}

void flags_say(unsigned flags, struct text *t) {
  bool some = false;
  for (int i = 0; i < FLAG_COUNT; i++)
    if (flags & 1u << i) {
      text_add(t, some ? ", " : "");
      text_add(t, flag_name(1u << i));
      some = true;
    }
  if (!some) text_add(t, "none");
}

void trust_say(const struct trust *r, struct text *t) {
  if (!r) {
    text_add(t, "nothing is known of how it was measured");
    return;
  }
  quantity(t, "best of ", r->samples, "n", " on ");
  quantity(t, "", r->threads, "n", r->threads == 1 ? " thread" : " threads");
  if (r->spread >= 0) quantity(t, ", ±", r->spread, "%", "");
  if (!isnan(r->seed)) quantity(t, ", seed ", r->seed, "n", "");
  text_add(t, r->thorough ? ", thorough" : ", quick");
  if (r->flags) text_add(t, ", "), flags_say(r->flags, t);
}

void why_head(const struct why_input *in, struct text *t) {
  double ratio = why_ratio(in);
  if (in->op == OP_FEED) {
    text_add(t, "A pipeline stands under no roof: the words below the picture say who waits for whom, = shows what was measured of each part.");
    return;
  }
  if (!(ratio > 0) || !isfinite(ratio)) {
    text_add(t, isnan(in->s) ? "There is no measured point to explain: m measures." : "Its roof is not known: R measures this machine.");
    return;
  }
  quantity(t, "The point reaches ", ratio, "%", " of its roof");
  if (ratio > 1.02)
    text_add(t, ": above it. Checked in this order:");
  else if (ratio >= 0.98)
    text_add(t, ": at it. Nothing is left to explain; checked were:");
  else
    quantity(t, ": ", in->s * (1 - ratio), "s", ""), quantity(t, " of ", in->s, "s", " to explain.");
}

const char *why_brief(const struct why *f) {
  static const char *const brief[WHY_N] = {
      "a nearer cache",       "another precision or unit",   "a faster clock",        "a wrong count",
      "disturbed samples",    "fewer threads than the roof", "narrower instructions", "lines fetched before they are stored",
      "starting the threads", "cores that stood idle",       "repetitions that vary", "arithmetic and traffic in turn",
      "not explained yet"};
  return f ? brief[f->check] : "not explained yet";
}

static void say_level(const struct why_input *in, const struct why *f, struct text *t) {
  if (!in->run) {
    quantity(t, "It asks for ", f->value, "byte/s", "");
    quantity(t, "; the roof gives ", in->byte_per_s, "byte/s", "");
    if (f->verdict == WHY_FINE)
      text_add(t, ": no cache is needed for that.");
    else if (f->verdict == WHY_MAYBE)
      text_add(t, ". A nearer level could: "), text_add(t, f->word ? f->word : ""), quantity(t, " gives ", f->bound, "byte/s", ".");
    else
      text_add(t, ". No level is known to be so fast: its bytes may be counted too high.");
    return;
  }
  if (!f->word) {
    text_add(t, "The sizes of the caches are not known.");
    return;
  }
  quantity(t, "It works on ", f->value, "iB", "");
  if (f->verdict == WHY_MAYBE) {
    quantity(t, ", not much more than the ", f->bound, "iB", " of ");
    text_add(t, f->word);
    text_add(t, ": part of it stays there from one repetition to the next.");
    return;
  }
  text_add(t, f->value > f->bound ? ", more than any level is known to hold; " : "; ");
  text_add(t, f->word);
  text_add(t, " serves it");
  bool cache = strcmp(f->word, in->device->level[in->device->nlevel - 1].name) != 0;
  if (cache) quantity(t, ", of ", f->bound, "iB", "");
  if (f->verdict == WHY_CAUSE)
    text_add(t, ", but its rate is not measured: the roof is that of the next level.");
  else if (in->level >= 0 && strcmp(f->word, in->device->level[in->level].name) == 0)
    text_add(t, ", and the roof on show is its own.");
  else
    text_add(t, "; the roof on show is another's.");
}

static void say_precision(const struct why_input *in, const struct why *f, struct text *t) {
  if (!in->run) {
    text_add(t, f->verdict == WHY_FINE ? "Its rate is within the arithmetic on show." : "Which precision it computes in is not told");
    if (f->verdict == WHY_MAYBE)
      text_add(t, "; "), text_add(t, f->word ? f->word : ""), quantity(t, " would allow ", f->value, "flop/s", "");
    if (f->verdict != WHY_FINE) text_add(t, ".");
    return;
  }
  text_add(t, "It ran ");
  text_add(t, f->word ? f->word : "");
  text_add(t, " on ");
  text_add(t, dtype_name(in->dtype));
  if (in->math != in->dtype && in->math != DTYPE_N) text_add(t, ", computed in "), text_add(t, dtype_name(in->math));
  if (!isnan(f->value)) quantity(t, ", whose roof is ", f->value, "flop/s", "");
  quantity(t, "; on show: ", f->bound, "flop/s", ".");
  if (f->verdict == WHY_MAYBE) text_add(t, " Another's code: it may use units we did not measure.");
}

static void say_clock(const struct why_input *in, const struct why *f, struct text *t) {
  if (f->flags & FLAG_THROTTLED) {
    text_add(t, "The harness saw the machine throttled while it ran.");
    return;
  }
  if (in->device->machine.clock_hz > 0) quantity(t, "The roof was measured at ", in->device->machine.clock_hz, "Hz", ". ");
  if (f->verdict == WHY_UNKNOWN)
    text_add(t, "How much faster the cores can run for a moment is not measured.");
  else if (f->verdict == WHY_FINE)
    text_add(t, why_ratio(in) > 1.02 ? "A clock does not move a memory roof, nor so far." : "It explains nothing here.");
  else
    quantity(t, "Fewer cores, or the first moments, run up to ", f->value, "x",
             f->verdict == WHY_CAUSE ? " as fast: enough." : " as fast: a part of it.");
}

static void say_count(const struct why_input *in, const struct why *f, struct text *t) {
  if (!in->run) {
    text_add(t, in->estimate ? "FLOP and bytes are estimated from the model's size: what it does besides is not in them."
                             : "FLOP and bytes are that program's own; they cannot be checked here.");
    return;
  }
  if (f->flags & FLAG_PARTIAL) {
    quantity(t, "A slab was run: ", f->value / f->bound, "%", " of the whole; the count is of what was done.");
  } else if (f->verdict == WHY_CAUSE) {
    quantity(t, "Counted ", f->value, "flop", "");
    quantity(t, ", by formula ", f->bound, "flop", ", or a result that is wrong.");
  } else
    quantity(t, "Counted as done, ", f->value, "flop", ", as the formula says");
  if (!(f->flags & FLAG_PARTIAL) && f->verdict != WHY_CAUSE)
    text_add(t, in->run->residual <= 1 ? "; the results agree with a plain reference." : ".");
  if (f->flags & FLAG_SUSPECT) text_add(t, " The harness finds the rate suspect for this clock.");
}

static void say_disturbed(const struct why_input *in, const struct why *f, struct text *t) {
  text_add(t, in->run ? "The point: " : "It tells ");
  if (in->run) quantity(t, "median of ", in->run->count, "n", ", ");
  if (f->value >= 0)
    quantity(t, "±", f->value, "%", "");
  else
    text_add(t, "no spread");
  if (in->run) quantity(t, ", seed ", in->run->seed, "n", ""), text_add(t, ", flags "), flags_say(in->run->flags, t);
  text_add(t, ". Roof of arithmetic: ");
  trust_say(in->peak_trust, t);
  text_add(t, ". Of memory: ");
  trust_say(in->rate_trust, t);
  text_add(t, ".");
}

static void say_part(const struct why_input *in, const struct why *f, struct text *t) {
  (void)in;
  if (f->verdict == WHY_FINE && f->check != WHY_IDLE) {
    static const char *const fine[WHY_N] = {[WHY_THREADS] = "As many ran as the roof has.",
                                            [WHY_ISA] = "Those of the roof, or they do not matter here.",
                                            [WHY_STORES] = "It stores next to nothing that it has not read, or that is not what limits it.",
                                            [WHY_DISPATCH] = "One thread needs no starting.",
                                            [WHY_SPREAD] = "The repetitions agree.",
                                            [WHY_OVERLAP] = "There is only one of the two."};
    text_add(t, fine[f->check] ? fine[f->check] : "");
    return;
  }
  switch (f->check) {
  case WHY_THREADS: quantity(t, "", f->value, "n", " ran"), quantity(t, ", the roof is of ", f->bound, "n", "."); break;
  case WHY_ISA: text_add(t, f->word ? f->word : ""), quantity(t, " ran, whose roof is ", f->value, "flop/s", "."); break;
  case WHY_STORES:
    quantity(t, "The bus carried ", f->value, "byte", ""),
        quantity(t, " for ", f->bound, "byte", " asked for: a line is fetched before it is stored to.");
    break;
  case WHY_DISPATCH:
    if (isnan(f->value))
      text_add(t, "What starting the team costs is not measured yet.");
    else
      quantity(t, "Starting the team and waiting for it takes ", f->value, "s", ".");
    break;
  case WHY_IDLE:
    if (isnan(f->value))
      text_add(t, "Their time was not told.");
    else
      quantity(t, "The threads' cores were busy ", f->value, "%", " of the time.");
    break;
  case WHY_SPREAD:
    if (f->verdict == WHY_UNKNOWN)
      text_add(t, "There are not enough repetitions to tell.");
    else
      quantity(t, "The best repetition took ", f->value, "s", ".");
    break;
  case WHY_OVERLAP:
    quantity(t, "Were arithmetic and traffic to wait for each other, ", f->value, "s", " would be the least; this is not measured.");
    break;
  case WHY_REST:
    text_add(t, "Not explained yet. Likely: waiting for single loads, bytes fetched in vain, work that is no arithmetic.");
    break;
  default: break;
  }
}

void why_say(const struct why_input *in, const struct why *f, struct text *t) {
  switch (f->check) {
  case WHY_LEVEL: say_level(in, f, t); break;
  case WHY_PRECISION: say_precision(in, f, t); break;
  case WHY_CLOCK: say_clock(in, f, t); break;
  case WHY_COUNT: say_count(in, f, t); break;
  case WHY_DISTURBED: say_disturbed(in, f, t); break;
  default: say_part(in, f, t);
  }
}
