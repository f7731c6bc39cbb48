/* benchmark: the record of one benchmark of a language model being served: what was run, how fast it went, what it cost. What makes such a
 * record whole, whether its figures can all be true at once, and what a token costs by it. SI units: s, byte, W; money in US dollars.
 * Little's law (1961) ties what is in flight to rate and time; the roofs are those of model/step.h. Pure. NAN: not recorded. */
#ifndef RIDGE_BENCHMARK_H
#define RIDGE_BENCHMARK_H

struct step_in; /* model/step.h */

struct benchmark {
  char model[64], precision[24], hardware[64];
  double params;                    /* of the model; the name alone is no size */
  double input_token, output_token; /* of one request */
  double batch;                     /* requests served side by side */
  double token_per_s;               /* output tokens a second, of all requests together */
  double first_p50_s, first_p95_s;  /* until a request's first token */
  double token_p50_s, token_p95_s;  /* from one token of a request to its next */
  double allocated_byte, used_byte;
  double busy;      /* share of the time in which the device had work */
  double power_w;   /* mean while it ran */
  double usd_per_h; /* for the device */
};

void benchmark_clear(struct benchmark *b); /* nothing recorded */
/* The chapter's record, of invented numbers: what stands on the screen until another is read. */
void benchmark_example(struct benchmark *b);

/* The size that a name tells, "7b-instruct", "qwen2.5-0.5b": a number before a b that stands alone, in 1e9. NAN: none, or one of several
 * ("8x7b"). */
double benchmark_name_params(const char *name);

/* ---- is it whole? ---- */

/* What a reader needs before a rate means anything. */
enum benchmark_field {
  FIELD_MODEL,
  FIELD_PRECISION,
  FIELD_BATCH,
  FIELD_LENGTHS,
  FIELD_MEMORY,
  FIELD_RATE,
  FIELD_LATENCY,
  FIELD_BUSY,
  FIELD_POWER,
  FIELD_COST,
  FIELD_N
};
enum told { TOLD_NOT, TOLD_PARTLY, TOLD_ALL };
const char *field_name(enum benchmark_field f);
const char *field_why(enum benchmark_field f); /* what a reader cannot know without it */
const char *told_name(enum told p);            /* "missing" "partly" "given" */
enum told field_told(const struct benchmark *b, enum benchmark_field f);
/* What of it is not there, in words; "" when all is. */
const char *field_lacks(const struct benchmark *b, enum benchmark_field f);

/* ---- can it be true? ---- */

struct account {
  /* what follows from the record alone */
  double mean_token_s;    /* batch / rate: what a request waits for a token in the mean, were all slots always full */
  double p95_over_mean;   /* token_p95 / that */
  double request_s;       /* batch × output / rate (Little): a request's whole stay */
  double later_token_s;   /* (request_s − first_p50) / (output − 1): the mean after the first token */
  double request_per_s;   /* rate / output */
  double first_spread;    /* first_p95 / first_p50 */
  double joule_per_token; /* power / rate */
  double reserved_byte;   /* allocated − used */
  /* what follows with a model and a device */
  double roof_token_per_s, roof_share;       /* weights alone: at most so many tokens; the recorded rate's share of it */
  double roof_kv_token_per_s, roof_kv_share; /* with keys and values of requests halfway through their answers read too */
  double prefill_flop, prefill_s;            /* 2 × params × input of one prompt; at the device's peak */
  double first_over_prefill;
  double decode_time_share, prefill_time_share, time_share; /* of each second, at the roofs: of steps, of prompts, their sum */
  double decode_peak_share; /* arithmetic of the output tokens as a share of the peak: the other gauge beside `busy` */
  double weight_byte, kv_byte, unexplained_byte, unexplained_share; /* kv: all slots at full length; what used − both leaves */
  double tdp_joule_per_token;                                       /* TDP / rate: the most it can be */
};
/* step: the model on the device, its batch that of the record, keys and values not counted; kv_byte_per_token: of one token of one request;
 * capacity_byte, tdp_w: of the device. All may be NAN: what needs them is unknown. */
void account_of(const struct benchmark *b, const struct step_in *step, double kv_byte_per_token, double tdp_w, struct account *out);

/* Eight questions to the numbers. Where a limit is ours, and not a law, its words say so. */
enum benchmark_check { CHECK_TAIL, CHECK_ORDER, CHECK_ROOF, CHECK_CACHE, CHECK_TIME, CHECK_PREFILL, CHECK_MEMORY, CHECK_POWER, CHECK_N };
enum finding { FINDING_UNKNOWN, FINDING_FINE, FINDING_ASK, FINDING_IMPOSSIBLE };
const char *check_name(enum benchmark_check c);
const char *check_words(enum benchmark_check c, enum finding f); /* what it means, in one sentence */
const char *finding_name(enum finding f);                        /* "unknown" "fine" "ask" "impossible" */
struct checked {
  enum finding finding;
  double value, limit; /* what was compared with what; NAN unknown */
  const char *unit;
};
/* capacity_byte: of the device; NAN unknown. */
struct checked check_of(const struct benchmark *b, const struct account *a, double capacity_byte, double tdp_w, enum benchmark_check c);

/* ---- what does it cost? ---- */

struct price_in {
  double token_per_s, usd_per_h; /* at full load; of the device and whatever is paid beside it */
  double busy;                   /* share of the time in which requests come in */
  double input_token, output_token;
  double api_usd, api_input_usd; /* per million tokens that another sells: written, read */
};
struct price {
  double full_usd;                        /* per million output tokens, never idle: usd_per_h / (rate × 3600) × 1e6 */
  double usd;                             /* the same at this share: full / busy */
  double all_usd;                         /* spread over tokens read as well as written: full / busy × output / (input + output) */
  double token_per_s;                     /* rate × busy */
  double bought_usd;                      /* what another asks for a million output tokens and the input that belongs to them */
  double break_even;                      /* share at which both cost the same; above 1 buying is always cheaper */
  double own_usd_per_h, bought_usd_per_h; /* an hour of this traffic */
};
void price_of(const struct price_in *in, struct price *out);
/* Per million output tokens at another share: the curve. */
double price_at(const struct price_in *in, double busy);

#endif
