#include "kernels/library.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the names of the two interfaces come from: CBLAS takes rows as they are; the older one counts in columns, so that its C = B·A of
 * the transposes is our C = A·B. Strings carry their length behind the other arguments there. */
enum { CBLAS_ROWS = 101, CBLAS_AS_IS = 111 };
typedef void function(void);

struct library {
  void *handle;
  function *c_style[2], *fortran[2]; /* [0] fp64, [1] fp32 */
  int threads;
  char file[128], name[80];
};

static const char *const files[] = {"libopenblas.so.0", "libblis.so.4", "libmkl_rt.so", "libblas.so.3"};

/* A function by its name: ISO C has no cast from the object pointer that dlsym gives. */
static function *function_find(void *handle, const char *name) {
  void *at = dlsym(handle, name);
  function *f = NULL;
  memcpy(&f, &at, sizeof f);
  return f;
}

static void word_set(const char *key, const char *value) {
  if (value)
    setenv(key, value, 1);
  else
    unsetenv(key);
}

/* What the libraries read from the environment as they are loaded: only what we want is left there. */
static void environment_clean(const char *core, int threads) {
  static const char *const count[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"};
  static const char *const gone[] = {"OPENBLAS_L2_SIZE",   "OPENBLAS_VERBOSE", "OPENBLAS_BLOCK_FACTOR",
                                     "OPENBLAS_MAIN_FREE", "BLIS_ARCH_TYPE",   "MKL_ENABLE_INSTRUCTIONS",
                                     "MKL_DEBUG_CPU_TYPE", "BLIS_JC_NT",       "BLIS_IC_NT",
                                     "BLIS_JR_NT",         "BLIS_IR_NT"};
  char n[16];
  snprintf(n, sizeof n, "%d", threads);
  for (size_t i = 0; i < sizeof count / sizeof *count; i++) word_set(count[i], n);
  for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) word_set(gone[i], NULL);
  word_set("OPENBLAS_CORETYPE", core);
}

/* The first words of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH…", then the inner kernel. */
static void name_openblas(struct library *l) {
  function *config = function_find(l->handle, "openblas_get_config"), *core = function_find(l->handle, "openblas_get_corename");
  function *threads = function_find(l->handle, "openblas_get_num_threads");
  char text[64] = "OpenBLAS";
  if (config) snprintf(text, sizeof text, "%.60s", ((const char *(*)(void))config)());
  char *end = strchr(text, ' ');
  if (end && (end = strchr(end + 1, ' '))) *end = '\0';
  snprintf(l->name, sizeof l->name, "%.40s%s%.24s", text, core ? " " : "", core ? ((const char *(*)(void))core)() : "");
  if (threads) l->threads = ((int (*)(void))threads)();
}

static void name_any(struct library *l) {
  function *blis = function_find(l->handle, "bli_info_get_version_str");
  if (function_find(l->handle, "openblas_get_config") || function_find(l->handle, "openblas_get_corename"))
    name_openblas(l);
  else if (blis)
    snprintf(l->name, sizeof l->name, "BLIS %.40s", ((const char *(*)(void))blis)());
  else if (function_find(l->handle, "MKL_Get_Max_Threads"))
    snprintf(l->name, sizeof l->name, "MKL");
  else {
    const char *slash = strrchr(l->file, '/');
    snprintf(l->name, sizeof l->name, "%.40s", slash ? slash + 1 : l->file);
    l->threads = 1; /* the plain one */
  }
}

static bool library_load(struct library *l, const char *file) {
  l->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) return false;
  static const char *const c_name[] = {"cblas_dgemm", "cblas_sgemm"}, *const fortran_name[] = {"dgemm_", "sgemm_"};
  bool both = true;
  for (int i = 0; i < 2; i++) {
    l->c_style[i] = function_find(l->handle, c_name[i]);
    l->fortran[i] = function_find(l->handle, fortran_name[i]);
    both &= l->c_style[i] || l->fortran[i];
  }
  if (!both) {
    dlclose(l->handle);
    return false;
  }
  snprintf(l->file, sizeof l->file, "%s", file);
  name_any(l);
  return true;
}

struct library *library_open(const char *core, int threads, char why[160]) {
  struct library *l = calloc(1, sizeof *l);
  if (!l) {
    snprintf(why, 160, "out of memory");
    return NULL;
  }
  l->threads = threads;
  environment_clean(core, threads);
  const char *own = getenv("RIDGE_BLAS");
  if (own && *own) {
    if (library_load(l, own)) return l;
    snprintf(why, 160, "%.100s, which RIDGE_BLAS names, is no BLAS that can be loaded", own);
  } else {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
      if (library_load(l, files[i])) return l;
    snprintf(why, 160, "no BLAS library here: libopenblas.so.0, libblis.so.4, libmkl_rt.so and libblas.so.3 were looked for");
  }
  free(l);
  return NULL;
}

