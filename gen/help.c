// SPDX-License-Identifier: Apache-2.0
// The help texts, from the rows of options.h. In: a command, or none. Out: text for stdout.

#include <string.h>

#include "gen/options.h"
#include "gen/text.h"

#define HELP_COLUMN 26 // where the explanations begin, behind the indent

static void add_row(struct text *t, const char *left, const char *right) {
    size_t len = strlen(left);
    text_addf(t, "  %s", left);
    if (len + 2 > HELP_COLUMN) {
        text_add(t, "\n");
        len = 0;
        text_pad(t, 2);
    }
    text_pad(t, HELP_COLUMN - len);
    text_addf(t, "%s\n", right);
}

static void add_option(struct text *t, const struct option_row *row) {
    struct text left = text_of(t->arena);
    if (row->letter) {
        text_addf(&left, "-%c", row->letter);
    }
    if (row->name) {
        text_addf(&left, "%s--%s", row->letter ? ", " : "    ", row->name);
    }
    if (row->takes) {
        text_addf(&left, " %s", row->takes);
    }
    add_row(t, text_string(&left), row->help);
}

const char *options_help(struct arena *a, enum command_id command) {
    struct text t = text_of(a);
    if (command == COMMAND_COUNT) {
        text_add(&t, "attnc, the attention compiler: backend rules to a constant dispatch table\n\n"
                     "usage: attnc COMMAND [OPTION...] [FILE...]\n\ncommands:\n");
        for (int i = 0; i < COMMAND_COUNT; i++) {
            add_row(&t, arena_printf(a, "%s %s", command_rows[i].word, command_rows[i].arguments),
                    command_rows[i].help);
        }
        text_add(&t, "\noptions of every command:\n");
    } else {
        text_addf(&t, "usage: attnc %s [OPTION...] %s\n\n%s\n\noptions:\n",
                  command_rows[command].word, command_rows[command].arguments,
                  command_rows[command].help);
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        bool shown = command == COMMAND_COUNT ? option_rows[i].commands == EVERYWHERE
                                              : (option_rows[i].commands >> command & 1u) != 0;
        if (shown) {
            add_option(&t, &option_rows[i]);
        }
    }
    text_add(&t, "\nexit status: 0 ok, 1 errors in the input, 2 usage, 3 input or output,\n"
                 "4 differences (diff --exit-code), 70 internal\n");
    return text_string(&t);
}

const char *options_help_warnings(struct arena *a) {
    struct text t = text_of(a);
    text_add(
        &t,
        "-W NAME switches a warning on, -Wno-NAME off; -Werror=NAME makes it an error, -Werror\n"
        "all of them, -Wno-error=NAME leaves it a warning under -Werror; -w switches all off.\n"
        "All are on unless they are switched off.\n\nwarnings:\n");
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        const struct diag_info *info = &diag_infos[i];
        if (info->flag) {
            add_row(&t, info->flag, arena_printf(a, "%s [%s]", info->title, info->id));
        }
    }
    text_add(&t, "\nattnc explain CODE says more.\n");
    return text_string(&t);
}
