/* plot: axes and lines. Points are placed in plot_point.c, labels in plot_label.c, ticks chosen in plot_axis.c. */
#include "tui/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/plot_inner.h"
#include "tui/widget.h"

/* ---- where values stand ---- */

static double share_of(const struct axis *a, double v) {
  if (a->log) return v > 0 ? log(v / a->lo) / log(a->hi / a->lo) : NAN;
  return (v - a->lo) / (a->hi - a->lo);
}

double plot_dot_x(const struct plot *p, double x) { return 2 * p->area.x + share_of(&p->x, x) * (2 * p->area.w - 1); }
double plot_dot_y(const struct plot *p, double y) { return 4 * p->area.y + (1 - share_of(&p->y, y)) * (4 * p->area.h - 1); }

static int cell_of(double dot, int per_cell, int from, int n) {
  double cell = floor(floor(dot + 0.5) / per_cell);
  return cell < from ? from - 1 : cell >= from + n ? from + n : (int)cell;
}
int plot_column(const struct plot *p, double x) { return cell_of(plot_dot_x(p, x), 2, p->area.x, p->area.w); }
int plot_row(const struct plot *p, double y) { return cell_of(plot_dot_y(p, y), 4, p->area.y, p->area.h); }

double plot_x_at(const struct plot *p, int column) {
  double share = p->area.w > 0 ? (2 * (column - p->area.x) + 0.5) / (2 * p->area.w - 1) : 0;
  return p->x.log ? p->x.lo * pow(p->x.hi / p->x.lo, share) : p->x.lo + share * (p->x.hi - p->x.lo);
}

/* ---- axes ---- */

static void axis_mend(struct axis *a) {
  if (!a->unit) a->unit = "";
  if (a->log) {
    bool lo = a->lo > 1e-250 && a->lo<1e250, hi = a->hi> 1e-250 && a->hi < 1e250;
    if (!lo && !hi)
      a->lo = 1, a->hi = 10;
    else if (!lo)
      a->lo = a->hi / 1000;
    else if (!hi)
      a->hi = a->lo * 1000;
  } else {
    bool lo = fabs(a->lo) < 1e250, hi = fabs(a->hi) < 1e250;
    if (!lo && !hi)
      a->lo = 0, a->hi = 1;
    else if (!lo)
      a->lo = a->hi > 0 ? 0 : a->hi - 1;
    else if (!hi)
      a->hi = a->lo < 0 ? 0 : a->lo + 1;
  }
  if (a->lo > a->hi) {
    double t = a->lo;
    a->lo = a->hi, a->hi = t;
  }
  if (a->log ? a->hi / a->lo < 1.02 : a->hi - a->lo <= 1e-9 * fmax(fabs(a->lo), fabs(a->hi))) {
    if (a->log)
      a->lo /= 3, a->hi *= 3;
    else {
      double pad = fabs(a->lo) > 1e-250 ? fabs(a->lo) / 2 : 1;
      a->lo -= pad, a->hi += pad;
    }
  }
}

static int ticks_width(const struct tick *t, int n) {
  int w = 0;
  for (int i = 0; i < n; i++)
    if (text_columns(t[i].text) > w) w = text_columns(t[i].text);
  return w;
}

/* How the rows and columns of the rectangle are shared out. */
struct layout {
  bool title_y, labels_x, title_x;
  int labels_y;
};

static struct layout layout_of(const struct plot *p, int label_width) {
  struct layout l = {0};
  int h = p->rect.h, w = p->rect.w;
  l.title_y = h >= 6;
  l.labels_x = h >= 5;
  l.title_x = h >= 9;
  l.labels_y = w - label_width - 1 >= 10 ? label_width : 0;
  return l;
}

static void area_set(struct plot *p, const struct layout *l) {
  struct rect r = p->rect;
  int left = l->labels_y + 1, top = l->title_y, bottom = 1 + l->labels_x + l->title_x;
  p->area = (struct rect){r.x + left, r.y + top, r.w - left, r.h - top - bottom};
  if (p->area.w < 4 || p->area.h < 2) p->area.w = p->area.h = 0;
}

