// SPDX-License-Identifier: Apache-2.0
// JSON text to tokens with places. Lenient: what is no token of JSON becomes a word, which jansson
// refuses later; here only nesting is limited. The copy that jansson reads has the same length, so
// that its byte positions are ours.
#include <string.h>

#include "gen/config.h"

static const char bom[] = "\xef\xbb\xbf";

struct scan {
    const char *text;
    uint32_t len, at;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return (unsigned char)c >= 0x80 || is_digit(c) || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_' || c == '+' || c == '-' || c == '.';
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static uint32_t digits(const char *text, uint32_t at, uint32_t end) {
    while (at < end && is_digit(text[at])) {
        at++;
    }
    return at;
}

// number = ["-"] ("0" | digit-1-9 {digit}) ["." digit {digit}] [("e"|"E") ["+"|"-"] digit {digit}]
static bool is_number(const char *text, uint32_t at, uint32_t end) {
    at += at < end && text[at] == '-';
    uint32_t whole = at;
    at = digits(text, at, end);
    if (at == whole || (text[whole] == '0' && at > whole + 1)) {
        return false;
    }
    if (at < end && text[at] == '.') {
        uint32_t part = ++at;
        at = digits(text, at, end);
        if (at == part) {
            return false;
        }
    }
    if (at < end && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < end && (text[at] == '+' || text[at] == '-');
        uint32_t part = at;
        at = digits(text, at, end);
        if (at == part) {
            return false;
        }
    }
    return at == end;
}

static bool is_nonfinite(const char *text, uint32_t len) {
    static const char *const spellings[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (strlen(spellings[i]) == len && memcmp(spellings[i], text, len) == 0) {
            return true;
        }
    }
    return false;
}

// To the closing quote, or to the end of the line where there is none.
static uint32_t string_end(const struct scan *s) {
    uint32_t at = s->at + 1;
    while (at < s->len && s->text[at] != '"' && s->text[at] != '\n') {
        at += s->text[at] == '\\' && at + 1 < s->len && s->text[at + 1] != '\n' ? 2 : 1;
    }
    return at < s->len && s->text[at] == '"' ? at + 1 : at;
}

static struct json_token next_token(struct scan *s) {
    struct json_token t = {JSON_WORD, s->at, s->at + 1};
    char c = s->text[s->at];
    if (c == '"') {
        t.kind = JSON_STRING_TOKEN;
        t.end = string_end(s);
    } else if (c && strchr("{}[]:,", c)) {
        t.kind = JSON_PUNCTUATION;
    } else if (is_word(c)) {
        while (t.end < s->len && is_word(s->text[t.end])) {
            t.end++;
        }
        if (is_number(s->text, t.begin, t.end)) {
            t.kind = JSON_NUMBER;
        } else if (is_nonfinite(s->text + t.begin, t.end - t.begin)) {
            t.kind = JSON_NONFINITE;
        }
    }
    s->at = t.end;
    return t;
}

static void replace(char *plain, struct json_token t, const char *by) {
    size_t len = strlen(by), room = t.end - t.begin;
    memset(plain + t.begin, ' ', room);
    memcpy(plain + t.begin, by, len < room ? len : room);
}

// "NaN" has three bytes, too few for null: a number does as well, since only the place counts.
static void make_plain(char *plain, struct json_token t) {
    if (t.kind == JSON_NUMBER || t.kind == JSON_NONFINITE) {
        replace(plain, t, "0");
    }
}

bool config_scan(struct arena *a, const char *text, uint32_t len, struct json_tokens *out,
                 char *plain, uint32_t *too_deep) {
    struct scan s = {text, len, 0};
    memcpy(plain, text, len);
    if (len >= strlen(bom) && memcmp(text, bom, strlen(bom)) == 0) {
        s.at = (uint32_t)strlen(bom);
        memset(plain, ' ', strlen(bom));
    }
    unsigned depth = 0;
    while (s.at < len) {
        if (is_space(text[s.at])) {
            s.at++;
            continue;
        }
        struct json_token t = next_token(&s);
        if (t.kind == JSON_PUNCTUATION) {
            char c = text[t.begin];
            depth += c == '{' || c == '[';
            depth -= depth > 0 && (c == '}' || c == ']');
            if (depth > CONFIG_MAX_DEPTH) {
                *too_deep = t.begin;
                return false;
            }
        }
        make_plain(plain, t);
        VEC_PUSH(a, out, t);
    }
    return true;
}
