#include "model/benchmark.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/step.h"

void benchmark_clear(struct benchmark *b) {
  *b = (struct benchmark){.params = NAN,
                          .input_token = NAN,
                          .output_token = NAN,
                          .batch = NAN,
                          .token_per_s = NAN,
                          .first_p50_s = NAN,
                          .first_p95_s = NAN,
                          .token_p50_s = NAN,
                          .token_p95_s = NAN,
                          .allocated_byte = NAN,
                          .used_byte = NAN,
                          .busy = NAN,
                          .power_w = NAN,
                          .usd_per_h = NAN};
}

void benchmark_example(struct benchmark *b) {
  benchmark_clear(b);
  strcpy(b->model, "7b-instruct-example");
  strcpy(b->precision, "bf16");
  strcpy(b->hardware, "accelerator-A");
  b->input_token = 1500;
  b->output_token = 300;
  b->batch = 16;
  b->token_per_s = 1500;
  b->first_p50_s = 0.42;
  b->first_p95_s = 0.9;
  b->token_p95_s = 0.038;
  b->allocated_byte = 78e9;
  b->used_byte = 61e9;
  b->power_w = 450;
  b->usd_per_h = 2;
}

static bool digit(char c) { return c >= '0' && c <= '9'; }
static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

double benchmark_name_params(const char *name) {
  for (const char *at = name; *at; at++) {
    bool begins = digit(*at) && (at == name || (!digit(at[-1]) && at[-1] != '.' && !letter(at[-1])));
    if (!begins) continue;
    double v = 0, place = 1;
    const char *end = at;
    for (; digit(*end); end++) v = v * 10 + (*end - '0');
    if (*end == '.')
      for (end++; digit(*end); end++) v += (*end - '0') * (place /= 10);
    if ((*end == 'b' || *end == 'B') && !letter(end[1]) && !digit(end[1]) && v > 0) return v * 1e9;
  }
  return NAN;
}

/* ---- is it whole? ---- */

static const struct {
  const char *name, *why;
} field_table[FIELD_N] = {
    [FIELD_MODEL] = {"model and size", "twice the parameters are half the tokens: a rate without a size compares with nothing"},
    [FIELD_PRECISION] = {"precision", "half the bits are half the bytes and other answers: speed and quality both hang on it"},
    [FIELD_BATCH] = {"batch size", "a large batch raises the total and slows each user: a total alone hides which"},
    [FIELD_LENGTHS] = {"lengths in, out", "reading a prompt is arithmetic, writing an answer is memory: the mix decides the rate"},
    [FIELD_MEMORY] = {"memory, both", "what is reserved says what the device must have, what is used says what would fit beside it"},
    [FIELD_RATE] = {"throughput", "what was achieved, in output tokens a second of all requests together"},
    [FIELD_LATENCY] = {"latency p50, p95", "a mean hides the users who wait: one in twenty waits longer than p95"},
    [FIELD_BUSY] = {"time busy", "was it ever idle? If so it can do more; if not, this is all there is"},
    [FIELD_POWER] = {"power", "tokens a joule: what cooling and the bill allow, and whether it was throttled"},
    [FIELD_COST] = {"cost", "what decides in the end is the price of a useful token"},
};

const char *field_name(enum benchmark_field f) { return field_table[f].name; }
const char *field_why(enum benchmark_field f) { return field_table[f].why; }
const char *told_name(enum told p) {
  static const char *const name[] = {"missing", "partly", "given"};
  return name[p];
}

/* The words for what is not there of two halves. */
static const char *halves(bool first, bool second, const char *no_first, const char *no_second, const char *neither) {
  return first && second ? "" : first ? no_second : second ? no_first : neither;
}

const char *field_lacks(const struct benchmark *b, enum benchmark_field f) {
  bool p50 = b->first_p50_s > 0 && b->token_p50_s > 0, p95 = b->first_p95_s > 0 && b->token_p95_s > 0;
  bool some = b->first_p50_s > 0 || b->token_p50_s > 0 || b->first_p95_s > 0 || b->token_p95_s > 0;
  switch (f) {
  case FIELD_MODEL: return halves(*b->model, b->params > 0, "its name", "its parameters", "name and parameters");
  case FIELD_PRECISION: return *b->precision ? "" : "how weights are stored";
  case FIELD_BATCH: return b->batch > 0 ? "" : "requests side by side";
  case FIELD_LENGTHS: return halves(b->input_token > 0, b->output_token > 0, "tokens read", "tokens written", "tokens read and written");
  case FIELD_MEMORY: return halves(b->allocated_byte > 0, b->used_byte > 0, "allocated", "peak used", "allocated and peak used");
  case FIELD_RATE: return b->token_per_s > 0 ? "" : "tokens a second";
  case FIELD_LATENCY:
    if (p50 && p95) return "";
    if (!some) return "p50 and p95";
    if (b->token_p50_s > 0 && b->token_p95_s > 0 && !(b->first_p50_s > 0 || b->first_p95_s > 0)) return "the first token's";
    if (b->first_p50_s > 0 && b->first_p95_s > 0 && !(b->token_p50_s > 0 || b->token_p95_s > 0)) return "each token's";
    if (p95) return b->first_p50_s > 0 ? "per token p50" : b->token_p50_s > 0 ? "first token p50" : "both p50";
    if (p50) return b->first_p95_s > 0 ? "per token p95" : b->token_p95_s > 0 ? "first token p95" : "both p95";
    return "some of p50 and p95";
  case FIELD_BUSY: return b->busy > 0 ? "" : "share of time busy";
  case FIELD_POWER: return b->power_w > 0 ? "" : "mean watts";
  case FIELD_COST: return b->usd_per_h > 0 ? "" : "price of an hour";
  case FIELD_N: break;
  }
  assert(!"a field");
  return "";
}

