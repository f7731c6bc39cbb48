/* The real binary on a real (pseudo) terminal: keys, sizes, signals, odd kinds of terminals, and what is left behind. No limits of time
 * but hang guards; what is exact is counted: bytes, wake-ups, settings. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <vterm.h>

#include "app/app.h"
#include "tests/support_pty.h"

static char state_folder[] = "/tmp/ridge-test-XXXXXX";
static char cold_folder[] = "/tmp/ridge-cold-XXXXXX";
static char cold_state[80];

/* A machine of round numbers, as if measured: nothing needs measuring at the start. */
static int group_open(void **state) {
  (void)state;
  char data[4200];
  if (!mkdtemp(state_folder) || !mkdtemp(cold_folder) || chdir(state_folder) < 0) return -1;
  snprintf(cold_state, sizeof cold_state, "XDG_STATE_HOME=%s", cold_folder);
  snprintf(data, sizeof data, "%s/data", pty_root());
  setenv("RIDGE_DATA", data, 1);
  setenv("XDG_STATE_HOME", state_folder, 1);
  struct world *w = world_open();
  if (!w) return -1;
  struct device *here = &w->device[DEVICE_HERE];
  here->machine.measured = true;
  here->machine.threads = 2;
  here->machine.cpus = 2;
  here->machine.isa_peak[ISA_SCALAR][1] = 1e11;
  here->machine.read_byte_per_s = 2e10;
  here->peak[DTYPE_FP32] = (struct figure){.value = 1e11, .source = SOURCE_MEASURED};
  here->memory_byte_per_s = (struct figure){.value = 2e10, .source = SOURCE_MEASURED};
  struct err e;
  bool saved = machine_save(w, &e);
  free(w);
  return saved ? 0 : -1;
}

static int group_close(void **state) {
  (void)state;
  char command[200];
  if (chdir("/") < 0) return -1;
  snprintf(command, sizeof command, "rm -rf %s %s", state_folder, cold_folder);
  return system(command);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* A screen on which nothing is ever measured by itself: another device's figures. */
static struct pty *quiet_open(int w, int h, const char *const *env) { return pty_open(w, h, WORDS("roofline", "device=h100-sxm"), env); }

static void quit_well(struct pty *p) {
  pty_send(p, "q");
  assert_true(pty_gone(p));
  assert_true(WIFEXITED(p->status));
  assert_int_equal(WEXITSTATUS(p->status), 0);
  assert_true(pty_restored(p));
  pty_close(p);
}

/* ---- keys ---- */

static void test_start(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "2.1 roofline"));
  assert_true(pty_until(p, "q quit"));
  assert_true(pty_frame(p, 0));
  assert_true(p->alternate);
  assert_false(p->cursor);
  print_message("first paint: %zu bytes\n", p->bytes);
  assert_true(p->bytes <= 4000); /* at 80×24 */
  assert_true(pty_logged(p, "\033[?2004h"));
  assert_false(p->mouse);
  quit_well(p);
}

static void test_arrows(void **state) {
  (void)state;
  struct pty *p = quiet_open(100, 30, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "\033[C");
  assert_true(pty_until(p, "◂ 2 ▸"));
  pty_send(p, "l\033OC");
  assert_true(pty_until(p, "◂ 8 ▸"));
  /* an arrow whose bytes come 20 ms apart is still an arrow */
  pty_send(p, "\033");
  pty_listen(p, 0.02);
  pty_send(p, "[");
  pty_listen(p, 0.02);
  pty_send(p, "C");
  assert_true(pty_until(p, "◂ 16 ▸"));
  pty_send(p, "\033[H");
  assert_true(pty_until_not(p, "◂ 16 ▸"));
  assert_true(pty_until(p, "1 ▸"));
  quit_well(p);
}

