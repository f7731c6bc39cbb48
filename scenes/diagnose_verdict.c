/* The diagnosis in words: the symptom and what it hides; then what it was, and the reading that says so. */
#include <math.h>
#include <string.h>

#include "scenes/diagnose.h"

static void add_number(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

static void add_count(struct text *t, double n, const char *one, const char *many) {
  text_count(t, n);
  text_add(t, n == 1 ? one : many);
}

static void add_upper(struct text *t, const char *s) {
  char first[2] = {s[0] >= 'a' && s[0] <= 'z' ? (char)(s[0] - 32) : s[0], 0};
  text_add(t, first);
  text_add(t, s + 1);
}

/* What anyone sees without a probe. */
static void add_symptom(const struct fact *f, int n, struct text *t) {
  double busy = fact_value(f, n, "busy"), slower = fact_value(f, n, "slowdown"), ended = fact_value(f, n, "ended_at");
  if (ended > 0) {
    add_number(t, "As fast as it should be for ", ended, "s", ", then out of memory. ");
    return;
  }
  add_number(t, "", slower, "x", " too slow. ");
  if (busy == 0)
    text_add(t, "The device is never busy, yet answers come: the host computes them. ");
  else if (busy < 0.7)
    add_number(t, "The device is busy ", busy, "%", " of the time: something keeps it waiting. ");
  else {
    add_number(t, "Busy ", busy, "%", " of the time");
    add_number(t, ", yet at ", fact_value(f, n, "peak_share"), "%", " of its peak: busy is not useful. ");
  }
}

static void verdict_open(const struct fact *f, int n, struct text *t) {
  double left = fact_value(f, n, "budget_left"), suspects = fact_value(f, n, "suspects");
  add_symptom(f, n, t);
  if (strcmp(fact_word(f, n, "answer_name"), "none") != 0)
    text_add(t, "Is it "), text_add(t, fact_word(f, n, "answer_name")), text_add(t, "? Turn sure on when you are.");
  else if (suspects == 1)
    text_add(t, "What you have seen fits one fault only: name it.");
  else {
    add_count(t, suspects, " fault fits", " faults fit");
    text_add(t, " what you have seen. ");
    if (left > 0)
      text_add(t, "Probe (you can spend "), text_count(t, left), text_add(t, "), then answer.");
    else
      text_add(t, "Nothing is left to spend: answer.");
  }
}

/* "Copies in pieces would show one copy 1.19 B; here it is 162 MB." */
static void add_proof(const struct fact *f, int n, struct text *t) {
  const struct fact *rival = fact_find(f, n, "rival_value"), *own = fact_find(f, n, "true_value");
  const char *probe = fact_word(f, n, "rival_probe");
  if (!*fact_word(f, n, "rival") || isnan(own->value)) return;
  add_upper(t, fact_word(f, n, "rival"));
  text_add(t, strcmp(probe, "none") == 0 ? " looks otherwise at once" : " looks the same");
  if (strcmp(probe, "none") != 0) text_add(t, " until you probe "), text_add(t, probe);
  text_add(t, ": ");
  text_add(t, fact_word(f, n, "rival_gauge"));
  add_number(t, " would be ", rival->value, rival->unit, "");
  add_number(t, ", here ", own->value, own->unit, ".");
}

static void verdict_answered(const struct fact *f, int n, struct text *t) {
  bool right = fact_value(f, n, "correct") == 1;
  if (!right)
    text_add(t, "No, it is ");
  else if (fact_value(f, n, "budget_left") < 0)
    text_add(t, "Right, but over the budget: ");
  else
    text_add(t, fact_value(f, n, "suspects") > 1 ? "Right, by luck: " : "Right: ");
  if (!right) text_add(t, fact_word(f, n, "truth")), text_add(t, ": ");
  text_add(t, fact_word(f, n, "truth_meaning"));
  text_add(t, ". ");
  add_proof(f, n, t);
  double spent = fact_value(f, n, "spent"), least = fact_value(f, n, "least_cost");
  if (!right || !(spent > least) || t->n > 190) return; /* three lines, no more */
  text_add(t, " You spent ");
  text_count(t, spent);
  text_add(t, ", ");
  text_count(t, least);
  text_add(t, " would do.");
}

static void verdict_checklist(const struct fact *f, int n, struct text *t) {
  double suspects = fact_value(f, n, "suspects");
  if (suspects == 0) {
    text_add(
        t, "No fault known here shows all of this together: look again at what was put in, one may be a mistake, or there are two faults.");
    return;
  }
  if (suspects == 1) {
    text_add(t, "Only one known fault shows all of this: ");
    text_add(t, fact_word(f, n, "found"));
    text_add(t, ". Step 6: decide what serves until it is mended: queue, turn some away, a smaller model, another's service.");
    return;
  }
  text_count(t, suspects);
  text_add(t, " faults show what was put in. ");
  if (fact_value(f, n, "next_step") < CHECKLIST_STEPS) {
    text_add(t, "Next, step ");
    text_count(t, fact_value(f, n, "next_step"));
    text_add(t, ": ");
    text_add(t, fact_word(f, n, "next_look"));
    text_add(t, ". Look in this order: each step is cheaper than the next, and wrong guesses come from steps left out.");
  } else
    text_add(
        t, "The steps can tell no more. Step 6: decide what serves meanwhile: queue, turn some away, a smaller model, another's service.");
}

static void verdict_faults(const struct fact *f, int n, struct text *t) {
  const char *truth = fact_word(f, n, "truth");
  if (strcmp(truth, "nothing") == 0) {
    text_add(t, "All is well: memory and arithmetic are equally slow, the host could feed three such devices. Choose a fault (answer) and "
                "see which "
                "gauges it moves; ! marks a probe that finds it alone, + one that helps.");
    return;
  }
  if (!*fact_word(f, n, "truth_meaning")) {
    text_add(t, "This fault is not possible with this device and model at this seed. Choose another, or turn the seed.");
    return;
  }
  add_upper(t, fact_word(f, n, "truth_meaning"));
  text_add(t, ". ");
  add_proof(f, n, t);
  double least = fact_value(f, n, "least_cost");
  if (least > 0) text_add(t, " Can be found for "), text_count(t, least), text_add(t, ".");
}

void diagnose_verdict(const struct fact *f, int n, struct text *t) {
  const char *view = fact_word(f, n, "view_name");
  if (strcmp(fact_word(f, n, "state"), "unknown") == 0 && strcmp(view, "checklist") != 0) {
    text_add(t, "No service can be made of this device and this model: a figure is not known, or the model does not fit. Choose others.");
    return;
  }
  if (strcmp(view, "checklist") == 0)
    verdict_checklist(f, n, t);
  else if (strcmp(view, "faults") == 0)
    verdict_faults(f, n, t);
  else if (isnan(fact_value(f, n, "correct")))
    verdict_open(f, n, t);
  else
    verdict_answered(f, n, t);
}
