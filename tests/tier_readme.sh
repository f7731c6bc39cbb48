#!/usr/bin/env bash
# README says what is so: its key table is the program's, its pictures are the program's, its commands run, and its scene and kernel build and
# work as written. `UPDATE=1 bash tests/tier_readme.sh` writes the key table and the pictures anew.
cd "$(dirname "$0")/.." || exit 1
ridge=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
. tests/support_golden.bash
failed=0
ok() { echo "ok - $1"; }
not_ok() {
  echo "not ok - $1"
  shift
  printf '%s\n' "$@" | head -n 12 | sed 's/^/#   /'
  failed=1
}
same() { # NAME WANTED GOT: two files
  if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$(diff "$2" "$3")"; fi
}

# ---- keys ----
"$ridge" keys --json | sed -nE 's/^ *\{"keys": "(.*)", "verb": ".*", "words": "(.*)"\},?$/| `\1` | \2 |/p' >"$folder/keys"
between() { sed -n "/^<!-- $1/,/^<!-- \/$1/p" README.md | sed '1d;$d'; }
if [ -n "$UPDATE" ]; then
  awk -v rows="$folder/keys" '/^<!-- \/keys/ { while ((getline line < rows) > 0) print line; skip = 0 } !skip { print } /^<!-- keys/ { skip = 1 }' README.md >"$folder/new" && cat "$folder/new" >README.md
fi
between keys >"$folder/readme-keys"
[ -s "$folder/keys" ] || not_ok 'the program has keys'
same "the key table is the program's" "$folder/keys" "$folder/readme-keys"

# ---- scenes ----
"$ridge" scenes --json | sed -nE 's/^ *\{"address": "([^"]*)", "name": "([^"]*)", "question": "([^"]*)".*/| \1 | `\2` | \3 |/p' >"$folder/scenes"
grep -E '^\| [0-9]\.[0-9] \| `' README.md >"$folder/readme-scenes"
same "the table of scenes is the program's" "$folder/scenes" "$folder/readme-scenes"

# ---- views, each with what it takes to open it ----
sed -n '/^| scene | `view=` |/,/^$/p' README.md | sed -nE 's/^\| `([a-z]+)` \| (.*) \|$/\1 \2/p' | while read -r scene rest; do
  for view in $(grep -oE '(· |^)`[a-z]+`' <<<"$rest" | tr -d '·` '); do echo "$scene view=$view"; done
done >"$folder/views"
[ "$(wc -l <"$folder/views")" -ge 26 ] || not_ok 'README has the views'
while read -r words; do # unquoted: a scene and a knob
  if "$ridge" print $words >"$folder/out" 2>"$folder/err"; then ok "ridge $words"; else not_ok "ridge $words" "$(cat "$folder/err")"; fi
done <"$folder/views"

# ---- pictures: on the invented machine ----
picture() { # FILE, then the words of a snapshot
  local file=tests/pictures/$1.svg
  shift
  "$ridge" snapshot "$@" --format svg --theme dark >"$folder/now.svg" 2>"$folder/err" || not_ok "$file is made" "$(cat "$folder/err")"
  [ -n "$UPDATE" ] && cp "$folder/now.svg" "$file"
  same "$file is the program's" "$file" "$folder/now.svg"
  grep -qF "($file)" README.md || not_ok "$file is shown in README"
}
picture roofline roofline batch=4 --lines "$lines" --size 100x28
picture hierarchy hierarchy --size 100x28
picture reuse reuse --lines "$reuse_lines" --size 100x28
picture decode decode batch=16 --lines "$lines" --size 100x28
picture precision precision --size 100x28
picture fit fit --size 100x28
picture offload offload --size 100x28
picture feed feed slow=8 --size 100x28
picture machines machines --size 100x28
picture layers layers model=llama-3-8b phase=prefill context=2048 --size 100x28
picture cases cases --size 100x32
picture lab lab --lines "$lab_lines" --size 100x28
picture diagnose diagnose seed=3 probe_host=on probe_copies=on --size 100x28
for shown in $(grep -oE '\(tests/pictures/[a-z]+\.svg\)' README.md | tr -d '()'); do [ -s "$shown" ] || not_ok "$shown is there"; done

# ---- commands, as written ----
mkdir -p "$folder/bin"
ln -s "$ridge" "$folder/bin/ridge"
awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside && /^ridge / { print }' README.md >"$folder/commands"
[ "$(wc -l <"$folder/commands")" -ge 8 ] || not_ok 'README has commands'
while IFS= read -r command; do
  if PATH="$folder/bin:$PATH" XDG_STATE_HOME="$folder/other" timeout 120 bash -o pipefail -c "$command" >"$folder/out" 2>"$folder/err" </dev/null && [ -s "$folder/out" ]; then
    ok "$command"
  else
    not_ok "$command" "$(head -n 3 "$folder/err")"
  fi
done <"$folder/commands"