/* q quits and Esc closes, on every box and below the smallest screen. */
static void test_out(void **state) {
  (void)state;
  static const char *const before[] = {"", "?", "y", "\t", "/xyz\033", "\r4\033", "g\033"};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    struct pty *p = quiet_open(80, 24, NULL);
    assert_true(pty_until(p, "q quit"));
    pty_send(p, before[i]);
    pty_listen(p, 0.15); /* a lone ESC is a key after 50 ms */
    quit_well(p);
  }
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "g");
  assert_true(pty_until(p, " scenes "));
  pty_send(p, "q"); /* text: this is a field */
  assert_true(pty_until(p, "find: q"));
  pty_send(p, "\003");
  assert_true(pty_gone(p));
  assert_true(WIFEXITED(p->status) && WEXITSTATUS(p->status) == 0);
  assert_true(pty_restored(p));
  pty_close(p);
}

static void test_help(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "\033OP");
  assert_true(pty_until(p, " help "));
  pty_send(p, "\033");
  assert_true(pty_until_not(p, " help "));
  pty_send(p, "y");
  assert_true(pty_until(p, "ridge roofline device=h100-sxm"));
  pty_send(p, "\033");
  assert_true(pty_until_not(p, "ridge roofline device=h100-sxm"));
  pty_send(p, "3");
  assert_true(pty_until(p, "3.1 decode"));
  pty_send(p, "\177");
  assert_true(pty_until(p, "2.1 roofline"));
  quit_well(p);
}

static void test_typed(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "\r2^5\r");
  assert_true(pty_until(p, "◂ 32 ▸"));
  pty_send(p, "\rseven\r");
  assert_true(pty_until(p, "batch = seven"));
  pty_send(p, "\03399999999"); /* ESC leaves the field; the digits then are keys, and 9 is none */
  assert_true(pty_until_not(p, "batch = "));
  assert_true(pty_has(p, "◂ 32 ▸"));
  pty_send(p, "\r99999999\r");
  assert_true(pty_until(p, "out of range, 65536 taken"));
  quit_well(p);
}

static void test_paste(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "\033[200~q\033[C\003q\033[201~");
  assert_true(pty_until(p, "pasted text is not taken"));
  assert_true(pty_has(p, "1 ▸"));
  pty_send(p, "\r\033[200~64\033[201~\r");
  assert_true(pty_until(p, "◂ 64 ▸"));
  quit_well(p);
}

/* What a terminal may answer to questions nobody asked: none of it is a key. */
static void test_replies(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "\033]11;rgb:qqqq/0000/0000\033\\\033[?62;c\033P1$rq\033\\\033[24;80R\033[I\033]10;q\007");
  pty_send(p, "l");
  assert_true(pty_until(p, "◂ 2 ▸"));
  quit_well(p);
}

static void test_mouse(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "\033[<65;60;3M"); /* not asked for: still only a wheel, on the batch's row */
  pty_send(p, "M");
  assert_true(pty_until(p, "mouse on"));
  assert_true(p->mouse);
  assert_true(pty_logged(p, "\033[?1006h"));
  assert_false(pty_logged(p, "\033[?1002h") || pty_logged(p, "\033[?1003h")); /* never motion */
  const char *text = pty_text(p);
  int row = 0;
  for (const char *at = strstr(text, "operation"), *c = text; at && c < at; c++) row += *c == '\n';
  assert_true(row > 0);
  char press[64];
  snprintf(press, sizeof press, "\033[<0;60;%dM\033[<0;60;%dm", row + 1, row + 1);
  pty_send(p, press);
  assert_true(pty_until(p, "▸operation"));
  quit_well(p);
}

/* ---- sizes ---- */

static void test_resize(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, (const char *const[]){"LINES=10", "COLUMNS=33", NULL}); /* stale: they must not win */
  assert_true(pty_until(p, "q quit"));
  pty_resize(p, 120, 40);
  assert_true(pty_until_end(p, "q quit")); /* on the last line, at the right */
  pty_resize(p, 40, 10);
  assert_true(pty_until(p, "ridge needs"));
  pty_resize(p, 62, 19);
  assert_true(pty_until(p, "? words  q quit"));
  pty_resize(p, 40, 10);
  assert_true(pty_until(p, "ridge needs"));
  quit_well(p);
}

