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
#define BLOCK_DEPTH (1536 / REAL_BYTE)
#define BLOCK_ROWS (TILE_ROWS * (126 / TILE_ROWS))
#endif
#define TILE_COLUMNS (2 * LANES)

/* Strips of TILE_COLUMNS columns, each k deep, one after the other; the last filled up with zeros. Element (p, j) of B is
 * b[p·b_row + j·b_column], so that a transpose is packed by exchanging the two. */
static void NAME(pack)(void *to, const void *b, size_t b_row, size_t b_column, size_t k, size_t n) {
  const REAL *from = b;
  REAL *out = to;
  size_t whole = b_column == 1 ? n / TILE_COLUMNS * TILE_COLUMNS : 0;
  /* A few rows side by side, each read from end to end as the prefetcher likes it. */
  enum { ROWS = 16 };
  for (size_t p0 = 0; p0 < k; p0 += ROWS) {
    size_t end = k - p0 < ROWS ? k : p0 + ROWS;
    for (size_t j = 0; j < whole; j += TILE_COLUMNS)
      for (size_t p = p0; p < end; p++) {
        const REAL *at = from + p * b_row + j;
        REAL *strip = out + j * k + p * TILE_COLUMNS;
        VEC left = VEC_LOAD(at), right = VEC_LOAD(at + LANES);
        VEC_STORE(strip, left);
        VEC_STORE(strip + LANES, right);
      }
  }
  for (size_t j = whole; j < n; j += TILE_COLUMNS) {
    size_t width = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
    const REAL *at = from + j * b_column;
    REAL *strip = out + j * k;
    for (size_t p = 0; p < k; p++)
      for (size_t l = 0; l < TILE_COLUMNS; l++) strip[p * TILE_COLUMNS + l] = l < width ? at[p * b_row + l * b_column] : 0;
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

/* One tile: C[m × n] (+)= A·B for m ≤ R ≤ TILE_ROWS, n ≤ TILE_COLUMNS; R is a constant wherever this is expanded. Packed: A is a group of
 * pack_rows; else its rows lie a_row apart. Rows of B lie b_row apart. */
static inline __attribute__((always_inline)) void NAME(tile)(const size_t R, size_t k, const REAL *a, size_t a_row, bool packed,
                                                             const REAL *b, size_t b_row, REAL *c, size_t c_row, size_t m, size_t n,
                                                             bool add) {
  VEC left[TILE_ROWS], right[TILE_ROWS];
  const REAL *row[TILE_ROWS];
  TILE_UNROLL
  for (size_t r = 0; r < R; r++) {
    left[r] = right[r] = VEC_SPLAT(0);
    row[r] = packed ? a + r : a + (r < m ? r : m - 1) * a_row; /* rows that are not there: the last again, and not stored */
    if (r < m) __builtin_prefetch(c + r * c_row, 1);
  }
#pragma GCC unroll 4
  for (size_t p = 0; p < k; p++) {
    VEC b0 = VEC_LOAD(b + p * b_row), b1 = VEC_LOAD(b + p * b_row + LANES);
    TILE_UNROLL
    for (size_t r = 0; r < R; r++) {
      VEC by = VEC_SPLAT(packed ? a[p * TILE_ROWS + r] : row[r][p]);
      left[r] += by * b0;
      right[r] += by * b1;
    }
  }
  if (n == TILE_COLUMNS) {
    TILE_UNROLL
    for (size_t r = 0; r < R; r++) {
      REAL *to = c + r * c_row;
      if (r >= m) break;
      VEC_STORE(to, add ? VEC_LOAD(to) + left[r] : left[r]);
      VEC_STORE(to + LANES, add ? VEC_LOAD(to + LANES) + right[r] : right[r]);
    }
    return;
  }
  REAL whole[TILE_ROWS * TILE_COLUMNS];
  TILE_UNROLL
  for (size_t r = 0; r < R; r++) {
    VEC_STORE(whole + r * TILE_COLUMNS, left[r]);
    VEC_STORE(whole + r * TILE_COLUMNS + LANES, right[r]);
  }
  for (size_t r = 0; r < m; r++)
    for (size_t j = 0; j < n; j++) c[r * c_row + j] = whole[r * TILE_COLUMNS + j] + (add ? c[r * c_row + j] : 0);
}

/* Up to TILE_ROWS rows: as one tile, or, where that would compute many rows that are not there, as the smaller ones they fill. */
static inline __attribute__((always_inline)) void NAME(tile_rows)(size_t k, const REAL *a, size_t a_row, bool packed, const REAL *b,
                                                                  size_t b_row, REAL *c, size_t c_row, size_t m, size_t n, bool add) {
  if (4 * m > 3 * TILE_ROWS) {
    NAME(tile)(TILE_ROWS, k, a, a_row, packed, b, b_row, c, c_row, m, n, add);
    return;
  }
  size_t step = packed ? 1 : a_row, done = 0;
#if VECTOR_COUNT >= 32
  if (m >= 8) {
    NAME(tile)(8, k, a, a_row, packed, b, b_row, c, c_row, 8, n, add);
    done = 8;
  }
#endif
  for (; done < m; done += 4) {
    size_t left = m - done < 4 ? m - done : 4;
    const REAL *from = a + done * step;
    REAL *to = c + done * c_row;
    if (left > 2)
      NAME(tile)(4, k, from, a_row, packed, b, b_row, to, c_row, left, n, add);
    else
      NAME(tile)(2, k, from, a_row, packed, b, b_row, to, c_row, left, n, add);
  }
}

static void NAME(tile_packed)(size_t k, const REAL *a, const REAL *b, REAL *c, size_t c_row, size_t m, size_t n, bool add) {
  NAME(tile_rows)(k, a, 1, true, b, TILE_COLUMNS, c, c_row, m, n, add);
}

static void NAME(tile_in_place)(size_t k, const REAL *a, size_t a_row, const REAL *b, REAL *c, size_t c_row, size_t m, size_t n, bool add) {
  NAME(tile_rows)(k, a, a_row, false, b, TILE_COLUMNS, c, c_row, m, n, add);
}

static void NAME(tile_of_both)(size_t k, const REAL *a, size_t a_row, const REAL *b, size_t b_row, REAL *c, size_t c_row, size_t m) {
  NAME(tile_rows)(k, a, a_row, false, b, b_row, c, c_row, m, TILE_COLUMNS, false);
}

/* C[m × n] = A·B with both where they lie: for matrices so small that copying costs more than walking across them. n is a multiple of
 * TILE_COLUMNS. */
static void NAME(product_small)(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t b_row, size_t m, size_t n,
                                size_t k) {
  for (size_t j = 0; j < n; j += TILE_COLUMNS)
    for (size_t i = 0; i < m; i += TILE_ROWS) NAME(tile_of_both)
  (k, (const REAL *)a + i * a_row, a_row, (const REAL *)b + j, b_row, (REAL *)c + i * c_row + j, c_row,
   m - i < TILE_ROWS ? m - i : TILE_ROWS);
}

/* A stretch of memory that will be needed soon: rows of `lines` cache lines, `row` elements apart; asked for a few lines at a time, in
 * between the work, so that it is near when its turn comes. */
struct NAME(ahead) {
  const REAL *at;
  size_t row, lines, rows, line; /* line: the next to ask for in this row */
};

static inline struct NAME(ahead) NAME(ahead_of)(const REAL *at, size_t row, size_t rows, size_t width) {
  return (struct NAME(ahead)){at, row, (width * REAL_BYTE + 63) / 64, width ? rows : 0, 0};
}

static inline void NAME(ahead_ask)(struct NAME(ahead) * a, size_t lines) {
  for (; lines > 0 && a->rows > 0; lines--) {
    __builtin_prefetch(a->at + a->line * (64 / REAL_BYTE), 0, 2);
    if (++a->line < a->lines) continue;
    a->line = 0;
    a->at += a->row;
    a->rows--;
  }
}

/* n cut into the fewest equal pieces of at most `most`, rounded up to whole grains. */
static inline size_t NAME(piece)(size_t n, size_t most, size_t grain) {
  size_t pieces = (n + most - 1) / most, each = pieces ? (n + pieces - 1) / pieces : n;
  return (each + grain - 1) / grain * grain;
}

/* C[m × n] (+)= A[m × k] · B, B packed. A block of A is copied into the second-level cache; a strip of B meets all of it, then the next
 * strip. Both come from farther away, and are asked for while the tiles before them are computed: the next strip, the next block of A.
 * Where few columns use each element of A, copying it costs more than it saves: it is read where it lies. */
static void NAME(product)(void *c, size_t c_row, const void *a, size_t a_row, const void *b, size_t m, size_t n, size_t k, bool add,
                          void *scratch) {
  REAL *pc = c;
  const REAL *pa = a, *pb = b;
  bool in_place = n <= 12 * TILE_COLUMNS;
  size_t depth_most = NAME(piece)(k, BLOCK_DEPTH, 1), rows_most = NAME(piece)(m, BLOCK_ROWS, TILE_ROWS),
         strips = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
  for (size_t p = 0; p < k; p += depth_most) {
    size_t depth = k - p < depth_most ? k - p : depth_most;
    for (size_t i = 0; i < m; i += rows_most) {
      size_t rows = m - i < rows_most ? m - i : rows_most, tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
      const REAL *block = pa + i * a_row + p;
      if (!in_place) NAME(pack_rows)(scratch, block, a_row, rows, depth);
      /* The next block: further down, else at the top of the next stretch of k. */
      bool below = i + rows < m;
      size_t next_rows = below ? m - i - rows : m, next_depth = below ? depth : k - p - depth;
      if (next_rows > rows_most) next_rows = rows_most;
      if (next_depth > depth_most) next_depth = depth_most;
      struct NAME(ahead) next_block = NAME(ahead_of)(below ? block + rows * a_row : pa + p + depth, a_row, next_rows, next_depth);
      size_t block_lines = (next_block.lines * next_block.rows + tiles * strips - 1) / (tiles * strips);
      for (size_t j = 0; j < n; j += TILE_COLUMNS) {
        const REAL *strip = pb + j * k + p * TILE_COLUMNS;
        size_t width = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
        struct NAME(ahead) next_strip = NAME(ahead_of)(strip + TILE_COLUMNS * k, 0, j + TILE_COLUMNS < n, depth * TILE_COLUMNS);
        size_t strip_lines = (next_strip.lines + tiles - 1) / tiles;
        for (size_t r = 0; r < rows; r += TILE_ROWS) {
          size_t height = rows - r < TILE_ROWS ? rows - r : TILE_ROWS;
          NAME(ahead_ask)(&next_strip, strip_lines);
          NAME(ahead_ask)(&next_block, block_lines);
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
