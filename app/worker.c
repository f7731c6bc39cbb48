#include "app/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/number.h"

extern char **environ;

static void word_add(struct worker_command *c, const char *key, const char *value) {
  if (c->n == WORKER_WORD_MAX) return;
  snprintf(c->text[c->n], sizeof c->text[0], "%s%s%s", key, *value ? "=" : "", value);
  c->n++;
}

static void number_add(struct worker_command *c, enum op op, const char *key, double v) {
  char number[NUMBER_MAX];
  if (!isnan(v) && work_uses(op, key)) word_add(c, key, number_key(number, v));
}

void worker_bench(struct worker_command *c, const struct request *r, double seconds) {
  char number[NUMBER_MAX];
  c->n = 0;
  word_add(c, "bench", "");
  word_add(c, op_name(r->op), "");
  for (int i = 0; i < SHAPE_N; i++) number_add(c, r->op, shape_name(i), shape_get(&r->shape, i));
  word_add(c, "dtype", dtype_name(r->dtype));
  if (r->isa != ISA_AUTO) word_add(c, "isa", isa_name(r->isa));
  if (r->rung != RUNG_AUTO) word_add(c, "rung", rung_name(r->rung));
  if (r->threads > 0) word_add(c, "threads", number_key(number, r->threads));
  if (r->hog) word_add(c, "hog", "on");
  if (r->sustain > 0) word_add(c, "sustain", number_key(number, r->sustain));
  word_add(c, "seconds", number_key(number, seconds));
  word_add(c, "quick", "on"); /* a slider's point: no settling of the clock, small slabs of slow rungs */
}

void worker_measure(struct worker_command *c) {
  c->n = 0;
  word_add(c, "measure", "");
  word_add(c, "--json", "");
  word_add(c, "--quick", "");
  word_add(c, "--fresh", "");
}

void worker_refine(struct worker_command *c, const char *part) {
  c->n = 0;
  word_add(c, "measure", "");
  word_add(c, "--json", "");
  word_add(c, "--thorough", "");
  word_add(c, "--part", part);
}

void worker_init(struct worker *w) {
  memset(w, 0, sizeof *w);
  w->out = w->err = -1;
}

static void pipe_close(int p[2]) {
  close(p[0]);
  close(p[1]);
}

bool worker_start(struct worker *w, const char *program, struct worker_command *c, const char **why) {
  int out[2], err[2];
  worker_init(w);
  if (pipe2(out, O_CLOEXEC) < 0) return *why = strerror(errno), false;
  if (pipe2(err, O_CLOEXEC) < 0) {
    *why = strerror(errno);
    pipe_close(out);
    return false;
  }
  char name[] = "ridge";
  c->argv[0] = name;
  for (int i = 0; i < c->n; i++) c->argv[i + 1] = c->text[i];
  c->argv[c->n + 1] = NULL;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err[1], STDERR_FILENO);
  posix_spawnattr_init(&attr);
  /* A group of its own: a stop of our job does not stop it half-way (we end it instead), and one kill reaches all of it. */
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &all);
  int failed = posix_spawn(&w->pid, program ? program : "/proc/self/exe", &files, &attr, c->argv, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attr);
  close(out[1]);
  close(err[1]);
  w->out = out[0];
  w->err = err[0];
  if (!failed) {
    fcntl(w->out, F_SETFL, O_NONBLOCK); /* ours alone: nobody shares the read end */
    fcntl(w->err, F_SETFL, O_NONBLOCK);
    return true;
  }
  *why = strerror(failed);
  close(w->out);
  close(w->err);
  worker_init(w);
  return false;
}

static void bytes_take(struct worker *w, const char *p, ssize_t n, void (*say)(const char *, void *), void *arg) {
  for (ssize_t i = 0; i < n; i++) {
    if (p[i] == '\n') {
      w->line[w->nline] = 0;
      if (!w->skip && w->nline && !w->cancelled) say(w->line, arg);
      w->nline = 0;
      w->skip = false;
    } else if (w->nline < LINE_BYTE_MAX && p[i])
      w->line[w->nline++] = p[i];
    else
      w->skip = true;
  }
}

/* Keeps the last line of stderr that has words: what a library says before it aborts is usually the reason. */
static void said_take(struct worker *w, const char *p, ssize_t n) {
  for (ssize_t i = 0; i < n; i++) {
    unsigned char b = (unsigned char)p[i];
    if (b == '\n') {
      w->nsaid = 0; /* the words stay until others come */
    } else if (w->nsaid < (int)sizeof w->said - 1) {
      w->said[w->nsaid++] = (char)(b < 0x20 || b == 0x7f ? ' ' : b);
      w->said[w->nsaid] = 0;
    }
  }
}

bool worker_read(struct worker *w, int fd, void (*say)(const char *, void *), void *arg) {
  char buffer[4096];
  ssize_t n = read(fd, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (n > 0) {
    if (fd == w->out)
      bytes_take(w, buffer, n, say, arg);
    else
      said_take(w, buffer, n);
    return false;
  }
  close(fd);
  if (fd == w->out) w->out = -1;
  if (fd == w->err) w->err = -1;
  return w->out < 0 && w->err < 0;
}

void worker_cancel(struct worker *w) {
  if (!w->pid) return;
  w->cancelled = true;
  kill(-w->pid, SIGKILL);
  kill(w->pid, SIGKILL); /* in the moment before it has its own group */
}

bool worker_reap(struct worker *w, char *words, int size) {
  int status = 0;
  words[0] = 0;
  if (!w->pid) return true;
  while (waitpid(w->pid, &status, 0) < 0)
    if (errno != EINTR) break;
  w->pid = 0;
  if (w->out >= 0) close(w->out);
  if (w->err >= 0) close(w->err);
  w->out = w->err = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFSIGNALED(status))
    snprintf(words, (size_t)size, "the measurement was ended by a signal: %s", strsignal(WTERMSIG(status)));
  else if (w->said[0])
    snprintf(words, (size_t)size, "%s", w->said);
  else
    snprintf(words, (size_t)size, "the measurement failed (%d)", WEXITSTATUS(status));
  return false;
}
