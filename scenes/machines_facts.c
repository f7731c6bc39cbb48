/* The facts of the machines scene. */
#include <math.h>
#include <string.h>

#include "model/roof.h"
#include "scenes/machines.h"

enum {
  F_DEVICE,
  F_NAME,
  F_FAMILY,
  F_MEMORY,
  F_RATE,
  F_PEAK,
  F_MATH,
  F_BALANCE,
  F_READ_TIME,
  F_POWER,
  F_EFFICIENCY,
  F_YEAR,
  F_HEADLINE,
  F_HEADLINE_TYPE,
  F_HEADLINE_BALANCE,
  F_SPARSE_BALANCE,
  F_FIGURES,
  F_UNVERIFIED,
  F_WHOSE,
  F_PROVENANCE,
  F_STATE,
  F_SOURCE_DATE,
  F_LISTED,
  F_PLACE,
  F_LEAST,
  F_LEAST_DEVICE,
  F_MOST,
  F_MOST_DEVICE,
  F_TWIN,
  F_TWIN_RATE,
  F_SPARSITY,
  F_PRECISION,
  F_OPERATION,
  F_USE,
  F_PEELED,
  F_KEPT,
  F_PEELED_BALANCE,
  F_LEFT,
  F_CORES,
  F_CORE_CYCLE,
  F_CORE_RATE,
  F_BUILT,
  F_HERE_RATE,
  F_HERE_THREADS,
  F_HERE_CLOCK,
  F_HERE_LANES,
  F_HERE_CYCLE,
  F_HERE_UNITS,
  F_HERE_ISA,
  F_PRODUCT,
  F_PRODUCT_SHARE,
  F_TWIN_A,
  F_TWIN_B,
  F_TWIN_PEAK_A,
  F_TWIN_PEAK_B,
  F_TWIN_RATE_A,
  F_TWIN_RATE_B,
  F_TWIN_RIDGE_A,
  F_TWIN_RIDGE_B,
  F_TWIN_GETS_A,
  F_TWIN_GETS_B,
  F_TWIN_RATIO,
  F_WORK_BYTE,
  F_JOB_TIME,
  F_JOB_RATE,
  F_JOB_BOUND,
  F_JOB_BUSY,
  F_JOB_FITS,
  F_JOB_NEEDED,
  F_JOB_AGAINST,
  F_AGAINST,
  F_JOB_PLACE,
  F_JOB_ENERGY,
  F_JOB_DEVICES,
  F_SERVED,
  F_MEMORY_BOUND,
  F_FIRST,
  F_FIRST_RATE,
  F_FIRST_BOUND,
  F_ADVICE,
  F_VIEW,
  F_N
};

enum {
  IN_TABLE = 1 << 0,
  IN_PLOT = 1 << 1,
  IN_BALANCE = 1 << 2,
  IN_CARD = 1 << 3,
  IN_PEAK = 1 << 4,
  IN_CPU = 1 << 5,
  IN_TWINS = 1 << 6,
  IN_CHOOSE = 1 << 7,
  IN_LIST = IN_TABLE | IN_PLOT | IN_BALANCE
};

