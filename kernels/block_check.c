/* The parts of a layer once more, plainly, in double arithmetic: each from what it was given in the run that is checked, so that an error
 * is found where it was made and does not hide behind what follows it. */
#include <math.h>

#include "kernels/op_block.h"
#include "kernels/operand.h"

enum { PICKED = 24, PICKED_ROWS = 3 };

struct check {
  struct job *j;
  struct layer *d;
  enum dtype t;
  double u, worst;
  bool full;
  size_t T, D, H, K, d1, S, C, group;
};

static double get(const struct check *c, enum block_array a, size_t i) { return reference_get(c->d->array[a], c->t, i); }

static void take(struct check *c, enum block_array a, size_t i, struct reference r) { residual_take(&c->worst, get(c, a, i), r); }

/* What a norm shifts, or shares that add up to 1, has products of one sign: partial sums then grow to the size of the result, and every
 * step rounds one of those. */
static struct reference dot(const struct check *c, enum block_array a, size_t first, size_t step, enum block_array b, size_t from,
                            size_t stride, size_t n) {
  struct reference r =
      reference_dot((struct strided){c->d->array[a], first, step}, (struct strided){c->d->array[b], from, stride}, n, c->t);
  r.slack += 2 * c->u * sqrt((double)n) * fabs(r.value);
  return r;
}

static struct picks picked(const struct check *c, enum block_array a) {
  return picks_of(c->j, (size_t)block_array(&c->d->block, a), PICKED, c->full);
}

static struct picks rows_picked(const struct check *c, size_t rows) { return picks_of(c->j, rows, PICKED_ROWS, c->full); }

/* ---- linear parts ---- */

static void linear_check(struct check *c, const struct block_part *p, int index) {
  struct linear r = block_linear(p->op);
  size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
  if (p->pass == PASS_INPUT) /* several matrices have the same input: only their sum is there in the end */
    for (int i = index + 1; i < c->d->nparts; i++) {
      const struct block_part *q = &c->d->part[i];
      if (q->adds && q->pass == PASS_INPUT && block_linear(q->op).din == r.din) return;
    }
  enum block_array out = p->pass == PASS_FORWARD ? r.out : p->pass == PASS_INPUT ? r.din : r.dw;
  struct picks pick_at = picked(c, out);
  for (size_t i = 0; i < pick_at.n; i++) {
    size_t at = pick(&pick_at, i), row = at / n, column = at % n;
    struct reference due = {0, 0};
    if (p->pass == PASS_FORWARD)
      due = dot(c, r.in, row * k, 1, r.w, column * k, 1, k);
    else if (p->pass == PASS_WEIGHT)
      due = dot(c, r.dout, row, m, r.in, column, n, k);
    else
      for (int o = 0; o <= index; o++) {
        const struct block_part *q = &c->d->part[o];
        if (q->pass != PASS_INPUT || !(q->count > 0) || q->op == BLOCK_SCORES || q->op == BLOCK_VALUES) continue;
        struct linear s = block_linear(q->op);
        if (s.din != r.din) continue;
        struct reference one = dot(c, s.dout, row * (size_t)q->k, 1, s.w, column, n, (size_t)q->k);
        due.value += one.value;
        due.slack += one.slack + 2 * c->u * fabs(due.value);
      }
    take(c, out, at, due);
  }
}

/* ---- attention ---- */

static size_t token_first(const struct check *c, size_t head, size_t s) {
  return (head / c->H * c->S + s) * c->H * c->d1 + head % c->H * c->d1;
}

static void scores_check(struct check *c, const struct block_part *p) {
  enum block_array out = p->pass == PASS_FORWARD ? ARRAY_SCORE : p->pass == PASS_INPUT ? ARRAY_DQUERY : ARRAY_DKEYS;
  struct picks picks = picked(c, out);
  for (size_t i = 0; i < picks.n; i++) {
    size_t at = pick(&picks, i);
    if (p->pass == PASS_FORWARD) {
      size_t row = at / c->C, head = row / c->S, set = head / c->group;
      take(c, out, at, dot(c, ARRAY_QUERY, row * c->d1, 1, ARRAY_KEYS, (set * c->C + at % c->C) * c->d1, 1, c->d1));
    } else if (p->pass == PASS_INPUT) {
      size_t row = at / c->d1, set = row / c->S / c->group;
      take(c, out, at, dot(c, ARRAY_DSCORE, row * c->C, 1, ARRAY_KEYS, set * c->C * c->d1 + at % c->d1, c->d1, c->C));
    } else {
      size_t key = at / c->d1, set = key / c->C, m = c->group * c->S;
      take(c, out, at, dot(c, ARRAY_DSCORE, set * m * c->C + key % c->C, c->C, ARRAY_QUERY, set * m * c->d1 + at % c->d1, c->d1, m));
    }
  }
}

