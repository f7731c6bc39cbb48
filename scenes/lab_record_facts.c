/* The facts, rows and words of the lab's record: what a reader needs and does not find, and whether it can all be true. */
#include <math.h>
#include <string.h>

#include "scenes/lab.h"
#include "scenes/lab_record.h"

enum {
  F_GIVEN,
  F_PARTLY,
  F_MISSING,
  F_FIRST_MISSING,
  F_FINE,
  F_ASK,
  F_IMPOSSIBLE,
  F_FIRST_ASK,
  F_FIRST_WORDS,
  F_MEAN,
  F_TAIL,
  F_STAY,
  F_LATER,
  F_ROOF,
  F_ROOF_SHARE,
  F_ROOF_KV,
  F_ROOF_KV_SHARE,
  F_PREFILL_FLOP,
  F_PREFILL,
  F_FIRST_OVER,
  F_REQUESTS,
  F_DECODE_TIME,
  F_PREFILL_TIME,
  F_TIME,
  F_BUSY,
  F_PEAK_SHARE,
  F_WEIGHTS,
  F_CACHE,
  F_UNEXPLAINED,
  F_UNEXPLAINED_SHARE,
  F_RESERVED,
  F_ENERGY,
  F_ENERGY_MOST,
  F_RATE,
  F_FIRST_P50,
  F_OUTPUT,
  F_USED,
  F_POWER,
  F_ORIGIN,
  F_SIZE,
  F_GEOMETRY,
  F_FIGURES,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_GIVEN] = {"fields_given", "told, of 10", "n", 1, NULL,
                 "Of the ten things a reader needs before a rate means anything, those the record tells whole."},
    [F_PARTLY] = {"fields_partly", "told by half", "n", 1, NULL,
                  "Those of which it tells a half: a p95 without its p50, a name without a size."},
    [F_MISSING] = {"fields_missing", "not told", "n", 1, NULL, "Those it does not tell at all."},
    [F_FIRST_MISSING] = {"first_missing", "missing", "", 1, NULL, "The first thing that is not told, or only by half."},
    [F_FINE] = {"checks_fine", "may be true", "n", 1, NULL,
                "Of the eight checks of its numbers against one another, those that find nothing."},
    [F_ASK] = {"checks_ask", "worth asking", "n", 1, NULL,
               "Those that find something possible but odd. Several of the limits are ours: no law says what is odd."},
    [F_IMPOSSIBLE] = {"checks_impossible", "impossible", "n", 1, NULL, "Those that find what cannot be: a number or its label is wrong."},
    [F_FIRST_ASK] = {"first_check", "look first at", "", 2, NULL, "The worst that was found, the first of its kind."},
    [F_FIRST_WORDS] = {"first_check_means", NULL, "", 2, NULL, "What that says."},
    [F_MEAN] = {"mean_token_time", "mean a token", "s", 1, "batch / recorded_token_rate",
                "What a request waits for each token in the mean, its prompt included, if all places are always taken."},
    [F_TAIL] = {"p95_over_mean", "p95 over it", "x", 1, "token_p95 / mean_token_time",
                "The time that one token in twenty exceeds, over the mean: 1 is a steady stream, 3 one that stutters."},
    [F_STAY] = {"request_time", "whole request", "s", 2, "batch * answer_tokens / recorded_token_rate",
                "Little's law: so many at work, so many done a second, so each stays so long."},
    [F_LATER] = {"later_token_time", "later tokens", "s", 2, "(request_time - first_token_p50) / (answer_tokens - 1)",
                 "The mean from token to token once the first is there. The median of the first stands in for its mean."},
    [F_ROOF] = {"roof_token_rate", "roof", "token/s", 1, NULL,
                "At most so many tokens a second at this batch on this device: each step reads the weights once. Nothing else counted."},
    [F_ROOF_SHARE] = {"roof_share", "of the roof", "%", 1, "recorded_token_rate / roof_token_rate",
                      "The recorded rate as a share of that."},
    [F_ROOF_KV] =
        {"roof_cache_token_rate", "cache read too", "token/s", 2, NULL,
         "The same with the keys and values of all requests read in each step, each halfway through its answer. Their size is the "
         "model's, or assumed."},
    [F_ROOF_KV_SHARE] = {"roof_cache_share", "of that roof", "%", 2, "recorded_token_rate / roof_cache_token_rate",
                         "Above 100 %, keys and values must be smaller than this model's are, as with grouped heads."},
    [F_PREFILL_FLOP] = {"prefill_flop", "a prompt", "flop", 2, NULL, "Two FLOP for each parameter and token read."},
    [F_PREFILL] = {"prefill_time", "its least time", "s", 2, NULL, "That at the device's peak: the first token cannot come sooner."},
    [F_FIRST_OVER] =
        {"first_over_prefill", "first over it", "x", 2, "first_token_p50 / prefill_time",
         "The median time to the first token over that: what is more than 1 is queue, batching, or arithmetic below its peak."},
    [F_REQUESTS] = {"request_rate", "requests a s", "1", 2, "recorded_token_rate / answer_tokens", "Requests finished a second."},
    [F_DECODE_TIME] = {"decode_time_share", "time, steps", "%", 2, "recorded_token_rate / roof_token_rate",
                       "Of each second, what steps take at least."},
    [F_PREFILL_TIME] = {"prefill_time_share", "time, prompts", "%", 2, "prefill_time * request_rate",
                        "Of each second, what prompts take at least."},
    [F_TIME] = {"time_share", "both", "%", 2, "decode_time_share + prefill_time_share",
                "Above 100 % it works only where prompts are calculated while steps wait for memory."},
    [F_BUSY] = {"time_busy", "time busy", "%", 1, NULL, "One gauge: the share of time in which the device had work. As recorded or set."},
    [F_PEAK_SHARE] =
        {"decode_of_peak", "of its peak", "%", 1, NULL,
         "The other: arithmetic of the tokens written as a share of the peak. A device may be busy all the time at a tenth of it."},
    [F_WEIGHTS] = {"weight_byte", "weights", "byte", 2, NULL, "Parameters at the recorded precision."},
    [F_CACHE] = {"cache_byte", "cache, full", "byte", 2, NULL, "Keys and values in 16 bits of all places at full length."},
    [F_UNEXPLAINED] = {"unexplained_byte", "unexplained", "byte", 1, "used_byte - weight_byte - cache_byte",
                       "What was used beyond weights and cache: buffers, or a cache taken in advance."},
    [F_UNEXPLAINED_SHARE] = {"unexplained_share", "of what is used", "%", 2, "unexplained_byte / used_byte", "The same as a share."},
    [F_RESERVED] = {"reserved_byte", "taken, not used", "byte", 2, "allocated - used_byte",
                    "Allocated is not used: a runtime takes memory in advance."},
    [F_ENERGY] = {"energy_per_token", "energy a token", "J", 1, "recorded_power / recorded_token_rate",
                  "Mean power over the rate: what one output token takes."},
    [F_ENERGY_MOST] = {"energy_per_token_most", "at its TDP", "J", 2, NULL, "The same if the device drew all that it may."},
    [F_RATE] = {"recorded_token_rate", "recorded", "token/s", 2, NULL, "Output tokens a second of all requests together."},
    [F_FIRST_P50] = {"first_token_p50", NULL, "s", 2, NULL, "Half of all requests have their first token by then."},
    [F_OUTPUT] = {"answer_tokens", NULL, "n", 2, NULL, "Tokens of one answer."},
    [F_USED] = {"used_byte", NULL, "byte", 2, NULL, "The most memory really used."},
    [F_POWER] = {"recorded_power", NULL, "W", 2, NULL, "Mean power while it ran."},
    [F_ORIGIN] = {"record_origin", "record", "", 2, NULL,
                  "Where the record comes from: a file, this machine, or the chapter, whose numbers are invented."},
    [F_SIZE] = {"size_origin", "size", "", 2, NULL, "Where the number of parameters comes from."},
    [F_GEOMETRY] = {"record_geometry", "layers, heads", "", 2, NULL,
                    "Whether the model's own are known, or assumed; the cache depends on them."},
    [F_FIGURES] = {"device_figures", "device", "", 2, NULL, "Whose numbers the roofs are."},
};

