/* measuring: what the two doors that measure share. */
#ifndef RIDGE_MEASURING_H
#define RIDGE_MEASURING_H

#include "data/line.h"

/* Makes this process a good measuring child: nice, and gone when a parent that listens on a pipe is. */
void measuring_start(void);
/* Waits its turn among all who measure on this machine, so that no two measurements spoil each other; progress lines say meanwhile how many
 * are before us. When nothing has moved for long it goes ahead, with a word on stderr. A handle for os_unlock, or -1. */
int measuring_lock(bool (*say)(const struct line *, void *), void *arg);

#endif
