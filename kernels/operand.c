#include "kernels/operand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTE = 64, SPOIL_ALL = 1 << 16 };

static size_t element_byte(const struct job *j) { return (size_t)dtype_byte(job_real(j)); }

const char *operand_usable(const struct job *j) {
  enum dtype t = j->request.dtype;
  return t == DTYPE_FP64 || t == DTYPE_FP32 ? NULL : "this kernel computes in fp32 and fp64 only";
}

static bool countable(struct job *j, double count) {
  if (count >= 1 && count * 8 < (double)(SIZE_MAX / 2) && count < 0x1p53) return true;
  snprintf(j->pool->why, sizeof j->pool->why, "arrays of %g elements cannot be made", count);
  return false;
}

void *operand_take(struct job *j, double count, int stream) {
  return countable(j, count) ? job_array(j, (size_t)count, -1, 1, stream) : NULL;
}

static size_t part_byte(const struct job *j, size_t count) {
  return (count * element_byte(j) + LINE_BYTE - 1) / LINE_BYTE * LINE_BYTE + LINE_BYTE;
}

void *operand_room(struct job *j, double count, int parts) {
  if (!countable(j, count) || !countable(j, count * parts)) return NULL;
  return pool_take(j->pool, part_byte(j, (size_t)count), (size_t)parts);
}

void *operand_part(const struct job *j, void *room, size_t count, int rank) { return (char *)room + part_byte(j, count) * (size_t)rank; }

void *operand_data(struct job *j, size_t size) {
  void *p = pool_take(j->pool, 1, size);
  if (p) memset(p, 0, size);
  return p;
}

void *operand_at(const struct job *j, void *p, size_t i) { return (char *)p + i * element_byte(j); }

const void *operand_from(const struct job *j, const void *p, size_t i) { return (const char *)p + i * element_byte(j); }

static void pick_add(struct picks *p, size_t i) {
  if (p->n < sizeof p->at / sizeof *p->at && i < p->count) p->at[p->n++] = i;
}

struct picks picks_of(const struct job *j, size_t count, size_t most, bool all) {
  struct picks p = {.count = count, .all = all || count <= most};
  if (p.all) {
    p.n = count;
    return p;
  }
  pick_add(&p, 0);
  pick_add(&p, count - 1);
  for (int rank = 1; rank < j->threads && p.n + 2 <= most / 2; rank++) {
    size_t lo, hi;
    job_share(j, count, rank, &lo, &hi);
    if (lo == 0 || lo >= count) continue;
    pick_add(&p, lo - 1);
    pick_add(&p, lo);
  }
  uint64_t state = j->seed ^ UINT64_C(0x5851f42d4c957f2d);
  while (p.n < most) pick_add(&p, (size_t)(random_next(&state) % count));
  return p;
}

void operand_spoil(const struct job *j, void *p, size_t rows, size_t width, size_t most) {
  struct picks picks = picks_of(j, rows, most, rows <= SPOIL_ALL / (width ? width : 1));
  for (size_t i = 0; i < picks.n; i++)
    for (size_t c = 0; c < width; c++) reference_set(p, job_real(j), pick(&picks, i) * width + c, NAN);
}
