/* overlay: the boxes drawn over a scene: help with the focused word first, the list of scenes, the line that reproduces this screen. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "app/frame_parts.h"
#include "app/overlay_page.h"

void page_line(struct page *p, const char *s, enum role role, int attr, int indent) {
  int start[16], length[16], n = text_wrap(s, p->r.w - 2 - indent, 16, start, length);
  if (n == 0) p->row++;
  for (int i = 0; i < n; i++, p->row++) {
    int y = p->row - p->scroll;
    if (y < 0 || y >= p->r.h) continue;
    struct text line;
    text_clear(&line);
    memcpy(line.s, s + start[i], (size_t)length[i]);
    line.s[length[i]] = 0;
    canvas_text(p->c, p->r.x + 1 + indent, p->r.y + y, line.s, p->r.w - 1 - indent, role, attr);
  }
}

void page_pair(struct page *p, const char *left, const char *right, int column, enum role role) {
  int y = p->row - p->scroll;
  if (y >= 0 && y < p->r.h) canvas_text(p->c, p->r.x + 1, p->r.y + y, left, column - 1, role, ATTR_BOLD);
  page_line(p, right, ROLE_TEXT, 0, column);
}

struct page page_open(struct canvas *c, int want_w, int want_h, const char *title, int scroll) {
  int w = want_w < c->w - 4 ? want_w : c->w - 4, h = want_h < c->h - 2 ? want_h : c->h - 2;
  struct rect box = {(c->w - w) / 2, (c->h - h) / 2, w, h};
  for (int y = box.y; y < box.y + h; y++)
    for (int x = box.x; x < box.x + w; x++) *canvas_at(c, x, y) = (struct cell){.role = ROLE_TEXT};
  canvas_box(c, box, ROLE_BORDER);
  canvas_text(c, box.x + 2, box.y, title, w - 4, ROLE_TITLE, ATTR_BOLD);
  return (struct page){c, {box.x + 1, box.y + 1, w - 2, h - 2}, scroll, 0};
}

void page_close(const struct page *p, const char *foot) {
  struct text t;
  text_clear(&t);
  text_add(&t, " ");
  text_add(&t, p->row - p->scroll > p->r.h ? "↓ more  " : "");
  text_add(&t, foot);
  text_add(&t, " ");
  canvas_text(p->c, p->r.x + 1, p->r.y + p->r.h, t.s, p->r.w - 2, ROLE_KEY, 0);
}

static void help_lines(struct page *p, const struct frame *f, const struct frame_data *d) {
  struct text t;
  if (f->focus_fact >= 0 && f->focus_fact < d->nfact) {
    const struct fact *fact = &d->fact[f->focus_fact];
    page_line(p, fact->label ? fact->label : fact->name, ROLE_TITLE, ATTR_BOLD, 0);
    page_line(p, fact->meaning ? fact->meaning : "", ROLE_TEXT, 0, 2);
    if (fact->formula) {
      text_clear(&t);
      formula_show(f, d, fact, &t);
      page_line(p, t.s, ROLE_DIM, 0, 2);
    }
  } else if (f->focus >= 0) {
    page_line(p, knob_table[f->focus].label, ROLE_TITLE, ATTR_BOLD, 0);
    page_line(p, knob_table[f->focus].help, ROLE_TEXT, 0, 2);
  }
  page_line(p, "", ROLE_TEXT, 0, 0);
  page_line(p, f->scene->question, ROLE_TITLE, ATTR_BOLD, 0);
  page_line(p, d->verdict.s, ROLE_TEXT, 0, 2);
  page_line(p, "", ROLE_TEXT, 0, 0);
  page_line(p, "Keys", ROLE_TITLE, ATTR_BOLD, 0);
  for (int i = 0; i < key_count; i++) page_pair(p, key_table[i].keys, key_table[i].words, 16, ROLE_KEY);
  page_line(p, "", ROLE_TEXT, 0, 0);
  page_line(p, "Words on this screen", ROLE_TITLE, ATTR_BOLD, 0);
  for (int i = 0; i < d->nfact; i++)
    if (d->fact[i].label && d->fact[i].meaning) page_pair(p, d->fact[i].label, d->fact[i].meaning, 18, ROLE_KEY);
  page_line(p, "", ROLE_TEXT, 0, 0);
  page_line(p, "Signs", ROLE_TITLE, ATTR_BOLD, 0);
  page_pair(p, "×", "the most this operation can do: the roof above it", 18, ROLE_KEY);
  page_pair(p, "o", "what was measured on this machine, with a bar for its spread", 18, ROLE_KEY);
  page_pair(p, "A a 1", "what another program measured: samples=", 18, ROLE_KEY);
  page_pair(p, "?", "your guess", 18, ROLE_KEY);
  page_pair(p, "·", "where the point was before", 18, ROLE_KEY);
  reference_lines(p, f, d);
}

int overlay_rows(const struct frame *f, const struct frame_data *d) {
  if (frame_overlay(f, d) == OVERLAY_WHY) return why_rows(f, d);
  struct page p = {NULL, {0, 0, 74, 0}, 0, 0}; /* no height: lines are counted, none is drawn */
  help_lines(&p, f, d);
  return p.row;
}

