#include "kernels/op_block.h"

#include <math.h>
#include <string.h>

#include "kernels/operand.h"
#include "kernels/timing.h"

/* ALONE_S: a part alone runs about so long at
 * a time. KEPT: repetitions whose times are kept for the median. */
enum { KEPT = 64, CHECKED = 24 };
static const double ALONE_S = 5e-4;

static bool few(const struct layer *d) { return d->block.sequences * d->block.tokens < BLOCK_FEW; }

static const char *block_usable(const struct job *j) {
  struct block b = block_of(j->request.op, j->request.shape);
  const char *wrong = block_wrong(&b);
  return wrong ? wrong : operand_usable(j);
}

/* ---- setting up ---- */

struct filling {
  struct job *job;
  void *to;
  size_t n;
  double lo, hi;
  int stream;
};

static void filling_part(int rank, int of, void *arg) {
  (void)of;
  const struct filling *f = arg;
  size_t lo, hi;
  job_share(f->job, f->n, rank, &lo, &hi);
  if (hi > lo) job_fill(f->job, operand_at(f->job, f->to, lo), lo, hi - lo, f->lo, f->hi, f->stream);
}

/* Weights as they are drawn before training, so that what comes out of a product is about as large as what went in. */
static double array_limit(const struct block *b, enum block_array a) {
  switch (a) {
  case ARRAY_WQ:
  case ARRAY_WK:
  case ARRAY_WV:
  case ARRAY_WG:
  case ARRAY_WU: return sqrt(3 / b->hidden);
  case ARRAY_WO: return sqrt(3 / (b->heads * b->head_dim));
  case ARRAY_WD: return sqrt(3 / b->ffn);
  default: return 1;
  }
}

/* All arrays lie in one block of memory, each at a cache line of its own. */
static bool arrays_take(struct job *j, struct layer *d) {
  enum { LINE = 64 };
  size_t byte = (size_t)dtype_byte(job_real(j)), at[ARRAY_N], all = 0;
  for (int a = 0; a < ARRAY_N; a++) {
    at[a] = all;
    all += ((size_t)block_array(&d->block, (enum block_array)a) * byte + LINE - 1) / LINE * LINE;
  }
  char *p = pool_take(j->pool, all, 1);
  if (!p) return false;
  for (int a = 0; a < ARRAY_N; a++) {
    size_t n = (size_t)block_array(&d->block, (enum block_array)a);
    double hi = array_limit(&d->block, (enum block_array)a);
    bool gain = a == ARRAY_GAIN_1 || a == ARRAY_GAIN_2;
    struct filling f = {j, p + at[a], n, gain ? 0.5 : -hi, gain ? 1.5 : hi, a};
    d->array[a] = n ? p + at[a] : NULL;
    if (n) team_run(j->team, filling_part, &f);
  }
  return true;
}

static void angles_fill(struct job *j, struct layer *d) {
  enum dtype t = job_real(j);
  size_t half = (size_t)d->block.head_dim / 2;
  for (size_t at = 0; at < (size_t)d->block.context; at++)
    for (size_t i = 0; i < half; i++) {
      double angle = (double)at * pow(10000, -(double)i / (double)half);
      reference_set(d->cosine, t, at * half + i, cos(angle));
      reference_set(d->sine, t, at * half + i, sin(angle));
    }
}

