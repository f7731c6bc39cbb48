/* screen: the door with a terminal. Gives a session its keys, its clock, its child and its screen; decides nothing itself. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/args.h"
#include "app/emit.h"
#include "app/session.h"
#include "app/worker.h"
#include "kernels/bench.h"
#include "tui/printer.h"

enum { REFINE_S = 10 };

struct screen {
  struct terminal *terminal;
  struct canvas canvas;
  struct session session;
  struct worker worker;
  bool drawn;     /* the canvas is what the terminal shows */
  int settled_fd; /* RIDGE_FRAME_FD: the number of frames so far goes there after each, for tests; -1 none */
  long frames;
};

/* ---- saving ---- */

static bool file_write(const struct screen *s, const char *stem, const char *ending) {
  char path[600];
  snprintf(path, sizeof path, "%s.%s", stem, ending);
  FILE *f = fopen(path, "wx"); /* never over something that is there */
  if (!f) return false;
  enum format format = strcmp(ending, "svg") == 0 ? FORMAT_SVG : strcmp(ending, "ansi") == 0 ? FORMAT_ANSI : FORMAT_TEXT;
  bool csv = strcmp(ending, "csv") == 0;
  if (csv) emit_facts(f, s->session.data.fact, s->session.data.nfact);
  bool good =
      csv ? !ferror(f)
          : printer_print(f, &s->canvas, format, terminal_theme(s->terminal), terminal_charset(s->terminal), s->session.scene->question);
  return fclose(f) == 0 && good;
}

/* The first stem in folder with no file of any ending. */
static bool stem_find(const char *folder, const char *scene, char *stem, int size) {
  static const char *const ending[] = {"txt", "ansi", "svg", "csv"};
  for (int n = 1; n < 1000; n++) {
    int have = 0;
    snprintf(stem, (size_t)size, "%sridge-%s-%d", folder, scene, n);
    for (int i = 0; i < 4; i++) {
      char path[600];
      snprintf(path, sizeof path, "%s.%s", stem, ending[i]);
      have += access(path, F_OK) == 0;
    }
    if (!have) return true;
  }
  return false;
}

static void save(struct screen *s) {
  char stem[512], folder[400], words[200];
  struct session *e = &s->session;
  session_settle(e, terminal_clock());
  e->message[0] = 0;
  session_draw(e, &s->canvas, terminal_clock());
  bool here = stem_find("", e->scene->name, stem, sizeof stem) && file_write(s, stem, "txt");
  if (!here &&
      (!home_state(folder, sizeof folder, "") || !stem_find(folder, e->scene->name, stem, sizeof stem) || !file_write(s, stem, "txt"))) {
    session_say(e, "could not save: neither this folder nor the state folder can be written");
    return;
  }
  bool all = file_write(s, stem, "ansi") & file_write(s, stem, "svg") & file_write(s, stem, "csv");
  snprintf(words, sizeof words, all ? "saved %.150s.txt .ansi .svg .csv" : "saved only part of %.150s.*", stem);
  session_say(e, words);
}

/* ---- what the session asks for ---- */

static void looks_next(struct screen *s, unsigned effects) {
  enum theme theme = terminal_theme(s->terminal);
  enum charset charset = terminal_charset(s->terminal);
  char words[80];
  if (effects & EFFECT_THEME) {
    theme = (enum theme)((theme + 1) % THEME_N);
    snprintf(words, sizeof words, "theme: %s", theme_name(theme));
  } else {
    charset = (enum charset)((charset + 1) % CHARSET_N);
    snprintf(words, sizeof words, "glyphs: %s", charset_name(charset));
  }
  terminal_dress(s->terminal, theme, charset);
  s->session.ascii = terminal_charset(s->terminal) == CHARSET_ASCII;
  session_say(&s->session, words);
}

static void mouse_toggle(struct screen *s) {
  bool on = !terminal_mouse_on(s->terminal);
  terminal_mouse(s->terminal, on);
  session_say(&s->session, on ? "mouse on: press a knob, wheel changes it; M off" : "mouse off: the terminal selects text again");
}

static void size_take(struct screen *s) {
  int w, h;
  terminal_size(s->terminal, &w, &h);
  if (!canvas_resize(&s->canvas, w, h)) abort(); /* out of memory for a screen: nothing can go on */
  s->drawn = false;
}

static void worker_end(struct screen *s) {
  char words[200];
  worker_cancel(&s->worker);
  worker_reap(&s->worker, words, sizeof words);
  if (s->session.running.kind == ERRAND_NONE) return;
  s->session.cancel = true;
  session_ended(&s->session, false, words, terminal_clock());
}

static void suspend(struct screen *s) {
  struct errand was = s->session.running;
  worker_end(s); /* what is stopped half-way measures nothing */
  terminal_suspend(s->terminal);
  size_take(s);
  double now = terminal_clock();
  if (was.kind == ERRAND_MACHINE)
    session_measure(&s->session, true, now);
  else if (was.kind == ERRAND_BENCH)
    session_disturb(&s->session, now);
}

/* False: quit. */
static bool effects_do(struct screen *s) {
  unsigned effects = s->session.effects;
  s->session.effects = 0;
  if (effects & EFFECT_QUIT) return false;
  if (effects & EFFECT_SUSPEND) suspend(s);
  if (effects & EFFECT_REPAINT) terminal_repaint(s->terminal);
  if (effects & EFFECT_MOUSE) mouse_toggle(s);
  if (effects & (EFFECT_THEME | EFFECT_CHARSET)) looks_next(s, effects);
  if (effects & EFFECT_SAVE) save(s);
  struct err e;
  if (effects & EFFECT_MACHINE && !machine_save(s->session.world, &e)) session_say(&s->session, e.text);
  if (effects) s->drawn = false;
  return true;
}

