#!/usr/bin/env bash
# The comparisons of make bench: what ridge measures here, over what the tools that people know reach on the same cores. Each figure is a
# ratio from alternating pairs: ours, theirs, theirs, ours…, so that a drift of the machine meets both; the median stands between the
# quartiles. Rates are taken from inside each program's own timing; nothing counts the start of a process. What is not installed is said and
# left out. `bash tests/bench_compare.sh [FILE [WORD…]]`: FILE gets a JSON object a figure; words choose figures by part of a name.
# RIDGE_BENCH_PAIRS=9 pairs.
cd "$(dirname "$0")/.." || exit 1
out=${1:-/dev/null}
shift
words=("$@")
pairs=${RIDGE_BENCH_PAIRS:-9}
B=build/release
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export XDG_STATE_HOME="$folder/state"
: >"$out"
renice -n 5 -p $$ >/dev/null 2>&1 # as low as our own measuring child makes itself, so that others disturb both alike

chosen() { # NAME: does any word name it? no words: all
  [ "${#words[@]}" -eq 0 ] && return 0
  local word
  for word in "${words[@]}"; do case $1 in *"$word"*) return 0 ;; esac; done
  return 1
}

# row NAME TARGET KIND OURS THEIRS NOTE <"ours theirs" lines: the ratio's quartiles; KIND "least" or "most" says which way the target points.
row() {
  awk -v name="$1" -v target="$2" -v kind="$3" -v note="$4" -v json="$out" '
    function at(q,   i, x) { x = 1 + q * (n - 1); i = int(x); return i < n ? v[i] + (x - i) * (v[i + 1] - v[i]) : v[n] }
    $1 > 0 && $2 > 0 { n++; v[n] = $1 / $2; ours[n] = $1; theirs[n] = $2 }
    END {
      if (n == 0) {
        printf "%-42s %s\n", name, "no pair of figures: " note
        printf "{\"figure\":\"%s\",\"pairs\":0,\"note\":\"%s\"}\n", name, note >> json
        exit
      }
      for (i = 2; i <= n; i++) { x = v[i]; for (k = i - 1; k > 0 && v[k] > x; k--) v[k + 1] = v[k]; v[k + 1] = x }
      for (i = 1; i <= n; i++) { so += ours[i] / n; st += theirs[i] / n }
      median = at(0.5)
      fine = target == "" ? "" : kind == "most" ? (median <= target ? "ok" : "above") : (median >= target ? "ok" : "below")
      printf "%-42s %7.3f %7.3f %7.3f  %-7s %-6s %s\n", name, at(0.25), median, at(0.75), target == "" ? "" : (kind == "most" ? "<= " : ">= ") target, fine, note
      printf "{\"figure\":\"%s\",\"pairs\":%d,\"low\":%.6g,\"median\":%.6g,\"high\":%.6g,\"target\":%s,\"verdict\":\"%s\",\"ours\":%.6g,\"theirs\":%.6g,\"note\":\"%s\"}\n", \
        name, n, at(0.25), median, at(0.75), target == "" ? "null" : target, fine, so, st, note >> json
    }'
}

# spread_row NAME TARGET NOTE <values: half the distance between the quartiles over the median.
spread_row() {
  sort -g | awk -v name="$1" -v target="$2" -v note="$3" -v json="$out" '
    function at(q,   i, x) { x = 1 + q * (n - 1); i = int(x); return i < n ? v[i] + (x - i) * (v[i + 1] - v[i]) : v[n] }
    $1 > 0 { v[++n] = $1 }
    END {
      if (n < 2) exit
      spread = (at(0.75) - at(0.25)) / 2 / at(0.5)
      fine = spread <= target ? "ok" : "above"
      printf "%-42s %7s %7.4f %7s  %-7s %-6s %s\n", name, "", spread, "", "<= " target, fine, note
      printf "{\"figure\":\"%s\",\"values\":%d,\"spread\":%.6g,\"target\":%s,\"verdict\":\"%s\",\"note\":\"%s\"}\n", name, n, spread, target, fine, note >> json
    }'
}

missing() { # NAME WHAT
  printf '%-42s %s\n' "$1" "$2"
  printf '{"figure":"%s","pairs":0,"note":"%s"}\n' "$1" "$2" >>"$out"
}

# ridge_rate FIELD KERNEL key=value…: flop or byte of one sample over the median time. Empty when it is refused.
ridge_rate() {
  local field=$1
  shift
  ./ridge bench "$@" 2>/dev/null | awk -v field="\"$field\":" '
    function number(key,   s) { s = $0; if (!sub(".*" key, "", s)) return ""; sub(/[,}].*/, "", s); return s }
    /"kind":"sample"/ { work = number(field) }
    /"kind":"result"/ { median = number("\"median\":") }
    END { if (work != "" && median > 0) printf "%.8g\n", work / median }'
}

# likwid_rate MFlops/s|MByte/s TEST SIZE: in FLOP/s or byte/s, every core, about as long as one of our runs.
likwid_rate() {
  likwid-bench -t "$2" -W "N:$3:$threads" -s "${likwid_s:-1}" 2>/dev/null | awk -v key="$1:" '$1 == key { printf "%.8g\n", $2 * 1e6; exit }'
}

