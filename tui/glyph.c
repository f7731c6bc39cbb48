/* glyph: which character a cell prints as, in each charset. Braille and block share all but their dots; ACS keeps to what every terminal can
 * draw with its line-drawing set; ASCII keeps to ASCII. */
#include <assert.h>
#include <string.h>

#include "tui/theme.h"

const char *charset_name(enum charset c) {
  static const char *const name[CHARSET_N] = {"braille", "block", "acs", "ascii"};
  assert(c >= 0 && c < CHARSET_N);
  return name[c];
}

enum charset charset_find(const char *name) {
  for (int c = 0; c < CHARSET_N; c++)
    if (strcmp(name, charset_name((enum charset)c)) == 0) return (enum charset)c;
  return CHARSET_N;
}

/* ---- lines ---- */

uint32_t glyph_lines(enum charset c, int lines) {
  /* by N E S W bits; a half line prints as a whole one, which every font has */
  static const uint16_t box[16] = {' ',    0x2502, 0x2500, 0x2514, 0x2502, 0x2502, 0x250c, 0x251c,
                                   0x2500, 0x2518, 0x2500, 0x2534, 0x2510, 0x2524, 0x252c, 0x253c};
  int bits = lines & 15;
  bool upright = bits && !(bits & (LINE_E | LINE_W)), level = bits && !(bits & (LINE_N | LINE_S));
  if (lines & LINE_DASH) {
    if (upright) return c <= CHARSET_BLOCK ? 0x250a : ':';
    if (level) return c <= CHARSET_BLOCK ? 0x2508 : '.';
  }
  if (c == CHARSET_ASCII) return !bits ? ' ' : upright ? '|' : level ? '-' : '+';
  return box[bits];
}

/* ---- dots ---- */

/* Rows (0 top … 3) that are set in one column of dots, as a 4-bit mask. */
static int dots_column(int dots, int right) {
  return right ? (dots >> 3 & 7) | (dots >> 7 & 1) << 3 : (dots & 7) | (dots >> 6 & 1) << 3;
}

static double rows_mean(int rows) {
  int sum = 0, n = 0;
  for (int i = 0; i < 4; i++)
    if (rows >> i & 1) sum += i, n++;
  return n ? (double)sum / n : -1;
}

static int rows_count(int rows) { return (rows & 1) + (rows >> 1 & 1) + (rows >> 2 & 1) + (rows >> 3 & 1); }

/* The character whose strokes lie nearest to the dots: slopes first, then height. */
static uint32_t dots_ascii(int dots) {
  int l = dots_column(dots, 0), r = dots_column(dots, 1), nl = rows_count(l), nr = rows_count(r);
  if (nl + nr >= 7) return '#';
  if (nl == 0 || nr == 0) {
    int rows = l | r;
    if (rows_count(rows) >= 3) return '|';
    double m = rows_mean(rows);
    return rows_count(rows) == 2 && m > 0.9 && m < 2.1 ? ':' : m < 1.1 ? '\'' : m < 2.1 ? '-' : '.';
  }
  double ml = rows_mean(l), mr = rows_mean(r);
  if (nl >= 3 && nr >= 3) return '#';
  if (ml - mr >= 0.75) return '/';
  if (mr - ml >= 0.75) return '\\';
  double m = (ml + mr) / 2;
  return m < 0.6 ? '"' : m < 2.1 ? '-' : '_';
}

/* Halves and quarters of a cell: bit 0 upper left, 1 upper right, 2 lower left, 3 lower right. */
static const uint16_t quadrant[16] = {' ',    0x2598, 0x259d, 0x2580, 0x2596, 0x258c, 0x259e, 0x259b,
                                      0x2597, 0x259a, 0x2590, 0x259c, 0x2584, 0x2599, 0x259f, 0x2588};

