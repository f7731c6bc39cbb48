/* plot_inner: what the parts of the plot share with one another. */
#ifndef RIDGE_PLOT_INNER_H
#define RIDGE_PLOT_INNER_H

#include "tui/plot.h"

void points_place(struct plot *p); /* before the labels, in order of weight */
/* The part of a→b (dots) inside the data area; false when there is none. */
bool dots_clip(const struct plot *p, double a[2], double b[2]);
void labels_place(struct plot *p); /* in order of rank, on cells without text */

#endif