static void line_bits(struct canvas *c, int x, int y, int bits, enum role role) {
  struct cell *k = canvas_at(c, x, y);
  if (!k) return;
  k->lines |= (uint8_t)bits;
  k->role = (uint8_t)role;
}

static void axis_y_draw(struct plot *p, const struct layout *l) {
  struct tick t[TICK_MAX];
  struct rect a = p->area;
  canvas_vline(p->canvas, a.x - 1, a.y, a.y + a.h, ROLE_AXIS, 0);
  int n = l->labels_y ? axis_ticks(&p->y, a.h, true, t) : 0;
  for (int i = 0; i < n; i++) {
    int y = plot_row(p, t[i].value);
    if (y < a.y || y >= a.y + a.h) continue;
    line_bits(p->canvas, a.x - 1, y, LINE_W, ROLE_AXIS);
    canvas_text_right(p->canvas, p->rect.x, a.x - 1, y, t[i].text, ROLE_AXIS, 0);
  }
  if (!l->title_y) return;
  char title[96], name[96];
  axis_title(&p->y, title);
  if (text_columns(title) > p->rect.w) { /* the unit alone matters most */
    struct axis bare = p->y;
    bare.title = "";
    axis_title(&bare, name);
    if (*name) memcpy(title, name, sizeof title);
  }
  canvas_text(p->canvas, p->rect.x, p->rect.y, title, p->rect.w, ROLE_AXIS, 0);
}

static void axis_x_draw(struct plot *p, const struct layout *l) {
  struct tick t[TICK_MAX];
  struct rect a = p->area;
  int axis = a.y + a.h, free_from = a.x, right = p->rect.x + p->rect.w;
  canvas_hline(p->canvas, a.x - 1, a.x + a.w - 1, axis, ROLE_AXIS, 0);
  if (!l->labels_x) return;
  int n = axis_ticks(&p->x, a.w, false, t);
  for (int i = 0; i < n; i++) {
    int x = plot_column(p, t[i].value), w = text_columns(t[i].text), from = x - (w - 1) / 2;
    if (x < a.x || x >= a.x + a.w) continue;
    if (from < a.x) from = a.x;
    if (from + w > a.x + a.w) from = a.x + a.w - w;
    if (from < a.x) continue;
    line_bits(p->canvas, x, axis, LINE_S, ROLE_AXIS);
    canvas_text(p->canvas, from, axis + 1, t[i].text, w, ROLE_AXIS, 0);
    free_from = from + w + 1;
  }
  char title[96];
  axis_title(&p->x, title);
  int w = text_columns(title), y = axis + 2;
  if (l->title_x) {
    int from = a.x + (a.w - w) / 2;
    if (from < a.x) from = right - w > p->rect.x ? right - w : p->rect.x;
    canvas_text(p->canvas, from, y, title, right - from, ROLE_AXIS, 0);
  } else if (free_from + w <= right)
    canvas_text(p->canvas, right - w, axis + 1, title, w, ROLE_AXIS, 0);
}

static void minor_put(struct plot *p, int x, int y, int bit) {
  struct cell *k = canvas_at(p->canvas, x, y);
  if (k && !(k->lines & (bit == LINE_N ? LINE_S : LINE_W))) k->lines |= (uint8_t)bit; /* not where a labelled tick stands */
}

