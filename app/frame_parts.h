/* frame_parts: the pieces frame.c puts around a scene: the panel of knobs and facts, and the boxes drawn over everything. */
#ifndef RIDGE_FRAME_PARTS_H
#define RIDGE_FRAME_PARTS_H

#include "app/app.h"

/* How a knob's value is shown: "6144", "25.0 GB/s", "on", "h100-sxm"; a dash when it stands for "none". */
void value_show(const struct world *w, int knob, double v, struct text *out);

/* A formula with its live numbers: "flop / byte = 2.15 GFLOP / 12.6 MB". */
void formula_show(const struct frame *f, const struct frame_data *d, const struct fact *fact, struct text *out);

/* True when this knob has a row in the panel now. */
bool knob_shown(const struct scene *s, const struct setup *setup, int position);

/* True when this fact has a row in the panel now. */
bool fact_shown(const struct fact *fact, const struct frame_data *d);

/* The knob drawn at column x, row y of the panel in r, -1 none; *fact becomes the index of a fact drawn there. */
int panel_at(struct rect r, const struct frame *f, const struct frame_data *d, bool narrow, int x, int y, int *fact);

/* The panel in r: knobs, then facts; scrolled so that the focused row is in sight. narrow: two columns, for the panel under the picture. */
void panel_draw(struct canvas *c, struct rect r, const struct frame *f, const struct frame_data *d, bool narrow);

/* overlay_why.c */
int why_rows(const struct frame *f, const struct frame_data *d);
void why_draw(struct canvas *c, const struct frame *f, const struct frame_data *d);

/* Lines of the help page, or of the box of reasons, at the width of an 80-column screen: how far it can be scrolled. */
int overlay_rows(const struct frame *f, const struct frame_data *d);

void overlay_draw(struct canvas *c, const struct frame *f, const struct frame_data *d);

#endif
