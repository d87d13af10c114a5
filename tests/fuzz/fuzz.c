// SPDX-License-Identifier: Apache-2.0
// The entry that engines call, and the checks that all targets share. See fuzz.h.
#define _POSIX_C_SOURCE 200809L
#include "tests/fuzz/fuzz.h"

#define MAX_ERRORS 20 // the compiler's default

void fuzz_fail(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: wrong: %s\n", file, line, condition);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz f = {.sources.arena = &f.arena,
                     .diags = {.arena = &f.arena, .sources = &f.sources}};
    jmp_buf out_of_memory;
    arena_init(&f.arena, &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        fuzz_one(&f, data, size);
    }
    arena_free(&f.arena);
    return 0;
}

uint32_t fuzz_source(struct fuzz *f, const char *name, const uint8_t *data, size_t size) {
    const char *text = arena_strndup(&f->arena, (const char *)data, size);
    return source_add(&f->sources, name, name, text, (uint32_t)size, false);
}

static void check_place(const struct fuzz *f, struct span at) {
    FUZZ_ASSERT(at.file < f->sources.files.len);
    FUZZ_ASSERT(at.begin <= at.end && at.end <= f->sources.files.at[at.file].len);
}

// The text form ends in a line and holds no control bytes of the input.
static void check_text(const struct fuzz *f) {
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    FUZZ_ASSERT(to != NULL);
    diag_render_text(&f->diags, &(struct diag_render){.max_errors = MAX_ERRORS}, to);
    fclose(to);
    FUZZ_ASSERT((len > 0) == (f->diags.list.len > 0));
    FUZZ_ASSERT(len == 0 || text[len - 1] == '\n');
    for (size_t i = 0; i < len; i++) {
        FUZZ_ASSERT((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t');
    }
    free(text);
}

static void check_ascii(const char *text, size_t len) {
    FUZZ_ASSERT(text[len] == '\0' && strlen(text) == len);
    for (size_t i = 0; i < len; i++) {
        FUZZ_ASSERT((text[i] >= ' ' && text[i] < 0x7f) || text[i] == '\n');
    }
}

void fuzz_check_diagnostics(struct fuzz *f, bool failed) {
    diag_finish(&f->diags);
    size_t errors = 0;
    for (size_t i = 0; i < f->diags.list.len; i++) {
        const struct diag *g = f->diags.list.at[i];
        errors += g->severity == DIAG_ERROR;
        FUZZ_ASSERT(g->message && *g->message);
        if (g->has_span) {
            check_place(f, g->span);
        }
        for (size_t k = 0; k < g->notes.len; k++) {
            if (g->notes.at[k].has_span) {
                check_place(f, g->notes.at[k].span);
            }
        }
    }
    FUZZ_ASSERT((errors > 0) == (f->diags.errors > 0));
    FUZZ_ASSERT(!failed || errors > 0);
    check_text(f);
}

void fuzz_check_forms(struct fuzz *f) {
    const struct diag_run run = {
        .max_errors = MAX_ERRORS, .subject = "input", .status = f->diags.errors > 0};
    size_t len;
    const char *text = diag_json(&f->arena, &f->diags, &run, &len);
    FUZZ_ASSERT((len > 0) == (f->diags.list.len > 0));
    check_ascii(text, len);
    text = diag_sarif(&f->arena, &f->diags, &run, &len);
    FUZZ_ASSERT(len > 0);
    check_ascii(text, len);
}
