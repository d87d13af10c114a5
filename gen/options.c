// SPDX-License-Identifier: Apache-2.0
// Reading of the command line by the rows of options.h. In: argv. Out: struct options, or one line
// that says what is wrong and perhaps one that mends it.
// Always: every word of the command line is either understood or refused.

#include "gen/options.h"

#include <string.h>

#include "gen/text.h"

#define DEFAULT_MAX_ERRORS 20
#define NUMBER_LIMIT 1000000000 // of --layer and --max-errors

const struct command_row command_rows[COMMAND_COUNT] = {
#define COMMAND(id, word, arguments, help) {#word, arguments, help},
    COMMANDS(COMMAND)
#undef COMMAND
};

const struct option_row option_rows[OPTION_COUNT] = {
#define OPTION(id, name, letter, takes, commands, help) {name, letter, takes, commands, help},
    OPTIONS(OPTION)
#undef OPTION
};

static const char *const emit_names[EMIT_COUNT] = {
#define EMIT(id, name, by_default) name,
    EMITS(EMIT)
#undef EMIT
};

static const bool emit_defaults[EMIT_COUNT] = {
#define EMIT(id, name, by_default) by_default,
    EMITS(EMIT)
#undef EMIT
};

static const char *const format_words[DIAG_FORMAT_COUNT] = {
#define FORMAT(id, word) word,
    DIAG_FORMATS(FORMAT)
#undef FORMAT
};

struct parser {
    struct arena *arena;
    struct diags *diags;
    struct options *out;
    const char *wrong, *help; // the first thing that was wrong
};

static bool refuse(struct parser *p, const char *wrong, const char *help) {
    if (!p->wrong) {
        p->wrong = wrong;
        p->help = help;
    }
    return false;
}

static const char *spelled(struct arena *a, enum option_id id) {
    return option_rows[id].name ? arena_printf(a, "--%s", option_rows[id].name)
                                : arena_printf(a, "-%c", option_rows[id].letter);
}

const char *command_word(enum command_id command) {
    return command_rows[command].word;
}

const char *options_map_path(void *ctx, const char *path) {
    const struct options *o = ctx;
    for (size_t i = o->prefix_maps.len; i-- > 0;) {
        const struct prefix_map *m = &o->prefix_maps.at[i];
        size_t len = strlen(m->from);
        if (strncmp(path, m->from, len) == 0) {
            return arena_printf(o->arena, "%s%s", m->to, path + len);
        }
    }
    return path;
}

static bool parse_number(struct parser *p, enum option_id id, const char *value, int64_t *out) {
    int64_t n = 0;
    const char *c = value;
    for (; *c >= '0' && *c <= '9' && n <= NUMBER_LIMIT; c++) {
        n = 10 * n + (*c - '0');
    }
    if (*c || c == value || n > NUMBER_LIMIT) {
        return refuse(p,
                      arena_printf(p->arena, "option `%s` takes a number of at most %d, not `%s`",
                                   spelled(p->arena, id), NUMBER_LIMIT, value),
                      NULL);
    }
    *out = n;
    return true;
}

static bool parse_count(struct parser *p, enum option_id id, const char *value) {
    int64_t *n = &p->out->numbers[id];
    return parse_number(p, id, value, n) &&
           (*n > 0 ||
            refuse(p, arena_printf(p->arena, "option `%s` takes at least 1", spelled(p->arena, id)),
                   NULL));
}

static bool parse_color(struct parser *p, const char *value) {
    static const char *const words[] = {"auto", "always", "never"}; // as in enum color_when
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, words[i]) == 0) {
            p->out->color = (enum color_when)i;
            return true;
        }
    }
    return refuse(
        p, arena_printf(p->arena, "option `--color` takes auto, always or never, not `%s`", value),
        NULL);
}

