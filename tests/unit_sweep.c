/* Every scene × many sizes × seeded random knobs, whole frames: no crash, nothing outside its rectangle, no infinite number, no text
 * over text that the canvas can see. Meant to run under ASan and UBSan too. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "tests/support_world.h"
#include "tui/printer.h"
#include "tui/theme.h"

static uint32_t seed;
static uint32_t roll(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }
static double roll_share(void) { return roll() / 16777216.0; }

/* A person who turns about a third of all knobs anywhere. */
static void person_roll(const struct world *w, struct setup *s) {
  setup_clear(s);
  for (int k = 0; k < KNOB_N; k++) {
    const struct knob *row = &knob_table[k];
    if (roll() % 3) continue;
    double v;
    if (row->kind == KNOB_CHOICE) v = roll() % (uint32_t)choice_count(w, row->list);
    else if (row->kind == KNOB_SWITCH) v = roll() % 2;
    else if (row->kind == KNOB_TEXT) v = 0, snprintf(s->text[row->slot], KNOB_TEXT_MAX, roll() % 4 ? "some/file.jsonl" : "");
    else if (row->kind == KNOB_LOG2) v = row->lo * pow(row->hi / row->lo, roll_share());
    else v = row->lo + (row->hi - row->lo) * roll_share();
    s->v[k] = knob_clamp(w, k, v);
    s->set[k] = true;
  }
}

static void facts_are_sane(const struct fact *f, int n) {
  assert_true(n > 0 && n <= FACT_MAX);
  for (int i = 0; i < n; i++) {
    if (!f[i].name || !f[i].unit || !f[i].meaning) fail_msg("fact %d (%s) lacks its name, unit or meaning", i, f[i].name ? f[i].name : "");
    if (isinf(f[i].value)) fail_msg("fact %s is infinite", f[i].name);
    for (int j = 0; j < i; j++)
      if (strcmp(f[i].name, f[j].name) == 0) fail_msg("two facts called %s", f[i].name);
  }
}

static void frame_is_sane(const struct canvas *c) {
  for (int i = 0; i < c->w * c->h; i++) {
    const struct cell *cell = &c->cell[i];
    assert_true(cell->role < ROLE_N);
    assert_true(cell->glyph == 0 || (cell->glyph >= 0x20 && cell->glyph < 0x110000));
    for (int set = 0; set < CHARSET_N; set++) assert_true(theme_glyph((enum charset)set, cell) >= 0x20);
    assert_true(theme_glyph(CHARSET_ASCII, cell) < 0x7f);
  }
}

/* Points of other programs, anywhere. */
static void foreign_roll(struct world *w) {
  w->nforeign = (int)(roll() % (FOREIGN_MAX + 1));
  w->foreign_bad = (int)(roll() % 3);
  for (int i = 0; i < w->nforeign; i++) {
    struct foreign *f = &w->foreign[i];
    *f = (struct foreign){.flop = pow(10, 24 * roll_share()), .byte = pow(10, 24 * roll_share()), .s = pow(10, 21 * roll_share() - 12),
                          .spread = roll() % 2 ? 2 * roll_share() : NAN, .estimate = roll() % 2};
    snprintf(f->mark, sizeof f->mark, "%s", foreign_mark(i));
    snprintf(f->name, sizeof f->name, "%.*s", (int)(1 + roll() % 60), "a name that is as long as a name of a sample can be, and a bit more words");
  }
}

static void sweep(const struct scene *s, int rounds) {
  static const int width[] = {1, 7, 59, 60, 63, 75, 76, 80, 100, 120, 161, 200, 400};
  static const int height[] = {1, 5, 17, 18, 20, 24, 30, 40, 60, 120};
  struct world *w = world_invented();
  struct canvas c = {0};
  assert_true(canvas_init(&c, 80, 24));
  for (int i = 0; i < rounds; i++) {
    struct setup person;
    struct axes axes = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
    struct trail trail = {.n = 3, .x = {1, NAN, 1e9}, .y = {1e9, 1, -5}};
    foreign_roll(w);
    person_roll(w, &person);
    struct frame f = {.scene = s, .person = &person, .world = w, .trail = &trail, .axes = &axes, .focus = s->knobs[roll() % (uint32_t)s->nknobs],
                      .focus_fact = -1, .changed = -1, .ascii = roll() % 2, .time = roll_share() * 10, .overlay = (enum overlay)(roll() % 6),
                      .measuring = roll() % 2, .done = roll_share(), .total = roll() % 2};
    static struct frame_data d;
    frame_compute(&f, &d);
    facts_are_sane(d.fact, d.nfact);
    assert_true(d.verdict.n > 10);
    int start[8], length[8];
    if (text_wrap(d.verdict.s, 78, 8, start, length) > 3) fail_msg("%s says more than three lines: %s", s->name, d.verdict.s);
    struct request request[REQUEST_MAX];
    int asked = s->measures ? s->measures(w, &d.setup, request) : 0;
    assert_true(asked >= 0 && asked <= REQUEST_MAX);
    for (int r = 0; r < asked; r++)
      if (roll() % 2) world_measured(w, &request[r], exp(-20 * roll_share()), (int)(roll() % 8));
    frame_compute(&f, &d);
    f.focus_fact = roll() % 2 ? (int)(roll() % (uint32_t)d.nfact) : -1;
    if (s->rows) {
      struct fact row[FACT_MAX];
      int last = 0;
      for (int r = 0; r < 1000 && (last = s->rows(w, &d.setup, r, row)) > 0; r++) facts_are_sane(row, last);
      assert_int_equal(last, 0); /* a table ends */
    }
    assert_true(canvas_resize(&c, width[roll() % (sizeof width / sizeof *width)], height[roll() % (sizeof height / sizeof *height)]));
    frame_draw(&c, &f, &d);
    if (c.overwritten) printer_print(stderr, &c, FORMAT_TEXT, THEME_DARK, CHARSET_BRAILLE, "x");
    if (c.overwritten) fail_msg("%s writes text over text at %dx%d", s->name, c.w, c.h);
    frame_is_sane(&c);
  }
  canvas_free(&c);
  free(w);
}

