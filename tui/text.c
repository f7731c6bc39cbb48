/* text: sentences in a bounded string. */
#include "tui/text.h"

#include <math.h>
#include <string.h>

#include "tui/canvas.h"
#include "tui/number.h"

void text_clear(struct text *t) {
  t->n = 0;
  t->s[0] = '\0';
}

void text_add(struct text *t, const char *s) {
  while (*s) {
    uint32_t g;
    int bytes = utf8_decode(s, &g);
    if (t->n + bytes >= TEXT_MAX) break;
    memcpy(t->s + t->n, s, (size_t)bytes);
    t->n += bytes;
    s += bytes;
  }
  t->s[t->n] = '\0';
}

void text_number(struct text *t, double v, const char *unit) {
  char number[NUMBER_MAX];
  text_add(t, number_print(number, v, unit, 3, false));
}

void text_count(struct text *t, double v) {
  char number[NUMBER_MAX];
  text_add(t, number_print(number, v, "n", 4, false));
}

void text_line(struct text *t, const char *label, double v, const char *unit) {
  text_add(t, label);
  if (t->n) text_add(t, " ");
  text_number(t, v, unit);
}

int text_wrap(const char *s, int width, int max, int start[], int length[]) {
  int lines = 0, i = 0;
  if (width < 1) return 0;
  for (;;) {
    while (s[i] == ' ') i++;
    if (!s[i]) return lines;
    int from = i, end = i, fit = i, columns = 0; /* end: after the last whole word; fit: as far as the columns go */
    uint32_t g;
    while (s[fit] && s[fit] != '\n') {
      int bytes = utf8_decode(s + fit, &g);
      if (columns == width) break;
      if (s[fit] == ' ' && fit > from && s[fit - 1] != ' ') end = fit;
      fit += bytes;
      columns++;
    }
    if (!s[fit] || s[fit] == '\n' || s[fit] == ' ') end = fit;
    if (end == from && fit > from) end = fit; /* one word wider than the line */
    int last = end;
    while (last > from && s[last - 1] == ' ') last--;
    if (lines < max) start[lines] = from, length[lines] = last - from;
    lines++;
    i = end;
    if (s[i] == '\n') i++;
  }
}
