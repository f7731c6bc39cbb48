/* op_block: one layer of a transformer, run part by part on this machine: what block.h of the model counts. The whole is timed as any
 * kernel is; between its runs every part is timed twice for itself: where it stands in the layer, and again and again alone. */
#ifndef RIDGE_OP_BLOCK_H
#define RIDGE_OP_BLOCK_H

#include "kernels/bench.h"
#include "kernels/product.h"
#include "model/block.h"

/* Below so many tokens the weights are met a row at a time, and nothing of them is packed. */
enum { BLOCK_FEW = 96 };

struct layer {
  struct block block;
  struct block_part part[BLOCK_PART_MAX];
  int nparts, now; /* now: the part that runs */
  void *array[ARRAY_N];
  void *cosine, *sine;       /* of every position: half a head each */
  void *inputs, *room, *sum; /* packed inputs of few tokens; room for products, sums of gradients: a part for every worker */
  size_t room_size, sum_size;
  double *took[2]; /* [where it stands, alone][part][repetition] */
  int repetitions;
  double *line;               /* room for a check: numbers of a row */
  struct reference *expected; /* and what is due */
};

/* A linear part: which weights, what goes in and comes out, and their gradients. */
struct linear {
  enum block_array w, in, out, dw, din, dout;
};
struct linear block_linear(enum block_op op);

/* Runs part i. */
void block_part_run(struct job *j, int i);
/* The largest residual over the parts of the last run, each against a plain calculation from what that part was given. */
double block_residual(struct job *j, bool full);
double block_part_residual(struct job *j, int i, bool full); /* of one part */

#endif
