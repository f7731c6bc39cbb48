/* cases: what the files of the cases scene share. Four workloads, each with three candidates that pass, or do not pass, the same steps in
 * the same order: estimate, target, memory, constraints, and then what they cost. Every number that is checked is a fact; a check names it.
 */
#ifndef RIDGE_SCENE_CASES_H
#define RIDGE_SCENE_CASES_H

#include "scenes/scene.h"

enum cases_case { CASE_EMBED, CASE_TUNE, CASE_TICKET, CASE_EDGE, CASE_N };
enum cases_step { STEP_ESTIMATE, STEP_TARGET, STEP_MEMORY, STEP_CONSTRAINT, STEP_COST, STEP_N };
enum { CANDIDATES = 3, CHECKS_MAX = 8 };

enum view_id cases_view(const struct setup *s);
enum cases_case cases_shown(const struct setup *s); /* CASE_N: all of them, or the placement */
const char *cases_step_name(enum cases_step s);
const struct device *cases_device(const struct world *w, const struct setup *s);

/* One thing that is looked at, for each candidate: the fact that is held against the limit, another fact. */
struct cases_check {
  enum cases_step step;
  const char *label, *decides;                     /* of the row; what is said to have decided when candidates fall here */
  const char *has[CANDIDATES], *limit[CANDIDATES]; /* NULL: nothing to look at; no limit */
  bool at_least;                                   /* the limit is a least, not a most */
};

struct cases_row {
  const char *title;
  const char *candidate[CANDIDATES], *brief[CANDIDATES];
  const char *decision[CANDIDATES]; /* what is said when this one is chosen */
  const char *together;             /* what is said when the last two both pass: either will do. NULL: the cheaper one wins */
  struct cases_check check[CHECKS_MAX];
  int checks;
};
const struct cases_row *cases_row(enum cases_case c);

/* A fact that is a word counts as passed when the word is "yes". */
enum cases_state { CASES_NOTHING, CASES_PASSES, CASES_FAILS, CASES_UNKNOWN };
struct cases_decision {
  enum cases_state state[CHECKS_MAX][CANDIDATES];
  int fell[CANDIDATES]; /* the first check that it fails, -1 none */
  bool passes[CANDIDATES], unknown;
  double cost[CANDIDATES];
  int chosen, passing; /* -1 nobody */
  int decisive;        /* the check at which the rival that got furthest fell; -1 there is none */
};
void cases_decide(const struct fact *f, int n, enum cases_case c, struct cases_decision *out);
const char *cases_says(enum cases_case c, const struct cases_decision *d); /* in words: the decision, and what decided it */
const char *cases_decided_by(enum cases_case c, const struct cases_decision *d);

/* ---- the support assistant: its parts in the order a question passes them ---- */

enum { PARTS = 10 };
enum cases_place { PLACE_HOST, PLACE_EITHER, PLACE_ACCELERATOR };
struct cases_part {
  const char *name, *why;
  enum cases_place place; /* where it belongs */
};
const struct cases_part *cases_part(int i);
unsigned cases_placed(const struct setup *s); /* bit i: part i stands on the accelerator */
/* Seconds of a part on the server and on the accelerator; NAN: it cannot run there, or a figure is missing. */
void cases_part_time(const struct world *w, const struct setup *s, int i, double *host, double *accelerator);
enum cases_state cases_part_state(const struct world *w, const struct setup *s,
                                  int i); /* as placed: fails where it cannot run, or only in minutes */
bool cases_turn(const struct world *w, const struct setup *s, int knob, int direction, bool coarse, struct setup *person);

/* ---- facts ---- */

/* Copies a table of facts, values unknown, without a label unless the view shows them. Returns n. */
int cases_table(const struct setup *s, enum view_id view, const struct fact *table, int n, struct fact *out);
/* A value that may grow without end: then it has no value but the words "no end". */
void cases_put(struct fact *f, double v);

int cases_embed_facts(const struct world *w, const struct setup *s, struct fact *out);
int cases_tune_facts(const struct world *w, const struct setup *s, struct fact *out);
int cases_ticket_facts(const struct world *w, const struct setup *s, struct fact *out);
int cases_edge_facts(const struct world *w, const struct setup *s, struct fact *out);
int cases_place_facts(const struct world *w, const struct setup *s, struct fact *out);
extern const struct cases_row cases_embed_row, cases_tune_row, cases_ticket_row, cases_edge_row;

int cases_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                 /* cases_facts.c */
int cases_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);         /* cases_rows.c */
void cases_verdict(const struct fact *f, int n, struct text *t);                                          /* cases_verdict.c */
void cases_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out); /* cases_plots.c */
void cases_draw(struct canvas *c, struct rect r, const struct view *v);                                   /* cases_picture.c */
void cases_draw_plot(struct canvas *c, struct rect r, const struct view *v);                              /* cases_plots.c */
void cases_draw_summary(struct canvas *c, struct rect r, const struct view *v);                           /* cases_map.c */
void cases_draw_placement(struct canvas *c, struct rect r, const struct view *v);                         /* cases_map.c */

#endif
