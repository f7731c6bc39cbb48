/* The lab in words: what this view shows, what follows for whoever measures, and what was not seen. */
#include <math.h>
#include <string.h>

#include "scenes/lab.h"
#include "scenes/lab_record.h"

static void add_number(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

double lab_round(double n) {
  double step = n >= 100 ? pow(10, floor(log10(n)) - 1) : 1;
  return round(n / step) * step;
}

static void verdict_first(const struct fact *f, int n, struct text *t) {
  double ratio = fact_value(f, n, "warmup_ratio"), off = fact_value(f, n, "naive_error"), pages = fact_value(f, n, "warmup_faults");
  if (isnan(ratio)) {
    text_add(t, "Not timed yet: m. The first repetition is drawn apart from those after it, and never counted with them.");
    return;
  }
  add_number(t, "The first run took ", ratio, "x", " as long as later ones");
  if (ratio < 1.05)
    text_add(t, ": little was cold here. That is luck, not a rule");
  else if (pages > 2 * fmax(fact_value(f, n, "warm_faults"), 0) + 16)
    text_add(t, ": "), text_count(t, pages), text_add(t, " pages had to be put in place, and the caches were cold");
  else
    text_add(t, ": caches, branch predictors and the clock were cold");
  text_add(t, ". ");
  if (off > 0.005) add_number(t, "Averaged in, it makes ten runs look ", off, "%", " slower. ");
  text_add(t, "Warm up, throw that away, then measure.");
}

static void verdict_spread(const struct fact *f, int n, struct text *t) {
  double disturbed = fact_value(f, n, "disturbed_share"), mean = fact_value(f, n, "mean_ratio");
  if (isnan(fact_value(f, n, "median_time"))) {
    text_add(t, "Not timed yet: m. Each repetition falls into a column; the shape says more than any one number.");
    return;
  }
  if (fact_value(f, n, "groups") == 2) {
    add_number(t, "Two speeds, ", fact_value(f, n, "group_low"), "s", " and ");
    text_number(t, fact_value(f, n, "group_high"), "s");
    text_add(t, ", and a gap between: no single number stands for both. Find what switches. ");
  } else
    add_number(t, "Best (", fact_value(f, n, "best_time"), "s", ") goes on a roof, the median on a point, 95 % in a promise. ");
  if (disturbed > 0.1)
    add_number(t, "Other work took a core away in ", disturbed, "%",
               disturbed < 1 ? " of them: the best still stands." : " of them, so even the best is in doubt: m again, alone.");
  else if (mean > 1.02)
    add_number(t, "The mean is ", mean, "x", " the median: time has a floor and no ceiling.");
  else
    add_number(t, "A difference under the spread, ", fact_value(f, n, "measured_spread"), "%", ", is no difference.");
}

static void verdict_async(const struct fact *f, int n, struct text *t) {
  double ratio = fact_value(f, n, "async_ratio"), over = fact_value(f, n, "over_roof");
  double submit = fact_value(f, n, "submit_time"), done = fact_value(f, n, "done_time");
  if (isnan(ratio)) {
    if (submit > 0)
      add_number(t, "Only the hand-over is timed: ", submit, "s", ". m runs the same work waited for, and shows by how much that is too small. ");
    else if (done > 0)
      add_number(t, "Only the work waited for is timed: ", done, "s", ". m runs the hand-over alone, which looks so much faster. ");
    else
      text_add(t, "Not timed yet: m runs it twice, once without waiting and once waiting for the work. ");
    text_add(t, "A pool of threads stands in for a device: handing over returns at once.");
    return;
  }
  add_number(t, "Nobody waited: ", fact_value(f, n, "done_time"), "s", " of work look like ");
  add_number(t, "", fact_value(f, n, "submit_time"), "s", ". ");
  if (over > 1)
    add_number(t, "The rate claimed is ", over, "x", " the roof: impossible, above the roof. ");
  else if (over <= 1)
    text_add(t, "The rate claimed is still below the roof, so nothing looks wrong: worse. ");
  text_add(t, "Wait for the work, then stop the clock. (A pool of threads stands in for a device.)");
}

static void verdict_long(const struct fact *f, int n, struct text *t) {
  const char *kind = fact_word(f, n, "drop_kind");
  double share = fact_value(f, n, "drop_share"), clock = fact_value(f, n, "clock_drop"), flattery = fact_value(f, n, "flattery");
  double length = fact_value(f, n, "run_time"), burst = fact_value(f, n, "burst_flop_per_s");
  if (strcmp(kind, "unknown") == 0) {
    if (burst > 0) add_number(t, "A short run says ", burst, "flop/s", ". Will it last? ");
    text_add(t, "m runs it for as long as the knob says and draws rate and clock as it goes; moving a knob stops it.");
    return;
  }
  if (strcmp(kind, "none") == 0) {
    text_add(t, "No drop");
    if (share > 0.02) add_number(t, " beyond the noise, ", fact_value(f, n, "noise_share"), "%", ",");
    add_number(t, " in ", length, "s", ": it ends at ");
    add_number(t, "", fact_value(f, n, "end_flop_per_s"), "flop/s", share > 0.02 ? ". " : ", as it began. ");
  } else {
    bool step = strcmp(kind, "step") == 0;
    add_number(t, "It drops ", share, "%", step ? " at once, at " : " little by little, half of it by ");
    add_number(t, "", fact_value(f, n, "drop_at"), "s", ". ");
    if (clock > share / 2)
      add_number(t, "The clock fell ", clock, "%", ": heat or a power limit. ");
    else if (!isnan(clock))
      text_add(t, "The clock did not: other work, or a quota. ");
  }
  if (flattery > 0.02) add_number(t, "The short run promises ", flattery, "%", " more than the long one keeps.");
}

static void verdict_small(const struct fact *f, int n, struct text *t) {
  double start = fact_value(f, n, "dispatch_time"), team = fact_value(f, n, "team_size"), tie = fact_value(f, n, "measured_n");
  double smallest = fact_value(f, n, "gain_smallest"), largest = fact_value(f, n, "gain_largest");
  if (strcmp(fact_word(f, n, "state"), "no kernel for this") == 0) {
    text_add(t, "This operation cannot show it: it has no kernel, or goes through a small set many times for each start of the team. "
                "Choose another, such as saxpy.");
    return;
  }
  if (isnan(start) && isnan(largest)) {
    text_add(t, "Not timed yet: m looks for the crossover. It runs the same work on one core and on all of them, from tiny to large, and "
                "times what starting the team costs.");
    return;
  }
  if (!isnan(start)) {
    text_add(t, "Starting ");
    text_count(t, team);
    add_number(t, " cores costs ", start, "s", ". ");
  }
  if (tie > 0) {
    text_add(t, "Below n = ");
    text_count(t, lab_round(tie));
    text_add(t, " or so one core beats all of them");
    if (fact_value(f, n, "predicted_n") > 0)
      text_add(t, " (predicted: "), text_count(t, lab_round(fact_value(f, n, "predicted_n"))), text_add(t, ")");
    text_add(t, ". ");
  } else if (smallest > 1)
    text_add(t, "All cores win even at the smallest size. ");
  else if (largest <= 1)
    text_add(t, "One core wins at every size measured. ");
  else if (isnan(largest)) {
    text_add(t, "m goes on to the sizes at which the crossover shows.");
    return;
  }
  text_add(t, "Work is worth sending away only when it outweighs the trip.");
}

void lab_verdict(const struct fact *f, int n, struct text *t) {
  /* The view is told by the panel: facts that stand in it have labels. */
  static const struct {
    const char *fact;
    void (*say)(const struct fact *, int, struct text *);
  } view[] = {{"warmup_time", verdict_first},        {"best_time", verdict_spread},     {"submit_time", verdict_async},
              {"burst_flop_per_s", verdict_long},    {"dispatch_time", verdict_small},  {"fields_given", lab_record_verdict},
              {"cost_per_mtoken", lab_cost_verdict}, {"open_mean", lab_arrival_verdict}};
  for (size_t i = 0; i < sizeof view / sizeof *view; i++) {
    const struct fact *at = fact_find(f, n, view[i].fact);
    if (at && at->label) view[i].say(f, n, t);
  }
}
