/* The picture of the decode scene: tokens a second against batch for the chosen device and for this machine; what one step is made of. */
#include <math.h>
#include <string.h>

#include "scenes/decode.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { CURVE_MAX = 192 };

static double known(const struct view *v, const char *name) { return fact_value(v->fact, v->nfact, name); }

static double lesser(double a, double b) { return a < b || isnan(b) ? a : b; }
static double greater(double a, double b) { return a > b || isnan(b) ? a : b; }

/* The window comes from both machines' curves over all batches shown, so it stays put while the batch moves. */
void decode_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  static const double none[2] = {NAN, NAN};
  struct decode d = decode_of(w, s);
  double batch = s->v[KNOB_BATCH], first = decode_first_batch(batch), last = first * exp2(DECODE_OCTAVES - 1);
  double x_hi = batch > 1000 ? pow(10, ceil(log10(batch * 1.01))) : 1000;
  struct step_load one = step_at(&d.in, 1), many = step_at(&d.in, x_hi);
  double here_one = decode_here_time(w, &d, 1), here_many = decode_here_time(w, &d, x_hi);
  double lo = lesser(lesser(1 / many.step_time, 1 / here_one), 1 / one.step_time);
  double hi = greater(greater(x_hi / many.step_time, x_hi / here_many), 1 / one.step_time);
  if (!(lo > 0) || !(hi < 1e300)) lo = 1, hi = 1e4;
  lo /= 1.2, hi *= 1.5; /* a curve on the frame cannot be told from the frame */
  axis_round(&lo, &hi, true, 2);
  axis_keep(prev ? prev->x : none, 1, x_hi, true, out->x);
  axis_keep(prev ? prev->y : none, lo, hi, true, out->y);
  double step = greater(step_at(&d.in, last).step_time, step_at(&d.in, first).step_time), zero = 0;
  if (!(step > 0) || !(step < 1e300)) step = 1;
  axis_round(&zero, &step, false, 1);
  out->x2[0] = first / sqrt(2), out->x2[1] = last * sqrt(2);
  out->y2[0] = 0, out->y2[1] = step;
}

/* ---- tokens a second ---- */

struct curves {
  double x[CURVE_MAX], all[CURVE_MAX], user[CURVE_MAX], here[CURVE_MAX], here_user[CURVE_MAX];
  int n;
};

static void curves_of(const struct plot *p, const struct view *v, struct curves *k) {
  struct decode d = decode_of(v->world, v->setup);
  k->n = p->area.w * 2 < CURVE_MAX ? p->area.w * 2 : CURVE_MAX;
  if (k->n < 2) k->n = 2;
  for (int i = 0; i < k->n; i++) {
    double b = k->x[i] = p->x.lo * pow(p->x.hi / p->x.lo, i / (k->n - 1.0));
    double step = step_at(&d.in, b).step_time, here = decode_here_time(v->world, &d, b);
    k->all[i] = b / step, k->user[i] = 1 / step, k->here[i] = b / here, k->here_user[i] = 1 / here;
  }
}

static void draw_here(struct plot *p, const struct view *v) {
  struct decode d = decode_of(v->world, v->setup);
  double now = v->setup->v[KNOB_BATCH];
  if (v->hide_measured) return;
  for (int i = 0; i < v->world->nrun; i++) { /* every batch measured with the matrix this scene scales from */
    const struct run *run = &v->world->run[i];
    double b = run->request.shape.batch;
    struct request same = decode_request(v->world, &d, b);
    if (!request_equal(&run->request, &same) || strcmp(run->machine, v->world->machine) != 0 || b == now) continue;
    plot_point(p, b, b / (run_time(run) * decode_scale(v->world, &d, b)), 'o', v->stale ? ROLE_DIM : ROLE_MEASURED);
  }
  double rate = known(v, "here_measured_token_rate"), spread = known(v, "here_measured_spread");
  if (spread > 0)
    plot_spread(p, now, rate, rate / (1 + spread), rate * (1 + spread), 'o', v->stale ? ROLE_DIM : ROLE_MEASURED);
  else
    plot_point(p, now, rate, 'o', v->stale ? ROLE_DIM : ROLE_MEASURED);
}