static void help_draw(struct canvas *c, const struct frame *f, const struct frame_data *d) {
  struct page p = page_open(c, 76, c->h - 2, " help ", f->scroll);
  help_lines(&p, f, d);
  page_close(&p, "↑↓ scroll  Esc close  q quit");
}

static bool search_hit(const char *where, const char *what) {
  size_t n = strlen(what);
  for (; *where; where++) {
    size_t i = 0;
    while (i < n && where[i] && tolower((unsigned char)where[i]) == tolower((unsigned char)what[i])) i++;
    if (i == n) return true;
  }
  return n == 0;
}

int overlay_scenes(const char *search, int out[], int max) {
  int n = 0;
  for (int i = 0; i < scene_count && n < max; i++)
    if (!search || search_hit(scene_table[i]->name, search) || search_hit(scene_table[i]->question, search) ||
        search_hit(scene_table[i]->address, search))
      out[n++] = i;
  return n;
}

static void scenes_draw(struct canvas *c, const struct frame *f) {
  int hit[64], n = overlay_scenes(f->search, hit, 64);
  struct page p = page_open(c, 72, n + 5 > 8 ? n + 5 : 8, " scenes ", 0);
  struct text t;
  text_clear(&t);
  text_add(&t, "find: ");
  text_add(&t, f->search ? f->search : "");
  text_add(&t, "_");
  page_line(&p, t.s, ROLE_FOCUS, 0, 0);
  if (n == 0) page_line(&p, "no scene has these words; Backspace takes one back", ROLE_DIM, 0, 0);
  for (int i = 0; i < n; i++) {
    const struct scene *s = scene_table[hit[i]];
    text_clear(&t);
    text_add(&t, i == f->choice ? "▸ " : "  ");
    text_add(&t, s->address);
    text_add(&t, " ");
    text_add(&t, s->name);
    int y = p.row - p.scroll;
    if (y < p.r.h) {
      canvas_text(c, p.r.x + 1, p.r.y + y, t.s, 18, i == f->choice ? ROLE_FOCUS : ROLE_TITLE, i == f->choice ? ATTR_REVERSE : 0);
      canvas_text(c, p.r.x + 20, p.r.y + y, s->question, p.r.w - 20, ROLE_TEXT, 0);
    }
    p.row++;
  }
  page_close(&p, "↑↓ choose  Enter open  Esc close");
}

static void share_draw(struct canvas *c, const struct frame *f) {
  struct page p = page_open(c, 76, 9, " this screen ", 0);
  struct text t;
  char words[1024];
  setup_print(f->world, f->person, words, sizeof words);
  text_clear(&t);
  text_add(&t, "ridge ");
  text_add(&t, f->scene->name);
  if (words[0]) text_add(&t, " "), text_add(&t, words);
  page_line(&p, "This line opens the same screen again:", ROLE_DIM, 0, 0);
  page_line(&p, "", ROLE_TEXT, 0, 0);
  page_line(&p, t.s, ROLE_TITLE, ATTR_BOLD, 0);
  page_close(&p, "Esc close");
}

void overlay_draw(struct canvas *c, const struct frame *f, const struct frame_data *d) {
  switch (frame_overlay(f, d)) {
  case OVERLAY_HELP: help_draw(c, f, d); break;
  case OVERLAY_SCENES: scenes_draw(c, f); break;
  case OVERLAY_SHARE: share_draw(c, f); break;
  case OVERLAY_WHY: why_draw(c, f, d); break;
  case OVERLAY_NONE: break;
  }
}
