/* body_matmul: the matrix product a rung at a time, and the product with weights. Included by body.h once per data type: no guard. All
 * matrices are row-major. */

/* Rung 1, plain: the definition. For each output walk along a row of A and down a column of B. Down a column every element is in another
 * line of memory: a whole line is fetched for each, and by the time the next column wants its neighbour it is gone. */
static void NAME(product_plain)(void *c, const void *a, const void *b, size_t m, size_t n, size_t k) {
  const REAL *pa = a, *pb = b;
  REAL *pc = c;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      REAL sum = 0;
      for (size_t p = 0; p < k; p++) sum += pa[i * k + p] * pb[p * n + j];
      pc[i * n + j] = sum;
    }
}

/* Rung 2, reordered: the same multiply-adds with the two inner loops exchanged. Now the innermost loop walks along a row of B and a row of
 * C, every byte of a fetched line is used, and the compiler may take several columns at once. */
static void NAME(product_reordered)(void *c, const void *a, const void *b, size_t m, size_t n, size_t k) {
  const REAL *pa = a, *pb = b;
  for (size_t i = 0; i < m; i++) {
    REAL *row = (REAL *)c + i * n;
    for (size_t j = 0; j < n; j++) row[j] = 0;
    for (size_t p = 0; p < k; p++) {
      REAL by = pa[i * k + p];
      const REAL *restrict from = pb + p * n;
      REAL *restrict to = row;
      for (size_t j = 0; j < n; j++) to[j] += by * from[j];
    }
  }
}

/* Rung 3, tiled: rung 2 on blocks. A block of B is used by all rows of A before the next one is fetched, so B comes from memory once and
 * from the second-level cache m times. The nearest store of all are the registers: four rows of the block are taken together, and C is
 * loaded and stored once for the four. */
static void NAME(product_tiled)(void *c, const void *a, const void *b, size_t m, size_t n, size_t k) {
  enum { DEPTH = 64, WIDTH = 2048 / REAL_BYTE, TOGETHER = 4 };
  const REAL *pa = a, *pb = b;
  REAL *pc = c;
  for (size_t i = 0; i < m * n; i++) pc[i] = 0;
  for (size_t j = 0; j < n; j += WIDTH)
    for (size_t p0 = 0; p0 < k; p0 += DEPTH) {
      size_t width = n - j < WIDTH ? n - j : WIDTH, end = k - p0 < DEPTH ? k : p0 + DEPTH;
      for (size_t i = 0; i < m; i++) {
        REAL *restrict to = pc + i * n + j;
        size_t p = p0;
        for (; p + TOGETHER <= end; p += TOGETHER) {
          const REAL *by = pa + i * k + p, *restrict from = pb + p * n + j;
          REAL by0 = by[0], by1 = by[1], by2 = by[2], by3 = by[3];
          for (size_t l = 0; l < width; l++) to[l] += by0 * from[l] + by1 * from[n + l] + by2 * from[2 * n + l] + by3 * from[3 * n + l];
        }
        for (; p < end; p++)
          for (size_t l = 0; l < width; l++) to[l] += pa[i * k + p] * pb[p * n + j + l];
      }
    }
}

/* Rung 4, vectorised: keep a tile of C in registers. Per step of k a tile of R rows and two registers of columns loads R + 2 values for
 * 2·R multiply-adds, where rung 3 loads and stores C for each. R is as large as the registers allow: 2·R sums, two of B, one of A. The
 * operands are packed: copied into the order in which the tile reads them, so that it walks straight through memory. */
#ifndef TILE_ROWS
#if VECTOR_COUNT >= 32
#define TILE_ROWS 14
#define TILE_UNROLL _Pragma("GCC unroll 14")
#else
#define TILE_ROWS 6
#define TILE_UNROLL _Pragma("GCC unroll 6")
#endif
/* Depth and rows of the packed block of A: it stays in the second-level cache while a strip of B, of the same depth, stays in the first. */
#define BLOCK_DEPTH (2048 / REAL_BYTE)
#define BLOCK_ROWS (TILE_ROWS * (126 / TILE_ROWS))
#endif
#define TILE_COLUMNS (2 * LANES)

