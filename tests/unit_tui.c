/* The drawing room without plots: cells, text, themes, glyphs, widgets, printers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/canvas.h"
#include "tui/number.h"
#include "tui/printer.h"
#include "tui/text.h"
#include "tui/theme.h"
#include "tui/widget.h"

static const struct cell *cell_of(const struct canvas *c, int x, int y) { return &c->cell[y * c->w + x]; }

/* The canvas as the printer writes it. */
static char *printed(const struct canvas *c, enum format format, enum theme theme, enum charset charset) {
  char *out = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&out, &size);
  assert_non_null(f);
  assert_true(printer_print(f, c, format, theme, charset, "a <title> & \"more\""));
  fclose(f);
  return out;
}

static void looks(const struct canvas *c, enum charset charset, const char *want) {
  char *got = printed(c, FORMAT_TEXT, THEME_MONO, charset);
  assert_string_equal(got, want);
  free(got);
}

/* ---- canvas ---- */

static void borders_merge(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, 7, 5));
  canvas_box(&c, (struct rect){0, 0, 4, 3}, ROLE_BORDER);
  canvas_box(&c, (struct rect){3, 0, 4, 3}, ROLE_BORDER);
  canvas_box(&c, (struct rect){0, 2, 7, 3}, ROLE_BORDER);
  looks(&c, CHARSET_BRAILLE, "┌──┬──┐\n│  │  │\n├──┴──┤\n│     │\n└─────┘\n");
  looks(&c, CHARSET_ASCII, "+--+--+\n|  |  |\n+--+--+\n|     |\n+-----+\n");
  canvas_clear(&c);
  canvas_hline(&c, 0, 6, 2, ROLE_AXIS, 0);
  canvas_vline(&c, 3, 0, 2, ROLE_GRID, LINE_DASH);
  looks(&c, CHARSET_BRAILLE, "   ┊\n   ┊\n───┴───\n\n\n");
  looks(&c, CHARSET_ACS, "   :\n   :\n───┴───\n\n\n");
  canvas_free(&c);
  canvas_free(&c);
}

static void clip_holds(void **state) {
  (void)state;
  struct canvas c;
  static const struct cell blank;
  assert_true(canvas_init(&c, 30, 12));
  canvas_clip(&c, (struct rect){5, 3, 10, 4});
  for (int x = -3; x < 33; x++)
    for (int y = -3; y < 15; y++) {
      canvas_put(&c, x, y, 'x', ROLE_TEXT, 0);
      canvas_dot(&c, 2 * x, 4 * y, ROLE_ROOF);
    }
  canvas_box(&c, (struct rect){-5, -5, 60, 60}, ROLE_BORDER);
  canvas_box(&c, (struct rect){6, -5, 3, 60}, ROLE_BORDER);
  canvas_hline(&c, -100, 100, 4, ROLE_AXIS, 0);
  canvas_fill(&c, (struct rect){-9, -9, 90, 90}, ROLE_MEMORY, 1);
  canvas_attr(&c, (struct rect){-9, -9, 90, 90}, ATTR_BOLD);
  canvas_text(&c, -4, 5, "a long text that starts left of everything", -1, ROLE_TEXT, 0);
  assert_null(canvas_at(&c, 4, 3));
  assert_non_null(canvas_at(&c, 5, 3));
  for (int y = 0; y < 12; y++)
    for (int x = 0; x < 30; x++)
      if (x < 5 || x >= 15 || y < 3 || y >= 7) assert_memory_equal(cell_of(&c, x, y), &blank, sizeof blank);
  canvas_erase(&c, (struct rect){0, 0, 99, 99});
  for (int i = 0; i < 360; i++) assert_memory_equal(&c.cell[i], &blank, sizeof blank);
  struct rect none = rect_cut((struct rect){0, 0, 3, 3}, (struct rect){9, 9, 3, 3});
  assert_true(none.w == 0 || none.h == 0);
  canvas_free(&c);
}

