/* printer: a canvas as text, as roles, as ANSI, as SVG, to a growing string. All give the same cells; only dress differs. */
#ifndef RIDGE_PRINTER_H
#define RIDGE_PRINTER_H

#include <stdbool.h>
#include <stdio.h>

#include "tui/canvas.h"
#include "tui/theme.h"

enum format { FORMAT_TEXT, FORMAT_ANSI, FORMAT_SVG, FORMAT_ROLES, FORMAT_N };
const char *format_name(enum format f);
enum format format_find(const char *name);

/* text: one line a row, trailing blanks cut. roles: one letter a cell (a legend of letters first), for tests.
 * ansi: 256 colours, reset at every line's end. svg: monospace grid, lines and dots as shapes (no font needed for them), background and
 * ink from the theme, a title element for screen readers. Returns false on a write error. */
bool printer_print(FILE *f, const struct canvas *c, enum format format, enum theme theme, enum charset charset, const char *title);

#endif
