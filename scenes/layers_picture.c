/* The layers scene's lists: operations by time, what waits by four measures, fixes and what they gain, convolutions taken apart. */
#include <math.h>
#include <string.h>

#include "scenes/layers_measured.h"
#include "tui/number.h"
#include "tui/widget.h"

static enum role bound_role(enum bound b) { return b == BOUND_MEMORY ? ROLE_MEMORY : b == BOUND_COMPUTE ? ROLE_COMPUTE : ROLE_DIM; }

static void number_at(struct canvas *c, int x_end, int w, int y, double v, const char *unit, enum role role, const struct view *view) {
  char number[NUMBER_MAX];
  number_print(number, v, unit, 3, view->ascii);
  canvas_text_right(c, x_end - w, x_end, y, number, role, 0);
}

/* The first row in sight, so that the picked one is. */
static int skip_of(int n, int at, int room) {
  int skip = at - room / 2;
  if (skip > n - room) skip = n - room;
  return skip < 0 ? 0 : skip;
}

static void more_below(struct canvas *c, struct rect r, int y, int left) {
  struct text t;
  text_clear(&t);
  text_add(&t, "▾ ");
  text_count(&t, left);
  text_add(&t, " more below");
  canvas_text(c, r.x + 1, y, t.s, r.w - 1, ROLE_DIM, 0);
}

/* A cell in the pattern of what limits it, left of its number: known without colour. */
static void swatch(struct canvas *c, int x, int y, enum bound b) {
  enum role role = bound_role(b);
  if (b != BOUND_UNKNOWN) canvas_fill(c, (struct rect){x, y, 1, 1}, role, widget_pattern(role));
}

static void legend(struct canvas *c, struct rect r) {
  struct part part[] = {{1, ROLE_MEMORY, 0, "waits for memory"}, {1, ROLE_COMPUTE, 0, "calculates"}};
  widget_legend(c, r, part, 2);
}

/* ---- operations ---- */

struct column {
  const char *title;
  int w;
};
enum { T_SHARE, T_INTENSITY, T_TIME, T_COUNT, T_FLOP, T_BYTE, T_N };
static const struct column column[T_N] = {[T_SHARE] = {"time", 8},  [T_INTENSITY] = {"FLOP/B", 8}, [T_TIME] = {"takes", 10},
                                          [T_COUNT] = {"times", 6}, [T_FLOP] = {"each", 12},       [T_BYTE] = {"moves", 10}};
enum { NAME = 19, BAR_LEAST = 8, BAR_GOOD = 20, BAR_MOST = 48 };

static void operation_row(struct canvas *c, struct rect r, int bar, int columns, const struct view *v, const struct layers *l, int index) {
  const struct profile_op *o = &l->profile.op[index];
  double share = o->time / l->profile.total.time;
  bool picked = index == l->pick;
  if (picked) canvas_put(c, r.x, r.y, 0x25B8, ROLE_FOCUS, 0);
  int x = r.x + 1;
  canvas_text(c, x, r.y, layers_name(l, &o->op), NAME - 4, picked ? ROLE_TITLE : ROLE_TEXT, picked ? ATTR_REVERSE : 0);
  if (o->op.backward) canvas_put(c, r.x + NAME - 2, r.y, 0x25C2, ROLE_DIM, 0);
  if (o->op.again) canvas_put(c, r.x + NAME - 2, r.y, 'r', ROLE_DIM, 0);
  x = r.x + NAME;
  if (bar > 0) {
    struct part part = {share, bound_role(o->bound), 0, ""};
    double full = l->profile.op[l->profile.order[0]].time / l->profile.total.time;
    if (share > 0) widget_bar(c, (struct rect){x, r.y, bar, 1}, &part, 1, full, NAN);
    x += bar;
  } else
    swatch(c, x - 1, r.y, o->bound);
  const double cell[T_N] = {share, o->flop_per_byte, o->time, o->op.count, o->op.flop, o->op.byte};
  static const char *const unit[T_N] = {"%", "1", "s", "n", "flop", "byte"};
  for (int i = 0; i < columns; i++) {
    x += column[i].w;
    if (i == T_INTENSITY && o->op.launches == 0 && !isfinite(cell[i]))
      canvas_text_right(c, x - column[i].w, x, r.y, "fused", ROLE_DIM, 0);
    else
      number_at(c, x, column[i].w, r.y, cell[i], unit[i], i == T_INTENSITY ? bound_role(o->bound) : picked ? ROLE_TITLE : ROLE_TEXT, v);
  }
}

