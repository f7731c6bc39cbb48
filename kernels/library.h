/* library: the matrix product of a BLAS that is found when the program runs; nothing is linked, nothing is needed. In the measuring child
 * only. The environment may name a slow inner kernel for it (OPENBLAS_CORETYPE, OPENBLAS_L2_SIZE…): these words are taken out, and each
 * kernel that this CPU can run is tried. RIDGE_BLAS names a file to load in place of those looked for. */
#ifndef RIDGE_LIBRARY_H
#define RIDGE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/bench.h"
#include "model/dtype.h"

struct library;

/* Loads the first library there is. core: an OpenBLAS core type, or NULL for the library's own choice; other libraries have no such word
 * and ignore it. threads: how many it may use. NULL: why says in words what was looked for. */
struct library *library_open(const char *core, int threads, char why[160]);
void library_close(struct library *l); /* NULL is fine */

/* C[m×n] = A[m×k]·B[k×n], row-major without gaps, fp32 or fp64; each of m, n, k below 2^31. */
void library_product(const struct library *l, enum dtype t, void *c, const void *a, const void *b, size_t m, size_t n, size_t k);

/* "OpenBLAS 0.3.21 Haswell": the library and, where it tells, the version and the inner kernel in use. */
const char *library_name(const struct library *l);
const char *library_file(const struct library *l); /* "libopenblas.so.0" */
int library_threads(const struct library *l);      /* as it says itself; where it does not, those it was told */

/* The core types worth trying on a CPU with these words, NULL (the library's own choice) first; returns how many. bf16: it also has AVX-512
 * arithmetic on bf16. */
enum { LIBRARY_CORES = 6 };
int library_cores(const struct cpuid_words *w, bool bf16, const char *core[LIBRARY_CORES]);

/* The fastest of those on this product (or, where it is large, on a corner of it), each tried on the given arrays; C is overwritten. */
struct library *library_best(int threads, enum dtype t, void *c, const void *a, const void *b, size_t m, size_t n, size_t k, char why[160]);

#endif
