/* door_time: any command timed and written down as a sample for samples=. Its start-up, as far as an empty command has one too, is taken
 * off. No shell is between. What the command prints goes to stderr, so that stdout holds the sample alone.
 *
 * A signal that ends us is passed on first: signals are taken from a queue (sigwaitinfo), not by handlers, so nothing is shared with one.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"
#include "app/visit.h"
#include "data/samples.h"
#include "model/run.h"
#include "tui/number.h"

extern char **environ;

enum { RUNS = 7, RUNS_MAX = 1000, EMPTY_WORDS = 16, CANNOT_RUN = 126, NOT_FOUND = 127 };

struct ask {
  struct foreign sample;
  int runs;
  char empty_text[256];
  char *empty[EMPTY_WORDS + 1], **command;
};

/* What became of one run. */
struct outcome {
  double s;
  int status; /* exit status as a shell counts it: 128 + signal */
  int signal; /* that we were sent meanwhile, passed on; 0 none */
  int failed; /* errno: it could not be started */
};

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sigset_t signals_watched(void) {
  static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) sigaddset(&set, watched[i]);
  return set;
}

static int spawn(char *const *command, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0); /* a second run would find nothing left to read */
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_init(&attr);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attr, &none);
  int failed = posix_spawnp(pid, command[0], &files, &attr, command, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attr);
  return failed;
}

static struct outcome run_once(char *const *command) {
  struct outcome o = {.s = NAN};
  sigset_t watched = signals_watched();
  pid_t pid;
  int status = 0;
  double start = clock_now();
  o.failed = spawn(command, &pid);
  if (o.failed) return o;
  for (;;) {
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) break;
    int sig = sigwaitinfo(&watched, NULL);
    if (sig <= 0 || sig == SIGCHLD) continue;
    o.signal = sig;
    kill(pid, sig);
  }
  o.s = clock_now() - start;
  o.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return o;
}

/* What was cut may end in half a character: the last one goes, if it is more than a byte. */
static void end_mend(char *text) {
  size_t end = strlen(text);
  while (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0x80) text[--end] = 0;
  if (end > 0 && (unsigned char)text[end - 1] >= 0xc0) text[end - 1] = 0;
}

/* "name arg arg", by the last part of the command's path, as much as fits. */
static void name_make(char *const *command, char *out, size_t size) {
  const char *slash = strrchr(command[0], '/');
  int n = snprintf(out, size, "%s", slash && slash[1] ? slash + 1 : command[0]);
  for (int i = 1; command[i] && n < (int)size; i++) n += snprintf(out + n, size - (size_t)n, " %s", command[i]);
  for (char *c = out; *c; c++) /* it goes into a file that a terminal will show */
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
  if (n >= (int)size) end_mend(out);
}

static bool amount_read(const struct args *a, enum option o, const char *unit, double *out, struct err *e) {
  const char *text = a->value[o], *name = o == OPTION_FLOP ? "--flop" : "--byte";
  if (!text) return err_say(e, "time needs %s: ridge time --flop F --byte B -- COMMAND", name);
  const char *why = number_parse(text, unit, out);
  if (why) return err_say(e, "%s: expected a number from 1 to 1e24, found %.80s (%s)", name, text, why);
  if (!(*out >= 1 && *out <= 1e24)) return err_say(e, "%s: expected 1 … 1e24, found %.80s: out of range", name, text);
  return true;
}

static bool ask_read(struct ask *a, int argc, char **argv, struct err *e) {
  struct args args;
  int options = 0;
  double runs = RUNS;
  memset(a, 0, sizeof *a);
  while (options < argc && strcmp(argv[options], "--") != 0) options++;
  unsigned takes = TAKES(OPTION_FLOP) | TAKES(OPTION_BYTE) | TAKES(OPTION_NAME) | TAKES(OPTION_RUNS) | TAKES(OPTION_EMPTY);
  if (!args_read(&args, options, argv, takes, e)) return false;
  if (args.nword) return err_say(e, "the command stands behind --: ridge time --flop F --byte B -- %.80s", args.word[0]);
  if (!amount_read(&args, OPTION_FLOP, "flop", &a->sample.flop, e) || !amount_read(&args, OPTION_BYTE, "byte", &a->sample.byte, e))
    return false;
  if (options + 1 >= argc) return err_say(e, "time needs a command: ridge time --flop F --byte B -- COMMAND");
  a->command = argv + options + 1;
  const char *text = args.value[OPTION_RUNS];
  if (text && (number_parse(text, "n", &runs) || !(runs >= 1 && runs <= RUNS_MAX) || runs != floor(runs)))
    return err_say(e, "--runs: expected a whole number from 1 to %d, found %.80s", RUNS_MAX, text);
  a->runs = (int)runs;
  text = args.value[OPTION_EMPTY] ? args.value[OPTION_EMPTY] : "true";
  if (snprintf(a->empty_text, sizeof a->empty_text, "%s", text) >= (int)sizeof a->empty_text)
    return err_say(e, "--empty: a shorter command, please");
  int n = 0;
  char *rest = a->empty_text;
  for (char *word; (word = strtok_r(rest, " ", &rest)); a->empty[n++] = word)
    if (n == EMPTY_WORDS) return err_say(e, "--empty: at most %d words", EMPTY_WORDS);
  if (n == 0) return err_say(e, "--empty: expected a command, found nothing");
  if (args.value[OPTION_NAME]) {
    char *const name[] = {(char *)(uintptr_t)args.value[OPTION_NAME], NULL};
    const char *slash = strrchr(name[0], '/');
    if (slash) {
      if (snprintf(a->sample.name, sizeof a->sample.name, "%s", name[0]) >= (int)sizeof a->sample.name) end_mend(a->sample.name);
    } else
      name_make(name, a->sample.name, sizeof a->sample.name);
  } else
    name_make(a->command, a->sample.name, sizeof a->sample.name);
  if (!a->sample.name[0]) return err_say(e, "--name: expected words, found nothing");
  return true;
}

