// SPDX-License-Identifier: Apache-2.0
// JSON, written in the order of the calls: two blanks of indent, one member a line, or a whole
// value in one line where it was opened so. Text is ASCII: the rest is escaped, and a byte that is
// no UTF-8 becomes U+FFFD. Numbers do not know the locale.
#ifndef GEN_JSON_H
#define GEN_JSON_H

#include "gen/text.h"

#define JSON_MAX_DEPTH 16

struct json {
    struct text out;
    unsigned depth;
    bool inline_from[JSON_MAX_DEPTH]; // this level stands in one line
    bool filled[JSON_MAX_DEPTH];      // this level has a member already
};

struct json json_of(struct arena *a);
// In an object every value follows its key; in an array, and at the top, `key` is NULL.
void json_open(struct json *j, const char *key, char bracket, bool in_line); // '{' or '['
void json_close(struct json *j, char bracket);                               // '}' or ']'
void json_string(struct json *j, const char *key, const char *s);            // NULL: null
void json_int(struct json *j, const char *key, int64_t v);
void json_double(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);
void json_raw(struct json *j, const char *key, const char *text); // JSON already, in one line
void json_null(struct json *j, const char *key);
const char *json_finish(struct json *j, size_t *len); // with a final newline

#endif
