/* body_vector: one vector register of REAL, by the GNU vector extension. Included by body.h once per data type: no guard. */
#if VECTOR_BYTE > 0
typedef REAL NAME(vec) __attribute__((vector_size(VECTOR_BYTE)));
/* The same bytes wherever they lie in memory: may start at any element and alias any array of REAL. */
typedef REAL NAME(vec_any) __attribute__((vector_size(VECTOR_BYTE), aligned(REAL_BYTE), may_alias));
#define VEC NAME(vec)
#define LANES (VECTOR_BYTE / REAL_BYTE)
#define VEC_LOAD(p) ((VEC)(*(const NAME(vec_any) *)(p)))
#define VEC_STORE(p, v) (*(NAME(vec_any) *)(p) = (NAME(vec_any))(v))
#define VEC_SPLAT(s) ((REAL)(s) - (VEC){0})
#define VEC_LANE(v, i) ((v)[i])
#else
#define VEC REAL
#define LANES 1
#define VEC_LOAD(p) (*(const REAL *)(p))
#define VEC_STORE(p, v) (*(REAL *)(p) = (v))
#define VEC_SPLAT(s) ((REAL)(s))
#define VEC_LANE(v, i) (v)
#endif

static inline double NAME(vec_sum)(VEC v) {
  double sum = 0;
  for (int i = 0; i < LANES; i++) sum += (double)VEC_LANE(v, i);
  return sum;
}
