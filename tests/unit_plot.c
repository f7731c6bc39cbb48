/* Plots: exact to the cell, joined, clipped, and never text over text, over sizes × data of every kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/plot.h"
#include "tui/theme.h"

static const struct cell *cell_of(const struct canvas *c, int x, int y) { return &c->cell[y * c->w + x]; }

/* Row y as UTF-8. */
static char *row_text(const struct canvas *c, int y, char *out) {
  char *at = out;
  for (int x = 0; x < c->w; x++) at += glyph_utf8(theme_glyph(CHARSET_BRAILLE, cell_of(c, x, y)), at);
  return out;
}

static bool text_in(const struct canvas *c, const char *text) {
  char row[4 * 1024 + 8];
  for (int y = 0; y < c->h; y++)
    if (strstr(row_text(c, y, row), text)) return true;
  return false;
}

static bool dot_at(const struct canvas *c, int dx, int dy) {
  static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  return dx >= 0 && dy >= 0 && dx < 2 * c->w && dy < 4 * c->h && cell_of(c, dx / 2, dy / 4)->dots & bit[dy % 4][dx % 2];
}

static const struct axis roof_x = {0.1, 1000, true, "flop/byte", "FLOP per byte"}, roof_y = {1e9, 1e12, true, "flop/s", ""};

/* ---- exactness ---- */

static void ticks_exact(void **state) {
  (void)state;
  struct canvas c;
  struct plot p;
  assert_true(canvas_init(&c, 200, 60));
  for (int w = 20; w <= 200; w += 3) {
    canvas_clear(&c);
    assert_true(plot_begin(&p, &c, (struct rect){0, 0, w, 10 + w / 4}, &roof_x, &roof_y));
    struct tick t[TICK_MAX];
    int n = axis_ticks(&p.x, p.area.w, false, t);
    assert_true(n >= 2);
    for (int i = 0; i < n; i++) {
      int column = plot_column(&p, t[i].value);
      assert_true(cell_of(&c, column, p.area.y + p.area.h)->lines & LINE_S);
      /* the cell is the one whose dots hold the value */
      double share = log(t[i].value / p.x.lo) / log(p.x.hi / p.x.lo);
      assert_true(fabs(p.area.x + share * (p.area.w - 0.5) - (column + 0.25)) <= 0.51);
      if (i) assert_true(t[i].value > t[i - 1].value);
    }
    n = axis_ticks(&p.y, p.area.h, true, t);
    assert_true(n >= 2);
    for (int i = 0; i < n; i++) assert_true(cell_of(&c, p.area.x - 1, plot_row(&p, t[i].value))->lines & LINE_W);
  }
  canvas_free(&c);
}

/* Decades first; 2 and 5 once a decade has twelve cells; powers of two for binary sizes. */
static void ticks_chosen(void **state) {
  (void)state;
  struct tick t[TICK_MAX];
  struct axis a = {1, 1000, true, "1", ""};
  int n = axis_ticks(&a, 33, false, t);
  assert_int_equal(n, 4);
  assert_string_equal(t[3].text, "1000");
  n = axis_ticks(&a, 37, false, t); /* no room for 500 beside 1000 */
  assert_true(n >= 7);
  n = axis_ticks(&a, 52, false, t);
  assert_true(n >= 9);
  assert_string_equal(t[1].text, "2");
  assert_string_equal(t[2].text, "5");
  struct axis narrow = {3, 8, true, "1", ""}, none = {2.1, 4.9, true, "1", ""}, close = {1.01, 1.09, true, "1", ""};
  assert_true(axis_ticks(&narrow, 40, false, t) >= 2);
  assert_true(axis_ticks(&none, 40, false, t) >= 2);
  assert_true(axis_ticks(&close, 40, false, t) >= 2);
  struct axis bytes = {4096, 1073741824, true, "iB", ""};
  n = axis_ticks(&bytes, 40, false, t);
  assert_true(n >= 2);
  for (int i = 0; i < n; i++) assert_true(log2(t[i].value) == floor(log2(t[i].value)));
  assert_true(strstr(t[n - 1].text, "Gi") || strstr(t[n - 1].text, "Mi"));
  struct axis linear = {0, 0.050, false, "s", "step"};
  n = axis_ticks(&linear, 50, false, t);
  assert_true(n >= 3);
  assert_string_equal(t[0].text, "0");
  struct axis share = {0, 1, false, "%", ""};
  n = axis_ticks(&share, 50, false, t);
  assert_string_equal(t[n - 1].text, "100");
}

