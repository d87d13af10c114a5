// SPDX-License-Identifier: Apache-2.0
// A name for an imported model, from the name of its file: letters and digits stay, everything else
// becomes `_`, a name that the language could misread gets a prefix. Any file name gives a name.
#include <string.h>

#include "gen/import.h"

#define NAME_MAX_BYTES 64

static const char prefix[] = "model_";

// Words with a meaning of their own in expressions or at the start of a declaration.
static const char *const words[] = {
    "all",      "and",     "any",   "as",   "auto",    "backend",     "capability", "deploy",
    "extends",  "fact",    "for",   "has",  "implies", "import",      "in",         "kind",
    "layer",    "let",     "model", "no",   "none",    "not",         "or",         "platform",
    "priority", "require", "step",  "when", "yes",     "multiple_of",
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(const char *name) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool import_name_ok(const char *name) {
    if (!is_letter(*name) || is_word(name)) {
        return false;
    }
    for (const char *c = name; *c; c++) {
        if (!is_letter(*c) && !is_digit(*c)) {
            return false;
        }
    }
    return true;
}

const char *import_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *import_name(struct arena *a, const char *path, const char *fallback) {
    const char *base = import_base_name(path), *dot = strrchr(base, '.');
    size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    char *stem = arena_strndup(a, base, n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES);
    bool says = strcmp(stem, "config") != 0;
    bool letter = false;
    for (char *c = stem; *c; c++) {
        *c = is_letter(*c) || is_digit(*c) ? *c : '_';
        letter = letter || (*c != '_' && is_letter(*c));
    }
    if (!says || !letter) {
        return fallback;
    }
    return import_name_ok(stem) ? stem : arena_printf(a, "%s%s", prefix, stem);
}
