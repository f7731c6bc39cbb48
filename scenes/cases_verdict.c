/* The cases scene in words: what is decided, and which number decided it. */
#include <math.h>
#include <string.h>

#include "scenes/cases.h"

static double value(const struct fact *f, int n, const char *name) { return fact_value(f, n, name); }

static void add(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

/* "131 ms", or "for ever". */
static void add_time(struct text *t, const char *before, const struct fact *f, int n, const char *name, const char *after) {
  text_add(t, before);
  text_add(t, fact_word(f, n, name)[0] ? "without end" : "");
  if (!fact_word(f, n, name)[0]) text_number(t, value(f, n, name), "s");
  text_add(t, after);
}

static void add_decision(const struct fact *f, int n, struct text *t) {
  text_add(t, fact_word(f, n, "decision"));
  text_add(t, "; decided by: ");
  text_add(t, fact_word(f, n, "decided_by"));
  text_add(t, ".");
}

static void verdict_embedding(const struct fact *f, int n, struct text *t) {
  double needed = value(f, n, "embed_needed");
  add(t, "A query takes a server ", value(f, n, "embed_host_time"), "s", ": ");
  if (isnan(needed))
    text_add(t, "no number of them is fast enough. ");
  else
    text_count(t, needed), text_add(t, needed == 1 ? " will do" : " are needed"),
        add(t, ", ", value(f, n, "embed_busy"), "%", " busy now. ");
  if (fact_word(f, n, "bulk_spare_time")[0])
    text_add(t, "They leave no time for the index");
  else
    add(t, "The index takes ", value(f, n, "bulk_spare_time"), "s", " of spare time");
  add(t, ", an accelerator takes ", value(f, n, "bulk_device_total"), "s", ". So: ");
  add_decision(f, n, t);
}

static void verdict_finetune(const struct fact *f, int n, struct text *t) {
  double over = value(f, n, "tune_over");
  if (isnan(over)) {
    add(t, "", value(f, n, "tune_state_byte"), "byte",
        " before the first input. How much memory this device has is not known, so nobody can say how many are needed.");
    return;
  }
  add(t, "", value(f, n, "tune_state_byte"), "byte", " before the first input, ");
  add(t, "", over, "x", " what a device holds: at least ");
  text_count(t, value(f, n, "tune_needed"));
  text_add(t, strcmp(fact_word(f, n, "tune_family"), "TPU") == 0 ? " (TPU). " : " (GPU). ");
  add(t, "The frozen base alone is ", value(f, n, "tune_base_byte"), "byte", ". So: ");
  add_decision(f, n, t);
}

static void verdict_classifier(const struct fact *f, int n, struct text *t) {
  double room = value(f, n, "ticket_room");
  add(t, "A ticket takes a server ", value(f, n, "ticket_host_time"), "s", room < 1 ? " even alone: over the limit. " : " alone");
  if (room >= 1) add_time(t, ", 95 % are done within ", f, n, "ticket_p95", ". ");
  add(t, "An accelerator takes ", value(f, n, "ticket_device_time"), "s", ", faster than anybody asked, and is busy ");
  add(t, "", value(f, n, "ticket_device_busy"), "%", " of the time. So: ");
  add_decision(f, n, t);
}

static void verdict_edge(const struct fact *f, int n, struct text *t) {
  double gain = value(f, n, "edge_gain");
  add(t, "", value(f, n, "edge_fp32_byte"), "byte", " in fp32, ");
  add(t, "", value(f, n, "edge_int8_byte"), "byte", " in int8. ");
  add(t, "The NPU is ", gain, "x", gain > 1 ? " as fast as the CPU" : " as fast as the CPU: a loss");
  double even = value(f, n, "edge_even");
  if (!isnan(even) && gain > 1)
    text_add(t, ", until "), text_count(t, even), text_add(t, even == 1 ? " operation falls back" : " operations fall back");
  text_add(t, ". So: ");
  add_decision(f, n, t);
}

/* Whether a job was decided by how fast the arithmetic is, and not by one of the other walls: memory, data types, links, use. */
static bool by_arithmetic(const char *decided) {
  static const char *const words[] = {"time", "response time", "time for the index", "size of the model", "too much work"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(decided, words[i]) == 0) return true;
  return false;
}

static void verdict_summary(const struct fact *f, int n, struct text *t) {
  static const char *const by[] = {"embed_decided_by", "tune_decided_by", "ticket_decided_by", "edge_decided_by"};
  text_add(t, "Four jobs, and what decided each: ");
  int arithmetic = 0;
  for (int i = 0; i < CASE_N; i++) {
    text_add(t, i ? ", " : "");
    text_add(t, fact_word(f, n, by[i]));
    arithmetic += by_arithmetic(fact_word(f, n, by[i]));
  }
  text_add(t, arithmetic ? ". The constraint that binds chooses the hardware, not its fame: change a number and see it change."
                         : ". Not one of them is how fast it calculates: the constraint that binds chooses the hardware, not its fame.");
}

static void verdict_placement(const struct fact *f, int n, struct text *t) {
  double wrong = value(f, n, "parts_wrong"), total = value(f, n, "assistant_time");
  if (wrong > 0) {
    text_count(t, wrong);
    text_add(t, wrong == 1 ? " part is out of place: it" : " parts are out of place: they");
    text_add(t, " cannot run there, or would take longer than the whole answer may. ");
  } else if (!isnan(total))
    add(t, "The answer is there after ", total, "s", ". ");
  else
    text_add(t, "How long the answer takes is not known: a rate of this device is missing. ");
  text_add(t, "Accelerators are common because the dearest part is dense algebra, not because every part needs one.");
  if (wrong == 0) text_add(t, " A provider's, paid by token, does as well.");
}

void cases_verdict(const struct fact *f, int n, struct text *t) {
  const char *shown = fact_word(f, n, "case");
  if (strcmp(shown, "embedding") == 0)
    verdict_embedding(f, n, t);
  else if (strcmp(shown, "finetune") == 0)
    verdict_finetune(f, n, t);
  else if (strcmp(shown, "classifier") == 0)
    verdict_classifier(f, n, t);
  else if (strcmp(shown, "edge") == 0)
    verdict_edge(f, n, t);
  else if (strcmp(shown, "summary") == 0)
    verdict_summary(f, n, t);
  else
    verdict_placement(f, n, t);
}
