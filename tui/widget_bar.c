/* widget_bar: stacked bars and their legends. Parts are told apart three ways: colour, pattern, letter. */
#include <math.h>

#include "tui/widget.h"

enum { PART_MAX = 32, GLYPH_FREE = 0xb7, GLYPH_OVER = 0x25b8 };

int widget_pattern(enum role role) {
  switch (role) {
  case ROLE_MEMORY: return 0;
  case ROLE_KV:
  case ROLE_COMPUTE: return 1;
  case ROLE_ACTIVATION:
  case ROLE_LINK: return 2;
  case ROLE_GRADIENT:
  case ROLE_FIXED: return 4;
  case ROLE_OPTIMIZER: return 3;
  default: return 0;
  }
}

/* Where each part ends, in cells from the start: `position` maps a running sum to cells. Every part > 0 gets a cell of its own while there
 * is room; an unknown part gets one too, for its '?'. Returns the number of parts considered. */
static int parts_place(const struct part *part, int n, int room, double (*position)(double sum, const void *arg), const void *arg,
                       int end[PART_MAX]) {
  double sum = 0;
  int last = 0;
  if (n > PART_MAX) n = PART_MAX;
  for (int i = 0; i < n; i++) {
    double v = part[i].value;
    bool unknown = isnan(v);
    if (v > 0) sum += v;
    double at = position(sum, arg);
    int cell = at >= room ? room : at > 0 ? (int)floor(at + 0.5) : 0;
    if (cell < last) cell = last;
    if ((v > 0 || unknown) && cell == last && last < room) cell = last + 1;
    end[i] = last = cell;
  }
  return n;
}

static void part_fill(struct canvas *c, struct rect r, const struct part *p) {
  if (r.w < 1 || r.h < 1) return;
  if (isnan(p->value)) {
    for (int y = r.y; y < r.y + r.h; y++)
      for (int x = r.x; x < r.x + r.w; x++) canvas_put(c, x, y, '?', ROLE_WARN, 0);
    return;
  }
  canvas_fill(c, r, p->role, widget_pattern(p->role));
}

static void part_letter(struct canvas *c, struct rect r, const struct part *p, int least) {
  if (r.w < least || r.h < 1 || p->letter <= ' ' || isnan(p->value)) return;
  canvas_put(c, r.x + (r.w - 1) / 2, r.y + (r.h - 1) / 2, (unsigned char)p->letter, p->role, ATTR_REVERSE | ATTR_BOLD);
}

static double total_of(const struct part *part, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    if (part[i].value > 0) sum += part[i].value;
  return sum;
}

/* ---- across ---- */

struct across {
  double full;
  int w;
};
static double across_position(double sum, const void *arg) {
  const struct across *a = arg;
  return isinf(sum) ? a->w : sum / a->full * a->w;
}

void widget_bar(struct canvas *c, struct rect r, const struct part *part, int n, double full, double mark) {
  int end[PART_MAX], last = 0;
  if (r.w < 1 || r.h < 1) return;
  double sum = total_of(part, n);
  if (!(full > 0) || !isfinite(full)) full = sum > 0 && isfinite(sum) ? sum : 1;
  struct across a = {full, r.w};
  n = parts_place(part, n, r.w, across_position, &a, end);
  for (int i = 0; i < n; i++) {
    struct rect cells = {r.x + last, r.y, end[i] - last, r.h};
    part_fill(c, cells, &part[i]);
    part_letter(c, cells, &part[i], 3);
    last = end[i];
  }
  for (int y = r.y; y < r.y + r.h; y++) {
    for (int x = r.x + last; x < r.x + r.w; x++) canvas_put(c, x, y, GLYPH_FREE, ROLE_FREE, 0);
    if (sum > full * 1.0005) {
      struct cell *k = canvas_at(c, r.x + r.w - 1, y);
      if (k) k->glyph = 0;
      canvas_put(c, r.x + r.w - 1, y, GLYPH_OVER, ROLE_BAD, ATTR_REVERSE);
    }
  }
  if (mark >= 0 && mark <= full * 1.0005) {
    int x = r.x + (int)floor(mark / full * r.w);
    if (x > r.x + r.w - 1) x = r.x + r.w - 1;
    for (int y = r.y; y < r.y + r.h; y++) {
      struct cell *k = canvas_at(c, x, y);
      if (k) k->glyph = 0;
      canvas_put(c, x, y, 0x2502, ROLE_KEY, ATTR_BOLD);
    }
  }
}

/* ---- upwards ---- */

struct upward {
  double lo, hi;
  int h;
  bool log;
};
static double upward_position(double sum, const void *arg) {
  const struct upward *u = arg;
  if (isinf(sum)) return u->h;
  if (u->log) return sum > u->lo ? log(sum / u->lo) / log(u->hi / u->lo) * u->h : 0;
  return (sum - u->lo) / (u->hi - u->lo) * u->h;
}

void widget_column(struct canvas *c, struct rect r, const struct part *part, int n, double lo, double hi, bool log_scale) {
  int end[PART_MAX], last = 0;
  if (r.w < 1 || r.h < 1) return;
  if (!isfinite(lo) || (log_scale && !(lo > 0))) lo = log_scale ? 1e-3 : 0;
  if (!isfinite(hi) || !(hi > lo)) hi = log_scale ? lo * 10 : lo + 1;
  struct upward u = {lo, hi, r.h, log_scale};
  double sum = total_of(part, n);
  n = parts_place(part, n, r.h, upward_position, &u, end);
  for (int i = 0; i < n; i++) {
    struct rect cells = {r.x, r.y + r.h - end[i], r.w, end[i] - last};
    part_fill(c, cells, &part[i]);
    part_letter(c, cells, &part[i], r.w >= 3 ? 3 : 1);
    last = end[i];
  }
  if (sum > hi * 1.0005)
    for (int x = r.x; x < r.x + r.w; x++) {
      struct cell *k = canvas_at(c, x, r.y);
      if (k) k->glyph = 0;
      canvas_put(c, x, r.y, 0x25b4, ROLE_BAD, ATTR_REVERSE);
    }
}

/* ---- legend ---- */

void widget_legend(struct canvas *c, struct rect r, const struct part *part, int n) {
  int x = r.x, y = r.y;
  if (r.w < 2 || r.h < 1) return;
  for (int i = 0; i < n; i++) {
    const char *label = part[i].label ? part[i].label : "";
    int need = 3 + text_columns(label) - (*label ? 0 : 1);
    if (x > r.x && x + need > r.x + r.w) x = r.x, y++;
    if (y >= r.y + r.h) return;
    canvas_fill(c, (struct rect){x, y, 1, 1}, part[i].role, widget_pattern(part[i].role));
    if (part[i].letter > ' ') canvas_put(c, x, y, (unsigned char)part[i].letter, part[i].role, ATTR_REVERSE | ATTR_BOLD);
    canvas_fill(c, (struct rect){x + 1, y, 1, 1}, part[i].role, widget_pattern(part[i].role));
    if (x + 3 < r.x + r.w) canvas_text(c, x + 3, y, label, r.x + r.w - x - 3, ROLE_TEXT, 0);
    x += need + 2;
  }
}
