/* The hierarchy scene's picture: boxes inside boxes, nearest on top, the links below, and the measured staircase where there is room. Every
 * number comes from the scene's table (hierarchy_rows), one row per box. */
#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "scenes/hierarchy.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { BOX_MAX = LEVEL_MAX + 2 + ASIDE_MAX };
struct box_row {
  struct fact f[FACT_MAX];
  int n;
};

static double value(const struct box_row *b, const char *name) { return fact_value(b->f, b->n, name); }
static const char *word(const struct box_row *b, const char *name) { return fact_word(b->f, b->n, name); }

/* What was found of a level beside its figures: a knee that is not where the system says, threads that fill it with their own caches. */
static void odd_words(const struct box_row *b, struct text *t) {
  double knee = value(b, "knee_byte"), byte = value(b, "byte");
  if (!isnan(knee) && (isnan(byte) || fabs(log2(knee / byte)) > 0.2)) {
    text_add(t, "  knee "), text_number(t, knee, "iB");
    if (strcmp(word(b, "cache_share"), "a slice") == 0) text_add(t, ": a slice");
  }
  if (strcmp(word(b, "separable"), "no") == 0) text_add(t, "  not separable");
}

/* How much a row of words says; each is tried until one fits, the last is cut. */
enum said { SAID_ALL, SAID_PLAIN, SAID_BRIEF, SAID_N };

/* A level's figures in the order they are dropped from the right when the row is short; siblings are folded ("2 × 32 KiB"). */
static void row_words(const struct box_row *b, bool here, enum said said, bool timed, struct text *t) {
  double rate = value(b, "byte_per_s"), latency = value(b, "latency"), byte = value(b, "byte");
  text_clear(t);
  if (isnan(byte))
    text_add(t, "size unknown");
  else {
    if (value(b, "count") > 1) text_count(t, value(b, "count")), text_add(t, " × ");
    text_number(t, value(b, "byte_one"), here ? "iB" : "byte");
  }
  if (said == SAID_ALL && timed) odd_words(b, t);
  text_add(t, "  ");
  if (isnan(rate))
    text_add(t, said == SAID_BRIEF ? "rate ▒▒▒" : here ? "rate ▒▒▒ not measured" : "rate ▒▒▒ not published");
  else
    text_number(t, rate, "byte/s");
  if (strcmp(word(b, "from"), "unverified") == 0) text_add(t, "?");
  if (!isnan(latency)) text_add(t, "  "), text_number(t, latency, "s");
  if (timed && !isnan(value(b, "sweep_time"))) text_add(t, "  all in "), text_number(t, value(b, "sweep_time"), "s");
}

/* Words cut at a gap of two blanks, never inside a number: half a figure would be a wrong one. */
static void put_words(struct canvas *c, int x, int y, const char *s, int max, enum role role, int attr) {
  struct text t;
  text_clear(&t);
  text_add(&t, s);
  while (t.n > 0 && text_columns(t.s) > max) {
    int cut = t.n - 1;
    while (cut > 0 && !(t.s[cut] == ' ' && t.s[cut - 1] == ' ')) cut--;
    while (cut > 0 && t.s[cut - 1] == ' ') cut--;
    t.s[cut] = 0;
    t.n = cut;
  }
  if (t.n > 0) canvas_text(c, x, y, t.s, max, role, attr);
}

static int name_width(const struct box_row *box, int n, int most) {
  int w = 4;
  for (int i = 0; i < n; i++) {
    int columns = text_columns(word(&box[i], "name"));
    if (columns > w) w = columns;
  }
  return w > most ? most : w;
}

/* The marker, the name and the figures of a level on one row. `timed`: the time to read all of it belongs here too; false when the row had
 * no room for it. */