static void text_counts(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, 12, 3));
  assert_int_equal(text_columns("7.00 \u00b5s \u2014 \u2264 5 \u00d7"), 15);
  assert_int_equal(canvas_text(&c, 0, 0, "1234567", 5, ROLE_TEXT, 0), 5);
  assert_int_equal(canvas_text_right(&c, 0, 12, 1, "42 GB/s", ROLE_TEXT, 0), 7);
  assert_int_equal(canvas_text(&c, 0, 2, "a\tb\x1b[31m\xff\xc3=\u754c", -1, ROLE_TEXT, 0), 12);
  looks(&c, CHARSET_BRAILLE, "1234\u2026\n     42 GB/s\na?b?[31m?\?=?\n");
  assert_int_equal(c.overwritten, 0);
  canvas_text(&c, 1, 1, "     99", -1, ROLE_TEXT, 0);
  assert_true(c.overwritten > 0); /* the count that other tests rely on does count */
  canvas_free(&c);
}

static void text_breaks(void **state) {
  (void)state;
  int start[64], length[64];
  const char *s = "Waiting for memory: each weight is fetched, used once.";
  assert_int_equal(text_wrap(s, 20, 64, start, length), 3);
  assert_memory_equal(s + start[0], "Waiting for memory:", 19);
  assert_int_equal(length[0], 19);
  assert_int_equal(text_wrap("", 10, 64, start, length), 0);
  assert_int_equal(text_wrap("   ", 10, 64, start, length), 0);
  assert_int_equal(text_wrap("abcdefghij", 4, 64, start, length), 3);
  assert_int_equal(text_wrap("\u00b5\u00b5\u00b5\u00b5", 2, 64, start, length), 2);
  assert_int_equal(length[0], 4);
  assert_int_equal(text_wrap("a b c d", 1, 2, start, length), 4); /* counts on past what it may write */
  srand(3);
  for (int i = 0; i < 20000; i++) {
    char words[200] = "";
    int n = 0, letters = 0;
    for (int k = rand() % 60; k > 0; k--) {
      int kind = rand() % 6;
      if (kind == 0)
        words[n++] = ' ';
      else if (kind == 1)
        n += sprintf(words + n, "\u2014"), letters++;
      else
        words[n++] = (char)('a' + rand() % 26), letters++;
    }
    words[n] = '\0';
    int width = rand() % 20 + 1, lines = text_wrap(words, width, 64, start, length), seen = 0, last = 0;
    for (int k = 0; k < lines; k++) {
      char line[200];
      assert_true(start[k] >= last && length[k] > 0);
      last = start[k] + length[k];
      memcpy(line, words + start[k], (size_t)length[k]);
      line[length[k]] = '\0';
      assert_true(text_columns(line) <= width);
      for (const char *q = line; *q; q++) seen += *q != ' ' && (*q & 0xc0) != 0x80;
    }
    assert_int_equal(seen, letters); /* no word is lost */
  }
}

static void text_bounded(void **state) {
  (void)state;
  struct text t;
  text_clear(&t);
  text_line(&t, "time", 0.007, "s");
  text_add(&t, ", ");
  text_count(&t, 8192);
  text_add(&t, " of ");
  text_number(&t, NAN, "s");
  assert_string_equal(t.s, "time 7.00 ms, 8192 of \u2014");
  for (int i = 0; i < 1000; i++) text_add(&t, "\u2014\u2014");
  assert_true(t.n < TEXT_MAX && (int)strlen(t.s) == t.n);
  assert_int_equal((unsigned char)t.s[t.n - 1], 0x94); /* cut at a character, not within one */
}

/* ---- glyphs and themes ---- */

