/* fault: what can be wrong with a service (rig.h): each is a change of its inputs, nothing else. Those of one group are fitted to one
 * another, so that whatever needs no probe, throughput, share of time busy and share of peak, is the same for all of them; only a probe
 * tells them apart. */
#ifndef RIDGE_FAULT_H
#define RIDGE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/rig.h"

enum fault {
  /* slow, and the device idle for much of the time */
  FAULT_LOADER,    /* preparing a request takes the host's cores too long */
  FAULT_STORAGE,   /* storage delivers too slowly */
  FAULT_UPLOAD,    /* the same data cross the link in every step */
  FAULT_PIECES,    /* as few bytes as ever, in very many copies */
  FAULT_LAUNCH,    /* very many small kernels: launching them takes longer than running them */
  FAULT_OPERATION, /* an operation the device cannot do is left to the host, in every layer */
  FAULT_DEMAND,    /* nothing is wrong: too few requests come */
  /* slow, though the device is busy all the time */
  FAULT_HEAT,      /* the chip gets too hot, so the clock falls */
  FAULT_POWER,     /* a power limit keeps the clock low */
  FAULT_BATCH,     /* too few requests at once: the weights are fetched for a few tokens */
  FAULT_PRECISION, /* loaded with 32 bits a number instead of 16 */
  FAULT_NEIGHBOUR, /* another program uses the device too */
  /* as fast as ever, then out of memory */
  FAULT_LEAK,      /* something is kept that nobody needs */
  FAULT_FRAGMENTS, /* memory is held in pieces too small to be used */
  FAULT_LONG,      /* one very long request */
  FAULT_CROWD,     /* very many requests at once, without a limit */
  /* the device unused: the host computes */
  FAULT_DRIVER,    /* the libraries need a newer driver, so the framework sees no device */
  FAULT_IMAGE,     /* the kernels were built for another generation of chips */
  FAULT_QUOTA,     /* after a restart: no more devices are allowed to us */
  FAULT_REGION,    /* after a restart: none is free in the region */
  FAULT_RECLAIMED, /* a device rented cheaply was taken back */
  FAULT_N
};
enum group { GROUP_IDLE, GROUP_BUSY, GROUP_MEMORY, GROUP_ABSENT, GROUP_N };

const char *fault_key(enum fault f);     /* "loader" */
const char *fault_name(enum fault f);    /* "slow preparation", at most 19 columns */
const char *fault_meaning(enum fault f); /* what is wrong, a sentence without a full stop */
const char *fault_remedy(enum fault f);  /* what mends it, as an order: "give the loaders more cores" */
enum group fault_group(enum fault f);

/* How bad it is; the same numbers fit all faults of a group. */
struct severity {
  double share;        /* of the healthy throughput that is left, 0.05…0.9 */
  bool deep;           /* the busy group keeps to it too; otherwise it takes what 32 bits leave, where those fit */
  double end;          /* s until memory is gone */
  double reclaimed_at; /* s */
};

/* The healthy service with the fault in it. False: this fault is not possible with this device and model (no KV cache to fill, a clock too
 * low to be true, 32-bit weights that do not fit or leave another throughput). */
/* The window becomes one hour, for the memory group a working day. */
bool fault_put(enum fault f, const struct rig *healthy, const struct severity *s, struct rig *out);

/* A hidden fault: one of those possible, each as likely, and how bad it is. The same seed is the same fault. FAULT_N: none is possible. */
enum fault fault_draw(const struct rig *healthy, uint32_t seed, struct severity *s);

#endif
