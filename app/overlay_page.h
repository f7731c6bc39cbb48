/* overlay_page: a box of lines over a scene. Text is wrapped on the way in and drawn from `scroll` on; without a canvas lines are only
 * counted. */
#ifndef RIDGE_OVERLAY_PAGE_H
#define RIDGE_OVERLAY_PAGE_H

#include "tui/canvas.h"

struct page {
  struct canvas *c;
  struct rect r;
  int scroll, row;
};

struct page page_open(struct canvas *c, int want_w, int want_h, const char *title, int scroll);
void page_line(struct page *p, const char *s, enum role role, int attr, int indent);
/* A word and what it stands for, in two columns, the second from `column` on. */
void page_pair(struct page *p, const char *left, const char *right, int column, enum role role);
/* What belongs to the frame's scene and what belongs to all; see scenes/references.h. */
struct frame;
struct frame_data;
void reference_lines(struct page *p, const struct frame *f, const struct frame_data *d);
void page_close(const struct page *p, const char *foot);

#endif
