/* measuring: what the two doors that measure share. */
#ifndef RIDGE_MEASURING_H
#define RIDGE_MEASURING_H

#include "data/line.h"

/* Makes this process a good measuring child: nice, and gone when a parent that listens on a pipe is. */
void measuring_start(void);
/* Waits its turn, so that two measurements on one machine do not spoil each other; says so in progress lines meanwhile. After half a minute
 * it goes ahead with a word on stderr. A handle for os_unlock, or -1. */
int measuring_lock(bool (*say)(const struct line *, void *), void *arg);

#endif
