/* printer_svg: the SVG half of the printer. */
#ifndef RIDGE_PRINTER_SVG_H
#define RIDGE_PRINTER_SVG_H

#include <stdio.h>

#include "tui/canvas.h"
#include "tui/theme.h"

void svg_print(FILE *f, const struct canvas *c, enum theme theme, enum charset charset, const char *title);

#endif