/* A fact stands in the panel of the views named here; it can be printed from all. */
static const struct {
  unsigned views;
  struct fact fact;
} fact_table[F_N] = {
    [F_DEVICE] = {0, {"device_id", NULL, "", 2, NULL, "The device under the cursor."}},
    [F_NAME] = {0, {"device_name", NULL, "", 2, NULL, "Its name in full."}},
    [F_FAMILY] = {IN_LIST | IN_CARD, {"device_family", "family", "", 2, NULL, "What kind of device it is."}},
    [F_MEMORY] = {IN_LIST | IN_CARD,
                  {"memory_byte", "memory", "byte", 1, NULL,
                   "Capacity of its main memory, in powers of ten as makers count: a part of 80 GB may hold 80 GiB or less; its sheet does "
                   "not say."}},
    [F_RATE] = {IN_LIST | IN_CARD | IN_PEAK, {"memory_byte_per_s", "memory rate", "byte/s", 1, NULL, "Bytes a second to and from it."}},
    [F_PEAK] = {IN_TABLE | IN_BALANCE | IN_CARD,
                {"peak_flop_per_s", "peak", "flop/s", 1, NULL,
                 "Dense arithmetic a second in the data type chosen, or as advertised: all units busy, operands on the chip."}},
    [F_MATH] = {IN_TABLE | IN_BALANCE | IN_CARD | IN_PEAK,
                {"arithmetic", "arithmetic", "", 2, NULL,
                 "The data type the peak belongs to: the one chosen if the sheet lists it, else bf16, else fp32."}},
    [F_BALANCE] = {IN_TABLE | IN_BALANCE | IN_CARD,
                   {"balance_point", "balance", "flop/byte", 1, "peak_flop_per_s / memory_byte_per_s",
                    "How often each byte must be used before arithmetic is the limit. Large: built for large dense products, and "
                    "disappointing elsewhere."}},
    [F_READ_TIME] = {IN_PLOT | IN_TABLE,
                     {"read_time", "read it all", "s", 1, "memory_byte / memory_byte_per_s",
                      "Time to read the whole memory once: a model that fills it makes no token faster than this."}},
    [F_POWER] = {IN_TABLE | IN_CARD, {"power_w", "power", "W", 2, NULL, "Thermal design power: what its cooling is made for."}},
    [F_EFFICIENCY] = {IN_TABLE | IN_BALANCE | IN_CARD,
                      {"flop_per_j", "a joule buys", "flop/J", 2, "peak_flop_per_s / power_w", "Arithmetic for a joule, at the peak."}},
    [F_YEAR] = {IN_TABLE | IN_CARD, {"year", "year", "", 2, NULL, "When it came out."}},
    [F_HEADLINE] = {IN_PEAK | IN_TABLE | IN_BALANCE,
                    {"headline_flop_per_s", "advertised", "flop/s", 1, NULL,
                     "The largest number the sheet can print: smallest data type, and skipped zeros counted where it does so."}},
    [F_HEADLINE_TYPE] = {IN_PEAK, {"headline_type", "in", "", 2, NULL, "The data type of that number."}},
    [F_HEADLINE_BALANCE] = {IN_PEAK,
                            {"headline_balance", "its balance", "flop/byte", 2, "headline_flop_per_s / memory_byte_per_s",
                             "The balance point that the headline would give: a wrong answer, too large."}},
    [F_SPARSE_BALANCE] =
        {0,
         {"sparse_balance", NULL, "flop/byte", 2, NULL,
          "The peak of the type chosen as advertised, skipped zeros counted, over the memory rate: twice too large where the "
          "headline is sparse."}},
    [F_FIGURES] = {IN_CARD, {"figures_known", "figures known", "n", 1, NULL, "How many figures the catalogue has of it."}},
    [F_UNVERIFIED] = {IN_CARD,
                      {"figures_unverified", "not verified", "n", 1, NULL, "How many of them nobody has checked; drawn with a '?'."}},
    [F_WHOSE] = {IN_LIST | IN_CARD,
                 {"rate_from", "rate from", "", 2, NULL, "Whose the memory rate is: vendor, derived, illustrative, measured."}},
    [F_PROVENANCE] = {0, {"provenance", NULL, "", 2, NULL, "Whose the figures on the screen are."}},
    [F_STATE] = {0, {"state", NULL, "", 2, NULL, "Which part of the catalogue is shown."}},
    [F_SOURCE_DATE] = {IN_CARD, {"source_date", "as of", "", 2, NULL, "The date of that source. Figures age: buy nothing on these."}},
    [F_LISTED] = {IN_LIST, {"listed", "devices listed", "n", 2, NULL, "Devices in the list as filtered."}},
    [F_PLACE] = {IN_LIST, {"place", "its place", "n", 2, NULL, "Its place in the list as sorted."}},
    [F_LEAST] = {IN_BALANCE, {"balance_least", "least listed", "flop/byte", 1, NULL, "The smallest balance point in the list."}},
    [F_LEAST_DEVICE] = {0, {"balance_least_device", NULL, "", 2, NULL, "Whose that is."}},
    [F_MOST] = {IN_BALANCE, {"balance_most", "most listed", "flop/byte", 1, NULL, "The largest balance point in the list."}},
    [F_MOST_DEVICE] = {0, {"balance_most_device", NULL, "", 2, NULL, "Whose that is."}},
    [F_TWIN] = {IN_TABLE | IN_BALANCE,
                {"twin", "same peak has", "", 2, NULL,
                 "The device of the whole catalogue whose peak is within 1 % of this one's and whose memory rate differs most."}},
    [F_TWIN_RATE] = {IN_TABLE | IN_BALANCE,
                     {"twin_rate_ratio", "at a rate of", "x", 2, NULL,
                      "That device's memory rate over this one's: so much faster or slower on "
                      "all that waits for memory."}},
    [F_SPARSITY] = {IN_PEAK,
                    {"sparsity_factor", "sparsity", "x", 2, NULL,
                     "What counting skipped zeros adds: 2 when two of four weights may be zero. Unknown: the sheet counts none."}},
    [F_PRECISION] = {IN_PEAK,
                     {"precision_factor", "smallest type", "x", 2, NULL,
                      "The dense peak of the smallest type over that of the chosen one."}},
    [F_OPERATION] =
        {IN_PEAK,
         {"operation_factor", "one operation", "x", 2, NULL,
          "The matrix units, which do one dense product only, over the vector units that do all else (fp32). Unknown: the sheet "
          "names no vector rate."}},
    [F_USE] = {IN_PEAK,
               {"use_factor", "all units busy", "x", 2, "1 / utilisation", "What is lost as not all units are busy all the time."}},
    [F_PEELED] = {IN_PEAK, {"peeled_flop_per_s", "left", "flop/s", 1, NULL, "The headline without the layers taken off."}},
    [F_KEPT] = {IN_PEAK,
                {"peeled_share", "of headline", "%", 1, "peeled_flop_per_s / headline_flop_per_s", "What is left of the headline."}},
    [F_PEELED_BALANCE] = {IN_PEAK,
                          {"peeled_balance", "balance", "flop/byte", 1, "peeled_flop_per_s / memory_byte_per_s",
                           "The headline fell, the memory rate did not: so does the balance point."}},
    [F_LEFT] = {0, {"peeled_all_flop_per_s", NULL, "flop/s", 2, NULL, "With all four taken off."}},
    [F_CORES] = {0, {"core_units", NULL, "n", 2, "units * lanes", "Multiply-adds a core can start in a cycle."}},
    [F_CORE_CYCLE] = {IN_CPU, {"flop_per_cycle", "a core, a cycle", "flop", 1, "units * lanes * 2", "FLOP of one core in one cycle."}},
    [F_CORE_RATE] = {IN_CPU, {"core_flop_per_s", "one core", "flop/s", 1, "flop_per_cycle * clock", "The peak of one core."}},
    [F_BUILT] = {IN_CPU,
                 {"built_flop_per_s", "all cores", "flop/s", 1, "cores * units * lanes * 2 * clock",
                  "The peak of the whole: a ceiling, not a promise."}},
    [F_HERE_RATE] = {IN_CPU,
                     {"here_flop_per_s", "this machine", "flop/s", 1, NULL,
                      "What multiply-adds in registers reached here, fp32, all threads.", 0, NULL, true}},
    [F_HERE_THREADS] = {IN_CPU,
                        {"here_threads", "its threads", "n", 2, NULL, "Threads that took part; two of them may share a core.", 0, NULL,
                         true}},
    [F_HERE_CLOCK] = {IN_CPU, {"here_clock_hz", "its clock", "Hz", 2, NULL, "Counted by a chain of dependent additions.", 0, NULL, true}},
    [F_HERE_LANES] = {IN_CPU,
                      {"here_lanes", "its lanes", "n", 2, NULL, "fp32 numbers in a register of its widest instruction set.", 0, NULL,
                       true}},
    [F_HERE_CYCLE] = {IN_CPU,
                      {"here_flop_per_cycle", "FLOP a cycle", "flop", 1, "here_flop_per_s / (here_threads * here_clock_hz)",
                       "What each thread did in a cycle.", 0, NULL, true}},
    [F_HERE_UNITS] = {IN_CPU,
                      {"here_units", "units, by that", "n", 1, "here_flop_per_cycle / (2 * here_lanes)",
                       "Vector units a thread that this amounts to: 2 on a core of its own, 1 where two threads share one.", 0, NULL,
                       true}},
    [F_HERE_ISA] = {0, {"here_isa", NULL, "", 2, NULL, "The instruction set that was fastest."}},
    [F_PRODUCT] = {IN_CPU | IN_PEAK,
                   {"product_flop_per_s", "a real product", "flop/s", 1, NULL,
                    "What a product of two fp32 matrices of 1024 by 1024 really reached on this machine, all threads.", 0, NULL, true}},
    [F_PRODUCT_SHARE] = {IN_CPU | IN_PEAK,
                         {"product_share", "of peak here", "%", 1, "product_flop_per_s / here_flop_per_s",
                          "The same over what multiply-adds in registers reached: the share in use, measured.", 0, NULL, true}},
    [F_TWIN_A] = {0, {"twin_a", NULL, "", 2, NULL, "The first of the two."}},
    [F_TWIN_B] = {0, {"twin_b", NULL, "", 2, NULL, "The second."}},
    [F_TWIN_PEAK_A] = {IN_TWINS, {"twin_a_flop_per_s", "peak of first", "flop/s", 1, NULL, "Its dense peak."}},
    [F_TWIN_PEAK_B] = {IN_TWINS, {"twin_b_flop_per_s", "of second", "flop/s", 1, NULL, "Its dense peak."}},
    [F_TWIN_RATE_A] = {IN_TWINS, {"twin_a_byte_per_s", "rate of first", "byte/s", 2, NULL, "Its memory rate."}},
    [F_TWIN_RATE_B] = {IN_TWINS, {"twin_b_byte_per_s", "of second", "byte/s", 2, NULL, "Its memory rate."}},
    [F_TWIN_RIDGE_A] = {IN_TWINS,
                        {"twin_a_balance", "balance, first", "flop/byte", 1, "twin_a_flop_per_s / twin_a_byte_per_s",
                         "Its balance point."}},
    [F_TWIN_RIDGE_B] = {IN_TWINS,
                        {"twin_b_balance", "second", "flop/byte", 1, "twin_b_flop_per_s / twin_b_byte_per_s", "Its balance point."}},
    [F_TWIN_GETS_A] = {IN_TWINS,
                       {"twin_a_attainable", "first reaches", "flop/s", 1, "min(twin_a_flop_per_s, intensity * twin_a_byte_per_s)",
                        "At most, at this intensity."}},
    [F_TWIN_GETS_B] = {IN_TWINS,
                       {"twin_b_attainable", "second reaches", "flop/s", 1, "min(twin_b_flop_per_s, intensity * twin_b_byte_per_s)",
                        "At most, at this intensity."}},
    [F_TWIN_RATIO] = {IN_TWINS,
                      {"twin_ratio", "second / first", "x", 1, "twin_b_attainable / twin_a_attainable",
                       "What the sheet's peak does not tell."}},
    [F_WORK_BYTE] = {IN_CHOOSE,
                     {"work_byte", "its traffic", "byte", 2, "flop / intensity", "Bytes one piece of work fetches from main memory."}},
    [F_JOB_TIME] = {IN_CHOOSE,
                    {"time_least", "takes at least", "s", 1, "max(flop / peak_flop_per_s, work_byte / memory_byte_per_s) / devices_used",
                     "No time below this is possible there, whoever writes the code."}},
    [F_JOB_RATE] = {IN_CHOOSE,
                    {"work_per_s", "pieces a second", "1", 1, "1 / time_least",
                     "How many pieces of work a second that is at most: tokens, if a piece is one."}},
    [F_JOB_BOUND] = {IN_CHOOSE, {"bound", "limited by", "", 1, NULL, "What decides: memory (buy bandwidth) or compute (buy arithmetic)."}},
    [F_JOB_BUSY] = {IN_CHOOSE, {"busy_share", "peak in use", "%", 1, NULL, "Share of its arithmetic that this work can use."}},
    [F_JOB_FITS] = {IN_CHOOSE, {"fits", "holds it", "", 1, NULL, "Whether its memory holds what must be there."}},
    [F_JOB_NEEDED] = {IN_CHOOSE, {"devices_needed", "devices needed", "n", 2, NULL, "How many such devices hold it, if it splits evenly."}},
    [F_JOB_AGAINST] = {0,
                       {"against", NULL, "", 2, NULL,
                        "Why this device is a poor fit for what is special about the work; nothing: no reason is on record."}},
    [F_AGAINST] = {IN_CHOOSE,
                   {"devices_poor", "poor fit", "n", 2, NULL,
                    "Devices that hold the data but are poor at what is special about the work."}},
    [F_JOB_PLACE] = {IN_CHOOSE,
                     {"rank", "its place", "n", 1, NULL, "Its place in the ranking by the bound; unknown when it does not hold the data."}},
    [F_JOB_ENERGY] = {IN_CHOOSE,
                      {"work_j", "at full power", "J", 2, "power_w * time_least * devices_used",
                       "Energy of one piece at the design power: an estimate of ours, most draw less while they wait."}},
    [F_JOB_DEVICES] = {0,
                       {"devices_used", NULL, "n", 2, NULL,
                        "How many of each device share the work, split perfectly; what they must tell each other is not counted."}},
    [F_SERVED] = {IN_CHOOSE,
                  {"devices_serving", "devices hold it", "n", 1, NULL, "Devices in the list that hold the data and whose time is known."}},
    [F_MEMORY_BOUND] = {IN_CHOOSE,
                        {"devices_memory_bound", "wait for memory", "n", 2, NULL, "How many of those are limited by memory on this work."}},
    [F_FIRST] = {0, {"best_device", NULL, "", 2, NULL, "The first of the ranking."}},
    [F_FIRST_RATE] = {0, {"best_per_s", NULL, "1", 2, NULL, "Its pieces a second."}},
    [F_FIRST_BOUND] = {0, {"best_bound", NULL, "", 2, NULL, "What limits it."}},
    [F_ADVICE] = {0, {"buy", NULL, "", 2, NULL, "What more of would help on this work."}},
    [F_VIEW] = {0, {"view_name", NULL, "", 2, NULL, "Which side of the catalogue is shown."}},
};

