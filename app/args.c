#include "app/args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

static const struct {
  const char *name, *value, *synopsis, *words;
} option_table[OPTION_N] = {
    [OPTION_JSON] = {"--json", NULL, "--json", "data as JSON"},
    [OPTION_CSV] = {"--csv", NULL, "--csv", "data as comma-separated values"},
    [OPTION_TABLE] = {"--table", NULL, "--table", "the scene's table alone, without its facts; with --csv for a spreadsheet"},
    [OPTION_SIZE] = {"--size", "WxH", "--size WxH", "columns and rows of the picture (80x24)"},
    [OPTION_FORMAT] = {"--format", "F", "--format F", "text, ansi, svg or roles"},
    [OPTION_THEME] = {"--theme", "T", "--theme T", "auto, dark, light, mono, cvd or contrast"},
    [OPTION_CHARSET] = {"--charset", "C", "--charset C", "braille, block, acs or ascii"},
    [OPTION_COLOR] = {"--color", "WHEN", "--color WHEN", "auto, never or always (beats NO_COLOR)"},
    [OPTION_MOUSE] = {"--mouse", NULL, "--mouse", "the mouse is on from the start"},
    [OPTION_FRESH] = {"--fresh", NULL, "--fresh", "measure again, even if this machine is known"},
    [OPTION_QUICK] = {"--quick", NULL, "--quick", "measure what is drawn, about 3 s: what it does unless told otherwise"},
    [OPTION_THOROUGH] = {"--thorough", NULL, "--thorough", "measure everything, about 30 s"},
    [OPTION_PART] = {"--part", "PART", "--part PART", "measure only arithmetic, memory, levels, staircase or sustained"},
    [OPTION_SYSTEM] = {"--system", NULL, "--system", "measure for all users of this machine: sudo ridge measure --system"},
    [OPTION_LINES] = {"--lines", "FILE", "--lines FILE",
                      "what bench or measure --json printed here earlier, as if just measured; - is stdin"},
    [OPTION_FLOP] = {"--flop", "F", "--flop F", "arithmetic of one run of the command: 2e9, 2 GFLOP"},
    [OPTION_BYTE] = {"--byte", "B", "--byte B", "bytes it moves to and from memory: 1.2e9, 1.2 GB"},
    [OPTION_NAME] = {"--name", "TEXT", "--name TEXT", "what to call it (the command itself)"},
    [OPTION_RUNS] = {"--runs", "N", "--runs N", "how often it is run, after one that does not count (7)"},
    [OPTION_EMPTY] = {"--empty", "CMD", "--empty CMD", "a command that only starts up, in place of true: \"python3 -c pass\""},
    [OPTION_DATA] = {"--data", "DIR", "--data DIR", "the folder with devices/ and models/"},
    [OPTION_HELP] = {"--help", NULL, "--help", "what the program or a command takes"},
    [OPTION_VERSION] = {"--version", NULL, "--version", "the version"},
};

bool err_say(struct err *e, const char *format, ...) {
  memset(e, 0, sizeof *e);
  va_list list;
  va_start(list, format);
  vsnprintf(e->text, sizeof e->text, format, list);
  va_end(list);
  /* The words may hold anything; a terminal must not act on them. 0xc2 leads the second set of control characters. */
  for (unsigned char *c = (unsigned char *)e->text; *c; c++) {
    if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
    if (*c < 0x20 || *c == 0x7f) *c = '?';
  }
  return false;
}

bool option_has_value(enum option o) { return option_table[o].value != NULL; }

const char *option_synopsis(enum option o) { return option_table[o].synopsis; }

const char *option_words(enum option o) { return option_table[o].words; }

enum option option_find(const char *arg, const char **value) {
  *value = NULL;
  if (strcmp(arg, "-h") == 0) return OPTION_HELP;
  const char *equals = strchr(arg, '=');
  size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
  for (int o = 0; o < OPTION_N; o++)
    if (strlen(option_table[o].name) == n && strncmp(option_table[o].name, arg, n) == 0) {
      if (equals) *value = equals + 1;
      return (enum option)o;
    }
  return OPTION_N;
}

