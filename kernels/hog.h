/* hog: takes memory bandwidth away. On every core that a measurement leaves free a thread copies one half of a large buffer over the other,
 * without end, so that what is measured meets a memory others are using too. It takes no core from the team and calculates nothing. */
#ifndef RIDGE_HOG_H
#define RIDGE_HOG_H

#include "kernels/bench.h"

/* How many cores a team of `threads` leaves to a hog: physical ones of the mask, within the CPU quota; 0: none is spare. */
int hog_cores(const struct os_info *os, int threads);

struct hog;
/* Starts on those cores, memory from the pool, and comes back when all are copying. NULL: why says so in words. */
struct hog *hog_start(const struct os_info *os, int threads, struct pool *pool, char why[256]);
double hog_cpu_time(const struct hog *h); /* s of CPU its threads have used; 0 for NULL */
double hog_byte(const struct hog *h);     /* bytes it has read and written so far; 0 for NULL */
void hog_stop(struct hog *h);             /* every thread has ended when this comes back; NULL is fine */

#endif
