/* cases: which hardware for this job? Four workloads, estimated, held against a target, fitted into memory, checked for what else binds
 * them; all four beside one another; and a support assistant, part by part. */
#include "scenes/cases.h"
#include "scenes/machines.h"

#include <math.h>

#include "model/ladder.h"

enum view_id cases_view(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }

enum cases_case cases_shown(const struct setup *s) {
  switch (cases_view(s)) {
  case VIEW_EMBEDDING: return CASE_EMBED;
  case VIEW_FINETUNE: return CASE_TUNE;
  case VIEW_CLASSIFIER: return CASE_TICKET;
  case VIEW_EDGE: return CASE_EDGE;
  default: return CASE_N;
  }
}

const struct device *cases_device(const struct world *w, const struct setup *s) { return &w->device[(int)s->v[KNOB_DEVICE]]; }

static double peak_of(const struct device *d, enum dtype t) {
  enum dtype math = ladder_math(d, t);
  return math == DTYPE_N ? NAN : ladder_peak(d, math, ISA_AUTO, 0);
}

static const double PROMPT = 1500, ANSWER = 300;

static void cases_resolve(const struct world *w, struct setup *s) {
  if (s->v[KNOB_RATES] > 0.5) { /* what a real product reached here; before that, and for the device, peaks, which no work reaches */
    double product = machines_product_rate(w);
    s->v[KNOB_HOST_RATE] = product > 0 ? product : peak_of(&w->device[DEVICE_HERE], (enum dtype)(int)s->v[KNOB_DTYPE]);
    s->v[KNOB_DEVICE_RATE] = peak_of(cases_device(w, s), (enum dtype)(int)s->v[KNOB_DTYPE]);
  }
  if (s->v[KNOB_LINK] > 0) s->v[KNOB_LINK_RATE] = link_preset_rate((int)s->v[KNOB_LINK]);
  if (isnan(s->v[KNOB_INPUT])) s->v[KNOB_INPUT] = PROMPT;
  if (isnan(s->v[KNOB_OUTPUT])) s->v[KNOB_OUTPUT] = ANSWER;
}

/* Redone with measured values: a real product on this machine, as the machines scene runs it. */
static int cases_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  (void)w;
  if (s->v[KNOB_RATES] < 0.5 || cases_view(s) == VIEW_FINETUNE || cases_view(s) == VIEW_EDGE || cases_view(s) == VIEW_SUMMARY) return 0;
  out[0] = machines_product();
  return 1;
}

/* Which views a knob belongs to, a bit each from the first on. */
enum { EMBED = 1, TUNE = 2, TICKET = 4, EDGE = 8, ALL = 16, PLACE = 32, LIVE = EMBED | TICKET };

static unsigned knob_views(const struct setup *s, int knob) {
  bool chapter = s->v[KNOB_RATES] < 0.5;
  switch (knob) { /* what can be turned beside all four, by labels that say whose it is */
  case KNOB_EMBED_RATE:
  case KNOB_REINDEX_WITHIN:
  case KNOB_HIRE: return EMBED | ALL;
  case KNOB_TICKET_RATE: return TICKET | ALL;
  case KNOB_EDGE_RATE:
  case KNOB_FALLBACKS:
  case KNOB_OFFLINE: return EDGE | ALL;
  case KNOB_DEVICES: return TUNE | ALL;
  default: break;
  }
  if (knob >= KNOB_EMBED_PARAMS && knob <= KNOB_HIRE) return EMBED;
  if (knob >= KNOB_TUNE_PARAMS && knob <= KNOB_GOOGLE) return TUNE;
  if (knob >= KNOB_TICKET_PARAMS && knob <= KNOB_TICKET_SERVERS) return TICKET;
  if (knob >= KNOB_EDGE_PARAMS && knob <= KNOB_NETWORK) return EDGE;
  if (knob >= KNOB_PART && knob <= KNOB_ANSWER_WITHIN) return PLACE;
  switch (knob) {
  case KNOB_VIEW: return ~0u;
  case KNOB_HOST_RATE:
  case KNOB_DEVICE_RATE: return chapter ? LIVE | ALL | PLACE : 0;
  case KNOB_RATES: return LIVE | PLACE;
  case KNOB_COPY_COST:
  case KNOB_LAUNCH_COST: return LIVE | PLACE;
  case KNOB_PRICE_RATIO: return LIVE | ALL;
  case KNOB_HOST_MEMORY:
  case KNOB_DTYPE: return LIVE;
  case KNOB_DEVICE: return LIVE | TUNE | ALL | PLACE;
  case KNOB_HOST_BANDWIDTH:
  case KNOB_MODEL:
  case KNOB_INPUT:
  case KNOB_OUTPUT: return PLACE;
  case KNOB_LINK_RATE: return s->v[KNOB_LINK] < 0.5 ? TUNE : 0;
  default: return TUNE; /* devices, recipe, batch, context, link */
  }
}

