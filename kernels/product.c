#include "kernels/product.h"

#include <math.h>

#include "kernels/operand.h"

/* PANEL_BYTE: a row of the packed panel of B, of which block_depth share the outermost cache with those of the other workers. SMALL_BYTE: a
 * B up to this size is near enough to be read where it lies. FEW: rows of A below which packing B costs more than its use,
 * where its rows are no longer than ROW_BYTE: each further one is a page of its own. TURNED: rows
 * of A turned round at a time. */
enum { PANEL_BYTE = 8192, SMALL_BYTE = 1 << 18, FEW = 8, ROW_BYTE = 4096, TURNED = 240 };

/* Parts that are even and need the least packing. A value of A takes about as long to pack as 16 multiply-adds, one of B half of that; few
 * columns use A where it lies. */
int product_cut(const struct lanes_real *l, size_t m, size_t n, int of) {
  double least = INFINITY;
  int best = 1;
  for (int down = 1; down <= of; down++) {
    if (of % down) continue;
    double rows = ceil(ceil((double)m / (double)l->tile_rows) / down) * (double)l->tile_rows;
    double columns = ceil(ceil((double)n / (double)l->tile_columns) / (of / down)) * (double)l->tile_columns;
    double cost = rows * columns + 8 * columns + (columns > 12 * (double)l->tile_columns ? 16 * rows : 0);
    if (cost < least) least = cost, best = down;
  }
  return best;
}

static size_t panel_of(const struct job *j) {
  const struct lanes_real *l = job_lanes(j);
  return PANEL_BYTE / (size_t)dtype_byte(job_real(j)) / l->tile_columns * l->tile_columns;
}

/* The even part of n that is at most `most`. */
static size_t even_part(size_t n, size_t most) {
  size_t parts = (n + most - 1) / most;
  return (n + parts - 1) / parts;
}

/* The room: a packed panel, what the inner product packs, rows turned round. Columns of the panel, depth of all three. */
struct room {
  size_t panel, depth;
};

static struct room room_of(const struct job *j, size_t n, size_t k) {
  const struct lanes_real *l = job_lanes(j);
  size_t whole = (n + l->tile_columns - 1) / l->tile_columns * l->tile_columns, panel = panel_of(j);
  return (struct room){whole < panel ? whole : panel, k < l->block_depth ? k : l->block_depth};
}

size_t product_room(const struct job *j, size_t n, size_t k) {
  struct room r = room_of(j, n, k);
  return r.depth * r.panel + job_lanes(j)->scratch_elements + TURNED * r.depth;
}

void product_part(const struct job *j, const struct product *p, void *room, int rank, int of) {
  const struct lanes_real *l = job_lanes(j);
  size_t top, bottom, left, right;
  int down = product_cut(l, p->m, p->n, of), across = of / down;
  share_of(p->m, l->tile_rows, rank / across, down, &top, &bottom);
  share_of(p->n, l->tile_columns, rank % across, across, &left, &right);
  if (bottom <= top || right <= left) return;
  size_t rows = bottom - top;
  if (!p->a_turned && !p->add && p->b_column == 1 && (right - left) % l->tile_columns == 0 &&
      ((rows < FEW && (double)p->b_row * dtype_byte(job_real(j)) <= ROW_BYTE) ||
       (double)p->k * (double)p->n * dtype_byte(job_real(j)) <= SMALL_BYTE)) {
    l->product_small(operand_at(j, p->c, top * p->c_row + left), p->c_row, operand_from(j, p->a, top * p->a_row), p->a_row,
                     operand_from(j, p->b, left), p->b_row, rows, right - left, p->k);
    return;
  }
  struct room r = room_of(j, p->n, p->k);
  size_t most = even_part(p->k, l->block_depth), panel = r.panel;
  void *packed = room, *scratch = operand_at(j, packed, r.depth * panel), *turned = operand_at(j, scratch, l->scratch_elements);
  for (size_t column = left; column < right; column += panel) {
    size_t columns = right - column < panel ? right - column : panel;
    for (size_t at = 0; at < p->k; at += most) {
      size_t depth = p->k - at < most ? p->k - at : most;
      bool add = p->add || at > 0;
      l->pack(packed, operand_from(j, p->b, at * p->b_row + column * p->b_column), p->b_row, p->b_column, depth, columns);
      if (!p->a_turned) {
        l->product(operand_at(j, p->c, top * p->c_row + column), p->c_row, operand_from(j, p->a, top * p->a_row + at), p->a_row, packed,
                   rows, columns, depth, add, scratch);
        continue;
      }
      for (size_t row = top; row < bottom; row += TURNED) {
        size_t some = bottom - row < TURNED ? bottom - row : TURNED;
        l->turn(turned, depth, operand_from(j, p->a, at * p->a_row + row), p->a_row, depth, some);
        l->product(operand_at(j, p->c, row * p->c_row + column), p->c_row, turned, depth, packed, some, columns, depth, add, scratch);
      }
    }
  }
}
