// SPDX-License-Identifier: Apache-2.0
// Syntax error messages: "expected X after Y, saw Z". In: a parse whose next token does not fit.
// Out: at most one error for the item at hand. Always: what was expected is asked of the grammar's
// tables, and only grouped here; names shown are cut to a sane length.
#include "parse_state.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 40 // of a name or literal
#define MAX_PHRASES 6  // in a list of what was expected

static const struct token *token_at(const struct parse *p, size_t at) {
    return &p->tokens.at[at];
}

// The token before the one in error, or NULL at the start of the file.
static const struct token *before(const struct parse *p) {
    return p->next ? token_at(p, p->next - 1) : NULL;
}

// ---- noun phrases

static const char *shown_text(struct parse *p, const struct token *t) {
    const char *text = p->source->text + t->begin;
    const uint32_t len = t->end - t->begin;
    if (len <= SHOWN_BYTES) {
        return arena_strndup(p->arena, text, len);
    }
    int cut = SHOWN_BYTES;
    while (cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80) {
        cut--; // not inside a character
    }
    return arena_printf(p->arena, "%.*s...", cut, text);
}

static const char *noun(struct parse *p, const struct token *t) {
    const struct token_info *info = &token_infos[t->type];
    if (t->type == TOKEN_END) {
        return info->text;
    }
    if (info->fixed) {
        return arena_printf(p->arena, "`%s`", shown_text(p, t));
    }
    return arena_printf(p->arena, "%s `%s`", info->text, shown_text(p, t));
}

// ---- what was expected

struct expected {
    bool fits[TOKEN_COUNT];
    const char *phrases[MAX_PHRASES];
    size_t count;
};

static void add_phrase(struct expected *e, const char *phrase) {
    if (e->count < MAX_PHRASES) {
        e->phrases[e->count++] = phrase;
    }
}

// Tokens of the class that fit, each quoted.
static void add_tokens(struct parse *p, struct expected *e, enum token_class class) {
    for (uint16_t type = 1; type < TOKEN_COUNT; type++) {
        const struct token_info *info = &token_infos[type];
        if (e->fits[type] && info->class == class && info->fixed) {
            add_phrase(e, arena_printf(p->arena, "`%s`", info->text));
        }
    }
}

// A name fits wherever a soft word does, so that words are listed only where no name fits.
static struct expected find_expected(struct parse *p) {
    struct expected e = {.count = 0};
    for (uint16_t type = 0; type < TOKEN_COUNT; type++) {
        const bool exists = type == TOKEN_END || token_infos[type].text;
        e.fits[type] = exists && token_infos[type].class != CLASS_INNER && parse_accepts(p, type);
    }
    const bool name = e.fits[TOKEN_NAME], string = e.fits[TOKEN_STRING];
    const bool integer = e.fits[TOKEN_INTEGER], declaration = e.fits[TOKEN_MODEL] && !name;
    if (name) {
        add_phrase(&e, string ? "a value" : integer ? "an item" : "a name");
    } else if (string) {
        add_phrase(&e, "a string");
    } else if (integer) {
        add_phrase(&e, "a whole number");
    } else if (declaration) {
        add_phrase(&e, "a declaration");
    }
    if (string && name) {
        e.fits[TOKEN_LBRACE] = false; // the start of a set: a value
    }
    add_tokens(p, &e, CLASS_MARK);
    if (!name && !declaration) {
        add_tokens(p, &e, CLASS_WORD);
    }
    if (e.count == 0) {
        add_tokens(p, &e, CLASS_LINK);
    }
    return e;
}

static const char *join(struct parse *p, const struct expected *e) {
    const char *text = e->count ? e->phrases[0] : "something else";
    for (size_t i = 1; i < e->count; i++) {
        text = arena_printf(p->arena, "%s%s%s", text, i + 1 == e->count ? " or " : ", ",
                            e->phrases[i]);
    }
    return text;
}

// ---- places

static bool ends_or_opens(uint16_t type) {
    return type == TOKEN_SEMI || type == TOKEN_LBRACE || type == TOKEN_RBRACE;
}

