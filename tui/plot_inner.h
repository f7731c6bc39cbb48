/* plot_inner: what the parts of the plot share with one another. */
#ifndef RIDGE_PLOT_INNER_H
#define RIDGE_PLOT_INNER_H

#include "tui/plot.h"

void point_put(struct plot *p, int x, int y, uint32_t glyph, enum role role);
void labels_place(struct plot *p); /* in order of rank, on cells without text */

#endif
