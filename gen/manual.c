// SPDX-License-Identifier: Apache-2.0
// The options in the forms of other programs: scdoc for attnc(1), and shell completions. In: the
// rows of options.h and the names of warnings. Out: text. Always: an option that exists is in all.

#include "gen/manual.h"

#include <string.h>

#include "gen/catalogue.h"
#include "gen/options.h"

static bool belongs(const struct option_row *row, int command) {
    return (row->commands >> command & 1u) != 0;
}

// The words that an option's value may be, or "": then it is a file, a directory or free.
static const char *values_of(struct arena *a, enum option_id id) {
    struct text t = text_of(a);
    switch (id) {
    case OPTION_COLOR:
        text_add(&t, "auto always never");
        break;
    case OPTION_DIAGNOSTICS:
#define FORMAT(id, word) text_addf(&t, "%s%s", t.bytes.len ? " " : "", word);
        DIAG_FORMATS(FORMAT)
#undef FORMAT
        break;
    case OPTION_EMIT:
#define EMIT(id, word, by_default) text_addf(&t, "%s%s", t.bytes.len ? " " : "", word);
        EMITS(EMIT)
#undef EMIT
        break;
    case OPTION_WARNING:
        text_add(&t, "error no-error");
        for (int i = 0; i < DIAG_CODE_COUNT; i++) {
            const char *flag = diag_infos[i].flag;
            if (flag) {
                text_addf(&t, " %s no-%s error=%s no-error=%s", flag, flag, flag, flag);
            }
        }
        break;
    default:
        break;
    }
    return text_string(&t);
}

static bool takes_file(const struct option_row *row) {
    return row->takes && (strcmp(row->takes, "PATH") == 0 || strcmp(row->takes, "FILE") == 0);
}

static bool takes_folder(const struct option_row *row) {
    return row->takes && strcmp(row->takes, "DIR") == 0;
}

// Appends `s` with `guard` before each character of `special`.
static void add_guarded(struct text *t, const char *s, const char *special, const char *guard) {
    for (; *s; s++) {
        text_add(t, strchr(special, *s) ? guard : "");
        text_add_n(t, s, 1);
    }
}

// ---- scdoc

#define SCDOC_SPECIAL "\\*_#<>["

static void add_scdoc_option(struct text *t, const struct option_row *row) {
    if (row->letter) {
        text_addf(t, "*-%c*", row->letter);
    }
    if (row->name) {
        text_addf(t, "%s*--%s*", row->letter ? ", " : "", row->name);
    }
    if (row->takes) {
        text_addf(t, " _%s_", row->takes);
    }
    text_add(t, "\n\t");
    add_guarded(t, row->help, SCDOC_SPECIAL, "\\");
    text_add(t, ".\n\n");
}

static const char *print_man(struct arena *a) {
    struct text t = text_of(a);
    text_add(&t, "# COMMANDS\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_addf(&t, "*attnc %s* [_OPTION_...] ", command_rows[i].word);
        add_guarded(&t, command_rows[i].arguments, SCDOC_SPECIAL, "\\");
        text_add(&t, "\n\t");
        add_guarded(&t, command_rows[i].help, SCDOC_SPECIAL, "\\");
        text_add(&t, ".\n\n");
    }
    text_add(&t, "# OPTIONS\n\nOptions may stand anywhere; *--* ends them.\n\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (option_rows[i].commands == EVERYWHERE) {
            add_scdoc_option(&t, &option_rows[i]);
        }
    }
    for (int c = 0; c < COMMAND_COUNT; c++) {
        bool any = false;
        for (int i = 0; i < OPTION_COUNT; i++) {
            if (option_rows[i].commands != EVERYWHERE && belongs(&option_rows[i], c)) {
                text_add(&t, any ? "" : arena_printf(a, "## attnc %s\n\n", command_rows[c].word));
                add_scdoc_option(&t, &option_rows[i]);
                any = true;
            }
        }
    }
    text_add(&t, "# WARNINGS\n\nAll are on unless they are switched off.\n\n");
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        if (diag_infos[i].flag) {
            text_addf(&t, "*-W %s*\n\t%s (%s).\n\n", diag_infos[i].flag, diag_infos[i].title,
                      diag_infos[i].id);
        }
    }
    return text_string(&t);
}

