// SPDX-License-Identifier: Apache-2.0
// For tests of the compiler's passes: a program from texts, files in a directory of its own, and
// what was reported. fixture_start, then fixture_load or fixture_text, at last fixture_end.
#ifndef TESTS_UNIT_PROGRAM_FIXTURE_H
#define TESTS_UNIT_PROGRAM_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/verdict.h"

struct fixture {
    jmp_buf out_of_memory;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct program program;
    char dir[64];
    struct load_options options;
};

static void fixture_start(struct fixture *f) {
    memset(f, 0, sizeof *f);
    if (setjmp(f->out_of_memory)) {
        printf("Bail out! out of memory\n");
        exit(1);
    }
    arena_init(&f->arena, &f->out_of_memory);
    f->sources.arena = &f->arena;
    f->diags.arena = &f->arena;
    f->diags.sources = &f->sources;
    strcpy(f->dir, "/tmp/attnc-test-XXXXXX");
    if (!mkdtemp(f->dir)) {
        printf("Bail out! no temporary directory\n");
        exit(1);
    }
}

static void fixture_end(struct fixture *f) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->dir);
    if (system(command) != 0) {
        printf("# could not remove %s\n", f->dir);
    }
    arena_free(&f->arena);
}

static const char *fixture_path(struct fixture *f, const char *name) {
    return arena_printf(&f->arena, "%s/%s", f->dir, name);
}

static void fixture_write(struct fixture *f, const char *name, const char *text) {
    FILE *to = fopen(fixture_path(f, name), "w");
    if (!to || fputs(text, to) < 0 || fclose(to) != 0) {
        printf("Bail out! cannot write %s\n", name);
        exit(1);
    }
}

// Messages show paths without the directory.
static const char *fixture_map(void *ctx, const char *path) {
    const struct fixture *f = ctx;
    size_t n = strlen(f->dir);
    return strncmp(path, f->dir, n) == 0 ? path + n + 1 : path;
}

static bool fixture_load(struct fixture *f, const char *name) {
    f->options.map_name = fixture_map;
    f->options.map_ctx = f;
    return program_load(&f->program, &f->arena, &f->sources, &f->diags, fixture_path(f, name),
                        &f->options);
}

// One file; then all checks of declarations.
__attribute__((unused)) static void fixture_text(struct fixture *f, const char *text) {
    fixture_write(f, "main.attn", text);
    fixture_load(f, "main.attn");
    check_library(&f->program);
    check_backends(&f->program);
    diag_finish(&f->diags);
}

// "A0301 3:7 unknown backend `x`; A0302 ..." in the order of reporting; helps after " -- ".
__attribute__((unused)) static const char *fixture_reported(struct fixture *f) {
    const char *text = "";
    diag_finish(&f->diags);
    for (size_t i = 0; i < f->diags.list.len; i++) {
        const struct diag *g = f->diags.list.at[i];
        struct position at = {0, 0};
        if (g->has_span) {
            at = source_position(&f->sources, g->span.file, g->span.begin);
        }
        text =
            arena_printf(&f->arena, "%s%s%s %u:%u %s", text, i ? "; " : "", diag_infos[g->code].id,
                         (unsigned)at.line, (unsigned)at.column, g->message);
        for (size_t j = 0; j < g->helps.len; j++) {
            text = arena_printf(&f->arena, "%s -- %s", text, g->helps.at[j]);
        }
    }
    return text;
}

#endif
