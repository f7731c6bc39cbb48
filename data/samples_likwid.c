/* samples_likwid: likwid-bench's text: a heading "LIKWID MICRO BENCHMARK", then "Label:<blanks>value" lines. Several runs may follow one
 * another, with anything between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/samples_inner.h"

/* Its labels are spelt its way. */
#define COUNT_LABEL                                                                                                                        \
  "Number of Flop"                                                                                                                         \
  "s"
#define RATE_LABEL                                                                                                                         \
  "MFlop"                                                                                                                                  \
  "s/s"
static const char heading[] = "LIKWID MICRO BENCHMARK";

bool likwid_is(const char *text) { return strstr(text, heading) != NULL; }

struct likwid {
  char test[48];
  double time, flop, mflop, byte, mbyte, size, threads;
  int line; /* of the heading */
};

static const struct likwid unknown = {"", NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};

/* Where a label's value starts, or NULL. */
static const char *value_of(const char *line, const char *label) {
  size_t n = strlen(label);
  if (strncmp(line, label, n)) return NULL;
  return line + n + strspn(line + n, " \t");
}

static void number_take(const char *line, const char *label, double *out) {
  const char *at = value_of(line, label);
  char *end;
  if (!at) return;
  double v = strtod(at, &end);
  if (end != at && isfinite(v)) *out = v;
}

static void refuse(struct taken *t, const struct likwid *l, const char *name, const char *key, const char *expected, const char *found) {
  struct err e;
  err_set(&e, name, l->line, 0, key, expected, found);
  taken_refuse(t, &e);
}

/* One run as far as it was printed. The counts are exact where the rates are rounded, so those come first. */
static void run_take(struct taken *t, const struct likwid *l, const char *name) {
  double flop = isnan(l->flop) ? l->mflop * 1e6 * l->time : l->flop, byte = isnan(l->byte) ? l->mbyte * 1e6 * l->time : l->byte;
  if (!(l->time > 0))
    refuse(t, l, name, "Time", "seconds > 0", isnan(l->time) ? "no such line" : "none");
  else if (isnan(flop))
    refuse(t, l, name, COUNT_LABEL, "a count, or " RATE_LABEL, "neither");
  else if (!(byte > 0))
    refuse(t, l, name, "Data volume (Byte)", "bytes > 0, or MByte/s", isnan(byte) ? "neither" : "0");
  else if (!(flop > 0))
    refuse(t, l, name, COUNT_LABEL, "some arithmetic: without it there is no place on a roofline", "0");
  else {
    struct foreign f = {.flop = flop, .byte = byte, .s = l->time, .spread = NAN, .n = 1, .program = "likwid-bench"};
    int n = snprintf(f.name, sizeof f.name, "%s", l->test[0] ? l->test : "likwid-bench");
    if (l->size > 0) n += snprintf(f.name + n, sizeof f.name - (size_t)n, " %.4g kB", l->size / 1e3);
    if (l->threads > 0 && n < 60) snprintf(f.name + n, sizeof f.name - (size_t)n, " x%.0f", l->threads);
    taken_add(t, &f);
  }
}

void likwid_take(struct taken *t, const char *text, const char *name) {
  struct likwid l = unknown;
  for (int line = 1; *text; line++) {
    char words[256];
    size_t n = strcspn(text, "\n");
    const char *at;
    snprintf(words, sizeof words, "%.*s", n < sizeof words ? (int)n : (int)sizeof words - 1, text);
    words[strcspn(words, "\r")] = 0;
    for (char *c = words; *c; c++)
      if ((unsigned char)*c < 0x20 && *c != '\t') *c = '?';
    if (!strncmp(words, heading, sizeof heading - 1)) {
      if (l.line) run_take(t, &l, name);
      l = unknown;
      l.line = line;
    }
    if ((at = value_of(words, "Test:"))) snprintf(l.test, sizeof l.test, "%.40s", at);
    if ((at = value_of(words, "Using ")) && strstr(at, "threads")) l.threads = strtod(at, NULL);
    number_take(words, "Time:", &l.time);
    number_take(words, COUNT_LABEL ":", &l.flop);
    number_take(words, RATE_LABEL ":", &l.mflop);
    number_take(words, "Data volume (Byte):", &l.byte);
    number_take(words, "MByte/s:", &l.mbyte);
    number_take(words, "Size (Byte):", &l.size);
    text += n;
    if (*text) text++;
  }
  if (l.line) run_take(t, &l, name);
}
