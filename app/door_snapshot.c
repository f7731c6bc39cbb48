/* door_snapshot: the screen of a scene as a file: what the terminal program would show, without a terminal. */
#include <stdio.h>
#include <string.h>

#include "app/args.h"
#include "app/emit.h"
#include "app/visit.h"
#include "tui/printer.h"

static const char *format_word(int i, const void *arg) {
  (void)arg;
  return format_name((enum format)i);
}

static bool format_read(const char *text, enum format *out, struct err *e) {
  *out = text ? format_find(text) : FORMAT_TEXT;
  if (*out != FORMAT_N) return true;
  char near[64];
  nearest_names(text, format_word, FORMAT_N, NULL, near, sizeof near);
  return err_say(e, "--format: expected text, ansi, svg or roles, found %s%s%s%s", text, *near ? ": did you mean " : "", near,
                 *near ? "?" : "");
}

int door_snapshot(int argc, char **argv) {
  struct args a;
  struct visit v;
  struct err e;
  struct looks looks;
  enum format format;
  int w = 80, h = 24;
  unsigned takes =
      TAKES(OPTION_SIZE) | TAKES(OPTION_FORMAT) | TAKES(OPTION_THEME) | TAKES(OPTION_CHARSET) | TAKES(OPTION_COLOR) | TAKES(OPTION_LINES);
  bool fine = args_read(&a, argc, argv, takes, &e) && args_looks(&a, &looks, &e) && format_read(a.value[OPTION_FORMAT], &format, &e) &&
              (!a.value[OPTION_SIZE] || args_size(a.value[OPTION_SIZE], &w, &h, &e));
  if (!fine) return door_refuse(&e, 2);
  int code = visit_open(&v, a.word, a.nword, "snapshot");
  if (!code) code = visit_lines(&v, a.value[OPTION_LINES]);
  if (code) return code;
  visit_compute(&v);
  visit_notes(&v);
  /* The same bytes under any locale: a file is not a terminal, so braille unless it is told otherwise. */
  enum charset charset = looks.charset == CHARSET_N ? CHARSET_BRAILLE : looks.charset;
  struct canvas canvas;
  if (!canvas_init(&canvas, w, h)) {
    visit_close(&v);
    return door_refuse_text("out of memory", 1);
  }
  struct frame f = visit_frame(&v, charset == CHARSET_ASCII);
  frame_draw(&canvas, &f, &v.data);
  char title[256];
  snprintf(title, sizeof title, "ridge %s %s: %s", v.scene->address, v.scene->name, v.scene->question);
  /* Who wants no colour gets none in text for a terminal either; bold and reverse stay. An SVG is a picture, and a named theme is a wish. */
  if (format == FORMAT_ANSI && looks.color == 0 && !a.value[OPTION_THEME]) looks.theme = THEME_MONO;
  printer_print(stdout, &canvas, format, looks.theme, charset, title);
  canvas_free(&canvas);
  visit_close(&v);
  return emit_close();
}
