/* The machines scene's lists: the catalogue and the ranking; and which picture belongs to which view. */
#include <math.h>
#include <string.h>

#include "scenes/machines.h"
#include "tui/number.h"
#include "tui/widget.h"

/* A number that ends left of x_end, in a column `w` wide whose last place is kept for the '?' of what nobody checked. Without room for the
 * unit only its prefix stands: the head of the column names the unit. */
static void cell_number(struct canvas *c, int x_end, int w, int y, double v, const char *unit, bool doubtful, enum role role, bool ascii) {
  char number[NUMBER_MAX], suffix[NUMBER_MAX];
  struct text t;
  text_clear(&t);
  if (strcmp(unit, "flop/byte") == 0) unit = "1";
  number_split(v, unit, 3, ascii, number, suffix);
  text_add(&t, number);
  if (suffix[0] && text_columns(number) + 1 + text_columns(suffix) <= w - 2)
    text_add(&t, " "), text_add(&t, suffix);
  else if (suffix[0] && suffix[1])
    text_add(&t, (char[]){suffix[0], 0});
  canvas_text_right(c, x_end - w, x_end - 1, y, t.s, role, 0);
  if (doubtful && !isnan(v)) canvas_put(c, x_end - 1, y, '?', ROLE_WARN, 0);
}

struct column {
  const char *title, *unit;
  int w, w_full; /* compact, and with its unit */
  enum sort sort;
  int rank; /* 0: always there; else it comes when all of lower rank are */
};

enum { T_MEMORY, T_RATE, T_PEAK, T_IN, T_BALANCE, T_YEAR, T_POWER, T_EFFICIENCY, T_FAMILY, T_N };
static const struct column table_column[T_N] = {
    [T_MEMORY] = {"memory", "B", 7, 10, SORT_MEMORY, 0},
    [T_RATE] = {"rate", "B/s", 7, 12, SORT_RATE, 0},
    [T_PEAK] = {"peak", "FLOP/s", 8, 14, SORT_PEAK, 0},
    [T_IN] = {"in", "", 5, 6, SORT_N, 0},
    [T_BALANCE] = {"balance", "FLOP/B", 9, 9, SORT_BALANCE, 0},
    [T_YEAR] = {"year", "", 6, 6, SORT_YEAR, 1},
    [T_POWER] = {"power", "", 9, 9, SORT_POWER, 1},
    [T_EFFICIENCY] = {"for a joule", "", 15, 15, SORT_EFFICIENCY, 1},
    [T_FAMILY] = {"family", "", 8, 8, SORT_N, 1},
};

/* The first device row in sight, so that the chosen one is. */
static int list_skip(int n, int at, int room) {
  int skip = at - room / 2;
  if (skip > n - room) skip = n - room;
  return skip < 0 ? 0 : skip;
}

static int list_place(const uint8_t *list, int n, int device) {
  for (int i = 0; i < n; i++)
    if (list[i] == device) return i;
  return 0;
}

/* One of the list: its mark, its id, cut on the left when it is a path. */
static void draw_id(struct canvas *c, int x, int y, int w, const struct view *v, int device) {
  const struct device *d = &v->world->device[device];
  bool chosen = device == (int)v->setup->v[KNOB_DEVICE];
  if (chosen) canvas_put(c, x, y, 0x25B8, ROLE_FOCUS, 0);
  enum role role = chosen ? ROLE_TITLE : device == DEVICE_HERE ? ROLE_MEASURED : d->illustrative ? ROLE_DIM : ROLE_TEXT;
  if (w > 1) canvas_text(c, x + 1, y, machines_brief(d->id), w - 1, role, chosen ? ATTR_REVERSE : 0);
}

static void table_row(struct canvas *c, const int end[T_N], const int width[T_N], int y, const struct view *v, int device) {
  const struct device *d = &v->world->device[device];
  struct sheet s = machines_sheet(v->world, v->setup, device);
  bool asked = v->setup->v[KNOB_ADVERTISED] > 0.5 || s.math == (enum dtype)(int)v->setup->v[KNOB_DTYPE];
  bool known = s.math != DTYPE_N;
  const struct {
    double v;
    const char *unit;
    bool doubtful, dim;
  } cell[T_N] = {[T_MEMORY] = {s.memory_byte, "byte", d->memory_byte.unverified, false},
                 [T_RATE] = {s.byte_per_s, "byte/s", d->memory_byte_per_s.unverified, false},
                 [T_PEAK] = {s.peak, "flop/s", known && d->peak[s.math].unverified, !asked},
                 [T_BALANCE] = {s.balance, "flop/byte", known && s.unverified && !isnan(s.balance), !asked},
                 [T_YEAR] = {d->year ? d->year : NAN, "", false, false},
                 [T_POWER] = {d->tdp_w.value, "W", d->tdp_w.unverified, false},
                 [T_EFFICIENCY] = {s.flop_per_j, "flop/J", false, !asked}};
  for (int i = 0; i < T_N; i++) {
    if (!width[i]) continue;
    if (i == T_IN || i == T_FAMILY) {
      const char *word = i == T_FAMILY ? family_name(d->family) : known ? dtype_name(s.math) : "—";
      canvas_text(c, end[i] - width[i] + 1, y, word, width[i] - 1, i == T_IN && asked ? ROLE_TEXT : ROLE_DIM, 0);
      continue;
    }
    if (i == T_YEAR && d->year) {
      struct text t;
      text_clear(&t);
      text_count(&t, d->year);
      canvas_text_right(c, end[i] - width[i], end[i] - 1, y, t.s, ROLE_DIM, 0);
    } else
      cell_number(c, end[i], width[i], y, cell[i].v, cell[i].unit, cell[i].doubtful,
                  cell[i].dim             ? ROLE_DIM
                  : device == DEVICE_HERE ? ROLE_MEASURED
                                          : ROLE_TEXT,
                  v->ascii);
  }
}

