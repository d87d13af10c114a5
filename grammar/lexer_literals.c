// SPDX-License-Identifier: Apache-2.0
// Literals, comments and stray characters: the parts of the lexer that are easier to say in C than
// as regular expressions. In: the place where one starts. Out: its token, the place after it.
// Always: one error for one literal in trouble at the place of the trouble, and a token that
// parses.
#include "lexer.h"

#include <string.h>

#include "utf8.h"

static uint32_t offset(const struct lexer *lx, const char *at) {
    return (uint32_t)(at - lx->text);
}

// ---- strings

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// After `\u`: four hex digits that make a character. Writes it to `to`.
static const char *lex_unicode_escape(struct lexer *lx, const char *at, char **to, bool *bad) {
    const char *digit = at + 2;
    uint32_t c = 0;
    while (digit < lx->end && digit < at + 6 && hex_digit(*digit) >= 0) {
        c = c * 16 + (uint32_t)hex_digit(*digit);
        digit++;
    }
    const uint32_t begin = offset(lx, at), stop = offset(lx, digit);
    if (digit < at + 6) {
        report(lx->reporter, DIAG_A0107, begin, stop, "`\\u` needs four hexadecimal digits");
    } else if (c >= 0xD800 && c <= 0xDFFF) {
        report(lx->reporter, DIAG_A0107, begin, stop, "`\\u%04X` is half of a surrogate pair",
               (unsigned)c);
    } else if (utf8_is_invisible(c)) {
        report(lx->reporter, DIAG_A0107, begin, stop,
               "`\\u%04X` is a control or invisible character", (unsigned)c);
    } else {
        *to += utf8_encode(c, *to);
        return digit;
    }
    *bad = true;
    return digit;
}

// At a backslash inside a string.
static const char *lex_escape(struct lexer *lx, const char *at, char **to, bool *bad) {
    const char c = at + 1 < lx->end ? at[1] : '\n';
    switch (c) {
    case '"':
    case '\\':
        *(*to)++ = c;
        return at + 2;
    case 'n':
        *(*to)++ = '\n';
        return at + 2;
    case 'u':
        return lex_unicode_escape(lx, at, to, bad);
    case '\r':
    case '\n':
        return at + 1; // the string ends here, which is an error of its own
    default: {
        *bad = true;
        uint32_t code_point;
        const unsigned n = utf8_decode(at + 1, lx->end, &code_point);
        struct diag *g =
            report(lx->reporter, DIAG_A0106, offset(lx, at), offset(lx, at) + 1 + (n ? n : 1),
                   "unknown escape `%.*s`", 1 + (int)(n ? n : 1), at);
        diag_help(lx->reporter->diags, g,
                  "strings have the escapes `\\\"`, `\\\\`, `\\n` and `\\uXXXX`");
        return at + 1 + (n ? n : 1);
    }
    }
}

static bool ends_line(const struct lexer *lx, const char *at) {
    return at == lx->end || *at == '\n' || (*at == '\r' && at[1] == '\n');
}

const char *lex_string(struct lexer *lx, const char *at, struct token *t) {
    const char *start = at++;
    const char *close = at;
    while (!ends_line(lx, close) && *close != '"') {
        close += *close == '\\' && !ends_line(lx, close + 1) ? 2 : 1;
    }
    // No escape is shorter than what it stands for.
    char *text = arena_alloc(lx->arena, (size_t)(close - at) + 1);
    char *to = text;
    while (at < close && !lx->reporter->stopped) {
        if (*at == '\\') {
            at = lex_escape(lx, at, &to, &t->bad);
            continue;
        }
        if (*at == '\t') { // fine between tokens, so that source_check lets it pass
            report(lx->reporter, DIAG_A0101, offset(lx, at), offset(lx, at) + 1,
                   "control byte <09> (tab) in a string");
        }
        *to++ = *at++;
    }
    t->type = TOKEN_STRING;
    t->string = text;
    if (!ends_line(lx, close)) {
        return close + 1;
    }
    struct diag *g = report(lx->reporter, DIAG_A0104, offset(lx, start), offset(lx, close),
                            "string is not closed on its line");
    diag_label(lx->reporter->diags, g, "starts here");
    t->bad = true;
    return close;
}

