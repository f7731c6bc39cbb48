/* The measuring child as the terminal program holds it: lines, chatter, deaths, and an end that is instant and leaves nobody behind. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <poll.h>

#include "app/worker.h"

struct heard {
  int lines;
  char last[LINE_BYTE_MAX + 2];
};

static void hear(const char *line, void *arg) {
  struct heard *h = arg;
  h->lines++;
  snprintf(h->last, sizeof h->last, "%s", line);
}

/* A shell stands in for the program: its words are a command line as any other. */
static void shell_start(struct worker *w, const char *script) {
  struct worker_command c = {.n = 2};
  const char *why;
  snprintf(c.text[0], sizeof c.text[0], "-c");
  assert_true(strlen(script) < sizeof c.text[1]);
  snprintf(c.text[1], sizeof c.text[1], "%s", script);
  assert_true(worker_start(w, "/bin/sh", &c, &why));
}

/* Reads until both pipes are closed. */
static void drain(struct worker *w, struct heard *h) {
  for (;;) {
    struct pollfd f[2] = {{.fd = w->out, .events = POLLIN}, {.fd = w->err, .events = POLLIN}};
    assert_true(poll(f, 2, 60000) > 0);
    for (int i = 0; i < 2; i++)
      if (f[i].fd >= 0 && f[i].revents && worker_read(w, f[i].fd, hear, h)) return;
  }
}

static bool run(const char *script, struct heard *h, char words[200]) {
  struct worker w;
  memset(h, 0, sizeof *h);
  shell_start(&w, script);
  drain(&w, h);
  bool well = worker_reap(&w, words, 200);
  assert_int_equal(w.pid, 0);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody left to wait for */
  assert_int_equal(errno, ECHILD);
  return well;
}

static void test_lines(void **state) {
  (void)state;
  struct heard h;
  char words[200];
  assert_true(run("echo one; echo; echo two; printf half", &h, words));
  assert_int_equal(h.lines, 2); /* what has no end is no line */
  assert_string_equal(h.last, "two");
  assert_string_equal(words, "");
  assert_true(run("printf a; sleep 0.1; echo b", &h, words));
  assert_int_equal(h.lines, 1);
  assert_string_equal(h.last, "ab");
  /* a line too long is dropped whole, and the next one is whole */
  assert_true(run("head -c 9000 /dev/zero | tr '\\0' x;echo;echo y", &h, words));
  assert_int_equal(h.lines, 1);
  assert_string_equal(h.last, "y");
  assert_true(run("printf 'a\\0b\\n'; echo c", &h, words));
  assert_int_equal(h.lines, 1);
}

static void test_ends(void **state) {
  (void)state;
  struct heard h;
  char words[200];
  assert_false(run("exit 3", &h, words));
  assert_string_equal(words, "the measurement failed (3)");
  assert_false(run("echo noise >&2; echo 'no memory' >&2; exit 1", &h, words));
  assert_string_equal(words, "no memory");
  assert_false(run("kill -ILL $$", &h, words));
  assert_non_null(strstr(words, "Illegal instruction"));
  assert_false(run("kill -SEGV $$", &h, words));
  assert_non_null(strstr(words, "Segmentation fault"));
  assert_true(run("echo chatter >&2", &h, words));
  assert_int_equal(h.lines, 0);
}

/* Cancelled, it goes at once with all it has started, and says nothing more. */
static void test_cancel(void **state) {
  (void)state;
  struct worker w;
  struct heard h = {0};
  char words[200];
  shell_start(&w, "sleep 1000 & echo $!; while :; do echo x; done");
  while (h.lines == 0 || h.last[0] != 'x') {
    struct pollfd f = {.fd = w.out, .events = POLLIN};
    assert_true(poll(&f, 1, 60000) > 0);
    assert_false(worker_read(&w, w.out, hear, &h));
  }
  int lines = h.lines;
  pid_t pid = w.pid;
  worker_cancel(&w);
  drain(&w, &h); /* its pipes close by themselves, so its own child is gone as well */
  assert_false(worker_reap(&w, words, sizeof words));
  assert_int_equal(h.lines, lines);
  assert_int_equal(kill(pid, 0), -1);
  assert_int_equal(errno, ESRCH);
  worker_cancel(&w); /* safe when there is none */
  assert_true(worker_reap(&w, words, sizeof words));
}

static void test_none(void **state) {
  (void)state;
  struct worker w;
  struct worker_command c = {.n = 0};
  const char *why = NULL;
  assert_false(worker_start(&w, "/no/such/program", &c, &why));
  assert_non_null(why);
  assert_int_equal(w.pid, 0);
  assert_int_equal(w.out, -1);
}

/* The child starts with signals as they are for anybody, whatever we have done to ours. */
static void test_signals(void **state) {
  (void)state;
  struct heard h;
  char words[200];
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  assert_false(run("kill -INT $$; echo survived", &h, words));
  signal(SIGINT, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  assert_int_equal(h.lines, 0);
  assert_non_null(strstr(words, "Interrupt"));
}

static void command_is(const struct request *r, const char *expected) {
  struct worker_command c;
  char words[800] = "";
  worker_bench(&c, r, 10);
  for (int i = 0; i < c.n; i++) strcat(strcat(words, i ? " " : ""), c.text[i]);
  assert_string_equal(words, expected);
}

/* A request becomes the command line a person would type: only what the operation has. */
static void test_command(void **state) {
  (void)state;
  struct request r = {.op = OP_WEIGHTS, .shape = {6144, NAN, NAN, 4, NAN}, .dtype = DTYPE_FP32};
  command_is(&r, "bench weights n=6144 batch=4 dtype=fp32 seconds=10 quick=on");
  r = (struct request){
      .op = OP_MATMUL, .shape = {512, 256, 1024, NAN, NAN}, .dtype = DTYPE_FP64, .isa = ISA_SCALAR, .rung = RUNG_TILED, .threads = 2};
  command_is(&r, "bench matmul n=512 m=256 k=1024 dtype=fp64 isa=scalar rung=tiled threads=2 seconds=10 quick=on");
  r = (struct request){.op = OP_DIAL, .shape = {4096, 5, 5, 5, 16}, .dtype = DTYPE_FP32};
  command_is(&r, "bench dial n=4096 fma=16 dtype=fp32 seconds=10 quick=on");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines), cmocka_unit_test(test_ends),    cmocka_unit_test(test_cancel),
      cmocka_unit_test(test_none),  cmocka_unit_test(test_signals), cmocka_unit_test(test_command),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
