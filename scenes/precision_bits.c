/* The bits view: the chosen format's bits as cells, what they mean, and the same number in every format. */
#include <math.h>
#include <string.h>

#include "scenes/precision.h"
#include "tui/number.h"
#include "tui/widget.h"

static double known(const struct view *v, const char *name) { return fact_value(v->fact, v->nfact, name); }

/* The field of a place, from the left. */
static enum role role_of(const struct coding_part *p, int place) {
  return place == 1 ? ROLE_WARN : place <= 1 + p->exponent ? ROLE_COMPUTE : ROLE_MEMORY;
}
static char letter_of(const struct coding_part *p, int place) {
  return place == 1 ? 's' : place <= 1 + p->exponent ? 'e' : p->exponent ? 'm' : 'n';
}
static bool field_ends(const struct coding_part *p, int place) { return place == 1 || (p->exponent > 0 && place == 1 + p->exponent); }

/* Large cells: each bit, its field's letter below it, the one in focus in reverse and marked. Rows are broken where the width ends. Returns
 * the rows used. */
static int draw_cells(struct canvas *c, struct rect r, const struct view *v, const struct precision *q) {
  const struct coding_part *p = coding_part(q->coding);
  int bits = coding_bits(q->coding), cell = (bits + 2) * 3 <= r.w ? 3 : (bits + 2) * 2 <= r.w ? 2 : 1, x = r.x, y = r.y;
  uint64_t flips = precision_flips(v->setup, q->coding);
  for (int place = 1; place <= bits; place++) {
    bool one = q->code >> (bits - place) & 1, turned = flips >> (bits - place) & 1, focus = place == (int)v->setup->v[KNOB_BIT];
    if (x + cell > r.x + r.w) x = r.x, y += 3;
    if (y + 1 >= r.y + r.h) break;
    enum role role = turned ? ROLE_CHANGED : role_of(p, place);
    canvas_put(c, x, y, one ? '1' : '0', role, (one ? ATTR_BOLD : 0) | (focus ? ATTR_REVERSE : 0));
    canvas_put(c, x, y + 1,
               focus    ? '^'
               : turned ? '!'
                        : (uint32_t)letter_of(p, place),
               focus    ? ROLE_FOCUS
               : turned ? ROLE_CHANGED
                        : ROLE_DIM,
               0);
    x += cell;
    if (field_ends(p, place)) x++;
  }
  return y - r.y + 2;
}

static void add_key(struct text *t, double v) {
  char number[NUMBER_MAX];
  text_add(t, number_key(number, v));
}

/* "(1 + 492/1024) x 2^-2 = 0.3701171875": what the fields make. */
static void draw_meaning(struct canvas *c, struct rect r, const struct view *v, const struct precision *q) {
  struct text t;
  const char *kind = fact_word(v->fact, v->nfact, "kind"), *beyond = fact_word(v->fact, v->nfact, "stored_value");
  double bits = known(v, "mantissa_bits");
  text_clear(&t);
  if (strcmp(kind, "integer") == 0)
    text_add(&t, "a whole number");
  else if (*beyond || strcmp(kind, "zero") == 0)
    text_add(&t, *beyond ? "exponent bits all ones" : "all zeros but the sign");
  else {
    text_add(&t, known(v, "sign_bit") > 0 ? "-(" : "(");
    if (strcmp(kind, "normal") == 0) text_add(&t, "1 + ");
    add_key(&t, known(v, "mantissa_field"));
    text_add(&t, "/2^"), add_key(&t, bits), text_add(&t, ") × 2^"), add_key(&t, known(v, "exponent"));
  }
  text_add(&t, " = ");
  if (*beyond)
    text_add(&t, beyond);
  else
    add_key(&t, known(v, "stored_value"));
  canvas_text(c, r.x, r.y, t.s, r.w, ROLE_TEXT, ATTR_BOLD);
  (void)q;
}