static const char *origin_word(const struct lab_record *r) {
  switch (r->origin) {
  case ORIGIN_FILE: return r->changed ? "a file, changed" : "a file";
  case ORIGIN_HERE: return !r->measured ? "not measured yet: m" : r->changed ? "measured, added to" : "measured here";
  default: return r->changed ? "the chapter's, changed" : "the chapter's, invented";
  }
}

const char *lab_record_state(const struct world *w, const struct setup *s) {
  struct lab_record r;
  if (lab_view(s) == VIEW_ARRIVAL) return "simulated";
  lab_record_of(w, s, &r);
  return origin_word(&r);
}

/* The worst finding, the first of its kind; CHECK_N: nothing was found. */
static enum benchmark_check worst_check(const struct lab_record *r, enum finding *finding) {
  for (int want = FINDING_IMPOSSIBLE; want >= FINDING_ASK; want--)
    for (int i = 0; i < CHECK_N; i++)
      if (check_of(&r->record, &r->account, r->capacity_byte, r->tdp_w, (enum benchmark_check)i).finding == (enum finding)want) {
        *finding = (enum finding)want;
        return (enum benchmark_check)i;
      }
  return CHECK_N;
}

static const char *first_missing(const struct benchmark *b) {
  for (int want = TOLD_NOT; want <= TOLD_PARTLY; want++)
    for (int i = 0; i < FIELD_N; i++)
      if (field_told(b, (enum benchmark_field)i) == (enum told)want)
        return want == TOLD_NOT ? field_name((enum benchmark_field)i) : field_lacks(b, (enum benchmark_field)i);
  return "nothing";
}