static void facts_device(const struct world *w, const struct setup *s, struct fact *f) {
  const struct device *d = machines_device(w, s);
  struct sheet sheet = machines_sheet(w, s, (int)s->v[KNOB_DEVICE]);
  const struct cite *cite = d->ncite > 0 ? &d->cite[d->memory_byte_per_s.cite] : NULL;
  int unverified;
  f[F_DEVICE].word = d->id;
  f[F_NAME].word = d->name;
  f[F_FAMILY].word = family_name(d->family);
  f[F_MEMORY].value = sheet.memory_byte;
  f[F_RATE].value = sheet.byte_per_s;
  f[F_PEAK].value = sheet.peak;
  f[F_MATH].word = sheet.math == DTYPE_N ? "not on the sheet" : dtype_name(sheet.math);
  f[F_BALANCE].value = sheet.balance;
  f[F_READ_TIME].value = sheet.memory_byte / sheet.byte_per_s;
  f[F_POWER].value = d->tdp_w.value;
  f[F_EFFICIENCY].value = sheet.flop_per_j;
  f[F_YEAR].value = d->year ? d->year : NAN;
  f[F_HEADLINE].value = sheet_headline(d);
  f[F_HEADLINE_TYPE].word = sheet_fastest(d) == DTYPE_N ? "unknown" : dtype_name(sheet_fastest(d));
  f[F_HEADLINE_BALANCE].value = f[F_HEADLINE].value / sheet.byte_per_s;
  f[F_SPARSE_BALANCE].value =
      sheet_of(d, (enum dtype)(int)s->v[KNOB_DTYPE], false).balance * (isnan(d->sparse_ratio.value) ? 1 : d->sparse_ratio.value);
  f[F_FIGURES].value = sheet_figures(d, &unverified);
  f[F_UNVERIFIED].value = unverified;
  f[F_WHOSE].word = d->illustrative ? "illustrative" : figure_word(&d->memory_byte_per_s);
  f[F_SOURCE_DATE].word = cite && cite->date[0] ? cite->date : "not dated";
}

