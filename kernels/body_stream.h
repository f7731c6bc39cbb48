/* body_stream: arithmetic alone, traffic alone, and the dial between them. Included by body.h once per data type: no guard.
 * The accumulators are spelt out through EACH_… lists, so that each is a variable of its own and lives in a register. */

/* Independent chains: at least latency × pipes (4 or 5 × 2 where multiply and add are fused; 3 or 4 each, one after the other, where they
 * are not), and as many as the registers hold beside m and c. */
#ifndef CHAINS
#define EACH_12(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define EACH_14(F) EACH_12(F) F(12) F(13)
#define EACH_24(F) EACH_14(F) F(14) F(15) F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23)
#if VECTOR_COUNT == 32
#define CHAINS 24
#define EACH_CHAIN EACH_24
#elif defined(__FMA__)
#define CHAINS 12
#define EACH_CHAIN EACH_12
#else
#define CHAINS 14
#define EACH_CHAIN EACH_14
#endif
/* Loads in flight for `read`, and for `dial` the elements that go through the chain side by side: with four sums, m and c they fill 16
 * registers. */
#define EACH_8(F) F(0, 0) F(1, 1) F(2, 2) F(3, 3) F(4, 0) F(5, 1) F(6, 2) F(7, 3)
#define BODY_PASTE2(x, t) x##_##t
#define BODY_NAME2(x, t) BODY_PASTE2(x, t)
#define STREAM(p, v) BODY_NAME2(STREAM, REAL_TAG)(p, v)
#endif

/* A counter-based generator (a 32-bit mix in the manner of splitmix): element i depends on i and the key alone, so any number of threads
 * makes the same array, and a check can make any element again. */
static void NAME(fill)(void *p, size_t first, size_t n, uint64_t key, double lo, double hi) {
  REAL *out = p;
  REAL base = (REAL)lo, scale = (REAL)((hi - lo) * 0x1p-23);
  for (size_t done = 0; done < n;) {
    uint64_t index = (uint64_t)first + done;
    size_t room = (size_t)(0x100000000u - (index & 0xffffffffu)), count = n - done < room ? n - done : room;
    uint32_t low = (uint32_t)index, mix = (uint32_t)key ^ (uint32_t)(key >> 32) * 0x85ebca6bu ^ (uint32_t)(index >> 32) * 0xc2b2ae35u;
    REAL *part = out + done;
    for (size_t i = 0; i < count; i++) {
      uint32_t h = (low + (uint32_t)i) * 0x9e3779b9u + mix;
      h = (h ^ h >> 16) * 0x7feb352du;
      h = (h ^ h >> 15) * 0x846ca68bu;
      h ^= h >> 16;
      part[i] = base + scale * (REAL)(int32_t)(h >> 9);
    }
    done += count;
  }
}

static double NAME(peak)(size_t iterations, double m, double c, double start) {
  VEC vm = VEC_SPLAT(m), vc = VEC_SPLAT(c);
#define DECLARE(i) VEC a##i = VEC_SPLAT(start * (1 + i / 64.0));
#define STEP(i) a##i = a##i * vm + vc;
#define FOLD(i) sum += a##i;
  EACH_CHAIN(DECLARE)
  for (size_t it = 0; it < iterations; it++) { EACH_CHAIN(STEP) }
  VEC sum = VEC_SPLAT(0); /* lane by lane first: a hundred additions one after the other would show in the rate */
  EACH_CHAIN(FOLD)
#undef DECLARE
#undef STEP
#undef FOLD
  return NAME(vec_sum)(sum);
}

/* Four places of the array are read side by side: on its own one stream waits for each page's first lines to be fetched, and reads a third
 * less from memory than the machine can give.
 * A set that fits in a near cache is over in a few hundred cycles, so the passes are made here: the sums run on from one to the next. */
static double NAME(read)(const void *x, size_t n, size_t passes) {
  const REAL *in = x;
  size_t quarter = n / (8 * LANES) * (2 * LANES);
  double tail = 0;
#define DECLARE(j, t) VEC a##j = VEC_SPLAT(0);
#define STEP(j, t) a##j += VEC_LOAD(in + t * quarter + i + j / 4 * LANES);
#define FOLD(j, t) sum += NAME(vec_sum)(a##j);
  EACH_8(DECLARE)
  for (size_t pass = 0; pass < passes; pass++) {
    for (size_t i = 0; i < quarter; i += 2 * LANES) { EACH_8(STEP) }
    for (size_t i = 4 * quarter; i < n; i++) tail += (double)in[i];
    __asm__ volatile("" ::: "memory"); /* the next pass loads again */
  }
  double sum = tail;
  EACH_8(FOLD)
#undef DECLARE
#undef STEP
#undef FOLD
  return sum;
}

