/* reference: every operation once more, plainly, one output at a time, in double arithmetic. What the fast kernels are judged by: each
 * output comes with the error that is accepted of it.
 *
 * u is the unit roundoff of the data type. A sum of K products of random sign loses about 0.4·u·√K·√(Σ(xy)²) when added one after the
 * other (each step rounds a partial sum that grows like a random walk); we accept ten times that, and kernels that add in several places
 * at once do better. A product left out is worth |xy|, thousands of times more. */
#ifndef RIDGE_REFERENCE_H
#define RIDGE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/dtype.h"

struct reference {
  double value, slack; /* the output; the largest error accepted */
};

/* An array of fp32 or fp64 elements, and where a row or column in it starts and how far its elements are apart. */
struct strided {
  const void *p;
  size_t first, step;
};

/* fp64, else fp32. In line: a check reads millions of elements. */
static inline double reference_get(const void *p, enum dtype t, size_t i) {
  return t == DTYPE_FP64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
void reference_set(void *p, enum dtype t, size_t i, double value);
double reference_roundoff(enum dtype t); /* 2^-53, 2^-24 */

/* Σ x[i]·y[i] */
struct reference reference_dot(struct strided x, struct strided y, size_t n, enum dtype t);
/* Row `row` of m×n: out[n]. */
void reference_softmax(const void *x, size_t row, size_t n, enum dtype t, struct reference *out);
void reference_layernorm(const void *x, const void *gain, const void *shift, size_t row, size_t n, enum dtype t, struct reference *out);
/* Output (i, j) of the plane that starts at element `plane`; filter: nine weights from element `filter_first`. */
struct reference reference_depthwise(const void *x, size_t plane, const void *filter, size_t filter_first, size_t n, size_t i, size_t j,
                                     enum dtype t);
/* One row of softmax(q·kᵀ/√width)·v: query `row` of the head whose q, k, v start at element `head`. weight[n] is room to work in. */
void reference_attention(const void *q, const void *k, const void *v, size_t head, size_t row, size_t n, size_t width, enum dtype t,
                         double *weight, struct reference *out);

/* Takes one output into the worst residual so far: |got - value| / slack. NAN sticks; an error where none is accepted is INFINITY. */
void residual_take(double *worst, double got, struct reference expected);

#endif
