/* The diagnose scene's picture: the gauges that are always in sight, above the view's own. */
#include <math.h>

#include "scenes/diagnose.h"
#include "tui/number.h"
#include "tui/widget.h"

void diagnose_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  struct diagnose d;
  (void)prev;
  diagnose_of(w, s, &d);
  out->x[0] = out->x2[0] = out->y[0] = out->y2[0] = 0;
  out->x[1] = out->x2[1] = d.known ? d.rig.window : 1;
  out->y[1] = d.known ? d.rig.step.capacity_byte * 1.1 : 1;
  out->y2[1] = 1.1;
}

/* The two gauges that are always there, and the throughput. */
void diagnose_draw_gauges(struct canvas *c, struct rect r, const struct view *v) {
  double busy = fact_value(v->fact, v->nfact, "busy"), peak = fact_value(v->fact, v->nfact, "peak_share");
  double rate = fact_value(v->fact, v->nfact, "token_rate"), well = fact_value(v->fact, v->nfact, "healthy_rate");
  if (r.h > 0) widget_gauge(c, (struct rect){r.x, r.y, r.w, 1}, "time busy ", busy, ROLE_LINK);
  if (r.h > 1) widget_gauge(c, (struct rect){r.x, r.y + 1, r.w, 1}, "of peak   ", peak, ROLE_COMPUTE);
  if (r.h > 2) widget_gauge(c, (struct rect){r.x, r.y + 2, r.w, 1}, "answers   ", rate / well, ROLE_MEASURED);
}

void diagnose_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct diagnose d;
  if (r.h < 4 || r.w < 20) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  diagnose_of(v->world, v->setup, &d);
  if (!d.known) {
    widget_words(c, r, "no service can be made of this device and model", ROLE_DIM);
    return;
  }
  if (d.view == VIEW_CHECKLIST) {
    diagnose_draw_checklist(c, r, v, &d);
    return;
  }
  if (d.view == VIEW_FAULTS) {
    diagnose_draw_faults(c, r, v, &d);
    return;
  }
  if (d.hidden == FAULT_N) {
    widget_words(c, r, "no fault is possible here", ROLE_DIM);
    return;
  }
  diagnose_draw_gauges(c, (struct rect){r.x, r.y, r.w, r.h < 8 ? r.h : 3}, v);
  if (r.h >= 8 && fact_value(v->fact, v->nfact, "ended_at") > 0)
    canvas_text(c, r.x, r.y + 3, "in the last reading before it ended", r.w, ROLE_DIM, 0);
  if (r.h >= 8) diagnose_draw_boards(c, (struct rect){r.x, r.y + 4, r.w, r.h - 4}, v, &d);
}
