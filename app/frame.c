/* frame: one whole screen of any scene: header, picture, panel, verdict, what is being measured, keys. Everything shown is decided by the
 * caller; nothing here reads a clock, a file or a key. */
#include <math.h>
#include <string.h>

#include "app/frame_parts.h"
#include "tui/widget.h"

enum { FULL_W = 76, MIN_W = 60, MIN_H = 18 };

/* Where everything goes, from the size alone: the picture must not jump when a sentence grows by a line. */
struct layout {
  struct rect picture, panel;
  int rule, verdict, verdict_rows, status, keys;
  bool narrow;
};

static struct layout layout_of(int w, int h) {
  struct layout l = {0};
  l.verdict_rows = h < 22 ? 2 : h < 34 ? 3 : 4;
  l.keys = h - 1;
  l.status = h - 2;
  l.verdict = l.status - l.verdict_rows;
  l.rule = l.verdict - 1;
  int top = 2, rows = l.rule - top;
  l.narrow = w < FULL_W;
  if (l.narrow) {
    int under = rows >= 20 ? 8 : rows >= 14 ? 6 : 5;
    l.picture = (struct rect){0, top, w, rows - under};
    l.panel = (struct rect){0, top + rows - under, w, under};
    return l;
  }
  int panel = w >= 160 ? 44 : w >= 120 ? 36 : 30;
  l.picture = (struct rect){0, top, w - panel - 1, rows};
  l.panel = (struct rect){w - panel, top, panel, rows};
  return l;
}

bool frame_why(const struct world *w, const struct scene *s, const struct setup *resolved, struct why_input *in) {
  struct request want[REQUEST_MAX];
  if (s->why) {
    s->why(w, resolved, in);
    return true;
  }
  if (!s->measures) return false;
  if (s->measures(w, resolved, want) > 0)
    why_of(w, &want[0], in);
  else /* nothing to run for this setting: nothing to explain */
    *in = (struct why_input){.device = &w->device[DEVICE_HERE], .flop = NAN, .byte = NAN, .byte_bus = NAN, .s = NAN, .spread = NAN,
                             .peak = NAN, .byte_per_s = NAN, .dispatch_s = NAN};
  return true;
}

enum overlay frame_overlay(const struct frame *f, const struct frame_data *d) {
  if (f->overlay != OVERLAY_NONE && f->overlay != OVERLAY_WHY) return f->overlay;
  return (f->scene->why || f->scene->measures) && (f->overlay == OVERLAY_WHY || d->setup.v[KNOB_WHY] > 0.5) ? OVERLAY_WHY : OVERLAY_NONE;
}

bool frame_hides(const struct frame_data *d) { return d->setup.v[KNOB_GUESSING] > 0.5 && isnan(d->setup.v[KNOB_GUESS]); }

void frame_compute(const struct frame *f, struct frame_data *d) {
  setup_for(f->world, f->scene, f->person, &d->setup);
  d->nfact = f->scene->facts(f->world, &d->setup, d->fact);
  struct request request[REQUEST_MAX];
  d->measurable = f->scene->measures && f->scene->measures(f->world, &d->setup, request) > 0;
  text_clear(&d->verdict);
  struct fact told[FACT_MAX]; /* the sentence must not give away what is still to be guessed */
  memcpy(told, d->fact, sizeof told);
  for (int i = 0; i < d->nfact && frame_hides(d); i++)
    if (told[i].measured) told[i].value = NAN;
  f->scene->verdict(told, d->nfact, &d->verdict);
  struct axes next = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
  if (f->scene->axes) f->scene->axes(f->world, &d->setup, f->axes, &next);
  if (f->axes) *f->axes = next;
}

/* The device this screen speaks of; "" when the scene has none. */
static const char *device_shown(const struct frame *f, const struct frame_data *d) {
  int device = (int)d->setup.v[KNOB_DEVICE];
  for (int i = 0; i < f->scene->nknobs; i++)
    if (f->scene->knobs[i] == KNOB_DEVICE && (!f->scene->applies || f->scene->applies(&d->setup, KNOB_DEVICE)))
      return device == DEVICE_HERE ? "this machine" : f->world->device[device].id;
  return "";
}

static void header_draw(struct canvas *c, const struct frame *f, const struct frame_data *d) {
  int part = f->scene->address[0] - '0', w = c->w;
  int x = canvas_text(c, 1, 0, "ridge", -1, ROLE_TITLE, ATTR_BOLD) + 3;
  for (int i = 1; i <= 6; i++) {
    struct text t;
    text_clear(&t);
    text_add(&t, (char[]){' ', (char)('0' + i), ' ', 0});
    if (w >= FULL_W || i == part) text_add(&t, scene_part(i)), text_add(&t, " ");
    x += canvas_text(c, x, 0, t.s, -1, i == part ? ROLE_TITLE : ROLE_DIM, i == part ? ATTR_REVERSE : 0);
  }
  if (x + 13 < w) canvas_text(c, w - 13, 0, "g all  ? help", -1, ROLE_KEY, 0);

  x = 1 + canvas_text(c, 1, 1, f->scene->address, -1, ROLE_DIM, 0) + 1;
  x += canvas_text(c, x, 1, f->scene->name, -1, ROLE_TITLE, ATTR_BOLD) + 2;
  const char *whose = device_shown(f, d);
  int room = w - 1 - text_columns(whose);
  canvas_text(c, x, 1, f->scene->question, room - x - 1, ROLE_TEXT, 0);
  canvas_text(c, room, 1, whose, -1, ROLE_DIM, 0);
}