static void glyphs_ascii(void **state) {
  (void)state;
  struct cell k;
  for (uint32_t g = 0; g < 0x30000; g++) {
    memset(&k, 0, sizeof k);
    k.glyph = g;
    uint32_t ascii = theme_glyph(CHARSET_ASCII, &k);
    assert_true(ascii >= ' ' && ascii < 0x7f);
    uint32_t acs = theme_glyph(CHARSET_ACS, &k);
    assert_true((acs >= ' ' && acs < 0x7f) || (acs >= 0x2500 && acs <= 0x253c) || strchr("\xb0\xb1\xb7", (int)(acs & 0xff)) ||
                acs == 0x2264 || acs == 0x2265 || acs == 0x2260 || acs == 0x25c6 || acs == 0x2592);
  }
  static const struct {
    uint32_t glyph, ascii;
  } twin[] = {{0xb5, 'u'},   {0xd7, 'x'},   {0x2014, '-'}, {0xb7, '.'},   {0x2026, '~'}, {0x25b8, '>'},
              {0x2190, '<'}, {0x2264, '<'}, {0x2502, '|'}, {0x2500, '-'}, {0x253c, '+'}, {0x2588, '#'},
              {0x2591, ':'}, {0xe9, 'e'},   {0x2082, '2'}, {0x28ff, '#'}, {0x754c, '?'}, {0x250a, ':'}};
  for (size_t i = 0; i < sizeof twin / sizeof *twin; i++) assert_int_equal(glyph_in(CHARSET_ASCII, twin[i].glyph), twin[i].ascii);
  for (int set = 0; set < CHARSET_N; set++)
    for (int bits = 0; bits < 256; bits++) {
      memset(&k, 0, sizeof k);
      k.dots = (uint8_t)bits;
      assert_true((theme_glyph((enum charset)set, &k) == ' ') == (bits == 0));
      k.dots = 0, k.fill = (uint8_t)(bits % 17);
      assert_true((theme_glyph((enum charset)set, &k) == ' ') == (bits % 17 == 0));
    }
  assert_int_equal(glyph_dots(CHARSET_BRAILLE, 0x41), 0x2841);
  assert_int_equal(glyph_dots(CHARSET_BLOCK, 0x47), 0x258c); /* the left column */
  assert_int_equal(glyph_dots(CHARSET_ASCII, 0x47), '|');
  assert_int_equal(glyph_dots(CHARSET_ASCII, 0xa3), '\\' /* falls to the right */);
  assert_int_equal(glyph_fill(CHARSET_BRAILLE, 8), 0x2588);
  assert_int_equal(glyph_fill(CHARSET_BRAILLE, 1), 0x258f);
}

static void glyphs_encode(void **state) {
  (void)state;
  for (uint32_t g = 0xa0; g < 0x11000; g += 3) {
    char utf8[5];
    uint32_t back;
    int n = glyph_utf8(g, utf8);
    assert_int_equal((int)strlen(utf8), n);
    assert_int_equal(utf8_decode(utf8, &back), n);
    assert_true(back == g || back == '?');
  }
}

static double luminance(uint32_t rgb) {
  static const double weight[3] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double v = (rgb >> (16 - 8 * i) & 255) / 255.0;
    sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}

static double contrast(uint32_t a, uint32_t b) {
  double l = luminance(a), m = luminance(b);
  return ((l > m ? l : m) + 0.05) / ((l > m ? m : l) + 0.05);
}

/* The ratio is the usual one of relative luminances; the themes are held to it on the paper they are made for. */
static void colours_readable(void **state) {
  (void)state;
  assert_true(fabs(contrast(0, 0xffffff) - 21) < 0.01);
  for (int t = 0; t < THEME_N; t++)
    for (int r = 0; r < ROLE_N; r++) {
      struct ink ink = theme_ink((enum theme)t, (enum role)r, 0);
      assert_true(ink.fg256 == -1 || (ink.fg256 >= 16 && ink.fg256 < 256));
      assert_true(ink.fg8 >= -1 && ink.fg8 < 8 && ink.fg8 != 0 && ink.fg8 != 7 && ink.fg8 != 4); /* black, white, dark blue */
      if (ink.fg8 == 3) assert_int_equal(t, THEME_DARK);                                         /* yellow only on dark paper */
      if (ink.fg256 < 0) continue;
      uint32_t rgb = theme_rgb256(ink.fg256);
      assert_int_equal(rgb, ink.fg_rgb);
      double on_black = contrast(rgb, 0), on_white = contrast(rgb, 0xffffff), on_own = contrast(rgb, theme_paper((enum theme)t));
      bool both = t == THEME_AUTO || t == THEME_CVD;
      if (both && (on_black < 3.8 || on_white < 3.79))
        fail_msg("%s %s: %.2f %.2f", theme_name((enum theme)t), role_name((enum role)r), on_black, on_white);
      if (!both && on_own < 4.1) fail_msg("%s %s: %.2f", theme_name((enum theme)t), role_name((enum role)r), on_own);
    }
  for (int r = 0; r < ROLE_N; r++) {
    struct ink mono = theme_ink(THEME_MONO, (enum role)r, 0), high = theme_ink(THEME_CONTRAST, (enum role)r, 0);
    assert_true(mono.fg256 == -1 && mono.fg8 == -1);
    assert_true(!high.dim && high.fg256 == -1);
  }
  for (int t = 0; t < THEME_N; t++) {
    assert_int_equal(theme_find(theme_name((enum theme)t)), t);
    assert_true(theme_ink((enum theme)t, ROLE_FOCUS, 0).reverse);
    assert_true(theme_ink((enum theme)t, ROLE_TEXT, ATTR_REVERSE).reverse);
  }
  assert_int_equal(theme_find("no"), THEME_N);
  assert_int_equal(charset_find("acs"), CHARSET_ACS);
  assert_int_equal(charset_find(""), CHARSET_N);
}

