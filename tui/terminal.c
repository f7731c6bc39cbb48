#include "tui/terminal_inner.h" /* before ncurses, whose macros would eat our key names */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#undef lines /* term.h claims plain words */
#undef columns

static const int caught[] = {SIGWINCH, SIGCONT, SIGHUP, SIGTERM, SIGINT, SIGTSTP};
static const int fatal[] = {SIGQUIT, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGPIPE, SIGSYS,
                            SIGXCPU, SIGXFSZ, SIGALRM, SIGUSR1, SIGUSR2};
enum { CAUGHT_N = sizeof caught / sizeof *caught, FATAL_N = sizeof fatal / sizeof *fatal, STACK_N = 32 * 1024 };

/* The only global: what a signal handler needs. */
static struct {
  struct terminal *open;
  struct termios saved; /* as we found it */
  struct sigaction before[CAUGHT_N + FATAL_N];
  int pipe[2];
  int err_fd, err_sink; /* where stderr really goes; where it is kept while the screen is ours */
  char restore[512];
  int nrestore;
  char stack[STACK_N]; /* a stack overflow must be able to restore the terminal too */
  volatile sig_atomic_t quit;
  bool registered;
} state = {.pipe = {-1, -1}, .err_fd = -1, .err_sink = -1};

/* ---- signals ---- */

int signal_pipe(void) { return state.pipe[0]; }
int signal_quit(void) { return state.quit; }

static void signal_note(int sig) {
  int saved = errno;
  unsigned char b = (unsigned char)sig;
  if (sig == SIGHUP || sig == SIGTERM || sig == SIGINT) state.quit = sig;
  if (write(state.pipe[1], &b, 1) < 0) { /* full: plenty of wake-ups are waiting already */
  }
  errno = saved;
}

/* Async-signal-safe: gives the terminal back, then says what a library or an assertion said meanwhile. */
static void terminal_abandon(void) {
  const char *p = state.restore;
  int left = state.nrestore;
  while (left > 0) {
    ssize_t n = write(STDOUT_FILENO, p, (size_t)left);
    if (n <= 0) break;
    p += n, left -= (int)n;
  }
  tcsetattr(STDIN_FILENO, TCSANOW, &state.saved);
  if (state.err_fd >= 0) {
    char buffer[512];
    ssize_t n;
    lseek(state.err_sink, 0, SEEK_SET);
    while ((n = read(state.err_sink, buffer, sizeof buffer)) > 0)
      if (write(state.err_fd, buffer, (size_t)n) < 0) break;
    dup2(state.err_fd, STDERR_FILENO);
  }
}

static void signal_fatal(int sig) {
  terminal_abandon();
  signal(sig, SIG_DFL);
  raise(sig);
}

