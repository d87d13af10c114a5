// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share. A target is a file fuzz_NAME.c with fuzz_name and fuzz_one; it links
// with libFuzzer, with AFL++'s driver, or with replay.c, which runs the corpus as a test. In:
// bytes. Out: nothing, or a place of failure. Always: whatever a target finds wrong ends the
// process by FUZZ_ASSERT, so that every engine takes it for a crash.
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/diag_out.h"
#include "grammar/diag.h"

// One world for each input.
struct fuzz {
    struct arena arena;
    struct sources sources;
    struct diags diags;
};

// NAME of fuzz_NAME.c, under which its corpus stands.
extern const char fuzz_name[];
// One input, in the world that it may fill.
void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_ASSERT(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *condition);

// The input as a source text that ends with a NUL.
uint32_t fuzz_source(struct fuzz *f, const char *name, const uint8_t *data, size_t size);
// Every diagnostic has its place inside a source, and the text form prints something exactly when
// there is something to be said. Finishes the list; `failed` is what the pass returned.
void fuzz_check_diagnostics(struct fuzz *f, bool failed);
// The same of JSON Lines and SARIF, for a finished list: slower, and lexical errors are all alike.
void fuzz_check_forms(struct fuzz *f);

#endif