/* ---- widgets ---- */

static void bars_told_apart(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, 40, 2));
  struct part part[] = {
      {40, ROLE_MEMORY, 'W', "weights"}, {20, ROLE_KV, 'K', "KV"}, {1e-9, ROLE_LINK, 'L', "link"}, {NAN, ROLE_FIXED, 'F', "fixed"}};
  widget_bar(&c, (struct rect){0, 0, 40, 1}, part, 4, 80, NAN);
  looks(&c, CHARSET_ASCII, "#########W##########====K=====:?........\n\n");
  canvas_clear(&c);
  widget_bar(&c, (struct rect){0, 0, 10, 1}, part, 2, 30, NAN); /* twice what there is room for */
  assert_int_equal(cell_of(&c, 9, 0)->role, ROLE_BAD);
  canvas_clear(&c);
  widget_bar(&c, (struct rect){0, 0, 10, 1}, part, 1, 80, 60);
  assert_int_equal(cell_of(&c, 7, 0)->glyph, 0x2502);
  canvas_clear(&c);
  widget_legend(&c, (struct rect){0, 0, 24, 2}, part, 4);
  looks(&c, CHARSET_ASCII, "W# weights  K= KV\nL: link  Fx fixed\n");
  canvas_free(&c);
}

static void columns_stack(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, 3, 8));
  struct part part[] = {{3, ROLE_MEMORY, 'W', ""}, {3, ROLE_COMPUTE, 'C', ""}};
  widget_column(&c, (struct rect){0, 0, 3, 8}, part, 2, 0, 8, false);
  looks(&c, CHARSET_ASCII, "\n\n===\n=C=\n===\n###\n#W#\n###\n");
  canvas_free(&c);
}

static void gauges_read(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, 30, 4));
  widget_gauge(&c, (struct rect){0, 0, 30, 1}, "cores busy", 1, ROLE_MEASURED);
  widget_gauge(&c, (struct rect){0, 1, 30, 1}, "of memory", 0.5, ROLE_MEASURED);
  widget_gauge(&c, (struct rect){0, 2, 30, 1}, "unknown", NAN, ROLE_MEASURED);
  widget_gauge(&c, (struct rect){0, 3, 8, 1}, "of arithmetic", 0.25, ROLE_MEASURED);
  looks(&c, CHARSET_ASCII, "cores busy  ###########  100 %\nof memory   ######..... 50.0 %\nunknown     ...........      -\no 25.0 %\n");
  canvas_clear(&c);
  widget_slider(&c, (struct rect){0, 0, 24, 2}, "batch", "64", 0.5, true, false, true);
  widget_slider(&c, (struct rect){0, 2, 24, 1}, "data type", "fp32", NAN, false, true, false);
  looks(&c, CHARSET_ASCII, ">batch            < 64 >\n +----------o---------+\n*data type        fp32\n\n");
  assert_int_equal(cell_of(&c, 12, 0)->role, ROLE_FOCUS);
  canvas_free(&c);
}