# Words behind `ridge` in the text: a scene, an address, a command, or a word in capitals.
known=" $("$ridge" --help | awk '/^commands:/ { on = 1; next } /^options:/ { on = 0 } on { print $1 }' | tr '\n' ' ') $("$ridge" scenes | awk 'NR > 1 { print $1, $2 }' | tr '\n' ' ') slope COMMAND "
for word in $(grep -oE '`ridge [^` ]+' README.md | awk '{ print $2 }' | sort -u); do
  case $known in *" $word "*) ok "ridge $word is known" ;; *) not_ok "ridge $word is known" ;; esac
done
for target in $(grep -oE '\bmake [a-z ]+' README.md | awk '{ for (i = 2; i <= NF; i++) print $i }' | grep -xE 'deps|run|test|install|uninstall|bench' | sort -u); do
  if grep -qE "^$target:" Makefile; then ok "make $target is a target"; else not_ok "make $target is a target"; fi
done
command=$(sed -n 's/^exec //p' .ci/run)
if [ -n "$command" ] && grep -qF "$command" README.md; then ok '.ci/run runs the test command of README'; else not_ok '.ci/run runs the test command of README' "$command"; fi

# ---- the scene and the kernel, as written, in a copy of the tree ----
copy="$folder/copy"
mkdir -p "$copy"
cp -r model data kernels tui scenes app Makefile README.md "$copy"
block() { awk -v mark="<!-- $1 -->" '$0 == mark { wait = 1; next } wait && /^```c/ { inside = 1; wait = 0; next } /^```/ { inside = 0 } inside { print }' "$copy/README.md"; }
for file in scenes/slope.c kernels/op_squares.c; do
  block "file: $file" >"$copy/$file"
  [ -s "$copy/$file" ] || not_ok "README has $file"
done
insert() { # FILE PATTERN: stdin before the first line that matches
  cat >"$folder/row"
  [ -s "$folder/row" ] || not_ok "README has a row for $1"
  awk -v rows="$folder/row" -v pattern="$2" '!done && $0 ~ pattern { while ((getline line < rows) > 0) print line; done = 1 } { print }' "$copy/$1" >"$folder/new"
  cmp -s "$folder/new" "$copy/$1" && not_ok "there is a place in $1 for a new row"
  cat "$folder/new" >"$copy/$1"
}
echo '  OP_SQUARES,' | insert model/work.h '^  OP_CUSTOM,'
block 'row: model/work.c op_table' | insert model/work.c '\[OP_CUSTOM\] = '
block 'row: model/work.c traffic_of' | insert model/work.c '^  case OP_MATMUL: return'
block 'row: model/work.c work_footprint' | insert model/work.c '^  case OP_MATMUL: element'
echo 'extern const struct kernel kernel_squares;' | insert kernels/kernel_table.c '^const struct kernel \*const kernel_table'
echo '    &kernel_squares,' | insert kernels/kernel_table.c '^    &kernel_dot,'
echo 'extern const struct scene scene_slope;' | insert scenes/scene.h '^extern const struct scene scene_'
sed 's/&scene_roofline,/\&scene_roofline, \&scene_slope,/' "$copy/scenes/scene_table.c" >"$folder/new" && cat "$folder/new" >"$copy/scenes/scene_table.c"
if make -s -C "$copy" MODE=debug OPT_debug=-O0 >"$folder/out" 2>&1 && ! grep -E '^(scenes/slope|kernels/op_squares)\.c:.*warning' "$folder/out"; then
  ok "README's scene and kernel compile without a warning"
  try() { # NAME WORDS COMMAND…: it succeeds and its output has the words
    local name=$1 words=$2
    shift 2
    if "$@" >"$folder/out" 2>"$folder/err" </dev/null && grep -qF -- "$words" "$folder/out"; then ok "$name"; else not_ok "$name" "$(tail -n 3 "$folder/err" "$folder/out")"; fi
  }
  export RIDGE_DATA="$copy/data"
  try 'the new scene prints' 'ridge_point' "$copy/ridge" print slope
  try 'the new scene has its verdict' 'Memory keeps up as long as each byte is used for 5.00 FLOP/byte' "$copy/ridge" print slope
  try 'the new scene is drawn' 'the ridge is at' "$copy/ridge" snapshot slope
  try 'the new scene is swept' '100' "$copy/ridge" sweep slope bandwidth=1G..64G --csv
  try 'the new scene is listed' '2.9' "$copy/ridge" scenes
  try 'the new kernel runs and is right' '"kind":"result","kernel":"squares"' "$copy/ridge" bench squares n=100000 seconds=0.2
  try 'the new kernel runs in fp64 on one thread' '"kind":"result"' "$copy/ridge" bench squares n=12345 dtype=fp64 threads=1 seconds=0.2
  try 'the new kernel is an operation' 'squares' "$copy/ridge" print roofline op=squares
  try 'the new kernel is listed' 'squares' "$copy/ridge" kernels
else
  not_ok "README's scene and kernel compile without a warning" "$(tail -n 12 "$folder/out")"
fi
exit $failed
