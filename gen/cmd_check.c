// SPDX-License-Identifier: Apache-2.0
// `attnc check FILE...`: everything that is wrong with each file and its deployments. Writes
// nothing. A file that several of them import is reported on once.

#include "gen/command.h"
#include "gen/names.h"
#include "gen/planner.h"

// Each FILE is a compilation of its own and reads its imports again; what is said of one of those
// twice must have one place, so that it counts as a repeat.
static void unite_places(const struct command *c) {
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

int cmd_check(struct command *c) {
    if (c->options.args.len == 0) {
        return command_usage(c, "check needs at least one file", "attnc check FILE...");
    }
    int status = EXIT_STATUS_OK;
    for (size_t i = 0; i < c->options.args.len; i++) {
        struct program p;
        if (!command_load(c, c->options.args.at[i], &p)) {
            status = EXIT_STATUS_IO;
            continue;
        }
        struct decls deploys = command_deployments(c, &p);
        for (size_t k = 0; k < deploys.len; k++) {
            struct plan plan;
            plan_deployment(&p, deploys.at[k], &(struct plan_options){0}, &plan);
        }
    }
    unite_places(c);
    return status;
}