/* Every widget in every small size with any number: inside its rectangle, no text over text. */
static void widgets_anything(void **state) {
  (void)state;
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -5, 1e300, 1e-300, 0.5, 1, 3e9};
  static const struct cell blank;
  static const char *const label[] = {"", "batch", "a label that is far too long for any of the places it will be put in",
                                      "\u00b5\u2014\u754c"};
  struct canvas c;
  srand(99);
  for (int round = 0; round < 40000; round++) {
    assert_true(canvas_init(&c, 50, 12));
    struct rect r = {rand() % 20 - 5, rand() % 8 - 2, rand() % 45, rand() % 9};
    struct part part[6];
    int n = rand() % 7;
    for (int i = 0; i < n; i++)
      part[i] = (struct part){odd[rand() % 10], (enum role)(rand() % ROLE_N), "WK\0 "[rand() % 4], rand() % 4 ? label[rand() % 4] : NULL};
    double a = odd[rand() % 10], b = odd[rand() % 10];
    switch (rand() % 8) {
    case 0: widget_bar(&c, r, part, n, a, b); break;
    case 1: widget_column(&c, r, part, n, a, b, rand() % 2); break;
    case 2: widget_gauge(&c, r, label[rand() % 4], a, ROLE_MEASURED); break;
    case 3: widget_slider(&c, r, label[rand() % 4], label[rand() % 4], a, rand() % 2, rand() % 2, rand() % 2); break;
    case 4: widget_legend(&c, r, part, n); break;
    case 5: widget_words(&c, r, label[rand() % 4], ROLE_DIM); break;
    case 6: widget_progress(&c, r, a, b, ROLE_MEMORY); break;
    case 7: widget_big(&c, r.x, r.y, label[rand() % 4], ROLE_TITLE), r = canvas_rect(&c); break;
    }
    assert_int_equal(c.overwritten, 0);
    struct rect in = rect_cut(r, canvas_rect(&c));
    for (int y = 0; y < c.h; y++)
      for (int x = 0; x < c.w; x++)
        if (x < in.x || y < in.y || x >= in.x + in.w || y >= in.y + in.h) assert_memory_equal(cell_of(&c, x, y), &blank, sizeof blank);
    canvas_free(&c);
  }
}

/* ---- printers ---- */

static void picture_draw(struct canvas *c) {
  canvas_box(c, canvas_rect(c), ROLE_BORDER);
  for (int i = 0; i < 30; i++) canvas_dot(c, 4 + i, 30 - i / 2, ROLE_ROOF);
  canvas_text(c, 2, 1, "a < b && \"c\" \u2264 7 \u00b5s", -1, ROLE_MEASURED, 0);
  canvas_text(c, 2, 9, "focus", -1, ROLE_FOCUS, 0);
  struct part part[] = {
      {4, ROLE_MEMORY, 'W', "weights"}, {2, ROLE_KV, 'K', "KV"}, {2, ROLE_OPTIMIZER, 'O', "o"}, {3, ROLE_GRADIENT, 'G', "g"}};
  widget_bar(c, (struct rect){2, 10, 30, 1}, part, 4, 12, 6);
  widget_gauge(c, (struct rect){2, 11, 30, 1}, "busy", 0.61, ROLE_GOOD);
  widget_slider(c, (struct rect){2, 12, 30, 2}, "batch", "1", 0.2, true, true, true);
}

