/* roofline: what the three files of the roofline scene share: whose roof, which measurement, and the two parts that are not facts. */
#ifndef RIDGE_ROOFLINE_H
#define RIDGE_ROOFLINE_H

#include "model/why.h"
#include "scenes/scene.h"

const struct device *roofline_device(const struct world *w, const struct setup *s);
bool roofline_here(const struct setup *s); /* the roof on show is this machine's */

/* The measurement that belongs to this setup. */
struct request roofline_request(const struct setup *s);

/* The two roofs of d for what the setup asks, byte/s and FLOP/s; NAN unknown. *level: index of the level the bytes come from. `here`: d is
 * this machine, whose warm caches may serve the operation. */
double roofline_bandwidth(const struct world *w, const struct setup *s, const struct device *d, bool here, int *level);
double roofline_peak(const struct world *w, const struct setup *s, const struct device *d);

enum dtype roofline_math(const struct world *w, const struct setup *s, const struct device *d); /* the arithmetic of d; DTYPE_N unknown */
bool roofline_reads_only(enum op op); /* it is held against the read rate */

/* The point on show and its roofs, for model/why; s NAN when there is no point. What stands behind the two roofs; NULL not known. */
void roofline_why(const struct world *w, const struct setup *s, struct why_input *in);
void roofline_trust(const struct world *w, const struct setup *s, const struct trust **peak, const struct trust **rate);
int why_facts(const struct world *w, const struct setup *s, struct fact *out); /* how figures were measured; returns how many, always the same */

void roofline_verdict(const struct fact *f, int n, struct text *t);        /* roofline_verdict.c */
void roofline_draw(struct canvas *c, struct rect r, const struct view *v); /* roofline_picture.c */

#endif
