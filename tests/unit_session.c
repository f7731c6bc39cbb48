/* Sessions: keystrokes and what the screen then shows, from readable files in tests/session/, replayed without a terminal, a clock or a
 * child. Recorded lines stand in for the child. Without arguments every file there is a test; with arguments only the files named.
 *
 *   world invented|unmeasured   round numbers (100 GFLOP/s, 20 GB/s), or the same machine before it was measured
 *   size W H                    of the screen; 80 24 at the start
 *   open WORDS                  the command line after `ridge`
 *   keys WORDS                  l  <left> <enter> <esc> <^L> …, or "text to type"
 *   paste TEXT
 *   press X Y | wheel up|down X Y   mouse, in columns and rows from 1
 *   wait S                      time passes
 *   see TEXT | not TEXT         TEXT is (not) on the screen
 *   knob KEY VALUE | free KEY   the knob has this value; nobody has set it
 *   hand KEY | fact NAME VALUE  the focused knob or fact; VALUE of a fact, to a thousandth, or a word, or none
 *   scene NAME | share LINE
 *   errand none | machine | measure --part=… | bench WORDS     what the child is started for now, as on its command line
 *   line JSON | lines FILE      what it says
 *   refine                      measuring in the background is allowed
 *   cancelled yes|no            whether it is to be killed
 *   end well | end WORDS        it is gone
 *   effect WORDS                what the shell around is asked for: quit save theme … or none
 *   idle | due S                seconds until something happens by itself */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "app/session.h"
#include "app/worker.h"
#include "kernels/bench.h"
#include "tests/support_pty.h"
#include "tests/support_world.h"
#include "tui/printer.h"

struct replay {
  const char *file;
  int line, w, h, checks;
  double now;
  struct world *world;
  struct session session;
  bool opened, unmeasured;
  char *screen;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
complain(struct replay *r, const char *format, ...) {
  va_list list;
  char words[4000];
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  fail_msg("%s:%d: %s", r->file, r->line, words);
}

/* ---- what a person does ---- */

static uint32_t key_named(struct replay *r, const char *name, size_t n) {
  static const struct {
    const char *name;
    uint32_t key;
  } table[] = {{"left", KEY_LEFT_},    {"right", KEY_RIGHT_},   {"up", KEY_UP_},
               {"down", KEY_DOWN_},    {"home", KEY_HOME_},     {"end", KEY_END_},
               {"pgup", KEY_PAGE_UP},  {"pgdn", KEY_PAGE_DOWN}, {"backtab", KEY_TAB_BACK},
               {"bs", KEY_BACKSPACE_}, {"del", KEY_DELETE_},    {"enter", '\r'},
               {"esc", 0x1b},          {"tab", '\t'},           {"f1", KEY_F0 + 1}};
  if (n == 2 && name[0] == '^') return (uint32_t)(name[1] & 0x1f);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strlen(table[i].name) == n && !strncmp(table[i].name, name, n)) return table[i].key;
  complain(r, "no key is called <%.*s>", (int)n, name);
  return 0;
}

static void keys_send(struct replay *r, const char *p) {
  while (*p) {
    if (*p == ' ')
      p++;
    else if (*p == '"') {
      for (p++; *p && *p != '"'; p++) session_key(&r->session, (unsigned char)*p, r->now);
      if (*p) p++;
    } else if (*p == '<' && strchr(p, '>')) {
      const char *end = strchr(p, '>');
      session_key(&r->session, key_named(r, p + 1, (size_t)(end - p - 1)), r->now);
      p = end + 1;
    } else
      session_key(&r->session, (unsigned char)*p++, r->now);
  }
}

static void settle(struct replay *r) { session_settle(&r->session, r->now); }

/* The screen as it stands now, as text. */
static const char *screen(struct replay *r) {
  struct canvas c;
  size_t n = 0;
  settle(r);
  assert_true(canvas_init(&c, r->w, r->h));
  session_draw(&r->session, &c, r->now);
  free(r->screen);
  r->screen = NULL;
  FILE *f = open_memstream(&r->screen, &n);
  assert_non_null(f);
  assert_true(printer_print(f, &c, FORMAT_TEXT, THEME_MONO, CHARSET_BRAILLE, ""));
  fclose(f);
  canvas_free(&c);
  return r->screen;
}

static void open_words(struct replay *r, char *words) {
  const char *word[32];
  int n = 0;
  struct setup person;
  const struct scene *scene;
  struct err e;
  for (char *w = strtok(words, " "); w && n < 32; w = strtok(NULL, " ")) word[n++] = w;
  if (!r->world) r->world = world_invented();
  if (r->unmeasured) {
    struct device *here = &r->world->device[DEVICE_HERE];
    struct machine machine = here->machine;
    device_clear(here);
    here->machine = machine;
    here->machine.measured = false;
    here->machine.read_byte_per_s = NAN;
    for (int i = 0; i < ISA_N; i++) here->machine.isa_peak[i][0] = here->machine.isa_peak[i][1] = NAN;
    here->nlevel = 0;
  }
  if (!setup_words(r->world, word, n, &scene, &person, &e)) complain(r, "%s", e.text);
  session_open(&r->session, r->world, scene, &person, r->now);
  r->opened = true;
}