/* Strips of TILE_COLUMNS columns, each k deep, one after the other; the last filled up with zeros. Element (p, j) of B is
 * b[p·b_row + j·b_column], so that a transpose is packed by exchanging the two. */
static void NAME(pack)(void *to, const void *b, size_t b_row, size_t b_column, size_t k, size_t n) {
  const REAL *from = b;
  REAL *out = to;
  for (size_t j = 0; j < n; j += TILE_COLUMNS, out += k * TILE_COLUMNS) {
    size_t width = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
    const REAL *strip = from + j * b_column;
    if (width == TILE_COLUMNS && b_column == 1)
      for (size_t p = 0; p < k; p++) {
        VEC_STORE(out + p * TILE_COLUMNS, VEC_LOAD(strip + p * b_row));
        VEC_STORE(out + p * TILE_COLUMNS + LANES, VEC_LOAD(strip + p * b_row + LANES));
      }
    else
      for (size_t p = 0; p < k; p++)
        for (size_t l = 0; l < TILE_COLUMNS; l++) out[p * TILE_COLUMNS + l] = l < width ? strip[p * b_row + l * b_column] : 0;
  }
}

/* Rows of A in groups of TILE_ROWS, each group k deep; the last filled up with zeros. */
static void NAME(pack_rows)(REAL *restrict out, const REAL *restrict a, size_t a_row, size_t m, size_t k) {
  for (size_t i = 0; i < m; i += TILE_ROWS, out += k * TILE_ROWS) {
    size_t height = m - i < TILE_ROWS ? m - i : TILE_ROWS;
    const REAL *group = a + i * a_row;
    if (height == TILE_ROWS)
      for (size_t p = 0; p < k; p++) {
        TILE_UNROLL
        for (size_t r = 0; r < TILE_ROWS; r++) out[p * TILE_ROWS + r] = group[r * a_row + p];
      }
    else
      for (size_t p = 0; p < k; p++)
        for (size_t r = 0; r < TILE_ROWS; r++) out[p * TILE_ROWS + r] = r < height ? group[r * a_row + p] : 0;
  }
}

/* One tile: C[m × n] (+)= A·B for m ≤ TILE_ROWS, n ≤ TILE_COLUMNS. Packed: A is a group of pack_rows; else its rows lie a_row apart. */
static inline __attribute__((always_inline)) void NAME(tile)(size_t k, const REAL *a, size_t a_row, bool packed, const REAL *b, REAL *c,
                                                             size_t c_row, size_t m, size_t n, bool add) {
  VEC left[TILE_ROWS], right[TILE_ROWS];
  const REAL *row[TILE_ROWS];
  TILE_UNROLL
  for (size_t r = 0; r < TILE_ROWS; r++) {
    left[r] = right[r] = VEC_SPLAT(0);
    row[r] = packed ? a + r : a + (r < m ? r : m - 1) * a_row; /* rows that are not there: the last again, and not stored */
    if (r < m) __builtin_prefetch(c + r * c_row, 1);
  }
#pragma GCC unroll 4
  for (size_t p = 0; p < k; p++) {
    VEC b0 = VEC_LOAD(b + p * TILE_COLUMNS), b1 = VEC_LOAD(b + p * TILE_COLUMNS + LANES);
    TILE_UNROLL
    for (size_t r = 0; r < TILE_ROWS; r++) {
      VEC by = VEC_SPLAT(packed ? a[p * TILE_ROWS + r] : row[r][p]);
      left[r] += by * b0;
      right[r] += by * b1;
    }
  }
  if (m == TILE_ROWS && n == TILE_COLUMNS) {
    TILE_UNROLL
    for (size_t r = 0; r < TILE_ROWS; r++) {
      REAL *to = c + r * c_row;
      VEC_STORE(to, add ? VEC_LOAD(to) + left[r] : left[r]);
      VEC_STORE(to + LANES, add ? VEC_LOAD(to + LANES) + right[r] : right[r]);
    }
    return;
  }
  REAL whole[TILE_ROWS * TILE_COLUMNS];
  TILE_UNROLL
  for (size_t r = 0; r < TILE_ROWS; r++) {
    VEC_STORE(whole + r * TILE_COLUMNS, left[r]);
    VEC_STORE(whole + r * TILE_COLUMNS + LANES, right[r]);
  }
  for (size_t r = 0; r < m; r++)
    for (size_t j = 0; j < n; j++) c[r * c_row + j] = whole[r * TILE_COLUMNS + j] + (add ? c[r * c_row + j] : 0);
}

