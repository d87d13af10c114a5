// SPDX-License-Identifier: Apache-2.0
// A JSON text as a tree whose every value knows its place. jansson decides what is JSON; a scanner
// of our own adds the spans that jansson does not keep, accepts the NaN and Infinity that Python
// writes, and keeps numbers as they are spelled. Only what a caller reads is judged.
#ifndef GEN_CONFIG_H
#define GEN_CONFIG_H

#include "grammar/diag.h"

#define CONFIG_MAX_DEPTH 100 // arrays and objects inside one another

// X(enumerator, noun phrase)
#define CONFIG_KINDS(X)                                                                            \
    X(NULL, "null")                                                                                \
    X(BOOL, "a truth value")                                                                       \
    X(NUMBER, "a number")                                                                          \
    X(NONFINITE, "no finite number")                                                               \
    X(STRING, "a string")                                                                          \
    X(ARRAY, "an array")                                                                           \
    X(OBJECT, "an object")

enum config_kind {
#define CONFIG_KIND(id, text) CONFIG_##id,
    CONFIG_KINDS(CONFIG_KIND)
#undef CONFIG_KIND
};
const char *config_kind_text(enum config_kind kind);

struct config_value;
VEC_TYPE(config_values, struct config_value *);

struct config_value {
    enum config_kind kind;
    struct span span;
    const struct config_value *parent; // NULL for the whole
    const char *key;                   // in an object, else NULL
    const char *shown;                 // key in messages where it is another, else NULL
    size_t index;                      // in an array
    bool yes;                          // BOOL
    const char *text;                  // STRING: its UTF-8; NUMBER, NONFINITE: as spelled
    size_t len;                        // of text
    struct config_values members;      // ARRAY, OBJECT: in order
};

// Reads the registered text `file`. The whole is an object. NULL after an error (one, located).
struct config_value *config_read(struct arena *a, struct diags *d, uint32_t file);
// "text_config.layer_types[3]", safe to print.
const char *config_path(struct arena *a, const struct config_value *v);
// A short scalar as the file spells it, in backquotes; else its kind. Safe to print.
const char *config_shown(struct arena *a, const struct diags *d, const struct config_value *v);
// The member of an object, or NULL where it is absent or null: for most fields the same thing.
const struct config_value *config_get(const struct config_value *object, const char *key);
// The member even where it is null.
const struct config_value *config_member(const struct config_value *object, const char *key);

// ---- between config.c and config_scan.c

enum json_token_kind {
    JSON_PUNCTUATION,
    JSON_STRING_TOKEN,
    JSON_NUMBER,
    JSON_NONFINITE,
    JSON_WORD
};

struct json_token {
    enum json_token_kind kind;
    uint32_t begin, end;
};
VEC_TYPE(json_tokens, struct json_token);

// Cuts the text into tokens and writes to `plain` (len bytes) a copy of equal length that jansson
// can judge: numbers of good form are 0, NaN and Infinity null, a leading BOM is blank. Returns
// false with *too_deep set at a bracket beyond CONFIG_MAX_DEPTH.
bool config_scan(struct arena *a, const char *text, uint32_t len, struct json_tokens *out,
                 char *plain, uint32_t *too_deep);

#endif
