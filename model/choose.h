/* choose: which devices serve a workload, by the bound of the roofline: a time no device can beat. What decides is named: memory rate,
 * arithmetic, or that the data do not fit. It counts no efficiency and no price. */
#ifndef RIDGE_CHOOSE_H
#define RIDGE_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/roof.h"
#include "model/world.h"

/* What a workload has besides numbers, and what a kind of device is poor at (the chapter's lists; a device may still do it, slowly). */
enum special {
  SPECIAL_NONE,
  SPECIAL_BRANCHES,    /* takes different paths for different data */
  SPECIAL_ELEMENTWISE, /* many steps element by element */
  SPECIAL_PRECISION,   /* needs more than 16 bits in its products */
  SPECIAL_OPERATIONS,  /* operations of its own in the main loop */
  SPECIAL_SHAPES,      /* sizes that change from input to input */
  SPECIAL_CUDA,        /* software written for CUDA */
  SPECIAL_PREMISES,    /* must stand in one's own rooms */
  SPECIAL_CHANGES,     /* a model that is still being changed */
  SPECIAL_N
};
const char *special_name(enum special s);
/* Why this device is a poor fit for it, in a few words; NULL: nothing on record against it. */
const char *choose_against(const struct device *d, enum special s);

struct job {
  double flop, flop_per_byte; /* of one piece of work; its traffic is flop / flop_per_byte */
  double need_byte;           /* must be in memory at once */
  double devices;             /* so many of each share it, split perfectly */
  enum dtype dtype;
  enum special special;
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
  const char *against; /* why it is a poor fit; NULL it is none */
};
/* Holds the data, its time is known and nothing is against it. */
bool choose_serves(const struct offer *o);
struct offer choose_offer(const struct world *w, int device, const struct job *j);

/* Offers in order: those that hold the data by time, the shortest first; then those of them that are a poor fit, then those that do not
 * say, then those that do not hold them. An unknown time comes last in its group. Returns n. */
int choose_rank(const struct world *w, const uint8_t *list, int n, const struct job *j, struct offer out[DEVICE_MAX]);

#endif
