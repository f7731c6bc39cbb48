/* theme: roles to colours. Each theme is one table; colours are by series, never by cell. No theme relies on colour alone: roles also have
 * their own glyph, pattern or word. */
#include "tui/theme.h"

#include <assert.h>
#include <string.h>

enum { B = 1, D = 2, R = 4, U = 8 }; /* bold, dim, reverse, underline */
struct row { int16_t fg256, fg8; uint8_t attr; };

/* The terminal's own paper is unknown: 256 colours with ≥ 3.8:1 on black and on white. With 8 colours only red, magenta and green are
 * readable on most papers; the rest is told apart by bold and by glyph. */
static const struct row auto_row[ROLE_N] = {
    [ROLE_SAMPLE] = {97, -1, B},
    [ROLE_TEXT] = {-1, -1, 0},       [ROLE_DIM] = {244, -1, 0},       [ROLE_TITLE] = {-1, -1, B},     [ROLE_KEY] = {-1, -1, B},
    [ROLE_BORDER] = {244, -1, 0},    [ROLE_AXIS] = {-1, -1, 0},       [ROLE_GRID] = {244, -1, 0},     [ROLE_ROOF] = {31, -1, B},
    [ROLE_ROOF_OTHER] = {244, -1, 0}, [ROLE_COMPARE] = {132, 5, 0},   [ROLE_CEILING] = {166, 1, B},   [ROLE_MEASURED] = {29, 2, B},
    [ROLE_GUESS] = {163, 5, B},      [ROLE_TRAIL] = {244, -1, 0},     [ROLE_MEMORY] = {31, -1, 0},    [ROLE_COMPUTE] = {130, 1, 0},
    [ROLE_LINK] = {29, 2, 0},        [ROLE_FIXED] = {132, 5, 0},      [ROLE_KV] = {29, 2, 0},         [ROLE_ACTIVATION] = {130, 1, 0},
    [ROLE_GRADIENT] = {161, 5, 0},   [ROLE_OPTIMIZER] = {97, -1, B},  [ROLE_FREE] = {244, -1, 0},     [ROLE_GOOD] = {29, 2, 0},
    [ROLE_WARN] = {130, 1, B},       [ROLE_BAD] = {160, 1, B},        [ROLE_CHANGED] = {-1, -1, B | U}, [ROLE_FOCUS] = {-1, -1, R | B},
};
/* Light ink on dark paper. */
static const struct row dark_row[ROLE_N] = {
    [ROLE_SAMPLE] = {141, 5, B},
    [ROLE_TEXT] = {252, -1, 0},      [ROLE_DIM] = {245, -1, 0},       [ROLE_TITLE] = {231, -1, B},    [ROLE_KEY] = {231, -1, B},
    [ROLE_BORDER] = {243, -1, 0},    [ROLE_AXIS] = {249, -1, 0},      [ROLE_GRID] = {243, -1, 0},     [ROLE_ROOF] = {75, 6, B},
    [ROLE_ROOF_OTHER] = {244, -1, 0}, [ROLE_COMPARE] = {176, 5, 0},   [ROLE_CEILING] = {215, 3, B},   [ROLE_MEASURED] = {114, 2, B},
    [ROLE_GUESS] = {213, 5, B},      [ROLE_TRAIL] = {180, -1, 0},     [ROLE_MEMORY] = {75, 6, 0},     [ROLE_COMPUTE] = {215, 3, 0},
    [ROLE_LINK] = {79, 2, 0},        [ROLE_FIXED] = {176, 5, 0},      [ROLE_KV] = {79, 2, 0},         [ROLE_ACTIVATION] = {215, 3, 0},
    [ROLE_GRADIENT] = {204, 1, 0},   [ROLE_OPTIMIZER] = {141, 5, 0},  [ROLE_FREE] = {244, -1, 0},     [ROLE_GOOD] = {114, 2, 0},
    [ROLE_WARN] = {221, 3, B},       [ROLE_BAD] = {203, 1, B},        [ROLE_CHANGED] = {231, -1, B | U}, [ROLE_FOCUS] = {231, -1, R | B},
};
/* Dark ink on light paper. */
static const struct row light_row[ROLE_N] = {
    [ROLE_SAMPLE] = {55, 5, B},
    [ROLE_TEXT] = {236, -1, 0},      [ROLE_DIM] = {242, -1, 0},       [ROLE_TITLE] = {233, -1, B},    [ROLE_KEY] = {233, -1, B},
    [ROLE_BORDER] = {243, -1, 0},    [ROLE_AXIS] = {239, -1, 0},      [ROLE_GRID] = {243, -1, 0},     [ROLE_ROOF] = {25, -1, B},
    [ROLE_ROOF_OTHER] = {243, -1, 0}, [ROLE_COMPARE] = {90, 5, 0},    [ROLE_CEILING] = {130, 1, B},   [ROLE_MEASURED] = {28, -1, B},
    [ROLE_GUESS] = {127, 5, B},      [ROLE_TRAIL] = {95, -1, 0},      [ROLE_MEMORY] = {25, -1, 0},    [ROLE_COMPUTE] = {130, 1, 0},
    [ROLE_LINK] = {29, -1, 0},       [ROLE_FIXED] = {90, 5, 0},       [ROLE_KV] = {29, -1, 0},        [ROLE_ACTIVATION] = {130, 1, 0},
    [ROLE_GRADIENT] = {161, 1, 0},   [ROLE_OPTIMIZER] = {55, 5, 0},   [ROLE_FREE] = {243, -1, 0},     [ROLE_GOOD] = {28, -1, 0},
    [ROLE_WARN] = {130, 1, B},       [ROLE_BAD] = {160, 1, B},        [ROLE_CHANGED] = {233, -1, B | U}, [ROLE_FOCUS] = {233, -1, R | B},
};
/* No colour at all: weight, reverse and underline do the work. */
static const struct row mono_row[ROLE_N] = {
    [ROLE_SAMPLE] = {-1, -1, B},
    [ROLE_TEXT] = {-1, -1, 0},       [ROLE_DIM] = {-1, -1, D},        [ROLE_TITLE] = {-1, -1, B},     [ROLE_KEY] = {-1, -1, B},
    [ROLE_BORDER] = {-1, -1, D},     [ROLE_AXIS] = {-1, -1, 0},       [ROLE_GRID] = {-1, -1, D},      [ROLE_ROOF] = {-1, -1, B},
    [ROLE_ROOF_OTHER] = {-1, -1, D}, [ROLE_COMPARE] = {-1, -1, 0},    [ROLE_CEILING] = {-1, -1, B},   [ROLE_MEASURED] = {-1, -1, B},
    [ROLE_GUESS] = {-1, -1, B},      [ROLE_TRAIL] = {-1, -1, 0},      [ROLE_MEMORY] = {-1, -1, 0},    [ROLE_COMPUTE] = {-1, -1, 0},
    [ROLE_LINK] = {-1, -1, 0},       [ROLE_FIXED] = {-1, -1, 0},      [ROLE_KV] = {-1, -1, 0},        [ROLE_ACTIVATION] = {-1, -1, 0},
    [ROLE_GRADIENT] = {-1, -1, 0},   [ROLE_OPTIMIZER] = {-1, -1, 0},  [ROLE_FREE] = {-1, -1, D},      [ROLE_GOOD] = {-1, -1, 0},
    [ROLE_WARN] = {-1, -1, B},       [ROLE_BAD] = {-1, -1, B | U},    [ROLE_CHANGED] = {-1, -1, B | U}, [ROLE_FOCUS] = {-1, -1, R | B},
};
/* Two hues everybody tells apart, blue and vermilion, and the terminal's own ink in two weights. */
static const struct row cvd_row[ROLE_N] = {
    [ROLE_SAMPLE] = {32, -1, B},
    [ROLE_TEXT] = {-1, -1, 0},       [ROLE_DIM] = {244, -1, 0},       [ROLE_TITLE] = {-1, -1, B},     [ROLE_KEY] = {-1, -1, B},
    [ROLE_BORDER] = {244, -1, 0},    [ROLE_AXIS] = {-1, -1, 0},       [ROLE_GRID] = {244, -1, 0},     [ROLE_ROOF] = {32, -1, B},
    [ROLE_ROOF_OTHER] = {244, -1, 0}, [ROLE_COMPARE] = {166, 1, 0},   [ROLE_CEILING] = {166, 1, B},   [ROLE_MEASURED] = {-1, -1, B},
    [ROLE_GUESS] = {166, 1, B},      [ROLE_TRAIL] = {244, -1, 0},     [ROLE_MEMORY] = {32, -1, 0},    [ROLE_COMPUTE] = {166, 1, 0},
    [ROLE_LINK] = {-1, -1, 0},       [ROLE_FIXED] = {244, -1, 0},     [ROLE_KV] = {166, 1, 0},        [ROLE_ACTIVATION] = {-1, -1, 0},
    [ROLE_GRADIENT] = {244, -1, 0},  [ROLE_OPTIMIZER] = {32, -1, 0},  [ROLE_FREE] = {244, -1, 0},     [ROLE_GOOD] = {32, -1, 0},
    [ROLE_WARN] = {166, 1, 0},       [ROLE_BAD] = {166, 1, B | U},    [ROLE_CHANGED] = {-1, -1, B | U}, [ROLE_FOCUS] = {-1, -1, R | B},
};
/* The terminal's own ink, which its owner has made readable; nothing dim, what counts in bold. */
static const struct row contrast_row[ROLE_N] = {
    [ROLE_SAMPLE] = {-1, -1, B},
    [ROLE_TEXT] = {-1, -1, 0},       [ROLE_DIM] = {-1, -1, 0},        [ROLE_TITLE] = {-1, -1, B | U}, [ROLE_KEY] = {-1, -1, B},
    [ROLE_BORDER] = {-1, -1, 0},     [ROLE_AXIS] = {-1, -1, B},       [ROLE_GRID] = {-1, -1, 0},      [ROLE_ROOF] = {-1, -1, B},
    [ROLE_ROOF_OTHER] = {-1, -1, 0}, [ROLE_COMPARE] = {-1, -1, B},    [ROLE_CEILING] = {-1, -1, B},   [ROLE_MEASURED] = {-1, -1, B | R},
    [ROLE_GUESS] = {-1, -1, B},      [ROLE_TRAIL] = {-1, -1, 0},      [ROLE_MEMORY] = {-1, -1, B},    [ROLE_COMPUTE] = {-1, -1, B},
    [ROLE_LINK] = {-1, -1, B},       [ROLE_FIXED] = {-1, -1, B},      [ROLE_KV] = {-1, -1, B},        [ROLE_ACTIVATION] = {-1, -1, B},
    [ROLE_GRADIENT] = {-1, -1, B},   [ROLE_OPTIMIZER] = {-1, -1, B},  [ROLE_FREE] = {-1, -1, 0},      [ROLE_GOOD] = {-1, -1, B},
    [ROLE_WARN] = {-1, -1, B},       [ROLE_BAD] = {-1, -1, B | U},    [ROLE_CHANGED] = {-1, -1, B | U}, [ROLE_FOCUS] = {-1, -1, R | B},
};

