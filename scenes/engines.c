#include "scenes/engines.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tui/text.h"

enum kind { KIND_COMPUTE, KIND_LINK, KIND_FIXED, KIND_N };
static const struct {
  enum role role;
  int pattern;
  const char *word;
} look[KIND_N] = {{ROLE_COMPUTE, 0, "arithmetic"}, {ROLE_LINK, 2, "bytes"}, {ROLE_FIXED, 1, "set-up"}};

enum { SEGMENT_MAX = 96, TRIPS = 3, LABEL_W = 9, VALUE_W = 9 };
struct segment {
  double from, to;
  enum kind kind;
};
struct lane {
  const char *name;
  struct segment segment[SEGMENT_MAX];
  int n;
};

static void lane_add(struct lane *l, double from, double length, enum kind kind) {
  if (l->n < SEGMENT_MAX && length > 0 && isfinite(from + length)) l->segment[l->n++] = (struct segment){from, from + length, kind};
}

/* `count` times a set-up followed by its share of the work. Too fine to be told apart on the screen, they are drawn as their two sums. */
static void lane_stage(struct lane *l, double from, double setup, double work, double count, enum kind kind, double cell_s) {
  if (count < 1) return;
  if (count > 12 || (setup + work) / count < 3 * cell_s || l->n + 2 * count > SEGMENT_MAX) {
    lane_add(l, from, setup, KIND_FIXED);
    lane_add(l, from + setup, work, kind);
    return;
  }
  for (int i = 0; i < (int)count; i++) {
    double at = from + i * (setup + work) / count;
    lane_add(l, at, setup / count, KIND_FIXED);
    lane_add(l, at + setup / count, work / count, kind);
  }
}

/* Each cell shows what fills most of it; what would get no cell at all gets the one it lies in, so that nothing that costs time vanishes.
 */
static void lane_draw(struct canvas *c, struct rect r, const struct lane *l, double cell_s) {
  int8_t show[1024];
  int w = r.w < 1024 ? r.w : 1024;
  for (int x = 0; x < w; x++) {
    double part[KIND_N] = {0}, lo = x * cell_s, hi = lo + cell_s, best = 0, all = 0;
    show[x] = -1;
    for (int i = 0; i < l->n; i++) {
      double shared = fmin(hi, l->segment[i].to) - fmax(lo, l->segment[i].from);
      if (shared > 0) part[l->segment[i].kind] += shared, all += shared;
    }
    for (int k = 0; k < KIND_N && all >= 0.5 * cell_s; k++)
      if (part[k] > best) best = part[k], show[x] = (int8_t)k;
  }
  for (int i = 0; i < l->n; i++) {
    const struct segment *s = &l->segment[i];
    int from = (int)fmin(floor(s->from / cell_s), w), to = (int)fmin(ceil(s->to / cell_s), w);
    bool seen = false;
    for (int x = from; x < to; x++) seen = seen || show[x] == (int8_t)s->kind;
    int middle = (int)fmin(floor((s->from + s->to) / 2 / cell_s), w);
    if (!seen && middle >= 0 && middle < w) show[middle] = (int8_t)s->kind;
  }
  for (int x = 0; x < w; x++)
    if (show[x] >= 0) canvas_fill(c, (struct rect){r.x + x, r.y, 1, r.h}, look[show[x]].role, look[show[x]].pattern);
}

int engines_height(int h) { return h >= 24 ? 7 : h >= 13 || h < 8 ? 5 : 4; }

/* When each stage of the trips runs: a trip's stages follow one another, and an engine does one trip at a time. */
static double schedule(struct lane lane[4], const struct crossing_in *in, const struct crossing_out *o, int trips, double cell_s) {
  double in_free = 0, run_free = 0, out_free = 0;
  double copy_in = o->in_copies * in->copy_s, copy_out = o->out_copies * in->copy_s, launch = in->reuse * in->launch_s;
  for (int i = 0; i < trips; i++) {
    double at = fmax(i * o->device_time, in_free);
    if (o->in_copies > 0) lane_stage(&lane[1], at, copy_in, o->in_time - copy_in, o->in_copies, KIND_LINK, cell_s);
    in_free = at + o->in_time;
    at = fmax(in_free, run_free);
    lane_stage(&lane[2], at, launch, o->compute_time, in->reuse, KIND_COMPUTE, cell_s);
    run_free = at + o->run_time;
    at = fmax(run_free, out_free);
    if (o->out_copies > 0) lane_stage(&lane[3], at, copy_out, o->out_time - copy_out, o->out_copies, KIND_LINK, cell_s);
    out_free = at + o->out_time;
    lane_add(&lane[0], i * o->host_time, o->host_time, KIND_COMPUTE);
  }
  return out_free;
}

