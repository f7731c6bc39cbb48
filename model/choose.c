#include "model/choose.h"

#include <math.h>
#include <string.h>

#include "model/sheet.h"

const char *special_name(enum special s) {
  static const char *const name[SPECIAL_N] = {"nothing", "branches", "elementwise", "precision", "operations",
                                              "shapes",  "cuda",     "premises",    "changes"};
  return name[s];
}

const char *choose_against(const struct device *d, enum special s) {
  static const char *const table[FAMILY_N][SPECIAL_N] = {
      [FAMILY_GPU] = {[SPECIAL_BRANCHES] = "lanes that part at a branch wait for one another"},
      [FAMILY_TPU] = {[SPECIAL_BRANCHES] = "a branch leaves its grid idle",
                      [SPECIAL_ELEMENTWISE] = "its grid multiplies matrices and does nothing else",
                      [SPECIAL_PRECISION] = "its grid multiplies in few bits",
                      [SPECIAL_OPERATIONS] = "an operation of its own breaks the compiled graph",
                      [SPECIAL_SHAPES] = "a new shape is compiled anew, a small one padded",
                      [SPECIAL_PREMISES] = "it is rented in one cloud, never bought"},
      [FAMILY_NPU] = {[SPECIAL_BRANCHES] = "its functions are fixed: branches run elsewhere",
                      [SPECIAL_PRECISION] = "it computes in integers of few bits",
                      [SPECIAL_OPERATIONS] = "what it lacks falls back to the CPU"},
      [FAMILY_FPGA] = {[SPECIAL_CHANGES] = "a design takes long and is dear to change"},
  };
  if (s == SPECIAL_CUDA) return d->family == FAMILY_GPU && strcmp(d->vendor, "NVIDIA") == 0 ? NULL : "it has no CUDA";
  return table[d->family][s];
}

bool choose_serves(const struct offer *o) { return o->fits == FITS_YES && !isnan(o->time) && !o->against; }

struct offer choose_offer(const struct world *w, int device, const struct job *j) {
  struct sheet s = sheet_of(&w->device[device], j->dtype, false);
  struct offer o = {.device = device, .math = s.math, .needed = NAN, .time = NAN, .busy_share = NAN};
  o.against = choose_against(&w->device[device], j->special);
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
  static const int place[] = {[FITS_YES] = 0, [FITS_UNKNOWN] = 2, [FITS_NO] = 3};
  int x = place[a->fits] + (a->fits == FITS_YES && a->against), y = place[b->fits] + (b->fits == FITS_YES && b->against);
  if (x != y) return x < y;
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
