/* bytes: a whole plain file into memory, whatever the path turns out to name: folders, FIFOs and devices are refused, and none is waited
 * for. */
#ifndef RIDGE_BYTES_H
#define RIDGE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "data/err.h"

/* *text gets the bytes and a NUL behind them (free it), *n how many there are. Reading stops soon after max bytes: *n > max tells the
 * caller that there is more. On false *e says why and *text is NULL. */
bool bytes_load(const char *path, size_t max, char **text, size_t *n, struct err *e);

#endif
