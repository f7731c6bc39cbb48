/* app: what the doors share: reading key=value words into a setup, the world with its catalogue and this machine, one frame of any scene.
 * Only app/ prints errors and chooses the exit code: 0 ok, 1 failed, 2 usage. */
#ifndef RIDGE_APP_H
#define RIDGE_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "data/err.h"
#include "model/world.h"
#include "scenes/scene.h"
#include "tui/canvas.h"

/* ---- setup.c: key=value words ---- */
/* Take one "key=value" word into s (choice words, numbers with units, paths to device and model files, which are loaded into w). "key=auto" unsets a knob that
 * follows. Out of range, unknown keys and values are refused with the nearest names. */
bool setup_word(struct world *w, struct setup *s, const char *word, struct err *e);
/* The words of a whole command line, "roofline device=h100-sxm batch=64" or "2.1 n=512", into the scene and a cleared setup. Without a scene
 * word: the first scene of the table. */
bool setup_words(struct world *w, const char *const *word, int n, const struct scene **scene, struct setup *s, struct err *e);
/* The parts of setup_word: which knob a word sets (-1: none, *e says so) and where its value starts; and a value read for a knob, NAN for
 * "auto". */
int setup_key(const char *word, const char **value, struct err *e);
bool setup_read(struct world *w, int knob, const char *value, double *out, struct err *e);
/* A KNOB_TEXT takes words: control bytes are dropped, blanks at the ends too; more than 127 bytes are refused; nothing left unsets it. What
 * the words name (a file of samples) is read at once, and when that fails nothing has changed. */
bool setup_text(struct world *w, struct setup *s, int knob, const char *value, struct err *e);
/* The words of every set knob, "device=h100-sxm batch=64", reading back to the same setup. */
void setup_print(const struct world *w, const struct setup *s, char *out, int size);
/* One knob's value as typed: "h100-sxm", "4096", "on". */
void setup_value(const struct world *w, int knob, double v, char *out, int size);
/* The same of a knob in s, words too. */
void setup_typed(const struct world *w, const struct setup *s, int knob, char *out, int size);
/* The names nearest to wrong among a list, for "did you mean"; "" when none is near. */
void nearest_names(const char *wrong, const char *(*name)(int i, const void *arg), int n, const void *arg, char *out, int size);

/* ---- home.c: folders and files ---- */
const char *home_data(void);    /* the folder with devices/ and models/: RIDGE_DATA, beside the binary, or the installed place. It is put into
                                 * RIDGE_DATA, so that a child finds the same */
bool home_state(char *out, int size, const char *name); /* a path in $XDG_STATE_HOME/ridge/, folders made */
bool home_config(char *out, int size, const char *name);
/* The whole world as every door starts with it: catalogue, here, saved machine file. Caller owns (large): calloc'd, free with free(). */
struct world *world_open(void); /* warnings go to stderr; NULL when there is no data folder, said on stderr */
/* The same, with each warning given to warn instead. */
struct world *world_read(void (*warn)(const struct err *, void *), void *arg, struct err *e);
bool machine_load(struct world *w);  /* this machine's saved figures into device `here`; false: not measured yet */
bool machine_path(const struct world *w, char *out, int size); /* where they are kept */
bool machine_save(const struct world *w, struct err *e);
/* Whose file this machine's figures come from, and which: a person's own goes before the one made for all. "" and none when there is none. */
enum machine_owner { MACHINE_NONE, MACHINE_MINE, MACHINE_SYSTEM };
enum machine_owner machine_file(const struct world *w, char *out, int size);
/* Keeps them for all users of this machine, in /var/lib/ridge (or RIDGE_SYSTEM); needs the right to write there. */
bool machine_save_system(const struct world *w, struct err *e);

