# Builds, checks and installs perfdata-tools.  `make help` lists the targets.
#
#	make SAN=address,undefined	sanitizers
#	make CC=clang WERROR=1 O=-O0	another compiler, strict, unoptimised
#
# Each compiler and sanitizer has its own directory under build/.

VERSION  := 0.1.0
SOVER    := 0

PREFIX   ?= /usr/local
BINDIR   ?= $(PREFIX)/bin
LIBDIR   ?= $(PREFIX)/lib
INCDIR   ?= $(PREFIX)/include
MANDIR   ?= $(PREFIX)/share/man
DATADIR  ?= $(PREFIX)/share

# Debian packages that the build, the tests and the demo need.
DEPS     := build-essential libdw-dev \
            libzstd-dev zlib1g-dev liblzma-dev libiberty-dev libxxhash-dev \
            libcurl4-openssl-dev \
            clang clang-format libclang-rt-14-dev \
            linux-perf openssl mandoc perl python3 bzip2 libarchive13 \
            python3-protobuf protobuf-compiler jq \
            libdebuginfod1 libdevel-nytprof-perl

ifeq ($(origin CC),default)
CC       := gcc
endif
O        ?= -O2
SAN      ?=
WERROR   ?=
COV      ?=
JOBS     ?= 2

B        := build/$(notdir $(CC))$(if $(SAN),-$(SAN))$(if $(COV),-coverage)

# The shared library exports what perfdata.h declares and nothing else (see
# $(B)/exports.map).
CFLAGS   ?= $(O) -g
FLAGS    := -std=c11 -D_GNU_SOURCE -DPD_VERSION='"$(VERSION)"' -Ilibperfdata \
            -Wall -Wextra $(CFLAGS) -fPIC -fvisibility=hidden \
            -fno-omit-frame-pointer $(if $(WERROR),-Werror) \
            $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all) \
            $(if $(COV),--coverage -O0)
# liblzma is seldom needed, and a shared library costs 60 us at every start.
LIBS     := -Wl,--as-needed -l:libiberty.a -l:liblzma.a -lzstd -lz -lm
# What only one tool needs: LIBS_pd-NAME.
LIBS_pd-push := -lcurl -pthread
LIBS_pd-diff := -pthread
LINK      = $(CC) $(FLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS) \
            $(LIBS_$(@F))