static void signals_take(void) {
  stack_t stack = {.ss_sp = state.stack, .ss_size = STACK_N};
  sigaltstack(&stack, NULL);
  for (int i = 0; i < CAUGHT_N; i++) {
    struct sigaction a = {.sa_handler = signal_note};
    sigemptyset(&a.sa_mask);
    sigaction(caught[i], &a, &state.before[i]);
  }
  for (int i = 0; i < FATAL_N; i++) {
    struct sigaction a = {.sa_handler = signal_fatal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    sigaction(fatal[i], &a, &state.before[CAUGHT_N + i]);
  }
}

static void signals_give(void) {
  for (int i = 0; i < CAUGHT_N; i++) sigaction(caught[i], &state.before[i], NULL);
  for (int i = 0; i < FATAL_N; i++) sigaction(fatal[i], &state.before[CAUGHT_N + i], NULL);
}

/* ---- looks ---- */

/* The ncurses pair with this colour on the terminal's own background; 0: the terminal's own ink. */
static short pair_for(struct terminal *t, int fg) {
  if (fg < 0 || !t->colors) return 0;
  for (int i = 0; i < t->npair; i++)
    if (t->pair_fg[i] == fg) return (short)(i + 1);
  if (t->npair == (int)(sizeof t->pair_fg / sizeof *t->pair_fg)) return 0;
  if (init_pair((short)(t->npair + 1), (short)fg, -1) == ERR) return 0;
  t->pair_fg[t->npair++] = fg;
  return (short)t->npair;
}

static void dress(struct terminal *t) {
  for (int role = 0; role < ROLE_N; role++)
    for (int a = 0; a < 4; a++) {
      struct ink ink = theme_ink(t->colors ? t->theme : THEME_MONO, role, a);
      attr_t attr = 0;
      if (ink.bold) attr |= A_BOLD;
      if (ink.dim) attr |= A_DIM;
      if (ink.reverse) attr |= A_REVERSE;
      if (ink.underline) attr |= A_UNDERLINE;
      t->look[role][a] = (struct look){attr, pair_for(t, t->colors >= 256 ? ink.fg256 : ink.fg8)};
    }
}

void terminal_dress(struct terminal *t, enum theme theme, enum charset charset) {
  t->theme = theme;
  t->charset = charset;
  dress(t);
  free(t->shadow); /* every cell may look different now; ncurses still sends only those that do */
  t->shadow = NULL;
}

/* Outside UTF-8, lines and what else glyph_in leaves come from the terminal's own second alphabet. 0: none for this glyph. */
static chtype acs_glyph(uint32_t g) {
  switch (g) {
  case 0x2500:
  case 0x2504:
  case 0x2508:
  case 0x254c: return ACS_HLINE;
  case 0x2502:
  case 0x2506:
  case 0x250a:
  case 0x254e: return ACS_VLINE;
  case 0x250c: return ACS_ULCORNER;
  case 0x2510: return ACS_URCORNER;
  case 0x2514: return ACS_LLCORNER;
  case 0x2518: return ACS_LRCORNER;
  case 0x251c: return ACS_LTEE;
  case 0x2524: return ACS_RTEE;
  case 0x252c: return ACS_TTEE;
  case 0x2534: return ACS_BTEE;
  case 0x253c: return ACS_PLUS;
  case 0xb0: return ACS_DEGREE;
  case 0xb1: return ACS_PLMINUS;
  case 0xb7: return ACS_BULLET;
  case 0x2260: return ACS_NEQUAL;
  case 0x2264: return ACS_LEQUAL;
  case 0x2265: return ACS_GEQUAL;
  case 0x2592: return ACS_CKBOARD;
  case 0x25c6: return ACS_DIAMOND;
  default: return 0;
  }
}

/* How the cell at x looks. A short gap between two words that look alike looks like them: switching the ink off and on again costs more
 * than the blanks themselves, and nobody sees a blank's colour. */
static struct look look_of(const struct terminal *t, const struct cell *row, int w, int x) {
  enum { GAP = 3 };
  int role = row[x].role < ROLE_N ? row[x].role : ROLE_TEXT, a = row[x].attr & 3;
  struct look look = t->look[role][a];
  if (theme_glyph(t->charset, &row[x]) != ' ' || look.attr & (A_REVERSE | A_UNDERLINE)) return look;
  int l = x, r = x;
  while (l >= 0 && x - l <= GAP && theme_glyph(t->charset, &row[l]) == ' ') l--;
  while (r < w && r - x <= GAP && theme_glyph(t->charset, &row[r]) == ' ') r++;
  if (l < 0 || r >= w || r - l > GAP + 1) return (struct look){0, 0};
  struct look left = look_of(t, row, w, l), right = look_of(t, row, w, r);
  bool same = left.attr == right.attr && left.pair == right.pair && !(left.attr & (A_REVERSE | A_UNDERLINE));
  return same ? left : (struct look){0, 0};
}

static void row_put(struct terminal *t, int y, const struct cell *row, int w) {
  for (int x = 0; x < w; x++) {
    struct look look = look_of(t, row, w, x);
    uint32_t g = theme_glyph(t->charset, &row[x]);
    if (!t->utf8 && g >= 0x80) {
      chtype c = acs_glyph(g);
      if (c) {
        mvaddch(y, x, c | (chtype)look.attr | (chtype)COLOR_PAIR(look.pair));
        continue;
      }
      if (wctob((wint_t)g) == EOF) g = '?';
    }
    wchar_t s[2] = {(wchar_t)g, 0};
    cchar_t c;
    setcchar(&c, s, look.attr, look.pair, NULL);
    mvadd_wchnstr(y, x, &c, 1);
  }
}

int terminal_show(struct terminal *t, const struct canvas *c) {
  assert(t == state.open);
  size_t cells = (size_t)c->w * (size_t)c->h, row = (size_t)c->w;
  bool all = !t->shadow || t->shadow_w != c->w || t->shadow_h != c->h;
  if (all) {
    free(t->shadow);
    t->shadow = calloc(cells, sizeof *t->shadow);
    t->shadow_w = c->w, t->shadow_h = c->h;
    werase(stdscr);
  }
  int w = c->w < t->w ? c->w : t->w, h = c->h < t->h ? c->h : t->h;
  for (int y = 0; y < h; y++) {
    const struct cell *now = c->cell + (size_t)y * row;
    if (!all && t->shadow && !memcmp(now, t->shadow + (size_t)y * row, row * sizeof *now)) continue;
    row_put(t, y, now, w);
  }
  if (t->shadow) memcpy(t->shadow, c->cell, cells * sizeof *c->cell);
  if (t->repaint) clearok(curscr, TRUE);
  t->repaint = false;
  wnoutrefresh(stdscr);
  doupdate();
  return sink_drain(t);
}

void terminal_repaint(struct terminal *t) { t->repaint = true; }

/* ---- open and close ---- */

static void termios_raw(void) {
  struct termios raw = state.saved;
  raw.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  raw.c_oflag &= ~(tcflag_t)OPOST;
  raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  raw.c_cflag = (raw.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw); /* not TCSAFLUSH: keys typed ahead are kept */
}

/* The size the terminal has now, whatever LINES and COLUMNS say. */
static void size_read(struct terminal *t) {
  struct winsize s = {0};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &s) < 0 || !s.ws_col || !s.ws_row) s.ws_col = 80, s.ws_row = 24;
  t->w = s.ws_col > 1000 ? 1000 : s.ws_col; /* beyond any screen; bounds the memory of a lying terminal */
  t->h = s.ws_row > 400 ? 400 : s.ws_row;
}

