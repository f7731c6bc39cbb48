#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/bench.h"

/* Blocks start at a large page where they are large, else at a cache line: a misaligned buffer costs 40 % of the L1 rate. */
enum { POOL_LINE = 64, POOL_LARGE = 2 * 1024 * 1024 };

char *byte_words(char out[40], double byte) {
  static const struct {
    double from, unit;
    const char *words;
  } step[] = {{1e13, 1e12, "trillion bytes"}, {1e10, 1e9, "billion bytes"}, {1e6, 1e6, "million bytes"}, {0, 1, "bytes"}};
  int i = 0;
  while (i < 3 && !(byte >= step[i].from)) i++;
  snprintf(out, 40, "%.0f %s", byte / step[i].unit, step[i].words);
  return out;
}

static void *pool_refuse(struct pool *p, const char *why) {
  snprintf(p->why, sizeof p->why, "%s", why);
  return NULL;
}

void *pool_take(struct pool *p, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return pool_refuse(p, "more bytes than an address can count");
  size_t byte = count * size, align = byte >= POOL_LARGE ? POOL_LARGE : POOL_LINE;
  if (byte > SIZE_MAX - align) return pool_refuse(p, "more bytes than an address can count");
  byte = byte == 0 ? align : (byte + align - 1) / align * align;
  if (p->n == (int)(sizeof p->block / sizeof *p->block)) return pool_refuse(p, "more arrays than the pool has places for");
  if (!isnan(p->cap) && p->used + (double)byte > p->cap) {
    char need[40], may[40];
    snprintf(p->why, sizeof p->why, "%s of memory needed, %s allowed (a quarter of what is free)",
             byte_words(need, p->used + (double)byte), byte_words(may, p->cap));
    return NULL;
  }
  void *block = aligned_alloc(align, byte);
  if (!block) {
    char need[40];
    snprintf(p->why, sizeof p->why, "the system gave no memory for %s", byte_words(need, (double)byte));
    return NULL;
  }
  if (align == POOL_LARGE) os_huge_pages(block, byte);
  p->block[p->n] = block;
  p->size[p->n++] = byte;
  p->used += (double)byte;
  return block;
}

void pool_free(struct pool *p) {
  for (int i = 0; i < p->n; i++) free(p->block[i]);
  p->n = 0;
  p->used = 0;
}
