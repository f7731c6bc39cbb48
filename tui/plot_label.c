/* plot_label: labels are placed last, one by one in order of rank, at the cheapest place near where they belong. The canvas is the map of
 * what is taken: a cell with a glyph never gets another, a cell with a curve is avoided. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/plot_inner.h"

enum { RANK_WORDS = 50, FAR = 1 << 20 };

/* src cut at a whole character. */
static void text_copy(char *out, size_t size, const char *src) {
  size_t n = 0;
  uint32_t g;
  while (src[n]) {
    size_t bytes = (size_t)utf8_decode(src + n, &g);
    if (n + bytes >= size) break;
    n += bytes;
  }
  memcpy(out, src, n);
  out[n] = '\0';
}

static struct plot_label *label_add(struct plot *p, int rank) {
  int at = p->nlabel;
  if (at == PLOT_LABEL_MAX) { /* full: the least important gives way */
    at = 0;
    for (int i = 1; i < p->nlabel; i++)
      if (p->label[i].rank >= p->label[at].rank) at = i;
    if (p->label[at].rank <= rank) return NULL;
  } else
    p->nlabel++;
  return &p->label[at];
}

void plot_label(struct plot *p, double x, double y, const char *text, const char *brief, enum role role, enum anchor a, int rank) {
  double dx = plot_dot_x(p, x), dy = plot_dot_y(p, y);
  if (p->area.w < 1 || !isfinite(dx) || !isfinite(dy)) return;
  struct plot_label *l = label_add(p, rank);
  if (!l) return;
  *l = (struct plot_label){.x = x, .y = y, .x_end = NAN, .role = role, .anchor = a, .rank = rank};
  text_copy(l->text, sizeof l->text, text ? text : "");
  text_copy(l->brief, sizeof l->brief, brief ? brief : "");
}

void plot_words(struct plot *p, double x0, double x1, double y_share, const char *text, enum role role) {
  if (p->area.w < 1 || !isfinite(plot_dot_x(p, x0)) || !isfinite(plot_dot_x(p, x1)) || !isfinite(y_share)) return;
  struct plot_label *l = label_add(p, RANK_WORDS);
  if (!l) return;
  *l = (struct plot_label){.x = x0, .y = y_share, .x_end = x1, .role = role, .anchor = ANCHOR_CENTRE, .rank = RANK_WORDS};
  text_copy(l->text, sizeof l->text, text);
}

/* The price of n cells from (x,y): FAR when any is taken or outside; curves and lines cost, also beside the text. *curves counts the cells
 * of curve that would be hidden. */
static double cells_price(const struct plot *p, int x, int y, int n, int *curves) {
  struct rect a = p->area;
  double price = 0;
  *curves = 0;
  if (x < a.x || x + n > a.x + a.w || y < a.y || y >= a.y + a.h) return FAR;
  for (int i = -1; i <= n; i++) {
    const struct cell *k = canvas_at(p->canvas, x + i, y);
    bool beside = i < 0 || i == n;
    if (!k || (beside && (x + i < a.x || x + i >= a.x + a.w))) {
      if (!beside) return FAR; /* clipped away */
      continue;
    }
    if (k->glyph) return FAR;
    if (k->dots) {
      if (!beside) ++*curves;
      price += beside ? 1 : 12;
    } else if (k->lines)
      price += beside ? 0.5 : 6;
  }
  return price;
}

struct place {
  int x, y, curves;
  double price;
};

/* The cheapest start for n columns near the wished one. */
static struct place place_find(const struct plot *p, int n, struct rect window, double wish_x, double wish_y, double per_x, double per_y) {
  struct place best = {0, 0, 0, FAR};
  for (int y = window.y; y < window.y + window.h; y++)
    for (int x = window.x; x < window.x + window.w; x++) {
      double away = fabs(x - wish_x) * per_x + fabs(y - wish_y) * per_y;
      if (away >= best.price) continue;
      int curves;
      double price = away + cells_price(p, x, y, n, &curves);
      if (price < best.price) best = (struct place){x, y, curves, price};
    }
  return best;
}

static int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

static bool label_try(struct plot *p, struct plot_label *l, const char *text) {
  struct rect a = p->area;
  int n = text_columns(text);
  if (n < 1 || n > a.w) return false;
  struct place best;
  if (isnan(l->x_end)) {
    int x = clamp(plot_column(p, l->x), a.x, a.x + a.w - 1), y = clamp(plot_row(p, l->y), a.y, a.y + a.h - 1);
    int wish_x = l->anchor == ANCHOR_LEFT ? x - n - 1 : l->anchor == ANCHOR_RIGHT ? x + 2 : x - n / 2;
    int wish_y = l->anchor == ANCHOR_ABOVE ? y - 1 : l->anchor == ANCHOR_BELOW ? y + 1 : y;
    wish_x = clamp(wish_x, a.x, a.x + a.w - n);
    struct rect window = rect_cut((struct rect){wish_x - 12, y - 3, 25, 7}, a);
    best = place_find(p, n, window, wish_x, wish_y, 0.6, 2);
  } else {
    int from = clamp(plot_column(p, l->x), a.x, a.x + a.w - 1), to = clamp(plot_column(p, l->x_end), a.x, a.x + a.w - 1);
    double row = a.y + fmin(fmax(l->y, 0), 1) * (a.h - 1);
    int reach = a.h / 4 > 2 ? a.h / 4 : 2;
    struct rect window = rect_cut((struct rect){from, (int)row - reach, to - from + 2 - n, 2 * reach + 1}, a);
    best = place_find(p, n, window, from + (to - from + 1 - n) / 2.0, row, 0.3, 2);
  }
  if (best.price >= FAR || best.curves > 0) return false;
  canvas_text(p->canvas, best.x, best.y, text, n, l->role, 0);
  return true;
}

void labels_place(struct plot *p) {
  bool done[PLOT_LABEL_MAX] = {false};
  for (int k = 0; k < p->nlabel; k++) {
    int at = -1;
    for (int i = 0; i < p->nlabel; i++)
      if (!done[i] && (at < 0 || p->label[i].rank < p->label[at].rank)) at = i;
    done[at] = true;
    struct plot_label *l = &p->label[at];
    l->placed = label_try(p, l, l->text) || (*l->brief && label_try(p, l, l->brief));
  }
}