/* ---- what is then so ---- */

static void see(struct replay *r, const char *text, bool there) {
  const char *all = screen(r);
  if ((strstr(all, text) != NULL) != there) complain(r, "the screen %s \"%s\":\n%s", there ? "lacks" : "has", text, all);
}

static void equal(struct replay *r, const char *what, const char *found, const char *expected) {
  if (strcmp(found, expected) != 0) complain(r, "%s: expected %s, found %s", what, expected, found);
}

static void fact_check(struct replay *r, const char *rest) {
  char name[64], expected[128] = "";
  settle(r);
  if (sscanf(rest, "%63s %127[^\n]", name, expected) != 2) complain(r, "fact NAME VALUE");
  const struct fact *f = fact_find(r->session.data.fact, r->session.data.nfact, name);
  if (!f) complain(r, "no fact %s", name);
  if (f->word) {
    equal(r, name, f->word, expected);
    return;
  }
  if (strcmp(expected, "none") == 0) {
    if (!isnan(f->value)) complain(r, "%s: expected none, found %g", name, f->value);
    return;
  }
  double v = strtod(expected, NULL);
  if (!(fabs(f->value - v) <= 1e-3 * fabs(v))) complain(r, "%s: expected %s, found %.6g", name, expected, f->value);
}

static void knob_check(struct replay *r, const char *rest, bool free_) {
  char key[64], expected[128] = "", found[256];
  settle(r);
  sscanf(rest, "%63s %127s", key, expected);
  int k = knob_find(key);
  if (k < 0) complain(r, "no knob %s", key);
  if (free_) {
    if (r->session.person.set[k]) complain(r, "%s is set", key);
    return;
  }
  setup_typed(r->world, &r->session.data.setup, k, found, sizeof found);
  equal(r, key, found, expected);
}

static void hand_check(struct replay *r, const char *expected) {
  const struct session *s = &r->session;
  settle(r);
  equal(r, "under the hand",
        s->focus_fact >= 0 ? s->data.fact[s->focus_fact].name
        : s->focus >= 0    ? knob_table[s->focus].key
                           : "nothing",
        expected);
}

static void share_check(struct replay *r, const char *expected) {
  char words[1024], line[1100];
  setup_print(r->world, &r->session.person, words, sizeof words);
  snprintf(line, sizeof line, "%s%s%s", r->session.scene->name, *words ? " " : "", words);
  equal(r, "share", line, expected);
}

static void errand_check(struct replay *r, const char *expected) {
  struct errand e = {.kind = ERRAND_NONE};
  struct worker_command c;
  char words[600] = "none";
  settle(r);
  if (session_wants(&r->session, r->now, &e)) {
    snprintf(words, sizeof words, "machine");
    if (e.kind == ERRAND_REFINE) {
      worker_refine(&c, probe_part_name(e.part));
      snprintf(words, sizeof words, "%s %s", c.text[0], c.text[3]);
    } /* else the command line itself, which starts with `bench` */
    if (e.kind == ERRAND_BENCH) {
      size_t used = 0;
      worker_bench(&c, &e.request, 10);
      for (int i = 0; i < c.n; i++)
        if (strncmp(c.text[i], "seconds=", 8) != 0 && strncmp(c.text[i], "quick=", 6) != 0)
          used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? " " : "", c.text[i]);
    }
  }
  equal(r, "errand", words, expected);
}

static void effect_check(struct replay *r, char *expected) {
  static const struct {
    unsigned bit;
    const char *name;
  } table[] = {{EFFECT_QUIT, "quit"}, {EFFECT_SUSPEND, "suspend"}, {EFFECT_REPAINT, "repaint"}, {EFFECT_MOUSE, "mouse"},
               {EFFECT_SAVE, "save"}, {EFFECT_THEME, "theme"},     {EFFECT_CHARSET, "charset"}, {EFFECT_MACHINE, "machine"}};
  char words[200] = "";
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (r->session.effects & table[i].bit) strcat(strcat(words, *words ? " " : ""), table[i].name);
  equal(r, "effect", *words ? words : "none", expected);
  r->session.effects = 0;
}

static void lines_feed(struct replay *r, const char *name) {
  char path[5000], text[LINE_BYTE_MAX + 2];
  snprintf(path, sizeof path, "%s/tests/session/%s", pty_root(), name);
  FILE *f = fopen(path, "r");
  if (!f) complain(r, "no file %s", path);
  while (fgets(text, sizeof text, f)) {
    text[strcspn(text, "\n")] = 0;
    session_line(&r->session, text, r->now);
  }
  fclose(f);
}

/* ---- the words of a script ---- */

