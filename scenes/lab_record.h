/* lab_record: the record that the lab's views of a benchmark speak of, with the model and the device its numbers are held against. It comes
 * from the file that record= names; else, on this machine, from its own measured decode step; else it is the chapter's. What a person sets
 * stands above all of them. */
#ifndef RIDGE_LAB_RECORD_H
#define RIDGE_LAB_RECORD_H

#include "model/benchmark.h"
#include "model/step.h"
#include "scenes/scene.h"

enum origin { ORIGIN_EXAMPLE, ORIGIN_FILE, ORIGIN_HERE };

struct lab_record {
  struct benchmark record; /* NAN: neither recorded nor set */
  struct account account;
  struct step_in step; /* the model on the device */
  double kv_byte_per_token, capacity_byte, tdp_w;
  const struct device *device;
  enum origin origin;
  bool changed;  /* a person set one of its figures */
  bool named;    /* the size was read off the model's name */
  bool assumed;  /* layers and heads are assumed */
  bool measured; /* ORIGIN_HERE: there is a run behind it */
};
/* s must be resolved. */
void lab_record_of(const struct world *w, const struct setup *s, struct lab_record *out);
/* Gives its knobs their values. */
void lab_record_resolve(const struct world *w, struct setup *s);
/* The decode step that m runs where the record is this machine's own; false: it is not. */
bool lab_record_request(const struct world *w, const struct setup *s, struct request *out);

/* Where what is on show comes from. */
const char *lab_record_state(const struct world *w, const struct setup *s);

/* The three views: facts into out, as many as returned; each has a label only in its own view. */
int lab_record_facts(const struct world *w, const struct setup *s, struct fact *out);  /* lab_record_facts.c */
int lab_cost_facts(const struct world *w, const struct setup *s, struct fact *out);    /* lab_cost.c */
int lab_arrival_facts(const struct world *w, const struct setup *s, struct fact *out); /* lab_arrival.c */
int lab_record_rows(const struct world *w, const struct setup *s, int row, struct fact *out);
int lab_cost_rows(const struct world *w, const struct setup *s, int row, struct fact *out);
int lab_arrival_rows(const struct world *w, const struct setup *s, int row, struct fact *out);
void lab_record_verdict(const struct fact *f, int n, struct text *t);
void lab_cost_verdict(const struct fact *f, int n, struct text *t);
void lab_arrival_verdict(const struct fact *f, int n, struct text *t);
void lab_cost_axes(const struct world *w, const struct setup *s, struct axes *out);
void lab_arrival_axes(const struct world *w, const struct setup *s, struct axes *out);
void lab_record_draw(struct canvas *c, struct rect r, const struct view *v);
void lab_cost_draw(struct canvas *c, struct rect r, const struct view *v);
void lab_arrival_draw(struct canvas *c, struct rect r, const struct view *v);

#endif
