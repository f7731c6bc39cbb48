/* printer_svg: a screen as a picture that needs no font for its lines. A cell is 20 × 40 units, a dot 10 × 10, so that every coordinate is
 * whole. Dots that touch are joined into strokes; borders, blocks and markers are shapes; words are text, each placed by its own column. */
#include "tui/printer_svg.h"

#include <stdlib.h>
#include <string.h>

const struct cell *sheet_cell(const struct sheet *s, int x, int y) { return &s->c->cell[(size_t)y * (size_t)s->c->w + (size_t)x]; }

/* In charsets without braille the dots print as characters; so do lines and areas in ASCII. */
enum show sheet_show(const struct sheet *s, int x, int y, uint32_t *glyph) {
  const struct cell *k = sheet_cell(s, x, y);
  *glyph = theme_glyph(s->charset, k);
  if (k->glyph) {
    if (*glyph == ' ') return SHOW_NONE;
    return *glyph >= 0x2580 && *glyph <= 0x259f ? SHOW_BLOCK : *glyph >= 0x2500 && *glyph <= 0x257f ? SHOW_LINES : SHOW_TEXT;
  }
  if (k->dots) return s->charset == CHARSET_BRAILLE ? SHOW_DOTS : s->charset == CHARSET_BLOCK ? SHOW_BLOCK : SHOW_TEXT;
  if (k->lines & 15) return s->charset == CHARSET_ASCII ? SHOW_TEXT : SHOW_LINES;
  if (k->fill) return s->charset == CHARSET_ASCII ? SHOW_TEXT : SHOW_FILL;
  return SHOW_NONE;
}

bool sheet_marker(const struct sheet *s, int x, int y) {
  return s->charset == CHARSET_BRAILLE && sheet_cell(s, x, y)->glyph > ' ' && !(x > 0 && sheet_cell(s, x - 1, y)->glyph) &&
         !(x + 1 < s->c->w && sheet_cell(s, x + 1, y)->glyph);
}

static struct ink ink_at(const struct sheet *s, int x, int y) {
  const struct cell *k = sheet_cell(s, x, y);
  return theme_ink(s->theme, (enum role)k->role, k->attr);
}

/* ---- classes ---- */

/* A role's class is its name with a letter before it. Own ink has the class "own" alone, so that automatic sheets can follow the reader's
 * paper. */
static void class_print(const struct sheet *s, enum role role) {
  struct ink ink = theme_ink(s->theme, role, 0);
  fprintf(s->f, ink.fg256 < 0 ? "own" : "r-%s", role_name(role));
}

static void style_print(const struct sheet *s) {
  FILE *f = s->f;
  uint32_t paper = theme_paper(s->theme), own = theme_own(s->theme);
  fputs("<style>\n", f);
  fprintf(f,
          "text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace;font-size:%dpx;white-space:pre}\n",
          FONT);
  fputs(".b{font-weight:700}.u{text-decoration:underline}.d{opacity:.65}.s{fill:none;stroke-linecap:round;stroke-linejoin:round}\n", f);
  fprintf(f, ".paper{fill:#%06x}.own{fill:#%06x}.s.own{fill:none;stroke:#%06x}\n", paper, own, own);
  for (int r = 0; r < ROLE_N; r++) {
    struct ink ink = theme_ink(s->theme, (enum role)r, 0);
    if (ink.fg256 < 0) continue;
    fprintf(f, ".r-%s{fill:#%06x}.s.r-%s{fill:none;stroke:#%06x}\n", role_name((enum role)r), ink.fg_rgb, role_name((enum role)r),
            ink.fg_rgb);
  }
  if (s->theme == THEME_AUTO)
    fprintf(f, "@media (prefers-color-scheme:dark){.paper{fill:#%06x}.own{fill:#%06x}.s.own{fill:none;stroke:#%06x}}\n",
            theme_paper(THEME_DARK), theme_own(THEME_DARK), theme_own(THEME_DARK));
  fputs("</style>\n", f);
}

