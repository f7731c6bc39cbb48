/* offload: what the offload scene's facts and its picture share: the inputs of the transfer model as the knobs set them, and the points of
 * this machine's own host curve. */
#ifndef RIDGE_OFFLOAD_H
#define RIDGE_OFFLOAD_H

#include "model/crossing.h"
#include "scenes/scene.h"

/* The transfer model's inputs; s must be resolved. */
struct crossing_in offload_in(const struct setup *s);

/* What the host kernel is asked for at size n: the square product in the nearest type it has (fp64 stays, all else is fp32), all cores. */
struct request offload_request(const struct setup *s, double n);

/* This machine's measured products, n ascending, time in s of `reuse` products. Returns how many, at most max. */
enum { HOST_POINT_MAX = 48 };
struct host_point {
  double n, s, spread;
};
int offload_host_points(const struct world *w, const struct setup *s, struct host_point out[], int max);

void offload_verdict(const struct fact *f, int n, struct text *t);
void offload_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out);
void offload_draw(struct canvas *c, struct rect r, const struct view *v);

#endif