static void facts_list(const struct world *w, const struct setup *s, struct fact *f) {
  uint8_t list[DEVICE_MAX], everyone[DEVICE_MAX];
  int n = machines_list(w, s, list), chosen = (int)s->v[KNOB_DEVICE];
  f[F_LISTED].value = n;
  for (int i = 0; i < n; i++) {
    double balance = machines_sheet(w, s, list[i]).balance;
    if (list[i] == chosen) f[F_PLACE].value = i + 1;
    if (!isnan(balance) && !(balance >= f[F_LEAST].value)) f[F_LEAST].value = balance, f[F_LEAST_DEVICE].word = w->device[list[i]].id;
    if (!isnan(balance) && !(balance <= f[F_MOST].value)) f[F_MOST].value = balance, f[F_MOST_DEVICE].word = w->device[list[i]].id;
  }
  for (int i = 0; i < w->ndevice; i++) everyone[i] = (uint8_t)i;
  int twin = sheet_twin(w, everyone, w->ndevice, chosen, (enum dtype)(int)s->v[KNOB_DTYPE]);
  f[F_TWIN].word = twin < 0 ? "nobody" : w->device[twin].id;
  if (twin >= 0) f[F_TWIN_RATE].value = w->device[twin].memory_byte_per_s.value / w->device[chosen].memory_byte_per_s.value;
}

