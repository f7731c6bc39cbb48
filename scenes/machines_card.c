/* One device's card: its figures with whose they are, what it is good for, and who says so. Where there is no room for all, the side knob
 * says which part. */
#include <math.h>

#include "scenes/machines.h"
#include "tui/number.h"
#include "tui/widget.h"

/* Words wrapped into r; returns the rows used. */
static int draw_wrapped(struct canvas *c, struct rect r, const char *words, enum role role) {
  enum { LINES = 24 };
  int start[LINES], length[LINES];
  if (r.w < 4 || r.h < 1) return 0;
  int n = text_wrap(words, r.w, LINES, start, length);
  struct text t;
  for (int i = 0; i < n && i < r.h; i++) {
    text_clear(&t);
    text_add(&t, words + start[i]);
    t.s[length[i]] = 0;
    bool cut = i == r.h - 1 && i + 1 < n;
    if (cut) t.s[length[i] > 2 ? length[i] - 2 : 0] = 0, text_clear(&t), text_add(&t, words + start[i]); /* canvas_text ends it in '…' */
    canvas_text(c, r.x, r.y + i, t.s, cut ? r.w : -1, role, 0);
  }
  return n < r.h ? n : r.h;
}

/* A figure a row: name, value, what of, whose, and the number of its source. Returns the rows used. */
static int draw_figures(struct canvas *c, struct rect r, const struct view *v, const struct device *d) {
  struct sheet_figure f;
  int name = 15, value = 14, of = r.w >= 60 ? 14 : 0, y = 0;
  for (int i = 0; sheet_figure(d, i, &f); i++, y++) {
    char number[NUMBER_MAX], at[4] = "[1]";
    bool last = y == r.h - 1;
    struct sheet_figure next;
    if (y >= r.h) break;
    if (last && sheet_figure(d, i + 1, &next)) {
      int rest = 0;
      while (sheet_figure(d, i + rest, &next)) rest++;
      struct text t;
      text_clear(&t);
      text_add(&t, "▾ ");
      text_count(&t, rest);
      text_add(&t, " more: a larger window, or ridge print");
      canvas_text(c, r.x, r.y + y, t.s, r.w, ROLE_DIM, 0);
      return y + 1;
    }
    canvas_text(c, r.x, r.y + y, f.name, name - 1, ROLE_TEXT, 0);
    canvas_text_right(c, r.x + name, r.x + name + value - 1, r.y + y, number_print(number, f.figure.value, f.unit, 3, v->ascii), ROLE_TITLE,
                      0);
    if (f.figure.unverified) canvas_put(c, r.x + name + value - 1, r.y + y, '?', ROLE_WARN, 0);
    int x = r.x + name + value + 1;
    if (of) canvas_text(c, x, r.y + y, f.of, of - 1, ROLE_DIM, 0), x += of;
    x += canvas_text(c, x, r.y + y, source_name((enum source)f.figure.source), r.x + r.w - x - 4, ROLE_DIM, 0) + 1;
    at[1] = (char)('1' + f.figure.cite);
    if (d->ncite > 0 && x + 3 <= r.x + r.w) canvas_text(c, x, r.y + y, at, -1, ROLE_LINK, 0);
  }
  return y;
}

static int draw_words(struct canvas *c, struct rect r, const struct device *d) {
  const struct {
    const char *head, *words;
    enum role role;
  } part[] = {
      {"good at", d->strengths, ROLE_GOOD}, {"not good at", d->constraints, ROLE_WARN}, {"programmed with", d->software, ROLE_LINK}};
  int y = 0;
  for (int i = 0; i < 3 && y < r.h; i++) {
    canvas_text(c, r.x, r.y + y++, part[i].head, r.w, part[i].role, ATTR_BOLD);
    y += draw_wrapped(c, (struct rect){r.x + 1, r.y + y, r.w - 1, r.h - y}, part[i].words[0] ? part[i].words : "nothing on record",
                      ROLE_TEXT);
  }
  return y;
}

