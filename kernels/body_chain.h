/* body_chain: a chain of element-wise operations, as many of them in one pass as the caller says. Included by body.h once per data type: no
 * guard. Eight registers go through the chain side by side, because each operation waits for the one before it. A scale and the shift
 * after it become one fused multiply-add where the machine has one. */
static void NAME(chain)(void *y, const void *x, size_t n, size_t first, size_t count, double m, double c) {
  REAL *out = y;
  const REAL *in = x;
  VEC vm = VEC_SPLAT(m), vc = VEC_SPLAT(c);
  size_t i = 0, end = first + count;
#define LOAD(j, t) VEC x##j = VEC_LOAD(in + i + j * LANES);
#define SCALE(j, t) x##j = x##j * vm;
#define SHIFT(j, t) x##j = x##j + vc;
#define BOTH(j, t) x##j = x##j * vm + vc;
#define STORE(j, t) VEC_STORE(out + i + j * LANES, x##j);
  for (; i + 8 * LANES <= n; i += 8 * LANES) {
    size_t op = first;
    EACH_8(LOAD)
    if (op % 2 == 1 && op < end) {
      EACH_8(SHIFT)
      op++;
    }
    for (; op + 2 <= end; op += 2) { EACH_8(BOTH) }
    if (op < end) { EACH_8(SCALE) }
    EACH_8(STORE)
  }
#undef LOAD
#undef SCALE
#undef SHIFT
#undef BOTH
#undef STORE
  for (; i < n; i++) {
    REAL e = in[i];
    for (size_t op = first; op < end; op++) e = op % 2 ? e + (REAL)c : e * (REAL)m;
    out[i] = e;
  }
}
