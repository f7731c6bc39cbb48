/* printer: text, roles and ANSI. SVG is in printer_svg.c. */
#include "tui/printer.h"

#include <assert.h>
#include <string.h>

#include "tui/printer_svg.h"

const char *format_name(enum format f) {
  static const char *const name[FORMAT_N] = {"text", "ansi", "svg", "roles"};
  assert(f >= 0 && f < FORMAT_N);
  return name[f];
}

enum format format_find(const char *name) {
  for (int f = 0; f < FORMAT_N; f++)
    if (strcmp(name, format_name((enum format)f)) == 0) return (enum format)f;
  return FORMAT_N;
}

static const struct cell *cell_at(const struct canvas *c, int x, int y) { return &c->cell[(size_t)y * (size_t)c->w + (size_t)x]; }

static void glyph_print(FILE *f, uint32_t glyph) {
  char utf8[5];
  glyph_utf8(glyph, utf8);
  fputs(utf8, f);
}

static void text_print(FILE *f, const struct canvas *c, enum charset charset) {
  for (int y = 0; y < c->h; y++) {
    int end = c->w;
    while (end > 0 && theme_glyph(charset, cell_at(c, end - 1, y)) == ' ') end--;
    for (int x = 0; x < end; x++) glyph_print(f, theme_glyph(charset, cell_at(c, x, y)));
    fputc('\n', f);
  }
}

/* ---- roles ---- */

static const char role_letter[] = "tdTkbagRrcXOs?hMCLFKAGPf+!-*>";
static_assert(sizeof role_letter == ROLE_N + 1, "one letter a role");

static void roles_print(FILE *f, const struct canvas *c) {
  for (int r = 0; r < ROLE_N; r++) fprintf(f, "# %c %s\n", role_letter[r], role_name((enum role)r));
  fprintf(f, "# . blank\n");
  for (int y = 0; y < c->h; y++) {
    for (int x = 0; x < c->w; x++) {
      const struct cell *k = cell_at(c, x, y);
      bool blank = theme_glyph(CHARSET_BRAILLE, k) == ' ' && k->role != ROLE_FOCUS;
      fputc(blank ? '.' : role_letter[k->role], f);
    }
    fputc('\n', f);
  }
}

/* ---- ANSI ---- */

static bool ink_equal(struct ink a, struct ink b) {
  return a.fg256 == b.fg256 && a.bold == b.bold && a.dim == b.dim && a.reverse == b.reverse && a.underline == b.underline;
}

static void ink_print(FILE *f, struct ink i) {
  fputs("\033[0", f);
  if (i.bold) fputs(";1", f);
  if (i.dim) fputs(";2", f);
  if (i.underline) fputs(";4", f);
  if (i.reverse) fputs(";7", f);
  if (i.fg256 >= 0) fprintf(f, ";38;5;%d", i.fg256);
  fputc('m', f);
}

static void ansi_print(FILE *f, const struct canvas *c, enum theme theme, enum charset charset) {
  for (int y = 0; y < c->h; y++) {
    struct ink now = {.fg256 = -1};
    int end = c->w;
    while (end > 0 && theme_glyph(charset, cell_at(c, end - 1, y)) == ' ' &&
           !theme_ink(theme, (enum role)cell_at(c, end - 1, y)->role, cell_at(c, end - 1, y)->attr).reverse)
      end--;
    for (int x = 0; x < end; x++) {
      const struct cell *k = cell_at(c, x, y);
      uint32_t g = theme_glyph(charset, k);
      struct ink ink = theme_ink(theme, (enum role)k->role, k->attr);
      bool seen = g != ' ' || ink.reverse || ink.underline;
      if (seen || now.reverse || now.underline) {
        if (!seen) ink = (struct ink){.fg256 = -1};
        if (!ink_equal(ink, now)) ink_print(f, ink);
        now = ink;
      }
      glyph_print(f, g);
    }
    if (!ink_equal(now, (struct ink){.fg256 = -1})) fputs("\033[0m", f);
    fputc('\n', f);
  }
}

bool printer_print(FILE *f, const struct canvas *c, enum format format, enum theme theme, enum charset charset, const char *title) {
  switch (format) {
  case FORMAT_TEXT: text_print(f, c, charset); break;
  case FORMAT_ROLES: roles_print(f, c); break;
  case FORMAT_ANSI: ansi_print(f, c, theme, charset); break;
  case FORMAT_SVG:
    if (!svg_print(f, c, theme, charset, title)) return false;
    break;
  case FORMAT_N: assert(false);
  }
  return fflush(f) == 0 && !ferror(f);
}
