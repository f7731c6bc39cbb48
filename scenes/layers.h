/* layers: what the files of the layers scene share. s must be resolved. */
#ifndef RIDGE_SCENE_LAYERS_H
#define RIDGE_SCENE_LAYERS_H

#include "model/profile.h"
#include "scenes/scene.h"

struct layers {
  enum view_id view;
  const struct device *device;
  const struct model *model;
  enum dtype dtype, math; /* math: DTYPE_N when the device lists none */
  enum fix fix;
  struct profile_in plain, in; /* as the knobs have it; with the fix that is tried */
  struct profile profile;      /* of in */
  int pick;                    /* the operation looked at, index into profile.op; -1 none */
};
void layers_of(const struct world *w, const struct setup *s, struct layers *out);

/* The name of an operation, of a convolution its own. */
const char *layers_name(const struct layers *l, const struct operation *op);

/* A convolution of the network beside the two that could stand in for it: one filter a plane, then 1x1 across planes. */
struct layers_conv {
  const struct convolution *whole;
  bool separable; /* more than one point wide: else nothing is gained, and depth, point are NAN */
  struct profile_op plain, depth, point;
};
int layers_convs(const struct layers *l); /* convolutions of the network, pools left out */
struct layers_conv layers_conv_of(const struct layers *l, int i);

/* The same work at another batch or context. */
void layers_at(const struct layers *l, double batch, double context, struct profile *out);

int layers_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                       /* layers_facts.c */
int layers_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);               /* layers_rows.c */
void layers_verdict(const struct fact *f, int n, struct text *t);                                                /* layers_verdict.c */
void layers_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out);       /* layers_plots.c */
void layers_draw(struct canvas *c, struct rect r, const struct view *v);                                         /* layers_picture.c */
void layers_draw_roof(struct canvas *c, struct rect r, const struct view *v, const struct layers *l);            /* layers_plots.c */
void layers_draw_twins(struct canvas *c, struct rect r, const struct view *v, const struct layers *l, int pick); /* layers_plots.c */
void layers_draw_grow(struct canvas *c, struct rect r, const struct view *v, const struct layers *l);            /* layers_plots.c */
void layers_draw_amdahl(struct canvas *c, struct rect r, const struct view *v, const struct layers *l);          /* layers_plots.c */

#endif
