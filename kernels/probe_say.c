/* probe_say: how the parts of the probe speak. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/probe_inner.h"

void probe_say(struct probe *p, struct line *l) {
  /* The clock alone is not what anybody asked for. */
  if (l->kind == LINE_FIGURE && l->samples > 0 && strcmp(l->name, "clock") != 0) p->figures++;
  if (!p->stopped && !p->say(l, p->arg)) p->stopped = true;
}

struct line probe_figure(const char *name, double value) {
  struct line l;
  line_clear(&l, LINE_FIGURE);
  snprintf(l.name, sizeof l.name, "%s", name);
  l.value = value;
  return l;
}

void probe_say_number(struct probe *p, const char *name, double value) {
  struct line l = probe_figure(name, value);
  if (value > 0) probe_say(p, &l);
}

void probe_say_text(struct probe *p, const char *name, const char *text) {
  struct line l = probe_figure(name, NAN);
  snprintf(l.text, sizeof l.text, "%s", text);
  if (*text) probe_say(p, &l);
}

void probe_note(struct probe *p, const char *format, ...) {
  char text[160];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  size_t n = strlen(p->note);
  if (n + strlen(text) + 3 > sizeof p->note) return;
  snprintf(p->note + n, sizeof p->note - n, "%s%s", n ? "; " : "", text);
}

void probe_step(struct probe *p, const char *format, ...) {
  struct line l;
  line_clear(&l, LINE_PROGRESS);
  l.done = p->done++;
  l.total = p->total > p->done ? p->total : p->done;
  va_list ap;
  va_start(ap, format);
  vsnprintf(l.reason, sizeof l.reason, format, ap);
  va_end(ap);
  probe_say(p, &l);
}