/* Unlabelled ticks at 2 and 5, inside the axes, where there is room for them. */
static void minor_draw(struct plot *p) {
  struct rect a = p->area;
  if (!p->x.log || !p->y.log || a.w < 60 || a.h < 20) return;
  static const double mantissa[] = {2, 5};
  for (int i = 0; i < 2; i++) {
    if (strcmp(p->x.unit, "iB") != 0 && a.w / log10(p->x.hi / p->x.lo) >= 10)
      for (double d = floor(log10(p->x.lo)); d < log10(p->x.hi); d++) {
        int x = plot_column(p, mantissa[i] * pow(10, d));
        if (x >= a.x && x < a.x + a.w) minor_put(p, x, a.y + a.h, LINE_N);
      }
    if (strcmp(p->y.unit, "iB") != 0 && a.h / log10(p->y.hi / p->y.lo) >= 6)
      for (double d = floor(log10(p->y.lo)); d < log10(p->y.hi); d++) {
        int y = plot_row(p, mantissa[i] * pow(10, d));
        if (y >= a.y && y < a.y + a.h) minor_put(p, a.x - 1, y, LINE_E);
      }
  }
}

double plot_aspect(const struct plot *p) {
  if (!p->x.log || !p->y.log || p->area.w < 1) return NAN;
  return (2 * p->area.w - 1) / log10(p->x.hi / p->x.lo) / ((4 * p->area.h - 1) / log10(p->y.hi / p->y.lo));
}

/* The axis with more dots per decade shows more decades: the same share on both sides. */
static void axes_equal(struct plot *p, double most) {
  double aspect = plot_aspect(p);
  if (!(aspect > 0) || !(most > 1)) return;
  struct axis *a = aspect > 1 ? &p->x : &p->y;
  double factor = fmin(aspect > 1 ? aspect : 1 / aspect, most), more = pow(a->hi / a->lo, (factor - 1) / 2);
  if (a->lo / more < 1e-250 || a->hi * more > 1e250) return;
  a->lo /= more, a->hi *= more;
}

bool plot_begin_equal(struct plot *p, struct canvas *c, struct rect r, const struct axis *x, const struct axis *y, double most) {
  struct tick t[TICK_MAX];
  p->canvas = c;
  p->rect = r;
  p->x = *x, p->y = *y;
  p->nlabel = p->npoint = 0;
  axis_mend(&p->x);
  axis_mend(&p->y);
  struct layout l = layout_of(p, 4);
  area_set(p, &l);
  if (p->area.w) {
    axes_equal(p, most);
    l = layout_of(p, ticks_width(t, axis_ticks(&p->y, p->area.h, true, t)));
    area_set(p, &l);
  }
  if (!p->area.w) {
    p->area = (struct rect){r.x, r.y, 0, 0};
    widget_words(c, r, "no room for a plot", ROLE_DIM);
    return false;
  }
  axis_y_draw(p, &l);
  axis_x_draw(p, &l);
  minor_draw(p);
  return true;
}

bool plot_begin(struct plot *p, struct canvas *c, struct rect r, const struct axis *x, const struct axis *y) {
  return plot_begin_equal(p, c, r, x, y, 1);
}

/* ---- lines ---- */

/* How a role's line is told from others without its colour: which dots of six along its longer side are drawn. */
static unsigned line_pattern(enum role role) {
  switch (role) {
  case ROLE_ROOF_OTHER:
  case ROLE_DIM:
  case ROLE_GRID: return 0x15;    /* · · · */
  case ROLE_COMPARE: return 0x0f; /* ——  — */
  case ROLE_GUESS: return 0x09;
  default: return 0x3f;
  }
}

/* The part of a→b inside the data area's dots; false when there is none (Liang and Barsky). */
bool dots_clip(const struct plot *p, double a[2], double b[2]) {
  double lo[2] = {2 * p->area.x - 0.499, 4 * p->area.y - 0.499};
  double hi[2] = {2 * (p->area.x + p->area.w) - 0.501, 4 * (p->area.y + p->area.h) - 0.501};
  double from = 0, to = 1, d[2] = {b[0] - a[0], b[1] - a[1]};
  for (int i = 0; i < 2; i++) {
    if (d[i] == 0) {
      if (a[i] < lo[i] || a[i] > hi[i]) return false;
      continue;
    }
    double t0 = (lo[i] - a[i]) / d[i], t1 = (hi[i] - a[i]) / d[i];
    from = fmax(from, fmin(t0, t1));
    to = fmin(to, fmax(t0, t1));
  }
  if (from > to) return false;
  for (int i = 0; i < 2; i++) {
    double start = a[i] + from * d[i], end = a[i] + to * d[i];
    a[i] = fmin(fmax(start, lo[i]), hi[i]), b[i] = fmin(fmax(end, lo[i]), hi[i]); /* rounding of huge values must not lead outside */
  }
  return true;
}

