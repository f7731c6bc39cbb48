#include "data/err.h"

#include <stdio.h>
#include <string.h>

/* Copy what fits, never half of a UTF-8 character, control bytes as '?'. */
static void text_copy(char *out, size_t size, const char *in) {
  size_t n = 0;
  if (in)
    for (; in[n] && n + 1 < size; n++) {
      unsigned char c = (unsigned char)in[n];
      out[n] = c < 0x20 || c == 0x7f ? '?' : in[n];
    }
  if (in && in[n])
    while (n && ((unsigned char)in[n] & 0xc0) == 0x80) n--;
  out[n] = 0;
}

static void text_join(char *out, size_t size, const char *in) {
  size_t n = strlen(out);
  text_copy(out + n, size - n, in);
}

bool err_set(struct err *e, const char *file, int line, int column, const char *key, const char *expected, const char *found) {
  if (!e) return false;
  /* The arguments may point into *e (an error wrapped in another), so the answer is built aside. */
  struct err w = {.line = line, .column = column};
  text_copy(w.file, sizeof w.file, file);
  text_copy(w.key, sizeof w.key, key);
  text_copy(w.expected, sizeof w.expected, expected);
  text_copy(w.found, sizeof w.found, found);
  char place[32] = "";
  if (line > 0 && column > 0) snprintf(place, sizeof place, "%d:%d", line, column);
  if (line > 0 && column <= 0) snprintf(place, sizeof place, "%d", line);
  text_join(w.text, sizeof w.text, w.file);
  if (w.file[0] && place[0]) text_join(w.text, sizeof w.text, ":");
  text_join(w.text, sizeof w.text, place);
  if (w.text[0]) text_join(w.text, sizeof w.text, ": ");
  if (w.key[0]) {
    text_join(w.text, sizeof w.text, w.key);
    text_join(w.text, sizeof w.text, ": ");
  }
  if (w.expected[0]) {
    text_join(w.text, sizeof w.text, "expected ");
    text_join(w.text, sizeof w.text, w.expected);
  }
  if (w.found[0]) {
    text_join(w.text, sizeof w.text, w.expected[0] ? ", found " : "found ");
    text_join(w.text, sizeof w.text, w.found);
  }
  *e = w;
  return false;
}