/* Numbers of a format's row, where there is room. */
static void row_number(struct canvas *c, int end, int y, int columns, const struct fact *row, int n, const char *name, enum role role,
                       bool ascii) {
  const struct fact *f = fact_find(row, n, name);
  char number[NUMBER_MAX];
  canvas_text_right(c, end - columns + 1, end, y, f->word ? f->word : number_print(number, f->value, f->unit, 3, ascii), role, 0);
}

/* One format a row: its bits without gaps but between the fields, and what comes back. */
static void draw_formats(struct canvas *c, struct rect r, const struct view *v, const struct precision *q) {
  struct fact row[FACT_MAX];
  enum { NAME = 10, BACK = 13, OFF = 10, LARGEST = 11 };
  int off = r.w >= 70 ? OFF : 0, largest = r.w >= 80 ? LARGEST : 0, end = r.x + r.w - BACK - off - largest;
  bool head = r.h > CODING_N;
  if (head) {
    canvas_text_right(c, end + 1, end + BACK, r.y, "stored", ROLE_DIM, 0);
    if (off) canvas_text_right(c, end + BACK + 1, end + BACK + off, r.y, "off by", ROLE_DIM, 0);
    if (largest) canvas_text_right(c, end + BACK + off + 1, end + BACK + off + largest, r.y, "largest", ROLE_DIM, 0);
    r.y++, r.h--;
  }
  for (int i = 0, n; i < r.h && (n = precision_rows(v->world, v->setup, i, row)) > 0; i++) {
    enum coding k = (enum coding)i;
    const struct coding_part *p = coding_part(k);
    uint64_t code = coding_encode(k, q->value, q->saturate);
    int y = r.y + i, bits = coding_bits(k), x = r.x + NAME;
    bool now = k == q->coding;
    enum role role = now ? ROLE_TEXT : ROLE_DIM;
    if (now) canvas_text(c, r.x, y, "▸", -1, ROLE_FOCUS, 0);
    canvas_text(c, r.x + 1, y, coding_name(k), NAME - 2, now ? ROLE_TITLE : ROLE_DIM, 0);
    for (int place = 1; place <= bits && x < end; place++) {
      bool cut = x + 1 == end && place < bits;
      canvas_put(c, x++, y, cut ? 0x2026 : code >> (bits - place) & 1 ? '1' : '0', cut ? ROLE_DIM : role_of(p, place), 0);
      if (field_ends(p, place)) x++;
    }
    if (r.w <= NAME + BACK) continue;
    row_number(c, end + BACK, y, BACK, row, n, "stored_value", role, v->ascii);
    if (off) row_number(c, end + BACK + off, y, off, row, n, "relative_error", role, v->ascii);
    if (largest) row_number(c, end + BACK + off + largest, y, largest, row, n, "largest", role, v->ascii);
  }
}

void precision_draw_bits(struct canvas *c, struct rect r, const struct view *v) {
  struct precision q = precision_of(v->world, v->setup);
  int rows = draw_cells(c, (struct rect){r.x + 1, r.y, r.w - 1, r.h}, v, &q), table = CODING_N + 1;
  if (r.h > rows + 1) draw_meaning(c, (struct rect){r.x + 1, r.y + rows + 1, r.w - 1, 1}, v, &q);
  if (r.h <= rows + 5) return;
  struct rect rest = {r.x, r.y + rows + 3, r.w, r.h - rows - 3};
  draw_formats(c, (struct rect){rest.x, rest.y, rest.w, rest.h < table ? rest.h : table}, v, &q);
  rest.y += table + 1, rest.h -= table + 1;
  if (rest.h >= 5) precision_draw_zoom(c, (struct rect){rest.x + 1, rest.y, rest.w - 2, 5}, &q);
  if (rest.h >= 14) precision_draw_spacing(c, (struct rect){rest.x, rest.y + 6, rest.w, rest.h - 6}, v, &q);
}