static void escaped_print(FILE *f, const char *s) {
  while (*s) {
    uint32_t g;
    char utf8[5];
    s += utf8_decode(s, &g);
    if (g == '<')
      fputs("&lt;", f);
    else if (g == '>')
      fputs("&gt;", f);
    else if (g == '&')
      fputs("&amp;", f);
    else if (g == '"')
      fputs("&quot;", f);
    else {
      glyph_utf8(g, utf8);
      fputs(utf8, f);
    }
  }
}

static void glyph_escaped(FILE *f, uint32_t g) {
  char utf8[5];
  glyph_utf8(g, utf8);
  escaped_print(f, utf8);
}

/* ---- strokes: one path a role ---- */

static void path_open(struct path *p) {
  if (p->open) return;
  p->open = true;
  fputs("<path class=\"s ", p->s->f);
  class_print(p->s, p->role);
  if (theme_ink(p->s->theme, p->role, 0).dim) fputs(" d", p->s->f);
  fprintf(p->s->f, "\" stroke-width=\"%d\"%s d=\"", p->width, p->dash);
}

void path_move(struct path *p, int x, int y) {
  path_open(p);
  fprintf(p->s->f, "M%d %d", x, y);
}

void path_to(struct path *p, int x, int y) { fprintf(p->s->f, "L%d %d", x, y); }

void path_close(struct path *p) {
  if (p->open) fputs("\"/>\n", p->s->f);
  p->open = false;
}

void path_line(struct path *p, int x0, int y0, int x1, int y1) {
  path_open(p);
  if (y0 == y1)
    fprintf(p->s->f, "M%d %dh%d", x0, y0, x1 - x0);
  else if (x0 == x1)
    fprintf(p->s->f, "M%d %dv%d", x0, y0, y1 - y0);
  else
    fprintf(p->s->f, "M%d %dl%d %d", x0, y0, x1 - x0, y1 - y0);
}

/* The direction bits a cell shows, whether from lines or from a box-drawing character. */
static int lines_at(const struct sheet *s, int x, int y) {
  static const struct {
    uint16_t glyph;
    uint8_t bits;
  } row[] = {{0x2500, 10},
             {0x2502, 5},
             {0x250c, 6},
             {0x2510, 12},
             {0x2514, 3},
             {0x2518, 9},
             {0x251c, 7},
             {0x2524, 13},
             {0x252c, 14},
             {0x2534, 11},
             {0x253c, 15},
             {0x2508, 10 | LINE_DASH},
             {0x250a, 5 | LINE_DASH}};
  uint32_t glyph;
  if (sheet_show(s, x, y, &glyph) != SHOW_LINES) return 0;
  const struct cell *k = sheet_cell(s, x, y);
  if (!k->glyph) return k->lines;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (row[i].glyph == glyph) return row[i].bits;
  return 15;
}

static void lines_print(const struct sheet *s, enum role want, bool dash) {
  struct path p = {s, want, false, 2, dash ? " stroke-dasharray=\"2 8\"" : ""};
  for (int y = 0; y < s->c->h; y++)
    for (int x = 0; x < s->c->w; x++) {
      int bits = sheet_cell(s, x, y)->role == want ? lines_at(s, x, y) : 0;
      if (!bits || ((bits & LINE_DASH) != 0) != dash) continue;
      int l = x * CELL_W, t = y * CELL_H, cx = l + CELL_W / 2, cy = t + CELL_H / 2;
      if (bits & LINE_W || bits & LINE_E) path_line(&p, bits & LINE_W ? l : cx, cy, bits & LINE_E ? l + CELL_W : cx, cy);
      if (bits & LINE_N || bits & LINE_S) path_line(&p, cx, bits & LINE_N ? t : cy, cx, bits & LINE_S ? t + CELL_H : cy);
    }
  path_close(&p);
}

/* ---- areas ---- */