// Where something is missing at the end of a line, the place is the end of that line.
static struct span place_of(const struct parse *p) {
    const struct token *t = token_at(p, p->next), *prev = before(p);
    if (prev && (t->type == TOKEN_END || (t->starts_line && !ends_or_opens(prev->type)))) {
        return report_span(p->reporter, prev->end, prev->end);
    }
    return parse_span(p, t);
}

// The innermost open bracket of the text, or NULL.
static const struct token *innermost(const struct parse *p) {
    for (size_t i = p->openers.len; i-- > 0;) {
        if (!p->openers.at[i].invented) {
            return token_at(p, p->openers.at[i].token);
        }
    }
    return NULL;
}

static unsigned line_of(const struct parse *p, const struct token *t) {
    return source_position(p->reporter->diags->sources, p->reporter->file, t->begin).line;
}

// ---- help for mistakes that people make

static bool is_comparison(uint16_t type) {
    return (type >= TOKEN_EQ && type <= TOKEN_GE) || type == TOKEN_HAS || type == TOKEN_IN;
}

static const char *help_for(const struct parse *p, const struct expected *e) {
    const uint16_t saw = token_at(p, p->next)->type;
    const uint16_t prev = before(p) ? before(p)->type : TOKEN_END;
    const uint16_t next = p->next + 1 < p->tokens.len ? token_at(p, p->next + 1)->type : TOKEN_END;
    if (prev == TOKEN_IMPORT) {
        return "the path of an import stands in quotes: import \"std/cuda.attn\";";
    }
    if (e->fits[TOKEN_IMPORT] && !e->fits[TOKEN_NAME] && next == TOKEN_STRING) {
        return "another file is read with: import \"std/cuda.attn\";";
    }
    if (e->fits[TOKEN_IMPORT] && !e->fits[TOKEN_NAME] && parse_starts_item(p, p->next)) {
        return "items stand inside a declaration, and the one before is closed";
    }
    if (saw == TOKEN_SEMI && prev == TOKEN_RBRACE) {
        return "no `;` follows a block";
    }
    if (saw == TOKEN_COMMA && prev == TOKEN_INTEGER && next == TOKEN_INTEGER &&
        before(p)->end + 1 == token_at(p, p->next + 1)->begin) {
        return "the decimal point is `.`";
    }
    if (saw == TOKEN_MINUS && prev == TOKEN_NAME && !e->fits[TOKEN_PLUS]) {
        return "a name consists of letters, digits and `_`";
    }
    if (is_comparison(saw) && e->fits[TOKEN_AND]) {
        return "comparisons do not chain; join two of them with `and`";
    }
    if (saw == TOKEN_ASSIGN && e->fits[TOKEN_AND]) {
        return "`=` gives a value, `==` compares";
    }
    if (saw == TOKEN_ASSIGN && (e->fits[TOKEN_ALL] || e->fits[TOKEN_NAME])) {
        return "an item that begins with `layer`, `let`, `fact`, `for` or `require` is that "
               "construct; no attribute has such a name";
    }
    if (prev == TOKEN_COMMA && parse_is_closer(saw)) {
        return "no comma follows the last element";
    }
    return NULL;
}

// ---- messages

// Whether the item may have an error of its own still; from here on it has one.
static bool first_in_item(struct parse *p) {
    const bool first = !p->item_failed && !p->item_dirty;
    p->item_failed = true;
    return first;
}

static void add_opener(struct parse *p, struct diag *g, const struct token *opener) {
    diag_note(p->reporter->diags, g, parse_span(p, opener), "`%s` is opened here",
              token_infos[opener->type].text);
}

static void report_unclosed(struct parse *p, const struct token *opener, const struct token *t) {
    if (!opener) {
        return; // only brackets that recovery made up: their cause has been reported
    }
    const struct span at = place_of(p);
    struct diag *g = report(
        p->reporter, DIAG_A0202, at.begin, at.end, "expected `%s` to close `%s` at line %u, saw %s",
        token_infos[parse_closer_of(opener->type)].text, token_infos[opener->type].text,
        line_of(p, opener), t->type == TOKEN_END ? noun(p, t) : "another declaration");
    add_opener(p, g, opener);
}

void parse_error_unclosed(struct parse *p) {
    if (first_in_item(p)) {
        report_unclosed(p, innermost(p), token_at(p, p->next));
    }
}

