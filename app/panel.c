/* panel: the column of knobs and facts beside the picture. Values stand under one another; the focused knob shows its slider. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "app/frame_parts.h"
#include "tui/number.h"
#include "tui/widget.h"

/* A file by its last name: the folder is known to who typed it, and the column is narrow. */
static void words_show(const char *words, struct text *out) {
  const char *slash = strrchr(words, '/');
  text_add(out, *words ? (slash && slash[1] ? slash + 1 : words) : "none");
}

/* A person's own file is known by its path; what is in it has a name, which is shorter and says more. */
static const char *choice_show(const struct world *w, const struct knob *k, int i) {
  const char *key = choice_key(w, k->list, i);
  if (!strchr(key, '/')) return key;
  int device = device_find(w, key), model = model_find(w, key);
  if (k->list == CHOICE_MODEL && model >= 0) return w->model[model].name;
  return device >= 0 ? w->device[device].name : key;
}

void value_show(const struct world *w, int knob, double v, struct text *out) {
  const struct knob *k = &knob_table[knob];
  char number[NUMBER_MAX];
  text_clear(out);
  if (k->kind == KNOB_TEXT) return;
  if (isnan(v))
    text_add(out, "—");
  else if (k->kind == KNOB_CHOICE)
    text_add(out, choice_show(w, k, (int)v));
  else if (k->kind == KNOB_SWITCH)
    text_add(out, v > 0.5 ? "on" : "off");
  else if (knob == KNOB_PICK)
    text_add(out, v >= 1 ? foreign_mark((int)v - 1) : "all");
  else if (strcmp(k->unit, "n") == 0 && v < 1e7)
    text_add(out, number_key(number, v));
  else
    text_number(out, v, k->unit);
}

/* The value of a name in a formula: a fact's or a knob's; false when it is neither (min, max). */
static bool name_show(const struct frame *f, const struct frame_data *d, const char *name, struct text *out) {
  const struct fact *fact = fact_find(d->fact, d->nfact, name);
  if (fact) {
    if (fact->word)
      text_add(out, fact->word);
    else
      text_number(out, fact->value, fact->unit);
    return true;
  }
  int knob = knob_find(name);
  if (knob < 0) return false;
  struct text value;
  value_show(f->world, knob, d->setup.v[knob], &value);
  if (knob_table[knob].kind == KNOB_TEXT) words_show(knob_text(&d->setup, knob), &value);
  text_add(out, value.s);
  return true;
}

void formula_show(const struct frame *f, const struct frame_data *d, const struct fact *fact, struct text *out) {
  const char *p = fact->formula;
  text_add(out, p);
  text_add(out, " = ");
  while (*p) {
    char name[48] = "";
    int n = 0;
    if (isalpha((unsigned char)*p))
      while ((isalnum((unsigned char)p[n]) || p[n] == '_') && n < (int)sizeof name - 1) name[n] = p[n], n++;
    if (n > 0) {
      if (!name_show(f, d, name, out)) text_add(out, name);
      p += n;
    } else
      text_add(out, (char[]){*p++, 0});
  }
}

bool knob_shown(const struct scene *s, const struct setup *setup, int position) {
  int knob = s->knobs[position];
  if (knob_table[knob].hidden || (s->applies && !s->applies(setup, knob))) return false;
  /* A knob that a person set stays in sight, whatever the level: what changes the picture must be visible. */
  return position < s->nfirst || setup->v[KNOB_DETAIL] > 1 || setup->set[knob];
}

enum { UNIT_W = 8 }; /* "tokens/s", "GFLOP/s" */

static double slider_share(const struct world *w, int knob, double v) {
  const struct knob *k = &knob_table[knob];
  if (isnan(v) || k->kind == KNOB_TEXT) return NAN;
  if (k->kind == KNOB_CHOICE) return choice_count(w, k->list) > 1 ? v / (choice_count(w, k->list) - 1) : 0;
  if (k->kind == KNOB_LOG2) return log2(v / k->lo) / log2(k->hi / k->lo);
  return (v - k->lo) / (k->hi - k->lo);
}

static void knob_draw(struct canvas *c, struct rect r, const struct frame *f, const struct frame_data *d, int knob) {
  struct text value;
  double v = d->setup.v[knob];
  value_show(f->world, knob, v, &value);
  if (knob_table[knob].kind == KNOB_TEXT) words_show(knob_text(&d->setup, knob), &value);
  bool open = isnan(knob_table[knob].start) && !d->setup.set[knob];
  widget_slider(c, r, knob_table[knob].label, value.s, slider_share(f->world, knob, v), knob == f->focus && f->focus_fact < 0,
                knob == f->changed, open);
}

