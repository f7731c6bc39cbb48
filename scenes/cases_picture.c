/* One case as a grid: a row for each thing that is looked at, a column for each candidate, a mark where it passes or falls; below, what is
 * decided, and a plot of what it turns on. */
#include <math.h>

#include "scenes/cases.h"
#include "tui/number.h"
#include "tui/widget.h"

/* The wide label has the name of its step. */
enum { LABEL = 12, LABEL_WIDE = 26, COLUMN_MAX = 24, LIMIT = 12 };

static enum role state_role(enum cases_state s) {
  return s == CASES_FAILS ? ROLE_BAD : s == CASES_UNKNOWN ? ROLE_WARN : s == CASES_PASSES ? ROLE_GOOD : ROLE_TEXT;
}

static uint32_t state_mark(enum cases_state s) {
  return s == CASES_PASSES ? 0x2713 : s == CASES_FAILS ? 0x2717 : s == CASES_UNKNOWN ? '?' : 0;
}

/* The value of a fact or its word, so that it ends before x_end, or the slack after it when it is too long. */
static void draw_fact(struct canvas *c, int x, int x_end, int y, const struct fact *f, enum role role, int attr, int slack, bool ascii) {
  char number[NUMBER_MAX];
  const char *said = f->word ? f->word : number_print(number, f->value, f->unit, 3, ascii);
  if (text_columns(said) > x_end - x && slack > 0) x_end += slack;
  canvas_text_right(c, x, x_end, y, said, role, attr);
}

struct grid {
  int x, w, label, column, limit, n; /* of the candidates, and one more column for limits where there is room */
  const struct cases_row *row;
  struct cases_decision d;
};

static struct grid grid_of(struct rect r, const struct view *v) {
  struct grid g = {.x = r.x, .w = r.w, .row = cases_row(cases_shown(v->setup))};
  cases_decide(v->fact, v->nfact, cases_shown(v->setup), &g.d);
  for (int i = 0; i < CANDIDATES; i++) g.n += g.row->candidate[i] != NULL;
  g.limit = r.w >= LABEL + LIMIT + g.n * 12 ? LIMIT : 0;
  g.label = r.w < 40 ? 0 : r.w < LABEL_WIDE + LIMIT + g.n * 13 ? LABEL : LABEL_WIDE;
  g.column = (r.w - g.label - g.limit) / g.n;
  if (g.column > COLUMN_MAX) g.column = COLUMN_MAX;
  return g;
}

static void draw_heads(struct canvas *c, const struct grid *g, int y) {
  for (int i = 0; i < g->n; i++) {
    int x = g->x + g->label + i * g->column;
    bool chosen = i == g->d.chosen, together = g->row->together && g->d.chosen == 1 && i == 2 && g->d.passes[2];
    const char *name = text_columns(g->row->candidate[i]) <= g->column - 1 ? g->row->candidate[i] : g->row->brief[i];
    int w = text_columns(name);
    if (w > g->column - 1) w = g->column - 1;
    if (w < 1) continue;
    canvas_text(c, x + g->column - 1 - w, y, name, w, chosen || together ? ROLE_TITLE : ROLE_AXIS, chosen || together ? ATTR_REVERSE : 0);
  }
  if (g->limit)
    canvas_text_right(c, g->x + g->label + g->n * g->column, g->x + g->label + g->n * g->column + g->limit, y, "limit", ROLE_DIM, 0);
}

static void draw_limit(struct canvas *c, const struct grid *g, int y, const struct view *v, const struct cases_check *check) {
  int x = g->x + g->label + g->n * g->column;
  const char *same = NULL;
  for (int i = 0; i < g->n; i++) {
    if (!check->limit[i]) continue;
    if (same && same != check->limit[i]) return; /* each has its own */
    same = check->limit[i];
  }
  if (!same) return;
  canvas_put(c, x + 1, y, check->at_least ? 0x2265 : 0x2264, ROLE_DIM, 0);
  draw_fact(c, x + 2, x + g->limit, y, fact_find(v->fact, v->nfact, same), ROLE_DIM, 0, 0, v->ascii);
}