static void test_sizes(void **state) {
  (void)state;
  static const int size[][2] = {{1, 1}, {2, 1}, {1, 50}, {59, 18}, {60, 17}, {60, 18}, {76, 20}, {200, 60}, {1000, 400}, {2000, 3}};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    struct pty *p = quiet_open(size[i][0], size[i][1], NULL);
    assert_true(pty_frame(p, 0));
    if (size[i][0] == 59 || size[i][1] == 17) assert_true(pty_until(p, "needs 60 x 18"));
    if (size[i][0] == 60 && size[i][1] == 18) assert_true(pty_until(p, "q quit"));
    quit_well(p);
  }
}

/* ---- signals ---- */

static void test_signals(void **state) {
  (void)state;
  static const int sig[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGPIPE, SIGXCPU, SIGUSR1};
  for (size_t i = 0; i < sizeof sig / sizeof *sig; i++) {
    struct pty *p = quiet_open(80, 24, NULL);
    assert_true(pty_until(p, "q quit"));
    pty_send(p, "M");
    assert_true(pty_until(p, "mouse on"));
    kill(p->pid, sig[i]);
    assert_true(pty_gone(p));
    assert_true(WIFSIGNALED(p->status));
    assert_int_equal(WTERMSIG(p->status), sig[i]);
    assert_true(pty_restored(p));
    pty_close(p);
  }
}

/* A stop that cannot be caught, and a shell writing over the screen meanwhile: on going on, all is painted again without a key. */
static void test_continue(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_listen(p, 0.1);
  for (int i = 0; i < 2; i++) { /* the second time the size has changed as well */
    kill(p->pid, SIGSTOP);
    vterm_input_write(p->term, "\033[2J", 4);
    assert_false(pty_has(p, "q quit"));
    if (i) pty_resize(p, 90, 30);
    kill(p->pid, SIGCONT);
    assert_true(pty_until_end(p, "q quit"));
    pty_listen(p, 0.1);
  }
  quit_well(p);
}

/* The line drops: gone, whether a signal tells or only the end of what can be read. */
static void test_hangup(void **state) {
  (void)state;
  for (int mute = 0; mute < 2; mute++) {
    struct pty *p = mute ? pty_open_mute(80, 24, WORDS("roofline", "device=h100-sxm"), NULL) : quiet_open(80, 24, NULL);
    assert_true(pty_until(p, "q quit"));
    close(p->fd);
    p->fd = -1;
    assert_true(pty_gone(p));
    assert_true(WIFSIGNALED(p->status) ? WTERMSIG(p->status) == SIGHUP : WIFEXITED(p->status));
    pty_close(p);
  }
}

/* ---- kinds of terminals ---- */

static void refused(const char *const *env, const char *words) {
  struct pty *p = quiet_open(80, 24, env);
  assert_true(pty_gone(p));
  assert_true(WIFEXITED(p->status));
  assert_int_equal(WEXITSTATUS(p->status), 2);
  assert_true(pty_has(p, words));
  assert_true(pty_logged(p, "ridge print"));
  assert_true(pty_restored(p));
  assert_false(pty_logged(p, "\033[?1049h"));
  pty_close(p);
}

static void test_dumb(void **state) {
  (void)state;
  refused(WORDS("TERM=dumb"), "cannot place the cursor");
  refused(WORDS("TERM"), "TERM is not set");
  refused(WORDS("TERM="), "TERM is not set");
}

