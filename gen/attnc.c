// SPDX-License-Identifier: Apache-2.0
// attnc: reads the command line, runs one command and prints what was found. In: argv; NO_COLOR and
// TERM for colours. Out: an exit status (command.h). Always: memory that runs out anywhere ends
// here.
#define _POSIX_C_SOURCE 200809L

#include "gen/attnc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/command.h"
#include "gen/manual.h"
#include "gen/output.h"
#include "gen/version.h"

static bool wants_color(enum color_when when) {
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    if (when != COLOR_AUTO) {
        return when == COLOR_ALWAYS;
    }
    return isatty(STDERR_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static int run_command(struct command *c) {
    switch (c->options.command) {
#define COMMAND(id, word, arguments, help)                                                         \
    case COMMAND_##id:                                                                             \
        return cmd_##word(c);
        COMMANDS(COMMAND)
#undef COMMAND
    case COMMAND_COUNT:
        break;
    }
    return EXIT_STATUS_INTERNAL;
}

static int print(struct command *c, const char *text) {
    return output_stdout(c->arena, c->diags, text, strlen(text)) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
}

static int print_generated(struct command *c) {
    const char *text = manual_text(c->arena, c->options.print);
    return text ? print(c, text)
                : command_usage(c, "option `--print` takes man, bash, zsh, fish or diagnostics",
                                NULL);
}

static int dispatch(struct command *c) {
    const struct options *o = &c->options;
    if (o->given[OPTION_HELP]) {
        return print(c, options_help(c->arena, o->has_command ? o->command : COMMAND_COUNT));
    }
    if (o->given[OPTION_VERSION]) {
        return print(c, "attnc " ATTNC_VERSION "\n");
    }
    if (o->print) {
        return print_generated(c);
    }
    if (!o->has_command) {
        return command_usage(c, "a command is missing", "attnc --help lists the commands");
    }
    return run_command(c);
}

static int run(struct arena *arena, int argc, char *argv[]) {
    struct sources sources = {.arena = arena};
    struct diags diags = {.arena = arena, .sources = &sources};
    struct command c = {.arena = arena, .sources = &sources, .diags = &diags};
    const char *help = NULL;
    const char *wrong = options_parse(arena, argc, argv, &diags, &c.options, &help);
    const int status = wrong ? command_usage(&c, wrong, help) : dispatch(&c);
    return command_report(&c, wants_color(c.options.color), status);
}

int attnc_run(int argc, char *argv[], void *(*allocate)(size_t)) {
    struct arena arena;
    jmp_buf out_of_memory;
    arena_init(&arena, &out_of_memory);
    arena.allocate = allocate;
    volatile int status = EXIT_STATUS_INTERNAL;
    if (setjmp(out_of_memory) == 0) {
        status = run(&arena, argc, argv);
    } else {
        fputs("attnc: error: out of memory\n", stderr);
    }
    arena_free(&arena);
    return status;
}