enum told field_told(const struct benchmark *b, enum benchmark_field f) {
  if (!*field_lacks(b, f)) return TOLD_ALL;
  bool half = false;
  switch (f) {
  case FIELD_MODEL: half = *b->model || b->params > 0; break;
  case FIELD_LENGTHS: half = b->input_token > 0 || b->output_token > 0; break;
  case FIELD_MEMORY: half = b->allocated_byte > 0 || b->used_byte > 0; break;
  case FIELD_LATENCY: half = b->first_p50_s > 0 || b->first_p95_s > 0 || b->token_p50_s > 0 || b->token_p95_s > 0; break;
  default: break;
  }
  return half ? TOLD_PARTLY : TOLD_NOT;
}

/* ---- can it be true? ---- */

void account_of(const struct benchmark *b, const struct step_in *step, double kv_byte_per_token, double tdp_w, struct account *a) {
  a->mean_token_s = b->batch / b->token_per_s;
  a->p95_over_mean = b->token_p95_s / a->mean_token_s;
  a->request_s = b->batch * b->output_token / b->token_per_s;
  a->later_token_s = b->output_token > 1 ? (a->request_s - b->first_p50_s) / (b->output_token - 1) : NAN;
  a->request_per_s = b->token_per_s / b->output_token;
  a->first_spread = b->first_p95_s / b->first_p50_s;
  a->joule_per_token = b->power_w / b->token_per_s;
  a->tdp_joule_per_token = tdp_w / b->token_per_s;
  a->reserved_byte = b->allocated_byte - b->used_byte;

  struct step_in in = *step;
  in.kv_byte_per_token = 0;
  a->roof_token_per_s = b->batch / step_at(&in, b->batch).step_time;
  a->roof_share = b->token_per_s / a->roof_token_per_s;
  in.kv_byte_per_token = kv_byte_per_token;
  in.context = b->input_token + b->output_token / 2;
  a->roof_kv_token_per_s = b->batch / step_at(&in, b->batch).step_time;
  a->roof_kv_share = b->token_per_s / a->roof_kv_token_per_s;

  a->prefill_flop = 2 * step->params * b->input_token;
  a->prefill_s = a->prefill_flop / step->peak_flop_per_s;
  a->first_over_prefill = b->first_p50_s / a->prefill_s;
  a->decode_time_share = a->roof_share;
  a->prefill_time_share = a->prefill_s * a->request_per_s;
  a->time_share = a->decode_time_share + a->prefill_time_share;
  a->decode_peak_share = 2 * step->params * b->token_per_s / step->peak_flop_per_s;

  a->weight_byte = step->params_total * step->weight_byte;
  a->kv_byte = kv_byte_per_token * b->batch * (b->input_token + b->output_token);
  a->unexplained_byte = b->used_byte - a->weight_byte - a->kv_byte;
  a->unexplained_share = a->unexplained_byte / b->used_byte;
}