static void test_kinds(void **state) {
  (void)state;
  static const char *const term[] = {"TERM=xterm", "TERM=vt100", "TERM=linux", "TERM=screen-256color", "TERM=rxvt", "TERM=vt220"};
  for (size_t i = 0; i < sizeof term / sizeof *term; i++) {
    struct pty *p = quiet_open(80, 24, WORDS(term[i]));
    assert_true(pty_until(p, "q quit"));
    pty_send(p, "l");
    assert_true(pty_until(p, "2"));
    quit_well(p);
  }
  struct pty *p = quiet_open(80, 24, WORDS("TERM=no-such-terminal"));
  assert_true(pty_until(p, "no-such-terminal is unknown here"));
  quit_well(p);
}

/* Without UTF-8 not one byte of it, and with --charset ascii nothing but ASCII anywhere. */
static void test_ascii(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct pty *p =
        i ? pty_open(80, 24, WORDS("--charset", "ascii", "roofline", "device=h100-sxm"), NULL) : quiet_open(80, 24, WORDS("LANG=C"));
    assert_true(pty_until(p, "q quit"));
    pty_send(p, "?");
    assert_true(pty_until(p, " help "));
    for (size_t b = 0; b < p->nlog; b++) assert_true((unsigned char)p->log[b] < 0x80);
    pty_send(p, "\033");
    assert_true(pty_until_not(p, " help "));
    quit_well(p);
  }
  /* The terminal's second alphabet has more than lines: the rest of a bar, a pattern. None of it is a question mark. */
  struct pty *p = pty_open(80, 24, WORDS("fit", "device=h100-sxm"), WORDS("LANG=C"));
  assert_true(pty_until(p, "q quit"));
  assert_true(pty_has(p, "\u00b7\u00b7\u00b7"));
  assert_true(pty_has(p, "\u2592"));
  assert_false(pty_has(p, "??"));
  quit_well(p);
}

/* Whether it ever chose an ink: ESC [ … m with a colour among its numbers. */
static bool colored(struct pty *p) {
  for (size_t i = 0; i + 2 < p->nlog; i++) {
    if (p->log[i] != 033 || p->log[i + 1] != '[') continue;
    int n = 0;
    for (i += 2; i < p->nlog && (p->log[i] == ';' || (p->log[i] >= '0' && p->log[i] <= '9')); i++) {
      n = p->log[i] == ';' ? 0 : n * 10 + p->log[i] - '0';
      bool whole = i + 1 < p->nlog && (p->log[i + 1] == ';' || p->log[i + 1] == 'm');
      size_t end = i + 1;
      while (end < p->nlog && (p->log[end] == ';' || (p->log[end] >= '0' && p->log[end] <= '9'))) end++;
      if (whole && end < p->nlog && p->log[end] == 'm' && ((n >= 30 && n <= 38) || (n >= 40 && n <= 48) || n >= 90)) return true;
    }
  }
  return false;
}

static void test_color(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  assert_true(colored(p));
  quit_well(p);
  p = quiet_open(80, 24, WORDS("NO_COLOR=1"));
  assert_true(pty_until(p, "q quit"));
  assert_false(colored(p));
  quit_well(p);
  p = quiet_open(80, 24, WORDS("NO_COLOR=")); /* empty: not meant */
  assert_true(pty_until(p, "q quit"));
  assert_true(colored(p));
  quit_well(p);
  p = pty_open(80, 24, WORDS("--color", "always", "roofline", "device=h100-sxm"), WORDS("NO_COLOR=1"));
  assert_true(pty_until(p, "q quit"));
  assert_true(colored(p));
  quit_well(p);
}

static void test_looks(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "t");
  assert_true(pty_until(p, "theme: dark"));
  pty_send(p, "u");
  assert_true(pty_until(p, "glyphs: block"));
  pty_send(p, "uu");
  assert_true(pty_until(p, "glyphs: ascii"));
  for (const char *c = pty_text(p); *c; c++) assert_true((unsigned char)*c < 0x80);
  quit_well(p);
}