static bool parse_format(struct parser *p, const char *value) {
    for (int i = 0; i < DIAG_FORMAT_COUNT; i++) {
        if (strcmp(value, format_words[i]) == 0) {
            p->out->diagnostics = (enum diag_format)i;
            return true;
        }
    }
    return refuse(
        p,
        arena_printf(p->arena, "option `--diagnostics` takes text, json or sarif, not `%s`", value),
        NULL);
}

// LIST says which outputs are written; `selftest` alone is written beside the default.
static bool parse_emit(struct parser *p, const char *list) {
    bool *emit = p->out->emit;
    if (strcmp(list, emit_names[EMIT_SELFTEST]) != 0) {
        memset(emit, 0, sizeof p->out->emit);
    }
    for (;;) {
        size_t len = strcspn(list, ",");
        const char *word = arena_strndup(p->arena, list, len);
        int id = 0;
        while (id < EMIT_COUNT && strcmp(emit_names[id], word) != 0) {
            id++;
        }
        if (id == EMIT_COUNT) {
            const char *near = diag_nearest(p->arena, word, emit_names, EMIT_COUNT);
            return refuse(p, arena_printf(p->arena, "no output is called `%s`", word),
                          near ? arena_printf(p->arena, "an output named `%s` exists", near)
                               : "the outputs are table, header, kernels, json and selftest");
        }
        emit[id] = true;
        if (!list[len]) {
            return true;
        }
        list += len + 1;
    }
}

static bool parse_prefix_map(struct parser *p, const char *value) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        return refuse(
            p, arena_printf(p->arena, "option `--prefix-map` takes OLD=NEW, not `%s`", value),
            NULL);
    }
    struct prefix_map m = {.from = arena_strndup(p->arena, value, (size_t)(equals - value)),
                           .to = equals + 1};
    VEC_PUSH(p->arena, &p->out->prefix_maps, m);
    return true;
}

// The code of the warning `name`; DIAG_CODE_COUNT after an error.
static enum diag_code warning_named(struct parser *p, const char *name) {
    const char *names[DIAG_CODE_COUNT];
    size_t n = 0;
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        if (diag_infos[i].flag && strcmp(diag_infos[i].flag, name) == 0) {
            return (enum diag_code)i;
        }
        if (diag_infos[i].flag) {
            names[n++] = diag_infos[i].flag;
        }
    }
    const char *near = diag_nearest(p->arena, name, names, n);
    refuse(p, arena_printf(p->arena, "no warning is called `%s`", name),
           near ? arena_printf(p->arena, "a warning named `%s` exists", near) : NULL);
    return DIAG_CODE_COUNT;
}

// Several codes may share a name: all of them are set.
static void set_warning(const char *name, bool *flags, bool value) {
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        if (diag_infos[i].flag && strcmp(diag_infos[i].flag, name) == 0) {
            flags[i] = value;
        }
    }
}

// -Werror, -Wno-error: of all warnings, or of the one after `=`. `value` follows `error`.
static bool parse_warning_error(struct parser *p, const char *value, bool on) {
    struct diags *d = p->diags;
    if (*value == '\0') {
        d->all_warnings_as_errors = on;
        return true;
    }
    const char *name = value + 1;
    if (warning_named(p, name) == DIAG_CODE_COUNT) {
        return false;
    }
    set_warning(name, d->warning_as_error, on);
    set_warning(name, d->warning_not_error, !on);
    if (on) {
        set_warning(name, d->warning_off, false);
    }
    return true;
}

static bool parse_warning(struct parser *p, const char *value) {
    const bool off = strncmp(value, "no-", 3) == 0;
    const char *name = value + (off ? 3 : 0);
    const size_t error = strlen("error");
    if (strncmp(name, "error", error) == 0 && (name[error] == '\0' || name[error] == '=')) {
        return parse_warning_error(p, name + error, !off);
    }
    if (warning_named(p, name) == DIAG_CODE_COUNT) {
        return false;
    }
    set_warning(name, p->diags->warning_off, off);
    return true;
}

