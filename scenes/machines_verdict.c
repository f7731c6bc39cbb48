/* The machines scene in words: what the sheet does not say. */
#include <math.h>
#include <string.h>

#include "scenes/machines.h"

static double value(const struct fact *f, int n, const char *name) { return fact_value(f, n, name); }

static void add_number(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

/* An id that may be a long path must not push the sentence off the screen. */
static void add_id(struct text *t, const char *id) {
  char brief[25];
  strncpy(brief, machines_brief(id), sizeof brief - 1);
  brief[sizeof brief - 1] = 0;
  text_add(t, brief);
}

static void verdict_table(const struct fact *f, int n, struct text *t) {
  double balance = value(f, n, "balance_point"), ratio = value(f, n, "twin_rate_ratio");
  add_id(t, fact_word(f, n, "device_id"));
  if (isnan(balance)) {
    text_add(t, strcmp(fact_word(f, n, "device_id"), "here") == 0 && isnan(value(f, n, "memory_byte_per_s"))
                    ? ": not measured yet, press R. Two numbers decide: peak and memory rate; their ratio says what it is built for."
                    : ": one of the two numbers is missing, peak or memory rate, so nobody can say what it is balanced for.");
    return;
  }
  add_number(t, ": ", value(f, n, "peak_flop_per_s"), "flop/s", " over ");
  add_number(t, "", value(f, n, "memory_byte_per_s"), "byte/s", ": each byte must serve ");
  add_number(t, "", balance, "1", " FLOP before arithmetic is the limit. ");
  if (!isnan(ratio)) {
    add_id(t, fact_word(f, n, "twin"));
    add_number(t, " has the same peak, and ", ratio, "x", " the memory rate.");
  } else
    text_add(t, balance > 150 ? "Built for large dense products; the rest of a model waits."
                              : "Less out of balance than most: memory keeps up sooner.");
}

static void verdict_plot(const struct fact *f, int n, struct text *t) {
  double time = value(f, n, "read_time");
  add_id(t, fact_word(f, n, "device_id"));
  if (isnan(time)) {
    text_add(t, ": its capacity or its memory rate is not known. Capacity decides what fits, the rate how fast it is read.");
    return;
  }
  add_number(t, " reads its whole ", value(f, n, "memory_byte"), "byte", " once in ");
  add_number(t, "", time, "s", ": a model that fills it makes ");
  add_number(t, "", 1 / time, "1",
             " tokens a second at most. Large memory is often slow memory: capacity says what fits, the rate how fast.");
}

static void verdict_balance(const struct fact *f, int n, struct text *t) {
  double least = value(f, n, "balance_least"), most = value(f, n, "balance_most");
  if (isnan(least)) {
    text_add(t, "No balance point is known in this list: peak or memory rate is missing everywhere.");
    return;
  }
  text_add(t, "Balance points from ");
  add_number(t, "", least, "1", " (");
  add_id(t, fact_word(f, n, "balance_least_device"));
  add_number(t, ") to ", most, "1", " (");
  add_id(t, fact_word(f, n, "balance_most_device"));
  text_add(t, ") FLOP per byte. Further up and left: more peak for each byte, so more work ends up waiting for memory.");
}

static void verdict_card(const struct fact *f, int n, struct text *t) {
  double doubtful = value(f, n, "figures_unverified"), known = value(f, n, "figures_known");
  add_id(t, fact_word(f, n, "device_id"));
  text_add(t, ": ");
  text_count(t, known);
  text_add(t, known == 1 ? " figure known, " : " figures known, ");
  if (doubtful > 0)
    text_count(t, doubtful), text_add(t, " of them never checked against a source (?). ");
  else
    text_add(t, "each with its source. ");
  text_add(t,
           "They show the shape of the problem, not what to buy: peaks are dense, links are told for one direction, and all of them age.");
}

static void verdict_peak(const struct fact *f, int n, struct text *t) {
  double kept = value(f, n, "peeled_share"), rate = value(f, n, "memory_byte_per_s");
  if (isnan(kept)) {
    text_add(t, "No peak is known of this device, so there is nothing to peel. Choose another with the device knob.");
    return;
  }
  if (kept >= 0.9999) {
    add_number(t, "", value(f, n, "headline_flop_per_s"), "flop/s", " is what is advertised: in ");
    text_add(t, fact_word(f, n, "headline_type"));
    text_add(t, value(f, n, "sparsity_factor") > 1 ? ", zeros skipped" : "");
    text_add(t, ", one dense product, all units busy. Take the four off, one by one");
    text_add(t, isnan(value(f, n, "operation_factor")) ? ". For any other operation this sheet names no rate."
                                                       : ", and watch the memory rate.");
    return;
  }
  add_number(t, "", value(f, n, "headline_flop_per_s"), "flop/s", " on the sheet, ");
  add_number(t, "", value(f, n, "peeled_flop_per_s"), "flop/s", " left: ");
  add_number(t, "", kept, "%", ". The memory rate is still ");
  add_number(t, "", rate, "byte/s", ", so the balance point falls from ");
  add_number(t, "", value(f, n, "headline_balance"), "1", " to ");
  add_number(t, "", value(f, n, "peeled_balance"), "1", ".");
}

static void verdict_cpu(const struct fact *f, int n, struct text *t) {
  double here = value(f, n, "here_flop_per_s");
  double product = value(f, n, "product_share");
  add_number(t, "Cores x units x lanes x 2 x clock = ", value(f, n, "built_flop_per_s"), "flop/s",
             isnan(product) ? ": a ceiling; real code gets a part of it. " : ", a ceiling. ");
  if (isnan(here)) {
    text_add(t, strcmp(fact_word(f, n, "here_isa"), "not measured") == 0 ? "This machine is not measured yet: R."
                                                                         : "And this machine? A guess first.");
    return;
  }
  add_number(t, "This machine: ", here, "flop/s", " measured, ");
  add_number(t, "", value(f, n, "here_flop_per_cycle"), "flop", " a cycle in each thread");
  if (value(f, n, "here_units") > 0) add_number(t, ", as of ", value(f, n, "here_units"), "1", " units");
  text_add(t, ".");
  if (!isnan(product)) add_number(t, " A real product got ", product, "%", " of it.");
}

static void verdict_twins(const struct fact *f, int n, struct text *t) {
  double ratio = value(f, n, "twin_ratio"), a = value(f, n, "twin_a_flop_per_s"), b = value(f, n, "twin_b_flop_per_s");
  if (isnan(ratio)) {
    text_add(t, "A peak or a memory rate of the two is not known: nobody can say which does better.");
    return;
  }
  if (fabs(a / b - 1) <= 0.01)
    add_number(t, "Both sheets say ", a, "flop/s", ". ");
  else
    add_number(t, "The sheets say ", a, "flop/s", " and "), add_number(t, "", b, "flop/s", ". ");
  add_number(t, "At this intensity one reaches ", value(f, n, "twin_a_attainable"), "flop/s", ", the other ");
  add_number(t, "", value(f, n, "twin_b_attainable"), "flop/s",
             fabs(ratio - 1) < 0.005 ? ": no difference, arithmetic is the limit." : ": whoever compares peaks alone is misled.");
}

static void verdict_choose(const struct fact *f, int n, struct text *t) {
  double served = value(f, n, "devices_serving"), waiting = value(f, n, "devices_memory_bound");
  const char *against = fact_word(f, n, "against");
  if (strcmp(against, "nothing") != 0) {
    add_id(t, fact_word(f, n, "device_id"));
    text_add(t, " is a poor fit: ");
    text_add(t, against);
    text_add(t, ". ");
    if (!(served > 0)) {
      text_add(t, "So is every other one here that holds the data.");
      return;
    }
    text_add(t, "First without that fault is ");
    add_id(t, fact_word(f, n, "best_device"));
    add_number(t, ", at most ", value(f, n, "best_per_s"), "1", " a second.");
    return;
  }
  if (!(served > 0) && value(f, n, "devices_poor") > 0) {
    text_add(t, "Those that hold the data are all a poor fit for what is special about this work.");
    return;
  }
  if (!(served > 0)) {
    text_add(t, "None of these holds the data. Fewer bits a value, several devices, or more memory: the devices knob shares it out.");
    return;
  }
  if (waiting == served)
    text_add(t, served == 1 ? "It waits for memory" : "All that hold it wait for memory");
  else if (waiting == 0)
    text_add(t, served == 1 ? "It calculates" : "All that hold it calculate");
  else
    text_count(t, waiting), text_add(t, " of "), text_count(t, served), text_add(t, " wait for memory, the others calculate");
  text_add(t, waiting == served ? ": buy bandwidth, peaks do not matter. "
              : waiting == 0    ? ": buy arithmetic. "
                                : ": it depends on the device. ");
  text_add(t, "First is ");
  add_id(t, fact_word(f, n, "best_device"));
  add_number(t, ", at most ", value(f, n, "best_per_s"), "1", " a second, ");
  text_add(t, value(f, n, "devices_used") > 1 ? "links between devices not counted." : "a bound without price or efficiency.");
}

void machines_verdict(const struct fact *f, int n, struct text *t) {
  static const struct {
    const char *view;
    void (*say)(const struct fact *, int, struct text *);
  } table[] = {{"table", verdict_table}, {"plot", verdict_plot}, {"balance", verdict_balance}, {"card", verdict_card},
               {"peak", verdict_peak},   {"cpu", verdict_cpu},   {"twins", verdict_twins},     {"choose", verdict_choose}};
  const char *view = fact_word(f, n, "view_name");
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(view, table[i].view) == 0) table[i].say(f, n, t);
}