static void draw_legend(struct canvas *c, struct rect r) {
  int x = r.x;
  for (int k = 0; k < KIND_N && x + 3 + text_columns(look[k].word) <= r.x + r.w; k++) {
    canvas_fill(c, (struct rect){x, r.y, 2, 1}, look[k].role, look[k].pattern);
    x += 3;
    x += canvas_text(c, x, r.y, look[k].word, -1, ROLE_DIM, 0) + 2;
  }
}

/* From 0 to the end of the trip, so that the bars can be read as times. */
static void draw_scale(struct canvas *c, struct rect bars, int right, int y, double cell_s, double end, const char *words) {
  int at = bars.x + (int)fmin(end / cell_s, bars.w - 1), w = text_columns(words);
  int x = at + 2 + w <= right ? at + 2 : right - w;
  canvas_put(c, bars.x - 2, y, '0', ROLE_AXIS, 0);
  if (x - 2 > bars.x) canvas_hline(c, bars.x, x - 2, y, ROLE_AXIS, 0);
  if (x > bars.x) canvas_text(c, x, y, words, right - x, ROLE_AXIS, 0);
}

/* Values beside the bars: what the host takes, and when the last copy has arrived. */
static void draw_values(struct canvas *c, struct rect bars, int y, double host_s, double trip_s, bool off, bool scaled) {
  struct text t;
  text_clear(&t);
  text_number(&t, host_s, "s");
  canvas_text(c, bars.x + bars.w + 1, y, t.s, VALUE_W - 1, ROLE_TEXT, off ? ATTR_BOLD : 0);
  text_clear(&t);
  text_number(&t, trip_s, "s");
  if (!scaled) canvas_text(c, bars.x + bars.w + 1, y + 3, t.s, VALUE_W - 1, ROLE_TEXT, 0);
}

void engines_draw(struct canvas *c, struct rect r, const struct crossing_in *in, double measured_s) {
  struct lane lane[4] = {{.name = "host"}, {.name = "link in"}, {.name = "device"}, {.name = "link out"}}, dry[4];
  struct crossing_out o;
  struct text t;
  crossing_of(in, &o);
  int value_w = r.w >= LABEL_W + VALUE_W + 12 ? VALUE_W : 0, trips = o.overlapped ? TRIPS : 1;
  struct rect bars = {r.x + LABEL_W, r.y, r.w - LABEL_W - value_w, 1};
  if (trips > 1) lane[0].name = "host ×3";
  for (int i = 0; i < 4 && i < r.h; i++) canvas_text(c, r.x, r.y + i, lane[i].name, LABEL_W - 1, ROLE_TEXT, 0);
  if (bars.w < 4) return;
  memcpy(dry, lane, sizeof dry);
  double trip_s = schedule(dry, in, &o, trips, 0), host_s = trips * o.host_time;
  bool trip_known = trip_s > 0 && isfinite(trip_s), host_known = host_s > 0 && isfinite(host_s);
  /* The scale is the trip's: a host that takes far longer runs off the edge, with an arrow and its time, rather than squash the trip. */
  double span = !trip_known ? host_s : host_s > 1.6 * trip_s ? 1.1 * trip_s : fmax(host_s, trip_s), cell_s = span / bars.w;
  if (trip_known || host_known) schedule(lane, in, &o, trips, cell_s);
  for (int i = 0; i < 4 && i < r.h; i++) {
    bars.y = r.y + i;
    if (i == 0 ? !host_known : !trip_known)
      canvas_text(c, bars.x, bars.y, "not known", bars.w, ROLE_DIM, 0);
    else if ((i == 1 || i == 3) && lane[i].n == 0)
      canvas_text(c, bars.x, bars.y, "nothing to carry", bars.w, ROLE_DIM, 0);
    else
      lane_draw(c, bars, &lane[i], cell_s);
  }
  if (!trip_known && !host_known) return;
  bool off = host_s > span * (1 + 1e-9), scaled = r.h > 5;
  if (off) canvas_put(c, bars.x + bars.w - 1, r.y, 0x25B8, ROLE_COMPUTE, ATTR_BOLD);
  int last = bars.w - (off ? 2 : 1); /* the arrow keeps its cell */
  if (measured_s > 0 && trips * measured_s < span)
    canvas_put(c, bars.x + (int)fmin(trips * measured_s / cell_s, last), r.y, 'o', ROLE_MEASURED, 0);
  if (value_w) draw_values(c, bars, r.y, host_s, trip_s, off, scaled);
  text_clear(&t);
  text_number(&t, trip_s, "s");
  if (trips > 1) text_add(&t, " for 3 trips");
  if (scaled && trip_known) draw_scale(c, bars, r.x + r.w, r.y + 4, cell_s, trip_s, t.s);
  if (r.h > 4) draw_legend(c, (struct rect){bars.x, r.y + (scaled ? 5 : 4), bars.w + value_w, 1});
}
