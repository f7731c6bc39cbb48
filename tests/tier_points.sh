#!/usr/bin/env bash
# Points of other programs, the reasons of a point, and what stands behind figures, at the doors: exit codes, words, data.
cd "$(dirname "$0")/.." || exit 1
ridge=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
. tests/support_golden.bash
failed=0
check() { # NAME CONDITION…
  local name=$1
  shift
  if "$@"; then echo "ok - $name"; else
    echo "not ok - $name"
    head -n 5 "$folder/out" "$folder/err" 2>/dev/null | sed 's/^/#   /'
    failed=1
  fi
}
run() { # EXPECTED-EXIT ARGS…
  local expected=$1
  shift
  timeout 60 "$ridge" "$@" >"$folder/out" 2>"$folder/err" </dev/null
  [ $? -eq "$expected" ]
}
printed() { grep -qF -- "$1" "$folder/out"; }
said() { grep -qF -- "$1" "$folder/err"; }
not() { ! "$@"; }
fact() { awk -F, -v n="$1" '$1 == n { print $2 }' "$folder/out"; }
is() { [ "$(fact "$1")" = "$2" ]; }

# ---- samples ----
for file in own.jsonl llama.json llama.jsonl likwid.txt; do check "samples=$file" run 0 print roofline samples=tests/samples/$file --json; done
check 'each is a row' printed '"name": "peakflops_sp_avx_fma 99.97 kB x1"'
check 'one without arithmetic is told, with its line' said 'likwid.txt:23: '
check 'one picked out' run 0 print roofline samples=tests/samples/own.jsonl pick=2 --csv
check 'has its facts' is sample B
# 2e8 FLOP in 0.05 s; 1.2e9 bytes in 0.05 s is 24 GB/s where memory gives 20
check 'its rate' is sample_flop_per_s 4000000000
check 'over its roof' awk -v r="$(fact sample_ratio)" 'BEGIN { exit !(r > 1.1999999 && r < 1.2000001) }'
check 'and how many there are' is samples_count 3
check 'swept' run 0 sweep roofline pick=1..3 sample_ratio samples=tests/samples/own.jsonl --csv
check 'over all' [ "$(wc -l <"$folder/out")" -eq 5 ]
check 'its letter is on the picture' run 0 snapshot roofline samples=tests/samples/own.jsonl pick=1 --format roles
check 'in its role' printed 's sample'
check 'words are put back where they came from' run 0 print roofline samples=tests/samples/own.jsonl --json
check 'as data' printed '"samples": "tests/samples/own.jsonl"'
check 'a scene without samples says so' run 0 print fit samples=tests/samples/own.jsonl
check 'in a note' said 'fit has no knob samples'
check 'no such file' run 2 print roofline samples="$folder/none"
check 'is said' said 'none: expected a file that can be read'
check 'a folder' run 2 print roofline samples="$folder"
mkfifo "$folder/fifo"
check 'a FIFO, at once' run 2 print roofline samples="$folder/fifo"
check 'a device' run 2 print roofline samples=/dev/zero
check 'more words than there is room for' run 2 print roofline "samples=$(printf '%0200d' 0)"
check 'are counted' said '127 bytes'
printf '%s\n' '{"name":"a\u001b[2J","flop":1,"byte":1,"s":1}' $'{"name":"\e[2J"}' >"$folder/control"
check 'control bytes' run 0 print roofline samples="$folder/control"
check 'go nowhere' not grep -q $'\e' "$folder/out" "$folder/err"
i=0
while [ $i -lt 63 ]; do echo '{"name":"many","flop":1,"byte":1,"s":1}'; i=$((i + 1)); done >"$folder/many"
check 'more than there are letters' run 0 print roofline samples="$folder/many"
check 'are counted in words' said 'only the first 60 samples have a place; 3 are left out'

# ---- why ----
check 'why=on lists reasons' run 0 print roofline batch=4 why=on --lines "$lines"
check 'for the point' printed 'of its roof'
for title in 'memory level' precision clock count disturbance threads instructions 'fetch to store' dispatch 'idle cores' spread overlap 'the rest'; do
  check "in words: $title" grep -q "^  $title  " "$folder/out"
