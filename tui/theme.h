/* theme: what a role looks like: colours by theme and colour depth, glyph sets by charset. The only place that knows colours. */
#ifndef RIDGE_THEME_H
#define RIDGE_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/canvas.h"

enum theme { THEME_AUTO, THEME_DARK, THEME_LIGHT, THEME_MONO, THEME_CVD, THEME_CONTRAST, THEME_N };
const char *theme_name(enum theme t);
enum theme theme_find(const char *name); /* THEME_N when unknown */

enum charset { CHARSET_BRAILLE, CHARSET_BLOCK, CHARSET_ACS, CHARSET_ASCII, CHARSET_N };
const char *charset_name(enum charset c);
enum charset charset_find(const char *name);

struct ink {
  int16_t fg256, fg8;
  uint32_t fg_rgb;
  bool bold, dim, reverse, underline;
}; /* fg -1: the terminal's own */
struct ink theme_ink(enum theme t, enum role role, int attr);

/* Where a printer has to choose paper and plain ink itself (SVG). THEME_AUTO gives the light pair; its dark pair is THEME_DARK's, and every
 * colour it uses has a contrast of at least 3.8 on black and on white. */
uint32_t theme_paper(enum theme t);
uint32_t theme_own(enum theme t);
uint32_t
theme_rgb256(int index); /* 0xRRGGBB of an xterm-256 index 16…255 (0…15 belong to the terminal's owner: never used with 256 colours) */

/* The glyph a cell prints as in this charset: its own glyph, or the one its dots, lines or fill make. Never an ambiguous-width glyph in
 * CHARSET_ASCII; 0x20 for an empty cell. */
uint32_t theme_glyph(enum charset c, const struct cell *cell);
/* One glyph of text alone: what stands for it in this charset ("µ" is "u" in ASCII, "×" is "x", "—" is "-"). */
uint32_t glyph_in(enum charset c, uint32_t glyph);
uint32_t glyph_lines(enum charset c, int lines); /* of direction bits */
uint32_t glyph_dots(enum charset c, int dots);   /* of a 2×4 mask */
uint32_t glyph_fill(enum charset c, int fill);   /* of a fill value of struct cell */
/* UTF-8 of one glyph; returns bytes (1…4). */
int glyph_utf8(uint32_t glyph, char out[5]);

#endif
