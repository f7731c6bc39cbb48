/* The storage view: every format as a bar of bytes with its rate and its error; below, where there is room, error against bits. */
#include <math.h>
#include <string.h>

#include "scenes/precision.h"
#include "tui/number.h"
#include "tui/plot.h"
#include "tui/widget.h"

/* Those that stay longest when the picture is low. */
static const uint8_t order[PACKING_N] = {PACKING_BF16,  PACKING_INT8,  PACKING_INT4, PACKING_FP32,     PACKING_Q4_0,
                                         PACKING_Q8_0,  PACKING_FP8,   PACKING_FREE, PACKING_Q4_K,     PACKING_NF4,
                                         PACKING_Q6_K,  PACKING_MXFP4, PACKING_GPTQ, PACKING_FP16,     PACKING_Q2_K,
                                         PACKING_NVFP4, PACKING_Q5_K,  PACKING_Q3_K, PACKING_INT4_G64, PACKING_NF4_DQ};

enum { NAME = 11, NUMBER = 8, RATE = 7, ERROR = 10, HERE = 8 };

static void number_at(struct canvas *c, int end, int y, int columns, double v, const char *unit, bool bare, enum role role, bool ascii) {
  char value[NUMBER_MAX], suffix[NUMBER_MAX];
  struct text t;
  number_split(v, unit, 3, ascii, value, suffix);
  text_clear(&t);
  text_add(&t, value);
  if (!bare && suffix[0]) text_add(&t, " "), text_add(&t, suffix);
  canvas_text_right(c, end - columns + 1, end, y, t.s, role, 0);
}

static double bits_of(const struct view *v, enum packing p) { return p == PACKING_FREE ? v->setup->v[KNOB_BITS] : packing_bits(p); }

struct columns {
  int bar, storage, rate, error, here; /* where each ends; 0: no room */
};

static struct columns columns_of(struct rect r, bool here) {
  struct columns k = {0, 0, 0, 0, 0};
  int at = r.x + r.w;
  if (here && r.w >= NAME + NUMBER + RATE + ERROR + HERE + 8) k.here = at, at -= HERE;
  if (r.w >= NAME + NUMBER + RATE + ERROR) k.error = at, at -= ERROR;
  if (r.w >= NAME + NUMBER + RATE) k.rate = at, at -= RATE;
  if (r.w >= NAME + NUMBER) k.storage = at, at -= NUMBER;
  k.bar = at;
  return k;
}

/* mark: what the line through the bars is, bytes; full: those of a whole bar. */
static void draw_head(struct canvas *c, struct rect r, struct columns k, double mark, double full) {
  int bar = k.bar - r.x - NAME - 1, named = canvas_text(c, r.x + 1, r.y, "stored as", k.bar - r.x - 1, ROLE_DIM, 0);
  if (mark <= full && bar >= 14) {
    struct text t;
    text_clear(&t);
    text_number(&t, mark, "byte");
    text_add(&t, " of memory");
    int columns = text_columns(t.s), at = r.x + NAME + (int)(bar * mark / full);
    if (at + columns > k.storage - NUMBER) at = k.storage - NUMBER - columns;
    if (at > r.x + named + 1) canvas_text(c, at, r.y, t.s, columns, ROLE_AXIS, 0);
  }
  if (k.storage) canvas_text_right(c, k.storage - NUMBER + 1, k.storage, r.y, "bytes", ROLE_DIM, 0);
  if (k.rate) canvas_text_right(c, k.rate - RATE, k.rate, r.y, "tok/s", ROLE_DIM, 0);
  if (k.error) canvas_text_right(c, k.error - ERROR + 2, k.error, r.y, "error", ROLE_DIM, 0);
  if (k.here) canvas_text_right(c, k.here - HERE + 2, k.here, r.y, "here", ROLE_MEASURED, 0);
}

