/* sheet: reading data sheets. Two figures decide: peak arithmetic over memory rate is the balance point, the FLOP a byte must be used for
 * before arithmetic is the limit (Williams 2009). Peaks are dense; the headline that also counts skipped zeros is kept apart. Also the
 * order and choice of the devices a catalogue shows. Units SI; NAN unknown. */
#ifndef RIDGE_SHEET_H
#define RIDGE_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/world.h"

/* One device for one data type. */
struct sheet {
  enum dtype math; /* the arithmetic its peak belongs to: the type asked for if the device lists it, else bf16, else fp32; DTYPE_N none */
  double memory_byte, byte_per_s, peak, balance, flop_per_j; /* balance = peak / byte_per_s; flop_per_j = peak / power */
  bool unverified;                                           /* one of the figures behind these was never checked */
};
/* advertised: peak is the headline, whatever the type asked for. */
struct sheet sheet_of(const struct device *d, enum dtype t, bool advertised);

/* The type with the largest dense peak (the first of equals); DTYPE_N when no peak is known. */
enum dtype sheet_fastest(const struct device *d);
/* The largest number the sheet can print: that peak, times sparse_ratio where the maker counts skipped zeros. */
double sheet_headline(const struct device *d);

/* How many figures of a device are known, and how many of those were never checked. */
int sheet_figures(const struct device *d, int *unverified);
/* The i-th known figure, 0…, in a fixed order; false when there are no more. `name` is "bf16", "memory", "memory rate"…; `unit` as in SI.
 */
struct sheet_figure {
  const char *name, *unit, *of; /* of: "dense", "each way"…: what must not be mixed up; "" nothing */
  struct figure figure;
};
bool sheet_figure(const struct device *d, int i, struct sheet_figure *out);

/* The orders of a catalogue. All but usual and name put the most (the newest) first; unknown values come last, whichever way round. */
enum sort { SORT_USUAL, SORT_MEMORY, SORT_RATE, SORT_PEAK, SORT_BALANCE, SORT_POWER, SORT_EFFICIENCY, SORT_YEAR, SORT_NAME, SORT_N };
const char *sort_name(enum sort s);

struct shelf {
  int family; /* enum family, or FAMILY_N for all: then only those shown first, unless `all` */
  bool all, reverse, advertised;
  enum sort sort;
  enum dtype dtype;
  int always; /* a device that is shown in any case; -1 none */
};
/* The devices in order, as indexes into w->device. Without any that asks to be first all are shown. Returns how many. */
int shelf_list(const struct world *w, const struct shelf *s, uint8_t out[DEVICE_MAX]);

/* Of the n devices in `list`, the one whose peak is within 1 % of d's and whose memory rate differs most; -1 when there is none whose rate
 * differs by a tenth. */
int sheet_twin(const struct world *w, const uint8_t *list, int n, int d, enum dtype t);

#endif
