/* The tables of the cases scene: the checks of one case, what became of all candidates, the parts of the assistant. */
#include <math.h>

#include "scenes/cases.h"

static struct fact word(const char *name, const char *w, const char *meaning) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = w ? w : "", .meaning = meaning};
}

static const char *state_word(enum cases_state s) {
  static const char *const name[] = {"", "yes", "no", "not known"};
  return name[s];
}

/* The fact called `from` under the name of a column. */
static struct fact copy(const struct fact *f, int n, const char *from, const char *name, const char *meaning) {
  const struct fact *found = from ? fact_find(f, n, from) : NULL;
  if (!found) return (struct fact){.name = name, .unit = "1", .value = NAN, .meaning = meaning};
  return (struct fact){.name = name, .unit = found->unit, .value = found->value, .word = found->word, .meaning = meaning};
}

static int rows_case(const struct world *w, const struct setup *s, int row, struct fact *out) {
  static const char *const has[] = {"first", "second", "third"}, *const limit[] = {"first_limit", "second_limit", "third_limit"};
  static const char *const passes[] = {"first_passes", "second_passes", "third_passes"};
  struct fact f[FACT_MAX];
  struct cases_decision d;
  const struct cases_row *about = cases_row(cases_shown(s));
  if (row > about->checks) return 0;
  int n = cases_facts(w, s, f), k = row - 1;
  cases_decide(f, n, cases_shown(s), &d);
  out[0] = word("step", row ? cases_step_name(about->check[k].step) : "candidate", "Which of the steps it belongs to.");
  out[1] = word("check", row ? about->check[k].label : about->title, "What is looked at.");
  int c = 2;
  for (int i = 0; i < CANDIDATES; i++) {
    if (!row) {
      out[c++] = word(has[i], about->candidate[i], "What the candidate has.");
      out[c++] = word(limit[i], "", "What it may have at most, or must have at least.");
      out[c++] = word(passes[i], !about->candidate[i] ? "" : d.chosen == i ? "chosen" : d.passes[i] ? "yes" : "no", "Whether it passes.");
      continue;
    }
    out[c++] = copy(f, n, about->check[k].has[i], has[i], "What the candidate has.");
    out[c++] = copy(f, n, about->check[k].limit[i], limit[i], "What it may have at most, or must have at least.");
    out[c++] = word(passes[i], state_word(d.state[k][i]), "Whether it passes.");
  }
  return c;
}

static int rows_summary(const struct world *w, const struct setup *s, int row, struct fact *out) {
  struct fact f[FACT_MAX];
  struct cases_decision d;
  if (row >= CASE_N * CANDIDATES) return 0;
  enum cases_case c = (enum cases_case)(row / CANDIDATES);
  int i = row % CANDIDATES, n = cases_facts(w, s, f);
  const struct cases_row *about = cases_row(c);
  cases_decide(f, n, c, &d);
  const struct cases_check *fell = d.fell[i] >= 0 ? &about->check[d.fell[i]] : NULL, *cost = &about->check[about->checks - 1];
  out[0] = word("case", about->title, "Which workload.");
  out[1] = word("candidate", about->candidate[i], "What might do it.");
  out[2] = word("passes",
                !about->candidate[i] ? ""
                : d.chosen == i      ? "chosen"
                : d.passes[i]        ? "yes"
                : fell               ? "no"
                                     : "not known",
                "Whether it passes every step.");
  out[3] = word("falls_at", fell ? cases_step_name(fell->step) : "", "The first step it does not pass.");
  out[4] = word("check", fell ? fell->label : "", "What was looked at there.");
  out[5] = copy(f, n, fell ? fell->has[i] : NULL, "has", "What it has.");
  out[6] = copy(f, n, fell ? fell->limit[i] : NULL, "limit", "What it may have.");
  out[7] = copy(f, n, cost->has[i], "cost", "What it costs, in the unit of the case.");
  out[8] = word("decision", cases_says(c, &d), "What is decided in this case.");
  out[9] = word("decided_by", cases_decided_by(c, &d), "Where the rival that got furthest fell.");
  return 10;
}

static int rows_placement(const struct world *w, const struct setup *s, int row, struct fact *out) {
  double host, accelerator;
  if (row >= PARTS) return 0;
  const struct cases_part *p = cases_part(row);
  cases_part_time(w, s, row, &host, &accelerator);
  out[0] = (struct fact){.name = "part", .unit = "n", .value = row + 1, .meaning = "Its number: accelerated=NUMBER,…"};
  out[1] = word("name", p->name, "What it does.");
  out[2] = word("placed_on", cases_placed(s) >> row & 1 ? "accelerator" : "server", "Where it stands.");
  out[3] = word("belongs_on", p->place == PLACE_HOST ? "server" : p->place == PLACE_EITHER ? "either" : "accelerator", "Where it belongs.");
  out[4] = (struct fact){.name = "server_time", .unit = "s", .value = host, .meaning = "On a server."};
  out[5] = (struct fact){
      .name = "accelerator_time", .unit = "s", .value = accelerator, .meaning = "On the accelerator; unknown where it cannot run."};
  out[6] = word("works", state_word(cases_part_state(w, s, row)), "Whether it runs there, in the time that an answer may take.");
  out[7] = word("why", p->why, "Why it belongs there.");
  return 8;
}

int cases_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  if (row < 0) return 0;
  if (cases_view(s) == VIEW_PLACEMENT) return rows_placement(w, s, row, out);
  return cases_view(s) == VIEW_SUMMARY ? rows_summary(w, s, row, out) : rows_case(w, s, row, out);
}
