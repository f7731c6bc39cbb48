#!/usr/bin/env bash
# The doors from outside: exit codes, what goes to which stream, folders that are missing, broken or not writable, an installed copy.
cd "$(dirname "$0")/.." || exit 1
ridge=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
export HOME="$folder/home" XDG_STATE_HOME="$folder/state" XDG_CONFIG_HOME="$folder/config" TERM=xterm-256color
mkdir -p "$HOME"
unset RIDGE_DATA NO_COLOR
failed=0
ok() { echo "ok - $1"; }
not_ok() {
  echo "not ok - $1"
  shift
  printf '#   %s\n' "$@"
  failed=1
}

# run NAME CODE WORDS-ON-STDERR|- COMMAND…: the exit code, and a part of what stderr must say ("-": stderr must be empty). On a code that is not 0,
# stdout must be empty: it is data only.
run() {
  local name=$1 code=$2 words=$3 got
  shift 3
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  got=$?
  if [ "$got" -ne "$code" ]; then not_ok "$name" "exit code $got, not $code" "$(head -c 300 "$folder/err")"; return; fi
  if [ "$words" = - ] && [ -s "$folder/err" ]; then not_ok "$name" "stderr is not empty: $(head -c 300 "$folder/err")"; return; fi
  if [ -n "$words" ] && [ "$words" != - ] && ! grep -qF -- "$words" "$folder/err"; then not_ok "$name" "stderr does not say '$words': $(head -c 300 "$folder/err")"; return; fi
  if [ "$code" -ne 0 ] && [ -s "$folder/out" ]; then not_ok "$name" "stdout is not empty: $(head -c 200 "$folder/out")"; return; fi
  ok "$name"
}
says() { # NAME WORDS: the last run's stdout has them
  if grep -qF -- "$2" "$folder/out"; then ok "$1"; else not_ok "$1" "no '$2' in: $(head -c 400 "$folder/out")"; fi
}

# ---- help and version need nothing at all ----
run 'help' 0 - env -i "$ridge" --help
says 'help lists the commands' 'snapshot'
says 'help lists the scenes' 'roofline'
run 'version' 0 - env -i "$ridge" --version
says 'version has a number' 'ridge 0.'
for door in print sweep snapshot bench measure record scenes knobs facts kernels devices models keys references doctor reset-terminal; do
  run "help of $door" 0 - "$ridge" "$door" --help
  says "help of $door is its own" "usage: ridge $door"
done

run 'references of a scene' 0 - "$ridge" references offload
says 'a reading and the facts that show both' 'facts: link_share, moving_share'
says 'a tool to go on with' 'FPGA Guide'
run 'help of a scene' 0 - "$ridge" fit --help
says 'help of a scene asks its question' 'Does it all fit?'
says 'help of a scene has its knobs' 'kv_dtype=WORD'
run 'help of a scene by its number, at a door' 0 - "$ridge" print 3.3 --help
says 'help of a scene at a door says how the door is used' 'usage: ridge print SCENE'
says 'help of a scene at a door has its knobs' 'kv_dtype=WORD'

# ---- without a terminal ----
run 'help of bench: the keys' 0 - "$ridge" bench --help
says 'a choice among them' 'rung             which matrix product: auto|plain'
run 'no terminal: words and exit 2' 2 'ridge print roofline' "$ridge"
run 'no terminal, with a scene' 2 'ridge print roofline' "$ridge" roofline n=4096
run 'no terminal, with an address' 2 'ridge print roofline' "$ridge" 2.1
run 'the words are right, so they work' 0 '' "$ridge" print roofline