static bool take(struct parser *p, enum option_id id, const char *value) {
    struct options *o = p->out;
    bool repeatable = id == OPTION_INCLUDE || id == OPTION_WARNING || id == OPTION_PREFIX_MAP ||
                      id == OPTION_RESOLVE;
    if (o->given[id] && value && !repeatable) {
        return refuse(
            p, arena_printf(p->arena, "option `%s` is given twice", spelled(p->arena, id)), NULL);
    }
    o->given[id] = true;
    int64_t n = 0;
    switch (id) {
    case OPTION_OUTPUT:
        o->output = value;
        return true;
    case OPTION_NAME:
        o->name = value;
        return true;
    case OPTION_DEPLOY:
        o->deploy = value;
        return true;
    case OPTION_KIND:
        o->kind = value;
        return true;
    case OPTION_INCLUDE:
        VEC_PUSH(p->arena, &o->include_dirs, value);
        return true;
    case OPTION_EMIT:
        return parse_emit(p, value);
    case OPTION_LAYER:
        return parse_number(p, id, value, &o->layer);
    case OPTION_MAX_ERRORS:
        if (!parse_number(p, id, value, &n)) {
            return false;
        }
        o->max_errors = (unsigned)n;
        return true;
    case OPTION_COLOR:
        return parse_color(p, value);
    case OPTION_PREFIX_MAP:
        return parse_prefix_map(p, value);
    case OPTION_WARNING:
        return parse_warning(p, value);
    case OPTION_NO_WARNINGS:
        p->diags->no_warnings = true;
        return true;
    case OPTION_DIAGNOSTICS:
        return parse_format(p, value);
    case OPTION_DIAGNOSTICS_OUTPUT:
        o->diagnostics_output = value;
        return true;
    case OPTION_PRINT:
        o->print = value;
        return true;
    case OPTION_LIBRARY:
        o->library = value;
        return true;
    case OPTION_RESOLVE:
        VEC_PUSH(p->arena, &o->resolve, value);
        return true;
    case OPTION_MODEL:
    case OPTION_ATTENTION_CONFIG:
    case OPTION_SPECULATIVE_CONFIG:
    case OPTION_PLATFORM:
    case OPTION_KV_CACHE_DTYPE:
        o->values[id] = value;
        return true;
    case OPTION_BLOCK_SIZE:
    case OPTION_MAX_MODEL_LEN:
    case OPTION_MAX_NUM_SEQS:
    case OPTION_MAX_NUM_BATCHED_TOKENS:
    case OPTION_TENSOR_PARALLEL_SIZE:
    case OPTION_DECODE_CONTEXT_PARALLEL_SIZE:
    case OPTION_PREFILL_CONTEXT_PARALLEL_SIZE:
    case OPTION_START_BLOCK:
        return parse_count(p, id, value);
    case OPTION_KEYS:
    case OPTION_DEPFILE:
    case OPTION_LIST:
    case OPTION_JSON:
    case OPTION_CANDIDATES:
    case OPTION_CHECK:
    case OPTION_EXIT_CODE:
    case OPTION_VERSION:
    case OPTION_HELP:
    case OPTION_COUNT:
        break;
    }
    return true;
}

static enum option_id find_long(const char *name, size_t len) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (option_rows[i].name && strlen(option_rows[i].name) == len &&
            strncmp(option_rows[i].name, name, len) == 0) {
            return (enum option_id)i;
        }
    }
    return OPTION_COUNT;
}

static bool unknown_option(struct parser *p, const char *word, size_t len) {
    const char *names[OPTION_COUNT];
    size_t n = 0;
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (option_rows[i].name && option_rows[i].commands != HIDDEN) {
            names[n++] = arena_printf(p->arena, "--%s", option_rows[i].name);
        }
    }
    const char *given = arena_strndup(p->arena, word, len);
    const char *near = diag_nearest(p->arena, given, names, n);
    return refuse(p, arena_printf(p->arena, "unknown option `%s`", given),
                  near ? arena_printf(p->arena, "an option named `%s` exists", near)
                       : "attnc --help lists the options");
}

