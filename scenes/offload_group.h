/* offload_group: several devices that share the work on one model: what they say to one another beside what they do. The offload scene's
 * second view. */
#ifndef RIDGE_OFFLOAD_GROUP_H
#define RIDGE_OFFLOAD_GROUP_H

#include "model/collective.h"
#include "scenes/scene.h"

bool group_view(const struct setup *s);
void group_resolve(const struct world *w, struct setup *s);
bool group_applies(const struct setup *s, int knob);
struct group_in group_input(const struct world *w, const struct setup *s);

/* Writes its facts to out and returns how many; labelled only in its view. */
int group_facts(const struct world *w, const struct setup *s, struct fact *out);
int group_rows(const struct world *w, const struct setup *s, int row, struct fact *out);
void group_verdict(const struct fact *f, int n, struct text *t);
void group_axes(const struct setup *s, struct axes *out);
void group_draw(struct canvas *c, struct rect r, const struct view *v);

#endif