static void fact_draw(struct canvas *c, struct rect r, const struct frame *f, const struct frame_data *d, int i) {
  const struct fact *fact = &d->fact[i];
  bool focus = f->focus_fact == i;
  enum role role = fact->measured ? ROLE_MEASURED : ROLE_TEXT;
  int from; /* the column where the value begins: the label gives way to it */
  if (fact->word) {
    int least = r.x + 2 + text_columns(fact->label);
    from = r.x + r.w - 1 - text_columns(fact->word);
    if (from < least) from = least;
    canvas_text(c, from, r.y, fact->word, r.x + r.w - from, role, 0);
  } else {
    /* Values end in one column; the rare long unit pushes its own value aside. */
    char value[NUMBER_MAX], unit[NUMBER_MAX];
    bool hidden = fact->measured && frame_hides(d);
    number_split(hidden ? 1 : fact->value, fact->unit, 3, f->ascii, value, unit); /* a prefix would give it away */
    int columns = text_columns(unit), at = r.x + r.w - 1 - (columns > UNIT_W ? columns : UNIT_W);
    from = hidden ? at - 1 : at - text_columns(value);
    canvas_text(c, from, r.y, hidden ? "?" : value, -1, hidden ? ROLE_GUESS : role, fact->measured && !hidden ? ATTR_BOLD : 0);
    canvas_text(c, at + 1, r.y, unit, columns, ROLE_DIM, 0);
    /* A share on the first screen is a gauge too: how full it is must be seen from the last row. */
    if (strcmp(fact->unit, "%") == 0 && fact->detail == 1 && fact->value >= 0 && !hidden) {
      /* Not of full height: gauges stand one under another and must not run into one shape. */
      int full = (int)lround(fmin(fact->value, 1) * (UNIT_W - 2));
      for (int k = 0; k < UNIT_W - 2; k++)
        canvas_put(c, at + 3 + k, r.y, k < full ? 0x2586 : 0xb7, k >= full ? ROLE_FREE : fact->measured ? ROLE_MEASURED : ROLE_LINK, 0);
    }
  }
  if (focus) canvas_text(c, r.x, r.y, "▸", -1, ROLE_FOCUS, 0);
  canvas_text(c, r.x + 1, r.y, fact->label, from - r.x - 2, ROLE_DIM, focus ? ATTR_REVERSE : 0);
}

/* A row of the panel: a knob, a fact, or one line of a formula. */
struct row {
  enum { ROW_KNOB, ROW_FACT, ROW_FORMULA } kind;
  int index, line;
};
enum { ROW_MAX = 256, FORMULA_MAX = 8 }; /* lines of one formula; in a narrow panel a long one has more and is cut */

static int formula_rows(const struct frame *f, const struct frame_data *d, int fact, int width) {
  if (d->setup.v[KNOB_DETAIL] < 3 || !d->fact[fact].formula) return 0;
  struct text t;
  int start[FORMULA_MAX], length[FORMULA_MAX];
  text_clear(&t);
  formula_show(f, d, &d->fact[fact], &t);
  int n = text_wrap(t.s, width, FORMULA_MAX, start, length);
  return n < FORMULA_MAX ? n : FORMULA_MAX;
}

static void formula_draw(struct canvas *c, struct rect r, const struct frame *f, const struct frame_data *d, const struct row *row) {
  struct text t;
  int start[FORMULA_MAX], length[FORMULA_MAX];
  text_clear(&t);
  formula_show(f, d, &d->fact[row->index], &t);
  int n = text_wrap(t.s, r.w - 3, FORMULA_MAX, start, length);
  if (row->line >= n || row->line >= FORMULA_MAX) return;
  t.s[start[row->line] + length[row->line]] = 0;
  canvas_text(c, r.x + 2, r.y, t.s + start[row->line], r.w - 3, ROLE_DIM, 0);
}

static int rows_knobs(const struct frame *f, const struct frame_data *d, struct row *row, int n) {
  for (int i = 0; i < f->scene->nknobs && n < ROW_MAX; i++)
    if (knob_shown(f->scene, &d->setup, i)) row[n++] = (struct row){ROW_KNOB, f->scene->knobs[i], 0};
  return n;
}

bool fact_shown(const struct fact *fact, const struct frame_data *d) {
  int detail = d->setup.v[KNOB_DETAIL] > 1 ? 2 : 1;
  if (!fact->label || fact->detail > detail) return false;
  /* A measured value that has not come yet is a dash; one that cannot come, because this is not our machine, is no row at all. */
  bool known = fact->word || !isnan(fact->value);
  return known || !fact->measured || (fact->detail <= 1 && d->measurable);
}

static int rows_facts(const struct frame *f, const struct frame_data *d, struct row *row, int n, int width) {
  for (int i = 0; i < d->nfact && n < ROW_MAX; i++) {
    if (!fact_shown(&d->fact[i], d)) continue;
    row[n++] = (struct row){ROW_FACT, i, 0};
    int more = formula_rows(f, d, i, width - 3);
    for (int k = 0; k < more && n < ROW_MAX; k++) row[n++] = (struct row){ROW_FORMULA, i, k};
  }
  return n;
}