static bool missing_value(struct parser *p, enum option_id id) {
    return refuse(p,
                  arena_printf(p->arena, "option `%s` needs a value: %s", spelled(p->arena, id),
                               option_rows[id].takes),
                  NULL);
}

// argv[*at] begins with `--`.
static bool parse_long(struct parser *p, int argc, char *const argv[], int *at) {
    const char *word = argv[*at];
    size_t len = strcspn(word, "=");
    enum option_id id = find_long(word + 2, len - 2);
    if (id == OPTION_COUNT) {
        return unknown_option(p, word, len);
    }
    if (!option_rows[id].takes) {
        return word[len] ? refuse(p,
                                  arena_printf(p->arena, "option `%s` takes no value",
                                               spelled(p->arena, id)),
                                  NULL)
                         : take(p, id, NULL);
    }
    if (word[len]) {
        return take(p, id, word + len + 1);
    }
    return *at + 1 < argc ? take(p, id, argv[++*at]) : missing_value(p, id);
}

// argv[*at] begins with one `-` and a letter.
static bool parse_short(struct parser *p, int argc, char *const argv[], int *at) {
    const char *word = argv[*at];
    int id = 0;
    while (id < OPTION_COUNT && option_rows[id].letter != word[1]) {
        id++;
    }
    if (id == OPTION_COUNT || (!option_rows[id].takes && word[2])) {
        return unknown_option(p, word, strlen(word));
    }
    if (!option_rows[id].takes) {
        return take(p, (enum option_id)id, NULL);
    }
    if (word[2]) {
        return take(p, (enum option_id)id, word + 2);
    }
    return *at + 1 < argc ? take(p, (enum option_id)id, argv[++*at])
                          : missing_value(p, (enum option_id)id);
}

static bool parse_command(struct parser *p, const char *word) {
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(word, command_rows[i].word) == 0) {
            p->out->has_command = true;
            p->out->command = (enum command_id)i;
            return true;
        }
    }
    const char *words[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        words[i] = command_rows[i].word;
    }
    const char *near = diag_nearest(p->arena, word, words, COMMAND_COUNT);
    return refuse(p, arena_printf(p->arena, "unknown command `%s`", word),
                  near ? arena_printf(p->arena, "a command named `%s` exists", near)
                       : "attnc --help lists the commands");
}

static bool check_belongs(struct parser *p) {
    const struct options *o = p->out;
    for (int i = 0; i < OPTION_COUNT && o->has_command; i++) {
        if (o->given[i] && option_rows[i].commands != HIDDEN &&
            !(option_rows[i].commands & (1u << o->command))) {
            return refuse(p,
                          arena_printf(p->arena, "option `%s` does not belong to `%s`",
                                       spelled(p->arena, (enum option_id)i),
                                       command_rows[o->command].word),
                          arena_printf(p->arena, "attnc %s --help lists its options",
                                       command_rows[o->command].word));
        }
    }
    return true;
}

const char *options_parse(struct arena *a, int argc, char *const argv[], struct diags *diags,
                          struct options *out, const char **help) {
    *out = (struct options){.arena = a, .max_errors = DEFAULT_MAX_ERRORS};
    memcpy(out->emit, emit_defaults, sizeof out->emit);
    struct parser p = {.arena = a, .diags = diags, .out = out};
    // After a mistake reading goes on, for --diagnostics: the first mistake is the one reported.
    bool ended = false;
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at];
        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && strncmp(word, "--", 2) == 0) {
            parse_long(&p, argc, argv, &at);
        } else if (!ended && word[0] == '-' && word[1]) {
            parse_short(&p, argc, argv, &at);
        } else if (!out->has_command) {
            parse_command(&p, word);
        } else {
            VEC_PUSH(a, &out->args, word);
        }
    }
    if (!p.wrong) {
        check_belongs(&p);
    }
    *help = p.help;
    return p.wrong;
}
