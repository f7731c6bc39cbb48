/* The lab's facts. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/curve.h"
#include "model/ladder.h"
#include "model/sampling.h"
#include "scenes/lab.h"
#include "scenes/lab_record.h"

enum {
  F_WARMUP,
  F_WARM,
  F_WARMUP_RATIO,
  F_NAIVE,
  F_NAIVE_ERROR,
  F_SETTLED,
  F_WARMUP_FAULTS,
  F_WARM_FAULTS,
  F_BEST,
  F_MEDIAN,
  F_MEAN,
  F_P95,
  F_SPREAD,
  F_KEPT,
  F_DISTURBED,
  F_GROUPS,
  F_LOW,
  F_HIGH,
  F_WORST,
  F_MEAN_RATIO,
  F_BEST_RATE,
  F_MEDIAN_RATE,
  F_SUBMIT,
  F_DONE,
  F_ASYNC_RATIO,
  F_CLAIMED,
  F_TRUE_RATE,
  F_ROOF,
  F_OVER_ROOF,
  F_HANDED,
  F_BURST,
  F_START,
  F_END,
  F_DROP,
  F_DROP_AT,
  F_DROP_KIND,
  F_FLATTERY,
  F_CLOCK_START,
  F_CLOCK_END,
  F_CLOCK_DROP,
  F_RUN_TIME,
  F_NOISE,
  F_DISPATCH,
  F_TEAM,
  F_PREDICTED_N,
  F_MEASURED_N,
  F_WORTH_TIME,
  F_SMALL_GAIN,
  F_LARGE_GAIN,
  F_SMALLEST,
  F_LARGEST,
  F_OPERATION,
  F_COUNT,
  F_STATE,
  F_FLAGS,
  F_N
};

enum {
  IN_FIRST = 1 << VIEW_FIRST,
  IN_SPREAD = 1 << VIEW_SPREAD,
  IN_ASYNC = 1 << VIEW_ASYNC,
  IN_LONG = 1 << VIEW_SUSTAINED,
  IN_SMALL = 1 << VIEW_SMALL
};

/* A fact stands in the panel of the views named here; it can be printed from all. */
static const struct {
  unsigned views;
  struct fact fact;
} fact_table[F_N] = {
    [F_WARMUP] =
        {IN_FIRST,
         {"warmup_time", "first run", "s", 1, NULL,
          "The very first repetition: pages are put in place, caches are empty, branches unknown; on an accelerator code may still be "
          "compiled. Kept, but kept apart.",
          0, NULL, true}},
    [F_WARM] = {IN_FIRST, {"warm_time", "later, median", "s", 1, NULL, "The median of the repetitions after the first.", 0, NULL, true}},
    [F_WARMUP_RATIO] = {IN_FIRST,
                        {"warmup_ratio", "first over it", "x", 1, "warmup_time / warm_time",
                         "How much longer the first repetition took than those after it.", 0, NULL, true}},
    [F_NAIVE] = {IN_FIRST,
                 {"naive_mean", "mean of ten", "s", 1, NULL,
                  "What comes out when ten repetitions are averaged from the first on, as code does that starts the clock and loops.", 0,
                  NULL, true}},
    [F_NAIVE_ERROR] = {IN_FIRST,
                       {"naive_error", "that is off by", "%", 1, "naive_mean / warm_time - 1",
                        "How far that mean lies above the median of the warm repetitions.", 0, NULL, true}},
    [F_SETTLED] = {IN_FIRST,
                   {"settled_after", "settled from", "n", 1, NULL,
                    "The repetition from which on all kept ones that were not disturbed lie within 5 % of the median; one more than were "
                    "kept: never.",
                    0, NULL, true}},
    [F_WARMUP_FAULTS] = {IN_FIRST,
                         {"warmup_faults", "pages, first", "n", 1, NULL,
                          "Pages of memory the system had to put in place during the first repetition: each costs a trip into it.", 0, NULL,
                          true}},
    [F_WARM_FAULTS] = {IN_FIRST, {"warm_faults", "pages, later", "n", 1, NULL, "The same in the mean later repetition.", 0, NULL, true}},
    [F_BEST] = {IN_SPREAD,
                {"best_time", "best", "s", 1, NULL,
                 "The shortest repetition: what the machine can do when nothing is in the way. It belongs on a roof.", 0, NULL, true}},
    [F_MEDIAN] = {IN_SPREAD,
                  {"median_time", "median", "s", 1, NULL,
                   "Half took less, half took more; one wild value moves it by nothing. It belongs on a point.", 0, NULL, true}},
    [F_MEAN] = {IN_SPREAD,
                {"mean_time", "mean", "s", 1, NULL,
                 "The sum over the number: one interruption pulls it up. Right only when time is money: total over count.", 0, NULL, true}},
    [F_P95] = {IN_SPREAD,
               {"p95_time", "95 % below", "s", 1, NULL,
                "Nineteen of twenty took less: what the unlucky user waits for. It belongs in a promise.", 0, NULL, true}},
    [F_SPREAD] = {IN_SPREAD,
                  {"measured_spread", "spread", "%", 1, NULL,
                   "Half the interquartile range as a share of the median. A difference smaller than this is no difference.", 0, NULL,
                   true}},
    [F_KEPT] = {IN_SPREAD,
                {"kept", "samples kept", "n", 1, NULL, "Samples in the picture: at most 64, each of all repetitions with the same chance.",
                 0, NULL, true}},
    [F_DISTURBED] = {IN_SPREAD,
                     {"disturbed_share", "disturbed", "%", 1, NULL, "Share of the kept samples during which the system took a core away.",
                      0, NULL, true}},
    [F_GROUPS] = {IN_SPREAD,
                  {"groups", "groups", "n", 2, NULL,
                   "2 when the samples fall into two groups with a gap between: two speeds, so that no single number is right.", 0, NULL,
                   true}},
    [F_LOW] = {IN_SPREAD, {"group_low", "the faster", "s", 2, NULL, "The median of the faster group.", 0, NULL, true}},
    [F_HIGH] = {IN_SPREAD, {"group_high", "the slower", "s", 2, NULL, "The median of the slower group.", 0, NULL, true}},
    [F_WORST] = {IN_SPREAD, {"worst_time", "worst", "s", 2, NULL, "The longest of the kept samples.", 0, NULL, true}},
    [F_MEAN_RATIO] = {IN_SPREAD,
                      {"mean_ratio", "mean/median", "x", 2, "mean_time / median_time",
                       "Above 1 the slow ones are wilder than the fast ones: time has a floor, but no ceiling.", 0, NULL, true}},
    [F_BEST_RATE] = {IN_SPREAD,
                     {"best_flop_per_s", "best rate", "flop/s", 2, NULL, "The arithmetic rate of the best repetition.", 0, NULL, true}},
    [F_MEDIAN_RATE] = {IN_SPREAD,
                       {"median_flop_per_s", "median rate", "flop/s", 2, NULL, "The arithmetic rate of the median one.", 0, NULL, true}},
    [F_SUBMIT] = {IN_ASYNC,
                  {"submit_time", "not waited for", "s", 1, NULL,
                   "What a clock shows that is stopped once the work is handed over: the time of the hand-over.", 0, NULL, true}},
    [F_DONE] = {IN_ASYNC,
                {"done_time", "waited for", "s", 1, NULL, "What it shows when it is stopped once the work is done.", 0, NULL, true}},
    [F_ASYNC_RATIO] = {IN_ASYNC,
                       {"async_ratio", "too small by", "x", 1, "done_time / submit_time",
                        "By how much the time is too small when nobody waits. It grows with the work: the error has no limit.", 0, NULL,
                        true}},
    [F_CLAIMED] = {IN_ASYNC,
                   {"claimed_flop_per_s", "claimed rate", "flop/s", 1, "handed_flop / submit_time", "The rate that the short time claims.",
                    0, NULL, true}},
    [F_TRUE_RATE] = {IN_ASYNC,
                     {"true_flop_per_s", "true rate", "flop/s", 1, "handed_flop / done_time", "The rate of the work waited for.", 0, NULL,
                      true}},
    [F_ROOF] = {IN_ASYNC,
                {"roof_flop_per_s", "roof", "flop/s", 1, NULL,
                 "The most arithmetic a second this machine was ever seen doing. A rate above it is no achievement but a mistake."}},
    [F_OVER_ROOF] = {IN_ASYNC,
                     {"over_roof", "over the roof", "x", 1, "claimed_flop_per_s / roof_flop_per_s",
                      "The claimed rate over the roof: above 1 it is impossible, which is how such a mistake is found.", 0, NULL, true}},
    [F_HANDED] = {IN_ASYNC, {"handed_flop", "handed over", "flop", 2, NULL, "Arithmetic of one piece of work."}},
    [F_BURST] = {IN_LONG,
                 {"burst_flop_per_s", "short run says", "flop/s", 1, NULL,
                  "What a benchmark of two seconds finds: the machine has not had time to get warm.", 0, NULL, true}},
    [F_START] = {IN_LONG,
                 {"start_flop_per_s", "at the start", "flop/s", 1, NULL, "The median rate of the first quarter of the long run.", 0, NULL,
                  true}},
    [F_END] = {IN_LONG, {"end_flop_per_s", "at the end", "flop/s", 1, NULL, "The median rate of its last quarter.", 0, NULL, true}},
    [F_DROP] = {IN_LONG,
                {"drop_share", "drop", "%", 1, "1 - end_flop_per_s / start_flop_per_s",
                 "How much slower it ends than it starts; negative: faster.", 0, NULL, true}},
    [F_DROP_AT] = {IN_LONG,
                   {"drop_at", "it drops at", "s", 1, NULL, "When the rate fell below halfway for good. Unknown when there is no drop.", 0,
                    NULL, true}},
    [F_DROP_KIND] = {IN_LONG,
                     {"drop_kind", "kind of drop", "", 1, NULL,
                      "none: within 2 %, or within three times the noise. step: at once. slide: little by little."}},
    [F_FLATTERY] = {IN_LONG,
                    {"flattery", "short flatters", "%", 2, "burst_flop_per_s / end_flop_per_s - 1",
                     "By how much the short run promises more than the long one keeps.", 0, NULL, true}},
    [F_CLOCK_START] = {IN_LONG,
                       {"clock_start", "clock, start", "Hz", 1, NULL,
                        "The clock in the first quarter, counted by a chain of dependent additions between the samples.", 0, NULL, true}},
    [F_CLOCK_END] = {IN_LONG, {"clock_end", "clock, end", "Hz", 1, NULL, "The same in the last quarter.", 0, NULL, true}},
    [F_CLOCK_DROP] = {IN_LONG,
                      {"clock_drop", "clock drop", "%", 2, "1 - clock_end / clock_start",
                       "As large as the drop of the rate: the clock explains it. Smaller: something else does.", 0, NULL, true}},
    [F_RUN_TIME] = {IN_LONG, {"run_time", "run so far", "s", 1, NULL, "How long the long run has gone on.", 0, NULL, true}},
    [F_NOISE] = {IN_LONG,
                 {"noise_share", "noise", "%", 2, NULL, "The median change from one stretch of the run to the next.", 0, NULL, true}},
    [F_DISPATCH] = {IN_SMALL,
                    {"dispatch_time", "a start costs", "s", 1, NULL,
                     "Starting the whole team on nothing and waiting for it: what every parallel loop pays once.", 0, NULL, true}},
    [F_TEAM] = {IN_SMALL, {"team_size", "cores in team", "n", 1, NULL, "Threads that share the work.", 0, NULL, true}},
    [F_PREDICTED_N] = {IN_SMALL,
                       {"predicted_n", "predicted tie", "element", 1, NULL,
                        "The size at which one core takes just as long as its share of the work and a start together.", 0, NULL, true}},
    [F_MEASURED_N] = {IN_SMALL,
                      {"measured_n", "measured tie", "element", 1, NULL,
                       "Where the two measured curves cross for good, on the logarithmic picture between two sizes.", 0, NULL, true}},
    [F_WORTH_TIME] = {IN_SMALL,
                      {"worth_time", "worth it from", "s", 1, "dispatch_time * team_size / (team_size - 1)",
                       "One core needs this long at the tie: work shorter than this is not worth sharing.", 0, NULL, true}},
    [F_SMALL_GAIN] = {IN_SMALL,
                      {"gain_smallest", "at smallest", "x", 1, NULL,
                       "One core's time over all cores' at the smallest size: below 1 the team loses.", 0, NULL, true}},
    [F_LARGE_GAIN] = {IN_SMALL,
                      {"gain_largest", "at largest", "x", 1, NULL, "The same at the largest: at best the number of cores.", 0, NULL, true}},
    [F_SMALLEST] = {IN_SMALL, {"smallest_n", NULL, "n", 2, NULL, "The smallest size measured."}},
    [F_LARGEST] = {IN_SMALL, {"largest_n", NULL, "n", 2, NULL, "The largest."}},
    [F_OPERATION] = {0, {"operation", NULL, "", 2, NULL, "The kernel that is timed."}},
    [F_COUNT] = {0, {"measured_count", NULL, "n", 2, NULL, "Warm repetitions of the run on show.", 0, NULL, true}},
    [F_STATE] = {0, {"state", NULL, "", 2, NULL, "Whether this has been measured, and if not, what to press."}},
    [F_FLAGS] = {0, {"flags", NULL, "", 2, NULL, "The first doubt the harness has about the run on show."}},
};