static void rect_print(const struct sheet *s, int x, int y, int w, int h, const char *class, const char *more) {
  fprintf(s->f, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"%s/>\n", class, x, y, w, h, more);
}

static void role_class(const struct sheet *s, enum role role, char out[32]) {
  struct ink ink = theme_ink(s->theme, role, 0);
  snprintf(out, 32, ink.fg256 < 0 ? "own" : "r-%s", role_name(role));
}

/* A patterned area: a pale ground, and strokes that tell it apart without its colour. */
static void hatch_cell(struct path *p, int pattern, int l, int t) {
  for (int half = 0; half < 2; half++) {
    int y = t + half * CELL_W;
    switch (pattern) {
    case 1: path_line(p, l, y + CELL_W, l + CELL_W, y); break;
    case 2: path_line(p, l + 5, y + 5, l + 5, y + 5), path_line(p, l + 15, y + 15, l + 15, y + 15); break;
    case 3: path_line(p, l, y + CELL_W, l + CELL_W, y), path_line(p, l, y, l + CELL_W, y + CELL_W); break;
    case 4: path_line(p, l, y, l + CELL_W, y + CELL_W); break;
    case 5: path_line(p, l, y + 10, l + CELL_W, y + 10); break;
    case 6: path_line(p, l + 10, y, l + 10, y + CELL_W); break;
    default: break;
    }
  }
}

static int fill_at(const struct sheet *s, int x, int y) {
  uint32_t glyph;
  return sheet_show(s, x, y, &glyph) == SHOW_FILL ? sheet_cell(s, x, y)->fill : 0;
}

static void fills_print(const struct sheet *s, enum role want) {
  char class[32];
  role_class(s, want, class);
  struct path hatch = {s, want, false, 2, ""};
  for (int y = 0; y < s->c->h; y++)
    for (int x = 0; x < s->c->w; x++) {
      int fill = sheet_cell(s, x, y)->role == want ? fill_at(s, x, y) : 0, n = 1;
      if (!fill) continue;
      while (x + n < s->c->w && sheet_cell(s, x + n, y)->role == want && fill_at(s, x + n, y) == fill) n++;
      if (fill < 8) n = 1;
      int width = fill < 8 ? CELL_W * fill / 8 : n * CELL_W;
      rect_print(s, x * CELL_W, y * CELL_H, width, CELL_H, class,
                 fill > 9 ? " fill-opacity=\".3\" shape-rendering=\"crispEdges\"" : " shape-rendering=\"crispEdges\"");
      x += n - 1;
    }
  for (int y = 0; y < s->c->h; y++)
    for (int x = 0; x < s->c->w; x++)
      if (sheet_cell(s, x, y)->role == want && fill_at(s, x, y) > 9) hatch_cell(&hatch, (fill_at(s, x, y) - 9) % 8, x * CELL_W, y * CELL_H);
  path_close(&hatch);
}

/* Block characters as rectangles. */
static void block_print(const struct sheet *s, int x, int y, uint32_t g) {
  static const uint8_t quarter[10] = {4, 8,  1, 13, 9,
                                      7, 11, 2, 6,  14}; /* U+2596… : bit 0 upper left, 1 upper right, 2 lower left, 3 lower right */
  char class[32];
  role_class(s, (enum role)sheet_cell(s, x, y)->role, class);
  int l = x * CELL_W, t = y * CELL_H;
  const char *crisp = " shape-rendering=\"crispEdges\"";
  if (g == 0x2580)
    rect_print(s, l, t, CELL_W, CELL_H / 2, class, crisp);
  else if (g <= 0x2588)
    rect_print(s, l, t + CELL_H - CELL_H * (int)(g - 0x2580) / 8, CELL_W, CELL_H * (int)(g - 0x2580) / 8, class, crisp);
  else if (g <= 0x258f)
    rect_print(s, l, t, CELL_W * (int)(0x2590 - g) / 8, CELL_H, class, crisp);
  else if (g == 0x2590)
    rect_print(s, l + CELL_W / 2, t, CELL_W / 2, CELL_H, class, crisp);
  else if (g <= 0x2593)
    rect_print(s, l, t, CELL_W, CELL_H, class,
               g == 0x2591   ? " fill-opacity=\".25\""
               : g == 0x2592 ? " fill-opacity=\".5\""
                             : " fill-opacity=\".75\"");
  else if (g == 0x2594)
    rect_print(s, l, t, CELL_W, CELL_H / 8, class, crisp);
  else if (g == 0x2595)
    rect_print(s, l + CELL_W * 7 / 8, t, CELL_W / 8, CELL_H, class, crisp);
  else
    for (int i = 0; i < 4; i++)
      if (quarter[g - 0x2596] >> i & 1) rect_print(s, l + i % 2 * CELL_W / 2, t + i / 2 * CELL_H / 2, CELL_W / 2, CELL_H / 2, class, crisp);
}

