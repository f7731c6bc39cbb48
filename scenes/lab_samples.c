/* The lab's pictures of single samples: the first repetitions one by one, and all that were kept in a histogram. */
#include <math.h>

#include "model/sampling.h"
#include "scenes/lab.h"
#include "tui/plot.h"
#include "tui/widget.h"

static const struct run *run_shown(const struct view *v) {
  struct request r = lab_request(v->setup, v->setup->v[KNOB_SECONDS]);
  return lab_find(v->world, &r);
}

/* ---- first ---- */

/* One repetition: a stem from the floor, so that its length is its time, and a glyph that says what it is. */
static void draw_stem(struct plot *p, double x, double time, uint32_t glyph, enum role role) {
  plot_line(p, x, p->y.lo, x, time, role);
  plot_point(p, x, time, glyph, role);
}

static void draw_level(struct plot *p, double y, const char *text, const char *brief, enum role role, int rank) {
  if (!(y > 0)) return;
  plot_hline(p, y, role, true);
  plot_label(p, p->x.hi * 0.99, y, text, brief, role, ANCHOR_ABOVE, rank);
}

void lab_draw_first(struct canvas *c, struct rect r, const struct view *v) {
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "", "repetition"};
  struct axis y = {v->axes->y[0], v->axes->y[1], false, "s", "time"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  const struct run *run = v->hide_measured ? NULL : run_shown(v);
  enum role role = v->stale ? ROLE_DIM : ROLE_MEASURED;
  if (!run)
    plot_words(&p, p.x.lo, p.x.hi, 0.5, v->hide_measured ? "your guess?" : "not timed yet: m", ROLE_DIM);
  else {
    int kept = run->count < RUN_FIRST ? run->count : RUN_FIRST;
    draw_stem(&p, 0, run->warmup_time, '1', v->stale ? ROLE_DIM : ROLE_WARN);
    plot_label(&p, 0, run->warmup_time, "the first, kept apart", "first", ROLE_WARN, ANCHOR_RIGHT, 1);
    for (int i = 0; i < kept; i++)
      draw_stem(&p, i + 1, run->first[i], run->first_flags[i] & FLAG_DISTURBED ? '!' : 'o',
                run->first_flags[i] & FLAG_DISTURBED && !v->stale ? ROLE_BAD : role);
    double median = fact_value(v->fact, v->nfact, "warm_time"), naive = fact_value(v->fact, v->nfact, "naive_mean");
    draw_level(&p, median, "median of the warm ones", "median", ROLE_ROOF, 2);
    if (naive > median * 1.02) draw_level(&p, naive, "mean of ten, the first too", "mean", ROLE_BAD, 3);
  }
  plot_end(&p);
}

/* ---- spread ---- */

/* A column of whole cells from 0 up to count, the disturbed part on top with a letter of its own. A gap keeps columns apart. */
static void draw_column(struct plot *p, double from, double to, int count, int marked, enum role role) {
  int x0 = plot_column(p, from), x1 = plot_column(p, to), end = p->area.x + p->area.w;
  struct part part[] = {{count - marked, role, 0, ""}, {marked, ROLE_BAD, '!', ""}};
  if (x0 < p->area.x) x0 = p->area.x;
  if (x1 > end) x1 = end;
  if (x1 - x0 > 1) x1--;
  if (x1 <= x0) x1 = x0 + 1;
  if (count > 0 && x1 <= end) widget_column(p->canvas, (struct rect){x0, p->area.y, x1 - x0, p->area.h}, part, 2, 0, p->y.hi, false);
}

static void draw_mark(struct plot *p, double x, double share, const char *text, const char *brief, enum role role, int rank) {
  if (!(x >= p->x.lo && x <= p->x.hi)) return;
  plot_vline(p, x, role, true);
  plot_label(p, x, p->y.lo + (p->y.hi - p->y.lo) * share, text, brief, role, ANCHOR_RIGHT, rank);
}

void lab_draw_spread(struct canvas *c, struct rect r, const struct view *v) {
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "s", "time of one repetition"};
  struct axis y = {v->axes->y[0], v->axes->y[1], false, "", "samples"};
  struct plot p;
  struct histogram h;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  const struct run *run = v->hide_measured ? NULL : run_shown(v);
  if (!run || run->count == 0)
    plot_words(&p, p.x.lo, p.x.hi, 0.5, v->hide_measured ? "your guess?" : "not timed yet: m", ROLE_DIM);
  else {
    histogram_of(run->reservoir, run->reservoir_flags, FLAG_DISTURBED, run->count < RUN_RESERVOIR ? run->count : RUN_RESERVOIR,
                 LAB_HISTOGRAM, &h);
    for (int i = 0; i < h.n; i++)
      draw_column(&p, h.lo + i * h.width, h.lo + (i + 1) * h.width, h.count[i], h.marked[i], v->stale ? ROLE_DIM : ROLE_MEASURED);
    draw_mark(&p, fact_value(v->fact, v->nfact, "best_time"), 0.97, "best: for a roof", "best", ROLE_ROOF, 1);
    draw_mark(&p, fact_value(v->fact, v->nfact, "median_time"), 0.87, "median: for a point", "median", ROLE_CEILING, 2);
    draw_mark(&p, fact_value(v->fact, v->nfact, "mean_time"), 0.77, "mean", "", ROLE_COMPARE, 4);
    draw_mark(&p, fact_value(v->fact, v->nfact, "p95_time"), 0.67, "95 %: for a promise", "95 %", ROLE_WARN, 3);
    if (h.beyond > 0) {
      struct text t;
      text_clear(&t);
      text_count(&t, h.beyond);
      text_add(&t, fact_value(v->fact, v->nfact, "p95_time") > p.x.hi ? " beyond, the 95 % too ▸" : " beyond ▸");
      plot_label(&p, h.lo + h.n * h.width, p.y.lo + (p.y.hi - p.y.lo) * 0.4, t.s, "beyond ▸", ROLE_BAD, ANCHOR_LEFT, 5);
    }
  }
  plot_end(&p);
}
