/* plot_inner: what the parts of the plot share with one another. */
#ifndef RIDGE_PLOT_INNER_H
#define RIDGE_PLOT_INNER_H

#include "tui/plot.h"

void point_put(struct plot *p, int x, int y, uint32_t glyph, enum role role);
/* The part of a→b (dots) inside the data area; false when there is none. */
bool dots_clip(const struct plot *p, double a[2], double b[2]);
void labels_place(struct plot *p); /* in order of rank, on cells without text */

#endif
