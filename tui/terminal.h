/* terminal: the only module that knows ncurses, termios and signals. One terminal at a time: its signal state is the program's only
 * global. Gives back the terminal on every way out: quit, error, INT TERM HUP QUIT SEGV ABRT FPE BUS PIPE, suspend. */
#ifndef RIDGE_TERMINAL_H
#define RIDGE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/canvas.h"
#include "tui/theme.h"

enum event_kind { EVENT_NONE, EVENT_KEY, EVENT_RESIZE, EVENT_PASTE, EVENT_MOUSE, EVENT_PIPE, EVENT_TIMER, EVENT_QUIT, EVENT_RESUME };
enum key { /* beyond Unicode: everything else is the character itself */
           KEY_BASE = 0x110000,
           KEY_LEFT_,
           KEY_RIGHT_,
           KEY_UP_,
           KEY_DOWN_,
           KEY_HOME_,
           KEY_END_,
           KEY_PAGE_UP,
           KEY_PAGE_DOWN,
           KEY_TAB_BACK,
           KEY_BACKSPACE_,
           KEY_DELETE_,
           KEY_F0 /* + n */,
           KEY_LAST_ = KEY_F0 + 13
};
struct event {
  enum event_kind kind;
  uint32_t key;     /* EVENT_KEY: a Unicode scalar or enum key; control characters as they are (^L is 12; Enter is always 13).
                       EVENT_QUIT: the signal that asks us to go; SIGHUP also when the terminal has gone away */
  int x, y, button; /* EVENT_MOUSE: button 1…3, 4/5 the wheel */
  int w, h;         /* EVENT_RESIZE, EVENT_RESUME: the size is new or the screen is ours again, draw all */
  int fd;           /* EVENT_PIPE: which of the watched descriptors is readable or hung up */
};

struct terminal;
struct terminal_options {
  enum theme theme;
  enum charset charset; /* CHARSET_N: choose */
  int color;            /* -1 auto, 0 never, 1 always */
  bool mouse;
};

/* Opens the terminal on stdin/stdout. NULL when there is none or it cannot place the cursor: *why says so in words. */
struct terminal *terminal_open(const struct terminal_options *o, const char **why);
void terminal_close(struct terminal *t);
void terminal_size(const struct terminal *t, int *w, int *h);

/* Shows the canvas: only changed cells are sent; returns bytes written. */
int terminal_show(struct terminal *t, const struct canvas *c);
void terminal_repaint(struct terminal *t);                                       /* ^L: the next show sends everything */
void terminal_dress(struct terminal *t, enum theme theme, enum charset charset); /* change looks */
const char *terminal_note(const struct terminal *t); /* one line worth showing at the start (a type fallen back to); NULL none */
enum charset terminal_charset(const struct terminal *t);
enum theme terminal_theme(const struct terminal *t);
void terminal_mouse(struct terminal *t, bool on);
bool terminal_mouse_on(const struct terminal *t);
void terminal_suspend(struct terminal *t); /* ^Z: give back, stop, take again */

/* Waits for the next event: a key, a resize (bursts coalesced), a readable watched descriptor, or the timeout in s (NAN: for ever,
 * with no wake-ups). Unknown CSI/OSC input is swallowed whole; a paste arrives as EVENT_PASTE and its text through terminal_paste. */
struct event terminal_wait(struct terminal *t, const int *fd, int nfd, double timeout_s);
const char *terminal_paste(const struct terminal *t);

/* Sequences that undo what a killed program left behind (`ridge reset-terminal`). */
const char *terminal_reset_string(void);
/* A description for `ridge doctor`: TERM, colours, codeset, charset and why. */
void terminal_describe(char *out, int size);
double terminal_clock(void); /* monotonic s: the app's only clock */

#endif
