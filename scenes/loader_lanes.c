/* The feed scene's time line: what every worker, the queue and the device do from the start on, to scale. */
#include <math.h>

#include "scenes/loader.h"
#include "tui/text.h"

enum { LABEL_W = 10, VALUE_W = 9, CELLS = 512, LANES = FEED_WORKERS + 2, LOOKS = 4 };

/* What is drawn for each doing, of workers and of the device. */
static const struct {
  enum role role;
  int pattern; /* -1: the glyph instead */
  char glyph;
  const char *word;
} look[] = {[FEED_READING] = {ROLE_LINK, 2, 0, "reads"},     [FEED_QUEUEING] = {ROLE_DIM, -1, '~', "in line"},
            [FEED_WORKING] = {ROLE_FIXED, 1, 0, "prepares"}, [FEED_BLOCKED] = {ROLE_DIM, -1, '.', "waits"},
            [FEED_STARVED] = {ROLE_BAD, -1, '-', "no data"}, [FEED_DOINGS] = {ROLE_COMPUTE, 0, 0, "computes"}};
enum { DEVICE_COMPUTES = FEED_DOINGS, LOOK_N };

static int workers_of(const struct feed *in) { return in->workers == 0 ? 1 : (int)in->workers; }

int loader_lanes_height(const struct feed *in, int h) {
  int around = in->item_byte > 0 ? 5 : 4, workers = workers_of(in); /* queue, device, scale, legend of four words or six */
  int most = h >= 30 ? 8 : h >= 22 ? 4 : h >= 14 ? 3 : 2;
  return (workers < most ? workers : most) + around;
}

/* Some steps, and two rounds of the workers at least, who at the start all want a core at once. */
static double span_of(const struct feed *in) {
  struct feed_bound b;
  feed_bound_of(in, &b);
  return fmax(8 * in->batch / b.item_per_s, 2.2 * b.batch_s * fmax(1, in->workers / in->cores));
}

/* For each cell: what a lane did for most of it, and the queue in its middle. */
struct strip {
  uint8_t worker[FEED_WORKERS][CELLS], device[CELLS];
  int ready[CELLS];
};

static void strip_fill(const struct feed *in, int shown, int cells, double cell_s, struct strip *out) {
  struct feed_state s;
  feed_start(in, LOADER_SEED, &s);
  for (int x = 0; x < cells; x++) {
    uint8_t count[FEED_WORKERS + 1][LOOK_N] = {{0}};
    for (int k = 0; k < LOOKS; k++) {
      double t = (x + (k + 0.5) / LOOKS) * cell_s;
      while (s.t < t) feed_step(in, &s, t);
      for (int i = 0; i < shown; i++) count[i][s.worker[i]]++;
      count[shown][s.device == FEED_WORKING ? DEVICE_COMPUTES : FEED_STARVED]++;
      if (k == LOOKS / 2) out->ready[x] = s.ready;
    }
    for (int i = 0; i <= shown; i++) {
      int best = 0;
      for (int d = 1; d < LOOK_N; d++)
        if (count[i][d] > count[i][best]) best = d;
      if (i < shown)
        out->worker[i][x] = (uint8_t)best;
      else
        out->device[x] = (uint8_t)best;
    }
  }
}

static void cell_draw(struct canvas *c, int x, int y, int what) {
  if (look[what].pattern >= 0)
    canvas_fill(c, (struct rect){x, y, 1, 1}, look[what].role, look[what].pattern);
  else
    canvas_put(c, x, y, (uint32_t)look[what].glyph, look[what].role, 0);
}

/* A lane of `rows` rows: what is drawn by a glyph stands in the middle one. What was seen in it. */
static unsigned lane_draw(struct canvas *c, struct rect bars, int rows, const uint8_t *what) {
  unsigned seen = 0;
  for (int x = 0; x < bars.w; x++) {
    seen |= 1u << what[x];
    for (int y = 0; y < rows; y++)
      if (y == rows / 2 || look[what[x]].pattern >= 0) cell_draw(c, bars.x + x, bars.y + y, what[x]);
  }
  return seen;
}

