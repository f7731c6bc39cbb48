#!/usr/bin/env bash
# Runs everything: each tests/tier_*.sh, each unit program sanitized, or as its line "// as shipped too" or "only" says.
# Prints what failed and closes with one line, "N passed, N failed". A program that crashes, stops early or proves nothing is a failure. Words
# after the name choose by part of a name.
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# No test may see or change the person's own files, locale or looks.
export HOME="$folder/home" XDG_STATE_HOME="$folder/state" XDG_CONFIG_HOME="$folder/config" LC_ALL=C.UTF-8
unset MAKEFLAGS MFLAGS MAKELEVEL # a make started by a test is nobody's child
unset NO_COLOR RIDGE_DATA COLUMNS LINES CMOCKA_XML_FILE CMOCKA_TEST_FILTER
export RIDGE_REFINE=0 RIDGE_LOCK_DIR="$folder" RIDGE_SYSTEM="$folder/system" # nor wait for who measures on this machine
export RIDGE="$PWD/ridge" RIDGE_ASAN="$PWD/build/asan/ridge"
export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
mkdir -p "$HOME" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME"

passed=0 failed=0

chosen() { # does any word on the command line name it? no words: all
  [ "${#words[@]}" -eq 0 ] && return 0
  local word
  for word in "${words[@]}"; do case $1 in *"$word"*) return 0 ;; esac; done
  return 1
}
words=("$@")

# report NAME EXIT EXPECTED SECONDS FILE: counts the "ok" and "not ok" lines of FILE. EXPECTED: how many there should be, "" when not told.
report() {
  local name=$1 code=$2 expected=$3 good bad
  good=$(grep -c '^ok ' "$5")
  bad=$(grep '^not ok ' "$5" | grep -vc '# SKIP') # what cmocka calls a skipped test
  local extra=0 why= skipped
  skipped=$(grep -c '^not ok .*# SKIP' "$5")
  if [ "$code" -ge 124 ] && [ "$bad" -eq 0 ]; then extra=1 why="ended with code $code"
  elif [ $((good + bad)) -eq 0 ]; then extra=1 why="proved nothing (code $code)"
  elif [ -n "$expected" ] && [ $((good + bad + skipped)) -ne "$expected" ]; then extra=1 why="stopped after $((good + bad + skipped)) of $expected (code $code)"
  elif [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then extra=1 why="ended with code $code, though no line says why"
  elif [ "$code" -eq 0 ] && [ "$bad" -gt 0 ]; then why="ended with code 0 in spite of failures"; fi
  passed=$((passed + good)) failed=$((failed + bad + extra))
  printf '%-44s %4d passed' "$name" "$good"
  [ $((bad + extra)) -gt 0 ] && printf ', %d FAILED' $((bad + extra))
  [ "$skipped" -gt 0 ] && printf ', %d skipped' "$skipped"
  [ -n "$why" ] && printf ': %s' "$why"
  printf '   %ds\n' "$4"
  grep '^# warn' "$5" | sort -u | head -n 20 | sed 's/^/    /'
  [ $((bad + extra)) -gt 0 ] && sed 's/^/    /' "$5" | grep -v '^    ok ' | tail -n 60
  return 0
}

# Everything runs side by side, one more than there are cores since some only wait, and is reported in order: tiers first, they take longest.
# Last and alone come the tiers that say so on a line "# alone", because they watch what the machine does.
programs=() alone=()
for tier in tests/tier_*.sh; do
  chosen "$tier" || continue
  if grep -q '^# alone' "$tier"; then alone+=("$tier"); else programs+=("$tier"); fi
done
for program in build/asan/tests/unit_* build/release/tests/unit_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  source=tests/${program##*/}.c
  [ -f "$source" ] || continue # built from a source that is gone
  case $program in
    build/release/*) [ "${#words[@]}" -gt 0 ] || grep -qE '^// as shipped (too|only)' "$source" || continue ;;
    *) [ "${#words[@]}" -gt 0 ] || ! grep -q '^// as shipped only' "$source" || continue ;;
  esac
  name=${program#build/} name=${name/\/tests\//: }
  chosen "$name" && programs+=("$program")
done

run_one() { # INDEX PROGRAM: output, exit code and seconds into files
  local began=$SECONDS
  case $2 in
    *.sh) timeout 900 bash "$2" >"$folder/out.$1" 2>&1 ;;
    *) CMOCKA_MESSAGE_OUTPUT=tap timeout 900 "$2" >"$folder/out.$1" 2>&1 ;;
  esac
  echo "$? $((SECONDS - began))" >"$folder/code.$1"
}

report_one() { # INDEX: once it has ended
  local code seconds expected= name=${programs[$1]#build/}
  wait "${pid[$1]}"
  read -r code seconds <"$folder/code.$1"
  case $name in # a tier does not tell how many there should be
    *.sh) ;;
    *) expected=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$folder/out.$1" | awk '{ n += $1 } END { if (NR) print n }') ;;
  esac
  name=${name#tests/}
  report "${name/\/tests\//: }" "$code" "$expected" "$seconds" "$folder/out.$1"
}

cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
pid=() reported=0
for i in "${!programs[@]}"; do
  while [ "$(jobs -rp | wc -l)" -gt "$cores" ]; do wait -n; done
  run_one "$i" "${programs[$i]}" &
  pid[$i]=$!
  while [ "$reported" -lt "$i" ] && [ -s "$folder/code.$reported" ]; do report_one "$reported"; reported=$((reported + 1)); done
done
while [ "$reported" -lt "${#programs[@]}" ]; do report_one "$reported"; reported=$((reported + 1)); done

for tier in "${alone[@]}"; do
  began=$SECONDS
  timeout 900 bash "$tier" >"$folder/out" 2>&1
  report "${tier#tests/}" $? "" $((SECONDS - began)) "$folder/out"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
