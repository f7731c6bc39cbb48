/* The dashboards: each probe one board, closed until it is spent. An open one shows its gauges, those that are not as in a healthy service
 * marked, and what changes over time as curves where there is room. */
#include <math.h>
#include <string.h>

#include "scenes/diagnose.h"
#include "tui/number.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { CURVE_MAX = 256, BOARD_W = 46, PLOT_LEAST = 6, PLOT_MOST = 12 };

static const char *gauge_show(char out[NUMBER_MAX], enum gauge g, double v, bool ascii) {
  if (g == GAUGE_LISTED || g == GAUGE_SEEN || g == GAUGE_RUNS) return v > 0.5 ? "yes" : "no";
  if (g == GAUGE_RECLAIMED && v == 0) return "never";
  return number_print(out, v, gauge_unit(g), 3, ascii);
}

static int gauges_of(enum look l) {
  int n = 0;
  for (int g = 0; g < GAUGE_N; g++) n += gauge_look((enum gauge)g) == (int)l;
  return n;
}

static bool board_open(const struct diagnose *d, enum look l) { return d->spent & 1u << l; }
static bool board_plots(const struct diagnose *d, enum look l) { return board_open(d, l) && (l == LOOK_MEMORY || l == LOOK_CLOCKS); }

static int board_rows(const struct diagnose *d, enum look l, bool tight) {
  if (!board_open(d, l)) return 1;
  int gauges = gauges_of(l);
  return 1 + (tight ? (gauges + 1) / 2 : gauges) + (l == LOOK_TRACE && !tight);
}

/* ---- over time ---- */

static void draw_over_time(struct plot *p, const struct diagnose *d, enum gauge g, double scale, enum role role, const char *name,
                           enum anchor side, double label_at) {
  double x[CURVE_MAX], y[CURVE_MAX], last = rig_last(&d->rig);
  int n = p->area.w * 2 < CURVE_MAX ? p->area.w * 2 : CURVE_MAX, at = (int)(label_at * (n - 1));
  for (int i = 0; i < n; i++) {
    struct reading now;
    x[i] = n > 1 ? last * i / (n - 1) : 0;
    rig_at(&d->rig, x[i], &now);
    y[i] = now.v[g] * scale;
  }
  plot_curve(p, x, y, n, role);
  if (n > 0) plot_label(p, x[at], y[at], name, "", role, side, 2);
}

static void draw_memory(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "s", "since the start"},
              y = {v->axes->y[0], v->axes->y[1], false, "byte", "memory"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  plot_hline(&p, d->rig.step.capacity_byte, ROLE_ROOF, true);
  draw_over_time(&p, d, GAUGE_ALLOCATED, 1, ROLE_MEMORY, "allocated", ANCHOR_ABOVE, 0.6);
  draw_over_time(&p, d, GAUGE_USED, 1, ROLE_KV, "in use", ANCHOR_BELOW, 0.6);
  if (isfinite(rig_end(&d->rig)) && rig_end(&d->rig) <= d->rig.window) {
    plot_vline(&p, rig_end(&d->rig), ROLE_BAD, true);
    plot_label(&p, rig_end(&d->rig), p.y.hi * 0.15, "ended", "", ROLE_BAD, ANCHOR_RIGHT, 1);
  }
  plot_end(&p);
}