/* ---- frame.c: one whole screen ---- */
struct frame {             /* what the frame shows around a scene, all decided by the caller */
  const struct scene *scene;
  const struct setup *person; /* what the person set */
  const struct world *world;
  const struct trail *trail;
  struct axes *axes;       /* kept from frame to frame by the caller */
  int focus, focus_fact, changed, scroll;
  double time;
  bool stale, ascii, measuring;
  double done, total;      /* progress of what is being measured */
  const char *message;     /* one line that replaces the key bar's left part; NULL none */
  const char *refining; /* what is measured quietly in the background; NULL nothing */
  const char *progress;    /* what is being measured, before the bar; NULL: no more is known */
  bool editing; const char *edit; /* a value being typed for the focused knob */
  enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_SCENES, OVERLAY_SHARE, OVERLAY_WHY } overlay;
  const char *search; int choice; /* in OVERLAY_SCENES */
};
/* Computed once per change, used by every frame until the next. */
struct frame_data { struct setup setup; struct fact fact[FACT_MAX]; int nfact; struct text verdict; bool measurable; /* m would run something */ };
void frame_compute(const struct frame *f, struct frame_data *d);
enum overlay frame_overlay(const struct frame *f, const struct frame_data *d); /* what lies over the scene: the frame's, else why=on */
/* The point that a scene shows, for model/why: its own, else the run of the first thing it measures. False: the scene has no points at all. */
bool frame_why(const struct world *w, const struct scene *s, const struct setup *resolved, struct why_input *in);
bool frame_hides(const struct frame_data *d); /* measured values wait for a guess */
void frame_draw(struct canvas *c, const struct frame *f, const struct frame_data *d);
/* The knob drawn at column x, row y of a w×h screen, -1 none; *fact becomes the index of a fact drawn there, else is left alone. */
int frame_at(const struct frame *f, const struct frame_data *d, int w, int h, int x, int y, int *fact);

/* Scenes whose name, number or question has the words of search: indices into scene_table; returns how many. */
int overlay_scenes(const char *search, int out[], int max);

/* ---- keys.c: one table that dispatches keys, prints help, `ridge keys` and README's key table ---- */
enum action {
  ACTION_NONE, ACTION_TURN, ACTION_COARSE, ACTION_LIMIT, ACTION_MOVE, ACTION_PANEL, ACTION_TYPE, ACTION_MEASURE, ACTION_MACHINE, ACTION_GUESS,
  ACTION_DETAIL, ACTION_PEAK, ACTION_BANDWIDTH, ACTION_RESET, ACTION_REFIT, ACTION_PART, ACTION_SCENE, ACTION_BACK, ACTION_LIST, ACTION_SEARCH,
  ACTION_FOUND, ACTION_HELP, ACTION_CLOSE, ACTION_SHARE, ACTION_SAVE, ACTION_THEME, ACTION_CHARSET, ACTION_MOUSE, ACTION_PRESENT, ACTION_WHY,
  ACTION_REPAINT, ACTION_SUSPEND, ACTION_QUIT
};
enum { KEY_ROW_KEYS = 10 };
struct key_row {
  const char *keys, *verb, *words; /* as printed: "← → h l", "turn", what it does */
  int code;                        /* enum action */
  bool pair;                       /* its keys come in pairs: the first of each goes down or back, the second up or on */
  uint32_t key[KEY_ROW_KEYS];      /* enum key of tui/terminal.h or characters; 0 ends */
};
extern const struct key_row key_table[];
extern const int key_count;
/* The action bound to key; *direction is -1 or +1 for pairs, the digit for ACTION_PART, else 0. */
enum action key_action(uint32_t key, int *direction);

/* ---- doors: each takes the arguments after its name ---- */
int door_screen(int argc, char **argv);   /* the terminal program */
/* What a scene asks, takes, shows and tells, as text: ridge SCENE --help. False: there is no such scene (nothing printed). */
bool scene_help(const char *name_or_address);
/* The references of a scene and of all, as text to read; NULL: every scene's. */
void references_print(const struct scene *s);
int door_print(int argc, char **argv);
int door_sweep(int argc, char **argv);
int door_snapshot(int argc, char **argv);
int door_bench(int argc, char **argv);
void bench_help(void); /* its keys, with what each takes */
int door_measure(int argc, char **argv);
int door_time(int argc, char **argv);
int door_record(int argc, char **argv);
int door_list(int argc, char **argv);     /* argv[0] says which: scenes knobs facts kernels devices models keys */
int door_doctor(int argc, char **argv);
int door_reset(int argc, char **argv);

#endif