void parse_error_misspelt(struct parse *p, uint16_t word) {
    if (!first_in_item(p)) {
        return;
    }
    const struct token *t = token_at(p, p->next);
    const struct expected e = find_expected(p);
    struct diag *g = report(p->reporter, DIAG_A0204, t->begin, t->end, "expected %s, saw %s",
                            join(p, &e), noun(p, t));
    diag_help(p->reporter->diags, g, "the word here is spelled `%s`", token_infos[word].text);
}

static bool is_reserved(uint16_t type) {
    return token_infos[type].word && !parse_is_name(type);
}

// What comes before, as the message calls it.
static const char *after_phrase(struct parse *p, const struct expected *e) {
    const struct token *prev = before(p);
    if (!prev) {
        return " at the start of the file";
    }
    if (e->fits[TOKEN_PLUS] && !e->fits[TOKEN_NAME]) {
        return " after the value";
    }
    return arena_printf(p->arena, " after %s", noun(p, prev));
}

static void report_stray_closer(struct parse *p, const struct token *t) {
    struct diag *g =
        report(p->reporter, DIAG_A0203, t->begin, t->end, "%s closes nothing", noun(p, t));
    diag_help(p->reporter->diags, g, "every bracket opened before it is closed already");
}

void parse_error(struct parse *p) {
    if (!first_in_item(p)) {
        return;
    }
    const struct token *t = token_at(p, p->next), *opener = innermost(p);
    if (t->type == TOKEN_END && p->openers.len) {
        report_unclosed(p, opener, t);
        return;
    }
    if (parse_is_closer(t->type) && p->openers.len == 0) {
        report_stray_closer(p, t);
        return;
    }
    const struct expected e = find_expected(p);
    const bool unclosed = opener && e.fits[parse_closer_of(opener->type)] &&
                          (parse_is_closer(t->type) || (t->type == TOKEN_SEMI && p->expressions));
    const bool reserved = e.fits[TOKEN_NAME] && !e.fits[TOKEN_STRING] && is_reserved(t->type);
    const char *close = unclosed ? arena_printf(p->arena, ", to close `%s` at line %u",
                                                token_infos[opener->type].text, line_of(p, opener))
                                 : "";
    const struct span at = place_of(p);
    struct diag *g =
        report(p->reporter,
               unclosed   ? DIAG_A0202
               : reserved ? DIAG_A0205
                          : DIAG_A0201,
               at.begin, at.end, "expected %s%s%s, saw %s%s", join(p, &e), after_phrase(p, &e),
               close, reserved ? "the reserved word " : "", noun(p, t));
    if (unclosed) {
        add_opener(p, g, opener);
    }
    const char *help = help_for(p, &e);
    if (help) {
        diag_help(p->reporter->diags, g, "%s", help);
    }
}

// ---- misspelt words

// Whether the name at p->next is one that no attribute could have there, judged by what follows.
static bool begins_item_wrongly(const struct parse *p, uint16_t next) {
    const bool item = parse_accepts(p, TOKEN_INTEGER) && !parse_accepts(p, TOKEN_STRING);
    return item && next != TOKEN_ASSIGN && next != TOKEN_LBRACE && next != TOKEN_DOT;
}

uint16_t parse_nearest_word(struct parse *p) {
    const struct token *t = token_at(p, p->next);
    if (t->type != TOKEN_NAME) {
        return 0;
    }
    const uint16_t next = token_at(p, p->next + 1)->type;
    if (parse_accepts(p, TOKEN_NAME) && !begins_item_wrongly(p, next)) {
        return 0;
    }
    const char *words[TOKEN_COUNT];
    uint16_t types[TOKEN_COUNT];
    size_t n = 0;
    for (uint16_t type = 1; type < TOKEN_COUNT; type++) {
        const uint16_t pair[] = {type, next};
        if (token_infos[type].word && parser_accepts(p->parser, pair, 2)) {
            words[n] = token_infos[type].text;
            types[n++] = type;
        }
    }
    const char *name = arena_strndup(p->arena, p->source->text + t->begin, t->end - t->begin);
    const char *nearest = diag_nearest(p->arena, name, words, n);
    for (size_t i = 0; i < n; i++) {
        if (words[i] == nearest) {
            return types[i];
        }
    }
    return 0;
}