static void facts_peak(const struct world *w, const struct setup *s, struct fact *f) {
  struct peeled p = machines_peeled(w, s);
  for (int i = 0; i < PEEL_N; i++) f[F_SPARSITY + i].value = p.factor[i];
  f[F_PEELED].value = p.now[PEEL_N - 1];
  f[F_KEPT].value = p.now[PEEL_N - 1] / p.headline;
  f[F_PEELED_BALANCE].value = roof_ridge(p.now[PEEL_N - 1], f[F_RATE].value);
  f[F_LEFT].value = p.left[PEEL_N - 1];
}

static void facts_cpu(const struct world *w, const struct setup *s, struct fact *f) {
  double cores = s->v[KNOB_CORES], units = s->v[KNOB_UNITS], lanes = s->v[KNOB_LANES], clock = s->v[KNOB_CLOCK];
  struct built here = machines_here(w);
  f[F_CORES].value = units * lanes;
  f[F_CORE_CYCLE].value = units * lanes * 2;
  f[F_CORE_RATE].value = peel_built(1, units, lanes, clock);
  f[F_BUILT].value = peel_built(cores, units, lanes, clock);
  f[F_HERE_RATE].value = here.flop_per_s;
  f[F_HERE_THREADS].value = here.threads;
  f[F_HERE_CLOCK].value = here.clock_hz;
  f[F_HERE_LANES].value = here.lanes;
  f[F_HERE_CYCLE].value = here.flop_per_cycle;
  f[F_HERE_UNITS].value = here.units;
  f[F_PRODUCT].value = machines_product_rate(w);
  f[F_PRODUCT_SHARE].value = f[F_PRODUCT].value / here.flop_per_s;
  f[F_HERE_ISA].word = here.isa == ISA_AUTO ? "not measured" : isa_name(here.isa);
}

