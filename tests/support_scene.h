/* support_scene: one scene as a person sets it, in words ("batch=4 view=roof"): its facts, its sentence, and the numbers that a file says
 * must come out of it. What is wrong fails the test that asks. */
#ifndef RIDGE_TESTS_SUPPORT_SCENE_H
#define RIDGE_TESTS_SUPPORT_SCENE_H

#include "model/world.h"
#include "scenes/scene.h"
#include "tui/text.h"

/* The shipped catalogue, with the machine of world_invented() as this one. Allocated; free() it. */
struct world *world_catalogue(void);

struct setup scene_person(struct world *w, const char *words);                       /* as set: an unknown word fails */
struct setup scene_setup(struct world *w, const struct scene *s, const char *words); /* and completed by the scene */

struct shown {
  struct setup setup;
  struct fact fact[FACT_MAX];
  int n;
  struct text verdict; /* never more than three lines of 78 columns */
};
/* One place for all: it holds until the next call. */
const struct shown *scene_show(const struct world *w, const struct scene *s, const struct setup *person);
const struct shown *scene_show_words(struct world *w, const struct scene *s, const char *words);

double shown_value(const struct shown *shown, const char *name); /* a fact that is not there fails */
const char *shown_word(const struct shown *shown, const char *name);
void shown_says(const struct shown *shown, const char *part); /* the sentence has these words */

/* The row of the scene's table that has this word among its first two cells; its number of cells. None: fails. */
int scene_row(const struct world *w, const struct scene *s, const struct setup *setup, const char *name, struct fact row[FACT_MAX]);

/* The cases of a file {"cases": [{"what", "id" or "ids", "words": [...], …}]}, each opened with its words. Then
 *   facts {name: "1.01e-3"}  the value rounds to the digits; "-" for unknown
 *   near  {name: "1.01e-3"}  with "tolerance", a share: for what is simulated
 *   above, below {name: 3}   beyond the number
 *   word  {name: "memory"}   letter by letter
 *   row   {first: "gate", …} a row of the scene's table, named by its first cell here
 *   says  "part" or [...]    of the sentence
 * Any other key, or a case that checks nothing, fails. How much was checked. */
int scene_numbers(struct world *w, const struct scene *s, const char *file);

#endif