# alternate OURS THEIRS: each a command that prints a rate; a line a pair.
alternate() {
  local i ours theirs
  for ((i = 0; i < pairs; i++)); do
    if ((i % 2)); then theirs=$($2) ours=$($1); else ours=$($1) theirs=$($2); fi
    echo "${ours:-0} ${theirs:-0}"
  done
}

mean_of() { awk -v column="$1" -v scale="$2" '{ s += $column; n++ } END { if (n) printf "%.1f", s / n / scale }' "$3"; }

# ---- this machine ----
flags=" $(sed -n 's/^flags[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1) "
threads=$(./ridge doctor | sed -n 's/^ *threads used *\([0-9]*\).*/\1/p')
vector=avx
case $flags in *" avx512f "*) vector=avx512 ;; esac
cache() { # LEVEL: bytes of one instance, and instances
  ./ridge doctor | sed -nE "s/^ *L$1 cache *([0-9.]+) ([KMG]?)i?B ×([0-9]+).*/\1 \2 \3/p" |
    awk '{ f = $2 == "K" ? 1024 : $2 == "M" ? 1048576 : $2 == "G" ? 1073741824 : 1; printf "%.0f %d\n", $1 * f, $3 }'
}
likwid=$(command -v likwid-bench)
for program in ridge $B/tests/bench_roof $B/tests/bench_blas; do
  [ -x "$program" ] || { echo "$0: $program is not built: make bench builds it" >&2; exit 1; }
done

echo
echo "compared with other programs: $pairs alternating pairs, medians between quartiles, $threads thread$([ "$threads" = 1 ] || echo s)"
printf '%-42s %7s %7s %7s  %-7s %-6s %s\n' 'ours over theirs' low median high target '' 'mean rates, ours against theirs'

# ---- arithmetic ----
if chosen 'compute roof / clock'; then
  $B/tests/bench_roof "$pairs" >"$folder/roof"
  # Some cores have one pipe of 512 bits where others have two, and read half: then one is what they are held against.
  pipes=$(awk '{ r = $1 / ($2 * $3 * 4 * $4); if (r > best) best = r; lanes = $3 } END { print lanes == 16 && best < 0.55 ? 1 : 2 }' "$folder/roof")
  awk -v p="$pipes" '{ print $1, $2 * $3 * 2 * p * $4 }' "$folder/roof" |
    row 'compute roof / clock x lanes x 2 x pipes' 0.96 least "$(mean_of 1 1e9 "$folder/roof") GFLOP/s, $(mean_of 2 1e9 "$folder/roof") GHz, $pipes pipes of $(awk '{ print $3; exit }' "$folder/roof") lanes"
fi
roof_ours() { ridge_rate flop peak dtype=fp32 seconds=0.5; }
roof_likwid() { likwid_rate MFlops/s "peakflops_sp_${vector}_fma" "$((16 * threads))kB"; }
if chosen 'compute roof / likwid'; then
  if [ "$likwid" ]; then
    alternate roof_ours roof_likwid >"$folder/pairs"
    row "compute roof / likwid peakflops_sp_${vector}_fma" 0.99 least "$(mean_of 1 1e9 "$folder/pairs") | $(mean_of 2 1e9 "$folder/pairs") GFLOP/s" <"$folder/pairs"
    awk '{ print $1 }' "$folder/pairs" >"$folder/roofs"
  else missing 'compute roof / likwid' 'likwid-bench is not here (Debian: likwid)'; fi
fi
if chosen 'spread of the compute roof'; then
  [ -s "$folder/roofs" ] || for ((i = 0; i < pairs; i++)); do roof_ours; done >"$folder/roofs"
  spread_row 'spread of the compute roof' 0.005 'of its medians, run after run' <"$folder/roofs"
fi

# ---- memory ----
read_ours() { ridge_rate byte read n=$((1000000000 / 4)) seconds=1; }
read_likwid() { likwid_rate MByte/s "load_$vector" 1GB; }
triad_ours() { ridge_rate byte triad_nt n=$((1000000000 / 12)) seconds=1; }
triad_likwid() { likwid_rate MByte/s "stream_mem_$vector$([ $vector = avx ] && echo _fma)" 1GB; }
compare_memory() { # NAME TARGET OURS THEIRS
  chosen "$1" || return
  [ "$likwid" ] || { missing "$1" 'likwid-bench is not here (Debian: likwid)'; return; }
  alternate "$3" "$4" >"$folder/pairs"
  row "$1" "$2" least "$(mean_of 1 1e9 "$folder/pairs") | $(mean_of 2 1e9 "$folder/pairs") GB/s" <"$folder/pairs"
}
compare_memory "DRAM read / likwid load_$vector, 1 GB" 0.98 read_ours read_likwid
[ "$likwid" ] && chosen "DRAM read / likwid load_$vector, 1 GB" && awk '{ print $1 }' "$folder/pairs" >"$folder/reads"
if chosen 'spread of DRAM read'; then
  [ -s "$folder/reads" ] || for ((i = 0; i < pairs; i++)); do read_ours; done >"$folder/reads"
  spread_row 'spread of DRAM read' 0.02 'of its medians, run after run' <"$folder/reads"