void library_close(struct library *l) {
  if (!l) return;
  dlclose(l->handle);
  free(l);
}

typedef void c_fp64(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
typedef void c_fp32(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void fortran_real(const char *, const char *, const int *, const int *, const int *, const void *, const void *, const int *,
                          const void *, const int *, const void *, void *, const int *, size_t, size_t);

static void product_corner(const struct library *l, enum dtype t, void *c, const void *a, const void *b, int m, int n, int k, int c_row,
                           int a_row) {
  int b_row = c_row, narrow = t == DTYPE_FP32;
  function *f = l->c_style[narrow];
  if (f && narrow)
    ((c_fp32 *)f)(CBLAS_ROWS, CBLAS_AS_IS, CBLAS_AS_IS, m, n, k, 1, a, a_row, b, b_row, 0, c, c_row);
  else if (f)
    ((c_fp64 *)f)(CBLAS_ROWS, CBLAS_AS_IS, CBLAS_AS_IS, m, n, k, 1, a, a_row, b, b_row, 0, c, c_row);
  else {
    static const double one = 1, none = 0;
    static const float one_narrow = 1, none_narrow = 0;
    const void *alpha = narrow ? (const void *)&one_narrow : &one, *beta = narrow ? (const void *)&none_narrow : &none;
    ((fortran_real *)l->fortran[narrow])("N", "N", &n, &m, &k, alpha, b, &b_row, a, &a_row, beta, c, &c_row, 1, 1);
  }
}

void library_product(const struct library *l, enum dtype t, void *c, const void *a, const void *b, size_t m, size_t n, size_t k) {
  product_corner(l, t, c, a, b, (int)m, (int)n, (int)k, (int)n, (int)k);
}

const char *library_name(const struct library *l) { return l->name; }
const char *library_file(const struct library *l) { return l->file; }
int library_threads(const struct library *l) { return l->threads; }

int library_cores(const struct cpuid_words *w, bool bf16, const char *core[LIBRARY_CORES]) {
  int n = 0;
  core[n++] = NULL;
  if (isa_usable(ISA_AVX512, w)) {
    core[n++] = "SkylakeX";
    if (bf16) core[n++] = "Cooperlake";
  }
  if (isa_usable(ISA_AVX2, w)) {
    core[n++] = "Haswell";
    core[n++] = "Zen";
  }
  return n;
}

/* Least time of one product, s, from a few runs of at least a tenth of a millisecond. */
static double product_time(const struct library *l, enum dtype t, void *c, const void *a, const void *b, int m, int n, int k, int c_row,
                           int a_row) {
  double best = INFINITY;
  long inner = 1;
  for (int run = 0; run < 6;) {
    double start = os_clock();
    for (long i = 0; i < inner; i++) product_corner(l, t, c, a, b, m, n, k, c_row, a_row);
    double time = os_clock() - start;
    if (time < 1e-4 && inner < 1 << 20) {
      inner *= 4;
      continue;
    }
    best = fmin(best, time / (double)inner);
    run++;
  }
  return best;
}

struct library *library_best(int threads, enum dtype t, void *c, const void *a, const void *b, size_t m, size_t n, size_t k,
                             char why[160]) {
  const char *core[LIBRARY_CORES];
  struct cpuid_words words = isa_cpuid();
  bool bf16 = false;
#if defined(__x86_64__) && __GNUC__ >= 12
  bf16 = __builtin_cpu_supports("avx512bf16");
#endif
  int cores = library_cores(&words, bf16, core), best = 0;
  enum { CORNER = 512 };
  int rows = m < CORNER ? (int)m : CORNER, columns = n < CORNER ? (int)n : CORNER, depth = k < CORNER ? (int)k : CORNER;
  double least = INFINITY;
  for (int i = 0; i < 2 * cores; i++) { /* twice round: one of them may have been disturbed */
    struct library *l = library_open(core[i % cores], threads, why);
    if (!l) return NULL;
    if (i == 0 && !function_find(l->handle, "openblas_get_corename")) return l; /* it has no choice to make */
    double time = product_time(l, t, c, a, b, rows, columns, depth, (int)n, (int)k);
    library_close(l);
    if (time < least) least = time, best = i % cores;
  }
  return library_open(core[best], threads, why);
}
