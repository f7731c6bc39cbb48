/* What happens when nothing else does: the machine's figures are measured again, thoroughly, one part at a time, until all of them are. A
 * knob that moves ends it at once, and the part starts over when all is quiet again. Then the program is truly idle. */
#include <math.h>
#include <string.h>

#include "app/session.h"
#include "kernels/bench.h"

enum { REFINE_WAIT_MS = 1500 };

/* A part is known when each of its figures, and one at least, comes from a thorough pass. */
static bool part_known(const struct machine *m, int part) {
  static const char *const figure[PROBE_PARTS] = {"peak", "read", "level_latency", NULL, "sustained"};
  if (!figure[part]) return stair_complete(m->stair);
  bool known = false;
  for (int i = 0; i < m->ntrust; i++) {
    if (strcmp(m->trust[i].name, figure[part]) != 0) continue;
    if (!m->trust[i].thorough) return false;
    known = true;
  }
  return known;
}

static int part_next(const struct session *s) {
  const struct machine *m = &s->world->device[DEVICE_HERE].machine;
  for (int i = 0; s->refine && m->measured && i < PROBE_PARTS; i++)
    if (!(s->refined >> i & 1) && !part_known(m, i)) return i;
  return -1;
}

bool session_refines(struct session *s, double now, struct errand *out) {
  int part = part_next(s);
  if (part < 0) {
    s->refine_at = NAN;
    return false;
  }
  if (isnan(s->refine_at)) s->refine_at = now + REFINE_WAIT_MS * 1e-3;
  if (now < s->refine_at) return false;
  *out = (struct errand){.kind = ERRAND_REFINE, .part = part};
  return true;
}