// ---- bash

// The spellings of an option, as a pattern of `case` or as words.
static void add_spellings(struct text *t, const struct option_row *row, const char *between) {
    if (row->letter) {
        text_addf(t, "-%c", row->letter);
    }
    if (row->name) {
        text_addf(t, "%s--%s", row->letter ? between : "", row->name);
    }
}

static void add_bash_values(struct text *t) {
    text_add(t, "    case $previous in\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *values = values_of(t->arena, (enum option_id)i);
        if (!option_rows[i].takes || option_rows[i].commands == HIDDEN) {
            continue;
        }
        text_add(t, "    ");
        add_spellings(t, &option_rows[i], "|");
        if (*values) {
            text_addf(t, ") _attnc_reply -W \"%s\"; return ;;\n", values);
        } else {
            text_addf(t, ") %s return ;;\n",
                      takes_folder(&option_rows[i]) ? "_attnc_reply -d;"
                      : takes_file(&option_rows[i]) ? "_attnc_reply -f;"
                                                    : "COMPREPLY=();");
        }
    }
    text_add(t, "    esac\n");
}

static void add_bash_options(struct text *t) {
    text_add(t, "    case $command in\n");
    for (int c = 0; c <= COMMAND_COUNT; c++) {
        text_addf(t, "    %s) options=\"", c < COMMAND_COUNT ? command_rows[c].word : "*");
        const char *blank = "";
        for (int i = 0; i < OPTION_COUNT; i++) {
            if (c < COMMAND_COUNT ? belongs(&option_rows[i], c)
                                  : option_rows[i].commands == EVERYWHERE) {
                text_add(t, blank);
                add_spellings(t, &option_rows[i], " ");
                blank = " ";
            }
        }
        text_add(t, "\" ;;\n");
    }
    text_add(t, "    esac\n");
}

static const char *print_bash(struct arena *a) {
    struct text t = text_of(a), words = text_of(a);
    for (int c = 0; c < COMMAND_COUNT; c++) {
        text_addf(&words, "%s%s", c ? " " : "", command_rows[c].word);
    }
    text_addf(&t,
              "# Completion of attnc for bash; made by `attnc --print bash`.\n"
              "_attnc_reply() {\n"
              "    mapfile -t COMPREPLY < <(compgen \"$@\" -- \"$current\")\n"
              "}\n\n"
              "_attnc() {\n"
              "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
              "    local command='' options='' word commands=\"%s\"\n"
              "    if [[ $current == '=' ]]; then # --option=VALUE comes as three words\n"
              "        current=''\n"
              "    elif [[ $previous == '=' ]]; then\n"
              "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
              "    fi\n"
              "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do\n"
              "        if [[ \" $commands \" == *\" $word \"* ]]; then\n"
              "            command=$word\n"
              "            break\n"
              "        fi\n"
              "    done\n",
              text_string(&words));
    add_bash_values(&t);
    add_bash_options(&t);
    text_addf(&t,
              "    case $current in\n"
              "    -W*)\n"
              "        current=${current#-W}\n"
              "        _attnc_reply -P -W -W \"%s\"\n"
              "        ;;\n"
              "    -*) _attnc_reply -W \"$options\" ;;\n"
              "    *)\n"
              "        case $command in\n"
              "        '') _attnc_reply -W \"$commands\" ;;\n"
              "        help) _attnc_reply -W \"warnings $commands\" ;;\n"
              "        *) _attnc_reply -f ;;\n"
              "        esac\n"
              "        ;;\n"
              "    esac\n"
              "}\n"
              "complete -o filenames -F _attnc attnc\n",
              values_of(a, OPTION_WARNING));
    return text_string(&t);
}

// ---- zsh

#define ZSH_SPECIAL "[]:\\'"

static void add_zsh_help(struct text *t, const char *help) {
    for (; *help; help++) {
        if (*help == '\'') {
            text_add(t, "'\\''");
            continue;
        }
        text_add(t, strchr(ZSH_SPECIAL, *help) ? "\\" : "");
        text_add_n(t, help, 1);
    }
}

