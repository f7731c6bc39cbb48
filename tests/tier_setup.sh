#!/usr/bin/env bash
# Set-up on systems that are not this one: `make deps` and the words of `make` where another package manager is the one there is. The managers
# are stand-ins that write down what they were asked; that the packages have these names in their repositories is not proved here.
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
check() { # NAME WANTED GOT
  if [ "$2" = "$3" ]; then echo "ok - $1"; else printf 'not ok - %s\n#   wanted: %s\n#   got:    %s\n' "$1" "$2" "$3"; failed=1; fi
}

# A system with everything of this one but its package managers, its C libraries' descriptions and tmux. The stand-ins have a folder of their
# own: one written into the folder of links would go through the link and replace the real program.
mkdir "$folder/bin" "$folder/stand-in"
for tool in /bin/* /usr/bin/* /usr/local/bin/*; do
  case ${tool##*/} in apt-get | dnf | pacman | apk | brew | sudo | tmux) ;; *) ln -sf "$tool" "$folder/bin/" ;; esac
done
export PATH=$folder/stand-in:$folder/bin PKG_CONFIG_LIBDIR=$folder/none PKG_CONFIG_PATH=
unset MAKEFLAGS MFLAGS MAKELEVEL

stand_in() { # NAME: writes its words to the log
  printf '#!/bin/sh\necho "%s $*" >>"%s/log"\n' "$1" "$folder" >"$folder/stand-in/$1"
  chmod +x "$folder/stand-in/$1"
}
printf '#!/bin/sh\necho "sudo $*" >>"%s/log"\nexec "$@"\n' "$folder" >"$folder/stand-in/sudo"
chmod +x "$folder/stand-in/sudo"
user() { # NUMBER: who `id -u` says we are
  printf '#!/bin/sh\necho %s\n' "$1" >"$folder/stand-in/id"
  chmod +x "$folder/stand-in/id"
}
asked() { # MAKE WORDS…: what was asked of whom, on one line
  : >"$folder/log"
  make "$@" >"$folder/out" 2>&1
  tr '\n' '|' <"$folder/log"
}

program="ncurses-devel cjson-devel" tests="libcmocka-devel libvterm-devel tmux"
stand_in dnf
user 0
check 'dnf, as root' "dnf install -y $program|" "$(asked deps)"
check 'dnf, for the tests' "dnf install -y $program $tests|" "$(asked deps -o need -o test test)"
user 1000
check 'dnf, through sudo' "sudo dnf install -y $program|dnf install -y $program|" "$(asked deps)"
make >"$folder/out" 2>&1
code=$?
check 'without libraries make fails' 2 "$code"
check 'and says what is missing' 'ridge cannot be built, missing: ncursesw libcjson' "$(grep -m 1 missing "$folder/out")"
check 'and what to type' "type: make deps   (or: sudo dnf install $program)" "$(grep -m 1 '^type' "$folder/out")"
rm "$folder/stand-in/dnf"

stand_in pacman
user 0
check 'pacman' 'pacman -S --needed --noconfirm ncurses cjson|' "$(asked deps)"
rm "$folder/stand-in/pacman"
stand_in apk
check 'apk' 'apk add ncurses-dev cjson-dev|' "$(asked deps)"
check 'apk, for the tests' 'apk add ncurses-dev cjson-dev cmocka-dev libvterm-dev tmux|' "$(asked deps -o need -o test test)"
rm "$folder/stand-in/apk"
stand_in brew
user 1000
check 'brew never through sudo' 'brew install ncurses cjson|' "$(asked deps)"
rm "$folder/stand-in/brew"
stand_in apt-get
stand_in env # whatever it is asked to run here is the installation
user 0
check 'apt-get, as root' 'apt-get update|env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libncurses-dev libcjson-dev|' "$(asked deps)"
rm "$folder/stand-in/apt-get" "$folder/stand-in/env"

check 'none of them: nothing is run' '' "$(asked deps)"
check 'and it is said' 'missing: ncursesw libcjson; none of apt-get, dnf, pacman, apk, brew is here to install them' "$(grep -m 1 '^missing' "$folder/out")"
exit $failed
