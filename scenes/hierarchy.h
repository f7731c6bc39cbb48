/* hierarchy: what the hierarchy scene's facts and its picture share. */
#ifndef RIDGE_HIERARCHY_H
#define RIDGE_HIERARCHY_H

#include "scenes/scene.h"

/* One row per memory level, nearest first, then the links (as many as hierarchy_links says: the peer's, the host's), then caches
 * of a CPU on the same chip: name, count, capacities, rates, latency, times, steps to the next. */
int hierarchy_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);

int hierarchy_links(const struct device *d);

/* The read of a working set on this machine: byte / 4 fp32 elements, all cores. */
struct request hierarchy_request(double byte);

/* This machine's measured reads, working set ascending. Returns how many, at most max. */
enum { READ_POINT_MAX = 64 };
struct read_point {
  double byte, byte_per_s, spread;
};
int hierarchy_read_points(const struct world *w, struct read_point out[], int max);

/* A level's name, and the rate and name of what serves once level i is outgrown: the next level, or past main memory the host link. */
const char *hierarchy_name(const struct level *l);
double hierarchy_next(const struct device *d, int i, const char **name);

void hierarchy_verdict(const struct fact *f, int n, struct text *t);
void hierarchy_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out);
void hierarchy_draw(struct canvas *c, struct rect r, const struct view *v);

#endif