static void facts_twins(const struct world *w, const struct setup *s, struct fact *f) {
  struct twins t = machines_twins(w, s);
  for (int i = 0; i < 2; i++) {
    f[F_TWIN_A + i].word = t.name[i];
    f[F_TWIN_PEAK_A + i].value = t.peak[i];
    f[F_TWIN_RATE_A + i].value = t.byte_per_s[i];
    f[F_TWIN_RIDGE_A + i].value = roof_ridge(t.peak[i], t.byte_per_s[i]);
    f[F_TWIN_GETS_A + i].value = roof_attainable(t.peak[i], t.byte_per_s[i], s->v[KNOB_INTENSITY]);
  }
  f[F_TWIN_RATIO].value = f[F_TWIN_GETS_B].value / f[F_TWIN_GETS_A].value;
}

static void facts_choose(const struct world *w, const struct setup *s, struct fact *f) {
  uint8_t list[DEVICE_MAX];
  struct offer offer[DEVICE_MAX];
  struct job job = machines_job(s);
  int n = choose_rank(w, list, machines_list(w, s, list), &job, offer), served = 0, waiting = 0, poor = 0;
  struct offer mine = choose_offer(w, (int)s->v[KNOB_DEVICE], &job);
  for (int i = 0; i < n; i++) {
    poor += offer[i].fits == FITS_YES && offer[i].against;
    if (!choose_serves(&offer[i])) continue;
    if (offer[i].device == mine.device) f[F_JOB_PLACE].value = i + 1;
    if (served++ == 0) {
      f[F_FIRST].word = w->device[offer[i].device].id;
      f[F_FIRST_RATE].value = 1 / offer[i].time;
      f[F_FIRST_BOUND].word = bound_name(offer[i].bound);
    }
    waiting += offer[i].bound == BOUND_MEMORY;
  }
  f[F_WORK_BYTE].value = job.flop / job.flop_per_byte;
  f[F_JOB_TIME].value = mine.time;
  if (s->v[KNOB_ADVERTISED] > 0) f[F_JOB_TIME].formula = NULL; /* the peak shown is then not the dense one, which work is ranked by */
  f[F_JOB_RATE].value = 1 / mine.time;
  f[F_JOB_BOUND].word = bound_name(mine.bound);
  f[F_JOB_BUSY].value = mine.busy_share;
  f[F_JOB_FITS].word = mine.fits == FITS_YES ? "yes" : mine.fits == FITS_NO ? "no" : "not known";
  f[F_JOB_NEEDED].value = mine.needed;
  f[F_JOB_AGAINST].word = mine.against ? mine.against : "nothing";
  f[F_AGAINST].value = poor;
  f[F_JOB_ENERGY].value = f[F_POWER].value * mine.time * job.devices;
  f[F_JOB_DEVICES].value = job.devices;
  f[F_SERVED].value = served;
  f[F_MEMORY_BOUND].value = waiting;
  f[F_ADVICE].word = served == 0 ? "memory" : waiting == served ? "bandwidth" : waiting == 0 ? "arithmetic" : "both";
}

