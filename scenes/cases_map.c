/* The four cases beside one another, and the support assistant part by part. */
#include <math.h>

#include "scenes/cases.h"
#include "tui/number.h"
#include "tui/widget.h"

/* What a candidate comes to in one step: the worst of its checks. */
static enum cases_state step_state(const struct cases_row *row, const struct cases_decision *d, enum cases_step step, int candidate) {
  enum cases_state worst = CASES_NOTHING;
  for (int k = 0; k < row->checks; k++) {
    enum cases_state s = d->state[k][candidate];
    if (row->check[k].step != step || s == CASES_NOTHING) continue;
    if (s == CASES_FAILS || worst == CASES_NOTHING || (s == CASES_UNKNOWN && worst == CASES_PASSES)) worst = s;
  }
  return worst;
}

static void put_state(struct canvas *c, int x, int y, enum cases_state s, bool dim) {
  static const uint32_t mark[] = {0xB7, 0x2713, 0x2717, '?'};
  static const enum role role[] = {ROLE_DIM, ROLE_GOOD, ROLE_BAD, ROLE_WARN};
  canvas_put(c, x, y, mark[s], dim ? ROLE_DIM : role[s], s == CASES_FAILS && !dim ? ATTR_BOLD : 0);
}

enum { MAP_LABEL = 18, MAP_STEP = 7 };

/* A line for each candidate: where it falls, and what it costs. */
static int draw_candidates(struct canvas *c, struct rect r, int y, const struct view *v, enum cases_case which) {
  const struct cases_row *row = cases_row(which);
  struct cases_decision d;
  cases_decide(v->fact, v->nfact, which, &d);
  bool both = row->together && d.chosen == 1 && d.passes[2];
  for (int i = 0; i < CANDIDATES && y < r.y + r.h; i++) {
    if (!row->candidate[i]) continue;
    bool chosen = i == d.chosen || (both && i == 2);
    if (chosen) canvas_put(c, r.x + 1, y, 0x25B8, ROLE_GOOD, ATTR_BOLD);
    canvas_text(c, r.x + 3, y, row->candidate[i], MAP_LABEL - 4, chosen ? ROLE_GOOD : ROLE_TEXT, 0);
    for (int s = STEP_TARGET; s < STEP_COST; s++) {
      int x = r.x + MAP_LABEL + (s - STEP_TARGET) * MAP_STEP + 3;
      bool out = d.fell[i] >= 0 && row->check[d.fell[i]].step < (enum cases_step)s;
      if (x < r.x + r.w) put_state(c, x, y, step_state(row, &d, (enum cases_step)s, i), out);
    }
    int x = r.x + MAP_LABEL + 3 * MAP_STEP;
    const struct cases_check *cost = &row->check[row->checks - 1];
    const struct fact *f = cost->has[i] ? fact_find(v->fact, v->nfact, cost->has[i]) : NULL;
    char number[NUMBER_MAX];
    if (f && r.x + r.w - x >= 8)
      canvas_text_right(c, x, x + 9 < r.x + r.w ? x + 9 : r.x + r.w, y, number_print(number, f->value, f->unit, 3, v->ascii),
                        chosen ? ROLE_TEXT : ROLE_DIM, 0);
    if (r.x + r.w - x >= 38 && d.fell[i] >= 0) { /* the number that threw it out */
      const struct cases_check *fell = &row->check[d.fell[i]];
      const struct fact *has = fact_find(v->fact, v->nfact, fell->has[i]);
      const struct fact *limit = fell->limit[i] ? fact_find(v->fact, v->nfact, fell->limit[i]) : NULL;
      struct text t;
      text_clear(&t);
      text_add(&t, fell->label);
      text_add(&t, has->word ? ": " : " ");
      text_add(&t, has->word ? has->word : number_print(number, has->value, has->unit, 3, v->ascii));
      if (limit) text_add(&t, fell->at_least ? " < " : " > "), text_add(&t, number_print(number, limit->value, limit->unit, 3, v->ascii));
      canvas_text(c, x + 11, y, t.s, r.x + r.w - x - 11, ROLE_BAD, 0);
    }
    y++;
  }
  return y;
}

