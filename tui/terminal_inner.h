/* terminal_inner: what the files of the terminal share: the terminal itself, bytes out, what the locale can show. For tui/terminal*.c only.
 */
#ifndef RIDGE_TERMINAL_INNER_H
#define RIDGE_TERMINAL_INNER_H

#include <stdio.h>

#include "tui/terminal.h"
#include "tui/terminal_input.h"

struct look {
  unsigned attr;
  short pair;
};

/* ncurses draws into a file in memory, not on the terminal: each frame then leaves in one write, its bytes are counted exactly, and a
 * terminal that has gone away can never block or kill us inside the library. Keys are read here, not by ncurses: it knows neither a paste
 * nor how to swallow a reply whole. */
struct terminal {
  void *screen; /* SCREEN * */
  FILE *sink;   /* what ncurses writes to */
  char *out;
  size_t capacity;
  int w, h;
  struct input input;
  unsigned char byte[1024];
  int nbyte, ibyte; /* read, not yet fed */
  double fed;       /* when the last byte was fed: the ESC delay counts from here */
  enum theme theme;
  enum charset charset;
  int colors; /* 0, 8 or 256 */
  bool utf8, mouse, gone, repaint;
  struct cell *shadow;
  int shadow_w, shadow_h; /* what ncurses was last told */
  int npair;
  int pair_fg[64];
  struct look look[ROLE_N][4]; /* of each role, plain, reversed, bold, both */
  char note[160];
};

/* ---- terminal.c ---- */
int signal_pipe(void);                          /* a byte comes for each signal caught, its number */
int signal_quit(void);                          /* the signal that asks us to go; 0 none */
void size_take(struct terminal *t);             /* reads the size anew; all is painted again */
struct event screen_retake(struct terminal *t); /* ours again after a stop: settings, modes, size, and every cell */

/* ---- terminal_bytes.c ---- */
FILE *sink_open(void);
bool tty_write(struct terminal *t, const char *p, size_t n);
int sink_drain(struct terminal *t); /* all that ncurses wrote goes to the terminal; returns bytes */
void modes_on(struct terminal *t);
void modes_off(struct terminal *t);

/* ---- terminal_locale.c ---- */
bool locale_utf8(void);
/* The finest set of glyphs that the locale says are one column wide; why says what decided. acs: the terminal has line drawing. */
enum charset charset_choose(const char *term, bool acs, const char **why);

#endif
