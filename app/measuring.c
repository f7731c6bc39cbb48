#include "app/measuring.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "kernels/os.h"

static const double PATIENCE_S = 30, TELL_S = 0.5;

void measuring_start(void) {
  struct stat s;
  os_nice();
  if (fstat(STDOUT_FILENO, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))) os_die_with_parent();
}

struct waiting {
  bool (*say)(const struct line *, void *);
  void *arg;
  double told;
};

static bool wait_turn(double s, void *arg) {
  struct waiting *w = arg;
  if (s > PATIENCE_S) {
    fputs("ridge: another measurement is still running; measuring beside it\n", stderr);
    return false;
  }
  if (s < w->told + TELL_S) return true;
  w->told = s;
  struct line l;
  line_clear(&l, LINE_PROGRESS);
  l.done = s;
  l.total = PATIENCE_S;
  snprintf(l.reason, sizeof l.reason, "another measurement is running: waiting for it to end");
  return w->say(&l, w->arg);
}

int measuring_lock(bool (*say)(const struct line *, void *), void *arg) {
  char path[1024];
  struct waiting w = {say, arg, 0};
  return home_state(path, sizeof path, "measuring.lock") ? os_lock(path, wait_turn, &w) : -1;
}