/* The roof bends in the very column of the ridge, is joined without a gap, and at equal scales has no kink. */
static void knee_exact(void **state) {
  (void)state;
  struct canvas c;
  struct plot p;
  assert_true(canvas_init(&c, 120, 40));
  for (int w = 30; w <= 120; w += 7)
    for (double ridge = 0.7; ridge < 300; ridge *= 2.3) {
      canvas_clear(&c);
      double peak = 4e11, rate = peak / ridge;
      assert_true(plot_begin_equal(&p, &c, (struct rect){0, 0, w, 8 + w / 4}, &roof_x, &roof_y, 2));
      plot_line(&p, p.x.lo, rate * p.x.lo, ridge, peak, ROLE_ROOF);
      plot_line(&p, ridge, peak, p.x.hi, peak, ROLE_ROOF);
      int knee = (int)floor(plot_dot_x(&p, ridge) + 0.5), top = (int)floor(plot_dot_y(&p, peak) + 0.5);
      int last = -1;
      for (int dx = 2 * p.area.x; dx < 2 * (p.area.x + p.area.w); dx++) {
        int highest = -1, lowest = -1;
        for (int dy = 4 * p.area.y; dy < 4 * (p.area.y + p.area.h); dy++)
          if (dot_at(&c, dx, dy)) highest = highest < 0 ? dy : highest, lowest = dy;
        if (dx > knee) assert_true(highest >= top - 1 && lowest <= top + 1);
        if (dx < knee - 1 && highest >= 0) assert_true(highest > top - 1);
        if (last >= 0) {
          assert_true(highest >= 0);       /* no empty column once begun */
          assert_true(lowest >= last - 1); /* the next column begins where this one ended */
        }
        if (highest >= 0) last = highest;
      }
      assert_true(dot_at(&c, knee, top) || dot_at(&c, knee, top + 1) || dot_at(&c, knee, top - 1));
    }
  canvas_free(&c);
}

static void scales_equal(void **state) {
  (void)state;
  struct canvas c;
  struct plot p;
  assert_true(canvas_init(&c, 100, 30));
  assert_true(plot_begin_equal(&p, &c, (struct rect){0, 0, 60, 20}, &roof_x, &roof_y, 2));
  assert_true(fabs(plot_aspect(&p) - 1) < 1e-9);
  assert_true(p.x.lo <= roof_x.lo && p.x.hi >= roof_x.hi && p.y.lo <= roof_y.lo && p.y.hi >= roof_y.hi);
  double rise = plot_dot_y(&p, 1e10) - plot_dot_y(&p, 1e11), run = plot_dot_x(&p, 10) - plot_dot_x(&p, 1);
  assert_true(fabs(rise - run) < 1e-6);
  assert_true(plot_begin(&p, &c, (struct rect){0, 0, 60, 20}, &roof_x, &roof_y));
  assert_true(p.x.lo == roof_x.lo && p.x.hi == roof_x.hi);
  canvas_free(&c);
}

static void ranges_rounded(void **state) {
  (void)state;
  double lo = 3e9, hi = 4e11, out[2];
  axis_round(&lo, &hi, true, 2);
  assert_true(fabs(lo - 1e9) < 1 && fabs(hi - 1e12) < 1);
  lo = 5, hi = 5;
  axis_round(&lo, &hi, true, 3);
  assert_true(log10(hi / lo) > 2.999 && lo <= 5 && hi >= 5);
  lo = 0.3, hi = 17;
  axis_round(&lo, &hi, false, 0);
  assert_true(lo == 0 && hi >= 17 && hi <= 20);
  lo = NAN, hi = -INFINITY;
  axis_round(&lo, &hi, true, 1);
  assert_true(lo > 0 && hi > lo && isfinite(hi));
  axis_keep((double[2]){1, 1000}, 3, 400, true, out);
  assert_true(out[0] == 1 && out[1] == 1000);
  axis_keep((double[2]){1, 1000}, 3, 2000, true, out);
  assert_true(out[0] == 3 && out[1] == 2000);
  axis_keep((double[2]){1, 100000}, 3, 400, true, out);
  assert_true(out[1] == 400);
  axis_keep((double[2]){NAN, NAN}, 3, 400, true, out);
  assert_true(out[0] == 3);
}

