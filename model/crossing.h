/* crossing: is it worth carrying an n×n matrix product across a link to a faster device? Host time against copies,
 * launch and device time; the size where they cross. The chapter's transfer model. */
#ifndef RIDGE_CROSSING_H
#define RIDGE_CROSSING_H

#include <stdbool.h>

enum resident { RESIDENT_NONE, RESIDENT_B, RESIDENT_ALL, RESIDENT_N }; /* operands already on the device */
const char *resident_name(enum resident r); /* "none" "b" "all" */

struct crossing_in {
  double n, element_byte;
  double host_flop_per_s, device_flop_per_s, link_byte_per_s; /* per direction */
  double copy_s, launch_s;    /* fixed cost of one copy call, of one launch */
  enum resident resident;
  double reuse;               /* one set of copies, this many launches and products */
  double pieces;              /* each matrix travels in this many calls */
  bool overlap, pinned, unified; /* overlap needs pinned; unified: no copies at all */
};

/* The stages of one trip. Overlapped (overlap and pinned): a steady stream, so the trip costs its slowest stage. */
struct crossing_out {
  double flop, byte;          /* of all `reuse` products; bytes over the link */
  double host_time;
  double in_time, out_time;   /* link stages: copy set-up + bytes / rate */
  double in_copies, out_copies;
  double run_time;            /* launches + arithmetic on the device */
  double link_time;           /* bytes / rate, both ways */
  double fixed_time;          /* copy set-ups + launches */
  double compute_time;        /* arithmetic on the device */
  double device_time;         /* what the person waits: the sum, or the slowest stage when overlapped */
  double link_share;          /* link_time / device_time; overlapped: of the busier direction, since both run at once */
  double moving_share;        /* (link_time + copy set-ups) / device_time; overlapped: of the busier direction */
  double speedup, effective_flop_per_s;
  bool overlapped;
};
/* NAN inputs give NAN wherever they are used; an unknown link does not matter when nothing is carried. */
void crossing_of(const struct crossing_in *in, struct crossing_out *out);

/* The n (not whole) at which device_time falls to host_time; NAN when it never does up to 2^20. */
double crossing_n(const struct crossing_in *in);
/* The smallest whole n at which the device is strictly faster; NAN when none. */
double crossing_first_n(const struct crossing_in *in);

/* The smallest whole number of products per set of copies at which link_time is less than half of the trip, stages one by one:
 * 1 + floor((link − copy set-ups) / (launch + arithmetic of one product)), at least 1. in->reuse is ignored. */
double crossing_reuse_half(const struct crossing_in *in);

#endif
