/* bench_screen: what the program on the terminal costs: times, bytes, wake-ups, memory, each beside its target. Times are of this machine
 * at this moment, so they are printed and never tested; run it when nothing else is busy. One JSON object per line. */
#include <fcntl.h>
#include <math.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/session.h"
#include "tests/support_pty.h"
#include "tests/support_world.h"

enum { ROUNDS = 15, STEPS = 200 };

static double now(void) { return terminal_clock(); }

static void row(const char *what, double value, const char *unit, const char *target) {
  printf("{\"what\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"target\":\"%s\"}\n", what, value, unit, target);
  fflush(stdout);
}

static double p95(double *v, int n) { return quantile(v, n, 0.95); }

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* A screen on which nothing measures itself: the program's own cost alone. */
static struct pty *quiet_open(int w, int h) { return pty_open(w, h, WORDS("roofline", "device=h100-sxm"), NULL); }

/* Pages of the program and its data leave the page cache, as after a long time unused. */
static void cold(const char *path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) return;
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
}

static void cold_all(void) {
  char command[4400], path[4200];
  cold(pty_binary());
  snprintf(command, sizeof command, "find %s/data -name '*.json'", pty_root());
  FILE *f = popen(command, "r");
  while (f && fgets(path, sizeof path, f)) path[strcspn(path, "\n")] = 0, cold(path);
  if (f) pclose(f);
}

static void start_time(bool from_cold) {
  double v[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    if (from_cold) cold_all();
    double begin = now();
    struct pty *p = quiet_open(80, 24);
    pty_frame(p, 0);
    v[i] = now() - begin;
    if (i == 0 && !from_cold) row("bytes of the first paint at 80x24", (double)p->bytes, "byte", "<= 4000");
    pty_close(p);
  }
  row(from_cold ? "start to first full paint, cold, median" : "start to first full paint, warm, median", 1e3 * quantile(v, ROUNDS, 0.5),
      "ms", from_cold ? "<= 50" : "<= 20");
}

/* What one scene costs in a terminal that someone reads. */
struct cost {
  double s;
  char words[64];
};

/* Slider steps of a scene, in one of its views (-1: none to choose), computed, drawn and handed to the terminal: the 95th of 100. */
static double scene_cost(const struct scene *scene, int view, struct world *world, struct terminal *t, struct canvas *c) {
  struct setup person;
  setup_clear(&person);
  person.v[KNOB_DEVICE] = device_find(world, "h100-sxm");
  person.set[KNOB_DEVICE] = true;
  if (view >= 0) person.v[KNOB_VIEW] = view, person.set[KNOB_VIEW] = true;
  static struct session s; /* of the bench's own child */
  session_open(&s, world, scene, &person, 0);
  double v[STEPS];
  for (int i = -20; i < STEPS; i++) {
    double begin = now();
    session_key(&s, i / 8 % 2 ? KEY_LEFT_ : KEY_RIGHT_, begin);
    session_settle(&s, begin);
    session_draw(&s, c, begin);
    terminal_show(t, c);
    if (i >= 0) v[i] = now() - begin;
  }
  return p95(v, STEPS);
}

/* Inside a child on a terminal of its own: the first scene, then the slowest of all scenes and views. */
static void frame_child(int w, int h, int out) {
  struct world *world = world_open();
  const char *why;
  struct terminal_options o = {.theme = THEME_AUTO, .charset = CHARSET_BRAILLE, .color = 1};
  struct terminal *t = terminal_open(&o, &why);
  struct canvas c;
  if (!t || !canvas_init(&c, w, h)) _exit(1);
  struct cost cost[2] = {{scene_cost(scene_find("roofline"), -1, world, t, &c), ""}, {0, ""}};
  for (int i = 0; i < scene_count; i++)
    for (int k = 0; k < (scene_table[i]->nviews > 0 ? scene_table[i]->nviews : 1); k++) {
      int view = scene_table[i]->nviews > 0 ? scene_table[i]->views[k] : -1;
      double s = scene_cost(scene_table[i], view, world, t, &c);
      if (s <= cost[1].s) continue;
      cost[1].s = s;
      snprintf(cost[1].words, sizeof cost[1].words, "%s%s%s", scene_table[i]->name,
               view < 0 ? "" : " view=", view < 0 ? "" : choice_key(world, knob_table[KNOB_VIEW].list, view));
    }
  terminal_close(t);
  _exit(write(out, cost, sizeof cost) == sizeof cost ? 0 : 1);
}

