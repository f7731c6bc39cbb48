/* The offload scene in words: whether crossing pays at this size, from where on it does, and what would help. */
#include <math.h>
#include <string.h>

#include "scenes/offload.h"
#include "scenes/offload_group.h"

static void add_share(struct text *t, double share, const char *words) {
  text_add(t, " ");
  text_number(t, share, "%");
  text_add(t, words);
}

/* Overlapped, a trip costs its slowest stage: only that one is worth a thought. */
static void remedy_overlapped(const struct fact *f, int n, struct text *t) {
  double in = fact_value(f, n, "in_time"), run = fact_value(f, n, "run_time"), out = fact_value(f, n, "out_time");
  text_add(t, " Overlapped, a trip costs its slowest stage: ");
  if (run >= in && run >= out)
    text_add(t, "the device itself. Cheaper copies change nothing.");
  else {
    text_add(t, in >= out ? "the copy in" : "the copy out");
    text_add(t, ". Carry less, in fewer calls, or over a faster link.");
  }
}

/* What would help, by what the device's time is made of. */
static void verdict_remedy(const struct fact *f, int n, struct text *t) {
  double total = fact_value(f, n, "device_time"), link = fact_value(f, n, "link_time") / total;
  double fixed = fact_value(f, n, "fixed_time") / total, compute = fact_value(f, n, "compute_time") / total;
  const char *faster = compute < 0.1 ? " A faster device hardly helps." : "";
  if (strcmp(fact_word(f, n, "schedule"), "overlapped") == 0) {
    remedy_overlapped(f, n, t);
  } else if (link >= fixed && link >= compute) {
    add_share(t, link, " of its time is bytes on the link: leave operands there, reuse or overlap.");
    text_add(t, faster);
  } else if (fixed >= compute) {
    add_share(t, fixed,
              fact_value(f, n, "copies") > 0 ? " of its time is copy calls and launches: fewer, larger ones help."
                                             : " of its time is launches: fewer, larger ones help.");
    text_add(t, faster);
  } else
    add_share(t, compute, " of its time is arithmetic: here a faster device helps, a faster link less.");
}

static void verdict_unknown(const struct fact *f, int n, struct text *t) {
  bool host = isnan(fact_value(f, n, "host_time")), device = isnan(fact_value(f, n, "device_flop_per_s"));
  if (host) text_add(t, "This machine's rate is not measured yet: press R. ");
  if (device && strncmp(fact_word(f, n, "device_from"), "not measured", 12) != 0)
    text_add(t, "The device's sheet gives no rate for this data type. ");
  if (!device && isnan(fact_value(f, n, "device_time")))
    text_add(t, "How fast this device's link to its host is, is not known: choose a link. ");
}

void offload_verdict(const struct fact *f, int n, struct text *t) {
  double first = fact_value(f, n, "first_winning_n"), speedup = fact_value(f, n, "speedup"), alone = fact_value(f, n, "kernel_speedup");
  bool carries = fact_value(f, n, "copies") > 0;
  if (fact_find(f, n, "group_step_time")->label) { /* the panel tells the view */
    group_verdict(f, n, t);
    return;
  }
  if (isnan(speedup)) {
    verdict_unknown(f, n, t);
    return;
  }
  if (speedup > 1) {
    text_add(t, "Worth crossing: the device is ");
    text_number(t, speedup, "x");
    text_add(t, " faster end to end");
    if (speedup < 0.98 * alone) text_add(t, ", not the "), text_number(t, alone, "x"), text_add(t, " of arithmetic alone");
    text_add(t, ".");
  } else if (isnan(first) && alone <= 1) {
    text_add(t, "Not worth crossing at any size: the device calculates no faster than the host.");
    return;
  } else if (isnan(first)) {
    text_add(t, "Not worth crossing: even at n = 2^20 the trip costs more than the little arithmetic it saves.");
    return;
  } else {
    text_add(t, speedup == 1 ? "A tie: " : "Stay on the host: ");
    text_add(t, carries ? "the trip" : "starting the kernel");
    text_add(t, speedup == 1 ? " costs just what the arithmetic saves." : " costs more than the arithmetic saves.");
    text_add(t, " From n = ");
    text_count(t, first);
    text_add(t, " on the device wins.");
  }
  if (strncmp(fact_word(f, n, "schedule"), "one by one:", 11) == 0)
    text_add(t, " Overlap changes nothing here: it needs pinned memory, else each copy is waited for.");
  else
    verdict_remedy(f, n, t);
}