struct dress { const char *name; const struct row *row; uint32_t paper, own; };
static const struct dress dress_table[THEME_N] = {
    [THEME_AUTO] = {"auto", auto_row, 0xffffff, 0x1f2328}, [THEME_DARK] = {"dark", dark_row, 0x0d1117, 0xe6edf3},
    [THEME_LIGHT] = {"light", light_row, 0xffffff, 0x1f2328}, [THEME_MONO] = {"mono", mono_row, 0xffffff, 0x1f2328},
    [THEME_CVD] = {"cvd", cvd_row, 0xffffff, 0x1f2328},     [THEME_CONTRAST] = {"contrast", contrast_row, 0x000000, 0xffffff},
};

const char *theme_name(enum theme t) {
  assert(t >= 0 && t < THEME_N);
  return dress_table[t].name;
}

enum theme theme_find(const char *name) {
  if (strcmp(name, "high-contrast") == 0) return THEME_CONTRAST;
  for (int t = 0; t < THEME_N; t++)
    if (strcmp(name, dress_table[t].name) == 0) return (enum theme)t;
  return THEME_N;
}

uint32_t theme_paper(enum theme t) { return dress_table[t].paper; }
uint32_t theme_own(enum theme t) { return dress_table[t].own; }

uint32_t theme_rgb256(int index) {
  assert(index >= 16 && index < 256);
  if (index >= 232) return (uint32_t)(8 + 10 * (index - 232)) * 0x010101u;
  int cube[3] = {(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6};
  uint32_t rgb = 0;
  for (int i = 0; i < 3; i++) rgb = rgb << 8 | (uint32_t)(cube[i] ? 55 + 40 * cube[i] : 0);
  return rgb;
}

struct ink theme_ink(enum theme t, enum role role, int attr) {
  assert(t >= 0 && t < THEME_N && role >= 0 && role < ROLE_N);
  const struct row *r = &dress_table[t].row[role];
  struct ink ink = {.fg256 = r->fg256, .fg8 = r->fg8, .bold = r->attr & B, .dim = r->attr & D, .reverse = r->attr & R, .underline = r->attr & U};
  ink.fg_rgb = r->fg256 < 0 ? dress_table[t].own : theme_rgb256(r->fg256);
  if (attr & ATTR_BOLD) ink.bold = true;
  if (attr & ATTR_REVERSE) ink.reverse = true;
  if (ink.bold) ink.dim = false;
  return ink;
}