static void draw_clocks(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  struct axis x = {v->axes->x2[0], v->axes->x2[1], false, "s", "since the start"}, y = {v->axes->y2[0], v->axes->y2[1], false, "%", ""};
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

static void draw_gauge(struct canvas *c, struct rect r, const struct view *v, enum gauge g, double now, double well) {
  char number[NUMBER_MAX], other[NUMBER_MAX];
  bool odd = gauge_unusual(g, now, well);
  if (odd) canvas_put(c, r.x, r.y, '!', ROLE_WARN, ATTR_BOLD);
  int used = canvas_text(c, r.x + 1, r.y, gauge_name(g), r.w - 9, ROLE_DIM, 0);
  int end = r.x + (r.w < 27 ? r.w - 1 : 27);
  canvas_text_right(c, r.x + 2 + used, end, r.y, gauge_show(number, g, now, v->ascii), odd ? ROLE_WARN : ROLE_TEXT, odd ? ATTR_BOLD : 0);
  if (r.w < 40) return;
  canvas_text(c, end + 2, r.y, "well", -1, ROLE_DIM, 0);
  canvas_text_right(c, end + 7, r.x + (r.w < 44 ? r.w : 44), r.y, gauge_show(other, g, well, v->ascii), ROLE_DIM, 0);
}

static void draw_title(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d, enum look l) {
  bool open = board_open(d, l), focus = v->focus == KNOB_PROBE_DEVICE + (int)l;
  char cost[2] = {(char)('0' + look_cost(l)), 0};
  int x = r.x + 1;
  canvas_put(c, r.x, r.y, open ? 0x25aa : 0xb7, open ? ROLE_TITLE : ROLE_DIM, 0);
  canvas_text(c, x, r.y, look_name(l), r.w - 1,
              focus  ? ROLE_FOCUS
              : open ? ROLE_TITLE
                     : ROLE_KEY,
              (focus ? ATTR_REVERSE : 0) | (open ? ATTR_BOLD : 0));
  if (d->view != VIEW_GAME) return;
  if (r.w > 14) canvas_text(c, r.x + 11, r.y, cost, -1, open ? ROLE_DIM : ROLE_KEY, 0);
  if (r.w > 24) canvas_text(c, r.x + 14, r.y, look_asks(l), r.w - 14, ROLE_DIM, 0);
}

/* Returns the rows used. */
static int draw_board(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d, enum look l, bool tight, int plot) {
  struct evidence now, well;
  int y = 1, k = 0;
  draw_title(c, r, v, d, l);
  if (!board_open(d, l)) return 1;
  evidence_of(&d->rig, &now);
  evidence_of(&d->healthy, &well);
  int width = tight ? r.w / 2 : r.w;
  for (int g = 0; g < GAUGE_N; g++) {
    if (gauge_look((enum gauge)g) != (int)l) continue;
    struct rect at = {r.x + (tight ? k % 2 * width : 0), r.y + y + (tight ? k / 2 : k), width, 1};
    if (at.y < r.y + r.h) draw_gauge(c, at, v, (enum gauge)g, now.at[EVIDENCE_TIMES - 1].v[g], well.at[EVIDENCE_TIMES - 1].v[g]);
    k++;
  }
  y += tight ? (k + 1) / 2 : k;
  if (l == LOOK_TRACE && !tight && y < r.h) draw_step(c, (struct rect){r.x + 1, r.y + y++, r.w - 2, 1}, v);
  if (plot >= PLOT_LEAST && y + plot <= r.h) {
    struct rect area = {r.x, r.y + y, r.w, plot};
    if (l == LOOK_MEMORY)
      draw_memory(c, area, v, d);
    else
      draw_clocks(c, area, v, d);
    y += plot;
  }
  return y;
}

static void draw_column(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d, int first, int stride) {
  int need = 0, plots = 0, y = 0;
  bool tight = false;
  for (int l = first; l < LOOK_N; l += stride) need += board_rows(d, (enum look)l, false), plots += board_plots(d, (enum look)l);
  if (need > r.h) {
    tight = true, need = 0;
    for (int l = first; l < LOOK_N; l += stride) need += board_rows(d, (enum look)l, true);
  }
  int plot = plots > 0 ? (r.h - need) / plots : 0;
  if (plot > PLOT_MOST) plot = PLOT_MOST;
  for (int l = first; l < LOOK_N && y < r.h; l += stride) {
    y += draw_board(c, (struct rect){r.x, r.y + y, r.w, r.h - y}, v, d, (enum look)l, tight, board_plots(d, (enum look)l) ? plot : 0);
  }
}

/* What it was, what mends it, what serves meanwhile. Returns the rows used, at the bottom of r. */
static int draw_answer(struct canvas *c, struct rect r, const struct view *v) {
  const char *truth = fact_word(v->fact, v->nfact, "truth"), *remedy = fact_word(v->fact, v->nfact, "remedy");
  double share = fact_value(v->fact, v->nfact, "served_share"), smaller = fact_value(v->fact, v->nfact, "smaller_params");
  struct text t;
  if (!*remedy || r.h < 10) return 0;
  text_clear(&t);
  text_add(&t, truth);
  text_add(&t, ": ");
  text_add(&t, remedy);
  canvas_text(c, r.x, r.y + r.h - 2, t.s, r.w, ROLE_GOOD, 0);
  text_clear(&t);
  text_add(&t, "meanwhile: ");
  if (isnan(share))
    text_add(&t, "restart before it dies; keep a queue to refill from");
  else {
    text_number(&t, share, "%");
    text_add(&t, " can be served: queue or shed the rest, or use a model of ");
    text_number(&t, smaller, "n");
    text_add(&t, " parameters");
  }
  canvas_text(c, r.x, r.y + r.h - 1, t.s, r.w, ROLE_TEXT, 0);
  return 2;
}

void diagnose_draw_boards(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  r.h -= draw_answer(c, r, v);
  int columns = r.w / BOARD_W < 1 ? 1 : r.w / BOARD_W > 4 ? 4 : r.w / BOARD_W, width = r.w / columns;
  if (columns == 3) columns = 2, width = r.w / 2;
  for (int i = 0; i < columns; i++) draw_column(c, (struct rect){r.x + i * width, r.y, width - (columns > 1), r.h}, v, d, i, columns);
}