fi
compare_memory 'nt triad / likwid stream_mem, 1 GB' 0.98 triad_ours triad_likwid
level_ours() { ridge_rate byte read n=$((bytes / 4)) seconds=0.3; }
level_likwid() { likwid_rate MByte/s "load_$vector" "$((bytes / 1000))kB"; }
inner=0
for level in 1 2 3; do
  read -r each count < <(cache $level) || { chosen "L$level read" && missing "L$level read" 'the size of this cache is not known'; continue; }
  # Half of the private ones, so that the set is inside; of a shared one a quarter, but well past what lies before it.
  bytes=$((level < 3 ? each * threads / 2 : each * count / 4))
  [ "$bytes" -lt $((2 * inner)) ] && { chosen "L$level read" && missing "L$level read" 'not separable from the level before it'; continue; }
  bytes=$((bytes / 4096 * 4096))
  compare_memory "L$level read / likwid load_$vector, $((bytes / 1024)) KiB" 0.95 level_ours level_likwid
  inner=$((each * threads))
done

# ---- the matrix product ----
blas() { # CORETYPE THREADS N SECONDS: the rate, core and threads it says
  if [ "$1" = unset ]; then env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS="$2" $B/tests/bench_blas "$3" "$4"; else
    env -u OPENBLAS_L2_SIZE OPENBLAS_CORETYPE="$1" OPENBLAS_NUM_THREADS="$2" $B/tests/bench_blas "$3" "$4"
  fi 2>/dev/null
}
cores=unset
case $flags in *" avx512f "*) cores="$cores SkylakeX" ;; esac
case $flags in *" avx512_bf16 "*) cores="$cores Cooperlake" ;; esac
case $flags in *" avx2 "*) cores="$cores Zen Haswell" ;; esac
matmul_ours() { ridge_rate flop matmul n="$n" $run; }
matmul_blas() { blas $best "$n" "$seconds" | cut -d' ' -f1; }
for n in 64 128 256 512 1024 2048 4096; do
  name="matmul fp32 n=$n / OpenBLAS"
  chosen "$name" || continue
  [ "$(blas unset 1 8 0.01)" ] || { missing "$name" 'libopenblas.so.0 is not here (Debian: libopenblas0)'; continue; }
  seconds=0.3 run="seconds=0.3" target=0.95
  [ "$n" -ge 4096 ] && seconds=1 run='reps=3 seconds=4'
  [ "$n" -lt 512 ] && target=0.90
  # The reference is the best there is of core types and threads at this n, each tried twice round.
  for round in 1 2; do
    for core in $cores; do
      for t in 1 $([ "$threads" -gt 1 ] && [ "$n" -gt 32 ] && echo "$threads"); do
        [ "$t" = 1 ] && [ "$threads" -gt 1 ] && [ "$n" -ge 1024 ] && continue # no question there
        echo "$(blas "$core" "$t" "$n" "$(awk -v s=$seconds 'BEGIN { print s / 3 }')") $core $t"
      done
    done
  done | sort -gr >"$folder/candidates"
  read -r _ used _ core t <"$folder/candidates"
  best="$core $t"
  alternate matmul_ours matmul_blas >"$folder/pairs"
  row "$name" $target least "$(mean_of 1 1e9 "$folder/pairs") | $(mean_of 2 1e9 "$folder/pairs") GFLOP/s ($used, $t thread$([ "$t" = 1 ] || echo s))" <"$folder/pairs"
done
if chosen 'best rung / plain, n=1024, one core'; then
  best_rung() { ridge_rate flop matmul n=1024 rung=vectorised seconds=0.3; }
  plain_rung() { ridge_rate flop matmul n=1024 rung=plain seconds=0.5; }
  alternate best_rung plain_rung >"$folder/pairs"
  row 'best rung / plain, n=1024, one core' 20 least "$(mean_of 1 1e9 "$folder/pairs") | $(mean_of 2 1e9 "$folder/pairs") GFLOP/s" <"$folder/pairs"
fi

# ---- narrower weights: each on a matrix of its own of four times the last cache, so weights a second are compared ----
weights_of() { ridge_rate flop weights batch=1 dtype="$1" seconds=0.5; }
wide() { weights_of fp32; }
for narrow in bf16 int8 int4; do
  name="weights $narrow / fp32, batch 1"
  chosen "$name" || continue
  target=
  [ $narrow = bf16 ] && target=1.8
  [ $narrow = int8 ] && target=3.2
  [ "$(weights_of $narrow)" ] || { missing "$name" 'ridge has no such kernel here'; continue; }
  narrow_rate() { weights_of $narrow; }
  alternate narrow_rate wide >"$folder/pairs"
  row "$name" "$target" least "$(mean_of 1 2e9 "$folder/pairs") | $(mean_of 2 2e9 "$folder/pairs") G weights/s" <"$folder/pairs"
done
