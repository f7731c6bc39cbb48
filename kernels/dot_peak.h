/* dot_peak: what op_stream.c's peak kernel does for bf16 and int8: the members of a kernel, and whether they are for a data type. */
#ifndef RIDGE_DOT_PEAK_H
#define RIDGE_DOT_PEAK_H

#include "kernels/bench.h"

bool dot_peak_stores(enum dtype t); /* bf16 and int8 */
const char *dot_peak_usable(const struct job *j);
const char *dot_peak_setup(struct job *j);
void dot_peak_reset(struct job *j);
void dot_peak_run(struct job *j);
double dot_peak_residual(const struct job *j);

#endif
