/* The support assistant, part by part: what runs on the server, what on the accelerator, and why. The chapter's own table of it is lost;
 * the parts are its, the small times are ours. */
#include <math.h>

#include "model/ladder.h"
#include "model/roof.h"
#include "model/step.h"
#include "scenes/cases.h"

enum { PART_EMBED = 3, PART_ANSWER = 7 };

static const struct cases_part part_table[PARTS] = {
    {"authenticate", "branches and a look-up: no products to speed up", PLACE_HOST},
    {"tenant filter", "rules that must hold, checked one by one; never a guess", PLACE_HOST},
    {"tokenise", "short sequential text work, done before anything else", PLACE_HOST},
    {"embed question", "dense, but small: a server does it; an accelerator might", PLACE_EITHER},
    {"search index", "reads memory and storage, filtered by tenant", PLACE_HOST},
    {"order lookup", "the tool knows the order, the model does not: a database", PLACE_HOST},
    {"build prompt", "joins text; the model sees only what stands here", PLACE_HOST},
    {"answer model", "dense and large, every token: here an accelerator earns its price", PLACE_ACCELERATOR},
    {"check, stream", "rules and a network connection", PLACE_HOST},
    {"audit log", "writes to storage", PLACE_HOST},
};

enum {
  F_THERE,
  F_CROSSINGS,
  F_TOTAL,
  F_BEST,
  F_WRONG,
  F_ANSWER_HOST,
  F_ANSWER_DEVICE,
  F_PART,
  F_BELONGS,
  F_WHY,
  F_PART_HOST,
  F_PART_DEVICE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_THERE] = {"parts_accelerated", "on accelerator", "n", 1, NULL, "Parts of ten that stand on the accelerator."},
    [F_CROSSINGS] = {"crossings", "crossings", "n", 1, NULL,
                     "How often a question goes from server to accelerator or back; each costs a copy and a launch."},
    [F_TOTAL] = {"assistant_time", "answer after", "s", 1, NULL,
                 "All parts in a row as they are placed, and the crossings. A dash: a part cannot run where it is put."},
    [F_BEST] = {"assistant_best", "best placement", "s", 1, NULL, "The same with each part where it is faster."},
    [F_WRONG] = {"parts_wrong", "out of place", "n", 1, NULL,
                 "Parts that cannot run where they are put, or take longer than the whole answer may."},
    [F_ANSWER_HOST] =
        {"answer_host_time", "model, server", "s", 1, NULL,
         "The answer on a server, at most so fast: the prompt at its rate, then for each token the weights read once, or its arithmetic."},
    [F_ANSWER_DEVICE] = {"answer_device_time", "model, accel.", "s", 1, NULL,
                         "The same on the device, by its sheet: a bound, no forecast."},
    [F_PART] = {"part_name", "part", "", 1, NULL, "The part under the hand."},
    [F_BELONGS] = {"part_belongs", "belongs on", "", 1, NULL, "Where it belongs. The list is our reading of the chapter."},
    [F_WHY] = {"part_why", NULL, "", 2, NULL, "Why it belongs there."},
    [F_PART_HOST] = {"part_host_time", "  on a server", "s", 2, NULL, "The part on a server."},
    [F_PART_DEVICE] = {"part_device_time", "  on accel.", "s", 2, NULL, "The part on the accelerator. A dash: it cannot run there."},
};

const struct cases_part *cases_part(int i) { return &part_table[i]; }

unsigned cases_placed(const struct setup *s) {
  const char *text = knob_text(s, KNOB_ACCELERATED);
  unsigned placed = 0;
  if (!*text) return s->set[KNOB_ACCELERATED] ? 0 : 1u << PART_ANSWER;
  for (int number = 0;; text++) {
    if (*text >= '0' && *text <= '9') {
      number = number > PARTS ? number : number * 10 + (*text - '0');
      continue;
    }
    if (number >= 1 && number <= PARTS) placed |= 1u << (number - 1);
    number = 0;
    if (!*text) return placed;
  }
}

/* At most so fast: a prompt is one large product; then each token reads all weights once. */
static double answer_time(const struct geometry *g, double weight_byte, double peak, double byte_per_s, const struct setup *s) {
  double token = fmax(2 * g->matmul_params / peak, g->matmul_params * weight_byte / byte_per_s);
  if (isnan(peak) || isnan(byte_per_s) || isnan(g->matmul_params)) return NAN;
  return fmax(2 * g->matmul_params * s->v[KNOB_INPUT] / peak, g->matmul_params * weight_byte / byte_per_s) + s->v[KNOB_OUTPUT] * token;
}

