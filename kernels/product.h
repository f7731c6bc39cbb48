/* product: a matrix product that a whole team does, with operands that lie as they like. Each worker packs for itself what its part of the
 * result needs, a panel of columns and a stretch of depth at a time, so that none ever waits for another. */
#ifndef RIDGE_PRODUCT_H
#define RIDGE_PRODUCT_H

#include "kernels/bench.h"
#include "kernels/lanes.h"

/* C[m×n] (+)= A[m×k]·B[k×n]. Rows of C and A lie c_row and a_row elements apart; a_turned: A is there as its transpose, k rows of m, a_row
 * apart. Element (p, j) of B is b[p·b_row + j·b_column]. */
struct product {
  void *c;
  const void *a, *b;
  size_t c_row, a_row, b_row, b_column, m, n, k;
  bool a_turned, add;
};

/* How `of` workers best share C[m×n] out: parts down; of / down across. */
int product_cut(const struct lanes_real *l, size_t m, size_t n, int of);

/* Elements of room a worker needs for products of at most so many columns and so deep: a part of one array from operand_room. */
size_t product_room(const struct job *j, size_t n, size_t k);
/* What worker `rank` of `of` has to do of p; room: product_room elements of its own. of = 1: all of it. */
void product_part(const struct job *j, const struct product *p, void *room, int rank, int of);

#endif