static void every_scene_survives_every_setting(void **state) {
  (void)state;
  for (int i = 0; i < scene_count; i++) {
    seed = 20261130u + (uint32_t)i;
    sweep(scene_table[i], 400);
  }
}

/* Drawing is a function of the view: twice the same gives the same cells, and nothing outside the scene's own rectangle. */
static void drawing_stays_inside_and_repeats(void **state) {
  (void)state;
  struct world *w = world_invented();
  for (int i = 0; i < scene_count; i++) {
    const struct scene *s = scene_table[i];
    seed = 7u + (uint32_t)i;
    for (int round = 0; round < 60; round++) {
      struct canvas a = {0}, b = {0};
      int cw = s->min_w + 8 + (int)(roll() % 120), ch = s->min_h + 5 + (int)(roll() % 50);
      assert_true(canvas_init(&a, cw, ch) && canvas_init(&b, cw, ch));
      struct setup person;
      person_roll(w, &person);
      struct axes axes = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
      struct frame f = {.scene = s, .person = &person, .world = w, .axes = &axes, .focus = -1, .focus_fact = -1, .changed = -1};
      static struct frame_data d;
      frame_compute(&f, &d);
      struct trail trail = {0};
      struct view v = {.world = w, .setup = &d.setup, .fact = d.fact, .nfact = d.nfact, .axes = &axes, .trail = &trail, .focus = -1, .changed = -1};
      struct rect r = {3, 2, cw - 8, ch - 5};
      canvas_clip(&a, canvas_rect(&a));
      canvas_clip(&b, r);
      s->draw(&a, r, &v); /* unclipped: the scene itself must keep inside */
      s->draw(&b, r, &v);
      for (int y = 0; y < ch; y++)
        for (int x = 0; x < cw; x++) {
          const struct cell *p = &a.cell[y * cw + x], *q = &b.cell[y * cw + x];
          bool inside = x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
          if (!inside && (p->glyph || p->dots || p->lines || p->fill)) fail_msg("%s draws at %d,%d outside %d,%d %dx%d", s->name, x, y, r.x, r.y, r.w, r.h);
          if (inside && memcmp(p, q, sizeof *p) != 0) fail_msg("%s draws differently at %d,%d", s->name, x, y);
        }
      canvas_free(&a);
      canvas_free(&b);
    }
  }
  free(w);
}

/* The panel is 30 columns: marker, label, a value of up to 5, a unit of up to 8 (or 9). A longer label would run into its value. */
static void labels_fit_the_panel(void **state) {
  (void)state;
  struct world *w = world_invented();
  for (int i = 0; i < scene_count; i++) {
    struct setup person, setup;
    struct fact fact[FACT_MAX];
    setup_clear(&person);
    snprintf(person.text[SLOT_SAMPLES], KNOB_TEXT_MAX, "file.jsonl"); /* every row there can be */
    person.set[KNOB_SAMPLES] = person.set[KNOB_PICK] = true;
    person.v[KNOB_PICK] = w->nforeign = 1;
    setup_for(w, scene_table[i], &person, &setup);
    int n = scene_table[i]->facts(w, &setup, fact);
    for (int k = 0; k < n; k++)
      if (fact[k].label && !fact[k].word && text_columns(fact[k].label) > (strcmp(fact[k].unit, "flop/byte") == 0 ? 14 : 15))
        fail_msg("%s: the label \"%s\" is too long", scene_table[i]->name, fact[k].label);
  }
  free(w);
}

int main(void) {
  const struct CMUnitTest test[] = {cmocka_unit_test(labels_fit_the_panel), cmocka_unit_test(every_scene_survives_every_setting), cmocka_unit_test(drawing_stays_inside_and_repeats)};
  return cmocka_run_group_tests(test, NULL, NULL);
}
