/* machines: what the files of the machines scene share. The device knob is the cursor: it walks the devices in the order of the list. */
#ifndef RIDGE_SCENE_MACHINES_H
#define RIDGE_SCENE_MACHINES_H

#include "model/choose.h"
#include "model/peel.h"
#include "model/sheet.h"
#include "scenes/scene.h"

enum view_id machines_view(const struct setup *s);
const struct device *machines_device(const struct world *w, const struct setup *s);
struct sheet machines_sheet(const struct world *w, const struct setup *s, int device);

/* The devices on show, in order; in the choose view ranked by the bound. */
int machines_list(const struct world *w, const struct setup *s, uint8_t out[DEVICE_MAX]);
struct job machines_job(const struct setup *s);
struct peeled machines_peeled(const struct world *w, const struct setup *s);

/* Two devices with one peak: those of the knobs, or the device and the one it is compared with. */
struct twins {
  const char *name[2];
  double peak[2], byte_per_s[2];
  bool real; /* devices of the catalogue */
};
struct twins machines_twins(const struct world *w, const struct setup *s);

/* Five operations from the least intensity to the most, 16-bit values counted at main memory: what two devices are compared by. */
enum { TWIN_OPS = 5 };
struct twin_op {
  const char *name;
  double flop_per_byte;
};
struct twin_op machines_op(int i);

/* This machine's side of the peak that a CPU is built from; NAN where it was not measured. */
struct built {
  enum isa isa;
  double threads, units, lanes, clock_hz, flop_per_s, flop_per_cycle; /* units: what the measured rate amounts to; per thread */
};
struct built machines_here(const struct world *w);

/* A real product on this machine, what code gets of such a peak: its request, and its rate in FLOP/s; NAN while it was not run. */
struct request machines_product(void);
double machines_product_rate(const struct world *w);

/* An id as it is shown: of a path the last name. */
const char *machines_brief(const char *id);

/* Whose a figure is: "vendor", "derived?" when nobody checked it. */
const char *figure_word(const struct figure *f);

int machines_facts(const struct world *w, const struct setup *s, struct fact out[FACT_MAX]);                 /* machines_facts.c */
int machines_rows(const struct world *w, const struct setup *s, int row, struct fact out[FACT_MAX]);         /* machines_rows.c */
void machines_verdict(const struct fact *f, int n, struct text *t);                                          /* machines_verdict.c */
void machines_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out); /* machines_plots.c */
void machines_draw(struct canvas *c, struct rect r, const struct view *v);                                   /* machines_picture.c */
void machines_draw_plot(struct canvas *c, struct rect r, const struct view *v);                              /* machines_plots.c */
void machines_draw_balance(struct canvas *c, struct rect r, const struct view *v);                           /* machines_plots.c */
void machines_draw_place(struct canvas *c, struct rect r, const struct view *v);                             /* machines_plots.c */
void machines_draw_fall(struct canvas *c, struct rect r, const struct view *v);                              /* machines_plots.c */
void machines_draw_twins(struct canvas *c, struct rect r, const struct view *v);                             /* machines_plots.c */
void machines_draw_card(struct canvas *c, struct rect r, const struct view *v);                              /* machines_card.c */
void machines_draw_peak(struct canvas *c, struct rect r, const struct view *v);                              /* machines_peel.c */
void machines_draw_cpu(struct canvas *c, struct rect r, const struct view *v);                               /* machines_peel.c */

#endif
