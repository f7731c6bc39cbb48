#!/usr/bin/env bash
# alone: it watches what the machine does
# Measuring where less of the machine is ours than there is: one CPU of several, a CPU quota, a memory limit, no memory at all, others who
# measure before us, a file made once for all users.
cd "$(dirname "$0")/.." || exit 1
RIDGE=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
groups=()
cleanup() {
  for g in "${groups[@]}"; do rmdir "$g" 2>/dev/null; done
  rm -rf "$folder"
}
trap cleanup EXIT
export XDG_STATE_HOME="$folder/state" RIDGE_LOCK_DIR="$folder/lock" RIDGE_SYSTEM="$folder/system"
mkdir -p "$folder/lock"
failed=0
say() { # say CODE WHAT
  if [ "$1" -eq 0 ]; then echo "ok - $2"; else
    echo "not ok - $2"
    { tail -n 3 "$folder/out"; tail -n 3 "$folder/err"; } | cut -c1-300 | sed 's/^/#   /'
    failed=1
  fi
}
run() { # run COMMAND…: code and the two streams in files
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
}
says() { grep -qE -- "$1" "$folder/out"; }

# ---- one CPU of several ----
allowed=$(sed -n 's/^Cpus_allowed_list:\s*//p' /proc/self/status)
last=${allowed##*[,-]}
if [ "$(nproc)" -ge 2 ] && command -v taskset >/dev/null; then
  run taskset -c "$last" "$RIDGE" bench read n=4000 reps=2
  [ $code -eq 0 ] && [ "$(grep '"kind":"sample"' "$folder/out" | grep -oE '"threads":[0-9]+,"rep"' | sort -u)" = '"threads":1,"rep"' ] && ! says unpinned
  say $? "on CPU $last alone: one thread, and it is pinned there"
  run taskset -c "$last" "$RIDGE" bench read n=4000 reps=2 threads=2
  [ $code -eq 1 ] && says 'may use 1 CPU"'
  say $? "on CPU $last alone: two threads are refused in words"
  run taskset -c "$last" "$RIDGE" measure --json --part levels
  [ $code -eq 0 ] && says '"name":"threads","value":1}' && says '"name":"cpus","value":1}' && says "\"name\":\"mask\",\"text\":\"$last\""
  say $? "on CPU $last alone: the machine's figures are one thread's, and name the CPU"
  run taskset -c "$last" "$RIDGE" doctor
  says 'threads used +1:'
  say $? "on CPU $last alone: the doctor says so"
else
  echo "ok - one CPU of several: skipped, there is one CPU or no taskset"
fi

# ---- control groups, where root can make them ----
# group CONTROLLER: makes a group of this process's for it and names it in $group and its version in $version; false with $why where not.
group() {
  group='' version='' why='not root'
  [ "$(id -u)" -eq 0 ] || return 1
  local here
  why='no control groups that can be written'
  if [ -d "/sys/fs/cgroup/$1" ]; then
    here=$(grep -E "^[0-9]+:([^:]*,)?$1(,[^:]*)?:" /proc/self/cgroup | cut -d: -f3)
    group="/sys/fs/cgroup/$1${here%/}/ridge-test-$$" version=1
  elif grep -qw "$1" /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
    group="/sys/fs/cgroup/ridge-test-$$" version=2
  else
    return 1
  fi
  mkdir "$group" 2>/dev/null || return 1
  groups+=("$group")
}
inside() { # inside GROUP COMMAND…
  local procs=$1/cgroup.procs
  shift
  run bash -c 'echo $$ >"$0" && exec "$@"' "$procs" "$@"
}

if group cpu && { [ $version = 1 ] && echo 50000 >"$group/cpu.cfs_quota_us" || echo '50000 100000' >"$group/cpu.max"; } 2>/dev/null; then
  inside "$group" "$RIDGE" measure --json --part levels
  [ $code -eq 0 ] && says '"name":"quota","value":0.5}' && says '"name":"threads","value":1}' && says 'CPU quota 0.5'
  say $? "half a CPU (a control group, version $version): one thread, and the quota is told"
  # So little that it is used up on a busy machine too.
  if [ $version = 1 ]; then echo 10000 >"$group/cpu.cfs_quota_us"; else echo '10000 100000' >"$group/cpu.max"; fi
  inside "$group" "$RIDGE" measure --json --part levels
  [ $code -eq 0 ] && grep '"name":"level_' "$folder/out" | grep -q '"throttled"'
  say $? "a tenth of a CPU: figures that were held up by it say throttled"
  inside "$group" "$RIDGE" bench peak threads=1 seconds=1 reps=100
  [ $code -eq 0 ] && [ "$(grep '"kind":"result"' "$folder/out" | grep -c throttled)" -eq 1 ]
  say $? "a tenth of a CPU: a run that was held up by it says throttled"
else
  echo "ok - a real CPU quota: skipped, ${why:-it cannot be set}"
fi

if group memory && { [ $version = 1 ] && echo 200000000 >"$group/memory.limit_in_bytes" || echo 200000000 >"$group/memory.max"; } 2>/dev/null; then
  inside "$group" "$RIDGE" bench read n=1e8 reps=1
  [ $code -eq 1 ] && says '400 million bytes of memory needed, [0-9]+ million bytes allowed'
  say $? "200 MB of memory (a control group, version $version): 400 MB are refused in words"
  inside "$group" "$RIDGE" measure --json --part memory
  [ $code -eq 0 ] && says '"name":"read"' && [ "$(grep -oE '"name":"memory_cap","value":[0-9.e]+' "$folder/out" | cut -d: -f3 | awk '{ print ($1 <= 50e6) }')" = 1 ]
  say $? "200 MB of memory: the memory is measured with a quarter of that"
else
  echo "ok - a real memory limit: skipped, ${why:-it cannot be set}"
fi

# ---- no memory, whatever the limits say ----
run bash -c 'ulimit -v 400000; exec "$0" bench read n=1.5e8 reps=1 threads=1' "$RIDGE"
[ $code -eq 1 ] && says '"kind":"refused","reason":"the system gave no memory for [0-9]+ million bytes'
say $? "memory that the system does not give is said in words"

# ---- who measures before us ----
# Two hold the queue: one measures, one waits; then the third is told how many are before it.
waits() { # WORDS COMMAND…: it comes to say the words, on either stream, and is ended then
  local words=$1 pid
  shift
  "$@" >"$folder/out" 2>"$folder/err" </dev/null &
  pid=$!
  for _ in $(seq 100); do grep -q "$words" "$folder/out" "$folder/err" && break; sleep 0.1; done
  kill $pid
  wait $pid 2>/dev/null
}
"$RIDGE" bench peak seconds=20 reps=8000 threads=1 >/dev/null 2>&1 </dev/null &
first=$!
for _ in $(seq 100); do [ -e "$folder/lock/ridge-measuring" ] && break; sleep 0.1; done
sleep 0.5
"$RIDGE" bench peak seconds=20 reps=8000 threads=1 >/dev/null 2>&1 </dev/null &
second=$!
sleep 1
waits 'before you' "$RIDGE" bench read n=1000 reps=1
says '"reason":"waiting: 2 are measuring before you"'
say $? "a bench says how many are measuring before it"
waits 'before you' "$RIDGE" measure --part levels
grep -q 'waiting: 2 are measuring before you' "$folder/err" && [ ! -s "$folder/out" ]
say $? "measure says it on stderr"
kill -KILL $second
wait $second 2>/dev/null
sleep 0.5
waits 'before you' "$RIDGE" bench read n=1000 reps=1
says '"reason":"waiting: 1 is measuring before you"'
say $? "who dies in the queue is no longer before anyone"
kill -KILL $first
wait $first 2>/dev/null
run timeout 60 "$RIDGE" bench read n=1000 reps=1
[ $code -eq 0 ] && ! says waiting
say $? "and nobody waits for the dead"
# Where nobody can meet, each measures alone.
run timeout 60 env RIDGE_LOCK_DIR=/proc/nowhere "$RIDGE" bench read n=1000 reps=1
[ $code -eq 0 ]
say $? "a folder that cannot hold the queue is passed over"

# ---- one file for all users ----
rm -rf "$folder/state"
run "$RIDGE" measure --system
[ $code -eq 0 ] && [ "$(find "$folder/system/machines" -name '*.json' | wc -l)" -eq 1 ] && [ -z "$(ls "$folder/state/ridge/machines" 2>/dev/null)" ]
say $? "measure --system keeps the figures for all, and not as one's own"
file=$(find "$folder/system/machines" -name '*.json')
[ "$(stat -c %a "$file")" = 644 ] && [ "$(stat -c %a "$folder/system/machines")" = 755 ]
say $? "all may read that file, whatever the umask was"
run "$RIDGE" measure --json --part levels
[ $code -eq 0 ] && [ ! -s "$folder/err" ] && [ "$(grep -c '^{"kind":"[a-z]*",.*}$' "$folder/out")" -eq "$(wc -l <"$folder/out")" ]
say $? "measure --json speaks one JSON object a line, and nothing else"
[ "$(grep '"n":' "$folder/out" | grep -c '"kind":"figure"')" -ge 2 ] &&
  ! grep '"kind":"figure"' "$folder/out" | grep '"n":' | grep -vE '"threads":[0-9]+.*"value":[0-9.e+-]+,"n":[0-9]+,"statistic":"(best|median)".*"flags":\['
say $? "each measured figure has threads, samples, statistic and flags"
rm -rf "$folder/state"
run "$RIDGE" doctor
says "$(basename "$file").*made for all users"
say $? "doctor says that the figures in use are those made for all"
run "$RIDGE" measure
[ $code -eq 0 ] && says '^AMD|^Intel| on ' && [ ! -s "$folder/err" ] && [ -z "$(ls "$folder/state/ridge/machines" 2>/dev/null)" ]
say $? "who has no figures of their own has these, without measuring"
run "$RIDGE" measure --part levels
run "$RIDGE" doctor
says "state/ridge/machines/$(basename "$file").*your own"
say $? "figures of one's own go before them, and doctor says so"
printf '{"broken"' >"$file"
rm -rf "$folder/state"
run "$RIDGE" print roofline
[ $code -eq 0 ] && grep -q 'measure --fresh --system writes the file anew' "$folder/err"
say $? "a broken file made for all is a warning with its remedy"
run env RIDGE_SYSTEM=/proc/nowhere "$RIDGE" measure --system --part levels
[ $code -eq 1 ] && grep -q 'sudo ridge measure --system' "$folder/err"
say $? "a place that cannot be written is an error with its remedy"
run "$RIDGE" measure --quick --thorough
[ $code -eq 2 ] && grep -q 'not both' "$folder/err"
say $? "quick and thorough at once are refused"
run "$RIDGE" measure --part memroy
[ $code -eq 2 ] && grep -q 'did you mean memory' "$folder/err"
say $? "a mistyped part is answered with the nearest"
exit $failed
