/* The facts of the diagnose scene: the gauges that have been looked at, what they cost, what they leave, and, once an answer is given, what
 * it was and which reading proves it. */
#include <math.h>
#include <string.h>

#include "scenes/diagnose.h"

enum {
  F_COURSE = DIAGNOSE_COURSE,
  F_POSSIBLE_RATE = F_COURSE + 2 * COURSE_N,
  F_SLOWDOWN,
  F_ENDED,
  F_KERNELS,
  F_GAPS,
  F_COPIES_S,
  F_HOST_S,
  F_WAIT,
  F_CYCLE,
  F_SPENT,
  F_BUDGET,
  F_LEFT,
  F_SUSPECTS,
  F_CORRECT,
  F_LEAST,
  F_WANTED,
  F_SERVED_SHARE,
  F_PARAMS,
  F_SMALLER,
  F_BATCH,
  F_MEMORY,
  F_WEIGHTS,
  F_BESIDE,
  F_HOST_RATE,
  F_HOST_RATIO,
  F_RIVAL_VALUE,
  F_TRUE_VALUE,
  F_ANSWER,
  F_TRUTH,
  F_MEANING,
  F_REMEDY,
  F_RIVAL,
  F_RIVAL_PROBE,
  F_RIVAL_GAUGE,
  F_NEXT,
  F_FOUND,
  F_STEP,
  F_STATE,
  F_VIEW,
  F_N
};

static const struct fact fact_table[F_N] = {
    [GAUGE_RATE] = {"token_rate", "answers", "token/s", 1, NULL, "Tokens a second that the service answers with, in the last reading."},
    [GAUGE_BUSY] =
        {"busy", "time busy", "%", 1, NULL,
         "Share of the time in which any kernel is on the device: what most tools call utilisation. It says nothing of how well."},
    [GAUGE_PEAK] =
        {"peak_share", "of peak", "%", 1, NULL,
         "Share of the device's arithmetic peak that this service uses: what busy hides. When all is well it is near 1 here, since "
         "the batch is chosen so and nothing is lost: bounds, ours."},
    [GAUGE_LISTED] = {"device_listed", "listed", "n", 2, NULL, "1: the system lists the device."},
    [GAUGE_SEEN] = {"device_seen", "seen", "n", 2, NULL, "1: the framework sees it. 0 often goes unsaid: then the host computes."},
    [GAUGE_RUNS] = {"device_computes", "computes", "n", 2, NULL, "1: a trivial kernel runs and gives the right result."},
    [GAUGE_DRIVER] = {"driver_ratio", "driver/needed", "x", 2, NULL,
                      "Version of the driver over the one the libraries need: below 1 is too old."},
    [GAUGE_ALLOCATED] = {"allocated_byte", "allocated", "byte", 2, NULL,
                         "Memory of the device that is taken, by all programs: what the system's tools show. Allocators hold more than is "
                         "in use, a tenth more here (ours)."},
    [GAUGE_USED] = {"used_byte", "in use", "byte", 2, NULL, "What is alive in it: weights and cache. Only the framework knows."},
    [GAUGE_CLOCK] = {"clock_share", "clock", "%", 2, NULL, "The clock over its full value. It slows down arithmetic, not memory."},
    [GAUGE_HEAT] = {"chip_heat", "chip", "C", 2, NULL, "Degrees Celsius. At 87 (ours) the clock gives way until the chip stays there."},
    [GAUGE_POWER] = {"power", "power", "W", 2, NULL, "A fifth of the full when idle, the rest with the cube of the clock (ours)."},
    [GAUGE_CORES] = {"cores_busy", "cores busy", "%", 2, NULL,
                     "Share of the host's 8 cores in use. One drives the device and waits in a loop."},
    [GAUGE_PREPARING] = {"loaders_working", "loaders at work", "%", 2, NULL, "Share of the loaders' time in which they prepare requests."},
    [GAUGE_STORAGE] = {"loaders_at_storage", "await storage", "%", 2, NULL, "Share of it in which they wait for storage."},
    [GAUGE_QUEUE] = {"queue_full", "queue full", "%", 2, NULL,
                     "How full the queue before the device is: full, the device is what is slow."},
    [GAUGE_COPIES] = {"copies", "copies a step", "n", 2, NULL, "Copy calls for each token of the batch."},
    [GAUGE_COPY_BYTE] = {"copy_byte", "one copy", "byte", 2, NULL, "Bytes in one of them, in the mean."},
    [GAUGE_LINK] = {"link_busy", "link busy", "%", 2, NULL, "Share of the time in which bytes are on the link."},
    [GAUGE_LAUNCHES] = {"launches", "kernels a step", "n", 2, NULL, "Kernels launched for each token of the batch."},
    [GAUGE_KERNEL] = {"kernel_time", "one kernel", "s", 2, "step_kernels / launches", "Time of one of them, in the mean."},
    [GAUGE_ON_HOST] = {"host_share", "step on host", "%", 2, "step_host / step_cycle", "Share of the step that the host computes."},
    [GAUGE_ARRIVALS] = {"arrivals", "came, a second", "1", 2, NULL, "Requests that arrive each second."},
    [GAUGE_SERVED] = {"served", "served", "1", 2, NULL, "Requests answered each second."},
    [GAUGE_BATCH] = {"batch_mean", "in a step", "1", 2, NULL, "Requests that share a step, in the mean."},
    [GAUGE_LONGEST] = {"longest", "longest, tokens", "n", 2, NULL, "Tokens of the longest request so far, prompt and answer."},
    [GAUGE_MOST] = {"most_at_once", "most at once", "n", 2, NULL, "Most requests in memory at once so far."},
    [GAUGE_QUOTA] = {"quota_left", "quota left", "n", 2, NULL, "Devices still allowed to us: below 0 more is asked for than is allowed."},
    [GAUGE_FREE] = {"region_free", "free in region", "n", 2, NULL, "Devices of this kind that nobody has taken."},
    [GAUGE_RECLAIMED] = {"reclaimed_ago", "taken back", "s", 2, NULL, "Since when the provider has taken the device back; 0 never."},
    [F_COURSE] = {"allocated_start", NULL, "byte", 2, NULL, "Allocated at the start."},
    [F_COURSE + 1] = {"allocated_half", NULL, "byte", 2, NULL, "Allocated half-way to the last reading."},
    [F_COURSE + 2] = {"used_start", NULL, "byte", 2, NULL, "In use at the start."},
    [F_COURSE + 3] = {"used_half", NULL, "byte", 2, NULL, "In use half-way."},
    [F_COURSE + 4] = {"clock_start", NULL, "%", 2, NULL, "The clock at the start."},
    [F_COURSE + 5] = {"clock_half", NULL, "%", 2, NULL, "The clock half-way."},
    [F_COURSE + 6] = {"heat_start", NULL, "C", 2, NULL, "The chip's heat at the start."},
    [F_COURSE + 7] = {"heat_half", NULL, "C", 2, NULL, "The chip's heat half-way."},
    [F_COURSE + 8] = {"power_start", NULL, "W", 2, NULL, "Power at the start."},
    [F_COURSE + 9] = {"power_half", NULL, "W", 2, NULL, "Power half-way."},
    [F_COURSE + 10] = {"rate_start", NULL, "token/s", 2, NULL, "Tokens a second at the start: the clocks' probe shows it."},
    [F_COURSE + 11] = {"rate_half", NULL, "token/s", 2, NULL, "Tokens a second half-way."},
    [F_POSSIBLE_RATE] = {"healthy_rate", "when well", "token/s", 1, NULL,
                         "What the same service answers when nothing is wrong: by the decode model, with all bounds reached."},
    [F_SLOWDOWN] = {"slowdown", "too slow by", "x", 1, "healthy_rate / token_rate", "How many times slower than when all is well."},
    [F_ENDED] = {"ended_at", "died after", "s", 1, NULL, "When memory ran out. Unknown: it still runs."},
    [F_KERNELS] = {"step_kernels", "kernels", "s", 2, NULL, "Of one step, the time kernels run."},
    [F_GAPS] = {"step_gaps", "launch gaps", "s", 2, NULL, "The device waits for the next kernel to be launched."},
    [F_COPIES_S] = {"step_copies", "copies", "s", 2, NULL, "It waits for copies over the link."},
    [F_HOST_S] = {"step_host", "host computes", "s", 2, NULL, "It waits for a part of the step that the host computes."},
    [F_WAIT] = {"step_waiting", "no work", "s", 2, NULL, "It waits for requests, or for its turn."},
    [F_CYCLE] = {"step_cycle", "one step", "s", 2, "step_kernels + step_gaps + step_copies + step_host + step_waiting",
                 "From one token of the batch to the next."},
    [F_SPENT] = {"spent", "spent", "n", 1, NULL, "What the open probes cost together."},
    [F_BUDGET] = {"budget", "budget", "n", 2, NULL, "What may be spent: ours, as the costs are."},
    [F_LEFT] = {"budget_left", "left to spend", "n", 1, "budget - spent", "Below 0 the answer does not count."},
    [F_SUSPECTS] = {"suspects", "suspects left", "n", 1, NULL,
                    "Faults that would show the same in everything that has been looked at. 1: the fault is found, whether it has been "
                    "named or not."},
    [F_CORRECT] = {"correct", "answer right", "n", 1, NULL, "1 right, 0 wrong; unknown until an answer is given."},
    [F_LEAST] = {"least_cost", "could cost", "n", 1, NULL,
                 "The least that probes cost which leave this fault alone. Hidden until an answer is given."},
    [F_WANTED] = {"wanted_rate", "asked for", "token/s", 2, NULL, "Tokens a second that all who ask together want."},
    [F_SERVED_SHARE] = {"served_share", "of that served", "%", 2, "min(1, token_rate / wanted_rate)",
                        "What share of it is served while the fault lasts; the rest has to be queued, shed, or sent elsewhere."},
    [F_PARAMS] = {"model_params", "parameters", "n", 2, NULL, "Of the model."},
    [F_SMALLER] = {"smaller_params", "small enough", "n", 2, "model_params * served_share",
                   "A model of so many parameters would keep up meanwhile, were time to shrink with them: an estimate, ours."},
    [F_BATCH] = {"planned_batch", "planned batch", "n", 2, NULL,
                 "Requests at once that make memory and arithmetic equally slow, or half fill the memory (ours); 128 tokens held by each."},
    [F_MEMORY] = {"memory_byte", "its memory", "byte", 2, NULL, "Of the device: the chapter's 80 GB where that is not known."},
    [F_WEIGHTS] = {"weight_byte", "weights take", "byte", 2, NULL, "All weights as the service should hold them: 2 bytes each."},
    [F_BESIDE] = {"beside_weights", "beside them", "byte", 2, "memory_byte - weight_byte",
                  "What is left for the cache and all else: when that is gone, so is the service."},
    [F_HOST_RATE] = {"host_rate", "host alone", "token/s", 2, NULL,
                     "What the host's cores would answer without the device: 768 GFLOP/s and 50 GB/s, by the same model."},
    [F_HOST_RATIO] = {"device_over_host", "over the host", "x", 2, "healthy_rate / host_rate",
                      "The whole service on the device over the same on the host: not the ratio of two peaks, and not the hundred times "
                      "that is often said; another batch gives another ratio."},
    [F_RIVAL_VALUE] = {"rival_value", NULL, "1", 2, NULL, "What the look-alike would show there."},
    [F_TRUE_VALUE] = {"true_value", NULL, "1", 2, NULL, "What was to be seen there."},
    [F_ANSWER] = {"answer_name", NULL, "", 2, NULL, "The fault named."},
    [F_TRUTH] = {"truth", NULL, "", 2, NULL, "The hidden fault; hidden until an answer is given."},
    [F_MEANING] = {"truth_meaning", NULL, "", 2, NULL, "What is wrong, in words."},
    [F_REMEDY] = {"remedy", NULL, "", 2, NULL, "What mends it."},
    [F_RIVAL] = {"rival", NULL, "", 2, NULL,
                 "The fault that looks like it: the one answered when that was wrong, else the hardest to tell from it."},
    [F_RIVAL_PROBE] = {"rival_probe", NULL, "", 2, NULL, "The probe that tells the two apart."},
    [F_RIVAL_GAUGE] = {"rival_gauge", NULL, "", 2, NULL, "The gauge in it that does."},
    [F_NEXT] = {"next_look", "look next at", "", 1, NULL, "The first thing in the order of the steps that would split the suspects."},
    [F_FOUND] = {"found", "it is", "", 1, NULL, "The only fault that shows all of this; several: not one yet."},
    [F_STEP] = {"next_step", "step", "n", 1, NULL, "The step it belongs to; 6: nothing more to see, decide what serves meanwhile."},
    [F_STATE] = {"state", NULL, "", 2, NULL, "Whether the service runs, runs without its device, or has ended."},
    [F_VIEW] = {"view_name", NULL, "", 2, NULL, "The view on show."},
};