static void count_up(const struct lab_record *r, struct fact *f) {
  double told[3] = {0}, found[4] = {0};
  for (int i = 0; i < FIELD_N; i++) told[field_told(&r->record, (enum benchmark_field)i)]++;
  for (int i = 0; i < CHECK_N; i++) found[check_of(&r->record, &r->account, r->capacity_byte, r->tdp_w, (enum benchmark_check)i).finding]++;
  f[F_GIVEN].value = told[TOLD_ALL];
  f[F_PARTLY].value = told[TOLD_PARTLY];
  f[F_MISSING].value = told[TOLD_NOT];
  f[F_FINE].value = found[FINDING_FINE];
  f[F_ASK].value = found[FINDING_ASK];
  f[F_IMPOSSIBLE].value = found[FINDING_IMPOSSIBLE];
  f[F_FIRST_MISSING].word = first_missing(&r->record);
  enum finding finding;
  enum benchmark_check worst = worst_check(r, &finding);
  f[F_FIRST_ASK].word = worst == CHECK_N ? "nothing" : check_name(worst);
  f[F_FIRST_WORDS].word = worst == CHECK_N ? "nothing" : check_words(worst, finding);
}

int lab_record_facts(const struct world *w, const struct setup *s, struct fact *f) {
  bool shown = lab_view(s) == VIEW_RECORD;
  facts_begin(f, fact_table, F_N, shown);
  if (!shown) return F_N;
  struct lab_record r;
  lab_record_of(w, s, &r);
  const struct account *a = &r.account;
  count_up(&r, f);
  f[F_MEAN].value = a->mean_token_s;
  f[F_TAIL].value = a->p95_over_mean;
  f[F_STAY].value = a->request_s;
  f[F_LATER].value = a->later_token_s;
  f[F_ROOF].value = a->roof_token_per_s;
  f[F_ROOF_SHARE].value = a->roof_share;
  f[F_ROOF_KV].value = a->roof_kv_token_per_s;
  f[F_ROOF_KV_SHARE].value = a->roof_kv_share;
  f[F_PREFILL_FLOP].value = a->prefill_flop;
  f[F_PREFILL].value = a->prefill_s;
  f[F_FIRST_OVER].value = a->first_over_prefill;
  f[F_REQUESTS].value = a->request_per_s;
  f[F_DECODE_TIME].value = a->decode_time_share;
  f[F_PREFILL_TIME].value = a->prefill_time_share;
  f[F_TIME].value = a->time_share;
  f[F_BUSY].value = r.record.busy;
  f[F_PEAK_SHARE].value = a->decode_peak_share;
  f[F_WEIGHTS].value = a->weight_byte;
  f[F_CACHE].value = a->kv_byte;
  f[F_UNEXPLAINED].value = a->unexplained_byte;
  f[F_UNEXPLAINED_SHARE].value = a->unexplained_share;
  f[F_RESERVED].value = a->reserved_byte;
  f[F_ENERGY].value = a->joule_per_token;
  f[F_ENERGY_MOST].value = a->tdp_joule_per_token;
  f[F_RATE].value = r.record.token_per_s;
  f[F_RATE].measured = f[F_ROOF_SHARE].measured = f[F_MEAN].measured = r.origin == ORIGIN_HERE;
  f[F_FIRST_P50].value = r.record.first_p50_s;
  f[F_OUTPUT].value = r.record.output_token;
  f[F_USED].value = r.record.used_byte;
  f[F_POWER].value = r.record.power_w;
  f[F_ORIGIN].word = origin_word(&r);
  f[F_SIZE].word = r.record.params > 0 ? "told" : r.named ? "read off the name" : r.step.params > 0 ? "the catalogue's" : "unknown";
  f[F_GEOMETRY].word = r.assumed ? "assumed" : "the model's own";
  f[F_FIGURES].word = r.device->illustrative ? "illustrative" : source_name((enum source)r.device->memory_byte_per_s.source);
  return F_N;
}

