/* body_weights: one layer of weights used by a batch of inputs. Included by body.h once per data type: no guard.
 *
 * y[b][j] = Σ_p x[b][p]·w[j][p]: both operands run along p, so registers are filled along p and nothing is packed. What matters is that W,
 * which is far larger than everything else, comes from memory once whatever the batch: WEIGHT_ROWS rows of W are taken a stretch of p at
 * a time, short enough to stay in the first-level cache, and all inputs use the stretch before the next one is fetched. The inputs are
 * first copied into the order of use, four side by side: rows of equal length tend to start at the same place of a cache's sets and push
 * each other out. */
#ifndef WEIGHT_ROWS
#define WEIGHT_ROWS 6
#define WEIGHT_INPUTS 4
#if VECTOR_COUNT >= 32
#define WEIGHT_TILE 6 /* rows in a tile of sums for four inputs: 24 registers of 32 */
#else
#define WEIGHT_TILE 3 /* 12 of 16 */
#endif
#ifndef WEIGHT_STRETCH_BYTE
#define WEIGHT_STRETCH_BYTE 1536
#endif
#define WEIGHT_BANDS 4
#define WEIGHT_AHEAD_BYTE 1024
#endif

/* Copies inputs [b, b + inputs) of stretch [p, p + n): a register of each in turn. */
static void NAME(weights_pack)(void *to, const void *x, size_t batch, size_t n, int rank, int of) {
  const REAL *from = x;
  REAL *out = to;
  size_t whole = n - n % LANES, stretch = WEIGHT_STRETCH_BYTE / REAL_BYTE, at = 0;
  for (size_t p = 0; p < whole; p += stretch) {
    size_t length = whole - p < stretch ? whole - p : stretch;
    for (size_t b = 0; b < batch; b += WEIGHT_INPUTS) {
      size_t inputs = batch - b < WEIGHT_INPUTS ? batch - b : WEIGHT_INPUTS;
      if ((int)(at % (size_t)of) == rank)
        for (size_t i = 0; i < length; i += LANES)
          for (size_t l = 0; l < inputs; l++)
            VEC_STORE(out + p * batch + b * length + i * inputs + l * LANES, VEC_LOAD(from + (b + l) * n + p + i));
      at++;
    }
  }
}

/* sum[r][b] += w[r][p]·x[b][p] for p < n, a register at a time, x as weights_pack leaves it; sums of one row lie sum_row registers apart.
 */
