/* The facts of the cases scene: those of all four, what they come to, and how a decision is made of them. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "scenes/cases.h"
#include "scenes/machines.h"

enum {
  F_CASE,
  F_DECISION,
  F_DECIDED,
  F_EMBED,
  F_TUNE,
  F_TICKET,
  F_EDGE,
  F_EMBED_BY,
  F_TUNE_BY,
  F_TICKET_BY,
  F_EDGE_BY,
  F_SERVER_BYTE,
  F_DEVICE_BYTE,
  F_ALL,
  F_PROVENANCE,
  F_STATE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_CASE] = {"case", NULL, "", 2, NULL, "What is on show."},
    [F_DECISION] = {"decision", NULL, "", 1, NULL, "The candidate that passes every step at the least cost."},
    [F_DECIDED] = {"decided_by", "decided by", "", 1, NULL,
                   "Where the rival that got furthest fell: the constraint that chose the hardware."},
    [F_EMBED] = {"embed_decision", NULL, "", 2, NULL, "The decision on search embedding."},
    [F_TUNE] = {"tune_decision", NULL, "", 2, NULL, "The decision on fine-tuning."},
    [F_TICKET] = {"ticket_decision", NULL, "", 2, NULL, "The decision on the ticket classifier."},
    [F_EDGE] = {"edge_decision", NULL, "", 2, NULL, "The decision on the edge model."},
    [F_EMBED_BY] = {"embed_decided_by", NULL, "", 2, NULL, "What decided it."},
    [F_TUNE_BY] = {"tune_decided_by", NULL, "", 2, NULL, "What decided it."},
    [F_TICKET_BY] = {"ticket_decided_by", NULL, "", 2, NULL, "What decided it."},
    [F_EDGE_BY] = {"edge_decided_by", NULL, "", 2, NULL, "What decided it."},
    [F_SERVER_BYTE] = {"server_byte", NULL, "byte", 2, "host_memory", "Memory of one server."},
    [F_DEVICE_BYTE] = {"device_byte", "memory of one", "byte", 2, NULL, "Memory of one accelerator: the device's, by its sheet."},
    [F_ALL] = {"all_of_it", NULL, "%", 2, NULL, "All of the time: nothing can be busy for longer."},
    [F_STATE] = {"state", NULL, "", 2, NULL, "Whether a real product was measured on this machine, whose rate rates=device then takes."},
    [F_PROVENANCE] = {"provenance", NULL, "", 2, NULL, "Whose numbers these are."},
};

int cases_table(const struct setup *s, enum view_id view, const struct fact *table, int n, struct fact *out) {
  return facts_begin(out, table, n, cases_view(s) == view);
}

void cases_put(struct fact *f, double v) {
  f->value = isinf(v) ? NAN : v;
  f->word = isinf(v) ? "no end" : NULL;
}

const struct cases_row *cases_row(enum cases_case c) {
  static const struct cases_row *const row[CASE_N] = {&cases_embed_row, &cases_tune_row, &cases_ticket_row, &cases_edge_row};
  return row[c];
}

const char *cases_step_name(enum cases_step s) {
  static const char *const name[STEP_N] = {"estimate", "target", "memory", "limits", "cost"};
  return name[s];
}

static enum cases_state check_state(const struct fact *f, int n, const struct cases_check *check, int candidate) {
  if (!check->has[candidate]) return CASES_NOTHING;
  const struct fact *has = fact_find(f, n, check->has[candidate]);
  assert(has);
  if (has->word) return strcmp(has->word, "yes") == 0 ? CASES_PASSES : CASES_FAILS;
  if (!check->limit[candidate]) return isnan(has->value) ? CASES_UNKNOWN : CASES_NOTHING;
  double limit = fact_value(f, n, check->limit[candidate]);
  if (isnan(has->value) || isnan(limit)) return CASES_UNKNOWN;
  return (check->at_least ? has->value >= limit : has->value <= limit) ? CASES_PASSES : CASES_FAILS;
}

/* The cheapest of those that pass; where two will do together, the first in the order of what was asked. */
static int choose(const struct cases_row *row, const struct cases_decision *d) {
  int chosen = -1;
  for (int i = 0; i < CANDIDATES; i++)
    if (d->passes[i] && (chosen < 0 || (!row->together && d->cost[i] < d->cost[chosen]))) chosen = i;
  return chosen;
}