static bool draw_level(struct canvas *c, int x, int y, int w, const struct box_row *b, int name_w, bool here, bool timed) {
  struct text words;
  int room = w - name_w - 2;
  bool serves = strcmp(word(b, "serves"), "yes") == 0;
  if (serves) canvas_put(c, x, y, 0x25B8, ROLE_ROOF, ATTR_BOLD);
  canvas_text(c, x + 1, y, word(b, "name"), name_w, serves ? ROLE_ROOF : ROLE_TEXT, serves ? ATTR_BOLD : 0);
  for (int i = 0; i < SAID_N; i++) {
    row_words(b, here, (enum said)i, timed, &words);
    if (text_columns(words.s) <= room) break;
  }
  bool fits = text_columns(words.s) <= room;
  put_words(c, x + name_w + 2, y, words.s, room, serves ? ROLE_TEXT : ROLE_DIM, 0);
  return fits;
}

/* How long reading all of this level takes, and how full the working set makes it: the time stands first, for a narrow row drops what is
 * on its right. */
static void draw_share(struct canvas *c, struct rect r, const struct box_row *b, double set) {
  struct text t;
  double held = value(b, "held_share"), byte = value(b, "byte"), knee = value(b, "knee_byte"), room = isnan(knee) ? byte : knee,
         sweep = value(b, "sweep_time");
  text_clear(&t);
  if (!isnan(sweep)) text_add(&t, "all in "), text_number(&t, sweep, "s");
  odd_words(b, &t);
  int least = text_columns(t.s); /* so much must find room; the bar is shortened for it */
  if (!isnan(held)) text_add(&t, t.n ? "  holds " : "holds "), text_number(&t, held, "%"), text_add(&t, " of the set");
  int bar_w = r.w / 3;
  if (bar_w > r.w - least - 2) bar_w = r.w - least - 2;
  if (bar_w >= 5 && !isnan(held)) {
    struct part part[] = {{fmin(set, room), strcmp(word(b, "serves"), "yes") == 0 ? ROLE_MEMORY : ROLE_DIM, 0, ""}};
    widget_bar(c, (struct rect){r.x, r.y, bar_w, 1}, part, 1, room, NAN);
    r.x += bar_w + 1, r.w -= bar_w + 1;
  }
  put_words(c, r.x, r.y, t.s, r.w, ROLE_DIM, 0);
}

/* The step to the next level, on the border that has to be crossed; past the last one there may be nothing. `timed`: the row above had no
 * room for the time to read all of the level, so it stands here. */
static void draw_step(struct canvas *c, int x, int y, int max, const struct box_row *b, bool last, bool timed) {
  struct text t;
  double slower = value(b, "slower"), larger = value(b, "larger"), sweep = value(b, "sweep_time");
  text_clear(&t);
  if (timed && !isnan(sweep)) text_add(&t, " all in "), text_number(&t, sweep, "s"), text_add(&t, "  ");
  if (!isnan(slower) || !last) {
    text_add(&t, t.n ? "▾ " : " ▾ ");
    if (isnan(slower))
      text_add(&t, "speed step unknown");
    else if (slower >= 1)
      text_number(&t, slower, "x"), text_add(&t, " slower");
    else
      text_number(&t, 1 / slower, "x"), text_add(&t, " faster");
    if (last) text_add(&t, " to the host"); /* the link drawn first below it may be another one */
    if (!isnan(larger)) text_add(&t, "  "), text_number(&t, larger, "x"), text_add(&t, " larger");
  }
  if (!t.n) return;
  text_add(&t, " ");
  put_words(c, x, y, t.s, max, ROLE_KEY, 0);
}

/* Level i's box lies inside level i+1's; all share the top border, so each level costs its own rows and one border. */
static void draw_boxes(struct canvas *c, struct rect r, const struct box_row *box, int nlevel, int per, double set, bool here) {
  int name_w = name_width(box, nlevel, r.w * 2 / 5), y = r.y + 1;
  for (int i = nlevel - 1; i >= 0; i--) {
    int inset = nlevel - 1 - i;
    struct rect b = {r.x + inset, r.y, r.w - 2 * inset, 1 + (i + 1) * (per + 1)};
    canvas_box(c, b, strcmp(word(&box[i], "serves"), "yes") == 0 ? ROLE_ROOF : ROLE_BORDER);
  }
  for (int i = 0; i < nlevel; i++, y += per + 1) {
    int inset = nlevel - i, x = r.x + inset, w = r.w - 2 * inset;
    if (w < 8) continue;
    bool told = draw_level(c, x, y, w, &box[i], name_w, here, per == 1);
    if (per > 1) draw_share(c, (struct rect){x + 1, y + 1, w - 1, 1}, &box[i], set);
    draw_step(c, x + 2, y + per, w - 4, &box[i], i + 1 == nlevel, per == 1 && !told);
  }
}

