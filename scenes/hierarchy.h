/* hierarchy: what the hierarchy scene's facts and its picture share. */
#ifndef RIDGE_HIERARCHY_H
#define RIDGE_HIERARCHY_H

#include "scenes/scene.h"
#include "tui/plot.h"

/* One row per memory level, nearest first, then the links (as many as hierarchy_links says: the peer's, the host's), then caches
 * of a CPU on the same chip: name, count, capacities, rates, latency, times, steps to the next. */
int hierarchy_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);

int hierarchy_links(const struct device *d);

/* The read of a working set on this machine: byte / 4 fp32 elements, all cores. */
struct request hierarchy_request(double byte);

/* The view shown: VIEW_LEVELS, VIEW_STAIRCASE, VIEW_STRIDE or VIEW_CHAINS. */
enum view_id hierarchy_view(const struct setup *s);
/* Loads at a stride over the set, and chains of dependent loads in it; what the view shown wants measured, and whether it can be. */
struct request hierarchy_strided(double byte, double stride);
struct request hierarchy_chained(double byte, double chains);
struct request hierarchy_wanted(const struct setup *s);
bool hierarchy_possible(const struct world *w, const struct setup *s);
/* What m runs in the views of stride and chains: the point on show first, then the others of its row. */
int hierarchy_access_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]);
/* The strides and chains of a row, ascending: how many. */
enum { STRIDES_MAX = 10 };
int hierarchy_strides(const struct world *w, double byte, double out[STRIDES_MAX]);
/* Bytes a second asked for, as measured here; NAN not yet. */
double hierarchy_measured_rate(const struct world *w, const struct request *r);
/* What the model says of a stride and of a number of chains in this set on device d; NAN unknown. */
double hierarchy_asked_rate(const struct device *d, double byte, double stride);
double hierarchy_chain_rate(const struct device *d, double byte, double chains);
double hierarchy_one_thread_rate(const struct device *d, double byte);
double hierarchy_latency(const struct device *d, double byte);

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
/* The plots of the views, of all r. */
void hierarchy_draw_staircase(struct canvas *c, struct rect r, const struct view *v);
void hierarchy_draw_stride(struct canvas *c, struct rect r, const struct view *v);
void hierarchy_draw_chains(struct canvas *c, struct rect r, const struct view *v);
void hierarchy_curve(struct plot *p, const struct stair *s, enum role role);
void hierarchy_points(struct plot *p, const struct view *v);
void hierarchy_latency_axis(const struct device *d, const struct axes *prev, struct axes *out);
void hierarchy_plot_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out);
void hierarchy_draw(struct canvas *c, struct rect r, const struct view *v);

#endif
