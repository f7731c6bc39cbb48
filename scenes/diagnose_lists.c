/* The checklist as a tool, and the list of all faults with the probes that show them. */
#include <math.h>
#include <string.h>

#include "scenes/diagnose.h"
#include "tui/number.h"

/* ---- checklist ---- */

static void draw_step_row(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d, const struct suspects *q,
                          int sign, bool next) {
  enum sign s = (enum sign)sign;
  int seen[SIGN_N] = {0};
  char digit[2] = {(char)('0' + sign_step(s)), 0};
  bool first = sign == 0 || sign_step((enum sign)(sign - 1)) != sign_step(s), focus = v->focus == KNOB_SEE_DEVICE + sign;
  for (int i = 0; i <= sign; i++) seen[i] = d->seen[i];
  if (next) canvas_text(c, r.x, r.y, "▸", -1, ROLE_FOCUS, 0);
  if (first) canvas_text(c, r.x + 1, r.y, digit, -1, ROLE_TITLE, ATTR_BOLD);
  canvas_text(c, r.x + 3, r.y, sign_name(s), 10, ROLE_KEY, focus ? ATTR_REVERSE : 0);
  canvas_text(c, r.x + 14, r.y, d->seen[sign] ? sign_word(s, d->seen[sign]) : "not looked at", 13, d->seen[sign] ? ROLE_MEASURED : ROLE_DIM,
              0);
  if (r.w < 34) return;
  if (d->seen[sign]) {
    struct text t;
    text_clear(&t);
    text_count(&t, suspects_count(checklist_left(q, seen)));
    text_add(&t, " left");
    canvas_text(c, r.x + 28, r.y, t.s, r.w - 28, ROLE_TEXT, 0);
  } else if (next)
    canvas_text(c, r.x + 28, r.y, checklist_step(sign_step(s)), r.w - 28, ROLE_FOCUS, 0);
}

void diagnose_draw_checklist(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  struct suspects q;
  suspects_of(&d->healthy, &d->severity, &q);
  enum sign next = checklist_next(&q, d->seen);
  uint32_t left = checklist_left(&q, d->seen);
  int y = 0;
  for (int i = 0; i < SIGN_N && y < r.h; i++) draw_step_row(c, (struct rect){r.x, r.y + y++, r.w, 1}, v, d, &q, i, next == (enum sign)i);
  if (y < r.h) {
    bool now = next == SIGN_N;
    if (now) canvas_text(c, r.x, r.y + y, "▸", -1, ROLE_FOCUS, 0);
    canvas_text(c, r.x + 1, r.y + y, "6", -1, ROLE_TITLE, ATTR_BOLD);
    canvas_text(c, r.x + 3, r.y + y++, "meanwhile: queue, shed, a smaller model, another's service", r.w - 3, now ? ROLE_FOCUS : ROLE_DIM,
                0);
  }
  y++;
  if (y < r.h)
    canvas_text(c, r.x, r.y + y++, left ? "what shows all this, and what mends it" : "nothing known shows all this", r.w, ROLE_TITLE, 0);
  int count = suspects_count(left), shown = 0, room = r.h - y;
  bool wide = r.w >= 50 && count <= room; /* one a row, with what mends it */
  int columns = wide ? 1 : r.w / 26 > 0 ? r.w / 26 : 1, most = room > 0 ? room * columns : 0;
  for (int f = 0; f < FAULT_N && shown < most; f++) {
    if (!(left & 1u << f)) continue;
    int x = r.x + shown % columns * 26, row = r.y + y + shown / columns;
    if (shown == most - 1 && count > most) {
      canvas_text(c, x + 1, row, "and others", 24, ROLE_DIM, 0);
      break;
    }
    canvas_text(c, x + 1, row, fault_name((enum fault)f), 24, ROLE_TEXT, 0);
    if (wide) canvas_text(c, r.x + 27, row, fault_remedy((enum fault)f), r.w - 27, ROLE_DIM, 0);
    shown++;
  }
}

/* ---- all faults ---- */

enum { NAME_W = 20, SHARE_W = 6, LOOK_W = 2, LEGEND_W = 20, LIST_W = 1 + NAME_W + 2 * SHARE_W + LOOK_N * LOOK_W };

