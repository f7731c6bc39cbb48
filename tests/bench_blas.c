/* The other side of the matrix products that `make bench` compares: OpenBLAS as the environment asks for it (OPENBLAS_CORETYPE,
 * OPENBLAS_NUM_THREADS), loaded without our library rung, which would choose for itself. Arguments: n, seconds. Prints one line:
 * FLOP/s of the median sample, the core type in use, the threads. Samples last 3 ms at least; the first is not counted. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bench.h"
#include "kernels/lanes.h"
#include "model/run.h"

typedef void gemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);

/* ISO C has no cast from what dlsym gives to a function. */
static void function_find(void *library, const char *name, void *out) {
  void *at = dlsym(library, name);
  memcpy(out, &at, sizeof at);
}

int main(int argc, char **argv) {
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  int n = argc > 1 ? atoi(argv[1]) : 512;
  double seconds = argc > 2 ? atof(argv[2]) : 0.2;
  if (!library || n < 1) return 1;
  gemm *multiply;
  char *(*core)(void);
  int (*threads)(void);
  function_find(library, "cblas_sgemm", &multiply);
  function_find(library, "openblas_get_corename", &core);
  function_find(library, "openblas_get_num_threads", &threads);
  if (!multiply) return 1;

  struct pool pool = {.cap = NAN}; /* memory as our kernels have it */
  size_t count = (size_t)n * (size_t)n;
  float *a = pool_take(&pool, count, sizeof *a), *b = pool_take(&pool, count, sizeof *b), *c = pool_take(&pool, count, sizeof *c);
  if (!a || !b || !c) return 1;
  const struct lanes_real *l = lanes_for(isa_best(), DTYPE_FP32);
  l->fill(a, 0, count, 1, -1, 1);
  l->fill(b, 0, count, 2, -1, 1);
  memset(c, 0, count * sizeof *c);

  enum { SAMPLES = 2000 };
  static double time[SAMPLES];
  int samples = 0;
  long inner = 1;
  double warm = os_clock() + 0.1, end = warm + seconds;
  while (samples < SAMPLES && (samples < 3 || os_clock() < end)) {
    double start = os_clock();
    for (long i = 0; i < inner; i++) multiply(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
    double took = os_clock() - start;
    if (took < 3e-3) {
      inner = (long)ceil((double)inner * fmin(4, fmax(1.1, 3.3e-3 / took)));
      continue;
    }
    if (os_clock() > warm) time[samples++] = took / (double)inner;
  }
  printf("%.6g %s %d\n", 2 * pow(n, 3) / quantile(time, samples, 0.5), core ? core() : "?", threads ? threads() : 0);
  pool_free(&pool);
  return 0;
}