static void draw_rows(struct canvas *c, struct rect r, const struct view *v, const struct precision *q, const double *error) {
  bool shown[PACKING_N] = {false};
  int rows = r.h - (r.h >= 18 ? 3 : 1), y = r.y + 1;
  bool here = false;
  for (int p = 0; p < PACKING_N; p++) here = here || precision_run(v->world, (enum packing)p);
  struct columns k = columns_of(r, here);
  shown[q->packing] = true;
  for (int i = 0, n = 1; i < PACKING_N && n < rows; i++)
    if (!shown[order[i]]) shown[order[i]] = true, n++;
  double capacity = q->device->memory_byte.value, full = precision_storage_byte(q, 32);
  draw_head(c, r, k, capacity, full);
  for (int i = 0; i < PACKING_N; i++) {
    enum packing p = (enum packing)i;
    if (!shown[i]) continue;
    bool now = p == q->packing;
    double byte = precision_storage_byte(q, bits_of(v, p));
    enum role role = now ? ROLE_TEXT : ROLE_DIM;
    struct part part = {byte, byte > capacity ? ROLE_BAD : now ? ROLE_MEMORY : ROLE_ROOF_OTHER, 0, ""};
    if (now) canvas_text(c, r.x, y, "▸", -1, ROLE_FOCUS, 0);
    canvas_text(c, r.x + 1, y, packing_name(p), NAME - 2, now ? ROLE_TITLE : ROLE_DIM, now ? ATTR_BOLD : 0);
    if (k.bar - r.x - NAME >= 4)
      widget_bar(c, (struct rect){r.x + NAME, y, k.bar - r.x - NAME - 1, 1}, &part, 1, fmax(full, byte), capacity <= full ? capacity : NAN);
    if (k.storage) number_at(c, k.storage, y, NUMBER, byte, "byte", false, role, v->ascii);
    if (k.rate) number_at(c, k.rate, y, RATE - 1, 1 / precision_step_time(q, bits_of(v, p)), "1", true, role, v->ascii);
    if (k.error) number_at(c, k.error, y, ERROR - 1, error[i], "%", false, now ? ROLE_WARN : ROLE_DIM, v->ascii);
    if (k.here && precision_run(v->world, p)) {
      if (v->hide_measured)
        canvas_text_right(c, k.here - 1, k.here, y, "?", ROLE_GUESS, 0);
      else
        number_at(c, k.here, y, HERE - 1, 1 / precision_here_time(v->world, q, p), "1", true, v->stale ? ROLE_DIM : ROLE_MEASURED,
                  v->ascii);
    }
    y++;
  }
  struct text t; /* what the chosen one is made of */
  text_clear(&t);
  text_add(&t, packing_name(q->packing));
  text_add(&t, ": ");
  text_add(&t, packing_words(q->packing));
  if (y + 1 < r.y + r.h) canvas_text(c, r.x + 1, y + 1, t.s, r.w - 1, ROLE_TEXT, 0);
}

/* Error against bits: what each format makes of its bits, and the line no code passes. */
static void draw_trade(struct canvas *c, struct rect r, const struct view *v, const struct precision *q, const double *error) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "1", "bits a weight"}, y = {v->axes->y[0], v->axes->y[1], true, "1", "error"};
  double bx[96], by[96];
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  for (int i = 0; i < 96; i++) {
    bx[i] = p.x.lo * pow(p.x.hi / p.x.lo, i / 95.0);
    by[i] = packing_least_error(bx[i]);
  }
  plot_curve(&p, bx, by, 96, ROLE_ROOF);
  plot_label(&p, 8, packing_least_error(8), "no code is better", "least", ROLE_ROOF, ANCHOR_LEFT, 3);
  for (int i = 0; i < PACKING_FREE; i++) {
    bool now = i == (int)q->packing;
    double b = packing_bits((enum packing)i);
    plot_point(&p, b, error[i], now ? 0xD7 : 0xB7, now ? ROLE_CEILING : ROLE_TRAIL);
    plot_label(&p, b, error[i], packing_name((enum packing)i), "", now ? ROLE_CEILING : ROLE_DIM, ANCHOR_RIGHT, now ? 0 : 5);
  }
  plot_end(&p);
}

void precision_draw_storage(struct canvas *c, struct rect r, const struct view *v) {
  struct precision q = precision_of(v->world, v->setup);
  double error[PACKING_N];
  for (int p = 0; p < PACKING_N; p++) error[p] = p < PACKING_FREE ? v->fact[F_ERROR_OF + p].value : NAN;
  int table = PACKING_N + 3;
  if (r.w >= 110 && r.h >= 16) { /* beside */
    int left = r.w / 2;
    draw_rows(c, (struct rect){r.x, r.y, left - 1, r.h < table ? r.h : table}, v, &q, error);
    draw_trade(c, (struct rect){r.x + left + 1, r.y, r.w - left - 1, r.h}, v, &q, error);
  } else if (r.h >= 28 && r.w >= 40) { /* below: the plot needs some height to tell its points apart, so the table gives way */
    if (table > r.h - 14) table = r.h - 14;
    draw_rows(c, (struct rect){r.x, r.y, r.w, table}, v, &q, error);
    draw_trade(c, (struct rect){r.x, r.y + table + 1, r.w, r.h - table - 1}, v, &q, error);
  } else
    draw_rows(c, r, v, &q, error);
}