static void draw_list(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  const struct profile *p = &l->profile;
  int columns = 0, used = NAME, at = 0, rows = r.h - 1;
  while (columns < T_N && used + column[columns].w + (columns > T_TIME ? BAR_GOOD : columns > T_SHARE ? BAR_LEAST : 0) <= r.w)
    used += column[columns++].w;
  int bar = r.w - used < BAR_LEAST ? 0 : r.w - used > BAR_MOST ? BAR_MOST : r.w - used;
  bool last = r.h >= 10;
  int plot = r.h - p->n - 3;
  if (plot >= 14 && r.w >= 60) { /* room to spare: the same under one roof */
    layers_draw_roof(c, (struct rect){r.x, r.y + r.h - plot, r.w, plot}, v, l);
    r.h -= plot;
    rows -= plot;
  }
  rows -= last;
  canvas_text(c, r.x + 1, r.y, "by time", NAME - 2, ROLE_AXIS, 0);
  for (int i = 0, x = r.x + NAME + bar; i < columns; i++) {
    x += column[i].w;
    canvas_text_right(c, x - column[i].w, x, r.y, column[i].title, ROLE_AXIS, 0);
  }
  for (int i = 0; i < p->n; i++)
    if (p->order[i] == l->pick) at = i;
  bool more = p->n > rows;
  int room = more ? rows - 1 : rows, skip = skip_of(p->n, at, room);
  for (int i = 0; i < room && skip + i < p->n; i++)
    operation_row(c, (struct rect){r.x, r.y + 1 + i, r.w, 1}, bar, columns, v, l, p->order[skip + i]);
  if (more && p->n > skip + room) more_below(c, r, r.y + 1 + room, p->n - skip - room);
  if (!last) return;
  legend(c, (struct rect){r.x + 1, r.y + r.h - 1, r.w - 1, 1});
  if (operations_phase(&l->in.work) != PHASE_TRAINING || r.w < 48) return;
  canvas_put(c, r.x + 39, r.y + r.h - 1, 0x25C2, ROLE_DIM, 0);
  canvas_text(c, r.x + 41, r.y + r.h - 1, "backward", r.w - 41, ROLE_DIM, 0);
  if (l->in.work.recompute && r.w >= 70) canvas_text(c, r.x + 52, r.y + r.h - 1, "r computed again", r.w - 52, ROLE_DIM, 0);
}

/* ---- by count, FLOP, bytes, time ---- */

static void bar_row(struct canvas *c, struct rect r, const char *label, const struct part *part, int n, int tall) {
  canvas_text(c, r.x + 1, r.y, label, 12, ROLE_TEXT, 0);
  widget_bar(c, (struct rect){r.x + 13, r.y, r.w - 13, tall}, part, n, 1, NAN);
}