/* ---- words ---- */

static bool reverse_at(const struct sheet *s, int x, int y) { return ink_at(s, x, y).reverse; }

static void reverses_print(const struct sheet *s) {
  char class[32];
  for (int y = 0; y < s->c->h; y++)
    for (int x = 0, n; x < s->c->w; x += n) {
      n = 1;
      if (!reverse_at(s, x, y)) continue;
      uint8_t role = sheet_cell(s, x, y)->role;
      while (x + n < s->c->w && reverse_at(s, x + n, y) && sheet_cell(s, x + n, y)->role == role) n++;
      role_class(s, (enum role)role, class);
      rect_print(s, x * CELL_W, y * CELL_H, n * CELL_W, CELL_H, class, " shape-rendering=\"crispEdges\"");
    }
}

/* Markers whose look should not hang on a font: triangles and discs. */
static bool marker_print(const struct sheet *s, int x, int y, uint32_t g) {
  char class[32];
  int l = x * CELL_W, t = y * CELL_H, cx = l + CELL_W / 2, cy = t + CELL_H / 2;
  int spot = s->charset == CHARSET_BRAILLE ? sheet_cell(s, x, y)->spot : 0; /* where its curve passes, not just in which cell */
  if (spot) cx = l + (spot - 1) % 2 * 10 + 5, cy = t + (spot - 1) / 2 * 10 + 5;
  if (reverse_at(s, x, y))
    snprintf(class, sizeof class, "paper");
  else
    role_class(s, (enum role)sheet_cell(s, x, y)->role, class);
  switch (g) {
  case 0x25b6:
  case 0x25b8:
  case 0x25ba: fprintf(s->f, "<path class=\"%s\" d=\"M%d %dl14 9l-14 9z\"/>\n", class, l + 3, cy - 9); return true;
  case 0x25c0:
  case 0x25c2:
  case 0x25c4: fprintf(s->f, "<path class=\"%s\" d=\"M%d %dl-14 9l14 9z\"/>\n", class, l + 17, cy - 9); return true;
  case 0x25b2:
  case 0x25b4: fprintf(s->f, "<path class=\"%s\" d=\"M%d %dl9 16h-18z\"/>\n", class, cx, cy - 8); return true;
  case 0x25bc:
  case 0x25be: fprintf(s->f, "<path class=\"%s\" d=\"M%d %dl9 -16h-18z\"/>\n", class, cx, cy + 8); return true;
  case 0x25cf: fprintf(s->f, "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"8\"/>\n", class, cx, cy); return true;
  case 'o': fprintf(s->f, "<circle class=\"s %s\" cx=\"%d\" cy=\"%d\" r=\"8\" stroke-width=\"5\"/>\n", class, cx, cy); return true;
  case 0xd7:
    fprintf(s->f, "<path class=\"s %s\" stroke-width=\"5\" d=\"M%d %dl16 16m0 -16l-16 16\"/>\n", class, cx - 8, cy - 8);
    return true;
  case 0xb7:
    fprintf(s->f, "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>\n", class, cx, cy, sheet_cell(s, x, y)->attr & ATTR_BOLD ? 5 : 3);
    return true;
  default: return false;
  }
}

