/* terminal_input: bytes of a terminal into events, one byte at a time. Pure: no clock, no descriptor; whoever feeds it waits input_wait()
 * seconds for the rest of a sequence and then calls input_flush(). Unknown CSI, OSC and DCS input is swallowed whole, so a terminal's reply
 * is never taken for keys; a bracketed paste is one event, so a paste never runs commands. */
#ifndef RIDGE_TERMINAL_INPUT_H
#define RIDGE_TERMINAL_INPUT_H

#include <stdbool.h>

#include "tui/terminal.h"

enum { INPUT_QUEUE = 8, INPUT_PARAM = 64, INPUT_PASTE = 4096 };
enum input_state {
  INPUT_GROUND,
  INPUT_UTF8,
  INPUT_ESC,
  INPUT_CSI,
  INPUT_CONSOLE,
  INPUT_SS3,
  INPUT_STRING,
  INPUT_STRING_ESC,
  INPUT_X10,
  INPUT_PASTING
};

struct input {
  enum input_state state;
  struct event queue[INPUT_QUEUE];
  int head, count;
  unsigned char param[INPUT_PARAM]; /* bytes of the sequence so far; more are swallowed, not kept */
  int nparam;
  uint32_t scalar, least; /* UTF-8 under way; the least scalar of its length, so that overlong forms are refused */
  int left;               /* bytes still to come: UTF-8, old mouse */
  char paste[INPUT_PASTE];
  int npaste, match; /* match: bytes of the paste's end seen so far */
};

/* A zeroed struct input is ready. At most two events come out of one byte: take them before the next is fed. */
void input_feed(struct input *in, unsigned char byte);
bool input_take(struct input *in, struct event *out);
/* Seconds to wait for the next byte before input_flush; NAN: nothing is under way. */
double input_wait(const struct input *in);
/* No more bytes came: a lone ESC is the Esc key, a broken sequence is dropped, an unfinished paste ends. */
void input_flush(struct input *in);

#endif
