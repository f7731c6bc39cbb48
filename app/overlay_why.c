/* overlay_why: the box that lists what was checked about the point, in the order to check, and what each check says; then every sample. */
#include <math.h>
#include <string.h>

#include "app/frame_parts.h"
#include "app/overlay_page.h"
#include "scenes/why_words.h"

/* A mark before a finding, so that the eye finds the causes: the words follow in their own column. */
static enum role role_of(enum why_verdict v) { return v == WHY_CAUSE ? ROLE_WARN : v == WHY_MAYBE ? ROLE_GUESS : ROLE_DIM; }

static void finding_line(struct page *p, const struct why_input *in, const struct why *f) {
  struct text t;
  text_clear(&t);
  text_add(&t, why_verdict_name(f->verdict));
  text_add(&t, ". ");
  why_say(in, f, &t);
  page_pair(p, why_title(f->check), t.s, 16, role_of(f->verdict));
}

static void part_line(struct page *p, const struct why_input *in, const struct why *f) {
  struct text t;
  text_clear(&t);
  if (f->share > 0 && f->check != WHY_OVERLAP) {
    text_number(&t, f->share, "%");
    text_add(&t, ", ");
    text_number(&t, f->s, "s");
    text_add(&t, ". ");
  } else {
    text_add(&t, why_verdict_name(f->verdict));
    text_add(&t, ". ");
  }
  why_say(in, f, &t);
  page_pair(p, why_title(f->check), t.s, 16, f->check == WHY_REST ? ROLE_TEXT : role_of(f->verdict));
}

/* With none picked out, all of them in a line each: which letter is which, and where it stands. */
static void sample_lines(struct page *p, const struct frame *f, const struct frame_data *d) {
  const struct world *w = f->world;
  bool has = false;
  for (int i = 0; i < f->scene->nknobs; i++) has |= f->scene->knobs[i] == KNOB_SAMPLES;
  if (!has || !*knob_text(&d->setup, KNOB_SAMPLES) || d->setup.v[KNOB_PICK] >= 1 || w->nforeign == 0) return;
  page_line(p, "", ROLE_TEXT, 0, 0);
  page_line(p, "What other programs measured (pick shows one alone, and e then its reasons):", ROLE_TITLE, ATTR_BOLD, 0);
  for (int i = 0; i < w->nforeign; i++) {
    struct setup one = d->setup;
    struct why_input in;
    struct why list[WHY_MAX];
    struct text t;
    one.v[KNOB_PICK] = i + 1;
    f->scene->why(w, &one, &in);
    double ratio = why_ratio(&in);
    int n = why_list(&in, list);
    text_clear(&t);
    text_add(&t, w->foreign[i].name);
    text_add(&t, ": ");
    text_number(&t, w->foreign[i].flop / w->foreign[i].s, "flop/s");
    if (ratio > 0) text_add(&t, ", "), text_number(&t, ratio, "%"), text_add(&t, " of its roof");
    if (ratio > 1.02) text_add(&t, ": "), text_add(&t, why_brief(why_main(&in, list, n)));
    page_pair(p, w->foreign[i].mark, t.s, 4, ROLE_SAMPLE);
  }
}

static void why_lines(struct page *p, const struct frame *f, const struct frame_data *d) {
  struct why_input in;
  struct why list[WHY_MAX];
  struct text t;
  if (frame_hides(d)) {
    page_line(p, "The measured value waits for your guess: Enter, or G to stop guessing.", ROLE_TEXT, 0, 0);
    return;
  }
  if (!frame_why(f->world, f->scene, &d->setup, &in)) return;
  int n = why_list(&in, list), first = 0;
  text_clear(&t);
  why_head(&in, &t);
  page_line(p, t.s, ROLE_TITLE, ATTR_BOLD, 0);
  for (; first < n && list[first].check <= WHY_DISTURBED; first++) finding_line(p, &in, &list[first]);
  if (first < n) {
    page_line(p, "", ROLE_TEXT, 0, 0);
    page_line(p, "The gap to the roof, by what was measured or counted:", ROLE_TITLE, ATTR_BOLD, 0);
  }
  for (int i = first; i < n; i++) part_line(p, &in, &list[i]);
  sample_lines(p, f, d);
}

int why_rows(const struct frame *f, const struct frame_data *d) {
  struct page p = {NULL, {0, 0, 74, 0}, 0, 0};
  why_lines(&p, f, d);
  return p.row;
}

void why_draw(struct canvas *c, const struct frame *f, const struct frame_data *d) {
  struct page p = page_open(c, 78, c->h - 2, " why here? ", f->scroll);
  why_lines(&p, f, d);
  page_close(&p, "↑↓ scroll  Esc close");
}