static int last_blank(const char *s) {
  const char *at = strrchr(s, ' ');
  return at ? (int)(at - s) : 0;
}

static void verdict_draw(struct canvas *c, const struct layout *l, const struct frame_data *d) {
  int start[8], length[8], n = text_wrap(d->verdict.s, c->w - 2, 8, start, length);
  canvas_hline(c, 0, c->w - 1, l->rule, ROLE_BORDER, 0);
  for (int i = 0; i < l->verdict_rows && i < n; i++) {
    struct text line;
    text_clear(&line);
    bool more = i == l->verdict_rows - 1 && n > l->verdict_rows; /* cut between words, in points that are no full stop in ASCII either */
    memcpy(line.s, d->verdict.s + start[i], (size_t)length[i]);
    do line.s[line.n = length[i]] = 0;
    while (more && text_columns(line.s) > c->w - 6 && (length[i] = last_blank(line.s)) > 0);
    if (more) text_add(&line, " ...");
    canvas_text(c, 1, l->verdict + i, line.s, c->w - 2, ROLE_TEXT, 0);
  }
}

/* What the measured point is made of, or why there is none; a progress bar while something is being measured. */
static void status_draw(struct canvas *c, const struct layout *l, const struct frame *f, const struct frame_data *d) {
  int x = 1, y = l->status;
  if (f->editing && f->message) { /* what is typed keeps the line below */
    canvas_text(c, x, y, f->message, c->w - 2, ROLE_WARN, 0);
    return;
  }
  /* Whose numbers these are is always on the screen, but where a narrow one has to say what it waits for. */
  const char *state = fact_word(d->fact, d->nfact, "state"), *from = fact_word(d->fact, d->nfact, "provenance");
  struct text t;
  text_clear(&t);
  if (f->refining && !f->measuring)
    text_add(&t, "refining"), text_add(&t, c->w >= 100 ? " " : ""), text_add(&t, c->w >= 100 ? f->refining : ""), text_add(&t, "  ");
  if (from[0]) text_add(&t, "figures: "), text_add(&t, from);
  if (f->measuring) {
    int end = c->w - 1;
    x += canvas_text(c, x, y, f->progress ? f->progress : "measuring", c->w / 2, ROLE_MEASURED, 0) + 1;
    if (t.s[0] && x + 8 + text_columns(t.s) <= end) end -= canvas_text(c, end - text_columns(t.s), y, t.s, -1, ROLE_DIM, 0) + 1;
    if (f->total > 0 && x + 7 <= end) {
      double share = f->done / f->total;
      share = share < 0 ? 0 : share > 1 ? 1 : share;
      int width = end - x - 8;
      struct part done = {share, ROLE_MEASURED, 0, ""}; /* the rest stays empty: how far it is must show without colour */
      if (width > 4) widget_bar(c, (struct rect){x, y, width, 1}, &done, 1, 1, NAN), x += width + 1;
      text_clear(&t);
      text_number(&t, share, "%");
      canvas_text(c, x, y, t.s, end - x, ROLE_DIM, 0);
    }
    return;
  }
  int room = c->w - 1 - text_columns(t.s);
  canvas_text(c, room, y, t.s, -1, ROLE_DIM, 0);
  text_clear(&t);
  if (!state[0]) return;
  double count = fact_value(d->fact, d->nfact, "measured_count"), spread = fact_value(d->fact, d->nfact, "measured_spread");
  bool point = !isnan(fact_value(d->fact, d->nfact, "measured_time"));
  text_add(&t, point ? "o " : "");
  const char *operation = fact_word(d->fact, d->nfact, "operation");
  if (point && operation[0]) text_add(&t, operation), text_add(&t, " ");
  text_add(&t, state);
  if (count > 0) text_add(&t, ": median of "), text_count(&t, count);
  if (spread >= 0) text_add(&t, " ±"), text_number(&t, spread, "%");
  const char *isa = fact_word(d->fact, d->nfact, "isa"), *flags = fact_word(d->fact, d->nfact, "flags");
  if (isa[0]) text_add(&t, "  "), text_add(&t, isa);
  if (flags[0]) text_add(&t, "  ["), text_add(&t, flags), text_add(&t, "]");
  canvas_text(c, x, y, t.s, room - x - 1, point ? ROLE_MEASURED : ROLE_DIM, 0);
}

static bool scene_has(const struct scene *s, int knob) {
  for (int i = 0; i < s->nknobs; i++)
    if (s->knobs[i] == knob) return true;
  return false;
}

