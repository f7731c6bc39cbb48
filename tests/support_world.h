/* support_world: an invented world with round numbers, so that expected values can be worked out by hand: a measured machine (100 GFLOP/s,
 * 20 GB/s), the chapter's illustrative accelerator, a device that knows nothing, and two models. */
#ifndef RIDGE_TESTS_SUPPORT_WORLD_H
#define RIDGE_TESTS_SUPPORT_WORLD_H

#include "model/world.h"
#include "scenes/scene.h"

/* Allocated; free() it. Devices: here, illustrative, blank. Models: chapter-7b, small. */
struct world *world_invented(void);

/* A run of `request` on the invented machine: `count` warm samples of about `time`. */
void world_measured(struct world *w, const struct request *request, double time, int count);

/* Set a knob as a person would; choices by word. Fails the program on an unknown word. */
void person_set(const struct world *w, struct setup *s, int knob, double v, const char *word);

/* A fact of a scene for what the person set. */
double scene_value(const struct world *w, const struct scene *s, const struct setup *person, const char *fact);

#endif
