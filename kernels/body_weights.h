/* body_weights: one layer of weights used by a batch of inputs. Included by body.h once per data type: no guard.
 *
 * y[b][j] = Σ_p x[b][p]·w[j][p]: both operands run along p, so registers are filled along p and nothing is packed. What matters is that W,
 * which is far larger than everything else, comes from memory once whatever the batch: WEIGHT_ROWS rows of W are taken a stretch of p at
 * a time, short enough to stay in the first-level cache, and all inputs use the stretch before the next one is fetched. */
#ifndef WEIGHT_ROWS
#define WEIGHT_ROWS 6
#define WEIGHT_INPUTS 4
#if VECTOR_COUNT >= 32
#define WEIGHT_TILE 6 /* rows in a tile of sums for four inputs: 24 registers of 32 */
#else
#define WEIGHT_TILE 3 /* 12 of 16 */
#endif
#define WEIGHT_STRETCH_BYTE 2048
#endif

/* sum[r][b] += w[r][p]·x[b][p] for p < n, a register at a time; sums of one row lie sum_row registers apart. */
static inline __attribute__((always_inline)) void NAME(weights_tile)(const REAL *w, const REAL *x, size_t row, size_t n, REAL *sum,
                                                                     size_t sum_row, const int rows, const int inputs) {
  VEC s[WEIGHT_ROWS * WEIGHT_INPUTS];
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
    for (int b = 0; b < inputs; b++) s[r * inputs + b] = VEC_LOAD(sum + (r * sum_row + b) * LANES);
  }
  for (size_t p = 0; p + LANES <= n; p += LANES) {
    VEC from[WEIGHT_INPUTS];
#pragma GCC unroll 4
    for (int b = 0; b < inputs; b++) from[b] = VEC_LOAD(x + b * row + p);
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) {
      VEC by = VEC_LOAD(w + r * row + p);
#pragma GCC unroll 4
      for (int b = 0; b < inputs; b++) s[r * inputs + b] += by * from[b];
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
    for (int b = 0; b < inputs; b++) VEC_STORE(sum + (r * sum_row + b) * LANES, s[r * inputs + b]);
  }
}

static void NAME(weights_rows)(const REAL *w, const REAL *x, size_t row, size_t n, REAL *sum, size_t batch, const int rows) {
  size_t b = 0;
  for (; b + 4 <= batch; b += 4) {
    if (rows == WEIGHT_ROWS)
      for (int r = 0; r < WEIGHT_ROWS; r += WEIGHT_TILE)
        NAME(weights_tile)(w + r * row, x + b * row, row, n, sum + (r * batch + b) * LANES, batch, WEIGHT_TILE, 4);
    else
      for (int r = 0; r < rows; r++) NAME(weights_tile)(w + r * row, x + b * row, row, n, sum + (r * batch + b) * LANES, batch, 1, 4);
  }
  size_t left = batch - b;
  const REAL *from = x + b * row;
  REAL *to = sum + b * LANES;
  if (rows == WEIGHT_ROWS && left == 3) {
    for (int r = 0; r < WEIGHT_ROWS; r += 3) NAME(weights_tile)(w + r * row, from, row, n, to + r * batch * LANES, batch, 3, 3);
  } else if (rows == WEIGHT_ROWS && left == 2) {
    NAME(weights_tile)(w, from, row, n, to, batch, WEIGHT_ROWS, 2);
  } else if (rows == WEIGHT_ROWS && left == 1) {
    NAME(weights_tile)(w, from, row, n, to, batch, WEIGHT_ROWS, 1);
  } else {
    for (int r = 0; r < rows; r++)
      for (size_t l = 0; l < left; l++) NAME(weights_tile)(w + r * row, from + l * row, row, n, to + (r * batch + l) * LANES, batch, 1, 1);
  }
}

static void NAME(weights)(void *y, const void *x, const void *w, size_t batch, size_t n, size_t first, size_t last, void *scratch) {
  const REAL *px = x;
  REAL *py = y, *sum = scratch;
  size_t whole = n - n % LANES, stretch = batch <= WEIGHT_INPUTS ? n : WEIGHT_STRETCH_BYTE / REAL_BYTE;
  for (size_t j = first; j < last; j += WEIGHT_ROWS) {
    int rows = last - j < WEIGHT_ROWS ? (int)(last - j) : WEIGHT_ROWS;
    const REAL *pw = (const REAL *)w + j * n;
    for (size_t i = 0; i < (size_t)rows * batch * LANES; i++) sum[i] = 0;
    for (size_t p = 0; p < whole; p += stretch)
      NAME(weights_rows)(pw + p, px + p, n, whole - p < stretch ? whole - p : stretch, sum, batch, rows);
    for (int r = 0; r < rows; r++)
      for (size_t b = 0; b < batch; b++) {
        double all = NAME(vec_sum)(VEC_LOAD(sum + ((size_t)r * batch + b) * LANES));
        for (size_t p = whole; p < n; p++) all += (double)px[b * n + p] * (double)pw[(size_t)r * n + p];
        py[b * n + j + (size_t)r] = (REAL)all;
      }
  }
}
