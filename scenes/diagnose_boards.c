/* The dashboards: each probe one board, closed until it is spent. An open one shows its gauges, those that are not as in a healthy service
 * marked, and what changes over time as curves where there is room. */
#include <math.h>
#include <string.h>

#include "scenes/diagnose.h"
#include "tui/number.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { CURVE_MAX = 256, BOARD_W = 46, PLOT_LEAST = 6, PLOT_MOST = 16 };

static const char *gauge_show(char out[NUMBER_MAX], enum gauge g, double v, bool ascii) {
  if (g == GAUGE_LISTED || g == GAUGE_SEEN || g == GAUGE_RUNS) return v > 0.5 ? "yes" : "no";
  if (g == GAUGE_RECLAIMED && v == 0) return "never";
  return number_print(out, v, gauge_unit(g), 3, ascii);
}

/* How much of the boards there is room for. */
enum room {
  ROOM_FULL,  /* a gauge a row, and what it shows in a healthy service */
  ROOM_TIGHT, /* two a row */
  ROOM_LEAST, /* only those that are not as in a healthy service, and one row for all boards that are closed */
};

static bool board_open(const struct diagnose *d, enum look l) { return d->spent & 1u << l; }
static bool board_course(const struct diagnose *d, enum look l) { return board_open(d, l) && (l == LOOK_MEMORY || l == LOOK_CLOCKS); }

/* The gauges on a board, in order. */
static int board_gauges(enum look l, enum room room, const struct reading *now, const struct reading *well, enum gauge out[GAUGE_N]) {
  int n = 0;
  for (int g = 0; g < GAUGE_N; g++)
    if (gauge_look((enum gauge)g) == (int)l && (room != ROOM_LEAST || gauge_differs((enum gauge)g, now->v[g], well->v[g])))
      out[n++] = (enum gauge)g;
  if (l == LOOK_CLOCKS && (room != ROOM_LEAST || n > 0)) out[n++] = GAUGE_RATE; /* beside what explains it */
  return n;
}

struct boards {
  const struct view *v;
  const struct diagnose *d;
  struct reading now, well;
};

static int board_rows(const struct boards *b, enum look l, enum room room) {
  enum gauge gauge[GAUGE_N];
  int n = board_gauges(l, room, &b->now, &b->well, gauge);
  if (room == ROOM_LEAST && (n == 0 || !board_open(b->d, l))) return 0;
  if (!board_open(b->d, l)) return 1;
  if (board_course(b->d, l) || room == ROOM_FULL) return 1 + n + (l == LOOK_TRACE);
  return 1 + (n + 1) / 2;
}

/* ---- over time ---- */

/* A long day is told in hours. */
static double clock_scale(const struct diagnose *d, const char **unit) {
  bool hours = d->rig.window > 7200;
  *unit = hours ? "h" : "min";
  return hours ? 3600 : 60;
}

static void draw_over_time(struct plot *p, const struct diagnose *d, enum gauge g, double scale, enum role role, const char *name,
                           enum anchor side, double label_at) {
  const char *unit;
  double x[CURVE_MAX], y[CURVE_MAX], last = rig_last(&d->rig), time = clock_scale(d, &unit);
  int n = p->area.w * 2 < CURVE_MAX ? p->area.w * 2 : CURVE_MAX, at = (int)(label_at * (n - 1));
  for (int i = 0; i < n; i++) {
    struct reading now;
    double t = n > 1 ? last * i / (n - 1) : 0;
    rig_at(&d->rig, t, &now);
    x[i] = t / time;
    y[i] = now.v[g] * scale;
  }
  plot_curve(p, x, y, n, role);
  if (n > 0) plot_label(p, x[at], y[at], name, "", role, side, 2);
}

