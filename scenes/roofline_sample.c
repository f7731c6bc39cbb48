#include "scenes/roofline_sample.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/roof.h"
#include "scenes/roofline.h"

enum {
  S_COUNT,
  S_LEFT_OUT,
  S_MARK,
  S_NAME,
  S_RATE,
  S_ATTAINABLE,
  S_RATIO,
  S_INTENSITY,
  S_TIME,
  S_FLOP,
  S_BYTE,
  S_MEMORY,
  S_SPREAD,
  S_SOURCE,
  S_N
};

static const struct fact fact_table[S_N] = {
    [S_COUNT] = {"samples_count", "samples", "n", 1, NULL, "How many points of other programs stand on the picture, each with its letter."},
    [S_LEFT_OUT] = {"samples_left_out", "left out", "n", 2, NULL,
                    "Entries of the file that could not be read, or that had no letter left."},
    [S_MARK] = {"sample", "letter", "", 1, NULL, "The letter of the sample picked out."},
    [S_NAME] = {"sample_name", "ran", "", 1, NULL, "What that program ran, in its own words."},
    [S_RATE] = {"sample_flop_per_s", "it reached", "flop/s", 1, "sample_flop / sample_time",
                "Arithmetic a second by the other program's own count and clock."},
    [S_ATTAINABLE] = {"sample_attainable", "could reach", "flop/s", 1, "min(peak_flop_per_s, sample_memory_rate * sample_intensity)",
                      "The roof above it: the peak on show, and main memory's rate times its intensity."},
    [S_RATIO] = {"sample_ratio", "of its roof", "%", 1, "sample_flop_per_s / sample_attainable",
                 "Its rate over its roof. Above 100 %: a cache, another precision, a faster clock, or a wrong count."},
    [S_INTENSITY] = {"sample_intensity", "its intensity", "flop/byte", 1, "sample_flop / sample_byte",
                     "FLOP per byte as that program counted them."},
    [S_TIME] = {"sample_time", "its time", "s", 2, NULL, "Time of one execution; of one token for llama-bench."},
    [S_FLOP] = {"sample_flop", "its arithmetic", "flop", 2, NULL, "FLOP of one execution, as it says."},
    [S_BYTE] = {"sample_byte", "its traffic", "byte", 2, NULL, "Bytes of one execution, as it says."},
    [S_MEMORY] = {"sample_memory_rate", "main memory", "byte/s", 2, NULL,
                  "Main memory's rate, or the bandwidth that was set: the slope above samples."},
    [S_SPREAD] = {"sample_spread", "its spread", "%", 2, NULL,
                  "Spread of its repetitions, as a share of the time; a dash when it does not tell."},
    [S_SOURCE] = {"sample_source", "its counts", "", 2, NULL,
                  "counted: FLOP and bytes as the program said. estimated: worked out from a model's size, 2 FLOP and one read a weight."},
};

bool samples_shown(const struct world *w, const struct setup *s) { return *knob_text(s, KNOB_SAMPLES) && w->nforeign > 0; }

const struct foreign *sample_picked(const struct world *w, const struct setup *s) {
  int i = (int)s->v[KNOB_PICK];
  return samples_shown(w, s) && i >= 1 && i <= w->nforeign ? &w->foreign[i - 1] : NULL;
}

double sample_bandwidth(const struct world *w, const struct setup *s) {
  return s->set[KNOB_BANDWIDTH] ? s->v[KNOB_BANDWIDTH] : ladder_memory_rate(roofline_device(w, s));
}

static double attainable(const struct world *w, const struct setup *s, const struct foreign *f) {
  return roof_attainable(s->v[KNOB_PEAK], sample_bandwidth(w, s), roof_intensity(f->flop, f->byte));
}

int sample_facts(const struct world *w, const struct setup *s, struct fact *out) {
  const struct foreign *f = sample_picked(w, s);
  bool shown = samples_shown(w, s);
  facts_begin(out, fact_table, S_N, true);
  for (int i = 0; i < S_N; i++)
    if (i <= S_LEFT_OUT ? !shown : !f) out[i].label = NULL; /* no row in the panel for what is not there */
  if (shown) {
    out[S_COUNT].value = w->nforeign;
    out[S_LEFT_OUT].value = w->foreign_bad + w->foreign_dropped;
  }
  if (!f) return S_N;
  out[S_MARK].word = f->mark;
  out[S_NAME].word = f->name;
  out[S_RATE].value = f->flop / f->s;
  out[S_ATTAINABLE].value = attainable(w, s, f);
  out[S_RATIO].value = out[S_RATE].value / out[S_ATTAINABLE].value;
  out[S_INTENSITY].value = roof_intensity(f->flop, f->byte);
  out[S_TIME].value = f->s;
  out[S_FLOP].value = f->flop;
  out[S_BYTE].value = f->byte;
  out[S_MEMORY].value = sample_bandwidth(w, s);
  out[S_SPREAD].value = f->spread;
  out[S_SOURCE].word = f->estimate ? "estimated" : "counted";
  return S_N;
}

