#!/usr/bin/env bash
# The library rung, with libraries made for the purpose: one that counts in columns only, one that is wrong, none at all; and what doctor
# says. Needs no BLAS.
cd "$(dirname "$0")/.." || exit 1
RIDGE=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export XDG_STATE_HOME="$folder/state"
failed=0
say() { # say CODE WHAT
  if [ "$1" -eq 0 ]; then echo "ok - $2"; else
    echo "not ok - $2"
    sed 's/^/# /' "$folder/out"
    failed=1
  fi
}
bench() { RIDGE_BLAS=$1 "$RIDGE" bench matmul n=40 rung=library reps=2 seconds=1 "${@:2}" >"$folder/out" 2>"$folder/err"; }

# The older interface: matrices in columns, everything by address. SHORT leaves out the last k.
cat >"$folder/fake.c" <<'C'
#include <stddef.h>
#define PRODUCT(name, real)                                                                                                          \
  void name(const char *ta, const char *tb, const int *m, const int *n, const int *k, const real *alpha, const real *a, const int *lda, \
            const real *b, const int *ldb, const real *beta, real *c, const int *ldc) {                                             \
    (void)ta, (void)tb;                                                                                                             \
    for (int j = 0; j < *n; j++)                                                                                                    \
      for (int i = 0; i < *m; i++) {                                                                                                \
        real sum = 0;                                                                                                               \
        for (int p = 0; p < *k - SHORT; p++) sum += a[i + (size_t)p * *lda] * b[p + (size_t)j * *ldb];                              \
        real *to = c + i + (size_t)j * *ldc;                                                                                        \
        *to = *alpha * sum + (*beta == 0 ? 0 : *beta * *to);                                                                        \
      }                                                                                                                             \
  }
PRODUCT(sgemm_, float)
PRODUCT(dgemm_, double)
C
make_fake() { ${CC:-cc} -shared -fPIC -O1 -DSHORT="$2" -o "$folder/$1" "$folder/fake.c" 2>"$folder/out"; }
make_fake libsound.so 0 && make_fake libshort.so 1
say $? "made two libraries"

for dtype in fp32 fp64; do
  bench "$folder/libsound.so" dtype=$dtype && grep -q '"kind":"result"' "$folder/out" && grep -q '"by":"libsound.so"' "$folder/out"
  say $? "a library with the older interface alone is used, and named ($dtype)"
  bench "$folder/libshort.so" dtype=$dtype
  [ $? -eq 1 ] && grep -q '"kind":"refused".*does not agree with the plain reference' "$folder/out" && ! grep -q '"kind":"result"' "$folder/out"
  say $? "a library that leaves out the last k is refused ($dtype)"
done
bench "$folder/libsound.so" m=3 k=70 && grep -q '"kind":"result"' "$folder/out"
say $? "matrices that are not square"
bench "$folder/libnone.so"
[ $? -eq 1 ] && grep -q '"kind":"refused","reason":".*no BLAS' "$folder/out"
say $? "no library: refused in words"
bench "$folder/libsound.so" isa=scalar
[ $? -eq 1 ] && grep -q 'leave isa=auto' "$folder/out"
say $? "an instruction set cannot be asked of a library"
bench "$folder/libsound.so" rung=auto && ! grep -q '"by"' "$folder/out"
say $? "rung=auto stays ours"
RIDGE_BLAS=$folder/libsound.so "$RIDGE" doctor >"$folder/out" 2>&1 && grep -q 'BLAS  *libsound.so' "$folder/out"
say $? "doctor names the library"
RIDGE_BLAS=$folder/libnone.so "$RIDGE" doctor >"$folder/out" 2>&1 && grep -q 'BLAS  .*libnone.so.*nothing needs one' "$folder/out"
say $? "doctor says when there is none, and that nothing needs one"
[ ! -s "$folder/err" ]
say $? "nothing on the error stream"
exit $failed