/* Too low for boxes: one line a level. */
static void draw_list(struct canvas *c, struct rect r, const struct box_row *box, int nlevel, bool here) {
  int name_w = name_width(box, nlevel, r.w * 2 / 5);
  for (int i = 0; i < nlevel && i < r.h; i++) draw_level(c, r.x, r.y + i, r.w, &box[i], name_w, here, true);
}

static void draw_links(struct canvas *c, struct rect r, const struct box_row *link, int n, bool unified) {
  struct text t;
  for (int i = 0; i < n && i < r.h; i++) {
    double rate = value(&link[i], "byte_per_s"), both = value(&link[i], "both_byte_per_s"), time = value(&link[i], "read_time");
    text_clear(&t);
    text_add(&t, word(&link[i], "name"));
    text_add(&t, "  ");
    if (!isnan(rate))
      text_number(&t, rate, "byte/s"), text_add(&t, " each way");
    else if (!unified)
      text_add(&t, "rate ▒▒▒ not published");
    if (!isnan(both)) text_add(&t, "  "), text_number(&t, both, "byte/s"), text_add(&t, " both ways");
    if (!isnan(time)) text_add(&t, "  this set in "), text_number(&t, time, "s");
    canvas_put(c, r.x + 1, r.y + i, 0x2195, ROLE_LINK, 0);
    put_words(c, r.x + 3, r.y + i, t.s, r.w - 3, ROLE_LINK, 0);
  }
}

/* Caches the accelerator's data never pass, in words, so that their absence among the boxes is no riddle. */
static void draw_aside(struct canvas *c, struct rect r, const struct box_row *aside, int n) {
  struct text t;
  for (int i = 0; i < n && i < r.h; i++) {
    text_clear(&t);
    text_add(&t, word(&aside[i], "name"));
    text_add(&t, "  ");
    if (!isnan(value(&aside[i], "byte"))) text_number(&t, value(&aside[i], "byte"), "byte");
    text_add(&t, "  the CPU's own: not on this way");
    put_words(c, r.x + 3, r.y + i, t.s, r.w - 3, ROLE_DIM, 0);
  }
}

/* ---- the staircase ---- */
static void stairs_range(const struct device *d, double y[2]) {
  const struct stair *s = &d->machine.stair[STAIR_TEAM], *one = &d->machine.stair[STAIR_ONE];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < (k ? one : s)->n; i++) {
      double rate = (k ? one : s)->point[i].value;
      if (!(y[0] <= rate)) y[0] = rate;
      if (!(y[1] >= rate)) y[1] = rate;
    }
}