int sample_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  if (!samples_shown(w, s) || row < 0 || row >= w->nforeign) return 0;
  const struct foreign *f = &w->foreign[row];
  double most = attainable(w, s, f), rate = f->flop / f->s;
  const struct fact cell[] = {
      {.name = "sample", .label = "", .unit = "", .word = f->mark, .meaning = "Its letter on the picture."},
      {.name = "name", .label = "ran", .unit = "", .word = f->name, .meaning = fact_table[S_NAME].meaning},
      {.name = "program",
       .label = "by",
       .unit = "",
       .word = f->program[0] ? f->program : "own",
       .meaning = "The program that measured it."},
      {.name = "flop", .label = "arithmetic", .unit = "flop", .value = f->flop, .meaning = fact_table[S_FLOP].meaning},
      {.name = "byte", .label = "traffic", .unit = "byte", .value = f->byte, .meaning = fact_table[S_BYTE].meaning},
      {.name = "s", .label = "time", .unit = "s", .value = f->s, .meaning = fact_table[S_TIME].meaning},
      {.name = "intensity",
       .label = "intensity",
       .unit = "flop/byte",
       .value = roof_intensity(f->flop, f->byte),
       .meaning = fact_table[S_INTENSITY].meaning},
      {.name = "flop_per_s", .label = "rate", .unit = "flop/s", .value = rate, .meaning = fact_table[S_RATE].meaning},
      {.name = "attainable", .label = "at most", .unit = "flop/s", .value = most, .meaning = fact_table[S_ATTAINABLE].meaning},
      {.name = "ratio", .label = "of roof", .unit = "%", .value = rate / most, .meaning = fact_table[S_RATIO].meaning},
      {.name = "counts",
       .label = "counts",
       .unit = "",
       .word = f->estimate ? "estimated" : "counted",
       .meaning = fact_table[S_SOURCE].meaning},
  };
  memcpy(out, cell, sizeof cell);
  return sizeof cell / sizeof *cell;
}

/* Few enough for every name to have a chance beside its letter. */
enum { NAMED = 8 };

void sample_draw(struct plot *p, const struct world *w, const struct setup *s) {
  if (!samples_shown(w, s)) return;
  const struct foreign *one = sample_picked(w, s);
  for (int i = 0; i < w->nforeign; i++) {
    const struct foreign *f = &w->foreign[i];
    if (one && f != one) continue;
    double x = roof_intensity(f->flop, f->byte), y = f->flop / f->s;
    plot_spread(p, x, y, f->spread > 0 ? y / (1 + f->spread) : NAN, f->spread > 0 && f->spread < 1 ? y / (1 - f->spread) : NAN,
                (uint32_t)(unsigned char)f->mark[0], ROLE_SAMPLE);
    if (one || w->nforeign <= NAMED) plot_label(p, x, y, f->name, "", ROLE_SAMPLE, ANCHOR_RIGHT, one ? 3 : 7);
  }
}

void sample_verdict(const struct fact *f, int n, struct text *t) {
  double ratio = fact_value(f, n, "sample_ratio"), intensity = fact_value(f, n, "sample_intensity"),
         ridge = fact_value(f, n, "ridge_point");
  text_add(t, fact_word(f, n, "sample"));
  text_add(t, ", ");
  text_add(t, fact_word(f, n, "sample_name"));
  if (isnan(ratio)) {
    text_add(t, ": its roof is not known.");
    return;
  }
  text_add(t, ": ");
  text_number(t, ratio, "%");
  text_add(t, intensity < ridge ? " of what memory allows" : " of what the arithmetic allows");
  text_add(t, strcmp(fact_word(f, n, "sample_source"), "estimated") == 0 ? ", with FLOP and bytes estimated from the model's size."
                                                                         : ", by its own count.");
  if (ratio > 1.02)
    text_add(t, intensity < ridge ? " More than main memory gives: a cache served it, or its bytes are counted too high."
                                  : " Above the roof: another precision, a faster clock, or a wrong count.");
  else if (ratio < 0.5)
    text_add(t, intensity < ridge ? " Single loads waited for, bytes fetched in vain, or too few cores may hold it back."
                                  : " Narrow instructions, too few cores, or waiting for memory may hold it back.");
}