static void keys_draw(struct canvas *c, const struct layout *l, const struct frame *f, const struct frame_data *d) {
  if (f->editing) {
    int x = 1 + canvas_text(c, 1, l->keys, f->focus >= 0 ? knob_table[f->focus].label : "", 24, ROLE_TITLE, ATTR_BOLD);
    x += canvas_text(c, x, l->keys, " = ", -1, ROLE_TEXT, 0);
    const char *end = f->edit ? f->edit : ""; /* of words too long for the line, the end: that is where one types */
    while (text_columns(end) > c->w - x - 2)
      do end++;
      while (((unsigned char)*end & 0xc0) == 0x80);
    x += canvas_text(c, x, l->keys, end, -1, ROLE_FOCUS, 0);
    canvas_text(c, x, l->keys, "_", -1, ROLE_FOCUS, 0);
    static const char how[] = "Enter takes it, Esc leaves";
    int at = c->w - (int)sizeof how;
    if (at > x + 2) canvas_text(c, at, l->keys, how, -1, ROLE_KEY, 0);
    return;
  }
  static const char right[] = "? words  q quit";
  int room = c->w - (int)sizeof right - 1;
  if (f->message)
    canvas_text(c, 1, l->keys, f->message, room - 2, ROLE_WARN, 0);
  else {
    /* Whole entries only: half a key name helps nobody. Those a newcomer needs first come first. */
    static const char MEASURE[] = "m measure"; /* shown where there is something to run */
    static const struct {
      const char *words;
      int knob;
    } entry[] = {{"←→ change", -1}, {"↑↓ choose", -1},       {MEASURE, -1},
                 {"= more", -1},    {"] next", -1},          {"Enter type", -1},
                 {"G guess", -1},   {"e explain", KNOB_WHY}, {"p peak×2", KNOB_PEAK}, {"w memory×2", KNOB_BANDWIDTH},
                 {"y share", -1},   {"s save", -1},          {"0 reset", -1},
                 {"t theme", -1},   {"R machine again", -1}};
    int x = 1;
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
      if (entry[i].words == MEASURE ? !d->measurable
          : entry[i].knob == KNOB_WHY ? !f->scene->why && !d->measurable
                                      : entry[i].knob >= 0 && !scene_has(f->scene, entry[i].knob))
        continue;
      if (x + text_columns(entry[i].words) > room) break;
      x += canvas_text(c, x, l->keys, entry[i].words, -1, ROLE_KEY, 0) + 2;
    }
  }
  canvas_text(c, c->w - (int)sizeof right, l->keys, right, -1, ROLE_KEY, 0);
}

static void small_draw(struct canvas *c) {
  struct text t;
  text_clear(&t);
  text_add(&t, "ridge needs 60 x 18; this is ");
  text_count(&t, c->w);
  text_add(&t, " x ");
  text_count(&t, c->h);
  text_add(&t, ". q quits");
  widget_words(c, canvas_rect(c), t.s, ROLE_TEXT);
}

static struct rect panel_inside(const struct layout *l) {
  return l->narrow ? (struct rect){l->panel.x, l->panel.y + 1, l->panel.w, l->panel.h - 1} : l->panel;
}

int frame_at(const struct frame *f, const struct frame_data *d, int w, int h, int x, int y, int *fact) {
  struct layout l = layout_of(w, h);
  if (w < MIN_W || h < MIN_H || f->overlay != OVERLAY_NONE) return -1;
  return panel_at(panel_inside(&l), f, d, l.narrow, x, y, fact);
}

void frame_draw(struct canvas *c, const struct frame *f, const struct frame_data *d) {
  canvas_clear(c);
  canvas_clip(c, canvas_rect(c));
  if (c->w < MIN_W || c->h < MIN_H) {
    small_draw(c);
    return;
  }
  struct layout l = layout_of(c->w, c->h);
  struct view view = {.world = f->world,
                      .setup = &d->setup,
                      .fact = d->fact,
                      .nfact = d->nfact,
                      .axes = f->axes,
                      .trail = f->trail,
                      .focus = f->focus,
                      .changed = f->changed,
                      .time = f->time,
                      .stale = f->stale,
                      .hide_measured = frame_hides(d),
                      .ascii = f->ascii};
  header_draw(c, f, d);
  canvas_clip(c, l.picture);
  if (l.picture.w >= f->scene->min_w && l.picture.h >= f->scene->min_h)
    f->scene->draw(c, l.picture, &view);
  else
    widget_words(c, l.picture, "no room for the picture here: make the window larger", ROLE_DIM);
  canvas_clip(c, canvas_rect(c));
  if (!l.narrow)
    canvas_vline(c, l.panel.x - 1, l.panel.y, l.rule, ROLE_BORDER, 0);
  else
    canvas_hline(c, 0, c->w - 1, l.panel.y, ROLE_BORDER, 0);
  struct rect panel = panel_inside(&l);
  canvas_clip(c, panel);
  panel_draw(c, panel, f, d, l.narrow);
  canvas_clip(c, canvas_rect(c));
  verdict_draw(c, &l, d);
  status_draw(c, &l, f, d);
  keys_draw(c, &l, f, d);
  if (frame_overlay(f, d) != OVERLAY_NONE) overlay_draw(c, f, d);
}