void hierarchy_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  double set = s->v[KNOB_WORKING_SET], lo = 4096, hi = 1e8, y_lo = NAN, y_hi = NAN;
  if (hierarchy_view(s) == VIEW_STRIDE || hierarchy_view(s) == VIEW_CHAINS) {
    hierarchy_plot_axes(w, s, prev, out);
    return;
  }
  if (d->nlevel > 1 && ladder_reach(d, d->nlevel - 2) > 0) hi = 16 * ladder_reach(d, d->nlevel - 2);
  if (d->host.byte_per_s.value > 0 && ladder_reach(d, d->nlevel - 1) > 0) hi = 8 * ladder_reach(d, d->nlevel - 1);
  if (d->nlevel > 0 && ladder_reach(d, 0) > 0) lo = fmax(4096, ladder_reach(d, 0) / 16);
  while (set < lo) lo /= 2;
  while (set > hi) hi *= 2;
  for (int i = 0; i <= d->nlevel; i++) {
    double rate = i < d->nlevel ? ladder_level_rate(d, i, 0) : d->host.byte_per_s.value;
    if (!(rate > 0)) continue;
    if (!(y_lo <= rate)) y_lo = rate;
    if (!(y_hi >= rate)) y_hi = rate;
  }
  double y[2] = {y_lo, y_hi};
  stairs_range(d, y);
  y_lo = y[0], y_hi = y[1];
  const struct stair *stair = &d->machine.stair[STAIR_TEAM];
  if (stair->n > 0) lo = fmin(lo, stair->point[0].byte), hi = fmax(hi, stair->point[stair->n - 1].byte);
  if ((int)s->v[KNOB_DEVICE] == DEVICE_HERE) { /* what was measured is shown, wherever it lies */
    struct read_point point[READ_POINT_MAX];
    int n = hierarchy_read_points(w, point, READ_POINT_MAX);
    for (int i = 0; i < n; i++) {
      if (!(y_lo <= point[i].byte_per_s)) y_lo = point[i].byte_per_s;
      if (!(y_hi >= point[i].byte_per_s)) y_hi = point[i].byte_per_s;
      lo = fmin(lo, point[i].byte), hi = fmax(hi, point[i].byte * 1.2);
    }
  }
  if (!(y_lo > 0)) y_lo = 1e9, y_hi = 1e12;
  axis_keep(prev ? prev->x : (double[2]){NAN, NAN}, lo, hi, true, out->x);
  axis_keep(prev ? prev->y : (double[2]){NAN, NAN}, y_lo / 2, y_hi * 2, true, out->y);
  hierarchy_latency_axis(d, prev, out);
}

/* What m and the slider measured, the set on show with its spread. */
void hierarchy_points(struct plot *p, const struct view *v) {
  struct read_point point[READ_POINT_MAX];
  int n = hierarchy_read_points(v->world, point, READ_POINT_MAX);
  enum role role = v->stale ? ROLE_DIM : ROLE_MEASURED;
  for (int i = 0; i < n; i++) {
    double rate = point[i].byte_per_s, spread = point[i].spread;
    bool now = fabs(point[i].byte - v->setup->v[KNOB_WORKING_SET]) <= 4;
    if (now && spread > 0)
      plot_spread(p, point[i].byte, rate, rate * (1 - spread), rate * (1 + spread), 'o', role);
    else
      plot_point(p, point[i].byte, rate, 'o', now ? role : ROLE_TRAIL);
  }
}

/* Each level's rate over the working sets it serves. A level without a published rate leaves a gap, in words. */
static void draw_stairs(struct canvas *c, struct rect r, const struct view *v, const struct device *d, bool here) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "iB", "working set"};
  struct axis y = {v->axes->y[0], v->axes->y[1], true, "byte/s", ""};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  double from = p.x.lo, before = NAN, set = v->setup->v[KNOB_WORKING_SET];
  for (int i = 0; i <= d->nlevel; i++) {
    bool link = i == d->nlevel;
    double to = link ? p.x.hi : ladder_reach(d, i), rate = link ? d->host.byte_per_s.value : ladder_level_rate(d, i, 0);
    const char *name = link ? d->host.name : d->level[i].name;
    if (link && !(rate > 0)) break;
    if (i == d->nlevel - 1 && (!(d->host.byte_per_s.value > 0) || !(to > 0))) to = p.x.hi;
    if (!(to > from)) continue;
    if (rate > 0) {
      plot_line(&p, from, rate, to, rate, ROLE_ROOF);
      if (before > 0) plot_line(&p, from, before, from, rate, ROLE_ROOF);
      plot_label(&p, sqrt(from * fmin(to, p.x.hi)), rate, name, "", ROLE_ROOF, ANCHOR_ABOVE, 1 + i);
    } else {
      plot_words(&p, from, fmin(to, p.x.hi), 0.4, here ? "not measured" : "not published", ROLE_DIM);
      plot_words(&p, from, fmin(to, p.x.hi), 0.7, name, ROLE_DIM);
    }
    if (to < p.x.hi) plot_vline(&p, to, ROLE_GRID, true);
    from = to, before = rate;
    if (from >= p.x.hi) break;
  }
  plot_point(&p, set, fact_value(v->fact, v->nfact, "level_byte_per_s"), 0xD7, ROLE_CEILING);
  if (here && !v->hide_measured) hierarchy_curve(&p, &d->machine.stair[STAIR_TEAM], v->stale ? ROLE_DIM : ROLE_MEASURED);
  if (here && !v->hide_measured) hierarchy_points(&p, v);
  if (!isnan(v->setup->v[KNOB_GUESS])) plot_point(&p, set, v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  plot_end(&p);
}

