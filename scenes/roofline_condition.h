/* roofline_condition: this machine under other conditions. Weights stored in fewer bits: what that gains over fp32, what it costs in
 * exactness. And the machine made worse on purpose, its arithmetic by a narrower instruction set, its memory by a hog: the roofs it then
 * has, measured anew, and whether the operation followed the one or the other. */
#ifndef RIDGE_ROOFLINE_CONDITION_H
#define RIDGE_ROOFLINE_CONDITION_H

#include "scenes/scene.h"

enum { CONDITION_FACTS = 14 };
/* Writes CONDITION_FACTS facts to out: always the same names, unknown where nothing of the kind was asked for or measured. */
int condition_facts(const struct world *w, const struct setup *s, struct fact *out);

/* The machine is not as it is: an instruction set was chosen, or the hog is on. */
bool condition_changed(const struct setup *s);
/* The roofs of the machine in that state, where they were measured in it: FLOP/s, byte/s from main memory; NAN otherwise. */
double condition_peak(const struct world *w, const struct setup *s);
double condition_bandwidth(const struct world *w, const struct setup *s);
/* Adds what should be measured besides the operation itself: those roofs. Returns how many were added. */
int condition_measures(const struct world *w, const struct setup *s, struct request *out);
/* What the experiment showed, as a sentence, or what fewer bits gained; true when it said something. */
bool condition_verdict(const struct fact *f, int n, struct text *t);

#endif
