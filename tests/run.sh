#!/usr/bin/env bash
# Runs everything: each unit program (release and sanitized), then each tests/tier_*.sh. Prints what failed and closes with one line,
# "N passed, N failed". A program that crashes, stops early or proves nothing is a failure. Words after the name choose by part of a name.
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# No test may see or change the person's own files, locale or looks.
export HOME="$folder/home" XDG_STATE_HOME="$folder/state" XDG_CONFIG_HOME="$folder/config" LC_ALL=C.UTF-8
unset MAKEFLAGS MFLAGS MAKELEVEL # a make started by a test is nobody's child
unset NO_COLOR RIDGE_DATA COLUMNS LINES CMOCKA_XML_FILE CMOCKA_TEST_FILTER
export RIDGE="$PWD/ridge" RIDGE_ASAN="$PWD/build/asan/ridge"
export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
mkdir -p "$HOME" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME"

passed=0 failed=0

chosen() { # does any word on the command line name it? no words: all
  [ "${#words[@]}" -eq 0 ] && return 0
  local word
  for word in "${words[@]}"; do case $1 in *"$word"*) return 0 ;; esac; done
  return 1
}
words=("$@")

# report NAME EXIT EXPECTED: counts the "ok" and "not ok" lines of $folder/out. EXPECTED: how many there should be, "" when not told.
report() {
  local name=$1 code=$2 expected=$3 good bad
  good=$(grep -c '^ok ' "$folder/out")
  bad=$(grep '^not ok ' "$folder/out" | grep -vc '# SKIP') # what cmocka calls a skipped test
  local extra=0 why= skipped
  skipped=$(grep -c '^not ok .*# SKIP' "$folder/out")
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
  printf '   %ds\n' $((SECONDS - began))
  [ $((bad + extra)) -gt 0 ] && sed 's/^/    /' "$folder/out" | grep -v '^    ok ' | tail -n 60
  return 0
}

for program in build/release/tests/unit_* build/asan/tests/unit_*; do
  [ -x "$program" ] && [ ! -d "$program" ] || continue
  case $program in *.o | *.d) continue ;; esac
  name=${program#build/} name=${name/\/tests\//: }
  [ -f "tests/${program##*/}.c" ] || continue # built from a source that is gone
  chosen "$name" || continue
  began=$SECONDS
  CMOCKA_MESSAGE_OUTPUT=tap timeout 600 "$program" >"$folder/out" 2>&1
  code=$?
  report "$name" "$code" "$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$folder/out" | awk '{ n += $1 } END { if (NR) print n }')"
done

for tier in tests/tier_*.sh; do
  chosen "$tier" || continue
  began=$SECONDS
  timeout 900 bash "$tier" >"$folder/out" 2>&1
  report "${tier#tests/}" $? ""
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
