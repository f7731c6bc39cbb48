/* scene_help: a scene in words: what it asks, its views, the knobs it takes; and what stands behind it. Needs no data and no terminal. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/emit.h"
#include "scenes/references.h"
#include "tui/number.h"

enum { WRAP = 78, COLUMN = 24 };

/* A word, and what it means, wrapped beside it. */
static void pair_print(const char *left, const char *right) {
  int start[16], length[16], n = text_wrap(right, WRAP - COLUMN, 16, start, length);
  int w = (int)strlen(left);
  printf("  %s%*s", left, w < COLUMN - 2 ? COLUMN - 2 - w : 1, "");
  for (int i = 0; i < n && i < 16; i++) printf("%*s%.*s\n", i ? COLUMN : 0, "", length[i], right + start[i]);
  if (n == 0) putchar('\n');
}

/* What a knob takes: its range, on or off, words. */
static void range_text(const struct knob *k, char *out, size_t size) {
  char lo[NUMBER_MAX], hi[NUMBER_MAX];
  number_key(lo, k->lo);
  number_key(hi, k->hi);
  switch (k->kind) {
  case KNOB_SWITCH: snprintf(out, size, "%s=on|off", k->key); break;
  case KNOB_CHOICE: snprintf(out, size, "%s=WORD", k->key); break;
  case KNOB_TEXT: snprintf(out, size, "%s=TEXT", k->key); break;
  default: snprintf(out, size, "%s=%s..%s", k->key, lo, hi);
  }
}

bool scene_help(const char *name) {
  const struct scene *s = scene_find(name);
  char key[160];
  if (!s) return false;
  printf("%s %s: %s\n", s->address, s->name, s->question);
  if (s->section) printf("About %s.\n", s->section);
  printf("\nusage: ridge %s [key=value…]            the screen; ? there explains the word in focus\n", s->name);
  printf("       ridge print %s [key=value…]      its numbers and its verdict%s\n", s->name, s->rows ? ", and a table" : "");
  if (s->nviews > 0) {
    printf("\nviews (view=…):");
    for (int i = 0; i < s->nviews; i++) printf(" %s", view_name((enum view_id)s->views[i]));
    putchar('\n');
  }
  puts("\nknobs:");
  for (int i = 0; i < s->nknobs; i++) {
    const struct knob *k = &knob_table[s->knobs[i]];
    if (k->hidden) continue;
    range_text(k, key, sizeof key);
    pair_print(key, k->help ? k->help : k->label);
  }
  printf("\nridge knobs %s lists their words and starts, ridge facts %s every number with its formula.\n", s->name, s->name);
  if (s->next && *s->next) printf("Next: ridge %s\n", s->next);
  return true;
}

/* Text in lines, set in from the left. */
static void text_print(const char *words, int indent) {
  int start[16], length[16], n = text_wrap(words, WRAP - indent, 16, start, length);
  for (int i = 0; i < n && i < 16; i++) printf("%*s%.*s\n", indent, "", length[i], words + start[i]);
}

void references_print(const struct scene *s) {
  for (int kind = 0; kind < REFERENCE_N; kind++) {
    bool first = true;
    for (int i = 0; i < reference_count; i++) {
      const struct reference *r = &reference_table[i];
      if ((int)r->kind != kind || (s && r->scene && strcmp(r->scene, s->name) != 0)) continue;
      if (first) printf("%s%s\n", kind ? "\n" : "", reference_kind_name(r->kind));
      first = false;
      printf("  %s%s%s%s\n", r->title, r->scene ? " (" : "", r->scene ? r->scene : "", r->scene ? ")" : "");
      text_print(r->words, 6);
      if (r->fact[0]) printf("      facts: %s%s%s\n", r->fact[0], r->fact[1] ? ", " : "", r->fact[1] ? r->fact[1] : "");
    }
  }
}