static void draw_check(struct canvas *c, const struct grid *g, int y, int k, const struct view *v) {
  const struct cases_check *check = &g->row->check[k];
  bool first = k == 0 || g->row->check[k - 1].step != check->step;
  if (g->label > LABEL) {
    if (first) {
      canvas_put(c, g->x, y, '1' + (uint32_t)check->step, ROLE_DIM, 0);
      canvas_text(c, g->x + 2, y, cases_step_name(check->step), 9, ROLE_TITLE, 0);
    }
    canvas_text(c, g->x + 12, y, check->label, g->label - 13, ROLE_TEXT, 0);
  } else if (g->label) {
    if (first) canvas_put(c, g->x, y, '1' + (uint32_t)check->step, ROLE_DIM, 0);
    canvas_text(c, g->x + 2, y, check->label, g->label - 2, ROLE_TEXT, 0);
  }
  for (int i = 0; i < g->n; i++) {
    int x = g->x + g->label + i * g->column, end = x + g->column;
    enum cases_state state = g->d.state[k][i];
    bool over = g->d.fell[i] >= 0 && k > g->d.fell[i] && state != CASES_FAILS; /* it is out already */
    if (!check->has[i]) {
      canvas_text_right(c, x, end - 1, y, "·", ROLE_DIM, 0);
      continue;
    }
    draw_fact(c, x, end - 3, y, fact_find(v->fact, v->nfact, check->has[i]),
              over                   ? ROLE_DIM
              : state == CASES_FAILS ? ROLE_BAD
                                     : ROLE_TEXT,
              state == CASES_FAILS && !over ? ATTR_BOLD : 0, state_mark(state) ? 1 : 2, v->ascii);
    if (state_mark(state)) canvas_put(c, end - 2, y, state_mark(state), over ? ROLE_DIM : state_role(state), over ? 0 : ATTR_BOLD);
  }
  if (g->limit) draw_limit(c, g, y, v, check);
}

/* How far each is from its limit: the line is the limit, two thirds of the way. */
static void draw_bars(struct canvas *c, const struct grid *g, int y, int k, const struct view *v) {
  const struct cases_check *check = &g->row->check[k];
  for (int i = 0; i < g->n; i++) {
    if (!check->limit[i] || !check->has[i]) continue;
    double has = fact_value(v->fact, v->nfact, check->has[i]), limit = fact_value(v->fact, v->nfact, check->limit[i]);
    bool endless = fact_word(v->fact, v->nfact, check->has[i])[0] != 0;
    if (!(limit > 0) || (isnan(has) && !endless)) continue;
    enum role role = check->step == STEP_MEMORY ? ROLE_MEMORY : check->step == STEP_CONSTRAINT ? ROLE_LINK : ROLE_COMPUTE;
    if (check->at_least) has = fmin(has, 1.5 * limit); /* more than asked is no excess */
    struct part part = {endless ? 10 * limit : has, g->d.state[k][i] == CASES_FAILS ? ROLE_BAD : role, 0, ""};
    widget_bar(c, (struct rect){g->x + g->label + i * g->column + 2, y, g->column - 4, 1}, &part, 1, limit * 1.5, limit);
  }
}

static void draw_decision(struct canvas *c, struct rect r, const struct view *v, const struct grid *g) {
  bool found = g->d.chosen >= 0;
  int x = r.x;
  if (r.h < 1) return;
  canvas_put(c, x, r.y, 0x25B8, found ? ROLE_GOOD : ROLE_BAD, ATTR_BOLD);
  canvas_text(c, x + 2, r.y, fact_word(v->fact, v->nfact, "decision"), r.w - 2, found ? ROLE_GOOD : ROLE_BAD, ATTR_BOLD);
  if (r.h < 2) return;
  int used = canvas_text(c, x + 2, r.y + 1, "decided by: ", r.w - 2, ROLE_DIM, 0);
  canvas_text(c, x + 2 + used, r.y + 1, fact_word(v->fact, v->nfact, "decided_by"), r.w - 2 - used, ROLE_TITLE, 0);
}

static void draw_case(struct canvas *c, struct rect r, const struct view *v) {
  struct grid g = grid_of(r, v);
  int y = r.y, checks = g.row->checks, bars = 0, room = r.h - checks - 3;
  for (int k = 0; k < checks; k++) bars += g.row->check[k].limit[0] || g.row->check[k].limit[1];
  bool with_bars = room >= bars + 1 && g.column >= 12, with_plot = room - (with_bars ? bars : 0) >= 10;
  if (!with_plot && room >= 10) with_bars = false, with_plot = true; /* the plot says more */
  if (r.h >= 2) draw_heads(c, &g, y++);
  for (int k = 0; k < checks && y < r.y + r.h; k++) {
    draw_check(c, &g, y++, k, v);
    if (with_bars && (g.row->check[k].limit[0] || g.row->check[k].limit[1])) draw_bars(c, &g, y++, k, v);
  }
  if (r.y + r.h - y >= 3) y++;
  draw_decision(c, (struct rect){r.x, y, r.w, r.y + r.h - y}, v, &g);
  y += 3;
  if (with_plot) cases_draw_plot(c, (struct rect){r.x, y, r.w, r.y + r.h - y}, v);
}

void cases_draw(struct canvas *c, struct rect r, const struct view *v) {
  if (r.w < 20 || r.h < 2) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  switch (cases_view(v->setup)) {
  case VIEW_SUMMARY: cases_draw_summary(c, r, v); break;
  case VIEW_PLACEMENT: cases_draw_placement(c, r, v); break;
  default: draw_case(c, r, v); break;
  }
}