static void mix_check(struct check *c, const struct block_part *p) {
  enum block_array out = p->pass == PASS_FORWARD ? ARRAY_O : p->pass == PASS_INPUT ? ARRAY_DP : ARRAY_DVALUES;
  struct picks picks = picked(c, out);
  for (size_t i = 0; i < picks.n; i++) {
    size_t at = pick(&picks, i);
    if (p->pass == PASS_FORWARD) {
      size_t t = at / (c->H * c->d1), head = t / c->S * c->H + at / c->d1 % c->H, column = at % c->d1;
      take(c, out, at,
           dot(c, ARRAY_P, (head * c->S + t % c->S) * c->C, 1, ARRAY_VALUES, head / c->group * c->C * c->d1 + column, c->d1, c->C));
    } else if (p->pass == PASS_INPUT) {
      size_t row = at / c->C, head = row / c->S;
      take(c, out, at,
           dot(c, ARRAY_DO, token_first(c, head, row % c->S), 1, ARRAY_VALUES, (head / c->group * c->C + at % c->C) * c->d1, 1, c->d1));
    } else {
      size_t key = at / c->d1, set = key / c->C;
      struct reference due = {0, 0};
      for (size_t g = 0; g < c->group; g++) {
        size_t head = set * c->group + g;
        struct reference one =
            dot(c, ARRAY_P, head * c->S * c->C + key % c->C, c->C, ARRAY_DO, token_first(c, head, 0) + at % c->d1, c->H * c->d1, c->S);
        due.value += one.value;
        due.slack += one.slack + 2 * c->u * fabs(due.value);
      }
      take(c, out, at, due);
    }
  }
}

static void softmax_check(struct check *c, const struct block_part *p) {
  double scale = 1 / sqrt((double)c->d1);
  struct picks rows = rows_picked(c, c->T * c->H);
  for (size_t i = 0; i < rows.n; i++) {
    size_t first = pick(&rows, i) * c->C;
    if (p->pass == PASS_FORWARD) {
      double max = -INFINITY, sum = 0;
      for (size_t k = 0; k < c->C; k++) max = fmax(max, get(c, ARRAY_SCORE, first + k));
      for (size_t k = 0; k < c->C; k++) sum += exp((get(c, ARRAY_SCORE, first + k) - max) * scale);
      for (size_t k = 0; k < c->C; k++) {
        double power = (get(c, ARRAY_SCORE, first + k) - max) * scale, value = exp(power) / sum;
        take(c, ARRAY_P, first + k, (struct reference){value, value * c->u * (16 + 4 * fabs(power) + 4 * sqrt((double)c->C))});
      }
      continue;
    }
    struct reference mean = dot(c, ARRAY_P, first, 1, ARRAY_DP, first, 1, c->C);
    for (size_t k = 0; k < c->C; k++) {
      double share = get(c, ARRAY_P, first + k), d = get(c, ARRAY_DP, first + k), value = share * (d - mean.value) * scale;
      take(c, ARRAY_DSCORE, first + k,
           (struct reference){value, share * scale * (2 * mean.slack + 6 * c->u * (fabs(d) + fabs(mean.value)))});
    }
  }
}

/* Cosine and sine as the kernel has them; a value goes as it is. */
static void cache_check(struct check *c, const struct block_part *p) {
  bool back = p->pass != PASS_FORWARD;
  static const enum block_array flat[2][3] = {{ARRAY_Q, ARRAY_K, ARRAY_V}, {ARRAY_DQ, ARRAY_DK, ARRAY_DV}};
  static const enum block_array deep[2][3] = {{ARRAY_QUERY, ARRAY_KEYS, ARRAY_VALUES}, {ARRAY_DQUERY, ARRAY_DKEYS, ARRAY_DVALUES}};
  for (int what = 0; what < 3; what++) {
    struct picks picks = picked(c, flat[back][what]);
    size_t wide = what == 0 ? c->H : c->K, half = c->d1 / 2;
    for (size_t i = 0; i < picks.n; i++) {
      size_t at = pick(&picks, i), e = at % c->d1, head = at / c->d1 % wide, t = at / c->d1 / wide, s = t % c->S, b = t / c->S;
      size_t place = c->C - c->S + s, there = (what == 0 ? (b * c->H + head) * c->S + s : (b * c->K + head) * c->C + place) * c->d1;
      size_t here = at - e;
      enum block_array from = back ? deep[1][what] : flat[0][what], to = back ? flat[1][what] : deep[0][what];
      size_t in = back ? there : here, out = back ? here : there;
      struct reference due = {get(c, from, in + e), 0};
      if (what < 2 && c->d->block.gated && e < 2 * half) {
        double cosine = reference_get(c->d->cosine, c->t, place * half + e % half),
               sine = reference_get(c->d->sine, c->t, place * half + e % half);
        double a = due.value * cosine, other = get(c, from, in + (e < half ? e + half : e - half)) * sine;
        due.value = (e < half) != back ? a - other : a + other;
        due.slack = 3 * c->u * (fabs(a) + fabs(other));
      }
      take(c, to, out + e, due);
    }
  }
}

