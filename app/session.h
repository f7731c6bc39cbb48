/* session: everything the terminal program knows between two events, and what each event does to it. Pure but for the person's own device
 * files: no terminal, no clock (the time comes in), no child (it says what it wants measured and takes the lines). So a script of keys and
 * a file of recorded lines replay it exactly; app/screen.c gives it a terminal and a child. */
#ifndef RIDGE_SESSION_H
#define RIDGE_SESSION_H

#include "app/app.h"
#include "data/line.h"
#include "tui/terminal.h"

enum errand_kind { ERRAND_NONE, ERRAND_MACHINE, ERRAND_BENCH, ERRAND_REFINE };
/* Something the measuring child is to do. */
struct errand {
  enum errand_kind kind;
  struct request request; /* ERRAND_BENCH */
  int part;               /* ERRAND_REFINE: the i-th of the parts of a machine's measurement */
  bool again;             /* earlier samples are dropped when the first new one is here */
};

enum session_mode { MODE_KEYS, MODE_EDIT, MODE_LIST, MODE_SEARCH };
enum effect { /* what the shell around the session is asked to do */
              EFFECT_QUIT = 1,
              EFFECT_SUSPEND = 2,
              EFFECT_REPAINT = 4,
              EFFECT_MOUSE = 8,
              EFFECT_SAVE = 16,
              EFFECT_THEME = 32,
              EFFECT_CHARSET = 64,
              EFFECT_MACHINE = 128 /* the machine's figures are complete: keep them */
};

enum { SESSION_BACK = 32, SESSION_EDIT = 160 };
struct session {
  struct world *world; /* not owned */
  struct setup person;
  const struct scene *scene;
  const struct scene *back[SESSION_BACK];
  int nback;
  struct axes axes;
  struct trail trail;
  struct frame_data data; /* of the last settle */
  int focus, focus_fact, changed, scroll, choice;
  enum overlay overlay;
  enum session_mode mode;
  char edit[SESSION_EDIT]; /* a value, a scene or a word being typed */
  int edit_knob;
  char found[SESSION_EDIT]; /* what n and N look for again */
  char message[200];
  bool ascii, dirty; /* dirty: the facts do not match the setup yet */
  unsigned effects;  /* taken and cleared by the shell */
  double opened_at;

  struct errand queue[REQUEST_MAX];
  int nqueue;
  struct errand running;
  bool cancel;    /* the shell must kill the child; session_ended follows */
  bool fresh;     /* no sample of this errand is in yet */
  bool tried;     /* this machine was to be measured once already: do not insist */
  bool measured;  /* enough figures of this machine have come in this errand */
  double heard_at; /* when the child last said something */
  double rest_at; /* when the knobs have rested long enough to measure; NAN: nothing waits */
  bool refine;       /* the shell allows measuring in the background */
  unsigned refined;  /* bits of the parts that were: do not insist */
  double refine_at;  /* when it has been quiet long enough; NAN: nothing is left to refine, or it is not quiet */
  double show_at; /* when lines already taken in are due on the screen; NAN none */
  double done, total;
  char progress[128];
};

enum { REST_MS = 150, SHOW_MS = 250, SILENCE_S = 120 };

void session_open(struct session *s, struct world *w, const struct scene *scene, const struct setup *person, double now);
/* Keys, pastes (only into a text field) and mouse presses. w, h: the screen, for what lies under the mouse. */
void session_event(struct session *s, const struct event *e, const char *paste, int w, int h, double now);
void session_key(struct session *s, uint32_t key, double now);
/* Once per batch of events: the facts follow the setup. False when nothing has changed. */
bool session_settle(struct session *s, double now);
/* Draws as of the last settle; what just changed is marked in this drawing only. */
void session_draw(struct session *s, struct canvas *c, double now);
/* Says words in the key bar until the next key. */
void session_say(struct session *s, const char *words);

/* Seconds until session_settle or session_wants has something to do; NAN: only an event can bring anything. */
double session_rest(const struct session *s, double now);
/* Gives up on a child that has said nothing for SILENCE_S: it hangs. */
void session_watch(struct session *s, double now);
/* True when a child should be started now for *out, which then counts as running until session_ended. */
bool session_wants(struct session *s, double now, struct errand *out);
void session_line(struct session *s, const char *text, double now);
/* The child of the running errand is gone: well, or with words why not. */
void session_ended(struct session *s, bool well, const char *words, double now);

/* ---- session_key.c, session_measure.c and session_refine.c share ---- */
/* Nothing else is to be done: the next part to measure again in the background, when it has been quiet long enough. */
bool session_refines(struct session *s, double now, struct errand *out);
void session_go(struct session *s, const struct scene *scene, double now);
void session_set(struct session *s, int knob, double v, double now);
void session_touch(struct session *s, int knob, double now); /* the same for a knob that already holds its new value */
void session_disturb(struct session *s, double now); /* a knob moved: end what runs for the old setting, wait for rest */
void session_more(struct session *s); /* all that the scene wants measured waits its turn, its point first, where it is not known yet */
void session_measure(struct session *s, bool machine, double now);
struct frame session_frame(struct session *s, double now);

#endif
