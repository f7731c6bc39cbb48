#include "model/trust.h"

#include <string.h>

#include "model/world.h"

static bool same_figure(const struct trust *a, const struct trust *b) {
  return strcmp(a->name, b->name) == 0 && a->dtype == b->dtype && a->isa == b->isa && a->level == b->level && a->threads == b->threads;
}

bool trust_put(struct machine *m, const struct trust *t) {
  int i = 0;
  while (i < m->ntrust && !same_figure(&m->trust[i], t)) i++;
  if (i == TRUST_MAX) return false;
  /* The newest stands last, so that of several with one name the last found is the last measured. */
  if (i < m->ntrust)
    memmove(&m->trust[i], &m->trust[i + 1], sizeof *m->trust * (size_t)(m->ntrust - i - 1));
  else
    m->ntrust++;
  m->trust[m->ntrust - 1] = *t;
  return true;
}

const struct trust *trust_find(const struct machine *m, const char *name, enum isa isa, enum dtype t, int threads, int level) {
  for (int i = m->ntrust; i-- > 0;) {
    const struct trust *at = &m->trust[i];
    if (strcmp(at->name, name) != 0 || (isa != ISA_AUTO && (at->isa != isa || at->dtype != t))) continue;
    if ((threads <= 0 || at->threads == threads) && (level < 0 || at->level == level)) return at;
  }
  return NULL;
}
