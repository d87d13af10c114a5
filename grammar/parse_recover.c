// SPDX-License-Identifier: Apache-2.0
// Error recovery. In: a parse whose next token does not fit. Out: one that goes on, at the same
// token after a repair, or after the item. Always: an item in error ends where its text seems to
// end, blocks inside it are still parsed, and what was made up is nothing that has a meaning of its
// own.
#include "parse_state.h"

static uint16_t type_at(const struct parse *p, size_t at) {
    return at < p->tokens.len ? p->tokens.at[at].type : TOKEN_END;
}

bool parse_starts_decl(const struct parse *p, size_t at) {
    const uint16_t word = type_at(p, at);
    const bool may_start = at == 0 || p->tokens.at[at].starts_line ||
                           type_at(p, at - 1) == TOKEN_RBRACE || type_at(p, at - 1) == TOKEN_SEMI;
    if (!may_start) {
        return false;
    }
    if (word == TOKEN_IMPORT) {
        return type_at(p, at + 1) == TOKEN_STRING;
    }
    if (!parse_is_name(type_at(p, at + 1))) {
        return false;
    }
    const uint16_t third = type_at(p, at + 2);
    switch (word) {
    case TOKEN_CAPABILITY:
        return third == TOKEN_COLON;
    case TOKEN_MODEL:
    case TOKEN_DEPLOY:
    case TOKEN_BACKEND:
    case TOKEN_PLATFORM:
    case TOKEN_PRIORITY:
    case TOKEN_KIND:
        return third == TOKEN_LBRACE ||
               (third == TOKEN_EXTENDS && parse_is_name(type_at(p, at + 3)) &&
                type_at(p, at + 4) == TOKEN_LBRACE);
    default:
        return false;
    }
}

bool parse_starts_item(const struct parse *p, size_t at) {
    const uint16_t first = type_at(p, at), second = type_at(p, at + 1);
    switch (first) {
    case TOKEN_LAYER:
        return second == TOKEN_ALL || second == TOKEN_INTEGER;
    case TOKEN_LET:
    case TOKEN_FACT:
    case TOKEN_FOR:
        return parse_is_name(second);
    case TOKEN_REQUIRE:
        return true;
    default:
        return parse_is_name(first) && (second == TOKEN_ASSIGN || second == TOKEN_LBRACE ||
                                        (second == TOKEN_DOT && parse_is_name(type_at(p, at + 2)) &&
                                         type_at(p, at + 3) == TOKEN_ASSIGN));
    }
}

void parse_close(struct parse *p, size_t depth) {
    if (p->expressions || !parse_accepts(p, depth < p->openers.len ? TOKEN_RBRACE : TOKEN_END)) {
        const bool complete = p->expressions == 0 && parse_accepts(p, TOKEN_SEMI);
        parse_insert(p, complete ? TOKEN_SEMI : TOKEN_SKIP);
    }
    while (p->openers.len > depth && !p->gave_up) {
        parse_insert(p, TOKEN_RBRACE);
    }
}

// Whether `inserted` (0: nothing) makes the tokens from `at` on fit: two of them, to be sure.
static bool would_fit(const struct parse *p, uint16_t inserted, size_t at) {
    uint16_t types[3];
    size_t n = 0;
    if (inserted) {
        types[n++] = inserted;
    }
    types[n++] = type_at(p, at);
    if (types[n - 1] != TOKEN_END) {
        types[n++] = type_at(p, at + 1);
    }
    return parser_accepts(p->parser, types, n);
}

// Whether the token may be left out. Brackets hold the text together: an opener stays, and so does
// a closer at the end of its line.
static bool may_drop(const struct parse *p, size_t at) {
    const uint16_t type = type_at(p, at);
    if (type == TOKEN_END || type == TOKEN_LPAREN || type == TOKEN_LBRACKET ||
        type == TOKEN_LBRACE) {
        return false;
    }
    if (p->tokens.at[at].starts_line && parse_starts_item(p, at)) {
        return false;
    }
    return !parse_is_closer(type) ||
           (type_at(p, at + 1) != TOKEN_END && !p->tokens.at[at + 1].starts_line);
}

// Another mark where this one stands: the bracket that closes what is open, = for == and :, or ,
// and ; for each other. 0 if none fits.
static uint16_t substitute(const struct parse *p) {
    const uint16_t type = type_at(p, p->next);
    const uint16_t other = type == TOKEN_EQ || type == TOKEN_COLON ? TOKEN_ASSIGN
                           : type == TOKEN_COMMA                   ? TOKEN_SEMI
                           : type == TOKEN_SEMI                    ? TOKEN_COMMA
                           : parse_is_closer(type)                 ? parse_closer(p)
                                                                   : 0;
    return other && would_fit(p, other, p->next + 1) ? other : 0;
}