/* Boxes with two rows a level where they fit, else one; the staircase gets what is left, beside them on a wide screen, below on others. */
void hierarchy_draw(struct canvas *c, struct rect r, const struct view *v) {
  const struct device *d = &v->world->device[(int)v->setup->v[KNOB_DEVICE]];
  bool here = (int)v->setup->v[KNOB_DEVICE] == DEVICE_HERE;
  struct box_row box[BOX_MAX];
  int rows = 0;
  enum view_id view = hierarchy_view(v->setup);
  if (view != VIEW_LEVELS) {
    if (r.h < 3 || r.w < 16)
      widget_words(c, r, "too small", ROLE_DIM);
    else if (view == VIEW_STAIRCASE && !here)
      draw_stairs(c, r, v, d, here);
    else
      (view == VIEW_STAIRCASE ? hierarchy_draw_staircase : view == VIEW_STRIDE ? hierarchy_draw_stride : hierarchy_draw_chains)(c, r, v);
    return;
  }
  while (rows < BOX_MAX && (box[rows].n = hierarchy_rows(v->world, v->setup, rows, box[rows].f)) > 0) rows++;
  int nlevel = d->nlevel < rows ? d->nlevel : rows, nlink = hierarchy_links(d);
  if (r.h < 3 || r.w < 16) {
    widget_words(c, r, "too small", ROLE_DIM);
    return;
  }
  if (nlevel == 0) { /* links may be known, and reads may have been measured, before any level is */
    const char *words = here ? "this machine's levels are not measured yet: R measures them" : "no level of this device is known";
    struct read_point point[READ_POINT_MAX];
    bool stairs = here && r.h >= 11 && hierarchy_read_points(v->world, point, READ_POINT_MAX) > 0;
    int top = stairs ? 3 : r.h > nlink ? r.h - nlink : r.h;
    widget_words(c, (struct rect){r.x, r.y, r.w, top}, words, ROLE_WARN);
    if (stairs)
      draw_stairs(c, (struct rect){r.x, r.y + top, r.w, r.h - top}, v, d, here);
    else if (r.h > nlink)
      draw_links(c, (struct rect){r.x, r.y + r.h - nlink, r.w, nlink}, box, nlink, d->unified);
    return;
  }
  bool beside = r.w >= 100 && r.h >= 12;
  int thin = 1 + 2 * nlevel, full = 1 + 3 * nlevel;
  struct rect left = r;
  if (beside) left.w = r.w * 11 / 20;
  bool two = left.h >= full + nlink;
  int per = two ? 2 : 1, height = two ? full : thin;
  if (height > left.h) {
    height = nlevel < left.h ? nlevel : left.h;
    draw_list(c, left, box, nlevel, here);
  } else
    draw_boxes(c, (struct rect){left.x, left.y, left.w, height}, box, nlevel, per, v->setup->v[KNOB_WORKING_SET], here);
  if (left.h - height < nlink) nlink = left.h - height;
  draw_links(c, (struct rect){left.x, left.y + height, left.w, nlink}, &box[d->nlevel], nlink, d->unified);
  int used = height + nlink, naside = rows - d->nlevel - hierarchy_links(d);
  if (left.h - used >= (beside ? naside : naside + 6)) {
    draw_aside(c, (struct rect){left.x, left.y + used, left.w, naside}, &box[rows - naside], naside);
    used += naside;
  }
  if (beside)
    draw_stairs(c, (struct rect){left.x + left.w + 1, r.y, r.w - left.w - 1, r.h}, v, d, here);
  else if (left.h - used >= 6)
    draw_stairs(c, (struct rect){r.x, r.y + used, r.w, r.h - used}, v, d, here);
}
