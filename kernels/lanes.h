/* lanes: the inner loops of the kernels, once per instruction set and data type. A file isa_X.c compiles body.h with its own flags and
 * fills one table; the op_*.c files choose a table at run time and split the work over the team. Nothing here is shared between
 * instruction sets: every function behind a pointer is static in its own translation unit, so that no AVX code can reach a CPU without
 * AVX. Pointers are to elements of the table's data type, passed as void; lengths are in elements; any length from 0, any alignment
 * that the data type itself allows unless a function says otherwise. */
#ifndef RIDGE_LANES_H
#define RIDGE_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"
#include "model/run.h"

struct lanes_real {
  int lanes; /* elements in one vector register: 1 for scalar */

  /* ---- body_stream.h ---- */
  /* p[0..n) gets elements first, first+1… of the random sequence `key`: uniform in [lo, hi). Element i does not depend on how the work
   * was split. Values are whole multiples of (hi - lo)/2^23, so none is denormal. */
  void (*fill)(void *p, size_t first, size_t n, uint64_t key, double lo, double hi);
  /* x = x·m + c, `iterations` times, on peak_width independent values that start at start·(1 + chain/64); returns their sum. */
  double (*peak)(size_t iterations, double m, double c, double start);
  int peak_chains, peak_width;             /* independent registers; values = chains × lanes */
  double (*read)(const void *x, size_t n); /* sum of all elements */
  void (*copy)(void *y, const void *x, size_t n);
  void (*copy_nt)(void *y, const void *x, size_t n);                        /* y 64-byte aligned; NULL where there are no such stores */
  void (*triad)(void *z, const void *x, const void *y, double a, size_t n); /* z = x + a·y */
  void (*triad_nt)(void *z, const void *x, const void *y, double a, size_t n);
  double (*dial)(const void *x, size_t n, int fma, double m, double c); /* Σ m·f(x), f: fma-1 times x = x·m + c */

  /* ---- body_ops.h ---- */

  /* ---- body_matmul.h ---- */
};
struct lanes {
  const struct lanes_real *real[2];
}; /* [0] fp64, [1] fp32; NULL: not in this build */
extern const struct lanes lanes_scalar, lanes_sse2, lanes_avx2, lanes_avx512, lanes_neon;

/* The table of one instruction set; NULL when this build has none. Says nothing about whether the CPU can run it: isa_usable() does. */
const struct lanes *lanes_of(enum isa isa);
/* Its half for a data type; NULL for types other than fp64 and fp32. */
const struct lanes_real *lanes_for(enum isa isa, enum dtype t);

#endif
