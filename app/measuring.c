#include "app/measuring.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "kernels/os.h"

static const double PATIENCE_S = 45, TELL_S = 0.5; /* PATIENCE_S: for each who is before us */

void measuring_start(void) {
  struct stat s;
  os_nice();
  if (fstat(STDOUT_FILENO, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))) os_die_with_parent();
}

struct waiting {
  bool (*say)(const struct line *, void *);
  void *arg;
  double told, since; /* s: the last word, and when the queue last grew shorter */
  int before;
};

static bool wait_turn(int before, double s, void *arg) {
  struct waiting *w = arg;
  if (w->before != before) w->since = s;
  if (s - w->since > PATIENCE_S) {
    fprintf(stderr, "ridge: still %d measuring before us after %.0f s; measuring beside them\n", before, s);
    return false;
  }
  if (w->before == before && s < w->told + TELL_S) return true;
  w->before = before;
  w->told = s;
  struct line l;
  line_clear(&l, LINE_PROGRESS);
  l.done = s - w->since;
  l.total = PATIENCE_S;
  snprintf(l.reason, sizeof l.reason, "waiting: %d %s measuring before you", before, before == 1 ? "is" : "are");
  return w->say(&l, w->arg);
}

/* Where all users of the machine meet; a person's own folder is the last resort. RIDGE_LOCK_DIR is for a system that keeps such files
 * elsewhere. */
static int lock_open(void) {
  const char *const folder[] = {getenv("RIDGE_LOCK_DIR"), "/run/lock", "/tmp"};
  char path[1024];
  for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
    if (!folder[i] || !*folder[i] || snprintf(path, sizeof path, "%s/ridge-measuring", folder[i]) >= (int)sizeof path) continue;
    int f = os_lock_open(path);
    if (f >= 0) return f;
  }
  return home_state(path, sizeof path, "measuring.lock") ? os_lock_open(path) : -1;
}

int measuring_lock(bool (*say)(const struct line *, void *), void *arg) {
  struct waiting w = {.say = say, .arg = arg, .told = -TELL_S};
  int f = lock_open();
  if (f < 0 || os_lock_wait(f, wait_turn, &w)) return f;
  os_unlock(f);
  return -1;
}
