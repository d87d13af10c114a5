// SPDX-License-Identifier: Apache-2.0
// The command line: every option and every command is one row here; parsing, checks of what belongs
// to what, suggestions and the help texts come from these rows. Options may stand anywhere, `--`
// ends them, names are never abbreviated. Nothing here reads the environment or prints.
#ifndef GEN_OPTIONS_H
#define GEN_OPTIONS_H

#include "grammar/arena.h"
#include "grammar/diag.h"

// X(enumerator, word, arguments, one line for --help). The function is cmd_WORD.
#define COMMANDS(X)                                                                                \
    X(BUILD, build, "FILE -o DIR",                                                                 \
      "write the table, header, kernels and plan of FILE's deployments")                           \
    X(CHECK, check, "FILE...", "report everything that is wrong; write nothing")                   \
    X(EXPLAIN, explain, "FILE | CODE",                                                             \
      "show which backend serves each operator, and why; or what CODE means")                      \
    X(DIFF, diff, "OLD NEW", "show what differs between deployments; OLD, NEW: FILE or FILE:NAME") \
    X(FMT, fmt, "FILE...", "lay out files canonically, in place; `-`: standard input to output")   \
    X(IMPORT, import, "hf|gguf FILE | vllm",                                                       \
      "print a model in .attn form; vllm: with the deployment that the options describe")          \
    X(EXPORT, export, "vllm FILE", "print a deployment's choices as vLLM's --attention-config")    \
    X(HELP, help, "[COMMAND | warnings]", "print help on a command, or list the warnings")

enum command_id {
#define COMMAND(id, word, arguments, help) COMMAND_##id,
    COMMANDS(COMMAND)
#undef COMMAND
        COMMAND_COUNT
};

#define IN(command) (1u << COMMAND_##command)
#define EVERYWHERE (~0u)
#define HIDDEN 0u // for work on attnc itself: with any command, and not in the help
#define COMPILES (IN(BUILD) | IN(CHECK) | IN(EXPLAIN) | IN(DIFF))
#define DEPLOYS (IN(BUILD) | IN(EXPLAIN) | IN(DIFF))

// X(enumerator, long name or NULL, letter or 0, what it takes or NULL, commands, help)
#define OPTIONS(X)                                                                                 \
    X(OUTPUT, "output", 'o', "PATH", IN(BUILD) | IN(IMPORT) | IN(EXPORT),                          \
      "build: the directory to write to, made if missing; else the file")                          \
    X(NAME, "name", 0, "NAME", IN(IMPORT), "the name of the imported model")                       \
    X(DEPLOY, "deploy", 0, "NAME", DEPLOYS | IN(EXPORT),                                           \
      "only this deployment; diff: NAME or OLD=NEW")                                               \
    X(MODEL, "model", 0, "FILE", IN(IMPORT),                                                       \
      "vllm: config.json, GGUF or .attn file of what is served")                                   \
    X(ATTENTION_CONFIG, "attention-config", 0, "JSON", IN(IMPORT),                                 \
      "vllm: its JSON, or @FILE; without --model: how vLLM reads it")                              \
    X(SPECULATIVE_CONFIG, "speculative-config", 0, "JSON", IN(IMPORT),                             \
      "vllm: its JSON, or @FILE; `model`: a drafter's config.json")                                \
    X(PLATFORM, "platform", 0, "NAME", IN(IMPORT), "vllm: a platform of std/vllm.attn (cuda_90)")  \
    X(KV_CACHE_DTYPE, "kv-cache-dtype", 0, "NAME", IN(IMPORT), "vllm: as for vLLM")                \
    X(BLOCK_SIZE, "block-size", 0, "N", IN(IMPORT), "vllm: cache block; not given: as vLLM finds") \
    X(MAX_MODEL_LEN, "max-model-len", 0, "N", IN(IMPORT), "vllm: tokens of a sequence")            \
    X(MAX_NUM_SEQS, "max-num-seqs", 0, "N", IN(IMPORT), "vllm: sequences at once (256)")           \
    X(MAX_NUM_BATCHED_TOKENS, "max-num-batched-tokens", 0, "N", IN(IMPORT),                        \
      "vllm: new tokens of a step (8192)")                                                         \
    X(TENSOR_PARALLEL_SIZE, "tensor-parallel-size", 0, "N", IN(IMPORT), "vllm: ranks (1)")         \
    X(DECODE_CONTEXT_PARALLEL_SIZE, "decode-context-parallel-size", 0, "N", IN(IMPORT),            \
      "vllm: ranks (1)")                                                                           \
    X(PREFILL_CONTEXT_PARALLEL_SIZE, "prefill-context-parallel-size", 0, "N", IN(IMPORT),          \
      "vllm: ranks (1)")                                                                           \
    X(KEYS, "keys", 0, NULL, IN(IMPORT),                                                           \
      "vllm: list the keys that layers ask for, and what decides")                                 \
    X(RESOLVE, "resolve", 0, "LIST", IN(IMPORT),                                                   \
      "vllm: cache_block, kernel_block, layouts of backends, or @FILE")                            \
    X(START_BLOCK, "start-block", 0, "N", IN(IMPORT),                                              \
      "vllm: the cache block that --resolve begins with (16; on a CPU 128)")                       \
    X(EMIT, "emit", 0, "LIST", IN(BUILD),                                                          \
      "table,header,kernels,json (the default); selftest adds to it")                              \
    X(DEPFILE, "depfile", 0, NULL, IN(BUILD), "write NAME.d, the inputs as make reads them")       \
    X(LAYER, "layer", 0, "N", IN(EXPLAIN), "only operators of layer N")                            \
    X(KIND, "kind", 0, "KIND", IN(EXPLAIN), "only operators of this kind")                         \
    X(JSON, "json", 0, NULL, IN(EXPLAIN) | IN(DIFF) | IN(IMPORT),                                  \
      "explain: the whole plan, as NAME.json; else what is printed")                               \
    X(CANDIDATES, "candidates", 0, NULL, IN(EXPLAIN),                                              \
      "with --json: every backend and its reasons")                                                \
    X(EXIT_CODE, "exit-code", 0, NULL, IN(DIFF), "exit with 4 when the deployments differ")        \
    X(LIST, "list", 0, NULL, IN(EXPLAIN), "list the codes of all diagnostics")                     \
    X(CHECK, "check", 0, NULL, IN(FMT),                                                            \
      "change nothing; name the files that are not canonical (then exit 1)")                       \
    X(INCLUDE, "include", 'I', "DIR", COMPILES | IN(EXPORT) | IN(IMPORT),                          \
      "look for imports in DIR too; may be repeated")                                              \
    X(WARNING, NULL, 'W', "NAME", EVERYWHERE,                                                      \
      "warnings: -W NAME on, -Wno-NAME off; -Werror[=NAME], -Wno-error[=NAME]")                    \
    X(NO_WARNINGS, NULL, 'w', NULL, EVERYWHERE, "no warnings at all")                              \
    X(DIAGNOSTICS, "diagnostics", 0, "FORMAT", EVERYWHERE,                                         \
      "how diagnostics are written: text, json (a line each) or sarif")                            \
    X(DIAGNOSTICS_OUTPUT, "diagnostics-output", 0, "FILE", EVERYWHERE,                             \
      "write diagnostics to FILE, not to standard error")                                          \
    X(MAX_ERRORS, "max-errors", 0, "N", EVERYWHERE, "stop printing after N errors (20; 0: never)") \
    X(COLOR, "color", 0, "WHEN", EVERYWHERE, "auto, always or never")                              \
    X(PREFIX_MAP, "prefix-map", 0, "OLD=NEW", EVERYWHERE,                                          \
      "print paths that begin with OLD as NEW; may be repeated")                                   \
    X(VERSION, "version", 0, NULL, EVERYWHERE, "print the version")                                \
    X(HELP, "help", 'h', NULL, EVERYWHERE, "print help; after a command, on that command")         \
    X(LIBRARY, "library", 0, "DIR", HIDDEN,                                                        \
      "read files of the library from DIR: for changes to it")                                     \
    X(PRINT, "print", 0, "WHAT", HIDDEN, "man, bash, zsh, fish or diagnostics: for the Makefile")

