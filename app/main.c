/* main: which door. Nothing else is decided here. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"

#define RIDGE_VERSION "0.1"

static const struct door {
  const char *name;
  int (*enter)(int argc, char **argv);
  bool named; /* the door wants its own name as argv[0] */
  const char *takes, *words;
  unsigned options;
} door_table[] = {
    {"print", door_print, false, "SCENE [key=value…] [--json|--csv] [--table]", "the numbers of a scene, its table and its verdict",
     TAKES(OPTION_JSON) | TAKES(OPTION_CSV) | TAKES(OPTION_TABLE) | TAKES(OPTION_LINES)},
    {"sweep", door_sweep, false, "SCENE key=FROM..TO[:COUNT] [fact…] [key=value…] [--csv|--json]",
     "facts against one knob: every octave, or COUNT points", TAKES(OPTION_JSON) | TAKES(OPTION_CSV) | TAKES(OPTION_LINES)},
    {"snapshot", door_snapshot, false, "SCENE [key=value…] [--size 80x24] [--format F] [--theme T] [--charset C]",
     "the screen as text, ansi, svg or roles",
     TAKES(OPTION_SIZE) | TAKES(OPTION_FORMAT) | TAKES(OPTION_THEME) | TAKES(OPTION_CHARSET) | TAKES(OPTION_COLOR) | TAKES(OPTION_LINES)},
    {"bench", door_bench, false, "KERNEL [key=value…]",
     "run one kernel (ridge kernels lists them), a line of JSON a step", 0},
    {"measure", door_measure, false, "[--fresh] [--quick] [--thorough] [--part PART] [--system] [--json]",
     "measure this machine's roofs and keep them",
     TAKES(OPTION_FRESH) | TAKES(OPTION_QUICK) | TAKES(OPTION_THOROUGH) | TAKES(OPTION_PART) | TAKES(OPTION_SYSTEM) | TAKES(OPTION_JSON)},
    {"time", door_time, false, "--flop F --byte B [--name TEXT] [--runs N] [--empty CMD] -- COMMAND…",
     "time a command, its start-up taken off: a line for samples=",
     TAKES(OPTION_FLOP) | TAKES(OPTION_BYTE) | TAKES(OPTION_NAME) | TAKES(OPTION_RUNS) | TAKES(OPTION_EMPTY)},
    {"record", door_record, false, "[FILE] [key=value…] [--json] [--lines FILE]",
     "a benchmark's record: what it lacks, whether it can be true, what a token costs", TAKES(OPTION_JSON) | TAKES(OPTION_LINES)},
    {"scenes", door_list, true, "[--json]", "the questions, with their addresses", TAKES(OPTION_JSON)},
    {"knobs", door_list, true, "[SCENE] [--json]", "everything that key=value can set, with ranges", TAKES(OPTION_JSON)},
    {"facts", door_list, true, "[SCENE] [--json]", "every named number, with unit and formula", TAKES(OPTION_JSON)},
    {"kernels", door_list, true, "[--json]", "the computations that can be run and timed", TAKES(OPTION_JSON)},
    {"devices", door_list, true, "[--json]", "the devices and their figures", TAKES(OPTION_JSON)},
    {"models", door_list, true, "[--json]", "the language models and their shapes", TAKES(OPTION_JSON)},
    {"keys", door_list, true, "[--json]", "what each key does", TAKES(OPTION_JSON)},
    {"references", door_list, true, "[SCENE] [--json]", "sources, tools, further topics; where the chapter can be read in two ways",
     TAKES(OPTION_JSON)},
    {"doctor", door_doctor, false, "", "what works here and why not: terminal, cores, caches, data, state", 0},
    {"reset-terminal", door_reset, false, "", "undo what a killed program left behind on the terminal", 0},
};
enum { DOOR_COUNT = sizeof door_table / sizeof *door_table };

static const struct door *door_find(const char *name) {
  for (int i = 0; i < DOOR_COUNT; i++)
    if (strcmp(door_table[i].name, name) == 0) return &door_table[i];
  return NULL;
}

static void help_options(unsigned options) {
  for (int o = 0; o < OPTION_N; o++)
    if (options & TAKES(o)) printf("  %-16s %s\n", option_synopsis((enum option)o), option_words((enum option)o));
}

