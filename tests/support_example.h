/* support_example: one published example through the model: which function is called, with which inputs, and what comes out by name. */
#ifndef RIDGE_SUPPORT_EXAMPLE_H
#define RIDGE_SUPPORT_EXAMPLE_H

#include <cjson/cJSON.h>

#include "model/world.h"

struct outcome {
  int n;
  struct {
    const char *name;
    double v;
  } value[48];
};

/* Run what is called `kind` ("roof" "work" "step" "crossing" "capacity" "model"…) on the inputs. A name nobody knows, or an input nobody
 * asks for, fails the test that runs. */
struct outcome example_run(const struct world *w, const char *kind, const cJSON *in);
double outcome_get(const struct outcome *o, const char *name);

#endif
