/* why_words: the findings of model/why in sentences, the same on the screen, in `print` and in its JSON. */
#ifndef RIDGE_WHY_WORDS_H
#define RIDGE_WHY_WORDS_H

#include "model/why.h"
#include "tui/text.h"

/* Where the point stands: "69 % of its roof: 13.6 ms of 43.6 ms to explain." */
void why_head(const struct why_input *in, struct text *t);
/* One finding as a sentence. */
void why_say(const struct why_input *in, const struct why *f, struct text *t);
/* The names of all flags in bits, ", " between; "none" for none. */
void flags_say(unsigned flags, struct text *t);
/* What stands behind a roof: "best of 9 on 2 threads, ±0.4 %, seed 1". */
void trust_say(const struct trust *r, struct text *t);
/* A finding in a few words that need no figures, for a sentence: "a nearer cache", "another precision"… */
const char *why_brief(const struct why *f);

#endif