/* ---- rows and elements ---- */

struct moments {
  double mean, inverse;
};

static struct moments row_moments(const struct check *c, enum block_array x, size_t row) {
  double sum = 0, square = 0;
  for (size_t i = 0; i < c->D; i++) sum += get(c, x, row * c->D + i);
  double mean = sum / (double)c->D;
  for (size_t i = 0; i < c->D; i++) square += pow(get(c, x, row * c->D + i) - mean, 2);
  return (struct moments){mean, 1 / sqrt(square / (double)c->D + LAYERNORM_EPSILON)};
}

static void norm_back_rows(struct check *c, enum block_array x, enum block_array gain, enum block_array dy, enum block_array dx) {
  struct picks rows = rows_picked(c, c->T);
  for (size_t i = 0; i < rows.n; i++) {
    size_t row = pick(&rows, i);
    struct moments m = row_moments(c, x, row);
    double a = 0, b = 0, a_size = 0, b_size = 0;
    for (size_t k = 0; k < c->D; k++) {
      double e = (get(c, x, row * c->D + k) - m.mean) * m.inverse, d = get(c, dy, row * c->D + k) * get(c, gain, k);
      a += d, b += d * e, a_size += fabs(d), b_size += fabs(d * e);
    }
    double n = (double)c->D;
    for (size_t k = 0; k < c->D; k++) {
      double e = (get(c, x, row * c->D + k) - m.mean) * m.inverse, d = get(c, dy, row * c->D + k) * get(c, gain, k);
      double size = fabs(d) + a_size / n + (fabs(e) + fabs(m.mean * m.inverse)) * b_size / n;
      take(c, dx, row * c->D + k, (struct reference){m.inverse * (d - a / n - e * b / n), (16 + 2 * sqrt(n)) * c->u * m.inverse * size});
    }
  }
}

/* Columns: every row has its say. */
static void norm_back_columns(struct check *c, enum block_array x, enum block_array dy, enum block_array dgain, enum block_array dshift) {
  struct picks columns = picks_of(c->j, c->D, PICKED, c->full);
  double *square = c->d->line;
  struct reference *sum = c->d->expected;
  for (size_t i = 0; i < columns.n; i++) square[i] = 0, sum[i] = (struct reference){0, 0};
  for (size_t row = 0; row < c->T; row++) {
    struct moments m = row_moments(c, x, row);
    for (size_t i = 0; i < columns.n; i++) {
      size_t at = row * c->D + pick(&columns, i);
      double one = get(c, dy, at) * (get(c, x, at) - m.mean) * m.inverse;
      sum[i].value += one;
      square[i] += one * one + pow(get(c, dy, at) * m.mean * m.inverse, 2);
    }
  }
  for (size_t i = 0; i < columns.n; i++) {
    size_t column = pick(&columns, i);
    sum[i].slack = c->u * ((4 + 2 * sqrt((double)c->D)) * fabs(sum[i].value) + 16 * sqrt((double)c->T * square[i]));
    take(c, dgain, column, sum[i]);
    double plain = 0, all = 0;
    for (size_t row = 0; row < c->T; row++) {
      double one = get(c, dy, row * c->D + column);
      plain += one, all += one * one;
    }
    take(c, dshift, column, (struct reference){plain, c->u * (4 * fabs(plain) + 8 * sqrt((double)c->T * all))});
  }
}