enum gauge diagnose_course(int i) {
  static const uint8_t course[COURSE_N] = {GAUGE_ALLOCATED, GAUGE_USED, GAUGE_CLOCK, GAUGE_HEAT, GAUGE_POWER, GAUGE_RATE};
  return (enum gauge)course[i];
}

static void facts_course(const struct diagnose *d, struct fact *f) {
  struct reading start, half;
  rig_at(&d->rig, 0, &start);
  rig_at(&d->rig, rig_last(&d->rig) / 2, &half);
  for (int i = 0; i < COURSE_N; i++) {
    enum gauge g = diagnose_course(i);
    int l = g == GAUGE_RATE ? LOOK_CLOCKS : gauge_look(g);
    if (!(d->spent & 1u << l)) continue;
    f[F_COURSE + 2 * i].value = start.v[g];
    f[F_COURSE + 2 * i + 1].value = half.v[g];
  }
}

/* Which reading proves it: in the probe that was spent if one tells them apart, else in any. */
static void facts_proof(const struct suspects *q, const struct diagnose *d, enum fault truth, enum fault rival, struct fact *f) {
  if (rival == FAULT_N || rival == truth || !q->possible[rival]) return;
  f[F_RIVAL].word = fault_name(rival);
  for (int pass = 0; pass < 3; pass++)
    for (int l = -1; l < LOOK_N; l++) {
      bool open = l < 0 || d->spent & 1u << l;
      enum gauge g = evidence_gauge(&q->fault[truth], &q->fault[rival], l);
      if (g == GAUGE_N || (pass == 0 && l >= 0) || (pass == 1 && !open)) continue;
      f[F_RIVAL_PROBE].word = l < 0 ? "none" : look_name((enum look)l);
      f[F_RIVAL_GAUGE].word = gauge_name(g);
      f[F_RIVAL_VALUE].value = q->fault[rival].at[EVIDENCE_LAST].v[g];
      f[F_TRUE_VALUE].value = q->fault[truth].at[EVIDENCE_LAST].v[g];
      f[F_RIVAL_VALUE].unit = f[F_TRUE_VALUE].unit = gauge_unit(g);
      return;
    }
}

static void facts_gauges(const struct diagnose *d, struct fact *f) {
  struct evidence e;
  struct reading well;
  evidence_of(&d->rig, &e);
  rig_at(&d->healthy, 0, &well);
  const struct reading *last = &e.at[EVIDENCE_LAST];
  for (int g = 0; g < GAUGE_N; g++) {
    int l = gauge_look((enum gauge)g);
    bool open = l < 0 || d->spent & 1u << l;
    if (open)
      f[g].value = last->v[g];
    else
      f[g].label = NULL;
  }
  f[F_POSSIBLE_RATE].value = well.v[GAUGE_RATE];
  f[F_SLOWDOWN].value = well.v[GAUGE_RATE] / last->v[GAUGE_RATE];
  if (isfinite(e.end))
    f[F_ENDED].value = e.end;
  else
    f[F_ENDED].label = NULL;
  f[F_STATE].word = isfinite(e.end) ? "out of memory" : last->v[GAUGE_BUSY] > 0 ? "runs" : "runs on the host";
  if (d->spent & 1u << LOOK_TRACE) {
    f[F_KERNELS].value = last->kernel_s;
    f[F_GAPS].value = last->gap_s;
    f[F_COPIES_S].value = last->copy_s;
    f[F_HOST_S].value = last->host_s;
    f[F_WAIT].value = last->wait_s;
    f[F_CYCLE].value = last->cycle_s;
  } else
    for (int i = F_KERNELS; i <= F_CYCLE; i++) f[i].label = NULL;
  facts_course(d, f);
  f[F_PARAMS].value = d->rig.step.params_total;
  f[F_BATCH].value = d->healthy.step.batch;
  f[F_MEMORY].value = d->healthy.step.capacity_byte;
  f[F_HOST_RATE].value = d->healthy.step.batch / rig_host_step(&d->healthy);
  f[F_HOST_RATIO].value = well.v[GAUGE_RATE] / f[F_HOST_RATE].value;
  f[F_WEIGHTS].value = rig_memory(&d->healthy, 0, 0);
  f[F_BESIDE].value = f[F_MEMORY].value - f[F_WEIGHTS].value;
}

static void facts_truth(const struct diagnose *d, const struct suspects *q, enum fault truth, struct fact *f) {
  f[F_TRUTH].word = fault_name(truth);
  f[F_MEANING].word = fault_meaning(truth);
  f[F_REMEDY].word = fault_remedy(truth);
  double least = suspects_least(q, truth, NULL);
  if (isfinite(least)) f[F_LEAST].value = least;
  facts_proof(q, d, truth, d->view == VIEW_GAME && d->answer != truth ? d->answer : suspects_alike(q, truth), f);
  f[F_WANTED].value = d->rig.demand * d->rig.tokens;
  f[F_SERVED_SHARE].value = fmin(1, f[GAUGE_RATE].value / f[F_WANTED].value);
  if (isfinite(f[F_ENDED].value)) f[F_SERVED_SHARE].value = NAN; /* it has ended: none, or all again after a restart */
  f[F_SMALLER].value = f[F_PARAMS].value * f[F_SERVED_SHARE].value;
}

static void facts_game(const struct diagnose *d, const struct suspects *q, struct fact *f) {
  f[F_SPENT].value = looks_cost(d->spent);
  f[F_BUDGET].value = LOOK_BUDGET;
  f[F_LEFT].value = LOOK_BUDGET - f[F_SPENT].value;
  f[F_SUSPECTS].value = suspects_count(suspects_left(q, d->hidden, d->spent));
  f[F_ANSWER].word = d->answer == FAULT_N ? "none" : fault_name(d->answer);
  if (!d->answered) return;
  f[F_CORRECT].value = d->answer == d->hidden;
  facts_truth(d, q, d->hidden, f);
}

static void facts_checklist(const struct diagnose *d, const struct suspects *q, struct fact *f) {
  enum sign next = checklist_next(q, d->seen);
  uint32_t left = checklist_left(q, d->seen);
  f[F_SUSPECTS].value = suspects_count(left);
  f[F_FOUND].word = suspects_count(left) > 1 ? "several" : "none known";
  for (int k = 0; k < FAULT_N; k++)
    if (left == 1u << k) f[F_FOUND].word = fault_name((enum fault)k);
  f[F_NEXT].word = next == SIGN_N ? "nothing more" : sign_name(next);
  f[F_STEP].value = next == SIGN_N ? CHECKLIST_STEPS : sign_step(next);
  /* Nothing runs here: the gauges are those of the person's own service. */
  for (int i = 0; i <= F_HOST_RATIO; i++)
    if (i != F_SUSPECTS) f[i].label = NULL;
}

int diagnose_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  struct diagnose d;
  struct suspects q;
  diagnose_of(w, s, &d);
  for (int i = 0; i < F_N; i++) {
    out[i] = fact_table[i];
    out[i].value = NAN;
  }
  out[F_VIEW].word = view_name(d.view);
  out[F_STATE].word = d.view == VIEW_CHECKLIST ? "put in what you see" : "unknown";
  out[F_TRUTH].word = "hidden";
  if (!d.known || (d.view == VIEW_GAME && d.hidden == FAULT_N)) return F_N;
  suspects_of(&d.healthy, &d.severity, &q);
  if (d.view == VIEW_CHECKLIST) {
    facts_checklist(&d, &q, out);
    return F_N;
  }
  out[F_NEXT].label = out[F_STEP].label = out[F_FOUND].label = NULL;
  facts_gauges(&d, out);
  if (d.view == VIEW_GAME)
    facts_game(&d, &q, out);
  else {
    for (int i = F_SPENT; i <= F_CORRECT; i++) out[i].label = NULL;
    if (d.answer == FAULT_N)
      out[F_TRUTH].word = "nothing";
    else if (d.possible)
      facts_truth(&d, &q, d.answer, out);
    else
      out[F_TRUTH].word = "not possible here";
  }
  if (isnan(out[F_CORRECT].value)) out[F_CORRECT].label = NULL;
  if (isnan(out[F_LEAST].value)) out[F_LEAST].label = NULL;
  if (isnan(out[F_WANTED].value))
    for (int i = F_WANTED; i <= F_SMALLER; i++) out[i].label = NULL;
  return F_N;
}