static void mouse_do(struct replay *r, const char *verb, const char *rest) {
  struct event e = {.kind = EVENT_MOUSE, .button = 1};
  char which[8] = "";
  if (strcmp(verb, "press") == 0)
    sscanf(rest, "%d %d", &e.x, &e.y);
  else if (sscanf(rest, "%7s %d %d", which, &e.x, &e.y) == 3)
    e.button = strcmp(which, "up") == 0 ? 4 : 5;
  e.x--, e.y--;
  settle(r);
  session_event(&r->session, &e, "", r->w, r->h, r->now);
}

static bool person_verb(struct replay *r, const char *verb, char *rest) {
  struct session *s = &r->session;
  if (strcmp(verb, "keys") == 0)
    keys_send(r, rest);
  else if (strcmp(verb, "paste") == 0)
    session_event(s, &(struct event){.kind = EVENT_PASTE}, rest, r->w, r->h, r->now);
  else if (strcmp(verb, "press") == 0 || strcmp(verb, "wheel") == 0)
    mouse_do(r, verb, rest);
  else if (strcmp(verb, "wait") == 0)
    r->now += strtod(rest, NULL), session_watch(s, r->now);
  else if (strcmp(verb, "line") == 0)
    session_line(s, rest, r->now);
  else if (strcmp(verb, "lines") == 0)
    lines_feed(r, rest);
  else if (strcmp(verb, "refine") == 0)
    s->refine = true;
  else if (strcmp(verb, "end") == 0)
    session_ended(s, strcmp(rest, "well") == 0, rest, r->now);
  else
    return false;
  return true;
}

static bool check_verb(struct replay *r, const char *verb, char *rest) {
  struct session *s = &r->session;
  if (strcmp(verb, "see") == 0)
    see(r, rest, true);
  else if (strcmp(verb, "not") == 0)
    see(r, rest, false);
  else if (strcmp(verb, "knob") == 0)
    knob_check(r, rest, false);
  else if (strcmp(verb, "free") == 0)
    knob_check(r, rest, true);
  else if (strcmp(verb, "hand") == 0)
    hand_check(r, rest);
  else if (strcmp(verb, "fact") == 0)
    fact_check(r, rest);
  else if (strcmp(verb, "scene") == 0)
    equal(r, "scene", s->scene->name, rest);
  else if (strcmp(verb, "share") == 0)
    share_check(r, rest);
  else if (strcmp(verb, "errand") == 0)
    errand_check(r, rest);
  else if (strcmp(verb, "cancelled") == 0)
    equal(r, "cancelled", s->cancel ? "yes" : "no", rest);
  else if (strcmp(verb, "effect") == 0)
    effect_check(r, rest);
  else if (strcmp(verb, "idle") == 0 || strcmp(verb, "due") == 0) {
    settle(r);
    double due = session_rest(s, r->now);
    if (*verb == 'i' ? !isnan(due) : !(fabs(due - strtod(rest, NULL)) < 1e-6)) complain(r, "due in %g s", due);
  } else
    return false;
  r->checks++;
  return true;
}

static void line_do(struct replay *r, char *line) {
  char *rest = line + strcspn(line, " ");
  if (*rest) *rest++ = 0;
  rest += strspn(rest, " ");
  if (strcmp(line, "size") == 0)
    sscanf(rest, "%d %d", &r->w, &r->h);
  else if (strcmp(line, "world") == 0)
    r->unmeasured = strcmp(rest, "unmeasured") == 0;
  else if (strcmp(line, "open") == 0)
    open_words(r, rest);
  else if (!r->opened)
    complain(r, "open comes first");
  else if (!person_verb(r, line, rest) && !check_verb(r, line, rest))
    complain(r, "what is %s?", line);
}

static void replay(void **state) {
  struct replay *r = calloc(1, sizeof *r);
  char line[LINE_BYTE_MAX + 2];
  assert_non_null(r);
  r->file = *state;
  r->w = 80, r->h = 24;
  FILE *f = fopen(r->file, "r");
  if (!f) complain(r, "cannot be opened");
  while (fgets(line, sizeof line, f)) {
    r->line++;
    line[strcspn(line, "\n")] = 0;
    if (*line && *line != '#') line_do(r, line);
  }
  fclose(f);
  if (r->checks < 3) complain(r, "a session that checks nothing");
  free(r->world);
  free(r->screen);
  free(r);
}

int main(int argc, char **argv) {
  static struct CMUnitTest tests[64];
  glob_t found = {0};
  char pattern[5000];
  snprintf(pattern, sizeof pattern, "%s/tests/session/*.txt", pty_root());
  glob(pattern, 0, NULL, &found);
  size_t n = argc > 1 ? (size_t)argc - 1 : found.gl_pathc;
  if (n == 0 || n > 64) return fprintf(stderr, "no sessions at %s\n", pattern), 1;
  for (size_t i = 0; i < n; i++) {
    char *path = argc > 1 ? argv[i + 1] : found.gl_pathv[i], *slash = strrchr(path, '/');
    tests[i] = (struct CMUnitTest){.name = slash ? slash + 1 : path, .test_func = replay, .initial_state = path};
  }
  int failed = _cmocka_run_group_tests("sessions", tests, n, NULL, NULL);
  globfree(&found);
  return failed;
}
