# SPDX-License-Identifier: Apache-2.0
# attnc: `make deps demo` does the main job, `make deps test` passes the tests, `make help` lists
# the rest. Everything built goes to $(BUILD); the source tree is never written.

BUILD ?= build
CC ?= gcc
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
GENERATED_C := $(BUILD)/grammar/lexer.c $(BUILD)/grammar/parser.c $(BUILD)/gen/library.c
# std/NAME.attn = where it stands in the tree; the order is the order of import.
LIBRARY := std/kinds.attn=gen/std/kinds.attn std/capabilities.attn=gen/std/capabilities.attn \
           std/platforms.attn=gen/std/platforms.attn std/cpu.attn=runtime/cpu/cpu.attn \
           $(patsubst runtime/cuda/%,std/%=runtime/cuda/%,$(wildcard runtime/cuda/cuda.attn)) \
           $(patsubst gen/std/%,std/%=gen/std/%,$(wildcard gen/std/vllm.attn))

COMPILER_O := $(patsubst %.c,$(BUILD)/%.o,$(GRAMMAR_C) $(GEN_C)) $(GENERATED_C:.c=.o)
RUNTIME_O := $(patsubst %.c,$(BUILD)/%.o,$(CORE_C) $(CPU_C))

.PHONY: all deps demo test clean help format lint repro
all: $(BUILD)/attnc $(BUILD)/libattn.a

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
	$(BUILD)/embed $(LIBRARY) > $@.tmp && mv $@.tmp $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<
# Generated parsers: lemon's template raises warnings that are not ours.
$(BUILD)/%.o: $(BUILD)/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Wno-unused -Wno-shadow -Wno-missing-prototypes -c -o $@ $<
$(patsubst %.c,$(BUILD)/%.o,$(GRAMMAR_C)): | $(BUILD)/grammar/parser.h

$(BUILD)/libattnc.a: $(COMPILER_O)
	rm -f $@ && $(AR) $(ARFLAGS) $@ $^
$(BUILD)/attnc: $(BUILD)/gen/main.o $(BUILD)/libattnc.a
	$(CC) $(SANITIZE) -o $@ $^ -ljansson
$(BUILD)/libattn.a: $(RUNTIME_O)
	rm -f $@ && $(AR) $(ARFLAGS) $@ $^

# ---- tests: each tests/unit/NAME.c and tests/kernels/NAME.c is a program that prints TAP
UNIT_T := $(patsubst %.c,$(BUILD)/%.t,$(sort $(wildcard tests/unit/*.c)))
KERNEL_T := $(patsubst %.c,$(BUILD)/%.t,$(sort $(wildcard tests/kernels/test_*.c)))
ORACLE_O := $(patsubst %.c,$(BUILD)/%.o,$(sort $(filter-out $(wildcard tests/kernels/test_*.c),$(wildcard tests/kernels/*.c))))
$(BUILD)/tests/unit/%.t: $(BUILD)/tests/unit/%.o $(BUILD)/libattnc.a $(BUILD)/libattn.a
	$(CC) $(SANITIZE) -o $@ $^ -ljansson -lm
$(BUILD)/tests/kernels/%.t: $(BUILD)/tests/kernels/%.o $(ORACLE_O) $(BUILD)/libattn.a
	$(CC) $(SANITIZE) -o $@ $^ -lm

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.SECONDARY:
