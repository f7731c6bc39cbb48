/* printer_svg: the SVG half of the printer, in two files: the sheet with its words and areas, and the strokes traced through dots. */
#ifndef RIDGE_PRINTER_SVG_H
#define RIDGE_PRINTER_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "tui/canvas.h"
#include "tui/theme.h"

/* False when memory ran out. */
bool svg_print(FILE *f, const struct canvas *c, enum theme theme, enum charset charset, const char *title);

/* ---- shared by the two files ---- */

enum { CELL_W = 20, CELL_H = 40, DOT = 10, MARGIN = 20, FONT = 33, BASE = 30 }; /* in units of the picture: half a pixel */

struct sheet {
  FILE *f;
  const struct canvas *c;
  enum theme theme;
  enum charset charset;
  uint8_t *traced; /* one for each dot: already part of a stroke */
};

/* What a cell shows: the first of these that it has. */
enum show { SHOW_NONE, SHOW_TEXT, SHOW_BLOCK, SHOW_DOTS, SHOW_LINES, SHOW_FILL };
enum show sheet_show(const struct sheet *s, int x, int y, uint32_t *glyph);
const struct cell *sheet_cell(const struct sheet *s, int x, int y);
/* A single marker with no text beside it: a curve goes on behind it, as words would not let it. */
bool sheet_marker(const struct sheet *s, int x, int y);

/* Strokes of one role, gathered in one path. */
struct path {
  const struct sheet *s;
  enum role role;
  bool open;
  int width;
  const char *dash; /* more attributes; "" none */
};
void path_move(struct path *p, int x, int y);
void path_to(struct path *p, int x, int y);
void path_line(struct path *p, int x0, int y0, int x1, int y1);
void path_close(struct path *p);

void dots_trace(const struct sheet *s, enum role role);

#endif
