/* plot_point: measured, computed and guessed points: whole glyphs in front of every curve, the important ones in front of the others. */
#include <math.h>
#include <string.h>

#include "tui/plot_inner.h"

/* Which of two points in one cell is seen. */
static int point_weight(enum role role) {
  switch (role) {
  case ROLE_TRAIL: return 0;
  case ROLE_DIM:
  case ROLE_ROOF_OTHER: return 1;
  case ROLE_CEILING: return 3;
  case ROLE_GUESS: return 4;
  case ROLE_MEASURED: return 5;
  default: return 2;
  }
}

void plot_spread(struct plot *p, double x, double y, double lo, double hi, uint32_t glyph, enum role role) {
  if (p->area.w < 1 || isnan(plot_dot_x(p, x)) || isnan(plot_dot_y(p, y)) || isnan(plot_dot_x(p, x) - plot_dot_y(p, y))) return;
  int at = p->npoint;
  if (at == PLOT_POINT_MAX) { /* full: the oldest of the least important makes room */
    at = -1;
    for (int i = 0; i < p->npoint; i++)
      if (point_weight(p->point[i].role) <= point_weight(role) &&
          (at < 0 || point_weight(p->point[i].role) < point_weight(p->point[at].role)))
        at = i;
    if (at < 0) return;
    memmove(&p->point[at], &p->point[at + 1], sizeof p->point[0] * (size_t)(p->npoint - at - 1));
    at = p->npoint - 1;
  } else
    p->npoint++;
  p->point[at] = (struct plot_point){x, y, lo, hi, glyph, role};
}

void plot_point(struct plot *p, double x, double y, uint32_t glyph, enum role role) { plot_spread(p, x, y, NAN, NAN, glyph, role); }

static void spread_draw(const struct plot *p, const struct plot_point *t) {
  int x = plot_column(p, t->x);
  double hi = plot_dot_y(p, t->y_hi), lo = plot_dot_y(p, t->y_lo);
  if (isnan(hi) || isnan(lo) || x < p->area.x || x >= p->area.x + p->area.w) return;
  int top = plot_row(p, t->y_hi), bottom = plot_row(p, t->y_lo), last = p->area.y + p->area.h - 1;
  if (top > bottom || bottom < p->area.y || top > last) return;
  if (top < p->area.y) top = p->area.y;
  if (bottom > last) bottom = last;
  if (top == bottom) return;            /* smaller than the glyph */
  for (int y = top; y <= bottom; y++) { /* the bar stands in front of curves */
    struct cell *k = canvas_at(p->canvas, x, y);
    if (k) k->dots = 0, k->lines = 0;
  }
  canvas_vline(p->canvas, x, top, bottom, t->role, 0);
}

static void point_put(const struct plot *p, int x, int y, uint32_t glyph, enum role role, int spot) {
  struct cell *k = canvas_at(p->canvas, x, y);
  if (k) k->glyph = 0; /* the more important point stands in front of the other */
  canvas_put(p->canvas, x, y, glyph, role, ATTR_BOLD);
  if (k) k->spot = (uint8_t)spot;
}

static void point_draw(const struct plot *p, const struct plot_point *t) {
  struct rect a = p->area;
  int x = plot_column(p, t->x), y = plot_row(p, t->y);
  int ax = x, ay = y; /* of the arrow that says it lies outside */
  uint32_t arrow = 0;
  if (x < a.x)
    x = a.x + 1, ax = a.x, arrow = 0x2190;
  else if (x >= a.x + a.w)
    x = a.x + a.w - 2, ax = a.x + a.w - 1, arrow = 0x2192;
  if (y < a.y)
    y = ay = a.y, arrow = arrow ? arrow : 0x2191;
  else if (y >= a.y + a.h)
    y = ay = a.y + a.h - 1, arrow = arrow ? arrow : 0x2193;
  if (arrow == 0x2191) y = a.y + 1;
  if (arrow == 0x2193) y = a.y + a.h - 2;
  if (arrow) point_put(p, ax, ay, arrow, t->role, 0);
  /* In doubles: a point far outside has no dot that an int could count. */
  double dx = floor(plot_dot_x(p, t->x) + 0.5) - 2.0 * x, dy = floor(plot_dot_y(p, t->y) + 0.5) - 4.0 * y;
  bool inside = !arrow && dx >= 0 && dx <= 1 && dy >= 0 && dy <= 3;
  point_put(p, x, y, t->glyph, t->role, inside ? 1 + 2 * (int)dy + (int)dx : 0);
}

void points_place(struct plot *p) {
  for (int i = 0; i < p->npoint; i++)
    if (!isnan(p->point[i].y_lo)) spread_draw(p, &p->point[i]);
  for (int weight = 0; weight <= 5; weight++)
    for (int i = 0; i < p->npoint; i++)
      if (point_weight(p->point[i].role) == weight) point_draw(p, &p->point[i]);
}
