/* Keys: bytes of a terminal into events, and the table that gives keys their meaning. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "tui/terminal_input.h"

/* ---- the decoder ---- */

/* Feeds bytes and writes what came out as words: "a <up> <esc> <paste:text> <mouse 1 3 4>". A '|' in the input stands for a wait long
 * enough to end what is under way. */
static const char *decode(const char *bytes, size_t n) {
  static char out[4096];
  struct input in;
  struct event e;
  size_t used = 0;
  memset(&in, 0, sizeof in);
  out[0] = 0;
  for (size_t i = 0; i <= n; i++) {
    if (i == n) break;
    if (bytes[i] == '|')
      input_flush(&in);
    else
      input_feed(&in, (unsigned char)bytes[i]);
    while (input_take(&in, &e)) {
      char word[64];
      if (e.kind == EVENT_PASTE)
        snprintf(word, sizeof word, "<paste:%.40s>", in.paste);
      else if (e.kind == EVENT_MOUSE)
        snprintf(word, sizeof word, "<mouse %d %d %d>", e.button, e.x, e.y);
      else
        switch (e.key) {
        case KEY_UP_: strcpy(word, "<up>"); break;
        case KEY_DOWN_: strcpy(word, "<down>"); break;
        case KEY_LEFT_: strcpy(word, "<left>"); break;
        case KEY_RIGHT_: strcpy(word, "<right>"); break;
        case KEY_HOME_: strcpy(word, "<home>"); break;
        case KEY_END_: strcpy(word, "<end>"); break;
        case KEY_PAGE_UP: strcpy(word, "<pgup>"); break;
        case KEY_PAGE_DOWN: strcpy(word, "<pgdn>"); break;
        case KEY_TAB_BACK: strcpy(word, "<backtab>"); break;
        case KEY_BACKSPACE_: strcpy(word, "<bs>"); break;
        case KEY_DELETE_: strcpy(word, "<del>"); break;
        case 0x1b: strcpy(word, "<esc>"); break;
        case '\r': strcpy(word, "<enter>"); break;
        default:
          if (e.key >= KEY_F0)
            snprintf(word, sizeof word, "<f%u>", e.key - KEY_F0);
          else if (e.key < 0x20)
            snprintf(word, sizeof word, "<^%c>", (char)(e.key + 64));
          else if (e.key < 0x7f)
            snprintf(word, sizeof word, "%c", (char)e.key);
          else
            snprintf(word, sizeof word, "<U+%04X>", e.key);
        }
      used += (size_t)snprintf(out + used, sizeof out - used, "%s", word);
    }
  }
  return out;
}

#define DECODE(bytes, words) assert_string_equal(decode(bytes, sizeof(bytes) - 1), words)

static void test_plain(void **state) {
  (void)state;
  DECODE("aZ0 ?", "aZ0 ?");
  DECODE("\r\n", "<enter><enter>");
  DECODE("\t", "<^I>");
  DECODE("\x03\x1a\x0c\x15", "<^C><^Z><^L><^U>");
  DECODE("\x7f\x08", "<bs><bs>");
  DECODE("\0x", "x");
}

static void test_utf8(void **state) {
  (void)state;
  DECODE("\xc2\xb5", "<U+00B5>");
  DECODE("\xe2\x86\x92", "<U+2192>");
  DECODE("\xf0\x9f\x98\x80", "<U+1F600>");
  DECODE("\xe2x", "x"); /* broken off: the next byte is its own key */
  DECODE("\xe2\x86q", "q");
  DECODE("\xc0\xafq", "q"); /* overlong */
  DECODE("\xe0\x80\xafq", "q");
  DECODE("\xed\xa0\x80q", "q");     /* a surrogate */
  DECODE("\xf4\x90\x80\x80q", "q"); /* beyond Unicode */
  DECODE("\xff\xfeq", "q");
  DECODE("\xe2|q", "q");
}

static void test_arrows(void **state) {
  (void)state;
  DECODE("\033[A\033[B\033[C\033[D", "<up><down><right><left>");
  DECODE("\033OA\033OB\033OC\033OD", "<up><down><right><left>");
  DECODE("\033[1;2A\033[1;5D", "<up><left>");
  DECODE("\033[H\033[F\033OH\033OF", "<home><end><home><end>");
  DECODE("\033[1~\033[4~\033[7~\033[8~", "<home><end><home><end>");
  DECODE("\033[5~\033[6~\033[3~\033[Z", "<pgup><pgdn><del><backtab>");
  DECODE("\033[5;2~", "<pgup>");
  DECODE("\033OP\033[11~\033[[A\033[15~\033[24~", "<f1><f1><f1><f5><f12>");
  DECODE("\033OM", "<enter>");
}

