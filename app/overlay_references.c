/* overlay_references: the last part of the help: where what is shown comes from, what to read on, what can be read in two ways. */
#include <string.h>

#include "app/frame_parts.h"
#include "app/overlay_page.h"
#include "scenes/references.h"
#include "tui/number.h"

/* Of two readings: the facts that show them, with their values as they stand. */
static void reading_facts(const struct frame_data *d, const struct reference *r, struct text *out) {
  text_clear(out);
  for (int i = 0; i < 2 && r->fact[i]; i++) {
    const struct fact *f = fact_find(d->fact, d->nfact, r->fact[i]);
    char number[NUMBER_MAX];
    if (!f) continue;
    if (out->s[0]) text_add(out, ", ");
    text_add(out, f->label ? f->label : f->name);
    text_add(out, " ");
    text_add(out, f->word ? f->word : number_print(number, f->value, f->unit, 4, false));
  }
}

void reference_lines(struct page *p, const struct frame *f, const struct frame_data *d) {
  static const char *const title[] = {"Two readings", "Sources", "Tools to do it for real", "Read on"};
  for (int kind = 0; kind < REFERENCE_N; kind++) {
    bool first = true;
    for (int i = 0; i < reference_count; i++) {
      const struct reference *r = &reference_table[i];
      struct text t;
      if ((int)r->kind != kind || (r->scene && strcmp(r->scene, f->scene->name))) continue;
      if (first) page_line(p, "", ROLE_TEXT, 0, 0), page_line(p, title[kind], ROLE_TITLE, ATTR_BOLD, 0);
      first = false;
      page_line(p, r->title, ROLE_KEY, ATTR_BOLD, 0);
      page_line(p, r->words, ROLE_TEXT, 0, 2);
      reading_facts(d, r, &t);
      if (t.s[0]) page_line(p, t.s, ROLE_DIM, 0, 2);
    }
  }
}
