// SPDX-License-Identifier: Apache-2.0
// `attnc export vllm FILE [--deploy NAME] [-o FILE]`: what another engine's configuration would say
// instead of a deployment.
#include <string.h>

#include "gen/export_vllm.h"

int cmd_export(struct command *c) {
    const struct options *o = &c->options;
    const char *usage = "attnc export vllm FILE [--deploy NAME] [-o FILE]";
    if (o->args.len == 0) {
        return command_usage(c, "export needs a format and a file", usage);
    }
    if (strcmp(o->args.at[0], "vllm") != 0) {
        return command_usage(
            c, arena_printf(c->arena, "export does not know the format `%s`", o->args.at[0]),
            usage);
    }
    if (o->args.len != 2) {
        return command_usage(c, "export vllm takes one file", usage);
    }
    return export_vllm(c, o->args.at[1]);
}
