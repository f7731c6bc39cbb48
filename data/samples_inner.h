/* samples_inner: what the readers of samples share. Internal to data/. */
#ifndef RIDGE_SAMPLES_INNER_H
#define RIDGE_SAMPLES_INNER_H

#include "data/samples.h"

enum { TROUBLE_MAX = 4 };
/* Entries of one text, until it is known whether they take the place of the world's. */
struct taken {
  struct foreign point[FOREIGN_MAX];
  struct {
    int n, dropped, bad;
  } world;
  char trouble[TROUBLE_MAX][256];
  struct err first; /* the first refusal */
};
void taken_add(struct taken *t, const struct foreign *f);
void taken_refuse(struct taken *t, const struct err *e);

bool likwid_is(const char *text); /* likwid-bench printed it */
void likwid_take(struct taken *t, const char *text, const char *name);

#endif
