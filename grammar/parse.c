// SPDX-License-Identifier: Apache-2.0
// The parser's driver. In: the tokens of a file. Out: its tree. Always: a token is tried before it
// is fed, so that an error is noticed in the state in which it happens; the brackets that are open
// are known; every step takes a token or ends the parse.
#include "parse.h"

#include "lexer.h"
#include "parse_state.h"

bool parse_accepts(const struct parse *p, uint16_t type) {
    return parser_accepts(p->parser, &type, 1);
}

bool parse_is_name(uint16_t type) {
    const struct token_info *info = &token_infos[type];
    const bool soft = info->class == CLASS_WORD || info->class == CLASS_LINK;
    return type == TOKEN_NAME || (info->word && soft);
}

bool parse_is_closer(uint16_t type) {
    return type == TOKEN_RPAREN || type == TOKEN_RBRACKET || type == TOKEN_RBRACE;
}

uint16_t parse_closer_of(uint16_t opener) {
    return opener == TOKEN_LPAREN     ? TOKEN_RPAREN
           : opener == TOKEN_LBRACKET ? TOKEN_RBRACKET
                                      : TOKEN_RBRACE;
}

uint16_t parse_closer(const struct parse *p) {
    if (p->openers.len == 0) {
        return 0;
    }
    const struct opener *top = &p->openers.at[p->openers.len - 1];
    return top->block ? TOKEN_RBRACE : parse_closer_of(p->tokens.at[top->token].type);
}

void parse_too_deep(struct parse *p, uint32_t begin, uint32_t end) {
    if (!p->item_failed) {
        report(p->reporter, DIAG_A0206, begin, end, "nested too deeply (limit is %d)",
               AST_MAX_DEPTH);
    }
    p->item_failed = true;
}

static void begin_item(struct parse *p, size_t start) {
    p->item_start = start;
    p->item_failed = false;
    p->item_dirty = false;
}

static void push_opener(struct parse *p, bool block) {
    const uint16_t here = p->tokens.at[p->next].type;
    const bool bracket = here == TOKEN_LBRACE || here == TOKEN_LBRACKET || here == TOKEN_LPAREN;
    const struct opener o = {.token = p->next, .block = block, .invented = !bracket};
    VEC_PUSH(p->arena, &p->openers, o);
    if (block) {
        p->blocks++;
        return;
    }
    p->expressions++;
    // A block's brace is counted here too until the grammar has seen what it is.
    if (p->expressions > AST_MAX_DEPTH) {
        const struct token *t = &p->tokens.at[p->next];
        parse_too_deep(p, t->begin, t->end);
        p->too_many_open = true;
    }
}

// Gives back whether it was a block.
static bool pop_opener(struct parse *p) {
    const bool block = p->openers.at[--p->openers.len].block;
    *(block ? &p->blocks : &p->expressions) -= 1;
    return block;
}

static void feed(struct parse *p, const struct token *t) {
    parser_feed(p->parser, t);
    if (p->gave_up) {
        return;
    }
    switch (t->type) {
    case TOKEN_LPAREN:
    case TOKEN_LBRACKET:
    case TOKEN_LBRACE:
        push_opener(p, false);
        break;
    case TOKEN_RPAREN:
    case TOKEN_RBRACKET:
    case TOKEN_RBRACE:
        if (pop_opener(p)) {
            begin_item(p, p->next + 1);
        }
        break;
    case TOKEN_SKIP:
    case TOKEN_SKIP_BLOCK:
        while (p->expressions) {
            pop_opener(p);
        }
        if (t->type == TOKEN_SKIP_BLOCK) {
            push_opener(p, true);
        }
        begin_item(p, p->next + 1);
        break;
    case TOKEN_SEMI:
        begin_item(p, p->next + 1);
        break;
    default:
        break;
    }
}

void parse_take(struct parse *p) {
    feed(p, &p->tokens.at[p->next]);
    p->next++;
}

void parse_insert(struct parse *p, uint16_t type) {
    struct token *t = ARENA_NEW(p->arena, struct token);
    t->type = type;
    t->begin = t->end = p->next ? p->tokens.at[p->next - 1].end : 0;
    feed(p, t);
}

static void step(struct parse *p) {
    const struct token *t = &p->tokens.at[p->next];
    p->item_dirty |= t->after_error;
    const uint16_t word = parse_nearest_word(p);
    if (p->openers.len && parse_starts_decl(p, p->next)) {
        parse_error_unclosed(p);
        parse_close(p, 0);
    } else if (word) {
        parse_error_misspelt(p, word);
        p->tokens.at[p->next].type = word;
        parse_take(p);
    } else if (parse_accepts(p, t->type)) {
        parse_take(p);
    } else {
        parse_error(p);
        parse_recover(p);
    }
    if (p->too_many_open && !p->gave_up) {
        p->too_many_open = false;
        parse_recover(p);
    }
}

struct ast_file *parse_file(struct arena *a, const struct sources *s, uint32_t file,
                            struct diags *diags) {
    struct reporter reporter = {.diags = diags, .file = file};
    struct parse p = {.arena = a, .reporter = &reporter, .source = &s->files.at[file]};
    p.tree = ARENA_NEW(a, struct ast_file);
    p.tree->file = file;
    if (!source_check(&reporter, p.source)) {
        p.tree->incomplete = true;
        return p.tree;
    }
    lex_file(a, &reporter, p.source, &p.tokens);
    p.parser = parser_new(&p);
    while (p.next < p.tokens.len && !p.gave_up && !reporter.stopped) {
        step(&p);
    }
    p.tree->incomplete = reporter.errors > 0;
    return p.tree;
}
