#include "tests/support_pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <vterm.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* build/MODE/tests/unit_x: the binary is build/MODE/ridge, the repository three folders up. */
static const char *path_up(int folders, const char *below) {
  static char out[2][4200];
  static int turn;
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n < 0 ? 0 : n] = 0;
  for (int i = 0; i < folders; i++) {
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
  }
  char *o = out[turn++ & 1];
  snprintf(o, sizeof out[0], "%s%s", self, below);
  return o;
}

const char *pty_root(void) { return path_up(4, ""); }
const char *pty_binary(void) { return path_up(2, "/ridge"); }

static int prop_set(VTermProp prop, VTermValue *v, void *user) {
  struct pty *p = user;
  if (prop == VTERM_PROP_ALTSCREEN) p->alternate = v->boolean;
  if (prop == VTERM_PROP_CURSORVISIBLE) p->cursor = v->boolean;
  if (prop == VTERM_PROP_MOUSE) p->mouse = v->number != VTERM_PROP_MOUSE_NONE;
  return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = prop_set};

static void child_run(const char *const *argv, const char *const *env, int frame_fd, const char *binary) {
  char *list[32] = {(char[]){"ridge"}};
  unsetenv("LINES");
  unsetenv("COLUMNS");
  unsetenv("NO_COLOR");
  unsetenv("LC_ALL");
  unsetenv("LC_CTYPE");
  setenv("LANG", "C.UTF-8", 1);
  setenv("TERM", "xterm-256color", 1);
  dup2(frame_fd, 9);
  setenv("RIDGE_FRAME_FD", "9", 1);
  setenv("RIDGE_REFINE", "0", 1); /* nothing by itself */
  for (; env && *env; env++) {
    char pair[512];
    snprintf(pair, sizeof pair, "%s", *env);
    char *equals = strchr(pair, '=');
    if (equals)
      *equals = 0, setenv(pair, equals + 1, 1);
    else
      unsetenv(pair);
  }
  for (int i = 0; argv && argv[i] && i < 30; i++) list[i + 1] = strdup(argv[i]);
  execv(binary, list);
  _exit(127);
}

static struct pty *start(int w, int h, const char *const *argv, const char *const *env, bool mute) {
  struct pty *p = calloc(1, sizeof *p);
  struct winsize size = {.ws_row = (unsigned short)h, .ws_col = (unsigned short)w};
  int slave, frame[2];
  const char *binary = pty_binary();
  if (!p || pipe(frame) < 0 || openpty(&p->fd, &slave, NULL, NULL, &size) < 0) abort();
  tcgetattr(slave, &p->before);
  p->log = malloc(PTY_LOG);
  p->pid = fork();
  if (p->pid == 0) {
    close(p->fd);
    close(frame[0]);
    if (!mute)
      login_tty(slave);
    else {
      setsid();
      for (int fd = 0; fd < 3; fd++) dup2(slave, fd);
      close(slave);
    }
    child_run(argv, env, frame[1], binary);
  }
  close(slave);
  close(frame[1]);
  p->frame_fd = frame[0];
  fcntl(p->fd, F_SETFL, O_NONBLOCK);
  fcntl(p->frame_fd, F_SETFL, O_NONBLOCK);
  fcntl(p->fd, F_SETFD, FD_CLOEXEC);
  fcntl(p->frame_fd, F_SETFD, FD_CLOEXEC);
  p->w = w, p->h = h;
  p->cursor = true;
  p->term = vterm_new(h, w);
  vterm_set_utf8(p->term, 1);
  p->screen = vterm_obtain_screen(p->term);
  vterm_screen_enable_altscreen(p->screen, 1);
  vterm_screen_set_callbacks(p->screen, &callbacks, p);
  vterm_screen_reset(p->screen, 1);
  return p;
}

struct pty *pty_open(int w, int h, const char *const *argv, const char *const *env) {
  return start(w, h, argv, env, false);
}
struct pty *pty_open_mute(int w, int h, const char *const *argv, const char *const *env) {
  return start(w, h, argv, env, true);
}

void pty_close(struct pty *p) {
  if (!p->ended) {
    kill(p->pid, SIGKILL);
    kill(p->pid, SIGCONT);
    waitpid(p->pid, &p->status, 0);
  }
  if (p->fd >= 0) close(p->fd);
  close(p->frame_fd);
  vterm_free(p->term);
  free(p->log);
  free(p);
}

void pty_send(struct pty *p, const char *bytes) {
  size_t n = strlen(bytes);
  while (n) {
    ssize_t k = write(p->fd, bytes, n);
    if (k > 0)
      bytes += k, n -= (size_t)k;
    else if (errno != EAGAIN && errno != EINTR)
      return;
  }
}

void pty_resize(struct pty *p, int w, int h) {
  struct winsize size = {.ws_row = (unsigned short)h, .ws_col = (unsigned short)w};
  p->w = w, p->h = h;
  vterm_set_size(p->term, h, w);
  ioctl(p->fd, TIOCSWINSZ, &size); /* tells the program with SIGWINCH */
}