// Repairs with one mark, in order of likelihood: another mark in its place, a missing mark before
// it, one too many.
static bool repair(struct parse *p) {
    static const uint16_t missing[] = {TOKEN_SEMI,   TOKEN_RPAREN, TOKEN_RBRACKET,
                                       TOKEN_RBRACE, TOKEN_COMMA,  TOKEN_ASSIGN};
    const uint16_t other = substitute(p);
    if (other) {
        p->tokens.at[p->next].type = other;
        return true;
    }
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if (would_fit(p, missing[i], p->next)) {
            parse_insert(p, missing[i]);
            return true;
        }
    }
    // A head that only `{` can follow; after a name alone, the name may be what is wrong.
    if (p->tokens.at[p->next].starts_line && !p->item_dirty && !parse_accepts(p, TOKEN_ASSIGN) &&
        would_fit(p, TOKEN_LBRACE, p->next)) {
        parse_insert(p, TOKEN_LBRACE);
        return true;
    }
    if (may_drop(p, p->next) && would_fit(p, 0, p->next + 1)) {
        p->next++;
        return true;
    }
    return false;
}

// Whether a line there looks like a declaration or import with its first word misspelt.
static bool resembles_decl(const struct parse *p, size_t at) {
    const uint16_t second = type_at(p, at + 1), third = type_at(p, at + 2);
    return type_at(p, at) == TOKEN_NAME && p->tokens.at[at].starts_line &&
           (second == TOKEN_STRING ||
            (parse_is_name(second) && (third == TOKEN_LBRACE || third == TOKEN_EXTENDS)));
}

// Whether the token is the brace of a block, by what is in it, and not of a set.
static bool opens_block(const struct parse *p, size_t at) {
    return type_at(p, at) == TOKEN_LBRACE &&
           (parse_starts_item(p, at + 1) || type_at(p, at + 1) == TOKEN_RBRACE);
}

// At file level: on to the next declaration, or into the body of what should have been one. Items
// that stand there belong to a declaration that ended too soon or began in error: they are parsed
// in a block that is made up around them, and the brace that is one too many closes it.
static void skip_decl(struct parse *p) {
    const size_t from = p->next;
    for (;; p->next++) {
        const uint16_t type = type_at(p, p->next);
        const bool first = p->next == from;
        if (type == TOKEN_END ||
            (!first && (parse_starts_decl(p, p->next) || resembles_decl(p, p->next)))) {
            parse_insert(p, TOKEN_SKIP);
            return;
        }
        const bool line = first || p->tokens.at[p->next].starts_line;
        if (opens_block(p, p->next) || (line && parse_starts_item(p, p->next))) {
            parse_insert(p, TOKEN_SKIP_BLOCK);
            p->next += type == TOKEN_LBRACE;
            return;
        }
    }
}

static unsigned open_sets(const struct parse *p) {
    unsigned sets = 0;
    for (size_t i = p->openers.len; i-- > 0 && !p->openers.at[i].block;) {
        sets += type_at(p, p->openers.at[i].token) == TOKEN_LBRACE;
    }
    return sets;
}

// In a block: to the end of the item. That is a `;`, the block's own `}`, a block that the item
// opens, or a line that begins another item.
static void skip_item(struct parse *p) {
    unsigned sets = open_sets(p);
    for (;; p->next++) {
        const uint16_t type = type_at(p, p->next);
        const bool starts_line = p->tokens.at[p->next].starts_line;
        if (type == TOKEN_END) {
            parse_close(p, 0); // no word about brackets: what was skipped may have closed them
            return;
        }
        if ((type == TOKEN_RBRACE && sets == 0) ||
            (starts_line && (parse_starts_item(p, p->next) || parse_starts_decl(p, p->next)))) {
            parse_insert(p, TOKEN_SKIP);
            return;
        }
        if (type == TOKEN_SEMI) {
            parse_insert(p, TOKEN_SKIP);
            p->next++;
            return;
        }
        if (opens_block(p, p->next)) {
            if (!parser_recovers(p->parser, TOKEN_SKIP_BLOCK)) {
                parse_insert(p, TOKEN_SKIP); // ends the value; the block is an item without a head
            }
            parse_insert(p, TOKEN_SKIP_BLOCK);
            p->next++;
            return;
        }
        sets += type == TOKEN_LBRACE;
        sets -= type == TOKEN_RBRACE;
    }
}

void parse_recover(struct parse *p) {
    if (repair(p)) {
        return;
    }
    if (type_at(p, p->next) == TOKEN_END) {
        parse_close(p, 0);
    } else if (p->openers.len) {
        skip_item(p);
    } else {
        skip_decl(p);
    }
}
