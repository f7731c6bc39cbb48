/* record: what reader and writer of the files share: the plain fields of the machine section, one row each. Internal to data/. */
#ifndef RIDGE_RECORD_H
#define RIDGE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "data/json_out.h"
#include "data/node.h"
#include "model/world.h"

struct machine_text {
  const char *key;
  size_t offset;
  int size;
};
struct machine_number {
  const char *key;
  size_t offset;
  const char *what;
};
extern const struct machine_text machine_text[];
extern const int machine_text_count;
extern const struct machine_number machine_number[];
extern const int machine_number_count;

/* The member "flags", an array of their names; none: no flag. */
bool flags_read(const struct node *n, unsigned *flags, struct err *e);
void flags_write(struct json_out *o, unsigned flags);

/* The member "trust" of the machine section; none: nothing is known of how far to trust its figures. */
bool trust_read(const struct node *n, struct machine *m, struct err *e);
void trust_write(struct json_out *o, const struct machine *m);

/* The member "stair" of the machine section; none: the staircase was not measured. */
bool stair_read(const struct node *n, struct machine *m, struct err *e);
void stair_write(struct json_out *o, const struct machine *m);
/* Takes a "stair…" figure line in; false when it is none, or no measurement. */
struct line;
bool stair_apply(const struct line *l, struct device *here);

/* At most 64 lower-case letters, digits, and - . _ behind the first: fit for a command line and a file name. */
bool id_valid(const char *id);

#endif