/* ---- the child ---- */

static void line_say(const char *line, void *arg) {
  struct screen *s = arg;
  session_line(&s->session, line, terminal_clock());
}

static void worker_event(struct screen *s, int fd) {
  char words[200];
  if (!worker_read(&s->worker, fd, line_say, s)) return;
  bool well = worker_reap(&s->worker, words, sizeof words);
  session_ended(&s->session, well, words, terminal_clock());
  s->drawn = false;
}

static void worker_tend(struct screen *s) {
  struct session *e = &s->session;
  struct errand errand;
  struct worker_command command;
  const char *why;
  session_watch(e, terminal_clock());
  if (e->cancel && !s->worker.cancelled) worker_cancel(&s->worker); /* its pipes will tell when it is gone */
  if (!session_wants(e, terminal_clock(), &errand)) return;
  if (errand.kind == ERRAND_MACHINE)
    worker_measure(&command);
  else if (errand.kind == ERRAND_REFINE)
    worker_refine(&command, probe_part_name(errand.part));
  else
    worker_bench(&command, &errand.request, REFINE_S);
  if (!worker_start(&s->worker, NULL, &command, &why)) session_ended(e, false, why, terminal_clock());
  s->drawn = false;
}

/* ---- the loop ---- */

static void show(struct screen *s) {
  bool new = session_settle(&s->session, terminal_clock());
  if (s->drawn && !new) return;
  session_draw(&s->session, &s->canvas, terminal_clock());
  terminal_show(s->terminal, &s->canvas);
  s->drawn = true;
  s->frames++;
  if (s->settled_fd >= 0 && dprintf(s->settled_fd, "%ld\n", s->frames) < 0) s->settled_fd = -1;
}

/* One event. False: quit; *signal is why, when a signal was. */
static bool event_take(struct screen *s, const struct event *e, int *signal) {
  switch (e->kind) {
  case EVENT_QUIT: *signal = (int)e->key; return false;
  case EVENT_RESIZE:
  case EVENT_RESUME: size_take(s); break;
  case EVENT_KEY:
  case EVENT_PASTE:
  case EVENT_MOUSE:
    session_event(&s->session, e, terminal_paste(s->terminal), s->canvas.w, s->canvas.h, terminal_clock());
    s->drawn = false;
    break;
  case EVENT_PIPE: worker_event(s, e->fd); break;
  case EVENT_TIMER:
  case EVENT_NONE: break;
  }
  return effects_do(s);
}

static int loop(struct screen *s) {
  int signal = 0;
  for (;;) {
    worker_tend(s);
    show(s);
    int fd[2], n = 0;
    if (s->worker.out >= 0) fd[n++] = s->worker.out;
    if (s->worker.err >= 0) fd[n++] = s->worker.err;
    struct event e = terminal_wait(s->terminal, fd, n, session_rest(&s->session, terminal_clock()));
    /* A held key sends faster than a screen need be drawn: everything that is there already is one change. */
    for (int more = 0; e.kind != EVENT_TIMER && more < 256; more++) {
      if (!event_take(s, &e, &signal)) return signal;
      if (e.kind == EVENT_PIPE) break;
      e = terminal_wait(s->terminal, NULL, 0, 0);
    }
  }
}

/* Dies of the signal that asked us to go, so that whoever sent it sees that it was heard. */
static int die(int signal_number) {
  if (!signal_number) return 0;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  return 1;
}

static int refuse(const char *text, int code) {
  fprintf(stderr, "ridge: %s\n", text);
  return code;
}

static int screen_run(struct world *w, const struct scene *scene, const struct setup *person, const struct looks *looks) {
  struct screen *s = calloc(1, sizeof *s);
  if (!s) return refuse("out of memory", 1);
  const char *why, *fd = getenv("RIDGE_FRAME_FD");
  s->settled_fd = fd && *fd ? atoi(fd) : -1;
  worker_init(&s->worker);
  struct terminal_options o = {.theme = looks->theme, .charset = looks->charset, .color = looks->color, .mouse = looks->mouse};
  s->terminal = terminal_open(&o, &why);
  if (!s->terminal) {
    char words[300];
    snprintf(words, sizeof words, "%s; without a terminal: ridge print %s (ridge --help lists the rest)", why, scene->name);
    free(s);
    return refuse(words, 2);
  }
  session_open(&s->session, w, scene, person, terminal_clock());
  const char *refine = getenv("RIDGE_REFINE"); /* "0" on a machine that is not to be busy by itself */
  s->session.refine = !refine || strcmp(refine, "0") != 0;
  s->session.ascii = terminal_charset(s->terminal) == CHARSET_ASCII;
  if (terminal_note(s->terminal)) session_say(&s->session, terminal_note(s->terminal));
  size_take(s);
  int signal = loop(s);
  terminal_close(s->terminal); /* the screen is given back first: it must look instant */
  worker_end(s);
  canvas_free(&s->canvas);
  free(s);
  return die(signal);
}

int door_screen(int argc, char **argv) {
  struct args args;
  struct err e;
  struct looks looks;
  if (!args_read(&args, argc, argv, TAKES_LOOKS, &e) || !args_looks(&args, &looks, &e)) return refuse(e.text, 2);
  struct world *w = world_open();
  if (!w) return 1;
  const struct scene *scene;
  struct setup person;
  int code = setup_words(w, args.word, args.nword, &scene, &person, &e) ? screen_run(w, scene, &person, &looks) : refuse(e.text, 2);
  free(w);
  return code;
}
