/* diagnose: what the files of the diagnose scene share. A service runs too slowly or has died; gauges are read off a model with a fault in
 * it, probe by probe. The seed draws the fault; which probes are spent, and the answer, are knobs. */
#ifndef RIDGE_SCENE_DIAGNOSE_H
#define RIDGE_SCENE_DIAGNOSE_H

#include "model/checklist.h"
#include "scenes/scene.h"

/* What the setup asks. */
struct diagnose {
  enum view_id view;
  bool known; /* the device and the model give a service; nothing below means anything otherwise */
  struct rig healthy;
  struct severity severity;
  enum fault hidden; /* the one the seed drew; FAULT_N when none is possible */
  enum fault answer; /* FAULT_N: none given */
  bool answered;     /* and it counts */
  enum fault shown;  /* whose gauges stand on the screen; FAULT_N: the healthy service */
  bool possible;     /* the one shown can be */
  struct rig rig;    /* with it */
  unsigned spent;    /* bit l: look l is open */
  int seen[SIGN_N];  /* the checklist */
};
void diagnose_of(const struct world *w, const struct setup *s, struct diagnose *out);

/* The gauges that are followed over time: their values at the start and half-way are facts too, from DIAGNOSE_COURSE on, two each. */
enum { COURSE_N = 6, DIAGNOSE_COURSE = GAUGE_N };
enum gauge diagnose_course(int i);

/* Facts hold the gauges first, in order: fact i is gauge i. */
int diagnose_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                 /* diagnose_facts.c */
int diagnose_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);         /* diagnose_rows.c */
void diagnose_verdict(const struct fact *f, int n, struct text *t);                                          /* diagnose_verdict.c */
void diagnose_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out); /* diagnose_picture.c */
void diagnose_draw(struct canvas *c, struct rect r, const struct view *v);                                   /* diagnose_picture.c */
void diagnose_draw_gauges(struct canvas *c, struct rect r, const struct view *v);                            /* diagnose_picture.c */
/* The dashboards of d as boxes in columns; returns nothing, draws what has room. */
void diagnose_draw_boards(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d);    /* diagnose_boards.c */
void diagnose_draw_checklist(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d); /* diagnose_lists.c */
void diagnose_draw_faults(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d);    /* diagnose_lists.c */

#endif
