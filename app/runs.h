/* runs: the measurements behind what a scene shows, and what stands behind each: for the doors that print. */
#ifndef RIDGE_RUNS_H
#define RIDGE_RUNS_H

#include "app/visit.h"
#include "data/json_out.h"

/* The section "measured" of print: one row for each of the scene's requests that was measured here. Nothing when none was. */
void runs_print(const struct visit *v);
/* The same as the member "measured" of an object: an array, empty when none was. */
void runs_json(const struct visit *v, struct json_out *o);

#endif