static void frame_cost(int w, int h, const char *target) {
  struct winsize size = {.ws_row = (unsigned short)h, .ws_col = (unsigned short)w};
  int tell[2], master;
  if (pipe(tell) < 0) return;
  setenv("TERM", "xterm-256color", 1);
  pid_t pid = forkpty(&master, NULL, NULL, &size);
  if (pid == 0) frame_child(w, h, tell[1]);
  close(tell[1]);
  char drain[65536], what[160];
  while (read(master, drain, sizeof drain) > 0) {}
  struct cost cost[2];
  if (read(tell[0], cost, sizeof cost) == sizeof cost) {
    snprintf(what, sizeof what, "compute, draw and doupdate at %dx%d, p95", w, h);
    row(what, 1e3 * cost[0].s, "ms", target);
    snprintf(what, sizeof what, "the same, slowest of all scenes and views (%s), p95", cost[1].words);
    row(what, 1e3 * cost[1].s, "ms", target);
  }
  close(tell[0]);
  close(master);
  waitpid(pid, NULL, 0);
}

static void key_to_byte(int w, int h, bool busy, const char *what, const char *target) {
  pid_t hog[64];
  long cores = busy ? sysconf(_SC_NPROCESSORS_ONLN) : 0;
  if (cores > 64) cores = 64;
  for (long i = 0; i < cores; i++)
    if ((hog[i] = fork()) == 0)
      for (;;) {}
  struct pty *p = quiet_open(w, h);
  pty_frame(p, 0);
  double v[STEPS];
  int n = 0;
  size_t bytes = p->bytes;
  for (int i = 0; i < STEPS && !p->ended; i++, n++) {
    long frames = p->frames;
    double begin = now();
    pty_send(p, i / 8 % 2 ? "\033[D" : "\033[C");
    pty_frame(p, frames);
    v[n] = now() - begin;
  }
  row(what, 1e3 * p95(v, n), "ms", target);
  if (!busy)
    row(w == 100 ? "bytes of a slider step at 100x30, mean" : "bytes of a slider step at 200x60, mean", (double)(p->bytes - bytes) / n,
        "byte", w == 100 ? "<= 300" : "<= 500");
  pty_close(p);
  for (long i = 0; i < cores; i++) kill(hog[i], SIGKILL), waitpid(hog[i], NULL, 0);
}

/* One number of /proc/PID/status or, by position, of /proc/PID/stat. */
static double status_of(pid_t pid, const char *key) {
  char path[64], line[256];
  double v = NAN;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, key, strlen(key)) == 0) v = atof(line + strlen(key));
  if (f) fclose(f);
  return v;
}

static double ticks_of(pid_t pid) {
  char path[64];
  double user = NAN, kernel = NAN;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "r");
  if (!f || fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf", &user, &kernel) != 2) user = NAN;
  if (f) fclose(f);
  return user + kernel;
}

static void idle(double seconds) {
  struct pty *p = quiet_open(100, 30);
  pty_frame(p, 0);
  pty_listen(p, 1);
  double wakes = status_of(p->pid, "voluntary_ctxt_switches:"), ticks = ticks_of(p->pid);
  size_t bytes = pty_listen(p, seconds);
  char what[96];
  snprintf(what, sizeof what, "idle for %.0f s: wake-ups", seconds);
  row(what, status_of(p->pid, "voluntary_ctxt_switches:") - wakes, "", "0");
  row("idle: bytes", (double)bytes, "byte", "0");
  row("idle: CPU ticks", ticks_of(p->pid) - ticks, "", "0");
  size_t before = p->bytes;
  pty_send(p, "Z"); /* bound to nothing */
  pty_listen(p, 0.2);
  row("bytes of a key that changes nothing", (double)(p->bytes - before), "byte", "0");
  pty_close(p);
}