void cases_draw_summary(struct canvas *c, struct rect r, const struct view *v) {
  static const char *const by[] = {"embed_decided_by", "tune_decided_by", "ticket_decided_by", "edge_decided_by"};
  static const char *const says[] = {"embed_decision", "tune_decision", "ticket_decision", "edge_decision"};
  static const char *const head[] = {"target", "memory", "limits", "cost"};
  int y = r.y, end = r.y + r.h;
  bool full = r.h >= 1 + 4 + 11, decided = r.h >= 1 + 4 + 11 + 4,
       said = r.h >= 1 + 4 + 11 + 8; /* candidates in full; else a line of marks for each */
  if (r.w >= MAP_LABEL + 3 * MAP_STEP + 10) {
    for (int i = 0; i < (full ? 4 : 3); i++)
      canvas_text_right(c, r.x + MAP_LABEL + i * MAP_STEP - 1, r.x + MAP_LABEL + i * MAP_STEP + 6 + (i == 3 ? 3 : 0), y, head[i], ROLE_AXIS,
                        0);
    y++;
  }
  for (int k = 0; k < CASE_N && y < end; k++) {
    const struct cases_row *row = cases_row((enum cases_case)k);
    int used = canvas_text(c, r.x, y, row->title, r.w, ROLE_TITLE, ATTR_BOLD), x = r.x + MAP_LABEL;
    if (r.x + used + 1 >= x) x = r.x + used + 1;
    if (!full) {
      struct cases_decision d;
      cases_decide(v->fact, v->nfact, (enum cases_case)k, &d);
      for (int s = STEP_TARGET; s < STEP_COST; s++)
        for (int i = 0; i < CANDIDATES; i++)
          if (row->candidate[i] && x + (s - STEP_TARGET) * MAP_STEP + 3 + i < r.x + r.w)
            put_state(c, x + (s - STEP_TARGET) * MAP_STEP + 3 + i, y, step_state(row, &d, (enum cases_step)s, i), false);
      y++;
      if (y < end) canvas_text(c, r.x + 2, y++, fact_word(v->fact, v->nfact, says[k]), r.w - 2, ROLE_GOOD, 0);
      if (y < end && r.h >= 13) {
        int part = canvas_text(c, r.x + 2, y, "decided by: ", r.w - 2, ROLE_DIM, 0);
        canvas_text(c, r.x + 2 + part, y++, fact_word(v->fact, v->nfact, by[k]), r.w - 2 - part, ROLE_TEXT, 0);
      }
      continue;
    }
    int part = x < r.x + r.w - 14 ? canvas_text(c, x + 1, y, "decided by: ", r.x + r.w - x - 1, ROLE_DIM, 0) : 0;
    if (part) canvas_text(c, x + 1 + part, y, fact_word(v->fact, v->nfact, by[k]), r.x + r.w - x - 1 - part, ROLE_TEXT, ATTR_BOLD);
    y = draw_candidates(c, r, y + 1, v, (enum cases_case)k);
    if (said && y < end) canvas_text(c, r.x + 3, y++, fact_word(v->fact, v->nfact, says[k]), r.w - 3, ROLE_GOOD, ATTR_BOLD);
    if (decided) y++;
  }
  if (!full && end - y >= 2) canvas_text(c, r.x + 2, y + 1, "a mark for each candidate, in order", r.w - 2, ROLE_DIM, 0);
}

