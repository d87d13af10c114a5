# SPDX-License-Identifier: Apache-2.0
# attnc: `make deps demo` does the main job, `make deps test` passes the tests, `make help` lists
# the rest. Everything built goes to $(BUILD); the source tree is never written.

BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
export LC_ALL := C
export TZ := UTC0

WARNINGS := -std=c11 -Wall -Wextra -Werror -pedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wvla -Werror=date-time
# The same objects in every directory; see docs/decisions.md.
REPRODUCIBLE = -ffile-prefix-map=$(CURDIR)=. -frandom-seed=$(@F)
INCLUDES := -I. -Iruntime/include -I$(BUILD)
COMPILE = $(CC) $(WARNINGS) $(REPRODUCIBLE) $(INCLUDES) $(CFLAGS) $(SANITIZE) -MMD -MP
ARFLAGS := rcD

# Sources by folder; every .c file of a folder belongs to its part.
GRAMMAR_C := $(sort $(wildcard grammar/*.c))
GEN_C := $(sort $(filter-out gen/main.c gen/embed.c,$(wildcard gen/*.c)))
CORE_C := $(sort $(wildcard runtime/core/*.c))
CPU_C := $(sort $(wildcard runtime/cpu/*.c))
GENERATED_C := $(BUILD)/grammar/lexer.c $(BUILD)/grammar/parser.c $(BUILD)/gen/library.c \
               $(BUILD)/gen/explanations.c
# std/NAME.attn = where it stands in the tree; the order is the order of import.
LIBRARY := std/kinds.attn=gen/std/kinds.attn std/capabilities.attn=gen/std/capabilities.attn \
           std/platforms.attn=gen/std/platforms.attn std/cpu.attn=runtime/cpu/cpu.attn \
           $(foreach f,$(wildcard runtime/cuda/cuda.attn gen/std/vllm.attn),std/$(notdir $f)=$f)

COMPILER_O := $(patsubst %.c,$(BUILD)/%.o,$(GRAMMAR_C) $(GEN_C)) $(GENERATED_C:.c=.o)
RUNTIME_O := $(patsubst %.c,$(BUILD)/%.o,$(CORE_C) $(CPU_C))

.PHONY: all deps demo test test-plain test-asan floor repro format format-check lint clean help
## make               build/attnc and build/libattn.a
all: $(BUILD)/attnc $(BUILD)/libattn.a

## make deps          install the Debian packages that are missing
PYTHON_PACKAGES := sarif-tools pydantic-sarif # they read SARIF logs in tests/sarif.t
PACKAGES := re2c lemon libjansson-dev gcc g++ clang make perl python3 python3-venv clang-format cppcheck shellcheck \
            gcc-multilib ninja-build libclang-rt-14-dev time faketime locales jq scdoc mandoc binutils util-linux diffutils findutils
deps:
	@.ci/deps $(PACKAGES)
	@test -x $(BUILD)/venv/bin/sarif || { python3 -m venv $(BUILD)/venv && \
	    $(BUILD)/venv/bin/pip -q install $(PYTHON_PACKAGES); } || \
	    echo "make deps: no Python packages; tests/sarif.t will skip what needs them"

# ---- generated sources: lemon leaves paths in its banner, so it runs on a relative name
$(BUILD)/grammar/lexer.c: grammar/lexer.re
	@mkdir -p $(@D)
	re2c -W -Werror --no-generation-date --no-version -i -o $@ $<
$(BUILD)/grammar/parser.c: grammar/parser.y
	@mkdir -p $(@D)
	cp $< $(@D)/parser.y
	cd $(@D) && lemon -l -q parser.y
$(BUILD)/grammar/parser.h: $(BUILD)/grammar/parser.c ;
$(BUILD)/grammar/lexer.o: $(BUILD)/grammar/parser.h
$(BUILD)/embed: gen/embed.c
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $<
$(BUILD)/gen/library.c: $(BUILD)/embed $(foreach l,$(LIBRARY),$(lastword $(subst =, ,$(l))))
	@mkdir -p $(@D)
	$(BUILD)/embed library $(LIBRARY) > $@.tmp && mv $@.tmp $@
CATALOGUE := $(sort $(wildcard gen/catalogue/*.md))
$(BUILD)/gen/explanations.c: $(BUILD)/embed $(CATALOGUE)
	@mkdir -p $(@D)
	$(BUILD)/embed catalogue $(foreach f,$(CATALOGUE),$(notdir $f)=$f) > $@.tmp && mv $@.tmp $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<
# Generated parsers: lemon's template raises warnings that are not ours.
$(BUILD)/%.o: $(BUILD)/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Wno-unused -Wno-unused-parameter -Wno-shadow -Wno-missing-prototypes -c -o $@ $<
$(patsubst %.c,$(BUILD)/%.o,$(GRAMMAR_C)): | $(BUILD)/grammar/parser.h

$(BUILD)/libattnc.a: $(COMPILER_O)
	rm -f $@ && $(AR) $(ARFLAGS) $@ $^
$(BUILD)/attnc: $(BUILD)/gen/main.o $(BUILD)/libattnc.a
	$(CC) $(SANITIZE) -o $@ $^ -ljansson
$(BUILD)/libattn.a: $(RUNTIME_O)
	rm -f $@ && $(AR) $(ARFLAGS) $@ $^

## make demo          a real Gemma-3 configuration, compiled and executed (examples/gemma3)
# On all processors unless told otherwise, and behind `deps` where both are asked for.
demo: | $(filter deps,$(MAKECMDGOALS))
	+$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) all
	+$(MAKE) --no-print-directory -C examples/gemma3 ATTN=$(CURDIR) ATTNC=$(abspath $(BUILD))/attnc \
	    ATTN_LIB=$(abspath $(BUILD))/libattn.a OUT=$(abspath $(BUILD))/demo run

# ---- tests: each tests/unit/NAME.c and tests/kernels/NAME.c is a program that prints TAP
UNIT_T := $(patsubst %.c,$(BUILD)/%.t,$(sort $(wildcard tests/unit/*.c)))
KERNEL_T := $(patsubst %.c,$(BUILD)/%.t,$(sort $(wildcard tests/kernels/test_*.c)))
ORACLE_O := $(patsubst %.c,$(BUILD)/%.o,$(sort $(filter-out $(wildcard tests/kernels/test_*.c),$(wildcard tests/kernels/*.c))))
$(BUILD)/tests/unit/%.t: $(BUILD)/tests/unit/%.o $(BUILD)/libattnc.a $(BUILD)/libattn.a
	$(CC) $(SANITIZE) -o $@ $^ -ljansson -lm
$(BUILD)/tests/kernels/%.t: $(BUILD)/tests/kernels/%.o $(ORACLE_O) $(BUILD)/libattn.a
	$(CC) $(SANITIZE) -o $@ $^ -lm

include tests/fuzz/fuzz.mk

# The sweep's instances, in parts that compile at once; slow builds keep a share of the product.
SWEEP_PARTS := 0 1 2 3 4 5 6 7
SWEEP_STEP := $(if $(SANITIZE),5,1)
SWEEP_O := $(SWEEP_PARTS:%=$(BUILD)/tests/sweep_%.o)
$(BUILD)/tests/sweep_%.c: tests/kernels/sweep.awk
	@mkdir -p $(@D)
	awk -v PART=$* -v PARTS=$(words $(SWEEP_PARTS)) -v STEP=$(SWEEP_STEP) -f $< > $@.tmp && mv $@.tmp $@
$(BUILD)/tests/sweep_%.o: $(BUILD)/tests/sweep_%.c
	$(COMPILE) -Og -g0 -c -o $@ $<
$(BUILD)/tests/kernels/test_sweep.t: $(SWEEP_O)

# prove runs programs and scripts alike; the scripts find the compiler through BUILD and CC.
JOBS ?= 2
# Fewer test points than these mean that something was skipped or lost: `make floor`, `.ci/run`.
TEST_FLOOR := 7800
# These build with the compilers themselves: once is enough.
PLAIN_T := tests/repro.t tests/agreement.t tests/selftest.t
SCRIPT_T := tests/golden/run $(sort $(filter-out $(PLAIN_T),$(wildcard tests/*.t)) $(wildcard tests/cases/*.t)) $(sort $(wildcard tests/models/*.t) $(wildcard tests/vllm/*.t))
PROVE = BUILD=$(BUILD) CC="$(CC)" bash -o pipefail -c 'prove -e "" -j$(JOBS) $(1) | tee $(BUILD)/test.log'

## make test          everything below, then the same with ASan and UBSan
test: test-plain test-asan
test-plain: all $(UNIT_T) $(KERNEL_T) $(FUZZ_T) $(BUILD)/clang/attnc
	$(call PROVE,$(UNIT_T) $(KERNEL_T) $(FUZZ_T) $(SCRIPT_T) $(PLAIN_T))
# Sanitizers see through snprintf's checks and warn of what cannot be.
test-asan:
	+$(MAKE) BUILD=$(BUILD)/asan SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' \
	    CFLAGS='-O1 -g -Wno-format-truncation' test-sanitized
.PHONY: test-sanitized
test-sanitized: all $(UNIT_T) $(KERNEL_T) $(FUZZ_T)
	$(call PROVE,$(UNIT_T) $(KERNEL_T) $(FUZZ_T) $(SCRIPT_T))

floor:
	@tail -n 3 $(BUILD)/test.log $(BUILD)/asan/test.log
	@for log in $(BUILD)/test.log $(BUILD)/asan/test.log; do \
	    n=$$(sed -n 's/.*Tests=\([0-9]*\).*/\1/p' $$log); \
	    test "$${n:-0}" -ge $(TEST_FLOOR) || { echo "$$log: $${n:-0} tests, at least $(TEST_FLOOR) wanted" >&2; exit 1; }; \
	done

## make repro         the same bytes from other folders, locales, times, users and compilers
repro: all $(BUILD)/clang/attnc
	$(call PROVE,tests/repro.t)
$(BUILD)/clang/attnc: FORCE
	+$(MAKE) BUILD=$(BUILD)/clang CC=clang $@
.PHONY: FORCE
FORCE: ;

## make diagnostics   docs/diagnostics.md, from the table of codes and gen/catalogue
diagnostics: $(BUILD)/attnc
	$(BUILD)/attnc --print diagnostics > docs/diagnostics.md
.PHONY: diagnostics

# ---- manual pages and completions, from the rows of gen/options.h; scdoc dates a page by this
COMPLETIONS := $(BUILD)/completions/attnc.bash $(BUILD)/completions/_attnc $(BUILD)/completions/attnc.fish
MANUALS := $(BUILD)/man/attnc.1 $(BUILD)/man/attn.5
$(BUILD)/completions/attnc.bash: PRINT := bash
$(BUILD)/completions/_attnc: PRINT := zsh
$(BUILD)/completions/attnc.fish: PRINT := fish
$(COMPLETIONS): $(BUILD)/attnc
	@mkdir -p $(@D)
	$(BUILD)/attnc --print $(PRINT) > $@
MAN_PAGE = SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-0} scdoc | awk -f docs/man/tidy.awk
$(BUILD)/man/attnc.1: docs/man/attnc.1.scd docs/man/tidy.awk $(BUILD)/attnc
	@mkdir -p $(@D)
	$(BUILD)/attnc --print man > $@.options
	sed -e '/^@OPTIONS@$$/{r $@.options' -e 'd;}' -e '/^;/d' $< | $(MAN_PAGE) > $@
	rm $@.options
$(BUILD)/man/attn.5: docs/man/attn.5.scd docs/man/tidy.awk
	@mkdir -p $(@D)
	sed '/^;/d' $< | $(MAN_PAGE) > $@
$(BUILD)/attn.pc: Makefile gen/version.h
	@mkdir -p $(@D)
	version=$$(sed -n 's/^#define ATTNC_VERSION "\(.*\)"/\1/p' gen/version.h) && printf '%s\n' \
	    'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'libdir=$${prefix}/lib' '' 'Name: attn' \
	    'Description: runtime of attnc, the attention compiler' "Version: $$version" \
	    'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lattn -lm' > $@
## make docs          manual pages and shell completions in $(BUILD)
docs: $(MANUALS) $(COMPLETIONS)

## make install       to $(DESTDIR)$(PREFIX): compiler, runtime, headers, manual, completions
INSTALLED := $(DESTDIR)$(PREFIX)
HEADERS := $(wildcard runtime/include/attn/*.h)
KERNEL_HEADERS := $(wildcard runtime/include/attn/kernels/*.h runtime/include/attn/kernels/*.inc)
install: all docs $(BUILD)/attn.pc
	install -D -m 755 $(BUILD)/attnc $(INSTALLED)/bin/attnc
	install -D -m 644 $(BUILD)/libattn.a $(INSTALLED)/lib/libattn.a
	install -D -m 644 $(BUILD)/attn.pc $(INSTALLED)/lib/pkgconfig/attn.pc
	install -d $(INSTALLED)/include/attn/kernels
	install -m 644 $(HEADERS) $(INSTALLED)/include/attn
	install -m 644 $(KERNEL_HEADERS) $(INSTALLED)/include/attn/kernels
	install -D -m 644 $(BUILD)/man/attnc.1 $(INSTALLED)/share/man/man1/attnc.1
	install -D -m 644 $(BUILD)/man/attn.5 $(INSTALLED)/share/man/man5/attn.5
	install -D -m 644 $(BUILD)/completions/attnc.bash $(INSTALLED)/share/bash-completion/completions/attnc
	install -D -m 644 $(BUILD)/completions/_attnc $(INSTALLED)/share/zsh/site-functions/_attnc
	install -D -m 644 $(BUILD)/completions/attnc.fish $(INSTALLED)/share/fish/vendor_completions.d/attnc.fish
.PHONY: docs install

## make format        clang-format every C file; format-check only looks
FORMATTED = $(shell find grammar gen runtime tests bench examples -path tests/golden -prune -o \
    '(' -name '*.[ch]' -o -name '*.inc' ')' -print | sort)
format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run -Werror $(FORMATTED)

## make lint          cppcheck over the C files, shellcheck over the scripts
# Workspaces are bytes that kernels cast, and cppcheck takes the terminator that assert looks at for
# a limit. Tests are left to the compilers and sanitizers: it takes their tables for uninitialised.
CPPCHECK_OFF := --suppress=invalidPointerCast --suppress=arrayIndexThenCheck
lint:
	cppcheck -q -j$(JOBS) --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 $(CPPCHECK_OFF) -I. -Iruntime/include grammar gen runtime
	shellcheck -x -S warning -P SCRIPTDIR .ci/deps .ci/run tests/tap.sh tests/cases/lib.sh \
	    $(shell grep -l "^#!/bin/.*sh" tests/*.t tests/*/*.t)

## make clean         remove $(BUILD)
clean:
	rm -rf $(BUILD)
help:
	@sed -n 's/^## //p' $(filter Makefile %.mk,$(MAKEFILE_LIST))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.SECONDARY:
