# ridge: one file, non-recursive. MODE=release|debug|asan|tsan chooses the build; WERROR=1 makes warnings errors.
# Flags that need pkg-config or the compiler are expanded late ("="), so that `make deps run` works where nothing is installed yet.
MODE    ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
B       := build/$(MODE)
DATADIR  = $(PREFIX)/share/ridge

PKGS     = ncursesw libcjson
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(shell pkg-config --libs $(PKGS) 2>/dev/null)
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
OPT_release = -O2 -g
OPT_debug   = -O0 -g
OPT_asan    = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT_tsan    = -O1 -g -fsanitize=thread
CFLAGS  += -std=c11 $(WARN) $(OPT_$(MODE)) -fno-common
CPPFLAGS += -I. -D_GNU_SOURCE -DRIDGE_DATADIR='"$(DATADIR)"'
LDLIBS   = $(PKG_LIBS) -lm -ldl -pthread
TEST_PKGS = cmocka vterm
TEST_LIBS = $(shell pkg-config --libs $(TEST_PKGS) 2>/dev/null)

ROOMS := model data kernels tui scenes app
SRC   := $(foreach r,$(ROOMS),$(wildcard $(r)/*.c))
OBJ   := $(SRC:%.c=$(B)/%.o)
LIB   := $(B)/libridge.a
TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/unit_*.c))
SUPPORT := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support_*.c))

all: ridge

ridge: $(B)/ridge
	@ln -f $< $@ 2>/dev/null || cp -f $< $@

$(B)/ridge: $(OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Instruction-set flags only on kernel files, one translation unit per instruction set, no link-time optimisation.
MACHINE = $(shell $(CC) -dumpmachine 2>/dev/null)
X86     = $(findstring x86_64,$(MACHINE))
$(B)/kernels/%.o: KFLAGS = -ffp-contract=fast
$(B)/kernels/isa_scalar.o: KFLAGS = -O3 -ffp-contract=fast -fno-tree-vectorize
$(B)/kernels/isa_sse2.o:   KFLAGS = -O3 -ffp-contract=fast
$(B)/kernels/isa_avx2.o:   KFLAGS = -O3 -ffp-contract=fast $(if $(X86),-mavx2 -mfma)
$(B)/kernels/isa_avx512.o: KFLAGS = -O3 -ffp-contract=fast $(if $(X86),-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
$(B)/kernels/isa_neon.o:   KFLAGS = -O3 -ffp-contract=fast

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) $(KFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(filter-out $(B)/app/main.o,$(OBJ))
	@rm -f $@
	ar rcs $@ $^

$(B)/libsupport.a: $(SUPPORT)
	@rm -f $@
	ar rcs $@ $^

$(B)/tests/unit_%: $(B)/tests/unit_%.o $(B)/libsupport.a $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

tests: $(TESTS)

clean:
	rm -rf build ridge

.PHONY: all tests clean
.SECONDARY:
-include $(OBJ:.o=.d) $(patsubst %,%.d,$(TESTS))