/* s writes the four files into the folder one stands in, never over what is there. */
static void test_save(void **state) {
  (void)state;
  static const char *const name[] = {"ridge-roofline-1.txt", "ridge-roofline-1.ansi", "ridge-roofline-1.svg",
                                     "ridge-roofline-1.csv", "ridge-roofline-2.txt",  "ridge-roofline-2.csv"};
  char text[4096] = "";
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  pty_send(p, "s");
  assert_true(pty_until(p, "saved ridge-roofline-1.txt"));
  pty_send(p, "ls");
  assert_true(pty_until(p, "saved ridge-roofline-2.txt"));
  quit_well(p);
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) assert_int_equal(access(name[i], R_OK), 0);
  FILE *f = fopen("ridge-roofline-1.csv", "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  assert_true(strncmp(text, "name,value,unit\n", 16) == 0);
  assert_non_null(strstr(text, "\nflop,75497472,flop\n"));
  f = fopen("ridge-roofline-1.txt", "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  assert_non_null(strstr(text, "2.1 roofline"));
  assert_null(strstr(text, "saved")); /* the screen, not what is said about saving it */
}

/* ---- what it costs ---- */

static long wakeups(pid_t pid) {
  char path[64], line[128];
  long n = 0, k;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "voluntary_ctxt_switches: %ld", &k) == 1) n = k;
  if (f) fclose(f);
  return n;
}

static void test_idle(void **state) {
  (void)state;
  struct pty *p = quiet_open(80, 24, NULL);
  assert_true(pty_until(p, "q quit"));
  long before = -1;
  for (int i = 0; i < 20 && wakeups(p->pid) != before; i++) { /* a busy machine may take its time to come to rest */
    before = wakeups(p->pid);
    pty_listen(p, 0.5);
  }
  assert_int_equal(pty_listen(p, 2), 0);
  assert_int_equal(wakeups(p->pid), before);
  assert_true(before > 0);
  quit_well(p);
}

static void test_bytes(void **state) {
  (void)state;
  static const struct {
    int w, h;
    size_t most;
  } size[] = {{100, 30, 300}, {200, 60, 500}};
  for (int i = 0; i < 2; i++) {
    struct pty *p = quiet_open(size[i].w, size[i].h, NULL);
    assert_true(pty_until(p, "q quit"));
    pty_listen(p, 0.3);
    size_t sum = 0, worst = 0;
    int steps = 0;
    for (int step = 0; step < 12; step++) {
      long frames = p->frames;
      size_t from = p->bytes;
      pty_send(p, step < 6 ? "l" : "h");
      assert_true(pty_frame(p, frames));
      size_t n = p->bytes - from;
      assert_true(n > 0);
      sum += n, steps++;
      if (n > worst) worst = n;
    }
    print_message("%dx%d: %zu bytes a step, %zu at the most\n", size[i].w, size[i].h, sum / (size_t)steps, worst);
    assert_true(sum / (size_t)steps <= size[i].most);
    pty_listen(p, 0.3);
    /* a frame in which nothing differs sends nothing: up from the first knob stays where it is */
    pty_send(p, "k");
    pty_listen(p, 0.2);
    size_t from = p->bytes;
    long frames = p->frames;
    pty_send(p, "k");
    assert_true(pty_frame(p, frames));
    assert_int_equal(p->bytes - from, 0);
    quit_well(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_start),  cmocka_unit_test(test_arrows), cmocka_unit_test(test_out),     cmocka_unit_test(test_help),
      cmocka_unit_test(test_typed),  cmocka_unit_test(test_paste),  cmocka_unit_test(test_replies), cmocka_unit_test(test_mouse),
      cmocka_unit_test(test_resize), cmocka_unit_test(test_sizes),  cmocka_unit_test(test_signals), cmocka_unit_test(test_continue),
      cmocka_unit_test(test_hangup), cmocka_unit_test(test_dumb),   cmocka_unit_test(test_kinds),   cmocka_unit_test(test_ascii),
      cmocka_unit_test(test_color),  cmocka_unit_test(test_looks),  cmocka_unit_test(test_idle),    cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_save),
  };
  return cmocka_run_group_tests(tests, group_open, group_close);
}