static void draw_rates(struct canvas *c, struct rect r, const struct view *v) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "1", "batch"}, y = {v->axes->y[0], v->axes->y[1], true, "token/s", ""};
  struct plot p;
  struct curves k;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  curves_of(&p, v, &k);
  double ridge = known(v, "ridge_batch"), batch = v->setup->v[KNOB_BATCH];
  double inside = ridge > p.x.lo && ridge < p.x.hi ? ridge : p.x.hi;
  if (ridge > p.x.lo && ridge < p.x.hi) {
    plot_vline(&p, ridge, ROLE_GRID, true);
    struct text label;
    text_clear(&label);
    text_line(&label, "ridge", ridge, "1");
    plot_label(&p, ridge, p.y.lo * pow(p.y.hi / p.y.lo, 0.08), label.s, "ridge", ROLE_AXIS, ANCHOR_RIGHT, 3);
    plot_words(&p, ridge, p.x.hi, 0, "calculating", ROLE_COMPUTE);
  }
  plot_words(&p, p.x.lo, inside, 0, ridge <= p.x.lo ? "calculating" : "waiting for memory", ridge <= p.x.lo ? ROLE_COMPUTE : ROLE_MEMORY);
  plot_curve(&p, k.x, k.here, k.n, ROLE_COMPARE);
  if (v->setup->v[KNOB_DETAIL] > 1) plot_curve(&p, k.x, k.here_user, k.n, ROLE_COMPARE);
  plot_curve(&p, k.x, k.user, k.n, ROLE_ROOF_OTHER);
  plot_curve(&p, k.x, k.all, k.n, ROLE_ROOF);
  int a = k.n / 3, u = k.n / 6, h = k.n / 2;
  plot_label(&p, k.x[a], k.all[a], "all users, at most", "all users", ROLE_ROOF, ANCHOR_ABOVE, 1);
  plot_label(&p, k.x[u], k.user[u], "each user", "each", ROLE_ROOF_OTHER, ANCHOR_BELOW, 2);
  plot_label(&p, k.x[h], k.here[h], "this machine, scaled", "here", ROLE_COMPARE, ANCHOR_BELOW, 2);
  for (int i = 0; v->trail && i < v->trail->n; i++) plot_point(&p, v->trail->x[i], v->trail->y[i], 0xB7, ROLE_TRAIL);
  plot_point(&p, batch, known(v, "token_rate_per_user"), 0xD7, ROLE_ROOF_OTHER);
  plot_point(&p, batch, known(v, "token_rate"), 0xD7, ROLE_CEILING);
  if (v->setup->v[KNOB_GUESS] > 0) plot_point(&p, batch, v->setup->v[KNOB_GUESS], '?', ROLE_GUESS);
  draw_here(&p, v);
  plot_end(&p);
}

/* ---- one step ---- */

enum { PART_WEIGHT, PART_KV, PART_ACTIVATION, PART_MEMORY_N };

static int parts_memory(struct part part[PART_MEMORY_N], const struct step_load *l, double byte_per_s) {
  part[PART_WEIGHT] = (struct part){l->weight_byte / byte_per_s, ROLE_MEMORY, 'w', "weights"};
  part[PART_KV] = (struct part){l->kv_byte / byte_per_s, ROLE_KV, 'k', "keys and values"};
  part[PART_ACTIVATION] = (struct part){l->activation_byte / byte_per_s, ROLE_ACTIVATION, 'a', "activations"};
  int n = 1; /* what is not counted is not named */
  if (!(l->kv_byte == 0)) part[n++] = part[PART_KV];
  if (!(l->activation_byte == 0)) part[n++] = part[PART_ACTIVATION];
  return n;
}