static int draw_sources(struct canvas *c, struct rect r, const struct device *d) {
  int y = 0;
  if (d->ncite == 0 && r.h > 0) {
    struct text t;
    text_clear(&t);
    text_add(&t, d->machine.measured ? "measured on this machine" : "no source on record");
    if (d->machine.measured && d->machine.date[0]) text_add(&t, ", "), text_add(&t, d->machine.date);
    canvas_text(c, r.x, r.y + y++, t.s, r.w, ROLE_DIM, 0);
  }
  for (int i = 0; i < d->ncite && y < r.h; i++) {
    char at[4] = {'[', (char)('1' + i), ']', 0};
    struct text t;
    text_clear(&t);
    text_add(&t, d->cite[i].text);
    if (d->cite[i].date[0]) text_add(&t, ", "), text_add(&t, d->cite[i].date);
    canvas_text(c, r.x, r.y + y, at, r.w, ROLE_LINK, 0);
    y += draw_wrapped(c, (struct rect){r.x + 4, r.y + y, r.w - 4, r.h - y}, t.s, ROLE_DIM);
  }
  if (d->headline[0] && y + 1 < r.h) {
    canvas_text(c, r.x, r.y + y++, "headline", r.w, ROLE_WARN, ATTR_BOLD);
    y += draw_wrapped(c, (struct rect){r.x + 1, r.y + y, r.w - 1, r.h - y}, d->headline, ROLE_TEXT);
  }
  if (d->notes[0] && y + 1 < r.h) {
    canvas_text(c, r.x, r.y + y++, "notes", r.w, ROLE_AXIS, ATTR_BOLD);
    y += draw_wrapped(c, (struct rect){r.x + 1, r.y + y, r.w - 1, r.h - y}, d->notes, ROLE_TEXT);
  }
  return y;
}

void machines_draw_card(struct canvas *c, struct rect r, const struct view *v) {
  const struct device *d = machines_device(v->world, v->setup);
  int x = r.x + canvas_text(c, r.x, r.y, d->machine.cpu[0] ? d->machine.cpu : d->name, r.w, ROLE_TITLE, ATTR_BOLD) + 2;
  if (d->units[0] && x + 12 < r.x + r.w) canvas_text(c, x, r.y, d->units, r.x + r.w - x, ROLE_DIM, 0);
  struct rect rest = {r.x, r.y + 1, r.w, r.h - 1};
  if (r.w >= 84 && r.h >= 18) { /* all of it: figures on the left, words on the right, sources below them */
    int left = r.w * 11 / 20;
    if (left > 66) left = 66;
    draw_figures(c, (struct rect){rest.x, rest.y + 1, left - 2, rest.h - 1}, v, d);
    struct rect right = {rest.x + left, rest.y + 1, r.w - left, rest.h - 1};
    int used = draw_words(c, right, d) + 1;
    draw_sources(c, (struct rect){right.x, right.y + used, right.w, right.h - used}, d);
    return;
  }
  if (r.h >= 26) { /* tall and narrow: one below the other, from the side that is asked for */
    for (int k = 0, used = 0; k < SIDE_N && used < rest.h; k++, used++) {
      enum side side = (enum side)(((int)v->setup->v[KNOB_SIDE] + k) % SIDE_N);
      struct rect at = {rest.x, rest.y + used, rest.w, rest.h - used};
      if (side == SIDE_FIGURES && k == 0) at.h -= 9; /* the words shall have room */
      used += side == SIDE_FIGURES ? draw_figures(c, at, v, d) : side == SIDE_WORDS ? draw_words(c, at, d) : draw_sources(c, at, d);
    }
    return;
  }
  switch ((enum side)(int)v->setup->v[KNOB_SIDE]) {
  case SIDE_WORDS: draw_words(c, rest, d); break;
  case SIDE_SOURCES: draw_sources(c, rest, d); break;
  default: {
    int used = draw_figures(c, rest, v, d);
    if (rest.h - used >= 3) draw_sources(c, (struct rect){rest.x, rest.y + used + 1, rest.w, rest.h - used - 1}, d);
  }
  }
}
