/* choose: which devices serve a workload, by the bound of the roofline: a time no device can beat. What decides is named: memory rate,
 * arithmetic, or that the data do not fit. It counts no efficiency and no price. */
#ifndef RIDGE_CHOOSE_H
#define RIDGE_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/roof.h"
#include "model/world.h"

struct job {
  double flop, flop_per_byte; /* of one piece of work; its traffic is flop / flop_per_byte */
  double need_byte;           /* must be in memory at once */
  double devices;             /* so many of each share it, split perfectly */
  enum dtype dtype;
};

enum fits { FITS_UNKNOWN, FITS_NO, FITS_YES };
struct offer {
  int device;
  enum fits fits;
  double time;       /* s of one piece of work, at least; NAN when a rate is unknown */
  enum bound bound;  /* what decides it */
  double busy_share; /* of peak arithmetic, at most */
  double needed;     /* how many such devices hold it; NAN unknown */
  enum dtype math;
};
struct offer choose_offer(const struct world *w, int device, const struct job *j);

/* Offers in order: those that hold the data by time, the shortest first; then those that do not know, then those that do not hold them. An
 * unknown time comes last in its group. Returns n. */
int choose_rank(const struct world *w, const uint8_t *list, int n, const struct job *j, struct offer out[DEVICE_MAX]);

#endif
