// SPDX-License-Identifier: Apache-2.0
// `attnc help [COMMAND | warnings]`: what --help prints, or the names that -W takes.

#include <string.h>

#include "gen/command.h"
#include "gen/output.h"

static int print(struct command *c, const char *text) {
    return output_stdout(c->arena, c->diags, text, strlen(text)) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
}

int cmd_help(struct command *c) {
    if (c->options.args.len > 1) {
        return command_usage(c, "help takes at most one word", "attnc help [COMMAND | warnings]");
    }
    const char *word = c->options.args.len ? c->options.args.at[0] : NULL;
    if (word && strcmp(word, "warnings") == 0) {
        return print(c, options_help_warnings(c->arena));
    }
    int command = word ? 0 : COMMAND_COUNT;
    while (command < COMMAND_COUNT && strcmp(word, command_word((enum command_id)command)) != 0) {
        command++;
    }
    if (word && command == COMMAND_COUNT) {
        return command_usage(c, arena_printf(c->arena, "there is no help on `%s`", word),
                             "attnc help lists the commands, attnc help warnings the warnings");
    }
    return print(c, options_help(c->arena, (enum command_id)command));
}