void cases_part_time(const struct world *w, const struct setup *s, int i, double *host, double *accelerator) {
  *host = s->v[KNOB_PART_TIME];
  *accelerator = NAN;
  if (i == PART_EMBED) {
    double flop = 2 * s->v[KNOB_EMBED_PARAMS] * s->v[KNOB_EMBED_TOKENS];
    *host = flop / s->v[KNOB_HOST_RATE];
    *accelerator = flop / s->v[KNOB_DEVICE_RATE];
  }
  if (i != PART_ANSWER) return;
  const struct device *d = cases_device(w, s);
  struct geometry g = geometry_of(w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : NULL, NAN);
  enum dtype math = ladder_math(d, DTYPE_BF16);
  *host = answer_time(&g, 2, s->v[KNOB_HOST_RATE], s->v[KNOB_HOST_BANDWIDTH], s);
  *accelerator = answer_time(&g, 2, math == DTYPE_N ? NAN : ladder_peak(d, math, ISA_AUTO, 0), ladder_memory_rate(d), s);
}

enum cases_state cases_part_state(const struct world *w, const struct setup *s, int i) {
  double host, accelerator;
  bool there = cases_placed(s) >> i & 1;
  cases_part_time(w, s, i, &host, &accelerator);
  if (there && part_table[i].place == PLACE_HOST) return CASES_FAILS;
  double time = there ? accelerator : host;
  return isnan(time) ? CASES_UNKNOWN : time <= s->v[KNOB_ANSWER_WITHIN] ? CASES_PASSES : CASES_FAILS;
}

static void number_add(char *text, int *n, int number) {
  if (*n) text[(*n)++] = ',';
  if (number >= 10) text[(*n)++] = (char)('0' + number / 10);
  text[(*n)++] = (char)('0' + number % 10);
}

bool cases_turn(const struct world *w, const struct setup *s, int knob, int direction, bool coarse, struct setup *person) {
  (void)w, (void)direction, (void)coarse;
  if (knob != KNOB_ACCELERATED) return false;
  unsigned placed = cases_placed(s) ^ 1u << ((int)s->v[KNOB_PART] - 1);
  char *text = person->text[knob_table[KNOB_ACCELERATED].slot];
  int n = 0;
  for (int i = 0; i < PARTS; i++)
    if (placed >> i & 1) number_add(text, &n, i + 1);
  if (!placed) text[n++] = '0'; /* none, which is not the same as not set */
  text[n] = 0;
  person->set[KNOB_ACCELERATED] = true;
  return true;
}

int cases_place_facts(const struct world *w, const struct setup *s, struct fact *out) {
  unsigned placed = cases_placed(s);
  double total = 0, best = 0, step = s->v[KNOB_COPY_COST] + s->v[KNOB_LAUNCH_COST], host, accelerator;
  int n = cases_table(s, VIEW_PLACEMENT, fact_table, F_N, out), there = 0, crossings = 0, wrong = 0, part = (int)s->v[KNOB_PART] - 1;
  bool side = false, best_side = false;
  for (int i = 0; i < PARTS; i++) {
    bool on = placed >> i & 1;
    cases_part_time(w, s, i, &host, &accelerator);
    there += on;
    wrong += cases_part_state(w, s, i) == CASES_FAILS;
    if (on != side) total += step, crossings++;
    total += on ? accelerator : host;
    bool faster = accelerator + (best_side ? 0 : 2 * step) < host;
    if (faster != best_side) best += step;
    best += faster ? accelerator : host;
    side = on, best_side = faster;
  }
  if (side) total += step, crossings++;
  out[F_THERE].value = there;
  out[F_CROSSINGS].value = crossings;
  out[F_TOTAL].value = total;
  out[F_BEST].value = best;
  out[F_WRONG].value = wrong;
  cases_part_time(w, s, PART_ANSWER, &out[F_ANSWER_HOST].value, &out[F_ANSWER_DEVICE].value);
  cases_part_time(w, s, part, &out[F_PART_HOST].value, &out[F_PART_DEVICE].value);
  out[F_PART].word = part_table[part].name;
  out[F_BELONGS].word = part_table[part].place == PLACE_HOST     ? "a server"
                        : part_table[part].place == PLACE_EITHER ? "either"
                                                                 : "an accelerator";
  out[F_WHY].word = part_table[part].why;
  return n;
}