/* ---- rows: the ten fields, then the eight checks ---- */

static struct fact cell(const char *name, const char *word, const char *meaning) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = word, .meaning = meaning};
}

int lab_record_rows(const struct world *w, const struct setup *s, int row, struct fact *out) {
  struct lab_record r;
  if (row >= FIELD_N + CHECK_N) return 0;
  lab_record_of(w, s, &r);
  bool field = row < FIELD_N;
  enum benchmark_field f = (enum benchmark_field)row;
  enum benchmark_check c = (enum benchmark_check)(row - FIELD_N);
  struct checked k = {FINDING_UNKNOWN, NAN, NAN, "1"};
  if (!field) k = check_of(&r.record, &r.account, r.capacity_byte, r.tdp_w, c);
  const char *lacks = field ? field_lacks(&r.record, f) : "";
  out[0] = cell("about", field ? "field" : "check", "A field a reader needs, or a check of the numbers against one another.");
  out[1] = cell("what", field ? field_name(f) : check_name(c), "Which.");
  out[2] = cell("found", field ? told_name(field_told(&r.record, f)) : finding_name(k.finding), "What became of it.");
  out[3] = (struct fact){.name = "value", .unit = k.unit, .value = k.value, .meaning = "What was compared; unknown for a field."};
  out[4] = (struct fact){.name = "limit", .unit = k.unit, .value = k.limit, .meaning = "With what."};
  out[5] = cell("lacks", lacks, "What of a field is not told.");
  out[6] = cell("why", field ? field_why(f) : check_words(c, k.finding), "Why it matters, or what it means.");
  return 7;
}

/* ---- words ---- */

static void add_field(struct text *t, const struct fact *f, int n) {
  double missing = fact_value(f, n, "fields_missing"), partly = fact_value(f, n, "fields_partly");
  text_count(t, fact_value(f, n, "fields_given"));
  text_add(t, " of the 10 things that a reader needs are told");
  if (partly > 0) text_add(t, ", "), text_count(t, partly), text_add(t, " by half");
  if (missing + partly > 0) text_add(t, missing > 0 ? "; missing: " : "; missing of it: "), text_add(t, fact_word(f, n, "first_missing"));
  text_add(t, ". ");
}

static void add_worst(struct text *t, const struct fact *f, int n) {
  const char *worst = fact_word(f, n, "first_check_means");
  double ask = fact_value(f, n, "checks_ask"), impossible = fact_value(f, n, "checks_impossible");
  if (impossible > 0) {
    text_add(t, "It cannot all be true: ");
    text_add(t, worst);
    text_add(t, ". ");
    return;
  }
  if (!(ask > 0)) return;
  bool tail = fact_value(f, n, "p95_over_mean") > 3, memory = fact_value(f, n, "unexplained_share") > 0.2;
  text_add(t, tail || memory ? "Possible, but ask: " : "Odd: ");
  if (tail) text_add(t, "one token in twenty takes "), text_number(t, fact_value(f, n, "p95_over_mean"), "x"), text_add(t, " the mean");
  if (tail && memory) text_add(t, "; ");
  if (memory) text_number(t, fact_value(f, n, "unexplained_byte"), "byte"), text_add(t, " are neither weights nor cache");
  if (!tail && !memory) text_add(t, worst);
  text_add(t, ". ");
}

void lab_record_verdict(const struct fact *f, int n, struct text *t) {
  double share = fact_value(f, n, "roof_share");
  if (strcmp(fact_word(f, n, "record_origin"), "not measured yet: m") == 0) {
    text_add(t,
             "m measures a decode step here and writes down what it can; what no kernel knows (prompts, power, price) stays to be told.");
    return;
  }
  add_field(t, f, n);
  add_worst(t, f, n);
  if (share > 0 && !(fact_value(f, n, "checks_impossible") > 0))
    text_add(t, "Its rate is "), text_number(t, share, "%"), text_add(t, " of the roof.");
}
