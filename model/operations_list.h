/* operations_list: how the list of operations is built; shared by the files of the operations alone. */
#ifndef RIDGE_OPERATIONS_LIST_H
#define RIDGE_OPERATIONS_LIST_H

#include "model/operations.h"

struct list {
  const struct operations_in *in;
  struct operation *out;
  int n;
  enum phase phase;
  bool backward, again;
  double sequence, tokens; /* tokens of one sequence in this pass, or it already holds in decode; tokens of all in this pass */
};

/* [m × k]·[k × n], `copies` times (0: once). stored: parameters it owns; active: those a token is multiplied with; read: parameters
 * fetched. in, out: values that go in and out where they are not m·k and m·n. cached: the result goes to the cache of keys and values. */
struct product {
  double m, n, k, copies;
  double stored, active, read;
  double in, out;
  bool cached;
};
/* m rows of n values: values read and written for each, FLOP for each; backward as factors and values moved (0: as forward). rides: values
 * still moved for each when it is fused into its neighbour. */
struct element {
  double m, n, read, write, flop, params;
  bool fuses;
  double rides, backward_flop, backward_moved, backward_rides;
};
struct operation *list_put(struct list *l, enum operation_kind kind, double count);
void list_product(struct list *l, enum operation_kind kind, double count, struct product p);
void list_element(struct list *l, enum operation_kind kind, double count, struct element e);
/* Adds up what the bytes are, once all is in. */
void list_close(struct list *l);

void list_transformer(struct list *l);  /* operations_transformer.c */
void list_convolutions(struct list *l); /* operations_convolution.c */

#endif
