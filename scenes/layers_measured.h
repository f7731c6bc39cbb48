/* layers_measured: the view `block`: one layer of the model run for real on this machine, narrowed until it fits, every operation of it
 * where it stands and alone, beside what this machine's roofs allow each. */
#ifndef RIDGE_SCENE_LAYERS_MEASURED_H
#define RIDGE_SCENE_LAYERS_MEASURED_H

#include "model/block.h"
#include "scenes/layers.h"

struct layers_block {
  bool known;              /* false: the model's shape is not, or is no transformer's */
  struct block whole, run; /* the model's layer; what is run of it */
  double narrower, fewer;  /* width and tokens divided by these */
  const char *as;          /* how it differs from the model's */
  const struct device *here;
  struct request request;
  const struct run *ran; /* NULL: not yet */
  struct block_part part[BLOCK_PART_MAX];
  int n;
  double predicted[BLOCK_PART_MAX]; /* s at the roofs, from the level of memory its bytes fit in; NAN unknown */
  enum bound bound[BLOCK_PART_MAX];
  int order[BLOCK_PART_MAX]; /* the longest first: as measured, else as predicted */
  double predicted_sum, inside_sum, alone_sum;
  double cache_sum; /* s by which parts in place differ from those alone, as far as their bytes can explain it */
};
void layers_block_of(const struct world *w, const struct setup *s, const struct layers *l, struct layers_block *out);
double layers_block_inside(const struct layers_block *b, int part); /* s measured; NAN not yet */
double layers_block_alone(const struct layers_block *b, int part);

int layers_block_facts(const struct world *w, const struct setup *s, const struct layers *l, struct fact *out); /* how many */
int layers_block_row(const struct world *w, const struct setup *s, const struct layers *l, int row, struct fact *f);
int layers_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]);
void layers_block_verdict(const struct fact *f, int n, struct text *t);
void layers_draw_block(struct canvas *c, struct rect r, const struct view *v, const struct layers *l); /* layers_measured_picture.c */

#endif
