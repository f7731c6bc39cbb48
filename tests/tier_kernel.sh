#!/usr/bin/env bash
# What the compiler made of the hot loops, that no wide instruction leaks out of its own file, and what the bench door says to a shell.
cd "$(dirname "$0")/.." || exit 1
B=build/release
RIDGE=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export XDG_STATE_HOME="$folder/state"
failed=0
say() { # say CODE WHAT: one line of the report
  if [ "$1" -eq 0 ]; then echo "ok - $2"; else
    echo "not ok - $2"
    failed=1
  fi
}

# ---- the hot loops ----

# The instructions of the innermost loop of a function: those between a backward jump and where it goes; of several loops the one with most
# multiplications.
hot_loop() { # hot_loop OBJECT FUNCTION
  objdump -d --no-show-raw-insn "$1" | awk -v name="<$2>:" '
    $2 == name { on = 1; next }
    on && NF == 0 { on = 0 }
    on { at = $1; sub(":", "", at); line[++n] = $0; place[n] = at; where[at] = n }
    END {
      for (i = 1; i <= n; i++) {
        split(line[i], word, " ")
        if (word[2] !~ /^j/ || !(word[3] in where) || where[word[3]] >= i) continue
        count = 0
        for (k = where[word[3]]; k <= i; k++) if (line[k] ~ /mul|fmadd|fmla/) count++
        if (count > most || most == "") { most = count; from = where[word[3]]; to = i }
      }
      for (k = from; k <= to && most != ""; k++) print line[k]
    }'
}

# peak_is_clean OBJECT FUNCTION MULTIPLIES: exactly so many multiplications in the loop, and nothing read from or written to memory.
peak_is_clean() {
  local loop multiplies memory
  loop=$(hot_loop "$1" "$2")
  multiplies=$(grep -cE '\b(v?mul[ps][sd]|vfn?madd[0-9]+[ps][sd]|fmla|fmadd)\b' <<<"$loop")
  memory=$(grep -vE '\bj[a-z]+ ' <<<"$loop" | grep -cE '\(%|\[x|\[sp')
  [ "$multiplies" -eq "$3" ] && [ "$memory" -eq 0 ] && return 0
  echo "# $2: $multiplies multiplications for $3 wanted, $memory uses of memory"
  return 1
}

# read_is_clean OBJECT FUNCTION LOADS: the reading loop takes so many vectors from memory and stores none.
read_is_clean() {
  local loads
  loads=$(objdump -d --no-show-raw-insn "$1" | awk -v name="<$2>:" '$2 == name { on = 1; next } on && NF == 0 { exit } on' |
    grep -cE '\bv?add[ps][sd] +-?(0x[0-9a-f]+)?\(%')
  [ "$loads" -ge "$3" ]
}

# dial_is_clean OBJECT FUNCTION: eight vectors are loaded once each, go through eight multiply-adds a step and eight more into the sums;
# nothing is stored.
dial_is_clean() {
  local loop multiplies loads
  loop=$(hot_loop "$1" "$2")
  multiplies=$(grep -cE '\bvfn?madd[0-9]+p[sd]\b' <<<"$loop")
  loads=$(grep -cE '\bvmovup[sd] .*\(.*\),%[yz]mm' <<<"$loop")
  [ "$multiplies" -eq 16 ] && [ "$loads" -eq 8 ] && ! grep -qE '%[yz]mm[0-9]+,[^%]*\(' <<<"$loop" && return 0
  echo "# $2: $multiplies multiply-adds for 16 wanted, $loads loads for 8"
  return 1
}

# body_of OBJECT FUNCTION: its instructions.
body_of() { objdump -d --no-show-raw-insn "$1" | awk -v name="<$2>:" '$2 == name { on = 1; next } on && NF == 0 { exit } on'; }

