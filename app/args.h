/* args: the words after a door's name, split into options and plain words. One table of options for all doors, so that an option looks the
 * same everywhere, and a wrong one is answered with the nearest that this door takes. */
#ifndef RIDGE_ARGS_H
#define RIDGE_ARGS_H

#include <stdbool.h>

#include "data/err.h"
#include "tui/theme.h"

enum option {
  OPTION_JSON,
  OPTION_CSV,
  OPTION_TABLE,
  OPTION_SIZE,
  OPTION_FORMAT,
  OPTION_THEME,
  OPTION_CHARSET,
  OPTION_COLOR,
  OPTION_MOUSE,
  OPTION_FRESH,
  OPTION_QUICK,
  OPTION_THOROUGH,
  OPTION_PART,
  OPTION_SYSTEM,
  OPTION_LINES,
  OPTION_FLOP,
  OPTION_BYTE,
  OPTION_NAME,
  OPTION_RUNS,
  OPTION_EMPTY,
  OPTION_DATA,
  OPTION_HELP,
  OPTION_VERSION, /* these three are taken out by main before any door sees them */
  OPTION_N
};
#define TAKES(option) (1u << (option))
enum { TAKES_LOOKS = TAKES(OPTION_THEME) | TAKES(OPTION_CHARSET) | TAKES(OPTION_COLOR) | TAKES(OPTION_MOUSE) };

enum { ARGS_WORD_MAX = 128 };
struct args {
  const char *value[OPTION_N]; /* NULL: not given; "" for a given option that takes no value */
  const char *word[ARGS_WORD_MAX];
  int nword;
};

/* "--json", "--size 80x24" and "--size=80x24"; "--" ends the options. takes: TAKES() of each option this door knows. Unknown options,
 * missing values and too many words are refused in words. */
bool args_read(struct args *a, int argc, char **argv, unsigned takes, struct err *e);

/* The option whose name starts arg ("--size" or "--size=…"), or OPTION_N. *value: what follows "=", or NULL. */
enum option option_find(const char *arg, const char **value);
bool option_has_value(enum option o);
const char *option_synopsis(enum option o); /* "--size WxH" */
const char *option_words(enum option o);    /* what it does */

/* Whole widths and heights from "80x24"; 1x1 … 1000x400. */
bool args_size(const char *text, int *w, int *h, struct err *e);

/* --theme, --charset and --color as values. Not given: THEME_AUTO, CHARSET_N (choose by locale), -1 (choose by terminal). NO_COLOR, when
 * not empty, is colour 0 unless --color says otherwise. */
struct looks {
  enum theme theme;
  enum charset charset;
  int color;
  bool mouse;
};
bool args_looks(const struct args *a, struct looks *l, struct err *e);

/* A sentence into e->text alone. Always false. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool err_say(struct err *e, const char *format, ...);

#endif
