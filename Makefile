# ridge: one file, non-recursive but for the second build that the tests need.
#   make            the program, at ./ridge            make test    every test
#   make deps run   install what is missing, start     make bench   targets and rates, measured
#   make install    PREFIX=/usr/local DESTDIR= STRIP=1 make uninstall
# MODE=release|debug|asan|tsan chooses the build; WERROR=1 makes warnings errors; V=1 shows the commands.
# What asks pkg-config or the compiler is expanded late ("="), so that `make deps run` works where nothing is installed yet.
MODE    ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
B       := build/$(MODE)
DATADIR  = $(PREFIX)/share/ridge
ARGS    ?=
Q        = $(if $(V),,@)

PKGS     = ncursesw libcjson
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(shell pkg-config --libs $(PKGS) 2>/dev/null)
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
OPT_release = -O2 -g
OPT_debug   = -O0 -g
# Line numbers are all that a sanitizer tells of: with more, every test program takes twice as long to link.
OPT_asan    = -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT_tsan    = -O1 -g -fsanitize=thread
CFLAGS  += -std=c11 $(WARN) $(OPT_$(MODE)) -fno-common
CPPFLAGS += -I. -D_GNU_SOURCE
LDLIBS   = $(PKG_LIBS) -lm -ldl -pthread
TEST_PKGS = cmocka vterm
TEST_LIBS = $(shell pkg-config --libs $(TEST_PKGS) 2>/dev/null)