static void add_zsh_option(struct text *t, enum option_id id, const char *spelling, char joint) {
    const struct option_row *row = &option_rows[id];
    const char *values = values_of(t->arena, id);
    text_addf(t, " \\\n            '*%s", spelling);
    if (row->takes) {
        text_add_n(t, &joint, 1);
    }
    text_add(t, "[");
    add_zsh_help(t, row->help);
    text_add(t, "]");
    if (row->takes && *values) {
        text_addf(t, ":%s:(%s)", row->takes, values);
    } else if (row->takes) {
        text_addf(t, ":%s:%s", row->takes,
                  takes_folder(row) ? "_files -/"
                  : takes_file(row) ? "_files"
                                    : " ");
    }
    text_add(t, "'");
}

static const char *print_zsh(struct arena *a) {
    struct text t = text_of(a);
    text_add(&t, "#compdef attnc\n# Completion of attnc for zsh; made by `attnc --print zsh`.\n"
                 "_attnc() {\n    local curcontext=$curcontext state\n    local -a commands\n"
                 "    commands=(\n");
    for (int c = 0; c < COMMAND_COUNT; c++) {
        text_addf(&t, "        '%s:", command_rows[c].word);
        add_zsh_help(&t, command_rows[c].help);
        text_add(&t, "'\n");
    }
    text_add(&t, "    )\n    _arguments -C '1: :->command' '*:: :->rest'\n    case $state in\n"
                 "    command) _describe command commands ;;\n    rest)\n"
                 "        case $words[1] in\n");
    for (int c = 0; c < COMMAND_COUNT; c++) {
        text_addf(&t, "        %s)\n            _arguments", command_rows[c].word);
        for (int i = 0; i < OPTION_COUNT; i++) {
            if (belongs(&option_rows[i], c) && option_rows[i].letter) {
                add_zsh_option(&t, (enum option_id)i, arena_printf(a, "-%c", option_rows[i].letter),
                               '+');
            }
            if (belongs(&option_rows[i], c) && option_rows[i].name) {
                add_zsh_option(&t, (enum option_id)i, arena_printf(a, "--%s", option_rows[i].name),
                               '=');
            }
        }
        text_add(&t, " \\\n            '*:file:_files'\n            ;;\n");
    }
    text_add(&t, "        esac\n        ;;\n    esac\n}\n_attnc \"$@\"\n");
    return text_string(&t);
}

// ---- fish

static const char *print_fish(struct arena *a) {
    struct text t = text_of(a);
    text_add(&t, "# Completion of attnc for fish; made by `attnc --print fish`.\n");
    for (int c = 0; c < COMMAND_COUNT; c++) {
        text_addf(&t, "complete -c attnc -n __fish_use_subcommand -f -a %s -d '",
                  command_rows[c].word);
        add_guarded(&t, command_rows[c].help, "\\'", "\\");
        text_add(&t, "'\n");
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        const char *values = values_of(a, (enum option_id)i);
        if (row->commands == HIDDEN) {
            continue;
        }
        text_add(&t, "complete -c attnc");
        if (row->commands != EVERYWHERE) {
            text_add(&t, " -n '__fish_seen_subcommand_from");
            for (int c = 0; c < COMMAND_COUNT; c++) {
                text_addf(&t, "%s%s", belongs(row, c) ? " " : "",
                          belongs(row, c) ? command_rows[c].word : "");
            }
            text_add(&t, "'");
        }
        text_add(&t, row->letter ? arena_printf(a, " -s %c", row->letter) : "");
        text_add(&t, row->name ? arena_printf(a, " -l %s", row->name) : "");
        text_add(&t, !row->takes ? "" : takes_file(row) || takes_folder(row) ? " -r" : " -x");
        text_add(&t, *values ? arena_printf(a, " -a '%s'", values) : "");
        text_add(&t, " -d '");
        add_guarded(&t, row->help, "\\'", "\\");
        text_add(&t, "'\n");
    }
    return text_string(&t);
}

const char *manual_text(struct arena *a, const char *what) {
    static const struct {
        const char *word;
        const char *(*print)(struct arena *a);
    } texts[] = {
        {"man", print_man},
        {"bash", print_bash},
        {"zsh", print_zsh},
        {"fish", print_fish},
        {"diagnostics", catalogue_page},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i].word, what) == 0) {
            return texts[i].print(a);
        }
    }
    return NULL;
}