/* The median of what is known of v[from..to). */
static double median_of(const double *v, int from, int to) {
  double known[RUN_BUCKET];
  int n = 0;
  for (int i = from; i < to; i++)
    if (isfinite(v[i])) known[n++] = v[i];
  return quantile(known, n, 0.5);
}

static void facts_first(const struct run *r, struct fact *f) {
  double sum = r->warmup_time, calm[RUN_FIRST];
  int n = r->count < 9 ? r->count : 9, kept = r->count < RUN_FIRST ? r->count : RUN_FIRST;
  for (int i = 0; i < n; i++) sum += r->first[i];
  f[F_WARMUP].value = r->warmup_time;
  f[F_WARMUP_FAULTS].value = r->warmup_faults;
  if (r->count == 0) return;
  f[F_WARM].value = r->median;
  f[F_WARM_FAULTS].value = r->faults;
  f[F_WARMUP_RATIO].value = r->warmup_time / r->median;
  f[F_NAIVE].value = sum / (n + 1);
  f[F_NAIVE_ERROR].value = f[F_NAIVE].value / r->median - 1;
  /* A disturbed one says nothing about warming up. */
  for (int i = 0; i < kept; i++) calm[i] = r->first_flags[i] & FLAG_DISTURBED ? r->median : r->first[i];
  f[F_SETTLED].value = sampling_settled(calm, kept, r->median, 0.05);
}