static void norm_check(struct check *c, const struct block_part *p) {
  bool first = p->op == BLOCK_NORM_1;
  enum block_array x = first ? ARRAY_X : ARRAY_H, gain = first ? ARRAY_GAIN_1 : ARRAY_GAIN_2, dy = first ? ARRAY_DN1 : ARRAY_DN2;
  if (p->pass != PASS_FORWARD) {
    norm_back_rows(c, x, gain, dy, first ? ARRAY_DX1 : ARRAY_DH2);
    norm_back_columns(c, x, dy, first ? ARRAY_DGAIN_1 : ARRAY_DGAIN_2, first ? ARRAY_DSHIFT_1 : ARRAY_DSHIFT_2);
    return;
  }
  struct picks rows = rows_picked(c, c->T);
  for (size_t i = 0; i < rows.n; i++) {
    size_t row = pick(&rows, i);
    reference_layernorm(c->d->array[x], c->d->array[gain], c->d->array[first ? ARRAY_SHIFT_1 : ARRAY_SHIFT_2], row, c->D, c->t,
                        c->d->expected);
    for (size_t k = 0; k < c->D; k++) take(c, first ? ARRAY_N1 : ARRAY_N2, row * c->D + k, c->d->expected[k]);
  }
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static void activation_check(struct check *c, const struct block_part *p) {
  bool gated = c->d->block.gated, forward = p->pass == PASS_FORWARD;
  struct picks picks = picked(c, ARRAY_Z);
  for (size_t i = 0; i < picks.n; i++) {
    size_t at = pick(&picks, i);
    double up = get(c, ARRAY_U, at), x = gated ? get(c, ARRAY_G, at) : up, d = forward ? 1 : get(c, ARRAY_DZ, at), u = 16 * c->u;
    double inner = gated ? x : 1.5957691216057308 * (x + 0.044715 * x * x * x), s = sigmoid(inner);
    double slope = gated ? 1 : 1.5957691216057308 * (1 + 3 * 0.044715 * x * x), far = gated ? 1 : 1 + fabs(inner);
    double by = gated ? up : 1, back = d * by * (s + x * s * (1 - s) * slope), size = fabs(d * by) * (s + fabs(x) * s * slope);
    if (forward)
      take(c, ARRAY_Z, at, (struct reference){x * s * by, u * far * fabs(x * s * by)});
    else
      take(c, gated ? ARRAY_DG : ARRAY_DU, at, (struct reference){back, u * far * size});
    if (!forward && gated) take(c, ARRAY_DU, at, (struct reference){d * x * s, u * fabs(d * x * s)});
  }
}

static void add_check(struct check *c, const struct block_part *p) {
  static const enum block_array of[2][2][3] = {{{ARRAY_H, ARRAY_X, ARRAY_A}, {ARRAY_DX, ARRAY_DX1, ARRAY_DH}},
                                               {{ARRAY_Y, ARRAY_H, ARRAY_F}, {ARRAY_DH, ARRAY_DH2, ARRAY_DY}}};
  const enum block_array *a = of[p->op == BLOCK_ADD_2][p->pass != PASS_FORWARD];
  struct picks picks = picked(c, a[0]);
  for (size_t i = 0; i < picks.n; i++) {
    size_t at = pick(&picks, i);
    double sum = get(c, a[1], at) + get(c, a[2], at);
    take(c, a[0], at, (struct reference){sum, c->u * fabs(sum)});
  }
}

double block_part_residual(struct job *j, int i, bool full) {
  struct layer *d = j->data;
  const struct block *b = &d->block;
  struct check c = {.j = j, .d = d, .t = job_real(j), .u = job_eps(j), .full = full};
  c.S = (size_t)b->tokens, c.T = (size_t)(b->tokens * b->sequences), c.D = (size_t)b->hidden, c.H = (size_t)b->heads;
  c.K = (size_t)b->kv_heads, c.d1 = (size_t)b->head_dim, c.C = (size_t)b->context, c.group = c.H / c.K;
  const struct block_part *p = &d->part[i];
  switch (p->op) {
  case BLOCK_NORM_1:
  case BLOCK_NORM_2: norm_check(&c, p); break;
  case BLOCK_SCORES: scores_check(&c, p); break;
  case BLOCK_VALUES: mix_check(&c, p); break;
  case BLOCK_SOFTMAX: softmax_check(&c, p); break;
  case BLOCK_CACHE: cache_check(&c, p); break;
  case BLOCK_ACTIVATION: activation_check(&c, p); break;
  case BLOCK_ADD_1:
  case BLOCK_ADD_2: add_check(&c, p); break;
  default: linear_check(&c, p, i);
  }
  return c.worst;
}

double block_residual(struct job *j, bool full) {
  double worst = 0;
  for (int i = 0; i < ((const struct layer *)j->data)->nparts; i++) worst = residual_worse(worst, block_part_residual(j, i, full));
  return worst;
}
