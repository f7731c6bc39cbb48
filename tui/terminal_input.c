#include "tui/terminal_input.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void event_push(struct input *in, struct event e) {
  if (in->count == INPUT_QUEUE) return; /* cannot happen when events are taken after each byte; losing one beats overrunning */
  in->queue[(in->head + in->count++) % INPUT_QUEUE] = e;
}

static void key_push(struct input *in, uint32_t key) { event_push(in, (struct event){.kind = EVENT_KEY, .key = key}); }

static void state_set(struct input *in, enum input_state s) {
  in->state = s;
  in->nparam = 0;
}

static void ground_feed(struct input *in, unsigned char b) {
  in->state = INPUT_GROUND;
  if (b == 0x1b)
    state_set(in, INPUT_ESC);
  else if (b == 0x7f || b == 0x08)
    key_push(in, KEY_BACKSPACE_);
  else if (b == '\n')
    key_push(in, '\r');
  else if (b == 0)
    return;
  else if (b < 0x80)
    key_push(in, b);
  else if (b >= 0xc2 && b <= 0xdf)
    in->state = INPUT_UTF8, in->scalar = b & 0x1f, in->left = 1, in->least = 0x80;
  else if (b >= 0xe0 && b <= 0xef)
    in->state = INPUT_UTF8, in->scalar = b & 0x0f, in->left = 2, in->least = 0x800;
  else if (b >= 0xf0 && b <= 0xf4)
    in->state = INPUT_UTF8, in->scalar = b & 0x07, in->left = 3, in->least = 0x10000;
}

static void utf8_feed(struct input *in, unsigned char b) {
  if ((b & 0xc0) != 0x80) { /* broken: forget it, the byte starts something new */
    ground_feed(in, b);
    return;
  }
  in->scalar = in->scalar << 6 | (b & 0x3f);
  if (--in->left) return;
  in->state = INPUT_GROUND;
  bool surrogate = in->scalar >= 0xd800 && in->scalar <= 0xdfff;
  if (in->scalar >= in->least && in->scalar <= 0x10ffff && !surrogate && in->scalar >= 0xa0) key_push(in, in->scalar);
}

/* The keys whose last byte names them, after ESC [ (with or without modifiers) or ESC O. */
static uint32_t letter_key(unsigned char b) {
  switch (b) {
  case 'A': return KEY_UP_;
  case 'B': return KEY_DOWN_;
  case 'C': return KEY_RIGHT_;
  case 'D': return KEY_LEFT_;
  case 'H': return KEY_HOME_;
  case 'F': return KEY_END_;
  case 'P': return KEY_F0 + 1;
  case 'Q': return KEY_F0 + 2;
  case 'R': return KEY_F0 + 3;
  case 'S': return KEY_F0 + 4;
  case 'Z': return KEY_TAB_BACK;
  default: return 0;
  }
}

static uint32_t number_key_code(int n) {
  static const struct {
    uint8_t n;
    uint32_t key;
  } table[] = {{1, KEY_HOME_},   {3, KEY_DELETE_},  {4, KEY_END_},     {5, KEY_PAGE_UP}, {6, KEY_PAGE_DOWN},
               {7, KEY_HOME_},   {8, KEY_END_},     {11, KEY_F0 + 1},  {12, KEY_F0 + 2}, {13, KEY_F0 + 3},
               {14, KEY_F0 + 4}, {15, KEY_F0 + 5},  {17, KEY_F0 + 6},  {18, KEY_F0 + 7}, {19, KEY_F0 + 8},
               {20, KEY_F0 + 9}, {21, KEY_F0 + 10}, {23, KEY_F0 + 11}, {24, KEY_F0 + 12}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].n == n) return table[i].key;
  return 0;
}

/* Up to `max` numbers separated by ';' from byte `from` on; -1 when anything else stands there. */
static int param_read(const struct input *in, int from, int *out, int max) {
  int n = 0, value = 0;
  for (int i = from; i <= in->nparam; i++) {
    if (i == in->nparam || in->param[i] == ';') {
      if (n == max) return -1;
      out[n++] = value;
      value = 0;
    } else if (in->param[i] >= '0' && in->param[i] <= '9') {
      value = value * 10 + (in->param[i] - '0');
      if (value > 99999) return -1;
    } else
      return -1;
  }
  return n;
}

static void mouse_push(struct input *in, int code, int x, int y, bool press) {
  if (!press || code & 32 || x < 1 || y < 1) return; /* releases and motion are nobody's business */
  int button = code & 64 ? 4 + (code & 1) : (code & 3) + 1;
  if (code & 64 ? (code & 3) > 1 : button > 3) return;
  event_push(in, (struct event){.kind = EVENT_MOUSE, .x = x - 1, .y = y - 1, .button = button});
}

static void csi_end(struct input *in, unsigned char final) {
  int p[4];
  int n = in->nparam;
  state_set(in, INPUT_GROUND);
  in->nparam = n; /* the bytes are still needed below */
  if (n && in->param[0] == '<') {
    if ((final == 'M' || final == 'm') && param_read(in, 1, p, 4) == 3) mouse_push(in, p[0], p[1], p[2], final == 'M');
  } else if (final == 'M' && n == 0) {
    state_set(in, INPUT_X10);
    in->left = 3;
  } else if (final == '~') {
    int count = param_read(in, 0, p, 4);
    if (count < 1) return;
    if (p[0] == 200)
      in->state = INPUT_PASTING, in->npaste = 0, in->match = 0;
    else if (number_key_code(p[0]))
      key_push(in, number_key_code(p[0]));
  } else if (param_read(in, 0, p, 4) >= 0 && letter_key(final)) {
    /* F1…F4 share their letters with replies such as ESC [ 5 ; 9 R (cursor position): those name a place, the keys name key 1 */
    bool reply = final >= 'P' && final <= 'S' && n && p[0] != 1;
    if (final == 'R' && n && param_read(in, 0, p, 4) > 1 && p[0] == 1) reply = p[1] > 8; /* 1;2R … 1;8R is F3 with modifiers */
    if (!reply) key_push(in, letter_key(final));
  }
}

static void csi_feed(struct input *in, unsigned char b) {
  if (b == 0x1b)
    state_set(in, INPUT_ESC);
  else if (b == 0x18 || b == 0x1a)
    state_set(in, INPUT_GROUND);
  else if (b == '[' && in->nparam == 0)
    state_set(in, INPUT_CONSOLE);
  else if (b >= 0x40 && b <= 0x7e)
    csi_end(in, b);
  else if (b >= 0x20 && b < 0x40 && in->nparam < INPUT_PARAM)
    in->param[in->nparam++] = b;
}

static void esc_feed(struct input *in, unsigned char b) {
  switch (b) {
  case '[': state_set(in, INPUT_CSI); break;
  case 'O': state_set(in, INPUT_SS3); break;
  case ']':
  case 'P':
  case '_':
  case '^':
  case 'X': state_set(in, INPUT_STRING); break;
  case 0x1b: key_push(in, 0x1b); break; /* the first was Esc; the second may begin a sequence */
  default: key_push(in, 0x1b); ground_feed(in, b);
  }
}

static void paste_feed(struct input *in, unsigned char b) {
  static const char end[] = "\033[201~";
  if (b == (unsigned char)end[in->match]) {
    if (end[++in->match]) return;
    input_flush(in);
    return;
  }
  for (int i = 0; i < in->match; i++) /* it only looked like the end */
    if (in->npaste < INPUT_PASTE - 1) in->paste[in->npaste++] = end[i];
  in->match = b == 0x1b;
  if (!in->match && in->npaste < INPUT_PASTE - 1) in->paste[in->npaste++] = (char)b;
}

void input_feed(struct input *in, unsigned char b) {
  switch (in->state) {
  case INPUT_GROUND: ground_feed(in, b); break;
  case INPUT_UTF8: utf8_feed(in, b); break;
  case INPUT_ESC: esc_feed(in, b); break;
  case INPUT_CSI: csi_feed(in, b); break;
  case INPUT_CONSOLE: /* ESC [ [ A … E: the Linux console's F1 … F5 */
    in->state = INPUT_GROUND;
    if (b >= 'A' && b <= 'E') key_push(in, KEY_F0 + 1 + (b - 'A'));
    break;
  case INPUT_SS3:
    if (b == 0x1b)
      state_set(in, INPUT_ESC);
    else if (b >= '0' && b <= ';')
      break; /* modifiers some terminals put here */
    else {
      in->state = INPUT_GROUND;
      if (b == 'M')
        key_push(in, '\r'); /* the keypad's Enter */
      else if (letter_key(b) && b != 'Z')
        key_push(in, letter_key(b));
    }
    break;
  case INPUT_STRING:
    if (b == 0x1b)
      in->state = INPUT_STRING_ESC;
    else if (b == 0x07 || b == 0x18 || b == 0x1a)
      in->state = INPUT_GROUND;
    break;
  case INPUT_STRING_ESC:
    if (b == '\\')
      in->state = INPUT_GROUND;
    else {
      state_set(in, INPUT_ESC);
      esc_feed(in, b);
    }
    break;
  case INPUT_X10: /* the old mouse report: three bytes, each 32 more than it says */
    in->param[in->nparam++] = b;
    if (--in->left) break;
    in->state = INPUT_GROUND;
    mouse_push(in, in->param[0] - 32, in->param[1] - 32, in->param[2] - 32, (in->param[0] & 3) != 3);
    break;
  case INPUT_PASTING: paste_feed(in, b); break;
  }
}

bool input_take(struct input *in, struct event *out) {
  if (!in->count) return false;
  *out = in->queue[in->head];
  in->head = (in->head + 1) % INPUT_QUEUE;
  in->count--;
  return true;
}

double input_wait(const struct input *in) {
  switch (in->state) {
  case INPUT_GROUND: return (double)NAN;
  case INPUT_ESC: return 0.05; /* Esc by hand must feel immediate */
  case INPUT_STRING:
  case INPUT_STRING_ESC: return 0.5; /* a reply over a slow line may come in pieces */
  case INPUT_PASTING: return 1.0;
  default: return 0.25;
  }
}

void input_flush(struct input *in) {
  enum input_state was = in->state;
  state_set(in, INPUT_GROUND);
  if (was == INPUT_ESC) key_push(in, 0x1b);
  if (was == INPUT_PASTING) {
    in->paste[in->npaste] = 0;
    event_push(in, (struct event){.kind = EVENT_PASTE});
  }
}
