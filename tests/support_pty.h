/* support_pty: the real binary on a pseudo-terminal, with libvterm as the terminal: what a person would see, and what is left behind. */
#ifndef RIDGE_SUPPORT_PTY_H
#define RIDGE_SUPPORT_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

enum { PTY_GUARD_S = 60, PTY_LOG = 1 << 20 };

struct pty {
  int fd, frame_fd; /* the master; where the program tells its frame counter */
  pid_t pid;
  int w, h;
  struct VTerm *term;
  struct VTermScreen *screen;
  bool alternate, cursor, mouse; /* as the program left them */
  char *log;
  size_t nlog;  /* every byte it wrote, up to PTY_LOG */
  size_t bytes; /* all of them, counted */
  long frames;
  struct termios before;
  bool ended;
  int status; /* of waitpid */
};

/* The folder of this repository and the binary under test, from where this test program lies. */
const char *pty_root(void);
const char *pty_binary(void);

/* Starts the binary with the arguments in argv (without its name; NULL ends) in a terminal of w×h; env: NAME=value, or NAME to unset it;
 * NULL ends. */
struct pty *pty_open(int w, int h, const char *const *argv, const char *const *env);
/* The same, but the terminal is not the one its signals come from: when it goes away, only reading tells. */
struct pty *pty_open_mute(int w, int h, const char *const *argv, const char *const *env);
void pty_close(struct pty *p); /* ends what still runs */

void pty_send(struct pty *p, const char *bytes);
void pty_resize(struct pty *p, int w, int h);
/* The screen as UTF-8 lines, blanks at line ends cut; valid until the next call. */
const char *pty_text(struct pty *p);
bool pty_has(struct pty *p, const char *text);
/* Takes what the program writes until its screen has (or no longer has) text; false when the guard ran out or the program ended. */
bool pty_until(struct pty *p, const char *text);
bool pty_until_end(struct pty *p, const char *text); /* its last line ends in text */
bool pty_until_not(struct pty *p, const char *text);
/* Takes what comes for this long; returns the bytes. */
size_t pty_listen(struct pty *p, double seconds);
/* Until one more frame than `frames` is complete and all its bytes are in. */
bool pty_frame(struct pty *p, long frames);
/* Until the program has ended; the status is in p->status. */
bool pty_gone(struct pty *p);
/* True when the terminal's settings are those from before the program, and its modes are the plain ones. */
bool pty_restored(struct pty *p);
bool pty_logged(const struct pty *p, const char *bytes); /* it has written these bytes at some time */

#endif
