/* plot: curves, points and labels on one pair of axes inside a rectangle of a canvas. Knows no physics. Values outside the
 * axes are clipped analytically (lines) or pinned to the edge with an arrow (points); NAN, zero and negatives on a log axis draw nothing.
 * Order of calls: plot_begin, then lines, points and labels in any order, then plot_end, which places what must not overlap:
 * axis labels first, then points, then labels of roofs at several anchors, shortened or dropped when there is no room. */
#ifndef RIDGE_PLOT_H
#define RIDGE_PLOT_H

#include <stdbool.h>

#include "tui/canvas.h"

struct axis {
  double lo, hi;
  bool log;
  const char *unit;
  const char *title;
};

enum { PLOT_LABEL_MAX = 32, PLOT_POINT_MAX = 96 };
enum anchor { ANCHOR_ABOVE, ANCHOR_BELOW, ANCHOR_LEFT, ANCHOR_RIGHT, ANCHOR_CENTRE };

struct plot_label {
  double x, y;
  double x_to, y_to; /* the other end of the line it belongs to; NAN: only (x,y) */
  double x_end;      /* words: from x to x_end, y being the share of the height; NAN: a label at (x,y) */
  char text[64], brief[24];
  enum role role;
  enum anchor anchor;
  int rank;
  bool placed; /* after plot_end: false when there was no room */
};
struct plot_point {
  double x, y, y_lo, y_hi;
  uint32_t glyph;
  enum role role;
};

/* After plot_begin the axes may show more than was asked for (widened when unusable, or to be equal): p->x and p->y say what is drawn.
 * A linear axis takes any range; a log axis of unit "iB" has its ticks at powers of two. */
struct plot {
  struct canvas *canvas;
  struct rect rect, area; /* everything; the data area, in cells */
  struct axis x, y;
  struct plot_label label[PLOT_LABEL_MAX];
  int nlabel;
  struct plot_point point[PLOT_POINT_MAX];
  int npoint;
};

/* Draws axes, ticks and titles. Bad ranges (not finite, flat, inverted, ≤ 0 on log) are widened to something drawable.
 * False when the rectangle is too small to hold any data (a word is drawn instead). */
bool plot_begin(struct plot *p, struct canvas *c, struct rect r, const struct axis *x, const struct axis *y);

/* The same with equal dots per decade on both log axes, so that y = k·x rises at 45°: the axis with room to spare shows more, up to `most`
 * times its decades (1.5 is a good value; 1 changes nothing). When that is not enough the rest of the difference stays. */
bool plot_begin_equal(struct plot *p, struct canvas *c, struct rect r, const struct axis *x, const struct axis *y, double most);
/* Dots per decade on x over those on y: 1 when equal; NAN unless both are log. */
double plot_aspect(const struct plot *p);

void plot_line(struct plot *p, double x0, double y0, double x1, double y1, enum role role); /* straight on the axes as drawn */
void plot_curve(struct plot *p, const double *x, const double *y, int n, enum role role);   /* joined; a NAN breaks it */
void plot_vline(struct plot *p, double x, enum role role, bool dash);
void plot_hline(struct plot *p, double y, enum role role, bool dash);
void plot_point(struct plot *p, double x, double y, uint32_t glyph, enum role role);                        /* a whole glyph, placed last */
void plot_spread(struct plot *p, double x, double y, double lo, double hi, uint32_t glyph, enum role role); /* with a short bar */
/* A label near (x,y), which must be in the picture (else nothing). rank: lower is placed first; brief ("" none) is tried when text does not
 * fit. */
void plot_label(struct plot *p, double x, double y, const char *text, const char *brief, enum role role, enum anchor a, int rank);
/* A label of the line (x0,y0)–(x1,y1): tried at several places along what is seen of it, above, below and beside. */
void plot_line_label(struct plot *p, double x0, double y0, double x1, double y1, const char *text, const char *brief, enum role role,
                     int rank);
/* Words in a region of the plot, e.g. "waiting for memory" left of x: centred between x0 and x1 on the row nearest y_share (0 top … 1
 * bottom). */
void plot_words(struct plot *p, double x0, double x1, double y_share, const char *text, enum role role);
void plot_end(struct plot *p);

/* Dot column/row of a value, from the canvas's corner (may lie outside area; NAN for what a log axis cannot show): 2 per column, 4 per row.
 */
double plot_dot_x(const struct plot *p, double x);
double plot_dot_y(const struct plot *p, double y);
int plot_column(const struct plot *p, double x); /* the cell that holds it; area.x - 1 … area.x + area.w when outside; x must not be NAN */
int plot_row(const struct plot *p, double y);
double plot_x_at(const struct plot *p, int column); /* the value in the middle of a cell: where to sample a curve */

/* Ticks of an axis over `cells` columns (or rows, upright): values in order and their labels, at least two where two fit. */
enum { TICK_MAX = 48 };
struct tick {
  double value;
  char text[12];
};
int axis_ticks(const struct axis *a, int cells, bool upright, struct tick out[TICK_MAX]);
/* The axis's title with its unit and prefix: "GFLOP/s", "step time, ms", "FLOP per byte fetched from DRAM". */
void axis_title(const struct axis *a, char out[96]);

/* Round lo…hi outward to whole decades (log) or 1-2-5 steps (linear), at least `decades` apart. */
void axis_round(double *lo, double *hi, bool log, double decades);
/* Keep prev when it still shows lo…hi with no more than one decade (log) to spare on a side: a moving point must not move its axes. */
void axis_keep(const double prev[2], double lo, double hi, bool log, double out[2]);

#endif
