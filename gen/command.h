// SPDX-License-Identifier: Apache-2.0
// What a command gets and gives. main.c makes one, reads the command line and calls the command;
// afterwards it sorts and prints the diagnostics and frees the arena. A command writes to stdout
// only what was asked for (output_stdout), reports through `diags`, and returns an exit status.
// Errors reported with EXIT_STATUS_OK become EXIT_STATUS_INPUT in main.
#ifndef GEN_COMMAND_H
#define GEN_COMMAND_H

#include "gen/options.h"
#include "gen/plan.h"
#include "gen/program.h"

// X(enumerator, value): pinned, users test for them.
#define EXIT_STATUSES(X)                                                                           \
    X(OK, 0)                                                                                       \
    X(INPUT, 1)                                                                                    \
    X(USAGE, 2)                                                                                    \
    X(IO, 3)                                                                                       \
    X(DIFFERENT, 4)                                                                                \
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
    struct options options;         // options.args: the positional arguments after the command word
    const char *usage, *usage_help; // what was wrong with the command line, and the remedy; or NULL
};

// For wrong use, also such as only the command can see ("import needs `hf` first"): command_report
// says it, before all diagnostics. Returns EXIT_STATUS_USAGE. `help` may be NULL.
int command_usage(struct command *c, const char *message, const char *help);
// Sorts and writes all that was found, as --diagnostics and --diagnostics-output say. `status` is
// the command's; returns that of the process: errors raise EXIT_STATUS_OK to EXIT_STATUS_INPUT.
int command_report(struct command *c, bool color, int status);

// Reads a file with its imports and makes every check that needs no deployment. False when it
// could not be read: exit status 3.
bool command_load(struct command *c, const char *path, struct program *p);
// The deployments of the main file, or the one of --deploy; an unknown one is reported. Those that
// were found to be wrong already are left out.
struct decls command_deployments(struct command *c, const struct program *p);

// For commands that load several files, each with its imports: what is said of one file twice gets
// one place, so that it counts as a repeat.
void command_unite_places(const struct command *c);

#define COMMAND(id, word, arguments, help) int cmd_##word(struct command *c);
COMMANDS(COMMAND)
#undef COMMAND

#endif
