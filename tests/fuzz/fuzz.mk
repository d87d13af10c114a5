# SPDX-License-Identifier: Apache-2.0
# Fuzzing, included by the Makefile. Every tests/fuzz/fuzz_NAME.c is one target, with its corpus in
# tests/fuzz/corpus/NAME. `make test` replays the corpora; `make fuzz` searches on from them.

FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_T := $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/%.t)
FUZZ_COMMON := $(BUILD)/tests/fuzz/fuzz.o $(BUILD)/libattnc.a

$(FUZZ_T): $(BUILD)/tests/fuzz/%.t: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(FUZZ_COMMON)
	$(CC) $(SANITIZE) -o $@ $^ -ljansson
$(BUILD)/tests/fuzz/dictionary: $(BUILD)/tests/fuzz/dictionary.o $(BUILD)/libattnc.a
	$(CC) $(SANITIZE) -o $@ $^ -ljansson
$(BUILD)/fuzz.dict: $(BUILD)/tests/fuzz/dictionary
	$< >$@.tmp && mv $@.tmp $@

# ---- with an engine: $(ENGINE) gives the main function
FUZZERS := $(FUZZ_NAMES:%=$(BUILD)/fuzz_%)
$(FUZZERS): $(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_COMMON)
	$(CC) $(SANITIZE) $(ENGINE) -o $@ $^ -ljansson
.PHONY: fuzzers fuzz fuzz-afl
fuzzers: $(FUZZERS) $(BUILD)/fuzz.dict

## make fuzz          libFuzzer on every target, FUZZ_SECONDS (60) each; FUZZ="NAME..." picks
FUZZ_SECONDS ?= 60
FUZZ ?= $(FUZZ_NAMES)
FUZZ_CHECKS := address,undefined
# Tracing of comparisons halves the speed; the dictionary and the hooks on memcmp and strcmp serve.
fuzz:
	+$(MAKE) BUILD=$(BUILD)/fuzz CC=clang CFLAGS='-O1 -g' fuzzers \
	    SANITIZE='-fsanitize=fuzzer-no-link,$(FUZZ_CHECKS) -fno-sanitize-recover=all \
	        -fno-sanitize-coverage=trace-cmp' \
	    ENGINE='-fsanitize=fuzzer,$(FUZZ_CHECKS)'
	tests/fuzz/run libfuzzer $(BUILD)/fuzz $(FUZZ_SECONDS) $(FUZZ)

## make fuzz-afl      the same with AFL++ (Debian package afl++), where it is installed
fuzz-afl:
	@if command -v afl-clang-fast >/dev/null; then \
	    $(MAKE) BUILD=$(BUILD)/afl CC=afl-clang-fast CFLAGS='-O1 -g' ENGINE=-fsanitize=fuzzer fuzzers && \
	    tests/fuzz/run afl $(BUILD)/afl $(FUZZ_SECONDS) $(FUZZ); \
	else echo "fuzz-afl: SKIP afl-clang-fast is not installed (Debian package afl++)"; fi