static void test_escape(void **state) {
  (void)state;
  DECODE("\033|", "<esc>");
  DECODE("\033|q", "<esc>q");
  DECODE("\033q", "<esc>q");
  DECODE("\033\033[A", "<esc><up>");
  DECODE("\033[|q", "q"); /* broken off: dropped, not typed */
  DECODE("\033O|q", "q");
  DECODE("\033[1;|q", "q");
  DECODE("\033[\033[A", "<up>");
  DECODE("\033[12\030q", "q");
}

static void test_swallow(void **state) {
  (void)state;
  DECODE("\033[?1;2cq", "q");  /* device attributes */
  DECODE("\033[24;80Rq", "q"); /* cursor position */
  DECODE("\033[1;80Rq", "q");  /* the same in the first row is not F3 */
  DECODE("\033[1;2R", "<f3>");
  DECODE("\033[>41;354;0cq", "q");
  DECODE("\033[Iq\033[Oq", "qq"); /* focus */
  DECODE("\033[97;5uq", "q");     /* keyboards that report everything */
  DECODE("\033[27;5;97~q", "q");
  DECODE("\033]11;rgb:0000/0000/0000\007q", "q"); /* colours */
  DECODE("\033]11;rgb:ffff/ffff/ffff\033\\q", "q");
  DECODE("\033P1$r0 q\033\\q", "q");
  DECODE("\033_Gi=1;OK\033\\q", "q");
  DECODE("\033^pm\033\\\033Xsos\033\\q", "q");
  DECODE("\033]broken|q", "q");
  DECODE("\033]0;x\033[A", "<up>"); /* a new sequence ends a broken string */
  DECODE("\033[?2026;2$yq", "q");
}

static void test_long(void **state) {
  (void)state;
  char bytes[3000];
  memset(bytes, '1', sizeof bytes);
  memcpy(bytes, "\033[", 2);
  bytes[sizeof bytes - 2] = 'z';
  bytes[sizeof bytes - 1] = 'q';
  assert_string_equal(decode(bytes, sizeof bytes), "q");
}

static void test_paste(void **state) {
  (void)state;
  DECODE("\033[200~q\rm\033[201~x", "<paste:q\rm>x");
  DECODE("\033[200~\033[20\033[201~x", "<paste:\033[20>x");
  DECODE("\033[200~\033\033[201~x", "<paste:\033>x");
  DECODE("\033[200~\033[A\033[201~", "<paste:\033[A>");
  DECODE("\033[200~abc|q", "<paste:abc>q"); /* the end never came */
  DECODE("\033[200~\033[201~", "<paste:>");
  DECODE("\033[201~q", "q");
  static char big[INPUT_PASTE * 3];
  memset(big, 'q', sizeof big);
  memcpy(big, "\033[200~", 6);
  memcpy(big + sizeof big - 7, "\033[201~x", 7);
  assert_string_equal(decode(big, sizeof big), "<paste:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq>x");
}

static void test_mouse(void **state) {
  (void)state;
  DECODE("\033[<0;10;5M\033[<0;10;5m", "<mouse 1 9 4>");
  DECODE("\033[<2;1;1M", "<mouse 3 0 0>");
  DECODE("\033[<64;3;4M\033[<65;3;4M", "<mouse 4 2 3><mouse 5 2 3>");
  DECODE("\033[<35;3;4Mq", "q"); /* motion */
  DECODE("\033[<0;0;4Mq", "q");
  DECODE("\033[<0;3Mq", "q");
  DECODE("\033[M !!q", "<mouse 1 0 0>q"); /* the old form */
  DECODE("\033[M#!!q", "q");              /* its release */
  DECODE("\033[<0;99999999;1Mq", "q");
}

/* A lone ESC must be answered within 25 … 50 ms, and the rest of an arrow may be 20 ms late. */
static void test_wait(void **state) {
  (void)state;
  struct input in;
  memset(&in, 0, sizeof in);
  assert_true(isnan(input_wait(&in)));
  input_feed(&in, 0x1b);
  assert_true(input_wait(&in) >= 0.025 && input_wait(&in) <= 0.05);
  input_feed(&in, '[');
  assert_true(input_wait(&in) > 0.02);
  input_feed(&in, 'A');
  assert_true(isnan(input_wait(&in)));
}

/* Any bytes at all: never a crash, never more events waiting than there is room for, and always back to rest after a flush. */
static void test_noise(void **state) {
  (void)state;
  static const char likely[] = "\033[]OP<;~M0129AaqR?$\\\007\x9b\xe2\x86|";
  uint32_t random = 12345;
  struct input in;
  struct event e;
  memset(&in, 0, sizeof in);
  for (int i = 0; i < 300000; i++) {
    random = random * 1664525u + 1013904223u;
    unsigned char b = random >> 31 ? (unsigned char)(random >> 20) : (unsigned char)likely[(random >> 16) % (sizeof likely - 1)];
    input_feed(&in, b);
    assert_true(in.count <= 2);
    while (input_take(&in, &e)) assert_true(e.kind == EVENT_KEY || e.kind == EVENT_MOUSE || e.kind == EVENT_PASTE);
    if (random % 97 == 0) {
      input_flush(&in);
      while (input_take(&in, &e)) continue;
      assert_true(isnan(input_wait(&in)));
    }
  }
}

/* ---- the table ---- */

static void test_unique(void **state) {
  (void)state;
  for (int i = 0; i < key_count; i++) {
    int n = 0;
    for (; n < KEY_ROW_KEYS && key_table[i].key[n]; n++) {
      int direction;
      assert_int_equal(key_action(key_table[i].key[n], &direction), key_table[i].code);
    }
    assert_true(n > 0);
    if (key_table[i].pair) assert_int_equal(n % 2, 0);
    for (int j = 0; j < i; j++) assert_int_not_equal(key_table[i].code, key_table[j].code);
  }
}

/* Flow control and the prefixes of screen and tmux stay free; arrows and hjkl are never verbs. */
static void test_unbound(void **state) {
  (void)state;
  int d;
  for (const char *p = "\x13\x11\x02\x01"; *p; p++) assert_int_equal(key_action((unsigned char)*p, &d), ACTION_NONE);
  assert_int_equal(key_action('h', &d), ACTION_TURN);
  assert_int_equal(d, -1);
  assert_int_equal(key_action('l', &d), ACTION_TURN);
  assert_int_equal(d, 1);
  assert_int_equal(key_action('k', &d), ACTION_MOVE);
  assert_int_equal(d, -1);
  assert_int_equal(key_action('j', &d), ACTION_MOVE);
  assert_int_equal(d, 1);
  assert_int_equal(key_action('q', &d), ACTION_QUIT);
  assert_int_equal(key_action('4', &d), ACTION_PART);
  assert_int_equal(d, 4);
  assert_int_equal(key_action(0x2603, &d), ACTION_NONE);
}

static const char *key_word(uint32_t k) {
  static char word[8];
  switch (k) {
  case KEY_LEFT_: return "←";
  case KEY_RIGHT_: return "→";
  case KEY_UP_: return "↑";
  case KEY_DOWN_: return "↓";
  case KEY_HOME_: return "Home";
  case KEY_END_: return "End";
  case KEY_PAGE_UP: return "PgUp";
  case KEY_PAGE_DOWN: return "PgDn";
  case KEY_TAB_BACK: return "Shift-Tab";
  case KEY_BACKSPACE_: return "Backspace";
  case KEY_F0 + 1: return "F1";
  case '\t': return "Tab";
  case '\r': return "Enter";
  case 0x1b: return "Esc";
  default: snprintf(word, sizeof word, k < 0x20 ? "^%c" : "%c", (char)(k < 0x20 ? k + 64 : k)); return word;
  }
}

/* What help prints for a row is what the row does: each printed word is the name of a bound key, in the same order. */
static void test_words(void **state) {
  (void)state;
  for (int i = 0; i < key_count; i++) {
    char words[64];
    int k = 0;
    snprintf(words, sizeof words, "%s", key_table[i].keys);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
      if (strcmp(w, "…") == 0) { /* "1 … 6": all between */
        while (key_table[i].key[k + 1]) k++;
        continue;
      }
      assert_string_equal(w, key_word(key_table[i].key[k]));
      k++;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),   cmocka_unit_test(test_utf8),  cmocka_unit_test(test_arrows), cmocka_unit_test(test_escape),
      cmocka_unit_test(test_swallow), cmocka_unit_test(test_long),  cmocka_unit_test(test_paste),  cmocka_unit_test(test_mouse),
      cmocka_unit_test(test_wait),    cmocka_unit_test(test_noise), cmocka_unit_test(test_unique), cmocka_unit_test(test_unbound),
      cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