ROOMS := model data kernels tui scenes app
SRC   := $(foreach r,$(ROOMS),$(wildcard $(r)/*.c))
OBJ   := $(SRC:%.c=$(B)/%.o)
LIB   := $(B)/libridge.a
TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/unit_*.c))
SUPPORT := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support_*.c))

# Use the cores there are, or JOBS; but `make clean all` goes in order.
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

all: ridge

ridge: $(B)/ridge
	@ln -f $< $@ 2>/dev/null || cp -f $< $@

$(B)/ridge: $(OBJ)
	@echo "  link $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Instruction-set flags only on kernel files, one translation unit per instruction set, no link-time optimisation.
MACHINE = $(shell $(CC) -dumpmachine 2>/dev/null)
X86     = $(findstring x86_64,$(MACHINE))
# Full effort only where speed is what is proved: under a sanitizer it makes the compiler slow and proves nothing more.
# Sanitized, their addresses are watched and their arithmetic is not: that alone tripled the time to compile them. The widest one takes the
# compiler longest and runs on the fewest machines; the tests themselves are not what is to be fast.
KOPT_release = -O3
KOPT_debug   = -O0
KOPT_asan    = -O1 -fno-sanitize=undefined
KOPT_tsan    = -O1
KOPT         = $(KOPT_$(MODE))
KOPT_512     = $(if $(filter asan,$(MODE)),-O0 -fno-sanitize=undefined,$(KOPT))
$(B)/tests/%.o: KFLAGS = $(if $(filter asan,$(MODE)),-O0)
$(B)/kernels/%.o: KFLAGS = -ffp-contract=fast
$(B)/kernels/isa_scalar.o: KFLAGS = $(KOPT) -ffp-contract=fast -fno-tree-vectorize
$(B)/kernels/isa_sse2.o:   KFLAGS = $(KOPT) -ffp-contract=fast
$(B)/kernels/isa_avx2.o:   KFLAGS = $(KOPT) -ffp-contract=fast $(if $(X86),-mavx2 -mfma)
$(B)/kernels/isa_avx512.o: KFLAGS = $(KOPT_512) -ffp-contract=fast $(if $(X86),-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
$(B)/kernels/isa_neon.o:   KFLAGS = $(KOPT) -ffp-contract=fast

$(B)/%.o: %.c $(B)/flags | need
	@mkdir -p $(@D)
	@echo "  $(MODE) $<"
	$(Q)$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) $(KFLAGS) -MMD -MP -c -o $@ $<

# The one file that knows where `make install` puts the data is compiled again when that changes.
$(B)/app/home.o: KFLAGS = -DRIDGE_DATADIR='"$(DATADIR)"'
$(B)/app/home.o: $(B)/datadir

# Two files that change when what they hold changes: the flags everything is compiled with, and the place of the data.
$(B)/flags: export NOW = $(CC) $(CPPFLAGS) $(filter-out -Werror,$(CFLAGS)) $(KOPT) $(MACHINE) $(shell grep -E "KFLAGS|KOPT" Makefile | cksum)
$(B)/datadir: export NOW = $(DATADIR)
$(B)/flags $(B)/datadir: always | need
	@mkdir -p $(@D)
	@echo "$$NOW" | cmp -s - $@ || echo "$$NOW" > $@

$(LIB): $(filter-out $(B)/app/main.o,$(OBJ))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/libsupport.a: $(SUPPORT)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/tests/unit_%: $(B)/tests/unit_%.o $(B)/libsupport.a $(LIB)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

$(B)/tests/bench_%: $(B)/tests/bench_%.o $(B)/libsupport.a $(LIB)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS) -lutil

tests: $(TESTS)

# Every test program runs sanitized. Those that prove what the compiler's optimising could break (a line "// as shipped too") run from the
# release build as well, and those that a sanitizer teaches nothing (a line "// as shipped only") from that alone; `make tests` builds them
# all in MODE, and tests/run.sh runs one that is named.
SHIPPED   = $(patsubst tests/%.c,$(B)/tests/%,$(shell grep -lE '^// as shipped (too|only)' tests/unit_*.c))
SANITIZED = $(patsubst tests/%.c,$(B)/tests/%,$(shell grep -LE '^// as shipped only' tests/unit_*.c))
shipped: $(SHIPPED)
watched: $(SANITIZED)

run: ridge
	@./ridge $(ARGS)

# Both builds at once: where one waits for its last file the other goes on.
sanitized:
	@$(MAKE) --no-print-directory MODE=asan watched build/asan/ridge
test: ridge shipped sanitized
	@bash tests/run.sh

bench: ridge $(B)/tests/bench_screen $(B)/tests/bench_blas $(B)/tests/bench_roof
	@bash tests/bench.sh

install: ridge
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(if $(STRIP),-s) $(B)/ridge $(DESTDIR)$(PREFIX)/bin/ridge
	cd data && for f in */*.json; do install -d "$(DESTDIR)$(DATADIR)/$${f%/*}" && install -m 644 "$$f" "$(DESTDIR)$(DATADIR)/$$f" || exit 1; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ridge
	rm -rf $(DESTDIR)$(DATADIR)

clean:
	rm -rf build ridge

# ---- What must be installed, and its package on each kind of system ----
WANTED = cc pkg-config $(PKGS) $(if $(filter test tests bench,$(MAKECMDGOALS)),$(TEST_PKGS) tmux bash)
MANAGER := $(firstword $(foreach m,apt-get dnf pacman apk brew,$(if $(shell command -v $(m) 2>/dev/null),$(m))))

apt-get_cc         = gcc libc6-dev
apt-get_pkg-config = pkg-config
apt-get_ncursesw   = libncurses-dev
apt-get_libcjson   = libcjson-dev
apt-get_cmocka     = libcmocka-dev
apt-get_vterm      = libvterm-dev
apt-get_tmux       = tmux
apt-get_qemu       = qemu-user
apt-get_bash       = bash
dnf_cc             = gcc
dnf_pkg-config     = pkgconf-pkg-config
dnf_ncursesw       = ncurses-devel
dnf_libcjson       = cjson-devel
dnf_cmocka         = libcmocka-devel
dnf_vterm          = libvterm-devel
dnf_tmux           = tmux
dnf_bash           = bash
pacman_cc          = gcc
pacman_pkg-config  = pkgconf
pacman_ncursesw    = ncurses
pacman_libcjson    = cjson
pacman_cmocka      = cmocka
pacman_vterm       = libvterm
pacman_tmux        = tmux
pacman_bash        = bash
apk_cc             = gcc musl-dev linux-headers
apk_pkg-config     = pkgconf
apk_ncursesw       = ncurses-dev
apk_libcjson       = cjson-dev
apk_cmocka         = cmocka-dev
apk_vterm          = libvterm-dev
apk_tmux           = tmux
apk_bash           = bash
brew_cc            = gcc
brew_pkg-config    = pkg-config
brew_ncursesw      = ncurses
brew_libcjson      = cjson
brew_cmocka        = cmocka
brew_vterm         = libvterm
brew_tmux          = tmux
brew_bash          = bash

SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
apt-get_advice = apt-get install
dnf_advice     = dnf install
pacman_advice  = pacman -S
apk_advice     = apk add
brew_advice    = brew install
apt-get_install = $(SUDO) apt-get update && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends
dnf_install     = $(SUDO) dnf install -y
pacman_install  = $(SUDO) pacman -S --needed --noconfirm
apk_install     = $(SUDO) apk add
brew_install    = brew install

has     = $(if $(filter cc tmux bash pkg-config,$(1)),command -v $(if $(filter cc,$(1)),$(CC),$(1)),pkg-config --exists $(1)) >/dev/null 2>&1
missing = $(strip $(foreach w,$(WANTED),$(if $(shell $(call has,$(w)) && echo yes),,$(w))))
package = $(strip $(foreach w,$(1),$($(MANAGER)_$(w))))

# What a test can do without, saying that it was skipped: `make deps test` installs it where it has a package here.
extra   = $(if $(X86),$(if $(filter test,$(MAKECMDGOALS)),$(if $($(MANAGER)_qemu),$(if $(shell command -v qemu-x86_64 2>/dev/null),,qemu))))

deps:
	@missing='$(strip $(missing) $(extra))'; if [ -z "$$missing" ]; then echo 'nothing is missing'; \
	elif [ -z '$(MANAGER)' ]; then echo "missing: $$missing; none of apt-get, dnf, pacman, apk, brew is here to install them" >&2; exit 1; \
	else $(or $($(MANAGER)_install),false) $(call package,$(missing) $(extra)); fi

# Before anything is compiled: say what is missing, and what to type.
need: $(if $(filter deps,$(MAKECMDGOALS)),deps)
	@missing='$(missing)'; [ -z "$$missing" ] || { echo "ridge cannot be built, missing: $$missing" >&2; \
	$(if $(MANAGER),echo 'type: $(strip make deps $(MAKECMDGOALS))   (or: $(strip $(SUDO) $($(MANAGER)_advice)) $(call package,$(missing)))' >&2;) exit 1; }

.PHONY: all tests shipped watched sanitized run test bench install uninstall clean deps need always
.SECONDARY:
-include $(OBJ:.o=.d) $(patsubst %,%.d,$(TESTS)) $(SUPPORT:.o=.d)
