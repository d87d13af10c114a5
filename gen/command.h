// SPDX-License-Identifier: Apache-2.0
// What a command gets and gives. main.c makes one, reads the command line and calls the command;
// afterwards it sorts and prints the diagnostics and frees the arena. A command writes to stdout
// only what was asked for (output_stdout), reports through `diags`, and returns an exit status.
// Errors reported with EXIT_STATUS_OK become EXIT_STATUS_INPUT in main.
#ifndef GEN_COMMAND_H
#define GEN_COMMAND_H

#include "gen/options.h"
#include "grammar/source.h"

// X(enumerator, value): pinned, users test for them.
#define EXIT_STATUSES(X)                                                                           \
    X(OK, 0)                                                                                       \
    X(INPUT, 1)                                                                                    \
    X(USAGE, 2)                                                                                    \
    X(IO, 3)                                                                                       \
    X(INTERNAL, 70)

enum exit_status {
#define EXIT_STATUS(id, value) EXIT_STATUS_##id = (value),
    EXIT_STATUSES(EXIT_STATUS)
#undef EXIT_STATUS
};

struct command {
    struct arena *arena;
    struct sources *sources;
    struct diags *diags;
    struct options options; // options.args: the positional arguments after the command word
};

// For wrong use that only the command can see ("import needs `hf` first"): prints to stderr in the
// form of all usage errors and returns EXIT_STATUS_USAGE. `help` may be NULL.
int command_usage(const struct command *c, const char *message, const char *help);

#define COMMAND(id, word, arguments, help) int cmd_##word(struct command *c);
COMMANDS(COMMAND)
#undef COMMAND

#endif
