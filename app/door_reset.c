/* door_reset: the sequences that undo what a killed program left behind. */
#include <stdio.h>

#include "app/args.h"
#include "app/emit.h"
#include "app/visit.h"
#include "tui/terminal.h"

int door_reset(int argc, char **argv) {
  struct args a;
  struct err e;
  if (!args_read(&a, argc, argv, 0, &e)) return door_refuse(&e, 2);
  if (a.nword > 0) return door_refuse_text("reset-terminal takes no words", 2);
  fputs(terminal_reset_string(), stdout);
  return emit_close();
}
