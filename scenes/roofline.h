/* roofline: what the three files of the roofline scene share: whose roof, which measurement, and the two parts that are not facts. */
#ifndef RIDGE_ROOFLINE_H
#define RIDGE_ROOFLINE_H

#include "scenes/scene.h"

const struct device *roofline_device(const struct world *w, const struct setup *s);
bool roofline_here(const struct setup *s); /* the roof on show is this machine's */

/* The measurement that belongs to this setup. */
struct request roofline_request(const struct setup *s);

/* The two roofs of d for what the setup asks, byte/s and FLOP/s; NAN unknown. *level: index of the level the bytes come from. `here`: d is
 * this machine, whose warm caches may serve the operation. */
double roofline_bandwidth(const struct world *w, const struct setup *s, const struct device *d, bool here, int *level);
double roofline_peak(const struct world *w, const struct setup *s, const struct device *d);

void roofline_verdict(const struct fact *f, int n, struct text *t);        /* roofline_verdict.c */
void roofline_draw(struct canvas *c, struct rect r, const struct view *v); /* roofline_picture.c */

#endif