static void NAME(tile_packed)(size_t k, const REAL *a, const REAL *b, REAL *c, size_t c_row, size_t m, size_t n, bool add) {
  NAME(tile)(k, a, 1, true, b, c, c_row, m, n, add);
}

static void NAME(tile_in_place)(size_t k, const REAL *a, size_t a_row, const REAL *b, REAL *c, size_t c_row, size_t m, size_t n, bool add) {
  NAME(tile)(k, a, a_row, false, b, c, c_row, m, n, add);
}

/* Asks for the part `part` of `parts` of a block of A: what is read where it lies should be near before it is needed. */
static inline void NAME(block_ahead)(const REAL *block, size_t a_row, size_t rows, size_t depth, size_t part, size_t parts) {
  size_t in_row = (depth * REAL_BYTE + 63) / 64, lines = rows * in_row, last = lines * (part + 1) / parts;
  for (size_t i = lines * part / parts; i < last; i++) __builtin_prefetch(block + i / in_row * a_row + i % in_row * (64 / REAL_BYTE), 0, 2);
}

/* C[m × n] (+)= A[m × k] · B, B packed. Where few columns use each element of A, copying it costs more than it saves: it is read where it
 * lies. */
static void NAME(product)(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t m, size_t n, size_t k, bool add,
                          void *scratch) {
  REAL *pc = c;
  const REAL *pa = a, *pb = b;
  bool in_place = n <= 12 * TILE_COLUMNS;
  for (size_t p = 0; p < k; p += BLOCK_DEPTH) {
    size_t depth = k - p < BLOCK_DEPTH ? k - p : BLOCK_DEPTH;
    for (size_t i = 0; i < m; i += BLOCK_ROWS) {
      size_t rows = m - i < BLOCK_ROWS ? m - i : BLOCK_ROWS;
      const REAL *block = pa + i * a_row + p;
      if (!in_place) NAME(pack_rows)(scratch, block, a_row, rows, depth);
      /* The next block: further down, else at the top of the next stretch of k. */
      bool below = i + BLOCK_ROWS < m;
      const REAL *next = below ? block + BLOCK_ROWS * a_row : pa + p + depth;
      size_t next_rows = below ? (m - i - BLOCK_ROWS < BLOCK_ROWS ? m - i - BLOCK_ROWS : BLOCK_ROWS) : m < BLOCK_ROWS ? m : BLOCK_ROWS;
      size_t next_depth = below ? depth : k - p - depth < BLOCK_DEPTH ? k - p - depth : BLOCK_DEPTH;
      size_t tile = 0, tiles = ((rows + TILE_ROWS - 1) / TILE_ROWS) * ((n + TILE_COLUMNS - 1) / TILE_COLUMNS);
      for (size_t j = 0; j < n; j += TILE_COLUMNS) {
        const REAL *strip = pb + j * k + p * TILE_COLUMNS;
        size_t width = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
        for (size_t r = 0; r < rows; r += TILE_ROWS) {
          size_t height = rows - r < TILE_ROWS ? rows - r : TILE_ROWS;
          if (in_place) NAME(block_ahead)(next, a_row, next_rows, next_depth, tile++, tiles);
          REAL *to = pc + (i + r) * c_row + j;
          if (in_place)
            NAME(tile_in_place)(depth, block + r * a_row, a_row, strip, to, c_row, height, width, add || p > 0);
          else
            NAME(tile_packed)(depth, (const REAL *)scratch + r * depth, strip, to, c_row, height, width, add || p > 0);
        }
      }
    }
  }
}
#undef TILE_COLUMNS
