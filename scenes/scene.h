/* scene: one question a learner asks. A scene is a list of knobs plus pure functions: facts (knob values → named numbers with units),
 * verdict (facts → a sentence), draw (numbers → cells). It keeps nothing, reads no clock, file or key, and prints no number that is not
 * a fact. To add one: one file and one row in scene_table.c. */
#ifndef RIDGE_SCENE_H
#define RIDGE_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"
#include "model/why.h"
#include "model/world.h"
#include "scenes/knob.h"
#include "tui/canvas.h"
#include "tui/text.h"

enum { FACT_MAX = 176, REQUEST_MAX = 16, TRAIL_MAX = 48 };

struct fact {
  const char *name;    /* an interface: scripts, lessons and tests use it */
  const char *label;   /* short words for the panel; NULL: not in the panel */
  const char *unit;    /* tui/number.h */
  int detail;          /* 1: on the first screen; 2: with `=` */
  const char *formula; /* facts and knobs by name, "flop / byte"; the frame puts the live numbers in; NULL none */
  const char *meaning; /* one sentence, for `?` on the fact */
  double value;        /* NAN: not known, drawn as a dash */
  const char *word;    /* instead of value (`bound`, `level`); NULL none */
  bool measured;       /* a measured value: hidden by a guess, drawn in its role */
};

struct axes { double x[2], y[2], x2[2], y2[2]; }; /* lo, hi of the first and second plot; NAN until set */

struct trail { int n; double x[TRAIL_MAX], y[TRAIL_MAX]; }; /* earlier ceiling points, oldest first */

struct view {
  const struct world *world;
  const struct setup *setup;    /* resolved: no NAN but where a knob means "none" */
  const struct fact *fact;
  int nfact;
  const struct axes *axes;
  const struct trail *trail;
  int focus;                    /* knob under the hand, -1 none */
  int changed;                  /* knob that just changed, -1 none */
  double time;                  /* s since the scene opened: animation */
  bool stale;                   /* the measured point belongs to an earlier setting */
  bool hide_measured;           /* a guess is awaited */
  bool ascii;                   /* text may use only ASCII */
};

struct start { uint8_t knob; double value; const char *word; }; /* word: for choices, by key (device, model) */

struct scene {
  const char *address;          /* "2.1": fixed by the list of parts */
  const char *name, *question, *section, *next; /* section: of the chapter; next: the scene to try after */
  const uint8_t *knobs; int nknobs, nfirst;     /* all its knobs in order; the first nfirst stand on level 1 */
  uint8_t hand;                 /* the knob under the hand at the start */
  const struct start *starts; int nstarts;      /* start values of its own */
  const uint8_t *views; int nviews; /* of KNOB_VIEW, the first where it starts; NULL: the scene has no such knob */
  int min_w, min_h;             /* the least picture it can draw in */
  const char *trail_x, *trail_y; /* the facts that make the trail's point; NULL none */

  bool (*applies)(const struct setup *, int knob);               /* knobs that mean nothing now are hidden; NULL: all apply */
  void (*resolve)(const struct world *, struct setup *);         /* gives values to knobs that follow others */
  /* What an arrow does where the scene knows better than the knob's table; writes into person. False: the table's step. NULL: always. */
  bool (*turn)(const struct world *, const struct setup *now, int knob, int direction, bool coarse, struct setup *person);
  int  (*facts)(const struct world *, const struct setup *, struct fact out[FACT_MAX]);
  int  (*rows)(const struct world *, const struct setup *, int row, struct fact out[FACT_MAX]); /* a table; 0: no such row; NULL none */
  void (*verdict)(const struct fact *, int n, struct text *);
  int  (*measures)(const struct world *, const struct setup *, struct request out[REQUEST_MAX]); /* what m runs, the first one first; NULL none */
  void (*why)(const struct world *, const struct setup *, struct why_input *out); /* the point to explain, s NAN when it is not there; NULL none */
  void (*axes)(const struct world *, const struct setup *, const struct axes *prev, struct axes *out);
  void (*draw)(struct canvas *, struct rect, const struct view *);
};

extern const struct scene *const scene_table[]; /* in the chapter's order */
extern const int scene_count;
const struct scene *scene_find(const char *name_or_address); /* NULL when there is none */

/* The whole tour, built or not, in its order: the number of a scene is fixed from the first day. place: NULL name behind the last. */
struct place { const char *address, *name, *question; };
struct place scene_place(int i);
/* The place called so that has no scene yet; its name is NULL when there is none. */
struct place scene_planned(const char *name_or_address);

/* Parts, by digit: "Work" "Limits" "Tokens" "Link" "Machines" "Decide". part 1…6. */
const char *scene_part(int part);

/* What a scene works with: the person's set values over the scene's own starts over the table's, then resolved. */
void setup_for(const struct world *w, const struct scene *s, const struct setup *person, struct setup *out);
/* Whether the scene has this view (a value of KNOB_VIEW). */
bool scene_has_view(const struct scene *s, double view);
void setup_clear(struct setup *s); /* nothing set; every value its start */

/* Helpers for facts. */
/* n facts as the table has them, each unknown until it is given a value; without a label, so without a row in the panel, when not shown. n. */
int facts_begin(struct fact *out, const struct fact *table, int n, bool shown);
const struct fact *fact_find(const struct fact *f, int n, const char *name); /* NULL unknown */
double fact_value(const struct fact *f, int n, const char *name);            /* NAN unknown */
const char *fact_word(const struct fact *f, int n, const char *name);        /* "" unknown */

extern const struct scene scene_roofline, scene_decode, scene_hierarchy, scene_offload, scene_fit;
extern const struct scene scene_lab, scene_machines;
extern const struct scene scene_reuse;
extern const struct scene scene_precision;
extern const struct scene scene_layers;
extern const struct scene scene_diagnose;
extern const struct scene scene_feed;
extern const struct scene scene_cases;

#endif