void size_take(struct terminal *t) {
  size_read(t);
  if (t->w != COLS || t->h != LINES) resize_term(t->h, t->w);
  t->repaint = true;
}

static void restore_add(const char *s) {
  if (!s || s == (const char *)-1) return;
  size_t n = strlen(s);
  if (state.nrestore + n > sizeof state.restore) return;
  memcpy(state.restore + state.nrestore, s, n);
  state.nrestore += (int)n;
}

/* Padding such as $<5> belongs to terminals of lead and iron; a restore string cannot wait for it. */
static void restore_capability(const char *name) {
  const char *s = tigetstr(name);
  if (!s || s == (const char *)-1) return;
  char plain[64];
  size_t n = 0;
  for (; *s && n + 1 < sizeof plain; s++) {
    const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;
    if (end)
      s = end;
    else
      plain[n++] = *s;
  }
  plain[n] = 0;
  restore_add(plain);
}

static void restore_prepare(void) {
  state.nrestore = 0;
  restore_add("\033[?1006l\033[?1000l\033[?2004l");
  restore_capability("sgr0");
  restore_capability("op");
  restore_capability("rmcup");
  restore_capability("cnorm");
  restore_capability("rmkx");
  restore_add("\r");
}

static void stderr_keep(void) {
  if (!isatty(STDERR_FILENO)) return;
#ifdef MFD_CLOEXEC
  state.err_sink = memfd_create("ridge-stderr", MFD_CLOEXEC);
#endif
  if (state.err_sink < 0) return;
  fflush(stderr);
  state.err_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
  if (state.err_fd >= 0) dup2(state.err_sink, STDERR_FILENO);
}

static void stderr_give(void) {
  if (state.err_fd >= 0) {
    fflush(stderr);
    char buffer[512];
    ssize_t n;
    lseek(state.err_sink, 0, SEEK_SET);
    while ((n = read(state.err_sink, buffer, sizeof buffer)) > 0)
      if (write(state.err_fd, buffer, (size_t)n) < 0) break;
    dup2(state.err_fd, STDERR_FILENO);
    close(state.err_fd);
  }
  if (state.err_sink >= 0) close(state.err_sink);
  state.err_fd = state.err_sink = -1;
}

static void close_at_exit(void) {
  if (state.open) terminal_close(state.open);
}

static int colors_choose(const struct terminal_options *o) {
  const char *no = getenv("NO_COLOR");
  if (o->color == 0 || (o->color < 0 && no && *no)) return 0;
  int n = tigetnum("colors");
  if (n < 8 || start_color() == ERR || use_default_colors() == ERR) return 0;
  return n >= 256 ? 256 : 8;
}

/* ncurses for the named type; NULL when it is unknown here. Asked of terminfo first: a newterm() that fails leaks. */
static SCREEN *screen_open(const char *term, FILE *sink) {
  int found;
  if (setupterm(term, STDOUT_FILENO, &found) != OK) return NULL;
  del_curterm(cur_term);
  use_env(FALSE); /* the size is the kernel's word, not that of stale LINES and COLUMNS */
  return newterm(term, sink, stdin);
}

static struct terminal *open_failed(struct terminal *t) {
  if (t->sink) fclose(t->sink);
  free(t->out);
  free(t);
  return NULL;
}

struct terminal *terminal_open(const struct terminal_options *o, const char **why) {
  assert(!state.open);
  const char *term = getenv("TERM");
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return *why = "this is not a terminal", NULL;
  if (!term || !*term) return *why = "TERM is not set: the kind of terminal is unknown", NULL;
  if (!strcmp(term, "dumb")) return *why = "TERM is dumb: this terminal cannot place the cursor", NULL;
  if (tcgetattr(STDIN_FILENO, &state.saved) < 0) return *why = "the terminal's settings cannot be read", NULL;
  struct terminal *t = calloc(1, sizeof *t);
  if (!t) return *why = "out of memory", NULL;
  setlocale(LC_CTYPE, "");
  t->sink = sink_open();
  if (!t->sink) return *why = "no room for a temporary file", open_failed(t);