/* How many rows are above sight, so that the focused one is not. */
static int rows_scroll(struct rect r, const struct frame *f, const struct row *row, int n) {
  int focus = 0, scroll = 0;
  for (int i = 0; i < n; i++)
    if (f->focus_fact >= 0 ? row[i].kind == ROW_FACT && row[i].index == f->focus_fact : row[i].kind == ROW_KNOB && row[i].index == f->focus)
      focus = i;
  if (n > r.h) {
    scroll = focus - r.h + 3;
    if (scroll > n - r.h) scroll = n - r.h;
    if (scroll < 0) scroll = 0;
  }
  return scroll;
}

/* Draw rows into r, the focused one in sight; a mark says how many are out of sight. */
static void rows_draw(struct canvas *c, struct rect r, const struct frame *f, const struct frame_data *d, const struct row *row, int n) {
  int scroll = rows_scroll(r, f, row, n);
  for (int y = 0; y < r.h && scroll + y < n; y++) {
    struct rect line = {r.x, r.y + y, r.w, 1};
    const struct row *at = &row[scroll + y];
    bool more = y == r.h - 1 && scroll + y < n - 1;
    if (more) {
      struct text t;
      text_clear(&t);
      text_add(&t, "▾ ");
      text_count(&t, n - scroll - y);
      text_add(&t, " more below");
      canvas_text(c, r.x + 1, r.y + y, t.s, r.w - 1, ROLE_DIM, 0);
    } else if (at->kind == ROW_KNOB)
      knob_draw(c, line, f, d, at->index);
    else if (at->kind == ROW_FACT)
      fact_draw(c, line, f, d, at->index);
    else
      formula_draw(c, line, f, d, at);
  }
}

/* Knobs above, facts below, or side by side where it is narrow. Where not all rows have room, the knobs keep a third of the height, so that
 * facts stay in sight whatever is listed above them; each part scrolls by itself. */
struct panes {
  struct rect knobs, facts;
};
enum { KNOBS_LEAST = 6 };

static struct panes panes_of(struct rect r, int knobs, int facts, bool narrow) {
  if (narrow) {
    int half = r.w / 2;
    return (struct panes){{r.x, r.y, half - 1, r.h}, {r.x + half, r.y, r.w - half, r.h}};
  }
  int h = knobs;
  if (knobs + 1 + facts > r.h) {
    h = r.h - 1 - facts;
    if (h < r.h / 3) h = r.h / 3;
    if (h < KNOBS_LEAST) h = KNOBS_LEAST;
    if (h > knobs) h = knobs;
    if (h > r.h - 1) h = r.h - 1;
  }
  return (struct panes){{r.x, r.y, r.w, h}, {r.x, r.y + h + 1, r.w, r.h - h - 1}};
}

void panel_draw(struct canvas *c, struct rect r, const struct frame *f, const struct frame_data *d, bool narrow) {
  struct row knob[ROW_MAX], fact[ROW_MAX];
  int nknob = rows_knobs(f, d, knob, 0), nfact = rows_facts(f, d, fact, 0, narrow ? r.w - r.w / 2 : r.w);
  struct panes p = panes_of(r, nknob, nfact, narrow);
  rows_draw(c, p.knobs, f, d, knob, nknob);
  if (!narrow) canvas_hline(c, r.x - 1, r.x + r.w - 1, p.knobs.y + p.knobs.h, ROLE_BORDER, 0);
  rows_draw(c, p.facts, f, d, fact, nfact);
}

/* What lies under a row of the list drawn in r: a knob, or a fact through *fact. */
static int rows_at(struct rect r, const struct frame *f, const struct row *row, int n, int x, int y, int *fact) {
  int i = rows_scroll(r, f, row, n) + y - r.y;
  if (x < r.x || x >= r.x + r.w || y < r.y || y >= r.y + r.h || i >= n) return -1;
  if (row[i].kind == ROW_FACT || row[i].kind == ROW_FORMULA) *fact = row[i].index;
  return row[i].kind == ROW_KNOB ? row[i].index : -1;
}

int panel_at(struct rect r, const struct frame *f, const struct frame_data *d, bool narrow, int x, int y, int *fact) {
  struct row knob[ROW_MAX], row[ROW_MAX];
  int nknob = rows_knobs(f, d, knob, 0), nfact = rows_facts(f, d, row, 0, narrow ? r.w - r.w / 2 : r.w);
  struct panes p = panes_of(r, nknob, nfact, narrow);
  int at = rows_at(p.knobs, f, knob, nknob, x, y, fact);
  return at >= 0 ? at : rows_at(p.facts, f, row, nfact, x, y, fact);
}
