/* knee: where a measured staircase falls. Given values against working sets it finds the plateaus, and for each the working set at which
 * it ends. A function of its input alone, made for noisy machines: single points that stand out, dips that recover and rates that rise do
 * not make knees.
 *
 * How: on log-log axes, after a median over three neighbours, the points are cut into stretches of one height each (least squares, with
 * a price per cut in proportion to the noise; Jackson 2005, optimal partitioning). Stretches that are short or steep are the way between
 * plateaus, not plateaus. A plateau that is not below the one before it by a seventh is the same one. The knee is the working set at which
 * a third of the way down (by ratio) to the next plateau is gone. */
#ifndef RIDGE_KNEE_H
#define RIDGE_KNEE_H

#include <stdbool.h>

#include "model/stair.h"
#include "model/world.h"

enum { KNEE_POINTS = STAIR_MAX };

/* The plateaus, nearest first: how many, at most PLATEAU_MAX. falls: values fall as sets grow (rates); otherwise they rise (latencies).
 * byte[] ascending; points whose value is not above 0 and finite are skipped; only the first KNEE_POINTS count. 0 when there are fewer than
 * four points or no plateau. */
int knee_find(const double byte[], const double value[], int n, bool falls, struct plateau out[PLATEAU_MAX]);
int knee_of(const struct stair *s, bool falls, struct plateau out[PLATEAU_MAX]);

/* Which level of the device each plateau is, read by `threads` (0: all): p[i].level an index, or -1 for a plateau that no declared size
 * explains. p[i].agrees: its knee is within 2× of what the level declares (or it is the last, main memory). A knee far from every declared
 * size is given, in order, to the level that has none: "declared 32 MiB, knee at 4 MiB". Counting plateaus never names one. */
void knee_levels(const struct device *d, int threads, struct plateau p[], int n);

/* This machine's plateaus anew from the staircase its team measured (machine.plateau[]), and the knees of its levels, one instance. Nothing
 * changes where there are no plateaus. */
void knee_take(struct device *here);

/* What the knee says about level i: "as declared", "a slice", "more than declared", "size unknown" (nobody declares one), "no knee" (the
 * staircase shows none), "not measured". */
const char *knee_words(const struct device *d, int i);

#endif
