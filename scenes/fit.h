/* fit: what its facts and its picture share. Private to scenes/fit.c and scenes/fit_picture.c. */
#ifndef RIDGE_FIT_H
#define RIDGE_FIT_H

#include "model/capacity.h"
#include "scenes/scene.h"

/* What the knobs ask to be held, on one device of the world (the chosen one: device_of). */
struct capacity_in fit_of(const struct world *w, const struct setup *s, const struct device *d);
const struct device *fit_device(const struct world *w, const struct setup *s);

void fit_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out);
void fit_draw(struct canvas *c, struct rect r, const struct view *v);

#endif