# ---- wrong words ----
run 'unknown scene' 2 'did you mean roofline' "$ridge" rofline
run 'unknown scene at a door' 2 'did you mean decode' "$ridge" print decoed
run 'a scene that is not built yet, by number' 2 '1.1 race (Why does one strong worker lose?) is not built yet' "$ridge" print 1.1
run 'a scene that is not built yet, by name' 2 '5.3 spatial' "$ridge" spatial
run 'a model as it was downloaded' 0 '' "$ridge" print fit model=tests/configs/mixtral-8x7b.json
says 'its name, its source' 'model_type mixtral'
run 'a model nobody knows' 2 'model_type: expected one of llama' "$ridge" print fit model=tests/broken/model_config_unknown_type.json
run 'a mistyped command' 2 'did you mean snapshot' "$ridge" snapshto roofline
run 'unknown knob' 2 'did you mean batch' "$ridge" print roofline bacth=2
run 'unknown value' 2 'did you mean h100-sxm' "$ridge" print roofline device=h100sxm
run 'unknown option' 2 'did you mean --theme' "$ridge" --thme dark
run 'unknown option of a door' 2 'did you mean --json' "$ridge" print roofline --jason
run 'an option of another door' 2 '--size' "$ridge" print roofline --size 80x24
run 'out of range' 2 '1 … 65536' "$ridge" print roofline batch=1e9
run 'print without a scene' 2 'ridge scenes' "$ridge" print
run 'a knob where the scene belongs' 2 'needs a scene' "$ridge" print batch=3
run 'json and csv at once' 2 'not both' "$ridge" print roofline --json --csv
run 'sweep without a range' 2 'FROM..TO' "$ridge" sweep decode batch=3
# What the list of one scene's knobs calls their start is where that scene starts.
starts=$("$ridge" knobs decode --json | grep -oE '"(key|start)": "[^"]*"' | paste - - | grep -cE '"(device|dtype|model)".*"(illustrative|bf16|chapter-7b)"')
[ "$starts" = 3 ] && ok 'knobs of a scene start where the scene does' || not_ok 'knobs of a scene start where the scene does' "$starts of 3"
run 'sweep of two knobs' 2 'one knob' "$ridge" sweep decode batch=1..4 context=1..4
run 'sweep of an unknown fact' 2 'did you mean step_time' "$ridge" sweep decode batch=1..4 step_tiem
run 'sweep out of range' 2 'out of range' "$ridge" sweep decode batch=1..1e9
run 'sweep with a bad count' 2 'COUNT' "$ridge" sweep decode batch=1..4:0
run 'snapshot of a bad size' 2 '1000x400' "$ridge" snapshot roofline --size 80
run 'snapshot in an unknown format' 2 'did you mean svg' "$ridge" snapshot roofline --format svgg
run 'unknown theme' 2 'did you mean dark' "$ridge" snapshot roofline --theme drak
run 'bench of an unknown kernel' 2 'weights' "$ridge" bench wieghts
run 'a list with words' 2 'takes no words' "$ridge" devices h100
run 'control characters are not passed on' 2 'unknown knob ?[2J' "$ridge" print roofline $'\e[2J=1'
mkfifo "$folder/fifo.json"
run 'a FIFO is no device, and nothing waits for it' 2 'plain file' timeout 30 "$ridge" print roofline device="$folder/fifo.json"
run 'facts of an unknown scene' 2 'did you mean' "$ridge" facts rofline

# ---- streams ----
run 'an unmeasured machine is a note, not an error' 0 'ridge measure' "$ridge" print roofline --json
says 'what is unknown is null' '"value": null'
run 'a knob the scene lacks is a note' 0 'fit has no knob fma' "$ridge" print fit fma=3
run 'json and table at once' 2 'leave --table out' "$ridge" print machines --json --table
run 'a table for a spreadsheet' 0 - "$ridge" print machines --table --csv
run 'quiet when all is well' 0 - "$ridge" print roofline device=illustrative --csv
run 'a sweep is quiet' 0 - "$ridge" sweep decode batch=1..64 step_time --csv
for format in text ansi svg roles; do run "snapshot as $format" 0 - "$ridge" snapshot decode --format $format; done
run 'a full disk is told' 1 'could not write' bash -c "exec '$ridge' print offload --json >/dev/full"
run 'a full disk is told about the help too' 1 'could not write' bash -c "exec '$ridge' --help >/dev/full"
"$ridge" print offload --json >"$folder/utf8" 2>&1
LC_ALL=C "$ridge" print offload --json >"$folder/c" 2>&1
if cmp -s "$folder/utf8" "$folder/c"; then ok 'JSON is the same in every locale'; else not_ok 'JSON is the same in every locale' "$(diff "$folder/utf8" "$folder/c" | head -n 4)"; fi
for size in 1x1 1000x400 59x17; do run "snapshot at $size" 0 '' "$ridge" snapshot roofline --size $size; done
LC_ALL=C "$ridge" snapshot decode --charset ascii --size 120x40 >"$folder/ascii" 2>/dev/null
if [ -s "$folder/ascii" ] && ! LC_ALL=C grep -q '[^ -~]' "$folder/ascii"; then ok 'an ascii snapshot is ASCII'; else not_ok 'an ascii snapshot is ASCII' "$(LC_ALL=C grep -n '[^ -~]' "$folder/ascii" | head -n 3)"; fi