uint32_t glyph_dots(enum charset c, int dots) {
  if (!dots) return ' ';
  if (c == CHARSET_BRAILLE) return 0x2800u + (uint32_t)dots;
  if (c != CHARSET_BLOCK) return dots_ascii(dots);
  int l = dots_column(dots, 0), r = dots_column(dots, 1);
  return quadrant[(l & 3 ? 1 : 0) | (r & 3 ? 2 : 0) | (l & 12 ? 4 : 0) | (r & 12 ? 8 : 0)];
}

/* ---- areas ---- */

uint32_t glyph_fill(enum charset c, int fill) {
  static const uint16_t pattern[] = {0x2588, 0x2592, 0x2591, 0x2593, 0x259a, 0x2584, 0x258c, 0x2580};
  static const char plain[] = {'#', '=', ':', '%', 'x', '_', '|', '"'};
  if (!fill) return ' ';
  if (fill <= 8) return c <= CHARSET_BLOCK ? 0x2590u - (uint32_t)fill : fill >= 4 ? '#' : '|';
  int p = (fill - 9) % 8;
  if (c == CHARSET_ACS && p == 1) return 0x2592;
  return c <= CHARSET_BLOCK ? pattern[p] : (uint32_t)plain[p];
}

/* ---- text ---- */

struct twin { uint16_t glyph; char ascii; };
static const struct twin twin_table[] = { /* in order of code point */
    {0x00a0, ' '}, {0x00a7, '$'}, {0x00ab, '<'}, {0x00ac, '!'}, {0x00b0, 'o'}, {0x00b1, '~'}, {0x00b2, '2'}, {0x00b3, '3'}, {0x00b4, '\''},
    {0x00b5, 'u'}, {0x00b7, '.'}, {0x00b9, '1'}, {0x00bb, '>'}, {0x00bc, '4'}, {0x00bd, '2'}, {0x03a3, 'S'},
    {0x03b1, 'a'}, {0x03b2, 'b'}, {0x03bc, 'u'}, {0x03c0, 'p'}, {0x2010, '-'}, {0x2011, '-'}, {0x2012, '-'}, {0x2013, '-'}, {0x2014, '-'},
    {0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'}, {0x2022, '*'}, {0x2026, '~'}, {0x2032, '\''}, {0x2070, '0'}, {0x207b, '-'},
    {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'}, {0x2194, '-'}, {0x2195, '|'}, {0x21b5, '<'}, {0x21e5, '>'}, {0x2208, 'E'},
    {0x2211, 'S'}, {0x2212, '-'}, {0x2217, '*'}, {0x221a, 'V'}, {0x221d, '~'}, {0x221e, '*'}, {0x2227, '^'}, {0x2228, 'v'}, {0x2248, '~'},
    {0x2260, '!'}, {0x2264, '<'}, {0x2265, '>'}, {0x2297, '@'}, {0x22c5, '.'}, {0x2308, '['}, {0x2309, ']'}, {0x230a, '['}, {0x230b, ']'},
    {0x25a0, '#'}, {0x25a1, 'o'}, {0x25aa, '#'}, {0x25b2, '^'}, {0x25b4, '^'}, {0x25b6, '>'}, {0x25b8, '>'}, {0x25ba, '>'}, {0x25bc, 'v'},
    {0x25be, 'v'}, {0x25c0, '<'}, {0x25c2, '<'}, {0x25c4, '<'}, {0x25c6, '*'}, {0x25cb, 'o'}, {0x25cf, 'o'}, {0x25e6, 'o'}, {0x2605, '*'},
    {0x2713, 'v'}, {0x2714, 'v'}, {0x2717, 'x'}, {0x2718, 'x'},
};

static uint32_t twin_find(uint32_t g) {
  int lo = 0, hi = (int)(sizeof twin_table / sizeof *twin_table) - 1;
  while (lo <= hi) {
    int mid = (lo + hi) / 2;
    if (twin_table[mid].glyph == g) return (uint32_t)twin_table[mid].ascii;
    if (twin_table[mid].glyph < g) lo = mid + 1;
    else hi = mid - 1;
  }
  return 0;
}

/* Direction bits of the box-drawing characters people put in as text. */
static int box_bits(uint32_t g) {
  static const struct { uint16_t glyph; uint8_t bits; } row[] = {
      {0x2500, 10}, {0x2502, 5}, {0x250c, 6}, {0x2510, 12}, {0x2514, 3}, {0x2518, 9}, {0x251c, 7}, {0x2524, 13}, {0x252c, 14}, {0x2534, 11},
      {0x253c, 15}, {0x256d, 6}, {0x256e, 12}, {0x256f, 9}, {0x2570, 3}, {0x2574, 8}, {0x2575, 1}, {0x2576, 2}, {0x2577, 4},
      {0x2504, 10 | LINE_DASH}, {0x2506, 5 | LINE_DASH}, {0x2508, 10 | LINE_DASH}, {0x250a, 5 | LINE_DASH}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (row[i].glyph == g) return row[i].bits;
  return 15;
}

static uint32_t block_ascii(uint32_t g) {
  if (g == 0x2580) return '"';
  if (g >= 0x2581 && g <= 0x2583) return '_';
  if (g >= 0x2584 && g <= 0x2587) return g == 0x2584 ? '_' : '#';
  if (g >= 0x2588 && g <= 0x258c) return '#';
  if (g >= 0x258d && g <= 0x2590) return '|';
  if (g >= 0x2591 && g <= 0x2593) return g == 0x2591 ? ':' : g == 0x2592 ? '=' : '%';
  return g == 0x2594 ? '"' : g == 0x2595 ? '|' : g >= 0x2599 && g <= 0x259c ? '#' : g == 0x2596 || g == 0x2597 ? '.' : '\'';
}

static uint32_t glyph_ascii(uint32_t g) {
  static const char letter[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";
  if (g < 0x80) return g < 0x20 || g == 0x7f ? '?' : g;
  uint32_t twin = twin_find(g);
  if (twin) return twin;
  if (g >= 0xc0 && g <= 0xff) return (uint32_t)letter[g - 0xc0];
  if (g >= 0x2080 && g <= 0x2089) return '0' + (g - 0x2080);
  if (g >= 0x2074 && g <= 0x2079) return '4' + (g - 0x2074);
  if (g >= 0x2500 && g <= 0x257f) return glyph_lines(CHARSET_ASCII, box_bits(g));
  if (g >= 0x2580 && g <= 0x259f) return block_ascii(g);
  if (g >= 0x2800 && g <= 0x28ff) return glyph_dots(CHARSET_ASCII, (int)(g - 0x2800));
  return '?';
}

uint32_t glyph_in(enum charset c, uint32_t g) {
  if (g < 0x80) return g < 0x20 || g == 0x7f ? (g ? '?' : ' ') : g;
  if (c == CHARSET_ASCII) return glyph_ascii(g);
  if (c == CHARSET_ACS) { /* what the VT100 line-drawing set holds stays */
    if (g >= 0x2500 && g <= 0x257f) return glyph_lines(c, box_bits(g));
    switch (g) {
    case 0xb0: case 0xb1: case 0xb7: case 0x2264: case 0x2265: case 0x2260: case 0x25c6: case 0x2592: return g;
    default: return glyph_ascii(g);
    }
  }
  return g;
}

uint32_t theme_glyph(enum charset c, const struct cell *cell) {
  if (cell->glyph) return glyph_in(c, cell->glyph);
  if (cell->dots) return glyph_dots(c, cell->dots);
  if (cell->lines & 15) return glyph_lines(c, cell->lines);
  return glyph_fill(c, cell->fill);
}

int glyph_utf8(uint32_t g, char out[5]) {
  int n = g < 0x80 ? 1 : g < 0x800 ? 2 : g < 0x10000 ? 3 : 4;
  if (n == 1) out[0] = (char)g;
  else {
    for (int i = n - 1; i > 0; i--, g >>= 6) out[i] = (char)(0x80 | (g & 0x3f));
    out[0] = (char)((0xf00 >> n & 0xff) | g);
  }
  out[n] = '\0';
  return n;
}