static void draw_memory(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  const char *unit;
  double time = clock_scale(d, &unit), end = rig_end(&d->rig);
  struct axis x = {0, v->axes->x[1] / time, false, unit, "since the start"}, y = {v->axes->y[0], v->axes->y[1], false, "byte", "memory"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  plot_hline(&p, d->rig.step.capacity_byte, ROLE_ROOF, true);
  draw_over_time(&p, d, GAUGE_ALLOCATED, 1, ROLE_MEMORY, "allocated", ANCHOR_ABOVE, 0.6);
  draw_over_time(&p, d, GAUGE_USED, 1, ROLE_KV, "in use", ANCHOR_BELOW, 0.6);
  if (end <= d->rig.window) {
    plot_vline(&p, end / time, ROLE_BAD, true);
    plot_label(&p, end / time, p.y.hi * 0.15, "ended", "", ROLE_BAD, ANCHOR_RIGHT, 1);
  }
  plot_end(&p);
}

static void draw_clocks(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  const char *unit;
  double time = clock_scale(d, &unit);
  struct axis x = {0, v->axes->x2[1] / time, false, unit, "since the start"}, y = {v->axes->y2[0], v->axes->y2[1], false, "%", "of full"};
  struct reading well;
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  rig_at(&d->healthy, 0, &well);
  draw_over_time(&p, d, GAUGE_RATE, 1 / well.v[GAUGE_RATE], ROLE_MEASURED, "answers", ANCHOR_ABOVE, 0.25);
  draw_over_time(&p, d, GAUGE_CLOCK, 1, ROLE_COMPUTE, "clock", ANCHOR_BELOW, 0.55);
  draw_over_time(&p, d, GAUGE_HEAT, 1 / d->rig.limit_c, ROLE_BAD, "heat, of the limit", ANCHOR_ABOVE, 0.85);
  plot_end(&p);
}

/* One step from left to right: what the device does and what it waits for. */
static void draw_step(struct canvas *c, struct rect r, const struct view *v) {
  static const struct {
    const char *fact, *label;
    enum role role;
    char letter;
  } row[] = {{"step_kernels", "kernels", ROLE_COMPUTE, 'k'},
             {"step_gaps", "launch", ROLE_FIXED, 'l'},
             {"step_copies", "copies", ROLE_LINK, 'c'},
             {"step_host", "host", ROLE_OPTIMIZER, 'h'},
             {"step_waiting", "waits", ROLE_KV, 'w'}};
  enum { PARTS = sizeof row / sizeof *row };
  struct part part[PARTS];
  int n = 0;
  for (int i = 0; i < PARTS; i++) {
    double s = fact_value(v->fact, v->nfact, row[i].fact);
    if (s > 0) part[n++] = (struct part){s, row[i].role, row[i].letter, row[i].label};
  }
  double cycle = fact_value(v->fact, v->nfact, "step_cycle");
  if (cycle > 0 && r.w > 4) widget_bar(c, r, part, n, cycle, NAN);
}

/* ---- boards ---- */

static void draw_gauge(struct canvas *c, struct rect r, const struct boards *b, enum gauge g) {
  char number[NUMBER_MAX], other[NUMBER_MAX];
  double now = b->now.v[g], well = b->well.v[g];
  bool odd = gauge_differs(g, now, well);
  if (odd) canvas_put(c, r.x, r.y, '!', ROLE_WARN, ATTR_BOLD);
  int used = canvas_text(c, r.x + 1, r.y, gauge_name(g), r.w - 9, ROLE_DIM, 0);
  int end = r.x + (r.w < 27 ? r.w - 1 : 27);
  canvas_text_right(c, r.x + 2 + used, end, r.y, gauge_show(number, g, now, b->v->ascii), odd ? ROLE_WARN : ROLE_TEXT, odd ? ATTR_BOLD : 0);
  if (r.w < 40) return;
  canvas_text(c, end + 2, r.y, "well", -1, ROLE_DIM, 0);
  canvas_text_right(c, end + 7, r.x + (r.w < 44 ? r.w : 44), r.y, gauge_show(other, g, well, b->v->ascii), ROLE_DIM, 0);
}

enum { COURSE_LABEL = 11, COURSE_W = 12 };

/* A gauge at the start, half-way and last. */
static void draw_course(struct canvas *c, struct rect r, const struct boards *b, enum gauge g) {
  int i = 0;
  while (diagnose_course(i) != g) i++;
  double v[3] = {b->v->fact[DIAGNOSE_COURSE + 2 * i].value, b->v->fact[DIAGNOSE_COURSE + 2 * i + 1].value, b->now.v[g]};
  canvas_text(c, r.x + 1, r.y, g == GAUGE_RATE ? "tokens/s" : gauge_name(g), COURSE_LABEL - 1, ROLE_DIM, 0);
  for (int k = 0; k < 3; k++) {
    char number[NUMBER_MAX];
    bool odd = gauge_differs(g, v[k], b->well.v[g]);
    int x = r.x + COURSE_LABEL + k * COURSE_W;
    if (x + COURSE_W > r.x + r.w) return;
    if (odd) canvas_put(c, x, r.y, '!', ROLE_WARN, ATTR_BOLD);
    canvas_text_right(c, x + 1, x + COURSE_W - 1, r.y,
                      g == GAUGE_RATE ? number_print(number, v[k], "1", 4, b->v->ascii) : gauge_show(number, g, v[k], b->v->ascii),
                      odd ? ROLE_WARN : ROLE_TEXT, odd ? ATTR_BOLD : 0);
  }
}

static void draw_course_head(struct canvas *c, struct rect r, bool ended) {
  const char *const head[3] = {"at start", "half-way", ended ? "at the end" : "now"};
  for (int k = 0; k < 3; k++) {
    int x = r.x + COURSE_LABEL + k * COURSE_W;
    if (x + COURSE_W > r.x + r.w) return;
    canvas_text_right(c, x + (k == 0 ? 2 : 0), x + COURSE_W - 1, r.y, head[k], ROLE_DIM, 0);
  }
}

static void draw_title(struct canvas *c, struct rect r, const struct boards *b, enum look l, bool question) {
  bool open = board_open(b->d, l), focus = b->v->focus == KNOB_PROBE_DEVICE + (int)l;
  bool dear = !open && look_cost(l) > fact_value(b->v->fact, b->v->nfact, "budget_left");
  char digit[2] = {(char)('1' + l), 0};
  canvas_text(c, r.x, r.y, digit, r.w, open ? ROLE_TITLE : ROLE_DIM, 0);
  canvas_text(c, r.x + 2, r.y, look_name(l), r.w - 2,
              focus  ? ROLE_FOCUS
              : open ? ROLE_TITLE
                     : ROLE_KEY,
              (focus ? ATTR_REVERSE : 0) | (open ? ATTR_BOLD : 0));
  if (!question || b->d->view != VIEW_GAME) return;
  for (int i = 0; i < look_cost(l) && 12 + i < r.w; i++) canvas_put(c, r.x + 12 + i, r.y, '*', open || dear ? ROLE_DIM : ROLE_KEY, 0);
  if (r.w > 26) canvas_text(c, r.x + 17, r.y, dear ? "costs more than is left" : look_asks(l), r.w - 17, ROLE_DIM, 0);
}

/* Returns the rows used. */
static int draw_board(struct canvas *c, struct rect r, const struct boards *b, enum look l, enum room room, int plot) {
  enum gauge gauge[GAUGE_N];
  bool course = board_course(b->d, l), two = room != ROOM_FULL && !course;
  int y = 1, n = board_gauges(l, room, &b->now, &b->well, gauge), width = two ? r.w / 2 : r.w;
  draw_title(c, r, b, l, !course && n > 0);
  if (!board_open(b->d, l)) return 1;
  if (n == 0) canvas_text(c, r.x + 12, r.y, "as when all is well", r.w - 12, ROLE_DIM, 0);
  if (course && n > 0) draw_course_head(c, r, rig_end(&b->d->rig) <= b->d->rig.window);
  for (int k = 0; k < n; k++) {
    struct rect at = {r.x + (two ? k % 2 * width : 0), r.y + y + (two ? k / 2 : k), width, 1};
    if (at.y >= r.y + r.h) break;
    if (course)
      draw_course(c, at, b, gauge[k]);
    else
      draw_gauge(c, at, b, gauge[k]);
  }
  y += two ? (n + 1) / 2 : n;
  if (l == LOOK_TRACE && room == ROOM_FULL && y < r.h) draw_step(c, (struct rect){r.x + 1, r.y + y++, r.w - 2, 1}, b->v);
  if (plot >= PLOT_LEAST && y + plot <= r.h) {
    struct rect area = {r.x, r.y + y, r.w, plot};
    if (l == LOOK_MEMORY)
      draw_memory(c, area, b->v, b->d);
    else
      draw_clocks(c, area, b->v, b->d);
    y += plot;
  }
  return y;
}

/* The boards that have no rows of their own, by name: those that are closed, or those that show nothing unusual. */
static int draw_names(struct canvas *c, struct rect r, const struct boards *b, bool open, int first, int stride) {
  int x = r.x, n = 0;
  for (int l = first; l < LOOK_N && r.h > 0; l += stride) {
    if (board_open(b->d, (enum look)l) != open || board_rows(b, (enum look)l, ROOM_LEAST) > 0 || x >= r.x + r.w) continue;
    if (n++ == 0) x += canvas_text(c, x, r.y, open ? "as when well:" : "closed:", r.w, ROLE_DIM, 0) + 1;
    x += canvas_text(c, x, r.y, look_name((enum look)l), r.x + r.w - x, open ? ROLE_TEXT : ROLE_KEY, 0) + 1;
  }
  return n > 0;
}

static void draw_column(struct canvas *c, struct rect r, const struct boards *b, int first, int stride) {
  int need = 0, plots = 0, y = 0;
  enum room room = ROOM_FULL;
  for (;; room = (enum room)(room + 1)) {
    need = plots = 0;
    for (int l = first; l < LOOK_N; l += stride) {
      int rows = board_rows(b, (enum look)l, room);
      need += rows;
      plots += rows > 0 && board_course(b->d, (enum look)l);
    }
    if (room == ROOM_LEAST || need <= r.h) break;
  }
  if (room == ROOM_LEAST) {
    y += draw_names(c, r, b, false, first, stride);
    y += draw_names(c, (struct rect){r.x, r.y + y, r.w, r.h - y}, b, true, first, stride);
  }
  int plot = plots > 0 ? (r.h - y - need) / plots : 0;
  if (plot > PLOT_MOST) plot = PLOT_MOST;
  for (int l = first; l < LOOK_N && y < r.h; l += stride) {
    bool there = b->v->fact[DIAGNOSE_COURSE + 2 * (l == LOOK_MEMORY ? 0 : 2)].value > 0; /* else there is nothing to plot */
    if (room == ROOM_LEAST && board_rows(b, (enum look)l, room) == 0) continue;
    y += draw_board(c, (struct rect){r.x, r.y + y, r.w, r.h - y}, b, (enum look)l, room,
                    board_course(b->d, (enum look)l) && there ? plot : 0);
  }
}

/* What mends it, and what serves meanwhile, at the bottom of r. Returns the rows used. */
static int draw_answer(struct canvas *c, struct rect r, const struct view *v) {
  enum { LINES = 6 };
  const char *remedy = fact_word(v->fact, v->nfact, "remedy");
  double share = fact_value(v->fact, v->nfact, "served_share"), smaller = fact_value(v->fact, v->nfact, "smaller_params");
  struct text t;
  int start[LINES], length[LINES];
  if (!*remedy || r.h < 10 || r.w < 30) return 0;
  text_clear(&t);
  text_add(&t, "Mend it: ");
  text_add(&t, remedy);
  text_add(&t, ". ");
  if (isnan(share))
    text_add(&t, "Meanwhile restart before it dies.");
  else if (share >= 1)
    text_add(&t, "Meanwhile all that is asked for is served.");
  else {
    text_add(&t, "Meanwhile ");
    text_number(&t, share, "%");
    text_add(&t, " is served: queue or shed the rest, or take a model of ");
    text_number(&t, smaller, "n");
    text_add(&t, " parameters.");
  }
  int n = text_wrap(t.s, r.w - 1, LINES, start, length);
  if (n > LINES || n > r.h / 2) return 0;
  for (int i = n - 1; i >= 0; i--) {
    t.s[start[i] + length[i]] = 0;
    canvas_text(c, r.x, r.y + r.h - n + i, t.s + start[i], r.w, ROLE_GOOD, 0);
  }
  return n;
}

void diagnose_draw_boards(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  struct boards b = {.v = v, .d = d};
  int columns = r.w >= 4 * BOARD_W ? 4 : r.w >= 2 * BOARD_W ? 2 : 1, width = r.w / columns;
  rig_at(&d->rig, rig_last(&d->rig), &b.now);
  rig_at(&d->healthy, 0, &b.well);
  r.h -= draw_answer(c, r, v);
  for (int i = 0; i < columns; i++) draw_column(c, (struct rect){r.x + i * width, r.y, width - (columns > 1), r.h}, &b, i, columns);
}