done
check 'as data too' run 0 print roofline batch=4 why=on --lines "$lines" --json
check 'in an array' printed '"why": ['
check 'with shares' grep -q '"check": "the rest", "explains": "not known", "share": 0\.' "$folder/out"
check 'without a point' run 0 print roofline why=on
check 'there is nothing to explain' printed 'There is no measured point to explain'
check 'of a sample' run 0 print roofline why=on samples=tests/samples/own.jsonl pick=2
check 'a cache is named' printed 'A nearer level could: L3'
check 'on the screen' run 0 snapshot roofline why=on samples=tests/samples/own.jsonl pick=2
check 'in a box' printed 'why here?'
check 'of any scene that measures' run 0 print decode dtype=fp32 batch=4 why=on --lines "$lines"
check 'against this machine' printed 'of its roof'
check 'a scene without points' run 0 print fit why=on
check 'has none' not grep -q '^why' "$folder/out"
# A point above its roof is explained, not only shown: half the time that memory allows.
sed 's/"time":0.00[0-9]*/"time":0.0037/' "$lines" >"$folder/above"
check 'a point above its roof' run 0 print roofline batch=4 --lines "$folder/above" --json
check 'is explained' printed 'Above the roof: '

# ---- what stands behind figures ----
check 'a measured figure' run 0 print roofline batch=4 --lines "$lines" --csv
check 'tells its threads' is measured_threads 2
check 'its statistic' is measured_statistic median
check 'its seed' is measured_seed 1
check 'its repetitions' is measured_count 3
check 'its marks' is measured_flags none
check 'its spread' [ -n "$(fact measured_spread)" ]

for scene in roofline fit; do
  check "$scene: lines that measured nothing it shows" run 0 print $scene n=77 --json --lines "$lines"
  check "$scene: give no run" grep -q '"measured": \[\]' "$folder/out"
done
check 'the runs a scene shows' run 0 print roofline batch=4 --lines "$lines"
check 'are listed with all that' grep -q '^  weights  n=6144 batch=4 fp32  avx2      *2        *3  median  *[0-9.]* ms  [0-9.]* %     1  none$' "$folder/out"
check 'as data' run 0 print roofline batch=4 --lines "$lines" --json
check 'too' grep -q '"kernel": "weights", "of": "n=6144 batch=4 fp32", "isa": "avx2", "threads": 2, "samples": 3, "statistic": "median", "s": 0.00' "$folder/out"

# ---- what is refused, and what is said ----
check 'a knob swept and set' run 2 sweep roofline n=1..8 n=2 flop
check 'says both' said 'n is swept and set at once'
check 'another knob may be set' run 0 sweep roofline n=1..8 m=2 op=matmul flop
name=$(basename "$(ls "$XDG_STATE_HOME"/ridge/machines/*.json)")
mv "$XDG_STATE_HOME/ridge/machines/$name" "$folder/kept.json"
ln -s "$name" "$XDG_STATE_HOME/ridge/machines/$name"
check 'a machine file that is a loop of links' run 0 print roofline
check 'is a warning' said 'this machine counts as not measured'
ln -sf "$folder/nowhere" "$XDG_STATE_HOME/ridge/machines/$name"
check 'or that leads nowhere' run 0 print roofline
check 'is one too' said 'this machine counts as not measured'
rm "$XDG_STATE_HOME/ridge/machines/$name"
mv "$folder/kept.json" "$XDG_STATE_HOME/ridge/machines/$name"
colour() { grep -q $'\e\[[0-9;]*\(3[0-8]\|9[0-7]\)' "$folder/out"; }
check 'ANSI has colours' run 0 snapshot roofline --format ansi
check 'by itself' colour
export NO_COLOR=1
check 'NO_COLOR takes them away' run 0 snapshot roofline --format ansi
check 'all of them' not colour
check 'but not what is bold' grep -q $'\e\[[0-9;]*1' "$folder/out"
check '--color always brings them back' run 0 snapshot roofline --format ansi --color always
check 'as it says' colour
check 'a theme named is a wish' run 0 snapshot roofline --format ansi --theme dark
check 'and kept' colour
exit $failed
