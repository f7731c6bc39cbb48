/* lab: how to time, and when to believe it. One kernel timed again and again in five views: its first repetitions, the spread of all, the
 * clock stopped too early, a run long enough for the machine to warm up, and work too small for a team. What the lab's files share. */
#ifndef RIDGE_LAB_H
#define RIDGE_LAB_H

#include "model/run.h"
#include "scenes/scene.h"

/* s must be resolved. */
enum view_id lab_view(const struct setup *s);
enum op lab_op(const struct setup *s);
bool lab_timed(const struct setup *s);  /* the view shows repetitions of the kernel itself */
bool lab_kernel(const struct setup *s); /* the view times a kernel; the others speak of a benchmark's record: lab_record.h */

/* The kernel on show, repeated for so many seconds. */
struct request lab_request(const struct setup *s, double sustain);
double lab_short(const struct setup *s); /* s of the short run of the kernel: what most benchmarks take */

/* Work handed to the threads that stand in for a device: not waited for, or waited for. */
struct request lab_async(const struct setup *s, bool wait, double fma);

/* The sizes at which one core is held against all, and the two requests at one of them. */
enum { LAB_SIZES = 7 };
bool lab_small_runs(const struct setup *s); /* false: this operation cannot show it */
double lab_size(const struct setup *s, int i);
struct request lab_small(const struct setup *s, double n, bool one);

/* Starting the team on nothing. */
struct request lab_dispatch(const struct setup *s);

/* s of one execution of all the work r asks for, from a run that may have done a part; NAN when r has not been run here. */
double lab_time(const struct world *w, const struct request *r);
const struct run *lab_find(const struct world *w, const struct request *r);

/* A long run as a curve: rate and clock over time, in at most RUN_BUCKET stretches. */
struct lab_line {
  int n;
  double at[RUN_BUCKET], rate[RUN_BUCKET], clock[RUN_BUCKET];
};
void lab_line_of(const struct run *r, struct lab_line *out);

/* A size in two figures: what is read off between two measured ones is no better known. */
double lab_round(double n);

enum { LAB_HISTOGRAM = 16 };

int lab_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                 /* lab_facts.c */
int lab_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]);        /* lab_request.c */
void lab_verdict(const struct fact *f, int n, struct text *t);                                          /* lab_verdict.c */
int lab_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);         /* lab_rows.c */
void lab_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out); /* lab_picture.c */
void lab_draw(struct canvas *c, struct rect r, const struct view *v);                                   /* lab_picture.c */
void lab_draw_first(struct canvas *c, struct rect r, const struct view *v);                             /* lab_samples.c */
void lab_draw_spread(struct canvas *c, struct rect r, const struct view *v);                            /* lab_samples.c */

#endif
