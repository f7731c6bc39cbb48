/* rig: a service that answers requests with a language model, as numbers: a host that prepares requests, a link, a device that decodes one
 * token for a whole batch a step, and what has been granted and installed. It says what the gauges of such a service show at any time. No
 * gauge is written down anywhere: all come from the feed model (feed.h), the decode model (step.h) and the few laws below, so that a
 * fault is nothing but a wrong number among the inputs (fault.h).
 *
 * The laws, ours where no source is named:
 * - A step's cycle: max(step, launches · launch_s) + copies + crossings; launches are handed over ahead of time, copies are waited for.
 * - Power: idle_share of the full, the rest with the cube of the clock and the share of time busy. The clock slows down arithmetic, not
 *   memory.
 * - Heat: chip = room + power · resistance. A fan that stopped lets the resistance rise, since the heat sink warms up over minutes. At
 *   limit_c the clock gives way until the chip stays there.
 * - Memory: an allocator holds `reserve` times what is in use, and more when it is left with holes it cannot fill.
 * - Without a device the same step is computed on the host's cores.
 * Units SI; temperatures in degrees Celsius; NAN in, NAN out. */
#ifndef RIDGE_RIG_H
#define RIDGE_RIG_H

#include <stdbool.h>

#include "model/step.h"

/* One service. What is shares or counts says so; times since the last start in s. */
struct rig {
  struct step_in step;      /* the device's rates and the model; batch: the most requests at once */
  double tokens;            /* of one answer */
  double demand;            /* requests/s that arrive */
  double workers, cores;    /* on the host */
  double item_s, item_byte; /* preparing one request: a core's time, and what is read from storage */
  double storage_byte_per_s;
  double host_flop_per_s, host_byte_per_s;
  double link_byte_per_s, copy_s, launch_s;
  double copies, copy_byte; /* a step: calls, and bytes of all of them */
  double launches;          /* kernels a step */
  double crossings;         /* operations a step that the device leaves to the host */
  double crossing_byte;     /* one way, of each */
  double share;             /* of the device's time that is ours, 0…1 */
  double other_byte;        /* of the device's memory that other programs hold */
  /* clock and heat */
  double full_w, idle_share; /* power at full clock and busy; share of it when idle */
  double cap_w;              /* power limit as set; INFINITY none */
  double room_c, limit_c;
  double resistance, resistance_end; /* K/W at the start and `window` later */
  double warming_s;                  /* time constant of that */
  double window;                     /* s since the start: now */
  /* memory over time */
  double reserve;                      /* allocated over used */
  double leak_byte_per_s;              /* in use, never freed */
  double hole_byte_per_s;              /* allocated, never usable */
  double surge_at;                     /* when one large thing arrives; NAN never */
  double surge_requests, surge_tokens; /* it: so many more requests at once, or one of so many tokens */
  /* what has been granted and installed */
  double asked, quota, free_devices;                   /* devices: wanted, allowed to us, not taken by anyone */
  double reclaimed_at;                                 /* NAN never */
  double driver, driver_needed, generation, built_for; /* versions; chip generation it has, and the one the kernels were compiled for */
};

/* What can be read off, by the probe that shows it. The first three need none. */
enum gauge {
  GAUGE_RATE,      /* tokens/s answered */
  GAUGE_BUSY,      /* share of time in which any kernel is on the device */
  GAUGE_PEAK,      /* share of the device's arithmetic peak used by our work */
  GAUGE_LISTED,    /* 1: the system lists the device */
  GAUGE_SEEN,      /* 1: the framework sees it */
  GAUGE_RUNS,      /* 1: a trivial kernel runs */
  GAUGE_DRIVER,    /* installed over needed version */
  GAUGE_ALLOCATED, /* of the device's memory, all programs, byte */
  GAUGE_USED,      /* by what is alive in it, byte */
  GAUGE_CLOCK,     /* over its full value */
  GAUGE_HEAT,      /* chip, degrees Celsius */
  GAUGE_POWER,     /* W */
  GAUGE_CORES,     /* share of the host's cores in use */
  GAUGE_PREPARING, /* share of the loaders' time: at work */
  GAUGE_STORAGE,   /* … waiting for storage */
  GAUGE_QUEUE,     /* share of the queue that is full */
  GAUGE_COPIES,    /* copy calls a step */
  GAUGE_COPY_BYTE, /* bytes in one of them, mean */
  GAUGE_LINK,      /* share of time in which bytes are on the link */
  GAUGE_LAUNCHES,  /* kernels a step */
  GAUGE_KERNEL,    /* s of one of them, mean */
  GAUGE_ON_HOST,   /* share of the cycle in which the host computes a part of the step */
  GAUGE_ARRIVALS,  /* requests/s that came */
  GAUGE_SERVED,    /* requests/s that were answered */
  GAUGE_BATCH,     /* requests in a step */
  GAUGE_LONGEST,   /* tokens of the longest request so far */
  GAUGE_MOST,      /* most requests at once so far */
  GAUGE_QUOTA,     /* devices allowed and not used: below 0 more was asked for than is allowed */
  GAUGE_FREE,      /* devices free in the region */
  GAUGE_RECLAIMED, /* s since the device was taken back; 0 never */
  GAUGE_N
};

struct reading {
  double v[GAUGE_N];
  /* the cycle of a step, s: what follows one after another */
  double kernel_s, gap_s, copy_s, host_s, wait_s; /* wait: for requests, or for another program's turn */
  double cycle_s;                                 /* the sum */
  bool up;                                        /* false: it ended for lack of memory before t */
};

/* A healthy service for this device and model: as many requests at once as make memory and arithmetic equally slow, or as its memory
 * allows; a host that could feed three such devices. False when it cannot be made: a figure that is not known, or a model that does not
 * fit. All that step_in, the link and power do not say is ours: 8 cores, answers of 128 tokens, 128 held in the mean, 1 MB to prepare a request, 1 KiB a
 * step over the link for each. */
struct rig_parts {
  struct geometry geometry;
  double peak_flop_per_s, byte_per_s, memory_byte, link_byte_per_s, copy_s, launch_s, tdp_w; /* the last five: NAN takes
 the chapter's 80 GB, 25 GB/s, 10 and 8 us, and 350 W of ours */
};
bool rig_healthy(const struct rig_parts *p, struct rig *out);

/* The gauges at t. After the end they are those of the last moment before, and up is false. */
void rig_at(const struct rig *r, double t, struct reading *out);
/* When it ends for lack of memory; INFINITY never; 0: it does not even start. */
double rig_end(const struct rig *r);
/* The end, or now, whichever comes first. */
double rig_last(const struct rig *r);

/* The parts of rig_at that faults are fitted with. */
double rig_step(const struct rig *r, double clock, double batch); /* s of the kernels of one step */
double rig_crossing(const struct rig *r, double *host_s);         /* s of one crossing; of that the host's computing */
double rig_power(const struct rig *r, double clock, double busy);
double rig_memory(const struct rig *r, double batch, double context); /* bytes in use */
double rig_host_step(const struct rig *r);                            /* s of a step computed on the host */

#endif