static void draw_fault_row(struct canvas *c, struct rect r, const struct view *v, const struct suspects *q, int f, bool chosen) {
  char number[NUMBER_MAX];
  int x = r.x + 1 + NAME_W;
  if (chosen) canvas_text(c, r.x, r.y, "▸", -1, ROLE_FOCUS, 0);
  canvas_text(c, r.x + 1, r.y, fault_name((enum fault)f), NAME_W - 1, chosen ? ROLE_FOCUS : ROLE_TEXT, chosen ? ATTR_REVERSE : 0);
  if (!q->possible[f]) {
    if (r.w > NAME_W + 3) canvas_text(c, x + 1, r.y, "not possible here", r.w - NAME_W - 2, ROLE_DIM, 0);
    return;
  }
  const double *last = q->fault[f].at[EVIDENCE_LAST].v;
  unsigned tell = suspects_tell(q, (enum fault)f);
  for (int g = 0; g < 2; g++, x += SHARE_W)
    if (x + SHARE_W <= r.x + r.w)
      canvas_text_right(c, x, x + SHARE_W - 1, r.y, number_print(number, last[g == 0 ? GAUGE_BUSY : GAUGE_PEAK], "%", 2, v->ascii),
                        ROLE_TEXT, 0);
  for (int l = 0; l < LOOK_N; l++, x += LOOK_W)
    if (x + 1 < r.x + r.w) {
      bool tells = tell & 1u << l, alone = suspects_count(suspects_left(q, (enum fault)f, 1u << l)) == 1;
      canvas_put(c, x + 1, r.y, alone ? '!' : tells ? '+' : 0xb7, alone ? ROLE_WARN : tells ? ROLE_TEXT : ROLE_DIM, alone ? ATTR_BOLD : 0);
    }
}

/* Groups are what looks alike without a probe. */
static void draw_list(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d, const struct suspects *q) {
  static const char *const group[GROUP_N] = {"slow, the device idle", "slow, the device busy", "fast, then out of memory",
                                             "the host computes"};
  int scroll = 0, room = r.h - 1, at = d->answer == FAULT_N ? 0 : (int)d->answer, x = r.x + 1 + NAME_W, y = r.y + 1;
  bool heads = room >= FAULT_N + GROUP_N;
  canvas_text(c, r.x + 1, r.y, "what is wrong", NAME_W - 1, ROLE_DIM, 0);
  if (x + 2 * SHARE_W <= r.x + r.w) {
    canvas_text_right(c, x, x + SHARE_W - 1, r.y, "busy", ROLE_DIM, 0);
    canvas_text_right(c, x + SHARE_W, x + 2 * SHARE_W - 1, r.y, "peak", ROLE_DIM, 0);
  }
  x += 2 * SHARE_W;
  for (int l = 0; l < LOOK_N; l++, x += LOOK_W)
    if (x + 1 < r.x + r.w) canvas_put(c, x + 1, r.y, (uint32_t)('1' + l), ROLE_KEY, 0);
  if (FAULT_N > room) {
    scroll = at - room / 2;
    if (scroll > FAULT_N - room) scroll = FAULT_N - room;
    if (scroll < 0) scroll = 0;
  }
  for (int f = scroll; f < FAULT_N && y < r.y + r.h; f++) {
    enum group g = fault_group((enum fault)f);
    if (heads && (f == 0 || g != fault_group((enum fault)(f - 1)))) canvas_text(c, r.x, y++, group[g], r.w, ROLE_TITLE, 0);
    draw_fault_row(c, (struct rect){r.x, y++, r.w, 1}, v, q, f, f == (int)d->answer);
  }
}

/* What the digits over the columns stand for. */
static void draw_legend(struct canvas *c, struct rect r) {
  canvas_text(c, r.x, r.y, "! finds it alone", r.w, ROLE_WARN, 0);
  if (r.h > 1) canvas_text(c, r.x, r.y + 1, "+ helps", r.w, ROLE_TEXT, 0);
  for (int l = 0; l < LOOK_N && 3 + l < r.h; l++) {
    char digit[2] = {(char)('1' + l), 0};
    canvas_text(c, r.x, r.y + 3 + l, digit, r.w, ROLE_KEY, 0);
    canvas_text(c, r.x + 2, r.y + 3 + l, look_name((enum look)l), r.w - 2, ROLE_TEXT, 0);
    for (int i = 0; i < look_cost((enum look)l) && 12 + i < r.w; i++) canvas_put(c, r.x + 12 + i, r.y + 3 + l, '*', ROLE_DIM, 0);
  }
}

void diagnose_draw_faults(struct canvas *c, struct rect r, const struct view *v, const struct diagnose *d) {
  struct suspects q;
  bool beside = r.w >= LIST_W + 40, below = !beside && r.h >= FAULT_N + 12;
  suspects_of(&d->healthy, &d->severity, &q);
  struct rect list = r, rest = r;
  if (beside) {
    list.w = LIST_W;
    rest.x += LIST_W + 2, rest.w -= LIST_W + 2;
  } else if (below) {
    list.h = FAULT_N + 1;
    rest.y += list.h + 1, rest.h -= list.h + 1;
  }
  draw_list(c, list, v, d, &q);
  if (!beside && r.w >= LIST_W + LEGEND_W) draw_legend(c, (struct rect){r.x + LIST_W + 3, list.y, r.w - LIST_W - 3, list.h});
  if (!beside && !below) return;
  diagnose_draw_gauges(c, (struct rect){rest.x, rest.y, rest.w, 3}, v);
  diagnose_draw_boards(c, (struct rect){rest.x, rest.y + 4, rest.w, rest.h - 4}, v, d);
}