static void NAME(copy)(void *y, const void *x, size_t n) {
  REAL *out = y;
  const REAL *in = x;
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    VEC a = VEC_LOAD(in + i), b = VEC_LOAD(in + i + LANES), c = VEC_LOAD(in + i + 2 * LANES), d = VEC_LOAD(in + i + 3 * LANES);
    VEC_STORE(out + i, a);
    VEC_STORE(out + i + LANES, b);
    VEC_STORE(out + i + 2 * LANES, c);
    VEC_STORE(out + i + 3 * LANES, d);
    /* Without this gcc sees a memcpy and calls libc's, which changes to non-temporal stores at a size of its own choosing. */
    __asm__ volatile("" ::: "memory");
  }
  for (; i < n; i++) {
    out[i] = in[i];
    __asm__ volatile("" ::: "memory");
  }
}

static void NAME(triad)(void *z, const void *x, const void *y, double a, size_t n) {
  REAL *out = z;
  const REAL *in = x, *by = y;
  VEC va = VEC_SPLAT(a);
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    VEC_STORE(out + i, VEC_LOAD(in + i) + va * VEC_LOAD(by + i));
    VEC_STORE(out + i + LANES, VEC_LOAD(in + i + LANES) + va * VEC_LOAD(by + i + LANES));
    VEC_STORE(out + i + 2 * LANES, VEC_LOAD(in + i + 2 * LANES) + va * VEC_LOAD(by + i + 2 * LANES));
    VEC_STORE(out + i + 3 * LANES, VEC_LOAD(in + i + 3 * LANES) + va * VEC_LOAD(by + i + 3 * LANES));
  }
  for (; i < n; i++) out[i] = in[i] + (REAL)a * by[i];
}

#ifdef STREAM_FENCE
static void NAME(copy_nt)(void *y, const void *x, size_t n) {
  REAL *out = y;
  const REAL *in = x;
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    STREAM(out + i, VEC_LOAD(in + i));
    STREAM(out + i + LANES, VEC_LOAD(in + i + LANES));
    STREAM(out + i + 2 * LANES, VEC_LOAD(in + i + 2 * LANES));
    STREAM(out + i + 3 * LANES, VEC_LOAD(in + i + 3 * LANES));
  }
  for (; i < n; i++) out[i] = in[i];
  STREAM_FENCE(); /* such stores are weakly ordered: the data must be out before the clock is read */
}

static void NAME(triad_nt)(void *z, const void *x, const void *y, double a, size_t n) {
  REAL *out = z;
  const REAL *in = x, *by = y;
  VEC va = VEC_SPLAT(a);
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    STREAM(out + i, VEC_LOAD(in + i) + va * VEC_LOAD(by + i));
    STREAM(out + i + LANES, VEC_LOAD(in + i + LANES) + va * VEC_LOAD(by + i + LANES));
    STREAM(out + i + 2 * LANES, VEC_LOAD(in + i + 2 * LANES) + va * VEC_LOAD(by + i + 2 * LANES));
    STREAM(out + i + 3 * LANES, VEC_LOAD(in + i + 3 * LANES) + va * VEC_LOAD(by + i + 3 * LANES));
  }
  for (; i < n; i++) out[i] = in[i] + (REAL)a * by[i];
  STREAM_FENCE();
}
#endif

/* Four places side by side as in `read`. Each element is loaded once and goes through `fma` multiply-adds, the last of which adds it to a
 * sum: the count is exact. */
static double NAME(dial)(const void *x, size_t n, int fma, double m, double c) {
  const REAL *in = x;
  VEC vm = VEC_SPLAT(m), vc = VEC_SPLAT(c);
  VEC s0 = VEC_SPLAT(0), s1 = s0, s2 = s0, s3 = s0;
  size_t quarter = n / (8 * LANES) * (2 * LANES);
#define DECLARE(j, t) VEC x##j = VEC_LOAD(in + t * quarter + i + j / 4 * LANES);
#define STEP(j, t) x##j = x##j * vm + vc;
#define FOLD(j, t) s##t = x##j * vm + s##t;
  for (size_t i = 0; i < quarter; i += 2 * LANES) {
    EACH_8(DECLARE)
    for (int k = 1; k < fma; k++) { EACH_8(STEP) }
    EACH_8(FOLD)
  }
#undef DECLARE
#undef STEP
#undef FOLD
  double sum = NAME(vec_sum)(s0) + NAME(vec_sum)(s1) + NAME(vec_sum)(s2) + NAME(vec_sum)(s3);
  for (size_t i = 4 * quarter; i < n; i++) {
    REAL e = in[i];
    for (int k = 1; k < fma; k++) e = e * (REAL)m + (REAL)c;
    sum += (double)(e * (REAL)m);
  }
  return sum;
}