/* Takes what is there, waiting at most ms for it. Returns bytes. */
static size_t take(struct pty *p, int ms) {
  char buffer[8192];
  size_t sum = 0;
  struct pollfd f[2] = {{.fd = p->fd, .events = POLLIN}, {.fd = p->frame_fd, .events = POLLIN}};
  poll(f, 2, ms);
  if (f[1].revents & POLLIN) {
    ssize_t n = read(p->frame_fd, buffer, sizeof buffer);
    for (ssize_t i = 0; i < n; i++) p->frames += buffer[i] == '\n';
  } else if (f[1].revents && !f[0].revents) {
    struct timespec nap = {0, 5000000}; /* the far end is closed: do not spin */
    nanosleep(&nap, NULL);
  }
  for (ssize_t n; p->fd >= 0 && (n = read(p->fd, buffer, sizeof buffer)) > 0; sum += (size_t)n) {
    vterm_input_write(p->term, buffer, (size_t)n);
    for (ssize_t i = 0; i < n && p->nlog < PTY_LOG; i++) p->log[p->nlog++] = buffer[i];
  }
  p->bytes += sum;
  if (!p->ended && waitpid(p->pid, &p->status, WNOHANG) == p->pid) p->ended = true;
  return sum;
}

const char *pty_text(struct pty *p) {
  static char out[1 << 18];
  size_t n = 0;
  for (int y = 0; y < p->h; y++) {
    size_t end = n;
    for (int x = 0; x < p->w; x++) {
      VTermScreenCell cell;
      vterm_screen_get_cell(p->screen, (VTermPos){y, x}, &cell);
      uint32_t c = cell.chars[0] && cell.chars[0] != (uint32_t)-1 ? cell.chars[0] : ' ';
      if (n + 8 > sizeof out) break;
      if (c < 0x80)
        out[n++] = (char)c;
      else if (c < 0x800)
        out[n++] = (char)(0xc0 | c >> 6), out[n++] = (char)(0x80 | (c & 0x3f));
      else if (c < 0x10000)
        out[n++] = (char)(0xe0 | c >> 12), out[n++] = (char)(0x80 | (c >> 6 & 0x3f)), out[n++] = (char)(0x80 | (c & 0x3f));
      else
        out[n++] = '?';
      if (c != ' ') end = n;
    }
    n = end;
    out[n++] = '\n';
  }
  out[n] = 0;
  return out;
}

bool pty_has(struct pty *p, const char *text) { return strstr(pty_text(p), text) != NULL; }

static bool until(struct pty *p, const char *text, bool there) {
  double end = now() + PTY_GUARD_S;
  while (now() < end) {
    if (pty_has(p, text) == there) return true;
    bool ended = p->ended;
    if (!take(p, 50) && ended) break;
  }
  bool good = pty_has(p, text) == there;
  if (!good) fprintf(stderr, "the screen %s \"%s\":\n%s\n", there ? "never had" : "kept", text, pty_text(p));
  return good;
}

bool pty_until(struct pty *p, const char *text) { return until(p, text, true); }
bool pty_until_not(struct pty *p, const char *text) { return until(p, text, false); }

static bool ends(struct pty *p, const char *text) {
  const char *all = pty_text(p);
  size_t n = strlen(all), k = strlen(text);
  return n > k && memcmp(all + n - 1 - k, text, k) == 0;
}

bool pty_until_end(struct pty *p, const char *text) {
  for (double end = now() + PTY_GUARD_S; !ends(p, text) && now() < end && !p->ended;) take(p, 50);
  bool good = ends(p, text);
  if (!good) fprintf(stderr, "the screen does not end in \"%s\":\n%s\n", text, pty_text(p));
  return good;
}

size_t pty_listen(struct pty *p, double seconds) {
  size_t sum = 0;
  for (double end = now() + seconds, left; (left = end - now()) > 0;) sum += take(p, left < 0.05 ? (int)(left * 1e3) + 1 : 50);
  return sum;
}

bool pty_frame(struct pty *p, long frames) {
  for (double end = now() + PTY_GUARD_S; p->frames <= frames && now() < end && !p->ended;) take(p, 50);
  take(p, 0); /* the counter is told after the bytes: they are all in the pipe by now */
  return p->frames > frames;
}

bool pty_gone(struct pty *p) {
  for (double end = now() + PTY_GUARD_S; !p->ended && now() < end;) take(p, 20);
  if (p->ended && p->fd >= 0) take(p, 0);
  return p->ended;
}

bool pty_logged(const struct pty *p, const char *bytes) { return memmem(p->log, p->nlog, bytes, strlen(bytes)) != NULL; }

/* The last of two sequences to appear in the log decides a mode that libvterm does not tell. */
static bool mode_off(const struct pty *p, const char *on, const char *off) {
  const char *a = NULL, *b = NULL, *q = p->log;
  while ((q = memmem(q, p->nlog - (size_t)(q - p->log), on, strlen(on)))) a = q++;
  q = p->log;
  while ((q = memmem(q, p->nlog - (size_t)(q - p->log), off, strlen(off)))) b = q++;
  return !a || (b && b > a);
}

bool pty_restored(struct pty *p) {
  struct termios after;
  if (tcgetattr(p->fd, &after) < 0) return fprintf(stderr, "no settings\n"), false;
  bool same = after.c_iflag == p->before.c_iflag && after.c_oflag == p->before.c_oflag && after.c_cflag == p->before.c_cflag &&
              after.c_lflag == p->before.c_lflag && memcmp(after.c_cc, p->before.c_cc, sizeof after.c_cc) == 0;
  bool paste = mode_off(p, "\033[?2004h", "\033[?2004l");
  if (!same || p->alternate || !p->cursor || p->mouse || !paste)
    fprintf(stderr, "left behind:%s%s%s%s%s\n", same ? "" : " settings", p->alternate ? " alternate screen" : "",
            p->cursor ? "" : " no cursor", p->mouse ? " mouse" : "", paste ? "" : " paste mode");
  return same && !p->alternate && p->cursor && !p->mouse && paste;
}