/* ---- points and labels ---- */

static void points_seen(void **state) {
  (void)state;
  struct canvas c;
  struct plot p;
  assert_true(canvas_init(&c, 80, 24));
  assert_true(plot_begin(&p, &c, canvas_rect(&c), &roof_x, &roof_y));
  plot_line(&p, 0.1, 1e9, 1000, 1e12, ROLE_ROOF);
  plot_point(&p, 10, 1e11, 0xd7, ROLE_CEILING);
  plot_point(&p, 10, 1e11, 'o', ROLE_MEASURED); /* in the same cell: the measured one is seen */
  plot_point(&p, 1, 1e10, 0xb7, ROLE_TRAIL);
  plot_point(&p, 10, 1e15, '?', ROLE_GUESS); /* above: pinned with an arrow */
  plot_point(&p, 1e-9, 3e9, 'o', ROLE_MEASURED);
  plot_point(&p, NAN, 1e10, 'Z', ROLE_MEASURED);
  plot_point(&p, 10, -1, 'Z', ROLE_MEASURED);
  plot_point(&p, 0, 1e10, 'Z', ROLE_MEASURED);
  plot_spread(&p, 100, 1e10, 3e9, 3e10, 'o', ROLE_MEASURED);
  plot_end(&p);
  assert_int_equal(cell_of(&c, plot_column(&p, 10), plot_row(&p, 1e11))->glyph, 'o');
  assert_int_equal(cell_of(&c, plot_column(&p, 1), plot_row(&p, 1e10))->glyph, 0xb7);
  assert_int_equal(cell_of(&c, plot_column(&p, 10), p.area.y)->glyph, 0x2191);
  assert_int_equal(cell_of(&c, plot_column(&p, 10), p.area.y + 1)->glyph, '?');
  assert_int_equal(cell_of(&c, p.area.x, plot_row(&p, 3e9))->glyph, 0x2190);
  assert_true(cell_of(&c, plot_column(&p, 100), plot_row(&p, 1e10) - 1)->lines & (LINE_N | LINE_S));
  for (int i = 0; i < c.w * c.h; i++) assert_true(c.cell[i].glyph != 'Z');
  /* A point knows its dot: where cells are coarse, a printer with finer lines must not put it above the roof it lies on. */
  const struct cell *on = cell_of(&c, plot_column(&p, 10), plot_row(&p, 1e11));
  assert_int_equal(on->spot - 1, 2 * (lround(plot_dot_y(&p, 1e11)) % 4) + lround(plot_dot_x(&p, 10)) % 2);
  assert_int_equal(cell_of(&c, plot_column(&p, 10), p.area.y + 1)->spot, 0);
  assert_int_equal(c.overwritten, 0);
  canvas_free(&c);
}

static void labels_beside(void **state) {
  (void)state;
  struct canvas c;
  struct plot p;
  assert_true(canvas_init(&c, 80, 24));
  assert_true(plot_begin(&p, &c, canvas_rect(&c), &roof_x, &roof_y));
  plot_line(&p, 0.1, 4e9, 10, 4e11, ROLE_ROOF);
  plot_line(&p, 10, 4e11, 1000, 4e11, ROLE_ROOF);
  int dots = 0, left = 0;
  for (int i = 0; i < c.w * c.h; i++) dots += c.cell[i].dots != 0;
  plot_label(&p, 100, 4e11, "at most 400", "400", ROLE_ROOF, ANCHOR_BELOW, 1);
  plot_line_label(&p, 0.1, 4e9, 10, 4e11, "40 GB/s DRAM", "40 GB/s", ROLE_ROOF, 2);
  plot_words(&p, 0.1, 10, 0, "waiting for memory", ROLE_MEMORY);
  plot_words(&p, 10, 1000, 0, "calculating", ROLE_COMPUTE);
  plot_end(&p);
  assert_true(text_in(&c, "at most 400") && text_in(&c, "40 GB/s DRAM") && text_in(&c, "waiting for memory") && text_in(&c, "calculating"));
  for (int i = 0; i < c.w * c.h; i++) left += c.cell[i].dots != 0 && !c.cell[i].glyph;
  assert_int_equal(left, dots); /* no text stands on a line */
  for (int i = 0; i < p.nlabel; i++) assert_true(p.label[i].placed);
  canvas_free(&c);
}