static const struct {
  const char *name, *words[4];
} check_table[CHECK_N] = {
    [CHECK_TAIL] = {"p95 over the mean",
                    {"needs batch, rate and the p95 of a token", "the slow tokens are not far from the mean",
                     "one token in twenty waits three times the mean or more: what holds it up? (our limit)", ""}},
    [CHECK_ORDER] = {"p95 after p50",
                     {"needs a p50 and a p95", "the p95 is the later", "p95 equals p50: was it measured once?", "p95 before p50"}},
    [CHECK_ROOF] = {"rate, of the roof",
                    {"needs a model, a device and the batch", "below the roof of reading the weights once a step",
                     "less than three tenths of the roof: ask what it waits for (our limit)",
                     "more tokens than the device can read weights for: another model, device or batch"}},
    [CHECK_CACHE] = {"cache read too",
                     {"needs the lengths too", "below the roof with keys and values read as well",
                      "above the roof with keys and values read: are they smaller than this model's?", ""}},
    [CHECK_TIME] = {"steps and prompts",
                    {"needs the lengths too", "steps and prompts fit into a second one after the other",
                     "only when prompts are read while steps wait for memory: ask whether they are",
                     "even overlapped, one takes over a second a second"}},
    [CHECK_PREFILL] = {"prompt in time",
                       {"needs the input length and the first token", "the first token leaves time for the prompt",
                        "the first token comes long after the prompt could be read: a queue? (our limit)",
                        "the first token comes before the prompt can be read: a cached prompt?"}},
    [CHECK_MEMORY] = {"memory explained",
                      {"needs the memory used and a model", "weights and cache explain it",
                       "a fifth or more is neither weights nor cache: ask what it is (our limit)",
                       "less than the weights take, or more than was allocated or is there"}},
    [CHECK_POWER] = {"power, of limit",
                     {"needs the power and the device's", "within what the device may draw",
                      "close to the limit: was it slowed down? (our limit)", "more than the device may draw"}},
};

const char *check_name(enum benchmark_check c) { return check_table[c].name; }
const char *check_words(enum benchmark_check c, enum finding f) { return check_table[c].words[f]; }
const char *finding_name(enum finding f) {
  static const char *const name[] = {"unknown", "fine", "ask", "impossible"};
  return name[f];
}

/* Where questions begin: ours. */
static const double TAIL_ASK = 3, ROOF_ASK = 0.3, PREFILL_ASK = 3, MEMORY_ASK = 0.2, POWER_ASK = 0.95;
/* Powers are means of noisy readings, sizes are rounded to a gigabyte. */
static const double SLACK = 1.02;

static struct checked compared(double value, double limit, const char *unit, bool impossible, bool ask) {
  struct checked c = {FINDING_UNKNOWN, value, limit, unit};
  if (!isnan(value)) c.finding = impossible ? FINDING_IMPOSSIBLE : ask ? FINDING_ASK : FINDING_FINE;
  return c;
}

/* The worse of two pairs, one of which may be unknown. */
static double order_of(const struct benchmark *b, const struct account *a) {
  return fmin(a->first_spread, b->token_p95_s / b->token_p50_s);
}

struct checked check_of(const struct benchmark *b, const struct account *a, double capacity_byte, double tdp_w, enum benchmark_check c) {
  switch (c) {
  case CHECK_TAIL: return compared(a->p95_over_mean, TAIL_ASK, "x", false, a->p95_over_mean > TAIL_ASK);
  case CHECK_ORDER: {
    double order = order_of(b, a);
    return compared(order, 1, "x", order < 1, order == 1);
  }
  case CHECK_ROOF: return compared(a->roof_share, 1, "%", a->roof_share > SLACK, a->roof_share < ROOF_ASK);
  case CHECK_CACHE: return compared(a->roof_kv_share, 1, "%", false, a->roof_kv_share > SLACK);
  case CHECK_TIME: return compared(a->time_share, 1, "%", fmax(a->decode_time_share, a->prefill_time_share) > SLACK, a->time_share > 1);
  case CHECK_PREFILL: return compared(a->first_over_prefill, 1, "x", a->first_over_prefill * SLACK<1, a->first_over_prefill> PREFILL_ASK);
  case CHECK_MEMORY: {
    bool wrong = b->used_byte * SLACK < a->weight_byte || b->used_byte > b->allocated_byte * SLACK || b->used_byte > capacity_byte * SLACK;
    return compared(a->unexplained_share, MEMORY_ASK, "%", wrong, a->unexplained_share > MEMORY_ASK);
  }
  case CHECK_POWER: {
    double share = b->power_w / tdp_w;
    return compared(share, 1, "%", share > 1.1, share > POWER_ASK);
  }
  case CHECK_N: break;
  }
  assert(!"a check");
  return (struct checked){FINDING_UNKNOWN, NAN, NAN, ""};
}

/* ---- what does it cost? ---- */

double price_at(const struct price_in *in, double busy) { return in->usd_per_h / (in->token_per_s * busy * 3600) * 1e6; }

void price_of(const struct price_in *in, struct price *out) {
  out->full_usd = price_at(in, 1);
  out->usd = price_at(in, in->busy);
  out->all_usd = out->usd * in->output_token / (in->input_token + in->output_token);
  out->token_per_s = in->token_per_s * in->busy;
  /* Nothing asked for what is read needs no lengths. */
  out->bought_usd = in->api_usd + (in->api_input_usd > 0 ? in->api_input_usd * in->input_token / in->output_token : 0);
  out->break_even = out->full_usd / out->bought_usd;
  out->own_usd_per_h = in->usd_per_h;
  out->bought_usd_per_h = out->token_per_s * 3600 / 1e6 * out->bought_usd;
}