// A string in curly quotation marks, as word processors make them: one error for the pair.
const char *lex_curly_string(struct lexer *lx, const char *at, struct token *t) {
    static const size_t mark = 3; // bytes of U+201C and of U+201D
    const char *close = at + mark;
    while (!ends_line(lx, close) && strncmp(close, "\xE2\x80\x9D", mark) != 0 &&
           strncmp(close, "\xE2\x80\x9C", mark) != 0 && *close != '"' && *close != ';') {
        close++;
    }
    struct diag *g = report(lx->reporter, DIAG_A0105, offset(lx, at), offset(lx, at) + mark,
                            "curly quotation mark U+201C");
    diag_help(lx->reporter->diags, g, "strings stand in straight quotation marks: \"...\"");
    t->type = TOKEN_STRING;
    t->bad = true;
    t->string = arena_strndup(lx->arena, at + mark, (size_t)(close - at) - mark);
    const bool closed = !ends_line(lx, close) && *close != ';';
    return !closed ? close : close + (*close == '"' ? 1 : mark);
}

// ---- numbers

static unsigned suffix_shift(char c) {
    return c == 'K' ? 10 : c == 'M' ? 20 : c == 'G' ? 30 : 0;
}

// The text is well formed: digits, or 0x and hexadecimal digits, and at most one suffix.
void lex_integer(struct lexer *lx, const char *at, const char *stop, struct token *t) {
    const bool hex = stop - at > 2 && at[1] == 'x';
    const unsigned base = hex ? 16 : 10, shift = suffix_shift(stop[-1]);
    uint64_t value = 0;
    bool fits = true;
    for (const char *c = hex ? at + 2 : at; c < stop - (shift != 0); c++) {
        const uint64_t digit = (uint64_t)hex_digit(*c);
        fits = fits && value <= (INT64_MAX - digit) / base;
        value = fits ? value * base + digit : 0;
    }
    fits = fits && value <= (uint64_t)INT64_MAX >> shift;
    t->type = TOKEN_INTEGER;
    t->integer = fits ? (int64_t)(value << shift) : 0;
    if (!fits) {
        report(lx->reporter, DIAG_A0109, offset(lx, at), offset(lx, stop),
               "number is too large (limit is %lld)", (long long)INT64_MAX);
        t->bad = true;
    }
}

#define SHOWN_DIGITS 32 // of a malformed number

static bool has_upper_or_lower(const char *at, const char *stop, char lower) {
    for (; at < stop; at++) {
        if (*at == lower || *at == lower - 'a' + 'A') {
            return true;
        }
    }
    return false;
}

// What is wrong with it, in the order in which a reader would notice.
static const char *malformed_help(const char *at, const char *stop) {
    const char last = stop[-1];
    if (memchr(at, '_', (size_t)(stop - at))) {
        return "digits are not separated: write 1000, or use a suffix K, M or G (1024^n)";
    }
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        return "a hexadecimal number is `0x` and digits 0-9, a-f, then at most one of K, M, G";
    }
    if (at[0] == '0' && at[1] >= '0' && at[1] <= '9') {
        return "a decimal number has no leading zero";
    }
    if (last == 'k' || last == 'm' || last == 'g') {
        return "suffixes are upper case: K, M, G (1024^n)";
    }
    if (memchr(at, '.', (size_t)(stop - at)) && suffix_shift(last)) {
        return "a suffix K, M or G goes with an integer only";
    }
    if (has_upper_or_lower(at, stop, 'e')) {
        return "an exponent is `e`, an optional sign, and digits";
    }
    return "a number is an integer such as 64, 8K or 0x1F, or a decimal such as 9.0 or 1e-5; a "
           "name "
           "does not start with a digit";
}

void lex_malformed_number(struct lexer *lx, const char *at, const char *stop, struct token *t) {
    const bool cut = stop - at > SHOWN_DIGITS;
    struct diag *g = report(lx->reporter, DIAG_A0108, offset(lx, at), offset(lx, stop),
                            "malformed number `%.*s%s`", cut ? SHOWN_DIGITS : (int)(stop - at), at,
                            cut ? "..." : "");
    diag_help(lx->reporter->diags, g, "%s", malformed_help(at, stop));
    t->type = TOKEN_INTEGER;
    t->bad = true;
}

// ---- comments and strays

const char *lex_block_comment(struct lexer *lx, const char *at) {
    const char *close = at + 2;
    while ((close = memchr(close, '*', (size_t)(lx->end - close))) != NULL && close[1] != '/') {
        close++;
    }
    if (close) {
        return close + 2;
    }
    struct diag *g = report(lx->reporter, DIAG_A0110, offset(lx, at), offset(lx, at) + 2,
                            "comment is not closed");
    diag_label(lx->reporter->diags, g, "starts here");
    return lx->end;
}

