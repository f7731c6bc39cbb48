/* reuse: what the files of the reuse scene share: the question as numbers, its requests, its table. */
#ifndef RIDGE_SCENE_REUSE_H
#define RIDGE_SCENE_REUSE_H

#include "model/work.h"
#include "scenes/scene.h"

/* What the setup asks, resolved. */
struct reuse {
  enum view_id view;
  const struct device *device;
  bool here;              /* the roof is this machine's */
  bool runs;              /* and its kernels compute in the chosen type */
  enum dtype dtype, math; /* math: DTYPE_N unknown */
  double element_byte;
  double n, tile, length, chain, sequence, width;
  enum rung rung, against;
  double peak, rate;         /* the roofs, FLOP/s and byte/s; NAN unknown */
  int level;                 /* the level `rate` belongs to; -1 none */
  double one_peak, one_rate; /* the same of one core, here only */
};
struct reuse reuse_of(const struct world *w, const struct setup *s);

/* The work of a view, with much traffic and with little: tile 1 and the chosen tile; one by one and fused; scores travelling and not. */
struct reuse_pair {
  struct work before, after;
};
struct reuse_pair reuse_pair_of(const struct reuse *q, enum view_id view);

/* The measurements behind a view at one size: rung r at n; a chain of k; a sequence of n. fused: with little traffic. */
struct request reuse_request_rung(const struct setup *s, enum rung r, double n);
struct request reuse_request_chain(const struct setup *s, bool fused, double length, double chain);
struct request reuse_request_attention(const struct setup *s, bool fused, double sequence);
/* The two measurements on show: after (first) and before. */
void reuse_requests(const struct setup *s, enum view_id view, struct request pair[2]);
/* Its run on this machine, or NULL while there is no time. */
const struct run *reuse_run(const struct world *w, const struct request *r);

/* Measured points of one curve, in order of x: rung over n, speed-up over k, rate over the sequence. Returns how many. */
enum { REUSE_POINT_MAX = 24 };
struct reuse_point {
  double x, y, spread;
};
int reuse_points_rung(const struct world *w, const struct setup *s, enum rung r, struct reuse_point out[REUSE_POINT_MAX]);
int reuse_points_chain(const struct world *w, const struct setup *s, struct reuse_point out[REUSE_POINT_MAX]);
int reuse_points_attention(const struct world *w, const struct setup *s, bool fused, struct reuse_point out[REUSE_POINT_MAX]);

int reuse_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                 /* reuse_facts.c */
int reuse_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);         /* reuse_rows.c */
void reuse_why(const struct world *w, const struct setup *s, struct why_input *out);                      /* reuse_why.c */
void reuse_verdict(const struct fact *f, int n, struct text *t);                                          /* reuse_verdict.c */
void reuse_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out); /* reuse_picture.c */
void reuse_draw(struct canvas *c, struct rect r, const struct view *v);
void reuse_ladder_draw(struct canvas *c, struct rect r, const struct view *v);  /* reuse_curve.c: rungs as bars */
void reuse_curve_draw(struct canvas *c, struct rect r, const struct view *v);   /* the second plot */
void reuse_traffic_draw(struct canvas *c, struct rect r, const struct view *v); /* traffic over the tile */
void reuse_curve_axes(const struct reuse *q, const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out);


#endif