/* ---- anything at all ---- */

static double odd_number(void) {
  static const double odd[] = {0, -1, 1, 1e300, 1e-300, -1e300, 5e-324};
  int k = rand() % 24;
  if (k == 0) return NAN;
  if (k == 1) return INFINITY;
  if (k == 2) return -INFINITY;
  if (k < 10) return odd[k - 3];
  return pow(10, rand() % 2400 / 100.0 - 6);
}

static double near_number(const struct axis *a) {
  if (rand() % 6 == 0) return odd_number();
  double share = rand() % 1400 / 1000.0 - 0.2;
  return a->log ? a->lo * pow(a->hi / a->lo, share) : a->lo + share * (a->hi - a->lo);
}

static struct axis odd_axis(void) {
  static const char *const unit[] = {"flop/byte", "flop/s", "s", "iB", "n", "%", "token/s", "1", "", "byte"};
  static const char *const title[] = {"", "step time",
                                      "FLOP per byte fetched from the level that serves this working set, in all its length", NULL};
  struct axis a = {1, 1000, rand() % 3 != 0, unit[rand() % 10], title[rand() % 4]};
  if (rand() % 3 == 0)
    a.lo = odd_number(), a.hi = odd_number();
  else
    a.lo = pow(10, rand() % 1200 / 100.0 - 6), a.hi = a.lo * pow(10, rand() % 600 / 100.0);
  return a;
}

static void glyphs_valid(const struct canvas *c) {
  for (int i = 0; i < c->w * c->h; i++) {
    const struct cell *k = &c->cell[i];
    assert_true(k->role < ROLE_N);
    for (int set = 0; set < CHARSET_N; set++) {
      uint32_t g = theme_glyph((enum charset)set, k);
      assert_true(g >= ' ' && g <= 0x10ffff && g != 0x7f);
      if (set == CHARSET_ASCII) assert_true(g < 0x7f);
    }
  }
}

static void outside_blank(const struct canvas *c, struct rect r) {
  static const struct cell blank;
  for (int y = 0; y < c->h; y++)
    for (int x = 0; x < c->w; x++)
      if (x < r.x || y < r.y || x >= r.x + r.w || y >= r.y + r.h)
        if (memcmp(cell_of(c, x, y), &blank, sizeof blank) != 0)
          fail_msg("cell %d,%d outside %d,%d %dx%d: %x %d %d role %d attr %d canvas %d %d", x, y, r.x, r.y, r.w, r.h,
                   cell_of(c, x, y)->glyph, cell_of(c, x, y)->dots, cell_of(c, x, y)->lines, cell_of(c, x, y)->role, cell_of(c, x, y)->attr,
                   c->w, c->h);
}

