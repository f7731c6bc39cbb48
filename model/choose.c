#include "model/choose.h"

#include <math.h>

#include "model/sheet.h"

struct offer choose_offer(const struct world *w, int device, const struct job *j) {
  struct sheet s = sheet_of(&w->device[device], j->dtype, false);
  struct offer o = {.device = device, .math = s.math, .needed = NAN, .time = NAN, .busy_share = NAN};
  double byte = j->flop / j->flop_per_byte;
  o.time = roof_time_lower(j->flop, byte, s.peak, s.byte_per_s) / j->devices;
  o.bound = isnan(o.time) ? BOUND_UNKNOWN : roof_bound(j->flop, byte, s.peak, s.byte_per_s);
  o.busy_share = j->flop / (o.time * j->devices * s.peak);
  if (s.memory_byte > 0) {
    o.needed = ceil(j->need_byte / s.memory_byte);
    if (o.needed < 1) o.needed = 1;
    o.fits = o.needed <= j->devices ? FITS_YES : FITS_NO;
  }
  return o;
}

static bool better(const struct offer *a, const struct offer *b) {
  static const int place[] = {[FITS_YES] = 0, [FITS_UNKNOWN] = 1, [FITS_NO] = 2};
  if (a->fits != b->fits) return place[a->fits] < place[b->fits];
  if (isnan(a->time) || isnan(b->time)) return !isnan(a->time) && isnan(b->time);
  return a->time < b->time;
}

int choose_rank(const struct world *w, const uint8_t *list, int n, const struct job *j, struct offer out[DEVICE_MAX]) {
  for (int i = 0; i < n; i++) {
    struct offer o = choose_offer(w, list[i], j);
    int at = i;
    for (; at > 0 && better(&o, &out[at - 1]); at--) out[at] = out[at - 1];
    out[at] = o;
  }
  return n;
}