static void help_door(const struct door *d) {
  printf("usage: ridge %s%s%s\n\n%s\n", d->name, *d->takes ? " " : "", d->takes, d->words);
  if (d->enter == door_bench) bench_help();
  if (d->options) puts("\noptions:");
  help_options(d->options | TAKES(OPTION_DATA));
}

static void help(void) {
  puts("ridge shows what limits a computation: arithmetic, memory, or the link between host and accelerator.\n"
       "It predicts the limit, runs the computation on this machine, and puts the measured point beside it.\n\n"
       "usage: ridge [SCENE] [key=value…]      open the screen, at a scene by name or address (ridge 2.1)\n"
       "       ridge COMMAND …                 without a terminal\n"
       "       ridge SCENE --help, ridge COMMAND --help   what each takes\n\ncommands:");
  for (int i = 0; i < DOOR_COUNT; i++) printf("  %-16s %s\n", door_table[i].name, door_table[i].words);
  puts("\noptions:");
  help_options(TAKES_LOOKS | TAKES(OPTION_DATA) | TAKES(OPTION_HELP) | TAKES(OPTION_VERSION));
  puts("\nscenes:");
  for (int i = 0; i < scene_count; i++) printf("  %s %-12s %s\n", scene_table[i]->address, scene_table[i]->name, scene_table[i]->question);
}

/* Takes --data, --help and --version out of argv, and the door's name, which is the first word that is neither an option nor an option's
 * value. What is left is the door's. Options that nobody knows stay: the door names its nearest. */
struct command {
  const struct door *door;
  const char *data;
  bool help, version, data_missing;
  int argc;
  char **argv; /* argv[0] kept free for doors that want their name */
};

static struct command command_read(int argc, char **argv) {
  struct command c = {.argv = calloc((size_t)argc + 2, sizeof *argv)};
  if (!c.argv) abort();
  bool only_words = false, word_seen = false;
  for (int i = 1; i < argc; i++) {
    const char *value = NULL;
    enum option o = !only_words && argv[i][0] == '-' ? option_find(argv[i], &value) : OPTION_N;
    only_words |= strcmp(argv[i], "--") == 0;
    if (o == OPTION_HELP || o == OPTION_VERSION) {
      c.help |= o == OPTION_HELP;
      c.version |= o == OPTION_VERSION;
    } else if (o == OPTION_DATA) {
      c.data = value ? value : i + 1 < argc ? argv[++i] : NULL;
      c.data_missing = !c.data || !*c.data;
    } else if (o != OPTION_N) {
      c.argv[1 + c.argc++] = argv[i];
      if (option_has_value(o) && !value && i + 1 < argc) c.argv[1 + c.argc++] = argv[++i];
    } else {
      bool word = only_words || argv[i][0] != '-';
      if (word && !word_seen && !only_words) c.door = door_find(argv[i]);
      if (!(word && !word_seen && c.door)) c.argv[1 + c.argc++] = argv[i];
      word_seen |= word;
    }
  }
  return c;
}

int main(int argc, char **argv) {
  setlocale(LC_CTYPE, "");
  struct command c = command_read(argc, argv);
  int code = 0;
  if (c.data_missing) {
    fputs("ridge: --data needs a value: the folder with devices/ and models/\n", stderr);
    code = 2;
  } else if (c.help) {
    const char *word = c.argc > 0 ? c.argv[1] : "";
    if (c.door && strncmp(c.door->takes, "SCENE", 5) == 0 && scene_find(word)) {
      printf("usage: ridge %s %s\n\n", c.door->name, c.door->takes);
      scene_help(word);
    } else if (c.door) {
      help_door(c.door);
    } else if (!scene_help(word)) {
      help();
    }
    code = emit_close();
  } else if (c.version) {
    puts("ridge " RIDGE_VERSION);
    code = emit_close();
  } else {
    if (c.data) setenv("RIDGE_DATA", c.data, 1);
    if (!c.door) {
      code = door_screen(c.argc, c.argv + 1);
    } else if (c.door->named) {
      char name[16];
      snprintf(name, sizeof name, "%s", c.door->name);
      c.argv[0] = name;
      code = c.door->enter(c.argc + 1, c.argv);
    } else {
      code = c.door->enter(c.argc, c.argv + 1);
    }
  }
  free(c.argv);
  return code;
}
