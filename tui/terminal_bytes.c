/* Bytes on their way to the terminal. */
#include "tui/terminal_inner.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool tty_write(struct terminal *t, const char *p, size_t n) {
  while (n && !t->gone) {
    ssize_t k = write(STDOUT_FILENO, p, n);
    if (k > 0)
      p += k, n -= (size_t)k;
    else if (k < 0 && errno == EINTR) {
      if (signal_quit()) return false; /* asked to go while a stalled line holds us */
    } else if (k < 0 && errno == EAGAIN) {
      struct pollfd f = {.fd = STDOUT_FILENO, .events = POLLOUT};
      if (poll(&f, 1, 1000) <= 0 && signal_quit()) return false;
    } else
      t->gone = true;
  }
  return !t->gone;
}

/* xterm's description switches its second alphabet off with every change of ink, and ncurses takes a colour back just before it takes
 * everything back. In UTF-8 that alphabet is never on: without these a frame costs a third less. The first switch is kept, in case
 * somebody else had left the alphabet on. Returns the bytes left. */
static size_t ink_lighten(char *p, size_t n) {
  static const char alphabet[] = "\033(B", color[] = "\033[39m\033[m";
  size_t to = 0;
  bool first = true;
  for (size_t i = 0; i < n;) {
    if (n - i >= 3 && !memcmp(p + i, alphabet, 3) && !first)
      i += 3;
    else if (n - i >= 8 && !memcmp(p + i, color, 8))
      i += 5;
    else if (n - i >= 11 && !memcmp(p + i, "\033[39m\033(B\033[m", 11))
      i += 5;
    else {
      first &= !(n - i >= 3 && !memcmp(p + i, alphabet, 3));
      p[to++] = p[i++];
    }
  }
  return to;
}

/* Everything ncurses has written since the last call goes to the terminal. Returns bytes. */
int sink_drain(struct terminal *t) {
  int fd = fileno(t->sink);
  off_t n = lseek(fd, 0, SEEK_CUR);
  if (n <= 0) return 0;
  if ((size_t)n > t->capacity) {
    char *bigger = realloc(t->out, (size_t)n);
    if (!bigger) return 0;
    t->out = bigger, t->capacity = (size_t)n;
  }
  ssize_t got = pread(fd, t->out, (size_t)n, 0);
  lseek(fd, 0, SEEK_SET);
  if (ftruncate(fd, 0) < 0 || got <= 0) return 0;
  size_t left = t->utf8 ? ink_lighten(t->out, (size_t)got) : (size_t)got;
  tty_write(t, t->out, left);
  return (int)left;
}

FILE *sink_open(void) {
  int fd = -1;
#ifdef MFD_CLOEXEC
  fd = memfd_create("ridge", MFD_CLOEXEC);
#endif
  if (fd < 0) return tmpfile();
  FILE *f = fdopen(fd, "w+");
  if (!f) close(fd);
  return f;
}

void modes_on(struct terminal *t) {
  tty_write(t, "\033[?2004h", 8); /* a paste is announced, so it cannot run commands */
  if (t->mouse) tty_write(t, "\033[?1000h\033[?1006h", 16);
}

void modes_off(struct terminal *t) {
  if (t->mouse) tty_write(t, "\033[?1006l\033[?1000l", 16);
  tty_write(t, "\033[?2004l", 8);
}

void terminal_mouse(struct terminal *t, bool on) {
  if (on == t->mouse) return;
  t->mouse = on;
  tty_write(t, on ? "\033[?1000h\033[?1006h" : "\033[?1006l\033[?1000l", 16);
}

bool terminal_mouse_on(const struct terminal *t) { return t->mouse; }

const char *terminal_reset_string(void) {
  return "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l" /* mouse, paste */
         "\033[?1049l\033[?25h\033[?1l\033>"                       /* main screen, cursor, plain keys */
         "\033[0m\033(B\017\r";                                    /* plain ink, plain alphabet */
}
