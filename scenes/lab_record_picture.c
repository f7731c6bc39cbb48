/* The record as a page: what is told and what is not; then each check as a bar against its limit. */
#include <math.h>
#include <string.h>

#include "scenes/lab_record.h"
#include "tui/number.h"
#include "tui/widget.h"

static uint32_t told_mark(enum told p) { return p == TOLD_ALL ? 0x2713 : p == TOLD_PARTLY ? '~' : 0x2717; }
static enum role told_role(enum told p) { return p == TOLD_ALL ? ROLE_GOOD : p == TOLD_PARTLY ? ROLE_WARN : ROLE_BAD; }
static enum role finding_role(enum finding f) {
  return f == FINDING_FINE ? ROLE_GOOD : f == FINDING_ASK ? ROLE_WARN : f == FINDING_IMPOSSIBLE ? ROLE_BAD : ROLE_DIM;
}

enum { NAME_W = 18 };

/* Ten fields: in a column each with what it lacks and why it matters, or in two columns of marks where rows are few. */
static int draw_fields(struct canvas *c, struct rect r, const struct benchmark *b, bool lines) {
  int columns = lines ? 1 : 2, rows = (FIELD_N + columns - 1) / columns, w = r.w / columns;
  for (int i = 0; i < FIELD_N; i++) {
    enum benchmark_field f = (enum benchmark_field)i;
    enum told told = field_told(b, f);
    int x = r.x + i / rows * w, y = r.y + i % rows;
    if (y >= r.y + r.h) continue;
    canvas_put(c, x, y, told_mark(told), told_role(told), ATTR_BOLD);
    canvas_text(c, x + 2, y, field_name(f), lines ? NAME_W : w - 3, told == TOLD_ALL ? ROLE_TEXT : told_role(told), 0);
    if (!lines) continue;
    int at = x + 2 + NAME_W;
    struct text t;
    text_clear(&t);
    text_add(&t, told_name(told));
    if (told != TOLD_ALL) text_add(&t, ": "), text_add(&t, field_lacks(b, f));
    canvas_text(c, at, y, t.s, 30, told_role(told), 0);
    if (r.w >= at - r.x + 31 + 40) canvas_text(c, at + 31, y, field_why(f), r.x + r.w - at - 31, ROLE_DIM, 0);
  }
  return rows;
}

/* One check: its name, value, a bar with the limit at two thirds, what was found. */
static void draw_check(struct canvas *c, struct rect r, const struct lab_record *rec, enum benchmark_check check, bool words, bool ascii) {
  struct checked k = check_of(&rec->record, &rec->account, rec->capacity_byte, rec->tdp_w, check);
  enum role role = finding_role(k.finding);
  char value[NUMBER_MAX];
  canvas_text(c, r.x, r.y, check_name(check), NAME_W, k.finding == FINDING_UNKNOWN ? ROLE_DIM : ROLE_TEXT, 0);
  canvas_text_right(c, r.x + NAME_W, r.x + NAME_W + 7, r.y, number_print(value, k.value, k.unit, 3, ascii), role, ATTR_BOLD);
  int at = r.x + NAME_W + 8, end = r.x + r.w - 11, bar = end - at;
  if (bar > 24) bar = 24;
  if (bar >= 6 && k.value > 0) {
    struct part part = {k.value, role, 0, ""};
    widget_bar(c, (struct rect){at, r.y, bar, 1}, &part, 1, k.limit * 1.5, k.limit);
  }
  int found = at + (bar > 0 ? bar + 1 : 0);
  if (found < r.x + r.w) canvas_text(c, found, r.y, finding_name(k.finding), r.x + r.w - found, role, 0);
  if (words) canvas_text(c, r.x + 2, r.y + 1, check_words(check, k.finding), r.w - 2, ROLE_DIM, 0);
}

/* A bar of parts in their own legend's words, against a full that is marked. */
static int draw_bar(struct canvas *c, struct rect r, const char *title, const struct part *part, int n, double full, double mark) {
  canvas_text(c, r.x, r.y, title, r.w, ROLE_AXIS, 0);
  widget_bar(c, (struct rect){r.x, r.y + 1, r.w, 1}, part, n, full, mark);
  widget_legend(c, (struct rect){r.x, r.y + 2, r.w, 1}, part, n);
  return 4;
}

/* What fills the memory that was taken, and what fills a second: where both are known. */
static void draw_bars(struct canvas *c, struct rect r, const struct lab_record *rec) {
  const struct account *a = &rec->account;
  int y = r.y, w = r.w < 100 ? r.w : 100;
  struct part memory[] = {{a->weight_byte, ROLE_MEMORY, 'w', "weights"},
                          {a->kv_byte, ROLE_KV, 'k', "keys, values"},
                          {a->unexplained_byte, ROLE_BAD, '?', "unexplained"},
                          {a->reserved_byte, ROLE_FREE, 'r', "taken, not used"}};
  struct part second[] = {{a->decode_time_share, ROLE_MEMORY, 's', "steps, at least"},
                          {a->prefill_time_share, ROLE_COMPUTE, 'p', "prompts, at least"}};
  bool whole = a->unexplained_byte >= 0 && a->reserved_byte >= 0;
  if (whole && r.y + r.h - y >= 3)
    y += draw_bar(c, (struct rect){r.x, y, w, 3}, "the memory that was allocated", memory, 4, rec->record.allocated_byte, NAN);
  if (a->time_share > 0 && r.y + r.h - y >= 3)
    draw_bar(c, (struct rect){r.x, y, w, 3}, "a second, were one done after the other", second, 2, fmax(1, a->time_share) * 1.1, 1);
}

void lab_record_draw(struct canvas *c, struct rect r, const struct view *v) {
  struct lab_record rec;
  lab_record_of(v->world, v->setup, &rec);
  struct text t;
  int bottom = r.y + r.h, y = r.y;
  bool lines = r.w >= 54 && r.h >= FIELD_N + CHECK_N + 3, words = r.w >= 60 && r.h >= FIELD_N + 2 * CHECK_N + 3;
  text_clear(&t);
  text_add(&t, *rec.record.model ? rec.record.model : "a model without a name");
  if (*rec.record.hardware) text_add(&t, " on "), text_add(&t, rec.record.hardware);
  canvas_text(c, r.x, y++, t.s, r.w, ROLE_TITLE, 0);
  if (lines) y++;
  y += draw_fields(c, (struct rect){r.x, y, r.w, bottom - y}, &rec.record, lines);
  if (bottom - y > CHECK_N) y++;
  for (int i = 0; i < CHECK_N && y < bottom; i++, y += words ? 2 : 1)
    draw_check(c, (struct rect){r.x, y, r.w, 1}, &rec, (enum benchmark_check)i, words, v->ascii);
  if (bottom - y >= 4) draw_bars(c, (struct rect){r.x, y + 1, r.w, bottom - y - 1}, &rec);
}
