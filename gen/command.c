// SPDX-License-Identifier: Apache-2.0
// What commands share: usage errors, reading a file, picking deployments. In: a command. Out: a
// checked program, its deployments. Always: everything that is wrong is reported before anything
// is written.

#include "gen/command.h"

#include <stdlib.h>
#include <string.h>

#include "gen/foreign.h"
#include "gen/names.h"
#include "gen/planner.h"
#include "gen/verdict.h"

int command_usage(struct command *c, const char *message, const char *help) {
    c->usage = message;
    c->usage_help = help;
    return EXIT_STATUS_USAGE;
}

bool command_load(struct command *c, const char *path, struct program *p) {
    struct load_options options = {
        .include_dirs = c->options.include_dirs.at,
        .n_include_dirs = c->options.include_dirs.len,
        .map_name = options_map_path,
        .map_ctx = &c->options,
        .library_dir = c->options.library,
    };
    foreign_environment(c->diags, getenv);
    if (!program_load(p, c->arena, c->sources, c->diags, path, &options)) {
        return false;
    }
    check_library(p);
    check_backends(p);
    check_models(p);
    return true;
}

static struct decls deployments_of(const struct program *p) {
    struct decls all = {0};
    const struct decls *deploys = &p->decls[DECL_DEPLOY];
    for (size_t i = 0; i < deploys->len; i++) {
        if (deploys->at[i]->file == p->main_file->file) {
            VEC_PUSH(p->arena, &all, deploys->at[i]);
        }
    }
    return all;
}

struct decls command_deployments(struct command *c, const struct program *p) {
    struct decls all = deployments_of(p), picked = {0};
    const char *wanted = c->options.deploy;
    bool found = false;
    const char **names = ARENA_ARRAY(c->arena, const char *, all.len + 1);
    for (size_t i = 0; i < all.len; i++) {
        names[i] = all.at[i]->ast->name.text;
        bool match = !wanted || strcmp(wanted, names[i]) == 0;
        found = found || match;
        if (match && !all.at[i]->poisoned) {
            VEC_PUSH(c->arena, &picked, all.at[i]);
        }
    }
    if (wanted && !found) {
        struct diag *g = diag_add_global(c->diags, DIAG_A0806, "`%s` has no deployment `%s`",
                                         p->sources->files.at[p->main_file->file].name, wanted);
        const char *near = diag_nearest(c->arena, wanted, names, all.len);
        if (near) {
            diag_help(c->diags, g, "a deployment named `%s` exists", near);
        }
    }
    return picked;
}

void command_unite_places(const struct command *c) {
    size_t n = c->sources->files.len;
    uint32_t *first = ARENA_ARRAY(c->arena, uint32_t, n + 1); // source of the same name
    struct name_table names = {.arena = c->arena};
    for (uint32_t i = 0; i < n; i++) {
        const char *name = c->sources->files.at[i].name;
        const uint32_t *earlier = name_get(&names, name);
        first[i] = earlier ? *earlier : i;
        if (!earlier) {
            name_set(&names, name, &first[i]);
        }
    }
    for (size_t i = 0; i < c->diags->list.len; i++) {
        struct diag *g = c->diags->list.at[i];
        if (g->has_span) {
            g->span.file = first[g->span.file];
        }
    }
}