/* Elements nest and close, attributes are quoted, & and < only as entities: enough to be sure that a parser takes it. */
static void xml_check(const char *s) {
  char open[64][32];
  int depth = 0;
  assert_int_equal(strncmp(s, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39), 0);
  while (*s) {
    if (*s == '&') {
      assert_true(!strncmp(s, "&lt;", 4) || !strncmp(s, "&gt;", 4) || !strncmp(s, "&amp;", 5) || !strncmp(s, "&quot;", 6));
      s++;
    } else if (*s == '<') {
      bool closing = s[1] == '/';
      char name[32];
      int n = 0;
      const char *q = s + 1 + closing;
      while (n < 31 && (*q == '-' || (*q >= 'a' && *q <= 'z') || (*q >= 'A' && *q <= 'Z'))) name[n++] = *q++;
      name[n] = '\0';
      assert_true(n > 0);
      bool quoted = false;
      while (*q && (quoted || *q != '>')) {
        if (*q == '"') quoted = !quoted;
        assert_true(*q != '<');
        q++;
      }
      assert_true(*q == '>' && !quoted);
      if (closing) {
        assert_true(depth > 0);
        assert_string_equal(open[--depth], name);
      } else if (q[-1] != '/') {
        assert_true(depth < 64);
        strcpy(open[depth++], name);
      }
      s = q + 1;
    } else {
      assert_true((unsigned char)*s >= ' ' || *s == '\n');
      s++;
    }
  }
  assert_int_equal(depth, 0);
}

static void printers_agree(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, 40, 16));
  picture_draw(&c);
  for (int t = 0; t < THEME_N; t++)
    for (int set = 0; set < CHARSET_N; set++) {
      char *text = printed(&c, FORMAT_TEXT, (enum theme)t, (enum charset)set),
           *ansi = printed(&c, FORMAT_ANSI, (enum theme)t, (enum charset)set);
      char *svg = printed(&c, FORMAT_SVG, (enum theme)t, (enum charset)set), *bare = malloc(strlen(ansi) + 1);
      xml_check(svg);
      assert_non_null(strstr(svg, "<title>a &lt;title&gt; &amp; &quot;more&quot;</title>"));
      int n = 0;
      bool dressed = false;
      for (const char *s = ansi; *s;) { /* the same cells once the dress is off; every line ends undressed */
        if (*s == '\033') {
          dressed = strncmp(s, "\033[0m", 4) != 0;
          while (*s != 'm') s++;
          s++;
          continue;
        }
        if (*s == '\n') {
          assert_false(dressed);
          while (n > 0 && bare[n - 1] == ' ') n--;
        }
        bare[n++] = *s++;
      }
      bare[n] = '\0';
      assert_string_equal(bare, text);
      if (set == CHARSET_ASCII)
        for (const char *s = ansi; *s; s++) assert_true((unsigned char)*s < 0x80);
      if (t == THEME_MONO) assert_null(strstr(ansi, "38;5"));
      free(text), free(ansi), free(svg), free(bare);
    }
  char *roles = printed(&c, FORMAT_ROLES, THEME_AUTO, CHARSET_BRAILLE);
  assert_non_null(strstr(roles, "# O measured\n"));
  assert_non_null(strstr(roles, "OO.O")); /* words in their role, blanks between */
  free(roles);
  for (int f = 0; f < FORMAT_N; f++) assert_int_equal(format_find(format_name((enum format)f)), f);
  canvas_free(&c);
}

/* A letter a role and no two the same. */
static void roles_distinct(void **state) {
  (void)state;
  struct canvas c;
  assert_true(canvas_init(&c, ROLE_N, 1));
  for (int r = 0; r < ROLE_N; r++) canvas_put(&c, r, 0, 'x', (enum role)r, 0);
  char *roles = printed(&c, FORMAT_ROLES, THEME_AUTO, CHARSET_BRAILLE), *row = strstr(roles, "# . blank\n") + 10;
  for (int i = 0; i < ROLE_N; i++) assert_ptr_equal(strchr(row, row[i]), row + i);
  free(roles);
  canvas_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(borders_merge),  cmocka_unit_test(clip_holds),       cmocka_unit_test(text_counts),
      cmocka_unit_test(text_breaks),    cmocka_unit_test(text_bounded),     cmocka_unit_test(glyphs_ascii),
      cmocka_unit_test(glyphs_encode),  cmocka_unit_test(colours_readable), cmocka_unit_test(bars_told_apart),
      cmocka_unit_test(columns_stack),  cmocka_unit_test(gauges_read),      cmocka_unit_test(widgets_anything),
      cmocka_unit_test(printers_agree), cmocka_unit_test(roles_distinct),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