static void facts_spread(const struct run *r, struct fact *f) {
  struct sampling s;
  int kept = r->count < RUN_RESERVOIR ? r->count : RUN_RESERVOIR, disturbed = 0;
  sampling_of(r->reservoir, kept, &s);
  for (int i = 0; i < kept; i++) disturbed += (r->reservoir_flags[i] & FLAG_DISTURBED) != 0;
  if (s.n == 0) return;
  f[F_BEST].value = r->best; /* of all, not only of those kept */
  f[F_MEDIAN].value = s.median;
  f[F_MEAN].value = s.mean;
  f[F_P95].value = s.p95;
  f[F_WORST].value = s.worst;
  f[F_KEPT].value = s.n;
  f[F_DISTURBED].value = (double)disturbed / s.n;
  if (s.groups > 0) f[F_GROUPS].value = s.groups;
  f[F_LOW].value = s.low;
  f[F_HIGH].value = s.high;
  f[F_MEAN_RATIO].value = s.mean / s.median;
  if (r->flop > 0) f[F_BEST_RATE].value = r->flop / r->best, f[F_MEDIAN_RATE].value = r->flop / s.median;
}

static void facts_async(const struct world *w, const struct setup *s, struct fact *f) {
  struct request no = lab_async(s, false, s->v[KNOB_FMA]), yes = lab_async(s, true, s->v[KNOB_FMA]);
  f[F_HANDED].value = work_of(no.op, no.shape, no.dtype).flop;
  f[F_SUBMIT].value = lab_time(w, &no);
  f[F_DONE].value = lab_time(w, &yes);
  f[F_ASYNC_RATIO].value = f[F_DONE].value / f[F_SUBMIT].value;
  f[F_CLAIMED].value = f[F_HANDED].value / f[F_SUBMIT].value;
  f[F_TRUE_RATE].value = f[F_HANDED].value / f[F_DONE].value;
  f[F_ROOF].value = ladder_peak(&w->device[DEVICE_HERE], no.dtype, ISA_AUTO, 0);
  f[F_OVER_ROOF].value = f[F_CLAIMED].value / f[F_ROOF].value;
}

