/* canvas: cells and the few strokes that change them. */
#include "tui/canvas.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 4096 };

const char *role_name(enum role r) {
  static const char *const name[ROLE_N] = {
      [ROLE_TEXT] = "text",
      [ROLE_DIM] = "dim",
      [ROLE_TITLE] = "title",
      [ROLE_KEY] = "key",
      [ROLE_BORDER] = "border",
      [ROLE_AXIS] = "axis",
      [ROLE_GRID] = "grid",
      [ROLE_ROOF] = "roof",
      [ROLE_ROOF_OTHER] = "roof-other",
      [ROLE_COMPARE] = "compare",
      [ROLE_CEILING] = "ceiling",
      [ROLE_MEASURED] = "measured",
      [ROLE_GUESS] = "guess",
      [ROLE_TRAIL] = "trail",
      [ROLE_MEMORY] = "memory",
      [ROLE_COMPUTE] = "compute",
      [ROLE_LINK] = "link",
      [ROLE_FIXED] = "fixed",
      [ROLE_KV] = "kv",
      [ROLE_ACTIVATION] = "activation",
      [ROLE_SAMPLE] = "sample",
      [ROLE_GRADIENT] = "gradient",
      [ROLE_OPTIMIZER] = "optimizer",
      [ROLE_FREE] = "free",
      [ROLE_GOOD] = "good",
      [ROLE_WARN] = "warn",
      [ROLE_BAD] = "bad",
      [ROLE_CHANGED] = "changed",
      [ROLE_FOCUS] = "focus",
  };
  assert(r >= 0 && r < ROLE_N);
  return name[r];
}

/* ---- memory ---- */

bool canvas_init(struct canvas *c, int w, int h) {
  memset(c, 0, sizeof *c);
  return canvas_resize(c, w, h);
}

bool canvas_resize(struct canvas *c, int w, int h) {
  assert(w >= 1 && w <= SIDE_MAX && h >= 1 && h <= SIDE_MAX);
  size_t need = (size_t)w * (size_t)h;
  if (need > c->capacity) {
    free(c->cell);
    c->cell = malloc(need * sizeof *c->cell);
    c->capacity = c->cell ? need : 0;
    if (!c->cell) {
      memset(c, 0, sizeof *c);
      return false;
    }
  }
  c->w = w, c->h = h;
  c->clip = canvas_rect(c);
  canvas_clear(c);
  return true;
}

void canvas_free(struct canvas *c) {
  free(c->cell);
  memset(c, 0, sizeof *c);
}

void canvas_clear(struct canvas *c) {
  if (c->cell) memset(c->cell, 0, (size_t)c->w * (size_t)c->h * sizeof *c->cell);
  c->overwritten = 0;
}

/* ---- rectangles ---- */

struct rect canvas_rect(const struct canvas *c) {
  return (struct rect){0, 0, c->w, c->h};
}

struct rect rect_cut(struct rect a, struct rect b) {
  long x0 = a.x > b.x ? a.x : b.x, y0 = a.y > b.y ? a.y : b.y;
  long xa = (long)a.x + a.w, xb = (long)b.x + b.w, ya = (long)a.y + a.h, yb = (long)b.y + b.h;
  long x1 = xa < xb ? xa : xb, y1 = ya < yb ? ya : yb;
  return (struct rect){(int)x0, (int)y0, x1 > x0 ? (int)(x1 - x0) : 0, y1 > y0 ? (int)(y1 - y0) : 0};
}

void canvas_clip(struct canvas *c, struct rect r) { c->clip = rect_cut(r, canvas_rect(c)); }

static bool clip_has(const struct canvas *c, int x, int y) {
  return x >= c->clip.x && y >= c->clip.y && x < c->clip.x + c->clip.w && y < c->clip.y + c->clip.h;
}