case $(uname -m) in
x86_64)
  for type in fp32 fp64; do
    for isa in avx2 avx512; do
      dial_is_clean $B/kernels/isa_$isa.o dial_${type}_$isa
      say $? "$isa $type: the dial loads eight vectors once and works on them in registers"
    done
  done
  # Weights in fewer bits are widened by the vector: no element is converted on its own but in scalar code.
  for isa in avx2 avx512; do
    [ "$(body_of $B/kernels/isa_$isa.o narrow_fp32_$isa | grep -cE '\bvcvtdq2ps .*%[yz]mm')" -ge 24 ] &&
      [ "$(body_of $B/kernels/isa_$isa.o narrow_fp32_$isa | grep -cE '\bvpsrad ')" -ge 16 ] &&
      ! body_of $B/kernels/isa_$isa.o narrow_fp32_$isa | grep -q cvtsi2ss
    say $? "$isa: int8 and int4 weights are widened a register at a time"
  done
  [ "$(body_of $B/kernels/isa_sse2.o narrow_fp32_sse2 | grep -cE '\bcvtdq2ps ')" -ge 24 ] && ! body_of $B/kernels/isa_sse2.o narrow_fp32_sse2 | grep -q cvtsi2ss
  say $? "sse2: int8 and int4 weights are widened a register at a time"
  body_of $B/kernels/isa_scalar.o narrow_fp32_scalar | grep -q cvtsi2ss && ! body_of $B/kernels/isa_scalar.o narrow_fp32_scalar | grep -qE '\b(mulps|addps|cvtdq2ps)\b'
  say $? "scalar: one weight at a time"
  dot_is_clean() { # OBJECT FUNCTION INSTRUCTION: twelve in the loop, nothing in memory
    local loop
    loop=$(body_of "$1" "$2" | grep -E "\b$3 ")
    [ "$(wc -l <<<"$loop")" -eq 12 ] && ! grep -q '(%' <<<"$loop"
  }
  dot_is_clean $B/kernels/isa_avx512.o dot_bf16_avx512 vdpbf16ps && dot_is_clean $B/kernels/isa_avx512.o dot_int8_avx512 vpdpbusd &&
    dot_is_clean $B/kernels/isa_avx2.o dot_int8_avx2 'vpdpbusd'
  say $? "twelve dot products of bf16 and of int8 in their peak loops"
  for type in fp32 fp64; do
    peak_is_clean $B/kernels/isa_avx2.o peak_${type}_avx2 12
    say $? "avx2 $type: 12 fused multiply-adds in the peak loop, nothing in memory"
    peak_is_clean $B/kernels/isa_avx512.o peak_${type}_avx512 24
    say $? "avx512 $type: 24 fused multiply-adds in the peak loop, nothing in memory"
    peak_is_clean $B/kernels/isa_sse2.o peak_${type}_sse2 14
    say $? "sse2 $type: 14 multiplications in the peak loop, nothing in memory"
    peak_is_clean $B/kernels/isa_scalar.o peak_${type}_scalar 14
    say $? "scalar $type: 14 multiplications in the peak loop, nothing in memory"
    read_is_clean $B/kernels/isa_avx2.o read_${type}_avx2 8
    say $? "avx2 $type: the read loop adds eight vectors straight from memory"
  done

  # Stores around the caches must go around them, and the others must not: that is all that tells copy_nt from copy.
  around() { objdump -d --no-show-raw-insn "$1" | awk -v name="<$2>:" '$2 == name { on = 1; next } on && NF == 0 { on = 0 } on && /movnt/ { n++ } END { print n + 0 }'; }
  for isa in sse2 avx2 avx512; do
    for type in fp32 fp64; do
      object=$B/kernels/isa_$isa.o
      [ "$(around $object copy_nt_${type}_$isa)" -ge 1 ] && [ "$(around $object triad_nt_${type}_$isa)" -ge 1 ] &&
        [ "$(around $object copy_${type}_$isa)" -eq 0 ] && [ "$(around $object triad_${type}_$isa)" -eq 0 ]
      say $? "$isa $type: copy_nt and triad_nt store around the caches, copy and triad do not"
    done
  done

  # The counting must be able to fail: the same source compiled without optimisation keeps every accumulator in memory.
  cc -I. -D_GNU_SOURCE -std=c11 -O0 -mavx2 -mfma -c -o "$folder/slow.o" kernels/isa_avx2.c 2>/dev/null
  ! peak_is_clean "$folder/slow.o" peak_fp32_avx2 12 >/dev/null
  say $? "a peak loop that spills its accumulators is found out"
  cc -I. -D_GNU_SOURCE -std=c11 -O3 -mavx2 -mfma -ffp-contract=off -c -o "$folder/apart.o" kernels/isa_avx2.c 2>/dev/null
  ! hot_loop "$folder/apart.o" peak_fp32_avx2 | grep -q fmadd
  say $? "a peak loop without fused multiply-adds is told from one with them"

  ! dial_is_clean "$folder/apart.o" dial_fp32_avx2 >/dev/null
  say $? "a dial without fused multiply-adds is told from one with them"

  # ---- no leaks ----
  wide_in() { objdump -d --no-show-raw-insn "$@" 2>/dev/null | grep -cE '%[yz]mm|\bv(add|mul|mov|fmadd|broadcast)'; }
  [ "$(wide_in $B/kernels/isa_avx2.o)" -gt 100 ]
  say $? "wide instructions are where they belong"
  others=$(ls $B/*/*.o | grep -vE "$B/tests/|isa_avx2|isa_avx512")
  # shellcheck disable=SC2086
  [ "$(wide_in $others)" -eq 0 ]
  say $? "no instruction of AVX outside its own files"
  ! objdump -d --no-show-raw-insn $B/kernels/isa_avx2.o | grep -q '%zmm'
  say $? "no 512-bit instruction in the 256-bit file"
  vectors_in() { # packed arithmetic in the loops that are timed
    objdump -d --no-show-raw-insn "$1" | awk '/>:$/ { name = $2 } name ~ /<(peak|read|dial|copy|triad)_fp/ && /(add|mul)p[sd] / { n++ } END { print n + 0 }'
  }
  [ "$(vectors_in $B/kernels/isa_scalar.o)" -eq 0 ] && [ "$(vectors_in $B/kernels/isa_sse2.o)" -gt 50 ]
  say $? "the scalar loops are scalar"
  # An instruction set's file may give the linker its table and nothing else, or a shared helper could be taken from the wrong one.
  for isa in scalar sse2 avx2 avx512 neon; do
    [ "$(nm -g --defined-only $B/kernels/isa_$isa.o | awk 'NF == 3 { print $3 }')" = "lanes_$isa" ] || {
      echo "# isa_$isa.o gives away $(nm -g --defined-only $B/kernels/isa_$isa.o | wc -l) names"
      false
    }
    say $? "isa_$isa gives away nothing but its table"
  done
  ;;
*) echo "ok - hot loops are only counted on x86-64" ;;
esac

# ---- the bench door ----

run() { # run WORD…: code, and the two streams in files
  "$RIDGE" bench "$@" >"$folder/out" 2>"$folder/err"
  code=$?
}
refused() { # refused WHAT CODE TEXT STREAM
  [ "$code" -eq "$2" ] && grep -qF -- "$3" "$folder/$4"
  say $? "$1"
}

run read n=5000 reps=3
[ $code -eq 0 ] && [ ! -s "$folder/err" ] && [ "$(grep -c '^{"kind":"[a-z]*",.*}$' "$folder/out")" -eq "$(wc -l <"$folder/out")" ]
say $? "bench speaks one JSON object a line, and nothing else"
[ "$(head -n 1 "$folder/out" | cut -c1-16)" = '{"kind":"start",' ] && [ "$(tail -n 1 "$folder/out" | cut -c1-17)" = '{"kind":"result",' ]
say $? "bench begins with start and ends with result"
[ "$(grep -c '"kind":"sample"' "$folder/out")" -eq 4 ] && [ "$(grep -c '"warm":false' "$folder/out")" -eq 1 ]
say $? "three repetitions asked: the cold run, told apart, and three"
! grep -qiE ':(nan|-?inf)' "$folder/out"
say $? "no number that JSON does not have"

run raed
refused "an unknown kernel is answered with the nearest" 2 "did you mean read" err
[ ! -s "$folder/out" ]
say $? "a usage error leaves stdout empty"
run read dtipe=fp32
refused "an unknown key is answered with the nearest" 2 "did you mean dtype?" err
run read dtype=fp23
refused "an unknown value is answered with the nearest" 2 "did you mean fp32" err
run read n=0
refused "a number out of range is refused with the range" 2 "expected 1 … " err
run read n=2.5
refused "a broken count is refused" 2 "whole number" err
run read n=many
refused "what is no number is refused" 2 "n: expected a number" err
run read n
refused "a word without a value is refused" 2 "expected key=value" err
run
refused "bench without a kernel says where the list is" 2 "ridge kernels" err
run read dtype=bf16 n=100
refused "a type without a kernel is refused in a line" 1 '"kind":"refused","reason":"fp32 and fp64' out
run weights dtype=fp8 n=100
refused "a type weights are not stored in is refused by name" 1 '"kind":"refused","reason":"this kernel stores weights as' out
! grep -q filling "$folder/out"
say $? "and before anything is filled"
run dot dtype=int8
! grep -q filling "$folder/out" && [ $code -eq 1 ]
say $? "so it is elsewhere, at any size"
run weights dtype=int4 n=300 reps=2
[ $code -eq 0 ] && grep -q '"quant_error":0\.0[4-9]' "$folder/out"
say $? "int4 weights are measured, and the error they make is told"
run weights hog=on threads=1024
[ $code -eq 1 ] && grep -q '"kind":"refused"' "$folder/out"
say $? "a hog without a core to run on is refused in a line"
run read n=1e12
refused "more memory than there may be is refused in a line" 1 "bytes allowed (a quarter of what is free)" out
run peak threads=1024
refused "more threads than CPUs are refused in a line" 1 "1024 threads asked" out
run peak dtype=fp64 isa=scalar threads=1 seconds=0.05
[ $code -eq 0 ] && grep -q '"isa":"scalar","threads":1' "$folder/out"
say $? "isa and threads are obeyed and told"

# A reader that goes away ends the run.
timeout 60 "$RIDGE" bench read n=100000 seconds=30 2>/dev/null | head -n 1 >/dev/null
say $? "bench ends when nobody listens"

exit $failed
