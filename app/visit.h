/* visit: a scene opened by the words of a command line, for the doors without a terminal. */
#ifndef RIDGE_VISIT_H
#define RIDGE_VISIT_H

#include "app/app.h"

struct visit {
  struct world *world;
  const struct scene *scene;
  struct setup person;
  struct frame_data data; /* after visit_compute, as are the axes */
  struct axes axes;
};

/* Opens the world and reads the words. 0, or the exit code when it has said on stderr what is wrong. */
int visit_open(struct visit *v, const char *const *word, int n, const char *door);
/* Takes recorded lines in, as if this machine had just been measured: what `ridge bench` or `ridge measure --json` printed on it. path "-":
 * stdin; NULL: nothing to do. 0, or the exit code when it has said what is wrong. */
int visit_lines(struct visit *v, const char *path);
void visit_compute(struct visit *v);
/* The frame a terminal would first show of it. */
struct frame visit_frame(struct visit *v, bool ascii);
/* Remarks on stderr: knobs set that this scene does not have, a machine not measured yet. */
void visit_notes(const struct visit *v);
void visit_close(struct visit *v);

/* "ridge: …" on stderr; returns code. */
int door_refuse(const struct err *e, int code);
int door_refuse_text(const char *text, int code);

#endif