static bool cases_applies(const struct setup *s, int knob) { return knob_views(s, knob) >> (cases_view(s) - VIEW_EMBEDDING) & 1; }

static const uint8_t view_list[] = {VIEW_EMBEDDING, VIEW_FINETUNE, VIEW_CLASSIFIER, VIEW_EDGE, VIEW_SUMMARY, VIEW_PLACEMENT};
static const uint8_t knob_list[] = {
    KNOB_VIEW, KNOB_PART, KNOB_ACCELERATED, KNOB_ANSWER_WITHIN, KNOB_EMBED_RATE, KNOB_EMBED_SERVERS, KNOB_EMBED_BUDGET, KNOB_REINDEX_WITHIN,
    KNOB_EMBED_PARAMS, KNOB_TUNE_PARAMS, KNOB_DEVICES, KNOB_TUNE_WITHIN, KNOB_TICKET_PARAMS, KNOB_TICKET_RATE, KNOB_TICKET_BUDGET,
    KNOB_TICKET_SERVERS, KNOB_EDGE_DTYPE, KNOB_FALLBACKS, KNOB_EDGE_RATE, KNOB_OFFLINE, KNOB_SUSTAINED, KNOB_DEVICE, KNOB_RECIPE,
    KNOB_TUNE_TOKENS, KNOB_HOST_RATE, KNOB_DEVICE_RATE, KNOB_PRICE_RATIO,
    /* with more detail */
    KNOB_EMBED_TOKENS, KNOB_CHUNKS, KNOB_CHUNK_TOKENS, KNOB_REINDEX_EVERY, KNOB_HIRE, KNOB_TICKET_TOKENS, KNOB_EDGE_PARAMS, KNOB_EDGE_ROOM,
    KNOB_EDGE_OPS, KNOB_NPU_OP, KNOB_CPU_OP, KNOB_CROSSING, KNOB_NPU_POWER, KNOB_CPU_POWER, KNOB_BATTERY, KNOB_LIFE, KNOB_NETWORK,
    KNOB_TUNE_USE, KNOB_JAX, KNOB_GOOGLE, KNOB_TUNE_STEP, KNOB_BATCH, KNOB_CONTEXT, KNOB_LINK, KNOB_LINK_RATE, KNOB_PART_TIME, KNOB_INPUT,
    KNOB_OUTPUT, KNOB_MODEL, KNOB_DTYPE, KNOB_HOST_MEMORY, KNOB_HOST_BANDWIDTH, KNOB_COPY_COST, KNOB_LAUNCH_COST, KNOB_RATES};
static const struct start start_list[] = {{KNOB_DEVICE, 0, "h100-sxm"}, {KNOB_MODEL, 0, "chapter-7b"},   {KNOB_DTYPE, 0, "fp32"},
                                          {KNOB_HOST_RATE, 50e9, NULL}, {KNOB_DEVICE_RATE, 20e12, NULL}, {KNOB_DEVICES, 2, NULL},
                                          {KNOB_BATCH, 1, NULL},        {KNOB_CONTEXT, 2048, NULL}};

const struct scene scene_cases = {
    .address = "6.2",
    .name = "cases",
    .question = "Which hardware for this job?",
    .section = "four workloads from estimate to decision, and where each part of an assistant runs",
    .next = "lab",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 27,
    .hand = KNOB_VIEW,
    .views = view_list,
    .nviews = sizeof view_list,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .min_w = 24,
    .min_h = 4,
    .applies = cases_applies,
    .resolve = cases_resolve,
    .turn = cases_turn,
    .facts = cases_facts,
    .rows = cases_rows,
    .verdict = cases_verdict,
    .measures = cases_measures,
    .axes = cases_axes,
    .draw = cases_draw,
};