static void facts_long(const struct run *r, struct fact *f) {
  struct lab_line line;
  struct drop d;
  if (!r || !(r->flop > 0)) return;
  lab_line_of(r, &line);
  drop_of(line.rate, line.at, line.n, &d);
  f[F_START].value = d.start;
  f[F_END].value = d.end;
  f[F_DROP].value = d.share;
  f[F_DROP_AT].value = d.at;
  f[F_NOISE].value = d.noise;
  f[F_DROP_KIND].word = drop_name(d.kind);
  f[F_FLATTERY].value = f[F_BURST].value / d.end - 1;
  if (line.n < 4) return;
  f[F_RUN_TIME].value = line.at[line.n - 1];
  f[F_CLOCK_START].value = median_of(line.clock, 0, line.n / 4);
  f[F_CLOCK_END].value = median_of(line.clock, line.n - line.n / 4, line.n);
  f[F_CLOCK_DROP].value = 1 - f[F_CLOCK_END].value / f[F_CLOCK_START].value;
}

static void facts_small(const struct world *w, const struct setup *s, struct fact *f) {
  struct request d = lab_dispatch(s);
  const struct run *run = lab_find(w, &d);
  double n[LAB_SIZES], one[LAB_SIZES], all[LAB_SIZES];
  f[F_DISPATCH].value = run ? run_time(run) : NAN;
  f[F_TEAM].value = run ? run->threads : NAN;
  for (int i = 0; i < LAB_SIZES; i++) {
    n[i] = lab_size(s, i);
    struct request single = lab_small(s, n[i], true), team = lab_small(s, n[i], false);
    one[i] = lab_time(w, &single);
    all[i] = lab_time(w, &team);
  }
  f[F_SMALLEST].value = n[0];
  f[F_LARGEST].value = n[LAB_SIZES - 1];
  f[F_SMALL_GAIN].value = one[0] / all[0];
  f[F_LARGE_GAIN].value = one[LAB_SIZES - 1] / all[LAB_SIZES - 1];
  double team = f[F_TEAM].value;
  f[F_WORTH_TIME].value = team > 1 ? f[F_DISPATCH].value * team / (team - 1) : NAN;
  f[F_PREDICTED_N].value = curve_reach(n, one, LAB_SIZES, f[F_WORTH_TIME].value);
  f[F_MEASURED_N].value = curve_cross(n, one, all, LAB_SIZES);
}

