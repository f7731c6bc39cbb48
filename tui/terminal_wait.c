/* Waiting: keys, signals, children and time in one place, with no wake-up when nothing happens. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "tui/terminal_inner.h"

double terminal_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool byte_read(struct terminal *t) {
  ssize_t n = read(STDIN_FILENO, t->byte, sizeof t->byte);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  t->nbyte = n > 0 ? (int)n : 0;
  t->ibyte = 0;
  return n > 0;
}

static bool event_fed(struct terminal *t, struct event *e) {
  for (;;) {
    if (input_take(&t->input, e)) return true;
    if (t->ibyte == t->nbyte) return false;
    input_feed(&t->input, t->byte[t->ibyte++]);
    t->fed = terminal_clock();
  }
}

/* What the signals that came mean; a burst of size changes is one event, when it has been quiet for 30 ms (100 ms at the most). */
static struct event signal_event(struct terminal *t) {
  unsigned char b[64];
  bool resize = false, cont = false, stop = false;
  double until = terminal_clock() + 0.1;
  for (;;) {
    ssize_t n = read(signal_pipe(), b, sizeof b);
    for (ssize_t i = 0; i < n; i++) {
      resize |= b[i] == SIGWINCH;
      cont |= b[i] == SIGCONT;
      stop |= b[i] == SIGTSTP;
    }
    if (signal_quit() || stop || !resize || terminal_clock() >= until) break;
    struct pollfd f = {.fd = signal_pipe(), .events = POLLIN};
    if (poll(&f, 1, 30) == 0) break;
  }
  if (signal_quit()) return (struct event){.kind = EVENT_QUIT, .key = (uint32_t)signal_quit()};
  if (stop) {
    terminal_suspend(t);
    return (struct event){.kind = EVENT_RESUME, .w = t->w, .h = t->h};
  }
  if (cont) return screen_retake(t);
  if (!resize) return (struct event){.kind = EVENT_NONE};
  size_take(t);
  return (struct event){.kind = EVENT_RESIZE, .w = t->w, .h = t->h};
}

struct event terminal_wait(struct terminal *t, const int *fd, int nfd, double timeout_s) {
  enum { FD_MAX = 8 };
  assert(nfd <= FD_MAX);
  double start = terminal_clock();
  for (;;) {
    struct event e;
    if (event_fed(t, &e)) return e;
    if (signal_quit()) return (struct event){.kind = EVENT_QUIT, .key = (uint32_t)signal_quit()};
    if (t->gone) return (struct event){.kind = EVENT_QUIT, .key = SIGHUP};
    double now = terminal_clock(), wait = (double)NAN;
    double sequence = input_wait(&t->input) - (now - t->fed); /* NAN: nothing under way */
    if (sequence <= 0) {
      input_flush(&t->input);
      continue;
    }
    if (!isnan(timeout_s)) wait = timeout_s - (now - start) > 0 ? timeout_s - (now - start) : 0;
    if (!isnan(sequence) && !(wait < sequence)) wait = sequence;
    struct pollfd f[2 + FD_MAX] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signal_pipe(), .events = POLLIN}};
    for (int i = 0; i < nfd; i++) f[2 + i] = (struct pollfd){.fd = fd[i], .events = POLLIN};
    int ms = isnan(wait) ? -1 : wait > 1e6 ? 1000000000 : (int)ceil(wait * 1e3);
    int n = poll(f, (nfds_t)(2 + nfd), ms);
    if (n < 0 && errno != EINTR) return (struct event){.kind = EVENT_QUIT, .key = SIGHUP};
    if (n < 0) continue; /* a signal: its byte is in the pipe */
    if (f[1].revents) {
      e = signal_event(t);
      if (e.kind != EVENT_NONE) return e;
      continue;
    }
    if (f[0].revents & POLLIN) {
      if (!byte_read(t)) return (struct event){.kind = EVENT_QUIT, .key = SIGHUP};
      continue;
    }
    if (f[0].revents) return (struct event){.kind = EVENT_QUIT, .key = SIGHUP};
    for (int i = 0; i < nfd; i++)
      if (f[2 + i].revents) return (struct event){.kind = EVENT_PIPE, .fd = fd[i]};
    if (!isnan(timeout_s) && terminal_clock() - start >= timeout_s) return (struct event){.kind = EVENT_TIMER};
  }
}
