/* ladder: the levels of a device's memory, and which of them serves a working set. */
#ifndef RIDGE_LADDER_H
#define RIDGE_LADDER_H

#include "model/world.h"

/* Capacity of all instances of level i together; NAN unknown. */
double ladder_byte(const struct device *d, int i);

/* The same as a working set meets it: the declared capacity, unless the measured knee is more than a factor of √2
 * from it. */
double ladder_reach(const struct device *d, int i);

/* The read rate of main memory, and of level i when `threads` read (0: all); NAN unknown. Private levels scale with the threads; a shared
 * one gives no more than all of it, nor than the threads' nearer level takes; main memory gives threads × one thread's rate up to all. */
double ladder_memory_rate(const struct device *d);
double ladder_level_rate(const struct device *d, int i, int threads);

/* The index of the nearest level whose capacity (all instances) holds byte; the last level when none does or byte is
 * larger than all; a level of unknown capacity serves nothing. -1 when the device has no levels. For `here` a measured knee
 * stands before the declared size. */
int ladder_serving(const struct device *d, double byte);

/* Whether level i can be told from the one before it by a team of all threads: it must hold more than 1.5 times what their nearer caches
 * hold together. The first level, and sizes that are not known: true, nothing says otherwise. A measured rate flagged "not separable"
 * (machine.trust) is not. */
bool ladder_separable(const struct device *d, int i);

/* The memory rate an operation with this working set runs against: that of its serving level, else main memory.
 * *level gets the index of the level the rate belongs to: a level of unknown rate bounds nothing, so the next one outwards with a known
 * rate answers. `reads_only`: the read rate; otherwise the best of read, non-temporal copy and triad (here only). */
double ladder_rate(const struct device *d, double byte, bool reads_only, int threads, int *level);

/* The compute roof for dtype/isa/threads: for `here` the measured roof of that isa (ISA_AUTO: the best), scaled by
 * threads between one and all; elsewhere the sheet's dense peak. NAN unknown. */
double ladder_peak(const struct device *d, enum dtype math, enum isa isa, int threads);

/* auto arithmetic: dtype if the device lists it, else bf16, else fp32, else DTYPE_N. */
enum dtype ladder_math(const struct device *d, enum dtype t);

#endif