obj       = $(patsubst %.c,$(B)/obj/%.o,$(1))
# push/ is not part of the library, which needs no libcurl.
PUSHSRC  := $(wildcard libperfdata/push/*.c)
LIBSRC   := $(filter-out $(PUSHSRC),$(wildcard libperfdata/*/*.c))
TOOLS    := $(patsubst cmd/%.c,$(B)/bin/%,$(wildcard cmd/pd-*.c))
UNIT     := $(patsubst tests/unit/%.c,$(B)/tests/unit/%.t,$(wildcard tests/unit/*.c))
TESTBIN  := $(patsubst tests/tools/%.c,$(B)/tests/%,$(wildcard tests/tools/*.c)) \
            $(patsubst tests/fuzz/%.c,$(B)/tests/%,$(wildcard tests/fuzz/fuzz_*.c)) \
            $(B)/tests/failmalloc.so
LIB      := $(B)/libperfdata.a
SOLIB    := $(B)/libperfdata.so.$(SOVER)
PUSHLIB  := $(B)/obj/libpush.a
SRC      := $(LIBSRC) $(PUSHSRC) $(wildcard cmd/*.c tests/*.c tests/unit/*.c \
            tests/tools/*.c tests/fuzz/*.c)

# What the tests need to find; PD_SHARED holds recordings that are too large
# for this repository.
export PD_BIN    := $(abspath $(B))/bin
export PD_TESTS  := $(abspath $(B))/tests
export PD_SHARED ?= $(abspath ../shared)
export PD_SAN    := $(SAN)
export TESTDATA  := $(abspath testdata)
export CC

.PHONY: all tests check lint golden demo bench diff-study fuzz coverage deps install \
        uninstall clean help FORCE
.SECONDARY:
.DELETE_ON_ERROR:

all: $(TOOLS) $(LIB) $(SOLIB) $(B)/libperfdata.pc

help:
	@echo 'all       tools, libperfdata.a, libperfdata.so, libperfdata.pc'
	@echo 'demo      record a small program, cut a piece out and fold it'
	@echo 'check     build everything and run all tests (T="tests/x.t ..." for some)'
	@echo 'lint      only the tests of the source text and the man pages'
	@echo 'golden    rewrite the expected outputs under tests/cli'
	@echo 'bench     time and memory against other tools (large, slow)'
	@echo 'diff-study  what pd-diff says of runs whose truth is known'
	@echo 'fuzz      fuzz the readers for FUZZ_TIME seconds each (60)'
	@echo 'coverage  make check with gcov; one line a source file'
	@echo 'deps      install the Debian packages that are missing'
	@echo 'install   to PREFIX ($(PREFIX)), below DESTDIR'

# ---- compile and link -------------------------------------------------------

# With these goals, packages come before the first compilation.
NEED := $(if $(filter check demo,$(MAKECMDGOALS)),deps)

# Objects are rebuilt when the flags change.
$(B)/flags: FORCE | $(NEED)
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(CC) $(FLAGS))' | cmp -s - $@ || \
	    echo '$(subst ','\'',$(CC) $(FLAGS))' >$@

$(B)/obj/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -MMD -MP -c -o $@ $<

$(B)/obj/tests/%.o: FLAGS += -Itests

# Made anew: an archive must lose the objects of sources that are gone.
$(LIB): $(call obj,$(LIBSRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(PUSHLIB): $(call obj,$(PUSHSRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/exports.map: libperfdata/perfdata.h
	@mkdir -p $(@D)
	@{ echo 'PERFDATA_$(SOVER) { global:'; \
	   grep -o '\bpd_[a-z_0-9]*(' $< | sort -u | sed 's/(/;/'; \
	   echo 'local: *; };'; } >$@

$(SOLIB): $(call obj,$(LIBSRC)) $(B)/exports.map
	$(CC) $(FLAGS) $(LDFLAGS) -shared -Wl,-soname,$(notdir $@) \
	    -Wl,-Bsymbolic-functions -Xlinker --version-script=$(B)/exports.map \
	    -o $@ $(filter %.o,$^) $(LIBS)

define PC
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(INCDIR)

Name: libperfdata
Description: Read, select, symbolise and fold perf.data recordings
Version: $(VERSION)
Libs: -L$${libdir} -lperfdata
Libs.private: -liberty -llzma -lzstd -lz -lm
Cflags: -I$${includedir}
endef
export PC

$(B)/libperfdata.pc: FORCE
	@mkdir -p $(@D)
	@echo "$$PC" | cmp -s - $@ || echo "$$PC" >$@

$(B)/bin/pd-%: $(B)/obj/cmd/pd-%.o \
    $(call obj,$(filter-out cmd/pd-%,$(wildcard cmd/*.c))) $(PUSHLIB) $(LIB)
	@mkdir -p $(@D)
	$(LINK)

# ---- tests ------------------------------------------------------------------

TESTS    := $(sort $(wildcard tests/*.t tests/*/*.t)) $(UNIT)
T        ?= $(TESTS)
PROVE    := prove --exec '' -j$(JOBS) --timer

$(B)/tests/unit/%.t: $(B)/obj/tests/unit/%.o $(B)/obj/tests/pdbuild.o \
    $(PUSHLIB) $(LIB)
	@mkdir -p $(@D)
	$(LINK)

$(B)/tests/%: $(B)/obj/tests/tools/%.o $(B)/obj/tests/pdbuild.o $(LIB)
	@mkdir -p $(@D)
	$(LINK)

# Built by `make fuzz` these are fuzzers, else they replay the files they get.
FUZZER   := $(findstring fuzzer,$(SAN))
$(B)/tests/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(PUSHLIB) $(LIB) \
    $(if $(FUZZER),,$(B)/obj/tests/fuzz/replay.o)
	@mkdir -p $(@D)
	$(LINK) $(if $(FUZZER),-fsanitize=fuzzer)

# Preloaded into tools of any build, so without their sanitizers.
$(B)/tests/failmalloc.so: tests/fault/failmalloc.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra -O2 -fPIC -shared -o $@ $< -ldl

tests: all $(UNIT) $(TESTBIN)

check: tests | deps
	$(PROVE) $(T)

