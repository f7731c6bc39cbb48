#include "model/stair.h"

#include <math.h>

const char *stair_name(enum stair_kind k) {
  static const char *const name[STAIR_KIND_N] = {"read", "read_one", "latency"};
  return name[k];
}

bool stair_put(struct stair *s, const struct stair_point *p) {
  int at = 0;
  if (!(p->byte > 0 && p->value > 0) || isinf(p->byte) || isinf(p->value)) return false;
  while (at < s->n && s->point[at].byte < p->byte) at++;
  if (at == s->n || s->point[at].byte != p->byte) {
    if (s->n == STAIR_MAX) return false;
    for (int i = s->n++; i > at; i--) s->point[i] = s->point[i - 1];
  }
  s->point[at] = *p;
  return true;
}

double stair_at(const struct stair *s, double byte) {
  if (s->n == 0 || !(byte >= s->point[0].byte && byte <= s->point[s->n - 1].byte)) return NAN;
  int i = 0;
  while (i + 1 < s->n && s->point[i + 1].byte <= byte) i++;
  if (i + 1 == s->n) return s->point[i].value;
  const struct stair_point *a = &s->point[i], *b = a + 1;
  double share = log(byte / a->byte) / log(b->byte / a->byte);
  return a->value * pow(b->value / a->value, share);
}

int stair_sizes(double lo, double hi, int per_octave, double sizes[], int max) {
  int n = 0;
  if (!(lo > 0 && hi >= lo && per_octave > 0)) return 0;
  for (int i = 0; n < max; i++) {
    double byte = lo * exp2((double)i / per_octave), grain = byte < 65536 ? 256 : 4096;
    if (byte > hi * 1.0001) break;
    byte = fmax(grain, round(byte / grain) * grain);
    if (n == 0 || byte > sizes[n - 1]) sizes[n++] = byte;
  }
  return n;
}

bool stair_complete(const struct stair stair[STAIR_KIND_N]) {
  const struct stair *team = &stair[STAIR_TEAM], *latency = &stair[STAIR_LATENCY];
  if (team->n == 0 || latency->n == 0) return false;
  return latency->point[latency->n - 1].byte >= 0.5 * fmin(team->point[team->n - 1].byte, STAIR_LATENCY_MOST_BYTE);
}