struct cell *canvas_at(struct canvas *c, int x, int y) {
  return clip_has(c, x, y) ? &c->cell[(size_t)y * (size_t)c->w + (size_t)x] : NULL;
}

/* ---- text ---- */

/* Every glyph on the canvas is one column. What a terminal would draw in none or two (or act upon) is not let in. */
static bool glyph_single(uint32_t u) {
  static const uint32_t odd[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},       {0x300, 0x36f},     {0x483, 0x489},
                                    {0x591, 0x5c7},   {0x610, 0x61a},     {0x64b, 0x65f},     {0x1100, 0x11ff},   {0x1ab0, 0x1aff},
                                    {0x1dc0, 0x1dff}, {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x20d0, 0x20ff},
                                    {0x231a, 0x231b}, {0x2e80, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7ff},   {0xd800, 0xdfff},
                                    {0xf900, 0xfaff}, {0xfe00, 0xfe6f},   {0xfeff, 0xfeff},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
                                    {0xfff0, 0xffff}, {0x1b000, 0x1b2ff}, {0x1f000, 0x3ffff}, {0xe0000, 0x10ffff}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    if (u >= odd[i][0] && u <= odd[i][1]) return false;
  return u <= 0x10ffff;
}

int utf8_decode(const char *s, uint32_t *glyph) {
  const unsigned char *b = (const unsigned char *)s;
  int n = b[0] < 0x80 ? 1 : (b[0] & 0xe0) == 0xc0 ? 2 : (b[0] & 0xf0) == 0xe0 ? 3 : (b[0] & 0xf8) == 0xf0 ? 4 : 0;
  *glyph = '?';
  if (n == 0) return 1;
  uint32_t u = n == 1 ? b[0] : b[0] & (0xffu >> (n + 1));
  for (int i = 1; i < n; i++) {
    if ((b[i] & 0xc0) != 0x80) return i; /* also stops at the terminating zero */
    u = u << 6 | (b[i] & 0x3f);
  }
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  if (u >= least[n] && glyph_single(u)) *glyph = u;
  return n;
}

int text_columns(const char *utf8) {
  int n = 0;
  uint32_t g;
  for (const char *s = utf8; *s; n++) s += utf8_decode(s, &g);
  return n;
}

void canvas_put(struct canvas *c, int x, int y, uint32_t glyph, enum role role, int attr) {
  assert(role >= 0 && role < ROLE_N);
  struct cell *k = canvas_at(c, x, y);
  if (!k) return;
  if (glyph && !glyph_single(glyph)) glyph = '?';
  if (k->glyph > ' ' && glyph > ' ' && k->glyph != glyph) c->overwritten++;
  k->glyph = glyph;
  k->role = (uint8_t)role;
  k->attr = (uint8_t)attr;
  k->spot = 0;
}

int canvas_text(struct canvas *c, int x, int y, const char *s, int max, enum role role, int attr) {
  if (max == 0 || max < -1) return 0; /* no room left over */
  int columns = text_columns(s);
  bool cut = max > 0 && columns > max;
  int n = 0, shown = cut ? max : columns;
  while (n < shown) {
    uint32_t g;
    s += utf8_decode(s, &g);
    if (cut && n == shown - 1 && shown > 1) g = 0x2026;
    canvas_put(c, x + n++, y, g, role, attr);
  }
  return shown;
}

int canvas_text_right(struct canvas *c, int x_start, int x_end, int y, const char *s, enum role role, int attr) {
  int room = x_end - x_start, n = text_columns(s);
  if (room <= 0) return 0;
  return canvas_text(c, n < room ? x_end - n : x_start, y, s, room, role, attr);
}

void canvas_erase(struct canvas *c, struct rect r) {
  r = rect_cut(r, c->clip);
  for (int y = r.y; y < r.y + r.h; y++) memset(&c->cell[(size_t)y * (size_t)c->w + (size_t)r.x], 0, (size_t)r.w * sizeof *c->cell);
}