static inline __attribute__((always_inline)) void NAME(weights_tile)(const REAL *w, size_t w_row, const REAL *x, size_t n, REAL *sum,
                                                                     size_t sum_row, const REAL *ahead, size_t share, const int rows,
                                                                     const int inputs) {
  VEC s[WEIGHT_ROWS * WEIGHT_INPUTS];
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
    for (int b = 0; b < inputs; b++) s[r * inputs + b] = VEC_LOAD(sum + (r * sum_row + b) * LANES);
  }
  for (size_t p = 0; p + LANES <= n; p += LANES) {
    VEC from[WEIGHT_INPUTS];
#pragma GCC unroll 4
    for (int b = 0; b < inputs; b++) from[b] = VEC_LOAD(x + p * inputs + b * LANES);
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) {
      VEC by = VEC_LOAD(w + r * w_row + p);
      /* Narrow registers would ask for each line many times over: an instruction spent on an element where one must not be missed. */
      if (LANES * REAL_BYTE >= 32) __builtin_prefetch(ahead + r * w_row + (p * share >> 16), 0, 2);
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

/* All inputs with a stretch of `rows` rows of W; the next stretch starts at `next`. Each group of inputs asks for its part of that. */
static void NAME(weights_rows)(const REAL *w, size_t w_row, const REAL *next, const REAL *x, size_t n, REAL *sum, size_t batch,
                               const int rows) {
  size_t parts = (batch + WEIGHT_INPUTS - 1) / WEIGHT_INPUTS, part = n / parts;
#define TILES(height, inputs)                                                                                                              \
  for (int r = 0; r < rows; r += height) NAME(weights_tile)                                                                                \
  (w + r * w_row, w_row, x + b * n, n, sum + (r * batch + b) * LANES, batch, ahead + r * w_row, 65536 / parts, height, inputs)
  for (size_t b = 0; b < batch; b += WEIGHT_INPUTS) {
    size_t inputs = batch - b < WEIGHT_INPUTS ? batch - b : WEIGHT_INPUTS;
    const REAL *ahead = next + b / WEIGHT_INPUTS * part;
    if (rows == WEIGHT_ROWS) {
      if (inputs == 4)
        TILES(WEIGHT_TILE, 4);
      else if (inputs == 3)
        TILES(3, 3);
      else if (inputs == 2)
        TILES(WEIGHT_ROWS, 2);
      else
        TILES(WEIGHT_ROWS, 1);
    } else {
      if (inputs == 4)
        TILES(1, 4);
      else if (inputs == 3)
        TILES(1, 3);
      else if (inputs == 2)
        TILES(1, 2);
      else
        TILES(1, 1);
    }
  }
#undef TILES
}

/* One input. Nothing is used twice, so only the stream from memory counts: the rows are cut into bands, each of them one long stream that
 * the core's own prefetcher follows from row to row, and each with two sums of its own, which keeps enough additions in flight. `line`
 * elements come with one early request a band; unrolled further, the compiler strings the additions together and puts the sums in memory.
 */
static inline __attribute__((always_inline)) void NAME(weights_bands)(REAL *y, const REAL *x, const REAL *w, size_t n, size_t band,
                                                                      const int bands) {
  const size_t line = 2 * LANES * REAL_BYTE > 64 ? 2 * LANES : 64 / REAL_BYTE;
  VEC s[WEIGHT_BANDS], u[WEIGHT_BANDS];
#pragma GCC unroll 8
  for (int t = 0; t < bands; t++) s[t] = u[t] = VEC_SPLAT(0);
  size_t p = 0;
  for (; p + line <= n; p += line) {
#pragma GCC unroll 8
    for (int t = 0; t < bands; t++) __builtin_prefetch(w + (size_t)t * band * n + p + WEIGHT_AHEAD_BYTE / REAL_BYTE, 0, 3);
#pragma GCC unroll 1
    for (size_t i = p; i < p + line; i += 2 * LANES) {
      VEC even = VEC_LOAD(x + i), odd = VEC_LOAD(x + i + LANES);
#pragma GCC unroll 8
      for (int t = 0; t < bands; t++) s[t] += even * VEC_LOAD(w + (size_t)t * band * n + i);
#pragma GCC unroll 8
      for (int t = 0; t < bands; t++) u[t] += odd * VEC_LOAD(w + (size_t)t * band * n + i + LANES);
    }
  }
#pragma GCC unroll 8
  for (int t = 0; t < bands; t++) {
    double all = NAME(vec_sum)(s[t] + u[t]);
    for (size_t i = p; i < n; i++) all += (double)x[i] * (double)w[(size_t)t * band * n + i];
    y[(size_t)t * band] = (REAL)all;
  }
}

static void NAME(weights_one)(REAL *y, const REAL *x, const REAL *w, size_t n, size_t first, size_t last) {
  size_t band = (last - first) / WEIGHT_BANDS, j = first;
  for (; j < first + band; j++) NAME(weights_bands)(y + j, x, w + j * n, n, band, WEIGHT_BANDS);
  for (j = first + band * WEIGHT_BANDS; j < last; j++) NAME(weights_bands)(y + j, x, w + j * n, n, 0, 1);
}

static void NAME(weights)(void *y, const void *x, const void *packed, const void *w, size_t batch, size_t n, size_t first, size_t last,
                          void *scratch) {
  const REAL *px = x, *pp = packed;
  REAL *py = y, *sum = scratch;
  if (batch == 1) {
    NAME(weights_one)(py, px, w, n, first, last);
    return;
  }
  size_t whole = n - n % LANES, stretch = WEIGHT_STRETCH_BYTE / REAL_BYTE;
  for (size_t j = first; j < last; j += WEIGHT_ROWS) {
    int rows = last - j < WEIGHT_ROWS ? (int)(last - j) : WEIGHT_ROWS;
    const REAL *pw = (const REAL *)w + j * n;
    for (size_t i = 0; i < (size_t)rows * batch * LANES; i++) sum[i] = 0;
    for (size_t p = 0; p < whole; p += stretch) NAME(weights_rows)
    (pw + p, n, p + stretch < whole ? pw + p + stretch : pw + WEIGHT_ROWS * n, pp + p * batch, whole - p < stretch ? whole - p : stretch,
     sum, batch, rows);
    for (int r = 0; r < rows; r++)
      for (size_t b = 0; b < batch; b++) {
        double all = NAME(vec_sum)(VEC_LOAD(sum + ((size_t)r * batch + b) * LANES));
        for (size_t p = whole; p < n; p++) all += (double)px[b * n + p] * (double)pw[(size_t)r * n + p];
        py[b * n + j + (size_t)r] = (REAL)all;
      }
  }
}