/* The run whose count, flags and state the frame tells. */
static const struct run *run_shown(const struct world *w, const struct setup *s) {
  struct request r = lab_view(s) == VIEW_ASYNC   ? lab_async(s, false, s->v[KNOB_FMA])
                     : lab_view(s) == VIEW_SMALL ? lab_dispatch(s)
                                                 : lab_request(s, s->v[KNOB_SECONDS]);
  return lab_find(w, &r);
}

int lab_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  for (int i = 0; i < F_N; i++) {
    out[i] = fact_table[i].fact;
    out[i].value = NAN;
    if (!lab_kernel(s) || !(fact_table[i].views & 1u << lab_view(s))) out[i].label = NULL;
  }
  struct request brief = lab_request(s, lab_short(s)), longer = lab_request(s, s->v[KNOB_SECONDS]);
  const struct run *run = lab_find(w, &brief), *shown = run_shown(w, s);
  if (run) {
    facts_first(run, out);
    facts_spread(run, out);
    if (run->flop > 0) out[F_BURST].value = run->flop / run_time(run);
  }
  out[F_DROP_KIND].word = drop_name(DROP_UNKNOWN);
  facts_long(lab_view(s) == VIEW_SUSTAINED ? lab_find(w, &longer) : NULL, out);
  facts_async(w, s, out);
  facts_small(w, s, out);
  out[F_OPERATION].word = lab_view(s) == VIEW_ASYNC ? "work handed to threads" : op_name(lab_op(s));
  out[F_COUNT].value = shown && shown->count > 0 ? shown->count : NAN;
  out[F_SPREAD].value = shown && shown->count > 0 ? shown->spread : NAN;
  out[F_FLAGS].word = shown ? flag_first(shown->flags) : NULL;
  struct request any[REQUEST_MAX];
  out[F_STATE].word = !lab_kernel(s)                 ? lab_record_state(w, s)
                      : lab_measures(w, s, any) == 0 ? "no kernel for this"
                      : !shown                       ? "not measured yet: m"
                      : shown->count == 0            ? "first run"
                                                     : "measured";
  int n = F_N;
  n += lab_record_facts(w, s, out + n);
  n += lab_cost_facts(w, s, out + n);
  n += lab_arrival_facts(w, s, out + n);
  assert(n <= FACT_MAX);
  return n;
}
