/* The tables: in the game the gauges that were looked at, beside a healthy service; the checklist's suspects; all faults and what shows
 * them. */
#include <math.h>

#include "scenes/diagnose.h"

static struct fact number(const char *name, const char *unit, double v, const char *meaning) {
  return (struct fact){.name = name, .unit = unit, .value = v, .meaning = meaning};
}

static struct fact word(const char *name, const char *w, const char *meaning) {
  return (struct fact){.name = name, .unit = "", .value = NAN, .word = w, .meaning = meaning};
}

static int rows_gauges(const struct diagnose *d, int row, struct fact *out) {
  struct evidence now, well;
  int n = 0;
  evidence_of(&d->rig, &now);
  evidence_of(&d->healthy, &well);
  for (int g = 0; g < GAUGE_N; g++) {
    int l = gauge_look((enum gauge)g);
    if ((l >= 0 && !(d->spent & 1u << l)) || n++ < row) continue;
    out[0] = word("probe", l < 0 ? "none" : look_name((enum look)l), "What shows it; none: it is always in sight.");
    out[1] = word("gauge", gauge_name((enum gauge)g), "What is read off.");
    out[2] = number("now", gauge_unit((enum gauge)g), now.at[EVIDENCE_LAST].v[g], "The last reading.");
    out[3] = number("when_well", gauge_unit((enum gauge)g), well.at[EVIDENCE_LAST].v[g], "The same in a healthy service.");
    return 4;
  }
  return 0;
}

static int rows_faults(const struct diagnose *d, int row, struct fact *out) {
  struct suspects q;
  enum fault f = (enum fault)row;
  if (row >= FAULT_N) return 0;
  suspects_of(&d->healthy, &d->severity, &q);
  bool possible = q.possible[f];
  const double *v = q.fault[f].at[EVIDENCE_LAST].v;
  unsigned tell = possible ? suspects_tell(&q, f) : 0;
  double least = possible ? suspects_least(&q, f, NULL) : NAN;
  out[0] = word("fault", fault_key(f), "As answer= takes it.");
  out[1] = number("token_rate", "token/s", possible ? v[GAUGE_RATE] : NAN, "Tokens a second answered; unknown: not possible here.");
  out[2] = number("busy", "%", possible ? v[GAUGE_BUSY] : NAN, "Share of time busy.");
  out[3] = number("peak_share", "%", possible ? v[GAUGE_PEAK] : NAN, "Share of the arithmetic peak.");
  out[4] = number("ended_at", "s", possible && isfinite(q.fault[f].end) ? q.fault[f].end : NAN, "When memory ran out.");
  out[5] = number("least_cost", "n", isinf(least) ? NAN : least, "The least that probes cost which leave it alone; unknown: none do.");
  for (int l = 0; l < LOOK_N; l++)
    out[6 + l] = word(look_name((enum look)l),
                      !possible        ? "unknown"
                      : tell & 1u << l ? "tells"
                                       : "same",
                      "finds: this probe leaves it alone; helps: it tells it from some that look alike; same: from none.");
  return 6 + LOOK_N;
}

static int rows_suspects(const struct diagnose *d, int row, struct fact *out) {
  struct suspects q;
  int n = 0;
  suspects_of(&d->healthy, &d->severity, &q);
  uint32_t left = checklist_left(&q, d->seen);
  for (int f = 0; f < FAULT_N; f++) {
    if (!(left & 1u << f) || n++ < row) continue;
    out[0] = word("suspect", fault_key((enum fault)f), "A fault that shows all that was put in.");
    for (int c = 0; c < SIGN_N; c++)
      out[1 + c] =
          word(sign_name((enum sign)c), sign_word((enum sign)c, sign_of((enum sign)c, &q.fault[f], &q.healthy)), "What it shows there.");
    return 1 + SIGN_N;
  }
  return 0;
}

int diagnose_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]) {
  struct diagnose d;
  diagnose_of(w, s, &d);
  if (row < 0 || !d.known) return 0;
  if (d.view == VIEW_FAULTS) return rows_faults(&d, row, out);
  return d.view == VIEW_CHECKLIST ? rows_suspects(&d, row, out) : rows_gauges(&d, row, out);
}
