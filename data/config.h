/* config: a model from a Hugging Face config.json, as it lies beside the weights. Internal to data/.
 *
 * Only the fields that decide the shape are read; the many others are passed over. What decides the shape and is not understood (another
 * model_type, a model inside a model, a head that does not write tokens) is refused, never guessed at. */
#ifndef RIDGE_CONFIG_H
#define RIDGE_CONFIG_H

#include <stdbool.h>

#include "data/node.h"
#include "model/world.h"

enum config_layout { LAYOUT_LLAMA, LAYOUT_GPT2 }; /* how the plain dimensions are called */

/* One model_type. Its own defaults stand here, because files leave out what equals them. */
struct config_family {
  const char *type;
  enum config_layout layout;
  int norms;
  bool gated, norm_bias, qk_norm, tied;
  bool asks_kv, asks_head_dim;   /* the default is neither heads nor hidden / heads: the key must be there */
  unsigned bias, attention_bias; /* always; when the switch attention_bias is on */
  const char *experts;           /* the key that counts the routed experts; NULL: a dense model */
  const char *expert_ffn;        /* the key of an expert's width */
  bool latent, router_bias, shared_gate;
  int window_every; /* of so many layers one looks back all the way, the others through a window; 1: all through a window */
};

/* NULL when there is none. Row i, NULL behind the last. */
const struct config_family *config_family_find(const char *type);
const char *config_family_type(int i);

/* Whether this is such a file at all, rather than one of ours. */
bool config_is(const struct node *root);
/* *m must be cleared, its counts NAN. path names the model where the file does not. */
bool config_read(const struct node *root, const char *path, struct model *m, struct err *e);

#endif
