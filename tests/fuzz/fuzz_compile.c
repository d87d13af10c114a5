// SPDX-License-Identifier: Apache-2.0
// The whole compiler, from text to every output: load, check, plan, explain, emit. A pass that
// fails has said why; a plan that is good becomes outputs of printable ASCII, twice the same.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "gen/emit.h"
#include "gen/explain.h"
#include "gen/link.h"
#include "gen/planner.h"
#include "gen/verdict.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "compile";

#define MAX_OPERATORS 2000 // a few digits can ask for a hundred thousand layers: that is no hang

static void check_output(struct emitted e, struct emitted again) {
    FUZZ_ASSERT(e.len > 0 && e.text[e.len - 1] == '\n' && strlen(e.text) == e.len);
    FUZZ_ASSERT(e.len == again.len && memcmp(e.text, again.text, e.len) == 0);
    for (size_t i = 0; i < e.len; i++) {
        FUZZ_ASSERT((e.text[i] >= ' ' && e.text[i] < 0x7f) || e.text[i] == '\n');
    }
}

static void emit_all(struct arena *a, const struct plan *plan) {
    check_output(emit_header(a, plan), emit_header(a, plan));
    const struct emitted json = emit_json(a, plan, false);
    check_output(emit_table(a, plan, json), emit_table(a, plan, json));
    check_output(emit_kernels(a, plan), emit_kernels(a, plan));
}

static void plan_one(struct fuzz *f, struct program *p, const struct decl *deploy) {
    struct plan plan;
    const size_t before = f->diags.errors;
    const bool good = plan_deployment(p, deploy, &(struct plan_options){.candidates = true}, &plan);
    FUZZ_ASSERT(good || f->diags.errors > 0);
    FUZZ_ASSERT(!good || f->diags.errors == before);
    if (!plan.has_deploy || plan.operators.len > MAX_OPERATORS) {
        return;
    }
    struct text t = text_of(&f->arena);
    explain_text(&t, &plan, &(struct explain_filter){0});
    check_output(emit_json(&f->arena, &plan, true), emit_json(&f->arena, &plan, true));
    if (!good) {
        return;
    }
    const bool links = link_check(p, deploy, &plan);
    FUZZ_ASSERT(links == (f->diags.errors == before));
    if (links && before == 0) {
        emit_all(&f->arena, &plan);
    }
}

static void compile(struct fuzz *f, const char *path) {
    struct program p;
    FUZZ_ASSERT(program_load(&p, &f->arena, &f->sources, &f->diags, path, NULL));
    check_library(&p);
    check_backends(&p);
    check_models(&p);
    for (size_t i = 0; i < p.decls[DECL_DEPLOY].len; i++) {
        if (!p.decls[DECL_DEPLOY].at[i]->poisoned) {
            plan_one(f, &p, p.decls[DECL_DEPLOY].at[i]);
        }
    }
    struct plan models;
    const bool good = plan_models(&p, &models);
    FUZZ_ASSERT(good || f->diags.errors > 0);
    fuzz_check_diagnostics(f, false);
    fuzz_check_forms(f);
}

void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size) {
    const int fd = memfd_create("input.attn", MFD_CLOEXEC);
    FUZZ_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    compile(f, arena_printf(&f->arena, "/proc/self/fd/%d", fd));
    close(fd);
}
