/* The staircase in this machine's file and in figure lines: {"read": {"seed": …, "points": [{"byte": …, "value": …, …}, …]}, …}. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/json_out.h"
#include "data/line.h"
#include "data/node.h"
#include "data/record.h"
#include "model/knee.h"

void stair_write(struct json_out *o, const struct machine *m) {
  int points = 0;
  for (int k = 0; k < STAIR_KIND_N; k++) points += m->stair[k].n;
  if (!points) return;
  json_out_object(o, "stair");
  for (int k = 0; k < STAIR_KIND_N; k++) {
    const struct stair *s = &m->stair[k];
    if (!s->n) continue;
    json_out_object(o, stair_name((enum stair_kind)k));
    if (!isnan(s->seed)) json_out_number(o, "seed", s->seed);
    json_out_array(o, "points");
    for (int i = 0; i < s->n; i++) {
      const struct stair_point *p = &s->point[i];
      json_out_object(o, NULL);
      json_out_number(o, "byte", p->byte);
      json_out_number(o, "value", p->value);
      json_out_number(o, "threads", p->threads);
      json_out_number(o, "n", p->samples);
      if (!isnan(p->spread)) json_out_number(o, "spread", (double)p->spread);
      if (p->flags) flags_write(o, p->flags);
      json_out_end(o);
    }
    json_out_end(o);
    json_out_end(o);
  }
  json_out_end(o);
}

static bool point_read(const struct node *n, struct stair_point *p, struct err *e) {
  static const char *const known[] = {"byte", "value", "threads", "n", "spread", "flags", NULL};
  double spread = NAN;
  int threads = 0, samples = 0;
  unsigned flags = 0;
  *p = (struct stair_point){.byte = NAN, .value = NAN};
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(node_number(n, "byte", "a working set in byte", 1, 1e18, &p->byte, e));
  OR_FALSE(node_number(n, "value", "a rate in byte/s or a latency in s", 1e-15, 1e18, &p->value, e));
  if (isnan(p->byte)) return node_missing(n, "byte", "the working set", e);
  if (isnan(p->value)) return node_missing(n, "value", "what was measured there", e);
  OR_FALSE(node_int(n, "threads", 0, UINT16_MAX, &threads, e));
  OR_FALSE(node_int(n, "n", 0, UINT16_MAX, &samples, e));
  OR_FALSE(node_number(n, "spread", "a share of the median", 0, 1e9, &spread, e));
  OR_FALSE(flags_read(n, &flags, e));
  p->threads = (uint16_t)threads, p->samples = (uint16_t)samples, p->flags = (uint16_t)flags, p->spread = (float)spread;
  return true;
}

static bool kind_read(const struct node *n, struct stair *s, struct err *e) {
  static const char *const known[] = {"seed", "points", NULL};
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(node_number(n, "seed", "a number", 0, DBL_MAX, &s->seed, e));
  struct node points = node_member(n, "points");
  if (!points.at) return node_missing(n, "points", "the points of the staircase", e);
  OR_FALSE(node_array(&points, STAIR_MAX, e));
  for (int i = 0, count = node_count(&points); i < count; i++) {
    struct node at = node_element(&points, i);
    struct stair_point p;
    OR_FALSE(point_read(&at, &p, e));
    stair_put(s, &p);
  }
  return true;
}

bool stair_read(const struct node *n, struct machine *m, struct err *e) {
  const char *known[STAIR_KIND_N + 1] = {NULL};
  struct node at = node_member(n, "stair");
  if (!at.at) return true;
  for (int k = 0; k < STAIR_KIND_N; k++) known[k] = stair_name((enum stair_kind)k);
  OR_FALSE(node_object(&at, known, e));
  for (int k = 0; k < STAIR_KIND_N; k++) {
    struct node kind = node_member(&at, known[k]);
    if (kind.at) OR_FALSE(kind_read(&kind, &m->stair[k], e));
  }
  return true;
}

bool stair_apply(const struct line *l, struct device *here) {
  struct machine *m = &here->machine;
  bool latency = !strcmp(l->name, "stair_latency"), team = !latency && (l->request.threads != 1 || m->threads <= 1),
       one = !latency && l->request.threads == 1, taken = false;
  struct stair_point p = {.byte = l->byte,
                          .value = l->value,
                          .spread = (float)l->spread,
                          .threads = (uint16_t)(l->request.threads > UINT16_MAX ? UINT16_MAX : l->request.threads),
                          .samples = (uint16_t)(l->samples > UINT16_MAX ? UINT16_MAX : l->samples),
                          .flags = (uint16_t)l->flags};
  if (!latency && strcmp(l->name, "stair") != 0) return false;
  const bool goes[STAIR_KIND_N] = {[STAIR_TEAM] = team, [STAIR_ONE] = one, [STAIR_LATENCY] = latency};
  for (int k = 0; k < STAIR_KIND_N; k++)
    if (goes[k] && stair_put(&m->stair[k], &p)) m->stair[k].seed = l->seed, taken = true;
  if (team && taken) knee_take(here);
  return taken;
}
