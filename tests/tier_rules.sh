#!/usr/bin/env bash
# The rules of the house: who may include whom, what the model may call, who may keep state, names and words. Each rule is a function that
# prints its violations in the tree it stands in; at the end each is shown a planted violation, which it must find.
cd "$(dirname "$0")/.." || exit 1
root=$PWD
shopt -s nullglob
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
rooms="model data kernels tui scenes app"
failed=0

# All includes of a room's files as "file header", quotes and angle brackets kept.
includes() { grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("[^"]*"|<[^>]*>)' "$1"/*.c "$1"/*.h 2>/dev/null | sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/ /'; }

plain_c='<(math|assert|stdint|stddef|stdbool|string)\.h>'

rule_includes() {
  includes model | grep -vE " ($plain_c|\"model/[a-z0-9_]+\.h\")$"
  includes scenes | grep -vE " ($plain_c|\"(model|tui|scenes)/[a-z0-9_]+\.h\")$"
  includes tui | grep -E ' "' | grep -vE ' "tui/[a-z0-9_]+\.h"$'
  includes data | grep -E ' "' | grep -vE ' "(model|data)/[a-z0-9_]+\.h"$'
  includes kernels | grep -E ' "' | grep -vE ' "(model|kernels|data/(line|err))(/[a-z0-9_]+)?\.h"$'
  includes app | grep -E ' "' | grep -vE ' "(model|data|kernels|tui|scenes|app)/[a-z0-9_]+\.h"$'
  local room
  for room in model kernels tui scenes app; do includes "$room" | grep -E '<(cjson/)?cJSON\.h>'; done
  return 0
}

# ncurses in one file and no other.
rule_curses() {
  local room found
  found=$(for room in $rooms; do includes "$room"; done | grep -iE '<(ncurses[a-z]*/)?(n?curses|term|ncurses_dll)\.h>' | cut -d' ' -f1 | sort -u)
  [ "$found" = tui/terminal.c ] || echo "curses is included by: ${found:-nobody}"
}

# What the model's objects call, beyond each other: arithmetic, strings and assert.
allowed='abs|ceil|cos|erfc|exp|exp2|fabs|floor|fma|fmax|fmin|fmod|frexp|hypot|ldexp|llround|log|log10|log1p|log2|lround|nearbyint|pow|round|rint|scalbn|sin|sincos|sqrt|trunc|cbrt|expm1'
allowed="$allowed|mem(chr|cmp|cpy|move|set)|str(chr|cmp|cpy|len|ncmp|ncpy|rchr|str)|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__(mem|str)[a-z]*_chk"
rule_symbols() {
  local objects=("$1"/model/*.o)
  [ ${#objects[@]} -gt 0 ] || { echo "no model objects in $1"; return; }
  nm -P "${objects[@]}" | awk 'NF > 1 && $2 ~ /^[TDBRVW]$/ { print $1 }' | sort -u >"$copy/defined"
  nm -P -u "${objects[@]}" | awk 'NF > 1 { print $1 }' | sort -u | comm -23 - "$copy/defined" | grep -vxE "$allowed"
  return 0
}

# Nothing in memory that outlives a call.
rule_state() {
  local object
  for object in "$1"/model/*.o "$1"/scenes/*.o "$1"/tui/*.o; do
    [ "${object##*/}" = terminal.o ] && continue
    objdump -h "$object" | awk -v file="$object" '$2 ~ /^\.(data|bss|tdata|tbss)(\..*)?$/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print file ": " $2 " holds 0x" $3 " bytes" }'
  done
  return 0
}

rule_names() {
  local end
  for end in c h; do find $rooms tests -name "*.$end" -printf '%f\n' | sort | uniq -d | sed 's/$/ stands in two folders/'; done
}

files() { find $rooms tests .ci Makefile README.md -type f ! -name tier_rules.sh ! -name '*.png' 2>/dev/null; }

# One word that means two things (an amount and a rate) is not used at all, but to refuse it where it is typed.
# Other programs may use it in names of theirs.
rule_word() { files | grep -vxE 'tui/number_parse\.c|tests/unit_number\.c|tests/samples/.*' | xargs grep -inE 'fl[o]ps' 2>/dev/null | grep -vE '(peakfl|MFl)[o]ps' | cut -c1-140; }

# Numbers get units with prefixes in the formatting files alone: no string elsewhere starts with one or puts one behind a conversion.
# A sentence may explain them.
rule_units() {
  # One compiler for all files: its line markers say which file a string stands in.
  cc -fpreprocessed -dD -E $(ls model/*.[ch] tui/*.[ch] scenes/*.[ch] app/*.[ch] | grep -v '^tui/number') 2>/dev/null | awk '
    /^# [0-9]+ "/ { split($0, part, "\""); if (part[2] !~ /^</) file = part[2]; next }
    { rest = $0
      while (match(rest, /"([^"\\]|\\.)*"/)) { print file ": " substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH) } }' |
    grep -E ': (" ?([kKMGTP]i?B|[mµn]s|[kMGTP]FLOP)([^A-Za-z]|$)|.*%[-+0-9.*]*[a-z] ?([kKMGTP]i?B|[mµn]s|[kMGTP]FLOP)([^A-Za-z]|$))'
  return 0
}

# Places of one person's machine, and words that the screen does not know.
rule_paths() { files | xargs grep -nE '/(work|root|home/[a-z]+)/|\.librar[y]|\.\./share[d]|/tmp/brie[f]' 2>/dev/null | grep -vE '/home/o.hara|/home/you/' | cut -c1-140; }

# One operating-system file; one locale call; threads in the measuring child only; errors are printed by app/ only.
rule_os() {
  grep -nE '\b(madvise|sched_setaffinity|pthread_setaffinity_np|prctl|getrusage)[[:space:]]*\(' $(find $rooms -name '*.[ch]' ! -path kernels/os.c ! -path 'kernels/os_*.c')
  grep -nE '\bsetlocale[[:space:]]*\(' $(find $rooms -name '*.[ch]') | grep -v 'setlocale(LC_CTYPE, "")'
  return 0
}
rule_threads() { grep -nE '\bpthread_[a-z]+[[:space:]]*\(|<(pthread|threads)\.h>' $(find model data tui scenes app -name '*.[ch]'); }
rule_errors() { grep -nE '\b(stderr|perror|exit|_exit)\b' $(find model data scenes kernels -name '*.[ch]') | grep -vE '^[^:]*:[0-9]+:[[:space:]]*(\*|/\*|//)' | grep -vE '/\*[^*]*\b(stderr|exit)\b'; }
rule_flags() { grep -HnE 'ffast-math|-flto|-Ofast|-march=native' Makefile; }

check() { # NAME, then the rule's command
  local name=$1 found
  shift
  found=$("$@")
  if [ -z "$found" ]; then echo "ok - $name"; else
    echo "not ok - $name"
    echo "$found" | head -n 20 | sed 's/^/#   /'
    failed=1
  fi
}

build=build/release
check 'rooms include only the rooms they may' rule_includes
check 'curses is known to one file' rule_curses
check 'the model calls arithmetic, strings and assert alone' rule_symbols "$build"
check 'model, scenes and tui keep nothing in memory' rule_state "$build"
check 'no two files share a name' rule_names
check 'the word with two meanings is not used' rule_word
check 'units with prefixes are spelled in one place' rule_units
check 'no path of somebody'"'"'s own machine' rule_paths
check 'the operating system is asked in one file, the locale in one call' rule_os
check 'threads live in kernels alone' rule_threads
check 'errors are printed by app alone' rule_errors
check 'no flags that change arithmetic or hide what is called' rule_flags

# ---- Each rule must find what is planted for it ----
mkdir -p "$copy/tree"
cp -r $rooms tests Makefile "$copy/tree"
plant() { # NAME, FILE, TEXT, then the rule's command, run in a copy of the tree with TEXT at the end of FILE
  local name=$1 file=$2 text=$3 found
  shift 3
  printf '%b\n' "$text" >>"$copy/tree/$file"
  found=$(cd "$copy/tree" && "$@" | grep -F "${file##*/}")
  if [ -e "$file" ]; then cp "$file" "$copy/tree/$file"; else rm "$copy/tree/$file"; fi
  if [ -n "$found" ]; then echo "ok - planted: $name is found"; else echo "not ok - planted: $name is not found"; failed=1; fi
}

plant 'stdio in the model' model/roof.c '#include <stdio.h>' rule_includes
plant 'tui in the model' model/roof.c '#include "tui/text.h"' rule_includes
plant 'data in a scene' scenes/knob.c '#include "data/json.h"' rule_includes
plant 'a model header in tui' tui/plot.h '  #  include "model/roof.h"' rule_includes
plant 'tui in data' data/err.c '#include "tui/number.h"' rule_includes
plant 'a catalogue in kernels' kernels/os.c '#include "data/catalogue.h"' rule_includes
plant 'cJSON in app' app/emit.c '#include <cjson/cJSON.h>' rule_includes
plant 'curses in a second file' tui/plot.c '#include <ncurses.h>' rule_curses
plant 'a name used twice' app/roof.c '/* */' rule_names
plant 'the banned word' scenes/knob.c '/* gigafl''ops */' rule_word
plant 'a spelled unit' scenes/knob.c 'static const char *x = " G''B/s";' rule_units
plant 'a unit behind a number' app/emit.c 'static const char *x = "%.3g µ''s";' rule_units
plant 'a private path' data/err.c '/* /wo''rk/main */' rule_paths
plant 'madvise elsewhere' kernels/pool.c 'void f(void) { madvise(0, 0, 0); }' rule_os
plant 'another locale' app/main.c 'void f(void) { setlocale(LC_ALL, ""); }' rule_os
plant 'a thread in app' app/main.c '#include <pthread.h>' rule_threads
plant 'an error printed by data' data/err.c 'void f(void) { fprintf(stderr, "x"); }' rule_errors
plant 'fast arithmetic' Makefile 'CFLAGS += -ffast-m''ath' rule_flags

plant_object() { # NAME, CODE, then the rule's command: a copy of the objects and one more, in model/
  local name=$1 code=$2 found
  shift 2
  rm -rf "$copy/objects"
  mkdir -p "$copy/objects/tui" "$copy/objects/scenes"
  cp -r "$root/$build/model" "$copy/objects/model"
  echo "$code" >"$copy/planted.c"
  cc -c -o "$copy/objects/model/planted.o" "$copy/planted.c"
  found=$("$@" "$copy/objects")
  if [ -n "$found" ]; then echo "ok - planted: $name is found"; else echo "not ok - planted: $name is not found"; failed=1; fi
}
plant_object 'malloc in the model' '#include <stdlib.h>
void *f(void) { return malloc(3); }' rule_symbols
plant_object 'a clock in the model' '#include <time.h>
long f(void) { return time(0); }' rule_symbols
plant_object 'a counter kept' 'int f(void) { static int n; return ++n; }' rule_state
plant_object 'a table that can change' 'int table[] = {1, 2}; int *f(void) { return table; }' rule_state
exit $failed
