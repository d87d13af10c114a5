// SPDX-License-Identifier: Apache-2.0
// `attnc build FILE -o DIR`: plans the deployments of FILE, refuses what has no form in C, and
// writes the outputs of all of them at once. Always: with any error nothing is written. Files of an
// earlier build that this one does not write are left alone.

#include <string.h>

#include "gen/command.h"
#include "gen/depfile.h"
#include "gen/emit.h"
#include "gen/link.h"
#include "gen/mangle.h"
#include "gen/output.h"
#include "gen/planner.h"

struct build {
    struct command *command;
    struct program program;
    struct outputs outputs;
    VEC(struct plan) plans;           // of deployments without errors
    VEC(const struct decl *) planned; // the deployments of these
};

static const char *path_of(const struct build *b, const char *deploy, const char *suffix) {
    const char *dir = b->command->options.output;
    size_t len = strlen(dir);
    const char *slash = dir[len - 1] == '/' ? "" : "/";
    return arena_printf(b->command->arena, "%s%s%s%s", dir, slash, deploy, suffix);
}

static void check_name(const struct build *b, const struct decl *deploy) {
    const char *name = deploy->ast->name.text;
    if (strlen(name) > MANGLE_MAX) {
        struct diag *g = diag_add(b->command->diags, DIAG_A0802, deploy->ast->name.span,
                                  "the name of this deployment is too long for its files");
        diag_note_plain(b->command->diags, g, "it has %zu characters; limit is %d", strlen(name),
                        MANGLE_MAX);
    }
}

static bool needs_link(const struct options *o) {
    return o->emit[EMIT_TABLE] || o->emit[EMIT_HEADER] || o->emit[EMIT_KERNELS] ||
           o->emit[EMIT_SELFTEST];
}

static void plan_one(struct build *b, const struct decl *deploy) {
    struct plan plan;
    check_name(b, deploy);
    if (plan_deployment(&b->program, deploy, &(struct plan_options){0}, &plan) &&
        (!needs_link(&b->command->options) || link_check(&b->program, deploy, &plan))) {
        VEC_PUSH(b->command->arena, &b->plans, plan);
        VEC_PUSH(b->command->arena, &b->planned, deploy);
    }
}

// X(output, what follows the name, emitter)
#define FILES(X)                                                                                   \
    X(HEADER, ".h", emit_header(a, plan))                                                          \
    X(TABLE, ".c", emit_table(a, plan, json))                                                      \
    X(KERNELS, "_kernels.c", emit_kernels(a, plan))                                                \
    X(JSON, ".json", json)                                                                         \
    X(SELFTEST, "_selftest.c", emit_selftest(a, plan))

static void emit_one(struct build *b, const struct plan *plan) {
    const struct options *o = &b->command->options;
    struct arena *a = b->command->arena;
    const char *paths[EMIT_COUNT];
    size_t n = 0;
    const struct emitted json = emit_json(a, plan, false);
#define FILE_OF(id, suffix, emitter)                                                               \
    if (o->emit[EMIT_##id]) {                                                                      \
        struct emitted e = emitter;                                                                \
        paths[n] = path_of(b, plan->deploy, suffix);                                               \
        outputs_add(&b->outputs, paths[n++], e.text, e.len);                                       \
    }
    FILES(FILE_OF)
#undef FILE_OF
    if (o->given[OPTION_DEPFILE]) {
        struct text t = text_of(a);
        depfile_write(&t, b->command->diags, paths, n, b->command->sources);
        outputs_add(&b->outputs, path_of(b, plan->deploy, ".d"), text_string(&t), t.bytes.len);
    }
}

// Deployments `a` and `a_kernels` both have a file `a_kernels.c`.
static void check_files(const struct build *b) {
    const struct outputs *o = &b->outputs;
    size_t of_each = b->plans.len ? o->files.len / b->plans.len : 1;
    for (size_t i = 0; i < o->files.len; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(o->files.at[i].path, o->files.at[k].path) == 0) {
                struct diag *g = diag_add(b->command->diags, DIAG_A0803,
                                          b->planned.at[i / of_each]->ast->name.span,
                                          "two deployments write `%s`", o->files.at[i].path);
                diag_note(b->command->diags, g, b->planned.at[k / of_each]->ast->name.span,
                          "the other one");
            }
        }
    }
}

int cmd_build(struct command *c) {
    if (c->options.args.len != 1) {
        return command_usage(c, "build needs one file", "attnc build FILE -o DIR");
    }
    if (!c->options.output || !*c->options.output) {
        return command_usage(c, "build needs a directory to write to", "attnc build FILE -o DIR");
    }
    struct build b = {.command = c};
    const char *path = c->options.args.at[0];
    if (!command_load(c, path, &b.program)) {
        return EXIT_STATUS_IO;
    }
    struct decls deploys = command_deployments(c, &b.program);
    for (size_t i = 0; i < deploys.len; i++) {
        plan_one(&b, deploys.at[i]);
    }
    if (deploys.len == 0 && c->diags->errors == 0) {
        diag_add_global(c->diags, DIAG_A0805, "`%s` has no deployment: there is nothing to build",
                        options_map_path(&c->options, path));
    }
    outputs_init(&b.outputs, c->arena, c->diags);
    for (size_t i = 0; c->diags->errors == 0 && i < b.plans.len; i++) {
        emit_one(&b, &b.plans.at[i]);
    }
    check_files(&b);
    if (c->diags->errors > 0) {
        return EXIT_STATUS_INPUT;
    }
    return outputs_commit(&b.outputs) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
}