static void table_head(struct canvas *c, const int end[T_N], const int width[T_N], int y, int lines, const struct view *v) {
  enum sort sort = (enum sort)(int)v->setup->v[KNOB_SORT];
  for (int i = 0; i < T_N; i++) {
    if (!width[i]) continue;
    bool sorted = table_column[i].sort == sort, left = i == T_IN || i == T_FAMILY;
    int x = end[i] - 1 - text_columns(table_column[i].title);
    if (left) x = end[i] - width[i] + 1;
    canvas_text(c, x, y, table_column[i].title, -1, sorted ? ROLE_TITLE : ROLE_AXIS, sorted ? ATTR_BOLD : 0);
    if (sorted) canvas_put(c, end[i] - 1, y, v->setup->v[KNOB_REVERSE] > 0.5 ? 0x25B4 : 0x25BE, ROLE_TITLE, 0);
    if (lines > 1 && width[i] != table_column[i].w_full)
      canvas_text_right(c, end[i] - width[i], end[i] - 1, y + 1, table_column[i].unit, ROLE_DIM, 0);
  }
}

static void more_below(struct canvas *c, struct rect r, int left) {
  struct text t;
  text_clear(&t);
  text_add(&t, "▾ ");
  text_count(&t, left);
  text_add(&t, " more below");
  canvas_text(c, r.x + 1, r.y + r.h - 1, t.s, r.w - 1, ROLE_DIM, 0);
}

static void draw_table(struct canvas *c, struct rect r, const struct view *v) {
  uint8_t list[DEVICE_MAX];
  int n = machines_list(v->world, v->setup, list), width[T_N] = {0}, end[T_N], need = 0, full = 0, id = 13;
  for (int i = 0; i < T_N; i++)
    if (table_column[i].rank == 0) need += table_column[i].w, full += table_column[i].w_full;
  bool units = r.w >= id + full;
  for (int i = 0, left = r.w - id; i < T_N; i++) { /* what has no room is left out, the last ones first */
    int w = units ? table_column[i].w_full : table_column[i].w;
    if (w > left) break;
    width[i] = w;
    left -= w;
  }
  int used = 0;
  for (int i = 0; i < T_N; i++) used += width[i];
  int spare = r.w - used - id, widest = 24;
  id += spare < widest - id ? spare : widest - id;
  if (id > r.w) id = r.w;
  for (int i = 0, x = r.x + id; i < T_N; i++) end[i] = x += width[i];
  int bar = r.x + r.w - (end[T_N - 1] + 2), head = r.h >= 8 && !units ? 2 : 1, room = r.h - head;
  table_head(c, end, width, r.y, head, v);
  if (bar >= 10) canvas_text(c, end[T_N - 1] + 2, r.y, "balance, log", bar, ROLE_AXIS, 0);
  bool more = n > room;
  int skip = list_skip(n, list_place(list, n, (int)v->setup->v[KNOB_DEVICE]), more ? room - 1 : room);
  for (int i = 0; i < room - more && skip + i < n; i++) {
    int y = r.y + head + i, device = list[skip + i];
    double balance = machines_sheet(v->world, v->setup, device).balance;
    draw_id(c, r.x, y, id, v, device);
    table_row(c, end, width, y, v, device);
    struct part part = {log10(balance), ROLE_COMPUTE, 0, ""};
    if (bar >= 10 && balance > 1) widget_bar(c, (struct rect){end[T_N - 1] + 2, y, bar < 30 ? bar : 30, 1}, &part, 1, 3, NAN);
  }
  if (more && n > skip + room - 1) more_below(c, r, n - skip - room + 1);
  int below = r.h - head - n - 1; /* what is left below a short list */
  if (!more && below >= 12) machines_draw_balance(c, (struct rect){r.x, r.y + head + n + 1, r.w, below}, v);
}

/* ---- choose ---- */

enum { C_RATE, C_BOUND, C_HOLDS, C_BUSY, C_TIME, C_N };
static const struct column choose_column[C_N] = {
    [C_RATE] = {"a second", "", 10, 10, SORT_N, 0},  [C_BOUND] = {"limited by", "", 11, 11, SORT_N, 0},
    [C_HOLDS] = {"holds it", "", 10, 10, SORT_N, 0}, [C_BUSY] = {"of peak", "", 9, 9, SORT_N, 1},
    [C_TIME] = {"at least", "", 11, 11, SORT_N, 1},
};