# ---- folders ----
run 'no data folder: words and exit 1' 1 'RIDGE_DATA' "$ridge" --data "$folder/nowhere" print roofline
run '--data without a folder' 2 '--data needs a value' "$ridge" print roofline --data
cp -r data "$folder/data"
run '--data before the door' 0 - "$ridge" --data "$folder/data" print decode
run '--data after it' 0 - "$ridge" print decode --data="$folder/data"
echo '{"id": "broken", ' >"$folder/data/devices/broken.json"
run 'a broken device file is a warning' 0 'broken.json:' "$ridge" --data "$folder/data" print decode
says 'and the others are still there' 'token_rate'
sed 's/"id": "[^"]*"/"id": "laptop"/' data/devices/h100-sxm.json >"$folder/laptop.json"
run 'a device by its path' 0 - "$ridge" print roofline "device=$folder/laptop.json" op=matmul dtype=bf16 --json
says 'and its path is its name' "laptop.json\""
run 'a path to nothing' 2 'nothing.json' "$ridge" print roofline "device=$folder/nothing.json"
run 'a path to a broken file says where' 2 'broken.json:' "$ridge" print roofline "device=$folder/data/devices/broken.json"

name=$("$ridge" doctor 2>/dev/null </dev/null | sed -n 's/^  this machine  *//p')
mkdir -p "$XDG_STATE_HOME/ridge/machines"
echo '{"half": ' >"$XDG_STATE_HOME/ridge/machines/$name.json"
run 'a broken machine file is a warning' 0 'ridge measure --fresh' "$ridge" print roofline
says 'and the machine counts as not measured' 'not measured'
rm -rf "$XDG_STATE_HOME"
run 'no home at all' 0 '' env -u HOME -u XDG_STATE_HOME "$ridge" print roofline
run 'a state folder that cannot be made' 0 '' env XDG_STATE_HOME=/dev/null/x "$ridge" print roofline
run 'doctor without a state folder' 0 - env XDG_STATE_HOME=/dev/null/x "$ridge" doctor
says 'doctor says so' 'nothing will be kept'

# ---- a benchmark's record ----
run 'record: the chapter'"'"'s' 0 - "$ridge" record data/records/example.json
says 'record says what is missing' 'time busy         missing'
says 'record asks' 'memory explained   ask      52.3 %'
says 'record says what a token costs' '0.926 $/Mtoken'
run 'record: written' 0 - "$ridge" record data/records/example.json --json batch=8 params=7e9
says 'record writes what was set' '"batch_size": 8'
"$ridge" record data/records/example.json --json >"$folder/written.json" 2>/dev/null
run 'record: what it wrote, read' 0 - "$ridge" record "$folder/written.json" --json
"$ridge" record "$folder/written.json" --json 2>/dev/null | cmp -s - "$folder/written.json" && echo "ok - record reads what it wrote" || echo "not ok - record reads what it wrote"
printf '{\n  "model": "x",\n  "batch": 16\n}\n' >"$folder/odd.json"
run 'record: an unknown key has file, line and key' 2 'odd.json:3:3: batch: expected' "$ridge" record "$folder/odd.json"
run 'record: no such file' 2 'none.json' "$ridge" record none.json
run 'record: one file' 2 'takes one file' "$ridge" record a.json b.json
run 'record: this machine, not measured' 0 'no decode step was measured here' "$ridge" record device=here

# ---- doctor, lists, reset ----
run 'doctor needs no terminal' 0 - "$ridge" doctor
for word in TERM braille cores quota instructions 'L1 cache' BLAS GPU 'data folder' 'state folder' 'its figures'; do says "doctor tells: $word" "$word"; done
run 'doctor without TERM' 0 - env -u TERM "$ridge" doctor
run 'doctor under a broken TERM' 0 - env TERM=no-such-terminal "$ridge" doctor
run 'doctor without data fails' 1 '' bash -c "'$ridge' --data '$folder/nowhere' doctor >/dev/null"
run 'reset-terminal' 0 - "$ridge" reset-terminal
if grep -q $'\e' "$folder/out"; then ok 'reset-terminal sends sequences'; else not_ok 'reset-terminal sends sequences'; fi

# ---- an installed copy finds its data, wherever it was put ----
if make -s install DESTDIR="$folder/stage" PREFIX=/opt/ridge >"$folder/out" 2>&1; then
  ok 'make install'
  run 'the installed program finds its data' 0 - env -i HOME="$HOME" "$folder/stage/opt/ridge/bin/ridge" print decode
  mkdir -p "$folder/elsewhere" && ln -s "$folder/stage/opt/ridge/bin/ridge" "$folder/elsewhere/ridge"
  run 'and through a link' 0 - env -i HOME="$HOME" "$folder/elsewhere/ridge" devices
  make -s uninstall DESTDIR="$folder/stage" PREFIX=/opt/ridge >/dev/null 2>&1
  left=$(find "$folder/stage" -type f)
  if [ -z "$left" ]; then ok 'make uninstall leaves nothing'; else not_ok 'make uninstall leaves nothing' "$left"; fi
  make -s >/dev/null 2>&1 # the build at hand knows its usual place again
else
  not_ok 'make install' "$(tail -n 3 "$folder/out")"
fi
exit $failed
