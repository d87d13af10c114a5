// SPDX-License-Identifier: Apache-2.0
// First step of the formatter. In: the tokens of a correct file. Out: pieces, that is tokens and
// the comments between them, each with the blank that goes before it and whether a line may begin
// with it; and the tree of entries. Always: every token and every comment is one piece.
#include "format_state.h"

#include <string.h>

#include "utf8.h"

bool piece_is_comment(const struct piece *p) {
    return p->type >= PIECE_BLOCK_COMMENT;
}

// ---- pieces

static uint32_t text_width(const char *text, uint32_t len) {
    uint32_t width = 0;
    for (const char *at = text, *end = text + len; at < end;) {
        uint32_t c;
        unsigned n = utf8_decode(at, end, &c);
        width = *at == '\n' ? 0 : width + (n ? utf8_width(c) : 1);
        at += n ? n : 1;
    }
    return width;
}

// A comment without blanks at its end and without carriage returns.
static const char *comment_text(struct arena *a, const char *text, uint32_t *len) {
    char *copy = arena_alloc(a, (size_t)*len + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < *len; i++) {
        if (text[i] != '\r') {
            copy[n++] = text[i];
        }
    }
    while (n > 0 && (copy[n - 1] == ' ' || copy[n - 1] == '\t')) {
        n--;
    }
    *len = n;
    return copy;
}

static void add_piece(struct format *f, uint16_t type, const char *text, uint32_t len,
                      uint32_t newlines) {
    struct piece p = {.type = type, .text = text, .len = len, .newlines = newlines};
    p.bracket = FORMAT_NONE;
    if (piece_is_comment(&p)) {
        p.text = comment_text(f->arena, text, &p.len);
    }
    p.width = text_width(p.text, p.len);
    VEC_PUSH(f->arena, &f->pieces, p);
}

// The comments between two tokens. Gives the line ends before the next token.
static uint32_t add_comments(struct format *f, const char *at, const char *end) {
    uint32_t newlines = 0;
    while (at < end) {
        const char *stop = at + 1;
        if (*at == '/') {
            bool line = at[1] == '/';
            stop = line ? memchr(at, '\n', (size_t)(end - at)) : strstr(at + 2, "*/") + 2;
            stop = stop ? stop : end;
            add_piece(f, line ? PIECE_LINE_COMMENT : PIECE_BLOCK_COMMENT, at, (uint32_t)(stop - at),
                      newlines);
            newlines = 0;
        } else {
            newlines += *at == '\n';
        }
        at = stop;
    }
    return newlines;
}

static void read_pieces(struct format *f, const struct tokens *tokens) {
    const char *text = f->source->text;
    uint32_t at = f->source->lines.at[0]; // after the byte order mark
    for (size_t i = 0; i < tokens->len; i++) {
        const struct token *t = &tokens->at[i];
        uint32_t newlines = add_comments(f, text + at, text + t->begin);
        add_piece(f, t->type, text + t->begin, t->end - t->begin, newlines);
        at = t->end;
    }
}

// ---- blanks and places to break, token by token

struct reading {
    struct format *f;
    size_t previous;    // piece before, or FORMAT_NONE
    uint16_t token;     // type of the token before
    bool after_operand; // an operator is expected
    bool after_minus;   // a sign, not an operator
};

static bool is_opener(uint16_t type) {
    return type == TOKEN_LPAREN || type == TOKEN_LBRACKET || type == TOKEN_LBRACE;
}

static bool is_closer(uint16_t type) {
    return type == TOKEN_RPAREN || type == TOKEN_RBRACKET || type == TOKEN_RBRACE;
}