/* Whose the figures are, and how much of the catalogue is in sight. */
static void facts_words(const struct setup *s, struct fact *f) {
  enum view_id view = machines_view(s);
  bool list = view == VIEW_TABLE || view == VIEW_PLOT || view == VIEW_BALANCE || view == VIEW_CHOOSE;
  f[F_PROVENANCE].word = list                                           ? "by device, ? never checked"
                         : view == VIEW_CPU                             ? "illustrative, and measured here"
                         : view == VIEW_TWINS && s->v[KNOB_COMPARE] < 1 ? "illustrative"
                                                                        : f[F_WHOSE].word;
  f[F_STATE].word = !list                   ? (view != VIEW_PEAK && view != VIEW_CPU ? ""
                                               : isnan(f[F_PRODUCT].value)           ? "a real product here: m"
                                                                                     : "a real product here: measured")
                    : s->v[KNOB_FAMILY] > 0 ? "one family"
                    : s->v[KNOB_ALL] > 0.5  ? "the whole catalogue"
                                            : "first dozen: all=on";
  f[F_VIEW].word = view_name(view);
}

int machines_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]) {
  unsigned view = 1u << (machines_view(s) - VIEW_TABLE);
  for (int i = 0; i < F_N; i++) {
    out[i] = fact_table[i].fact;
    out[i].value = NAN;
    if (!(fact_table[i].views & view)) out[i].label = NULL;
  }
  out[F_LEAST_DEVICE].word = out[F_MOST_DEVICE].word = out[F_FIRST].word = "nobody";
  out[F_FIRST_BOUND].word = bound_name(BOUND_UNKNOWN);
  facts_device(w, s, out);
  facts_list(w, s, out);
  facts_peak(w, s, out);
  facts_cpu(w, s, out);
  facts_twins(w, s, out);
  facts_choose(w, s, out);
  facts_words(s, out);
  return F_N;
}