// Characters that look like ones of the language: code point, its name, what to write.
#define LOOK_ALIKES(X)                                                                             \
    X(0x00A0, "no-break space", "a space")                                                         \
    X(0x2007, "figure space", "a space")                                                           \
    X(0x202F, "narrow no-break space", "a space")                                                  \
    X(0x3000, "ideographic space", "a space")                                                      \
    X(0x2010, "hyphen", "`-`")                                                                     \
    X(0x2011, "non-breaking hyphen", "`-`")                                                        \
    X(0x2012, "figure dash", "`-`")                                                                \
    X(0x2013, "en dash", "`-`")                                                                    \
    X(0x2014, "em dash", "`-`")                                                                    \
    X(0x2212, "minus sign", "`-`")                                                                 \
    X(0x00D7, "multiplication sign", "`*`")                                                        \
    X(0x00F7, "division sign", "`/`")                                                              \
    X(0x2215, "division slash", "`/`")                                                             \
    X(0x2018, "left single quotation mark", "`\"`")                                                \
    X(0x2019, "right single quotation mark", "`\"`")                                               \
    X(0x201D, "right double quotation mark", "`\"`")                                               \
    X(0x201E, "low double quotation mark", "`\"`")                                                 \
    X(0x00AB, "left angle quotation mark", "`\"`")                                                 \
    X(0x00BB, "right angle quotation mark", "`\"`")                                                \
    X(0x2026, "ellipsis", "`..`")                                                                  \
    X(0x2264, "less-than or equal sign", "`<=`")                                                   \
    X(0x2265, "greater-than or equal sign", "`>=`")                                                \
    X(0x2260, "not equal sign", "`!=`")                                                            \
    X(0x2208, "element sign", "`in`")                                                              \
    X(0x037E, "Greek question mark", "`;`")                                                        \
    X(0xFF1B, "fullwidth semicolon", "`;`")                                                        \
    X(0xFF0C, "fullwidth comma", "`,`")                                                            \
    X(0xFF1D, "fullwidth equals sign", "`=`")                                                      \
    X(0x0430, "Cyrillic small letter a", "the Latin letter `a`")                                   \
    X(0x0441, "Cyrillic small letter es", "the Latin letter `c`")                                  \
    X(0x0435, "Cyrillic small letter ie", "the Latin letter `e`")                                  \
    X(0x043E, "Cyrillic small letter o", "the Latin letter `o`")                                   \
    X(0x0440, "Cyrillic small letter er", "the Latin letter `p`")                                  \
    X(0x0445, "Cyrillic small letter ha", "the Latin letter `x`")                                  \
    X(0x0443, "Cyrillic small letter u", "the Latin letter `y`")                                   \
    X(0x0456, "Cyrillic small letter i", "the Latin letter `i`")

struct look_alike {
    uint32_t code_point;
    const char *name, *instead;
};

static const struct look_alike *find_look_alike(uint32_t c) {
    static const struct look_alike rows[] = {
#define ROW(code_point, name, instead) {code_point, name, instead},
        LOOK_ALIKES(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code_point == c) {
            return &rows[i];
        }
    }
    return NULL;
}

static const char *lex_stray_ascii(struct lexer *lx, const char *at) {
    static const struct {
        char character;
        const char *help;
    } rows[] = {{'\'', "strings stand in double quotation marks: \"...\""},
                {'#', "comments are `// ...` and `/* ... */`"},
                {'!', "write `not`"},
                {'&', "write `and`"},
                {'|', "write `or`"}};
    const char *stop = at + 1;
    while (*stop == *at) { // `&&` is one mistake
        stop++;
    }
    struct diag *g = report(lx->reporter, DIAG_A0105, offset(lx, at), offset(lx, stop),
                            "character `%c` has no meaning", *at);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].character == *at) {
            diag_help(lx->reporter->diags, g, "%s", rows[i].help);
        }
    }
    return stop;
}

const char *lex_stray_character(struct lexer *lx, const char *at) {
    uint32_t c;
    const unsigned n = utf8_decode(at, lx->end, &c);
    if (n == 0 || utf8_is_invisible(c)) {
        return at + (n ? n : 1); // source_check has reported it
    }
    const uint32_t begin = offset(lx, at);
    if (c < 0x80) {
        return lex_stray_ascii(lx, at);
    }
    const struct look_alike *l = find_look_alike(c);
    struct diag *g = report(lx->reporter, DIAG_A0105, begin, begin + n,
                            "character U+%04X%s%s%s outside strings and comments", (unsigned)c,
                            l ? " (" : "", l ? l->name : "", l ? ")" : "");
    if (l) {
        diag_help(lx->reporter->diags, g, "write %s", l->instead);
    }
    return at + n;
}

// A name with letters that names may not have: the first of them is reported.
void lex_foreign_name(struct lexer *lx, const char *at, const char *stop, struct token *t) {
    while (at < stop && (unsigned char)*at < 0x80) {
        at++;
    }
    lex_stray_character(lx, at);
    t->type = TOKEN_NAME;
    t->bad = true;
}