static const char *block_setup(struct job *j) {
  struct layer *d = j->data = operand_data(j, sizeof *d);
  if (!d) return j->pool->why;
  const struct lanes_real *l = job_lanes(j);
  d->block = block_of(j->request.op, j->request.shape);
  const struct block *b = &d->block;
  d->nparts = block_parts(b, job_real(j), d->part);
  double widest = fmax(fmax(b->hidden, b->ffn), b->heads * b->head_dim), inputs = b->sequences * b->tokens;
  double angles = fmax(1, b->context * floor(b->head_dim / 2));
  /* Few tokens: a copy of the inputs in their order of use, outputs of as many rows of weights as an input is long, sums on the way. */
  double n = 1, k = 1;
  for (int i = 0; i < d->nparts; i++) n = fmax(n, d->part[i].n), k = fmax(k, d->part[i].k);
  d->room_size = product_room(j, (size_t)n, (size_t)k);
  double least =
      2 * fmax(inputs * widest, b->heads / b->kv_heads * b->tokens * b->head_dim) + inputs * b->heads * (double)l->weights_scratch;
  if (few(d) && (double)d->room_size < least) d->room_size = (size_t)least;
  d->sum_size = 2 * (size_t)b->hidden;
  size_t longest = (size_t)fmax(widest, b->context);
  if (!arrays_take(j, d) || !(d->cosine = operand_room(j, angles, 1)) || !(d->sine = operand_room(j, angles, 1)) ||
      !(d->room = operand_room(j, (double)d->room_size, j->threads)) || !(d->sum = operand_room(j, (double)d->sum_size, j->threads)) ||
      !(d->inputs = operand_room(j, few(d) ? inputs * widest : 1, 1)) || !(d->line = operand_data(j, longest * sizeof *d->line)) ||
      !(d->expected = operand_data(j, longest * sizeof *d->expected)))
    return j->pool->why;
  for (int i = 0; i < 2; i++)
    if (!(d->took[i] = operand_data(j, sizeof *d->took[i] * BLOCK_PART_MAX * KEPT))) return j->pool->why;
  angles_fill(j, d);
  return NULL;
}

/* What this run is to write is spoilt in places. The cache is not: all but its new rows stay. */
static void block_reset(struct job *j) {
  struct layer *d = j->data;
  for (int a = ARRAY_N1; a < ARRAY_N; a++)
    if (d->array[a] && a != ARRAY_DY && !((a == ARRAY_KEYS || a == ARRAY_VALUES) && d->block.context > d->block.tokens))
      operand_spoil(j, d->array[a], (size_t)block_array(&d->block, (enum block_array)a), 1, CHECKED);
}

static void block_run(struct job *j) {
  const struct layer *d = j->data;
  for (int i = 0; i < d->nparts; i++) block_part_run(j, i);
}

/* ---- the parts, timed ---- */

static double now_of(const struct job *j) { return j->clock ? j->clock(j->clock_arg) : os_clock(); }

static double median_of(const double *v, int n) {
  double sorted[KEPT];
  memcpy(sorted, v, sizeof *v * (size_t)n);
  return quantile(sorted, n, 0.5);
}

/* Each part again and again, at least twice, the first time not counted: nobody else has touched the caches since. Then the layer as a
 * whole once more with a look at the clock between its parts, which also puts right what parts that add to something left behind. */
static void block_parts_time(struct job *j, struct sample *s) {
  struct layer *d = j->data;
  int slot = d->repetitions++ % KEPT, n = d->repetitions < KEPT ? d->repetitions : KEPT;
  for (int i = 0; i < d->nparts; i++) {
    double start = now_of(j);
    block_part_run(j, i);
    double once = now_of(j) - start;
    int times = once > 0 && once < ALONE_S ? (int)fmin(ceil(ALONE_S / once), 1000) : 1;
    start = now_of(j);
    for (int k = 0; k < times; k++) block_part_run(j, i);
    d->took[1][i * KEPT + slot] = (now_of(j) - start) / times;
  }
  double before = now_of(j);
  for (int i = 0; i < d->nparts; i++) {
    block_part_run(j, i);
    double after = now_of(j);
    d->took[0][i * KEPT + slot] = after - before;
    before = after;
  }
  s->nparts = d->nparts;
  for (int i = 0; i < d->nparts; i++) {
    s->inside[i] = median_of(d->took[0] + i * KEPT, n);
    s->alone[i] = median_of(d->took[1] + i * KEPT, n);
  }
}

const struct kernel kernel_block = {.op = OP_BLOCK,
                                    .words = "one layer of a transformer: attention and feed-forward part, part by part",
                                    .usable = block_usable,
                                    .setup = block_setup,
                                    .reset = block_reset,
                                    .run = block_run,
                                    .parts = block_parts_time,
                                    .residual = block_residual};
const struct kernel kernel_block_train = {.op = OP_BLOCK_TRAIN,
                                          .words = "one layer of a transformer, forward and backward, part by part",
                                          .usable = block_usable,
                                          .setup = block_setup,
                                          .reset = block_reset,
                                          .run = block_run,
                                          .parts = block_parts_time,
                                          .residual = block_residual};
