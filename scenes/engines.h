/* engines: a time line to scale with one row per engine (host, link in, device, link out) for one trip of the transfer model, or for three
 * overlapped ones. */
#ifndef RIDGE_ENGINES_H
#define RIDGE_ENGINES_H

#include "model/crossing.h"
#include "tui/canvas.h"

/* Rows the time line takes of h: 4 engines, then the legend, then (high enough) the scale between them and a blank row. */
int engines_height(int h);

/* Draws in and out in r. measured_s: the host's measured time of one trip's products, NAN none. */
void engines_draw(struct canvas *c, struct rect r, const struct crossing_in *in, double measured_s);

#endif
