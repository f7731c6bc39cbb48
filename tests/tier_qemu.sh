#!/usr/bin/env bash
# Every kernel on processors older than this one, as qemu plays them: no illegal instruction, and the instruction set that is reported is the
# one the processor has. Straight through `ridge bench`: a child started by the program would run on the real processor.
cd "$(dirname "$0")/.." || exit 1
RIDGE=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export XDG_STATE_HOME="$folder/state" RIDGE_LOCK_DIR="$folder"
failed=0
say() { # say CODE WHAT
  if [ "$1" -eq 0 ]; then echo "ok - $2"; else
    echo "not ok - $2"
    head -c 400 "$folder/err" | sed 's/^/#   /'
    failed=1
  fi
}

if [ "$(uname -m)" != x86_64 ]; then
  echo "ok - older processors: skipped, this is no x86-64"
  exit 0
fi
if ! command -v qemu-x86_64 >/dev/null; then
  echo "ok - older processors: skipped, qemu-x86_64 is not here (Debian: qemu-user)"
  exit 0
fi

# bench CPU WORD…: one short run there.
bench() {
  local cpu=$1
  shift
  timeout 120 qemu-x86_64 -cpu "$cpu" "$RIDGE" bench "$@" reps=1 seconds=0.05 quick=on >"$folder/out" 2>"$folder/err"
}
# runs CPU ISA WORD…: it comes to a result, all of whose samples name the instruction set.
runs() {
  local cpu=$1 isa=$2
  shift 2
  bench "$cpu" "$@"
  local code=$?
  if [ "$1" = dispatch ] && [ "$(nproc)" -lt 2 ] && grep -q '"kind":"refused"' "$folder/out"; then
    say 0 "$cpu: dispatch needs a second core, and says so"
    return
  fi
  [ $code -eq 0 ] && grep -q '"kind":"result"' "$folder/out" &&
    [ "$(grep '"kind":"sample"' "$folder/out" | grep -oE '"machine":"[^"]*","isa":"[a-z0-9]*"' | sed 's/.*"isa":"\([a-z0-9]*\)"/\1/' | sort -u)" = "$isa" ]
  say $? "$cpu: $* runs as $isa"
}

kernels=$("$RIDGE" kernels | awk 'NR > 1 { print $1 }')
[ "$(wc -w <<<"$kernels")" -ge 20 ]
say $? "there is a list of kernels"
for pair in Nehalem:sse2 Haswell:avx2; do
  cpu=${pair%:*} isa=${pair#*:}
  for kernel in $kernels; do
    case $kernel in
    peak) runs "$cpu" "$isa" peak threads=1 ;;
    dispatch) runs "$cpu" "$isa" dispatch ;;
    block*) runs "$cpu" "$isa" "$kernel" n=16 m=4 k=8 heads=2 kv_heads=1 ffn=32 context=8 threads=1 ;;
    *) runs "$cpu" "$isa" "$kernel" n=48 threads=1 ;;
    esac
  done
  runs "$cpu" "$isa" weights n=48 dtype=fp64 threads=1
  for type in bf16 int8 int4; do runs "$cpu" "$isa" weights n=64 dtype=$type threads=1; done
  for rung in plain reordered tiled vectorised all-cores; do runs "$cpu" "$isa" matmul n=48 rung=$rung threads=1; done
  # What the processor lacks is refused, not tried.
  bench "$cpu" peak isa=avx512 threads=1
  [ $? -eq 1 ] && grep -q "cannot run avx512: the best it can is $isa" "$folder/out"
  say $? "$cpu: avx512 is refused in words"
done
# The probe tries every set up to the one the processor has; the oldest one will do, for arithmetic is slow there.
cpu=Nehalem isa=sse2
timeout 300 qemu-x86_64 -cpu "$cpu" "$RIDGE" measure --json --part arithmetic >"$folder/out" 2>"$folder/err"
[ $? -eq 0 ] && grep -q "\"name\":\"peak\",\"isa\":\"$isa\"" "$folder/out" && ! grep -q '"isa":"avx' "$folder/out"
say $? "$cpu: the probe measures up to $isa"

# The check must be able to fail: the real processor's wider set is not what the old one has.
bench Nehalem read n=48 threads=1
! grep -q '"isa":"avx2"' "$folder/out"
say $? "Nehalem is not taken for this processor"
exit $failed