void canvas_attr(struct canvas *c, struct rect r, int attr) {
  r = rect_cut(r, c->clip);
  for (int y = r.y; y < r.y + r.h; y++)
    for (int x = r.x; x < r.x + r.w; x++) c->cell[(size_t)y * (size_t)c->w + (size_t)x].attr |= (uint8_t)attr;
}

/* ---- dots, lines, areas ---- */

void canvas_dot(struct canvas *c, int dx, int dy, enum role role) {
  static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  if (dx < 0 || dy < 0) return;
  struct cell *k = canvas_at(c, dx / 2, dy / 4);
  if (!k) return;
  k->dots |= bit[dy % 4][dx % 2];
  if (k->glyph <= ' ') k->role = (uint8_t)role; /* text keeps its own colour when a curve passes behind it */
}

/* A solid line wins over a dashed one it meets: a border never turns dashed because something ends on it. */
static void cell_line(struct cell *k, uint8_t bits, enum role role, bool dash) {
  if (!k) return;
  bool was_solid = k->lines && !(k->lines & LINE_DASH);
  bool was = k->lines != 0;
  k->lines |= bits;
  if (!dash)
    k->lines &= (uint8_t)~LINE_DASH;
  else if (!was_solid)
    k->lines |= LINE_DASH;
  if (k->glyph <= ' ' && !k->dots && !(was && dash)) k->role = (uint8_t)role; /* what is seen in front keeps its colour */
}

void canvas_hline(struct canvas *c, int x0, int x1, int y, enum role role, int dash) {
  if (x1 < x0) return;
  int from = x0 > c->clip.x ? x0 : c->clip.x, to = x1 < c->clip.x + c->clip.w - 1 ? x1 : c->clip.x + c->clip.w - 1;
  for (int x = from; x <= to; x++) {
    uint8_t bits = x0 == x1 ? LINE_E | LINE_W : (uint8_t)((x < x1 ? LINE_E : 0) | (x > x0 ? LINE_W : 0));
    cell_line(canvas_at(c, x, y), bits, role, dash != 0);
  }
}

void canvas_vline(struct canvas *c, int x, int y0, int y1, enum role role, int dash) {
  if (y1 < y0) return;
  int from = y0 > c->clip.y ? y0 : c->clip.y, to = y1 < c->clip.y + c->clip.h - 1 ? y1 : c->clip.y + c->clip.h - 1;
  for (int y = from; y <= to; y++) {
    uint8_t bits = y0 == y1 ? LINE_N | LINE_S : (uint8_t)((y < y1 ? LINE_S : 0) | (y > y0 ? LINE_N : 0));
    cell_line(canvas_at(c, x, y), bits, role, dash != 0);
  }
}

void canvas_box(struct canvas *c, struct rect r, enum role role) {
  if (r.w < 1 || r.h < 1) return;
  int x1 = r.x + r.w - 1, y1 = r.y + r.h - 1;
  if (r.w == 1 || r.h == 1) {
    if (r.w == 1)
      canvas_vline(c, r.x, r.y, y1, role, 0);
    else
      canvas_hline(c, r.x, x1, r.y, role, 0);
    return;
  }
  canvas_hline(c, r.x, x1, r.y, role, 0);
  canvas_hline(c, r.x, x1, y1, role, 0);
  canvas_vline(c, r.x, r.y, y1, role, 0);
  canvas_vline(c, x1, r.y, y1, role, 0);
}

void canvas_fill(struct canvas *c, struct rect r, enum role role, int pattern) {
  assert(pattern >= 0 && pattern < 200);
  r = rect_cut(r, c->clip);
  for (int y = r.y; y < r.y + r.h; y++)
    for (int x = r.x; x < r.x + r.w; x++) {
      struct cell *k = &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
      k->fill = (uint8_t)(9 + pattern);
      if (k->glyph <= ' ') k->role = (uint8_t)role;
    }
}