static bool wants_space(const struct reading *r, const struct piece *p) {
    if (r->previous == FORMAT_NONE) {
        return false;
    }
    const bool after_comment = piece_is_comment(&r->f->pieces.at[r->previous]);
    switch (after_comment ? PIECE_BLOCK_COMMENT : r->token) {
    case TOKEN_LPAREN:
    case TOKEN_LBRACKET:
    case TOKEN_DOT:
    case TOKEN_DOTDOT:
        return piece_is_comment(p);
    default:
        break;
    }
    switch (p->type) {
    case TOKEN_RPAREN:
    case TOKEN_RBRACKET:
    case TOKEN_COMMA:
    case TOKEN_SEMI:
    case TOKEN_DOT:
    case TOKEN_DOTDOT:
        return false;
    case TOKEN_LPAREN: // of a call
        return after_comment || !(r->after_operand || r->after_minus);
    case TOKEN_RBRACE:
        return after_comment || r->token != TOKEN_LBRACE;
    default:
        return after_comment || piece_is_comment(p) || !r->after_minus;
    }
}

// Does an operand end with this token, so that an operator or a link comes next?
static bool ends_operand(const struct reading *r, uint16_t type, bool begins_entry) {
    const struct token_info *info = &token_infos[type];
    if (is_closer(type)) {
        return true;
    }
    if (begins_entry && type == TOKEN_REQUIRE) {
        return false;
    }
    if (!r->after_operand) { // words are names where a name is expected
        return !is_opener(type) && type != TOKEN_NOT && type != TOKEN_MULTIPLE_OF &&
               type != TOKEN_MINUS && (!info->fixed || info->word);
    }
    return info->class == CLASS_VALUE && !is_opener(type);
}

// Behind the relation of a capability comes a value, or `when`.
static bool when_follows(const struct format *f, size_t i) {
    do {
        i++;
    } while (piece_is_comment(&f->pieces.at[i]));
    return f->pieces.at[i].type == TOKEN_WHEN;
}

static void set_break(const struct reading *r, struct piece *p, unsigned depth) {
    static const struct {
        uint16_t type;
        enum break_level level;
    } words[] = {
        {TOKEN_COLON, BREAK_COMMA},   {TOKEN_IMPLIES, BREAK_IMPLIES},
        {TOKEN_OR, BREAK_OR},         {TOKEN_AND, BREAK_AND},
        {TOKEN_WHEN, BREAK_WHEN},     {TOKEN_PLUS, BREAK_SUM},
        {TOKEN_MINUS, BREAK_SUM},     {TOKEN_STAR, BREAK_PRODUCT},
        {TOKEN_SLASH, BREAK_PRODUCT}, {TOKEN_PERCENT, BREAK_PRODUCT},
    };
    p->may_break = r->token == TOKEN_COMMA;
    p->level = depth * BREAK_LEVELS + BREAK_COMMA;
    for (size_t i = 0; i < sizeof words / sizeof *words && r->after_operand; i++) {
        if (p->type == words[i].type) {
            p->may_break = true;
            p->level = depth * BREAK_LEVELS + words[i].level;
        }
    }
}

// Sets the blank, the brackets and the breaks of pieces [first, end), an entry's head.
static void read_head(struct format *f, struct entry *e) {
    struct reading r = {.f = f, .previous = FORMAT_NONE, .token = TOKEN_SEMI};
    size_t bracket = FORMAT_NONE;
    unsigned depth = 0;
    for (size_t i = e->first; i < e->end; i++) {
        struct piece *p = &f->pieces.at[i];
        p->space = wants_space(&r, p);
        if (is_closer(p->type)) {
            bracket = f->pieces.at[bracket].bracket;
            depth--;
        }
        p->bracket = bracket;
        if (!piece_is_comment(p)) {
            bool relation = e->sort == ENTRY_CAPABILITY && e->stop != FORMAT_NONE &&
                            r.token == TOKEN_COLON && depth == 0;
            set_break(&r, p, depth);
            p->may_break = p->may_break && !(e->sort == ENTRY_CAPABILITY && i == e->stop);
            r.after_minus = p->type == TOKEN_MINUS && !r.after_operand;
            r.after_operand =
                relation ? when_follows(f, i) : ends_operand(&r, p->type, i == e->first);
            r.token = p->type;
        }
        if (is_opener(p->type)) {
            bracket = i;
            depth++;
        }
        r.previous = i;
    }
}

// ---- entries

struct cursor {
    struct format *f;
    size_t at;
    bool top; // outside of all declarations
};

