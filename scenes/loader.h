/* loader: the feed scene, who waits for whom between the workers that prepare data and the device that uses them. What its files share. */
#ifndef RIDGE_LOADER_H
#define RIDGE_LOADER_H

#include "model/feed.h"
#include "model/run.h"
#include "scenes/scene.h"

enum { LOADER_SEED = 1, LOADER_DEPTHS = 7 }; /* queues of 1, 2, 4 … 64 batches */

/* s must be resolved. The pipeline on show. */
struct feed loader_feed(const struct setup *s);

/* The run of it on this machine: real work for as long as the knobs say, or for a whole decimal part of that, so that a batch takes no more
 * than LOADER_RUN_S; data in memory; a thread stands in for the device. False: too fine, or too many batches, to run. */
bool loader_request(const struct setup *s, double workers, struct request *out);
/* What the knobs' times are divided by there: 1, 10, 100 … */
double loader_divisor(const struct setup *s);
/* The same pipeline as it should come out here: workers and the thread that stands in share this machine's CPUs. cores NAN: not known. */
struct feed loader_here(const struct world *w, const struct request *r);
const struct run *loader_find(const struct world *w, const struct request *r);

/* The cost of an item up to which these workers feed the device, s; NAN: storage or cores alone cannot. */
double loader_cost_fed(const struct feed *in);
/* The device's busy share, simulated. */
double loader_busy(const struct feed *in);
/* The workers' axis reaches this far. */
double loader_workers_axis(const struct feed *in);

int loader_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                 /* loader_facts.c */
void loader_verdict(const struct fact *f, int n, struct text *t);                                          /* loader_verdict.c */
void loader_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out); /* loader_picture.c */
void loader_draw(struct canvas *c, struct rect r, const struct view *v);                                   /* loader_picture.c */
int loader_lanes_height(const struct feed *in, int h);                                                     /* loader_lanes.c */
void loader_lanes(struct canvas *c, struct rect r, const struct view *v);                                  /* loader_lanes.c */

#endif
