/* The view `block` drawn: every operation of the layer, longest first, its time in place as a bar, a mark where its roof stands. */
#include <math.h>

#include "scenes/layers_measured.h"
#include "tui/number.h"
#include "tui/widget.h"

enum { NAME = 15, BAR_LEAST = 12, BAR_MOST = 100, NUMBER = 10, COLUMNS = 4 };

static enum role bound_role(enum bound b) { return b == BOUND_MEMORY ? ROLE_MEMORY : b == BOUND_COMPUTE ? ROLE_COMPUTE : ROLE_DIM; }

struct list {
  const struct layers_block *b;
  const struct view *view;
  int columns, bar, at;
  double full; /* s of a whole bar */
};

static void part_row(struct canvas *c, struct rect r, const struct list *l, int place) {
  static const char *const short_pass[PASS_N] = {"", "dX", "dW"};
  static const char *const unit[COLUMNS] = {"s", "s", "s", "%"};
  const struct layers_block *b = l->b;
  int i = b->order[place], x = r.x + NAME;
  const struct block_part *p = &b->part[i];
  bool picked = place == l->at, hide = l->view->hide_measured;
  double inside = hide ? NAN : layers_block_inside(b, i), alone = hide ? NAN : layers_block_alone(b, i), roof = b->predicted[i];
  const double cell[COLUMNS] = {roof, inside, alone, roof / inside};
  if (picked) canvas_put(c, r.x, r.y, 0x25B8, ROLE_FOCUS, 0);
  canvas_text(c, r.x + 1, r.y, block_op_name(p->op), NAME - 5, picked ? ROLE_TITLE : ROLE_TEXT, picked ? ATTR_REVERSE : 0);
  canvas_text(c, r.x + NAME - 3, r.y, short_pass[p->pass], 2, ROLE_DIM, 0);
  if (l->bar > 0) {
    struct part bar = {inside, ROLE_MEASURED, 0, ""};
    if (inside > 0 && l->full > 0) widget_bar(c, (struct rect){x, r.y, l->bar, 1}, &bar, 1, l->full, roof);
    x += l->bar;
  }
  for (int k = 0; k < l->columns; k++, x += NUMBER) {
    char number[NUMBER_MAX];
    number_print(number, cell[k], unit[k], 3, l->view->ascii);
    canvas_text_right(c, x, x + NUMBER, r.y, number, k == 0 ? bound_role(b->bound[i]) : k == 1 ? ROLE_MEASURED : ROLE_TEXT, 0);
  }
}

static void heads(struct canvas *c, struct rect r, const struct list *l) {
  static const char *const head[COLUMNS] = {"roof", "in place", "alone", "of roof"};
  struct text t;
  text_clear(&t);
  text_add(&t, "width ");
  text_count(&t, l->b->run.hidden);
  canvas_text(c, r.x + 1, r.y, t.s, NAME - 2, ROLE_AXIS, 0);
  if (l->bar > 0) canvas_text(c, r.x + NAME, r.y, "| its roof", l->bar - 1, ROLE_DIM, 0);
  for (int k = 0, x = r.x + NAME + l->bar; k < l->columns; k++, x += NUMBER)
    canvas_text_right(c, x, x + NUMBER, r.y, head[k], ROLE_AXIS, 0);
}

/* The whole beside its parts: three bars under one another. */
static void sums(struct canvas *c, struct rect r, const struct layers_block *b, const struct view *v) {
  static const char *const name[] = {"whole", "in place", "alone", "at roofs"};
  double value[] = {b->ran ? run_time(b->ran) : NAN, b->inside_sum, b->alone_sum, b->predicted_sum}, full = 0;
  for (int i = 0; i < 4; i++) {
    if (v->hide_measured && i < 3) value[i] = NAN;
    if (value[i] > full) full = value[i];
  }
  int bar = r.w - NAME - NUMBER - 1;
  for (int i = 0; i < 4 && i < r.h; i++) {
    char number[NUMBER_MAX];
    struct part part = {value[i], i == 0 ? ROLE_MEASURED : i == 3 ? ROLE_ROOF : ROLE_TRAIL, 0, ""};
    canvas_text(c, r.x + 1, r.y + i, name[i], NAME - 2, i == 0 ? ROLE_TITLE : ROLE_TEXT, 0);
    if (bar >= BAR_LEAST && value[i] > 0) widget_bar(c, (struct rect){r.x + NAME, r.y + i, bar, 1}, &part, 1, full, NAN);
    number_print(number, value[i], "s", 3, v->ascii);
    canvas_text_right(c, r.x + r.w - NUMBER, r.x + r.w, r.y + i, number, ROLE_TEXT, 0);
  }
}

/* The first row in sight, so that the picked one is. */
static int skip_of(int n, int at, int room) {
  int skip = at - room / 2;
  if (skip > n - room) skip = n - room;
  return skip < 0 ? 0 : skip;
}

void layers_draw_block(struct canvas *c, struct rect r, const struct view *v, const struct layers *l) {
  struct layers_block b;
  layers_block_of(v->world, v->setup, l, &b);
  if (!b.known) {
    widget_words(c, r, "This model has no such layer, or its shape is not known.", ROLE_WARN);
    return;
  }
  struct list list = {.b = &b, .view = v, .at = (int)v->setup->v[KNOB_OPERATION] - 1};
  if (list.at >= b.n) list.at = b.n - 1;
  int used = NAME;
  while (list.columns < COLUMNS && used + NUMBER + (list.columns > 1 ? BAR_LEAST : 0) <= r.w) list.columns++, used += NUMBER;
  list.bar = r.w - used < BAR_LEAST ? 0 : r.w - used > BAR_MOST ? BAR_MOST : r.w - used;
  for (int i = 0; i < b.n; i++) list.full = fmax(list.full, fmax(layers_block_inside(&b, i), b.predicted[i]));
  int below = r.h >= 13 ? 5 : 0, rows = r.h - 1 - below;
  if (rows < 1) rows = 1;
  heads(c, r, &list);
  bool more = b.n > rows && rows > 1;
  int room = more ? rows - 1 : rows, skip = skip_of(b.n, list.at, room);
  for (int i = 0; i < room && skip + i < b.n; i++) part_row(c, (struct rect){r.x, r.y + 1 + i, r.w, 1}, &list, skip + i);
  if (more && b.n > skip + room) {
    struct text t;
    text_clear(&t);
    text_add(&t, "▾ ");
    text_count(&t, b.n - skip - room);
    text_add(&t, " more below");
    canvas_text(c, r.x + 1, r.y + 1 + room, t.s, r.w - 1, ROLE_DIM, 0);
  }
  if (below && b.run.training)
    canvas_text(c, r.x + 1, r.y + r.h - 5, "dX, dW: back to the input, to the weights", r.w - 1, ROLE_DIM, 0);
  if (below) sums(c, (struct rect){r.x, r.y + r.h - 4, r.w, 4}, &b, v);
}