static void draw_count(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  static const char *const name[] = {"operations", "FLOP", "bytes", "time"};
  const struct profile_sum *t = &l->profile.total, *k = l->profile.class;
  double all[] = {t->count, t->flop, t->byte, t->time}, wait[] = {t->memory_count, t->memory_flop, t->memory_byte, t->memory_time};
  int tall = r.h >= 22 ? 2 : 1, step = r.h >= 14 ? tall + 1 : 1, y = r.y;
  struct part kinds[CLASS_N] = {{1, ROLE_MEMORY, 'p', "products"},
                                {1, ROLE_KV, 'a', "attention"},
                                {1, ROLE_ACTIVATION, 'e', "element-wise"},
                                {1, ROLE_OPTIMIZER, 'u', "update"}};
  int nkinds = k[CLASS_UPDATE].count > 0 ? CLASS_N : CLASS_UPDATE;
  (void)v;
  canvas_text(c, r.x + 1, y++, "who waits for memory", r.w - 1, ROLE_AXIS, 0);
  for (int i = 0; i < 4 && y + tall <= r.y + r.h; i++, y += step) {
    double share = wait[i] / all[i];
    struct part part[] = {{share, ROLE_MEMORY, 'm', ""}, {1 - share, ROLE_COMPUTE, 'c', ""}};
    bar_row(c, (struct rect){r.x, y, r.w, 1}, name[i], part, 2, tall);
  }
  if (y < r.y + r.h) legend(c, (struct rect){r.x + 13, y, r.w - 13, 1});
  y += r.h >= 14 ? 2 : 1;
  if (y + 5 > r.y + r.h) return;
  canvas_text(c, r.x + 1, y++, "of which kind", r.w - 1, ROLE_AXIS, 0);
  for (int i = 0; i < 4 && y + tall <= r.y + r.h; i++, y += step) {
    for (int j = 0; j < nkinds; j++) kinds[j].value = (const double[]){k[j].count, k[j].flop, k[j].byte, k[j].time}[i] / all[i];
    bar_row(c, (struct rect){r.x, y, r.w, 1}, name[i], kinds, nkinds, tall);
  }
  if (y < r.y + r.h) widget_legend(c, (struct rect){r.x + 13, y, r.w - 13, 1}, kinds, nkinds);
}

/* ---- fixes ---- */

static void draw_fix(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  double gain[FIX_N], most = 2;
  int rows = FIX_N, name = r.w >= 62 ? 31 : 12, value = 9, bar = r.w - name - value - 2;
  for (int i = 0; i < FIX_N; i++) {
    gain[i] = profile_gain(&l->plain, (enum fix)i);
    if (gain[i] > most) most = gain[i];
  }
  canvas_text(c, r.x + 1, r.y, "tried alone", name - 1, ROLE_AXIS, 0);
  canvas_text_right(c, r.x + name, r.x + name + value, r.y, "gains", ROLE_AXIS, 0);
  for (int i = FIX_FUSE; i < FIX_N && i < r.h; i++) {
    int y = r.y + i;
    bool tried = (int)l->fix == i, nothing = gain[i] < 1.005;
    if (tried) canvas_put(c, r.x, y, 0x25B8, ROLE_FOCUS, 0);
    canvas_text(c, r.x + 1, y, name > 12 ? fix_words((enum fix)i) : fix_name((enum fix)i), name - 2, tried ? ROLE_TITLE : ROLE_TEXT,
                tried ? ATTR_REVERSE : 0);
    if (nothing)
      canvas_text_right(c, r.x + name, r.x + name + value, y, "nothing", ROLE_DIM, 0);
    else
      number_at(c, r.x + name + value, value, y, gain[i], "x", ROLE_GOOD, v);
    struct part part = {gain[i] - 1, ROLE_GOOD, 0, ""};
    if (bar >= 5 && !nothing && !isnan(gain[i])) widget_bar(c, (struct rect){r.x + name + value + 2, y, bar, 1}, &part, 1, most - 1, NAN);
  }
  if (r.h - rows < 8) return;
  struct text t;
  text_clear(&t);
  text_add(&t, "made faster: ");
  text_add(&t, l->pick < 0 ? "nothing" : layers_name(l, &l->profile.op[l->pick].op));
  text_add(&t, ", ");
  text_number(&t, v->setup->v[KNOB_SHARE], "%");
  text_add(&t, " of the time");
  canvas_text(c, r.x + 1, r.y + rows + 1, t.s, r.w - 1, ROLE_AXIS, 0);
  layers_draw_amdahl(c, (struct rect){r.x, r.y + rows + 2, r.w, r.h - rows - 2}, v, l);
}

