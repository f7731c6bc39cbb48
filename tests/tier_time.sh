#!/usr/bin/env bash
# alone: it watches what the machine does
# `ridge time`: the sample on stdout alone, start-up off, exit codes as a shell gives them, signals passed on.
cd "$(dirname "$0")/.." || exit 1
ridge=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
check() { # NAME CONDITION…
  local name=$1
  shift
  if "$@"; then echo "ok - $name"; else
    echo "not ok - $name"
    head -n 4 "$folder/out" "$folder/err" 2>/dev/null | sed 's/^/#   /'
    failed=1
  fi
}
run() { # EXPECTED ARGS…
  local expected=$1
  shift
  timeout 60 "$ridge" time "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ $code -eq "$expected" ]
}
lines() { [ "$(wc -l <"$folder/out")" -eq "$1" ]; }
said() { grep -qF -- "$1" "$folder/err"; }
printed() { grep -qF -- "$1" "$folder/out"; }

check 'a command is timed' run 0 --flop 2e9 --byte 1GB --runs 3 -- sleep 0.2
check 'one line on stdout' lines 1
check 'with the command as its name' printed '{"name":"sleep 0.2","flop":2e9,"byte":1e9,"s":0.'
check 'and the number of runs' printed '"n":3'
# A sleep is never shorter than asked; the start-up taken off is far less.
s=$(sed -nE 's/.*"s":([0-9.]+).*/\1/p' "$folder/out")
startup=$(sed -nE 's/.*"startup_s":([0-9.e-]+).*/\1/p' "$folder/out")
check 'the time is that of the sleep' awk -v s="$s" -v u="$startup" 'BEGIN { exit !(s + u >= 0.2 && u > 0 && s < 20) }'
cp "$folder/out" "$folder/mine.jsonl"
"$ridge" print roofline samples="$folder/mine.jsonl" peak=1e11 bandwidth=1e10 --json >"$folder/out" 2>"$folder/err"
check 'samples= takes the line' printed '"name": "sleep 0.2"'
check 'a name of its own' run 0 --flop 1 --byte 1 --runs 1 --name 'my kernel' -- sleep 0.1
check 'is kept' printed '"name":"my kernel"'
long=$(printf '時%.0s' {1..100})
check 'a long name in no ASCII' run 0 --flop 1 --byte 1 --runs 1 --name "$long" -- sleep 0.1
check 'is cut between two characters' grep -q '"name":"時時*"' "$folder/out"
check 'a long one with a slash' run 0 --flop 1 --byte 1 --runs 1 --name "a/$long" -- sleep 0.1
check 'is cut likewise' grep -q '"name":"a/時時*"' "$folder/out"

check 'what it prints goes to stderr' run 0 --flop 1 --byte 1 --runs 1 -- sh -c 'echo chatter; sleep 0.1'
check 'as it is' said chatter
check 'and stdout stays one line' lines 1
check 'no command' run 2 --flop 1 --byte 1
check 'no flop' run 2 --byte 1 -- true
check 'says which' said --flop
check 'a command without --' run 2 --flop 1 --byte 1 true
check 'says where it stands' said 'behind --'
check 'flop of nothing' run 2 --flop 0 --byte 1 -- true
check 'runs out of range' run 2 --flop 1 --byte 1 --runs 0 -- true
check 'no such command is 127' run 127 --flop 1 --byte 1 -- no-such-command-here
check 'and is said' said 'no-such-command-here: No such file'
check 'what cannot run is 126' run 126 --flop 1 --byte 1 -- /
check 'no line for it' lines 0
check 'the status of a failing command' run 3 --flop 1 --byte 1 -- sh -c 'exit 3'
check 'and no line' lines 0
check 'the signal that ended it' run 137 --flop 1 --byte 1 -- sh -c 'kill -9 $$'
check 'nothing but start-up is too short' run 1 --flop 1 --byte 1 --runs 1 --empty 'sleep 0.2' -- true
check 'and says so' said 'too short'
check 'an empty command of its own' run 0 --flop 1 --byte 1 --runs 1 --empty 'sleep 0.2' -- sleep 0.5
s=$(sed -nE 's/.*"s":([0-9.]+).*/\1/p' "$folder/out")
check 'is what is taken off' awk -v s="$s" 'BEGIN { exit !(s > 0.2 && s < 0.5) }'
check 'an empty command that is not there' run 127 --flop 1 --byte 1 --empty no-such-empty -- true
echo unread >"$folder/in"
{ "$ridge" time --flop 1 --byte 1 --runs 1 -- sh -c 'cat; sleep 0.1' >/dev/null 2>&1; cat; } <"$folder/in" >"$folder/out"
check 'stdin is left alone' printed unread

# A signal goes on to the command first, and ends us as that signal.
cat >"$folder/waits" <<'W'
#!/bin/sh
trap 'echo passed on >"$1"; exit 0' TERM
echo ready >"$1.ready"
while :; do sleep 0.05; done
W
chmod +x "$folder/waits"
"$ridge" time --flop 1 --byte 1 -- "$folder/waits" "$folder/got" >"$folder/out" 2>"$folder/err" &
pid=$!
for _ in $(seq 600); do [ -e "$folder/got.ready" ] && break; sleep 0.05; done
kill -TERM $pid
for _ in $(seq 600); do kill -0 $pid 2>/dev/null || break; sleep 0.05; done
kill -9 $pid 2>/dev/null # a hang guard
wait $pid
code=$?
check 'a signal ends us' [ $code -eq 143 ]
check 'and was passed on' grep -q 'passed on' "$folder/got"
check 'no line then' lines 0
exit $failed