/* 0, or the exit code after words on stderr: what a shell would give for the same trouble. */
static int trouble(const struct outcome *o, const char *command) {
  if (o->failed) {
    fprintf(stderr, "ridge: %s: %s\n", command, strerror(o->failed));
    return o->failed == ENOENT ? NOT_FOUND : CANNOT_RUN;
  }
  if (o->signal) {
    fprintf(stderr, "ridge: ended by a signal: %s\n", strsignal(o->signal));
    return 128 + o->signal;
  }
  if (o->status > 128 && o->status < 128 + NSIG)
    fprintf(stderr, "ridge: %s was ended by a signal (%s): nothing to tell\n", command, strsignal(o->status - 128));
  else if (o->status)
    fprintf(stderr, "ridge: %s ended with %d: what fails is not timed\n", command, o->status);
  return o->status;
}

static double middle(const double *v, int n, double q) {
  double sorted[RUNS_MAX];
  memcpy(sorted, v, sizeof *v * (size_t)n);
  return quantile(sorted, n, q);
}

/* Runs both by turns, so that what changes meanwhile changes both. */
static int runs_take(const struct ask *a, double whole[], double empty[], int *sig) {
  for (int i = -1; i < a->runs; i++) { /* the first of each only fills the caches */
    struct outcome o = run_once(a->empty);
    *sig = o.signal;
    int code = trouble(&o, a->empty[0]);
    if (code) return code;
    if (i >= 0) empty[i] = o.s;
    o = run_once(a->command);
    *sig = o.signal;
    code = trouble(&o, a->command[0]);
    if (code) return code;
    if (i >= 0) whole[i] = o.s;
  }
  return 0;
}

static int sample_say(struct ask *a, const double whole[], const double empty[]) {
  char all[NUMBER_MAX], off[NUMBER_MAX], line[1024], spread[NUMBER_MAX];
  struct foreign *f = &a->sample;
  double startup = middle(empty, a->runs, 0.5), median = middle(whole, a->runs, 0.5);
  double wide = (middle(whole, a->runs, 0.75) - middle(whole, a->runs, 0.25)) / 2;
  double doubt = (middle(empty, a->runs, 0.75) - middle(empty, a->runs, 0.25)) / 2;
  f->s = median - startup;
  f->n = a->runs;
  f->spread = a->runs >= 2 && f->s > 0 ? (wide + doubt) / f->s : NAN;
  snprintf(f->program, sizeof f->program, "ridge time");
  fprintf(stderr, "ridge: median of %d run%s %s; start-up %s taken off (%s)\n", a->runs, a->runs == 1 ? "" : "s",
          number_print(all, median, "s", 4, false), number_print(off, startup, "s", 4, false), a->empty[0]);
  /* Less than that is the difference of two noises. */
  if (!(f->s > 2 * (wide + doubt)) || !(f->s > 0.05 * startup)) {
    fputs("ridge: too short: what is left beside the start-up is no more than its noise. Let the command do its work many times, and tell "
          "--flop "
          "and --byte of all of it\n",
          stderr);
    return 1;
  }
  if (f->s < startup) fputs("ridge: note: most of the time is start-up: let the command do its work several times\n", stderr);
  if (f->spread > 0.1)
    fprintf(stderr, "ridge: note: the runs spread by %s: something else is running, or --runs is low\n",
            number_print(spread, f->spread, "%", 3, false));
  if (sample_print(f, startup, line, sizeof line) < 0) return door_refuse_text("the sample does not fit on a line", 1);
  puts(line);
  return 0;
}

int door_time(int argc, char **argv) {
  struct ask a;
  struct err e;
  double whole[RUNS_MAX], empty[RUNS_MAX];
  if (!ask_read(&a, argc, argv, &e)) return door_refuse(&e, 2);
  sigset_t watched = signals_watched(), before;
  signal(SIGCHLD, SIG_DFL); /* where it was ignored, children would vanish without a status */
  sigprocmask(SIG_BLOCK, &watched, &before);
  int sig = 0, code = runs_take(&a, whole, empty, &sig);
  if (sig) { /* a shell's loop must see that we were ended, not that we ended */
    signal(sig, SIG_DFL);
    raise(sig);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (!code) code = sample_say(&a, whole, empty);
  return emit_close() != 0 ? 1 : code;
}