/* ---- convolutions ---- */

static void draw_conv(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  static const struct column head[] = {{"FLOP/B", 8}, {"depthwise", 10}, {"less FLOP", 10}, {"less time", 10}, {"takes", 10}, {"times", 6}};
  static const char *const unit[] = {"1", "1", "x", "x", "s", "n"};
  int n = layers_convs(l), rows = r.h - 1, columns = 0, used = NAME, at = (int)v->setup->v[KNOB_OPERATION] - 1;
  if (n == 0) {
    widget_words(c, r, "No model of the catalogue has convolutions.", ROLE_WARN);
    return;
  }
  if (at >= n) at = n - 1;
  while (columns < 6 && used + head[columns].w <= r.w) used += head[columns++].w;
  bool last = r.h >= 10;
  int plot = r.h - n - 3;
  if (plot >= 14 && r.w >= 60) {
    layers_draw_twins(c, (struct rect){r.x, r.y + r.h - plot, r.w, plot}, v, l, at);
    r.h -= plot;
    rows -= plot;
  }
  rows -= last;
  canvas_text(c, r.x + 1, r.y, l->model->id, NAME - 2, ROLE_AXIS, 0);
  for (int i = 0, x = r.x + NAME; i < columns; i++) {
    x += head[i].w;
    canvas_text_right(c, x - head[i].w, x, r.y, head[i].title, ROLE_AXIS, 0);
  }
  bool more = n > rows;
  int room = more ? rows - 1 : rows, skip = skip_of(n, at, room);
  for (int i = 0; i < room && skip + i < n; i++) {
    struct layers_conv k = layers_conv_of(l, skip + i);
    int y = r.y + 1 + i, x = r.x + NAME;
    bool picked = skip + i == at;
    double depth = k.separable ? k.depth.flop_per_byte : NAN, apart = k.separable ? k.depth.time + k.point.time : NAN;
    const double cell[] = {
        k.plain.flop_per_byte,         depth,         k.plain.op.flop / (k.depth.op.flop + k.point.op.flop), k.plain.time / apart,
        k.plain.time * k.whole->count, k.whole->count};
    if (picked) canvas_put(c, r.x, y, 0x25B8, ROLE_FOCUS, 0);
    canvas_text(c, r.x + 1, y, k.whole->name, NAME - 2, picked ? ROLE_TITLE : ROLE_TEXT, picked ? ATTR_REVERSE : 0);
    for (int j = 0; j < columns; j++) {
      x += head[j].w;
      enum role role = j == 0 ? bound_role(k.plain.bound) : j == 1 ? bound_role(k.depth.bound) : ROLE_TEXT;
      if (j >= 1 && j <= 3 && !k.separable) continue;
      if (j <= 1) swatch(c, x - head[j].w + 1 + j, y, j == 0 ? k.plain.bound : k.depth.bound);
      number_at(c, x, head[j].w - (j <= 1 ? 2 + j : 0), y, cell[j], unit[j], role, v);
    }
  }
  if (more && n > skip + room) more_below(c, r, r.y + 1 + room, n - skip - room);
  if (last) legend(c, (struct rect){r.x + 1, r.y + r.h - 1, r.w - 1, 1});
}

void layers_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct layers l;
  layers_of(v->world, v->setup, &l);
  if (l.profile.n == 0) {
    widget_words(c, r, "This model's shape is not known: it cannot be taken apart.", ROLE_WARN);
    return;
  }
  switch (l.view) {
  case VIEW_POINTS: layers_draw_roof(c, r, v, &l); break;
  case VIEW_COUNT: draw_count(c, r, v, &l); break;
  case VIEW_FIX: draw_fix(c, r, v, &l); break;
  case VIEW_GROW: layers_draw_grow(c, r, v, &l); break;
  case VIEW_CONV: draw_conv(c, r, v, &l); break;
  case VIEW_BLOCK: layers_draw_block(c, r, v, &l); break;
  default: draw_list(c, r, v, &l); break;
  }
}
