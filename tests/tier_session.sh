#!/usr/bin/env bash
# A checker that cannot fail proves nothing: sessions with a wrong expectation, of each kind, must be refused, and each at its own line.
cd "$(dirname "$0")/.." || exit 1
player=build/asan/tests/unit_session
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
code=0

# refuses WORDS... : the last line of this session is wrong
refuses() {
  printf '%s\n' 'open roofline device=illustrative' 'scene roofline' 'knob batch 1' 'hand batch' "$@" >"$folder/wrong.txt"
  local lines
  lines=$(wc -l <"$folder/wrong.txt")
  if "$player" "$folder/wrong.txt" >"$folder/out" 2>&1; then
    echo "not ok - a session passed that ends in: ${*: -1}"
    code=1
  elif ! grep -q "wrong.txt:$lines:" "$folder/out"; then
    echo "not ok - refused, but not at its last line: ${*: -1}"
    sed 's/^/    /' "$folder/out"
    code=1
  else
    echo "ok - refused: ${*: -1}"
  fi
}

[ -x "$player" ] || { echo "not ok - $player is not built"; exit 1; }
refuses 'see no such words on any screen'
refuses 'not batch'
refuses 'keys l' 'knob batch 1'
refuses 'keys l' 'free batch'
refuses 'keys j' 'hand batch'
refuses 'keys 3' 'scene roofline'
refuses 'fact flop 1'
refuses 'fact measured_time 1'
refuses 'fact bound compute'
refuses 'fact no_such_fact 1'
refuses 'share roofline'
refuses 'errand bench weights n=1'
refuses 'cancelled yes'
refuses 'keys q' 'effect none'
refuses 'due 5'
refuses 'keys l' 'idle'
refuses 'keys <nosuch>'
refuses 'no such verb'
printf 'open roofline\n' >"$folder/empty.txt"
if "$player" "$folder/empty.txt" >/dev/null 2>&1; then
  echo "not ok - a session that checks nothing passed"
  code=1
else
  echo "ok - refused: a session that checks nothing"
fi
exit $code