/* On one row, or on two where there is a second. */
static void draw_legend(struct canvas *c, struct rect r, unsigned seen) {
  static const uint8_t order[] = {DEVICE_COMPUTES, FEED_STARVED, FEED_WORKING, FEED_BLOCKED, FEED_READING, FEED_QUEUEING};
  int x = r.x, y = r.y;
  for (size_t i = 0; i < sizeof order; i++) {
    int what = order[i];
    if (!(seen & 1u << what)) continue;
    if (x + 3 + text_columns(look[what].word) > r.x + r.w) x = r.x, y++;
    if (y >= r.y + r.h || x + 3 + text_columns(look[what].word) > r.x + r.w) return;
    cell_draw(c, x, y, what);
    cell_draw(c, x + 1, y, what);
    x += 3;
    x += canvas_text(c, x, y, look[what].word, -1, ROLE_DIM, 0) + 2;
  }
}

static void draw_value(struct canvas *c, int x, int y, double v, const char *unit) {
  struct text t;
  text_clear(&t);
  text_number(&t, v, unit);
  canvas_text(c, x, y, t.s, VALUE_W - 1, ROLE_TEXT, 0);
}

static void draw_scale(struct canvas *c, struct rect bars, int y, double span) {
  struct text t;
  text_clear(&t);
  text_number(&t, span, "s");
  int w = text_columns(t.s);
  if (bars.w < w + 4) return;
  canvas_put(c, bars.x, y, '0', ROLE_AXIS, 0);
  canvas_hline(c, bars.x + 1, bars.x + bars.w - w - 2, y, ROLE_AXIS, 0);
  canvas_text(c, bars.x + bars.w - w, y, t.s, w, ROLE_AXIS, 0);
}

void loader_lanes(struct canvas *c, struct rect r, const struct view *v) {
  struct feed in = loader_feed(v->setup);
  int value_w = r.w >= LABEL_W + VALUE_W + 16 ? VALUE_W : 0, workers = workers_of(&in), room = r.h - 4;
  struct rect bars = {r.x + LABEL_W, r.y, r.w - LABEL_W - value_w, 1};
  if (room < 1 || bars.w < 4) return;
  if (bars.w > CELLS) bars.w = CELLS;
  int shown = workers <= room ? workers : room - 1;
  double span = span_of(&in), cell_s = span / bars.w;
  struct strip strip;
  strip_fill(&in, shown, bars.w, cell_s, &strip);
  /* Where there is room a lane is as high as that allows, with a gap to the next. */
  int pitch = (r.h - 4) / (shown + 1), rows;
  if (pitch < 3 || shown < workers) pitch = 1;
  if (pitch > 6) pitch = 6;
  rows = pitch > 1 ? pitch - 1 : 1;
  unsigned seen = 0;
  int y = r.y;
  struct text t;
  for (int i = 0; i < shown; i++, y += pitch) {
    text_clear(&t);
    text_add(&t, in.workers == 0 ? "program" : "worker ");
    if (in.workers > 0) text_count(&t, i + 1);
    canvas_text(c, r.x, y + rows / 2, t.s, LABEL_W - 1, ROLE_TEXT, 0);
    bars.y = y;
    seen |= lane_draw(c, bars, rows, strip.worker[i]);
  }
  if (shown < workers) {
    text_clear(&t);
    text_add(&t, "and ");
    text_count(&t, workers - shown);
    text_add(&t, " more");
    canvas_text(c, r.x, y++, t.s, r.w, ROLE_DIM, 0);
  }
  canvas_text(c, r.x, y, in.workers == 0 ? "queue" : "ready", LABEL_W - 1, ROLE_TEXT, 0);
  if (in.workers == 0)
    canvas_text(c, bars.x, y, "none: nobody prepares ahead", bars.w, ROLE_DIM, 0);
  else
    for (int x = 0; x < bars.w; x++)
      canvas_put(c, bars.x + x, y, strip.ready[x] > 9 ? '+' : (uint32_t)('0' + strip.ready[x]), strip.ready[x] > 0 ? ROLE_GOOD : ROLE_DIM,
                 0);
  if (value_w && in.workers > 0) draw_value(c, bars.x + bars.w + 1, y, fact_value(v->fact, v->nfact, "batches_ready"), "1");
  bars.y = y += 1 + (pitch > 1);
  canvas_text(c, r.x, y + rows / 2, "device", LABEL_W - 1, ROLE_TEXT, 0);
  seen |= lane_draw(c, bars, rows, strip.device);
  if (value_w) draw_value(c, bars.x + bars.w + 1, y + rows / 2, fact_value(v->fact, v->nfact, "device_busy"), "%");
  y += pitch;
  if (y < r.y + r.h) draw_scale(c, bars, y++, span);
  if (y < r.y + r.h) draw_legend(c, (struct rect){r.x, y, r.w, r.y + r.h - y}, seen);
}