static void gap_mark(const struct plot *p, int x, int y, enum role role) {
  struct cell *k = canvas_at(p->canvas, x, y);
  if (!k) return;
  k->attr |= ATTR_PASS;
  if (!k->dots && !k->glyph && !k->lines) k->role = (uint8_t)role;
}

static int dot_of(double v) { return (int)floor(v + 0.5); }

static void line_dots(const struct plot *p, const double from[2], const double to[2], enum role role) {
  double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
  if (!isfinite(a[0] + a[1] + b[0] + b[1]) || !dots_clip(p, a, b)) return;
  /* One dot per step of the longer side, on the true line: a slope of one in dots has no kink, and segments that share an end touch. */
  int major = fabs(b[0] - a[0]) >= fabs(b[1] - a[1]) ? 0 : 1, minor = 1 - major;
  int start = dot_of(a[major]), end = dot_of(b[major]), step = end < start ? -1 : 1;
  int low = dot_of(fmin(a[minor], b[minor])), high = dot_of(fmax(a[minor], b[minor]));
  double slope = b[major] != a[major] ? (b[minor] - a[minor]) / (b[major] - a[major]) : 0;
  unsigned pattern = line_pattern(role);
  for (int i = start;; i += step) {
    int j = dot_of(a[minor] + slope * (i - a[major]));
    j = j < low ? low : j > high ? high : j;
    int x = major == 0 ? i : j, y = major == 0 ? j : i;
    if (pattern >> ((i % 6 + 6) % 6) & 1)
      canvas_dot(p->canvas, x, y, role);
    else
      gap_mark(p, x / 2, y / 4, role);
    if (i == end) break;
  }
}

void plot_line(struct plot *p, double x0, double y0, double x1, double y1, enum role role) {
  if (p->area.w < 1) return;
  line_dots(p, (double[2]){plot_dot_x(p, x0), plot_dot_y(p, y0)}, (double[2]){plot_dot_x(p, x1), plot_dot_y(p, y1)}, role);
}

void plot_curve(struct plot *p, const double *x, const double *y, int n, enum role role) {
  bool alone = true; /* a value between two unknown ones is a dot */
  for (int i = 0; i < n; i++) {
    bool next = i + 1 < n && isfinite(x[i + 1]) && isfinite(y[i + 1]);
    if (next)
      plot_line(p, x[i], y[i], x[i + 1], y[i + 1], role);
    else if (alone)
      plot_line(p, x[i], y[i], x[i], y[i], role);
    alone = !next || !isfinite(x[i]) || !isfinite(y[i]);
  }
}

void plot_vline(struct plot *p, double x, enum role role, bool dash) {
  if (p->area.w < 1 || !isfinite(plot_dot_x(p, x))) return;
  int column = plot_column(p, x);
  if (column < p->area.x || column >= p->area.x + p->area.w) return;
  canvas_vline(p->canvas, column, p->area.y, p->area.y + p->area.h - 1, role, dash);
}

void plot_hline(struct plot *p, double y, enum role role, bool dash) {
  if (p->area.w < 1 || !isfinite(plot_dot_y(p, y))) return;
  int row = plot_row(p, y);
  if (row < p->area.y || row >= p->area.y + p->area.h) return;
  canvas_hline(p->canvas, p->area.x, p->area.x + p->area.w - 1, row, role, dash);
}

void plot_end(struct plot *p) {
  if (p->area.w < 1) return;
  points_place(p);
  labels_place(p);
}
