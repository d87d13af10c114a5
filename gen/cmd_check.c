// SPDX-License-Identifier: Apache-2.0
// `attnc check FILE...`: everything that is wrong with each file and its deployments. Writes
// nothing. A file that several of them import is reported on once.

#include "gen/command.h"
#include "gen/planner.h"

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
    command_unite_places(c);
    return status;
}