static size_t skip_remarks(const struct format *f, size_t at) {
    while (piece_is_comment(&f->pieces.at[at]) && f->pieces.at[at].newlines == 0) {
        at++;
    }
    return at;
}

static enum entry_sort sort_of(const struct cursor *c, uint16_t type) {
    switch (type) {
    case TOKEN_IMPORT:
        return c->top ? ENTRY_IMPORT : ENTRY_SET;
    case TOKEN_CAPABILITY:
        return c->top ? ENTRY_CAPABILITY : ENTRY_SET;
    case TOKEN_LET:
        return ENTRY_LET;
    case TOKEN_FACT:
        return ENTRY_FACT;
    case TOKEN_REQUIRE:
        return ENTRY_REQUIRE;
    default:
        return ENTRY_SET;
    }
}

// Up to the semicolon or the brace that opens a body: one before which no value has begun.
static void read_to_end(struct cursor *c, struct entry *e) {
    const bool values = e->sort == ENTRY_REQUIRE || e->sort == ENTRY_CAPABILITY;
    unsigned depth = 0;
    for (;; c->at++) {
        const uint16_t type = c->f->pieces.at[c->at].type;
        if (depth == 0 && e->stop == FORMAT_NONE &&
            type == (e->sort == ENTRY_CAPABILITY ? TOKEN_COLON : TOKEN_ASSIGN)) {
            e->stop = c->at;
        } else if (type == TOKEN_LBRACE && !values && e->stop == FORMAT_NONE && depth == 0) {
            e->sort = ENTRY_BLOCK;
            break;
        } else if (is_opener(type)) {
            depth++;
        } else if (is_closer(type)) {
            depth--;
        } else if (type == TOKEN_SEMI && depth == 0) {
            break;
        }
    }
    e->end = ++c->at;
}

// As written, if nothing in it has a line of its own and it is not too wide.
static bool is_on_one_line(const struct format *f, const struct entry *e) {
    for (size_t i = e->first; i <= e->closer; i++) {
        const struct piece *p = &f->pieces.at[i];
        if (piece_is_comment(p) || (i > e->first && p->newlines > 0 && e->children.len > 0)) {
            return false;
        }
    }
    return true;
}

static void read_entries(struct cursor *c, struct entries *list);

static void read_body(struct cursor *c, struct entry *e) {
    struct format *f = c->f;
    const bool top = c->top;
    c->top = false;
    read_entries(c, &e->children);
    c->top = top;
    e->closer = c->at++;
    f->pieces.at[e->closer].space = e->children.len > 0;
    for (size_t i = 0; i < e->children.len; i++) {
        f->pieces.at[e->children.at[i]->first].space = true; // where it stays on the line
    }
    e->on_one_line = is_on_one_line(f, e);
}

static struct entry *read_entry(struct cursor *c) {
    struct format *f = c->f;
    struct entry *e = ARENA_NEW(f->arena, struct entry);
    const struct piece *p = &f->pieces.at[c->at];
    e->first = c->at;
    e->stop = FORMAT_NONE;
    e->blank_before = p->newlines > 1;
    if (piece_is_comment(p)) {
        e->sort = ENTRY_COMMENT;
        e->end = e->remarks = ++c->at;
        return e;
    }
    e->sort = sort_of(c, p->type);
    read_to_end(c, e);
    read_head(f, e);
    e->remarks = c->at = skip_remarks(f, c->at);
    if (e->sort == ENTRY_BLOCK) {
        f->pieces.at[e->end - 1].space = true;
        read_body(c, e);
        e->closer_remarks = c->at = skip_remarks(f, c->at);
    }
    return e;
}

static void read_entries(struct cursor *c, struct entries *list) {
    for (;;) {
        const uint16_t type = c->f->pieces.at[c->at].type;
        if (type == TOKEN_END || type == TOKEN_RBRACE) {
            break;
        }
        struct entry *e = read_entry(c);
        e->blank_before = e->blank_before && list->len > 0;
        VEC_PUSH(c->f->arena, list, e);
    }
}

void format_read(struct format *f, const struct tokens *tokens) {
    read_pieces(f, tokens);
    struct cursor c = {.f = f, .top = true};
    read_entries(&c, &f->entries);
}