void cases_decide(const struct fact *f, int n, enum cases_case c, struct cases_decision *out) {
  const struct cases_row *row = cases_row(c);
  *out = (struct cases_decision){.chosen = -1, .decisive = -1};
  for (int i = 0; i < CANDIDATES; i++) {
    out->fell[i] = -1, out->cost[i] = INFINITY;
    if (!row->candidate[i]) continue;
    bool unknown = false;
    for (int k = 0; k < row->checks; k++) {
      enum cases_state state = out->state[k][i] = check_state(f, n, &row->check[k], i);
      unknown |= state == CASES_UNKNOWN && row->check[k].step != STEP_COST;
      if (state == CASES_FAILS && out->fell[i] < 0) out->fell[i] = k;
      if (row->check[k].step == STEP_COST && row->check[k].has[i]) out->cost[i] = fact_value(f, n, row->check[k].has[i]);
    }
    if (isnan(out->cost[i])) out->cost[i] = INFINITY;
    out->passes[i] = out->fell[i] < 0 && !unknown;
    out->unknown |= unknown && out->fell[i] < 0;
    out->passing += out->passes[i];
  }
  out->chosen = choose(row, out);
  bool both = row->together && out->chosen == 1 && out->passes[2];
  for (int i = 0; i < CANDIDATES; i++) {
    if (i == out->chosen || !row->candidate[i] || (both && i == 2)) continue;
    int fell = out->fell[i] >= 0 ? out->fell[i] : out->passes[i] ? row->checks - 1 : -1;
    if (fell > out->decisive) out->decisive = fell;
  }
}

const char *cases_says(enum cases_case c, const struct cases_decision *d) {
  const struct cases_row *row = cases_row(c);
  if (d->chosen < 0) return d->unknown ? "not known" : "none of these";
  return row->together && d->chosen == 1 && d->passes[2] ? row->together : row->decision[d->chosen];
}

const char *cases_decided_by(enum cases_case c, const struct cases_decision *d) {
  return d->decisive < 0 ? "nothing" : cases_row(c)->check[d->decisive].decides;
}

/* Rates are the chapter's round ones unless devices were asked for; a device's own figures come from its sheet. */
static const char *whose(const struct world *w, const struct setup *s) {
  enum view_id view = cases_view(s);
  bool sheet = view == VIEW_FINETUNE || view == VIEW_PLACEMENT || s->v[KNOB_RATES] > 0.5;
  if (view == VIEW_EDGE || !sheet || cases_device(w, s)->illustrative) return "illustrative";
  return cases_device(w, s)->memory_byte.source == SOURCE_MEASURED ? "measured, and examples" : "a sheet's, and examples";
}

static const char *const short_name[CASE_N] = {"embedding", "fine-tuning", "classifier", "edge model"};

int cases_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  enum cases_case shown = cases_shown(s);
  int n = cases_table(s, cases_view(s), fact_table, F_N, out);
  const struct device *d = cases_device(w, s);
  out[F_SERVER_BYTE].value = s->v[KNOB_HOST_MEMORY];
  out[F_DEVICE_BYTE].value = d->memory_byte.value > 0 ? d->memory_byte.value : NAN;
  out[F_ALL].value = 1;
  out[F_CASE].word = view_name(cases_view(s));
  out[F_PROVENANCE].word = whose(w, s);
  out[F_STATE].word = s->v[KNOB_RATES] < 0.5            ? ""
                      : isnan(machines_product_rate(w)) ? "a real product here: m"
                                                        : "a real product here: measured";
  n += cases_embed_facts(w, s, out + n);
  n += cases_tune_facts(w, s, out + n);
  n += cases_ticket_facts(w, s, out + n);
  n += cases_edge_facts(w, s, out + n);
  n += cases_place_facts(w, s, out + n);
  assert(n <= FACT_MAX);
  for (int c = 0; c < CASE_N; c++) {
    struct cases_decision decision;
    cases_decide(out, n, (enum cases_case)c, &decision);
    out[F_EMBED + c].word = cases_says((enum cases_case)c, &decision);
    out[F_EMBED_BY + c].word = cases_decided_by((enum cases_case)c, &decision);
  }
  out[F_DECISION].word = shown < CASE_N ? out[F_EMBED + shown].word : "";
  out[F_DECIDED].word = shown < CASE_N ? out[F_EMBED_BY + shown].word : "";
  if (shown == CASE_N) out[F_DECIDED].label = NULL;
  if (cases_view(s) == VIEW_SUMMARY)
    for (int c = 0; c < CASE_N; c++) out[F_EMBED_BY + c].label = short_name[c], out[F_EMBED_BY + c].detail = 1;
  if (cases_view(s) != VIEW_FINETUNE) out[F_DEVICE_BYTE].label = NULL;
  return n;
}
