// SPDX-License-Identifier: Apache-2.0
// JSON, written in the order of the calls. In: keys and values. Out: one text.
// Always: well formed when every json_open has its json_close.

#include "gen/json.h"

#include <assert.h>
#include <string.h>

#include "gen/number.h"
#include "grammar/utf8.h"

#define REPLACEMENT 0xfffd // U+FFFD

struct json json_of(struct arena *a) {
    return (struct json){.out = text_of(a)};
}

static void newline(struct json *j) {
    text_add(&j->out, "\n");
    text_pad(&j->out, 2 * (size_t)j->depth);
}

static void add_unicode(struct json *j, uint32_t point) {
    if (point > 0xffff) { // a surrogate pair
        text_addf(&j->out, "\\u%04x", (unsigned)(0xd800 + ((point - 0x10000) >> 10)));
        point = 0xdc00 + ((point - 0x10000) & 0x3ff);
    }
    text_addf(&j->out, "\\u%04x", (unsigned)point);
}

// Stands for itself in a string.
static bool is_plain(char c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void add_string(struct json *j, const char *s) {
    const char *end = s + strlen(s);
    text_add(&j->out, "\"");
    while (s < end) {
        if (*s == '"' || *s == '\\') {
            text_addf(&j->out, "\\%c", *s++);
        } else if (*s == '\n') {
            text_add(&j->out, "\\n");
            s++;
        } else if (is_plain(*s)) {
            const char *first = s;
            while (s < end && is_plain(*s)) {
                s++;
            }
            text_add_n(&j->out, first, (size_t)(s - first));
        } else {
            uint32_t point = REPLACEMENT;
            unsigned n = utf8_decode(s, end, &point);
            add_unicode(j, n ? point : REPLACEMENT);
            s += n ? n : 1;
        }
    }
    text_add(&j->out, "\"");
}

// What stands before a value: comma, line break, key.
static void begin(struct json *j, const char *key) {
    if (j->filled[j->depth]) {
        text_add(&j->out, ",");
    }
    if (j->depth > 0) {
        if (!j->inline_from[j->depth]) {
            newline(j);
        } else if (j->filled[j->depth]) {
            text_add(&j->out, " ");
        }
    }
    j->filled[j->depth] = true;
    if (key) {
        add_string(j, key);
        text_add(&j->out, ": ");
    }
}

void json_open(struct json *j, const char *key, char bracket, bool in_line) {
    begin(j, key);
    text_add_n(&j->out, &bracket, 1);
    assert(j->depth + 1 < JSON_MAX_DEPTH);
    bool outer = j->inline_from[j->depth];
    j->depth++;
    j->inline_from[j->depth] = outer || in_line;
    j->filled[j->depth] = false;
}

void json_close(struct json *j, char bracket) {
    bool broken = j->filled[j->depth] && !j->inline_from[j->depth];
    j->depth--;
    if (broken) {
        newline(j);
    }
    text_add_n(&j->out, &bracket, 1);
}

void json_string(struct json *j, const char *key, const char *s) {
    begin(j, key);
    if (s) {
        add_string(j, s);
    } else {
        text_add(&j->out, "null");
    }
}

void json_int(struct json *j, const char *key, int64_t v) {
    begin(j, key);
    text_add_int(&j->out, v);
}

void json_double(struct json *j, const char *key, double v) {
    char digits[32];
    number_print_double(v, digits);
    begin(j, key);
    text_add(&j->out, digits);
}

void json_bool(struct json *j, const char *key, bool v) {
    begin(j, key);
    text_add(&j->out, v ? "true" : "false");
}

void json_raw(struct json *j, const char *key, const char *text) {
    begin(j, key);
    text_add(&j->out, text);
}

void json_null(struct json *j, const char *key) {
    json_string(j, key, NULL);
}

const char *json_finish(struct json *j, size_t *len) {
    text_add(&j->out, "\n");
    *len = j->out.bytes.len;
    return text_string(&j->out);
}
