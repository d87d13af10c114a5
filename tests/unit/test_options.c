// SPDX-License-Identifier: Apache-2.0
// The command line: what it means, and what is refused with which words.
#include "gen/options.h"
#include "tests/tap.h"

struct parsed {
    struct arena arena;
    jmp_buf out_of_memory;
    struct diags diags;
    struct options options;
    const char *wrong, *help;
};

// `line` is split at blanks.
static void parse(struct parsed *p, const char *line) {
    char *argv[16] = {"attnc"};
    int argc = 1;
    memset(p, 0, sizeof *p);
    arena_init(&p->arena, &p->out_of_memory);
    p->diags.arena = &p->arena;
    for (char *word = strtok(arena_strdup(&p->arena, line), " "); word; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    p->wrong = options_parse(&p->arena, argc, argv, &p->diags, &p->options, &p->help);
}

static void test_meaning(void) {
    struct parsed p;
    parse(&p, "build -o out a.attn --deploy=d -I x -Iy --depfile --emit json,table --max-errors 0");
    is_str(p.wrong, NULL, "a full command line");
    is_str(p.options.output, "out", "-o DIR");
    is_str(p.options.deploy, "d", "--deploy=NAME");
    ok(p.options.args.len == 1 && strcmp(p.options.args.at[0], "a.attn") == 0, "the file");
    ok(p.options.include_dirs.len == 2 && strcmp(p.options.include_dirs.at[1], "y") == 0,
       "-I twice, apart and together");
    ok(p.options.emit[EMIT_JSON] && p.options.emit[EMIT_TABLE] && !p.options.emit[EMIT_HEADER],
       "--emit names the outputs");
    ok(p.options.given[OPTION_DEPFILE] && p.options.max_errors == 0, "flags and numbers");
    arena_free(&p.arena);
    parse(&p, "build f -o d --emit selftest");
    ok(p.options.emit[EMIT_SELFTEST] && p.options.emit[EMIT_TABLE] && p.options.emit[EMIT_JSON],
       "--emit selftest adds to the default");
    arena_free(&p.arena);
    parse(&p, "build f -o d --emit json,selftest");
    ok(p.options.emit[EMIT_SELFTEST] && p.options.emit[EMIT_JSON] && !p.options.emit[EMIT_TABLE],
       "with others it is one of a list");
    arena_free(&p.arena);
    parse(&p, "--color never check -- -o --x");
    ok(!p.wrong && p.options.args.len == 2 && p.options.command == COMMAND_CHECK,
       "options before the command; after -- everything is a file");
    is_int(p.options.max_errors, 20, "20 errors unless told");
    arena_free(&p.arena);
    parse(&p, "check - a.attn");
    is_int((long long)p.options.args.len, 2, "one dash is a file's name");
    arena_free(&p.arena);
}

static void test_maps(void) {
    struct parsed p;
    parse(&p, "check --prefix-map /a/=x/ --prefix-map /a/b=y f");
    is_str(options_map_path(&p.options, "/a/b/c"), "y/c", "the last map that matches counts");
    is_str(options_map_path(&p.options, "/a/c"), "x/c", "else an earlier one");
    is_str(options_map_path(&p.options, "a/c"), "a/c", "else the path stays");
    arena_free(&p.arena);
}

static enum diag_code warning_code(const char *flag) {
    int i = 0;
    while (!diag_infos[i].flag || strcmp(diag_infos[i].flag, flag) != 0) {
        i++;
    }
    return (enum diag_code)i;
}

static void test_warnings(void) {
    struct parsed p;
    enum diag_code code = warning_code("foreign-environment");
    parse(&p, "check f -Wno-foreign-environment");
    ok(!p.wrong && p.diags.warning_off[code], "-Wno-NAME switches off");
    arena_free(&p.arena);
    parse(&p, "check f -Wno-foreign-environment -W foreign-environment");
    ok(!p.wrong && !p.diags.warning_off[code], "-W NAME switches on again");
    arena_free(&p.arena);
    parse(&p, "check f -Werror=foreign-environment");
    ok(!p.wrong && p.diags.warning_as_error[code] && !p.diags.all_warnings_as_errors,
       "-Werror=NAME lifts one");
    arena_free(&p.arena);
    parse(&p, "check f -Werror");
    ok(!p.wrong && p.diags.all_warnings_as_errors, "-Werror lifts all");
    arena_free(&p.arena);
}

static void test_refusals(void) {
    static const struct {
        const char *line, *wrong, *help;
    } rows[] = {
        {"biuld f", "unknown command `biuld`", "a command named `build` exists"},
        {"check f --max-error 3", "unknown option `--max-error`",
         "an option named `--max-errors` exists"},
        {"check f -x", "unknown option `-x`", "attnc --help lists the options"},
        {"check f --deploy d", "option `--deploy` does not belong to `check`",
         "attnc check --help lists its options"},
        {"build f -o", "option `--output` needs a value: PATH", NULL},
        {"build f -o a -o b", "option `--output` is given twice", NULL},
        {"build f --depfile=x", "option `--depfile` takes no value", NULL},
        {"build f --emit tabel", "no output is called `tabel`", "an output named `table` exists"},
        {"build f --emit json,", "no output is called ``",
         "the outputs are table, header, kernels, json and selftest"},
        {"explain f --layer x", "option `--layer` takes a number of at most 1000000000, not `x`",
         NULL},
        {"explain f --layer 99999999999999999999",
         "option `--layer` takes a number of at most 1000000000, not `99999999999999999999`", NULL},
        {"check f --color blue", "option `--color` takes auto, always or never, not `blue`", NULL},
        {"check f --prefix-map a", "option `--prefix-map` takes OLD=NEW, not `a`", NULL},
        {"check f -Wno-foreign-enviroment", "no warning is called `foreign-enviroment`",
         "a warning named `foreign-environment` exists"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct parsed p;
        parse(&p, rows[i].line);
        is_str(p.wrong, rows[i].wrong, rows[i].line);
        is_str(p.help, rows[i].help, "... and its help");
        arena_free(&p.arena);
    }
}

static void test_help(void) {
    struct parsed p;
    parse(&p, "");
    const char *all = options_help(&p.arena, COMMAND_COUNT);
    const char *build = options_help(&p.arena, COMMAND_BUILD);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        ok(strstr(all, command_word((enum command_id)i)), "help names %s",
           command_word((enum command_id)i));
    }
    ok(strstr(build, "--depfile") && !strstr(build, "--candidates"),
       "help on a command lists its options alone");
    bool narrow = true;
    for (const char *line = build; *line; line += strcspn(line, "\n") + 1) {
        narrow = narrow && strcspn(line, "\n") <= 100;
    }
    ok(narrow, "no line of it is wider than 100");
    arena_free(&p.arena);
}

int main(void) {
    test_meaning();
    test_maps();
    test_warnings();
    test_refusals();
    test_help();
    return done_testing();
}