static struct part part_compute(double time) { return (struct part){time, ROLE_COMPUTE, 'c', "arithmetic"}; }

/* `deadline 50 ms` with its mark when it stands in the picture. */
static void deadline_text(struct text *t, const struct view *v) {
  double deadline = known(v, "deadline"), step = known(v, "step_time");
  text_clear(t);
  text_line(t, "deadline", deadline, "s");
  text_add(t, step <= deadline ? ": kept" : step > deadline ? ": missed" : "");
}

/* Two bars, memory over arithmetic: the longer one is the step. */
static void draw_bars(struct canvas *c, struct rect r, const struct view *v) {
  struct decode d = decode_of(v->world, v->setup);
  struct step_load now = step_at(&d.in, d.in.batch);
  struct part memory[PART_MEMORY_N], compute = part_compute(now.compute_time);
  int n = parts_memory(memory, &now, d.in.byte_per_s), name = 11, number = 10;
  if (r.w < 36) name = 4;
  double deadline = d.in.deadline, full = now.step_time;
  if (!(full > 0)) {
    widget_words(c, r, "not known: a rate is missing", ROLE_DIM);
    return;
  }
  if (deadline > full && deadline < 4 * full) full = deadline * 1.02;
  struct rect bar = {r.x + name, r.y, r.w - name - number, 1};
  if (bar.w < 4) return;
  bool memory_rules = now.memory_time > now.compute_time;
  const char *label[2] = {r.w < 36 ? "mem" : "memory", r.w < 36 ? "ari" : "arithmetic"}, *fact[2] = {"memory_time", "compute_time"};
  for (int i = 0; i < 2 && i < r.h; i++, bar.y++) {
    struct text value;
    text_clear(&value);
    text_number(&value, known(v, fact[i]), "s");
    canvas_text(c, r.x, bar.y, label[i], name - 1, i == 0 ? ROLE_MEMORY : ROLE_COMPUTE, (i == 0) == memory_rules ? ATTR_BOLD : 0);
    widget_bar(c, bar, i == 0 ? memory : &compute, i == 0 ? n : 1, full, deadline < full ? deadline : NAN);
    canvas_text(c, bar.x + bar.w + 1, bar.y, value.s, number - 1, (i == 0) == memory_rules ? ROLE_TEXT : ROLE_DIM, 0);
  }
  if (r.h < 3) return;
  struct text words;
  deadline_text(&words, v);
  bool missed = known(v, "step_time") > deadline;
  int used = canvas_text(c, r.x, r.y + 2, words.s, r.w, missed ? ROLE_WARN : ROLE_DIM, 0);
  if (r.w - used > 12) widget_legend(c, (struct rect){r.x + used + 3, r.y + 2, r.w - used - 3, 1}, memory, n);
}

/* Two columns for every octave of the batch: what memory takes, stacked, and what arithmetic takes. The taller one is the step. */
static void draw_columns(struct canvas *c, struct rect r, const struct view *v) {
  struct decode d = decode_of(v->world, v->setup);
  struct axis x = {v->axes->x2[0], v->axes->x2[1], true, "1", "batch"}, y = {v->axes->y2[0], v->axes->y2[1], false, "s", "one step"};
  struct plot p;
  if (!plot_begin(&p, c, (struct rect){r.x, r.y, r.w, r.h - 1}, &x, &y)) return;
  int slot = p.area.w / DECODE_OCTAVES, wide = slot >= 5 ? 2 : 1;
  double first = decode_first_batch(d.in.batch);
  struct part part[PART_MEMORY_N + 1];
  int n = 0;
  for (int i = 0; i < DECODE_OCTAVES; i++) {
    double batch = first * exp2(i);
    struct step_load l = step_at(&d.in, batch);
    struct part compute = part_compute(l.compute_time);
    n = parts_memory(part, &l, d.in.byte_per_s);
    int x0 = (int)floor(plot_dot_x(&p, batch) / 2) - wide;
    if (isnan(l.step_time)) continue;
    widget_column(c, rect_cut((struct rect){x0, p.area.y, wide, p.area.h}, p.area), part, n, p.y.lo, p.y.hi, false);
    if (slot >= 2)
      widget_column(c, rect_cut((struct rect){x0 + wide, p.area.y, wide, p.area.h}, p.area), &compute, 1, p.y.lo, p.y.hi, false);
  }
  double deadline = d.in.deadline;
  struct text words;
  deadline_text(&words, v);
  if (deadline < p.y.hi) {
    plot_hline(&p, deadline, ROLE_WARN, true);
    plot_label(&p, p.x.lo * 2, deadline, words.s, "deadline", ROLE_WARN, ANCHOR_ABOVE, 1);
  } else
    plot_words(&p, p.x.lo, p.x.hi, 0, words.s, ROLE_DIM);
  plot_point(&p, d.in.batch, known(v, "step_time"), 0xD7, ROLE_CEILING);
  plot_end(&p);
  if (n == 0) return;
  part[n] = part_compute(0);
  widget_legend(c, (struct rect){r.x + 1, r.y + r.h - 1, r.w - 1, 1}, part, n + 1);
}

