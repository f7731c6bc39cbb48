/* collective: what devices that share the work on one model have to tell one another, and what it costs beside the work. Bytes, FLOP, s.
 * One array of `byte` bytes over a ring or a switch of n devices, each sending and receiving at rate at once: gathering the parts of it
 * on all (all-gather), or adding n copies up and leaving each a part (reduce-scatter), moves byte·(n − 1)/n through every device's link;
 * adding up and leaving each the whole (all-reduce) is the one after the other, twice that (Patarasuk and Yuan 2009). Each costs a fixed
 * time besides (Hockney 1994). Efficiency is 1: bounds, not forecasts. NAN in, NAN out. */
#ifndef RIDGE_COLLECTIVE_H
#define RIDGE_COLLECTIVE_H

enum collective { COLLECTIVE_GATHER, COLLECTIVE_SCATTER, COLLECTIVE_REDUCE };
/* Bytes each device sends: byte · (n − 1)/n, all-reduce twice that; 0 for one device. */
double collective_byte(enum collective what, double byte, double n);
/* The time of it: bytes over the rate in one direction, and the fixed cost, twice for an all-reduce; 0 for one device. */
double collective_time(enum collective what, double byte, double n, double byte_per_s, double fixed_s);

/* How the work is cut. Arithmetic is 2 FLOP a parameter and token forward, 4 backward; attention over the context is left out. Activations
 * and gradients are 2 bytes each, whatever the weights. */
enum split {
  SPLIT_DATA,    /* training: each device has the whole model and its part of the tokens; gradients are all-reduced, layer by layer */
  SPLIT_SHARDED, /* training: the same, but each keeps a part of the weights: gathered forward and backward, gradients reduce-scattered */
  SPLIT_TENSOR,  /* serving: every matrix is cut, all devices work on all tokens; two all-reduces of activations a layer */
  SPLIT_N
};
const char *split_name(enum split s); /* "data" "sharded" "tensor" */

struct group_in {
  enum split split;
  double devices;                     /* whole, ≥ 1 */
  double params, layers, hidden;      /* multiplied per token */
  double tokens;                      /* of all devices, in one step: training: a batch; serving: those that go through together */
  double weight_byte;                 /* bytes a weight is stored in */
  double peak_flop_per_s, byte_per_s; /* of one device: arithmetic, memory */
  double link_byte_per_s, exchange_s; /* of one device's link in one direction; fixed cost of one exchange */
};
struct group_out {
  double flop, memory_byte;    /* of one device: arithmetic, weights read */
  double link_byte, exchanges; /* through its link; all-gathers and reduce-scatters, an all-reduce being one of each */
  double compute_time, memory_time;
  double work_time;                  /* the longer of the two */
  double byte_time, fixed_time;      /* of the exchanges */
  double link_time;                  /* both */
  double step_time;                  /* training: work and exchanges overlap, the longer counts; tensor: each exchange is waited for */
  double step_time_other;            /* training: one after the other; tensor: as if they overlapped */
  double alone_time;                 /* the same work on one device, room for it or not */
  double speedup, efficiency;        /* alone_time / step_time; over the number of devices */
  double link_ridge, link_intensity; /* FLOP per byte over the link: what the device is balanced for; what this asks. NAN for one */
};
void group_of(const struct group_in *in, struct group_out *out);

/* The largest number of devices, up to 65536, at which the exchanges still take no longer than the work: NAN when not even two do. */
double group_most(const struct group_in *in);

#endif
