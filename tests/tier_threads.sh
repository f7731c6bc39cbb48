#!/usr/bin/env bash
# The threads of the measuring child under the thread sanitizer: the team, the hog, and every kernel on two threads. The inner loops come
# uninstrumented from the release build; what hands them their parts, and all that waits and wakes, is watched.
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
say() { # say CODE WHAT
  if [ "$1" -eq 0 ]; then echo "ok - $2"; else
    echo "not ok - $2"
    head -n 40 "$folder/out" | sed 's/^/#   /'
    failed=1
  fi
}
sources=$(ls kernels/*.c model/*.c | grep -vE 'kernels/(isa_|probe|bench)')
# bench.c names machines and repeats; everything with threads is below it.
flags="-std=c11 -O1 -g -fsanitize=thread -I. -D_GNU_SOURCE"
build() { # build OUT FLAG…: what lies below is compiled once
  local out=$1
  shift
  # shellcheck disable=SC2086
  cc $flags "$@" -o "$out" tests/unit_team.c "$folder"/*.o build/release/kernels/isa_*.o $(pkg-config --libs cmocka) -lm -ldl -pthread >"$folder/out" 2>&1
}
echo 'int main(void) { return 0; }' >"$folder/try.c"
if ! cc -fsanitize=thread -o "$folder/try" "$folder/try.c" 2>/dev/null || ! "$folder/try" 2>/dev/null; then
  echo "ok - threads: skipped, the thread sanitizer does not work here"
  exit 0
fi
export TSAN_OPTIONS=halt_on_error=0:exitcode=66
for source in $sources; do echo "$source"; done | xargs -P 2 -I '{}' sh -c "cc $flags -c '{}' -o '$folder'/\$(echo '{}' | tr / _).o" >"$folder/out" 2>&1
say $? "what lies below the team compiles with the thread sanitizer"
build "$folder/team"
say $? "the team compiles with the thread sanitizer"
timeout 300 "$folder/team" >"$folder/out" 2>&1
say $? "no data race in the team, nor in any kernel's threads"
build "$folder/race" -DPLANTED_RACE
say $? "the same with a race planted compiles"
timeout 300 "$folder/race" >"$folder/out" 2>&1
[ $? -eq 66 ] && grep -q 'data race' "$folder/out" && grep -q pass_on "$folder/out"
say $? "the planted race is seen"
exit $failed