  const char *candidate[] = {term, "xterm-256color", "xterm", "vt100"};
  for (int i = 0; i < 4 && !t->screen; i++) {
    t->screen = screen_open(candidate[i], t->sink);
    if (t->screen && i) snprintf(t->note, sizeof t->note, "terminal type %.40s is unknown here: going on as %s", term, candidate[i]);
    if (t->screen) term = candidate[i];
  }
  if (!t->screen) return *why = "no description of this terminal was found (install ncurses-term or set TERM=xterm)", open_failed(t);
  const char *cup = tigetstr("cup");
  if (!cup || cup == (const char *)-1) {
    endwin();
    delscreen(t->screen);
    return *why = "this type of terminal cannot place the cursor", open_failed(t);
  }
  if (pipe2(state.pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
    endwin();
    delscreen(t->screen);
    return *why = "no pipe for signals", open_failed(t);
  }
  typeahead(-1);
  leaveok(stdscr, TRUE);
  curs_set(0);
  t->utf8 = locale_utf8();
  t->colors = colors_choose(o);
  const char *acs = tigetstr("acsc"), *reason;
  t->theme = o->theme;
  t->charset = o->charset < CHARSET_N ? o->charset : charset_choose(term, acs && acs != (const char *)-1, &reason);
  if (!t->utf8 && t->charset < CHARSET_ACS) t->charset = CHARSET_ACS; /* asked for, but the locale cannot write it */
  t->mouse = o->mouse;
  size_read(t);
  if (t->w != COLS || t->h != LINES) resize_term(t->h, t->w);
  dress(t);
  restore_prepare();
  state.quit = 0;
  state.open = t;
  stderr_keep();
  signals_take();
  termios_raw();
  modes_on(t);
  if (!state.registered) state.registered = !atexit(close_at_exit);
  return t;
}

void terminal_close(struct terminal *t) {
  if (!t) return;
  assert(t == state.open);
  modes_off(t);
  endwin();
  sink_drain(t);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &state.saved);
  signals_give();
  stderr_give();
  close(state.pipe[0]);
  close(state.pipe[1]);
  state.pipe[0] = state.pipe[1] = -1;
  state.open = NULL;
  delscreen(t->screen);
  fclose(t->sink);
  free(t->shadow);
  free(t->out);
  free(t);
}

void terminal_size(const struct terminal *t, int *w, int *h) { *w = t->w, *h = t->h; }
enum charset terminal_charset(const struct terminal *t) { return t->charset; }
enum theme terminal_theme(const struct terminal *t) { return t->theme; }
const char *terminal_note(const struct terminal *t) { return *t->note ? t->note : NULL; }
const char *terminal_paste(const struct terminal *t) { return t->input.paste; }

/* Ours again after a stop: settings, modes, size, and every cell, since the shell has written over them. */
struct event screen_retake(struct terminal *t) {
  termios_raw();
  modes_on(t);
  size_take(t);
  return (struct event){.kind = EVENT_RESUME, .w = t->w, .h = t->h};
}

void terminal_suspend(struct terminal *t) {
  modes_off(t);
  endwin();
  sink_drain(t);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &state.saved);
  struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
  sigemptyset(&stop.sa_mask);
  sigaction(SIGTSTP, &stop, &ours);
  kill(0, SIGTSTP); /* the whole job, as the terminal's own ^Z would */
  sigaction(SIGTSTP, &ours, NULL);
  unsigned char b[64];
  while (read(state.pipe[0], b, sizeof b) > 0) { /* the SIGCONT that woke us is answered right here */
  }
  screen_retake(t);
}

/* ---- for other doors ---- */

void terminal_describe(char *out, int size) {
  const char *term = getenv("TERM"), *no = getenv("NO_COLOR"), *why = "";
  setlocale(LC_CTYPE, "");
  int err = 0, colors = 0;
  bool known = term && *term && setupterm(term, STDOUT_FILENO, &err) == OK, acs = false;
  if (known) {
    const char *a = tigetstr("acsc");
    colors = tigetnum("colors");
    acs = a && a != (const char *)-1;
    del_curterm(cur_term);
  }
  struct winsize s = {0};
  bool tty = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &s) == 0;
  char where[64];
  snprintf(where, sizeof where, tty ? "%ux%u" : "not a terminal", s.ws_col, s.ws_row);
  enum charset c = charset_choose(term ? term : "", acs, &why);
  snprintf(out, (size_t)size, "TERM=%s (%s), %s, %d colors%s, codeset %s, charset %s: %s", term && *term ? term : "unset",
           known ? "known" : "unknown", where, colors < 0 ? 0 : colors, no && *no ? " (NO_COLOR is set)" : "", nl_langinfo(CODESET),
           charset_name(c), why);
}
