/* catalogue: devices and models from JSON files into the world, and one machine back to a file. */
#ifndef RIDGE_CATALOGUE_H
#define RIDGE_CATALOGUE_H

#include <stdbool.h>

#include "data/err.h"
#include "model/world.h"

/* One file into *d or *m. Unknown keys are refused by name; numbers must be finite and in range; strings lose control bytes. */
bool device_load(const char *path, struct device *d, struct err *e);
/* A model may also be a Hugging Face config.json, or the folder it lies in. */
bool model_load(const char *path, struct model *m, struct err *e);

/* All *.json of dir/devices and dir/models, sorted by id, `here` first; a file is named after its id. A bad file is skipped and reported
 * through warn (NULL: ignored); the others still load. False only when the folder cannot be read. */
bool catalogue_load(struct world *w, const char *dir, void (*warn)(const struct err *, void *), void *arg, struct err *e);

/* Add the person's own file; its id is the path as given. Returns the index, or -1 with *e. Loading the same path again replaces it. */
int catalogue_add_device(struct world *w, const char *path, struct err *e);
int catalogue_add_model(struct world *w, const char *path, struct err *e);

/* Write this machine (device `here` with its machine section) so that device_load reads it back unchanged: temporary file, then rename. */
bool device_save(const char *path, const struct device *d, struct err *e);

#endif