static void one_plot(struct canvas *c, struct rect r, bool whole) {
  static const char *const words[] = {"at most 523 GFLOP/s", "44 GB/s DRAM", "A", "", "\u00b5-architecture \u2264 5 \u00d7", "AVX-512"};
  static const uint32_t glyph[] = {'o', 0xd7, '?', 0xb7};
  struct axis x = odd_axis(), y = odd_axis();
  struct plot p;
  bool ok = rand() % 2 ? plot_begin(&p, c, r, &x, &y) : plot_begin_equal(&p, c, r, &x, &y, 1 + rand() % 3);
  if (ok) assert_true(p.area.w >= 4 && p.area.h >= 2 && p.x.hi > p.x.lo && p.y.hi > p.y.lo);
  int n = rand() % 40;
  for (int i = 0; i < n; i++) {
    double x0 = near_number(&p.x), y0 = near_number(&p.y), x1 = near_number(&p.x), y1 = near_number(&p.y);
    enum role role = (enum role)(rand() % ROLE_N);
    const char *text = words[rand() % 6], *brief = words[rand() % 6];
    switch (rand() % 9) {
    case 0: plot_line(&p, x0, y0, x1, y1, role); break;
    case 1: plot_curve(&p, (double[]){x0, x1, x0, 3}, (double[]){y0, y1, y1, y0}, rand() % 5, role); break;
    case 2: plot_vline(&p, x0, role, rand() % 2); break;
    case 3: plot_hline(&p, y0, role, rand() % 2); break;
    case 4: plot_point(&p, x0, y0, glyph[rand() % 4], role); break;
    case 5: plot_spread(&p, x0, y0, y1, near_number(&p.y), 'o', role); break;
    case 6: plot_label(&p, x0, y0, text, brief, role, (enum anchor)(rand() % 5), rand() % 9); break;
    case 7: plot_line_label(&p, x0, y0, x1, y1, text, brief, role, rand() % 9); break;
    case 8: plot_words(&p, x0, x1, rand() % 3 ? rand() % 100 / 100.0 : odd_number(), text, role); break;
    }
  }
  plot_end(&p);
  assert_int_equal(c->overwritten, 0);
  for (int i = 0; i < c->w * c->h; i++) /* words never stand on a curve; points, which are bold, do */
    assert_true(!c->cell[i].dots || !c->cell[i].glyph || c->cell[i].attr & ATTR_BOLD);
  for (int i = 0; ok && whole && i < p.nlabel; i++)
    if (p.label[i].placed) assert_true(text_in(c, p.label[i].text) || text_in(c, p.label[i].brief));
}

static void plots_anything(void **state) {
  (void)state;
  srand(2024);
  struct canvas c;
  for (int round = 0; round < 3000; round++) {
    int w = rand() % 40 ? rand() % 130 + 1 : rand() % 1000 + 1, h = rand() % 40 ? rand() % 50 + 1 : rand() % 400 + 1;
    assert_true(canvas_init(&c, w, h));
    struct rect r = {rand() % (w + 4) - 2, rand() % (h + 4) - 2, rand() % (w + 3), rand() % (h + 3)};
    struct rect clip = canvas_rect(&c);
    if (rand() % 2) r = clip;
    if (rand() % 4 == 0) clip = (struct rect){rand() % w, rand() % h, rand() % w + 1, rand() % h + 1};
    canvas_clip(&c, clip);
    one_plot(&c, r, clip.w == w && clip.h == h);
    outside_blank(&c, rect_cut(r, clip));
    glyphs_valid(&c);
    canvas_free(&c);
  }
}

/* Every size there is, with the usual picture. */
static void plots_every_size(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, 140, 50));
  for (int w = 1; w <= 140; w += w < 40 ? 1 : 7)
    for (int h = 1; h <= 50; h += h < 20 ? 1 : 6) {
      canvas_clear(&c);
      struct plot p;
      struct rect r = {0, 0, w, h};
      if (plot_begin(&p, &c, r, &roof_x, &roof_y)) {
        plot_line(&p, 0.1, 4e9, 10, 4e11, ROLE_ROOF);
        plot_line(&p, 10, 4e11, 1000, 4e11, ROLE_ROOF);
        plot_words(&p, 0.1, 10, 0, "waiting for memory", ROLE_MEMORY);
        plot_label(&p, 100, 4e11, "at most 400 GFLOP/s", "400", ROLE_ROOF, ANCHOR_BELOW, 1);
        plot_point(&p, 1, 4e10, 0xd7, ROLE_CEILING);
        plot_end(&p);
        assert_int_equal(cell_of(&c, plot_column(&p, 1), plot_row(&p, 4e10))->glyph, 0xd7);
      } else
        assert_true(w < 8 || h < 4);
      assert_int_equal(c.overwritten, 0);
      outside_blank(&c, r);
    }
  canvas_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ticks_exact),   cmocka_unit_test(ticks_chosen),   cmocka_unit_test(knee_exact),
      cmocka_unit_test(scales_equal),  cmocka_unit_test(ranges_rounded), cmocka_unit_test(points_seen),
      cmocka_unit_test(labels_beside), cmocka_unit_test(plots_anything), cmocka_unit_test(plots_every_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
