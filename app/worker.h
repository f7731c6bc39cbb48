/* worker: the measuring child as the terminal program sees it: this program again, behind another door, whose lines come through a pipe. A
 * crash, a hang or chatter in there never touches the screen; killing it is instant. */
#ifndef RIDGE_WORKER_H
#define RIDGE_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "data/line.h"
#include "model/run.h"

enum { WORKER_WORD_MAX = 24 };

/* The command line after the program's name, ended by NULL. */
struct worker_command {
  char text[WORKER_WORD_MAX][48];
  char *argv[WORKER_WORD_MAX + 2];
  int n;
};
/* `bench KERNEL key=value…` for r, measuring for at most `seconds`. */
void worker_bench(struct worker_command *c, const struct request *r, double seconds);
/* `measure --json …` */
void worker_measure(struct worker_command *c);
/* `measure --json --thorough --part PART` */
void worker_refine(struct worker_command *c, const char *part);

struct worker {
  pid_t pid;    /* 0: no child */
  int out, err; /* read ends of its stdout and stderr; -1 closed */
  char line[LINE_BYTE_MAX + 2];
  int nline;
  bool skip; /* inside a line too long to be one of ours */
  char said[256];
  int nsaid; /* the last of what it said on stderr */
  bool cancelled;
};

/* Zero children: the state to start from. */
void worker_init(struct worker *w);
/* program NULL: this very program. False with *why in words when no child could be made. */
bool worker_start(struct worker *w, const char *program, struct worker_command *c, const char **why);
/* Something is readable on fd (out or err): take it in. Complete lines go to say. True when the child is done with both pipes: call
 * worker_reap. */
bool worker_read(struct worker *w, int fd, void (*say)(const char *line, void *arg), void *arg);
/* Kill it now; its pipes close by themselves, worker_read then tells. */
void worker_cancel(struct worker *w);
/* Wait for the (dying) child. True when it ended well; otherwise *words says how it ended. Safe when there is none. */
bool worker_reap(struct worker *w, char *words, int size);

#endif
