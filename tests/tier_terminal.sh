#!/usr/bin/env bash
# alone: it watches what the machine does
# The real program in a real terminal multiplexer under a real shell: suspend and return, resize, a cold start that measures this machine,
# and what is left when it goes. The finer checks are in unit_terminal. Hang guards only: every wait ends as soon as its condition holds.
cd "$(dirname "$0")/.." || exit 1
command -v tmux >/dev/null || { echo "not ok - tmux is not installed"; exit 1; }
[ -x ./ridge ] || { echo "not ok - ./ridge is not built"; exit 1; }
folder=$(mktemp -d) || exit 1
socket=$folder/tmux
code=0
export XDG_STATE_HOME=$folder/state LC_ALL=C.UTF-8
unset NO_COLOR RIDGE_DATA TMUX
mux() { tmux -S "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$folder"' EXIT

say() { # say CODE WHAT
  if [ "$1" -eq 0 ]; then echo "ok - $2"; else
    echo "not ok - $2"
    mux capture-pane -p 2>&1 | sed 's/^/    /'
    code=1
  fi
}
screen() { mux capture-pane -p; }
keys() { mux send-keys "$@"; }
until_seen() { # until_seen TEXT [SECONDS]: the guard
  local n=$((${2:-60} * 10))
  while [ $n -gt 0 ]; do
    screen | grep -qF -- "$1" && return 0
    sleep 0.1
    n=$((n - 1))
  done
  return 1
}
until_gone() {
  local n=600
  while [ $n -gt 0 ]; do
    screen | grep -qF -- "$1" || return 0
    sleep 0.1
    n=$((n - 1))
  done
  return 1
}
# Processes of ours: those whose state folder is this test's, the shell and tmux left out.
ours() {
  local p
  for p in /proc/[0-9]*; do
    [ "$(readlink "$p/exe" 2>/dev/null)" = "$(readlink -f ./ridge)" ] || continue
    tr '\0' '\n' <"$p/environ" 2>/dev/null | grep -qxF "XDG_STATE_HOME=$XDG_STATE_HOME" && echo "${p#/proc/}"
  done
}
no_orphans() {
  local n=100
  while [ $n -gt 0 ]; do
    [ -z "$(ours)" ] && return 0
    sleep 0.1
    n=$((n - 1))
  done
  return 1
}

mux new-session -d -x 80 -y 24 "PS1='ready> ' bash --norc --noprofile -i"
until_seen 'ready>' || { say 1 "a shell in tmux"; exit 1; }

# A cold state folder: the first screen measures the machine, then the shown point, with nothing pressed.
keys 'stty -g >"$XDG_STATE_HOME.before"; ./ridge' Enter
until_seen '2.1 roofline'; say $? "a first screen"
until_seen 'measuring'; say $? "a cold start says that it measures"
until_seen 'weights measured' 120; say $? "roofs, then a measured point, with nothing pressed"
[ -n "$(find "$XDG_STATE_HOME" -name '*.json' -size +0 2>/dev/null)" ]; say $? "the machine's figures are kept"
keys Right
until_seen '◂ 2 ▸'; say $? "an arrow moves the slider"
until_gone 'not measured yet'; until_seen 'weights measured' 120; say $? "the moved point is measured"

# Suspend and return.
keys C-z
until_seen 'Stopped'; say $? "^Z gives the shell back"
ours_now=$(ours | wc -l)
[ "$ours_now" -eq 1 ]; say $? "and measures nothing meanwhile"
keys 'stty -g | cmp - "$XDG_STATE_HOME.before"; echo same=$?.' Enter
until_seen 'same=0.'; say $? "with its settings"
mux resize-window -x 100 -y 30
sleep 0.5 # tmux holds sizes back by up to 250 ms
keys 'clear; fg; echo code=$?.; stty -g >"$XDG_STATE_HOME.after"' Enter
until_seen '? words  q quit'; say $? "fg paints the screen without a key"
sleep 0.5
screen | tail -1 | grep -q 'q quit$'; say $? "at the size the terminal has got meanwhile"

# Resize under our feet.
mux resize-window -x 70 -y 20
sleep 0.5
until_seen '? words  q quit' && screen | tail -1 | grep -q 'q quit$'; say $? "a smaller terminal"
mux resize-window -x 40 -y 8
sleep 0.5
until_seen 'ridge needs'; say $? "too small says what it needs"
mux resize-window -x 80 -y 24
sleep 0.5
until_seen '2.1 roofline'; say $? "and comes back"

# Quit while measuring.
keys m
sleep 0.3
keys q
until_seen 'code=0.'; say $? "q while measuring quits"
no_orphans; say $? "and leaves no child"
cmp -s "$XDG_STATE_HOME.before" "$XDG_STATE_HOME.after"; say $? "the terminal's settings are those from before"

# Pastes in tmux arrive bracketed: text, not keys.
keys 'clear; ./ridge roofline device=h100-sxm' Enter
until_seen '? words  q quit'
mux set-buffer 'q'
mux paste-buffer -p
until_seen 'pasted text is not taken'; say $? "a paste runs no commands"

# The window goes away: so do we.
mux kill-session
no_orphans; say $? "a closed terminal leaves nothing running"

# Without a terminal.
out=$(./ridge </dev/null 2>&1)
[ $? -eq 2 ] && [[ $out == *'ridge print'* ]]; say $? "no terminal: exit 2 and where to go"
out=$(TERM=dumb ./ridge roofline </dev/null 2>&1)
[ $? -eq 2 ]; say $? "TERM=dumb: exit 2"
exit $code
