/* roofline_sample: what other programs measured, beside our own point: their facts, their table, their letters on the picture. The roofs
 * above them are those on show for arithmetic, and main memory's for bytes: another program's cached data is nothing we could know of. */
#ifndef RIDGE_ROOFLINE_SAMPLE_H
#define RIDGE_ROOFLINE_SAMPLE_H

#include "scenes/scene.h"
#include "tui/plot.h"

enum { SAMPLE_FACTS = 14 };
/* Writes SAMPLE_FACTS facts to out: always the same names, unknown where no sample is picked. */
int sample_facts(const struct world *w, const struct setup *s, struct fact *out);
/* Row `row` of the table of samples; 0: none such. */
int sample_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);

bool samples_shown(const struct world *w, const struct setup *s);                  /* there are some, and samples= is set */
const struct foreign *sample_picked(const struct world *w, const struct setup *s); /* the one picked out, NULL none */
double sample_bandwidth(const struct world *w, const struct setup *s);             /* the memory roof above samples, byte/s */
void sample_draw(struct plot *p, const struct world *w, const struct setup *s);    /* letters, and names where there is room */
void sample_verdict(const struct fact *f, int n, struct text *t);                  /* the sentence while one is picked */

#endif