lint: all
	$(PROVE) $(wildcard tests/lint/*.t)

golden: all
	tests/cli/run.t --golden

bench: all
	tests/bench/bench.sh

diff-study: all
	PATH=$(PD_BIN):$$PATH tests/study/study.py $(PD_SHARED)/diff-runs

FUZZ_TIME ?= 60
fuzz:
	$(MAKE) tests CC=clang SAN=fuzzer-no-link,address,undefined
	tests/fuzz/fuzz.sh build/clang-fuzzer-no-link,address,undefined $(FUZZ_TIME)

coverage:
	find build/gcc-coverage -name '*.gcda' -delete 2>/dev/null || true
	-$(MAKE) check CC=gcc COV=1
	@cd build/gcc-coverage && for f in $(LIBSRC) $(wildcard cmd/*.c); do \
	    gcov -n obj/$${f%.c}.gcno 2>/dev/null | \
	    awk -v f="$$f" -F"[:%]" '/^File/ { ok = index($$0, f "\047") } \
	        ok && /^Lines/ { printf "%6.1f %%  %s\n", $$2, f; exit }'; \
	done

demo: all | deps
	@testdata/demo/demo.sh

# ---- packages ---------------------------------------------------------------

# Does nothing, quickly, when all are there; DEPS= on the command line skips it.
deps:
	@command -v dpkg-query >/dev/null || exit 0; \
	want="$(DEPS)"; missing=; \
	have=" $$(dpkg-query -W -f '$${db:Status-Status}:$${Package} ' $$want \
	    2>/dev/null) "; \
	for p in $$want; do \
		case "$$have" in *" installed:$$p "*) ;; *) missing="$$missing $$p";; esac; \
	done; \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" = 0 ]; then sudo=; \
	elif sudo -n true 2>/dev/null; then sudo=sudo; \
	else echo "missing packages; run:  sudo apt-get install$$missing" >&2; exit 1; \
	fi; \
	$$sudo apt-get update -q </dev/null && \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy \
	    --no-install-recommends $$missing </dev/null

# ---- install ----------------------------------------------------------------

D = $(DESTDIR)
install: all
	install -d $(D)$(BINDIR) $(D)$(LIBDIR)/pkgconfig $(D)$(INCDIR)
	install $(TOOLS) $(D)$(BINDIR)
	install -m 644 $(LIB) $(B)/libperfdata.so.$(SOVER) $(D)$(LIBDIR)
	ln -sf libperfdata.so.$(SOVER) $(D)$(LIBDIR)/libperfdata.so
	install -m 644 $(B)/libperfdata.pc $(D)$(LIBDIR)/pkgconfig
	install -m 644 libperfdata/perfdata.h $(D)$(INCDIR)
	for s in 1 3 7; do \
		for m in man/*.$$s; do \
			[ ! -e $$m ] || install -Dm 644 -t $(D)$(MANDIR)/man$$s $$m; \
		done; \
	done
	set -e; for t in $(TOOLS); do n=$${t##*/}; \
		install -d $(D)$(DATADIR)/bash-completion/completions \
		    $(D)$(DATADIR)/zsh/site-functions \
		    $(D)$(DATADIR)/fish/vendor_completions.d; \
		$$t --completion=bash >$(D)$(DATADIR)/bash-completion/completions/$$n; \
		$$t --completion=zsh >$(D)$(DATADIR)/zsh/site-functions/_$$n; \
		$$t --completion=fish >$(D)$(DATADIR)/fish/vendor_completions.d/$$n.fish; \
	done

uninstall:
	for n in $(notdir $(TOOLS)); do \
		rm -f $(D)$(BINDIR)/$$n \
		    $(D)$(DATADIR)/bash-completion/completions/$$n \
		    $(D)$(DATADIR)/zsh/site-functions/_$$n \
		    $(D)$(DATADIR)/fish/vendor_completions.d/$$n.fish; \
	done
	for m in $(notdir $(wildcard man/*.[137])); do \
		rm -f $(D)$(MANDIR)/man$${m##*.}/$$m; \
	done
	rm -f $(D)$(LIBDIR)/libperfdata.a $(D)$(LIBDIR)/libperfdata.so* \
	    $(D)$(LIBDIR)/pkgconfig/libperfdata.pc $(D)$(INCDIR)/perfdata.h

clean:
	rm -rf build demo.folded demo.svg

-include $(patsubst %.c,$(B)/obj/%.d,$(SRC))