static void choose_row(struct canvas *c, int x, const int width[C_N], int y, const struct offer *o, bool serves, bool ascii) {
  struct text t;
  enum role role = serves ? ROLE_TEXT : ROLE_DIM;
  for (int i = 0; i < C_N; x += width[i++]) {
    if (!width[i]) continue;
    int end = x + width[i];
    text_clear(&t);
    switch (i) {
    case C_RATE: cell_number(c, end, width[i], y, 1 / o->time, "1", false, role, ascii); break;
    case C_BUSY: cell_number(c, end, width[i], y, o->busy_share, "%", false, role, ascii); break;
    case C_TIME: cell_number(c, end, width[i], y, o->time, "s", false, role, ascii); break;
    case C_BOUND:
      canvas_text(c, x + 1, y, o->bound == BOUND_UNKNOWN ? "—" : bound_name(o->bound), width[i] - 1,
                  !serves                    ? ROLE_DIM
                  : o->bound == BOUND_MEMORY ? ROLE_MEMORY
                                             : ROLE_COMPUTE,
                  0);
      break;
    default:
      if (o->fits == FITS_NO)
        text_add(&t, "needs "), text_count(&t, o->needed);
      else
        text_add(&t, o->fits != FITS_YES ? "unknown" : o->against ? "poor fit" : "yes");
      canvas_text(c, x + 1, y, t.s, width[i] - 1,
                  o->fits == FITS_YES && !o->against ? ROLE_GOOD
                  : o->fits == FITS_NO               ? ROLE_BAD
                                                     : ROLE_WARN,
                  0);
    }
  }
}

static void draw_choose(struct canvas *c, struct rect r, const struct view *v) {
  uint8_t list[DEVICE_MAX];
  struct offer offer[DEVICE_MAX];
  struct job job = machines_job(v->setup);
  int n = machines_list(v->world, v->setup, list), width[C_N] = {0}, used = 0, id = 13, place = 3;
  choose_rank(v->world, list, n, &job, offer);
  for (int i = 0; i < C_N && used + choose_column[i].w <= r.w - id - place; i++) used += width[i] = choose_column[i].w;
  int spare = r.w - used - id - place;
  if (spare < 0) id = r.w - place, spare = 0;
  int grow = spare < 10 ? spare : 10;
  id += grow;
  int x = r.x + place + id, bar = r.w - place - id - used - 1, room = r.h - 1;
  for (int i = 0, at = x; i < C_N; at += width[i++])
    if (width[i] && (i == C_BOUND || i == C_HOLDS))
      canvas_text(c, at + 1, r.y, choose_column[i].title, width[i] - 1, ROLE_AXIS, 0);
    else if (width[i])
      canvas_text_right(c, at, at + width[i] - 1, r.y, choose_column[i].title, ROLE_AXIS, 0);
  bool more = n > room;
  double best = NAN;
  for (int i = 0; i < n; i++)
    if (choose_serves(&offer[i]) && isnan(best)) best = 1 / offer[i].time;
  int skip = list_skip(n, list_place(list, n, (int)v->setup->v[KNOB_DEVICE]), more ? room - 1 : room);
  for (int i = 0; i < room - more && skip + i < n; i++) {
    int at = i == 0 ? 0 : skip + i; /* the first of the ranking stays in sight */
    const struct offer *o = &offer[at];
    bool serves = choose_serves(o);
    int y = r.y + 1 + i;
    struct text t;
    text_clear(&t);
    text_count(&t, at + 1);
    if (serves) canvas_text_right(c, r.x, r.x + place - 1, y, t.s, ROLE_DIM, 0);
    draw_id(c, r.x + place, y, id, v, o->device);
    choose_row(c, x, width, y, o, serves, v->ascii);
    struct part part = {1 / o->time, o->bound == BOUND_MEMORY ? ROLE_MEMORY : ROLE_COMPUTE, 0, ""};
    if (bar >= 8 && serves) widget_bar(c, (struct rect){x + used + 1, y, bar, 1}, &part, 1, best, NAN);
  }
  if (more && n > skip + room - 1) more_below(c, r, n - skip - room + 1);
  int below = room - n - 1;
  if (!more && below >= 10) machines_draw_place(c, (struct rect){r.x, r.y + n + 2, r.w, below}, v);
}

void machines_draw(struct canvas *c, struct rect r, const struct view *v) {
  switch (machines_view(v->setup)) {
  case VIEW_PLOT: machines_draw_plot(c, r, v); break;
  case VIEW_BALANCE: machines_draw_balance(c, r, v); break;
  case VIEW_CARD: machines_draw_card(c, r, v); break;
  case VIEW_PEAK: machines_draw_peak(c, r, v); break;
  case VIEW_CPU: machines_draw_cpu(c, r, v); break;
  case VIEW_TWINS: machines_draw_twins(c, r, v); break;
  case VIEW_CHOOSE: draw_choose(c, r, v); break;
  default: draw_table(c, r, v); break;
  }
}