/* The i-th option that a door takes, for "did you mean". */
static const char *option_name(int i, const void *arg) {
  unsigned takes = *(const unsigned *)arg | TAKES(OPTION_DATA) | TAKES(OPTION_HELP) | TAKES(OPTION_VERSION);
  for (int o = 0; o < OPTION_N; o++)
    if ((takes & TAKES(o)) && i-- == 0) return option_table[o].name;
  return "";
}

static int option_count(unsigned takes) {
  int n = 0;
  for (int i = 0; i < OPTION_N; i++) n += *option_name(i, &takes) != 0;
  return n;
}

bool args_read(struct args *a, int argc, char **argv, unsigned takes, struct err *e) {
  memset(a, 0, sizeof *a);
  bool only_words = false;
  for (int i = 0; i < argc; i++) {
    const char *arg = argv[i], *value;
    if (!only_words && strcmp(arg, "--") == 0) {
      only_words = true;
    } else if (!only_words && arg[0] == '-' && arg[1]) {
      enum option o = option_find(arg, &value);
      if (o == OPTION_N || !(takes & TAKES(o))) {
        char near[160];
        nearest_names(arg, option_name, option_count(takes), &takes, near, sizeof near);
        return err_say(e, "unknown option %s%s%s%s", arg, *near ? ": did you mean " : "", near, *near ? "?" : "; see ridge --help");
      }
      if (option_has_value(o) && !value) {
        if (i + 1 >= argc) return err_say(e, "%s needs a value: %s", option_table[o].name, option_table[o].synopsis);
        value = argv[++i];
      } else if (!option_has_value(o) && value) {
        return err_say(e, "%s takes no value", option_table[o].name);
      }
      a->value[o] = value ? value : "";
    } else {
      if (a->nword == ARGS_WORD_MAX) return err_say(e, "too many words: at most %d", ARGS_WORD_MAX);
      a->word[a->nword++] = arg;
    }
  }
  return true;
}

bool args_size(const char *text, int *w, int *h, struct err *e) {
  char *end;
  long a = strtol(text, &end, 10), b = 0;
  bool fine = end != text && (*end == 'x' || *end == 'X') && text[0] >= '0' && text[0] <= '9' && end[1] >= '0' && end[1] <= '9';
  if (fine) b = strtol(end + 1, &end, 10);
  if (!fine || *end || a < 1 || a > 1000 || b < 1 || b > 400) return err_say(e, "--size: expected 1x1 … 1000x400, found %s", text);
  *w = (int)a;
  *h = (int)b;
  return true;
}

static const char *theme_word(int i, const void *arg) {
  (void)arg;
  return theme_name((enum theme)i);
}

static const char *charset_word(int i, const void *arg) {
  (void)arg;
  return charset_name((enum charset)i);
}

/* "--theme: expected auto, dark, …, found drak: did you mean dark?" */
static bool refuse_word(const char *option, const char *found, const char *(*name)(int, const void *), int n, struct err *e) {
  char all[200] = "", near[100];
  for (int i = 0; i < n; i++) {
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ", name(i, NULL));
  }
  nearest_names(found, name, n, NULL, near, sizeof near);
  return err_say(e, "%s: expected %s, found %s%s%s%s", option, all, found, *near ? ": did you mean " : "", near, *near ? "?" : "");
}

bool args_looks(const struct args *a, struct looks *l, struct err *e) {
  *l = (struct looks){THEME_AUTO, CHARSET_N, -1, a->value[OPTION_MOUSE] != NULL};
  if (a->value[OPTION_THEME]) {
    l->theme = theme_find(a->value[OPTION_THEME]);
    if (l->theme == THEME_N) return refuse_word("--theme", a->value[OPTION_THEME], theme_word, THEME_N, e);
  }
  if (a->value[OPTION_CHARSET]) {
    l->charset = charset_find(a->value[OPTION_CHARSET]);
    if (l->charset == CHARSET_N) return refuse_word("--charset", a->value[OPTION_CHARSET], charset_word, CHARSET_N, e);
  }
  const char *none = getenv("NO_COLOR"), *color = a->value[OPTION_COLOR];
  if (none && *none) l->color = 0;
  if (color) {
    if (strcmp(color, "auto") == 0)
      l->color = -1;
    else if (strcmp(color, "never") == 0)
      l->color = 0;
    else if (strcmp(color, "always") == 0)
      l->color = 1;
    else
      return err_say(e, "--color: expected auto, never or always, found %s", color);
  }
  return true;
}
