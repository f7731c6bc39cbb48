/* svg_trace: dots of a canvas back into the lines they were made from. A stroke follows neighbouring dots and is then straightened: a run
 * of dots that one straight line passes, never more than tolerance off, becomes that line. */
#include <math.h>

#include "tui/printer_svg.h"

static const double tolerance = 0.72; /* dots: rounding puts a dot up to a half from its line, at both ends */

/* Whether the dot is seen as part of a curve of this role. Behind a marker the role of the curve is not known: it goes with any. */
static bool dot_at(const struct sheet *s, int dx, int dy, enum role role) {
  static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  uint32_t glyph;
  if (dx < 0 || dy < 0 || dx >= 2 * s->c->w || dy >= 4 * s->c->h) return false;
  int x = dx / 2, y = dy / 4;
  if (!(sheet_cell(s, x, y)->dots & bit[dy % 4][dx % 2])) return false;
  if (sheet_marker(s, x, y)) return true;
  return sheet_show(s, x, y, &glyph) == SHOW_DOTS && sheet_cell(s, x, y)->role == role;
}

static uint8_t *traced_at(const struct sheet *s, int dx, int dy) { return &s->traced[(size_t)dy * 2 * (size_t)s->c->w + (size_t)dx]; }

static bool dot_free(const struct sheet *s, int dx, int dy, enum role role) { return dot_at(s, dx, dy, role) && !*traced_at(s, dx, dy); }

/* The way on from (x,y): among free neighbours the one that turns least from (vx,vy), sides before corners. False at an end. */
static bool dot_next(const struct sheet *s, int x, int y, double vx, double vy, enum role role, int *nx, int *ny) {
  double best = -INFINITY, length = sqrt(vx * vx + vy * vy);
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      if ((!i && !j) || !dot_free(s, x + i, y + j, role)) continue;
      double unit = i && j ? sqrt(0.5) : 1, straight = length > 0 ? (i * vx + j * vy) * unit / length : 0;
      if (straight < -0.3) continue; /* a hairpin is another line's beginning */
      double score = straight + (i && j ? 0 : 0.2);
      if (score > best) best = score, *nx = x + i, *ny = y + j;
    }
  return best > -INFINITY;
}

static void dot_put(struct path *p, int x, int y, bool first) {
  if (first)
    path_move(p, x * DOT + DOT / 2, y * DOT + DOT / 2);
  else
    path_to(p, x * DOT + DOT / 2, y * DOT + DOT / 2);
}

/* One stroke from (x,y). The sector [low, high] holds the directions from the last corner that pass every dot since. */
static void stroke_trace(const struct sheet *s, struct path *p, int x, int y) {
  int ax = x, ay = y, lx = x, ly = y, nx, ny; /* corner, last dot */
  double low = 0, high = 0, vx = 0, vy = 0;
  bool sector = false;
  dot_put(p, x, y, true);
  *traced_at(s, x, y) = 1;
  while (dot_next(s, lx, ly, vx, vy, p->role, &nx, &ny)) {
    double d = hypot(nx - ax, ny - ay), angle = atan2(ny - ay, nx - ax), give = d > tolerance ? asin(tolerance / d) : 2;
    double middle = (low + high) / 2;
    while (sector && angle > middle + 3.14159265358979) angle -= 2 * 3.14159265358979;
    while (sector && angle < middle - 3.14159265358979) angle += 2 * 3.14159265358979;
    if (sector && (angle < low || angle > high)) { /* a corner at the last dot */
      dot_put(p, lx, ly, false);
      ax = lx, ay = ly;
      angle = atan2(ny - ay, nx - ax);
      low = angle - 1.6, high = angle + 1.6;
    } else {
      low = sector ? fmax(low, angle - give) : angle - give;
      high = sector ? fmin(high, angle + give) : angle + give;
      sector = true;
    }
    vx = nx - ax, vy = ny - ay;
    lx = nx, ly = ny;
    *traced_at(s, lx, ly) = 1;
  }
  dot_put(p, lx, ly, false);
}

static int neighbours(const struct sheet *s, int x, int y, enum role role) {
  int n = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) n += (i || j) && dot_at(s, x + i, y + j, role);
  return n;
}

/* A lone dot beside a stroke of its own role is a rounding of that stroke. */
static bool dot_covered(const struct sheet *s, int x, int y, enum role role) {
  bool any = false, some_free = false;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      if ((i || j) && dot_at(s, x + i, y + j, role)) any = true, some_free = some_free || !*traced_at(s, x + i, y + j);
  return any && !some_free;
}

void dots_trace(const struct sheet *s, enum role role) {
  struct path p = {s, role, false, role == ROLE_ROOF ? 5 : 4, ""};
  for (int pass = 0; pass < 2; pass++) /* from ends first; what is left are rings */
    for (int y = 0; y < s->c->h; y++)
      for (int x = 0; x < s->c->w; x++) {
        const struct cell *k = sheet_cell(s, x, y);
        if (!k->dots || k->role != role || sheet_marker(s, x, y)) continue;
        for (int dy = 4 * y; dy < 4 * y + 4; dy++)
          for (int dx = 2 * x; dx < 2 * x + 2; dx++) {
            if (!dot_free(s, dx, dy, role)) continue;
            if (pass == 0 && neighbours(s, dx, dy, role) > 1) continue;
            if (!dot_covered(s, dx, dy, role)) stroke_trace(s, &p, dx, dy);
          }
      }
  path_close(&p);
}