/* ---- what one reader sees ---- */

/* Text that appears at `rate` tokens a second, four letters a token, over and over along one row. */
static void draw_stream(struct canvas *c, struct rect r, const char *label, double rate, double time, enum role role) {
  static const char words[] = "the next token waits until every weight has been read once more, and then it is one word further along; ";
  int name = r.w < 40 ? 5 : 11, width = r.w - name, length = (int)sizeof words - 1;
  if (width < 8) return;
  canvas_text(c, r.x, r.y, label, name - 1, role, 0);
  if (!(rate > 0)) return;
  double letters = fmod(16 + 4 * rate * time, 1e9); /* some of it is there from the start, so that a still picture shows what it is */
  int shown = (int)fmod(letters, width + 1), start = (int)fmod(floor(letters / (width + 1)) * 17, length);
  for (int i = 0; i < shown; i++) canvas_put(c, r.x + name + i, r.y, (uint32_t)words[(start + i) % length], role, 0);
}

void decode_draw(struct canvas *c, struct rect r, const struct view *v) {
  if (v->setup->v[KNOB_DETAIL] > 1 && r.h >= 15) {
    draw_stream(c, (struct rect){r.x, r.y + r.h - 2, r.w, 1}, "one user", known(v, "token_rate_per_user"), v->time, ROLE_ROOF_OTHER);
    draw_stream(c, (struct rect){r.x, r.y + r.h - 1, r.w, 1}, "a reader", known(v, "reading_rate"), v->time, ROLE_DIM);
    r.h -= 2;
  }
  if (isnan(known(v, "step_time"))) {
    const char *why = strcmp(fact_word(v->fact, v->nfact, "geometry"), "makes no tokens") == 0 ? "this model makes no tokens one at a time"
                      : strcmp(fact_word(v->fact, v->nfact, "device"), "here") == 0 ? "this machine has no roof yet: R measures it"
                                                                                    : "no step: a rate of this device is unknown";
    widget_words(c, (struct rect){r.x, r.y + r.h - 1, r.w, 1}, why, ROLE_WARN);
    draw_rates(c, (struct rect){r.x, r.y, r.w, r.h - 1}, v);
  } else if (r.w >= 70 && r.h >= 10) {
    int left = r.w * 2 / 5;
    draw_columns(c, (struct rect){r.x, r.y, left, r.h}, v);
    draw_rates(c, (struct rect){r.x + left + 1, r.y, r.w - left - 1, r.h}, v);
  } else {
    int band = r.h >= 12 ? 3 : r.h >= 8 ? 2 : 0;
    draw_rates(c, (struct rect){r.x, r.y, r.w, r.h - band}, v);
    if (band) draw_bars(c, (struct rect){r.x, r.y + r.h - band, r.w, band}, v);
  }
}