void cases_draw_placement(struct canvas *c, struct rect r, const struct view *v) {
  unsigned placed = cases_placed(v->setup);
  int y = r.y, end = r.y + r.h, chosen = (int)v->setup->v[KNOB_PART] - 1, name = 16, where = r.w >= 50 ? 12 : 4, time = r.w >= 40 ? 9 : 0;
  int why = r.x + name + where + 2 * time + 2;
  char number[NUMBER_MAX];
  if (r.h >= PARTS + 1) {
    canvas_text(c, r.x + 1, y, "part", name - 1, ROLE_AXIS, 0);
    canvas_text(c, r.x + name, y, where > 4 ? "runs on" : "on", where - 1, ROLE_AXIS, 0);
    if (time) {
      canvas_text_right(c, r.x + name + where, r.x + name + where + time, y, "server", ROLE_AXIS, 0);
      canvas_text_right(c, r.x + name + where + time, r.x + name + where + 2 * time, y, "accel.", ROLE_AXIS, 0);
    }
    if (r.x + r.w - why >= 64) canvas_text(c, why + 2, y, "why", r.x + r.w - why - 2, ROLE_AXIS, 0);
    y++;
  }
  int first = r.h < PARTS && chosen >= r.h ? chosen - r.h + 1 : 0;
  int apart = r.h >= 2 * PARTS + 6 ? 2 : 1; /* the second row takes the reason, or air */
  bool beside = r.x + r.w - why >= 64;
  for (int i = first; i < PARTS && y < end; i++, y += apart) {
    const struct cases_part *p = cases_part(i);
    bool there = placed >> i & 1;
    double host, accelerator;
    enum cases_state state = cases_part_state(v->world, v->setup, i);
    cases_part_time(v->world, v->setup, i, &host, &accelerator);
    if (i == chosen) canvas_put(c, r.x, y, 0x25B8, ROLE_FOCUS, 0);
    canvas_text(c, r.x + 1, y, p->name, name - 2, i == chosen ? ROLE_TITLE : ROLE_TEXT, i == chosen ? ATTR_REVERSE : 0);
    const char *on = where > 4 ? (there ? "accelerator" : "server") : there ? "acc" : "srv";
    canvas_text(c, r.x + name, y, on, where - 1, there ? ROLE_COMPUTE : ROLE_DIM, there ? ATTR_BOLD : 0);
    if (time) {
      canvas_text_right(c, r.x + name + where, r.x + name + where + time, y, number_print(number, host, "s", 3, v->ascii),
                        there ? ROLE_DIM : ROLE_TEXT, 0);
      canvas_text_right(c, r.x + name + where + time, r.x + name + where + 2 * time, y, number_print(number, accelerator, "s", 3, v->ascii),
                        there ? ROLE_TEXT : ROLE_DIM, 0);
    }
    if (why - 1 < r.x + r.w) put_state(c, why - 1, y, state, false);
    if (beside) canvas_text(c, why + 2, y, p->why, r.x + r.w - why - 2, ROLE_DIM, 0);
    if (!beside && apart > 1) canvas_text(c, r.x + 3, y + 1, p->why, r.w - 3, ROLE_DIM, 0);
  }
  if (end - y < 2) return;
  if (apart == 1 || end - y >= 4) y++;
  if (!beside && apart == 1) {
    struct rect rest = {r.x + 1, y, r.w - 1, end - y - (end - y > 3 ? 1 : 0)};
    int start[4], length[4], lines = text_wrap(fact_word(v->fact, v->nfact, "part_why"), rest.w, 4, start, length);
    for (int i = 0; i < lines && i < 2 && y < end; i++) {
      char line[100];
      int k = 0;
      for (; k < length[i] && k < 99; k++) line[k] = fact_word(v->fact, v->nfact, "part_why")[start[i] + k];
      line[k] = 0;
      canvas_text(c, rest.x, y++, line, rest.w, ROLE_DIM, 0);
    }
  }
  if (y >= end) return;
  double total = fact_value(v->fact, v->nfact, "assistant_time"), limit = v->setup->v[KNOB_ANSWER_WITHIN];
  struct text t;
  text_clear(&t);
  text_line(&t, isnan(total) ? "no answer as it is placed:" : "all of it", total, "s");
  text_line(&t, ", may take", limit, "s");
  canvas_text(c, r.x + 1, y++, t.s, r.w - 1, total <= limit ? ROLE_GOOD : ROLE_BAD, ATTR_BOLD);
  if (y >= end || isnan(total)) return;
  struct part part[PARTS]; /* each stretch as long as it takes, by where it runs; the line is the limit */
  int stretches = 0;
  for (int i = 0; i < PARTS; i++) {
    double host, accelerator;
    bool there = placed >> i & 1;
    cases_part_time(v->world, v->setup, i, &host, &accelerator);
    if (i == 0 || (placed >> (i - 1) & 1) != (placed >> i & 1))
      part[stretches++] = (struct part){0, there ? ROLE_COMPUTE : ROLE_MEMORY, there ? 'a' : 's', ""};
    part[stretches - 1].value += there ? accelerator : host;
  }
  widget_bar(c, (struct rect){r.x + 1, y, r.w - 2, end - y >= 3 ? 2 : 1}, part, stretches, fmax(limit, fmin(total, 3 * limit)) * 1.1,
             limit);
}