static void memory(void) {
  struct pty *p = quiet_open(200, 60);
  pty_frame(p, 0);
  for (int i = 0; i < 200; i++) pty_send(p, i / 8 % 2 ? "\033[D" : "\033[C"), pty_listen(p, 0.001);
  double before = status_of(p->pid, "VmRSS:");
  row("resident at 200x60", before / 1024, "MiB", "<= 8");
  for (long frames = p->frames, i = 0; p->frames < frames + 10000 && i < 40000 && !p->ended; i++) {
    long last = p->frames;
    pty_send(p, i / 8 % 2 ? "\033[D" : "\033[C");
    pty_frame(p, last);
  }
  row("growth over 10000 frames", status_of(p->pid, "VmRSS:") - before, "KiB", "0");
  /* The first time through all sizes makes room for them; what comes after must not grow. */
  for (int i = -200; i < 1000; i++) {
    if (i == 0) pty_resize(p, 200, 60), pty_listen(p, 0.5), before = status_of(p->pid, "VmRSS:");
    pty_resize(p, 80 + (i + 240) % 120, 24 + (i + 216) % 36);
    pty_listen(p, 0.002);
  }
  pty_resize(p, 200, 60);
  pty_listen(p, 0.5);
  row("growth over 1000 resizes", status_of(p->pid, "VmRSS:") - before, "KiB", "0");
  pty_close(p);
}

static void resize(void) {
  double v[ROUNDS];
  struct pty *p = quiet_open(80, 24);
  pty_frame(p, 0);
  long first = 0;
  for (int i = 0; i < ROUNDS; i++) {
    for (int k = 0; k < 10; k++) pty_resize(p, 90 + k + i, 30);
    long frames = p->frames;
    double begin = now();
    pty_frame(p, frames);
    v[i] = now() - begin;
    pty_listen(p, 0.3);
    if (i == 0) first = p->frames - frames;
  }
  row("resize: last signal to right picture, p95", 1e3 * p95(v, ROUNDS), "ms", "<= 100");
  row("resize: repaints for a burst of 10", (double)first, "", "1");
  pty_close(p);
}

/* Leaving while the machine is being measured, and a terminal that goes away. */
static void leave(void) {
  double quit[5], hang[5];
  for (int i = 0; i < 5; i++) {
    struct pty *p = pty_open(80, 24, WORDS("roofline"), NULL);
    pty_frame(p, 0);
    pty_send(p, "R");
    pty_listen(p, 0.6);
    double begin = now();
    pty_send(p, "q");
    pty_gone(p);
    quit[i] = now() - begin;
    pty_close(p);
    p = quiet_open(80, 24);
    pty_frame(p, 0);
    begin = now();
    kill(p->pid, SIGHUP);
    pty_gone(p);
    hang[i] = now() - begin;
    pty_close(p);
  }
  row("quit while measuring, slowest of 5", 1e3 * quantile(quit, 5, 1), "ms", "<= 200");
  row("gone after the terminal hung up, slowest of 5", 1e3 * quantile(hang, 5, 1), "ms", "<= 500");
}

/* A machine of round numbers, as if measured: nothing measures itself at the start. */
static bool pretend_measured(void) {
  struct world *w = world_open(), *invented = world_invented();
  if (!w || !invented) return false;
  w->device[DEVICE_HERE] = invented->device[DEVICE_HERE];
  struct err e;
  bool saved = machine_save(w, &e);
  if (!saved) fprintf(stderr, "%s\n", e.text);
  free(invented);
  free(w);
  return saved;
}

int main(void) {
  char state[] = "/tmp/ridge-bench-XXXXXX";
  if (!mkdtemp(state)) return 1;
  setenv("XDG_STATE_HOME", state, 1);
  char data[4200];
  snprintf(data, sizeof data, "%s/data", pty_root());
  setenv("RIDGE_DATA", data, 1);
  if (!pretend_measured()) return 1;
  const char *seconds = getenv("RIDGE_BENCH_IDLE_S");
  start_time(true);
  start_time(false);
  frame_cost(100, 30, "<= 1");
  frame_cost(200, 60, "<= 3");
  key_to_byte(100, 30, false, "key to last byte at 100x30, p95", "<= 16");
  key_to_byte(200, 60, false, "key to last byte at 200x60, p95", "<= 16");
  key_to_byte(100, 30, true, "the same with all cores busy, p95", "<= 50");
  idle(seconds ? atof(seconds) : 10);
  memory();
  resize();
  leave();
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", state);
  return system(command) != 0;
}