enum option_id {
#define OPTION(id, name, letter, takes, commands, help) OPTION_##id,
    OPTIONS(OPTION)
#undef OPTION
        OPTION_COUNT
};

// The rows as data, for reading, help, manual and completions.
struct command_row {
    const char *word, *arguments, *help;
};
extern const struct command_row command_rows[COMMAND_COUNT];

struct option_row {
    const char *name; // without `--`; NULL: a letter alone
    char letter;      // 0: none
    const char *takes;
    unsigned commands; // a bit for each
    const char *help;
};
extern const struct option_row option_rows[OPTION_COUNT];

// Outputs of build: enumerator, name in --emit, whether it is written by default.
#define EMITS(X)                                                                                   \
    X(TABLE, "table", true)                                                                        \
    X(HEADER, "header", true)                                                                      \
    X(KERNELS, "kernels", true)                                                                    \
    X(JSON, "json", true)                                                                          \
    X(SELFTEST, "selftest", false)

enum emit_id {
#define EMIT(id, name, by_default) EMIT_##id,
    EMITS(EMIT)
#undef EMIT
        EMIT_COUNT
};

// Forms of diagnostics: enumerator, word.
#define DIAG_FORMATS(X)                                                                            \
    X(TEXT, "text")                                                                                \
    X(JSON, "json")                                                                                \
    X(SARIF, "sarif")

enum diag_format {
#define FORMAT(id, word) DIAG_FORMAT_##id,
    DIAG_FORMATS(FORMAT)
#undef FORMAT
        DIAG_FORMAT_COUNT
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct prefix_map {
    const char *from, *to;
};

struct options {
    struct arena *arena;
    bool given[OPTION_COUNT];
    bool has_command;
    enum command_id command;
    VEC(const char *) args; // positional, without the command word
    const char *output, *name, *deploy, *kind;
    VEC(const char *) include_dirs;
    bool emit[EMIT_COUNT];
    int64_t layer;
    VEC(const char *) resolve;
    const char *values[OPTION_COUNT]; // of options that have no field of their own
    int64_t numbers[OPTION_COUNT];
    unsigned max_errors;
    enum color_when color;
    enum diag_format diagnostics;
    const char *diagnostics_output;     // NULL: standard error
    const char *print;                  // --print
    const char *library;                // --library
    VEC(struct prefix_map) prefix_maps; // the last that matches counts
};

// Reads the command line. -W goes to `diags` (warning_off and the like). Returns NULL when all is
// well, else one line that says what is wrong; `*help` is then a remedy or NULL.
const char *options_parse(struct arena *a, int argc, char *const argv[], struct diags *diags,
                          struct options *out, const char **help);
// Help on one command, or on the whole program (COMMAND_COUNT).
const char *options_help(struct arena *a, enum command_id command);
const char *options_help_warnings(struct arena *a); // all names that -W takes
const char *command_word(enum command_id command);
// `path` after --prefix-map; `ctx` is a struct options (load_options.map_name).
const char *options_map_path(void *ctx, const char *path);

#endif