static bool marker_is(const struct sheet *s, int x, int y, uint32_t g) {
  if (g == 'o' || g == 0xd7)
    return sheet_marker(s, x, y) && sheet_cell(s, x, y)->attr == ATTR_BOLD; /* a point of a plot, no letter of a bar */
  return g == 0xb7 || g == 0x25cf || (g >= 0x25b2 && g <= 0x25c4 && (g <= 0x25b4 || (g >= 0x25b6 && g != 0x25b7 && g != 0x25b9)));
}

static bool ink_equal(struct ink a, struct ink b) {
  return a.fg256 == b.fg256 && a.bold == b.bold && a.dim == b.dim && a.reverse == b.reverse && a.underline == b.underline;
}

static bool text_at(const struct sheet *s, int x, int y, uint32_t *g) {
  return x < s->c->w && sheet_show(s, x, y, g) == SHOW_TEXT && !marker_is(s, x, y, *g);
}

/* One text element a row, one span a word: words start in their own column whatever the font's advance. */
static void row_print(const struct sheet *s, int y) {
  bool open = false;
  uint32_t g;
  for (int x = 0; x < s->c->w; x++) {
    if (!text_at(s, x, y, &g)) continue;
    struct ink ink = ink_at(s, x, y);
    enum role role = (enum role)sheet_cell(s, x, y)->role;
    int n = 1;
    while (text_at(s, x + n, y, &g) && sheet_cell(s, x + n, y)->role == role && ink_equal(ink_at(s, x + n, y), ink)) n++;
    if (!open) fprintf(s->f, "<text y=\"%d\">", y * CELL_H + BASE);
    open = true;
    fprintf(s->f, "<tspan x=\"%d\" textLength=\"%d\" class=\"", x * CELL_W, n * CELL_W);
    if (ink.reverse)
      fputs("paper", s->f);
    else
      class_print(s, role);
    fprintf(s->f, "%s%s%s\">", ink.bold ? " b" : "", ink.underline ? " u" : "", ink.dim ? " d" : "");
    for (int i = 0; i < n; i++) {
      text_at(s, x + i, y, &g);
      glyph_escaped(s->f, g);
    }
    fputs("</tspan>", s->f);
    x += n - 1;
  }
  if (open) fputs("</text>\n", s->f);
}

bool svg_print(FILE *f, const struct canvas *c, enum theme theme, enum charset charset, const char *title) {
  struct sheet s = {f, c, theme, charset, calloc((size_t)c->w * 8, (size_t)c->h)};
  if (!s.traced) return false;
  int w = c->w * CELL_W + 2 * MARGIN, h = c->h * CELL_H + 2 * MARGIN;
  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\" role=\"img\">\n<title>", w / 2,
          h / 2, -MARGIN, -MARGIN, w, h);
  escaped_print(f, title && *title ? title : "ridge");
  fputs("</title>\n", f);
  style_print(&s);
  fprintf(f, "<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"12\"/>\n", -MARGIN, -MARGIN, w, h);
  reverses_print(&s);
  for (int r = 0; r < ROLE_N; r++) fills_print(&s, (enum role)r);
  for (int r = 0; r < ROLE_N; r++) {
    lines_print(&s, (enum role)r, false);
    lines_print(&s, (enum role)r, true);
  }
  for (int r = 0; r < ROLE_N; r++) dots_trace(&s, (enum role)r);
  uint32_t g;
  for (int y = 0; y < c->h; y++) {
    for (int x = 0; x < c->w; x++) {
      enum show show = sheet_show(&s, x, y, &g);
      if (show == SHOW_BLOCK)
        block_print(&s, x, y, g);
      else if (show == SHOW_TEXT && marker_is(&s, x, y, g))
        marker_print(&s, x, y, g);
    }
    row_print(&s, y);
  }
  fputs("</svg>\n", f);
  free(s.traced);
  return true;
}
